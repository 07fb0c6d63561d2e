"""`mx.image`: what it reads, resizes, crops, augments and batches is what real MXNet does, draw by draw."""

from __future__ import annotations

import contextlib
import io
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import image
from hybridonnx.errors import FormatError, RequirementError
from tests import image_calls as calls

ORACLE = Path(__file__).parent / "oracle" / "image.npz"
LIBRARIES = ("PIL.Image", "cv2")
CUT_BEFORE_GREY = {"deep.png.0", "deep_transparent.png.0"}
"""Pillow gives 8 of 16 bits of colours, before they become grey."""
CUBIC = {"resize.0.2", "resize.1.2", "resize.2.2", "short.0.40.9", "short.2.40.9", "random_crop.9"}
"""OpenCV since 4 rounds some results of cubic interpolation otherwise than MXNet's OpenCV 3.4."""


@pytest.fixture(params=LIBRARIES)
def library(request, monkeypatch):
    """Images by one library at a time."""
    pytest.importorskip(request.param)
    if request.param != "cv2":
        monkeypatch.setitem(sys.modules, "cv2", None)
    return request.param


@pytest.fixture
def without_opencv(monkeypatch):
    pytest.importorskip("PIL.Image")
    monkeypatch.setitem(sys.modules, "cv2", None)


def test_everything_is_what_mxnet_gives(library, tmp_path):
    loose = CUBIC if library == "cv2" else CUT_BEFORE_GREY
    with np.load(ORACLE) as archive:
        theirs = dict(archive)
    differences = []
    for name, ours in calls.every(mx, tmp_path):
        expected = theirs.pop(name)
        if ours.dtype.kind == "U":
            same = str(ours) == str(expected)
        else:
            off = 1 if name in loose else 0 if ours.dtype == np.uint8 else 1e-3
            same = ours.shape == expected.shape and (ours.dtype == expected.dtype or ours.dtype.kind == "i")
            same = same and bool((abs(ours.astype("float64") - expected) <= off).all())
        differences += [] if same else [name]
    assert not differences
    assert not theirs


# ---- what is refused


def png(width, height):
    """The beginning of a PNG that claims a size, with pixels for one row."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(100))), (b"IEND", b""))
    parts = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def jpeg(width, height):
    content = bytearray((calls.FOLDER / "colour.jpg").read_bytes())
    at = content.index(b"\xff\xc0") + 5
    content[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(content)


@pytest.mark.parametrize("content", [png(100_000, 100_000), jpeg(65_535, 65_535), png(2**31 - 1, 1000)])
def test_claims_of_more_pixels_than_allowed(library, content):
    with pytest.raises(FormatError, match=r"at most 134217728 pixels is required.*HYBRIDONNX_PIXELS"):
        mx.image.imdecode(content)


@pytest.mark.filterwarnings("ignore:Image size:Warning")
def test_claims_of_other_formats(library):
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (4, 4)).save(file, "GIF")
    content = file.getvalue()
    for size in ((65535, 65535), (12000, 12000)):
        with pytest.raises(FormatError, match=r"at most 134217728 pixels|fewer pixels is required"):
            mx.image.imdecode(content[:6] + struct.pack("<HH", *size) + content[10:])
    if library != "cv2":  # OpenCV reads GIF from 5 on
        assert mx.image.imdecode(content).shape == (4, 4, 3)


def test_the_limit_of_pixels_can_be_set(library, monkeypatch):
    monkeypatch.setenv("HYBRIDONNX_PIXELS", "1000")
    with pytest.raises(FormatError, match="1000 pixels"):
        mx.image.imread(calls.FOLDER / "colour.jpg")
    monkeypatch.setenv("HYBRIDONNX_PIXELS", "10000")
    assert mx.image.imread(calls.FOLDER / "colour.jpg").shape == (37, 53, 3)


@pytest.mark.parametrize("name", ["colour.jpg", "colour.png", "deep.png", "palette.png", "colour.bmp"])
def test_damaged_files_end_in_an_error_or_an_image(library, name):
    rng = np.random.default_rng(0)
    content = (calls.FOLDER / name).read_bytes()
    for _ in range(30):
        damaged = bytearray(content[: rng.integers(1, len(content))])
        for at in rng.integers(0, len(damaged), 3):
            damaged[at] = rng.integers(256)
        with contextlib.suppress(mx.MXNetError):
            assert mx.image.imdecode(bytes(damaged)).shape[2] == 3


def test_what_is_no_image(library):
    with pytest.raises(FormatError, match=r"can(not)? read the image|image that OpenCV can read"):
        mx.image.imdecode(b"garbage")
    with pytest.raises(FormatError, match="bytes of an image are required, got none"):
        mx.image.imdecode(b"")
    with pytest.raises(ValueError, match="imdecode: bytes, or an array of them, are required, got str"):
        mx.image.imdecode("text")
    with pytest.raises(FileNotFoundError, match="nothing"):
        mx.image.imread("nothing.jpg")


def test_libraries_are_named_where_none_is_installed(monkeypatch):
    for name in ("cv2", "PIL", "PIL.Image"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(mx.MXNetError, match="pip install opencv-python-headless or pip install pillow"):
        mx.image.imread(calls.FOLDER / "colour.jpg")


def test_images_that_are_received():
    out = mx.nd.zeros((5, 4, 3), dtype="uint8")
    assert mx.image.imresize(mx.nd.ones((2, 2, 3), dtype="uint8"), 4, 5, out=out) is out
    assert (out.asnumpy() == 1).all()
    pytest.importorskip("PIL.Image")
    out = mx.nd.zeros((37, 53, 3))
    assert mx.image.imread(calls.FOLDER / "colour.png", out=out) is out
    assert out.dtype == np.float32


IMAGE = mx.nd.array(calls.scene(20, 24), dtype="uint8")
MISTAKES = {
    "endless": (lambda: mx.image.resize_short(mx.nd.zeros((1, 30_000, 3)), 100), "at most 134217728 pixels"),
    "no image": (lambda: mx.image.imresize(np.zeros((2, 2, 3)), 1, 1), "NDArray is required"),
    "no width": (lambda: mx.image.imresize(IMAGE, 0, 1), "width and height of 1 or more"),
    "a half": (lambda: mx.image.resize_short(IMAGE, 2.5), "width and height of 1 or more"),
    "integers": (lambda: mx.image.imresize(IMAGE.astype("int32"), 2, 2), "uint8 or floating-point"),
    "interpolation": (lambda: mx.image.imresize(IMAGE, 2, 2, 7), "0 to 4, 9 for a choice by sizes"),
    "outside": (lambda: mx.image.fixed_crop(IMAGE, 30, 0, 1, 1), "part inside the image"),
    "keyword": (lambda: mx.image.random_size_crop(IMAGE, (1, 1), 1, (1, 1), x=1), "no argument x"),
    "no cast": (lambda: mx.image.HueJitterAug(0.1)(IMAGE), "CastAug"),
    "no crop": (lambda: mx.image.CreateAugmenter((3, 2, 2), rand_resize=True), "rand_crop is required"),
    "mean": (lambda: mx.image.CreateAugmenter((3, 2, 2), mean=np.zeros(4)), "1 or 3 numbers"),
    "no source": (lambda: mx.image.ImageIter(1, (3, 2, 2)), "path_imgrec, path_imglist or a list"),
    "shape": (lambda: mx.image.ImageIter(1, (1, 2, 2), imglist=[]), r"data_shape \(3, H, W\)"),
    "label dtype": (lambda: mx.image.ImageIter(1, (3, 2, 2), imglist=[], dtype="uint8"), "as dtype"),
    "no rows": (lambda: mx.image.ImageIter(0, (3, 2, 2), imglist=[]), "ImageIter: a batch_size above 0"),
    "no rows of boxes": (lambda: mx.image.ImageDetIter(-1, (3, 2, 2), imglist=[]), "a batch_size above 0"),
    "last batch": (
        lambda: mx.image.ImageIter(1, (3, 2, 2), imglist=[], last_batch_handle="drop"),
        "one of pad, discard, roll_over is required as last_batch_handle, got 'drop'",
    ),
    "part": (lambda: mx.image.ImageIter(1, (3, 2, 2), imglist=[], num_parts=2, part_index=2), "num_parts=2"),
    "borrow": (lambda: mx.image.DetBorrowAug(3), "an Augmenter is required"),
    "select": (lambda: mx.image.DetRandomSelectAug([3]), "DetAugmenters are required"),
    "lists": (
        lambda: mx.image.CreateMultiRandCropAugmenter([0.1, 0.2], max_attempts=[1, 2, 3]),
        "lists of one length",
    ),
    "rotation": (lambda: mx.image.imrotate(IMAGE, 3), "float32 is required"),
    "zooms": (lambda: mx.image.imrotate(mx.nd.zeros((3, 2, 2)), 3, True, True), "got both"),
    "angles": (lambda: mx.image.imrotate(mx.nd.zeros((2, 3, 2, 2)), mx.nd.zeros(3)), "each of 2 images"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told(name):
    call, message = MISTAKES[name]
    with pytest.raises((ValueError, TypeError, AssertionError), match=message):
        call()


def test_subclasses_define_augmenters():
    with pytest.raises(NotImplementedError):
        mx.image.Augmenter()(IMAGE)
    with pytest.raises(NotImplementedError):
        mx.image.DetAugmenter()(IMAGE, None)

    class Mine(image.Augmenter):
        def __init__(self, x):
            super().__init__(x=x)

    assert Mine(mx.nd.array([1.0])).dumps() == '["mine", {"x": [1.0]}]'


# ---- iterators


def test_broken_images_are_named(library, tmp_path):
    (tmp_path / "bad.jpg").write_bytes(b"\xff\xd8garbage")
    it = mx.image.ImageIter(1, (3, 5, 5), imglist=[[0, "bad.jpg"]], path_root=tmp_path)
    with pytest.raises(RuntimeError, match=r"Broken image filename: bad.jpg"):
        it.next()
    with mx.recordio.MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w") as file:
        file.write_idx(51, mx.recordio.pack(mx.recordio.IRHeader(0, 1.0, 0, 0), b"garbage"))
    it = mx.image.ImageIter(1, (3, 5, 5), path_imgrec=tmp_path / "a.rec", path_imgidx=tmp_path / "a.idx")
    with pytest.raises(mx.MXNetError, match=r"Broken image index: 51"):
        it.next()
    with pytest.raises(FileNotFoundError, match="nope"):
        mx.image.ImageIter(1, (3, 5, 5), imglist=[[0, "nope.jpg"]], path_root=tmp_path).next()


def test_subclasses_change_single_steps(library):
    steps = []

    class Mine(image.ImageIter):
        def check_valid_image(self, data):
            steps.append("check")
            if len(steps) == 1:
                raise RuntimeError("not this one")

        def augmentation_transform(self, data):
            steps.append(data.shape)
            return super().augmentation_transform(data)

        def postprocess_data(self, datum):
            steps.append(datum.shape)
            return super().postprocess_data(datum)

    entries = [[i, name] for i, name in enumerate(calls.SCENES)]
    batch = Mine(1, (3, 5, 6), imglist=entries, path_root=calls.FOLDER).next()
    assert steps == ["check", "check", (64, 48, 3), (5, 6, 3)]
    assert batch.label[0].asnumpy().tolist() == [1]


def test_labels_have_to_fit(library):
    with pytest.raises(ValueError, match="Set label_width=2"):
        mx.image.ImageIter(1, (3, 5, 5), imglist=[[1, 2, calls.SCENES[0]]], path_root=calls.FOLDER).next()
    it = mx.image.ImageDetIter(1, (3, 5, 5), imglist=calls.labelled()[:3], path_root=calls.FOLDER)
    with pytest.raises(ValueError, match=r"label_shape \(3 or more, 5\)"):
        it.reshape(label_shape=(2, 5))
    with pytest.raises(RequirementError, match="ImageDetIter is required"):
        it.sync_label_shape(3)


BAD_LABELS = {
    "short": [1, 2, 3],
    "no area": [2, 5, 1, 0.3, 0.1, 0.2, 0.2],
    "left over": [2, 5, 1, 0.1, 0.1, 0.2, 0.2, 1],
    "narrow": [2, 4, 1, 0.1, 0.1, 0.2, 0, 0, 0, 0],
    "no number": [float("nan"), 5, 1, 0.1, 0.1, 0.2, 0.2],
    "endless": [2, float("inf"), 1, 0.1, 0.1, 0.2, 0.2],
    "huge width": [2, 10**9, 1, 0.1, 0.1, 0.2, 0.2],
}


@pytest.mark.parametrize("label", BAD_LABELS.values(), ids=BAD_LABELS)
def test_labels_that_are_no_objects(label):
    with pytest.raises(RuntimeError, match=r"a label .* is required"):
        mx.image.ImageDetIter(1, (3, 5, 5), imglist=[[label, calls.SCENES[0]]], path_root=calls.FOLDER)


def test_images_without_objects_are_left_out(library):
    entries = [[[2, 5, -1, 0.1, 0.1, 0.2, 0.2], calls.SCENES[0]], *calls.labelled()[1:2]]
    it = mx.image.ImageDetIter(1, (3, 5, 5), imglist=entries, path_root=calls.FOLDER)
    labels = it.next().label[0].asnumpy()[0]
    np.testing.assert_allclose(labels, calls.boxes(1), rtol=1e-6)


def test_limits_that_cannot_be_met_do_nothing(caplog):
    for kind in (mx.image.DetRandomCropAug, mx.image.DetRandomPadAug):
        augmenter = kind(area_range=(0.5, 0.2))
        assert "it does nothing" in caplog.text
        assert augmenter(IMAGE, calls.boxes(0))[0] is IMAGE


def test_boxes_are_drawn():
    pytest.importorskip("cv2")
    it = mx.image.ImageDetIter(2, (3, 40, 40), imglist=calls.labelled(), path_root=calls.FOLDER)
    images = list(it.draw_next(color=(255, 0, 0), thickness=1))
    assert len(images) == 7
    left, top = (calls.boxes(0)[0, 1:3] * 40).astype(int)
    assert images[0][top, left].tolist() == [0, 0, 255]


def test_boxes_are_drawn_by_opencv_alone(without_opencv):
    it = mx.image.ImageDetIter(2, (3, 40, 40), imglist=calls.labelled(), path_root=calls.FOLDER)
    with pytest.raises(mx.MXNetError, match="pip install opencv-python"):
        next(it.draw_next())


@pytest.fixture
def numpy_arrays():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


def test_images_are_numpy_arrays_where_blocks_make_these(library, numpy_arrays):
    options = {"mean": True, "std": True, "hue": 0.1, "pca_noise": 0.1, "saturation": 0.2, "rand_gray": 0.5}
    chain = image.CreateAugmenter((3, 14, 20), rand_crop=True, rand_mirror=True, inter_method=1, **options)
    src = image.imread(calls.FOLDER / "scene3.jpg")
    assert type(src) is mx.np.ndarray
    assert type(image.fixed_crop(src, 0, 0, 5, 5)) is mx.np.ndarray
    assert type(image.copyMakeBorder(src, 1, 1, 1, 1)) is mx.np.ndarray
    calls.seeded(mx, 2)
    changed: mx.nd.NDArray = src
    for augmenter in chain:
        changed = augmenter(changed)
        assert type(changed) is mx.np.ndarray, augmenter
    mx.npx.reset_np()
    calls.seeded(mx, 2)
    chain = image.CreateAugmenter((3, 14, 20), rand_crop=True, rand_mirror=True, inter_method=1, **options)
    expected = image.SequentialAug(chain)(mx.nd.array(src.asnumpy(), dtype="uint8"))
    np.testing.assert_allclose(changed.asnumpy(), expected.asnumpy(), rtol=1e-5)
    mx.npx.set_np()
    batch = image.ImageIter(2, (3, 5, 6), imglist=[[1, "scene0.jpg"]], path_root=calls.FOLDER).next()
    assert type(batch.data[0]) is type(batch.label[0]) is mx.np.ndarray


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_lists_may_have_names_that_are_not_utf8(tmp_path):
    name = b"sch\xf6n.png".decode("utf-8", "surrogateescape")
    (tmp_path / name).write_bytes((calls.FOLDER / "scene0.jpg").read_bytes())
    (tmp_path / "a.lst").write_bytes(b"1\t2\tsch\xf6n.png\n")
    it = mx.image.ImageIter(1, (3, 7, 9), path_imglist=str(tmp_path / "a.lst"), path_root=str(tmp_path))
    assert next(it).label[0].asnumpy().tolist() == [2]
