"""Symbols of mx.np: NumPy's operators, methods and indexing on graphs, and `F.np` in hybrid blocks."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..attrs import ShapeLike
from ..dtypes import DTypeLike, as_dtype
from ..errors import NotImplementedForSymbol
from ..faces import NUMPY_OVERLOADS, Extension, Functions, method, shape_of
from ..ops import FLUENT, describe, find, is_number
from .compose import call as compose_call
from .frontend import frontend
from .symbol import Symbol

if TYPE_CHECKING:
    from ._np_methods import NumpyMethods  # a stub of what this file adds
else:
    NumpyMethods = Symbol

_BINARY = ("add", "sub", "mul", "truediv", "mod", "pow")
_COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")


class _Symbol(NumpyMethods):
    """Some outputs of a graph of operators on variables, with NumPy's operators and methods."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    _broadcasts = True

    def as_np_ndarray(self) -> _Symbol:
        """The symbol itself."""
        return self

    def as_nd_ndarray(self) -> Any:
        """The same outputs as a symbol of `mx.sym`."""
        return Symbol(self.outputs)

    def __getitem__(self, key: Any) -> Any:
        """An output by its number or name if there are several; else a part of the array."""
        if len(self.outputs) > 1 or isinstance(key, str):
            return super().__getitem__(key)
        if isinstance(key, tuple):
            return _part(self, key, reshaped=len(key) > 0)
        return _part(self, (key,), reshaped=isinstance(key, int | np.integer))

    def __iter__(self) -> Any:
        return (type(self)([entry]) for entry in self.outputs)

    def astype(self, dtype: DTypeLike, **kwargs: object) -> Any:
        """The values as another dtype."""
        return call("Cast", self, dtype=as_dtype(dtype).name)

    def reshape(self, *args: Any, **kwargs: Any) -> Any:
        """The elements in another shape."""
        newshape = kwargs.pop("newshape", args[0] if len(args) == 1 else args)
        return FUNCTIONS.reshape(self, newshape, **kwargs)

    def flatten(self, order: str = "C", **_: Any) -> Any:  # type: ignore[override]
        """The elements as a vector."""
        return FUNCTIONS.reshape(self, (-1,), order)

    def transpose(self, *axes: Any, **_: Any) -> Any:
        """The axes in another order, reversed by default."""
        order = axes[0] if len(axes) == 1 and not hasattr(axes[0], "__index__") else axes
        return FUNCTIONS.transpose(self, tuple(order) if order else None)

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return FUNCTIONS.transpose(self)

    def squeeze(self, axis: Any = None, **_: Any) -> Any:  # type: ignore[override]
        """Without axes of size 1."""
        return FUNCTIONS.squeeze(self, axis)

    def sum(  # type: ignore[override]
        self,
        axis: Any = None,
        dtype: DTypeLike | None = None,
        out: object = None,
        keepdims: bool = False,
    ) -> Any:
        """The sum of the elements along some axes."""
        return FUNCTIONS.sum(self, axis, dtype, keepdims)

    def max(self, axis: Any = None, out: object = None, keepdims: bool = False) -> Any:  # type: ignore[override]
        """The largest element along some axes."""
        return FUNCTIONS.max(self, axis, keepdims)

    def min(self, axis: Any = None, out: object = None, keepdims: bool = False) -> Any:  # type: ignore[override]
        """The smallest element along some axes."""
        return FUNCTIONS.min(self, axis, keepdims)

    def clip(self, min: float | None = None, max: float | None = None, out: object = None) -> Any:  # type: ignore[override]
        """The elements within limits."""
        return FUNCTIONS.clip(self, min, max)

    def __neg__(self) -> Any:
        return call("_npi_multiply_scalar", self, scalar=-1.0, is_int=False)

    def __abs__(self) -> Any:
        return call("_npi_absolute", self)

    def __invert__(self) -> Any:
        return call("_npi_bitwise_not", self)

    def __matmul__(self, other: Any) -> Any:
        return call("_npi_matmul", self, other)

    def __and__(self, other: Any) -> Any:
        return FUNCTIONS.binary("and", self, other)

    def __or__(self, other: Any) -> Any:
        return FUNCTIONS.binary("or", self, other)

    def __xor__(self, other: Any) -> Any:
        return FUNCTIONS.binary("xor", self, other)

    def _combined(self, what: str, lhs: object, rhs: object) -> Any:
        if what not in NUMPY_OVERLOADS:
            return super()._combined(what, lhs, rhs)
        for side in (lhs, rhs):
            if not isinstance(side, _Symbol) and not is_number(side):
                raise TypeError(
                    f"Symbol: symbols of mx.np and numbers are required, got {type(side).__name__}."
                )
        return FUNCTIONS.binary(what, lhs, rhs)


def _part(symbol: _Symbol, key: tuple[Any, ...], reshaped: bool) -> Any:
    """What a basic index selects; an ellipsis may stand at the end alone, as ranks are not known.

    With `reshaped` it is reshaped, as MXNet does for every tuple.
    """
    parts = key[:-1] if key and key[-1] is Ellipsis else key
    begin: list[Any] = []
    end: list[Any] = []
    step: list[Any] = []
    codes: list[int] = []
    new: list[int] = []
    for place, part in enumerate(parts):
        if part is None:
            new.append(place - sum(isinstance(p, int | np.integer) for p in parts[:place]))
        elif isinstance(part, int | np.integer):
            begin.append(int(part))
            end.append(int(part) + 1 if part != -1 else None)
            step.append(None)
            codes.append(-3)
        elif isinstance(part, slice):
            begin.append(part.start)
            end.append(part.stop)
            step.append(part.step)
            codes.append(-2)
        else:
            raise NotImplementedForSymbol(
                f"Symbol[…]: integers, slices, None and an ellipsis at the end are required, got {part!r}. "
                "Use take or gather_nd for arrays of indices."
            )
    if any(bound is not None for bound in (*begin, *end, *step)):
        steps = {"step": tuple(step)} if any(s is not None for s in step) else {}
        symbol = call("slice", symbol, begin=tuple(begin), end=tuple(end), **steps)
    if reshaped and codes:
        symbol = call("_npx_reshape", symbol, newshape=(*codes, -4))
    for axis in new:
        symbol = call("expand_dims", symbol, axis=axis)
    return symbol


def call(operator: str, /, *inputs: Any, out: Any = None, name: Any = None, **attributes: Any) -> Any:
    """An operator on symbols of mx.np; `name` is the node's."""
    for x in inputs:
        if not isinstance(x, _Symbol):
            raise TypeError(
                f"{operator}: symbols of mx.np are required, got {type(x).__name__}. Use as_np_ndarray."
            )
    if out is not None:
        raise NotImplementedForSymbol(f"{operator}: out of None is required, as symbols hold no memory.")
    cls = find(operator)
    schema = cls.schema()
    if "is_int" in schema and "is_int" not in attributes:
        attributes["is_int"] = isinstance(attributes["scalar"], int | np.integer)
    if "scalar" in attributes:
        attributes["scalar"] = float(attributes["scalar"])
    if cls.variadic:
        attributes[cls.variadic] = cls.count_of(len(inputs))
    given = {k: v for k, v in attributes.items() if v is not None or schema[k].default is not None}
    for key in _PLAIN_IF_SINGLE:
        if isinstance(given.get(key), tuple) and len(given[key]) == 1:
            given[key] = given[key][0]
    result = compose_call(cls, _hint(operator), inputs, {**given, "name": name}, _Symbol)
    return [*result] if len(result.outputs) > 1 and operator in _LISTS else result


def _hint(name: str) -> str:
    """What results that have no name are named by."""
    for prefix in ("_npi_", "_npx_", "_np_"):
        name = name.removeprefix(prefix)
    return name


_PLAIN_IF_SINGLE = ("axis", "shift", "source", "destination")
"""Attributes that files have as a number if it is only one, as MXNet writes them."""
_LISTS = ("_split_v2", "_npi_hsplit", "_npi_dsplit", "_np_atleast_1d", "_np_atleast_2d", "_np_atleast_3d")
"""Operators whose outputs are a list."""


class SymbolFunctions(Functions[_Symbol]):
    """NumPy's functions on symbols."""

    def nonzero(self, a: _Symbol) -> NoReturn:
        """Refused: how many elements are not zero is not known before there are values."""
        raise NotImplementedForSymbol("nonzero: arrays are required, as the size of the result is not known.")

    def diag_indices_from(self, arr: _Symbol) -> _Symbol:
        """The indices of the main diagonal of an array whose axes have one size, a row for each axis."""
        indices: _Symbol = call("_npi_diag_indices_from", arr)
        return indices

    def unravel_index(self, indices: _Symbol, shape: ShapeLike, order: str = "C") -> _Symbol:
        """The index along each axis, as rows, of what has an index in the array laid out flat."""
        if order != "C":
            raise NotImplementedError(f"unravel_index: order 'C' is required, got {order!r}.")
        rows = call("_unravel_index", self.ravel(indices), shape=shape_of(shape))
        return self.stack([call("reshape_like", rows[i], indices) for i in range(len(shape_of(shape)))])

    def resize(self, a: _Symbol, new_shape: ShapeLike) -> _Symbol:
        """The elements in another shape, repeated or cut off as it needs."""
        shape = shape_of(new_shape)
        places = self.arange(prod(shape), dtype="int64")
        return self.reshape(self.take(self.ravel(a), places, axis=0, mode="wrap"), shape)

    def histogram(
        self,
        a: _Symbol,
        bins: _Symbol | int = 10,
        range: tuple[float, float] | None = None,
        normed: bool | None = None,
        weights: _Symbol | None = None,
        density: bool | None = None,
    ) -> list[_Symbol]:
        """How many elements lie in each bin, and the bins' edges."""
        if normed or weights is not None or density:
            raise NotImplementedError("histogram: normed, weights and density of None are required.")
        if isinstance(bins, _Symbol):
            return [*call("_histogram", a, bins)]
        if not isinstance(bins, int | np.integer) or range is None:
            raise NotImplementedError(
                "histogram: a symbol of the bins' edges, or a number of bins and a range are required, got "
                f"bins={bins!r} and range={range}."
            )
        return [*call("_histogram", a, bin_cnt=int(bins), range=range)]

    def may_share_memory(self, a: _Symbol, b: _Symbol, max_work: int | None = None) -> NoReturn:
        """Refused: symbols hold no memory."""
        raise NotImplementedForSymbol("may_share_memory: arrays are required, as symbols hold no memory.")

    shares_memory = may_share_memory


FUNCTIONS: Any = SymbolFunctions(call)


for (
    _name
) in "all any argmax argmin argsort cumsum dot mean prod repeat round sort std swapaxes take var".split():
    setattr(_Symbol, _name, method(FUNCTIONS, _name, "_Symbol"))


class _Absent:
    """A method of `mx.sym.Symbol` that symbols of mx.np lack."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError(
            f"_Symbol object has no attribute {self._name}. Use F.np.{self._name} or F.npx.{self._name}."
        )


for _name in FLUENT:
    if _name not in vars(_Symbol):
        setattr(_Symbol, _name, _Absent(_name))


def as_np(symbol: Any) -> Any:
    """The outputs as a symbol of mx.np."""
    return _Symbol(symbol.outputs) if isinstance(symbol, Symbol) else symbol


_FRONTEND = frontend(_Symbol)


def operators(name: str) -> Callable[..., Any]:
    """An operator as a function on symbols of mx.np, called as users write it."""
    function = _FRONTEND.function(find(name), _hint(name))
    describe(function, find(name), _FRONTEND.usage)
    function.__name__ = function.__qualname__ = name
    return function


EXTENSION: Extension[_Symbol] = Extension(operators)
