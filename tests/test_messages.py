"""Messages of ONNX that are written without onnx are byte for byte those that protobuf itself writes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from onnx import (
    AttributeProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    checker,
    defs,
    helper,
    numpy_helper,
)

from hybridonnx.converters import messages
from hybridonnx.converters.elements import CODES, dtype_of
from hybridonnx.converters.messages import AttributeKind
from hybridonnx.converters.opsets import OLDEST, STORED, description, ir_version, newest, signature
from hybridonnx.converters.opsets import _stored as stored
from hybridonnx.converters.opsets import _stored_description as stored_description
from hybridonnx.converters.to_onnx import Lowered, lower_operator
from hybridonnx.converters.wire import number, single, varint
from hybridonnx.dtypes import ONNX_NAMES
from hybridonnx.errors import MXNetError
from hybridonnx.ops import Spec
from hybridonnx.test_utils import Case
from tests.special_values import cases

THEIR_NAMES = {ours: theirs for theirs, ours in ONNX_NAMES.items()}

# ---- what stands in tables


def test_element_types_have_onnxs_numbers():
    known = {name.lower(): code for name, code in TensorProto.DataType.items()}
    assert {name: code for name, code in CODES.items() if name in known} == known


def test_attribute_types_have_onnxs_numbers():
    assert {kind.name: kind.value for kind in AttributeKind} == dict(AttributeProto.AttributeType.items())


@pytest.mark.parametrize("opset", range(OLDEST, newest() + 1))
def test_files_have_the_version_that_onnx_finds(opset):
    assert ir_version(opset) == helper.find_min_ir_version_for([helper.make_opsetid("", opset)])


def names() -> list[str]:
    return sorted({schema.name for schema in defs.get_all_schemas_with_history() if not schema.domain})


@pytest.mark.parametrize("opset", range(OLDEST, STORED + 1))
def test_stored_operators_are_those_of_the_installed_onnx(opset):
    for name in names():
        try:
            want = description(defs.get_schema(name, opset))
        except defs.SchemaError:
            want = None
        assert stored_description(name, opset) == want, name


def test_nothing_else_is_stored():
    assert stored().keys() <= set(names())


@pytest.mark.parametrize("opset", [OLDEST, STORED])
def test_signatures_are_those_of_schemas(opset):
    """Of what `description` leaves to signatures, the types of parameters, against the schema itself."""
    for name in sorted(stored()):
        if stored_description(name, opset) is None:
            continue
        kind, schema = signature(name, opset), defs.get_schema(name, opset)
        assert (kind.since, kind.schema.doc) == (schema.since_version, schema.doc)
        allowed = {c.type_param_str: set(c.allowed_type_strs) for c in schema.type_constraints}
        for ours, theirs in zip(kind.inputs, schema.inputs, strict=True):
            texts = allowed.get(theirs.type_str, {theirs.type_str})
            tensors = {f"tensor({THEIR_NAMES.get(name, name)})" for name in kind.elements(ours)}
            assert tensors == {text for text in texts if text.startswith("tensor(")}, f"{name} {ours.name}"
            assert ours.optional == (theirs.option == defs.OpSchema.FormalParameterOption.Optional)
            assert ours.variadic == (theirs.option == defs.OpSchema.FormalParameterOption.Variadic)
        assert {n: k.value for n, k in kind.attributes.items()} == {
            n: a.type.value for n, a in schema.attributes.items()
        }


# ---- protobuf's numbers


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 2**31, 2**63 - 1, -1, -128, -(2**63)])
def test_integers_are_protobufs(value):
    assert number(3, value) == AttributeProto(i=value).SerializeToString()


def test_varints_of_natural_numbers_go_on():
    assert varint(2**32 - 1) == b"\xff\xff\xff\xff\x0f"


@pytest.mark.parametrize(
    "value", [0.0, -0.0, 1.5, 0.1, 1e-45, 3.4028234663852886e38, 3.4028235677973366e38, 1e39, -1e300]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_single_numbers_are_protobufs(value, sign):
    assert single(2, sign * value) == AttributeProto(f=sign * value).SerializeToString()


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_numbers_without_an_end_are_protobufs(value):
    assert single(2, value) == AttributeProto(f=value).SerializeToString()


# ---- messages


@pytest.mark.parametrize("code", [code for code in CODES.values() if code])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3)])
def test_tensors_are_onnxs(code, shape):
    if code not in TensorProto.DataType.values():
        pytest.skip("the installed onnx does not know the element type")
    count = int(np.prod(shape))
    items = [i % 2 for i in range(count)]
    text = code == TensorProto.STRING
    array = np.array([*map(str, items)] if text else items).reshape(shape).astype(dtype_of(code))
    data = messages.tensor("x", array, "note")
    proto = TensorProto.FromString(data)
    assert (proto.name, proto.doc_string, proto.data_type, tuple(proto.dims)) == ("x", "note", code, shape)
    checker.check_tensor(proto)
    assert proto.SerializeToString() == data
    back = numpy_helper.to_array(proto)
    assert back.shape == shape
    assert [int(item) if text else int(item.real) for item in back.flat] == items


def test_tensors_outside_are_onnxs():
    want = TensorProto(name="w", data_type=1, dims=(2, 0, 300), data_location=TensorProto.EXTERNAL)
    want.external_data.add(key="location", value="parameters")
    assert messages.outside_tensor("w", np.float32, (2, 0, 300), "parameters") == want.SerializeToString()
    want.doc_string = "constant"
    data = messages.outside_tensor("w", np.float32, (2, 0, 300), "parameters", "constant")
    assert data == want.SerializeToString()


@pytest.mark.parametrize("shape", [None, (), (1,), (0, 5), (None, "batch", 2**40)])
def test_types_are_onnxs(shape):
    want = helper.make_tensor_value_info("x", TensorProto.INT64, shape)
    assert messages.value_info("x", np.int64, shape) == want.SerializeToString()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("seq(tensor(float))", helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, None))),
        ("optional(tensor(int64))", helper.make_optional_type_proto(helper.make_tensor_type_proto(7, None))),
        ("map(int64, float)", helper.make_map_type_proto(7, helper.make_tensor_type_proto(1, None))),
        (
            "seq(map(string, int64))",
            helper.make_sequence_type_proto(
                helper.make_map_type_proto(8, helper.make_tensor_type_proto(7, None))
            ),
        ),
    ],
)
def test_types_of_containers_are_onnxs(text: str, want: TypeProto):
    from hybridonnx.dtypes import container

    assert messages.type_of(container(text)) == want.SerializeToString()


@pytest.mark.parametrize(
    "value",
    [3, -1, 1.5, "text", "ä", (1, 2, 3), (0.5, -2.0), ("a", "b"), np.arange(6.0).reshape(2, 3)],
    ids=str,
)
def test_attributes_are_onnxs(value):
    kind = messages.kind_of(value)
    tensor = isinstance(value, np.ndarray)
    want = helper.make_attribute("name", numpy_helper.from_array(value, "") if tensor else value)
    got = AttributeProto.FromString(messages.attribute("name", kind, value))
    if tensor:  # onnx leaves the empty name out
        assert got.t.raw_data == want.t.raw_data
        assert list(got.t.dims) == [2, 3]
        return
    assert got == want
    assert got.SerializeToString() == messages.attribute("name", kind, value)


def test_nodes_are_onnxs():
    alpha = messages.attribute("alpha", AttributeKind.FLOAT, 0.5)
    want = helper.make_node(
        "LeakyRelu", ["x", ""], ["y"], name="node", doc_string="note", domain="a.b", alpha=0.5
    )
    data = messages.node("LeakyRelu", "a.b", ["x", ""], ["y"], "node", [alpha], "note")
    assert NodeProto.FromString(data) == want
    assert want.SerializeToString() == data


def test_models_are_onnxs():
    x, y = (messages.value_info(name, np.float32, (2, "n")) for name in "xy")
    node = messages.node("Add", "", ["x", "w"], ["y"])
    weight = messages.tensor("w", np.ones(300, np.float32))
    graph = messages.graph([node], "graph", [weight], [x], [y])
    data = messages.model(graph, 8, "me", "1.0", {"": 18, "com.microsoft": 1})
    want = ModelProto.FromString(data)
    checker.check_model(want)
    assert want.SerializeToString() == data
    assert [ValueInfoProto.FromString(x), ValueInfoProto.FromString(y)] == [
        *want.graph.input,
        *want.graph.output,
    ]
    assert {item.domain: item.version for item in want.opset_import} == {"": 18, "com.microsoft": 1}
    assert (want.ir_version, want.producer_name, want.producer_version) == (8, "me", "1.0")


# ---- lowered graphs


@cache
def lowered() -> dict[str, Lowered]:
    """A case of each operator, those of graphs in nodes among them."""
    table: dict[str, Lowered] = {}
    for _, case in cases():
        if case.op not in table:
            try:
                table[case.op] = of_case(case)
            except MXNetError:
                continue
    return table


def of_case(case: Case) -> Lowered:
    return lower_operator(case.operator(), [Spec(x.shape, x.dtype) for x in case.arrays("float32")])


def test_lowered_operators_are_as_protobuf_writes_them():
    for name, result in lowered().items():
        assert result.model.SerializeToString() == result.message, name
    assert len(lowered()) > 250


def test_lowered_operators_tell_their_nodes_and_inputs():
    for name, result in lowered().items():
        graph = result.model.graph
        assert {node.op_type for node in graph.node} <= {*result.op_types}, name
        shapes = [[d.dim_value for d in info.type.tensor_type.shape.dim] for info in graph.input]
        assert shapes == [[size or 0 for size in shape or ()] for shape in result.input_shapes], name
