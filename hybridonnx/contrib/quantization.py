"""Models on 8-bit integers, made of trained models: `quantize_model`, `quantize_net`, and their steps.

Operators that have a quantized form give way to it (`hybridonnx.symbol.quantization`), parameters become
int8, and calibration finds the ranges of what is computed: the least and the largest value of some data, or
by entropy the thresholds that keep most of the information. Without calibration each batch tells its own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from ..context import Context, cpu
from ..errors import MXNetError
from ..gluon.hybrid_block import HybridBlock, input_name
from ..gluon.symbol_block import SymbolBlock
from ..io import DataDesc, DataIter
from ..ndarray import contrib
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..symbol.quantization import offline, quantized, with_ranges
from ..symbol.symbol import Group, Symbol

__all__ = [
    "calib_graph",
    "combine_histogram",
    "quantize_graph",
    "quantize_model",
    "quantize_model_mkldnn",
    "quantize_net",
    "quantize_net_v2",
]

_CPU = cpu()

Params: TypeAlias = Mapping[str, NDArray]
Ranges: TypeAlias = dict[str, tuple[float, float]]
Names: TypeAlias = list[str] | None
_BINS = 8001
_VALUES = 255
"""How many values int8 has here; uint8 twice as many, and one."""


class Collector(Protocol):
    """What sees the outputs that are to be calibrated; its `min_max_dict` has the ranges in the end."""

    min_max_dict: Ranges
    include_layer: Any

    def collect(self, name: str, arr: NDArray) -> None:
        """See an output of one batch."""


class _MinMaxCollector:
    """Keeps the least and the largest value of each output."""

    def __init__(self) -> None:
        self.min_max_dict: Ranges = {}
        self.include_layer: Any = None

    def collect(self, name: str, arr: NDArray) -> None:
        """See an output of one batch."""
        values = arr.asnumpy()
        low, high = float(values.min()), float(values.max())
        before = self.min_max_dict.get(name, (low, high))
        self.min_max_dict[name] = min(low, before[0]), max(high, before[1])

    def ranges(self, dtype: str) -> Ranges:
        """The range of each output."""
        return self.min_max_dict


class _HistogramCollector:
    """Counts the values of each output in bins."""

    def __init__(self) -> None:
        self.hist_dict: dict[str, tuple[Array, Array, float, float, float]] = {}
        self.include_layer: Any = None

    def collect(self, name: str, arr: NDArray) -> None:
        """See an output of one batch."""
        values = arr.asnumpy()
        low, high = float(values.min()), float(values.max())
        bound = max(abs(low), abs(high))
        if name in self.hist_dict:
            self.hist_dict[name] = combine_histogram(self.hist_dict[name], values, low, high, bound)
        else:
            counts, edges = np.histogram(values, bins=_BINS, range=(-bound, bound))
            self.hist_dict[name] = counts, edges, low, high, bound

    def ranges(self, dtype: str) -> Ranges:
        """The range of each output that keeps most of the information of its histogram."""
        return {name: _best_range(histogram, dtype) for name, histogram in self.hist_dict.items()}


_COLLECTORS = {"naive": _MinMaxCollector, "entropy": _HistogramCollector}


def combine_histogram(
    old_hist: tuple[Array, Array, float, float, float],
    arr: Array,
    new_min: float,
    new_max: float,
    new_th: float,
) -> tuple[Array, Array, float, float, float]:
    """A histogram with more values in it, in more bins of the same width if they are beyond it.

    A histogram is the counts, the bins' edges, the least and the largest value, and the larger size of these.
    """
    counts, edges, low, high, bound = old_hist
    low, high = min(low, new_min), max(high, new_max)
    if new_th <= bound:
        more, _ = np.histogram(arr, bins=len(counts), range=(-bound, bound))
        return counts + more, edges, low, high, bound
    if not bound:
        more, edges = np.histogram(arr, bins=len(counts), range=(-new_th, new_th))
        more[len(more) // 2] += counts.sum()
        return more, edges, low, high, new_th
    width = 2 * bound / len(counts)
    aside = int((new_th - bound) // width + 1)
    bound += aside * width
    more, edges = np.histogram(arr, bins=len(counts) + 2 * aside, range=(-bound, bound))
    more[aside : aside + len(counts)] += counts
    return more, edges, low, high, bound


def _best_range(histogram: tuple[Array, Array, float, float, float], dtype: str) -> tuple[float, float]:
    counts, edges, low, _, bound = histogram
    positive = low >= 0 and dtype != "int8"
    values = 2 * _VALUES + 1 if positive else _VALUES
    if not bound:
        return 0.0, 0.0
    best, _ = contrib.calibrate_entropy(
        NDArray(counts.astype(np.float32)), NDArray(edges.astype(np.float32)), num_quantized_bins=values
    )
    threshold = float(best.asscalar())
    return (0.0 if positive else -threshold), threshold


# ---- graphs


def quantize_graph(
    sym: Symbol,
    arg_params: Params,
    aux_params: Params,
    ctx: Context | None = _CPU,
    excluded_sym_names: Names = None,
    excluded_op_names: Names = None,
    calib_mode: str | None = "entropy",
    quantized_dtype: str = "int8",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    LayerOutputCollector: Any = None,
    logger: Any = None,
) -> tuple[Symbol, dict[str, NDArray], Params, Any]:
    """A symbol on integers with its parameters, and what collects the values that calibrate it.

    Give the collector's `collect(name, array)` the outputs of `sym` that are in its `include_layer`, and then
    the collector to `calib_graph`. With `calib_mode` "none" there is none, and with "customize" it is
    `LayerOutputCollector`, whose `min_max_dict` has the ranges.
    """
    _require_options(quantized_dtype, quantize_mode, quantize_granularity)
    _require_names("excluded_sym_names", "symbols", excluded_sym_names)
    _require_names("excluded_op_names", "operators", excluded_op_names)
    calibrated = calib_mode not in (None, "none")
    collector = _collector(calib_mode, LayerOutputCollector) if calibrated else None
    qsym, layers = quantized(
        sym,
        excluded_sym_names or (),
        excluded_op_names or (),
        arg_params.keys(),
        quantized_dtype,
        quantize_mode == "full",
        calibrated,
    )
    if logger:
        logger.info("Quantized %s: %d outputs can be calibrated.", sym.name, len(layers))
    if collector is not None:
        collector.include_layer = layers
    return qsym, _quantized_params(qsym, arg_params), aux_params, collector


def calib_graph(
    qsym: Symbol,
    arg_params: Params,
    aux_params: Params,
    collector: Any,
    calib_mode: str | None = "entropy",
    quantized_dtype: str = "int8",
    logger: Any = logging,
) -> tuple[Symbol, dict[str, NDArray], Params]:
    """The symbol of `quantize_graph` with the ranges that its collector found."""
    ranges: Ranges = {}
    if calib_mode not in (None, "none"):
        _collector(calib_mode, collector)
        ranges = collector.ranges(quantized_dtype) if calib_mode in _COLLECTORS else collector.min_max_dict
    if logger:
        logger.info("Calibrated %d outputs.", len(ranges))
    return with_ranges(qsym, ranges), _quantized_params(qsym, arg_params), aux_params


def _collector(mode: str | None, own: Any) -> Any:
    if mode in _COLLECTORS:
        return own if own is not None else _COLLECTORS[mode]()
    if mode != "customize" or own is None:
        raise ValueError(
            "calib_mode: one of none, naive, entropy, and customize with a LayerOutputCollector is required, "
            f"got {mode}."
        )
    return own


def _require_options(dtype: str, mode: str, granularity: str) -> None:
    if dtype not in ("int8", "uint8", "auto"):
        raise ValueError(f"quantized_dtype: one of int8, uint8, auto is required, got {dtype}.")
    if mode not in ("full", "smart"):
        raise MXNetError(f"quantize_mode: one of full, smart is required, got {mode}.")
    if granularity not in ("tensor-wise", "channel-wise"):
        raise ValueError(
            f"quantize_granularity: one of tensor-wise, channel-wise is required, got {granularity}."
        )


def _require_names(argument: str, what: str, names: Any) -> None:
    if names is not None and not isinstance(names, list):
        raise ValueError(f"{argument}: a list of names of {what} is required, got {type(names).__name__}.")


def _quantized_params(qsym: Symbol, params: Params) -> dict[str, NDArray]:
    """The parameters of a quantized symbol, of which some are integers and the ends of their ranges."""
    result: dict[str, NDArray] = {}
    integers: dict[str, Any] = {}
    for name in qsym.list_arguments():
        source, output = offline(name, params)
        if name in params:
            result[name] = params[name]
        elif source:
            if source not in integers:
                value = params[source].astype(np.float32)
                ends = NDArray.F.min(value).reshape((1,)), NDArray.F.max(value).reshape((1,))
                integers[source] = contrib.quantize(value, *ends, out_type="int8")
            result[name] = integers[source][output]
    return result


# ---- models


def quantize_model(
    sym: Symbol,
    arg_params: Params,
    aux_params: Params,
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] = ("softmax_label",),
    ctx: Context | None = _CPU,
    excluded_sym_names: Names = None,
    excluded_op_names: Names = None,
    calib_mode: str | None = "entropy",
    calib_data: Any = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: Any = None,
) -> tuple[Symbol, dict[str, NDArray], Params]:
    """A symbol on integers, its parameters and its auxiliary states.

    "full" quantizes every operator that has a quantized form, "smart" dense layers and convolutions and what
    lies between them; `excluded_sym_names` and `excluded_op_names` are nodes and operators that stay. With
    `calib_mode` "naive" or "entropy" the ranges are found on `num_calib_examples` of `calib_data`.
    """
    if calib_mode not in (None, "none", *_COLLECTORS):
        raise ValueError(f"calib_mode: one of none, naive, entropy is required, got {calib_mode}.")
    if calib_mode in _COLLECTORS:
        _require_data(calib_mode, calib_data)
    qsym, qarg_params, states, collector = quantize_graph(
        sym,
        arg_params,
        aux_params,
        ctx,
        excluded_sym_names,
        excluded_op_names,
        calib_mode,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        logger=logger,
    )
    if collector is None:
        return qsym, qarg_params, states
    batches = _batches(calib_data, num_calib_examples)
    _collect(sym, {**arg_params, **aux_params}, data_names, batches, collector, ctx or cpu())
    return with_ranges(qsym, collector.ranges(quantized_dtype)), qarg_params, states


quantize_model_mkldnn = quantize_model
"""MXNet fuses operators for oneDNN first; here it is the same as `quantize_model`."""


def _require_data(mode: str | None, data: Any) -> None:
    if data is None:
        raise ValueError(f"calib_data: data is required with calib_mode={mode}, got none.")
    if isinstance(data, NDArray) or not isinstance(data, Iterable):
        raise ValueError(f"calib_data: a DataIter or a DataLoader is required, got {type(data).__name__}.")


def _batches(data: Any, most: int | None) -> Iterator[list[NDArray]]:
    """The arrays of each batch, until there are so many examples."""
    if isinstance(data, DataIter):
        data.reset()
    count = 0
    for batch in data:
        arrays = list(batch.data) if isinstance(data, DataIter) else _listed(batch)
        yield arrays
        count += len(arrays[0])
        if most is not None and count >= most:
            return


def _listed(batch: Any) -> list[NDArray]:
    return list(batch) if isinstance(batch, list | tuple) else [batch]


def _collect(
    sym: Symbol,
    params: Params,
    names: Sequence[str],
    batches: Iterable[Sequence[NDArray]],
    collector: Collector,
    ctx: Context,
) -> None:
    """Show a collector the outputs that it asks for, batch by batch."""
    internals = sym.get_internals()
    known = internals.list_outputs()
    layers = [name for name in dict.fromkeys(collector.include_layer) if name in known]
    graph = Group([internals[name] for name in layers])
    needed = {*graph.list_inputs()}
    for arrays in batches:
        values = {**params, **dict(zip(names, arrays, strict=False))}
        states = {name: values[name] for name in graph.list_auxiliary_states()}
        args = {name: value for name, value in values.items() if name in needed and name not in states}
        for name, output in zip(layers, graph.bind(ctx, args, aux_states=states).forward(), strict=True):
            collector.collect(name, output)


# ---- blocks


def quantize_net_v2(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    exclude_layers: Names = None,
    exclude_layers_match: Names = None,
    exclude_operators: Names = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Context | None = _CPU,
    LayerOutputCollector: Any = None,
    logger: Any = None,
) -> SymbolBlock:
    """A block on integers, made of a trained block.

    The inputs' shapes are those of `calib_data` or `data_shapes`: tuples, or `DataDesc`s. Layers are excluded
    by their nodes' names, by parts of these, and by operator; the rest is as in `quantize_model`.
    """
    if not isinstance(network, HybridBlock):
        raise ValueError(f"network: a HybridBlock is required, got {type(network).__name__}.")
    _require_names("exclude_layers", "layers", exclude_layers)
    _require_names("exclude_layers_match", "layers", exclude_layers_match)
    calibrated = calib_mode not in (None, "none")
    if calibrated:
        _require_data(calib_mode, calib_data)
    inputs, sym, params = _traced(network, _examples(data_shapes, calib_data))
    excluded = [*(exclude_layers or ()), *_matching(sym, exclude_layers_match or ())]
    states = {name: params[name] for name in sym.list_auxiliary_states()}
    args = {name: value for name, value in params.items() if name not in states}
    options = (excluded, exclude_operators, calib_mode, quantized_dtype, quantize_mode, quantize_granularity)
    qsym, qargs, _, collector = quantize_graph(sym, args, states, ctx, *options, LayerOutputCollector, logger)
    if calibrated:
        batches = _batches(calib_data, num_calib_examples)
        _collect(sym, params, [input_name(v) for v in inputs], batches, collector, ctx or cpu())
        qsym, _, _ = calib_graph(qsym, args, states, collector, calib_mode, quantized_dtype, logger)
    return _block(qsym, inputs, {**qargs, **states}, ctx)


def quantize_net(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    exclude_layers: Names = None,
    exclude_layers_match: Names = None,
    exclude_operators: Names = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Context | None = _CPU,
    logger: Any = None,
) -> SymbolBlock:
    """A block on integers, made of a trained block: see `quantize_net_v2`."""
    return quantize_net_v2(
        network,
        quantized_dtype,
        quantize_mode,
        exclude_layers=exclude_layers,
        exclude_layers_match=exclude_layers_match,
        exclude_operators=exclude_operators,
        calib_data=calib_data,
        data_shapes=data_shapes,
        calib_mode=calib_mode,
        num_calib_examples=num_calib_examples,
        ctx=ctx,
        logger=logger,
    )


def _examples(shapes: Sequence[Any] | None, data: Any) -> list[NDArray]:
    """An array for each input, of the shapes that are told or those of the data's first batch."""
    if shapes is not None:
        return [
            NDArray(np.zeros(s.shape if isinstance(s, DataDesc) else s, np.float32)) for s in _shapes(shapes)
        ]
    if data is None:
        raise ValueError("data_shapes: the shape of each input is required, got none.")
    return next(_batches(data, 1))


def _shapes(shapes: Sequence[Any]) -> Sequence[Any]:
    return [shapes] if shapes and isinstance(shapes[0], int) else shapes


def _traced(network: HybridBlock, examples: list[NDArray]) -> tuple[list[Symbol], Symbol, dict[str, NDArray]]:
    """A block's inputs, its graph, and the values of its parameters."""
    try:
        inputs, graph = network._get_graph(*examples)
    except MXNetError:
        if len(examples) < 2:
            raise
        examples = examples[:-1]  # the last one may be a label
        inputs, graph = network._get_graph(*examples)
    variables = set(graph.list_inputs())
    params = {name: param for name, param in network.collect_params().items() if name in variables}
    return inputs, graph, network._values(params, None, examples)


def _matching(sym: Symbol, parts: Sequence[str]) -> list[str]:
    """The names of the nodes that have one of the parts in them."""
    names = [name.removesuffix("_output") for name in sym.get_internals().list_outputs()]
    return [name for name in names if any(part in name for part in parts)]


def _block(
    qsym: Symbol, inputs: list[Symbol], params: Mapping[str, NDArray], ctx: Context | None
) -> SymbolBlock:
    block = SymbolBlock(qsym, cast(Any, inputs))
    for name, parameter in block.collect_params().items():
        value = params[name]
        parameter.dtype = value.dtype
        parameter.shape = value.shape
        parameter.initialize(ctx=ctx or cpu())
        parameter.set_data(value)
    return block
