"""The table of imports: from an ONNX operator's name to the function that says it in MXNet's operators."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from functools import cache, cached_property
from inspect import Parameter, signature
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_type_hints

from hybridonnx._lazy import is_reloaded
from hybridonnx.errors import ConversionError

from ..opsets import newest
from ..opsets import signature as known

Const: TypeAlias = Annotated[Any, "constant"]
"""Annotation of an input that must be a constant; it arrives as a NumPy array, or `None` if absent."""

Hint: TypeAlias = Annotated[Any, "constant if known"]
"""Annotation of an input that is a NumPy array if it is constant, and `None` if it is absent or computed."""

Operand: TypeAlias = Annotated[Any, "numbers and sizes"]
"""Annotation of an input that must be integers and expressions of free sizes, such as a target shape.

It arrives as a tuple of them, or `None` if absent.
"""

Named: TypeAlias = Annotated[str, "a value's name"]
"""Annotation of an attribute that names a value, which has to be computed though it is no input."""

ML = "ai.onnx.ml"
"""The domain of the operators of classical machine learning."""

FACTS = ("note", "opset")
"""What else a function may ask for: the node's `doc_string`, the operator's version."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Import:
    """An import function `(F, *inputs, **attributes)`, with what its signature says."""

    def __init__(
        self,
        function: Callable[..., Any],
        op_type: str,
        versions: tuple[int, ...],
        domain: str,
        stays: bool = True,
    ):
        self.function, self.op_type, self.versions, self.domain = function, op_type, versions, domain
        self.stays = stays

    @cached_property
    def _parameters(self) -> list[Parameter]:
        return list(signature(self.function).parameters.values())[1:]

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of the fixed inputs."""
        return tuple(p.name for p in self._parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD)

    @cached_property
    def variadic(self) -> bool:
        """Whether any number of inputs may follow the fixed ones."""
        return any(p.kind is Parameter.VAR_POSITIONAL for p in self._parameters)

    @cached_property
    def required(self) -> int:
        """How many inputs must be there."""
        return sum(
            p.kind is Parameter.POSITIONAL_OR_KEYWORD and p.default is Parameter.empty
            for p in self._parameters
        )

    @cached_property
    def attributes(self) -> dict[str, bool]:
        """Attribute name to whether it must be there."""
        return {
            p.name: p.default is Parameter.empty
            for p in self._parameters
            if p.kind is Parameter.KEYWORD_ONLY and p.name not in FACTS
        }

    @cached_property
    def facts(self) -> frozenset[str]:
        """What else of a node the function asks for, of `FACTS`."""
        return frozenset(p.name for p in self._parameters if p.name in FACTS)

    @cached_property
    def constants(self) -> frozenset[str]:
        """The names of the inputs that must be constants."""
        return self._annotated(Const)

    @cached_property
    def hints(self) -> frozenset[str]:
        """The names of the inputs whose value only helps."""
        return self._annotated(Hint)

    @cached_property
    def operands(self) -> frozenset[str]:
        """The names of the inputs that must be numbers and sizes."""
        return self._annotated(Operand)

    @cached_property
    def named(self) -> frozenset[str]:
        """The names of the attributes that name values."""
        return self._annotated(Named)

    def _annotated(self, kind: Any) -> frozenset[str]:
        """The names of the parameters with this annotation, alone or as one of several: `Const | None`."""
        hints = get_type_hints(self.function, include_extras=True)
        return frozenset(name for name, hint in hints.items() if kind in (hint, *get_args(hint)))


_table: dict[tuple[str, str], dict[int, Import]] = {}


def imports(
    *op_types: str, versions: tuple[int, ...], domain: str = "", stays: bool = True
) -> Callable[[_Function], _Function]:
    """Make a function the import of these ONNX operators, in the versions that it was written for.

    Two functions may share an operator if their versions differ. What the function refuses is a node of
    ONNX's own, or, if none `stays` one as it means nothing by itself, an error.
    """

    def register(function: _Function) -> _Function:
        for op_type in op_types:
            known = _table.setdefault((domain, op_type), {})
            entry = Import(function, op_type, versions, domain, stays)
            for version in versions:
                if version in known and not is_reloaded(known[version].function, function):
                    raise ValueError(f"{op_type} version {version} has two imports")
                known[version] = entry
        return function

    return register


@cache
def load_all() -> dict[tuple[str, str], dict[int, Import]]:
    """Every import by domain and operator name, then version."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(sys.modules[package].__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package}.{module.name}")
    return _table


def find(op_type: str, domain: str = "") -> dict[int, Import]:
    """The imports of an ONNX operator by version; none if nobody has written one."""
    return load_all().get((domain, op_type), {})


def versions(op_type: str, domain: str = "") -> frozenset[int]:
    """The versions of an ONNX operator that are said in MXNet's operators where they can."""
    return frozenset(find(op_type, domain))


def supported(opset: int = newest()) -> list[str]:
    """The names of ONNX's own operators that become MXNet's, as they are at an opset."""
    if not isinstance(opset, int) or not 1 <= opset <= newest():
        raise ConversionError(f"opset: a version from 1 to {newest()} is required, got {opset!r}.")
    return sorted(op for domain, op in load_all() if not domain and _since(op, opset) in find(op))


def _since(op_type: str, opset: int) -> int:
    """The version of an operator at an opset, 0 if there is none."""
    try:
        return known(op_type, opset).since
    except ConversionError:
        return 0
