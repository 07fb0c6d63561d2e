"""How calls of operators become nodes: names, attributes, and the variables made for inputs left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from .. import attribute, name
from ..attrs import text
from ..errors import AttributeValueError, MXNetError, suggest
from ..ops import Operator, bind, mixing, options_by_name
from .graph import VARIABLE, Entry, Node, changed_inputs, entry_name

HIDDEN_KEYS = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")
"""Attributes that any node may have; files write them between double underscores."""


class Outputs:
    """Some outputs of a graph: what operators are called on and return."""

    __slots__ = ("outputs",)

    broadcasting: ClassVar[type[Any]]
    """The class that operators' rules compute with: `Broadcasting`, which stands above this one."""

    def __init__(self, outputs: Sequence[Entry]) -> None:
        self.outputs: tuple[Entry, ...] = tuple(outputs)


_Kind = TypeVar("_Kind", bound=Outputs)


def call(
    cls: type[Operator], hint: str, args: Sequence[Any], kwargs: dict[str, Any], kind: type[_Kind]
) -> _Kind:
    """An operator called as MXNet's users write it: symbols, then attributes; also `name` and `attr`.

    The result is of class `kind`, or of a subclass if an input is.
    """
    args = options_by_name(cls, args, kwargs, ("name", "attr"))
    node_name = name.current().get(kwargs.pop("name", None), hint.lower())
    kwargs |= attribute.current().get(kwargs.pop("attr", None))
    stored = {key: text(kwargs.pop(key)) for key in list(kwargs) if _is_users(key)}
    if mixing.rule is not None:
        args, kwargs = mixing.arguments(cls, args, kwargs)
    subgraphs = kwargs.pop("subgraphs", ()) if cls.graphs else ()
    cls = cls.specialized(kwargs, _is_symbol)
    for key in HIDDEN_KEYS:
        if key in kwargs and key not in cls.schema():
            stored[f"__{key}__"] = text(kwargs.pop(key))
    inputs, attributes = bind(cls, args, kwargs, _is_symbol)
    _refuse_hidden_suffixes(cls, attributes)
    for value in inputs:
        if value is not None and issubclass(type(value), kind):
            kind = type(value)
    attrs = {key: text(value) for key, value in attributes.items()}
    op = cls.make(attrs).with_subgraphs(subgraphs)
    entries = [None if value is None else single(cls.names[0], value) for value in inputs]
    node = compose(op, node_name, entries, {**attrs, **stored})
    return kind([Entry(node, i) for i in range(op.visible())])


def _is_symbol(value: Any) -> bool:
    return isinstance(value, Outputs)


def _is_users(key: str) -> bool:
    return key.startswith("__") and key.endswith("__")


def _refuse_hidden_suffixes(cls: type[Operator], attributes: Mapping[str, Any]) -> None:
    for key in attributes:
        hidden = next((h for h in HIDDEN_KEYS if key.endswith(f"_{h}")), None)
        if hidden and key not in cls.schema():
            owner = key.removesuffix(f"_{hidden}")
            raise AttributeValueError(
                f"{cls.names[0]}: {key} is an attribute of an input. "
                f"Make the input with var(name, {hidden}=…) and pass it as {owner}."
            )


def single(owner: str, symbol: Outputs) -> Entry:
    """The only output of a symbol."""
    if len(symbol.outputs) != 1:
        outputs = ", ".join(entry_name(entry) for entry in symbol.outputs[:8])
        raise MXNetError(
            f"{owner}: symbols with one output are required as inputs, got {len(symbol.outputs)} outputs "
            f"({outputs}). Choose one by its number, as in symbol[0]."
        )
    return symbol.outputs[0]


def compose(op: Operator, node_name: str, entries: Sequence[Entry | None], attrs: dict[str, str]) -> Node:
    """A node of `op`; `entries` are in the order of the class's inputs, and missing ones become variables."""
    names = op.input_names()
    order = names if op.variadic else op.inputs
    by_name = {n: entry for n, entry in zip(order, entries, strict=False) if entry is not None}
    extra = by_name.keys() - set(names)
    if extra:
        first = next(n for n in by_name if n in extra)
        raise MXNetError(
            f"{op.names[0]}: inputs {', '.join(names)} are possible with these attributes, got {first}."
        )
    inputs = [by_name[n] if n in by_name else input_variable(op, node_name, n, attrs) for n in names]
    node = Node(op.names[0], node_name, attrs, inputs, op.subgraphs, op.with_hints(attrs))
    tell_initializers(op, inputs)
    _count_changes(node)
    return node


def input_variable(op: Operator, owner: str, input_name: str, attrs: Mapping[str, str]) -> Entry:
    """The variable that stands for an input left out: it inherits the operator's attributes."""
    return Entry(Node(VARIABLE, f"{owner}_{input_name}", dict(attrs)), 0)


def tell_initializers(op: Operator, inputs: Sequence[Entry]) -> None:
    """Give variables that have no initializer the one that the operator has for this input."""
    if op.initializers:
        for name, entry in zip(op.input_names(), inputs, strict=False):
            if name in op.initializers and entry.node.is_variable:
                entry.node.attrs.setdefault("__init__", op.initializers[name])


def _count_changes(node: Node) -> None:
    """Give the variables that the operator changes a new version, and the node the versions it takes."""
    for index in changed_inputs(node):
        variable = node.inputs[index].node
        if not variable.is_variable:
            raise MXNetError(
                f"{node.op_name}: a variable is required as {node.op.input_names()[index]}, which the "
                f"operator changes, got the output of {variable.name}."
            )
        variable.changes += 1
    versions = tuple([entry.node.changes for entry in node.inputs])
    node.versions = versions if any(versions) else ()


def settable(node: Node, key: str) -> str:
    """The key that an attribute set by a user is stored under."""
    if key in HIDDEN_KEYS:
        return f"__{key}__"
    if node.is_known and not node.is_variable and not _is_users(key) and key not in node.op.schema():
        schema = node.op.schema()
        raise AttributeValueError(
            f"{node.op_name}: has no attribute {key!r}; it has {', '.join(schema) or 'none'}."
            f"{suggest(key, schema)} Attributes of your own begin and end with two underscores."
        )
    return key


def visible_attributes(attrs: Mapping[str, str]) -> dict[str, str]:
    """Attributes as users see them: those between double underscores that MXNet knows, also without."""
    hidden = {key: attrs[f"__{key}__"] for key in HIDDEN_KEYS if f"__{key}__" in attrs}
    return {**attrs, **hidden}
