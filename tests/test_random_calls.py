"""Random calls of linear algebra, attention, densities and others: numbers and gradients as real MXNet's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from tests.random_calls import array, calls, result
from tests.runtimes import newest_opset

ORACLE = Path(__file__).parent / "oracle"
STORED = range(4)
TOLERANCE = {"float32": 2e-4, "float64": 1e-8}


@cache
def stored() -> dict[str, np.ndarray]:
    with np.load(ORACLE / "random_calls.npz") as archive:
        return dict(archive)


def check(key: str, call: dict[str, Any], facts: Mapping[str, np.ndarray]) -> None:
    expected = [facts[name] for j in range(9) if (name := f"{key}.{j}") in facts]
    for a, b in zip(result(mx, call), expected, strict=True):
        close(a, b, str(call))


def close(a: np.ndarray, b: np.ndarray, label: str) -> None:
    """Fails unless the arrays are equal up to rounding, at the scale of their largest number."""
    assert (a.shape, a.dtype) == (b.shape, b.dtype), label
    tolerance = TOLERANCE.get(a.dtype.name, 0)
    finite = np.abs(b[np.isfinite(b)])
    scale = max(finite.max(initial=0), 1) if tolerance else 0
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * 0.05 * scale, err_msg=label)


CALLS = [(f"{seed}.{i}", call) for seed in STORED for i, call in enumerate(calls(seed))]
CALL = pytest.mark.parametrize(
    ("key", "call"), [pytest.param(*row, id=f"{row[0]}-{row[1]['op']}") for row in CALLS]
)


@CALL
def test_as_mxnet(key, call):
    check(key, call, stored())


@CALL
def test_in_onnx_runtime(key, call, tmp_path):
    arrays = [array(row) for row in call["inputs"]]
    names = [f"x{i}" for i in range(len(arrays))]
    function: Any = mx.sym
    for name in call["op"].split("."):
        function = getattr(function, name)
    attributes = {k: tuple(v) if isinstance(v, list) else v for k, v in call["attributes"].items()}
    symbol = function(*map(mx.sym.var, names), **attributes)
    file = str(tmp_path / "call.onnx")
    opset = min(13 + int(key.split(".")[0]) * 3, newest_opset())
    shapes, types = [a.shape for a in arrays], [a.dtype for a in arrays]
    mx.onnx.export_model(
        symbol, {}, in_shapes=shapes, in_types=types, onnx_file_path=file, opset_version=opset
    )
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    session = ort.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    fed = dict(zip(names, arrays, strict=True))
    outputs = session.run(None, {i.name: fed[i.name] for i in session.get_inputs()})
    for j, y in enumerate(outputs):
        close(y, stored()[f"{key}.{j}"], str(call))


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(100, 130))
def test_more_calls_as_mxnet(seed, oracle, tmp_path):
    file = tmp_path / "calls.npz"
    done = subprocess.run(
        [oracle, "-W", "ignore", str(ORACLE / "random_calls.py"), str(seed), str(file)],
        env={**os.environ, "MXNET_SUBGRAPH_BACKEND": "NONE"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with np.load(file) as archive:
        facts = dict(archive)
    for i, call in enumerate(calls(seed)):
        check(f"{seed}.{i}", call, facts)
