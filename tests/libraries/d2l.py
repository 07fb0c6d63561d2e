"""Dive into Deep Learning's helper functions, as its chapters call them, on data that is made here."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import random
import struct
import tarfile
import zipfile

HOME = os.environ["MXNET_HOME"] = os.path.abspath("home")

import matplotlib as mpl
import mxnet as mx
import numpy as onp
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn, rnn

mpl.use("Agg")
npx.set_np()

from d2l import mxnet as d2l  # noqa: E402

from tests.libraries.harness import Sample, check, model  # noqa: E402

CPU = mx.cpu()
SOFTMAX = gluon.loss.SoftmaxCrossEntropyLoss()
d2l.get_dataloader_workers = lambda: 0


def drawn(*shape, seed=0, scale=1.0):
    return np.array(onp.random.RandomState(seed).normal(scale=scale, size=shape).astype("float32"))


def integers(high, *shape, seed=0):
    return np.array(onp.random.RandomState(seed).randint(0, high, shape).astype("float32"))


def filled(net, *inputs, scale=0.3):
    """The block with weights of NumPy's, by their order."""
    net.initialize()
    net(*inputs)
    for i, parameter in enumerate(net.collect_params().values()):
        if parameter.grad_req != "null":
            parameter.set_data(drawn(*parameter.shape, seed=i, scale=scale))
    return net


def place(name, files, folder):
    """A file of the hub with these contents, as if it was there from the last time."""
    os.makedirs(os.path.join("..", "data"), exist_ok=True)
    address = d2l.DATA_HUB[name][0] if name in d2l.DATA_HUB else f"{d2l.DATA_URL}{name}.zip"
    path = os.path.join("..", "data", address.split("/")[-1])
    if path.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as file:
            for inner, data in files.items():
                file.writestr(f"{folder}/{inner}", data)
    elif path.endswith((".tar", ".gz")):
        with tarfile.open(path, "w") as file:
            for inner, data in files.items():
                data = data.encode() if isinstance(data, str) else data
                entry = tarfile.TarInfo(f"{folder}/{inner}")
                entry.size = len(data)
                file.addfile(entry, io.BytesIO(data))
    else:
        with open(path, "w") as file:
            file.write(files)
    with open(path, "rb") as file:
        d2l.DATA_HUB[name] = (address, hashlib.sha1(file.read()).hexdigest())


def picture(height=48, width=48, seed=0, form=".png"):
    """The bytes of an image file."""
    from PIL import Image

    pixels = onp.random.RandomState(seed).randint(0, 256, (height // 8, width // 8, 3)).astype("uint8")
    file = io.BytesIO()
    Image.fromarray(pixels.repeat(8, 0).repeat(8, 1)).save(file, "PNG" if form == ".png" else "JPEG")
    return file.getvalue()


@check("linear regression")
def linear_regression():
    w, b = np.array([2, -3.4]), 4.2
    features, labels = d2l.synthetic_data(w, b, 200)
    assert features.shape == (200, 2)
    assert labels.shape == (200, 1)
    features = drawn(200, 2)
    labels = (np.dot(features, w) + b).reshape(-1, 1)
    weight, bias = drawn(2, 1, seed=1, scale=0.01), np.zeros(1)
    weight.attach_grad()
    bias.attach_grad()
    for _ in range(3):
        for X, y in d2l.load_array((features, labels), 10, is_train=False):
            with autograd.record():
                loss = d2l.squared_loss(d2l.linreg(X, weight, bias), y)
            loss.backward()
            d2l.sgd([weight, bias], 0.03, 10)
    batches = d2l.load_array((features, labels), 10, False)
    final = d2l.evaluate_loss(lambda X: d2l.linreg(X, weight, bias), batches, d2l.squared_loss)
    return {"weight": weight, "bias": bias, "loss": final}


@check("softmax regression, and what is drawn")
def softmax_regression():
    X = drawn(60, 1, 28, 28)
    y = np.array(onp.where(X.asnumpy().mean((1, 2, 3)) > 0, 3, 7).astype("int32"))
    batches = d2l.load_array((X, y), 12, is_train=False)
    net = nn.Sequential()
    net.add(nn.Dense(10))
    filled(net, X, scale=0.01)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    d2l.train_ch3(net, batches, batches, SOFTMAX, 4, trainer)
    d2l.predict_ch3(net, batches, 3)
    epoch = d2l.train_epoch_ch3(net, batches, SOFTMAX, trainer)
    return {"epoch": epoch, "accuracy": d2l.evaluate_accuracy(net, batches)}


@check("convolutional networks")
def convolutional():
    kernel = d2l.corr2d(drawn(6, 8), np.array([[1.0, -1.0]]))
    X, y = drawn(24, 1, 28, 28), integers(10, 24).astype("int32")
    batches = d2l.load_array((X, y), 4, is_train=False)
    net = nn.Sequential()
    net.add(nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Dense(10))
    d2l.train_ch6(net, batches, batches, 1, 0.9, d2l.try_gpu())
    block = filled(d2l.Residual(4, use_1x1conv=True, strides=2), drawn(2, 3, 6, 6))
    resnet = filled(d2l.resnet18(10), drawn(1, 3, 32, 32), scale=0.1)
    with d2l.Benchmark("predict"):
        y = resnet(drawn(1, 3, 32, 32))
    return {"corr2d": kernel, "block": block(drawn(2, 3, 6, 6)), "resnet18": y}


TEXT = "the time traveller for so it will be convenient to speak of him was expounding a matter to us " * 30


@check("language models")
def language_models():
    place("time_machine", TEXT.replace("us", "us\n"), None)
    random.seed(3)
    batches, vocab = d2l.load_data_time_machine(8, 10)
    X, Y = next(iter(batches))
    net = d2l.RNNModel(rnn.RNN(16), len(vocab))
    filled(net, X, net.begin_state(batch_size=8, ctx=CPU))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    perplexity = [
        d2l.train_epoch_ch8(net, batches_of(X, Y), SOFTMAX, trainer.step, CPU, use)[0]
        for use in (True, False)
    ]
    said = d2l.predict_ch8("time traveller", 10, net, vocab, CPU)
    d2l.train_ch8(net, batches, vocab, 1, 2, CPU)
    scratch = d2l.RNNModelScratch(len(vocab), 8, CPU, scratch_parameters, scratch_state, scratch_step)
    d2l.train_ch8(scratch, batches, vocab, 1, 1, CPU, use_random_iter=True)
    return {"X": X, "Y": Y, "perplexity": perplexity, "said": [ord(c) for c in said]}


def batches_of(*arrays):
    return [arrays, arrays]


def scratch_parameters(size, hidden, device):
    parameters = [drawn(size, hidden), drawn(hidden, hidden, seed=1), np.zeros(hidden)]
    parameters += [drawn(hidden, size, seed=2), np.zeros(size)]
    for parameter in parameters:
        parameter.attach_grad()
    return parameters


def scratch_state(batch_size, hidden, device):
    return (np.zeros((batch_size, hidden), ctx=device),)


def scratch_step(inputs, state, parameters):
    W_xh, W_hh, b_h, W_hq, b_q = parameters
    (H,), outputs = state, []
    for X in inputs:
        H = np.tanh(np.dot(X, W_xh) + np.dot(H, W_hh) + b_h)
        outputs.append(np.dot(H, W_hq) + b_q)
    return np.concatenate(outputs, axis=0), (H,)


PAIRS = "go .\tva !\nhi .\tsalut !\ni lost .\tj'ai perdu .\nhe ran .\til a couru .\ni ran .\tj'ai couru .\n"


@check("translation")
def translation():
    place("fra-eng", {"fra.txt": PAIRS * 6}, "fra-eng")
    batches, source, target = d2l.load_data_nmt(5, 6)
    X, _, Y, _ = next(iter(batches))
    assert X.shape == Y.shape == (5, 6)
    encoder = d2l.Seq2SeqEncoder(len(source), 8, 16, 2)
    outputs, state = encoder_outputs(encoder, integers(len(source), 4, 7))
    loss = d2l.MaskedSoftmaxCELoss()
    masked = loss(np.ones((3, 4, 10)), np.ones((3, 4)), np.array([4, 2, 0]))
    net = Translator(encoder, Decoder(len(target), 8, 16, 2))
    d2l.train_seq2seq(net, batches, 0.01, 2, target, CPU)
    words, _ = d2l.predict_seq2seq(net, "go .", source, target, 6, CPU)
    assert isinstance(words, str)
    return {
        "outputs": outputs,
        "state": state[0],
        "loss": masked,
        "bleu": d2l.bleu("il a vu", "il a couru", 2),
    }


def encoder_outputs(encoder, X):
    filled(encoder, X)
    return encoder(X)


class Decoder(d2l.Decoder):
    def __init__(self, vocab_size, embed_size, hidden, layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = rnn.GRU(hidden, layers)
        self.dense = nn.Dense(vocab_size, flatten=False)

    def init_state(self, enc_outputs, *args):
        return enc_outputs[1]

    def forward(self, X, state):
        X = self.embedding(X).swapaxes(0, 1)
        context = np.broadcast_to(state[0][-1], (X.shape[0], *state[0][-1].shape))
        output, state = self.rnn(np.concatenate((X, context), 2), state)
        return self.dense(output).swapaxes(0, 1), state


class Translator(d2l.EncoderDecoder):
    pass


@check("attention")
def attention():
    X, lengths = drawn(2, 4, 24), np.array([3, 2])
    masked = d2l.masked_softmax(drawn(2, 2, 4), np.array([[1, 3], [2, 4]]))
    queries, keys, values = drawn(2, 1, 20), drawn(2, 10, 2, seed=1), drawn(2, 10, 4, seed=2)
    additive = filled(d2l.AdditiveAttention(8, 0.1), queries, keys, values, np.array([2, 6]))
    product = d2l.DotProductAttention(0.5)
    product.initialize()
    heads = filled(d2l.MultiHeadAttention(24, 8, 0.5), X, X, X, lengths)
    encoding = d2l.PositionalEncoding(24, 0)
    encoding.initialize()
    encoder = filled(d2l.TransformerEncoder(50, 24, 48, 8, 2, 0.5), integers(50, 2, 4), lengths, scale=0.1)
    with autograd.record():
        y = encoder(integers(50, 2, 4), lengths)
    y.backward()
    d2l.show_heatmaps(additive.attention_weights.reshape((1, 1, 2, 10)), "keys", "queries")
    return {
        "masked": masked,
        "additive": additive(queries, keys, values, np.array([2, 6])),
        "product": product(drawn(2, 1, 2), keys, values, np.array([2, 6])),
        "heads": heads(X, X, X, lengths),
        "encoding": encoding(np.zeros((1, 7, 24))),
        "encoder": encoder(integers(50, 2, 4), lengths),
    }


@check("optimizers")
def optimizers():
    def descend(x1, x2, s1, s2):
        return x1 - 0.1 * 2 * x1, x2 - 0.1 * 4 * x2, 0, 0

    place(
        "airfoil", "\n".join("\t".join(map(str, row)) for row in onp.random.RandomState(0).rand(400, 6)), None
    )
    batches, size = d2l.get_data_ch11(20, 400)
    d2l.train_ch11(lambda ps, states, hp: d2l.sgd(ps, hp["lr"], 1), None, {"lr": 0.05}, batches, size)
    d2l.train_concise_ch11("adam", {"learning_rate": 0.01}, batches)
    features, _ = next(iter(d2l.get_data_ch11(400, 400)[0]))
    return {"path": d2l.train_2d(descend, 5), "airfoil": np.abs(features).sum()}


@check("contours", skip={"mxnet": "matplotlib 3.8 refuses MXNet's arrays"})
def contours():
    d2l.show_trace_2d(lambda a, b: a**2 + 2 * b**2, [(-5, -2), (-4, -1), (-2, -0.5)])


@check("more devices than one")
def devices():
    X, y = drawn(16, 3, 8, 8), integers(4, 16).astype("int32")
    both = [mx.cpu(0), mx.cpu(1)]
    shards = d2l.split_batch(X, y, both)
    net = nn.Sequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.Dense(4))
    filled(net, X)
    net.collect_params().reset_ctx(both)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    step = d2l.train_batch_ch13(net, X, y, SOFTMAX, trainer, both)
    batches = d2l.load_array((X, y), 2, is_train=False)
    d2l.train_ch13(net, batches, batches, SOFTMAX, trainer, 1, both)
    return {"shard": shards[0][1], "step": step, "accuracy": d2l.evaluate_accuracy_gpus(net, batches)}


@check("boxes")
def boxes():
    anchors = d2l.multibox_prior(drawn(1, 3, 6, 8), [0.75, 0.5, 0.25], [1, 2, 0.5])
    truth = np.array([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
    few = np.array(
        [[0, 0.1, 0.2, 0.3], [0.15, 0.2, 0.4, 0.4], [0.63, 0.05, 0.88, 0.98], [0.66, 0.45, 0.8, 0.8]]
    )
    offsets, mask, classes = d2l.multibox_target(np.expand_dims(few, axis=0), np.expand_dims(truth, axis=0))
    probabilities = np.array([[[0, 0, 0, 0], [0.9, 0.8, 0.7, 0.1], [0.1, 0.2, 0.3, 0.9]]])
    found = d2l.multibox_detection(probabilities, np.zeros((1, 16)), np.expand_dims(few, axis=0))
    axes = d2l.plt.imshow(onp.zeros((10, 10, 3))).axes
    d2l.show_bboxes(axes, few * 10, ["a", "b", "c", "d"])
    axes.add_patch(d2l.bbox_to_rect([1, 2, 3, 4], "blue"))
    centers = d2l.box_corner_to_center(few)
    return {
        "anchors": anchors,
        "iou": d2l.box_iou(few, truth[:, 1:]),
        "centers": centers,
        "corners": d2l.box_center_to_corner(centers),
        "offsets": offsets,
        "mask": mask,
        "classes": classes,
        "found": found,
    }


@check("images of detection and segmentation")
def images():
    rows = "img_name,label,xmin,ymin,xmax,ymax\n" + "".join(f"{i}.png,0,{i},2,30,40\n" for i in range(4))
    files = {}
    for part in ("bananas_train", "bananas_val"):
        files[f"{part}/label.csv"] = rows
        files |= {f"{part}/images/{i}.png": picture(seed=i) for i in range(4)}
    place("banana-detection", files, "banana-detection")
    train, _ = d2l.load_data_bananas(4)
    image, label = next(iter(train))
    d2l.show_images([x.transpose(1, 2, 0) / 255 for x in image], 1, 4)
    names = "\n".join(map(str, range(4)))
    voc = {f"ImageSets/Segmentation/{part}.txt": names for part in ("train", "val")}
    voc |= {f"JPEGImages/{i}.jpg": picture(seed=i, form=".jpg") for i in range(4)}
    voc |= {f"SegmentationClass/{i}.png": picture(seed=i) for i in range(4)}
    place("voc2012", voc, "VOCdevkit/VOC2012")
    random.seed(1)
    _, test = d2l.load_data_voc(2, (32, 40))
    feature, classes = next(iter(test))
    return {"image": image.sum(), "label": label.sum(0), "feature": feature, "classes": classes}


@check("word vectors")
def word_vectors():
    words = ["the cat sat on the mat with the dog", "a dog ran to the cat and the mat"] * 10
    place("ptb", {"ptb.train.txt": "\n".join(words)}, "ptb")
    random.seed(1)
    batches, vocab = d2l.load_data_ptb(8, 2, 3)
    batch = next(iter(batches))
    random.seed(1)
    prepared = d2l.batchify([(1, [2, 2], [3, 3, 3, 3]), (1, [2, 2, 2], [3, 3])])
    place("glove.6b.50d", {"vec.txt": "cat 0.5 1 2\ndog 1 1 0\n"}, "glove.6B.50d")
    vectors = d2l.TokenEmbedding("glove.6b.50d")
    return {
        "count": len(vocab),
        "shapes": [len(batch), batch[0].shape[0]],
        **{f"prepared {i}": x for i, x in enumerate(prepared)},
        "vectors": vectors[["cat", "bird", "dog"]],
    }


@check("BERT")
def bert():
    lines = ["the cat sat . the dog ran . a mat is on the floor . the end of it\n"] * 30
    place("wikitext-2", {"wiki.train.tokens": "".join(lines)}, "wikitext-2")
    random.seed(2)
    batches, vocab = d2l.load_data_wiki(4, 24)
    batch = next(iter(batches))
    net = d2l.BERTModel(len(vocab), 16, 32, 2, 2, 0.2)
    tokens, segments = integers(len(vocab), 2, 8), integers(2, 2, 8, seed=1)
    net.initialize(init.Xavier())
    encoded, masked, following = net(tokens, segments, None, np.array([[1, 5, 2], [6, 1, 5]]))
    assert (encoded.shape, masked.shape, following.shape) == ((2, 8, 16), (2, 3, len(vocab)), (2, 2))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    totals = []
    for _ in range(2):
        with autograd.record():
            _, _, losses = d2l._get_batch_loss_bert(net, SOFTMAX, len(vocab), *[[x] for x in batch])
        losses[0].backward()
        trainer.step(1)
        totals.append(float(losses[0]))
    assert totals[1] < totals[0]
    pair = d2l.get_tokens_and_segments(["a", "b"], ["c"])
    return {"vocabulary": len(vocab), "shapes": [x.shape[0] for x in batch], "segments": pair[1]}


@check("reviews and inferences")
def reviews():
    files = {
        f"{part}/{kind}/{i}.txt": f"{kind} film {i} " * 8
        for part in ("train", "test")
        for kind in ("pos", "neg")
        for i in range(4)
    }
    place("aclImdb", files, "aclImdb")
    train, _, vocab = d2l.load_data_imdb(4, 20)
    X, y = next(iter(train))
    net = nn.Sequential()
    net.add(nn.Embedding(len(vocab), 4), nn.Dense(2))
    filled(net, X)
    feeling = d2l.predict_sentiment(net, vocab, " ".join(["film"] * 20))
    row = "{}\t( a ( man walks ) )\t( a man ( runs ) )\t" + "x\t" * 4 + "\n"
    table = "label\n" + "".join(row.format(kind) for kind in ("neutral", "entailment", "contradiction") * 4)
    place("SNLI", {"snli_1.0_train.txt": table, "snli_1.0_test.txt": table}, "snli_1.0")
    inferences, _, words = d2l.load_data_snli(6, 5)
    (premise, hypothesis), label = next(iter(inferences))
    shards = d2l.split_batch_multi_inputs((premise, hypothesis), label, [CPU])
    return {
        "X": X.shape,
        "y": y.sum() * 0,
        "feeling": len(feeling),
        "premise": premise[:2],
        "words": len(words),
        "shards": shards[0][0][0].shape,
    }


@check("files of competitions")
def competitions():
    names = [f"{i}{kind}" for kind in ("cat", "dog") for i in range(4)]
    table = "id,label\n" + "".join(f"{name},{name[1:]}\n" for name in names)
    files = {"trainLabels.csv": table, "test/9.png": picture(seed=9)}
    files |= {f"train/{name}.png": picture(seed=i) for i, name in enumerate(names)}
    place("cifar10_tiny", files, "kaggle_cifar10_tiny")
    folder = d2l.download_extract("cifar10_tiny", "kaggle_cifar10_tiny")
    labels = d2l.read_csv_labels(os.path.join(folder, "trainLabels.csv"))
    assert d2l.reorg_train_valid(folder, labels, 0.25) == 1
    d2l.reorg_test(folder)
    parts = {
        part: gluon.data.vision.ImageFolderDataset(os.path.join(folder, "train_valid_test", part))
        for part in ("train_valid", "train", "valid", "test")
    }
    image, label = parts["train_valid"][-1]
    sizes = {f"{part} files": len(dataset) for part, dataset in parts.items()}
    return {"image": image, "label": label, "labels": len(labels), **sizes}


@check("Fashion-MNIST")
def fashion():
    from unittest import mock

    from mxnet.gluon.data.vision import datasets

    root = os.path.join(HOME, "datasets", "fashion-mnist")
    os.makedirs(root, exist_ok=True)
    for part, count in (("train", 20), ("t10k", 10)):
        pixels = onp.random.RandomState(count).randint(0, 256, (count, 28, 28)).astype("uint8")
        with gzip.open(f"{root}/{part}-images-idx3-ubyte.gz", "wb") as file:
            file.write(struct.pack(">IIII", 2051, count, 28, 28) + pixels.tobytes())
        with gzip.open(f"{root}/{part}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(struct.pack(">II", 2049, count) + bytes(range(10)) * (count // 10))
    there = mock.patch.object(
        datasets, "download", lambda url, path, sha1_hash: f"{path}/{url.split('/')[-1]}", create=True
    )
    with there:
        train, test = d2l.load_data_fashion_mnist(5, resize=24)
    X, y = next(iter(test))
    return {"X": X, "y": y, "count": sum(len(y) for _, y in train)}


@check("a decoder with attention, and what is entailed")
def entailed():
    class Attentive(d2l.AttentionDecoder):
        @property
        def attention_weights(self):
            return drawn(2, 3)

    class Pairs(nn.Block):
        def forward(self, pair):
            premise, hypothesis = pair
            return premise[:, :3] * hypothesis[:, :3]

    vocab = d2l.Vocab([["he", "is", "good", "bad"]])
    answers = [
        d2l.predict_snli(Pairs(), vocab, ["he", "is", word], ["he", word, "is"]) for word in ("good", "bad")
    ]
    assert set(answers) <= {"entailment", "contradiction", "neutral"}
    return {"weights": Attentive().attention_weights, "answers": [len(answer) for answer in answers]}


@check("recommendations", skip={"run": "d2l calls pandas.read_csv as before pandas 2"})
def ratings():
    rows = [f"{u}\t{i}\t{(u * i) % 5 + 1}\t{u + 7 * i}" for u in range(1, 7) for i in range(1, 9)]
    place("ml-100k", {"u.data": "\n".join(rows)}, "ml-100k")
    users, items, train, _ = d2l.split_and_load_ml100k("seq-aware", batch_size=8)
    return {"users": users, "items": items, "batches": len(list(train))}


class Factors(nn.Block):
    def __init__(self, users, items, size=4):
        super().__init__()
        self.user, self.item = nn.Embedding(users, size), nn.Embedding(items, size)

    def forward(self, user, item):
        return (self.user(user) * self.item(item)).sum(axis=1)


@check("recommendation losses")
def recommendation():
    import pandas as pd

    rows = [(u, i, (u * i) % 5 + 1, u + 7 * i) for u in range(1, 7) for i in range(1, 9)]
    data = pd.DataFrame(rows, columns=["user_id", "item_id", "rating", "timestamp"])
    train, test = d2l.split_data_ml100k(data, 6, 8, "seq-aware")
    parts = d2l.load_data_ml100k(train, 6, 8)
    _, _, _, candidates = d2l.load_data_ml100k(train, 6, 8, "implicit")
    _, _, _, tests = d2l.load_data_ml100k(test, 6, 8, "implicit")
    arrays = [np.array(x) for x in parts[:3]]
    net = filled(Factors(6, 8), arrays[0], arrays[1])
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    batches = gluon.data.DataLoader(gluon.data.ArrayDataset(*arrays), 14)
    d2l.train_recsys_rating(net, batches, batches, gluon.loss.L2Loss(), trainer, 2, [CPU], lambda *_: 1.0)
    pairs = gluon.data.DataLoader(gluon.data.ArrayDataset(arrays[0], arrays[1], arrays[1][::-1]), 14)
    d2l.train_ranking(
        net, pairs, tests, d2l.BPRLoss(), trainer, None, 6, 8, 1, [CPU], d2l.evaluate_ranking, candidates
    )
    hit, auc = d2l.evaluate_ranking(net, tests, None, candidates, 6, 8, [CPU])
    return {
        "matrix": parts[3],
        "bpr": d2l.BPRLoss()(drawn(5), drawn(5, seed=1)),
        "hinge": d2l.HingeLossbRec()(drawn(5), drawn(5, seed=1)),
        "hit": d2l.hit_and_auc([3, 1, 2], [1], 2),
        "net": net(arrays[0], arrays[1]),
        "ranking": [float(hit), float(auc)],
    }


@check("clicks")
def clicks():
    with open("clicks.txt", "w") as file:
        for i in range(20):
            file.write("\t".join([str(i % 2), *(f"f{j}{i % (j + 2)}" for j in range(4))]) + "\n")
    data = d2l.CTRDataset("clicks.txt", min_threshold=2, num_feat=4)
    x, y = next(iter(gluon.data.DataLoader(data, 4)))
    return {"sizes": data.field_dims, "x": x.shape, "y": y}


@check("a GAN")
def gan():
    net_D, net_G = nn.Sequential(), nn.Sequential()
    net_D.add(nn.Dense(5, activation="tanh"), nn.Dense(1))
    net_G.add(nn.Dense(2))
    X, Z = drawn(8, 2), drawn(8, 2, seed=1)
    filled(net_D, X)
    filled(net_G, Z)
    trainers = [gluon.Trainer(n.collect_params(), "adam", {"learning_rate": 0.05}) for n in (net_D, net_G)]
    loss = gluon.loss.SigmoidBCELoss()
    losses = [
        (
            d2l.update_D(X, Z, net_D, net_G, loss, trainers[0]),
            d2l.update_G(Z, net_D, net_G, loss, trainers[1]),
        )
        for _ in range(5)
    ]
    return {"losses": losses}


@check("plots and clocks")
def plots():
    d2l.set_figsize()
    x = np.arange(0, 3, 0.1)
    d2l.plot(x, [x**2, 2 * x - 3], "x", "f(x)", legend=["f", "tangent"])
    d2l.annotate("here", (1, 1), (2, 2))
    animator = d2l.Animator(xlabel="epoch", xlim=[1, 3], legend=["loss"])
    for i in range(3):
        animator.add(i, (np.array(0.5) * i,))
    timer = d2l.Timer()
    assert timer.stop() >= 0
    assert len(timer.cumsum()) == 1
    d2l.show_list_len_pair_hist(["a", "b"], "length", "count", [[1], [2, 3]], [[1, 2], [3]])


@model("a hybridized network of the book")
def hybridized() -> Sample:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2, 2))
    net.add(nn.Dense(32, activation="relu"), nn.Dropout(0.2), nn.Dense(10))
    net.initialize(init.Xavier())
    label = np.array([1, 4])
    return Sample(net, [drawn(2, 1, 12, 12)], lambda y: SOFTMAX(y, label))
