"""Tables and drawings of symbols are those that real MXNet 1.9.1 made."""

from __future__ import annotations

import json
import sys
from math import prod
from pathlib import Path
from types import ModuleType

import pytest

import hybridonnx as mx
from hybridonnx import gluon, sym

CASES = json.loads((Path(__file__).parent / "oracle/visualization.json").read_text(encoding="utf-8"))
SUMMARIES = [case for case in CASES if "summary" in case]
DRAWINGS = [case for case in CASES if "drawing" in case]


class Digraph:
    """A drawing that only remembers what it was asked for."""

    def __init__(self, **kwargs):
        self.calls = [["Digraph", kwargs]]

    def node(self, **kwargs):
        self.calls.append(["node", kwargs])

    def edge(self, **kwargs):
        self.calls.append(["edge", kwargs])


@pytest.fixture
def graphviz(monkeypatch):
    module = ModuleType("graphviz")
    module.Digraph = Digraph
    monkeypatch.setitem(sys.modules, "graphviz", module)


@mx.operator.register("mine")
class Mine(mx.operator.CustomOpProp):
    """A custom operator, as in the stored case."""


@pytest.mark.parametrize("case", SUMMARIES, ids=range(len(SUMMARIES)))
def test_summaries(case, capsys):
    mx.viz.print_summary(sym.load_json(case["symbol"]), **case["kwargs"])
    assert capsys.readouterr().out == case["summary"]


@pytest.mark.parametrize("case", DRAWINGS, ids=range(len(DRAWINGS)))
def test_drawings(case, graphviz):
    drawing = mx.viz.plot_network(sym.load_json(case["symbol"]), **case["kwargs"])
    assert drawing.calls == case["drawing"]


def counted(symbol, shape, capsys):
    """The number of parameters that the table's last line says."""
    mx.visualization.print_summary(symbol, shape)
    return int(capsys.readouterr().out.splitlines()[-2].removeprefix("Total params: "))


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (gluon.nn.Dense(4), (2, 3, 5)),  # MXNet counts the second axis alone
        (gluon.nn.Dense(4, flatten=False), (2, 3, 5)),
        (gluon.nn.LayerNorm(), (2, 3)),  # MXNet counts nothing for it, and those below
        (gluon.nn.Conv2DTranspose(4, 3), (2, 3, 5, 5)),
        (gluon.nn.PReLU(), (2, 3)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_counts_are_those_of_the_parameters(layer, shape, capsys):
    layer.initialize()
    layer(mx.nd.ones(shape))
    symbol = layer(sym.var("data"))
    expected = sum(prod(p.shape) for p in layer.collect_params().values())
    assert counted(symbol, {"data": shape}, capsys) == expected


def test_shared_parameters_count_once(capsys):
    weight = sym.var("w")
    x = sym.FullyConnected(sym.var("data"), weight, no_bias=True, num_hidden=3, name="a")
    x = sym.FullyConnected(x, weight, no_bias=True, num_hidden=3, name="b")
    assert counted(x, {"data": (2, 3)}, capsys) == 9


def test_what_is_refused(graphviz, monkeypatch):
    with pytest.raises(TypeError, match="symbol must be Symbol, got str"):
        mx.viz.print_summary("x")
    with pytest.raises(TypeError, match="symbol must be a Symbol, got str"):
        mx.viz.plot_network("x")
    symbol = sym.FullyConnected(sym.var("data"), num_hidden=3)
    for function in (mx.viz.print_summary, mx.viz.plot_network):
        with (
            pytest.warns(UserWarning, match="Cannot decide"),
            pytest.raises(ValueError, match="Input shape is incomplete"),
        ):
            function(symbol, shape={})
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(ImportError, match="pip install graphviz"):
        mx.viz.plot_network(symbol)
