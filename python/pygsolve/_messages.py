"""Sentences of the library in Python's spelling: it names options of the command and functions of C."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

# Whole phrases first: a name alone has no good translation there.
_PHRASES = (
    ("--null-space constants, in C gsolve_matrix_set_null_space", 'null_space="constants"'),
    ("the null space, the constants, by gsolve_matrix_set_null_space,", 'null_space="constants",'),
    ("--type f64", "give A and b as arrays of float64"),
    ("; call gsolve_precond_set_near_null or gsolve_precond_set_coordinates first", "; give near_null or coordinates"),
    ("to name methods and preconditioners, call gsolve_auto_set_choices", "methods and preconditioners are the arguments method and precond"),
    ("the automatic solver (gsolve_auto_create) has scale and order for every method",
     'scale and order are arguments of Solver, for method="auto", precond="auto"'),
    ("create a preconditioner from an approximate CSR matrix, by gsolve_precond_create_chebyshev or by gsolve_precond_create_function, and use "
     "a method other than direct", "give precond as a LinearOperator, such as aspreconditioner of an approximate matrix, and use a method "
     "other than direct"),
    ("; its flags (gsolve_matrix_set_flags) can say symmetric", ""),
    ("write all entries, without --symmetric", "write all entries, with symmetric=False"),
    ("give it with --setup, and the matrix with -A", "Python does not read it; give the file of the matrix"),
    ("with --cache", "with cache=True"),
    ("call MPI_Init_thread with MPI_THREAD_FUNNELED, or create the context with \"threads=1\"",
     'set mpi4py.rc.thread_level = "funneled" before MPI is imported, or give threads=1'),
    ("that --cache keeps", "that cache=True keeps"),
)
_FUNCTIONS = {"gsolve_matrix_update": "Solver.update", "gsolve_precond_update": "update", "gsolve_matrix_set_null_space": "null_space",
              "gsolve_auto_set_choices": "method and precond", "gsolve_csr_convert": "astype"}
_WORDS = {"solver": "method"}
_VALUE = r"[^\s;:]*[^\s;:.,]"


def _keyword(option: str) -> str:
    return _WORDS.get(option, option.replace("-", "_"))


def _argument(match: re.Match[str]) -> str:
    return f'{_keyword(match[1])}="{match[2]}"'


def in_python(sentence: str) -> str:
    """The sentence with arguments of Python instead of options of the command and functions of C."""
    for phrase, instead in _PHRASES:
        sentence = sentence.replace(phrase, instead)
    sentence = re.sub(r"^(rank \d+: )?gsolve_\w+: ", r"\1", sentence)
    sentence = re.sub(r"gsolve_\w+", lambda match: _FUNCTIONS.get(match[0], match[0]), sentence)
    sentence = re.sub(r"(--(?:solver|precond) " + _VALUE + ") (?=--)", r"\1, ", sentence)
    sentence = re.sub(r"--(solver|precond|scale|order|format) (?!(?:and|or|out)\b)(" + _VALUE + ")", _argument, sentence)
    sentence = re.sub(r"--(maxit|rtol|atol) ([0-9][0-9.e+-]*\b)", r"\1=\2", sentence)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda match: _keyword(match[1]), sentence)


@dataclass(frozen=True)
class Diagnosis:
    """Why a solve failed, and one thing to do about it. `name` is a short name of the cause for programs, such as "not symmetric";
    "" if the library found no cause. `arguments` are what the remedy changes: solve(A, b, **error.diagnosis.arguments); None stands
    for the default."""

    name: str = ""
    cause: str = ""
    remedy: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)


def _value(key: str, text: str) -> Any:
    if key in ("rtol", "atol"):
        return float(text)
    return None if text == "default" or (key in ("scale", "order") and text == "none") else int(text) if key == "maxit" else text


def diagnosis_of(name: str, cause: str, method: str, precond: str, options: str, remedy: str) -> Diagnosis:
    """Of the members of a gsolve_diagnosis."""
    arguments: dict[str, Any] = {key: text for key, text in (("method", method), ("precond", precond)) if text}
    for key, _, text in (pair.partition("=") for pair in options.split(",") if pair):
        if key in ("rtol", "atol", "maxit", "scale", "order", "null_space"):
            arguments[key] = _value(key, text)
    words = in_python(remedy)
    spelt = ", ".join(f'{key}="{text}"' for key, text in arguments.items() if isinstance(text, str))
    if spelt and "=" not in words:
        words = f"{words.rstrip('.')}: {spelt}."
    return Diagnosis(name, in_python(cause), words, arguments)
