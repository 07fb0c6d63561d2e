"""Batches over several devices, gradients kept small, files fetched and checked."""

from __future__ import annotations

import hashlib
import math
import os
import ssl
import urllib.request
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..config import REPOSITORY
from ..context import Context
from ..errors import file_errors, is_folder
from ..formats.files import make_folder, write_atomically
from ..ndarray import creation
from ..ndarray.ndarray import NDArray
from ..ndarray.np_array import shown
from ._hooks import HookHandle
from ._parameter import shape_is_known

__all__ = [
    "HookHandle",
    "check_sha1",
    "clip_global_norm",
    "download",
    "replace_file",
    "shape_is_known",
    "split_and_load",
    "split_data",
]


def split_data(data: NDArray, num_slice: int, batch_axis: int = 0, even_split: bool = True) -> list[NDArray]:
    """`data` in `num_slice` parts along `batch_axis`, of one size unless `even_split` is false."""
    size = data.shape[batch_axis]
    if even_split and size % num_slice:
        raise ValueError(
            f"data with shape {data.shape} cannot be evenly split into {num_slice} slices along axis "
            f"{batch_axis}. Use a batch size that's multiple of {num_slice} or set even_split=False to allow "
            "uneven partitioning of data."
        )
    each, more = divmod(size, num_slice)  # the first `more` parts have one element more
    ends = [i * each + min(i, more) for i in range(num_slice + 1)]
    before = (slice(None),) * (batch_axis % data.ndim)
    if not before:  # the rows of a csr matrix stay one
        return [data[a:b] for a, b in pairwise(ends)]
    return [data[(*before, slice(a, b))] for a, b in pairwise(ends)]


def split_and_load(
    data: Any, ctx_list: list[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """`data` in as many parts as there are contexts, each on its context."""
    if not isinstance(data, NDArray):
        data = shown(creation.array(data, ctx=ctx_list[0]))
    if len(ctx_list) == 1:
        return [data.as_in_context(ctx_list[0])]
    parts = split_data(data, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(parts, ctx_list, strict=True)]


def clip_global_norm(arrays: list[NDArray], max_norm: float, check_isfinite: bool = True) -> Any:
    """Scale the arrays, in place, so that the norm of all of them together is at most `max_norm`.

    Returns the norm before: a number, or an array of one element if `check_isfinite` is false.
    """
    if not arrays:
        raise AssertionError("clip_global_norm: at least one array is required, got none.")
    wide = [a._host.astype(np.promote_types(a.dtype, np.float32), copy=False).reshape(-1) for a in arrays]
    total = math.sqrt(math.fsum(float(np.dot(w, w)) for w in wide))
    if check_isfinite and not math.isfinite(total):
        warnings.warn("nan or inf is detected. Clipping results will be undefined.", stacklevel=2)
    scale = max_norm / (total + 1e-8)
    if not scale >= 1.0:
        array: Any
        for array in arrays:
            array *= scale
    return total if check_isfinite else creation.array([total])


def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Whether the file has this SHA-1 checksum, in lower-case hexadecimal digits."""
    with open(filename, "rb") as file:
        return hashlib.file_digest(file, "sha1").hexdigest() == sha1_hash


def replace_file(src: str, dst: str) -> None:
    """Have `src` take the place of `dst` at once, so that nobody sees half a file."""
    os.replace(src, dst)


def download(
    url: str,
    path: str | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Fetch a file, unless it is there already.

    Args:
        url: Where it is: `http`, `https`, `ftp` or `file`.
        path: The file to write, or a folder for it; by default it goes into the current folder.
        overwrite: Whether to fetch it although it is there.
        sha1_hash: The SHA-1 checksum that it must have; a file that is there with another one is replaced.
        retries: How often to try again.
        verify_ssl: Whether the server must prove who it is.

    Returns:
        The path of the file.

    Raises:
        AssertionError: `url` names no file, or `retries` is negative.
        OSError: It cannot be fetched.
        UserWarning: What was fetched has another checksum.
    """
    target = _target(url, path)
    if retries < 0:
        raise AssertionError(f"download: retries must be 0 or more, got {retries}.")
    with file_errors(target):
        there = target.exists()
    if there and not overwrite and (not sha1_hash or check_sha1(str(target), sha1_hash)):
        return str(target)
    context = None
    if not verify_ssl:
        warnings.warn("download: the server does not prove who it is (verify_ssl=False).", stacklevel=2)
        context = ssl._create_unverified_context()
    make_folder(target.parent)
    print(f"Downloading {target} from {url}...")
    for left in reversed(range(retries + 1)):
        try:
            _fetch(url, target, sha1_hash, context)
            break
        except (OSError, UserWarning) as exc:
            if not left:
                raise
            print(f"download: it failed ({exc!r}), is tried again, {left} times at most.")
    return str(target)


def _target(url: str, path: str | None) -> Path:
    name = url.split("/")[-1]
    if path is not None:
        whole = Path(path).expanduser()
        if not is_folder(whole):
            return whole
        whole /= name
    else:
        whole = Path(name)
    if not name:
        raise AssertionError(f"download: a path is required, as {url!r} does not end in a file's name.")
    return whole


def _fetch(url: str, target: Path, sha1_hash: str | None, context: ssl.SSLContext | None) -> None:
    """Fetch into a file beside the target, which takes the target's place once it is whole."""
    request = urllib.request.Request(url, headers={"User-Agent": "hybridonnx"})
    with urllib.request.urlopen(request, timeout=60, context=context) as source:
        write_atomically(target, _blocks(source, url, sha1_hash))


def _blocks(source: Any, url: str, sha1_hash: str | None) -> Iterator[bytes]:
    """What is read, a piece at a time; at the end it must have the checksum, if one is given."""
    digest = hashlib.sha1(usedforsecurity=False)
    while block := source.read(1 << 20):
        digest.update(block)
        yield block
    if sha1_hash and digest.hexdigest() != sha1_hash:
        raise UserWarning(
            f"{url}: a file of the SHA-1 checksum {sha1_hash} is required, got {digest.hexdigest()}. It has "
            "changed where it is published, or is not whole; try again."
        )


def _get_repo_url() -> str:
    """The address that libraries load their files from: MXNET_GLUON_REPO, or what MXNet's was."""
    address = REPOSITORY()
    return address if address.endswith("/") else address + "/"


def _get_repo_file_url(namespace: str, filename: str) -> str:
    """The address of a file there."""
    return f"{_get_repo_url()}{namespace}/{filename}"
