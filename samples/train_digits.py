"""Training on real data, and what comes after: export, proof, import, fine-tuning, export again.

A small convolutional network learns the 1,797 handwritten digits that scikit-learn ships. It is written as
MXNet's files and as ONNX, which plain ONNX Runtime must run to the same numbers. Read back from the ONNX file
alone, it is then taught the negatives of the pictures as well, and written again. Run it with
`scripts/demo digits [--out FOLDER] [--epochs N] [--seed N]`; the files go to `demo-output` unless told.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort

import hybridonnx as mx
from hybridonnx import autograd, gluon
from hybridonnx.gluon import nn

SHADES = " .:-=+*#%@"
TOLERANCE = 1e-4
"""Of the largest output: how far an ONNX file's numbers may be from the block's."""


def digits():
    """Images (N, 1, 8, 8) from 0 to 1, and labels (N,): four fifths to train on, one fifth to test with."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        sys.exit("train_digits: scikit-learn has the digits; get it with: pip install '.[samples]'")
    images, labels = load_digits(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(labels))
    images = (images[order] / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    labels = labels[order].astype(np.float32)
    part = len(order) // 5
    return (images[part:], labels[part:]), (images[:part], labels[:part])


def network():
    """Images (N, 1, 8, 8) to 10 scores."""
    net = nn.HybridSequential()
    for channels, pool in ((16, False), (32, True), (64, True)):
        net.add(
            nn.Conv2D(channels, kernel_size=3, padding=1, use_bias=False),
            nn.BatchNorm(),
            nn.Activation("relu"),
        )
        if pool:
            net.add(nn.MaxPool2D())
    net.add(nn.Dense(64, activation="relu"), nn.Dropout(0.3), nn.Dense(10))
    return net


def accuracy(net, data):
    images, labels = data
    metric = mx.metric.Accuracy()
    metric.update(mx.nd.array(labels), net(mx.nd.array(images)))
    return metric.get()[1]


def bar(done, total):
    """A line that grows where it stands, if somebody is looking."""
    if sys.stdout.isatty():
        filled = 30 * done // total
        print(f"\r  [{'#' * filled}{'.' * (30 - filled)}]", end="\r" if done == total else "", flush=True)


def train(net, data, tests, epochs, learning_rate):
    """Train, telling of each epoch; `tests` are named data whose accuracy is told."""
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(*data), batch_size=64, shuffle=True)
    loss_function = gluon.loss.SoftmaxCrossEntropyLoss()
    schedule = mx.lr_scheduler.CosineScheduler(epochs * len(loader), base_lr=learning_rate)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": schedule})
    losses, hits = mx.metric.Loss(), mx.metric.Accuracy()
    for epoch in range(1, epochs + 1):
        start = time.perf_counter()
        losses.reset()
        hits.reset()
        for i, (x, y) in enumerate(loader, 1):
            with autograd.record():
                scores = net(x)
                loss = loss_function(scores, y)
            loss.backward()
            trainer.step(len(x))
            losses.update(None, loss)
            hits.update(y, scores)
            bar(i, len(loader))
        rate = len(data[0]) / (time.perf_counter() - start)
        accuracies = ", ".join(f"{name} {accuracy(net, part):.2%}" for name, part in tests.items())
        print(
            f"  epoch {epoch:2}: loss {losses.get()[1]:.4f}, accuracy {hits.get()[1]:.2%}; "
            f"{accuracies}; {rate:,.0f} images/s",
            flush=True,
        )


def write(net, prefix, epoch, images):
    """Write the block's files, and compare ONNX Runtime's numbers with the block's. Returns the ONNX file."""
    symbol_file, params_file = net.export(str(prefix), epoch=epoch)
    onnx_file = mx.onnx.export_model(net, f"{prefix}.onnx", input_shapes=[("batch", 1, 8, 8)])
    net.hybridize(active=False)  # so that it runs on the NumPy kernels, which know nothing of ONNX
    parity = mx.onnx.verify(net, onnx_file, inputs=mx.nd.array(images))
    worst = max(output.relative for output in parity.outputs)
    print(f"\nwritten: {symbol_file}, {params_file}, {onnx_file}")
    print(f"ONNX Runtime's scores differ by {worst:.1e} of the largest at most.")
    if not parity.ok(TOLERANCE):
        sys.exit(f"train_digits: {onnx_file} does not give the block's numbers:\n{parity}")
    return onnx_file


def predict(onnx_file, images):
    """The digits that plain ONNX Runtime finds in images (N, 1, 8, 8)."""
    session = ort.InferenceSession(onnx_file, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: images})[0].argmax(axis=1)


def show_confusion(expected, predicted):
    """Which digits were taken for which: a row for each digit, a column for each answer."""
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (expected.astype(int), predicted), 1)
    print("answers  " + "".join(f"{digit:5}" for digit in range(10)))
    for digit, row in enumerate(counts):
        print(f"digit {digit}  " + "".join(f"{count or '·':>5}" for count in row))


def show_digits(images, titles):
    """Images (N, 1, 8, 8) side by side, in characters."""
    if not len(images):
        return
    print("\n" + "   ".join(f"{title:16}" for title in titles).rstrip())
    for rows in zip(*(image[0] for image in images), strict=True):
        print("   ".join("".join(2 * SHADES[int(9 * value)] for value in row) for row in rows).rstrip())


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="folder for the files")
    parser.add_argument(
        "--epochs", type=int, default=12, help="of the first training; a third as many follow"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all but the split of the data")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    np.random.seed(options.seed)
    mx.random.seed(options.seed)
    data, test = digits()

    print(f"{len(data[0])} digits to train on, {len(test[0])} to test with")
    net = network()
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True)
    train(net, data, {"test": test}, options.epochs, 0.003)
    onnx_file = write(net, options.out / "digits", options.epochs, test[0])

    print(f"\n{onnx_file}, read back and taught negatives as well")
    both = np.concatenate([data[0], 1 - data[0]]), np.tile(data[1], 2)
    tests = {"test": test, "negatives": (1 - test[0], test[1])}
    again = mx.onnx.import_to_gluon(onnx_file, ctx=mx.cpu())
    again.hybridize(static_alloc=True)
    print("  before:   " + ", ".join(f"{name} {accuracy(again, part):.2%}" for name, part in tests.items()))
    epochs = max(1, options.epochs // 3)
    train(again, both, tests, epochs, 0.001)
    tuned_file = write(again, options.out / "digits-tuned", options.epochs + epochs, test[0])

    predicted = predict(tuned_file, test[0])
    print(f"\nWhat plain ONNX Runtime answers with {tuned_file}:\n")
    show_confusion(test[1], predicted)
    wrong = np.flatnonzero(predicted != test[1])[:5]
    show_digits(test[0][wrong], [f"{test[1][i]:.0f}, taken for {predicted[i]}" for i in wrong])
    return 0


if __name__ == "__main__":
    sys.exit(main())
