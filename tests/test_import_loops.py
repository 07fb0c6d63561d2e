"""Scan, Loop and If out of ONNX models: imported, they compute what ONNX Runtime computes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

import hybridonnx as mx
from hybridonnx.converters import from_onnx
from hybridonnx.errors import MXNetError
from hybridonnx.symbol.execute import execute
from tests import control_graphs

T, N, C = 5, 3, 4


def declared(**shapes: Any) -> list[Any]:
    return [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]


def model(nodes, inputs, outputs, **weights: Any) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "main", declared(**inputs), declared(**dict.fromkeys(outputs)), tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def body(nodes, inputs, outputs, **weights: Any) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    return helper.make_graph(nodes, "body", declared(**inputs), declared(**dict.fromkeys(outputs)), tensors)


def feeds(**shapes: Any) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    return {name: rng.normal(size=shape).astype("float32") for name, shape in shapes.items()}


def fed(value: Any) -> Any:
    """An array of the same shape and dtype."""
    return mx.nd.array(value, dtype=value.dtype)


def check(proto: Any, values: dict[str, Any]) -> Any:
    """The imported Symbol, whose numbers are ONNX Runtime's, in memory and out of a file."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    expected = session.run(None, values)
    symbol, arguments, states = from_onnx.import_model(proto)
    arrays = {**arguments, **states, **{name: fed(value) for name, value in values.items()}}
    for graph in (symbol, mx.sym.load_json(symbol.tojson())):
        for y, e in zip(execute(graph, arrays), expected, strict=True):
            assert (y.shape, y.dtype) == (e.shape, e.dtype)
            np.testing.assert_allclose(y.asnumpy(), e, rtol=1e-5, atol=1e-6)
    return symbol


def node(op: str, *names: str, **attributes: Any) -> Any:
    """A node from its inputs, "->" and its outputs."""
    at = names.index("->")
    return helper.make_node(op, names[:at], names[at + 1 :], **attributes)


def running_sum(**attributes: Any) -> Any:
    """h = h * w + x, with a weight from outside."""
    inner = body(
        [
            node("Mul", "h", "w", "->", "hw"),
            node("Add", "hw", "x", "->", "new"),
            node("Neg", "new", "->", "y"),
        ],
        {"h": (N, C), "x": (N, C)},
        ["new", "y"],
    )
    return node("Scan", "h0", "xs", "->", "last", "ys", body=inner, num_scan_inputs=1, **attributes)


@pytest.mark.parametrize("output_axis", [0, 1, -1])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("backward", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_axes_and_directions(axis, output_axis, backward):
    shape = [N, C]
    shape.insert(axis % 3, T)
    scan = running_sum(
        scan_input_axes=[axis],
        scan_output_axes=[output_axis],
        scan_input_directions=backward[:1],
        scan_output_directions=backward[1:],
    )
    w = np.linspace(0.5, 1, C, dtype="float32")
    proto = model([scan], {"h0": (N, C), "xs": tuple(shape)}, ["last", "ys"], w=w)
    symbol = check(proto, feeds(h0=(N, C), xs=shape))
    assert "w" in symbol.list_arguments()


def test_computed_values_from_outside_and_constants_of_one_name():
    inner = body(
        [
            node("Reshape", "x", "sizes", "->", "flat"),
            node("MatMul", "flat", "w", "->", "wx"),
            node("Add", "wx", "outside", "->", "sum"),
            node("Mul", "h", "k", "->", "hk"),
            node("Add", "hk", "sum", "->", "new"),
            node("Identity", "new", "->", "y"),
        ],
        {"h": (1, C), "x": (2, 2)},
        ["new", "y"],
        w=np.arange(C * C, dtype="float32").reshape(C, C) / 9,
        sizes=np.array([1, -1]),
    )
    nodes = [
        node("Mul", "a", "w", "->", "outside"),
        node("Scan", "h0", "xs", "->", "last", "ys", body=inner, num_scan_inputs=1),
        node("Add", "ys", "outside", "->", "z"),
    ]
    values = feeds(a=(C,), h0=(1, C), xs=(T, 2, 2))
    shapes = {name: value.shape for name, value in values.items()}
    constants = {"w": np.full(C, 3, "float32"), "k": np.array([0.5], "float32")}
    symbol = check(model(nodes, shapes, ["last", "z"], **constants), values)
    assert {"w", "w_1", "k"} <= set(symbol.list_arguments())


def test_scalars_that_are_scanned():
    inner = body(
        [node("Add", "h", "x", "->", "new"), node("Mul", "new", "x", "->", "y")],
        {"h": (), "x": ()},
        ["new", "y"],
    )
    nodes = [
        node("ReduceSum", "a", "->", "h0", keepdims=0),
        node("Scan", "h0", "xs", "->", "last", "ys", body=inner, num_scan_inputs=1),
    ]
    check(model(nodes, {"a": (C,), "xs": (T,)}, ["last", "ys"]), feeds(a=(C,), xs=(T,)))


def test_variables_and_data_without_use_and_outputs_that_are_inputs():
    inner = body(
        [
            node("Neg", "x", "->", "new"),
            node("Identity", "h", "->", "g"),
            node("Identity", "new", "->", "same"),
            node("Identity", "x", "->", "z"),  # without which ONNX Runtime gives zeros
        ],
        {"h": (N,), "forgotten": (N,), "x": (N,), "unread": (C,)},
        ["g", "new", "same", "z"],
    )
    scan = node("Scan", "h0", "k0", "xs", "us", "->", "h", "k", "y", "z", body=inner, num_scan_inputs=2)
    values = feeds(h0=(N,), k0=(N,), xs=(T, N), us=(T, C))
    values["k0"][0] = np.nan
    shapes = {name: value.shape for name, value in values.items()}
    check(model([scan], shapes, ["h", "k", "y", "z"]), values)


def test_a_scan_in_a_scan_takes_values_from_both_graphs_around():
    inner = body(
        [
            node("Mul", "s", "w", "->", "sw"),
            node("Add", "sw", "part", "->", "t"),
            node("Add", "t", "h", "->", "new"),
        ],
        {"s": (N,), "part": (N,)},
        ["new"],
    )
    outer = body(
        [
            node("Scan", "h", "x", "->", "new_h", body=inner, num_scan_inputs=1),
            node("Identity", "new_h", "->", "y"),
        ],
        {"h": (N,), "x": (C, N)},
        ["new_h", "y"],
    )
    scan = node("Scan", "h0", "xs", "->", "last", "ys", body=outer, num_scan_inputs=1)
    w = np.array([0.1, 0.2, 0.3], "float32")
    proto = model([scan], {"h0": (N,), "xs": (T, C, N)}, ["last", "ys"], w=w)
    check(proto, feeds(h0=(N,), xs=(T, C, N)))


def test_steps_of_a_vector_are_numbers():
    """MXNet's loop gives them an axis, with which the body's Gather would be a matrix."""
    inner = body(
        [
            node("Cast", "x", "->", "j", to=TensorProto.INT64),
            node("Gather", "h", "j", "->", "number"),
            node("Add", "h", "number", "->", "new"),
        ],
        {"h": (N,), "x": ()},
        ["new", "number"],
    )
    scan = node("Scan", "h0", "xs", "->", "last", "ys", body=inner, num_scan_inputs=1)
    proto = model([scan], {"h0": (N,), "xs": (T,)}, ["last", "ys"])
    places = np.array([2, 0, 1, 1, 0])
    symbol = check(proto, {**feeds(h0=(N,)), "xs": places.astype("float32")})
    assert "_foreach" in [n.op_name for n in symbol.nodes()]
    h = mx.nd.ones((N,))
    h.attach_grad()
    with mx.autograd.record():
        last, _ = mx.onnx.import_to_gluon(proto)(h, mx.nd.array(places))
    last.backward()
    step = [np.eye(N) + np.eye(N)[[place] * N] for place in places]
    np.testing.assert_allclose(h.grad.asnumpy(), np.linalg.multi_dot(step[::-1]).sum(0), rtol=1e-6)


def test_a_body_that_reads_no_data_stays_a_scan():
    inner = body([node("Neg", "h", "->", "new")], {"h": (N,), "x": (N,)}, ["new"])
    scan = node("Scan", "h0", "xs", "->", "last", body=inner, num_scan_inputs=1)
    symbol = check(model([scan], {"h0": (N,), "xs": (T, N)}, ["last"]), feeds(h0=(N,), xs=(T, N)))
    assert [n.op_name for n in symbol.nodes() if not n.is_variable] == ["_onnx_Scan"]


@pytest.mark.parametrize("hybrid", [False, True])
def test_graphs_that_stay_have_their_operands(hybrid):
    """Without the values ONNX Runtime does not tell the shape of a slice."""
    nodes = [node("Slice", "h", "zero", "three", "->", "part"), node("Neg", "part", "->", "new")]
    scan = node("Scan", "h0", "xs", "->", "last", body=body(nodes, {"h": (N,), "x": (N,)}, ["new"]))
    scan.attribute.append(helper.make_attribute("num_scan_inputs", 1))
    values = feeds(h0=(N,), xs=(T, N))
    net = mx.onnx.import_to_gluon(
        model([scan], {"h0": (N,), "xs": (T, N)}, ["last"], zero=np.array([0]), three=np.array([3]))
    )
    net.hybridize(hybrid)
    np.testing.assert_array_equal(net(*map(fed, values.values())).asnumpy(), -values["h0"])
    assert not net.collect_params()


# ---- Loop


def typed(**types: Any) -> list[Any]:
    """Declarations from (element type, shape)."""
    return [helper.make_tensor_value_info(name, *value) for name, value in types.items()]


INT, BOOL, FLOAT = TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT


def loop_body(nodes, variables, outputs, **weights: Any) -> Any:
    """A body with the number of the step `i` and the condition `going`, which gives `more` first."""
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    inputs = typed(i=(INT, ()), going=(BOOL, ()), **{n: (FLOAT, shape) for n, shape in variables.items()})
    results = [*typed(more=(BOOL, ())), *declared(**dict.fromkeys(outputs))]
    return helper.make_graph(nodes, "body", inputs, results, tensors)


def doubling(limit: str = "limit") -> Any:
    """v doubles, and its sine is kept, until the sum of v reaches a limit from outside."""
    nodes = [
        node("Add", "w", "w", "->", "double"),
        node("Sin", "w", "->", "sine"),
        node("ReduceSum", "double", "->", "total", keepdims=0),
        node("Less", "total", limit, "->", "less"),
    ]
    inputs = typed(j=(INT, ()), on=(BOOL, ()), w=(FLOAT, (N,)))
    results = [*typed(less=(BOOL, ())), *declared(double=None, sine=None)]
    return helper.make_graph(nodes, "doubling", inputs, results)


def counting(more: Any, *outputs: str, size: Any = N) -> Any:
    """v grows by the number of the step."""
    return loop_body(
        [
            node("Cast", "i", "->", "number", to=FLOAT),
            node("Add", "v", "number", "->", "new"),
            node("Mul", "new", "number", "->", "y"),
            more,
        ],
        {"v": (size,)},
        ["new", *outputs],
        yes=np.array(True),
    )


def loop_model(nodes, inputs, outputs, **weights: Any) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "main", typed(**inputs), declared(**dict.fromkeys(outputs)), tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


@pytest.mark.parametrize("limit", [-1.0, 2.0, 7.0, 1e6])
@pytest.mark.parametrize("first", [None, True, False])
def test_a_loop_that_its_body_ends(limit, first):
    condition = "" if first is None else "first"
    loop = node("Loop", "most", condition, "v0", "->", "v", "ys", body=doubling())
    constants = {"most": np.array(5), "limit": np.float32(limit)}
    inputs = {"v0": (FLOAT, (N,))} | ({} if first is None else {"first": (BOOL, ())})
    values: dict[str, Any] = {"v0": np.linspace(0.1, 0.3, N, dtype="float32")}
    if first is not None:
        values["first"] = np.array([first])
    proto = loop_model([loop], inputs, ["v", "ys"], **constants)
    if first is not None:
        values["first"] = np.array(first)
    check(proto, values)


@pytest.mark.parametrize("trips", [0, 1, 4])
@pytest.mark.parametrize("more", ["going", "yes"])
def test_a_loop_of_so_many_steps(trips, more):
    loop = node(
        "Loop", "trips", "", "v0", "->", "v", "ys", body=counting(node("Identity", more, "->", "more"), "y")
    )
    inputs = {"v0": (FLOAT, (N,))}
    symbol = check(loop_model([loop], inputs, ["v", "ys"], trips=np.array(trips)), feeds(v0=(N,)))
    masks = [n for n in symbol.get_internals().list_outputs() if "boolean_mask" in n]
    assert bool(masks) == (trips == 0)


@pytest.mark.parametrize("trips", [0, 3])
@pytest.mark.parametrize("first", [True, False])
def test_a_trip_count_and_a_condition_that_are_computed(trips, first):
    nodes = [
        node("Add", "trips", "one", "->", "count"),
        node("Not", "first", "->", "start"),
        node(
            "Loop", "count", "start", "v0", "->", "v",
            body=counting(node("Identity", "going", "->", "more")),
        ),
    ]  # fmt: skip
    inputs = {"trips": (INT, ()), "first": (BOOL, ()), "v0": (FLOAT, (N,))}
    values = {"trips": np.array(trips), "first": np.array(first), **feeds(v0=(N,))}
    check(loop_model(nodes, inputs, ["v"], one=np.array(1)), values)


def operators(symbol: Any) -> list[str]:
    return [n.op_name for n in symbol.nodes() if not n.is_variable]


def slopes(block: Any, x: np.ndarray, others: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The gradient of the sum of all outputs' cosines in the first input, and central differences."""

    def loss(value: np.ndarray) -> Any:
        outputs = block(mx.nd.array(value, dtype="float64"), *map(fed, others))
        return sum(y.cos().sum() for y in (outputs if isinstance(outputs, list) else [outputs]))

    leaf = mx.nd.array(x, dtype="float64")
    leaf.attach_grad()
    with mx.autograd.record():
        outputs = block(leaf, *map(fed, others))
        total = sum(y.cos().sum() for y in (outputs if isinstance(outputs, list) else [outputs]))
    total.backward()
    differences = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = 1e-5
        differences[index] = (loss(x + step).asscalar() - loss(x - step).asscalar()) / 2e-5
    return leaf.grad.asnumpy(), differences


def in_float64(proto: Any) -> Any:
    """The model with float64 in place of float32."""
    text = proto.SerializeToString()
    double = type(proto).FromString(text)

    def change(graph: Any) -> None:
        for info in (*graph.input, *graph.output, *graph.value_info):
            if info.type.tensor_type.elem_type == FLOAT:
                info.type.tensor_type.elem_type = TensorProto.DOUBLE
        for i, tensor in enumerate(graph.initializer):
            if tensor.data_type == FLOAT:
                array = numpy_helper.to_array(tensor).astype("float64")
                graph.initializer[i].CopyFrom(numpy_helper.from_array(array, tensor.name))
        for item in graph.node:
            for attribute in item.attribute:
                if attribute.name == "to" and attribute.i == FLOAT:
                    attribute.i = TensorProto.DOUBLE
                if attribute.HasField("g"):
                    change(attribute.g)

    change(double.graph)
    return double


def unbounded() -> Any:
    """As many steps as the input says, with an output of every step."""
    loop = node(
        "Loop", "trips", "", "v0", "->", "v", "ys", body=counting(node("Identity", "yes", "->", "more"), "y")
    )
    return loop_model([loop], {"v0": (FLOAT, (N,)), "trips": (INT, ())}, ["v", "ys"])


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_outputs_of_every_step_without_a_bound(trips, tmp_path):
    values = {**feeds(v0=(N,)), "trips": np.array(trips)}
    symbol = check(unbounded(), values)
    assert operators(symbol)[-1] == "_open_while_loop"
    net = mx.onnx.import_to_gluon(unbounded())
    mx.onnx.export_model(
        net, str(tmp_path / "m.onnx"), input_shapes=[(N,), ()], in_types=["float32", "int64"]
    )
    again = mx.onnx.import_to_gluon(str(tmp_path / "m.onnx"))
    steps = np.arange(trips)[:, None]
    v = values["v0"] + np.cumsum(steps, axis=0, dtype="float32").reshape(-1, 1)
    for block in (net, again):
        for hybrid in (False, True):
            block.hybridize(hybrid)
            last, ys = (y.asnumpy() for y in block(*map(fed, values.values())))
            np.testing.assert_allclose(ys, v * steps, rtol=1e-5)
            np.testing.assert_allclose(last, v[-1] if trips else values["v0"], rtol=1e-5)


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("trips", [0, 1, 3])
def test_gradients_of_outputs_of_every_step_without_a_bound(trips, hybrid, tmp_path):
    net = mx.onnx.import_to_gluon(in_float64(unbounded()))
    net.hybridize(hybrid)
    gradient, differences = slopes(net, np.linspace(0.1, 0.7, N), [np.array(trips)])
    np.testing.assert_allclose(gradient, differences, atol=1e-8)


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("most", [None, 1 << 62])
def test_training_takes_memory_for_the_steps_alone(most, hybrid):
    """No room is made for the most steps that there may be, which no memory has."""
    nodes = [
        node("Tanh", "v", "->", "new"),
        node("ReduceSum", "new", "->", "total", keepdims=0),
        node("Less", "limit", "total", "->", "more"),
    ]
    wide = 1 << 12
    inner = loop_body(nodes, {"v": (wide,)}, ["new"], limit=np.float32(1500))
    proto = loop_model(
        [node("Loop", "most" if most else "", "yes" if not most else "", "v0", "->", "v", body=inner)],
        {"v0": (FLOAT, (wide,))},
        ["v"],
        **({"most": np.array(most)} if most else {"yes": np.array(True)}),
    )
    net = mx.onnx.import_to_gluon(proto)
    net.hybridize(hybrid)
    value = np.linspace(0.5, 0.9, wide, dtype="float32")
    x = mx.nd.array(value)
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    expected, slope = value.astype("float64"), np.ones(wide)
    while True:
        expected = np.tanh(expected)
        slope = slope * (1 - expected**2)
        if not expected.sum() > 1500:
            break
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-4)
    np.testing.assert_allclose(x.grad.asnumpy(), slope, rtol=1e-3)


def growing(shape: tuple[Any, ...], *declared_shape: Any) -> Any:
    """v gets its tanh below it in each step, times how many rows it has.

    The body may say sizes that hold for the first step alone, which ONNX Runtime believes.
    """
    nodes = [
        node("Shape", "v", "->", "sizes"),
        node("Gather", "sizes", "zero", "->", "rows"),
        node("Cast", "rows", "->", "count", to=FLOAT),
        node("Tanh", "v", "->", "t"),
        node("Mul", "t", "count", "->", "u"),
        node("Concat", "v", "u", "->", "new", axis=0),
        node("Identity", "going", "->", "more"),
    ]
    inner = loop_body(nodes, {"v": declared_shape or None}, ["new"], zero=np.array(0))
    loop = node("Loop", "three", "", "x", "->", "y", body=inner)
    return loop_model([loop], {"x": (FLOAT, shape)}, ["y"], three=np.array(3))


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("shape", [(2, N), ("R", N), ("R", "C")])
@pytest.mark.parametrize("declared_shape", [(), (2, N), ("R", N)])
def test_variables_may_grow(shape, declared_shape, hybrid, tmp_path):
    proto = growing(shape, *declared_shape)
    values = feeds(x=(2, N))
    expected = values["x"]
    for _ in range(3):
        expected = np.concatenate([expected, np.tanh(expected) * len(expected)])
    net = mx.onnx.import_to_gluon(proto)
    path = mx.onnx.export_model(net, str(tmp_path / "m.onnx"), input_shapes=[shape])
    for block in (net, mx.onnx.import_to_gluon(path)):
        block.hybridize(hybrid)
        np.testing.assert_allclose(block(fed(values["x"])).asnumpy(), expected, rtol=1e-4)
    assert operators(from_onnx.import_model(proto)[0])[-1] == "_open_while_loop"


@pytest.mark.parametrize("hybrid", [False, True])
def test_gradients_of_variables_that_grow_are_refused(hybrid):
    net = mx.onnx.import_to_gluon(growing(("R", N)))
    net.hybridize(hybrid)
    x = mx.nd.ones((2, N))
    x.attach_grad()
    with mx.autograd.record(), pytest.raises(MXNetError, match="one shape at every step are required"):
        net(x).backward()


def test_outputs_of_every_step_that_nobody_takes_need_no_bound():
    loop = node(
        "Loop", "trips", "", "v0", "->", "v", body=counting(node("Identity", "yes", "->", "more"), "y")
    )
    inputs = {"trips": (INT, ()), "v0": (FLOAT, (2,))}
    loop.attribute[0].g.input[2].CopyFrom(typed(v=(FLOAT, (2,)))[0])
    symbol = from_onnx.import_model(loop_model([loop], inputs, ["v"]))[0]
    (y,) = symbol.eval(trips=mx.nd.array([3], dtype="int64"), v0=mx.nd.array([1, 2]))
    assert y.asnumpy().tolist() == [4, 5]


# ---- If, and graphs in graphs


def branch(*nodes: Any, outputs: tuple[str, ...] = ("r",), **weights: Any) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    return helper.make_graph(list(nodes), "branch", [], declared(**dict.fromkeys(outputs)), tensors)


@pytest.mark.parametrize("p", [True, False])
def test_branches_take_values_from_outside(p):
    then = branch(
        node("Mul", "x", "k", "->", "r"),
        node("Sin", "y", "->", "s"),
        outputs=("r", "s"),
        k=np.linspace(1, 2, N, dtype="float32"),
    )
    other = branch(
        node("Mul", "y", "k", "->", "r"),
        outputs=("r", "c"),
        c=np.ones(N, "float32"),
        k=np.linspace(3, 5, N, dtype="float32"),
    )
    nodes = [
        node("Neg", "x", "->", "y"),
        node("If", "p", "->", "a", "b", then_branch=then, else_branch=other),
        node("Add", "a", "b", "->", "z"),
    ]
    values = {"p": np.array(p), **feeds(x=(N,))}
    symbol = check(loop_model(nodes, {"p": (BOOL, ()), "x": (FLOAT, (N,))}, ["z", "b"]), values)
    assert len({"k", "k_1", "c"} & set(symbol.list_arguments())) == 3


@pytest.mark.parametrize("p", [True, False])
@pytest.mark.parametrize("limit", [0.5, 20.0])
def test_a_loop_in_a_branch_in_a_loop(p, limit):
    inner = node("Loop", "three", "", "v", "->", "grown", "ys", body=doubling("bound"))
    then = branch(
        inner,
        node("ReduceSum", "ys", "axes", "->", "sums", keepdims=0),
        node("Add", "grown", "sums", "->", "r"),
    )
    other = branch(node("Mul", "v", "x", "->", "r"))
    outer = loop_body(
        [
            node("Mul", "limit", "two", "->", "bound"),
            node("If", "p", "->", "chosen", then_branch=then, else_branch=other),
            node("Tanh", "chosen", "->", "new"),
            node("Identity", "chosen", "->", "y"),
            node("Identity", "going", "->", "more"),
        ],
        {"v": (N,)},
        ["new", "y"],
        two=np.float32(2),
    )
    nodes = [node("Loop", "four", "", "x", "->", "v_last", "all", body=outer)]
    constants = {"three": np.array(3), "four": np.array(4), "axes": np.array([0]), "limit": np.float32(limit)}
    values = {"p": np.array(p), **feeds(x=(N,))}
    proto = loop_model(nodes, {"p": (BOOL, ()), "x": (FLOAT, (N,))}, ["v_last", "all"], **constants)
    check(proto, values)


class Sums(mx.gluon.HybridBlock):
    """A loop in a loop, and one over a vector, of any length."""

    def hybrid_forward(self, F, x, v, s):
        def rows(matrix, state):
            outputs, last = F.contrib.foreach(lambda row, t: (row * t, t + row), matrix, state)
            return F.sum(outputs, axis=0), last * 0.5

        ys, last = F.contrib.foreach(rows, x, s)
        _, total = F.contrib.foreach(lambda part, t: ([], F.broadcast_add(t, part)), v, last)
        return ys, last, total


@pytest.mark.parametrize("hybrid", [False, True])
def test_loops_of_any_length_come_back_as_loops(tmp_path, hybrid):
    shapes = [("outer", "inner", "width"), ("last",), ("width",)]
    path = mx.onnx.export_model(Sums(), str(tmp_path / "m.onnx"), input_shapes=shapes)
    symbol = from_onnx.import_model(path)[0]
    assert '"_cond"' not in symbol.tojson()
    back = mx.onnx.import_to_gluon(path, ctx=mx.cpu())
    back.hybridize(hybrid)
    for outer, inner, last in ((2, 3, 4), (0, 3, 4), (2, 0, 0), (1, 1, 1)):
        x, v, s = values = list(feeds(x=(outer, inner, C), v=(last,), s=(C,)).values())
        expected = []
        for matrix in x:
            expected.append(sum((row * (s + matrix[:i].sum(0)) for i, row in enumerate(matrix)), 0 * s))
            s = (s + matrix.sum(0)) * 0.5
        ys, state, total = [y.asnumpy() for y in back(*map(mx.nd.array, values))]
        np.testing.assert_allclose(ys, np.reshape(expected, (outer, C)), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(state, s, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(total, s + v.sum(), rtol=1e-4, atol=1e-5)


def test_a_branch_that_a_loop_of_no_steps_would_not_give_stays():
    """The first state negated for a length of 0."""
    inner = body([node("Add", "h", "x", "->", "new")], {"h": (C,), "x": (C,)}, ["new"])
    loop = branch(node("Scan", "h0", "xs", "->", "r", body=inner, num_scan_inputs=1))
    empty = branch(node("Neg", "h0", "->", "r"))
    nodes = [
        node("Shape", "xs", "->", "shape"),
        node("Slice", "shape", "zero", "one", "->", "length"),
        node("Equal", "length", "zero", "->", "none"),
        node("If", "none", "->", "z", then_branch=empty, else_branch=loop),
    ]
    constants = {"zero": np.array([0]), "one": np.array([1])}
    proto = loop_model(nodes, {"h0": (FLOAT, (C,)), "xs": (FLOAT, ("T", C))}, ["z"], **constants)
    assert '"_cond"' in check(proto, feeds(h0=(C,), xs=(0, C))).tojson()
    check(proto, feeds(h0=(C,), xs=(2, C)))


@pytest.mark.parametrize("name", control_graphs.GRAPHS)
def test_what_is_exported_comes_back_and_can_be_trained(name, tmp_path):
    values = control_graphs.inputs(name)
    path = mx.onnx.export_model(
        control_graphs.symbol(mx, name),
        {},
        [v.shape for v in values.values()],
        onnx_file_path=str(tmp_path / "m.onnx"),
    )
    symbol, arguments, _ = from_onnx.import_model(path)
    stored = np.load(Path(__file__).parent / "oracle" / "control.npz")
    results = control_graphs.computed(
        mx, symbol, {**values, **{k: v.asnumpy() for k, v in arguments.items()}}
    )
    keys = [key for key in results if key.startswith("output") or key.removeprefix("gradient of ") in values]
    assert len(keys) > len(values)
    for key in keys:
        expected = stored[f"{name}.{key}"]
        np.testing.assert_allclose(results[key], expected, rtol=1e-4, atol=1e-5, err_msg=key)


# ---- blocks


class Net(mx.gluon.HybridBlock):
    """Two cells over a sequence, by foreach."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = mx.gluon.nn.Dense(C, flatten=False, in_units=C)

    def hybrid_forward(self, F, x, h):
        def step(part, state):
            new = F.tanh(self.dense(part) + state * 0.5)
            return new * 2, new

        ys, last = F.contrib.foreach(step, x, h)
        return F.concat(ys, F.expand_dims(last, axis=0), dim=0)


def test_foreach_comes_back_and_can_be_trained(tmp_path):
    net = Net()
    net.initialize()
    net.hybridize()
    x, h = (mx.nd.array(value) for value in feeds(x=(T, N, C), h=(N, C)).values())
    expected = net(x, h)
    net.export(str(tmp_path / "m"))
    mx.onnx.export_model(
        str(tmp_path / "m-symbol.json"),
        str(tmp_path / "m-0000.params"),
        [x.shape, h.shape],
        np.float32,
        str(tmp_path / "m.onnx"),
    )
    back = mx.onnx.import_to_gluon(str(tmp_path / "m.onnx"), ctx=mx.cpu())
    grads = []
    for block in (net, back):
        with mx.autograd.record():
            y = block(x, h)
            y.square().sum().backward()
        np.testing.assert_allclose(y.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
        grads.append({p.shape: p.grad().asnumpy() for p in block.collect_params().values()})
    assert grads[0].keys() == grads[1].keys() == {(C, C), (C,)}
    for shape, grad in grads[0].items():
        np.testing.assert_allclose(grads[1][shape], grad, rtol=1e-4, atol=1e-5)


# ---- in real MXNet

MXNETS = """
import sys
import mxnet as mx, numpy as np
folder = sys.argv[1]
with mx.util.np_shape(True):
    given = np.load(folder + "/given.npz")
    names = list(given.keys())
    net = mx.gluon.SymbolBlock.imports(folder + "/net-symbol.json", names, folder + "/net-0000.params")
    net.hybridize()
    print(net(*[mx.nd.array(given[name], dtype=given[name].dtype) for name in names]).asnumpy().tolist())
"""
IN_MXNET = {
    "If": (
        """(float[3] x, bool c) => (float[3] y) {
            y = If (c) <
                then_branch = a () => (float[3] u) { u = Mul (x, x) },
                else_branch = b () => (float[3] v) { v = Neg (x) }>
        }""",
        {"x": np.array([1, -2, 3], "float32"), "c": np.array(True)},
        [1.0, 4.0, 9.0],
    ),
    "Loop": (
        """(float[3] x) => (float[3] y) {
            on = Constant <value = bool {1}> ()
            n = Constant <value_int = 8> ()
            y = Loop (n, on, x) <body = b (int64 i, bool c, float[3] s) => (bool d, float[3] t) {
                t = Add (s, s)
                most = ReduceMax <keepdims = 0> (t)
                limit = Constant <value_float = 10.0> ()
                d = Less (most, limit)
            }>
        }""",
        {"x": np.array([1, -2, 3], "float32")},
        [4.0, -8.0, 12.0],
    ),
    "Scan": (
        """(float[2] h, float[T, 2] x) => (float[2] y) {
            y = Scan (h, x) <num_scan_inputs = 1, body = b (float[2] s, float[2] v) => (float[2] t) {
                p = Mul (s, v)
                t = Add (p, v)
            }>
        }""",
        {"h": np.array([1, 2], "float32"), "x": np.array([[1, 2], [3, 4]], "float32")},
        [9.0, 28.0],
    ),
}


@pytest.mark.oracle
@pytest.mark.parametrize("title", IN_MXNET)
def test_mxnet_runs_the_files_of_imported_control_flow(title, oracle, tmp_path):
    text, given, expected = IN_MXNET[title]
    net = mx.onnx.import_to_gluon(parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> main {text}'))
    arrays = [mx.nd.array(value, dtype=value.dtype) for value in given.values()]
    assert net(*arrays).asnumpy().tolist() == expected
    net.export(str(tmp_path / "net"))
    np.savez(tmp_path / "given.npz", **given)
    command = [oracle, "-W", "ignore", "-c", MXNETS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.strip() == str(expected), done.stderr
