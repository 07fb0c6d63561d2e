"""Models on 8-bit integers, made of trained models: `quantize_model`, `quantize_net`, and their steps.

Calibration finds the ranges of what is computed: the least and the largest value of some data, or by entropy
the thresholds that keep most of the information. Models get QuantizeLinear and DequantizeLinear then
(`hybridonnx.symbol.qdq`). Without calibration each batch tells its own ranges, and there, as in
`quantize_graph`, MXNet's quantized operators take the place of others (`hybridonnx.symbol.quantization`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from ..context import Context, cpu
from ..errors import MXNetError
from ..gluon.hybrid_block import HybridBlock, input_name
from ..gluon.symbol_block import SymbolBlock
from ..io import DataDesc, DataIter
from ..ndarray import contrib
from ..ndarray.ndarray import NDArray
from ..symbol.packing import Packing, with_packed_weights
from ..symbol.quantization import offline, quantized, with_ranges
from ..symbol.symbol import Symbol
from ._calibration import COLLECTORS, Ranges, combine_histogram
from ._int8 import Example, Limits, Network, Options, block_of, first_examples, within_limits

__all__ = [
    "Limits",
    "calib_graph",
    "combine_histogram",
    "quantize_graph",
    "quantize_model",
    "quantize_model_mkldnn",
    "quantize_net",
    "quantize_net_v2",
    "quantize_weights",
]

_CPU = cpu()

Params: TypeAlias = Mapping[str, NDArray]
Names: TypeAlias = list[str] | None


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
        ranges = collector.ranges(quantized_dtype) if calib_mode in COLLECTORS else collector.min_max_dict
    if logger:
        logger.info("Calibrated %d outputs.", len(ranges))
    return with_ranges(qsym, ranges), _quantized_params(qsym, arg_params), aux_params


def _collector(mode: str | None, own: Any) -> Any:
    if mode in COLLECTORS:
        return own if own is not None else COLLECTORS[mode]()
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
    *,
    limits: Limits | None = None,
) -> tuple[Symbol, dict[str, NDArray], Params]:
    """A symbol on integers, its parameters and its auxiliary states.

    "full" quantizes every operator that has a quantized form, "smart" dense layers and convolutions and what
    lies between them; `excluded_sym_names` and `excluded_op_names` are nodes and operators that stay. With
    `calib_mode` "naive" or "entropy" the ranges are found on `num_calib_examples` of `calib_data`.
    """
    if calib_mode not in (None, "none", *COLLECTORS):
        raise ValueError(f"calib_mode: one of none, naive, entropy is required, got {calib_mode}.")
    if calib_mode in COLLECTORS:
        _require_data(calib_mode, calib_data)
    excluded = excluded_sym_names, excluded_op_names
    kinds = quantized_dtype, quantize_mode, quantize_granularity
    if calib_mode not in COLLECTORS:
        qsym, qarg_params, states, _ = quantize_graph(
            sym, arg_params, aux_params, ctx, *excluded, calib_mode, *kinds, logger=logger
        )
        return qsym, qarg_params, states
    options = _options(*excluded, calib_mode, *kinds, limits)
    network = sym, {**arg_params, **aux_params}, data_names, ctx or cpu()
    qsym, params = _on_integers(network, options, calib_data, num_calib_examples, None, logger)
    states = {name: params.pop(name) for name in qsym.list_auxiliary_states()}
    return qsym, params, states


quantize_model_mkldnn = quantize_model
"""MXNet fuses operators for oneDNN first; here it is the same as `quantize_model`."""


def _options(
    names: Names,
    operators: Names,
    calib_mode: str | None,
    dtype: str,
    mode: str,
    granularity: str,
    limits: Any,
) -> Options:
    """What is asked for, which has to be possible; "auto" has limits."""
    _require_options(dtype, mode, granularity)
    _require_names("excluded_sym_names", "symbols", names)
    _require_names("excluded_op_names", "operators", operators)
    if limits is None and dtype == "auto":
        limits = Limits()
    return Options(names or (), operators or (), str(calib_mode), dtype, mode, granularity, limits)


def _on_integers(
    graph: tuple[Symbol, Params, Sequence[str], Context],
    options: Options,
    data: Any,
    most: int | None,
    own: Any,
    logger: Any,
) -> tuple[Symbol, dict[str, NDArray]]:
    """A calibrated graph with QuantizeLinear and DequantizeLinear, and its parameters and states."""
    sym, params, inputs, ctx = graph
    count = len(inputs)
    batches = (arrays for arrays, _ in _examples(data, most, count))
    first = next(batches, None)
    if first is None:
        raise ValueError("calib_data: at least one batch is required, got none.")
    network = Network(sym, params, inputs, [array.shape for array in first], options, ctx)
    network.calibrate(chain([first], batches), _collector(options.calib_mode, own))
    choice = network.choice
    if options.limits is not None:
        examples = first_examples(_examples(data, most, count))
        choice = within_limits(network, options.limits, examples, logger)
    if logger:
        logger.info("Quantized %s: %d nodes.", network.symbol.name, len(choice.nodes))
    return network.quantized(choice)


def _require_data(mode: str | None, data: Any) -> None:
    if data is None:
        raise ValueError(f"calib_data: data is required with calib_mode={mode}, got none.")
    if isinstance(data, NDArray) or not isinstance(data, Iterable):
        raise ValueError(f"calib_data: a DataIter or a DataLoader is required, got {type(data).__name__}.")


def _batches(data: Any, most: int | None) -> Iterator[list[NDArray]]:
    """The arrays of each batch, until there are so many examples."""
    return (arrays for arrays, _ in _examples(data, most))


def _examples(data: Any, most: int | None, inputs: int | None = None) -> Iterator[Example]:
    """The arrays of each batch and its labels, until there are so many examples.

    A list may have labels behind the `inputs`, if it is known how many these are.
    """
    if isinstance(data, DataIter):
        data.reset()
    count = 0
    for batch in data:
        if isinstance(data, DataIter):
            arrays, labels = list(batch.data), list(batch.label or ())
        else:
            arrays = _listed(batch)
            arrays, labels = arrays[:inputs], arrays[len(arrays[:inputs]) :]
        yield arrays, labels[0] if labels else None
        count += len(arrays[0])
        if most is not None and count >= most:
            return


def _listed(batch: Any) -> list[NDArray]:
    return list(batch) if isinstance(batch, list | tuple) else [batch]


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
    *,
    limits: Limits | None = None,
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
    inputs, sym, params = _traced(network, _zeros(data_shapes, calib_data))
    excluded = [*(exclude_layers or ()), *_matching(sym, exclude_layers_match or ())]
    kinds = quantized_dtype, quantize_mode, quantize_granularity
    if not calibrated:
        states = {name: params[name] for name in sym.list_auxiliary_states()}
        args = {name: value for name, value in params.items() if name not in states}
        given = args, states, ctx, excluded, exclude_operators, calib_mode
        qsym, qargs, _, _ = quantize_graph(sym, *given, *kinds, logger=logger)
        return block_of(qsym, {**qargs, **states}, inputs, ctx or cpu())
    options = _options(excluded, exclude_operators, calib_mode, *kinds, limits)
    graph = sym, params, list(map(input_name, inputs)), ctx or cpu()
    qsym, params = _on_integers(graph, options, calib_data, num_calib_examples, LayerOutputCollector, logger)
    return block_of(qsym, params, inputs, ctx or cpu())


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
    *,
    limits: Limits | None = None,
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
        limits=limits,
    )


def quantize_weights(
    network: HybridBlock,
    bits: int = 4,
    block_size: int = 32,
    exclude_layers: Names = None,
    exclude_layers_match: Names = None,
    data_shapes: Sequence[Any] | None = None,
    calib_data: Any = None,
    ctx: Context | None = _CPU,
    *,
    accuracy_level: int = 4,
) -> SymbolBlock:
    """A block whose dense layers have weights of 4 or 8 bits, and floating-point numbers between them.

    It needs no calibration, takes a sixth or between a third and a quarter of dense layers' memory, and with
    few rows of data less time. ONNX Runtime alone has the operator, MatMulNBits.

    Args:
        network: A trained block.
        bits: 4 or 8.
        block_size: How many weights of a row have a scale of their own: 16, 32, 64, 128 or 256.
        exclude_layers: Nodes that stay.
        exclude_layers_match: Parts of the names of nodes that stay.
        data_shapes: The inputs' shapes; or `calib_data`, of which the first batch has them.
        calib_data: See `data_shapes`.
        ctx: Where the parameters are.
        accuracy_level: What is multiplied in: 4 is int8, to which the data are rounded in blocks as well,
            and 1 is float32, which is slower.
    """
    for name, value, allowed in (
        ("bits", bits, (4, 8)),
        ("block_size", block_size, (16, 32, 64, 128, 256)),
        ("accuracy_level", accuracy_level, (0, 1, 2, 3, 4)),
    ):
        if value not in allowed:
            raise ValueError(f"{name}: one of {', '.join(map(str, allowed))} is required, got {value}.")
    _require_names("exclude_layers", "layers", exclude_layers)
    _require_names("exclude_layers_match", "layers", exclude_layers_match)
    inputs, sym, params = _traced(network, _zeros(data_shapes, calib_data))
    names = [*(exclude_layers or ()), *_matching(sym, exclude_layers_match or ())]
    arrays = {name: value.asnumpy() for name, value in params.items()}
    packing = Packing(bits, block_size, accuracy_level)
    sym, arrays = with_packed_weights(sym, arrays, packing, names)
    return block_of(sym, {name: NDArray(array) for name, array in arrays.items()}, inputs, ctx or cpu())


def _zeros(shapes: Sequence[Any] | None, data: Any) -> list[NDArray]:
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
    except (MXNetError, TypeError):
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
