"""`hybridonnx doctor` and `view`: what is told of the installation, and what is found to be wrong with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.cli import main
from hybridonnx.runtime import compile, diagnosis


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

    monkeypatch.setattr(compile, "CompiledGraph", fails)
    assert diagnosis._first_graph() == [
        "a graph that ONNX Runtime runs is required, got an error: DLL load failed"
    ]


class _Driver:
    """NVIDIA's, of a machine with one GPU."""

    @staticmethod
    def cuDeviceGetCount(number):
        number._obj.value = 1
        return 0

    @staticmethod
    def cuDeviceGetName(text, size, number):
        text.value = b"NVIDIA H100"
        return 0

    @staticmethod
    def cuDriverGetVersion(number):
        number._obj.value = 12080
        return 0


def test_gpus_and_what_keeps_from_them(monkeypatch):
    assert diagnosis._gpus() == "none of NVIDIA's" or diagnosis.cuda.count()
    monkeypatch.setattr(diagnosis.cuda, "_driver", _Driver)
    assert diagnosis._gpus() == "NVIDIA H100, of a driver for CUDA 12.8"
    if "CUDA" not in diagnosis._providers():
        (note,) = diagnosis._lacks_cuda({"onnxruntime": "1.32.0"})
        assert "pip uninstall onnxruntime, then pip install 'onnxruntime-gpu[cuda,cudnn]'" in note
    monkeypatch.setattr(diagnosis, "_providers", lambda: "CUDAExecutionProvider")
    monkeypatch.setenv("HYBRIDONNX_FAKE_GPU", "1")
    assert diagnosis._lacks_cuda({}) == []
    monkeypatch.setenv("HYBRIDONNX_FAKE_GPU", "0")
    (note,) = diagnosis._lacks_cuda({})
    assert note.startswith("ONNX Runtime does not start on the GPU.")


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


ROOT = Path(__file__).parents[1]
BROKEN = [
    (
        "onnx",
        "raise TypeError('Descriptors cannot be created directly.\\nRegenerate them.')",
        "TypeError: Descr",
    ),
    ("onnx", "raise SystemError('initialization failed')", "onnx that can be imported is required"),
    ("onnx", "", "it has no ModelProto"),
    (
        "onnxruntime",
        "raise ImportError('libonnxruntime.so.1: no such file')",
        "ImportError: libonnxruntime.so.1",
    ),
    ("onnxruntime", "", "it has no InferenceSession"),
    (
        "google/protobuf",
        "raise ModuleNotFoundError('no protobuf')",
        "pip install --force-reinstall protobuf.",
    ),
    ("PIL", "raise ImportError('DLL load failed')", "pillow that can be imported is required"),
]


@pytest.mark.parametrize(("package", "content", "message"), BROKEN)
def test_packages_that_cannot_be_imported(tmp_path, package, content, message):
    """Doctor names the one that is broken; other commands point to it. Neither has a traceback."""
    for folder in (tmp_path / package, *(tmp_path / package).parents):
        if folder == tmp_path:
            break
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").write_text(content if folder.name == Path(package).name else "")
    graph = sym.var("data") * sym.var("a")
    graph.save(str(tmp_path / "net-symbol.json"))
    nd.save(str(tmp_path / "net-0000.params"), {"arg:a": nd.array([1, np.nan])})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}

    def called(*words):
        command = [sys.executable, "-m", "hybridonnx", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    for words in (["doctor", "--json"], ["doctor", "net", "--json"]):
        done = called(*words)
        assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
        data = json.loads(done.stdout)
        assert len(data["problems"]) == len(data["broken"]) == 1
        assert message in data["problems"][0]
    if package != "PIL":
        done = called("inspect", "net", "--json")
        assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr
        assert "hybridonnx doctor tells what is wrong" in json.loads(done.stdout)["error"]
