"""Variables without axes: in symbols, in MXNet's files, and outside of NumPy's shape semantics."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.gluon import SymbolBlock
from hybridonnx.util import np_shape

MXNETS = """{
  "nodes": [
    {
      "op": "null", 
      "name": "x", 
      "attrs": {"__shape__": "()"}, 
      "inputs": []
    }, 
    {
      "op": "relu", 
      "name": "y", 
      "inputs": [[0, 0, 0]]
    }
  ], 
  "arg_nodes": [0], 
  "node_row_ptr": [0, 1, 2], 
  "heads": [[1, 0, 0]], 
  "attrs": {
    "is_np_shape": ["int", 1], 
    "mxnet_version": ["int", 10901]
  }
}"""  # noqa: W291  (written by MXNet 1.9.1 under np_shape)


def scalar() -> sym.Symbol:
    return sym.relu(sym.var("x", shape=[]), name="y")


def test_a_variable_without_axes_is_known():
    assert scalar().infer_shape() == ([()], [()], [])
    assert scalar().infer_shape_partial() == ([()], [()], [])
    with np_shape():
        assert scalar().infer_shape() == ([()], [()], [])


def test_the_file_is_mxnets():
    assert scalar().tojson() == MXNETS
    with np_shape():
        assert scalar().tojson() == MXNETS
        assert sym.load_json(MXNETS).infer_shape() == ([()], [()], [])
        assert sym.load_json(MXNETS).tojson() == MXNETS
    assert sym.load_json(MXNETS).infer_shape() == ([()], [()], [])
    assert sym.load_json(MXNETS).tojson() == MXNETS


def test_in_mxnets_own_graphs_no_axes_are_an_unknown_shape():
    text = sym.relu(sym.var("x", shape=()), name="y").tojson()
    assert json.loads(text)["attrs"] == {"mxnet_version": ["int", 10901]}
    assert json.loads(text)["nodes"][0]["attrs"] == {"__shape__": "()"}
    assert sym.load_json(text).infer_shape_partial() == ([()], [()], [])
    with pytest.warns(UserWarning, match="Cannot decide shape"):
        assert sym.load_json(text).infer_shape() == (None, None, None)


def test_unknown_sizes_beside_stay_unknown():
    others = [sym.var("a", shape=(0, 3)), sym.var("b", shape=()), sym.var("c", shape=(10, 2)), sym.var("d")]
    text = sym.Group([scalar(), *map(sym.relu, others)]).tojson()
    for on in (False, True):
        with np_shape(on):
            shapes = sym.load_json(text).infer_shape_partial()[0]
            assert shapes == [(), (-1, 3) if on else (0, 3), None if on else (), (10, 2), None if on else ()]
            assert sym.load_json(text).tojson() == text
    assert others[0].attr_dict() == {"a": {"__shape__": "(0, 3)"}}


def test_inside_of_loops():
    def body(x, state):
        return x, state + sym.relu(sym.var("w", shape=[]))

    out, _ = sym.contrib.foreach(body, sym.var("x"), sym.var("s"))
    text = out.tojson()
    assert json.loads(text)["attrs"]["is_np_shape"] == ["int", 1]
    assert sym.load_json(text).tojson() == text


def exported(folder: str) -> tuple[str, str]:
    graph = sym.Group([sym.identity(sym.var("w", shape=[])), sym.relu(sym.var("x"))])
    block = SymbolBlock(graph, sym.var("x"))
    block.collect_params()["w"]._load_init(nd.NDArray(np.array(3, np.float32)), None)
    block.hybridize()
    assert [y.shape for y in block(nd.ones((2,)))] == [(), (2,)]
    return block.export(f"{folder}/model")


def test_blocks_keep_them_in_files(tmp_path):
    names = exported(str(tmp_path))
    assert not mx.util.is_np_shape()
    for hybridize in (False, True):
        block = SymbolBlock.imports(names[0], ["x"], names[1])
        block.hybridize(hybridize)
        weight, y = block(nd.ones((2,)))
        assert (weight.shape, weight.asnumpy().tolist(), y.shape) == ((), 3.0, (2,))


SCRIPT = """
import sys, mxnet as mx
mx.util.set_np_shape(True)
graph = mx.sym.load(sys.argv[1])
print({k: (v.shape, v.asnumpy().tolist()) for k, v in mx.nd.load(sys.argv[2]).items()})
print(graph.infer_shape(x=(2,)))
open(sys.argv[1], "w").write(graph.tojson())
"""


@pytest.mark.oracle
def test_mxnet_reads_and_writes_the_files(oracle, tmp_path):
    names = exported(str(tmp_path))
    with open(names[0], encoding="utf-8") as file:
        before = file.read()
    result = subprocess.run([oracle, "-c", SCRIPT, *names], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    assert lines == ["{'arg:w': ((), 3.0)}", "([(), (2,)], [(), (2,)], [])"]
    with open(names[0], encoding="utf-8") as file:
        assert file.read() == before


def test_a_compiled_graph_takes_arrays_with_and_without_axes():
    x = sym.var("x")
    block = SymbolBlock(sym.relu(x), x)
    block.hybridize()
    for shape in ((2,), (), (3,), (), (2, 2)):
        assert block(nd.NDArray(np.full(shape, 2, np.float32))).shape == shape


def test_all_of_an_array_without_axes():
    with mx.util.np_shape():
        x = mx.nd.zeros(())
    x[:] = 3
    assert (x.shape, x[:].asscalar()) == ((), 3)
