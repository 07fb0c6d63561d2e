"""Networks on integers between QuantizeLinear and DequantizeLinear, within limits of what that may cost."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from ..context import Context
from ..dtypes import is_floating
from ..errors import MXNetError
from ..gluon.symbol_block import SymbolBlock
from ..ndarray.ndarray import NDArray
from ..ops import Array, Shape
from ..runtime.environment import saturates
from ..runtime.model_cache import nothing_kept
from ..symbol import qdq
from ..symbol.folding import with_norms_as_convolutions, with_norms_folded
from ..symbol.graph import output_name, with_own_names
from ..symbol.symbol import Symbol, var
from ._calibration import COLLECTORS, Collector, Ranges, collect

Example: TypeAlias = tuple[list[NDArray], NDArray | None]
"""The inputs of a batch, and its labels if there are any."""
_ROWS = 512
"""How many examples of the data the limits are measured with."""
_SENSITIVE_ROWS = 32
"""How many examples tell which layers lose the most."""
_ANYWAY = "name a dtype such as 'uint8' to have it anyway, or give other limits."
_ROUNDS = 7
_PAUSE = 0.05
"""Seconds after which the threads of the other network no longer look for work."""
_LEAST_TIME = 1e-3
"""Seconds below which nobody asks whether a network has become faster."""


class Limits(NamedTuple):
    """What integers may cost. Layers that lose the most stay on float32 until the network is within."""

    loss: float = 0.003
    """The part of the answers by which accuracy may fall, if the data have labels: 0.3 points."""
    error: float = 0.1
    """Without labels: the outputs' error, root mean square, as a part of how far they spread."""
    time: float = 1.0
    """The most that a call may take, of one on float32."""


class Options(NamedTuple):
    """What is asked for."""

    names: Collection[str]
    """Nodes that stay."""
    operators: Collection[str]
    """Operators that stay."""
    calib_mode: str
    dtype: str
    mode: str
    granularity: str
    limits: Limits | None

    def steps(self) -> qdq.Steps:
        """The integers: with "auto" uint8, and int8 of each filter's own scale for weights."""
        per_channel = self.dtype == "auto" or self.granularity == "channel-wise"
        dtype = np.dtype("int8" if self.dtype == "int8" else "uint8")
        return qdq.Steps(dtype, 63 if saturates() else 127, per_channel)


class Network:
    """A network for prediction that is to compute on integers."""

    def __init__(
        self,
        sym: Symbol,
        params: Mapping[str, NDArray],
        inputs: Sequence[str],
        shapes: Sequence[tuple[int, ...]],
        options: Options,
        ctx: Context,
    ) -> None:
        self.inputs, self.options, self.ctx = inputs, options, ctx
        self.original = sym, params
        known = {*params, *inputs}
        self._labels = [name for name in sym.list_inputs() if name not in known]
        arrays = {name: _single(value.asnumpy()) for name, value in params.items()}
        outputs, self._names = with_own_names(sym.outputs)
        folded, values, self._folded = with_norms_folded(Symbol(outputs), arrays)
        self._shapes = _shapes(folded, dict(zip(inputs, shapes, strict=False)))
        ranks = {name: len(shape) for name, shape in self._shapes.items()}
        self.symbol, self.params = with_norms_as_convolutions(folded, values, ranks)
        self.choice = self.choose()
        self.ranges: Ranges = {}

    def choose(self, without: Collection[str] = (), alone: bool = True) -> qdq.Choice:
        """What computes on integers if some more nodes stay."""
        stay = [own for name in self.options.names for own in self._names.get(name, ())]
        names = {*without, *(self._folded.get(name, name) for name in stay)}
        whole = alone and self.options.mode == "full"
        return qdq.choose(self.symbol, self.params, names, self.options.operators, whole)

    def calibrate(self, batches: Iterable[Sequence[NDArray]], collector: Collector) -> None:
        """Learn the ranges of what is to be quantized."""
        collector.include_layer = [output_name(entry) for entry in self.choice.tensors]
        params = {name: NDArray(array) for name, array in self.params.items()}
        collect(self.symbol, params, collector, self.inputs, batches, self.ctx)
        if self.options.calib_mode in COLLECTORS:
            self.ranges = cast(Any, collector).ranges("auto")
        else:
            self.ranges = dict(collector.min_max_dict)

    def quantized(self, choice: qdq.Choice | None = None) -> tuple[Symbol, dict[str, NDArray]]:
        """The graph on integers and its parameters."""
        chosen = self.choice if choice is None else choice
        known = self.ranges, chosen, self.options.steps(), self._shapes
        sym, arrays = qdq.with_integers(self.symbol, self.params, *known)
        return sym, {name: NDArray(array) for name, array in arrays.items()}

    def products(self) -> list[str]:
        """The names of the layers that are worth integers by themselves."""
        return [node.name for node in self.choice.nodes if node.op.names[0] in qdq.PRODUCTS]

    def block(self, sym: Symbol, params: Mapping[str, NDArray]) -> SymbolBlock:
        """A hybridized block of a graph with the same inputs, and behind them its labels."""
        result = block_of(sym, params, list(map(var, [*self.inputs, *self._labels])), self.ctx)
        result.hybridize()
        return result

    def feeds(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        """A batch with zeros for labels, which predictions do not read."""
        if not self._labels:
            return [*arrays]
        sym = self.original[0]
        shapes = {name: array.shape for name, array in zip(self.inputs, arrays, strict=False)}
        known = dict(zip(sym.list_arguments(), sym.infer_shape(**shapes)[0], strict=True))
        return [*arrays, *(NDArray(np.zeros(known[name], np.float32)) for name in self._labels)]


def _shapes(symbol: Symbol, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Shape]:
    """The shapes of the outputs inside of a graph, as far as those of inputs tell."""
    internals = symbol.get_internals()
    outputs = internals.infer_shape_partial(**shapes)[1] or ()
    return {name: shape for name, shape in zip(internals.list_outputs(), outputs, strict=True) if shape}


def block_of(
    sym: Symbol, params: Mapping[str, NDArray], inputs: Sequence[Symbol], ctx: Context
) -> SymbolBlock:
    """A block of a symbol and the values of its parameters."""
    block = SymbolBlock(sym, cast(Any, list(inputs)))
    for name, parameter in block.collect_params().items():
        value = params[name]
        parameter.dtype = value.dtype
        parameter.shape = value.shape
        parameter.initialize(ctx=ctx)
        parameter.set_data(value)
    return block


def _single(array: Array) -> Array:
    return array.astype(np.float32) if is_floating(array.dtype) else array


# ---- what it costs


class _Answers:
    """How far the answers of a network on integers are from those on float32."""

    def __init__(self, network: Network, examples: Sequence[Example]) -> None:
        self._batches = [network.feeds(arrays) for arrays, _ in examples]
        self._right = self.of(*network.original, network)
        labels = [label.asnumpy().ravel() for _, label in examples if label is not None]
        whole = np.concatenate(labels) if len(labels) == len(examples) else np.zeros(0)
        first = self._right[0]
        self._labels = whole if first.ndim == 2 and len(whole) == len(first) > 0 else None
        self.has_labels = self._labels is not None

    def of(self, sym: Symbol, params: Mapping[str, NDArray], network: Network) -> list[Array]:
        """The outputs for all examples."""
        block = network.block(sym, params)
        results = [block(*arrays) for arrays in self._batches]
        lists = [result if isinstance(result, list | tuple) else [result] for result in results]
        return [np.concatenate([y.asnumpy() for y in ys]) for ys in zip(*lists, strict=True)]

    def loss(self, outputs: Sequence[Array]) -> float:
        """By how much the accuracy falls, or the error if there are no labels."""
        if self._labels is None:
            return self.error(outputs)
        right, own = (np.mean(np.argmax(y[0], axis=1) == self._labels) for y in (self._right, outputs))
        return float(right - own)

    def error(self, outputs: Sequence[Array]) -> float:
        """The difference, root mean square, as a part of how far right outputs are from their means."""
        off = sum(_squares(a - b) for a, b in zip(outputs, self._right, strict=True))
        spread = sum(_squares(y - y.mean(axis=0)) for y in self._right)
        return float(np.sqrt(off / spread)) if spread else float(off > 0)


def _squares(x: Array) -> float:
    return float(np.sum(x.astype(np.float64) ** 2))


def within_limits(network: Network, limits: Limits, examples: Sequence[Example], logger: Any) -> qdq.Choice:
    """What computes on integers so that the limits hold: layers that lose most stay on float32.

    Raises:
        MXNetError: If nothing does, or a call takes longer than on float32.
    """
    with nothing_kept():
        answers = _Answers(network, examples)
        limit = limits.loss if answers.has_labels else limits.error
        choice = _search(network, answers, examples, limit, logger)
        _require_speed(network, choice, examples[0][0], limits.time)
    return choice


def _search(
    network: Network, answers: _Answers, examples: Sequence[Example], limit: float, logger: Any
) -> qdq.Choice:
    """The whole network, or as much as loses no more than the limit."""

    def attempt(count: int) -> tuple[qdq.Choice, float]:
        choice = network.choose(order[:count])
        loss = answers.loss(answers.of(*network.quantized(choice), network))
        if logger:
            logger.info("%d layers on float32: loss %.4f, of %.4f that may be.", count, loss, limit)
        return choice, loss

    order: list[str] = []
    choice, first = attempt(0)
    if first <= limit:
        return choice
    order = _most_sensitive(network, examples, logger)
    low, high = 0, 1  # with `low` layers left out it loses too much
    while (result := attempt(high))[1] > limit:
        if high >= len(order):
            break
        low, high = high, min(2 * high, len(order))
    if high >= len(order):
        raise MXNetError(
            f"quantized_dtype: a loss of at most {limit:g} is required, got {first:.4f}, and too much for "
            f"each layer alone. Calibrate with more data, {_ANYWAY}"
        )
    while high - low > 1:
        middle = (low + high) // 2
        other = attempt(middle)
        low, high, result = (low, middle, other) if other[1] <= limit else (middle, high, result)
    return result[0]


def _most_sensitive(network: Network, examples: Sequence[Example], logger: Any) -> list[str]:
    """The layers by the error that each has alone, the largest first."""
    products = network.products()
    answers = _Answers(network, _first_rows(examples, _SENSITIVE_ROWS))
    errors: dict[str, float] = {}
    for i, name in enumerate(products):
        choice = network.choose([other for other in products if other != name], alone=False)
        errors[name] = answers.error(answers.of(*network.quantized(choice), network))
        if logger:
            logger.info("Layer %d of %d: %s has an error of %.4f.", i + 1, len(products), name, errors[name])
    return sorted(products, key=errors.__getitem__, reverse=True)


def _first_rows(examples: Sequence[Example], count: int) -> list[Example]:
    rows = np.cumsum([len(arrays[0]) for arrays, _ in examples])
    return list(examples[: int(np.searchsorted(rows, count)) + 1])


def _require_speed(network: Network, choice: qdq.Choice, batch: list[NDArray], limit: float) -> None:
    """Raise unless a call takes no longer than on float32."""
    blocks = [network.block(*network.original), network.block(*network.quantized(choice))]
    times: list[list[float]] = [[], []]
    feeds = network.feeds(batch)
    for _ in range(_ROUNDS):
        for block, seconds in zip(blocks, times, strict=True):
            time.sleep(_PAUSE)
            block(*feeds)
            begin = time.perf_counter()
            block(*feeds)
            seconds.append(time.perf_counter() - begin)
    before, after = (min(seconds[1:]) for seconds in times)
    if after > max(before * limit, _LEAST_TIME):
        raise MXNetError(
            f"quantized_dtype: {limit:g} of the {1e3 * before:.2f} ms on float32 or less is required for a "
            f"call, got {1e3 * after:.2f} ms. Stay with float32 on this processor, {_ANYWAY}"
        )


def first_examples(batches: Iterator[Example]) -> list[Example]:
    """What the limits are measured with."""
    result: list[Example] = []
    rows = 0
    for arrays, label in batches:
        result.append((arrays, label))
        rows += len(arrays[0])
        if rows >= _ROWS:
            break
    return result
