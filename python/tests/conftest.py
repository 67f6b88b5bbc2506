import numpy as np
import pytest

import pygsolve


@pytest.fixture(scope="session")
def poisson():
    return pygsolve.read("gen:poisson3d,n=12")


@pytest.fixture(scope="session")
def convection():
    return pygsolve.read("gen:convdiff3d,n=9")


def true_residual(A, x, b):
    return np.linalg.norm(b - A @ x) / np.linalg.norm(b)
