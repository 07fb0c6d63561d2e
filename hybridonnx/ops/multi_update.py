"""Steps of optimizers for many weights in one operator, and what is measured of many arrays at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ..attrs import Floats, Ints
from ..dtypes import DType, float32
from ..errors import AttributeValueError
from . import _steps as steps
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, unify
from .update import NOT_DIFFERENTIABLE, NOT_IN_ONNX, stepped, widened

Step: TypeAlias = Callable[..., None]
Rates: TypeAlias = Sequence[float] | Array


class MultiUpdate(Operator):
    """What the steps of many weights share.

    Inputs:
        *data: The arrays of the first weight, then those of the second, and so on.

    Attributes:
        lrs: The learning rate of each weight.
        wds: The decay of each weight.
        momentum: How much of the momentum stays.
        beta1: How much of mean a step keeps.
        beta2: How much of var a step keeps.
        epsilon: What is added to a divisor so that it is not 0.
        rescale_grad: What multiplies the gradients first.
        clip_gradient: The bound of the gradients' elements; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights, each in its shape and dtype.
    """

    variadic: ClassVar[str] = "num_weights"
    output_count: ClassVar[str] = "num_weights"
    roles: ClassVar[tuple[str, ...]] = ("weight", "grad")
    """What the inputs of each weight are; those from the third on are states, which change in place."""
    last: ClassVar[tuple[str, ...]] = ()
    """The inputs after those of the weights."""
    last_size: ClassVar[int] = 0
    """The size of each of these; that of the weights' number if 0."""
    per_weight: ClassVar[tuple[str, ...]] = ("lrs", "wds")
    """The attributes that have a value for each weight."""
    master: ClassVar[bool] = False
    """Whether the step is taken by a copy of the weights in float32, the last state."""
    takes_ints: ClassVar[bool] = False
    not_differentiable: ClassVar[str] = NOT_DIFFERENTIABLE
    refuses_gradient: ClassVar[bool] = True
    traced: ClassVar[bool] = True

    rescale_grad: float
    clip_gradient: float
    momentum: float
    beta1: float
    beta2: float
    epsilon: float
    lrs: Floats
    wds: Floats

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.aux = cls.roles[2:]
        cls.always_updates = bool(cls.aux)
        cls.inputs_each, cls.inputs_after = len(cls.roles), len(cls.last)

    def count(self) -> int:
        """How many weights there are."""
        return int(getattr(self, self.variadic))

    def check(self) -> None:
        for name in self.per_weight:
            values = getattr(self, name)
            if len(values) != self.count():
                raise AttributeValueError(
                    f"{self.names[0]}: {name} of {self.count()} values is required, by {self.variadic}, "
                    f"got {len(values)}."
                )

    def input_names(self) -> tuple[str, ...]:
        return (*self._numbered(self.roles), *self.last)

    def aux_names(self) -> tuple[str, ...]:
        return self._numbered(self.aux)

    def _numbered(self, roles: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{role}_{i}" for i in range(self.count()) for role in roles)

    def output_names(self) -> tuple[str, ...]:
        n = self.count()
        return (*(f"output{i}" if n > 1 else "output" for i in range(n)), *self.aux_names())

    def visible(self) -> int:
        return self.count()

    def counted(self) -> int:
        return self.count()

    def weights(self) -> tuple[str, ...]:
        """The inputs that callers usually name as `out`."""
        return self._numbered(self.roles[:1])

    # ---- inference

    def groups(self, values: Sequence[Any]) -> list[Sequence[Any]]:
        """What belongs to each weight."""
        each = self.inputs_each
        return [values[i * each : (i + 1) * each] for i in range(self.count())]

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        one = [unify(self.names[0], *group) for group in self.groups(shapes)]
        last: Shape = (self.last_size or self.count(),)
        return [*(s for s in one for _ in self.roles), *(last for _ in self.last)]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        weights = outputs[: self.count()]
        return [*(s for s in weights for _ in self.roles), *inputs[len(inputs) - len(self.last) :]]

    def infer_shape(self, *shapes: Shape) -> list[Shape]:
        one = [group[0] for group in self.groups(shapes)]
        return [*one, *(s for s in one for _ in self.aux)]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        groups = self.groups(dtypes)
        shared = 2 if self.master else len(self.roles)
        common = [d for group in groups for d in group[:shared]]
        dtype = next(iter(super().infer_input_dtypes(*common)), None)
        states = [float32] * (len(self.roles) - shared)
        return [*(d for _ in groups for d in (*[dtype] * shared, *states)), *[float32] * len(self.last)]

    def infer_dtype(self, *dtypes: DType | None) -> list[DType | None]:
        groups = self.groups(dtypes)
        return [*(group[0] for group in groups), *(d for group in groups for d in group[2:])]

    # ---- execution

    def forward(self, *arrays: Array) -> tuple[Array, ...]:
        groups = self.groups(arrays)
        step = self.prepared(*arrays[len(arrays) - len(self.last) :])
        results = [
            stepped(partial(step, i), self.master, *group)
            if step
            else tuple([a.copy() for a in (group[0], *group[2:])])
            for i, group in enumerate(groups)
        ]
        return (*(r[0] for r in results), *(s for r in results for s in r[1:]))

    def prepared(self, *last: Array) -> Step | None:
        """The step `(i, w, g, *states)` of the weight `i` in place; `None` if nothing changes."""
        raise NotImplementedError

    def scaling(self) -> dict[str, Any]:
        """What is done to the gradients first."""
        return {"rescale": self.rescale_grad, "clip": self.clip_gradient}

    def averaging(self) -> dict[str, Any]:
        """The constants of Adam's averages."""
        return {"beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon}


class StatefulMultiUpdate(MultiUpdate):
    """What steps with states share: their new values are hidden outputs, which a call writes into the inputs.

    ONNX: none; it changes its states in place.
    """

    not_in_onnx: ClassVar[str] = NOT_IN_ONNX

    def updated(self, F: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        return list(y[self.count() :])


# ---- gradient descent


def _descend(rates: Rates, decays: Rates, **options: Any) -> Step:
    """Steps without momentum, in the order of those with it: the step is summed before it is added."""

    def step(i: int, w: Array, g: Array) -> None:
        still = np.zeros_like(w)
        steps.sgd_momentum(w, g, still, lr=rates[i], wd=decays[i], momentum=0.0, **options)

    return step


def _move(rates: Rates, decays: Rates, **options: Any) -> Step:

    def step(i: int, w: Array, g: Array, mom: Array) -> None:
        steps.sgd_momentum(w, g, mom, lr=rates[i], wd=decays[i], **options)

    return step


@operator("multi_sgd_update")
class MultiSGDUpdate(MultiUpdate):
    """Steps of gradient descent for many weights.

    Inputs:
        *data: weight and grad of the first weight, then those of the second, and so on.

    ONNX: Mul, Add, Sub and Clip.
    """

    lrs: Floats
    wds: Floats
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: int = 1

    def prepared(self, *last: Array) -> Step:
        return _descend(self.lrs, self.wds, **self.scaling())


@operator("multi_mp_sgd_update")
class MultiMPSGDUpdate(StatefulMultiUpdate):
    """Steps of gradient descent for many weights, by copies of them in float32.

    Inputs:
        *data: weight, grad and weight32 of the first weight, then those of the second, and so on.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "weight32")
    master: ClassVar[bool] = True
    lrs: Floats
    wds: Floats
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: int = 1

    def prepared(self, *last: Array) -> Step:
        return _descend(self.lrs, self.wds, **self.scaling())


@operator("multi_sgd_mom_update")
class MultiSGDMomUpdate(StatefulMultiUpdate):
    """Steps of gradient descent with momentum for many weights.

    Inputs:
        *data: weight, grad and mom of the first weight, then those of the second, and so on.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "mom")
    lrs: Floats
    wds: Floats
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: int = 1

    def prepared(self, *last: Array) -> Step:
        return _move(self.lrs, self.wds, momentum=self.momentum, **self.scaling())


@operator("multi_mp_sgd_mom_update")
class MultiMPSGDMomUpdate(StatefulMultiUpdate):
    """Steps of gradient descent with momentum for many weights, by copies of them in float32.

    Inputs:
        *data: weight, grad, mom and weight32 of the first weight, then those of the second, and so on.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "mom", "weight32")
    master: ClassVar[bool] = True
    lrs: Floats
    wds: Floats
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: int = 1

    def prepared(self, *last: Array) -> Step:
        return _move(self.lrs, self.wds, momentum=self.momentum, **self.scaling())


@operator("preloaded_multi_sgd_update")
class PreloadedMultiSGDUpdate(MultiUpdate):
    """Steps of gradient descent for many weights, whose rates and decays are arrays.

    Inputs:
        *data: weight and grad of each weight, then the rates and the decays, each (num_weights,) and float32.

    ONNX: Gather, Mul, Add, Sub and Clip.
    """

    last: ClassVar[tuple[str, ...]] = ("lrs", "wds")
    per_weight: ClassVar[tuple[str, ...]] = ()
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: int = 1

    def prepared(self, *last: Array) -> Step:
        return _descend(last[0], last[1], **self.scaling())


@operator("preloaded_multi_mp_sgd_update")
class PreloadedMultiMPSGDUpdate(StatefulMultiUpdate):
    """Steps of gradient descent for many weights, by copies in float32; rates and decays are arrays.

    Inputs:
        *data: weight, grad and weight32 of each weight, then the rates and the decays, each (num_weights,)
            and float32.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "weight32")
    last: ClassVar[tuple[str, ...]] = ("lrs", "wds")
    per_weight: ClassVar[tuple[str, ...]] = ()
    master: ClassVar[bool] = True
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: int = 1

    def prepared(self, *last: Array) -> Step:
        return _descend(last[0], last[1], **self.scaling())


@operator("preloaded_multi_sgd_mom_update")
class PreloadedMultiSGDMomUpdate(StatefulMultiUpdate):
    """Steps of gradient descent with momentum for many weights, whose rates and decays are arrays.

    Inputs:
        *data: weight, grad and mom of each weight, then the rates and the decays, each (num_weights,) and
            float32.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "mom")
    last: ClassVar[tuple[str, ...]] = ("lrs", "wds")
    per_weight: ClassVar[tuple[str, ...]] = ()
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: int = 1

    def prepared(self, *last: Array) -> Step:
        return _move(last[0], last[1], momentum=self.momentum, **self.scaling())


@operator("preloaded_multi_mp_sgd_mom_update")
class PreloadedMultiMPSGDMomUpdate(StatefulMultiUpdate):
    """Steps of gradient descent with momentum for many weights, by copies; rates and decays are arrays.

    Inputs:
        *data: weight, grad, mom and weight32 of each weight, then the rates and the decays, each
            (num_weights,) and float32.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "mom", "weight32")
    last: ClassVar[tuple[str, ...]] = ("lrs", "wds")
    per_weight: ClassVar[tuple[str, ...]] = ()
    master: ClassVar[bool] = True
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: int = 1

    def prepared(self, *last: Array) -> Step:
        return _move(last[0], last[1], momentum=self.momentum, **self.scaling())


# ---- AdamW and LAMB


class _MultiAdamW(StatefulMultiUpdate):
    """The steps of AdamW.

    Attributes:
        etas: What multiplies the whole step of each weight.
    """

    last: ClassVar[tuple[str, ...]] = ("rescale_grad",)
    last_size: ClassVar[int] = 1
    per_weight: ClassVar[tuple[str, ...]] = ("lrs", "wds", "etas")
    etas: Floats

    def prepared(self, *last: Array) -> Step | None:
        rescale = last[0][0]
        if not np.isfinite(rescale) or rescale == 0:  # as an overflow leaves it
            return None
        options = {"rescale": rescale, "clip": self.clip_gradient, **self.averaging()}

        def step(i: int, w: Array, g: Array, mean: Array, var: Array) -> None:
            rates = {"lr": self.lrs[i], "wd": self.wds[i], "eta": self.etas[i]}
            steps.adamw(w, g, mean, var, move=steps.approach, **rates, **options)

        return step


@operator("_multi_adamw_update")
class MultiAdamWUpdate(_MultiAdamW):
    """Steps of AdamW (see `_adamw_update`) for many weights.

    Inputs:
        *data: weight, grad, mean and var of each weight, then rescale_grad, (1,): nothing changes if it is 0,
            infinite or NaN.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "mean", "var")
    lrs: Floats
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wds: Floats
    etas: Floats
    clip_gradient: float = -1.0
    num_weights: int = 1


@operator("_multi_mp_adamw_update")
class MultiMPAdamWUpdate(_MultiAdamW):
    """Steps of AdamW (see `_adamw_update`) for many weights, by copies of them in float32.

    Inputs:
        *data: weight, grad, mean, var and weight32 of each weight, then rescale_grad, (1,): nothing changes
            if it is 0, infinite or NaN.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "mean", "var", "weight32")
    master: ClassVar[bool] = True
    lrs: Floats
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wds: Floats
    etas: Floats
    clip_gradient: float = -1.0
    num_weights: int = 1


class _MultiLamb(StatefulMultiUpdate):
    """The steps of LAMB. The norm of the weights is that of weight, in its own dtype.

    Attributes:
        learning_rates: The learning rate of each weight.
        lower_bound: The least that the norm of the weights counts as; none if negative.
        upper_bound: The most that the norm of the weights counts as; none if negative.
        bias_correction: Whether mean and var are divided by 1 - beta**step_count.
        step_count: The number of the step of each weight, from 1.
        num_tensors: How many weights there are.
    """

    variadic: ClassVar[str] = "num_tensors"
    output_count: ClassVar[str] = "num_tensors"
    per_weight: ClassVar[tuple[str, ...]] = ("learning_rates", "wds", "step_count")
    learning_rates: Floats
    lower_bound: float
    upper_bound: float
    bias_correction: bool
    step_count: Ints

    def forward(self, *arrays: Array) -> tuple[Array, ...]:
        results = [self.moved(i, *group) for i, group in enumerate(self.groups(arrays))]
        return (*(r[0] for r in results), *(s for r in results for s in r[1:]))

    def moved(self, i: int, weight: Array, grad: Array, *others: Array) -> tuple[Array, ...]:
        """The new values of one weight and its states."""
        states = [widened(a) for a in others]
        w = states[-1] if self.master else widened(weight)
        self.move(i, steps.norm(weight), w, widened(grad), *states[:2])
        return (
            w.astype(weight.dtype, copy=False),
            *(s.astype(a.dtype, copy=False) for s, a in zip(states, others, strict=True)),
        )

    def move(self, i: int, length: float, w: Array, g: Array, mean: Array, var: Array) -> None:
        """The step of one weight of a norm, in place."""
        options: dict[str, Any] = {
            "t": self.step_count[i],
            "bias_correction": self.bias_correction,
            "wd": self.wds[i],
        }
        scaled = steps.scaled(g, **self.scaling())
        direction = steps.lamb_direction(w, scaled, mean, var, **self.averaging(), **options)
        bounds = {"lower": self.lower_bound, "upper": self.upper_bound}
        lengths = {"weights": length, "length": steps.norm(direction)}
        steps.lamb(w, direction, lr=self.learning_rates[i], **lengths, **bounds)


@operator("_multi_lamb_update")
class MultiLambUpdate(_MultiLamb):
    """Steps of LAMB (You et al. 2019) for many weights, both phases at once.

    Inputs:
        *data: weight, grad, mean and var of the first weight, then those of the second, and so on.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "mean", "var")
    learning_rates: Floats
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    wds: Floats
    rescale_grad: float = 1.0
    lower_bound: float = -1.0
    upper_bound: float = -1.0
    clip_gradient: float = -1.0
    bias_correction: bool = True
    step_count: Ints
    num_tensors: int = 1


@operator("_multi_mp_lamb_update")
class MultiMPLambUpdate(_MultiLamb):
    """Steps of LAMB (You et al. 2019) for many weights, by copies of them in float32.

    Inputs:
        *data: weight, grad, mean, var and weight32 of the first weight, then those of the second, and so on.
    """

    roles: ClassVar[tuple[str, ...]] = ("weight", "grad", "mean", "var", "weight32")
    master: ClassVar[bool] = True
    learning_rates: Floats
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    wds: Floats
    rescale_grad: float = 1.0
    lower_bound: float = -1.0
    upper_bound: float = -1.0
    clip_gradient: float = -1.0
    bias_correction: bool = True
    step_count: Ints
    num_tensors: int = 1


# ---- measures


class _Measure(Operator):
    """What is measured of arrays.

    Attributes:
        num_arrays: How many arrays there are.
    """

    takes_ints: ClassVar[bool] = False
    not_differentiable: ClassVar[str] = "MXNet has no derivative of what optimizers measure"
    refuses_gradient: ClassVar[bool] = True
    num_arrays: int

    def input_names(self) -> tuple[str, ...]:
        return tuple(f"array_{i}" for i in range(self.num_arrays)) if self.variadic else self.inputs

    def infer_dtype(self, *dtypes: DType | None) -> DType:
        return float32


@operator("multi_sum_sq")
class MultiSumSq(_Measure):
    """The sum of squares of each of many arrays.

    Inputs:
        *data: Arrays of any shapes and of one floating-point dtype.

    Returns:
        (num_arrays,), in float32.

    ONNX: ReduceSumSquare and Concat.
    """

    variadic: ClassVar[str] = "num_arrays"
    num_arrays: int

    def infer_shape(self, *shapes: Shape) -> Shape:
        return (self.num_arrays,)

    def forward(self, *arrays: Array) -> Array:
        flat = [widened(a).reshape(-1) for a in arrays]
        return np.array([np.dot(a, a) for a in flat], np.float32)


class _AllFinite(_Measure):
    """Whether all elements are finite.

    Attributes:
        init_output: Whether out receives the answer; if not, an out that holds 0 keeps it.

    Returns:
        (1,), 1 or 0 in float32.
    """

    init_output: bool

    def infer_shape(self, *shapes: Shape) -> Shape:
        return (1,)

    def forward(self, *arrays: Array) -> Array:
        return np.array([all(np.isfinite(a).all() for a in arrays)], np.float32)

    def into(self, before: Array, value: Array) -> Array:
        return value if self.init_output else np.asarray(before * value)


@operator("all_finite")
class AllFinite(_AllFinite):
    """1 if all elements of an array are finite, else 0.

    Inputs:
        data: An array of any shape.

    ONNX: IsNaN, IsInf, Or and ReduceSum.
    """

    init_output: bool = True


@operator("multi_all_finite")
class MultiAllFinite(_AllFinite):
    """1 if all elements of many arrays are finite, else 0.

    Inputs:
        *data: Arrays of any shapes and of one floating-point dtype.

    ONNX: IsNaN, IsInf, Or, ReduceSum and Concat.
    """

    variadic: ClassVar[str] = "num_arrays"
    num_arrays: int = 1
    init_output: bool = True


@operator("multi_lars")
class MultiLars(Operator):
    """The learning rates of LARS (You et al. 2017), in proportion to the layers' weights.

        lr * eta * |weight| / (|grad| * rescale_grad + wd * |weight| + eps)

    and lr itself where a norm is 0.

    Inputs:
        lrs: (N,), the learning rates.
        weights_sum_sq: (N,), the sums of squares of the weights.
        grads_sum_sq: (N,), the sums of squares of the gradients.
        wds: (N,), the decays.

    Attributes:
        eta: The share of a layer's norm that a step is.
        eps: What is added to the divisor.
        rescale_grad: What multiplies the gradients.

    Returns:
        (N,).

    ONNX: Sqrt, Mul, Div, Greater, And and Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lrs", "weights_sum_sq", "grads_sum_sq", "wds")
    elementwise: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False
    not_differentiable: ClassVar[str] = "MXNet has no derivative of what optimizers measure"
    refuses_gradient: ClassVar[bool] = True
    eta: float
    eps: float
    rescale_grad: float = 1.0

    def forward(self, lrs: Array, weights_sum_sq: Array, grads_sum_sq: Array, wds: Array) -> Array:
        eta, eps, rescale = map(np.float32, (self.eta, self.eps, self.rescale_grad))
        weights = np.sqrt(weights_sum_sq)
        layers = lrs * eta * weights / (np.sqrt(grads_sum_sq) * rescale + wds * weights + eps)
        return np.where((weights > 0) & (grads_sum_sq > 0), layers, lrs).astype(lrs.dtype)


@operator("reset_arrays")
class ResetArrays(Operator):
    """Writes zeros into many arrays.

    Inputs:
        *data: Arrays of any shapes and dtypes, which change in place.

    Attributes:
        num_arrays: How many arrays there are.

    Returns:
        Nothing.

    ONNX: none; it changes its inputs in place.
    """

    variadic: ClassVar[str] = "num_arrays"
    aux: ClassVar[tuple[str, ...]] = ("array",)
    always_updates: ClassVar[bool] = True
    takes_bool: ClassVar[bool] = False
    not_differentiable: ClassVar[str] = "it has no outputs"
    not_in_onnx: ClassVar[str] = NOT_IN_ONNX
    traced: ClassVar[bool] = True
    num_arrays: int

    def input_names(self) -> tuple[str, ...]:
        return tuple(f"array_{i}" for i in range(self.num_arrays))

    aux_names = output_names = input_names

    def visible(self) -> int:
        return 0

    def counted(self) -> int:
        return 0

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def infer_shape(self, *shapes: Shape) -> list[Shape]:
        return list(shapes)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs

    def infer_dtype(self, *dtypes: DType | None) -> list[DType | None]:
        return list(dtypes)

    def updated(self, F: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        return list(y) if isinstance(y, list | tuple) else [y]

    def forward(self, *arrays: Array) -> tuple[Array, ...]:
        return tuple(np.zeros_like(a) for a in arrays)
