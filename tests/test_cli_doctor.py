"""`hybridonnx doctor` and `view`: what is told of the installation, and what is found to be wrong with it."""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.cli import main
from hybridonnx.runtime import diagnosis


def test_versions_are_told(capsys):
    code = main(["doctor", "--json"])
    content = json.loads(capsys.readouterr().out)
    assert content["facts"]["numpy"] == np.__version__
    assert content["facts"]["onnx"] == onnx.__version__
    assert "CPUExecutionProvider" in content["facts"]["providers"]
    assert content["facts"]["hybridonnx"].startswith(mx.__version__)
    assert content["ok"] == (code == 0)
    assert content["weights"] == []


def test_a_small_graph_runs(monkeypatch):
    assert diagnosis._first_graph() == []

    def fails(*_):
        raise ImportError("DLL load failed")

    monkeypatch.setattr(diagnosis, "CompiledGraph", fails)
    assert diagnosis._first_graph() == [
        "a graph that ONNX Runtime runs is required, got an error: DLL load failed"
    ]


def test_packages_that_overwrite_each_other(monkeypatch, capsys):
    installed = {"onnxruntime": "1.22.0", "onnxruntime-gpu": "1.20.0", "numpy": "2.1.0"}
    assert diagnosis._several({"onnxruntime": "1.22.0", "opencv-python": "4.10"}) == []
    (problem,) = diagnosis._several(installed)
    assert "got onnxruntime, onnxruntime-gpu" in problem
    assert "pip uninstall onnxruntime onnxruntime-gpu" in problem
    monkeypatch.setattr(diagnosis, "_installed", lambda: installed)
    assert main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("PROBLEM ") and "onnxruntime-gpu" in line for line in lines)


@pytest.mark.parametrize(
    ("installed", "wrong"),
    [
        ({"numpy": "2.0.0", "onnx": "1.20", "onnxruntime-gpu": "1.23.1"}, []),
        (
            {"numpy": "1.26.4", "onnx": "1.20.1", "onnxruntime": "1.20.0"},
            ["numpy 2 or later is required"],
        ),
        ({"numpy": "2.4.0rc1", "onnx": "1.9.0", "onnxruntime": "1.20.0"}, ["onnx 1.20 or later"]),
        ({"numpy": "2.0", "onnx": "1.20"}, ["onnxruntime 1.20 or later is required, got none"]),
    ],
)
def test_packages_that_are_too_old(installed, wrong):
    needs = ["numpy>=2", "onnx>=1.20", "onnxruntime>=1.20", 'click>=8.1; extra == "cli"']
    problems = diagnosis._too_old(installed, needs)
    assert len(problems) == len(wrong)
    for problem, start in zip(problems, wrong, strict=True):
        assert problem.startswith(start)


def test_surprises(monkeypatch, tmp_path):
    assert "mxnet-cu112" in " ".join(diagnosis._notes({"mxnet-cu112": "1.9.1"}))
    assert "mxnet" not in " ".join(diagnosis._notes({"mxboard": "0.1"}))
    limit = tmp_path / "cpu.max"
    limit.write_text("150000 100000\n")
    assert diagnosis._share(str(limit)) == 1.5
    limit.write_text("max 100000\n")
    assert diagnosis._share(str(limit)) == 0
    monkeypatch.setattr(diagnosis, "_share", lambda: 1.5)
    monkeypatch.setattr(diagnosis, "_usable_cores", lambda: 8)
    monkeypatch.delenv("HYBRIDONNX_THREADS", raising=False)
    assert "HYBRIDONNX_THREADS=1 may be faster" in " ".join(diagnosis._notes({}))


def test_odd_weights_of_a_model(tmp_path, capsys):
    prefix = tmp_path / "net"
    (sym.var("data") * sym.var("a")).save(f"{prefix}-symbol.json")
    weight = np.array([1, 1e-40], np.float32)
    nd.save(f"{prefix}-0000.params", {"arg:a": nd.array(weight)})
    assert main(["doctor", str(prefix)]) == 1
    printed = capsys.readouterr().out
    assert "a: 1 denormal of 2 numbers" in printed
    assert "Set denormal weights to 0" in printed


class Netron(types.ModuleType):
    """What stands for Netron."""

    def start(self, file, address, browse):
        self.call = (file, address, browse)
        return address[0], address[1] or 4321

    def wait(self):
        self.waited = True


def test_view(tmp_path, monkeypatch, capsys):
    netron = Netron("netron")
    monkeypatch.setitem(sys.modules, "netron", netron)
    sym.var("data").save(str(tmp_path / "net-symbol.json"))
    words = ["view", str(tmp_path / "net"), "--no-browser", "--json"]
    assert main(words) == 0
    file = str(tmp_path / "net-symbol.json")
    assert netron.waited
    assert netron.call == (file, ("localhost", None), False)
    assert json.loads(capsys.readouterr().out) == {"file": file, "address": "http://localhost:4321"}
    monkeypatch.delitem(sys.modules, "netron")
    monkeypatch.setattr("hybridonnx.cli.view.import_module", _missing)
    assert main(["view", file]) == 3
    assert 'pip install "hybridonnx[view]"' in capsys.readouterr().err


def _missing(name):
    raise ModuleNotFoundError(f"no {name}", name=name)
