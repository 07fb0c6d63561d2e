"""`sym.contrib`: the operators whose names begin with `_contrib_`, and functions made of others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..ops import find
from .compose import call
from .control import cond as cond
from .control import foreach as foreach
from .control import while_loop as while_loop
from .namespace import group
from .random import uniform
from .symbol import Symbol
from .update import adamw_update as adamw_update
from .update import mp_adamw_update as mp_adamw_update

if TYPE_CHECKING:
    from ._contrib_operators import *  # noqa: F403  (a stub)

_OWN = [
    "adamw_update",
    "cond",
    "foreach",
    "mp_adamw_update",
    "rand_zipfian",
    "while_loop",
]


def rand_zipfian(true_classes: Symbol, num_sampled: int, range_max: int) -> tuple[Symbol, Symbol, Symbol]:
    """Classes drawn from a Zipfian distribution, for sampled softmax.

    Returns the classes (num_sampled,), and how often the true ones and the sampled ones are expected.
    """
    span = math.log(range_max + 1)
    draws = uniform(0, span, shape=(num_sampled,), dtype="float64")
    sampled = _applied("Cast", _applied("exp", draws) - 1, dtype="int64") % range_max

    def expected(classes: Symbol) -> Symbol:
        ratio = (classes + 2.0) / (classes + 1.0)
        return _applied("log", ratio) / span * num_sampled

    true_numbers = _applied("Cast", true_classes, dtype="float64")
    sampled_numbers = _applied("Cast", sampled, dtype="float64")
    return sampled, expected(true_numbers), expected(sampled_numbers)


def _applied(name: str, data: Any, **attributes: Any) -> Symbol:
    return call(find(name), name, (data,), attributes, Symbol)


if not TYPE_CHECKING:
    __getattr__, __dir__ = group("contrib", _OWN)
