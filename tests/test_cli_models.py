"""Commands on models: convert, verify, check and run, against NumPy and against files' own content."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from PIL import Image

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.cli import main
from hybridonnx.converters.from_onnx._registry import Import
from hybridonnx.converters.from_onnx._registry import load_all as importers
from hybridonnx.converters.to_onnx._registry import load_all as lowerings
from hybridonnx.errors import MXNetError
from hybridonnx.ops import find
from tests import checkpoints

MEAN, STD = (0.1, 0.2, 0.3), (0.5, 0.25, 0.125)


@pytest.fixture
def files(tmp_path, rng, monkeypatch):
    """A dense layer with softmax in MXNet's files, and its weights."""
    monkeypatch.chdir(tmp_path)
    layer = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    graph = sym.SoftmaxOutput(layer, sym.var("label"), name="out")
    weight = rng.standard_normal((3, 5)).astype(np.float32)
    bias = rng.standard_normal(3).astype(np.float32)
    graph.save("net-symbol.json")
    nd.save("net-0002.params", {"arg:fc_weight": nd.array(weight), "arg:fc_bias": nd.array(bias)})
    return weight, bias


def softmax(x, weight, bias):
    z = np.exp(x @ weight.T + bias)
    return z / z.sum(axis=1, keepdims=True)


def called(capsys, *words):
    """The exit code and what is printed as JSON."""
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_converts_both_ways_and_runs(files, rng, capsys):
    code, data = called(capsys, "convert", "net-symbol.json", "--shape", "data=n,5", "--verify")
    assert code == 0
    assert data["files"] == ["net.onnx"]
    assert data["verification"]["ok"]
    model = onnx.load("net.onnx")
    assert [item.name for item in model.graph.input] == ["data"]
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "n"
    code, data = called(capsys, "convert", "net.onnx", "-o", "back", "--verify")
    assert (code, data["files"]) == (0, ["back-symbol.json", "back-0000.params"])
    x = rng.standard_normal((4, 5))  # float64, which is cast
    np.save("x.npy", x)
    np.savez("x.npz", data=x.astype(np.float32))
    for source in ("net-symbol.json", "net", "net.onnx", "back-symbol.json"):
        for given in ("x.npy", "data=x.npy", "x.npz"):
            if source.startswith("net") and not source.endswith(("json", "onnx")):
                continue  # a prefix may be a script's name
            assert main(["run", source, "--input", given, "--output", "y.npz"]) == 0
            with np.load("y.npz") as results:
                (y,) = (results[name] for name in results.files)
            np.testing.assert_allclose(y, softmax(x, *files), rtol=1e-5)


def test_options_of_export(files, capsys):
    words = ["convert", "net-symbol.json", "--shape", "n,5", "--opset", "13", "-o", "13.onnx"]
    assert called(capsys, *words, "--external-data")[0] == 0
    model = onnx.load("13.onnx", load_external_data=False)
    assert model.opset_import[0].version == 13
    assert model.graph.initializer[0].data_location == onnx.TensorProto.EXTERNAL
    assert called(capsys, "convert", "13.onnx", "-o", "16.onnx", "--precision", "float16")[0] == 0
    halves = [t for t in onnx.load("16.onnx").graph.initializer if t.data_type == onnx.TensorProto.FLOAT16]
    assert len(halves) == 2
    _, data = called(capsys, "inspect", "13.onnx", "--size", "n=7")
    assert data["multiply_adds"] == {"Gemm": 7 * 5 * 3}
    assert data["opsets"] == {"": 13}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["net-symbol.json", "-o", "other"], "a name that ends with .onnx is required for MXNet's files"),
        (
            ["net.onnx", "-o", "net.onnx"],
            "another file than the model's is required as --output, got net.onnx",
        ),
        (
            ["net.onnx", "--opset", "13"],
            "--opset, --precision, --keep and --external-data are for ONNX files",
        ),
        (["net.onnx", "--precision", "half"], "is not one of 'float32', 'mixed', 'float16'"),
    ],
)
def test_conversions_that_cannot_be_meant(files, capsys, words, message):
    assert main(["convert", "net-symbol.json", "--shape", "n,5"]) == 0
    capsys.readouterr()
    assert main(["convert", *words]) == 2
    assert message in capsys.readouterr().err


def test_verify_tries_free_sizes(files, capsys):
    """Those that are asked for; a batch that is written into a Reshape is told."""
    assert main(["convert", "net-symbol.json", "--shape", "data=n,5"]) == 0
    capsys.readouterr()
    code, data = called(capsys, "verify", "net-symbol.json", "net.onnx", "--size", "n=1,4")
    assert code == 0
    assert [trial["sizes"] for trial in data["sizes"]] == [{"n": 1}, {"n": 4}]
    model = onnx.load("net.onnx")
    last = model.graph.node[-1]
    shape = onnx.numpy_helper.from_array(np.array([2, 3]), "baked")
    model.graph.initializer.append(shape)
    model.graph.node.append(
        onnx.helper.make_node("Reshape", ["before", "baked"], [last.output[0]], "reshape")
    )
    last.output[0] = "before"
    onnx.save(model, "baked.onnx")
    assert main(["verify", "net.onnx", "baked.onnx"]) == 1
    assert "fault at n=7: " in capsys.readouterr().out
    assert main(["verify", "net.onnx", "baked.onnx", "--size", "n=2"]) == 0
    assert main(["verify", "net.onnx", "net.onnx", "--size", "batch=2"]) == 2
    assert "--size of the free sizes n is required, got batch." in capsys.readouterr().err
    assert main(["verify", "net.onnx", "net.onnx", "--size", "n=many"]) == 2


def test_verify_on_labelled_files(files, rng, capsys):
    weight, bias = files
    assert main(["convert", "net-symbol.json", "--shape", "data=n,5"]) == 0
    x, labels = rng.standard_normal((40, 5)).astype(np.float32), rng.integers(0, 3, 40)
    np.savez("set.npz", data=x, label=labels)
    capsys.readouterr()
    code, data = called(
        capsys, "verify", "net-symbol.json", "net.onnx", "--inputs", "set.npz", "--metric", "top1"
    )
    assert code == 0
    expected = (softmax(x, weight, bias).argmax(1) == labels).mean()
    assert data["metric"]["first"] == data["metric"]["second"] == pytest.approx(expected)
    assert main(["verify", "net-symbol.json", "net.onnx", "--input", "set.npz", "--inputs", "set.npz"]) == 2


def test_verify_on_a_folder_of_images(tmp_path, rng, monkeypatch, capsys):
    """Pixels go from 0 to 1 unless a scale is asked for, and are normalized."""
    monkeypatch.chdir(tmp_path)
    model = sym.Pooling(sym.var("data"), global_pool=True, pool_type="avg", kernel=(1, 1))
    mx.onnx.export_model(model, {}, [("n", 3, 4, 4)], onnx_file_path="net.onnx")
    Path("images").mkdir()
    pixels = rng.integers(0, 255, (4, 6, 3)).astype(np.uint8)
    Image.fromarray(pixels).save("images/x.png")
    mean = (pixels[:, 1:5] / 255).mean((0, 1))
    for options, expected in (
        ((), mean),
        (("--mean", ".1,.2,.3", "--std", ".5"), (mean - MEAN) / 0.5),
        (("--scale", "1", "--mean", "100"), mean * 255 - 100),
    ):
        code, data = called(capsys, "verify", "net.onnx", "net.onnx", "--inputs", "images", *options)
        assert (code, data["samples"]) == (0, 1)
        index = data["outputs"][0]["index"][1]
        assert data["outputs"][0]["expected"] == pytest.approx(expected[index], rel=1e-5)
    assert main(["verify", "net.onnx", "net.onnx", "--inputs", "images", "--bgr"]) == 2


def test_a_conversion_is_proven_before_it_takes_its_place(files, capsys, monkeypatch):
    words = ["convert", "net-symbol.json", "--shape", "data=n,5", "--external-data", "--verify"]
    code, data = called(capsys, *words, "--size", "n=3")
    assert (code, data["files"], data["manifest"]) == (0, ["net.onnx"], "net.onnx.manifest.json")
    assert data["verification"]["sizes"] == [{"n": 3}]
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert len(before) == 5
    with monkeypatch.context() as patch:
        wrong = lowerings()[find("FullyConnected")]
        patch.setitem(
            lowerings(), find("FullyConnected"), lambda g, op, *values: wrong(g, op, *values) * 1.01
        )
        code, data = called(capsys, *words)
        assert (code, data["files"], data["verification"]["ok"]) == (1, [], False)
        assert main(words) == 1
        printed = capsys.readouterr().out
        assert "not written: net.onnx" in printed
        assert "first divergence: fc_output" in printed
        assert main([*words, "--tolerance", "0.1", "-o", "other.onnx"]) == 0
    assert {name: Path(name).read_bytes() for name in before} == before
    capsys.readouterr()
    assert called(capsys, "convert", "net.onnx", "-o", "again.onnx", "--verify")[1]["verification"]["ok"]
    assert main(["manifest", "again.onnx"]) == 0


def test_a_conversion_to_mxnets_files_is_proven_before_they_take_their_names(files, capsys, monkeypatch):
    assert main(["convert", "net-symbol.json", "--shape", "data=n,5"]) == 0
    words = ["convert", "net.onnx", "-o", "back", "--verify", "--size", "n=1,4"]
    gemm = importers()["", "Gemm"]
    capsys.readouterr()
    with monkeypatch.context() as patch:
        wrong = {
            version: Import(
                lambda F, a, b, c=None, *, alpha=1.0, beta=1.0, transA=0, transB=0: F.dot(
                    a, b, transpose_b=bool(transB)
                ),
                "Gemm",
                item.versions,
                "",
            )
            for version, item in gemm.items()
        }
        patch.setitem(importers(), ("", "Gemm"), wrong)
        code, data = called(capsys, *words)
        assert (code, data["files"], data["verification"]["ok"]) == (1, [], False)
        assert main(words) == 1
        assert "not written: back" in capsys.readouterr().out
    assert not list(Path().glob("back*"))
    code, data = called(capsys, *words)
    assert (code, data["files"]) == (0, ["back-symbol.json", "back-0000.params"])
    assert data["manifest"] == "back-symbol.json.manifest.json"
    assert data["verification"]["sizes"] == [{"n": 1}, {"n": 4}]
    assert main(["manifest", "back-symbol.json", "net.onnx"]) == 0
    Path("net.onnx").write_bytes(Path("net.onnx").read_bytes() + b" ")
    capsys.readouterr()
    code, data = called(capsys, "manifest", "back-symbol.json", "net.onnx")
    assert (code, data["changes"][0][:14]) == (1, "the ONNX file:")


def test_a_model_whose_weights_are_not_beside_it(files, capsys):
    """It is inspected all the same; what needs the weights names the file."""
    assert main(["convert", "net-symbol.json", "--shape", "n,5", "--external-data"]) == 0
    (data,) = Path().glob("net.onnx.*.data")
    model = onnx.load("net.onnx", load_external_data=False)
    shape = onnx.numpy_helper.from_array(np.array([-1, 5]), "shape")
    shape.ClearField("raw_data")
    shape.data_location = onnx.TensorProto.EXTERNAL
    shape.external_data.add(key="location", value="shapes.data")
    model.graph.initializer.append(shape)
    model.graph.node.insert(0, onnx.helper.make_node("Reshape", ["data", "shape"], ["rows"]))
    model.graph.node[1].input[0] = "rows"
    onnx.save(model, "net.onnx")
    data.unlink()
    capsys.readouterr()
    code, content = called(capsys, "inspect", "net.onnx")
    assert (code, content["missing"]) == (0, {data.name: 2, "shapes.data": 1})
    assert content["operators"] == {"Reshape": 1, "Gemm": 1, "Softmax": 1}
    assert [item["name"] for item in content["inputs"]] == ["data"]
    assert main(["inspect", "net.onnx"]) == 0
    assert f"missing: {data.name}, which has 2 of the arrays\n" in capsys.readouterr().out
    for command in ("convert", "check", "verify", "doctor", "bench", "profile", "run"):
        assert main([command, "net.onnx"]) == 3
        printed = capsys.readouterr().err
        assert data.name in printed or "shapes.data" in printed
        assert "hybridize()" not in printed


def test_an_epoch_that_is_not_there(files, capsys):
    Path("net-0012.params").write_bytes(Path("net-0002.params").read_bytes())
    there = "; there are net-0002.params, net-0012.params."
    for words in (["inspect", "net", "--params", "net-0009.params"], ["inspect", "net-0009.params"]):
        assert main(words) == 3
        assert capsys.readouterr().err.endswith(f"got nothing at net-0009.params{there}\n")
    with pytest.raises(FileNotFoundError, match=r"got 9, .* net-0009\.params; there are those of 2, 12\."):
        mx.model.load_checkpoint("net", 9)
    with pytest.raises(FileNotFoundError, match=r"none-symbol\.json"):
        mx.model.load_checkpoint("none", 9)


@pytest.mark.parametrize(
    ("operator", "inputs", "attributes"),
    [
        ("Gather", ["x", "x"], {"axis": 7}),
        ("Conv", ["x", "x"], {}),
        ("Reshape", ["x", "x"], {}),
        ("Scan", ["x"], {}),
    ],
)
def test_a_node_is_named_once(tmp_path, capsys, operator, inputs, attributes):
    node = onnx.helper.make_node(operator, inputs, ["y"], name="here", **attributes)
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in "xy"]
    onnx.save(
        onnx.helper.make_model(onnx.helper.make_graph([node], "g", infos[:1], infos[1:])), tmp_path / "x.onnx"
    )
    assert main(["convert", str(tmp_path / "x.onnx")]) == 3
    printed = capsys.readouterr().err
    assert printed.endswith(" In node here.\n")
    assert printed.count("here") == 1
    assert main(["check", str(tmp_path / "x.onnx")]) == 1


def test_sizes_of_a_proof_are_in_order(files, capsys):
    assert main(["convert", "net-symbol.json", "--shape", "n,5", "--verify", "--size", "n=10,9,2"]) == 0
    assert main(["manifest", "net.onnx"]) == 0
    assert capsys.readouterr().out.count("proven with n = 2; n = 9; n = 10: ") == 2


def test_manifest(files, capsys):
    assert main(["manifest", "net-symbol.json"]) == 3
    assert "net-symbol.json.manifest.json" in capsys.readouterr().err
    assert main(["convert", "net-symbol.json", "--shape", "n,5", "--verify"]) == 0
    capsys.readouterr()
    assert main(["manifest", "net.onnx", "net-symbol.json"]) == 0
    assert "all is as it was proven" in capsys.readouterr().out
    assert main(["manifest", "net.onnx", "net.onnx"]) == 3
    assert "a HybridBlock, or a Symbol with its parameters" in capsys.readouterr().err
    nd.save("net-0003.params", {name: array * 2 for name, array in nd.load("net-0002.params").items()})
    capsys.readouterr()
    code, data = called(capsys, "manifest", "net.onnx.manifest.json", "net-symbol.json")
    assert (code, data["ok"]) == (1, False)
    assert data["changes"][0].startswith("the parameters: SHA-256")
    Path("net.onnx").write_bytes(Path("net.onnx").read_bytes()[:-1])
    code, data = called(capsys, "manifest", "net.onnx")
    assert (code, data["changes"][0][:10]) == (1, "net.onnx: ")


def test_verify_tells_models_apart(files, capsys):
    assert main(["convert", "net-symbol.json", "--shape", "n,5"]) == 0
    assert main(["verify", "net-symbol.json", "net.onnx"]) == 0
    assert main(["verify", "net.onnx"]) == 0
    assert main(["verify", "net-symbol.json", "--shape", "2,5"]) == 0
    model = onnx.load("net.onnx")
    weight = next(t for t in model.graph.initializer if t.name == "fc_bias")
    weight.CopyFrom(onnx.numpy_helper.from_array(files[1] + np.float32([0, 0.01, 0]), "fc_bias"))
    onnx.save(model, "other.onnx")
    capsys.readouterr()
    code, data = called(capsys, "verify", "net.onnx", "other.onnx")
    assert (code, data["ok"]) == (1, False)
    assert main(["verify", "net.onnx", "other.onnx", "--tolerance", "0.1"]) == 0


def test_check(files, capsys):
    assert main(["check", "net-symbol.json"]) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert "the shapes of the inputs data are required, as in --shape data=batch,3,224,224" in message
    code, data = called(capsys, "check", "net-symbol.json", "--shape", "data=n,5")
    assert (code, data["ok"]) == (0, True)
    assert {node["operator"] for node in data["nodes"]} == {"FullyConnected", "SoftmaxOutput"}
    graph = sym.sample_gamma(sym.abs(sym.var("data")), sym.var("data"), name="gamma")
    graph.save("odd-symbol.json")
    code, data = called(capsys, "check", "odd-symbol.json", "--shape", "data=2,2")
    assert (code, data["ok"]) == (1, False)
    assert [node["name"] for node in data["nodes"] if node["problem"]] == ["gamma"]
    assert main(["convert", "odd-symbol.json", "--shape", "data=2,2"]) == 3
    node = onnx.helper.make_node("Scan", ["x"], ["y"], name="broken")
    info = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2])
    out = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2])
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [info], [out]))
    onnx.save(model, "broken.onnx")
    code, data = called(capsys, "check", "broken.onnx")
    assert (code, data["ok"]) == (1, False)
    assert "broken" in data["problem"]


@pytest.mark.parametrize("name", ["mtcnn-det1", "mtcnn-det2", "mxaction-lenet"])
def test_published_checkpoints_give_what_mxnet_gave(name, tmp_path, monkeypatch, capsys):
    """Run from MXNet's files, and from the ONNX file that they are converted to."""
    checkpoint = checkpoints.Checkpoint(checkpoints.FOLDER / name)
    declared = {item["name"]: item["shape"] for item in checkpoint.manifest["inputs"]}
    monkeypatch.chdir(tmp_path)
    np.savez("x.npz", data=checkpoint.inputs["data"])
    sizes = ",".join(map(str, declared["data"][1:]))
    target = str(tmp_path / "net.onnx")
    assert main(["convert", checkpoint.symbol, "--shape", f"data=n,{sizes}", "-o", target, "--verify"]) == 0
    for source in (checkpoint.symbol, target):
        assert main(["run", source, "--input", "x.npz", "-o", "y.npz"]) == 0
        with np.load("y.npz") as results:
            outputs = [results[key] for key in results.files]
        for ours, theirs in zip(outputs, checkpoint.outputs, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_a_params_file_stands_for_both(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(2, in_units=3))
    net.initialize()
    net(nd.ones((1, 3)))
    net.hybridize()
    net(nd.ones((1, 3)))
    net.export("net", epoch=3)
    net.save_parameters("net.params")
    net.save_parameters("alone.params")
    assert main(["convert", "net-0003.params", "--shape", "data=n,3"]) == 0
    np.testing.assert_allclose(
        next(iter(mx.onnx.run("net.onnx", np.ones((2, 3), np.float32)).values())),
        net(nd.ones((2, 3))).asnumpy(),
        rtol=1e-6,
    )
    assert main(["convert", "alone.params", "--shape", "data=n,3"]) == 3
    assert "got parameters alone" in capsys.readouterr().err
    assert main(["convert", "net.params", "--shape", "data=n,3"]) == 3
    assert "save_parameters" in capsys.readouterr().err
    assert main(["convert", "net", "--shape", "data=n,3", "-o", "nowhere/net.onnx"]) == 2
    assert "a folder that is there is required" in capsys.readouterr().err


def classifier(label):
    graph = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc"), label, name="out")
    return graph, {"fc_weight": nd.zeros((2, 3)), "fc_bias": nd.array([0, np.log(3)])}


def test_a_label_whose_shape_nothing_tells():
    x = np.ones((2, 3), np.float32)
    graph, params = classifier(sym.slice_axis(sym.var("label"), axis=0, begin=1, end=None))
    with pytest.raises(
        MXNetError, match="an array for label is required, whose shape the other inputs do not"
    ):
        mx.onnx.run(graph, x, params)
    (y,) = mx.onnx.run(graph, {"data": x, "label": np.zeros(3)}, params).values()
    np.testing.assert_allclose(y, [[0.25, 0.75]] * 2, rtol=1e-6)


def test_a_label_that_the_graph_reshapes(tmp_path):
    x = np.ones((2, 3), np.float32)
    graph, params = classifier(sym.Reshape(sym.var("label"), shape=(-1,)))
    (y,) = mx.onnx.run(graph, x, params).values()
    np.testing.assert_allclose(y, [[0.25, 0.75]] * 2, rtol=1e-6)


def test_a_language_model_of_a_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = sym.swapaxes(sym.Embedding(sym.var("data"), input_dim=9, output_dim=4, name="embed"), 0, 1)
    steps, _ = mx.rnn.FusedRNNCell(5, mode="lstm", prefix="lstm_").unroll(
        6, words, layout="TNC", merge_outputs=True
    )
    scores = sym.FullyConnected(
        sym.Reshape(sym.swapaxes(steps, 0, 1), shape=(-1, 5)), num_hidden=9, name="pred"
    )
    graph = sym.SoftmaxOutput(scores, sym.Reshape(sym.var("softmax_label"), shape=(-1,)), name="softmax")
    module = mx.mod.Module(graph)
    module.bind([("data", (3, 6))], [("softmax_label", (3, 6))])
    module.init_params(mx.init.Xavier())
    module.save_checkpoint("words", 2)
    assert main(["convert", "words", "--shape", "data=batch,6", "--verify"]) == 0
    assert main(["verify", "words", "words.onnx", "--layers"]) == 0
    assert main(["verify", "words.onnx", "words", "--layers"]) == 0
    x = np.arange(18.0).reshape(3, 6) % 9
    module.forward(mx.io.DataBatch([nd.array(x)], [nd.zeros((3, 6))]), is_train=False)
    (y,) = mx.onnx.run("words.onnx", x.astype("float32")).values()
    np.testing.assert_allclose(y, module.get_outputs()[0].asnumpy(), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_images(tmp_path, rng, monkeypatch, layout):
    image = pytest.importorskip("PIL.Image")
    monkeypatch.chdir(tmp_path)
    pixels = rng.integers(0, 256, (2, 4, 6, 3), np.uint8)
    for name, array in zip("ab", pixels, strict=True):
        image.fromarray(array).save(f"{name}.png")
    shape = ("n", 3, 4, 6) if layout == "NCHW" else ("n", 4, 6, 3)
    graph = sym.var("data") * 2
    mx.onnx.export_model(graph, {}, [shape], onnx_file_path="twice.onnx")
    words = ["run", "--input", "a.png", "twice.onnx", "--input", "b.png", "-o", "y.npz", "--scale", "255"]
    mean, std = (",".join(map(str, numbers)) for numbers in (MEAN, STD))
    assert main([*words, "--mean", mean, "--std", std]) == 0
    with np.load("y.npz") as results:
        (y,) = (results[name] for name in results.files)
    expected = 2 * (pixels / 255 - MEAN) / STD
    np.testing.assert_allclose(
        y, expected.transpose(0, 3, 1, 2) if layout == "NCHW" else expected, rtol=1e-4, atol=1e-5
    )
    assert main(["run", "twice.onnx", "--input", "a.png", "--bgr", "-o", "y.npz"]) == 0
    with np.load("y.npz") as results:
        (y,) = (results[name] for name in results.files)
    turned = np.float32(2) * pixels[:1, :, :, ::-1]
    np.testing.assert_array_equal(y, turned.transpose(0, 3, 1, 2) if layout == "NCHW" else turned)


def test_inputs_that_do_not_fit(files, capsys):
    assert main(["convert", "net-symbol.json", "--shape", "n,5"]) == 0
    np.save("x.npy", np.zeros((1, 4), np.float32))
    np.save("c.npy", np.zeros((1, 5), np.complex64))
    np.savez("x.npz", other=np.zeros(1))
    Path("text.npy").write_text("no array")
    for given, message in {
        "none.npy": "a file is required as input, got nothing at none.npy.",
        "text.npy": "text.npy: a .npy file of numbers, or an image, is required.",
        "x.npz": "an array for each of the inputs data is required, got other.",
        "c.npy": "float32 is required of input data, got complex64.",
        "x.npy": "ONNX Runtime could not run the graph",
    }.items():
        assert main(["run", "net.onnx", "--input", given]) == 3
        assert message in capsys.readouterr().err
    assert main(["run", "net.onnx"]) == 2
    assert "--input for each of the inputs data is required, or --shape, got none." in capsys.readouterr().err
