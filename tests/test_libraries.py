"""The runs of published libraries: what the table says of steps that pass, fail, and end the process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.libraries import __main__ as runs
from tests.libraries import environments

USER = """
import os
import mxnet as mx
from mxnet import nd
from tests.libraries.harness import Sample, check, model

def dense(**options):
    net = mx.gluon.nn.Dense(2, in_units=3)
    net.initialize(mx.init.One())
    return Sample(net, [nd.array([[1.0, 2, 3]])], lambda y: (y - 1) ** 2, free=(0,), **options)

@model("whole")
def whole():
    return dense()

@model("of no nodes")
def of_no_nodes():
    return dense(nodes=["Softmax"])

@model("ends", skip={"build": "it does"})
def ends():
    os._exit(3)

@model("known")
def known():
    return dense(nodes=["Softmax"], skip={"onnx": "there is no softmax", "train": "none"})

@check("raises")
def raises():
    raise ValueError("one\\ntwo")

@check("works")
def works():
    assert mx.__version__ == "1.9.1"
"""


@pytest.fixture
def report(tmp_path, monkeypatch):
    folder = tmp_path / "more" / "tests" / "libraries"
    folder.mkdir(parents=True)
    (folder / "user_side.py").write_text(USER)
    code = (
        "import tests.libraries as here; from tests.libraries import child; "
        f"here.__path__.append({str(folder)!r}); import sys; child.main(*sys.argv[1:])"
    )
    found = runs.Report("user-side")
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "hybridonnx",
        "run",
        "-c",
        code,
        "user-side",
        "hybridonnx",
    ]
    runs.run_children(found, command, None, [], 60)
    return found


def test_rows_say_what_becomes_of_steps(report):
    states = {row: {step: o.state for step, o in steps.items()} for row, steps in report.rows.items()}
    whole = dict.fromkeys("build eager train hybridize native onnx back tune".split(), "ok")
    assert states["whole"] == whole
    until = dict.fromkeys("build eager train hybridize native".split(), "ok")
    assert states["of no nodes"] == {**until, "onnx": "failed"}
    assert report.rows["of no nodes"]["onnx"].text == "DisagreementError: the file has no Softmax"
    assert states["ends"] == {"build": "failed"}
    assert report.rows["ends"]["build"].text == "the process ended with 3"
    assert states["known"]["onnx"] == "expected"
    assert states["known"]["train"] == "needless"
    assert report.rows["raises"]["run"].text == "ValueError: one"
    assert states["works"] == {"run": "ok"}
    assert {row for row, _, _ in report.faults()} == {"of no nodes", "ends", "known", "raises"}
    assert len(runs.table([report]).splitlines()) == 8


def test_pins_have_sections():
    text = "[alone]\na==1  # why\n[both]\n\n# all\nb==2\n[mxnet]\n"
    assert environments.pins(text) == {"alone": ["a==1"], "both": ["b==2"], "mxnet": []}
    with pytest.raises(ValueError, match=r"one of alone, both, hybridonnx, mxnet is required, got \[other\]"):
        environments.pins("[other]\n")


@pytest.mark.parametrize("library", environments.libraries())
def test_every_library_has_both_files(library):
    folder = Path(environments.__file__).parent
    assert "hybridonnx" in environments.pins((folder / f"{library}.txt").read_text(encoding="utf-8"))
    assert (folder / f"{library.replace('-', '_')}.py").is_file()
