"""Networks on integers between QuantizeLinear and DequantizeLinear: numbers, forms, limits, accuracy."""

from __future__ import annotations

import logging
import random
from collections import Counter
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.contrib import _int8, quantization
from hybridonnx.contrib.quantization import Limits
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import nn
from hybridonnx.runtime import environment
from hybridonnx.runtime.compile import _Variant
from hybridonnx.runtime.magnitude import bounded_values
from hybridonnx.symbol import qdq
from hybridonnx.symbol.folding import with_norms_as_convolutions, with_norms_folded

VNNI = "x86_64 flags : fpu avx2 avx512_vnni"


@pytest.fixture(params=["saturates", "has VNNI"])
def processor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether sums of products are cut off on the processor that the network is made for."""
    saturates = request.param == "saturates"
    monkeypatch.setattr(_int8, "saturates", lambda: saturates)
    return saturates


def filled(net: Any, *shapes: tuple[int, ...], seed: int = 0) -> Any:
    """A network with parameters and states of all kinds."""
    mx.random.seed(seed)
    net.initialize(mx.init.Xavier())
    net(*(mx.nd.zeros(shape) for shape in shapes))
    rng = np.random.default_rng(seed)
    for name, parameter in net.collect_params().items():
        if name.endswith(("gamma", "running_var")):
            parameter.set_data(mx.nd.array(rng.uniform(0.5, 1.5, parameter.shape)))
        elif name.endswith(("beta", "running_mean", "bias")):
            parameter.set_data(mx.nd.array(rng.uniform(-0.3, 0.3, parameter.shape)))
    return net


def batches(*shape: int, count: int = 2, seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [mx.nd.array(rng.standard_normal(shape)) for _ in range(count)]


def integers(net: Any, data: list[Any], dtype: str = "uint8", mode: str = "full", **options: Any) -> Any:
    options = {"calib_mode": "naive", "quantize_granularity": "channel-wise", **options}
    return quantization.quantize_net_v2(net, dtype, mode, calib_data=data, **options)


def kernels(block: Any, path: Any, *shape: Any) -> Counter[str]:
    """What ONNX Runtime runs of an exported block."""
    mx.onnx.export_model(block, str(path / "q.onnx"), input_shapes=[shape])
    settings = ort.SessionOptions()
    settings.optimized_model_filepath = str(path / "optimized.onnx")
    settings.log_severity_level = 3
    ort.InferenceSession(str(path / "q.onnx"), settings, providers=["CPUExecutionProvider"])
    return Counter(node.op_type for node in onnx.load(path / "optimized.onnx").graph.node)


# ---- numbers


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
def test_a_dense_layer_is_the_formula(dtype: str, granularity: str, processor: bool) -> None:
    net = filled(nn.Dense(5, in_units=7, prefix="dense_"), (1, 7))
    (x,) = data = batches(6, 7, count=1)
    block = integers(net, data, dtype, quantize_granularity=granularity)
    values, weight, bias = (a.asnumpy().astype(np.float64) for a in (x, net.weight.data(), net.bias.data()))
    limit = 63 if processor else 127
    axis = 1 if granularity == "channel-wise" else None
    w_scale = np.abs(weight).max(axis=axis) / limit
    w = np.rint(weight / (w_scale[:, None] if axis else w_scale))
    x_scale = (values.max() - values.min()) / 255
    low = 0 if dtype == "uint8" else -128
    zero = np.rint(low - values.min() / x_scale)
    q = np.clip(np.rint(values / x_scale) + zero, low, low + 255)
    expected = (((q - zero) @ w.T) + np.rint(bias / (x_scale * w_scale))) * (x_scale * w_scale)
    assert np.abs(w).max() == limit
    np.testing.assert_array_equal(block.collect_params()["dense_weight_quantize"].data().asnumpy(), w)
    assert block.collect_params()["dense_bias_quantize"].dtype == np.int32
    for hybrid in (False, True):
        if hybrid and environment.saturates() and not processor:
            break  # the kernels of this processor would cut sums off
        block.hybridize(active=hybrid)
        np.testing.assert_allclose(block(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_zero_is_an_integer() -> None:
    """So that what pads is exact, whatever the range."""
    for ends in ((0.5, 3.0), (-4.0, -1.0), (-1e-30, 1e30), (0.0, 0.0), (-0.3, 0.71)):
        for dtype in (np.dtype("uint8"), np.dtype("int8")):
            scale, zero = qdq.grid(*ends, dtype)
            info = np.iinfo(dtype)
            assert scale > 0
            assert info.min <= zero <= info.max
            if ends[1] > ends[0]:
                assert (int(info.max) - int(zero)) * float(scale) >= max(ends[1], 0) - float(scale)
                assert (int(info.min) - int(zero)) * float(scale) <= min(ends[0], 0) + float(scale)


def test_a_large_bias_fits() -> None:
    """Into int32, of steps that are the product of those of data and weights."""
    net = nn.Dense(2, in_units=3, prefix="dense_")
    net.initialize()
    net.weight.set_data(mx.nd.array([[1e-6, 0, 0], [1, 1, 1]]))
    net.bias.set_data(mx.nd.array([3e3, -5]))
    x = mx.nd.array([[1e-3, -1e-3, 2e-3]])
    y = integers(net, [x])(x).asnumpy()
    np.testing.assert_allclose(y, [[3e3, -5 + 2e-3]], rtol=1e-5)


def conv_network() -> Any:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(16, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2))
        net.add(nn.Conv2D(16, 3, strides=2, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
        net.add(nn.GlobalAvgPool2D(), nn.Dense(10))
    return filled(net, (1, 3, 16, 16))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "auto"])
@pytest.mark.parametrize("calib_mode", ["naive", "entropy"])
def test_a_network_is_near(dtype: str, calib_mode: str) -> None:
    net, data = conv_network(), batches(8, 3, 16, 16)
    block = integers(net, data, dtype, calib_mode=calib_mode, limits=Limits(error=1.0))
    x = data[0]
    expected = net(x).asnumpy()
    off = block(x).asnumpy() - expected
    assert 0 < np.sqrt(np.mean(off**2)) < (0.02 if calib_mode == "naive" else 0.3) * expected.std()


def test_everything_runs_on_integers(tmp_path: Any) -> None:
    ran = kernels(integers(conv_network(), batches(8, 3, 16, 16)), tmp_path, "n", 3, 16, 16)
    assert ran["QLinearConv"] == 2
    assert ran["QGemm"] == ran["QLinearGlobalAveragePool"] == 1
    assert not {"Conv", "Gemm", "MaxPool", "Relu", "BatchNormalization", "GlobalAveragePool"} & {*ran}


@pytest.mark.parametrize("mode", ["full", "smart"])
@pytest.mark.parametrize(
    "name",
    [
        "resnet18_v1",
        "resnet18_v2",
        "mobilenetv2_0.25",
        pytest.param("squeezenet1.1", marks=pytest.mark.slow),
        pytest.param("densenet121", marks=pytest.mark.slow),
        pytest.param("inceptionv3", marks=pytest.mark.slow),
    ],
)
def test_networks_of_the_zoo(name: str, mode: str, tmp_path: Any) -> None:
    side = {"squeezenet1.1": 224, "densenet121": 224, "inceptionv3": 299}.get(name, 64)
    shape = (2, 3, side, side)
    net = filled(gluon.model_zoo.vision.get_model(name, classes=7), (1, *shape[1:]))
    data = batches(*shape)
    block = integers(net, data, "uint8", mode)
    ran = kernels(block, tmp_path, "n", *shape[1:])
    assert ran["QLinearConv"] > 3 * (ran["Conv"] + ran["FusedConv"])
    expected, y = net(data[0]).asnumpy(), block(data[0]).asnumpy()
    assert np.abs(y - expected).max() < 0.1 * np.abs(expected).max()


def drawn(seed: int) -> Any:
    """A network of layers in any order, with branches that meet."""
    rng = random.Random(seed)

    class Meets(gluon.HybridBlock):
        def __init__(self, left: Any, right: Any, how: str) -> None:
            super().__init__()
            self.left, self.right, self.how = left, right, how

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            a, b = self.left(x), self.right(x)
            return {"add": lambda: a + b, "mul": lambda: a * b, "cat": lambda: F.concat(a, b, dim=1)}[
                self.how
            ]()

    def conv() -> Any:
        return nn.Conv2D(
            8, rng.choice([1, 3]), padding=0, use_bias=rng.random() < 0.5, groups=rng.choice([1, 2])
        )

    def part(depth: int) -> Any:
        kinds = ["conv", "norm", "relu", "clip", "leaky", "max", "avg", "tanh"]
        kind = rng.choice(kinds + (["meet"] * 3 if depth else []))
        if kind == "meet":
            seq = [nn.HybridSequential() for _ in range(2)]
            for branch in seq:
                branch.add(
                    nn.Conv2D(8, 3, padding=1), *([nn.Activation("relu")] if rng.random() < 0.5 else [])
                )
            return Meets(*seq, rng.choice(["add", "mul", "cat"]))
        return {
            "conv": conv,
            "norm": nn.BatchNorm,
            "relu": lambda: nn.Activation("relu"),
            "clip": lambda: nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)),
            "leaky": lambda: nn.LeakyReLU(0.1),
            "max": lambda: nn.MaxPool2D(2, 1),
            "avg": lambda: nn.AvgPool2D(2, 1),
            "tanh": lambda: nn.Activation("tanh"),
        }[kind]()

    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1))
    for _ in range(rng.randint(3, 8)):
        net.add(part(1))
    net.add(*([nn.Dense(6)] if rng.random() < 0.7 else []))
    return filled(net, (1, 4, 14, 14), seed=seed)


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(i, marks=pytest.mark.slow) for i in range(12, 200))]
)
def test_any_network_runs_saves_exports_and_comes_back(seed: int, tmp_path: Any) -> None:
    net, data = drawn(seed), batches(3, 4, 14, 14)
    rng = random.Random(seed)
    dtype, mode = rng.choice(["uint8", "int8"]), rng.choice(["full", "smart"])
    calib_mode = "naive" if seed % 6 else "entropy"
    block = integers(net, data, dtype, mode, calib_mode=calib_mode)
    x = data[0]
    expected, eager = net(x).asnumpy(), block(x).asnumpy()
    spread = max(np.abs(expected - expected.mean(axis=0)).max(), 0.1 * np.abs(expected).max())
    # so few values tell little of where entropy would cut them off
    assert np.abs(eager - expected).max() < (0.4 if calib_mode == "naive" else 3.0) * spread
    block.hybridize()
    y = block(x).asnumpy()
    assert (
        np.abs(y - eager).max() < 0.1 * spread
    )  # kernels on integers round once where eager operators round often
    # native files
    block.export(str(tmp_path / "q"))
    files = str(tmp_path / "q-symbol.json"), ["data"], str(tmp_path / "q-0000.params")
    again = gluon.SymbolBlock.imports(*files)
    again.hybridize()
    np.testing.assert_array_equal(again(x).asnumpy(), y)
    # ONNX
    path = mx.onnx.export_model(block, str(tmp_path / "m.onnx"), input_shapes=[("n", 4, 14, 14)])
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    exported = session.run(None, {"data": x.asnumpy()})[0]
    assert np.abs(exported - y).max() < 0.02 * spread  # what is left on float32 may be another kernel's
    back = gluon.SymbolBlock.imports(path, ["data"])
    back.hybridize()
    assert np.abs(back(x).asnumpy() - exported).max() < 0.02 * spread
    weights = [p.dtype for n, p in back.collect_params().items() if n.endswith("weight_quantize")]
    assert weights
    assert set(weights) == {np.int8}


def test_a_file_of_onnxruntimes_own_comes_back_on_integers(tmp_path: Any) -> None:
    from onnxruntime import quantization as tools

    net, (x, _) = conv_network(), batches(8, 3, 16, 16)
    path = mx.onnx.export_model(net, str(tmp_path / "f.onnx"), input_shapes=[("n", 3, 16, 16)])

    class Reader(tools.CalibrationDataReader):
        feeds = iter([{"data": x.asnumpy()}])

        def get_next(self) -> Any:
            return next(self.feeds, None)

    target = str(tmp_path / "q.onnx")
    tools.quantize_static(path, target, Reader(), per_channel=True, reduce_range=True)
    block = gluon.SymbolBlock.imports(target, ["data"])
    block.hybridize()
    session = ort.InferenceSession(target, providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(block(x).asnumpy(), session.run(None, {"data": x.asnumpy()})[0])
    assert sum(p.dtype == np.int8 for p in block.collect_params().values()) == 3


@pytest.mark.parametrize("dtype", ["int8", "auto"])
def test_models_of_symbols(dtype: str) -> None:
    net, data = conv_network(), batches(8, 3, 16, 16)
    inputs, graph = net._get_graph(data[0])
    sym = mx.sym.SoftmaxOutput(graph, name="softmax")
    values = {n: p.data() for n, p in net.collect_params().items()}
    states = {n: values.pop(n) for n in graph.list_auxiliary_states()}
    source = mx.io.NDArrayIter(mx.nd.concat(*data, dim=0), batch_size=8)
    names = (inputs[0].name,)
    qsym, args, auxs = quantization.quantize_model(
        sym, values, states, names, calib_data=source, quantized_dtype=dtype, limits=Limits(error=1.0)
    )
    assert not auxs
    module = mx.mod.Module(qsym, [inputs[0].name], ["softmax_label"])
    module.bind([(inputs[0].name, (8, 3, 16, 16))], for_training=False)
    module.set_params(args, auxs)
    module.forward(mx.io.DataBatch([data[0]]), is_train=False)
    expected = mx.nd.softmax(net(data[0])).asnumpy()
    np.testing.assert_allclose(module.get_outputs()[0].asnumpy(), expected, atol=0.05)


class Shared(gluon.HybridBlock):
    """A layer that is called twice, on data of very different size."""

    def __init__(self) -> None:
        super().__init__(prefix="net_")
        with self.name_scope():
            self.dense, self.norm = nn.Dense(8, in_units=8), nn.BatchNorm(in_channels=8)
            self.last = nn.Dense(3, in_units=8)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        for factor in (1, 40):
            x = F.relu(self.norm(self.dense(x * factor)))
        return self.last(x)


def test_layers_that_are_called_twice() -> None:
    net, data = filled(Shared(), (1, 8)), batches(64, 8)
    block = integers(net, data)
    expected = net(data[0]).asnumpy()
    spread = np.abs(expected - expected.mean(axis=0)).max()
    for active in (False, True):
        block.hybridize(active)
        assert np.abs(block(data[0]).asnumpy() - expected).max() < 0.05 * spread
    names = [name for name in block.collect_params() if "dense0" in name]
    assert names == ["net_dense0_weight_quantize", "net_dense0_bias_quantize", "net_dense0_bias_quantize1"]
    left = integers(net, data, exclude_layers=["net_dense0_fwd"]).collect_params()
    assert [name for name in left if "dense0" in name] == ["net_dense0_weight", "net_dense0_bias"]


# ---- batch norms


@pytest.mark.parametrize("name", ["resnet18_v1", "resnet18_v2", "mobilenetv2_0.25", "densenet121"])
def test_norms_in_the_layers_before_them(name: str) -> None:
    side = 224 if name == "densenet121" else 64
    net = filled(gluon.model_zoo.vision.get_model(name, classes=5), (1, 3, side, side))
    x = batches(2, 3, side, side)[0]
    _, graph = net._get_graph(x)
    params = {n: p.data().asnumpy() for n, p in net.collect_params().items()}
    folded, values, _ = with_norms_folded(graph, params)
    before, after = (Counter(n.op_name for n in g.nodes())["BatchNorm"] for g in (graph, folded))
    # those behind a sum or a pooling stay
    assert (before, after) == {
        "resnet18_v1": (20, 0), "resnet18_v2": (19, 10), "mobilenetv2_0.25": (53, 0), "densenet121": (121, 62)
    }[name]  # fmt: skip
    arrays = {n: mx.nd.array(v) for n, v in values.items()}
    states = {n: arrays.pop(n) for n in folded.list_auxiliary_states()}
    arrays |= {n: x for n in folded.list_arguments() if n not in arrays}
    y = folded.bind(mx.cpu(), arrays, aux_states=states).forward()[0]
    np.testing.assert_allclose(y.asnumpy(), net(x).asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", [(), (5,), (5, 4), (2, 5, 4)])
@pytest.mark.parametrize(
    "options", [{}, {"fix_gamma": False, "eps": 0.1}, {"axis": -1}, {"output_mean_var": True}]
)
def test_norms_as_convolutions(sizes: tuple[int, ...], options: dict[str, Any]) -> None:
    graph = mx.sym.relu(mx.sym.BatchNorm(mx.sym.relu(mx.sym.var("data")), name="n", **options)[0])
    values = _sizes((3, 4, *sizes), graph)
    data = values.pop("data")
    ranks = dict.fromkeys(graph.get_internals().list_outputs(), data.ndim)
    result, params = with_norms_as_convolutions(graph, values, ranks)
    ops = {n.op_name for n in result.nodes()}
    assert ("Convolution" in ops) == (bool(sizes) and not {"axis", "output_mean_var"} & {*options})
    assert ("BatchNorm" in ops) != ("Convolution" in ops)
    for y, expected in zip(_outputs(result, params, data), _outputs(graph, values, data), strict=True):
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


def test_norms_behind_sums_run_on_integers(tmp_path: Any) -> None:
    net = filled(gluon.model_zoo.vision.get_model("resnet18_v2", classes=7), (1, 3, 64, 64))
    ran = kernels(integers(net, batches(2, 3, 64, 64)), tmp_path, "n", 3, 64, 64)
    assert ran["QLinearConv"] == 20 + 10
    assert not {"Conv", "FusedConv", "BatchNormalization", "Relu"} & {*ran}


@pytest.mark.parametrize(
    ("options", "op_name"),
    [
        ({"kernel": (3, 3), "pad": (1, 1)}, "Convolution"),
        ({"kernel": (2, 3), "stride": (2, 1), "pad": (1, 2)}, "Convolution"),
        ({"kernel": (4, 2), "count_include_pad": False}, "Convolution"),
        ({"kernel": (3, 3), "pad": (1, 1), "count_include_pad": False}, "Pooling"),
        ({"kernel": (3, 3), "stride": (2, 2), "pooling_convention": "full"}, "Pooling"),
        ({"kernel": (3, 3), "pool_type": "max"}, "Pooling"),
        ({"kernel": (3, 3), "global_pool": True}, "Pooling"),
    ],
)
def test_means_of_as_many_elements_are_convolutions(
    options: dict[str, Any], op_name: str, processor: bool
) -> None:
    """And no number is off by more than the steps in front of it and behind it."""
    options = {"pool_type": "avg", **options}
    graph = mx.sym.Pooling(mx.sym.var("data"), name="pool", **options)
    block = gluon.SymbolBlock(graph, mx.sym.var("data"))
    x = mx.nd.array(np.random.default_rng(0).uniform(-2, 3, (2, 5, 6, 8)))
    on_integers = integers(block, [x])
    _, after = on_integers._get_graph(x)
    assert "pool" in {node.name for node in after.nodes() if node.op_name == op_name}
    expected = block(x).asnumpy()
    steps = (np.ptp([*x.asnumpy().ravel(), 0]) + np.ptp([*expected.ravel(), 0])) / 255
    for active in (False, True):
        if active and environment.saturates() and not processor:
            break  # the kernels of this processor would cut sums off
        on_integers.hybridize(active)
        assert np.abs(on_integers(x).asnumpy() - expected).max() <= 0.5001 * steps


def test_no_pool_of_integers_runs_twice_for_nan() -> None:
    """They have none, whatever the inputs, so their maxima stay on integers."""
    net, data = conv_network(), batches(8, 3, 16, 16)
    block = integers(net, data)
    block.hybridize()
    huge = data[0] * 1e9
    y = block(huge).asnumpy()
    (graph,) = block._compiled.values()
    assert [key[0] for key in graph._programs] == [_Variant.BOUNDED]
    block.hybridize(active=False)
    np.testing.assert_allclose(block(huge).asnumpy(), y, rtol=0.1, atol=0.1)
    values = {name: p.data().asnumpy() for name, p in block.collect_params().items()}
    bounded = bounded_values(block._get_graph(data[0])[1], values, ["data"])
    assert len(bounded.entries) == 1
    assert not bounded.inputs


def _outputs(symbol: Any, values: dict[str, Any], data: Any) -> list[Any]:
    arrays = {"data": mx.nd.array(data), **{n: mx.nd.array(v) for n, v in values.items()}}
    states = {n: arrays.pop(n) for n in symbol.list_auxiliary_states()}
    return [y.asnumpy() for y in symbol.bind(mx.cpu(), arrays, aux_states=states).forward()]


def _sizes(shape: tuple[int, ...], graph: Any) -> dict[str, np.ndarray[Any, Any]]:
    shapes, _, states = graph.infer_shape(data=shape)
    rng = np.random.default_rng(0)
    names = [*graph.list_arguments(), *graph.list_auxiliary_states()]
    values = {
        n: rng.uniform(0.5, 1.5, s).astype(np.float32) for n, s in zip(names, [*shapes, *states], strict=True)
    }
    return values


def _conv(**options: Any) -> Any:
    return mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="c", **options)


def _dense(**options: Any) -> Any:
    return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="c", **options)


def _norm(x: Any, **options: Any) -> Any:
    return mx.sym.BatchNorm(x, name="n", **options)


@pytest.mark.parametrize(
    ("graph", "is_folded"),
    [
        (_norm(_conv()), True),
        (_norm(_conv(no_bias=True), fix_gamma=False, eps=0.1), True),
        (_norm(_conv(num_group=2)), True),
        (_norm(_conv(), use_global_stats=True), True),
        (_norm(_conv(), axis=2), False),
        (_norm(_conv(), axis=3), False),
        (mx.sym.Group([_norm(_conv()), mx.sym.var("data")]), True),
        (_norm(_dense()), True),
        (_norm(_dense(no_bias=True)), True),
        (_norm(_dense(flatten=False), axis=-1), True),
        (_norm(_dense(flatten=False), axis=1), False),
        (_norm(mx.sym.relu(_conv())), False),
        (mx.sym.Group([_norm(c := _conv()), c]), False),
        (_norm(_conv(weight=mx.sym.var("data"))), False),
    ],
    ids=str,
)
def test_where_norms_are_folded(graph: Any, is_folded: bool) -> None:
    values = _sizes((4, 4, 3, 3) if "c_weight" not in graph.list_arguments() else (3, 4, 6, 4), graph)
    data = values.pop("data")
    folded, params, names = with_norms_folded(graph, values)
    assert names == ({"c": "n"} if is_folded else {})
    assert folded.list_outputs() == graph.list_outputs()
    assert ("BatchNorm" not in {n.op_name for n in folded.nodes()}) == is_folded

    for y, expected in zip(_outputs(folded, params, data), _outputs(graph, values, data), strict=True):
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


# ---- what stays, and what is refused


def layers_on_integers(block: Any) -> set[str]:
    return {
        n.removesuffix("_weight_quantize") for n in block.collect_params() if n.endswith("weight_quantize")
    }


def test_what_is_excluded_stays() -> None:
    net, data = conv_network(), batches(8, 3, 16, 16)
    assert layers_on_integers(integers(net, data)) == {"net_conv0", "net_conv1", "net_dense0"}
    assert layers_on_integers(integers(net, data, exclude_layers=["net_conv1_fwd"])) == {
        "net_conv0",
        "net_dense0",
    }
    assert layers_on_integers(integers(net, data, exclude_layers_match=["conv"])) == {"net_dense0"}
    assert layers_on_integers(integers(net, data, exclude_operators=["Convolution"])) == {"net_dense0"}


def test_a_collector_of_ones_own() -> None:
    class Twice:
        """Ranges of half of what it has seen."""

        include_layer: Any = None

        def __init__(self) -> None:
            self.min_max_dict: dict[str, tuple[float, float]] = {}

        def collect(self, name: str, arr: Any) -> None:
            assert name in self.include_layer
            self.min_max_dict[name] = (float(arr.min().asscalar()) / 2, float(arr.max().asscalar()) / 2)

    net, data = conv_network(), batches(8, 3, 16, 16)
    own = Twice()
    block = integers(net, data, calib_mode="customize", LayerOutputCollector=own)
    assert "data" in own.min_max_dict
    high = own.min_max_dict["net_relu1_fwd_output"][1]
    features = block.collect_params()
    assert features
    internals = block._cached_graph[1].get_internals()
    name = "net_relu1_fwd_output_dequantize_output"
    args = {n: p.data() for n, p in features.items()}
    y = internals[name].bind(
        mx.cpu(),
        {"data": data[0], **{n: a for n, a in args.items() if n in internals[name].list_arguments()}},
    )
    assert y.forward()[0].asnumpy().max() == pytest.approx(high, rel=1e-3)


class Breaks(gluon.HybridBlock):
    """A network of which one layer is lost on 8 bits: its small numbers count beside a large one."""

    def __init__(self) -> None:
        super().__init__(prefix="net_")
        with self.name_scope():
            self.first = nn.Dense(32, in_units=16, activation="relu")
            self.wide = nn.Dense(32, in_units=32)
            self.last = nn.Dense(4, in_units=32)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = self.wide(self.first(x))
        return self.last(F.broadcast_minus(y, F.slice_axis(y, axis=1, begin=0, end=1) * 0))


def breaking() -> tuple[Any, list[Any]]:
    net = filled(Breaks(), (1, 16))
    weight = net.wide.weight.data().asnumpy()
    weight[:, 0] = 3e3  # on what the first layer gives hardly ever
    net.wide.weight.set_data(mx.nd.array(weight))
    first = net.first.weight.data().asnumpy()
    first[0] = 0
    net.first.weight.set_data(mx.nd.array(first))
    bias = net.first.bias.data().asnumpy()
    bias[0] = 0
    net.first.bias.set_data(mx.nd.array(bias))
    return net, batches(64, 16)


def test_the_layer_that_loses_stays(caplog: pytest.LogCaptureFixture) -> None:
    net, data = breaking()
    assert layers_on_integers(integers(net, data)) == {"net_dense0", "net_dense1", "net_dense2"}
    caplog.set_level(logging.INFO)
    block = integers(net, data, "auto", logger=logging.getLogger())
    assert layers_on_integers(block) == {"net_dense0", "net_dense2"}
    expected, y = net(data[0]).asnumpy(), block(data[0]).asnumpy()
    assert np.sqrt(np.mean((y - expected) ** 2)) < 0.1 * (expected - expected.mean(axis=0)).std()
    assert "net_dense1_fwd has an error of" in caplog.text


def test_labels_count_where_there_are_any() -> None:
    net, data = breaking()
    labelled = [[x, net(x).argmax(axis=1)] for x in data]
    block = integers(net, labelled, "auto")
    assert layers_on_integers(block) == {"net_dense0", "net_dense2"}
    right = [(block(x).argmax(axis=1) == label).mean().asscalar() for x, label in labelled]
    assert np.mean(right) >= 0.997
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(data[0], labelled[0][1]), batch_size=16)
    assert layers_on_integers(integers(net, loader, "auto")) == {"net_dense0", "net_dense2"}
    source = mx.io.NDArrayIter(data[0], labelled[0][1], batch_size=16)
    assert layers_on_integers(integers(net, source, "auto", limits=Limits(loss=1.0))) == {
        "net_dense0", "net_dense1", "net_dense2"
    }  # fmt: skip


def test_data_without_batches_are_refused() -> None:
    with pytest.raises(ValueError, match="calib_data: at least one batch is required, got none"):
        quantization.quantize_net(
            conv_network(), data_shapes=[(1, 3, 16, 16)], calib_mode="naive", calib_data=[]
        )


def test_what_loses_too_much_is_refused() -> None:
    net, data = conv_network(), batches(8, 3, 16, 16)
    with pytest.raises(MXNetError, match=r"a loss of at most 0 is required, got 0\.0"):
        integers(net, data, "auto", limits=Limits(error=0.0))


def test_what_is_slower_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    net, data = conv_network(), batches(8, 3, 16, 16)
    monkeypatch.setattr(_int8, "_LEAST_TIME", 0.0)
    with pytest.raises(MXNetError, match=r"0 of the \d+\.\d\d ms on float32 or less is required for a call"):
        integers(net, data, "auto", limits=Limits(time=0.0))
    assert integers(net, data, "auto", limits=Limits(time=1e6)) is not None


@pytest.mark.parametrize(
    ("words", "machine", "expected"),
    [
        ("flags : fpu avx2", "x86_64", True),
        (VNNI, "x86_64", False),
        ("flags : avx_vnni avx2", "AMD64", False),
        ("Features : asimd asimddp", "aarch64", False),
    ],
)
def test_processors(words: str, machine: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "processor", lambda: words)
    monkeypatch.setattr(environment.platform, "machine", lambda: machine)
    environment.saturates.cache_clear()
    try:
        assert environment.saturates() == expected
    finally:
        environment.saturates.cache_clear()


# ---- what integers cost, by layer


def test_verify_tells_what_integers_cost(tmp_path: Any) -> None:
    net, data = conv_network(), batches(8, 3, 16, 16)
    block = integers(net, data)
    path = mx.onnx.export_model(block, str(tmp_path / "q.onnx"), input_shapes=[("n", 3, 16, 16)])
    report = mx.onnx.verify(net, path, inputs={"data": data[0].asnumpy()})
    assert report.verdict == "as quantized"
    steps = {layer.own.name: layer.step for layer in report.layers}
    assert "net_batchnorm0_fwd_output" in steps  # the layer that it has become a part of
    assert steps["net_relu0_fwd_output"] is not None
    parameter = block.collect_params()["net_conv1_weight_quantize"]
    values = parameter.data().asnumpy()
    values[3] = -values[3]
    parameter.set_data(mx.nd.array(values, dtype="int8"))
    mx.onnx.export_model(block, path, input_shapes=[("n", 3, 16, 16)])
    report = mx.onnx.verify(net, path, inputs={"data": data[0].asnumpy()})
    assert report.verdict == "fault"
    assert "net_batchnorm1_fwd_output" in str(report).split("layer at fault")[1]


# ---- accuracy on real data


def _digits() -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    net = nn.HybridSequential(prefix="digits_")
    with net.name_scope():
        net.add(nn.Conv2D(16, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2))
        net.add(
            nn.Conv2D(32, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.Flatten(), nn.Dense(10)
        )
    return net, (images / 16).reshape(-1, 1, 8, 8), labels


def _tumours() -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_breast_cancer

    rows, labels = load_breast_cancer(return_X_y=True)
    net = nn.HybridSequential(prefix="tumours_")
    with net.name_scope():
        net.add(
            nn.Dense(32), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(16, activation="relu"), nn.Dense(2)
        )
    return net, (rows - rows.mean(axis=0)) / rows.std(axis=0), labels


@pytest.mark.parametrize("task", [_digits, _tumours])
def test_accuracy_of_trained_networks(task: Any) -> None:
    pytest.importorskip("sklearn")
    mx.random.seed(0)
    net, rows, labels = task()
    order = np.random.default_rng(0).permutation(len(rows))
    rows, labels = rows[order].astype(np.float32), labels[order].astype(np.float32)
    third = len(rows) // 3
    train = gluon.data.DataLoader(gluon.data.ArrayDataset(rows[third:], labels[third:]), 32, shuffle=True)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 3e-3})
    for _ in range(12):
        for x, y in train:
            with mx.autograd.record():
                loss = gluon.loss.SoftmaxCrossEntropyLoss()(net(x), y)
            loss.backward()
            trainer.step(len(x))
    block = quantization.quantize_net(net, calib_data=train, calib_mode="naive", num_calib_examples=256)
    x = mx.nd.array(rows[:third])
    right = [float(np.mean(n(x).asnumpy().argmax(axis=1) == labels[:third])) for n in (net, block)]
    assert right[0] > 0.95
    assert right[1] >= right[0] - 0.003
    assert layers_on_integers(block)
