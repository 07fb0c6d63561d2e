"""The helper functions of Dive into Deep Learning's first edition, on data that is made here."""

from __future__ import annotations

import io
import os
import random
import shutil
import zipfile
from unittest import mock

import matplotlib as mpl
import mxnet as mx
import numpy as np
from mxnet import autograd, gluon, image, nd
from mxnet.contrib import text
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn, rnn

mpl.use("Agg")

import d2lzh as d2l

from tests.libraries.harness import Sample, check, model

CPU = mx.cpu()
SOFTMAX = gloss.SoftmaxCrossEntropyLoss()


def drawn(*shape, seed=0, scale=1.0):
    return nd.array(np.random.RandomState(seed).normal(scale=scale, size=shape).astype("float32"))


def classes(high, *shape, seed=0):
    return nd.array(np.random.RandomState(seed).randint(0, high, shape))


def filled(net, *inputs, scale=0.3):
    """The block with weights of NumPy's, by their order."""
    net.initialize()
    net(*inputs)
    for i, parameter in enumerate(net.collect_params().values()):
        if parameter.grad_req != "null":
            parameter.set_data(drawn(*parameter.shape, seed=i, scale=scale))
    return net


def batches(*arrays, size=8):
    return gluon.data.DataLoader(gluon.data.ArrayDataset(*arrays), size)


def written(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def picture(seed=0, form="PNG"):
    from PIL import Image

    pixels = np.random.RandomState(seed).randint(0, 256, (6, 6, 3)).astype("uint8").repeat(8, 0).repeat(8, 1)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form)
    return file.getvalue()


@check("regression and classification")
def regression():
    w = nd.array([[2.0], [-3.4]])
    X = drawn(100, 2)
    y = nd.dot(X, w) + 4.2
    weight, bias = drawn(2, 1, seed=1, scale=0.01), nd.zeros((1,))
    weight.attach_grad()
    bias.attach_grad()
    random.seed(0)
    for features, labels in d2l.data_iter(10, X, y):
        with autograd.record():
            loss = d2l.squared_loss(d2l.linreg(features, weight, bias), labels)
        loss.backward()
        d2l.sgd([weight, bias], 0.03, 10)
    images, labels = drawn(40, 1, 12, 12), classes(10, 40)
    net = nn.Sequential()
    net.add(nn.Dense(10))
    filled(net, images, scale=0.01)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    loader = batches(images, labels)
    d2l.train_ch3(net, loader, loader, SOFTMAX, 2, 8, trainer=trainer)
    accuracy = d2l.evaluate_accuracy(loader, net)
    d2l.show_fashion_mnist(drawn(3, 28, 28), d2l.get_fashion_mnist_labels([0, 1, 2]))
    d2l.semilogy([1, 2, 3], [1, 0.1, 0.01], "x", "y", [1, 2, 3], [2, 0.2, 0.02], ["a", "b"])
    return {"weight": weight, "bias": bias, "net": net(images), "accuracy": accuracy}


@check("convolutional networks")
def convolutional():
    X, y = drawn(16, 1, 28, 28), classes(10, 16)
    net = nn.Sequential()
    net.add(nn.Conv2D(6, 5, activation="sigmoid"), nn.MaxPool2D(2, 2), nn.Dense(10))
    filled(net, X, scale=0.1)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    loader = batches(X, y)
    d2l.train_ch5(net, loader, loader, 8, trainer, d2l.try_gpu(), 2)
    d2l.train(loader, loader, net, SOFTMAX, trainer, d2l.try_all_gpus(), 1)
    resnet = filled(d2l.resnet18(10), drawn(1, 3, 32, 32), scale=0.1)
    residual = filled(d2l.Residual(3), drawn(2, 3, 6, 6))
    with d2l.Benchmark("predict"):
        y = resnet(drawn(1, 3, 32, 32))
    kernel = d2l.corr2d(drawn(6, 8), nd.array([[1.0, -1.0]]))
    return {"corr2d": kernel, "net": net(X), "resnet18": y, "residual": residual(drawn(2, 3, 6, 6))}


WORDS = "the time traveller for so it will be convenient to speak of him was expounding " * 20


@check("language models")
def language_models():
    written("../data/timemachine.txt", WORDS)
    os.makedirs("../data", exist_ok=True)
    with zipfile.ZipFile("../data/jaychou_lyrics.txt.zip", "w") as file:
        file.writestr("jaychou_lyrics.txt", "想要有直升机\n想要和你飞到宇宙去\n" * 40)
    indices, _, _, size = d2l.load_data_jay_lyrics()
    assert len(indices) == 680
    _, _, _, size = d2l.load_data_time_machine()
    letters = sorted(set(WORDS))
    places = {letter: i for i, letter in enumerate(letters)}
    assert size == len(letters)
    corpus = [places[c] for c in WORDS]
    random.seed(4)
    X, Y = next(d2l.data_iter_random(corpus, 4, 6))
    pairs = list(d2l.data_iter_consecutive(corpus, 4, 6))
    net = d2l.RNNModel(rnn.RNN(12), size)
    filled(net, X, net.begin_state(batch_size=4))
    said = d2l.predict_rnn_gluon("time", 8, net, size, CPU, letters, places)
    d2l.train_and_predict_rnn_gluon(
        net, 12, size, CPU, corpus, letters, places, 1, 20, 1, 0.01, 8, 1, 5, ["time"]
    )
    parameters = scratch_parameters(size)
    d2l.train_and_predict_rnn(
        scratch_step, lambda: parameters, scratch_state, 12, size, CPU, corpus, letters, places, False, 2, 20,
        1, 0.01, 8, 1, 5, ["time"],
    )  # fmt: skip
    return {
        "X": X,
        "Y": Y,
        "last": pairs[-1][1],
        "said": [ord(c) for c in said],
        **{f"parameter {i}": x for i, x in enumerate(parameters)},
    }


def scratch_parameters(size):
    parameters = [drawn(size, 12, scale=0.1), drawn(12, 12, seed=1, scale=0.1), nd.zeros(12)]
    parameters += [drawn(12, size, seed=2, scale=0.1), nd.zeros(size)]
    for parameter in parameters:
        parameter.attach_grad()
    return parameters


def scratch_state(batch_size, hidden, ctx):
    return (nd.zeros(shape=(batch_size, hidden), ctx=ctx),)


def scratch_step(inputs, state, parameters):
    W_xh, W_hh, b_h, W_hq, b_q = parameters
    (H,), outputs = state, []
    for X in inputs:
        H = nd.tanh(nd.dot(X, W_xh) + nd.dot(H, W_hh) + b_h)
        outputs.append(nd.dot(H, W_hq) + b_q)
    return outputs, (H,)


@check("optimizers")
def optimizers():
    rows = np.random.RandomState(0).rand(200, 6)
    written("../data/airfoil_self_noise.dat", "\n".join("\t".join(map(str, row)) for row in rows))
    features, labels = d2l.get_data_ch7()
    d2l.train_ch7(lambda ps, states, hp: d2l.sgd(ps, hp["lr"], 1), None, {"lr": 0.05}, features, labels)
    for name in ("sgd", "adam", "rmsprop", "adagrad", "adadelta"):
        d2l.train_gluon_ch7(name, {}, features, labels, 20, 1)
    path = d2l.train_2d(lambda a, b, s, t: (a - 0.2 * a, b - 0.4 * b, 0, 0))
    d2l.show_trace_2d(lambda a, b: a**2 + 2 * b**2, path)
    return {"features": features, "path": path}


@check("sentiments")
def sentiments():
    for part in ("train", "test"):
        for kind in ("pos", "neg"):
            for i in range(4):
                written(f"../data/aclImdb/{part}/{kind}/{i}.txt", f"{kind} film {i} great " * 8)
    random.seed(0)
    data = sorted(d2l.read_imdb())
    vocab = d2l.get_vocab_imdb(data)
    features, labels = d2l.preprocess_imdb(data, vocab)
    net = nn.Sequential()
    net.add(nn.Embedding(len(vocab), 4), nn.Dense(2))
    net[0].initialize()
    filled(net, features[:, :4])
    written("./vectors.txt", "film 1 2 3\ngreat 4 5 6\n")
    vectors = text.embedding.CustomEmbedding("./vectors.txt", vocabulary=vocab)
    return {
        "features": features,
        "labels": labels,
        "said": len(d2l.predict_sentiment(net, vocab, ["film", "great", "pos", "neg"])),
        "vectors": vectors.idx_to_vec,
        "counts": sorted(d2l.count_tokens([["a", "b"], ["a"]]).values()),
    }


@check("images of detection and segmentation")
def images():
    root = "../data/VOCdevkit/VOC2012"
    for i in range(3):
        written(f"{root}/JPEGImages/{i}.jpg", picture(i, "JPEG"))
        written(f"{root}/SegmentationClass/{i}.png", picture(i))
    written(f"{root}/ImageSets/Segmentation/train.txt", "0\n1\n2\n")
    colors = nd.zeros(256**3)
    for i, (r, g, b) in enumerate(d2l.VOC_COLORMAP):
        colors[(r * 256 + g) * 256 + b] = i
    random.seed(1)
    data = d2l.VOCSegDataset(True, (32, 40), root, colors)
    feature, labels = data[1]
    d2l.show_images(d2l.read_voc_images(root)[0][:1] * 4, 2, 2)
    axes = d2l.plt.imshow(np.zeros((8, 8, 3))).axes
    d2l.show_bboxes(axes, nd.array([[1, 2, 5, 6]]), ["cat"])
    return {"feature": feature, "labels": labels}


@check("the detection iterator")
def detection():
    record = mx.recordio.MXIndexedRecordIO("train.idx", "train.rec", "w")
    for i in range(6):
        header = mx.recordio.IRHeader(0, [2, 5, 0, 0.1, 0.2, 0.7, 0.9], i, 0)
        record.write_idx(i, mx.recordio.pack(header, picture(i, "PNG")))
    record.close()
    random.seed(0)
    np.random.seed(0)
    batches = image.ImageDetIter(
        path_imgrec="train.rec", path_imgidx="train.idx", batch_size=3, data_shape=(3, 32, 32), shuffle=False
    )
    batch = next(iter(batches))
    folder = os.path.join("..", "data", "pikachu")
    d2l.mkdir_if_not_exist([folder])
    for name, copy in (("train.rec", "train.rec"), ("train.idx", "train.idx"), ("train.rec", "val.rec")):
        shutil.copy(name, os.path.join(folder, copy))
    with mock.patch.object(d2l.utils, "_download_pikachu"):
        train, valid = d2l.load_data_pikachu(2, edge_size=40)
    random.seed(0)
    np.random.seed(0)
    parts = {"train": next(iter(train)), "valid": next(iter(valid))}
    return {
        "image": batch.data[0],
        "label": batch.label[0],
        **{f"{part} image": each.data[0] for part, each in parts.items()},
        **{f"{part} label": each.label[0] for part, each in parts.items()},
    }


@check("Fashion-MNIST with workers")
def fashion():
    import gzip
    import struct

    root = "fashion-mnist"
    os.makedirs(root, exist_ok=True)
    from mxnet.gluon.data.vision import datasets

    for kind, count in (("train", 20), ("t10k", 10)):
        pixels = np.random.RandomState(count).randint(0, 256, (count, 28, 28)).astype("uint8")
        with gzip.open(f"{root}/{kind}-images-idx3-ubyte.gz", "wb") as file:
            file.write(struct.pack(">IIII", 2051, count, 28, 28) + pixels.tobytes())
        with gzip.open(f"{root}/{kind}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(struct.pack(">II", 2049, count) + bytes(range(10)) * (count // 10))
    there = mock.patch.object(
        datasets, "download", lambda url, path, sha1_hash: f"{path}/{url.split('/')[-1]}", create=True
    )
    with there, mock.patch.object(datasets, "_get_repo_file_url", lambda namespace, name: name, create=True):
        train, test = d2l.load_data_fashion_mnist(5, resize=24, root=root)
    X, y = next(iter(test))
    return {"X": X, "y": y, "count": sum(len(y) for _, y in train)}


@model("a hybridized network of the book")
def hybridized() -> Sample:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2, 2))
    net.add(nn.Dense(32, activation="relu"), nn.Dropout(0.2), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    label = nd.array([1, 4])
    return Sample(net, [drawn(2, 1, 12, 12)], lambda y: SOFTMAX(y, label), free=(0,))
