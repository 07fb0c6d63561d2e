"""Nested lists, flattened and put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Format: TypeAlias = "int | list[Format]"
"""What stands at a position: 0 for one item, -1 for `None`, n for n items that are one, or a list."""


def flatten(
    value: Any, count: Callable[[Any], int | None], refusal: Callable[[Any], Exception]
) -> tuple[list[Any], Format]:
    """The items of a nested list in order, and how they were nested.

    `count` gives an item's format (0, or n if it stands for n items), `None` for what is no item. `refusal`
    makes the error for what is neither an item nor a list. `None` is no item, and leaves a gap.
    """
    several = count(value)
    if several is not None:
        return [value], several
    if value is None:
        return [], -1
    if not isinstance(value, list | tuple):
        raise refusal(value)
    flat: list[Any] = []
    formats: list[Format] = []
    for item in value:
        items, form = flatten(item, count, refusal)
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
