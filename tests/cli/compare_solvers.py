#!/usr/bin/env python3
"""compare_solvers.py GSOLVE: gsolve compare --solvers: table, verdict, failures, merged rows, JSON and CSV.

Nothing rests on how long a solve takes. With GSOLVE_DEVICE=cuda, the row of the vendor's libraries is tested, too;
the exit code is 77 if there is no GPU."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

KEYS = ["name", "matrix", "solver", "precond", "format", "device", "outcome", "reason", "seconds", "seconds_low",
        "seconds_high", "confidence", "setup_seconds", "solve_seconds", "iterations", "memory", "residual", "rounds",
        "history"]
TEXT = KEYS[:8]
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def run(arguments, code=0):
    done = subprocess.run([sys.argv[1], "compare", *arguments], capture_output=True, text=True, check=False)
    expect(done.returncode == code, f"compare {' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
    return done


def compare(arguments, code=0):
    """The text, the JSON and the lines of the CSV of one comparison."""
    done = run([*arguments, "--json", "out.json", "--csv", "out.csv"], code)
    with open("out.json", encoding="utf-8") as file:
        found = json.load(file)
    with open("out.csv", encoding="utf-8", newline="") as file:
        return done.stdout, found, list(csv.DictReader(file))


def confidence(rounds):
    """The largest probability of 95 % or more with which two order statistics enclose the median, or that of all."""
    inside = [1 - 2 * sum(math.comb(rounds, i) for i in range(k)) / 2**rounds for k in range(1, rounds // 2 + 1)]
    return min([p for p in inside if p >= 0.95], default=inside[0])


def check_rows(found, lines):
    rows = found["rows"]
    expect(all(key in row for row in rows for key in KEYS), "a row lacks keys")
    expect(len(rows) == len(lines), "JSON and CSV have as many rows")
    for row, line in zip(rows, lines):
        name = row["name"]
        expect([line[key] for key in TEXT] == [row[key] or "" for key in TEXT], f"{name}: text of the CSV")
        for key in KEYS[8:-1]:
            expect(line[key] == "" if row[key] is None else math.isclose(float(line[key]), row[key], rel_tol=1e-6),
                   f"{name}: {key} of the CSV")
        if row["outcome"] == "converged":
            expect(row["reason"] is None and row["residual"] <= 1e-8 * (1 + 1e-6), f"{name}: residual")
            expect(row["seconds"] > 0, f"{name}: seconds")
        else:
            expect(row["seconds"] is None and row["reason"], f"{name}: a failure has a reason and no time")
        if row["seconds_low"] is not None:
            expect(row["seconds_low"] <= row["seconds"] <= row["seconds_high"], f"{name}: interval")
            expect(math.isclose(row["confidence"], confidence(row["rounds"])), f"{name}: confidence")
        if row["iterations"] and row["outcome"] == "converged":
            expect(len(row["history"]) > row["iterations"] and row["history"][0] == 1, f"{name}: history")


def check_profile(found):
    ratio, curves = found["profile"]["ratio"], found["profile"]["curves"]
    matrices = len(found["matrices"])
    expect(ratio[0] == 1 and all(a < b for a, b in zip(ratio, ratio[1:])), "ratios ascend from 1")
    for curve in curves:
        share = curve["share"]
        solved = sum(row["name"] == curve["name"] and row["seconds"] is not None for row in found["rows"])
        expect(len(share) == len(ratio) and share == sorted(share), f"{curve['name']}: shares ascend")
        expect(math.isclose(share[-1], solved / matrices), f"{curve['name']}: share of solved matrices")
    expect(sum(curve["share"][0] for curve in curves) > 1 - 1e-9, "each matrix has a fastest combination")


def check_verdict(text, found):
    rows = found["rows"]
    fastest = min((row for row in rows if row["seconds"]), key=lambda row: row["seconds"])
    expect(rows[0] is fastest, "the fastest is the first row")
    expect(found["verdict"].startswith(fastest["name"] + " "), f"the verdict names {fastest['name']}: {found['verdict']}")
    expect(text.split() [1:3] == found["verdict"].split()[:2], "the text begins with the verdict")
    table = text[text.index("\ncombination"):].splitlines()[2:]
    expect([line[:len(row["name"])] for line, row in zip(table, rows)] == [row["name"] for row in rows], "table")
    expect(all(row["outcome"] in line and (row["reason"] or "") in line for line, row in zip(table, rows)), "outcomes")
    expect(len(table) == len(rows), "rows of the table")


def names(found):
    return sorted(row["name"] for row in found["rows"])


def test_failures():
    text, found, lines = compare(["gen:convdiff3d,n=6", "--solvers", "cg,gmres,restart=20;direct", "--preconds",
                                  "jacobi,ilu", "--repeat", "4"])
    expect(names(found) == ["cg + ilu", "cg + jacobi", "direct", "gmres,restart=20 + ilu", "gmres,restart=20 + jacobi"],
           f"combinations {names(found)}")
    expect(all(row["outcome"] != "converged" for row in found["rows"] if row["solver"] == "cg"), "cg fails")
    expect(found["compares"] == "solvers" and found["gsolve"] == found["version"], "head")
    expect(found["noise"] > 0 and found["matrices"][0]["rounds"] == 4, "noise and rounds")
    check_rows(found, lines)
    check_verdict(text, found)
    check_profile(found)


def test_setup_failure():
    with open("zero.mtx", "w", encoding="utf-8") as file:
        file.write("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 2 2\n2 1 1\n2 2 1\n")
    text, found, lines = compare(["zero.mtx", "--solvers", "gmres", "--preconds", "jacobi,none", "--repeat", "2"])
    failed = next(row for row in found["rows"] if row["precond"] == "jacobi")
    expect(failed["outcome"] == "set-up failed" and "diagonal" in failed["reason"], f"set-up: {failed['reason']}")
    expect(found["verdict"].startswith("gmres + none is the only combination"), found["verdict"])
    check_rows(found, lines)
    expect("set-up failed: " in text, "the table shows the reason")
    _, found, lines = compare(["zero.mtx", "--solvers", "gmres", "--preconds", "jacobi", "--repeat", "2"], 2)
    expect(found["verdict"] == "no combination solved the system" and found["profile"]["curves"] == [], "no solution")
    check_rows(found, lines)


def test_aliases():
    text, found, lines = compare(["gen:poisson2d,n=9", "--solvers", "cg; cg", "--preconds", "jacobi", "--formats",
                                  "csr,auto,ell", "--repeat", "3"])
    expect(names(found) == ["cg + jacobi, csr", "cg + jacobi, ell"], f"merged: {names(found)}")
    merged = next(row for row in found["rows"] if row["format"] == "csr")
    expect(merged["aliases"] == "cg + jacobi, auto", f"aliases {merged['aliases']}")
    expect("merged      cg + jacobi, auto: the same as cg + jacobi, csr" in text, "the text names aliases")
    check_rows(found, lines)


def test_auto():
    _, found, lines = compare(["gen:poisson2d,n=12", "--solvers", "auto", "--repeat", "2"])
    expect({"cg + jacobi", "cg + ic", "cg + amg", "gmres + ilu"} <= set(names(found)), f"auto: {names(found)}")
    expect(sum(row["auto"] for row in found["rows"]) == 1, "one row is the choice of auto")
    expect(len(set(names(found))) == len(found["rows"]), "no name twice")
    check_rows(found, lines)
    _, found, _ = compare(["gen:random,n=30,cols=10", "--solvers", "auto", "--repeat", "1", "-b", "random"])
    expect(any(row["outcome"] == "least squares" and row["seconds"] for row in found["rows"]), "least squares")
    _, found, _ = compare(["gen:convdiff3d,n=5", "--preconds", "ilu", "--repeat", "1"])
    expect(all(row["precond"] == "ilu" for row in found["rows"]), "named preconditioner")
    expect(all(row["seconds_low"] is None for row in found["rows"]), "one round has no interval")


def test_several():
    text, found, lines = compare(["gen:poisson2d,n=9", "gen:convdiff3d,n=5", "--solvers", "cg,bicgstab", "--preconds",
                                  "jacobi", "--repeat", "3"])
    expect(len(found["matrices"]) == 2 and len(found["rows"]) == 4, "two matrices")
    expect(found["profile"]["curves"][0]["name"] == "bicgstab + jacobi", "the profile of what solves both")
    expect("performance profile (Dolan and More 2002)" in text and "f = 1.2" in text, "the profile as a table")
    expect("bicgstab + jacobi has the best profile over 2 matrices" in found["verdict"], found["verdict"])
    check_rows(found, lines)
    check_profile(found)


def test_formats():
    """Without --solvers, the rows of formats have the same keys."""
    run(["gen:poisson2d,n=9", "--formats", "ell", "--repeat", "2", "--json", "out.json"])
    with open("out.json", encoding="utf-8") as file:
        found = json.load(file)
    expect(found["compares"] == "formats" and [row["format"] for row in found["rows"]] == ["csr", "ell"], "formats")
    expect(all(key in row for row in found["rows"] for key in KEYS), "a row of a format lacks keys")
    expect(found["verdict"] and found["noise"] >= 0 and found["matrices"][0]["rows"], "formats: head")


def test_refusals():
    for words, arguments in [("not both", ["--solver", "cg", "--solvers", "gmres"]),
                             ("auto has no options", ["--solvers", "auto,maxit=3"]),
                             ("remove rtol=", ["--solvers", "cg,rtol=1e-3"]),
                             ("contains an empty name", ["--solvers", "cg,,gmres"]),
                             ("cgg", ["--solvers", "cgg"]),
                             ("jacobbi", ["--preconds", "jacobbi"])]:
        done = run(["gen:poisson2d,n=4", *arguments], 1)
        expect(words in done.stderr, f"{arguments}: {done.stderr}")


def test_vendor():
    _, found, lines = compare(["gen:poisson3d,n=20", "--solvers", "cg", "--preconds", "jacobi", "--repeat", "3"])
    own, vendor = (next(row for row in found["rows"] if row["vendor"] == is_vendor) for is_vendor in (False, True))
    expect(vendor["name"] == "vendor: cg + jacobi" and vendor["outcome"] == "converged", f"vendor {vendor['reason']}")
    expect(abs(vendor["iterations"] - own["iterations"]) <= 2, "the loop of the vendor needs as many iterations")
    check_rows(found, lines)
    _, found, _ = compare(["gen:convdiff3d,n=20", "--solvers", "bicgstab", "--preconds", "jacobi", "--repeat", "2"])
    vendor = next(row for row in found["rows"] if row["vendor"])
    expect(vendor["solver"] == "bicgstab" and vendor["outcome"] == "converged", f"vendor {vendor['reason']}")
    _, found, _ = compare(["gen:poisson3d,n=8", "--solvers", "cg", "--type", "f32", "--repeat", "2"])
    vendor = next(row for row in found["rows"] if row["vendor"])
    expect("double precision only" in (vendor["reason"] or ""), f"single precision: {vendor['reason']}")


def main():
    sys.argv[1] = os.path.abspath(sys.argv[1])
    cuda = os.environ.get("GSOLVE_DEVICE") == "cuda"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if cuda and subprocess.run([sys.argv[1], "info", "gen:poisson2d,n=4"], capture_output=True, check=False).returncode:
            print("skipped: no GPU")
            return 77
        for test in [test_vendor] if cuda else [test_failures, test_setup_failure, test_aliases, test_auto, test_several,
                                                test_formats, test_refusals]:
            test()
        os.chdir("/")
    return int(failures != [])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main())
