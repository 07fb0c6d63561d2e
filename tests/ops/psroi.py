"""Cases of position-sensitive pooling of regions."""

import numpy as np

from hybridonnx.test_utils import Case, fixed, uniform

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
ABSENT = fixed((0.0, 1.0, 1.0, 9.0, 7.0), (-1.0, 2.0, 0.0, 6.0, 5.0), (2.0, 2.0, 1.0, 6.0, 5.0))
"""Two of the regions are of no image."""
FEW = fixed((0.0, 1.0, 1.0, 9.0, 7.0), (1.0, 2.5, 0.3, 6.7, 5.1), (1.0, 4.0, 3.0, 12.0, 10.0))
SAME_TYPE = {"gradient": "MXNet has no gradient of rois", "second": "MXNet has no gradient of rois"}


def nearest(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def scaled(row, scale, shift=0.0):
    """Top, left, height and width of a region."""
    left, top = nearest(row[1:3]) * np.float32(scale) - shift
    right, bottom = (nearest(row[3:]) + 1) * np.float32(scale) - shift
    return top, left, max(bottom - top, 0.1), max(right - left, 0.1)


def psroi_of(spatial_scale, output_dim, pooled_size, group_size=0):
    def formula(data, rois):
        p, g = pooled_size, group_size or pooled_size
        y = np.zeros((len(rois), output_dim, p, p))
        for r, row in enumerate(rois.astype(np.float32)):
            if not 0 <= row[0] < len(data):
                continue
            top, left, height, width = scaled(row, spatial_scale)
            for o, i, j in np.ndindex(output_dim, p, p):
                a, b = np.floor(top + i * height / p), np.ceil(top + (i + 1) * height / p)
                c, d = np.floor(left + j * width / p), np.ceil(left + (j + 1) * width / p)
                a, b, c, d = (int(max(v, 0)) for v in (a, b, c, d))
                part = data[int(row[0]), (o * g + i * g // p) * g + j * g // p, a:b, c:d]
                y[r, o, i, j] = part.astype(np.float64).mean() if part.size else 0
        return y.astype(data.dtype)

    return formula


def adjoint_of(formula):
    """The gradient in data by images that are 1 in one pixel."""

    def adjoint(dy, rois, data, *more):
        dx = np.zeros(data.shape)
        for index in np.ndindex(*data.shape):
            one = np.zeros(data.shape)
            one[index] = 1
            dx[index] = (formula(one, rois, *more) * dy).sum()
        return dx.astype(dy.dtype)

    return adjoint


def moved_of(spatial_scale, output_dim, group_size, pooled_size, sample_per_part=1, trans_std=0.0, **_):
    def formula(data, rois, moves=None):
        p, g, s = pooled_size, group_size, sample_per_part
        classes = 1 if moves is None else moves.shape[1]
        y = np.zeros((len(rois), output_dim, p, p))
        for r, row in enumerate(rois.astype(np.float32)):
            if not 0 <= row[0] < len(data):
                continue
            top, left, height, width = scaled(row, spatial_scale, 0.5)
            for o, i, j in np.ndindex(output_dim, p, p):
                move = [0, 0] if moves is None else moves[r, o * classes // output_dim, :, i, j] * trans_std
                image = data[int(row[0]), (o * g + i * g // p) * g + j * g // p].astype(np.float64)
                values = []
                for a, b in np.ndindex(s, s):
                    v = top + (i + a / s) * height / p + move[1] * height
                    h = left + (j + b / s) * width / p + move[0] * width
                    if -0.5 <= v <= image.shape[0] - 0.5 and -0.5 <= h <= image.shape[1] - 0.5:
                        v, h = min(max(v, 0), image.shape[0] - 1), min(max(h, 0), image.shape[1] - 1)
                        down = np.maximum(0, 1 - abs(v - np.arange(image.shape[0])))
                        across = np.maximum(0, 1 - abs(h - np.arange(image.shape[1])))
                        values.append(down @ image @ across)
                y[r, o, i, j] = np.mean(values) if values else 0
        return y.reshape(len(rois), classes, output_dim // classes, p, p).astype(data.dtype)

    return formula


def psroi(regions, output_dim, pooled_size, spatial_scale, group_size=0, channels=0):
    group = group_size or pooled_size
    data = (2, channels or output_dim * group**2, 8, 9)
    attributes = {"spatial_scale": spatial_scale, "output_dim": output_dim, "pooled_size": pooled_size}
    if group_size:
        attributes["group_size"] = group_size
    return Case("_contrib_PSROIPooling", [data, regions], **attributes)


def psroi_grad(regions, **attributes):
    group = attributes.get("group_size") or attributes["pooled_size"]
    heads = (regions.shape[0], attributes["output_dim"], attributes["pooled_size"], attributes["pooled_size"])
    data = (2, attributes["output_dim"] * group**2, 5, 6)
    return Case("_psroi_grad", [heads, regions, data], **attributes).but(
        formula=adjoint_of(psroi_of(**attributes))
    )


def moved(regions, classes=1, **attributes):
    """The pooling with and without moves, in the form that users have."""
    size = attributes.get("part_size") or attributes["pooled_size"]
    inputs = [(2, attributes["output_dim"] * attributes["group_size"] ** 2, 8, 9), regions]
    if not attributes.get("no_trans"):
        inputs.append(uniform((regions.shape[0], 2 * classes, size, size), -1, 1))
    return Case("_contrib_DeformablePSROIPooling", inputs, **attributes)


def moved_adjoints(regions, classes, **attributes):
    n, p = regions.shape[0], attributes["pooled_size"]
    data = (2, attributes["output_dim"] * attributes["group_size"] ** 2, 4, 5)
    heads = (n, classes, attributes["output_dim"] // classes, p, p)
    moves = [] if attributes.get("no_trans") else [uniform((n, classes, 2, p, p), -1, 1)]
    formula = moved_of(**attributes)
    return [
        Case("_moved_psroi", [data, regions, *moves], **attributes).but(formula=formula),
        Case("_moved_psroi_grad", [heads, regions, data, *moves], **attributes).but(
            formula=adjoint_of(formula)
        ),
    ]


WINDOW = {"spatial_scale": 0.7, "output_dim": 4, "group_size": 2, "pooled_size": 3, "trans_std": 0.3}
SMALL = {"spatial_scale": 0.5, "output_dim": 2, "group_size": 2, "pooled_size": 2, "trans_std": 0.3}

CASES = [
    psroi(REGIONS, 2, 3, 1.0),
    psroi(REGIONS, 3, 2, 0.5),
    psroi(REGIONS, 2, 4, 0.7, group_size=2),
    psroi(REGIONS, 2, 2, 0.7, group_size=3),
    psroi(REGIONS, 4, 3, 0.0625, group_size=1),
    psroi(REGIONS, 2, 2, 0.3, channels=11),
    psroi(ABSENT, 2, 2, 0.7).but(formula=psroi_of(0.7, 2, 2)),
    Case(
        "_contrib_PSROIPooling",
        [(2, 8, 8, 9), np.array(REGIONS.rows)],
        spatial_scale=0.5,
        output_dim=2,
        pooled_size=2,
    ).but(dtypes=("float64",), no=SAME_TYPE),
    psroi_grad(REGIONS, spatial_scale=0.5, output_dim=2, pooled_size=2),
    psroi_grad(ABSENT, spatial_scale=0.7, output_dim=2, pooled_size=3, group_size=2),
    moved(REGIONS, **WINDOW),
    moved(REGIONS, **WINDOW, sample_per_part=2),
    moved(REGIONS, 2, **WINDOW, sample_per_part=3, part_size=2),
    moved(REGIONS, 4, **WINDOW, part_size=5, sample_per_part=2),
    moved(REGIONS, **WINDOW, no_trans=True, sample_per_part=2),
    moved(REGIONS, **{**WINDOW, "pooled_size": 2, "spatial_scale": 0.5}, sample_per_part=4),
    *moved_adjoints(FEW, 1, **SMALL, sample_per_part=2),
    *moved_adjoints(ABSENT, 2, **SMALL, sample_per_part=2),
    *moved_adjoints(ABSENT, 1, **{**SMALL, "pooled_size": 3}, no_trans=True),
]
