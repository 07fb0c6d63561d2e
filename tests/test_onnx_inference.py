"""Where ONNX's own inference crashes, and that it is kept from there."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator

import pytest
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, defs, helper, parser, shape_inference

from hybridonnx.converters.inference import FRAGILE, infer_shapes
from tests.case_processes import Job, run_jobs

KINDS = defs.OpSchema.AttrType
VALUES = {
    KINDS.INT: 1,
    KINDS.INTS: [1],
    KINDS.FLOAT: 1.0,
    KINDS.FLOATS: [1.0],
    KINDS.STRING: "a",
    KINDS.STRINGS: ["a"],
    KINDS.TENSOR: helper.make_tensor("t", TensorProto.FLOAT, [1], [1.0]),
    KINDS.GRAPH: helper.make_graph([], "g", [], []),
}


def nodes_of(schema: defs.OpSchema) -> Iterator[NodeProto]:
    """Calls with the attributes that are required, with one more, and with all."""
    values = {name: VALUES[a.type] for name, a in schema.attributes.items() if a.type in VALUES}
    required = {name: value for name, value in values.items() if schema.attributes[name].required}
    choices = [required, values, *({**required, name: value} for name, value in values.items())]
    count = max(schema.min_input, min(schema.max_input, 3))
    for attributes in choices:
        names = [f"x{i}" for i in range(count)]
        outputs = [f"y{i}" for i in range(max(1, schema.min_output))]
        yield helper.make_node(schema.name, names, outputs, domain=schema.domain, **attributes)


def model(schema: defs.OpSchema, node: NodeProto) -> ModelProto:
    """A node whose inputs nothing tells of."""
    outputs = [ValueInfoProto(name=name) for name in node.output]
    graph = helper.make_graph([node], "g", [], outputs)
    proto: ModelProto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid(schema.domain, schema.since_version)]
    )
    return proto


@pytest.mark.parametrize("guards", [False, True])
def test_only_fragile_operators_crash(guards):
    """Without the guard those alone that are held back, in this version of onnx or another; with it none."""
    schemas = [s for s in defs.get_all_schemas_with_history() if not s.deprecated]

    def work(job: Job) -> str:
        faulthandler.disable()
        for node in nodes_of(schemas[job.case]):
            for values in (False, True):
                try:
                    if guards:
                        infer_shapes(model(schemas[job.case], node), values=values)
                    else:
                        shape_inference.infer_shapes(model(schemas[job.case], node), data_prop=values)
                except (shape_inference.InferenceError, RuntimeError, ValueError):
                    continue
        return "fine"

    jobs = [Job(i, "") for i in range(len(schemas))]
    results = {job.case: result for job, result in run_jobs(jobs, work, 1, 60) if result != "fine"}
    crashed = {(schemas[i].domain, schemas[i].name) for i in results}
    assert crashed <= (set() if guards else FRAGILE), results


FRAGILE_MODEL = """
    <ir_version: 9, opset_import: ["" : 20, "ai.onnx.ml" : 4]>
    g (float[3, 5] x) => (e, l) {
        a = Abs (x)
        e = EyeLike <dtype = 7> (a)
        k = Cast <to = 8> (e)
        m = ai.onnx.ml.LabelEncoder <keys_strings = ["a"], values_int64s = [1]> (k)
        n = Cast <to = 8> (m)
        l = ai.onnx.ml.LabelEncoder <keys_strings = ["a"], values_floats = [1.0]> (n)
    }"""


def test_operators_that_are_held_back_are_inferred_too():
    proto = parser.parse_model(FRAGILE_MODEL)
    inferred = infer_shapes(proto)
    assert [node.SerializeToString() for node in inferred.graph.node] == [
        node.SerializeToString() for node in proto.graph.node
    ]
    assert inferred.opset_import == proto.opset_import
    types = {info.name: info.type.tensor_type.elem_type for info in inferred.graph.output}
    assert types == {"e": TensorProto.INT64, "l": TensorProto.FLOAT}
    sizes = [[d.dim_value for d in info.type.tensor_type.shape.dim] for info in inferred.graph.output]
    assert sizes == [[3, 5], [3, 5]]


@pytest.mark.parametrize("line", ["m = ai.onnx.ml.LabelEncoder (m)", "m = ai.onnx.ml.LabelEncoder (n)"])
def test_values_that_nothing_tells_of_do_not_crash_it(line):
    """One that is computed of itself, and one that is computed before what it takes."""
    text = FRAGILE_MODEL.replace("k = Cast <to = 8> (e)", "")
    start = text.index("m = ai.onnx.ml.LabelEncoder")
    text = text[:start] + line + text[text.index("\n", start) :]
    results = run_jobs(
        [Job(0, "")], lambda job: str(len(infer_shapes(parser.parse_model(text)).graph.node)), 1, 60
    )
    assert [result for _, result in results] == ["5"]
