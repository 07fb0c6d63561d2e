"""`sym` as a frontend of operators: functions on symbols that add a node to a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ndarray.np_shape import is_np_shape
from ..ops import Frontend, Operator, Option, Usage, find
from .compose import Outputs, call

USAGE = Usage(
    value="Symbol",
    fills_inputs=True,
    several="Symbol",
    options=(
        Option("name", "str | None", "The node's name; the operator's and a number if there is none."),
        Option("attr", "Mapping[str, str] | None", "Attributes of your own, as __name__ to text."),
    ),
    others="Attributes of your own as __name__=value, and lr_mult, wd_mult, ctx_group and the like.",
)
_ONLY_ARRAYS = (
    " Symbols have no values: make a variable with var, a constant parameter with get_constant, "
    "or use full, zeros, ones and arange."
)
_HINTS = dict.fromkeys(("array", "from_numpy", "empty"), _ONLY_ARRAYS)


def frontend(kind: type[Outputs]) -> Frontend:
    """The frontend whose functions make symbols of class `kind` of no symbols."""

    def operator_function(cls: type[Operator], name: str) -> Callable[..., Any]:
        def function(*args: Any, **kwargs: Any) -> Any:
            return call(cls, name, args, kwargs, kind)

        def by_semantics(*args: Any, **kwargs: Any) -> Any:
            return call(find(cls.under_np_shape) if is_np_shape() else cls, name, args, kwargs, kind)

        return by_semantics if cls.under_np_shape else function

    return Frontend("symbol", __name__.rpartition(".")[0], USAGE, operator_function, _HINTS)
