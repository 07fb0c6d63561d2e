"""Steps of a trainer when some gradients were not computed anew."""


def _two(mx, ctx=None):
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(*[mx.gluon.nn.Dense(1, use_bias=False, in_units=1, prefix=f"d{i}_") for i in range(3)])
    net.initialize(mx.init.One(), ctx=ctx)
    return net


def _weights(net, ctx=None):
    return [p.data(ctx).asscalar().item() for p in net.collect_params().values()]


def _backward(mx, net, layers, ctx=None):
    with mx.autograd.record():
        x = mx.nd.ones((1, 1), ctx=ctx)
        for i in layers:
            x = net[i](x)
    x.backward()


def after_a_failed_step(mx, show):
    for used in ((0, 1), (1, 2), (0, 2), (2,), ()):
        net = _two(mx)
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
        if used:
            _backward(mx, net, used)
        show.error(trainer.step, 1)
        show(_weights(net))
        trainer.step(1, ignore_stale_grad=True)
        show(_weights(net))
        trainer.step(1, ignore_stale_grad=True)
        show(_weights(net))


def steps_of_parts(mx, show):
    net = _two(mx)
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.5})
    for used in ((0, 1, 2), (1,), (0, 2)):
        _backward(mx, net, used)
        trainer.step(2, ignore_stale_grad=True)
        show(_weights(net))
    show.error(trainer.step, 1)
    _backward(mx, net, (0, 1, 2))
    trainer.step(1)
    show(_weights(net))


def on_several_contexts(mx, show):
    ctx = [mx.cpu(0), mx.cpu(1)]
    net = _two(mx, ctx)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5}, update_on_kvstore=False)
    for used in ((0, 1, 2), (1, 2)):
        for c in ctx:
            _backward(mx, net, used, c)
        show.outcome(trainer.step, 1)
        show(_weights(net, ctx[0]), _weights(net, ctx[1]))
    show.outcome(trainer.step, 1, ignore_stale_grad=True)
    show(_weights(net, ctx[0]), _weights(net, ctx[1]))


def on_one_context_only(mx, show):
    ctx = [mx.cpu(0), mx.cpu(1)]
    net = _two(mx, ctx)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5}, update_on_kvstore=False)
    _backward(mx, net, (0, 1, 2), ctx[0])
    show.outcome(trainer.step, 1)
    show.outcome(trainer.step, 1, ignore_stale_grad=True)
    show(_weights(net, ctx[0]), _weights(net, ctx[1]))


def by_update(mx, show):
    net = _two(mx)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5}, update_on_kvstore=False)
    _backward(mx, net, (0, 2))
    trainer.allreduce_grads()
    show.error(trainer.update, 1)
    trainer.update(1, ignore_stale_grad=True)
    show(_weights(net))
