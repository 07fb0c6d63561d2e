"""Iterators over records of images: real MXNet's batches where nothing is drawn, else what has to hold."""

from __future__ import annotations

import gc
import io
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.formats.recordio import RecordMap, RecordReader, encode
from tests import record_iter_calls as calls
from tests.image_calls import FOLDER, SCENES

ORACLE = Path(__file__).parent / "oracle" / "record_iter.npz"
LIBRARIES = ("PIL.Image", "cv2")
WARPED = {"rotate", "rotate_far", "shrink", "grow", "grow_cubic", "aspect", "largest", "least"}
"""What OpenCV alone does; OpenCV 5 interpolates otherwise than 3.4 and 4."""
CUBIC = {"resize_by_2", "resize_up_by_2", "resize_up_by_9"}


@pytest.fixture(scope="module")
def theirs():
    with np.load(ORACLE) as archive:
        return dict(archive)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("records")
    calls.write(mx, path)
    return path


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", [*calls.OPTIONS, *calls.BOX_OPTIONS])
def test_epochs_are_those_of_mxnet(name, library, theirs, folder, monkeypatch):
    pytest.importorskip(library)
    if library != "cv2":
        monkeypatch.setitem(sys.modules, "cv2", None)
    if name in WARPED and library != "cv2":
        with pytest.raises(mx.MXNetError, match=r"OpenCV is required, .* pip install opencv-python-headless"):
            mx.io.ImageRecordIter(**calls.arguments(name, folder))
        return
    (folder / "mean.bin").unlink(missing_ok=True)
    off = 2 if name in WARPED else 1 if name in CUBIC and library == "cv2" else 1e-4
    ours = dict(calls.results(mx, name, folder))
    assert set(ours) == {key for key in theirs if key.startswith(f"{name}.")}
    for key, array in ours.items():
        assert (array.shape, array.dtype.kind) == (theirs[key].shape, theirs[key].dtype.kind)
        np.testing.assert_allclose(array.astype("f8"), theirs[key], atol=off, err_msg=key)


@pytest.fixture
def iterator(folder):
    pytest.importorskip("PIL.Image")

    def make(kind=mx.io.ImageRecordIter, **options):
        common = {"path_imgrec": folder / "one.rec", "data_shape": (3, 12, 14), "verbose": False}
        return kind(**{**common, "batch_size": 2, **options})

    return make


def labels(it):
    return [label for batch in it for label in batch.label[0].asnumpy().tolist()]


# ---- order


def test_shuffled_epochs_have_every_record_once(iterator):
    it = iterator(shuffle=True, seed=3, batch_size=7)
    orders = []
    for _ in range(4):
        orders.append(labels(it))
        it.reset()
    assert all(sorted(order) == list(range(7)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4
    assert orders[0] == labels(iterator(shuffle=True, seed=3, batch_size=7))
    assert orders[0] != labels(iterator(shuffle=True, seed=4, batch_size=7))


def test_shuffled_epochs_go_on_behind_what_filled_the_last_batch(iterator):
    it = iterator(shuffle=True, batch_size=3)
    first = labels(it)
    it.reset()
    second = labels(it)
    assert sorted(first[:7]) == list(range(7))
    assert sorted((first[7:] + second)[:7]) == list(range(7)), "the second order begins in the first epoch"


def test_parts_share_the_records(iterator):
    parts = [labels(iterator(num_parts=3, part_index=i, shuffle=True, batch_size=1)) for i in range(3)]
    assert sorted(label for part in parts for label in part) == list(range(7))


def test_without_rounding_the_last_batch_is_filled_with_zeros(iterator):
    *_, last = iterator(batch_size=3, round_batch=False)
    assert last.pad == 2
    assert last.label[0].asnumpy().tolist() == [6, 0, 0]
    assert not last.data[0].asnumpy()[1:].any()


def test_batches_larger_than_the_file(iterator):
    (batch,) = iterator(batch_size=16)
    assert batch.pad == 9
    assert batch.label[0].asnumpy().tolist() == [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1]


def test_reset_within_an_epoch_begins_anew(iterator):
    it = iterator(batch_size=3)
    it.next()
    it.reset()
    assert it.next().label[0].asnumpy().tolist() == [0, 1, 2]


def test_batches_tell_ids_and_names(iterator):
    it = iterator(data_name="x", label_name="y", batch_size=3)
    assert it.provide_data == [("x", (3, 3, 12, 14))]
    assert it.provide_label == [("y", (3,))]
    with pytest.raises(mx.MXNetError, match="call next"):
        it.getdata()
    assert it.iter_next()
    assert it.getindex().tolist() == [0, 10, 20]
    assert (it.getpad(), it.getdata().shape, it.getlabel().shape) == (0, (3, 3, 12, 14), (3,))


# ---- draws


AUGMENTED = {
    "rand_crop": {"rand_crop": True},
    "rand_mirror": {"rand_mirror": True},
    "resized_crop": {"random_resized_crop": True, "min_random_area": 0.2, "max_aspect_ratio": 0.3},
    "crop_size": {"max_crop_size": 30, "min_crop_size": 20, "rand_crop": True},
    "brightness": {"brightness": 0.3},
    "contrast": {"contrast": 0.3},
    "saturation": {"saturation": 0.3},
    "pca_noise": {"pca_noise": 0.3},
    "any_method": {"resize": 30, "inter_method": 10},
    "max_random_contrast": {"max_random_contrast": 0.3},
    "max_random_illumination": {"max_random_illumination": 30},
}
WARPS = {
    "angle": {"max_rotate_angle": 40},
    "shear": {"max_shear_ratio": 0.3},
    "random_scale": {"max_random_scale": 1.5, "min_random_scale": 0.7},
    "aspect": {"max_aspect_ratio": 0.4},
    "hues": {"random_h": 30, "random_s": 40, "random_l": 50},
}


@pytest.mark.parametrize("name", [*AUGMENTED, *WARPS])
def test_draws_are_the_same_for_any_number_of_threads(iterator, name):
    if name in WARPS:
        pytest.importorskip("cv2")
    options = {**AUGMENTED, **WARPS}[name]

    def epoch(**more):
        return np.stack([batch.data[0].asnumpy() for batch in iterator(batch_size=7, **options, **more)])

    one, two = epoch(seed_aug=1, preprocess_threads=1), epoch(seed_aug=1, preprocess_threads=4)
    np.testing.assert_array_equal(one, two)
    assert (one != epoch(seed_aug=2)).any()
    plain = np.stack([batch.data[0].asnumpy() for batch in iterator(batch_size=7)])
    assert (one != plain).any()
    assert abs(one.mean() - plain.mean()) < 40
    assert one.min() >= (0 if "max_random" not in name else -40)


def test_parts_at_random_are_parts_of_the_image(iterator):
    whole = mx.image.imread(FOLDER / SCENES[0]).asnumpy().transpose(2, 0, 1).astype("float32")
    places = set()
    for seed in range(20):
        part = next(iterator(rand_crop=True, seed_aug=seed)).data[0].asnumpy()[0]
        windows = np.lib.stride_tricks.sliding_window_view(whole, (12, 14), (1, 2))
        match = np.argwhere((windows == part[:, None, None]).all((0, 3, 4)))
        places.add(tuple(match[0]))
    assert len(places) > 15
    assert max(y for y, _ in places) > 20


def test_half_of_the_images_are_mirrored(iterator):
    plain = next(iterator()).data[0].asnumpy()
    mirrored = [next(iterator(rand_mirror=True, seed_aug=s)).data[0].asnumpy() for s in range(20)]
    same = [bool((x[i] == plain[i]).all()) for x in mirrored for i in range(2)]
    turned = [bool((x[i] == plain[i][..., ::-1]).all()) for x in mirrored for i in range(2)]
    assert all(a != b for a, b in zip(same, turned, strict=True))
    assert 8 < sum(same) < 32


# ---- boxes


def boxes_of(batch, row=0):
    """The image's height and width, and its objects."""
    label = batch.label[0].asnumpy()[row]
    count = int(label[3])
    return label[1:3], label[4:][int(label[4]) : count].reshape(-1, int(label[5]))


BOX_DRAWS = {
    "mirror": {"rand_mirror_prob": 0.5},
    "pad": {"rand_pad_prob": 1.0, "max_pad_scale": 3.0},
    "crop": {"rand_crop_prob": 1.0, "min_crop_scales": 0.4, "min_crop_object_coverages": 0.5},
    "crops": {
        "rand_crop_prob": 1.0, "num_crop_sampler": 2, "max_crop_trials": (9, 9),
        "min_crop_scales": (0.3, 0.6),
        "min_crop_overlaps": "(0.1, 0.3)", "crop_emit_mode": "overlap", "emit_overlap_thresh": 0.4,
        "min_crop_aspect_ratios": 0.5, "max_crop_aspect_ratios": 2,
    },
    "contrast": {"random_contrast_prob": 1.0, "max_random_contrast": 0.3},
}  # fmt: skip


@pytest.mark.parametrize("name", BOX_DRAWS)
def test_boxes_move_with_their_images(iterator, folder, tmp_path, name):
    image = np.zeros((60, 80, 3), np.uint8)
    image[20:50, 30:60] = 255
    with mx.recordio.MXRecordIO(tmp_path / "a.rec", "w") as file:
        label = [2, 5, 1, 30 / 80, 20 / 60, 60 / 80, 50 / 60]
        file.write(mx.recordio.pack_img(mx.recordio.IRHeader(0, label, 0, 0), image, 0, ".png"))
    places = set()
    for seed in range(30):
        common = {"batch_size": 1, "data_shape": (3, 90, 120), "path_imgrec": tmp_path / "a.rec"}
        it = iterator(mx.io.ImageDetRecordIter, seed_aug=seed, fill_value=0, **common, **BOX_DRAWS[name])
        batch = next(it)
        (h, w), objects = boxes_of(batch)
        assert (h, w) == (90, 120)
        rows, columns = np.nonzero(batch.data[0].asnumpy()[0, 0] > 100)
        seen = [columns.min() / 120, rows.min() / 90, (columns.max() + 1) / 120, (rows.max() + 1) / 90]
        np.testing.assert_allclose(objects[0, 1:], seen, atol=0.07)
        places.add(tuple(objects[0].round(3)))
    assert len(places) >= {"mirror": 2, "contrast": 1}.get(name, 15)


BAD_BOXES = {
    "few": ([3.0], {}, "whose first two numbers"),
    "no number": ([2, float("nan"), 1, 0, 0, 1, 1], {}, "whose first two numbers"),
    "left over": ([2, 5, 1, 0, 0, 1, 1, 9], {}, "whose first two numbers"),
    "padding": ([2, 5, 1, 0, 0, 1, 1], {"label_pad_width": 3}, "label_pad_width of 7 or more"),
    "width": ([2, 5, 1, 0, 0, 1, 1], {"label_width": 12}, "label_width=12"),
    "mode": ([2, 5, 1, 0, 0, 1, 1], {"resize_mode": "tight"}, "force or fit or shrink"),
}


@pytest.mark.parametrize("name", BAD_BOXES)
def test_labels_that_are_no_boxes(iterator, tmp_path, name):
    label, options, message = BAD_BOXES[name]
    with mx.recordio.MXRecordIO(tmp_path / "a.rec", "w") as file:
        content = (FOLDER / SCENES[0]).read_bytes()
        file.write(mx.recordio.pack(mx.recordio.IRHeader(0, label, 0, 0), content))
    with pytest.raises((mx.MXNetError, ValueError), match=message):
        iterator(mx.io.ImageDetRecordIter, path_imgrec=tmp_path / "a.rec", batch_size=1, **options).next()


# ---- what is refused


REFUSED = {
    "no file": ({"path_imgrec": "nothing.rec"}, FileNotFoundError, "nothing.rec"),
    "no path": ({"path_imgrec": ""}, mx.MXNetError, "path_imgrec is required"),
    "shape": ({"data_shape": (2, 3, 3)}, mx.MXNetError, "1, 3 or 4 channels"),
    "ahead": ({"prefetch_buffer": -1}, mx.MXNetError, "prefetch_buffer from 0 on is required, got -1"),
    "crops": ({"min_crop_size": 5, "max_crop_size": 2}, mx.MXNetError, "up to max_crop_size=2 is required"),
    "batch": ({"batch_size": 0}, mx.MXNetError, "batch_size above 0"),
    "part": ({"num_parts": 2, "part_index": 2}, mx.MXNetError, "num_parts=2"),
    "text": ({"mean_r": "dark"}, ValueError, "ImageRecordIter: attribute mean_r must be .*, got 'dark'"),
    "truth": ({"shuffle": "perhaps"}, ValueError, "attribute shuffle must be"),
    "labels": ({"label_width": 2}, mx.MXNetError, "record 0 with id 0 .* Set label_width=1"),
    "dtype": ({"dtype": "bool"}, TypeError, "numbers are required as dtype"),
    "index": ({"path_imgidx": "nothing.idx"}, FileNotFoundError, "nothing.idx"),
    "crop": ({"max_crop_size": 99, "min_crop_size": 99}, mx.MXNetError, "max_crop_size=99 .* got 60 x 40"),
    "channels": ({"data_shape": (4, 3, 3)}, mx.MXNetError, r"record 0 .* 4 channels is required"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(iterator, name):
    options, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        iterator(**options).next()


def test_damaged_records_are_named(iterator, tmp_path):
    path = tmp_path / "a.rec"
    with mx.recordio.MXRecordIO(path, "w") as file:
        file.write(mx.recordio.pack(mx.recordio.IRHeader(0, 1.0, 5, 0), (FOLDER / SCENES[0]).read_bytes()))
        file.write(mx.recordio.pack(mx.recordio.IRHeader(0, 1.0, 6, 0), b"garbage"))
    it = iterator(path_imgrec=path, batch_size=1)
    it.next()
    with pytest.raises(mx.MXNetError, match="record 1 with id 6"):
        it.next()
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(mx.MXNetError, match="whole record is required"):
        iterator(path_imgrec=path)
    path.write_bytes(b"")
    with pytest.raises(mx.MXNetError, match="a file with records is required"):
        iterator(path_imgrec=path)
    (tmp_path / "a.lst").write_text("inf\t1\tx\n")
    with pytest.raises(mx.MXNetError, match=r"line 1: an id, 1 labels"):
        iterator(path_imglist=tmp_path / "a.lst")
    (tmp_path / "a.lst").write_text("7\t1\tx\n")
    with pytest.raises(mx.MXNetError, match=r"a line for record 0 .* is required"):
        iterator(path_imglist=tmp_path / "a.lst").next()


def test_iterators_that_go_away_end_their_threads(iterator):
    before = threading.active_count()
    for _ in range(5):
        iterator(batch_size=1, prefetch_buffer=2).next()
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith("images"):
            thread.join(5)
    assert threading.active_count() <= before + 1


def test_bytes_stay_bytes(iterator):
    eight = iterator(mx.io.ImageRecordUInt8Iter, mean_r=100, scale=3)
    batch = next(eight)
    assert eight.provide_data[0].dtype is np.uint8
    assert batch.data[0].dtype is np.uint8
    np.testing.assert_array_equal(batch.data[0].asnumpy(), next(iterator()).data[0].asnumpy())
    assert next(iterator(mx.io.ImageRecordInt8Iter)).data[0].dtype is np.int8


# ---- maps of records


def test_maps_find_records_of_several_parts(tmp_path):
    magic = bytes.fromhex("0a23d7ce")
    records = [b"", b"a", magic, b"xxxx" + magic + b"yy", b"abcd" * 5, magic * 3]
    path = tmp_path / "a.rec"
    path.write_bytes(b"".join(map(encode, records)))
    records_of = RecordMap(path)
    offsets = list(records_of.offsets())
    assert [records_of.read(at) for at in offsets] == records
    with pytest.raises(mx.errors.FormatError, match="begins with 0a23d7ce"):
        records_of.read(4)
    with pytest.raises(mx.errors.FormatError, match="begins with"):
        records_of.read(-8)


def test_maps_outlive_files_that_are_cut(tmp_path):
    """A mapped file would end the process."""
    path = tmp_path / "a.rec"
    path.write_bytes(encode(b"a" * 9000) * 3)
    records_of = RecordMap(path)
    last = list(records_of.offsets())[-1]
    path.write_bytes(b"")
    with pytest.raises(mx.errors.FormatError, match="nobody cuts while it is read"):
        records_of.read(last)


def damaged_files():
    rng = np.random.default_rng(0)
    magic = bytes.fromhex("0a23d7ce")
    whole = b"".join(encode(rng.bytes(n) + magic * (n % 3) + rng.bytes(4 * n % 8)) for n in (3, 4, 8, 12, 0))
    yield whole
    yield encode(b"xxxx" + magic + b"yyyy")[12:]
    yield encode(b"xxxx" + magic + b"yyyy")[:12] + encode(b"z")
    for _ in range(60):
        content = bytearray(whole[: rng.integers(1, len(whole) + 1)])
        for at in rng.integers(0, len(content), rng.integers(3)):
            content[at] = rng.choice([0, 1, 32, 64, 96, 128, 255, 10, 35])
        yield bytes(content)


def test_maps_read_what_readers_do(tmp_path):
    def outcome(read):
        records = []
        try:
            records.extend(read())
        except mx.errors.FormatError:
            records.append("refused")
        return records

    path = tmp_path / "a.rec"
    for content in damaged_files():
        path.write_bytes(content)
        records_of = RecordMap(path)
        ours = outcome(lambda records_of=records_of: [records_of.read(at) for at in records_of.offsets()])
        reader = RecordReader(io.BytesIO(content))
        theirs = outcome(lambda reader=reader: list(iter(reader.read, None)))
        assert ours == theirs
