"""What functions take and do, as words: tests/oracle/signatures.json keeps MXNet's in this form."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

PLAIN = (bool, int, float, str, type(None))
HOME = str(Path.home())


def text(value: Any) -> str:
    """A default as text that does not depend on the process."""
    if isinstance(value, PLAIN):
        return repr(value).replace(HOME, "~")
    if isinstance(value, (tuple, list)):
        items = [text(item) for item in value]
        return f"({', '.join(items)}{',' * (len(items) == 1)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(k)}: {text(v)}" for k, v in value.items()) + "}"
    kind = type(value).__name__
    if kind in ("_NullType", "_Required"):
        return {"_NullType": "_Null", "_Required": "<required>"}[kind]
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return repr(np.dtype(value).name)
    if isinstance(value, (type, np.ufunc)) or inspect.isroutine(value):
        return f"<{value.__name__}>"
    return repr(str(value)) if kind == "Context" else f"<{kind}>"


def arguments(function: Any) -> list[str] | None:
    """The arguments of a function: `data`, `axis=None`, `*args`, `**kwargs`, and `*` before those by name.

    Args:
        function: A function or a class.

    Returns:
        The words, or None where Python cannot tell, as of built-in functions and of plain exceptions.
    """
    if (
        isinstance(function, type)
        and issubclass(function, Exception)
        and not inspect.isfunction(function.__init__)
    ):
        return None
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    words: list[str] = []
    for parameter in parameters:
        kind = parameter.kind
        if kind is parameter.KEYWORD_ONLY and not any(word.startswith("*") for word in words):
            words.append("*")
        stars = "*" * (kind is parameter.VAR_POSITIONAL) + "**" * (kind is parameter.VAR_KEYWORD)
        default = "" if parameter.default is parameter.empty else f"={text(parameter.default)}"
        words.append(f"{stars}{parameter.name}{default}")
    return words


def member(value: Any) -> list[str] | str | None:
    """What an attribute of a class is: the arguments of a method but the first, or its kind."""
    if isinstance(value, (staticmethod, classmethod)):
        words = arguments(value.__func__)
        return words[1:] if words and isinstance(value, classmethod) else words
    if inspect.isroutine(value):
        words = arguments(value)
        return words[1:] if words else words
    return "property" if isinstance(value, property) else "attribute"


def outcome(function: Any) -> str:
    """What a function's source says that each call does: `nothing`, `refuses`, or else no word.

    One that refuses raises in its first statement, or says in its annotation that it never returns.
    """
    function = inspect.unwrap(getattr(function, "__func__", function))
    if "NoReturn" in str(getattr(function, "__annotations__", {}).get("return", "")):
        return "refuses"
    try:
        definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return ""
    body = definition.body if isinstance(definition, ast.FunctionDef) else [definition]
    rest = [node for node in body if not is_idle(node)]
    return "refuses" if rest and isinstance(rest[0], ast.Raise) else "" if rest else "nothing"


def is_idle(node: ast.stmt) -> bool:
    """Whether a statement does nothing: a text such as a docstring, `pass`, and `return` of nothing."""
    if isinstance(node, ast.Return):
        return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
