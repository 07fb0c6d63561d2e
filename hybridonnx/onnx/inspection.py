"""What is in a model, an ONNX file or MXNet's, without running it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from .._json import fields_of, json_text
from ..converters.from_onnx import Source as OnnxSource
from ..converters.from_onnx import import_model, read
from ..converters.inspection import Declaration, Facts, facts, missing_weights, weight_files
from ..converters.multiply_adds import UNKNOWN_SIZES, Count, multiply_adds
from ..converters.to_onnx import arrays_by_name, by_name, data_names, is_shape, lower
from ..dtypes import as_dtype, float32, name_of, stored_bytes
from ..errors import FormatError, MXNetError
from ..gluon.hybrid_block import HybridBlock
from ..ops import Array, Dim, Spec, SymbolicDim, sizes
from ..symbol.graph import Entry
from ..symbol.infer import infer
from ..symbol.symbol import Symbol
from .models import Parameters, Shapes, Source, _with_values

__all__ = ["Declaration", "Inspection", "inspect"]

_WIDTH = 96
_NAMED = 6
"""How many nodes a line names."""


@dataclass(frozen=True)
class Inspection:
    """What is in a model."""

    kind: str
    """ONNX or MXNet."""
    producer: str
    opsets: Mapping[str, int]
    """The version of each domain of operators; that of ONNX's own is the empty text's."""
    metadata: Mapping[str, str]
    inputs: tuple[Declaration, ...]
    outputs: tuple[Declaration, ...]
    parameters: tuple[Declaration, ...]
    operators: Mapping[str, int]
    """How many nodes of each operator there are."""
    multiply_adds: Mapping[str, int]
    """The multiply-adds of convolutions and products of matrices, by operator."""
    uncounted: Mapping[str, Sequence[str]]
    """The nodes whose multiply-adds are not counted, by the reason."""
    sizes: Mapping[str, int]
    """The free sizes that the multiply-adds are counted for."""
    bytes: int | None = None
    """How long the model's files are, weights beside it included, where it is in files."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """The files of weights that are not there, and how many arrays lie in each."""

    @property
    def free_sizes(self) -> list[str]:
        """The names of the inputs' free sizes; one without a name is called by input and axis."""
        return list(dict.fromkeys(_free(self.inputs).values()))

    def total_multiply_adds(self) -> int:
        """The multiply-adds of all operators that are counted."""
        return sum(self.multiply_adds.values())

    def to_json(self) -> str:
        """All of it as JSON."""
        return json_text({**fields_of(self), "free_sizes": self.free_sizes}, ascii=False)

    def __str__(self) -> str:
        versions = [f"{domain or 'opset'} {version}" for domain, version in self.opsets.items()]
        maker = [f"from {self.producer}"] if self.producer else []
        length = [] if self.bytes is None else [f"{_bytes(self.bytes)} in files"]
        lines = [
            ", ".join([f"{self.kind} model", *versions, *maker, *length]),
            *_listed("inputs", map(_typed, self.inputs)),
            *_listed("outputs", map(_typed, self.outputs)),
            f"free sizes: {', '.join(self.free_sizes) or 'none'}",
            *_parameters(self.parameters),
            *_operators(self.operators),
            *_multiply_adds(self),
        ]
        lines += [f"missing: {name}, which has {count} of the arrays" for name, count in self.missing.items()]
        lines += [f"metadata: {key}: {value}" for key, value in self.metadata.items()]
        return "\n".join(lines)


def inspect(
    model: Source | OnnxSource,
    params: Parameters | None = None,
    *,
    shapes: Shapes | None = None,
    sizes: Mapping[str, int] | None = None,
    count: bool = True,
) -> Inspection:
    """Tell what is in a model: inputs, outputs, parameters, operators, and what a run of it takes.

    Multiply-adds are those of convolutions and products of matrices, recurrent layers and attention included,
    for the inputs' sizes. What single elements and sums take is not counted. A node that has such products
    but whose number of them is not known is named in `uncounted`. A graph of MXNet's takes what its export
    takes.

    Args:
        model: An ONNX file, its bytes or a ModelProto; or a HybridBlock, a Symbol, or the file of one, whose
            name ends with .json.
        params: The parameters of a Symbol by name, or the file of them.
        shapes: Shapes of inputs, by name or in order, where other ones than the model's are meant or where it
            has none; sizes that are `None` or a name are free. A HybridBlock needs them.
        sizes: What free sizes are when multiply-adds are counted, by name; 1 unless given.
        count: Whether to count multiply-adds, which takes seconds of a large graph.

    Returns:
        The model's content. Printed, it is some lines of text.

    Raises:
        FormatError: If a file is damaged.
        MXNetError: If `sizes` or `shapes` has a name that the model lacks.
    """
    if isinstance(model, HybridBlock | Symbol) or is_symbol_file(model):
        return _of_symbol(model, params, shapes, dict(sizes or {}), count)
    return _of_onnx(model, shapes, dict(sizes or {}), count)


def is_symbol_file(model: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether this is the name of the file of a Symbol."""
    return isinstance(model, str | os.PathLike) and os.fspath(model).endswith(".json")


# ---- models of both kinds


def _of_onnx(source: Any, shapes: Any, sizes: Mapping[str, int], counts: bool) -> Inspection:
    model = read(source)
    content = facts(model)
    inputs = _with_shapes(content.inputs, shapes)
    used = _sizes(inputs, sizes)
    fixed = {name: shape for name, shape in _numbers(inputs, used).items() if shape is not None}
    missing = missing_weights(model)
    count = _counted(model, fixed, missing) if counts else Count()
    if not missing and any(reason.endswith(UNKNOWN_SIZES) for reason in count.uncounted):
        count = _followed(source, inputs, fixed) or count
    files = [] if not isinstance(source, str | os.PathLike) else [Path(source), *weight_files(model)]
    return _inspection("ONNX", content._replace(inputs=inputs), count, used, files, missing)


def _counted(model: Any, shapes: Mapping[str, tuple[int, ...]], missing: Mapping[str, int]) -> Count:
    """The multiply-adds of an ONNX model, whose shapes may be computed from weights that are not there."""
    try:
        return multiply_adds(model.proto, shapes, model.array)
    except FormatError:
        if not missing:
            raise
        return Count(uncounted={"weights are not there": ["the whole graph"]})


def _followed(
    source: Any, inputs: Sequence[Declaration], shapes: Mapping[str, tuple[int, ...]]
) -> Count | None:
    """The count where sizes are followed through shapes that are computed, which the importer does."""
    try:
        symbol, arguments, states = import_model(source, input_shapes=shapes)
        arrays = arrays_by_name([arguments, states])
        dtypes = {item.name: as_dtype(item.dtype) for item in inputs}
        count = _lowered(symbol, {n: Spec(shape, dtypes[n]) for n, shape in shapes.items()}, arrays)
    except (MXNetError, RecursionError):
        return None
    return None if any(reason.endswith(UNKNOWN_SIZES) for reason in count.uncounted) else count


def _of_symbol(model: Any, params: Any, shapes: Any, sizes: Mapping[str, int], counts: bool) -> Inspection:
    graph, values, names = _with_values(model, params, shapes, np.float32)
    arrays = arrays_by_name(values)
    shapes_of = by_name(data_names(graph, arrays) if names is None else names, shapes, is_shape)
    declared = _inferred(graph, arrays, shapes_of)
    inputs = [declared[name] for name in data_names(graph, arrays)]
    used = _sizes(inputs, sizes)
    fixed = _numbers(inputs, used)
    count = _exported(graph, inputs, fixed, arrays) if counts else Count()
    nodes = [node for node in graph.nodes() if not node.is_variable]
    content = Facts(
        producer="",
        opsets={},
        metadata={},
        inputs=tuple(inputs),
        outputs=tuple(declared[name] for name in graph.list_outputs()),
        parameters=tuple(_stored(name, arrays[name]) for name in graph.list_inputs() if name in arrays),
        operators=Counter(node.op_name for node in nodes),
    )
    files = [Path(source) for source in (model, params) if isinstance(source, str | os.PathLike)]
    return _inspection("MXNet", content, count, used, files)


def _inferred(
    graph: Symbol, arrays: Mapping[str, Array], shapes: Mapping[str, Sequence[int | str | None]]
) -> dict[str, Declaration]:
    """The inputs and outputs with what inference tells of them, by name."""
    known = {name: Spec(array.shape, array.dtype) for name, array in arrays.items()}
    known |= {name: Spec(tuple(map(_dim, shape))) for name, shape in shapes.items()}
    specs = infer(graph, known, partial=True)
    variables = {Entry(node, 0): node.name for node in graph.nodes() if node.is_variable}
    named = {**variables, **dict(zip(graph.outputs, graph.list_outputs(), strict=True))}
    result = {}
    for entry, name in named.items():
        spec = specs.get(entry, Spec())
        sizes = None if spec.shape is None else tuple(_size(d) for d in spec.shape)
        result[name] = Declaration(name, name_of(spec.dtype or float32), sizes)
    return result


def _exported(
    graph: Symbol,
    inputs: Sequence[Declaration],
    shapes: Mapping[str, tuple[int, ...] | None],
    arrays: Mapping[str, Array],
) -> Count:
    """The multiply-adds of a graph of MXNet's, or why they are not known."""
    missing = [name for name, shape in shapes.items() if shape is None]
    if missing:
        return Count(uncounted={"the shapes of these inputs are required": missing})
    try:
        known = {item.name: Spec(shapes[item.name], as_dtype(item.dtype)) for item in inputs}
        return _lowered(graph, known, arrays)
    except MXNetError as exc:
        return Count(uncounted={str(exc).splitlines()[0].rstrip(":."): ["the whole graph"]})


def _lowered(graph: Symbol, inputs: Mapping[str, Spec], arrays: Mapping[str, Array]) -> Count:
    """The multiply-adds of a graph of MXNet's, which are those of its export."""
    lowered = lower(graph, inputs, arrays, embed=False, unused_inputs=True)
    shapes = {name: sizes(spec.shape or ()) for name, spec in inputs.items()}
    return multiply_adds(lowered.model, shapes, lambda tensor: arrays[tensor.name])


def _stored(name: str, array: Array) -> Declaration:
    return Declaration(name, name_of(array.dtype), array.shape, stored_bytes(array.size, array.dtype))


def _dim(size: int | str | None) -> Dim:
    return SymbolicDim.named(size) if isinstance(size, str) else size


def _size(size: Dim) -> int | str | None:
    return str(size) if isinstance(size, SymbolicDim) else size


def _inspection(
    kind: str,
    content: Facts,
    count: Count,
    sizes: Mapping[str, int],
    files: Sequence[Path],
    missing: Mapping[str, int] | None = None,
) -> Inspection:
    return Inspection(
        kind=kind,
        **content._asdict(),
        multiply_adds=dict(count.by_operator.most_common()),
        uncounted=count.uncounted,
        sizes=sizes,
        missing=missing or {},
        bytes=sum(path.stat().st_size for path in files if path.is_file()) if files else None,
    )


# ---- sizes


def _with_shapes(inputs: Sequence[Declaration], shapes: Any) -> tuple[Declaration, ...]:
    """The inputs with the shapes that the caller gives."""
    given = by_name([item.name for item in inputs], shapes, is_shape)
    strangers = sorted(given.keys() - {item.name for item in inputs})
    if strangers:
        raise MXNetError(
            f"inspect: shapes of the inputs {', '.join(item.name for item in inputs)} are required, got one "
            f"of {', '.join(strangers)}."
        )
    return tuple(item._replace(shape=tuple(given.get(item.name, item.shape) or ())) for item in inputs)


def _free(inputs: Iterable[Declaration]) -> dict[tuple[str, int], str]:
    """The names of free sizes, by input and axis; those without one are called by these."""
    return {
        (item.name, axis): f"{item.name}_{axis}" if size is None else size
        for item in inputs
        for axis, size in enumerate(item.shape or ())
        if not isinstance(size, int)
    }


def _sizes(inputs: Sequence[Declaration], sizes: Mapping[str, int]) -> dict[str, int]:
    """What each free size is taken for."""
    names = dict.fromkeys(_free(inputs).values(), 1)
    strangers = sorted(sizes.keys() - names.keys())
    if strangers:
        raise MXNetError(
            f"inspect: names of free sizes are required in sizes, got {', '.join(strangers)}; there are "
            f"{', '.join(names) or 'none'}."
        )
    return {**names, **sizes}


def _numbers(inputs: Sequence[Declaration], sizes: Mapping[str, int]) -> dict[str, tuple[int, ...] | None]:
    """Each input's shape with numbers for free sizes; `None` where nothing is known."""
    free = _free(inputs)
    return {
        item.name: None
        if item.shape is None
        else tuple(
            size if isinstance(size, int) else sizes[free[item.name, axis]]
            for axis, size in enumerate(item.shape)
        )
        for item in inputs
    }


# ---- as text


def _typed(item: Declaration) -> str:
    if item.shape is None:
        return f"{item.name} of unknown rank, {item.dtype}"
    sizes = ", ".join("?" if size is None else str(size) for size in item.shape)
    return f"{item.name} ({sizes}{',' if len(item.shape) == 1 else ''}) {item.dtype}"


def _listed(title: str, items: Iterable[str]) -> list[str]:
    """A line for each item, under one title."""
    start = f"{title}: "
    return [f"{start if i == 0 else ' ' * len(start)}{item}" for i, item in enumerate([*items] or ["none"])]


def _parameters(items: Sequence[Declaration]) -> list[str]:
    numbers = sum(prod(size for size in item.shape or () if isinstance(size, int)) for item in items)
    total = f"parameters: {numbers:,} numbers in {len(items)} arrays, {_bytes(sum(i.bytes for i in items))}"
    dtypes: Counter[str] = Counter()
    for item in items:
        dtypes[item.dtype] += item.bytes
    kinds = [f"{_bytes(count)} {dtype}" for dtype, count in dtypes.most_common()]
    return [f"{total} ({', '.join(kinds)})" if kinds else total]


def _operators(counts: Mapping[str, int]) -> list[str]:
    """The operators, the most frequent first, in lines that are not too long."""
    words = [f"{count} {name}" for name, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]
    lines = [f"operators: {sum(counts.values())}"]
    for word in words:
        if len(lines) == 1 or len(lines[-1]) + len(word) + 2 > _WIDTH:
            lines.append(f"  {word}")
        else:
            lines[-1] += f", {word}"
    return lines


def _multiply_adds(inspection: Inspection) -> list[str]:
    sizes = [f"{name} = {size}" for name, size in inspection.sizes.items()]
    at = f" with {', '.join(sizes)}" if sizes else ""
    counted = inspection.multiply_adds or not inspection.uncounted
    total = f"{inspection.total_multiply_adds():,}" if counted else "unknown"
    lines = [f"multiply-adds: {total}{at}"]
    lines += [f"  {name:<20} {count:>16,}" for name, count in inspection.multiply_adds.items()]
    for reason, nodes in inspection.uncounted.items():
        more = f" and {len(nodes) - _NAMED} more" if len(nodes) > _NAMED else ""
        lines.append(f"  not counted: {reason} ({', '.join(nodes[:_NAMED])}{more})")
    if sizes and any(reason.endswith(UNKNOWN_SIZES) for reason in inspection.uncounted):
        lines.append("  (the graph may be counted with other numbers for its free sizes)")
    return lines


def _bytes(count: int) -> str:
    """So many bytes, in the unit that suits."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.2f} GB"
