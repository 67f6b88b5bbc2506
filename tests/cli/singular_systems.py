#!/usr/bin/env python3
"""singular_systems.py GSOLVE: small singular systems. The method auto solves each consistent one, and
finds a least-squares solution, with exit code 0, of each one that has no solution. A method that is
named ends with exit code 0, or with one command, which ends with exit code 0 when it is run."""
import os
import shlex
import subprocess
import sys
import tempfile

gsolve = os.path.abspath(sys.argv[1])

# Name: the rows of A, in which "." is no entry and 0 a stored zero; one b with a solution or None;
# one b without a solution or None.
SYSTEMS = {
    "equal rows up to a factor": ("1 2; 2 4", "1 2", "1 0"),
    "equal rows up to a factor, nonsymmetric": ("1 2; 3 6", "1 3", "1 0"),
    "equal rows": ("1 2 3; 1 2 3; . 1 1", "1 1 3", "1 2 3"),
    "equal rows, symmetric": ("1 1; 1 1", "1 1", "1 2"),
    "equal columns": ("1 1 .; 2 2 1; 3 3 5", "2 5 11", "1 0 0"),
    "rank 2 of 3": ("1 2 3; 4 5 6; 7 8 9", "6 15 24", "1 0 0"),
    "rank 1 of 4": ("1 -1 2 5; 2 -2 4 10; 3 -3 6 15; 4 -4 8 20", "1 2 3 4", "1 0 0 0"),
    "semidefinite": ("2 1 3; 1 5 6; 3 6 9", "2 1 3", "1 0 0"),
    "indefinite": ("1 . 1; . -1 -1; 1 -1 0", "1 0 1", "1 0 0"),
    "negative semidefinite": ("-1 -2; -2 -4", "1 2", "1 0"),
    "skew-symmetric": (". 1 2; -1 . 3; -2 -3 .", "3 2 -5", "1 0 0"),
    "nilpotent": (". 1; . .", "1 0", "1 1"),
    "nilpotent, stored zeros": ("0 1; 0 0", "1 0", "1 1"),
    "zero matrix": (". .; . .", "0 0", "1 2"),
    "zero matrix, stored zeros": ("0 0; 0 0", "0 0", "1 2"),
    "1 x 1, stored zero": ("0", "0", "1"),
    "zero on the diagonal, stored": ("1 . .; . 0 .; . . 4", "1 0 1", "1 1 1"),
    "zero on the diagonal, missing": ("1 . .; . . .; . . 4", "1 0 1", "1 1 1"),
    "empty row": ("1 2 .; . . .; . 1 1", "3 0 2", "1 1 1"),
    "empty column": ("1 . 2; 2 . 1; 1 . 1", "3 3 2", "1 1 5"),
    "row sums 0": ("1 -1 .; -1 2 -1; . -1 1", "1 0 -1", "1 0 0"),
    "tiny": ("1e-150 2e-150; 2e-150 4e-150", "1 2", "1 0"),
    "huge": ("1e150 2e150; 2e150 4e150", "1 2", "1 0"),
    "wide, rank 1": ("1 2 3; 2 4 6", "1 2", "1 0"),
    "tall, rank 1": ("1 2; 2 4; 3 6", "1 2 3", "1 0 0"),
    "wide, stored zeros": ("0 0 0; 0 0 0", "0 0", "1 2"),
    "tall, stored zeros": ("0 0; 0 0; 0 0", "0 0 0", "1 2 3"),
}
METHODS = ["cg", "cg --precond none --force", "minres", "bicgstab", "gmres --precond none", "direct",
           "direct,factor=qr", "lsmr", "lsqr,accept=singular"]
failed = []


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    return done.returncode, done.stdout


def write(name, rows, b):
    entries = [(i + 1, j + 1, v) for i, row in enumerate(rows) for j, v in enumerate(row) if v != "."]
    with open("A.mtx", "w") as file:
        file.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n"
                   % (len(rows), len(rows[0]), len(entries)))
        file.writelines("%d %d %s\n" % e for e in entries)
    with open("b.mtx", "w") as file:
        file.write("%%%%MatrixMarket matrix array real general\n%d 1\n" % len(b))
        file.writelines(v + "\n" for v in b)


def norm(v):
    largest = max(map(abs, v), default=0)
    return largest * sum((e / largest) ** 2 for e in v) ** 0.5 if largest else 0


def measure(rows, b):
    """|b - Ax| / |b| and |A'r| / (|A| |r|) of the x that was written."""
    with open("x.mtx") as file:
        lines = [line for line in file if not line.startswith("%")]
    x = [float(v) for v in lines[1:]]
    A = [[0 if v == "." else float(v) for v in row] for row in rows]
    b = [float(v) for v in b]
    r = [bi - sum(a * xj for a, xj in zip(row, x)) for row, bi in zip(A, b)]
    unit = max(abs(a) for row in A for a in row) or 1
    g = norm([sum(A[i][j] / unit * r[i] for i in range(len(A))) for j in range(len(x))])
    size = norm([a / unit for row in A for a in row]) * norm(r)
    return norm(r) / (norm(b) or 1), g / size if size else 0


def check(name, text, b, outcome, solver, follow):
    rows = [row.split() for row in text.split(";")]
    write(name, rows, b.split())
    command = [gsolve, "-A", "A.mtx", "-b", "b.mtx", "-x", "x.mtx"] + solver
    code, output = run(command)
    shown = [output]
    if code and follow:
        at = [line[line.index(gsolve):] for line in output.splitlines() if gsolve in line]
        if len(at) == 1:
            command = shlex.split(at[0])
            code, output = run(command)
            shown.append(output)
    residual, normal = measure(rows, b.split()) if code == 0 else (None, None)
    good = code == 0 and (residual <= 1e-7 if outcome == "converged" else
                          residual > 1e-4 and normal <= 1e-7 and "least squares" in output)
    if not good:
        failed.append(name)
        print("FAILED: %s, b = %s, %s: exit code %d, |r|/|b| %s, |A'r|/(|A||r|) %s\n%s"
              % (name, b, " ".join(solver), code, residual, normal, "\n".join(shown)))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, (text, good, bad) in SYSTEMS.items():
        for b, outcome in (good, "converged"), (bad, "least squares"):
            check(name, text, b, outcome, [], False)
            for method in METHODS:
                check(name, text, b, outcome, ["--solver"] + method.split(), True)
    os.chdir("/")
print("%d of %d runs failed" % (len(failed), 2 * len(SYSTEMS) * (1 + len(METHODS))))
sys.exit(bool(failed))
