"""Calls of what mx.np has beside operators, and what they give: evaluated by real MXNet and by us."""

from __future__ import annotations

import io  # noqa: F401  (in the calls)
import os
import tempfile

import numpy as onp

TABLE = "1,2,3\n4,5,6"
CALLS = """
np.genfromtxt(io.StringIO(TABLE), delimiter=",")
np.genfromtxt(io.StringIO(TABLE), delimiter=",", dtype="int32")
np.genfromtxt(io.StringIO(TABLE), delimiter=",", dtype=onp.float32)
np.genfromtxt(io.StringIO(TABLE), delimiter=",", dtype=None)
np.genfromtxt(io.StringIO(TABLE), delimiter=",", skip_header=1, usecols=(0, 2))
np.genfromtxt(io.StringIO(TABLE), delimiter=",", ctx=mx.cpu(0))
loaded(np.ones(3))
loaded([np.ones(3), np.array(2)])
loaded({"a": np.ones(3), "b": np.zeros((2, 0))})
loaded([])
loaded({})
loaded([np.array(onp.array([True, False])), np.array([1], dtype="int8"), np.array([1], dtype="float16")])
npx.save(file(), mx.nd.ones(3))
npx.save(file(), [mx.nd.ones(3)])
npx.save(file(), {1: np.ones(3)})
npx.save(file(), 3)
npx.load(3)
printed(precision=2)
printed(threshold=5)
printed()
np.meshgrid(np.arange(3), np.arange(2))
np.meshgrid(np.arange(3), np.arange(2), indexing="ij")
np.meshgrid(np.arange(3))
np.meshgrid(np.arange(3), np.arange(2), indexing="zz")
np.broadcast_arrays(np.ones((2, 1)), np.arange(3))
np.npv(0.1, [1])
np.fallback.nansum(np.array([1.0, np.nan]))
mx.util.np_ufunc_legal_option("where", False)
mx.util.np_ufunc_legal_option("casting", "unsafe")
mx.util.np_ufunc_legal_option("casting", "other")
mx.util.np_ufunc_legal_option("order", "C")
mx.util.np_ufunc_legal_option("dtype", "float32")
mx.util.np_ufunc_legal_option("dtype", float)
mx.util.np_ufunc_legal_option("other", 1)
mx.util.wrap_np_unary_func(unary)(3)
mx.util.wrap_np_unary_func(unary)(3, 4, where=True)
mx.util.wrap_np_unary_func(unary)(3, where=False)
mx.util.wrap_np_unary_func(unary)(3, other=False)
mx.util.wrap_np_unary_func(unary)(3, casting="other")
mx.util.wrap_np_binary_func(binary)(3, 4, 5, order="K")
mx.util.wrap_np_binary_func(binary)(3, 4, order="C")
mx.util.wrap_np_binary_func(binary)(3, 4, subok=False)
np.add(np.ones(2), 1, where=False)
np.add(np.ones(2), 1, other=False)
np.exp(np.ones(2), casting="other")
np.exp(np.ones(2), dtype="float64")
gradient(np.nanmax)
gradient(np.cov)
gradient(np.nancumsum)
gradient(onp.median)
gradient(np.linalg.multi_dot, 2)
gradient(np.linalg.cond)
gradient(np.linalg.qr)
gradient(np.linalg.det)
gradient(np.linalg.inv)
np.nanmax(np.array([1.0, np.nan, 3.0]))
np.isclose(np.ones(2), np.array([1.0, 1.5]))
np.polyfit(np.arange(4), np.arange(4) * 2.0, 1)
np.interp(np.array([0.5, 1.5]), np.arange(3), np.arange(3) ** 2)
np.allclose(a, a + 1e-9)
np.alltrue(a, axis=0)
np.apply_along_axis(lambda v: v.sum(), 0, a)
np.apply_over_axes(onp.sum, a, (0, 1))
np.argpartition(v, 2)
np.argwhere(a > 2)
np.array_equal(a, a)
np.array_equiv(a, v)
np.choose(i, [v, v * 2, v * 3])
np.compress(np.array([0, 1], dtype="bool"), a, axis=0)
np.corrcoef(a)
np.correlate(v, v)
np.count_nonzero(a, axis=1)
np.cov(a)
np.digitize(v, np.array([0.0, 2.5, 5.0]))
np.divmod(v, 2)
np.extract(v > 1, v)
np.flatnonzero(v)
np.float_power(v, 2)
np.frexp(v)
np.heaviside(v - 2, 0.5)
np.i0(v)
np.in1d(v, np.array([1.0, 3.0]))
np.interp(1.5, v, v * 2)
np.intersect1d(v, np.array([1.0, 3.0]))
np.isclose(v, v)
np.isin(a, v)
np.ix_(i, i)
np.lexsort((v, v))
np.modf(v)
np.msort(a)
np.nanargmax(v)
np.nanargmin(a, axis=1)
np.nancumprod(v)
np.nancumsum(v)
np.nanmax(a, axis=0)
np.nanmedian(v)
np.nanmin(v)
np.nanprod(v)
np.ndim(a)
np.size(a)
np.packbits(b)
np.partition(v, 1)
np.piecewise(v, [v < 2, v >= 2], [-1, 1])
np.poly(v)
np.polyadd(v, v)
np.polydiv(v, np.array([1.0, 2.0]))
np.polyint(v)
np.polymul(v, v)
np.polysub(v, v)
np.positive(v)
np.ptp(a)
np.ptp(a, axis=0)
np.real(v)
np.rollaxis(a, 1)
np.roots(np.array([1.0, -3.0, 2.0]))
np.searchsorted(v, 2.5)
np.searchsorted(v, np.array([0.5, 2.5]))
np.select([v < 2, v > 2], [v, v * 2], 7)
np.setdiff1d(v, np.array([1.0]))
np.setxor1d(v, np.array([1.0, 9.0]))
np.signbit(v - 2)
np.spacing(v)
np.take_along_axis(a, np.array([[0], [1]], dtype="int64"), 1)
np.tril_indices_from(a)
np.trim_zeros(np.array([0.0, 1.0, 0.0]))
np.triu_indices_from(a)
np.union1d(v, np.array([9.0]))
np.unpackbits(np.array([3], dtype="uint8"))
np.unwrap(v * 3)
np.vander(v)
onp.median(v)
onp.sort(v)
onp.concatenate([v, v])
onp.add(v, 1)
onp.add(v, onp.ones(3, "float32"))
onp.multiply(onp.ones(3, "float32"), v)
onp.mean(a, axis=0)
onp.linalg.norm(a)
onp.linalg.inv(np.array([[2.0, 1.0], [1.0, 3.0]]))
onp.dot(a, v)
onp.einsum("ij,j->i", a, v)
onp.stack([v, v])
onp.split(v, 3)
onp.exp(v)
onp.maximum(v, 2)
onp.asarray(a).shape
onp.unique(v)
onp.zeros_like(v)
onp.argsort(v)
onp.where(v > 1, v, v)
onp.tile(v, 2)
onp.broadcast_to(v, (2, 3))
onp.cumsum(v)
onp.std(a)
onp.prod(v)
onp.shape(a)
onp.ndim(a)
onp.expand_dims(v, 0)
onp.isnan(v)
onp.floor_divide(v, 2)
onp.fmod(v, 2)
onp.logaddexp(v, v)
onp.percentile(v, 50)
onp.diff(v)
onp.flip(v)
onp.matmul(a, a.T)
onp.bincount(i)
onp.interp(1.5, v, v)
onp.exp(v, out=np.zeros(3))
onp.quantile(v, 0.5)
onp.insert(v, 1, 5)
onp.delete(v, 1)
onp.may_share_memory(v, v)
onp.linalg.svd(np.array([[2.0, 0.0], [0.0, 3.0]]))
onp.linalg.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 4.0]))
onp.add.reduce(v)
onp.add.outer(v, v)
onp.polyval(v, v)
onp.histogram(v, bins=2, range=(0, 4))
onp.unravel_index(i, (2, 3))
onp.resize(v, (2, 2))
onp.nonzero(v)
onp.vdot(v, v)
onp.trace(a)
onp.rot90(a)
onp.round(v)
onp.clip(v, 1, 2)
onp.moveaxis(a, 0, 1)
onp.empty_like(v).shape
onp.full_like(v, 3)
onp.array_split(v, 2)
onp.pad(v, (1, 1))
onp.isclose(v, v)
""".strip().splitlines()


def described(value):
    """A value as text: arrays with their types."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__ + " " + "; ".join(map(described, value))
    if isinstance(value, dict):
        return "dict " + "; ".join(f"{key}: {described(item)}" for key, item in sorted(value.items()))
    if hasattr(value, "asnumpy"):
        numbers = (onp.round(value.asnumpy().astype("float64"), 4) + 0.0).tolist()
        return f"{type(value).__name__} {onp.dtype(value.dtype).name} {numbers}"
    if isinstance(value, onp.generic):
        return f"{type(value).__name__} {value.item()!r}"
    return f"{type(value).__name__} {value}"


def outcomes(mx):
    """Each call, and its value, or the class of its error."""
    np, npx = mx.np, mx.npx

    with tempfile.TemporaryDirectory() as folder:

        def file():
            return os.path.join(folder, "arrays.params")

        def loaded(arrays):
            npx.save(file(), arrays)
            return npx.load(file())

        def printed(**options):
            before = onp.get_printoptions()
            np.set_printoptions(**options)
            text = repr(np.array([1.23456789, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))
            onp.set_printoptions(**before)
            return text

        def gradient(function, count=1):
            x = np.array([[1.0, 2.0], [3.0, 4.5]])
            x.attach_grad()
            with mx.autograd.record():
                y = function(x) if count == 1 else function([x] * count)
                total = ((y[0] if isinstance(y, (tuple, list)) else y) * 2).sum()
            total.backward()
            return x.grad

        def unary(x, out=None):
            return x, out

        def binary(x1, x2, out=None):
            return x1, x2, out

        scope = {**globals(), **locals()}
        return {call: outcome(call, scope, mx) for call in CALLS}


def outcome(call, scope, mx):
    """A call's value as text, or the class of its error."""
    mx.npx.set_np()
    try:
        np = mx.np
        arrays = {
            "a": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]),
            "v": np.array([1.0, 2.0, 4.0]),
            "i": np.array([0, 1, 2], dtype="int64"),
            "b": np.array([1, 0, 1], dtype="uint8"),
        }
        return described(eval(call, {**scope, **arrays}))
    except Exception as error:  # noqa: BLE001  (whatever MXNet raises)
        return type(error).__name__
    finally:
        mx.npx.reset_np()
