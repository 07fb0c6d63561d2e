"""What operators.py times: operators, their inputs at the sizes that networks have, and attributes.

Runs where there is only NumPy.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

FLOAT = np.float32


@dataclass(frozen=True)
class Workload:
    """An operator, by its path below `nd` and `sym`, as it is timed."""

    path: str
    inputs: tuple[np.ndarray, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    gradients: tuple[int, ...] = ()
    """Which inputs get a gradient; if none do, the gradient is not timed."""
    writes: tuple[int, ...] = ()
    """Which inputs the operator writes its results to; then it is only timed eagerly."""


_rng = np.random.RandomState(0)


def normal(*shape):
    return _rng.standard_normal(shape).astype(FLOAT)


def uniform(low, high, *shape):
    return _rng.uniform(low, high, shape).astype(FLOAT)


def corners(*shape, size=1.0, sides=(0.05, 0.3)):
    """Boxes by their corners."""
    start, sides = uniform(0, 1 - sides[1], *shape, 2), uniform(*sides, *shape, 2)
    return np.concatenate([start, start + sides], axis=-1) * FLOAT(size)


def regions(count, images=1, size=800.0):
    """Regions of images, each with the index of its image."""
    return np.concatenate([_rng.randint(0, images, (count, 1)), corners(count, size=size)], 1).astype(FLOAT)


def definite(*shape):
    """Positive definite matrices."""
    a = normal(*shape)
    return a @ np.swapaxes(a, -1, -2) / FLOAT(shape[-1]) + np.eye(shape[-1], dtype=FLOAT)


def probabilities(*shape, axis=1):
    e = np.exp(normal(*shape))
    return (e / e.sum(axis, keepdims=True)).astype(FLOAT)


def boxes():
    anchors = corners(1, 8732)
    scored = [_rng.randint(0, 20, (8, 6000, 1)), uniform(0, 1, 8, 6000, 1), corners(8, 6000)]
    labels = np.concatenate([_rng.randint(0, 20, (8, 10, 1)), corners(8, 10)], 2).astype(FLOAT)
    nms = {"overlap_thresh": 0.45, "valid_thresh": 0.01, "topk": 400, "id_index": 0}
    four = np.array([0.1, 0.1, 0.2, 0.2], FLOAT)
    encoded = (
        _rng.choice([-1.0, 0.0, 1.0], (8, 8732)).astype(FLOAT),
        _rng.randint(0, 10, (8, 8732)).astype(FLOAT),
        np.repeat(anchors, 8, 0),
        corners(8, 10),
        np.zeros(4, FLOAT),
        four,
    )
    detected = probabilities(8, 21, 8732), normal(8, 4 * 8732) * FLOAT(0.1), anchors
    rpn = {"rpn_pre_nms_top_n": 6000, "rpn_post_nms_top_n": 300, "feature_stride": 16}

    def proposed(n):
        sizes = np.array([[600, 800, 1]] * n, FLOAT)
        return probabilities(n, 24, 38, 50), normal(n, 48, 38, 50) * FLOAT(0.1), sizes

    yield Workload("contrib.box_nms", (np.concatenate(scored, 2).astype(FLOAT),), nms, (0,))
    yield Workload("contrib.box_iou", (anchors[0], corners(50)))
    yield Workload("contrib.bipartite_matching", (uniform(0, 1, 8, 2000, 20),), {"threshold": 0.5})
    yield Workload("contrib.box_encode", encoded)
    yield Workload("contrib.box_decode", (normal(8, 8732, 4), anchors), {"format": "corner"})
    prior = {"sizes": (0.2, 0.3), "ratios": (1.0, 2.0, 0.5)}
    yield Workload("contrib.MultiBoxPrior", (normal(1, 8, 64, 64),), prior)
    yield Workload("contrib.MultiBoxTarget", (anchors, labels, normal(8, 21, 8732)))
    yield Workload("contrib.MultiBoxDetection", detected, {"nms_topk": 400})
    yield Workload("contrib.Proposal", proposed(1), rpn)
    yield Workload("contrib.MultiProposal", proposed(2), rpn)


def pooled_regions():
    image, rois = normal(1, 256, 50, 50), regions(256)
    own, few = normal(1, 49 * 21, 50, 50), regions(128)
    seven = {"pooled_size": (7, 7), "spatial_scale": 1 / 16}
    turned = np.concatenate([rois[:, :1], rois[:, 1:3] + 100, uniform(50, 250, 256, 2), normal(256, 1)], 1)
    own_channels = {"spatial_scale": 1 / 16, "output_dim": 21, "group_size": 7, "pooled_size": 7}
    yield Workload("ROIPooling", (image, rois), seven, (0,))
    yield Workload("contrib.ROIAlign", (image, rois), {**seven, "sample_ratio": 2}, (0,))
    yield Workload("contrib.ROIAlign", (image, rois), {**seven, "sample_ratio": -1}, (0,))
    yield Workload("contrib.RROIAlign", (image, turned), {**seven, "sampling_ratio": 2})
    yield Workload("contrib.PSROIPooling", (own, few), own_channels, (0,))
    moved = {**own_channels, "part_size": 7, "sample_per_part": 4, "trans_std": 0.1}
    shifts = normal(128, 2, 7, 7) * FLOAT(0.1)
    yield Workload("contrib.DeformablePSROIPooling", (own, few, shifts), moved, (0, 2))


def convolutions():
    image, weight, bias = normal(1, 128, 38, 50), normal(128, 128, 3, 3) * FLOAT(0.03), normal(128)
    three = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 128}
    shifts, masks = normal(1, 18, 38, 50), uniform(0, 1, 1, 9, 38, 50)
    yield Workload("contrib.DeformableConvolution", (image, shifts, weight, bias), three, (0, 1, 2, 3))
    modulated = (image, shifts, masks, weight, bias)
    yield Workload("contrib.ModulatedDeformableConvolution", modulated, three, (0, 1, 2, 3, 4))
    pair = normal(1, 64, 48, 64), normal(1, 64, 48, 64)
    flow = {"kernel_size": 1, "max_displacement": 10, "stride2": 2, "pad_size": 10}
    yield Workload("Correlation", pair, flow, (0, 1))
    window = {"kernel": (3, 3), "pad": (1, 1)}
    yield Workload("im2col", (normal(8, 64, 56, 56),), window, (0,))
    yield Workload("col2im", (normal(8, 576, 3136),), {**window, "output_size": (56, 56)}, (0,))


def warps():
    images, affine = normal(8, 32, 64, 64), np.tile(FLOAT([1, 0.1, 0, -0.1, 1, 0]), (8, 1))
    grid = uniform(-1, 1, 8, 2, 64, 64)
    to = {"target_shape": (64, 64)}
    yield Workload("GridGenerator", (affine,), {"transform_type": "affine", **to}, (0,))
    yield Workload("GridGenerator", (grid,), {"transform_type": "warp"}, (0,))
    yield Workload("BilinearSampler", (images, grid), {}, (0, 1))
    options = {"transform_type": "affine", "sampler_type": "bilinear", **to}
    yield Workload("SpatialTransformer", (images, affine), options, (0, 1))


def transforms():
    yield Workload("contrib.fft", (normal(128, 1024),), {}, (0,))
    yield Workload("contrib.ifft", (normal(128, 2048),), {}, (0,))
    hashes = _rng.randint(0, 512, (1, 2048)).astype(FLOAT), _rng.choice([-1.0, 1.0], (1, 2048)).astype(FLOAT)
    sketch = normal(64, 2048), *hashes
    yield Workload("contrib.count_sketch", sketch, {"out_dim": 512}, (0,))
    picture = _rng.randint(0, 256, (480, 640, 3)).astype(np.uint8)
    yield Workload("_internal._cvimresize", (picture,), {"w": 320, "h": 240, "interp": 1})
    edges = {"top": 20, "bot": 20, "left": 20, "right": 20}
    yield Workload("_internal._cvcopyMakeBorder", (picture,), edges)


def matrices():
    a, b, c = normal(8, 256, 256), normal(8, 256, 256), normal(8, 256, 256)
    pd, triangle = definite(16, 64, 64), np.linalg.cholesky(definite(16, 64, 64))
    yield Workload("linalg.gemm", (a, b, c), {}, (0, 1, 2))
    yield Workload("linalg.gemm2", (a, b), {}, (0, 1))
    yield Workload("linalg.syrk", (a,), {}, (0,))
    yield Workload("linalg.trmm", (triangle, normal(16, 64, 64)), {}, (0, 1))
    yield Workload("linalg.trsm", (triangle, normal(16, 64, 64)), {}, (0, 1))
    yield Workload("linalg.gelqf", (normal(16, 32, 64),), {}, (0,))
    for name in ("potrf", "syevd", "inverse", "det", "slogdet"):
        yield Workload(f"linalg.{name}", (pd,), {}, (0,))
    for name in ("potri", "sumlogdiag", "extractdiag", "extracttrian"):
        yield Workload(f"linalg.{name}", (triangle,), {}, (0,))
    yield Workload("linalg.makediag", (normal(64, 128),), {}, (0,))
    yield Workload("linalg.maketrian", (normal(64, 64 * 65 // 2),), {}, (0,))
    yield Workload("khatri_rao", (normal(64, 128), normal(64, 128)))


def processes():
    n, t, k = 64, 100, 5
    hawkes = (
        uniform(0.1, 0.5, n, k),
        uniform(0.1, 0.5, k),
        uniform(0.5, 2, k),
        np.zeros((n, k), FLOAT),
        uniform(0.1, 1, n, t),
        _rng.randint(0, k, (n, t)).astype(np.int32),
        np.full(n, t, FLOAT),
        np.full(n, 200, FLOAT),
    )
    yield Workload("contrib.hawkesll", hawkes, {}, (0, 1, 2))
    positive, low, high = uniform(0.1, 3, 1000, 100), uniform(0.5, 1, 1000), uniform(1.5, 4, 1000)
    counts, share = _rng.poisson(3, (1000, 100)).astype(FLOAT), uniform(0.2, 0.8, 1000)
    for name, *inputs in (
        ("uniform", positive, low, high),
        ("normal", positive, low, high),
        ("gamma", positive, low, high),
        ("exponential", positive, low),
        ("poisson", counts, high),
        ("negative_binomial", counts, high, share),
        ("generalized_negative_binomial", counts, high, share),
        ("dirichlet", probabilities(1000, 20, 8, axis=2), uniform(0.5, 2, 1000, 8)),
    ):
        yield Workload(f"random_pdf_{name}", tuple(inputs), {}, tuple(range(len(inputs))))
    yield Workload("histogram", (normal(1_000_000),), {"bins": 100, "range": (-4, 4)})


def attention():
    words, heads = normal(128, 8, 3 * 768), {"heads": 12}
    weights = probabilities(96, 128, 128, axis=2)
    query, keys = normal(128, 8, 768), normal(128, 8, 2 * 768)
    yield Workload("contrib.interleaved_matmul_selfatt_qk", (words,), heads, (0,))
    yield Workload("contrib.interleaved_matmul_selfatt_valatt", (words, weights), heads, (0, 1))
    yield Workload("contrib.interleaved_matmul_encdec_qk", (query, keys), heads, (0, 1))
    yield Workload("contrib.interleaved_matmul_encdec_valatt", (keys, weights), heads, (0, 1))


def updates():
    for size in (64, 1_000_000):
        w, g, s = normal(size), normal(size), np.abs(normal(3, size))
        rate = {"lr": 0.01}
        yield Workload("sgd_update", (w, g), rate, writes=(0,))
        for name in ("sgd_mom_update", "nag_mom_update", "signum_update"):
            yield Workload(name, (w, g, s[0]), {**rate, "momentum": 0.9}, writes=(0,))
        yield Workload("signsgd_update", (w, g), rate, writes=(0,))
        yield Workload("adam_update", (w, g, s[0], s[1]), rate, writes=(0,))
        yield Workload("ftrl_update", (w, g, s[0], s[1]), rate, writes=(0,))
        yield Workload("ftml_update", (w, g, *s), {**rate, "t": 1}, writes=(0,))
        yield Workload("rmsprop_update", (w, g, s[0]), rate, writes=(0,))
        root = s[1] + s[0] ** 2
        yield Workload("rmspropalex_update", (w, g, root, s[0], s[2]), rate, writes=(0,))
        yield Workload("lamb_update_phase1", (w, g, s[0], s[1]), {"t": 1, "wd": 0.01})
        half = w.astype(np.float16), g.astype(np.float16), s[0], w
        yield Workload("mp_sgd_mom_update", half, {**rate, "momentum": 0.9}, writes=(0,))


def updates_of_many():
    weights = [normal(4096) for _ in range(20)]
    rates = {"lrs": (0.01,) * 20, "wds": (0.0,) * 20, "num_weights": 20}
    pairs = tuple(a for w in weights for a in (w, w * FLOAT(0.1)))
    threes = tuple(a for w in weights for a in (w, w * FLOAT(0.1), w * 0))
    yield Workload("multi_sgd_update", pairs, rates, writes=tuple(range(0, 40, 2)))
    momentum = {**rates, "momentum": 0.9}
    yield Workload("multi_sgd_mom_update", threes, momentum, writes=tuple(range(0, 60, 3)))
    yield Workload("multi_sum_sq", tuple(weights), {"num_arrays": 20})
    yield Workload("multi_all_finite", tuple(weights), {"num_arrays": 20})
    yield Workload("all_finite", (normal(1_000_000),))
    rates = tuple(uniform(0.1, 1, 20) for _ in range(4))
    yield Workload("multi_lars", rates, {"eta": 0.001, "eps": 1e-8})


def quantization():
    x, one = normal(8, 64, 56, 56), np.ones(1, FLOAT)
    eight = {"out_type": "int8"}
    codes, unsigned = (_rng.randint(low, 127, x.shape).astype(t) for low, t in ((-127, "int8"), (0, "uint8")))
    yield Workload("contrib.quantize", (x, -one, one), eight)
    yield Workload("contrib.quantize_v2", (x,), eight)
    yield Workload("contrib.dequantize", (codes, -one, one))
    wide = _rng.randint(-(1 << 24), 1 << 24, x.shape).astype(np.int32)
    yield Workload("contrib.requantize", (wide, -one, one), {"min_calib_range": -1.0, "max_calib_range": 1.0})
    yield Workload("contrib.quantized_act", (codes, -one, one), {"act_type": "relu"})
    yield Workload("contrib.quantized_flatten", (codes, -one, one))
    window = {"kernel": (2, 2), "stride": (2, 2)}
    yield Workload("contrib.quantized_pooling", (codes, -one, one), {**window, "pool_type": "max"})
    yield Workload("contrib.quantized_pooling", (codes, -one, one), {**window, "pool_type": "avg"})
    yield Workload("contrib.quantized_elemwise_add", (codes, codes, -one, one, -one, one))
    weight = _rng.randint(-127, 127, (64, 64, 3, 3)).astype(np.int8)
    three = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 64, "no_bias": True}
    yield Workload("contrib.quantized_conv", (unsigned, weight, 0 * one, one, -one, one), three)
    rows = _rng.randint(0, 127, (64, 1024)).astype(np.uint8)
    weight = _rng.randint(-127, 127, (512, 1024)).astype(np.int8)
    dense = {"num_hidden": 512, "no_bias": True}
    yield Workload("contrib.quantized_fully_connected", (rows, weight, 0 * one, one, -one, one), dense)


def control():
    yield Workload("foreach", (normal(35, 32, 200), normal(32, 200)), {}, (0, 1))
    yield Workload("while_loop", (normal(32, 200),), {"count": 35}, (0,))
    yield Workload("cond", (normal(32, 200), normal(32, 200)), {}, (0, 1))


GROUPS = (
    boxes,
    pooled_regions,
    convolutions,
    warps,
    transforms,
    matrices,
    processes,
    attention,
    updates,
    updates_of_many,
    quantization,
    control,
)
WORKLOADS = [workload for group in GROUPS for workload in group()]
