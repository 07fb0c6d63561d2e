"""Cases of operators as data, and the checks that hold for every operator.

A `Case` names an operator, its inputs and its attributes. The checks compare kernels with stored results of
real MXNet or a formula, gradients with differences of the kernel, and every other way of running the operator
with the kernel.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import autograd
from ..autograd.gradients import differentiate
from ..errors import ConversionError, MXNetError
from ..ndarray.invoke import ReferenceKernels, invoke
from ..ndarray.ndarray import NDArray
from ..ops import Array, Operator, Spec, SymbolicDim, find, seed, show

__all__ = [
    "Case",
    "assert_near",
    "check_attribute_text",
    "check_forward",
    "check_gradient",
    "check_import",
    "check_infer",
    "check_inputs_unchanged",
    "check_onnx",
    "check_second_gradient",
    "check_symbolic",
    "check_training",
    "definite",
    "difference",
    "distinct",
    "dominant",
    "expected_by_formula",
    "fixed",
    "gradients",
    "ints",
    "run",
    "tolerance",
    "uniform",
    "wide",
]

# ---- inputs


@dataclass(frozen=True)
class Draw:
    """An input drawn by a named rule; the same case always draws the same values."""

    kind: str
    shape: tuple[int, ...]
    low: float = 0.0
    high: float = 1.0
    dtype: str | None = None

    def values(self, rng: np.random.RandomState) -> Array:
        """The values, float64 unless the draw says another dtype."""
        values: Array
        if self.kind == "ints":
            values = rng.randint(int(self.low), int(self.high), self.shape).astype(np.float64)
        elif self.kind == "uniform":
            values = rng.uniform(self.low, self.high, self.shape)
        elif self.kind == "distinct":
            count = int(np.prod(self.shape))
            values = (rng.permutation(count).reshape(self.shape) - count / 2) * (4.0 / max(count, 1))
        elif self.kind in ("definite", "dominant"):
            values = rng.standard_normal(self.shape)
            if self.kind == "definite":
                values = values @ values.swapaxes(-1, -2)
            values += max(self.shape[-1], 1) / 2 * np.eye(self.shape[-1])
        else:
            values = rng.standard_normal(self.shape)
        return np.asarray(values)

    def along(self, direction: Array) -> Array:
        """The part of a direction in which the draws stay what they are, such as symmetric matrices."""
        return (direction + direction.swapaxes(-1, -2)) / 2 if self.kind == "definite" else direction


def ints(shape: tuple[int, ...], high: int, low: int = 0, dtype: str = "float32") -> Draw:
    """Integers in [low, high), such as indices; never perturbed by gradient checks."""
    return Draw("ints", shape, low, high, dtype)


def uniform(shape: tuple[int, ...], low: float = 0.0, high: float = 1.0) -> Draw:
    """Uniform draws from [low, high)."""
    return Draw("uniform", shape, low, high)


def distinct(shape: tuple[int, ...]) -> Draw:
    """Values in [-2, 2) in random order, no two of them equal."""
    return Draw("distinct", shape)


def definite(shape: tuple[int, ...]) -> Draw:
    """Symmetric positive definite matrices in the last two axes, which gradient checks keep symmetric."""
    return Draw("definite", shape)


def dominant(shape: tuple[int, ...]) -> Draw:
    """Matrices with a large diagonal in the last two axes, so that equations with them are well posed."""
    return Draw("dominant", shape)


@dataclass(frozen=True)
class Fixed(Draw):
    """Rows of numbers, such as regions, which checks of gradients leave as they are, as they have none."""

    rows: tuple[tuple[float, ...], ...] = ()

    def values(self, rng: np.random.RandomState) -> Array:
        return np.array(self.rows)


def fixed(*rows: tuple[float, ...]) -> Fixed:
    """An input of these rows in float32, whatever the case's dtype."""
    return Fixed("fixed", (len(rows), len(rows[0])), dtype="float32", rows=rows)


# ---- cases

_OPTIONS = ("dtypes", "formula", "grad_tol", "no", "tol", "training")


@dataclass(frozen=True, init=False)
class Case:
    """One operator with inputs and attributes; see the module's docstring."""

    op: str
    inputs: tuple[Any, ...]
    attributes: Mapping[str, Any]
    tol: float = 1e-5
    """Largest difference from the expected output, relative to its largest value."""
    grad_tol: float = 1e-5
    """The same for gradients."""
    formula: Callable[..., Any] | None = None
    """What to compare with instead of a stored result: a function of the inputs (and the noise, if any)."""
    training: bool = False
    dtypes: tuple[str, ...] = ("float32",)
    no: Mapping[str, str] = field(default_factory=dict)
    """Checks that are expected to fail, with the reason."""

    def __init__(self, op: str, inputs: Sequence[Any] = (), **attributes: Any) -> None:
        sources = tuple(Draw("normal", tuple(x)) if isinstance(x, tuple) else x for x in inputs)
        for name, value in (("op", op), ("inputs", sources), ("attributes", attributes), ("no", {})):
            object.__setattr__(self, name, value)

    def but(self, **options: Any) -> Case:
        """The same case with other options: tol, grad_tol, formula, training, dtypes, no."""
        unknown = set(options) - set(_OPTIONS)
        if unknown:
            raise TypeError(f"Case.but: {sorted(unknown)} are no options; they are {_OPTIONS}")
        case = object.__new__(Case)
        for name in ("op", "inputs", "attributes", *_OPTIONS):
            object.__setattr__(case, name, options.get(name, getattr(self, name)))
        return case

    def __str__(self) -> str:
        shapes = ",".join("x".join(map(str, x.shape)) or "scalar" for x in self.inputs)
        attributes = ",".join(f"{k}={v}".replace(" ", "") for k, v in self.attributes.items())
        return f"{self.op}({shapes};{attributes}){'T' if self.training else ''}"

    def key(self) -> str:
        """A short name that is the same as long as what the case computes is."""
        inputs = [x if isinstance(x, Draw) else (x.dtype.name, x.tolist()) for x in self.inputs]
        text = f"{self.op} {inputs} {sorted(map(str, self.attributes.items()))} {self.training}"
        return f"{self.op}-{hashlib.sha1(text.encode()).hexdigest()[:10]}"

    def operator(self) -> Operator:
        """The operator of the case, in its mode."""
        cls = find(self.op)
        attributes = dict(self.attributes)
        if cls.variadic:
            attributes.setdefault(cls.variadic, cls.count_of(len(self.inputs)))
        return cls.make(attributes).in_mode(self.training)

    def arrays(self, dtype: str = "float32") -> list[Array]:
        """The input values; `dtype` holds for those inputs whose dtype the case leaves open."""
        arrays = []
        for i, x in enumerate(self.inputs):
            if isinstance(x, Draw):
                seed = zlib.crc32(f"{self.op} {i} {x.kind} {x.shape}".encode())
                values = x.values(np.random.RandomState(seed))
                input_dtype = np.dtype(x.dtype or dtype)
                if input_dtype.kind in "iu" and x.dtype is None:
                    values = np.abs(values * 4) if input_dtype.kind == "u" else values * 4
                arrays.append(np.array(values.astype(input_dtype), order="C"))
            else:
                arrays.append(np.array(x))
        return arrays

    def floating(self) -> list[bool]:
        """Which inputs, but for auxiliary states and indices, are floating-point, and so have derivatives."""
        op = self.operator()
        aux = op.aux_names()
        states = [name in aux or name in op.index_inputs for name in op.input_names()]
        return [
            not state and (x.dtype is None if isinstance(x, Draw) else np.asarray(x).dtype.kind == "f")
            for x, state in zip(self.inputs, states, strict=True)
        ]

    def heads(self, outputs: Sequence[Array]) -> list[Array]:
        """Head gradients for these outputs."""
        seed = zlib.crc32(f"{self.op} heads".encode())
        rng = np.random.RandomState(seed)
        return [np.asarray(rng.standard_normal(y.shape)).astype(y.dtype) for y in outputs]


def wide(case: Case) -> list[Array]:
    """The inputs in float64 where they are floating-point numbers, for derivatives by differences."""
    arrays = case.arrays("float64")
    return [
        a.astype(np.float64) if floating else a for a, floating in zip(arrays, case.floating(), strict=True)
    ]


# ---- running

_SEED = 7


def run(case: Case, arrays: Sequence[Array]) -> list[Array]:
    """The kernel's visible outputs through an eager call, with the same noise at every run."""
    return _run(case, arrays)[0]


def _run(case: Case, arrays: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """The visible outputs, and the states that every execution changes."""
    seed(_SEED)
    op, inputs = case.operator(), [NDArray(a.copy()) for a in arrays]
    with ReferenceKernels(), autograd.train_mode() if case.training else autograd.predict_mode():
        result = invoke(op, inputs)
    outputs = [y.asnumpy() for y in (result if isinstance(result, list) else [result])]
    if not op.always_updates:
        return outputs, []
    by_name = dict(zip(op.input_names(), inputs, strict=True))
    return outputs, [by_name[name].asnumpy() for name in op.aux_names()]


def gradients(
    case: Case, arrays: Sequence[Array], heads: Sequence[Array] | None = None
) -> tuple[list[Array], list[Array]]:
    """The kernels' outputs, and the gradient of each floating-point input (zeros where it has none)."""
    with ReferenceKernels():
        return eager_gradients(case, arrays, heads)


def eager_gradients(
    case: Case, arrays: Sequence[Array], heads: Sequence[Array] | None = None
) -> tuple[list[Array], list[Array]]:
    """The same as eager calls give it, by whatever runs them."""
    seed(_SEED)
    variables = [NDArray(a.copy()) for a in arrays]
    for x, floating in zip(variables, case.floating(), strict=True):
        if floating:
            x.attach_grad()
    with autograd.record(train_mode=case.training):
        result = invoke(case.operator(), variables)
    outputs = result if isinstance(result, list) else [result]
    values = [y.asnumpy() for y in outputs]
    recorded = [y for y in outputs if y._entry is not None]
    if recorded:
        dys = [
            NDArray(h)
            for h, y in zip(heads or case.heads(values), outputs, strict=True)
            if y._entry is not None
        ]
        autograd.backward(recorded, dys, train_mode=case.training)
    return values, [x.grad.asnumpy() for x in variables if x.grad is not None]


def difference(got: Array, expected: Array) -> float:
    """The largest difference relative to the largest expected value; NaN must meet NaN, infinity itself."""
    if got.shape != expected.shape:
        raise AssertionError(f"shape {expected.shape} is expected, got {got.shape}")
    if expected.size == 0:
        return 0.0
    a, b = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    odd = ~np.isfinite(b)
    if not np.array_equal(a[odd], b[odd], equal_nan=True):
        return float("inf")
    a, b = np.where(odd, 0, a), np.where(odd, 0, b)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-2))


def assert_near(got: Array, expected: Array, tol: float, what: str) -> None:
    """Raise `AssertionError` with the largest difference unless it is within `tol`."""
    error = difference(got, expected)
    if not error <= tol:
        raise AssertionError(f"{what}: differs by {error:.3g} of the largest value, allowed is {tol:.3g}")


_TOLERANCE = {"float16": 4e-3, "float32": 1.0, "float64": 1.0}


def tolerance(case: Case, dtype: str) -> float:
    """What the case allows, at least float16's own error for that dtype."""
    return max(case.tol, _TOLERANCE[dtype]) if dtype == "float16" else case.tol


# ---- checks


def check_forward(case: Case, dtype: str, expected: Sequence[Array]) -> None:
    """The kernel gives the expected outputs, and then states, in the expected dtypes."""
    outputs, states = _run(case, case.arrays(dtype))
    got = [*outputs, *states]
    assert len(got) == len(expected), f"{len(expected)} outputs are expected, got {len(got)}"
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        assert a.dtype == b.dtype, f"output {i}: {b.dtype} is expected, got {a.dtype}"
        assert_near(a, b, tolerance(case, dtype), f"output {i}")


def expected_by_formula(case: Case, dtype: str) -> list[Array]:
    """The outputs that the case's formula gives."""
    assert case.formula is not None
    arrays = case.arrays(dtype)
    op = case.operator()
    if op.draws():
        arrays.append(op.draw(np.random.default_rng(_SEED), *[Spec(a.shape, a.dtype) for a in arrays]))
    result = case.formula(*arrays)
    return [np.asarray(y) for y in (result if isinstance(result, tuple | list) else (result,))]


def check_infer(case: Case, dtype: str = "float32") -> None:
    """Shapes and dtypes are those that the kernel returns, also when sizes are not known yet."""
    arrays = case.arrays(dtype)
    op = case.operator()
    got = run(case, arrays)
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    _, outputs = op.infer(specs)
    for i, (y, spec) in enumerate(zip(got, outputs, strict=False)):
        assert (y.shape, y.dtype) == spec, (
            f"output {i}: inferred {spec}, the kernel gives {y.shape} {y.dtype}"
        )
    for size in (0, 1):
        free = [
            Spec(tuple(None if i == size else d for i, d in enumerate(s.shape or ())), s.dtype) for s in specs
        ]
        _, guessed = op.infer(free)
        for y, spec in zip(got, guessed, strict=False):
            assert spec.shape is None or (
                len(spec.shape) == y.ndim
                and all(a is None or a == b for a, b in zip(spec.shape, y.shape, strict=True))
            ), f"with axis {size} unknown {spec.shape} is inferred, the kernel gives {y.shape}"
    _, none = op.infer([Spec() for _ in specs])
    assert len(none) == len(op.output_names())


def check_infer_named(case: Case, dtype: str = "float32") -> None:
    """What is inferred of named sizes is what inference gives for the sizes that the names stand for.

    First each size has a name of its own, then all equal ones have one name. What outputs tell of inputs that
    are partly hidden must hold as well.
    """
    op, rng = case.operator(), np.random.default_rng(_SEED)
    arrays = case.arrays(dtype)
    for pattern in ("input{0}_{1}", "size{2}"):
        names = [[pattern.format(i, k, d) for k, d in enumerate(a.shape)] for i, a in enumerate(arrays)]
        sizes = {n: d for ns, a in zip(names, arrays, strict=True) for n, d in zip(ns, a.shape, strict=True)}

        def specs(size: Callable[[str], Any], names: list[list[str]] = names) -> list[Spec]:
            return [Spec(tuple(map(size, ns)), a.dtype) for ns, a in zip(names, arrays, strict=True)]

        inputs, outputs = op.infer(specs(SymbolicDim.named))
        hidden = [
            Spec(tuple(d if rng.random() < 0.5 else None for d in s.shape or ()), s.dtype) for s in inputs
        ]
        backward = op.infer(hidden, outputs)
        for _ in range(7):
            numbers = specs(sizes.__getitem__)
            try:
                numeric = op.infer(numbers)
            except MXNetError:  # no shapes that the operator takes
                numeric = ((), ())
            if list(numeric[0]) == numbers:
                for named in ((inputs, outputs), backward):
                    _assert_agree((*named[0], *named[1]), (*numeric[0], *numeric[1]), sizes)
            sizes = {n: int(rng.choice((1, 2, 3, 6, d))) for n, d in sizes.items()}


def _assert_agree(named: Sequence[Spec], numeric: Sequence[Spec], sizes: Mapping[str, int]) -> None:
    for a, b in zip(named, numeric, strict=True):
        if a.shape is not None:
            values = [d.value(sizes) if isinstance(d, SymbolicDim) else d for d in a.shape]
            expected = [e if d is None else d for d, e in zip(values, b.shape or (), strict=True)]
            assert expected == list(b.shape or ()), f"{show(a.shape)} is inferred, {b.shape} for {sizes}"


def check_noise_spec(case: Case, dtype: str = "float32") -> None:
    """What the operator says of its draws is so."""
    op = case.operator()
    specs = [Spec(a.shape, a.dtype) for a in case.arrays(dtype)]
    noise = op.draw(np.random.default_rng(_SEED), *specs)
    assert op.noise_spec(op.infer(specs)[1], *specs) == (noise.shape, noise.dtype)


def check_inputs_unchanged(case: Case) -> None:
    """Inputs are unchanged, outputs do not share their memory, and strides do not matter."""
    arrays = case.arrays()
    op = case.operator()
    before = [a.copy() for a in arrays]
    with autograd.train_mode() if case.training else autograd.predict_mode():
        seed(_SEED)
        plain = invoke(op, [NDArray(a) for a in arrays])
        seed(_SEED)
        strided = invoke(op, [NDArray(_strided(a)) for a in before])
    changes = op.training or op.always_updates
    aux = [op.input_names().index(name) for name in op.aux_names()] if changes else []
    for i, (a, b) in enumerate(zip(arrays, before, strict=True)):
        assert i in aux or np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), f"input {i} was changed"
    several = isinstance(plain, list)
    for y, z in zip(plain if several else [plain], strided if several else [strided], strict=True):
        assert y._data.flags.c_contiguous
        assert not any(np.shares_memory(y._data, a) for a in arrays)
        assert_near(z.asnumpy(), y.asnumpy(), 1e-6, "with strided inputs")


def _strided(a: Array) -> Array:
    """The same values in memory that is not contiguous."""
    if a.ndim == 0:
        return a
    spread = np.zeros((*a.shape[:-1], a.shape[-1] * 2), a.dtype)
    spread[..., ::2] = a
    return spread[..., ::2]


def check_attribute_text(case: Case) -> None:
    """Attributes written as symbol.json writes them read back the same."""
    from ..attrs import text

    op = case.operator()
    written = type(op).make({k: text(v) for k, v in op.attributes().items()})
    again = written.with_subgraphs(op.subgraphs).in_mode(case.training)
    assert again == op, f"{again} was read back, {op} was written"


def _direction(case: Case, arrays: Sequence[Array], salt: str) -> list[Array]:
    rng = np.random.RandomState(zlib.crc32(f"{case.op} {salt}".encode()))
    directions = [
        np.asarray(rng.standard_normal(a.shape)) * (1.0 if floating else 0.0)
        for a, floating in zip(arrays, case.floating(), strict=True)
    ]
    return [x.along(d) if isinstance(x, Draw) else d for x, d in zip(case.inputs, directions, strict=True)]


def _slope(f: Callable[[float], float], step: float) -> float:
    """The derivative of f at 0 by a fourth-order central difference."""
    return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step)


def check_gradient(case: Case, step: float = 1e-5) -> None:
    """The gradient's product with a random direction is the kernel's derivative in that direction."""
    arrays = wide(case)
    values, grads = gradients(case, arrays)
    heads = case.heads(values)
    along = _direction(case, arrays, "direction")

    def moved(t: float) -> float:
        outputs = run(case, [_step(a, t, d) for a, d in zip(arrays, along, strict=True)])
        return float(sum(np.sum(y.astype(np.float64) * h) for y, h in zip(outputs, heads, strict=True)))

    slope = _slope(moved, step)
    directions = [d for d, floating in zip(along, case.floating(), strict=True) if floating]
    product = sum(float(np.sum(g * d)) for g, d in zip(grads, directions, strict=True))
    scale = max(
        1.0, abs(slope), sum(float(np.abs(g * d).sum()) for g, d in zip(grads, directions, strict=True)) / 10
    )
    assert abs(product - slope) <= case.grad_tol * scale, (
        f"the gradient gives {product:.8g}, differences {slope:.8g}"
    )


def _step(a: Array, t: float, d: Array) -> Array:
    return np.asarray(a + t * d) if a.dtype.kind == "f" else a


def _second(
    case: Case, arrays: Sequence[Array], heads: Sequence[Array]
) -> tuple[float, list[Array], list[Array]]:
    """The sum of the gradients times fixed weights, and its gradients in the inputs and in the heads."""
    seed(_SEED)
    xs = [NDArray(a.copy()) for a in arrays]
    ws = [NDArray(h.copy()) for h in heads]
    variables = [x for x, floating in zip(xs, case.floating(), strict=True) if floating]
    for v in (*variables, *ws):
        v.attach_grad()
    with autograd.record(train_mode=case.training):
        result = invoke(case.operator(), xs)
        outputs = result if isinstance(result, list) else [result]
        pairs = [(y, w) for y, w in zip(outputs, ws, strict=True) if y._entry is not None]
        entries = [x._entry for x in variables]
        grads, _ = differentiate([y for y, _ in pairs], [w for _, w in pairs], True, True, case.training)
        firsts = [grads[e] for e in entries if e in grads]
        rng = np.random.RandomState(7)
        weights = [NDArray(np.asarray(rng.standard_normal(g.shape)).astype(g.dtype)) for g in firsts]
        total = sum(float(np.sum(g.asnumpy() * w.asnumpy())) for g, w in zip(firsts, weights, strict=True))
        recorded = [(g, w) for g, w in zip(firsts, weights, strict=True) if g._entry is not None]
    if recorded:
        autograd.backward([g for g, _ in recorded], [w for _, w in recorded], train_mode=case.training)
    return total, [_grad(x) for x in variables], [_grad(w) for w in ws]


def _grad(x: NDArray) -> Array:
    assert x.grad is not None
    return x.grad.asnumpy()


def check_second_gradient(case: Case, step: float = 1e-5) -> None:
    """The gradient's own gradient, in the inputs and in the heads, is the derivative of the gradient."""
    arrays = wide(case)
    heads = case.heads(run(case, arrays))
    along = _direction(case, arrays, "second")
    # heads of other dtypes, such as indices', cannot take a small step
    along_heads = [np.random.RandomState(3).standard_normal(h.shape) * (h.dtype == np.float64) for h in heads]
    _, in_inputs, in_heads = _second(case, arrays, heads)

    def moved(t: float) -> float:
        return _second(
            case,
            [_step(a, t, d) for a, d in zip(arrays, along, strict=True)],
            [_step(h, t, d).astype(h.dtype) for h, d in zip(heads, along_heads, strict=True)],
        )[0]

    slope = _slope(moved, step)
    directions = [d for d, floating in zip(along, case.floating(), strict=True) if floating]
    parts = [*zip(in_inputs, directions, strict=True), *zip(in_heads, along_heads, strict=True)]
    product = sum(float(np.sum(g * d)) for g, d in parts)
    scale = max(1.0, abs(slope), sum(float(np.abs(g * d).sum()) for g, d in parts) / 10)
    assert abs(product - slope) <= 10 * case.grad_tol * scale, (
        f"the second gradient gives {product:.8g}, differences {slope:.8g}"
    )


# ---- in ONNX Runtime


def _run_onnx(lowered: Any, feeds: Mapping[str, Array]) -> list[Array]:
    from ..runtime.session import ModelSession

    return ModelSession(lowered.model.SerializeToString(), threads=1)(feeds)


def _may_end_process(arrays: Sequence[Array]) -> bool:
    """Whether an array without elements is among them, and the installed ONNX Runtime may end at it."""
    from ..runtime.session import EMPTY_ARRAYS_END_PROCESS

    return EMPTY_ARRAYS_END_PROCESS and any(a.size == 0 for a in arrays)


def check_onnx(case: Case, dtype: str, opset: int, free: bool = False) -> None:
    """The lowering gives in ONNX Runtime what the kernel gives; with `free`, for an open first axis as well.

    A lowering may refuse an open axis, if it does so with `NeedsShape`, and float64 if it would lose digits.
    Arrays without elements are not run where that may end the process.
    """
    from ..converters import to_onnx
    from ..converters.to_onnx import lower_operator

    op, arrays = case.operator(), case.arrays(dtype)
    expected = run(case, arrays)
    specs = [Spec((None, *a.shape[1:]) if free and a.ndim else a.shape, a.dtype) for a in arrays]
    try:
        lowered = lower_operator(op, specs, opset=opset)
    except to_onnx.NeedsShape:
        if free:
            return
        raise
    except ConversionError:
        if dtype == "float64":
            return
        raise
    to_onnx.check(lowered, {})
    feeds = dict(zip(op.input_names(), arrays, strict=True))
    if op.draws():
        known = [Spec(a.shape, a.dtype) for a in arrays]
        feeds[lowered.noise[0].name] = op.draw(np.random.default_rng(_SEED), *known)
    if _may_end_process([*arrays, *expected]):
        return
    got = _run_onnx(lowered, feeds)
    assert len(got) == len(expected), f"{len(expected)} outputs are expected, got {len(got)}"
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        assert a.dtype == b.dtype, f"output {i}: {b.dtype} is expected, got {a.dtype}"
        assert_near(a, b, max(tolerance(case, dtype), 1e-5), f"output {i} in ONNX Runtime")


# ---- as symbols


def symbol_of(case: Case) -> tuple[Any, list[str]]:
    """The case as a symbol of variables, and their names."""
    from ..symbol.everything import F

    op = case.operator()
    names = list(op.input_names())
    inputs = [F.var(name) for name in names]
    if op.variadic:
        return getattr(F, case.op)(*inputs, **case.attributes), names
    return getattr(F, case.op)(**dict(zip(names, inputs, strict=True)), **case.attributes), names


def _execute(case: Case, symbol: Any, values: Mapping[str, Array]) -> list[Array]:
    from ..symbol.execute import execute

    seed(_SEED)
    with autograd.train_mode() if case.training else autograd.predict_mode():
        outputs = execute(symbol, {name: NDArray(a.copy()) for name, a in values.items()})
    return [y.asnumpy() for y in outputs]


def check_symbolic(case: Case) -> None:
    """As a symbol the operator gives what it gives eagerly, and so does the graph of its gradient."""
    from ..symbol.gradient import gradients as symbolic_gradients
    from ..symbol.graph import Entry
    from ..symbol.symbol import Symbol, var

    arrays = case.arrays()
    symbol, names = symbol_of(case)
    values = dict(zip(names, arrays, strict=True))
    differentiable = not case.operator().not_differentiable
    expected, grads = gradients(case, arrays) if differentiable else (run(case, arrays), [])
    for i, (a, b) in enumerate(zip(_execute(case, symbol, values), expected, strict=True)):
        assert_near(a, b, 1e-6, f"output {i} of the symbol")
    if not differentiable:
        return
    heads = [var(f"head{i}") for i in range(len(expected))]
    entries = {node.name: Entry(node, 0) for node in symbol.nodes() if node.is_variable}
    variables = [entries[n] for n, floating in zip(names, case.floating(), strict=True) if floating]
    graphs = symbolic_gradients(symbol, variables, heads, case.training)
    values.update(zip((f"head{i}" for i in range(len(heads))), case.heads(expected), strict=True))
    for i, (graph, b) in enumerate(zip(graphs, grads, strict=True)):
        a = np.zeros_like(b) if graph is None else _execute(case, Symbol(graph.outputs), values)[0]
        assert_near(a, b, 1e-5, f"gradient {i} of the symbol")


def check_training(case: Case) -> None:
    """Recorded and compiled, the operator and its gradient give what kernels give, without any kernel."""
    from ..runtime.plan import Plan

    arrays = case.arrays()
    symbol, names = symbol_of(case)
    expected, grads = gradients(case, arrays)
    variables = [NDArray(a.copy()) for a in arrays]
    floating = case.floating()
    for x, requires_grad in zip(variables, floating, strict=True):
        if requires_grad:
            x.attach_grad()
    specs = {name: Spec(a.shape, a.dtype) for name, a in zip(names, arrays, strict=True)}
    plan = Plan(symbol, names, specs, floating, case.training)
    kernels = plan.on_kernels()
    assert not kernels or _may_end_process([*arrays, *expected]), f"runs on kernels: {kernels}"
    seed(_SEED)
    with autograd.record(train_mode=case.training):
        outputs = plan(variables)
    tol = max(tolerance(case, "float32"), 1e-5)
    for i, (y, b) in enumerate(zip(outputs, expected, strict=True)):
        assert_near(y.asnumpy(), b, tol, f"output {i}")
    pairs = zip(outputs, case.heads(expected), strict=True)
    recorded = [(y, NDArray(h)) for y, h in pairs if y._entry is not None]
    if recorded:
        autograd.backward([y for y, _ in recorded], [h for _, h in recorded], train_mode=case.training)
    for i, (a, b) in enumerate(zip([x.grad for x in variables if x.grad is not None], grads, strict=True)):
        assert_near(a.asnumpy(), b, max(case.grad_tol, tol), f"gradient {i}")


def check_import(case: Case) -> None:
    """The operator exported to ONNX and imported again gives what the kernel gives."""
    from ..converters import from_onnx
    from ..converters.to_onnx import lower_operator

    op, arrays = case.operator(), case.arrays()
    expected = run(case, arrays)
    lowered = lower_operator(op, [Spec(a.shape, a.dtype) for a in arrays])
    symbol, arguments, states = from_onnx.import_model(lowered.model)
    values = {**{k: v._data for k, v in {**arguments, **states}.items()}}
    values.update(zip(op.input_names(), arrays, strict=True))
    if op.draws():
        values[lowered.noise[0].name] = op.draw(
            np.random.default_rng(_SEED), *[Spec(a.shape, a.dtype) for a in arrays]
        )
    for i, (a, b) in enumerate(zip(_execute(case, symbol, values), expected, strict=True)):
        assert_near(a, b, max(case.tol, 1e-5), f"output {i} imported again")
