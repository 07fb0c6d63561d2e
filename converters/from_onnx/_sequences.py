"""Sequences whose tensors are known, which give way to the tensors, so that MXNet's operators say the rest.

So do optionals that hold something. What makes a sequence stays for those that take it as one; what takes
tensors of it takes these instead. A Loop that adds a tensor to a sequence in each step gives all of them as
an output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, defs, helper

from ..opsets import plain
from ..subgraphs import defined, splice, uses
from ._inner import Known, are_equal, as_outside, studied
from ._loop import at_all_steps
from ._model_info import Dims, ModelInfo
from ._places import title

_MOST_MEMBERS = 256
"""Into no more tensors is one split, nor is a body repeated more often."""
_MAKERS = frozenset({"Optional", "SequenceConstruct", "SequenceEmpty", "SplitToSequence"})
"""Where sequences and optionals come from of which it is known what is in them."""


@dataclass(frozen=True)
class _Tensors:
    """The tensors of a sequence: first `names`, then the parts of `stack` along its first axis."""

    names: tuple[str, ...]
    stack: str = ""
    part: Dims | None = None
    """The sizes of each part, `None` for those that are not sure to be the same for all parts."""

    @property
    def is_even(self) -> bool:
        """Whether all tensors are parts that are sure to have one shape."""
        return not self.names and self.part is not None and None not in self.part


Nodes: TypeAlias = list[NodeProto] | None
"""What comes in place of a node, `None` if it stays."""


def unpacked(info: ModelInfo, nodes: Sequence[NodeProto], outputs: Iterable[str]) -> bool:
    """Put tensors in place of sequences where they are known. Whether there were any."""
    if _MAKERS.isdisjoint(node.op_type for node in nodes):
        return False
    unpacking = _Unpacking(info, nodes, frozenset(outputs))
    unpacking.run()
    if unpacking.changed:
        info.replace(unpacking.result)
    return unpacking.changed


@dataclass
class _Unpacking:
    info: ModelInfo
    nodes: Sequence[NodeProto]
    outputs: frozenset[str]
    tensors: dict[str, _Tensors] = field(default_factory=dict)
    """By the names of sequences."""
    contents: dict[str, str] = field(default_factory=dict)
    """What optionals hold that hold something."""
    result: list[NodeProto] = field(default_factory=list)
    changed: bool = False
    stacks: dict[str, str] = field(default_factory=dict)
    """By the names of sequences, all their tensors as one, if that was made."""
    shapes: dict[str, Dims] = field(default_factory=dict)
    """Of values that were made."""

    def run(self) -> None:
        """Go through the nodes."""
        for node in self.nodes:
            handler = _HANDLERS.get(node.op_type) if self._is_whole(node) else None
            instead = None if handler is None else handler(self, node)
            if instead is None and node.attribute:
                instead = _within(self, node)
            self.changed |= instead is not None
            self.result += [node] if instead is None else instead

    def _is_whole(self, node: NodeProto) -> bool:
        """Whether a node of ONNX's own has the inputs and outputs that its operator has at least."""
        if plain(node.domain) or not defs.has(node.op_type, self.info.model.opset):
            return False
        schema = defs.get_schema(node.op_type, self.info.model.opset)
        return schema.min_input <= len(node.input) and schema.min_output <= len(node.output)

    # ---- what handlers ask

    def of(self, name: str) -> _Tensors | None:
        """The tensors of a sequence, if they are known."""
        return self.tensors.get(name)

    def members(self, name: str) -> list[str] | None:
        """All tensors of a sequence, if each of them is known."""
        tensors = self.of(name)
        return None if tensors is None or tensors.stack else list(tensors.names)

    def number(self, node: NodeProto, index: int) -> int | None:
        """An input that is one number, if it is constant."""
        if not _has_input(node, index) or not self.info.is_constant(node.input[index]):
            return None
        value = self.info.constant(node.input[index])
        return int(value.item()) if value.size == 1 else None

    def shape(self, name: str) -> Dims | None:
        """What is known of a value's shape."""
        return self.shapes.get(name) or self.info.shape(name)

    def users(self, name: str) -> list[NodeProto]:
        """The nodes that take a value, in their graphs as well."""
        return [node for node in self.nodes if name in uses(node)]

    def stack(self, name: str) -> str | None:
        """All tensors of a sequence along a new first axis, if they are sure to have one shape."""
        tensors = self.of(name)
        if tensors is None or (tensors.stack and not tensors.is_even):
            return None
        if tensors.stack or name in self.stacks:
            return tensors.stack or self.stacks[name]
        first, *others = list(map(self.shape, tensors.names)) or [None]
        if first is None or not all(are_equal(first, shape) for shape in (first, *others)):
            return None
        parts = [self.with_axis("Unsqueeze", tensor, 0) for tensor in tensors.names]
        self.stacks[name] = self.make("Concat", parts, axis=0)
        return self.stacks[name]

    # ---- what handlers make

    def constant(self, value: Any) -> str:
        """The name of a constant of integers."""
        name = self.info.names.new("sequence_constant")
        self.info.add_constant(name, np.asarray(value, np.int64))
        return name

    def make(self, op_type: str, inputs: Sequence[str], output: str = "", **attributes: Any) -> str:
        """The output of a new node before the one that is looked at."""
        name = output or self.info.names.new(f"{op_type.lower()}_of_sequence")
        self.result.append(helper.make_node(op_type, inputs, [name], name=name, **attributes))
        return name

    def with_axis(self, op_type: str, x: str, axis: int, output: str = "") -> str:
        """Unsqueeze or Squeeze, whose axes are an attribute before opset 13."""
        if self.info.model.opset < 13:
            return self.make(op_type, [x], output, axes=[axis])
        return self.make(op_type, [x, self.constant([axis])], output)


def _attribute(node: NodeProto, name: str, default: int) -> int:
    return next((int(a.i) for a in node.attribute if a.name == name), default)


# ---- what makes sequences


def _empty(at: _Unpacking, node: NodeProto) -> Nodes:
    at.tensors[node.output[0]] = _Tensors(())
    return None


def _construct(at: _Unpacking, node: NodeProto) -> Nodes:
    at.tensors[node.output[0]] = _Tensors(tuple(node.input))
    return None


def _identity(at: _Unpacking, node: NodeProto) -> Nodes:
    tensors = at.of(node.input[0])
    if tensors is not None:
        at.tensors[node.output[0]] = tensors
    return None


def _optional(at: _Unpacking, node: NodeProto) -> Nodes:
    if _has_input(node, 0):
        at.contents[node.output[0]] = node.input[0]
    return None


def _insert(at: _Unpacking, node: NodeProto) -> Nodes:
    names = at.members(node.input[0])
    if names is None:
        return None
    position = _position(at, node, 2, len(names) + 1, len(names))
    if position is not None:
        names.insert(position, node.input[1])
        at.tensors[node.output[0]] = _Tensors(tuple(names))
    return None


def _erase(at: _Unpacking, node: NodeProto) -> Nodes:
    names = at.members(node.input[0])
    if names is None:
        return None
    position = _position(at, node, 1, len(names), len(names) - 1)
    if position is not None:
        del names[position]
        at.tensors[node.output[0]] = _Tensors(tuple(names))
    return None


def _position(at: _Unpacking, node: NodeProto, index: int, count: int, default: int) -> int | None:
    """Which of `count` places an input means, `None` if it is computed or none of them.

    Places are counted from the end of the sequence, not from behind it, if they are negative.
    """
    if not _has_input(node, index):
        return default if count else None
    position = at.number(node, index)
    length = count if node.op_type != "SequenceInsert" else count - 1
    if position is None or not -length <= position < count:
        return None
    return position if position >= 0 else position + length


def _split(at: _Unpacking, node: NodeProto) -> Nodes:
    """Split gives the same tensors; without sizes they lose the axis, unless that is kept."""
    shape, axis = at.shape(node.input[0]), _attribute(node, "axis", 0)
    if shape is None or not -len(shape) <= axis < len(shape):
        return None
    sizes = _sizes_of_parts(at, node, shape[axis])
    if sizes is None:
        return None
    names = [at.info.names.new(f"{node.output[0]}_") for _ in sizes]
    known = [size for size in sizes if size is not None]
    if at.info.model.opset >= 13:
        operand = at.constant(known) if len(known) == len(sizes) else node.input[1]
        at.result.append(helper.make_node("Split", [node.input[0], operand], names, axis=axis))
    elif len(known) == len(sizes):
        at.result.append(helper.make_node("Split", [node.input[0]], names, axis=axis, split=known))
    else:
        return None
    is_bare = not _has_input(node, 1) and not _attribute(node, "keepdims", 1)
    if is_bare:
        names = [at.with_axis("Squeeze", name, axis) for name in names]
    before, after = shape[: axis % len(shape)], shape[axis % len(shape) + 1 :]
    for name, size in zip(names, sizes, strict=True):
        at.shapes[name] = (*before, *after) if is_bare else (*before, size, *after)
    at.tensors[node.output[0]] = _Tensors(tuple(names))
    return None


def _sizes_of_parts(at: _Unpacking, node: NodeProto, length: Any) -> Sequence[int | None] | None:
    """The sizes of the parts, `None` for those that are computed; `None` if it is not known how many."""
    dims = at.shape(node.input[1]) if _has_input(node, 1) else ()
    if dims is None:
        return None
    if len(dims) == 1:
        count = dims[0]
        if not isinstance(count, int) or not _fits(count):
            return None
        known = at.info.is_constant(node.input[1])
        return [*map(int, at.info.constant(node.input[1]))] if known else [None] * count
    step = at.number(node, 1) if _has_input(node, 1) else 1
    if not isinstance(length, int) or step is None or step < 1 or not _fits(-(-length // step)):
        return None
    return [min(step, length - start) for start in range(0, length, step)]


def _has_input(node: NodeProto, index: int) -> bool:
    return len(node.input) > index and bool(node.input[index])


def _fits(count: int) -> bool:
    return 0 < count <= _MOST_MEMBERS


# ---- what takes them


def _at(at: _Unpacking, node: NodeProto) -> Nodes:
    tensors = at.of(node.input[0])
    if tensors is None:
        return None
    count, position = len(tensors.names), at.number(node, 1)
    if position is not None and (0 if tensors.stack else -count) <= position < count:
        return [helper.make_node("Identity", [tensors.names[position]], node.output, name=node.name)]
    if position is not None and not tensors.stack:
        return None  # there is none
    stack = at.stack(node.input[0])
    return None if stack is None else [_looked_up(node, stack)]


def _looked_up(node: NodeProto, stack: str) -> NodeProto:
    return helper.make_node("Gather", [stack, node.input[1]], node.output, name=node.name, axis=0)


def _content(at: _Unpacking, node: NodeProto) -> Nodes:
    name = at.contents.get(node.input[0])
    return None if name is None else [helper.make_node("Identity", [name], node.output, name=node.name)]


def _has_content(at: _Unpacking, node: NodeProto) -> Nodes:
    if not _has_input(node, 0) or node.input[0] not in at.contents:
        return None
    yes = helper.make_tensor("yes", TensorProto.BOOL, (), [True])
    return [helper.make_node("Constant", [], node.output, name=node.name, value=yes)]


def _length(at: _Unpacking, node: NodeProto) -> Nodes:
    tensors = at.of(node.input[0])
    if tensors is None:
        return None
    count = at.constant(len(tensors.names))
    if not tensors.stack:
        return [helper.make_node("Identity", [count], node.output, name=node.name)]
    parts = at.make("Gather", [at.make("Shape", [tensors.stack]), at.constant(0)], axis=0)
    return [helper.make_node("Add", [parts, count], node.output, name=node.name)]


def _within(at: _Unpacking, node: NodeProto) -> Nodes:
    """A node whose graphs look tensors up in sequences from outside."""
    names = [name for name in dict.fromkeys(uses(node)) if name in at.tensors and name not in node.input]
    stacks = {name: stack for name in names if (stack := at.stack(name)) is not None}
    if not stacks:
        return None
    copy = NodeProto()
    copy.CopyFrom(node)
    changed = [_look_up(a.g, stacks) for a in copy.attribute if a.type == AttributeProto.GRAPH]
    return [copy] if any(changed) else None


def _look_up(graph: GraphProto, stacks: Mapping[str, str]) -> bool:
    """Look up in stacks in place of sequences. Whether there was anything to do."""
    own = set(defined(graph))
    visible = {name: stack for name, stack in stacks.items() if name not in own}
    changed = False
    for node in graph.node:
        if node.op_type == "SequenceAt" and not plain(node.domain) and node.input[0] in visible:
            node.CopyFrom(_looked_up(node, visible[node.input[0]]))
            changed = True
        for attribute in node.attribute:
            changed |= attribute.type == AttributeProto.GRAPH and _look_up(attribute.g, visible)
    return changed


def _concat(at: _Unpacking, node: NodeProto) -> Nodes:
    tensors = at.of(node.input[0])
    if tensors is None or not (tensors.names or tensors.stack):
        return None
    axis, is_new = _attribute(node, "axis", 0), bool(_attribute(node, "new_axis", 0))
    if not _may_join(tensors, axis, is_new):
        return None
    names = [at.with_axis("Unsqueeze", name, axis) if is_new else name for name in tensors.names]
    if tensors.stack:
        names.append(_joined(at, tensors, axis, is_new))
    return [helper.make_node("Concat", names, node.output, name=node.name, axis=axis)]


def _may_join(tensors: _Tensors, axis: int, is_new: bool) -> bool:
    """Whether enough is known of the parts of a stack to join them along an axis."""
    if not tensors.stack or (is_new and not axis):
        return True
    rank = -1 if tensors.part is None else len(tensors.part) + is_new
    if tensors.part is None or not -rank <= axis < rank:
        return False
    size = 1 if is_new else tensors.part[axis]
    return isinstance(size, int) and size > 0


def _joined(at: _Unpacking, tensors: _Tensors, axis: int, is_new: bool) -> str:
    """The parts of a stack, joined along an axis."""
    if is_new and not axis:
        return tensors.stack
    assert tensors.part is not None
    rank = len(tensors.part)
    axis %= rank + is_new
    order = [*range(1, 1 + axis), 0, *range(1 + axis, 1 + rank)]
    stack = at.make("Transpose", [tensors.stack], perm=order) if axis else tensors.stack
    if is_new:
        return stack
    others = [*tensors.part[:axis], *tensors.part[axis + 1 :]]
    if all(isinstance(size, int) and size > 0 for size in others):
        return at.make("Reshape", [stack, at.constant([*others[:axis], -1, *others[axis:]])])
    sizes = at.make("Shape", [stack])
    bounds = [at.constant([bound]) for bound in (0, axis, axis + 2, rank + 1)]
    parts = [at.make("Slice", [sizes, *pair]) for pair in pairwise(bounds)]
    parts[1] = at.make("ReduceProd", [parts[1]], keepdims=1)
    whole: dict[str, Any] = {"allowzero": 1} if at.info.model.opset >= 14 else {}
    return at.make("Reshape", [stack, at.make("Concat", parts, axis=0)], **whole)


def _map(at: _Unpacking, node: NodeProto) -> Nodes:
    """The body once for each tensor of the first sequence; the other inputs are sequences or tensors."""
    body = next((a.g for a in node.attribute if a.type == AttributeProto.GRAPH), None)
    inputs = [at.of(name) for name in node.input]
    first = inputs[0] if inputs else None
    if body is None or first is None or first.stack or not _fits(len(first.names)):
        return None
    columns = []
    for name, tensors in zip(node.input, inputs, strict=True):
        if tensors is None and name in at.info.others:
            return None
        columns.append(first.names and ([name] * len(first.names) if tensors is None else tensors.names))
    if any(len(column) != len(first.names) for column in columns):
        return None
    nodes: list[NodeProto] = []
    results: list[list[str]] = []
    for step in zip(*columns, strict=True):
        outputs = [at.info.names.new(f"{name or title(node)}_") for name in node.output]
        nodes += _repeated(at.info, node, body, step, outputs)
        results.append(outputs)
    made = [
        helper.make_node("SequenceConstruct", names, [name], name=f"{title(node)}_{i}")
        for i, (name, names) in enumerate(zip(node.output, zip(*results, strict=True), strict=True))
        if name
    ]
    for construct in made:
        _construct(at, construct)
    return [*nodes, *made]


def _repeated(
    info: ModelInfo, node: NodeProto, body: GraphProto, inputs: Sequence[str], outputs: Sequence[str]
) -> list[NodeProto]:
    """The nodes of a body for these inputs and outputs."""
    graph = GraphProto()
    graph.CopyFrom(body)
    del graph.input[:], graph.node[:]
    graph.node.extend(
        helper.make_node("Identity", [name], [own.name]) for own, name in zip(body.input, inputs, strict=True)
    )
    graph.node.extend(body.node)
    nodes, tensors = splice(helper.make_node(node.op_type, [], outputs), title(node), graph, info.names)
    info.tensors.update(tensors)
    return nodes


# ---- loops


def _loop(at: _Unpacking, node: NodeProto) -> Nodes:
    """A loop whose sequences, to which each step adds a tensor, are stacks of all steps instead."""
    body = next((a.g for a in node.attribute if a.name == "body"), None)
    if body is None or len(body.input) != len(node.input) or len(body.output) < len(node.input) - 1:
        return None
    added = {
        number: tensor
        for number in range(2, len(node.input))
        if (tensor := _added(at, node, body, number)) is not None
    }
    if not added:
        return None
    parts = _parts(at.info, body, node, added.values())
    chosen = {}
    for number, tensor in added.items():
        first, output = at.of(node.input[number]), node.output[number - 2]
        assert first is not None
        stack = _Tensors(first.names, at.info.names.new(f"{output}_"), parts[tensor])
        if all(_is_foldable(at, user, output, stack) for user in at.users(output)):
            at.tensors[output] = stack
            chosen[number] = tensor
    return [_stacking(at, node, chosen)] if chosen else None


def _added(at: _Unpacking, node: NodeProto, body: GraphProto, number: int) -> str | None:
    """The tensor that each step adds at the end of a sequence, if the step does nothing else with it."""
    output = node.output[number - 2] if number - 2 < len(node.output) else ""
    first, own = at.of(node.input[number]), body.input[number].name
    if first is None or first.stack or not output or output in at.outputs:
        return None
    insert = _producer(body, body.output[number - 1].name)
    if insert is None or insert.op_type != "SequenceInsert" or insert.input[0] != own:
        return None
    readers = [inner for inner in body.node for name in uses(inner) if name in (own, insert.output[0])]
    results = [info.name for info in body.output]
    is_alone = readers == [insert] and own not in results and results.count(insert.output[0]) == 1
    return str(insert.input[1]) if is_alone and not _has_input(insert, 2) else None


def _producer(body: GraphProto, name: str) -> NodeProto | None:
    return next((node for node in body.node if name in node.output), None)


def _is_foldable(at: _Unpacking, user: NodeProto, name: str, tensors: _Tensors) -> bool:
    """Whether a node that takes a sequence can do with its tensors."""
    if name not in user.input:
        return tensors.is_even and all(_only_looks_up(inner, name) for inner in _inner_nodes(user))
    if user.op_type == "SequenceAt":
        position = at.number(user, 1)
        return tensors.is_even or (position is not None and 0 <= position < len(tensors.names))
    if user.op_type == "ConcatFromSequence":
        return _may_join(tensors, _attribute(user, "axis", 0), bool(_attribute(user, "new_axis", 0)))
    return user.op_type == "SequenceLength"


def _inner_nodes(node: NodeProto) -> list[NodeProto]:
    return [inner for a in node.attribute if a.type == AttributeProto.GRAPH for inner in a.g.node]


def _only_looks_up(node: NodeProto, name: str) -> bool:
    """Whether a node of a graph, or of those inside of it, takes nothing but tensors of a sequence."""
    if name in node.input and node.op_type != "SequenceAt":
        return False
    return all(_only_looks_up(inner, name) for inner in _inner_nodes(node))


def _parts(
    info: ModelInfo, body: GraphProto, node: NodeProto, tensors: Iterable[str]
) -> dict[str, Dims | None]:
    """The sizes that values of a body have at every step."""

    def after(inner: ModelInfo) -> list[Dims | None]:
        return [inner.shape(output.name) for output in body.output[1:]]

    first = [Known(info.shape(name), info.dtype(name)) for name in node.input[2:]]
    inner, _ = at_all_steps(lambda variables: studied(info, body, variables)[0], after, first)
    return {tensor: as_outside(inner, tensor) for tensor in tensors}


def _stacking(at: _Unpacking, node: NodeProto, added: dict[int, str]) -> NodeProto:
    """The loop with outputs of all steps in place of sequences."""
    loop = NodeProto()
    loop.CopyFrom(node)
    body = next(a.g for a in loop.attribute if a.name == "body")
    for number in sorted(added, reverse=True):
        insert = _producer(body, body.output[number - 1].name)
        body.node.remove(insert)
        del loop.input[number], loop.output[number - 2], body.input[number], body.output[number - 1]
    for number, tensor in added.items():
        part = at.info.names.new(f"{tensor}_")
        body.node.append(helper.make_node("Identity", [tensor], [part]))
        body.output.add().name = part
        tensors = at.of(node.output[number - 2])
        assert tensors is not None
        loop.output.append(tensors.stack)
    return loop


_HANDLERS: dict[str, Callable[[_Unpacking, NodeProto], Nodes]] = {
    "ConcatFromSequence": _concat,
    "Identity": _identity,
    "Loop": _loop,
    "Optional": _optional,
    "OptionalGetElement": _content,
    "OptionalHasElement": _has_content,
    "SequenceAt": _at,
    "SequenceConstruct": _construct,
    "SequenceEmpty": _empty,
    "SequenceErase": _erase,
    "SequenceInsert": _insert,
    "SequenceLength": _length,
    "SequenceMap": _map,
    "SplitToSequence": _split,
}
