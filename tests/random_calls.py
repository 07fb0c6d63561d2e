"""Calls of operators with random attributes and shapes, for real MXNet and for us.

A call is plain data: the path of the operator below `nd`, a row for each input, attributes, and
which inputs are differentiated. Both packages make the same arrays of the rows' seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from random import Random
from typing import Any

import numpy as np

Row = dict[str, Any]
Call = dict[str, Any]

_VALUES: dict[str, Callable[[np.random.RandomState, tuple[int, ...]], Any]] = {
    "normal": lambda r, s: r.standard_normal(s),
    "positive": lambda r, s: r.uniform(0.2, 3, s),
    "share": lambda r, s: r.uniform(0.05, 0.95, s),
    "count": lambda r, s: r.randint(0, 8, s),
    "integer": lambda r, s: r.randint(-5, 6, s),
    "point": lambda r, s: r.dirichlet(np.ones(s[-1]), s[:-1]),
    "dominant": lambda r, s: r.standard_normal(s) + (s[-1] + 2) * np.eye(s[-1]),
}


def array(row: Row) -> np.ndarray:
    """The array that a row describes."""
    shape, kind, seed, dtype = tuple(row["shape"]), row["kind"], row["seed"], row["dtype"]
    rng = np.random.RandomState(seed)
    if kind == "definite":
        values = rng.standard_normal(shape)
        return (values @ values.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)
    return np.asarray(_VALUES[kind](rng, shape)).astype(dtype)


def result(mx: Any, call: Call) -> list[np.ndarray]:
    """The outputs, and the gradients of the differentiated inputs for heads of random numbers."""
    function = reduce(getattr, call["op"].split("."), mx.nd)
    inputs = [mx.nd.array(a, dtype=a.dtype) for a in map(array, call["inputs"])]
    attributes = {k: tuple(v) if isinstance(v, list) else v for k, v in call["attributes"].items()}
    for i in call["differentiated"]:
        inputs[i].attach_grad()
    with mx.autograd.record():
        y = function(*inputs, **attributes)
    outputs = list(y) if isinstance(y, (list, tuple)) else [y]
    arrays = [y.asnumpy() for y in outputs]
    if call["differentiated"]:
        rng = np.random.RandomState(5)
        heads = [mx.nd.array(rng.standard_normal(y.shape), dtype=y.dtype) for y in outputs]
        mx.autograd.backward(outputs, heads)
    return arrays + [inputs[i].grad.asnumpy() for i in call["differentiated"]]


def calls(seed: int) -> list[Call]:
    """Some calls of each family."""
    r = Random(seed)
    made = [*_products(r), *_matrices(r), *_triangles(r), *_attention(r), *_densities(r), *_others(r)]
    for call in made:
        call["differentiated"] = [i for i, row in enumerate(call["inputs"]) if row.pop("differentiated")]
    return made


def _row(r: Random, shape: Any, kind: str = "normal", dtype: str = "float32", d: bool = True) -> Row:
    return {"shape": [*shape], "kind": kind, "dtype": dtype, "seed": r.randrange(10**6), "differentiated": d}


def _call(op: str, *inputs: Row, **attributes: Any) -> Call:
    return {"op": op, "inputs": [*inputs], "attributes": attributes}


def _some(r: Random, **possible: list[Any]) -> dict[str, Any]:
    """A random value for each attribute, or none."""
    return {name: r.choice(values) for name, values in possible.items() if r.random() < 0.7}


def _batch(r: Random) -> tuple[int, ...]:
    return r.choice([(), (2,), (1,), (2, 3), (3, 1)])


def _wide(r: Random) -> str:
    return r.choice(["float32", "float64"])


_FLAG = [True, False]


def _products(r: Random) -> Iterator[Call]:
    batch, dtype = _batch(r), _wide(r)
    m, k, n = (r.randint(1, 5) for _ in range(3))
    flags = {"transpose_a": r.choice(_FLAG), "transpose_b": r.choice(_FLAG)}
    shapes = [[k, m] if flags["transpose_a"] else [m, k], [n, k] if flags["transpose_b"] else [k, n], [m, n]]
    axis = r.randrange(len(batch) + 1)
    moved = [[*batch[:axis], rows, *batch[axis:], columns] for rows, columns in shapes]
    where = r.choice([axis, axis - len(batch) - 2])
    rows = [_row(r, shape, dtype=dtype) for shape in moved]
    alpha = _some(r, alpha=[0.0, 1.0, -2.5, 1e-3])
    yield _call("linalg.gemm2", *rows[:2], axis=where, **flags, **alpha)
    beta = _some(r, beta=[0.0, 1.0, 0.5, -1.0])
    yield _call("linalg.gemm", *map(dict, rows), axis=where, **flags, **alpha, **beta)
    columns = r.randint(1, 4)
    factors = [_row(r, (r.randint(1, 4), columns), dtype=dtype, d=False) for _ in range(r.randint(1, 4))]
    yield _call("khatri_rao", *factors)


def _matrices(r: Random) -> Iterator[Call]:
    batch, dtype, n = _batch(r), _wide(r), r.randint(1, 6)
    for name, kind in (("det", "normal"), ("slogdet", "normal"), ("inverse", "dominant")):
        yield _call(f"linalg.{name}", _row(r, (*batch, n, n), kind, dtype))
    for name, kind in (("syevd", "definite"), ("sumlogdiag", "definite")):
        yield _call(f"linalg.{name}", _row(r, (*batch, n, n), kind, dtype))
    for name, kind in (("potrf", "definite"), ("potri", "dominant")):
        yield _call(f"linalg.{name}", _row(r, (*batch, n, n), kind, dtype), **_some(r, lower=_FLAG))
    shape = (*batch, r.randint(1, n), n)
    yield _call("linalg.gelqf", _row(r, shape, dtype=dtype))
    yield _call(
        "linalg.syrk", _row(r, shape, dtype=dtype), **_some(r, transpose=_FLAG, alpha=[0.0, -2.0, 0.3])
    )


def _triangles(r: Random) -> Iterator[Call]:
    batch, dtype, n = _batch(r), _wide(r), r.randint(1, 6)
    flags = _some(r, transpose=_FLAG, rightside=_FLAG, lower=_FLAG, alpha=[1.0, -0.5, 3.0])
    other = [r.randint(1, 4), n] if flags.get("rightside") else [n, r.randint(1, 4)]
    for name in ("trmm", "trsm"):
        a, b = _row(r, (*batch, n, n), "dominant", dtype), _row(r, (*batch, *other), dtype=dtype)
        yield _call(f"linalg.{name}", a, b, **flags)
    offset, lower = _some(r, offset=[*range(1 - n, n)]), _some(r, lower=_FLAG)
    yield _call("linalg.extractdiag", _row(r, (*batch, n, n), dtype=dtype), **offset)
    yield _call("linalg.extracttrian", _row(r, (*batch, n, n), dtype=dtype), **offset, **lower)
    yield _call("linalg.makediag", _row(r, (*batch, n), dtype=dtype), **offset)
    yield _call("linalg.maketrian", _row(r, (*batch, n * (n + 1) // 2), dtype=dtype), **offset, **lower)


def _attention(r: Random) -> Iterator[Call]:
    L, M, B, D, heads = (r.randint(1, 4) for _ in range(5))
    kind, several = "contrib.interleaved_matmul", _row(r, (L, B, heads * 3 * D))
    yield _call(f"{kind}_selfatt_qk", dict(several), heads=heads)
    yield _call(f"{kind}_selfatt_valatt", several, _row(r, (B * heads, L, L)), heads=heads)
    queries, both = _row(r, (M, B, heads * D)), _row(r, (L, B, heads * 2 * D))
    yield _call(f"{kind}_encdec_qk", queries, dict(both), heads=heads)
    yield _call(f"{kind}_encdec_valatt", both, _row(r, (B * heads, M, L)), heads=heads)
    shape = [r.randint(1, 5) for _ in range(r.randint(1, 4))]
    yield _call("contrib.div_sqrt_dim", _row(r, shape, dtype=_wide(r)))
    numbers = _some(r, start=[0, 1.5, -2], step=[1, -0.5, 2], axis=[*range(-len(shape), len(shape))])
    repeat = _some(r, repeat=[1, 2, 3])
    yield _call("contrib.arange_like", _row(r, shape, d=False), **numbers, **repeat)


_DENSITIES = {
    "uniform": ("normal", "share", "integer"),
    "normal": ("normal", "normal", "positive"),
    "gamma": ("positive", "positive", "positive"),
    "exponential": ("positive", "positive"),
    "poisson": ("count", "positive"),
    "negative_binomial": ("count", "positive", "share"),
    "generalized_negative_binomial": ("count", "positive", "positive"),
}


def _densities(r: Random) -> Iterator[Call]:
    first, more = ([r.randint(1, 3) for _ in range(r.randint(low, 2))] for low in (1, 0))
    is_log = _some(r, is_log=_FLAG)
    for name, (sample, *parameters) in _DENSITIES.items():
        rows = [_row(r, first, kind) for kind in parameters]
        yield _call(f"random_pdf_{name}", _row(r, first + more, sample), *rows, **is_log)
    K = r.randint(1, 4)
    rows = [_row(r, [*first, *more, K], "point"), _row(r, [*first, K], "positive")]
    yield _call("random_pdf_dirichlet", *rows, **is_log)


def _others(r: Random) -> Iterator[Call]:
    shape = [r.randint(1, 6) for _ in range(r.randint(1, 3))]
    low = r.randint(-4, 2)
    dtype = r.choice(["float32", "float64", "int32", "int64", "uint8", "int8"])
    bins = {"bin_cnt": r.randint(1, 9), "range": [low, low + r.randint(0, 4)]}
    yield _call("_internal._histogram", _row(r, shape, "integer", dtype, d=False), **bins)
    coefficients = _some(r, a=[1.5, -1.0], b=[2.0, 0.0], c=[0.25])
    yield _call("contrib.quadratic", _row(r, shape), **coefficients)
    yield _call("contrib.gradientmultiplier", _row(r, shape), **_some(r, scalar=[0.5, -2.0]))
    yield _call("smooth_l1", _row(r, shape), **_some(r, scalar=[0.5, 1.0, 3.0], is_int=_FLAG))
    close = _some(r, rtol=[0.5, 1e-5], atol=[1.0, 1e-3], equal_nan=_FLAG)
    yield _call("contrib.allclose", _row(r, shape, d=False), _row(r, shape, d=False), **close)
