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
        return described(eval(call, scope))
    except Exception as error:  # noqa: BLE001  (whatever MXNet raises)
        return type(error).__name__
    finally:
        mx.npx.reset_np()
