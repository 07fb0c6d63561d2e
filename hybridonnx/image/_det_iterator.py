"""`ImageDetIter`: batches of images with the boxes of the objects in them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import MXNetError, RequirementError, ShapeError
from ..formats.files import PathLike
from ..io.io import DataBatch, DataDesc
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..ops.cvimage import opencv
from ._augmenters import Colours, normalization
from ._det_augmenters import CreateDetAugmenter, DetAugmenter
from ._iterator import ImageIter

_LEAST_LABEL = 7
"""Two numbers before the objects, and one object."""


class ImageDetIter(ImageIter):
    """Batches of images (N, C, H, W) with labels (N, objects, 5 or more); rows of -1 are no objects.

    A label in a file or list is the count of numbers before the objects, the count of numbers of each object,
    perhaps more, then the objects: a class, left, top, right and bottom as shares of the width and height.
    What is not named here goes to `CreateDetAugmenter`; all else is as in `ImageIter`. Images that lose all
    objects in the augmenters are left out.
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: Sequence[int],
        path_imgrec: PathLike | None = None,
        path_imglist: PathLike | None = None,
        path_root: PathLike | None = None,
        path_imgidx: PathLike | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: Sequence[DetAugmenter] | None = None,
        imglist: Sequence[Sequence[object]] | None = None,
        data_name: str = "data",
        label_name: str = "label",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            batch_size=batch_size,
            data_shape=data_shape,
            path_imgrec=path_imgrec,
            path_imglist=path_imglist,
            path_root=path_root,
            path_imgidx=path_imgidx,
            shuffle=shuffle,
            part_index=part_index,
            num_parts=num_parts,
            aug_list=[],
            imglist=imglist,
            data_name=data_name,
            label_name=label_name,
            last_batch_handle=last_batch_handle,
        )
        self.auglist = CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.label_shape = self._estimate_label_shape()
        self.provide_label = [DataDesc(label_name, (batch_size, *self.label_shape))]

    # ---- labels

    def _estimate_label_shape(self) -> tuple[int, int]:
        """The most objects of an image, and the numbers of each object."""
        count, width = 0, 0
        self.reset()
        try:
            while True:
                objects, width = self._parse_label(self.next_sample()[0]).shape
                count = max(count, objects)
        except StopIteration:
            self.reset()
        return count, width

    def _parse_label(self, label: Any) -> Array:
        """The objects (n, 5 or more) with an area."""
        raw = label.asnumpy() if isinstance(label, NDArray) else np.asarray(label)
        raw = raw.ravel()
        if raw.size < _LEAST_LABEL or not np.isfinite(raw[:2]).all():
            raise MXNetError(
                f"{self._name}: a label of at least {_LEAST_LABEL} numbers is required, got {raw.tolist()}."
            )
        before, width = int(raw[0]), int(raw[1])
        if before < 2 or width < 5 or (raw.size - before) % width:
            raise MXNetError(
                f"{self._name}: a label of {before} numbers, and {width} for each object, is required, "
                f"got {raw.size} numbers."
            )
        objects = raw[before:].reshape(-1, width)
        objects = objects[(objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])]
        if not len(objects):
            raise MXNetError(f"{self._name}: a label with an object that has an area is required, got none.")
        return np.asarray(objects)

    def _check_valid_label(self, label: Array) -> None:
        if label.ndim != 2 or label.shape[1] < 5:
            raise MXNetError(f"{self._name}: labels (objects, 5 or more) are required, got {label.shape}.")
        valid = (label[:, 0] >= 0) & (label[:, 3] > label[:, 1]) & (label[:, 4] > label[:, 2])
        if not valid.any():
            raise MXNetError(f"{self._name}: a label with a class and an area is required, got none.")

    def check_label_shape(self, label_shape: Sequence[int]) -> None:
        """Raise `ValueError` unless labels fit into this shape."""
        count, width = self.label_shape
        if len(label_shape) != 2 or label_shape[1] != width or label_shape[0] < count:
            raise ShapeError(
                f"{self._name}: a label_shape ({count} or more, {width}) is required, got {label_shape}."
            )

    def reshape(
        self, data_shape: Sequence[int] | None = None, label_shape: Sequence[int] | None = None
    ) -> None:
        """Give images and labels another shape; augmenters stay as they are.

        Args:
            data_shape: The new shape of an image, `None` for the one that it has.
            label_shape: The new shape of an image's labels, `None` for the one that they have.

        Raises:
            ShapeError: Images that are not (3, H, W), or labels for fewer objects or of another width.
        """
        if data_shape is not None:
            self.check_data_shape(data_shape)
            self.data_shape = tuple(data_shape)
            self.provide_data = [DataDesc(self.provide_data[0].name, (self.batch_size, *self.data_shape))]
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.label_shape = (label_shape[0], label_shape[1])
            self.provide_label = [DataDesc(self.provide_label[0].name, (self.batch_size, *self.label_shape))]

    def sync_label_shape(self, it: ImageDetIter, verbose: bool = False) -> ImageDetIter:
        """Give two iterators, for training and validation, the larger label shape of both.

        Args:
            it: The other iterator, which is changed as well.
            verbose: Whether the new shape is logged.

        Returns:
            `it`.

        Raises:
            RequirementError: `it` is no `ImageDetIter`, or its objects have another number of values.
        """
        if not isinstance(it, ImageDetIter):
            raise RequirementError(f"sync_label_shape: an ImageDetIter is required, got {type(it).__name__}.")
        mine, other = self.label_shape, it.label_shape
        if mine[1] != other[1]:
            raise RequirementError(
                f"sync_label_shape: objects of {mine[1]} values are required, got {other[1]}."
            )
        count = max(mine[0], other[0])
        for each in (self, it):
            if each.label_shape[0] < count:
                each.reshape(None, (count, mine[1]))
        if verbose and mine != other:
            logging.info("Resized label_shape to (%d, %d).", count, mine[1])
        return it

    # ---- batches

    def _batchify(self, batch_data: Any, batch_label: Any, start: int = 0) -> int:
        i = start
        try:
            while i < self.batch_size:
                sample = self._sample()
                if sample is None:
                    continue
                image, objects = sample
                rows = batch_label._data[i]
                if objects.shape[0] > rows.shape[0] or objects.shape[1] != rows.shape[1]:
                    raise ShapeError(
                        f"{self._name}: labels {rows.shape} at most are required, got {objects.shape}. "
                        "Call reshape with a larger label_shape."
                    )
                self._place(batch_data, i, self.postprocess_data(image))
                rows[:] = -1
                rows[: len(objects)] = objects
                i += 1
        except StopIteration:
            if not i:
                raise
        return i

    def _sample(self) -> tuple[NDArray, Array] | None:
        """The next image with its labels, `None` if it has no valid ones."""
        label, content = self.next_sample()
        image = self.imdecode(content)
        try:
            self.check_valid_image(image)
            image, objects = self.augmentation_transform(image, self._parse_label(label))
            self._check_valid_label(objects)
        except RuntimeError as exc:
            logging.debug("Invalid image, skipping: %s", exc)
            return None
        return image, objects

    def next(self) -> DataBatch:
        """The next batch; `StopIteration` at the end."""
        return super().next()

    def augmentation_transform(  # type: ignore[override]
        self, data: NDArray, label: Array
    ) -> tuple[NDArray, Array]:
        """The image and its labels after all augmenters."""
        for augmenter in self.auglist:
            data, label = augmenter(data, label)
        return data, label

    # ---- pictures

    def draw_next(
        self,
        color: Sequence[float] | None = None,
        thickness: int = 2,
        mean: Colours = None,
        std: Colours = None,
        clip: bool = True,
        waitKey: int | None = None,
        window_name: str = "draw_next",
        id2labels: Mapping[int, str] | None = None,
    ) -> Iterator[Array]:
        """The images after the augmenters, one after another, with their boxes drawn into them by OpenCV.

        Args:
            color: Red, green and blue of the lines; `None` for a random colour of each box.
            thickness: The width of the lines.
            mean: What the augmenters subtracted from the colours, `True` for the mean of ImageNet.
            std: What the augmenters divided colours by, `True` for the deviation of ImageNet.
            clip: Whether colours are clipped to 0 to 255.
            waitKey: Milliseconds of each image in a window, 0 until a key; `None` for no window.
            window_name: The title of the window.
            id2labels: The names of the classes, which are written beside the boxes.

        Returns:
            Images (H, W, 3) of uint8, with blue first.

        Raises:
            MXNetError: OpenCV is not installed.
        """
        cv2 = _require_opencv()
        normalize = normalization("draw_next", mean, std)
        while True:
            try:
                sample = self._sample()
            except StopIteration:
                return
            if sample is None:
                continue
            image = _without(sample[0].asnumpy(), normalize)
            image = np.ascontiguousarray((image.clip(0, 255) if clip else image)[..., ::-1].astype(np.uint8))
            for row in sample[1]:
                _draw(cv2, image, row, color, thickness, id2labels)
            if waitKey is not None:
                cv2.imshow(window_name, image)
                cv2.waitKey(waitKey)
            yield image


def _require_opencv() -> Any:
    cv2 = opencv()
    if cv2 is None:
        raise MXNetError("draw_next: OpenCV is required, which is not installed. pip install opencv-python")
    return cv2


def _without(image: Array, normalize: Any) -> Array:
    """An image before its colours were normalized."""
    if normalize is not None:
        image = image * (1 if normalize.std is None else normalize.std.asnumpy())
        image = image + (0 if normalize.mean is None else normalize.mean.asnumpy())
    return image


def _draw(cv2: Any, image: Array, row: Array, color: Any, thickness: int, names: Any) -> None:
    """Draw the box of an object into an image."""
    h, w = image.shape[:2]
    left, top, right, bottom = (int(share * n) for share, n in zip(row[1:5], (w, h, w, h), strict=True))
    colour = np.random.rand(3) * 255 if color is None else color[::-1]
    cv2.rectangle(image, (left, top), (right, bottom), tuple(float(c) for c in colour), thickness)
    if names is not None and int(row[0]) in names:
        at = (left + 5, top + 20)
        cv2.putText(image, names[int(row[0])], at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1)
