"""Runs the programs of docs/start/python.md and compares what they print. A program goes on where the one before it ended."""
import contextlib
import io
import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PAGES = [TOP / "docs/start/python.md", TOP / "python/README.md"]
BLOCK = re.compile(r"```python\n(.*?)```(?:\n```text\n(.*?)```)?", re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_programs(page):
    names, left_out = {}, []
    for program, expected in BLOCK.findall(page.read_text()):
        packages = [name for name in re.findall(r"^import (skfem|torch)", program, re.M)] + (["skfem"] if "from skfem" in program else [])
        try:
            for package in packages:
                __import__(package)
        except ImportError:
            left_out.append(packages[0])
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, str(page), "exec"), names)
        if expected:
            assert printed.getvalue() == expected
    if left_out:
        pytest.skip(f"run without the programs that need {', '.join(sorted(set(left_out)))}")
