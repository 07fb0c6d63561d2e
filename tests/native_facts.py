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

OTHER_ERRORS = {
    "begin_states.made_of_nothing": "a shape that is not known in time, where MXNet's inference fails later",
    "contributed.vectors": "an empty file, which MXNet runs into with None for a length",
    "contributed.vocabularies": "an index that is text, which MXNet cannot even put into its message",
    "batches.refused": "a dict that is no data is a wrong type",
    "iterators.csv_refused": "arguments that are missing are Python's TypeError",
    "layers.rolled": "a layout that is wrong is refused before anything runs",
    "training.fit_wants": "MXNet looks for the label's shape in a dict",
    "training.wrong_batches": "MXNet takes an attribute of what is no batch",
    "training.wrong_bindings": "MXNet looks for the label's shape in a dict",
    "variance.refusals": "MXNet takes an attribute of an executor that is not there",
}
"""Scenarios in which errors are of another class than MXNet's, which come about by accident there."""


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
        assert same(ours, theirs, f"{module}.{name}" in OTHER_ERRORS), (
            f"item {i}: MXNet shows\n{theirs}\nand this is\n{ours}"
        )
    assert len(shown) == len(expected)


def same(ours: Any, theirs: Any, any_error: bool = False) -> bool:
    """Equal, numbers nearly; where MXNet raises an error, one of that class, or with `any_error` of any."""
    if isinstance(theirs, dict) and "error" in theirs:
        classes = ours.get("error", ()) if isinstance(ours, dict) else ()
        return bool(classes) if any_error else theirs["error"][0] in classes
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and same(list(ours.items()), list(theirs.items()), any_error)
    if isinstance(theirs, list | tuple):
        if not isinstance(ours, list | tuple) or len(ours) != len(theirs):
            return False
        return all(same(mine, its, any_error) for mine, its in zip(ours, theirs, strict=True))
    if isinstance(theirs, float):
        return bool(ours == pytest.approx(theirs, rel=1e-5, abs=1e-6, nan_ok=True))
    return type(ours) is type(theirs) and bool(ours == theirs)
