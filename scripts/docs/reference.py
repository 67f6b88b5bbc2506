#!/usr/bin/env python3
"""reference.py: the pages of docs/reference/, from gsolve list --json and from the public headers.

    reference.py GSOLVE            writes the pages; GSOLVE is the command of a build
    reference.py GSOLVE --check    exit code 1 and a line for each page that is missing or stale

A page of a method or of a preconditioner is written by hand but for the part between its two marks. All other
pages that are named below are made as a whole. A build without CUDA does not list the product method cusparse and the device cuda, and
the format cusparse is listed only where there is a GPU: their sections stay as they are where they are not listed.
"""
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import headers

PAGES = headers.TOP / "docs" / "reference"
BEGIN = "<!-- generated:begin, by make reference -->"
END = "<!-- generated:end -->"
NOTE = "<!-- Made by make reference (scripts/docs/reference.py). Do not edit. -->\n"
FIELDS = {"methods": "solvers", "preconditioners": "preconds"}  # folders of pages, lists of gsolve list
CUDA_ONLY = {"formats": ["cusparse"], "products": ["cusparse"], "devices": ["cuda"]}
LARGE = 1e9  # from here on a limit is none that anybody meets


def escape(text):
    """text of a table or a comment as Markdown."""
    for plain, marked in (("&", "&amp;"), ("<", "&lt;"), ("*", r"\*"), ("|", r"\|")):
        text = text.replace(plain, marked)
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\_", text)


def number(x):
    mantissa, exponent = f"{x:.9e}".split("e")
    short = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    plain = f"{x:.10g}"
    return short if "e" in plain or len(short) + 2 < len(plain) else plain


def allowed(o):
    if o["kind"] == "choice":
        return ", ".join(f"`{word}`" for word in o["choices"].split("|"))
    if o["kind"] == "flag":
        return "0 or 1"
    minimum, maximum = o["minimum"], o["maximum"]
    if maximum < LARGE:
        return f"{number(minimum)} to {number(maximum)}"
    return "any" if minimum <= -LARGE else f"{number(minimum)} or more"


def default(o):
    return f"`{o['key']}={o['default'] if o['kind'] == 'choice' else number(o['default'])}`"


def option_table(options):
    if not options:
        return "No options.\n"
    rows = [f"| {default(o)} | {allowed(o)} | {escape(o['help'])} |" for o in options]
    return "| option and default | allowed | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def sentence(text):
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


# --- one page for each method and preconditioner --------------------------------------------------


def common_options(methods):
    """Options that every method has, as the first method has them."""
    shared = set.intersection(*({o["key"] for o in m["options"]} for m in methods))
    return [o for o in methods[0]["options"] if o["key"] in shared]


def plugin_part(plugin, use, common):
    """The generated part of a plug-in's page."""
    own = [o for o in plugin["options"] if o["key"] not in [c["key"] for c in common]]
    keys = "[,key=value,...]" if plugin["options"] else ""
    text = f"`{use} {plugin['name']}{keys}`\n\n{escape(sentence(plugin['summary']))}\n\n"
    text += option_table(own) if own or not common else "No options of its own.\n"
    text += f"\nFor example: `{plugin['example']}`\n" if "example" in plugin else ""
    if common:
        rest = [default(o) for o in plugin["options"] if o not in own]
        text += f"\nAs every method: {', '.join(rest)} ([meaning](../methods.md#options-of-every-method)).\n"
    return text


def plugin_page(folder, plugin, use, common):
    """(path, text) of a plug-in's page with its part renewed."""
    path = PAGES / folder / f"{plugin['name']}.md"
    text = path.read_text() if path.exists() else ""
    part = f"{BEGIN}\n{plugin_part(plugin, use, common)}{END}"
    if BEGIN not in text or END not in text:
        return path, f"# {plugin['name']}\n\n{part}\n"
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    return path, text[:begin] + part + text[end:]


def index_page(title, intro, folder, plugins, after=""):
    rows = [f"| [`{p['name']}`]({folder}/{p['name']}.md) | {escape(p['summary'])} |" for p in plugins]
    return f"# {title}\n\n{NOTE}\n{intro}\n\n| name | what it is |\n|---|---|\n" + "\n".join(rows) + "\n" + after


def method_pages(lists):
    methods = lists["solvers"]
    common = common_options(methods)
    after = "\n## Options of every method\n\n" + option_table(common)
    after += "\nThe page of a method shows the defaults that differ: " + ", ".join(
        f"`{m['name']}` has {default(o)}" for m in methods for c in common for o in m["options"]
        if o["key"] == c["key"] and o["default"] != c["default"]) + ".\n"
    yield PAGES / "methods.md", index_page(
        "Methods", "`--solver NAME,key=value,...` in the command, the spec of `gsolve_solver_create` in C. `auto`, the default, "
        "chooses one ([how](../understand/automatic_choice.md)). M is the preconditioner.", "methods", methods, after)
    for method in methods:
        yield plugin_page("methods", method, "--solver", common)


def precond_pages(lists):
    yield PAGES / "preconditioners.md", index_page(
        "Preconditioners", "`--precond NAME,key=value,...` in the command, the spec of `gsolve_precond_create` in C. `auto`, the "
        "default, chooses one ([how](../understand/automatic_choice.md)).", "preconditioners", lists["preconds"])
    for precond in lists["preconds"]:
        yield plugin_page("preconditioners", precond, "--precond", [])


# --- pages with a section for each plug-in --------------------------------------------------------


def section(plugin, use, link):
    keys = "[,key=value,...]" if plugin["options"] else ""
    text = f"## {plugin['name']}\n\n`{use}{plugin['name']}{keys}`\n\n{escape(sentence(plugin['summary']))}"
    text += f" [Storage, cost and source]({link.format(plugin['name'])}).\n" if link else "\n"
    return text + "\n" + option_table(plugin["options"])


def sections_page(path, title, intro, plugins, use, link, cuda_only):
    """A page with a section for each plug-in; the sections of cuda_only are kept where plugins lack them."""
    text = f"# {title}\n\n{NOTE}\n{intro}\n"
    for plugin in plugins:
        text += "\n" + section(plugin, use, link)
    old = path.read_text() if path.exists() else ""
    for name in cuda_only:
        kept = re.search(rf"^## {name}\n.*?(?=^## |\Z)", old, re.M | re.S)
        if name not in [p["name"] for p in plugins] and kept:
            text += "\n" + kept.group().rstrip() + "\n"
    return path, text


def list_pages(lists):
    formats = sorted(lists["formats"], key=lambda p: p["name"] == "cusparse")  # last, so that both builds agree
    yield sections_page(
        PAGES / "formats.md", "Formats", "`--format NAME,key=value,...` in the command, the spec of `gsolve_matrix_create` in C. "
        "[Formats](../understand/formats.md) compares them. `cusparse` is in builds with CUDA only.",
        formats, "--format ", "../understand/formats/{}.md", CUDA_ONLY["formats"])
    yield sections_page(
        PAGES / "products.md", "Products of matrices", "The spec of `gsolve_csr_multiply`, `gsolve_product_create` and "
        "`gsolve_galerkin_create`. [Products of sparse matrices](../understand/products.md) says when each serves. `cusparse` is in builds "
        "with CUDA only.", sorted(lists["products"], key=lambda p: p["name"] == "cusparse"), "", "", CUDA_ONLY["products"])
    yield sections_page(
        PAGES / "generators.md", "Generators", "`gen:NAME,key=value,...` stands wherever a file name of a matrix may stand, in the command "
        "and in `gsolve_read_matrix`. The same name gives the same matrix on every machine. SPD: symmetric positive definite.",
        lists["generators"], "gen:", "", [])
    yield sections_page(
        PAGES / "devices.md", "Devices", "`--device NAME,key=value,...` in the command, the spec of `gsolve_context_create` in C. `auto`, "
        "the default, is the GPU where there is one. `cuda` is in builds with CUDA only.",
        lists["devices"], "--device ", "", CUDA_ONLY["devices"])


# --- the command, its outcomes and variables ------------------------------------------------------


def command_options(options):
    text, rows = "", []

    def flush():
        nonlocal text, rows
        if rows:
            text += "| option | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"
        rows = []

    for o in options:
        if "heading" in o:
            flush()
            text += f"\n**{o['heading']}**\n\n"
        else:
            letter = f"-{o['letter']}, " if "letter" in o else ""
            argument = " " + o["argument"] if "argument" in o else ""
            rows.append(f"| `{letter}--{o['name']}{argument}` ".replace("f32|f64", r"f32\|f64") + f"| {escape(o['help'])} |")
    flush()
    return text


def pairs(items, head):
    return f"| {head} |\n|---|---|\n" + "".join(f"| `{i['name']}` | {escape(i['summary'])} |\n" for i in items)


def command_page(lists):
    text = f"# The command gsolve\n\n{NOTE}\nThe same tables make `gsolve --help` and the man page.\n\n"
    text += pairs(lists["examples"], "for example | what it does")
    for c in lists["commands"]:
        text += f"\n## gsolve {c['name']}\n\n{escape(sentence(c['summary']))}\n\n```\n{c['synopsis']}\n```\n\n"
        text += "\n\n".join(escape(p) for p in c["description"].split("\n")) + "\n"
        text += command_options(c["options"]) if c["options"][0].get("heading") else "\n" + command_options(c["options"])
    text += "\n## Exit codes\n\n" + pairs(lists["exit_codes"], "code | meaning")
    return PAGES / "command.md", text


SUCCESSES = ("GSOLVE_CONVERGED", "GSOLVE_LEAST_SQUARES")
MEANINGS = {  # of x; the best iterate for the others
    "GSOLVE_CONVERGED": "solves A x = b to the tolerance",
    "GSOLVE_LEAST_SQUARES": "minimises \\|b - Ax\\|, which the method was asked for, or no x solves A x = b",
    "GSOLVE_NOT_SOLVED": "minimises \\|b - Ax\\| to the tolerance, although A x = b may have a solution",
    "GSOLVE_ACCEPTED": "was accepted by the caller's stopping test"}


def outcome_pages(lists):
    text = f"# Outcomes and errors\n\n{NOTE}\n"
    text += "A solve that does not converge has an outcome. It is not an error. [Residual policy and outcomes]" \
            "(../understand/residual_policy.md) says what each outcome promises.\n\n## Outcomes\n\n"
    text += "| `gsolve_outcome` | in reports and JSON | x | exit code |\n|---|---|---|---|\n"
    text += "".join(f"| `{o['name']}` | {o['summary']} | {MEANINGS.get(o['name'], 'is the best iterate')} | "
                    f"{0 if o['name'] in SUCCESSES else 2} |\n" for o in lists["outcomes"])
    text += "\nThe best iterate is the x with the smallest true residual among the initial guess, an iterate that the run stored, and " \
            "the last iterate. The report of a solve that failed has the cause and one command to try: " \
            "[It did not converge](../howto/not_converged.md).\n"
    text += "\n## Exit codes of the command\n\n" + pairs(lists["exit_codes"], "code | meaning")
    text += "\n## Status codes of the C interface\n\nA function that can fail returns a `gsolve_status`. `gsolve_error` has the " \
            "sentence that says what happened.\n\n" + pairs(lists["statuses"], "`gsolve_status` | meaning")
    yield PAGES / "outcomes.md", text
    yield PAGES / "environment.md", f"# Environment variables\n\n{NOTE}\n" + pairs(lists["environment"], "variable | meaning")


# --- the C interface ------------------------------------------------------------------------------


def prose(comment):
    """A comment as Markdown: names in code, lines that are indented as a code block."""
    parts = re.split(r"((?:^ {2,}.*\n(?:\n(?= {2}))?)+)", comment + "\n", flags=re.M)
    out = []
    for k, part in enumerate(parts):
        if k % 2 == 1:
            out.append(f"```c\n{textwrap.dedent(part).strip()}\n```")
        else:
            name = r"\b(?:gsolve|GSOLVE)_\w+(?:\.\w+|\(\w*\))?"
            out += [re.sub(name, r"`\g<0>`", escape(line)) for line in part.split("\n") if line]
    return "\n\n".join(out)


def block_text(block):
    names = [d for d in block.declarations if d.kind != "macro" or d.name != "GSOLVE_ENUM"]
    title = ", ".join(f"`{d.name}`" for d in names)
    code = "\n".join(d.text for d in block.declarations)
    notes = "".join(f"\n`{name}`: {prose(note)}\n" for name, note in block.notes.items())
    return f"### {title}\n\n```c\n{code}\n```\n" + (f"\n{prose(block.comment)}\n" if block.comment else "") + notes


def c_page():
    text = f"# C interface\n\n{NOTE}\nEvery declaration of the public headers, in their order.\n"
    for header in headers.WITH_MPI:
        head, found = headers.sections(header)
        about = headers.comment_text(head).removeprefix(f"{header}: ")
        text += f"\n## {header}\n\n{prose(sentence(about))}\n"
        for s in found:
            text += f"\n## {sentence(s.title)[:-1]}\n" if s.title else ""
            text += "".join("\n" + block_text(b) for b in s.blocks)
    return PAGES / "c.md", text


# --- all of it ------------------------------------------------------------------------------------


def pages(lists):
    yield command_page(lists)
    yield from method_pages(lists)
    yield from precond_pages(lists)
    yield from list_pages(lists)
    yield from outcome_pages(lists)
    yield c_page()


def orphans(lists):
    """Pages of plug-ins that are no more."""
    for folder, name in FIELDS.items():
        known = [p["name"] for p in lists[name]]
        yield from (p for p in sorted((PAGES / folder).glob("*.md")) if p.stem not in known)


def read_lists(gsolve):
    """What gsolve list --json says on the CPU, with the formats that a GPU of this machine adds."""
    def listed(device):
        return subprocess.run([gsolve, "list", "--json", "-"], check=device == "cpu", capture_output=True,
                              env={**os.environ, "GSOLVE_DEVICE": device}).stdout or "{}"

    lists, gpu = json.loads(listed("cpu")), json.loads(listed("cuda"))
    known = [p["name"] for p in lists["formats"]]
    lists["formats"] += [p for p in gpu.get("formats", []) if p["name"] not in known]
    return lists


def main(gsolve, check):
    lists = read_lists(gsolve)
    bad = 0
    for path, text in pages(lists):
        if check and (not path.exists() or path.read_text() != text):
            print(f"{path.relative_to(headers.TOP)} is {'stale' if path.exists() else 'missing'}; make reference renews it")
            bad = 1
        elif not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for path in orphans(lists):
        print(f"{path.relative_to(headers.TOP)}: gsolve list does not have it; remove the page")
        bad = 1
    return bad


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], "--check" in sys.argv[2:]))
