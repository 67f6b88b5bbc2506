"""Gradients by the adjoint solve, against finite differences."""
import numpy as np
import pytest

from conftest import identity, random_sparse


def system():
    rng = np.random.default_rng(12)
    A = random_sparse(12, 12, 0.3, 12) + 6 * identity(12)
    return A.tocsr(), rng.standard_normal(12)


def test_torch():
    torch = pytest.importorskip("torch")
    import pygsolve.torch as gt
    A, b = system()
    start, col = torch.from_numpy(A.indptr), torch.from_numpy(A.indices)

    def solve(values, b):
        return gt.solve(torch.sparse_csr_tensor(start, col, values, size=A.shape), b, rtol=1e-13)
    values = torch.tensor(A.data, requires_grad=True)
    rhs = torch.tensor(b, requires_grad=True)
    assert torch.autograd.gradcheck(solve, (values, rhs), eps=1e-6, atol=1e-6)
    many = torch.tensor(np.random.default_rng(13).standard_normal((12, 3)), requires_grad=True)
    assert torch.autograd.gradcheck(solve, (values, many), eps=1e-6, atol=1e-6)
    dense = torch.linalg.solve(torch.from_numpy(A.toarray()), rhs)
    assert torch.allclose(solve(values, rhs), dense)
    with pytest.raises(TypeError, match="to_sparse_csr"):
        gt.solve(torch.eye(3), torch.ones(3))


def test_torch_reuses_a_solver():
    torch = pytest.importorskip("torch")
    import pygsolve
    import pygsolve.torch as gt
    A, b = system()
    tensor = torch.sparse_csr_tensor(torch.from_numpy(A.indptr), torch.from_numpy(A.indices), torch.from_numpy(A.data), size=A.shape)
    S = pygsolve.Solver(tensor)
    for factor in (1.0, 2.0):
        scaled = torch.sparse_csr_tensor(tensor.crow_indices(), tensor.col_indices(), factor * tensor.values(), size=A.shape)
        x = gt.solve(scaled, torch.from_numpy(b), solver=S)
        assert np.allclose(factor * (A @ x.numpy()), b, atol=1e-6)


def test_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    from jax.test_util import check_grads
    import pygsolve.jax as gj
    A, b = system()
    solve = lambda data, rhs: gj.solve(data, A.indices, A.indptr, rhs, rtol=1e-13)  # noqa: E731
    check_grads(solve, (A.data, b), order=1, modes=["rev"], eps=1e-6, atol=1e-6, rtol=1e-6)
    many = np.random.default_rng(14).standard_normal((12, 2))
    check_grads(solve, (A.data, many), order=1, modes=["rev"], eps=1e-6, atol=1e-6, rtol=1e-6)
    assert np.allclose(jax.jit(solve)(A.data, b), np.linalg.solve(A.toarray(), b))


def test_jax_matrices():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    from jax.experimental import sparse
    import pygsolve
    A, b = system()
    for kind in (sparse.BCSR.from_scipy_sparse(A), sparse.BCOO.from_scipy_sparse(A)):
        x = pygsolve.solve(kind, jax.numpy.asarray(b))
        assert isinstance(x, jax.Array) and np.allclose(A @ np.asarray(x), b, atol=1e-6)


def test_torch_matrices():
    torch = pytest.importorskip("torch")
    import pygsolve
    A, b = system()
    dense = torch.from_numpy(A.toarray())
    for kind in (dense.to_sparse_csr(), dense.to_sparse_coo(), dense.to_sparse_csc()):
        x = pygsolve.solve(kind, torch.from_numpy(b))
        assert isinstance(x, torch.Tensor) and np.allclose(A @ x.numpy(), b, atol=1e-6)
    B = torch.from_numpy(np.random.default_rng(15).standard_normal((12, 3)))
    x = pygsolve.solve(dense.to_sparse_csr(), B)
    assert np.allclose(A @ x.numpy(), B.numpy(), atol=1e-6)
