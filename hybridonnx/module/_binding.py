"""What a module is bound to: descriptions of its inputs and labels, the specs that follow, and gradients."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..dtypes import as_dtype
from ..errors import MXNetError, RequirementError, ShapeError, suggest
from ..io import DataDesc, described
from ..ops import Spec, known, without_symbols
from ..symbol.graph import Entry
from ..symbol.infer import infer
from ..symbol.symbol import Symbol

_REQUESTS = ("write", "add", "null")


class Binding(NamedTuple):
    """The inputs and labels, the specs of all variables by name, and the outputs' shapes."""

    data: list[DataDesc]
    labels: list[DataDesc] | None
    specs: dict[str, Spec]
    output_shapes: list[tuple[int, ...]]


def check_names(symbol: Symbol, names: Sequence[str], what: str, required: bool) -> None:
    """Raise, or warn, if there are names that are none of the symbol's arguments."""
    arguments = symbol.list_arguments()
    for name in names:
        if name not in arguments:
            message = (
                f"Module: names of the symbol's arguments are required in {what}, got {name!r}."
                f"{suggest(name, arguments)}"
            )
            if required:
                raise ValueError(message)
            warnings.warn(message, stacklevel=3)


def describe_inputs(
    data_names: Sequence[str],
    label_names: Sequence[str],
    data_shapes: Sequence[Any],
    label_shapes: Sequence[Any] | None,
) -> tuple[list[DataDesc], list[DataDesc]]:
    """Descriptions of the inputs, in the order of their names, and of the labels."""
    data = [described(d) for d in data_shapes]
    labels = [described(d) for d in label_shapes or ()]
    if sorted(d.name for d in data) != sorted(data_names):
        raise ValueError(
            f"Module: shapes of {', '.join(data_names)} are required as data_shapes, "
            f"got {', '.join(d.name for d in data) or 'none'}."
        )
    unknown = [d.name for d in labels if d.name not in label_names]
    if unknown:
        raise ValueError(
            f"Module: shapes of {', '.join(label_names) or 'no labels'} are possible in "
            f"label_shapes, got {unknown[0]}."
        )
    return sorted(data, key=lambda d: data_names.index(d.name)), labels


def bind_shapes(
    symbol: Symbol, data: list[DataDesc], labels: list[DataDesc], params: Mapping[str, Spec]
) -> Binding:
    """The specs of all variables, and the outputs' shapes, from those of inputs, labels and parameters."""
    arguments = symbol.list_arguments()
    inputs = {
        d.name: Spec(tuple(d.shape), as_dtype(d.dtype)) for d in (*data, *labels) if d.name in arguments
    }
    specs = infer(symbol, inputs | dict(params))
    variables = {n.name: specs[Entry(n, 0)] for n in symbol.nodes() if n.is_variable}
    incomplete = [name for name, spec in variables.items() if not known(spec.shape)]
    if incomplete:
        raise ShapeError(f"Module: the shapes of {', '.join(incomplete[:10])} are required.")
    shapes = [without_symbols(specs[entry].shape) or () for entry in symbol.outputs]
    return Binding(data, labels or None, variables, [tuple(d or 0 for d in shape) for shape in shapes])


def gradient_requests(symbol: Symbol, grad_req: Any, trained: Collection[str]) -> dict[str, str]:
    """What becomes of the gradient of each argument: "write" or "add", by name.

    One word is for the arguments that are `trained`, and so is "write" where a dict has none; words by name
    are for others too.
    """
    names = symbol.list_arguments()
    if isinstance(grad_req, str):
        requests = dict.fromkeys(trained, grad_req)
    elif isinstance(grad_req, Mapping):
        by_name = {name: word for name, word in grad_req.items() if name in names}
        requests = {**dict.fromkeys(trained, "write"), **by_name}
    elif not isinstance(grad_req, list | tuple):
        raise ValueError(
            "Module.bind: a word, a list of words or a dict of them by name is required as grad_req, "
            f"got {grad_req!r}."
        )
    elif len(grad_req) != len(names):
        raise RequirementError(
            f"Module.bind: a word for each of {', '.join(names)} is required in grad_req, "
            f"got {len(grad_req)}."
        )
    else:
        requests = dict(zip(names, grad_req, strict=True))
    unknown = [word for word in requests.values() if word not in _REQUESTS]
    if unknown:
        raise MXNetError(f"Module.bind: write, add or null is required as grad_req, got {unknown[0]!r}.")
    return {name: word for name, word in requests.items() if word != "null"}


def check_batch_sizes(descriptions: Sequence[DataDesc]) -> None:
    """Refuse inputs and labels of different numbers of rows."""
    sizes = [(d, size) for d in descriptions if (size := batch_size(d)) is not None]
    for d, size in sizes:
        if size != sizes[0][1]:
            raise RequirementError(
                f"Module: all data must have the same batch size: {sizes[0][1]} of {sizes[0][0].name}, "
                f"but {d.name} has shape {d.shape}."
            )


def batch_size(d: DataDesc) -> int | None:
    """The size of the batch axis, if there is one."""
    axis = DataDesc.get_batch_axis(d.layout)
    return d.shape[axis] if 0 <= axis < len(d.shape) else None
