"""Writes upgrades.json: graphs as old versions wrote them, and what Apache MXNet 1.9.1 makes of each.

Run it with the oracle environment's Python (mxnet 1.9.1, numpy 1.23.5):

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/upgrades.py

    [{"versions": [...], "graph": a file's content, "want": what 1.9.1 writes after loading it}]

The graph is as it stands for version 800, whose files name none; for others "attrs" names the version.
Versions that 1.9.1 refuses are not listed.
"""

import json
import os
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx

FILE = Path(__file__).resolve().with_name("upgrades.json")
VERSIONS = (800, 899, 900, 904, 905, 1100, 10900, 10901, 20000)


def node(op, name, inputs=(), **attributes):
    entry = {"op": op, "name": name, "inputs": [list(i) for i in inputs]}
    if attributes:
        entry["attr"] = attributes
    return entry


HIDDEN = [
    node("null", "data", data_lr_mult="9"),
    node("null", "w", weight_lr_mult="2", __lr_mult__="7", wd_mult="3"),
    node("null", "b", ctx_group="g", foo="bar", zz_lr_mult="6"),
    node(
        "FullyConnected", "fc", [(0, 0), (1, 0), (2, 0)], num_hidden="3", weight_lr_mult="4", bias_wd_mult="5"
    ),
    node("Activation", "act", [(3, 0)], act_type="relu", ctx_group="q", __mine__="1", force_mirroring="True"),
]
NORMALIZED = [
    node("null", "data"),
    node("null", "gamma"),
    node("null", "beta"),
    node("BatchNorm", "bn", [(0, 0), (1, 0), (2, 0)], eps="0.1", momentum="0.9", __mine__="1"),
    node("LeakyReLU", "prelu", [(3, 0)], act_type="prelu"),
]
NAMES = [
    node("null", "data"),
    node("null", "other"),
    node("_Plus", "sum", [(0, 0), (1, 0)]),
    node("_MulScalar", "twice", [(2, 0)], scalar="2"),
    node("flatten", "flat", [(3, 0)]),
    node("argmax", "best", [(4, 0)], axis="-1"),
    node("argmin", "worst", [(4, 0)], axis="-1", keepdims="True"),
    node("_Minus", "range", [(5, 0), (6, 0)]),
]
SCALARS = (
    "_Plus _Minus _RMinus _Mul _Div _RDiv _Power _RPower _Maximum _Minimum _Mod _Equal _Greater _Lesser"
).split()
PAIRS = "_Plus _Minus _Mul _Div _Power _Maximum _Minimum _Mod _Equal _Greater _Lesser _Hypot".split()
ARITHMETIC = [
    node("null", "a"),
    node("null", "b"),
    *(node(op, op.lower().strip("_"), [(0, 0), (1, 0)]) for op in PAIRS),
    *(node(f"{op}Scalar", f"{op.lower().strip('_')}_scalar", [(2, 0)], scalar="2.5") for op in SCALARS),
    node(
        "ElementWiseSum",
        "sum",
        [(i, 0) for i in range(2, 14 + len(SCALARS))],
        num_args=str(12 + len(SCALARS)),
    ),
]
LAYERS = [
    node("null", "data"),
    node("null", "w"),
    node("Convolution_v1", "conv", [(0, 0), (1, 0)], kernel="(3,3)", num_filter="4", no_bias="True"),
    node("BatchNorm_v1", "bn", [(2, 0), (1, 0), (1, 0)], fix_gamma="False"),
    node("Cast", "cast", [(3, 0)], dtype="float32"),
    node("Pooling_v1", "pool", [(4, 0)], kernel="(2L, 2L)", pool_type="max", stride="(2,2)"),
    node("SwapAxis", "swap", [(5, 0)], dim1="1", dim2="2"),
    node("Reshape", "shaped", [(6, 0)], target_shape="(0,40)"),
    node("SliceChannel", "parts", [(7, 0)], num_outputs="2", squeeze_axis="1"),
    node("Concat", "joined", [(8, 1), (8, 0)], num_args="2", dim="1"),
    node("crop", "cut", [(9, 0)], begin="(0,0)", end="(1,4)"),
    node("sum_axis", "total", [(10, 0)], axis="1", keepdims="True"),
    node("Softmax", "softmax", [(11, 0)], grad_scale="2.0", normalization="null"),
]
PARAM = [
    {"op": "null", "param": {}, "name": "x", "inputs": [], "backward_source_id": -1},
    {
        "op": "Pooling",
        "param": {"kernel": "(2,2)", "pool_type": "max", "stride": "(2L, 2L)"},
        "name": "pool",
        "inputs": [[0, 0]],
        "backward_source_id": -1,
        "attr": {"ctx_group": "dev1"},
    },
]


def graph(nodes, version):
    content = {
        "nodes": nodes,
        "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"],
        "heads": [[len(nodes) - 1, 0]],
    }
    if version != 800:
        content["attrs"] = {"mxnet_version": ["int", version]}
    return content


def upgraded(nodes):
    """What 1.9.1 writes to the versions that lead there."""
    versions = {}
    for version in VERSIONS:
        try:
            want = mx.sym.load_json(json.dumps(graph(nodes, version))).tojson()
        except mx.MXNetError:
            continue
        versions.setdefault(want, []).append(version)
    return versions


def main():
    cases = []
    for nodes in (HIDDEN, NORMALIZED, NAMES, ARITHMETIC, LAYERS, PARAM):
        for want, versions in upgraded(nodes).items():
            cases.append({"versions": versions, "graph": graph(nodes, 800), "want": want})
    FILE.write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
