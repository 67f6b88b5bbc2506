#!/usr/bin/env python3
"""refused.py GSOLVE LIBRARY: check.py refuses each of these pages, and accepts the last one."""
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = "#include <stdio.h>\nint main(void)\n{\n    puts(\"printed 1\");\n    return 0;\n}\n"
PAGES = [  # a page, and what check.py says about it
    ("```console\n$ make all\n```\n", "no test runs 'make all'"),
    ("<!-- not run: it builds -->\n```console\n$ gsolve list formats | head -n 1\n...\n```\n", "has no effect"),
    ("```console\n$ printf 'iterations 12\\n'\niterations 13\n```\n", "no longer prints 'iterations 13' but 'iterations 12'"),
    ("```console\n$ printf 'one\\ntwo\\n'\none\n```\n", "but 'two'"),
    ("```console\n$ printf 'one\\ntwo\\nthree\\n'\n...\none\n```\n", "the same lines in this order"),
    ("```console\n$ gsolve compare gen:poisson2d,n=8 --formats csr --repeat 1\nno such word\n```\n", "no longer prints such word"),
    ("```c\nint k = 1;\n```\n", "write <!-- fragment --> above it"),
    ("<!-- fragment -->\n```c\nint k = unknown;\n```\n", "does not compile"),
    (f"```c\n{PROGRAM}```\n", "no command of the page shows what this program prints"),
    (f"```c\n/* p.c: prints */\n{PROGRAM}```\n```console\n$ ./p\nprinted 2\n```\n", "no longer prints 'printed 2' but 'printed 1'"),
    ("```c\n#include <stdlib.h>\nint main(void)\n{\n    return 3;\n}\n```\n", "the program returned 3"),
    ("<!-- quoted from include/gsolve.h -->\n```text\nno line of it\n```\n", "include/gsolve.h does not have 'no line of it'"),
    ("```python\nimport pygsolve\n```\n", "no command runs this program"),
    ("```fortran\nuse gsolve\n```\n", "no command runs this program"),
    ("```sh\ngsolve --help\n```\n", "does not know the language 'sh'"),
    ("```\npip install gsolve\n```\n", "this block has commands"),
    (f"```c\n/* p.c: prints */\n{PROGRAM}```\n```console\n$ ./p\nprinted 1\n$ printf 'took 1.5 ms\\nend\\n'\ntook 20 ms\nend\n```\n", None),
]


def main():
    check, gsolve, library = (Path(argument).resolve() for argument in [Path(__file__).with_name("check.py"), *sys.argv[1:3]])
    wrong = 0
    for text, expected in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "page.md").write_text(text)
            (Path(folder) / "include").symlink_to(check.parents[2] / "include")
            done = subprocess.run([sys.executable, check, gsolve, library, folder, "page.md"], capture_output=True, text=True)
        if done.returncode != (1 if expected else 0) or (expected or "") not in done.stdout:
            print(f"the page\n{text}expected: {expected or 'no complaint'}\nprinted: {done.stdout}{done.stderr}")
            wrong = 1
    print(f"{len(PAGES)} pages")
    sys.exit(wrong)


main()
