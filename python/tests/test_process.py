"""Threads, signals, fork, and memory."""
import gc
import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest

import pygsolve


@pytest.fixture(autouse=True)
def interrupts_are_handled():
    """A shell makes programs that it starts in the background ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_threads_with_a_solver_each(convection):
    rhs = np.random.default_rng(9).standard_normal((8, convection.shape[0]))
    expected = [pygsolve.solve(convection, b, threads=1) for b in rhs]
    found = [None] * len(rhs)

    def work(k):
        found[k] = pygsolve.solve(convection, rhs[k], threads=1)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(rhs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(expected, found))


def test_threads_share_one_solver(convection):
    S = pygsolve.Solver(convection, "bicgstab", "ilu", threads=1)
    rhs = np.random.default_rng(10).standard_normal((8, convection.shape[0]))
    expected = [S.solve(b) for b in rhs]
    found = [None] * len(rhs)

    def work(k):
        for _ in range(5):
            found[k] = S.solve(rhs[k])
    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(rhs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(expected, found))


def test_the_interpreter_runs_during_a_solve():
    A = pygsolve.read("gen:poisson3d,n=24")
    S = pygsolve.Solver(A, "cg,stall=0", "none", rtol=1e-300, maxit=2000, threads=1)
    steps = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            steps.append(None)
            time.sleep(0.0005)
    thread = threading.Thread(target=count)
    thread.start()
    before = len(steps)
    S.solve(np.ones(A.shape[0]), check=False)
    during = len(steps) - before
    stop.set()
    thread.join()
    assert during > 0


def test_interrupt():
    A = pygsolve.read("gen:poisson3d,n=30")
    S = pygsolve.Solver(A, "gmres,restart=10,stall=0", "none", rtol=1e-300, maxit=2**30, threads=1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        S.solve(np.random.default_rng(11).standard_normal(A.shape[0]), check=False)
    timer.join()
    x = pygsolve.Solver(A, "cg", "jacobi").solve(np.ones(A.shape[0]))
    assert np.isfinite(x).all()


def interrupted(call, after):
    """Calls with a Ctrl-C `after` seconds later. Returns how long the call took. On a busy machine the signal may come before the
    call has entered the library; then it calls again, with a later signal."""
    for attempt in range(8):
        timer = threading.Timer(after * 1.5**attempt, os.kill, (os.getpid(), signal.SIGINT))
        begin = time.perf_counter()
        with pytest.raises(KeyboardInterrupt) as caught:
            timer.start()
            call()
            timer.join()  # too late: the exception comes from here
        took = time.perf_counter() - begin
        timer.join()
        if "_handle_signals" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]:
            return took
    pytest.fail("the library did not let Python handle the signal")


@pytest.mark.parametrize("precond", ["amg,coarsening=classical", "isai,power=2"])
def test_interrupt_of_a_setup(precond):
    A = pygsolve.read("gen:poisson3d,n=48")
    begin = time.perf_counter()
    S = pygsolve.Solver(A, "cg", precond, threads=1, rtol=1e-6)
    whole = time.perf_counter() - begin
    b = np.ones(A.shape[0])
    assert any(interrupted(lambda: pygsolve.Solver(A, "cg", precond, threads=1), whole / 10) < max(1, whole) for _ in range(3))
    with pytest.raises(KeyboardInterrupt):  # inside the library or between two updates
        timer = threading.Timer(whole / 10, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        while True:
            S.update(A.data)
    timer.join()
    S.update(2 * A.data)
    assert np.linalg.norm(b - 2 * (A @ S.solve(b))) < 1e-5 * np.linalg.norm(b)


def _solve_in_child(A):
    return pygsolve.solve(A, np.ones(A.shape[0])).sum()


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
def test_multiprocessing(poisson, start):
    expected = _solve_in_child(poisson)
    with multiprocessing.get_context(start).Pool(2) as pool:
        assert pool.map(_solve_in_child, [poisson] * 4) == [expected] * 4


def test_no_leak(poisson):
    S = pygsolve.Solver(poisson, "cg", "jacobi", threads=1)
    b = np.ones(poisson.shape[0])

    def solve(times):
        for _ in range(times):
            S.solve(b)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    first = solve(1000)
    held = S.memory
    assert solve(9000) - first < 4096 and S.memory == held  # KiB


def test_objects_are_freed(poisson):
    def make():
        for _ in range(50):
            S = pygsolve.Solver(poisson, "cg", "amg", threads=1)
            S.solve(np.ones(poisson.shape[0]))
            pygsolve.aspreconditioner(poisson, "ic", threads=1)
        del S
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    make()
    first = make()
    assert make() - first < 8192  # KiB


def test_overhead_of_a_solve():
    """What Solver.solve adds to the library's run for a small system; the least of many."""
    A = pygsolve.read("gen:tridiagonal,n=5")
    S, b = pygsolve.Solver(A, "cg", "jacobi", threads=1), np.ones(5)

    def overhead():
        begin = time.perf_counter()
        S.solve(b)
        return time.perf_counter() - begin - S._result.seconds
    assert min(overhead() for _ in range(3000)) < 15e-6


@pytest.mark.parametrize("given, spins", [({}, "10000"), ({"GOMP_SPINCOUNT": "77"}, "77"), ({"OMP_WAIT_POLICY": "passive"}, "0")])
def test_waiting_threads_sleep_soon(given, spins):
    environment = {key: value for key, value in os.environ.items() if key not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    program = "import os, pygsolve; print(os.environ.get('GOMP_SPINCOUNT'))"
    run = subprocess.run([sys.executable, "-c", program], env={**environment, **given, "OMP_DISPLAY_ENV": "VERBOSE"}, capture_output=True,
                         text=True, check=True)
    found = re.findall(r"GOMP_SPINCOUNT = '(\d+)'", run.stderr)
    if not found:
        pytest.skip("this OpenMP is not GNU's")
    assert found[-1] == spins and run.stdout.strip() == given.get("GOMP_SPINCOUNT", "None")
