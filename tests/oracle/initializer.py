"""Writes initializer.json: what the initializers of real MXNet 1.9.1 write and set.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/initializer.py

`texts` are what `dumps` says; `effects` are the values that arrays of 7s have afterwards, or the type of the
error, for initializers that draw nothing; `signatures` are the constructors' parameters.
"""

import inspect
import json
import os
import warnings
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
import numpy as np  # noqa: F401  (the expressions use it)
from mxnet import initializer as init

FOLDER = Path(__file__).resolve().parent
NOTHING = "init.Constant(2)"
FUSED = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}

TEXTS = [
    "init.Zero()",
    "init.One()",
    "init.Constant(3)",
    "init.Constant(0.5)",
    "init.Constant(np.array([1, 2]))",
    "init.Constant(mx.nd.array([[1, 2.5]]))",
    "init.Uniform()",
    "init.Uniform(1)",
    "init.Normal()",
    "init.Normal(sigma=2.5)",
    "init.Orthogonal()",
    "init.Orthogonal(2, 'normal')",
    "init.Xavier()",
    "init.Xavier('gaussian', 'in', 2)",
    "init.MSRAPrelu()",
    "init.MSRAPrelu('out', 0.1)",
    "init.Bilinear()",
    "init.LSTMBias()",
    "init.LSTMBias(forget_bias=2.0)",
    "init.FusedRNN(init.Uniform(), 3, 2, 'lstm', True, 2.0)",
    "init.FusedRNN(None, 3, 1, 'gru')",
    "init.Initializer(a=1, b='x')",
    "init.create('zeros')",
    "init.create('ones')",
    "init.create('Normal')",
    "init.create('uniform', 4)",
    "init.create('uniform', scale=3)",
    """init.create('["uniform", {"scale": 3.0}]')""",
    "init.create('lstmbias')",
    "init.create(init.Xavier(magnitude=2))",
]

ENDS = """weight bias gamma beta min max moving_mean moving_var moving_inv_var moving_avg running_mean
    running_var foo weight_min parameters bias_quantize""".split()
NAMED = [f"a_{end}" for end in ENDS] + ["weight", "bias"]
LEGACY = [*NAMED, "stn_loc_weight", "x_stn_loc_bias", "xupsampling_weight"]

EFFECTS = [
    *[(NOTHING, name, None, (2, 3)) for name in NAMED],
    *[(NOTHING, name, "legacy", (2, 3)) for name in LEGACY],
    (NOTHING, "stn_loc_bias", "legacy", (6,)),
    (NOTHING, "upsampling_x", "legacy", (1, 1, 3, 3)),
    (NOTHING, "a_bias", "zeros", (3,)),
    (NOTHING, "a_bias", "ones", (3,)),
    (NOTHING, "a_foo", '["constant", {"value": 4}]', (3,)),
    (NOTHING, "a_weight", "foo", (3,)),
    (NOTHING, "a_weight", "", (3,)),
    ("init.Initializer()", "a_weight", None, (3,)),
    ("init.Initializer()", "a_bias", None, (3,)),
    ("init.Zero()", "a_gamma", None, (3,)),
    ("init.One()", "a_weight", None, (3,)),
    ("init.One()", "a_beta", None, (3,)),
    ("init.Constant([1, 2, 3])", "a_weight", None, (2, 3)),
    ("init.Constant(mx.nd.array([1, 2, 3]))", "a_weight", None, (2, 3)),
    ("init.Constant(np.ones(4))", "a_weight", None, (2, 3)),
    ("init.Xavier()", "a_weight", None, (4,)),
    ("init.Xavier()", "a_bias", None, (4,)),
    ("init.Xavier('foo')", "a_weight", None, (4, 3)),
    ("init.Xavier('gaussian', 'foo')", "a_weight", None, (4, 3)),
    *[
        ("init.Bilinear()", "a_weight", None, s)
        for s in ((1, 1, 4, 4), (2, 1, 3, 5), (3, 2, 5, 2), (1, 1, 1, 1))
    ],
    *[("init.LSTMBias(3.0)", "a_weight", None, (n,)) for n in (8, 9, 3)],
    ("init.LSTMBias()", "a_bias", '["lstmbias", {"forget_bias": 2.0}]', (12,)),
    ("init.Mixed(['bias', '.*'], [init.Zero(), init.Constant(5)])", "a_bias", None, (3,)),
    ("init.Mixed(['.*bias', '.*'], [init.Zero(), init.Constant(5)])", "a_weight", None, (3,)),
    ("init.Mixed(['bias'], [init.Zero()])", "a_weight", None, (3,)),
    ("init.Load({'arg:a_weight': mx.nd.ones((3,))})", "a_weight", None, (3,)),
    ("init.Load({'aux:a_weight': mx.nd.ones((3,))})", "a_weight", None, (2,)),
    ("init.Load({}, init.Constant(4))", "a_weight", None, (2,)),
    ("init.Load({})", "a_weight", None, (2,)),
    *[
        (f"init.FusedRNN(init.Constant(2), 3, {layers}, '{mode}', {both}, 5.0)", "a_weight", None, (size,))
        for mode, gates in FUSED.items()
        for layers, both, size in (
            (1, False, gates * 3 * (2 + 3 + 2)),
            (2, True, 2 * gates * 3 * (2 + 3 + 2 + 6 + 3 + 2)),
        )
    ],
]


def effect(text, name, described, shape):
    """The values that an initializer sets, or the type of the error."""
    array = mx.nd.full(shape, 7)
    if described != "legacy":
        name = init.InitDesc(name, None if described is None else {"__init__": described})
    try:
        eval(text)(name, array)
    except Exception as exc:  # noqa: BLE001  (of any type)
        return type(exc).__name__
    return array.asnumpy().ravel().tolist()


def main():
    """Write the file."""
    warnings.simplefilter("ignore")
    classes = [c for c in vars(init).values() if inspect.isclass(c) and c.__module__ == init.__name__]
    facts = {
        "texts": {text: eval(text).dumps() for text in TEXTS},
        "effects": [[*e, effect(*e)] for e in EFFECTS],
        "signatures": {c.__name__: str(inspect.signature(c)) for c in classes},
    }
    (FOLDER / "initializer.json").write_text(json.dumps(facts, indent=1) + "\n")


main()
