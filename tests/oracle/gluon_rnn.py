"""Writes gluon_rnn.json and gluon_rnn.npz: what recurrent layers and cells of real MXNet 1.9.1 do.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/gluon_rnn.py

A scenario is a block, the shape of its data `x`, and a call of it. Stored are the block's text and parameters
before and after the call, the symbol.json of the call on symbols (as bytes), the outputs in predict mode, and
unless the block draws, outputs and gradients in training mode. Parameters and data follow from name and shape
(`values`). Mistakes are stored with the type of the error, expressions with their text.
"""

import inspect
import json
import os
import tempfile
import warnings
import zlib
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
import numpy as np
from mxnet import autograd
from mxnet.gluon import nn, rnn
from mxnet.gluon.contrib import rnn as crnn

FOLDER = Path(__file__).resolve().parent

SEQUENTIAL = """
net = rnn.{}SequentialRNNCell(prefix='s_')
with net.name_scope():
    net.add(rnn.LSTMCell(3))
    net.add(rnn.DropoutCell(0.0))
    net.add(rnn.ResidualCell(rnn.GRUCell(3)))
"""
DEEP = """
net = rnn.HybridSequentialRNNCell()
net.add(rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.LSTMCell(3)))
net.add(rnn.GRUCell(2))
"""
MODEL = """
class Net(mx.gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.lstm = rnn.LSTM(3, num_layers=2, bidirectional=True)
            self.gru = rnn.GRU(2, layout='TNC')
            self.out = nn.Dense(2, flatten=False)

    def hybrid_forward(self, F, x):
        return self.out(self.gru(self.lstm(x)))
net = Net(prefix='net_')
"""
STACK = """
net = nn.HybridSequential()
net.add(rnn.LSTM(3), nn.Dense(2, flatten=False))
"""

LAYERS = [
    "rnn.RNN(3)",
    "rnn.RNN(3, activation='tanh', num_layers=2, bidirectional=True)",
    "rnn.RNN(3, layout='NTC', input_size=4)",
    "rnn.LSTM(3)",
    "rnn.LSTM(3, 2, 'NTC')",
    "rnn.LSTM(3, input_size=4, bidirectional=True, prefix='enc_')",
    "rnn.LSTM(3, num_layers=2, dropout=0.5, bidirectional=True, input_size=4)",
    "rnn.LSTM(3, i2h_weight_initializer='xavier', h2h_bias_initializer='ones')",
    "rnn.LSTM(3, i2h_bias_initializer=mx.init.LSTMBias(1.0))",
    "rnn.GRU(3)",
    "rnn.GRU(2, num_layers=3, layout='NTC', bidirectional=True)",
    "rnn.GRU(3, dropout=0.2, num_layers=2)",
]
CALLS = ["net(x)", "net(x, begin(net, N))"]

CELLS = [
    "rnn.RNNCell(3)",
    "rnn.RNNCell(3, activation='relu', input_size=4, prefix='cell_')",
    "rnn.LSTMCell(3)",
    "rnn.LSTMCell(3, activation='softsign', recurrent_activation='sigmoid')",
    "rnn.LSTMCell(3, input_size=4, i2h_bias_initializer=mx.init.LSTMBias(1.0))",
    "rnn.GRUCell(3)",
    "rnn.ResidualCell(rnn.RNNCell(4))",
    "rnn.ZoneoutCell(rnn.LSTMCell(3))",
    "rnn.ZoneoutCell(rnn.RNNCell(3), 0.3, 0.5)",
    "rnn.DropoutCell(0.5)",
    "rnn.DropoutCell(0.0)",
    "rnn.DropoutCell(0.5, axes=(1,))",
    "crnn.VariationalDropoutCell(rnn.LSTMCell(3))",
    "crnn.VariationalDropoutCell(rnn.GRUCell(3), 0.2, 0.3, 0.4)",
    "crnn.LSTMPCell(3, 2)",
]
BOTH = [
    "rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(2))",
    "rnn.BidirectionalCell(rnn.RNNCell(3), rnn.RNNCell(3), output_prefix='two_')",
]
UNROLLS = [
    "net.unroll(3, x)",
    "net.unroll(3, x, merge_outputs=True)",
    "net.unroll(3, x, merge_outputs=False)",
    "net.unroll(3, x, layout='TNC')",
    "net.unroll(2, [x[0], x[1]] if eager else [x, mx.sym.var('other')], begin_state=begin(net, N))",
    "net.unroll(3, x, valid_length=lengths)",
    "net.unroll(3, x, layout='TNC', merge_outputs=True, valid_length=lengths)",
]
CONV = [
    ("crnn.Conv1D{}Cell((2, 6), 3, 3, 3, i2h_pad=1)", (2, 2, 6)),
    ("crnn.Conv2D{}Cell((2, 5, 6), 3, 3, 3, activation='relu')", (2, 2, 5, 6)),
    (
        "crnn.Conv3D{}Cell((2, 4, 4, 4), 2, (3, 3, 2), (3, 3, 3), i2h_pad=(1, 1, 0), h2h_dilate=2)",
        (1, 2, 4, 4, 4),
    ),
]
CHANNELS_LAST = "crnn.Conv2D{}Cell((5, 6, 2), 3, 3, 3, conv_layout='NHWC')"


def scenarios():
    """Block, shape of the data and call of each."""
    for layer in LAYERS:
        for call in CALLS:
            yield layer, (5, 2, 4), call
    yield LAYERS[0], (5, 2, 4), "net(x, begin(net, N)[0])"
    for cell in CELLS:
        yield cell, (2, 4), "net(x, begin(net, N))"
    for cell in CELLS + BOTH:
        for call in UNROLLS:
            yield cell, ((3, 2, 4) if "TNC" in call or "[x" in call else (2, 3, 4)), call
    for kind in ("", "Hybrid"):
        yield SEQUENTIAL.format(kind), (2, 4), "net(x, begin(net, N))"
        for call in (UNROLLS[0], UNROLLS[1], UNROLLS[5]):
            yield SEQUENTIAL.format(kind), (2, 3, 4), call
    for call in UNROLLS:
        yield DEEP, ((3, 2, 4) if "TNC" in call or "[x" in call else (2, 3, 4)), call
    yield MODEL, (5, 2, 4), "net(x)"
    yield STACK, (5, 2, 4), "net(x)"
    for text, shape in CONV:
        for kind in ("RNN", "LSTM", "GRU"):
            yield text.format(kind), shape, "net(x, begin(net, N))"


SHOWN = [
    "rnn.LSTM(3).begin_state(2)",
    "rnn.GRU(3, 2, bidirectional=True).begin_state(2)[0].shape",
    "rnn.LSTM(3, dtype='float64').begin_state(2, dtype='float16')[0].dtype.__name__",
    "rnn.LSTM(3, layout='NTC').state_info(4)",
    "rnn.LSTM(3, projection_size=2).state_info(4)",
    "rnn.RNN(3).state_info()",
    "rnn.LSTM(3, projection_size=2, input_size=4)",
    "[p.shape for p in rnn.LSTM(3, projection_size=2, input_size=4).collect_params().values()]",
    "rnn.LSTM(3, state_clip_min=-1, state_clip_max=1)",
    "rnn.LSTM(3, use_sequence_length=True)(mx.sym.var('data'), sequence_length=mx.sym.var('len')).tojson()",
    "rnn.LSTM(3, use_sequence_length=True)(mx.sym.var('data'), None, mx.sym.var('len')).tojson()",
    "rnn.GRU(3, layout='NTC')(mx.sym.var('data')).tojson()",
    "rnn.LSTM(3, dtype='float64')(mx.sym.var('data')).tojson()",
    "rnn.LSTM(3, projection_size=2, state_clip_min=-1, state_clip_max=1)(mx.sym.var('data')).tojson()",
    "rnn.LSTM(3)(mx.sym.var('data')).list_arguments()",
    "saved(rnn.LSTM(3, 2, bidirectional=True, input_size=4))",
    "saved(rnn.GRU(3, input_size=4))",
    "saved(rnn.LSTM(3, 2, projection_size=2, input_size=4))",
    "saved(rnn.LSTMCell(3, input_size=4))",
    "saved(rnn.ZoneoutCell(rnn.LSTMCell(3, input_size=4), 0.1))",
    "saved(rnn.BidirectionalCell(rnn.LSTMCell(3, input_size=4), rnn.GRUCell(2, input_size=4)))",
    "rnn.LSTMCell(3).state_info(2)",
    "rnn.LSTMCell(3).begin_state(2)[1].shape",
    "rnn.LSTMCell(3).begin_state()[0].name",
    "rnn.LSTMCell(3).begin_state(2, func=mx.nd.ones)[0].asnumpy().tolist()",
    "[s.name for s in rnn.LSTMCell(3, prefix='a_').begin_state(func=mx.sym.zeros)]",
    "[s.name for s in rnn.LSTMCell(3, prefix='a_').begin_state(func=mx.sym.var)]",
    "[s.name for s in rnn.LSTM(3, prefix='a_').begin_state(func=mx.sym.var)]",
    "rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(2)).state_info(2)",
    "rnn.ZoneoutCell(rnn.LSTMCell(3)).params",
    "rnn.ResidualCell(rnn.LSTMCell(3)).name",
    "rnn.ZoneoutCell(rnn.LSTMCell(3), 0.1).prefix",
    "rnn.SequentialRNNCell()",
    "len(rnn.HybridSequentialRNNCell())",
    "rnn.DropoutCell(0.5).name",
    "rnn.LSTM(3).name",
    "crnn.LSTMPCell(3, 2).state_info(2)",
    "crnn.Conv2DLSTMCell((2, 5, 6), 3, 3, 3).state_info(4)",
    CHANNELS_LAST.format("LSTM"),
]

MISTAKES = [
    "rnn.LSTM(3, layout='NCT')",
    "rnn.RNN(3, activation='foo')(mx.nd.ones((5, 2, 4)))",
    "rnn.LSTM(3, foo=1)",
    "rnn.LSTM()",
    "ready(rnn.LSTM(3))(mx.nd.ones((5, 2, 4)), [mx.nd.ones((1, 2, 3))])",
    "ready(rnn.LSTM(3))(mx.nd.ones((5, 2, 4)), [mx.nd.ones((1, 3, 3))] * 2)",
    "ready(rnn.LSTM(3))(mx.nd.ones((5, 2, 4)), [mx.nd.ones((2, 2, 3))] * 2)",
    "ready(rnn.GRU(3))(mx.nd.ones((5, 2, 4)), mx.nd.ones((1, 2, 4)))",
    "ready(rnn.LSTM(3, input_size=5))(mx.nd.ones((5, 2, 4)))",
    "ready(rnn.LSTM(3))(mx.nd.ones((2, 4)))",
    "rnn.DropoutCell('a')",
    "rnn.ZoneoutCell(rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.LSTMCell(3)))",
    "rnn.ZoneoutCell(rnn.SequentialRNNCell())",
    "twice(rnn.LSTMCell(3))",
    "rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.LSTMCell(3))(mx.nd.ones((2, 4)), [])",
    "ready(rnn.LSTMCell(3)).unroll(3, mx.nd.ones((2, 4, 4)))",
    "ready(rnn.LSTMCell(3)).unroll(3, [mx.nd.ones((2, 4))] * 2)",
    "ready(rnn.LSTMCell(3)).unroll(3, mx.nd.ones((2, 3, 4)), layout='XYZ')",
    "ready(rnn.LSTMCell(3))(mx.nd.ones((2, 4)))",
    "ready(rnn.LSTMCell(3))(mx.nd.ones((2, 4)), [])",
    "rnn.RecurrentCell().state_info()",
    "crnn.Conv2DRNNCell((2, 5, 6), 3, 3, 2)",
    "crnn.Conv2DRNNCell((2, 5), 3, 3, 3)",
    "crnn.Conv2DRNNCell((2, 5, 6), 3, 3, 3, conv_layout='NCW')",
]


def ready(net):
    """The block, initialized."""
    net.initialize()
    return net


def twice(cell):
    """A cell that is modified twice."""
    return rnn.ZoneoutCell(cell), rnn.ZoneoutCell(cell)


def saved(net):
    """The keys that save_parameters writes."""
    net.initialize()
    with tempfile.TemporaryDirectory() as folder:
        net.save_parameters(f"{folder}/net.params")
        return sorted(mx.nd.load(f"{folder}/net.params"))


def values(name, shape):
    """Float32 numbers that follow from the name and the shape."""
    draw = np.random.RandomState(zlib.crc32(f"{name} {tuple(shape)}".encode()))
    return draw.uniform(-1.0, 1.0, shape).astype(np.float32)


def namespace():
    """What sources may use; block names are numbered anew."""
    mx.name.NameManager._current = type(mx.name.NameManager._current)()
    mx.name.NameManager._current.value = mx.name.NameManager()
    tools = {"ready": ready, "twice": twice, "saved": saved}
    return {"nn": nn, "rnn": rnn, "crnn": crnn, "mx": mx, "np": np, **tools}


def block_of(source):
    """The block of a source."""
    scope = namespace()
    if "net =" in source:
        exec(source, scope)
        return scope["net"]
    return eval(source, scope)


def begin(net, batch):
    """States of zeros; modified cells make symbols unless they are told."""
    return net.begin_state(batch_size=batch, func=mx.nd.zeros)


def flat(result):
    """All arrays of a nested result."""
    return [y for part in result for y in flat(part)] if isinstance(result, list | tuple) else [result]


def called(net, call, x, eager):
    """What the call gives, as a flat list."""
    layout = "TNC" if "TNC" in call or "[x" in call else "NTC"
    batch = 2 if not eager else x.shape[1 if x.ndim == 3 and (layout == "TNC" or is_tnc(net)) else 0]
    lengths = mx.nd.array([2, 3]) if eager else mx.sym.var("lengths")
    states = begin if eager else lambda net, _: net.begin_state(func=mx.sym.zeros)
    scope = {"net": net, "x": x, "N": batch, "lengths": lengths, "begin": states, "mx": mx, "eager": eager}
    return flat(eval(call, scope))


def is_tnc(net):
    """Whether the block is a layer that takes steps first."""
    return getattr(net, "_layout", "TNC") == "TNC"


def described(param):
    """What is written down of a parameter."""
    init = param.init if isinstance(param.init, str) or param.init is None else param.init.dumps()
    return [list(param.shape), np.dtype(param.dtype).name, param.grad_req, init]


def draws(text):
    """Whether training draws."""
    return "0.5" in text or "0.3" in text or "0.2" in text


def record(key, source, shape, call, arrays):
    """The facts of one scenario; arrays are put into `arrays` under names that begin with `key`."""
    net = block_of(source)
    fact = {"source": source, "shape": shape, "call": call, "repr": repr(net), "name": net.name}
    fact["params"] = {name: described(p) for name, p in net.collect_params().items()}
    net.initialize()
    x = mx.nd.array(values("data", shape))
    called(net, call, x, True)
    fact["initialized"] = repr(net)
    fact["known"] = {name: list(p.shape) for name, p in net.collect_params().items()}
    for name, param in net.collect_params().items():
        param.set_data(mx.nd.array(values(name, param.shape)))
    symbol = mx.sym.Group(called(block_of(source), call, mx.sym.var("data"), False)).tojson()
    arrays[f"{key}.symbol"] = np.frombuffer(symbol.encode(), np.uint8)
    for i, y in enumerate(called(net, call, x, True)):
        arrays[f"{key}.out.{i}"] = y.asnumpy()
    if draws(source):
        return fact
    x.attach_grad()
    with autograd.record():
        ys = [y * 1 for y in called(net, call, x, True)]  # of equal heads MXNet takes the last alone
    autograd.backward(ys, [mx.nd.array(values("head", y.shape)) for y in ys])
    arrays[f"{key}.grad.data"] = x.grad.asnumpy()
    for name, param in net.collect_params().items():
        arrays[f"{key}.grad.{name}"] = param.grad().asnumpy()
    return fact


def attempt(function, *args):
    """The result, or type and text of the error."""
    try:
        return function(*args)
    except Exception as exc:  # noqa: BLE001  (of any type)
        return [type(exc).__name__, (str(exc).strip().splitlines() or [""])[-1][:200]]


def shown(source):
    """The text of what an expression gives."""
    value = block_of(source)
    return value if isinstance(value, str) else repr(value)


def signatures():
    """The parameters of every class."""
    arguments = {}
    for module, name in ((rnn, "rnn"), (crnn, "crnn")):
        for key in dir(module):
            cls = getattr(module, key)
            if inspect.isclass(cls):
                parts = inspect.signature(cls.__init__).parameters.values()
                arguments[f"{name}.{key}"] = [
                    [p.name, None if p.default is p.empty else repr(p.default)] for p in parts
                ][1:]
    return arguments


def main():
    """Write the files."""
    warnings.simplefilter("ignore")
    arrays, facts = {}, {}
    for number, (source, shape, call) in enumerate(scenarios()):
        key = f"{number:03}"
        before = set(arrays)
        fact = attempt(record, key, source, shape, call, arrays)
        if isinstance(fact, list):
            for name in set(arrays) - before:
                del arrays[name]
            fact = {"source": source, "shape": shape, "call": call, "error": fact}
            print(key, source.strip().splitlines()[0], call, fact["error"])
        facts[key] = fact
    result = {
        "scenarios": facts,
        "shown": {source: attempt(shown, source) for source in SHOWN},
        "mistakes": {source: attempt(shown, source) for source in MISTAKES},
        "signatures": signatures(),
    }
    (FOLDER / "gluon_rnn.json").write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
    np.savez_compressed(FOLDER / "gluon_rnn.npz", **arrays)
    print(len(facts), "scenarios")


if __name__ == "__main__":
    main()
