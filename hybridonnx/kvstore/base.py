"""What stores of arrays do, for those that users write: `KVStoreBase.register`."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from .._lazy import lazy_package as _lazy_package
from ..errors import AttributeValueError
from ..formats.files import PathLike
from ..ndarray.ndarray import NDArray
from ..typing import Arrays

__all__ = ["KVStoreBase", "TestStore"]

__getattr__, __dir__ = _lazy_package(__name__, single={"create": "..kvstore"})

_Class = TypeVar("_Class", bound=type)


class KVStoreBase:
    """What a `Trainer` asks of a store: copies of arrays for all contexts, and sums over them."""

    OPTIMIZER = "optimizer"
    """The capability of updating what is stored."""
    kv_registry: ClassVar[dict[str, Any]] = {}
    """The registered classes by name."""

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copy a worker's array into `out` everywhere."""
        raise self._undefined("broadcast")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Add up arrays over contexts and workers, into `out` or in place."""
        raise self._undefined("pushpull")

    def set_optimizer(self, optimizer: Any) -> None:
        """Let pushes be gradients that update what is stored."""
        raise self._undefined("set_optimizer")

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Whether the store can do that, such as `OPTIMIZER`."""
        raise NotImplementedError("KVStoreBase: is_capable must be defined.")

    def save_optimizer_states(self, fname: PathLike, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states as a file."""
        raise self._undefined("save_optimizer_states")

    def load_optimizer_states(self, fname: PathLike) -> None:
        """Continue from the states of a file."""
        raise self._undefined("load_optimizer_states")

    @property
    def type(self) -> str:
        """The name it was created by."""
        raise self._undefined("type")

    @property
    def rank(self) -> int:
        """The number of this worker."""
        raise self._undefined("rank")

    @property
    def num_workers(self) -> int:
        """The number of workers."""
        raise self._undefined("num_workers")

    def _undefined(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}: {name} must be defined.")

    @staticmethod
    def register(klass: _Class) -> _Class:
        """A class's name, in lower case, for `kv.create`; the class itself."""
        KVStoreBase.kv_registry[klass.__name__.lower()] = klass
        return klass


@KVStoreBase.register
class TestStore(KVStoreBase):
    """A store that keeps nothing: it copies and adds up, in this process."""

    __test__ = False
    """It is no test of pytest's."""

    def broadcast(self, key: Any, value: Arrays, out: Arrays, priority: int = 0) -> None:
        """Copy an array into each of `out`."""
        for target in _listed(out):
            target[:] = _listed(value)[0]

    def pushpull(self, key: Any, value: Arrays, out: Arrays | None = None, priority: int = 0) -> None:
        """Add up arrays into each of `out`, or of themselves."""
        first, *others = _listed(value)
        total = first.copy()
        for other in others:
            total += other.as_in_context(total.context)
        for target in _listed(value if out is None else out):
            target[:] = total

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Whether it can update what is stored, the one capability that is known: no."""
        require_known(capability)
        return False

    @property
    def type(self) -> str:
        """The name it was created by."""
        return "teststore"

    @property
    def rank(self) -> int:
        """The number of this worker: 0."""
        return 0

    @property
    def num_workers(self) -> int:
        """The number of workers: 1."""
        return 1


def require_known(capability: str) -> None:
    """Refuse what no store tells of itself."""
    if capability.lower() != KVStoreBase.OPTIMIZER:
        raise AttributeValueError(f"is_capable: {KVStoreBase.OPTIMIZER!r} is required, got {capability!r}.")


def _listed(arrays: Arrays) -> list[NDArray]:
    return list(arrays) if isinstance(arrays, list | tuple) else [arrays]  # type: ignore[list-item]
