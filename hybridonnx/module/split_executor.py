"""A batch split over several contexts: an executor for each part, with the same parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..context import share_memory
from ..io import DataDesc
from ..ndarray.ndarray import NDArray
from ..symbol.executor import Executor


def split(size: int, loads: Sequence[float]) -> list[slice]:
    """The parts of a batch, as large as the loads say. Raises `ValueError` if one would be empty."""
    counts = [round(load * size / sum(loads)) for load in loads]
    counts[-1] += max(size - sum(counts), 0)
    slices, begin = [], 0
    for count in counts:
        end = min(begin + count, size)
        if begin >= end:
            raise ValueError(
                f"Module: a part of the batch for each of {len(loads)} contexts is required, got a batch of "
                f"{size}. Too many slices. Some splits are empty."
            )
        slices.append(slice(begin, end))
        begin = end
    return slices


class SplitExecutor:
    """What a module asks of an executor, answered by several: inputs are split, outputs joined.

    Parameters and their gradients are shared, so that gradients add up; parts on other devices have copies.
    Auxiliary states are each part's own, and their means those of the module, `states`.
    """

    def __init__(
        self,
        parts: Sequence[Executor],
        slices: Sequence[slice],
        inputs: Mapping[str, DataDesc],
        states: Mapping[str, NDArray],
    ) -> None:
        self.parts = list(parts)
        self.slices = list(slices)
        self._inputs, self._states = inputs, states

    def forward(self, is_train: bool = False, **batch: NDArray) -> list[NDArray]:
        """The outputs of the whole batch."""
        for own, copy in self._copies("arg_dict"):
            copy._assign(own)
        for part, rows in zip(self.parts, self.slices, strict=True):
            for name, state in self._states.items():
                part.aux_dict[name][:] = state.as_in_context(part.aux_dict[name].context)
            part.forward(is_train, **{name: self._part(name, x, rows) for name, x in batch.items()})
        if is_train:
            for name, state in self._states.items():
                state[:] = np.mean([part.aux_dict[name]._host for part in self.parts], axis=0)
        return self.outputs

    def _part(self, name: str, x: NDArray, rows: slice) -> NDArray:
        axis = DataDesc.get_batch_axis(self._inputs[name].layout)
        if axis == 0 and x.stype != "default":
            return x[rows]
        return x if axis < 0 else x.slice_axis(axis=axis, begin=rows.start, end=rows.stop)

    @property
    def outputs(self) -> list[NDArray]:
        """The outputs, joined on the first part's context."""
        return [_joined(ys, 0) for ys in self.split_outputs()]

    def split_outputs(self) -> list[list[NDArray]]:
        """Each output in a list, one for each context."""
        return [list(ys) for ys in zip(*(part.outputs for part in self.parts), strict=True)]

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients from those of the outputs of the whole batch."""
        heads = None if out_grads is None else out_grads if isinstance(out_grads, list) else [out_grads]
        for part, rows in zip(self.parts, self.slices, strict=True):
            part.backward(None if heads is None else [x[rows] for x in heads])
        for own, copy in self._copies("grad_dict"):
            own._accumulate(copy)

    def _copies(self, kind: str) -> Iterator[tuple[NDArray, NDArray]]:
        """The arrays of parameters, or of their gradients, that parts on other devices have copies of."""
        first = getattr(self.parts[0], kind)
        for part in self.parts[1:]:
            for name, copy in getattr(part, kind).items():
                own = first[name]
                if (
                    name not in self._inputs
                    and copy is not None
                    and not share_memory(own.context, copy.context)
                ):
                    yield own, copy

    def split_gradients(self, name: str) -> list[NDArray]:
        """An input's gradient, one for each context."""
        return [gradient for part in self.parts if (gradient := part.grad_dict[name]) is not None]

    @property
    def grad_dict(self) -> dict[str, NDArray | None]:
        """The gradients by argument, those of inputs joined."""
        gradients = self.parts[0].grad_dict
        for name, desc in self._inputs.items():
            if gradients.get(name) is not None:
                axis = DataDesc.get_batch_axis(desc.layout)
                gradients[name] = _joined(self.split_gradients(name), axis)
        return gradients


def _joined(arrays: Sequence[NDArray], axis: int) -> NDArray:
    return NDArray(np.concatenate([x._host for x in arrays], axis), arrays[0].context)
