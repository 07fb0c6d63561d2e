"""Operators on images: what they refuse, bytes as OpenCV has them, and files."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd, test_utils
from hybridonnx.errors import (
    AttributeValueError,
    DTypeError,
    FormatError,
    MissingFileError,
    MXNetError,
    ShapeError,
)
from tests import resized_images
from tests.test_operators import FAMILIES, stored

IMAGE = nd.array(np.arange(60).reshape(4, 5, 3), dtype="uint8")
FLIPS = [f"{prefix}flip_{way}" for prefix in ("", "random_") for way in ("left_right", "top_bottom")]


def grid(data, kind, shape=(0, 0)):
    return nd.GridGenerator(data, transform_type=kind, target_shape=shape)


def transformer(data, loc, shape):
    return nd.SpatialTransformer(
        data, loc, target_shape=shape, transform_type="affine", sampler_type="bilinear"
    )


def correlation(**attributes):
    return nd.Correlation(nd.ones((1, 2, 4, 5)), nd.ones((1, 2, 4, 5)), **attributes)


def sketch(data, h):
    return nd.contrib.count_sketch(data, h, nd.ones(h.shape), out_dim=4)


def border(**attributes):
    return nd._internal._cvcopyMakeBorder(IMAGE, **{"top": 1, "bot": 1, "left": 1, "right": 1, **attributes})


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ShapeError, lambda: nd.im2col(nd.ones((1, 2, 4, 5)), kernel=(5, 1))),
        (ShapeError, lambda: nd.im2col(nd.ones((1, 2, 4)), kernel=(2, 2))),
        (DTypeError, lambda: nd.im2col(nd.ones((1, 2, 4, 5), dtype="int32"), kernel=(2, 2))),
        (AttributeValueError, lambda: nd.im2col(nd.ones((1, 2, 4, 5)), kernel=(2, 2), stride=(0, 1))),
        (AttributeValueError, lambda: nd.im2col(nd.ones((1, 2, 4, 5)), kernel=(2, 2), pad=(1,))),
        (ShapeError, lambda: nd.col2im(nd.ones((1, 4, 5)), output_size=(3, 3), kernel=(2, 2))),
        (ShapeError, lambda: nd.col2im(nd.ones((1, 5, 4)), output_size=(3, 3), kernel=(2, 2))),
        (ShapeError, lambda: nd.col2im(nd.ones((4, 4)), output_size=(3, 3), kernel=(2, 2))),
        (AttributeValueError, lambda: nd.col2im(nd.ones((1, 4, 4)), output_size=(3,), kernel=(2, 2))),
        (AttributeValueError, lambda: nd.GridGenerator(nd.ones((2, 6)), transform_type="affine")),
        (AttributeValueError, lambda: grid(nd.ones((2, 6)), "affine", (1, 4))),
        (ShapeError, lambda: grid(nd.ones((2, 2, 3)), "affine", (3, 4))),
        (ShapeError, lambda: grid(nd.ones((2, 3, 4, 4)), "warp")),
        (ShapeError, lambda: grid(nd.ones((2, 2, 1, 4)), "warp")),
        (DTypeError, lambda: grid(nd.ones((2, 6), dtype="int32"), "affine", (3, 4))),
        (ShapeError, lambda: nd.BilinearSampler(nd.ones((2, 1, 4, 4)), nd.ones((3, 2, 4, 4)))),
        (ShapeError, lambda: nd.BilinearSampler(nd.ones((2, 1, 4, 4)), nd.ones((2, 3, 4, 4)))),
        (ShapeError, lambda: nd.BilinearSampler(nd.ones((2, 4, 4)), nd.ones((2, 2, 4, 4)))),
        (ShapeError, lambda: transformer(nd.ones((2, 3, 4, 4)), nd.ones((2, 5)), (3, 3))),
        (AttributeValueError, lambda: transformer(nd.ones((2, 3, 4, 4)), nd.ones((2, 6)), (0, 0))),
        (AttributeValueError, lambda: correlation(kernel_size=2)),
        (AttributeValueError, lambda: correlation(stride1=0)),
        (AttributeValueError, lambda: correlation(pad_size=-1)),
        (ShapeError, lambda: correlation(max_displacement=2)),
        (ShapeError, lambda: nd.Correlation(nd.ones((1, 2, 4, 5)), nd.ones((1, 2, 4, 6)))),
        (ShapeError, lambda: nd.Correlation(nd.ones((2, 4, 5)), nd.ones((2, 4, 5)))),
        (ShapeError, lambda: nd.contrib.fft(nd.ones((2, 3, 4)))),
        (ShapeError, lambda: nd.contrib.ifft(nd.ones((2, 5)))),
        (DTypeError, lambda: nd.contrib.fft(nd.ones((2, 4), dtype="int32"))),
        (ShapeError, lambda: sketch(nd.ones((2, 3, 4)), nd.ones((1, 4)))),
        (ShapeError, lambda: sketch(nd.ones((2, 4)), nd.ones((1, 5)))),
        (MXNetError, lambda: sketch(nd.ones((2, 4)), 9 * nd.ones((1, 4)))),
        (AttributeValueError, lambda: nd._internal._cvimresize(IMAGE, w=2, h=2, interp=9)),
        (AttributeValueError, lambda: nd._internal._cvimresize(IMAGE, w=0, h=2)),
        (ShapeError, lambda: nd._internal._cvimresize(IMAGE.reshape((4, 15)), w=2, h=2)),
        (DTypeError, lambda: nd._internal._cvimresize(IMAGE.astype("int32"), w=2, h=2)),
        (AttributeValueError, lambda: border(top=-1)),
        (AttributeValueError, lambda: border(type=5)),
        *((ShapeError, lambda name=name: getattr(nd.image, name)(nd.ones((4, 5, 2)))) for name in FLIPS),
        (ShapeError, lambda: nd.image.crop(nd.ones((4, 5, 4)), x=0, y=0, width=1, height=1)),
        (FormatError, lambda: nd._internal._cvimdecode(nd.array(np.zeros(0), dtype="uint8"))),
        (DTypeError, lambda: nd._internal._cvimdecode(nd.ones(3))),
        (AttributeValueError, lambda: nd._internal._cvimdecode(IMAGE, flag=-1)),
        (MissingFileError, lambda: nd._internal._cvimread(filename="missing.png")),
    ],
)
def test_what_does_not_fit_is_refused(error, call):
    with pytest.raises(error):
        call()


# ---- bytes as OpenCV has them


def test_bytes_are_those_of_opencv():
    cases = [case for case in FAMILIES["cvimage"] if case.op == "_cvimresize"]
    cases = [case for case in cases if case.inputs[0].dtype == "uint8"]
    assert len(cases) > 50
    for case in cases:
        expected = stored("cvimage")[f"{case.key()}.float32.out.0"]
        (got,) = test_utils.run(case, case.arrays())
        np.testing.assert_array_equal(got, expected, str(case))


# ---- files


def encoded(pixels, **options):
    image = pytest.importorskip("PIL.Image").fromarray(pixels)
    content = io.BytesIO()
    image.save(content, "PNG", **options)
    return content.getvalue()


def test_decoded_images(tmp_path):
    pixels = IMAGE.asnumpy()
    content = encoded(pixels)
    (tmp_path / "image.png").write_bytes(content)
    buf, name = nd.array(np.frombuffer(content, "uint8"), dtype="uint8"), str(tmp_path / "image.png")
    for flag, to_rgb in ((1, True), (1, False), (2, True)):
        target = pixels if to_rgb else pixels[..., ::-1]
        for got in (
            nd._internal._cvimdecode(buf, flag=flag, to_rgb=to_rgb),
            nd._internal._cvimread(filename=name, flag=flag, to_rgb=to_rgb),
        ):
            assert got.dtype == np.uint8
            np.testing.assert_array_equal(got.asnumpy(), target)
    grey = nd._internal._cvimdecode(buf, flag=0).asnumpy()
    assert grey.shape == (4, 5, 1)
    assert abs(grey[..., 0] - pixels @ [0.299, 0.587, 0.114]).max() <= 1


def test_imdecode_by_its_documentation():
    pixels = IMAGE.asnumpy()
    content, target = encoded(pixels), pixels.transpose(2, 0, 1).astype("float32")
    np.testing.assert_array_equal(nd.imdecode(content).asnumpy(), target)
    mean = nd.ones((3, 2, 3))
    part = nd.imdecode(content, clip_rect=(1, 2, 4, 4), mean=mean).asnumpy()
    np.testing.assert_array_equal(part, target[:, 2:4, 1:4] - 1)
    out = nd.zeros((2, 3, 4, 5))
    assert nd.imdecode(content, out=out, index=1) is out
    np.testing.assert_array_equal(out.asnumpy(), [np.zeros_like(target), target])
    assert nd.imdecode(content, channels=1).shape == (1, 4, 5)
    with pytest.raises(AttributeValueError, match="imdecode: 1 or 3 channels are required, got 4"):
        nd.imdecode(content, channels=4)


def test_bytes_that_are_no_image(monkeypatch):
    pytest.importorskip("PIL.Image")
    monkeypatch.setitem(__import__("sys").modules, "cv2", None)
    with pytest.raises(FormatError, match="_cvimdecode: Pillow cannot read the image"):
        nd._internal._cvimdecode(IMAGE)


def test_images_of_16_bits_keep_their_upper_ones():
    grey = np.arange(6, dtype=np.uint16).reshape(2, 3) * 10000
    content = encoded(grey)
    got = nd._internal._cvimdecode(nd.array(np.frombuffer(content, "uint8"), dtype="uint8"), flag=0)
    np.testing.assert_array_equal(got.asnumpy()[..., 0], grey >> 8)


def test_files_without_libraries(tmp_path, monkeypatch):
    path: Path = tmp_path / "image.png"
    path.write_bytes(b"bytes")
    for name in ("cv2", "PIL", "PIL.Image"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(mx.MXNetError, match=r"OpenCV or Pillow is required.*pip install"):
        nd._internal._cvimread(filename=str(path))


def test_resized_images_are_those_of_opencv_to_the_bit():
    expected = json.loads((Path(__file__).parent / "oracle" / "resized.json").read_text(encoding="utf-8"))
    sums = resized_images.checksums(mx)
    differ = [
        (name, i)
        for name, theirs in expected.items()
        for i, (a, b) in enumerate(zip(sums[name], theirs, strict=True))
        if a != b
    ]
    assert not differ
