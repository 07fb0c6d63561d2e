"""Steps of cells with gates, from the sums over input and state on."""

from __future__ import annotations

from typing import Any

from .. import symbol
from ._base_cell import Activation, BaseRNNCell


def lstm_step(
    cell: BaseRNNCell,
    sums: Any,
    memory: Any,
    activation: Activation,
    name: str,
    axis: dict[str, Any] | None = None,
) -> tuple[Any, list[Any]]:
    """The output, and with it the next memory; `axis` says that of the channels where it is not 1."""
    i, f, c, o = symbol.SliceChannel(sums, num_outputs=4, name=f"{name}slice", **(axis or {}))
    i = symbol.Activation(i, act_type="sigmoid", name=f"{name}i")
    f = symbol.Activation(f, act_type="sigmoid", name=f"{name}f")
    c = cell._get_activation(c, activation, name=f"{name}c")
    o = symbol.Activation(o, act_type="sigmoid", name=f"{name}o")
    after = symbol.elemwise_add(f * memory, i * c, name=f"{name}state")
    output = symbol.elemwise_mul(o, cell._get_activation(after, activation), name=f"{name}out")
    return output, [output, after]


def gru_step(
    cell: BaseRNNCell,
    sums: tuple[Any, Any],
    before: Any,
    activation: Activation,
    name: str,
    axis: dict[str, Any] | None = None,
) -> tuple[Any, list[Any]]:
    """The output, which is the next state, from the sums over input and over state."""
    (ir, iz, i), (hr, hz, h) = (
        symbol.SliceChannel(each, num_outputs=3, name=f"{name}_{which}_slice", **(axis or {}))
        for each, which in zip(sums, ("i2h", "h2h"), strict=True)
    )
    reset = symbol.Activation(ir + hr, act_type="sigmoid", name=f"{name}_r_act")
    update = symbol.Activation(iz + hz, act_type="sigmoid", name=f"{name}_z_act")
    new = cell._get_activation(i + reset * h, activation, name=f"{name}_h_act")
    output = symbol.elemwise_add((1.0 - update) * new, update * before, name=f"{name}out")
    return output, [output]
