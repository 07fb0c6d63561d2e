"""Calls of im2rec, for MXNet's script and for this project's command alike."""

from __future__ import annotations

import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).parent / "data" / "images"
TREE = {
    "": ("deep_grey.png", "colour.bmp"),
    "a": ("scene0.jpg", "scene1.jpg", "scene2.jpg", "scene3.jpg", "transparent.png"),
    "b": ("scene4.jpg", "scene5.jpg", "scene6.jpg"),
    "b/c": ("colour.png",),
}
LISTS = {
    "flat": [],
    "deep": ["--recursive"],
    "in_order": ["--recursive", "--no-shuffle"],
    "shares": ["--recursive", "--chunks", "2", "--train-ratio", "0.5", "--test-ratio", "0.2"],
    "training": ["--recursive", "--train-ratio", "0.6"],
    "chunks": ["--recursive", "--chunks", "3", "--no-shuffle"],
    "bmp": ["--recursive", "--exts", ".bmp", "--no-shuffle"],
}
"""Names of lists and the options that make them."""
RECORDS = {
    "plain": [],
    "as_they_are": ["--pass-through"],
    "resize": ["--resize", "20"],
    "crop": ["--center-crop", "--resize", "15"],
    "coarse": ["--quality", "50"],
    "png": ["--encoding", ".png", "--quality", "3"],
    "grey": ["--color", "0"],
    "any": ["--color", "-1", "--encoding", ".png", "--quality", "1"],
    "all_labels": ["--pack-label"],
    "bad_lines": [],
}
"""Names of files of records and the options that make them."""
LINES = "5\t1.0\ta/scene0.jpg\n3\t2.0\t5.5\tb/scene4.jpg\n9\t7.5\ta/transparent.png\n"
BAD_LINES = "5\n3\t2.0\tb/scene4.jpg\nx\ty\tz\n"


def lay_out(folder: Path) -> Path:
    """A tree of images."""
    root = folder / "tree"
    for below, names in TREE.items():
        (root / below).mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(IMAGES / name, root / below / name)
    return root


def lists(folder: Path) -> dict[str, str]:
    """The lists in a folder by name."""
    return {path.name: path.read_text() for path in sorted(folder.glob("*.lst"))}


def records(path: Path) -> list[Any]:
    """The index of a file of records, and flag, label, ids, size and checksum of each."""
    index = path.with_suffix(".idx").read_text()
    content, at, found = path.read_bytes(), 0, []
    while at < len(content):
        (length,) = struct.unpack("<I", content[at + 4 : at + 8])
        record = content[at + 8 : at + 8 + length]
        found.append([*struct.unpack("<IfQQ", record[:24]), length, zlib.crc32(record)])
        at += 8 + length + -length % 4
    return [index, *found]
