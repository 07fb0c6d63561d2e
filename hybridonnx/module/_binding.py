"""What a module is bound to: descriptions of its inputs and labels, the specs that follow, and gradients."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..context import Context
from ..dtypes import as_dtype
from ..errors import MXNetError, RequirementError, ShapeError, suggest
from ..io import DataDesc, described
from ..ops import Spec, known, without_symbols
from ..symbol.graph import Entry
from ..symbol.infer import infer
from ..symbol.storage import StorageTypes, storage_types
from ..symbol.symbol import Symbol

_REQUESTS = ("write", "add", "null")


class Binding(NamedTuple):
    """The inputs and labels, the specs of all variables by name, storage types, and the outputs' shapes."""

    data: list[DataDesc]
    labels: list[DataDesc] | None
    specs: dict[str, Spec]
    storage: StorageTypes
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
    """Descriptions of the inputs and of the labels, in the order given."""
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
    return data, labels


def bind_shapes(
    symbol: Symbol,
    data: list[DataDesc],
    labels: list[DataDesc],
    params: Mapping[str, Spec],
    differentiated: Collection[str],
) -> Binding:
    """The specs of all variables, and the outputs' shapes, from those of inputs, labels and parameters.

    `differentiated` are the arguments whose gradients are asked for.
    """
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
    storage = storage_types(symbol, specs, {}, differentiated)
    return Binding(
        data, labels or None, variables, storage, [tuple(d or 0 for d in shape) for shape in shapes]
    )


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


def contexts_of_groups(group2ctxs: Any, count: int) -> list[dict[str, Context]]:
    """For each of `count` contexts the contexts of the words that nodes have as their `ctx_group`."""
    if group2ctxs is None:
        return [{} for _ in range(count)]
    if isinstance(group2ctxs, list):
        if len(group2ctxs) != count or not all(isinstance(g, dict | None) for g in group2ctxs):
            raise _wrong_groups(f"a list of {count}, each a dict of words and contexts", group2ctxs)
        return [dict(groups or {}) for groups in group2ctxs]
    if not isinstance(group2ctxs, dict):
        raise _wrong_groups("a dict of words and contexts, or a list of dicts", group2ctxs)
    return [{word: _context_of(word, c, i, count) for word, c in group2ctxs.items()} for i in range(count)]


def _context_of(word: str, contexts: Any, index: int, count: int) -> Context:
    """The context of a word for one of several contexts, from one for all or one for each."""
    listed = list(contexts) if isinstance(contexts, list | tuple) else [contexts]
    if len(listed) not in (1, count) or not all(isinstance(c, Context) for c in listed):
        raise _wrong_groups(f"a context, or a list of 1 or {count}, for {word!r}", contexts)
    context: Context = listed[index % len(listed)]
    return context


def _wrong_groups(required: str, value: Any) -> RequirementError:
    return RequirementError(f"Module: {required} is required in group2ctxs, got {value!r}.")
