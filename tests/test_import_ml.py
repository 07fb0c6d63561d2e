"""Operators of ai.onnx.ml: what they become, and gradients beside derivatives of ONNX Runtime's numbers."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import hybridonnx as mx
from hybridonnx import autograd
from hybridonnx.errors import MXNetError
from tests import onnx_gradients as checks
from tests.runtimes import started

ML = "ai.onnx.ml"


def numbers(*shape, low=-1.0, high=1.0, seed=3):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def floats(*shape, seed=4, **limits):
    return [float(v) for v in numbers(*shape, seed=seed, **limits).ravel()]


X = numbers(5, 4)
LARGEST = X + np.eye(5, 4, dtype=np.float32) * 3 + np.eye(5, 4, -4, dtype=np.float32) * 3
"""Of each row one number is far above the others."""
HOLES = np.where(np.eye(5, 4) > 0, np.float32(np.nan), X)
LINEAR = {"coefficients": floats(3, 4), "intercepts": floats(3, seed=5)}
BINARY = {"coefficients": floats(4), "intercepts": [0.25], "classlabels_ints": [3, 8]}
CLASSES = {**LINEAR, "classlabels_strings": ["a", "b", "c"]}
KERNEL = {
    "coefficients": floats(6),
    "support_vectors": floats(6, 4, seed=6),
    "n_supports": 6,
    "rho": [0.3],
    "kernel_params": [0.5, 0.7, 3.0],
}
NO_VECTORS = {"n_supports": 0, "rho": [0.3], "kernel_type": "LINEAR", "kernel_params": [0.0, 0.0, 3.0]}

FORMS = {
    "Scaler": ("Scaler", {"offset": floats(4), "scale": floats(4, seed=5)}),
    "Scaler-one": ("Scaler", {"offset": [0.5], "scale": [-2.0]}),
    "Normalizer-max": ("Normalizer", {"norm": "MAX"}),
    "Normalizer-l1": ("Normalizer", {"norm": "L1"}),
    "Normalizer-l2": ("Normalizer", {"norm": "L2"}),
    "LinearRegressor": ("LinearRegressor", {"targets": 3, **LINEAR}),
    "LinearRegressor-one": ("LinearRegressor", {"coefficients": floats(4)}),
    "LinearRegressor-softmax": ("LinearRegressor", {"targets": 3, **LINEAR, "post_transform": "SOFTMAX"}),
    "LinearRegressor-logistic": ("LinearRegressor", {"targets": 3, **LINEAR, "post_transform": "LOGISTIC"}),
    "LinearRegressor-alone": ("LinearRegressor", {"coefficients": floats(4), "post_transform": "LOGISTIC"}),
    "LinearClassifier": ("LinearClassifier", CLASSES),
    "LinearClassifier-softmax": ("LinearClassifier", {**CLASSES, "post_transform": "SOFTMAX"}),
    "LinearClassifier-zero": ("LinearClassifier", {**CLASSES, "post_transform": "SOFTMAX_ZERO"}),
    "LinearClassifier-logistic": ("LinearClassifier", {**CLASSES, "post_transform": "LOGISTIC"}),
    "LinearClassifier-binary": ("LinearClassifier", BINARY),
    "LinearClassifier-binary-logistic": ("LinearClassifier", {**BINARY, "post_transform": "LOGISTIC"}),
    "LinearClassifier-binary-softmax": ("LinearClassifier", {**BINARY, "post_transform": "SOFTMAX"}),
    "SVMRegressor-rbf": ("SVMRegressor", {**KERNEL, "kernel_type": "RBF"}),
    "SVMRegressor-poly": ("SVMRegressor", {**KERNEL, "kernel_type": "POLY"}),
    "SVMRegressor-sigmoid": ("SVMRegressor", {**KERNEL, "kernel_type": "SIGMOID"}),
    "SVMRegressor-linear": ("SVMRegressor", {**KERNEL, "kernel_type": "LINEAR"}),
    "SVMRegressor-no-vectors": ("SVMRegressor", {"coefficients": floats(4), **NO_VECTORS}),
    "Imputer": ("Imputer", {"imputed_value_floats": [7.0], "replaced_value_float": float("nan")}),
    "FeatureVectorizer": ("FeatureVectorizer", {"inputdimensions": [4]}),
}


DATA = {"Normalizer-max": LARGEST, "Imputer": HOLES}


def case(name):
    op_type, attributes = FORMS[name]
    outputs = 2 if op_type == "LinearClassifier" else 1
    return checks.case_of(op_type, [DATA.get(name, X)], 1, outputs, domain=ML, **attributes)


@pytest.mark.parametrize("name", FORMS)
def test_gradient(name):
    node = case(name)
    for function in (checks.eager(node), checks.hybridized(node)):
        checks.check(node, function)


@pytest.mark.parametrize("name", [name for name in FORMS if "Vectorizer" not in name])
def test_second_gradient(name):
    checks.check_second(case(name))


def test_what_was_replaced_gets_nothing():
    node = checks.case_of(
        "Imputer", [X], 1, domain=ML, imputed_value_floats=[7.0], replaced_value_float=float(X[1, 2])
    )
    grad = checks.gradients(node, checks.eager(node), [np.ones_like(X)])["x0"]
    np.testing.assert_array_equal(grad, X[1, 2] != X)


def test_elements_that_were_taken_get_the_gradient():
    indices = np.array([3, 0, 3])
    node = checks.case_of("ArrayFeatureExtractor", [X, indices], 1, domain=ML)
    for function in (checks.eager(node), checks.hybridized(node)):
        grad = checks.gradients(node, function, [np.ones((5, 3), np.float32)])["x0"]
        np.testing.assert_array_equal(grad, np.tile(np.float32([1, 0, 0, 2]), (5, 1)))


@pytest.mark.parametrize("op_type", ["LinearRegressor", "LinearClassifier"])
def test_probits_are_refused(op_type):
    attributes = {**LINEAR, "post_transform": "PROBIT"}
    attributes |= {"targets": 3} if op_type == "LinearRegressor" else {"classlabels_ints": [1, 2, 3]}
    outputs = 1 if op_type == "LinearRegressor" else 2
    node = checks.case_of(op_type, [X], 1, outputs, domain=ML, **attributes)
    with pytest.raises(MXNetError, match="a post_transform other than PROBIT is required for a gradient"):
        checks.gradients(node, checks.eager(node), node.heads())


def test_trees_give_no_gradient():
    leaf = {"nodes_falsenodeids": [2, 0, 0], "nodes_truenodeids": [1, 0, 0], "nodes_values": [0.1, 0.0, 0.0]}
    tree = {"nodes_treeids": [0] * 3, "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0] * 3, **leaf}
    targets = {"target_treeids": [0, 0], "target_nodeids": [1, 2], "target_ids": [0, 0], "n_targets": 1}
    modes = ["BRANCH_LEQ", "LEAF", "LEAF"]
    node = checks.case_of(
        "TreeEnsembleRegressor",
        [X],
        1,
        domain=ML,
        nodes_modes=modes,
        target_weights=[1.0, 2.0],
        **tree,
        **targets,
    )
    assert not checks.gradients(node, checks.eager(node), node.heads())["x0"].any()


# ---- what becomes MXNet's own


def model(name, dtype=np.float32, dims=("n", 4)):
    op_type, attributes = FORMS[name]
    node = helper.make_node(op_type, ["x"], ["y"], domain=ML, **attributes)
    x = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), dims)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "graph", [x], [y])
    imports = [helper.make_opsetid("", 18), helper.make_opsetid(ML, 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=9)


OWN = ["Scaler", "Scaler-one", "Normalizer-max", "Normalizer-l1", "Normalizer-l2"]
OWN += ["LinearRegressor", "LinearRegressor-one"]


@pytest.mark.parametrize("name", OWN)
def test_the_numbers_of_mxnets_operators(name, tmp_path):
    """As ONNX Runtime has them, eagerly, hybridized, saved natively, and exported, at other sizes as well."""
    proto = model(name)
    net = mx.onnx.import_to_gluon(proto.SerializeToString())
    symbol, *_ = mx.onnx.import_model(proto.SerializeToString())
    assert not any(node.op_name.startswith("_onnx") for node in symbol.nodes())
    exported = mx.onnx.export_model(net, str(tmp_path / "again.onnx"), input_shapes=[("n", 4)])
    files = net.export(str(tmp_path / "native"))
    again = mx.gluon.SymbolBlock.imports(files[0], ["x"], files[1])
    for x in (X, np.vstack([numbers(3, 4, seed=9), np.zeros((1, 4), np.float32)])):
        (expected,) = started(proto).run(None, {"x": x})
        for hybrid in (False, True):
            net.hybridize(hybrid)
            np.testing.assert_allclose(net(mx.nd.array(x)).asnumpy(), expected, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(again(mx.nd.array(x)).asnumpy(), expected, rtol=1e-6, atol=1e-7)
        (y,) = started(onnx.load(exported)).run(None, {"x": x})
        np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float64", "int64", "int32"])
def test_a_scaler_takes_all_numbers(dtype):
    """Its result is of float32; of float64 it is rounded once."""
    proto = model("Scaler", dtype)
    x = (numbers(5, 4, low=-1e6, high=1e6) / 7).astype(dtype)
    (expected,) = started(proto).run(None, {"x": x})
    net = mx.onnx.import_to_gluon(proto.SerializeToString())
    for hybrid in (False, True):
        net.hybridize(hybrid)
        got = net(mx.nd.array(x, dtype=dtype)).asnumpy()
        assert got.dtype == expected.dtype == np.float32
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["Scaler", "Normalizer-l2", "LinearRegressor-one"])
def test_a_vector_is_one_row(name):
    proto = model(name, dims=(4,))
    (expected,) = started(proto).run(None, {"x": X[0]})
    net = mx.onnx.import_to_gluon(proto.SerializeToString())
    np.testing.assert_allclose(net(mx.nd.array(X[0])).asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("hybrid", [False, True])
def test_the_weights_of_a_regressor_train(hybrid):
    """Their gradients are those of a product, and a step moves them."""
    net = mx.onnx.import_to_gluon(model("LinearRegressor").SerializeToString())
    net.hybridize(hybrid)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    parameters = net.collect_params()
    weight, bias = (next(p for name, p in parameters.items() if role in name) for role in ("weight", "bias"))
    before, head = weight.data().asnumpy(), numbers(5, 3, seed=8)
    np.testing.assert_array_equal(before.ravel(), np.float32(LINEAR["coefficients"]))
    with autograd.record():
        y = net(mx.nd.array(X))
    y.backward(mx.nd.array(head))
    np.testing.assert_allclose(weight.grad().asnumpy(), head.T @ X, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(bias.grad().asnumpy(), head.sum(0), rtol=1e-5, atol=1e-6)
    trainer.step(1)
    np.testing.assert_allclose(weight.data().asnumpy(), before - head.T @ X, rtol=1e-5, atol=1e-5)


def test_scales_do_not_train():
    net = mx.onnx.import_to_gluon(model("Scaler").SerializeToString())
    assert {p.grad_req for p in net.collect_params().values()} == {"null"}


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_network_before_a_kernel_trains(hybrid):
    """The gradient of a weight goes through an imported regressor, whose batch is free."""
    kernel = mx.onnx.import_to_gluon(model("SVMRegressor-rbf").SerializeToString())
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(4, use_bias=False, in_units=3), kernel)
    net.initialize()
    net.hybridize(hybrid)
    weight = net[0].weight
    weight.set_data(mx.nd.array(numbers(4, 3, seed=12)))
    before, direction = weight.data().asnumpy(), numbers(4, 3, seed=13)
    for count in (2, 5):
        x = mx.nd.array(numbers(count, 3, seed=count))
        with autograd.record():
            total = net(x).sum()
        total.backward()
        got = float((weight.grad().asnumpy() * direction).sum())
        sums = []
        for sign in (1, -1):
            weight.set_data(mx.nd.array(before + sign * np.float32(0.02) * direction))
            sums.append(float(net(x).asnumpy().sum(dtype=np.float64)))
        weight.set_data(mx.nd.array(before))
        assert abs(got - (sums[0] - sums[1]) / 0.04) < 2e-3 * max(1, abs(got))
