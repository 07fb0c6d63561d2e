"""`ImageIter`: batches of images from a file of records, a list file or a list, through augmenters."""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DTypeLike, as_dtype
from ..errors import FormatError, MXNetError, RequirementError, ShapeError
from ..formats.files import PathLike, lines_of, open_to_read
from ..io.io import DataBatch, DataDesc, DataIter, require_batches
from ..ndarray.creation import array
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..recordio import MXIndexedRecordIO, MXRecordIO, unpack
from ._augmenters import Augmenter, CreateAugmenter
from ._functions import imdecode, ndarray_of

_LABEL_DTYPES = ("int32", "float32", "int64", "float64")


class ImageIter(DataIter):
    """Batches of images (N, C, H, W) as float32, with their labels.

    Images come from a file of records, or by their paths from a list. What is not named here goes to
    `CreateAugmenter`. `last_batch_handle` tells what becomes of the images after the last full batch: "pad"
    fills the batch with the first ones, "discard" leaves them out, "roll_over" keeps them for the beginning
    of the next epoch. Shuffling draws from Python's generator `random`, as in MXNet.
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: Sequence[int],
        label_width: int = 1,
        path_imgrec: PathLike | None = None,
        path_imglist: PathLike | None = None,
        path_root: PathLike | None = None,
        path_imgidx: PathLike | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: Sequence[Augmenter] | None = None,
        imglist: Sequence[Sequence[object]] | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: DTypeLike = "float32",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(batch_size)
        self._name = type(self).__name__
        require_batches(self._name, batch_size, last_batch_handle)
        if not (path_imgrec or path_imglist or isinstance(imglist, list)):
            raise RequirementError(
                f"{self._name}: path_imgrec, path_imglist or a list as imglist is required."
            )
        if as_dtype(dtype).name not in _LABEL_DTYPES:
            names = ", ".join(_LABEL_DTYPES)
            raise RequirementError(f"{self._name}: one of {names} is required as dtype, got {dtype!r}.")
        self.check_data_shape(data_shape)
        self.data_shape, self.label_width = tuple(data_shape), label_width
        self.provide_data = [DataDesc(data_name, (batch_size, *self.data_shape))]
        self.provide_label = [DataDesc(label_name, (batch_size, label_width)[: 1 + (label_width > 1)])]
        self.imgrec: MXRecordIO | None = None
        self.imgidx: list[Any] | None = None
        if path_imgrec:
            self._open(path_imgrec, path_imgidx)
        self.imglist: dict[Any, tuple[NDArray, str]] | None = None
        if path_imglist:
            self.imglist = _listed_in_file(path_imglist, dtype)
        elif isinstance(imglist, list):
            self.imglist = _listed(imglist, dtype)
        self.path_root, self.shuffle, self.last_batch_handle = path_root, shuffle, last_batch_handle
        self.seq = self._sequence(part_index, num_parts)
        self.auglist: Any = CreateAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.num_image = None if self.seq is None else len(self.seq)
        self.cur, self._ended = 0, False
        self._left: tuple[NDArray, NDArray, int] | None = None
        self.reset()

    def _open(self, path_imgrec: PathLike, path_imgidx: PathLike | None) -> None:
        logging.info("%s: loading recordio %s...", self._name, path_imgrec)
        if path_imgidx:
            indexed = MXIndexedRecordIO(path_imgidx, path_imgrec, "r")
            self.imgrec, self.imgidx = indexed, list(indexed.keys)
        else:
            self.imgrec = MXRecordIO(path_imgrec, "r")

    def _sequence(self, part_index: int, num_parts: int) -> list[Any] | None:
        """The keys of the images in their order, `None` for all records of a file one after another."""
        keys = self.imgidx if self.imgrec is not None else list(self.imglist or ())
        if keys is None and (self.shuffle or num_parts > 1):
            raise RequirementError(
                f"{self._name}: path_imgidx is required to shuffle records, or for a part."
            )
        if keys is None or num_parts <= 1:
            return keys
        if not 0 <= part_index < num_parts:
            required = f"a part_index below num_parts={num_parts}"
            raise RequirementError(f"{self._name}: {required} is required, got {part_index}.")
        count = len(keys) // num_parts
        return keys[part_index * count : (part_index + 1) * count]

    # ---- where the iterator stands

    def reset(self) -> None:
        """Begin anew, in another order if images are shuffled; images that rolled over come first."""
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        if self.last_batch_handle != "roll_over" or self._left is None:
            self._begin()

    def hard_reset(self) -> None:
        """Begin anew without the images that rolled over."""
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        self._left = None
        self._begin()

    def _begin(self) -> None:
        if self.imgrec is not None:
            self.imgrec.reset()
        self.cur = 0
        self._ended = False

    def next_sample(self) -> tuple[Any, bytes]:
        """The label and the file of the next image; `StopIteration` at the end of the images."""
        if self._ended:
            raise StopIteration
        if self.seq is None:
            return self._next_record()
        if self.cur >= len(self.seq):
            if self.last_batch_handle != "discard":
                self.cur = 0
            raise StopIteration
        key = self.seq[self.cur]
        self.cur += 1
        if self.imgrec is None:
            assert self.imglist is not None
            label, name = self.imglist[key]
            return label, self.read_image(name)
        assert isinstance(self.imgrec, MXIndexedRecordIO)
        header, content = unpack(_record(self.imgrec.read_idx(key), key))
        return (header.label if self.imglist is None else self.imglist[key][0]), content

    def _next_record(self) -> tuple[Any, bytes]:
        assert self.imgrec is not None
        record = self.imgrec.read()
        if record is None:
            if self.last_batch_handle != "discard":
                self.imgrec.reset()
            raise StopIteration
        header, content = unpack(record)
        return header.label, content

    # ---- batches

    def _batchify(self, batch_data: Any, batch_label: Any, start: int = 0) -> int:
        """Fill rows from `start` on; how many rows are filled then. `StopIteration` if there are none."""
        i = start
        try:
            while i < self.batch_size:
                label, content = self.next_sample()
                image = self.imdecode(content)
                try:
                    self.check_valid_image(image)
                except RuntimeError as exc:
                    logging.debug("Invalid image, skipping: %s", exc)
                    continue
                image = self.augmentation_transform(image)
                self._place(batch_data, i, self.postprocess_data(image))
                _label_row(batch_label, i, label)
                i += 1
        except StopIteration:
            if not i:
                raise
        return i

    def _place(self, batch_data: NDArray, i: int, image: NDArray) -> None:
        if image.shape != self.data_shape:
            raise ShapeError(
                f"{self._name}: images {self.data_shape} are required, got {image.shape} by the augmenters. "
                "Add one that crops or resizes, such as CenterCropAug."
            )
        batch_data._data[i] = image._host

    def next(self) -> DataBatch:
        """The next batch; `StopIteration` at the end."""
        if self._left is not None:
            data, label, count = self._left
        else:
            data = ndarray_of(np.zeros(self.provide_data[0].shape, np.float32))
            label = ndarray_of(np.zeros(self.provide_label[0].shape, np.float32))
            count = self._batchify(data, label)
        pad = self.batch_size - count
        if pad:
            if self.last_batch_handle == "discard":
                raise StopIteration
            if self.last_batch_handle == "roll_over" and self._left is None:
                self._left = data, label, count
                raise StopIteration
            self._fill(data, label, count)
            self._left, self._ended = None, self.last_batch_handle == "pad"
        return DataBatch([data], [label], pad=pad)

    def _fill(self, data: NDArray, label: NDArray, count: int) -> None:
        """Fill the rows that are left with the first images, again and again if these are too few."""
        while count < self.batch_size:
            filled = self._batchify(data, label, count)
            if filled == count:
                break
            count = filled

    # ---- what subclasses may change

    def check_data_shape(self, data_shape: Sequence[int]) -> None:
        """Raise `ValueError` unless the shape is that of a colour image, (3, H, W)."""
        if len(data_shape) != 3 or data_shape[0] != 3:
            raise ShapeError(
                f"{type(self).__name__}: a data_shape (3, H, W) is required, got {tuple(data_shape)}."
            )

    def check_valid_image(self, data: NDArray) -> None:
        """Raise `RuntimeError` for an image that is left out."""
        if len(data[0].shape) == 0:
            raise MXNetError("An image of pixels is required, got a number.")

    def imdecode(self, s: bytes) -> NDArray:
        """The image (H, W, 3) in a file's bytes."""
        try:
            return imdecode(s)
        except MXNetError as exc:
            raise FormatError(f"Broken image {self._where()}: {exc}") from exc

    def _where(self) -> str:
        """The image that was read last."""
        if self.seq is None:
            return f"record of {self.imgrec.uri if self.imgrec else ''}"
        key = self.seq[self.cur - 1]
        if self.imglist is None:
            return f"index: {key}"
        return f"filename: {self.imglist[key][1]}"

    def read_image(self, fname: str) -> bytes:
        """The bytes of a file, below `path_root` if there is one."""
        with open_to_read(os.path.join(self.path_root or "", fname)) as file:
            return file.read()

    def augmentation_transform(self, data: NDArray) -> NDArray:
        """The image after all augmenters."""
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: NDArray) -> NDArray:
        """The image as it stands in a batch: (C, H, W)."""
        return ndarray_of(datum._host.transpose(2, 0, 1))


def _record(record: bytes | None, key: Any) -> bytes:
    if record is None:
        raise FormatError(f"A record with key {key} is required, got the end of the file.")
    return record


def _label_row(batch_label: NDArray, i: int, label: Any) -> None:
    """Set the labels of a row."""
    values = label.asnumpy() if isinstance(label, NDArray) else np.asarray(label)
    rows: Array = batch_label._data
    width = rows[i].size
    if values.size not in (1, width):
        raise ShapeError(
            f"{width} labels for each image are required, got {values.size}. Set label_width={values.size}."
        )
    rows[i] = values.ravel() if rows.ndim > 1 else values.ravel()[0]


def _listed_in_file(path: PathLike, dtype: DTypeLike) -> dict[Any, tuple[NDArray, str]]:
    """Labels and paths by number, from lines of a number, labels and a path between tabs."""
    logging.info("ImageIter: loading image list %s...", path)
    listed: dict[Any, tuple[NDArray, str]] = {}
    for number, line in enumerate(lines_of(path), 1):
        first, *labels, name = line.strip().split("\t") if "\t" in line else (line, "")
        try:
            listed[int(first)] = (array(np.array([float(label) for label in labels]), dtype=dtype), name)
        except ValueError:
            raise FormatError(
                f"{path}, line {number}: a number, labels and a path between tabs are required, "
                f"got {line[:80]!r}."
            ) from None
    return listed


def _listed(images: Sequence[Sequence[Any]], dtype: DTypeLike) -> dict[Any, tuple[NDArray, str]]:
    """Labels and paths by number as text, from lists of labels and a path."""
    logging.info("ImageIter: loading image list...")
    listed: dict[Any, tuple[NDArray, str]] = {}
    for number, entry in enumerate(images, 1):
        *labels, name = entry
        values = labels[0] if len(labels) == 1 and not np.isscalar(labels[0]) else labels
        listed[str(number)] = (array(values, dtype=dtype), name)
    return listed
