"""The lowering of operators that are composed of others: theirs, one after the other."""

from __future__ import annotations

from typing import Any

from hybridonnx.errors import ConversionError
from hybridonnx.ops import Composed, Spec, UnknownRankError, without_symbols

from ._graph import Graph, NeedsShape, Output, Value
from ._registry import find, lowers


@lowers(Composed)
def composed(g: Graph, op: Composed, *inputs: Value) -> Any:
    """Each step sees its own outputs as the operator's, as `Walk.lower` shows them."""
    try:
        program = op.program([Spec(x.shape, x.dtype) for x in inputs])
    except UnknownRankError as exc:
        raise NeedsShape(f"{op.names[0]}: fixed input shapes are required.") from exc
    values = dict(enumerate(inputs))
    state = g.operator, g.output_shapes, g.read, g.finite
    for step in program.steps:
        specs = [program.specs[number] for number in step.outputs]
        outputs = [Output(without_symbols(spec.shape), spec.dtype) for spec in specs]
        g.operator, g.output_shapes = (step.op.names[0], outputs), [spec.shape for spec in specs]
        g.read, g.finite = [True] * len(specs), False
        lowering = find(type(step.op))
        if lowering is None:
            raise ConversionError(f"{op.names[0]}: {step.op.not_in_onnx or 'a part has no lowering'}.")
        results = lowering(g, step.op, *(values[i] for i in step.inputs))
        for number, value, output in zip(
            step.outputs, results if isinstance(results, tuple | list) else (results,), outputs, strict=False
        ):
            if value.node is not None and output.shape is not None:
                value.shape = output.shape
            values[number] = value
    g.operator, g.output_shapes, g.read, g.finite = state
    results = [values[number] for number in program.results]
    plain = [n < len(inputs) or n in program.results[:i] for i, n in enumerate(program.results)]
    results = [g.Identity(y) if copy else y for y, copy in zip(results, plain, strict=True)]
    return results if len(results) > 1 else results[0]
