#!/usr/bin/env python3
"""make.py: writes the files of this folder with NumPy and SciPy; test_io_binary.c reads them.

All hold the matrix A or the vector b below, or are damaged on purpose. PETSc's files are written from
the description of its binary format, in the arrays that MatView and VecView write."""
import subprocess

import numpy as np
import scipy.io
import scipy.sparse as sp

A = sp.csr_matrix(np.array([[4, -1, 0, 0, 0, 0], [-1, 4, -1, 0, 0, 0], [0, 0, 4, 0, 2.5, 0],
                            [0, 0, 0, 4, 0, 0], [1e-3, 0, 0, -7, 4, 0], [0, 0, 3, 0, 0, 4]]))
b = np.array([1, 2, 3, 4.5, -5, 1e-6])
B = np.column_stack([b, 2 * b])


def petsc(name, kind, matrix=None, vector=None):
    with open(name, "wb") as f:
        if matrix is not None:
            np.array([1211216, *matrix.shape, matrix.nnz], ">" + kind).tofile(f)
            np.diff(matrix.indptr).astype(">" + kind).tofile(f)
            matrix.indices.astype(">" + kind).tofile(f)
            matrix.data.astype(">f8").tofile(f)
        if vector is not None:
            np.array([1211214, len(vector)], ">" + kind).tofile(f)
            vector.astype(">f8").tofile(f)


for form in ("csr", "csc", "coo", "dia"):
    sp.save_npz(form + "_stored.npz", A.asformat(form), compressed=False)
    sp.save_npz(form + "_deflated.npz", A.asformat(form))
sp.save_npz("bsr_stored.npz", A.tobsr((2, 3)), compressed=False)
wide = A.copy()
wide.indices, wide.indptr = wide.indices.astype("i8"), wide.indptr.astype("i8")
sp.save_npz("csr_int64.npz", wide)
sp.save_npz("csr_bool.npz", A.astype(bool))
np.save("A_rows.npy", A.toarray())
np.save("A_columns.npy", np.asfortranarray(A.toarray()))
np.save("A_big_endian.npy", A.toarray().astype(">f8"))
np.savez_compressed("b.npz", b=b)
np.save("b.npy", b)
np.save("B.npy", B)
np.save("complex.npy", b * 1j)
np.save("objects.npy", np.array([1, "x"], dtype=object), allow_pickle=True)
with open("b_version2.npy", "wb") as f:
    np.lib.format.write_array(f, b, version=(2, 0))
with open("b_version3.npy", "wb") as f:
    np.lib.format.write_array(f, b, version=(3, 0))
np.savetxt("b.txt", b, header="a comment")
np.savetxt("B.txt", B)
np.savetxt("B.csv", B, delimiter=",")
petsc("A_b.petsc", "i4", A, b)
petsc("A_b_int64.petsc", "i8", A, b)
petsc("b.petsc", "i4", None, b)
scipy.io.savemat("A_b.mat", {"K": A, "b": b.reshape(-1, 1)})
scipy.io.savemat("struct.mat", {"Problem": {"A": A, "b": b.reshape(-1, 1), "Zeros": A}}, do_compression=True)
scipy.io.mmwrite("A.mtx", A)
for program in (["bzip2", "-k", "-f"], ["xz", "-k", "-f"], ["zstd", "-q", "-f"]):
    subprocess.run([*program, "A.mtx"], check=True)
# A_v73.mat.gz: A, written by libmatio's Mat_VarWrite as a file of version 7.3.
