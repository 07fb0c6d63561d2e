"""Writes visualization.json: tables and drawings of symbols by Apache MXNet 1.9.1.

Run it with the oracle environment's Python (mxnet 1.9.1, graphviz):

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/visualization.py

Each case has a symbol (its JSON), keyword arguments, and either "summary", what print_summary printed, or
"drawing", the calls that plot_network made of graphviz.Digraph.
"""

import contextlib
import io
import json
import os
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import graphviz
import mxnet as mx
from mxnet import sym

HERE = Path(__file__).resolve().parent


class Digraph:
    """A drawing that only remembers what it was asked for."""

    def __init__(self, **kwargs):
        self.calls = [["Digraph", kwargs]]

    def node(self, **kwargs):
        self.calls.append(["node", kwargs])

    def edge(self, **kwargs):
        self.calls.append(["edge", kwargs])


graphviz.Digraph = Digraph


@mx.operator.register("mine")
class Mine(mx.operator.CustomOpProp):
    """A custom operator."""


def lenet():
    x = sym.Convolution(sym.var("data"), kernel=(5, 5), num_filter=20, name="c1")
    x = sym.BatchNorm(x, name="bn", fix_gamma=False)
    x = sym.Activation(x, act_type="tanh", name="a1")
    x = sym.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), name="p1")
    x = sym.Convolution(x, kernel=(3, 3), stride=(2, 1), num_filter=8, num_group=4, no_bias=True, name="c2")
    x = sym.Pooling(x, pool_type="avg", kernel=(2, 2), name="p2", global_pool=True)
    x = sym.FullyConnected(sym.Flatten(x, name="fl"), num_hidden=10, name="fc1")
    return sym.SoftmaxOutput(x, name="softmax")


def towers():
    e = sym.Embedding(sym.var("data"), input_dim=10, output_dim=4, name="emb")
    x = sym.concat(e, e * 2, dim=2, name="cc")
    x = sym.FullyConnected(sym.Flatten(x, name="fl"), num_hidden=3, no_bias=True, name="fc")
    return x + sym.var("other")


def activations():
    x = sym.LeakyReLU(sym.LayerNorm(sym.var("data"), name="ln"), act_type="prelu", name="pr")
    x = sym.L2Normalization(sym.LeakyReLU(x, name="lr"), name="l2")
    x = sym.Dropout(sym.InstanceNorm(x, name="in"), p=0.5, name="dr")
    x = sym.Deconvolution(
        sym.reshape(x, shape=(0, 0, 0, 1), name="rs"), kernel=(2, 2), num_filter=5, name="dc"
    )
    return sym.softmax(sym.SoftmaxActivation(x, name="sa"), name="sm")


def halves():
    x = sym.split(sym.var("data"), num_outputs=2, name="sp")
    return sym.elemwise_add(x[0], x[1], name="sum")


def grouped():
    x = sym.split(sym.var("data"), num_outputs=2, name="sp")
    return sym.Group([x[0], sym.broadcast_mul(x[1], sym.var("scale"), name="by")])


def variables():
    moving = "moving_var moving_mean running_var running_mean"
    ends = f"weight bias gamma beta {moving} weight1 parameters init_h label"
    return sym.add_n(*[sym.var(f"w_{end}") for end in ends.split()], name="all")


def custom():
    return sym.Custom(
        sym.Convolution(sym.var("x"), kernel=(3,), num_filter=2, name="c"), op_type="mine", name="cu"
    )


SUMMARIES = [
    (lenet, {"shape": {"data": (1, 1, 28, 28)}}),
    (lenet, {"shape": {"data": (1, 1, 28, 28)}, "line_length": 80, "positions": [0.3, 0.5, 0.7, 1.0]}),
    (lenet, {"shape": {"data": (1, 1, 28, 28)}, "line_length": 60, "positions": [15, 33, 45, 60]}),
    (towers, {"shape": {"data": (2, 3)}}),
    (halves, {"shape": {"data": (2, 4)}}),
    (halves, {}),
    (grouped, {"shape": {"data": (2, 4), "scale": (1, 2)}}),
]
DRAWINGS = [
    (lenet, {}),
    (
        lenet,
        {
            "shape": {"data": (1, 1, 28, 28)},
            "hide_weights": False,
            "title": "T",
            "save_format": "png",
            "node_attrs": {"shape": "oval", "fixedsize": "false", "color": "red"},
        },
    ),
    (lenet, {"node_attrs": {"shape": "hexagon"}}),
    (towers, {"shape": {"data": (2, 3)}}),
    (activations, {"shape": {"data": (2, 3, 4)}}),
    (halves, {"shape": {"data": (2, 4)}}),
    (grouped, {"shape": {"data": (2, 4), "scale": (1, 2)}, "dtype": {"data": "float16"}}),
    (variables, {}),
    (custom, {}),
]


def cases():
    for make, kwargs in SUMMARIES:
        symbol, out = make(), io.StringIO()
        with contextlib.redirect_stdout(out):
            mx.viz.print_summary(symbol, **kwargs)
        yield {"symbol": symbol.tojson(), "kwargs": kwargs, "summary": out.getvalue()}
    for make, kwargs in DRAWINGS:
        symbol = make()
        yield {
            "symbol": symbol.tojson(),
            "kwargs": kwargs,
            "drawing": mx.viz.plot_network(symbol, **kwargs).calls,
        }


if __name__ == "__main__":
    text = ",\n".join(json.dumps(case) for case in cases())
    (HERE / "visualization.json").write_text(f"[\n{text}\n]\n")
