"""Images in the bytes of files, read and written by OpenCV, or by Pillow where OpenCV is not installed.

What is read equals what MXNet reads, which leaves out how a camera was held (EXIF) and transparency.
"""

from __future__ import annotations

import importlib
import io
import struct
from typing import Any

import numpy as np

from .. import config
from ..errors import FormatError, MXNetError
from ._opencv import opencv
from ._operator import Array

_GREY, _COLOUR, _UNCHANGED, _AS_STORED = 0, 1, -1, 128
"""OpenCV's flags; the last leaves out EXIF's orientation."""
_BEGINNING = b"\x89PNG\r\n\x1a\n"
_INSTALL = "Install one of them, pip install opencv-python-headless or pip install pillow"


def _pillow(where: str, purpose: str) -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as exc:
        raise MXNetError(f"{where}: to {purpose} images, OpenCV or Pillow is required. {_INSTALL}.") from exc


# ---- reading


def decoded(content: bytes, flag: int, where: str) -> Array:
    """The image in a file's bytes, in colours (H, W, 3), or in grey (H, W, 1) if `flag` is 0, as uint8."""
    _require_size(content, where)
    cv2 = opencv()
    if cv2 is None:
        pixels = _by_pillow(content, _COLOUR if flag else _GREY, where)
    else:
        pixels = _by_opencv(cv2, content, (_COLOUR if flag else _GREY) | _AS_STORED, where)
        pixels = cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB) if flag else pixels
    return pixels if flag else pixels[..., None]


def decoded_as_stored(content: bytes, flag: int, where: str) -> Array:
    """As `cv2.imdecode` does it: colours with blue first, grey as (H, W), and with -1 what the file has."""
    _require_size(content, where)
    cv2 = opencv()
    if cv2 is not None:
        return _by_opencv(cv2, content, flag, where)
    pixels = _by_pillow(content, flag, where, turned=flag != _UNCHANGED)
    return _red_first(pixels)


def _by_opencv(cv2: Any, content: bytes, flag: int, where: str) -> Array:
    try:
        pixels: Array | None = cv2.imdecode(np.frombuffer(content, np.uint8), flag)
    except cv2.error as exc:
        raise FormatError(f"{where}: OpenCV cannot read the image: {exc}.") from exc
    if pixels is None:
        raise FormatError(f"{where}: an image that OpenCV can read is required, got {_show(content)}.")
    return pixels


def _show(content: bytes) -> str:
    return f"{len(content)} bytes that begin with {content[:8]!r}"


def _by_pillow(content: bytes, flag: int, where: str, turned: bool = False) -> Array:
    pillow = _pillow(where, "decode")
    try:
        with pillow.open(io.BytesIO(content)) as image:
            _require_pixels(image.size, where)
            if turned:
                image = importlib.import_module("PIL.ImageOps").exif_transpose(image)
            return _pixels(image, flag)
    except (OSError, SyntaxError, ValueError, pillow.DecompressionBombError) as exc:  # for what is no image
        if isinstance(exc, FormatError):
            raise
        raise FormatError(f"{where}: Pillow cannot read the image: {exc}.") from exc


def _pixels(image: Any, flag: int) -> Array:
    """Of a Pillow image: grey (H, W), or red, green, blue, and with flag -1 the transparency."""
    if image.mode.startswith("I"):  # of 16 bits, which Pillow would cut off
        grey = (np.asarray(image).astype(np.int64) >> 8).clip(0, 255).astype(np.uint8)
        return np.stack([grey] * 3, -1) if flag == _COLOUR else grey
    if flag == _UNCHANGED:
        seen = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
        wanted = "L" if image.mode in ("L", "1") else "RGBA" if seen else "RGB"
        return np.array(image.convert(wanted), np.uint8)
    if flag == _COLOUR:
        return _colours(image)
    if image.format == "JPEG" and image.mode != "CMYK":
        image.draft("L", image.size)  # its brightness is stored
    if image.mode in ("L", "LA", "1"):
        return np.array(image.convert("L"), np.uint8)
    return _brightness(_colours(image), cut=image.format == "PNG")


def _colours(image: Any) -> Array:
    """Red, green and blue (H, W, 3); those of inks in OpenCV's integers."""
    if image.mode != "CMYK":
        return np.array(image.convert("RGB"), np.uint8)
    paper = 255 - np.asarray(image).astype(np.int32)
    black = paper[..., 3:]
    return np.asarray(black - ((255 - paper[..., :3]) * black >> 8), np.uint8)


def _brightness(colours: Array, cut: bool) -> Array:
    """Grey from colours in the integers of libpng, which cuts off, or of OpenCV, which rounds."""
    r, g, b = np.moveaxis(colours.astype(np.int32), -1, 0)
    grey = (r * 9797 + g * 19234 + b * 3737) >> 15 if cut else (r * 4899 + g * 9617 + b * 1868 + 8192) >> 14
    return np.asarray(grey, np.uint8)


# ---- sizes that a stranger's file claims


def _require_size(content: bytes, where: str) -> None:
    """Raises `FormatError` where the beginning of a file says more pixels than are allowed.

    OpenCV does not tell a size beforehand, and has a limit of 2 to the power of 30 pixels. That of other
    formats than these tells Pillow, if it is installed.
    """
    if content.startswith(_BEGINNING) and len(content) >= 24:
        _require_pixels(struct.unpack(">II", content[16:24]), where)
    elif content.startswith(b"\xff\xd8"):
        _require_pixels(_jpeg_size(content), where)
    elif content.startswith(b"BM") and len(content) >= 26:
        _require_pixels(struct.unpack("<ii", content[18:26]), where)
    else:
        _require_pixels(_size_by_pillow(content, where), where)


def _size_by_pillow(content: bytes, where: str) -> tuple[int, int]:
    """Width and height of a file, 0 if Pillow is not installed or cannot read it."""
    try:
        pillow = importlib.import_module("PIL.Image")
    except ImportError:
        return 0, 0
    try:
        with pillow.open(io.BytesIO(content)) as image:
            width, height = image.size
            return width, height
    except pillow.DecompressionBombError as exc:
        raise FormatError(f"{where}: an image of fewer pixels is required: {exc}") from exc
    except Exception:  # noqa: BLE001  # of its plugins; reading the pixels tells what is wrong
        return 0, 0


def _jpeg_size(content: bytes) -> tuple[int, int]:
    """Width and height from the first frame of a JPEG; 0 if there is none."""
    at = 2
    while at + 9 <= len(content):
        if content[at] != 0xFF:
            return 0, 0
        marker = content[at + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 1:  # a filler, or a marker alone
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return 0, 0


def _require_pixels(size: tuple[int, ...], where: str) -> None:
    width, height = map(abs, size)
    limit = config.PIXELS()
    if width * height > limit:
        raise FormatError(
            f"{where}: an image of at most {limit} pixels is required, got {width} x {height}. "
            f"Set {config.PIXELS.name} to a higher number if the file can be trusted."
        )


# ---- writing


def encoded(pixels: Array, quality: int, suffix: str, where: str) -> bytes:
    """The file of an image, grey (H, W) or with blue first (H, W, 3 or 4), as .jpg, .jpeg or .png.

    `quality` is that of JPEG from 1 to 100, of PNG how much is compressed, from 0 to 9.
    """
    kind = suffix.lower()
    if kind not in (".jpg", ".jpeg", ".png"):
        raise MXNetError(f"{where}: .jpg or .png is required as the format, got {suffix!r}.")
    level = quality if kind != ".png" else min(max(quality, 0), 9)
    cv2 = opencv()
    if cv2 is not None:
        parameter = cv2.IMWRITE_PNG_COMPRESSION if kind == ".png" else cv2.IMWRITE_JPEG_QUALITY
        fine, content = cv2.imencode(kind, pixels, [parameter, level])
        if not fine:
            raise MXNetError(f"{where}: OpenCV cannot write an image {pixels.shape} of {pixels.dtype}.")
        return bytes(content.tobytes())
    pillow = _pillow(where, "encode")
    stream = io.BytesIO()
    image = pillow.fromarray(_red_first(pixels))
    if kind == ".png":
        image.save(stream, "PNG", compress_level=level)
    else:
        image.convert("L" if image.mode == "L" else "RGB").save(stream, "JPEG", quality=level)
    return stream.getvalue()


def _red_first(pixels: Array) -> Array:
    """Blue and red exchanged; transparency stays the last, and grey is (H, W)."""
    if pixels.ndim == 2 or pixels.shape[2] == 1:
        return pixels.reshape(pixels.shape[:2])
    return np.ascontiguousarray(pixels[..., [2, 1, 0, 3][: pixels.shape[2]]])
