"""Losses: a prediction and a label to one number for each sample."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any, Unpack

import numpy as np

from ..ndarray.np_shape import is_np_array
from ..typing import Tensor
from ._options import BlockOptions
from .hybrid_block import HybridBlock

__all__ = [
    "CTCLoss",
    "CosineEmbeddingLoss",
    "HingeLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "L2Loss",
    "LogisticLoss",
    "Loss",
    "PoissonNLLLoss",
    "SDMLLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
    "TripletLoss",
]


class Loss(HybridBlock):
    """The base of losses: `weight` scales all samples, `batch_axis` is the one that is not averaged over."""

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def _weighted(self, F: Any, loss: Any, sample_weight: Any) -> Any:
        return _apply_weighting(F, loss, self._weight, sample_weight)

    def _mean(self, F: Any, loss: Any) -> Any:
        """The mean over each sample."""
        return F.mean(loss, axis=self._batch_axis, exclude=True)


def _apply_weighting(F: Any, loss: Any, weight: Any = None, sample_weight: Any = None) -> Any:
    """The loss times the samples' weights and the weight of all, where there are any; users call it."""
    if sample_weight is not None:
        loss = _product(F, loss, sample_weight)
    if weight is None:
        return loss
    if not isinstance(weight, int | float | np.number):
        raise AssertionError(f"Loss: a weight that is a number is required, got {weight!r}.")
    return loss * weight


def _product(F: Any, x: Any, y: Any) -> Any:
    """`x * y` of any shapes that fit; under NumPy's semantics of any types, too."""
    return x * y if is_np_array() else F.broadcast_mul(x, y)


def _reshape_like(F: Any, x: Any, y: Any) -> Any:
    """`x` in the shape of `y`, for users' losses."""
    return F.reshape_like(x, y)


def _log_one_plus_exp(F: Any, x: Any) -> Any:
    """log(1 + exp(-|x|)), which does not overflow."""
    return F.Activation(-F.abs(x), act_type="softrelu")


class L2Loss(Loss):
    """Half of the mean of (label - pred)²."""

    def __init__(self, weight: float = 1.0, batch_axis: int = 0, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(
        self, F: ModuleType, pred: Tensor, label: Tensor, sample_weight: Tensor | None = None
    ) -> Any:
        """The loss of each sample."""
        loss = F.square(F.reshape_like(label, pred) - pred)
        weight = 1.0 if self._weight is None else self._weight
        return self._mean(F, _apply_weighting(F, loss, weight / 2, sample_weight))


class L1Loss(Loss):
    """The mean of |label - pred|."""

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, **kwargs: Unpack[BlockOptions]
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(
        self, F: ModuleType, pred: Tensor, label: Tensor, sample_weight: Tensor | None = None
    ) -> Any:
        """The loss of each sample."""
        loss = F.abs(F.reshape_like(label, pred) - pred)
        return self._mean(F, self._weighted(F, loss, sample_weight))


class SigmoidBinaryCrossEntropyLoss(Loss):
    """The cross entropy of labels in [0, 1] and the sigmoid of `pred`, or `pred` itself if `from_sigmoid`."""

    def __init__(
        self,
        from_sigmoid: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(
        self,
        F: ModuleType,
        pred: Tensor,
        label: Tensor,
        sample_weight: Tensor | None = None,
        pos_weight: Tensor | None = None,
    ) -> Any:
        """The loss of each sample; `pos_weight` scales the part of positive labels."""
        label = F.reshape_like(label, pred)
        entropy = self._of_probability if self._from_sigmoid else self._of_logit
        return self._mean(F, self._weighted(F, entropy(F, pred, label, pos_weight), sample_weight))

    @staticmethod
    def _of_logit(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        if pos_weight is None:
            return F.relu(pred) - pred * label + _log_one_plus_exp(F, pred)
        factor = 1 + _product(F, pos_weight - 1, label)
        return pred - pred * label + factor * (_log_one_plus_exp(F, pred) + F.relu(-pred))

    @staticmethod
    def _of_probability(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        eps = 1e-12
        positive = F.log(pred + eps) * label
        if pos_weight is not None:
            positive = _product(F, positive, pos_weight)
        return -(positive + F.log(1.0 - pred + eps) * (1.0 - label))


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss


class SoftmaxCrossEntropyLoss(Loss):
    """The cross entropy of labels, class numbers or probabilities, and the softmax of `pred` along `axis`."""

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits

    def hybrid_forward(
        self, F: ModuleType, pred: Tensor, label: Tensor, sample_weight: Tensor | None = None
    ) -> Any:
        """The loss of each sample."""
        if not self._from_logits:
            pred = F.log_softmax(pred, self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            loss = -F.sum(pred * F.reshape_like(label, pred), axis=self._axis, keepdims=True)
        return self._mean(F, self._weighted(F, loss, sample_weight))


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """The divergence of probabilities `label` from `pred`, which is log probabilities if `from_logits`."""

    def __init__(
        self,
        from_logits: bool = True,
        axis: int = -1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._axis = axis

    def hybrid_forward(
        self, F: ModuleType, pred: Tensor, label: Tensor, sample_weight: Tensor | None = None
    ) -> Any:
        """The loss of each sample, a sum over its elements."""
        if not self._from_logits:
            pred = F.log_softmax(pred, self._axis)
        loss = label * (F.log(label + 1e-12) - pred)
        return F.sum(self._weighted(F, loss, sample_weight), axis=self._batch_axis, exclude=True)


class CTCLoss(Loss):
    """Connectionist temporal classification: scores of each time step against a shorter row of labels.

    `layout` orders the axes of `pred`, batch, time and classes, the last of which is blank; `label_layout`
    those of `label`.
    """

    def __init__(
        self,
        layout: str = "NTC",
        label_layout: str = "NT",
        weight: float | None = None,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        if layout not in ("NTC", "TNC"):
            raise AssertionError(f"Only 'NTC' and 'TNC' layouts for pred are supported. Got: {layout}")
        if label_layout not in ("NT", "TN"):
            raise AssertionError(f"Only 'NT' and 'TN' layouts for label are supported. Got: {label_layout}")
        self._layout = layout
        self._label_layout = label_layout
        super().__init__(weight, label_layout.index("N"), **kwargs)

    def hybrid_forward(
        self,
        F: ModuleType,
        pred: Tensor,
        label: Tensor,
        pred_lengths: Tensor | None = None,
        label_lengths: Tensor | None = None,
        sample_weight: Tensor | None = None,
    ) -> Any:
        """The loss of each sample; the lengths, (N,), say how much of its rows counts."""
        if self._layout == "NTC":
            pred = F.swapaxes(pred, 0, 1)
        if self._batch_axis == 1:
            label = F.swapaxes(label, 0, 1)
        loss = F.CTCLoss(
            pred,
            label,
            pred_lengths,
            label_lengths,
            use_data_lengths=pred_lengths is not None,
            use_label_lengths=label_lengths is not None,
            blank_label="last",
        )
        return self._weighted(F, loss, sample_weight)


class HuberLoss(Loss):
    """The mean of the squares of small differences, and of the absolute values of those beyond `rho`."""

    def __init__(
        self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Unpack[BlockOptions]
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(
        self, F: ModuleType, pred: Tensor, label: Tensor, sample_weight: Tensor | None = None
    ) -> Any:
        """The loss of each sample."""
        off = F.abs(F.reshape_like(label, pred) - pred)
        loss = F.where(off > self._rho, off - 0.5 * self._rho, (0.5 / self._rho) * F.square(off))
        return self._mean(F, self._weighted(F, loss, sample_weight))


class HingeLoss(Loss):
    """The mean of what `margin` exceeds label × pred by; labels are -1 or 1."""

    def __init__(
        self,
        margin: float = 1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self, F: ModuleType, pred: Tensor, label: Tensor, sample_weight: Tensor | None = None
    ) -> Any:
        """The loss of each sample."""
        loss = F.relu(self._margin - pred * F.reshape_like(label, pred))
        return self._mean(F, self._weighted(F, loss, sample_weight))


class SquaredHingeLoss(Loss):
    """The mean of the squares of what `margin` exceeds label × pred by; labels are -1 or 1."""

    def __init__(
        self,
        margin: float = 1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self, F: ModuleType, pred: Tensor, label: Tensor, sample_weight: Tensor | None = None
    ) -> Any:
        """The loss of each sample."""
        loss = F.square(F.relu(self._margin - pred * F.reshape_like(label, pred)))
        return self._mean(F, self._weighted(F, loss, sample_weight))


class LogisticLoss(Loss):
    """The mean of log(1 + exp(-label × pred)); labels are -1 or 1 ("signed"), or 0 or 1 ("binary")."""

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: int = 0,
        label_format: str = "signed",
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise ValueError(
                f"LogisticLoss: label_format 'signed' or 'binary' is required, got {label_format!r}."
            )
        self._label_format = label_format

    def hybrid_forward(
        self, F: ModuleType, pred: Tensor, label: Tensor, sample_weight: Tensor | None = None
    ) -> Any:
        """The loss of each sample."""
        label = F.reshape_like(label, pred)
        if self._label_format == "signed":
            label = (label + 1.0) / 2.0
        loss = F.relu(pred) - pred * label + _log_one_plus_exp(F, pred)
        return self._mean(F, self._weighted(F, loss, sample_weight))


class TripletLoss(Loss):
    """What squared distance to `positive` plus `margin` exceeds the squared distance to `negative` by."""

    def __init__(
        self,
        margin: float = 1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: ModuleType, pred: Tensor, positive: Tensor, negative: Tensor) -> Any:
        """The loss of each sample."""
        near = F.square(F.reshape_like(positive, pred) - pred)
        far = F.square(F.reshape_like(negative, pred) - pred)
        distance = F.sum(near - far, axis=self._batch_axis, exclude=True)
        return self._weighted(F, F.relu(distance + self._margin), None)


class PoissonNLLLoss(Loss):
    """The mean negative log likelihood of counts with the rates `pred`, or exp(pred) if `from_logits`."""

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._compute_full = compute_full

    def hybrid_forward(
        self,
        F: ModuleType,
        pred: Tensor,
        target: Tensor,
        sample_weight: Tensor | None = None,
        epsilon: float = 1e-08,
    ) -> Any:
        """The loss of all samples together, (1,); `compute_full` adds log(target!) by Stirling's formula."""
        target = F.reshape_like(target, pred)
        if self._from_logits:
            loss = F.exp(pred) - target * pred
        else:
            loss = pred - target * F.log(pred + epsilon)
        if self._compute_full:
            loss = loss + self._log_factorial(F, target)
        return F.mean(self._weighted(F, loss, sample_weight))

    @staticmethod
    def _log_factorial(F: Any, target: Any) -> Any:
        large = target > 1
        base = F.where(large, target, F.ones_like(target))  # whose logarithm exists
        factor = base * F.log(base) - base + 0.5 * F.log(2 * math.pi * base)
        return F.where(large, factor, F.zeros_like(target))


class CosineEmbeddingLoss(Loss):
    """1 - cosine of rows that belong together (label 1), what it exceeds `margin` by of others (label -1)."""

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: int = 0,
        margin: float = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self,
        F: ModuleType,
        input1: Tensor,
        input2: Tensor,
        label: Tensor,
        sample_weight: Tensor | None = None,
    ) -> Any:
        """The loss of each row, (N, 1)."""
        cosine = self._cosine(F, F.reshape_like(input1, input2), input2)
        label = F.reshape(label, (-1, 1))
        other = F.relu((label == -1) * (cosine - self._margin))
        return self._weighted(F, (1 - cosine) * (label == 1) + other, sample_weight)

    @staticmethod
    def _cosine(F: Any, x: Any, y: Any) -> Any:
        lengths = [F.reshape(F.norm(v, axis=-1), (-1, 1)) for v in (x, y)]
        product = F.reshape(F.sum(x * y, axis=-1), (-1, 1))
        return product / F._maximum_scalar(lengths[0] * lengths[1], scalar=1e-12)


class SDMLLoss(Loss):
    """The divergence of the softmax of negative distances between all rows from (smoothed) equality.

    Row i of one input belongs to row i of the other; all other rows of the batch count as not belonging.
    """

    def __init__(
        self,
        smoothing_parameter: float = 0.3,
        weight: float = 1.0,
        batch_axis: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.kl_loss = KLDivLoss(from_logits=True)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: ModuleType, x1: Tensor, x2: Tensor) -> Any:
        """The loss of each row."""
        gaps = F.broadcast_sub(F.expand_dims(x1, 1), F.expand_dims(x2, 0))
        closeness = F.log_softmax(-F.sum(F.square(gaps), axis=2), axis=1)
        return self.kl_loss(closeness, self._labels(F, x1))

    def _labels(self, F: Any, x: Any) -> Any:
        """A matrix (N, N) with most on the diagonal and the rest spread evenly."""
        numbers = F.contrib.arange_like(x, axis=0)
        same = F.broadcast_equal(F.expand_dims(numbers, 1), F.expand_dims(numbers, 0))
        others = F.reshape(F.sum(F.ones_like(numbers)), (1, 1)) - 1
        spread = F.broadcast_div((1 - same) * self.smoothing_parameter, others)
        return same * (1 - self.smoothing_parameter) + spread
