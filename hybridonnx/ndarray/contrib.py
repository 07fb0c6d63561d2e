"""`nd.contrib`: the operators whose names begin with `_contrib_`, and functions made of others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..context import Context
from .control import cond as cond
from .control import foreach as foreach
from .control import while_loop as while_loop
from .namespace import group
from .ndarray import NDArray

if TYPE_CHECKING:
    from ._contrib_operators import *  # noqa: F403  (a stub)

_OWN = ["cond", "foreach", "isfinite", "isinf", "isnan", "rand_zipfian", "while_loop"]


def isnan(data: NDArray) -> NDArray:
    """1 where an element is not a number, else 0."""
    unequal: NDArray = data.F.broadcast_not_equal(data, data)
    return unequal


def isinf(data: NDArray) -> NDArray:
    """1 where an element is infinite, else 0."""
    infinite: NDArray = data.F.abs(data) == math.inf
    return infinite


def isfinite(data: NDArray) -> NDArray:
    """1 where an element is a number and not infinite, else 0."""
    finite: NDArray = data.F.abs(data) < math.inf
    return finite


def rand_zipfian(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Context | None = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Classes drawn from a Zipfian distribution, for sampled softmax.

    Returns the classes (num_sampled,), and how often the true ones and the sampled ones are expected.
    """
    from .random import uniform  # which imports the array class, too

    span = math.log(range_max + 1)
    F = NDArray.F
    draws = uniform(0, span, shape=(num_sampled,), dtype="float64", ctx=ctx)
    sampled = (F.exp(draws) - 1).astype("int64") % range_max

    def expected(classes: NDArray) -> NDArray:
        numbers = classes.as_in_context(draws.context).astype("float64")
        times: NDArray = F.log(1 + 1 / F._plus_scalar(numbers, scalar=1)) * (num_sampled / span)
        return times

    return sampled, expected(true_classes), expected(sampled)


if not TYPE_CHECKING:
    __getattr__, __dir__ = group("contrib", _OWN)
