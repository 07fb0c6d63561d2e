"""Convolutional networks: a classifier over epochs, and networks of the model zoo."""

from ._run import blobs


def lenet(mx, run):
    gluon, nn = mx.gluon, mx.gluon.nn
    net = nn.HybridSequential(prefix="lenet_")
    with net.name_scope():
        net.add(
            nn.Conv2D(6, kernel_size=3, padding=1, activation="relu"),
            nn.BatchNorm(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(8, kernel_size=3, use_bias=False),
            nn.BatchNorm(momentum=0.8),
            nn.Activation("relu"),
            nn.MaxPool2D(2, 2),
            nn.Flatten(),
            nn.Dense(16, activation="tanh"),
            nn.Dense(4),
        )
    x, y = blobs(60, (1, 12, 12), 4, noise=2.0)
    training = gluon.data.DataLoader(gluon.data.ArrayDataset(x[:44], y[:44]), batch_size=16)
    validation = gluon.data.DataLoader(gluon.data.ArrayDataset(x[44:], y[44:]), batch_size=16)
    run.ready(net, mx.nd.array(x[:2]))
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02, "momentum": 0.9, "wd": 1e-3})
    accuracy, mean_loss = mx.metric.Accuracy(), mx.metric.Loss()
    for _ in range(10):
        accuracy.reset()
        for data, label in training:
            with mx.autograd.record():
                output = net(data)
                loss = loss_of(output, label)
            loss.backward()
            trainer.step(data.shape[0])
            accuracy.update([label], [output])
            run.loss(loss)
        run.show("training accuracy", accuracy.get()[1])
        accuracy.reset()
        mean_loss.reset()
        for data, label in validation:
            output = net(data)
            accuracy.update([label], [output])
            mean_loss.update(None, [loss_of(output, label)])
        run.show("validation accuracy", accuracy.get()[1])
        run.show("validation loss", mean_loss.get()[1])
    run.parameters(net)


def _zoo(mx, run, net, size, classes=10, batch=4, steps=3, learning_rate=0.01, dtype="float32"):
    """A few steps of a network, with what it predicts after each."""
    x, y = blobs(batch, (3, size, size), classes)
    data, label = mx.nd.array(x, dtype=dtype), mx.nd.array(y, dtype=dtype)
    net.cast(dtype)
    run.ready(net, data[:1])
    loss_of = run.fast(mx.gluon.loss.SoftmaxCrossEntropyLoss())
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": learning_rate, "momentum": 0.9})
    for _ in range(steps):
        with mx.autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        trainer.step(batch)
        run.loss(loss)
        run.show("validation loss", loss_of(net(data), label).mean().asscalar())


def zoo_resnet(mx, run):
    net = mx.gluon.model_zoo.vision.get_resnet(1, 18, thumbnail=True, classes=10)
    _zoo(mx, run, net, 16, learning_rate=1e-3)


def zoo_mobilenet(mx, run):
    net = mx.gluon.model_zoo.vision.mobilenet_v2_0_25(classes=10)
    _zoo(mx, run, net, 64, batch=8, learning_rate=1e-4)


def zoo_mobilenet_in_double_precision(mx, run):
    _zoo(mx, run, mx.gluon.model_zoo.vision.mobilenet_v2_0_25(classes=10), 48, dtype="float64")


def zoo_densenet(mx, run):
    net = mx.gluon.model_zoo.vision.DenseNet(6, 4, [2, 2, 2, 2], classes=10)
    _zoo(mx, run, net, 224, batch=2, steps=2)


def zoo_squeezenet(mx, run):
    nn = mx.gluon.nn
    features = mx.gluon.model_zoo.vision.squeezenet1_1().features
    net = nn.HybridSequential(prefix="tuned_")
    with net.name_scope():
        net.add(*[layer for layer in features if not isinstance(layer, nn.Dropout)])
        net.add(nn.Conv2D(10, kernel_size=1), nn.GlobalAvgPool2D(), nn.Flatten())
    _zoo(mx, run, net, 63, steps=2)
