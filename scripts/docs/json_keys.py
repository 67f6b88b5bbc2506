#!/usr/bin/env python3
"""json_keys.py GSOLVE: compares the keys of docs/reference/json.md with those that the commands write.

Prints a line for each key that the page lacks, that it names and no command writes, or that has values of two types; then
the exit code is 1."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import headers

PAGE = headers.TOP / "docs" / "reference" / "json.md"
RUNS = [  # the arguments of runs that together write every key
    "-A gen:poisson2d,n=20 -b random,k=2 --solver cg,spectrum=on --precond amg --profile --repeat 2",
    "-A gen:poisson3d,n=12 --maxit 3",
    "-A missing.mtx",
    "info gen:poisson3d,n=12 --precond amg,coarsest=40",
    "compare gen:poisson2d,n=9 gen:poisson2d,n=8 --formats sell --repeat 1",
    "compare gen:poisson2d,n=9 --solvers cg --preconds jacobi --repeat 1",
    "generate convdiff3d,n=4 -o C.mtx",
    "convert C.mtx D.mtx",
    "-A gen:poisson2d,n=4 -x x.mtx",
    "-A gen:poisson2d,n=30 --precond amg --setup levels.setup",
    "-A gen:neumann2d,n=4 -b random,k=2 --null-space constants --left-null-space constants",
    "-A gen:random,n=9,cols=4 -b random",
    "convert x.mtx y.mtx --dense",
    "list",
]
RANKS = [  # the same over ranks, where mpirun starts gsolve-mpi
    "-A gen:poisson2d,n=9 --partition blocks --profile --ranks 2",
    "-A gen:poisson2d,n=9",
]
# Keys that these runs do not write: on a GPU, or after a failure.
RARE = {"memory_estimate.memory_free", "memory_estimate.memory_total", "precond.error"}
ALIKE = {  # of these lists the page has the first
    "formats": ["solvers", "preconds", "products", "generators", "devices"],
    "examples": ["exit_codes", "environment", "outcomes", "statuses"],
}


def values(value, path=""):
    """The values that are neither objects nor arrays, with their keys."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from values(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value or [None]:
            yield from values(item, path + "[]")
    else:
        yield path, value


def over_ranks(gsolve):
    """The words that start gsolve over three ranks; none where that does not work."""
    words = [str(headers.TOP / "tests" / "mpi" / "run.sh"), "mpirun", "3", gsolve]
    if not (shutil.which("mpirun") and os.path.exists(os.path.join(os.path.dirname(gsolve), "gsolve-mpi"))):
        return []
    return words if subprocess.run([*words, "--version"], capture_output=True, check=False).returncode == 0 else []


def written(gsolve, ranks):
    """The types of each key that the runs write; null is none."""
    found = {}
    runs = [[gsolve, *run.split()] for run in RUNS] + [[*ranks, *run.split()] for run in RANKS if ranks]
    with tempfile.TemporaryDirectory() as folder:
        for run in runs:
            subprocess.run([*run, "--json", "out.json", "-q"], cwd=folder, stderr=subprocess.DEVNULL,
                           env={**os.environ, "GSOLVE_DEVICE": "cpu"}, check=False)
            with open(os.path.join(folder, "out.json"), encoding="utf-8") as file:
                for key, value in values(json.load(file)):
                    kinds = found.setdefault(key, set())
                    if value is not None:
                        kinds.add(bool if isinstance(value, bool) else str if isinstance(value, str) else float)
            os.remove(os.path.join(folder, "out.json"))
    return found


def on_page(found):
    """The keys as the page names them."""
    for first, others in ALIKE.items():
        found = {re.sub(rf"^({'|'.join(others)})(?=\[\])", first, key) for key in found}
    found = {re.sub(r"^matrices\[\]\.matrix\.\w+", "matrices[].matrix.rows", key) for key in found}
    # An array that is empty in one run has keys in another.
    return {key for key in found if not (key.endswith("[]") and any(k.startswith(key + ".") for k in found))}


def of_two_types(found):
    """The keys with values of two types; the default of an option has the type of the option."""
    return sorted(key for key, types in found.items() if len(types) > 1 and not key.endswith("options[].default"))


def main(gsolve):
    ranks = over_ranks(gsolve)
    text = PAGE.read_text() if ranks else re.sub(r"^## Several ranks\n.*?(?=^## )", "", PAGE.read_text(), flags=re.M | re.S)
    page = set(re.findall(r"^\| `([^`]+)` \|", text, re.M))
    types = written(gsolve, ranks)
    found, two = on_page(types), of_two_types(types)
    for key in two:
        print(f"the key {key} has values of two types")
    for key in sorted(found - page):
        print(f"docs/reference/json.md lacks {key}")
    for key in sorted(page - found - RARE):
        print(f"docs/reference/json.md names {key}, which no run wrote")
    return int(bool(two) or found - page != set() or page - found - RARE != set())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
