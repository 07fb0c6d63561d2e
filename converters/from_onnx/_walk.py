"""The walk over a model's nodes that says each of them in MXNet's operators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from onnx import AttributeProto, GraphProto, NodeProto, defs, helper

from hybridonnx.dtypes import DType, container_of
from hybridonnx.errors import BoundsError, ConversionError, MXNetError, suggest
from hybridonnx.name import Prefix
from hybridonnx.ops import SymbolicDim, show, without_symbols
from hybridonnx.symbol.declared import InputShapes, shape_attributes
from hybridonnx.symbol.graph import Entry
from hybridonnx.symbol.symbol import Broadcasting, Symbol

from ..elements import Array
from ..opsets import plain, signature, versions
from ..subgraphs import uses
from ..unused import UsedNames
from ._definitions import is_defined
from ._failures import Failures
from ._functions import Functions, entries
from ._inner import InnerGraph, Known, as_outside, studied
from ._local_functions import inline_local
from ._model_info import Dims, ModelInfo
from ._native import native, reason_against, why_unknown
from ._places import title
from ._reader import Model
from ._registry import Import, find, load_all
from ._sequences import unpacked
from ._vectors import Size


@dataclass
class Imported:
    """A model as a Symbol, with the values of its variables that are no inputs."""

    symbol: Symbol
    arrays: Mapping[str, Array]
    inputs: list[str]
    """The names of the model's inputs in its order, those included that nothing reads."""
    outputs: list[str]
    """What the model calls its outputs."""
    shapes: dict[str, Dims | None] = field(default_factory=dict)
    """The shapes that the model says its inputs have."""
    types: dict[str, tuple[Dims | None, str]] = field(default_factory=dict)
    """What is known of the inputs and outputs: free sizes by name, and the element type."""


def walk(model: Model, shapes: InputShapes | None = None) -> Imported:
    """Convert the whole model; `shapes` say more of its inputs than the file."""
    inline_local(model)
    imported = _walk(ModelInfo(model, shapes=shapes))
    for node in imported.symbol.nodes():
        if node.is_variable:
            node.attrs |= shape_attributes(imported.shapes.get(node.name))
    return imported


def _walk(info: ModelInfo) -> Imported:
    """Convert a model without functions of its own, or a graph inside of one."""
    graph = info.model.proto.graph
    outputs = [output.name for output in graph.output]
    nodes = _expanded(info, outputs)
    failures = _refused(info, nodes)
    read = frozenset([*outputs, *(name for node in nodes for name in _reads(info, node))])
    conversion = _Conversion(info, Functions(info), read=read)
    inputs = [i.name for i in graph.input if not info.is_constant(i.name)]
    for name in inputs:
        conversion.values[name] = conversion.F.variable(name).outputs[0]
    for node in nodes:
        if failures.hides(node):
            continue
        try:
            conversion.convert(node)
        except MXNetError as exc:
            failures.add(node, exc)
    failures.report()
    symbol = Symbol([conversion.entry(name) for name in outputs])
    used = {node.name for node in symbol.nodes() if node.is_variable}
    arrays = {name: array for name, array in conversion.F.arrays.items() if name in used}
    types = {name: (info.shape(name), _type(info.dtype(name))) for name in (*inputs, *outputs)}
    return Imported(symbol, arrays, inputs, outputs, {name: info.shape(name) for name in inputs}, types)


def _type(dtype: DType | None) -> str:
    return "" if dtype is None else container_of(dtype) or dtype.name


_MISFITS = (MXNetError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What import functions raise for a node that MXNet's operators cannot say, or that is not valid."""


def _in_words(node: NodeProto, exc: Exception) -> MXNetError:
    """The error of an import function as one of the framework's."""
    if isinstance(exc, MXNetError):
        return exc
    return ConversionError(
        f"{node.op_type}: inputs or attributes do not fit. {type(exc).__name__}: {str(exc).rstrip('.')}."
    )


@dataclass
class _Conversion:
    info: ModelInfo
    F: Functions
    values: dict[str, Entry] = field(default_factory=dict)
    read: frozenset[str] = frozenset()
    """The values that nodes or the model's outputs take."""
    names: UsedNames = field(default_factory=UsedNames)
    """Those that nodes and variables have."""

    def __post_init__(self) -> None:
        self.names.update(i.name for i in self.info.model.proto.graph.input)
        self.names.update(self.info.tensors, self.info.constants)

    def entry(self, name: str) -> Entry:
        """The entry of a value of the model."""
        if name in self.values:
            return self.values[name]
        return self.F.constant(name).outputs[0]

    def convert(self, node: NodeProto) -> None:
        """Say a node in MXNet's operators, or else by its own, and give its results the node's names."""
        self.F.begin(node)
        called = self.names.new(_name_of(node))
        try:
            results = self._in_mxnets(node, called)
        except BoundsError:  # which no engine would take
            raise
        except _MISFITS as exc:
            entry = _import(self.info, node)
            if (entry is not None and not entry.stays) or reason_against(self.info, node):
                raise _in_words(node, exc) from exc
            with Prefix(f"{called}_"):
                results = native(self.F, self.info, node, lambda name: Broadcasting([self.entry(name)]))
            if entry is not None:  # and so it is usual that MXNet can say it
                self._require_fit(results)
        self._name(called, node, [y.outputs[0] for y in results if y is not None])
        for name, y in zip(node.output, results, strict=False):
            if name and y is not None:
                self.values[name] = y.outputs[0]
                self.F.call_it(y.outputs[0], name)

    def _in_mxnets(self, node: NodeProto, called: str) -> list[Any]:
        """The node's results in MXNet's operators, as ONNX has them."""
        entry = _import(self.info, node)
        if entry is None:
            raise ConversionError(f"{node.op_type}: MXNet has no operator for it.")
        inputs = self._inputs(entry, node)
        attributes = self._attributes(entry, node)
        with Prefix(f"{called}_"):
            results = [Broadcasting([e]) for e in entries(entry.function(self.F, *inputs, **attributes))]
            missing = [name for name in node.output[len(results) :] if name in self.read]
            if missing:
                lacking = self._parameter(node, missing[0])
                raise ConversionError(f"{node.op_type}: MXNet has no operator that gives {lacking}, too.")
            return [
                self._conformed(node, i, y) if name else None
                for i, (name, y) in enumerate(zip(node.output, results, strict=False))
            ]

    def _require_fit(self, results: Iterable[Any]) -> None:
        """Raise if ONNX refuses the inputs' shapes and dtypes too, as far as they are known."""
        for y in results:
            if y is not None:
                self.F.spec(y.outputs[0])

    def _parameter(self, node: NodeProto, name: str) -> str:
        """What ONNX calls an output of a node, with the name that the model gives it."""
        domain = plain(node.domain)
        kind = signature(node.op_type, self.info.model.opsets.get(domain, 0), domain)
        return f"{kind.output(list(node.output).index(name)).name} ({name})"

    def _conformed(self, node: NodeProto, index: int, y: Any) -> Any:
        """A result with the dtype that ONNX says, and without the axis that MXNet has where ONNX has none."""
        name = node.output[index]
        dtype, dims = self.info.dtype(name), self.info.shape(name)
        own = self.F.spec(y.outputs[0])
        if dtype is not None and own.dtype != dtype:
            y = self.F.cast(y, dtype=dtype.name)
        if dims == () and own.shape == (1,):
            y = self.F._np_squeeze(y)
        _agree(node, index, without_symbols(self.F.spec(y.outputs[0]).shape), dims)
        return y

    def _attributes(self, entry: Import, node: NodeProto) -> dict[str, Any]:
        graphs = {a.name: partial(self._inner, a.g) for a in node.attribute if a.type == AttributeProto.GRAPH}
        return {**_attributes(self.info, entry, node), **graphs}

    def _inner(self, graph: GraphProto, inputs: Sequence[Known]) -> InnerGraph:
        """A graph inside of a node."""
        info, outside = studied(self.info, graph, inputs)
        constants = {name for name in outside if self.info.is_constant(name)}
        imported = _walk(info)
        around = {
            name: self.F.constant_inside(name, info) for name in imported.arrays if name not in constants
        }
        around |= {name: Broadcasting([self.entry(name)]) for name in outside}
        names = [item.name for item in graph.input]
        dims = [as_outside(info, name) for name in imported.outputs]
        return InnerGraph(names, imported.symbol.outputs, dims, around)

    def _inputs(self, entry: Import, node: NodeProto) -> list[Any]:
        sources = list(node.input)
        if len(sources) > len(entry.inputs) and not entry.variadic:
            raise ConversionError(
                f"{node.op_type}: inputs {', '.join(entry.inputs)} are supported and no more, "
                f"got {len(sources)} inputs."
            )
        if len(sources) < entry.required or any(not name for name in sources[: entry.required]):
            raise ConversionError(
                f"{node.op_type}: inputs {', '.join(entry.inputs[: entry.required])} are required, "
                f"got {', '.join(filter(None, sources)) or 'none'}."
            )
        names = [*entry.inputs, *[""] * (len(sources) - len(entry.inputs))]
        return [self._input(entry, p, name, node) for p, name in zip(names, sources, strict=False)]

    def _input(self, entry: Import, parameter: str, name: str, node: NodeProto) -> Any:
        if not name:
            return None
        if parameter in entry.hints:
            return self.info.constant(name) if self.info.is_constant(name) else None
        if parameter in entry.operands:
            return self._operand(parameter, name, node)
        if parameter not in entry.constants:
            return Broadcasting([self.entry(name)])
        if not self.info.is_constant(name):
            raise ConversionError(
                f"{node.op_type}: a constant is required as {parameter}, got {name}, which is computed. "
                "Export the model with fixed shapes, or simplify it first."
            )
        return self.info.constant(name)

    def _operand(self, parameter: str, name: str, node: NodeProto) -> tuple[Size, ...]:
        vector = self.info.vector(name)
        items = () if vector is None else vector.items
        known = tuple(item for item in items if isinstance(item, int | SymbolicDim))
        if vector is None or len(known) < len(items):
            raise ConversionError(
                f"{node.op_type}: numbers, or sizes of the inputs, are required as {parameter}, "
                f"got {name}, which is computed otherwise."
            )
        return known

    def _name(self, called: str, node: NodeProto, results: Iterable[Entry]) -> None:
        """Name the nodes that the results come from after the ONNX node, if they are new."""
        nodes = dict.fromkeys(e.node for e in results if e.node.name.startswith(f"{called}_"))
        fresh = [new for new in nodes if not new.is_variable]
        if len(fresh) == 1:
            fresh[0].name = called


def _name_of(node: NodeProto) -> str:
    """What to call an ONNX node in a Symbol, so that outputs called as MXNet calls them keep their names."""
    match = _MXNETS.fullmatch(node.output[0]) if node.output else None
    return match[1] if match else title(node)


_MXNETS = re.compile(r"(.+)_output0?")
"""An output's name in MXNet: that of the node, and which output of it."""


def _agree(node: NodeProto, index: int, shape: Dims | None, expected: Dims | None) -> None:
    """Hold an import to the shape that ONNX infers."""
    if shape is None or expected is None:
        return
    fits = len(shape) == len(expected) and all(
        a == b for a, b in zip(shape, expected, strict=True) if isinstance(a, int) and isinstance(b, int)
    )
    if not fits:
        raise ConversionError(
            f"{node.op_type}: output {index} has the shape {show(expected)} in ONNX, "
            f"but {show(shape)} imported. Please report the model."
        )


# ---- what a node says


def _import(info: ModelInfo, node: NodeProto) -> Import | None:
    domain = plain(node.domain)
    return find(node.op_type, domain).get(_since(info, node))


def _since(info: ModelInfo, node: NodeProto) -> int:
    """The version of the operator that the model means."""
    domain = plain(node.domain)
    opset = info.model.opsets.get(domain, 0)
    return _version(node.op_type, opset, domain) if versions(node.op_type, domain) else opset


@lru_cache(4096)
def _version(op_type: str, opset: int, domain: str) -> int:
    try:
        return signature(op_type, opset, domain).since
    except ConversionError:
        return opset  # an operator that only its own library knows


def _attributes(info: ModelInfo, entry: Import, node: NodeProto) -> dict[str, Any]:
    attributes = {a.name: _attribute(info, a) for a in node.attribute if a.name not in _HINTS}
    for name in attributes:
        if name not in entry.attributes:
            raise ConversionError(
                f"{node.op_type}: attribute {name} is not supported, known are "
                f"{', '.join(entry.attributes) or 'none'}.{suggest(name, entry.attributes)}"
            )
    missing = [name for name, required in entry.attributes.items() if required and name not in attributes]
    if missing:
        raise ConversionError(f"{node.op_type}: attribute {missing[0]} is required, got none.")
    if "opset" in entry.facts:
        attributes["opset"] = _since(info, node)
    if "note" in entry.facts:
        attributes["note"] = node.doc_string
    return attributes


_HINTS = frozenset({"consumed_inputs"})
"""Attributes without effect on results: which inputs an operator of opset 1 to 5 might overwrite."""


def _attribute(info: ModelInfo, attribute: AttributeProto) -> Any:
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.TENSOR:
        return info.model.array(value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if attribute.type == AttributeProto.STRINGS:
        return tuple(item.decode(errors="replace") for item in value)
    return tuple(value) if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS) else value


# ---- which nodes


def _needed(info: ModelInfo, outputs: Iterable[str]) -> list[NodeProto]:
    """The nodes that the outputs depend on, in order."""
    required = set(outputs)
    nodes: list[NodeProto] = []
    for node in reversed(info.nodes):
        if required.isdisjoint(node.output):
            continue
        nodes.append(node)
        required.update(_reads(info, node))
    return nodes[::-1]


def _reads(info: ModelInfo, node: NodeProto) -> list[str]:
    """The values that a node needs: its inputs, what its graphs take, and what its attributes name."""
    entry = _import(info, node)
    attributes = [a for a in node.attribute if entry is not None and a.name in entry.named]
    named = [text.decode(errors="replace") for a in attributes for text in (*a.strings, a.s)]
    return [*uses(node), *filter(None, named)]


def _expanded(info: ModelInfo, outputs: list[str]) -> list[NodeProto]:
    """The needed nodes; those without an import give way to ONNX's definition of them, if it has one.

    Sequences give way to their tensors, where these are known.
    """
    previous: set[str] = set()
    while True:
        nodes = _needed(info, outputs)
        if unpacked(info, nodes, outputs):
            continue
        unknown = [n for n in nodes if _import(info, n) is None]
        opsets = info.model.opsets
        defined = {n.op_type for n in unknown if is_defined(n.op_type, plain(n.domain), opsets)} - previous
        if not defined:
            return nodes
        previous |= defined
        info.inline(defined)


def _refused(info: ModelInfo, nodes: Iterable[NodeProto]) -> Failures:
    """The operators that nothing can say."""
    failures = Failures(info.model.title)
    for node in nodes:
        against = reason_against(info, node) if _import(info, node) is None else ""
        if against and why_unknown(info, node):
            failures.refuse(node, partial(_operator, info))
        elif against:
            failures.add(node, ConversionError(against))
    return failures


def _operator(info: ModelInfo, node: NodeProto) -> str:
    """What an operator is called in messages, with names that are near."""
    domain = plain(node.domain)
    full = f"{domain}.{node.op_type}" if domain else node.op_type
    first, opset = min(versions(node.op_type, domain), default=0), info.model.opsets.get(domain, 0)
    if first > opset:
        return f"{full} (of opset {first} and newer, and the model's is {opset})"
    read = sorted(find(node.op_type, domain))
    if read:
        return f"{full} of version {_since(info, node)} (read are {', '.join(map(str, read))})"
    names = {s.name for s in defs.get_all_schemas() if s.domain == domain} - {node.op_type}
    near = suggest(node.op_type, names | {name for d, name in load_all() if d == domain})
    return f"{full}{f' ({near.strip()})' if near else ''}"
