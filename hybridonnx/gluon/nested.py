"""Nested lists of arrays or symbols, flattened for a graph and put together again."""

from __future__ import annotations

from typing import Any

from .. import _nested
from .._nested import Format as Format
from .._nested import regroup as regroup
from ..symbol.symbol import Symbol
from .parameter import tensor_types


def flatten(value: Any, role: str) -> tuple[list[Any], Format]:
    """The items of a nested list in order, and how they were nested. `role` is "input" or "output".

    `None` is no item; a symbol of several outputs is one item, which `regroup` expects as several.
    """

    def refusal(item: Any) -> Exception:
        return ValueError(
            f"{role}: (nested) lists of arrays or of symbols are required, got {item!r} of {type(item)}. "
            "Pass other values as attributes of the block."
        )

    return _nested.flatten(value, _count, refusal)


def _count(value: Any) -> int | None:
    if not isinstance(value, tensor_types):
        return None
    return len(value) if isinstance(value, Symbol) and len(value) > 1 else 0


def flatten_with_gaps(args: Any, inout_str: str) -> tuple[list[Any], Format]:
    """What `flatten` gives, with `None` as an item where it stands."""
    if args is None:
        return [None], -1
    if not isinstance(args, list | tuple):
        return flatten(args, inout_str)
    parts = [flatten_with_gaps(item, inout_str) for item in args]
    return [item for items, _ in parts for item in items], [form for _, form in parts]


def regroup_with_gaps(args: list[Any], fmt: Format) -> Any:
    """The nested list that `flatten_with_gaps` was given."""
    return regroup([item for item in args if item is not None], fmt)
