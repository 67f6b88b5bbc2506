#!/usr/bin/env python3
"""peer_scipy.py DUMP product|cg RUNS: SciPy on the rows that bench_spmv dumped. Prints as peer_petsc does."""
import sys
import time

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

with open(sys.argv[1], "rb") as file:
    nrows, ncols = np.fromfile(file, np.int32, 2)
    entries = int(np.fromfile(file, np.int64, 1)[0])
    start = np.fromfile(file, np.int32, nrows + 1)
    col = np.fromfile(file, np.int32, entries)
    value = np.fromfile(file, np.float64, entries)
A = sp.csr_matrix((value, col, start), shape=(nrows, ncols))
runs = int(sys.argv[3])
seconds, iterations = [], 1
if sys.argv[2] == "product":
    x = np.ones(ncols)
    for run in range(runs + 2):
        begin = time.perf_counter()
        y = A @ x
        seconds.append(time.perf_counter() - begin)
    seconds = seconds[2:]
else:
    b = np.ones(nrows)
    d = 1 / A.diagonal()
    M = sla.LinearOperator(A.shape, matvec=lambda r: d * r)
    for run in range(runs):
        count = [0]

        def step(_):
            count[0] += 1

        begin = time.perf_counter()
        sla.cg(A, b, tol=1e-8, atol=0, M=M, callback=step)
        iterations = count[0]
        seconds.append((time.perf_counter() - begin) / iterations)
print("%.4f %d" % (1e3 * sorted(seconds)[len(seconds) // 2], iterations))
