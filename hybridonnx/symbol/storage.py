"""Storage types of what a graph computes, and of its gradients, from those of its variables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..ops import ARITHMETIC, Spec, find, infer_storage
from ._variables import storage_of_variable
from .compose import Outputs
from .gradient import gradients
from .graph import VARIABLE, Entry, Node, topological
from .infer import Specs, infer

Kinds = dict[str, str]
"""Storage types by name: default, csr or row_sparse."""


class StorageTypes(NamedTuple):
    """The storage types of the variables by name, of the outputs, and of the gradients by argument."""

    variables: Kinds
    outputs: list[str]
    gradients: Kinds
    any_sparse: bool
    """Whether any array of the graph is sparse, the gradients not counted."""

    def of(self, name: str) -> str:
        """A variable's storage type."""
        return self.variables.get(name, "default")

    def of_gradient(self, name: str) -> str:
        """The storage type of an argument's gradient."""
        return self.gradients.get(name, "default")


def storage_types(
    symbol: Any, specs: Specs, kinds: Mapping[str, str], differentiated: Collection[str]
) -> StorageTypes:
    """The storage types of a graph, whose variables have their own unless `kinds` says others by name.

    `differentiated` are the arguments whose gradients are asked for.
    """
    nodes = topological(symbol.outputs)
    variables = {
        node.name: kinds.get(node.name) or storage_of_variable(node.attrs)
        for node in nodes
        if node.is_variable
    }
    sparse = sparse_entries(symbol, specs, variables)
    outputs = [sparse.get(entry, "default") for entry in symbol.outputs]
    anew = any(not node.is_variable and node.op.stores_gradient() for node in nodes)
    of_gradients = {}
    if differentiated and (sparse or anew):
        of_gradients = _of_gradients(symbol, specs, variables, outputs, list(differentiated))
    return StorageTypes(variables, outputs, of_gradients, bool(sparse))


_PLAIN = {forms.broadcasting: forms.plain[0] for forms in ARITHMETIC.values()}


def sparse_entries(
    symbol: Outputs, specs: Specs, variables: Mapping[str, str], of_gradients: bool = False
) -> dict[Entry, str]:
    """The entries that are not dense, and their storage types.

    In `of_gradients`, an operator that could broadcast and does not counts as that for arrays of one shape,
    and one element by element gives a dense array beside a dense one, as MXNet's own rules of gradients do.
    """
    sparse: dict[Entry, str] = {}
    for node in topological(symbol.outputs):
        if node.is_variable:
            kind = variables.get(node.name, "default")
        else:
            inputs = [sparse.get(entry, "default") for entry in node.inputs]
            known = [specs[entry] for entry in node.inputs]
            op = _plain(node, known) if of_gradients else node.op
            dense = of_gradients and op.elementwise and "default" in inputs
            kind = "default" if dense else infer_storage(op, inputs, known)
        if kind != "default":
            sparse[Entry(node, 0)] = kind
    return sparse


def _plain(node: Node, specs: Sequence[Spec]) -> Any:
    """The operator, for arrays of one shape that which does not broadcast."""
    plain = _PLAIN.get(node.op.names[0])
    return find(plain).make({}) if plain and specs[0].shape == specs[1].shape else node.op


def _of_gradients(
    symbol: Outputs, specs: Specs, variables: Mapping[str, str], outputs: list[str], names: list[str]
) -> Kinds:
    """The storage types of the gradients, where the gradients of outputs are stored as these are.

    What has no gradient has one of its own storage type.
    """
    by_name = {node.name: Entry(node, 0) for node in topological(symbol.outputs) if node.is_variable}
    heads = [Entry(Node(VARIABLE, f"_head{i}", {}), 0) for i in range(len(outputs))]
    computed = gradients(
        symbol, [by_name[name] for name in names], [Outputs.broadcasting([head]) for head in heads]
    )
    graph = Outputs([y.outputs[0] for y in computed if y is not None])
    known = {name: specs[entry] for name, entry in by_name.items()}
    kinds = {**variables}
    for head, entry, kind in zip(heads, symbol.outputs, outputs, strict=True):
        known[head.node.name], kinds[head.node.name] = specs[entry], kind
    sparse = sparse_entries(graph, infer(graph, known, partial=True), kinds, of_gradients=True)
    return {
        name: variables[name] if y is None else sparse.get(y.outputs[0], "default")
        for name, y in zip(names, computed, strict=True)
    }
