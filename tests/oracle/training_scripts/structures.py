"""Networks put together in unusual ways: from files, used several times in a step, over sequences."""

import numpy as np

from ._run import blobs


def _features(mx):
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="trunk_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D()
        )
        net.add(nn.Conv2D(6, 3, activation="relu"), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(5))
    return net


def transfer_learning(mx, run):
    """An exported network's features under a new head: first the head alone, then all of it."""
    gluon, nn = mx.gluon, mx.gluon.nn
    x, y = blobs(18, (1, 8, 8), 3)
    data, label = mx.nd.array(x), mx.nd.array(y)
    trained = run.ready(_features(mx), data[:1])
    trained.hybridize()
    trained(data)
    trained.export(run.path("trained"))
    symbol = mx.sym.load(run.path("trained-symbol.json"))
    inner = symbol.get_internals()["trunk_flatten0_flatten0_output"]
    features = gluon.SymbolBlock(inner, mx.sym.var("data"))
    features.load_parameters(run.path("trained-0000.params"), ctx=mx.cpu(), ignore_extra=True)
    net = nn.HybridSequential(prefix="tuned_")
    with net.name_scope():
        net.add(features, nn.Dense(3, in_units=6))
    run.ready(net[1])
    run.fast(net)
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    features.collect_params().setattr("grad_req", "null")
    head = gluon.Trainer(net[1].collect_params(), "sgd", {"learning_rate": 0.1})
    _fit(mx, run, net, loss_of, head, data, label, 10)
    run.parameters(net)
    for name, param in features.collect_params().items():
        if not name.endswith(("running_mean", "running_var")):
            param.grad_req = "write"
    everything = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02, "momentum": 0.9})
    _fit(mx, run, net, loss_of, everything, data, label, 10)
    run.parameters(net)


def imported_network(mx, run):
    """A SymbolBlock that is trained as it was imported."""
    x, y = blobs(12, (1, 8, 8), 5)
    data, label = mx.nd.array(x), mx.nd.array(y)
    trained = run.ready(_features(mx), data[:1])
    trained.hybridize()
    trained(data)
    trained.export(run.path("trained"), epoch=3)
    net = mx.gluon.SymbolBlock.imports(
        run.path("trained-symbol.json"), ["data"], run.path("trained-0003.params"), ctx=mx.cpu()
    )
    run.fast(net)
    loss_of = run.fast(mx.gluon.loss.SoftmaxCELoss())
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.005, "epsilon": 1e-3})
    _fit(mx, run, net, loss_of, trainer, data, label, 20)
    run.parameters(net)


def _fit(mx, run, net, loss_of, trainer, data, label, steps):
    for _ in range(steps):
        with mx.autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        trainer.step(len(label))
        run.loss(loss)
        run.show("prediction", *net(data[:2]).asnumpy().ravel())


def siamese(mx, run):
    """One network for anchors, positives and negatives."""
    gluon, nn = mx.gluon, mx.gluon.nn
    x, y = blobs(30, (1, 6, 6), 3, noise=1.5)
    order = np.argsort(y, kind="stable").reshape(3, 10)
    net = nn.HybridSequential(prefix="siamese_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, 3, in_channels=1, activation="relu"), nn.InstanceNorm(in_channels=4), nn.Flatten()
        )
        net.add(nn.Dense(4, in_units=64), nn.HybridLambda(lambda F, v: F.L2Normalization(v)))
    run.ready(net)
    triplet, cosine = run.fast(gluon.loss.TripletLoss(margin=0.5)), run.fast(gluon.loss.CosineEmbeddingLoss())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.5})
    same = mx.nd.array([1, -1] * 5)
    for step in range(20):
        a, b, c = (mx.nd.array(x[order[(step + k // 2) % 3][:: (-1) ** k]]) for k in range(3))
        with mx.autograd.record():
            anchor, positive, negative = net(a), net(b), net(c)
            mixed = mx.nd.where(same > 0, positive, negative)
            loss = triplet(anchor, positive, negative) + 0.3 * cosine(anchor, mixed, same)
        loss.backward()
        trainer.step(10)
        run.loss(loss)
    run.parameters(net)


def spoken_words(mx, run):
    """CTC on the outputs of a recurrent network, with lengths of inputs and labels."""
    gluon, nn, rnn = mx.gluon, mx.gluon.nn, mx.gluon.rnn

    class Speech(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.conv = nn.Conv1D(6, 3, padding=1, in_channels=4, activation="relu")
                self.rnn = rnn.LSTM(5, layout="NTC", bidirectional=True, input_size=6)
                self.out = nn.Dense(6, flatten=False, in_units=10)

        def hybrid_forward(self, F, x):
            y = self.conv(x.transpose((0, 2, 1))).transpose((0, 2, 1))
            return self.out(self.rnn(y))

    x, _ = blobs(5, (9, 4), 5)
    draws = np.random.RandomState(3)
    words = draws.randint(0, 5, (5, 4)).astype("float32")
    lengths, sizes = draws.randint(1, 4, 5), draws.randint(7, 10, 5)
    net = run.ready(Speech(prefix="speech_"))
    whole, cut = run.fast(gluon.loss.CTCLoss(layout="NTC")), run.fast(gluon.loss.CTCLoss(layout="NTC"))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01, "epsilon": 1e-3})
    data, label = mx.nd.array(x), mx.nd.array(words)
    for step in range(20):
        with mx.autograd.record():
            y = net(data)
            if step % 2:
                loss = cut(y, label, mx.nd.array(sizes), mx.nd.array(lengths))
            else:
                loss = whole(y, label)
        loss.backward()
        trainer.step(len(x))
        run.loss(loss)
    run.parameters(net)
