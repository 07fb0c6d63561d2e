"""Steps of optimizers as operators: new weights as the output, states in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType, float32
from ..errors import AttributeValueError, ShapeError
from . import _steps as steps
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, show, unify

_FLOAT16 = np.dtype("float16")
NOT_DIFFERENTIABLE = "MXNet has no derivative of an optimizer's step"
NOT_IN_ONNX = "it changes its states in place, and an ONNX graph keeps nothing from run to run"


def widened(array: Array) -> Array:
    """A copy that may be written, of float16 in float32."""
    return array.astype(np.float32 if array.dtype == _FLOAT16 else array.dtype)


def stepped(
    step: Callable[..., None], master: bool, weight: Array, grad: Array, *others: Array
) -> tuple[Array, ...]:
    """The new weights and states after a step of each element; with `master` that of the last state."""
    states = [widened(a) for a in others]
    w = states[-1] if master else widened(weight)
    steps.in_parts(step, w, grad.astype(w.dtype, copy=False), *states[: len(states) - master])
    return (
        w.astype(weight.dtype, copy=False),
        *(s.astype(a.dtype, copy=False) for s, a in zip(states, others, strict=True)),
    )


class Update(Operator):
    """What the steps of one weight share.

    Inputs:
        weight: The weights, of any shape.
        grad: The gradient, of weight's shape.
        mom: The momentum, which changes in place.
        mean: The running average of the gradient, which changes in place.
        var: The running average of the gradient's square, which changes in place.
        weight32: The weights in float32, which change in place: the step is computed with these.

    Attributes:
        lr: The learning rate.
        momentum: How much of the momentum stays.
        beta1: How much of mean a step keeps.
        beta2: How much of var a step keeps.
        epsilon: What is added to a divisor so that it is not 0.
        wd: The weights' decay.
        rescale_grad: What multiplies the gradient first.
        clip_gradient: The bound of the gradient's elements; none if negative.
        lazy_update: Whether a row-sparse gradient changes only the rows that it stores.

    Returns:
        The new weights, in the shape and dtype of weight.
    """

    inputs: ClassVar[tuple[str, ...]] = ("weight", "grad")
    elementwise: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False
    not_differentiable: ClassVar[str] = NOT_DIFFERENTIABLE
    refuses_gradient: ClassVar[bool] = True
    traced: ClassVar[bool] = True
    master: ClassVar[bool] = False
    """Whether the step is taken by a copy of the weights in float32, the last state."""

    rescale_grad: float
    clip_gradient: float
    lr: float
    wd: float
    momentum: float
    beta1: float
    beta2: float
    epsilon: float
    lazy_update: bool

    def weights(self) -> tuple[str, ...]:
        """The inputs that callers usually name as `out`."""
        return self.inputs[:1]

    def counted(self) -> int:
        return 1

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        if not self.master:
            return super().infer_input_dtypes(*dtypes)
        return *super().infer_input_dtypes(*dtypes[:2]), *[float32] * (len(dtypes) - 2)

    def infer_dtype(self, *dtypes: DType | None) -> list[DType | None]:
        return [dtypes[0], *(d for d, n in zip(dtypes, self.inputs, strict=True) if n in self.aux)]

    def forward(self, *arrays: Any, **_: Any) -> Array | tuple[Array, ...]:
        return stepped(self.step, self.master, *arrays)

    def step(self, *arrays: Any, **_: Any) -> None:
        """`(w, g, *states)`: write the weights and the states anew."""
        raise NotImplementedError

    def scaling(self) -> dict[str, Any]:
        """What is done to the gradient first."""
        return {"rescale": self.rescale_grad, "clip": self.clip_gradient}

    def averaging(self) -> dict[str, Any]:
        """The constants of Adam's averages."""
        return {"beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon}


class StatefulUpdate(Update):
    """What steps with states share: their new values are hidden outputs, which a call writes into the inputs.

    ONNX: none; it changes its states in place.
    """

    always_updates: ClassVar[bool] = True
    not_in_onnx: ClassVar[str] = NOT_IN_ONNX

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "aux" in vars(cls):
            cls.inputs = ("weight", "grad", *cls.aux)
            cls.outputs = ("output", *cls.aux)
            cls.hidden = len(cls.aux)

    def updated(self, F: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        return list(y[1:])


def only_rows(stypes: Sequence[str]) -> bool:
    """Whether a row-sparse gradient leaves other rows alone, as it does if all else has one storage type."""
    return stypes[1] == "row_sparse" and len({stypes[0], *stypes[2:]}) == 1


# ---- gradient descent


@operator("sgd_update", "_sparse_sgd_update")
class SGDUpdate(Update):
    """A step of gradient descent.

        weight = (1 - lr * wd) * weight - lr * clip(rescale_grad * grad)

    ONNX: Mul, Sub and Clip.
    """

    stored_rows: ClassVar[str] = "grad"
    lr: float
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True

    def of_stored_rows(self, stypes: Sequence[str]) -> bool:
        return self.lazy_update and stypes[1] == "row_sparse"

    def step(self, w: Array, g: Array) -> None:
        steps.sgd(w, g, lr=self.lr, wd=self.wd, **self.scaling())


@operator("mp_sgd_update")
class MPSGDUpdate(StatefulUpdate):
    """A step of gradient descent by a copy of the weights in float32."""

    aux: ClassVar[tuple[str, ...]] = ("weight32",)
    master: ClassVar[bool] = True
    lr: float
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True

    def step(self, w: Array, g: Array) -> None:
        steps.sgd(w, g, lr=self.lr, wd=self.wd, **self.scaling())


class _Momentum(StatefulUpdate):
    """The steps with momentum."""

    aux: ClassVar[tuple[str, ...]] = ("mom",)

    def step(self, w: Array, g: Array, mom: Array) -> None:
        options = {"lr": self.lr, "wd": self.wd, "momentum": self.momentum, **self.scaling()}
        self.move(w, g, mom, **options)

    move: ClassVar[Any] = staticmethod(steps.sgd_momentum)


@operator("sgd_mom_update", "_sparse_sgd_mom_update")
class SGDMomUpdate(_Momentum):
    """A step of gradient descent with momentum.

    mom = momentum * mom - lr * wd * weight - lr * clip(rescale_grad * grad);  weight += mom
    """

    stored_rows: ClassVar[str] = "grad"
    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True

    def of_stored_rows(self, stypes: Sequence[str]) -> bool:
        return self.lazy_update and only_rows(stypes)


@operator("mp_sgd_mom_update")
class MPSGDMomUpdate(_Momentum):
    """A step of gradient descent with momentum by a copy of the weights in float32."""

    aux: ClassVar[tuple[str, ...]] = ("mom", "weight32")
    master: ClassVar[bool] = True
    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True


@operator("nag_mom_update")
class NAGMomUpdate(_Momentum):
    """A step of Nesterov's accelerated gradient.

    v = momentum * mom
    new = weight - v + (momentum + 1) * (v - lr * (clip(rescale_grad * grad) + wd * weight))
    mom = v - lr * (clip(rescale_grad * grad) + wd * new)
    """

    move: ClassVar[Any] = staticmethod(steps.nesterov)
    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0


@operator("mp_nag_mom_update")
class MPNAGMomUpdate(_Momentum):
    """A step of Nesterov's accelerated gradient by a copy of the weights in float32."""

    aux: ClassVar[tuple[str, ...]] = ("mom", "weight32")
    master: ClassVar[bool] = True
    move: ClassVar[Any] = staticmethod(steps.nesterov)
    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0


@operator("signsgd_update")
class SignSGDUpdate(Update):
    """A step of one size by the sign of each element of the gradient.

        weight = (1 - lr * wd) * weight - lr * sign(grad)

    Attributes:
        rescale_grad: Accepted for MXNet's sake; without effect.
        clip_gradient: Accepted for MXNet's sake; without effect.

    ONNX: Greater, Less, Cast, Mul and Sub.
    """

    lr: float
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0

    def step(self, w: Array, g: Array) -> None:
        steps.sign_descent(w, g, lr=self.lr, wd=self.wd)


@operator("signum_update")
class SignumUpdate(StatefulUpdate):
    """A step of one size by the sign of each element of the momentum.

        mom = momentum * mom - (1 - momentum) * (wd * weight + clip(rescale_grad * grad))
        weight = (1 - lr * wd_lh) * weight + lr * sign(mom)

    Attributes:
        wd_lh: The weights' decay apart from the gradient.
    """

    aux: ClassVar[tuple[str, ...]] = ("mom",)
    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    wd_lh: float = 0.0

    def step(self, w: Array, g: Array, mom: Array) -> None:
        options = {"momentum": self.momentum, "wd_lh": self.wd_lh, **self.scaling()}
        steps.signum(w, g, mom, lr=self.lr, wd=self.wd, **options)


# ---- Adam and its kin


@operator("adam_update", "_sparse_adam_update")
class AdamUpdate(StatefulUpdate):
    """A step of Adam, without a correction of the averages' bias.

    weight -= lr * mean / (sqrt(var) + epsilon), with averages of clip(rescale_grad * grad + wd * weight)
    """

    aux: ClassVar[tuple[str, ...]] = ("mean", "var")
    stored_rows: ClassVar[str] = "grad"
    lr: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True

    def of_stored_rows(self, stypes: Sequence[str]) -> bool:
        return self.lazy_update and only_rows(stypes)

    def step(self, w: Array, g: Array, mean: Array, var: Array) -> None:
        steps.adam(w, g, mean, var, lr=self.lr, wd=self.wd, **self.averaging(), **self.scaling())


class _AdamW(StatefulUpdate):
    """The steps of AdamW.

    Inputs:
        rescale_grad: (1,), what multiplies the gradient first; nothing changes if it is 0, infinite or NaN.

    Attributes:
        eta: What multiplies the whole step.
    """

    aux: ClassVar[tuple[str, ...]] = ("mean", "var")
    elementwise: ClassVar[bool] = False
    eta: float

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.inputs = ("weight", "grad", *cls.aux, "rescale_grad")

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return *[unify(self.names[0], *shapes[:-1])] * (len(shapes) - 1), (1,)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return *[unify(self.names[0], *outputs)] * (len(inputs) - 1), inputs[-1]

    def infer_shape(self, weight: Shape, *_: Shape) -> list[Shape]:
        return [weight] * (1 + len(self.aux))

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return *super().infer_input_dtypes(*dtypes[:-1]), float32

    def forward(self, *arrays: Any, **_: Any) -> Array | tuple[Array, ...]:
        weight, grad, *states, (rescale,) = arrays
        if not np.isfinite(rescale) or rescale == 0:  # as an overflow leaves it
            return (weight.copy(), *(s.copy() for s in states))
        return super().forward(weight, grad.astype(widened(grad).dtype) * rescale, *states)

    def step(self, w: Array, g: Array, mean: Array, var: Array) -> None:
        options = {"eta": self.eta, "rescale": 1.0, "clip": self.clip_gradient, **self.averaging()}
        steps.adamw(w, g, mean, var, lr=self.lr, wd=self.wd, **options)


@operator("_adamw_update")
class AdamWUpdate(_AdamW):
    """A step of Adam whose weights' decay is apart from the gradient (Loshchilov and Hutter 2019).

    weight -= eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)
    """

    lr: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wd: float = 0.0
    eta: float
    clip_gradient: float = -1.0


@operator("_mp_adamw_update")
class MPAdamWUpdate(_AdamW):
    """A step of AdamW by a copy of the weights in float32."""

    aux: ClassVar[tuple[str, ...]] = ("mean", "var", "weight32")
    master: ClassVar[bool] = True
    lr: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wd: float = 0.0
    eta: float
    clip_gradient: float = -1.0


class _LambDirection(StatefulUpdate):
    """The first phase of LAMB: mean / (sqrt(var) + epsilon) + wd * weight.

    Attributes:
        t: The number of the step, from 1, for the correction of the averages' bias.
        bias_correction: Whether mean and var are divided by 1 - beta**t.

    Returns:
        The direction, which `lamb_update_phase2` takes.
    """

    aux: ClassVar[tuple[str, ...]] = ("mean", "var")
    t: int
    bias_correction: bool

    def weights(self) -> tuple[str, ...]:
        return ()

    def direction(self, w: Array, g: Array, mean: Array, var: Array) -> Array:
        """The direction, from a scaled gradient that is written over."""
        options: dict[str, Any] = {"t": self.t, "bias_correction": self.bias_correction, "wd": self.wd}
        return steps.lamb_direction(w, g, mean, var, **self.averaging(), **options)


@operator("lamb_update_phase1")
class LambUpdatePhase1(_LambDirection):
    """The direction of a step of LAMB (You et al. 2019), that of Adam with decay."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    t: int
    bias_correction: bool = True
    wd: float
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0

    def forward(self, weight: Array, grad: Array, mean: Array, var: Array) -> tuple[Array, ...]:
        m, v = widened(mean), widened(var)
        g = steps.scaled(widened(grad), self.rescale_grad, self.clip_gradient)
        result = self.direction(widened(weight), g, m, v)
        return result.astype(weight.dtype), m.astype(mean.dtype), v.astype(var.dtype)


@operator("mp_lamb_update_phase1")
class MPLambUpdatePhase1(_LambDirection):
    """The direction of a step of LAMB for float16 weights, in float32; the gradient is rescaled in its dtype.

    Inputs:
        weight32: The weights in float32, of which the direction is; they stay.
    """

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    t: int
    bias_correction: bool = True
    wd: float
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    inputs: ClassVar[tuple[str, ...]] = ("weight", "grad", "mean", "var", "weight32")
    master: ClassVar[bool] = True

    def infer_dtype(self, *dtypes: DType | None) -> list[DType | None]:
        return [float32] * 3

    def forward(
        self, weight: Array, grad: Array, mean: Array, var: Array, weight32: Array
    ) -> tuple[Array, ...]:
        m, v = mean.copy(), var.copy()
        scaled = (grad * np.float32(self.rescale_grad)).astype(grad.dtype).astype(np.float32)
        g = steps.scaled(scaled, 1.0, self.clip_gradient)
        return self.direction(weight32, g, m, v), m, v


class _Lamb(Update):
    """The second phase of LAMB: weight -= lr * (r1 / r2) * g, and lr * g if r1 or r2 is 0.

    Inputs:
        g: The direction, of weight's shape.
        r1: (1,), the norm of the weights.
        r2: (1,), the norm of the direction.

    Attributes:
        lower_bound: The least that r1 counts as; none if negative.
        upper_bound: The most that r1 counts as; none if negative.
    """

    inputs: ClassVar[tuple[str, ...]] = ("weight", "g", "r1", "r2")
    elementwise: ClassVar[bool] = False
    lower_bound: float
    upper_bound: float

    def infer_inputs(self, weight: Any, g: Any, *others: Any) -> Sequence[Shape | None]:
        one = unify(self.names[0], weight, g, *others[2:])
        return one, one, (1,), (1,), *[one] * len(others[2:])

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return unify(self.names[0], *outputs), *inputs[1:]

    def infer_shape(self, weight: Shape, *_: Shape) -> list[Shape]:
        return [weight] * (1 + len(self.aux))

    def moved(self, w: Array, g: Array, r1: Array, r2: Array) -> Array:
        """The new weights."""
        new = widened(w)
        bounds = {"lower": self.lower_bound, "upper": self.upper_bound}
        steps.lamb(new, widened(g), lr=self.lr, weights=r1[0], length=r2[0], **bounds)
        return new


@operator("lamb_update_phase2")
class LambUpdatePhase2(_Lamb):
    """A step of LAMB along the direction of `lamb_update_phase1`, in proportion to the norm of the weights.

    ONNX: Max, Min, Div, Mul, Sub and Where.
    """

    lr: float
    lower_bound: float = -1.0
    upper_bound: float = -1.0

    def forward(self, weight: Array, g: Array, r1: Array, r2: Array) -> Array:
        return self.moved(weight, g, r1, r2).astype(weight.dtype)


@operator("mp_lamb_update_phase2")
class MPLambUpdatePhase2(_Lamb):
    """A step of LAMB along the direction of `mp_lamb_update_phase1`, by a copy of the weights in float32.

    ONNX: none; it changes its states in place.
    """

    inputs: ClassVar[tuple[str, ...]] = ("weight", "g", "r1", "r2", "weight32")
    aux: ClassVar[tuple[str, ...]] = ("weight32",)
    outputs: ClassVar[tuple[str, ...]] = ("output", "weight32")
    hidden: ClassVar[int] = 1
    always_updates: ClassVar[bool] = True
    not_in_onnx: ClassVar[str] = NOT_IN_ONNX
    lr: float
    lower_bound: float = -1.0
    upper_bound: float = -1.0

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes[0], *[float32] * 4

    def updated(self, F: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        return [y[1]]

    def forward(self, weight: Array, g: Array, r1: Array, r2: Array, weight32: Array) -> tuple[Array, ...]:
        new = self.moved(weight32, g, r1, r2)
        return new.astype(weight.dtype), new


# ---- steps by what each element has had


@operator("ftml_update")
class FTMLUpdate(StatefulUpdate):
    """A step of follow the moving leader (Zheng and Kwok 2017).

    Inputs:
        d: The d of the paper, which changes in place.
        v: The running average of the gradient's square, which changes in place.
        z: The z of the paper, which changes in place.

    Attributes:
        beta1: How much of d and z a step keeps.
        beta2: How much of v a step keeps.
        t: The number of the step, from 1.
        clip_grad: The bound of the gradient's elements with decay; none if negative.
    """

    aux: ClassVar[tuple[str, ...]] = ("d", "v", "z")
    lr: float
    beta1: float = 0.6
    beta2: float = 0.999
    epsilon: float = 1e-8
    t: int
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_grad: float = -1.0

    def step(self, w: Array, g: Array, d: Array, v: Array, z: Array) -> None:
        options = {"wd": self.wd, "rescale": self.rescale_grad, "clip": self.clip_grad, **self.averaging()}
        steps.ftml(w, g, d, v, z, lr=self.lr, t=self.t, **options)


@operator("ftrl_update", "_sparse_ftrl_update")
class FtrlUpdate(StatefulUpdate):
    """A step of follow the regularized leader, by coordinate (McMahan et al. 2013).

    Inputs:
        z: The z of the paper, which changes in place.
        n: The sum of the gradient's squares, which changes in place.

    Attributes:
        lamda1: The penalty of the sum of absolute values: weights are 0 where z is within it.
        beta: What is added to the root of n.
    """

    aux: ClassVar[tuple[str, ...]] = ("z", "n")
    stored_rows: ClassVar[str] = "grad"
    lr: float
    lamda1: float = 0.01
    beta: float = 1.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0

    def of_stored_rows(self, stypes: Sequence[str]) -> bool:
        return set(stypes) == {"row_sparse"}

    def step(self, w: Array, g: Array, z: Array, n: Array) -> None:
        options = {"lamda1": self.lamda1, "beta": self.beta, **self.scaling()}
        steps.ftrl(w, g, z, n, lr=self.lr, wd=self.wd, **options)


class _RMSProp(StatefulUpdate):
    """The steps of RMSProp.

    Inputs:
        n: The running average of the gradient's square, which changes in place.

    Attributes:
        gamma1: How much of the averages a step keeps.
        clip_weights: The bound of the new weights; none if negative.
    """

    aux: ClassVar[tuple[str, ...]] = ("n",)
    gamma1: float
    clip_weights: float

    def options(self) -> dict[str, Any]:
        """What both forms take."""
        bounds = {"clip_weights": self.clip_weights, **self.scaling()}
        return {"lr": self.lr, "wd": self.wd, "gamma1": self.gamma1, "epsilon": self.epsilon, **bounds}


@operator("rmsprop_update")
class RMSPropUpdate(_RMSProp):
    """A step divided by the root of the average square of the gradient (Tieleman and Hinton 2012).

    weight -= lr * grad / sqrt(n + epsilon), with n of clip(rescale_grad * grad + wd * weight)
    """

    lr: float
    gamma1: float = 0.95
    epsilon: float = 1e-8
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    clip_weights: float = -1.0

    def step(self, w: Array, g: Array, n: Array) -> None:
        steps.rmsprop(w, g, n, **self.options())


@operator("rmspropalex_update")
class RMSPropAlexUpdate(_RMSProp):
    """A step of RMSProp about the average gradient, with momentum (Graves 2013).

        delta = gamma2 * delta - lr * grad / sqrt(n - g**2 + epsilon);  weight += delta

    Inputs:
        g: The running average of the gradient, which changes in place.
        delta: The momentum, which changes in place.

    Attributes:
        gamma2: How much of delta a step keeps.
    """

    aux: ClassVar[tuple[str, ...]] = ("n", "g", "delta")
    lr: float
    gamma1: float = 0.95
    gamma2: float = 0.9
    epsilon: float = 1e-8
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    clip_weights: float = -1.0

    def step(self, w: Array, g: Array, n: Array, mean: Array, delta: Array) -> None:
        steps.rmsprop_centered(w, g, n, mean, delta, gamma2=self.gamma2, **self.options())


@operator("_sparse_adagrad_update")
class AdaGradUpdate(StatefulUpdate):
    """A step of AdaGrad (Duchi et al. 2011); of a row-sparse gradient in the rows that it stores.

        history += grad**2;  weight -= lr * grad / sqrt(history + epsilon)

    Inputs:
        history: The sum of the gradient's squares, which changes in place.

    Attributes:
        wd: 0 is all that is possible, as in MXNet.
    """

    aux: ClassVar[tuple[str, ...]] = ("history",)
    stored_rows: ClassVar[str] = "grad"
    lr: float
    epsilon: float = 1e-7
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0

    def check(self) -> None:
        if self.wd:
            raise AttributeValueError(f"{self.names[0]}: wd=0 is required, got {self.wd}.")

    def of_stored_rows(self, stypes: Sequence[str]) -> bool:
        return stypes[1] == "row_sparse"

    def step(self, w: Array, g: Array, history: Array) -> None:
        steps.adagrad(w, g, history, lr=self.lr, epsilon=self.epsilon, wd=0.0, **self.scaling())


@operator("_contrib_group_adagrad_update")
class GroupAdaGradUpdate(StatefulUpdate):
    """A step of AdaGrad with one sum for each row; of a row-sparse gradient in the rows that it stores.

        history += mean of the row's grad**2;  weight -= lr * grad / sqrt(history + epsilon)

    Inputs:
        weight: (N, ...).
        history: (N, 1), the sum of each row, which changes in place.
    """

    aux: ClassVar[tuple[str, ...]] = ("history",)
    elementwise: ClassVar[bool] = False
    stored_rows: ClassVar[str] = "grad"
    lr: float
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    epsilon: float = 1e-5

    def of_stored_rows(self, stypes: Sequence[str]) -> bool:
        return stypes[1] == "row_sparse"

    def infer_inputs(self, weight: Any, grad: Any, history: Any) -> Sequence[Shape | None]:
        one = unify(self.names[0], weight, grad)
        if one is not None and len(one) < 2:
            raise ShapeError(f"{self.names[0]}: a weight of two axes or more is required, got {show(one)}.")
        rank = 2 if history is None else len(history)
        return one, one, None if one is None else (one[0], *[1] * (rank - 1))

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], inputs[1], unify(self.names[0], outputs[1], inputs[2])

    def infer_shape(self, weight: Shape, grad: Shape, history: Shape) -> list[Shape]:
        return [weight, history]

    def forward(self, weight: Array, grad: Array, history: Array) -> tuple[Array, ...]:
        w, h = widened(weight), widened(history)
        steps.group_adagrad(w, widened(grad), h, lr=self.lr, epsilon=self.epsilon, **self.scaling())
        return w.astype(weight.dtype), h.astype(history.dtype)
