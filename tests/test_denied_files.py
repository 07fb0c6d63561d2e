"""Files that a user may not read: one sentence with the path, an error of MXNet's and of the system's."""

from __future__ import annotations

import os
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd
from hybridonnx.gluon import nn

NOBODY = 65534
PIXELS = np.zeros((8, 8, 3), np.uint8)

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to become somebody else"
)


def network():
    net = nn.Dense(3, in_units=4, prefix="d_")
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 4)))
    return net


def trainer(net):
    return mx.gluon.Trainer(net.collect_params(), "sgd")


@pytest.fixture(scope="module")
def files():
    """Files of all kinds, in a folder that everybody may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o755)
        yield written(Path(name))


def written(folder):
    net = network()
    net.export(f"{folder}/net")
    net.save_parameters(f"{folder}/n.params")
    net.save(f"{folder}/tree")
    trainer(net).save_states(f"{folder}/t.states")
    mx.onnx.export_model(net, f"{folder}/m.onnx", input_shapes=[(2, 4)], verify=True)
    mx.onnx.export_model(net, f"{folder}/e.onnx", input_shapes=[(2, 4)], external_data=True)
    record = mx.recordio.pack_img(mx.recordio.IRHeader(0, 1.0, 0, 0), PIXELS, img_fmt=".png")
    with mx.recordio.MXIndexedRecordIO(folder / "a.idx", folder / "a.rec", "w") as file:
        file.write_idx(0, record)
    (folder / "images" / "c").mkdir(parents=True)
    for name in ("i.png", "images/c/i.png"):
        (folder / name).write_bytes(mx.recordio.unpack(record)[1])
    (folder / "x.csv").write_text("1,2,3\n4,5,6\n")
    (folder / "x.libsvm").write_text("1 0:1\n0 1:2\n")
    (folder / "idx3").write_bytes(struct.pack(">BBBBIII", 0, 0, 8, 3, 2, 4, 4) + bytes(32))
    (folder / "idx1").write_bytes(struct.pack(">BBBBI", 0, 0, 8, 1, 2) + bytes(2))
    (folder / "vec.txt").write_text("a 1 2\nb 3 4\n")
    (folder / "i.lst").write_text("0\t1\ti.png\n")
    (folder / "wiki.train.tokens").write_text("a b\nc d\n")
    return folder


def image_records(folder, **options):
    return mx.io.ImageRecordIter(path_imgrec=f"{folder}/a.rec", data_shape=(3, 8, 8), batch_size=1, **options)


def image_list(folder):
    return mx.image.ImageIter(1, (3, 8, 8), path_imglist=f"{folder}/i.lst", path_root=str(folder)).next()


READERS: dict[str, tuple[Any, str]] = {
    "arrays": (lambda f: nd.load(f"{f}/n.params"), "n.params"),
    "symbol": (lambda f: mx.sym.load(f"{f}/net-symbol.json"), "net-symbol.json"),
    "load_parameters": (lambda f: network().load_parameters(f"{f}/n.params"), "n.params"),
    "tree": (lambda f: network().load(f"{f}/tree"), "tree-model.json"),
    "checkpoint": (lambda f: mx.model.load_checkpoint(f"{f}/net", 0), "net-0000.params"),
    "imports": (
        lambda f: mx.gluon.SymbolBlock.imports(f"{f}/net-symbol.json", ["data"], f"{f}/net-0000.params"),
        "net-0000.params",
    ),
    "imports_onnx": (lambda f: mx.gluon.SymbolBlock.imports(f"{f}/m.onnx", ["data"]), "m.onnx"),
    "import_model": (lambda f: mx.onnx.import_model(f"{f}/m.onnx"), "m.onnx"),
    "weights": (lambda f: mx.onnx.import_model(f"{f}/e.onnx")[1]["d_weight"].asnumpy(), "e.onnx.*.data"),
    "metadata": (lambda f: mx.onnx.get_model_metadata(f"{f}/m.onnx"), "m.onnx"),
    "verify": (lambda f: mx.onnx.verify(network(), f"{f}/m.onnx"), "m.onnx"),
    "inspect": (lambda f: mx.onnx.inspect(f"{f}/m.onnx"), "m.onnx"),
    "diff": (lambda f: mx.onnx.diff(f"{f}/e.onnx", f"{f}/m.onnx"), "m.onnx"),
    "manifest": (lambda f: mx.onnx.check_manifest(f"{f}/m.onnx"), "m.onnx.manifest.json"),
    "proven": (lambda f: mx.onnx.check_manifest(f"{f}/m.onnx"), "m.onnx"),
    "states": (lambda f: trainer(network()).load_states(f"{f}/t.states"), "t.states"),
    "records": (lambda f: mx.recordio.MXRecordIO(f"{f}/a.rec", "r"), "a.rec"),
    "index": (lambda f: mx.recordio.MXIndexedRecordIO(f"{f}/a.idx", f"{f}/a.rec", "r"), "a.idx"),
    "image_records": (image_records, "a.rec"),
    "image_list": (lambda f: image_records(f, path_imglist=f"{f}/i.lst"), "i.lst"),
    "record_dataset": (lambda f: mx.gluon.data.vision.ImageRecordDataset(f"{f}/a.rec")[0], "a.rec"),
    "folder_image": (lambda f: mx.gluon.data.vision.ImageFolderDataset(f"{f}/images")[0], "images/c/i.png"),
    "folder": (lambda f: mx.gluon.data.vision.ImageFolderDataset(f"{f}/images")[0], "images/c"),
    "imread": (lambda f: mx.image.imread(f"{f}/i.png"), "i.png"),
    "operator": (lambda f: nd._internal._cvimread(filename=f"{f}/i.png"), "i.png"),
    "list": (image_list, "i.lst"),
    "listed": (image_list, "i.png"),
    "csv": (lambda f: mx.io.CSVIter(data_csv=f"{f}/x.csv", data_shape=(3,), batch_size=2), "x.csv"),
    "libsvm": (
        lambda f: mx.io.LibSVMIter(data_libsvm=f"{f}/x.libsvm", data_shape=(3,), batch_size=2),
        "x.libsvm",
    ),
    "digits": (lambda f: mx.io.MNISTIter(image=f"{f}/idx3", label=f"{f}/idx1", batch_size=1), "idx3"),
    "vectors": (lambda f: mx.contrib.text.embedding.CustomEmbedding(f"{f}/vec.txt"), "vec.txt"),
    "words": (
        lambda f: mx.gluon.contrib.data.text.WikiText2(root=str(f), segment="train", seq_len=1),
        "wiki.train.tokens",
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_what_may_not_be_read(reader, files):
    call, name = READERS[reader]
    (path,) = files.glob(name)
    call(files)  # so that it is this file alone which lacks
    mode = path.stat().st_mode
    path.chmod(0)
    os.seteuid(NOBODY)
    try:
        with pytest.raises(mx.MXNetError) as caught:
            call(files)
    finally:
        os.seteuid(0)
        path.chmod(mode)
    assert isinstance(caught.value, PermissionError)
    assert Path(caught.value.filename) == path
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("reader", READERS)
def test_what_is_where_one_may_not_go(reader, files):
    call, _ = READERS[reader]
    files.chmod(0o700)
    os.seteuid(NOBODY)
    try:
        with pytest.raises(mx.MXNetError) as caught:
            call(files)
    finally:
        os.seteuid(0)
        files.chmod(0o755)
    assert isinstance(caught.value, OSError)
    assert str(files) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_path_through_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for call in (
        lambda path: nd.save(path, nd.ones((2,))),
        nd.load,
        lambda path: mx.recordio.MXRecordIO(path, "w"),
    ):
        with pytest.raises(NotADirectoryError) as caught:
            call(str(tmp_path / "file" / "x"))
        assert isinstance(caught.value, mx.MXNetError)
        assert caught.value.filename == str(tmp_path / "file" / "x")
