"""What real MXNet showed in the scenarios of oracle/gluon_scenarios, and the same with this project."""

from __future__ import annotations

import importlib
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from tests.oracle.gluon_scenarios import _record

FACTS: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "oracle" / "gluon.json").read_text(encoding="utf-8")
)


def names(module: str) -> list[str]:
    """The scenarios of a module. Each has its fact: a missing one is a file not written anew."""
    return list(_record.scenarios(importlib.import_module(f"tests.oracle.gluon_scenarios.{module}")))


def check(module: str, name: str, folder: Path) -> None:
    """Run a scenario and compare what it shows with real MXNet."""
    scenario = _record.scenarios(importlib.import_module(f"tests.oracle.gluon_scenarios.{module}"))[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = json.loads(json.dumps(_record.run(scenario, mx, folder)))
    expected = FACTS[f"{module}.{name}"]
    for i, (ours, theirs) in enumerate(zip(shown, expected, strict=False)):
        assert _same(ours, theirs), f"item {i}: MXNet shows\n{theirs}\nand this is\n{ours}"
    assert len(shown) == len(expected)


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, dict):
        if "error" in theirs:
            return isinstance(ours, dict) and theirs["error"][0] in ours.get("error", ())
        if "array" in theirs and isinstance(ours, dict) and "array" in ours:
            same = all(ours[key] == theirs[key] for key in ("dtype", "on"))
            return same and _near(ours["array"], theirs["array"])
        return isinstance(ours, dict) and _same(list(ours.items()), list(theirs.items()))
    if isinstance(theirs, list | tuple):
        return isinstance(ours, list | tuple) and len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(theirs, float):
        return bool(ours == pytest.approx(theirs, rel=1e-5, abs=1e-6, nan_ok=True))
    return type(ours) is type(theirs) and bool(ours == theirs)


def _near(ours: Any, theirs: Any) -> bool:
    a, b = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if a.shape != b.shape:
        return False
    return np.allclose(a, b, rtol=1e-5, atol=1e-5 * np.abs(b).max(initial=1.0), equal_nan=True)
