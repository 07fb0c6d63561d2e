"""A cell with projection, and dropout that is the same at all steps."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ....errors import RequirementError
from ....initializer import InitializerLike
from ....typing import Tensor
from ...parameter import ParameterDict
from ...rnn.rnn_cell import BidirectionalCell, CellStack, GatedCell, ModifierCell, RecurrentCell
from ...rnn.sequence import mask_outputs, merge_or_split, namespace_of

__all__ = ["LSTMPCell", "VariationalDropoutCell", "dynamic_unroll"]


class VariationalDropoutCell(ModifierCell):
    """A cell whose inputs, first state and outputs are dropped, the same elements at all steps."""

    def __init__(
        self,
        base_cell: RecurrentCell,
        drop_inputs: float = 0.0,
        drop_states: float = 0.0,
        drop_outputs: float = 0.0,
    ) -> None:
        if drop_states and isinstance(base_cell, BidirectionalCell | CellStack):
            raise RequirementError(
                f"VariationalDropoutCell: a cell that steps on its own is required for drop_states, got "
                f"{type(base_cell).__name__}. Put VariationalDropoutCell around the cells inside of it."
            )
        super().__init__(base_cell)
        self.drop_inputs = drop_inputs
        self.drop_states = drop_states
        self.drop_outputs = drop_outputs

    def _alias(self) -> str:
        return "vardrop"

    def reset(self) -> None:
        """Forget the masks too."""
        super().reset()
        self._masks: dict[Any, Any] = {}

    def _mask(self, F: Any, name: str, like: Any, p: float) -> Any:
        """Dropout's factors, drawn at the first step; arrays and symbols have their own."""
        key = type(like), name
        if key not in self._masks:
            self._masks[key] = F.Dropout(F.ones_like(like), p=p)
        return self._masks[key]

    def hybrid_forward(self, F: ModuleType, inputs: Tensor, states: Sequence[Tensor]) -> Any:
        """One step."""
        states = list(states)
        if self.drop_states:
            states[0] = states[0] * self._mask(F, "states", states[0], self.drop_states)
        if self.drop_inputs:
            inputs = inputs * self._mask(F, "inputs", inputs, self.drop_inputs)
        output, last = self.base_cell(inputs, states)
        if self.drop_outputs:
            output = output * self._mask(F, "outputs", output, self.drop_outputs)
        return output, last

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out = {self.drop_outputs}, p_state = {self.drop_states})"

    def unroll(
        self,
        length: int,
        inputs: Tensor | Sequence[Tensor],
        begin_state: Sequence[Tensor] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Tensor | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps. Unless states are dropped, inputs and outputs are dropped for all steps at once."""
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        data, axis, batch = merge_or_split(length, inputs, layout, True)
        F = namespace_of(data)
        states = self._first(begin_state, F, batch)
        if self.drop_inputs:
            data = F.Dropout(data, p=self.drop_inputs, axes=(axis,))
        outputs, last = self.base_cell.unroll(
            length, data, states, layout, merge_outputs=True, valid_length=valid_length
        )
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=(axis,))
        merge = merge_outputs is not False
        outputs = merge_or_split(length, outputs, layout, merge)[0]
        if valid_length is not None:
            outputs = mask_outputs(outputs, length, valid_length, axis, merge)
        return outputs, last


class LSTMPCell(GatedCell):
    """An LSTM cell with P = projection_size outputs: input (N, C), output (N, P), states (N, P), (N, H)."""

    gates = 4

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        h2r_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            hidden_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            input_size,
            prefix,
            params,
            (projection_size, h2r_weight_initializer),
        )
        self._projection_size = projection_size

    def _alias(self) -> str:
        return "lstmp"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sizes()} -> {self._projection_size})"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Output (N, P) and cell state (N, H)."""
        return [
            {"shape": (batch_size, self._projection_size), "__layout__": "NC"},
            *super().state_info(batch_size),
        ]

    def hybrid_forward(
        self,
        F: ModuleType,
        inputs: Tensor,
        states: Sequence[Tensor],
        i2h_weight: Tensor,
        h2h_weight: Tensor,
        h2r_weight: Tensor,
        i2h_bias: Tensor,
        h2h_bias: Tensor,
    ) -> Any:
        """One step."""
        prefix = self._step_prefix()
        i2h, h2h = self._sums(F, (inputs, i2h_weight, i2h_bias), (states[0], h2h_weight, h2h_bias))
        parts = F.SliceChannel(i2h + h2h, num_outputs=4, name=f"{prefix}slice")
        kinds = ("sigmoid", "sigmoid", "tanh", "sigmoid")
        i, f, c, o = (
            F.Activation(part, act_type=kind, name=prefix + name)
            for part, kind, name in zip(parts, kinds, "ifco", strict=True)
        )
        cell = F.elemwise_add(f * states[1], i * c, name=f"{prefix}state")
        hidden = F.elemwise_mul(o, F.Activation(cell, act_type="tanh"), name=f"{prefix}hidden")
        output = F.FullyConnected(
            data=hidden,
            weight=h2r_weight,
            num_hidden=self._projection_size,
            no_bias=True,
            name=f"{prefix}out",
        )
        return output, [output, cell]


def dynamic_unroll(
    cell: RecurrentCell,
    inputs: Tensor,
    begin_state: Sequence[Tensor],
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Tensor | None = None,
) -> tuple[Any, list[Any]]:
    """Run a cell over all steps of one array or symbol, as a loop whose length need not be known.

    Args:
        cell: The cell.
        inputs: The sequence, in `layout`.
        begin_state: The first states.
        drop_inputs: The share of inputs that are dropped, the same ones at all steps.
        drop_outputs: The share of outputs that are dropped, the same ones at all steps.
        layout: `"TNC"`, or `"NTC"`, which is swapped before and after.
        valid_length: How many steps of each sequence count, (N,); outputs after these are zeros.

    Returns:
        The outputs, in `layout`, and the last states.

    Raises:
        AssertionError: `layout` is something else.
    """
    if layout not in ("TNC", "NTC"):
        raise RequirementError(f"dynamic_unroll: layout TNC or NTC is required, got {layout!r}.")
    F = namespace_of(inputs)
    axis = layout.find("T")
    sequence = F.swapaxes(inputs, dim1=0, dim2=1) if axis == 1 else inputs
    if drop_inputs:
        sequence = F.Dropout(sequence, p=drop_inputs, axes=(0,))

    def step(x: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        return cell(x, states) if valid_length is None else _counted_step(F, cell, x, states, valid_length)

    first = list(begin_state)
    if valid_length is not None:
        first.append(F.zeros_like(F.slice_axis(valid_length, axis=0, begin=0, end=1)))
    cell.reset()
    outputs, states = F.contrib.foreach(step, sequence, first)
    if drop_outputs:
        outputs = F.Dropout(outputs, p=drop_outputs, axes=(0,))
    if valid_length is not None:
        states = states[:-1]
        outputs = F.SequenceMask(outputs, sequence_length=valid_length, use_sequence_length=True, axis=0)
    return (F.swapaxes(outputs, dim1=0, dim2=1) if axis == 1 else outputs), list(states)


def _counted_step(F: Any, cell: Any, x: Any, states: list[Any], lengths: Any) -> tuple[Any, list[Any]]:
    """A step of a cell, in which sequences that have ended keep their states; the last state counts steps."""
    *before, count = states
    output, after = cell(x, before)
    goes_on = F.expand_dims(F.broadcast_greater(lengths, count), axis=1)
    kept: list[Any] = [
        F.where(F.broadcast_like(goes_on, new), new, old) for new, old in zip(after, before, strict=True)
    ]
    return output, [*kept, count + 1]
