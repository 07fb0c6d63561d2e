"""Recurrent layers as single cells."""


def _look(show, layer):
    """The cells, their names and their parameters."""
    cells = layer._unfuse()
    show(str(cells), cells.prefix, cells.name, [c.prefix for c in cells._children.values()])
    show([[p.name, list(p.shape), str(p.dtype)] for p in cells.collect_params().values()])
    show([p is layer.collect_params()[name] for name, p in cells.collect_params().items()])
    return cells


def kinds(mx, show):
    rnn = mx.gluon.rnn
    _look(show, rnn.RNN(3))
    _look(show, rnn.RNN(3, activation="tanh", input_size=4, prefix="r_"))
    _look(show, rnn.LSTM(3, layout="NTC"))
    _look(show, rnn.LSTM(3, num_layers=2, bidirectional=True, input_size=4, dropout=0.5))
    _look(show, rnn.GRU(3, num_layers=3, dropout=0.3))
    _look(show, rnn.GRU(3, dropout=0.3))
    _look(show, rnn.LSTM(3, dtype="float64", input_size=4))
    _look(show, rnn.LSTM(3, i2h_weight_initializer="ones", h2h_bias_initializer="ones", input_size=4))


def _values(mx, layer):
    """Give all parameters values by their order."""
    for i, p in enumerate(layer.collect_params().values()):
        size = 1
        for d in p.shape:
            size *= d
        p.set_data(((mx.nd.arange(size) % 7 - i % 3) * 0.1).reshape(p.shape))


def they_compute_the_same(mx, show):
    rnn, x = mx.gluon.rnn, mx.nd.arange(40).reshape((5, 2, 4)) / 40
    for layer in (
        rnn.RNN(3, input_size=4),
        rnn.LSTM(3, num_layers=2, bidirectional=True, input_size=4),
        rnn.GRU(3, num_layers=2, input_size=4),
    ):
        layer.initialize()
        _values(mx, layer)
        y = layer(x)
        out, states = layer._unfuse().unroll(5, x, layout="TNC", merge_outputs=True)
        show(y, (out - y).abs().max().asscalar() < 1e-6, len(states), states[0])


def of_layers_in_use(mx, show):
    layer = mx.gluon.rnn.GRU(3, prefix="g_")
    layer.initialize()
    layer(mx.nd.ones((5, 2, 4)))
    _look(show, layer)


def trained_together(mx, show):
    layer = mx.gluon.rnn.GRU(3, input_size=4, prefix="g_")
    layer.initialize()
    _values(mx, layer)
    cells = layer._unfuse()
    with mx.autograd.record():
        out, _ = cells.unroll(3, mx.nd.ones((3, 2, 4)), layout="TNC", merge_outputs=True)
    out.backward()
    show(layer.l0_i2h_bias.grad(), layer.l0_h2h_weight.grad())


def refused(mx, show):
    rnn = mx.gluon.rnn
    show.error(rnn.LSTM(3, projection_size=2)._unfuse)
    show.error(rnn.LSTM(3, state_clip_min=-1, state_clip_max=1)._unfuse)
