"""Blocks: names, children, parameters, files, hooks."""


def _net(mx, scoped=True, **kwargs):
    """A block with a parameter, a constant, and children of several kinds."""
    nn = mx.gluon.nn

    class Net(mx.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.Sequential()
                with self.body.name_scope():
                    self.body.add(nn.Dense(3, in_units=2), nn.Dense(2, in_units=3))
                self.head = nn.Dense(1, in_units=2)
                self.w = self.params.get("w", shape=(1,), init="ones")
                self.c = self.params.get_constant("c", mx.nd.array([2]))

        def forward(self, x):
            return self.head(self.body(x)) * self.w.data() + self.c.data()

    return Net(**kwargs)


def _names(block):
    """Prefix, name and parameters of a block and of its children, depth first."""
    rows = [[block.prefix, block.name, block.params.prefix, list(block.params)]]
    for child in block._children.values():
        rows += _names(child)
    return rows


def _fill(mx, net, scale=0.1):
    """Give all parameters values by their order."""
    for i, p in enumerate(net.collect_params().values()):
        size = 1
        for d in p.shape:
            size *= d
        p.set_data(((mx.nd.arange(size) - i) * scale).reshape(p.shape).astype(p.dtype))
    return net


# ---- names


def names_by_class(mx, show):
    gluon, nn = mx.gluon, mx.gluon.nn

    class MyNet(gluon.Block):
        pass

    for block in (
        MyNet(),
        MyNet(),
        nn.Dense(1),
        nn.Dense(1),
        nn.Conv2D(1, 1),
        nn.Conv1D(1, 1),
        nn.Conv3DTranspose(1, 1),
        nn.MaxPool2D(),
        nn.GlobalAvgPool1D(),
        nn.Activation("relu"),
        nn.BatchNorm(),
        nn.Sequential(),
        nn.HybridSequential(),
        nn.HybridLambda("tanh"),
        gluon.loss.L2Loss(),
        MyNet(prefix="p_"),
        MyNet(prefix=""),
        nn.Dense(1, prefix="fc"),
        MyNet(),
    ):
        show(block.prefix, block.name, block.params.prefix)


def names_in_scopes(mx, show):
    show(_names(_net(mx)), _names(_net(mx)), _names(_net(mx, prefix="net_")), _names(_net(mx, prefix="")))


def names_out_of_scopes(mx, show):
    nn = mx.gluon.nn
    net = nn.Sequential()
    net.add(nn.Dense(1), nn.Dense(1))
    with net.name_scope():
        net.add(nn.Dense(1))
    net.add(nn.Dense(1))
    with net.name_scope():
        net.add(nn.Dense(1), nn.Dense(1, prefix="own_"), nn.Dense(1, prefix=""), nn.Dense(1))
    show(_names(net))


def names_in_deep_scopes(mx, show):
    nn = mx.gluon.nn
    a = nn.Sequential(prefix="a_")
    with a.name_scope():
        b = nn.Sequential()
        with b.name_scope():
            c = nn.Sequential(prefix="c_")
            with c.name_scope():
                c.add(nn.Dense(1), nn.Conv2D(1, 1))
            b.add(c, nn.Dense(1))
        with b.name_scope():
            b.add(nn.Dense(1))
        a.add(b, nn.Dense(1))
        with mx.gluon.nn.Sequential().name_scope():
            stranger = nn.Dense(1)
        a.add(stranger)
    show(_names(a))


def names_under_empty_prefixes(mx, show):
    nn = mx.gluon.nn
    outer = nn.Sequential(prefix="")
    with outer.name_scope():
        outer.add(nn.Dense(1), nn.Dense(1))
        inner = nn.Sequential(prefix="")
        with inner.name_scope():
            inner.add(nn.Dense(1), nn.Dense(1, prefix="x_"))
        outer.add(inner, nn.Dense(1))
    show(_names(outer))
    mid = nn.Sequential(prefix="m_")
    with mid.name_scope():
        empty = nn.Sequential(prefix="")
        with empty.name_scope():
            empty.add(nn.Dense(1), nn.Dense(1))
        mid.add(empty, nn.Dense(1))
    show(_names(mid), nn.Dense(1).prefix)


def names_after_errors(mx, show):
    nn = mx.gluon.nn
    net = nn.Sequential(prefix="n_")

    def fail():
        with net.name_scope():
            nn.Dense(1)
            raise KeyError

    show.error(fail)
    show(nn.Dense(1).prefix)
    with net.name_scope():
        show(nn.Dense(1).prefix)


def names_in_name_managers(mx, show):
    nn = mx.gluon.nn
    with mx.name.NameManager():
        show(nn.Dense(1).prefix, nn.Dense(1).prefix)
    with mx.name.Prefix("pre_"):
        show(nn.Dense(1).prefix, nn.Dense(1).params.prefix)
    show(nn.Dense(1).prefix)
    net = nn.Sequential(prefix="n_")
    with net.name_scope():
        show(mx.sym.relu(mx.sym.var("x")).name, mx.sym.relu(mx.sym.var("x")).name, mx.sym.var("v").name)
    with net.name_scope():
        show(mx.sym.relu(mx.sym.var("x")).name, mx.sym.relu(mx.sym.var("x"), name="given").name)


def sharing_by_params(mx, show):
    nn = mx.gluon.nn
    a = nn.Dense(2, in_units=3)
    b = nn.Dense(2, in_units=3, params=a.params)
    show(_names(a), b.prefix, b.params.prefix, list(b.params), b.weight is a.weight)
    net = nn.Sequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(2, in_units=2))
        net.add(nn.Dense(2, in_units=2, params=net[0].params))
        net.add(nn.Dense(2, in_units=2, prefix="own_", params=net[0].params))
    show(_names(net), list(net.collect_params()), net[1].weight is net[0].weight)
    first = _net(mx, prefix="net_")
    second = _net(mx, prefix="net_", params=first.collect_params())
    show(_names(second), second.w is first.w, second.head.weight is first.head.weight)
    show(second.body[1].bias is first.body[1].bias, second.c is first.c)
    third = _net(mx, prefix="third_", params=first.collect_params())
    show(_names(third), third.head.weight is first.head.weight)
    show.error(nn.Dense, 3, in_units=3, params=a.params)


# ---- parameters


def collecting(mx, show):
    net = _net(mx, prefix="net_")
    show(repr(net.collect_params()), list(net.collect_params()), net.collect_params().prefix)
    for pattern in (
        ".*weight",
        "net_dense0",
        ".*dense1",
        "net_w|net_c",
        ".*(weight|bias)$",
        "weight",
        "",
        "foo",
    ):
        show(pattern, list(net.collect_params(pattern)))
    show(list(net.params), repr(net.params), repr(net.head.params))
    show(sorted(net._collect_params_with_prefix()), list(net._collect_params_with_prefix()))


def collecting_in_order(mx, show):
    nn = mx.gluon.nn

    class Net(mx.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.z = nn.Dense(1, prefix="z_")
            self.b = self.params.get("b")
            self.a = nn.Dense(1, prefix="a_")
            self.params.get("unregistered")
            self.again = self.z

    net = Net(prefix="n_")
    show(list(net.collect_params()), list(net._collect_params_with_prefix()), list(net._children))


def collecting_one_twice(mx, show):
    nn = mx.gluon.nn
    d = nn.Dense(1, in_units=1)
    net = nn.Sequential()
    net.add(d, d)
    show(list(net.collect_params()), list(net._collect_params_with_prefix()), len(net))
    same = nn.Sequential()
    same.add(nn.Dense(1, prefix="x_"), nn.Dense(1, prefix="x_"))
    show.error(same.collect_params)


def initializing(mx, show):
    net = _net(mx, prefix="net_")
    show.warned(net.initialize, mx.init.Constant(3))
    show({n: p.data() for n, p in net.collect_params().items()})
    show.warned(net.initialize, "zeros")
    show.warned(net.initialize, mx.init.Zero(), force_reinit=True)
    show({n: p.data() for n, p in net.collect_params().items()})
    net.initialize(mx.init.One(), ctx=[mx.cpu(1), mx.cpu(2)], force_reinit=True)
    show([p.list_ctx() for p in net.collect_params().values()], net.head.weight.list_data())
    show.error(mx.gluon.nn.Dense(1, in_units=1).initialize, "foo")
    dense = mx.gluon.nn.Dense(1, in_units=1)
    show.error(dense.initialize, "ones")


def casting(mx, show):
    net = _net(mx, prefix="net_")
    net.cast("float64")
    net.initialize()
    _fill(mx, net)
    show({n: str(p.data().dtype) for n, p in net.collect_params().items()}, repr(net.collect_params()))
    show(net(mx.nd.ones((1, 2), dtype="float64")))
    net.cast("float16")
    show(repr(net.collect_params()))
    show.error(net, mx.nd.ones((1, 2)))
    norm = mx.gluon.nn.BatchNorm(in_channels=2, prefix="bn_")
    norm.cast("float16")
    show({n: str(p.dtype) for n, p in norm.collect_params().items()})


def applying(mx, show):
    net = _net(mx, prefix="net_")
    names = []
    show(net.apply(lambda b: names.append(b.name)) is net, names)


# ---- children and attributes


def texts(mx, show):
    nn = mx.gluon.nn
    net = _net(mx, prefix="net_")
    show(repr(net))
    net.extra = nn.Dense(1, in_units=2, activation="relu")
    net.hidden = [nn.Dense(1)]
    net.body.add(nn.Sequential())
    show(repr(net), repr(nn.Sequential()), repr(mx.gluon.Block()))
    outer = nn.Sequential()
    outer.add(net, nn.Dropout(0.5))
    show(repr(outer))


def registering(mx, show):
    nn = mx.gluon.nn
    net = mx.gluon.Block()
    net.register_child(nn.Dense(1))
    net.register_child(nn.Dense(1), "named")
    net.register_child(nn.Dense(1))
    net.attribute = nn.Dense(1)
    show(list(net._children), repr(net))
    net.attribute = nn.Dense(2)
    show(list(net._children), net._children["attribute"] is net.attribute)
    show.error(setattr, net, "attribute", 3)
    net.attribute = nn.Dense(3)
    show.error(setattr, net, "attribute", nn.Conv2D(1, 1))
    show.error(setattr, net, "attribute", None)


def replacing_parameters(mx, show):
    net = _net(mx, prefix="net_")
    show.error(setattr, net, "w", mx.gluon.Parameter("other"))
    show.error(setattr, net, "w", 3)
    show.error(setattr, net, "w", None)
    show.error(setattr, net, "w", net.c)
    net.same = net.w
    show(list(net._collect_params_with_prefix()), list(net.collect_params()))
    net.foreign = mx.gluon.Parameter("foreign", shape=(1,))
    show(list(net._collect_params_with_prefix()), list(net.collect_params()))


def lists_of_blocks(mx, show):
    net = mx.gluon.Block()
    net.layers = [mx.gluon.nn.Dense(1)]
    show.warned(net.collect_params)
    net.layers = {"a": mx.gluon.nn.Dense(1)}
    show.warned(net.collect_params)
    net.layers = (mx.gluon.nn.Dense(1),)
    show.warned(net.collect_params)
    net.layers = [[mx.gluon.nn.Dense(1)]]
    show.warned(net.collect_params)
    seq = mx.gluon.nn.Sequential()
    seq.add(*[mx.gluon.nn.Dense(1)])
    net.layers = [seq]
    net.child = seq
    show.warned(net.collect_params)
    net.layers = [1, "a", None]
    show.warned(net.collect_params)


def forgotten_init(mx, show):
    class Net(mx.gluon.Block):
        def __init__(self):
            self.d = mx.gluon.nn.Dense(1)

    show.error(Net)
    show.error(mx.gluon.Block(), mx.nd.ones((1,)))
    show.error(mx.gluon.HybridBlock(), mx.nd.ones((1,)))


def sequences(mx, show):
    nn = mx.gluon.nn
    net = nn.Sequential(prefix="s_")
    with net.name_scope():
        net.add(nn.Dense(3, in_units=2), nn.Activation("relu"), nn.Dense(1, in_units=3))
    show(len(net), net[0].name, net[-1].name, [b.name for b in net], type(net[1:]).__name__, len(net[1:]))
    show(net[1:].prefix, [b.name for b in net[1:]])
    show.error(lambda: net[5])
    net.initialize()
    _fill(mx, net)
    show(net(mx.nd.ones((2, 2))))


# ---- hooks


def hooks(mx, show):
    net = _net(mx, prefix="net_")
    net.initialize()
    _fill(mx, net)
    events = []
    before = net.head.register_forward_pre_hook(
        lambda b, x: events.append(["before", b.name, type(x).__name__, len(x)])
    )
    after = net.register_forward_hook(
        lambda b, x, y: events.append(["after", b.name, type(x).__name__, y.shape])
    )
    other = net.register_forward_hook(lambda b, x, y: events.append("other"))
    net(mx.nd.ones((2, 2)))
    show(events)
    before.detach()
    other.detach()
    other.detach()
    net(mx.nd.ones((2, 2)))
    show(events)
    with after:
        pass
    net(mx.nd.ones((2, 2)))
    show(len(events))
    result = net.register_forward_hook(lambda b, x, y: y * 100)
    show(net(mx.nd.ones((1, 2))))
    result.detach()


# ---- files


def saving(mx, show):
    net = _net(mx, prefix="net_")
    show.error(net.save_parameters, show.path("f"))
    net.initialize()
    _fill(mx, net)
    net.save_parameters(show.path("f"))
    show(mx.nd.load(show.path("f")))
    net.save_parameters(show.path("d"), deduplicate=True)
    show(list(mx.nd.load(show.path("d"))))
    deferred = mx.gluon.nn.Dense(1)
    deferred.initialize()
    show.error(deferred.save_parameters, show.path("g"))


def loading(mx, show):
    _fill(mx, _initialized(_net(mx))).save_parameters(show.path("f"))
    net = _net(mx, prefix="other_")
    net.load_parameters(show.path("f"))
    show({n: p.data() for n, p in net.collect_params().items()})
    net = _net(mx, prefix="other_")
    net.load_parameters(show.path("f"), ctx=[mx.cpu(1), mx.cpu(2)])
    show([p.list_ctx() for p in net.collect_params().values()])
    net = _initialized(_net(mx))
    before = net.w.data()
    net.load_parameters(show.path("f"))
    show(before, net.w.data() is before, net(mx.nd.ones((1, 2))))


def _initialized(net):
    net.initialize()
    return net


def loading_shared(mx, show):
    nn = mx.gluon.nn

    def build(**kwargs):
        net = nn.Sequential(**kwargs)
        with net.name_scope():
            net.add(nn.Dense(2, in_units=2))
            net.add(nn.Dense(2, in_units=2, params=net[0].params))
            net.add(net[0])
        return net

    net = _fill(mx, _initialized(build()))
    net.save_parameters(show.path("all"))
    net.save_parameters(show.path("once"), deduplicate=True)
    show(list(mx.nd.load(show.path("all"))), list(mx.nd.load(show.path("once"))))
    for name in ("all", "once"):
        other = build(prefix="other_")
        other.load_parameters(show.path(name))
        show({n: p.data() for n, p in other.collect_params().items()})


def loading_mismatches(mx, show):
    nn = mx.gluon.nn

    def build(*units, dtype="float32"):
        net = nn.Sequential()
        net.add(*[nn.Dense(u, in_units=2, dtype=dtype) for u in units])
        return net

    net = _initialized(build(2, 2))
    net.save_parameters(show.path("two"))
    for units in ((2,), (2, 2, 2), (3, 2)):
        for kwargs in ({}, {"allow_missing": True}, {"ignore_extra": True}):
            show(units, kwargs)
            show.error(build(*units).load_parameters, show.path("two"), **kwargs)
    show.error(build(2, 2, dtype="float16").load_parameters, show.path("two"))
    half = build(2, 2, dtype="float16")
    half.load_parameters(show.path("two"), cast_dtype=True)
    show(str(half[0].weight.data().dtype))
    half = build(2, 2, dtype="float16")
    half.load_parameters(show.path("two"), cast_dtype=True, dtype_source="saved")
    show(str(half[0].weight.data().dtype))
    show.error(build(2, 2).load_parameters, show.path("nothing"))
    deferred = nn.Sequential()
    deferred.add(nn.Dense(2), nn.Dense(0))
    show.error(deferred.load_parameters, show.path("two"))
    deferred = nn.Sequential()
    deferred.add(nn.Dense(2), nn.Dense(2))
    deferred.load_parameters(show.path("two"))
    show([p.shape for p in deferred.collect_params().values()])
    some = _initialized(build(2, 2, 2))
    some.load_parameters(show.path("two"), allow_missing=True)
    show(some[2].weight.list_ctx())


def files_of_full_names(mx, show):
    net = _fill(mx, _initialized(_net(mx, prefix="net_")))
    net.collect_params().save(show.path("full"))
    net.collect_params().save(show.path("stripped"), strip_prefix="net_")
    show(list(mx.nd.load(show.path("full"))), list(mx.nd.load(show.path("stripped"))))
    other = _net(mx, prefix="other_")
    other.load_parameters(show.path("stripped"))
    show(other.w.data(), other.head.weight.data())
    other = _net(mx, prefix="other_")
    show.error(other.load_parameters, show.path("full"))
    other.collect_params().load(show.path("stripped"), restore_prefix="other_")
    show(other.w.data())
    same = _net(mx, prefix="net_")
    same.collect_params().load(show.path("full"))
    show(same.w.data())


def files_of_single_layers(mx, show):
    net = _fill(mx, _initialized(mx.gluon.nn.Dense(2, in_units=2, prefix="d_")))
    net.save_parameters(show.path("f"))
    show(list(mx.nd.load(show.path("f"))))
    other = mx.gluon.nn.Dense(2)
    other.load_parameters(show.path("f"))
    show(other.weight.data())
    net.collect_params().save(show.path("g"))
    other = mx.gluon.nn.Dense(2, prefix="d_")
    show.error(other.load_parameters, show.path("g"))
    net.collect_params().save(show.path("h"), strip_prefix="d_")
    other = mx.gluon.nn.Dense(2, prefix="e_")
    other.load_parameters(show.path("h"))
    show(other.bias.data())


def deprecated_files(mx, show):
    net = _fill(mx, _initialized(_net(mx, prefix="net_")))
    show.warned(net.save_params, show.path("f"))
    show(list(mx.nd.load(show.path("f"))))
    other = _net(mx, prefix="other_")
    show.warned(other.load_params, show.path("f"))
    show(other.w.data(), other.head.weight.data())


# ---- running


def calls(mx, show):
    net = _fill(mx, _initialized(_net(mx, prefix="net_")))
    show(net(mx.nd.ones((2, 2))))
    show.error(_net(mx), mx.nd.ones((2, 2)))
    show.error(net)
    show.error(lambda: net(x=mx.nd.ones((2, 2))))
    show.error(net.forward, mx.nd.ones((2, 3)))


def any_outputs(mx, show):
    class Net(mx.gluon.Block):
        def forward(self, x, *args):
            return {"x": x, "rest": args}

    show(Net()(1, "a", None))


def moving(mx, show):
    net = _fill(mx, _initialized(_net(mx, prefix="net_")))
    net.collect_params().reset_ctx(mx.cpu(1))
    show(net.head.weight.list_ctx())
    with mx.cpu(1):
        show(net(mx.nd.ones((1, 2))))


def _summaries(mx, show, net, *inputs):
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as text:
        net.summary(*inputs)
    show(text.getvalue())


def summaries(mx, show):
    nn = mx.gluon.nn
    _summaries(mx, show, _initialized(_net(mx)), mx.nd.ones((2, 2)))
    net = nn.HybridSequential()
    shared = nn.Dense(4)
    net.add(nn.Conv2D(2, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Flatten(), nn.Dense(4), shared, shared)
    net.initialize()
    _summaries(mx, show, net, mx.nd.ones((2, 1, 5, 5)))
    net.hybridize()
    show.error(net.summary, mx.nd.ones((2, 1, 5, 5)))
    show.error(nn.Dense(1).summary, mx.nd.ones((2, 1)))


def summaries_of_several(mx, show):
    class Chain(mx.gluon.nn.HybridSequential):
        pass

    chain = Chain()
    chain.add(mx.gluon.nn.Dense(1))
    chain.initialize()
    _summaries(mx, show, chain, mx.nd.ones((2, 5)))

    class Pair(mx.gluon.Block):
        def forward(self, x, y):
            return (y, None), x

    _summaries(mx, show, Pair(), [mx.nd.ones((2, 5)), mx.nd.ones((3,))], mx.nd.ones((4, 3)))
    _summaries(mx, show, Pair(), (mx.nd.ones((2, 5)), 3), mx.nd.ones((4, 3)))

    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.params.get("w", shape=(3,), grad_req="null")
            self.d = mx.gluon.nn.Dense(2)

        def hybrid_forward(self, F, x, y, w):
            return self.d(x), [y * w, x]

    net = Net()
    net.initialize()
    _summaries(mx, show, net, mx.nd.ones((2, 5)), mx.nd.ones((4, 3)))


def hybridizing_plain_blocks(mx, show):
    net = _net(mx, prefix="net_")
    net.hybridize()
    net.hybridize(active=False)
    net.hybridize(static_alloc=True, static_shape=True)
    _fill(mx, _initialized(net))
    show(net(mx.nd.ones((2, 2))))
