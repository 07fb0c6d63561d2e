"""Keras with MXNet as its backend; names that Python 3.10 took out of `collections` are lent to it."""

from __future__ import annotations

import collections
import collections.abc
import os

import numpy as np

os.environ["KERAS_BACKEND"] = "mxnet"
for name in collections.abc.__all__:
    setattr(collections, name, getattr(collections.abc, name))

import keras  # noqa: E402
import mxnet as mx  # noqa: E402
from keras import layers, models  # noqa: E402

from tests.libraries.harness import Sample, check, model  # noqa: E402

LOSS = "categorical_crossentropy"


def drawn(*shape, seed=0, scale=1.0):
    return np.random.RandomState(seed).normal(scale=scale, size=shape).astype("float32")


def labels(count, size):
    return np.eye(size, dtype="float32")[np.arange(count) % size]


def fill(net):
    """Weights of NumPy's, by their order; those of BatchNormalization stay."""
    for i, layer in enumerate(net.layers):
        if not isinstance(layer, layers.BatchNormalization):
            layer.set_weights(
                [drawn(*w.shape, seed=10 * i + j, scale=0.2) for j, w in enumerate(layer.get_weights())]
            )
    return net


def trained(net, x, y, optimizer, epochs=2):
    """The losses of epochs, predictions after them, and what evaluate gives."""
    net.compile(optimizer, LOSS, metrics=["accuracy"])
    fill(net)
    history = net.fit(x, y, epochs=epochs, batch_size=8, shuffle=False, verbose=0).history
    return {"loss": history["loss"], "output": net.predict(x[:4]), "evaluate": net.evaluate(x, y, verbose=0)}


def dense():
    return models.Sequential(
        [layers.Dense(8, activation="relu", input_shape=(4,)), layers.Dense(3, activation="softmax")]
    )


OPTIMIZERS = ["sgd", "adam", "rmsprop", "adagrad", "adadelta", "adamax", "nadam"]
NAN = {"mxnet": "MXNet's Adamax makes a weight that has no gradient nan"}


def with_optimizer(optimizer):
    return lambda: trained(dense(), drawn(32, 4), labels(32, 3), optimizer)


for optimizer in OPTIMIZERS:
    check(f"a dense network by {optimizer}", NAN if optimizer == "adamax" else None)(
        with_optimizer(optimizer)
    )


@check("a convolutional network")
def convolutional():
    net = models.Sequential()
    net.add(layers.Conv2D(4, 3, activation="relu", input_shape=(12, 12, 3), padding="same"))
    net.add(layers.BatchNormalization())
    net.add(layers.MaxPooling2D())
    net.add(layers.Conv2D(4, 3, strides=2))
    net.add(layers.Flatten())
    net.add(layers.Dense(3, activation="softmax"))
    return trained(net, drawn(24, 12, 12, 3), labels(24, 3), keras.optimizers.SGD(lr=0.05, momentum=0.9))


@check("a graph of layers")
def graph():
    x = layers.Input(shape=(6,))
    a, b = layers.Dense(5, activation="tanh")(x), layers.Dense(5)(x)
    y = layers.Dense(3, activation="softmax")(
        layers.concatenate([layers.add([a, b]), layers.multiply([a, b])])
    )
    return trained(models.Model(x, y), drawn(16, 6), labels(16, 3), "sgd")


@check("an embedding and an LSTM")
def recurrent():
    net = models.Sequential(
        [layers.Embedding(20, 6, input_length=5), layers.LSTM(4), layers.Dense(3, activation="softmax")]
    )
    return trained(net, np.random.RandomState(0).randint(0, 20, (16, 5)), labels(16, 3), "sgd")


@check("a model of its JSON")
def json():
    net = fill(dense())
    again = models.model_from_json(net.to_json())
    again.set_weights(net.get_weights())
    return {"output": again.predict(drawn(5, 4))}


@check("weights in HDF5", skip={"run": "Keras 2.2 reads what h5py before 3 gave as bytes"})
def weights():
    net = fill(dense())
    net.save_weights("weights.h5")
    again = dense()
    again.load_weights("weights.h5")
    return {"output": again.predict(drawn(5, 4))}


@check("a model of MXNet's")
def exported():
    net = dense()
    net.compile("sgd", LOSS)
    fill(net)
    x = drawn(8, 4)
    net.fit(x, labels(8, 3), epochs=1, batch_size=8, shuffle=False, verbose=0)
    names, shapes = models.save_mxnet_model(net, prefix="kept", epoch=0)
    assert os.path.isfile("kept-symbol.json")
    assert os.path.isfile("kept-0000.params")
    return {"output": net.predict(x), "inputs": len(names), "shape": shapes[0].shape}


@check("callbacks and generators")
def callbacks():
    net = fill(dense())
    net.compile("adam", LOSS)
    x, y = drawn(32, 4), labels(32, 3)

    def batches():
        while True:
            for i in range(0, 32, 8):
                yield x[i : i + 8], y[i : i + 8]

    stop = keras.callbacks.EarlyStopping(monitor="loss", patience=1)
    log = keras.callbacks.CSVLogger("log.csv")
    history = net.fit_generator(
        batches(), steps_per_epoch=4, epochs=2, callbacks=[stop, log], verbose=0, workers=1
    )
    assert os.path.getsize("log.csv") > 0
    assert len(history.history["loss"]) == 2


def from_files(net, x):
    """What MXNet's Gluon reads of the files that Keras writes, trained on."""
    net.compile("sgd", LOSS)
    fill(net)
    net.fit(x, labels(len(x), 3), epochs=1, batch_size=len(x), shuffle=False, verbose=0)
    (name,), _ = models.save_mxnet_model(net, prefix="read", epoch=0)
    block = mx.gluon.SymbolBlock.imports("read-symbol.json", [name], "read-0000.params")
    data = mx.nd.array(x)
    np.testing.assert_allclose(block(data).asnumpy(), net.predict(x), rtol=1e-4, atol=1e-5)
    label = mx.nd.array(labels(len(x), 3))
    return Sample(block, [data], lambda y: -(label * mx.nd.log(y)).sum(axis=1), free=(0,), names=[name])


@model("a dense network's files")
def dense_files() -> Sample:
    keras.backend.reset_uids()
    net = models.Sequential()
    net.add(layers.Dense(8, activation="relu", input_shape=(4,), name="first"))
    net.add(layers.Dense(3, activation="softmax", name="last"))
    return from_files(net, drawn(8, 4))


@model("a convolutional network's files")
def convolutional_files() -> Sample:
    keras.backend.reset_uids()
    net = models.Sequential()
    net.add(layers.Conv2D(4, 3, activation="relu", input_shape=(12, 12, 3), padding="same", name="near"))
    net.add(layers.MaxPooling2D())
    net.add(layers.Conv2D(4, 3, strides=2, name="wide"))
    net.add(layers.Flatten())
    net.add(layers.Dense(3, activation="softmax", name="head"))
    return from_files(net, drawn(8, 12, 12, 3))
