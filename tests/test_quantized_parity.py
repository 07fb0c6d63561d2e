"""Verdicts of `verify` on quantized ONNX models: as quantized, saturated, or at fault."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnxruntime import quantization
from onnxruntime.quantization import QuantFormat, QuantType

import hybridonnx as mx
from hybridonnx.converters.quantization import Grid, Quantization
from hybridonnx.parity.difference import Verdict
from hybridonnx.parity.quantized import Saturation
from tests.parity_faults import zoo
from tests.quantized_faults import change, faults
from tests.test_parity import Net

FORMS = {
    "QDQ": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QInt8, False),
    "QDQ int8": (QuantFormat.QDQ, QuantType.QInt8, QuantType.QInt8, True),
    "QDQ uint8": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QUInt8, False),
    "QDQ 16 bits": (QuantFormat.QDQ, QuantType.QUInt16, QuantType.QInt8, True),
    "operators": (QuantFormat.QOperator, QuantType.QUInt8, QuantType.QInt8, False),
    "operators int8": (QuantFormat.QOperator, QuantType.QInt8, QuantType.QInt8, True),
    "operators uint8": (QuantFormat.QOperator, QuantType.QUInt8, QuantType.QUInt8, True),
    "dynamic": (None, QuantType.QUInt8, QuantType.QInt8, False),
    "dynamic uint8": (None, QuantType.QUInt8, QuantType.QUInt8, True),
}
"""Forms that ONNX Runtime quantizes to: activations, weights, and whether each channel has its scale."""

LATER = ("QDQ int8", "QDQ uint8", "operators", "operators uint8", "dynamic")
"""Forms in which faults are planted by the slow tests."""


def quantized(path, inputs, form, folder) -> str:
    """A file quantized by ONNX Runtime, calibrated on some inputs."""
    style, activations, weights, per_channel = FORMS[form]
    target = str(Path(folder) / f"{form}.onnx")
    options = {"per_channel": per_channel, "weight_type": weights}
    if style is not QuantFormat.QDQ:
        options["reduce_range"] = True  # pairs of products saturate without VNNI, which verify calls a fault
    logging.disable(logging.WARNING)
    if style is None:
        quantization.quantize_dynamic(path, target, **options)
    else:
        reader = iter([{"data": x} for x in inputs])
        source = type(
            "Reader", (quantization.CalibrationDataReader,), {"get_next": lambda _: next(reader, None)}
        )
        options["extra_options"] = {"UseQDQContribOps": activations is QuantType.QUInt16}
        quantization.quantize_static(
            path, target, source(), quant_format=style, activation_type=activations, **options
        )
    logging.disable(logging.NOTSET)
    return target


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A symbol with its parameters, the file of them, and inputs."""
    folder = tmp_path_factory.mktemp("net")
    mx.random.seed(3)
    net = Net(prefix="net_")
    net.initialize(mx.init.Xavier())
    rng = np.random.default_rng(4)
    inputs = [rng.standard_normal((2, 3, 8, 8)).astype("float32") for _ in range(16)]
    net.hybridize()
    net(mx.nd.array(inputs[0]))
    path = mx.onnx.export_model(net, folder / "net.onnx", input_shapes=[("batch", 3, 8, 8)])
    net.export(str(folder / "net"))
    return mx.model.load_checkpoint(str(folder / "net"), 0), path, inputs


def run(model, x):
    source = model if isinstance(model, str) else model.SerializeToString()
    return ort.InferenceSession(source, providers=["CPUExecutionProvider"]).run(None, {"data": x})[0]


# ---- what is quantized


def test_numbers_that_integers_can_say():
    grid = Grid(0.5, 10, 0, 255)
    assert grid.range() == (-5, 122.5)
    np.testing.assert_array_equal(grid.rounded(np.array([-9, 0.2, 0.3, 1, 999])), [-5, 0, 0.5, 1, 122.5])
    x = np.array([-5.2, -7, 3, 130])
    beyond = Saturation(x, grid, (-np.inf, np.inf))
    assert beyond.count == 2
    assert beyond.share == pytest.approx(np.linalg.norm([0.2, 2, 7.5]) / np.linalg.norm(x))
    assert Saturation(x, grid, (0, 100)).count == 0


@pytest.mark.parametrize("form", FORMS)
def test_forms_in_which_quantization_is_measured(files, tmp_path, form):
    """Values in between change no number; what is moved moves by about a step."""
    _, path, inputs = files
    file = quantized(path, inputs, form, tmp_path)
    known = Quantization(file)
    assert known.bits() == [8]
    assert not known.unknown()
    right = run(file, inputs[0])
    np.testing.assert_array_equal(run(known.model(), inputs[0]), right)
    exact = run(path, inputs[0])
    moved = [run(known.moved(seed), inputs[0]) for seed in range(8)]
    off = np.sqrt(np.mean([(y - right) ** 2 for y in moved]))
    rounding = np.sqrt(np.mean((right - exact) ** 2))
    assert rounding < 2 * off
    assert off < 20 * rounding or form == "QDQ 16 bits"
    scales = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(file).graph.initializer}
    for name, grid in known.grids().items():
        assert any(
            s.size == 1 and float(s) == grid.scale for s in scales.values() if s.dtype == np.float32
        ), name


# ---- verdicts


@pytest.mark.parametrize("form", FORMS)
def test_a_quantized_model_is_no_fault(files, tmp_path, form):
    model, path, inputs = files
    file = quantized(path, inputs, form, tmp_path)
    report = mx.onnx.verify(model, file, inputs[:3], samples=3)
    assert report.ok(), report
    assert report.verdict is Verdict.QUANTIZED
    assert report.outputs[0].verdict is Verdict.QUANTIZED
    assert len(report.layers) >= 8
    assert "the second model is quantized" in str(report)
    assert "of 8 bits" in str(report)
    assert "all agree but for what is quantized" in str(report)
    nodes = {node.name or node.op_type for node in onnx.load(file).graph.node}
    assert {name for layer in report.layers for name in layer.nodes} <= nodes
    steps = [layer.step for layer in report.layers if layer.step is not None]
    assert bool(steps) == ("dynamic" not in form)
    assert "as quantized" in report.to_html()
    strict = mx.onnx.verify(model, file, inputs[0], precision="float32")
    assert not strict.ok()


@pytest.mark.parametrize(
    "form",
    [
        *("QDQ", "operators int8", "dynamic uint8"),
        *(pytest.param(form, marks=pytest.mark.slow) for form in FORMS if form in LATER),
    ],
)
def test_planted_faults(files, tmp_path, form):
    """Each at its layer, and none behind it."""
    model, path, inputs = files
    file = quantized(path, inputs, form, tmp_path)
    right, tried = onnx.load(file), 0
    for fault in faults(right, 8, seed=len(form)):
        if np.array_equal(run(fault.model, inputs[0]), run(file, inputs[0])):
            continue
        report = mx.onnx.verify(model, fault.model, inputs[0])
        at_fault = [layer.name for layer in report.layers if not layer.ok()]
        assert len(at_fault) == 1, (fault.kind, fault.value, str(report))
        assert not report.ok()
        tried += 1
    assert tried >= 2


def test_what_saturates_is_told(files, tmp_path):
    """A little of it is as quantized; a scale that is a third of what is needed is a fault where it is."""
    model, path, inputs = files
    file = quantized(path, inputs, "QDQ", tmp_path)
    for name, layer in (("net_conv1_fwd_output_scale", "net_conv1_fwd_output"), ("data_scale", "data")):
        for factor, ok in ((0.75, True), (1 / 3, False)):
            proto = onnx.load(file)
            assert change(proto, name, lambda s, factor=factor: s * factor)
            report = mx.onnx.verify(model, proto, np.concatenate(inputs))
            (there,) = [item for item in report.layers if item.saturated]
            assert there.name == layer
            assert "beyond what its integers say" in str(report)
            assert there.ok() == ok
            assert report.ok() == ok, report
            scale = next(t for t in proto.graph.initializer if t.name == name)
            assert there.step == pytest.approx(float(onnx.numpy_helper.to_array(scale)))


def test_a_quantized_model_that_comes_first(files, tmp_path):
    """It is not granted what its own steps would allow another."""
    _, path, inputs = files
    file = quantized(path, inputs, "QDQ", tmp_path)
    same, other = mx.onnx.verify(file, file, inputs[0]), mx.onnx.verify(file, path, inputs[0])
    assert same.verdict is Verdict.AGREES
    assert not other.ok()
    for report in (same, other):
        assert "the first model is quantized, and float64 falls to other steps" in str(report)


def test_a_fault_is_found_by_the_metric_as_well(files, tmp_path, rng):
    """What decides is how many decisions change."""
    model, path, inputs = files
    file = quantized(path, inputs, "QDQ", tmp_path)
    x = np.concatenate(inputs)
    labels = run(path, x).argmax(1).astype("float32")
    score = mx.onnx.verify(model, file, (x, labels), metric="top1").metric
    assert score.first == 1
    assert score.second == pytest.approx((run(file, x).argmax(1) == labels).mean())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mobilenet0.25", "resnet18_v1"])
@pytest.mark.parametrize("form", ["QDQ", "operators int8", "dynamic uint8"])
def test_quantized_networks_of_the_zoo(name, form, tmp_path, rng):
    """No alarm, and planted faults found, with batch normalization folded or not."""
    net, x = zoo(name)
    path = mx.onnx.export_model(net, tmp_path / "net.onnx", input_shapes=[x.shape])
    net.export(str(tmp_path / "net"))
    model = mx.model.load_checkpoint(str(tmp_path / "net"), 0)
    file = quantized(path, [x, rng.standard_normal(x.shape).astype("float32")], form, tmp_path)
    report = mx.onnx.verify(model, file, x)
    assert report.ok(), report
    for fault in faults(onnx.load(file), 4):
        report = mx.onnx.verify(model, fault.model, x)
        assert not report.ok(), (fault.kind, fault.value)
        assert not all(layer.ok() for layer in report.layers)
