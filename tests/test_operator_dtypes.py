"""Every operator takes arrays of every dtype, or says in words that it does not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from hybridonnx.dtypes import BY_NAME
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.invoke import invoke_all
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.test_utils import Case
from tests.special_values import cases

CASES = 5
"""How many cases of an operator are run."""


@cache
def by_operator() -> dict[str, list[Case]]:
    table: dict[str, list[Case]] = {}
    for _, case in cases():
        table.setdefault(case.op, []).append(case)
    return table


@pytest.mark.parametrize("dtype", BY_NAME)
def test_refusals_are_errors_of_mxnet(dtype):
    """Of inputs all of the dtype, and of the first one alone: another error fails the test."""
    results, refusals = 0, 0
    for group in by_operator().values():
        for case in group[:CASES]:
            plain = case.arrays("float32")
            with np.errstate(all="ignore"):
                every = [x.astype(dtype) for x in plain]
            for arrays in (every, [*every[:1], *plain[1:]]):
                try:
                    with np.errstate(all="ignore"):
                        outputs = invoke_all(case.operator(), [NDArray(x.copy()) for x in arrays])
                except MXNetError:
                    refusals += 1
                else:
                    results += len(outputs)
    assert min(results, refusals) > 200
