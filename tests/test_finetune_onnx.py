"""The sample that fine-tunes a network of PyTorch's: what it learns, and the file that it leaves."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from samples import finetune_onnx, train_digits
from tests.torch_files import File

pytest.importorskip("sklearn")


def test_the_network_is_the_stored_one():
    """The sample has a copy of its own, of a file whose numbers are held to PyTorch's elsewhere."""
    assert finetune_onnx.MODEL.read_bytes() == File.read("resnet-dynamo-free").proto


def test_a_short_run(tmp_path, capsys):
    assert finetune_onnx.main(["--out", str(tmp_path), "--epochs", "6"]) == 0
    file = str(tmp_path / "finetuned.onnx")
    images, labels = train_digits.digits()[1]
    pictures = finetune_onnx.pictures(images)
    assert np.mean(train_digits.predict(file, pictures) == labels) > 0.7
    assert mx.onnx.get_model_metadata(file)["input_tensor_data"][0][1] == (0, 3, 0, 0)
    again = mx.onnx.import_to_gluon(file)
    answers = again(mx.nd.array(pictures)).asnumpy().argmax(axis=1)
    assert np.array_equal(train_digits.predict(file, pictures), answers)
    assert "inputs: x (N, 3, H, W) float32" in capsys.readouterr().out
