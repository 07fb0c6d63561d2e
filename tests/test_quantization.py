"""`mx.contrib.quantization`: graphs against real MXNet's (oracle/quantization.json), and models that run."""

from __future__ import annotations

import inspect
import itertools
import json
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.contrib import quantization
from hybridonnx.contrib._calibration import collect
from hybridonnx.errors import MXNetError
from tests.quantized_graphs import OPTIONS, described, graphs, ranges_of, to_calibrate

FACTS = json.loads((Path(__file__).parent / "oracle" / "quantization.json").read_text())
DTYPES = "int8", "uint8", "auto"


def canonical(nodes):
    """Names of quantized outputs as here: MXNet numbers those of operators that name none."""
    return json.loads(json.dumps(nodes).replace("_0_quantize", "_output_quantize"))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", graphs(mx))
@pytest.mark.parametrize("offline", [True, False], ids=["offline", "online"])
def test_graph_is_mxnets(name, options, offline):
    nodes, types, layers = json.loads(json.dumps(described(quantization, mx, name, options, offline)))
    expected = canonical(FACTS[f"{name}, {options}, {'offline' if offline else 'online'}"])
    if not offline and options == "auto":  # MXNet makes parameters without negative numbers uint8, and fails
        types = ["auto" for _ in types]
    assert [nodes, types, layers] == expected


@pytest.mark.parametrize(
    ("fact", "arguments"),
    [("naive", ("naive",)), ("entropy", ("entropy",)), ("entropy auto", ("entropy", "auto"))],
)
def test_calibration_is_mxnets(fact, arguments):
    symbol, args, states, batches = to_calibrate(mx)
    options = {"calib_mode": arguments[0], "quantized_dtype": arguments[-1] if arguments[1:] else "int8"}
    qsym, qargs, _, collector = quantization.quantize_graph(symbol, args, states, **options)
    collect(symbol, {**args, **states}, collector, ["data"], [[x] for x in batches[:2]], mx.cpu())
    qsym, qargs, _ = quantization.calib_graph(qsym, args, states, collector, **options)
    ranges = ranges_of(qsym, qargs)
    assert ranges.keys() == FACTS[fact].keys()
    for name, values in ranges.items():
        np.testing.assert_allclose(values, FACTS[fact][name], rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", FACTS["signatures"])
def test_signature_is_mxnets(name):
    parameters = inspect.signature(getattr(quantization, name)).parameters.values()
    own = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    assert [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY] == FACTS["signatures"][name]
    assert own in ([], ["limits"])


def network():
    net = gluon.nn.HybridSequential()
    net.add(
        gluon.nn.Conv2D(8, 3, padding=1),
        gluon.nn.BatchNorm(),
        gluon.nn.Activation("relu"),
        gluon.nn.MaxPool2D(),
        gluon.nn.Conv2D(8, 3, activation="relu"),
        gluon.nn.GlobalAvgPool2D(),
        gluon.nn.Flatten(),
        gluon.nn.Dense(5),
    )
    mx.random.seed(3)
    net.initialize(mx.init.Xavier())
    return net


def examples(count=16):
    return np.random.RandomState(5).uniform(-1, 1, (count, 3, 12, 12)).astype("float32")


def loader():
    return gluon.data.DataLoader(gluon.data.ArrayDataset(examples()), batch_size=4)


@pytest.mark.parametrize(
    ("calib_mode", "mode", "dtype"),
    [*itertools.product(["none", "naive"], ["full", "smart"], DTYPES), ("entropy", "smart", "auto")],
)
def test_block_is_near_the_one_it_was_made_of(calib_mode, mode, dtype):
    net, x = network(), mx.nd.array(examples())
    if dtype == "uint8":  # which has no negative numbers
        x = x.abs()
    expected = net(x).asnumpy()
    options = {"calib_data": loader()} if calib_mode != "none" else {"data_shapes": [(1, 3, 12, 12)]}
    if dtype == "uint8":
        options["exclude_operators"] = ["FullyConnected"]
    block = quantization.quantize_net(net, dtype, mode, calib_mode=calib_mode, **options)
    kinds = {n: p.dtype for n, p in block.collect_params().items() if n.endswith("_quantize")}
    assert len(kinds) >= 4
    assert all(dtype == np.int8 for n, dtype in kinds.items() if n.endswith("weight_quantize"))
    result = block(x).asnumpy()
    if dtype != "uint8":
        spread = np.abs(expected - expected.mean()).max()
        assert np.abs(result - expected).max() < (0.3 if calib_mode == "entropy" else 0.1) * spread
    assert result.shape == expected.shape
    assert np.isfinite(result).all()


def test_block_hybridizes_exports_and_comes_back(tmp_path):
    block = quantization.quantize_net(network(), data_shapes=[(1, 3, 12, 12)])
    x = mx.nd.array(examples())
    eager = {count: block(x[:count]).asnumpy() for count in (1, 2, 7, 16)}  # each batch has its own ranges
    block.hybridize()
    np.testing.assert_allclose(block(x).asnumpy(), eager[16], rtol=1e-5, atol=1e-6)
    path = mx.onnx.export_model(block, str(tmp_path / "m.onnx"), input_shapes=[("n", 3, 12, 12)])
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    for count in (1, 2, 7):
        (y,) = session.run(None, {session.get_inputs()[0].name: examples(16)[:count]})
        np.testing.assert_allclose(y, eager[count], rtol=1e-5, atol=1e-6)
    block.export(str(tmp_path / "q"))
    files = str(tmp_path / "q-symbol.json"), ["data"], str(tmp_path / "q-0000.params")
    again = gluon.SymbolBlock.imports(*files)
    np.testing.assert_array_equal(again(x).asnumpy(), eager[16])


def test_excluded_layers_stay():
    def quantized_layers(**options):
        shapes = [mx.io.DataDesc("data", (1, 3, 12, 12))]
        block = quantization.quantize_net(net, data_shapes=shapes, **options)
        return [n for n in block.collect_params() if n.endswith("weight_quantize")]

    net = network()
    assert len(quantized_layers()) == 3
    assert len(quantized_layers(exclude_layers_match=["conv"])) == 1
    assert len(quantized_layers(exclude_operators=["FullyConnected"])) == 2
    assert len(quantized_layers(exclude_layers=[f"{net[0].name}_fwd"])) == 2


def test_collectors_of_ones_own():
    class Fixed:
        include_layer = None

        def __init__(self):
            self.min_max_dict = {"data": (-3.0, 4.0)}

        def collect(self, name, arr):
            raise AssertionError("calib_graph asks for nothing else")

    sym, own = graphs(mx)["mean"], Fixed()
    options = {"calib_mode": "customize", "LayerOutputCollector": own}
    qsym, args, states, collector = quantization.quantize_graph(sym, {}, {}, **options)
    assert collector is own
    assert own.include_layer == ["data"]
    calibrated_symbol, _, _ = quantization.calib_graph(qsym, args, states, own, calib_mode="customize")
    assert calibrated_symbol.attr_dict()["data_quantize"]["max_calib_range"] == "4.0"
    assert "max_calib_range" not in qsym.attr_dict()["data_quantize"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"calib_mode": "foo"}, ValueError, "calib_mode: one of none, naive, entropy is required, got foo"),
        ({"calib_mode": "naive"}, ValueError, "data is required with calib_mode=naive, got none"),
        ({"calib_data": mx.nd.ones(2)}, ValueError, "a DataIter or a DataLoader is required, got NDArray"),
        ({"calib_mode": None, "quantized_dtype": "int4"}, ValueError, "one of int8, uint8, auto is required"),
        ({"calib_mode": None, "excluded_sym_names": "a"}, ValueError, "a list of names of symbols is"),
        ({"calib_mode": None, "excluded_op_names": "a"}, ValueError, "a list of names of operators is"),
        ({"calib_mode": None, "quantize_mode": "a"}, MXNetError, "one of full, smart is required, got a"),
        (
            {"calib_mode": None, "quantize_granularity": "a"},
            ValueError,
            "tensor-wise, channel-wise is required",
        ),
    ],
)
def test_what_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        quantization.quantize_model(graphs(mx)["mean"], {}, {}, **options)


def test_histograms_grow_around_their_middle():
    first, second = np.array([0.5, -1.0]), np.array([3.0, 0.1])
    counts, edges = np.histogram(first, bins=5, range=(-1, 1))
    grown, bounds, low, high, bound = quantization.combine_histogram(
        (counts, edges, -1.0, 0.5, 1.0), second, 0.1, 3.0, 3.0
    )
    np.testing.assert_array_equal(grown, np.histogram([*first, *second], bins=bounds)[0])
    assert (low, high) == (-1.0, 3.0)
    assert bound >= 3
    assert len(grown) % 2 == 1
