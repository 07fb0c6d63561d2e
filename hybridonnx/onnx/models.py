"""Models as ONNX files, and beside each other."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypedDict, TypeGuard, TypeVar

import numpy as np

from ..context import Context, current_context
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
    data_names,
    dtypes_by_input,
    in_order,
    is_shape,
    lowers_custom,
    shapes_by_input,
    support,
    supported,
)
from ..converters.to_onnx import export_model as _export
from ..dtypes import DTypeLike, as_dtype
from ..errors import ConversionError, MXNetError, RequirementError
from ..gluon.hybrid_block import HybridBlock, input_name
from ..gluon.nested import flatten
from ..gluon.onnx_summary import EVERYTHING, freeze
from ..gluon.symbol_block import SymbolBlock, block_from_onnx
from ..metric import MetricLike
from ..ndarray.files import load as load_arrays
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from ..parity.difference import Difference, Verdict
from ..parity.inputs import as_array, is_array, parts, samples_in
from ..parity.isolated import unopened, verify_isolated
from ..parity.isolation import Isolation, IsolationError, isolation_of
from ..parity.models import Runnable, label_zeros, named, of_symbol, runnable
from ..parity.pictures import Pixels
from ..parity.report import Parity, ParityError
from ..parity.results import Change, Layer, NodeFacts, ParameterDifference, Score, SizeTrial
from ..parity.sizes import declared as joined
from ..parity.verify import verify as _verify
from ..runtime.session import Providers
from ..symbol.symbol import Symbol
from ..symbol.symbol import load as load_symbol
from ..typing import ArrayLike, Contexts
from ._native import Model, Session, native
from ._proof import Proof, checked_options

__all__ = [
    "Change",
    "Difference",
    "Graph",
    "Isolation",
    "IsolationError",
    "Layer",
    "NodeFacts",
    "NodeSupport",
    "ParameterDifference",
    "Parity",
    "ParityError",
    "ProofOptions",
    "Score",
    "SizeTrial",
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
Source: TypeAlias = HybridBlock | Symbol | str | os.PathLike[str]
Parameters: TypeAlias = Mapping[str, NDArray] | str | os.PathLike[str]
Inputs: TypeAlias = ArrayLike | Sequence[ArrayLike] | Mapping[str, ArrayLike]


class ProofOptions(TypedDict, total=False):
    """How `export_model` proves a file; each may be left out."""

    model: Model
    """What is right: what is exported, unless something else is meant, such as the file that it came from."""
    inputs: Inputs
    """As `verify` takes them."""
    sizes: Mapping[str, int | Sequence[int]]
    """What free sizes are proven at, by name: 1, 2 and 7 unless given."""
    samples: int
    """How many samples are taken or drawn, at each choice of sizes."""
    seed: int
    """Of what is drawn."""
    layers: bool
    """Whether values in between are judged, too; they are unless this says no."""
    tol: float
    """The relative difference that outputs may have, instead of what rounding can do."""
    isolated: bool | Isolation
    """Whether models run in a process of their own, with limits; for files of strangers."""


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
    verify: bool | ProofOptions = False,
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

    With `verify` the file is compared with the model before it takes its place; `ParityError` tells of a
    fault and leaves the older file, or none. The manifest beside it is for `check_manifest`.
    """
    shapes = next((s for s in (input_shapes, in_shapes, input_shape) if s is not None), None)
    shapes, types = _declared(sym, shapes, in_types if input_type is None else input_type)
    path = params if isinstance(sym, HybridBlock) and _is_path(params) else onnx_file_path
    graph, values, inputs = _with_values(sym, params, shapes, types)
    texts = doc_string, metadata
    options = FileOptions(opset_version, precision, keep, run_shape_inference, external_data, *texts, verbose)
    if verify:
        options = replace(
            options, prove=_proof(sym, params, (graph, values, inputs), shapes, options, verify)
        )
    names = inputs, sym._onnx_outputs if isinstance(sym, HybridBlock) else None
    return _export(graph, values, shapes, types, path, dynamic, dynamic_input_shapes, *names, options)


def _proof(
    sym: Source, params: Any, parts: Any, shapes: Any, options: FileOptions, how: bool | ProofOptions
) -> Proof:
    """How a file is proven before it takes its place; `parts` is what `_with_values` gives."""
    graph, values, inputs = parts
    known, arrays, block = checked_options(how), arrays_by_name(values), isinstance(sym, HybridBlock)
    model = known.pop("model", sym if block else (graph, arrays))
    names = [name for name in graph.list_inputs() if name not in arrays] if inputs is None else inputs
    export = {
        "precision": options.precision,
        "keep": sorted(options.keep),
        "external_data": options.external_data,
        "run_shape_inference": options.run_shape_inference,
    }
    sources = [] if block else [source for source in (sym, params) if _is_path(source)]
    sizes = by_name(names, shapes, is_shape)
    return Proof(partial(verify, model), graph, arrays, sizes, known, export, sources)


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
    model: Model | Session,
    other: Model | Session | None = None,
    inputs: Inputs | None = None,
    *,
    shapes: Shapes | None = None,
    sizes: Mapping[str, int | Sequence[int]] | None = None,
    layers: bool = True,
    samples: int | None = None,
    seed: int = 0,
    precision: DTypeLike | None = None,
    metric: MetricLike | None = None,
    transform: Callable[[NDArray], ArrayLike] | None = None,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
    isolated: bool | Isolation = False,
    providers: Sequence[Any] | None = None,
) -> Parity:
    """Run two models on the same inputs, and tell rounding from faults.

    A model is a HybridBlock, a Symbol with its parameters as a tuple, or the files of both, an ONNX file or
    its bytes, or an open session; without `other` one of MXNet's is compared with its own export. Blocks and
    Symbols run on the kernels, a block's own call is compared as well, and ONNX models run in plain ONNX
    Runtime. The first model's graph also runs in float64, and again with every value moved as rounding may.

    Args:
        model: What is right.
        other: What is compared with it.
        inputs: Arrays by name or in order; an `.npz` or `.npy` file; a folder of such, or of images; or an
            iterable of several such as a DataLoader. Without them numbers that suit the graph are drawn.
        shapes: The shapes of inputs, by name or in order; sizes that are names are free.
        sizes: What free sizes are tried at, by name: one number or several, each by itself and all together;
            1, 2 and 7 unless given. With `inputs` they are tried only if they are given.
        layers: Whether values in between are judged too; outputs alone hide one fault in four, in less time.
        samples: How many samples are taken or drawn; 1, or of a folder 8, unless given.
        seed: Of what is drawn.
        precision: The dtype whose rounding the second is granted; that of most of its weights, unless given.
        metric: A metric or its name, "top1" and "top5" too, taken of both models over all of `inputs`, which
            have labels then: an array more, or a folder of images for each class.
        transform: Makes an input of an image (H, W, C), 0 to 255; else its middle counts, from 0 to 1.
        mean: What is taken from each colour then.
        std: What each is divided by then.
        isolated: Whether models run in a process of their own, with limits; for files of strangers.
        providers: ONNX Runtime's that run ONNX models, by name or with options; the processor's unless given.
    """
    pixels = Pixels(transform, (0.0,) if mean is None else mean, (1.0,) if std is None else std)
    options = _Options(shapes, sizes, layers, samples, seed, precision, metric, pixels)._asdict()
    first, way = _read(model), _way(isolated, providers)
    compare = partial(_verify_block, way) if isinstance(first, HybridBlock) else way.compare
    return compare(first, _second(_read(other), first, shapes, way), inputs, **options)


class _Way(NamedTuple):
    """How models are compared."""

    known: Callable[[Any], Runnable]
    """What is known of a model."""
    compare: Callable[..., Parity]


def _way(isolated: bool | Isolation, providers: Sequence[Any] | None) -> _Way:
    limits = isolation_of(isolated)
    if limits is None:
        return _Way(_among(providers, runnable), _among(providers, _verify))
    if providers is not None:
        raise RequirementError("verify: isolated=False is required with providers, got both.")
    return _Way(unopened, partial(verify_isolated, limits))


def _among(providers: Sequence[Any] | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function during which ONNX models run on some providers."""
    if providers is None:
        return function

    def scoped(*args: Any, **kwargs: Any) -> Any:
        with Providers(providers):
            return function(*args, **kwargs)

    return scoped


def _read(model: Any) -> Any:
    """A model whose native files are read: a Symbol with its parameters."""
    known = None if isinstance(model, HybridBlock | Mapping | None) else native(model)
    return model if known is None or known.symbol is None else (known.symbol, known.arrays)


def _second(other: Any, model: Any, shapes: Any, way: _Way) -> Any:
    """What is compared with a model, as `verify` of `parity` takes it."""
    if not isinstance(other, HybridBlock):
        return other
    return _declared_block(other, None if isinstance(model, HybridBlock) else way.known(model), shapes)


class _Options(NamedTuple):
    """What `verify` of `parity` is told by name."""

    shapes: Any
    sizes: Any
    layers: bool
    samples: int | None
    seed: int
    precision: Any
    metric: Any
    pixels: Pixels


def _verify_block(
    way: _Way, net: HybridBlock, other: Any, inputs: Any, *, samples: int | None, **options: Any
) -> Parity:
    second = None if other is None else way.known(other)
    is_known = second is not None or options["shapes"] is not None or net._cached_graph
    special = options["metric"] is not None or options["sizes"] is not None or _is_path(inputs)
    if inputs is None or (special and is_known):
        block = _declared_block(net, second, options["shapes"])
        return way.compare(block, second, inputs, samples=samples, **options)
    traced: Any = net._cached_graph
    values = [parts(v, len(traced[0])) if traced else v for v in samples_in(inputs, samples or 1)]
    names, graph = _graph(net, len(in_order(values[0], is_array)))
    by_input = [_by_input(net, names, graph, v) for v in values]
    params = _parameters(net, graph, [NDArray(by_input[0][name], _home(net)) for name in names])
    block = _runnable(net, names, graph, params)
    return way.compare(block, second, iter(by_input), samples=len(by_input), **options)


def assert_parity(
    model: Model | Session,
    other: Model | Session | None = None,
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
    inputs, graph = net._graph_of(count)
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


def _home(net: HybridBlock) -> Context:
    """The context of a block's parameters, the first if there are several."""
    contexts = (ctx for param in net.collect_params().values() for ctx in param.list_ctx())
    return next(contexts, None) or current_context()


def _declared_block(net: HybridBlock, other: Runnable | None, shapes: Any) -> Runnable:
    """A block with what is known of its inputs: by the caller, by itself, and by another model."""
    theirs = {} if other is None else dict(other.inputs)
    count = len(in_order(shapes, is_shape)) or len(theirs)
    traced: Any = net._cached_graph
    if not count and not traced:
        raise MXNetError("verify: inputs, or their shapes, are required for a block, got neither.")
    names, graph = _graph(net, count or len(traced[0]))
    own = {n: Spec(_sizes(i.sizes), as_dtype(i.dtype)) for n, i in _own_inputs(net).items()}
    wanted = {n: Spec(s) for n, s in by_name(names, _named_as(names, shapes, is_shape), is_shape).items()}
    known = [wanted, own, by_name(names, _named_as(names, theirs, lambda spec: False), lambda spec: False)]
    _require_inputs(net, names, wanted, "shapes")
    specs = {name: _merged_spec([part[name] for part in known if name in part]) for name in names}
    sizes = {n: [d if isinstance(d, int) else None for d in spec.shape or ()] for n, spec in specs.items()}
    net._finish_known(graph, {n: shape for n, shape in sizes.items() if specs[n].shape is not None})
    zeros = [np.zeros([1 if d is None else d for d in sizes[n]], specs[n].dtype or np.float32) for n in names]
    params = _parameters(net, graph, [NDArray(zero, _home(net)) for zero in zeros])
    needed = data_names(graph, arrays_by_name(params))
    block = _runnable(net, names, graph, params)
    return replace(block, inputs={n: s for n, s in specs.items() if n in needed or s.shape is not None})


def _own_inputs(net: HybridBlock) -> Mapping[str, Any]:
    return net._declared_inputs() if isinstance(net, SymbolBlock) else {}


def _sizes(sizes: Sequence[object] | None) -> Any:
    return None if sizes is None else tuple(map(_size, sizes))


def _named_as(names: Sequence[str], values: Any, is_one: Callable[[Any], bool]) -> Any:
    """Values by name; in their order where another model calls its inputs differently."""
    if isinstance(values, Mapping) and not set(values) <= set(names):
        return list(values.values())
    return values


def _merged_spec(specs: Sequence[Spec]) -> Spec:
    """What several sources say of an input, the first of them before others."""
    shape: Any = None
    for spec in specs:
        shape = joined(shape, spec.shape)
    return Spec(shape, next((spec.dtype for spec in specs if spec.dtype is not None), None))


def _runnable(net: HybridBlock, names: list[str], graph: Symbol, params: Mapping[str, NDArray]) -> Runnable:
    """A block for comparison: its graph on the kernels, and its own call, which may be in ONNX Runtime."""

    def call(inputs: dict[str, Array]) -> dict[str, Array]:
        shapes = {name: array.shape for name, array in inputs.items()}
        inputs = {**label_zeros(graph, [*params, *inputs], shapes), **inputs}
        flat, _ = flatten(net._call_flat([NDArray(inputs[name], _home(net)) for name in names]), "output")
        return named(graph.list_outputs(), [y.asnumpy() for y in flat])

    return replace(
        of_symbol(graph, arrays_by_name(params), call), inputs=dict.fromkeys(names, Spec()), title=net.name
    )
