"""The table of gradient rules of ONNX's nodes."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from ..._lazy import is_reloaded
from .._onnx_text import NodeText

Rule: TypeAlias = Callable[..., Sequence[Any]]
"""`(g, node, dy, y, *x)` to the gradients of the inputs in ONNX's order, `None` where there is none.

`g` are `Nodes`, ONNX's operators as functions, and `g.F` has MXNet's. `dy` and `y` are sequences, one item
for each of ONNX's outputs, `None` for an absent one. Of `x` an absent input is `None`, and a constant inside
of the node a NumPy array.
"""
_CONSTANT: dict[str, str] = {}
"""Operators without a gradient, and why, as half a sentence."""
_REFUSED: dict[str, str] = {}
"""Operators whose gradient nobody has written, and why, as half a sentence."""
_RULES: dict[str, Rule] = {}


def full_name(op_type: str, domain: str = "") -> str:
    """What the tables call an operator: its name, with its domain before it if that is not ONNX's own."""
    return f"{domain}.{op_type}" if domain else op_type


def gradient_of(*names: str) -> Callable[[Rule], Rule]:
    """Make a function the gradient rule of these operators, which have their full names."""

    def register(rule: Rule) -> Rule:
        for name in names:
            if not is_reloaded(_RULES.setdefault(name, rule), rule):
                raise ValueError(f"{name} has two gradient rules")
            _RULES[name] = rule
        return rule

    return register


def constant(reason: str, *names: str) -> None:
    """Say of operators why they have no gradient."""
    _CONSTANT.update(dict.fromkeys(names, reason))


def refused(reason: str, *names: str) -> None:
    """Say of operators why nobody has written a gradient rule."""
    _REFUSED.update(dict.fromkeys(names, reason))


@cache
def load_all() -> dict[str, Rule]:
    """Every rule by the operator's full name."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(sys.modules[package].__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package}.{module.name}")
    return _RULES


def why_constant(op_type: str, domain: str = "") -> str:
    """Why an operator has no gradient, or nothing."""
    load_all()
    return _CONSTANT.get(full_name(op_type, domain), "")


def why_refused(node: NodeText) -> str:
    """Why a node has no gradient rule, as what follows the name of the operator."""
    reason = _REFUSED.get(full_name(node.op_type, node.domain), "")
    return f"has no gradient rule, as {reason}" if reason else "has no gradient rule"


def find(node: NodeText) -> Rule | None:
    """The gradient rule of a node, `None` if nobody has written one."""
    return load_all().get(full_name(node.op_type, node.domain))
