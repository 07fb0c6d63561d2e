"""Images of uint8 resized, by real MXNet (oracle/resized.py) and by this project alike."""

import zlib

import numpy as np

INTERPOLATIONS = {"nearest": 0, "linear": 1, "cubic": 2, "area": 3, "lanczos": 4}
COUNT = 240


def images():
    """Images (h, w, C) of 1 to 4 channels, with another height and width: any, parts, multiples, one."""
    random = np.random.RandomState(5)
    for i in range(COUNT):
        h, w = random.randint(1, random.choice([4, 9, 40]) + 1, 2)
        height, width = random.randint(1, 2 * max(h, w) + 1, 2)
        if i % 4 == 1:  # a half, a third, a quarter
            h, w = height * random.randint(1, 5), width * random.randint(1, 5)
        elif i % 4 == 2:
            height, width = h * random.randint(1, 4), w * random.randint(1, 4)
        elif i % 4 == 3:
            height, width = random.randint(1, h + 1), random.randint(1, w + 1)
        pixels = random.randint(0, 256, (h, w, 1 + i % 3 + (i % 7 == 0))).astype(np.uint8)
        yield pixels, int(height), int(width)


def checksums(mx):
    """For each interpolation the CRC-32 of every image's bytes."""
    sums: dict[str, list[int]] = {name: [] for name in INTERPOLATIONS}
    for pixels, height, width in images():
        for name, interp in INTERPOLATIONS.items():
            image = mx.nd.array(pixels, dtype="uint8")
            resized = mx.nd._internal._cvimresize(image, width, height, interp=interp)
            sums[name].append(zlib.crc32(resized.asnumpy().tobytes()))
    return sums
