"""A net with operators of mx.np that real MXNet and hybridonnx train from the same weights."""

import numpy as np


def net_of(mx):
    """A net of layers and of NumPy's functions between them."""
    nn, base = mx.gluon.nn, mx.gluon.HybridBlock

    class Net(base):  # type: ignore[misc, valid-type]
        def __init__(self):
            super().__init__(prefix="net_")
            with self.name_scope():
                self.a, self.b = nn.Dense(5, activation="relu"), nn.Dense(3)
                self.norm = nn.BatchNorm()

        def hybrid_forward(self, F, x):
            h = self.norm(self.a(x))
            h = h * 2 + F.np.mean(h, axis=1, keepdims=True)
            h = F.npx.sigmoid(h - F.np.max(h, axis=-1, keepdims=True) / 3)
            h = F.np.concatenate([h, h[:, :2]], axis=1)
            h = F.np.where(h > 0.5, h, F.np.zeros_like(h) + 0.1)
            return self.b(h).reshape(-1, 3) * F.np.sqrt(F.np.sum(F.np.square(x)))

    return Net()


def trained(mx, hybridize):
    """The net after four steps, the inputs, and the loss of each step; NumPy's semantics are on."""
    draws = np.random.RandomState(0)
    x = mx.np.array(draws.randn(8, 6).astype("float32"))
    y = mx.np.array(draws.randint(0, 3, 8).astype("float32"))
    net = net_of(mx)
    net.initialize(mx.init.Constant(0.1))
    net(x)
    parameters = net.collect_params()
    for name in sorted(parameters.keys()):
        if parameters[name].grad_req != "null":
            values = draws.randn(*parameters[name].shape).astype("float32") * 0.3
            parameters[name].set_data(mx.np.array(values))
    if hybridize:
        net.hybridize()
    trainer = mx.gluon.Trainer(parameters, "adam", {"learning_rate": 0.05})
    loss_function = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    losses = []
    for _ in range(4):
        with mx.autograd.record():
            loss = loss_function(net(x), y)
        loss.backward()
        trainer.step(8)
        losses.append(float(loss.mean()))
    return net, x, losses
