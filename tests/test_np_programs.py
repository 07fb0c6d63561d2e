"""Random programs of mx.np: eagerly, in autograd, compiled, from files and in ONNX Runtime, against NumPy."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

import hybridonnx as mx
from tests.np_programs import Program

pytestmark = pytest.mark.filterwarnings("ignore:The [01]-th input:UserWarning")  # of programs without it
FEW, MANY = range(16), range(16, 400)


@pytest.fixture(autouse=True)
def _as_numpy():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


class Block(mx.gluon.HybridBlock):
    """A block that runs a program."""

    def __init__(self, program):
        super().__init__()
        self._program = program

    def hybrid_forward(self, F, a, b):
        return self._program(F.np, {"a": a, "b": b})


def near(got, expected, program):
    got = np.asarray(got)
    assert got.shape == np.shape(expected), str(program)
    np.testing.assert_allclose(got, expected, rtol=2e-4, atol=2e-4, err_msg=str(program))


def check_values(seed, folder):
    program = Program(seed)
    expected = program(np, program.inputs)
    inputs = {name: mx.np.array(value) for name, value in program.inputs.items()}
    near(program(mx.np, inputs).asnumpy(), expected, program)
    net = Block(program)
    net.hybridize()
    near(net(*inputs.values()).asnumpy(), expected, program)
    symbol, _ = net.export(str(folder / "net"))
    again = mx.gluon.SymbolBlock.imports(str(symbol), ["data0", "data1"])
    near(again(*inputs.values()).asnumpy(), expected, program)
    model = str(folder / "net.onnx")
    mx.onnx.export_model(net, model, input_shapes=[x.shape for x in inputs.values()])
    session = onnxruntime.InferenceSession(model)
    feeds = {i.name: program.inputs["ab"[int(i.name[-1])]] for i in session.get_inputs()}
    near(session.run(None, feeds)[0], expected, program)


def check_gradient(seed):
    """Along a random direction, against NumPy's differences in float64."""
    program = Program(seed, smooth=True)
    rng = np.random.RandomState(seed)
    points = {name: x.astype(np.float64) for name, x in program.inputs.items()}
    direction = {name: rng.normal(size=x.shape) for name, x in points.items()}

    def squares(step):
        moved = {name: x + step * direction[name] for name, x in points.items()}
        return float((np.asarray(program(np, moved)) ** 2).sum())

    expected = (squares(1e-5) - squares(-1e-5)) / 2e-5
    for hybridize in (False, True):
        net = Block(program)
        net.hybridize(hybridize)
        inputs = {name: mx.np.array(value) for name, value in program.inputs.items()}
        for x in inputs.values():
            x.attach_grad()
        with mx.autograd.record():
            y = net(*inputs.values())
            total = (y * y).sum()
        total.backward()
        got = sum(float((x.grad.asnumpy() * direction[name]).sum()) for name, x in inputs.items())
        assert got == pytest.approx(expected, rel=1e-2, abs=1e-2), str(program)


@pytest.mark.parametrize("seed", FEW)
def test_values(seed, tmp_path):
    check_values(seed, tmp_path)


@pytest.mark.parametrize("seed", FEW)
def test_gradients(seed):
    check_gradient(seed)


@pytest.mark.slow
def test_many_values(tmp_path):
    for seed in MANY:
        check_values(seed, tmp_path)


@pytest.mark.slow
def test_many_gradients():
    for seed in MANY:
        check_gradient(seed)
