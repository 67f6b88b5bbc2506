import numpy as np
import pytest
import scipy.sparse as sp

import pygsolve


@pytest.fixture(scope="session")
def poisson():
    return pygsolve.read("gen:poisson3d,n=12")


@pytest.fixture(scope="session")
def convection():
    return pygsolve.read("gen:convdiff3d,n=9")


def true_residual(A, x, b):
    return np.linalg.norm(b - A @ x) / np.linalg.norm(b)


def random_sparse(nrows, ncols, density, seed):
    """For every version of SciPy."""
    return sp.csr_array(sp.random(nrows, ncols, density, random_state=seed, format="csr"))


def identity(n):
    return sp.csr_array(sp.identity(n, format="csr"))
