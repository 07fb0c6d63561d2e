"""Nested lists of arrays or symbols, flattened for a graph and put together again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ..symbol.symbol import Symbol
from .parameter import tensor_types

Format: TypeAlias = "int | list[Format]"
"""What stands at a position: 0 for one item, -1 for `None`, n for the n outputs of one symbol, or a list."""


def flatten(value: Any, role: str) -> tuple[list[Any], Format]:
    """The items of a nested list in order, and how they were nested. `role` is "input" or "output".

    `None` is no item; a symbol of several outputs is one item, which `regroup` expects as several.
    """
    if isinstance(value, tensor_types):
        several = isinstance(value, Symbol) and len(value) > 1
        return [value], len(value) if several else 0
    if value is None:
        return [], -1
    if not isinstance(value, list | tuple):
        raise ValueError(
            f"{role}: (nested) lists of arrays or of symbols are required, got {value!r} of {type(value)}. "
            "Pass other values as attributes of the block."
        )
    flat: list[Any] = []
    formats: list[Format] = []
    for item in value:
        items, form = flatten(item, role)
        flat += items
        formats.append(form)
    return flat, formats


def regroup(flat: Sequence[Any], form: Format) -> Any:
    """The nested list of format `form` with the items of `flat`."""
    value, rest = _take(list(flat), form)
    if rest:
        raise ValueError(f"outputs: items of the format {form} are required, got {len(rest)} more.")
    return value


def _take(flat: list[Any], form: Format) -> tuple[Any, list[Any]]:
    if form == -1:
        return None, flat
    if form == 0:
        return flat[0], flat[1:]
    if isinstance(form, int):
        return flat[:form], flat[form:]
    values = []
    for item in form:
        value, flat = _take(flat, item)
        values.append(value)
    return values, flat
