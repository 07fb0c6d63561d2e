"""Cases of operators as graphs of which only a part is known: what inference has to complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hybridonnx.attrs import text
from hybridonnx.ops import Spec
from hybridonnx.test_utils import Case

MOST_CASES = 3
"""Of one operator."""
Shapes = list[tuple[int, ...]]
Known = dict[str, tuple[int, ...]]


def chosen(cases: list[Case]) -> Iterator[tuple[Case, Shapes, Shapes]]:
    """Some cases of each operator, with the shapes of its inputs and visible outputs, none of them empty."""
    counts: dict[str, int] = {}
    for case in cases:
        op, arrays = case.operator(), case.arrays()
        shapes = [a.shape for a in arrays]
        name = op.names[0]
        if not shapes or not all(map(all, shapes)) or () in shapes or counts.get(name, 0) >= MOST_CASES:
            continue
        results = op.infer([Spec(a.shape, a.dtype) for a in arrays])[1][: op.visible()]
        outputs = [spec.shape for spec in results]
        if all(s and all(s) for s in outputs):
            counts[name] = counts.get(name, 0) + 1
            yield case, shapes, outputs


def graph(case: Case, outputs: Shapes) -> str:
    """A symbol.json of the operator on i0, i1, …, each of whose outputs is added to r0, r1, …."""
    op = case.operator()
    names = op.input_names()
    nodes: list[dict[str, Any]] = [{"op": "null", "name": f"i{k}", "inputs": []} for k in range(len(names))]
    attributes = {k: v.__name__ if isinstance(v, type) else text(v) for k, v in case.attributes.items()}
    if op.variadic:
        attributes.setdefault(op.variadic, str(len(names)))
    inputs = [[k, 0, int(name in op.aux)] for k, name in enumerate(names)]
    nodes.append({"op": op.names[0], "name": "n", "attrs": attributes, "inputs": inputs})
    heads = []
    for k in range(len(outputs)):
        nodes.append({"op": "null", "name": f"r{k}", "inputs": []})
        sources = [[len(names), k, 0], [len(nodes) - 1, 0, 0]]
        nodes.append({"op": "elemwise_add", "name": f"a{k}", "inputs": sources})
        heads.append([len(nodes) - 1, 0, 0])
    variables = [k for k, node in enumerate(nodes) if node["op"] == "null"]
    version = {"mxnet_version": ["int", 10901]}
    return json.dumps({"nodes": nodes, "arg_nodes": variables, "heads": heads, "attrs": version})


def parts(shapes: Shapes, outputs: Shapes) -> Iterator[tuple[str, Known]]:
    """What may be known: outputs alone, the first input, all but one, all but one size."""
    inputs = {f"i{k}": s for k, s in enumerate(shapes)}
    results = {f"r{k}": s for k, s in enumerate(outputs)}
    yield "outputs", results
    yield "first", {"i0": shapes[0]}
    yield "first and outputs", {"i0": shapes[0], **results}
    yield "ranks and outputs", {**{name: (0,) * len(s) for name, s in inputs.items()}, **results}
    for name, shape in inputs.items():
        yield f"all but {name}", {n: s for n, s in inputs.items() if n != name}
        for axis in range(len(shape)):
            open_ = {**inputs, name: (*shape[:axis], 0, *shape[axis + 1 :])}
            yield f"all but {name}[{axis}]", open_
            yield f"all but {name}[{axis}], and outputs", {**open_, **results}


def completed(symbol: Any, known: Known) -> Known:
    """The inputs' shapes as `symbol` infers them, where they are other than what is known."""
    arguments, _, states = symbol.infer_shape_partial(**known)
    names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
    shapes = zip(names, [*arguments, *states], strict=True)
    return {name: tuple(s) for name, s in shapes if s and name[0] == "i" and tuple(s) != known.get(name)}


def families() -> list[Path]:
    """The files of cases."""
    return sorted((Path(__file__).parent / "ops").glob("*.py"))
