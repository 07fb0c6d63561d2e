"""The likelihood of Hawkes processes, whose events make further events more likely for a while."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..dtypes import DType
from ..errors import DTypeError, MXNetError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, differ, show, unify

_SIZES = {
    "lda": "NK",
    "alpha": "K",
    "beta": "K",
    "state": "NK",
    "lags": "NT",
    "marks": "NT",
    "valid_length": "N",
    "max_time": "N",
    "dy": "N",
}


class _Hawkes(Operator):
    """What the likelihood and its gradient share.

    Each of the N samples has K processes, with the intensity `lda + alpha beta s exp(-beta d)` at a time `d`
    after the last event of the process, and `s` just after that event.

    Inputs:
        lda: (N, K), the intensities without events.
        alpha: (K,), how many events an event brings about.
        beta: (K,), how fast that ceases.
        state: (N, K), s at the begin of time.
        lags: (N, T), the times between one event and the next, of whatever processes.
        marks: (N, T), the processes of the events, from 0 up, int32.
        valid_length: (N,), how many events there are; fractions count as one.
        max_time: (N,), the end of time, from the begin on.
    """

    takes_ints: ClassVar[bool] = False

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        owner, letters = self.names[0], [_SIZES[name] for name in self.inputs]
        sizes: dict[str, Any] = {}
        for name, axes, shape in zip(self.inputs, letters, shapes, strict=True):
            known = dict(zip(axes, shape or (), strict=False))
            if shape is not None and (
                len(shape) != len(axes) or any(differ(d, sizes.get(axis)) for axis, d in known.items())
            ):
                beside = ", ".join(f"{axis} = {d}" for axis, d in sizes.items()) or "nothing"
                raise ShapeError(
                    f"{owner}: {name} of shape ({', '.join(axes)}) with N samples, K processes and T events "
                    f"is required, got {show(shape)} beside {beside}."
                )
            for axis, d in known.items():
                merged = unify(owner, (d,), (sizes.get(axis),))
                sizes[axis] = None if merged is None else merged[0]
        return [
            tuple(sizes[axis] for axis in axes) if set(axes) <= sizes.keys() else None for axes in letters
        ]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        at = self.inputs.index("marks")
        if dtypes[at] not in (None, np.dtype(np.int32)):
            raise DTypeError(
                f"{self.names[0]}: marks of int32 are required, got {dtypes[at]}. Cast with astype('int32')."
            )
        others = list(super().infer_input_dtypes(*dtypes[:at], *dtypes[at + 1 :]))
        return [*others[:at], np.dtype(np.int32), *others[at:]]


class Event(NamedTuple):
    """The next event of each sample, or the end of time; all but `inside` count within the events inside."""

    inside: Array
    """(N,): which samples have one."""
    mark: tuple[Array, Array]
    """Indices of the processes in (N, K)."""
    since: Array
    """The times since the last events of these processes."""
    decay: Array
    """What is left of the states since then."""


class Likelihood:
    """The processes of all samples, event by event."""

    def __init__(self, owner: str, inputs: Sequence[Array]) -> None:
        narrow = inputs[0].dtype == np.float16
        arrays = [a.astype(np.float32) if narrow and a.dtype.kind == "f" else a for a in inputs]
        self.lda, self.alpha, self.beta, state, self.lags, self.marks, self.valid, self.end = arrays[:8]
        self.state = state.copy()
        self.count = self.lda.shape[1]
        inside = np.arange(self.lags.shape[1]) < self.valid[:, None]
        if ((self.marks < 0) | (self.marks >= self.count))[inside].any():
            raise MXNetError(
                f"{owner}: marks below {self.count}, the number of processes, are required, got marks from "
                f"{self.marks[inside].min()} to {self.marks[inside].max()}."
            )

    def events(self) -> Iterator[Event]:
        """The events in their order; `state` is that just after the event before of each process.

        The end of time follows as one more event of every process.
        """
        time, last = np.zeros_like(self.end), np.zeros_like(self.lda)
        for j in range(self.lags.shape[1]):
            inside = j < self.valid
            rows = np.flatnonzero(inside)
            mark = rows, self.marks[rows, j]
            time[rows] += self.lags[rows, j]
            since = time[rows] - last[mark]
            decay = np.exp(-self.beta[mark[1]] * since)
            yield Event(inside, mark, since, decay)
            self.state[mark] = 1 + self.state[mark] * decay
            last[mark] = time[rows]
        rows, processes = np.indices(self.lda.shape).reshape(2, -1)
        since = self.end[rows] - last[rows, processes]
        yield Event(np.zeros(0, np.bool_), (rows, processes), since, np.exp(-self.beta[processes] * since))

    def logarithms(self) -> tuple[Array, Array]:
        """(N,): the logarithms of the likelihoods; (N, K): the states at the end of time."""
        total = np.zeros_like(self.end)
        for event in self.events():
            rows, k = event.mark
            mu, alpha, state = self.lda[event.mark], self.alpha[k], self.state[event.mark]
            if event.inside.size:
                with np.errstate(divide="ignore", invalid="ignore"):
                    total[rows] += np.log(mu + alpha * self.beta[k] * state * event.decay)
            np.add.at(total, rows, -(mu * event.since + alpha * state * (1 - event.decay)))
        return total, self.state * event.decay.reshape(self.state.shape)

    def gradient(self, dy: Array) -> tuple[Array, Array, Array]:
        """(N, K), (K,), (K,): the gradients of lda, alpha and beta."""
        slope = np.zeros_like(self.state)  # of the states by beta
        parts = [np.zeros_like(self.lda) for _ in range(3)]
        for event in self.events():
            k, d, ed = event.mark[1], event.since, event.decay
            alpha, beta = self.alpha[k], self.beta[k]
            mu, s, z = (a[event.mark] for a in (self.lda, self.state, slope))
            slopes = [-d, -s * (1 - ed), -alpha * (z * (1 - ed) + s * d * ed)]
            if event.inside.size:
                by_beta = alpha * ed * (s + beta * z - beta * s * d)
                intensity = mu + alpha * beta * s * ed
                slopes = [a + b / intensity for a, b in zip(slopes, (1, beta * s * ed, by_beta), strict=True)]
                slope[event.mark] = (z - s * d) * ed
            for part, value in zip(parts, slopes, strict=True):
                part[event.mark] += value
        weighted = [part * dy[:, None] for part in parts]
        return weighted[0], weighted[1].sum(0), weighted[2].sum(0)


@operator("_contrib_hawkesll")
class HawkesLL(_Hawkes):
    """The logarithm of the likelihood of the events of Hawkes processes, and their states at the end of time.

    As in MXNet, lda, alpha and beta alone have gradients, those of the likelihood alone.

    Returns:
        output: (N,), the logarithms of the likelihoods, over all processes.
        out_state: (N, K), s at max_time.

    ONNX: Scan, a step for each event.
    """

    inputs: ClassVar[tuple[str, ...]] = (*_SIZES,)[:8]
    outputs: ClassVar[tuple[str, ...]] = ("output", "out_state")

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[1] if inputs[0] is None else inputs[0], *inputs[1:]

    def infer_shape(self, lda: Shape, *_: Shape) -> list[Shape]:
        return [lda[:1], lda]

    def forward(self, *inputs: Array) -> tuple[Array, Array]:
        total, state = Likelihood(self.names[0], inputs).logarithms()
        return total.astype(inputs[0].dtype), state.astype(inputs[0].dtype)

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        return *F._hawkesll_grad(*inputs, dy[0]), *(None for _ in inputs[3:])


@operator("_hawkesll_grad")
class HawkesLLGrad(_Hawkes):
    """The gradients of `_contrib_hawkesll` with respect to lda, alpha and beta.

    Inputs:
        dy: (N,), the gradient of the logarithms of the likelihoods.

    Returns:
        output0: (N, K), the gradient of lda.
        output1: (K,), that of alpha.
        output2: (K,), that of beta.

    ONNX: Scan, a step for each event.
    """

    inputs: ClassVar[tuple[str, ...]] = (*_SIZES,)
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1", "output2")
    not_differentiable: ClassVar[str] = "the gradient of hawkesll is of first order alone, as MXNet's is"
    refuses_gradient: ClassVar[bool] = True

    def infer_shape(self, lda: Shape, *_: Shape) -> list[Shape]:
        return [lda, lda[1:], lda[1:]]

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        *arrays, dy = inputs
        parts = Likelihood("_contrib_hawkesll", arrays).gradient(dy)
        return tuple(part.astype(dy.dtype) for part in parts)
