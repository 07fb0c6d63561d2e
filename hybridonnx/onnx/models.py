"""Models as ONNX files, and beside each other."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeGuard, TypeVar

import numpy as np

from ..converters.from_onnx import get_model_metadata, import_model
from ..converters.from_onnx import supported as importable
from ..converters.to_onnx import (
    FileOptions,
    Graph,
    NodeSupport,
    Precision,
    Support,
    Value,
    arrays_by_name,
    by_name,
    dtypes_by_input,
    in_order,
    is_shape,
    lowers_custom,
    shapes_by_input,
    support,
    supported,
)
from ..converters.to_onnx import export_model as _export
from ..dtypes import DTypeLike
from ..errors import ConversionError, MXNetError
from ..gluon.hybrid_block import HybridBlock, input_name
from ..gluon.nested import flatten, regroup
from ..gluon.onnx_summary import EVERYTHING, freeze
from ..gluon.symbol_block import SymbolBlock, block_from_onnx
from ..ndarray.files import load as load_arrays
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from ..parity.inputs import as_array, is_array, parts, samples_in
from ..parity.models import Runnable, exported, label_zeros, named, of_symbol
from ..parity.report import Difference, Layer, Parity, ParityError, Verdict
from ..parity.verify import draw
from ..parity.verify import verify as _verify
from ..symbol.symbol import Symbol
from ..symbol.symbol import load as load_symbol
from ..typing import ArrayLike, Contexts

__all__ = [
    "Difference",
    "Graph",
    "Layer",
    "NodeSupport",
    "Parity",
    "ParityError",
    "Support",
    "Value",
    "Verdict",
    "assert_parity",
    "check",
    "export_model",
    "get_model_metadata",
    "get_operator_support",
    "import_model",
    "import_to_gluon",
    "register_lowering",
    "verify",
]

FreeShape: TypeAlias = Sequence[int | str | None]
"""A shape in which a size that is `None` or a name is free."""
Shapes: TypeAlias = FreeShape | Sequence[FreeShape] | Mapping[str, FreeShape]
DTypes: TypeAlias = DTypeLike | Sequence[DTypeLike] | Mapping[str, DTypeLike]
"""One for all inputs, or each input's, in order or by name."""
Model: TypeAlias = HybridBlock | str | os.PathLike[str] | tuple[Symbol, Mapping[str, NDArray]]
"""A block, an ONNX file, or a symbol and its parameters."""
Source: TypeAlias = HybridBlock | Symbol | str | os.PathLike[str]
Parameters: TypeAlias = Mapping[str, NDArray] | str | os.PathLike[str]
Inputs: TypeAlias = ArrayLike | Sequence[ArrayLike] | Mapping[str, ArrayLike]


def export_model(
    sym: Source,
    params: Parameters | None = None,
    in_shapes: Shapes | None = None,
    in_types: DTypes = np.float32,
    onnx_file_path: str | os.PathLike[str] = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Shapes | None = None,
    run_shape_inference: bool = False,
    input_type: DTypes | None = None,
    input_shape: Shapes | None = None,
    opset_version: int | None = None,
    *,
    input_shapes: Shapes | None = None,
    precision: Precision = "float32",
    keep: Collection[str] = (),
    external_data: bool = False,
    doc_string: str = "",
    metadata: Mapping[str, str] | None = None,
) -> str:
    """Write a model to an ONNX file, and return the file's name.

    `sym` and `params` are a Symbol and its parameters by name, or the files of both. A HybridBlock has its
    own parameters: `export_model(net, "net.onnx", input_shapes=[("batch", 3, 224, 224)])`.

    Shapes and types are given for each input in order, or by name; a block of an imported ONNX model has the
    model's. A size that is `None` or a name is free. With `dynamic` the sizes are those of
    `dynamic_input_shapes`, or all free. The opset is 18 by default, or the oldest newer one that has all that
    the graph needs. A block's file has all of its inputs in their order. Parameters above 2 GB, or all with
    `external_data`, are in a second file. With `precision="mixed"` products, embeddings and what lies between
    them compute in float16; softmax, normalizations over rows and means do with "float16" only. Indices,
    lengths, inputs, outputs, and what float16 does not hold or whose node or operator is in `keep` stay.
    """
    shapes = next((s for s in (input_shapes, in_shapes, input_shape) if s is not None), None)
    shapes, types = _declared(sym, shapes, in_types if input_type is None else input_type)
    path = params if isinstance(sym, HybridBlock) and _is_path(params) else onnx_file_path
    graph, values, inputs = _with_values(sym, params, shapes, types)
    options = FileOptions(
        opset_version=opset_version,
        precision=precision,
        keep=keep,
        run_shape_inference=run_shape_inference,
        external_data=external_data,
        doc_string=doc_string,
        metadata=metadata,
        verbose=verbose,
    )
    names = inputs, sym._output_names if isinstance(sym, SymbolBlock) else None
    return _export(graph, values, shapes, types, path, dynamic, dynamic_input_shapes, *names, options)


def check(
    sym: Source,
    params: Parameters | None = None,
    in_shapes: Shapes | None = None,
    in_types: DTypes = np.float32,
    *,
    opset_version: int | None = None,
    input_shapes: Shapes | None = None,
) -> Support:
    """What `export_model` would write for each node, and all that stands in its way at once.

    The arguments are `export_model`'s. Nothing is written. Printed, the result is a table of operators with
    the ONNX operators that they become, then what cannot be written, why, and what to do; `nodes` has it
    node by node, and `ok()` tells whether the model can be exported.
    """
    shapes, types = _declared(sym, in_shapes if input_shapes is None else input_shapes, in_types)
    graph, values, inputs = _with_values(sym, params, shapes, types)
    return support(graph, values, shapes, types, opset_version, inputs)


def import_to_gluon(
    model_file: str | os.PathLike[str] | bytes,
    ctx: Contexts = None,
    input_shapes: Mapping[str, FreeShape] | Sequence[FreeShape | None] | None = None,
    *,
    trainable: bool = True,
    frozen: str | Sequence[str] = (),
) -> SymbolBlock:
    """A block of an ONNX model, with its parameters on `ctx`; it takes the inputs in the model's order.

    `input_shapes` gives sizes that the file leaves free, as `import_model` takes them.

    Parameters are called as in the file. Those that `frozen` names, and without `trainable` all, get
    `grad_req="null"`, so that no trainer changes them: each item is a parameter's name, or a regular
    expression that matches the beginning of names, as `collect_params` takes it. Running statistics never
    train.
    """
    block = block_from_onnx(model_file, ctx=ctx, input_shapes=input_shapes)
    freeze(block.collect_params(), "import_to_gluon: frozen", frozen if trainable else EVERYTHING)
    return block


def get_operator_support(opset_version: int | None = None, direction: str = "export") -> list[str]:
    """The names of MXNet's operators that can be exported, or of ONNX's that are imported as MXNet's.

    With the `direction` "import" they are ONNX's operators as they are at `opset_version`, by default the
    newest; ONNX's other operators are imported as operators of their own, `_onnx_<Operator>`.
    """
    if direction not in ("export", "import"):
        raise MXNetError(
            f"get_operator_support: the direction 'export' or 'import' is required, got {direction!r}."
        )
    if direction == "export":
        return supported()
    return importable() if opset_version is None else importable(opset_version)


_Function = TypeVar("_Function", bound=Callable[..., Value | Sequence[Value]])


def register_lowering(op_type: str) -> Callable[[_Function], _Function]:
    """Say what a custom operator, one of `mx.operator.register(op_type)`, is in ONNX files.

    The function takes the graph, the operator's `CustomOpProp`, and its inputs and then states as values:

        @mx.onnx.register_lowering("scaled_softplus")
        def lower(g, prop, x):
            return g.Softplus(x) * prop.scale

    The graph has ONNX's operators as methods, `g.Concat(x, y, axis=1)`, whose constants may be numbers,
    lists and NumPy arrays; values have `dtype`, `shape` with `None` for free sizes, and arithmetic. The
    function returns a value, or one for each output. Hybridized blocks still run the Python code, so
    `verify` compares both.
    """
    if not isinstance(op_type, str) or not op_type:
        raise MXNetError(f"register_lowering: the operator's op_type is required, got {op_type!r}.")

    def register(function: _Function) -> _Function:
        def lowering(g: Graph, op: Any, *inputs: Value) -> list[Value]:
            result = function(g, op.definition.prop, *inputs)
            values: list[Any] = list(result) if isinstance(result, list | tuple) else [result]
            if len(values) != len(op.outputs) or not all(isinstance(v, Value) for v in values):
                raise ConversionError(
                    f"{op_type}: one value for each of the outputs {', '.join(op.outputs)} is required of "
                    f"the lowering, got {result!r}."
                )
            return values

        lowers_custom(op_type, lowering)
        return function

    return register


def verify(
    model: Model,
    other: Model | None = None,
    inputs: Inputs | None = None,
    *,
    shapes: Shapes | None = None,
    layers: bool | None = None,
    samples: int = 1,
    seed: int = 0,
) -> Parity:
    """Run two models on the same inputs, and tell rounding from faults.

    A model is a HybridBlock, an ONNX file, or a tuple of a Symbol and its parameters; without `other` a block
    or a Symbol is compared with its own export. Blocks and Symbols run on the kernels, ONNX models in plain
    ONNX Runtime on the CPU. A block's own call, in ONNX Runtime too if it is hybridized, is compared as well.

    The first model's graph also runs in float64, and again with every value moved by as much as its rounding
    may: each element of the second model's outputs is judged by how far off rounding can put it, so that no
    tolerance has to be chosen. Differences in a file's own right are told by `relative` and `ok(tol)`.

    Args:
        model: What is right.
        other: What is compared with it.
        inputs: Arrays by name or in order, the name of an `.npz` file of them, or an iterable of several such
            as a DataLoader, of which `samples` are taken. Without them so many are drawn, of the `shapes` or
            those in a file, indices below the size of what they point into.
        shapes: The shapes of inputs, by name or in order.
        layers: Whether values in between are judged as well, each from the first model's values before it, so
            that an error is told from those that it inherits. `None`: where an output is at fault.
        samples: How many samples are taken or drawn.
        seed: Of what is drawn.
    """
    if not isinstance(model, HybridBlock):
        return _verify(model, other, inputs, shapes=shapes, layers=layers, samples=samples, seed=seed)
    if inputs is None:
        values = [_draws(other, shapes, seed + k) for k in range(samples)]
    else:
        traced: Any = model._cached_graph
        values = [parts(v, len(traced[0])) if traced else v for v in samples_in(inputs, samples)]
    names, graph = _graph(model, len(in_order(values[0], is_array)))
    if inputs is None and other is not None and not set(values[0]) <= set(names):
        values = [list(v.values()) for v in values]  # the other model calls its inputs differently
    by_input = [_by_input(model, names, graph, v) for v in values]
    params = _parameters(model, graph, [NDArray(by_input[0][name]) for name in names])
    block = _runnable(model, names, graph, params)
    second = exported(graph, arrays_by_name(params), by_input[0]) if other is None else other
    return _verify(block, second, iter(by_input), layers=layers, samples=len(by_input))


def assert_parity(
    model: Model,
    other: Model | None = None,
    inputs: Inputs | None = None,
    *,
    tol: float | None = None,
    **options: Any,
) -> Parity:
    """Raise `ParityError`, which is an AssertionError, unless two models compute the same.

    Args:
        model: As `verify` takes it.
        other: As `verify` takes it.
        inputs: As `verify` takes them.
        tol: The relative difference that outputs may have; `None` judges by what rounding can do.
        options: What else `verify` takes.

    Returns:
        The report.
    """
    parity = verify(model, other, inputs, **options)
    parity.raise_if_failed(tol)
    return parity


# ---- blocks


def _graph(net: HybridBlock, count: int) -> tuple[list[str], Symbol]:
    """The names of a block's inputs, and its graph, traced for so many inputs if it was not before."""
    inputs, graph = net._get_graph(*[NDArray(np.zeros(1, np.float32))] * count)
    return [input_name(v) for v in inputs], graph


def _parameters(net: HybridBlock, graph: Symbol, inputs: Sequence[NDArray]) -> dict[str, NDArray]:
    """The values of the parameters that a block's graph has."""
    variables = set(graph.list_inputs())
    params = {name: param for name, param in net.collect_params().items() if name in variables}
    return net._values(params, None, inputs)


def _declared(sym: Any, shapes: Any, types: Any) -> tuple[Any, Any]:
    """The shapes and types of inputs; what the caller leaves out is as the block's ONNX model says."""
    if not isinstance(sym, SymbolBlock):
        return shapes, types
    inputs = sym._declared_inputs()
    sizes = {name: item.sizes for name, item in inputs.items() if item.sizes is not None}
    if shapes is None and len(sizes) == len(sym._graph[0]):
        shapes = {name: tuple(map(_size, its)) for name, its in sizes.items()}
    if types is np.float32 and inputs:
        types = {name: item.dtype for name, item in inputs.items()}
    return shapes, types


def _size(size: object) -> int | str | None:
    """A size as callers give it."""
    return size if size is None or isinstance(size, int) else str(size)


def _with_values(sym: Any, params: Any, shapes: Any, types: Any) -> tuple[Symbol, Any, Sequence[str] | None]:
    """A model's Symbol, its parameters by name, and a block's inputs."""
    if isinstance(sym, HybridBlock):
        inputs, graph, values = _with_parameters(sym, shapes, types)
        return graph, values, inputs
    graph = load_symbol(sym) if isinstance(sym, str | os.PathLike) else sym
    return graph, load_arrays(os.fspath(params)) if isinstance(params, str | os.PathLike) else params, None


def _with_parameters(
    net: HybridBlock, shapes: Any, types: Any
) -> tuple[list[str], Symbol, dict[str, NDArray]]:
    """The names of a block's inputs, its graph, and its parameters, whose sizes the shapes may tell."""
    if shapes is None:
        raise MXNetError(
            "export_model: input_shapes is required for a block, got none. Give each input a shape, as in "
            'input_shapes=[("batch", 3, 224, 224)].'
        )
    names, graph = _graph(net, len(in_order(shapes, is_shape)))
    _require_inputs(net, names, shapes, "input_shapes")
    sizes, dtypes = shapes_by_input(names, shapes, "input_shapes"), dtypes_by_input(names, types)
    net._finish_known(graph, {n: [d if isinstance(d, int) else None for d in sizes[n]] for n in names})
    zeros = [np.zeros([d if isinstance(d, int) else 1 for d in sizes[n]], dtypes[n]) for n in names]
    return names, graph, _parameters(net, graph, [NDArray(array) for array in zeros])


def _require_inputs(net: HybridBlock, names: Sequence[str], values: Any, argument: str) -> None:
    """Refuse names that no input has, and more values than inputs."""
    count = len(in_order(values, is_shape if argument == "input_shapes" else is_array))
    unknown = [name for name in values if name not in names] if isinstance(values, Mapping) else []
    if unknown or count > len(names):
        raise MXNetError(
            f"{net.name}: {argument} for the inputs {', '.join(names)} is required, got "
            f"{', '.join(unknown) or count}."
        )


def _is_path(value: Any) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(value, str | os.PathLike)


def _by_input(net: HybridBlock, names: Sequence[str], graph: Symbol, values: Any) -> dict[str, Array]:
    """An array for each input of a block; zeros for labels, which only training reads, may be missing."""
    _require_inputs(net, names, values, "inputs")
    arrays = {name: as_array(value) for name, value in by_name(names, values, is_array).items()}
    known = [*arrays, *net.collect_params()]
    if not set(names) <= set(arrays):
        arrays.update(label_zeros(graph, known, {name: a.shape for name, a in arrays.items()}))
    missing = [name for name in names if name not in arrays]
    if missing:
        raise MXNetError(f"verify: an array for each input is required, got none for {', '.join(missing)}.")
    return {name: arrays[name] for name in names}


def _draws(other: Any, shapes: Any, seed: int) -> Any:
    """Inputs drawn as the other model, or `shapes`, tells."""
    if other is not None:
        return draw(other, shapes, seed)
    if shapes is None:
        raise MXNetError("verify: inputs, or their shapes, are required for a block, got neither.")
    rng = np.random.default_rng(seed)
    arrays = [np.asarray(rng.standard_normal(shape), np.float32) for shape in in_order(shapes, is_shape)]
    return dict(zip(shapes, arrays, strict=True)) if isinstance(shapes, Mapping) else arrays


def _runnable(net: HybridBlock, names: list[str], graph: Symbol, params: Mapping[str, NDArray]) -> Runnable:
    """A block for comparison: its graph on the kernels, and its own call, which may be in ONNX Runtime."""

    def call(inputs: dict[str, Array]) -> dict[str, Array]:
        args = regroup([NDArray(inputs[name]) for name in names], net._in_format or [0] * len(names))
        flat, _ = flatten(net(*args), "output")
        return named(graph.list_outputs(), [y.asnumpy() for y in flat])

    return replace(
        of_symbol(graph, arrays_by_name(params), call), inputs=dict.fromkeys(names, Spec()), title=net.name
    )
