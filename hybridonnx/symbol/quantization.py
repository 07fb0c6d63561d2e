"""Graphs on integers, made of graphs on floating-point numbers by the quantized forms of operators.

Between them integers go from one to the next, each array with the two ends of its range. Facts about
operators are in the classes of their quantized forms (`Quantized.replaces` and what follows it).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ..errors import AttributeValueError
from ..ops import Quantized, find, load_all
from .graph import VARIABLE, Entry, Node, copy, output_name, topological, with_inputs
from .symbol import Symbol

_QUANTIZE, _REQUANTIZE, _DEQUANTIZE = (
    f"_contrib_{name}" for name in ("quantize_v2", "requantize", "dequantize")
)
_OFFLINE = ("_quantize", "_quantize_min", "_quantize_max")
"""What the names of a parameter's integers and of their range end in."""

_PARAMETERS = ("weight", "bias")
"""Inputs that are int8 whatever the dtype of the data."""


class Integers(NamedTuple):
    """An array of integers and the ends of its range."""

    data: Entry
    low: Entry
    high: Entry

    @classmethod
    def of(cls, node: Node) -> Integers:
        """The outputs of a node that gives integers."""
        return cls(*(Entry(node, i) for i in range(3)))


def quantized(
    symbol: Symbol,
    names: Collection[str] = (),
    operators: Collection[str] = (),
    parameters: Collection[str] = (),
    dtype: str = "int8",
    alone: bool = True,
    calibrated: bool = True,
) -> tuple[Symbol, list[str]]:
    """A symbol on integers, and the names of the outputs of `symbol` whose ranges it can be told.

    `names` and `operators` stay on floating-point numbers. The integers of `parameters` become variables of
    their own. Unless `alone`, only dense layers and convolutions, and what lies between these, are
    quantized; without calibration to come, no operator that needs it is.
    """
    order = topological(symbol.outputs)
    forms = {node: form for node in order if (form := _form(node, dtype, calibrated)) is not None}
    for node in [n for n in forms if n.name in names or {n.op_name, *n.op.names} & {*operators}]:
        del forms[node]
    for entry in [entry for node in order for entry in node.inputs] + [*symbol.outputs]:
        if entry.output:  # of several outputs the first alone has integers
            forms.pop(entry.node, None)
    graph = _Graph(forms if alone else _between(order, forms), parameters, dtype)
    for node in order:
        graph.add(node)
    result = Symbol([graph.numbers_of(entry) for entry in symbol.outputs])
    layers = [_layer(node) for node in topological(result.outputs) if not node.is_variable]
    return result, [layer for layer in layers if layer]


def with_ranges(symbol: Symbol, ranges: Mapping[str, tuple[float, float]]) -> Symbol:
    """A quantized symbol whose operators have the ranges of the outputs that they stand for."""
    copies: dict[Node, Node] = {}
    for node in topological(symbol.outputs):
        copies[node] = copy(node, [Entry(copies[entry.node], entry.output) for entry in node.inputs])
        layer = "" if node.is_variable else _layer(node)
        if layer in ranges:
            low, high = ranges[layer]
            copies[node].set_attribute("min_calib_range", repr(float(low)))
            copies[node].set_attribute("max_calib_range", repr(float(high)))
    return Symbol([Entry(copies[entry.node], entry.output) for entry in symbol.outputs])


def offline(name: str, parameters: Collection[str]) -> tuple[str, int]:
    """The parameter whose integers, or which end of whose range, a variable is; nothing if it is none."""
    for output, ending in enumerate(_OFFLINE):
        if name.endswith(ending) and name.removesuffix(ending) in parameters:
            return name.removesuffix(ending), output
    return "", 0


def _layer(node: Node) -> str:
    """The output of the original symbol whose range is that of a node's output, if it can be told."""
    if node.op_name == _QUANTIZE:
        return output_name(node.inputs[0])
    if node.op_name == _REQUANTIZE:
        return node.name.removeprefix("requantize_") + "_output"
    form = type(node.op)
    calibrated = issubclass(form, Quantized) and not form.sums and "min_calib_range" in node.op.attributes()
    return node.name.removeprefix("quantized_") + "_output" if calibrated else ""


def _form(node: Node, dtype: str, calibrated: bool) -> type[Quantized] | None:
    """The quantized form of a node's operator, if there is one for its attributes."""
    if node.is_variable or not node.is_known:
        return None
    form = _forms().get(node.op.names[0])
    if form is None or not (form.takes_uint8 or dtype == "int8"):
        return None
    attributes = _attributes(node)
    try:
        op = form.make(attributes, lenient=True)
    except AttributeValueError:
        return None
    needs = "min_calib_range" in op.attributes() and not form.sums
    return form if calibrated or not needs else None


def _forms() -> dict[str, type[Quantized]]:
    classes = {*load_all().values()}
    return {c.replaces: c for c in classes if issubclass(c, Quantized) and c.replaces}


def _attributes(node: Node) -> dict[str, str]:
    return {key: text for key, text in node.attrs.items() if not key.startswith("__")}


def _between(order: list[Node], forms: Mapping[Node, type[Quantized]]) -> dict[Node, type[Quantized]]:
    """The nodes worth quantizing by themselves, and those on a way of `forms` from one to another."""
    behind: set[Node] = set()
    before: set[Node] = set()
    for node in order:
        if node in forms and (forms[node].replaces_alone or any(e.node in behind for e in node.inputs)):
            behind.add(node)
    for node in reversed(order):
        if node in forms and (forms[node].replaces_alone or node in before):
            before |= {node, *(e.node for e in node.inputs)}
    return {node: form for node, form in forms.items() if node in behind and node in before}


class _Graph:
    """A graph on integers in the making."""

    def __init__(self, forms: Mapping[Node, type[Quantized]], parameters: Collection[str], dtype: str):
        self.forms, self.parameters, self.dtype = forms, parameters, dtype
        self.numbers: dict[Entry, Entry] = {}
        self.integers: dict[Entry, Integers] = {}

    def add(self, node: Node) -> None:
        """Add what computes a node of the original graph."""
        if node in self.forms:
            self.integers[Entry(node, 0)] = self._quantized(node, self.forms[node])
            return
        inputs = [self.numbers_of(entry) for entry in node.inputs]
        new = with_inputs(node, inputs)
        self.numbers |= {Entry(node, i): Entry(new, i) for i in range(node.count())}

    def numbers_of(self, entry: Entry) -> Entry:
        """An entry of the original graph as floating-point numbers."""
        if entry not in self.numbers:
            node = self._node(_DEQUANTIZE, f"{entry.node.name}_dequantize", self.integers[entry])
            self.numbers[entry] = Entry(node, 0)
        return self.numbers[entry]

    def integers_of(self, entry: Entry, dtype: str) -> Integers:
        """An entry of the original graph as integers, of this dtype if they are made here."""
        if entry in self.integers:
            return self.integers[entry]
        name = output_name(entry)
        if entry.node.is_variable and name in self.parameters:
            result = Integers(*(Entry(Node(VARIABLE, name + ending), 0) for ending in _OFFLINE))
        else:
            options = {"out_type": dtype}
            result = Integers.of(self._node(_QUANTIZE, f"{name}_quantize", [self.numbers_of(entry)], options))
        self.integers[entry] = result
        return result

    def _quantized(self, node: Node, form: type[Quantized]) -> Integers:
        names = node.op.input_names()
        data: list[Entry] = []
        ends: list[Entry] = []
        for name, entry in zip(names, node.inputs, strict=True):
            if name in form.floating:
                data.append(self.numbers_of(entry))
                continue
            integers = self.integers_of(entry, "int8" if name in _PARAMETERS else self.dtype)
            data.append(integers.data)
            ends += integers[1:]
        result = self._node(form.names[0], f"quantized_{node.name}", data + ends, _attributes(node))
        if form.sums:
            options = {"out_type": self.dtype}
            result = self._node(_REQUANTIZE, f"requantize_{node.name}", Integers.of(result), options)
        return Integers.of(result)

    def _node(
        self, op_name: str, name: str, inputs: Collection[Entry], attrs: Mapping[str, str] | None = None
    ) -> Node:
        return Node(find(op_name).names[0], name, dict(attrs or {}), tuple(inputs))
