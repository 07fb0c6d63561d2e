"""What all cells of symbols are: parameters by name, first states, and steps unrolled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from .. import symbol
from ..errors import RequirementError, UnknownNameError
from ..ndarray import concatenate
from ..ndarray.ndarray import NDArray
from ..symbol.symbol import Symbol

Weights: TypeAlias = dict[str, NDArray]
Activation: TypeAlias = str | Callable[..., Symbol]


class RNNParams:
    """Variables that cells share: the same name gives the same symbol."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._params: dict[str, Symbol] = {}

    def get(self, name: str, **kwargs: Any) -> Symbol:
        """The variable of the prefix and `name`, made with `kwargs` where it is new."""
        name = self._prefix + name
        if name not in self._params:
            self._params[name] = symbol.var(name, **kwargs)
        return self._params[name]


class BaseRNNCell:
    """Takes a symbol of one step and a list of states to an output and the next states."""

    def __init__(self, prefix: str = "", params: RNNParams | None = None) -> None:
        self._own_params = params is None
        self._params = RNNParams(prefix) if params is None else params
        self._prefix = prefix
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Begin anew: the names of steps and whatever a cell remembers."""
        self._init_counter = -1
        self._counter = -1

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step: the output and the next states."""
        raise NotImplementedError(f"{type(self).__name__}: __call__ must be defined.")

    @property
    def params(self) -> RNNParams:
        """The variables, which may be passed on to another cell."""
        self._own_params = False
        return self._params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The shape, with 0 for the batch, and the layout of each state."""
        raise NotImplementedError(f"{type(self).__name__}: state_info must be defined.")

    @property
    def state_shape(self) -> list[tuple[int, ...]]:
        """The shape of each state, with 0 for the batch."""
        return [info["shape"] for info in self.state_info]

    @property
    def _gate_names(self) -> tuple[str, ...] | list[str]:
        return ()

    def begin_state(self, func: Callable[..., Any] = symbol.zeros, **kwargs: Any) -> list[Any]:
        """First states: `func` is called with a name, with what `state_info` says, and with `kwargs`."""
        self._refuse_modified()
        states = []
        for info in self.state_info:
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(name=name, **{**info, **kwargs}))
        return states

    def _refuse_modified(self) -> None:
        if self._modified:
            raise RequirementError(
                f"{type(self).__name__}: another cell modifies it (e.g. ZoneoutCell); that one is to be "
                "called, not this."
            )

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """The arrays by name, with each gate's rows apart: `lstm_i2h_weight` becomes four of its kind."""
        weights = dict(args)
        if not self._gate_names:
            return weights
        rows = self._num_hidden
        for group in ("i2h", "h2h"):
            whole = {kind: take(weights, f"{self._prefix}{group}_{kind}") for kind in ("weight", "bias")}
            for i, gate in enumerate(self._gate_names):
                for kind, array in whole.items():
                    part = array[i * rows : (i + 1) * rows].copy()
                    weights[f"{self._prefix}{group}{gate}_{kind}"] = part
        return weights

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """The arrays by name, with all gates' rows together: what `unpack_weights` takes apart."""
        weights = dict(args)
        if not self._gate_names:
            return weights
        for group in ("i2h", "h2h"):
            for kind in ("weight", "bias"):
                names = [f"{self._prefix}{group}{gate}_{kind}" for gate in self._gate_names]
                parts = [take(weights, name) for name in names]
                weights[f"{self._prefix}{group}_{kind}"] = concatenate(parts)
        return weights

    _num_hidden: int

    def unroll(
        self,
        length: int,
        inputs: Symbol | Sequence[Symbol],
        begin_state: Sequence[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """Run `length` steps over a symbol or a list of symbols.

        Returns the outputs, one symbol with `merge_outputs` and else a list, and the last states.
        """
        self.reset()
        steps, _ = arrange(length, inputs, layout, False)
        states: Any = self.begin_state() if begin_state is None else begin_state
        outputs = []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
        return arrange(length, outputs, layout, merge_outputs)[0], states

    def _get_activation(self, inputs: Symbol, activation: Activation, **kwargs: Any) -> Symbol:
        """An activation given by name or as a function of symbols."""
        if isinstance(activation, str):
            kwargs["act_type"] = activation
            result: Symbol = symbol.Activation(inputs, **kwargs)
            return result
        return activation(inputs, **kwargs)

    def _make_weights(self, **options: Any) -> None:
        """Make the variables of both sums; `options` are those of each, by the end of its name."""

        def variable(name: str) -> Symbol:
            return self.params.get(name, **options.get(name, {}))

        self._iW, self._iB = variable("i2h_weight"), variable("i2h_bias")
        self._hW, self._hB = variable("h2h_weight"), variable("h2h_bias")

    def _sums(self, inputs: Any, state: Any, rows: int, name: str) -> tuple[Symbol, Symbol]:
        """The sums over a step's input, and over its state."""
        return (
            symbol.FullyConnected(inputs, self._iW, self._iB, num_hidden=rows, name=f"{name}i2h"),
            symbol.FullyConnected(state, self._hW, self._hB, num_hidden=rows, name=f"{name}h2h"),
        )


def take(weights: Weights, name: str) -> NDArray:
    """Remove an array from those by name. Raises `KeyError` if it is not there."""
    if name not in weights:
        raise UnknownNameError(
            f"{name}: the cell has a parameter of this name, and the dict has none. It must have those of "
            "every cell, packed for unpack_weights and unpacked for pack_weights."
        )
    return weights.pop(name)


def arrange(length: int, inputs: Any, layout: str, merge: bool | None) -> tuple[Any, int]:
    """A sequence as one symbol (`merge`), a list (not `merge`) or as it is (`None`), and its steps' axis."""
    if inputs is None:
        raise RequirementError("unroll: inputs are required, a symbol or a list of symbols, got None.")
    axis = layout.find("T")
    if isinstance(inputs, Symbol):
        if merge is not False:
            return inputs, axis
        if len(inputs.list_outputs()) != 1:
            raise RequirementError("unroll: a symbol with one output is required, or a list of them.")
        attributes: dict[str, Any] = {"num_outputs": length, "axis": axis, "squeeze_axis": 1}
        return list(symbol.split(inputs, **attributes)), axis
    if len(inputs) != length:
        raise RequirementError(f"unroll: a list of {length} inputs is required, got {len(inputs)}.")
    if merge:
        parts = [symbol.expand_dims(step, axis=axis) for step in inputs]
        return symbol.Concat(*parts, dim=axis), axis
    return inputs, axis
