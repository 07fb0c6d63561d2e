"""Versions of ONNX: which opsets are written, and what an operator looks like in each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from hybridonnx.errors import ConversionError, suggest

from .elements import name_of_type_string
from .messages import AttributeKind

OLDEST = 13
DEFAULT = 18
STORED = 24
"""The newest opset whose operators are in schemas.jsonl: all onnx that the project allows know it."""
_IR_VERSIONS = {13: 7, 15: 8, 19: 9, 21: 10, 23: 11, 24: 12}
"""The oldest version of files for each opset from that number on, up to `STORED`."""


@cache
def newest() -> int:
    """The newest opset that the installed onnx knows."""
    from onnx import defs  # here and below: its import takes as long as a small network's first call

    version: int = defs.onnx_opset_version()
    return version


class NeedsOpset(ConversionError):  # noqa: N818  (what is needed, not what is wrong)
    """A graph cannot be written at an opset, and can at another."""

    def __init__(self, required: str, opset: int) -> None:
        super().__init__(f"{required} Export with opset={opset}.")
        self.opset = opset


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
    domain: str
    since: int
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: Mapping[str, AttributeKind]
    types: Mapping[str, frozenset[str]]
    """The names of the element types that each of the parameters' types allows."""
    graphs: tuple[str, ...]
    """The attributes that are graphs."""

    @property
    def schema(self) -> Any:
        """All of it, as onnx's `OpSchema`."""
        return _schema(self.op_type, self.since, self.domain)

    def input(self, index: int) -> Parameter:
        """The parameter that the `index`-th input belongs to."""
        return self._parameter(self.inputs, index)

    def output(self, index: int) -> Parameter:
        """The parameter that the `index`-th output belongs to."""
        return self._parameter(self.outputs, index)

    def elements(self, parameter: Parameter) -> frozenset[str]:
        """The names of the element types of an input or output; none if they are not tensors."""
        return self.types.get(parameter.type) or _names([parameter.type])

    def _parameter(self, parameters: tuple[Parameter, ...], index: int) -> Parameter:
        if index < len(parameters):
            return parameters[index]
        if parameters and parameters[-1].variadic:
            return parameters[-1]
        raise ConversionError(
            f"{self.op_type}: ONNX has {len(parameters)} such inputs or outputs, got one more."
        )


@cache
def _schema(op_type: str, opset: int, domain: str) -> Any:
    from onnx import defs

    return defs.get_schema(op_type, opset, domain)


@cache
def signature(op_type: str, opset: int, domain: str = "") -> Signature:
    """The operator as it is at this opset. Raises `ConversionError` if it is unknown there."""
    row = None if domain else _stored_description(op_type, opset)
    if row is None:
        from onnx.defs import SchemaError

        try:
            row = description(_schema(op_type, opset, domain))
        except SchemaError:
            raise _unknown(op_type, opset, domain) from None
    _, since, inputs, outputs, numbers, types = row
    attributes = {name: AttributeKind(number) for name, number in numbers.items()}
    return Signature(
        op_type,
        domain,
        since,
        tuple(Parameter(*item) for item in inputs),
        tuple(Parameter(*item) for item in outputs),
        attributes,
        {name: _names(texts) for name, texts in types.items()},
        tuple(name for name, kind in attributes.items() if kind == AttributeKind.GRAPH),
    )


Description: TypeAlias = Sequence[Any]
"""An operator at an opset in lists and dicts: its name, the opset that brought it, its inputs and outputs as
the fields of `Parameter`, the numbers of its attributes' types, and what each type parameter allows."""


def _stored_description(op_type: str, opset: int) -> Description | None:
    """An operator of ONNX's own domain as the table has it at an opset; `None` if it does not have it."""
    lines = _stored().get(op_type, ()) if OLDEST <= opset <= STORED else ()
    rows: Iterator[Description] = map(json.loads, reversed(lines))
    return next((row for row in rows if row[1] <= opset), None)


@cache
def _stored() -> Mapping[str, Sequence[str]]:
    """The lines of the table by operator, from the version at `OLDEST` to that at `STORED`."""
    table: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("schemas.jsonl").read_text("utf-8").splitlines():
        table.setdefault(line[2 : line.index('"', 2)], []).append(line)
    return table


def description(schema: Any) -> Description:
    """What a signature needs of onnx's `OpSchema`."""
    allowed = {c.type_param_str: sorted({*c.allowed_type_strs}) for c in schema.type_constraints}
    only = {name: texts[0] for name, texts in allowed.items() if len(texts) == 1}
    return [
        schema.name,
        schema.since_version,
        [_parameter(formal, only) for formal in schema.inputs],
        [_parameter(formal, only) for formal in schema.outputs],
        {name: attribute.type.value for name, attribute in schema.attributes.items()},
        allowed,
    ]


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
    from onnx import defs

    table: dict[tuple[str, str], list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        table.setdefault((schema.domain, schema.name), []).append(schema.since_version)
    return {key: tuple(sorted(numbers)) for key, numbers in table.items()}


def refusal(
    text: str, kind: Signature, fits: Callable[[Signature], bool], opset: int, way_out: str = ""
) -> ConversionError:
    """The error for what an operator lacks at an opset: with the next one that has it, or else `way_out`."""
    domain = kind.domain
    newer = (signature(kind.op_type, v, domain) for v in versions(kind.op_type, domain) if v > opset)
    version = next((kind.since for kind in newer if fits(kind)), 0)
    return NeedsOpset(text, version) if version else ConversionError(f"{text} {way_out}".rstrip())


def _names(allowed: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(None, map(name_of_type_string, allowed)))


def _parameter(formal: Any, only: Mapping[str, str]) -> list[Any]:
    option = formal.option.name
    type_ = only.get(formal.type_str, formal.type_str)
    return [formal.name, type_, option == "Optional", option == "Variadic", formal.is_homogeneous]


def check_opset(opset: int) -> int:
    """`opset` if it can be written."""
    if not isinstance(opset, int) or opset < OLDEST or (opset > STORED and opset > newest()):
        raise ConversionError(f"opset: a version from {OLDEST} to {newest()} is required, got {opset!r}.")
    return opset


@cache
def ir_version(opset: int) -> int:
    """The oldest file version that has this opset, so that runtimes as old as the opset read the file."""
    if OLDEST <= opset <= STORED:
        return max(version for first, version in _IR_VERSIONS.items() if first <= opset)
    from onnx import helper

    version: int = helper.find_min_ir_version_for([helper.make_opsetid("", opset)])
    return version


def plain(domain: str) -> str:
    """A domain's name; ONNX's own has two, of which the empty one is taken."""
    return "" if domain == "ai.onnx" else domain
