"""Versions of ONNX: which opsets are written, and what an operator looks like in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from onnx import defs, helper

from hybridonnx.dtypes import DType
from hybridonnx.errors import ConversionError, suggest

from .values import dtype_of_type_string

OLDEST = 13
DEFAULT = 18
NEWEST = defs.onnx_opset_version()

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
        raise ConversionError(_unknown(op_type, opset, domain)) from None
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


def _unknown(op_type: str, opset: int, domain: str) -> str:
    later = [
        s.since_version
        for s in defs.get_all_schemas_with_history()
        if s.name == op_type and s.domain == domain
    ]
    if later and min(later) > opset:
        return f"{op_type}: opset {min(later)} is required, got {opset}. Export with a newer opset."
    known = {s.name for s in defs.get_all_schemas() if s.domain == domain}
    return f"{op_type}: ONNX has no operator of this name at opset {opset}.{suggest(op_type, known)}"


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
