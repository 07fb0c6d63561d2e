"""ONNX files: write models to them, read models from them, and compare both."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .converters.from_onnx import get_model_metadata, import_model
from .converters.to_onnx import arrays_by_name, supported
from .converters.to_onnx import export_model as _export
from .converters.verify import Difference, Parity, Runnable, draw, exported, of_symbol
from .converters.verify import verify as _verify
from .errors import DeferredInitializationError, MXNetError
from .gluon.hybrid_block import HybridBlock, input_name
from .gluon.nested import flatten
from .gluon.symbol_block import SymbolBlock, block_from
from .ndarray.files import load as load_arrays
from .ndarray.ndarray import NDArray
from .ops import Array, Spec
from .symbol.symbol import Symbol
from .symbol.symbol import load as load_symbol

__all__ = [
    "Difference",
    "Parity",
    "export_model",
    "get_model_metadata",
    "get_operator_support",
    "import_model",
    "import_to_gluon",
    "verify",
]


def export_model(
    sym: Any,
    params: Any = None,
    in_shapes: Any = None,
    in_types: Any = np.float32,
    onnx_file_path: str | os.PathLike[str] = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Any = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Any = None,
    opset_version: int | None = None,
    *,
    input_shapes: Any = None,
) -> str:
    """Write a model to an ONNX file, and return the file's name.

    `sym` and `params` are a Symbol and its parameters by name, or the files of both. A HybridBlock has its
    own parameters: `export_model(net, "net.onnx", input_shapes=[("batch", 3, 224, 224)])`.

    Shapes and types are given for each input in order, or by name. A size that is `None` or a name is free.
    With `dynamic` the sizes are those of `dynamic_input_shapes`, or all free. The opset is 18 unless told.
    """
    shapes = next((s for s in (input_shapes, in_shapes, input_shape) if s is not None), None)
    types = in_types if input_type is None else input_type
    if isinstance(sym, HybridBlock):
        if isinstance(params, str | os.PathLike):
            onnx_file_path = params
        names, sym, params = _traced(sym, _examples(shapes, types))
        shapes, types, dynamic_input_shapes = (
            _named(names, given, sym) for given in (shapes, types, dynamic_input_shapes)
        )
    if isinstance(sym, str | os.PathLike):
        sym = load_symbol(sym)
    if isinstance(params, str | os.PathLike):
        params = load_arrays(os.fspath(params))
    return _export(
        sym,
        params,
        shapes,
        types,
        onnx_file_path,
        verbose,
        dynamic,
        dynamic_input_shapes,
        run_shape_inference,
        opset_version=opset_version,
    )


def import_to_gluon(model_file: Any, ctx: Any = None) -> SymbolBlock:
    """A block of an ONNX model, with its parameters on `ctx`."""
    graph, arguments, states = import_model(model_file)
    values = {**arguments, **states}
    inputs = [name for name in graph.list_inputs() if name not in values]
    return block_from(graph, inputs, values, ctx)


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """The names of the operators that can be exported."""
    return supported()


def verify(
    model: Any,
    other: Any = None,
    inputs: Any = None,
    *,
    shapes: Any = None,
    layers: bool = False,
    seed: int = 0,
) -> Parity:
    """Run two models on the same inputs, and tell how far their outputs are apart.

    A model is a HybridBlock, an ONNX file, or a tuple of a Symbol and its parameters; without `other` a block
    or a Symbol is compared with its own export. ONNX models run in plain ONNX Runtime on the CPU. `inputs`
    are arrays by name or in order; without them they are drawn, of the `shapes` given or that a file tells.
    With `layers` values in between are compared as well, where both models name them alike.
    """
    if not isinstance(model, HybridBlock):
        return _verify(model, other, inputs, shapes=shapes, layers=layers, seed=seed)
    arrays = _arrays(inputs) if inputs is not None else _drawn(other, shapes, seed)
    names, graph, params = _traced(model, arrays)
    block = _runnable(model, names, graph, params)
    given = {name: array.asnumpy() for name, array in zip(names, arrays, strict=True)}
    if other is None:
        used = {name: given[name] for name in names if name in graph.list_inputs()}
        other = exported(graph, arrays_by_name(params), used)
    return _verify(block, other, given, layers=layers)


# ---- blocks


def _traced(net: HybridBlock, args: Sequence[NDArray]) -> tuple[list[str], Symbol, dict[str, NDArray]]:
    """The names of a block's inputs, its graph, and the values of its parameters."""
    inputs, graph = net._get_graph(*args)
    variables = set(graph.list_inputs())
    params = {name: param for name, param in net.collect_params().items() if name in variables}
    try:
        values = {name: param.data() for name, param in params.items()}
    except DeferredInitializationError:
        net._finish_deferred(*args)
        values = {name: param.data() for name, param in params.items()}
    return [input_name(v) for v in inputs], graph, values


def _examples(shapes: Any, types: Any) -> list[NDArray]:
    """Arrays of zeros to trace with; free sizes are 1."""
    if shapes is None:
        raise MXNetError("export_model: input_shapes is required for a block, and was not given.")
    listed = list(shapes.values()) if isinstance(shapes, Mapping) else _listed(shapes)
    kinds = list(types.values()) if isinstance(types, Mapping) else types
    if not isinstance(kinds, list | tuple):
        kinds = [kinds] * len(listed)
    sizes = [tuple(d if isinstance(d, int) else 1 for d in shape) for shape in listed]
    return [NDArray(np.zeros(size, kind)) for size, kind in zip(sizes, kinds, strict=True)]


def _listed(shapes: Any) -> list[Any]:
    """A list of shapes; a tuple of sizes alone is one shape."""
    single = isinstance(shapes, tuple) and not any(isinstance(s, list | tuple) for s in shapes)
    return [shapes] if single else list(shapes)


def _named(names: Sequence[str], given: Any, graph: Symbol) -> Any:
    """What was given in the order of the block's inputs, by the names of those that the graph has."""
    if not isinstance(given, list | tuple | Mapping):
        return given
    listed = list(given.values()) if isinstance(given, Mapping) else _listed(given)
    there = set(graph.list_inputs())
    return {name: item for name, item in zip(names, listed, strict=True) if name in there}


def _arrays(inputs: Any) -> list[NDArray]:
    if isinstance(inputs, Mapping):
        listed = list(inputs.values())
    else:
        listed = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    return [a if isinstance(a, NDArray) else NDArray(np.asarray(a)) for a in listed]


def _drawn(other: Any, shapes: Any, seed: int) -> list[NDArray]:
    """Inputs drawn as the other model, or `shapes`, tells."""
    if other is not None:
        return [NDArray(a) for a in draw(other, shapes, seed).values()]
    if shapes is None:
        raise MXNetError("verify: inputs, or their shapes, are required for a block, got neither.")
    rng = np.random.default_rng(seed)
    listed = list(shapes.values()) if isinstance(shapes, Mapping) else _listed(shapes)
    return [NDArray(rng.standard_normal(tuple(shape)).astype(np.float32)) for shape in listed]


def _runnable(net: HybridBlock, names: list[str], graph: Symbol, params: Mapping[str, NDArray]) -> Runnable:
    """A block for comparison: its own call, and its graph on the kernels for what is in between."""

    def run(given: dict[str, Array]) -> dict[str, Array]:
        flat, _ = flatten(net(*(NDArray(given[name]) for name in names)), "output")
        return dict(zip(graph.list_outputs(), [y.asnumpy() for y in flat], strict=True))

    return Runnable(dict.fromkeys(names, Spec()), run, of_symbol(graph, arrays_by_name(params)).layers)
