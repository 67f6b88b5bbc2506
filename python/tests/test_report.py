"""The page about a solve, and the convergence plot."""
import json
import re
import subprocess
import sys

import numpy as np
import pytest

import pygsolve


def result_of(report):
    return json.loads(re.search(r'<script type="application/json" id="result">(.*?)</script>', report.html, re.S).group(1))


def test_report(poisson, tmp_path):
    b = np.random.default_rng(12).standard_normal(poisson.shape[0])
    report = pygsolve.report(poisson.tocsc(), b, method="cg", precond="jacobi", rtol=1e-6, threads=1)
    result = result_of(report)
    S = pygsolve.Solver(poisson, "cg", "jacobi", rtol=1e-6, threads=1)
    S.solve(b)
    assert result["outcome"] == "converged" and result["iterations"] == S.info.iterations and result["profile"]
    assert result["page"]["command"].startswith("gsolve -A A.npz --solver cg")
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown and "save(" in repr(report)


def test_report_of_a_failure(convection):
    result = result_of(pygsolve.report(convection, method="gmres", precond="none", maxit=2, profile=False))
    assert result["outcome"] == "iteration limit" and not result["page"]["success"]
    with pytest.raises(pygsolve.Error, match="cgg"):
        pygsolve.report(convection, method="cgg")
    with pytest.raises(pygsolve.Error, match="no-such-option"):
        pygsolve.report(convection, no_such_option=1)
    with pytest.raises(pygsolve.BadArgument, match="html.*save"):
        pygsolve.report(convection, html="page.html")


def test_plot(poisson):
    pytest.importorskip("matplotlib").use("Agg")
    S = pygsolve.Solver(poisson, "cg", "jacobi")
    S.solve(np.ones(poisson.shape[0]))
    axes = S.plot()
    S.solve(np.arange(poisson.shape[0]))
    assert S.plot(axes) is axes and len(axes.lines) == 2
    assert axes.get_xlabel() == "iteration" and axes.get_yscale() == "log"
    assert np.array_equal(axes.lines[1].get_ydata(), S.history)


def test_the_command():
    run = subprocess.run([sys.executable, "-m", "pygsolve", "list", "solvers"], capture_output=True, text=True, check=True)
    assert "gmres" in run.stdout
