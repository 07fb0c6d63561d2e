"""Epochs of `ImageRecordIter` and its kin, for real MXNet and for this project alike; nothing is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.image_calls import FOLDER, SCENES, labelled

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "two_epochs": {"batch_size": 3},
    "part_0": {"num_parts": 3, "part_index": 0, "batch_size": 1},
    "part_1": {"num_parts": 3, "part_index": 1, "batch_size": 1},
    "part_2": {"num_parts": 3, "part_index": 2, "batch_size": 1},
    "indexed_0": {"num_parts": 3, "part_index": 0, "batch_size": 1, "path_imgidx": True},
    "indexed_1": {"num_parts": 3, "part_index": 1, "batch_size": 1, "path_imgidx": True},
    "indexed_2": {"num_parts": 3, "part_index": 2, "batch_size": 1, "path_imgidx": True},
    "larger": {"data_shape": (3, 50, 42)},
    "wide": {"data_shape": (3, 10, 70)},
    "grey": {"data_shape": (1, 12, 14)},
    "grey_mean": {"data_shape": (1, 12, 14), "mean_r": 100, "std_r": 5},
    "resize": {"resize": 20},
    "resize_up": {"resize": 70},
    **{f"resize_by_{i}": {"resize": 25, "inter_method": i} for i in (0, 1, 2, 3, 4, 9)},
    **{f"resize_up_by_{i}": {"resize": 60, "inter_method": i} for i in (0, 2, 3, 9)},
    "mean": {"mean_r": 123.68, "mean_g": 116.28, "mean_b": 103.53},
    "mean_one": {"mean_b": 100},
    "std": {"mean_r": 120, "std_r": 58.4, "std_g": 57.1, "std_b": 57.4},
    "std_alone": {"std_r": 58.4, "std_g": 57.1, "std_b": 57.4},
    "scale": {"scale": 1 / 255},
    "scale_mean": {"scale": 1 / 128, "mean_r": 127.5, "mean_g": 127.5, "mean_b": 127.5, "std_g": 2},
    "mirror": {"mirror": True},
    "pad": {"pad": 4, "data_shape": (3, 40, 42)},
    "pad_fill": {"pad": 4, "data_shape": (3, 40, 42), "fill_value": 7},
    "crop_size": {"max_crop_size": 30, "min_crop_size": 30},
    "crop_size_area": {"max_crop_size": 30, "min_crop_size": 30, "inter_method": 3},
    "rotate": {"rotate": 30},
    "rotate_far": {"rotate": 200, "fill_value": 0},
    "shrink": {"max_random_scale": 0.7, "min_random_scale": 0.7},
    "grow": {"max_random_scale": 1.5, "min_random_scale": 1.5},
    "grow_cubic": {"max_random_scale": 1.5, "min_random_scale": 1.5, "inter_method": 2},
    "aspect": {"max_aspect_ratio": 1.5, "min_aspect_ratio": 1.5},
    "largest": {"max_img_size": 30},
    "least": {"min_img_size": 60},
    "whole": {
        "random_resized_crop": True, "max_random_area": 1, "min_random_area": 1,
        "max_aspect_ratio": 1.0, "min_aspect_ratio": 1.0,
    },
    "whole_middle": {"resize": 20, "rand_crop": False, "mean_r": 3, "scale": 0.5, "mirror": True},
    "pairs": {"label_width": 2},
    "listed": {"path_imglist": True},
    "listed_pairs": {"path_imglist": True, "label_width": 2},
    "uint8": {"dtype": "uint8"},
    "uint8_mean": {"dtype": "uint8", "mean_r": 100, "scale": 0.5, "mirror": True},
    "int8": {"dtype": "int8"},
    "int8_mean": {"dtype": "int8", "mean_r": 100, "mean_g": 100, "mean_b": 100, "scale": 0.5},
    "as_text": {
        "data_shape": "(3, 12, 14)", "mean_r": "100", "mirror": "True", "batch_size": "7", "resize": "20",
    },
    "mean_img": {"mean_img": True},
    "mean_img_scale": {"mean_img": "ready", "scale": 0.5, "mirror": True, "std_r": 3},
    "unknown": {"nobody_knows": 3},
}  # fmt: skip


BOX_OPTIONS: dict[str, dict[str, Any]] = {
    "boxes": {},
    "boxes_wide": {"label_pad_width": 40, "label_pad_value": -7},
    "boxes_resize": {"resize": 15},
    "boxes_mean": {"mean_r": 100, "std_r": 3, "scale": 0.5},
    "boxes_mirror": {"rand_mirror_prob": 1.0, "mean_g": 100},
    "boxes_shrink": {"resize_mode": "shrink", "data_shape": (3, 45, 50), "mean_r": 100},
    "boxes_fit": {"resize_mode": "fit", "data_shape": (3, 45, 50), "fill_value": 3},
    "boxes_fit_less": {"resize_mode": "fit", "inter_method": 3, "mean_r": 100},
    "boxes_by_area": {"inter_method": 3},
    "boxes_grey": {"data_shape": (1, 20, 24)},
    "boxes_mean_img": {"mean_img": "ready", "rand_mirror_prob": 1.0, "data_shape": (3, 12, 14)},
    "boxes_in_threes": {"batch_size": 3},
}
"""The same of ImageDetRecordIter."""


def write(mx: Any, folder: Path) -> None:
    """Files of records of the scenes, with one label and with two, and lists."""
    for name in ("one", "two"):
        writer = mx.recordio.MXIndexedRecordIO(str(folder / f"{name}.idx"), str(folder / f"{name}.rec"), "w")
        for i, scene in enumerate(SCENES):
            label: Any = float(i) if name == "one" else [float(i), i + 0.5]
            header = mx.recordio.IRHeader(0, label, i * 10, 0)
            writer.write_idx(i + 3, mx.recordio.pack(header, (FOLDER / scene).read_bytes()))
        writer.close()
    mean = np.random.RandomState(3).uniform(80, 150, (3, 12, 14))
    mx.nd.save(str(folder / "ready.bin"), {"mean_img": mx.nd.array(mean)})
    writer = mx.recordio.MXIndexedRecordIO(str(folder / "boxes.idx"), str(folder / "boxes.rec"), "w")
    for i, (label, scene) in enumerate(labelled()):
        header = mx.recordio.IRHeader(0, label, i * 10, 0)
        writer.write_idx(i, mx.recordio.pack(header, (FOLDER / scene).read_bytes()))
    writer.close()
    lines = [f"{i * 10}\t{100 + i}\t{name}\n" for i, name in enumerate(SCENES)]
    (folder / "one.lst").write_text("".join(lines))
    lines = [f"{i * 10}\t{100 + i}\t{-i}\t{name}\n" for i, name in enumerate(SCENES)]
    (folder / "two.lst").write_text("".join(lines))


def arguments(name: str, folder: Path) -> dict[str, Any]:
    """The arguments of a call with their files."""
    options = dict({**OPTIONS, **BOX_OPTIONS}[name])
    kind = "two" if options.get("label_width") == 2 else "one"
    if "path_imgidx" in options:
        options["path_imgidx"] = str(folder / f"{kind}.idx")
    if "path_imglist" in options:
        options["path_imglist"] = str(folder / f"{kind}.lst")
        kind = "one" if kind == "one" else "two"
    if "mean_img" in options:
        options["mean_img"] = str(folder / ("ready.bin" if options["mean_img"] == "ready" else "mean.bin"))
    common = {"data_shape": (3, 12, 14), "batch_size": 7, "preprocess_threads": 2, "verbose": False}
    if name in BOX_OPTIONS:
        kind = "boxes"
    return {"path_imgrec": str(folder / f"{kind}.rec"), **common, **options}


def epochs(iterator: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """The arrays of two epochs; data of the first alone."""
    for epoch in range(2):
        for k, batch in enumerate(iterator):
            if not epoch:
                yield f"{prefix}.{k}.data", batch.data[0].asnumpy()
            yield f"{prefix}.{epoch}.{k}.label", batch.label[0].asnumpy()
            yield f"{prefix}.{epoch}.{k}.pad", np.asarray(batch.pad)
        iterator.reset()


def results(mx: Any, name: str, folder: Path) -> Iterator[tuple[str, Any]]:
    """Names and arrays of a call."""
    kind = mx.io.ImageDetRecordIter if name in BOX_OPTIONS else mx.io.ImageRecordIter
    yield from epochs(kind(**arguments(name, folder)), name)
    if name == "mean_img":
        (mean,) = mx.nd.load(str(folder / "mean.bin")).values()
        yield f"{name}.mean", mean.asnumpy()
