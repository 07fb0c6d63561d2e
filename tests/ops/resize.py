"""Cases of resizing."""

import numpy as np

from hybridonnx.test_utils import Case, ints

ALL = ("float32", "float64", "float16")


def up(*images, scale, **attributes):
    """Nearest-neighbour upsampling."""
    return Case("UpSampling", list(images), scale=scale, sample_type="nearest", **attributes)


def trained(image, scale):
    """Upsampling by a kernel that is an input."""
    side = 2 * scale - scale % 2
    inputs = [image, (image[1], 1, side, side)]
    return Case("UpSampling", inputs, scale=scale, num_filter=image[1], sample_type="bilinear", num_args=2)


def squares(dy, s):
    """The sum of each square of s by s."""
    n, c, h, w = dy.shape
    return dy.reshape(n, c, h // s, s, w // s, s).sum((3, 5))


def bilinear(image, **attributes):
    """Bilinear resizing."""
    return Case("_contrib_BilinearResize2D", [image], **attributes)


def adaptive(image, **attributes):
    """Adaptive average pooling."""
    return Case("_contrib_AdaptiveAvgPooling2D", [image], **attributes)


def _linear(n, m, corners):
    """The matrix of linear interpolation from n to m values, by np.interp."""
    index = np.arange(m)
    source = index * (n - 1) / max(m - 1, 1) if corners else (index + 0.5) * n / m - 0.5
    return np.stack([np.interp(source, np.arange(n), row) for row in np.eye(n)], 1)


def resize_back(dy, x, corners=True):
    """The gradient of bilinear resizing."""
    rows, columns = (_linear(n, m, corners) for n, m in zip(x.shape[2:], dy.shape[2:], strict=True))
    return np.einsum("oh,ncop,pw->nchw", rows, dy, columns).astype(dy.dtype)


def adaptive_back(dy, x):
    """The gradient of adaptive average pooling as a loop."""
    dx = np.zeros_like(x)
    (h, w), (oh, ow) = x.shape[2:], dy.shape[2:]
    for i in range(oh):
        for j in range(ow):
            part = np.s_[:, :, i * h // oh : -(-(i + 1) * h // oh), j * w // ow : -(-(j + 1) * w // ow)]
            dx[part] += dy[:, :, i : i + 1, j : j + 1] / dx[part][0, 0].size
    return dx


CASES = [
    up((2, 3, 4, 5), scale=2).but(dtypes=ALL),
    up((1, 2, 3, 3), scale=3),
    up((1, 2, 3, 3), scale=1),
    up((1, 2, 4, 4), (1, 3, 4, 4), scale=2),
    up((1, 2, 4, 4), (1, 3, 2, 2), scale=2),
    up((1, 2, 2, 2), (1, 1, 4, 4), (1, 3, 8, 8), scale=4),
    up((1, 2, 4, 4), (1, 2, 2, 2), scale=2, multi_input_mode="sum"),
    up((1, 2, 4, 4), (1, 2, 4, 4), (1, 2, 1, 1), scale=1, multi_input_mode="sum", workspace=256),
    *(trained((2, 3, 4, 5), scale) for scale in (1, 2, 3, 4)),
    Case("_upsampling_grad", [(1, 5, 8, 8), (1, 2, 4, 4), (1, 3, 2, 2)], scale=2).but(
        formula=lambda dy, a, b: (squares(dy[:, :2], 2), squares(dy[:, 2:], 4))
    ),
    Case("_upsampling_grad", [(1, 2, 8, 8), (1, 2, 4, 4), (1, 2, 2, 2)], scale=2, multi_input_mode="sum").but(
        formula=lambda dy, a, b: (squares(dy, 2), squares(dy, 4))
    ),
    Case("_upsampling_grad", [(1, 2, 6, 6), (1, 2, 3, 3)], scale=2).but(formula=lambda dy, a: squares(dy, 2)),
    # bilinear
    bilinear((2, 3, 4, 5), height=7, width=9).but(dtypes=ALL),
    bilinear((2, 3, 4, 5), height=7, width=9, align_corners=False),
    bilinear((2, 3, 7, 8), height=3, width=4),
    bilinear((2, 3, 7, 8), height=3, width=4, align_corners=False),
    bilinear((2, 3, 4, 5), height=4, width=5),
    bilinear((2, 3, 4, 5)),
    bilinear((2, 3, 4, 5), height=1, width=3, align_corners=False),
    bilinear((1, 2, 1, 1), height=3, width=4),
    bilinear((1, 2, 1, 1), height=3, width=4, align_corners=False),
    bilinear((1, 2, 5, 6), scale_height=1.5, scale_width=0.7),
    bilinear((1, 2, 5, 6), scale_height=2.0, scale_width=2.0, align_corners=False),
    *(
        bilinear((1, 2, 5, 6), scale_height=1.4, scale_width=0.7, mode=mode)
        for mode in ("odd_scale", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up")
    ),
    bilinear((1, 2, 5, 6), scale_height=2.0, scale_width=3.0, mode="odd_scale"),
    Case("_contrib_BilinearResize2D", [(1, 2, 5, 6), (1, 1, 3, 8)], mode="like"),
    Case("_contrib_BilinearResize2D", [(1, 2, 5, 6), (1, 1, 3, 8)], mode="like", align_corners=False),
    Case("_contrib_BilinearResize2D", [(1, 2, 5, 6), ints((1, 1, 3, 8), 5, 0, "int32")], mode="like"),
    Case("_bilinear_resize_grad", [(1, 2, 7, 3), (1, 2, 5, 6)]).but(formula=resize_back),
    Case("_bilinear_resize_grad", [(1, 2, 7, 3), (1, 2, 5, 6)], align_corners=False).but(
        formula=lambda dy, x: resize_back(dy, x, False)
    ),
    # adaptive
    adaptive((2, 3, 5, 6)),
    adaptive((2, 3, 5, 6), output_size=(1,)),
    adaptive((2, 3, 6, 6), output_size=(3,)).but(dtypes=ALL),
    adaptive((2, 3, 5, 6), output_size=(2, 3)),
    adaptive((2, 3, 5, 6), output_size=(3, 4)),
    adaptive((2, 3, 5, 6), output_size=(7, 4)),
    adaptive((2, 0, 5, 6), output_size=(5, 3)).but(formula=lambda x: np.zeros((2, 0, 5, 3), x.dtype)),
    adaptive((2, 0, 5, 6)).but(formula=lambda x: np.zeros((2, 0, 1, 1), x.dtype)),
    adaptive((2, 3, 6, 8), output_size=(3, 2)),
    Case("_adaptive_pool_grad", [(2, 3, 1, 1), (2, 3, 5, 6)]).but(formula=adaptive_back),
    Case("_adaptive_pool_grad", [(2, 3, 3, 4), (2, 3, 5, 6)], output_size=(3, 4)).but(formula=adaptive_back),
    Case("_adaptive_pool_grad", [(2, 3, 3, 3), (2, 3, 6, 6)], output_size=(3,)).but(formula=adaptive_back),
]
