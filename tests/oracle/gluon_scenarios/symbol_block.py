"""SymbolBlocks: graphs from files, cut out of other graphs, and composed."""


def _fill(mx, net, scale=0.1):
    """Give all parameters values by their order."""
    for i, p in enumerate(net.collect_params().values()):
        size = 1
        for d in p.shape:
            size *= d
        p.set_data((((mx.nd.arange(size) - i) % 7) * scale).reshape(p.shape).astype(p.dtype))
    return net


def _exported(mx, show, name="m"):
    """A small net with auxiliary states, in two files; its input is (N, 1, 4, 4)."""
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(2, 3), nn.BatchNorm(), nn.Dense(3, activation="relu"), nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(_data(mx))
    _fill(mx, net)
    net.export(show.path(name))
    return net


def _data(mx, n=2):
    return mx.nd.arange(n * 16).reshape((n, 1, 4, 4)) / 10


def _sums(mx):
    """Weighted sums of two inputs as a symbol."""
    a, b = mx.sym.var("a"), mx.sym.var("b")
    x = mx.sym.FullyConnected(a, num_hidden=3, name="fc1")
    y = mx.sym.FullyConnected(b, num_hidden=3, name="fc2", no_bias=True)
    return mx.sym.broadcast_add(mx.sym.relu(x, name="act"), y, name="total")


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


# ---- from files


def imports(mx, show):
    net = _exported(mx, show)
    x = _data(mx)
    again = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    show(net(x), again(x), repr(again), again.name, again.prefix, list(again.collect_params()))
    show([p.grad_req for p in again.collect_params().values()], again.params.prefix)
    again.hybridize()
    show(again(x), again(_data(mx, 1)), again(x))
    text = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), "data", show.path("m-0000.params"))
    show(text(x), text.name)
    there = mx.gluon.SymbolBlock.imports(
        show.path("m-symbol.json"), ["data"], show.path("m-0000.params"), ctx=mx.cpu(1)
    )
    show(there.collect_params().list_ctx(), there(x.as_in_context(mx.cpu(1))))
    two = mx.gluon.SymbolBlock.imports(
        show.path("m-symbol.json"), ["data"], show.path("m-0000.params"), ctx=[mx.cpu(0), mx.cpu(1)]
    )
    show(two(x), two(x.as_in_context(mx.cpu(1))))


def imports_for_training(mx, show):
    net = _exported(mx, show)
    x = _data(mx)
    again = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    show(_train(mx, net, x), _train(mx, again, x))
    again.hybridize()
    show(_train(mx, again, x))
    show([p.data() for p in again.collect_params().values() if p.grad_req == "null"], again(x))


def imports_of_the_graph_alone(mx, show):
    _exported(mx, show)
    net = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"])
    show({k: (p.shape, str(p.dtype), p.grad_req, p.lr_mult) for k, p in net.collect_params().items()})
    show.error(net, _data(mx))
    net.initialize(mx.init.One())
    show(net(_data(mx)))
    show({k: p.shape for k, p in net.collect_params().items()})


def imports_with_wrong_names(mx, show):
    _exported(mx, show)
    symbol, params = show.path("m-symbol.json"), show.path("m-0000.params")
    imports = mx.gluon.SymbolBlock.imports
    show.error(imports, symbol, ["wrong"], params)
    show.error(imports, symbol, [], params)
    show.error(imports, show.path("nothing.json"), ["data"], params)
    show.error(imports, symbol, ["data"], show.path("nothing"))
    show.error(imports, params, ["data"], params)
    show.error(imports, symbol, ["data"], symbol)


def imports_of_other_parameters(mx, show):
    _exported(mx, show)
    symbol = show.path("m-symbol.json")
    imports = mx.gluon.SymbolBlock.imports
    values = mx.nd.load(show.path("m-0000.params"))
    fewer = {k: v for k, v in values.items() if "bias" not in k}
    mx.nd.save(show.path("fewer"), fewer)
    show.error(imports, symbol, ["data"], show.path("fewer"))
    net = imports(symbol, ["data"], show.path("fewer"), allow_missing=True)
    show.error(net, _data(mx))
    mx.nd.save(show.path("more"), {**values, "arg:other": mx.nd.ones((1,))})
    show.error(imports, symbol, ["data"], show.path("more"))
    show(imports(symbol, ["data"], show.path("more"), ignore_extra=True)(_data(mx)))
    mx.nd.save(show.path("plain"), {k[4:]: v for k, v in values.items()})
    show(imports(symbol, ["data"], show.path("plain"))(_data(mx)))
    mx.nd.save(show.path("double"), {k: v.astype("float64") for k, v in values.items()})
    double = imports(symbol, ["data"], show.path("double"))
    show(sorted(str(p.dtype) for p in double.collect_params().values()))
    show(double(_data(mx).astype("float64")))
    reshaped = {k: v.reshape((-1,)) if k == "arg:net_dense1_weight" else v for k, v in values.items()}
    mx.nd.save(show.path("reshaped"), reshaped)
    show.error(imports, symbol, ["data"], show.path("reshaped"))


def imports_of_several_inputs(mx, show):
    _sums(mx).save(show.path("s.json"))
    mx.nd.save(
        show.path("p"),
        {
            "arg:fc1_weight": mx.nd.arange(6).reshape((3, 2)),
            "arg:fc1_bias": mx.nd.ones((3,)),
            "arg:fc2_weight": mx.nd.arange(6).reshape((3, 2)) - 3,
        },
    )
    a, b = mx.nd.array([[1, 2]]), mx.nd.array([[3, -1]])
    for names in (["a", "b"], ["b", "a"]):
        net = mx.gluon.SymbolBlock.imports(show.path("s.json"), names, show.path("p"))
        show(net(a, b), _train(mx, net, a, b))
        net.hybridize()
        show(net(a, b), _train(mx, net, a, b))
        show.outcome(net, a)
        show.outcome(net, [a, b])
        show.outcome(net, a, b, a)
    show.error(mx.gluon.SymbolBlock.imports, show.path("s.json"), ["a"], show.path("p"))
    show(repr(net))


def imports_with_labels(mx, show):
    data = mx.sym.var("data")
    out = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(data, num_hidden=2, name="fc"), name="softmax")
    out.save(show.path("s.json"))
    mx.nd.save(show.path("p"), {"arg:fc_weight": mx.nd.ones((2, 3)), "arg:fc_bias": mx.nd.array([0, 1])})
    show.error(mx.gluon.SymbolBlock.imports, show.path("s.json"), ["data"], show.path("p"))
    net = mx.gluon.SymbolBlock.imports(show.path("s.json"), ["data", "softmax_label"], show.path("p"))
    x = mx.nd.ones((2, 3))
    show(net(x, mx.nd.zeros((2,))))
    loose = mx.gluon.SymbolBlock.imports(show.path("s.json"), ["data"], show.path("p"), allow_missing=True)
    show.error(loose, x)
    loose.initialize()
    show(loose(x))


def imports_of_several_outputs(mx, show):
    total = _sums(mx)
    mx.sym.Group([total, total.get_internals()["act_output"]]).save(show.path("s.json"))
    net = mx.gluon.SymbolBlock.imports(show.path("s.json"), ["a", "b"])
    net.initialize(mx.init.One())
    a = mx.nd.array([[1, 2]])
    show(net(a, a), repr(net))
    net.hybridize()
    show(net(a, a))


# ---- of symbols


def made(mx, show):
    total = _sums(mx)
    net = mx.gluon.SymbolBlock(total, [mx.sym.var("a"), mx.sym.var("b")])
    show(repr(net), list(net.collect_params()), net.prefix, net.name, list(net._collect_params_with_prefix()))
    net.initialize(mx.init.One())
    a = mx.nd.array([[1, 2]])
    show(net(a, a))
    single = mx.gluon.SymbolBlock(mx.sym.relu(mx.sym.var("x")), mx.sym.var("x"))
    show(single(a - 1.5), repr(single), list(single.collect_params()))
    other = mx.gluon.SymbolBlock(
        [total, total.get_internals()["act_output"]], [mx.sym.var("a"), mx.sym.var("b")]
    )
    other.initialize(mx.init.One())
    show(other(a, a))
    one = mx.gluon.SymbolBlock([total], [mx.sym.var("a"), mx.sym.var("b")])
    one.initialize(mx.init.One())
    show(one(a, a))


def keys_of_files(mx, show):
    for names in (
        ("w",),
        ("net_w",),
        ("net_w", "net_b"),
        ("net_weight", "net_weight2"),
        ("a_w", "b_w"),
        ("x1", "x2"),
    ):
        y = mx.sym.var("data")
        for name in names:
            y = y + mx.sym.var(name)
        net = mx.gluon.SymbolBlock(y, mx.sym.var("data"))
        show(list(net._collect_params_with_prefix()))
        outer = mx.gluon.nn.HybridSequential()
        outer.add(net)
        show(list(outer._collect_params_with_prefix()))


def unused(mx, show):
    x, y, a = mx.sym.var("x"), mx.sym.var("y"), mx.nd.ones((1, 2))
    net = mx.gluon.SymbolBlock(mx.sym.relu(x), [x, y])
    show(net(a, a))
    net.hybridize()
    show(show.warned(net, a, a))
    show(show.warned(net, a, a))
    show.error(net, a)

    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.u = mx.gluon.nn.Dense(1, in_units=1)
            self.v = mx.gluon.nn.Dense(1)

        def hybrid_forward(self, F, x, y):
            return x * 2

    net = Net()
    net.initialize()
    show(show.warned(net, a, a))
    net.hybridize()
    show(show.warned(net, a, a))
    show(show.warned(net, a, a))


def made_wrongly(mx, show):
    total = _sums(mx)
    a, b = mx.sym.var("a"), mx.sym.var("b")
    show.error(mx.gluon.SymbolBlock, total, [mx.sym.relu(a), b])
    show.error(mx.gluon.SymbolBlock, total, [mx.sym.Group([a, b])])
    show.error(mx.gluon.SymbolBlock, total, ["a", "b"])
    some = mx.gluon.SymbolBlock(total, [a])
    show(list(some.collect_params()))
    show.error(some, mx.nd.ones((1, 2)))


def cut_out(mx, show):
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, in_units=2, activation="relu"), nn.Dense(2, in_units=3), nn.Dense(1, in_units=2))
    net.initialize()
    _fill(mx, net)
    data = mx.sym.var("data")
    inner = net(data).get_internals()
    show(inner.list_outputs())
    features = mx.gluon.SymbolBlock(
        [inner["net_dense0_relu_fwd_output"], inner["net_dense1_fwd_output"]],
        data,
        params=net.collect_params(),
    )
    x = mx.nd.array([[1, 2]])
    show(features(x), list(features.collect_params()))
    show(features.collect_params()["net_dense0_weight"] is net[0].weight)
    net[0].weight.set_data(net[0].weight.data() * 2)
    show(features(x))
    features.hybridize()
    show(features(x))
    net[0].weight.data()[:] = 1
    show(features(x))
    show.outcome(mx.gluon.SymbolBlock(inner["net_dense1_fwd_output"], data), x)


def parameters_shared(mx, show):
    params = mx.gluon.ParameterDict("")
    weight = params.get("fc1_weight", shape=(3, 2), init="ones")
    net = mx.gluon.SymbolBlock(_sums(mx), [mx.sym.var("a"), mx.sym.var("b")], params=params)
    show(net.collect_params()["fc1_weight"] is weight, list(params), list(net.collect_params()))
    net.initialize(mx.init.One())
    show(net(mx.nd.ones((1, 2)), mx.nd.ones((1, 2))))
    prefixed = mx.gluon.ParameterDict("p_")
    prefixed.get("weight", shape=(1,))
    other = mx.gluon.SymbolBlock(
        mx.sym.relu(mx.sym.var("x")) + mx.sym.var("p_weight"), mx.sym.var("x"), params=prefixed
    )
    show(list(other.collect_params()), other.collect_params()["p_weight"] is prefixed["p_weight"])


def attributes_of_variables(mx, show):
    w = mx.sym.var("w", shape=(1, 2), lr_mult=0.5, wd_mult=2, init=mx.init.Constant(3))
    net = mx.gluon.SymbolBlock(mx.sym.broadcast_mul(mx.sym.var("x"), w), mx.sym.var("x"))
    p = net.collect_params()["w"]
    show(p.shape, str(p.dtype), p.lr_mult, p.wd_mult, p.grad_req)
    net.initialize(mx.init.One())
    show(net(mx.nd.ones((1, 2))))


# ---- use


def casts(mx, show):
    _exported(mx, show)
    net = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    net.cast("float64")
    show({k: str(p.data().dtype) for k, p in net.collect_params().items()})
    show(net(_data(mx).astype("float64")))
    net.hybridize()
    show(net(_data(mx).astype("float64")))
    net.cast("float32")
    show(net(_data(mx)))
    net.cast("float16")
    show({k: str(p.data().dtype) for k, p in net.collect_params().items()})


def composed(mx, show):
    nn = mx.gluon.nn
    _exported(mx, show)
    x = _data(mx)
    imported = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    y = imported(mx.sym.var("picture"))
    show(y.list_arguments(), y.list_auxiliary_states(), y.list_outputs())
    net = nn.HybridSequential(prefix="outer_")
    with net.name_scope():
        net.add(nn.HybridLambda(lambda F, x: x * 2), imported, nn.Dense(1))
    show(repr(net), list(net.collect_params()))
    net[2].initialize(mx.init.One())
    show(net(x))
    net.hybridize()
    show(net(x), _train(mx, net, x), net(x))
    net.export(show.path("n"))
    graph = mx.sym.load(show.path("n-symbol.json"))
    show(
        graph.list_arguments(),
        graph.get_internals().list_outputs(),
        sorted(mx.nd.load(show.path("n-0000.params"))),
    )
    again = mx.gluon.SymbolBlock.imports(show.path("n-symbol.json"), ["data"], show.path("n-0000.params"))
    show(again(x))
    net.save_parameters(show.path("f"))
    show(sorted(mx.nd.load(show.path("f"))))


def composed_twice(mx, show):
    block = mx.gluon.SymbolBlock(
        mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2, name="fc"), mx.sym.var("x")
    )
    net = mx.gluon.nn.HybridSequential()
    net.add(block, block)
    block.initialize(mx.init.One())
    show.error(net.hybridize)
    show(net(mx.nd.ones((1, 2))), list(net.collect_params()))
    y = net(mx.sym.var("z"))
    show(y.list_arguments(), y.get_internals().list_outputs())


def composed_in_plain_blocks(mx, show):
    _exported(mx, show)
    imported = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))

    class Net(mx.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = imported
                self.head = mx.gluon.nn.Dense(1, in_units=2)

        def forward(self, x):
            return self.head(self.body(x))

    net = Net(prefix="n_")
    net.head.initialize(mx.init.One())
    show(net(_data(mx)), list(net.collect_params()))
    net.hybridize()
    show(net(_data(mx)))


def exported_again(mx, show):
    _exported(mx, show)
    net = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    show.error(net.export, show.path("n"))
    net.hybridize()
    show.error(net.export, show.path("n"))
    net(_data(mx))
    net.export(show.path("n"), 3)
    same = (show.folder / "n-symbol.json").read_text() == (show.folder / "m-symbol.json").read_text()
    show(same, sorted(mx.nd.load(show.path("n-0003.params"))))


def saved_parameters(mx, show):
    _exported(mx, show)
    net = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    net.save_parameters(show.path("f"))
    show(sorted(mx.nd.load(show.path("f"))))
    other = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"])
    other.collect_params().load(show.path("m-0000.params"))
    show(other(_data(mx)))
    exported = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"])
    exported.load_parameters(show.path("m-0000.params"))
    show(exported(_data(mx)))


def changed_parameters(mx, show):
    _exported(mx, show)
    net = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    net.hybridize()
    x = _data(mx)
    show(net(x))
    for _ in range(6):
        net(x)
    bias = net.collect_params()["net_dense1_bias"]
    bias.set_data(mx.nd.array([5, 6]))
    show(net(x))
    bias.data()[:] += 1
    show(net(x))
    net.collect_params().load(show.path("m-0000.params"))
    show(net(x))
    mean = net.collect_params()["net_batchnorm0_running_mean"]
    mean.set_data(mx.nd.array([50, 6]))
    show(net(x))
    net.collect_params().reset_ctx(mx.cpu(1))
    show(net(x.as_in_context(mx.cpu(1))))
    show.error(net, x)


def wrong_inputs(mx, show):
    import numpy as np

    net = mx.gluon.SymbolBlock(_sums(mx), [mx.sym.var("a"), mx.sym.var("b")])
    net.initialize(mx.init.One())
    a = mx.nd.ones((1, 2))
    for hybrid in (False, True):
        net.hybridize(hybrid)
        show.error(net, a)
        show.error(net, 3, 4)
        show.error(net, np.ones((1, 2)), a)
        show.error(net, a, 3)
        show.error(net, [a, a])
        show.error(net)
        show(net(a, a))
        show.error(net, a, mx.nd.ones((1, 3)))
    show.error(net.hybrid_forward, mx.nd, a, a)


def reshaped_inputs(mx, show):
    _exported(mx, show)
    net = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    for _ in range(2):
        show(net(_data(mx, 3)).shape)
        show.error(net, mx.nd.ones((1, 1, 5, 5)))
        show.error(net, mx.nd.ones((1, 16)))
        net.hybridize()


def summaries(mx, show):
    import contextlib
    import io

    _exported(mx, show)
    net = mx.gluon.SymbolBlock.imports(show.path("m-symbol.json"), ["data"], show.path("m-0000.params"))
    with contextlib.redirect_stdout(io.StringIO()) as text:
        net.summary(_data(mx))
    show(text.getvalue())


def nested_inputs(mx, show):
    a, b = mx.sym.var("a"), mx.sym.var("b")
    net = mx.gluon.SymbolBlock([a + b, [a * b]], [[a], b])
    x = mx.nd.array([2])
    show.outcome(net, [x], x)
    net.hybridize()
    show.outcome(net, [x], x)
    show.outcome(net, x, x)


def copies(mx, show):
    import copy

    net = mx.gluon.SymbolBlock(_sums(mx), [mx.sym.var("a"), mx.sym.var("b")])
    net.initialize(mx.init.One())
    a = mx.nd.array([[1, 2]])
    net(a, a)
    again = copy.copy(net)
    show(again(a, a))
