"""Cells of `mx.rnn`: the graphs that they make, node by node, and their weights packed and unpacked."""

import json

import numpy as np

from tests.oracle.native_scenarios._training import params


def _flat(states):
    return [s for state in states for s in (_flat(state) if isinstance(state, (list, tuple)) else [state])]


def _graph(symbol):
    graph = json.loads(symbol.tojson())
    nodes = [
        [node["op"], node["name"], sorted(node.get("attrs", {}).items()), [i[:2] for i in node["inputs"]]]
        for node in graph["nodes"]
    ]
    return nodes, [head[:2] for head in graph["heads"]], symbol.list_outputs()


def _unrolled(mx, show, cell, length=2, inputs=None, **kwargs):
    inputs = mx.sym.var("data") if inputs is None else inputs
    with mx.name.NameManager():
        outputs, states = cell.unroll(length, inputs=inputs, **kwargs)
    show(isinstance(outputs, mx.sym.Symbol), [isinstance(state, list) for state in states])
    first = [outputs] if isinstance(outputs, mx.sym.Symbol) else list(outputs)
    show(*_graph(mx.sym.Group(first + _flat(states))))


def _steps(mx, *names):
    return [mx.sym.var(name) for name in names]


def plain(mx, show):
    _unrolled(mx, show, mx.rnn.RNNCell(5))
    _unrolled(mx, show, mx.rnn.RNNCell(5, activation="relu", prefix="r_"), layout="TNC", merge_outputs=True)
    _unrolled(mx, show, mx.rnn.LSTMCell(5, forget_bias=2.0), merge_outputs=True)
    _unrolled(mx, show, mx.rnn.GRUCell(5), inputs=_steps(mx, "a", "b"), layout="TNC", merge_outputs=True)
    _unrolled(mx, show, mx.rnn.GRUCell(5), 1, merge_outputs=False)


def one_step(mx, show):
    for cell in (mx.rnn.RNNCell(3), mx.rnn.LSTMCell(3), mx.rnn.GRUCell(3)):
        cell.reset()
        with mx.name.NameManager():
            output, states = cell(mx.sym.var("x"), cell.begin_state())
            output, states = cell(output, states)
        show(*_graph(mx.sym.Group([output, *states])))
        show([sorted(info.items()) for info in cell.state_info], cell.state_shape)


def fused(mx, show):
    two = mx.rnn.FusedRNNCell(5, num_layers=2, bidirectional=True, get_next_state=True, prefix="l_")
    _unrolled(mx, show, two)
    _unrolled(mx, show, mx.rnn.FusedRNNCell(5, mode="gru"), layout="TNC", merge_outputs=False)
    _unrolled(mx, show, mx.rnn.FusedRNNCell(5, mode="rnn_relu", dropout=0.5), merge_outputs=False)
    _unrolled(mx, show, mx.rnn.FusedRNNCell(5, forget_bias=3.0), inputs=_steps(mx, "a", "b"))
    _unrolled(mx, show, mx.rnn.FusedRNNCell(4, mode="rnn_tanh", get_next_state=True), layout="TNC")


def unfused(mx, show):
    for mode in ("rnn_relu", "rnn_tanh", "lstm", "gru"):
        cell = mx.rnn.FusedRNNCell(3, num_layers=2, mode=mode, dropout=0.5, forget_bias=4.0)
        _unrolled(mx, show, cell.unfuse())
    _unrolled(mx, show, mx.rnn.FusedRNNCell(3, num_layers=2, bidirectional=True, prefix="b_").unfuse())


def stacks(mx, show):
    stack = mx.rnn.SequentialRNNCell()
    stack.add(mx.rnn.LSTMCell(3, prefix="a_"))
    stack.add(mx.rnn.DropoutCell(0.5))
    stack.add(mx.rnn.ZoneoutCell(mx.rnn.RNNCell(3, prefix="b_"), 0.2, 0.3))
    stack.add(mx.rnn.ResidualCell(mx.rnn.GRUCell(3, prefix="c_")))
    _unrolled(mx, show, stack)
    _unrolled(mx, show, stack, merge_outputs=True)
    stack.reset()
    with mx.name.NameManager():
        output, states = stack(mx.sym.var("x"), stack.begin_state())
    show(*_graph(mx.sym.Group([output, *states])))
    mixed = mx.rnn.SequentialRNNCell()
    mixed.add(mx.rnn.LSTMCell(3, prefix="a_"))
    both = mx.rnn.BidirectionalCell(mx.rnn.LSTMCell(3, prefix="l_"), mx.rnn.GRUCell(4, prefix="r_"))
    mixed.add(both)
    _unrolled(mx, show, mixed)
    show.error(mixed, mx.sym.var("x"), mixed.begin_state())


def bidirectional(mx, show):
    for kwargs in ({}, {"merge_outputs": True}, {"layout": "TNC", "merge_outputs": False}):
        cells = mx.rnn.LSTMCell(3, prefix="l_"), mx.rnn.GRUCell(4, prefix="r_")
        _unrolled(mx, show, mx.rnn.BidirectionalCell(*cells, output_prefix="both_"), **kwargs)
    parts = mx.rnn.FusedRNNCell(3, prefix="l_"), mx.rnn.FusedRNNCell(3, prefix="r_")
    _unrolled(mx, show, mx.rnn.BidirectionalCell(*parts), layout="TNC")


def modifiers(mx, show):
    _unrolled(mx, show, mx.rnn.ResidualCell(mx.rnn.GRUCell(3, prefix="c_")), merge_outputs=True)
    _unrolled(mx, show, mx.rnn.ResidualCell(mx.rnn.FusedRNNCell(3, prefix="c_")), layout="TNC")
    _unrolled(mx, show, mx.rnn.ZoneoutCell(mx.rnn.LSTMCell(3), 0.2), merge_outputs=True)
    _unrolled(mx, show, mx.rnn.DropoutCell(0.2), merge_outputs=True)
    _unrolled(mx, show, mx.rnn.DropoutCell(0.2), merge_outputs=False)
    _unrolled(mx, show, mx.rnn.DropoutCell(0.0), merge_outputs=False)
    cell = mx.rnn.LSTMCell(3)
    zoneout = mx.rnn.ZoneoutCell(cell, 0.5)
    show.error(cell.begin_state)
    show(zoneout.state_shape, [s.name for s in zoneout.begin_state()], zoneout.base_cell is cell)


def images(mx, show):
    both = _steps(mx, "a", "b")
    _unrolled(mx, show, mx.rnn.ConvLSTMCell((1, 3, 8, 6), 4), inputs=both)
    _unrolled(mx, show, mx.rnn.ConvGRUCell((1, 3, 8, 6), 4, i2h_stride=(2, 2)), 1, inputs=both[:1])
    _unrolled(mx, show, mx.rnn.ConvRNNCell((1, 3, 8, 6), 4, activation="tanh"), 1, inputs=both[:1])
    wide = mx.rnn.ConvLSTMCell(
        (2, 3, 9, 9), 2, h2h_kernel=(5, 3), h2h_dilate=(1, 2), i2h_pad=(2, 1), i2h_kernel=(5, 3), prefix="w_"
    )
    _unrolled(mx, show, wide, 1, inputs=both[:1])
    last = mx.rnn.ConvLSTMCell((1, 8, 6, 3), 4, conv_layout="NHWC")
    _unrolled(mx, show, last, 1, inputs=both[:1])
    show(last.state_shape)
    show.error(mx.rnn.ConvRNNCell, (1, 3, 8, 6), 4, h2h_kernel=(2, 2))


def states(mx, show):
    cell = mx.rnn.LSTMCell(3)
    for func in (mx.sym.Variable, mx.sym.ones, mx.sym.zeros):
        made = cell.begin_state(func=func)
        show([s.name for s in made], [sorted(s.attr_dict().popitem()[1].items()) for s in made])


def shared(mx, show):
    params_ = mx.rnn.RNNParams("z_")
    a, b = mx.rnn.LSTMCell(3, prefix="a_", params=params_), mx.rnn.LSTMCell(3, prefix="b_", params=params_)
    outputs = [cell.unroll(1, mx.sym.var("x"))[0][0] for cell in (a, b)]
    show(mx.sym.Group(outputs).list_arguments(), params_.get("i2h_weight") is a.params.get("i2h_weight"))


def refusals(mx, show):
    cell = mx.rnn.LSTMCell(3)
    fused_cell = mx.rnn.FusedRNNCell(3)
    both = mx.rnn.BidirectionalCell(mx.rnn.RNNCell(3), mx.rnn.RNNCell(3))
    show.error(fused_cell, mx.sym.var("a"), [])
    show.error(both, mx.sym.var("a"), [])
    show.error(mx.rnn.ZoneoutCell, fused_cell)
    show.error(mx.rnn.ZoneoutCell, both)
    show.error(mx.rnn.DropoutCell, "a")
    show.error(cell.unroll, 2, inputs=[mx.sym.var("a")])
    show.error(cell.unroll, 2, inputs=None)
    show.error(cell.unroll, 2, inputs=mx.sym.Group(_steps(mx, "a", "b")))
    show.error(cell.unpack_weights, {})
    show.error(cell.pack_weights, {})


def _weights(mx, cell, size=2):
    outputs, _ = cell.unroll(3, inputs=mx.sym.var("data"), merge_outputs=True)
    return params(mx, outputs, data=(1, 3, size))[0]


def weights_apart(mx, show):
    stack = mx.rnn.SequentialRNNCell()
    stack.add(mx.rnn.LSTMCell(2, prefix="a_"))
    stack.add(mx.rnn.BidirectionalCell(mx.rnn.RNNCell(2, prefix="l_"), mx.rnn.GRUCell(2, prefix="r_")))
    stack.add(mx.rnn.ZoneoutCell(mx.rnn.GRUCell(2, prefix="z_"), 0.5))
    for cell in (mx.rnn.RNNCell(2), mx.rnn.GRUCell(2), stack):
        weights = _weights(mx, cell)
        apart = cell.unpack_weights(weights)
        show(sorted(weights), apart)
        again = cell.pack_weights(apart)
        show(sorted(again), all((again[k].asnumpy() == v.asnumpy()).all() for k, v in weights.items()))


def weights_of_fused_cells(mx, show):
    for mode, both, count in (("lstm", True, 2), ("gru", False, 2), ("rnn_tanh", True, 1)):
        cell = mx.rnn.FusedRNNCell(2, num_layers=count, mode=mode, bidirectional=both, prefix="f_")
        weights = _weights(mx, cell)
        apart = cell.unpack_weights(weights)
        show(apart)
        again = cell.pack_weights(apart)
        show(sorted(again), (again["f_parameters"].asnumpy() == weights["f_parameters"].asnumpy()).all() * 1)


def fused_and_unfused(mx, show):
    for mode in ("lstm", "gru", "rnn_relu"):
        cell = mx.rnn.FusedRNNCell(3, num_layers=2, mode=mode, bidirectional=True, prefix="f_")
        x = np.random.RandomState(1).uniform(-1, 1, (2, 4, 2))
        weights = _weights(mx, cell)
        apart = cell.unpack_weights(weights)
        stack = cell.unfuse()
        for each, values in ((cell, weights), (stack, stack.pack_weights(apart))):
            outputs, _ = each.unroll(4, inputs=mx.sym.var("data"), merge_outputs=True)
            shown = outputs.bind(mx.cpu(), {**values, "data": mx.nd.array(x)}).forward()[0]
            show(shown)


def checkpoints(mx, show):
    cell = mx.rnn.FusedRNNCell(2, num_layers=1, prefix="f_")
    net, _ = cell.unroll(3, inputs=mx.sym.var("data"), merge_outputs=True)
    weights = _weights(mx, cell)
    mx.rnn.save_rnn_checkpoint([cell], show.path("a"), 1, net, weights, {})
    mx.rnn.do_rnn_checkpoint(cell, show.path("b"), 2)(1, net, weights, {})
    mx.rnn.do_rnn_checkpoint(cell, show.path("c"), 2)(0, net, weights, {})
    show(sorted(path.name for path in show.folder.iterdir()))
    show(sorted(mx.nd.load(show.path("a-0001.params"))))
    for prefix, epoch in (("a", 1), ("b", 2)):
        again, args, aux = mx.rnn.load_rnn_checkpoint(cell, show.path(prefix), epoch)
        show(again.list_arguments(), args, aux)
    stack = cell.unfuse()
    _, args, _ = mx.rnn.load_rnn_checkpoint([stack], show.path("a"), 1)
    show(args)
