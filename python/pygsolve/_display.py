"""What objects look like on a terminal and in a notebook."""
from __future__ import annotations

from html import escape
from typing import Any

import numpy as np


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def _rows(info: Any) -> list[tuple[str, str]]:
    rows = [("outcome", info.outcome), ("residual", f"{info.residual:.3e} = |b - A x| / |b|"), ("iterations", str(info.iterations)),
            ("method", info.method), ("precond", info.precond), ("format", info.format), ("device", info.device),
            *([("ranks", str(info.ranks))] if info.ranks > 1 else []),
            ("set-up", _seconds(info.setup_seconds)), ("solve", _seconds(info.solve_seconds))]
    return rows + ([("note", info.note)] if info.note else [])


def info_table(info: Any) -> str:
    return "\n".join(f"{name:<11}{value}" for name, value in _rows(info))


def info_html(info: Any) -> str:
    rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{escape(value)}</td></tr>" for name, value in _rows(info))
    return f"<table>{rows}</table>"


def plot_history(history: np.ndarray, label: str, axes: Any = None) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise ImportError("a plot needs matplotlib: pip install matplotlib") from missing
    if axes is None:
        axes = plt.figure().add_subplot()
    axes.semilogy(history, label=label)
    axes.set_xlabel("iteration")
    axes.set_ylabel("|b - A x| / |b|")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes
