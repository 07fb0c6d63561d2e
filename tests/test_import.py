"""Import of ONNX models: files from anyone are read safely, imports compute the same numbers."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from hybridonnx import nd
from hybridonnx import symbol as sym
from hybridonnx.converters import from_onnx, to_onnx
from hybridonnx.converters.from_onnx import _folding
from hybridonnx.converters.from_onnx._registry import Const, Hint, Import, imports, load_all
from hybridonnx.errors import ConversionError, FormatError, MXNetError
from hybridonnx.parity.difference import difference
from hybridonnx.parity.report import Parity
from hybridonnx.parity.results import Layer
from hybridonnx.parity.verify import verify
from hybridonnx.symbol.execute import execute

F32, I64 = TensorProto.FLOAT, TensorProto.INT64


def model(
    nodes, inputs=(("x", F32, ("N", 3, 8, 8)),), outputs=("y",), weights=None, opset=18, **kwargs
) -> Any:
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info(*spec) for spec in inputs],
        [helper.make_tensor_value_info(name, F32, None) for name in outputs],
        [onnx.numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    imported = [helper.make_opsetid("", opset), *kwargs.pop("domains", [])]
    return helper.make_model(graph, opset_imports=imported, ir_version=8, **kwargs)


def node(op_type, inputs, outputs, **attributes):
    return helper.make_node(op_type, inputs.split(), outputs.split(), **attributes)


def convolution(rng) -> Any:
    weights = {"w": rng.standard_normal((4, 3, 3, 3)).astype("float32"), "b": np.ones(4, "float32")}
    return model(
        [
            node("Conv", "x w b", "c", name="first", pads=[1, 1, 1, 1]),
            node("Relu", "c", "y", name="second"),
        ],
        weights=weights,
    )


def check(proto, tol=1e-5, **shapes) -> Any:
    """Import, and compare with plain ONNX Runtime."""
    imported = from_onnx.import_model(proto)
    report = verify(proto, imported, shapes=shapes or {"x": (2, 3, 8, 8)})
    assert report.ok(tol), report
    return imported


# ---- what comes of a model


def test_names_stay(rng):
    symbol, arguments, states = check(convolution(rng))
    assert symbol.list_inputs() == ["x", "w", "b"]
    assert symbol.list_outputs() == ["second_output"]
    assert [n.name for n in symbol.nodes() if not n.is_variable] == ["first", "second"]
    assert set(arguments) == {"w", "b"}
    assert states == {}


def test_there_and_back(rng, tmp_path):
    data = sym.var("data")
    y = sym.Convolution(data, kernel=(3, 3), num_filter=4, name="conv0", no_bias=True)
    y = sym.BatchNorm(y, name="bn0", fix_gamma=False)
    y = sym.Activation(y, act_type="relu", name="relu0")
    y = sym.FullyConnected(y, num_hidden=5, name="fc0")
    shapes, _, aux = y.infer_shape(data=(2, 3, 8, 8))
    names = [*y.list_arguments(), *y.list_auxiliary_states()]
    values = {
        name: rng.uniform(0.5, 1, shape).astype("float32")
        for name, shape in zip(names, [*shapes, *aux], strict=True)
        if name != "data"
    }
    path = to_onnx.export_model(y, values, [("N", 3, 8, 8)], onnx_file_path=tmp_path / "model.onnx")
    symbol, arguments, states = from_onnx.import_model(path)
    assert symbol.list_outputs() == ["fc0_output"]
    assert set(states) == {"bn0_moving_mean", "bn0_moving_var"}
    assert set(arguments) | set(states) == set(values)
    assert verify((y, values), (symbol, arguments, states), shapes={"data": (2, 3, 8, 8)}).ok(1e-5)


def test_metadata(rng):
    metadata = from_onnx.get_model_metadata(convolution(rng))
    assert metadata == {"input_tensor_data": [("x", (0, 3, 8, 8))], "output_tensor_data": [("y", ())]}


def test_outputs_that_are_inputs_or_constants(rng):
    proto = model(
        [node("Relu", "x", "y")],
        outputs=("y", "x", "w", "y"),
        inputs=[("x", F32, (2, 3))],
        weights={"w": np.arange(3, dtype="float32")},
    )
    del proto.graph.output[3]
    symbol, arguments, _ = check(proto, x=(2, 3))
    assert symbol.list_outputs() == ["y_output", "x", "w"]
    assert set(arguments) == {"w"}


def test_initializers_may_be_inputs_too(rng):
    proto = convolution(rng)
    proto.graph.input.append(helper.make_tensor_value_info("w", F32, (4, 3, 3, 3)))
    _, arguments, _ = from_onnx.import_model(proto)
    assert set(arguments) == {"w", "b"}
    assert len(from_onnx.get_model_metadata(proto)["input_tensor_data"]) == 1


def test_scalars_of_onnx(rng):
    proto = model(
        [node("Add", "x s", "a"), node("Mul", "a t", "y")],
        inputs=[("x", F32, (2, 3))],
        weights={"s": np.array(2, "float32"), "t": np.array([3], "float32")},
    )
    check(proto, x=(2, 3))


# ---- constants


def test_constant_subgraphs_become_attributes(rng):
    nodes = [
        node("Shape", "w", "s"),
        node("Gather", "s zero", "n", axis=0),
        node("Unsqueeze", "n axes", "u"),
        node("Concat", "u rest", "shape", axis=0),
        node("Expand", "x shape", "e"),
        node("Relu", "e", "y"),
    ]
    weights = {
        "w": np.zeros((4, 5), "float32"),
        "zero": np.array(0),
        "axes": np.array([0]),
        "rest": np.array([3]),
    }
    symbol, arguments, _ = check(model(nodes, [("x", F32, (1, 3))], weights=weights), x=(1, 3))
    assert not arguments
    assert all(n.op_name != "shape_array" for n in symbol.nodes())


def test_static_shapes_are_constants(rng):
    nodes = [node("Shape", "x", "s"), node("Cast", "s", "f", to=F32), node("Add", "x f", "y")]
    check(model(nodes, [("x", F32, (4, 2))]), x=(4, 2))


def test_a_branch_that_is_always_taken(rng):
    def branch(name, op_type):
        inner = node(op_type, "x", name)
        return helper.make_graph([inner], name, [], [helper.make_tensor_value_info(name, F32, None)])

    nodes = [
        node("If", "c", "z", then_branch=branch("a", "Relu"), else_branch=branch("b", "Exp")),
        node("Neg", "z", "y"),
    ]
    for condition in (True, False):
        symbol, _, _ = check(model(nodes, [("x", F32, (2, 3))], weights={"c": np.array(condition)}), x=(2, 3))
        assert ("relu" in str([n.op_name.lower() for n in symbol.nodes()])) == condition


def test_what_onnx_defines_by_simpler_operators(rng):
    nodes = [node("Celu", "x", "c", alpha=1.5), node("ThresholdedRelu", "c", "y", alpha=0.25)]
    check(model(nodes, [("x", F32, (2, 3))]), x=(2, 3))


def test_functions_of_the_model(rng):
    body = [node("Exp", "a", "b"), node("Neg", "b", "c")]
    own = helper.make_function("own", "Twist", ["a"], ["c"], body, [helper.make_opsetid("", 18)])
    proto = model(
        [helper.make_node("Twist", ["x"], ["y"], domain="own")],
        [("x", F32, (2, 3))],
        domains=[helper.make_opsetid("own", 1)],
        functions=[own],
    )
    check(proto, x=(2, 3))


def test_a_small_file_does_not_fill_the_memory():
    nodes = [node("ConstantOfShape", "s", "c"), node("Add", "x c", "y")]
    proto = model(nodes, [("x", F32, (1,))], weights={"s": np.array([1 << 40])})
    symbol, params, _ = from_onnx.import_model(proto)
    assert sum(array.size for array in params.values()) < 10
    assert symbol.infer_shape(x=(1,))[1] == [(1 << 40,)]


def test_evaluation_by_onnx_itself():
    constants = {"a": np.array([1]), "b": np.array([2])}
    values = _folding.evaluate(node("Concat", "a b", "c", axis=0), 18, constants)
    assert values is not None
    assert values[0].tolist() == [1, 2]


# ---- what is refused


def test_all_that_is_missing_is_reported_at_once():
    nodes = [
        helper.make_node("Plain", ["x"], ["a"], domain="com.example", name="odd"),
        helper.make_node("Fancy", ["a"], ["b"], domain="com.example", name="foreign"),
        helper.make_node("Fancy", ["b"], ["y"], domain="com.example", name="again"),
        helper.make_node("Plain", ["x"], ["unused"], domain="com.example", name="unused"),
    ]
    proto = model(nodes, domains=[helper.make_opsetid("com.example", 3)])
    with pytest.raises(ConversionError) as caught:
        from_onnx.import_model(proto)
    text = str(caught.value)
    assert "com.example.Plain: 1 x (odd)" in text
    assert "com.example.Fancy: 2 x (foreign, again)" in text
    assert "unused" not in text


def test_a_version_that_nobody_has_read_stays_what_it_is(monkeypatch):
    monkeypatch.setitem(load_all(), ("", "Conv"), {1: load_all()["", "Conv"][11]})
    symbol, _, _ = from_onnx.import_model(convolution(np.random.default_rng(0)))
    assert "_onnx_Conv" in [n.op_name for n in symbol.nodes()]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            node("Relu", "x", "y", slope=1.0),
            "Relu: attribute slope is not supported|Unrecognized attribute",
        ),
        (node("Conv", "x", "y"), "Conv: inputs x, w are required, got x|ONNX says"),
        (node("Relu", "x x", "y"), "got 2 inputs|ONNX says"),
        (node("Relu", "nothing", "y"), "gives 'nothing' is required, got none"),
    ],
)
def test_nodes_that_do_not_fit(broken, message):
    with pytest.raises((ConversionError, FormatError), match=message):
        from_onnx.import_model(model([broken]))


def test_errors_name_the_node():
    nodes = [node("Gemm", "x w", "y", name="wide")]
    proto = model(nodes, [("x", F32, (1, 3)), ("w", F32, (3, 2))])
    symbol, _, _ = from_onnx.import_model(proto)
    with pytest.raises(MXNetError) as caught:
        execute(symbol, {"x": nd.ones((1, 3)), "w": nd.ones((4, 2))})
    assert str(caught.value).count("In node wide (") == 1


# ---- files


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "an empty file"),
        (b"PK\x03\x04abc", "a zip archive"),
        (b"\x89HDF\r\n\x1a\n123", "an HDF5 file"),
        (b'{"nodes": []}', "JSON"),
        (b"<html>", "a web page"),
        (struct.pack("<QQ", 0x112, 0), "an array list of MXNet"),
        (b"version https://git-lfs.github.com/spec/v1", "a Git LFS pointer"),
        (b"plain text, quite long enough", "bytes of something else"),
    ],
)
def test_foreign_files(tmp_path, data, message):
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message) as caught:
        from_onnx.import_model(path)
    assert str(path) in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(FormatError, match="got nothing"):
        from_onnx.import_model(tmp_path / "none.onnx")
    with pytest.raises(FormatError, match="got a folder"):
        from_onnx.import_model(tmp_path)


def test_every_truncation_is_noticed(rng):
    data = convolution(rng).SerializeToString()
    for end in [*range(60), *range(60, len(data), 37), len(data) - 1]:
        with pytest.raises((FormatError, ConversionError)):
            from_onnx.import_model(data[:end])


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=8))
def test_damage_gives_errors_of_the_framework(changes):
    data = bytearray(convolution(np.random.default_rng(0)).SerializeToString())
    for offset, value in changes:
        data[offset % len(data)] = value
    with suppress(MXNetError):
        from_onnx.import_model(bytes(data))


def test_tensors_of_the_wrong_length(rng):
    proto = convolution(rng)
    proto.graph.initializer[0].raw_data = proto.graph.initializer[0].raw_data[:-4]
    with pytest.raises(FormatError, match="432 bytes are required for tensor w, got 428"):
        from_onnx.import_model(proto)
    proto.graph.initializer[0].dims[0] = 1 << 50
    with pytest.raises(FormatError, match="bytes are required for tensor w"):
        from_onnx.import_model(proto)


def test_types_that_numpy_lacks(rng):
    proto = convolution(rng)
    proto.graph.initializer[0].data_type = 1000
    with pytest.raises(ConversionError, match="1000 is not supported"):
        from_onnx.import_model(proto)


def beside(proto, tmp_path, location="weights.bin"):
    path = tmp_path / "folder" / "model.onnx"
    path.parent.mkdir()
    written = onnx.ModelProto.FromString(proto.SerializeToString())
    onnx.save_model(
        written,
        path,
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
        convert_attribute=False,
    )
    saved = onnx.load(path, load_external_data=False)
    for tensor in saved.graph.initializer:
        for item in tensor.external_data:
            if item.key == "location":
                item.value = location
    onnx.save_model(saved, path)
    return path


def test_weights_beside_the_model(rng, tmp_path):
    proto = convolution(rng)
    path = beside(proto, tmp_path)
    imported = from_onnx.import_model(path)
    assert verify(proto, imported, shapes={"x": (2, 3, 8, 8)}).ok(1e-5)
    with pytest.raises(FormatError, match="Import by file name"):
        from_onnx.import_model(path.read_bytes())
    with open(path.parent / "weights.bin", "r+b") as file:
        file.truncate(100)
    with pytest.raises(FormatError, match="got 100"):
        from_onnx.import_model(path)


@pytest.mark.parametrize("location", ["../secret.bin", "/etc/hostname", "", "link.bin"])
def test_weights_outside_the_folder_are_not_read(rng, tmp_path, location):
    (tmp_path / "secret.bin").write_bytes(b"0" * 4096)
    path = beside(convolution(rng), tmp_path, location)
    (path.parent / "link.bin").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(FormatError, match="inside the model's folder"):
        from_onnx.import_model(path)


@pytest.mark.parametrize("linked", [True, False])
def test_a_file_that_is_a_link_has_its_weights_where_it_lies(rng, tmp_path, linked):
    """Caches of downloads have links to files that are named by their contents, in another folder."""
    proto = convolution(rng)
    path = beside(proto, tmp_path, "model.onnx_data")
    (tmp_path / "cache").mkdir()
    (path.parent / "weights.bin").rename(path.parent / "blob")
    link = tmp_path / "cache" / "model.onnx"
    if linked:
        link.symlink_to(path)
    else:
        path.rename(link)
    (tmp_path / "cache" / "model.onnx_data").symlink_to(path.parent / "blob")
    if linked:
        assert verify(proto, from_onnx.import_model(link), shapes={"x": (2, 3, 8, 8)}).ok(1e-5)
    else:
        with pytest.raises(FormatError, match="inside the model's folder"):
            from_onnx.import_model(link)


def test_an_opset_of_the_future(rng):
    proto = convolution(rng)
    proto.opset_import[0].version = 1000
    with pytest.raises(ConversionError, match="got 1000"):
        from_onnx.import_model(proto)


# ---- the table


def test_signatures_are_the_schema():
    def function(F, x, shape: Const, like: Hint = None, *more, alpha, beta=1.0, opset):
        """All kinds of parameters."""

    entry = Import(function, "Some", (1,), "")
    assert entry.inputs == ("x", "shape", "like")
    assert entry.required == 2
    assert entry.variadic
    assert entry.constants == {"shape"}
    assert entry.hints == {"like"}
    assert entry.attributes == {"alpha": True, "beta": False}
    assert entry.facts == {"opset"}


def test_two_imports_of_one_version():
    with pytest.raises(ValueError, match="two imports"):

        @imports("Relu", versions=(14,))
        def another(F, x):
            return x


def test_imports_know_onnx_attributes_and_versions():
    """Every import is of an operator and versions that there are, and takes the attributes of each."""
    known: dict[Any, Any] = {
        (s.domain, s.name, s.since_version): s for s in onnx.defs.get_all_schemas_with_history()
    }
    wrong = []
    for (domain, op_type), versions in load_all().items():
        for version, entry in versions.items():
            schema = known.get((domain, op_type, version))
            if version > onnx.defs.onnx_opset_version():  # of an onnx that is newer than the installed one
                continue
            if schema is None:
                wrong.append(f"{op_type} has no version {version}")
                continue
            missing = set(schema.attributes) - set(entry.attributes) - {"consumed_inputs"}  # a hint
            required = {name for name, needed in entry.attributes.items() if needed}
            optional = {
                name
                for name in required
                if name in schema.attributes and not schema.attributes[name].required
            }
            absent = required - set(schema.attributes)
            if missing or optional or absent:
                wrong.append(f"{op_type} {version}: lacks {missing}, wrongly requires {optional | absent}")
            if len(schema.inputs) > len(entry.inputs) and not entry.variadic:
                wrong.append(f"{op_type} {version}: lacks inputs")
    assert not wrong, "\n".join(wrong)


# ---- parity


def test_differences_are_told():
    a = np.array([1.0, 2.0, 4.0])
    error = difference("y", a, a + 0.1)
    assert error.absolute == pytest.approx(0.1)
    assert error.relative == pytest.approx(0.025)
    assert not difference("y", a, a[:2]).ok(1e9)
    assert not difference("y", a, np.array([1.0, np.nan, 4.0])).ok(1e9)
    assert difference("y", np.array([np.inf]), np.array([np.inf])).ok(0)
    report = Parity((error,), (Layer(difference("layer", a, a), None), Layer(error, None)))
    assert not report.ok(1e-3)
    assert report.ok(0.1)
    assert report.first_divergence() is error
    assert "first divergence: y" in str(report)


def test_layers_are_compared_by_name(rng, tmp_path):
    x = sym.var("x")
    symbol = sym.relu(sym.exp(x, name="e"), name="r")
    path = to_onnx.export_model(symbol, {}, [(2, 3)], onnx_file_path=tmp_path / "model.onnx")
    report = verify((symbol, {}), path, layers=True)
    assert [layer.name for layer in report.layers] == ["e_output", "r_output"]
    assert report.ok()
    assert verify((symbol, {}), shapes={"x": (2, 3)}).ok()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "an ONNX model, a session of one, or a tuple"),
        (("nothing.onnx",), "nothing.onnx does not exist"),
    ],
)
def test_verify_refuses(arguments, message):
    with pytest.raises(ConversionError, match=message):
        verify(*arguments)
