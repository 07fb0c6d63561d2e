"""What goes wrong is said: what was required, what was given, and where."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import gluon, nd, sym
from hybridonnx.gluon import nn


def notes(raised) -> str:
    """The error's text with the notes that a traceback shows below it."""
    return "\n".join([str(raised.value), *getattr(raised.value, "__notes__", ())])


def chain():
    """data, exp called `first`, FullyConnected called `second`."""
    first = sym.exp(sym.var("data"), name="first")
    return sym.FullyConnected(first, num_hidden=4, name="second")


# ---- operators and attributes


@pytest.mark.parametrize("space", [nd, sym])
def test_missing_operator(space):
    with pytest.raises(mx.MXNetError, match="Convolutoin") as raised:
        space.Convolutoin(None)
    assert isinstance(raised.value, AttributeError)
    assert "Convolution" in str(raised.value)


def test_missing_operator_in_a_file_names_the_node():
    text = chain().tojson().replace('"op": "exp"', '"op": "expp"')
    graph = sym.load_json(text)
    assert graph.list_arguments() == ["data", "second_weight", "second_bias"]
    with pytest.raises(mx.MXNetError, match="expp") as raised:
        graph.infer_shape(data=(2, 3))
    assert "first" in notes(raised)
    with pytest.raises(mx.MXNetError, match="expp") as raised:
        graph.eval(data=nd.ones((2, 3)), second_weight=nd.ones((4, 3)), second_bias=nd.ones((4,)))
    assert "first" in notes(raised)


@pytest.mark.parametrize("space", [nd, sym])
def test_unknown_attribute(space):
    x = nd.ones((2, 3)) if space is nd else sym.var("x")
    with pytest.raises(mx.MXNetError, match=r"FullyConnected.*num_hiden.*num_hidden"):
        space.FullyConnected(x, x, num_hiden=3)


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"num_hidden": "many"}, "num_hidden must be an integer, got 'many'"),
        ({"num_hidden": 3, "flatten": 2}, "flatten must be True or False, got 2"),
        ({}, "num_hidden is required"),
    ],
)
def test_bad_attribute(attributes, words):
    with pytest.raises(mx.MXNetError, match=f"FullyConnected.*{words}"):
        nd.FullyConnected(nd.ones((2, 3)), nd.ones((3, 3)), no_bias=True, **attributes)


@pytest.mark.parametrize(
    ("name", "attributes", "words"),
    [
        ("Pooling", {"kernel": (2, 2), "pool_type": "maximum"}, "pool_type.*'max'.*'maximum'"),
        ("Convolution", {"kernel": "(3, x)", "num_filter": 2}, r"kernel.*tuple of integers.*\(3, x\)"),
        ("Activation", {"act_type": "gelu"}, "act_type.*'relu'.*'gelu'"),
        ("Cast", {"dtype": "float31"}, "dtype.*float32.*float31"),
    ],
)
def test_bad_value(name, attributes, words):
    inputs = [nd.ones((1, 3, 8, 8))]
    with pytest.raises(mx.MXNetError, match=f"(?s){name}.*{words}"):
        getattr(nd, name)(*inputs, **attributes)


def test_wrong_number_of_inputs():
    x = nd.ones((2, 3))
    with pytest.raises(mx.MXNetError, match=r"FullyConnected.*data, weight, bias are required.*data, weight"):
        nd.FullyConnected(x, nd.ones((4, 3)), num_hidden=4)
    with pytest.raises(mx.MXNetError, match="FullyConnected"):
        nd.FullyConnected(x, nd.ones((4, 3)), nd.ones((4,)), num_hidden=4, no_bias=True)
    with pytest.raises(mx.MXNetError, match=r"Concat.*num_args is 3.*2 inputs"):
        nd.Concat(x, x, num_args=3)
    with pytest.raises(mx.MXNetError, match=r"dot: at most 2 inputs.*lhs, rhs.*got 3"):
        nd.dot(x, x, x)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("Convolution: at most 3 inputs", lambda F, x: F.Convolution(x, x, x, x, kernel=(1,), num_filter=1)),
        ("sum: at most 4 positional arguments", lambda F, x: F.sum(x, 1, True, False, None, None, 1, 2)),
        ("sum: axis is given twice", lambda F, x: F.sum(x, 1, axis=1)),
        ("exp: data is given twice", lambda F, x: F.exp(x, data=x)),
        ("exp: name is given twice", lambda F, x: F.exp(*_before_name(F, x), "a", name="b")),
    ],
)
@pytest.mark.parametrize("F", [mx.nd, mx.sym], ids=["nd", "sym"])
def test_what_has_no_place_in_a_call(F, message, call):
    """MXNet raises TypeError."""
    with pytest.raises(TypeError, match=message) as refusal:
        call(F, nd.ones((2, 3)) if F is mx.nd else mx.sym.var("x"))
    assert isinstance(refusal.value, mx.MXNetError)


def _before_name(F, x):
    """The positional arguments of exp before its name."""
    return (x, None) if F is mx.nd else (x,)


def test_out_and_name_by_position():
    """As in MXNet they stand behind the attributes: out and name of arrays, name and attr of symbols."""
    x, y = nd.array([[1, 2], [3, 4]]), nd.zeros((2,))
    assert nd.sum(x, 1, False, False, y, "total") is y
    np.testing.assert_array_equal(y.asnumpy(), [3, 7])
    assert nd.exp(x, x) is x
    np.testing.assert_allclose(x.asnumpy(), np.exp([[1, 2], [3, 4]]), rtol=1e-6)
    symbol = mx.sym.sum(mx.sym.var("x"), 1, False, False, "total", {"__a__": "b"})
    assert (symbol.name, symbol.attr("__a__")) == ("total", "b")


def test_array_where_a_number_stands():
    with pytest.raises(mx.MXNetError, match=r"relu.*data must be an array"):
        nd.relu(3.0)


# ---- shapes


def test_shape_mismatch():
    with pytest.raises(
        mx.MXNetError, match=r"FullyConnected: weight of shape \(4, 3\) is required, got \(4, 7\)"
    ):
        nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 7)), nd.ones((4,)), num_hidden=4)
    with pytest.raises(mx.MXNetError, match=r"broadcast_add.*\(2, 3\).*\(4,\)"):
        nd.ones((2, 3)) + nd.ones((4,))
    with pytest.raises(mx.MXNetError, match=r"elemwise_add.*\(2, 3\).*\(3,\).*broadcast_add"):
        nd.elemwise_add(nd.ones((2, 3)), nd.ones((3,)))


def test_shape_mismatch_in_a_graph_names_the_node():
    with pytest.raises(mx.MXNetError, match="FullyConnected") as raised:
        chain().infer_shape(data=(2, 3), second_weight=(4, 7))
    assert "second" in notes(raised)


def test_shape_mismatch_in_a_hybridized_block_names_the_node():
    net = nn.Dense(3, in_units=4, prefix="dense_")
    net.initialize()
    for hybridize in (False, True):
        net.hybridize(hybridize)
        with pytest.raises(mx.MXNetError, match=r"FullyConnected.*\(3, 5\).*\(3, 4\)") as raised:
            net(nd.ones((2, 5)))
        assert not hybridize or "dense_fwd" in notes(raised)


# ---- parameters


def test_uninitialized_parameter():
    net = nn.Dense(3, in_units=4, prefix="fc_")
    with pytest.raises(RuntimeError, match=r"Parameter 'fc_weight' has not been initialized.*initialize"):
        net(nd.ones((2, 4)))
    net.hybridize()
    with pytest.raises(mx.MXNetError, match="Parameter 'fc_weight' has not been initialized"):
        net(nd.ones((2, 4)))


def test_deferred_parameter():
    net = nn.Dense(3, prefix="fc_")
    net.initialize()
    with pytest.raises(gluon.parameter.DeferredInitializationError, match="fc_weight"):
        net.weight.data()
    net(nd.ones((2, 4)))
    assert net.weight.data().shape == (3, 4)


def test_parameter_of_impossible_shape():
    with pytest.raises(ValueError, match=r"'p'.*invalid shape: \(0, 2\)"):
        gluon.Parameter("p", shape=(0, 2)).initialize()


# ---- files


def exported(folder):
    net = nn.Dense(3, in_units=4)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 4)))
    return net.export(str(folder / "net"))


def test_truncated_files(tmp_path):
    for path in exported(tmp_path):
        with open(path, "rb") as file:
            whole = file.read()
        with open(path, "wb") as file:
            file.write(whole[: len(whole) // 2])
        load = sym.load if path.endswith(".json") else nd.load
        with pytest.raises(mx.MXNetError):
            load(path)


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"\x80\x04\x95pickle", b"{}", b"[1, 2]", bytes(200)])
def test_foreign_files(tmp_path, content):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    for load in (sym.load, nd.load, lambda p: mx.onnx.import_model(p)):
        with pytest.raises(mx.MXNetError) as raised:
            load(str(path))
        assert len(str(raised.value)) > 20


def test_parameters_of_another_model(tmp_path):
    symbol_file, _ = exported(tmp_path)
    nd.save(str(tmp_path / "other.params"), {"arg:other": nd.ones((2,))})
    with pytest.raises(AssertionError, match=r"is missing in file.*other"):
        gluon.SymbolBlock.imports(symbol_file, ["data"], str(tmp_path / "other.params"))


def test_input_that_the_graph_lacks(tmp_path):
    symbol_file, params_file = exported(tmp_path)
    with pytest.raises(mx.MXNetError, match=r"dataa.*Did you mean data"):
        gluon.SymbolBlock.imports(symbol_file, ["dataa"], params_file)


# ---- ONNX


def test_everything_that_onnx_lacks_is_named_at_once():
    text = (
        chain()
        .tojson()
        .replace('"op": "exp"', '"op": "expp"')
        .replace('"op": "FullyConnected"', '"op": "Fully"')
    )
    graph = sym.load_json(text)
    params = {"second_weight": nd.ones((4, 3)), "second_bias": nd.ones((4,))}
    with pytest.raises(mx.MXNetError) as raised:
        mx.onnx.export_model(graph, params, [(2, 3)], np.float32, "never.onnx")
    for word in ("expp", "first", "Fully", "second"):
        assert word in notes(raised)
