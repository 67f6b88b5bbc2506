#!/usr/bin/env python3
"""peer_assembly_scipy.py DUMP RUNS: coo_matrix.tocsr on the triplets that bench_assembly dumped. Prints as peer_assembly_petsc does."""
import sys
import time

import numpy as np
import scipy.sparse as sp

with open(sys.argv[1], "rb") as file:
    nrows, ncols = np.fromfile(file, np.int32, 2)
    count = int(np.fromfile(file, np.int64, 1)[0])
    row = np.fromfile(file, np.int32, count)
    col = np.fromfile(file, np.int32, count)
    value = np.fromfile(file, np.float64, count)
    row_sum = np.fromfile(file, np.float64, nrows)
seconds = []
for run in range(int(sys.argv[2]) + 1):
    A = sp.coo_matrix((value, (row, col)), shape=(nrows, ncols))
    begin = time.perf_counter()
    csr = A.tocsr()
    seconds.append(time.perf_counter() - begin)
if not np.abs(csr @ np.ones(ncols) - row_sum).max() <= 1e-12 * np.abs(row_sum).max():
    sys.exit("the row sums differ")
print("%.4f %d" % (1e3 * sorted(seconds[1:])[(len(seconds) - 1) // 2], csr.nnz))
