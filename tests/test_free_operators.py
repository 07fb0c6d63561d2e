"""Every operator with its sizes free, in prediction, in training and in files, beside its kernel."""

from __future__ import annotations

import numpy as np
import pytest

from hybridonnx import autograd
from hybridonnx.converters import from_onnx
from hybridonnx.converters.to_onnx import lower_operator
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Spec, SymbolicDim, seed
from hybridonnx.runtime.plan import Plan
from hybridonnx.symbol.execute import execute
from hybridonnx.test_utils.cases import assert_near, gradients, run, symbol_of, tolerance
from tests.test_operators import FAMILIES, in_onnx, trains

SEED = 7
"""What `run` and `gradients` draw with."""
EVERY = 40
"""One of so many cases is among the fast tests."""


def free(array, outer):
    """A name for each size that is not 1, or on axes before `outer`."""
    shape = [SymbolicDim.named(f"n{d}") if d > 1 or i < outer else d for i, d in enumerate(array.shape)]
    return Spec(tuple(shape), array.dtype)


def compiled(case, arrays, requires_grad, outer):
    """The plan for free sizes; `None` if they have to be known."""
    symbol, names = symbol_of(case)
    known = {name: Spec(a.shape, a.dtype) for name, a in zip(names, arrays, strict=True)}
    specs = {name: free(a, outer) for name, a in zip(names, arrays, strict=True)}
    try:
        return Plan(symbol, names, specs, requires_grad, case.training).at(known)
    except MXNetError:
        return None


def predicts(case, arrays, expected):
    """Whether it predicts with all sizes free; raises if it gives anything else."""
    plan = compiled(case, arrays, [False] * len(arrays), 1)
    if plan is None:
        return False
    seed(SEED)
    with autograd.train_mode() if case.training else autograd.predict_mode():
        outputs = plan([NDArray(a.copy()) for a in arrays])
    for i, (y, b) in enumerate(zip(outputs, expected, strict=True)):
        assert_near(y.asnumpy(), b, max(tolerance(case, "float32"), 1e-5), f"output {i}")
    return True


def learns(case, arrays):
    """Whether it trains with all sizes free; raises if it gives anything else."""
    plan = compiled(case, arrays, case.floating(), 0)
    if plan is None:
        return False
    expected, slopes = gradients(case, arrays)
    variables = [NDArray(a.copy()) for a in arrays]
    for x, floating in zip(variables, case.floating(), strict=True):
        if floating:
            x.attach_grad()
    seed(SEED)
    with autograd.record(train_mode=case.training):
        outputs = plan(variables)
    heads = zip(outputs, case.heads(expected), strict=True)
    recorded = [(y, NDArray(h)) for y, h in heads if y._entry is not None]
    if recorded:
        autograd.backward([y for y, _ in recorded], [h for _, h in recorded], train_mode=case.training)
    tol = max(tolerance(case, "float32"), case.grad_tol, 1e-5)
    for i, (x, b) in enumerate(zip([x for x in variables if x.grad is not None], slopes, strict=True)):
        assert_near(x.grad.asnumpy(), b, tol, f"gradient {i}")
    return True


def returns(case, arrays, expected):
    """Whether it is written with all sizes free; raises if that is not read, or gives anything else."""
    op = case.operator()
    try:
        lowered = lower_operator(op, [free(a, 1) for a in arrays])
    except MXNetError:
        return False
    symbol, arguments, states = from_onnx.import_model(lowered.model)
    values = {**arguments, **states, **dict(zip(op.input_names(), map(NDArray, arrays), strict=True))}
    if op.draws():
        noise = op.draw(np.random.default_rng(SEED), *[Spec(a.shape, a.dtype) for a in arrays])
        values[lowered.noise[0].name] = NDArray(noise)
    for i, (y, b) in enumerate(zip(execute(symbol, values), expected, strict=True)):
        assert_near(y.asnumpy(), b, max(case.tol, 1e-5), f"output {i} of the file")
    return True


def tried(cases):
    """How many of the cases run with free sizes, of how many; raises for the first that differs."""
    count, total = 0, 0
    for case in cases:
        if not in_onnx(case) or {"onnx", "training"} & set(case.no):
            continue
        arrays = case.arrays()
        expected = run(case, arrays)
        if not arrays or any(a.size == 0 for a in (*arrays, *expected)):
            continue
        try:
            count += predicts(case, arrays, expected) + (trains(case) and learns(case, arrays))
            if not case.training and "import" not in case.no:
                returns(case, arrays, expected)
        except Exception as exc:
            exc.add_note(f"In {case} with free sizes.")
            raise
        total += 1 + trains(case)
    return count, total


def test_some_operators():
    cases = [case for family in FAMILIES.values() for case in family]
    count, total = tried(cases[::EVERY])
    assert count > 0.6 * total, "most lowerings and gradients need no known sizes"


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_all_operators(family):
    tried(FAMILIES[family])
