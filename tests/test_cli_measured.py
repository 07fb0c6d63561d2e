"""The commands diff, profile and bench: what they print, and their exit codes."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.cli import _command, main

ONCE = ("--runs", "1", "--warmup", "0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A dense layer in MXNet's files and in ONNX's, and the same with another bias."""
    path = tmp_path_factory.mktemp("models")
    graph = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    for name, bias in (("net", 0), ("other", 1)):
        params = {"fc_weight": nd.ones((3, 4)), "fc_bias": nd.full((3,), bias)}
        graph.save(str(path / f"{name}-symbol.json"))
        nd.save(str(path / f"{name}-0001.params"), {f"arg:{key}": value for key, value in params.items()})
        mx.onnx.export_model(graph, params, [("batch", 4)], onnx_file_path=str(path / f"{name}.onnx"))
    np.savez(path / "inputs.npz", data=np.ones((5, 4), np.float32))
    (path / "bad.npz").write_bytes(b"nothing")
    return path


def answer(capsys, *words):
    """The exit code of a command, and its JSON."""
    code = main([*map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_diff(folder, capsys):
    assert main(["diff", str(folder / "net.onnx"), str(folder / "net")]) == 0
    assert "are equal" in capsys.readouterr().out
    assert main(["diff", str(folder / "net.onnx"), str(folder / "other.onnx")]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{folder}/net.onnx and {folder}/other.onnx differ")
    assert "3 of 3 elements" in printed.out
    assert printed.err == ""
    code, data = answer(capsys, "diff", folder / "net-symbol.json", folder / "other-0001.params")
    assert (code, data["equal"], [row["second"] for row in data["weights"]]) == (1, False, ["fc_bias"])
    assert main(["diff", str(folder / "net.onnx"), str(folder / "none.onnx")]) == 3
    assert "a model's file is required" in capsys.readouterr().err
    assert main(["diff", str(folder / "net.onnx")]) == 2


def test_diff_of_a_graph_that_has_a_name_twice(tmp_path, capsys):
    """As graphs of tutorials have: two variables of one name, of which neither is missing in a copy."""
    scale = [sym.var("gamma") for _ in range(2)]
    (sym.var("data") * scale[0] + scale[1]).save(str(tmp_path / "net-symbol.json"))
    code, data = answer(capsys, "diff", tmp_path / "net-symbol.json", tmp_path / "net-symbol.json")
    assert (code, data["changes"], data["nodes"]) == (0, [], [])


def test_profile_takes_shapes_of_labels(tmp_path, capsys):
    graph = sym.SoftmaxOutput(sym.var("data") * sym.var("scale"), sym.var("label"), name="out")
    graph.save(str(tmp_path / "net-symbol.json"))
    nd.save(str(tmp_path / "net-0000.params"), {"arg:scale": nd.ones((2, 3))})
    words = ["profile", tmp_path / "net", "--shape", "data=2,3", "--shape", "label=2", *ONCE]
    code, data = answer(capsys, *words)
    assert (code, data["inputs"]) == (0, {"data": "float32 (2, 3)"})


def test_diff_names_what_is_called_differently(folder, capsys):
    path = str(folder / "renamed.params")
    nd.save(path, {"w": nd.ones((3, 4)), "b": nd.zeros((3,))})
    assert main(["diff", path, str(folder / "net-0001.params"), "--names"]) == 0
    assert "  weight: w → fc_weight\n" in capsys.readouterr().out


def in_two_precisions(folder):
    """Paths of a network with BatchNorm and a mask of integers, in float32 and in float16."""
    x = sym.Activation(
        sym.BatchNorm(convolution(sym.var("data"), "a"), name="bn"), act_type="relu", name="act"
    )
    y = sym.broadcast_mul(convolution(x, "b"), sym.Cast(sym.var("mask"), dtype="float32"), name="masked")
    graph = sym.Group([sym.Pooling(y, global_pool=True, pool_type="avg", kernel=(1, 1), name="pool"), x])
    shapes = {"data": (1, 3, 8, 8), "mask": (1, 1, 4, 4)}
    arguments, _, states = graph.infer_shape(**shapes)
    names = [*graph.list_arguments(), *graph.list_auxiliary_states()]
    rng = np.random.default_rng(0)
    params = {
        name: nd.array(rng.uniform(0.5, 1, shape))
        for name, shape in zip(names, [*arguments, *states], strict=True)
        if name not in shapes
    }
    paths = []
    for precision in ("float32", "float16"):
        paths.append(str(folder / f"{precision}.onnx"))
        types = {"data": "float32", "mask": "int32"}
        mx.onnx.export_model(graph, params, shapes, types, paths[-1], precision=precision)
    return paths


def convolution(data, name):
    return sym.Convolution(data, kernel=(3, 3), num_filter=4, name=name)


def test_diff_of_precisions_sets_casts_aside(tmp_path, capsys):
    """Nothing but casts and rounding is different, whatever nodes are called; and what is, is told."""
    one, other = in_two_precisions(tmp_path)
    nodes = len(onnx.load(one).graph.node)
    model = onnx.load(other)
    kept = {"", "data", "mask", *(item.name for item in [*model.graph.output, *model.graph.initializer])}
    for i, node in enumerate(model.graph.node):
        node.name = f"n{i}"
        for values in (node.input, node.output):
            values[:] = [name if name in kept else f"v_{name[::-1]}" for name in values]
    onnx.save(model, tmp_path / "renamed.onnx")
    for first, second, kind in (
        (one, other, "added"),
        (other, one, "removed"),
        (one, tmp_path / "renamed.onnx", "added"),
    ):
        code, data = answer(capsys, "diff", first, second)
        assert (code, data["changes"], data["equal_nodes"]) == (1, [], nodes)
        assert {(node["kind"], node["operator"]) for node in data["nodes"]} == {(kind, "Cast")}
        assert len(data["nodes"]) == len(model.graph.node) - nodes
        types = {
            (weight["first_type"].split()[0], weight["second_type"].split()[0]) for weight in data["weights"]
        }
        assert types == {("float32", "float16") if kind == "added" else ("float16", "float32")}
        assert {weight["kind"] for weight in data["weights"]} == {"changed"}
    next(node for node in model.graph.node if node.op_type == "Relu").op_type = "Tanh"
    onnx.save(model, tmp_path / "changed.onnx")
    _, data = answer(capsys, "diff", one, tmp_path / "changed.onnx")
    rest = [node for node in data["nodes"] if node["operator"] != "Cast"]
    assert data["equal_nodes"] >= nodes - 2
    assert {node["operator"] for node in rest} <= {"Relu", "Tanh", "Conv"}
    assert rest


def test_profile(folder, capsys):
    trace = folder / "trace.json"
    words = ["profile", str(folder / "net.onnx"), "--size", "batch=2", "--trace", str(trace), *ONCE]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "inputs: data float32 (2, 4)" in text
    assert [line.split()[0] for line in text.split("\n\n")[2].splitlines()] == ["layer", "fc"]
    assert json.loads(trace.read_bytes())
    code, data = answer(
        capsys, "profile", folder / "net", "--shape", "n,4", "--input", folder / "inputs.npz", *ONCE
    )
    assert (code, data["inputs"]) == (0, {"data": "float32 (5, 4)"})
    assert {row["name"] for row in data["layers"]} == {"fc"}


def test_layers_of_pytorchs_exporter(tmp_path, capsys):
    """Its nodes have names of operators, and the modules around them in their metadata."""
    files = Path(__file__).parent / "torch_models" / "files"
    with tarfile.open(files / "lenet.tar.xz") as archive:
        content = archive.extractfile("dynamo-free.onnx").read()
    model = onnx.load_model_from_string(content)
    modules = {}
    for i, node in enumerate(model.graph.node):
        modules[node.name] = f"{'features' if i < 6 else 'classifier'}.{i}"
        scopes = [
            "",
            modules[node.name].partition(".")[0],
            modules[node.name],
            node.name.removeprefix("node_"),
        ]
        node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=repr(scopes))
    model.graph.node[0].metadata_props[0].value = "[damaged"
    onnx.save(model, tmp_path / "net.onnx")
    size = ("--size", f"{model.graph.input[0].type.tensor_type.shape.dim[0].dim_param}=1")
    code, data = answer(capsys, "profile", tmp_path / "net.onnx", *size, *ONCE)
    assert code == 0
    layers = {node["name"]: node["layer"] for node in data["nodes"] if node["name"] in modules}
    first = model.graph.node[0].name
    assert layers == {name: modules[name].replace(".", "/") for name in layers} | {first: first}
    assert len(layers) > 5
    assert main(["profile", str(tmp_path / "net.onnx"), *size, *ONCE, "--depth", "1"]) == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.split("\n\n")[2].splitlines()[1:]]
    assert {first.partition("_")[0], "features", "classifier"} <= {*rows}
    assert not [row for row in rows if "/" in row]


def test_free_sizes_without_numbers(tmp_path, capsys):
    """Rows are one; all other sizes are asked for, in the words of the command line."""
    path = str(tmp_path / "net.onnx")
    mx.onnx.export_model(sym.var("data") * 2, {}, [("n", "h", None)], onnx_file_path=path)
    for command in ("profile", "bench"):
        assert main([command, path, "--size", "h=2"]) == 2
        assert (
            "numbers for the free sizes data_2 are required, as in --size data_2=16"
            in capsys.readouterr().err
        )
        assert main([command, path, "--size", "h=2", "--size", "data_2=3", "--threads", "1", *ONCE]) == 0
        assert main([command, path, "--shape", "n,2,3", "--threads", "1", *ONCE]) == 0


def test_bench_says_how_far_it_is(folder, monkeypatch, capsys):
    said = []
    monkeypatch.setattr(_command._Progress, "say", lambda self, text: said.append(text))
    models = [str(folder / "net.onnx"), str(folder / "other.onnx")]
    assert main(["bench", *models, "--threads", "1", "--batch", "2", "--runs", "2", "--rounds", "2"]) == 0
    first, second = models
    assert said[-6:] == [
        f"1 thread, 2 rows: warming up {first}",
        f"1 thread, 2 rows: warming up {second}",
        f"1 thread, 2 rows: round 1 of 2, {first}",
        f"1 thread, 2 rows: round 1 of 2, {second}",
        f"1 thread, 2 rows: round 2 of 2, {second}",
        f"1 thread, 2 rows: round 2 of 2, {first}",
    ]
    assert f"reading {first}" in said


def test_bench(folder, capsys):
    svg = folder / "times.svg"
    models = [folder / "net.onnx", folder / "other-symbol.json"]
    code, data = answer(
        capsys, "bench", *models, "--shape", "n,4", "--batch", "1,2", "--threads", "1", "--svg", svg, *ONCE
    )
    assert code == 0
    assert [(row["model"], row["batch_size"]) for row in data["timings"]] == [
        (str(model), rows) for rows in (1, 2) for model in models
    ]
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert main(["bench", str(folder / "net.onnx"), "--threads", "1", *ONCE]) == 0
    assert capsys.readouterr().out.startswith("model ")


def test_pages(folder, capsys):
    page = folder / "page.html"
    for words, title in [
        (["diff", f"{folder}/net.onnx", f"{folder}/other.onnx"], "Difference of two models"),
        (["profile", f"{folder}/net.onnx", *ONCE], "Where the time of a model goes"),
        (["bench", f"{folder}/net.onnx", "--threads", "1", *ONCE], "Times of models in ONNX Runtime"),
        (["verify", f"{folder}/net.onnx", f"{folder}/other.onnx"], "The models differ: "),
        (["verify", f"{folder}/net.onnx", f"{folder}/other.onnx", "--tolerance", "9"], "agree within the"),
    ]:
        assert main([*words, "--html", str(page)]) == (title[:3] in ("Dif", "The"))
        assert title in page.read_text(encoding="utf-8")
        page.unlink()
    assert main(["diff", f"{folder}/net.onnx", f"{folder}/other.onnx", "--html", f"{folder}/none/x"]) == 2
    assert f"a folder that is there is required, got {folder}/none." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["bench"], 2, "Missing argument 'MODELS...'"),
        (
            ["bench", "{}/net.onnx", "--threads", "two"],
            2,
            "numbers from 0 on with commas between them, as in 1,2,4,",
        ),
        (["bench", "{}/net.onnx", "{}/net.onnx", "--params", "x"], 2, "one model is required with --params"),
        (["bench", "{}/net.onnx", "--threads", "1", "--runs", "0"], 2, "0 is not in the range x>=1"),
        (["profile", "{}/net.onnx", "--input", "{}/bad.npz"], 3, "an .npz file of numbers is required"),
        (
            ["bench", "{}/net.onnx", "--input", "{}/none.npy"],
            3,
            "a file is required as input, got nothing at",
        ),
        (["profile", "{}/net.onnx", "--size", "n=2"], 2, "--size of the free sizes batch is required"),
        (["profile", "{}/net.onnx", "--depth", "0"], 2, "--depth"),
        (["profile", "{}/net-symbol.json"], 2, "the shapes of the inputs data are required"),
    ],
)
def test_errors_are_one_sentence(folder, capsys, words, code, message):
    assert main([word.format(folder) for word in words]) == code
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""
