"""Calls of `mx.image`, for real MXNet and for this project alike; random ones with seeds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "data" / "images"
SCENES = [f"scene{i}.jpg" for i in range(7)]
UNREAD = ("colour.webp",)
"""What real MXNet's OpenCV cannot read."""

Named = Iterator[tuple[str, Any]]


def scene(height: int, width: int, seed: int = 0) -> np.ndarray:
    """Random pixels."""
    return np.random.RandomState(seed).randint(0, 256, (height, width, 3)).astype("uint8")


def seeded(mx: Any, seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)


def files(mx: Any) -> Named:
    for path in sorted(FOLDER.iterdir()):
        if path.suffix == ".py" or path.name in UNREAD:
            continue
        for flag in (0, 1):
            yield f"{path.name}.{flag}", mx.image.imread(str(path), flag=flag)
    content = (FOLDER / "colour.jpg").read_bytes()
    yield "blue_first", mx.image.imdecode(content, to_rgb=False)
    yield "bytearray", mx.image.imdecode(bytearray(content), 0)
    yield "numbers", mx.image.imdecode(np.frombuffer(content, np.uint8))


def sizes(mx: Any) -> Named:
    image = mx.image
    for number, (h, w, height, width) in enumerate(((37, 53, 20, 24), (20, 24, 37, 53), (24, 40, 12, 60))):
        src = mx.nd.array(scene(h, w, number), dtype="uint8")
        for interp in range(5):
            yield f"resize.{number}.{interp}", image.imresize(src, width, height, interp)
        real = src.astype("float32")
        for interp in range(4):
            yield f"resize.float.{number}.{interp}", image.imresize(real, width, height, interp=interp)
        for size in (13, 20, 40):
            for interp in (1, 3, 9):
                yield f"short.{number}.{size}.{interp}", image.resize_short(src, size, interp)
        for wide in ((10, 12), (60, 30), (30, 60)):
            part, box = image.center_crop(src, wide, 1)
            yield f"center.{number}.{wide}", part
            yield f"center.{number}.{wide}.box", box
        yield f"fixed.{number}", image.fixed_crop(src, 3, 5, 11, 9)
        yield f"fixed.resized.{number}", image.fixed_crop(src, 3, 5, 11, 9, (6, 8), 9)
        yield f"fixed.beyond.{number}", image.fixed_crop(src, 15, 12, 100, 90)
        for kind in range(5):
            yield f"border.{number}.{kind}", image.copyMakeBorder(src, 1, 2, 3, 4, kind, values=(9, 8, 7))
        yield f"border.one.{number}", image.copyMakeBorder(src, 1, 2, 3, 4, 0, 77.0)
    pairs = (((640, 480), (720, 120)), ((360, 1000), (480, 500)), ((10.5, 20), (30, 7)), ((5, 5), (5, 5)))
    for k, pair in enumerate(pairs):
        yield f"scale_down.{k}", image.scale_down(*pair)


def random_parts(mx: Any) -> Named:
    src = mx.nd.array(scene(37, 53), dtype="uint8")
    for seed in range(12):
        seeded(mx, seed)
        part, box = mx.image.random_crop(src, ((20, 10), (60, 30))[seed % 2], 10 if seed > 8 else 1)
        yield f"random_crop.{seed}", part
        yield f"random_crop.{seed}.box", box
        area: Any = (0.3, (0.08, 1), (0.9, 1.2))[seed % 3]
        part, box = mx.image.random_size_crop(src, (20, 10), area, (3 / 4, 4 / 3), 9)
        yield f"random_size_crop.{seed}", part
        yield f"random_size_crop.{seed}.box", box
    images = mx.nd.array(scene(12, 9).transpose(2, 0, 1)[None].repeat(2, 0) / 255)
    for seed, zoom in enumerate(({}, {"zoom_in": True}, {"zoom_out": True})):
        seeded(mx, seed)
        yield f"rotate.{seed}", mx.image.imrotate(images, 33, **zoom)
        yield f"rotate.each.{seed}", mx.image.imrotate(images, mx.nd.array([10, -70]), **zoom)
        yield f"rotate.one.{seed}", mx.image.imrotate(images[0], -100.0, **zoom)
        yield f"rotate.random.{seed}", mx.image.random_rotate(images, (-40, 60), **zoom)
        yield f"rotate.random.one.{seed}", mx.image.random_rotate(images[1], (-40, 60), **zoom)


def augmenters(mx: Any) -> dict[str, Any]:
    image = mx.image
    colours = np.array([55.46, 4.794, 1.148]), np.arange(9).reshape(3, 3) / 10
    return {
        "resize": image.ResizeAug(20, 1),
        "force": image.ForceResizeAug((20, 14), 3),
        "crop": image.RandomCropAug((20, 14), 1),
        "size_crop": image.RandomSizedCropAug((20, 14), (0.2, 0.9), (0.5, 2), 1),
        "size_crop_one": image.RandomSizedCropAug((20, 14), 0.3, (0.5, 2), 1),
        "center": image.CenterCropAug((20, 14), 1),
        "flip": image.HorizontalFlipAug(0.5),
        "brightness": image.BrightnessJitterAug(0.4),
        "contrast": image.ContrastJitterAug(0.4),
        "saturation": image.SaturationJitterAug(0.4),
        "hue": image.HueJitterAug(0.4),
        "colours": image.ColorJitterAug(0.1, 0.2, 0.3),
        "lighting": image.LightingAug(0.3, *colours),
        "normalize": image.ColorNormalizeAug(mx.nd.array([120, 110, 100]), mx.nd.array([50, 51, 52])),
        "normalize_list": image.ColorNormalizeAug([120, 110, 100], None),
        "grey": image.RandomGrayAug(0.5),
        "cast": image.CastAug("float32"),
        "in_turn": image.SequentialAug([image.CenterCropAug((20, 14), 1), image.CastAug()]),
        "any_order": image.RandomOrderAug([image.BrightnessJitterAug(0.1), image.HorizontalFlipAug(0.5)]),
    }


def augmented(mx: Any) -> Named:
    src = mx.nd.array(scene(37, 53)).astype("float32")
    for name, augmenter in augmenters(mx).items():
        yield f"{name}.dumps", json.dumps(augmenter.dumps())
        for seed in range(3):
            seeded(mx, seed)
            yield f"{name}.{seed}", augmenter(src.copy())


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"resize": 30},
    {"rand_crop": True, "rand_mirror": True},
    {"rand_crop": True, "rand_resize": True, "mean": True, "std": True},
    {"brightness": 0.2, "contrast": 0.2, "saturation": 0.2, "hue": 0.1, "pca_noise": 0.1, "rand_gray": 0.3},
    {"mean": np.array([1.0, 2.0, 3.0]), "std": np.array([4.0, 5.0, 6.0])},
)
DETECTION_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"resize": 30, "rand_mirror": True},
    {"rand_crop": 0.9, "min_object_covered": 0.6},
    {"rand_crop": 0.8, "min_object_covered": [0.1, 0.5, 0.9], "area_range": (0.3, 1.0)},
    {"rand_pad": 0.9, "rand_mirror": True, "mean": True, "std": True},
    {"rand_crop": 0.5, "rand_pad": 0.5, "rand_gray": 0.5, "area_range": (0.2, 2.0), "pad_val": (1, 2, 3)},
    {"brightness": 0.2, "contrast": 0.2, "saturation": 0.2, "hue": 0.1, "pca_noise": 0.1},
)


def pipelines(mx: Any) -> Named:
    for number, options in enumerate(OPTIONS):
        chain = mx.image.CreateAugmenter((3, 14, 20), inter_method=1, **options)
        yield f"create.{number}.dumps", json.dumps([each.dumps() for each in chain])
        for seed in range(3):
            seeded(mx, seed)
            image = mx.nd.array(scene(37, 53, seed), dtype="uint8")
            for augmenter in chain:
                image = augmenter(image)
            yield f"create.{number}.{seed}", image
    yield from detection_pipelines(mx)


def boxes(seed: int) -> np.ndarray:
    """Labels of one to three objects."""
    rng = np.random.RandomState(seed)
    count = seed % 3 + 1
    corner = rng.uniform(0, 0.5, (count, 2))
    return np.hstack([np.arange(count)[:, None], corner, corner + rng.uniform(0.2, 0.5, corner.shape)])


def detection_pipelines(mx: Any) -> Named:
    for number, options in enumerate(DETECTION_OPTIONS):
        chain = mx.image.CreateDetAugmenter((3, 14, 20), inter_method=1, **options)
        yield f"detection.{number}.dumps", json.dumps([each.dumps() for each in chain])
        for seed in range(5):
            seeded(mx, seed)
            image, label = mx.nd.array(scene(37, 53, seed), dtype="uint8"), boxes(seed)
            for augmenter in chain:
                image, label = augmenter(image, label)
            yield f"detection.{number}.{seed}", image
            yield f"detection.{number}.{seed}.label", label


def batches(iterator: Any, prefix: str, epochs: int = 2) -> Named:
    for epoch in range(epochs):
        for k, batch in enumerate(iterator):
            yield f"{prefix}.{epoch}.{k}.data", batch.data[0]
            yield f"{prefix}.{epoch}.{k}.label", batch.label[0]
            yield f"{prefix}.{epoch}.{k}.pad", batch.pad
        iterator.reset()


def write_records(mx: Any, folder: Path) -> dict[str, str]:
    """Files of records of the scenes, with one label and with two."""
    paths = {}
    for name, label in (("one", lambda i: float(i)), ("two", lambda i: [float(i), 10.0 + i])):
        rec, idx = str(folder / f"{name}.rec"), str(folder / f"{name}.idx")
        writer = mx.recordio.MXIndexedRecordIO(idx, rec, "w")
        for i, scene_name in enumerate(SCENES):
            header = mx.recordio.IRHeader(0, label(i), i, 0)
            writer.write_idx(i + 3, mx.recordio.pack(header, (FOLDER / scene_name).read_bytes()))
        writer.close()
        paths[name] = rec
    return paths


def iterators(mx: Any, folder: Path) -> Named:
    entries = [[i, name] for i, name in enumerate(SCENES)]
    common: dict[str, Any] = {"batch_size": 3, "data_shape": (3, 7, 9), "path_root": str(FOLDER)}
    common["inter_method"] = 1
    for handle in ("pad", "discard", "roll_over"):
        for count in (7, 6, 2):
            it = mx.image.ImageIter(imglist=entries[:count], last_batch_handle=handle, **common)
            yield from batches(it, f"{handle}.{count}", 3)
    random.seed(5)
    yield from batches(mx.image.ImageIter(imglist=entries, shuffle=True, **common), "shuffled")
    for part in range(2):
        it = mx.image.ImageIter(imglist=entries, num_parts=2, part_index=part, **common)
        yield from batches(it, f"part.{part}", 1)
    pairs = [[[i, i + 0.5], name] for i, name in enumerate(SCENES)]
    yield from batches(mx.image.ImageIter(imglist=pairs, label_width=2, **common), "pairs", 1)
    (folder / "a.lst").write_text("4\t1.5\tscene1.jpg\n3\t2\tscene0.jpg\n")
    yield from batches(mx.image.ImageIter(path_imglist=str(folder / "a.lst"), **common), "listed", 1)
    paths = write_records(mx, folder)
    yield from batches(mx.image.ImageIter(path_imgrec=paths["one"], **common), "records")
    random.seed(6)
    index = paths["two"].replace(".rec", ".idx")
    options = {"path_imgrec": paths["two"], "path_imgidx": index, "shuffle": True, "label_width": 2}
    yield from batches(mx.image.ImageIter(**options, **common), "records.shuffled")


def labelled(width: int = 5) -> list[list[Any]]:
    return [
        [np.concatenate([[3, width, 7], boxes(i).ravel()]).tolist(), name] for i, name in enumerate(SCENES)
    ]


def detection_iterators(mx: Any) -> Named:
    common: dict[str, Any] = {"batch_size": 3, "data_shape": (3, 7, 9), "path_root": str(FOLDER)}
    common["inter_method"] = 1
    for handle in ("pad", "discard", "roll_over"):
        it = mx.image.ImageDetIter(imglist=labelled(), last_batch_handle=handle, **common)
        yield from batches(it, f"boxes.{handle}")
    random.seed(7)
    options = {"shuffle": True, "rand_crop": 0.7, "rand_mirror": True, "rand_pad": 0.5}
    it = mx.image.ImageDetIter(imglist=labelled(), **options, **common)
    yield from batches(it, "boxes.random")
    it.reshape((3, 8, 8), (5, 5))
    yield "boxes.reshaped", [*it.provide_data[0][1], *it.provide_label[0][1]]
    few = mx.image.ImageDetIter(imglist=labelled()[:1], **common)
    it.sync_label_shape(few)
    yield "boxes.synchronous", [*it.label_shape, *few.label_shape]


def every(mx: Any, folder: Path) -> Named:
    """Names and results of all calls; `folder` receives files."""
    groups = (files(mx), sizes(mx), random_parts(mx), augmented(mx), pipelines(mx))
    for group in (*groups, iterators(mx, folder), detection_iterators(mx)):
        for name, value in group:
            yield name, value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
