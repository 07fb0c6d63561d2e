"""ONNX's operators as functions, and gradients of what was computed by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple

import numpy as np

from ...errors import MXNetError
from .._onnx_text import NodeText, RawTensor, node_text, read_node, takes_constant
from ._table import find, gradient_of, why_constant

OPSET = 18
"""The opset of the nodes that rules are made of."""


class Nodes:
    """ONNX's operators as functions of arrays or symbols: `g.Pad(x, pads, mode="edge")`.

    Inputs may be NumPy arrays, `None` for absent ones, lists of integers, and numbers, which take the dtype
    of the first array among the inputs.
    """

    def __init__(self, F: Any) -> None:
        self.F = F

    def __getattr__(self, op_type: str) -> Callable[..., Any]:
        return partial(self.node, op_type)

    def node(
        self,
        op_type: str,
        *inputs: Any,
        opset: int = OPSET,
        outputs: int | Sequence[bool] = 1,
        **attributes: Any,
    ) -> Any:
        """The output of a node, a list of several; `outputs` says how many, or which there are."""
        like = next((x for x in inputs if is_value(x)), None)
        operands = [self._operand(x, like) for x in inputs]
        parts = [x is not None if x is None or is_value(x) else x for x in operands]
        there = (True,) * outputs if isinstance(outputs, int) else outputs
        results = iter(self._made(node_text(op_type, parts, opset, attributes, there), operands))
        values = [next(results) if here else None for here in there]
        return values[0] if outputs == 1 else values

    def again(
        self, node: NodeText, *inputs: Any, outputs: int | Sequence[bool] | None = None, **attributes: Any
    ) -> Any:
        """A node like another, for other inputs."""
        count = len(node.outputs) if outputs is None else outputs
        merged = {**node.attributes, **attributes}
        return self.node(node.op_type, *inputs, opset=node.opset, outputs=count, **merged)

    def _operand(self, x: Any, like: Any) -> Any:
        if isinstance(x, list | tuple):
            return np.array(x, np.int64)
        return self.number(x, like) if isinstance(x, int | float) else x

    def number(self, value: float, like: Any) -> Any:
        """A number of no axes in the dtype of `like`."""
        dtype = getattr(like, "dtype", None)  # symbols have none
        if like is None or (dtype is not None and takes_constant(dtype)):
            return np.array(value, dtype)
        return self.CastLike(np.array(value, np.float32), like)

    def _made(self, text: str, operands: Sequence[Any]) -> list[Any]:
        node = read_node(text)
        outputs = len(node.results)
        arguments = [x for x in operands if is_value(x)]
        function = getattr(self.F, f"_onnx_{node.op_type}")
        results = function(*arguments, model=text, num_args=len(arguments), num_outputs=outputs)
        return [results] if outputs == 1 else [results[i] for i in range(outputs)]

    def wide(self, x: Any) -> Any:
        """`x` in float32 if it is of float16."""
        return self.F._widened(x)

    def narrow(self, x: Any, like: Any) -> Any:
        """`x` in the dtype of `like`."""
        return self.F._cast_like(x, like)

    def operand(self, x: Any) -> Any:
        """A constant as a number, or as an array or symbol if it has axes."""
        if not isinstance(x, np.ndarray):
            return x
        return self.Identity(x) if x.ndim else x.item()

    def back(self, grad: Any, x: Any) -> Any:
        """A gradient summed over where `x` was broadcast; nothing for what is no variable."""
        return self.F._sum_like(grad, x) if grad is not None and is_value(x) else None

    # ---- sizes, which are vectors of int64

    def sizes(self, x: Any, start: int = 0, end: int | None = None) -> Any:
        """The sizes of axes."""
        return self.Shape(x, start=start, end=end)

    def joined(self, *sizes: Any) -> Any:
        """One vector of several, of which integers and lists may be some."""
        parts = [
            np.array([s] if isinstance(s, int) else s, np.int64) if not is_value(s) else s for s in sizes
        ]
        return self.Concat(*parts, axis=0)

    def shaped(self, x: Any, *sizes: Any) -> Any:
        """The elements in a shape, of which -1 may be a size."""
        return self.Reshape(x, self.joined(*sizes), allowzero=0 if -1 in sizes else 1)

    def as_shape_of(self, x: Any, like: Any) -> Any:
        """The elements in the shape of another array."""
        return self.Reshape(x, self.Shape(like), allowzero=1)

    def pinned(self, x: Any, like: Any) -> Any:
        """The elements in the shape of another array, also where inference does not know their rank."""
        return self.F.reshape_like(self.as_shape_of(x, like), like)

    def summed(self, x: Any, like: Any) -> Any:
        """What `back` gives, where inference does not know the rank."""
        shape, target = self.Shape(x), self.Shape(like)
        lacks = self.Reshape(self.Sub(self.Size(shape), self.Size(target)), [1])
        padded = self.joined(self.Expand([1], lacks), target)
        axes = self.Reshape(self.NonZero(self.Not(self.Equal(padded, shape))), [-1])
        return self.as_shape_of(self.ReduceSum(x, axes, noop_with_empty_axes=1), like)

    def rows(self, x: Any) -> Any:
        """All axes but the first two as one, of which any may be empty."""
        rest = self.ReduceProd(self.sizes(x, 2))
        return self.Reshape(x, self.joined(self.sizes(x, 0, 2), rest), allowzero=1)

    def fitted(self, x: Any, axes: Any, sizes: Any) -> Any:
        """`x` cut, or filled with zeros, at the end of axes to these sizes."""
        lacks = self.Max(self.Sub(sizes, self.Gather(self.Shape(x), axes)), 0)
        zeros = self.Mul(lacks, 0)
        return self.Slice(self.Pad(x, self.joined(zeros, lacks), None, axes), zeros, sizes, axes)

    def zeros(self, shape: Any, like: Any) -> Any:
        """Zeros of a computed shape in the dtype of `like`."""
        return self.Expand(self.number(0, like), shape)


def rank_of(x: Any) -> int | None:
    """How many axes an array has; of a symbol that is not known."""
    return len(x.shape) if hasattr(x, "shape") else None


def is_value(x: Any) -> bool:
    """Whether an operand is an array or a symbol, and no constant."""
    return x is not None and not isinstance(x, np.ndarray | RawTensor | int | float | list | tuple)


class _Record(NamedTuple):
    """A node that was made, or a conversion."""

    node: NodeText | None
    inputs: Sequence[Any]
    outputs: Sequence[Any]


class Composition(Nodes):
    """Nodes that remember what was computed from `variables`, so that it has gradients."""

    def __init__(self, F: Any, variables: Sequence[Any]) -> None:
        super().__init__(F)
        self._variable = {id(x) for x in variables}
        self._records: list[_Record] = []
        self._kept: list[Any] = []  # while they live no other value has their id

    def _made(self, text: str, operands: Sequence[Any]) -> list[Any]:
        values = super()._made(text, operands)
        self._recorded(read_node(text), operands, values)
        return values

    def wide(self, x: Any) -> Any:
        """`x` in float32 if it is of float16."""
        value = super().wide(x)
        self._recorded(None, [x], [value])
        return value

    def narrow(self, x: Any, like: Any) -> Any:
        """`x` in the dtype of `like`."""
        value = super().narrow(x, like)
        self._recorded(None, [x], [value])
        return value

    def _recorded(self, node: NodeText | None, operands: Sequence[Any], values: Sequence[Any]) -> None:
        self._kept += [*operands, *values]
        if any(id(x) in self._variable for x in operands) and not (
            node and why_constant(node.op_type, node.domain)
        ):
            self._variable.update(map(id, values))
            self._records.append(_Record(node, operands, values))

    def gradients(self, y: Sequence[Any], dy: Sequence[Any], x: Sequence[Any]) -> list[Any]:
        """The gradients of `x` from those of `y`, `None` where there is none."""
        grads: dict[int, Any] = {}
        for value, head in zip(y, dy, strict=False):
            if value is not None and head is not None:
                self._add(grads, value, head)
        for node, inputs, outputs in reversed(self._records):
            heads = [grads.get(id(value)) for value in outputs]
            if all(head is None for head in heads):
                continue
            heads = [
                self.F.zeros_like(v) if head is None else head for head, v in zip(heads, outputs, strict=True)
            ]
            for value, grad in zip(inputs, self._shares(node, heads, outputs, inputs), strict=False):
                if grad is not None and id(value) in self._variable:
                    self._add(grads, value, grad)
        return [grads.pop(id(value), None) for value in x]

    def _shares(
        self, node: NodeText | None, heads: Sequence[Any], outputs: Sequence[Any], inputs: Sequence[Any]
    ) -> Sequence[Any]:
        """What one record passes back."""
        if node is None:
            return [self.F._cast_like(heads[0], inputs[0])]
        rule = find(node)
        if rule is None:
            raise MXNetError(f"_onnx_{node.op_type}: a gradient rule is required inside of another.")
        return rule(Nodes(self.F), node, heads, outputs, *inputs)

    def _add(self, grads: dict[int, Any], value: Any, grad: Any) -> None:
        key = id(value)
        grads[key] = self.F._grad_add(grads[key], grad) if key in grads else grad


def composed(
    *op_types: str, operands: Sequence[int] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make the gradient rule of operators from a function that computes them by other nodes.

    `operands` are the numbers of inputs that have no gradient, where one would be computed.

    The function is `(g, node, y, *x)` to the outputs; `y` are the outputs themselves, for their sizes. An
    output that no gradient goes through may be `None`.
    """

    def register(forward: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(forward)
        def rule(nodes: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], *x: Any) -> Sequence[Any]:
            g = Composition(nodes.F, [v for i, v in enumerate(x) if is_value(v) and i not in operands])
            result = forward(g, node, y, *x)
            outputs = result if isinstance(result, tuple) else (result,)
            return g.gradients(outputs, dy, x)

        gradient_of(*op_types)(rule)
        return forward

    return register
