#!/usr/bin/env python3
"""python_peers.py [OUT.json]: finite elements of scikit-fem solved by pygsolve, pyamg and SciPy's spsolve from Python, to the same
true residual, with set-up. Needs pygsolve, scikit-fem and pyamg. Each solver runs 5 times in turn; the times are medians. Prints the
table of docs/start/python.md."""
import json
import os
import statistics
import sys
import time

import numpy as np
import pyamg
import pygsolve
import scipy
import scipy.sparse.linalg as spla
import skfem
from skfem.models.elasticity import lame_parameters, linear_elasticity
from skfem.models.poisson import laplace, unit_load

RTOL = 1e-8


def poisson(element, refinements):
    basis = skfem.Basis(skfem.MeshTet().refined(refinements), element)
    return *inner(basis, skfem.asm(laplace, basis), skfem.asm(unit_load, basis), basis.get_dofs()), None


def elasticity(refinements):
    basis = skfem.Basis(skfem.MeshHex().refined(refinements), skfem.ElementVector(skfem.ElementHex1()))
    A = skfem.asm(linear_elasticity(*lame_parameters(1.0, 0.3)), basis)
    b = skfem.asm(skfem.LinearForm(lambda v, w: -v.value[2]), basis)
    A, b, free = inner(basis, A, b, basis.get_dofs(lambda x: np.isclose(x[0], 0)), True)
    return A, b, basis.doflocs[:, free[::3]].T


def inner(basis, A, b, fixed, with_free=False):
    free = basis.complement_dofs(fixed)
    A = A[free][:, free].tocsr()
    return (A, b[free], free) if with_free else (A, b[free])


def rigid_body_motions(xyz):
    B = np.zeros((3 * len(xyz), 6))
    x, y, z = xyz.T
    for c in range(3):
        B[c::3, c] = 1
    B[1::3, 3], B[0::3, 3] = x, -y
    B[2::3, 4], B[1::3, 4] = y, -z
    B[0::3, 5], B[2::3, 5] = z, -x
    return B


def by_pygsolve(A, b, xyz):
    if xyz is None:
        return pygsolve.solve(A, b, rtol=RTOL)
    return pygsolve.solve(A, b, method="cg", precond="amg,block=3", coordinates=xyz, rtol=RTOL)


def by_pyamg(A, b, xyz):
    if xyz is None:
        return pyamg.smoothed_aggregation_solver(A).solve(b, tol=RTOL, accel="cg")
    blocks = A.tobsr((3, 3))
    return pyamg.smoothed_aggregation_solver(blocks, B=rigid_body_motions(xyz)).solve(b, tol=RTOL, accel="cg")


def by_pyamg_classical(A, b, xyz):
    return pyamg.ruge_stuben_solver(A).solve(b, tol=RTOL, accel="cg")


def by_spsolve(A, b, xyz):
    return spla.spsolve(A.tocsc(), b)


def measure(name, A, b, xyz, rounds=5):
    solvers = {"pygsolve": by_pygsolve, "pyamg": by_pyamg}
    if xyz is None:
        solvers["pyamg (classical)"] = by_pyamg_classical
    if A.shape[0] < 40000:
        solvers["spsolve"] = by_spsolve
    times = {solver: [] for solver in solvers}
    residuals = {}
    for _ in range(rounds):
        for solver, solve in solvers.items():
            if solver == "spsolve" and times[solver]:
                continue
            begin = time.perf_counter()
            x = solve(A, b, xyz)
            times[solver].append(time.perf_counter() - begin)
            residuals[solver] = float(np.linalg.norm(b - A @ x) / np.linalg.norm(b))
    return {"system": name, "unknowns": A.shape[0], "entries": int(A.nnz), "threads": os.cpu_count(), "rtol": RTOL,
            "seconds": {solver: statistics.median(t) for solver, t in times.items()}, "residuals": residuals,
            "versions": {"pygsolve": pygsolve.__version__, "pyamg": pyamg.__version__, "scipy": scipy.__version__, "scikit-fem": skfem.__version__}}


def main():
    systems = {"Poisson, P1": poisson(skfem.ElementTetP1(), 5), "Poisson, P2": poisson(skfem.ElementTetP2(), 4), "elasticity, hexahedra": elasticity(4)}
    records = [measure(name, *system) for name, system in systems.items()]
    print("| system | unknowns | pygsolve, s | pyamg, s | pyamg / pygsolve | spsolve, s |\n|---|---|---|---|---|---|")
    for r in records:
        s = r["seconds"]
        best = min(s["pyamg"], s.get("pyamg (classical)", np.inf))
        spsolve = f"{s['spsolve']:.2f}" if "spsolve" in s else "not run"
        print(f"| {r['system']} | {r['unknowns']} | {s['pygsolve']:.3f} | {best:.3f} | {best / s['pygsolve']:.1f} | {spsolve} |")
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as file:
            json.dump(records, file, indent=1)


main()
