"""The options of iterators over records of images, by MXNet's names and with its defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from ..attrs import Floats, Ints, read
from ..errors import MXNetError


@dataclass(frozen=True)
class Augmentation:
    """What is done to each image before it becomes part of a batch."""

    resize: int = -1
    """The length of the shorter side before all else."""
    rand_crop: bool = False
    random_resized_crop: bool = False
    max_rotate_angle: int = 0
    max_aspect_ratio: float = 0.0
    min_aspect_ratio: float | None = None
    max_shear_ratio: float = 0.0
    max_crop_size: int = -1
    min_crop_size: int = -1
    max_random_scale: float = 1.0
    min_random_scale: float = 1.0
    max_random_area: float = 1.0
    min_random_area: float = 1.0
    max_img_size: float = 1e10
    min_img_size: float = 0.0
    brightness: float = 0.0
    contrast: float = 0.0
    saturation: float = 0.0
    pca_noise: float = 0.0
    random_h: int = 0
    random_s: int = 0
    random_l: int = 0
    rotate: int = -1
    """An angle for all images, in place of a random one."""
    fill_value: int = 255
    inter_method: int = 1
    """OpenCV's interpolation, 9 for a choice by sizes, 10 for any."""
    pad: int = 0


@dataclass(frozen=True)
class Normalization:
    """What becomes of the numbers of an image."""

    mirror: bool = False
    rand_mirror: bool = False
    mean_img: str = ""
    """A file of the mean image, which is written if there is none."""
    mean_r: float = 0.0
    mean_g: float = 0.0
    mean_b: float = 0.0
    mean_a: float = 0.0
    std_r: float = 1.0
    std_g: float = 1.0
    std_b: float = 1.0
    std_a: float = 1.0
    scale: float = 1.0
    max_random_contrast: float = 0.0
    max_random_illumination: float = 0.0


@dataclass(frozen=True)
class BoxAugmentation:
    """What is done to each image with boxes before it becomes part of a batch.

    Of the tuples each number is for one kind of crop, or the last one for all that follow.
    """

    resize: int = -1
    rand_crop_prob: float = 0.0
    min_crop_scales: Floats = (0.0,)
    max_crop_scales: Floats = (1.0,)
    min_crop_aspect_ratios: Floats = (1.0,)
    max_crop_aspect_ratios: Floats = (1.0,)
    min_crop_overlaps: Floats = (0.0,)
    max_crop_overlaps: Floats = (1.0,)
    min_crop_sample_coverages: Floats = (0.0,)
    max_crop_sample_coverages: Floats = (1.0,)
    min_crop_object_coverages: Floats = (0.0,)
    max_crop_object_coverages: Floats = (1.0,)
    num_crop_sampler: int = 1
    crop_emit_mode: str = "center"
    """What loses its label in a crop: with "center" objects whose middle is outside, with "overlap" those of
    which a smaller share is left than `emit_overlap_thresh`."""
    emit_overlap_thresh: float = 0.3
    max_crop_trials: Ints = (25,)
    rand_pad_prob: float = 0.0
    max_pad_scale: float = 1.0
    max_random_hue: int = 0
    random_hue_prob: float = 0.0
    max_random_saturation: int = 0
    random_saturation_prob: float = 0.0
    max_random_illumination: int = 0
    random_illumination_prob: float = 0.0
    max_random_contrast: float = 0.0
    random_contrast_prob: float = 0.0
    rand_mirror_prob: float = 0.0
    fill_value: int = 127
    inter_method: int = 1
    resize_mode: str = "force"
    """How images come to their size: "force" in any ratio, "fit" and "shrink" in their own, "shrink" never
    larger than they are."""


@dataclass(frozen=True)
class Source:
    """Which records are read, in what order, and by how many threads."""

    path_imgrec: str = ""
    path_imglist: str = ""
    path_imgidx: str = ""
    label_width: int = 1
    data_shape: Ints = ()
    batch_size: int = 0
    preprocess_threads: int = 4
    verbose: bool = True
    num_parts: int = 1
    part_index: int = 0
    shuffle: bool = False
    seed: int = 0
    seed_aug: int | None = None
    round_batch: bool = True
    prefetch_buffer: int = 4
    dtype: str | None = None
    label_pad_width: int = 0
    label_pad_value: float = -1.0
    data_name: str = "data"
    label_name: str = "softmax_label"


def options_of(kind: type[Any], owner: str, values: Mapping[str, Any]) -> Any:
    """The options of one of the classes above, from values or their text; other names are left out."""
    types = get_type_hints(kind)
    return kind(
        **{name: read(owner, name, types[name], _plain(values[name])) for name in types if name in values}
    )


def _plain(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def require_source(owner: str, source: Source) -> None:
    """Raise `MXNetError` for options that no iterator can have."""
    if not source.path_imgrec:
        raise MXNetError(f"{owner}: path_imgrec is required, the path of a file of records.")
    if len(source.data_shape) != 3 or source.data_shape[0] not in (1, 3, 4) or min(source.data_shape) < 1:
        raise MXNetError(
            f"{owner}: a data_shape (C, H, W) with 1, 3 or 4 channels is required, got {source.data_shape}."
        )
    if source.batch_size < 1:
        raise MXNetError(f"{owner}: a batch_size above 0 is required, got {source.batch_size}.")
    if source.prefetch_buffer < 0:
        raise MXNetError(f"{owner}: a prefetch_buffer from 0 on is required, got {source.prefetch_buffer}.")
    if not 0 <= source.part_index < source.num_parts:
        raise MXNetError(
            f"{owner}: a part_index below num_parts={source.num_parts} is required, got {source.part_index}."
        )
