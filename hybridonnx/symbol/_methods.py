"""Operators as methods of symbols: `x.reshape(…)`, `x.sum(…)` and the others that MXNet gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..errors import NotImplementedForSymbol
from ..ops._registry import find
from ._compose import call


def _method(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(find(name), name, (self, *args), kwargs, type(self))

    method.__name__ = name
    method.__qualname__ = f"Symbol.{name}"
    method.__doc__ = f"The operator `{name}` with this symbol as its first input."
    return method


def _refused(name: str) -> Callable[..., NoReturn]:
    def method(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedForSymbol(
            f"Symbol.{name}: only arrays have values. Bind the symbol, or call eval, for its outputs."
        )

    method.__name__ = name
    method.__qualname__ = f"Symbol.{name}"
    method.__doc__ = "Refused: arrays have this, symbols do not."
    return method


def split(
    data: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False, **kwargs: Any
) -> Any:
    """Parts of `data` along an axis: so many equal ones, or ones that begin at the given indices."""
    if isinstance(indices_or_sections, int):
        indices, sections = [], indices_or_sections
    elif isinstance(indices_or_sections, tuple | list):
        indices, sections = [0, *indices_or_sections], 0
    else:
        raise ValueError(
            f"split_v2: a number of parts or a tuple of indices is required, got {indices_or_sections!r}."
        )
    told = {"indices": indices, "axis": axis, "squeeze_axis": squeeze_axis, "sections": sections}
    return call(find("_split_v2"), "_split_v2", (data,), {**told, **kwargs}, type(data))


_cast = _method("cast")
_diag = _method("diag")
_reshape = _method("reshape")
_squeeze = _method("squeeze")
_transpose = _method("transpose")


class Methods:
    """What of the operators MXNet makes methods."""

    __slots__ = ()

    def astype(self, dtype: Any, **kwargs: Any) -> Any:
        """The values converted to `dtype`."""
        return _cast(self, dtype=dtype, **kwargs)

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """The same values in another shape, given as a tuple or as numbers."""
        if len(shape) > 1 and all(isinstance(size, int) for size in shape):
            shape = (shape,)
        return _reshape(self, *shape, **kwargs)

    def transpose(self, *axes: Any, **kwargs: Any) -> Any:
        """The axes in another order, reversed by default, given as a tuple or as numbers."""
        if len(axes) > 1 and all(isinstance(axis, int) for axis in axes):
            axes = (axes,)
        return _transpose(self, *axes, **kwargs)

    def squeeze(self, axis: Any = None, **kwargs: Any) -> Any:
        """Without the axes of size 1, or those of them that are given."""
        return _squeeze(self, axis=axis, **kwargs)

    def diag(self, k: int = 0, **kwargs: Any) -> Any:
        """The diagonal of a matrix, or the matrix of a diagonal."""
        return _diag(self, k=k, **kwargs)

    def split_v2(
        self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False, **kwargs: Any
    ) -> Any:
        """Parts along an axis: so many equal ones, or ones that begin at the given indices."""
        return split(self, indices_or_sections, axis, squeeze_axis, **kwargs)

    abs = _method("abs")
    arccos = _method("arccos")
    arccosh = _method("arccosh")
    arcsin = _method("arcsin")
    arcsinh = _method("arcsinh")
    arctan = _method("arctan")
    arctanh = _method("arctanh")
    argmax = _method("argmax")
    argmax_channel = _method("argmax_channel")
    argmin = _method("argmin")
    argsort = _method("argsort")
    broadcast_axes = _method("broadcast_axes")
    broadcast_like = _method("broadcast_like")
    broadcast_to = _method("broadcast_to")
    cbrt = _method("cbrt")
    ceil = _method("ceil")
    clip = _method("clip")
    cos = _method("cos")
    cosh = _method("cosh")
    degrees = _method("degrees")
    depth_to_space = _method("depth_to_space")
    exp = _method("exp")
    expand_dims = _method("expand_dims")
    expm1 = _method("expm1")
    fix = _method("fix")
    flatten = _method("flatten")
    flip = _method("flip")
    floor = _method("floor")
    log = _method("log")
    log10 = _method("log10")
    log1p = _method("log1p")
    log2 = _method("log2")
    log_softmax = _method("log_softmax")
    max = _method("max")
    mean = _method("mean")
    min = _method("min")
    nanprod = _method("nanprod")
    nansum = _method("nansum")
    norm = _method("norm")
    one_hot = _method("one_hot")
    ones_like = _method("ones_like")
    pad = _method("pad")
    pick = _method("pick")
    prod = _method("prod")
    radians = _method("radians")
    rcbrt = _method("rcbrt")
    reciprocal = _method("reciprocal")
    relu = _method("relu")
    repeat = _method("repeat")
    reshape_like = _method("reshape_like")
    rint = _method("rint")
    round = _method("round")
    rsqrt = _method("rsqrt")
    shape_array = _method("shape_array")
    sigmoid = _method("sigmoid")
    sign = _method("sign")
    sin = _method("sin")
    sinh = _method("sinh")
    size_array = _method("size_array")
    slice = _method("slice")
    slice_axis = _method("slice_axis")
    slice_like = _method("slice_like")
    softmax = _method("softmax")
    softmin = _method("softmin")
    sort = _method("sort")
    space_to_depth = _method("space_to_depth")
    split = _method("split")
    sqrt = _method("sqrt")
    square = _method("square")
    sum = _method("sum")
    swapaxes = _method("swapaxes")
    take = _method("take")
    tan = _method("tan")
    tanh = _method("tanh")
    tile = _method("tile")
    topk = _method("topk")
    trunc = _method("trunc")
    zeros_like = _method("zeros_like")

    as_in_context = _refused("as_in_context")
    asnumpy = _refused("asnumpy")
    asscalar = _refused("asscalar")
    backward = _refused("backward")
    copy = _refused("copy")
    detach = _refused("detach")
    wait_to_read = _refused("wait_to_read")
