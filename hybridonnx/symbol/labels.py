"""Shapes of labels, which only training reads, where the shapes of the data have to tell them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..errors import MXNetError
from .graph import topological
from .symbol import Symbol

Shape = tuple[int, ...]


def label_shapes(symbol: Symbol, labels: Sequence[str], shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    """Shapes that labels may have, as far as they are to be known.

    A label that the graph reshapes, such as the words that a language model is to give, has any shape that
    fits: that of an input, or that of what the loss reads.

    Args:
        symbol: A graph whose losses read the labels.
        labels: The names of variables.
        shapes: The shapes of other inputs by name.

    Returns:
        A shape by name; labels without one are left out.
    """
    known = {name: shape for name, shape in shapes.items() if name in symbol.list_inputs()}
    data = list(known.values())
    for name in labels:
        shape = _inferred(symbol, known).get(name)
        if not _is_known(shape):
            fit = (
                candidate
                for candidate in _candidates(symbol, known, data)
                if _fits(symbol, known, name, candidate)
            )
            shape = next(fit, None)
        if shape is not None:
            known[name] = shape
    return {name: known[name] for name in labels if name in known}


def _inferred(symbol: Symbol, known: Mapping[str, Shape]) -> dict[str, Shape | None]:
    arguments, _, _ = symbol.infer_shape_partial(**known)
    return dict(zip(symbol.list_arguments(), arguments, strict=True))


def _candidates(symbol: Symbol, known: Mapping[str, Shape], data: Sequence[Shape]) -> Iterator[Shape]:
    """The shapes of the inputs, then those of what operators read as labels."""
    yield from data
    parts = symbol.get_internals()
    _, shapes, _ = parts.infer_shape_partial(**known)
    by_entry = dict(zip(parts.outputs, shapes, strict=True))
    for node in topological(symbol.outputs):
        if not node.is_variable and node.is_known and node.op.labels:
            for entry, name in zip(node.inputs, node.op.input_names(), strict=False):
                shape = by_entry.get(entry)
                if name in node.op.labels and shape is not None and _is_known(shape):
                    yield shape


def _fits(symbol: Symbol, known: Mapping[str, Shape], name: str, shape: Shape) -> bool:
    try:
        symbol.infer_shape_partial(**{**known, name: shape})
    except MXNetError:
        return False
    return True


def _is_known(shape: Shape | None) -> bool:
    return bool(shape) and 0 not in (shape or ())
