"""Systems over ranks. The tests on 1, 2 and 3 ranks are the same."""
import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator
from mpi4py import MPI

import pygsolve
from conftest import full, gathered, true_residual

POISSON, CONVECTION = "gen:poisson3d,n=10", "gen:convdiff3d,n=9"


@pytest.fixture
def poisson(comm):
    return pygsolve.read(POISSON, comm=comm)


def refused(comm, call, kind, sentence):
    """The call fails with the same exception on all ranks, and the ranks can go on."""
    with pytest.raises(kind) as caught:
        call()
    found = comm.allgather((type(caught.value).__name__, str(caught.value)))
    assert sentence in found[0][1] and all(other == found[0] for other in found), found


def last(comm):
    """Whether this is the last rank, which makes the mistakes."""
    return comm.rank == comm.size - 1


# --- solves ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("spec", [POISSON, CONVECTION])
def test_the_package_chooses(comm, spec):
    A = pygsolve.read(spec, comm=comm)
    b = np.cos(np.arange(A.shape[0]) + comm.rank)
    S = pygsolve.Solver(A, comm=comm)
    x = S.solve(b)
    assert x.shape == b.shape == (S.shape[0],) and true_residual(comm, spec, x, b) < 1e-8
    assert S.info.converged and S.info.ranks == comm.size and "the caller" not in S.explain()
    assert len(set(comm.allgather((S.info.iterations, S.info.residual, tuple(S.history))))) == 1
    assert np.array_equal(x, pygsolve.solve(A, b, comm=comm))


@pytest.mark.parametrize("method, precond", [("cg", "amg"), ("cg", "auto"), ("auto", "jacobi"), ("gmres,restart=20", "ilu"),
                                             ("bicgstab", "none")])
def test_methods(comm, poisson, method, precond):
    b = np.ones(poisson.shape[0])
    x = pygsolve.solve(poisson, b, method=method, precond=precond, rtol=1e-10, comm=comm)
    assert true_residual(comm, POISSON, x, b) < 1e-10


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, np.asarray])
def test_kinds_of_matrices(comm, poisson, kind):
    rows, b = kind(poisson.toarray() if kind is np.asarray else poisson), np.ones(poisson.shape[0])
    assert true_residual(comm, POISSON, pygsolve.solve(rows, b, comm=comm), b) < 1e-8


def test_several_columns_and_a_guess(comm, poisson):
    b = np.random.default_rng(comm.rank).standard_normal((poisson.shape[0], 3))
    S = pygsolve.Solver(poisson, "cg", "jacobi", comm=comm)
    x = S.solve(b)
    assert len(S.info.columns) == 3 and true_residual(comm, POISSON, x, b) < 1e-8
    S.solve(b, x0=x)
    assert S.info.iterations == 0
    S.solve(b, x0=x if last(comm) else None)  # each rank has its part of the guess
    assert (S.info.iterations == 0) == (comm.size == 1)


def test_rows_divided_by_the_caller(comm):
    """Also ranks without rows."""
    A = full(CONVECTION)
    n = A.shape[0]
    ends = [0, *(n // 3 if rank == 0 else n // 3 if rank == 1 else n for rank in range(comm.size - 1)), n]
    mine = slice(ends[comm.rank], ends[comm.rank + 1])
    b = np.arange(n, dtype=float)[mine]
    S = pygsolve.Solver(A[mine], comm=comm)
    for _ in range(2):
        assert true_residual(comm, CONVECTION, S.solve(b), b) < 1e-8
        assert true_residual(comm, CONVECTION, S.solve(np.column_stack([b, b])), np.column_stack([b, b])) < 1e-8


def test_new_values(comm, poisson):
    b = np.ones(poisson.shape[0])
    for options in ({}, {"method": "cg", "precond": "amg"}):
        S = pygsolve.Solver(poisson, comm=comm, **options)
        x = S.solve(b)
        S.update(2 * poisson.data)
        assert true_residual(comm, POISSON, S.solve(b), b, scale=2) < 1e-8
        S.update(poisson)
        assert np.allclose(S.solve(b), x, rtol=1e-7)


def test_a_matrix_in_single_precision(comm):
    """atol and the residual of the rounded x are those of all ranks."""
    spec = "gen:poisson2d,n=200"
    A = pygsolve.read(spec, comm=comm)
    b = np.ones(A.shape[0], np.float32)
    S = pygsolve.Solver(A.astype(np.float32), comm=comm)
    x = S.solve(b)
    assert x.dtype == np.float32 and S.info.outcome == "rounded to float32"
    single = full(spec).astype(np.float32).astype(float)
    whole = gathered(comm, x).astype(float)
    assert np.isclose(S.info.residual, np.linalg.norm(1 - single @ whole) / np.sqrt(len(whole)), rtol=1e-6)
    norm = np.sqrt(len(whole))
    loose = pygsolve.Solver(A.astype(np.float32), atol=2 * S.info.residual * norm, comm=comm)
    loose.solve(b)
    assert loose.info.outcome == "converged", loose.info


def test_least_squares(comm):
    """x has other rows than b."""
    A = sp.csr_array(sp.random(60, 7, 0.5, random_state=1, format="csr") + sp.eye(60, 7))
    b, mine = np.arange(60.0), np.array_split(np.arange(60), comm.size)[comm.rank]
    S = pygsolve.Solver(A[mine], comm=comm, rtol=1e-12)
    x = S.solve(b[mine])
    assert S.shape == (len(mine), len(np.array_split(np.arange(7), comm.size)[comm.rank])) and x.shape == (S.shape[1],)
    assert np.allclose(gathered(comm, x), np.linalg.lstsq(A.toarray(), b, rcond=None)[0])


def test_null_space(comm):
    n = 50
    A = sp.diags([-np.ones(n - 1), np.r_[1, 2 * np.ones(n - 2), 1], -np.ones(n - 1)], [-1, 0, 1], format="csr")
    mine = np.array_split(np.arange(n), comm.size)[comm.rank]
    b = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    for space in ("constants", np.ones(len(mine))):
        x = gathered(comm, pygsolve.solve(A[mine], b[mine], method="cg", precond="jacobi", null_space=space, comm=comm))
        assert np.linalg.norm(A @ x - b) < 1e-7 * np.linalg.norm(b)


def test_near_null_vectors(comm, poisson):
    b, ones = np.ones(poisson.shape[0]), np.ones((poisson.shape[0], 1))
    x = pygsolve.solve(poisson, b, near_null=ones, comm=comm)
    assert true_residual(comm, POISSON, x, b) < 1e-8


def test_adjoint(comm):
    A = pygsolve.read(CONVECTION, comm=comm)
    S, b = pygsolve.Solver(A, "gmres", "ilu", comm=comm), np.ones(A.shape[0])
    for scale in (1, 3):
        x, whole = gathered(comm, S.adjoint.solve(b)), full(CONVECTION)
        assert np.linalg.norm(1 - scale * (whole.T @ x)) < 1e-8 * np.sqrt(len(x))
        S.update(3 * A.data)
    symmetric = pygsolve.Solver(pygsolve.read(POISSON, comm=comm), comm=comm)
    assert symmetric.adjoint is symmetric


def test_function_as_preconditioner(comm, poisson):
    n, b = poisson.shape[0], np.ones(poisson.shape[0])
    M = aslinearoperator(sp.identity(n) / 6)
    assert true_residual(comm, POISSON, pygsolve.solve(poisson, b, method="cg", precond=M, comm=comm), b) < 1e-8


def test_not_converged(comm, poisson):
    with pytest.raises(pygsolve.NotConverged) as caught:
        pygsolve.solve(poisson, np.ones(poisson.shape[0]), method="cg", precond="none", maxit=3, comm=comm)
    error = caught.value
    assert error.diagnosis.name == "iteration limit" and error.info.iterations == 3 and error.x.shape == (poisson.shape[0],)
    assert len(set(comm.allgather(str(error)))) == 1
    x = pygsolve.solve(poisson, np.ones(poisson.shape[0]), method="cg", maxit=3, comm=comm, check=False)
    assert x.shape == (poisson.shape[0],)


# --- matrices and files ----------------------------------------------------------------------------

@pytest.fixture
def folder(comm, tmp_path_factory):
    """The same one on all ranks."""
    return Path(comm.bcast(str(tmp_path_factory.mktemp("ranks")) if comm.rank == 0 else None))


def test_files(comm, folder):
    A = full(CONVECTION)
    if comm.rank == 0:
        pygsolve.write(folder / "A.mtx", A)
        pygsolve.write(folder / "b.npy", np.arange(2 * A.shape[0], dtype=float).reshape(-1, 2))
    comm.Barrier()
    rows = pygsolve.read(folder / "A.mtx", comm=comm)
    b = pygsolve.read(folder / "b.npy", dense=True, comm=comm, rows=rows.shape[0])
    assert (abs(sp.vstack(comm.allgather(rows)) - A)).max() == 0 and rows.shape[1] == A.shape[1]
    assert np.array_equal(gathered(comm, b), np.arange(2 * A.shape[0], dtype=float).reshape(-1, 2))
    pygsolve.write(folder / "x.mtx", b[:, 1], comm=comm, comment="x")
    assert np.array_equal(pygsolve.read(folder / "x.mtx", dense=True), gathered(comm, b[:, 1]))
    one = pygsolve.read(folder / "x.mtx", dense=True, comm=comm, rows=rows.shape[0])
    assert np.array_equal(one, b[:, 1])
    comm.Barrier()


def test_assembly(comm):
    """Each rank adds the elements of a chain; those at its ends belong to rows of two ranks."""
    n = 30
    mine = np.array_split(np.arange(n), comm.size)[comm.rank]
    at = np.arange(mine[0], min(mine[-1] + 1, n - 1))
    i, j = np.r_[at, at, at + 1, at + 1], np.r_[at, at + 1, at, at + 1]
    v = np.repeat([1.0, -1.0, -1.0, 1.0], len(at))
    rows = pygsolve.assemble(i, j, v, len(mine), comm=comm)
    whole = sp.diags([-np.ones(n - 1), np.r_[1, 2 * np.ones(n - 2), 1], -np.ones(n - 1)], [-1, 0, 1])
    assert rows.shape == (len(mine), n) and abs(sp.vstack(comm.allgather(rows)) - whole).max() == 0


@pytest.mark.parametrize("how", ["blocks", "metis", "scotch", "auto"])
def test_redistribution(comm, how):
    spec = "gen:shuffled3d,n=9"
    A = pygsolve.read(spec, comm=comm)
    try:
        R = pygsolve.Redistribution(A, how, comm=comm)
    except pygsolve.Unsupported as missing:
        pytest.skip(str(missing))
    assert R.name in ("blocks", "metis", "scotch") and gathered(comm, R.rows.data).size == full(spec).nnz
    B = np.random.default_rng(comm.rank).standard_normal((A.shape[0], 2))
    assert np.array_equal(R.back(R.apply(B)), B) and np.array_equal(R.back(R.apply(B[:, 0])), B[:, 0])
    b, S = R.apply(B[:, 1]), pygsolve.Solver(R.rows, comm=comm)
    assert true_residual(comm, spec, R.back(S.solve(b)), B[:, 1]) < 1e-8
    S.update(R.values(3 * A.data))
    assert true_residual(comm, spec, R.back(S.solve(b)), B[:, 1], scale=3) < 1e-8
    bad = last(comm)
    refused(comm, lambda: R.apply(B[1:] if bad else B), pygsolve.BadArgument, "vectors has the shape")
    refused(comm, lambda: R.values(A.data[1:] if bad else A.data), pygsolve.BadArgument, "values for")
    refused(comm, lambda: pygsolve.Redistribution(None if bad else A, comm=comm), pygsolve.BadMatrix, "A must be")
    refused(comm, lambda: pygsolve.Redistribution(A, "none", comm=comm), pygsolve.BadSpec, "none")


# --- wrong inputs of one rank ----------------------------------------------------------------------

def test_wrong_arguments_of_one_rank(comm, poisson):
    bad, n = last(comm), poisson.shape[0]
    b = np.ones(n)
    S = pygsolve.Solver(poisson, "cg", "jacobi", comm=comm)

    def create(A=poisson, **options):
        return lambda: pygsolve.Solver(A, **{"method": "cg", "precond": "jacobi", **options}, comm=comm)
    for call, kind, sentence in [
            (lambda: S.solve(b[1:] if bad else b), pygsolve.BadArgument, "it must have the shape"),
            (lambda: S.solve(None if bad else b), pygsolve.BadArgument, "b is None"),
            (lambda: S.solve(b * np.nan if bad else b), pygsolve.BadArgument, "of b has a value that is not finite"),
            (lambda: S.solve(b, x0=b[1:] if bad else None), pygsolve.BadArgument, "x0 has the shape"),
            (lambda: S.update(poisson.data[1:] if bad else poisson.data), pygsolve.BadArgument, "values for"),
            (lambda: S.update(poisson[1:] if bad else poisson), pygsolve.BadMatrix, "the new A has the shape"),
            (lambda: S.update(poisson.data * (np.inf if bad else 1)), pygsolve.BadMatrix, "finite"),
            (create("A" if bad else poisson), pygsolve.BadMatrix, "A must be a sparse matrix"),
            (create(aslinearoperator(poisson) if bad else poisson), pygsolve.BadArgument, "works on one rank"),
            (create(method=5 if bad else "cg"), pygsolve.BadArgument, "method is 5"),
            (create(rtol="small" if bad else None), pygsolve.BadArgument, "small"),
            (create(scale="auto" if bad else None), pygsolve.BadArgument, "scale and order belong"),
            (create(null_space=np.ones(n - bad)), pygsolve.BadArgument, "null_space has the shape"),
            (create(precond=aslinearoperator(sp.identity(n - bad))), pygsolve.BadArgument, "precond has the shape"),
            (create(precond="amg", near_null=np.ones(n) * (1j if bad else 1)), pygsolve.BadArgument, "near_null has the type"),
            (create(precond="amg", near_null=np.ones(n - bad)), pygsolve.BadArgument, "near-null")]:
        refused(comm, call, kind, sentence)
    assert true_residual(comm, POISSON, S.solve(b), b) < 1e-8


@pytest.mark.skipif(MPI.COMM_WORLD.size == 1, reason="one rank differs from no other")
def test_other_arguments_on_one_rank(comm, poisson):
    bad, n = last(comm), poisson.shape[0]
    b = np.ones(n)
    S = pygsolve.Solver(poisson, "cg", "jacobi", comm=comm)
    for name, right, wrong in [("method", "cg", "cgg"), ("precond", "amg", "none"), ("rtol", None, 1e-3), ("maxit", 5, None),
                               ("null_space", None, "ones"), ("near_null", None, np.ones(n)), ("format", "csr", "none"),
                               ("least_squares", False, True)]:
        refused(comm, lambda: pygsolve.Solver(poisson, **{"method": "cg", "precond": "amg", name: wrong if bad else right}, comm=comm),
                pygsolve.BadArgument, "the arguments are not those of rank 0")
    for call, kind, sentence in [
            (lambda: S.solve(b, check=bad), pygsolve.BadArgument, "the arguments are not those of rank 0"),
            (lambda: S.solve(np.ones((n, 2)) if bad else b), pygsolve.BadArgument, "rank 0"),
            (lambda: pygsolve.Solver(poisson, "direct", "none", comm=comm), pygsolve.Unsupported, "direct"),
            (lambda: pygsolve.Solver(poisson, threads=2 if bad else 1, comm=comm), pygsolve.BadArgument, "device and threads"),
            (lambda: pygsolve.Solver(poisson[:, 1:] if bad else poisson, comm=comm), pygsolve.BadMatrix, "columns"),
            (lambda: pygsolve.Solver(poisson.astype(np.float32) if bad else poisson, comm=comm), pygsolve.BadArgument, "rank 0")]:
        refused(comm, call, kind, sentence)
    assert true_residual(comm, POISSON, S.solve(b), b) < 1e-8


@pytest.mark.parametrize("options, kind", [({"method": "cgg"}, pygsolve.BadSpec), ({"precond": "amgg"}, pygsolve.BadSpec),
                                           ({"format": "none"}, pygsolve.BadSpec),
                                           ({"device": "cpu,timeout=soon"}, pygsolve.BadSpec), ({"device": "cdua"}, pygsolve.BadSpec)])
def test_wrong_arguments_of_all_ranks(comm, poisson, options, kind):
    refused(comm, lambda: pygsolve.Solver(poisson, **{"method": "cg", "precond": "jacobi", **options}, comm=comm), kind, "")


def test_wrong_files_of_one_rank(comm, folder):
    bad = last(comm)
    refused(comm, lambda: pygsolve.read(3 if bad else POISSON, comm=comm), pygsolve.BadArgument, "TypeError")
    refused(comm, lambda: pygsolve.read(folder / "none.mtx", comm=comm), pygsolve.BadFile, "none.mtx")
    refused(comm, lambda: pygsolve.read(folder / "b.npy", dense=True, comm=comm), pygsolve.BadArgument, "rows is None")
    refused(comm, lambda: pygsolve.write(folder / "A.mtx", sp.identity(3), comm=comm), pygsolve.Unsupported, "no matrices")
    refused(comm, lambda: pygsolve.write(folder / "none" / "x.mtx", np.ones(3), comm=comm), pygsolve.BadFile, "x.mtx")
    refused(comm, lambda: pygsolve.assemble([0], [0], [1.0, 2.0] if bad else [1.0], 3, comm=comm), pygsolve.BadArgument, "equal lengths")
    refused(comm, lambda: pygsolve.assemble([0], [10**9 if bad else 0], [1.0], 3, comm=comm), pygsolve.BadMatrix, "1000000000")


class Broken:
    """A preconditioner that raises an exception on one rank after some iterations."""

    def __init__(self, bad, after):
        self.bad, self.left = bad, after

    def __call__(self, x):
        self.left -= 1
        if self.bad and self.left < 0:
            raise ZeroDivisionError("in the preconditioner")
        return x


def test_exception_in_a_function_of_one_rank(comm, poisson):
    n, b = poisson.shape[0], np.ones(poisson.shape[0])
    for after in (0, 3):
        M = sp.linalg.LinearOperator((n, n), matvec=Broken(last(comm), after), dtype=float)
        S = pygsolve.Solver(poisson, "cg", M, comm=comm)
        with pytest.raises(ZeroDivisionError if last(comm) else pygsolve.Error):
            S.solve(b)
        del S
        gc.collect()
    assert true_residual(comm, POISSON, pygsolve.solve(poisson, b, comm=comm), b) < 1e-8


# --- signals, contexts, and MPI --------------------------------------------------------------------

def test_interrupt_of_one_rank(comm):
    A = pygsolve.read("gen:poisson3d,n=16", comm=comm)
    S = pygsolve.Solver(A, "gmres,restart=10,stall=0", "none", rtol=1e-300, maxit=2**30, comm=comm)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    if last(comm):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt if last(comm) else pygsolve.Interrupted) as caught:
        S.solve(np.random.default_rng(comm.rank).standard_normal(A.shape[0]), check=False)
    signal.signal(signal.SIGINT, before)
    if not last(comm):
        assert "KeyboardInterrupt" in str(caught.value)
    S = pygsolve.Solver(A, comm=comm)
    S.solve(np.ones(A.shape[0]))
    assert S.info.converged


def test_interrupts_at_any_time(comm):
    """No rank waits for the one that is interrupted, wherever the signal finds it."""
    A = pygsolve.read("gen:poisson3d,n=16", comm=comm)
    before, delays = signal.signal(signal.SIGINT, signal.default_int_handler), np.linspace(0, 0.05, 15)
    for delay in delays:
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        try:
            with pygsolve._library.interrupts:  # also for the signal that comes when all is done
                comm.Barrier()
                if last(comm):
                    timer.start()
                pygsolve.Solver(A, "cg", "amg", comm=comm).solve(np.ones(A.shape[0]))
                if last(comm):
                    timer.join()
            assert not last(comm)
        except KeyboardInterrupt:
            assert last(comm)
            with pygsolve._library.interrupts:
                timer.join()
        except pygsolve.Interrupted as error:
            assert not last(comm) and f"rank {comm.size - 1}: " in str(error)
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler
    assert true_residual(comm, "gen:poisson3d,n=16", pygsolve.solve(A, np.ones(A.shape[0]), comm=comm), np.ones(A.shape[0])) < 1e-8


def test_contexts_are_used_again(comm, poisson):
    """Also if Python frees the solvers of each rank at another time."""
    own, b = comm.Dup(), np.ones(poisson.shape[0])
    kept = []
    for k in range(12):
        S = pygsolve.Solver(poisson, "cg", "jacobi", comm=own)
        S.solve(b)
        if k % 3 == own.rank % 3:
            kept.append(S)
        if k == 8:
            kept.clear()
    living = pygsolve._ranks._contexts_of(own, MPI)
    assert len(living) < 12 and len(set(comm.allgather(len(living)))) == 1
    own.Free()
    with pytest.raises(pygsolve.BadArgument, match="the communicator has been freed"):
        S.solve(b)


def test_communicators(comm, poisson):
    """A part of the ranks, other numbers of the ranks, and each rank alone."""
    alone = full(POISSON)
    assert true_residual(MPI.COMM_SELF, POISSON, pygsolve.solve(alone, np.ones(1000), comm=MPI.COMM_SELF), np.ones(1000)) < 1e-8
    backwards = comm.Split(0, -comm.rank)
    A = pygsolve.read(POISSON, comm=backwards)
    assert true_residual(backwards, POISSON, pygsolve.solve(A, np.ones(A.shape[0]), comm=backwards), np.ones(A.shape[0])) < 1e-8
    backwards.Free()
    part = comm.Split(0 if comm.rank < 2 else MPI.UNDEFINED)
    if part != MPI.COMM_NULL:
        A = pygsolve.read(POISSON, comm=part)
        S = pygsolve.Solver(A, comm=part)
        S.solve(np.ones(A.shape[0]))
        assert S.info.ranks == part.size
        part.Free()


@pytest.mark.parametrize("wrong, sentence", [("world", "a str"), (MPI.COMM_NULL, "MPI.COMM_NULL"), (True, "a bool")])
def test_what_is_no_communicator(poisson, wrong, sentence):
    with pytest.raises(pygsolve.BadArgument, match=f"comm is {sentence}; give a communicator of mpi4py"):
        pygsolve.Solver(poisson, comm=wrong)


def one_process(program, **environment):
    """The last line of what a process prints that mpirun has not started."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("OMPI_", "PMIX_", "PMI_", "PRTE_"))}
    run = subprocess.run([sys.executable, "-c", program], env={**clean, **environment}, capture_output=True, text=True, timeout=100, check=False)
    return (run.stdout + run.stderr).strip().splitlines()[-1]


def test_the_library_for_mpi_is_loaded_on_demand():
    program = ("import numpy, pygsolve; A = pygsolve.read('gen:tridiagonal,n=5'); pygsolve.solve(A, numpy.ones(5)); "
               "print('libgsolve_mpi' in open('/proc/self/maps').read())")
    assert one_process(program) == "False"


@pytest.mark.skipif(MPI.COMM_WORLD.rank > 0, reason="one rank looks at it")
def test_sentences_about_mpi(tmp_path):
    """Without mpi4py, without libgsolve_mpi, with one for another MPI, and before MPI_Init."""
    use = "import pygsolve; pygsolve.read('gen:tridiagonal,n=5', comm={})"
    world = "from mpi4py import MPI; " + use.format("MPI.COMM_WORLD")
    (tmp_path / "mpi4py").mkdir()
    (tmp_path / "mpi4py" / "__init__.py").write_text("raise ImportError('not here')")
    path = os.environ["PYTHONPATH"]
    found = one_process(use.format("1"), PYTHONPATH=f"{tmp_path}:{path}")
    assert found.startswith("ImportError: comm is a communicator of mpi4py, which cannot be imported: not here; install it"), found
    found = one_process("import mpi4py; mpi4py.rc.initialize = False; " + world)
    assert found.endswith("MPI is not initialised; call MPI.Init_thread() first"), found
    found = one_process("from mpi4py import MPI; MPI.Finalize(); " + world)
    assert found.endswith("MPI has been finalised"), found
    assert one_process(world + "; MPI.Finalize(); print('finalised')") == "finalised"

    build = Path(pygsolve.__file__).parents[2]  # a copy of the package that finds libgsolve and nothing else
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "pygsolve").mkdir()
    for file in Path(pygsolve.__file__).parent.glob("*.*"):
        (alone / "pygsolve" / file.name).write_bytes(file.read_bytes())
    extension = next((alone / "pygsolve").glob("_gsolve*.so"))
    data = extension.read_bytes()  # the folder of libgsolve_mpi, in the search path of the linker
    extension.write_bytes(data.replace(str(build / "mpi").encode(), b"/" * len(str(build / "mpi"))))
    found = one_process(world, PYTHONPATH=str(alone), LD_LIBRARY_PATH=str(build))
    assert "comm needs libgsolve_mpi, which cannot be loaded" in found and MPI.Get_library_version()[:5] in found, found

    (tmp_path / "other.c").write_text("int MPI_Initialized(int *flag) { return *flag = 0; }\n"
                                      "int MPI_Get_library_version(char *s, int *n) { s[0] = 'X'; s[1] = 0; return *n = 0; }\n")
    name = f"libgsolve_mpi.so.{'.'.join(pygsolve.__version__.split('.')[:2])}"
    compiled = subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", tmp_path / name, tmp_path / "other.c"], check=False)
    if compiled.returncode == 0:
        found = one_process(world, LD_LIBRARY_PATH=str(tmp_path))
        assert "mpi4py uses " in found and "and libgsolve_mpi X, and they cannot work together; install mpi4py" in found, found
