"""Sequences in ONNX models: where their tensors are known, MXNet's operators say the rest, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import parser

import hybridonnx as mx
from hybridonnx.errors import MXNetError

APPEND = """
    trips = Constant <value_int = 3> ()
    yes = Constant <value = bool {1}> ()
    %s
    v, s = Loop (trips, yes, x, e) <body = step (int64 i, bool c, double[R, 3] a, seq(double) q)
        => (bool d, double[R, 3] b, seq(double) r) {
        d = Identity (c)
        b = Sin (a)
        %s
    }>
"""
ROWS = "r = SequenceInsert (q, b)"
EMPTY = "e = SequenceEmpty <dtype = 11> ()"
TWO = "e = SequenceConstruct (x, x)"
"""A loop that adds a tensor to a sequence in each step."""
PARTS = """
    sizes = Constant <value = int64[2] {1, 2}> ()
    s = SplitToSequence <axis = 1> (x, sizes)
"""
THREE = """
    t = Tanh (x)
    u = Exp (x)
    s = SequenceConstruct (x, t, u)
"""


def at(position: int, sequence: str = "s", output: str = "y") -> str:
    return f"""
    p{output} = Constant <value = int64 {{{position}}}> ()
    {output} = SequenceAt ({sequence}, p{output})"""


def concat(axis: int, new_axis: int = 0) -> str:
    return f"y = ConcatFromSequence <axis = {axis}, new_axis = {new_axis}> (s)"


KNOWN = {
    "parts": PARTS + at(1),
    "parts from the end": PARTS + at(-2),
    "parts of one size": """
    two = Constant <value_int = 2> ()
    s = SplitToSequence <axis = 1> (x, two)"""
    + at(-1),
    "columns": "s = SplitToSequence <axis = -1, keepdims = 0> (x)" + at(2),
    "kept columns": "s = SplitToSequence <axis = 1> (x)" + at(0),
    "parts of computed sizes": """
    one = Constant <value = int64[1] {1}> ()
    most = ReduceMax <keepdims = 0> (x)
    zero = Constant <value = double {0.0}> ()
    none = Mul (most, zero)
    nothing = Cast <to = 7> (none)
    first = Add (one, nothing)
    two = Constant <value = int64[1] {2}> ()
    sizes = Concat <axis = 0> (first, two)
    s = SplitToSequence <axis = 1> (x, sizes)"""
    + at(1),
    "joined": THREE + concat(0),
    "joined along the last axis": THREE + concat(-1),
    "stacked": THREE + concat(0, 1),
    "stacked along the last axis": THREE + concat(-1, 1),
    "inserted": THREE
    + """
    f = SequenceInsert (s, u)
    m = Constant <value_int = -1> ()
    g = SequenceInsert (f, t, m)
    z = Constant <value_int = 0> ()
    h = SequenceErase (g, z)
    k = SequenceErase (h)
    y = ConcatFromSequence <axis = 1> (k)""",
    "begun with nothing": """
    n = SequenceEmpty <dtype = 11> ()
    f = SequenceInsert (n, x)
    s = Identity (f)"""
    + at(0),
    "counted": THREE
    + """
    n = SequenceLength (s)
    m = Cast <to = 11> (n)
    y = Mul (x, m)""",
    "mapped": THREE
    + """
    q = SequenceConstruct (t, x, t)
    m, o = SequenceMap (s, q, u) <body = each (double[R, 3] a, double[R, 3] b, double[R, 3] c)
        => (double[R, 3] d, double[R, 3] e) {
        ab = Mul (a, b)
        d = Add (ab, c)
        e = Sub (ab, c)
    }>
    j = ConcatFromSequence <axis = 0> (m)"""
    + at(1, "o", "k")
    + """
    y = Concat <axis = 0> (j, k)""",
}
KNOWN["optional"] = """
    t = Tanh (x)
    a = Optional (t)
    s = SequenceConstruct (t, x)
    b = Optional (s)
    h = OptionalHasElement (b)
    u = OptionalGetElement (a)
    v = OptionalGetElement (b)
    w = ConcatFromSequence <axis = 1> (v)
    y = If (h) <then_branch = yes () => (double[R, 6] z) { z = Concat <axis = 1> (u, x) },
        else_branch = no () => (double[R, 6] z) { z = Identity (w) }>
"""
LOOK_UP = """
    zero = Constant <value = int64[1] {0}> ()
    trips = Constant <value_int = 3> ()
    yes = Constant <value = bool {1}> ()
    %s
    w, y = Loop (trips, yes, x) <body = step (int64 i, bool c, double[R, 3] a)
        => (bool d, double[R, 3] b, double[R, 3] o) {
        d = Identity (c)
        part = SequenceAt (s, i)
        b = Mul (a, part)
        o = If (c) <then_branch = yes () => (double[R, 3] p) {
            m = Neg (i)
            one = Constant <value_int = 1> ()
            n = Sub (m, one)
            last = SequenceAt (s, n)
            p = Mul (b, last)
        }, else_branch = no () => (double[R, 3] p) { p = Sin (b) }>
    }>
"""
KNOWN["looked up in a loop"] = LOOK_UP % THREE
KNOWN["parts looked up in a loop"] = LOOK_UP % "s = SplitToSequence <axis = 1> (x)"
KNOWN["looked up at a computed place"] = (
    THREE + "n = SequenceLength (s) one = Constant <value_int = 1> () m = Sub (n, one) y = SequenceAt (s, m)"
)
KNOWN["looked up with what loops made"] = LOOK_UP % (
    APPEND.split("%s")[0].replace("trips", "four").replace("yes", "on")
    + APPEND[APPEND.index("v, s =") :].replace("trips, yes, x, e", "four, on, x, e")
    % "r = SequenceInsert (q, b)"
).replace("v, s =", "e = SequenceEmpty <dtype = 11> () v, s =")
LOOPS = {
    "stacked": (EMPTY, ROWS, concat(0, 1)),
    "stacked behind others": (TWO, ROWS, concat(0, 1)),
    "stacked along another axis": (EMPTY, ROWS, concat(1, 1)),
    "stacked behind others along the last axis": (TWO, ROWS, concat(-1, 1)),
    "joined along the second axis": (EMPTY, ROWS, concat(1)),
    "joined behind others": (TWO, ROWS, concat(-1)),
    "joined along an axis of one": (
        EMPTY,
        "m = ReduceSum <keepdims = 1> (b, zero) r = SequenceInsert (q, m)",
        concat(0),
    ),
    "one of them": (EMPTY, "m = ReduceSum <keepdims = 0> (b) r = SequenceInsert (q, m)", at(-2)),
    "one before them": (TWO, ROWS, at(1)),
    "counted": (
        TWO,
        ROWS,
        "n = SequenceLength (s) m = Cast <to = 11> (n) y = Mul (x, m)",
    ),
}
PROGRAMS = {
    **KNOWN,
    **{
        f"loop: {name}": "zero = Constant <value = int64[1] {0}> ()" + APPEND % (first, body) + rest
        for name, (first, body, rest) in LOOPS.items()
    },
}


def model(program: str, rows: Any = "R", outputs: str = "double[A, B] y", opset: int = 18) -> Any:
    head = f'<ir_version: 8, opset_import: ["" : {opset}]> main (double[{rows}, 3] x) => ({outputs})'
    return parser.parse_model(f"{head} {{ {program} }}")


def inferred(proto: Any) -> Any:
    """The model whose outputs have any shape."""
    for output in proto.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    return proto


def expected(proto: Any, x: np.ndarray) -> Any:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(proto.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, {"x": x})


def operators(net: Any) -> list[str]:
    return [node.op_name for node in net._graph[1].nodes() if not node.is_variable]


def data() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(2, 3))


def array(x: np.ndarray) -> Any:
    return mx.nd.array(x, dtype="float64")


@pytest.mark.parametrize("rows", [2, "R"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_tensors_in_place_of_sequences(name, rows, tmp_path):
    proto = inferred(model(PROGRAMS[name], rows))
    net = mx.onnx.import_to_gluon(proto)
    assert not [op for op in operators(net) if "Sequence" in op or op == "_onnx_Loop"], operators(net)
    again = str(tmp_path / "m.onnx")
    mx.onnx.export_model(net, again, input_shapes=[(rows, 3)], in_types="float64")
    for x in (data(), data()[:1], np.concatenate([data()] * 2)) if rows == "R" else (data(),):
        (y,) = expected(proto, x)
        for hybrid in (False, True):
            net.hybridize(hybrid)
            own = net(array(x)).asnumpy()
            assert own.shape == y.shape
            np.testing.assert_allclose(own, y, rtol=1e-12)
        np.testing.assert_allclose(expected(again_model(again), x)[0], y, rtol=1e-12)


def again_model(path: str) -> Any:
    import onnx

    return onnx.load(path)


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_through_sequences(name, hybrid):
    net = mx.onnx.import_to_gluon(inferred(model(PROGRAMS[name])))
    net.hybridize(hybrid)
    x = array(data())
    x.attach_grad()
    with mx.autograd.record():
        loss = net(x).cos().sum()
    loss.backward()
    differences = np.zeros_like(data())
    for index in np.ndindex(differences.shape):
        step = np.zeros_like(differences)
        step[index] = 1e-6
        losses = [net(array(data() + sign * step)).cos().sum().asscalar() for sign in (1, -1)]
        differences[index] = (losses[0] - losses[1]) / 2e-6
    np.testing.assert_allclose(x.grad.asnumpy(), differences, atol=1e-8)


@pytest.mark.parametrize("opset", [11, 12])
def test_axes_that_are_attributes(opset):
    programs = (
        THREE + concat(-1, 1),
        "s = SplitToSequence <axis = 1, keepdims = 0> (x)" + at(1),
        PARTS + at(0),
    )
    for program in programs:
        proto = inferred(model(program, opset=opset))
        net = mx.onnx.import_to_gluon(proto)
        assert not [op for op in operators(net) if "Sequence" in op]
        np.testing.assert_allclose(net(array(data())).asnumpy(), expected(proto, data())[0], rtol=1e-12)


def test_a_sequence_that_is_an_output_stays_beside_its_tensors():
    proto = inferred(model(PARTS + at(1), outputs="double[A, B] y, seq(double) s"))
    net = mx.onnx.import_to_gluon(proto)
    y, parts = net(array(data()))
    own, others = expected(proto, data())
    np.testing.assert_allclose(y.asnumpy(), own)
    assert [np.asarray(p).shape for p in parts] == [p.shape for p in others] == [(2, 1), (2, 2)]
    assert "_onnx_SequenceAt" not in operators(net)


STAYING = {
    "parts of other lengths": (
        EMPTY,
        """one = Constant <value = int64[1] {1}> ()
        j = Reshape (i, one)
        k = Add (j, one)
        z = Sub (one, one)
        m = Slice (b, z, k, z)
        r = SequenceInsert (q, m)""",
        concat(0),
    ),
    "put first": (EMPTY, "z = Constant <value_int = 0> () r = SequenceInsert (q, b, z)", concat(0, 1)),
    "read inside": (
        TWO,
        """z = Constant <value_int = -1> ()
        l = SequenceAt (q, z)
        m = Add (l, b)
        r = SequenceInsert (q, m)""",
        concat(0, 1),
    ),
    "one of them by a computed place": (
        TWO,
        ROWS,
        "n = SequenceLength (s) one = Constant <value_int = 1> () m = Sub (n, one) y = SequenceAt (s, m)",
    ),
}


@pytest.mark.parametrize("name", STAYING)
def test_sequences_whose_tensors_are_not_known_stay(name):
    first, body, rest = STAYING[name]
    proto = inferred(model(APPEND % (first, body) + rest))
    net = mx.onnx.import_to_gluon(proto)
    assert "_onnx_Loop" in operators(net)
    for hybrid in (False, True):
        net.hybridize(hybrid)
        np.testing.assert_allclose(net(array(data())).asnumpy(), expected(proto, data())[0], rtol=1e-12)
    x = array(data())
    x.attach_grad()
    with mx.autograd.record(), pytest.raises(MXNetError, match="no gradient rule, as sequences"):
        net(x).backward()


@pytest.mark.parametrize(
    "program", [THREE + at(3), THREE + at(-4), "s = SequenceEmpty <dtype = 11> ()" + concat(0)]
)
def test_places_that_are_not_there_are_refused_by_onnx_runtime(program):
    net = mx.onnx.import_to_gluon(inferred(model(program)))
    with pytest.raises(MXNetError):
        net(array(data())).asnumpy()
