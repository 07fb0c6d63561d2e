"""Parameters on several devices: the store that sums their gradients, for modules that users wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import ArgumentError
from ..ndarray.ndarray import NDArray
from .base import KVStoreBase, create

__all__ = ["create_kvstore", "initialize_kvstore", "update_params", "update_params_on_kvstore"]

_LARGE = 16 * 2**20
"""A parameter of more elements is not updated where "local" stores it."""

Arrays = Sequence[Sequence[Any]]
"""For each parameter, an array on each device."""


def create_kvstore(
    kvstore: KVStoreBase | str | None, num_device: int, arg_params: Mapping[str, NDArray]
) -> tuple[Any, bool]:
    """A store, if one is needed, and whether it updates the parameters.

    Args:
        kvstore: A store, or the name of its kind, of which one device needs none.
        num_device: The number of devices.
        arg_params: The parameters by name.

    Raises:
        TypeError: It is something else.
    """
    if isinstance(kvstore, KVStoreBase):
        return kvstore, kvstore.is_capable(KVStoreBase.OPTIMIZER)
    if not isinstance(kvstore, str | None):
        raise ArgumentError(f"a KVStore, its name or None is required as kvstore, got {kvstore!r}.")
    if kvstore is None or (num_device == 1 and "dist" not in kvstore):
        return None, False
    store = create(kvstore)
    large = kvstore == "local" and max(x.size for x in arg_params.values()) > _LARGE
    return store, not large and store.is_capable(KVStoreBase.OPTIMIZER)


def initialize_kvstore(
    kvstore: Any,
    param_arrays: Arrays,
    arg_params: Mapping[str, NDArray],
    param_names: Sequence[str],
    update_on_kvstore: bool,
) -> None:
    """Store the parameters; those that the store updates are copied to the devices."""
    for name, arrays in zip(param_names, param_arrays, strict=False):
        if update_on_kvstore and arg_params[name].stype == "default":
            kvstore.broadcast(name, arg_params[name], out=arrays)
        else:
            kvstore.init(name, arg_params[name])


def update_params_on_kvstore(
    param_arrays: Arrays, grad_arrays: Arrays, kvstore: Any, param_names: Sequence[str]
) -> None:
    """Give the store the gradients, and fetch the parameters that it updates."""
    _exchange(param_arrays, grad_arrays, param_arrays, kvstore, param_names)


def update_params(
    param_arrays: Arrays,
    grad_arrays: Arrays,
    updater: Callable[[Any, Any, Any], object],
    num_device: int,
    kvstore: Any = None,
    param_names: Sequence[str] | None = None,
) -> None:
    """Update the parameters of each device, by gradients that a store has summed if there is one."""
    if kvstore:
        assert param_names is not None  # stores know parameters by them
        _exchange(param_arrays, grad_arrays, grad_arrays, kvstore, param_names)
    for device in range(num_device):
        found = [
            (i * num_device + device, gradients[device], arrays[device])
            for i, (arrays, gradients) in enumerate(zip(param_arrays, grad_arrays, strict=False))
            if gradients[0] is not None
        ]
        if found:
            updater(*map(list, zip(*found, strict=True)))


def _exchange(
    param_arrays: Arrays, grad_arrays: Arrays, targets: Arrays, kvstore: Any, names: Sequence[str]
) -> None:
    """Give a store the gradients that there are, and fetch what it has into the targets."""
    rows = zip(names, param_arrays, grad_arrays, targets, strict=False)
    for i, (name, arrays, gradients, target) in enumerate(rows):
        if gradients[0] is None:
            continue
        if gradients[0].stype == arrays[0].stype == "default":
            kvstore.pushpull(name, gradients, out=target, priority=-i)
        else:
            kvstore.push(name, gradients, priority=-i)
            kvstore.pull(name, out=target, priority=-i)
