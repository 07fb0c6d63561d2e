"""Convolutions in ONNX Runtime's layout of blocks: the numbers of the kernels, for whatever is put there."""

import random

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.converters.to_onnx import Local, conv, lower_operator
from hybridonnx.ops import Spec, find
from hybridonnx.runtime import blocks
from hybridonnx.runtime.blocks import block_size

DOMAIN = "com.microsoft.nchwc"
needs_blocks = pytest.mark.skipif(not block_size(), reason="this ONNX Runtime has no convolutions in blocks")


def in_session(op, arrays):
    """What a session gives, and whether it works in blocks."""
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    lowered = lower_operator(op, specs, local=Local(block=block_size()))
    session = ort.InferenceSession(lowered.model.SerializeToString())
    feeds = {name: a for name, a in zip(op.input_names(), arrays, strict=True) if name in lowered.inputs}
    (y,) = session.run(None, feeds)
    return y, any(node.domain == DOMAIN for node in lowered.model.graph.node)


def compare(attributes, shape, transposed=False):
    """Compare a convolution and its gradients with the kernels; how many of them were in blocks."""
    rng = np.random.default_rng(0)
    op = find("Deconvolution" if transposed else "Convolution").make(attributes)
    filters, group = attributes["num_filter"], attributes["num_group"]
    rows, columns = (shape[1], filters // group) if transposed else (filters, shape[1] // group)
    x = rng.standard_normal(shape).astype(np.float32)
    weight = rng.standard_normal((rows, columns, *attributes["kernel"])).astype(np.float32)
    bias = [] if attributes["no_bias"] else [rng.standard_normal(filters).astype(np.float32)]
    dy = rng.standard_normal(op.forward(x, weight, *bias).shape).astype(np.float32)
    own = {key: value for key, value in attributes.items() if key != "no_bias"}
    kind = "deconv" if transposed else "conv"
    of_data, of_weight = (find(f"_{kind}_{name}_grad").make(own) for name in ("data", "weight"))
    count = 0
    for each, arrays in ((op, [x, weight, *bias]), (of_data, [dy, weight, x]), (of_weight, [dy, x, weight])):
        result, in_blocks = in_session(each, arrays)
        wanted = each.forward(*arrays)
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())
        count += in_blocks
    return count


@needs_blocks
@pytest.mark.parametrize(
    ("channels", "filters", "group"),
    [(3, 32, 1), (1, 16, 1), (16, 16, 1), (32, 48, 1), (64, 3, 1), (64, 32, 2), (32, 32, 32), (48, 48, 48)],
)
@pytest.mark.parametrize("kernel", [(3, 3), (2, 5)])
@pytest.mark.parametrize("no_bias", [False, True])
def test_convolutions_and_their_gradients(channels, filters, group, kernel, no_bias):
    attributes = {"kernel": kernel, "num_filter": filters, "num_group": group, "no_bias": no_bias}
    count = compare({**attributes, "pad": (1, 0)}, (2, channels, 13, 14))
    assert count == 3 if group > 2 else count, "none is in blocks"


@needs_blocks
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("stride", [(1, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize("dilate", [(1, 1), (2, 1)])
@pytest.mark.parametrize("channels", [16, 96])
def test_depthwise_convolutions(batch, stride, dilate, channels):
    attributes = {"kernel": (3, 3), "stride": stride, "dilate": dilate, "pad": (1, 1)}
    attributes |= {"num_filter": channels, "num_group": channels, "no_bias": True}
    assert compare(attributes, (batch, channels, 13, 15)) >= 2


@needs_blocks
@pytest.mark.parametrize(
    ("batch", "channels", "filters", "in_blocks"),
    [
        (8, 1, 6, True),
        (16, 1, 8, True),
        (16, 1, 9, False),
        (4, 4, 16, True),
        (8, 2, 10, True),
        (5, 1, 6, False),
    ],
)
@pytest.mark.parametrize("stride", [(1, 1), (2, 3)])
@pytest.mark.parametrize("dilate", [(1, 1), (2, 1)])
@pytest.mark.parametrize("transposed", [False, True])
def test_gradients_of_filters_that_share_a_channel(
    batch, channels, filters, in_blocks, stride, dilate, transposed
):
    """Of batches that give whole blocks, and of no more filters than a third of the places in the window."""
    own = {"kernel": (5, 5), "stride": stride, "dilate": dilate, "pad": (2, 0), "num_group": channels}
    rng = np.random.default_rng(0)
    size = 17, 20
    place = find("_conv_weight_grad").make({**own, "num_filter": filters})
    out = place.convolved((batch, channels, *size))[2:]
    x, weight, dy = (
        rng.standard_normal(shape).astype(np.float32)
        for shape in ((batch, channels, *size), (filters, 1, 5, 5), (batch, filters, *out))
    )
    op, arrays = place, [dy, x, weight]
    if transposed:  # data and gradient change places, and so do the channels of both
        more = [
            n - (o - 1) * s - (4 * d + 1) + 2 * p
            for n, o, s, d, p in zip(size, out, stride, dilate, (2, 0), strict=True)
        ]
        op = find("_deconv_weight_grad").make({**own, "num_filter": channels, "adj": more})
        arrays = [x, dy, weight]
    result, works_in_blocks = in_session(op, arrays)
    assert works_in_blocks == in_blocks
    wanted = op.forward(*(a.astype(np.float64) for a in arrays))
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())


@needs_blocks
@pytest.mark.parametrize(
    ("channels", "filters", "group", "blocked"), [(32, 48, 1, 2), (32, 32, 32, 2), (64, 32, 32, 1)]
)
def test_transposed_convolutions(channels, filters, group, blocked):
    attributes = {
        "kernel": (3, 4),
        "stride": (1, 2),
        "pad": (1, 1),
        "num_filter": filters,
        "num_group": group,
    }
    count = compare({**attributes, "no_bias": False}, (2, channels, 13, 15), transposed=True)
    assert count == blocked


@needs_blocks
@pytest.mark.parametrize("batch", [1, 7, 16, 21, 32])
@pytest.mark.parametrize("filters", [16, 25, 48])
@pytest.mark.parametrize(
    ("stride", "dilate", "size"), [(1, 1, (13, 14)), (2, 1, (16, 15)), (1, 2, (15, 12)), (3, 2, (23, 21))]
)
@pytest.mark.parametrize("most", [1 << 22, 1 << 17, 1 << 14])
def test_gradients_of_weights_over_the_batch(batch, filters, stride, dilate, size, most, monkeypatch):
    monkeypatch.setattr(conv, "_correlates", lambda *_: True)
    monkeypatch.setattr(conv, "_MOST_WINDOWS", most)
    kernel = (3, 5)
    op = find("_conv_weight_grad").make(
        {
            "kernel": kernel,
            "stride": (stride, stride),
            "dilate": (dilate, dilate),
            "pad": (1, 2),
            "num_filter": filters,
        }
    )
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((batch, 24, *size)), rng.standard_normal((filters, 24, *kernel))
    spans = [dilate * (k - 1) + 1 for k in kernel]
    out = [(n + 2 * p - span) // stride + 1 for n, p, span in zip(size, (1, 2), spans, strict=True)]
    arrays = [a.astype(np.float32) for a in (rng.standard_normal((batch, filters, *out)), x, weight)]
    result, in_blocks = in_session(op, arrays)
    assert in_blocks
    wanted = op.forward(*(a.astype(np.float64) for a in arrays))
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())


@needs_blocks
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(s, marks=pytest.mark.slow) for s in range(4, 60))]
)
def test_any_attributes(seed):
    rng = random.Random(seed)
    draws = count = 0
    while draws < 10 or not count:
        draws += 1
        group = rng.choice([1, 1, 1, 2, 3, 16, 32, 48])
        channels = rng.choice([1, 16, 32, 3, 20, 48, 8]) if group < 4 else rng.choice([1, 1, 2])
        filters = rng.choice([1, 16, 32, 48, 20]) if group < 4 else channels
        attributes = {
            "kernel": (rng.choice([1, 2, 3, 5]), rng.choice([1, 2, 3, 4])),
            "stride": rng.choice([(1, 1), (1, 1), (2, 2), (2, 1)]),
            "dilate": rng.choice([(1, 1), (1, 1), (2, 1), (2, 3)]),
            "pad": (rng.choice([0, 1, 2]), rng.choice([0, 1, 3])),
            "num_filter": group * filters,
            "num_group": group,
            "no_bias": rng.random() < 0.5,
        }
        size = rng.choice([9, 14, 23]), rng.choice([10, 16, 21])
        count += compare(attributes, (rng.choice([1, 2, 5, 18]), group * channels, *size))
        assert draws < 100, "none is in blocks"


@needs_blocks
def test_channels_last():
    rng = np.random.default_rng(0)
    attributes = {"kernel": (3, 3), "num_filter": 32, "layout": "NHWC", "no_bias": True}
    arrays = [rng.standard_normal(s).astype(np.float32) for s in ((2, 12, 12, 16), (32, 3, 3, 16))]
    op = find("Convolution").make(attributes)
    result, in_blocks = in_session(op, arrays)
    assert in_blocks
    np.testing.assert_allclose(result, op.forward(*arrays), rtol=1e-4, atol=1e-4)


@needs_blocks
@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_dtypes_have_no_blocks(dtype):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s).astype(dtype) for s in ((2, 16, 12, 12), (32, 16, 3, 3))]
    op = find("Convolution").make({"kernel": (3, 3), "num_filter": 32, "no_bias": True})
    result, in_blocks = in_session(op, arrays)
    assert not in_blocks
    np.testing.assert_allclose(result, op.forward(*arrays), rtol=2e-2, atol=2e-2)


@needs_blocks
def test_the_size_of_blocks_is_that_of_the_kernels():
    """Weights that are brought into blocks of another size give other numbers."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s).astype(np.float32) for s in ((1, 32, 16, 16), (32, 32, 3, 3))]
    op = find("Convolution").make({"kernel": (3, 3), "num_filter": 32, "no_bias": True})
    right = []
    for size in (4, 8, 16, 32):
        lowered = lower_operator(op, [Spec(a.shape, a.dtype) for a in arrays], local=Local(block=size))
        session = ort.InferenceSession(lowered.message)
        (y,) = session.run(None, dict(zip(op.input_names(), arrays, strict=True)))
        if np.allclose(y, op.forward(*arrays), atol=1e-3):
            right.append(size)
    assert right == [block_size()]


@needs_blocks
def test_gradients_of_weights_are_in_blocks_where_that_moves_less():
    for batch, channels, size, pays in ((8, 64, 28, True), (1, 256, 7, False), (8, 3, 28, False)):
        op = find("_conv_weight_grad").make({"kernel": (3, 3), "num_filter": 64, "pad": (1, 1)})
        shapes = (batch, 64, size, size), (batch, channels, size, size), (64, channels, 3, 3)
        specs = [Spec(shape, np.dtype("float32")) for shape in shapes]
        nodes = lower_operator(op, specs, local=Local(block=block_size())).model.graph.node
        assert any(node.domain == DOMAIN for node in nodes) == pays


@needs_blocks
def test_few_places_have_no_blocks():
    op = find("Convolution").make({"kernel": (3, 3), "num_filter": 64, "no_bias": True, "pad": (1, 1)})
    for size, in_blocks in ((7, False), (28, True)):
        specs = [Spec((1, 64, size, size), np.dtype("float32")), Spec((64, 64, 3, 3), np.dtype("float32"))]
        nodes = lower_operator(op, specs, local=Local(block=block_size())).model.graph.node
        assert any(node.domain == DOMAIN for node in nodes) == in_blocks


def test_processors_without_blocks(monkeypatch):
    monkeypatch.setattr(blocks.platform, "machine", lambda: "riscv64")
    assert blocks.block_size.__wrapped__() == 0


def test_files_have_no_blocks(tmp_path):
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Conv2D(32, 3, in_channels=16))
    net.initialize()
    net.hybridize()
    x = mx.nd.random.uniform(shape=(4, 16, 12, 12))
    with mx.autograd.record():
        net(x).sum().backward()
    mx.onnx.export_model(net, tmp_path / "net.onnx", input_shapes=[x.shape])
    model = onnx.load(tmp_path / "net.onnx")
    assert {o.domain for o in model.opset_import} == {node.domain for node in model.graph.node} == {""}


@needs_blocks
@pytest.mark.parametrize("kernel", [(2, 2), (3, 2), (1, 4), (1, 1), (4, 3)])
@pytest.mark.parametrize("shape", [(2, 48), (16, 5), (4, 20), (1, 16)])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_gradients_of_maxima_are_the_first_of_equal_ones(kernel, shape, layout):
    rng = np.random.default_rng(0)
    shape = *shape, *(4 * k for k in kernel)
    op = find("_pool_grad").make(
        {
            "kernel": kernel,
            "stride": kernel,
            "pool_type": "max",
            "layout": None if layout == "NCHW" else layout,
        }
    )
    x = rng.integers(-2, 3, shape).astype(np.float32)
    dy = rng.standard_normal((*shape[:2], 4, 4)).astype(np.float32)
    windows = x.reshape(*shape[:2], 4, kernel[0], 4, kernel[1]).transpose(0, 1, 2, 4, 3, 5)
    flat = windows.reshape(*shape[:2], 4, 4, -1)
    first = np.arange(flat.shape[-1]) == flat.argmax(-1)[..., None]
    expected = (dy[..., None] * first).reshape(windows.shape).transpose(0, 1, 2, 4, 3, 5).reshape(shape)
    if layout == "NHWC":
        x, dy, expected = (a.transpose(0, 2, 3, 1).copy() for a in (x, dy, expected))
    result, in_blocks = in_session(op, [dy, x])
    assert in_blocks
    np.testing.assert_array_equal(result, expected)
