"""The values of a module's parameters and auxiliary states, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import autograd
from ..dtypes import as_dtype
from ..errors import RequirementError, ShapeError, suggest
from ..ndarray.creation import array
from ..ndarray.ndarray import NDArray
from ..ops import Spec, show
from ..symbol.storage import StorageTypes
from ..symbol.symbol import Symbol
from .base_module import Params


class Parameters:
    """Arrays by name: of the parameters `names` and the auxiliary states `aux_names`.

    Those without values, such as labels, stay `open`: they are zeros, of the shape that a batch asks for.
    """

    def __init__(self, symbol: Symbol, names: Sequence[str], aux_names: Sequence[str]) -> None:
        self._symbol = symbol
        self._names = [*names, *aux_names]
        self.values: Params = {}
        self.grads: Params = {}
        self.open: frozenset[str] = frozenset()
        self.stale: set[str] = set()
        """The row-sparse ones that a store has updated, of which the arrays here have only some rows."""

    def own(self) -> Params:
        """The values of this symbol's parameters; those of other modules may be beside them."""
        return {name: self.values[name] for name in self._names if name in self.values}

    def labels(self) -> set[str]:
        """The variables that only training uses."""
        names = set()
        for node in self._symbol.nodes():
            if not node.is_variable and node.op.labels:
                for entry, name in zip(node.inputs, node.op.input_names(), strict=False):
                    if entry.node.is_variable and name in node.op.labels:
                        names.add(entry.node.name)
        return names

    def refuse_extra(self, values: Mapping[str, Any]) -> None:
        """Raise if there are values of other names."""
        extra = [name for name in values if name not in self._names]
        if extra:
            raise ValueError(
                f"Module.set_params: {extra[0]} is no parameter of the symbol."
                f"{suggest(extra[0], self._names)} allow_extra=True passes over others."
            )

    def fit(
        self,
        values: Mapping[str, Any],
        others: Params,
        specs: Mapping[str, Spec],
        owner: str,
        allow_missing: bool = False,
    ) -> Params:
        """The values, or else the `others`, that fit the specs; what neither has may be left open."""
        params: Params = {}
        missing = set()
        labels = self.labels()
        for name in self._names:
            if name in values:
                params[name] = checked(name, values[name], specs, owner)
            elif name in others:
                params[name] = others[name]
            elif allow_missing or name in labels:
                missing.add(name)
            else:
                raise RuntimeError(
                    f"Module.{owner}: a value of the parameter {name} is required.{suggest(name, values)} "
                    "allow_missing=True passes over those that are missing."
                )
        self.open = frozenset(missing)
        return params

    def store(
        self,
        values: Params,
        specs: Mapping[str, Spec],
        storage: StorageTypes,
        zeros: Callable[[str], NDArray],
        anew: bool,
    ) -> bool:
        """Copy values into the arrays, which executors and other modules use as well; `anew` into new ones.

        Whether there are new ones, which are what `zeros` gives for a name, filled.
        """
        replaced = False
        for name, value in values.items():
            target = self.values.get(name)
            kind = value.shape, specs[name].dtype, storage.of(name)
            if target is None or anew or kind != (target.shape, as_dtype(target.dtype), target.stype):
                target = self.values[name] = zeros(name)
                replaced = True
            if target is not value:
                with autograd.pause():
                    target[:] = value.as_in_context(target.context)
            self.stale.discard(name)
        return replaced

    def share(self, other: Parameters, specs: Mapping[str, Spec]) -> None:
        """Use the arrays of another module, and their gradients."""
        for name in self._names:
            value = other.values.get(name)
            if value is None and name not in other.open:
                raise RequirementError(f"Module.bind: shared_module has no parameter {name}.")
            if value is not None and value.shape != specs[name].shape:
                raise ShapeError(
                    f"Module.bind: shape {show(specs[name].shape)} is required for {name}, "
                    f"shared_module has {show(value.shape)}."
                )
        self.values, self.grads = other.values, other.grads
        self.open, self.stale = other.open, other.stale


def checked(name: str, value: Any, specs: Mapping[str, Spec], owner: str) -> NDArray:
    """A value as an array, which fits the parameter's shape."""
    x = as_array(value)
    if x.shape != specs[name].shape:
        raise ShapeError(
            f"Module.{owner}: shape {show(specs[name].shape)} is required for {name}, got {show(x.shape)}."
        )
    return x


def as_array(value: Any) -> NDArray:
    """An array, made of other values."""
    return value if isinstance(value, NDArray) else array(value)
