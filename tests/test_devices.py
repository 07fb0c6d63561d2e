"""Pipes and devices are written to, and never replaced by a file."""

from __future__ import annotations

import os
import stat
import threading

import pytest

import hybridonnx as mx
from hybridonnx import nd, sym

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def save_arrays(path):
    nd.save(path, {"w": nd.arange(50_000)})


def save_symbol(path):
    sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc").save(path)


def save_parameters(path):
    net = mx.gluon.nn.Dense(3, in_units=4, prefix="d_")
    net.initialize(mx.init.One())
    net.save_parameters(path)


def save_states(path):
    net = mx.gluon.nn.Dense(3, in_units=4, prefix="d_")
    net.initialize(mx.init.One())
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    with mx.autograd.record():
        loss = net(nd.ones((2, 4)))
    loss.backward()
    trainer.step(2)
    trainer.save_states(path)


def export_model(path):
    net = mx.gluon.nn.Dense(3, in_units=4, prefix="d_")
    net.initialize(mx.init.One())
    mx.onnx.export_model(net, path, input_shapes=[(2, 4)])


WRITERS = [save_arrays, save_symbol, save_parameters, save_states, export_model]


@pytest.mark.parametrize("write", WRITERS, ids=[write.__name__ for write in WRITERS])
def test_pipes_get_what_files_get(write, tmp_path):
    """What another process reads of a pipe is what a file would have, and nothing is left beside it."""
    file, pipe = tmp_path / "file.onnx", tmp_path / "pipe.onnx"
    write(str(file))
    os.mkfifo(pipe)
    content: list[bytes] = []
    reader = threading.Thread(target=lambda: content.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write(str(pipe))
    reader.join(30)
    assert content == [file.read_bytes()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["file.onnx", "pipe.onnx"]


@pytest.mark.parametrize("write", WRITERS, ids=[write.__name__ for write in WRITERS])
def test_devices_stay_devices(write, tmp_path):
    path = tmp_path / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.write_bytes(b"")
    except OSError as exc:
        pytest.skip(f"no device can be made here: {exc}")
    write(str(path))
    assert stat.S_ISCHR(path.stat().st_mode)


def test_a_link_to_a_pipe_is_followed(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    content: list[bytes] = []
    reader = threading.Thread(target=lambda: content.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    nd.save(str(tmp_path / "link"), nd.ones((3,)))
    reader.join(30)
    nd.save(str(tmp_path / "file"), nd.ones((3,)))
    assert content == [(tmp_path / "file").read_bytes()]


def test_folders_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        nd.save(str(tmp_path / "folder"), nd.ones((3,)))
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.parametrize(
    "call",
    [
        *WRITERS,
        nd.load,
        sym.load,
        lambda path: mx.gluon.nn.Dense(3).load_parameters(path),
        mx.onnx.import_model,
        mx.onnx.get_model_metadata,
        lambda path: mx.gluon.SymbolBlock.imports(path, ["data"]),
        lambda path: mx.model.load_checkpoint(path, 0),
        lambda path: mx.recordio.MXRecordIO(path, "r"),
        lambda path: mx.recordio.MXRecordIO(path, "w"),
    ],
)
def test_names_that_no_file_can_have(call, tmp_path):
    with pytest.raises(mx.MXNetError):
        call(f"{tmp_path}/a\0b")
