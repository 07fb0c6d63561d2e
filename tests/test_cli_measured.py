"""The commands diff, profile and bench: what they print, and their exit codes."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.cli import main

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


def test_diff_names_what_is_called_differently(folder, capsys):
    path = str(folder / "renamed.params")
    nd.save(path, {"w": nd.ones((3, 4)), "b": nd.zeros((3,))})
    assert main(["diff", path, str(folder / "net-0001.params"), "--names"]) == 0
    assert "  weight: w → fc_weight\n" in capsys.readouterr().out


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
