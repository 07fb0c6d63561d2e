"""Random nested loops and branches in every way of running them: all give what real MXNet gives on arrays."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.converters import from_onnx
from hybridonnx.errors import RequirementError
from tests import control_graphs, loop_programs
from tests.runtimes import started

FEW, ALL, PART = 12, 312, 30
STORED = np.load(Path(__file__).parent / "oracle" / "loops.npz")
SEEDS = sorted({int(key.partition(".")[0]) for key in STORED.files})


def assert_results(results, expected, way):
    assert expected.keys() <= results.keys(), way
    for key, value in expected.items():
        assert results[key].shape == value.shape, f"{way}: {key}"
        np.testing.assert_allclose(results[key], value, rtol=2e-4, atol=2e-5, err_msg=f"{way}: {key}")


def assert_outputs(outputs, expected, way):
    results = {f"output{k}": np.asarray(y) for k, y in enumerate(outputs)}
    assert_results(results, {k: v for k, v in expected.items() if k.startswith("output")}, way)


def hybridized(graph, values):
    """Outputs and gradients of a graph as a hybridized block; outputs in prediction."""
    net = gluon.SymbolBlock(graph, [sym.var(name) for name in values])
    net.hybridize()
    args = {k: nd.array(v) for k, v in values.items()}
    predicted = [y.asnumpy() for y in net(*args.values())]
    for x in args.values():
        x.attach_grad()
    with autograd.record():
        outputs = net(*args.values())
    autograd.backward(outputs, [nd.array(h) for h in control_graphs.heads(outputs)])
    results = {f"output{k}": y.asnumpy() for k, y in enumerate(outputs)}
    return predicted, {**results, **{f"gradient of {k}": x.grad.asnumpy() for k, x in args.items()}}


def traced(seed):
    """The program as a symbol; nothing where a body had two variables of one name, which MXNet refuses."""
    try:
        return loop_programs.symbol(mx, seed)
    except RequirementError as exc:
        if not re.search(r"variables of different names are required in the body, got \S+ twice", str(exc)):
            raise
        return None


def check(seed, graph, folder):
    """Compare all ways with arrays."""
    expected = loop_programs.recorded(mx, seed)
    arrays = loop_programs.inputs(seed)
    values = {k: arrays[k] for k in graph.list_arguments()}
    expected = {k: v for k, v in expected.items() if k.removeprefix("gradient of ") in (*values, k)}
    assert_results(control_graphs.computed(mx, graph, values), expected, "executor")
    again = sym.load_json(graph.tojson())
    assert again.tojson() == graph.tojson()
    assert_results(control_graphs.computed(mx, again, values), expected, "read again")
    predicted, trained = hybridized(graph, values)
    assert_outputs(predicted, expected, "hybridized")
    assert_results(trained, expected, "hybridized, training")
    path = mx.onnx.export_model(
        graph, {}, [v.shape for v in values.values()], onnx_file_path=str(folder / "model.onnx")
    )
    assert_outputs(started(onnx.load(path)).run(None, values), expected, "exported")
    back, arguments, _ = from_onnx.import_model(path)
    everything = {**values, **{k: v.asnumpy() for k, v in arguments.items()}}
    assert_results(control_graphs.computed(mx, back, everything), expected, "imported")


@pytest.mark.parametrize("seed", SEEDS)
def test_arrays_give_what_mxnet_gives(seed):
    expected = {k.partition(".")[2]: STORED[k] for k in STORED.files if k.startswith(f"{seed}.")}
    assert_results(loop_programs.recorded(mx, seed), expected, "arrays")


@pytest.mark.parametrize("seed", range(FEW))
def test_programs(seed, tmp_path):
    check(seed, loop_programs.symbol(mx, seed), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FEW, ALL, PART))
def test_more_programs(first, tmp_path):
    graphs = {seed: traced(seed) for seed in range(first, min(first + PART, ALL))}
    assert sum(graph is None for graph in graphs.values()) <= PART // 3
    for seed, graph in graphs.items():
        try:
            if graph is not None:
                check(seed, graph, tmp_path)
        except Exception as exc:
            exc.add_note(f"In loop_programs.program({seed}).")
            raise
