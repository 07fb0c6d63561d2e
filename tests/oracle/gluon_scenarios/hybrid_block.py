"""HybridBlocks: traces, nested inputs and outputs, inference, export, errors."""


def _fill(mx, net, scale=0.1):
    """Give all parameters values by their order."""
    for i, p in enumerate(net.collect_params().values()):
        size = 1
        for d in p.shape:
            size *= d
        p.set_data((((mx.nd.arange(size) - i) % 7) * scale).reshape(p.shape).astype(p.dtype))
    return net


def _net(mx, **kwargs):
    nn = mx.gluon.nn

    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.a = nn.Dense(3, activation="relu")
                self.b = nn.Dense(2)
                self.w = self.params.get("w", shape=(1, 2), init="ones")

        def hybrid_forward(self, F, x, w):
            return F.broadcast_mul(self.b(self.a(x)), w) + 1

    return Net(**kwargs)


def _block(mx, forward, **kwargs):
    """A block of one function, which gets F and the inputs."""

    class Made(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, *args):
            return forward(F, *args)

    return Made(**kwargs)


def _train(mx, net, *inputs):
    for x in inputs:
        x.attach_grad()
    with mx.autograd.record():
        y = net(*inputs)
        loss = (y * y).sum()
    loss.backward()
    return [
        y,
        [x.grad for x in inputs],
        [p.grad() for p in net.collect_params().values() if p.grad_req != "null"],
    ]


# ---- the same numbers


def forward(mx, show):
    net = _net(mx)
    net.initialize()
    x = mx.nd.array([[1, -2], [3, 4]])
    net(x)
    _fill(mx, net)
    show(net(x), _train(mx, net, x))
    net.hybridize()
    show(net(x), net(x), _train(mx, net, x), _train(mx, net, x[:1].copy()))
    net.hybridize(static_alloc=True, static_shape=True)
    show(net(x), _train(mx, net, x))
    net.hybridize(active=False)
    show(net(x), net(x[:1]))


def adding_gradients(mx, show):
    net = _net(mx)
    net.initialize()
    x = mx.nd.array([[1, -2], [3, 4]])
    net(x)
    _fill(mx, net)
    net.collect_params().setattr("grad_req", "add")
    net.hybridize()
    _train(mx, net, x)
    show(_train(mx, net, x))
    net.collect_params().zero_grad()
    show(_train(mx, net, x))
    net.collect_params().setattr("grad_req", "null")
    show(_train(mx, net, x))
    net.collect_params().setattr("grad_req", "write")
    show(_train(mx, net, x))


def statistics(mx, show):
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.BatchNorm(momentum=0.5))
    net.initialize()
    net.hybridize()
    x = mx.nd.array([[1, 2], [3, 8]])
    show(net(x))
    for _ in range(2):
        _train(mx, net, x)
        show(net(x), net[0].running_mean.data(), net[0].running_var.data())
    net.hybridize(active=False)
    show(net(x))


def changed_parameters(mx, show):
    net = _net(mx)
    net.initialize()
    net.hybridize()
    x = mx.nd.array([[1, -2]])
    net(x)
    _fill(mx, net)
    show(net(x))
    for _ in range(6):
        net(x)
    net.w.set_data(mx.nd.array([[2, 3]]))
    show(net(x))
    net.w.data()[:] = 5
    show(net(x))
    net.b.bias.data()[1] = 7
    show(net(x))
    net.w.data().reshape((2,))[0] = -1
    show(net(x))
    net.a.bias._data[0][:] += 1
    show(net(x))
    mx.nd.elemwise_add(net.w.data(), net.w.data(), out=net.w.data())
    show(net(x))
    mx.nd.broadcast_sub(net.w.data(), mx.nd.ones((1,)), out=net.w.data())
    show(net(x))
    net.w.initialize(init="zeros", force_reinit=True)
    show(net(x))
    net.save_parameters(show.path("f"))
    _fill(mx, net, 0.2)
    show(net(x))
    net.load_parameters(show.path("f"))
    show(net(x))
    mx.nd.ones((1, 2)).copyto(net.w.data())
    show(net(x))
    net.cast("float64")
    net.w.set_data(mx.nd.array([[3, 4]]))
    show(net(x.astype("float64")))


def constants(mx, show):
    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.c = self.params.get_constant("c", mx.nd.array([[1, 2], [3, 4]]))

        def hybrid_forward(self, F, x, c):
            return F.dot(x, c)

    net = Net()
    net.initialize()
    x = mx.nd.ones((1, 2))
    show(net(x))
    net.hybridize()
    show(net(x), _train(mx, net, x))
    net.export(show.path("m"))
    show(mx.nd.load(show.path("m-0000.params")))


# ---- names in traces


def traced_names(mx, show):
    nn = mx.gluon.nn

    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.d = nn.Dense(2, in_units=2)
                self.empty = nn.Dense(2, in_units=2, prefix="")
                self.seq = nn.HybridSequential(prefix="")
                with self.seq.name_scope():
                    self.seq.add(nn.Dense(2, in_units=2), nn.Activation("tanh"))
            self.out = nn.Dense(2, in_units=2)

        def hybrid_forward(self, F, x):
            x = F.relu(self.d(x)) + 1
            x = self.d(x) * 2
            x = F.relu(self.empty(x)) + F.relu(x, name="mine")
            return self.out(self.seq(x)) - F.relu(x)

    for kwargs in ({}, {"prefix": "net_"}, {"prefix": ""}):
        net = Net(**kwargs)
        y = net(mx.sym.var("x"))
        show(y.get_internals().list_outputs(), y.list_arguments())
        with mx.name.NameManager():
            again = net(mx.sym.relu(mx.sym.var("z")))
        show(again.get_internals().list_outputs())


def traced_files(mx, show):
    net = _net(mx, prefix="net_")
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((2, 5)))
    net.export(show.path("m"), epoch=7)
    show((show.folder / "m-symbol.json").read_text(), sorted(mx.nd.load(show.path("m-0007.params"))))


def traced_before(mx, show):
    net = _net(mx, prefix="net_")
    net.initialize()
    show.error(net.export, show.path("m"))
    net(mx.nd.ones((2, 5)))
    show.error(net.export, show.path("m"))
    net.a(mx.nd.ones((2, 5)))
    net.a.export(show.path("a"))
    show((show.folder / "a-symbol.json").read_text())
    fixed = mx.gluon.nn.Dense(2, in_units=3, prefix="fixed_")
    fixed.initialize()
    fixed(mx.nd.ones((1, 3)))
    show.error(fixed.export, show.path("n"))
    fixed.hybridize()
    show.error(fixed.export, show.path("n"))
    fixed(mx.nd.ones((1, 3)))
    fixed.export(show.path("n"))
    show((show.folder / "n-symbol.json").read_text())
    fixed.hybridize()
    show.error(fixed.export, show.path("n"))


def symbols_in(mx, show):
    net = _net(mx, prefix="net_")
    y = net(mx.sym.var("x"))
    show(y, y.list_arguments(), y.infer_shape(x=(4, 5))[1])
    pair = _block(mx, lambda F, a, b: [a + b, [a - b]], prefix="pair_")
    show(pair(mx.sym.var("a"), mx.sym.var("b")))
    show.error(net, mx.sym.Group([mx.sym.var("a"), mx.sym.var("b")]))
    net.hybridize()
    show(net(mx.sym.var("x")).list_outputs())
    net.initialize()
    both = mx.sym.Group([net(mx.sym.var("x")), net(mx.sym.var("y"))])
    show(both.list_arguments(), both.list_outputs())


# ---- nested inputs and outputs


def several_inputs(mx, show):
    pair = _block(mx, lambda F, a, b: a * 2 + b)
    a, b = mx.nd.array([1, 2]), mx.nd.array([3, 4])
    show(pair(a, b))
    pair.hybridize()
    show(pair(a, b), _train(mx, pair, a, b))
    pair.export(show.path("m"))
    show(mx.sym.load(show.path("m-symbol.json")).list_arguments())
    show.error(pair, a)
    show.error(pair, a, b, a)
    show.error(pair, [a, b])


def nested(mx, show):
    def swap(F, a, rest):
        b, (c,) = rest
        return [a + b, [c, [a * c]]], b

    net = _block(mx, swap)
    a, b, c = mx.nd.array([1, 2]), mx.nd.array([3, 4]), mx.nd.array([5, 6])
    show(net(a, [b, (c,)]))
    net.hybridize()
    show(net(a, [b, (c,)]), net(a, (b, [c])))
    show.error(net, a, [b, [c, c]])
    show.error(net, a, b)
    with mx.autograd.record():
        (first, (second, (third,))), last = net(a, [b, [c]])
    show(first, second, third, last)
    net.export(show.path("m"))
    show(mx.sym.load(show.path("m-symbol.json")))


def lists_first(mx, show):
    net = _block(mx, lambda F, pair, c: [pair[0] + pair[1], c])
    a, b, c = mx.nd.array([1, 2]), mx.nd.array([3, 4]), mx.nd.array([5, 6])
    show.error(net, [a, b], c)
    show.outcome(net, [a, b], c)
    net.hybridize()
    show.outcome(net, [a, b], c)


def nones(mx, show):
    net = _block(mx, lambda F, a, b, c: a if b is None else a + b + c)
    a = mx.nd.array([1, 2])
    show(net(a, None, None), net(a, a, a))
    net.hybridize()
    show(net(a, None, None), net(a, None, None))
    show.outcome(net, a, a, a)
    show.outcome(net, a, a, None)
    net.hybridize()
    show(net(a, a, a))
    show.outcome(net, a, None, None)
    first = _block(mx, lambda F, a, b: b * 2)
    show.outcome(first, None, a)
    first.hybridize()
    show.outcome(first, None, a)
    out = _block(mx, lambda F, a: [a, None])
    show.outcome(out, a)


def tuples(mx, show):
    net = _block(mx, lambda F, a: (a, (a + 1,)))
    a = mx.nd.array([1, 2])
    show(net(a))
    net.hybridize()
    show(net(a))
    single = _block(mx, lambda F, a: [a])
    show(single(a))
    single.hybridize()
    show(single(a))
    split = _block(mx, lambda F, a: F.split(a, num_outputs=2, axis=0))
    show(split(a))
    split.hybridize()
    show(split(a))
    show(list(split(mx.sym.var("x")).list_outputs()))
    lists = _block(mx, lambda F, a: list(F.split(a, num_outputs=2, axis=0)) + [a])
    lists.hybridize()
    show(lists(a))


def wrong_inputs(mx, show):
    import numpy as np

    net = _net(mx)
    net.initialize()
    for hybrid in (False, True):
        if hybrid:
            net.hybridize()
        show.error(net, np.ones((2, 2)))
        show.error(net, 3)
        show.error(net, None)
        show.error(net, [3])
        show.error(net)
        show.error(lambda: net(x=mx.nd.ones((2, 2))))
        show(net(mx.nd.ones((2, 2))).shape)
        show.error(net, mx.nd.ones((2, 3)))
        show.error(net, mx.nd.ones((2, 2), dtype="float64"))
    pair = _block(mx, lambda F, a, b: a + b)
    show(pair(mx.nd.ones((1,)), 3))
    show.error(pair, 3, mx.nd.ones((1,)))
    pair.hybridize()
    show.error(pair, mx.nd.ones((1,)), 3)
    show.error(pair, mx.nd.ones((1,)), np.ones((1,)))


def wrong_blocks(mx, show):
    class Extra(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.params.get("w", shape=(1,))

        def hybrid_forward(self, F, x):
            return x

    net = Extra()
    net.initialize()
    show.error(net, mx.nd.ones((1,)))
    net.hybridize()
    show.error(net, mx.nd.ones((1,)))
    show.error(mx.gluon.HybridBlock(), mx.nd.ones((1,)))
    show.error(mx.gluon.nn.HybridSequential().add, mx.gluon.nn.Sequential())
    show.error(setattr, mx.gluon.nn.HybridSequential(), "child", mx.gluon.Block())
    number = _block(mx, lambda F, x: 3)
    show(number(mx.nd.ones((1,))))
    number.hybridize()
    show.error(number, mx.nd.ones((1,)))
    shape = _block(mx, lambda F, x: F.zeros(x.shape))
    show(shape(mx.nd.ones((1,))))
    shape.hybridize()
    show.error(shape, mx.nd.ones((1,)))


def own_forward(mx, show):
    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.d = mx.gluon.nn.Dense(2, in_units=2)

        def forward(self, x):
            return self.d(x) * x.shape[0]

    net = Net()
    net.initialize()
    _fill(mx, net)
    show(net(mx.nd.ones((3, 2))))
    net.hybridize()
    show(net(mx.nd.ones((3, 2))), net(mx.nd.ones((2, 2))))


# ---- inference


def inference(mx, show):
    net = _net(mx)
    net.infer_shape(mx.nd.ones((4, 5)))
    show({k: p.shape for k, p in net.collect_params().items()})
    net.infer_type(mx.nd.ones((4, 5)))
    show({k: str(p.dtype) for k, p in net.collect_params().items()})
    show.error(net.infer_type, mx.nd.ones((4, 5), dtype="float64"))
    net.initialize()
    show(net(mx.nd.zeros((1, 5))))
    show.error(net.infer_shape, mx.nd.ones((4, 6)))

    class Free(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.params.get("w", shape=(0,), allow_deferred_init=True)

        def hybrid_forward(self, F, x, w):
            return F.broadcast_add(x, w)

    free = Free()
    free.initialize()
    show.error(free, mx.nd.ones((2, 2)))


def deferred_until_called(mx, show):
    net = _net(mx)
    net.initialize(mx.init.One())
    show.error(net.a.weight.data)
    net.hybridize()
    show(net(mx.nd.ones((1, 4))), net.a.weight.shape, net.a.weight.data())
    other = _net(mx)
    show.error(other, mx.nd.ones((1, 4)))
    other.hybridize()
    show.error(other, mx.nd.ones((1, 4)))


def casts(mx, show):
    net = _net(mx)
    net.initialize()
    net.hybridize()
    x = mx.nd.ones((1, 4))
    net(x)
    _fill(mx, net)
    show(net(x))
    net.cast("float64")
    show(net(x.astype("float64")))
    show.error(net, x)
    net.cast("float32")
    show(net(x))


# ---- options


def options(mx, show):
    net = _net(mx)
    net.initialize()
    x = mx.nd.ones((1, 4))
    net(x)
    _fill(mx, net)
    for kwargs in (
        {},
        {"static_alloc": True},
        {"static_shape": True, "static_alloc": True},
        {"inline_limit": 0},
        {"forward_bulk_size": 3, "backward_bulk_size": 2},
        {"clear": False},
        {"foo": 1},
        {"active": False},
    ):
        net.hybridize(**kwargs)
        show.outcome(net, x)
    show.error(lambda: (net.hybridize(static_shape=True), net(x)))
    net.hybridize(False)
    show(net(x))


def modes(mx, show):
    mode = _block(mx, lambda F, x: F.Dropout(x, p=1e-9) + (2 if mx.autograd.is_training() else 1))
    x = mx.nd.zeros((1,))
    show(mode(x))
    with mx.autograd.record():
        show(mode(x))
    with mx.autograd.train_mode():
        show(mode(x))
    with mx.autograd.record(train_mode=False):
        show(mode(x))


def children_by_themselves(mx, show):
    net = _net(mx)
    net.initialize()
    net.hybridize()
    x = mx.nd.ones((1, 4))
    net(x)
    _fill(mx, net)
    show(net.a(x), net.b(net.a(x)), net(x))
    net.b = mx.gluon.nn.Dense(1, in_units=3)
    net.b.initialize(mx.init.One())
    show(net(x))
    net.a.hybridize(False)
    show(net(x))


def growing(mx, show):
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(2, in_units=2, weight_initializer="ones"))
    net.initialize()
    net.hybridize()
    x = mx.nd.ones((1, 2))
    show(net(x))
    net.add(mx.gluon.nn.Dense(1, in_units=2, weight_initializer="ones"))
    net[1].initialize()
    show(net(x))


def hooks(mx, show):
    net = _net(mx, prefix="net_")
    net.initialize()
    calls = []
    net.register_forward_hook(lambda b, x, y: calls.append(b.name))
    net.a.register_forward_hook(lambda b, x, y: calls.append(b.name + type(y).__name__))
    net.register_forward_pre_hook(lambda b, x: calls.append(len(x)))
    x = mx.nd.ones((1, 4))
    net(x)
    calls.clear()
    net(x)
    show(calls)
    net.hybridize()
    calls.clear()
    net(x)
    net(x)
    show(calls)


def contexts(mx, show):
    net = _net(mx)
    net.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    x = mx.nd.ones((1, 4))
    net(x)
    _fill(mx, net)
    for _ in range(2):
        show(net(x), net(x.as_in_context(mx.cpu(1))))
        net.w.data(mx.cpu(1))[:] = 5
        net.hybridize()
    show.error(net, x.as_in_context(mx.cpu(2)))
    net.collect_params().reset_ctx(mx.cpu(2))
    show(net(x.as_in_context(mx.cpu(2))))


# ---- files


def export(mx, show):
    net = mx.gluon.nn.HybridSequential(prefix="s_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(2, 3), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(2))
    net.initialize()
    net.hybridize()
    x = mx.nd.ones((1, 1, 4, 4))
    net(x)
    net.export(show.path("m"), 12)
    show(sorted(p.name for p in show.folder.iterdir()))
    show((show.folder / "m-symbol.json").read_text())
    show(sorted(mx.nd.load(show.path("m-0012.params"))))
    net.cast("float64")
    net(x.astype("float64"))
    net.export(show.path("m"), 13)
    show(sorted(str(v.dtype) for v in mx.nd.load(show.path("m-0013.params")).values()))


def export_of_several(mx, show):
    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.a = mx.gluon.nn.Dense(2)

        def hybrid_forward(self, F, x, others):
            return self.a(x) + others[0], [others[1]]

    net = Net(prefix="n_")
    net.initialize()
    net.hybridize()
    x = mx.nd.ones((1, 2))
    net(x, [x, x])
    net.export(show.path("m"))
    graph = mx.sym.load(show.path("m-symbol.json"))
    show(graph, sorted(mx.nd.load(show.path("m-0000.params"))))
    again = mx.gluon.SymbolBlock.imports(
        show.path("m-symbol.json"), ["data0", "data1", "data2"], show.path("m-0000.params")
    )
    show(len(again(x, x, x)), again(x, x, x)[1])


def names_of_inputs(mx, show):
    a = mx.nd.array([1])
    for args in ((a,), ([a],), (a, a), (a, None), (None, a), (a, None, a), ([a, [None, a]], a), ([a], None)):
        net = _block(mx, lambda F, *xs: _sum(xs))
        net.hybridize()
        show.outcome(net, *args)
        net.export(show.path("m"))
        show(mx.sym.load(show.path("m-symbol.json")).list_arguments())


def _sum(items):
    total = 0
    for item in items:
        if isinstance(item, (list, tuple)):
            total = total + _sum(item)
        elif item is not None:
            total = total + item
    return total


def copies(mx, show):
    import copy

    net = _net(mx, prefix="net_")
    net.initialize()
    net(mx.nd.ones((1, 2)))
    _fill(mx, net)
    again = copy.deepcopy(net)
    again.w.set_data(mx.nd.array([[5, 6]]))
    show(net(mx.nd.ones((1, 2))), again(mx.nd.ones((1, 2))), list(again.collect_params()), again.w is net.w)
    show(again.collect_params()["net_w"] is again.w)
    show(net.w.grad(), copy.copy(net).w is net.w)


def backends(mx, show):
    net = _net(mx)
    net.initialize()
    show.error(net.optimize_for, mx.nd.ones((1, 2)))
