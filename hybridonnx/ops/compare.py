"""Comparisons and logic; the result is 0 or 1 in the dtype of the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._operator import Array
from ._rows import binary, scalar

_CONSTANT = "it is piecewise constant"

Kernel = Callable[[Any, Any], Array]


def three(stem: str, fn: Kernel, alias: str) -> None:
    """One comparison in its forms: for arrays of one shape, for arrays that broadcast, and for a number."""
    broadcasting = f"broadcast_{stem}"
    hint = f"Use {broadcasting}, which broadcasts."
    binary(f"_{stem}", fn, _CONSTANT, f"_{alias}", elementwise=True, hint=hint)
    binary(broadcasting, fn, _CONSTANT)
    scalar(f"_{stem}_scalar", fn, _CONSTANT, f"_{alias.replace('_', '')}Scalar")


three("equal", np.equal, "Equal")
three("not_equal", np.not_equal, "Not_Equal")
three("greater", np.greater, "Greater")
three("greater_equal", np.greater_equal, "Greater_Equal")
three("lesser", np.less, "Lesser")
three("lesser_equal", np.less_equal, "Lesser_Equal")
three("logical_and", np.logical_and, "Logical_And")
three("logical_or", np.logical_or, "Logical_Or")
three("logical_xor", np.logical_xor, "Logical_Xor")
