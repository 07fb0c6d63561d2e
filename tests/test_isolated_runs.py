"""`isolated=` of what runs, measures or proves a model: results as without, and models that end a process."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import hybridonnx as mx
from hybridonnx.cli import main
from hybridonnx.errors import (
    ConversionError,
    DTypeError,
    FileError,
    FormatError,
    MissingFileError,
    MXNetError,
)
from hybridonnx.gluon import nn
from hybridonnx.onnx import Isolation, IsolationError
from hybridonnx.parity import isolation, messages
from tests.test_isolation import ENDLESS, FEW, LARGE, LEAST_BY_MINUS_ONE, model

DIVIDES = sys.platform == "linux" and os.uname().machine == "x86_64"
X = np.arange(3, dtype=np.float32)
NUMBERS = (
    *("float", "double", "float16", "bool"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)


def casts(*names: str) -> bytes:
    """A model with an output of each type, of what it is given."""
    types = {name: getattr(TensorProto, name.upper()) for name in names}
    nodes = [helper.make_node("Cast", ["x"], [f"y_{name}"], to=kind) for name, kind in types.items()]
    outputs = [helper.make_tensor_value_info(f"y_{name}", kind, [3]) for name, kind in types.items()]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, [3])], outputs)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    return bytes(proto.SerializeToString())


def containers() -> bytes:
    """A model whose outputs are texts, a list, an optional's array, dicts by integers, and no axes."""
    text = """(float[3] x) => (string[3] s, seq(float[3]) l, seq(float[3]) n, optional(float[3]) o, float z,
                               float[0] e, seq(map(int64, float)) m) {
        s = Cast<to=8>(x)
        l = SequenceConstruct(x, x)
        n = SequenceEmpty()
        o = Optional(x)
        z = ReduceSum<keepdims=0>(x)
        e = Slice(x, zero, zero)
        row = Unsqueeze(x, zero)
        m = ai.onnx.ml.ZipMap<classlabels_int64s=[-7, 0, 7]>(row)
    }"""
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18, "ai.onnx.ml" : 3]> g {text}')
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(1, np.int64), "zero"))
    return bytes(proto.SerializeToString())


def require_same(plain: Any, isolated: Any) -> None:
    """The same values, in the same kinds of Python's and NumPy's."""
    assert type(isolated) is type(plain)
    if isinstance(plain, dict):
        assert list(isolated) == list(plain)
        assert [type(key) for key in isolated] == [type(key) for key in plain]
        for key in plain:
            require_same(plain[key], isolated[key])
    elif isinstance(plain, list):
        assert len(isolated) == len(plain)
        for one, other in zip(plain, isolated, strict=True):
            require_same(one, other)
    elif isinstance(plain, np.ndarray):
        assert isolated.dtype == plain.dtype
        assert isolated.shape == plain.shape
        assert isolated.tolist() == plain.tolist()
    else:
        assert isolated == plain


@pytest.mark.parametrize(
    "data",
    [containers(), casts(*NUMBERS), pytest.param(casts("bfloat16"), marks=pytest.mark.slow)],
    ids=["containers", "numbers", "bfloat16"],
)
def test_outputs_of_every_type_come_back(data):
    plain = mx.onnx.run(data, X)
    require_same(plain, mx.onnx.run(data, X, isolated=FEW))
    assert all(type(x) is not np.ndarray or x.flags.writeable for x in plain.values())


@pytest.mark.parametrize(
    "inputs",
    [
        {"x": X.astype(">f4")},
        pytest.param([mx.nd.array(X)], marks=pytest.mark.slow),
        pytest.param(X[::-1].astype(np.float64), marks=pytest.mark.slow),
    ],
    ids=["other order of bytes", "NDArray", "reversed"],
)
def test_inputs_are_what_they_are_without(inputs):
    data = model("(float[3] x) => (float[3] y) { y = Neg(x) }")
    require_same(mx.onnx.run(data, inputs), mx.onnx.run(data, inputs, isolated=FEW))


def net_with_label() -> tuple[mx.sym.Symbol, dict[str, mx.nd.NDArray]]:
    graph = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    graph = mx.sym.SoftmaxOutput(graph, mx.sym.var("label"), name="out")
    return graph, {"fc_weight": mx.nd.array([[1, 2, 3], [4, 5, 6]]), "fc_bias": mx.nd.array([0.5, 1])}


@pytest.mark.slow
def test_a_symbol_runs_with_its_parameters_and_without_its_labels():
    graph, params = net_with_label()
    require_same(
        mx.onnx.run(graph, X[None] / 9, params), mx.onnx.run(graph, X[None] / 9, params, isolated=FEW)
    )


# ---- what ends a process


def calls(data: bytes, folder: Path, limits: Isolation):
    """Each call that runs the model, by name."""
    of = {"isolated": limits}
    return {
        "run": lambda: mx.onnx.run(data, {"x": _input(data)}, **of),
        "bench": lambda: mx.onnx.bench({"m": data}, runs=1, rounds=1, warmup=0, threads=1, **of),
        "profile": lambda: mx.onnx.profile(data, runs=1, warmup=0, **of),
        "import_to_checkpoint": lambda: mx.onnx.import_to_checkpoint(data, folder / "net", verify=of),
    }


def _input(data: bytes) -> np.ndarray:
    declared = onnx.load_from_string(data).graph.input[0].type.tensor_type
    dtype = np.float32 if declared.elem_type == TensorProto.FLOAT else np.int64
    return np.ones([d.dim_value for d in declared.shape.dim], dtype)


@pytest.mark.skipif(not DIVIDES, reason="other processors divide without a signal")
@pytest.mark.parametrize(
    "name", ["run", "profile", pytest.param("bench", marks=pytest.mark.slow), "import_to_checkpoint"]
)
def test_a_crash_is_a_sentence(name, tmp_path):
    title = "verify" if name == "import_to_checkpoint" else name
    with pytest.raises(IsolationError, match=f"^{title}: the model's process was ended by SIGFPE: .* by -1"):
        calls(LEAST_BY_MINUS_ONE, tmp_path, FEW)[name]()
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["run", "bench", "profile", "import_to_checkpoint"])
def test_a_loop_without_end_is_a_sentence(name, tmp_path):
    limits = Isolation(seconds=8)
    with pytest.raises(
        IsolationError, match=r"took more than 8 s and was ended\. Its limits were 4 GB and 8"
    ):
        calls(ENDLESS, tmp_path, limits)[name]()
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="memory has a limit on Linux alone")
@pytest.mark.parametrize(
    "name", ["run", *(pytest.param(n, marks=pytest.mark.slow) for n in ("bench", "profile"))]
)
def test_memory_has_a_limit(name, tmp_path):
    with pytest.raises(MXNetError, match=r"ONNX Runtime could not run the graph: .*memory"):
        calls(LARGE, tmp_path, FEW)[name]()


@pytest.mark.slow
def test_a_result_larger_than_the_limit_is_none(tmp_path):
    data = model("(float[1] x) => (float[N] y) { n = Constant<value_ints=[20000000]>() y = Expand(x, n) }")
    with pytest.raises(MXNetError, match=r"memory|fewer elements of arrays"):
        mx.onnx.run(data, X[:1], isolated=Isolation(memory=70_000_000))


# ---- errors


def error_of(call) -> BaseException:
    with pytest.raises(MXNetError) as caught:
        call()
    return caught.value


def require_alike(call) -> None:
    """An error of the same class, text, number and notes, with and without."""
    plain, isolated = error_of(lambda: call(isolated=False)), error_of(lambda: call(isolated=FEW))
    assert type(isolated) is type(plain)
    assert str(isolated) == str(plain)
    for name in ("errno", "filename", "__notes__"):
        assert getattr(isolated, name, None) == getattr(plain, name, None)


def test_a_file_that_is_not_there_is_told_as_without(tmp_path):
    require_alike(lambda **of: mx.onnx.run(tmp_path / "none.onnx", X, **of))


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        (b"\0" * 9, X),
        (model("(float[3] x) => (float[3] y) { y = Neg(x) }"), {}),
        (model("(float[3] x) => (float[3] y) { y = Neg(x) }"), {"z": X}),
        (model("(int64[3] x) => (int64[3] y) { y = Neg(x) }"), X + 0.5),
        (model("(float[3] x) => (float[3] y) { y = Neg(x) }"), X[:2]),
        (casts("float8e5m2"), X),
    ],
)
def test_errors_are_those_without(case):
    require_alike(lambda **of: mx.onnx.run(*case, **of))


@pytest.mark.slow
def test_errors_of_measuring_are_those_without(tmp_path):
    data = model("(float[n] x) => (float[n] y) { y = Neg(x) }")
    functions: tuple[Any, ...] = (mx.onnx.bench, mx.onnx.profile)
    for function in functions:
        require_alike(lambda function=function, **of: function(tmp_path / "none.onnx", **of))
        require_alike(lambda function=function, **of: function(data, sizes={"m": 2}, **of))
        require_alike(lambda function=function, **of: function(data, runs=0, **of))
    require_alike(lambda **of: mx.onnx.profile(data, trace=tmp_path / "none" / "t.json", **of))


def test_what_no_process_can_be_given_is_refused():
    data = model("(float[1] x) => (float[1] y) { y = Neg(x) }")
    for x in (np.array([None]), np.array([b"a"])):
        with pytest.raises(
            ConversionError, match=r"^isolated: numbers, texts and arrays of these are required"
        ):
            messages.send(io.BytesIO(), {"x": x})
    with pytest.raises(ConversionError, match=r"got an array of datetime64\[D\]"):
        mx.onnx.run(data, np.array(["2020-01-01"], "datetime64[D]"), isolated=FEW)
    with pytest.raises(MXNetError, match="which is a block"):
        mx.onnx.run(nn.Dense(2), X, isolated=FEW)


def refuses(request: str, ask: object) -> None:
    error = {
        "file": MissingFileError(2, "No such file or directory", "a.onnx"),
        "dtype": DTypeError("another"),
        "own": FileError("a sentence"),
    }[request]
    error.add_note("In node a.")
    raise error


def raises_a_pipes_error() -> None:
    raise BrokenPipeError(32, "of somebody else")


@pytest.fixture
def importable(monkeypatch):
    """This module in the other process."""
    monkeypatch.syspath_prepend(os.path.dirname(os.path.dirname(__file__)))


@pytest.mark.parametrize(
    "name", ["file", *(pytest.param(n, marks=pytest.mark.slow) for n in ("dtype", "own"))]
)
def test_errors_keep_class_text_number_and_notes(name, importable):
    """`MissingFileError` is an error of the system's as well, and no pipe's."""
    error = error_of(lambda: isolation.called("run", f"{__name__}:refuses", name, FEW))
    with pytest.raises(type(error)) as plain:
        refuses(name, None)
    assert (str(error), error.__notes__) == (str(plain.value), ["In node a."])
    assert getattr(error, "errno", None) == getattr(plain.value, "errno", None)


def asks(request: object, ask: Any) -> None:
    ask("batch")


@pytest.mark.slow
def test_errors_of_the_callers_own_functions_are_theirs(importable):
    with pytest.raises(BrokenPipeError, match="of somebody else"):
        isolation.called("verify", f"{__name__}:asks", None, FEW, {"batch": raises_a_pipes_error})


# ---- what is measured


def test_times_have_the_names_and_layers_that_they_have_without():
    """A block, whose layers its prefixes tell, is exported here."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, in_units=3), nn.Activation("relu"))
    net.initialize()
    of = {"shapes": {"data": ("n", 3)}, "sizes": {"n": 2}, "runs": 2, "warmup": 1, "threads": 1}
    plain, isolated = mx.onnx.profile(net, **of), mx.onnx.profile(net, isolated=FEW, **of)
    assert (isolated.model, isolated.inputs, isolated.environment) == (
        net.name,
        plain.inputs,
        plain.environment,
    )
    assert [(n.name, n.operator, n.layer, n.output) for n in isolated.nodes] == [
        (n.name, n.operator, n.layer, n.output) for n in plain.nodes
    ]
    assert {n.layer for n in isolated.nodes} & {"net_dense0", "net_relu0", "net_activation0"}
    assert isolated.total > 0
    assert "net_dense0" in str(isolated)


def test_several_models_are_measured_beside_each_other(tmp_path):
    data = model("(float[n, 3] x) => (float[n, 3] y) { y = Neg(x) }")
    path = tmp_path / "b.onnx"
    path.write_bytes(data)
    of = {"threads": (1, 2), "batch_sizes": range(1, 3), "runs": 4, "rounds": 2, "warmup": 1, "seconds": 1e9}
    plain = mx.onnx.bench({"a": data, "b": path}, **of)
    isolated = mx.onnx.bench({"a": data, "b": path}, isolated=FEW, **of)
    rows = [
        [(t.model, t.threads, t.batch_size, t.runs, len(t.rounds)) for t in b.timings]
        for b in (plain, isolated)
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 8
    assert (isolated.warmup, isolated.environment) == (plain.warmup, plain.environment)
    assert all(t.p50 > 0 for t in isolated.timings)
    assert isolated.to_svg().startswith("<svg")


def test_times_of_strangers_are_refused(monkeypatch):
    from hybridonnx.onnx import benchmark, model_profile, prediction

    data = model("(float[1] x) => (float[1] y) { y = Neg(x) }")
    cases: tuple[Any, ...] = (
        (benchmark, lambda: mx.onnx.bench(data, isolated=True)),
        (model_profile, lambda: mx.onnx.profile(data, isolated=True)),
        (prediction, lambda: mx.onnx.run(data, X[:1], isolated=True)),
    )
    for module, call in cases:
        monkeypatch.setattr(module, "called", lambda *_: [1])
        with pytest.raises(FormatError, match="required of the model's process"):
            call()


# ---- proofs


@pytest.mark.slow
def test_convert_runs_isolated(capfd, tmp_path):
    """The command ends as a whole, and writes nothing."""
    path = tmp_path / "by.onnx"
    path.write_bytes(LEAST_BY_MINUS_ONE)
    good = tmp_path / "good.onnx"
    good.write_bytes(model("(float[3] x) => (float[3] y) { y = Neg(x) }"))
    assert main(["convert", str(good), "--verify", "--isolated", "--output", str(tmp_path / "good")]) == 0
    assert {"good-symbol.json", "good-0000.params"} <= set(os.listdir(tmp_path))
    if DIVIDES:
        capfd.readouterr()
        assert main(["convert", str(path), "--verify", "--isolated", "--output", str(tmp_path / "net")]) == 3
        assert "the model's process was ended by SIGFPE" in capfd.readouterr().err
        assert not [name for name in os.listdir(tmp_path) if name.startswith("net")]


def test_a_model_without_parameters_is_proven(tmp_path):
    data = model("(float[1] x) => (float[1] y) { y = Neg(x) }")
    files = mx.onnx.import_to_checkpoint(data, tmp_path / "net", verify=True)
    assert mx.onnx.check_manifest(files[0]).ok()
    assert mx.onnx.verify(files, data).ok()


def test_proofs_run_isolated(tmp_path):
    net = nn.Dense(4, in_units=3)
    net.initialize()
    path = tmp_path / "a.onnx"
    mx.onnx.export_model(net, path, input_shapes=[("n", 3)], verify={"isolated": FEW, "layers": False})
    assert mx.onnx.check_manifest(path, net).ok()
    if DIVIDES:  # what it came from is a stranger's
        graph, params = net_with_label()
        with pytest.raises(IsolationError, match="SIGFPE"):
            mx.onnx.export_model(
                graph,
                params,
                [(1, 3), (1,)],
                onnx_file_path=tmp_path / "b.onnx",
                verify={"isolated": FEW, "model": LEAST_BY_MINUS_ONE, "inputs": {"x": np.ones(1, np.int64)}},
            )
        assert not (tmp_path / "b.onnx").exists()
