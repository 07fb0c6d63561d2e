"""Cases of recurrent networks."""

from functools import partial

import numpy as np

from hybridonnx.ops import Spec, load_all
from hybridonnx.test_utils import Case, ints, uniform

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def size_of(mode, inputs, cells, layers=1, directions=1, projected=None):
    """How many parameters there are."""
    rows, out, total = GATES[mode] * cells, projected or cells, 0
    for layer in range(layers):
        width = directions * out if layer else inputs
        total += directions * (rows * (width + out + 2) + (projected or 0) * cells)
    return total


def rnn(mode, data=(3, 2, 4), cells=5, lengths=None, dtype="float32", **attributes):
    """A case with small weights, without which gradients vanish."""
    layers, directions = attributes.get("num_layers", 1), 2 if attributes.get("bidirectional") else 1
    projected = attributes.get("projection_size")
    rows, batch = layers * directions, data[1]
    inputs = [
        data,
        uniform((size_of(mode, data[2], cells, layers, directions, projected),), -0.5, 0.5),
        (rows, batch, projected or cells),
    ]
    inputs += [(rows, batch, cells)] if mode == "lstm" else []
    if lengths is not None:
        inputs.append(
            np.array(lengths, "int32") if dtype == "int32" else ints((batch,), data[0] + 1, 1, dtype)
        )
        attributes["use_sequence_length"] = True
    return Case("RNN", inputs, state_size=cells, mode=mode, **{"num_layers": 1, **attributes})


# ---- one number after the other, as the definition has it


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def cell(mode, x, h, c, w, limits):
    """One step of one sequence."""
    wi, wh, wr, bi, bh = w
    a, b = wi @ x + bi, wh @ h + bh
    if mode == "gru":
        (r, z, n), (hr, hz, hn) = np.split(a, 3), np.split(b, 3)
        r, z = sigmoid(r + hr), sigmoid(z + hz)
        return (1 - z) * np.tanh(n + r * hn) + z * h, None
    if mode == "lstm":
        i, f, g, o = np.split(a + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        c = c if limits is None else np.clip(c, *limits)
        new = sigmoid(o) * np.tanh(c)
        return (new if wr is None else wr @ new), c
    return (np.tanh(a + b) if mode == "rnn_tanh" else np.maximum(a + b, 0)), None


def split(vector, mode, inputs, cells, layers, directions, projected):
    """The parameters of each layer and direction."""
    rows, out, at = GATES[mode] * cells, projected or cells, 0

    def take(*shape):
        nonlocal at
        at += int(np.prod(shape))
        return vector[at - int(np.prod(shape)) : at].reshape(shape)

    weights = []
    for layer in range(layers):
        width = directions * out if layer else inputs
        for _ in range(directions):
            wi, wh = take(rows, width), take(rows, out)
            weights.append([wi, wh, take(out, cells) if projected else None])
    return [[*w, take(rows), take(rows)] for w in weights]


def reference(
    *inputs, mode, state_size, num_layers=1, bidirectional=False, p=0.0, projection_size=None, **more
):
    """The outputs and last states by loops over everything; noise comes last if there is dropout."""
    x, vector, h0 = inputs[:3]
    c0 = inputs[3] if mode == "lstm" else None
    steps, batch, channels = x.shape
    directions = 2 if bidirectional else 1
    noise = inputs[-1] if inputs[-1].ndim == 4 else None
    lengths = [steps] * batch
    if more.get("use_sequence_length"):
        lengths = inputs[4 if mode == "lstm" else 3].astype(int)
    limits = None
    if "lstm_state_clip_min" in more:
        limits = more["lstm_state_clip_min"], more["lstm_state_clip_max"]
    weights = split(vector, mode, channels, state_size, num_layers, directions, projection_size)
    out = projection_size or state_size
    last_h, last_c = h0.copy(), None if c0 is None else c0.copy()
    for layer in range(num_layers):
        y = np.zeros((steps, batch, directions * out), x.dtype)
        if layer and noise is not None:
            x = x * (noise[layer - 1] < 1 - p) / np.float32(1 - p)
        for d in range(directions):
            k = layer * directions + d
            for n in range(batch):
                h, c = h0[k, n], None if c0 is None else c0[k, n]
                order = range(lengths[n])
                for t in order if d == 0 else reversed(order):
                    h, c = cell(mode, x[t, n], h, c, weights[k], limits)
                    y[t, n, d * out : (d + 1) * out] = h
                last_h[k, n] = h
                if last_c is not None:
                    last_c[k, n] = c
        x = y
    if not more.get("state_outputs"):
        return x.astype(vector.dtype)
    return tuple(a.astype(vector.dtype) for a in (x, last_h, last_c) if a is not None)


def by_definition(case, **options):
    """The case with its results from the definition: MXNet does this on GPUs alone, or draws otherwise."""
    return case.but(formula=partial(reference, **case.attributes), **options)


FIRST = {"second": "the gradient is of first order alone"}
MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")
WIDE = ("float32", "float64")


def first(cases):
    return [c.but(no={**FIRST, **c.no}, tol=2e-5) for c in cases]


PLAIN = [
    *[rnn(mode).but(dtypes=WIDE) for mode in MODES],
    *[rnn(mode, state_outputs=True).but(dtypes=WIDE) for mode in MODES],
    *[rnn(mode, (4, 3, 2), 3, num_layers=2, state_outputs=True) for mode in MODES],
    *[rnn(mode, (4, 2, 3), 2, bidirectional=True, state_outputs=True) for mode in MODES],
    *[
        rnn(mode, (3, 2, 3), 2, num_layers=3, bidirectional=True, state_outputs=True).but(dtypes=WIDE)
        for mode in MODES
    ],
    *[rnn(mode, (1, 1, 1), 1, num_layers=2, bidirectional=True) for mode in MODES],
    *[rnn(mode, (2, 3, 4), 5, num_layers=2, p=0.5) for mode in MODES],
    rnn("lstm", (7, 4, 3), 6, num_layers=2, state_outputs=True),
]

PROJECTED = [
    rnn("lstm", (4, 3, 2), 3, (2, 4, 1), projection_size=2, bidirectional=True, state_outputs=True),
    rnn("lstm", projection_size=3, state_outputs=True).but(dtypes=WIDE),
    rnn("lstm", projection_size=2, num_layers=2, bidirectional=True, state_outputs=True),
]

LENGTHS = [
    *[rnn(mode, (4, 3, 2), 3, lengths=(2, 4, 1), state_outputs=True) for mode in MODES],
    *[
        rnn(mode, (4, 3, 2), 3, (4, 1, 3), "int32", num_layers=2, bidirectional=True, state_outputs=True)
        for mode in MODES
    ],
    rnn("lstm", (4, 3, 2), 3, lengths=(2, 4, 1), bidirectional=True),
    rnn("gru", (4, 3, 2), 3, lengths=(2, 4, 1), num_layers=2),
    rnn("gru", (4, 3, 2), 3, (4, 1, 3), "int32", bidirectional=True).but(dtypes=("float64",)),
]

LIMITS = {"lstm_state_clip_min": -0.3, "lstm_state_clip_max": 0.4}
CLIPPED = [
    rnn("lstm", state_outputs=True, **LIMITS),
    rnn("lstm", num_layers=2, bidirectional=True, lstm_state_clip_nan=True, **LIMITS),
    rnn("lstm", (4, 3, 2), 3, (2, 4, 1), bidirectional=True, state_outputs=True, **LIMITS),
]

DROPPED = [
    *[rnn(mode, (2, 3, 4), 5, num_layers=2, p=0.4) for mode in MODES],
    rnn("lstm", (3, 3, 4), 5, num_layers=3, p=0.2, bidirectional=True, state_outputs=True),
    rnn("lstm", (3, 3, 4), 5, num_layers=1, p=0.2),
]

HALF = [rnn(mode, (3, 1, 3), 4, num_layers=2, state_outputs=True) for mode in MODES]


# ---- the gradient as an operator


def adjoint(case, dtype="float32"):
    """The adjoint with inputs that fit: those of `case`, its outputs and their gradients.

    What it must give is what the gradient of `case` gives, which is held to differences and to MXNet's.
    """
    arrays = case.arrays(dtype)
    op, noise = case.operator(), []
    if op.draws():
        noise = [op.draw(np.random.default_rng(0), *(Spec(a.shape, a.dtype) for a in arrays))]
    outputs = [np.asarray(y) for y in op.forward(*arrays, *noise)]
    heads = case.heads(outputs[: op.visible()])
    inputs = [*arrays, outputs[0], *outputs[op.visible() :], *heads]
    kernel = load_all()["_rnn_grad"].make(case.attributes).forward
    return Case("_rnn_grad", inputs, **case.attributes).but(
        formula=kernel,
        no={**FIRST, "gradient": FIRST["second"], "symbolic": FIRST["second"]},
        tol=2e-5,
    )


ADJOINT = [
    *[adjoint(rnn(mode)) for mode in MODES],
    *[adjoint(rnn(mode, (4, 3, 2), 3, state_outputs=True), "float64") for mode in MODES],
    *[adjoint(rnn(m, (4, 3, 2), 3, num_layers=2, bidirectional=True, state_outputs=True)) for m in MODES],
    *[adjoint(c) for c in (*PROJECTED, *LENGTHS[:-1], *CLIPPED)],
    *[adjoint(c.but(training=True)) for c in DROPPED],
    *[adjoint(rnn(mode, num_layers=2), "float16").but(tol=4e-3) for mode in MODES],
]

CONCAT = [
    Case("_rnn_param_concat", [(3,), (4,)], dim=0, num_args=2),
    Case("_rnn_param_concat", [(6,), (1,), (2,)], dim=0, num_args=3),
    Case("_rnn_param_concat", [(2, 3), (2, 1)], num_args=2),
    Case("_rnn_param_concat", [(4,)], dim=0, num_args=1),
]

CASES = [
    *first(PLAIN),
    *first(by_definition(c) for c in LENGTHS),
    *first(by_definition(c) for c in PROJECTED + CLIPPED),
    *first(by_definition(c, training=True) for c in DROPPED),
    *first(by_definition(c, dtypes=("float16",)) for c in HALF),
    *ADJOINT,
    *CONCAT,
]
