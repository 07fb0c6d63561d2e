"""Versions of ONNX: which opsets are written, and what an operator looks like in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from onnx import defs, helper

from hybridonnx.dtypes import DType
from hybridonnx.errors import ConversionError, suggest

from .values import dtype_of_type_string

OLDEST = 13
DEFAULT = 18
NEWEST = defs.onnx_opset_version()


class NeedsOpset(ConversionError):  # noqa: N818  (what is needed, not what is wrong)
    """A graph cannot be written at an opset, and can at another."""

    def __init__(self, required: str, opset: int) -> None:
        super().__init__(f"{required} Export with opset={opset}.")
        self.opset = opset


_Option = defs.OpSchema.FormalParameterOption
_Kind = defs.OpSchema.AttrType


class Parameter(NamedTuple):
    """An input or output of an ONNX operator. Parameters with equal `type` have one element type.

    `type` is ONNX's text of the type itself, `tensor(bool)`, if there is but one.
    """

    name: str
    type: str
    optional: bool
    variadic: bool
    homogeneous: bool


class Signature(NamedTuple):
    """What ONNX says of one operator at one opset."""

    op_type: str
    since: int
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: Mapping[str, _Kind]
    types: Mapping[str, frozenset[DType]]
    """The element types that each of the parameters' types allows."""
    schema: defs.OpSchema

    def input(self, index: int) -> Parameter:
        """The parameter that the `index`-th input belongs to."""
        return self._parameter(self.inputs, index)

    def output(self, index: int) -> Parameter:
        """The parameter that the `index`-th output belongs to."""
        return self._parameter(self.outputs, index)

    def dtypes(self, parameter: Parameter) -> frozenset[DType]:
        """The element types of an input or output; none if they are not tensors."""
        fixed = dtype_of_type_string(parameter.type)
        return self.types.get(parameter.type) or frozenset(filter(None, [fixed]))

    def _parameter(self, parameters: tuple[Parameter, ...], index: int) -> Parameter:
        if index < len(parameters):
            return parameters[index]
        if parameters and parameters[-1].variadic:
            return parameters[-1]
        raise ConversionError(
            f"{self.op_type}: ONNX has {len(parameters)} such inputs or outputs, got one more."
        )


@cache
def signature(op_type: str, opset: int, domain: str = "") -> Signature:
    """The operator as it is at this opset. Raises `ConversionError` if it is unknown there."""
    try:
        schema = defs.get_schema(op_type, opset, domain)
    except defs.SchemaError:
        raise _unknown(op_type, opset, domain) from None
    allowed = {c.type_param_str: list(c.allowed_type_strs) for c in schema.type_constraints}
    types = {name: _dtypes(strings) for name, strings in allowed.items()}
    only = {name: strings[0] for name, strings in allowed.items() if len(strings) == 1}
    return Signature(
        op_type,
        schema.since_version,
        tuple(_parameter(formal, only) for formal in schema.inputs),
        tuple(_parameter(formal, only) for formal in schema.outputs),
        {name: attribute.type for name, attribute in schema.attributes.items()},
        types,
        schema,
    )


def _unknown(op_type: str, opset: int, domain: str) -> ConversionError:
    first = min(versions(op_type, domain), default=0)
    if first > opset:
        return NeedsOpset(f"{op_type}: opset {first} is required, got {opset}.", first)
    known = {name for own, name in _history() if own == domain}
    return ConversionError(
        f"{op_type}: ONNX has no operator of this name at opset {opset}.{suggest(op_type, known)}"
    )


def versions(op_type: str, domain: str = "") -> tuple[int, ...]:
    """The opsets that brought a version of an operator, oldest first."""
    return _history().get((domain, op_type), ())


@cache
def _history() -> dict[tuple[str, str], tuple[int, ...]]:
    """The versions of all operators by domain and name."""
    table: dict[tuple[str, str], list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        table.setdefault((schema.domain, schema.name), []).append(schema.since_version)
    return {key: tuple(sorted(numbers)) for key, numbers in table.items()}


def refusal(
    text: str, kind: Signature, fits: Callable[[Signature], bool], opset: int, way_out: str = ""
) -> ConversionError:
    """The error for what an operator lacks at an opset: with the next one that has it, or else `way_out`."""
    domain = kind.schema.domain
    newer = (signature(kind.op_type, v, domain) for v in versions(kind.op_type, domain) if v > opset)
    version = next((kind.since for kind in newer if fits(kind)), 0)
    return NeedsOpset(text, version) if version else ConversionError(f"{text} {way_out}".rstrip())


def _dtypes(allowed: Iterable[str]) -> frozenset[DType]:
    dtypes = (dtype_of_type_string(text) for text in allowed)
    return frozenset(dtype for dtype in dtypes if dtype is not None)


def _parameter(formal: defs.OpSchema.FormalParameter, only: Mapping[str, str]) -> Parameter:
    return Parameter(
        formal.name,
        only.get(formal.type_str, formal.type_str),
        formal.option == _Option.Optional,
        formal.option == _Option.Variadic,
        formal.is_homogeneous,
    )


def check_opset(opset: int) -> int:
    """`opset` if it can be written."""
    if not isinstance(opset, int) or not OLDEST <= opset <= NEWEST:
        raise ConversionError(f"opset: a version from {OLDEST} to {NEWEST} is required, got {opset!r}.")
    return opset


@cache
def ir_version(opset: int) -> int:
    """The oldest file version that has this opset, so that runtimes as old as the opset read the file."""
    return helper.find_min_ir_version_for([helper.make_opsetid("", opset)])


def plain(domain: str) -> str:
    """A domain's name; ONNX's own has two, of which the empty one is taken."""
    return "" if domain == "ai.onnx" else domain
