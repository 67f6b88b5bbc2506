"""Products, files, lists, the comparison and the command."""
import subprocess
import sys

import numpy as np
import pytest

import pygsolve
from conftest import random_sparse


@pytest.mark.parametrize("method", ["auto", "gustavson", "esc"])
def test_spgemm(convection, method):
    B = random_sparse(convection.shape[1], 30, 0.1, 7)
    C = pygsolve.spgemm(convection, B, method)
    assert abs(C - convection @ B).max() < 1e-12 and C.has_sorted_indices
    with pytest.raises(pygsolve.BadMatrix):
        pygsolve.spgemm(convection, B[:-1])


def test_results_outlive_their_context(convection):
    C = pygsolve.spgemm(convection, convection)
    values = C.data
    expected = values.copy()
    del C
    for _ in range(20):
        pygsolve.spgemm(convection, convection)
    assert np.array_equal(values, expected)


def test_files(tmp_path, convection):
    pygsolve.write(tmp_path / "a.mtx", convection, comment="two\nlines")
    A = pygsolve.read(tmp_path / "a.mtx")
    assert (A != convection).nnz == 0
    b = np.random.default_rng(8).standard_normal((5, 2))
    pygsolve.write(tmp_path / "b.mtx.gz", b)
    assert np.array_equal(pygsolve.read(tmp_path / "b.mtx.gz", dense=True), b)
    pygsolve.write(tmp_path / "c.mtx", b[:, 0])
    assert np.array_equal(pygsolve.read(tmp_path / "c.mtx", dense=True), b[:, 0])
    with pytest.raises(pygsolve.BadFile, match="nothing.mtx") as caught:
        pygsolve.read(tmp_path / "nothing.mtx")
    assert isinstance(caught.value, OSError) and caught.value.status == "BAD_FILE"


def test_lists():
    assert "cg" in pygsolve.methods() and "amg" in pygsolve.preconditioners() and "csr" in pygsolve.formats()
    assert "esc" in pygsolve.products() and "poisson3d" in pygsolve.generators() and "cpu" in pygsolve.devices()


def test_compare(poisson):
    rows = pygsolve.compare(poisson, ["csr", "sell", "bsr,block=5"])
    assert {row.format for row in rows} == {"csr", "sell", "bsr,block=5"} and rows[0].seconds > 0
    assert "GB/s" in repr(rows)
    assert [row for row in rows if row.reason] == [row for row in rows if not row.seconds > 0]


def test_command(tmp_path):
    run = subprocess.run([sys.executable, "-m", "pygsolve", "-A", "gen:poisson2d,n=8", "-x", str(tmp_path / "x.mtx")],
                         capture_output=True, text=True)
    assert run.returncode == 0 and "converged" in run.stdout and (tmp_path / "x.mtx").exists()
    assert subprocess.run([sys.executable, "-m", "pygsolve", "-A", "nothing.mtx"], capture_output=True).returncode == 1
