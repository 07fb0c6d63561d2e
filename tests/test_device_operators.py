"""Operators on a device, which the processor plays: the kernels' numbers, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.invoke import ReferenceKernels, invoke
from hybridonnx.ops import seed
from hybridonnx.test_utils import Case
from hybridonnx.test_utils.cases import assert_near, eager_gradients, gradients
from tests.devices import use
from tests.test_operators import FAMILIES

CASES = [
    pytest.param(case, id=str(case), marks=[] if i % 8 == 0 else pytest.mark.slow)
    for i, case in enumerate(case for family in FAMILIES.values() for case in family)
]


@pytest.fixture(autouse=True)
def device(monkeypatch):
    use(monkeypatch, 1)
    return mx.gpu(0)


def outputs(case: Case, arrays) -> list[np.ndarray]:
    """What an eager call gives."""
    seed(7)
    with mx.autograd.train_mode() if case.training else mx.autograd.predict_mode():
        results = invoke(case.operator(), [mx.nd.array(a, dtype=a.dtype) for a in arrays])
    return [y.asnumpy() for y in (results if isinstance(results, list) else [results])]


@pytest.mark.parametrize("case", CASES)
def test_a_device_gives_what_kernels_give(case: Case, device):
    arrays = case.arrays()
    try:
        expected = gradients(case, arrays)
    except MXNetError:  # it has none
        try:
            with ReferenceKernels():
                expected = outputs(case, arrays), []
        except MXNetError as exc:
            with device, pytest.raises(type(exc)):
                outputs(case, arrays)
            return
        got: Any
        with device:
            got = outputs(case, arrays), []
    else:
        with device:
            got = eager_gradients(case, arrays)
    for part, tol, a, b in zip(("output", "gradient"), (case.tol, case.grad_tol), got, expected, strict=True):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert x.dtype == y.dtype
            assert_near(x, y, max(tol, 1e-5), f"{part} {i}")
