"""Exit codes of every command, as docs/command_line.md tells of them, and what it says of wrong arguments."""

from __future__ import annotations

import json
import os
import re
import sys
import types
from pathlib import Path

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.cli import _modules, _root, main
from hybridonnx.cli import run as run_module

FINE, NO, WRONG, FAILED = range(4)
SHAPE = ("--shape", "data=n,4")
ONCE = ("--runs", "1", "--warmup", "0")
NO_PARAMS = "no .params beside bare-symbol.json; --params names one."


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A dense layer in files of both kinds, one like it, a graph alone, and what nothing can be done with."""
    folder = tmp_path_factory.mktemp("models")
    here = Path.cwd()
    os.chdir(folder)
    try:
        graph = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
        for name, bias in (("net", 0), ("other", 0.1), ("odd", np.nan)):
            params = {"fc_weight": nd.ones((3, 4)), "fc_bias": nd.full((3,), bias)}
            graph.save(f"{name}-symbol.json")
            nd.save(f"{name}-0001.params", {f"arg:{key}": value for key, value in params.items()})
            if name != "odd":
                mx.onnx.export_model(graph, params, [("n", 4)], onnx_file_path=f"{name}.onnx")
        assert main(["convert", "net", *SHAPE, "-o", "proven.onnx", "--verify"]) == 0
        assert main(["convert", "net", *SHAPE, "-o", "changed.onnx", "--verify"]) == 0
        Path("changed.onnx").write_bytes(Path("other.onnx").read_bytes())
        graph.save("bare-symbol.json")
        sym.sample_gamma(sym.var("data"), sym.var("data"), name="g").save("gamma-symbol.json")
        Path("bad.onnx").write_bytes(b"no model")
        np.save("x.npy", np.ones((2, 4), np.float32))
        Path("record.rec").write_bytes(b"no records")
        Path("images").mkdir()
    finally:
        os.chdir(here)
    return folder


@pytest.fixture(autouse=True)
def inside(models, tmp_path, monkeypatch):
    monkeypatch.chdir(models)
    monkeypatch.setitem(sys.modules, "netron", netron := types.ModuleType("netron"))
    netron.start = lambda file, address, browse: address
    netron.wait = lambda: None


ROWS = [
    (FINE, ["convert", "net", *SHAPE, "-o", "a.onnx"]),
    (FINE, ["convert", "net.onnx", "-o", "a", "--verify"]),
    (
        NO,
        [
            "convert",
            "other",
            *SHAPE,
            "-o",
            "a.onnx",
            "--verify",
            "--precision",
            "float16",
            "--tolerance",
            "0",
        ],
    ),
    (WRONG, ["convert", "net", *SHAPE, "--opset", "99"]),
    (FAILED, ["convert", "bad.onnx"]),
    (FAILED, ["convert", "gamma", "--shape", "data=2,2"]),
    (FINE, ["verify", "net", "net.onnx"]),
    (NO, ["verify", "net.onnx", "other.onnx"]),
    (WRONG, ["verify", "net.onnx", "--size", "rows=2"]),
    (WRONG, ["verify", "net"]),
    (FAILED, ["verify", "net.onnx", "bad.onnx"]),
    (FINE, ["manifest", "proven.onnx", "net"]),
    (NO, ["manifest", "proven.onnx", "other"]),
    (NO, ["manifest", "changed.onnx"]),
    (WRONG, ["manifest"]),
    (FAILED, ["manifest", "net.onnx"]),
    (FINE, ["check", "net", *SHAPE]),
    (NO, ["check", "gamma", "--shape", "data=2,2"]),
    (WRONG, ["check", "net"]),
    (FAILED, ["check", "bad.onnx"]),
    (FINE, ["inspect", "net.onnx"]),
    (WRONG, ["inspect", "net.onnx", "--shape", "other=1,2"]),
    (FAILED, ["inspect", "bad.onnx"]),
    (FINE, ["diff", "net.onnx", "net"]),
    (NO, ["diff", "net.onnx", "other.onnx"]),
    (NO, ["diff", "net-0001.params", "other-0001.params"]),
    (WRONG, ["diff", "net.onnx"]),
    (FAILED, ["diff", "net.onnx", "bad.onnx"]),
    (FINE, ["bench", "net.onnx", "--threads", "1", *ONCE]),
    (WRONG, ["bench", "net"]),
    (FAILED, ["bench", "bad.onnx"]),
    (FINE, ["profile", "net.onnx", *ONCE]),
    (WRONG, ["profile", "net"]),
    (FAILED, ["profile", "bad.onnx"]),
    (FINE, ["run", "net.onnx", "--input", "x.npy"]),
    (FINE, ["run", "--shape", "data=2,4", "net-symbol.json"]),
    (WRONG, ["run", "net.onnx"]),
    (FAILED, ["run", "bad.onnx", "--input", "x.npy"]),
    (FINE, ["view", "net.onnx"]),
    (WRONG, ["view", "net.onnx", "--port", "70000"]),
    (FAILED, ["view", "none.onnx"]),
    (FINE, ["predict", "net.onnx", "--input", "x.npy", "-o", "scores", "--workers", "1"]),
    (WRONG, ["predict", "net.onnx", "--input", "x.npy", "-o", "scores", "--column", "data"]),
    (FAILED, ["predict", "net.onnx", "--input", "none.npy", "-o", "scores"]),
    (FAILED, ["predict", "bad.onnx", "--input", "x.npy", "-o", "scores"]),
    (WRONG, ["serve", "net.onnx", "--port", "70000"]),
    (FAILED, ["serve", "bad.onnx"]),
    (NO, ["doctor", "odd"]),
    (WRONG, ["doctor", "net", "other"]),
    (FAILED, ["doctor", "bad.onnx"]),
    (FINE, ["path"]),
    (WRONG, ["path", "x"]),
    (FINE, ["im2rec", "--list", "a", "images"]),
    (NO, ["im2rec", "none", "images"]),
    (WRONG, ["im2rec", "--list", "a"]),
    (NO, ["rec2idx", "record.rec", "record.idx"]),
    (WRONG, ["rec2idx", "record.rec"]),
    (WRONG, ["launch", "-n", "two", "x.py"]),
    (FAILED, ["launch", "-n", "2", "--hostfile", "none", "x.py"]),
    (WRONG, ["nothing"]),
]


@pytest.mark.parametrize(("code", "words"), ROWS, ids=[f"{code} {' '.join(words)}" for code, words in ROWS])
def test_exit_codes(code, words, capsys):
    """Of the command alone and with --json, which is one document whatever happens."""
    assert main(words) == code
    printed = capsys.readouterr()
    assert "fault of hybridonnx" not in printed.err
    assert "\x1b" not in printed.out
    assert printed.out or code or words[0] in ("im2rec",)
    if words[0] in ("launch", "path", "im2rec", "rec2idx", "nothing"):
        return
    assert main([*words, "--json"]) == code
    data = json.loads(capsys.readouterr().out)
    assert ("error" in data) == (code >= WRONG)


def test_every_command_has_its_codes():
    tried = {(words[0], code) for code, words in ROWS}
    for name in _modules.command_names():
        assert {(name, WRONG)} <= tried
        assert (name, FAILED) in tried or name in ("path", "im2rec", "rec2idx")
    text = (Path(__file__).parents[1] / "docs" / "command_line.md").read_text(encoding="utf-8")
    names = re.findall(r"(?m)^\| `([^|]*)` \|", text)
    assert sorted(name for row in names for name in row.split("`, `")) == _modules.command_names()
    assert re.findall(r"(?m)^\| (\d+) \|", text) == ["0", "1", "2", "3", "130"]


@pytest.mark.parametrize(
    "words",
    [
        ["profile", "net.onnx", "--rows", "-3"],
        ["profile", "net.onnx", "--rows", "0"],
        ["profile", "net.onnx", "--runs", "0"],
        ["profile", "net.onnx", "--warmup", "-1"],
        ["profile", "net.onnx", "--threads", "-1"],
        ["profile", "net.onnx", "--depth", "0"],
        ["profile", "net.onnx", "--trace", "none/trace.json"],
        ["profile", "net.onnx", "--size", "n=0"],
        ["profile", "net.onnx", "--size", "n=²"],
        ["bench", "net.onnx", "--size", "n=0"],
        ["bench", "net.onnx", "--batch", "0"],
        ["bench", "net.onnx", "--batch", "1,²"],
        ["bench", "net.onnx", "--threads", "-1"],
        ["bench", "net.onnx", "--runs", "0"],
        ["bench", "net.onnx", "--rounds", "0"],
        ["bench", "net.onnx", "--warmup", "-1"],
        ["bench", "net.onnx", "--seconds", "0"],
        ["bench", "net.onnx", "--seconds", "nan"],
        ["bench", "net.onnx", "--svg", "images"],
        ["bench", "net.onnx", "--html", "none/page.html"],
        ["bench", "net.onnx", "--shape", "other=1,4"],
        ["inspect", "net.onnx", "--size", "n=0"],
        ["inspect", "net.onnx", "--shape", "data=0,4"],
        ["inspect", "net.onnx", "--shape", "1,4", "--shape", "1,4"],
        ["verify", "net.onnx", "--size", "n=1,0"],
        ["verify", "net.onnx", "--tolerance", "-1"],
        ["verify", "net.onnx", "--tolerance", "nan"],
        ["verify", "net.onnx", "--seed", "-1"],
        ["verify", "net.onnx", "--samples", "0"],
        ["verify", "net.onnx", "--scale", "0"],
        ["verify", "net.onnx", "--std", "0"],
        ["verify", "net.onnx", "--mean", "nan"],
        ["verify", "net.onnx", "--shape", "other=1,4"],
        ["check", "net", *SHAPE, "--opset", "7"],
        ["check", "net", *SHAPE, "--type", "float99"],
        ["check", "net", *SHAPE, "--type", "other=int32"],
        ["check", "net", "--shape", "other=n,4"],
        ["convert", "net", *SHAPE, "-o", "images/"],
        ["convert", "net.onnx", "-o", "images/"],
        ["convert", "net", *SHAPE, "-o", "images/none/net.onnx"],
        ["run", "net.onnx", "--input", "x.npy", "-o", "none/y.npz"],
        ["view", "net.onnx", "--port", "0"],
    ],
)
def test_wrong_arguments(words, capsys):
    """One sentence that ends with where there is more, and nothing else."""
    assert main(words) == WRONG
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = [line for line in printed.err.splitlines() if not line.startswith("parameters: ")]
    assert len(lines) == 1
    assert lines[0].startswith(f"hybridonnx {words[0]}: ")
    assert lines[0].endswith(f" hybridonnx {words[0]} --help tells more.")


@pytest.mark.parametrize(
    "words",
    [
        ["convert", "bare", *SHAPE],
        ["convert", "bare", "--shape", "n,4"],
        ["convert", "bare"],
        ["check", "bare", *SHAPE],
        ["verify", "bare", *SHAPE],
        ["verify", "other.onnx", "bare"],
        ["profile", "bare", *SHAPE],
        ["bench", "net.onnx", "bare", *SHAPE],
        ["run", "bare-symbol.json", "--input", "data=x.npy"],
        ["run", "bare-symbol.json", "--shape", "data=2,4"],
        ["doctor", "bare"],
    ],
)
def test_a_graph_without_parameters(words, capsys):
    assert main(words) == FAILED
    assert capsys.readouterr().err.splitlines()[-1] == f"hybridonnx {words[0]}: {NO_PARAMS}"


def test_a_graph_whose_parameters_are_inputs(capsys):
    """Shapes of all its inputs make a graph complete; what is in it is told without any."""
    shapes = ("--shape", "data=2,4", "--shape", "fc_weight=3,4", "--shape", "fc_bias=3")
    assert main(["verify", "bare", *shapes]) == FINE
    assert main(["convert", "bare", *shapes, "-o", "bare.onnx"]) == FINE
    assert [item.name for item in onnx.load("bare.onnx").graph.input] == ["data", "fc_weight", "fc_bias"]
    assert main(["inspect", "bare"]) == FINE


def test_what_takes_a_value_is_no_script():
    """`run` tells options of models that take values from names of scripts without click."""
    made = _root.made_in("_run_model", "run")
    options = [option for option in made.params if option.param_type_name == "option" and not option.is_flag]
    assert {name for option in options for name in option.opts} == run_module._WITH_VALUES


def test_run_draws_inputs(capsys):
    """Ones as weights and no bias: each output is the sum of a row."""
    assert main(["run", "--shape", "data=2,4", "net-symbol.json", "--json"]) == FINE
    ours = json.loads(capsys.readouterr().out)["outputs"]["fc_output"]
    assert main(["run", "net.onnx", "--size", "n=2", "--json"]) == FINE
    theirs = json.loads(capsys.readouterr().out)["outputs"]["fc_output"]
    assert ours["shape"] == theirs["shape"] == [2, 3]
    np.testing.assert_allclose(ours["values"], theirs["values"], rtol=1e-5)
    assert np.ptp(ours["values"], axis=1) == pytest.approx([0, 0], abs=1e-6)
    assert ours["values"][0] != ours["values"][1]


def test_run_tells_numbers_as_json(capsys):
    np.save("large.npy", np.arange(16, dtype=np.float32).reshape(4, 4))
    assert main(["run", "net.onnx", "--input", "large.npy", "--json"]) == FINE
    data = json.loads(capsys.readouterr().out)["outputs"]["fc_output"]
    assert data == {
        "shape": [4, 3],
        "dtype": "float32",
        "least": 6.0,
        "largest": 54.0,
        "at": [3, 0],
        "mean": 30.0,
    }
