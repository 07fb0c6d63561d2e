"""Checkpoints of symbols with recurrent cells, whose files have each gate's parameters apart."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import symbol
from ..checkpoint import load_checkpoint, save_checkpoint
from ..formats.files import PathLike
from ..ndarray.ndarray import NDArray
from ..symbol.symbol import Symbol
from .rnn_cell import BaseRNNCell

__all__ = ["do_rnn_checkpoint", "load_rnn_checkpoint", "rnn_unroll", "save_rnn_checkpoint"]


def _listed(cells: BaseRNNCell | Sequence[BaseRNNCell]) -> Sequence[BaseRNNCell]:
    return [cells] if isinstance(cells, BaseRNNCell) else cells


def rnn_unroll(
    cell: BaseRNNCell,
    length: int,
    inputs: Any = None,
    begin_state: Sequence[Symbol] | None = None,
    input_prefix: str = "",
    layout: str = "NTC",
) -> tuple[Any, list[Any]]:
    """`cell.unroll`, which has taken its place; without `inputs` each step has a variable of its own."""
    warnings.warn("rnn_unroll: cell.unroll has taken its place.", stacklevel=2)
    if inputs is None:
        inputs = [symbol.var(f"{input_prefix}t{i}_data") for i in range(length)]
    return cell.unroll(length, inputs=inputs, begin_state=begin_state, layout=layout)


def save_rnn_checkpoint(
    cells: BaseRNNCell | Sequence[BaseRNNCell],
    prefix: PathLike,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
) -> None:
    """Write a checkpoint in which the gates of all cells are apart."""
    weights = dict(arg_params)
    for cell in _listed(cells):
        weights = cell.unpack_weights(weights)
    save_checkpoint(prefix, epoch, symbol, weights, aux_params)


def load_rnn_checkpoint(
    cells: BaseRNNCell | Sequence[BaseRNNCell], prefix: PathLike, epoch: int
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """The symbol, its parameters as the cells have them, and its auxiliary states."""
    loaded, weights, states = load_checkpoint(prefix, epoch)
    for cell in _listed(cells):
        weights = cell.pack_weights(weights)
    return loaded, weights, states


def do_rnn_checkpoint(
    cells: BaseRNNCell | Sequence[BaseRNNCell], prefix: PathLike, period: int = 1
) -> Callable[..., None]:
    """After every `period` epochs, `save_rnn_checkpoint`: a callback of `fit`."""
    period = max(1, int(period))

    def save(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            save_rnn_checkpoint(cells, prefix, iter_no + 1, sym, arg, aux)

    return save
