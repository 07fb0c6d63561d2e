"""Models that can be compared: what each takes, how it runs, and how its values are reached one by one."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from ..context import cpu
from ..converters.cuts import Cuts
from ..converters.elements import dtype_of_type_string
from ..converters.from_onnx import import_model, in_words, read, short
from ..converters.inspection import facts
from ..converters.limits import Limit, input_limits
from ..converters.quantization import Quantization, is_quantized
from ..converters.to_onnx import arrays_by_name, data_names, model_bytes
from ..dtypes import DType, as_dtype, container_of
from ..errors import ConversionError, MXNetError, is_file
from ..gluon.hybrid_block import HybridBlock
from ..ndarray.invoke import ReferenceKernels, invoke_all
from ..ndarray.ndarray import NDArray
from ..ops import Array, Operator, Spec, SymbolicDim
from ..runtime.open_session import is_session, model_of
from ..runtime.open_session import run as run_session
from ..runtime.session import ModelSession
from ..symbol.execute import Operators, execute
from ..symbol.graph import Entry, Node, topological
from ..symbol.infer import infer
from ..symbol.labels import label_shapes
from ..symbol.symbol import Symbol
from .difference import unit_of
from .limits import symbol_limits
from .results import NodeFacts
from .sizes import dim

Arrays: TypeAlias = dict[str, Array]
_P = ParamSpec("_P")
_T = TypeVar("_T")


class Graph:
    """A symbol with its parameters, whose nodes run on the kernels."""

    def __init__(self, symbol: Symbol, params: Arrays) -> None:
        self.symbol, self.params = symbol, params
        self._nodes: dict[str, Entry] = {}
        for node in symbol.get_internals().nodes():
            if not node.is_variable:
                for i, name in enumerate(node.output_names()):
                    self._nodes.setdefault(name, Entry(node, i))
        self._labels: Arrays = {}
        """Of the run before."""
        self._operator: Callable[[Node], Operator] = attrgetter("op")

    def values(self) -> list[str]:
        """The names of what operators give, in order."""
        return list(self._nodes)

    def outputs(self) -> list[str]:
        """The names of the graph's own outputs, in order."""
        names = {entry: name for name, entry in self._nodes.items()}
        return [names.get(entry, entry.node.name) for entry in self.symbol.outputs]

    def all(self, inputs: Arrays, wanted: Sequence[str]) -> Arrays:
        """Values of the whole graph by name."""
        return dict(zip(wanted, self._run(inputs, wanted), strict=True))

    def sources(self, wanted: Iterable[str], borders: Collection[str]) -> set[str]:
        """What values are computed from: the first of `borders` on each way back, and inputs."""
        _, sources = self._back(wanted, borders)
        return sources

    def between(self, wanted: Iterable[str], borders: Collection[str]) -> list[str]:
        """The values between some and `borders`, in order, both left out."""
        wanted = [*wanted]
        entries, _ = self._back(wanted, borders)
        out = {self._nodes[name] for name in (*wanted, *borders) if name in self._nodes}
        return [name for name, entry in self._nodes.items() if entry in entries and entry not in out]

    def makers(self, wanted: Iterable[str], borders: Collection[str]) -> list[str]:
        """The nodes between values and `borders`."""
        entries, _ = self._back(wanted, borders)
        return list(dict.fromkeys(e.node.name for e in sorted(entries, key=lambda e: e.node.serial)))

    def facts(self, wanted: Iterable[str], borders: Collection[str]) -> tuple[NodeFacts, ...]:
        """What the nodes between values and `borders` are."""
        entries, _ = self._back(wanted, borders)
        nodes = dict.fromkeys(e.node for e in sorted(entries, key=lambda e: e.node.serial))
        return tuple(
            NodeFacts(n.name, n.op_name, {k: v for k, v in n.attrs.items() if not k.startswith("__")})
            for n in nodes
        )

    def shapes(self, inputs: Arrays) -> dict[str, tuple[int, ...]]:
        """The shapes of values, as far as inference tells them."""
        known = {name: Spec(x.shape, x.dtype) for name, x in {**self.params, **inputs}.items()}
        try:
            specs = infer(self.symbol, known, partial=True)
        except MXNetError:
            return {}
        shapes = {name: specs[entry].shape for name, entry in self._nodes.items() if entry in specs}
        return {
            name: tuple(d for d in shape if isinstance(d, int))
            for name, shape in shapes.items()
            if shape is not None and all(isinstance(d, int) for d in shape)
        }

    def range_of(self, name: str) -> tuple[float, float]:
        """The range outside of which all that take a value treat it alike, as relu and clip do."""
        entry = self._nodes[name]
        users = [node.op for node in topological(self.symbol.outputs) if entry in node.inputs]
        if not users or entry in self.symbol.outputs:
            return -math.inf, math.inf
        ranges = [_range(op) for op in users]
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    def parameters(self) -> list[str]:
        """The names of parameters."""
        return list(self.params)

    def parameter(self, name: str) -> Array:
        """A parameter's value."""
        return self.params[name]

    def parameters_of(self, wanted: Iterable[str], borders: Collection[str]) -> list[str]:
        """The parameters that nodes between values and `borders` take, in the order of the nodes."""
        entries, _ = self._back(wanted, borders)
        nodes = dict.fromkeys(e.node for e in sorted(entries, key=lambda e: e.node.serial))
        taken = dict.fromkeys(source.node.name for node in nodes for source in node.inputs)
        return [name for name in taken if name in self.params]

    def part(self, wanted: Sequence[str], given: Arrays) -> Arrays:
        """Values computed from others."""
        entries, _ = self._back(wanted, given)
        ready = {self._nodes[name]: array for name, array in given.items() if name in self._nodes}
        variables = {**self.params, **self._labels, **given}
        results: dict[Entry, Array] = {}

        def array(entry: Entry) -> Array:
            if entry in ready:
                return ready[entry]
            return variables[entry.node.name] if entry.node.is_variable else results[entry]

        for node in dict.fromkeys(entry.node for entry in sorted(entries, key=lambda e: e.node.serial)):
            with node.named(), ReferenceKernels():
                inputs = [NDArray(array(entry), cpu()) for entry in node.inputs]
                outputs = invoke_all(self._operator(node), inputs)
            results.update({Entry(node, i): y.asnumpy() for i, y in enumerate(outputs)})
        return {name: results[self._nodes[name]] for name in wanted}

    def _run(self, inputs: Arrays, wanted: Sequence[str]) -> list[Array]:
        values = {**self.params, **inputs}
        self._labels = label_zeros(self.symbol, list(values), {name: x.shape for name, x in inputs.items()})
        values |= self._labels
        specs = {name: Spec(x.shape, x.dtype) for name, x in values.items()}
        self._operator = Operators(topological(self.symbol.outputs), lambda: specs)
        arrays = {name: NDArray(value, cpu()) for name, value in values.items()}
        part = Symbol([self._nodes[name] for name in wanted])
        with ReferenceKernels():
            return [y.asnumpy() for y in execute(part, arrays, around=self.symbol)]

    def _back(self, wanted: Iterable[str], borders: Collection[str]) -> tuple[set[Entry], set[str]]:
        ends = {self._nodes[name]: name for name in borders if name in self._nodes}
        entries: set[Entry] = set()
        sources: set[str] = set()
        waiting = [self._nodes[name] for name in wanted]
        while waiting:
            entry = waiting.pop()
            if entry in entries:
                continue
            entries.add(entry)
            for source in entry.node.inputs:
                if source in ends:
                    sources.add(ends[source])
                elif not source.node.is_variable:
                    waiting.append(source)
                elif source.node.name not in self.params:
                    sources.add(source.node.name)
        return entries, sources


class File:
    """An ONNX model whose parts run in plain ONNX Runtime."""

    def __init__(self, source: Any) -> None:
        self._cuts = Cuts(source)

    def values(self) -> list[str]:
        """The names of what nodes give, in order."""
        return self._cuts.values()

    def outputs(self) -> list[str]:
        """The names of the model's own outputs, in order."""
        return self._cuts.outputs

    def all(self, inputs: Arrays, wanted: Sequence[str]) -> Arrays:
        """Values of the whole model by name, without those that are no arrays of numbers."""
        return self._run(wanted, {name: inputs[name] for name in self._cuts.inputs if name in inputs})

    def sources(self, wanted: Iterable[str], borders: Collection[str]) -> set[str]:
        """What values are computed from: the first of `borders` on each way back, and inputs."""
        return self._cuts.sources(wanted, borders)

    def between(self, wanted: Iterable[str], borders: Collection[str]) -> list[str]:
        """The values between some and `borders`, in order, both left out."""
        wanted = [*wanted]
        out = {*wanted, *borders}
        steps = self._cuts.between(wanted, borders)
        return [name for step in steps for name in step.outputs if name not in out]

    def makers(self, wanted: Iterable[str], borders: Collection[str]) -> list[str]:
        """The nodes between values and `borders`."""
        return [step.name or step.op_type for step in self._cuts.between(wanted, borders)]

    def facts(self, wanted: Iterable[str], borders: Collection[str]) -> tuple[NodeFacts, ...]:
        """What the nodes between values and `borders` are."""
        steps = self._cuts.between(wanted, borders)
        return tuple(NodeFacts(s.name, s.op_type, self._cuts.attributes(s)) for s in steps)

    def parameters(self) -> list[str]:
        """The names of parameters."""
        return self._cuts.parameters()

    def parameter(self, name: str) -> Array:
        """A parameter's value."""
        return self._cuts.parameter(name)

    def parameters_of(self, wanted: Iterable[str], borders: Collection[str]) -> list[str]:
        """The parameters that nodes between values and `borders` take, in the order of the nodes."""
        known = {*self._cuts.parameters()}
        taken = (name for step in self._cuts.between(wanted, borders) for name in step.inputs)
        return [name for name in dict.fromkeys(taken) if name in known]

    def part(self, wanted: Sequence[str], given: Arrays) -> Arrays:
        """Values computed from others."""
        return self._run(wanted, given)

    def _run(self, wanted: Sequence[str], given: Arrays) -> Arrays:
        part = self._cuts.part(wanted, given)
        session = ModelSession(part.data, weights=part.weights)
        feeds = {new: np.asarray(given[name], order="C") for name, new in part.inputs.items()}
        results = session.readable(feeds)
        pairs = zip(wanted, session.outputs, strict=True)
        return {name: results[new] for name, new in pairs if new in results}


def _range(op: Operator) -> tuple[float, float]:
    """The range outside of which an operator gives what it gives at its ends."""
    if "relu" in (op.names[0], getattr(op, "act_type", "")):
        return 0.0, math.inf
    return getattr(op, "a_min", -math.inf), getattr(op, "a_max", math.inf)


@dataclass(frozen=True)
class Runnable:
    """A model of any kind: what it takes, and how to run it."""

    inputs: Mapping[str, Spec]
    """Shapes may be unknown or partly so; free sizes are expressions of names."""
    run: Callable[[Arrays], Arrays]
    """Inputs by name to outputs by name, in order."""
    inside: Callable[[], Graph | File] = field(compare=False)
    """Its values one by one."""
    reference: Callable[[], Graph | None] = field(compare=False)
    """Its graph on the kernels; `None` where it has operators that only ONNX Runtime knows."""
    limits: Callable[[Mapping[str, Spec]], Mapping[str, Sequence[Limit]]] = field(compare=False)
    """What numbers it takes, by the inputs' names, for inputs such as these."""
    precision: Callable[[], DType | None] = field(compare=False)
    """The dtype of most of its weights' elements, if they are floating-point numbers."""
    call: Callable[[Arrays], Arrays] | None = field(default=None, compare=False)
    """The same model's other way, if it has one."""
    quantization: Callable[[], Quantization | None] = field(default=lambda: None, compare=False)
    """What is quantized in it, if anything is."""
    is_file: bool = False
    """Whether it is ONNX, which runs apart from what it is imported as."""
    title: str = field(default="", compare=False)
    """What reports call it."""
    source: str | bytes | None = field(default=None, compare=False)
    """The file, or its bytes, of one that is not open here."""


def title(model: Any) -> str:
    """What a model is called in reports."""
    if isinstance(model, str | os.PathLike):
        return os.fspath(model)
    if isinstance(model, tuple | list) and model:
        return title(model[0])
    if isinstance(model, Symbol):
        return model.name or "Symbol"
    if isinstance(model, HybridBlock):
        return str(model.name)
    return (model.title if isinstance(model, Runnable) else "") or "ONNX model"


def runnable(model: Any) -> Runnable:
    """Anything that `verify` takes."""
    if isinstance(model, Runnable):
        return model
    if is_symbol(model):
        return of_symbol(model[0], arrays_by_name(list(model[1:])))
    if isinstance(model, str | os.PathLike | bytes) or hasattr(model, "SerializeToString"):
        return of_onnx(model)
    if is_session(model):  # as it is: its own providers, threads and optimizations
        return replace(of_onnx(model_of(model)), run=partial(run_session, model))
    raise ConversionError(
        "verify: an ONNX model, a session of one, or a tuple of a Symbol and parameters, is required, "
        f"got {type(model).__name__}."
    )


def is_symbol(model: Any) -> bool:
    """Whether a model is a Symbol with parameters."""
    return isinstance(model, tuple | list) and bool(model) and isinstance(model[0], Symbol)


def of_symbol(symbol: Symbol, params: Arrays, call: Callable[[Arrays], Arrays] | None = None) -> Runnable:
    """A Symbol with parameters, run on the kernels."""
    names = data_names(symbol, params)
    values = {name: NDArray(array, cpu()) for name, array in params.items()}

    def run(inputs: Arrays) -> Arrays:
        shapes = {name: array.shape for name, array in inputs.items()}
        arrays = {**inputs, **label_zeros(symbol, [*values, *inputs], shapes)}
        with ReferenceKernels():
            others = {name: NDArray(array, cpu()) for name, array in arrays.items()}
            outputs = execute(symbol, {**values, **others})
        return named(symbol.list_outputs(), [y.asnumpy() for y in outputs])

    def limits(inputs: Mapping[str, Spec]) -> Mapping[str, Sequence[Limit]]:
        known = {name: Spec(array.shape, array.dtype) for name, array in params.items()}
        return symbol_limits(symbol, {**known, **inputs})

    def precision() -> DType | None:
        return _most((array.dtype, array.size) for array in params.values())

    graph = Graph(symbol, params)
    unknown = {name: Spec() for name in names}
    return Runnable(unknown, run, lambda: graph, lambda: graph, limits, precision, call)


def _most(weights: Iterable[tuple[DType, int]]) -> DType | None:
    """The dtype of most elements of weights; `None` if that is none of floating-point numbers."""
    counts: Counter[DType] = Counter()
    for dtype, size in weights:
        counts[dtype] += size
    if not counts:
        return None
    dtype = max(counts, key=lambda dtype: counts[dtype])
    return dtype if unit_of(dtype) else None


def label_zeros(symbol: Symbol, known: Sequence[str], shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
    """Zeros for the variables without a value, which only training reads, by the inputs' shapes."""
    missing = [name for name in symbol.list_inputs() if name not in known]
    if not missing:
        return {}
    inferred = label_shapes(symbol, missing, shapes)
    unknown = [name for name in missing if name not in inferred]
    if unknown:
        raise ConversionError(
            f"verify: an array for {unknown[0]} is required, whose shape the other inputs do not tell. "
            "Give it among the inputs, or cut the label off with get_internals()."
        )
    return {name: np.zeros(inferred[name], np.float32) for name in missing}


def of_onnx(model: Any) -> Runnable:
    """An ONNX model, run in plain ONNX Runtime."""
    if not isinstance(model, str | os.PathLike):
        source: str | bytes = model if isinstance(model, bytes) else model.SerializeToString()
    elif is_file(Path(model)):
        source = os.fspath(model)
    else:
        raise ConversionError(f"verify: the ONNX file {model} does not exist.")
    read(source)  # which says in words what is wrong with a file, before ONNX Runtime sees it
    session = ModelSession(source)
    _require_arrays(session)
    declared = {
        name: Spec(tuple(dim(size, name, i) for i, size in enumerate(shape)), dtype_of_type_string(text))
        for name, (text, shape) in session.inputs.items()
    }

    def reference() -> Graph | None:
        try:
            symbol, arguments, states = import_model(source)
        except MXNetError:
            return None
        return Graph(symbol, arrays_by_name([arguments, states]))

    def limits(inputs: Mapping[str, Spec]) -> Mapping[str, Sequence[Limit]]:
        shapes = {
            n: tuple(s if isinstance(s, int) else str(s) for s in i.shape or ()) for n, i in inputs.items()
        }
        return input_limits(source, shapes)

    def precision() -> DType | None:
        known = (item for item in facts(read(source)).parameters if item.dtype != "unknown" and item.shape)
        sizes = (
            (as_dtype(item.dtype), math.prod(d for d in item.shape or () if isinstance(d, int)))
            for item in known
        )
        return _most(sizes)

    def quantization() -> Quantization | None:
        return Quantization(source) if is_quantized(source) else None

    def run(inputs: Arrays) -> Arrays:
        return named(session.outputs, session(inputs))

    return Runnable(
        *(declared, run, _worded(lambda: File(source)), reference, _worded(limits), _worded(precision)),
        quantization=_worded(quantization),
        title=title(model),
        is_file=True,
    )


def _require_arrays(session: ModelSession) -> None:
    """Refuse models of which an input or output is a sequence or a map."""
    types = {name: text for name, (text, _) in session.inputs.items()}
    types.update(zip(session.outputs, session.output_types, strict=True))
    strange = next((name for name, text in types.items() if text.startswith(("seq(", "map("))), None)
    if strange is not None:
        raise ConversionError(
            f"verify: inputs and outputs that are arrays are required, and {short(strange)} is a "
            f"{types[strange]}. Let the model take and give what is in it."
        )


def _worded(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """A function of a file, which may come from a stranger, whose errors are ours."""

    @wraps(function)
    def worded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with in_words("it cannot be compared"):
            return function(*args, **kwargs)

    return worded


def has_containers(graph: Graph, inputs: Arrays) -> bool:
    """Whether values of a graph are sequences, optionals or maps.

    Args:
        graph: The graph.
        inputs: Its inputs by name.
    """
    known = {name: Spec(x.shape, x.dtype) for name, x in {**graph.params, **inputs}.items()}
    try:
        specs = infer(graph.symbol, known, partial=True)
    except MXNetError:  # whoever runs it tells what is wrong
        return False
    return any(container_of(spec.dtype) for spec in specs.values())


def rows_of(*models: Runnable) -> int | None:
    """How many rows models take at once, by what one of them declares of its first input, if it does."""
    shapes = [spec.shape for model in models for spec in islice(model.inputs.values(), 1)]
    sizes = [shape[0] for shape in shapes if shape and isinstance(shape[0], int) and shape[0] > 0]
    return next(iter(sizes), None)


def exported(symbol: Symbol, params: Arrays, inputs: Mapping[str, Spec]) -> bytes:
    """The ONNX model of a Symbol, for such inputs."""
    return model_bytes(symbol, params, inputs)


def exported_for(symbol: Symbol, params: Arrays, sample: Arrays) -> bytes:
    """The ONNX model of a Symbol for such a sample, and for one of more or fewer rows if that can be."""
    rows = SymbolicDim.named("rows")
    fixed = {name: Spec(x.shape, x.dtype) for name, x in sample.items()}
    free = {name: Spec((rows, *x.shape[1:]) if x.ndim else x.shape, x.dtype) for name, x in sample.items()}
    try:
        return exported(symbol, params, free)
    except MXNetError:
        return exported(symbol, params, fixed)


def named(names: Sequence[str], values: Sequence[Array]) -> Arrays:
    """Values by name; a name that was there gets a number."""
    arrays: Arrays = {}
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, np.ndarray) or container_of(value.dtype):
            raise ConversionError(
                f"verify: outputs that are arrays are required, and {short(name)} is a sequence or another "
                "value that is none. Let the model give what is in it."
            )
        key, number = name, 0
        while key in arrays:
            number += 1
            key = f"{name}_{number}"
        arrays[key] = value
    return arrays
