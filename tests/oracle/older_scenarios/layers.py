"""`gluon.contrib`: deformable convolutions, cells in loops, texts, samplers."""

import json
from importlib import import_module

import numpy as np


def _cnn(mx):
    return import_module(f"{mx.__name__}.gluon.contrib.cnn")


def _filled(mx, net, seed=0):
    rng = np.random.RandomState(seed)
    for _, param in sorted(net.collect_params().items()):
        param.set_data(mx.nd.array(rng.uniform(-0.3, 0.3, param.shape)))
    return net


def _run(mx, show, kind, shape=(2, 4, 6, 5), trains=True, **kwargs):
    net = getattr(_cnn(mx), kind)(**{"channels": 4, "kernel_size": (3, 3), "padding": (1, 1), **kwargs})
    x = mx.nd.array(np.random.RandomState(1).uniform(-1, 1, shape))
    net.initialize()
    net(x)
    show([[name, list(p.shape)] for name, p in sorted(net.collect_params().items())])
    _filled(mx, net)
    if not trains:
        show(net(x))
        return
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    show(y, x.grad, [p.grad() for _, p in sorted(net.collect_params().items())])


def deformable(mx, show):
    _run(mx, show, "DeformableConvolution")
    _run(mx, show, "DeformableConvolution", activation="relu", use_bias=False, offset_use_bias=False)
    _run(mx, show, "DeformableConvolution", strides=(2, 2), dilation=(2, 1), num_deformable_group=2)
    with mx.name.NameManager():
        net = _cnn(mx).DeformableConvolution(4, kernel_size=(3, 3), in_channels=2, prefix="d_")
        nodes = json.loads(net(mx.sym.var("data")).tojson())["nodes"]
    show(
        [[n["op"], n["name"], sorted(n.get("attrs", {}).items()) if n["op"] != "null" else []] for n in nodes]
    )
    net = _cnn(mx).DeformableConvolution(4, kernel_size=(1, 1), in_channels=2)
    net.initialize()
    show(net(mx.nd.ones((1, 2, 3, 3))).shape, repr(net))
    offsets = net.offset_weight.data().asnumpy(), net.offset_bias.data().asnumpy()
    show([float(np.abs(a).max()) for a in offsets])


def modulated(mx, show):
    kind = "ModulatedDeformableConvolution"  # whose gradient MXNet has on GPUs alone
    _run(mx, show, kind, trains=False)
    _run(mx, show, kind, trains=False, activation="tanh", use_bias=False)
    _run(mx, show, kind, trains=False, strides=(2, 2), num_deformable_group=2)
    with mx.name.NameManager():
        net = _cnn(mx).ModulatedDeformableConvolution(4, kernel_size=(3, 3), in_channels=2, prefix="d_")
        nodes = json.loads(net(mx.sym.var("data")).tojson())["nodes"]
    show(
        [[n["op"], n["name"], sorted(n.get("attrs", {}).items()) if n["op"] != "null" else []] for n in nodes]
    )


def texts(mx, show):
    text = import_module(f"{mx.__name__}.gluon.contrib.data.text")
    if hasattr(text, "check_sha1"):  # MXNet fetches files of other checksums anew
        text.check_sha1 = lambda *args: True
    root = show.path("wiki")
    show.folder.joinpath("wiki").mkdir()
    for kind in ("train", "valid", "test"):
        with open(f"{root}/wiki.{kind}.tokens", "w", encoding="utf8") as file:
            file.write(f" \n = Title = \n \n a b c a b \n d \u00e9 f {kind} \n\n")
    for make in (text.WikiText2, text.WikiText103):
        train = make(root=root, seq_len=3)
        show(len(train), [list(train[i]) for i in range(len(train))], sorted(train.frequencies.items()))
        show(train.vocabulary.idx_to_token, train.vocabulary.reserved_tokens)
        test = make(root=root, segment="test", seq_len=3, vocab=train.vocabulary)
        show([list(test[i]) for i in range(len(test))], test.vocabulary is train.vocabulary)
        show(len(make(root=root, segment="validation", seq_len=2)), len(make(root=root)))
        show.error(make, root=root, segment="val")


def samplers(mx, show):
    data = import_module(f"{mx.__name__}.gluon.contrib.data")
    for kwargs in ({}, {"rollover": False}):
        sampler = data.sampler.IntervalSampler(13, interval=3, **kwargs)
        show(list(sampler), len(list(sampler)))
    show.error(data.IntervalSampler, 3, 4)


def rolled(mx, show):
    unroll = import_module(f"{mx.__name__}.gluon.contrib.rnn.rnn_cell").dynamic_unroll
    x = mx.nd.array(np.random.RandomState(2).uniform(-1, 1, (5, 2, 3)))
    lengths = mx.nd.array([3, 5])
    for make in (mx.gluon.rnn.LSTMCell, mx.gluon.rnn.GRUCell):
        cell = make(4, input_size=3)
        cell.initialize()
        _filled(mx, cell)
        first = cell.begin_state(2)
        for kwargs in ({}, {"valid_length": lengths}):
            x.attach_grad()
            with mx.autograd.record():
                outputs, states = unroll(cell, x, first, **kwargs)
                loss = (outputs * outputs).sum() + states[0].sum()
            loss.backward()
            show(outputs, states, x.grad)
        show(unroll(cell, x.swapaxes(0, 1), first, layout="NTC")[0])
        with mx.autograd.record():
            show(unroll(cell, x, first, drop_inputs=0.5, drop_outputs=0.5)[0].shape)
    show.error(unroll, cell, x, first, layout="NCT")
