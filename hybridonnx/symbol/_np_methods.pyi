# Written by scripts/stubs; do not edit.
from typing import Any
from ..context import Context
from ..dtypes import DTypeLike
from ..faces import Axes, Name
from .np_symbol import _Symbol
from .symbol import Symbol

# mypy: disable-error-code="override"
class NumpyMethods(Symbol):
    __slots__ = ()
    def all(
        self,
        axis: Axes = None,
        keepdims: bool = False,
        out: _Symbol | None = None,
        name: Name = None,
    ) -> _Symbol:
        """`mx.np.all` of this symbol."""
        ...
    def any(
        self,
        axis: Axes = None,
        keepdims: bool = False,
        out: _Symbol | None = None,
        name: Name = None,
    ) -> _Symbol:
        """`mx.np.any` of this symbol."""
        ...
    def argmax(self, axis: int | None = None, out: _Symbol | None = None) -> _Symbol:
        """`mx.np.argmax` of this symbol."""
        ...
    def argmin(self, axis: int | None = None, out: _Symbol | None = None) -> _Symbol:
        """`mx.np.argmin` of this symbol."""
        ...
    def argsort(self, axis: int | None = -1, kind: str | None = None, order: object = None) -> _Symbol:
        """`mx.np.argsort` of this symbol."""
        ...
    def cumsum(
        self,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: _Symbol | None = None,
        name: Name = None,
    ) -> _Symbol:
        """`mx.np.cumsum` of this symbol."""
        ...
    def dot(self, b: _Symbol, out: _Symbol | None = None, name: Name = None) -> _Symbol:
        """`mx.np.dot` of this symbol."""
        ...
    def mean(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: _Symbol | None = None,
        keepdims: bool = False,
    ) -> _Symbol:
        """`mx.np.mean` of this symbol."""
        ...
    def prod(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: _Symbol | None = None,
        keepdims: bool = False,
        name: Name = None,
    ) -> _Symbol:
        """`mx.np.prod` of this symbol."""
        ...
    def repeat(
        self,
        repeats: int,
        axis: int | None = None,
        out: _Symbol | None = None,
        name: Name = None,
    ) -> _Symbol:
        """`mx.np.repeat` of this symbol."""
        ...
    def round(self, decimals: int = 0, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
        """`mx.np.round` of this symbol."""
        ...
    def sort(self, axis: int | None = -1, kind: str | None = None, order: object = None) -> _Symbol:
        """`mx.np.sort` of this symbol."""
        ...
    def std(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: _Symbol | None = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> _Symbol:
        """`mx.np.std` of this symbol."""
        ...
    def swapaxes(self, axis1: int, axis2: int) -> _Symbol:
        """`mx.np.swapaxes` of this symbol."""
        ...
    def take(
        self,
        indices: _Symbol,
        axis: int | None = None,
        mode: str = 'raise',
        out: _Symbol | None = None,
    ) -> _Symbol:
        """`mx.np.take` of this symbol."""
        ...
    def var(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: _Symbol | None = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> _Symbol:
        """`mx.np.var` of this symbol."""
        ...
    def optimize_for(
        self,
        backend: str,
        args: Any = None,
        aux: Any = None,
        ctx: Context | None = None,
        **kwargs: object,
    ) -> _Symbol:
        """The symbol itself, as in MXNet for a backend without a pass over graphs: none has one here."""
        ...
    def get_backend_symbol(self, backend: str) -> _Symbol:
        """Refused, as in MXNet for a backend that it does not know: there is none here."""
        ...
