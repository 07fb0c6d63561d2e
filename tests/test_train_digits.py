"""The sample that trains on handwritten digits: what it learns, and the files that it leaves."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import hybridonnx as mx
from samples import train_digits

pytest.importorskip("sklearn")


def right(file, images, labels):
    """The part of the images that plain ONNX Runtime gets right."""
    return np.mean(train_digits.predict(file, images) == labels)


def check_files(prefix, epoch, images):
    """MXNet's files and the ONNX file are the same network."""
    net = mx.gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["data"], f"{prefix}-{epoch:04d}.params")
    answers = net(mx.nd.array(images)).asnumpy().argmax(axis=1)
    assert np.array_equal(train_digits.predict(f"{prefix}.onnx", images), answers)
    parity = mx.onnx.verify(net, f"{prefix}.onnx", inputs=mx.nd.array(images))
    assert parity.ok(train_digits.TOLERANCE), str(parity)


def test_a_short_run(tmp_path):
    # One test, as its parts share what takes seconds.
    assert train_digits.main(["--out", str(tmp_path), "--epochs", "3"]) == 0
    images, labels = train_digits.digits()[1]
    first, tuned = tmp_path / "digits", tmp_path / "digits-tuned"
    check_files(first, 3, images)
    check_files(tuned, 3 + 1, images)
    for prefix in (first, tuned):
        assert right(f"{prefix}.onnx", images, labels) > 0.94
    assert right(f"{first}.onnx", 1 - images, labels) < 0.4
    assert right(f"{tuned}.onnx", 1 - images, labels) > 0.7


@pytest.mark.slow
def test_the_whole_run(tmp_path, capsys):
    assert train_digits.main(["--out", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    assert right(tmp_path / "digits.onnx", *train_digits.digits()[1]) > 0.97
    assert "epoch 12: loss 0.0" in output
    assert "digit 9" in output


def test_the_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(
        SystemExit, match=r"scikit-learn has the digits; get it with: pip install '\.\[samples"
    ):
        train_digits.digits()
