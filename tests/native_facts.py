"""What real MXNet showed in the scenarios of oracle/native_scenarios, and the same with this project."""

from __future__ import annotations

import importlib
import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import hybridonnx as mx
from tests.oracle.gluon_scenarios import _record


@cache
def facts(kind: str) -> dict[str, list[Any]]:
    """What real MXNet showed, by module and scenario."""
    path = Path(__file__).parent / "oracle" / f"{kind}.json"
    shown: dict[str, list[Any]] = json.loads(path.read_text(encoding="utf-8"))
    return shown


def _scenarios(module: str, kind: str) -> dict[str, Any]:
    folder = importlib.import_module(f"tests.oracle.{kind}_scenarios.{module}")
    return dict(_record.scenarios(folder))


def names(module: str, kind: str = "native") -> list[str]:
    """The scenarios of a module."""
    return list(_scenarios(module, kind))


def check(module: str, name: str, folder: Path, kind: str = "native") -> None:
    """Run a scenario and compare what it shows with real MXNet."""
    scenario = _scenarios(module, kind)[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = json.loads(json.dumps(_record.run(scenario, mx, folder)))
    expected = facts(kind)[f"{module}.{name}"]
    for i, (ours, theirs) in enumerate(zip(shown, expected, strict=False)):
        assert same(ours, theirs), f"item {i}: MXNet shows\n{theirs}\nand this is\n{ours}"
    assert len(shown) == len(expected)


def same(ours: Any, theirs: Any) -> bool:
    """Equal, numbers nearly; an error is enough where MXNet raises one."""
    if isinstance(theirs, dict) and "error" in theirs:
        return isinstance(ours, dict) and "error" in ours
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and same(list(ours.items()), list(theirs.items()))
    if isinstance(theirs, list | tuple):
        return isinstance(ours, list | tuple) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float):
        return bool(ours == pytest.approx(theirs, rel=1e-5, abs=1e-6, nan_ok=True))
    return type(ours) is type(theirs) and bool(ours == theirs)
