"""Graphs inside of nodes, such as loops' bodies, as models by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from onnx import GraphProto, ModelProto, ValueInfoProto

from hybridonnx.dtypes import DType
from hybridonnx.errors import ConversionError
from hybridonnx.ops import SymbolicDim, same
from hybridonnx.symbol.graph import Entry
from hybridonnx.symbol.subgraph import Body
from hybridonnx.symbol.symbol import Broadcasting

from ..subgraphs import captured
from ..values import value_info
from ._model_info import Dims, ModelInfo, without_numbers
from ._reader import Model


class Known(NamedTuple):
    """What ONNX infers of a value."""

    dims: Dims | None
    dtype: DType | None


@dataclass
class InnerGraph:
    """A graph inside of a node in MXNet's operators."""

    inputs: list[str]
    """The names of its own inputs."""
    outputs: Sequence[Entry]
    dims: list[Dims | None]
    """The shapes of the outputs in ONNX, whose scalars have no axes, with sizes that are known outside."""
    around: dict[str, Any]
    """The symbols outside for its other variables, by their names inside."""


Convert: TypeAlias = Callable[[Sequence[Known]], InnerGraph]
"""What an import function gets for an attribute that is a graph: its import, from what its inputs are."""


def separate(F: Any, outputs: Sequence[Entry], states: Sequence[str]) -> list[Entry]:
    """The outputs of a body, each of a node of its own; the first ones use the variables `states`.

    MXNet's loops know a variable by its use in the body.
    """
    used = Body(outputs).names
    results: list[Entry] = []
    for i, entry in enumerate(outputs):
        symbol = Broadcasting([entry])
        if i < len(states) and states[i] not in used:
            symbol = F._identity_with_attr_like_rhs(symbol, F.var(states[i]))
        elif entry.node.is_variable or entry.node in [result.node for result in results]:
            symbol = F.identity(symbol)
        results += symbol.outputs
    return results


def require_tensors(F: Any, owner: str) -> None:
    """Raise if an input or output of a loop or branch is no tensor."""
    others = F.not_tensors()
    if others:
        raise ConversionError(
            f"{owner}: tensors are required as inputs and outputs, got {', '.join(others)}, "
            "which is a sequence or an optional."
        )


def standalone(info: ModelInfo, graph: GraphProto, inputs: Sequence[Known]) -> tuple[ModelProto, list[str]]:
    """A graph inside as a model whose inputs are also the computed values that it takes from outside.

    Also the names of all values from outside, constants among them.
    """
    outside = captured(graph)
    proto = ModelProto(ir_version=info.model.proto.ir_version, opset_import=info.model.proto.opset_import)
    proto.graph.CopyFrom(graph)
    del proto.graph.input[:]
    proto.graph.input.extend(_declared(i, k) for i, k in zip(graph.input, inputs, strict=True))
    proto.graph.input.extend(_computed(info, outside))
    return proto, outside


def studied(info: ModelInfo, graph: GraphProto, inputs: Sequence[Known]) -> tuple[ModelInfo, list[str]]:
    """What is known of the values of a graph inside; also the names of all values from outside."""
    proto, outside = standalone(info, graph, inputs)
    constants = {name: info.constant(name) for name in outside if info.is_constant(name)}
    weights = filter(info.is_weight, constants)
    model = Model(proto, info.model.folders, info.model.title, info.model.budget)
    return ModelInfo(model, constants, weights=weights), outside


def as_outside(inner: ModelInfo, name: str) -> Dims | None:
    """The shape of a value of a graph inside, without the sizes that are not those of values from outside."""
    graph, dims = inner.model.proto.graph, inner.shape(name)
    names = {dim.dim_param for item in graph.input for dim in item.type.tensor_type.shape.dim}
    return dims and tuple(
        None if isinstance(size, SymbolicDim) and not size.names() <= names else size for size in dims
    )


def are_equal(a: Dims | None, b: Dims | None) -> bool:
    """Whether two shapes are known and the same."""
    if a is None or b is None or len(a) != len(b):
        return False
    return all(d is not None and same(d, e) for d, e in zip(a, b, strict=True))


def _computed(info: ModelInfo, names: Iterable[str]) -> Iterable[ValueInfoProto]:
    for name in names:
        if not info.is_constant(name):
            yield _declared(ValueInfoProto(name=name), Known(info.shape(name), info.dtype(name)))


def _declared(declaration: ValueInfoProto, known: Known) -> ValueInfoProto:
    """An input's declaration with what is known outside, which may be more than the graph says.

    Where nothing is, its sizes may be those of one step.
    """
    if known.dims is None and declaration.type.HasField("tensor_type"):
        return without_numbers(declaration)
    if known.dtype is None:
        return declaration
    sizes = None
    if known.dims is not None:
        sizes = tuple(str(d) if isinstance(d, SymbolicDim) else d for d in known.dims)
    info: ValueInfoProto = value_info(declaration.name, known.dtype, sizes)
    return info
