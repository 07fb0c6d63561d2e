"""Operators are compared, shown and protected as frozen dataclasses are."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, make_dataclass
from typing import Any

import pytest

from hybridonnx.ops import find
from hybridonnx.ops._operator import Operator, complete
from hybridonnx.ops._registry import load_all

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("Convolution", {"kernel": (3, 3), "num_filter": 4}),
    ("Pooling", {"kernel": (2, 2), "pool_type": "avg"}),
    ("clip", {"a_min": 0.0, "a_max": 6.0}),
    ("relu", {}),
]


@pytest.mark.parametrize(("name", "attributes"), CALLS)
def test_as_frozen_dataclasses(name: str, attributes: dict[str, Any]) -> None:
    op = find(name).make(attributes)
    values = {f.name: getattr(op, f.name) for f in fields(op)}
    plain: Any = make_dataclass(type(op).__name__, list(values), frozen=True)(**values)
    assert repr(op) == repr(plain)
    assert hash(op) == hash(plain) == hash(type(op)(**values))
    assert op == type(op)(**values)
    assert op != plain
    assert op != type(op)(**{**values, "training": True})


def test_fields_are_not_assigned_to() -> None:
    op: Any = find("clip").make({"a_min": 0.0, "a_max": 6.0})
    for name in ("a_min", "training", "other"):
        with pytest.raises(FrozenInstanceError, match=f"clip.*{name}|Clip.*{name}"):
            setattr(op, name, 1)
    with pytest.raises(FrozenInstanceError, match="a_min"):
        del op.a_min
    assert (op.a_min, hasattr(op, "other")) == (0.0, False)
    with pytest.raises(TypeError, match="other"):
        type(op)(other=1)


def test_all_operators_have_these_functions() -> None:
    """One that is a dataclass of its own, or inherits from such a class, would not compare all fields."""
    for cls in set(load_all().values()):
        complete(cls)
        for name in ("__eq__", "__hash__", "__repr__", "__setattr__", "__delattr__"):
            assert getattr(cls, name) is getattr(Operator, name), (cls, name)
