"""Symbols: how they are composed, named and listed, and what they refuse. Expected values are MXNet's."""

from __future__ import annotations

import copy
import gc
import json

import numpy as np
import pytest

import hybridonnx.symbol as sym
from hybridonnx.attribute import AttrScope
from hybridonnx.errors import (
    AttributeValueError,
    MXNetError,
    NotImplementedForSymbol,
    UnknownOperatorError,
)
from hybridonnx.name import NameManager, Prefix
from hybridonnx.symbol.everything import F
from hybridonnx.symbol.symbol import Broadcasting


@pytest.fixture(autouse=True)
def names():
    """Names are counted from 0 in each test."""
    with NameManager() as manager:
        yield manager


@pytest.fixture
def a():
    return sym.var("a")


@pytest.fixture
def b():
    return sym.var("b")


@pytest.fixture
def net(a):
    return sym.FullyConnected(a, num_hidden=3, name="fc")


def head(symbol):
    """The operator, name and attributes of a symbol's node as a file has them."""
    node = json.loads(symbol.tojson())["nodes"][-1]
    return node["op"], node["name"], node.get("attrs", {})


# ---- arithmetic

ARITHMETIC = [
    (lambda a, b: a + b, "elemwise_add", "_plus0", None),
    (lambda a, b: a - b, "elemwise_sub", "_minus0", None),
    (lambda a, b: a * b, "elemwise_mul", "_mul0", None),
    (lambda a, b: a / b, "elemwise_div", "_div0", None),
    (lambda a, b: a % b, "_mod", "_mod0", None),
    (lambda a, b: a**b, "_power", "_power0", None),
    (lambda a, b: a == b, "_equal", "_equal0", None),
    (lambda a, b: a != b, "_not_equal", "_not_equal0", None),
    (lambda a, b: a > b, "_greater", "_greater0", None),
    (lambda a, b: a >= b, "_greater_equal", "_greater_equal0", None),
    (lambda a, b: a < b, "_lesser", "_lesser0", None),
    (lambda a, b: a <= b, "_lesser_equal", "_lesser_equal0", None),
    (lambda a, b: a + 1, "_plus_scalar", "_plusscalar0", "1"),
    (lambda a, b: 1.5 + a, "_plus_scalar", "_plusscalar0", "1.5"),
    (lambda a, b: a - 1, "_minus_scalar", "_minusscalar0", "1"),
    (lambda a, b: 1 - a, "_rminus_scalar", "_rminusscalar0", "1"),
    (lambda a, b: a * 1e-5, "_mul_scalar", "_mulscalar0", "1e-05"),
    (lambda a, b: 1e20 * a, "_mul_scalar", "_mulscalar0", "1e+20"),
    (lambda a, b: a / np.float32(0.1), "_div_scalar", "_divscalar0", "0.1"),
    (lambda a, b: 2 / a, "_rdiv_scalar", "_rdivscalar0", "2"),
    (lambda a, b: a % np.int64(2), "_mod_scalar", "_modscalar0", "2"),
    (lambda a, b: 2 % a, "_rmod_scalar", "_rmodscalar0", "2"),
    (lambda a, b: a**2, "_power_scalar", "_powerscalar0", "2"),
    (lambda a, b: 2**a, "_rpower_scalar", "_rpower_scalar0", "2"),
    (lambda a, b: -a, "_mul_scalar", "_mulscalar0", "-1.0"),
    (lambda a, b: abs(a), "abs", "abs0", None),
    (lambda a, b: np.float64(2) * a, "_mul_scalar", "_mulscalar0", "2.0"),
    (lambda a, b: a == 1, "_equal_scalar", "_equal_scalar0", "1"),
    (lambda a, b: 1 < a, "_greater_scalar", "_greater_scalar0", "1"),  # noqa: SIM300
    (lambda a, b: 1 >= a, "_lesser_equal_scalar", "_lesser_equal_scalar0", "1"),  # noqa: SIM300
    (lambda a, b: sym.maximum(a, b), "_maximum", "_maximum0", None),
    (lambda a, b: sym.maximum(2, a), "_maximum_scalar", "_maximumscalar0", "2"),
    (lambda a, b: sym.minimum(a, 2), "_minimum_scalar", "_minimumscalar0", "2"),
    (lambda a, b: sym.hypot(3, a), "_hypot_scalar", "_hypotscalar0", "3"),
    (lambda a, b: sym.power(2, a), "_rpower_scalar", "_rpowerscalar0", "2"),
    (lambda a, b: sym.pow(a, b), "_power", "_power0", None),
]


@pytest.mark.parametrize(("compute", "op", "name", "scalar"), ARITHMETIC)
def test_arithmetic(compute, op, name, scalar, a, b):
    assert head(compute(a, b)) == (op, name, {} if scalar is None else {"scalar": scalar})


@pytest.mark.parametrize("stranger", [None, "x", [1], np.ones(2)])
def test_arithmetic_takes_symbols_and_numbers_only(a, stranger):
    for compute in (lambda: a + stranger, lambda: stranger * a, lambda: a == stranger):
        with pytest.raises(TypeError, match="symbols and numbers"):
            compute()


def test_choices_of_two_numbers_are_numbers():
    assert (sym.maximum(1, 2), sym.minimum(1, 2), sym.hypot(3, 4), sym.power(2, 3)) == (2, 1, 5, 8)


def test_broadcasting_symbols_pass_it_on(a, b):
    wide = Broadcasting(a.outputs)
    for value in (wide + b, b + wide, sym.relu(wide) - b, wide * b, b < wide):
        assert isinstance(value, Broadcasting)
        assert head(value)[0].startswith("broadcast_")
    assert head(wide * 2)[0] == "_mul_scalar"
    assert not isinstance(a + b, Broadcasting)


# ---- names


def test_names_come_from_the_function_that_was_called(a):
    assert [sym.flatten(a).name, sym.Flatten(a).name] == ["flatten0", "flatten1"]
    assert sym.stop_gradient(a).name == "stop_gradient0"
    assert sym.Cast(a, dtype="int8").name == "cast0"
    assert a.astype("int8").name == "cast1"
    assert sym.random.uniform().name == "_random_uniform0"
    assert sym.random_uniform().name == "random_uniform0"
    assert sym.random.uniform_like(a).name == "uniform_like0"
    assert sym.contrib.index_array(a).name == "index_array0"
    assert sym.zeros((2,)).name == "_zeros0"


def test_operators_keep_the_name_that_files_use(a):
    assert [head(sym.flatten(a))[0], head(sym.stop_gradient(a))[0]] == ["Flatten", "BlockGrad"]


def test_prefixes_stand_before_operators_not_variables(a):
    with Prefix("p_"):
        assert sym.relu(a).name == "p_relu0"
        assert sym.relu(a, name="mine").name == "p_mine"
        assert (a + 1).name == "p__plusscalar0"
        assert sym.var("q").name == "q"
    assert sym.relu(a).name == "relu0"
    assert NameManager.current.get(None, "relu") == "relu1"


# ---- composition


def test_inputs_left_out_become_variables(a):
    assert sym.FullyConnected(a, num_hidden=3, name="f").list_inputs() == ["a", "f_weight", "f_bias"]
    assert sym.FullyConnected(a, num_hidden=3, no_bias=True, name="f").list_inputs() == ["a", "f_weight"]
    assert sym.relu().list_inputs() == ["relu0_data"]
    assert sym.SoftmaxOutput(a, name="softmax").list_inputs() == ["a", "softmax_label"]
    assert sym.LeakyReLU(a, act_type="prelu", name="p").list_inputs() == ["a", "p_gamma"]


def test_made_variables_inherit_attributes(a):
    net = sym.BatchNorm(a, eps=0.1, name="bn")
    assert net.attr_dict()["bn_gamma"] == {"eps": "0.1"}
    assert net.attr_dict()["bn_moving_var"] == {"eps": "0.1", "__init__": '["one", {}]'}


def test_given_variables_learn_their_initializer(a):
    gamma, own = sym.var("g"), sym.var("h", init="zeros")
    sym.LeakyReLU(a, gamma, act_type="prelu")
    sym.LeakyReLU(a, own, act_type="prelu")
    assert gamma.attr("__init__") == '["Constant", {"value": 0.25}]'
    assert own.attr("__init__") == "zeros"


def test_auxiliary_states_are_told_apart(a):
    net = sym.BatchNorm(sym.FullyConnected(a, num_hidden=3, name="fc"), name="bn")
    assert net.list_arguments() == ["a", "fc_weight", "fc_bias", "bn_gamma", "bn_beta"]
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert net.list_inputs() == net.list_arguments() + net.list_auxiliary_states()


def test_what_is_changed_has_versions(a):
    first = sym.BatchNorm(a, name="bn")
    states = [first.get_internals()[f"bn_moving_{n}"] for n in ("mean", "var")]
    second = sym.BatchNorm(first, moving_mean=states[0], moving_var=states[1], name="again")
    nodes = {node["name"]: node for node in json.loads(second.tojson())["nodes"]}
    assert [i[2] for i in nodes["bn"]["inputs"]] == [0, 0, 0, 1, 1]
    assert [i[2] for i in nodes["again"]["inputs"]] == [0, 0, 0, 2, 2]
    with pytest.raises(MXNetError, match="a variable is required as moving_mean"):
        sym.BatchNorm(a, moving_mean=a + 1)


def test_calls_are_checked(a, b):
    with pytest.raises(AttributeValueError, match=r"no attribute 'num_hiden'.*Did you mean num_hidden"):
        sym.FullyConnected(a, num_hiden=3)
    with pytest.raises(AttributeValueError, match="num_hidden is required"):
        sym.FullyConnected(a)
    with pytest.raises(AttributeValueError, match="num_hidden must be an integer, got 'x'"):
        sym.FullyConnected(a, num_hidden="x")
    with pytest.raises(MXNetError, match="input weight must be an array or a symbol"):
        sym.FullyConnected(a, 10)
    with pytest.raises(MXNetError, match="inputs data, weight are possible with these attributes, got bias"):
        sym.FullyConnected(a, bias=b, num_hidden=3, no_bias=True)
    with pytest.raises(MXNetError, match=r"symbols with one output are required.*Choose one"):
        sym.relu(sym.Group([a, b]))


def test_a_call_puts_symbols_in_the_place_of_variables(net):
    other = sym.FullyConnected(sym.var("d"), num_hidden=2, name="top")
    whole = other(d=net, name="renamed")
    assert whole.name == "renamed"
    assert whole.list_inputs() == ["a", "fc_weight", "fc_bias", "top_weight", "top_bias"]
    assert other.list_inputs() == ["d", "top_weight", "top_bias"]
    assert other(net).list_inputs() == whole.list_inputs()
    # The graph was copied, variables included; what was put in was not.
    assert sym.Group([whole, other]).list_inputs().count("top_weight") == 2
    assert sym.Group([whole, net]).list_inputs().count("fc_weight") == 1


def test_calls_of_graphs_are_checked(a, net):
    with pytest.raises(MXNetError, match="one of the variables a, fc_weight, fc_bias is required, got 'zz'"):
        net(zz=a)
    with pytest.raises(TypeError, match="either by position or by name"):
        net(a, fc_weight=a)
    with pytest.raises(TypeError, match="a symbol is required as a, got int"):
        net(a=1)
    with pytest.raises(TypeError, match="at most"):
        net(a, a, a, a)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_share_nothing(net, duplicate):
    copied = duplicate(net)
    assert copied.tojson() == net.tojson()
    copied._set_attr(num_hidden="4")
    assert net.attr("num_hidden") == "3"
    assert len(sym.Group([copied, net]).list_inputs()) == 6


# ---- what a symbol is


def test_shown(a, b, net):
    assert repr(net) == "<Symbol fc>"
    assert repr(sym.Group([a, b])) == "<Symbol group [a, b]>"
    assert sym.Group([a, b]).name is None
    assert "Op:FullyConnected, Name=fc" in net.debug_str()


def test_outputs_by_number_name_and_slice(a, net):
    internals = net.get_internals()
    assert internals.list_outputs() == ["a", "fc_weight", "fc_bias", "fc_output"]
    assert internals["fc_output"].name == internals[3].name == internals[-1].name == "fc"
    assert internals[1:3].list_outputs() == ["fc_weight", "fc_bias"]
    assert [s.name for s in internals] == ["a", "fc_weight", "fc_bias", "fc"]
    assert len(internals) == internals.num_outputs == 4
    with pytest.raises(IndexError, match="there are 4 outputs, got 4"):
        internals[4]
    with pytest.raises(IndexError, match="none of 4 outputs"):
        internals[4:]
    with pytest.raises(ValueError, match="no output is named 'fc'"):
        internals["fc"]
    with pytest.raises(ValueError, match="2 outputs are named"):
        sym.Group([net, net])["fc_output"]
    with pytest.raises(TypeError, match="a number, a name or a slice"):
        internals[1.5]


def test_hidden_outputs_are_not_shown(a):
    assert sym.BatchNorm(a, name="bn").list_outputs() == ["bn_output"]
    shown = sym.BatchNorm(a, name="bn", output_mean_var=True)
    assert shown.list_outputs() == ["bn_output", "bn_mean", "bn_var"]


def test_children(a, net):
    assert net.get_children().list_outputs() == ["a", "fc_weight", "fc_bias"]
    assert a.get_children() is None


def test_groups_need_symbols(a):
    for wrong in ([], [a, 1]):
        with pytest.raises(TypeError, match="a list of symbols"):
            sym.Group(wrong)


def test_symbols_have_no_values(a):
    for name in ("shape", "dtype", "context", "grad", "T", "attach_grad"):
        with pytest.raises(AttributeError, match=rf"'Symbol' object has no attribute '{name}'\. A symbol"):
            getattr(a, name)
        assert not hasattr(a, name)
    for name in ("asnumpy", "asscalar", "backward", "copy", "detach", "wait_to_read"):
        with pytest.raises(NotImplementedForSymbol, match=f"Symbol.{name}: only arrays"):
            getattr(a, name)()
    with pytest.raises(NotImplementedForSymbol, match="truth value"):
        bool(a == 1)
    with pytest.raises(NotImplementedForSymbol, match="in place"):
        a += 1
    with pytest.raises(NotImplementedForSymbol, match="only arrays have values"):
        np.asarray(a)
    with pytest.raises(UnknownOperatorError, match="make a variable"):
        sym.array  # noqa: B018
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


def test_unknown_operators_suggest_others():
    with pytest.raises(UnknownOperatorError, match=r"symbol.Convolutoin: .* Did you mean Convolution"):
        sym.Convolutoin  # noqa: B018
    with pytest.raises(AttributeError, match=r"symbol\.contrib\.nope"):
        sym.contrib.nope  # noqa: B018
    assert "Convolution" in dir(sym)
    assert not any(name.startswith("_") for name in dir(sym.op))


def test_methods_are_operators(a):
    assert head(a.reshape((2, 3))) == ("Reshape", "reshape0", {"shape": "(2, 3)"})
    assert head(a.reshape(2, 3)) == ("Reshape", "reshape1", {"shape": "(2, 3)"})
    assert head(a.reshape(-1)) == ("Reshape", "reshape2", {"shape": "-1"})
    assert head(a.sum(1)) == ("sum", "sum0", {"axis": "1"})
    assert head(a.mean(axis=1, keepdims=True)) == ("mean", "mean0", {"axis": "1", "keepdims": "True"})
    assert head(a.astype(np.float16)) == ("Cast", "cast0", {"dtype": "float16"})
    assert head(a.clip(0, 1)) == ("clip", "clip0", {"a_min": "0", "a_max": "1"})


def test_long_graphs(a):
    for _ in range(20000):
        a = sym.relu(a)
    assert len(a.nodes()) == 20001
    again = sym.load_json(a.tojson())
    assert again.list_inputs() == ["a"]
    assert len(again(a=sym.var("z")).get_internals()) == 20001
    del a, again
    gc.collect()


# ---- attributes


def test_attribute_text_is_what_was_given(a):
    net = sym.Convolution(a, kernel=[3, 3], num_filter=3, stride=(np.int64(2), 2), no_bias=1, layout=None)
    attributes = {
        "kernel": "[3, 3]",
        "num_filter": "3",
        "stride": "(2, 2)",
        "no_bias": "1",
        "layout": "None",
    }
    assert net.list_attr() == attributes
    assert sym.cast(a, dtype=float).list_attr() == {"dtype": "float64"}


def test_hidden_attributes(a):
    net = sym.relu(a, ctx_group="dev", lr_mult=2, __mine__=3)
    attributes = {"__ctx_group__": "dev", "__lr_mult__": "2", "__mine__": "3"}
    assert head(net)[2] == attributes
    assert net.list_attr() == {**attributes, "ctx_group": "dev", "lr_mult": "2"}
    assert net.attr("lr_mult") == "2"
    assert net.attr("nothing") is None
    with pytest.raises(AttributeValueError, match="Make the input with var"):
        sym.FullyConnected(a, num_hidden=1, weight_lr_mult=2)


def test_variables_tell_what_is_known_of_them():
    x = sym.var(
        "x", shape=(1, 0), dtype="float16", lr_mult=2, wd_mult=0.5, init="zeros", stype="csr", __k__=1
    )
    attributes = {
        "__shape__": "(1, 0)",
        "__dtype__": "2",
        "__lr_mult__": "2",
        "__wd_mult__": "0.5",
        "__init__": "zeros",
        "__storage_type__": "2",
        "__k__": "1",
    }
    assert json.loads(x.tojson())["nodes"][0]["attrs"] == attributes
    with pytest.raises(ValueError, match="Write __foo__"):
        sym.var("x", foo="1")
    with pytest.raises(TypeError, match="a string is required"):
        sym.var(3)


def test_scopes_of_attributes(a):
    with AttrScope(__data__="great", ctx_group="dev1"):
        with AttrScope(ctx_group="dev2"):
            inner = sym.FullyConnected(sym.var("q"), num_hidden=3, name="fc")
        outer = sym.var("r", attr={"ctx_group": "mine"})
    attributes = {"__data__": "great", "__ctx_group__": "dev2", "ctx_group": "dev2"}
    assert inner.attr_dict()["q"] == attributes
    assert inner.attr_dict()["fc_weight"] == {**attributes, "num_hidden": "3"}
    assert outer.attr("ctx_group") == "mine"
    assert sym.var("s").list_attr() == {}
    with pytest.raises(ValueError, match="must be strings"):
        AttrScope(x=1)  # type: ignore[arg-type]


def test_attributes_can_be_set(a):
    a._set_attr(foo="bar", lr_mult="2")
    assert a.list_attr() == {"foo": "bar", "__lr_mult__": "2", "lr_mult": "2"}
    net = a + 1
    net._set_attr(scalar="7")
    assert net.nodes()[-1].op.scalar == 7
    with pytest.raises(AttributeValueError, match="no attribute 'mood'"):
        net._set_attr(mood="angry")
    with pytest.raises(ValueError, match="text is required"):
        a._set_attr(foo=3)


# ---- constants and draws

CREATED = [
    (lambda: sym.zeros((2, 3)), "_zeros", {"dtype": "float32", "shape": "(2, 3)"}),
    (lambda: sym.ones(3, dtype=np.int32), "_ones", {"dtype": "int32", "shape": "3"}),
    (lambda: sym.full((2,), 5), "_full", {"dtype": "float32", "shape": "(2,)", "value": "5.0"}),
    (lambda: sym.eye(5, k=1), "_eye", {"M": "0", "N": "5", "dtype": "float32", "k": "1"}),
    (
        lambda: sym.arange(5),
        "_arange",
        {
            "dtype": "float32",
            "infer_range": "False",
            "repeat": "1",
            "start": "5",
            "step": "1.0",
            "stop": "None",
        },
    ),
    (
        lambda: sym.linspace(1, 5, 10),
        "_linspace",
        {"dtype": "float32", "endpoint": "True", "num": "10", "start": "1", "stop": "5"},
    ),
    (
        lambda: sym.random.normal(1, 2, (2,), "float64"),
        "_random_normal",
        {"dtype": "float64", "loc": "1", "scale": "2", "shape": "(2,)"},
    ),
    (lambda: sym.random.exponential(2), "_random_exponential", {"lam": "0.5"}),
    (lambda: sym.random.gamma(2, 3), "_random_gamma", {"alpha": "2", "beta": "3"}),
    (lambda: sym.random.randint(0, 3), "_random_randint", {"high": "3", "low": "0"}),
    (
        lambda: sym.random.randn(2, 3),
        "_random_normal",
        {"loc": "0", "scale": "1", "shape": "(2, 3)"},
    ),
    (lambda: sym.random.poisson(sym.var("a"), shape=3), "_sample_poisson", {"shape": "3"}),
]


@pytest.mark.parametrize(("make", "op", "attributes"), CREATED)
def test_created(make, op, attributes):
    assert head(make()) == (op, f"{op}0", attributes)


def test_parameters_of_draws_are_of_one_kind(a):
    with pytest.raises(MXNetError, match="all symbols or all numbers"):
        sym.random.normal(a, 2)


def test_one_namespace_for_rules_of_arrays_and_symbols(a):
    x = Broadcasting(a.outputs)
    symbols = [
        F.zeros((2,)),
        F.random.uniform(),
        F.contrib.index_array(x),
        F.maximum(x, 2),
        F._sum_like(x, x),
    ]
    assert all(isinstance(value, Broadcasting) for value in symbols)
    assert [s.name for s in symbols[:2]] == ["_zeros0", "_random_uniform0"]
    with pytest.raises(UnknownOperatorError, match="Did you mean"):
        F.Convolutoin  # noqa: B018
