#!/usr/bin/env python3
"""headers.py: the public headers as a list of declarations with their comments.

    headers.py --check    every public function has a comment; exit code 1 and a line for each that has none

A comment stands above a declaration or at the end of its line. "/* --- title --- */" begins a section.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
ORDER = "gsolve context arrays csr matrix precond solver auto dist io plugin".split()  # of the headers; others come last
WITH_MPI = sorted((path.name for path in (TOP / "include").glob("*.h")), key=lambda name: (
    [k for k, word in enumerate(ORDER) if name.removesuffix(".h").removeprefix("gsolve_") == word] or [len(ORDER)], name))

HEADERS = [name for name in WITH_MPI if name != "gsolve_mpi.h"]  # those of libgsolve itself, which compile without MPI

EXPORT = "GSOLVE_API "  # before each exported function


@dataclass
class Declaration:
    kind: str  # function, type, macro
    name: str
    text: str  # as in the header
    line: int


@dataclass
class Block:
    """Declarations without an empty line between them, and the comment above them."""
    comment: str = ""
    declarations: list = field(default_factory=list)
    notes: dict = field(default_factory=dict)  # of one declaration, by its name


@dataclass
class Section:
    title: str
    header: str
    blocks: list = field(default_factory=list)


def comment_text(raw):
    """The text of a comment without its stars, one line for each paragraph; indented lines stay as they are."""
    lines = [re.sub(r"^ \* ?|^ \*$", "", line) for line in raw[2:-2].strip("\n").split("\n")]
    lines[0] = lines[0].lstrip()
    text = ""
    for line in lines:
        line = line.rstrip()
        if line.startswith("  ") or not line or not text or text.endswith("\n"):
            text += ("\n" if text and not text.endswith("\n") else "") + line + ("\n" if line.startswith("  ") or not line else "")
        else:
            text += " " + line
    return text.strip()


def skip_comment(text, at):
    return text.index("*/", at) + 2


def end_of_declaration(text, at):
    """Behind the ';' or, for a function with a body, behind its '}'."""
    depth, body = 0, False
    while True:
        if text.startswith("/*", at):
            at = skip_comment(text, at)
            continue
        c = text[at]
        if c == "{":
            body = body or (depth == 0 and text[:at].rstrip().endswith(")"))
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0 and body:
                return at + 1
        elif c == ";" and depth == 0:
            return at + 1
        at += 1


def without_export(text):
    """A declaration without GSOLVE_API; the lines after the first move left with their parenthesis."""
    if not text.startswith(EXPORT):
        return text
    return re.sub(rf"^ {{{len(EXPORT)}}}(?= )", "", text[len(EXPORT):], flags=re.M)


def declaration(text, line):
    text = without_export(re.sub(r"^__attribute__.*\n|^#.*\n", "", text, flags=re.M))
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    if plain.startswith("typedef"):
        name = re.search(r"(\w+)\s*(?:\([^()]*\))?\s*;$", plain).group(1)
        return Declaration("type", name, text, line)
    return Declaration("function", re.search(r"(\w+)\s*\(", plain).group(1), text, line)


def sections(header):
    """The head comment of a header, and its sections."""
    text = (TOP / "include" / header).read_text()
    at, head, found, block = 0, "", [Section("", header)], None
    while at < len(text):
        gap = re.compile(r"\s*").match(text, at)
        if gap.group().count("\n") > 1:
            block = None
        at = gap.end()
        if at >= len(text):
            break
        line = text.count("\n", 0, at) + 1
        if text.startswith("/*", at):
            end = skip_comment(text, at)
            raw = text[at:end]
            title = re.match(r"/\* --- (.*?) -+ \*/$", raw)
            same_line = "\n" not in gap.group() and block and block.declarations
            if title:
                found.append(Section(title.group(1), header))
                block = None
            elif not head:
                head = raw
            elif same_line:
                block.notes[block.declarations[-1].name] = comment_text(raw)
            else:
                block = Block(comment_text(raw))
                found[-1].blocks.append(block)
            at = end
        elif text[at] == "#":
            end = re.compile(r"(?:[^\n]*\\\n)*[^\n]*").match(text, at).end()
            macro = re.match(r"#define (GSOLVE_\w+)", text[at:end])
            if macro and not macro.group(1).endswith("_H"):
                block = block or Block()
                if block not in found[-1].blocks:
                    found[-1].blocks.append(block)
                if macro.group(1) not in [d.name for d in block.declarations]:  # of C; C++ may have another one
                    block.declarations.append(Declaration("macro", macro.group(1), text[at:end], line))
            at = end
        elif text.startswith('extern "C" {', at) or text[at] == "}":
            at = text.index("\n", at)
        else:
            end = end_of_declaration(text, at)
            if block is None:
                block = Block()
                found[-1].blocks.append(block)
            block.declarations.append(declaration(text[at:end], line))
            at = end
    return head, [s for s in found if any(b.declarations for b in s.blocks)]


def undocumented(block):
    """Functions of a block without a comment of their own. Those that release share the one above, and so do
    those for which that comment gives two results, "y = A x and y = A' x" or "y = ..., and C = ..."."""
    shared = len(re.findall(r"(?:^|and |; )\w+ = ", block.comment)) > 1
    for k, d in enumerate(block.declarations):
        own = block.comment and (k == 0 or shared or re.search("_(destroy|free)$", d.name))
        if d.kind == "function" and not own and d.name not in block.notes:
            yield d


def check():
    bad = 0
    for header in WITH_MPI:
        for section in sections(header)[1]:
            for d in (d for block in section.blocks for d in undocumented(block)):
                print(f"include/{header}:{d.line}: {d.name} has no comment of its own")
                bad = 1
    return bad


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    sys.exit(check())
