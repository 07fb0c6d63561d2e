"""Writes gluon_loss.json: what the losses of real MXNet 1.9.1 look like, write and compute.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/gluon_loss.py

For each loss and kinds of inputs (`draw`): its text, its output, the gradient of the sum of its output in the
first input, and the symbol.json of the traced block, or nothing where MXNet cannot differentiate or trace it.
"""

import inspect
import json
import os
import zlib
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
import numpy as np
from mxnet import autograd
from mxnet.gluon import loss

FOLDER = Path(__file__).resolve().parent
DATA, FLAT = (3, 4), (3,)
REAL = [["real", DATA], ["real", DATA]]
SAMPLES = ["share", (3, 1)]
SIGNS = [["real", DATA], ["sign", DATA]]
BITS = [["real", DATA], ["bit", DATA]]
SHARES = [["share", DATA], ["bit", DATA]]
CLASSES = [["real", DATA], ["class", FLAT]]
SPREAD = [["real", DATA], ["row", DATA]]
COUNTS = [["share", DATA], ["count", DATA]]
TRIPLE = [["real", DATA], ["real", DATA], ["share", DATA]]
PAIRS = [["real", DATA], ["share", DATA], ["sign", FLAT]]
STEPS = [["real", (2, 6, 5)], ["label", (2, 3)]]
LENGTHS = [["length", (2,)], ["short", (2,)]]

CASES = [
    ("loss.L2Loss()", REAL),
    ("loss.L2Loss(weight=2, batch_axis=1)", REAL),
    ("loss.L2Loss()", [*REAL, SAMPLES]),
    ("loss.L2Loss()", [["real", (3, 4)], ["real", (12,)]]),
    ("loss.L1Loss()", REAL),
    ("loss.L1Loss(weight=0.5)", [*REAL, SAMPLES]),
    ("loss.SigmoidBinaryCrossEntropyLoss()", BITS),
    ("loss.SigmoidBCELoss(weight=3)", [*BITS, SAMPLES]),
    ("loss.SigmoidBCELoss()", [*BITS, SAMPLES, ["share", (1, 4)]]),
    ("loss.SigmoidBCELoss(from_sigmoid=True)", SHARES),
    ("loss.SigmoidBCELoss(from_sigmoid=True)", [*SHARES, SAMPLES, ["share", (1, 4)]]),
    ("loss.SoftmaxCrossEntropyLoss()", CLASSES),
    ("loss.SoftmaxCELoss(weight=2)", [*CLASSES, SAMPLES]),
    ("loss.SoftmaxCELoss(sparse_label=False)", SPREAD),
    ("loss.SoftmaxCELoss(axis=1)", [["real", (3, 4, 2)], ["class", (3, 2)]]),
    ("loss.SoftmaxCELoss(batch_axis=1)", [["real", (3, 2, 4)], ["class", (3, 2)]]),
    ("loss.SoftmaxCELoss(from_logits=True)", CLASSES),
    ("loss.SoftmaxCELoss(from_logits=True, sparse_label=False)", SPREAD),
    ("loss.KLDivLoss()", SPREAD),
    ("loss.KLDivLoss(from_logits=False, axis=1, weight=2)", [*SPREAD, SAMPLES]),
    ("loss.CTCLoss()", STEPS),
    ("loss.CTCLoss(layout='TNC', label_layout='TN')", [["real", (6, 2, 5)], ["label", (3, 2)]]),
    ("loss.CTCLoss(weight=2)", [*STEPS, *LENGTHS]),
    ("loss.CTCLoss()", [*STEPS, *LENGTHS, ["share", (2,)]]),
    ("loss.HuberLoss()", [["wide", DATA], ["real", DATA]]),
    ("loss.HuberLoss(rho=2, weight=3)", [["wide", DATA], ["real", DATA], SAMPLES]),
    ("loss.HingeLoss()", SIGNS),
    ("loss.HingeLoss(margin=2)", [*SIGNS, SAMPLES]),
    ("loss.SquaredHingeLoss()", SIGNS),
    ("loss.SquaredHingeLoss(margin=0.5, weight=2)", SIGNS),
    ("loss.LogisticLoss()", SIGNS),
    ("loss.LogisticLoss(label_format='binary')", [*BITS, SAMPLES]),
    ("loss.TripletLoss()", TRIPLE),
    ("loss.TripletLoss(margin=2, weight=0.5)", TRIPLE),
    ("loss.PoissonNLLLoss()", COUNTS),
    ("loss.PoissonNLLLoss(from_logits=False)", [*COUNTS, SAMPLES]),
    ("loss.PoissonNLLLoss(compute_full=True)", COUNTS),
    ("loss.CosineEmbeddingLoss()", PAIRS),
    ("loss.CosineEmbeddingLoss(margin=0.1, weight=2)", [*PAIRS, ["share", (3, 1)]]),
    ("loss.SDMLLoss()", REAL),
    ("loss.SDMLLoss(smoothing_parameter=0.1)", REAL),
]

MISTAKES = [
    "loss.CTCLoss(layout='XX')",
    "loss.CTCLoss(label_layout='XX')",
    "loss.LogisticLoss(label_format='foo')",
    "loss.L1Loss(weight='a')(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))",
    "loss.L2Loss()(mx.nd.ones((2, 3)), mx.nd.ones((5,)))",
    "loss.L2Loss()(mx.nd.ones((2, 3)))",
    "loss.Loss(None, 0)(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))",
    "loss.L2Loss(foo=1)",
]


def draw(index, kind, shape):
    """Float32 numbers that follow from the input's index, its kind and its shape."""
    rng = np.random.RandomState(zlib.crc32(f"{index} {kind} {tuple(shape)}".encode()))
    row = rng.uniform(0.1, 0.9, shape)
    draws = {
        "real": lambda: rng.uniform(-1, 1, shape),
        "wide": lambda: rng.uniform(-4, 4, shape),
        "share": lambda: rng.uniform(0.1, 0.9, shape),
        "sign": lambda: rng.randint(0, 2, shape) * 2 - 1,
        "bit": lambda: rng.randint(0, 2, shape),
        "class": lambda: rng.randint(0, 4, shape),
        "row": lambda: row / row.sum(-1, keepdims=True),
        "count": lambda: rng.randint(1, 6, shape),
        "label": lambda: rng.randint(0, 4, shape),
        "length": lambda: rng.randint(5, 7, shape),
        "short": lambda: rng.randint(1, 4, shape),
    }
    return draws[kind]().astype(np.float32)


def record(text, kinds):
    """The facts of one loss."""
    mx.name.NameManager._current.value = mx.name.NameManager()
    block = eval(text)
    inputs = [mx.nd.array(draw(i, *kind)) for i, kind in enumerate(kinds)]
    fact = {"loss": text, "inputs": kinds, "repr": repr(block), "out": block(*inputs).asnumpy().tolist()}
    inputs[0].attach_grad()
    try:
        with autograd.record():
            out = block(*inputs)
        out.backward()
        fact["grad"] = inputs[0].grad.asnumpy().tolist()
    except mx.MXNetError:  # it changes an array in place
        fact["grad"] = None
    mx.name.NameManager._current.value = mx.name.NameManager()
    try:
        fact["symbol"] = block(*[mx.sym.var(f"data{i}") for i in range(len(inputs))]).tojson()
    except (AttributeError, mx.base.NotImplementedForSymbol):
        fact["symbol"] = ""
    return fact


def mistake(text):
    """The class of the error that an expression raises."""
    try:
        eval(text)
    except Exception as exc:  # noqa: BLE001  (of any type)
        return type(exc).__name__
    raise SystemExit(f"{text}: raises nothing")


def main():
    """Write the file."""
    classes = {n: c for n, c in vars(loss).items() if inspect.isclass(c) and issubclass(c, loss.Loss)}
    facts = {
        "losses": [record(*case) for case in CASES],
        "mistakes": {text: mistake(text) for text in MISTAKES},
        "signatures": {name: str(inspect.signature(c)) for name, c in classes.items()},
    }
    (FOLDER / "gluon_loss.json").write_text(json.dumps(facts, indent=1) + "\n")


main()
