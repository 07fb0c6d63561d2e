"""Training scripts with the import changed: real MXNet's losses and parameters, eagerly and hybridized."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.runtime import plan as plans
from tests.oracle.training_scripts._run import Run, scripts

FILE = Path(__file__).parent / "oracle" / "trained.npz"
MODULES = "convolution recurrent".split()
SCRIPTS = [
    (m, name)
    for m in MODULES
    for name in scripts(importlib.import_module(f"tests.oracle.training_scripts.{m}"))
]

TOLERANCE = 1e-5
LOOSER = {
    # Deep networks with batch normalization enlarge rounding, of which MXNet has its share: its first loss in
    # single precision is 1e-5 from that in double precision, and the difference grows from step to step.
    "convolution.zoo_mobilenet": 2e-3,
    "convolution.zoo_resnet": 1e-4,
}
EAGER_ONLY = {"convolution.zoo_mobilenet_in_double_precision"}
"""ONNX Runtime has convolutions in single precision only."""
KERNELS: dict[str, set[str]] = {}


@pytest.fixture(scope="module")
def expected():
    """What real MXNet leaves, by script and name."""
    found: dict[str, dict] = {}
    with np.load(FILE) as file:
        for key in file.files:
            script, name = key.rsplit(".", 1)
            found.setdefault(script, {})[name] = file[key]
    return found


@pytest.fixture
def kernels(monkeypatch):
    """The names of the operators that plans run on kernels."""
    found = set()
    run = plans._Kernel.__call__

    def counted(self, args, noise):
        found.add(self._node.op_name)
        return run(self, args, noise)

    monkeypatch.setattr(plans._Kernel, "__call__", counted)
    return found


def near(found, expected, tolerance):
    """Equal sets of numbers, nearly: losses each, parameters by the largest."""
    assert found.keys() == expected.keys()
    apart = {}
    for key, value in expected.items():
        scale = np.abs(value) if key == "loss" else np.abs(value).max()
        apart[key] = float(np.max(np.abs(np.float32(found[key]) - value) / np.maximum(scale, 1e-6)))
    worst = {key: a for key, a in apart.items() if not a <= (tolerance if key == "loss" else 10 * tolerance)}
    assert not worst


def ways(module, name):
    """A script to be run eagerly and hybridized."""
    title = f"{module}.{name}"
    found = [pytest.param(module, name, False, id=f"{title}-eager")]
    return found if title in EAGER_ONLY else [*found, pytest.param(module, name, True, id=f"{title}-hybrid")]


@pytest.mark.parametrize(("module", "name", "hybrid"), [way for key in SCRIPTS for way in ways(*key)])
def test_as_in_mxnet(module, name, hybrid, expected, kernels, tmp_path):
    run = Run(mx, tmp_path, hybrid)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripts(importlib.import_module(f"tests.oracle.training_scripts.{module}"))[name](mx, run)
    title = f"{module}.{name}"
    near(run.numbers, expected[title], LOOSER.get(title, TOLERANCE))
    assert kernels == (KERNELS.get(title, set()) if hybrid else set())
