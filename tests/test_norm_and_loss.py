"""What cases do not show: states that training changes, what exported models leave out, and drawn numbers."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from hybridonnx import autograd, nd
from hybridonnx import symbol as sym
from hybridonnx.converters import to_onnx
from hybridonnx.errors import AttributeValueError, DTypeError, ShapeError
from hybridonnx.ops import Spec
from hybridonnx.symbol.execute import execute

F32 = np.dtype("float32")


def batch_norm(rng, channels=3):
    """Data, gamma, beta, moving mean and variance."""
    x = nd.array(rng.standard_normal((4, channels, 5)))
    vectors = [nd.array(rng.uniform(0.5, 2, channels)) for _ in range(4)]
    return x, *vectors


def test_moving_statistics_follow_the_batch(rng):
    x, gamma, beta, mean, var = batch_norm(rng)
    before = mean.asnumpy(), var.asnumpy()
    with autograd.train_mode():
        nd.BatchNorm(x, gamma, beta, mean, var, momentum=0.8, eps=1e-5)
    data = x.asnumpy()
    np.testing.assert_allclose(mean.asnumpy(), before[0] * 0.8 + data.mean((0, 2)) * 0.2, rtol=1e-5)
    # MXNet's moving variance takes the mean of squares, not their sum divided by n - 1
    np.testing.assert_allclose(var.asnumpy(), before[1] * 0.8 + data.var((0, 2)) * 0.2, rtol=1e-5)


@pytest.mark.parametrize("training", [False, True])
def test_global_statistics_stay(rng, training):
    x, gamma, beta, mean, var = batch_norm(rng)
    before = mean.asnumpy(), var.asnumpy()
    with autograd.record(train_mode=training):
        nd.BatchNorm(x, gamma, beta, mean, var, use_global_stats=training)
    assert np.array_equal(mean.asnumpy(), before[0])
    assert np.array_equal(var.asnumpy(), before[1])


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("axis", [1, -1, 2])
def test_a_fixed_gamma_counts_as_one_whatever_is_stored(rng, training, axis):
    x, gamma, beta, mean, var = batch_norm(rng, 5)
    x = x.reshape((4, 5, 5)) if x.size == 100 else nd.array(rng.standard_normal((4, 5, 5)))
    one = nd.ones(5)
    inputs = {"x": x, "gamma": gamma * 0 + 7, "beta": beta, "mean": mean, "var": var}
    net = sym.BatchNorm(*map(sym.var, inputs), fix_gamma=True, axis=axis)
    with autograd.train_mode() if training else autograd.predict_mode():
        expected = nd.BatchNorm(x, one, beta, mean.copy(), var.copy(), fix_gamma=False, axis=axis).asnumpy()
        stored = {k: v.copy() for k, v in inputs.items()}
        np.testing.assert_allclose(execute(net, stored)[0].asnumpy(), expected, atol=1e-5)
    values = {k: v.asnumpy() for k, v in inputs.items()}
    data = values.pop("x")
    lowered = to_onnx.lower(net, {"x": Spec(data.shape, F32)}, values, training=training)
    session = onnxruntime.InferenceSession(lowered.model.SerializeToString())
    np.testing.assert_allclose(session.run(None, {"x": data})[0], expected, atol=1e-5)


def test_a_fixed_gamma_has_no_gradient(rng):
    x, gamma, beta, mean, var = batch_norm(rng)
    gamma.attach_grad()
    x.attach_grad()
    with autograd.record():
        y = nd.BatchNorm(x, gamma, beta, mean, var)
    y.backward()
    assert not gamma.grad.asnumpy().any()


# ---- labels


def test_exported_models_take_no_labels():
    net = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc"), name="softmax")
    params = {"fc_weight": np.ones((3, 4), F32), "fc_bias": np.zeros(3, F32)}
    lowered = to_onnx.lower(net, {"data": Spec((None, 4), F32)}, params)
    assert [i.name for i in lowered.model.graph.input] == ["data"]
    assert lowered.model.graph.node[-1].op_type == "Softmax"


def test_label_shapes_follow_the_data():
    for attributes, label in [
        ({}, (2, 3, 5)),
        ({"multi_output": True}, (2, 20)),
        ({"preserve_shape": True}, (2, 3, 5)),
    ]:
        data = (2, 3, 5, 4)
        net = sym.SoftmaxOutput(sym.var("data"), name="s", **attributes)
        shapes, _, _ = net.infer_shape(data=data)
        assert shapes[1] == label
    shapes, _, _ = sym.LinearRegressionOutput(sym.var("data"), name="s").infer_shape(data=(4, 1))
    assert shapes[1] == (4,)


# ---- creation


def test_open_sizes_are_found_from_use():
    x = nd.ones((4, 3))
    for y in (sym.zeros(shape=(0, 3)), sym.ones(shape=(0, 3)) * 0):
        assert execute(y + sym.var("x"), {"x": x})[0].shape == (4, 3)


def test_an_open_size_alone_is_refused():
    with pytest.raises(ShapeError, match="a shape with every size is required"):
        nd._zeros(shape=(0, 3))


# ---- draws


N = 40000
MOMENTS = [
    ("_random_uniform", {"low": -1.0, "high": 3.0}, 1.0, 16 / 12),
    ("_random_normal", {"loc": 2.0, "scale": 3.0}, 2.0, 9.0),
    ("_random_exponential", {"lam": 4.0}, 0.25, 1 / 16),
    ("_random_gamma", {"alpha": 2.0, "beta": 3.0}, 6.0, 18.0),
    ("_random_poisson", {"lam": 4.0}, 4.0, 4.0),
    ("_random_negative_binomial", {"k": 3, "p": 0.4}, 4.5, 11.25),
    ("_random_generalized_negative_binomial", {"mu": 2.0, "alpha": 0.3}, 2.0, 3.2),
    ("_random_generalized_negative_binomial", {"mu": 2.0, "alpha": 0.0}, 2.0, 2.0),
    ("_random_randint", {"low": 0, "high": 10}, 4.5, 8.25),
]


@pytest.mark.parametrize(("op", "parameters", "mean", "variance"), MOMENTS)
def test_moments(op, parameters, mean, variance):
    """As measured in real MXNet, whose gamma takes a scale and not a rate."""
    kinds = [getattr(nd, op)(shape=(N,), **parameters)]
    if "randint" not in op:
        kinds.append(getattr(nd, f"{op}_like")(nd.zeros(N), **parameters))
        arrays = [nd.array([float(v)]) for v in parameters.values()]
        kinds.append(getattr(nd, op.replace("_random", "_sample"))(*arrays, shape=(N,)))
    for sample in kinds:
        values = sample.asnumpy().astype(np.float64)
        assert abs(values.mean() - mean) < 0.05 * max(variance**0.5, 1)
        assert abs(values.var() - variance) < 0.1 * variance + 0.02


def test_dropout_keeps_its_share():
    with autograd.train_mode():
        y = nd.Dropout(nd.ones((200, 200)), p=0.3).asnumpy()
    assert abs((y == 0).mean() - 0.3) < 0.02
    assert np.allclose(y[y != 0], 1 / 0.7)


def test_choices_follow_their_probabilities():
    indices = nd.sample_multinomial(nd.array([[0.2, 0.0, 0.8]]), shape=(N,)).asnumpy()
    counts = np.bincount(indices[0], minlength=3) / N
    np.testing.assert_allclose(counts, [0.2, 0, 0.8], atol=0.02)


def test_the_gradient_of_choices():
    p = nd.array([[0.1, 0.2, 0.7]])
    p.attach_grad()
    with autograd.record():
        indices, logarithm = nd.sample_multinomial(p, shape=(9,), get_prob=True)
    logarithm.backward()
    counts = np.bincount(indices.asnumpy()[0], minlength=3)
    np.testing.assert_allclose(p.grad.asnumpy()[0], counts / np.array([0.1, 0.2, 0.7]), rtol=1e-5)


# ---- refusals

IMAGE, ROI = nd.ones((1, 4, 5, 5)), nd.ones((1, 5))


GROUPED = {"output_dim": 1, "pooled_size": 2, "group_size": 2, "spatial_scale": 1}
REGIONS = (
    lambda data: nd.ROIPooling(data, ROI, pooled_size=(2, 2), spatial_scale=1),
    lambda data: nd.contrib.ROIAlign(data, ROI, pooled_size=(2, 2), spatial_scale=1),
    lambda data: nd.contrib.PSROIPooling(data, ROI, **GROUPED),
    lambda data: nd.contrib.DeformablePSROIPooling(data, ROI, no_trans=True, **GROUPED),
)
"""Operators on one region of images."""


def deformed(**attributes):
    """A deformable convolution of single pixels, but for the attributes."""
    inputs = (IMAGE, nd.zeros((1, 2, 5, 5)), nd.ones((1, 4, 1, 1)))
    return nd.contrib.DeformableConvolution(
        *inputs, **{"kernel": (1, 1), "num_filter": 1, "no_bias": True, **attributes}
    )


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (AttributeValueError, lambda: nd.Dropout(nd.ones(3), p=1.5)),
        (AttributeValueError, lambda: nd.LRN(nd.ones((1, 3, 2, 2)), nsize=4)),
        (AttributeValueError, lambda: nd.log_softmax(nd.ones((2, 3)), use_length=True)),
        (AttributeValueError, lambda: nd._random_randint(low=5, high=5, shape=(2,))),
        (AttributeValueError, lambda: nd._arange(start=3, stop=1)),
        (ShapeError, lambda: nd.InstanceNorm(nd.ones((2, 3)), nd.ones(3), nd.ones(3))),
        (ShapeError, lambda: nd.SoftmaxOutput(nd.ones((2, 3)), nd.ones(3))),
        (ShapeError, lambda: nd.LeakyReLU(nd.ones((2, 3, 4)), nd.ones(4), act_type="prelu")),
        (ShapeError, lambda: nd.softmax(nd.ones((2, 3)), axis=2)),
        (DTypeError, lambda: nd.softmax(nd.ones((2, 3), dtype="int32"))),
        (DTypeError, lambda: nd.contrib.div_sqrt_dim(nd.ones((2, 3), dtype="int32"))),
        (ShapeError, lambda: nd.contrib.div_sqrt_dim(nd.array(1.0))),
        (ShapeError, lambda: nd.SequenceLast(nd.array(np.ones((0, 2, 3))))),
        (DTypeError, lambda: nd.Activation(nd.ones((2, 3), dtype="int32"), act_type="relu")),
        (ShapeError, lambda: nd.ROIPooling(IMAGE, nd.ones((1, 4)), pooled_size=(2, 2), spatial_scale=1)),
        (ShapeError, lambda: nd.ROIPooling(nd.ones((2, 3)), ROI, pooled_size=(2, 2), spatial_scale=1)),
        *((ShapeError, lambda pooled=f: pooled(nd.ones((1, 4, 0, 5)))) for f in REGIONS),
        *((ShapeError, lambda pooled=f: pooled(nd.ones((0, 4, 5, 5)))) for f in REGIONS),
        (AttributeValueError, lambda: nd.ROIPooling(IMAGE, ROI, pooled_size=(2, 2), spatial_scale=2)),
        (AttributeValueError, lambda: nd.ROIPooling(IMAGE, ROI, pooled_size=(2,), spatial_scale=1)),
        (
            ShapeError,
            lambda: nd.contrib.PSROIPooling(IMAGE, ROI, output_dim=2, pooled_size=2, spatial_scale=1),
        ),
        (ShapeError, lambda: deformed(num_deformable_group=3)),
        (AttributeValueError, lambda: deformed(layout="NCW")),
        (AttributeValueError, lambda: deformed(kernel=(1,))),
        (
            AttributeValueError,
            lambda: nd.contrib.ModulatedDeformableConvolution(
                IMAGE, ROI, ROI, ROI, kernel=(1, 1), num_filter=1, num_deformable_group=2, no_bias=True
            ),
        ),
    ],
)
def test_what_does_not_fit_is_refused(error, call):
    with pytest.raises(error, match=r"required|must lie"):
        call()


@pytest.mark.parametrize(
    "name", ["LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"]
)
def test_regressions_pass_over_unknown_attributes(name):  # as real MXNet does, which writes them too
    x = nd.array([[1.0, -2.0]])
    function = getattr(nd, name)
    assert function(x, x, zzz=4).asnumpy().tolist() == function(x, x).asnumpy().tolist()
    symbol = getattr(sym, name)(sym.var("a"), zzz=4, name="r")
    assert symbol.attr_dict() == {"r": {"zzz": "4"}, "r_label": {"zzz": "4"}}
    with pytest.raises(AttributeValueError, match="has no attribute 'zzz'"):
        nd.SoftmaxOutput(x, x, zzz=4)
