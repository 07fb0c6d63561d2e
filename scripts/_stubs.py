"""Type stubs of what is made at run time: functions and methods of operators, names loaded on first use."""

from __future__ import annotations

import importlib
import inspect
import math
import re
from collections.abc import Iterator, Sequence
from inspect import Parameter, Signature
from pathlib import Path
from textwrap import wrap
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

from hybridonnx._lazy import LazyPackage
from hybridonnx.ndarray.namespace import ARRAYS
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import (
    ARITHMETIC,
    COMPARISONS,
    FLUENT,
    Frontend,
    Namespace,
    Operator,
    depends_on_attributes,
    doc_of,
    example_of,
    find,
)
from hybridonnx.symbol.namespace import SYMBOLS
from hybridonnx.symbol.symbol import Symbol

ROOT = Path(__file__).resolve().parents[1]
NOTE = "# Written by scripts/stubs; do not edit.\n"
WIDTH = 110
PACKAGES = """
. autograd contrib gluon gluon.contrib gluon.contrib.nn gluon.contrib.rnn gluon.model_zoo gluon.nn gluon.rnn
ndarray onnx optimizer symbol
""".split()
"""The packages that load their names on first use."""
ONLY = {"nd": "image linalg op".split(), "symbol": "image linalg op sparse".split()}
"""Modules that have operators only, by the frontend's name."""
MIXED = {"nd": "contrib random sparse".split(), "symbol": "contrib random".split()}
"""Modules that have functions of their own, too: the stub of their operators stands beside them."""


def stubs() -> dict[Path, str]:
    """The text of each stub by its file."""
    texts: dict[Path, str] = {}
    for name in PACKAGES:
        module = importlib.import_module(f"hybridonnx.{name}".rstrip("."))
        texts[folder(module.__name__) / "__init__.pyi"] = package_stub(module)
    for frontend, owner in ((ARRAYS, NDArray), (SYMBOLS, Symbol)):
        home = folder(frontend.package)
        for group in ONLY[frontend.name]:
            texts[home / f"{group}.pyi"] = operators_stub(frontend, group)
        for group in MIXED[frontend.name]:
            texts[home / f"_{group}_operators.pyi"] = operators_stub(frontend, group)
        texts[home / "_internal.pyi"] = internal_stub(frontend)
        texts[home / "_operator_methods.pyi"] = methods_stub(frontend, owner)
    return texts


def folder(package: str) -> Path:
    """The folder of a package."""
    return ROOT.joinpath(*package.split("."))


# ---- packages


def package_stub(module: ModuleType) -> str:
    """Where each name of a package comes from."""
    sources: dict[str, list[str]] = {}
    for name in module.__all__:
        source, other = origin(module, name)
        sources.setdefault(source, []).append(name if other == name else f"{other} as {name}")
    lines = [f"from {source} import {', '.join(names)}" for source, names in sorted(sources.items())]
    listed = ", ".join(f'"{name}"' for name in module.__all__)
    version = "" if hasattr(module.__getattr__, "__self__") else "__version__: str\n"
    return NOTE + "\n".join(wrapped(line) for line in [*lines, f"__all__ = [{listed}]"]) + "\n" + version


def origin(module: ModuleType, name: str) -> tuple[str, str]:
    """The module that a package takes a name from, as an import writes it, and the name there."""
    content = getattr(module.__getattr__, "__self__", None)
    if not isinstance(content, LazyPackage):  # the root, which has no import of its own
        return f".{module._NAMES.get(name, '')}", module._SHORT.get(name, name)
    if name in content.submodules:
        return ".", name
    if name in content.single:
        source, _, other = content.single[name].partition(":")
        return source, other or name
    for source in content.modules:
        if name in importlib.import_module(f"{content.package}.{source}").__all__:
            return f".{source}", name
    return ".op", name


def wrapped(line: str) -> str:
    """A line of names, in parentheses over several where it is long."""
    if len(line) <= WIDTH or "(" in line:
        return line
    head, _, names = line.partition(" = [" if line.startswith("__all__") else " import ")
    opening, closing = (" = [", "]") if line.startswith("__all__") else (" import (", ")")
    rows = wrap(names.removesuffix("]") + ",", WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return "\n    ".join([head + opening, *rows]) + f"\n{closing}"


# ---- operators


def operators_stub(frontend: Frontend, group: str) -> str:
    """The operators of a group, as the functions that the module of the group shows."""
    module = importlib.import_module(f"{frontend.package}.{group}")
    lines: list[str] = []
    for name in dir(module):
        function = getattr(module, name)
        if hasattr(function, "__signature__"):
            cls = Namespace(frontend, group).operator(name)
            lines += definition(name, cls, inspect.signature(function), frontend)
    return stub(frontend, lines)


def internal_stub(frontend: Frontend) -> str:
    """Operators whose names are only known when they are asked for."""
    result = f"{frontend.usage.value} | {frontend.usage.several}"
    line = f"def __getattr__(name: str) -> Callable[..., {result}]: ..."
    return stub(frontend, [line])


def methods_stub(frontend: Frontend, owner: type) -> str:
    """The methods that are operators, as the base of the class that they are made in."""
    lines = [line for name in [*ARITHMETIC, *COMPARISONS] for line in arithmetic(name)]
    if frontend is SYMBOLS:
        lines = []  # the class defines them itself
    else:
        lines.append("def __hash__(self) -> int: ...")
    for name in FLUENT:
        method = getattr(owner, name)
        if hasattr(method, "__signature__"):
            lines += definition(name, find(name), inspect.signature(method), frontend)
    return stub(
        frontend, ["class OperatorMethods:", "    __slots__ = ()", *(f"    {line}" for line in lines)]
    )


def arithmetic(name: str) -> Iterator[str]:
    """Python's operator `name` with the operands reversed and in place, or a comparison."""
    if name in COMPARISONS:
        other = "object" if name in ("eq", "ne") else "Operand"
        note = "  # type: ignore[override]" if name in ("eq", "ne") else ""
        yield f"def __{name}__(self, other: {other}) -> NDArray: ...{note}"
        return
    for prefix in ("", "r", "i"):
        yield f"def __{prefix}{name}__(self, other: Operand) -> NDArray: ..."


def stub(frontend: Frontend, lines: Sequence[str]) -> str:
    """The definitions after the imports that they need."""
    body = "\n".join(lines)
    sources = {
        "collections.abc": ("Callable", "Mapping", "Sequence"),
        "typing": ("Any", "Literal", "overload"),
        "..dtypes": ("DTypeLike",),
        ".ndarray": ("NDArray", "Operand"),
        ".symbol": ("Symbol",),
    }
    imports = [
        f"from {source} import {', '.join(used)}"
        for source, names in sources.items()
        if (used := [n for n in names if re.search(rf"\b{n}\b", body)])
    ]
    return NOTE + "\n".join(imports) + f"\n\n{body}\n"


# ---- functions


def definition(name: str, cls: type[Operator], signature: Signature, frontend: Frontend) -> Iterator[str]:
    """The function of an operator, overloaded where an attribute decides how many outputs there are."""
    attribute = deciding(cls) if frontend is ARRAYS and depends_on_attributes(cls) else None
    sentence = doc_of(cls).sentence.replace("\\", "\\\\").replace('"""', "'''")
    doc = f'"""{sentence}"""'
    if attribute is None:
        yield from function(name, [*signature.parameters.values()], signature.return_annotation, doc)
        return
    key, several = attribute
    one = [v for v in choices(cls, key) if v not in several]
    default = signature.parameters[key].default
    for values, result in ((several, "list[NDArray]"), (one, "NDArray")):
        required = default not in values and (values is several or default in several)
        parameters = narrowed(signature, key, f"Literal[{', '.join(map(repr, values))}]", required)
        yield from ("@overload", *function(name, parameters, result, doc))
    if get_origin(cls.schema()[key].kind) is not Literal:
        yield from (
            "@overload",
            *function(name, [*signature.parameters.values()], "NDArray | list[NDArray]", doc),
        )


def deciding(cls: type[Operator]) -> tuple[str, list[Any]] | None:
    """The only attribute that decides whether there are several outputs, and its values that make several."""
    example = example_of(cls).attributes()
    for name in cls.schema():
        values = choices(cls, name)
        several = [v for v in values if cls.make({**example, name: v}).visible() > 1]
        if several and len(several) < len(values):
            return name, several
    return None


def choices(cls: type[Operator], name: str) -> list[Any]:
    """The values that an attribute may have, if they are few."""
    kind = cls.schema()[name].kind
    if kind is bool:
        return [False, True]
    return list(get_args(kind)) if get_origin(kind) is Literal else []


def narrowed(signature: Signature, name: str, annotation: str, required: bool) -> list[Parameter]:
    """The parameters with one of another type; if it is required, it and what follows is given by name."""
    parameters: list[Parameter] = []
    by_name = False
    for p in signature.parameters.values():
        if p.name == name:
            p = p.replace(annotation=annotation)
            if required:
                p, by_name = p.replace(kind=Parameter.KEYWORD_ONLY, default=Parameter.empty), True
        elif by_name and p.kind is Parameter.POSITIONAL_OR_KEYWORD:
            p = p.replace(kind=Parameter.KEYWORD_ONLY)
        parameters.append(p)
    return parameters


def function(name: str, parameters: Sequence[Parameter], result: str, doc: str) -> Iterator[str]:
    """The lines of one function."""
    words: list[str] = []
    starred = False
    for p in parameters:
        if p.kind is Parameter.KEYWORD_ONLY and not starred:
            words.append("*")
        starred = starred or p.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        words.append(argument(p))
    line = f"def {name}({', '.join(words)}) -> {result}:"
    if len(line) <= WIDTH - 4:
        yield line
    else:
        yield f"def {name}("
        yield from (f"    {word}," for word in words)
        yield f") -> {result}:"
    yield from (f"    {doc}", "    ...")


def argument(p: Parameter) -> str:
    """One parameter with its type, and its default where it is a plain value."""
    kinds: dict[Any, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
    stars = kinds.get(p.kind, "")
    annotation = "" if p.annotation is Parameter.empty else f": {p.annotation}"
    if p.default is Parameter.empty:
        return f"{stars}{p.name}{annotation}"
    return f"{p.name}{annotation}{' = ' if annotation else '='}{plain(p.default)}"


def plain(value: Any) -> str:
    """A default as stubs write it: `...` for what is no plain value."""
    if isinstance(value, float) and not math.isfinite(value):
        return "..."
    return repr(value) if isinstance(value, bool | int | float | str | tuple | None) else "..."


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
