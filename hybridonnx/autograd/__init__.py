"""Recording of operators as they run, and gradients of what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .function import Function
from .gradients import backward, grad, mark_variables
from .scopes import (
    is_recording,
    is_training,
    pause,
    predict_mode,
    record,
    set_recording,
    set_training,
    train_mode,
)

if TYPE_CHECKING:
    from ..ndarray.ndarray import NDArray
    from ..symbol.symbol import Symbol

__all__ = [
    "Function",
    "backward",
    "get_symbol",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]


def get_symbol(x: NDArray) -> Symbol:
    """What was recorded to compute an array, as a symbol; arrays that nothing computed are variables."""
    from ..symbol.recording import symbol_of  # arrays and symbols stand on this package's other modules

    return symbol_of(x)
