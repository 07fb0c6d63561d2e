"""Signatures and help texts of operators, as functions on arrays and as functions on symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING
from inspect import Parameter, Signature
from typing import Any, Literal, NamedTuple, get_args, get_origin

from ..attrs import DTypeName, Floats, Ints, OptInts
from ..dtypes import BY_NAME
from ._docs import doc_of
from ._operator import Operator


class Option(NamedTuple):
    """An argument that all operators take in one frontend."""

    name: str
    annotation: str
    meaning: str


class Usage(NamedTuple):
    """How a frontend calls operators: the class of inputs and outputs, and what is no attribute."""

    value: str
    """The class of inputs and outputs."""
    fills_inputs: bool
    """Whether inputs left out become variables."""
    several: str
    """The class of several outputs."""
    options: tuple[Option, ...]
    others: str = ""
    """What further arguments by name are, if they are possible."""


class _Required:
    """The default that is shown for a required attribute that follows an optional argument."""

    def __repr__(self) -> str:
        return "<required>"


REQUIRED = _Required()


def signature_of(cls: type[Operator], usage: Usage) -> Signature:
    """The arguments in the order of a call: inputs, attributes, and the frontend's options."""
    by_name = bool(cls.variadic) or is_open(cls)
    options = [
        Parameter(o.name, Parameter.KEYWORD_ONLY, default=None, annotation=o.annotation)
        for o in usage.options
    ]
    parameters = [*_inputs(cls, usage), *_attributes(cls, by_name), *options]
    if usage.others or is_open(cls):
        parameters.append(Parameter("kwargs", Parameter.VAR_KEYWORD, annotation="object"))
    return Signature(list(_ordered(parameters)), return_annotation=result_annotation(cls, usage))


def is_open(cls: type[Operator]) -> bool:
    """Whether the operator's inputs and attributes depend on the call."""
    return cls.specialized.__func__ is not Operator.specialized.__func__  # type: ignore[attr-defined]


def _inputs(cls: type[Operator], usage: Usage) -> Iterator[Parameter]:
    if cls.variadic or is_open(cls):
        annotation = usage.value if is_open(cls) else f"{usage.value} | Sequence[{usage.value}]"
        yield Parameter(_variadic_name(cls), Parameter.VAR_POSITIONAL, annotation=annotation)
        return
    optional = cls.inputs if usage.fills_inputs else optional_inputs(cls)
    for name in cls.inputs:
        if name in optional:
            yield _positional(name, f"{usage.value} | None", None)
        else:
            yield _positional(name, usage.value)


def _variadic_name(cls: type[Operator]) -> str:
    return next((name[1:] for name in doc_of(cls).inputs if name.startswith("*")), "data")


def _attributes(cls: type[Operator], by_name: bool) -> Iterator[Parameter]:
    for name, attribute in cls.schema().items():
        annotation = annotation_of(attribute.kind)
        required = attribute.required or attribute.default is MISSING
        default = Parameter.empty if required else attribute.default
        if name == cls.variadic:
            annotation, default = f"{annotation} | None", None
        if by_name:
            yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        else:
            yield _positional(name, annotation, default)


def _positional(name: str, annotation: str, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


def _ordered(parameters: Iterable[Parameter]) -> Iterator[Parameter]:
    """The parameters as Python allows them: after a default, what is required has one that says so."""
    optional = False
    for parameter in parameters:
        positional = parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
        if optional and positional and parameter.default is Parameter.empty:
            parameter = parameter.replace(default=REQUIRED)
        optional = optional or (positional and parameter.default is not Parameter.empty)
        yield parameter


def optional_inputs(cls: type[Operator]) -> frozenset[str]:
    """The inputs that some attributes leave out, or that have a default."""
    code, count = cls.forward.__code__, len(cls.forward.__defaults__ or ())
    defaults = code.co_varnames[code.co_argcount - count : code.co_argcount]
    return frozenset({n for n in cls.inputs if n in defaults or n not in example_of(cls).input_names()})


def example_of(cls: type[Operator]) -> Operator:
    """The operator with default attributes, and the plainest value of each required one."""
    schema = cls.schema().items()
    return cls(**{name: _plainest(a.kind) for name, a in schema if a.required})


def _plainest(kind: Any) -> Any:
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    return {bool: False, int: 1, float: 1.0, str: ""}.get(kind, ())


# ---- types


def annotation_of(kind: Any) -> str:
    """The type of the values that an attribute takes."""
    if kind in _ANNOTATIONS:
        return _ANNOTATIONS[kind]
    if get_origin(kind) is Literal:
        return _choice(get_args(kind))
    kinds = [annotation_of(k) for k in get_args(kind) if k is not type(None)]
    return " | ".join([*(k.removesuffix(" | None") for k in kinds), "None"])


def _choice(choices: Sequence[Any]) -> str:
    named = [c for c in choices if c != "None"]
    annotation = "DTypeLike" if set(named) <= BY_NAME.keys() else f"Literal[{', '.join(map(repr, named))}]"
    return annotation if len(named) == len(choices) else f"{annotation} | None"


_ANNOTATIONS: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    DTypeName: "DTypeLike",
    Ints: "int | Sequence[int]",
    OptInts: "int | None | Sequence[int | None]",
    Floats: "float | Sequence[float]",
}


def result_annotation(cls: type[Operator], usage: Usage) -> str:
    """The type of what a call returns; a union where attributes decide how many outputs there are."""
    if is_open(cls):
        return "Any"
    if usage.several == usage.value:
        return usage.value
    if depends_on_attributes(cls):
        return f"{usage.value} | {usage.several}"
    return usage.value if len(cls.outputs) - cls.hidden == 1 else usage.several


def depends_on_attributes(cls: type[Operator]) -> bool:
    """Whether attributes decide how many outputs a user sees."""
    facets = (cls.visible, Operator.visible), (cls.output_names, Operator.output_names)
    return any(ours is not base for ours, base in facets)


# ---- help


def help_text(cls: type[Operator], usage: Usage) -> str:
    """The text of `help`: what the operator does, inputs, attributes, outputs and the ONNX operator."""
    doc = doc_of(cls)
    required = [name for name, a in cls.schema().items() if a.required and name != cls.variadic]
    attributes = {f"{n} (required)" if n in required else n: text for n, text in doc.attributes.items()}
    options = {o.name: o.meaning for o in usage.options} | (
        {"**kwargs": usage.others} if usage.others else {}
    )
    sections = [
        doc.sentence,
        *doc.paragraphs,
        _section("Inputs", doc.inputs),
        _section("Attributes", attributes),
        _section("Options", options),
        _section("Returns", doc.returns),
        f"ONNX: {doc.onnx}" if doc.onnx else "",
    ]
    return "\n\n".join(section for section in sections if section)


def _section(title: str, entries: dict[str, str] | str) -> str:
    if not entries:
        return ""
    lines = entries.splitlines() if isinstance(entries, str) else [f"{n}: {t}" for n, t in entries.items()]
    return "\n    ".join([f"{title}:", *lines])
