"""Recurrent cells and layers in blocks that make their first states themselves, hybridized."""

STEPS, BATCH, WIDTH = 4, 2, 3


def _cells(mx):
    rnn = mx.gluon.rnn

    def stacked(*cells):
        stack = rnn.HybridSequentialRNNCell()
        for cell in cells:
            stack.add(cell)
        return stack

    return {
        "rnn": lambda: rnn.RNNCell(WIDTH),
        "stacked": lambda: stacked(rnn.LSTMCell(WIDTH), rnn.GRUCell(WIDTH)),
        "residual": lambda: rnn.ResidualCell(rnn.GRUCell(4)),
        "zoneout": lambda: rnn.ZoneoutCell(rnn.LSTMCell(WIDTH)),
        "bidirectional": lambda: rnn.BidirectionalCell(rnn.LSTMCell(WIDTH), rnn.GRUCell(2)),
        "dropout": lambda: mx.gluon.contrib.rnn.VariationalDropoutCell(rnn.LSTMCell(WIDTH)),
        "projected": lambda: mx.gluon.contrib.rnn.LSTMPCell(WIDTH, 2),
    }


def _states(F, cell, how):
    if how == "none":
        return None
    if how == "unknown":
        return cell.begin_state(batch_size=0, func=F.zeros, dtype="float32")
    if how == "ones":
        return cell.begin_state(batch_size=BATCH, func=F.ones)
    return [F.zeros(info["shape"]) for info in cell.state_info(BATCH)]


def _block(mx, make, compute):
    class Net(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="net_")
            with self.name_scope():
                self.cell = make()

        def hybrid_forward(self, F, x, *others):
            return compute(F, self.cell, x, *others)

    net = Net()
    net.initialize(mx.init.Constant(0.1))
    net.hybridize()
    return net


def _x(mx):
    return mx.nd.arange(BATCH * STEPS * 4).reshape((BATCH, STEPS, 4)) / 10


def _run(mx, show, net, *inputs):
    show(net(*inputs))
    inputs[0].attach_grad()
    with mx.autograd.record():
        y = net(*inputs)
        loss = (y * y).sum()
    loss.backward()
    show(inputs[0].grad)


def unrolled(mx, show):
    for make in _cells(mx).values():
        for how in ("none", "unknown"):

            def compute(F, cell, x, how=how):
                states = _states(F, cell, how)
                return cell.unroll(STEPS, x, begin_state=states, layout="NTC", merge_outputs=True)[0]

            _run(mx, show, _block(mx, make, compute), _x(mx))


def of_valid_lengths(mx, show):
    for make in _cells(mx).values():

        def compute(F, cell, x, lengths):
            y, states = cell.unroll(STEPS, x, layout="NTC", merge_outputs=True, valid_length=lengths)
            return F.concat(y.reshape((-1,)), *[s.reshape((-1,)) for s in states], dim=0)

        _run(mx, show, _block(mx, make, compute), _x(mx), mx.nd.array([2, 4]))


def step_by_step(mx, show):
    for name, make in _cells(mx).items():
        if name == "bidirectional":
            continue
        for how in ("unknown", "ones"):

            def compute(F, cell, x, how=how):
                states, outputs = _states(F, cell, how), []
                for i in range(STEPS):
                    y, states = cell(F.slice_axis(x, axis=1, begin=i, end=i + 1).reshape((0, -1)), states)
                    outputs.append(y)
                return F.stack(*outputs, axis=1)

            _run(mx, show, _block(mx, make, compute), _x(mx))


def layers(mx, show):
    rnn = mx.gluon.rnn
    for make in (rnn.RNN, rnn.LSTM):
        for options in ({}, {"bidirectional": True}):
            for how in ("unknown", "list"):

                def compute(F, layer, x, how=how):
                    y, states = layer(x, _states(F, layer, how))
                    return F.concat(y.reshape((-1,)), *[s.reshape((-1,)) for s in states], dim=0)

                net = _block(mx, lambda make=make, options=options: make(WIDTH, **options), compute)
                _run(mx, show, net, mx.nd.swapaxes(_x(mx), 0, 1))


def made_of_nothing(mx, show):
    uses = (
        lambda F, d, x: F.zeros((0, 3)) + d(x),
        lambda F, d, x: F.concat(F.zeros((0, 2)), d(x), dim=1),
        lambda F, d, x: F.where(x > 1, F.zeros((0, 4)), x),
        lambda F, d, x: F.full((0, 3), 2.0) * d(x),
        lambda F, d, x: F.tanh(F.tanh(F.zeros((0, 3)) + d(x)) + d(x)),
        lambda F, d, x: F.relu(F.zeros((0, 3))) + d(x),
        lambda F, d, x: F.random.uniform(0, 0, shape=(0, 3)) + d(x),
        lambda F, d, x: F.slice_axis(F.zeros((0, 6)), axis=1, begin=0, end=3) + d(x),
        lambda F, d, x: d(F.zeros((0, 4))) + F.slice_axis(x, axis=1, begin=0, end=3),
    )
    x = mx.nd.arange(8).reshape((2, 4)) / 4
    for use in uses:
        net = _block(mx, lambda: mx.gluon.nn.Dense(3), use)
        show.outcome(net, x)
        show.outcome(net, mx.nd.concat(x, x, dim=0))
