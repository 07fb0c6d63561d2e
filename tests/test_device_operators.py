"""Operators on a device, which the processor plays: the kernels' numbers, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.invoke import ReferenceKernels, invoke
from hybridonnx.ops import seed
from hybridonnx.runtime.device import Device
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


HOST = set(
    """
_composition_grad _contrib_calibrate_entropy _image_adjust_lighting _image_random_brightness
_image_random_color_jitter _image_random_contrast _image_random_flip_left_right _image_random_flip_top_bottom
_image_random_hue _image_random_lighting _image_random_saturation _inverse_or_zeros _linalg_gelqf
_linalg_inverse _linalg_potrf _linalg_potri _linalg_slogdet _linalg_syevd _linalg_trsm _npi_cholesky _npi_eig
_npi_eigh _npi_eigvals _npi_eigvalsh _npi_gamma _npi_insert_tensor _npi_lcm _npi_lcm_scalar _npi_multinomial
_npi_norm _npi_pinv _npi_pinv_scalar_rcond _npi_slogdet _npi_solve _npi_svd _npi_tensorinv _npi_tensorsolve
_npx_constraint_check _open_cond _sample_gamma _sample_generalized_negative_binomial _sample_negative_binomial
_sample_poisson _singular_values _singular_values_gradient _solution
""".split()
)
"""Operators that a device may leave to the processor: decompositions, distributions and augmentations that
ONNX lacks, and what says them step by step."""


def outputs(case: Case, arrays) -> list[np.ndarray]:
    """What an eager call gives."""
    seed(7)
    with mx.autograd.train_mode() if case.training else mx.autograd.predict_mode():
        results = invoke(case.operator(), [mx.nd.array(a, dtype=a.dtype) for a in arrays])
    return [y.asnumpy() for y in (results if isinstance(results, list) else [results])]


@pytest.mark.parametrize("case", CASES)
def test_a_device_gives_what_kernels_give(case: Case, device, monkeypatch):
    told = set()
    monkeypatch.setattr(Device, "tell", lambda self, name, reason: told.add(name))
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
    assert told <= HOST
