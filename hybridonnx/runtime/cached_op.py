"""`nd.CachedOp`: a Symbol as a function on arrays, for all of its variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..context import Context, current_context, device_of
from ..errors import MXNetError, suggest
from ..ndarray.ndarray import NDArray
from ..symbol.symbol import Symbol
from .compile import CompiledGraph
from .containers import boundary_of

__all__ = ["CachedOp"]

_FLAGS = (
    "backward_bulk_size",
    "data_indices",
    "forward_bulk_size",
    "inline_limit",
    "is_dynamic",
    "param_indices",
    "static_alloc",
    "static_shape",
)
"""What MXNet takes; two of them count here."""


class CachedOp:
    """A Symbol that is compiled once, and called with an array for each of `list_inputs`, in that order.

    Calls are recorded by autograd, and change auxiliary states when training, as those of a hybridized
    block do.
    """

    def __init__(self, sym: Symbol, flags: Sequence[tuple[str, Any]] | Mapping[str, Any] = ()) -> None:
        if not isinstance(sym, Symbol):
            raise MXNetError(f"CachedOp: a Symbol is required, got {type(sym).__name__}.")
        settings = dict(flags)
        for name in settings:
            if name not in _FLAGS:
                raise MXNetError(
                    f"CachedOp: flags among {', '.join(_FLAGS)} are required, got {name!r}."
                    f"{suggest(name, _FLAGS)}"
                )
        self._names = sym.list_inputs()
        self._boundary = boundary_of(sym, self._names)
        alloc, fixed = (str(settings.get(f"static_{what}", False)) for what in ("alloc", "shape"))
        self._compile = partial(CompiledGraph, sym, self._names, {}, alloc in _TRUE, fixed in _TRUE)
        self._graphs: dict[Any, CompiledGraph] = {}
        """The graph for each device, `None` being the processor."""

    def __call__(self, *args: NDArray, out: NDArray | Sequence[NDArray] | None = None) -> Any:
        """The output, or a list of several; with `out` they are written into its arrays."""
        if self._boundary is not None:
            args = tuple(self._boundary.enter(args))
        if len(args) != len(self._names) or not all(isinstance(a, NDArray) for a in args):
            listing = ", ".join(type(a).__name__ for a in args) or "none"
            raise MXNetError(
                f"CachedOp: arrays for {', '.join(self._names) or 'no input'} are required, got {listing}."
            )
        outputs = self._graph(args[0].context if args else current_context())(args)
        if out is None and self._boundary is not None:
            outputs = self._boundary.leave(outputs)
        if out is None:
            return outputs[0] if len(outputs) == 1 else outputs
        targets = [out] if isinstance(out, NDArray) else list(out)
        shapes = [y.shape for y in outputs]
        if [t.shape for t in targets] != shapes:
            raise MXNetError(
                f"CachedOp: out of shapes {shapes} is required, got {[t.shape for t in targets]}."
            )
        for target, y in zip(targets, outputs, strict=True):
            target._assign(y)
            if y._entry is not None:
                target._entry = y._entry
        return out

    def _graph(self, ctx: Context) -> CompiledGraph:
        """The graph for a context."""
        device = device_of(ctx)
        graph = self._graphs.get(device)
        if graph is None:
            graph = self._graphs[device] = self._compile(ctx=ctx)
        return graph


_TRUE = ("True", "true", "1")
