"""The layers of two models side by side: how far off their values are, and what each layer adds.

What a layer adds by itself shows when the second model's nodes between two values that both models have take
the first model's: an error further up does not reach it, and its own remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..ops import Array
from .difference import Difference, Exact, difference
from .matching import Mark, Pair, by_marks, by_place, mark
from .models import Arrays, File, Graph
from .results import Layer
from .rounding import Expectation, Reference, rounded

_BUDGET = 256 << 20
"""Bytes of values that are compared at once."""
_SEGMENTS = 4
"""In so many places at fault values are matched by their place."""


def compare(
    first: tuple[Graph, Reference], second: Graph | File, inputs: Arrays, others: Arrays
) -> list[Layer]:
    """The layers that both models have, in the first one's order.

    Args:
        first: The first model, and what its values should be.
        second: The second one.
        inputs: The first model's inputs by name.
        others: The second model's, in the same order.
    """
    graph, reference = first
    pairs, whole = _pairs(first, second, inputs, others)
    layers = _layers(reference, second, inputs, others, pairs, whole)
    for _ in range(_SEGMENTS):
        wide = next((layer for layer in layers if not layer.ok() and len(layer.nodes) > 1), None)
        more = [] if wide is None else _inside(first, second, inputs, others, pairs, wide.name)
        if not more:
            break
        pairs = _in_order(graph, [*pairs, *more])
        whole |= dict(_whole(reference, second, inputs, others, {pair.name: pair.other for pair in more}))
        layers = _layers(reference, second, inputs, others, pairs, whole)
    borders = {pair.name for pair in pairs}
    return [replace(layer, origins=tuple(graph.makers([layer.name], borders))) for layer in layers]


# ---- the whole models


def _pairs(
    first: tuple[Graph, Reference], second: Graph | File, inputs: Arrays, others: Arrays
) -> tuple[list[Pair], dict[str, Difference]]:
    """The values that are one by name or number, and how far they are off where both models run whole."""
    graph, reference = first
    values = second.values()
    names = {name: name for name in values}
    names |= {a: b for a, b in zip(graph.outputs(), second.outputs(), strict=False) if b in names}
    pairs: list[Pair] = []
    whole: dict[str, Difference] = {}
    marks: dict[str, Mark] = {}
    for batch in _batches(reference.run(inputs)):
        wanted = [names[item.name] for item in batch if item.name in names]
        results = second.all(others, wanted) if wanted else {}
        for item in batch:
            result = results.get(names.get(item.name, ""))
            if result is not None and result.shape == item.exact.shape:
                pairs.append(Pair(item.name, names[item.name], result.dtype))
                whole[item.name] = _difference(item, result)
            elif (sign := mark(item.exact)) is not None:
                marks[item.name] = sign
    taken = {pair.other for pair in pairs}
    rest = [name for name in values if name not in taken]
    if marks and rest:
        renamed = dict(by_marks(marks, second, others, rest))
        for name, error in _whole(reference, second, inputs, others, renamed):
            pairs.append(Pair(name, renamed[name], np.dtype(error.dtype)))
            whole[name] = error
    return _in_order(graph, pairs), whole


def _whole(
    reference: Reference, second: Graph | File, inputs: Arrays, others: Arrays, renamed: Mapping[str, str]
) -> Iterator[tuple[str, Difference]]:
    """How far values are off, called otherwise in the second model, where both models run whole."""
    for batch in _batches(item for item in reference.run(inputs) if item.name in renamed):
        results = second.all(others, [renamed[item.name] for item in batch])
        yield from ((item.name, _difference(item, results[renamed[item.name]])) for item in batch)


def _in_order(graph: Graph, pairs: Iterable[Pair]) -> list[Pair]:
    order = {name: i for i, name in enumerate(graph.values())}
    return sorted(pairs, key=lambda pair: order[pair.name])


def _inside(
    first: tuple[Graph, Reference],
    second: Graph | File,
    inputs: Arrays,
    others: Arrays,
    pairs: Sequence[Pair],
    name: str,
) -> list[Pair]:
    """Values that are one by their place, among those that a value at fault is computed from."""
    graph, reference = first
    borders = {pair.name: pair.dtype for pair in pairs}
    needed = {name, *graph.between([name], borders), *graph.sources([name], borders)}
    exact: Arrays = {}
    size = 0
    for item in reference.run(inputs, borders):
        if item.name in needed:
            exact[item.name] = rounded(item.exact, item.own.dtype)
            size += exact[item.name].nbytes
        if item.name == name or size > _BUDGET:
            break
    given = {mine: (other, x) for (other, x), mine in zip(others.items(), inputs, strict=False)}
    end = next(pair for pair in pairs if pair.name == name)
    return by_place((graph, second), pairs, exact, given, end)


def _batches(items: Iterator[Expectation]) -> Iterator[list[Expectation]]:
    """Values that fit into memory together."""
    batch: list[Expectation] = []
    size = 0
    for item in items:
        batch.append(item)
        size += 4 * item.exact.nbytes
        if size > _BUDGET:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _difference(item: Expectation, result: Array) -> Difference:
    return difference(item.name, item.own, result, Exact(item.exact, item.bound))


# ---- what each layer adds


def _layers(
    reference: Reference,
    second: Graph | File,
    inputs: Arrays,
    others: Arrays,
    pairs: Sequence[Pair],
    whole: Mapping[str, Difference],
) -> list[Layer]:
    """What the second model's nodes err from the first's values on."""
    by_name = {pair.name: pair for pair in pairs}
    borders = {pair.other for pair in pairs}
    sources = {pair.other: second.sources([pair.other], borders) for pair in pairs}
    last = {source: other for other, needs in sources.items() for source in needs}
    given: Arrays = dict(others)
    entries = {name: pair.dtype for name, pair in by_name.items()}
    layers: list[Layer] = []
    for batch in _batches(item for item in reference.run(inputs, entries) if item.name in by_name):
        for item in batch:
            pair = by_name[item.name]
            given[pair.other] = rounded(item.exact, pair.dtype)
        wanted = [by_name[item.name].other for item in batch]
        results = second.part(wanted, _needed(given, sources, wanted))
        for item in batch:
            other = by_name[item.name].other
            own = replace(_difference(item, results[other]), other=other)
            layers.append(Layer(own, whole.get(item.name), tuple(second.makers([other], borders))))
        for other in wanted:
            for source in sources[other]:
                if last[source] == other:
                    given.pop(source, None)
    return layers


def _needed(given: Arrays, sources: Mapping[str, set[str]], wanted: Sequence[str]) -> Arrays:
    names = {name for other in wanted for name in sources[other]}
    return {name: array for name, array in given.items() if name in names}
