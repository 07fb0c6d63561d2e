"""What happens around a step: added gradients, frozen layers, optimizers, schedules, saved states."""

from ._run import blobs


def _two_heads(mx):
    gluon, nn = mx.gluon, mx.gluon.nn

    class TwoHeads(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.frozen = nn.Dense(10, activation="tanh", in_units=6)
                self.body = nn.Dense(8, activation="softrelu", in_units=10)
                self.kind = nn.Dense(3, in_units=8)
                self.size = nn.Dense(1, in_units=18)
                self.scale = self.params.get("scale", shape=(1, 8), init="ones")

        def hybrid_forward(self, F, x, scale):
            first = self.frozen(x)
            y = F.broadcast_mul(self.body(first), scale)
            return self.kind(y), self.size(F.concat(first, y, dim=1)), F.mean(y**2, axis=1)

    return TwoHeads


def _weighted(mx):
    gluon = mx.gluon

    class Weighted(gluon.loss.Loss):
        def __init__(self, of_size, **kwargs):
            super().__init__(weight=1.5, batch_axis=0, **kwargs)
            self.of_size = of_size

        def hybrid_forward(self, F, kind, size, penalty, label, target, weight):
            of_kind = -F.pick(F.log_softmax(kind), label, axis=1)
            apart = F.smooth_l1(size.reshape((-1,)) - target, scalar=1.0)
            loss = F.broadcast_mul(of_kind + self.of_size * apart, weight) + 0.01 * penalty
            return loss * self._weight

    return Weighted


def weighted_outputs(mx, run):
    """Several outputs, a loss of one's own, gradients added over batches, layers with their own rates."""
    x, y = blobs(24, (6,), 3)
    net = run.ready(_two_heads(mx)(prefix="heads_"))
    loss_of = run.fast(_weighted(mx)(0.3, prefix="weighted_"))
    net.frozen.collect_params().setattr("grad_req", "null")
    net.body.collect_params().setattr("lr_mult", 0.5)
    net.kind.bias.wd_mult = 0.0
    net.scale.lr_mult = 2.0
    for param in net.collect_params().values():
        if param.grad_req != "null":
            param.grad_req = "add"
    trainer = mx.gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.8, "wd": 0.01}
    )
    data, label, target = mx.nd.array(x), mx.nd.array(y), mx.nd.array(x.sum(axis=1) / 3)
    weight = mx.nd.array(0.5 + y / 2)
    for step in range(25):
        for i in range(0, 24, 8):
            part = slice(i, i + 8)
            with mx.autograd.record():
                outputs = net(data[part])
                loss = loss_of(*outputs, label[part], target[part], weight[part])
            loss.backward()
            run.loss(loss)
        trainer.step(24)
        net.collect_params().zero_grad()
        if step == 15:  # from here on, all of it is trained
            net.frozen.collect_params().setattr("grad_req", "add")
    run.parameters(net)


def _regression(mx, net, loss_of, trainer, run, steps, start=0):
    x, _ = blobs(20, (5,), 2)
    data, target = mx.nd.array(x), mx.nd.array((x**2).mean(axis=1, keepdims=True))
    for step in range(start, start + steps):
        part = slice(0, 20) if step % 2 else slice(0, 12)
        with mx.autograd.record():
            loss = loss_of(net(data[part]), target[part])
        loss.backward()
        trainer.step(part.stop)
        run.loss(loss)
        run.show("rate", trainer.learning_rate)


def _mlp(mx, prefix="mlp_"):
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(
            nn.Dense(9, in_units=5),
            nn.LayerNorm(in_channels=9),
            nn.PReLU(),
            nn.Dense(7, activation="sigmoid"),
        )
        net.add(nn.Swish(), nn.Dense(1))
    return net


def adam_with_schedule(mx, run):
    """Saved and loaded in the middle: the states of the trainer, and the parameters into another network."""
    gluon = mx.gluon
    net = run.ready(_mlp(mx), mx.nd.ones((1, 5)))
    loss_of = run.fast(gluon.loss.L2Loss())

    def trainer_of(net):
        schedule = mx.lr_scheduler.FactorScheduler(step=7, factor=0.7, base_lr=0.02)
        options = {"learning_rate": 0.02, "lr_scheduler": schedule, "epsilon": 1e-4, "wd": 1e-3}
        return gluon.Trainer(net.collect_params(), "adam", options)

    trainer = trainer_of(net)
    _regression(mx, net, loss_of, trainer, run, 15)
    trainer.save_states(run.path("trainer.states"))
    net.save_parameters(run.path("net.params"))
    _regression(mx, net, loss_of, trainer, run, 4, 15)
    net.load_parameters(run.path("net.params"))
    trainer.load_states(run.path("trainer.states"))
    _regression(mx, net, loss_of, trainer, run, 8, 15)
    run.parameters(net)
    again = _mlp(mx, prefix="again_")
    again.load_parameters(run.path("net.params"), ctx=mx.cpu())
    run.fast(again)
    trainer = trainer_of(again)
    trainer.load_states(run.path("trainer.states"))
    _regression(mx, again, loss_of, trainer, run, 8, 15)
    run.parameters(again)


def changed_learning_rates(mx, run):
    net = run.ready(_mlp(mx), mx.nd.ones((1, 5)))
    loss_of = run.fast(mx.gluon.loss.HuberLoss(rho=0.5))
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    for epoch in range(5):
        _regression(mx, net, loss_of, trainer, run, 5, 5 * epoch)
        trainer.set_learning_rate(trainer.learning_rate * 0.6)
        net(mx.nd.ones((3, 5)))
    run.parameters(net)


def several_optimizers(mx, run):
    """An optimizer for the first layers, another for the rest, one more for a few steps at the end."""
    gluon = mx.gluon
    net = run.ready(_mlp(mx), mx.nd.ones((1, 5)))
    loss_of = run.fast(gluon.loss.L1Loss())
    first = gluon.Trainer(net[:3].collect_params(), "adagrad", {"learning_rate": 0.02})
    rest = gluon.Trainer(net[3:].collect_params(), "nag", {"learning_rate": 0.02, "momentum": 0.5})
    x, _ = blobs(16, (5,), 2)
    data, target = mx.nd.array(x), mx.nd.array(x[:, :1] * 0.5)
    for _ in range(20):
        with mx.autograd.record():
            loss = loss_of(net(data), target)
        loss.backward()
        first.step(16)
        rest.step(16)
        run.loss(loss)
    last = gluon.Trainer(net.collect_params(), "ftml", {"learning_rate": 0.01, "epsilon": 1e-3})
    _regression(mx, net, loss_of, last, run, 6)
    run.parameters(net)


def partly_hybridized(mx, run):
    """A plain block of hybrid ones, some of whose gradients are stale, with a loss written by hand."""
    gluon, nn = mx.gluon, mx.gluon.nn

    class Experts(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.Dense(6, in_units=5, activation="tanh")
                self.experts = nn.Sequential()
                for _ in range(3):
                    self.experts.add(nn.Dense(1, in_units=6))

        def forward(self, x, chosen):
            return self.experts[chosen](self.body(x))

    net = run.ready(Experts(prefix="experts_"))
    trainer = gluon.Trainer(net.collect_params(), "adamax", {"learning_rate": 0.01})
    x, _ = blobs(20, (5,), 2)
    data = mx.nd.array(x)
    for step in range(30):
        part = data[step % 10 : step % 10 + 10]
        target = part.sum(axis=1, keepdims=True) * (step % 3)
        with mx.autograd.record():
            loss = ((net(part, step % 3) - target) ** 2).mean() + 0.01 * net.body.weight.data().abs().sum()
        loss.backward()
        trainer.step(1, ignore_stale_grad=True)
        run.loss(loss)
    run.parameters(net)
