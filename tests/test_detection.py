"""Detection: what is refused, other free sizes than the first, and nets' heads in one piece."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.converters import to_onnx
from hybridonnx.errors import MXNetError
from hybridonnx.ops import Spec, SymbolicDim

F32 = np.dtype("float32")
rng = np.random.default_rng


def boxes(seed, *shape):
    """Boxes as corners, many of which overlap."""
    low, size = rng(seed).uniform(0, 0.6, (*shape, 2)), rng(seed + 1).uniform(0.05, 0.5, (*shape, 2))
    return np.concatenate([low, low + size], -1).astype(F32)


def rated(seed, *shape):
    """Boxes with a class and a score; scores are multiples of 1/16, so that some are equal."""
    label = rng(seed + 2).integers(0, 3, (*shape, 1))
    score = rng(seed + 3).integers(1, 17, (*shape, 1)) / 16
    return np.concatenate([label, score, boxes(seed, *shape)], -1).astype(F32)


def session(symbol, shapes, opset=18):
    """A session of the exported model; sizes that are text are free."""
    specs = {
        name: Spec(tuple(SymbolicDim.named(d) if isinstance(d, str) else d for d in shape), F32)
        for name, shape in shapes.items()
    }
    model = to_onnx.check(to_onnx.lower(symbol, specs, {}, opset=opset), {}).model
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


# ---- box_nms by its definition


def by_definition(data, overlap_thresh, valid_thresh=0.0, topk=-1, classes=False):
    """Suppression of (N, 6) box after box, with ties by the order of rows."""
    order = [i for i in sorted(range(len(data)), key=lambda i: -data[i, 1]) if data[i, 1] > valid_thresh]
    stays: list[int] = []
    for i in order[:topk] if topk > 0 else order:
        rivals = [j for j in stays if not classes or data[j, 0] == data[i, 0]]
        if all(overlap(data[i, 2:], data[j, 2:]) <= overlap_thresh for j in rivals):
            stays.append(i)
    return np.concatenate([data[stays], np.full((len(data) - len(stays), 6), -1, F32)])


def overlap(a, b):
    width, height = (max(0.0, min(a[i + 2], b[i + 2]) - max(a[i], b[i])) for i in (0, 1))
    area = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return width * height / (area - width * height)


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("topk", [-1, 6])
def test_suppression_with_free_sizes(classes, topk):
    """One model for any number of batch elements and of boxes, of which some have no valid one."""
    options = {"overlap_thresh": 0.3, "valid_thresh": 0.2, "topk": topk, "id_index": 0 if classes else -1}
    symbol = mx.sym.contrib.box_nms(mx.sym.var("x"), **options)
    model = session(symbol, {"x": ("batch", "boxes", 6)})
    for seed, shape in enumerate([(1, 1), (2, 7), (3, 40), (1, 3)]):
        x = rated(seed, *shape)
        x[0, :, 1] *= seed != 1  # nothing is valid there
        (y,) = model.run(None, {"x": x})
        for one, got in zip(x, y, strict=True):
            np.testing.assert_array_equal(got, by_definition(one, 0.3, 0.2, topk, classes))


@pytest.mark.parametrize("spread", [0.3, 3.0, 30.0])
def test_suppression_among_hundreds_of_boxes(spread):
    """Boxes are compared in blocks, which grow where most of them stay."""
    data = rated(5, 700)
    data[:, 2:] += rng(6).uniform(0, spread, (700, 2)).astype(F32)[:, [0, 1, 0, 1]]
    result = mx.nd.contrib.box_nms(mx.nd.array(data), 0.4, coord_start=2, score_index=1).asnumpy()
    np.testing.assert_array_equal(result, by_definition(data, 0.4))


def test_suppression_of_a_free_leading_shape():
    symbol = mx.sym.contrib.box_nms(mx.sym.var("x"), overlap_thresh=0.4, id_index=0)
    model = session(symbol, {"x": ("a", "b", 9, 6)}, opset=13)
    x = rated(5, 2, 3, 9)
    (y,) = model.run(None, {"x": x})
    for index in np.ndindex(2, 3):
        np.testing.assert_array_equal(y[index], by_definition(x[index], 0.4, classes=True))


def test_hybridized_suppression_takes_any_batch():
    class Head(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.contrib.box_nms(x, overlap_thresh=0.35, topk=20, id_index=0)

    head = Head()
    head.hybridize()
    for batch in (1, 4, 2):
        x = rated(batch, batch, 25)
        expected = np.stack([by_definition(one, 0.35, topk=20, classes=True) for one in x])
        np.testing.assert_array_equal(head(mx.nd.array(x)).asnumpy(), expected)


def test_recorded_suppression_in_a_compiled_graph():
    """The gradient goes to the rows that the boxes came from."""

    class Head(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.contrib.box_nms(x * 1, overlap_thresh=0.3)

    head = Head()
    head.hybridize()
    x = mx.nd.array(rated(1, 2, 8))
    x.attach_grad()
    with mx.autograd.record():
        y = head(x)
    heads = np.arange(y.size, dtype=F32).reshape(y.shape) + 1
    y.backward(mx.nd.array(heads))
    expected = np.zeros_like(heads)
    for n, k in np.ndindex(2, 8):
        (rows,) = np.nonzero((x.asnumpy()[n] == y.asnumpy()[n, k]).all(1))
        expected[n, rows] = heads[n, k]
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)


def test_suppression_comes_back_from_onnx(tmp_path):
    """Imported, the nodes that box_nms was written as run eagerly and hybridized."""
    symbol = mx.sym.contrib.box_nms(mx.sym.var("x"), overlap_thresh=0.3, topk=9, id_index=0)
    path = str(tmp_path / "nms.onnx")
    mx.onnx.export_model(symbol, {}, [(2, 15, 6)], np.float32, path)
    net = mx.contrib.onnx.import_to_gluon(path, ctx=mx.cpu())
    for hybridized in (False, True):
        if hybridized:
            net.hybridize()
        for seed in range(3):
            x = rated(seed, 2, 15)
            expected = np.stack([by_definition(one, 0.3, topk=9, classes=True) for one in x])
            np.testing.assert_array_equal(net(mx.nd.array(x)).asnumpy(), expected)


# ---- free sizes of the others


def test_overlap_with_free_sizes():
    model = session(mx.sym.contrib.box_iou(mx.sym.var("a"), mx.sym.var("b")), {"a": ("n", 4), "b": ("m", 4)})
    for n, m in ((1, 1), (3, 2), (4, 5)):
        a, b = boxes(n, n), boxes(m + 7, m)
        (y,) = model.run(None, {"a": a, "b": b})
        np.testing.assert_allclose(y, [[overlap(one, other) for other in b] for one in a], rtol=1e-5)


def test_matching_with_free_sizes():
    symbol = mx.sym.contrib.bipartite_matching(mx.sym.var("x"), threshold=0.2)
    model = session(symbol, {"x": ("batch", "n", "m")})
    for shape in ((1, 1, 1), (2, 3, 5), (3, 6, 2)):
        x = rng(1).permutation(int(np.prod(shape))).reshape(shape).astype(F32) / np.float32(np.prod(shape))
        rows, cols = model.run(None, {"x": x})
        for n in range(len(x)):
            pairs, left = {}, x[n].copy()
            while left.max(initial=0) > np.float32(0.2):
                r, c = np.unravel_index(left.argmax(), left.shape)
                pairs[r] = c
                left[r], left[:, c] = 0, 0
            assert rows[n].tolist() == [pairs.get(r, -1) for r in range(shape[1])]
            assert cols[n].tolist() == [{c: r for r, c in pairs.items()}.get(c, -1) for c in range(shape[2])]


def test_anchors_of_free_images():
    """Anchors of an image are those that the same image of known size has."""
    options = {"sizes": (0.4, 0.2), "ratios": (2.0, 0.5, 1.0)}
    for more in ({}, {"steps": (0.1, 0.2), "offsets": (0.2, 0.7)}, {"clip": True}):
        symbol = mx.sym.contrib.MultiBoxPrior(mx.sym.var("x"), **options, **more)
        model = session(symbol, {"x": ("n", 3, "h", "w")})
        for shape in ((1, 3, 1, 1), (2, 3, 4, 5), (1, 3, 7, 2)):
            (y,) = model.run(None, {"x": np.zeros(shape, F32)})
            expected = mx.nd.contrib.MultiBoxPrior(mx.nd.zeros(shape), **options, **more)
            np.testing.assert_allclose(y, expected.asnumpy(), atol=1e-6)


def test_detections_with_free_sizes():
    """A detector for any number of images and anchors; objects are few, apart, and of one score each."""
    inputs = [mx.sym.var(name) for name in ("prob", "loc", "anchor")]
    symbol = mx.sym.contrib.MultiBoxDetection(*inputs, nms_threshold=0.4, threshold=0.3)
    model = session(symbol, {"prob": ("b", 3, "n"), "loc": ("b", "m"), "anchor": (1, "n", 4)})
    for batch, count in ((1, 1), (2, 5), (3, 12)):
        prob = rng(count).dirichlet([1, 1, 1], (batch, count)).transpose(0, 2, 1).astype(F32)
        corner = np.linspace(0, 0.9, count, dtype=F32)
        anchor = np.stack([corner, corner, corner + 0.01, corner + 0.01], -1)[None]
        (y,) = model.run(None, {"prob": prob, "loc": np.zeros((batch, count * 4), F32), "anchor": anchor})
        for one, rows in zip(prob, y, strict=True):
            order = [i for i in np.argsort(-one[1:].max(0)) if one[1:, i].max() >= 0.3]
            expected = [[one[1:, i].argmax(), one[1:, i].max(), *anchor[0, i]] for i in order]
            np.testing.assert_allclose(rows[: len(order)], np.reshape(expected, (-1, 6)), rtol=1e-5)
            assert (rows[len(order) :] == -1).all()


def test_targets_with_free_sizes():
    """Each object is the anchor of the same corners, whatever the sizes are."""
    inputs = [mx.sym.var(name) for name in ("anchor", "label", "pred")]
    symbol = mx.sym.contrib.MultiBoxTarget(*inputs, overlap_threshold=0.99)
    model = session(symbol, {"anchor": (1, "n", 4), "label": ("b", "m", 5), "pred": ("b", 3, "n")})
    for batch, count, most in ((1, 1, 1), (2, 7, 3), (3, 4, 4)):
        anchor = boxes(count, 1, count)
        chosen = np.stack([rng(n).permutation(count)[:most] for n in range(batch)])
        label = np.concatenate([np.ones((batch, most, 1), F32), anchor[0][chosen]], -1)
        feeds = {"anchor": anchor, "label": label, "pred": np.zeros((batch, 3, count), F32)}
        targets, mask, classes = model.run(None, feeds)
        expected = np.zeros((batch, count), F32)
        np.put_along_axis(expected, chosen, 2, 1)
        np.testing.assert_array_equal(classes, expected)
        np.testing.assert_array_equal(mask, np.repeat(expected > 0, 4, 1))
        assert not targets.any()


def test_proposals_with_free_sizes():
    """One model for images of all sizes gives what the operator gives for each."""
    options = {"scales": (2.0, 4.0), "ratios": (1.0,), "feature_stride": 8, "rpn_post_nms_top_n": 6}
    options |= {"rpn_min_size": 2, "rpn_pre_nms_top_n": 20, "threshold": 0.5, "output_score": True}
    inputs = [mx.sym.var(name) for name in ("prob", "pred", "info")]
    symbol = mx.sym.contrib.MultiProposal(*inputs, **options)
    model = session(symbol, {"prob": ("b", 4, "h", "w"), "pred": ("b", 8, "h", "w"), "info": ("b", 3)})
    for batch, height, width in ((1, 1, 1), (2, 3, 4), (3, 5, 2)):
        draw = rng(height)
        size = batch * 4 * height * width
        feeds = {
            "prob": (draw.permutation(size) / size).reshape(batch, 4, height, width).astype(F32),
            "pred": draw.normal(0, 0.3, (batch, 8, height, width)).astype(F32),
            "info": np.array([[height * 8 - n, width * 8 - 2 * n, 1] for n in range(batch)], F32),
        }
        expected = mx.nd.contrib.MultiProposal(*map(mx.nd.array, feeds.values()), **options)
        for a, b in zip(model.run(None, feeds), expected, strict=True):
            np.testing.assert_allclose(a, b.asnumpy(), rtol=1e-5, atol=1e-4)


def test_the_best_proposal_is_the_anchor():
    """Nothing moves: the one score that is high is that of the anchor of 4 strides at the pixel (1, 2)."""
    prob, pred = np.zeros((1, 2, 4, 5), F32), np.zeros((1, 4, 4, 5), F32)
    prob[0, 1, 1, 2] = 1
    options = {"scales": (4.0,), "ratios": (1.0,), "feature_stride": 8, "rpn_post_nms_top_n": 1}
    info = mx.nd.array([[32, 40, 1]])
    box = mx.nd.contrib.Proposal(mx.nd.array(prob), mx.nd.array(pred), info, **options)
    # 8 pixels grow to 32 around their center, which is at 3.5; y stays below the height
    assert box.asnumpy().tolist() == [[0, 16 + 3.5 - 15.5, 0, 16 + 3.5 + 15.5, 8 + 3.5 + 15.5]]


# ---- what is refused


def _selected(boxes, scores):
    return mx.nd._internal._non_max_suppression(boxes, scores)


def _proposed(contrib, ones, batch=1, **attributes):
    inputs = [ones((batch, 2, 2, 2)), ones((batch, 4, 2, 2)), ones((batch, 3)) * 16]
    return contrib.Proposal(*inputs, **{"scales": (1.0,), "ratios": (1.0,), **attributes})


def _ended(ones, row):
    return ones((1, 1, 5)) * mx.nd.array(row)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        (r"boxes, 6 or more\) is required, got \(3, 5\)", lambda c, x: c.box_nms(x((3, 5)))),
        (r"boxes, 7 or more\)", lambda c, x: c.box_nms(x((3, 6)), id_index=6)),
        ("different columns are required", lambda c, x: c.box_nms(x((3, 6)), score_index=3)),
        ("different columns are required", lambda c, x: c.box_nms(x((3, 6)), id_index=1)),
        ("score_index of at least 0 is required, got -1", lambda c, x: c.box_nms(x((3, 6)), score_index=-1)),
        ("floating-point numbers are required", lambda c, x: c.box_nms(x((3, 6)).astype("int32"))),
        (r"lhs of shape \(\.\.\., boxes, 4\) is required", lambda c, x: c.box_iou(x((3, 5)), x((3, 4)))),
        (r"rhs of shape \(\.\.\., boxes, 4\) is required", lambda c, x: c.box_iou(x((3, 4)), x((4,)))),
        ("data of two axes or more", lambda c, x: c.bipartite_matching(x((3,)), threshold=0.5)),
        ("threshold", lambda c, x: c.bipartite_matching(x((3, 3)))),
        ("anchors of shape", lambda c, x: c.box_decode(x((2, 3, 4)), x((2, 3, 4)))),
        (r"data \(B, N, 4\) is required", lambda c, x: c.box_decode(x((3, 4)), x((1, 3, 4)))),
        (
            "matches of shape",
            lambda c, x: c.box_encode(*map(x, ((2, 3), (2, 4), (2, 3, 4), (2, 1, 4), 4, 4))),
        ),
        (
            r"samples and matches \(B, N\), anchors .* got \(2, 3\), \(1, 2, 3\)",
            lambda c, x: c.box_encode(*map(x, ((2, 3), (1, 2, 3), (2, 3, 4), (2, 1, 4), 4, 4))),
        ),
        (
            r"refs \(B, M, 4\) are",
            lambda c, x: c.box_encode(*map(x, ((2, 3), (2, 3), (2, 3, 4), (2, 4), 4, 4))),
        ),
        (r"scores \(B, C, N\) are required", lambda c, x: _selected(x((1, 3, 4)), x((1, 3)))),
        ("scores of shape", lambda c, x: _selected(x((1, 3, 4)), x((1, 2, 4)))),
        ("one of sizes and of ratios", lambda c, x: c.MultiBoxPrior(x((1, 1, 2, 2)), sizes=())),
        ("steps of two numbers", lambda c, x: c.MultiBoxPrior(x((1, 1, 2, 2)), steps=(0.5, -1))),
        ("offsets of two numbers", lambda c, x: c.MultiBoxPrior(x((1, 1, 2, 2)), offsets=(0.5, 2))),
        ("data in float32 is required", lambda c, x: c.MultiBoxPrior(x((1, 1, 2, 2), dtype="float16"))),
        (r"data \(N, C, H, W\) with pixels", lambda c, x: c.MultiBoxPrior(x((1, 2, 2)))),
        (
            "negative_mining_thresh above 0",
            lambda c, x: c.MultiBoxTarget(
                x((1, 2, 4)), x((1, 1, 5)), x((1, 2, 2)), negative_mining_ratio=1, negative_mining_thresh=0
            ),
        ),
        (r"label \(B, 1 or more", lambda c, x: c.MultiBoxTarget(x((1, 2, 4)), x((1, 1, 4)), x((1, 2, 2)))),
        (
            r"-1 throughout is required .* got the corners \[1\.0, 1\.0, 1\.0, -1\.0\]",
            lambda c, x: c.MultiBoxTarget(x((1, 2, 4)), _ended(x, [-1, 1, 1, 1, -1]), x((1, 2, 2))),
        ),
        ("cls_pred of shape", lambda c, x: c.MultiBoxTarget(x((1, 2, 4)), x((1, 1, 5)), x((1, 2, 3)))),
        (
            r"cls_pred \(B, 1 or more, A\) are",
            lambda c, x: c.MultiBoxTarget(x((1, 2, 4)), x((1, 1, 5)), x((1, 0, 2))),
        ),
        (
            r"cls_prob \(B, 1 or more, A\)",
            lambda c, x: c.MultiBoxDetection(x((1, 0, 2)), x((1, 8)), x((1, 2, 4))),
        ),
        ("loc_pred of shape", lambda c, x: c.MultiBoxDetection(x((1, 2, 3)), x((1, 8)), x((1, 3, 4)))),
        ("rpn_post_nms_top_n of at least 1", lambda c, x: _proposed(c, x, rpn_post_nms_top_n=0)),
        ("feature_stride of at least 1", lambda c, x: _proposed(c, x, feature_stride=0)),
        (r"cls_prob of shape \(1, 4, 2, 2\) is required", lambda c, x: _proposed(c, x, ratios=(1.0, 2.0))),
        (r"cls_prob of shape \(1, 2, 2, 2\) is required", lambda c, x: _proposed(c, x, batch=2)),
        ("images of at most 4 x 4 pixels are required", lambda c, x: _proposed(c, x, feature_stride=2)),
        (
            "variances of 4 numbers",
            lambda c, x: c.MultiBoxDetection(x((1, 2, 3)), x((1, 12)), x((1, 3, 4)), variances=(1, 1)),
        ),
    ],
)
def test_what_does_not_fit_is_refused(message, call):
    with pytest.raises(MXNetError, match=message):
        call(mx.nd.contrib, mx.nd.ones)
