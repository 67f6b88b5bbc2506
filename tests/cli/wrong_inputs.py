#!/usr/bin/env python3
"""wrong_inputs.py: wrong inputs of the command, and the page of their messages.

    wrong_inputs.py GSOLVE SOURCE            runs each line of wrong_inputs.txt; exit code 1 if one of them is not as it should be,
                                             or if docs/reference/messages.md is stale
    wrong_inputs.py GSOLVE SOURCE --update   writes the page

Each command must end with exit code 1 and write one line to standard error, which begins with "gsolve: " and contains the text of
the table, without control characters. It must leave the files of its folder as they were and add none.
"""
import gzip
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).with_suffix(".txt")
HEAD = """# Messages

<!-- Made by tests/cli/wrong_inputs.py --update. Do not edit. -->

An error is one sentence on standard error: what was found, where, and what is allowed or what to do. The exit code is 1, and no file is left
behind. These are the sentences for {count} wrong inputs, without the `gsolve: ` before them.

Lines of files, and the rows, columns and entries of a matrix, count from 1, as in Matrix Market files. Sentences about arrays of the C interface count as
these arrays do, and say so. In JSON, `index_base` is the base of all numbers of rows and columns.
"""


def read_table():
    """The files, as (kind, name, content), and the groups, as (title, [(arguments, text), ...])."""
    files, groups = [], []
    for line in TABLE.read_text().splitlines():
        made = re.match(r"(file|gzip) (\S+) = ?(.*)$|(folder) (\S+)$", line)
        if made and not groups:
            files.append((made[1] or made[4], made[2] or made[5], made[3]))
        elif line.startswith("== "):
            groups.append((line[3:], []))
        elif line and not line.startswith("#"):
            arguments, text = line.split(" | ", 1)
            groups[-1][1].append((arguments, text))
    return files, groups


def make_files(files, folder):
    for kind, name, content in files:
        path = folder / name
        if kind == "folder":
            path.mkdir()
        elif kind == "file":
            path.write_bytes(content.replace("\\0", "\\x00").encode().decode("unicode_escape").encode("latin-1"))
        else:
            source, size = content.split()
            path.write_bytes(gzip.compress((folder / source).read_bytes(), mtime=0)[: int(size)])


def contents(folder):
    return {str(path): path.is_dir() or path.read_bytes() for path in sorted(folder.rglob("*"))}


def run(gsolve, arguments, folder):
    """The exit code and standard error of the command."""
    words, _, source = arguments.partition(" < ")
    environment = {**os.environ, "GSOLVE_DEVICE": "cpu", "LC_ALL": "C"}
    with open(folder / source if source else os.devnull, "rb") as given:
        done = subprocess.run(["gsolve", *shlex.split(words)], executable=gsolve, cwd=folder, env=environment, stdin=given, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stderr.decode(errors="replace")


def problems(code, said, text, same):
    """What is wrong with the result of a command."""
    if code != 1:
        yield f"exit code {code}"
    if not re.fullmatch(r"gsolve: \S[^\n]*\n", said):
        yield "standard error is not one line that begins with 'gsolve: '"
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said):
        yield "control characters"
    if text not in said:
        yield f"the message does not contain '{text}'"
    if not same:
        yield "files were added, changed or removed"


def row(arguments, said):
    """A row of the page. Numbers of the machine become N, and the names that only some builds have are left out."""
    sentence = re.sub(r"may use \d+ processors?", "may use N processors", said.removeprefix("gsolve: ").strip())
    sentence = re.sub(r"^(unknown (?:format|device) .*allowed: ).*", r"\1...", sentence)
    for plain, marked in (("&", "&amp;"), ("<", "&lt;"), ("*", r"\*"), ("|", r"\|"), ("_", r"\_")):
        sentence = sentence.replace(plain, marked)
    return f"| `gsolve {arguments}` | {sentence} |\n"


def main():
    gsolve, source = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    page = source / "docs" / "reference" / "messages.md"
    files, groups = read_table()
    text = HEAD.format(count=sum(len(rows) for _, rows in groups))
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_files(files, folder)
        before = contents(folder)
        for title, rows in groups:
            text += f"\n## {title}\n\n| input | message |\n|---|---|\n"
            for arguments, expected in rows:
                code, said = run(gsolve, arguments, folder)
                for problem in problems(code, said, expected, contents(folder) == before):
                    print(f"gsolve {arguments}: {problem}\n    {said.strip()}")
                    failures += 1
                text += row(arguments, said)
    if "--update" in sys.argv:
        page.write_text(text)
    elif not page.exists() or page.read_text() != text:
        print(f"{page} is stale: run {Path(__file__).relative_to(source)} GSOLVE SOURCE --update")
        failures += 1
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
