"""Uses of mixed precision, by real MXNet (oracle/amp.py) and by this project alike."""

from __future__ import annotations

import json
import re
import zlib
from typing import Any

import numpy as np

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


MIXED_JOINS = ("three", "the same after a cast")
"""What MXNet refuses to convert to bfloat16, as it does not cast what it joins."""


def dtype_name(array: Any) -> str:
    """The name of an array's dtype; MXNet's Python has a structure for bfloat16."""
    return "bfloat16" if "bfloat16" in str(array.dtype) else np.dtype(array.dtype).name


def bfloat16_dtypes(mx: Any) -> dict[str, list[str]]:
    """The dtypes that operators on bfloat16 give."""
    nd, kind = mx.nd, np.dtype([("bfloat16", np.uint16)])
    wide, whole = nd.array([[1.5, 2], [3, 4]]), nd.array([1, 2], dtype="int32")
    low = nd.amp_cast(wide, dtype=kind)
    values = {
        "astype": [wide.astype(kind), low.astype("float32"), nd.cast(wide, dtype=kind)],
        "amp_cast": [low, nd.amp_cast(low, dtype="float16"), nd.amp_cast(whole, dtype=kind)],
        "widest": nd.amp_multicast(low, wide, whole, num_outputs=3),
        "narrowest": nd.amp_multicast(wide, low, num_outputs=2, cast_narrow=True),
        "layers": [
            nd.FullyConnected(low, low, no_bias=True, num_hidden=2),
            nd.relu(low),
            nd.concat(low, low),
        ],
        "arithmetic": [low + low, nd.Activation(low, act_type="relu")],
    }
    return {name: [dtype_name(x) for x in xs] for name, xs in values.items()}


def layer(mx: Any, kind: Any) -> list[Any]:
    """What layers in bfloat16 give, as float32."""
    nd, rng = mx.nd, np.random.RandomState(0)
    x, w, b = (
        nd.amp_cast(nd.array(rng.normal(size=s).astype("float32")), dtype=kind)
        for s in ((2, 3, 6, 6), (4, 3, 3, 3), (4,))
    )
    y = nd.Convolution(x, w, b, kernel=(3, 3), num_filter=4)
    values = [y, nd.relu(y), nd.Pooling(y, kernel=(2, 2), pool_type="max"), y + y, nd.concat(y, y, dim=1)]
    return [nd.amp_cast(v, dtype="float32").asnumpy().ravel().tolist() for v in values]


def network(mx: Any) -> Any:
    """A small network with weights that do not depend on who makes it."""
    nn, rng = mx.gluon.nn, np.random.RandomState(0)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
        net.add(nn.MaxPool2D(2, 1), nn.GlobalAvgPool2D(), nn.Dense(3, in_units=4))
    net.initialize()
    for name, param in sorted(net.collect_params().items()):
        if name.endswith("weight"):
            param.set_data(mx.nd.array(rng.normal(size=param.shape).astype("float32") / 3))
    return net


def losses(mx: Any, net: Any, scaled: bool = False) -> list[float]:
    """The losses of some steps of training."""
    rng = np.random.RandomState(1)
    x, y = mx.nd.array(rng.normal(size=(6, 2, 5, 5))), mx.nd.array([0, 1, 2, 0, 1, 2])
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2})
    if scaled:
        mx.contrib.amp.init_trainer(trainer)
    loss_function, values = mx.gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(5):
        with mx.autograd.record():
            loss = loss_function(net(x), y)
            if scaled:
                with mx.contrib.amp.scale_loss(loss, trainer) as large:
                    mx.autograd.backward(large)
            else:
                loss.backward()
        trainer.step(6)
        values.append(float(loss.mean().asscalar()))
    return values


def converted(mx: Any, cast: bool = False) -> Any:
    """The network converted to bfloat16, and what it gives for an input."""
    net = network(mx)
    net.hybridize()
    net(mx.nd.zeros((6, 2, 5, 5)))
    options = {"ctx": mx.cpu(), "cast_optional_params": cast}
    return mx.contrib.amp.convert_hybrid_block(net, target_dtype="bfloat16", **options)


def buckets(mx: Any, dtype: str, train: bool) -> list[Any]:
    """What a converted BucketingModule has and gives."""
    rng = np.random.RandomState(0)

    def graph(key: int) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
        x = mx.sym.Embedding(mx.sym.var("data"), input_dim=10, output_dim=4, name="words")
        x = mx.sym.FullyConnected(x, num_hidden=5, flatten=False, name="fc")
        label = mx.sym.Reshape(mx.sym.var("softmax_label"), shape=(-1,))
        x = mx.sym.SoftmaxOutput(mx.sym.Reshape(x, shape=(-1, 5)), label, name="softmax")
        return x, ("data",), ("softmax_label",)

    def batch(key: int) -> Any:
        data, label = rng.randint(0, 10, (2, key)), rng.randint(0, 5, (2, key))
        described = [[mx.io.DataDesc(name, (2, key))] for name in ("data", "softmax_label")]
        arrays = [mx.nd.array(data)], [mx.nd.array(label)]
        return mx.io.DataBatch(*arrays, bucket_key=key, provide_data=described[0], provide_label=described[1])

    module = mx.mod.BucketingModule(graph, default_bucket_key=6, context=mx.cpu())
    shapes = [("data", (2, 6))], [("softmax_label", (2, 6))]
    module.bind(*shapes)
    module.init_params(mx.init.Zero())
    params = {k: mx.nd.array(rng.normal(size=v.shape)) for k, v in sorted(module.get_params()[0].items())}
    module.set_params(params, {})
    result = mx.contrib.amp.amp.convert_bucketing_module(module, target_dtype=dtype)
    state = [result.binded, result.params_initialized, sorted(result.get_params()[0])]
    result.bind(*shapes, for_training=train)
    if train:
        result.init_optimizer(optimizer="sgd", optimizer_params={"learning_rate": 0.1})
    values = []
    for key in (6, 4, 6):
        result.forward(batch(key), is_train=train)
        values.append(result.get_outputs()[0].asnumpy().ravel().tolist())
        if train:
            result.backward()
            result.update()
    return [state, values, [v.asnumpy().ravel().tolist() for _, v in sorted(result.get_params()[0].items())]]


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
        if name not in MIXED_JOINS:
            converted = amp.convert_symbol(symbol, target_dtype="bfloat16", **options)
            shown[f"bfloat16 graph {name}"] = described(converted)
    shown["bfloat16 dtypes"] = bfloat16_dtypes(mx)
    scaler = amp.loss_scaler.LossScaler()
    scaler._scale_seq_len = 3
    steps = []
    for value in (1, float("inf"), 1, float("nan"), float("-inf"), 1, 1, 1, 1, 1, 1, 1, 0):
        overflow = scaler.has_overflow([Gradients(mx, 2.0), Gradients(mx, value)])
        steps.append([overflow, scaler.loss_scale, scaler._next_loss_scale, scaler._unskipped])
    return {**shown, "scales": steps}
