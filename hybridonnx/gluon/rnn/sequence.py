"""Sequences of inputs: one array, or a list with one array for each step."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from types import ModuleType
from typing import Any

from ... import ndarray, symbol
from ...ndarray.ndarray import NDArray
from ...symbol.symbol import Symbol


def is_merged(inputs: Any) -> bool:
    """Whether a sequence is one array or symbol."""
    return isinstance(inputs, NDArray | Symbol)


def namespace_of(inputs: Any) -> Any:
    """`nd` or `sym`, whichever the inputs are of."""
    first = inputs if is_merged(inputs) else inputs[0]
    return ndarray if isinstance(first, NDArray) else symbol


def _steps_axis(layout: str) -> int:
    if sorted(layout)[0] != "C" or set(layout) != set("NTC"):
        raise AssertionError(f"unroll: layout NTC or TNC is required, got {layout!r}.")
    return layout.find("T")


def split_steps(F: ModuleType, inputs: Any, length: int, axis: int, squeeze: Any = 1) -> list[Any]:
    """The steps of a sequence that is one array or symbol."""
    parts = F.split(inputs, axis=axis, num_outputs=length, squeeze_axis=squeeze)
    return list(parts) if isinstance(parts, list | tuple) or length != 1 else [parts]


def merge_or_split(length: int | None, inputs: Any, layout: str, merge: bool | None) -> tuple[Any, int, int]:
    """The sequence as one array (`merge`), as a list (not `merge`) or as it is (`None`).

    Also the axis of its steps, and the batch size, which is 0 for symbols.
    """
    axis, F = _steps_axis(layout), namespace_of(inputs)
    if not is_merged(inputs):
        if length is not None and len(inputs) != length:
            raise AssertionError(f"unroll: a list of {length} inputs is required, got {len(inputs)}.")
        batch = 0 if F is symbol else inputs[0].shape[0]
        return (F.stack(*inputs, axis=axis) if merge else list(inputs)), axis, batch
    if F is symbol and len(inputs.list_outputs()) != 1:
        raise AssertionError("unroll: a symbol with one output is required, or a list of them.")
    batch = 0 if F is symbol else inputs.shape[layout.find("N")]
    if merge is not False:
        return inputs, axis, batch
    if F is ndarray and length != inputs.shape[axis]:
        raise AssertionError(f"unroll: {length} steps are required, got inputs of {inputs.shape[axis]}.")
    assert length is not None  # only whole arrays come without
    return split_steps(F, inputs, length, axis), axis, batch


def mask_outputs(outputs: Any, length: int, valid_length: Any, axis: int, merge: bool) -> Any:
    """The outputs with zeros beyond the sequences' lengths."""
    F = namespace_of(outputs)
    data = outputs if is_merged(outputs) else F.stack(*outputs, axis=axis)
    masked = F.SequenceMask(data, sequence_length=valid_length, use_sequence_length=True, axis=axis)
    return masked if merge else split_steps(F, masked, length, axis, True)


def reverse_steps(inputs: Sequence[Any], length: int, valid_length: Any = None) -> list[Any]:
    """The steps from the last valid one to the first."""
    if valid_length is None:
        return list(reversed(inputs))
    F = namespace_of(inputs)
    data = F.stack(*inputs, axis=0)
    reverse = F.SequenceReverse(data, sequence_length=valid_length, use_sequence_length=True)
    return split_steps(F, reverse, length, 0, True)


def format_sequence(
    length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None
) -> tuple[Any, int, Any, int]:
    """As `merge_or_split`, of an array whose axes may stand as `in_layout` says.

    Also the namespace of the sequence, before the batch size.
    """
    if inputs is None:
        raise AssertionError("unroll: inputs are required, got None.")
    one, source = is_merged(inputs), layout
    if one and in_layout is not None:
        source = in_layout
    if one and merge is False and length is None:
        length = inputs.shape[source.find("T")]
    F, axis = namespace_of(inputs), layout.find("T")
    sequence, given, batch = merge_or_split(length, inputs, source, merge)
    if is_merged(sequence) and axis != given:
        sequence = F.swapaxes(sequence, dim1=axis, dim2=given)
    return sequence, axis, F, batch


def first_states(cell: Any, F: Any, begin_state: Any, inputs: Any, batch_size: int) -> Any:
    """A cell's states before the first step, on the inputs' device, unless they are given."""
    if begin_state is not None:
        return begin_state
    where = (inputs if is_merged(inputs) else inputs[0]).context if F is ndarray else nullcontext()
    with where:
        return cell.begin_state(func=F.zeros, batch_size=batch_size)


def info_of_cells(cells: Sequence[Any], batch_size: int) -> list[dict[str, Any]]:
    """What the states of several cells are, one cell after the other."""
    return [info for cell in cells for info in cell.state_info(batch_size)]


def states_of_cells(cells: Sequence[Any], **kwargs: Any) -> list[Any]:
    """The first states of several cells, one cell after the other."""
    return [state for cell in cells for state in cell.begin_state(**kwargs)]


def mask_sequence(F: Any, data: Any, length: int, valid_length: Any, time_axis: int, merge: bool) -> Any:
    """As `mask_outputs`, with MXNet's arguments."""
    return mask_outputs(data, length, valid_length, time_axis, merge)
