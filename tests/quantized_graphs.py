"""Graphs to be quantized, by real MXNet and by this project, as plain data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

NODES = ("data", "d2", "a_weight", "a_bias", "b_weight", "b_bias", "e_weight")


def _conv(mx: Any, x: Any, name: str, **attrs: Any) -> Any:
    return mx.sym.Convolution(x, num_filter=2, kernel=(1, 1), name=name, **attrs)


def graphs(mx: Any) -> dict[str, Any]:
    """Small graphs by name."""
    sym, d, e = mx.sym, mx.sym.var("data"), mx.sym.var("d2")
    first = _conv(mx, d, "a")
    pool = sym.Pooling(first, kernel=(2, 2), stride=(2, 2), name="p")
    norm = sym.Activation(sym.BatchNorm(first, fix_gamma=False, name="bn"), act_type="relu", name="r")
    dense = sym.FullyConnected(sym.Flatten(norm, name="f"), num_hidden=3, name="b")
    return {
        "layers": sym.SoftmaxOutput(dense, name="softmax"),
        "sum": sym.Group([sym.elemwise_add(first, _conv(mx, e, "b"), name="s")]),
        "one side": _conv(mx, sym.elemwise_add(first, sym.BlockGrad(e, name="g"), name="s"), "b"),
        "pool and more": sym.Group([_conv(mx, pool, "b", no_bias=True), sym.BlockGrad(pool, name="g")]),
        "join": sym.concat(d, e, dim=1, name="c"),
        "product": sym.elemwise_mul(d, e, name="m"),
        "lookup": sym.Embedding(d, input_dim=4, output_dim=3, name="e"),
        "mean": sym.Pooling(d, kernel=(2, 2), pool_type="avg", name="p"),
        "tanh": sym.Activation(first, act_type="tanh", name="t"),
        "before": _conv(mx, sym.BatchNorm(d, name="bn"), "a"),
        "after": sym.BatchNorm(first, name="bn"),
    }


OPTIONS: dict[str, dict[str, Any]] = {
    "full": {"quantize_mode": "full", "calib_mode": "naive"},
    "smart": {"quantize_mode": "smart", "calib_mode": "naive"},
    "without": {
        "quantize_mode": "full",
        "calib_mode": "naive",
        "excluded_sym_names": ["a"],
        "excluded_op_names": ["Pooling"],
    },
    "auto": {"quantize_mode": "smart", "calib_mode": "naive", "quantized_dtype": "auto"},
}


def described(quantization: Any, mx: Any, name: str, options: str, parameters: bool) -> list[Any]:
    """The nodes of a quantized graph, and the outputs that are to be calibrated."""
    symbol = graphs(mx)[name]
    args = symbol.list_arguments() if parameters else []
    params = {n: mx.nd.ones((2,)) for n in args if n in NODES and n not in ("data", "d2")}
    qsym, _, _, collector = quantization.quantize_graph(symbol, params, {}, **OPTIONS[options])
    nodes = json.loads(qsym.tojson())["nodes"]
    shown = [
        [n["op"], n["name"], [[nodes[i]["name"], output] for i, output, *_ in n["inputs"]]]
        for n in nodes
        if n["op"] != "null"
    ]
    types = [n["attrs"]["out_type"] for n in nodes if "out_type" in n.get("attrs", {})]
    return [shown, types, list(collector.include_layer)]


def calibrated(quantization: Any, mx: Any, mode: str, dtype: str = "int8") -> dict[str, list[float]]:
    """The ranges, by node, that MXNet's `quantize_model` gives a small network, and some parameters."""
    symbol, args, auxs, batches = to_calibrate(mx)
    data = mx.io.NDArrayIter(mx.nd.concat(*batches, dim=0), batch_size=2)
    options: dict[str, Any] = {"calib_data": data, "calib_mode": mode, "num_calib_examples": 4}
    options["quantized_dtype"] = dtype
    return ranges_of(*quantization.quantize_model(symbol, args, auxs, quantize_mode="full", **options)[:2])


def to_calibrate(mx: Any) -> tuple[Any, dict[str, Any], dict[str, Any], list[Any]]:
    """A small network, its parameters, its states, and three batches, of which two calibrate it."""
    rng = np.random.RandomState(0)
    symbol = graphs(mx)["layers"]
    shapes, _, states = symbol.infer_shape(data=(2, 3, 4, 4))
    names = [n for n in symbol.list_arguments() if n not in ("data", "softmax_label")]
    by_name = dict(zip(symbol.list_arguments(), shapes, strict=True))
    args = {n: mx.nd.array(rng.randn(*by_name[n]) * 0.2) for n in names}
    auxs = {
        n: mx.nd.array(np.abs(rng.randn(*s)))
        for n, s in zip(symbol.list_auxiliary_states(), states, strict=True)
    }
    data = rng.rand(6, 3, 4, 4) - 0.2
    return symbol, args, auxs, [mx.nd.array(data[i : i + 2]) for i in range(0, 6, 2)]


def ranges_of(qsym: Any, qargs: dict[str, Any]) -> dict[str, list[float]]:
    """The ranges of a quantized graph, by node, and some of its parameters."""
    ranges: dict[str, list[float]] = {
        n["name"]: [float(n["attrs"]["min_calib_range"]), float(n["attrs"]["max_calib_range"])]
        for n in json.loads(qsym.tojson())["nodes"]
        if "min_calib_range" in n.get("attrs", {})
    }
    return ranges | {n: qargs[n].asnumpy().astype("float64").ravel()[:4].tolist() for n in sorted(qargs)}
