"""Results whose graph was differentiated: constants of what is recorded next."""


def _variable(mx, *values):
    x = mx.nd.array(values or (3.0,))
    x.attach_grad()
    return x


def _dense(mx):
    net = mx.gluon.nn.Dense(1, use_bias=False, in_units=1)
    net.initialize(mx.init.Constant(2.0))
    return net


def a_constant_then(mx, show):
    x = _variable(mx)
    with mx.autograd.record():
        y = x * x
    y.backward()
    with mx.autograd.record():
        z = y * x
    z.backward()
    show(x.grad)


def within_one_scope(mx, show):
    x = _variable(mx)
    with mx.autograd.record():
        y = x * x
        y.backward()
        z = y * x
        z.backward()
    show(x.grad)


def retained(mx, show):
    x = _variable(mx)
    with mx.autograd.record():
        y = x * x
    y.backward(retain_graph=True)
    show(x.grad)
    with mx.autograd.record():
        z = y * x
    z.backward()
    show(x.grad)


def steps_on_the_way(mx, show):
    x = _variable(mx, 1.0, 2.0, 3.0)
    with mx.autograd.record():
        h = x * x
        y = h * 2
    y.backward()
    with mx.autograd.record():
        z = (h[1:] * x[1:]).sum()
    z.backward()
    show(x.grad)


def other_outputs(mx, show):
    x = _variable(mx, 1.0, 2.0)
    with mx.autograd.record():
        a, b = mx.nd.split(x.reshape((1, 2)), 2, axis=1)
        y = a * a
    y.backward()
    with mx.autograd.record():
        z = (a * b * mx.nd.sum(x)).sum()
    z.backward()
    show(x.grad)


def by_grad(mx, show):
    x = _variable(mx)
    with mx.autograd.record():
        y = x * x
    show(mx.autograd.grad(y, [x]))
    with mx.autograd.record():
        z = y * x
    z.backward()
    show(x.grad)


def changed_in_place(mx, show):
    x = _variable(mx)
    with mx.autograd.record():
        y = x * x
    y.backward()
    y += 1
    with mx.autograd.record():
        y += 1
        z = y * x
    z.backward()
    show(x.grad, y)


def a_variable_anew(mx, show):
    x = _variable(mx)
    with mx.autograd.record():
        y = x * x
    y.backward()
    y.attach_grad()
    with mx.autograd.record():
        z = y * x
    z.backward()
    show(x.grad, y.grad)


def nothing_is_left(mx, show):
    x = _variable(mx)
    with mx.autograd.record():
        y = x * x
    y.backward()
    with mx.autograd.record():
        z, other = y * 2, x * 5
    show.error(z.backward)
    show.error(y.backward)
    show.error(mx.autograd.backward, [y, other])
    show.error(mx.autograd.get_symbol, y)
    show.error(mx.autograd.grad, other, [y])
    show(x.grad)


def recorded_before(mx, show):
    x = _variable(mx)
    with mx.autograd.record():
        y = x * x
        z = y * x
    y.backward()
    show.error(z.backward)


def states_from_step_to_step(mx, show):
    w, h = _variable(mx, 2.0), mx.nd.ones((1,))
    for _ in range(3):
        with mx.autograd.record():
            for _ in range(2):
                h = h * w
            loss = h * h
        loss.backward()
        show(w.grad, h)


def layers(mx, show):
    for hybridized in (False, True):
        x, net = _variable(mx), _dense(mx)
        if hybridized:
            net.hybridize()
        with mx.autograd.record():
            y = net(x.reshape((1, 1)))
        y.backward()
        with mx.autograd.record():
            z = net(y) * x.reshape((1, 1))
        z.backward()
        show(x.grad, net.weight.grad())


def hybridized_states(mx, show):
    x, net = _variable(mx), mx.gluon.nn.HybridSequential()
    net.add(_dense(mx), _dense(mx))
    net.hybridize()
    state = x.reshape((1, 1))
    for _ in range(3):
        with mx.autograd.record():
            state = net(state)
            loss = (state * x.reshape((1, 1))).sum()
        loss.backward()
        show(x.grad, net[0].weight.grad(), state)


def states_of_layers(mx, show):
    for layer, hybridized in ((mx.gluon.rnn.LSTM(2), False), (mx.gluon.rnn.GRU(2), True)):
        layer.initialize(mx.init.Constant(0.1))
        if hybridized:
            layer.hybridize()
        x, states = mx.nd.ones((3, 1, 2)), layer.begin_state(batch_size=1)
        x.attach_grad()
        for _ in range(2):
            with mx.autograd.record():
                y, states = layer(x, states)
                loss = (y * y).sum()
            loss.backward()
            show(x.grad, states)


def own_functions(mx, show):
    class Twice(mx.autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, dy):
            return dy * 2

    x = _variable(mx)
    with mx.autograd.record():
        y = Twice()(x)
    y.backward()
    with mx.autograd.record():
        z = Twice()(y) * x
    z.backward()
    show(x.grad)
