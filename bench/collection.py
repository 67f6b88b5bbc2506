#!/usr/bin/env python3
"""collection.py GSOLVE FOLDER: solves with every Matrix Market file of a folder (NAME_b is the right-hand side of
NAME) and lets SciPy judge the residual of the written solution. Prints a table; exit code 1 if a solve
crashed, or was called converged and is not."""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.io
import scipy.sparse

gsolve, folder = sys.argv[1], pathlib.Path(sys.argv[2])
work = pathlib.Path(tempfile.mkdtemp())
bad = 0
print("| matrix | method | iterations | residual | SciPy's | s | exit | explanation |")
print("|---|---|---|---|---|---|---|---|")
for path in sorted(folder.glob("*.mtx.gz")):
    name = path.name[: -len(".mtx.gz")]
    if name.endswith(("_b", "_x")):
        continue
    rhs = folder / (name + "_b.mtx.gz")
    x, out = work / "x.mtx", work / "out.json"
    x.unlink(missing_ok=True)
    command = [gsolve, "-A", str(path), "-x", str(x), "--json", "-"]
    command += ["-b", str(rhs)] if rhs.exists() else []
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=150)
    except subprocess.TimeoutExpired:
        print(f"| {name} | | | | | 150 | killed | |")
        bad += 1
        continue
    if run.returncode not in (0, 2):
        print(f"| {name} | | | | | | {run.returncode} | {run.stderr.strip().split(': ', 1)[-1].replace(str(folder) + '/', '')} |")
        bad += run.returncode != 1
        continue
    said = json.loads(run.stdout)
    judged = ""
    if x.exists():
        A = scipy.sparse.csr_matrix(scipy.io.mmread(gzip.open(path))).astype(float)
        v = np.asarray(scipy.io.mmread(str(x))).reshape(-1)
        b = np.asarray(scipy.io.mmread(gzip.open(rhs))).reshape(-1) if rhs.exists() else A @ np.ones(A.shape[1])
        size = np.linalg.norm(b)
        judged = np.linalg.norm(b - A @ v) / (size if size > 0 else 1)
        if run.returncode == 0 and not judged <= 1.0000001e-8:
            bad += 1
        judged = f"{judged:.2e}"
    why = said["explanation"] if run.returncode else ""
    residual = said["residual"]
    print(f"| {name} | {said['solver']['name']} + {said['precond']['name']} | {said['iterations']} "
          f"| {residual if residual is None else format(residual, '.2e')} | {judged} | {said['seconds']['total']:.3f} | {run.returncode} | {why} |")
    sys.stdout.flush()
print(f"\n{bad} wrong", file=sys.stderr)
sys.exit(bad > 0)
