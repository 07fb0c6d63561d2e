"""Gradients of ONNX's nodes beside numerical derivatives of what ONNX Runtime or ONNX's reference gives.

Each of onnx's own cases of one node becomes an operator, of whose inputs those of floating-point numbers,
moved a little so that none lies on an edge, are variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.converters.onnx_nodes import text_of
from hybridonnx.converters.opsets import newest
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Spec, find, onnx_name
from tests import onnx_cases

NEWEST = newest()

OPERANDS = {"roi", "scales", "ratio", "rois"}
"""Inputs of floating-point numbers that have no gradient."""
WITHIN = {"Asin": 0.9, "Acos": 0.9, "Atanh": 0.9}
"""What the inputs are multiplied by where a function ends at 1."""
POSITIVE = {("Pow", "X"), ("Pow", "Y"), ("BatchNormalization", "input_var")}
"""Inputs whose absolute values are taken."""

Arrays = Mapping[str, np.ndarray]


@dataclass
class NodeCase:
    """A node with inputs: `op` takes `arrays` in their order, and has gradients for `variables`."""

    name: str
    op: Any
    arrays: Arrays
    variables: list[str]
    dtype: Any
    rng: Any = field(repr=False)

    def run(self, moved: Arrays | None = None, by: float = 0.0) -> list[np.ndarray]:
        """The outputs, with the variables moved along a direction."""
        arrays = [
            x if moved is None or name not in moved else np.asarray(x + by * moved[name], x.dtype)
            for name, x in self.arrays.items()
        ]
        with np.errstate(all="ignore"):
            return list(self.op.forward(*arrays))

    def direction(self) -> dict[str, np.ndarray]:
        """A random direction of the variables."""
        return {
            name: self.rng.standard_normal(self.arrays[name].shape).astype(self.dtype)
            for name in self.variables
        }

    def heads(self) -> list[np.ndarray | None]:
        """A gradient for each output of floating-point numbers, nothing for those that are not finite."""
        return [
            np.where(np.isfinite(y), self.rng.standard_normal(y.shape), 0).astype(self.dtype)
            if y.dtype == self.dtype
            else None
            for y in self.run()
        ]


class NotForThisError(Exception):
    """Why a case says nothing about gradients."""


@cache
def cases_of(op_type: str) -> list[onnx_cases.Case]:
    """The cases of one node of an operator."""
    return _by_operator().get(op_type, [])


@cache
def _by_operator() -> dict[str, list[onnx_cases.Case]]:
    result: dict[str, list[onnx_cases.Case]] = {}
    for case in onnx_cases.cases("^test_"):
        if case.kind == "node" and "_expanded" not in case.name:
            nodes = case.model.graph.node
            if len(nodes) == 1 and not nodes[0].domain:
                result.setdefault(nodes[0].op_type, []).append(case)
    return result


def prepared(case: onnx_cases.Case, dtype: Any = np.float64, inside: bool = True) -> NodeCase:
    """A case whose other inputs are, with `inside`, constants of the node. Raises `NotForThisError`."""
    inputs, outputs = case.data_sets[0]
    if not all(isinstance(x, np.ndarray) for x in inputs):
        raise NotForThisError("its inputs are no arrays")
    rng = np.random.default_rng(len(case.name))
    names = [info.name for info in case.inputs]
    opset = next(o.version for o in case.model.opset_import if not o.domain)
    formal = _formal(case.model.graph.node[0], opset)
    arrays, variables = {}, []
    for name, x in zip(names, inputs, strict=True):
        kept = formal[name] in OPERANDS or x.dtype not in (np.float16, np.float32, np.float64)
        arrays[name] = x if kept else _moved(case, formal[name], x, dtype, rng)
        if not kept:
            variables.append(name)
    if not variables:
        raise NotForThisError("no input is of floating-point numbers")
    if not all(np.isfinite(arrays[name]).all() for name in variables):
        raise NotForThisError("inputs are infinite")
    result = _made(case, arrays, variables, dtype, inside, rng)
    result.op.infer([Spec(x.shape, x.dtype) for x in result.arrays.values()])  # which refuses some dtypes
    ys = result.run()
    if not any(y.dtype == dtype for y in ys):
        raise NotForThisError("no output is of the inputs' dtype")
    if dtype == np.float64 and not _as_finite(ys, outputs):  # of float64 the engine gives NaN
        return prepared(case, np.float32, inside)
    return result


def _as_finite(ys: Sequence[np.ndarray], outputs: Sequence[Any]) -> bool:
    return all(np.isfinite(y).all() or not np.isfinite(z).all() for y, z in zip(ys, outputs, strict=True))


def _formal(node: onnx.NodeProto, opset: int, domain: str = "") -> dict[str, str]:
    """What the operator calls its inputs, by their names in the model."""
    schema = onnx.defs.get_schema(node.op_type, opset, domain)
    last = len(schema.inputs) - 1
    return {name: schema.inputs[min(i, last)].name for i, name in enumerate(node.input)}


def _moved(case: onnx_cases.Case, formal: str, x: np.ndarray, dtype: Any, rng: Any) -> np.ndarray:
    op_type = case.model.graph.node[0].op_type
    x = np.asarray(x.astype(dtype) + 0.02 * rng.standard_normal(x.shape), dtype)
    x = x * np.asarray(WITHIN.get(op_type, 1), dtype)
    return np.asarray(np.abs(x) + 0.1 if (op_type, formal) in POSITIVE else x)


def _made(
    case: onnx_cases.Case, arrays: Arrays, variables: list[str], dtype: Any, inside: bool, rng: Any
) -> NodeCase:
    node = case.model.graph.node[0]
    opsets = {o.domain: o.version for o in case.model.opset_import}
    constants = [name for name in arrays if inside and name not in variables]
    arguments = [name for name in arrays if name not in constants]
    tensors = [numpy_helper.from_array(arrays[name], name) for name in constants]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
    text = text_of(node, arguments, tensors, outputs, opsets)
    kind = find(onnx_name(node.op_type))
    assert kind is not None
    op = kind.make({"model": text, "num_args": len(arguments), "num_outputs": len(outputs)})
    return NodeCase(case.name, op, {name: arrays[name] for name in arguments}, variables, dtype, rng)


def supported(case: onnx_cases.Case, inside: bool = True) -> NodeCase:
    """A case in float64, or in float32 if ONNX knows the operator in float32 alone."""
    try:
        return prepared(case, np.float64, inside)
    except MXNetError as exc:
        if "tensor(double)" not in str(exc) and "tensor(float)" not in str(exc):
            raise
        return prepared(case, np.float32, inside)


# ---- gradients


def eager(case: NodeCase) -> Callable[..., Any]:
    """The node as a function of arrays."""
    function = getattr(nd, case.op.names[0])
    return lambda *arrays: function(*arrays, **case.op.attributes())


def hybridized(case: NodeCase) -> Callable[..., Any]:
    """The node as a hybridized block, whose gradient is compiled."""
    variables = [sym.var(name) for name in case.arrays]
    result = getattr(sym, case.op.names[0])(*variables, **case.op.attributes())
    block = gluon.SymbolBlock([result[i] for i in range(case.op.num_outputs)], variables)
    block.hybridize()
    return block


def gradients(
    case: NodeCase,
    function: Callable[..., Any],
    heads: Sequence[np.ndarray | None],
    moved: Arrays | None = None,
    by: float = 0.0,
) -> dict[str, np.ndarray]:
    """The variables' gradients, with the variables moved along a direction."""
    arrays = {
        name: NDArray(np.array(x if moved is None or name not in moved else x + by * moved[name], x.dtype))
        for name, x in case.arrays.items()
    }
    _differentiated(case, function, heads, arrays)
    return {name: arrays[name].grad.asnumpy() for name in case.variables}


def _differentiated(
    case: NodeCase,
    function: Callable[..., Any],
    heads: Sequence[np.ndarray | None],
    arrays: Mapping[str, Any],
) -> None:
    for name in case.variables:
        arrays[name].attach_grad()
    with autograd.record():
        ys = function(*arrays.values())
    ys = ys if isinstance(ys, list | tuple) else [ys]
    pairs = [(y, NDArray(head)) for y, head in zip(ys, heads, strict=True) if head is not None]
    autograd.backward([y for y, _ in pairs], [head for _, head in pairs])


def along(grads: Arrays, direction: Arrays) -> float:
    """The derivative along a direction."""
    return float(sum(np.sum(grads[name] * direction[name], dtype=np.float64) for name in direction))


def numerical(value: Callable[[float], float], step: float) -> float:
    """The derivative at 0, by values on both sides at a step and at half of it."""
    far, near = value(step) - value(-step), value(step / 2) - value(-step / 2)
    return (8 * near - far) / (6 * step)


def assert_derivative(got: float, value: Callable[[float], float], dtype: Any) -> None:
    """Hold a derivative to numerical ones: a small step suits exact engines, a large one those of float32."""
    attempts = (
        [(1e-4, 1e-5), (1e-6, 1e-5), (1e-2, 3e-4)] if dtype == np.float64 else [(1e-2, 2e-3), (5e-2, 2e-3)]
    )
    tried = []
    for step, tolerance in attempts:
        tried.append(numerical(value, step))
        if abs(got - tried[-1]) <= tolerance * max(1, abs(tried[-1])):
            return
    raise AssertionError(f"the derivative is {got:.7g}, numerically {' or '.join(f'{t:.7g}' for t in tried)}")


def check(case: NodeCase, function: Callable[..., Any]) -> None:
    """Hold the gradient of each variable to derivatives of what the engine gives."""
    heads = case.heads()
    grads = gradients(case, function, heads)
    for name in case.variables:
        assert grads[name].shape == case.arrays[name].shape, name
        direction = {name: case.direction()[name]}

        def value(by: float, direction: Arrays = direction) -> float:
            ys = case.run(direction, by)
            pairs = [(y, head) for y, head in zip(ys, heads, strict=True) if head is not None]
            with np.errstate(all="ignore"):
                return float(sum(np.nansum(np.where(head == 0, 0, head * y)) for y, head in pairs))

        assert_derivative(along(grads, direction), value, case.dtype)


def check_second(case: NodeCase) -> None:
    """Hold gradients of gradients, by inputs and by the outputs' gradients, to derivatives of gradients."""
    heads = case.heads()
    weights, direction = case.direction(), case.direction()
    turns = [
        None if head is None else case.rng.standard_normal(head.shape).astype(case.dtype) for head in heads
    ]
    arrays = {name: NDArray(np.array(x)) for name, x in case.arrays.items()}
    outer = [None if head is None else NDArray(np.array(head)) for head in heads]
    seconds = _second(case, arrays, [head for head in outer if head is not None], weights)
    got = along({name: arrays[name].grad.asnumpy() for name in case.variables}, direction) if seconds else 0.0
    got += sum(
        float(np.sum(head.grad.asnumpy() * turn))
        for head, turn in zip(outer, turns, strict=True)
        if head is not None
    )

    def value(by: float) -> float:
        moved = [h if h is None or t is None else h + by * t for h, t in zip(heads, turns, strict=True)]
        return along(gradients(case, eager(case), moved, direction, by), weights)

    assert_derivative(got, value, case.dtype)


def _second(case: NodeCase, arrays: Mapping[str, Any], heads: Sequence[Any], weights: Arrays) -> bool:
    """Differentiate the weighted sum of the gradients; whether there are any."""
    variables = [arrays[name] for name in case.variables]
    for x in (*variables, *heads):
        x.attach_grad()
    with autograd.record():
        ys = eager(case)(*arrays.values())
        ys = [y for y in (ys if isinstance(ys, list | tuple) else [ys]) if y.dtype == case.dtype]
        firsts = autograd.grad(ys, variables, list(heads), create_graph=True)
        terms = [(g * NDArray(weights[name])).sum() for name, g in zip(case.variables, firsts, strict=True)]
        total = sum(terms[1:], terms[0])
    if total._entry is None:
        return False
    total.backward()
    return True


def case_of(
    op_type: str,
    inputs: Sequence[np.ndarray | None],
    opset: int,
    outputs: int = 1,
    domain: str = "",
    **attributes: Any,
) -> NodeCase:
    """A node of some opset whose arrays of floating-point numbers are variables; the others are constants."""
    if opset > NEWEST:
        pytest.skip(f"onnx has opsets up to {NEWEST}")
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op_type, names, results, domain=domain, **attributes)
    arrays = {name: x for name, x in zip(names, inputs, strict=True) if x is not None}
    formal = _formal(node, opset, domain)
    variables = [n for n, x in arrays.items() if x.dtype.kind == "f" and formal[n] not in OPERANDS]
    tensors = [numpy_helper.from_array(x, name) for name, x in arrays.items() if name not in variables]
    declared = [helper.make_empty_tensor_value_info(name) for name in results]
    text = text_of(node, variables, tensors, declared, {domain: opset})
    kind = find(onnx_name(op_type, domain))
    assert kind is not None
    op = kind.make({"model": text, "num_args": len(variables), "num_outputs": outputs})
    kept = {name: arrays[name] for name in variables}
    dtype = kept[variables[0]].dtype.type
    return NodeCase(f"{op_type}-{opset}", op, kept, variables, dtype, np.random.default_rng(7))
