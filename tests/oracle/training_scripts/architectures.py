"""Networks of other shapes: attention, encoders with decoders, embeddings, rewards, several devices."""

import numpy as np

from ._run import blobs


def _attention(mx):
    gluon, nn = mx.gluon, mx.gluon.nn

    class Attention(gluon.HybridBlock):
        """Heads of attention, a feed-forward layer, both with residual connections."""

        def __init__(self, size, heads, **kwargs):
            super().__init__(**kwargs)
            self.heads, self.size = heads, size
            with self.name_scope():
                self.all = nn.Dense(3 * size, flatten=False, in_units=size, use_bias=False)
                self.out = nn.Dense(size, flatten=False, in_units=size)
                self.first_norm, self.last_norm = (nn.LayerNorm(in_channels=size) for _ in range(2))
                self.up = nn.Dense(2 * size, flatten=False, in_units=size)
                self.act = nn.GELU()
                self.down = nn.Dense(size, flatten=False, in_units=2 * size)

        def split(self, F, x):
            return F.reshape(F.transpose(F.reshape(x, (0, 0, self.heads, -1)), (0, 2, 1, 3)), (-3, 0, 0))

        def hybrid_forward(self, F, x, lengths):
            q, k, v = (self.split(F, part) for part in F.split(self.all(x), 3, axis=2))
            score = F.batch_dot(q / (self.size // self.heads) ** 0.5, k, transpose_b=True)
            known = F.repeat(lengths, self.heads, axis=0)
            score = F.SequenceMask(score.transpose((2, 0, 1)), known, use_sequence_length=True, value=-1e9)
            y = F.batch_dot(F.softmax(score.transpose((1, 2, 0)), axis=-1), v)
            y = F.reshape(F.transpose(F.reshape(y, (-4, -1, self.heads, 0, 0)), (0, 2, 1, 3)), (0, 0, -3))
            x = self.first_norm(x + self.out(y))
            return self.last_norm(x + self.down(self.act(self.up(x))))

    return Attention


def transformer(mx, run):
    """Attention over padded batches of texts of different lengths, with a rate that warms up."""
    gluon, nn = mx.gluon, mx.gluon.nn
    Attention = _attention(mx)

    class Classifier(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.words = nn.Embedding(11, 8)
                self.positions = self.params.get("positions", shape=(1, 12, 8))
                self.first, self.second = Attention(8, 2), Attention(8, 4)
                self.out = nn.Dense(3, in_units=8)

        def hybrid_forward(self, F, tokens, lengths, positions):
            x = self.words(tokens)
            x = F.broadcast_add(x * 8**0.5, F.slice_like(positions, x, axes=(1,)))
            y = self.second(self.first(x, lengths), lengths)
            y = F.SequenceMask(y, lengths, use_sequence_length=True, axis=1)
            return self.out(F.broadcast_div(F.sum(y, axis=1), F.expand_dims(lengths, 1)))

    draws = np.random.RandomState(0)
    texts = [draws.randint(0, 11, draws.randint(2, 13)) for _ in range(40)]
    labels = np.array([3 * t.sum() // len(t) // 5 % 3 for t in texts], "float32")
    lengths = np.array([len(t) for t in texts], "float32")

    def together(samples):
        tokens, *others = zip(*samples, strict=True)
        longest = max(map(len, tokens))
        padded = np.stack([np.pad(t, (0, longest - len(t))) for t in tokens])
        return mx.nd.array(padded, dtype="float32"), *map(mx.nd.array, others)

    dataset = gluon.data.SimpleDataset(list(zip(texts, lengths, labels, strict=True)))
    loader = gluon.data.DataLoader(dataset, batch_size=8, batchify_fn=together)
    net = run.ready(Classifier(prefix="texts_"))
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    schedule = mx.lr_scheduler.PolyScheduler(30, base_lr=0.01, final_lr=0.001, warmup_steps=5)
    options = {"learning_rate": 0.01, "lr_scheduler": schedule, "epsilon": 1e-3}
    trainer = gluon.Trainer(net.collect_params(), "adam", options)
    for _ in range(5):
        for tokens, known, label in loader:
            with mx.autograd.record():
                loss = loss_of(net(tokens, known), label)
            loss.backward()
            trainer.step(len(label))
            run.loss(loss)
    run.parameters(net)


def segmentation(mx, run):
    """An encoder and a decoder with a connection across, and a class for each pixel."""
    gluon, nn = mx.gluon, mx.gluon.nn

    def block(channels, before):
        layers = nn.HybridSequential()
        layers.add(
            nn.Conv2D(channels, 3, padding=1, in_channels=before), nn.GroupNorm(2), nn.Activation("softrelu")
        )
        return layers

    class Net(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.down, self.inner = block(4, 2), block(6, 4)
                self.pool = nn.AvgPool2D(2)
                self.up = nn.Conv2DTranspose(4, 2, strides=2, in_channels=6)
                self.last, self.out = block(4, 12), nn.Conv2D(3, 1, in_channels=4)

        def hybrid_forward(self, F, x):
            across = self.down(x)
            inner = self.inner(self.pool(across))
            near = F.slice_axis(F.UpSampling(inner, scale=2, sample_type="nearest"), axis=1, begin=0, end=4)
            return self.out(self.last(F.concat(across, self.up(inner), near, dim=1)))

    draws = np.random.RandomState(1)
    x = draws.normal(size=(10, 2, 8, 8)).astype("float32")
    y = ((x[:, 0] > 0).astype("float32") + (x[:, 1] > 0.5)).astype("float32")
    net = run.ready(Net(prefix="pixels_"), mx.nd.array(x[:1]))
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss(axis=1))
    trainer = gluon.Trainer(
        net.collect_params(), "rmsprop", {"learning_rate": 0.005, "epsilon": 1e-3, "centered": True}
    )
    for step in range(20):
        part = slice(0, 6) if step % 2 else slice(4, 10)
        with mx.autograd.record():
            loss = loss_of(
                net(mx.nd.array(x[part])), mx.nd.array(y[part]), mx.nd.array(0.5 + 0.1 * y[part, None])
            )
        loss.backward()
        trainer.step(6)
        run.loss(loss)
    run.parameters(net)


def _recommend(mx, run, *optimizer):
    """Factors of users and items, of which those in the batch get gradients."""
    gluon, nn = mx.gluon, mx.gluon.nn

    class Factors(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.user, self.item = (
                    nn.Embedding(9, 4, sparse_grad=True),
                    nn.Embedding(7, 4, sparse_grad=True),
                )
                self.user_bias, self.item_bias = nn.Embedding(9, 1), nn.Embedding(7, 1)

        def hybrid_forward(self, F, users, items):
            product = F.sum(self.user(users) * self.item(items), axis=-1)
            return (
                product
                + F.squeeze(self.user_bias(users), axis=-1)
                + F.flatten(self.item_bias(items)).sum(axis=1)
            )

    draws = np.random.RandomState(1)
    users, items = draws.randint(0, 9, (30, 10)), draws.randint(0, 7, (30, 10))
    net = run.ready(Factors(prefix="factors_"))
    loss_of = run.fast(gluon.loss.L2Loss())
    trainer = gluon.Trainer(net.collect_params(), *optimizer)
    for step in range(30):
        user, item = mx.nd.array(users[step], dtype="int32"), mx.nd.array(items[step], dtype="int32")
        score = mx.nd.array(np.cos(users[step] * 0.7 + items[step]))
        with mx.autograd.record():
            loss = loss_of(net(user, item), score)
        loss.backward()
        trainer.step(10)
        run.loss(loss)
    run.parameters(net)


def recommendations(mx, run):
    _recommend(mx, run, "adam", {"learning_rate": 0.02, "epsilon": 1e-3, "wd": 0.01})


def recommendations_by_momentum(mx, run):
    _recommend(mx, run, "sgd", {"learning_rate": 0.5, "momentum": 0.8, "wd": 0.01, "clip_gradient": 0.1})


def several_devices(mx, run):
    """Batches that are split over two devices, gradients that are summed, then used by hand."""
    gluon, nn = mx.gluon, mx.gluon.nn
    devices = [mx.cpu(0), mx.cpu(1)]
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(8, in_units=6, activation="tanh"), nn.Dense(3, in_units=8))
    net.initialize(ctx=devices)
    draws = np.random.RandomState(0)
    for param in net.collect_params().values():
        param.set_data(mx.nd.array(draws.uniform(-0.5, 0.5, param.shape)))
    run.fast(net)
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    trainer = gluon.Trainer(
        net.collect_params(),
        "sgd",
        {"learning_rate": 0.05, "momentum": 0.5},
        kvstore="device",
        update_on_kvstore=False,
    )
    x, y = blobs(22, (6,), 3)
    for step in range(20):
        part = slice(0, 12) if step % 2 else slice(12, 22)
        parts = gluon.utils.split_and_load(x[part], devices)
        labels = gluon.utils.split_and_load(y[part], devices)
        with mx.autograd.record():
            losses = [loss_of(net(a), b) for a, b in zip(parts, labels, strict=True)]
        mx.autograd.backward(losses)
        trainer.allreduce_grads()
        if step % 3:
            grads = [p.grad(devices[1]) for p in net.collect_params().values()]
            run.show("norm", *(g.norm().asscalar() for g in grads))
        trainer.update(part.stop - part.start)
        run.show("loss", *(loss.mean().asscalar() for loss in losses))
    for device in devices:
        run.show("weights", *net[1].weight.data(device).asnumpy().ravel())


def rewards(mx, run):
    """Policy and value from one body; the advantage is a number, not a function of the parameters."""
    gluon, nn = mx.gluon, mx.gluon.nn

    class Actor(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.Dense(8, in_units=4, activation="softsign")
                self.policy, self.value = nn.Dense(3, in_units=8), nn.Dense(1, in_units=8)

        def hybrid_forward(self, F, x):
            y = self.body(x)
            return F.softmax(self.policy(y)), self.value(y)

    net = run.ready(Actor(prefix="actor_"))
    smooth = run.fast(gluon.loss.HuberLoss())
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01, "epsilon": 1e-3})
    draws = np.random.RandomState(2)
    for _ in range(20):
        losses = []
        states, actions = mx.nd.array(draws.normal(size=(7, 4))), draws.randint(0, 3, 7)
        gains = mx.nd.array(np.cumsum(draws.normal(size=7))[::-1].copy())
        with mx.autograd.record():
            chances, values = net(states)
            for i, action in enumerate(actions):
                gain = gains[i] - values[i].detach()
                losses.append(
                    -mx.nd.log(chances[i, int(action)]) * gain + smooth(values[i], gains[i : i + 1])
                )
            entropy = -(chances * mx.nd.log(chances)).sum()
            loss = mx.nd.add_n(*losses) - 0.1 * entropy
        loss.backward()
        trainer.step(7)
        run.loss(loss)
    run.parameters(net)
