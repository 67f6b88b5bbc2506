"""Runs the programs of the pages about Python and compares what they print. A program goes on where the one before it ended."""
import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pygsolve

TOP = Path(__file__).resolve().parents[2]
PAGES = [TOP / name for name in (
    "docs/start/python.md", "docs/tutorials/python_cupy.md", "docs/tutorials/python_pyamg.md", "docs/tutorials/python_pytorch.md",
    "docs/tutorials/python_scikit_fem.md", "docs/tutorials/python_scipy.md", "python/README.md")]
BLOCK = re.compile(r"```python\n(.*?)```(?:\n```text\n(.*?)```)?", re.S)


def missing(program):
    """What this machine lacks for a program, in words, or None."""
    for package in re.findall(r"^(?:import|from) (skfem|torch|pyamg|cupy|jax)", program, re.M):
        try:
            __import__(package)
        except ImportError:
            return package
        if package == "cupy":
            import cupy
            if "cuda" not in pygsolve.devices() or not cupy.cuda.is_available():
                return "a GPU and a build with CUDA"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem if page.parent.name != "python" else "README")
def test_programs(page):
    names = {}
    for program, expected in BLOCK.findall(page.read_text()):
        lack = missing(program)
        if lack:  # later programs of the page go on with this one
            pytest.skip(f"without the programs of the page that need {lack}")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, str(page), "exec"), names)
        if expected:
            assert printed.getvalue() == expected


@pytest.mark.skipif(not (TOP / "bench").exists(), reason="the benchmarks are not here")
@pytest.mark.parametrize("script", ["python_peers.py", "python_device_table.py"])
def test_the_table_is_that_of_the_record(script):
    subprocess.run([sys.executable, TOP / "bench" / script, "--check"], check=True)
