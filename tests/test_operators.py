"""The checks of hybridonnx.test_utils over all cases of tests/ops."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hybridonnx import test_utils
from hybridonnx.test_utils import Case
from tests.runtimes import VERSION

HERE = Path(__file__).resolve().parent


def _cases(path: Path) -> list[Case]:
    spec = importlib.util.spec_from_file_location(f"ops_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.CASES)


FAMILIES = {path.stem: _cases(path) for path in sorted((HERE / "ops").glob("*.py"))}


@cache
def stored(family: str) -> dict[str, np.ndarray]:
    """Real MXNet's results for a family."""
    with np.load(HERE / "oracle" / "results" / f"{family}.npz") as archive:
        return dict(archive)


def _expected(family: str, case: Case, dtype: str, kind: str) -> list[np.ndarray]:
    prefix = f"{case.key()}.{dtype}.{kind}."
    outputs = {k: v for k, v in stored(family).items() if k.startswith(prefix)}
    return [outputs[f"{prefix}{i}"] for i in range(len(outputs))]


def _reason(case: Case, check: str) -> str:
    """Why a check of a case is expected to fail, everywhere or in the installed ONNX Runtime."""
    roots = check == "onnx" and case.op in ("sqrt", "rsqrt") and VERSION.startswith("1.20.")
    if roots and any(isinstance(x, np.ndarray) and np.isinf(x).any() for x in case.inputs):
        return "ONNX Runtime 1.20 gives NaN for the root of infinity"
    return case.no.get(check, "")


def over(check: str, with_dtypes: bool = False, only=lambda case: True):
    """Parametrize a test by every case for which `only` holds; `no` of the case makes it a strict failure."""
    params = []
    for family, cases in FAMILIES.items():
        for case in cases:
            if not only(case):
                continue
            reason = _reason(case, check)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            for dtype in case.dtypes if with_dtypes else ("float32",):
                params.append(pytest.param(family, case, dtype, marks=marks, id=f"{case}-{dtype}"))
    return pytest.mark.parametrize(("family", "case", "dtype"), params)


def differentiable(case: Case) -> bool:
    return any(case.floating()) and not case.operator().not_differentiable


def test_case_names_are_unique():
    for family, cases in FAMILIES.items():
        keys = [case.key() for case in cases]
        repeated = {str(c) for c in cases if keys.count(c.key()) > 1}
        assert not repeated, f"{family}: {repeated}"


@over("forward", with_dtypes=True)
def test_forward(family, case, dtype):
    if case.formula is not None:
        expected = test_utils.expected_by_formula(case, dtype)
    else:
        refused = stored(family).get(f"{case.key()}.{dtype}.error")
        assert refused is None, f"real MXNet refuses the case: {refused}"
        expected = _expected(family, case, dtype, "out")
        assert expected, "no stored result: run tests/oracle/results.py"
    test_utils.check_forward(case, dtype, expected)


@over("infer", with_dtypes=True)
def test_infer(family, case, dtype):
    test_utils.check_infer(case, dtype)


@over("infer_named")
def test_infer_with_named_sizes(family, case, dtype):
    test_utils.check_infer_named(case)


@over("noise", only=lambda case: case.operator().draws())
def test_noise_is_as_said(family, case, dtype):
    test_utils.check_noise_spec(case)


@over("inputs")
def test_inputs_kept(family, case, dtype):
    test_utils.check_inputs_unchanged(case)


@over("attributes")
def test_attribute_text(family, case, dtype):
    test_utils.check_attribute_text(case)


@over("gradient", only=differentiable)
def test_gradient(family, case, dtype):
    test_utils.check_gradient(case)


@over("second", only=differentiable)
def test_second_gradient(family, case, dtype):
    test_utils.check_second_gradient(case)


def has_gradient_in_mxnet(case: Case) -> bool:
    return case.formula is None and any(case.floating()) and not case.operator().refuses_gradient


@over("oracle", only=has_gradient_in_mxnet)
def test_gradient_is_mxnets(family, case, dtype):
    expected = _expected(family, case, dtype, "grad")
    if not expected:
        pytest.skip("real MXNet has no gradient here")
    _, got = test_utils.gradients(case, case.arrays())
    assert len(got) == len(expected)
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        test_utils.assert_near(a, b, max(case.tol, 1e-5), f"gradient {i}")


def in_onnx(case: Case) -> bool:
    return not case.operator().not_in_onnx


@over("onnx", with_dtypes=True, only=in_onnx)
def test_onnx(family, case, dtype):
    test_utils.check_onnx(case, dtype, 18)


@over("onnx", only=lambda case: in_onnx(case) and case.inputs)
def test_onnx_with_open_batch(family, case, dtype):
    test_utils.check_onnx(case, dtype, 18, free=True)


@over("symbolic")
def test_symbolic(family, case, dtype):
    test_utils.check_symbolic(case)


def trains(case: Case) -> bool:
    return differentiable(case) and in_onnx(case) and "gradient" not in case.no


@over("training", only=trains)
def test_training(family, case, dtype):
    test_utils.check_training(case)


@over("import", only=lambda case: in_onnx(case) and not case.training)
def test_import(family, case, dtype):
    test_utils.check_import(case)
