"""ONNX's own test models: each is imported and computes ONNX's numbers, or is refused with a reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from hybridonnx.converters import from_onnx
from hybridonnx.errors import ConversionError, MXNetError
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.symbol.execute import execute

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
SMALL_MODELS = sorted(DATA.glob("pytorch-*/*/model.onnx"))

RANDOM = ("bernoulli", "training_dropout")
"""Tests whose expected outputs are drawn."""
KNOWN = {
    "test_swiglu_float16": "ONNX expects the result of computing in float32",
}
"""Beginnings of names of tests that differ, with the reason."""


def fed(array: Any) -> NDArray:
    return NDArray(np.array(array))


def run(imported: from_onnx.Imported, inputs: dict[str, Any]) -> list[np.ndarray]:
    values = {name: NDArray(array) for name, array in imported.arrays.items()}
    feeds = {name: fed(array) for name, array in inputs.items() if name in imported.inputs}
    return [y.asnumpy() for y in execute(imported.symbol, {**values, **feeds})]


def compare(got: np.ndarray, expected: Any, rtol: float, atol: float) -> None:
    target = np.asarray(expected)
    assert got.shape == target.shape, f"shape {target.shape} is expected, got {got.shape}"
    assert got.dtype == target.dtype, f"{target.dtype} is expected, got {got.dtype}"
    half = target.dtype == np.float16  # of which one step is 1e-3 of the value
    largest = np.abs(np.nan_to_num(target.astype(np.float64), posinf=0, neginf=0)).max(initial=0)
    np.testing.assert_allclose(
        got.astype(np.float64),
        target.astype(np.float64),
        rtol=max(rtol, 3e-3 if half else 1e-3),
        atol=max(atol, 1e-5, 1e-6 * largest),
    )


def with_integer_constants(model: onnx.ModelProto, inputs: dict[str, Any]) -> onnx.ModelProto:
    """The model with its integer inputs after the first as constants, as most models have them."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for info in list(copy.graph.input)[1:]:
        if info.name not in inputs:  # a constant already
            continue
        array = np.asarray(inputs[info.name])
        if array.dtype.kind in "iub":
            copy.graph.initializer.append(numpy_helper.from_array(array, info.name))
    return copy


def outcome(model: onnx.ModelProto, sets: Any, rtol: float, atol: float) -> str:
    """`right`, or why the import was refused. Wrong numbers raise."""
    names = [
        info.name for info in model.graph.input if info.name not in {t.name for t in model.graph.initializer}
    ]
    refusal = ""
    for inputs, outputs in sets:
        feeds = dict(zip(names, inputs, strict=False))
        try:
            imported = from_onnx.load(model)
        except MXNetError as exc:
            refusal = str(exc)
            try:
                imported = from_onnx.load(with_integer_constants(model, feeds))
            except MXNetError:
                return refusal
        try:
            results = run(imported, feeds)
        except MXNetError as exc:  # such as the maximum of nothing, which MXNet does not have
            return str(exc)
        for got, expected in zip(results, outputs, strict=True):
            compare(got, expected, rtol, atol)
    return "right"


def stored(path: Path) -> Iterator[tuple[list[Any], list[Any]]]:
    for folder in sorted(path.parent.glob("test_data_set_*")):
        yield tuple(  # type: ignore[misc]
            [
                numpy_helper.to_array(onnx.load_tensor(str(folder / f"{kind}_{i}.pb")))
                for i in range(len(list(folder.glob(f"{kind}_*.pb"))))
            ]
            for kind in ("input", "output")
        )


@pytest.mark.parametrize("path", SMALL_MODELS, ids=lambda path: path.parent.name)
def test_small_models_of_pytorch(path):
    verdict = outcome(onnx.load(path), stored(path), 1e-3, 1e-5)
    if verdict != "right":
        pytest.skip(verdict)


def is_plain(values: Any) -> bool:
    return all(isinstance(v, np.ndarray | np.generic) and v.dtype.kind in "fiub" for v in values)


@pytest.mark.slow
def test_every_operator():
    """No test model of a single operator is imported wrongly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases: list[Any] = list(collect_testcases(None))
    wrong, right = [], 0
    for case in cases:
        if any(part in case.name for part in RANDOM) or any(case.name.startswith(name) for name in KNOWN):
            continue
        if not all(is_plain([*inputs, *outputs]) for inputs, outputs in case.data_sets):
            continue
        try:
            with np.errstate(all="ignore"):
                right += outcome(case.model, case.data_sets, case.rtol, case.atol) == "right"
        except AssertionError as exc:
            wrong.append(f"{case.name}: {' '.join(str(exc).split())[:300]}")
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong)
    assert right > 1500


def test_models_with_many_nodes():
    """ONNX's light copies of well-known networks: whole graphs, their weights made of constants."""
    refused = []
    for path in sorted(DATA.glob("light/*.onnx")):
        try:
            imported = from_onnx.load(path)
        except ConversionError as exc:
            refused.append(f"{path.name}: {exc}")
            continue
        assert len(imported.symbol.nodes()) > 10
    assert not refused, "\n".join(refused)
