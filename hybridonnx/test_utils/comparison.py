"""Arrays compared, with tolerances by their dtypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..symbol.symbol import Symbol
from ..typing import ArrayLike, DTypeLike

__all__ = [
    "almost_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err",
    "checkShapes",
    "compare_ndarray_tuple",
    "compare_optimizer",
    "default_atols",
    "default_numeric_eps",
    "default_rtols",
    "effective_dtype",
    "get_atol",
    "get_etol",
    "get_rtol",
    "get_tolerance",
    "get_tols",
    "locationError",
    "same",
    "same_array",
    "same_symbol_structure",
]

Tolerance: TypeAlias = float | Mapping[Any, float] | None
"""A number, a dict of numbers by dtype, or `None` for the default."""

_EXACT = ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64")


def _by_dtype(float16: float, float32: float, float64: float, exact: bool = True) -> dict[Any, float]:
    table = {"float16": float16, "float32": float32, "float64": float64}
    if exact:
        table |= dict.fromkeys(_EXACT, 0)
    return {np.dtype(name): value for name, value in table.items()}


def default_rtols() -> dict[Any, float]:
    """The relative tolerances by dtype."""
    return _by_dtype(1e-2, 1e-4, 1e-5)


def default_atols() -> dict[Any, float]:
    """The absolute tolerances by dtype."""
    return _by_dtype(1e-1, 1e-3, 1e-20)


def default_numeric_eps() -> dict[Any, float]:
    """The steps of differences by dtype, powers of 2."""
    return _by_dtype(2.0**-6, 2.0**-9, 2.0**-14, exact=False)


def get_tolerance(dat: Any, tol: Tolerance, default_tol: Mapping[Any, float]) -> float:
    """The tolerance for an array: `tol`, what a dict says of its dtype, or the default of its dtype."""
    if isinstance(tol, int | float):
        return tol
    dtype = effective_dtype(dat)
    table = default_tol if tol is None else tol
    if dtype in table:
        return table[dtype]
    return table.get(dtype.type, 0) if tol is not None else 0


def effective_dtype(dat: Any) -> np.dtype[Any]:
    """The dtype that an array was computed in: its own, as nothing here computes in less."""
    dtype: np.dtype[Any] = np.dtype(dat.dtype)
    return dtype


def _or_default(tol: Any, default: Mapping[Any, float], dtype: Any) -> Any:
    return default.get(np.dtype(dtype), 0) if tol is None else tol


def get_atol(atol: Tolerance = None, dtype: DTypeLike = np.float64) -> Any:
    """`atol`, or the default of the dtype."""
    return _or_default(atol, default_atols(), dtype)


def get_rtol(rtol: Tolerance = None, dtype: DTypeLike = np.float64) -> Any:
    """`rtol`, or the default of the dtype."""
    return _or_default(rtol, default_rtols(), dtype)


def get_etol(etol: float | None = None) -> float:
    """The share of elements that may differ, 0 where nothing is said."""
    return 0 if etol is None else etol


def get_tols(x: ArrayLike, y: ArrayLike, rtol: Tolerance, atol: Tolerance) -> tuple[float, float]:
    """The relative and the absolute tolerance for two arrays, the larger one of their dtypes'."""
    pair = [a if hasattr(a, "dtype") else np.array(a) for a in (x, y)]
    pair = [np.zeros(0) if np.isscalar(a) else b for a, b in zip((x, y), pair, strict=True)]
    return (
        max(get_tolerance(a, rtol, default_rtols()) for a in pair),
        max(get_tolerance(a, atol, default_atols()) for a in pair),
    )


def _values(a: Any) -> Any:
    return a.asnumpy() if isinstance(a, NDArray) else a


def same(a: ArrayLike, b: ArrayLike) -> bool:
    """Whether two arrays have the same shape and elements."""
    return np.array_equal(_values(a), _values(b))


def almost_equal(
    a: ArrayLike,
    b: ArrayLike,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """Whether two arrays are equal within tolerances.

    Args:
        a: An array, or a number.
        b: An array, or a number.
        rtol: The difference relative to `b`, by default 1e-5 whatever the dtypes; a dict says it by dtype.
        atol: The difference besides, by default 1e-20.
        equal_nan: Whether NaN is equal to NaN.
        use_broadcast: Whether shapes may differ that broadcast.

    Returns:
        Whether every difference is at most `atol + rtol * abs(b)`.

    Raises:
        AssertionError: The shapes differ, without `use_broadcast`.
        ValueError: The shapes do not broadcast.
    """
    a, b = _values(a), _values(b)
    rtol, atol = get_tols(a, b, get_rtol(rtol), get_atol(atol))
    if not use_broadcast:
        checkShapes(np.asarray(a), np.asarray(b))
    return bool(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))


def assert_allclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-07, atol: float = 0, equal_nan: bool = True
) -> None:
    """NumPy's `testing.assert_allclose`, of NDArrays as well."""
    np.testing.assert_allclose(_values(a), _values(b), rtol=rtol, atol=atol, equal_nan=equal_nan)


def locationError(
    a: NDArray | Array,
    b: NDArray | Array,
    index: tuple[int, ...],
    names: Sequence[str],
    maxError: bool = False,
) -> str:
    """A line that says where two arrays differ and what they have there."""
    which = "maximum " if maxError else ""
    return f"Location of {which}error: {index}, {names[0]}={a[index]:.8f}, {names[1]}={b[index]:.8f}"


def checkShapes(a: NDArray | Array, b: NDArray | Array) -> None:
    """Raise `AssertionError` if two arrays have different shapes."""
    if a.shape != b.shape:
        raise AssertionError(f"Arrays of one shape are required, got {a.shape} and {b.shape}.")


def assert_almost_equal(
    a: ArrayLike,
    b: ArrayLike,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    names: Sequence[str] = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """Raise `AssertionError` unless two arrays are equal within tolerances, and print where they differ.

    Args:
        a: An array, or a number.
        b: What it ought to be.
        rtol: The difference relative to `b`; a dict says it by dtype.
        atol: The difference besides.
        names: What the message calls the arrays.
        equal_nan: Whether NaN is equal to NaN.
        use_broadcast: Whether shapes may differ that broadcast.
        mismatches: At most as many differences are printed as the smaller of these says.

    Raises:
        AssertionError: They differ, or have different shapes without `use_broadcast`.
        ValueError: The shapes do not broadcast.
    """
    a, b = np.asarray(_values(a)), np.asarray(_values(b))
    if not use_broadcast:
        checkShapes(np.asarray(a), np.asarray(b))
    tolerances = get_tols(a[()], b[()], rtol, atol)
    if not almost_equal(a[()], b[()], *tolerances, equal_nan=equal_nan):
        _fail(a, b, tolerances, names, equal_nan, mismatches)


def _fail(
    a: Array,
    b: Array,
    tolerances: tuple[float, float],
    names: Sequence[str],
    equal_nan: bool,
    mismatches: tuple[int, int],
) -> None:
    """Raise what tells of the largest differences."""
    rtol, atol = tolerances
    a, b = np.broadcast_arrays(a, b)
    error = _excess(a, b, rtol, atol)
    wrong = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    order = np.argsort(np.where(wrong, -np.nan_to_num(error, nan=np.inf), 1), axis=None, kind="stable")
    places = [tuple(int(i) for i in np.unravel_index(k, a.shape)) for k in order[: int(wrong.sum())]]
    print(f"\n*** Maximum errors for vector of size {a.size}:  rtol={rtol}, atol={atol}\n")
    for i, place in enumerate(places[: max(min(mismatches), 0)]):
        print(f"{i + 1:3d}: Error {error[place]:f}  {locationError(a, b, place, names)}")
    raise AssertionError(
        f"\nItems are not equal:\nError {error[places[0]]:f} exceeds tolerance rtol={rtol:e}, atol={atol:e} "
        f"(mismatch {100.0 * wrong.sum() / max(a.size, 1):f}%).\n"
        f"{locationError(a, b, places[0], names, maxError=True)}\n ACTUAL: {a!r}\n DESIRED: {b!r}"
    )


def _excess(a: Array, b: Array, rtol: float, atol: float) -> Array:
    """How many times the tolerance the differences are."""
    dtype = np.result_type(a, b, np.float32)
    wide = [x.astype(dtype) for x in (a, b)]
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(wide[0] - wide[1]) / (atol + rtol * np.abs(wide[1]) + 1e-20))


def assert_almost_equal_with_err(
    a: ArrayLike,
    b: ArrayLike,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    etol: float | None = None,
    names: Sequence[str] = ("a", "b"),
    equal_nan: bool = False,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """`assert_almost_equal`, where a share `etol` of the elements may differ all the same."""
    if not (share := get_etol(etol)):
        assert_almost_equal(a, b, rtol, atol, names=names, equal_nan=equal_nan, mismatches=mismatches)
        return
    a, b = np.asarray(_values(a)), np.asarray(_values(b))
    tolerances = get_tols(a[()], b[()], rtol, atol)
    wrong = ~np.isclose(a, b, rtol=tolerances[0], atol=tolerances[1], equal_nan=equal_nan)
    if wrong.mean() > share:
        _fail(a, b, tolerances, names, equal_nan, mismatches)


def assert_almost_equal_ignore_nan(
    a: ArrayLike,
    b: ArrayLike,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    names: Sequence[str] = ("a", "b"),
) -> None:
    """`assert_almost_equal` of the elements that are NaN in neither array."""
    a, b = (np.copy(_values(x)) for x in (a, b))
    either = np.isnan(a) | np.isnan(b)
    a[either] = b[either] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def same_array(array1: NDArray, array2: NDArray) -> bool:
    """Whether two arrays share their elements: one is changed, and back."""
    array1[:] += 1
    shared = same(array1, array2)
    array1[:] -= 1
    return shared and same(array1, array2)


def same_symbol_structure(sym1: Symbol, sym2: Symbol) -> bool:
    """Whether two graphs have the same operators in the same places, whatever their names are."""
    sides = [[*sym.get_internals()] for sym in (sym1, sym2)]
    if len(sides[0]) != len(sides[1]):
        return False
    return all(_operator(a) == _operator(b) for a, b in zip(*sides, strict=True))


def _operator(symbol: Symbol) -> Any:
    node = symbol.outputs[0].node
    return None if node.is_variable else type(node.op)


def compare_ndarray_tuple(t1: Any, t2: Any, rtol: Tolerance = None, atol: Tolerance = None) -> None:
    """Compare arrays in nested tuples, such as states of optimizers. `None` anywhere ends the comparison."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        for s1, s2 in zip(t1, t2, strict=True):
            compare_ndarray_tuple(s1, s2, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: Any,
    w_stype: str = "default",
    g_stype: str = "default",
    rtol: float = 1e-4,
    atol: float = 1e-5,
    compare_states: bool = True,
    ntensors: int = 1,
) -> None:
    """Run a step of two optimizers from the same random weights and gradients, and compare what they leave.

    Args:
        opt1: An optimizer.
        opt2: An optimizer.
        shape: The shape of the weight; with `ntensors` above 1, a list of shapes.
        dtype: The element type.
        w_stype: The storage type of the weights.
        g_stype: The storage type of the gradients.
        rtol: The relative tolerance.
        atol: The absolute tolerance.
        compare_states: Whether to compare the optimizers' states.
        ntensors: How many weights are updated at once.

    Raises:
        AssertionError: Weights or states differ.
    """
    from .draws import rand_ndarray

    many = isinstance(shape, list)
    shapes = shape if many else [shape]

    def drawn(stype: str) -> list[Any]:
        return [rand_ndarray(s, stype, density=1, dtype=dtype) for s in shapes]

    weights, grads = drawn(w_stype), drawn(g_stype)
    left: list[tuple[Any, Any]] = []
    for opt in (opt1, opt2):
        own, slopes = [w.copy() for w in weights], [g.copy() for g in grads]
        states = [opt.create_state_multi_precision(i, w) for i, w in enumerate(own)]
        if many:
            opt.update_multi_precision(list(range(ntensors)), own, slopes, states)
        else:
            opt.update_multi_precision(0, own[0], slopes[0], states[0])
        left.append((tuple(own), tuple(states)))
    if compare_states:
        compare_ndarray_tuple(left[0][1], left[1][1], rtol=rtol, atol=atol)
    compare_ndarray_tuple(left[0][0], left[1][0], rtol=rtol, atol=atol)
