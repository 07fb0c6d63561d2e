"""Every operator takes arrays of every dtype, or says in words that it does not; so it is in files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pytest

from hybridonnx import autograd
from hybridonnx.converters.to_onnx import lower_operator
from hybridonnx.dtypes import BY_NAME
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.invoke import invoke_all
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Array, Spec
from hybridonnx.test_utils import Case
from tests.chains.trial import run_model
from tests.special_values import cases

CASES = 5
"""How many cases of an operator are run."""


IN_FILES = ("bool", "int8", "uint8", "int32", "int64", "float16", "float64")


@cache
def by_operator() -> dict[str, list[Case]]:
    table: dict[str, list[Case]] = {}
    for _, case in cases():
        table.setdefault(case.op, []).append(case)
    return table


def drawn(dtype: str) -> Iterator[tuple[Case, list[Array]]]:
    """Cases of every operator with all inputs of a dtype, and with the first one alone."""
    for group in by_operator().values():
        for case in group[:CASES]:
            plain = case.arrays("float32")
            with np.errstate(all="ignore"):
                every = [x.astype(dtype) for x in plain]
            yield case, every
            yield case, [*every[:1], *plain[1:]]


def on_kernels(case: Case, arrays: Sequence[Array]) -> list[Array]:
    mode = autograd.train_mode if case.training else autograd.predict_mode
    with np.errstate(all="ignore"), mode():
        return [y.asnumpy() for y in invoke_all(case.operator(), [NDArray(x.copy()) for x in arrays])]


@pytest.mark.parametrize("dtype", BY_NAME)
def test_refusals_are_errors_of_mxnet(dtype):
    """Of inputs all of the dtype, and of the first one alone: another error fails the test."""
    results, refusals = 0, 0
    for case, arrays in drawn(dtype):
        try:
            results += len(on_kernels(case, arrays))
        except MXNetError:
            refusals += 1
    assert min(results, refusals) > 200


@pytest.mark.slow
@pytest.mark.parametrize("dtype", IN_FILES)
def test_files_take_the_same_dtypes(dtype):
    """What the kernels take has a file with their numbers, or is refused when the file is made."""
    results, refusals = 0, 0
    for case, arrays in drawn(dtype):
        op = case.operator()
        if op.noise or not all(x.size and np.isfinite(x).all() for x in arrays):
            continue
        try:
            want = on_kernels(case, arrays)
        except MXNetError:
            continue
        try:
            model = lower_operator(op, [Spec(x.shape, x.dtype) for x in arrays], opset=18).model
        except MXNetError:
            refusals += 1
            continue
        results += 1
        for i, (a, b) in enumerate(
            zip(run_model(model, dict(zip(op.input_names(), arrays, strict=True)), 99), want, strict=False)
        ):  # some are hidden
            message = f"{case} of {[str(x.dtype) for x in arrays]}, output {i}"
            assert (a.dtype, a.size) == (b.dtype, b.size), message
            tol = 0 if b.dtype.kind in "biu" else 2e-2 if "float16" in (dtype, b.dtype.name) else 2e-3
            np.testing.assert_allclose(a.reshape(b.shape), b, rtol=tol, atol=tol, err_msg=message)
    assert results > 1000
    assert refusals < 300
