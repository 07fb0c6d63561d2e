"""Connectionist temporal classification: a loss of sequences whose labels are shorter and not aligned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from ..dtypes import DType
from ..errors import DTypeError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, below, is_zero, show

NEVER = -1e30
"""The logarithm of no probability. It is finite, so that sums of it are, and far below any other."""


class _Labelled(Operator):
    """What the loss and its gradient share: scores of T steps, N sequences and C classes, and L labels each.

    Labels and lengths are rounded to integers. Those that cannot be, labels that are no classes and lengths
    beyond T or L, give nan.

    Inputs:
        data: (T, N, C), scores before softmax.
        label: (N, L), the classes of each sequence, padded; L is at most T.
        data_lengths: (N,), how many of the T steps belong to each sequence; absent without
            `use_data_lengths`.
        label_lengths: (N,), how many labels each sequence has; absent without `use_label_lengths`, then the
            padding ends the labels.

    Attributes:
        use_data_lengths: Whether there are `data_lengths`; else all steps belong to each sequence.
        use_label_lengths: Whether there are `label_lengths`.
        blank_label: Which class is blank: "first" is 0, and 0 pads the labels; "last" is C - 1, and -1 pads.

    ONNX: Scan over the steps, forwards for the loss and backwards as well for its gradient, after LogSoftmax.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "label", "data_lengths", "label_lengths")
    use_data_lengths: bool
    use_label_lengths: bool
    blank_label: Literal["first", "last"]

    def forward_inputs(self) -> tuple[str, ...]:
        """The names of the inputs that the loss has."""
        lengths = {"data_lengths": self.use_data_lengths, "label_lengths": self.use_label_lengths}
        return ("data", "label", *(name for name, used in lengths.items() if used))

    def padding(self) -> int:
        """The label that stands after the last one."""
        return 0 if self.blank_label == "first" else -1

    def forward_input_shapes(
        self, data: Shape | None, label: Shape | None, *lengths: Shape | None
    ) -> list[Any]:
        """The shapes of `forward_inputs`, checked."""
        owner = self.names[0]
        if data is not None and len(data) != 3:
            raise ShapeError(f"{owner}: data (steps, batch, classes) is required, got {show(data)}.")
        if data is not None and is_zero(data[2]):
            raise ShapeError(f"{owner}: a class for blank is required, got data {show(data)}.")
        if label is not None and len(label) != 2:
            raise ShapeError(f"{owner}: label (batch, labels) is required, got {show(label)}.")
        batch: Dim = None if data is None else data[1]
        batch = label[0] if batch is None and label is not None else batch
        steps, most = None if data is None else data[0], None if label is None else label[1]
        if below(steps, most):
            raise ShapeError(
                f"{owner}: at most as many labels as steps are required, got labels {show(label)} for data "
                f"{show(data)}. Cut the labels' padding, or pad the steps and give data_lengths."
            )
        scores = None if data is None else (data[0], batch, data[2])
        return [scores, (batch, most), *[(batch,)] * len(lengths)]

    def infer_input_dtypes(
        self, data: DType | None, label: DType | None, *lengths: DType | None
    ) -> Sequence[DType | None]:
        if data is not None and data.kind != "f":
            raise DTypeError(
                f"{self.names[0]}: floating-point numbers as data are required, got {data}. "
                "Cast with astype('float32')."
            )
        return data, label or data, *[length or data for length in lengths]


class Alignments:
    """All ways in which labels fit steps: paths through blank, label, blank, label, …, blank, S = 2 L + 1.

    Logarithms by state are float64: they sum up over all steps.
    """

    def __init__(self, op: _Labelled, inputs: Sequence[Array]) -> None:
        arrays = dict(zip(op.forward_inputs(), inputs, strict=True))
        data, label = arrays["data"], _nearest(arrays["label"])
        self.scores = data.astype(np.float32) if data.dtype == np.float16 else data
        self.steps, batch, self.classes = data.shape
        self.blank = 0 if op.blank_label == "first" else self.classes - 1
        lengths = arrays.get("data_lengths")
        self.data_lengths = np.full(batch, self.steps) if lengths is None else _nearest(lengths)
        if "label_lengths" in arrays:
            self.lengths = _nearest(arrays["label_lengths"])
        else:
            self.lengths = np.cumprod(label != op.padding(), axis=1).sum(1)
        self.within = np.arange(label.shape[1]) < self.lengths[:, None]
        self.label = np.where(self.within, label, self.blank)
        self.states = np.full((batch, 2 * label.shape[1] + 1), self.blank)
        self.states[:, 1::2] = np.clip(self.label, 0, self.classes - 1)

    def wrong(self) -> Array:
        """(N,): whether labels or lengths cannot be."""
        absent = (self.label < 0) | (self.label >= self.classes)
        beyond = (self.data_lengths < 0) | (self.data_lengths > self.steps)
        beyond |= (self.lengths < 0) | (self.lengths > self.label.shape[1])
        return np.asarray(beyond | absent.any(1))

    def short(self) -> Array:
        """(N,): whether there are too few steps for the labels; between equal ones a blank is needed."""
        repeated = (self.label[:, 1:] == self.label[:, :-1]) & self.within[:, 1:]
        return np.asarray(self.lengths + repeated.sum(1) > self.data_lengths)

    def inside(self) -> Array:
        """(T, N): whether a step is within its sequence."""
        mask: Array = np.arange(self.steps)[:, None] < self.data_lengths
        return mask

    @cached_property
    def skips(self) -> Array:
        """(N, S): 0 for states that the one before last may precede, labels that differ, else never."""
        penalties = np.full(self.states.shape, NEVER)
        labels = self.states[:, 1::2]
        other = (labels[:, 1:] != labels[:, :-1]) & (labels[:, 1:] != self.blank)
        penalties[:, 3::2][other] = 0
        return penalties

    @cached_property
    def logs(self) -> Array:
        """(T, N, C): the logarithms of the classes' probabilities."""
        with np.errstate(invalid="ignore", divide="ignore"):
            low: Array = self.scores - self.scores.max(2, keepdims=True, initial=-np.inf)
            logs: Array = low - np.log(np.exp(low).sum(2, keepdims=True))
        return logs

    @cached_property
    def emitted(self) -> Array:
        """(T, N, S): the logarithms of the states' probabilities."""
        logs = np.take_along_axis(self.logs, self.states[None], axis=2).astype(np.float64)
        return np.maximum(logs, NEVER)

    def forward(self) -> Iterator[Array]:
        """(N, S): the logarithm of all paths' probability to each state, at each step and before the first.

        After its last step a sequence stays as it is.
        """
        state = np.where(np.arange(self.states.shape[1]) == 0, 0.0, NEVER) + np.zeros((len(self.label), 1))
        yield state
        for emitted, inside in zip(self.emitted, self.inside(), strict=True):
            before = np.pad(state, ((0, 0), (2, 0)), constant_values=NEVER)
            new = _total(state, before[:, 1:-1], before[:, :-2] + self.skips) + emitted
            state = np.where(inside[:, None], new, state)
            yield state

    def backward(self) -> Iterator[Array]:
        """(N, S): the same of all paths from each state to the end, at each step from the last one on."""
        ends = np.where(self.last(), 0.0, NEVER)
        state = ends
        for t in range(self.steps)[::-1]:
            yield state
            left = np.pad(state + self.emitted[t], ((0, 0), (0, 2)), constant_values=NEVER)
            skips = np.pad(self.skips, ((0, 0), (0, 2)), constant_values=NEVER)[:, 2:]
            new = _total(left[:, :-2], left[:, 1:-1], left[:, 2:] + skips)
            state = np.where((t < self.data_lengths)[:, None], new, ends)

    def last(self) -> Array:
        """(N, S): whether a path may end there, in the last label or the blank after it."""
        rest = 2 * self.lengths[:, None] - np.arange(self.states.shape[1])
        return np.asarray((rest == 0) | (rest == 1))

    def total(self, state: Array) -> Array:
        """(N,): the logarithm of all paths' probability."""
        ends = np.where(self.last(), state, NEVER)
        most: Array = ends.max(1)
        total: Array = most + np.log(np.exp(ends - most[:, None]).sum(1))
        return total

    def losses(self, total: Array) -> Array:
        """(N,): the losses; MXNet's is 0 where there are too few steps."""
        losses = np.where(total < NEVER / 2, np.inf, -total)
        return np.where(self.wrong(), np.nan, np.where(self.short(), 0, losses))

    def occupied(self) -> Array:
        """(T, N, C): the probability that a step is in a class, by all paths that give the labels."""
        *ways, last = self.forward()
        ways = [*ways[1:], last]
        total = self.total(last)
        probabilities = np.zeros_like(self.logs)
        batch = np.arange(len(total))
        possible = ~(total < NEVER / 2)
        for t, rest in zip(range(self.steps)[::-1], self.backward(), strict=True):
            share = np.where(possible[:, None], np.exp(ways[t] + rest - total[:, None]), 0)
            probabilities[t, :, self.blank] = share[:, ::2].sum(1)
            for k in range(1, share.shape[1], 2):
                probabilities[t, batch, self.states[:, k]] += share[:, k].astype(probabilities.dtype)
        return probabilities

    def gradient(self) -> Array:
        """(T, N, C): the losses' gradients by the scores."""
        with np.errstate(invalid="ignore"):
            gradient = np.where(self.inside()[:, :, None], np.exp(self.logs) - self.occupied(), 0)
        counts = np.where(self.wrong(), np.nan, 1).astype(gradient.dtype)
        result: Array = np.where(self.short()[:, None], 0, gradient) * counts[:, None]
        return result


def _nearest(x: Array) -> Array:
    """The nearest integers, halves upwards, as MXNet reads labels and lengths."""
    with np.errstate(invalid="ignore"):
        return np.floor(x.astype(np.float64) + 0.5).astype(np.int64)


def _total(*logs: Array) -> Array:
    """The logarithm of a sum, of its parts' logarithms."""
    most: Array = np.maximum.reduce(logs)
    total: Array = most + np.log(sum(np.exp(v - most) for v in logs))
    return total


@operator("CTCLoss", "_contrib_CTCLoss", "_contrib_ctc_loss", "ctc_loss")
class CTCLoss(_Labelled):
    """Connectionist temporal classification: the loss of sequences whose labels are not aligned to steps.

    A loss is minus the logarithm of the probability that the steps read as the labels, once repeated classes
    and then blanks are left out; 0 if there are too few steps for that.

    Returns:
        (N,), a loss for each sequence.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output0",)
    use_data_lengths: bool = False
    use_label_lengths: bool = False
    blank_label: Literal["first", "last"] = "first"

    def input_names(self) -> tuple[str, ...]:
        return self.forward_inputs()

    def counted(self) -> int:
        return 2

    def infer_inputs(
        self, data: Shape | None, label: Shape | None, *lengths: Shape | None
    ) -> Sequence[Shape | None]:
        return self.forward_input_shapes(data, label, *lengths)

    def infer_shape(self, data: Shape, label: Shape, *lengths: Shape) -> Shape:
        return (data[1],)

    def forward(self, *inputs: Array) -> Array:
        alignments = Alignments(self, inputs)
        *_, last = alignments.forward()
        return alignments.losses(alignments.total(last)).astype(inputs[0].dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *rest: Any) -> Sequence[Any]:
        inputs = dict(zip(self.forward_inputs(), (data, *rest), strict=True))
        return F._ctc_grad(**inputs, dy=dy, **self.attributes()), *(None for _ in rest)


@operator("_ctc_grad")
class CTCGrad(_Labelled):
    """The gradient of CTCLoss with respect to its data.

    Inputs:
        dy: (N,), the gradient of the losses.

    Returns:
        (T, N, C).
    """

    inputs: ClassVar[tuple[str, ...]] = (*CTCLoss.inputs, "dy")
    not_differentiable: ClassVar[str] = "the gradient of CTCLoss is of first order alone, as MXNet's is"
    refuses_gradient: ClassVar[bool] = True
    use_data_lengths: bool = False
    use_label_lengths: bool = False
    blank_label: Literal["first", "last"] = "first"

    def input_names(self) -> tuple[str, ...]:
        return (*self.forward_inputs(), "dy")

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        *others, dy = shapes
        inputs = self.forward_input_shapes(*others)
        return (*inputs, dy if inputs[0] is None else (inputs[0][1],))

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return (*super().infer_input_dtypes(*dtypes[:-1]), dtypes[0])

    def infer_shape(self, data: Shape, *rest: Shape) -> Shape:
        return data

    def forward(self, *inputs: Array) -> Array:
        *arrays, dy = inputs
        gradient = Alignments(self, arrays).gradient() * dy[:, None]
        return gradient.astype(dy.dtype)
