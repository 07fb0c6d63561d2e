"""Make lists of images, and files of records from them, as MXNet's im2rec does.

    hybridonnx im2rec --list [--recursive] [options] prefix root
    hybridonnx im2rec [options] prefix root

The first form walks through the folder root and writes prefix.lst, a line for each image: a number, a label
and a path, between tabs. The second one reads each list whose name begins with prefix and writes a .rec and
an .idx file beside it.

Options for lists:
  --list               make lists
  --exts EXT …         the endings of images' names; .jpeg .jpg .png unless given
  --recursive          walk through folders below root, too, each of which is a label; else all labels are 0
  --no-shuffle         keep the order of the names
  --chunks N           as many lists, prefix_0.lst and so on
  --train-ratio RATIO  the share of images in prefix_train.lst; what is left goes to prefix_val.lst
  --test-ratio RATIO   the share of images in prefix_test.lst

Options for records:
  --pass-through       pack files as they are
  --resize SIZE        make the shorter side so long
  --center-crop        cut out the square in the middle
  --quality N          of JPEG, 1 to 100, or the compression of PNG, 1 to 9; 95 unless given
  --encoding ENDING    .jpg or .png
  --color N            1 for colours, 0 for grey, -1 for what a file has
  --pack-label         pack all labels of a line, not the first alone
  --num-thread N       the number of threads, which does not change the order
"""

from __future__ import annotations

import argparse
import glob
import os
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import FormatError, MXNetError
from ..formats.files import lines_of, write_atomically
from ..ops.cvimage import LINEAR, decoded_as_stored, resampled, size_by_shorter_side
from ..recordio import IRHeader, MXIndexedRecordIO, pack, pack_img

__all__ = ["main"]

_SEED = 100
_AHEAD = 64
"""How many images threads have in hand for each of them."""


class Entry(NamedTuple):
    """An image in a list."""

    number: int
    path: str
    labels: Sequence[float]


def main(arguments: list[str]) -> int:
    """Make lists, or files of records.

    Args:
        arguments: Those of the command line.

    Returns:
        The exit code: 0, 1 if an image or list is left out, 2 for wrong arguments.
    """
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as exc:
        return int(exc.code or 0)
    prefix, root = Path(options.prefix).absolute(), Path(options.root).absolute()
    wrong = _wrong(options, root)
    if wrong:
        print(f"im2rec: {wrong}.", file=sys.stderr)
        return 2
    if options.list:
        _write_lists(prefix, root, options)
        return 0
    lists = sorted(prefix.parent.glob(f"{glob.escape(prefix.name)}*.lst"))
    if not lists:
        print(f"im2rec: no list begins with {prefix}; make one with --list.", file=sys.stderr)
        return 1
    left_out = [_write_records(path, root, options) for path in lists]
    return 1 if any(left_out) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("hybridonnx im2rec", usage="see --help", add_help=False)
    parser.add_argument("prefix")
    parser.add_argument("root")
    for name in ("list", "recursive", "pass-through", "center-crop", "pack-label"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--no-shuffle", dest="shuffle", action="store_false")
    parser.add_argument("--exts", nargs="+", default=[".jpeg", ".jpg", ".png"])
    for name, default in (("chunks", 1), ("resize", 0), ("quality", 95), ("num-thread", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--train-ratio", type=float, default=1.0)
    parser.add_argument("--test-ratio", type=float, default=0.0)
    parser.add_argument("--color", type=int, default=1, choices=[-1, 0, 1])
    parser.add_argument("--encoding", default=".jpg", choices=[".jpg", ".png"])
    return parser


def _wrong(options: Any, root: Path) -> str | None:
    """What is wrong with arguments of the right types."""
    if not root.is_dir():
        return f"a folder of images is required as root, got {root}"
    if options.chunks < 1:
        return f"1 or more is required as --chunks, got {options.chunks}"
    shares = options.train_ratio, options.test_ratio
    if min(shares) < 0 or max(shares) > 1:
        return f"shares from 0 to 1 are required as --train-ratio and --test-ratio, got {shares}"
    return None


# ---- lists


def _images(root: Path, recursive: bool, endings: Sequence[str]) -> Iterator[Entry]:
    """The images in a folder by name; with `recursive` each folder below has a label of its own."""
    number = 0
    labels: dict[str, int] = {}
    for folder, below, names in os.walk(root, followlinks=True):
        below.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1].lower() in endings and os.path.isfile(path):
                label = labels.setdefault(folder, len(labels)) if recursive else 0
                yield Entry(number, os.path.relpath(path, root), (label,))
                number += 1
        if not recursive:
            return
    for folder, label in sorted(labels.items(), key=lambda item: item[1]):
        print(os.path.relpath(folder, root), label)


def _write_lists(prefix: Path, root: Path, options: Any) -> None:
    entries = list(_images(root, options.recursive, options.exts))
    if options.shuffle:
        random.Random(_SEED).shuffle(entries)
    size = -(-len(entries) // options.chunks)
    for k in range(options.chunks):
        chunk = entries[k * size : (k + 1) * size]
        stem = f"{prefix}_{k}" if options.chunks > 1 else str(prefix)
        test, train = int(size * options.test_ratio), int(size * options.train_ratio)
        if options.train_ratio == 1.0:
            _write_list(f"{stem}.lst", chunk)
            continue
        if options.test_ratio:
            _write_list(f"{stem}_test.lst", chunk[:test])
        if options.train_ratio + options.test_ratio < 1.0:
            _write_list(f"{stem}_val.lst", chunk[test + train :])
        _write_list(f"{stem}_train.lst", chunk[test : test + train])


def _write_list(path: str, entries: Sequence[Entry]) -> None:
    cells = ((str(number), *(f"{label:f}" for label in labels), name) for number, name, labels in entries)
    write_atomically(path, ("\t".join(row).encode("utf-8", "surrogateescape") + b"\n" for row in cells))


def _entries(path: Path) -> Iterator[Entry | None]:
    """The lines of a list; `None` for one that is none, about which a message is printed."""
    for number, line in enumerate(lines_of(path), 1):
        cells = [cell.strip() for cell in line.strip().split("\t")]
        try:
            first, *labels, name = cells
            if not labels:
                raise ValueError
            yield Entry(int(first), name, [float(label) for label in labels])
        except ValueError:
            required = "a number, labels and a path between tabs are required"
            print(f"{path}, line {number}: {required}, got {line[:80]!r}.", file=sys.stderr)
            yield None


# ---- records


def _write_records(path: Path, root: Path, options: Any) -> int:
    """Write the records of a list; how many images are left out."""
    print(f"Creating .rec file from {path} in {path.parent}")
    left_out = 0
    stem = str(path.with_suffix(""))
    threads = max(options.num_thread, 1)
    with MXIndexedRecordIO(f"{stem}.idx", f"{stem}.rec", "w") as file, ThreadPoolExecutor(threads) as pool:
        for entry, record in _records(pool, threads, _entries(path), root, options):
            if entry is None or isinstance(record, Exception):
                left_out += 1
                if entry is not None:
                    print(f"{entry.path}: left out: {record}", file=sys.stderr)
            else:
                file.write_idx(entry.number, record)
    return left_out


def _records(
    pool: ThreadPoolExecutor, threads: int, entries: Iterator[Entry | None], root: Path, options: Any
) -> Iterator[tuple[Entry | None, Any]]:
    """Entries with their records or what is wrong with them, in their order."""
    coming: list[tuple[Entry | None, Any]] = []
    for entry in entries:
        coming.append((entry, pool.submit(_tried, entry, root, options)))
        if len(coming) >= _AHEAD * threads:
            first, future = coming.pop(0)
            yield first, future.result()
    for entry, future in coming:
        yield entry, future.result()


def _tried(entry: Entry | None, root: Path, options: Any) -> bytes | Exception | None:
    try:
        return _record(entry, root, options) if entry is not None else None
    except (OSError, MXNetError) as exc:
        return exc


def _record(entry: Entry, root: Path, options: Any) -> bytes:
    """The record of an image."""
    several = options.pack_label and len(entry.labels) > 1
    header = IRHeader(0, list(entry.labels) if several else entry.labels[0], entry.number, 0)
    content = (root / entry.path).read_bytes()
    if options.pass_through:
        return pack(header, content)
    if not content:
        raise FormatError("the bytes of an image are required, got none.")
    pixels = decoded_as_stored(content, options.color, entry.path)
    pixels = pixels if pixels.ndim == 3 else pixels[..., None]
    if options.center_crop:
        h, w = pixels.shape[:2]
        side = min(h, w)
        top, left = (h - side) // 2, (w - side) // 2
        pixels = pixels[top : top + side, left : left + side]
    if options.resize:
        height, width = size_by_shorter_side(options.resize, *pixels.shape[:2])
        pixels = resampled(pixels, height, width, LINEAR)
    return pack_img(header, pixels, options.quality, options.encoding)
