"""Data sets that examples ask for: from files of this machine, fetched where there is a network."""

from __future__ import annotations

import bz2
import gzip
import os
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..config import HOME
from ..errors import FormatError, MissingFileError, suggest
from ..formats.files import make_folder, scratch_folder, write_atomically
from ..formats.idx import read_idx
from ..gluon import utils
from ..io import MNISTIter
from ..ops import Array

__all__ = [
    "download",
    "download_model",
    "get_bz2_data",
    "get_cifar10",
    "get_im2rec_path",
    "get_mnist",
    "get_mnist_iterator",
    "get_mnist_pkl",
    "get_mnist_ubyte",
    "get_zip_data",
]

_SERVER = "http://data.mxnet.io"
_MNIST = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


def download(
    url: str, fname: str | None = None, dirname: str | None = None, overwrite: bool = False, retries: int = 5
) -> str:
    """Fetch a file, unless it is there.

    Args:
        url: Where it is published.
        fname: Its path, by default its name at the end of `url`.
        dirname: The folder that `fname` is in, made if it is missing.
        overwrite: Whether to fetch it even so.
        retries: How often to try again.

    Returns:
        The path.

    Raises:
        MissingFileError: It is not there, and cannot be fetched.
    """
    path = Path(fname or url.split("/")[-1])
    if dirname is not None:
        path = Path(dirname) / path
        make_folder(path.parent)
    if path.exists() and not overwrite:
        return str(path)
    try:
        return utils.download(url, path=str(path), overwrite=overwrite, retries=retries)
    except OSError as exc:
        raise MissingFileError(
            f"{path}: it is required, and neither there nor to be had from {url} ({exc}). Put it there, "
            f"or run this where there is a network."
        ) from exc


def _mnist_file(name: str) -> Path:
    """A file of MNIST, packed or not, from where MXNet puts it, or from the folder of data sets."""
    home = Path(HOME()).expanduser() / "datasets" / "mnist"
    for folder in (Path(), Path("data"), home):
        for path in (folder / f"{name}.gz", folder / name):
            if path.is_file():
                return path
    try:
        return Path(download(f"{_SERVER}/data/mnist/{name}.gz", retries=0))
    except MissingFileError as exc:
        raise MissingFileError(
            f"MNIST: the file {name}.gz is required in {Path.cwd()}, its folder data or {home}, and is "
            f"in none of them, nor can it be fetched ({exc.__cause__}). Put all four files there: "
            f"{', '.join(f'{n}.gz' for n in _MNIST)}."
        ) from exc


def get_mnist() -> dict[str, Array]:
    """The digits of MNIST.

    Returns:
        `train_data` (60000, 1, 28, 28) in float32 from 0 to 1 and `train_label` (60000,) in int8, and of
        the 10000 others `test_data` and `test_label`.

    Raises:
        MissingFileError: The files are not there, and cannot be fetched.
    """
    result: dict[str, Array] = {}
    for key, kind in (("train", "train"), ("test", "t10k")):
        images = read_idx(_mnist_file(f"{kind}-images-idx3-ubyte"), 3)
        labels = read_idx(_mnist_file(f"{kind}-labels-idx1-ubyte"), 1)
        if len(images) != len(labels):
            raise FormatError(
                f"MNIST: a label for each of {len(images)} images is required, got {len(labels)}."
            )
        result[f"{key}_data"] = images[:, None].astype(np.float32) / 255
        result[f"{key}_label"] = labels.astype(np.int8)
    return result


def get_mnist_pkl() -> None:
    """Have `data/mnist.pkl.gz` there, a pickle, which nothing here reads: `get_mnist` has the same digits."""
    _in_data("http://deeplearning.net/data/mnist/mnist.pkl.gz", "mnist.pkl.gz")


def _in_data(url: str, name: str) -> Path:
    return Path(download(url, fname=name, dirname="data"))


def get_mnist_ubyte() -> None:
    """Have the four files of MNIST, unpacked, in the folder `data`."""
    folder = Path("data")
    if all((folder / name).is_file() for name in _MNIST):
        return
    make_folder(folder)
    for name in _MNIST:
        source, target = _mnist_file(name), folder / name
        if target.is_file():
            continue
        reading: Any = gzip.open if source.suffix == ".gz" else open
        with reading(source, "rb") as packed:
            write_atomically(target, _blocks(packed))


def _blocks(file: Any) -> Iterator[bytes]:
    return iter(partial(file.read, 1 << 20), b"")


def get_mnist_iterator(
    batch_size: int, input_shape: tuple[int, ...], num_parts: int = 1, part_index: int = 0
) -> tuple[MNISTIter, MNISTIter]:
    """Iterators over MNIST's training digits, shuffled, and over its test digits.

    Args:
        batch_size: How many digits are in a batch.
        input_shape: `(784,)` for rows of pixels, or three sizes for images.
        num_parts: How many parts the digits are divided into.
        part_index: The part to read.

    Returns:
        Both iterators.

    Raises:
        MissingFileError: The files are not there, and cannot be fetched.
    """
    get_mnist_ubyte()
    flat = len(input_shape) != 3
    train, test = (
        MNISTIter(
            image=f"data/{kind}-images-idx3-ubyte",
            label=f"data/{kind}-labels-idx1-ubyte",
            batch_size=batch_size,
            shuffle=kind == "train",
            flat=flat,
            num_parts=num_parts,
            part_index=part_index,
        )
        for kind in ("train", "t10k")
    )
    return train, test


def get_cifar10() -> None:
    """Have CIFAR-10's records in `data/cifar`: `train.rec`, `test.rec` and their lists."""
    names = ("train.rec", "test.rec", "train.lst", "test.lst")
    if not all((Path("data") / "cifar" / name).exists() for name in names):
        get_zip_data("data", f"{_SERVER}/mxnet/data/cifar10.zip", "cifar10.zip")


def get_zip_data(data_dir: str, url: str, data_origin_name: str) -> None:
    """Have the archive `data_origin_name` in the folder `data_dir`, and unpack it there.

    Args:
        data_dir: The folder, made if it is missing.
        url: Where the archive is published.
        data_origin_name: Its name in the folder.

    Raises:
        MissingFileError: It is not there, and cannot be fetched.
        FormatError: It is no archive, or would unpack to somewhere else.
    """
    path = download(url, fname=data_origin_name, dirname=data_dir)
    try:
        with zipfile.ZipFile(path) as archive, scratch_folder(data_dir) as scratch:
            for member in archive.infolist():
                target = Path(data_dir) / Path(archive.extract(member, scratch)).relative_to(scratch)
                if member.is_dir():
                    make_folder(target)
                    continue
                make_folder(target.parent)
                os.replace(Path(scratch) / target.relative_to(data_dir), target)
    except zipfile.BadZipFile as exc:
        raise FormatError(f"{path}: a zip archive is required ({exc}). Delete it, and try again.") from exc


def get_bz2_data(data_dir: str, data_name: str, url: str, data_origin_name: str) -> None:
    """Have the file `data_name` in the folder `data_dir`, unpacked from `data_origin_name`.

    Args:
        data_dir: The folder, made if it is missing.
        data_name: The unpacked file.
        url: Where the packed one is published.
        data_origin_name: The packed file, which is deleted after.

    Raises:
        MissingFileError: It is not there, and cannot be fetched.
    """
    target = Path(data_dir) / data_name
    if target.exists():
        return
    packed = Path(download(url, fname=data_origin_name, dirname=data_dir))
    with bz2.open(packed) as source:
        write_atomically(target, _blocks(source))
    packed.unlink()


def get_im2rec_path(home_env: str = "MXNET_HOME") -> str:
    """The path of MXNet's script `im2rec.py`, below the folder that an environment variable names.

    Raises:
        MissingFileError: It is not there.
    """
    root = os.environ.get(home_env)
    path = Path(root or ".") / "tools" / "im2rec.py"
    if path.is_file():
        return str(path)
    raise MissingFileError(
        f"im2rec.py: it is required as {path}, and is not there. {home_env} names MXNet's source folder."
    )


_MODELS = {
    "imagenet1k-inception-bn": "imagenet/inception-bn/Inception-BN",
    "imagenet1k-resnet-18": "imagenet/resnet/18-layers/resnet-18",
    "imagenet1k-resnet-34": "imagenet/resnet/34-layers/resnet-34",
    "imagenet1k-resnet-50": "imagenet/resnet/50-layers/resnet-50",
    "imagenet1k-resnet-101": "imagenet/resnet/101-layers/resnet-101",
    "imagenet1k-resnet-152": "imagenet/resnet/152-layers/resnet-152",
    "imagenet1k-resnext-50": "imagenet/resnext/50-layers/resnext-50",
    "imagenet1k-resnext-101": "imagenet/resnext/101-layers/resnext-101",
    "imagenet1k-resnext-101-64x4d": "imagenet/resnext/101-layers/resnext-101-64x4d",
    "imagenet11k-resnet-152": "imagenet-11k/resnet-152/resnet-152",
    "imagenet11k-place365ch-resnet-152": "imagenet-11k-place365-ch/resnet-152",
    "imagenet11k-place365ch-resnet-50": "imagenet-11k-place365-ch/resnet-50",
}


def download_model(model_name: str, dst_dir: str = "./", meta_info: Any = None) -> tuple[str, int]:
    """Have a published checkpoint in a folder.

    Args:
        model_name: Its name, such as `imagenet1k-resnet-18`.
        dst_dir: The folder.
        meta_info: A dict that has under the name a dict with the addresses `symbol` and `params`.

    Returns:
        The checkpoint's prefix and epoch; `(None, 0)` for a name that `meta_info` lacks.

    Raises:
        MissingFileError: It is not there, and cannot be fetched.
        AssertionError: `meta_info` lacks an address.
    """
    if meta_info is None:
        meta_info = {
            name: {
                "symbol": f"{_SERVER}/models/{path}-symbol.json",
                "params": f"{_SERVER}/models/{path}-0000.params",
            }
            for name, path in _MODELS.items()
        }
    if model_name not in meta_info:
        print(f"download_model: {model_name} is not known.{suggest(model_name, meta_info)}")
        return None, 0  # type: ignore[return-value]  # as MXNet says it
    addresses = meta_info[model_name]
    for key in ("symbol", "params"):
        if key not in addresses:
            raise AssertionError(f"{model_name}: the address of its {key} is required in meta_info.")
    prefix = Path(dst_dir) / model_name
    download(addresses["symbol"], fname=f"{model_name}-symbol.json", dirname=dst_dir)
    download(addresses["params"], fname=f"{model_name}-0000.params", dirname=dst_dir)
    return str(prefix), 0
