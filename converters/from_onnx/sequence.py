"""Imports of operators on sequences."""

from __future__ import annotations

from typing import Any

from ._registry import imports


@imports("ReverseSequence", versions=(10, 28))
def reverse_sequence(
    F: Any, data: Any, sequence_lens: Any, *, batch_axis: int = 1, time_axis: int = 0
) -> Any:
    """MXNet has time first."""
    if time_axis == 0:
        return F.SequenceReverse(data, sequence_lens, use_sequence_length=True)
    swapped = F.SwapAxis(data, dim1=0, dim2=1)
    reversed_ = F.SequenceReverse(swapped, sequence_lens, use_sequence_length=True)
    return F.SwapAxis(reversed_, dim1=0, dim2=1)
