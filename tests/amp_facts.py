"""Uses of mixed precision, by real MXNet (oracle/amp.py) and by this project alike."""

from __future__ import annotations

import json
import re
import zlib
from typing import Any

LISTS = ("lp16_ops", "fp32_ops", "lp16_fp32_ops", "widest_type_cast", "loss_output_functions")


def graphs(mx: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Symbols and options of their conversion."""
    sym = mx.sym
    data = sym.var("data")

    def dense(name, x=data, **options):
        return sym.FullyConnected(x, num_hidden=2, name=name, **options)

    x = sym.BatchNorm(sym.Convolution(data, kernel=(3, 3), num_filter=4, name="c1"), name="bn")
    x = sym.Activation(x, act_type="relu", name="r")
    x = sym.elemwise_add(x, sym.Convolution(x, kernel=(1, 1), num_filter=4, name="c2"), name="add")
    net = sym.SoftmaxOutput(sym.exp(sym.FullyConnected(x, num_hidden=3, name="fc"), name="e"), name="sm")
    w = sym.var("w")
    shared = dense("f", weight=w, no_bias=True) + dense("g", weight=w, no_bias=True)
    other = sym.var("o")
    concat = sym.concat(dense("f"), sym.exp(data, name="e"), other, name="a", dim=1)
    soft = sym.Activation(dense("f"), act_type="softrelu", name="act")
    return {
        "net": (net, {}),
        "excluded": (net, {"excluded_sym_names": ["c1", "fc"]}),
        "own lists": (net, {"target_dtype_ops": ["FullyConnected"], "fp32_ops": ["exp", "Convolution"]}),
        "a variable beside": (sym.broadcast_add(dense("f"), other, name="a"), {}),
        "three": (concat, {}),
        "the same after a cast": (sym.exp(sym.Reshape(concat, shape=(-1,), name="s"), name="x"), {}),
        "by attribute": (soft, {}),
        "not by attribute": (sym.Activation(dense("f"), act_type="relu", name="act"), {}),
        "outputs": (sym.Group([dense("f"), sym.exp(data, name="e")]), {}),
        "shared": (shared, {}),
        "known": (sym.broadcast_mul(dense("f"), sym.exp(data, name="e"), name="p"), {}),
        "again": (dense("g", sym.Dropout(dense("f"), p=0.5, name="d")), {}),
        "parts": (sym.broadcast_add(*sym.split(dense("f"), num_outputs=2, axis=1, name="s"), name="a"), {}),
    }


def described(symbol: Any) -> list[list[Any]]:
    """The operators of a graph and where their inputs come from, by name."""
    graph = json.loads(symbol.tojson(remove_amp_cast=False))
    nodes = graph["nodes"]
    names = [re.sub(r"_(output\d*|\d)(?=_amp_)", "", node["name"]) for node in nodes]
    kinds = [node.get("attrs", {}).get("dtype", "") for node in nodes]
    rows = [
        [
            node["op"],
            name,
            kind if node["op"].startswith("amp") else "",
            [[names[i], k] for i, k, _ in node["inputs"]],
        ]
        for node, name, kind in zip(nodes, names, kinds)  # noqa: B905  (an old Python)
        if node["op"] != "null"
    ]
    return sorted(rows) + [[[names[i], k] for i, k, _ in graph["heads"]]]


class Gradients:
    """What a loss scaler asks of a parameter."""

    grad_req = "write"

    def __init__(self, mx: Any, value: float) -> None:
        self._grad = [mx.nd.array([1.0, value])]

    def list_grad(self) -> list[Any]:
        return self._grad


def facts(mx: Any) -> dict[str, Any]:
    """What the lists have, what conversion makes of graphs, and how the scale of losses goes."""
    amp = mx.contrib.amp
    shown: dict[str, Any] = {}
    for name in LISTS:
        names = sorted(getattr(amp, f"list_{name}")("float16"))
        shown[name] = [len(names), zlib.crc32(" ".join(names).encode())]
    for name in ("BF16_FUNCS", "FP32_FUNCS", "BF16_FP32_FUNCS", "WIDEST_TYPE_CASTS"):
        names = sorted(getattr(amp.lists.symbol_bf16, name))
        shown[f"bfloat16 {name}"] = [len(names), zlib.crc32(" ".join(names).encode())]
    shown["conditional"] = [list(row) for row in amp.list_conditional_fp32_ops("float16")]
    for name, (symbol, options) in graphs(mx).items():
        shown[f"graph {name}"] = described(amp.convert_symbol(symbol, **options))
    scaler = amp.loss_scaler.LossScaler()
    scaler._scale_seq_len = 3
    steps = []
    for value in (1, float("inf"), 1, float("nan"), float("-inf"), 1, 1, 1, 1, 1, 1, 1, 0):
        overflow = scaler.has_overflow([Gradients(mx, 2.0), Gradients(mx, value)])
        steps.append([overflow, scaler.loss_scale, scaler._next_loss_scale, scaler._unskipped])
    return {**shown, "scales": steps}
