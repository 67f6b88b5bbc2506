"""Solver and solve on arrays of NumPy and SciPy."""
import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import pygsolve
from conftest import identity, random_sparse, true_residual

CLASSES = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix, sp.coo_array, sp.coo_matrix, sp.bsr_array, sp.dia_array, sp.lil_array,
           sp.dok_array]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_of_scipy(poisson, kind):
    b = np.ones(poisson.shape[0])
    assert true_residual(poisson, pygsolve.solve(kind(poisson), b), b) < 1e-8


def test_dense_matrix(poisson):
    b = np.arange(poisson.shape[0], dtype=float)
    assert true_residual(poisson, pygsolve.solve(poisson.toarray(), b), b) < 1e-8


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.longdouble, np.bool_])
def test_other_types_become_double(dtype):
    A = sp.csr_array(np.diag(np.ones(5)).astype(dtype))
    x = pygsolve.solve(A, [1, 2, 3, 4, 5])
    assert x.dtype == np.float64 and np.allclose(x, [1, 2, 3, 4, 5])


@pytest.mark.parametrize("spec", ["gen:poisson2d,n=200", "gen:convdiff3d,n=9"])
@pytest.mark.parametrize("columns", [None, 2])
def test_single_precision(spec, columns):
    """x is in float32 if A and b are: the float32 numbers next to an x that meets 1e-5. Rounding x changes the residual of the first
    system to 1e-4."""
    A = pygsolve.read(spec)
    b = np.ones(A.shape[0] if columns is None else (A.shape[0], columns), np.float32)
    S = pygsolve.Solver(A.astype(np.float32))
    x = S.solve(b)
    assert x.dtype == np.float32 and S.info.outcome == ("rounded to float32" if spec == "gen:poisson2d,n=200" else "converged")
    single = A.astype(np.float32).astype(float)
    assert np.isclose(S.info.residual, true_residual(single, x.astype(float), b), rtol=1e-6)
    assert ("rounded to float32" in S.info.note) == (S.info.residual > 1e-5) == (spec == "gen:poisson2d,n=200")
    y = S.solve(b.astype(float))
    assert y.dtype == np.float64 and true_residual(single, y, b) < 1e-8 and S.info.note.count("rounded to float32") == 0
    assert np.abs(x - y).max() < 1e-4 * np.abs(y).max()


def test_a_tolerance_for_single_precision(poisson):
    A, b = poisson.astype(np.float32), np.ones(poisson.shape[0], np.float32)
    S = pygsolve.Solver(A, "cg", "jacobi", rtol=1e-7)
    S.solve(b, x0=np.zeros(len(b), np.float32))
    assert S.history[-1] < 1e-7 and S.info.residual < 1e-5


def test_single_precision_misses_the_tolerance_in_one_column():
    """Columns are judged one by one: x of the second is small, and its rounding errors are, too."""
    A = pygsolve.read("gen:poisson2d,n=200").astype(np.float32)
    b = np.ones((A.shape[0], 2), np.float32)
    b[2:, 1] = 0
    S = pygsolve.Solver(A)
    S.solve(b)
    assert [column[0] for column in S.info.columns] == ["rounded to float32", "converged"]
    assert S.info.columns[0][2] > 1e-5 > S.info.columns[1][2]
    assert S.info.outcome == "rounded to float32" and "x met the tolerance 1e-05" in S.info.note


@pytest.mark.parametrize("columns", [None, 2])
def test_single_precision_of_least_squares(columns):
    """An x that minimises |b - A x| has met no tolerance, with any rounding."""
    A = random_sparse(60, 20, 0.3, 1) + sp.vstack([2 * sp.identity(20), sp.csr_array((40, 20))]).tocsr()
    b = np.ones(60 if columns is None else (60, columns))
    for dtype in (np.float64, np.float32):
        S = pygsolve.Solver(A.astype(dtype))
        assert S.solve(b.astype(dtype)).dtype == dtype
        assert S.info.outcome == "least squares" and S.info.residual > 0.1
        assert [column[0] for column in S.info.columns] == ["least squares"] * (columns or 0)
        assert "tolerance" not in S.info.note


@pytest.mark.parametrize("method, options", [("cg", {"atol": 1.0}), ("cg,atol=1e-3,atol=1", {})])
def test_single_precision_with_an_absolute_tolerance(poisson, method, options):
    """The rounded x meets atol, and no relative tolerance."""
    A = poisson.astype(np.float32)
    b = np.ones((A.shape[0], 2), np.float32)
    b[:, 1] *= 1000
    S = pygsolve.Solver(A, method, "jacobi", rtol=1e-12, **options)
    S.solve(b)
    for (outcome, _, residual), norm in zip(S.info.columns, np.linalg.norm(b, axis=0)):
        assert outcome == "converged" and 1e-6 < residual <= 1 / norm
    S = pygsolve.Solver(A, "cg", "jacobi", rtol=1e-12, atol=1e-9)
    S.solve(b[:, 0])
    assert S.info.outcome == "rounded to float32" and f"the tolerance {1e-9 / np.sqrt(A.shape[0]):.0e} and" in S.info.note


def test_complex_is_refused(poisson):
    with pytest.raises(pygsolve.BadMatrix, match="complex128"):
        pygsolve.solve(poisson.astype(complex), np.ones(poisson.shape[0]))
    with pytest.raises(pygsolve.BadArgument, match="complex128"):
        pygsolve.solve(poisson, np.ones(poisson.shape[0], complex))


def test_long_indices(poisson):
    A = poisson.copy()
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    b = np.ones(A.shape[0])
    assert np.array_equal(pygsolve.solve(A, b), pygsolve.solve(poisson, b))
    A.indices[3] = 2**32
    with pytest.raises(pygsolve.BadMatrix, match="4294967296"):
        pygsolve.solve(A, b)


def test_rows_are_read_in_place(poisson):
    view = pygsolve._arrays.matrix_view(poisson)
    assert view.start is poisson.indptr and view.col is poisson.indices and view.value is poisson.data


@pytest.mark.parametrize("order", ["C", "F"])
def test_several_columns(poisson, order):
    b = np.asarray(np.random.default_rng(1).standard_normal((poisson.shape[0], 3)), order=order)
    S = pygsolve.Solver(poisson)
    x = S.solve(b)
    assert x.flags["F_CONTIGUOUS" if order == "F" else "C_CONTIGUOUS"] and x.shape == b.shape
    assert max(true_residual(poisson, x[:, k], b[:, k]) for k in range(3)) < 1e-8
    assert len(S.info.columns) == 3 and S.info.columns[0][0] == "converged"


def test_strided_vectors(poisson):
    b = np.random.default_rng(2).standard_normal((poisson.shape[0], 4))
    S = pygsolve.Solver(poisson)
    for part in (b[:, 1], b[::-1, 2], b[:, ::2], b[:, 1:3]):
        x = S.solve(part)
        assert x.shape == part.shape and true_residual(poisson, x, part) < 1e-8


def test_empty_and_tiny():
    assert pygsolve.solve(sp.csr_array((0, 0)), np.empty(0)).shape == (0,)
    assert pygsolve.solve(sp.csr_array([[4.0]]), [2.0])[0] == 0.5
    assert pygsolve.Solver(sp.csr_array([[4.0]])).solve(np.empty((1, 0))).shape == (1, 0)


@pytest.mark.parametrize("b, found", [(np.ones(3), r"\(3,\)"), (np.ones((2, 2, 2)), r"\(2, 2, 2\)"), (np.float64(1), r"\(\)")])
def test_wrong_shapes(poisson, b, found):
    with pytest.raises(pygsolve.BadArgument, match=found):
        pygsolve.solve(poisson, b)


def test_wrong_arguments(poisson):
    b = np.ones(poisson.shape[0])
    with pytest.raises(pygsolve.BadSpec, match="cgg"):
        pygsolve.solve(poisson, b, method="cgg")
    with pytest.raises(pygsolve.BadSpec, match="nope"):
        pygsolve.solve(poisson, b, precond="amg,nope=1")
    with pytest.raises(pygsolve.BadArgument, match="x0 has the shape"):
        pygsolve.solve(poisson, b, x0=np.ones(4))
    with pytest.raises(pygsolve.BadArgument, match="scale"):
        pygsolve.solve(poisson, b, method="cg", scale="auto")
    with pytest.raises(pygsolve.BadMatrix):
        pygsolve.solve(poisson * np.nan, b)
    with pytest.raises(pygsolve.BadArgument, match="list"):
        pygsolve.Solver(poisson, precond=[1])
    with pytest.raises(pygsolve.BadArgument, match="no solve yet"):
        pygsolve.Solver(poisson).info


def test_not_converged(convection):
    b = np.ones(convection.shape[0])
    with pytest.raises(pygsolve.NotConverged, match="iteration limit") as caught:
        pygsolve.solve(convection, b, method="gmres", precond="none", maxit=3)
    error = caught.value
    assert not error.info.converged and error.explanation
    assert abs(true_residual(convection, error.x, b) - error.info.residual) < 1e-10
    x = pygsolve.solve(convection, b, method="gmres", precond="none", maxit=3, check=False)
    assert np.array_equal(x, error.x)


def test_initial_guess(poisson):
    b = np.ones(poisson.shape[0])
    S = pygsolve.Solver(poisson, "cg", "jacobi")
    x = S.solve(b)
    assert np.array_equal(S.solve(b, x0=x), x) and S.info.iterations == 0


def test_update(poisson):
    b = np.ones(poisson.shape[0])
    S = pygsolve.Solver(poisson, "cg", "amg")
    S.solve(b)
    scaled = poisson * 3.0
    S.update(scaled.data)
    assert true_residual(scaled, S.solve(b), b) < 1e-8
    S.update(poisson)
    assert true_residual(poisson, S.solve(b), b) < 1e-8
    with pytest.raises(pygsolve.BadArgument, match="values for"):
        S.update(np.ones(3))
    with pytest.raises(pygsolve.BadMatrix):
        S.update(identity(poisson.shape[0]))
    with pytest.raises(pygsolve.BadArgument, match="order"):
        pygsolve.Solver(poisson.tocsc()).update(poisson.data)


def test_the_automatic_solver_takes_updates(convection):
    b = np.ones(convection.shape[0])
    S = pygsolve.Solver(convection)
    for factor in (1.0, 2.0, 0.5):
        S.update(factor * convection.data)
        assert true_residual(factor * convection, S.solve(b), b) < 1e-8
    assert S.explain() and S.memory > 0


def test_same_bits(convection):
    b = np.random.default_rng(3).standard_normal(convection.shape[0])
    first = pygsolve.solve(convection, b, threads=1)
    assert np.array_equal(first, pygsolve.solve(convection, b, threads=2))


def test_adjoint(convection, poisson):
    b = np.ones(convection.shape[0])
    S = pygsolve.Solver(convection, "bicgstab", "ilu")
    assert true_residual(convection.T, S.adjoint.solve(b), b) < 1e-8
    S.update(2 * convection.data)
    assert true_residual(2 * convection.T, S.adjoint.solve(b), b) < 1e-8
    symmetric = pygsolve.Solver(poisson)
    assert symmetric.adjoint is symmetric


def test_rectangular():
    A = random_sparse(40, 25, 0.3, 4)
    b = np.ones(40)
    x = pygsolve.solve(A, b)
    assert np.allclose(x, np.linalg.lstsq(A.toarray(), b, rcond=None)[0], atol=1e-6)


def test_null_space():
    A = sp.diags([[-1.0] * 9, [1.0] + [2.0] * 8 + [1.0], [-1.0] * 9], [-1, 0, 1], format="csr")
    b = np.arange(10.0) - 4.5
    S = pygsolve.Solver(A, "cg", "jacobi", null_space="constants")
    x = S.solve(b)
    assert abs(x.sum()) < 1e-8 and true_residual(A, x, b) < 1e-7
    y = pygsolve.Solver(A, "cg", "jacobi", null_space=np.ones(10)).solve(b)
    assert np.allclose(x, y)
    with pytest.raises(pygsolve.BadArgument):
        pygsolve.Solver(A, null_space="ones")


def singular():
    """Neumann's problem in one dimension: no x reaches the mean of b."""
    return sp.diags([[-1.0] * 9, [1.0] + [2.0] * 8 + [1.0], [-1.0] * 9], [-1, 0, 1], format="csr"), np.arange(10.0)


@pytest.mark.parametrize("options", [{}, {"method": "lsmr", "precond": "none"}])
def test_a_singular_system_without_a_solution(options):
    A, b = singular()
    with pytest.raises(pygsolve.NotConverged, match="no x solves A x = b.*null_space.*least_squares=True") as caught:
        pygsolve.solve(A, b, **options)
    S = pygsolve.Solver(A, least_squares=True, **options)
    x = S.solve(b)
    for found in (x, caught.value.x, pygsolve.solve(A, b, check=False, **options)):
        assert np.allclose(b - A @ found, 4.5, atol=1e-5)
    assert S.info.outcome == caught.value.info.outcome == "least squares"
    assert S.info.converged and not caught.value.info.converged


def test_a_null_space_asks_for_the_least_squares_solution():
    A, b = singular()
    S = pygsolve.Solver(A, "cg", "none", null_space="constants")
    assert np.allclose(b - A @ S.solve(b), 4.5) and S.info.outcome == "least squares" and S.info.converged


def test_the_adjoint_minimises_too():
    A, b = singular()
    A = sp.csr_matrix(sp.diags([np.linspace(1, 2, 10)], [0]) @ A)  # A' has another null space
    S = pygsolve.Solver(A, least_squares=True)
    x = S.adjoint.solve(b)
    assert S.adjoint is not S and np.allclose(A @ (b - A.T @ x), 0, atol=1e-6) and S.adjoint.info.outcome == "least squares"
    with pytest.raises(pygsolve.NotConverged):
        pygsolve.Solver(A).adjoint.solve(b)


@pytest.mark.parametrize("name, length", [("data", 3), ("indices", 3), ("indptr", 4), ("data", 0), ("indptr", 0)])
def test_arrays_that_are_too_short(poisson, name, length):
    A = poisson.copy()
    setattr(A, name, getattr(A, name)[:length].copy())
    for call in (pygsolve.Solver, pygsolve.aspreconditioner, pygsolve.Solver(poisson).update):
        with pytest.raises(pygsolve.BadMatrix, match=f"{name} has {length} elements"):
            call(A)


def test_arrays_may_be_longer(poisson):
    A, b = poisson.copy(), np.ones(poisson.shape[0])
    A.data, A.indices = np.append(A.data, np.nan), np.append(A.indices, -7).astype(np.int32)
    assert np.array_equal(pygsolve.solve(A, b), pygsolve.solve(poisson, b))


def test_arguments_of_a_wrong_kind(poisson):
    b = np.ones(poisson.shape[0])
    for method in (None, 3):
        with pytest.raises(TypeError, match=f"method is {method}; give a string"):
            pygsolve.solve(poisson, b, method=method)
    with pytest.raises(pygsolve.BadArgument, match="b is None; give an array"):
        pygsolve.solve(poisson, None)


def test_specs_in_the_help(poisson):
    specs = set(re.findall(r'"((?:gmres|amg),[^"]*)"', pygsolve.Solver.__doc__))
    assert len(specs) == 2
    pygsolve.amg(poisson, options=re.search('such as "([^"]*)"', pygsolve.amg.__doc__)[1])
    for spec in specs:
        kind = "precond" if spec.startswith("amg") else "method"
        pygsolve.solve(poisson, np.ones(poisson.shape[0]), **{kind: spec})


def test_linear_operator(poisson, convection):
    b = np.ones(poisson.shape[0])
    assert true_residual(poisson, pygsolve.solve(aslinearoperator(poisson), b), b) < 1e-8
    inverse_diagonal = LinearOperator(poisson.shape, matvec=lambda r: r / 6, rmatvec=lambda r: r / 6, dtype=float)
    S = pygsolve.Solver(poisson, "cg", inverse_diagonal)
    assert true_residual(poisson, S.solve(b), b) < 1e-8
    with pytest.raises(pygsolve.Unsupported):
        pygsolve.Solver(aslinearoperator(poisson)).update(poisson.data)


def test_an_exception_of_the_operator_arrives(poisson):
    def fail(x):
        raise KeyError("from matvec")
    operator = LinearOperator(poisson.shape, matvec=fail, dtype=float)
    with pytest.raises(KeyError, match="from matvec"):
        pygsolve.solve(operator, np.ones(poisson.shape[0]))


def test_what_is_shown(poisson):
    S = pygsolve.Solver(poisson, "cg", "jacobi", rtol=1e-6)
    S.solve(np.ones(poisson.shape[0]))
    assert "converged" in repr(S.info) and "<table>" in S.info._repr_html_()
    history = S.history
    assert history[0] == 1 and history[-1] <= 1e-6 and len(history) == S.info.iterations + 1
    assert repr(S).startswith("<pygsolve.Solver for a matrix")
