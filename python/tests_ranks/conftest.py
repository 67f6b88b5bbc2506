"""The tests run on all ranks at once. A failure of one rank ends all of them, and so does a test that takes too long."""
import faulthandler
import sys

import numpy as np
import pytest
from mpi4py import MPI

import pygsolve

LIMIT = 200  # seconds for a test: a rank that waits for another one would wait for ever


@pytest.fixture(autouse=True)
def watchdog():
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def pytest_runtest_logreport(report):
    if report.failed:
        print(f"rank {MPI.COMM_WORLD.rank}: {report.nodeid} failed\n{report.longreprtext}", file=sys.__stderr__, flush=True)
        MPI.COMM_WORLD.Abort(1)


@pytest.fixture(scope="session")
def comm():
    return MPI.COMM_WORLD


def full(spec):
    """The whole matrix, on each rank."""
    return pygsolve.read(spec)


def gathered(comm, x):
    return np.concatenate(comm.allgather(x))


def true_residual(comm, spec, x, b, scale=1):
    b, A = gathered(comm, b), full(spec)
    return np.linalg.norm(b - scale * (A @ gathered(comm, x))) / np.linalg.norm(b)
