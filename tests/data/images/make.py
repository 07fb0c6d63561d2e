"""Writes the small images beside it: `python tests/data/images/make.py`, with Pillow installed."""

import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent


def scene(h, w, seed):
    """Smooth colours with some edges and a little noise, (h, w, 3) of uint8."""
    rng = np.random.RandomState(seed)
    y, x = np.mgrid[:h, :w].astype(np.float64)
    waves = [128 + 90 * np.sin(x * a + y * b + c) for a, b, c in rng.uniform(0.02, 0.3, (3, 3)) * (1, 1, 20)]
    pixels = np.stack(waves, -1)
    top, left = h // 4, w // 3
    pixels[top : top + h // 3, left : left + w // 3] = rng.randint(0, 256, 3)
    return (pixels + rng.normal(0, 4, pixels.shape)).clip(0, 255).astype(np.uint8)


def png(name, values, colours):
    """A PNG of 16 bits; `colours` is its type: 0 grey, 2 colours, 6 with transparency."""
    h, w = values.shape[:2]
    rows = values.astype(">u2").reshape(h, -1)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", w, h, 16, colours, 0, 0, 0)),
        (b"IDAT", zlib.compress(raw)),
        (b"IEND", b""),
    ]
    with open(HERE / name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in chunks:
            file.write(struct.pack(">I", len(body)) + kind + body)
            file.write(struct.pack(">I", zlib.crc32(kind + body)))


def main():
    image = Image.fromarray(scene(37, 53, 1))
    image.save(HERE / "colour.jpg", quality=90)
    image.save(HERE / "fine.jpg", quality=95, subsampling=0)
    image.save(HERE / "progressive.jpg", quality=85, progressive=True)
    image.save(HERE / "colour.png")
    image.convert("L").save(HERE / "grey.jpg", quality=90)
    image.convert("L").save(HERE / "grey.png")
    image.convert("CMYK").save(HERE / "cmyk.jpg", quality=90)
    image.quantize(16).save(HERE / "palette.png")
    image.convert("1").save(HERE / "bits.png")
    image.save(HERE / "colour.bmp")
    image.save(HERE / "colour.webp", lossless=True)
    for turn in range(2, 9):
        exif = Image.Exif()
        exif[0x0112] = turn
        image.resize((24, 16)).save(HERE / f"turned{turn}.jpg", exif=exif, quality=90)
    seen = np.dstack([np.asarray(image), np.arange(37 * 53).reshape(37, 53) % 256]).astype(np.uint8)
    Image.fromarray(seen, "RGBA").save(HERE / "transparent.png")
    Image.fromarray(seen[..., [0, 3]], "LA").save(HERE / "grey_transparent.png")
    wide = np.random.RandomState(2).randint(0, 1 << 16, (9, 11, 4))
    png("deep.png", wide[..., :3], 2)
    png("deep_grey.png", wide[..., 0], 0)
    png("deep_transparent.png", wide, 6)
    for number, (h, w) in enumerate(((40, 60), (64, 48), (33, 33), (50, 91), (80, 41), (45, 45), (38, 70))):
        Image.fromarray(scene(h, w, 10 + number)).save(HERE / f"scene{number}.jpg", quality=92)


if __name__ == "__main__":
    main()
