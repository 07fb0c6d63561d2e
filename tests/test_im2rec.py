"""im2rec and rec2idx: the lists and files of records that MXNet's script makes, byte by byte."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.cli import im2rec, rec2idx
from hybridonnx.recordio import IRHeader, MXIndexedRecordIO, pack_img, unpack, unpack_img
from tests import im2rec_calls as calls

THEIRS = json.loads((Path(__file__).parent / "oracle" / "im2rec.json").read_text())
LIBRARIES = ("PIL.Image", "cv2")
PILLOWS_OWN = {"png", "any", "grey"}
"""What Pillow packs in other bytes, of the same pixels."""


@pytest.fixture(params=LIBRARIES)
def library(request, monkeypatch):
    pytest.importorskip(request.param)
    if request.param != "cv2":
        monkeypatch.setitem(sys.modules, "cv2", None)
    return request.param


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return calls.lay_out(tmp_path_factory.mktemp("im2rec"))


def run(*arguments):
    return im2rec.main([str(argument) for argument in arguments])


def test_lists_are_those_of_mxnet(tmp_path, tree):
    for prefix, options in calls.LISTS.items():
        assert run("--list", tmp_path / prefix, tree, *options) == 0
    assert calls.lists(tmp_path) == THEIRS["lists"]


@pytest.mark.parametrize("name", calls.RECORDS)
def test_records_are_those_of_mxnet(name, library, tmp_path, tree):
    (tmp_path / f"{name}.lst").write_text(calls.BAD_LINES if name == "bad_lines" else calls.LINES)
    code = run(tmp_path / name, tree, *calls.RECORDS[name], "--num-thread", 2)
    assert code == (1 if name == "bad_lines" else 0)
    ours, theirs = calls.records(tmp_path / f"{name}.rec"), THEIRS["records"][name]
    if library != "cv2" and name in PILLOWS_OWN:
        assert [record[:4] for record in ours[1:]] == [record[:4] for record in theirs[1:]]
        return
    assert ours == theirs


def test_images_that_are_left_out(library, tmp_path, tree, capsys):
    (tmp_path / "a.lst").write_text("1\t0\tnothing.jpg\n2\t1\ta/scene0.jpg\n3\t1\tempty.jpg\n")
    (tree / "empty.jpg").write_bytes(b"")
    assert run(tmp_path / "a", tree) == 1
    assert "nothing.jpg: left out" in (said := capsys.readouterr().err)
    assert "empty.jpg: left out" in said
    with MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "r") as file:
        assert file.keys == [2]
        assert unpack(file.read_idx(2))[0].label == 1


def test_arguments_that_are_wrong(tmp_path, tree, capsys):
    assert run(tmp_path / "nothing", tree) == 1
    assert "no list begins with" in capsys.readouterr().err
    assert run("--color", "7", tmp_path / "a", tree) == 2
    for options, message in (
        (("--chunks", "0"), "1 or more is required as --chunks, got 0"),
        (("--train-ratio", "80"), "shares from 0 to 1 are required"),
        (("--test-ratio", "-0.5"), "shares from 0 to 1 are required"),
    ):
        assert run("--list", tmp_path / "a", tree, *options) == 2
        assert message in capsys.readouterr().err
    assert run("--list", tmp_path / "a", tree / "nowhere") == 2
    assert "a folder of images is required as root" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.lst"))
    assert rec2idx.main(["one"]) == 2
    assert rec2idx.main([str(tmp_path / "nothing.rec"), str(tmp_path / "a.idx")]) == 1
    assert not (tmp_path / "a.idx").exists()


def test_prefixes_are_no_patterns(tmp_path, tree):
    (tmp_path / "a[1]*.lst").write_text("0\t0\ta/scene0.jpg\n")
    (tmp_path / "a1b.lst").write_text("0\t0\ta/scene0.jpg\n")
    assert run("--pass-through", tmp_path / "a[1]*", tree) == 0
    assert [path.name for path in tmp_path.glob("*.rec")] == ["a[1]*.rec"]


def test_an_index_is_written_anew(library, tmp_path, tree):
    (tmp_path / "a.lst").write_text("0\t0\ta/scene0.jpg\n1\t1\ta/scene1.jpg\n2\t1\tb/scene4.jpg\n")
    assert run(tmp_path / "a", tree) == 0
    assert rec2idx.main([str(tmp_path / "a.rec"), str(tmp_path / "b.idx")]) == 0
    assert (tmp_path / "b.idx").read_text() == (tmp_path / "a.idx").read_text()


# ---- images in records


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".PNG"])
@pytest.mark.parametrize("shape", [(9, 12, 3), (9, 12), (9, 12, 1)])
def test_images_are_packed_and_unpacked(library, suffix, shape):
    y, x = np.mgrid[:9, :12]
    image = np.stack([20 * y + 5, 255 - 20 * x, 10 * (x + y)], -1).astype("uint8")
    image = image if len(shape) == 3 and shape[2] == 3 else image[..., 0].reshape(shape)
    header, got = unpack_img(pack_img(IRHeader(0, 4.0, 5, 6), image, 95 if suffix == ".jpg" else 9, suffix))
    assert header == (0, 4.0, 5, 6)
    assert got.shape == (shape if shape[-1] == 3 else (9, 12))
    if suffix == ".jpg":
        assert abs(got.astype(int) - image.reshape(got.shape)).mean() < 6
    else:
        np.testing.assert_array_equal(got, image.reshape(got.shape))


def test_transparency_is_unpacked_as_stored(library):
    content = (calls.IMAGES / "transparent.png").read_bytes()
    record = mx.recordio.pack(IRHeader(0, 1.0, 0, 0), content)
    assert unpack_img(record)[1].shape == (37, 53, 4)
    assert unpack_img(record, 0)[1].shape == (37, 53)
    colours = unpack_img(record, iscolor=1)[1]
    np.testing.assert_array_equal(colours[..., ::-1], mx.image.imdecode(content).asnumpy())


def test_images_that_cannot_be_packed(library):
    header = IRHeader(0, 1.0, 0, 0)
    with pytest.raises(mx.MXNetError, match=r"\.jpg or \.png is required as the format, got '\.tiff'"):
        pack_img(header, np.zeros((2, 2, 3), "uint8"), img_fmt=".tiff")
    with pytest.raises(mx.MXNetError, match=r"of uint8 is required, got .* float64"):
        pack_img(header, np.zeros((2, 2, 3)))
    with pytest.raises(mx.MXNetError, match="image"):
        unpack_img(mx.recordio.pack(header, b"garbage"))
