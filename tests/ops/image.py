"""Cases of what is done to images before a network."""

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

PIXELS = ints((4, 5, 3), 256, dtype="uint8")
GREY = ints((4, 5, 1), 256, dtype="uint8")
SEVERAL = ints((2, 4, 5, 3), 256, dtype="uint8")
FLOATS = uniform((4, 5, 3), 0, 255)
FLOAT_DTYPES = ("float32", "float64")
NO_GRADIENT = {"oracle": "MXNet gives the head gradient, whatever the operator did"}
FIXED_POINT = 7e-3
"""OpenCV rounds linear weights of integers, so that values may differ by one of 255."""


def resize(image, tol=1e-5, **attributes):
    """Resizing."""
    return Case("_image_resize", [image], **attributes).but(tol=tol)


def by_chance(name, *images, **attributes):
    """What a random operator does when there is nothing to choose."""
    cases = [Case(f"_image_{name}", [image], **attributes).but(tol=FIXED_POINT) for image in images]
    return [each.but(no=NO_GRADIENT) if each.inputs[0] is FLOATS else each for each in cases]


def flip(way, axis):
    """Mirror images; real MXNet leaves the middle of an odd number of columns unset."""
    formula = {"formula": lambda data: np.flip(data, axis)}
    return [Case(f"_image_flip_{way}", [image]).but(**formula) for image in (PIXELS, FLOATS)]


def flipped(axis):
    """An image mirrored if the first draw says so."""
    return lambda data, noise: np.flip(data, axis) if noise[0] < 0.5 else data


def saturated(image, factor):
    """Saturation; real MXNet takes the blue alone for the brightness."""

    def formula(data, noise):
        grey = 0.299 * data[..., :1] + 0.587 * data[..., 1:2] + 0.114 * data[..., 2:]
        changed = factor * data + (1 - factor) * grey
        return changed.clip(0, 255).astype(data.dtype) if data.dtype == np.uint8 else changed

    return Case("_image_random_saturation", [image], min_factor=factor, max_factor=factor).but(
        formula=formula
    )


def half_brightened(data, noise):
    """An image of which the brightness alone is changed, by up to a half."""
    return (data * (0.5 + noise[0])).clip(0, 255).astype(data.dtype)


CASES = [
    *(Case("_image_to_tensor", [image]) for image in (PIXELS, GREY, SEVERAL, FLOATS)),
    Case("_image_normalize", [(3, 4, 5)]).but(dtypes=FLOAT_DTYPES, formula=lambda data: data),
    Case("_image_normalize", [(1, 4, 5)], mean=(0.5,), std=(2.0,)),
    Case("_image_normalize", [(3, 4, 5)], mean=(0.5,), std=(2.0,)),
    Case("_image_normalize", [(2, 3, 4, 5)], mean=(0.1, 0.2, 0.3), std=(1.0, 2.0, 4.0)),
    Case("_image_normalize", [(2, 3, 4, 5)], mean=(0.1, 0.2, 0.3), std=(2.0,)),
    *(
        Case("_image_normalize", [ints((2, 3, 4, 5), 256, d, dtype=t)], mean=m, std=(0.37, 2.0, 100.0))
        for t, d in (("uint8", 0), ("int8", -128), ("int32", -300), ("int64", 0))
        for m in ((3.3,), (0.1, -0.2, 300.0))
    ),
    *(Case("_image_crop", [image], x=1, y=2, width=3, height=2) for image in (PIXELS, SEVERAL, FLOATS)),
    Case("_image_crop", [(2, 4, 5, 3)], x=0, y=1, width=5, height=3),
    *flip("left_right", 1),
    *flip("top_bottom", 0),
    *(
        resize(image, FIXED_POINT if interp != 0 else 0.0, size=size, interp=interp)
        for interp in range(5)
        for size in ((3, 7), (2, 2), (9, 11), (7, 3))
        for image in (PIXELS, SEVERAL, FLOATS)
    ),
    *(resize(x, size=s, keep_ratio=True, interp=0) for x in (PIXELS, SEVERAL) for s in ((3,), (3, 2))),
    resize(ints((6, 4, 1), 256, dtype="uint8"), size=(3,), keep_ratio=True, interp=0),
    resize(GREY, FIXED_POINT, size=(3,)),
    Case("_image_adjust_lighting", [PIXELS], alpha=(0.1, -0.2, 0.3)).but(tol=FIXED_POINT),
    Case("_image_adjust_lighting", [FLOATS], alpha=(0.1, -0.2, 0.3)).but(no=NO_GRADIENT),
    *by_chance("random_brightness", PIXELS, GREY, FLOATS, min_factor=1.5, max_factor=1.5),
    *by_chance("random_brightness", PIXELS, min_factor=0.3, max_factor=0.3),
    *by_chance("random_contrast", PIXELS, GREY, FLOATS, min_factor=1.5, max_factor=1.5),
    *by_chance("random_contrast", PIXELS, min_factor=0.4, max_factor=0.4),
    *by_chance("random_saturation", GREY, min_factor=1.5, max_factor=1.5),
    *(saturated(image, factor) for image in (PIXELS, FLOATS) for factor in (1.5, 0.4)),
    *by_chance("random_hue", PIXELS, FLOATS, min_factor=1.3, max_factor=1.3),
    *by_chance("random_hue", PIXELS, FLOATS, min_factor=0.6, max_factor=0.6),
    *by_chance("random_hue", PIXELS, min_factor=1.0, max_factor=1.0),
    *by_chance("random_lighting", PIXELS, FLOATS, alpha_std=0.0),
    Case("_image_random_color_jitter", [PIXELS], brightness=0.5, contrast=0.0, saturation=0.0, hue=0.0).but(
        formula=half_brightened
    ),
    Case("_image_random_flip_left_right", [PIXELS]).but(formula=flipped(1)),
    Case("_image_random_flip_top_bottom", [PIXELS]).but(formula=flipped(0)),
]
