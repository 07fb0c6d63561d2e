"""Recurrent layers and cells against what real MXNet shows, writes and computes (oracle/gluon_rnn.*)."""

from __future__ import annotations

import json
import warnings
import zlib
from inspect import isclass, signature
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import nn, rnn
from hybridonnx.gluon.contrib import rnn as crnn
from hybridonnx.name import NameManager

FOLDER = Path(__file__).parent / "oracle"
FACTS = json.loads((FOLDER / "gluon_rnn.json").read_text())
ARRAYS = np.load(FOLDER / "gluon_rnn.npz")
SCENARIOS = {key: fact for key, fact in FACTS["scenarios"].items() if "error" not in fact}
TRAINED = [key for key in SCENARIOS if f"{key}.grad.data" in ARRAYS]
NEAR: Any = {"rtol": 1e-4, "atol": 2e-5}


def over(keys):
    """Parametrize a test by scenarios."""
    titles = [f"{k}-{SCENARIOS[k]['source'].strip().splitlines()[0]}-{SCENARIOS[k]['call']}" for k in keys]
    return pytest.mark.parametrize("key", keys, ids=titles)


def values(name, shape):
    """The numbers that the oracle used for this name and shape."""
    draw = np.random.RandomState(zlib.crc32(f"{name} {tuple(shape)}".encode()))
    return draw.uniform(-1.0, 1.0, shape).astype(np.float32)


def ready(net):
    """The block, initialized."""
    net.initialize()
    return net


def twice(cell):
    """A cell that is modified twice."""
    return rnn.ZoneoutCell(cell), rnn.ZoneoutCell(cell)


class Tools:
    """What sources use beside the package."""

    def __init__(self, folder):
        self.folder = folder

    def saved(self, net):
        """The keys that save_parameters writes."""
        net.initialize()
        net.save_parameters(str(self.folder / "net.params"))
        return sorted(mx.nd.load(str(self.folder / "net.params")))


def block_of(source, folder=None):
    """The block of a source, with names numbered anew."""
    tools = {"ready": ready, "twice": twice, "saved": Tools(folder).saved}
    scope = {"nn": nn, "rnn": rnn, "crnn": crnn, "mx": mx, "np": np, **tools}
    if "net =" in source:
        exec(source, scope)
        return scope["net"]
    return eval(source, scope)


def flat(result):
    """All arrays of a nested result."""
    return [y for part in result for y in flat(part)] if isinstance(result, list | tuple) else [result]


def called(net, call, x):
    """What the call gives, as a flat list."""
    eager = isinstance(x, mx.nd.NDArray)
    steps_first = "TNC" in call or "[x" in call or getattr(net, "_layout", "TNC") == "TNC"
    if "unroll" in call:
        steps_first = "TNC" in call or "[x" in call
    scope = {
        "net": net,
        "x": x,
        "N": x.shape[1 if x.ndim == 3 and steps_first else 0] if eager else 0,
        "lengths": mx.nd.array([2, 3]) if eager else mx.sym.var("lengths"),
        "begin": lambda net, batch: net.begin_state(
            batch_size=batch, func=mx.nd.zeros if eager else mx.sym.zeros
        ),
        "mx": mx,
        "eager": eager,
    }
    return flat(eval(call, scope))


def filled(fact):
    """The block with the oracle's parameters, and its data."""
    net, x = block_of(fact["source"]), mx.nd.array(values("data", fact["shape"]))
    net.initialize()
    called(net, fact["call"], x)
    for name, param in net.collect_params().items():
        param.set_data(mx.nd.array(values(name, param.shape)))
    return net, x


def described(param):
    init = param.init if isinstance(param.init, str) or param.init is None else param.init.dumps()
    return [list(param.shape), np.dtype(param.dtype).name, param.grad_req, init]


@over(SCENARIOS)
def test_looks_like_mxnets(key):
    fact = SCENARIOS[key]
    with NameManager():
        net = block_of(fact["source"])
        assert repr(net) == fact["repr"]
        assert net.name == fact["name"]
        assert {name: described(p) for name, p in net.collect_params().items()} == fact["params"]
        net, _ = filled(fact)
    with NameManager():
        net, _ = filled(fact)
    assert repr(net) == fact["initialized"]
    assert {name: list(p.shape) for name, p in net.collect_params().items()} == fact["known"]


@over(SCENARIOS)
def test_traces_to_the_file_that_mxnet_writes(key):
    fact = SCENARIOS[key]
    with NameManager():
        symbol = mx.sym.Group(called(block_of(fact["source"]), fact["call"], mx.sym.var("data")))
    assert symbol.tojson() == bytes(ARRAYS[f"{key}.symbol"]).decode()


@over(SCENARIOS)
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_predicts_what_mxnet_predicts(key, hybrid):
    fact = SCENARIOS[key]
    with NameManager():
        net, x = filled(fact)
    if hybrid:
        hybridized(net)
    outputs = called(net, fact["call"], x)
    assert len(outputs) == sum(name.startswith(f"{key}.out.") for name in ARRAYS.files)
    for i, y in enumerate(outputs):
        np.testing.assert_allclose(y.asnumpy(), ARRAYS[f"{key}.out.{i}"], **NEAR)


def hybridized(net):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="All children")
        net.hybridize()


@over(TRAINED)
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_trains_as_mxnet_trains(key, hybrid):
    fact = SCENARIOS[key]
    with NameManager():
        net, x = filled(fact)
    if hybrid:
        hybridized(net)
    x.attach_grad()
    with mx.autograd.record():
        ys = [y * 1 for y in called(net, fact["call"], x)]
    mx.autograd.backward(ys, [mx.nd.array(values("head", y.shape)) for y in ys])
    gradients = {"data": x.grad, **{name: p.grad() for name, p in net.collect_params().items()}}
    for name, grad in gradients.items():
        np.testing.assert_allclose(grad.asnumpy(), ARRAYS[f"{key}.grad.{name}"], **NEAR, err_msg=name)


@pytest.mark.parametrize("source", [s for s, answer in FACTS["shown"].items() if isinstance(answer, str)])
def test_shows_what_mxnet_shows(source, tmp_path):
    with NameManager():
        value = block_of(source, tmp_path)
    assert (value if isinstance(value, str) else repr(value)) == FACTS["shown"][source]


@pytest.mark.parametrize("source", [s for s, answer in FACTS["mistakes"].items() if isinstance(answer, list)])
@pytest.mark.filterwarnings("ignore")
def test_mistakes_are_refused(source):
    kinds = (MXNetError, AssertionError, AttributeError, NotImplementedError, TypeError, ValueError)
    with NameManager(), pytest.raises(kinds) as caught:
        block_of(source)
    assert str(caught.value) or FACTS["mistakes"][source][0] == "NotImplementedError"


def test_classes_and_signatures_are_mxnets():
    for name, expected in FACTS["signatures"].items():
        module, _, cls = name.partition(".")
        ours = list(signature(getattr({"rnn": rnn, "crnn": crnn}[module], cls)).parameters.values())
        pairs = [[p.name, None if p.default is p.empty else repr(p.default)] for p in ours]
        assert pairs[: len(expected)] == expected or [p for p, _ in pairs] == [p for p, _ in expected], name
    public = {name for name in dir(rnn) if isclass(getattr(rnn, name))}
    assert public == {name.partition(".")[2] for name in FACTS["signatures"] if name.startswith("rnn.")}


def stacked():
    net = nn.HybridSequential(prefix="n_")
    with net.name_scope():
        net.add(rnn.LSTM(3, 2, bidirectional=True), rnn.GRU(2), nn.Dense(2, flatten=False))
    return net


def test_saved_parameters_have_the_names_of_cells(tmp_path):
    net, x = stacked(), mx.nd.array(values("data", (5, 2, 4)))
    net.initialize()
    y = net(x)
    net.save_parameters(str(tmp_path / "net.params"))
    names = list(mx.nd.load(str(tmp_path / "net.params")))
    assert names[0] == "0._unfused.0.l_cell.i2h_weight"
    assert names[-3] == "1._unfused.0.h2h_bias"
    again = stacked()
    again.load_parameters(str(tmp_path / "net.params"))
    np.testing.assert_array_equal(again(x).asnumpy(), y.asnumpy())


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
def test_lengths_cut_sequences_off(kind, layout, hybrid):
    """Each sequence gives what it gives alone, without what is beyond its length."""
    net = getattr(rnn, kind)(3, 2, bidirectional=True, layout=layout, use_sequence_length=True, prefix="n_")
    alone = getattr(rnn, kind)(3, 2, bidirectional=True, prefix="n_", params=net.collect_params())
    net.initialize(mx.init.Uniform(0.5))
    if hybrid:
        net.hybridize()
    x = values("data", (4, 3, 2))
    data = mx.nd.array(x if layout == "TNC" else x.swapaxes(0, 1))
    y, states = net(data, net.begin_state(3), mx.nd.array([4, 2, 1]))
    outputs = y.asnumpy() if layout == "TNC" else y.asnumpy().swapaxes(0, 1)
    for n, length in enumerate((4, 2, 1)):
        expected, last = alone(mx.nd.array(x[:length, n : n + 1]), alone.begin_state(1))
        np.testing.assert_allclose(outputs[:length, n : n + 1], expected.asnumpy(), **NEAR)
        assert not outputs[length:, n].any()
        for a, b in zip(states, last, strict=True):
            np.testing.assert_allclose(a.asnumpy()[:, n : n + 1], b.asnumpy(), **NEAR)


def test_lengths_are_asked_for_and_refused():
    x = mx.nd.ones((4, 3, 2))
    with pytest.raises(ValueError, match="sequence_length is required"):
        ready(rnn.LSTM(3, use_sequence_length=True))(x)
    with pytest.raises(ValueError, match="takes use_sequence_length=True"):
        ready(rnn.LSTM(3))(x, sequence_length=mx.nd.ones((3,)))


def test_states_may_come_and_go_when_hybridized():
    net, x = ready(rnn.LSTM(3)), mx.nd.ones((4, 3, 2))
    net.hybridize()
    y = net(x)
    z, states = net(x, net.begin_state(3))
    np.testing.assert_allclose(y.asnumpy(), z.asnumpy(), **NEAR)
    assert len(states) == 2
    np.testing.assert_allclose(net(x).asnumpy(), z.asnumpy(), **NEAR)


def test_parameters_of_a_cell_with_projection_are_in_mxnets_order():
    """As MXNet 1.9.1 lists them, which is the order of initialization and of a trainer's states."""
    names = "i2h_weight h2h_weight h2r_weight i2h_bias h2h_bias".split()
    cell = crnn.LSTMPCell(5, 3, input_size=2, prefix="")
    assert [(p.name, p.shape) for p in cell.collect_params().values()] == list(
        zip(names, [(20, 2), (20, 3), (3, 5), (20,), (20,)], strict=True)
    )


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda: rnn.LSTMCell(4, input_size=2), (2,)),
        (lambda: crnn.LSTMPCell(5, 3, input_size=2), (2,)),
        (lambda: crnn.Conv1DLSTMCell((2, 5), 3, 3, 3, 1), (2, 5)),
        (lambda: crnn.Conv2DGRUCell((2, 5, 4), 3, 3, 3, 1), (2, 5, 4)),
    ],
    ids=["LSTM", "projection", "Conv1D", "Conv2D"],
)
def test_first_states_take_their_batch_size_from_the_data(build, shape):
    class Unrolled(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.cell = build()

        def hybrid_forward(self, F, x):
            return self.cell.unroll(3, x, layout="NTC", merge_outputs=True)[0]

    net, x = ready(Unrolled()), mx.nd.array(values("data", (4, 3, *shape)))
    expected = net(x).asnumpy()
    net.hybridize()
    np.testing.assert_allclose(net(x).asnumpy(), expected, **NEAR)
    np.testing.assert_allclose(net(x[:1]).asnumpy(), expected[:1], **NEAR)
    with mx.autograd.record():
        y = net(x)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), expected, **NEAR)


def test_dropout_is_between_layers_and_in_training_alone():
    net, x = ready(rnn.LSTM(3, 2, dropout=0.5)), mx.nd.ones((4, 3, 2))
    np.testing.assert_array_equal(net(x).asnumpy(), net(x).asnumpy())
    with mx.autograd.train_mode():
        assert (net(x).asnumpy() != net(x).asnumpy()).any()


def test_a_second_derivative_is_refused():
    net, x = ready(rnn.LSTM(3)), mx.nd.ones((4, 3, 2))
    net(x)
    x.attach_grad()
    with mx.autograd.record():
        (dx,) = mx.autograd.grad(net(x), [x], create_graph=True)
        total = (dx * dx).sum()
    with pytest.raises(MXNetError, match="first order"):
        total.backward()


def test_a_cell_has_a_second_derivative():
    net, x = ready(rnn.LSTMCell(3)), mx.nd.array(values("data", (2, 3, 4)))
    net.unroll(3, x)
    x.attach_grad()
    with mx.autograd.record():
        y, _ = net.unroll(3, x, merge_outputs=True)
        (dx,) = mx.autograd.grad(y, [x], create_graph=True)
        total = (dx * dx).sum()
    total.backward()
    assert x.grad.asnumpy().any()


@pytest.mark.parametrize("layout", ["NTC", "TNC"])
@pytest.mark.parametrize("merge", [True, False, None])
def test_both_directions_with_lengths(layout, merge):
    """Real MXNet refuses layout NTC here; both layouts give the same."""
    net = ready(rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(2)))
    x, lengths = values("data", (2, 3, 4)), mx.nd.array([2, 3])
    expected, last = net.unroll(3, mx.nd.array(x), merge_outputs=True, valid_length=lengths)
    data = mx.nd.array(x if layout == "NTC" else x.swapaxes(0, 1))
    outputs, states = net.unroll(3, data, layout=layout, merge_outputs=merge, valid_length=lengths)
    axis = layout.find("T")
    whole = mx.nd.stack(*outputs, axis=axis) if isinstance(outputs, list) else outputs
    assert isinstance(outputs, list) == (merge is False)
    moved = whole.asnumpy() if layout == "NTC" else whole.asnumpy().swapaxes(0, 1)
    np.testing.assert_allclose(moved, expected.asnumpy(), **NEAR)
    assert not moved[0, 2].any()
    for a, b in zip(states, last, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), **NEAR)


@pytest.mark.parametrize("kind", ["layer", "cell"])
def test_exported_models_keep_the_batch_free(kind, tmp_path):
    """The first states, whose batch size nothing but the data tells, follow it."""
    import onnxruntime

    net: Any = stacked()
    if kind == "cell":
        net = ready(rnn.GRUCell(3, input_size=4))
        y, _ = net.unroll(5, mx.sym.var("data"), layout="TNC", merge_outputs=True)
        net = mx.gluon.SymbolBlock(y, mx.sym.var("data"), params=net.collect_params())
    else:
        net.initialize(mx.init.Uniform(0.5))
    x = mx.nd.array(values("data", (5, 2, 4)))
    net(x)
    file = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[(5, "batch", 4)])
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    for batch in (1, 2, 7):
        x = mx.nd.array(values("data", (5, batch, 4)))
        (output,) = session.run(None, {session.get_inputs()[0].name: x.asnumpy()})
        np.testing.assert_allclose(output, net(x).asnumpy(), **NEAR)


# ---- layers alone as files


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_layers_are_exported_with_and_without_states(kind, hybridized, tmp_path, rng):
    """Without shapes of states these are zeros in the file; with them the last ones come out."""
    net = getattr(rnn, kind)(5, num_layers=2, layout="NTC", bidirectional=True)
    net.initialize()
    x = rng.standard_normal((3, 7, 4)).astype("float32")
    states = [rng.standard_normal((4, 3, 5)).astype("float32") for _ in net.state_info()]
    if hybridized:
        net.hybridize()
    plain = net(mx.nd.array(x)).asnumpy()
    y, last = net(mx.nd.array(x), list(map(mx.nd.array, states)))
    for shapes, inputs, expected in (
        ([("b", "t", 4)], [x], [plain]),
        (
            [("b", 7, 4), *[(4, "b", 5)] * len(states)],
            [x, *states],
            [y.asnumpy(), *(s.asnumpy() for s in last)],
        ),
    ):
        path = mx.onnx.export_model(net, tmp_path / "net.onnx", input_shapes=shapes, verify=True)
        session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
        names = [item.name for item in session.get_inputs()]
        results = session.run(None, dict(zip(names, inputs, strict=True)))
        for result, wanted in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)
        assert mx.onnx.verify(net, path, inputs).ok()
    np.testing.assert_allclose(net(mx.nd.array(x)).asnumpy(), plain, rtol=1e-6)


def test_a_layer_with_lengths_is_exported(tmp_path, rng):
    net = rnn.LSTM(5, use_sequence_length=True)
    net.initialize()
    x, lengths = rng.standard_normal((7, 3, 4)).astype("float32"), np.array([2, 7, 1], "float32")
    expected = net(mx.nd.array(x), sequence_length=mx.nd.array(lengths)).asnumpy()
    path = mx.onnx.export_model(net, tmp_path / "net.onnx", input_shapes=[(7, "b", 4), ("b",)])
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [item.name for item in session.get_inputs()]
    (result,) = session.run(None, dict(zip(names, (x, lengths), strict=True)))
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
