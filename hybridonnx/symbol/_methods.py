"""Operators as methods of symbols: `x.reshape(…)`, `x.sum(…)` and the others that MXNet gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ..dtypes import DTypeLike
from ..errors import NotImplementedForSymbol
from ..ops import FLUENT, FluentMethod, find, sections
from .compose import Outputs, call
from .frontend import frontend

if TYPE_CHECKING:
    from ._operator_methods import OperatorMethods  # a stub of what the end of this file adds
else:
    OperatorMethods = object


def _method(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: object, **kwargs: object) -> Any:
        return call(find(name), name, (self, *args), kwargs, type(self))

    method.__name__ = name
    method.__qualname__ = f"Symbol.{name}"
    method.__doc__ = f"The operator `{name}` with this symbol as its first input."
    return method


def _refused(name: str) -> Callable[..., NoReturn]:
    def method(self: Any, *args: object, **kwargs: object) -> NoReturn:
        raise NotImplementedForSymbol(
            f"Symbol.{name}: only arrays have values. Bind the symbol, or call eval, for its outputs."
        )

    method.__name__ = name
    method.__qualname__ = f"Symbol.{name}"
    method.__doc__ = "Refused: arrays have this, symbols do not."
    return method


def split(
    data: Outputs,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    squeeze_axis: bool = False,
    **kwargs: object,
) -> Any:
    """Parts of `data` along an axis: so many equal ones, or ones that begin at the given indices."""
    attributes = {**sections(indices_or_sections), "axis": axis, "squeeze_axis": squeeze_axis}
    return call(find("_split_v2"), "_split_v2", (data,), {**attributes, **kwargs}, type(data))


_cast = _method("cast")
_diag = _method("diag")
_expand_dims = _method("expand_dims")
_flatten = _method("flatten")
_reshape = _method("reshape")
_squeeze = _method("squeeze")
_transpose = _method("transpose")


class Methods(OperatorMethods):
    """What of the operators MXNet makes methods."""

    __slots__ = ()

    def astype(self, dtype: DTypeLike, **kwargs: object) -> Any:
        """The values converted to `dtype`."""
        return _cast(self, dtype=dtype, **kwargs)

    def reshape(self, *shape: int | Sequence[int], **kwargs: object) -> Any:
        """The same values in another shape, given as a tuple or as numbers."""
        if len(shape) > 1 and all(isinstance(size, int) for size in shape):
            return _reshape(self, shape, **kwargs)
        return _reshape(self, *shape, **kwargs)

    def transpose(self, *axes: int | Sequence[int], **kwargs: object) -> Any:
        """The axes in another order, reversed by default, given as a tuple or as numbers."""
        if len(axes) > 1 and all(isinstance(axis, int) for axis in axes):
            return _transpose(self, axes, **kwargs)
        return _transpose(self, *axes, **kwargs)

    def squeeze(
        self, axis: int | Sequence[int] | None = None, inplace: bool = False, **kwargs: object
    ) -> Any:
        """Without the axes of size 1, or those of them that are given; `inplace` has no effect."""
        return _squeeze(self, axis=axis, **kwargs)

    def flatten(self, inplace: bool = False, **kwargs: Any) -> Any:
        """As a matrix, with all axes but the first made one; `inplace` has no effect."""
        return _flatten(self, **kwargs)

    def expand_dims(self, axis: int, inplace: bool = False, **kwargs: Any) -> Any:
        """With a new axis of size 1; `inplace` has no effect."""
        return _expand_dims(self, axis=axis, **kwargs)

    def diag(self, k: int = 0, **kwargs: object) -> Any:
        """The diagonal of a matrix, or the matrix of a diagonal."""
        return _diag(self, k=k, **kwargs)

    def split_v2(
        self,
        indices_or_sections: int | Sequence[int],
        axis: int = 0,
        squeeze_axis: bool = False,
        **kwargs: object,
    ) -> Any:
        """Parts along an axis: so many equal ones, or ones that begin at the given indices."""
        return split(self, indices_or_sections, axis, squeeze_axis, **kwargs)  # type: ignore[arg-type]

    as_in_context = _refused("as_in_context")
    asnumpy = _refused("asnumpy")
    asscalar = _refused("asscalar")
    backward = _refused("backward")
    copy = _refused("copy")
    detach = _refused("detach")
    wait_to_read = _refused("wait_to_read")


_frontend = frontend(Outputs)  # methods return what they are called on
for _name in FLUENT:
    if _name not in vars(Methods):
        setattr(Methods, _name, FluentMethod(_name, Methods, _frontend))
