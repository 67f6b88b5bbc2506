"""Differentiable solves for PyTorch.

    x = pygsolve.torch.solve(A, b)      A: a sparse CSR tensor; gradients flow to A and to b

For x = A^-1 b and the gradient g of a loss with respect to x, the gradient with respect to b is v = A^-T g, and that with respect
to the entry a_ij is -v_i x_j: one adjoint solve, and no matrix but one with the pattern of A."""
from __future__ import annotations

from typing import Any

import torch as _torch

from ._solver import Solver


class _Solve(_torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, A: Any, b: Any, solver: Solver) -> Any:
        x = solver.solve(b)
        ctx.solver, ctx.dtype_of_b = solver, b.dtype
        ctx.save_for_backward(A, x)
        return x

    @staticmethod
    @_torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> tuple[Any, Any, None]:
        A, x = ctx.saved_tensors
        v = ctx.solver.adjoint.solve(g.contiguous())
        gradient = None
        if ctx.needs_input_grad[0]:
            start, col = A.crow_indices(), A.col_indices()
            row = _torch.repeat_interleave(_torch.arange(A.shape[0], device=A.device), start.diff())
            values = -v[row] * x[col.long()]
            gradient = _torch.sparse_csr_tensor(start, col, values if values.ndim == 1 else values.sum(1), size=A.shape)
            gradient = gradient.to(A.dtype)
        return gradient, v.to(ctx.dtype_of_b) if ctx.needs_input_grad[1] else None, None


def solve(A: Any, b: Any, *, solver: Solver | None = None, **options: Any) -> Any:
    """Solves A x = b; x has gradients with respect to A and b. A is a sparse CSR tensor, b has the shape (n,) or (n, k). solver: a
    `Solver` for A whose set-up is used again, which gets the values of A; options: those of a new `Solver`."""
    if A.layout != _torch.sparse_csr:
        raise TypeError(f"A has the layout {A.layout}; give A.to_sparse_csr(), so that its gradient has a pattern")
    if solver is None:
        solver = Solver(A, **options)
    else:
        solver.update(A.values())
    return _Solve.apply(A, b, solver)
