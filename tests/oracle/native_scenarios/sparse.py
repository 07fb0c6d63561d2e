"""Executors and modules with sparse arrays: linear models, factorization machines, and groups of contexts."""

import json

import numpy as np

_ROWS, _COLUMNS, _BATCH = 24, 10, 6


def _kinds(arrays):
    """The storage types of arrays by name."""
    return {name: None if x is None else x.stype for name, x in sorted(arrays.items())}


def _stored(x):
    """What an array stores, and its values."""
    indices = [] if x.stype == "default" or not x.indices.size else x.indices.asnumpy().astype(int).tolist()
    return [x.stype, indices if x.stype == "row_sparse" else None, x.asnumpy().tolist()]


def _data(mx, seed=0):
    """A sparse matrix, and labels 0 and 1."""
    rng = np.random.RandomState(seed)
    values = rng.rand(_ROWS, _COLUMNS) * (rng.rand(_ROWS, _COLUMNS) < 0.3)
    labels = (values[:, :5].sum(1) > values[:, 5:].sum(1)).astype(np.float32)
    return values.astype(np.float32), labels


def _batches(mx, values, labels, label="softmax_label"):
    batches = []
    for i in range(0, _ROWS, _BATCH):
        rows = slice(i, i + _BATCH)
        batch = mx.io.DataBatch(
            [mx.nd.array(values[rows]).tostype("csr")],
            [mx.nd.array(labels[rows])],
            provide_data=[mx.io.DataDesc("data", (_BATCH, _COLUMNS))],
            provide_label=[mx.io.DataDesc(label, (_BATCH,))],
        )
        batches.append(batch)
    return batches


def _linear(mx):
    """Logistic regression of a sparse matrix."""
    x = mx.sym.var("data", stype="csr")
    weight = mx.sym.var("weight", shape=(_COLUMNS, 2), init=mx.init.Normal(0.01), stype="row_sparse")
    bias = mx.sym.var("bias", shape=(2,))
    score = mx.sym.broadcast_add(mx.sym.sparse.dot(x, weight), bias)
    return mx.sym.SoftmaxOutput(score, mx.sym.var("softmax_label"), multi_output=True, name="out")


def _machine(mx, factors=3):
    """A factorization machine (Rendle 2010)."""
    x = mx.sym.var("data", stype="csr")
    v = mx.sym.var("v", shape=(_COLUMNS, factors), stype="row_sparse", init=mx.init.Normal(0.01))
    w = mx.sym.var("w", shape=(_COLUMNS, 1), stype="row_sparse", init=mx.init.Normal(0.01))
    bias = mx.sym.var("w0", shape=(1,), init=mx.init.Zero())
    linear = mx.sym.broadcast_add(mx.sym.sparse.dot(x, w), bias)
    squares = mx.sym.sparse.dot(
        mx.sym.sparse.square(x), mx.symbol._internal._square_sum(v, axis=1, keepdims=True)
    )
    both = mx.sym.square(mx.sym.sparse.dot(x, v)).sum(axis=1, keepdims=True)
    return mx.sym.LogisticRegressionOutput(linear + 0.5 * (both - squares), name="out")


def _factorization(mx, sparse_grad=True, stype="row_sparse"):
    """A matrix factorization: the product of two embeddings."""

    def looked_up(name, count):
        weight = mx.sym.var(f"{name}_weight", stype=stype)
        index = mx.sym.var(name)
        return mx.sym.Embedding(index, weight, input_dim=count, output_dim=3, sparse_grad=sparse_grad)

    users, items = looked_up("user", 8), looked_up("item", 6)
    return mx.sym.LinearRegressionOutput((users * items).sum(axis=1), mx.sym.var("score"), name="out")


def _parameters(mx, module, seed=3):
    """Values for the parameters of a module, from the same numbers everywhere."""
    rng = np.random.RandomState(seed)
    arrays = {
        n: rng.randn(*x.shape).astype(np.float32) / 4 for n, x in sorted(module.get_params()[0].items())
    }
    return {name: mx.nd.array(value) for name, value in arrays.items()}


def _bound(mx, net, label="softmax_label"):
    module = mx.mod.Module(net, label_names=(label,))
    module.bind([("data", (_BATCH, _COLUMNS))], [(label, (_BATCH,))])
    module.init_params(mx.init.Zero())
    module.set_params(_parameters(mx, module), {})
    return module


def _trained(mx, show, net, label, optimizer, options, store=None, rows=None):
    """Train for some epochs, and show the outputs, the gradients' storage types, and the parameters."""
    module = _bound(mx, net, label)
    kv = mx.kv.create(store) if store else None
    module.init_optimizer(kvstore=kv, optimizer=optimizer, optimizer_params=options)
    batches = _batches(mx, *_data(mx), label)
    for _ in range(2):
        for batch in batches:
            module.prepare(batch, sparse_row_id_fn=rows)
            module.forward(batch, is_train=True)
            show(module.get_outputs()[0].asnumpy().tolist())
            module.backward()
            module.update()
    executor = module._exec_group.execs[0]
    show(_kinds(executor.arg_dict), _kinds(executor.grad_dict), [y.stype for y in executor.outputs])
    for name, value in sorted(module.get_params()[0].items()):
        show(name, value.stype, value.asnumpy().tolist())
    return module


def _columns(mx):
    """The columns that a batch has, for parameters of this name."""

    def of_batch(*names):
        def rows(batch):
            x = batch.data[0]
            return dict.fromkeys(names, x.tostype("csr").indices.astype("int64"))

        return rows

    return of_batch


def storage_of_executors(mx, show):
    x, w, d = mx.sym.var("x", stype="csr"), mx.sym.var("w", stype="row_sparse"), mx.sym.var("d")
    dot, cast = mx.sym.sparse.dot, mx.sym.sparse.cast_storage
    graphs = [
        (dot(x, w), {"x": (4, 5), "w": (5, 2)}),
        (dot(x, d), {"x": (4, 5), "d": (5, 2)}),
        (dot(x, d, transpose_a=True), {"x": (4, 5), "d": (4, 2)}),
        (dot(x, w, transpose_a=True, forward_stype="default"), {"x": (4, 5), "w": (4, 2)}),
        (dot(d, x), {"d": (3, 4), "x": (4, 5)}),
        (w + w, {"w": (3, 2)}),
        (w + d, {"w": (3, 2), "d": (3, 2)}),
        (w * 2, {"w": (3, 2)}),
        (w + 2, {"w": (3, 2)}),
        (mx.sym.sparse.abs(w), {"w": (3, 2)}),
        (mx.sym.sparse.square(w), {"w": (3, 2)}),
        (mx.sym.sparse.square(x), {"x": (3, 2)}),
        (mx.sym.sparse.sin(w), {"w": (3, 2)}),
        (mx.sym.maximum(w, w), {"w": (3, 2)}),
        (mx.sym.stop_gradient(w), {"w": (3, 2)}),
        (mx.sym._internal._square_sum(w, axis=1, keepdims=True), {"w": (3, 2)}),
        (cast(d, stype="csr"), {"d": (3, 2)}),
        (cast(w, stype="default"), {"w": (3, 2)}),
        (mx.sym.FullyConnected(d, w, num_hidden=3), {"d": (3, 2)}),
        (mx.sym.sparse.sum(x, axis=1), {"x": (3, 2)}),
        (mx.sym.Group([x, w]), {"x": (3, 2), "w": (3, 2)}),
        (mx.sym.contrib.SparseEmbedding(d, w, input_dim=5, output_dim=2), {"d": (4,)}),
        (mx.sym.BatchNorm(d), {"d": (3, 2)}),
    ]
    for sparse_grad in (False, True):
        for weight in (w, mx.sym.var("w")):
            looked_up = mx.sym.Embedding(d, weight, input_dim=5, output_dim=2, sparse_grad=sparse_grad)
            graphs.append((looked_up, {"d": (4,)}))
    for graph, shapes in graphs:
        executor = graph.simple_bind(mx.cpu(), **shapes)
        show(_kinds(executor.arg_dict), _kinds(executor.grad_dict), [y.stype for y in executor.outputs])
        executor = graph.simple_bind(mx.cpu(), grad_req="null", **shapes)
        show(_kinds(executor.grad_dict), [[y.stype, list(y.shape)] for y in executor.outputs])


def storage_by_name(mx, show):
    graph = mx.sym.dot(mx.sym.var("x"), mx.sym.var("w"))
    executor = graph.simple_bind(mx.cpu(), stype_dict={"x": "csr", "w": "default"}, x=(4, 5), w=(5, 2))
    show(_kinds(executor.arg_dict), _kinds(executor.grad_dict))


def arrays_of_executors(mx, show):
    nd, graph = mx.nd, mx.sym.sparse.dot(mx.sym.var("x", stype="csr"), mx.sym.var("w", stype="row_sparse"))
    x = nd.sparse.csr_matrix(([1.0, 2, 3], [0, 2, 1], [0, 2, 2, 3]), shape=(3, 4))
    w = nd.sparse.row_sparse_array((np.ones((2, 2), "float32"), [0, 2]), shape=(4, 2))
    executor = graph.simple_bind(mx.cpu(), x=(3, 4), w=(4, 2), grad_req={"x": "null", "w": "write"})
    show(executor.forward(is_train=True, x=x, w=w)[0])
    executor.backward(nd.ones((3, 2)))
    show(_stored(executor.grad_dict["w"]), _stored(executor.arg_dict["x"]), executor.grad_dict["x"])
    show(executor.forward(x=nd.ones((3, 4)))[0], _stored(executor.arg_dict["x"]))
    executor.copy_params_from({"w": nd.ones((4, 2))})
    show(_stored(executor.arg_dict["w"]))
    executor.copy_params_from({"w": w})
    show(_stored(executor.arg_dict["w"]))
    show.error(executor.copy_params_from, {"w": nd.sparse.zeros("csr", (4, 2))})
    show.error(executor.copy_params_from, {"w": nd.sparse.zeros("row_sparse", (5, 2))})
    gradient = nd.zeros((4, 2))
    executor = graph.bind(mx.cpu(), {"x": x, "w": w}, {"w": gradient})
    show(executor.forward(is_train=True)[0])
    executor.backward(nd.ones((3, 2)))
    show(gradient)
    gradient = nd.sparse.zeros("row_sparse", (4, 2))
    executor = graph.bind(mx.cpu(), [x.tostype("default"), w.tostype("default")], {"w": gradient})
    executor.forward(is_train=True)
    executor.backward(nd.ones((3, 2)))
    show(_stored(gradient))
    doubled = mx.sym.var("x") * 2
    show([_stored(y) for y in doubled.eval(ctx=mx.cpu(), x=x)])
    gradient = nd.sparse.zeros("csr", (3, 4))
    executor = doubled.bind(mx.cpu(), {"x": x}, {"x": gradient})
    executor.forward(is_train=True)
    for head in (nd.ones((3, 4)), x):
        executor.backward(head)
        show(_stored(gradient))


def monitored(mx, show):
    graph = mx.sym.sparse.dot(mx.sym.var("x", stype="csr") * 2, mx.sym.var("w", stype="row_sparse"), name="p")
    executor = graph.simple_bind(mx.cpu(), x=(3, 4), w=(4, 2))
    seen = []
    executor.set_monitor_callback(
        lambda name, array: seen.append(name if isinstance(name, str) else name.decode())
    )
    executor.forward(x=mx.nd.ones((3, 4)).tostype("csr"))
    show(seen)


def linear_classification(mx, show):
    options = {"learning_rate": 0.5, "momentum": 0.9, "wd": 0.01}
    _trained(mx, show, _linear(mx), "softmax_label", "sgd", options)


def linear_classification_with_adam(mx, show):
    _trained(mx, show, _linear(mx), "softmax_label", "adam", {"learning_rate": 0.1})


def linear_classification_in_a_store(mx, show):
    rows = _columns(mx)("weight")
    _trained(mx, show, _linear(mx), "softmax_label", "sgd", {"learning_rate": 0.5}, "local", rows)


def factorization_machine(mx, show):
    options = {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.001}
    _trained(mx, show, _machine(mx), "out_label", "sgd", options)


def factorization_machine_in_a_store(mx, show):
    rows = _columns(mx)("v", "w")
    _trained(mx, show, _machine(mx), "out_label", "adagrad", {"learning_rate": 0.1}, "local", rows)


def _ratings():
    rng = np.random.RandomState(5)
    return [rng.randint(0, n, (_ROWS,)).astype(np.float32) for n in (8, 6)], rng.rand(_ROWS).astype("f")


def _factorized(mx, show, net, optimizer, options):
    (users, items), scores = _ratings()
    data = {"user": users, "item": items}
    batches = mx.io.NDArrayIter(data, {"score": scores}, _BATCH)
    module = mx.mod.Module(net, data_names=("user", "item"), label_names=("score",))
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.Zero())
    module.set_params(_parameters(mx, module), {})
    module.init_optimizer(optimizer=optimizer, optimizer_params=options)
    for _ in range(2):
        batches.reset()
        for batch in batches:
            module.forward_backward(batch)
            show(module.get_outputs()[0].asnumpy().tolist())
            module.update()
    executor = module._exec_group.execs[0]
    show(_kinds(executor.arg_dict), _kinds(executor.grad_dict))
    show([_stored(x) for name, x in sorted(executor.grad_dict.items()) if name == "user_weight"])
    for name, value in sorted(module.get_params()[0].items()):
        show(name, value.stype, value.asnumpy().tolist())
    batches.reset()
    show(module.score(batches, "mse"))
    return module


def matrix_factorization(mx, show):
    for optimizer, options in (("sgd", {"momentum": 0.9, "wd": 0.01}), ("adam", {}), ("ftrl", {})):
        _factorized(mx, show, _factorization(mx), optimizer, {"learning_rate": 0.5, **options})


def matrix_factorization_with_dense_weights(mx, show):
    for sparse_grad in (True, False):
        net = _factorization(mx, sparse_grad, "default")
        _factorized(mx, show, net, "sgd", {"learning_rate": 0.5, "momentum": 0.9, "wd": 0.01})


def rows_from_a_store(mx, show):
    """What the module's own arrays hold before and after `prepare`, and what `get_params` gives."""
    module = _bound(mx, _linear(mx))
    show(_stored(module._exec_group.execs[0].arg_dict["weight"]))
    module.init_optimizer(kvstore=mx.kv.create("local"), optimizer_params={"learning_rate": 0.5})
    weight = module._exec_group.execs[0].arg_dict["weight"]
    batch = _batches(mx, *_data(mx))[0]
    module.forward_backward(batch)
    show(_stored(module._exec_group.execs[0].grad_dict["weight"]))
    module.update()
    show(_stored(weight))
    show(show.warned(module.prepare, batch, lambda batch: {"weight": mx.nd.array([1, 4], dtype="int64")}))
    show(_stored(weight))
    show(module.get_params()[0]["weight"].asnumpy().tolist(), _stored(weight))
    show.warned(module.prepare, batch, lambda batch: {"bias": mx.nd.array([0], dtype="int64")})
    show.error(module.prepare, batch, lambda batch: ["weight"])
    show.error(module.prepare, batch, lambda batch: {"other": mx.nd.array([0], dtype="int64")})
    module.prepare(batch)
    show(_stored(weight))
    module.set_params(*module.get_params())
    show(_stored(weight))
    module = _bound(mx, _linear(mx))
    show.error(mx.mod.Module(_linear(mx)).prepare, batch)
    module.init_optimizer(optimizer_params={"learning_rate": 0.5})
    show.warned(module.prepare, batch, lambda batch: {"weight": mx.nd.array([1])})


def fitted(mx, show):
    """`fit`, `score` and `predict` with rows fetched for each batch."""
    values, labels = _data(mx)
    rows = _columns(mx)("weight")
    matrix = mx.nd.array(values).tostype("csr")
    batches = mx.io.NDArrayIter(matrix, labels, _BATCH, last_batch_handle="discard")
    show([b.data[0].stype for b in batches])
    batches.reset()
    module = mx.mod.Module(_linear(mx))
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.Zero())
    start = _parameters(mx, module)
    module = mx.mod.Module(_linear(mx))
    module.fit(
        batches,
        kvstore=mx.kv.create("local"),
        optimizer_params={"learning_rate": 0.5},
        arg_params=start,
        num_epoch=2,
        sparse_row_id_fn=rows,
    )
    arguments = module.get_params()[0]
    show({name: _stored(x) for name, x in sorted(arguments.items())})
    module.prepare(None, lambda _: {"weight": mx.nd.arange(_COLUMNS, dtype="int64")})
    batches.reset()
    show(module.score(batches, ["acc", "ce"], sparse_row_id_fn=rows))
    batches.reset()
    show(module.predict(batches, sparse_row_id_fn=rows))
    module.save_checkpoint(show.path("model"), 2)
    written = mx.nd.load(show.path("model-0002.params"))
    show({name: _stored(x) for name, x in sorted(written.items())})
    module = mx.mod.Module.load(show.path("model"), 2)
    module.bind(batches.provide_data, batches.provide_label, for_training=False)
    show(_kinds(module.get_params()[0]), _kinds(module._exec_group.execs[0].arg_dict))
    batches.reset()
    show(module.predict(batches))


def _grouped(mx):
    with mx.AttrScope(ctx_group="a"):
        x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc1")
        x = mx.sym.BatchNorm(x, name="bn")
    with mx.AttrScope(ctx_group="b"):
        return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=3, name="fc2"), name="softmax")


def _contexts(arrays):
    return {name: str(x.context) for name, x in sorted(arrays.items()) if x is not None}


def _place(mx, show, groups, context, bucketing=False):
    if bucketing:
        names = ("data",), ("softmax_label",)
        module = mx.mod.BucketingModule(
            lambda key: (_grouped(mx), *names), default_bucket_key=1, context=context, group2ctxs=groups
        )
    else:
        module = mx.mod.Module(_grouped(mx), context=context, group2ctxs=groups)
    module.bind([("data", (4, 5))], [("softmax_label", (4,))], inputs_need_grad=True)
    module.init_params(mx.init.One())
    module.init_optimizer()
    batch = mx.io.DataBatch([mx.nd.ones((4, 5))], [mx.nd.zeros((4,))], bucket_key=1)
    batch.provide_data, batch.provide_label = [("data", (4, 5))], [("softmax_label", (4,))]
    module.forward(batch, is_train=True)
    module.backward()
    module.update()
    executors = (module._curr_module if bucketing else module)._exec_group.execs
    show([[_contexts(e.arg_dict), _contexts(e.grad_dict), _contexts(e.aux_dict)] for e in executors])
    show([str(x.context) for x in (*module.get_outputs(), *module.get_input_grads())])
    show([[str(y.context) for y in ys] for ys in module.get_outputs(merge_multi_context=False)])
    show(_contexts(module.get_params()[0]), module.get_outputs()[0].asnumpy().tolist())
    module.forward(batch, is_train=False)
    show([str(y.context) for y in module.get_outputs()])


def groups_of_contexts(mx, show):
    one, two = mx.cpu(1), mx.cpu(2)
    for groups in (None, {"a": one, "b": two}, [{"a": one, "b": two}], {"a": [one], "b": [two]}, [None]):
        _place(mx, show, groups, mx.cpu())
    both = [mx.cpu(0), mx.cpu(4)]
    for groups in ({"a": [one, mx.cpu(3)], "b": two}, [{"a": one, "b": two}, {"a": two, "b": one}]):
        _place(mx, show, groups, both)
    _place(mx, show, {"a": one, "b": two}, mx.cpu(), bucketing=True)
    for wrong in ([{}, {}], {"a": [one, two]}, {"a": []}, ({"a": one},), "a", {"a": "cpu"}):
        module = mx.mod.Module(_grouped(mx), group2ctxs=wrong)
        show.error(module.bind, [("data", (4, 5))], [("softmax_label", (4,))])


def attributes_of_variables(mx, show):
    for kind in ("default", "row_sparse", "csr"):
        x = mx.sym.var("x", stype=kind)
        show(x.attr("__storage_type__"), json.loads(x.tojson())["nodes"])
        executor = mx.sym.load_json(x.tojson()).simple_bind(mx.cpu(), x=(2, 3))
        show(_kinds(executor.arg_dict))


def parameters_by_rows(mx, show):
    sp = mx.nd.sparse
    p = mx.gluon.Parameter("w", shape=(5, 2), stype="row_sparse", grad_stype="row_sparse", init="ones")
    p.initialize()
    trainer = mx.gluon.Trainer([p], "sgd", {"learning_rate": 0.1})
    data = sp.csr_matrix(([1.0, 2.0], [1, 3], [0, 1, 2]), shape=(2, 5))
    for ids in ([1, 3], [3, 1, 3]):
        ids = mx.nd.array(ids, dtype="int64")
        rows = p.row_sparse_data(ids)
        show(rows.stype, rows.indices, rows)
        with mx.autograd.record():
            loss = sp.dot(data, rows).sum()
        loss.backward()
        show(p.grad().stype, p.grad())
        trainer.step(1)
    tokens = mx.nd.array([1, 1, 4])
    for _ in range(2):
        with mx.autograd.record():
            rows = p.row_sparse_data(tokens)
            loss = mx.nd.Embedding(tokens, rows, input_dim=5, output_dim=2, sparse_grad=True).sum()
        loss.backward()
        show(p.grad(), p.grad().indices)
        trainer.step(1)
    show(p.row_sparse_data(mx.nd.arange(5)))
    show(p.list_row_sparse_data(mx.nd.arange(2))[0])
