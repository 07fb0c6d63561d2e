"""Iterators over files of records of images: read, decoded and augmented by threads ahead of their use."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._threads import Threads, Work
from ..dtypes import native_dtype
from ..errors import DTypeError, FormatError, MXNetError, is_file
from ..formats.files import lines_of
from ..formats.indexed import open_pair
from ..formats.recordio import RecordMap
from ..ndarray import files as arrays
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..ops.cvimage import decoded, decoded_as_stored
from ..recordio import unpack
from ._image_augmentation import Augmenter, Normalizer
from ._record_options import Augmentation, Normalization, Source, options_of, require_source
from .files import MXDataIter
from .io import DataBatch

__all__ = [
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
]

logger = logging.getLogger("hybridonnx")

_NO_RECORD = -1


class Order:
    """Which records make up the batches, epoch by epoch.

    What a batch lacks at the end of an epoch is filled with the first records of the next one if `fill`,
    which then begins behind them; else it is left out.
    """

    def __init__(self, count: int, batch_size: int, fill: bool, shuffle: bool, seed: int) -> None:
        self._count, self._batch_size, self._fill = count, batch_size, fill
        self._rng = np.random.RandomState(seed % (1 << 32)) if shuffle else None
        self._ended = False
        self._begin()

    def _begin(self) -> None:
        self._order = np.arange(self._count) if self._rng is None else self._rng.permutation(self._count)
        self._at = 0

    def batch(self) -> tuple[Array, int] | None:
        """The numbers of the next batch's records and how many of them fill it, `None` at the epoch's end."""
        if self._ended or self._at >= self._count:
            return None
        numbers = self._order[self._at : self._at + self._batch_size]
        self._at += len(numbers)
        pad = self._batch_size - len(numbers)
        missing = pad
        while missing and self._fill:
            self._begin()
            numbers = np.concatenate([numbers, self._order[:missing]])
            self._at = min(missing, self._count)
            missing = self._batch_size - len(numbers)
            self._ended = True
        return np.concatenate([numbers, np.full(missing, _NO_RECORD)]), pad

    def next_epoch(self, finished: bool) -> None:
        """Begin an epoch, behind the records that filled the last batch if the epoch before is finished."""
        if not (finished and self._ended):
            self._begin()
        self._ended = False


class _Batch(NamedTuple):
    """The arrays of a batch, and the work that fills them."""

    data: Array
    label: Array
    ids: Array
    pad: int
    work: list[Work]


class Records:
    """The labels and images of records by their numbers; many threads may use it."""

    def __init__(self, owner: str, source: Source) -> None:
        self._owner, self._source = owner, source
        if source.path_imgidx:
            file, index = open_pair(source.path_imgrec, source.path_imgidx)
            self._map = RecordMap(source.path_imgrec, file)
            with index:
                self._offsets = self._part(_offsets(source.path_imgidx, index.read()))
        else:
            self._map = RecordMap(source.path_imgrec)
            self._offsets = self._part(None)
        if not self._offsets:
            raise FormatError(f"{owner}: a file with records is required, got none in {source.path_imgrec}.")
        self._listed = _listed(source.path_imglist, source.label_width) if source.path_imglist else None

    def _part(self, indexed: Sequence[int] | None) -> Sequence[int]:
        """The offsets of the records of the iterator's part."""
        parts, part = self._source.num_parts, self._source.part_index
        if indexed is not None:
            size = -(-len(indexed) // parts)
            return indexed[part * size : (part + 1) * size]
        size = -(-self._map.size // parts)
        size += -size % 4
        return [at for at in self._map.offsets() if part * size <= at < (part + 1) * size]

    def __len__(self) -> int:
        return len(self._offsets)

    def record(self, number: int) -> tuple[int, Array, bytes]:
        """The id, the labels and the file of a record."""
        header, content = unpack(self._map.read(self._offsets[number]))
        labels = np.atleast_1d(np.asarray(header.label, np.float32))
        if self._listed is not None:
            if header.id not in self._listed:
                raise MXNetError(
                    f"{self._owner}: a line for {self.where(number, header.id)} is required in "
                    f"{self._source.path_imglist}, got none."
                )
            labels = self._listed[header.id]
        return header.id, labels, content

    def where(self, number: int, identifier: int) -> str:
        """The words for where a record is."""
        return f"record {number} with id {identifier} of {self._source.path_imgrec}"

    def image(self, content: bytes, channels: int, where: str) -> Array:
        """The image (H, W, channels) in the bytes of a file."""
        if channels != 4:
            return decoded(content, int(channels == 3), where)
        pixels = decoded_as_stored(content, -1, where)
        if pixels.ndim != 3 or pixels.shape[2] != 4:
            raise FormatError(f"{where}: an image of 4 channels is required, got {pixels.shape}.")
        return pixels[..., [2, 1, 0, 3]]


def _offsets(path: str, index: bytes) -> list[int]:
    """The offsets in an index, in the order of the file of records."""
    try:
        return sorted(int(line.split(b"\t")[1]) for line in index.splitlines() if line.strip())
    except (ValueError, IndexError):
        raise FormatError(f"{path}: lines of a key, a tab and an offset are required.") from None


def _listed(path: str, width: int) -> dict[int, Array]:
    """The labels by id, from lines of an id, labels and a path."""
    labels: dict[int, Array] = {}
    for number, line in enumerate(lines_of(path), 1):
        cells = line.split("\t")
        try:
            labels[int(float(cells[0]))] = np.array([float(cell) for cell in cells[1:-1]], np.float32)
        except (ValueError, OverflowError):
            raise FormatError(
                f"{path}, line {number}: an id, {width} labels and a path are required, got {line[:80]!r}."
            ) from None
    return labels


class Preparation:
    """Fills rows of batches; it knows nothing of the iterator, which may go away while threads work."""

    def __init__(
        self, owner: str, records: Records, source: Source, options: dict[str, Any], dtype: Any
    ) -> None:
        channels, height, width = source.data_shape
        self._owner, self._records, self._source = owner, records, source
        self._channels = channels
        self._augment = self._augmenter(options, height, width)
        normalization = self._normalization(options)
        self._seed = (source.seed if source.seed_aug is None else source.seed_aug) % (1 << 64)
        self._normalize = Normalizer(normalization, channels, dtype, None)
        if normalization.mean_img:
            self._normalize.image = self._mean_image(normalization.mean_img)

    def _augmenter(self, options: dict[str, Any], height: int, width: int) -> Any:
        return Augmenter(self._owner, options_of(Augmentation, self._owner, options), height, width)

    def _normalization(self, options: dict[str, Any]) -> Normalization:
        chosen: Normalization = options_of(Normalization, self._owner, options)
        return chosen

    def __call__(self, numbers: Array, first: int, data: Array, label: Array, ids: Array) -> None:
        """Fill rows with records; `first` counts the rows before them since the iterator was made."""
        for k, number in enumerate(numbers):
            if number == _NO_RECORD:
                data[k], label[k] = 0, 0
                continue
            rng = np.random.Generator(np.random.PCG64((self._seed, first + k)))
            ids[k] = self._fill(int(number), rng, data[k], label[k : k + 1])

    def _fill(self, number: int, rng: np.random.Generator, data: Array, label: Array) -> int:
        """Fill a row of data, and one of labels (1, …), with a record; its id."""
        identifier, labels, image = self._sample(number, rng)
        if labels.size != label.size:
            raise MXNetError(
                f"{self._owner}: label_width={label.size} labels are required, got {labels.size} in "
                f"{self._records.where(number, identifier)}. Set label_width={labels.size}."
            )
        label[...] = labels
        self._normalize(image, data, rng)
        return identifier

    def _sample(self, number: int, rng: np.random.Generator) -> tuple[int, Array, Array]:
        """The id, the labels and the image of a record, which has the iterator's shape."""
        identifier, labels, content = self._records.record(number)
        where = f"{self._owner}: {self._records.where(number, identifier)}"
        return identifier, labels, self._augment(self._records.image(content, self._channels, where), rng)

    def _mean_image(self, path: str) -> Array:
        """The mean image of a file (C, H, W); it is computed and written if there is no such file."""
        shape = self._source.data_shape
        if not is_file(Path(path)):
            total = np.zeros(shape)
            for number in range(len(self._records)):
                rng = np.random.Generator(np.random.PCG64((self._seed, number)))
                total += self._sample(number, rng)[2].transpose(2, 0, 1)
            mean = (total / len(self._records)).astype(np.float32)
            arrays.save(path, {"mean_img": NDArray(mean)})
            logger.info("%s: wrote the mean image %s", self._owner, path)
        stored = arrays.load(path)
        images = list(stored.values()) if isinstance(stored, dict) else list(stored)
        if len(images) != 1 or images[0].shape != shape:
            found = [image.shape for image in images]
            raise MXNetError(f"{path}: one mean image {shape} is required, got {found}.")
        return np.asarray(images[0].asnumpy(), np.float32)


class ImageRecordIter(MXDataIter):
    """Batches of images (N, C, H, W) of a file of records, with labels (N,), or (N, `label_width`).

    Arguments are those of MXNet, which may be text; unknown ones are left out. Threads decode, augment and
    normalize `prefetch_buffer` batches ahead. Draws are by `seed_aug`, or `seed`, and the same for any number
    of threads, but not MXNet's. `shuffle` orders the records of the iterator's part anew for each epoch by
    `seed`; `shuffle_chunk_size`, `aug_seq`, `ctx` and `device_id` have no effect.
    """

    _default_dtype: ClassVar[str] = "float32"
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, **options: object) -> None:
        owner = type(self).__name__
        options = {**self._defaults, **options}
        source: Source = options_of(Source, owner, options)
        require_source(owner, source)
        self._dtype = np.dtype(native_dtype(source.dtype or self._default_dtype))
        if self._dtype.kind not in "iuf":
            raise DTypeError(f"{owner}: numbers are required as dtype, got {self._dtype}.")
        self._records = self._open(owner, source)
        self._source = source
        super().__init__(len(self._records), source.batch_size, True, source.data_name, source.label_name)
        self._prepare = self._preparation(owner, source, options)
        self._order = Order(
            len(self._records), source.batch_size, source.round_batch, source.shuffle, source.seed
        )
        self._rows = 0
        self._coming: deque[_Batch] = deque()
        self._batch: _Batch | None = None
        threads = max(min(source.preprocess_threads, os.cpu_count() or 1), 1)
        self._workers = threads
        self._threads = Threads(threads, "images")
        if source.verbose:
            logger.info(
                "%s: %s, %d records, %d threads", owner, source.path_imgrec, len(self._records), threads
            )
        self._fetch()

    def _open(self, owner: str, source: Source) -> Records:
        return Records(owner, source)

    def _preparation(self, owner: str, source: Source, options: dict[str, Any]) -> Callable[..., None]:
        return Preparation(owner, self._records, source, options, self._dtype)

    def __del__(self) -> None:
        if "_threads" in vars(self):
            self._threads.end()

    def _data(self, index: Array) -> NDArray:
        return NDArray(np.zeros((len(index), *self._source.data_shape), self._dtype))

    def _label(self, index: Array) -> NDArray:
        return NDArray(np.zeros((len(index), *self._label_shape()), np.float32))

    def _label_shape(self) -> tuple[int, ...]:
        return (self._source.label_width,) if self._source.label_width > 1 else ()

    # ---- batches

    def _fetch(self) -> None:
        """Have the threads prepare batches until enough are on their way."""
        while len(self._coming) <= self._source.prefetch_buffer:
            planned = self._order.batch()
            if planned is None:
                return
            numbers, pad = planned
            data = np.empty((self.batch_size, *self._source.data_shape), self._dtype)
            label = np.empty((self.batch_size, *self._label_shape()), np.float32)
            ids = np.zeros(self.batch_size, np.uint64)
            size = -(-self.batch_size // (2 * self._workers))
            parts = [slice(i, i + size) for i in range(0, self.batch_size, size)]
            work = [
                self._threads.submit(
                    self._prepare, numbers[part], self._rows + part.start, data[part], label[part], ids[part]
                )
                for part in parts
            ]
            self._rows += self.batch_size
            self._coming.append(_Batch(data, label, ids, pad, work))

    def reset(self) -> None:
        """Begin anew, behind the records that filled the last batch if they did."""
        finished = not self._coming
        for batch in self._coming:
            for part in batch.work:
                part.end()
        self._coming.clear()
        self._order.next_epoch(finished)
        self._fetch()

    def iter_next(self) -> bool:
        """Go to the next batch; whether there is one. What is wrong with a record is raised here."""
        if not self._coming:
            return False
        self._batch = self._coming.popleft()
        self._fetch()
        for part in self._batch.work:
            part.result()
        return True

    def next(self) -> DataBatch:
        """The next batch; `StopIteration` at the end."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch([self.getdata()], [self.getlabel()], self.getpad(), self.getindex())

    def _present(self) -> _Batch:
        if self._batch is None:
            raise MXNetError(
                f"{type(self).__name__}: call next or iter_next first, as there is no batch yet."
            )
        return self._batch

    def getdata(self) -> NDArray:
        """The inputs of the present batch."""
        return NDArray(self._present().data)

    def getlabel(self) -> NDArray:
        """The labels of the present batch."""
        return NDArray(self._present().label)

    def getindex(self) -> Any:
        """The ids of the present batch's records."""
        return self._present().ids

    def getpad(self) -> int:
        """How many rows at the end of the present batch fill it."""
        return self._present().pad


class ImageRecordUInt8Iter(ImageRecordIter):
    """`ImageRecordIter` whose images are uint8, as they are in the files; nothing is subtracted or scaled."""

    _default_dtype = "uint8"


class ImageRecordInt8Iter(ImageRecordIter):
    """`ImageRecordIter` whose images are int8, from -128 to 127 after the mean is subtracted."""

    _default_dtype = "int8"


ImageRecordIter_v1 = ImageRecordIter
ImageRecordUInt8Iter_v1 = ImageRecordUInt8Iter
