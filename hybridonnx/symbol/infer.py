"""Shapes and dtypes of everything in a graph, from what is known of its variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..attrs import Ints, coerce
from ..dtypes import EXTENSIONS, FLAGS, DType, as_dtype, dtype_of_flag, float32
from ..errors import DTypeError, MXNetError, ShapeError
from ..ndarray.np_shape import is_np_shape
from ..ops import Operator, Shape, Spec, alike, known, show
from .compose import Outputs
from .declared import SHAPE_KEY, declared_shape, require_declared
from .graph import Entry, Node, topological

Specs = dict[Entry, Spec]
"""What is known of each output of each node, hidden outputs included."""

_UNKNOWN = Spec()


def infer(
    symbol: Outputs,
    known: Mapping[str, Spec] | None = None,
    partial: bool = False,
    outputs: Sequence[Spec] = (),
) -> Specs:
    """The specs of every entry that `symbol` depends on; `known` gives those of variables by name.

    `outputs` says what is known of the outputs beforehand.

    What `known` leaves open the variables' own `__shape__` and `__dtype__` tell. Sizes may stay unknown.
    Unless `partial`, dtypes that nothing tells are float32, and an unknown shape is a `ShapeError`.
    """
    heads = dict(zip(symbol.outputs, outputs, strict=False))
    inference = _Inference(topological(symbol.outputs), known or {}, heads)
    inference.run()
    if not partial:
        inference.default_dtypes()
        inference.require_shapes()
    return inference.specs


def operator_of(node: Node, specs: Mapping[Entry, Spec]) -> Any:
    """The node's operator; one without inputs with the sizes that the graph around it tells."""
    if node.inputs:
        return node.op
    return node.op.with_inferred_shape([specs[Entry(node, i)] for i in range(node.count())])


class _Inference:
    """Forward and backward passes over a graph until they tell nothing new."""

    def __init__(self, nodes: Sequence[Node], known: Mapping[str, Spec], heads: Mapping[Entry, Spec]) -> None:
        self.nodes = nodes
        self.specs: Specs = {**heads}
        self.open: list[Node] = []
        """The operators of which something is unknown, in topological order."""
        for node in nodes:
            if node.is_variable:
                self.specs[Entry(node, 0)] = _variable_spec(node, known.get(node.name))
            else:
                self.open.append(node)

    def run(self) -> None:
        """Pass over the open nodes, forward and backward in turn, while that changes anything."""
        self._pass(self.open)
        while self.open:
            before = len(self.open)
            changed = self._pass(self.open[::-1])
            self.open.reverse()
            if changed:
                changed = self._pass(self.open)
            if not changed and len(self.open) == before:
                return

    def _pass(self, nodes: list[Node]) -> bool:
        changed = False
        still_open = []
        for node in nodes:
            try:
                complete, news = self._visit(node)
            except MXNetError as exc:
                node.locate(exc, self._described(node))
                raise
            changed |= news
            if not complete:
                still_open.append(node)
        self.open = still_open
        return changed

    def _visit(self, node: Node) -> tuple[bool, bool]:
        """Infer one node. Whether everything is known of it now, and whether anything is new."""
        op: Operator = node.op
        specs = self.specs
        inputs = tuple([specs[entry] for entry in node.inputs])
        entries = [Entry(node, i) for i in range(len(op.output_names()))]
        outputs = tuple([specs.get(entry, _UNKNOWN) for entry in entries])
        if len(inputs) != len(op.input_names()):
            raise MXNetError(
                f"{node.op_name}: inputs {', '.join(op.input_names()) or 'none'} are required, "
                f"got {len(inputs)} inputs."
            )
        inferred_inputs, inferred = _infer(op, inputs, outputs)
        inferred_outputs = tuple(map(_merged, outputs, inferred))
        if SHAPE_KEY in node.attrs:
            _hold(node, inferred_outputs[0].shape)
        for entry, spec in zip(entries, inferred_outputs, strict=True):
            specs[entry] = spec
        news = any(map(_differ, outputs, inferred_outputs))
        for entry, before, spec in zip(node.inputs, inputs, inferred_inputs, strict=True):
            if _differ(before, spec):
                specs[entry] = spec
                news = True
        return all(map(_complete, inferred_inputs)) and all(map(_complete, inferred_outputs)), news

    def _described(self, node: Node) -> str:
        inputs = [f"{e.node.name} {_spec_text(self.specs.get(e, _UNKNOWN))}" for e in node.inputs[:8]]
        more = ["…"] if len(node.inputs) > 8 else []
        return f"In node {node.name} ({node.op_name}) of {', '.join(inputs + more) or 'no inputs'}."

    def default_dtypes(self) -> None:
        """Make float32 of every variable's dtype that nothing tells, in the order of their use."""
        for node in list(self.open):
            for entry in node.inputs:
                if entry.node.is_variable and self._make_float32(entry):
                    self._pass([node])
        for entry in [Entry(node, 0) for node in self.nodes if node.is_variable]:
            self._make_float32(entry)
        self.open = [node for node in self.nodes if not node.is_variable and self._is_open(node)]
        self.run()

    def _make_float32(self, entry: Entry) -> bool:
        shape, dtype = self.specs[entry]
        if dtype is None:
            self.specs[entry] = Spec(shape, float32)
        return dtype is None

    def _is_open(self, node: Node) -> bool:
        outputs = [Entry(node, i) for i in range(node.count())]
        return not all(_complete(self.specs[entry]) for entry in (*node.inputs, *outputs))

    def require_shapes(self) -> None:
        """Raise `ShapeError` if there is an entry of unknown rank."""
        missing = [e.node for e, spec in self.specs.items() if spec.shape is None]
        if not missing:
            return
        variables = [node.name for node in missing if node.is_variable]
        if variables:
            raise ShapeError(
                f"infer: the shapes of {', '.join(variables[:10])}{', …' if len(variables) > 10 else ''} are "
                "required; nothing else tells them."
            )
        raise ShapeError(
            f"infer: the shape of an output of {missing[0].name} ({missing[0].op_name}) depends on values."
        )


@lru_cache(maxsize=16384)
def _infer(
    op: Operator, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...]
) -> tuple[tuple[Spec, ...], tuple[Spec, ...]]:
    return op.infer(inputs, outputs)


def _merged(before: Spec, after: Spec) -> Spec:
    """What is known `after`, or else was `before`: an operator need not know what the user does."""
    if after.shape is not None and after.dtype is not None:
        return after
    shape = before.shape if after.shape is None else after.shape
    return Spec(shape, before.dtype if after.dtype is None else after.dtype)


def _complete(spec: Spec) -> bool:
    """Whether nothing better can be known: an expression may yet turn out to be an integer."""
    return spec.dtype is not None and known(spec.shape)


def _differ(before: Spec, after: Spec) -> bool:
    """Whether more is known `after`. NumPy calls float64 equal to `None`, so dtypes are not compared."""
    return not alike(before.shape, after.shape) or (before.dtype is None) != (after.dtype is None)


def _spec_text(spec: Spec) -> str:
    return f"{show(spec.shape)} {spec.dtype or 'of unknown dtype'}"


# ---- variables


def _variable_spec(node: Node, known: Spec | None) -> Spec:
    with node.named():
        shape, dtype = known or _UNKNOWN
        _hold(node, shape)
        if shape is None and "__shape__" in node.attrs:
            shape = stored_shape(node.attrs["__shape__"])
        if dtype is None and "__dtype__" in node.attrs:
            dtype = stored_dtype(node.attrs["__dtype__"])
        return Spec(shape, dtype)


def _hold(node: Node, shape: Shape | None) -> None:
    """Raise if an ONNX model takes a value in another shape."""
    declared = declared_shape(node)
    if declared is not None and shape is not None and (declared or shape != (1,)):  # MXNet's ()
        require_declared("infer", node.name, declared, shape, open_fits=True)


NO_AXES = "[]"
"""The `__shape__` of a variable that has no axes; "()" says so under NumPy's shape semantics alone."""


def has_scalars(nodes: Iterable[Node]) -> bool:
    """Whether any of these nodes, or of graphs inside of them, is a variable that has no axes."""
    return any(
        node.attrs.get("__shape__") == NO_AXES
        if node.is_variable
        else any(has_scalars(topological(body.outputs)) for body in node.subgraphs)
        for node in nodes
    )


def stored_shape(text: str) -> Shape | None:
    """The shape that a variable's `__shape__` tells; `NO_AXES` is () whatever the semantics are."""
    if text.strip() == NO_AXES:
        return ()
    try:
        sizes: tuple[int, ...] = coerce(Ints, text)
    except ValueError:
        if text.strip() in ("None", ""):
            return None
        raise ShapeError(f"__shape__: a shape such as (2, 3) is required, got {text[:100]!r}.") from None
    return open_shape(sizes)


def open_shape(sizes: Sequence[int | None]) -> Shape | None:
    """A shape in which MXNet's sizes of 0 and -1 stand for unknown ones, and () for an unknown rank.

    With NumPy's shape semantics on, only negative sizes are unknown.
    """
    least = 0 if is_np_shape() else 1
    shape = tuple(None if size is None or size < least else int(size) for size in sizes)
    return shape if shape or is_np_shape() else None


def closed_shape(shape: Shape | None) -> tuple[int, ...] | None:
    """The other way: a shape as MXNet tells it, with 0 for unknown sizes and () for an unknown rank.

    With NumPy's shape semantics on, -1 and `None` stand for those.
    """
    if shape is None:
        return None if is_np_shape() else ()
    return tuple(size if isinstance(size, int) else -1 if is_np_shape() else 0 for size in shape)


def stored_dtype(text: str) -> DType | None:
    """The dtype that a variable's `__dtype__` tells: its flag in files, a name, or a container's type."""
    stripped = text.strip()
    if stripped in ("-1", "None", ""):
        return None
    if stripped.isdecimal() and len(stripped) < 10:
        flag = int(stripped)
        dtype = dtype_of_flag(flag)
        if dtype is None:
            known = ", ".join(map(str, [*FLAGS, *EXTENSIONS.values()]))
            raise DTypeError(f"__dtype__: a flag among {known} is required, got {flag}.")
        return dtype
    return as_dtype(stripped)
