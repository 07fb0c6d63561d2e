"""The function that keeps each weight's state and updates it, and the bytes that the states are saved as.

The bytes are those of a `.params` file: the arrays, and last an array `structure` of the bytes of a JSON text
that says where each of them belongs. MXNet pickles states: its pickles are read as data, and nothing in them
is run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..context import Context, cpu
from ..errors import FormatError, MXNetError
from ..formats import pickles
from ..formats.params import Value, read_bytes, read_one, write
from ..ndarray.ndarray import BaseSparseNDArray, NDArray, from_stored
from ..typing import Arrays
from .optimizer import Index, Optimizer

__all__ = ["Updater", "get_updater"]

_STRUCTURE = "structure"
_FORMAT = 1
_LIVE = {"param_dict", "idx2name", "sym_info", "lr_scheduler", "_index_update_count"}
"""Attributes of optimizers that belong to the running program."""


class Updater:
    """Updates a weight by its gradient: `updater(index, grad, weight)`, or lists of each.

    It is for one thread at a time.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}
        self.states_synced: dict[Any, bool] = {}
        self.aggregate_updates = optimizer.aggregate_num > 0

    def __call__(self, index: Index | Sequence[Index], grad: Arrays, weight: Arrays) -> None:
        """Make the states that are missing, and update."""
        several = isinstance(index, list | tuple)
        lists: tuple[Any, Any, Any] = (index, grad, weight) if several else ([index], [grad], [weight])
        indices, grads, weights = lists
        for i, w in zip(indices, weights, strict=True):
            self._prepare(i, w)
        if several and self.aggregate_updates:
            states = [self.states[i] for i in indices]
            self.optimizer.update_multi_precision(list(indices), list(weights), list(grads), states)
            return
        for i, g, w in zip(indices, grads, weights, strict=True):
            self.optimizer.update_multi_precision(i, w, g, self.states[i])

    def _prepare(self, index: Any, weight: NDArray) -> None:
        if index not in self.states:
            self.states[index] = self.optimizer.create_state_multi_precision(index, weight)
        elif not self.states_synced.get(index, True):
            self.states[index] = self.sync_state_context(self.states[index], weight.context)
        self.states_synced[index] = True

    def sync_state_context(self, state: object, context: Context) -> Any:
        """A state on a context."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, list | tuple):
            return type(state)(self.sync_state_context(part, context) for part in state)
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """The states as bytes, and the optimizer's counts, rates and options if asked for."""
        writer = _Writer()
        structure = {"format": _FORMAT, "states": writer.plain(self.states)}
        if dump_optimizer:
            structure["optimizer"] = _described(self.optimizer, writer)
        text = np.frombuffer(json.dumps(structure).encode(), np.uint8)
        names = [*(str(i) for i in range(len(writer.arrays))), _STRUCTURE]
        return b"".join(bytes(piece) for piece in write([*writer.arrays, text], names))

    def set_states(self, states: bytes) -> None:
        """Continue from what `get_states` gave, here or in MXNet, with an optimizer of the same class."""
        structure, reader = _opened(states)
        try:
            values = reader.decode(structure.get("states"))
            if structure.get("optimizer") is not None:
                _restore(self.optimizer, structure["optimizer"], reader)
        except RecursionError:
            values = None
        if not isinstance(values, dict):
            raise FormatError("set_states: states by index are required, got something else.")
        self.states = values
        self.states_synced = dict.fromkeys(values, False)


def get_updater(optimizer: Optimizer) -> Updater:
    """An updater that uses an optimizer."""
    return Updater(optimizer)


class _Writer:
    """Makes plain data of states, and collects the arrays."""

    def __init__(self) -> None:
        self.arrays: list[Value] = []

    def plain(self, value: Any) -> Any:
        """A value as JSON has it. Raises `TypeError` for what is neither an array nor plain."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, NDArray):
            self.arrays.append(value.stored if isinstance(value, BaseSparseNDArray) else value._host)
            return {"array": len(self.arrays) - 1}
        if isinstance(value, list | tuple):
            return {type(value).__name__: [self.plain(part) for part in value]}
        if isinstance(value, dict):
            return {"dict": [[self.plain(k), self.plain(v)] for k, v in value.items()]}
        raise TypeError(f"get_states: arrays and plain values are required, got {type(value).__name__}.")

    def fitting(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """The attributes that are plain, and no part of the running program."""
        values = {}
        for name, value in attributes.items():
            if name not in _LIVE:
                count = len(self.arrays)
                try:
                    values[name] = self.plain(value)
                except TypeError:  # the running program has it
                    del self.arrays[count:]
        return values


class _Reader:
    """Makes states of plain data and arrays."""

    def __init__(self, arrays: dict[str, Value]) -> None:
        self.arrays = arrays

    def decode(self, value: Any) -> Any:
        """What the writer was given."""
        if not isinstance(value, dict):
            return value
        (kind, content), *more = value.items() or [("", None)]
        if kind == "array" and str(content) in self.arrays:
            return from_stored(self.arrays[str(content)], cpu()).copy()
        if kind in ("list", "tuple") and isinstance(content, list) and not more:
            parts = [self.decode(part) for part in content]
            return parts if kind == "list" else tuple(parts)
        if kind == "dict" and isinstance(content, list) and not more:
            return {self._key(pair): self.decode(pair[1]) for pair in content}
        raise FormatError(f"set_states: the structure has {kind!r}, which is not known or has no array.")

    def _key(self, pair: Any) -> Any:
        if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str | int)):
            raise FormatError(
                f"set_states: a pair of an index or a name and a value is required, got {pair!r}."
            )
        return pair[0]


def _opened(states: bytes) -> tuple[dict[str, Any], _Reader]:
    states = bytes(states)
    if pickles.is_pickle(states):
        return _of_mxnet(pickles.read(states))
    values, names = read_bytes(states)
    arrays = dict(zip(names, values, strict=False))
    text = arrays.pop(_STRUCTURE, None)
    try:
        structure = json.loads(text.tobytes()) if isinstance(text, np.ndarray) else None
    except (ValueError, RecursionError):
        structure = None
    if not isinstance(structure, dict) or structure.get("format") != _FORMAT:
        raise FormatError(f"set_states: bytes that get_states gave are required, got {len(states)} others.")
    return structure, _Reader(arrays)


# ---- states that MXNet wrote


def _of_mxnet(pickled: Any) -> tuple[dict[str, Any], _Reader]:
    """The structure and the arrays of a pickle: states by index, or a pair of these and the optimizer."""
    writer, objects = _Writer(), _Objects()
    states, optimizer = pickled if isinstance(pickled, tuple) and len(pickled) == 2 else (pickled, None)
    try:
        structure = {"format": _FORMAT, "states": writer.plain(objects.made(states))}
        if optimizer is not None:
            structure["optimizer"] = objects.described(optimizer, writer)
    except (TypeError, RecursionError) as exc:
        raise FormatError(
            f"set_states: states of MXNet are required of a pickle, got others: {exc}"
        ) from None
    return structure, _Reader({str(i): array for i, array in enumerate(writer.arrays)})


class _Objects:
    """Makes arrays and numbers of what a pickle describes, each once."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, int]] = {}
        self._parts = 0

    def made(self, value: Any) -> Any:
        """The value with arrays and numbers in place of their descriptions; other instances stay."""
        if id(value) not in self._made:
            before, self._parts = self._parts, 1
            made = self._make(value)
            self._made[id(value)], self._parts = (made, self._parts), before
        made, parts = self._made[id(value)]
        self._parts += parts
        if self._parts > _MOST_PARTS:
            raise TypeError(f"at most {_MOST_PARTS} parts, not more.")
        return made

    def _make(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(self.made(part) for part in value)
        if isinstance(value, dict):
            return {key: self.made(part) for key, part in value.items()}
        if isinstance(value, pickles.Instance):
            return _array(value) if value.what.name in _ARRAYS else _number(value)
        return value

    def described(self, optimizer: Any, writer: _Writer) -> dict[str, Any]:
        """What `_described` gives, of a description."""
        values = self._attributes(optimizer)
        scheduler, description = values.pop("lr_scheduler", None), _of_class(optimizer)
        description |= {"values": writer.fitting(values), "scheduler": None}
        if scheduler is not None:
            values = writer.fitting(self._attributes(scheduler))
            description["scheduler"] = {**_of_class(scheduler), "values": values}
        return description

    def _attributes(self, value: Any) -> dict[str, Any]:
        state = value.state if isinstance(value, pickles.Instance) else None
        if not isinstance(state, dict):
            raise TypeError(f"an optimizer or a scheduler with its attributes, not {type(value).__name__}.")
        return {str(name): self.made(part) for name, part in state.items()}


_MOST_PARTS = 10**6
"""Of states, each counted as often as it is referred to: in a small pickle that may be without end."""
_ARRAYS = ("NDArray", "RowSparseNDArray", "CSRNDArray", "ndarray")
"""Names of MXNet's classes of arrays."""


def _of_class(instance: pickles.Instance) -> dict[str, Any]:
    return {"class": instance.what.name}


def _array(instance: pickles.Instance) -> NDArray:
    content = instance.state.get("handle") if isinstance(instance.state, dict) else None
    if not instance.what.module.startswith("mxnet.") or not isinstance(content, bytes):
        raise TypeError(f"arrays of MXNet, not {instance.what.module}.{instance.what.name}.")
    return from_stored(read_one(content, np_shape=True), cpu())


def _number(instance: pickles.Instance) -> Any:
    """The number that a description of NumPy's scalar tells; the description of anything else."""
    if instance.what.name != "scalar" or len(instance.arguments) != 2:
        return instance
    kind, content = instance.arguments
    code = kind.arguments[0] if isinstance(kind, pickles.Instance) and kind.arguments else None
    if not isinstance(content, bytes) or not isinstance(code, str) or code[:1] not in ("b", "i", "u", "f"):
        return instance
    dtype = np.dtype(code)
    return np.frombuffer(content, dtype)[0].item() if len(content) == dtype.itemsize else instance


# ---- the optimizer with its states


def _described(optimizer: Optimizer, writer: _Writer) -> dict[str, Any]:
    """The class of an optimizer and of its scheduler, and their values."""
    scheduler = optimizer.lr_scheduler
    values = writer.fitting(vars(optimizer))
    description = {"class": type(optimizer).__name__, "values": values, "scheduler": None}
    if scheduler is not None:
        values = writer.fitting(vars(scheduler))
        description["scheduler"] = {"class": type(scheduler).__name__, "values": values}
    return description


def _restore(optimizer: Optimizer, description: Any, reader: _Reader) -> None:
    """Give an optimizer, and its scheduler, the values that were saved."""
    pairs: list[tuple[Any, Any]] = [(optimizer, description)]
    if isinstance(description, dict) and (description.get("scheduler") or optimizer.lr_scheduler):
        pairs.append((optimizer.lr_scheduler, description.get("scheduler")))
    new = [(holder, _fitting(holder, part, reader)) for holder, part in pairs]
    for holder, values in new:
        vars(holder).update(values)
    optimizer._set_current_context(next(iter(optimizer._all_index_update_counts), 0))


def _fitting(holder: Any, description: Any, reader: _Reader) -> dict[str, Any]:
    """The saved values of an object, if it is of the saved class. Only attributes that it has are set."""
    saved = description.get("class") if isinstance(description, dict) else None
    if saved != (None if holder is None else type(holder).__name__):
        raise MXNetError(
            f"set_states: an optimizer and a scheduler of the saved classes are required: {saved} was saved, "
            f"got {None if holder is None else type(holder).__name__}. Make them as they were."
        )
    values = description.get("values") if isinstance(description, dict) else None
    if not isinstance(values, dict):
        raise FormatError(f"set_states: the values of {saved} are required, got {values!r}.")
    attributes = {k: reader.decode(v) for k, v in values.items() if k in vars(holder) and k not in _LIVE}
    for name, value in attributes.items():
        if _kind(value) != _kind(vars(holder)[name]):
            raise FormatError(f"set_states: {saved}.{name} cannot be {value!r}.")
    return attributes


def _kind(value: Any) -> type:
    """What one value of an attribute may replace another: numbers and `None` each other."""
    return float if value is None or isinstance(value, bool | int | float | np.generic) else type(value)
