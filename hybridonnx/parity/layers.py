"""The layers of two models side by side: how far off their values are, and what each layer adds.

What a layer adds by itself shows when the second model's nodes between two values that both models have take
the first model's: an error further up does not reach it, and its own remains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from ..converters.quantization import Grid
from ..errors import MXNetError
from ..ops import Array
from .difference import Difference, Exact, Verdict, difference
from .matching import Mark, Pair, by_marks, by_place, mark
from .models import Arrays, File, Graph
from .parameters import different
from .quantized import QuantizedFile, Saturation
from .results import Layer, ParameterDifference
from .rounding import Border, Expectation, Reference, rounded

_BUDGET = 256 << 20
"""Bytes of values that are compared at once."""
_AT_ONCE = 64
"""So many values are asked for in one run at most."""
_SEGMENTS = 4
"""In so many places at fault values are matched by their place."""
_ANY = (-np.inf, np.inf)
_NONE = np.zeros(())
"""What quantization may do where nothing is quantized."""
Watch: TypeAlias = Callable[[Expectation], None]
"""Is told what each value of the first model should be."""


class _Stop(NamedTuple):
    """Where the second model does not go on."""

    name: str
    other: str
    """The first value that it does not give."""
    reason: MXNetError


class Beside:
    """Two models and a sample: the values that are one, and the layers between them."""

    def __init__(
        self, first: tuple[Graph, Reference], second: Graph | File, inputs: Arrays, others: Arrays
    ) -> None:
        """Find the values that are one.

        Args:
            first: The first model, and what its values should be.
            second: The second one.
            inputs: The first model's inputs by name.
            others: The second model's, in the same order.
        """
        self._graph, self._reference = first
        self._second, self._inputs, self._others = second, inputs, others
        self._order = {name: i for i, name in enumerate(self._graph.values())}
        self._quantized = second if isinstance(second, QuantizedFile) else None
        self._stop: _Stop | None = None
        self._pairs: dict[str, Pair] = {}
        """By the first model's names, in its order."""
        self._match()

    def layers(self, watch: Watch | None = None) -> list[Layer]:
        """The layers that both models have, in the first one's order.

        Args:
            watch: Is told of every value, whether both models have it or not.
        """
        layers = self._judged(self._pairs, watch)
        for _ in range(_SEGMENTS):
            wide = next((layer for layer in layers.values() if not layer.ok() and len(layer.nodes) > 1), None)
            more = [] if wide is None else self._inside(wide.name)
            if not more:
                break
            before = self._sources()
            self._add(more)
            changed = {name for name, needs in self._sources().items() if before.get(name) != needs}
            layers |= self._judged(changed)
        done = [layers[name] for name in self._order if name in layers]
        return [*self._saturated_inputs(), *map(self._explained, done), *self._stopped()]

    # ---- values that are one

    def _match(self) -> None:
        """Pair values by name, and by number where names differ."""
        graph, second = self._graph, self._second
        values = second.values()
        names = {name: name for name in values}
        names |= {a: b for a, b in zip(graph.outputs(), second.outputs(), strict=False) if b in names}
        mine = {names[name]: name for name in self._order if name in names}
        shapes = graph.shapes(self._inputs)
        pairs = []
        for other, result in self._given(mine, shapes):
            if shapes.get(mine[other], result.shape) == result.shape:
                pairs.append(Pair(mine[other], other, result.dtype))
        self._add(pairs)
        taken = {pair.other for pair in pairs}
        rest = [name for name in values if name not in taken]
        left = [name for name in self._order if name not in self._pairs]
        if left and rest and self._stop is None:
            self._add(by_marks(self._marks(left, shapes), second, self._others, rest))

    def _given(
        self, mine: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]]
    ) -> Iterator[tuple[str, Array]]:
        """Those of the second model's values that it gives, in its order, in parts that fit into memory."""
        wanted = [name for name in self._second.values() if name in mine]
        for names in _parts(wanted, {other: shapes[name] for other, name in mine.items() if name in shapes}):
            try:
                yield from self._second.all(self._others, names).items()
            except MXNetError as exc:
                right = self._before_stop(names)
                self._stop = _Stop(mine[names[right]], names[right], exc)
                if right:
                    yield from self._second.all(self._others, names[:right]).items()
                return

    def _before_stop(self, names: Sequence[str]) -> int:
        """How many of these values the second model gives before the first that it does not give."""
        right, wrong = 0, len(names)
        while wrong - right > 1:
            middle = (right + wrong) // 2
            try:
                self._second.all(self._others, names[:middle])
            except MXNetError:
                wrong = middle
            else:
                right = middle
        return right

    def _marks(self, names: Sequence[str], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Mark]:
        """What tells the first model's values from others."""
        results = (
            item for part in _parts(names, shapes) for item in self._graph.all(self._inputs, part).items()
        )
        return {name: sign for name, result in results if (sign := mark(result)) is not None}

    def _inside(self, name: str) -> list[Pair]:
        """Values that are one by their place, among those that a value at fault is computed from."""
        borders = {pair.name: pair.dtype for pair in self._pairs.values()}
        needed = {name, *self._graph.between([name], borders), *self._graph.sources([name], borders)}
        exact: Arrays = {}
        size = 0
        for item in self._reference.run(self._inputs, self._borders()):
            if item.name in needed:
                exact[item.name] = rounded(item.exact, item.own.dtype)
                size += exact[item.name].nbytes
            if item.name == name or size > _BUDGET:
                break
        given = {
            mine: (other, x) for (other, x), mine in zip(self._others.items(), self._inputs, strict=False)
        }
        pairs = [*self._pairs.values()]
        return by_place((self._graph, self._second), pairs, exact, given, self._pairs[name])

    def _add(self, pairs: Iterable[Pair]) -> None:
        grids = {} if self._quantized is None else self._quantized.grids
        known = [*self._pairs.values(), *(pair._replace(grid=grids.get(pair.other)) for pair in pairs)]
        self._pairs = {pair.name: pair for pair in sorted(known, key=lambda pair: self._order[pair.name])}

    def _borders(self) -> dict[str, Border]:
        """What the second model has of values and inputs, by the first model's names."""
        borders = {pair.name: pair.border() for pair in self._pairs.values()}
        if self._quantized is not None:
            grids = self._quantized.grids
            pairs = zip(self._inputs, self._others.items(), strict=False)
            borders |= {name: Border(x.dtype, grids[other]) for name, (other, x) in pairs if other in grids}
        return borders

    def _theirs(self) -> set[str]:
        """What the second model calls the values that are one."""
        return {pair.other for pair in self._pairs.values()}

    def _sources(self) -> dict[str, set[str]]:
        """What the second model computes each value from, by its own names."""
        borders = self._theirs()
        return {name: self._second.sources([pair.other], borders) for name, pair in self._pairs.items()}

    # ---- what each layer adds

    def _judged(self, names: Collection[str], watch: Watch | None = None) -> dict[str, Layer]:
        """What the second model's nodes err from the first's values on, and where both run whole."""
        sources, borders = self._sources(), self._theirs()
        uses = Counter(source for name in names for source in sources[name])
        grids = {} if self._quantized is None else self._quantized.grids
        given = {name: Border(x.dtype, grids.get(name)).rounded(x) for name, x in self._others.items()}
        layers: dict[str, Layer] = {}
        for batch in _batches(self._values(names, watch)):
            for item in batch:
                pair = self._pairs[item.name]
                if uses[pair.other]:
                    given[pair.other] = pair.border().rounded(item.exact)
            judged = {self._pairs[item.name].other: item for item in batch if item.name in names}
            if not judged:
                continue
            needs = Counter(source for item in judged.values() for source in sources[item.name])
            near = {name: x for name, x in given.items() if name in needs}
            own, whole = self._second.part([*judged], near), self._second.all(self._others, [*judged])
            steps = self._allowed(near, own), self._allowed(self._others, whole)
            for other, item in judged.items():
                if whole[other].shape == item.exact.shape:
                    nodes = tuple(self._second.makers([other], borders))
                    allowed = steps[0].get(other, _NONE), steps[1].get(other, _NONE)
                    layer = _layer(item, self._pairs[item.name], (own[other], whole[other]), allowed)
                    layers[item.name] = self._saturated(item, replace(layer, nodes=nodes))
            uses -= needs
            given = {name: x for name, x in given.items() if uses[name]}
        return layers

    def _values(self, names: Collection[str], watch: Watch | None) -> Iterator[Expectation]:
        """What the values of both models should be, as far as some of them need it, or somebody watches."""
        left = {*names}
        for item in self._reference.run(self._inputs, self._borders()):
            if watch is not None:
                watch(item)
            if item.name in self._pairs:
                yield item
            left.discard(item.name)
            if not left and watch is None:
                return

    def _allowed(self, given: Arrays, results: Arrays) -> Arrays:
        """How far off quantization may put the second model's values, if it is quantized."""
        return {} if self._quantized is None else self._quantized.allowed(given, results)

    # ---- what there is to say of layers

    def _saturated_inputs(self) -> Iterator[Layer]:
        """Inputs with what their integers in the second model cannot say, as layers."""
        grids = {} if self._quantized is None else self._quantized.grids
        for name, (other, x) in zip(self._inputs, self._others.items(), strict=False):
            beyond = Saturation(x, grids[other], _ANY) if other in grids else None
            if beyond is not None and beyond.count:
                own = difference(name, x, _within(grids[other], x), Exact(x, np.inf))
                layer = Layer(replace(own, other=other), None, step=grids[other].scale)
                yield beyond.told(layer)

    def _saturated(self, item: Expectation, layer: Layer) -> Layer:
        """A layer that is quantized with its step, and with what its integers cannot say."""
        grid = self._pairs[item.name].grid
        if grid is None:
            return layer
        beyond = Saturation(item.nearby.exact, grid, self._graph.range_of(item.name))
        return beyond.told(replace(layer, step=grid.scale))

    def _explained(self, layer: Layer) -> Layer:
        """A layer with the first model's nodes, and with parameters that differ if it is at fault."""
        name, other = layer.name, layer.own.other
        layer = replace(
            layer,
            origins=tuple(self._graph.makers([name], self._pairs)),
            facts=self._second.facts([other], self._theirs()),
            origin_facts=self._graph.facts([name], self._pairs),
        )
        return layer if layer.ok() else replace(layer, parameters=self._parameters(name, other))

    def _parameters(self, name: str, other: str) -> tuple[ParameterDifference, ...]:
        mine = self._graph.parameters_of([name], self._pairs)
        theirs = self._second.parameters_of([other], self._theirs())
        return different(self._graph, mine, self._second, theirs)

    def _stopped(self) -> Iterator[Layer]:
        """The layer at which the second model does not go on."""
        if self._stop is None:
            return
        name, other, reason = self._stop
        far = float("inf")
        own = Difference(name, (), far, far, Verdict.FAULT, other, share=far, note=str(reason))
        yield self._explained(Layer(own, None, tuple(self._second.makers([other], self._theirs()))))


def _layer(
    item: Expectation, pair: Pair, results: tuple[Array, Array], allowed: tuple[Array, Array]
) -> Layer:
    """A layer: what the second model gives from the first's values on, and where both run whole."""
    exact, bound, mine = item.nearby
    own, whole = (_within(pair.grid, x) for x in results)
    near = Exact(_within(pair.grid, exact), bound, allowed[0])
    far = Exact(_within(pair.grid, item.exact), item.bound, allowed[1])
    return Layer(
        replace(difference(item.name, _within(pair.grid, mine), own, near), other=pair.other),
        difference(item.name, _within(pair.grid, item.own), whole, far),
    )


def _within(grid: Grid | None, x: Array) -> Array:
    """A value within the range that it is quantized in, which may say a relu as well."""
    return x if grid is None else np.clip(x, *grid.range()).astype(x.dtype)


def _batches(items: Iterator[Expectation]) -> Iterator[list[Expectation]]:
    """Values that fit into memory together."""
    batch: list[Expectation] = []
    size = 0
    for item in items:
        batch.append(item)
        size += 5 * item.exact.nbytes
        if size > _BUDGET:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _parts(names: Sequence[str], shapes: Mapping[str, tuple[int, ...]]) -> Iterator[list[str]]:
    """Names of values that fit into memory together."""
    part: list[str] = []
    size = 0
    for name in names:
        part.append(name)
        size += 4 * int(np.prod(shapes.get(name, ()), dtype=np.int64))
        if size > _BUDGET or len(part) == _AT_ONCE:
            yield part
            part, size = [], 0
    if part:
        yield part
