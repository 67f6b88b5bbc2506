"""Errors and explanations: their classes, and that they name what Python's users can write."""
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import pygsolve
from pygsolve._library import _CLASS_OF, ffi
from pygsolve._messages import diagnosis_of, in_python
from test_solve import singular

TOP = Path(__file__).resolve().parents[2]
needs_sources = pytest.mark.skipif(not (TOP / "core").exists(), reason="the sources of the library are not here")


@needs_sources
def test_every_status_has_a_class():
    names = set(ffi.typeof("gsolve_status").relements) - {"GSOLVE_OK", "GSOLVE_STATUS_COUNT"}
    header = (TOP / "include/gsolve_context.h").read_text()
    assert names == set(re.findall(r"X\((GSOLVE_\w+), ", header)) - {"GSOLVE_OK"}
    assert {"GSOLVE_" + error.status for error in _CLASS_OF.values()} == names
    for error in _CLASS_OF.values():
        assert getattr(pygsolve, error.__name__) is error and error.__name__ in pygsolve.__all__


STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def sentences_of(name):
    """The strings of a C file; adjacent ones are one string."""
    text = re.sub(r"/\*.*?\*/", "", (TOP / name).read_text(), flags=re.S)
    return STRING.findall(re.sub(r'"\s*\n\s*"', "", text))


@needs_sources
@pytest.mark.parametrize("name", ["solver/choose/explain_remedies.c", "solver/choose/explain_outcome.c", "solver/choose/explain_matrix.c",
                                  "solver/choose/explain_causes.c", "solver/methods/direct_factor.c", "core/spec_refuse.c"])
def test_sentences_name_no_option_of_the_command(name):
    found = sentences_of(name)
    assert found
    for sentence in found:
        words = in_python(sentence)
        assert not re.search(r"(^|\s)--\w", words) and "gsolve_" not in words.replace("gsolve_diagnose", ""), words


@pytest.mark.parametrize("sentence, expected", [
    ("lsmr helps: use --solver lsmr --precond jacobi,normal=1.", 'lsmr helps: use method="lsmr", precond="jacobi,normal=1".'),
    ("Leave --scale and --order out.", "Leave scale and order out."),
    ("Solve the scaled system: --scale auto.", 'Solve the scaled system: scale="auto".'),
    ("Use a larger limit: --maxit 120.", "Use a larger limit: maxit=120."),
    ("Use a larger --rtol, such as 1e-05.", "Use a larger rtol, such as 1e-05."),
    ("Name the null space: --null-space constants, in C gsolve_matrix_set_null_space.", 'Name the null space: null_space="constants".'),
    ("gsolve_matrix_create: the size is -1", "the size is -1"),
    ("a well-known x--y stays", "a well-known x--y stays")])
def test_spelling(sentence, expected):
    assert in_python(sentence) == expected


def failure(A, b, **options):
    with pytest.raises(pygsolve.NotConverged) as caught:
        pygsolve.solve(A, b, **options)
    return caught.value


def assert_of_python(error):
    assert "--" not in str(error) and "gsolve_" not in str(error) and error.diagnosis.remedy in str(error)


def test_a_remedy_can_be_passed_on(convection):
    b = np.ones(convection.shape[0])
    error = failure(convection, b, method="cg", precond="jacobi")
    assert error.diagnosis.name == "not symmetric" and error.diagnosis.arguments["method"] == "auto"
    assert 'method="auto", precond="auto"' in str(error)
    assert_of_python(error)
    assert np.linalg.norm(b - convection @ pygsolve.solve(convection, b, **error.diagnosis.arguments)) < 1e-8 * np.linalg.norm(b)


def test_a_remedy_of_defaults(poisson):
    """None in the arguments of a remedy stands for the default."""
    b = np.ones(poisson.shape[0])
    error = failure(poisson, b, method="cg", precond="none", maxit=12)
    assert error.diagnosis.name == "iteration limit" and error.diagnosis.arguments["maxit"] is None
    assert_of_python(error)
    pygsolve.solve(poisson, b, **error.diagnosis.arguments)


def test_arguments_of_remedies():
    found = diagnosis_of("a cause", "It is so.", "", "", "maxit=120,scale=none,type=f64", "Use a larger limit: --maxit 120.")
    assert found.arguments == {"maxit": 120, "scale": None} and found.remedy == "Use a larger limit: maxit=120."


def test_a_null_space():
    A, b = singular()
    error = failure(A, b, method="cg", precond="jacobi")
    assert_of_python(error)
    assert error.diagnosis.cause


def test_the_automatic_solver_finds_the_cause():
    """Below the rounding level no choice reaches the tolerance. The message says so."""
    A = pygsolve.read("gen:poisson2d,n=30")
    error = failure(A, np.ones(A.shape[0]), rtol=1e-300)
    assert error.diagnosis.cause and error.diagnosis.cause in str(error)
    assert "--" not in str(error)


def test_errors_of_specs(poisson):
    with pytest.raises(pygsolve.BadSpec, match="arguments method and precond"):
        pygsolve.Solver(poisson, "auto,cg")
    A = sp.csr_array(sp.diags([1.0, 0.0, 2.0]))
    with pytest.raises(pygsolve.Error) as caught:
        pygsolve.solve(A, np.ones(3), method="direct,factor=cholesky", precond="none")
    assert "gsolve_" not in str(caught.value) and "--" not in str(caught.value)
