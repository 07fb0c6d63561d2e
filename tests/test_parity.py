"""Verdicts of `verify`: what rounding can do, what it cannot, and the layer that a difference comes from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import ModelProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx import gluon, sym
from hybridonnx.converters.from_onnx._registry import Import
from hybridonnx.converters.from_onnx._registry import load_all as importers
from hybridonnx.errors import ConversionError, MXNetError
from hybridonnx.parity import layers
from hybridonnx.parity.difference import Exact, Verdict, difference, together
from hybridonnx.parity.report import Parity, ParityError
from hybridonnx.parity.rounding import Reference
from hybridonnx.parity.verify import verify
from hybridonnx.symbol.graph import Entry, Node
from hybridonnx.symbol.symbol import Symbol
from hybridonnx.test_utils.cases import symbol_of
from tests.parity_faults import ZOO, faults, shows, zoo
from tests.runtimes import newest_opset
from tests.test_operators import FAMILIES

# ---- one value


def judged(expected, result, bound, dtype="float32"):
    a = np.asarray(expected, dtype)
    return difference("y", a, np.asarray(result, dtype), Exact(a.astype("float64"), bound))


def test_verdicts():
    assert judged([1.0, 2.0], [1.0, 2.0], 0.0).verdict is Verdict.AGREES
    assert judged([1.0, 2.0], [1.0, 2.0000002], 1e-3).verdict is Verdict.AGREES
    assert judged([1.0, 2.0], [1.0, 2.0005], 1e-3).verdict is Verdict.ROUNDING
    error = judged([1.0, 2.0], [1.0, 2.1], 1e-3)
    assert error.verdict is Verdict.FAULT
    assert (error.mismatches, error.index) == (1, (1,))
    assert error.expected == 2.0
    assert error.share == pytest.approx(100, rel=1e-3)
    assert error.ulps == pytest.approx(0.1 / (2 * np.finfo("float32").eps), rel=1e-3)


def test_what_is_equal_is_no_fault():
    """Whatever the reference says, as both models err in the same way."""
    a = np.float32([1.5])
    assert difference("y", a, a, Exact(np.array([1.0]), 1e-3)).verdict is Verdict.AGREES


def test_numbers_that_are_not_finite():
    inf, nan = np.inf, np.nan
    assert judged([inf, -inf, nan], [inf, -inf, nan], 0.0).verdict is Verdict.AGREES
    for wrong in ([-inf, -inf, nan], [inf, 3.0, nan], [inf, -inf, 0.0]):
        assert judged([inf, -inf, nan], wrong, 1e9).verdict is Verdict.FAULT
    assert judged([1.0], [nan], 1e9).verdict is Verdict.FAULT
    assert judged([1.0], [nan], inf).verdict is not Verdict.FAULT  # where anything may come out


def test_integers_and_shapes():
    assert judged([1, 2], [1, 2], 0.0, "int32").verdict is Verdict.AGREES
    assert judged([1, 2], [1, 3], 0.0, "int32").verdict is Verdict.FAULT
    assert judged([1, 2], [1, 3], [0.0, np.inf], "int32").verdict is Verdict.ROUNDING  # a near tie
    assert "shape (2,)" in judged([1, 2], [[1, 2]], 0.0).note
    assert judged(np.zeros((0, 3)), np.zeros((0, 3)), 0.0).verdict is Verdict.AGREES


def test_percentiles_and_samples():
    shares = judged(np.zeros(100), np.r_[np.full(99, 1e-6), 1e-3], 1e-2)
    assert shares.percentile(50) == pytest.approx(1e-4, rel=1)
    assert shares.percentile(100) == pytest.approx(1e-1, rel=1)
    both = together([judged([0.0], [1e-3], 1e-2), judged([0.0], [3e-3], 1e-2)])
    assert (both.size, sum(both.histogram)) == (2, 2)
    assert both.absolute == pytest.approx(3e-3)
    assert both.mean == pytest.approx(2e-3)


# ---- the reference


def exact_of(symbol, params, **inputs):
    return {item.name: item for item in Reference(symbol, params).run(inputs)}


@pytest.mark.parametrize("terms", [3, 100, 5000])
def test_bounds_of_sums_hold_and_are_tight(rng, terms):
    """Sums in float32 in any order are within the bound, and what is ten thousandth off is not."""
    x, w = (rng.standard_normal(shape).astype("float32") for shape in [(40, terms), (30, terms)])
    y = exact_of(
        sym.FullyConnected(sym.var("x"), sym.var("w"), num_hidden=30, no_bias=True, name="y"), {}, x=x, w=w
    )
    item = y["y_output"]
    np.testing.assert_allclose(
        item.exact, x.astype("float64") @ w.T.astype("float64"), rtol=1e-12, atol=1e-12
    )
    for order in (slice(None), slice(None, None, -1)):
        one_by_one = np.cumsum(x[:, None, order] * w[None, :, order], axis=2, dtype="float32")[:, :, -1]
        assert (np.abs(one_by_one - item.exact) <= item.bound).all()
    usual = np.sqrt(np.mean(item.exact**2))
    assert np.median(item.bound) < 1e-4 * usual


def test_values_that_cancel_have_wide_bounds(rng):
    x = rng.standard_normal((8, 5)).astype("float32")
    near = exact_of((sym.var("x") + 1e6) - 1e6, {}, x=x)
    last = list(near.values())[-1]
    in_float32 = (x + np.float32(1e6)) - np.float32(1e6)
    assert (np.abs(in_float32 - x) <= last.bound).all()
    assert last.bound.min() > 0.05


def test_a_tie_may_fall_either_way():
    x = np.array([[1, 1 + 1e-7, 0.5], [3, 1, 2]], "float32")
    symbol = sym.argmax(sym.var("x") * 3.3333333, axis=1, name="best")
    item = exact_of(symbol, {}, x=x)["best_output"]
    assert np.isinf(item.bound).tolist() == [True, False] or item.bound[0] >= 1
    assert item.bound[1] == 0


def test_indices_are_exact(rng):
    """What stands for an integer is not moved, so that no row is taken for its neighbour."""
    weight = rng.standard_normal((7, 4)).astype("float32")
    symbol = sym.Embedding(sym.var("x"), sym.var("w"), input_dim=7, output_dim=4, name="rows")
    item = exact_of(symbol, {}, x=np.arange(7, dtype="float32"), w=weight)["rows_output"]
    assert item.bound.max() < 1e-5


# ---- models


class Net(gluon.HybridBlock):
    """A small network with all that is usual."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = gluon.nn.HybridSequential()
            self.body.add(
                gluon.nn.Conv2D(8, 3, padding=1, activation="relu"),
                gluon.nn.BatchNorm(),
                gluon.nn.MaxPool2D(),
                gluon.nn.Conv2D(8, 3, padding=1),
                gluon.nn.Activation("sigmoid"),
                gluon.nn.Dense(16, activation="relu"),
                gluon.nn.Dense(5),
            )

    def hybrid_forward(self, F, x):
        return F.softmax(self.body(x))


@pytest.fixture
def files(rng, tmp_path):
    """A symbol, its parameters, the file of them, and an input."""
    net = Net(prefix="net_")
    net.initialize(mx.init.Xavier())
    x = rng.standard_normal((2, 3, 8, 8)).astype("float32")
    net.hybridize()
    net(mx.nd.array(x))
    path = mx.onnx.export_model(net, tmp_path / "net.onnx", input_shapes=[("batch", 3, 8, 8)])
    net.export(str(tmp_path / "net"))
    return mx.model.load_checkpoint(str(tmp_path / "net"), 0), path, x


def changed(path, change):
    model = onnx.load(path)
    change(model)
    return model


def rename(proto):
    """Call every value otherwise, and no node by a name."""
    new = {name: f"v{i}" for i, name in enumerate(n for node in proto.graph.node for n in node.output)}
    for node in proto.graph.node:
        node.input[:] = [new.get(name, name) for name in node.input]
        node.output[:] = [new[name] for name in node.output]
        node.name = ""
    for output in proto.graph.output:
        output.name = new[output.name]


def set_weight(model: ModelProto, name: str, change) -> None:
    tensor = next(t for t in model.graph.initializer if t.name == name)
    tensor.CopyFrom(numpy_helper.from_array(change(numpy_helper.to_array(tensor).copy()), name))


def test_an_export_differs_by_rounding_at_most(files):
    model, path, x = files
    report = verify(model, path, [x], layers=True)
    assert report.ok(), report
    assert len(report.layers) == 10
    assert all(layer.ok() for layer in report.layers)
    assert "all agree" in str(report)


def test_a_fault_is_found_where_it_is(files):
    """The layers behind are off as well, but none of them by itself."""
    model, path, x = files

    def scale(w):
        return (w * 1.01).astype("float32")

    wrong = changed(path, lambda m: set_weight(m, "net_conv1_weight", scale))
    report = verify(model, wrong, [x])
    assert not report.ok()
    at_fault = [layer.name for layer in report.layers if not layer.ok()]
    assert at_fault == ["net_conv1_fwd_output"]
    behind = next(layer for layer in report.layers if layer.name == "net_dense0_fwd_output")
    assert behind.own.ok()
    assert not behind.whole.ok()
    first = report.first_divergence()
    assert first.name == "net_conv1_fwd_output"
    assert "net_conv1_fwd" in str(report)


def test_names_do_not_matter(files):
    """A model whose values are called otherwise is matched by its numbers, and its fault is found."""
    model, path, x = files

    report = verify(model, changed(path, rename), [x], layers=True)
    assert report.ok(), report
    assert len(report.layers) >= 8

    def rename_and_break(proto):
        set_weight(proto, "net_dense0_weight", lambda w: (w * 1.01).astype("float32"))
        rename(proto)

    report = verify(model, changed(path, rename_and_break), [x], layers=True)
    assert not report.ok()
    at_fault = [layer for layer in report.layers if not layer.ok()]
    assert [(layer.name, layer.nodes) for layer in at_fault] == [
        ("net_dense0_fwd_output", ("Flatten", "Gemm"))
    ]


def test_values_are_let_go_of_after_their_last_use(monkeypatch, tmp_path):
    """One value at a time, where one of another name comes before a named one that takes the same value."""
    monkeypatch.setattr(layers, "_BUDGET", 1)
    x = sym.var("x")
    start = sym.exp(x, name="start")
    late = sym.relu(sym.sin(start, name="early"), name="near") + start

    def rename(proto):
        for node in proto.graph.node:
            for names in (node.input, node.output):
                names[:] = ["another" if name == "early_output" else name for name in names]

    file = changed(mx.onnx.export_model(late, {}, [(3, 4)], onnx_file_path=tmp_path / "model.onnx"), rename)
    report = verify((late, {}), file, shapes=[(3, 4)], layers=True)
    assert report.ok(), report
    assert len(report.layers) == 4


@pytest.mark.parametrize("precision", ["float16", "mixed"])
def test_a_model_in_float16_is_granted_its_rounding(files, tmp_path, precision):
    """A weight that is a fifth off is a fault all the same; float32's bounds are there for who asks."""
    (symbol, args, auxs), _, x = files
    params = {**args, **auxs}
    half = mx.onnx.export_model(
        symbol, params, [("n", 3, 8, 8)], onnx_file_path=tmp_path / "half.onnx", precision=precision
    )
    report = verify((symbol, params), half, [x], layers=True)
    assert report.ok(), report
    assert report.outputs[0].absolute > 1e-5  # more than float32's rounding
    assert "bounds are those of float16" in str(report)
    assert not verify((symbol, params), half, [x], precision="float32").ok()

    def scale(w):
        return (w * 1.2).astype(w.dtype)

    wrong = changed(half, lambda m: set_weight(m, "net_conv1_weight", scale))
    report = verify((symbol, params), wrong, [x], layers=True)
    assert report.first_divergence().name == "net_conv1_fwd_output"


def test_native_files_and_open_sessions(files, tmp_path):
    (symbol, arguments, states), path, x = files
    native = str(tmp_path / "net-symbol.json")
    for model in (native, (native, str(tmp_path / "net-0000.params")), Path(path).read_bytes()):
        assert mx.onnx.verify(model, path, [x]).ok()
        assert mx.onnx.verify(path, model, [x]).ok()
    assert mx.onnx.verify(native, shapes=[(2, 3, 8, 8)]).samples == 1
    wrong = changed(path, lambda m: set_weight(m, "net_conv1_weight", lambda w: (w * 1.01).astype("float32")))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    for source, ok in ((path, True), (wrong.SerializeToString(), False)):
        session = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
        report = mx.onnx.verify((symbol, arguments, states), session, [x])
        assert report.ok() == ok
        if not ok:
            assert report.first_divergence().name == "net_conv1_fwd_output"
    with pytest.raises(mx.MXNetError, match="could not run the model"):
        mx.onnx.verify(session, path, [x[:, :2]])


def test_a_tolerance_of_the_users_own(files):
    model, path, x = files
    wrong = changed(
        path, lambda m: set_weight(m, "net_dense1_weight", lambda w: (w * 1.0001).astype("float32"))
    )
    report = verify(model, wrong, [x], layers=False)
    assert not report.ok()
    assert report.ok(1e-2)
    assert not report.layers
    with pytest.raises(ParityError, match="first divergence"):
        report.raise_if_failed()
    with pytest.raises(AssertionError):
        mx.onnx.assert_parity(model, wrong, [x])
    assert mx.onnx.assert_parity(model, wrong, [x], tol=1e-2).samples == 1


def test_reports_are_data(files):
    model, path, x = files
    report = verify(model, path, [x], layers=True)
    data = json.loads(report.to_json())
    assert data["verdict"] == report.verdict
    assert data["layers"][0]["own"]["name"] == report.layers[0].name
    assert data["outputs"][0]["shape"] == [2, 5]


def test_layers_tell_the_nodes_of_both_models():
    x = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    y = sym.tanh(sym.relu(x + 1, name="r"), name="t")
    params = {"fc_weight": mx.nd.ones((3, 4)), "fc_bias": mx.nd.zeros(3)}
    twin = sym.tanh(sym.relu(x * 1 + 1, name="other"), name="t")
    report = mx.onnx.verify((y, params), (twin, params), shapes={"data": (2, 4)}, layers=True, samples=2)
    origins = {layer.name: layer.origins for layer in report.layers}
    nodes = {layer.name: layer.nodes for layer in report.layers}
    assert origins["fc_output"] == nodes["fc_output"] == ("fc",)
    assert (origins["t_output"][-1], nodes["t_output"][-1]) == ("t", "t")


def test_reports_tell_percentiles():
    shares = judged(np.zeros(100), np.r_[np.full(95, 1e-6), np.full(5, 1.0)], 1e-2)
    (output,) = json.loads(Parity((shares,)).to_json())["outputs"]
    assert output["percentiles"] == pytest.approx({"50": 1e-4, "90": 1e-4, "99": 100.0}, rel=1)
    assert json.loads(Parity((judged([1.0], [np.inf], 1.0),)).to_json())["outputs"][0]["absolute"] == "inf"


def test_samples(files, tmp_path, rng):
    model, path, x = files
    assert verify(model, path, shapes=[(2, 3, 8, 8)], samples=3).samples == 3
    loader = gluon.data.DataLoader(
        gluon.data.ArrayDataset(rng.standard_normal((6, 3, 8, 8)).astype("float32"), np.arange(6)), 2
    )
    assert verify(model, path, loader, samples=2).samples == 2
    net = gluon.SymbolBlock.imports(
        str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    )
    assert mx.onnx.verify(net, path, loader, samples=3).samples == 3
    assert mx.onnx.verify(net, shapes=[(2, 3, 8, 8)], samples=2).samples == 2
    np.savez(tmp_path / "x.npz", data=x)
    assert verify(model, path, tmp_path / "x.npz").ok()
    with pytest.raises(ConversionError, match=r"an \.npz or \.npy file"):
        verify(model, path, tmp_path / "x.txt")
    with pytest.raises(ConversionError, match="one sample at least"):
        verify(model, path, iter([]))


def test_indices_are_drawn_below_the_size_of_the_table(rng):
    symbol = sym.Embedding(sym.var("x"), sym.var("w"), input_dim=50, output_dim=4)
    weight = mx.nd.array(rng.standard_normal((50, 4)))
    report = verify((symbol, {"w": weight}), shapes={"x": (40,)}, samples=2)
    assert report.ok(), report


def test_operators_that_only_onnx_runtime_knows():
    x = helper.make_tensor_value_info("x", 1, [4])
    y = helper.make_tensor_value_info("y", 1, [4])
    node = helper.make_node("QuickGelu", ["x"], ["y"], domain="com.microsoft", alpha=1.0)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=opsets, ir_version=9)
    report = verify(model, model)
    assert report.ok(0)


def test_values_without_axes_stay_so_between_layers():
    with mx.util.np_shape(True):
        y = sym.np.max(sym.var("x").as_np_ndarray()) + 1
        report = verify((y.as_nd_ndarray(), {}), None, [np.float32([1, 2, 3])], layers=True)
    assert report.ok(), report
    assert [layer.own.shape for layer in report.layers] == [(), ()]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_integers_that_come_of_other_functions_are_rounded(dtype):
    """As log2(8) does, which ONNX says by a natural logarithm."""
    x = 2.0 ** np.arange(1, 60).astype(dtype)
    for function in (sym.log2, sym.log10, sym.cbrt, sym.rcbrt):
        report = verify((function(sym.var("x", dtype=dtype)), {}), None, [x], layers=True)
        assert report.ok(), report


def test_functions_under_the_names_of_numpy_have_the_same_bounds():
    x = np.linspace(-12, 12, 4001, dtype="float32")
    for pair in (("sigmoid", "_npx_sigmoid"), ("tanh", "_npi_tanh")):
        bounds = []
        for name in pair:
            symbol = Symbol([Entry(Node(name, "y", inputs=[sym.var("x").outputs[0]]), 0)])
            (item,) = Reference(symbol, {}).run({"x": x})
            bounds.append(item.bound)
        np.testing.assert_array_equal(*bounds)


# ---- hints and the reference


def test_parameters_that_differ_are_told(files, tmp_path):
    """Beside the layer at fault, by name and by place; not where all agrees."""
    model, path, x = files

    def change(w):
        w[3, 2, 1, 0] += 0.25
        return w

    def break_(proto):
        set_weight(proto, "net_conv1_weight", change)

    before = model[1]["net_conv1_weight"].asnumpy()[3, 2, 1, 0]
    report = verify(model, changed(path, break_), [x])
    (layer,) = [layer for layer in report.layers if not layer.ok()]
    (item,) = layer.parameters
    assert (item.name, item.other, item.count, item.size) == ("net_conv1_weight",) * 2 + (1, 576)
    assert (item.index, item.expected) == ((3, 2, 1, 0), before)
    assert item.result == pytest.approx(before + 0.25)
    assert report.parameters == (item,)
    line = "the parameter net_conv1_weight differs: 1 of 576 elements, at (3, 2, 1, 0)"
    assert line in str(report)
    assert json.loads(report.to_json())["layers"][4]["parameters"][0]["count"] == 1
    assert "net_conv1_weight differs" in report.to_html()
    short = verify(model, changed(path, break_), [x], layers=False)
    assert not short.layers
    assert line in str(short)
    assert not verify(model, path, [x], layers=True).parameters

    def rename_all(proto):
        """Parameters by other names, the matrix of the first Dense layer the other way round."""
        break_(proto)
        new = {t.name: f"p{i}" for i, t in enumerate(proto.graph.initializer)}
        for tensor in proto.graph.initializer:
            tensor.name = new[tensor.name]
        for node in proto.graph.node:
            node.input[:] = [new.get(name, name) for name in node.input]

    report = verify(model, changed(path, rename_all), [x])
    (layer,) = [layer for layer in report.layers if not layer.ok()]
    assert [(p.name, p.count, p.index) for p in layer.parameters] == [("net_conv1_weight", 1, (3, 2, 1, 0))]
    assert f"net_conv1_weight, {layer.parameters[0].other} in the second model, differs" in str(report)
    assert not report.parameters


def test_parameters_of_other_layouts_and_dtypes():
    """A matrix may be the other way round, and float16 is compared as such."""
    x, w = sym.var("x"), np.array([[1, 2, 3], [4, 5, 1 / 3]], "float32")
    first = sym.FullyConnected(x, sym.var("w"), num_hidden=2, no_bias=True, name="y")
    second = sym.dot(x, sym.var("m"), name="y")
    wrong = w.T.copy()
    wrong[2, 0] += 1
    inputs = [np.float32([[1, 2, 3]])]
    report = mx.onnx.verify((first, {"w": w}), (second, {"m": wrong}), inputs)
    (item,) = report.layers[0].parameters
    assert (item.other, item.count, item.index, item.expected, item.result) == ("m", 1, (0, 2), 3, 4)
    cast = sym.Cast(sym.dot(sym.Cast(x, dtype="float16"), sym.var("m")), dtype="float32", name="y")
    half = wrong.astype("float16")
    report = mx.onnx.verify((first, {"w": w}), (cast, {"m": half}), inputs)
    assert [p.count for layer in report.layers for p in layer.parameters] == [1]


def test_a_reference_that_reads_the_first_model_wrongly(files, monkeypatch):
    """It shows as such: what agrees with ONNX Runtime's run is right, what does not is at fault."""
    model, path, x = files
    native = mx.onnx.import_model(path)
    right = importers()["", "Sigmoid"]
    versions = {
        version: Import(lambda F, x: F.sigmoid(x * 1.01), "Sigmoid", item.versions, "")
        for version, item in right.items()
    }
    monkeypatch.setitem(importers(), ("", "Sigmoid"), versions)
    misread = mx.onnx.import_model(path)
    for other in (path, native, model):
        report = mx.onnx.verify(path, other, [x], layers=True if other is path else None)
        assert report.ok(), report
        assert [row.ok() for row in report.reference] == [False]
        assert "the float64 reference reads the first model otherwise" in str(report)
        assert "from net_sigmoid0_fwd_output on, computed by net_sigmoid0_fwd:" in report.notes[0]
        assert not report.layers
    assert not mx.onnx.verify(path, misread, [x]).ok()
    assert "ONNX Runtime beside the reference" in report.to_html()
    monkeypatch.setitem(importers(), ("", "Sigmoid"), right)
    report = mx.onnx.verify(path, misread, [x])
    assert not report.ok()
    assert all(row.ok() for row in report.reference)
    assert not report.notes


def test_the_layer_at_which_a_model_stops(files):
    """At a size that it does not take: what comes before it is judged, and the node is told."""
    model, path, _ = files

    def fix(proto):
        shape = numpy_helper.from_array(np.array([2, 128]), "fixed")
        proto.graph.initializer.append(shape)
        node = next(node for node in proto.graph.node if node.op_type in ("Gemm", "MatMul"))
        before = node.input[0]
        node.input[0] = "flat_2"
        place = [*proto.graph.node].index(node)
        proto.graph.node.insert(place, helper.make_node("Reshape", [before, "fixed"], ["flat_2"], "baked"))

    report = verify(model, changed(path, fix), shapes=[("n", 3, 8, 8)])
    assert next(str(trial) for trial in report.sizes if not trial.ok()) == "n=1"
    at_fault = [layer for layer in report.layers if not layer.ok()]
    assert [layer.name for layer in at_fault] == ["net_dense0_fwd_output"]
    assert "baked" in at_fault[0].nodes
    assert at_fault[0].own.note
    assert len(report.layers) == 7
    assert "first divergence: net_dense0_fwd_output, computed by" in str(report)
    assert "net_dense0_fwd_output" in report.to_html()


# ---- planted faults


def misses(model, path, x, count, seed=0, names=True):
    """The planted faults that are not found at their node, and how many change a number at all.

    Without `names` the models with the faults call all values otherwise.
    """
    missed, tried = [], 0
    right = onnx.load(path)
    for fault in faults(right, count, seed):
        if not shows(right, fault, x):
            continue
        if not names:
            rename(fault.model)
        report = verify(model, fault.model, [x], layers=True)
        at_fault = [layer for layer in report.layers if not layer.ok()]
        tried += 1
        if not at_fault or not (at_fault[0].name == fault.value or fault.node in at_fault[0].nodes):
            missed.append((fault.kind, fault.value, [layer.name for layer in at_fault[:3]]))
    return missed, tried


@pytest.mark.parametrize("names", [True, False], ids=["names", "other names"])
def test_planted_faults(files, names):
    model, path, x = files
    missed, tried = misses(model, path, x, 24, names=names)
    assert not missed
    assert tried >= 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_planted_faults_in_the_zoo(name, tmp_path):
    """Every single fault at its node, and none where there is none."""
    net, x = zoo(name)
    path = mx.onnx.export_model(net, tmp_path / "net.onnx", input_shapes=[x.shape])
    net.export(str(tmp_path / "net"))
    model = mx.model.load_checkpoint(str(tmp_path / "net"), 0)
    report = verify(model, path, [x], layers=True)
    assert report.ok(), report
    missed, tried = misses(model, path, x, 24)
    assert not missed
    assert tried >= 20


# ---- no false alarms


LEVELS = [
    ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
]


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_no_alarm_in_the_zoo(name, tmp_path):
    """Exports agree with their networks at every opset, level of optimization and number of threads."""
    net, x = zoo(name)
    net.export(str(tmp_path / "net"))
    model = mx.model.load_checkpoint(str(tmp_path / "net"), 0)
    for opset in (13, 18, newest_opset()):
        path = mx.onnx.export_model(
            net, tmp_path / f"{opset}.onnx", input_shapes=[x.shape], opset_version=opset
        )
        report = mx.onnx.verify(model, path, [x])
        assert report.ok(), (opset, str(report))
        assert report.layers
        for level in LEVELS:
            for threads in (1, 2):
                options = ort.SessionOptions()
                options.graph_optimization_level = level
                options.intra_op_num_threads = threads
                session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
                report = mx.onnx.verify(model, session, [x], layers=False)
                assert report.ok(), (opset, level, threads, str(report))


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_no_case_of_an_operator_is_an_alarm(family):
    """Exports agree with the kernels, what is random and what is decided by a hair among them."""
    for case in FAMILIES[family]:
        if case.operator().not_in_onnx or "onnx" in case.no or case.training:
            continue
        symbol, names = symbol_of(case)
        try:
            report = verify((symbol, {}), inputs=dict(zip(names, case.arrays(), strict=True)))
        except ConversionError as exc:
            assert "ONNX has no such distribution" in str(exc)  # noqa: PT017
            continue
        assert report.ok(), (str(case), str(report))


@pytest.mark.parametrize("kind", ["BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E5M2", "INT4", "STRING"])
def test_values_that_numpy_has_no_numbers_for(kind):
    """Layers go on behind them; those of bfloat16 are compared as well."""

    def model(last):
        nodes = [
            helper.make_node("Cast", ["x"], ["narrow"], "narrow", to=getattr(onnx.TensorProto, kind)),
            helper.make_node("Cast", ["narrow"], ["wide"], "wide", to=onnx.TensorProto.FLOAT),
            helper.make_node(last, ["wide"], ["y"], "last"),
            helper.make_node("Identity", ["y"], ["z"], "end"),
        ]
        x, z = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4]) for name in "xz")
        graph = helper.make_graph(nodes, "graph", [x], [z])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)

    right, x = model("Relu"), np.float32([0, 1, -2, 3])
    report = verify(right, right, [x])
    assert report.ok(), report
    if kind == "BFLOAT16":
        assert [layer.name for layer in report.layers if layer.nodes == ("narrow",)] == ["narrow_output"]
    wrong = verify(right, model("Abs"), [x])
    assert wrong.first_divergence().name == "last_output", wrong


def test_providers_are_those_that_are_named(tmp_path):
    graph, params = sym.relu(sym.var("x")), {"w": np.ones(1, np.float32)}
    model = graph, params
    file = mx.onnx.export_model(*model, [(3, 4)], onnx_file_path=tmp_path / "model.onnx")
    assert mx.onnx.verify(model, file, shapes=[(3, 4)], providers=["CPUExecutionProvider"]).ok()
    if "CUDAExecutionProvider" not in ort.get_available_providers():
        with pytest.raises(MXNetError, match="that start are required, got CUDAExecutionProvider"):
            mx.onnx.verify(model, file, shapes=[(3, 4)], providers=["CUDAExecutionProvider"])
    with pytest.raises(MXNetError, match="isolated=False is required with providers"):
        mx.onnx.verify(model, file, shapes=[(3, 4)], providers=[], isolated=True)
