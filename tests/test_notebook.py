"""What objects show in notebooks: true, well-formed and escaped."""

from __future__ import annotations

import hybridonnx as mx
from hybridonnx import gluon, sym
from hybridonnx.gluon import nn
from hybridonnx.parity.report import Parity
from tests.test_page import HOSTILE, Tree, error, parity


def cells(tree):
    return [e["text"] for e in tree.all("td")]


def test_symbols():
    y = sym.FullyConnected(
        sym.Activation(sym.var(HOSTILE), act_type="relu", name="a"), num_hidden=3, name="fc"
    )
    tree = Tree(y._repr_html_())
    assert tree.all("summary")[0]["text"] == "<Symbol fc> operators: 2, inputs: 3"
    assert cells(tree) == ["a", "Activation", HOSTILE, "fc", "FullyConnected", "a, fc_weight, fc_bias"]
    assert not tree.all("script")
    x = sym.var("x")
    for _ in range(70):
        x = x + 1
    tree = Tree(sym.Group([x, sym.var("z")])._repr_html_())
    assert len(tree.all("tr")) == 61
    assert tree.all("p")[0]["text"] == "… and 10 more"


class Named(gluon.Block):
    """Prints as what is no text."""

    def __repr__(self):
        return HOSTILE


def test_blocks():
    net = nn.Sequential(prefix="net_")
    net.add(nn.Dense(3, in_units=2, activation="relu", prefix="d_"), nn.HybridSequential(), Named())
    tree = Tree(net._repr_html_())
    summaries = [e["text"] for e in tree.all("summary")]
    assert summaries[0] == "net Sequential"
    assert summaries[1:] == ["(0) Dense(2 -> 3, Activation(relu))"]
    texts = [e["text"] for e in tree.all("code")]
    assert "Parameter d_weight (shape=(3, 2), dtype=float32)" in texts
    assert HOSTILE in texts
    assert not tree.all("script")
    assert [e["attrs"].get("open") for e in tree.all("details")][:2] == [None, None]
    assert "open" in tree.all("details")[0]["attrs"]
    assert "open" not in tree.all("details")[1]["attrs"]


def test_parity():
    tree = Tree(parity(HOSTILE)._repr_html_())
    assert tree.all("b")[0]["text"] == f"The models differ: {HOSTILE} is the first layer that errs by itself"
    assert cells(tree)[:3] == ["y", "fault", "125"]
    assert cells(tree)[5:8] == [HOSTILE, "fault", "500"]
    assert not tree.all("script")
    assert cells(Tree(Parity((error("y", 0.0),))._repr_html_())) == ["y", "agrees", "0", "0", "(3,)"]


def test_empty_shapes_and_arrays():
    assert "operators: 0" in Tree(sym.var("x")._repr_html_()).all("summary")[0]["text"]
    assert Tree(nn.Flatten()._repr_html_()).all("code")[0]["text"] == "Flatten"
    assert not hasattr(mx.nd.ones(1), "_repr_html_")
