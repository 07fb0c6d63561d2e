"""What a chain gives on the kernels, and how much of it rounding may change.

The kernels run again on values that were disturbed by as much as each step rounds. Where that changes a
result a lot, as next to a jump of `floor` or between two candidates of `argmax`, the inputs are unfit: others
are drawn, and nothing has to be allowed for jumps.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.invoke import invoke_all
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Array, sizes
from hybridonnx.test_utils import Draw

from .grow import Chain, Link, Step, Unfit, cases

INEXACT = {
    "gammaln": 1e-6,
    "gamma": 1e-6,
    "_polygamma": 1e-6,
    **dict.fromkeys(("_contrib_fft", "_contrib_ifft"), 1e-6),
    **dict.fromkeys(("sigmoid", "_npx_sigmoid", "Activation", "LogisticRegressionOutput"), 3e-7),
    "tan": 1e-12,  # of float64 the quotient of a sine and a cosine that are exact to 6e-16 near 0
}
"""Operators that ONNX Runtime computes by other formulas: how far off they may be, of the largest value."""
UNSIGNED_ZEROS = """
    relu _npx_relu Activation LeakyReLU _contrib_BatchNormWithReLU col2im
    _mod broadcast_mod _mod_scalar _rmod_scalar _npi_mod _npi_mod_scalar _npi_rmod_scalar _np_trace
""".split()
"""Operators that may give 0 on the kernels and -0 in ONNX Runtime, or the other way around."""
SUMS = re.compile(r"Norm|sum|mean|std|var|dot|matmul|einsum|(_grad|det)$")
"""Operators whose terms may cancel out: norms and determinants take differences, and adjoints add up, in any
order, all that falls on one element."""
ROUNDS = 6
"""How often the kernels run on disturbed values."""
JUMP = {"float16": 0.15, "float32": 1e-3, "float64": 1e-3}
"""The change from which on, relative to the largest value, disturbed values give another result."""

Values = dict[Link, Array]


class Expected(NamedTuple):
    """The results on the kernels, and how far off each element may be."""

    values: list[Array]
    allowed: list[Array]


def draw_values(chain: Chain, salt: int) -> None:
    """Draw the inputs' values."""
    rng = np.random.RandomState([chain.seed, salt])
    chain.values = []
    for how, spec in chain.draws:
        assert spec.shape is not None
        assert spec.dtype is not None
        if not isinstance(how, Draw):
            chain.values.append(np.array(how))
            continue
        drawn = Draw(how.kind, sizes(spec.shape), how.low, how.high).values(rng)
        if how.kind == "normal" and rng.rand() < 0.3:  # so that some are equal, some 0
            drawn = np.round(drawn * 2) / 2
        if spec.dtype.kind in "iu" and how.dtype is None:
            drawn = np.abs(drawn * 4) if spec.dtype.kind == "u" else drawn * 4
        chain.values.append(np.ascontiguousarray(drawn.astype(spec.dtype)))


@np.errstate(all="ignore")
def expected(chain: Chain) -> Expected:
    """Run the chain on the kernels. Raises `Unfit` where rounding decides too much of the result."""
    rng = np.random.default_rng(chain.seed)
    plain: Values = {Link(-1, i): value for i, value in enumerate(chain.values)}
    disturbed = [dict(plain) for _ in range(ROUNDS)]
    for number, step in enumerate(chain.steps):
        outputs = _run(step, plain)
        _check_integers(step, plain, outputs)
        errors = _errors(step, plain, outputs)
        links = [Link(number, i) for i in range(len(outputs))]
        plain.update(zip(links, outputs, strict=True))
        if number < len(chain.steps) - 1 and not all(np.isfinite(y).all() for y in outputs):
            raise Unfit("values that are not finite")
        for k, values in enumerate(disturbed):
            again = zip(_run(step, values), errors, strict=True)
            changed = [_disturbed(y, error, k, rng) for y, error in again]
            if k == 0 and step.op.names[0] in UNSIGNED_ZEROS:
                changed = [np.where(y == 0, -y, y) if y.dtype.kind == "f" else y for y in changed]
            values.update(zip(links, changed, strict=True))
        for link in links:
            _check_stable(plain[link], [values[link] for values in disturbed])
    return Expected(
        [plain[link] for link in chain.results],
        [_allowed(plain[k], [values[k] for values in disturbed]) for k in chain.results],
    )


def _run(step: Step, values: Mapping[Link, Array]) -> list[Array]:
    _check_domain(step, values)
    outputs = invoke_all(step.op, [NDArray(values[link].copy()) for link in step.inputs])
    return [y.asnumpy() for y in outputs[: step.op.visible()]]


def _disturbed(y: Array, error: Any, k: int, rng: np.random.Generator) -> Array:
    """The first time where rounding may lead to a number that comparisons know, else anywhere about."""
    if y.dtype.kind != "f":
        return y
    if k == 0:
        even = np.round(_finite(y) * 2) / 2
        return np.where(np.abs(even - y) <= error, even, y).astype(y.dtype)
    return np.asarray(y + error * rng.uniform(-1, 1, y.shape)).astype(y.dtype)


# ---- what no rule says


def _check_domain(step: Step, values: Mapping[Link, Array]) -> None:
    name, first = step.op.names[0], values[step.inputs[0]]
    if name == "Cast":
        dtype = np.dtype(getattr(step.op, "dtype"))  # noqa: B009  (of this operator alone)
        if dtype.kind in "iu":
            _check_range(first.astype(np.float64), dtype)
    if name == "_multinomial_gradient" and first.dtype.kind in "iub":
        raise Unfit("a division of integers, perhaps by 0, which no model draws from")


def _check_range(x: Array, dtype: Any) -> None:
    limits = np.iinfo(dtype)
    if x.size and not (x.min() > limits.min - 1.0 and x.max() < limits.max + 1.0 and np.abs(x).max() < 2**53):
        raise Unfit("values that the dtype does not have")


def _check_integers(step: Step, values: Mapping[Link, Array], outputs: Sequence[Array]) -> None:
    """Integer results must fit their dtype, and must not be cut off where rounding decides."""
    if all(y.dtype.kind not in "iu" for y in outputs):
        return
    try:
        numbers = _run(step, {link: values[link].astype(np.float64) for link in step.inputs})
    except MXNetError:
        return
    for x, y in zip(numbers, outputs, strict=True):
        if y.dtype.kind in "iu" and y.size and x.dtype.kind == "f":
            _check_range(x, y.dtype)
            off, near = np.abs(x - np.rint(x)), 1e-4 * np.maximum(1, np.abs(x))
            cut = (off > 0) & (off < near)
            if (y != np.trunc(x)).any():  # it rounds to the nearest
                cut |= off > 0.5 - near
            if cut.any():
                raise Unfit("rounding decides")


# ---- rounding


@cache
def _tolerance(name: str) -> float:
    """How far an operator's lowering may be from its kernel, of the largest value, beside rounding."""
    allowed = max(case.tol for case in cases()[name])
    return allowed if allowed > 1e-5 else INEXACT.get(name, 0.0)


def _errors(step: Step, values: Values, outputs: Sequence[Array]) -> list[Any]:
    """How much each output is rounded: nothing if it is exact, else its own error and the dtype's."""
    own = _own_errors(step, values, outputs)
    inputs = [values[link] for link in step.inputs]
    sensitive = _sensitivity(step, values, outputs, max((_unit(x.dtype) for x in inputs), default=0.0))
    errors: list[Any] = []
    for y, off, change in zip(outputs, own, sensitive, strict=True):
        extra = _tolerance(step.op.names[0])
        if y.dtype.kind != "f" or not y.size or (off == 0 and change == 0 and not extra):
            errors.append(0.0)
            continue
        unit, size = _unit(y.dtype), np.abs(_finite(y))
        if y.dtype == np.float64:  # no wider dtype tells what its sums lose
            change += unit * max((np.abs(_finite(x)).max(initial=0) for x in inputs), default=0.0)
        own_error = np.maximum(unit * size, 0.0 if off is None else off)
        errors.append(4 * own_error + unit * size.mean() + 4 * change + extra * max(size.max(), 1))
    return errors


def _own_errors(step: Step, values: Values, outputs: Sequence[Array]) -> list[Any]:
    """The largest difference of each output from a run in another precision, `None` if that tells nothing."""
    double = any(values[link].dtype == np.float64 for link in step.inputs)
    other = np.dtype("float32" if double else "float64")
    inputs = {k: v.astype(other) if v.dtype.kind == "f" else v for k, v in values.items() if k in step.inputs}
    try:
        again = _run(step, inputs)
    except MXNetError:
        return [None] * len(outputs)
    differences = [np.abs(_wide(a) - _wide(b)) for a, b in zip(outputs, again, strict=True)]
    largest = [float(np.where(np.isfinite(off), off, 0).max(initial=0)) for off in differences]
    if not double:
        return largest
    same = all(
        np.array_equal(inputs[k], values[k], equal_nan=True) for k in inputs if values[k].dtype.kind == "f"
    )
    return [0.0 if same and not off else None for off in largest]


def _sensitivity(step: Step, values: Values, outputs: Sequence[Array], unit: float) -> list[float]:
    """How much results change with the last bits of the inputs, for operators whose terms cancel."""
    name = step.op.names[0]
    if not SUMS.search(name):
        return [0.0] * len(outputs)
    norm = "Norm" in name
    rng = np.random.default_rng(0)
    bits = {
        k: rng.choice([-1, 1], values[k].shape) * rng.uniform(0.5, 1, values[k].shape) for k in step.inputs
    }
    near = {k: values[k] * (1 + unit * off) for k, off in bits.items()}
    again = _run(step, {k: x.astype(np.float64) for k, x in near.items()})
    # ONNX Runtime takes the mean off after the division by the deviation, which may be as small as eps
    first = np.abs(_finite(values[step.inputs[0]])).max(initial=0)
    apart = unit * first / np.sqrt(getattr(step.op, "eps", 1.0)) if norm else 0.0
    changes = [np.abs(_finite(a) - _finite(b)).max(initial=0) for a, b in zip(again, outputs, strict=True)]
    return [float(change + apart) for change in changes]


def _finite(x: Array) -> Array:
    return np.where(np.isfinite(x), x, 0).astype(np.float64)


def _wide(x: Array) -> Array:
    return x.astype(np.float64) if x.dtype.kind in "fb" else x


def _unit(dtype: Any) -> float:
    """The rounding of a dtype; of float64 some more."""
    if dtype.kind != "f":
        return 0.0
    if dtype == np.float64:
        return 16 * float(np.finfo(np.float64).eps)
    return float(np.finfo(dtype).eps)


def _check_stable(y: Array, others: Sequence[Array]) -> None:
    """Raise `Unfit` if disturbed values give something else altogether."""
    for other in others:
        if y.dtype.kind != "f":
            if not np.array_equal(y, other):
                raise Unfit("rounding decides")
            continue
        finite = np.isfinite(y)
        if not np.array_equal(np.where(finite, 0, y), np.where(np.isfinite(other), 0, other), equal_nan=True):
            raise Unfit("rounding decides")
        off = np.abs(_wide(other)[finite] - _wide(y)[finite])
        if off.size and off.max() > JUMP[y.dtype.name] * max(np.abs(_wide(y)[finite]).max(), 1e-6):
            raise Unfit("rounding decides")


def _allowed(y: Array, others: Sequence[Array]) -> Array:
    if y.dtype.kind != "f" or not y.size:
        return np.zeros(y.shape)
    off = np.abs(np.stack([_finite(other) - _finite(y) for other in others])).max(0)
    return np.asarray(8 * off + 4 * off.mean() + 4 * _unit(y.dtype) * np.abs(_finite(y)))
