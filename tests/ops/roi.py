"""Cases of regions of images."""

import numpy as np

from hybridonnx.test_utils import Case, distinct, fixed

REGIONS = fixed(
    (0.0, 1.0, 1.0, 9.0, 7.0),
    (1.0, 2.5, 0.3, 6.7, 5.1),
    (1.0, 0.0, 0.0, 11.0, 9.0),
    (0.0, 4.0, 3.0, 4.0, 3.0),
    (0.0, 7.0, 6.0, 3.0, 2.0),
    (1.0, -9.0, -7.0, 3.0, 4.0),
    (0.0, 6.0, 5.0, 30.0, 25.0),
    (1.0, 30.0, 30.0, 40.0, 40.0),
)
INSIDE = fixed((0.0, 1.0, 1.0, 9.0, 7.0), (1.0, 2.5, 0.3, 6.7, 5.1), (1.0, 0.0, 0.0, 11.0, 9.0))
"""Regions that are not empty."""
INVERTED = fixed((0.0, 4.0, 1.0, 2.5, 7.0), (1.0, 2.5, 5.3, 6.7, 5.3), (1.0, 6.0, 5.0, 2.0, 1.0))
"""Regions whose width or height is negative or 0."""
EMPTY_BINS = (
    {"pooled_size": (3, 2), "spatial_scale": 0.5, "aligned": True},
    {"pooled_size": (1, 2), "spatial_scale": 0.7, "aligned": True, "sample_ratio": 2},
)
ABSENT = fixed((0.0, 1.0, 1.0, 9.0, 7.0), (-1.0, 2.0, 0.0, 6.0, 5.0), (1.0, 2.0, 1.0, 6.0, 5.0))
"""One of the regions is of no image."""
SAME_TYPE = {"gradient": "MXNet has no gradient of rois", "second": "MXNet has no gradient of rois"}
DATA = (2, 3, 8, 9)


def in_float64(name, data, regions, **attributes):
    """MXNet has regions in the dtype of the images."""
    rows = np.array(regions.rows, np.float64)
    case = Case(name, [data, rows], **attributes)
    return case.but(dtypes=("float64",), no=SAME_TYPE)


# ---- maxima


def windows(data, rois, bins, scale):
    """Each region and bin, and the slice of data that it is."""

    def nearest(x):
        return int(np.sign(x) * np.floor(abs(float(x)) + 0.5))

    for r, row in enumerate(rois):
        left, top, right, bottom = (nearest(x * np.float32(scale)) for x in row[1:])
        down = np.float32(max(bottom - top + 1, 1)) / np.float32(bins[0])
        across = np.float32(max(right - left + 1, 1)) / np.float32(bins[1])
        for i, j in np.ndindex(*bins):
            a, b = (int(v) + top for v in (np.floor(i * down), np.ceil((i + 1) * down)))
            c, d = (int(v) + left for v in (np.floor(j * across), np.ceil((j + 1) * across)))
            cut = slice(max(a, 0), max(b, 0)), slice(max(c, 0), max(d, 0))
            yield r, int(row[0]), i, j, cut


def pooled(choose):
    """What `choose(part, other_part)` gives for each channel of each bin that has pixels."""

    def formula_of(bins, scale):
        def formula(values, rois, data):
            y = np.zeros((len(rois), data.shape[1], *bins), values.dtype)
            for r, b, i, j, cut in windows(data, rois, bins, scale):
                if 0 <= b < len(data) and data[b, 0][cut].size:
                    for c in range(data.shape[1]):
                        y[r, c, i, j] = choose(values[b, c][cut], data[b, c][cut])
            return y

        return formula

    return formula_of


maxima = pooled(lambda _, part: part.max())
picks = pooled(lambda part, other: part.ravel()[other.argmax()])


def max_grad(bins, scale):
    def formula(dy, rois, data):
        dx = np.zeros(data.shape)
        for r, b, i, j, cut in windows(data, rois, bins, scale):
            if 0 <= b < len(data) and data[b, 0][cut].size:
                for c in range(data.shape[1]):
                    part = data[b, c][cut]
                    dx[b, c][cut][np.unravel_index(part.argmax(), part.shape)] += dy[r, c, i, j]
        return dx.astype(dy.dtype)

    return formula


def pool(regions, bins, scale, data=DATA):
    return Case("ROIPooling", [distinct(data), regions], pooled_size=bins, spatial_scale=scale)


def pool_adjoints(regions, bins, scale, data=DATA):
    same = {"pooled_size": bins, "spatial_scale": scale}
    heads = (regions.shape[0], data[1], *bins)
    return [
        Case("_roi_pool_grad", [heads, regions, distinct(data)], **same).but(formula=max_grad(bins, scale)),
        Case("_roi_pool_pick", [data, regions, distinct(data)], **same).but(formula=picks(bins, scale)),
    ]


# ---- means of samples


def sampled(image, y, x):
    """An image (C, H, W) between pixels."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(image))
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    tent = np.maximum(0, 1 - abs(y - np.arange(height))), np.maximum(0, 1 - abs(x - np.arange(width)))
    return np.einsum("chw,h,w->c", image.astype(np.float64), *tent)


def aligned_mean(pooled_size, spatial_scale, sample_ratio=-1, position_sensitive=False, aligned=False):
    def formula(data, rois):
        bins = pooled_size
        count = bins[0] * bins[1]
        y = np.zeros((len(rois), data.shape[1], *bins))
        for r, row in enumerate(rois):
            if not 0 <= row[0] < len(data):
                continue
            left, top, right, bottom = row[1:] * spatial_scale - 0.5 * aligned
            sizes = [b - a if aligned else max(b - a, 1) for a, b in ((top, bottom), (left, right))]
            each = [
                sample_ratio if sample_ratio > 0 else max(int(np.ceil(s / n)), 0)
                for s, n in zip(sizes, bins, strict=True)
            ]
            for i, j, p, q in np.ndindex(*bins, *each):
                v = top + (i + (p + 0.5) / each[0]) * sizes[0] / bins[0]
                h = left + (j + (q + 0.5) / each[1]) * sizes[1] / bins[1]
                y[r, :, i, j] += sampled(data[int(row[0])], v, h) / (each[0] * each[1])
        if position_sensitive:
            own = y.reshape(len(rois), -1, count, count)
            y = np.stack([own[:, :, b, b] for b in range(count)], axis=-1).reshape(len(rois), -1, *bins)
        return y.astype(data.dtype)

    return formula


def align(regions, data=DATA, **attributes):
    return Case("_contrib_ROIAlign", [data, regions], **attributes)


def align_grad(regions, data=DATA, **attributes):
    """The gradient by the mean of images that are 1 in one pixel."""
    mean = aligned_mean(**attributes)
    bins = attributes["pooled_size"]
    channels = data[1] // (bins[0] * bins[1] if attributes.get("position_sensitive") else 1)

    def formula(dy, rois, x):
        dx = np.zeros(x.shape)
        for index in np.ndindex(*x.shape):
            one = np.zeros(x.shape)
            one[index] = 1
            dx[index] = (mean(one, rois) * dy).sum()
        return dx.astype(dy.dtype)

    heads = (regions.shape[0], channels, *bins)
    return Case("_roi_align_grad", [heads, regions, data], **attributes).but(formula=formula)


def empty(channels, bins):
    return lambda x, rois: np.zeros((0, channels, *bins), x.dtype)


EDGES = fixed(
    (0.0, -1.0, -1.0, 1.0, 1.0),
    (0.0, -2.0, -2.0, 0.0, 0.0),
    (1.0, 7.0, 6.0, 9.0, 8.0),
    (1.0, 8.0, 7.0, 12.0, 11.0),
    (0.0, 0.0, 0.0, 9.0, 8.0),
    (1.0, 3.0, 2.0, 3.0, 6.0),
)
ROTATED = fixed(
    (0.0, 4.0, 4.0, 5.0, 3.0, 0.0),
    (1.0, 4.5, 3.5, 6.0, 2.0, 30.0),
    (0.0, 2.0, 6.0, 4.0, 8.0, -75.5),
    (1.0, 8.0, 8.0, 9.0, 7.0, 120.0),
    (0.0, 0.0, 0.0, 0.2, 0.3, 45.0),
    (1.0, -20.0, -20.0, 3.0, 3.0, 10.0),
)

CASES = [
    pool(REGIONS, (3, 2), 1.0),
    pool(REGIONS, (3, 2), 0.5),
    pool(REGIONS, (7, 7), 0.3),
    pool(REGIONS, (1, 4), 0.0625),
    pool(ABSENT, (2, 2), 0.7),
    pool(fixed((2.0, 0.0, 0.0, 5.0, 5.0), (1.0, 0.0, 0.0, 5.0, 5.0)), (2, 2), 1.0),
    in_float64("ROIPooling", distinct(DATA), REGIONS, pooled_size=(3, 2), spatial_scale=0.5),
    Case("ROIPooling", [DATA, np.zeros((0, 5), np.float32)], pooled_size=(3, 2), spatial_scale=1.0).but(
        formula=empty(3, (3, 2))
    ),
    Case(
        "ROIPooling", [np.ones((1, 2, 5, 5), np.float32), INSIDE], pooled_size=(2, 2), spatial_scale=0.4
    ).but(no={"gradient": "all values are equal", "second": "all values are equal"}),
    *pool_adjoints(REGIONS, (3, 2), 0.5),
    *pool_adjoints(ABSENT, (2, 3), 0.7),
    *(
        align(REGIONS, pooled_size=(3, 2), spatial_scale=scale, sample_ratio=ratio)
        for scale in (1.0, 0.5)
        for ratio in (-1, 1, 2, 3)
    ),
    align(REGIONS, pooled_size=(7, 7), spatial_scale=0.3, sample_ratio=2),
    align(REGIONS, pooled_size=(2, 2), spatial_scale=0.7, sample_ratio=0),
    align(EDGES, pooled_size=(2, 2), spatial_scale=1.0),
    align(EDGES, pooled_size=(2, 4), spatial_scale=1.0, sample_ratio=2),
    align(INSIDE, pooled_size=(3, 2), spatial_scale=0.5, aligned=True),
    align(INSIDE, pooled_size=(3, 2), spatial_scale=0.5, aligned=True, sample_ratio=2),
    # such regions end MXNet's process
    *(align(INVERTED, **same).but(formula=aligned_mean(**same)) for same in EMPTY_BINS),
    align_grad(INVERTED, (2, 2, 5, 6), **EMPTY_BINS[0]),
    align(REGIONS, (2, 12, 8, 9), pooled_size=(3, 2), spatial_scale=0.5, position_sensitive=True),
    align(
        INSIDE,
        (2, 8, 8, 9),
        pooled_size=(2, 2),
        spatial_scale=0.9,
        position_sensitive=True,
        aligned=True,
        sample_ratio=2,
    ),
    in_float64("_contrib_ROIAlign", DATA, REGIONS, pooled_size=(3, 2), spatial_scale=0.5),
    *(
        align(ABSENT, **same).but(formula=aligned_mean(**same))
        for same in (
            {"pooled_size": (2, 2), "spatial_scale": 0.7},
            {"pooled_size": (2, 3), "spatial_scale": 0.5, "sample_ratio": 2, "aligned": True},
        )
    ),
    Case(
        "_contrib_ROIAlign", [DATA, np.zeros((0, 5), np.float32)], pooled_size=(3, 2), spatial_scale=1.0
    ).but(formula=empty(3, (3, 2))),
    align_grad(REGIONS, (2, 1, 8, 9), pooled_size=(3, 2), spatial_scale=0.5),
    align_grad(EDGES, (2, 1, 8, 9), pooled_size=(2, 2), spatial_scale=1.0, sample_ratio=2),
    align_grad(ABSENT, (2, 2, 5, 6), pooled_size=(2, 3), spatial_scale=0.7, aligned=True, sample_ratio=2),
    align_grad(INSIDE, (2, 4, 5, 6), pooled_size=(2, 2), spatial_scale=0.6, position_sensitive=True),
    Case(
        "_contrib_RROIAlign", [(0, 3, 8, 9), (0, 6)], pooled_size=(3, 2), spatial_scale=1.0, sampling_ratio=2
    ).but(formula=empty(3, (3, 2))),
    *(
        Case(
            "_contrib_RROIAlign", [DATA, ROTATED], pooled_size=bins, spatial_scale=scale, sampling_ratio=ratio
        )
        for bins, scale, ratio in (
            ((2, 3), 1.0, -1),
            ((2, 3), 0.5, -1),
            ((2, 3), 1.0, 2),
            ((7, 7), 0.5, 2),
            ((1, 2), 0.8, 1),
        )
    ),
]
