"""The annotations, by mypy: those of the package, and those that its users see."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pygsolve

TOP = Path(__file__).resolve().parents[2]

RIGHT = '''
import numpy as np
import pygsolve

A = pygsolve.read("gen:poisson3d,n=4")
S = pygsolve.Solver(A, "cg", "amg", rtol=1e-10, maxit=50, device="cpu", threads=1)
info: pygsolve.Info = S.info
seconds: float = info.setup_seconds + info.solve_seconds
steps: int = info.iterations
words: str = S.explain()
history: np.ndarray = S.history
again: pygsolve.Solver = S.adjoint
M: pygsolve.Preconditioner = pygsolve.amg(A, B=np.ones((64, 1)))
names: dict[str, str] = pygsolve.methods()
fastest: float = pygsolve.compare(A)[0].seconds
pygsolve.write("A.mtx", A, symmetric=True)
try:
    pygsolve.solve(A, np.ones(64))
except pygsolve.NotConverged as error:
    best: pygsolve.Info = error.info
except pygsolve.BadSpec as refused:
    value_error: ValueError = refused
'''
WRONG = ['pygsolve.Solver(1, rtol="small")', "pygsolve.Solver(1).update()", 'pygsolve.methods().append("cg")', "pygsolve.Solver(1).info.steps",
         "pygsolve.read(3)", "n: int = pygsolve.Solver(1).explain()"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("mypy")
    return tmp_path_factory.mktemp("typing")


def mypy(*arguments, folder):
    """pygsolve is the one that is under test, which mypy finds by itself only if it is installed."""
    place = Path(pygsolve.__file__).parents[1]
    environment = dict(os.environ) if place.name == "site-packages" else {**os.environ, "MYPYPATH": str(place)}
    return subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(folder / "cache"), *map(str, arguments)],
                          capture_output=True, text=True, cwd=folder, check=False,
                          env=environment)


def test_the_package(folder):
    found = mypy("--config-file", TOP / "pyproject.toml", TOP / "python/pygsolve", folder=folder)
    assert found.returncode == 0, found.stdout + found.stderr


def test_programs_of_users(folder):
    package = Path(pygsolve.__file__).parent
    if not (package / "py.typed").exists():
        pytest.fail("the package has no py.typed, so that checkers ignore its annotations")
    right, wrong = folder / "right.py", folder / "wrong.py"
    right.write_text(RIGHT)
    wrong.write_text("import pygsolve\n" + "\n".join(WRONG) + "\n")
    (folder / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
    found = mypy("--config-file", "mypy.ini", right, wrong, folder=folder)
    lines = {int(line.split(":")[1]) for line in found.stdout.splitlines() if line.startswith("wrong.py") and ": error:" in line}
    assert lines == set(range(2, 2 + len(WRONG))), found.stdout
    assert "right.py" not in found.stdout, found.stdout
