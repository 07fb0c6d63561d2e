"""The first interface to autograd, which `mx.autograd` has taken the place of."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .. import autograd, ndarray
from ..autograd import mark_variables, set_recording, set_training
from ..autograd.scopes import Scope
from ..errors import RequirementError
from ..ndarray.ndarray import NDArray

__all__ = [
    "TrainingStateScope",
    "backward",
    "compute_gradient",
    "grad",
    "grad_and_loss",
    "mark_variables",
    "set_is_training",
    "test_section",
    "train_section",
]


def set_is_training(is_train: bool) -> bool:
    """Record, in training mode, from now on, or do neither. Returns whether training mode was on."""
    set_recording(is_train)
    return set_training(is_train)


class TrainingStateScope(Scope):
    """`set_is_training` inside a `with` block."""

    def __init__(self, enter_state: bool) -> None:
        super().__init__(bool(enter_state), bool(enter_state))


def train_section() -> TrainingStateScope:
    """A scope that records, in training mode."""
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """A scope that does not record, in prediction mode."""
    return TrainingStateScope(False)


def backward(
    outputs: Sequence[NDArray], out_grads: Sequence[Any] | None = None, retain_graph: bool = False
) -> None:
    """Compute the gradients of a list of outputs into those of the marked variables."""
    if not isinstance(outputs, list | tuple):
        raise RequirementError(f"backward: a list of NDArrays is required, got {type(outputs).__name__}.")
    autograd.backward(list(outputs), None if out_grads is None else list(out_grads), retain_graph)


def compute_gradient(outputs: Sequence[NDArray]) -> None:
    """`backward`, with gradients of 1."""
    backward(outputs)


def grad_and_loss(func: Callable[..., Any], argnum: int | Sequence[int] | None = None) -> Callable[..., Any]:
    """A function that gives the gradients of `func` in its arguments, and what `func` gives.

    Args:
        func: Takes arrays, and gives an array or a list of them.
        argnum: The number, or the numbers, of the arguments; all where not given.

    Returns:
        The function.
    """

    @functools.wraps(func)
    def differentiated(*args: Any) -> tuple[list[Any], Any]:
        numbers = range(len(args)) if argnum is None else [argnum] if isinstance(argnum, int) else argnum
        variables = [args[i] for i in numbers]
        for x in variables:
            if not isinstance(x, NDArray):
                raise RequirementError(f"grad_and_loss: NDArrays are required, got {type(x).__name__}.")
        gradients = [ndarray.zeros_like(x) for x in variables]
        mark_variables(variables, gradients)
        with train_section():
            outputs = func(*args)
        compute_gradient([outputs] if isinstance(outputs, NDArray) else outputs)
        return gradients, outputs

    return differentiated


def grad(func: Callable[..., Any], argnum: int | Sequence[int] | None = None) -> Callable[..., Any]:
    """A function that gives the gradients of `func` in its arguments, in those of the numbers `argnum`."""
    both = grad_and_loss(func, argnum)

    @functools.wraps(both)
    def gradients(*args: Any) -> list[Any]:
        result: list[Any] = both(*args)[0]
        return result

    return gradients
