"""Cells of symbols, one step at a time, and unrolled over several."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import symbol
from ..errors import RequirementError
from ..initializer import FusedRNN, LSTMBias
from ..ndarray import concatenate
from ..ndarray.ndarray import NDArray
from ..symbol.symbol import Symbol
from ._base_cell import Activation, BaseRNNCell, RNNParams, Weights, arrange, take
from ._conv_cell import BaseConvRNNCell, ConvGRUCell, ConvLSTMCell, ConvRNNCell
from ._gates import gru_step, lstm_step

__all__ = [
    "BaseConvRNNCell",
    "BaseRNNCell",
    "BidirectionalCell",
    "ConvGRUCell",
    "ConvLSTMCell",
    "ConvRNNCell",
    "DropoutCell",
    "FusedRNNCell",
    "GRUCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RNNParams",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]


class RNNCell(BaseRNNCell):
    """A plain cell: the activation of a linear function of input (N, C) and state (N, H) is the next one."""

    def __init__(
        self,
        num_hidden: int,
        activation: Activation = "tanh",
        prefix: str = "rnn_",
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(prefix, params)
        self._num_hidden = num_hidden
        self._activation = activation
        self._make_weights()

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The state is (N, H)."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"}]

    @property
    def _gate_names(self) -> tuple[str, ...]:
        return ("",)

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        self._counter += 1
        name = f"{self._prefix}t{self._counter}_"
        i2h, h2h = self._sums(inputs, states[0], self._num_hidden, name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class LSTMCell(BaseRNNCell):
    """A cell with input, forget and output gates: input (N, C), output and two states (N, H)."""

    def __init__(
        self,
        num_hidden: int,
        prefix: str = "lstm_",
        params: RNNParams | None = None,
        forget_bias: float = 1.0,
    ) -> None:
        super().__init__(prefix, params)
        self._num_hidden = num_hidden
        self._make_weights(i2h_bias={"init": LSTMBias(forget_bias=forget_bias)})

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Output and cell state, (N, H) both."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"} for _ in range(2)]

    @property
    def _gate_names(self) -> list[str]:
        return ["_i", "_f", "_c", "_o"]

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        self._counter += 1
        name = f"{self._prefix}t{self._counter}_"
        i2h, h2h = self._sums(inputs, states[0], 4 * self._num_hidden, name)
        return lstm_step(self, i2h + h2h, states[1], "tanh", name)


class GRUCell(BaseRNNCell):
    """A cell with reset and update gates: input (N, C), output and state (N, H)."""

    def __init__(self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None) -> None:
        super().__init__(prefix, params)
        self._num_hidden = num_hidden
        self._make_weights()

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The state is (N, H)."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"}]

    @property
    def _gate_names(self) -> list[str]:
        return ["_r", "_z", "_o"]

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        self._counter += 1
        name = f"{self._prefix}t{self._counter}_"
        i2h, h2h = self._sums(inputs, states[0], 3 * self._num_hidden, f"{name}_")
        return gru_step(self, (i2h, h2h), states[0], "tanh", name)


class FusedRNNCell(BaseRNNCell):
    """All layers and steps in one `RNN` operator, whose parameters are one vector; it only unrolls.

    `mode` is `rnn_relu`, `rnn_tanh`, `lstm` or `gru`. Last states are given with `get_next_state` alone.
    """

    def __init__(
        self,
        num_hidden: int,
        num_layers: int = 1,
        mode: str = "lstm",
        bidirectional: bool = False,
        dropout: float = 0.0,
        get_next_state: bool = False,
        forget_bias: float = 1.0,
        prefix: str | None = None,
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(f"{mode}_" if prefix is None else prefix, params)
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._bidirectional = bidirectional
        self._dropout = dropout
        self._get_next_state = get_next_state
        self._directions = ["l", "r"] if bidirectional else ["l"]
        self._init = FusedRNN(None, num_hidden, num_layers, mode, bidirectional, forget_bias)
        self._parameter = self.params.get("parameters", init=self._init)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The states are (L, N, H), of layers and directions; an LSTM has two."""
        shape = (len(self._directions) * self._num_layers, 0, self._num_hidden)
        return [{"shape": shape, "__layout__": "LNC"} for _ in range(2 if self._mode == "lstm" else 1)]

    @property
    def _gate_names(self) -> list[str]:
        return list(self._init.gates)

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """The arrays by name, with the vector taken apart: `lstm_l0_i2h_i_weight` and so on."""
        weights = dict(args)
        vector = take(weights, f"{self._prefix}parameters")
        start = 0
        for name, shape in self._init.parts(vector.size):
            size = shape[0] * (shape[1] if len(shape) == 2 else 1)
            weights[self._prefix + name] = vector[start : start + size].reshape(shape).copy()
            start += size
        return weights

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """The arrays by name, with those of this cell's gates as one vector."""
        weights = dict(args)
        gate = f"{self._prefix}l0_i2h{self._gate_names[0]}_weight"
        width = take(dict(weights), gate).shape[1]
        parts = [take(weights, self._prefix + name) for name, _ in self._init.parts_for(width)]
        weights[f"{self._prefix}parameters"] = concatenate([part.reshape((-1,)) for part in parts])
        return weights

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """There are no single steps."""
        raise NotImplementedError("FusedRNNCell: it cannot be stepped. Please use unroll.")

    def unroll(
        self,
        length: int,
        inputs: Symbol | Sequence[Symbol],
        begin_state: Sequence[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps, as one operator: outputs merged unless `merge_outputs` is false, and the last states."""
        self.reset()
        sequence, axis = arrange(length, inputs, layout, True)
        if axis == 1:
            warnings.warn(
                "FusedRNNCell: the operator computes in layout TNC, so that NTC has its axes swapped "
                "before and after.",
                stacklevel=2,
            )
            sequence = symbol.swapaxes(sequence, dim1=0, dim2=1)
        first: Any = self.begin_state() if begin_state is None else begin_state
        names = ("state", "state_cell") if self._mode == "lstm" else ("state",)
        attributes: dict[str, Any] = {
            "state_size": self._num_hidden,
            "num_layers": self._num_layers,
            "bidirectional": self._bidirectional,
            "p": self._dropout,
            "state_outputs": self._get_next_state,
            "mode": self._mode,
        }
        variables = {"data": sequence, "parameters": self._parameter, **dict(zip(names, first, strict=True))}
        result = symbol.RNN(**variables, **attributes, name=f"{self._prefix}rnn")
        outputs, states = result, []
        if self._get_next_state:
            outputs, *states = result
            for state in states:
                state._set_attr(__layout__="LNC")
        if axis == 1:
            outputs = symbol.swapaxes(outputs, dim1=0, dim2=1)
        return arrange(length, outputs, layout, merge_outputs)[0], states

    def unfuse(self) -> SequentialRNNCell:
        """The same network as cells with steps, whose `pack_weights` takes what `unpack_weights` gives."""
        make: Callable[[str], BaseRNNCell] = {
            "rnn_relu": lambda prefix: RNNCell(self._num_hidden, activation="relu", prefix=prefix),
            "rnn_tanh": lambda prefix: RNNCell(self._num_hidden, activation="tanh", prefix=prefix),
            "lstm": lambda prefix: LSTMCell(self._num_hidden, prefix=prefix),
            "gru": lambda prefix: GRUCell(self._num_hidden, prefix=prefix),
        }[self._mode]
        stack = SequentialRNNCell()
        for i in range(self._num_layers):
            ahead = make(f"{self._prefix}l{i}_")
            if self._bidirectional:
                back = make(f"{self._prefix}r{i}_")
                stack.add(BidirectionalCell(ahead, back, output_prefix=f"{self._prefix}bi_l{i}_"))
            else:
                stack.add(ahead)
            if self._dropout > 0 and i != self._num_layers - 1:
                stack.add(DropoutCell(self._dropout, prefix=f"{self._prefix}_dropout{i}_"))
        return stack


# ---- cells of cells


class _Combined(BaseRNNCell):
    """A cell of several cells, whose variables and states are its own."""

    _cells: Sequence[Any] = ()

    def reset(self) -> None:
        """Begin anew, and so does every cell."""
        super().reset()
        for cell in self._cells:
            cell.reset()

    def _share(self, *cells: Any) -> None:
        """Have a cell and this one know each other's variables."""
        for cell in cells:
            if self._given_params:
                if not cell._own_params:
                    raise RequirementError(
                        f"{type(self).__name__}: params are given both to it and to {type(cell).__name__}; "
                        "one of them is to have them."
                    )
                cell.params._params.update(self.params._params)
            self.params._params.update(cell.params._params)

    _given_params = False

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The states of all cells."""
        return [info for cell in self._cells for info in cell.state_info]

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]  # as MXNet has it
        """First states of all cells."""
        self._refuse_modified()
        return [state for cell in self._cells for state in cell.begin_state(**kwargs)]

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """The arrays by name, with every cell's gates apart."""
        weights = dict(args)
        for cell in self._cells:
            weights = cell.unpack_weights(weights)
        return weights

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """The arrays by name, with every cell's gates together."""
        weights = dict(args)
        for cell in self._cells:
            weights = cell.pack_weights(weights)
        return weights


class SequentialRNNCell(_Combined):
    """Cells on top of each other."""

    def __init__(self, params: RNNParams | None = None) -> None:
        super().__init__("", params)
        self._given_params = params is not None
        self._cells: list[Any] = []

    def add(self, cell: BaseRNNCell) -> None:
        """Put a cell on top."""
        self._cells.append(cell)
        self._share(cell)

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step of each cell, from the lowest up."""
        self._counter += 1
        if self._has_bidirectional():
            raise RequirementError(
                "SequentialRNNCell: a BidirectionalCell cannot be stepped. Please use unroll."
            )
        last: list[Any] = []
        start = 0
        for cell in self._cells:
            end = start + len(cell.state_info)
            inputs, after = cell(inputs, states[start:end])
            last.extend(after)
            start = end
        return inputs, last

    def _has_bidirectional(self) -> bool:
        """Whether a cell in it, or in a stack in it, only unrolls."""
        return any(
            cell._has_bidirectional()
            if isinstance(cell, SequentialRNNCell)
            else isinstance(cell, BidirectionalCell)
            for cell in self._cells
        )

    def unroll(
        self,
        length: int,
        inputs: Symbol | Sequence[Symbol],
        begin_state: Sequence[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps of the lowest cell, then all of the next."""
        self.reset()
        states: Any = self.begin_state() if begin_state is None else begin_state
        last: list[Any] = []
        start = 0
        for i, cell in enumerate(self._cells):
            end = start + len(cell.state_info)
            merge = merge_outputs if i == len(self._cells) - 1 else None
            inputs, after = cell.unroll(length, inputs, states[start:end], layout, merge)
            last.extend(after)
            start = end
        return inputs, last


class DropoutCell(BaseRNNCell):
    """Dropout of the input; it has no states."""

    def __init__(self, dropout: float, prefix: str = "dropout_", params: RNNParams | None = None) -> None:
        super().__init__(prefix, params)
        if not isinstance(dropout, int | float):
            raise RequirementError(f"DropoutCell: a number is required as dropout, got {dropout!r}.")
        self.dropout = dropout

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """No states."""
        return []

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        return symbol.Dropout(data=inputs, p=self.dropout) if self.dropout > 0 else inputs, list(states)

    def unroll(
        self,
        length: int,
        inputs: Symbol | Sequence[Symbol],
        begin_state: Sequence[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps, at once where they are one symbol."""
        self.reset()
        inputs, _ = arrange(length, inputs, layout, merge_outputs)
        if isinstance(inputs, Symbol):
            return self(inputs, [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)


class ModifierCell(BaseRNNCell):
    """A cell around another one, whose variables and states it has."""

    def __init__(self, base_cell: BaseRNNCell) -> None:
        super().__init__()
        base_cell._modified = True
        self.base_cell = base_cell

    @property
    def params(self) -> RNNParams:
        """The variables of the cell inside."""
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The states of the cell inside."""
        return self.base_cell.state_info

    def begin_state(  # type: ignore[override]  # as MXNet has it
        self, init_sym: Callable[..., Any] = symbol.zeros, **kwargs: Any
    ) -> list[Any]:
        """First states of the cell inside, made by `init_sym`."""
        self._refuse_modified()
        with _Unmodified(self.base_cell):
            return self.base_cell.begin_state(**{"func": init_sym, **kwargs})

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """The arrays by name, with the gates of the cell inside apart."""
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """The arrays by name, with the gates of the cell inside together."""
        return self.base_cell.pack_weights(args)


class _Unmodified:
    """Inside a `with` block, a modified cell may be called as if it were not."""

    def __init__(self, cell: BaseRNNCell) -> None:
        self._cell = cell

    def __enter__(self) -> None:
        self._cell._modified = False

    def __exit__(self, *error: object) -> None:
        self._cell._modified = True


class ZoneoutCell(ModifierCell):
    """In training, some elements of output and states stay as they were at the step before."""

    def __init__(
        self, base_cell: BaseRNNCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ) -> None:
        if isinstance(base_cell, FusedRNNCell):
            raise RequirementError("ZoneoutCell: a FusedRNNCell has no steps; take its unfuse().")
        if isinstance(base_cell, BidirectionalCell):
            raise RequirementError("ZoneoutCell: a BidirectionalCell has no steps; modify the cells in it.")
        if isinstance(base_cell, SequentialRNNCell) and base_cell._has_bidirectional():
            raise RequirementError("ZoneoutCell: the stack has a BidirectionalCell, which has no steps.")
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states

    def reset(self) -> None:
        """Begin anew; the names of the cell inside go on, as in MXNet."""
        super().reset()
        self.prev_output: Any = None

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        output, last = self.base_cell(inputs, states)
        new = output
        if self.zoneout_outputs != 0.0:
            mask = _keep_mask(new, self.zoneout_outputs)
            before = symbol.zeros((0, 0)) if self.prev_output is None else self.prev_output
            output = symbol.where(mask, new, before)
        if self.zoneout_states != 0.0:
            last = [
                symbol.where(_keep_mask(after, self.zoneout_states), after, before)
                for after, before in zip(last, states, strict=True)
            ]
        self.prev_output = output
        return output, last


def _keep_mask(like: Symbol, p: float) -> Symbol:
    """0 where elements stay as they were."""
    mask: Symbol = symbol.Dropout(symbol.ones_like(like), p=p)
    return mask


class ResidualCell(ModifierCell):
    """A cell whose input is added to its output."""

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        output, last = self.base_cell(inputs, states)
        return symbol.elemwise_add(output, inputs, name=f"{output.name}_plus_residual"), last

    def unroll(
        self,
        length: int,
        inputs: Symbol | Sequence[Symbol],
        begin_state: Sequence[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps of the cell, and the inputs added."""
        self.reset()
        with _Unmodified(self.base_cell):
            outputs, states = self.base_cell.unroll(length, inputs, begin_state, layout, merge_outputs)
        merge = isinstance(outputs, Symbol) if merge_outputs is None else merge_outputs
        steps, _ = arrange(length, inputs, layout, merge)
        if merge:
            return symbol.elemwise_add(outputs, steps, name=f"{outputs.name}_plus_residual"), states
        added = [
            symbol.elemwise_add(output, step, name=f"{output.name}_plus_residual")
            for output, step in zip(outputs, steps, strict=True)
        ]
        return added, states


class BidirectionalCell(_Combined):
    """Two cells, one over the steps and one over them backward; outputs are joined. It only unrolls."""

    def __init__(
        self,
        l_cell: BaseRNNCell,
        r_cell: BaseRNNCell,
        params: RNNParams | None = None,
        output_prefix: str = "bi_",
    ) -> None:
        super().__init__("", params)
        self._given_params = params is not None
        self._output_prefix = output_prefix
        self._cells = [l_cell, r_cell]
        self._share(l_cell, r_cell)

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """There are no single steps."""
        raise NotImplementedError("BidirectionalCell: it cannot be stepped. Please use unroll.")

    def unroll(
        self,
        length: int,
        inputs: Symbol | Sequence[Symbol],
        begin_state: Sequence[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps in both directions; the last states are a list of each direction's."""
        self.reset()
        steps, axis = arrange(length, inputs, layout, False)
        states: Any = self.begin_state() if begin_state is None else begin_state
        left, right = self._cells
        count = len(left.state_info)
        ahead, last = left.unroll(length, steps, states[:count], layout, merge_outputs)
        back, first = right.unroll(length, list(reversed(steps)), states[count:], layout, merge_outputs)
        merge = merge_outputs
        if merge is None:
            merge = isinstance(ahead, Symbol) and isinstance(back, Symbol)
        ahead, back = (arrange(length, side, layout, merge)[0] for side in (ahead, back))
        if merge:
            back = symbol.reverse(back, axis=axis)
            return symbol.Concat(ahead, back, dim=2, name=f"{self._output_prefix}out"), [last, first]
        outputs = [
            symbol.Concat(a, b, dim=1, name=f"{self._output_prefix}t{i}")
            for i, (a, b) in enumerate(zip(ahead, reversed(back), strict=True))
        ]
        return outputs, [last, first]
