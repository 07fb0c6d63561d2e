"""Output operators: they predict in the forward pass, and their gradient is that of a loss with a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, differ, show, size, unify
from .softmax import softmax_of

_OF_A_LOSS = "it is the gradient of a loss already"


class _Output(Operator):
    """What output operators share: an output of the data's shape, and a label for training alone.

    The gradient of the output does not count: a backward pass begins here.

    Inputs:
        data: Scores, (N, *).

    Returns:
        The shape of data.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "label")
    labels: ClassVar[tuple[str, ...]] = ("label",)
    ignores_head: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], *inputs[1:]

    def infer_input_dtypes(
        self, data: DType | None, label: DType | None, *dy: DType | None
    ) -> Sequence[DType | None]:
        return *super().infer_input_dtypes(data), label or data, *[data for _ in dy]


# ---- softmax


@operator("SoftmaxOutput", "Softmax")
class SoftmaxOutput(_Output):
    """The softmax of `data`, whose gradient is that of the cross entropy with `label`.

    The softmax is over all elements of an instance, or as multi_output or preserve_shape say.

    Inputs:
        label: Class indices in data's shape without the classes' axis, which for multi_output may be
            flattened or have size 1; or probabilities in data's shape. Exported models leave it out.

    Attributes:
        grad_scale: A factor of the gradient.
        ignore_label: The label that means none; normalization "valid" does not count it.
        multi_output: Whether the softmax is over axis 1, for each position of (N, K, *spatial).
        use_ignore: Whether the gradient is 0 where the label is ignore_label.
        preserve_shape: Whether the softmax is over the last axis.
        normalization: What the gradient is divided by: "null" the number of positions of one instance,
            "batch" the number of all softmaxes, "valid" the number of labels other than ignore_label.
        out_grad: Whether the gradient is multiplied by that of the output, which does not count otherwise.
        smooth_alpha: How much of the target probability the other classes share; without effect with
            multi_output.

    ONNX: Softmax.
    """

    saves: ClassVar[float] = 0.8
    grad_scale: float = 1.0
    ignore_label: float = -1.0
    multi_output: bool = False
    use_ignore: bool = False
    preserve_shape: bool = False
    normalization: Literal["batch", "null", "valid"] = "null"
    out_grad: bool = False
    smooth_alpha: float = 0.0
    """How much of the target probability goes to the other classes; not with multi_output."""

    def infer_inputs(self, data: Shape | None, label: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return data, label
        possible = self.label_shapes(data)
        if label is None:
            return data, possible[0]
        fitting = [shape for shape in possible if _fits(label, shape)]
        if not fitting:
            raise ShapeError(
                f"SoftmaxOutput: label of shape {' or '.join(map(show, possible))} is required for data "
                f"{show(data)}, got {show(label)}."
            )
        return data, unify(self.names[0], label, fitting[0]) if len(fitting) == 1 else label

    def label_shapes(self, data: Shape) -> list[Shape]:
        """The shapes that a label may have, the usual one first."""
        if len(data) < 2:
            raise ShapeError(f"SoftmaxOutput: data of at least 2 axes is required, got {show(data)}.")
        if not self.multi_output:
            return [data[:-1], data]
        return [(data[0], size(data[2:])), (data[0], *data[2:]), (data[0], 1, *data[2:]), data]

    def forward(self, data: Array, label: Array) -> Array:
        if self.multi_output:
            return softmax_of(data, 1)
        if self.preserve_shape:
            return softmax_of(data, -1)
        return softmax_of(data.reshape(len(data), prod(data.shape[1:])), 1).reshape(data.shape)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, label: Any) -> Sequence[Any]:
        inputs = (y, label, dy) if self.out_grad else (y, label)
        return F._softmax_output_gradient(*inputs, **self.attributes()), None


def _fits(label: Shape, shape: Shape) -> bool:
    return len(label) == len(shape) and not any(map(differ, label, shape))


@operator("_softmax_output_gradient")
class SoftmaxOutputGradient(SoftmaxOutput):
    """The gradient of `SoftmaxOutput` with respect to its data.

    Inputs:
        y: The output of SoftmaxOutput.
        label: The label that SoftmaxOutput was given.
        dy: The gradient of the output; only with out_grad.

    Returns:
        The shape of y.

    ONNX: Equal, Sub and Mul, with Reshape.
    """

    inputs: ClassVar[tuple[str, ...]] = ("y", "label", "dy")
    labels: ClassVar[tuple[str, ...]] = ()
    not_differentiable: ClassVar[str] = _OF_A_LOSS
    refuses_gradient: ClassVar[bool] = True

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.out_grad else self.inputs[:2]

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        y, label = super().infer_inputs(*shapes[:2])
        return (y, label, y) if self.out_grad else (y, label)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return inputs

    def rows(self, y: Sequence[int]) -> tuple[int, int, int]:
        """The shape (softmaxes before, classes, softmaxes after) of y."""
        if self.multi_output:
            return y[0], y[1], prod(y[2:])
        if self.preserve_shape:
            return prod(y[:-1]), y[-1], 1
        return y[0], prod(y[1:]), 1

    def forward(self, y: Array, label: Array, dy: Array | None = None) -> Array:
        if not y.size:
            return np.zeros_like(y)
        if label.shape == y.shape:
            grad = (y - label.astype(y.dtype)) * y.dtype.type(self.grad_scale)
        else:
            grad = self._of_classes(y, label).astype(y.dtype, copy=False)
        result: Array = grad if dy is None else grad * dy
        return result

    def _of_classes(self, y: Array, label: Array) -> Array:
        before, classes, after = self.rows(y.shape)
        numbers = label.astype(np.int64).reshape(-1)
        labels = numbers[: before * after].reshape(before, 1, after)
        hot = np.arange(classes)[:, None] == labels
        grad = y.reshape(before, classes, after) - self.targets(hot, classes)
        ignored = numbers == int(self.ignore_label)
        if self.use_ignore:
            grad = np.where(labels == int(self.ignore_label), 0, grad)
        counts = {"null": after, "batch": before * after, "valid": max(int((~ignored).sum()), 1)}
        result: Array = grad * (self.grad_scale / counts[self.normalization])
        return result.reshape(y.shape)

    def targets(self, hot: Any, classes: int) -> Any:
        """The target probabilities, from `hot`: 1 at the label's class and 0 elsewhere."""
        if not self.smooth_alpha or self.multi_output:
            return hot
        rest = self.smooth_alpha / max(classes - 1, 1)
        return hot * (1 - self.smooth_alpha - rest) + rest


# ---- regression


class _Regression(_Output):
    """What the regressions share: the label may differ in shape as long as batch and size agree.

    Inputs:
        label: The targets, in data's shape or another of the same batch and size. Exported models leave them
            out.

    Attributes:
        grad_scale: A factor of the gradient, which is divided by the number of outputs of an instance.
    """

    passes_over: ClassVar[bool] = True
    grad_scale: float

    def infer_inputs(self, data: Shape | None, label: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return data, label
        if label is None:
            return data, data[:1] if len(data) == 2 and data[1] == 1 else data
        unequal = len(label[:1]) != len(data[:1]) or any(map(differ, label[:1], data[:1]))
        if unequal or differ(size(label), size(data)):
            raise ShapeError(
                f"{self.names[0]}: label of shape {show(data)} is required, got {show(label)}. "
                "Other shapes of the same batch and size will do."
            )
        return data, label

    def scaled(self, F: Any, y: Any, difference: Any) -> Sequence[Any]:
        """The gradients: the difference times grad_scale, divided by an instance's number of outputs."""
        return difference * self.grad_scale / F._count(y, axis=(0,), exclude=True), None


@operator("LinearRegressionOutput", "_sparse_LinearRegressionOutput")
class LinearRegressionOutput(_Regression):
    """`data` as it is, whose gradient is that of half the squared difference to `label`.

    The gradient of the output does not count.

    ONNX: Identity.
    """

    grad_scale: float = 1.0

    def forward(self, data: Array, label: Array) -> Array:
        return data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, label: Any) -> Sequence[Any]:
        return self.scaled(F, y, y - F.reshape_like(label, y))


@operator("LogisticRegressionOutput", "_sparse_LogisticRegressionOutput")
class LogisticRegressionOutput(_Regression):
    """The sigmoid of `data`, whose gradient is that of the binary cross entropy with `label`.

    The gradient of the output does not count.

    ONNX: Sigmoid.
    """

    saves: ClassVar[float] = 0.5
    grad_scale: float = 1.0

    def forward(self, data: Array, label: Array) -> Array:
        sigmoid: Array = 1 / (1 + np.exp(-data))
        return sigmoid

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, label: Any) -> Sequence[Any]:
        return self.scaled(F, y, y - F.reshape_like(label, y))


@operator("MAERegressionOutput", "_sparse_MAERegressionOutput")
class MAERegressionOutput(_Regression):
    """`data` as it is, whose gradient is that of the absolute difference to `label`.

    The gradient of the output does not count.

    ONNX: Identity.
    """

    grad_scale: float = 1.0

    def forward(self, data: Array, label: Array) -> Array:
        return data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, label: Any) -> Sequence[Any]:
        above = y > F.reshape_like(label, y)
        return self.scaled(F, y, above * 2 - 1)


# ---- classes


@operator("_one_hot_like")
class OneHotLike(Operator):
    """A row for each `label` that is 1 at that index and 0 elsewhere, of the size of a row of `like`.

    Inputs:
        label: (N,); one outside of 0 to K - 1 gives a row of zeros.
        like: (N, K), for its shape and dtype.

    Returns:
        (N, K), in the dtype of like.

    ONNX: Equal, with Cast.
    """

    inputs: ClassVar[tuple[str, ...]] = ("label", "like")
    not_differentiable: ClassVar[str] = "it is piecewise constant"

    def infer_input_dtypes(self, label: Any, like: Any) -> Sequence[Any]:
        return label, like

    def infer_dtype(self, label: Any, like: Any) -> Any:
        return like

    def infer_inputs(self, label: Shape | None, like: Shape | None) -> Sequence[Shape | None]:
        data, labels = _class_labels(self.names[0], like, label)
        return labels, data

    def infer_shape(self, label: Shape, like: Shape) -> Shape:
        return like

    def forward(self, label: Array, like: Array) -> Array:
        hot: Array = np.arange(like.shape[1]) == label.astype(np.int64)[:, None]
        return hot.astype(like.dtype)


def _class_labels(owner: str, data: Shape | None, label: Shape | None) -> Sequence[Shape | None]:
    if data is None:
        return data, label
    if len(data) != 2:
        raise ShapeError(f"{owner}: data (N, K) is required, got {show(data)}.")
    return data, data[:1]


@operator("softmax_cross_entropy")
class SoftmaxCrossEntropy(Operator):
    """The cross entropy of the softmax of `data` with the classes `label`, summed over the batch.

    Probabilities below 1e-8 count as 1e-8.

    Inputs:
        data: Scores, (N, K).
        label: Class indices, (N,); one outside of 0 to K - 1 counts as probability 0.

    Returns:
        (1,).

    ONNX: Softmax, ReduceSum and Log.
    """

    saves: ClassVar[float] = 2.0
    inputs: ClassVar[tuple[str, ...]] = ("data", "label")
    takes_ints: ClassVar[bool] = False
    least: ClassVar[float] = 1e-8
    """Probabilities count as no less than this."""

    def infer_inputs(self, data: Shape | None, label: Shape | None) -> Sequence[Shape | None]:
        return _class_labels(self.names[0], data, label)

    def infer_input_dtypes(self, data: DType | None, label: DType | None) -> Sequence[DType | None]:
        return *super().infer_input_dtypes(data), label or data

    def infer_shape(self, data: Shape, label: Shape) -> Shape:
        return (1,)

    def forward(self, data: Array, label: Array) -> Array:
        hot = np.arange(data.shape[1]) == label.astype(np.int64)[:, None]
        picked = np.where(hot, softmax_of(data, 1), 0).sum(1)
        total: Array = -np.log(np.maximum(picked, self.least)).sum(keepdims=True)
        return total.astype(data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, label: Any) -> Sequence[Any]:
        return (F.softmax(data, axis=1) - F._one_hot_like(label, data)) * dy, None


@operator("SVMOutput")
class SVMOutput(_Output):
    """`data` as it is, whose gradient is that of one hinge loss for each class, `label` against the rest.

    Each score should be above the margin for the label's class, and below minus the margin for the others.
    The gradient of the output does not count.

    Inputs:
        data: Scores, (N, K).
        label: Class indices, (N,). Exported models leave them out.

    Attributes:
        margin: The least distance of a score from 0 on its right side.
        regularization_coefficient: A factor of the gradient.
        use_linear: Whether the hinge losses count as they are, not squared.

    Returns:
        The shape of data, (N, K).

    ONNX: Identity.
    """

    margin: float = 1.0
    regularization_coefficient: float = 1.0
    use_linear: bool = False

    def check(self) -> None:
        if self.margin < 0 or self.regularization_coefficient < 0:
            raise AttributeValueError(
                "SVMOutput: margin and regularization_coefficient of at least 0 are required, got "
                f"{self.margin} and {self.regularization_coefficient}."
            )

    def infer_inputs(self, data: Shape | None, label: Shape | None) -> Sequence[Shape | None]:
        return _class_labels(self.names[0], data, label)

    def forward(self, data: Array, label: Array) -> Array:
        return data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, label: Any) -> Sequence[Any]:
        side = F._one_hot_like(label, y) * 2 - 1
        missing = self.margin - side * y
        weight = (missing > 0) if self.use_linear else F.relu(missing) * 2
        return -side * weight * self.regularization_coefficient, None


# ---- regularization


@operator("IdentityAttachKLSparseReg")
class SparseRegularization(Operator):
    """`data` as it is, whose gradient also draws each unit's average towards a small target.

    A Kullback-Leibler divergence of the target from the moving average of sigmoid units, (0, 1), is what the
    penalty is the factor of. When training, the average follows the batch's.

    Inputs:
        data: (N, C, *), the units' values.
        moving_avg: (C,), the moving average, which training changes.

    Attributes:
        sparseness_target: The average that is aimed at.
        penalty: A factor of what the gradient receives beside its own.
        momentum: How much of the moving average stays at a step.

    Returns:
        The shape of data.

    ONNX: Identity.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "moving_avg")
    aux: ClassVar[tuple[str, ...]] = ("moving_avg",)
    outputs: ClassVar[tuple[str, ...]] = ("output", "average")
    hidden: ClassVar[int] = 1
    mode_dependent: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False
    initializers: ClassVar[Mapping[str, str]] = {"moving_avg": '["zero", {}]'}
    sparseness_target: float = 0.1
    penalty: float = 0.001
    momentum: float = 0.9

    def counted(self) -> int:
        return 1

    def infer_inputs(self, data: Shape | None, moving_avg: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return data, moving_avg
        if len(data) < 2:
            raise ShapeError(
                f"IdentityAttachKLSparseReg: data with 2 or more axes is required, got {show(data)}."
            )
        return data, data[1:2]

    def infer_shape(self, data: Shape, moving_avg: Shape) -> list[Shape]:
        return [data, moving_avg]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], *inputs[1:]

    def forward(self, data: Array, moving_avg: Array) -> tuple[Array, Array]:
        total = data.sum((0, *range(2, data.ndim)), dtype=np.promote_types(data.dtype, np.float32))
        count = data.size // max(data.shape[1], 1)
        average = moving_avg * self.momentum + total * ((1 - self.momentum) / max(count, 1))
        return data, average.astype(data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, moving_avg: Any) -> Sequence[Any]:
        average = F._along_axis(y[1], data, axis=1)
        target = self.sparseness_target
        return dy[0] + ((1 - target) / (1 - average) - target / average) * self.penalty, None

    def updated(self, F: Any, y: Any, data: Any, moving_avg: Any) -> Sequence[Any]:
        return (y[1],)
