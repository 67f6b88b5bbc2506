#!/usr/bin/env python3
"""fixed_rows.py: bicgstab with ilu and with amg for matrices whose Dirichlet rows were replaced and whose columns were kept.

    bench/fixed_rows.py build/cli/gsolve [--runs 5]     print the table of docs/understand/automatic_choice.md

The finite elements are those of scikit-fem. b is random, the tolerance 1e-8. Times are milliseconds of the processor on one thread, less those of
a run of one iteration, the least of the runs, which alternate. In brackets are the iterations. The last column is the choice of `auto`.
"""
import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy
import scipy.sparse
import skfem
from skfem.models.elasticity import lame_parameters, linear_elasticity
from skfem.models.poisson import laplace


def line(n, wind):
    return scipy.sparse.diags([-1.0 - wind, 2.0 + wind, -1.0], [-1, 0, 1], shape=(n, n))


def differences(n, dims, wind=0):
    """-Laplace u + w grad u on n^dims points, by upwind differences; the unknowns at the boundary. w = wind (1, 1/2, ...)."""
    one, A = scipy.sparse.identity(n), line(n, wind)
    for k in range(1, dims):
        A = scipy.sparse.kron(A, one) + scipy.sparse.kron(scipy.sparse.identity(n**k), line(n, wind / (k + 1)))
    places = numpy.indices((n,) * dims).reshape(dims, -1)
    return A, numpy.flatnonzero(((places == 0) | (places == n - 1)).any(axis=0))


def elements(mesh, element, form=laplace, where=None):
    basis = skfem.Basis(mesh, element)
    return form.assemble(basis), basis.get_dofs(where).flatten()


def systems():
    """Name, matrix, fixed unknowns."""
    for n in (100, 300):
        yield f"differences, {n} x {n} points", *differences(n, 2)
    for n in (40, 64):
        yield f"differences, {n} x {n} x {n} points", *differences(n, 3)
    yield "triangles, degree 1, 128 x 128 squares", *elements(skfem.MeshTri().refined(7), skfem.ElementTriP1())
    yield "triangles, degree 2, 64 x 64 squares", *elements(skfem.MeshTri().refined(6), skfem.ElementTriP2())
    yield "tetrahedra, degree 1, 33 points per edge", *elements(skfem.MeshTet().refined(5), skfem.ElementTetP1())
    yield "tetrahedra, degree 2, 33 points per edge", *elements(skfem.MeshTet().refined(4), skfem.ElementTetP2())
    body = linear_elasticity(*lame_parameters(1, 0.3))
    yield "elastic cube, 17 points per edge", *elements(skfem.MeshHex().refined(4), skfem.ElementVector(skfem.ElementHex1()), body, lambda x: x[0] < 1e-9)
    for wind in (0.1, 1, 10):
        yield f"wind of {wind}, 300 x 300 points", *differences(300, 2, wind)


def write(path, A, fixed):
    """A with rows of the identity. Their other entries are stored zeros, so that the blocks of elastic bodies stay."""
    A = scipy.sparse.coo_matrix(A)
    replaced = numpy.isin(A.row, fixed)
    values = numpy.where(replaced, A.row == A.col, A.data)
    with open(path, "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate real general\n{A.shape[0]} {A.shape[1]} {A.nnz}\n")
        out.writelines(f"{i} {j} {v:.17g}\n" for i, j, v in zip(A.row + 1, A.col + 1, values))


def solve(gsolve, path, method, precond):
    """Processor seconds of the whole command, iterations and whether the solve has converged."""
    command = [gsolve, "-A", path, "-b", "random", "--rtol", "1e-8", "--threads", "1", "--json", "-", "--solver", method, "--precond", precond]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, found["iterations"], found["outcome"] == "converged"


def cell(results, rest):
    seconds, iterations, converged = min(results)
    return f"{1e3 * (seconds - rest):.0f} ({iterations})" if converged else "does not converge"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gsolve")
    parser.add_argument("--runs", type=int, default=5)
    of = parser.parse_args()
    print("| system | `ilu` | `amg` | `auto` takes |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "A.mtx")
        for name, A, fixed in systems():
            write(path, A, fixed)
            runs, rest = {"ilu": [], "amg": []}, []
            for k in range(of.runs):
                rest.append(solve(of.gsolve, path, "bicgstab,maxit=1", "none")[0])
                for precond, results in runs.items():
                    if k == 0 or results[0][2]:
                        results.append(solve(of.gsolve, path, "bicgstab,maxit=1000", precond))
            info = json.loads(subprocess.run([of.gsolve, "info", path, "--json", "-"], stdout=subprocess.PIPE, text=True, check=True).stdout)
            print(f"| {name} | {cell(runs['ilu'], min(rest))} | {cell(runs['amg'], min(rest))} | `{info['auto'][0]['precond']}` |", flush=True)


main()
