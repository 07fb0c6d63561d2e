"""Datasets, samplers, loaders and transforms against real MXNet 1.9.1 (oracle/gluon_data.json)."""

from __future__ import annotations

import gc
import gzip
import inspect
import itertools
import json
import threading
import time
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import gluon, nd, sym
from hybridonnx.gluon import data
from hybridonnx.gluon.contrib.data import IntervalSampler
from hybridonnx.gluon.data import batchify, vision
from hybridonnx.gluon.data.vision import transforms
from tests.snippets import alike, outcome

FACTS = json.loads((Path(__file__).parent / "oracle" / "gluon_data.json").read_text())
SCOPE: dict[str, Any] = {"mx": mx, "nd": nd, "sym": sym, "gluon": gluon, "data": data, "vision": vision}
SCOPE |= {"transforms": transforms, "IntervalSampler": IntervalSampler}
OURS = {
    "nd.image.random_saturation(image": "MXNet takes the blue alone for the brightness",
    "transforms.RandomBrightness(-1)": "a negative range is refused",
}
"""What MXNet does and we do not, and why; tests/ops/image.py has cases of the operators."""
ROWS = [
    (group, *row)
    for group, rows in FACTS.items()
    if isinstance(rows, list)
    for row in rows
    if not row[0].startswith(tuple(OURS))
]


def is_error(expected):
    return isinstance(expected, dict) and "error" in expected


@pytest.mark.parametrize(("group", "text", "expected"), ROWS, ids=str)
@pytest.mark.filterwarnings("ignore:Ignoring")
def test_what_mxnet_gives(group, text, expected, tmp_path):
    value = outcome(FACTS["values"] + text, folder=str(tmp_path), **SCOPE)
    if is_error(expected):
        with pytest.raises(Exception) as caught:  # noqa: PT011  (of the stored type)
            exec(FACTS["values"] + text, {"np": np, "folder": str(tmp_path), **SCOPE})
        assert expected["error"] in [c.__name__ for c in caught.type.__mro__], caught.value
    elif group == "transforms" and isinstance(expected, dict) and expected.get("dtype") == "uint8":
        assert [value.get(key) for key in ("dtype", "shape")] == [expected["dtype"], expected["shape"]]
        off = np.abs(np.subtract(value["values"], expected["values"]))
        assert off.max() <= 1, "one for rounding: OpenCV works with fixed points"
    else:
        assert alike(value, expected, 1e-4), f"{value}\n{expected}"


@pytest.mark.parametrize("start", OURS)
def test_differences_are_of_snippets(start):
    assert any(row[0].startswith(start) for row in FACTS["transforms"])


@pytest.mark.parametrize("name", FACTS["signatures"])
def test_signatures_are_mxnets(name):
    ours = next(getattr(m, name) for m in (data, vision, transforms, data.dataloader) if hasattr(m, name))
    expected = FACTS["signatures"][name]
    parameters = inspect.signature(ours).parameters.values()
    signature = str(inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in parameters]))
    if "root=" in expected:  # whose default depends on the environment
        signature, expected = (text.partition("root=")[2].partition(",")[2] for text in (signature, expected))
    assert signature == expected


# ---- samplers and batches


def test_random_order_follows_the_seed():
    orders = []
    for seed in (3, 3, 4):
        mx.random.seed(seed)
        orders.append([b.asnumpy().tolist() for b in data.DataLoader(range(20), 6, shuffle=True)])
    assert orders[0] == orders[1] != orders[2]
    assert sorted(itertools.chain(*orders[0])) == list(range(20))


@pytest.mark.parametrize("count", [0, -2])
def test_batch_sizes_are_checked(count):
    with pytest.raises(ValueError, match="1 or more is required"):
        data.DataLoader([1, 2], count)


def test_samples_that_do_not_stack_are_refused():
    with pytest.raises(ValueError, match=r"samples of one shape are required, got \(2,\), \(3,\)"):
        batchify.default([np.zeros(2), np.zeros(3)])
    with pytest.raises(ValueError, match="tuples of 1, 2"):
        batchify.default([(1, 2), (3,)])
    with pytest.raises(TypeError, match="got str"):
        batchify.default(["a", "b"])
    with pytest.raises(TypeError, match="required as a sample"):
        batchify.default([[[1], [1, 2]]])


def test_batchify_functions():
    rows = [(np.array([1, 2]), 5), (np.array([3]), 6)]
    words, labels = batchify.Group(batchify.Pad(val=-1), batchify.Stack())(rows)
    assert words.asnumpy().tolist() == [[1, 2], [3, -1]]
    assert labels.asnumpy().tolist() == [5, 6]
    padded, sizes = batchify.Pad(ret_length=True, dtype="float32")([np.ones((2, 1)), np.ones((1, 3))])
    assert padded.shape == (2, 2, 3)
    assert padded.dtype == np.float32
    assert sizes.asnumpy().tolist() == [2, 1]
    assert batchify.AsList()(("a", "b")) == ["a", "b"]
    with pytest.raises(ValueError, match="2 elements are required"):
        batchify.Group(batchify.Stack(), batchify.Stack())([(1,), (2,)])
    with pytest.raises(ValueError, match="one number of axes"):
        batchify.Pad()([np.ones(2), np.ones((1, 2))])


# ---- workers


class Slow(data.Dataset):
    """Numbers that take their time, and the threads that made them."""

    def __init__(self, length=20, pause=0.0):
        self.length, self.pause, self.threads = length, pause, set()

    def __len__(self):
        return self.length

    def __getitem__(self, idx):
        self.threads.add(threading.current_thread().name)
        time.sleep(self.pause * (self.length - idx))
        return idx


def test_workers_keep_the_order():
    slow = Slow(20, 0.0005)
    batches = [b.asnumpy().tolist() for b in data.DataLoader(slow, 3, num_workers=3)]
    assert list(itertools.chain(*batches)) == list(range(20))
    assert all(name.startswith("DataLoader") for name in slow.threads)


def test_draws_do_not_depend_on_the_workers():
    noisy = Slow(20, 0.0002).transform(lambda i: i + nd.random.uniform(shape=(1,)))
    runs = []
    for workers in (0, 1, 3):
        mx.random.seed(5)
        batches = data.DataLoader(noisy, 3, shuffle=True, num_workers=workers)
        runs.append([[b.asnumpy().tolist() for b in batches] for _ in range(2)])
    assert runs[0] == runs[1] == runs[2]
    assert len({v for epoch in runs[0] for batch in epoch for (v,) in batch}) == 40


def test_workers_make_no_more_than_prefetch_ahead():
    slow = Slow(100)
    batches: Any = iter(data.DataLoader(slow, 1, num_workers=1, prefetch=2))
    next(batches)
    time.sleep(0.05)
    assert len(slow.threads) == 1
    assert len(batches._futures) == 2


def test_errors_of_workers_arrive():
    bad = data.SimpleDataset([1, 2, 0, 4]).transform(lambda x: 1 // x)
    loader = data.DataLoader(bad, 1, num_workers=2)
    with pytest.raises(ZeroDivisionError):
        list(loader)
    assert len(loader) == 4


def test_waiting_ends():
    loader = data.DataLoader(Slow(2, 0.2), 1, num_workers=1, timeout=0.05)
    with pytest.raises(mx.MXNetError, match=r"within 0\.05 seconds is required"):
        list(loader)


def test_loaders_end_their_threads():
    loader = data.DataLoader(Slow(4), 1, num_workers=2)
    list(loader)
    pool: Any = loader._pool
    del loader
    gc.collect()
    with pytest.raises(RuntimeError):
        pool.submit(print)


def test_reloading_begins_the_next_iteration():
    slow = Slow(4)
    loader = data.DataLoader(slow, 2, num_workers=1, auto_reload=True)
    for _ in range(3):
        assert [b.asnumpy().tolist() for b in loader] == [[0, 1], [2, 3]]
        assert loader._ready is not None
    loader.clean()
    assert [len(b) for b in loader] == [2, 2]
    loader.refresh()
    assert len(list(loader)) == 2


def test_a_network_learns_from_a_loader():
    mx.random.seed(1)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(64, 3)).astype("float32")
    y = (x.sum(1) > 0).astype("float32")
    net = gluon.nn.Dense(2)
    net.initialize()
    batches = data.DataLoader(data.ArrayDataset(x, y), 16, shuffle=True, num_workers=2, pin_memory=True)
    accuracy = mx.metric.Accuracy()
    for _ in range(20):
        accuracy.reset()
        for images, labels in batches:
            with mx.autograd.record():
                loss = gluon.loss.SoftmaxCrossEntropyLoss()(net(images), labels)
            loss.backward()
            for p in net.collect_params().values():
                p.set_data(p.data() - 0.05 * p.grad())
            accuracy.update([labels], [net(images)])
    assert accuracy.get()[1] > 0.95


# ---- files


def test_missing_files_say_where_they_are_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    with pytest.raises(mx.errors.MissingFileError, match="is required in") as caught:
        vision.MNIST()
    assert str(tmp_path / "datasets" / "mnist") in str(caught.value)
    assert "train-images-idx3-ubyte.gz" in str(caught.value)
    with pytest.raises(FileNotFoundError, match="cifar-10-binary"):
        vision.CIFAR10(tmp_path)
    with pytest.raises(FileNotFoundError, match="folder"):
        vision.ImageFolderDataset(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "begins with 00 00 08 03"),
        (b"\0\0\x09\3" + bytes(12), "got 00 00 09 03"),
        (b"\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\2" + bytes(7), "8 values"),
        (b"\0\0\x08\3" + b"\xff" * 12, "values for"),
    ],
)
def test_damaged_files_are_refused(tmp_path, content, says):
    (tmp_path / "train-images-idx3-ubyte").write_bytes(content)
    with pytest.raises(mx.errors.FormatError, match=says):
        vision.MNIST(tmp_path)


def test_files_that_are_not_packed_will_do(tmp_path):
    (tmp_path / "t10k-images.idx3-ubyte").write_bytes(b"\0\0\x08\3\0\0\0\1\0\0\0\2\0\0\0\2" + bytes(range(4)))
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"\0\0\x08\1\0\0\0\1\7"))
    image, label = vision.MNIST(tmp_path, train=False)[0]
    assert image.asnumpy().ravel().tolist() == [0, 1, 2, 3]
    assert label == 7
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(b"not packed")
    with pytest.raises(mx.errors.FormatError, match="gzip"):
        vision.MNIST(tmp_path, train=False)


def test_damaged_cifar(tmp_path):
    (tmp_path / "test_batch.bin").write_bytes(bytes(3074))
    with pytest.raises(mx.errors.FormatError, match="images of 3073 bytes"):
        vision.CIFAR10(tmp_path, train=False)


def every(dataset):
    """All samples."""
    return [dataset[i] for i in range(len(dataset))]


def stored(folder):
    """A folder and a file of records with arrays as images."""
    record = mx.recordio.MXIndexedRecordIO(folder / "x.idx", folder / "x.rec", "w")
    for i, name in enumerate(("a", "b")):
        (folder / "images" / name).mkdir(parents=True)
        path = folder / "images" / name / "0.npy"
        np.save(path, np.full((2, 3, 3), i, np.uint8))
        record.write_idx(i, mx.recordio.pack(mx.recordio.IRHeader(0, i + 5, i, 0), path.read_bytes()))
    record.close()
    return folder


def test_images_that_are_arrays(tmp_path):
    stored(tmp_path)
    folder = vision.ImageFolderDataset(tmp_path / "images")
    records = vision.ImageRecordDataset(tmp_path / "x.rec", transform=lambda x, y: (x * 2, y))
    assert [(int(x.sum().asscalar()), y) for x, y in every(folder)] == [(0, 0), (18, 1)]
    assert [(int(x.sum().asscalar()), y) for x, y in every(records)] == [(0, 5), (36, 6)]
    batch = next(iter(data.DataLoader(records, 2, num_workers=2)))
    assert batch[0].shape == (2, 2, 3, 3)


def test_arrays_of_objects_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    np.save(tmp_path / "a" / "0.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(mx.errors.FormatError, match="NumPy cannot read the array"):
        vision.ImageFolderDataset(tmp_path)[0]


def test_images_without_libraries(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "0.jpg").write_bytes(b"\xff\xd8")
    for name in ("cv2", "PIL", "PIL.Image"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(mx.MXNetError, match=r"OpenCV or Pillow is required.*pip install"):
        vision.ImageFolderDataset(tmp_path)[0]


def test_images_by_pillow(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cv2", None)
    Image = pytest.importorskip("PIL.Image")
    (tmp_path / "a").mkdir()
    pixels = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a" / "0.png")
    assert vision.ImageFolderDataset(tmp_path)[0][0].asnumpy().tolist() == pixels.tolist()
    assert vision.ImageFolderDataset(tmp_path, flag=0)[0][0].shape == (4, 5, 1)
    (tmp_path / "a" / "0.png").write_bytes(b"\x89PNG, or not")
    with pytest.raises(mx.errors.FormatError, match="Pillow cannot read the image"):
        vision.ImageFolderDataset(tmp_path)[0]


# ---- transforms


def samples_of(transform, image, count=300, seed=0):
    """What a random transform gives, many times."""
    mx.random.seed(seed)
    return np.stack([transform(image).asnumpy() for _ in range(count)])


def test_flips_happen_half_of_the_time():
    image = nd.array(np.arange(12).reshape(2, 2, 3), dtype="uint8")
    for transform, axis in ((transforms.RandomFlipLeftRight(), 1), (transforms.RandomFlipTopBottom(), 0)):
        images = samples_of(transform, image)
        mirrored = (images == np.flip(image.asnumpy(), axis)).all((1, 2, 3))
        assert (mirrored | (images == image.asnumpy()).all((1, 2, 3))).all()
        assert 0.4 < mirrored.mean() < 0.6


def test_factors_are_in_their_range():
    factors = samples_of(transforms.RandomBrightness(0.25), nd.ones((1, 1, 3)))[:, 0, 0, 0]
    assert factors.min() == pytest.approx(0.75, abs=0.02)
    assert factors.max() == pytest.approx(1.25, abs=0.02)
    lit = samples_of(transforms.RandomLighting(0.1), nd.zeros((1, 1, 3)), 2000)[:, 0, 0]
    assert lit.std(0) == pytest.approx(0.1 * np.sqrt((_main_colours() ** 2).sum(1)), rel=0.1)


def _main_colours():
    """What alphas of 1 add, from single ones."""
    units = [tuple(row) for row in np.eye(3)]
    return np.stack([nd.image.adjust_lighting(nd.zeros((1, 1, 3)), u).asnumpy().ravel() for u in units], 1)


def test_random_parts_are_of_the_image():
    image = nd.array(np.arange(20 * 30).reshape(20, 30, 1) % 251, dtype="float32")
    mx.random.seed(2)
    for _ in range(20):
        part = transforms.RandomResizedCrop((7, 5), scale=(0.3, 0.6))(image).asnumpy()
        assert part.shape == (5, 7, 1)
        assert 0 <= part.min() <= part.max() <= 250
    thin = transforms.RandomResizedCrop(4, scale=(1, 1), ratio=(0.01, 0.02))(image)
    assert thin.shape == (4, 4, 1), "no part fits, so that the middle is taken"


def test_jitter_of_a_random_order_follows_the_seed():
    image = nd.array(np.random.default_rng(0).integers(0, 256, (4, 5, 3)), dtype="uint8")
    transform = transforms.RandomColorJitter(0.3, 0.3, 0.3, 0.3)
    assert (samples_of(transform, image, 5) == samples_of(transform, image, 5)).all()
    assert len(np.unique(samples_of(transform, image, 5).reshape(5, -1), axis=0)) == 5
    assert (transforms.RandomColorJitter()(image) == image).asnumpy().all()


def test_grey_images_have_no_hue():
    image = nd.array(np.arange(20).reshape(4, 5, 1), dtype="uint8")
    for changed in (
        nd.image.random_hue(image, 0.3, 0.3),
        nd.image.adjust_lighting(image, (0.1, -0.2, 0.3)),
        transforms.RandomColorJitter(saturation=0.5, hue=0.5)(image),
    ):
        assert (changed == image).asnumpy().all()


def test_rotations_are_drawn():
    image = nd.array(np.random.default_rng(0).uniform(0, 1, (3, 6, 6)))
    mx.random.seed(0)
    transform = transforms.RandomRotation((-30, 30), zoom_in=True, rotate_with_proba=0.5)
    same = [bool((transform(image) == image).asnumpy().all()) for _ in range(60)]
    assert 15 < sum(same) < 45


def test_transforms_are_exported_with_a_network(tmp_path):
    net = gluon.nn.HybridSequential()
    net.add(transforms.Resize((8, 8)), transforms.ToTensor(), transforms.Normalize((0.5, 0.4, 0.3), 0.25))
    net.add(gluon.nn.Conv2D(2, 3))
    net.initialize()
    images = nd.array(np.random.default_rng(0).integers(0, 256, (2, 9, 11, 3)), dtype="uint8")
    eager = net(images).asnumpy()
    net.hybridize()
    assert net(images).asnumpy() == pytest.approx(eager, abs=0.05)  # a pixel may be rounded the other way
    net.export(str(tmp_path / "net"))
    assert "_image_normalize" in (tmp_path / "net-symbol.json").read_text()


def test_sizes_are_checked():
    image = nd.zeros((4, 5, 3), dtype="uint8")
    for transform in (transforms.Resize((1, 2, 3)), transforms.Resize(0), transforms.Resize(3, False, 7)):
        with pytest.raises(mx.MXNetError, match="required, got"):
            transform(image)
    with pytest.raises(ValueError, match="width, height"):
        transforms.CenterCrop((1, 2, 3))


@pytest.mark.parametrize("length", [6, 7, 11])
@pytest.mark.parametrize("parts", [1, 2, 3, 6])
def test_parts_of_a_split_are_all_and_once(length, parts):
    mx.random.seed(1)
    samplers = [gluon.data.SplitSampler(length, parts, i) for i in range(parts)]
    drawn = [list(sampler) for sampler in samplers]
    assert [len(sampler) for sampler in samplers] == [len(part) for part in drawn]
    assert sorted(chain(*drawn)) == list(range(length))
    assert max(map(len, drawn)) - min(map(len, drawn)) <= 1
    plain = [list(gluon.data.SplitSampler(length, parts, i, shuffle=False)) for i in range(parts)]
    assert [*chain(*plain)] == list(range(length))
    even = [list(gluon.data.SplitSampler(length, parts, i, even_size=True)) for i in range(parts)]
    assert {len(part) for part in even} == {-(-length // parts)}
    assert set(chain(*even)) == set(range(length))
    twice = gluon.data.SplitSampler(length, parts, 0, repeat=2)
    assert sorted(twice) == sorted(plain[0] * 2)
    assert len(twice) == 2 * len(plain[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 4), "parts from 1 to the length 3 is required, got 4"),
        ((4, 2, 2), "a part from 0 to 1 is required, got 2"),
        ((4, 2, 0, False, 0), "1 or more is required as repeat, got 0"),
    ],
)
def test_other_splits_are_refused(arguments, message):
    with pytest.raises(AssertionError, match=message):
        gluon.data.SplitSampler(*arguments)
