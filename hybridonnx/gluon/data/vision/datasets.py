"""Data sets of images, read from files where they are; nothing is downloaded."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....config import HOME
from ....errors import FormatError, MissingFileError, content_of, file_errors, is_file
from ....formats.files import PathLike
from ....formats.idx import read_idx
from ....ndarray import creation
from ....ndarray.np_array import shown
from ....ops import Array
from ....recordio import unpack
from ..dataset import Dataset, RecordFileDataset
from ._decode import EXTENSIONS, decode

__all__ = ["CIFAR10", "CIFAR100", "MNIST", "FashionMNIST", "ImageFolderDataset", "ImageRecordDataset"]

Transform = Callable[[Any, Any], Any]


class _Files(Dataset):
    """Images (N, H, W, C) of uint8 and labels (N,) of int32 from files in a folder."""

    name: ClassVar[str]
    """The folder's name in the folder of data sets."""
    folders: ClassVar[tuple[str, ...]] = ("",)
    """Folders, inside the folder, that archives put the files into."""
    source: ClassVar[str]
    """What the files are called where they are published."""

    def __init__(self, root: PathLike | None, train: bool, transform: Transform | None) -> None:
        home = Path(HOME()).expanduser()
        self._root = home / "datasets" / self.name if root is None else Path(root).expanduser()
        self._train = train
        self._transform = transform
        self._data, self._label = self._read()

    def _read(self) -> tuple[Array, Array]:
        raise NotImplementedError

    def __getitem__(self, idx: int) -> Any:
        image, label = shown(creation.array(self._data[idx], dtype=np.uint8)), self._label[idx]
        return (image, label) if self._transform is None else self._transform(image, label)

    def __len__(self) -> int:
        return len(self._label)

    def _path(self, *names: str) -> Path:
        """The first of the files that is there."""
        for path in (self._root / folder / name for folder in self.folders for name in names):
            if is_file(path):
                return path
        owner = type(self).__name__
        raise MissingFileError(
            f"{owner}: the file {names[0]} is required in {self._root}, and is not there. Nothing is "
            f"downloaded: put {self.source} there, or give their folder, {owner}(root=...)."
        )


class MNIST(_Files):
    """Handwritten digits, (28, 28, 1) with labels from 0 to 9, from the IDX files in `root`.

    These are train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, and with `train=False` the ones that
    begin with t10k, packed or not. `transform(image, label)` is applied to each sample.
    """

    name = "mnist"
    folders = ("", "MNIST/raw", "raw")
    source = "train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz and the two files with t10k"

    def __init__(
        self,
        root: PathLike | None = None,
        train: bool = True,
        transform: Transform | None = None,
    ) -> None:
        super().__init__(root, train, transform)

    def _read(self) -> tuple[Array, Array]:
        kind = "train" if self._train else "t10k"
        images, labels = (
            read_idx(self._path(*_spellings(f"{kind}-{what}-idx{rank}-ubyte", rank)), rank)
            for what, rank in (("images", 3), ("labels", 1))
        )
        if len(images) != len(labels):
            raise FormatError(
                f"{self._root}: a label for each of {len(images)} images is required, got {len(labels)}."
            )
        return images[..., None], labels.astype(np.int32)


def _spellings(name: str, rank: int) -> tuple[str, ...]:
    other = name.replace(f"-idx{rank}", f".idx{rank}")
    return (f"{name}.gz", name, f"{other}.gz", other)


class FashionMNIST(MNIST):
    """Pictures of clothes, (28, 28, 1) with labels from 0 to 9, from files named as MNIST's in `root`."""

    name = "fashion-mnist"
    folders = ("", "FashionMNIST/raw", "raw")


class CIFAR10(_Files):
    """Photographs, (32, 32, 3) with labels from 0 to 9, from the binary files in `root`.

    These are data_batch_1.bin to data_batch_5.bin, and with `train=False` test_batch.bin, in `root` or in
    cifar-10-batches-bin inside it. `transform(image, label)` is applied to each sample.
    """

    name = "cifar10"
    folders = ("", "cifar-10-batches-bin")
    source = "data_batch_1.bin to data_batch_5.bin and test_batch.bin from cifar-10-binary.tar.gz"
    labels: ClassVar[int] = 1
    """How many labels stand before an image."""

    def __init__(
        self,
        root: PathLike | None = None,
        train: bool = True,
        transform: Transform | None = None,
    ) -> None:
        self._column = 0
        super().__init__(root, train, transform)

    def _names(self) -> Sequence[str]:
        return [f"data_batch_{i}.bin" for i in range(1, 6)] if self._train else ["test_batch.bin"]

    def _read(self) -> tuple[Array, Array]:
        size = self.labels + 3 * 32 * 32
        rows = []
        for path in map(self._path, self._names()):
            content = content_of(path)
            if not content or len(content) % size:
                raise FormatError(f"{path}: images of {size} bytes are required, got {len(content)} bytes.")
            rows.append(np.frombuffer(content, np.uint8).reshape(-1, size))
        every = np.concatenate(rows)
        images = every[:, self.labels :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return np.ascontiguousarray(images), every[:, self._column].astype(np.int32)


class CIFAR100(CIFAR10):
    """Photographs, (32, 32, 3) with labels from 0 to 19, or with `fine_label` to 99, from files in `root`.

    These are train.bin, and with `train=False` test.bin, in `root` or in cifar-100-binary inside it.
    """

    name = "cifar100"
    folders = ("", "cifar-100-binary")
    source = "train.bin and test.bin from cifar-100-binary.tar.gz"
    labels = 2

    def __init__(
        self,
        root: PathLike | None = None,
        fine_label: bool = False,
        train: bool = True,
        transform: Transform | None = None,
    ) -> None:
        self._column = int(fine_label)
        _Files.__init__(self, root, train, transform)

    def _names(self) -> Sequence[str]:
        return ["train.bin" if self._train else "test.bin"]


class ImageRecordDataset(RecordFileDataset):
    """Images with labels from a file of records, x.rec with x.idx beside it.

    `flag` 1 gives colours (H, W, 3), 0 gives grey (H, W, 1). `transform(image, label)` is applied to each.
    """

    def __init__(self, filename: PathLike, flag: int = 1, transform: Transform | None = None) -> None:
        super().__init__(filename)
        self._flag = flag
        self._transform = transform

    def __getitem__(self, idx: int) -> Any:
        header, content = unpack(super().__getitem__(idx))
        image = decode(content, self._flag, f"record {idx} of {self.filename}")
        return (image, header.label) if self._transform is None else self._transform(image, header.label)


class ImageFolderDataset(Dataset):
    """Images in folders, one for each class: root/cat/1.jpg, root/dog/7.png.

    Labels count the folders in the order of their names, `synsets`; `items` are the files and their labels.
    `flag` 1 gives colours (H, W, 3), 0 gives grey (H, W, 1). `transform(image, label)` is applied to each.
    """

    def __init__(self, root: PathLike, flag: int = 1, transform: Transform | None = None) -> None:
        self._root = os.path.expanduser(os.fspath(root))
        self._flag = flag
        self._transform = transform
        if not os.path.isdir(self._root):
            raise MissingFileError(
                f"ImageFolderDataset: the folder {self._root} is required, and is not there."
            )
        self.synsets: list[str] = []
        self.items: list[tuple[str, int]] = []
        for folder in _names_in(self._root):
            path = os.path.join(self._root, folder)
            if os.path.isdir(path):
                self.items += [(os.path.join(path, n), len(self.synsets)) for n in _images(path)]
                self.synsets.append(folder)
            else:
                warnings.warn(f"Ignoring {path}, which is not a directory.", stacklevel=2)

    def __getitem__(self, idx: int) -> Any:
        path, label = self.items[idx]
        image = decode(content_of(path), self._flag, path)
        return (image, label) if self._transform is None else self._transform(image, label)

    def __len__(self) -> int:
        return len(self.items)


def _names_in(folder: str) -> list[str]:
    with file_errors(folder):
        return sorted(os.listdir(folder))


def _images(folder: str) -> Iterable[str]:
    """The names of the images in a folder, in order; other files are left out with a warning."""
    for name in _names_in(folder):
        extension = os.path.splitext(name)[1]
        if extension.lower() in EXTENSIONS:
            yield name
        else:
            warnings.warn(
                f"Ignoring {os.path.join(folder, name)} of type {extension}. Only support "
                f"{', '.join(EXTENSIONS)}",
                stacklevel=3,
            )
