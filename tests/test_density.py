"""Densities: against integrals and formulas, in compiled training, with free sizes, and what is refused."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.converters import to_onnx
from hybridonnx.errors import DTypeError, ShapeError
from hybridonnx.ops import Spec, SymbolicDim

INTEGERS = {
    "poisson": ([0.7, 3.0],),
    "negative_binomial": ([1.5, 4.0], [0.3, 0.6]),
    "generalized_negative_binomial": ([0.7, 3.0], [0.4, 1.2]),
}
CONTINUOUS = {
    "normal": ([0.5, -1.0], [0.4, 2.0]),
    "gamma": ([1.5, 4.0], [0.7, 2.0]),
    "exponential": ([0.7, 3.0],),
}


def density(name, sample, parameters, **attributes):
    arrays = (nd.array(np.asarray(a), dtype="float64") for a in (sample, *parameters))
    return getattr(nd, f"random_pdf_{name}")(*arrays, **attributes).asnumpy()


@pytest.mark.parametrize("name", INTEGERS)
def test_probabilities_sum_to_1(name):
    sample = np.tile(np.arange(400.0), (2, 1))
    np.testing.assert_allclose(density(name, sample, INTEGERS[name]).sum(1), 1, rtol=1e-9)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_densities_integrate_to_1(name):
    first = -30 if name == "normal" else 1e-9
    sample = np.tile(np.linspace(first, 60, 400_001), (2, 1))
    area = np.trapezoid(density(name, sample, CONTINUOUS[name]), sample, axis=1)
    np.testing.assert_allclose(area, 1, rtol=1e-5)


def test_a_dirichlet_density_of_two_is_a_beta_density():
    """That of (2, 3) is 12 x (1 - x)²."""
    x = np.linspace(0.05, 0.95, 7)
    values = density("dirichlet", np.stack([x, 1 - x], 1)[None], [[[2.0, 3.0]]])
    np.testing.assert_allclose(values[0], 12 * x * (1 - x) ** 2, rtol=1e-12)


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("hybridized", [False, True])
def test_gradients_of_parameters_are_differences(name, is_log, hybridized):
    """The sample is of integers and gets zeros, as in MXNet."""

    class Density(gluon.HybridBlock):
        def hybrid_forward(self, F, *arrays):
            return getattr(F, f"random_pdf_{name}")(*arrays, is_log=is_log)

    net = Density()
    if hybridized:
        net.hybridize()
    sample = np.array([[0.0, 2, 5], [1, 7, 3]])
    arrays = [nd.array(a, dtype="float64") for a in (sample, *INTEGERS[name])]
    for a in arrays:
        a.attach_grad()
    with autograd.record():
        y = net(*arrays)
    y.backward()
    assert not arrays[0].grad.asnumpy().any()
    for i, parameter in enumerate(INTEGERS[name]):
        step = np.zeros((len(INTEGERS[name]), 2))
        step[i] = 1e-5
        ends = [
            density(name, sample, np.add(INTEGERS[name], sign * step), is_log=is_log).sum(1)
            for sign in (1, -1)
        ]
        slopes = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(arrays[1 + i].grad.asnumpy(), slopes, rtol=1e-6, err_msg=str(parameter))


@pytest.mark.parametrize("name", ["normal", "gamma", "poisson"])
def test_exported_with_free_sizes(name):
    parameters = {**CONTINUOUS, **INTEGERS}[name]
    names = ["x", "a", "b"][: 1 + len(parameters)]
    n, m = SymbolicDim.named("n"), SymbolicDim.named("m")
    specs = {key: Spec((n, m) if key == "x" else (n,), np.dtype("float32")) for key in names}
    symbol = getattr(sym, f"random_pdf_{name}")(*map(sym.var, names))
    model = to_onnx.check(to_onnx.lower(symbol, specs, {}), {}).model
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(1)
    for shape in ((1, 1), (2, 7), (7, 2)):
        arrays = [rng.integers(1, 6, shape), *(rng.uniform(0.5, 2, shape[0]) for _ in parameters)]
        feeds = dict(zip(names, (a.astype("float32") for a in arrays), strict=True))
        expected = density(name, arrays[0], arrays[1:])
        np.testing.assert_allclose(session.run(None, feeds)[0], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (
            ShapeError,
            "equal shapes",
            lambda: nd.random_pdf_normal(nd.ones((2, 3)), nd.ones((3,)), nd.ones(3)),
        ),
        (ShapeError, "equal shapes", lambda: nd.random_pdf_normal(nd.ones((2, 3)), nd.ones(2), nd.ones(1))),
        (ShapeError, "first of", lambda: nd.random_pdf_exponential(nd.ones(2), nd.ones((2, 3)))),
        (ShapeError, "equal shapes", lambda: nd.random_pdf_dirichlet(nd.ones((2, 3)), nd.ones((2, 4)))),
        (DTypeError, "one dtype", lambda: nd.random_pdf_poisson(nd.ones(2, dtype="int32"), nd.ones(2))),
    ],
)
def test_what_does_not_fit_is_refused(error, message, call):
    with pytest.raises(error, match=message):
        call()
