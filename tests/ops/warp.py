"""Cases of images read at the points of a grid."""

import numpy as np

from hybridonnx.test_utils import Case, uniform

FLOATS = ("float32", "float64", "float16")
MXNETS = ("float32", "float64")
AFFINE = {"transform_type": "affine", "sampler_type": "bilinear"}
EDGES = np.array([[[[-1, 1, 0, -1], [1, 1.5, -2, 0]], [[-1, 1, 0, 0.25], [1, 0, 3, -1]]]], np.float32)
"""Points on pixels, on the edges and outside."""
FAR = np.array([[[[-1e30, 0.3, 1e20], [0.5, 1e10, 5.0]], [[0.2, 1e30, -1e10], [0.4, 0.1, -5.0]]]], np.float32)
"""Points far outside, and one inside."""


def points(height, width):
    """x and y of the points of a grid, (2, height, width)."""
    y, x = np.mgrid[:height, :width]
    return np.stack([2 * x / (width - 1) - 1, 2 * y / (height - 1) - 1])


def affine(data):
    """Points (x, y, 1) times matrices; real MXNet has float32 alone."""
    columns = np.concatenate([points(3, 4), np.ones((1, 3, 4))])
    return np.einsum("nab,bhw->nahw", data.reshape(-1, 2, 3), columns)


def affine_grad(dy):
    """The sums of dy times (x, y, 1)."""
    columns = np.concatenate([points(*dy.shape[2:]), np.ones((1, *dy.shape[2:]))])
    return np.einsum("nahw,bhw->nab", dy, columns).reshape(len(dy), 6).astype(dy.dtype)


def flow_grad(dy):
    height, width = dy.shape[2:]
    scale = np.array([2 / (width - 1), 2 / (height - 1)]).reshape(1, 2, 1, 1)
    return (dy * scale).astype(dy.dtype)


def weights(grid, height, width, by_x, by_y):
    """The weight of each pixel in each sample, (N, points, height, width): hats, or their slopes."""

    def hats(position, size, slope):
        distance = np.arange(size) - (position[..., None] + 1) * (size - 1) / 2
        inside = (distance > -1) & (distance <= 1)
        if slope:
            return np.where(inside & (abs(distance) <= 1), np.where(distance > 0, 1, -1), 0) * (size - 1) / 2
        return np.where(inside, 1 - abs(distance), 0)

    x, y = grid.astype(np.float64).reshape(len(grid), 2, -1).swapaxes(0, 1)
    return hats(y, height, by_y)[..., None] * hats(x, width, by_x)[..., None, :]


def slope(by_x, by_y):
    """A formula of `_bilinear_sampler_slope`."""

    def formula(data, grid):
        shares = weights(grid, *data.shape[2:], by_x, by_y)
        y = np.einsum("nphw,nchw->ncp", shares, data)
        return y.reshape(*data.shape[:2], *grid.shape[2:]).astype(data.dtype)

    return formula


def scattered(by_x, by_y):
    """A formula of `_bilinear_sampler_grad`."""

    def formula(dy, grid, data):
        shares = weights(grid, *data.shape[2:], by_x, by_y)
        flat = dy.reshape(*dy.shape[:2], dy.shape[2] * dy.shape[3])
        return np.einsum("nphw,ncp->nchw", shares, flat).astype(dy.dtype)

    return formula


def adjoints(data, out, **options):
    """The derivatives of samples, and their adjoints."""
    grid = uniform((data[0], 2, *out), -1.3, 1.3)
    for by_x, by_y in ((False, False), (True, False), (False, True), (True, True)):
        by = {"by_x": by_x, "by_y": by_y}
        yield Case("_bilinear_sampler_slope", [data, grid], **by).but(formula=slope(by_x, by_y), **options)
        heads = (*data[:2], *out)
        grad = Case("_bilinear_sampler_grad", [heads, grid, data], **by)
        yield grad.but(formula=scattered(by_x, by_y), **options)


NOTHING = {"formula": lambda data, *_: np.zeros((0, 3, 4, 5), data.dtype)}

CASES = [
    Case("GridGenerator", [(2, 6)], transform_type="affine", target_shape=(3, 4)),
    Case("GridGenerator", [(1, 6)], transform_type="affine", target_shape=(2, 2)),
    Case("GridGenerator", [(2, 2, 3, 5)], transform_type="warp"),
    Case("GridGenerator", [(1, 2, 2, 2)], transform_type="warp", target_shape=(7, 7)),
    Case("GridGenerator", [np.zeros((2, 6), np.float16)], transform_type="affine", target_shape=(2, 3)).but(
        formula=lambda data: np.zeros((2, 2, 2, 3), np.float16)
    ),
    Case("GridGenerator", [np.zeros((1, 2, 3, 2), np.float16)], transform_type="warp").but(
        formula=lambda data: points(3, 2)[None].astype(np.float16)
    ),
    Case("GridGenerator", [(0, 6)], transform_type="affine", target_shape=(2, 3)).but(
        formula=lambda data: np.zeros((0, 2, 2, 3), data.dtype)
    ),
    Case("GridGenerator", [(3, 6)], transform_type="affine", target_shape=(3, 4)).but(
        formula=affine, dtypes=("float64",)
    ),
    Case("_grid_grad", [(2, 2, 3, 4)], transform_type="affine", target_shape=(3, 4)).but(
        formula=affine_grad, dtypes=MXNETS
    ),
    Case("_grid_grad", [(2, 2, 3, 4)], transform_type="warp").but(formula=flow_grad, dtypes=MXNETS),
    Case("BilinearSampler", [(2, 3, 4, 5), uniform((2, 2, 3, 4), -1.3, 1.3)]).but(dtypes=MXNETS),
    Case("BilinearSampler", [(2, 1, 2, 3), uniform((2, 2, 5, 1), -1, 1)], cudnn_off=True),
    Case("BilinearSampler", [(1, 2, 3, 4), EDGES]).but(
        no={"gradient": "slopes change at pixels", "second": "slopes change at pixels"}
    ),
    *(Case("BilinearSampler", [(1, 2, *size), FAR]) for size in ((3, 4), (2, 2))),
    Case("BilinearSampler", [(2, 2, 1, 1), uniform((2, 2, 2, 3), -1.3, 1.3)]),
    Case("BilinearSampler", [(2, 2, 1, 4), uniform((2, 2, 2, 3), -1.3, 1.3)]),
    Case("BilinearSampler", [(2, 3, 4, 5), uniform((2, 2, 3, 4), -1.3, 1.3)], cudnn_off=False).but(
        dtypes=("float16",), formula=slope(False, False), tol=4e-3
    ),
    Case("BilinearSampler", [(1, 1, 3, 2), uniform((1, 2, 2, 2), -1, 1)]).but(
        dtypes=("float64",), formula=slope(False, False)
    ),
    Case("BilinearSampler", [(0, 3, 4, 5), (0, 2, 4, 5)]).but(**NOTHING),
    *adjoints((2, 3, 4, 5), (3, 4), dtypes=MXNETS),
    *adjoints((1, 2, 3, 1), (2, 2)),
    Case("SpatialTransformer", [(2, 3, 4, 5), (2, 6)], target_shape=(3, 4), **AFFINE).but(dtypes=MXNETS),
    Case("SpatialTransformer", [(1, 1, 3, 3), (1, 6)], target_shape=(5, 2), cudnn_off=True, **AFFINE),
    Case("SpatialTransformer", [(2, 2, 4, 3), uniform((2, 6), -0.6, 0.6)], target_shape=(4, 3), **AFFINE),
    Case("SpatialTransformer", [(1, 2, 3, 4), (1, 6)], target_shape=(3, 4), **AFFINE).but(
        dtypes=("float64",)
    ),
    Case("SpatialTransformer", [(0, 3, 4, 5), (0, 6)], target_shape=(4, 5), **AFFINE).but(**NOTHING),
]
