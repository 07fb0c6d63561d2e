"""Steps of optimizers on NumPy arrays, each formula once, for operators `*_update` and `mx.optimizer` alike.

A step writes the weights `w` and the states in place, in the order of MXNet's operations in float32, so that
the last bit is MXNet's. `g` is the gradient as it comes, which stays: `rescale`, `clip` and `wd` are applied
here. A negative `clip` is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._arithmetic import mean_of

Array: TypeAlias = NDArray[Any]
Number: TypeAlias = float | np.floating[Any]


def numbers(array: Array) -> Callable[[Number], Any]:
    """Makes numbers as MXNet has them: rounded to float32, and then combined in the dtype of an array."""
    kind = array.dtype.type
    if kind is np.float32:
        return np.float32
    return lambda number: number if type(number) is kind else kind(np.float32(number))


PART = 1 << 17
"""Elements that are stepped at a time, where each depends on its own values only."""


def in_parts(step: Callable[..., None], *arrays: Array | None) -> None:
    """Step in parts that fit into a processor's cache, where what is computed on the way stays.

    A single number gets an axis: NumPy computes numbers, not arrays, of arrays without.
    """
    first = arrays[0]
    if (
        not isinstance(first, np.ndarray)
        or (first.ndim and first.size <= PART)
        or not all(a is None or a.flags.c_contiguous for a in arrays)
    ):
        step(*arrays)
        return
    flat = [None if a is None else a.reshape(-1) for a in arrays]
    for start in range(0, first.size, PART):
        step(*(None if a is None else a[start : start + PART] for a in flat))


def _array(x: Any) -> Array:
    """What was computed as an array: of arrays without axes NumPy computes numbers."""
    return np.asarray(x) if isinstance(x, np.generic) else x


def scaled(g: Array, rescale: Number, clip: Number = -1.0, wd: Number = 0.0, w: Array | None = None) -> Array:
    """The rescaled gradient, plus the weights' decay if weights are given, then clipped; a new array."""
    f = numbers(g)
    result = _array(g * f(rescale))
    if wd and w is not None:
        result += f(wd) * w
    if clip >= 0:
        np.clip(result, -f(clip), f(clip), out=result)
    return result


def paced(g: Array, rate: Number, rescale: Number, clip: Number) -> Array:
    """`rate` times the rescaled and clipped gradient; a new array."""
    f = numbers(g)
    if clip < 0:
        factor = f(rate) if rescale == 1 else f(rate) * f(rescale)
        return _array(g * factor)
    result = scaled(g, rescale, clip)
    result *= f(rate)
    return result


def follow(average: Array, value: Array, beta: Number) -> None:
    """Move a running average: `beta` of itself, and the rest of the value."""
    f = numbers(average)
    beta = f(beta)
    average *= beta
    average += (f(1) - beta) * value


def approach(average: Array, value: Array, beta: Number) -> None:
    """The same by the distance to the value, which rounds in another way."""
    f = numbers(average)
    average -= value
    average *= f(beta)
    average += value


def follow_square(average: Array, g: Array, beta: Number) -> None:
    """`follow` with the square, of which one factor is scaled before it is multiplied."""
    f = numbers(average)
    beta = f(beta)
    average *= beta
    square = (f(1) - beta) * g
    square *= g
    average += square


def signs(x: Array) -> Array:
    """-1, 0 or 1; 0 for NaN."""
    return _array((x > 0).astype(x.dtype) - (x < 0).astype(x.dtype))


def norm(x: Array) -> float:
    """The Euclidean norm of all elements; of float16 by squares in float16, as far as these are finite."""
    if x.dtype == np.float16:
        with np.errstate(over="ignore"):
            squares = float(np.sum(x * x, dtype=np.float32))
        return math.sqrt(squares) if math.isfinite(squares) else norm(x.astype(np.float32))
    flat = x.reshape(-1)
    return math.sqrt(float(np.dot(flat, flat)))


# ---- gradient descent


def sgd(w: Array, g: Array, *, lr: Number, wd: Number, rescale: Number, clip: Number) -> None:
    """Gradient descent without momentum."""
    f = numbers(w)
    step = paced(g, lr, rescale, clip)
    if wd:
        w *= f(1) - f(lr) * f(wd)
    w -= step


def sgd_momentum(
    w: Array, g: Array, mom: Array, *, lr: Number, wd: Number, momentum: Number, rescale: Number, clip: Number
) -> None:
    """Gradient descent with momentum."""
    f = numbers(w)
    mom *= f(momentum)
    if wd:
        mom -= (f(lr) * f(wd)) * w
    mom -= paced(g, lr, rescale, clip)
    w += mom


def nesterov(
    w: Array, g: Array, mom: Array, *, lr: Number, wd: Number, momentum: Number, rescale: Number, clip: Number
) -> None:
    """Nesterov's accelerated gradient; the momentum's own decay is that of the new weights."""
    f = numbers(w)
    lr, momentum = f(lr), f(momentum)
    g = scaled(g, rescale, clip)
    mom *= momentum
    step = g + f(wd) * w if wd else g.copy()
    step *= lr
    np.subtract(mom, step, out=step)
    step *= momentum + f(1)
    w -= mom
    w += step
    if wd:
        g += f(wd) * w
    g *= lr
    mom -= g


def sign_descent(w: Array, g: Array, *, lr: Number, wd: Number) -> None:
    """Steps by the sign of the gradient, which no scale nor bound changes."""
    f = numbers(w)
    if wd:
        w *= f(1) - f(lr) * f(wd)
    w -= f(lr) * signs(g)


def signum(
    w: Array,
    g: Array,
    mom: Array,
    *,
    lr: Number,
    wd: Number,
    momentum: Number,
    wd_lh: Number,
    rescale: Number,
    clip: Number,
) -> None:
    """Steps by the sign of the momentum."""
    f = numbers(w)
    rest = f(1) - f(momentum)
    mom *= f(momentum)
    if wd:
        mom -= (rest * f(wd)) * w
    mom -= paced(g, rest, rescale, clip)
    if wd_lh:
        w *= f(1) - f(lr) * f(wd_lh)
    w += f(lr) * signs(mom)


# ---- Adam and its kin


def adam(
    w: Array,
    g: Array,
    mean: Array,
    var: Array,
    *,
    lr: Number,
    beta1: Number,
    beta2: Number,
    epsilon: Number,
    wd: Number,
    rescale: Number,
    clip: Number,
) -> None:
    """Adam; the correction of the averages' bias is in `lr`."""
    f = numbers(w)
    g = scaled(g, rescale, clip, wd, w)
    follow(mean, g, beta1)
    follow_square(var, g, beta2)
    np.sqrt(var, out=g)
    g += f(epsilon)
    step = mean * f(lr)
    step /= g
    w -= step


def adamw(
    w: Array,
    g: Array,
    mean: Array,
    var: Array,
    *,
    lr: Number,
    eta: Number,
    beta1: Number,
    beta2: Number,
    epsilon: Number,
    wd: Number,
    rescale: Number,
    clip: Number,
    move: Any = follow,
) -> None:
    """Adam with weight decay apart from the gradient; `move` moves the averages."""
    f = numbers(w)
    g = scaled(g, rescale, clip)
    move(mean, g, beta1)
    g *= g
    move(var, g, beta2)
    np.sqrt(var, out=g)
    g += f(epsilon)
    step = mean * f(lr)
    step /= g
    if wd:
        step += f(wd) * w
    step *= f(eta)
    w -= step


def lamb_direction(
    w: Array,
    g: Array,
    mean: Array,
    var: Array,
    *,
    beta1: Number,
    beta2: Number,
    epsilon: Number,
    t: int,
    bias_correction: bool,
    wd: Number,
) -> Array:
    """Adam's direction with weight decay, from a scaled gradient that is written over; a new array."""
    f = numbers(w)
    follow(mean, g, beta1)
    follow_square(var, g, beta2)
    direction = mean.copy()
    if bias_correction:
        direction /= _left(beta1, t, w.dtype)
        np.sqrt(var / _left(beta2, t, w.dtype), out=g)
    else:
        np.sqrt(var, out=g)
    g += f(epsilon)
    direction /= g
    if wd:
        direction += f(wd) * w
    return direction


def lamb(
    w: Array, direction: Array, *, lr: Number, weights: Number, length: Number, lower: Number, upper: Number
) -> None:
    """A step along a direction of a length, as long as the weights' norm; writes the direction over.

    A negative bound is none.
    """
    f, kind = numbers(w), w.dtype.type
    weights, length = kind(weights), kind(length)
    if lower >= 0:
        weights = max(weights, f(lower))
    if upper >= 0:
        weights = min(weights, f(upper))
    rate = f(lr) if weights == 0 or length == 0 else f(lr) * weights / length
    direction *= rate
    w -= direction


def _left(beta: Number, t: int, dtype: Any) -> Any:
    """What `t` steps of a running average that began with zero hold of the values, computed in a dtype."""
    return dtype.type(1) - dtype.type(float(np.float32(beta)) ** t)


def ftml(
    w: Array,
    g: Array,
    d: Array,
    v: Array,
    z: Array,
    *,
    lr: Number,
    beta1: Number,
    beta2: Number,
    epsilon: Number,
    t: int,
    wd: Number,
    rescale: Number,
    clip: Number,
) -> None:
    """Follow the moving leader."""
    f = numbers(w)
    beta1 = f(beta1)
    g = scaled(g, rescale, clip, wd, w)
    follow(v, g * g, beta2)
    new_d = np.sqrt(v / _left(beta2, t, w.dtype))
    new_d += f(epsilon)
    new_d *= _left(beta1, t, w.dtype) / f(lr)
    z *= beta1
    z += (f(1) - beta1) * g
    z -= (new_d - beta1 * d) * w
    d[...] = new_d
    np.divide(-z, d, out=w)


# ---- steps by what each element has had


def adagrad(
    w: Array,
    g: Array,
    history: Array,
    *,
    lr: Number,
    epsilon: Number,
    wd: Number,
    rescale: Number,
    clip: Number,
) -> None:
    """AdaGrad."""
    f = numbers(w)
    g = scaled(g, rescale, clip)
    history += g * g
    g /= np.sqrt(history + f(epsilon))
    if wd:
        g += f(wd) * w
    g *= f(lr)
    w -= g


def group_adagrad(
    w: Array, g: Array, history: Array, *, lr: Number, epsilon: Number, rescale: Number, clip: Number
) -> None:
    """AdaGrad with one sum for each row."""
    f = numbers(w)
    g = scaled(g, rescale, clip)
    history += mean_of(g * g, tuple(range(1, g.ndim))).reshape(history.shape)
    g *= f(lr)
    g /= np.sqrt(history + f(epsilon)).reshape(-1, *[1] * (g.ndim - 1))
    w -= g


def rmsprop(
    w: Array,
    g: Array,
    n: Array,
    *,
    lr: Number,
    gamma1: Number,
    epsilon: Number,
    wd: Number,
    rescale: Number,
    clip: Number,
    clip_weights: Number,
) -> None:
    """RMSProp (Tieleman and Hinton)."""
    f = numbers(w)
    g = scaled(g, rescale, clip, wd, w)
    follow(n, g * g, gamma1)
    g /= np.sqrt(n + f(epsilon))
    g *= f(lr)
    w -= g
    _bound(w, clip_weights)


def rmsprop_centered(
    w: Array,
    g: Array,
    n: Array,
    mean: Array,
    delta: Array,
    *,
    lr: Number,
    gamma1: Number,
    gamma2: Number,
    epsilon: Number,
    wd: Number,
    rescale: Number,
    clip: Number,
    clip_weights: Number,
) -> None:
    """RMSProp about the average gradient, with momentum (Graves)."""
    f = numbers(w)
    g = scaled(g, rescale, clip, wd, w)
    follow_square(n, g, gamma1)
    follow(mean, g, gamma1)
    root = n - mean * mean
    root += f(epsilon)
    g *= f(lr)
    g /= np.sqrt(root, out=root)
    delta *= f(gamma2)
    delta -= g
    w += delta
    _bound(w, clip_weights)


def _bound(w: Array, bound: Number) -> None:
    f = numbers(w)
    if bound >= 0:
        np.clip(w, -f(bound), f(bound), out=w)


def ftrl(
    w: Array,
    g: Array,
    z: Array,
    n: Array,
    *,
    lr: Number,
    lamda1: Number,
    beta: Number,
    wd: Number,
    rescale: Number,
    clip: Number,
) -> None:
    """Follow the regularized leader, by coordinate."""
    f = numbers(w)
    lr, lamda1 = f(lr), f(lamda1)
    g = scaled(g, rescale, clip)
    root = np.sqrt(n)
    n += g * g
    new_root = np.sqrt(n)
    g -= (new_root - root) * w / lr
    z += g
    new_root += f(beta)
    new_root /= lr
    new_root += f(wd)
    np.divide(signs(z) * lamda1 - z, new_root, out=new_root)
    np.multiply(new_root, np.abs(z) > lamda1, out=w)  # not np.where, which would make NaN 0
