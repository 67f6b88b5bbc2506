"""Runs the Python program of the page about several ranks, and compares what it prints on 3 ranks."""
import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/howto/several_ranks.md"
BLOCK = re.compile(r"```python\n(.*?)```\n\n`mpirun -n 3 python3 ranks.py` prints:\n\n```text\n(.*?)```", re.S)


def test_the_program(comm):
    (program, expected), = BLOCK.findall(PAGE.read_text())
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, str(PAGE), "exec"), {})
    if comm.rank == 0 and comm.size == 3:
        assert printed.getvalue() == expected
    assert bool(printed.getvalue()) == (comm.rank == 0)
