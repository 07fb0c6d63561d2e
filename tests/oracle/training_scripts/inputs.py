"""Gradients beyond those of parameters: of inputs, and where they end."""

import numpy as np

from ._run import blobs


def _dense(mx, prefix, *sizes, activation="tanh"):
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        for i, size in enumerate(sizes[1:-1]):
            net.add(nn.Dense(size, in_units=sizes[i]), nn.HybridLambda(activation))
        net.add(nn.Dense(sizes[-1], in_units=sizes[-2]))
    return net


def adversarial(mx, run):
    """Examples are moved along the sign of the loss's gradient, and the network learns those too."""
    gluon = mx.gluon
    x, y = blobs(16, (6,), 3)
    net = run.ready(_dense(mx, "net_", 6, 8, 3))
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2})
    label = mx.nd.array(y)
    for _ in range(20):
        data = mx.nd.array(x)
        data.attach_grad()
        with mx.autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        run.show("slope", *data.grad.abs().mean(axis=0).asnumpy())
        moved = data + 0.1 * data.grad.sign()
        with mx.autograd.record():
            harder = loss_of(net(moved), label)
            total = loss_of(net(data), label) + 0.5 * harder
        total.backward()
        trainer.step(len(y))
        run.loss(total)
    run.parameters(net)


def dreamed_input(mx, run):
    """Descent on the input of a network that stays as it is."""
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, 3, in_channels=2, activation="relu"), nn.BatchNorm(in_channels=4), nn.AvgPool2D(2)
        )
        net.add(nn.Dense(3, in_units=16))
    run.ready(net)
    net.collect_params().setattr("grad_req", "null")
    image = mx.nd.array(np.random.RandomState(3).normal(size=(1, 2, 6, 6)) * 0.1)
    image.attach_grad()
    for _ in range(25):
        with mx.autograd.record(train_mode=False):
            loss = (net(image)[:, 1] - 1) ** 2 + 0.05 * (image**2).sum()
        loss.backward(train_mode=False)
        image -= 0.05 * image.grad
        run.loss(loss)
    run.show("image", *image.asnumpy().ravel())


def gan(mx, run):
    """Two networks with a trainer each; the generator's output is detached for the discriminator's step."""
    gluon, nn = mx.gluon, mx.gluon.nn
    generator = nn.HybridSequential(prefix="generator_")
    with generator.name_scope():
        generator.add(nn.Dense(18, in_units=3), nn.HybridLambda(lambda F, x: F.reshape(x, (0, 2, 3, 3))))
        generator.add(nn.BatchNorm(in_channels=2), nn.Activation("relu"))
        generator.add(nn.Conv2DTranspose(1, 4, strides=2, padding=1, in_channels=2, activation="tanh"))
    critic = nn.HybridSequential(prefix="critic_")
    with critic.name_scope():
        critic.add(nn.Conv2D(3, 3, strides=2, padding=1, in_channels=1), nn.LeakyReLU(0.2))
        critic.add(nn.Flatten(), nn.Dense(1, in_units=27))
    run.ready(generator, seed=1)
    run.ready(critic, seed=2)
    loss_of = run.fast(gluon.loss.SigmoidBinaryCrossEntropyLoss())
    rates = {"learning_rate": 0.01, "beta1": 0.5, "epsilon": 1e-4}
    creates = gluon.Trainer(generator.collect_params(), "adam", rates)
    judges = gluon.Trainer(critic.collect_params(), "adam", rates)
    draws = np.random.RandomState(4)
    ones, zeros = mx.nd.ones((6,)), mx.nd.zeros((6,))
    for _ in range(20):
        real = mx.nd.array(np.tanh(draws.normal(size=(6, 1, 6, 6)) + 0.5))
        noise = mx.nd.array(draws.normal(size=(6, 3)))
        with mx.autograd.record():
            fake = generator(noise)
            loss = loss_of(critic(real), ones) + loss_of(critic(fake.detach()), zeros)
        loss.backward()
        judges.step(6)
        run.loss(loss)
        with mx.autograd.record():
            loss = loss_of(critic(generator(noise)), ones)
        loss.backward()
        creates.step(6)
        run.loss(loss)
    run.parameters(generator)
    run.parameters(critic)
    run.show("made", *generator(noise).asnumpy()[0].ravel())
