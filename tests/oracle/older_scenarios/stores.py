"""`mx.kv`: stores that users write and register, and trainers that use them."""


def of_tests(mx, show):
    store = mx.kv.create("teststore")
    show(
        store.type, store.rank, store.num_workers, store.is_capable("optimizer"), mx.kv.KVStoreBase.OPTIMIZER
    )
    show(type(store) is mx.kv.base.TestStore, isinstance(mx.kv.create("local"), mx.kv.KVStoreBase))
    x, y = mx.nd.zeros((2,)), [mx.nd.zeros((2,)), mx.nd.zeros((2,))]
    store.broadcast("a", mx.nd.array([1, 2]), x)
    store.broadcast("a", mx.nd.array([3, 4]), y)
    show(x, y)
    store.pushpull("a", [mx.nd.ones((2,)), mx.nd.ones((2,)) * 2], out=x)
    z = [mx.nd.ones((2,)), mx.nd.ones((2,)) * 2]
    store.pushpull("a", z, out=y)
    show(x, y, z)
    store.pushpull("a", z)
    show(z)
    for name in ("set_optimizer", "save_optimizer_states", "load_optimizer_states"):
        show.error(getattr(store, name), "x")
    show.error(store.is_capable, "x")
    show.error(mx.kv.create("local").is_capable, "x")
    show(mx.kv.create("local").is_capable("optimizer"), mx.kv.create("device").is_capable("optimizer"))


def undefined(mx, show):
    store = mx.kv.KVStoreBase()
    show.error(store.broadcast, 1, 2, 3)
    show.error(store.pushpull, 1, 2)
    show.error(store.set_optimizer, 1)
    show.error(store.is_capable, "optimizer")
    show.error(lambda: store.type)
    show.error(lambda: store.rank)
    show.error(lambda: store.num_workers)
    show.error(mx.kv.create, 3)


def trainers(mx, show):
    calls = []

    @mx.kv.KVStoreBase.register
    class Loud(mx.kv.base.TestStore):
        def broadcast(self, key, value, out, priority=0):
            calls.append(["broadcast", key, priority])
            super().broadcast(key, value, out, priority)

        def pushpull(self, key, value, out=None, priority=0):
            calls.append(["pushpull", key, len(value) if isinstance(value, list) else 1, priority])
            super().pushpull(key, value, out, priority)

    for contexts in ([mx.cpu(0)], [mx.cpu(0), mx.cpu(1)]):
        for store in (Loud(), "loud", mx.kv.create("Loud")):
            net = mx.gluon.nn.Dense(1, in_units=2)
            net.initialize(mx.init.One(), ctx=contexts)
            trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=store)
            for _ in range(2):
                with mx.autograd.record():
                    losses = [net(mx.nd.ones((1, 2), ctx=c) * (i + 1)) for i, c in enumerate(contexts)]
                for loss in losses:
                    loss.backward()
                trainer.step(1)
            show(net.weight.list_data(), trainer._update_on_kvstore or False, len(calls))
            show([call for call in calls if call[0] == "broadcast"])
            calls.clear()
