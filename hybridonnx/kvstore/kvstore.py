"""Stores of arrays by key, which add up what is pushed: `mx.kv.create("local")`."""

from __future__ import annotations

from typing import Any

from ..errors import MXNetError, suggest
from .base import KVStoreBase
from .distributed import DistKVStore
from .store import KVStore

__all__ = ["KVStore", "create"]

_ALONE = ("local", "device", "local_update_cpu", "local_allreduce_cpu", "local_allreduce_device")
_TOGETHER = ("dist_sync", "dist_device_sync", "dist_sync_device", "dist")


def create(name: str = "local") -> Any:
    """A store of a type, or of a registered class.

    Args:
        name: "local" or "device", which are the same here; "dist_sync", "dist_device_sync" or "dist", which
            are, for several processes that `mpiexec` or `hybridonnx launch` has started; or a class's name.

    Raises:
        MXNetError: There is no such type; "dist_async" is none.
        RequirementError: mpi4py or an MPI is missing, which the extra `mpi` has.
    """
    if not isinstance(name, str):
        raise TypeError(f"create: name must be a string, got {type(name).__name__}.")
    if name.lower() in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[name.lower()]()
    if name.lower() in _ALONE:
        return KVStore(name.lower())
    if name.lower() in _TOGETHER:
        return DistKVStore(name.lower())
    _refuse_async(name.lower())
    raise MXNetError(
        f"kvstore.create: one of {', '.join((*_ALONE, *_TOGETHER))} is required, got {name!r}."
        f"{suggest(name, (*_ALONE, *_TOGETHER))}"
    )


def _refuse_async(kind: str) -> None:
    """Refuse stores whose workers do not wait for each other."""
    if "async" in kind:
        raise MXNetError(
            f"kvstore.create: {kind!r} is not supported: workers that do not wait for each other "
            "need servers, which MPI has none of. Use 'dist_sync', in which each step waits for all workers."
        )
