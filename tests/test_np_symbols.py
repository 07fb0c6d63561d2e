"""Graphs of sym.np and sym.npx are written as real MXNet writes them, and read back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from tests.np_symbols import calls, nodes

STORED = json.loads(
    (Path(__file__).resolve().parent / "oracle" / "np_symbols.json").read_text(encoding="utf-8")
)


@pytest.fixture(autouse=True)
def _as_numpy():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


@pytest.mark.parametrize("call", calls())
def test_graph_is_as_mxnet_writes_it(call):
    assert nodes(call, mx) == STORED[call]


class Sampled(mx.gluon.HybridBlock):
    """A block that evaluates one call on two arrays."""

    def __init__(self, call):
        super().__init__()
        self._call = call

    def hybrid_forward(self, F, a, b):
        return eval(f"F.{self._call}", {"F": F, "a": a, "b": b, "mx": mx}) + 0 * a.sum() + 0 * b.sum()


PARAMETRIZED = [call for call in calls() if "random" in call and ("(a" in call or "b)" in call)]


@pytest.mark.parametrize("call", [call for call in PARAMETRIZED if "choice" not in call])
def test_draws_are_the_same_hybridized_and_from_a_file(call, tmp_path):
    def run(block):
        mx.npx.random.seed(5)
        a, b = mx.np.array([0.6, 0.7, 0.8]), mx.np.array([0.1, 0.3, 0.5])
        for x in (a, b):
            x.attach_grad()
        with mx.autograd.record():
            y = block(a, b)
        y.backward()
        return [x.asnumpy() for x in (y, a.grad, b.grad)]

    block = Sampled(call)
    expected = run(block)
    block.hybridize()
    for got, value in zip(run(block), expected, strict=True):
        np.testing.assert_allclose(got, value, rtol=2e-5, atol=2e-6)
    block.export(str(tmp_path / "draws"))
    again = mx.gluon.SymbolBlock.imports(str(tmp_path / "draws-symbol.json"), ["data0", "data1"])
    for got, value in zip(run(again), expected, strict=True):
        np.testing.assert_allclose(got, value, rtol=2e-5, atol=2e-6)


class Noisy(mx.gluon.HybridBlock):
    """Draws around the parameters that arrays give."""

    def hybrid_forward(self, F, a):
        names = "normal gumbel logistic".split()
        draws = [getattr(F.np.random, name)(a, 2.0) for name in names]
        draws += [F.np.random.exponential(a), F.np.random.pareto(a + 4), F.np.random.weibull(a)]
        draws.append(F.npx.random.bernoulli(logit=a))
        return F.np.stack(draws)


def test_draws_go_to_onnx(tmp_path):
    block = Noisy()
    block.initialize()
    block.hybridize()
    block(mx.np.ones((4,)))
    target = str(tmp_path / "noisy.onnx")
    mx.onnx.export_model(block, target, input_shapes=[("n",)])
    drawn = mx.onnx.import_to_gluon(target)(mx.np.ones((8000,)))
    means = [1, 1 + 2 * np.euler_gamma, 1, 1, 0.25, 1, 1 / (1 + np.exp(-1))]
    np.testing.assert_allclose(drawn.mean(axis=1).asnumpy(), means, atol=0.15)
