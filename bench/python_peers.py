#!/usr/bin/env python3
"""python_peers.py [--record | --table | --check]: finite elements of scikit-fem solved from Python by pygsolve, pyamg and SciPy's
spsolve, to the same true residual, with set-up. Prints a table. --record: writes bench/results/cpu/python_peers.json as well, and
the table into docs/start/python.md. --table: writes the table again, from the record; --check: says whether the page has it.

The solvers run 5 times in turn; times are medians. Each run begins after a pause of 0.2 s: the threads of NumPy's BLAS spin for some
time after a call, and would take a core from the next solver. Residuals are computed after the last run.
Needs pygsolve, scikit-fem and pyamg; --table and --check need Python alone."""
import datetime
import json
import pathlib
import platform
import resource
import statistics
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
RECORD, PAGE = TOP / "bench/results/cpu/python_peers.json", TOP / "docs/start/python.md"
BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"
RTOL, PAUSE, ROUNDS = 1e-8, 0.2, 5


# --- the table -------------------------------------------------------------------------------------

def row(r):
    s = r["seconds"]
    pyamg = min(s[name] for name in s if name.startswith("pyamg"))
    spsolve = f"{s['spsolve']:.2f}" if "spsolve" in s else "not run"
    return f"| {r['system']} | {r['unknowns']} | {s['pygsolve']:.3f} | {pyamg:.3f} | {pyamg / s['pygsolve']:.1f} | {spsolve} |"


def table(record):
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    return "\n".join(["| system | unknowns | pygsolve, s | pyamg, s | pyamg / pygsolve | spsolve, s |", "|---|---|---|---|---|---|",
                      *(row(r) for r in record["systems"]), "",
                      f"Set-up and solve to \\|b - A x\\| / \\|b\\| = {RTOL:.0e}, medians of {ROUNDS}; {record['machine']}, {record['threads']} cores, "
                      f"{record['date']}; {versions}."])


def page_with(text):
    page = PAGE.read_text()
    return page[:page.index(BEGIN)] + f"{BEGIN}\n{text}\n" + page[page.index(END):]


# --- the systems -----------------------------------------------------------------------------------

def poisson(element, refinements):
    import skfem
    from skfem.models.poisson import laplace, unit_load
    basis = skfem.Basis(skfem.MeshTet().refined(refinements), element)
    A, b = skfem.asm(laplace, basis), skfem.asm(unit_load, basis)
    free = basis.complement_dofs(basis.get_dofs())
    return A[free][:, free].tocsr(), b[free], None


def elasticity(refinements):
    """A cube that is fixed at x = 0 and bends under its weight; also returns the coordinates of the free nodes."""
    import skfem
    from skfem.models.elasticity import lame_parameters, linear_elasticity
    basis = skfem.Basis(skfem.MeshHex().refined(refinements), skfem.ElementVector(skfem.ElementHex1()))
    A = skfem.asm(linear_elasticity(*lame_parameters(1.0, 0.3)), basis)
    b = skfem.asm(skfem.LinearForm(lambda v, w: -v.value[2]), basis)
    free = basis.complement_dofs(basis.get_dofs(lambda x: abs(x[0]) < 1e-9))
    return A[free][:, free].tocsr(), b[free], basis.doflocs[:, free[::3]].T


def systems():
    import skfem
    yield "Poisson, P1", *poisson(skfem.ElementTetP1(), 5)
    yield "Poisson, P2", *poisson(skfem.ElementTetP2(), 4)
    yield "elasticity, hexahedra", *elasticity(4)


# --- the solvers -----------------------------------------------------------------------------------

def rigid_body_motions(xyz):
    import numpy as np
    B = np.zeros((3 * len(xyz), 6))
    x, y, z = xyz.T
    for c in range(3):
        B[c::3, c] = 1
    B[1::3, 3], B[0::3, 3] = x, -y
    B[2::3, 4], B[1::3, 4] = y, -z
    B[0::3, 5], B[2::3, 5] = z, -x
    return B


def by_pygsolve(A, b, xyz):
    import pygsolve
    if xyz is None:
        return pygsolve.solve(A, b, rtol=RTOL)
    return pygsolve.solve(A, b, method="cg", precond="amg,block=3", coordinates=xyz, rtol=RTOL)


def by_pyamg(A, b, xyz):
    """As its manual recommends: the rigid body motions as B, and A in blocks, for elasticity."""
    import pyamg
    if xyz is None:
        return pyamg.smoothed_aggregation_solver(A).solve(b, tol=RTOL, accel="cg")
    return pyamg.smoothed_aggregation_solver(A.tobsr((3, 3)), B=rigid_body_motions(xyz)).solve(b, tol=RTOL, accel="cg")


def by_pyamg_classical(A, b, xyz):
    import pyamg
    return pyamg.ruge_stuben_solver(A).solve(b, tol=RTOL, accel="cg")


def by_spsolve(A, b, xyz):
    import scipy.sparse.linalg
    return scipy.sparse.linalg.spsolve(A.tocsc(), b)


# --- the measurement -------------------------------------------------------------------------------

def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(solve, *system):
    time.sleep(PAUSE)
    cpu, begin = cpu_seconds(), time.perf_counter()
    x = solve(*system)
    return time.perf_counter() - begin, cpu_seconds() - cpu, x


def measure(name, A, b, xyz):
    import numpy as np
    solvers = {"pygsolve": by_pygsolve, "pyamg": by_pyamg}
    if A.shape[0] < 40000:  # both are slower, and pyamg finds no classical hierarchy for P2 on the fine mesh
        solvers["spsolve"] = by_spsolve
        if xyz is None:
            solvers["pyamg (classical)"] = by_pyamg_classical
    runs = {solver: [] for solver in solvers}
    for k in range(ROUNDS):
        for solver, solve in solvers.items():
            if solver != "spsolve" or k == 0:
                runs[solver].append(timed(solve, A, b, xyz))
    residuals = {solver: float(np.linalg.norm(b - A @ r[-1][2]) / np.linalg.norm(b)) for solver, r in runs.items()}
    late = {solver: residual for solver, residual in residuals.items() if not residual <= 2 * RTOL}
    if late:
        sys.exit(f"python_peers.py: {name}: residuals above {RTOL}: {late}")
    return {"system": name, "unknowns": A.shape[0], "entries": int(A.nnz), "residuals": residuals,
            "seconds": {solver: statistics.median(t for t, _, _ in r) for solver, r in runs.items()},
            "cpu_seconds": {solver: statistics.median(t for _, t, _ in r) for solver, r in runs.items()}}


def record_all():
    import pyamg
    import pygsolve
    import scipy
    import skfem
    solver = pygsolve.Solver(scipy.sparse.identity(2, format="csr"))
    solver.solve([1.0, 1.0])
    machine, _, threads = solver.info.device.rpartition(", ")
    return {"bench": "python_peers", "machine": machine, "threads": int(threads.split()[0]), "date": datetime.date.today().isoformat(),
            "rtol": RTOL, "rounds": ROUNDS,
            "versions": {"pygsolve": pygsolve.__version__, "pyamg": pyamg.__version__, "SciPy": scipy.__version__,
                         "scikit-fem": skfem.__version__, "Python": platform.python_version()},
            "systems": [measure(*system) for system in systems()]}


def main():
    option = sys.argv[1] if len(sys.argv) > 1 else ""
    if option in ("--table", "--check"):
        text = table(json.loads(RECORD.read_text())) if RECORD.exists() else "(not measured yet)"
        if option == "--table":
            PAGE.write_text(page_with(text))
        elif page_with(text) != PAGE.read_text():
            sys.exit("python_peers.py: docs/start/python.md has not the table of bench/results/cpu/python_peers.json; run bench/python_peers.py --table")
        return
    record = record_all()
    print(table(record))
    if option == "--record":
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
        PAGE.write_text(page_with(table(record)))


if __name__ == "__main__":
    main()
