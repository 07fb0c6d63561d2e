"""mx.np and mx.npx against stored results of real MXNet: eagerly, in autograd, compiled and in files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from tests.np_calls import arrays, calls, evaluated

HERE = Path(__file__).resolve().parent
CALLS = calls()


@pytest.fixture(autouse=True)
def _as_numpy():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


@cache
def stored():
    with np.load(HERE / "oracle" / "np_calls.npz") as archive:
        return dict(archive)


def scope(**variables):
    return {"mx": mx, "np": mx.np, "npx": mx.npx, "onp": np, **variables}


def numbered(only=lambda differentiable, traced: True):
    chosen = [(n, c) for n, (c, differentiable, traced) in enumerate(CALLS) if only(differentiable, traced)]
    return pytest.mark.parametrize(("number", "call"), chosen, ids=[c for _, c in chosen])


def near(got, expected):
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    if expected.dtype.kind in "biuU":
        np.testing.assert_array_equal(got, expected)
    else:
        tol = 4e-3 if expected.dtype == np.float16 else 2e-5
        np.testing.assert_allclose(got, expected, rtol=tol, atol=tol)


@numbered()
def test_value(number, call):
    variables = {name: mx.np.array(value) for name, value in arrays().items()}
    if f"{number}.error" in stored():
        pytest.skip(f"real MXNet raises {stored()[f'{number}.error']}")
    near(evaluated(call, scope(**variables)), stored()[f"{number}.value"])


@numbered(lambda differentiable, traced: differentiable)
def test_gradient(number, call):
    if f"{number}.error" in stored():
        pytest.skip("real MXNet refuses it")
    variables = {name: mx.np.array(value) for name, value in arrays().items()}
    used = [name for name, x in variables.items() if x.dtype == np.float32]
    for name in used:
        variables[name].attach_grad()
    with mx.autograd.record():
        y = eval(call, scope(**variables))
        total = (y * y).sum()
    total.backward()
    for name in used:
        gradient = variables[name].grad
        assert isinstance(gradient, mx.np.ndarray)
        expected = stored().get(f"{number}.{name}", np.zeros(gradient.shape, np.float32))
        near(gradient.asnumpy(), expected)


class Call(mx.gluon.HybridBlock):
    """A block that evaluates one call, of arrays by their letters."""

    def __init__(self, call, names):
        super().__init__()
        self._call, self._names = call, names

    def hybrid_forward(self, F, *values):
        return eval(
            self._call, {"mx": mx, "np": F.np, "npx": F.npx, **dict(zip(self._names, values, strict=True))}
        )


@numbered(lambda differentiable, traced: traced)
def test_hybridized(number, call, tmp_path):
    """Compiled, and as a graph in MXNet's file format, a call gives what real MXNet gives eagerly."""
    if f"{number}.error" in stored() or "np.array(" in call:
        pytest.skip("real MXNet refuses it, or there are no arrays of lists in graphs")
    names = [name for name in arrays() if name in compile(call, "call", "eval").co_names]
    if not names:
        pytest.skip("there is nothing to trace")
    block = Call(call, names)
    block.hybridize()
    inputs = [mx.np.array(arrays()[name]) for name in names]
    result = block(*inputs)
    expected = stored()[f"{number}.value"]
    if call[0] in "-0123456789" and expected.dtype.kind == "i" and result.dtype == np.float64:
        pytest.skip("of a number before an array of integers MXNet's graphs compute in float64, as ours do")
    near(result.asnumpy(), expected)
    block.export(str(tmp_path / "call"))
    variables = ["data"] if len(names) == 1 else [f"data{i}" for i in range(len(names))]
    again = mx.gluon.SymbolBlock.imports(str(tmp_path / "call-symbol.json"), variables)
    near(again(*inputs).asnumpy(), expected)
