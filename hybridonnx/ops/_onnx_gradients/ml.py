"""Gradients of the operators of ai.onnx.ml: of their inputs, as their coefficients are attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import MXNetError
from .._onnx_text import NodeText
from ._nodes import Nodes, composed
from ._table import constant, gradient_of, refused

_DOMAIN = "ai.onnx.ml"


def _ml(*op_types: str) -> list[str]:
    return [f"{_DOMAIN}.{op_type}" for op_type in op_types]


constant("it is piecewise constant", *_ml("Binarizer"))
constant(
    "trees are piecewise constant", *_ml("TreeEnsemble", "TreeEnsembleClassifier", "TreeEnsembleRegressor")
)
constant("it looks up keys", *_ml("LabelEncoder", "CategoryMapper", "OneHotEncoder"))
refused("maps are no arrays", *_ml("CastMap", "DictVectorizer", "ZipMap"))
refused("its scores are votes, or come of a search for probabilities", *_ml("SVMClassifier"))


def _single(g: Nodes, x: Any) -> Any:
    """What the kernels compute in."""
    return g.Cast(x, to=1)


def _numbers(node: NodeText, name: str) -> np.ndarray[Any, Any]:
    """The values of an attribute."""
    return np.array(node.attributes.get(name, ()), np.float32)


def _rows(g: Nodes, x: Any) -> Any:
    """A matrix of which a vector is one row."""
    return g.Reshape(x, g.joined(-1, g.sizes(x, -1)))


@composed(*_ml("Scaler"))
def scaler(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """The distance from an offset by a scale, one for all or for each column."""
    return g.Mul(g.Sub(_single(g, x), _numbers(node, "offset")), _numbers(node, "scale"))


@composed(*_ml("Normalizer"))
def normalizer(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """Rows by their norm; those whose norm is 0 stay."""
    data, kind = _single(g, x), node.attributes.get("norm", "MAX")
    if kind == "MAX":
        length = g.ReduceMax(data, [-1])
    elif kind == "L1":
        length = g.ReduceSum(g.Abs(data), [-1])
    else:
        squares = g.ReduceSum(g.Mul(data, data), [-1])
        zero = g.Equal(squares, 0)
        length = g.Sqrt(g.Where(zero, g.number(1, squares), squares))
    return g.Div(data, g.Where(g.Equal(length, 0), g.number(1, length), length))


# ---- sums by coefficients


@composed(*_ml("LinearRegressor"))
def linear_regressor(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """A product with the coefficients."""
    targets = node.attributes.get("targets", 1)
    scores = _linear(g, node, x, targets)
    several = targets > 1 or _post_transform(node) == "PROBIT"  # ONNX Runtime leaves others as they are
    return _transformed(g, node, scores) if several else scores


@composed(*_ml("LinearClassifier"))
def linear_classifier(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> tuple[Any, Any]:
    """A score for each class; of two classes that share one the first has what is left to 1."""
    count = len(node.attributes["intercepts"])
    scores = _linear(g, node, x, count)
    if count > 1:
        return None, _transformed(g, node, scores)
    second = g.Sigmoid(scores) if _post_transform(node) == "LOGISTIC" else scores
    return None, g.Concat(g.Sub(1.0, second), second, axis=1)


def _linear(g: Nodes, node: NodeText, x: Any, count: int) -> Any:
    """Products (N, count) with coefficients, and intercepts."""
    weight = _numbers(node, "coefficients").reshape(count, -1).T
    scores = g.MatMul(_rows(g, _single(g, x)), np.ascontiguousarray(weight))
    bias = _numbers(node, "intercepts")
    return g.Add(scores, bias) if bias.size else scores


def _transformed(g: Nodes, node: NodeText, scores: Any) -> Any:
    """What the node makes of several scores."""
    transform = _TRANSFORMS.get(_post_transform(node))
    return transform(g, scores) if transform else scores


def _post_transform(node: NodeText) -> str:
    kind: str = node.attributes.get("post_transform", "NONE")
    if kind == "PROBIT":
        raise MXNetError(
            f"_onnx_{_DOMAIN}.{node.op_type}: a post_transform other than PROBIT is required for a gradient. "
            "Freeze the parameters before it, or stop the gradient with BlockGrad."
        )
    return kind


def _softmax_zero(g: Nodes, scores: Any) -> Any:
    """Softmax over the scores that are not 0, which stay."""
    near = g.LessOrEqual(g.Abs(scores), 1e-7)
    exps = g.Exp(g.Sub(scores, g.ReduceMax(scores, [-1])))
    kept = g.Mul(exps, g.CastLike(g.Not(near), exps))
    return g.Div(g.Where(near, scores, kept), g.ReduceSum(kept, [-1]))


_TRANSFORMS: dict[str, Callable[[Nodes, Any], Any]] = {
    "LOGISTIC": lambda g, scores: g.Sigmoid(scores),
    "SOFTMAX": lambda g, scores: g.Softmax(scores, axis=-1),
    "SOFTMAX_ZERO": _softmax_zero,
}


@composed(*_ml("SVMRegressor"))
def svm_regressor(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """The sum of the kernel's values at the support vectors, by their coefficients."""
    data, coefficients = _rows(g, _single(g, x)), _numbers(node, "coefficients").reshape(-1, 1)
    count = node.attributes.get("n_supports", 0)
    if node.attributes.get("one_class", 0):
        return g.Sign(g.MatMul(data, np.ones((1, 1), np.float32)))
    if count:
        data = _kernel(g, node, data, _numbers(node, "support_vectors").reshape(count, -1))
    return g.Add(g.MatMul(data, coefficients), _numbers(node, "rho")[:1])


def _kernel(g: Nodes, node: NodeText, data: Any, vectors: np.ndarray[Any, Any]) -> Any:
    """What the kernel makes of each row and support vector (N, S)."""
    kind = node.attributes.get("kernel_type", "LINEAR")
    gamma, shift, degree = (*node.attributes.get("kernel_params", ()), 0.0, 0.0, 0.0)[:3]
    if kind == "RBF":
        centre = vectors.mean(axis=0, keepdims=True)  # around which less is lost in squares
        apart, others = g.Sub(data, centre), vectors - centre
        squares = g.ReduceSum(g.Mul(apart, apart), [-1])
        products = g.MatMul(apart, np.ascontiguousarray(others.T))
        lengths = np.square(others).sum(axis=1, dtype=np.float32)
        return g.Exp(g.Mul(g.Add(g.Sub(squares, g.Mul(products, 2.0)), lengths), -gamma))
    products = g.MatMul(data, np.ascontiguousarray(vectors.T))
    if kind == "LINEAR":
        return products
    value = g.Add(g.Mul(products, gamma), shift)
    return g.Tanh(value) if kind == "SIGMOID" else g.Pow(value, float(degree))


# ---- columns


@gradient_of(*_ml("Imputer"))
def imputer(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any) -> Sequence[Any]:
    """Nothing to what was replaced."""
    value = node.attributes.get("replaced_value_float", 0.0)
    replaced = g.IsNaN(x) if np.isnan(value) else g.Equal(x, g.number(value, x))
    return (g.Where(replaced, g.number(0, dy[0]), dy[0]),)


@composed(*_ml("ArrayFeatureExtractor"), operands=(1,))
def array_feature_extractor(g: Nodes, node: NodeText, y: Sequence[Any], x: Any, indices: Any) -> Any:
    """Elements of the last axis."""
    return g.as_shape_of(g.Gather(x, g.Reshape(indices, [-1]), axis=-1), y[0])


@composed(*_ml("FeatureVectorizer"))
def feature_vectorizer(g: Nodes, node: NodeText, y: Sequence[Any], *data: Any) -> Any:
    """Matrices side by side, each cut or filled to its number of columns."""
    sizes = node.attributes["inputdimensions"]
    parts = [g.fitted(_single(g, x), [1], [size]) for x, size in zip(data, sizes, strict=True)]
    return g.Concat(*parts, axis=1)
