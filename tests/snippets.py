"""Runs a few lines of Python that use `mx`, real or ours, and describes what they give as plain data.

The last line is an expression; lines are separated by newlines. Tests and the scripts in oracle/ share this.
"""

from __future__ import annotations

import ast
import math
import warnings
from typing import Any

import numpy as np


def lines(text: str, before: str = "") -> list[str]:
    """The snippets of a table: one a line, or parts that a blank line separates."""
    parts = text.strip().split("\n\n") if "\n\n" in text else text.strip().splitlines()
    return [before + "\n".join(line.strip() for line in part.splitlines()) for part in parts]


def run(text: str, **names: Any) -> Any:
    """The value of the last line, run with `names`; or the error that a line raises."""
    tree = ast.parse(text)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), f"the last line must be an expression: {text}"
    scope = {"np": np, **names}
    try:
        exec(compile(tree, "<snippet>", "exec"), scope)
        return eval(compile(ast.Expression(last.value), "<snippet>", "eval"), scope)
    except Exception as exc:  # noqa: BLE001  (of any type: it is what the snippet gives)
        return exc


def describe(value: Any) -> Any:
    """A value as what JSON can keep."""
    if isinstance(value, Exception):
        return {"error": type(value).__name__}
    if hasattr(value, "asnumpy"):
        array = value.asnumpy()
        return {"dtype": array.dtype.name, "shape": list(array.shape), "values": _numbers(array)}
    if isinstance(value, np.ndarray | np.generic):
        kind = "array" if isinstance(value, np.ndarray) else "number"
        return {"numpy": kind, "dtype": value.dtype.name, "values": _numbers(np.asarray(value))}
    if isinstance(value, dict):
        return {"dict": {str(k): describe(v) for k, v in value.items()}}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [describe(v) for v in value]}
    if isinstance(value, type):
        return {"class": value.__name__.rstrip("_")}
    return value if isinstance(value, str | bool | int | float | None) else {"text": str(value)}


def _numbers(array: np.ndarray) -> list[Any]:
    if array.dtype.kind != "f":
        return array.ravel().tolist()
    return [float(str(v)) for v in array.ravel()]  # the digits that the narrower type needs


def outcome(text: str, **names: Any) -> Any:
    """What a snippet gives, described."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = run(text, **names)
        try:
            return describe(value)
        except Exception as exc:  # noqa: BLE001  (MXNet computes, and fails, later)
            return describe(exc)


def alike(a: Any, b: Any, tol: float = 1e-5) -> bool:
    """Whether descriptions are equal, numbers up to `tol`."""
    if isinstance(a, dict) and isinstance(b, dict):
        if a.get("dtype") == "float16":
            tol = max(tol, 2e-3)
        return a.keys() == b.keys() and all(alike(a[k], b[k], tol) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(alike(x, y, tol) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=tol, abs_tol=1e-6)
    return type(a) is type(b) and a == b


def check(text: str, expected: Any, **names: Any) -> None:
    """Fail unless a snippet gives what is expected; an error may be of a subclass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = run(text, **names)
    if isinstance(value, Exception):
        error = expected.get("error") if isinstance(expected, dict) else None
        if error not in [c.__name__ for c in type(value).__mro__]:
            raise value
        return
    description = describe(value)
    assert alike(description, expected), f"{text}\n  gives   {description}\n  expected {expected}"
