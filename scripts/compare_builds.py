#!/usr/bin/env python3
"""compare_builds.py: shows that two builds of the command gsolve give the same bits and make the same choices.

usage: scripts/compare_builds.py [options] LIST GSOLVE             print a table of the results of GSOLVE
       scripts/compare_builds.py [options] LIST GSOLVE GSOLVE...   print how later builds differ from the first

LIST names a list of solves in tests/solves/, one solve a line:
  cpu        solves on the CPU with explicit methods, preconditioners and formats
  cuda       solves of the same kind on a GPU
  auto       systems for which gsolve chooses on the CPU
  auto_cuda  the systems of auto, for which gsolve chooses on a GPU
A table of `cpu` or `cuda` has, for each solve: the SHA-256 hash of the written solution (its comment lines are left
out), the iterations, the exit code, the final residual with 17 digits, the arguments. A table of `auto` has the
choices and no bits: see `choices` below. `diff` compares two tables that were made at different times.

The script reads the keys iterations, residual, profile, device, format, solver, precond and attempts of the JSON of a
solve, and the key auto of the JSON of `gsolve info`. Where a later build renames a key, read it under both names in
`bits` and `choices`.

`--matrices FOLDER` takes, in place of the lines of a list, one solve for each Matrix Market file of a folder.

Each command must have a library of its own: the script stops if two commands load the same libgsolve.so, since they
would never differ. CONTRIBUTING.md, "Debug", shows how to build the state before a change.

The exit code is 0 if nothing differs, 1 if something differs or a solve of the first command ends with an error (no
solve of the lists should), 2 if a list or a command cannot be used.

The lists use the names of options as they were when the lists were written. If a later build calls an option or a
value OLD by another name NEW, give `--rename OLD NEW`: the script then replaces the word OLD by NEW in every line for
all commands but the first (for the command, if only one is given). OLD may be several words, such as chebyshev,its.
Tables show the line as it stands in the list. When no one needs the old build any more, change the list.

The bits of a solve do not depend on the number of threads. `--threads 1,2,16` runs the whole list once for each of
these numbers and command, and compares all runs with the first. Use it for builds by other compilers or for other
processors. The solves with `direct` also depend on how CXSparse was compiled, and some others on the C library's
mathematical functions.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

TIME_LIMIT = 120  # seconds of one solve
LISTS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "solves"
DEVICE = {"cpu": "cpu", "cuda": "cuda", "auto": "cpu", "auto_cuda": "cuda"}


# --- lists ------------------------------------------------------------------------------------------------------------


def read_list(name, only):
    """The lines of a list that contain the text `only`, each with its number. Empty lines and comments do not count."""
    path = LISTS / (name.removesuffix("_cuda") + ".txt")
    lines = [" ".join(line.split()) for line in path.read_text().splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    return [(number, line) for number, line in enumerate(lines, 1) if only in line]


def files_of(folder, only):
    """A solve for each matrix of a folder. NAME_b and NAME_x are vectors that belong to the matrix NAME."""
    paths = sorted(path for path in pathlib.Path(folder).resolve().iterdir() if re.search(r"(?<!_[bx])\.mtx(\.gz)?$", path.name))
    return [(number, f"-A {shlex.quote(str(path))}") for number, path in enumerate(paths, 1) if only in path.name]


def renamed(line, pairs):
    for old, new in pairs:
        line = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, line)
    return line


def missing_names(gsolve, lines):
    """The methods, preconditioners and formats of the command that no line uses."""
    words = set(re.findall(r"\w+", " ".join(line for _, line in lines)))
    missing = []
    for kind in ("solvers", "preconds", "formats"):
        listing = subprocess.run([gsolve, "list", kind], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^  ([a-z]\w*) ", listing, re.MULTILINE)
        missing += [name for name in names if name not in words and name != "auto"]
    return missing


def library_of(command, environment=None):
    """The libgsolve.so that the command loads, or the command itself if the library is linked into it."""
    listing = subprocess.run(["ldd", command], env=environment, capture_output=True, text=True, check=False).stdout
    found = re.search(r"^\s*libgsolve\.so\S* => (/\S.*) \(0x", listing, re.MULTILINE)
    return os.path.realpath(found[1] if found else command)


def same_library(commands):
    """A message if two of the commands load the same library, else None."""
    owner = {}
    for command in commands:
        library = library_of(command)
        if library in owner:
            return f"{owner[library]} and {command} load the same library {library}: build each in a folder of its own"
        owner[library] = command
    return None


# --- one solve --------------------------------------------------------------------------------------------------------


@functools.cache
def force_of(gsolve):
    """The option that makes the command run what it would refuse, such as more threads than processors, if it has it."""
    text = subprocess.run([gsolve, "solve", "--help"], capture_output=True, text=True, check=False).stdout
    return ["--force"] if "--force" in text else []


def run(command, folder):
    """The exit code and the parsed JSON of a command that writes JSON to its standard output."""
    environment = {key: value for key, value in os.environ.items() if key != "GSOLVE_DEVICE"}
    environment["OMP_WAIT_POLICY"] = "passive"  # waiting threads leave the processors to other solves
    try:
        made = subprocess.run([*command, *force_of(command[0])], cwd=folder, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return "timeout", {}
    try:
        return made.returncode, json.loads(made.stdout)
    except json.JSONDecodeError:
        return made.returncode, {}


def hash_of(path):
    """The hash of a solution without its comments, which may be worded differently."""
    if not path.exists():
        return "-"
    lines = path.read_bytes().splitlines(keepends=True)
    return hashlib.sha256(b"".join(line for line in lines if not line.startswith(b"%"))).hexdigest()


def bits(gsolve, arguments, folder):
    """The columns of a table of cpu or cuda. With --profile the command solves twice; both iteration counts are shown."""
    solution = pathlib.Path(folder) / "x.mtx"
    code, result = run([gsolve, *arguments, "-x", str(solution), "--json", "-"], folder)
    iterations = str(result.get("iterations", "-"))
    if "profile" in result:
        iterations += f"+{result['profile']['total']['iterations']}"
    return [hash_of(solution), iterations, str(code), str(result.get("residual", "-"))]


def value_of(arguments, *options):
    """The options named and their values, as they occur among the arguments."""
    found = []
    for option, value in zip(arguments, arguments[1:]):
        if option in options:
            found += [option, value]
    return found


def numbers_of_cost_model(why):
    """The numbers in the reason of a choice: points along an edge, and relative times of jacobi, ic and amg."""
    points = re.search(r"(\d+) points", why)
    times = re.search(r"jacobi ([\d.e+]+)\D+?ic ([\d.e+]+)\D+?amg ([\d.e+]+)", why)
    times = [number.rstrip(".") for number in times.groups()] if times else ["-"]
    return f"{points[1] if points else '-'}:{'/'.join(times)}"


def choices(gsolve, arguments, folder):
    """The columns of a table of auto. None of them depends on measured time.

    plan    each method + preconditioner that `gsolve info` would try, in this order
    cost    the numbers of its cost model: points along an edge, and the relative times of jacobi, ic and amg
    device  where the solve ran
    tried   each method + preconditioner that the solve tried, with its iterations
    code    the exit code of the solve
    format  the format at the end, and after how many products the matrix was converted to it
    levels  rows, format and type of each level of multigrid
    """
    of_system = value_of(arguments, "-A", "--type", "--device", "--threads")
    planned = run([gsolve, "info", *of_system, "--json", "-"], folder)[1].get("auto", [])
    code, result = run([gsolve, *arguments, "--json", "-"], folder)
    format_ = result.get("format", {})
    switch = re.search(r"(\d+) products", format_.get("note", "")) if format_.get("form") != "csr" else None
    last = {key: result.get(key, {}).get("spec", "-") for key in ("solver", "precond")}
    last["iterations"] = result.get("iterations")
    tried = result.get("attempts", [last])
    levels = [f"{level['rows']}/{level['format']}/{level['type']}" for level in result.get("precond", {}).get("levels", [])]
    return [
        "plan=" + (";".join(f"{c['solver']}+{c['precond']}" for c in planned) or "-"),
        "cost=" + (numbers_of_cost_model(planned[0]["why"]) if planned else "-"),
        "device=" + result.get("device", "-"),
        "tried=" + ";".join(f"{t['solver']}+{t['precond']}:{t['iterations']}" for t in tried),
        "code=" + str(code),
        "format=" + format_.get("form", "-") + (f"@{switch[1]}" if switch else ""),
        "levels=" + (",".join(levels) or "-"),
    ]


# --- whole lists ------------------------------------------------------------------------------------------------------


def solve_line(gsolve, name, line, threads):
    """One row of the table, without its number."""
    # If an option is given twice, the command takes the second: a line may set its own device and threads.
    arguments = ["--device", DEVICE[name] + ",threads=2", *shlex.split(line)]
    if threads:
        arguments += ["--threads", threads]
    with tempfile.TemporaryDirectory() as folder:
        write_first_guess(pathlib.Path(folder) / "guess_1000.mtx", 1000)
        return (choices if name.startswith("auto") else bits)(gsolve, arguments, folder)


def write_first_guess(path, rows):
    numbers = "".join(f"{k / 1024!r}\n" for k in range(rows))
    path.write_text(f"%%MatrixMarket matrix array real general\n{rows} 1\n{numbers}")


def make_table(gsolve, name, lines, threads, jobs, pairs):
    """The rows in the order of the list, whichever solve ends first."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = pool.map(lambda line: solve_line(gsolve, name, renamed(line[1], pairs), threads), lines)
        return [" ".join(row) for row in rows]


def compare(first, other, lines, title):
    """Prints the rows that differ; returns their number."""
    count = 0
    for (number, line), want, got in zip(lines, first, other):
        if want == got:
            continue
        count += 1
        print(f"{title}: {number:03d} {line}\n  first {want}\n  now   {got}")
    return count


def errors_in(table, name):
    """Solves that ended with an error: neither converged nor not converged."""
    codes = [re.search(r"\bcode=(\S+)", row)[1] if name.startswith("auto") else row.split()[2] for row in table]
    return sum(code not in ("0", "2") for code in codes)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", choices=DEVICE, metavar="LIST")
    parser.add_argument("gsolve", nargs="+", metavar="GSOLVE")
    parser.add_argument("--jobs", type=int, help="solves at a time (default: 8 on a GPU, else one for each processor)")
    parser.add_argument("--threads", default="", help="numbers of threads, such as 1,2,16, in place of those of the list")
    parser.add_argument("--rename", nargs=2, action="append", default=[], metavar=("OLD", "NEW"), help="a renamed option")
    parser.add_argument("--matrices", metavar="FOLDER", help="solve the systems of this folder in place of those of the list")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the lines that contain TEXT")
    given = parser.parse_args()
    given.gsolve = [str(pathlib.Path(gsolve).resolve()) for gsolve in given.gsolve]
    for gsolve in given.gsolve:
        if not os.access(gsolve, os.X_OK):
            parser.error(f"{gsolve} is not a command")
    message = same_library(given.gsolve)
    if message:
        parser.error(message)
    return given


def main():
    given = parse_arguments()
    jobs = given.jobs or (8 if given.list.endswith("cuda") else os.cpu_count())
    lines = files_of(given.matrices, given.only) if given.matrices else read_list(given.list, given.only)
    begin = time.monotonic()
    runs = [(k, threads) for k in range(len(given.gsolve)) for threads in given.threads.split(",")]
    first, differ = None, 0
    for k, threads in runs:
        pairs = given.rename if k > 0 or len(given.gsolve) == 1 else []
        table = make_table(given.gsolve[k], given.list, lines, threads, jobs, pairs)
        if first:
            title = given.gsolve[k] + (f" --threads {threads}" if threads else "")
            differ += compare(first, table, lines, title)
        else:
            first = table
    if len(runs) == 1:
        for (number, line), row in zip(lines, first):
            print(f"{number:03d} {row} | {line}")
    if not given.list.startswith("auto") and not given.only and not given.matrices:
        for name in missing_names(given.gsolve[0], lines):
            print(f"not in the list: {name}", file=sys.stderr)
    errors = errors_in(first, given.list)
    said = f"{len(lines)} solves, {errors} of the first command end with an error"
    said += f", {differ} differ" if len(runs) > 1 else ""
    print(f"{said} ({time.monotonic() - begin:.0f} s)", file=sys.stdout if len(runs) > 1 else sys.stderr)
    return differ > 0 or errors > 0


if __name__ == "__main__":
    sys.exit(main())
