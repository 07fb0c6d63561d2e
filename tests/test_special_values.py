"""NaN, infinities, signs of zero, empty axes, integer overflow: kernels, ONNX Runtime and real MXNet."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd, test_utils
from hybridonnx.converters.to_onnx import Local, lower_operator
from hybridonnx.errors import ConversionError
from hybridonnx.gluon import nn, rnn
from hybridonnx.ops import Spec
from hybridonnx.test_utils import Case
from tests.runtimes import VERSION, newest_opset
from tests.special_values import VALUES, by_operator, disagreement, sprinkled, stored_cases

TABLE = by_operator()
LEVELS = ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_ALL")
NAN = np.float32("nan")

# ---- the search: lowerings in ONNX Runtime against kernels

PRODUCTS = ("spread", "kind"), "a product with a matrix has 0 times what is not finite"
STATISTICS = ("kind",), "the variance of infinite data is infinite or NaN, by the order of the sums"
POOLED = ("hidden", "spread", "kind"), "-inf alone gives the lowest number; infinities of both signs give NaN"
ELIMINATED = ("spread", "kind"), "steps for whole rows spread what is not finite where LAPACK skips zeros"
ALLOWED = {
    **dict.fromkeys(
        ("_adaptive_pool_grad", "_bilinear_resize_grad", "_contrib_AdaptiveAvgPooling2D"), PRODUCTS
    ),
    **dict.fromkeys(
        ("_cvimresize", "_image_resize", "_conv_data_grad", "_conv_weight_grad", "_deconv_weight_grad"),
        PRODUCTS,
    ),
    **dict.fromkeys(("_contrib_fft", "_contrib_ifft", "_contrib_count_sketch"), PRODUCTS),
    **dict.fromkeys(("_ctc_grad", "_gather_nd_grad", "_pool_grad", "_take_grad"), PRODUCTS),
    **dict.fromkeys(("BatchNorm", "BatchNorm_v1", "GroupNorm", "InstanceNorm", "LayerNorm"), STATISTICS),
    **dict.fromkeys(("_contrib_PSROIPooling", "_contrib_DeformablePSROIPooling", "_moved_psroi"), PRODUCTS),
    **dict.fromkeys(("_moved_psroi_grad", "_psroi_grad", "_roi_align_grad"), PRODUCTS),
    **dict.fromkeys(("_deformable_columns_grad", "_row_sparse_take_grad"), PRODUCTS),
    **dict.fromkeys(("_inverse_or_zeros", "_linalg_gelqf", "_linalg_inverse", "_linalg_trsm"), ELIMINATED),
    **dict.fromkeys(("_npi_solve", "_npi_tensorinv", "_npi_tensorsolve", "_solution"), ELIMINATED),
    "_contrib_ROIAlign": (
        ("spread", "kind"),
        "samples outside of the image read its first pixel with a share of 0",
    ),
    "_contrib_ModulatedDeformableConvolution": (
        ("kind",),
        "shares and factors are multiplied in another order",
    ),
    "ROIPooling": (("hidden", "spread", "kind", "value"), f"{POOLED[1]}; corners overflow, as in MXNet"),
    "_contrib_SyncBatchNorm": STATISTICS,
    "_contrib_BatchNormWithReLU": (("kind", "spread"), STATISTICS[1]),
    "_bilinear_sampler_grad": (PRODUCTS[0], "below opset 16 a product with a matrix has 0 times NaN"),
    "_correlation_grad": PRODUCTS,
    "_contrib_MultiBoxTarget": (("value",), "losses that are NaN are mined in any order"),
    "_contrib_box_encode": (("value",), "NaN among matches is any box"),
    "_histogram": (("value",), "bounds that are NaN order nothing"),
    "_linalg_det": (("spread", "kind"), "rows are eliminated in another order"),
    **dict.fromkeys(
        ("_linalg_slogdet", "_npi_slogdet"),
        (("kind", "value"), "the same; the sign is 0 where infinities give NaN"),
    ),
    "_scale_shift": (("kind",), "a batch norm takes its mean of 0 times the scale, which may be infinite"),
    "preloaded_multi_sgd_update": (("kind",), "an infinite weight times a decay of 0 is NaN, as in MXNet"),
    "_npi_percentile": (("kind",), "between infinities lies NaN or infinity, by the order of the terms"),
    "_npi_choice": (("value",), "sums of chances that are not finite draw any element"),
    "_npi_unique": (("shape", "value"), "each NaN is another number to ONNX Runtime"),
    "_unique": (("shape",), "each NaN is another number to ONNX Runtime"),
    "CTCLoss": (("kind",), "a score of -inf is never or NaN"),
    "LRN": (("spread",), "ONNX Runtime's sum runs along the channels, and never gets rid of NaN"),
    "LeakyReLU": (("hidden",), "PRelu leaves out a slope of NaN at 0"),
    "Pooling": POOLED,
    "Pooling_v1": POOLED,
    "RNN": (("hidden", "spread", "kind"), "gates' sums are clipped; NaN of parameters comes a step early"),
}
"""How results with special values may differ, and why; for NaN alone none is hidden."""
if VERSION.startswith("1.20."):
    ROOTS = ("spread", "kind"), "the root of infinity is NaN in ONNX Runtime 1.20"
    ALLOWED |= dict.fromkeys(("L2Normalization", "rsqrt", "sqrt"), ROOTS)
PLAIN_IN_FILES = ("BilinearSampler", "Pooling", "Pooling_v1", "RNN", "ROIPooling", "SpatialTransformer")
"""Operators that a file has as ONNX's own, which leaves open what becomes of NaN."""
REFUSED_BY_KERNELS = {
    "_contrib_MultiProposal": "images are larger than what the network has seen of them",
    "_contrib_Proposal": "images are larger than what the network has seen of them",
    "_contrib_ROIAlign": "regions are too large to sample",
    "_contrib_box_encode": "a sample of infinity is positive, whose match is then none",
    "_linalg_inverse": "the matrix is singular",
    "_linalg_potrf": "the matrix is not positive definite",
    "_linalg_potri": "the diagonal has a zero",
    "_npi_cholesky": "the matrix is not positive definite",
    "_npi_percentile": "q is a number from 0 to 100",
}
"""Operators whose kernels raise for some special values, and what they refuse."""
SHOWN = ("_linalg_inverse", "_linalg_potrf", "_linalg_potri", "_npi_cholesky")
"""Of these those that give NaN or infinity in ONNX, where nothing can be raised."""
REFUSED_BY_ONNX_RUNTIME = {
    "_contrib_ROIAlign": "RoiAlign takes finite regions, and memory for all samples",
    "_contrib_box_encode": "an index is out of range",
    "_npi_percentile": "an index is out of range",
}
"""Operators at which ONNX Runtime raises for some special values, and why."""
UNDECIDED = (
    *("_pool_grad", "_pool_pick"),
    *("_contrib_MultiProposal", "_contrib_Proposal", "_non_max_suppression"),
)
"""A window's maximum is NaN: its gradient goes to any element. Boxes that are NaN overlap in any way."""
SUMS = ("BatchNorm", "RNN", "_np_sum", "_sum_like", "mean", "nansum", "sum")
"""Operators whose large terms cancel, to what their order decides."""


def kernel(case, arrays):
    with np.errstate(all="ignore"):
        return test_utils.run(case, arrays)


def in_onnx_runtime(case, arrays, opset=18, level="ORT_ENABLE_ALL", exact=True):
    import onnxruntime as ort

    op = case.operator()
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    lowered = lower_operator(op, specs, opset=opset, local=Local() if exact else None)
    feeds = dict(zip(op.input_names(), arrays, strict=True))
    if op.draws():
        feeds[lowered.noise[0].name] = op.draw(np.random.default_rng(test_utils._SEED), *specs)
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
    session = ort.InferenceSession(lowered.model.SerializeToString(), options, ["CPUExecutionProvider"])
    names = {i.name for i in session.get_inputs()}
    return session.run(None, {k: v for k, v in feeds.items() if k in names})


def expected(case, arrays):
    """What the kernel gives; `None` where it refuses the values, as it may."""
    try:
        return kernel(case, arrays)
    except mx.MXNetError:
        if case.op not in REFUSED_BY_KERNELS:
            raise
        return None


def lowered(case, arrays, options):
    """What ONNX Runtime gives; `None` where kernels run, or it refuses the values, as it may."""
    import onnxruntime as ort

    errors = ort.capi.onnxruntime_pybind11_state
    try:
        return in_onnx_runtime(case, arrays, **options)
    except ConversionError:
        if any(a.dtype == np.float64 for a in arrays) or options.get("exact", True):
            return None
        raise
    except (errors.InvalidArgument, errors.RuntimeException):
        if case.op not in REFUSED_BY_ONNX_RUNTIME:
            raise
        return None


def faults(case, variant, dtype="float32", **options):
    """What differs between kernel and lowering and is not allowed."""
    if case.op in UNDECIDED and variant in ("nan", "mixed", "ninf"):
        return []
    arrays = sprinkled(case, variant, dtype)
    got = lowered(case, arrays, options)
    if got is None:
        return []
    numbers = expected(case, arrays)
    where = f"{case} {variant} {dtype} {options}"
    if numbers is None:
        finite = case.op in SHOWN and all(np.isfinite(y).all() for y in got)
        return [f"{where}: what the kernel refuses is hidden"] if finite else []
    tol = 4e-3 if dtype == "float16" else 1e-4
    words = {disagreement(a, b, tol) for a, b in zip(got, numbers, strict=True)} - {""}
    in_file = not options.get("exact", True) and case.op in PLAIN_IN_FILES
    if variant == "nan" and "hidden" in words and not in_file:
        return [f"{where}: NaN is hidden"]
    words -= set(ALLOWED.get(case.op, ((), ""))[0]) | ({"hidden", "kind"} if in_file else set())
    words -= {"value"} if variant == "large" and case.op in SUMS else set()
    return [f"{where}: {word}" for word in sorted(words)]


LOWERED = sorted(op for op, cases in TABLE.items() if not cases[0].operator().not_in_onnx)


@pytest.mark.parametrize("op", LOWERED)
def test_lowerings_agree_with_kernels(op):
    differences = [f for case in TABLE[op][:6] for variant in ("nan", "mixed") for f in faults(case, variant)]
    assert not differences


@pytest.mark.slow
@pytest.mark.parametrize("op", LOWERED)
def test_lowerings_agree_with_kernels_everywhere(op):
    differences = []
    for case in TABLE[op]:
        for variant in VALUES:
            for opset, level in zip((13, 18, 23), LEVELS, strict=True):
                for exact in (True, False):
                    differences += faults(case, variant, opset=opset, level=level, exact=exact)
            for dtype in set(case.dtypes) & {"float16", "float64"}:
                differences += faults(case, variant, dtype)
    assert not differences


# ---- kernels against stored results of real MXNet


@cache
def stored():
    with np.load(Path(__file__).parent / "oracle" / "special_values.npz") as arrays:
        return dict(arrays)


BY_ORDER = "what is compared with NaN is not, so that real MXNet's result depends on the order"
KAHAN = "compensated sums make NaN of infinities"
OURS = {
    **dict.fromkeys(("sort", "argsort", "topk"), f"{BY_ORDER}; here NaN is the largest"),
    "Pooling": f"{BY_ORDER}; here a window with NaN is NaN",
    **dict.fromkeys(("moments", "nansum", "norm"), KAHAN),
    **dict.fromkeys(("BatchNorm_v1", "_contrib_SyncBatchNorm"), STATISTICS[1]),
    "_contrib_BilinearResize2D": "an infinity at the edge is read with a share of 0 as well",
    "RNN": "oneDNN's relu gives 0 for NaN, and states",
    **dict.fromkeys(
        ("adam_update", "ftml_update", "mp_nag_mom_update", "mp_sgd_mom_update", "nag_mom_update")
        + ("rmsprop_update", "rmspropalex_update", "sgd_mom_update"),
        "a decay of 0 makes infinite weights NaN",
    ),
    **dict.fromkeys(
        ("_adamw_update", "_mp_adamw_update"), "a scale that is not finite leaves what memory held"
    ),
    "ROIPooling": "corners of NaN are the lowest integer; here the region is NaN",
    "_contrib_MultiProposal": f"{BY_ORDER}; here boxes are NaN",
    "_contrib_Proposal": f"{BY_ORDER}; here boxes are NaN",
    "_contrib_bipartite_matching": f"{BY_ORDER}; here NaN has no partner",
    "_contrib_box_iou": f"{BY_ORDER}; here NaN has an overlap of NaN",
    **dict.fromkeys(
        ("_linalg_det", "_linalg_gelqf", "_linalg_potrf", "_linalg_potri", "_linalg_slogdet", "_linalg_trmm"),
        "products with zeros that LAPACK and BLAS leave out, or not",
    ),
    **dict.fromkeys(("_linalg_inverse", "_linalg_syevd"), "what is computed of NaN is NaN here"),
    **dict.fromkeys(
        ("_random_pdf_exponential", "_random_pdf_normal", "_random_pdf_generalized_negative_binomial"),
        "parameters of -inf are no distribution, whose density is NaN or not by the formula",
    ),
}
"""Operators whose results of special values are not real MXNet's, and why."""
STORED: dict[str, list[Case]] = {}
for _, _case in stored_cases():
    STORED.setdefault(_case.op, []).append(_case)


def compared(op):
    """How the operator's results differ from the stored ones, by case, variant and output."""
    words = {}
    for case in STORED[op]:
        for variant in ("nan", "mixed", "ninf"):
            key = f"{case.key()}.{variant}."
            if f"{key}0" in stored():
                for i, y in enumerate(kernel(case, sprinkled(case, variant))):
                    words[f"{case} {variant} output {i}"] = disagreement(y, stored()[f"{key}{i}"])
    return words


@pytest.mark.parametrize("op", sorted(set(STORED) - set(OURS)))
def test_kernels_agree_with_mxnet(op):
    assert not {k: word for k, word in compared(op).items() if word}


@pytest.mark.parametrize("op", sorted(OURS))
def test_what_is_listed_differs_from_mxnet(op):
    assert any(compared(op).values())


# ---- NaN in hybridized networks


def same(make, *arrays):
    """What a function of `F` and arrays gives eagerly and hybridized, which must be the same."""

    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, *inputs):
            return make(F, *inputs)

    results = []
    for hybridized in (False, True):
        net = Net()
        net.hybridize(hybridized)
        y = net(*(nd.array(a, dtype=a.dtype) for a in arrays))
        results.append([v.asnumpy() for v in (y if isinstance(y, list | tuple) else [y])])
    for eager, hybrid in zip(*results, strict=True):
        assert eager.dtype == hybrid.dtype
        np.testing.assert_allclose(hybrid, eager, rtol=2e-6 if eager.dtype.kind == "f" else 0)
    return results[0] if len(results[0]) > 1 else results[0][0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("size", [4, 17, 40])
def test_extremes_and_their_indices_show_nan(size, dtype):
    for at in range(size):
        x = np.arange(size, dtype=dtype)[None]
        x[0, at] = np.nan
        y = same(lambda F, x: [F.max(x), F.min(x, axis=1), F.argmax(x, axis=1), F.argmin(x, axis=1)], x)
        assert np.isnan(y[0]).all()
        assert np.isnan(y[1]).all()
        assert y[2].tolist() == y[3].tolist() == [at]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_is_sorted_as_the_largest(dtype):
    top = np.finfo(dtype).max
    x = np.array([[1, np.nan, top, np.inf, -np.inf, np.nan, np.inf, 0]], dtype)
    up, down, first = same(lambda F, x: [F.argsort(x), F.argsort(x, is_ascend=False), F.topk(x, k=2)], x)
    assert up.tolist() == [[4, 7, 0, 2, 3, 6, 1, 5]]
    assert down.tolist() == [[1, 5, 3, 6, 2, 0, 7, 4]]
    assert first.tolist() == [[1, 5]]
    assert np.isnan(same(lambda F, x: F.topk(x, k=1, ret_typ="value"), x)).all()


@pytest.mark.parametrize("options", [{}, {"pad": (1,)}, {"stride": (2,), "pooling_convention": "full"}])
@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_max_pooling_shows_nan(options, axes, dtype, rng):
    x = rng.standard_normal((2, 3, *(6,) * axes)).astype(dtype)
    x.reshape(2, 3, -1)[1, 2, ::5] = np.nan
    attributes = {k: v * axes if isinstance(v, tuple) else v for k, v in options.items()}
    y = same(lambda F, x: F.Pooling(x, kernel=(3,) * axes, pool_type="max", **attributes), x)
    assert np.isnan(y[1, 2]).any()
    assert not np.isnan(y[:, :2]).any()
    whole = same(lambda F, x: F.Pooling(x, kernel=(1,) * axes, global_pool=True), x)
    assert np.isnan(whole.reshape(2, 3)).tolist() == [[False] * 3, [False, False, True]]


@pytest.mark.parametrize("layer", [rnn.LSTM, rnn.GRU, rnn.RNN])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_recurrent_layers_show_nan(layer, bidirectional, rng):
    net = layer(4, num_layers=2, bidirectional=bidirectional)
    net.initialize()
    x = rng.standard_normal((5, 3, 2)).astype("float32")
    x[2, 1, 0] = np.nan
    eager, states = net(nd.array(x), net.begin_state(3))
    net.hybridize()
    hybrid, ends = net(nd.array(x), net.begin_state(3))
    np.testing.assert_array_equal(np.isnan(eager.asnumpy()), np.isnan(hybrid.asnumpy()))
    assert np.isnan(eager.asnumpy())[2:, 1].all()
    assert not np.isnan(eager.asnumpy())[:, [0, 2]].any()
    for a, b in zip(states, ends, strict=True):
        np.testing.assert_array_equal(np.isnan(a.asnumpy()), np.isnan(b.asnumpy()))
    net.collect_params()[f"{net.prefix}l0_h2h_weight"].data()[1, 2] = np.nan
    assert np.isnan(net(nd.ones((5, 3, 2))).asnumpy()).all(axis=2)[1:].all()


def test_hypot_gamma_and_roots_at_zero_and_infinity():
    x = np.array([-0.0, 0.0, -1e-40, np.inf, -8.0], "float32")
    assert same(lambda F, x: F.rcbrt(x), x).tolist()[:2] == [-np.inf, np.inf]
    assert np.signbit(same(lambda F, x: F.cbrt(x), x)).tolist() == [True, False, True, False, True]
    assert same(lambda F, x: F.gamma(x), x).tolist()[:3] == [-np.inf, np.inf, -np.inf]
    infinite, nan = np.array([-np.inf], "float32"), np.array([np.nan], "float32")
    assert same(lambda F, a, b: F.broadcast_hypot(a, b), infinite, nan).tolist() == [np.inf]


def test_log_softmax_of_float64_shows_nan():
    x = np.array([[0.5, np.nan, 1.0], [0.0, 0.0, 0.0]])
    y = same(lambda F, x: F.log_softmax(x), x)
    assert np.isnan(y[0]).all()
    np.testing.assert_allclose(y[1], -np.log(3))


def test_softmax_with_length_ignores_what_lies_beyond():
    x = np.array([[1, np.inf, np.nan, -np.inf], [1, -np.inf, np.nan, 2]], "float32")
    y = same(lambda F, x, n: F.softmax(x, n, use_length=True), x, np.array([1, 2]))
    assert y.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0]]


def test_resized_images_have_nan_only_where_they_are_read(rng):
    x = rng.standard_normal((1, 1, 6, 6)).astype("float32")
    x[0, 0, 1, 1] = np.nan
    pooled = nd.contrib.AdaptiveAvgPooling2D(nd.array(x), output_size=3).asnumpy()
    assert np.isnan(pooled).nonzero()[2:] == (np.array([0]), np.array([0]))
    larger = nd.contrib.BilinearResize2D(nd.array(x), height=11, width=11).asnumpy()
    assert np.isnan(larger).any()
    assert not np.isnan(larger[0, 0, 5:]).any()


def test_ignored_labels_have_no_gradient_even_at_nan():
    y, label = np.array([[NAN, NAN], [0.25, 0.75]], "float32"), np.array([-1, 1], "float32")
    case = Case("_softmax_output_gradient", [y, label], use_ignore=True, ignore_label=-1)
    for result in (*kernel(case, [y, label]), *in_onnx_runtime(case, [y, label])):
        assert result.tolist() == [[0, 0], [0.25, -0.25]]


def both(case, *arrays):
    """What the kernel and a file in ONNX Runtime give."""
    return kernel(case, list(arrays)), in_onnx_runtime(case, list(arrays), exact=False)


def test_boxes_with_nan_have_overlaps_of_nan():
    a, b = (
        np.array([[0, 0, 2, 2], [NAN, 0, 2, 2]], "float32"),
        np.array([[1, 0, 3, 2], [9, 9, 9, 9]], "float32"),
    )
    for (y,) in both(Case("_contrib_box_iou", [a, b]), a, b):
        np.testing.assert_allclose(y, [[1 / 3, 0], [NAN, NAN]], rtol=1e-6)


def test_inverses_show_nan():
    x = np.array([[[NAN, 0], [0, 1]], [[2, 0], [0, 4]]], "float32")
    for (y,) in both(Case("_linalg_inverse", [x]), x):
        np.testing.assert_array_equal(y, np.array([[[NAN] * 2] * 2, [[0.5, 0], [0, 0.25]]], "float32"))


def test_determinants_show_nan_beside_columns_of_zeros():
    x = np.array([[[0, 0, 2], [0.5, 0, 1], [NAN, -4, 0]], [[NAN, 0, 0], [0] * 3, [0] * 3], np.eye(3) * 2])
    x = x.astype("float32")
    for (determinant,) in both(Case("_linalg_det", [x]), x):
        np.testing.assert_array_equal(determinant, np.array([NAN, NAN, 8], "float32"))
    sign, logarithm = kernel(Case("_linalg_slogdet", [x]), [x])
    assert sign.tolist() == [0, 0, 1]
    np.testing.assert_allclose(logarithm, [NAN, NAN, 3 * np.log(2)], rtol=1e-6)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_eigenvalues_of_what_is_not_finite_are_nan(value):
    x = np.array([[[value, 1], [1, 2]], [[3, value], [1, 2]], [[3, 1], [value, 2]], [[2, 1], [1, value]]])
    x = x.astype("float32")
    roots = [(5 - np.sqrt(5)) / 2, (5 + np.sqrt(5)) / 2]  # the upper triangle is not read
    for vectors, values in both(Case("_linalg_syevd", [x]), x):
        np.testing.assert_allclose(values, [[NAN, NAN], roots, [NAN, NAN], [NAN, NAN]], rtol=1e-5)
        assert np.isnan(vectors).all(axis=(1, 2)).tolist() == [True, False, True, True]
        assert np.isfinite(vectors[1]).all()


def test_reflections_take_negative_zero_for_negative():
    x = np.array([[[-0.0, -3, 4]], [[0.0, -3, 4]]], "float32")  # results of real MXNet
    for q, lower in both(Case("_linalg_gelqf", [x]), x):
        assert lower.ravel().tolist() == [5, -5]
        np.testing.assert_allclose(q[:, 0], [[0, -0.6, 0.8], [0, 0.6, -0.8]], rtol=1e-6, atol=1e-7)


def test_probabilities_of_tiny_dispersions_are_poissons():
    x, mu = np.arange(6, dtype="float32")[None], np.array([2.5], "float32")
    expected = x * np.log(2.5) - 2.5 - np.log([1, 1, 2, 6, 24, 120])
    for dispersion in (1e-8, 1e-14, 1e-30):
        alpha = np.array([dispersion], "float32")
        case = Case("_random_pdf_generalized_negative_binomial", [x, mu, alpha], is_log=True)
        for (y,) in both(case, x, mu, alpha):
            np.testing.assert_allclose(y, expected, rtol=1e-6)


@pytest.mark.parametrize("opset", [18, 22])
@pytest.mark.parametrize(("name", "ratio"), [("ROIPooling", {}), ("_contrib_ROIAlign", {"sample_ratio": 2})])
def test_regions_with_corners_of_nan_are_nan(name, ratio, opset):
    data = np.arange(64, dtype="float32").reshape(1, 1, 8, 8)
    rois = np.array([[0, NAN, 1, 5, 6], [NAN, 1, 1, 5, 6], [0, 1, 1, 5, 6], [0, 1, 1, 5, NAN]], "float32")
    case = Case(name, [data, rois], pooled_size=(2, 2), spatial_scale=1.0, **ratio)
    for (y,) in (
        kernel(case, [data, rois]),
        in_onnx_runtime(case, [data, rois], opset=min(opset, newest_opset())),
    ):
        kinds = [np.isnan(y[i]).all() for i in range(4)]
        assert kinds == [True, False, False, True]
        assert not y[1].any()
        assert np.isfinite(y[2]).all()


def test_regions_beyond_all_memory_are_refused():
    rois = nd.array([[0, 0, 0, 1e12, 5]])
    with pytest.raises(mx.MXNetError, match="at most 1048576 samples in a bin on each axis are required"):
        nd.contrib.ROIAlign(nd.zeros((1, 1, 8, 8)), rois, pooled_size=(2, 2), spatial_scale=1.0)


def test_matches_out_of_range_are_refused():
    boxes = nd.array(np.random.RandomState(0).rand(1, 3, 4))
    numbers = nd.zeros((4,)), nd.ones((4,))
    with pytest.raises(mx.MXNetError, match=r"matches of positive samples in \[0, 3\) are required, got 7"):
        nd.contrib.box_encode(nd.array([[1, 1, 0]]), nd.array([[0, 7, 9]]), boxes, boxes, *numbers)


# ---- empty axes


@pytest.mark.parametrize(("shape", "axis"), [((0, 3), 0), ((2, 0), 1), ((2, 0, 3), (0, 1)), ((0, 3), None)])
def test_reductions_of_nothing(shape, axis):
    x, over = np.zeros(shape, "float32"), {} if axis is None else {"axis": axis}
    for name, value in (
        ("sum", 0),
        ("nansum", 0),
        ("prod", 1),
        ("nanprod", 1),
        ("mean", np.nan),
        ("norm", 0),
    ):
        y = same(lambda F, x, name=name: getattr(F, name)(x, **over), x)
        np.testing.assert_array_equal(y, np.full(y.shape, value, "float32"))
    for name in ("max", "min", "argmax", "argmin"):
        if not (isinstance(axis, tuple) and name.startswith("arg")):
            with pytest.raises(mx.MXNetError, match=rf"{name}: axes of size 1 or more are required"):
                getattr(nd, name)(nd.zeros(shape), **over)


def test_mean_and_moments_of_nothing_in_a_file_with_a_free_size(tmp_path):
    import onnxruntime as ort

    x = mx.sym.var("x")
    graph = mx.sym.Group([mx.sym.mean(x, axis=0), *mx.sym.moments(x, axes=(0,))])
    path = mx.onnx.export_model(graph, {}, [(None, 3)], np.float32, str(tmp_path / "m.onnx"))
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    for rows in (0, 4):
        data = np.arange(rows * 3, dtype="float32").reshape(rows, 3)
        mean, again, variance = session.run(None, {"x": data})
        expected = data.mean(0) if rows else np.full(3, np.nan)
        np.testing.assert_allclose(mean, expected)
        np.testing.assert_allclose(again, expected)
        np.testing.assert_allclose(variance, data.var(0) if rows else np.full(3, np.nan))


def test_argmax_along_an_axis_beside_an_empty_one():
    assert same(lambda F, x: F.argmax(x, axis=1), np.zeros((0, 3), "float32")).shape == (0,)


# ---- integers

INTEGERS = {
    "int8": [[100, 100, 3], [-100, -128, -3], [7, 0, 1]],
    "uint8": [[200, 100, 3], [255, 255, 255], [7, 0, 1]],
    "int32": [[2**31 - 1, 5, 3], [-(2**31), -7, 65536], [70000, 70000, -1]],
    "int64": [[2**62, 2**62, 3], [-(2**63), -1, 2], [2**53 + 1, 2**40, -3]],
}


def wrapped(value, dtype):
    bits = 8 * np.dtype(dtype).itemsize
    low = 0 if np.dtype(dtype).kind == "u" else -(1 << (bits - 1))
    return (value - low) % (1 << bits) + low


def divided(a, b):
    """The quotient of Python's integers truncated towards zero."""
    return abs(a) // b * (1 if a >= 0 else -1)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("axis", [0, 1])
def test_sums_and_products_of_integers_wrap(dtype, axis):
    x = np.array(INTEGERS[dtype], dtype)
    rows = [[int(v) for v in row] for row in (x if axis else x.T)]
    sums = [wrapped(sum(row), dtype) for row in rows]
    products = [wrapped(a * b * c, dtype) for a, b, c in rows]
    means = [divided(s, 3) for s in sums]
    for name, expected in (("sum", sums), ("nansum", sums), ("prod", products), ("nanprod", products)):
        assert same(lambda F, x, name=name: getattr(F, name)(x, axis=axis), x).tolist() == expected
    assert same(lambda F, x: F.mean(x, axis=axis), x).tolist() == means
    distances = [[wrapped(v - m, dtype) for v in row] for row, m in zip(rows, means, strict=True)]
    squares = [wrapped(sum(wrapped(d * d, dtype) for d in row), dtype) for row in distances]
    mean, variance = same(lambda F, x: F.moments(x, axes=(axis,)), x)
    assert mean.tolist() == means
    assert variance.tolist() == [divided(s, 3) for s in squares]


def test_long_products_of_integers(rng):
    x = rng.integers(1, 100, (1001, 2)).astype("int32") * 2 + 1
    expected = [wrapped(int(np.prod([int(v) for v in column], dtype=object)), "int32") for column in x.T]
    assert same(lambda F, x: F.prod(x, axis=0), x).tolist() == expected


# ---- float64 keeps its digits

REFUSED = (
    *("Convolution", "Convolution_v1", "Deconvolution", "UpSampling", "LeakyReLU", "Pooling", "Pooling_v1"),
    *("_contrib_AdaptiveAvgPooling2D", "_contrib_BilinearResize2D", "_conv_data_grad", "_conv_weight_grad"),
    *("_deconv_data_grad", "_deconv_weight_grad", "_pool_grad", "_pool_pick", "_upsampling_grad"),
    *("arccos", "arcsin", "arctan", "erf", "erfinv"),
    *("_npi_arccos", "_npi_arcsin", "_npi_arctan"),
    *("_npi_arctan2", "_npi_arctan2_scalar", "_npi_rarctan2_scalar"),
    *("ROIPooling", "_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution"),
    *(
        "_inverse_or_zeros",
        "_linalg_det",
        "_linalg_gelqf",
        "_linalg_inverse",
        "_linalg_potrf",
        "_linalg_potri",
    ),
    *("_linalg_slogdet", "_linalg_syevd", "_linalg_trsm", "_solution"),
    *("_npi_cholesky", "_npi_det", "_npi_eigh", "_npi_eigvalsh", "_npi_slogdet"),
    *("_npi_solve", "_npi_tensorinv", "_npi_tensorsolve"),
)
"""Operators that ONNX Runtime has no float64 for, with some of their attributes or all: kernels run them."""
DRAWN_IN_FLOAT32 = ("_random_exponential_like",)


@pytest.mark.parametrize("op", [op for op in LOWERED if op not in DRAWN_IN_FLOAT32])
def test_float64_keeps_its_digits(op):
    for case in TABLE[op]:
        arrays = case.arrays("float64")
        if any(a.dtype.kind == "f" and a.dtype != np.float64 for a in arrays):
            continue
        try:
            expected = kernel(case, arrays)
        except mx.MXNetError:  # other inputs of the case have to be float32
            continue
        try:
            got = in_onnx_runtime(case, arrays)
        except ConversionError:
            if op not in REFUSED:
                raise
            continue
        for a, b in zip(got, expected, strict=True):
            if b.dtype == np.float64:
                test_utils.assert_near(a, b, 1e-12, f"{case}")


def test_float64_networks_are_accurate_hybridized_and_not_exported(tmp_path, rng):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.AvgPool2D(2), nn.Conv2DTranspose(2, 2, strides=2))
    net.initialize()
    net.cast("float64")
    x = nd.array(rng.standard_normal((2, 3, 10, 10)), dtype="float64")
    x.attach_grad()
    results = []
    for hybridized in (False, True):
        net.hybridize(hybridized)
        with mx.autograd.record():
            y = nd.Pooling(net(x), kernel=(2, 2), pool_type="lp", p_value=3)
        y.backward()
        results.append((y.asnumpy(), x.grad.asnumpy()))
    for eager, hybrid in zip(*results, strict=True):
        np.testing.assert_allclose(hybrid, eager, rtol=1e-12, atol=1e-14)
    with pytest.raises(ConversionError, match="float32 would lose digits"):
        mx.onnx.export_model(
            net, str(tmp_path / "m.onnx"), input_shapes=[(2, 3, 10, 10)], in_types=np.float64
        )


def test_export_warns_of_parameters_with_nan(tmp_path):
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.weight.data()[1, 2] = np.nan
    with pytest.warns(UserWarning, match=f"got NaN in {net.weight.name}"):
        mx.onnx.export_model(net, str(tmp_path / "m.onnx"), input_shapes=[(1, 3)])
