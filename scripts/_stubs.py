"""Type stubs of what is made at run time, functions and methods of operators and names loaded on first use,
and the index of operators."""

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
from typing import Any, Literal, NamedTuple, NoReturn, get_args, get_origin, get_overloads

from hybridonnx._lazy import LazyPackage
from hybridonnx.faces import NUMPY_OVERLOADS
from hybridonnx.faces.extension import NAMES
from hybridonnx.ndarray.namespace import ARRAYS
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ndarray.np_array import FUNCTIONS, ndarray
from hybridonnx.ndarray.numpy_extension.functions import operators as array_extension
from hybridonnx.numpy import fallback, multiarray
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
    load_all,
)
from hybridonnx.symbol.namespace import SYMBOLS
from hybridonnx.symbol.np_symbol import EXTENSION as SYMBOL_EXTENSION
from hybridonnx.symbol.np_symbol import FUNCTIONS as SYMBOL_FUNCTIONS
from hybridonnx.symbol.np_symbol import _Symbol
from hybridonnx.symbol.symbol import Symbol

ROOT = Path(__file__).resolve().parents[1]
NOTE = "# Written by scripts/stubs; do not edit.\n"
WIDTH = 110
PACKAGES = """
. autograd contrib converters.to_onnx gluon gluon.contrib gluon.contrib.nn gluon.contrib.rnn gluon.model_zoo
gluon.nn gluon.rnn ndarray ndarray.numpy ndarray.numpy_extension numpy numpy_extension onnx optimizer
symbol symbol.numpy symbol.numpy_extension
""".split()
"""The packages that load their names on first use."""
OPERATORS = {
    "hybridonnx.ndarray": ".op",
    "hybridonnx.symbol": ".op",
    "hybridonnx.numpy": "..ndarray.numpy",
    "hybridonnx.numpy_extension": "..ndarray.numpy_extension",
}
"""Where packages have their operators from, if not from a stub beside them."""
ONLY = {"nd": "image linalg op".split(), "symbol": "image linalg op sparse".split()}
"""Modules that have operators only, by the frontend's name."""
MIXED = {"nd": "contrib random sparse".split(), "symbol": "contrib random".split()}
"""Modules that have functions of their own, too: the stub of their operators stands beside them."""


class Face(NamedTuple):
    """NumPy's functions on the values of one frontend."""

    frontend: Frontend
    value: type
    functions: Any
    extension: Any


FACES = (
    Face(ARRAYS, ndarray, FUNCTIONS, array_extension),
    Face(SYMBOLS, _Symbol, SYMBOL_FUNCTIONS, SYMBOL_EXTENSION),
)
SOURCES = {
    "collections.abc": ("Callable", "Mapping", "Sequence"),
    "typing": ("Any", "Literal", "NoReturn", "overload"),
    "hybridonnx.attrs": ("ShapeLike",),
    "hybridonnx.context": ("Context",),
    "hybridonnx.dtypes": ("DTypeLike",),
    "hybridonnx.faces": ("Axes", "Name", "Sections", "Size"),
    "hybridonnx.ndarray.ndarray": ("Key", "NDArray", "Operand"),
    "hybridonnx.ndarray.np_array": ("ndarray",),
    "hybridonnx.symbol.np_symbol": ("_Symbol",),
    "hybridonnx.symbol.symbol": ("Symbol",),
}
"""Where the names come from that annotations have."""


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
    for face in FACES:
        texts |= face_stubs(face)
    home = folder("hybridonnx.numpy")
    texts[home / "_numpy_functions.pyi"] = numpys_own_stub()
    texts[home / "multiarray.pyi"] = mirror_stub(multiarray)
    texts[folder("hybridonnx.ops") / "_families.py"] = index()
    return texts


def index() -> str:
    """The module that tells which family each operator is of."""
    families: dict[str, list[str]] = {}
    for name, cls in load_all().items():
        families.setdefault(cls.__module__.rpartition(".")[2], []).append(name)
    lines = [NOTE + '"""Which family has each operator, by its names: others need not be loaded for it."""\n']
    lines.append("_NAMES = {")
    for family, names in sorted(families.items()):
        lines.append(f'    "{family}": """')
        lines += wrap(" ".join(sorted(names)), WIDTH, break_on_hyphens=False)
        lines.append('    """,')
    lines.append("}")
    lines.append("FAMILIES = {name: family for family, names in _NAMES.items() for name in names.split()}")
    return "\n".join(lines) + "\n"


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


def mirror_stub(module: ModuleType) -> str:
    """A module that shows what its package does, but for modules."""
    return NOTE + wrapped(f"from . import {', '.join(f'{name} as {name}' for name in module.__all__)}") + "\n"


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
    return OPERATORS.get(module.__name__, "._operators"), name


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
    return stub(frontend.package, lines)


def internal_stub(frontend: Frontend) -> str:
    """Operators whose names are only known when they are asked for."""
    result = f"{frontend.usage.value} | {frontend.usage.several}"
    line = f"def __getattr__(name: str) -> Callable[..., {result}]: ..."
    return stub(frontend.package, [line])


def methods_stub(frontend: Frontend, owner: type) -> str:
    """The methods that are operators, as the base of the class that they are made in."""
    lines: list[str] = []
    if frontend is ARRAYS:  # the class of symbols defines these itself
        lines += [line for name in [*ARITHMETIC, *COMPARISONS] for line in arithmetic(name)]
        lines.append("def __hash__(self) -> int: ...")
    for name in FLUENT:
        method = getattr(owner, name)
        if hasattr(method, "__signature__"):
            lines += definition(name, find(name), inspect.signature(method), frontend)
    return stub(
        frontend.package,
        ["class OperatorMethods:", "    __slots__ = ()", *(f"    {line}" for line in lines)],
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


def stub(package: str, lines: Sequence[str]) -> str:
    """The definitions after the imports that they need, in a stub of a package."""
    body = "\n".join(lines)
    code = re.sub(r'""".*?"""', "", body, flags=re.DOTALL)
    imports = [
        f"from {relative(package, source)} import {', '.join(used)}"
        for source, names in SOURCES.items()
        if (used := [n for n in names if re.search(rf"\b{n}\b", code)])
    ]
    return NOTE + "\n".join(imports) + f"\n\n{body}\n"


def relative(package: str, module: str) -> str:
    """A module as an import in a package names it."""
    ours, theirs = package.split("."), module.split(".")
    if ours[0] != theirs[0]:
        return module
    shared = sum(1 for i in range(len(theirs)) if ours[:i] == theirs[:i] and i <= len(ours)) - 1
    return "." * (len(ours) - shared + 1) + ".".join(theirs[shared:])


# ---- NumPy's functions


def face_stubs(face: Face) -> dict[Path, str]:
    """The stubs of the modules that show NumPy's functions on a frontend's values."""
    package = face.frontend.package
    texts = {folder(package) / "_np_methods.pyi": numpy_methods_stub(face)}
    for home, of_module in (("numpy", face.functions), ("numpy_extension", face.extension)):
        module = f"{package}.{home}"
        draws = importlib.import_module(f"{module}.random").DRAWS
        texts[folder(module) / "_operators.pyi"] = stub(module, [*face_lines(face, of_module)])
        texts[folder(module) / "_random_operators.pyi"] = stub(module, [*face_lines(face, draws)])
    linalg = importlib.import_module(f"{package}.numpy.linalg").LINALG
    images = importlib.import_module(f"{package}.numpy_extension.image")
    lines = [line for name in dir(images) for line in as_operator(face, name, f"_image_{name}", images)]
    for module, name, text in (
        (f"{package}.numpy", "linalg", [*face_lines(face, linalg)]),
        (f"{package}.numpy_extension", "image", lines),
    ):
        texts[folder(module) / f"_{name}_operators.pyi"] = stub(module, text)
    return texts


def face_lines(face: Face, functions: Any) -> Iterator[str]:
    """The public functions of an object; what operators are called by name has the operator's arguments."""
    for name in dir(functions):
        if name.startswith("_"):
            continue
        if hasattr(type(functions), name):
            yield from face_function(face, name, getattr(functions, name))
        else:
            yield from as_operator(face, name, NAMES[name], functions)


def face_function(face: Face, name: str, shown: Any) -> Iterator[str]:
    """One of NumPy's functions, overloaded where its result differs, or where numbers alone give a number."""
    forms = [without_self(form) for form in get_overloads(shown.__func__)]
    signature = inspect.signature(shown)
    if hasattr(shown, "takes_numbers"):
        forms = [of_numbers(signature), signature]
    doc = f'"""{shown.__doc__}"""'
    for form in forms or [signature]:
        if forms:
            yield "@overload"
        parameters = [p.replace(annotation=in_terms_of(face, p.annotation)) for p in form.parameters.values()]
        yield from function(name, parameters, in_terms_of(face, form.return_annotation), doc)


def without_self(function: Any) -> Signature:
    """The signature of a method as it is called on an object."""
    signature = inspect.signature(function)
    return signature.replace(parameters=[*signature.parameters.values()][1:])


def of_numbers(signature: Signature) -> Signature:
    """The signature of a function of values for numbers in their place: the result is NumPy's number."""
    parameters = [
        p.replace(annotation="float") if p.annotation in ("V", "V | float") else p
        for p in signature.parameters.values()
    ]
    return Signature(parameters, return_annotation="Any")


def in_terms_of(face: Face, annotation: Any) -> Any:
    """An annotation with the frontend's class of values; none as it is."""
    if annotation is Parameter.empty:
        return annotation
    return re.sub(r"\bV\b", face.value.__name__, annotation)


def as_operator(face: Face, name: str, operator: str, home: Any) -> Iterator[str]:
    """An operator on NumPy's values, with the operator's own arguments."""
    of_usage = face.frontend.usage.value
    for line in definition(name, find(operator), inspect.signature(getattr(home, name)), face.frontend):
        yield re.sub(rf"\b{of_usage}\b", face.value.__name__, line)


def numpy_methods_stub(face: Face) -> str:
    """The base of the class of NumPy's values: methods that are made at run time, or inherited."""
    base = face.value.__mro__[1]
    lines = [*numpy_arithmetic()] if face.frontend is ARRAYS else []
    lines += [*numpy_methods(face), *inherited_methods(face, base)]
    head = [
        '# mypy: disable-error-code="override"',
        f"class NumpyMethods({base.__name__}):",
        "    __slots__ = ()",
    ]
    return stub(face.frontend.package, [*head, *(f"    {line}" for line in lines)])


def numpy_methods(face: Face) -> Iterator[str]:
    """The methods of NumPy's values that are functions with the value as the first argument."""
    for name, method in vars(face.value).items():
        if hasattr(method, "__signature__"):
            signature = inspect.signature(method)
            parameters = [
                p.replace(annotation=in_terms_of(face, p.annotation)) for p in signature.parameters.values()
            ]
            result = in_terms_of(face, signature.return_annotation)
            yield from function(name, parameters, result, f'"""{method.__doc__}"""')


def inherited_methods(face: Face, base: type) -> Iterator[str]:
    """The methods whose results have the class of what they are called on."""
    for name, method in vars(base).items():
        getter = method.fget if isinstance(method, property) else method
        shown = name == "__getitem__" or not name.startswith("_")
        if not shown or name in vars(face.value) or not inspect.isfunction(getter):
            continue
        signature = inspect.signature(getter)
        result = str(signature.return_annotation)
        if result in (base.__name__, f"{base.__name__} | None"):
            if getter is not method:
                yield "@property"
            result = result.replace(base.__name__, face.value.__name__)
            doc = f'"""{(getter.__doc__ or "A part of the array.").splitlines()[0]}"""'
            yield from function(name, [*signature.parameters.values()], result, doc)


def numpy_arithmetic() -> Iterator[str]:
    """Python's operators on arrays of mx.np; bool where they compare."""
    for what in NUMPY_OVERLOADS:
        if f"__r{what}__" in vars(ndarray):
            for prefix in ("", "r", "i"):
                yield f"def __{prefix}{what}__(self, other: Operand) -> ndarray: ..."
        elif f"__{what}__" in vars(ndarray):
            other = "object" if what in ("eq", "ne") else "Operand"
            yield f"def __{what}__(self, other: {other}) -> ndarray: ..."


def numpys_own_stub() -> str:
    """The functions that are NumPy's own, whose arguments depend on its version."""
    anything = [Parameter(n, kind, annotation="Any") for n, kind in ANYTHING.items()]
    lines: list[str] = []
    for name, value in vars(fallback).items():
        refuses = getattr(value, "__annotations__", {}).get("return") is NoReturn
        if refuses or hasattr(value, "numpy_function"):
            result = "NoReturn" if refuses else "Any"
            lines += function(name, anything, result, f'"""{value.__doc__}"""')
    return stub("hybridonnx.numpy", lines)


ANYTHING = {"args": Parameter.VAR_POSITIONAL, "kwargs": Parameter.VAR_KEYWORD}
"""What functions take whose arguments are not known."""


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
    alone = sum(p.kind is Parameter.POSITIONAL_ONLY for p in parameters)
    for i, p in enumerate(parameters):
        if p.kind is Parameter.KEYWORD_ONLY and not starred:
            words.append("*")
        starred = starred or p.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        words.append(argument(p))
        if p.kind is Parameter.POSITIONAL_ONLY and i == alone - 1:
            words.append("/")
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
