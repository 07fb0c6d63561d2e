"""Devices: `cpu()`, `gpu(i)` and the scope that says which one is current."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

from ._scopes import Innermost, Scope
from .errors import MXNetError

__all__ = ["Context", "cpu", "cpu_pinned", "current_context", "gpu", "gpu_memory_info", "num_gpus"]


class _HasDefault(type):
    """Gives the class `Context` its attribute `default_ctx`."""

    @property
    def default_ctx(cls) -> Context:
        """The context of the innermost `with` block of this thread.

        What is set stays until the end of that block; outside of any it is the default of all threads.
        """
        return current_context()

    @default_ctx.setter
    def default_ctx(cls, ctx: Context) -> None:
        ctx = as_context(ctx)
        inner = Context._scopes.innermost
        if inner is not None:
            Context._scopes.innermost = inner[0], ctx, inner[2]
        else:
            set_default(ctx)


class Context(Scope, metaclass=_HasDefault):
    """A device that arrays live on; as a `with` block it is the default for arrays made inside."""

    devtype2str: ClassVar[dict[int, str]] = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type: ClassVar[dict[str, int]] = {name: code for code, name in devtype2str.items()}
    _scopes: ClassVar[Innermost] = Innermost()

    __slots__ = ("device_id", "device_typeid")

    device_typeid: int
    device_id: int

    def __init__(self, device_type: str | Context, device_id: int = 0) -> None:
        if isinstance(device_type, Context):
            self.device_typeid, self.device_id = device_type.device_typeid, device_type.device_id
            return
        if device_type not in self.devstr2type:
            raise MXNetError(
                f"Context: one of {', '.join(self.devstr2type)} is required, got {device_type!r}."
            )
        self.device_typeid = self.devstr2type[device_type]
        self.device_id = int(device_id)

    def __getstate__(self) -> dict[str, int]:
        """What copies and other processes receive."""
        return {"device_typeid": self.device_typeid, "device_id": self.device_id}

    def __setstate__(self, state: dict[str, int]) -> None:
        """Take what copies and other processes receive, or what is in a pickle that MXNet wrote."""
        self.device_typeid, self.device_id = state["device_typeid"], state["device_id"]

    @property
    def device_type(self) -> str:
        """The name of the kind of device."""
        return self.devtype2str[self.device_typeid]

    def __hash__(self) -> int:
        return hash((self.device_typeid, self.device_id))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Context)
            and self.device_typeid == other.device_typeid
            and self.device_id == other.device_id
        )

    def __str__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def __enter__(self) -> Context:
        self._scopes.innermost = self, self, self._scopes.innermost
        return self

    def empty_cache(self) -> None:
        """Nothing: memory that arrays no longer use is returned at once."""


_default = Context("cpu", 0)


def set_default(ctx: Context) -> None:
    """Set what `current_context` is outside of any `with` block, in all threads."""
    global _default
    _default = ctx


def current_context() -> Context:
    """The context of the innermost `with` block of this thread; outside of any the default, `cpu(0)`."""
    inner = Context._scopes.innermost
    return inner[1] if inner is not None else _default


def cpu(device_id: int = 0) -> Context:
    """The processor; `device_id` is a label without effect."""
    return Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """The processor, in MXNet with page-locked memory; here the same as `cpu()`."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """The GPU number `device_id`."""
    return Context("gpu", device_id)


def as_context(ctx: Any) -> Context:
    """`ctx` itself, or the current context for `None`. Raises `MXNetError` for anything else."""
    if ctx is None:
        return current_context()
    if isinstance(ctx, Context):
        return ctx
    raise MXNetError(f"ctx: a Context such as mx.cpu() is required, got {ctx!r}.")


def usable(ctx: Context) -> Context:
    """The context, if arrays can live there. Raises `MXNetError` if not."""
    if ctx.device_typeid == GPU and not 0 <= ctx.device_id < num_gpus():
        raise MXNetError(
            f"{ctx}: a GPU is required, got number {ctx.device_id} of {num_gpus()}. Use mx.cpu(), or see "
            "`hybridonnx doctor`."
        )
    return ctx


GPU = Context.devstr2type["gpu"]
"""The number of the kind of device whose arrays are not in NumPy's memory."""


def _devices() -> Any:
    """The module that knows the GPUs, which stands above this one."""
    return import_module(f"{__package__}.runtime.device")


def share_memory(first: Context, second: Context) -> bool:
    """Whether what runs on one context takes arrays of the other: all do that are no GPUs."""
    return GPU not in (first.device_typeid, second.device_typeid) or first == second


def device_of(ctx: Context) -> Any:
    """The device of a context; `None` of the processor."""
    return _devices().device(usable(ctx).device_id) if ctx.device_typeid == GPU else None


def num_gpus() -> int:
    """The number of GPUs that arrays can live on."""
    number: int = _devices().count()
    return number


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Free and total memory of a GPU, in bytes.

    Args:
        device_id: The GPU's number.

    Returns:
        Both.

    Raises:
        MXNetError: If there is no such GPU.
    """
    sizes: tuple[int, int] = device_of(gpu(device_id)).memory()
    return sizes
