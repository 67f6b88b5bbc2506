"""The HTML page about a solve, which the command writes."""
from __future__ import annotations

import os
import subprocess
import tempfile
from html import escape
from pathlib import Path
from typing import Any, Union

import numpy as np
import scipy.sparse

from ._arrays import as_array, matrix_view
from ._library import BadArgument, Error, Unsupported

_OWN = {"html", "matrix", "rhs", "solver", "quiet"}
COMMAND = Path(__file__).with_name("bin") / "gsolve"


class Report:
    """A page about a solve: convergence curves, times, the pattern of the matrix, and the diagnosis if the solve failed. A notebook
    shows it; `save` writes it to a file for a browser; `html` is its text. It needs no other file and no network."""

    def __init__(self, html: str):
        self.html = html

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:45em;border:0" title="gsolve"></iframe>'

    def __repr__(self) -> str:
        return f"<pygsolve.Report, {len(self.html) // 1000} kB; save('page.html') writes it>"


def _on_host(A: Any) -> scipy.sparse.csr_matrix:
    view = matrix_view(A)
    arrays = [view.family.to_host(array) for array in (view.value, view.col, view.start)]
    return scipy.sparse.csr_matrix((arrays[0], arrays[1], arrays[2]), shape=view.shape)


def report(A: Any, b: Any = None, *, method: str = "auto", precond: str = "auto", rtol: float = 1e-8, profile: bool = True,
           **options: Any) -> Report:
    """Solves A x = b by the command and returns its HTML page. The solve is one of its own: the command gets A and b in files of a
    temporary folder. b: by default A times ones. profile: also the times of the parts of an iteration. options: those of the
    command without dashes at the front, such as maxit=100, device="cuda", threads=1, time_limit=10."""
    for name in _OWN.intersection(options):
        raise BadArgument(f"report sets --{name} itself; leave {name} out, and write the page by report(A, b).save('page.html')")
    if not COMMAND.exists():
        raise Unsupported("this build of the package has no command, which writes the page")
    words = ["-A", "A.npz", "--solver", method, "--precond", precond, "--rtol", repr(float(rtol)), "--html", "page.html", "--quiet"]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    with tempfile.TemporaryDirectory() as folder:
        scipy.sparse.save_npz(f"{folder}/A.npz", _on_host(A), compressed=False)
        if b is not None:
            array, family = as_array(b, "b")
            np.save(f"{folder}/b.npy", family.to_host(array))
            words += ["-b", "b.npy"]
        run = subprocess.run([COMMAND, *words, *(["--profile"] if profile else [])], cwd=folder, capture_output=True, text=True, check=False)
        page = Path(folder, "page.html")
        if not page.exists():
            raise Error(run.stderr.strip() or f"the command ended with the code {run.returncode}")
        return Report(page.read_text(encoding="utf-8"))
