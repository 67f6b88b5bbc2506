"""Arrays of CuPy, PyTorch and JAX in the memory of a GPU; skipped where there is none."""
import numpy as np
import pytest

import pygsolve
from conftest import true_residual


@pytest.fixture(scope="module")
def cupy():
    cupy = pytest.importorskip("cupy")
    need_gpu(cupy.cuda.runtime.getDeviceCount)
    return cupy


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    need_gpu(torch.cuda.device_count)
    return torch


def need_gpu(count):
    if "cuda" not in pygsolve.devices():
        pytest.skip("this build of pygsolve has no CUDA")
    try:
        found = count()
    except Exception:  # the error class of a missing driver belongs to the package
        found = 0
    if not found:
        pytest.skip("no GPU")


@pytest.mark.parametrize("spec", [("auto", "auto"), ("cg", "amg"), ("gmres", "ilu")])
def test_cupy(cupy, poisson, spec):
    import cupyx.scipy.sparse as csp
    A, b = csp.csr_matrix(poisson), np.random.default_rng(1).standard_normal(poisson.shape[0])
    S = pygsolve.Solver(A, *spec)
    x = S.solve(cupy.asarray(b))
    assert isinstance(x, cupy.ndarray) and true_residual(poisson, x.get(), b) < 1e-8 and "cuda" in S._ctx.device
    S.update(2 * A.data)
    assert true_residual(2 * poisson, S.solve(cupy.asarray(b)).get(), b) < 1e-8
    assert true_residual(2 * poisson, S.solve(b), b) < 1e-8  # from the host


def test_the_context_is_kept(cupy, poisson):
    import cupyx.scipy.sparse as csp
    A, b = csp.csr_matrix(poisson), cupy.ones(poisson.shape[0])
    pygsolve.free_gpu_memory()
    S = pygsolve.Solver(A)
    x = S.solve(b)
    first = S._ctx
    del S
    S = pygsolve.Solver(A)
    assert S._ctx is first and bool((S.solve(b) == x).all()) and pygsolve.Solver(A)._ctx is not first
    del S
    pygsolve.free_gpu_memory()
    assert pygsolve.Solver(A)._ctx is not first


@pytest.mark.parametrize("package", ["cupy", "torch"])
def test_single_precision(package, request, poisson):
    module, A = request.getfixturevalue(package), poisson.astype(np.float32)
    if package == "cupy":
        import cupyx.scipy.sparse as csp
        matrix, b = csp.csr_matrix(A), module.ones(A.shape[0], dtype="float32")
    else:
        matrix = module.sparse_csr_tensor(module.tensor(A.indptr), module.tensor(A.indices), module.tensor(A.data), size=A.shape).cuda()
        b = module.ones(A.shape[0], dtype=module.float32, device="cuda")
    S = pygsolve.Solver(matrix)
    x = S.solve(b)
    assert "float32" in str(x.dtype) and S.info.residual < 2e-5
    host = x.get() if package == "cupy" else x.cpu().numpy()
    assert np.isclose(true_residual(A.astype(float), host.astype(float), np.ones(len(host))), S.info.residual, rtol=1e-3)


@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_of_cupy(cupy, poisson, order):
    import cupyx.scipy.sparse as csp
    b = np.random.default_rng(2).standard_normal((poisson.shape[0], 3))
    x = pygsolve.solve(csp.csc_matrix(csp.csr_matrix(poisson)), cupy.asarray(b, order=order))
    assert true_residual(poisson, x.get(), b) < 1e-8


def test_work_of_another_stream_is_awaited(cupy, poisson):
    import cupyx.scipy.sparse as csp
    A = csp.csr_matrix(poisson)
    S = pygsolve.Solver(A, "cg", "jacobi")
    stream = cupy.cuda.Stream(non_blocking=True)
    for k in range(20):
        with stream:
            slow = cupy.ones((1500, 1500)) @ cupy.ones((1500, 1500))
            b = cupy.full(poisson.shape[0], 1.0 + k) + 0 * slow[0, 0]
            x = S.solve(b)
            total = x + 0
        assert true_residual(poisson, total.get(stream=stream), np.full(poisson.shape[0], 1.0 + k)) < 1e-8


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_torch(torch, poisson, index):
    kind = getattr(torch, index)
    A = torch.sparse_csr_tensor(torch.tensor(poisson.indptr, dtype=kind), torch.tensor(poisson.indices, dtype=kind),
                                torch.tensor(poisson.data), size=poisson.shape).cuda()
    b = torch.ones(poisson.shape[0], dtype=torch.float64, device="cuda")
    x = pygsolve.solve(A, b)
    assert x.is_cuda and true_residual(poisson, x.cpu().numpy(), np.ones(len(x))) < 1e-8


def test_gradients_of_torch(torch):
    import pygsolve.torch as gt
    from test_gradients import system
    A, b = system()
    start, col = torch.from_numpy(A.indptr).cuda(), torch.from_numpy(A.indices).cuda()
    values = torch.tensor(A.data, device="cuda", requires_grad=True)
    rhs = torch.tensor(b, device="cuda", requires_grad=True)

    def solve(values, b):
        return gt.solve(torch.sparse_csr_tensor(start, col, values, size=A.shape), b, rtol=1e-13)
    assert torch.autograd.gradcheck(solve, (values, rhs), eps=1e-6, atol=1e-6, nondet_tol=1e-12)


def test_jax(poisson):
    jax = pytest.importorskip("jax")
    need_gpu(lambda: len(jax.devices("gpu")))
    jax.config.update("jax_enable_x64", True)
    from jax.experimental import sparse
    with jax.default_device(jax.devices("gpu")[0]):
        x = pygsolve.solve(sparse.BCSR.from_scipy_sparse(poisson), jax.numpy.ones(poisson.shape[0]))
    assert isinstance(x, jax.Array) and true_residual(poisson, np.asarray(x), np.ones(poisson.shape[0])) < 1e-8


def test_spgemm(cupy, convection):
    import cupyx.scipy.sparse as csp
    C = pygsolve.spgemm(csp.csr_matrix(convection), csp.csr_matrix(convection))
    assert isinstance(C, csp.csr_matrix) and abs(C.get() - convection @ convection).max() < 1e-12


def test_the_device_must_fit(cupy, poisson):
    import cupyx.scipy.sparse as csp
    with pytest.raises(pygsolve.BadArgument, match="memory of a GPU"):
        pygsolve.Solver(csp.csr_matrix(poisson), device="cpu")
    b = np.ones(poisson.shape[0])
    assert true_residual(poisson, pygsolve.solve(poisson, b, device="cuda"), b) < 1e-8
