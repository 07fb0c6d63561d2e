"""Recurrent cells: one step at a time, and unrolled over several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ... import ndarray, symbol
from ...attrs import ShapeLike
from ...initializer import InitializerLike
from ...typing import Tensor
from ..block import Block
from ..hybrid_block import HybridBlock
from ..nn.activations import LeakyReLU
from ..parameter import ParameterDict
from .sequence import first_states as _get_begin_state  # noqa: F401  (cells of users take these from here)
from .sequence import format_sequence as _format_sequence  # noqa: F401
from .sequence import info_of_cells as _cells_state_info  # noqa: F401
from .sequence import is_merged, mask_outputs, merge_or_split, namespace_of, reverse_steps
from .sequence import mask_sequence as _mask_sequence_variable_length  # noqa: F401
from .sequence import reverse_steps as _reverse_sequences  # noqa: F401
from .sequence import states_of_cells as _cells_begin_state  # noqa: F401

__all__ = [
    "BidirectionalCell",
    "DropoutCell",
    "GRUCell",
    "HybridRecurrentCell",
    "HybridSequentialRNNCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RecurrentCell",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]


class RecurrentCell(Block):
    """A block that takes one step's input and a list of states to an output and the next states."""

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Begin anew: the names of steps and whatever a cell remembers."""
        self._init_counter = -1
        self._counter = -1
        for cell in self._children.values():
            cell.reset()  # type: ignore[attr-defined]

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """The shape and the layout of each state."""
        raise NotImplementedError(f"{type(self).__name__}: state_info must be defined.")

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., object] = ndarray.zeros, **kwargs: Any
    ) -> list[Any]:
        """First states: `func` is called with what `state_info` says and `kwargs`."""
        self._refuse_modified()
        states = []
        for info in self.state_info(batch_size):
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(name=name, **{**info, **kwargs}))
        return states

    def _refuse_modified(self) -> None:
        if self._modified:
            raise AssertionError(
                f"{self.name}: after it was modified (e.g. by ZoneoutCell) the modifier is to be called, "
                "not the cell."
            )

    def unroll(
        self,
        length: int,
        inputs: Tensor | Sequence[Tensor],
        begin_state: Sequence[Tensor] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Tensor | None = None,
    ) -> tuple[Any, list[Any]]:
        """Run `length` steps: the outputs, as one array or a list by `merge_outputs`, and the last states.

        `valid_length` (N,) says how many steps of each sequence count.
        """
        self.reset()
        steps, axis, batch = merge_or_split(length, inputs, layout, False)
        F = namespace_of(steps)
        states = self._first(begin_state, F, batch)
        outputs, history = [], []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
            history.append(states)
        sequence: Any = outputs
        if valid_length is not None:
            states = [
                F.SequenceLast(
                    F.stack(*each, axis=0), sequence_length=valid_length, use_sequence_length=True, axis=0
                )
                for each in zip(*history, strict=True)
            ]
            sequence = mask_outputs(outputs, length, valid_length, axis, True)
        return merge_or_split(length, sequence, layout, merge_outputs)[0], states

    def _first(self, states: Sequence[Any] | None, F: Any, batch: int) -> Any:
        return self.begin_state(func=F.zeros, batch_size=batch) if states is None else states

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """An activation given by name or as a block."""
        if activation in ("tanh", "relu", "sigmoid", "softsign"):
            return getattr(F, activation)(inputs, **kwargs)
        if isinstance(activation, str):
            return F.Activation(inputs, act_type=activation, **kwargs)
        if isinstance(activation, LeakyReLU):
            return F.LeakyReLU(inputs, act_type="leaky", slope=activation._alpha, **kwargs)
        return activation(inputs, **kwargs)

    def forward(self, inputs: Any, states: Any) -> Any:
        """One step: the output and the next states."""
        if type(self).state_info is not RecurrentCell.state_info and len(states) != len(self.state_info()):
            raise ValueError(
                f"{self.name}: {len(self.state_info())} states are required, got {len(states)}. "
                "See begin_state."
            )
        self._counter += 1
        return super().forward(inputs, states)

    def _step_prefix(self) -> str:
        """What the names of this step's operators begin with."""
        return f"t{self._counter}_"

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, inputs: Tensor, states: Sequence[Tensor]
        ) -> tuple[Tensor, list[Tensor]]:
            """One step: the output and the next states."""


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """A cell that can be hybridized."""

    def hybrid_forward(self, F: ModuleType, x: Tensor, *args: Any, **kwargs: Any) -> Any:
        """One step, computed with `F`."""
        raise NotImplementedError(f"{type(self).__name__}: hybrid_forward must be defined.")


class GatedCell(HybridRecurrentCell):
    """The parameters of a cell with `gates` gates, and its sums over input and state."""

    gates = 1

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        projection: tuple[int, InitializerLike] | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_size = hidden_size
        self._input_size = input_size
        rows = self.gates * hidden_size
        outputs, h2r_weight_initializer = projection or (hidden_size, None)
        parameters = {
            "i2h_weight": ((rows, input_size), i2h_weight_initializer),
            "h2h_weight": ((rows, outputs), h2h_weight_initializer),
            **({"h2r_weight": ((outputs, hidden_size), h2r_weight_initializer)} if projection else {}),
            "i2h_bias": ((rows,), i2h_bias_initializer),
            "h2h_bias": ((rows,), h2h_bias_initializer),
        }
        for name, (shape, init) in parameters.items():
            setattr(self, name, self.params.get(name, shape=shape, init=init, allow_deferred_init=True))

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """The state is (N, H)."""
        return [{"shape": (batch_size, self._hidden_size), "__layout__": "NC"}]

    def _sums(self, F: Any, i2h: tuple[Any, ...], h2h: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the gates have of the input and of the state, each given with its weight and bias."""
        prefix, rows = self._step_prefix(), self.gates * self._hidden_size
        return tuple(
            F.FullyConnected(
                data=data,
                weight=weight,
                bias=bias,
                num_hidden=rows,
                name=f"{prefix}{kind}",
            )
            for kind, (data, weight, bias) in (("i2h", i2h), ("h2h", h2h))
        )

    def _sizes(self) -> str:
        shape: Any = self._reg_params["i2h_weight"].shape
        return f"{shape[1] or None} -> {shape[0]}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sizes()})"


class RNNCell(GatedCell):
    """A plain cell: the activation of a linear function of input (N, C) and state (N, H) is the next one."""

    def __init__(
        self,
        hidden_size: int,
        activation: str | Block = "tanh",
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
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
        )
        self._activation = activation

    def _alias(self) -> str:
        return "rnn"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sizes()}, {self._activation})"

    def hybrid_forward(
        self,
        F: ModuleType,
        inputs: Tensor,
        states: Sequence[Tensor],
        i2h_weight: Tensor,
        h2h_weight: Tensor,
        i2h_bias: Tensor,
        h2h_bias: Tensor,
    ) -> Any:
        """One step."""
        prefix = self._step_prefix()
        i2h, h2h = self._sums(F, (inputs, i2h_weight, i2h_bias), (states[0], h2h_weight, h2h_bias))
        total = F.elemwise_add(i2h, h2h, name=f"{prefix}plus0")
        output = self._get_activation(F, total, self._activation, name=f"{prefix}out")
        return output, [output]


class LSTMCell(GatedCell):
    """A cell with input, forget and output gates: input (N, C), output and two states (N, H)."""

    gates = 4

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        activation: str | Block = "tanh",
        recurrent_activation: str | Block = "sigmoid",
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
        )
        self._activation = activation
        self._recurrent_activation = recurrent_activation

    def _alias(self) -> str:
        return "lstm"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Output and cell state, (N, H) both."""
        return [*super().state_info(batch_size), *super().state_info(batch_size)]

    def hybrid_forward(
        self,
        F: ModuleType,
        inputs: Tensor,
        states: Sequence[Tensor],
        i2h_weight: Tensor,
        h2h_weight: Tensor,
        i2h_bias: Tensor,
        h2h_bias: Tensor,
    ) -> Any:
        """One step."""
        prefix, act, gate = self._step_prefix(), self._activation, self._recurrent_activation
        i2h, h2h = self._sums(F, (inputs, i2h_weight, i2h_bias), (states[0], h2h_weight, h2h_bias))
        gates = F.elemwise_add(i2h, h2h, name=f"{prefix}plus0")
        parts = F.SliceChannel(gates, num_outputs=4, name=f"{prefix}slice")
        i, f, c, o = (
            self._get_activation(F, part, kind, name=prefix + name)
            for part, kind, name in zip(parts, (gate, gate, act, gate), "ifco", strict=True)
        )
        memory = F.elemwise_mul(f, states[1], name=f"{prefix}mul0")
        new = F.elemwise_mul(i, c, name=f"{prefix}mul1")
        cell = F.elemwise_add(memory, new, name=f"{prefix}state")
        bent = F.Activation(cell, act_type=act, name=f"{prefix}activation0")
        output = F.elemwise_mul(o, bent, name=f"{prefix}out")
        return output, [output, cell]


class GRUCell(GatedCell):
    """A cell with reset and update gates: input (N, C), output and state (N, H)."""

    gates = 3

    def _alias(self) -> str:
        return "gru"

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
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
        )

    def hybrid_forward(
        self,
        F: ModuleType,
        inputs: Tensor,
        states: Sequence[Tensor],
        i2h_weight: Tensor,
        h2h_weight: Tensor,
        i2h_bias: Tensor,
        h2h_bias: Tensor,
    ) -> Any:
        """One step."""
        t, before = self._step_prefix(), states[0]
        i2h, h2h = self._sums(F, (inputs, i2h_weight, i2h_bias), (before, h2h_weight, h2h_bias))
        ir, iz, i = F.SliceChannel(i2h, num_outputs=3, name=f"{t}i2h_slice")
        hr, hz, h = F.SliceChannel(h2h, num_outputs=3, name=f"{t}h2h_slice")
        r = F.elemwise_add(ir, hr, name=f"{t}plus0")
        r = F.Activation(r, act_type="sigmoid", name=f"{t}r_act")
        z = F.elemwise_add(iz, hz, name=f"{t}plus1")
        z = F.Activation(z, act_type="sigmoid", name=f"{t}z_act")
        reset = F.elemwise_mul(r, h, name=f"{t}mul0")
        new = F.elemwise_add(i, reset, name=f"{t}plus2")
        new = F.Activation(new, act_type="tanh", name=f"{t}h_act")
        rest = F.elemwise_sub(F.ones_like(z, name=f"{t}ones_like0"), z, name=f"{t}minus0")
        new_part = F.elemwise_mul(rest, new, name=f"{t}mul1")
        old_part = F.elemwise_mul(z, before, name=f"{t}mul20")
        output = F.elemwise_add(new_part, old_part, name=f"{t}out")
        return output, [output]


# ---- cells of cells


class CellStack(RecurrentCell):
    """Cells on top of each other: what both kinds of stacks do."""

    def __repr__(self) -> str:
        lines = [f"({key}): {cell!r}" for key, cell in self._children.items()]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"

    def add(self, cell: RecurrentCell) -> None:
        """Put a cell on top."""
        self.register_child(cell)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """The states of all cells."""
        return [info for cell in self._cells() for info in cell.state_info(batch_size)]

    def _cells(self) -> list[Any]:
        return list(self._children.values())

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """First states of all cells."""
        self._refuse_modified()
        return [state for cell in self._cells() for state in cell.begin_state(**kwargs)]

    def _shared_out(self, states: Sequence[Any]) -> list[tuple[Any, list[Any]]]:
        """Each cell with its part of the states."""
        parts, at = [], 0
        for cell in self._cells():
            count = len(cell.state_info())
            parts.append((cell, list(states[at : at + count])))
            at += count
        return parts

    def _step(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        last: list[Any] = []
        for cell, part in self._shared_out(states):
            if isinstance(cell, BidirectionalCell):
                raise AssertionError(f"{self.name}: a BidirectionalCell cannot be stepped. Use unroll.")
            inputs, new = cell(inputs, part)
            last += new
        return inputs, last

    def unroll(
        self,
        length: int,
        inputs: Tensor | Sequence[Tensor],
        begin_state: Sequence[Tensor] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Tensor | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps of each cell, from the lowest to the highest."""
        self.reset()
        sequence, _, batch = merge_or_split(length, inputs, layout, None)
        states = self._first(begin_state, namespace_of(sequence), batch)
        last: list[Any] = []
        cells = self._shared_out(states)
        for i, (cell, part) in enumerate(cells):
            sequence, new = cell.unroll(
                length,
                inputs=sequence,
                begin_state=part,
                layout=layout,
                merge_outputs=merge_outputs if i == len(cells) - 1 else None,
                valid_length=valid_length,
            )
            last += new
        return sequence, last

    def __getitem__(self, i: int) -> Any:
        return self._cells()[i]

    def __len__(self) -> int:
        return len(self._children)


class SequentialRNNCell(CellStack):
    """Cells on top of each other: one's output is the next one's input."""

    def __call__(self, inputs: Tensor, states: Sequence[Tensor]) -> Any:  # type: ignore[override]
        """One step of all cells."""
        self._counter += 1
        return self._step(inputs, states)


class HybridSequentialRNNCell(CellStack, HybridRecurrentCell):
    """Cells on top of each other, which can be hybridized together."""

    def __call__(self, inputs: Tensor, states: Sequence[Tensor]) -> Any:  # type: ignore[override]
        """One step of all cells."""
        return Block.__call__(self, inputs, states)

    def hybrid_forward(self, F: ModuleType, inputs: Tensor, states: Sequence[Tensor]) -> Any:
        """One step of all cells."""
        return self._step(inputs, states)


class DropoutCell(HybridRecurrentCell):
    """A cell without states that drops a part `rate` of its input while training, shared along `axes`."""

    def __init__(
        self,
        rate: float,
        axes: ShapeLike = (),
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix, params)
        if not isinstance(rate, int | float):
            raise AssertionError(f"DropoutCell: rate must be a number, got {rate!r}.")
        self._rate = rate
        self._axes = axes

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={self._rate}, axes={self._axes})"

    def _alias(self) -> str:
        return "dropout"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """There is none."""
        return []

    def hybrid_forward(self, F: ModuleType, inputs: Tensor, states: Sequence[Tensor]) -> Any:
        """The input with elements dropped."""
        if self._rate > 0:
            inputs = F.Dropout(data=inputs, p=self._rate, axes=self._axes, name=f"t{self._counter}_fwd")
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Tensor | Sequence[Tensor],
        begin_state: Sequence[Tensor] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Tensor | None = None,
    ) -> tuple[Any, list[Any]]:
        """One dropout for all steps if they are one array."""
        self.reset()
        sequence, _, _ = merge_or_split(length, inputs, layout, merge_outputs)
        if is_merged(sequence):
            y, states = self.hybrid_forward(namespace_of(sequence), sequence, list(begin_state or []))
            return y, states
        return super().unroll(length, sequence, begin_state, layout, merge_outputs, None)


class ModifierCell(HybridRecurrentCell):
    """A cell that changes what another one gives. The other cell is then used through this one alone."""

    def __init__(self, base_cell: RecurrentCell) -> None:
        if base_cell._modified:
            raise AssertionError(
                f"Cell {base_cell.name} is already modified. One cell cannot be modified twice."
            )
        base_cell._modified = True
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell = base_cell

    @property
    def params(self) -> ParameterDict:
        """The parameters of the cell that is modified."""
        parameters: ParameterDict = self.base_cell.params
        return parameters

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """The states of the cell that is modified."""
        states: list[dict[str, Any]] = self.base_cell.state_info(batch_size)
        return states

    def begin_state(self, func: Callable[..., object] = symbol.zeros, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """First states of the cell that is modified; symbols unless `func` makes something else."""
        self._refuse_modified()
        with _Unmodified(self.base_cell):
            states: list[Any] = self.base_cell.begin_state(func=func, **kwargs)
        return states

    def hybrid_forward(self, F: ModuleType, inputs: Tensor, states: Sequence[Tensor]) -> Any:
        """One step; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__}: hybrid_forward must be defined.")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_cell!r})"


class _Unmodified:
    """A scope in which a modified cell may be used."""

    def __init__(self, cell: RecurrentCell) -> None:
        self.cell = cell

    def __enter__(self) -> None:
        self.cell._modified = False

    def __exit__(self, *_: object) -> None:
        self.cell._modified = True


class ZoneoutCell(ModifierCell):
    """A cell whose outputs and states keep some of their elements from the step before, while training."""

    def __init__(
        self, base_cell: RecurrentCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ) -> None:
        if isinstance(base_cell, BidirectionalCell | CellStack):
            raise AssertionError(
                f"ZoneoutCell: a cell that steps on its own is required, got {type(base_cell).__name__}. Put "
                "ZoneoutCell around the cells inside of it."
            )
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, "
            f"{self.base_cell!r})"
        )

    def _alias(self) -> str:
        return "zoneout"

    def reset(self) -> None:
        """Forget the last output too."""
        super().reset()
        self._before: Any = None

    def hybrid_forward(self, F: ModuleType, inputs: Tensor, states: Sequence[Tensor]) -> Any:
        """One step."""
        new, last = self.base_cell(inputs, states)
        output = new
        if self.zoneout_outputs != 0.0:
            mask = _keep_mask(F, new, self.zoneout_outputs)
            known = type(self._before) is type(new)  # not so at the first step, or when tracing begins
            before = self._before if known else F.zeros_like(new)
            output = F.where(mask, new, before)
        if self.zoneout_states != 0.0:
            last = [
                F.where(_keep_mask(F, a, self.zoneout_states), a, b)
                for a, b in zip(last, states, strict=True)
            ]
        self._before = output
        return output, last


def _keep_mask(F: Any, like: Any, p: float) -> Any:
    """0 where elements are dropped."""
    return F.Dropout(F.ones_like(like), p=p)


class ResidualCell(ModifierCell):
    """A cell whose input is added to its output."""

    def _alias(self) -> str:
        return "residualcell"

    def hybrid_forward(self, F: ModuleType, inputs: Tensor, states: Sequence[Tensor]) -> Any:
        """One step."""
        output, last = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=f"t{self._counter}_fwd"), last

    def unroll(
        self,
        length: int,
        inputs: Tensor | Sequence[Tensor],
        begin_state: Sequence[Tensor] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Tensor | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps of the cell, and the inputs added."""
        self.reset()
        with _Unmodified(self.base_cell):
            outputs, states = self.base_cell.unroll(
                length,
                inputs=inputs,
                begin_state=begin_state,
                layout=layout,
                merge_outputs=merge_outputs,
                valid_length=valid_length,
            )
        merge = is_merged(outputs) if merge_outputs is None else merge_outputs
        added, axis, _ = merge_or_split(length, inputs, layout, merge)
        if valid_length is not None:
            added = mask_outputs(added, length, valid_length, axis, merge)
        F = namespace_of(outputs)
        if merge:
            return F.elemwise_add(outputs, added), states
        return [F.elemwise_add(a, b) for a, b in zip(outputs, added, strict=True)], states


class BidirectionalCell(HybridRecurrentCell):
    """Two cells, one over the steps and one over them backwards; outputs are joined. It only unrolls."""

    def __init__(self, l_cell: RecurrentCell, r_cell: RecurrentCell, output_prefix: str = "bi_") -> None:
        super().__init__(prefix="", params=None)
        self.register_child(l_cell, "l_cell")
        self.register_child(r_cell, "r_cell")
        self._output_prefix = output_prefix

    def _cells(self) -> tuple[Any, Any]:
        left, right = self._children.values()
        return left, right

    def __call__(self, inputs: Tensor, states: Sequence[Tensor]) -> Any:  # type: ignore[override]
        """There are no single steps."""
        raise NotImplementedError("BidirectionalCell: it cannot be stepped. Please use unroll.")

    def __repr__(self) -> str:
        left, right = self._cells()
        return f"{type(self).__name__}(forward={left!r}, backward={right!r})"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """The states of both cells."""
        return [info for cell in self._cells() for info in cell.state_info(batch_size)]

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """First states of both cells."""
        self._refuse_modified()
        return [state for cell in self._cells() for state in cell.begin_state(**kwargs)]

    def unroll(
        self,
        length: int,
        inputs: Tensor | Sequence[Tensor],
        begin_state: Sequence[Tensor] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Tensor | None = None,
    ) -> tuple[Any, list[Any]]:
        """All steps in both directions."""
        self.reset()
        steps, axis, batch = merge_or_split(length, inputs, layout, False)
        turned = reverse_steps(steps, length, valid_length)
        F = namespace_of(steps)
        states = self._first(begin_state, F, batch)
        left, right = self._cells()
        count = len(left.state_info(batch))
        more = {"layout": layout, "valid_length": valid_length}
        ahead, last = left.unroll(length, steps, list(states[:count]), merge_outputs=merge_outputs, **more)
        back, first = right.unroll(length, turned, list(states[count:]), merge_outputs=False, **more)
        back = reverse_steps(back, length, valid_length)
        merge = is_merged(ahead) if merge_outputs is None else merge_outputs
        ahead, back = (merge_or_split(None, v, layout, merge)[0] for v in (ahead, back))
        if merge:
            outputs = F.concat(ahead, back, dim=2, name=f"{self._output_prefix}out")
        else:
            outputs = [
                F.concat(a, b, dim=1, name=f"{self._output_prefix}t{i}")
                for i, (a, b) in enumerate(zip(ahead, back, strict=True))
            ]
        if valid_length is not None:
            outputs = mask_outputs(outputs, length, valid_length, axis, merge)
        return outputs, last + first
