"""Cases of deformable convolution."""

import numpy as np

from hybridonnx.test_utils import Case, uniform

FLOATS = ("float32", "float64")


def sizes(data, kernel, stride=(), dilate=(), pad=(), **_):
    """How many windows there are on each axis."""
    stride, dilate, pad = stride or (1, 1), dilate or (1, 1), pad or (0, 0)
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, d, p in zip(data[2:], kernel, stride, dilate, pad, strict=True)
    )


def deformable(data, kernel, filters=4, mask=False, reach=1.5, **attributes):
    """A convolution whose offsets reach so far, over the edges too."""
    out = sizes(data, kernel, **attributes)
    count = int(np.prod(kernel)) * attributes.get("num_deformable_group", 1)
    group = attributes.get("num_group", 1)
    inputs = [data, uniform((data[0], 2 * count, *out), -reach, reach)]
    if mask:
        inputs.append((data[0], count, *out))
    inputs.append((filters, data[1] // group, *kernel))
    if not attributes.get("no_bias"):
        inputs.append((filters,))
    name = "_contrib_ModulatedDeformableConvolution" if mask else "_contrib_DeformableConvolution"
    return Case(name, inputs, kernel=kernel, num_filter=filters, **attributes)


def pixel(image, y, x, clamped):
    """One element of image (C, H, W), read between pixels."""
    height, width = image.shape[1:]
    before = 0 if clamped else -1
    if not (before <= y < height and before <= x < width) or (not clamped and (y == -1 or x == -1)):
        return np.zeros(len(image))
    if clamped:
        y, x = min(y, height - 1), min(x, width - 1)
    total = np.zeros(len(image))
    for i in (int(np.floor(y)), int(np.floor(y)) + 1):
        for j in (int(np.floor(x)), int(np.floor(x)) + 1):
            if 0 <= i < height and 0 <= j < width:
                total += image[:, i, j] * (1 - abs(y - i)) * (1 - abs(x - j))
    return total


def positions(data, offset, kernel, stride=(), dilate=(), pad=(), num_deformable_group=1, **_):
    """For each image, group, element and window: indices of it, and where it is read."""
    stride, dilate, pad = stride or (1, 1), dilate or (1, 1), pad or (0, 0)
    out = offset.shape[2:]
    split = offset.reshape(len(data), num_deformable_group, *kernel, 2, *out)
    for n, g, i, j, h, w in np.ndindex(len(data), num_deformable_group, *kernel, *out):
        dy, dx = split[n, g, i, j, :, h, w].astype(np.float64)
        y = h * stride[0] - pad[0] + i * dilate[0] + dy
        x = w * stride[1] - pad[1] + j * dilate[1] + dx
        yield n, g, i * kernel[1] + j, h, w, y, x


def columns_of(clamped=False, **attributes):
    def formula(data, offset):
        group = attributes.get("num_deformable_group", 1)
        n, c = data.shape[:2]
        count = int(np.prod(attributes["kernel"]))
        y = np.zeros((n, group, c // group, count, *offset.shape[2:]))
        images = data.reshape(n, group, c // group, *data.shape[2:]).astype(np.float64)
        for b, g, k, h, w, i, j in positions(data, offset, **attributes):
            y[b, g, :, k, h, w] = pixel(images[b, g], i, j, clamped)
        return y.reshape(n, c * count, *offset.shape[2:]).astype(data.dtype)

    return formula


def columns_grad_of(**attributes):
    """Each pixel's derivative is the columns of an image that is 1 there and 0 elsewhere."""

    def formula(columns, offset, data):
        read = columns_of(**attributes)
        dx = np.zeros(data.shape)
        for index in np.ndindex(*data.shape):
            one = np.zeros(data.shape)
            one[index] = 1
            dx[index] = (read(one, offset) * columns).sum()
        return dx.astype(columns.dtype)

    return formula


def adjoints(data, kernel, **attributes):
    """The operators that gradients are made of."""
    out = sizes(data, kernel, **attributes)
    count = int(np.prod(kernel))
    groups = attributes.get("num_deformable_group", 1)
    offset = uniform((data[0], 2 * groups * count, *out), -1.5, 1.5)
    columns = (data[0], data[1] * count, *out)
    same = {"kernel": kernel, **attributes}
    return [
        Case("_deformable_columns", [data, offset], **same).but(formula=columns_of(**same)),
        Case("_deformable_columns_grad", [columns, offset, data], **same).but(
            formula=columns_grad_of(**same)
        ),
    ]


def edges(reach=4.0):
    """Offsets of one element exactly on pixels, on the edges and far outside of them."""
    values = np.array([-reach, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.5, 3.0, reach])
    down, right = np.meshgrid(values, values, indexing="ij")
    return np.stack([down, right])[None].astype(np.float32)


def at_edges(mask):
    """All windows read the same image at `edges`: the window's own position is taken from the offsets."""
    where = edges()
    where = where - np.stack(np.meshgrid(*map(np.arange, where.shape[2:]), indexing="ij"))[None]
    inputs = [(1, 2, 10, 10), where.astype(np.float32)]
    kinks = dict.fromkeys(("gradient", "second"), "between pixels there is a kink")
    name = "_contrib_ModulatedDeformableConvolution" if mask else "_contrib_DeformableConvolution"
    inputs += [np.ones((1, 1, 10, 10), np.float32)] * mask
    return Case(name, [*inputs, (3, 2, 1, 1)], kernel=(1, 1), num_filter=3, no_bias=True).but(no=kinks)


CASES = [
    deformable((2, 4, 6, 5), (3, 3), pad=(1, 1)).but(dtypes=FLOATS),
    deformable((2, 4, 6, 5), (3, 3), pad=(1, 1), no_bias=True),
    deformable((1, 4, 7, 6), (3, 2), stride=(2, 1), pad=(1, 0)),
    deformable((1, 4, 9, 8), (3, 3), dilate=(2, 2), pad=(2, 2), stride=(2, 2)),
    deformable((2, 4, 6, 5), (2, 3), num_deformable_group=2, pad=(1, 1)),
    deformable((2, 4, 6, 5), (2, 3), num_group=2, layout="NCHW"),
    deformable((2, 4, 6, 5), (2, 2), num_group=2, num_deformable_group=4, workspace=64),
    deformable((1, 4, 6, 5), (2, 2), num_group=4, num_deformable_group=2, reach=9.0),
    at_edges(False),
    deformable((2, 4, 6, 5), (3, 3), mask=True, pad=(1, 1)).but(dtypes=FLOATS),
    deformable((2, 4, 6, 5), (3, 3), mask=True, pad=(1, 1), no_bias=True),
    deformable((1, 4, 7, 6), (3, 2), mask=True, stride=(2, 1), pad=(1, 0)),
    deformable((1, 4, 9, 8), (3, 3), mask=True, dilate=(2, 2), pad=(2, 2), stride=(2, 2)),
    deformable((2, 4, 6, 5), (2, 3), mask=True, num_deformable_group=2, pad=(1, 1)),
    deformable((2, 4, 6, 5), (2, 3), mask=True, num_group=2, layout="NCHW", im2col_step=1),
    deformable((2, 4, 6, 5), (2, 2), mask=True, num_group=2, num_deformable_group=4),
    deformable((1, 4, 6, 5), (2, 2), mask=True, num_group=4, num_deformable_group=2, reach=9.0),
    at_edges(True),
    *adjoints((1, 4, 4, 4), (2, 3), pad=(1, 1), num_deformable_group=2),
    *adjoints((2, 2, 4, 4), (2, 3), pad=(1, 1), num_deformable_group=2, clamped=True),
    *adjoints((1, 2, 5, 6), (3, 3), stride=(2, 2), dilate=(1, 2), pad=(1, 2)),
    Case(
        "_contrib_DeformableConvolution",
        [(0, 2, 4, 4), (0, 8, 3, 3), (3, 2, 2, 2), (3,)],
        kernel=(2, 2),
        num_filter=3,
    ).but(formula=lambda x, *_: np.zeros((0, 3, 3, 3), x.dtype)),
]
