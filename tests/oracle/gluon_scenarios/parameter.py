"""Parameters, constants and dictionaries of them."""


def defaults(mx, show):
    p = mx.gluon.Parameter("w")
    show(repr(p), p.name, p.shape, p.dtype, p.lr_mult, p.wd_mult, p.grad_req, p.init)


def texts(mx, show):
    import numpy as np

    for kwargs in (
        {"shape": (2, 0)},
        {"shape": (2, 3), "dtype": "float16"},
        {"shape": 3, "dtype": np.float64},
        {"shape": (2, 3), "dtype": np.dtype("int32")},
        {"shape": (-1, 4)},
        {"shape": ()},
    ):
        p = mx.gluon.Parameter("p", **kwargs)
        show(repr(p), p.shape, str(p.dtype))
        if p.shape:
            show(repr(p.var()))
    p = mx.gluon.Parameter("p", shape=(2,), dtype="float16")
    p.cast("float64")
    show(repr(p), p.dtype)
    p.initialize()
    p.cast(np.float16)
    show(repr(p), p.dtype, p.data().dtype)


def initialization(mx, show):
    p = mx.gluon.Parameter("w", shape=(2, 3))
    show.error(p.data)
    show.error(p.grad)
    show.error(p.list_data)
    show.error(p.list_grad)
    show.error(p.list_ctx)
    show.error(p.zero_grad)
    show.error(p.reset_ctx, mx.cpu())
    show.error(p.set_data, mx.nd.ones((2, 3)))
    p.initialize(init="ones")
    show(p.data(), p.grad(), p.list_ctx(), p.data().shape, p.data().grad)
    show.warned(p.initialize, init="zeros")
    show(p.data())
    show.warned(p.initialize, init="zeros", force_reinit=True)
    show(p.data(), p.grad())


def which_initializer(mx, show):
    for name in ("w_weight", "w_bias", "w_gamma", "w_beta", "other"):
        for own in (None, mx.init.Constant(2), "zeros"):
            p = mx.gluon.Parameter(name, shape=(2,), init=own)
            p.initialize(default_init=mx.init.Constant(5) if "w_" in name else "ones")
            show(p.data())
            p.initialize(init=mx.init.Constant(7), force_reinit=True)
            show(p.data())


def initializer_by_role(mx, show):
    d = mx.gluon.ParameterDict("d_")
    for name in ("weight", "bias", "gamma", "beta", "running_mean", "running_var", "moving_avg"):
        d.get(name, shape=(2,))
    d.get("strange", shape=(2,), init="ones")
    d.initialize(mx.init.Constant(3))
    for p in d.values():
        show(p.name, p.data())
    show.error(mx.gluon.Parameter("strange", shape=(2,)).initialize, init="foo")


def deferred(mx, show):
    p = mx.gluon.Parameter("w", shape=(2, 0), allow_deferred_init=True, init="ones")
    p.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    show(p.list_ctx())
    show.error(p.data)
    show.error(p.grad)
    show.error(p.list_data)
    show.error(p.list_grad)
    p.zero_grad()
    show.error(p.set_data, mx.nd.ones((3, 3)))
    p.shape = (2, 3)
    show.error(p.data)
    p._finish_deferred_init()
    show(p.list_data(), p.shape, repr(p))


def deferred_values(mx, show):
    p = mx.gluon.Parameter("w", shape=(2, 0), allow_deferred_init=True)
    p.initialize()
    p.set_data(mx.nd.array([[1, 2, 3], [4, 5, 6]]))
    show(p.shape)
    show.error(p.data)
    p._finish_deferred_init()
    show(p.data(), p.grad())


def deferred_elsewhere(mx, show):
    p = mx.gluon.Parameter("w", shape=(0,), allow_deferred_init=True, init="ones")
    p.initialize()
    p.reset_ctx([mx.cpu(1), mx.cpu(2)])
    show(p.list_ctx())
    p.cast("float64")
    p.shape = (2,)
    p._finish_deferred_init()
    show(p.list_data(), p.list_grad())


def shape_not_known(mx, show):
    show.error(mx.gluon.Parameter("p", shape=(2, 0)).initialize)
    show.error(mx.gluon.Parameter("p").initialize)
    p = mx.gluon.Parameter("p", allow_deferred_init=True)
    p.initialize()
    show(p.shape)
    show.error(p._finish_deferred_init)


def shapes(mx, show):
    p = mx.gluon.Parameter("p", shape=(2, 0, -1))
    for shape in ((2, 3), (3, 3, 3), (2, 4, 5), (2, 4, 6), (2, 4, 5), (0, 4, 5)):
        try:
            p.shape = shape
        except AssertionError:
            show("refused")
        show(p.shape)
    p = mx.gluon.Parameter("p")
    p.shape = (3, 0)
    show(p.shape)


def gradients(mx, show):
    p = mx.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize()

    def step(scale):
        with mx.autograd.record():
            y = (p.data() * scale).sum()
        y.backward()

    step(2)
    step(3)
    show(p.grad())
    p.grad_req = "add"
    show(p.grad())
    step(2)
    step(3)
    show(p.grad(), p.data().grad)
    p.zero_grad()
    show(p.grad())
    p.grad_req = "null"
    show.error(p.grad)
    show.error(p.list_grad)
    p.zero_grad()
    show.error(step, 2)
    show(p.data().grad is None)
    p.grad_req = "write"
    show(p.grad())
    step(4)
    show(p.grad(), p.grad_req)
    show.error(setattr, p, "grad_req", "foo")
    show.error(mx.gluon.Parameter, "w", grad_req="foo")


def not_differentiable(mx, show):
    p = mx.gluon.Parameter("w", shape=(2,), differentiable=False)
    show(p.grad_req)
    p.grad_req = "write"
    show(p.grad_req)
    p.initialize()
    show.error(p.grad)


def storage_types(mx, show):
    show.error(mx.gluon.Parameter, "w", stype="foo")
    show.error(mx.gluon.Parameter, "w", grad_stype="foo")
    p = mx.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize()
    show.error(p.row_sparse_data, mx.nd.array([0]))
    show.error(p.list_row_sparse_data, mx.nd.array([0]))


def casting(mx, show):
    p = mx.gluon.Parameter("w", shape=(2,), init=mx.init.Constant(1.5))
    p.cast("float64")
    p.initialize()
    show(p.data(), p.grad())
    before = p.data()
    p.cast("float16")
    show(p.data(), p.grad(), before, p.dtype)
    with mx.autograd.record():
        y = (p.data() * 2).sum()
    y.backward()
    show(p.grad(), p.var().attr("__dtype__"))
    p.cast("int32")
    show(p.data())
    p.dtype = "float32"
    show(p.data(), p.dtype)
    show.error(p.cast, "foo")


def casting_drops_gradients(mx, show):
    p = mx.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize()
    with mx.autograd.record():
        y = (p.data() * 2).sum()
    y.backward()
    p.cast("float64")
    show(p.grad())
    p.grad_req = "null"
    p.cast("float32")
    show(p.data())
    show.error(p.grad)


def set_values(mx, show):
    import numpy as np

    p = mx.gluon.Parameter("w", shape=(2, 2), init="ones")
    p.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    before = p.list_data()
    p.set_data(mx.nd.array([[1, 2], [3, 4]]))
    show(p.list_data(), before)
    p.set_data(np.array([[5, 6], [7, 8]], "float64"))
    show(p.list_data())
    p.set_data(mx.nd.array([[1.5, 2], [3, 4]], dtype="float64"))
    show(p.list_data())
    show.error(p.set_data, mx.nd.ones((2, 3)))
    show.error(p.set_data, mx.nd.ones((4,)))
    show.error(p.set_data, 3)
    show(p.data(mx.cpu(1)))


def set_values_while_recording(mx, show):
    p = mx.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize()
    with mx.autograd.record():
        y = (p.data() * p.data()).sum()
    p.set_data(mx.nd.array([3, 4]))
    y.backward()
    show(p.grad())
    with mx.autograd.record():
        y = (p.data() * 5).sum()
    y.backward()
    show(p.grad())


def contexts(mx, show):
    p = mx.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize(ctx=[mx.cpu(1), mx.cpu(2)])
    show(p.list_ctx(), p.data(mx.cpu(2)), p.grad(mx.cpu(1)), p.list_grad())
    show.error(p.data, mx.cpu(0))
    show.error(p.grad, mx.cpu(3))
    show.error(p.data)
    with mx.cpu(2):
        show(p.data(), p.grad())
    p.data(mx.cpu(1))[:] = 7
    show(p.list_data())
    p.reset_ctx(mx.cpu(3))
    show(p.list_data(), p.list_grad())
    p.reset_ctx([mx.cpu(0), mx.cpu(3)])
    show(p.list_data(), p.list_ctx())
    p.initialize(ctx=mx.cpu(1), force_reinit=True)
    show(p.list_ctx(), p.data())
    show(p.data(mx.cpu(1)))
    with mx.cpu(2):
        q = mx.gluon.Parameter("q", shape=(1,), init="ones")
        q.initialize()
        show(q.data())
    show(q.data())


def moving_averages_values(mx, show):
    p = mx.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    p.data(mx.cpu(0))[:] = 2
    p.data(mx.cpu(1))[:] = 6
    p.reset_ctx(mx.cpu(0))
    show(p.data())


def moving_keeps_no_gradient(mx, show):
    p = mx.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize()
    with mx.autograd.record():
        y = (p.data() * 2).sum()
    y.backward()
    p.reset_ctx(mx.cpu(1))
    show(p.grad())


def variables(mx, show):
    p = mx.gluon.Parameter("w", shape=(2, 0), lr_mult=0.5, wd_mult=2, init="ones", dtype="float16")
    v = p.var()
    show(v, sorted(v.list_attr().items()), v is p.var())
    p.shape = (2, 3)
    show(sorted(p.var().list_attr().items()), v is p.var())
    p = mx.gluon.Parameter("w", init=mx.init.Xavier(magnitude=2), shape=(3, 3))
    show(sorted(p.var().list_attr().items()))
    p = mx.gluon.Parameter("w", shape=None)
    show(sorted(p.var().list_attr().items()))


def multipliers(mx, show):
    p = mx.gluon.Parameter("w", lr_mult=2, wd_mult=0)
    show(p.lr_mult, p.wd_mult)
    p.lr_mult, p.wd_mult = 0.1, 3
    show(p.lr_mult, p.wd_mult)


def constants(mx, show):
    import numpy as np

    for value in ([[1, 2], [3, 4]], np.arange(3), np.arange(2.0), mx.nd.array([1, 2], dtype="int32")):
        c = mx.gluon.Constant("c", value)
        show(repr(c), c.shape, c.dtype, c.grad_req, c.value)
        c.initialize()
        show(c.data())
        show.error(c.grad)
        show(sorted(set(c.var().list_attr()) - {"__init__"}))
    c = mx.gluon.Constant("c", [1, 2])
    show.warned(setattr, c, "grad_req", "write")
    show.warned(setattr, c, "grad_req", "null")
    show(c.grad_req)
    c.initialize(init="ones")
    show(c.data())
    c.initialize(ctx=[mx.cpu(0), mx.cpu(1)], force_reinit=True)
    show(c.list_data())
    c.set_data(mx.nd.array([5, 6]))
    show(c.data(mx.cpu(1)))
    c.cast("float64")
    show(c.data(mx.cpu(0)), repr(c))


def constants_under_other_initializers(mx, show):
    d = mx.gluon.ParameterDict()
    c = d.get_constant("c_bias", [[1.5, 2.5]])
    d.get("w", shape=(2,))
    d.initialize(mx.init.One())
    show(c.data(), d["w"].data())


# ---- dictionaries


def dictionary(mx, show):
    d = mx.gluon.ParameterDict("net_")
    show(repr(d), d.prefix, len(list(d.keys())))
    w = d.get("w", shape=(2, 3))
    d.get("b", shape=(2,), dtype="float16")
    show(repr(d), list(d), list(d.keys()), [p.name for p in d.values()], [k for k, _ in d.items()])
    show("w" in d, "net_w" in d, d["net_w"] is w, d.get("w") is w)
    show.error(lambda: d["w"])
    show(repr(mx.gluon.ParameterDict()))
    e = mx.gluon.ParameterDict()
    e.get("w")
    show(repr(e))


def agreeing_shapes(mx, show):
    d = mx.gluon.ParameterDict("a_")
    w = d.get("w", shape=(2, 0))
    show(d.get("w", shape=(0, 3)) is w, w.shape)
    show(d.get("w", shape=(2, 3)).shape, d.get("w").shape)
    show.error(d.get, "w", shape=(2, 4))
    show.error(d.get, "w", shape=(2,))
    show.error(d.get, "w", shape=(2, 3, 1))
    show(w.shape)
    u = d.get("u")
    d.get("u", shape=(0, 3), init="ones")
    show(u.shape, u.init)
    show.error(d.get, "u", init="zeros")
    show(d.get("u", init="ones") is u)


def agreeing_attributes(mx, show):
    import numpy as np

    d = mx.gluon.ParameterDict("a_")
    d.get("w", shape=(2,), dtype="float32", lr_mult=2.0)
    show(d.get("w", dtype=np.float32).dtype)
    show.error(d.get, "w", dtype="float16")
    show.error(d.get, "w", lr_mult=1.0)
    show.error(d.get, "w", grad_req="null")
    show(d.get("w", grad_req="write").grad_req, d.get("w", lr_mult=2).lr_mult)
    show.error(d.get, "w", init="ones", wd_mult=3)
    show(d.get("w", allow_deferred_init=True).name)


def shared(mx, show):
    a = mx.gluon.ParameterDict("net_")
    w = a.get("w", shape=(2, 3))
    b = mx.gluon.ParameterDict("net_", shared=a)
    show(list(b), b.get("w") is w, list(b))
    own = b.get("own")
    show(own.name, list(a), list(b))
    c = mx.gluon.ParameterDict("other_", shared=a)
    show(c.get("w") is w, c.get("w").name)
    chained = mx.gluon.ParameterDict("net_", shared=b)
    show(chained.get("w") is w, chained.get("own") is own)
    show.error(b.get, "w", shape=(4, 4))


def constants_by_name(mx, show):
    import numpy as np

    d = mx.gluon.ParameterDict("c_")
    c = d.get_constant("one", [1, 2])
    show(c.name, repr(c), d.get_constant("one") is c)
    show(d.get_constant("one", np.array([1, 2])) is c, d.get_constant("one", mx.nd.array([1, 2])) is c)
    show.error(d.get_constant, "one", np.array([1, 3]))
    show.error(d.get_constant, "one", mx.nd.array([1, 3, 3]))
    show.error(d.get_constant, "two")
    d.get("w", shape=(2,))
    show.error(d.get_constant, "w", [1, 2])
    show(repr(d))
    s = mx.gluon.ParameterDict("c_", shared=d)
    show(s.get_constant("one") is c, s.get("one") is c)


def updating(mx, show):
    a, b = mx.gluon.ParameterDict("a_"), mx.gluon.ParameterDict("b_")
    a.get("w")
    b.get("w")
    b.get("v")
    a.update(b)
    show(list(a), list(b))
    a.update(b)
    show(list(a))
    other = mx.gluon.ParameterDict("b_")
    other.get("new")
    other.get("w")
    show.error(a.update, other)
    show(list(a))


def of_all(mx, show):
    d = mx.gluon.ParameterDict()
    d.get("w", shape=(2,), init="ones")
    d.get("v", shape=(1,), init="zeros")
    d.get_constant("c", [3])
    show.error(d.list_ctx)
    d.initialize(ctx=[mx.cpu(1), mx.cpu(0)])
    show(sorted(map(str, d.list_ctx())))
    d.setattr("lr_mult", 3)
    show([p.lr_mult for p in d.values()])
    show.warned(d.setattr, "grad_req", "add")
    show([p.grad_req for p in d.values()])
    for ctx in (mx.cpu(0), mx.cpu(1)):
        with mx.autograd.record():
            y = d["w"].data(ctx).sum() + d["v"].data(ctx).sum()
        y.backward()
    show(d["w"].list_grad(), d["v"].list_grad())
    d.zero_grad()
    show(d["w"].list_grad(), d["v"].list_grad())
    d.reset_ctx(mx.cpu(2))
    show(d.list_ctx(), d["w"].data())
    show.warned(d.initialize)
    show.warned(d.initialize, force_reinit=True)
    show.error(d.setattr, "grad_req", "foo")
    d.setattr("anything", 1)
    show(d["w"].anything)


def _filled(mx, prefix="net_"):
    d = mx.gluon.ParameterDict(prefix)
    d.get("w", shape=(2, 2))
    d.get("b", shape=(2,))
    d.initialize()
    d[prefix + "w"].set_data(mx.nd.array([[1, 2], [3, 4]]))
    d[prefix + "b"].set_data(mx.nd.array([5, 6]))
    return d


def saving(mx, show):
    d = _filled(mx)
    d.save(show.path("full"))
    show(sorted(mx.nd.load(show.path("full"))))
    d.save(show.path("short"), strip_prefix="net_")
    show(mx.nd.load(show.path("short")))
    show.error(d.save, show.path("none"), strip_prefix="other_")
    show((show.folder / "none").exists())
    show.error(mx.gluon.ParameterDict().save, show.path("empty"))
    e = mx.gluon.ParameterDict()
    e.get("w", shape=(2,))
    show.error(e.save, show.path("none"))
    f = mx.gluon.ParameterDict()
    f.get("w", shape=(0,), allow_deferred_init=True)
    f.initialize()
    show.error(f.save, show.path("none"))


def loading(mx, show):
    _filled(mx).save(show.path("short"), strip_prefix="net_")
    for initialized in (False, True):
        d = mx.gluon.ParameterDict("other_")
        d.get("w", shape=(2, 0), allow_deferred_init=True)
        d.get("b", grad_req="add")
        if initialized:
            d["other_w"].shape, d["other_b"].shape = (2, 2), (2,)
            d.initialize(init="ones", ctx=mx.cpu(1))
        d.load(show.path("short"), restore_prefix="other_")
        show(d["other_w"].data(), d["other_b"].data(), d["other_b"].grad(), d["other_w"].shape)


def loading_where(mx, show):
    _filled(mx).save(show.path("f"))

    def fresh():
        d = mx.gluon.ParameterDict("net_")
        d.get("w", shape=(2, 2), allow_deferred_init=True)
        d.get("b", shape=(2,))
        return d

    d = fresh()
    d.load(show.path("f"))
    show(d.list_ctx())
    d = fresh()
    d.load(show.path("f"), ctx=[mx.cpu(1), mx.cpu(2)])
    show(d["net_w"].list_data())
    d = fresh()
    d.initialize(ctx=mx.cpu(3))
    show.error(d.load, show.path("f"), ctx=mx.cpu(1))
    d.load(show.path("f"), ctx=mx.cpu(3))
    d.load(show.path("f"), ctx=[mx.cpu(3)])
    show(d["net_w"].list_data())
    d.load(show.path("f"))
    show(d["net_w"].list_data())


def loading_mismatches(mx, show):
    _filled(mx).save(show.path("f"))
    d = mx.gluon.ParameterDict("net_")
    d.get("w", shape=(2, 2))
    show.error(d.load, show.path("f"))
    d.load(show.path("f"), ignore_extra=True)
    show(d["net_w"].data())
    d.get("b")
    d.get("more", shape=(1,))
    show.error(d.load, show.path("f"))
    d.load(show.path("f"), allow_missing=True)
    show(d["net_b"].data())
    show.error(d["net_more"].data)
    for kwargs in ({"shape": (2, 3)}, {"shape": (4,)}, {"shape": (2, 2), "dtype": "float16"}):
        e = mx.gluon.ParameterDict("net_")
        e.get("w", **kwargs)
        show.error(e.load, show.path("f"), ignore_extra=True)
    show.error(d.load, show.path("f"), restore_prefix="foo_")
    show.error(d.load, show.path("nothing"))
    mx.nd.save(show.path("list"), [mx.nd.ones((1,))])
    show.error(d.load, show.path("list"))


def loading_dtypes(mx, show):
    d = _filled(mx)
    d["net_w"].cast("float64")
    d.save(show.path("f"))
    for initialized in (False, True):
        for source in ("current", "saved"):
            e = mx.gluon.ParameterDict("net_")
            e.get("w", shape=(2, 2))
            e.get("b", shape=(2,), dtype="float16")
            if initialized:
                e.initialize()
            show.error(e.load, show.path("f"))
            e.load(show.path("f"), cast_dtype=True, dtype_source=source)
            show(e["net_w"].data(), e["net_b"].data(), e["net_b"].dtype, e["net_b"].grad())
    show.error(e.load, show.path("f"), cast_dtype=True, dtype_source="foo")


def loading_prefixed(mx, show):
    mx.nd.save(
        show.path("f"),
        {"arg:net_w": mx.nd.ones((2,)), "aux:net_v": mx.nd.zeros((1,)), "net_u": mx.nd.ones((1,))},
    )
    d = mx.gluon.ParameterDict("net_")
    for name in ("w", "v", "u"):
        d.get(name)
    d.load(show.path("f"))
    show([p.data() for p in d.values()])
    e = mx.gluon.ParameterDict("net_")
    e.get("w")
    e.load_dict({"net_w": mx.nd.ones((3,))})
    show(e["net_w"].data())
    show.error(e.load_dict, {"net_x": mx.nd.ones((3,))})


def loading_into_constants(mx, show):
    d = mx.gluon.ParameterDict()
    d.get_constant("c", [1, 2])
    d.initialize()
    mx.nd.save(show.path("f"), {"c": mx.nd.array([3, 4])})
    d.load(show.path("f"))
    show(d["c"].data(), d["c"].value)
