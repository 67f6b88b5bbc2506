"""Preconditioners in the solvers of SciPy, near-null spaces, and elasticity."""
import inspect

import numpy as np
import pytest
import scipy.sparse.linalg as spla

import pygsolve
from conftest import true_residual


@pytest.mark.parametrize("kind", ["amg", "ic", "jacobi"])
def test_in_scipys_cg(poisson, kind):
    b = np.ones(poisson.shape[0])
    steps = []
    M = pygsolve.aspreconditioner(poisson, kind)
    tolerance = "rtol" if "rtol" in inspect.signature(spla.cg).parameters else "tol"  # SciPy before 1.12
    x, code = spla.cg(poisson, b, M=M, callback=steps.append, **{tolerance: 1e-8})
    assert code == 0 and true_residual(poisson, x, b) < 1e-7
    if kind == "amg":
        assert len(steps) < 15 and M.levels[0]["rows"] == poisson.shape[0]


def test_shapes_and_adjoint(convection):
    M = pygsolve.aspreconditioner(convection, "ilu")
    r = np.random.default_rng(5).standard_normal((convection.shape[0], 2))
    z = M @ r
    assert z.shape == r.shape and np.allclose(z[:, 0], M @ r[:, 0])
    s = np.random.default_rng(6).standard_normal(convection.shape[0])
    assert np.isclose(s @ (M @ r[:, 0]), (M.rmatvec(s)) @ r[:, 0])
    assert "ilu" in repr(M)


def test_update(poisson):
    M = pygsolve.amg(poisson)
    r = np.ones(poisson.shape[0])
    before = M @ r
    M.update(2 * poisson.data)
    assert np.allclose(M @ r, before / 2)


def rigid_body_motions(xyz):
    n = len(xyz)
    B = np.zeros((3 * n, 6))
    for c in range(3):
        B[c::3, c] = 1
    x, y, z = xyz.T
    B[1::3, 3], B[0::3, 3] = x, -y
    B[2::3, 4], B[1::3, 4] = y, -z
    B[0::3, 5], B[2::3, 5] = z, -x
    return B


def test_near_null_space():
    skfem = pytest.importorskip("skfem")
    from skfem.models.elasticity import lame_parameters, linear_elasticity
    mesh = skfem.MeshHex().refined(4)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementHex1()))
    A = skfem.asm(linear_elasticity(*lame_parameters(1.0, 0.3)), basis)
    fixed = basis.get_dofs(lambda x: np.isclose(x[0], 0)).all()
    free = np.setdiff1d(np.arange(A.shape[0]), fixed)
    A = A[free][:, free].tocsr()
    nodes = basis.doflocs[:, free[::3]].T
    b = np.ones(A.shape[0])
    iterations = {}
    for name, extra in {"plain": {}, "coordinates": {"coordinates": nodes}, "near_null": {"near_null": rigid_body_motions(nodes)}}.items():
        S = pygsolve.Solver(A, "cg", "amg,block=3", **extra)
        assert true_residual(A, S.solve(b), b) < 1e-8
        iterations[name] = S.info.iterations
    assert iterations["coordinates"] < iterations["plain"] and abs(iterations["near_null"] - iterations["coordinates"]) <= 2
    with pytest.raises(pygsolve.BadArgument, match="both"):
        pygsolve.Solver(A, near_null=np.ones(A.shape[0]), coordinates=nodes)
