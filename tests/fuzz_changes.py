"""Changes of models that keep them models, so that more than their parsing is tried: see scripts/fuzz."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError, EncodeError  # type: ignore[import-untyped]
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, defs, helper, numpy_helper

from tests.hostile_models import values_of

SIZES = (0, 1, 2, 3, 7, 40, -1, -2, 1 << 20, 1 << 31, (1 << 63) - 1)
NUMBERS = (0, 1, -1, 2, 3, 65, 1000, -(1 << 31), 1 << 31, (1 << 63) - 1, -(1 << 63))
TEXTS = (
    *("0", "1", "-1", "2", "3", "1000000000", "99999999999999999999", "1e999", "nan", "-0.5", "0.1", "1e-9"),
    *("()", "(1,)", "(2, 2)", "(0, 0)", "(-1,)", "(1, 1, 1)", "(1000000000, 1000000000)", "(1, 1, 1, 1, 1)"),
    *(
        "None",
        "True",
        "False",
        "",
        "null",
        "float16",
        "float64",
        "int32",
        "int64",
        "uint8",
        "bool",
        "bfloat16",
    ),
    *(
        "max",
        "avg",
        "same",
        "valid",
        "full",
        "NHWC",
        "NCHW",
        "clip",
        "wrap",
        "raise",
        "relu",
        "edge",
        "[]",
        "\0",
    ),
)
MOST_CHANGES = 4


def changed(name: str, data: bytes, seed: int, most: int, others: Sequence[bytes] = ()) -> bytes:
    """A file of a format with some changes, of `most` bytes at most.

    Args:
        name: The format.
        data: The file.
        seed: Of what is drawn.
        most: Bytes of the result.
        others: More files of the format, of which bytes may come.
    """
    draw = Random(seed)
    change = _CHANGED.get(name)
    result = _changed_bytes(data, draw, [*others, data]) if change is None else change(data, draw)
    return result if len(result) <= most else data[:most]


# ---- bytes

TOKENS = (
    *(b"0", b"-1", b"[", b"]", b"{", b"}", b'"', b",", b"null", b"(1,)", b"99999999999", b"1e999", b"\xff"),
    b"",
)
_WORDS = (0, 1, 1 << 31, 1 << 62, (1 << 64) - 1)


def _changed_bytes(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    result = bytearray(data)
    for _ in range(draw.randint(1, 8)):
        at = draw.randint(0, len(result))
        kind = draw.randint(0, 4)
        if kind == 0 and result:
            result[at % len(result)] ^= 1 << draw.randint(0, 7)
        elif kind == 1:
            del result[at : at + draw.randint(1, 24)]
        elif kind == 2:
            result[at:at] = draw.choice(TOKENS)
        elif kind == 3:
            result[at : at + 8] = draw.choice(_WORDS).to_bytes(8, "little")
        else:
            other = draw.choice(others)
            start = draw.randint(0, len(other))
            result[at:] = other[start : start + 400]
    return bytes(result)


# ---- ONNX


def _changed_model(data: bytes, draw: Random) -> bytes:
    try:
        model = ModelProto.FromString(data)
    except DecodeError:
        return draw.choice(onnx_seeds())
    for _ in range(draw.randint(1, MOST_CHANGES)):
        graph = draw.choice([*graphs_in(model.graph)])
        try:
            draw.choice(CHANGES)(graph, draw)
        except (ArithmeticError, LookupError, RuntimeError, StopIteration, TypeError, ValueError):
            continue
    try:
        result: bytes = model.SerializeToString()
    except (ValueError, EncodeError):
        return data
    return result


def graphs_in(graph: GraphProto) -> Iterator[GraphProto]:
    """A graph and those inside of it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from graphs_in(attribute.g)


def set_attribute(graph: GraphProto, draw: Random) -> None:
    attribute = draw.choice(draw.choice(graph.node).attribute)
    value = draw.choice(values_of(attribute))
    if value != []:
        attribute.CopyFrom(helper.make_attribute(attribute.name, value))


def set_number(graph: GraphProto, draw: Random) -> None:
    attribute = draw.choice(draw.choice(graph.node).attribute)
    if attribute.ints:
        attribute.ints[draw.randrange(len(attribute.ints))] = draw.choice(NUMBERS)
    elif attribute.type == AttributeProto.INT:
        attribute.i = draw.choice(NUMBERS)


def add_attribute(graph: GraphProto, draw: Random) -> None:
    node = draw.choice(graph.node)
    known = schema_of(node).attributes
    attribute = known[draw.choice(sorted(known))]
    blank = AttributeProto(name=attribute.name, type=attribute.type.value)
    value = draw.choice(values_of(blank))
    node.attribute.append(helper.make_attribute(attribute.name, value) if value != [] else blank)


def remove_attribute(graph: GraphProto, draw: Random) -> None:
    attributes = draw.choice(graph.node).attribute
    del attributes[draw.randrange(len(attributes))]


def rename_operator(graph: GraphProto, draw: Random) -> None:
    draw.choice(graph.node).op_type = draw.choice(operators())


def rewire(graph: GraphProto, draw: Random) -> None:
    node = draw.choice(graph.node)
    names = [item.name for item in (*graph.input, *graph.initializer)]
    names += ["", *(name for other in graph.node for name in other.output)]
    place = draw.randint(0, len(node.input))
    if place == len(node.input):
        node.input.append(draw.choice(names))
    else:
        node.input[place] = draw.choice(names)


def remove_input(graph: GraphProto, draw: Random) -> None:
    inputs = draw.choice(graph.node).input
    del inputs[draw.randrange(len(inputs))]


def repeat_node(graph: GraphProto, draw: Random) -> None:
    """A node once more, in front of what took its result."""
    place = draw.randrange(len(graph.node))
    node, copy = graph.node[place], NodeProto()
    copy.CopyFrom(node)
    old = node.output[0]
    node.output[0] = f"{old}_{draw.randrange(1 << 16)}"
    copy.input[draw.randrange(len(copy.input))] = node.output[0]
    rest = [copy, *graph.node[place + 1 :]]
    del graph.node[place + 1 :]
    graph.node.extend(rest)


def remove_node(graph: GraphProto, draw: Random) -> None:
    place = draw.randrange(len(graph.node))
    node = graph.node[place]
    for other in graph.node:
        for i, name in enumerate(other.input):
            if name in node.output and node.input:
                other.input[i] = node.input[0]
    del graph.node[place]


def set_size(graph: GraphProto, draw: Random) -> None:
    dims = draw.choice(graph.input).type.tensor_type.shape.dim
    if draw.random() < 0.3:
        dims.add(dim_value=draw.choice(SIZES))
    elif draw.random() < 0.3:
        dims[draw.randrange(len(dims))].dim_param = draw.choice(["n", "n + 1", "", "n // 0"])
    else:
        dims[draw.randrange(len(dims))].dim_value = draw.choice(SIZES)


def set_type(graph: GraphProto, draw: Random) -> None:
    info = draw.choice([*graph.input, *graph.output, *graph.value_info])
    info.type.tensor_type.elem_type = draw.choice(TensorProto.DataType.values())


def set_weight(graph: GraphProto, draw: Random) -> None:
    """Other elements, or sizes that are not those of the elements."""
    tensor = draw.choice(graph.initializer)
    if draw.random() < 0.3:
        tensor.dims[draw.randrange(len(tensor.dims))] = draw.choice(SIZES)
        return
    array = numpy_helper.to_array(tensor).copy()
    if array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        array.flat[draw.randrange(array.size)] = min(max(draw.choice(NUMBERS), limits.min), limits.max)
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def fix_input(graph: GraphProto, draw: Random) -> None:
    """An input as a constant."""
    place = draw.randrange(len(graph.input))
    info = graph.input[place]
    shape = [min(max(d.dim_value, 0), 64) for d in info.type.tensor_type.shape.dim]
    dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    value = draw.choice(NUMBERS)
    if dtype.kind in "iu":
        value = min(max(value, np.iinfo(dtype).min), np.iinfo(dtype).max)
    graph.initializer.append(numpy_helper.from_array(np.full(shape, value, dtype), info.name))
    del graph.input[place]


CHANGES: list[Callable[[GraphProto, Random], None]] = [
    *(
        set_attribute,
        set_number,
        set_number,
        add_attribute,
        remove_attribute,
        rename_operator,
        rewire,
        rewire,
    ),
    *(remove_input, repeat_node, remove_node, set_size, set_type, set_weight, set_weight, fix_input),
]


def schema_of(node: NodeProto) -> Any:
    return next(s for s in defs.get_all_schemas() if s.name == node.op_type and s.domain == node.domain)


@cache
def operators() -> list[str]:
    return sorted({schema.name for schema in defs.get_all_schemas()})


@cache
def onnx_seeds() -> list[bytes]:
    """ONNX's own cases, one of each set of operators and attributes, and small networks of ours."""
    from tests.onnx_cases import cases

    seeds: dict[object, bytes] = {}
    for case in cases():
        if case.kind == "node":
            nodes = case.model.graph.node
            key = frozenset((n.op_type, *sorted(a.name for a in n.attribute)) for n in nodes)
            seeds.setdefault(key, case.model.SerializeToString())
    return [data for data in seeds.values() if len(data) < 20_000] + [data for _, data in networks()]


def networks() -> Iterator[tuple[str, bytes]]:
    """Networks of the zoo, made narrow."""
    import hybridonnx as mx
    from hybridonnx.gluon import nn
    from hybridonnx.ops import Spec
    from hybridonnx.parity.models import exported

    def block(*layers: Any) -> Any:
        net = nn.HybridSequential()
        net.add(*layers)
        return net

    vision = mx.gluon.model_zoo.vision
    made = {
        "resnet": vision.ResNetV1(vision.BasicBlockV1, [1, 1], [2, 2, 4], classes=3, thumbnail=True),
        "squeeze": block(nn.Conv2D(2, 3, strides=2), nn.MaxPool2D(2), nn.GlobalAvgPool2D(), nn.Flatten()),
        "norms": block(nn.BatchNorm(), nn.LayerNorm(), nn.Dense(3, activation="tanh"), nn.Dropout(0.5)),
    }
    for name, net in made.items():
        net.initialize()
        x = mx.nd.ones((1, 3, 16, 16))
        net(x)
        _, graph = net._get_graph(x)
        params = {key: value.data().asnumpy() for key, value in net.collect_params().items()}
        yield name, exported(graph, params, {"data": Spec(x.shape, np.dtype(x.dtype))})


# ---- graphs of MXNet's operators, as JSON


def _changed_json(data: bytes, draw: Random) -> bytes:
    try:
        content = json.loads(data)
        nodes = content["nodes"]
        assert nodes
    except (ValueError, TypeError, KeyError, AssertionError):
        return draw.choice(symbol_seeds())
    for _ in range(draw.randint(1, MOST_CHANGES)):
        try:
            draw.choice(JSON_CHANGES)(nodes, draw)
        except (IndexError, KeyError, TypeError, ValueError, AttributeError):
            continue
    return json.dumps(content).encode()


def set_text(nodes: list[Any], draw: Random) -> None:
    attributes = draw.choice(nodes)["attrs"]
    attributes[draw.choice(sorted(attributes))] = draw.choice(TEXTS)


def remove_text(nodes: list[Any], draw: Random) -> None:
    attributes = draw.choice(nodes)["attrs"]
    del attributes[draw.choice(sorted(attributes))]


def take_attributes(nodes: list[Any], draw: Random) -> None:
    """The attributes of another operator's seed."""
    other = draw.choice(json.loads(draw.choice(symbol_seeds()))["nodes"])
    draw.choice(nodes).setdefault("attrs", {}).update(other.get("attrs", {}))


def take_operator(nodes: list[Any], draw: Random) -> None:
    other = draw.choice(json.loads(draw.choice(symbol_seeds()))["nodes"])
    node = draw.choice([node for node in nodes if node["op"] != "null"])
    node["op"], node["attrs"] = other["op"], other.get("attrs", {})


def rewire_json(nodes: list[Any], draw: Random) -> None:
    place = draw.randrange(len(nodes))
    inputs = nodes[place]["inputs"]
    inputs[draw.randrange(len(inputs))] = [draw.randrange(place), draw.choice([0, 0, 0, 1]), 0]


def repeat_json(nodes: list[Any], draw: Random) -> None:
    """The last node once more, on its own result."""
    node = json.loads(json.dumps(nodes[-1]))
    node["name"] += "_"
    node["inputs"][draw.randrange(len(node["inputs"]))] = [len(nodes) - 1, 0, 0]
    nodes.append(node)


JSON_CHANGES: list[Callable[[list[Any], Random], None]] = [
    *(set_text, set_text, set_text, remove_text, take_attributes, take_operator, rewire_json, repeat_json),
]


@cache
def symbol_seeds() -> list[bytes]:
    """A graph of each operator with a Case, its inputs' shapes among the attributes."""
    from hybridonnx.test_utils.cases import symbol_of
    from tests.test_operators import FAMILIES

    seeds: dict[str, bytes] = {}
    for family in FAMILIES.values():
        for case in family:
            if case.op in seeds or case.training:
                continue
            symbol, names = symbol_of(case)
            content = json.loads(symbol.tojson())
            shapes = dict(zip(names, [x.shape for x in case.inputs], strict=True))
            for node in content["nodes"]:
                if node["name"] in shapes and node["op"] == "null":
                    node.setdefault("attrs", {})["__shape__"] = str(tuple(shapes[node["name"]]))
            seeds[case.op] = json.dumps(content).encode()
    return list(seeds.values())


_CHANGED: dict[str, Callable[[bytes, Random], bytes]] = {
    "onnx": _changed_model,
    "verify": _changed_model,
    "export": _changed_json,
}
"""Changes that know the format."""
SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "onnx": onnx_seeds,
    "verify": onnx_seeds,
    "export": symbol_seeds,
}
"""What fuzzing begins with beside the corpus."""
