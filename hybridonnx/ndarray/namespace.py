"""`nd` as a frontend of operators: functions on arrays that run at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._lazy import Access
from ..ops import Frontend, Namespace, Operator, Option, Usage, find
from .invoke import call
from .np_shape import is_np_shape


def _function(cls: type[Operator], name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return call(cls, args, kwargs)

    def by_semantics(*args: Any, **kwargs: Any) -> Any:
        return call(find(cls.under_np_shape) if is_np_shape() else cls, args, kwargs)

    return by_semantics if cls.under_np_shape else function


USAGE = Usage(
    value="NDArray",
    fills_inputs=False,
    several="list[NDArray]",
    options=(
        Option("out", "NDArray | Sequence[NDArray] | None", "The array that receives the result, or a list."),
        Option("name", "str | None", "Without effect; symbols are named by it."),
    ),
)
ARRAYS = Frontend("nd", __name__.rpartition(".")[0], USAGE, _function, {})
operators = Namespace(ARRAYS)
F = Namespace(ARRAYS, for_users=False)
"""Every operator, those for gradients included."""


def group(name: str, own: Sequence[str] = ()) -> Access:
    """`__getattr__` and `__dir__` of the module of a group, whose `own` functions are no operators."""
    return Namespace(ARRAYS, name).access(own)
