"""Models that end a process that runs them, and what `isolated=True` says of them; good ones as without."""

from __future__ import annotations

import io
import json
import os
import signal
import sys

import numpy as np
import onnx
import pytest
from onnx import parser

import hybridonnx as mx
from hybridonnx.cli import main
from hybridonnx.errors import AttributeValueError, ConversionError, DTypeError, FormatError, MXNetError
from hybridonnx.gluon import nn
from hybridonnx.onnx import Isolation, IsolationError
from hybridonnx.parity import isolation, messages

FEW = Isolation(memory=1 << 30, seconds=120)


def model(text: str) -> bytes:
    proto: onnx.ModelProto = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> g {text}')
    return proto.SerializeToString()


LEAST_BY_MINUS_ONE = model(
    """(int64[1] x) => (int64[1] y) {
        least = Constant<value_ints=[-9223372036854775808]>()
        one = Constant<value_ints=[-1]>()
        none = Sub(x, x)
        dividend = Add(least, none)
        y = Div(dividend, one)
    }"""
)
ENDLESS = model(
    """(float[2] x) => (float[2] y) {
        count = Constant<value_int=4611686018427387904>()
        one = Constant<value_int=1>()
        condition = Cast<to=9>(one)
        y = Loop(count, condition, x) <body = b (int64 i, bool c, float[2] v) => (bool d, float[2] w) {
            d = Identity(c)
            w = Add(v, v)
        }>
    }"""
)
LARGE = model(
    """(float[1] x) => (float[N] y) {
        count = Constant<value_ints=[3000000000]>()
        y = Expand(x, count)
    }"""
)


def block() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.Activation("relu"), nn.Flatten(), nn.Dense(5))
    net.initialize(mx.init.Xavier())
    return net


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A network with its file, and one with a fault in it."""
    net, folder = block(), tmp_path_factory.mktemp("isolated")
    path = str(folder / "net.onnx")
    mx.onnx.export_model(net, path, input_shapes=[("batch", 1, 6, 6)])
    proto = onnx.load(path)
    weight = next(t for t in proto.graph.initializer if t.dims == [5, 64])
    array = onnx.numpy_helper.to_array(weight).copy()
    array[2, 3] *= 1.5
    weight.CopyFrom(onnx.numpy_helper.from_array(array, weight.name))
    onnx.save(proto, folder / "wrong.onnx")
    return net, path, str(folder / "wrong.onnx")


def test_the_report_is_the_same(pair):
    net, path, wrong = pair
    plain = mx.onnx.verify(net, wrong, samples=2)
    isolated = mx.onnx.verify(net, wrong, samples=2, isolated=FEW)
    assert not plain.ok()
    assert isolated == plain
    assert str(isolated) == str(plain)
    assert json.loads(isolated.to_json()) == json.loads(plain.to_json())
    assert [type(item) for item in isolated.layers] == [type(item) for item in plain.layers]
    with pytest.raises(mx.onnx.ParityError):
        mx.onnx.assert_parity(path, wrong, isolated=FEW)


def test_what_a_caller_has_stays_here_and_is_asked_for(pair):
    """A block's own call, what gives batches, and a function of images."""
    net, path, _ = pair
    data = np.random.default_rng(0).uniform(size=(10, 1, 6, 6)).astype(np.float32)
    batches = [(data[k : k + 4], np.arange(k, min(k + 4, 10)) % 5) for k in (0, 4, 8)]
    plain = mx.onnx.verify(net, path, iter(batches), metric="top1")
    isolated = mx.onnx.verify(net, path, iter(batches), metric="top1", isolated=FEW)
    assert plain.metric.samples == 10
    assert isolated == plain
    assert isolated.call


@pytest.mark.slow
def test_a_symbol_with_inputs_of_ones_own(pair, tmp_path):
    net, path, _ = pair
    net.hybridize()
    net(mx.nd.ones((1, 1, 6, 6)))
    net.export(str(tmp_path / "net"))
    symbol = (str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0000.params"))
    x = mx.nd.random.uniform(shape=(3, 1, 6, 6))
    with open(path, "rb") as file:
        data = file.read()
    assert mx.onnx.verify(symbol, data, x, isolated=FEW) == mx.onnx.verify(symbol, data, x)


@pytest.mark.parametrize(
    ("data", "limits", "message"),
    [
        (LEAST_BY_MINUS_ONE, FEW, r"^verify: the model's process was ended by SIGFPE: .* by -1\."),
        pytest.param(
            *(
                ENDLESS,
                Isolation(seconds=8),
                r"^verify: the model's process took more than 8 s and was ended\.",
            ),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_ends_a_process_is_a_sentence(data, limits, message):
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        pytest.skip("other processors divide without a signal")
    with pytest.raises(IsolationError, match=message):
        mx.onnx.verify(data, data, isolated=limits)


@pytest.mark.skipif(sys.platform != "linux", reason="memory has a limit on Linux alone")
def test_memory_has_a_limit():
    with pytest.raises(MXNetError, match=r"ONNX Runtime could not run the graph: .*memory"):
        mx.onnx.verify(LARGE, LARGE, isolated=FEW)


@pytest.mark.slow
def test_errors_are_those_of_the_models(tmp_path):
    """Of the same class and in the same words."""
    broken = model("(float[2] x) => (float[2] y) { y = Add(x, z) }")
    for wanted, arguments in ((MXNetError, (broken, broken)), (FormatError, (b"\0" * 9, b""))):
        texts = []
        for isolated in (False, FEW):
            with pytest.raises(wanted) as caught:
                mx.onnx.verify(*arguments, isolated=isolated)
            texts.append((type(caught.value), str(caught.value)))
        assert texts[0] == texts[1]


def test_what_cannot_be_given_to_another_process_is_refused(pair):
    net, path, _ = pair
    session = __import__("onnxruntime").InferenceSession(path, providers=["CPUExecutionProvider"])
    with pytest.raises(ConversionError, match="a file, its bytes, a block, or a Symbol with parameters"):
        mx.onnx.verify(net, session, isolated=True)
    with pytest.raises(ConversionError, match="the name of a metric is required"):
        mx.onnx.verify(net, path, [], metric=mx.metric.Accuracy(), isolated=True)
    with pytest.raises(AttributeValueError, match="True, False or an Isolation is required, got str"):
        mx.onnx.verify(net, path, isolated="yes")
    with pytest.raises(AttributeValueError, match="memory and seconds above 0"):
        Isolation(memory=0)


# ---- the process itself


def dies(request: str, ask: object) -> None:
    os.kill(os.getpid(), getattr(signal, request))


def exits(request: int, ask: object) -> None:
    print("a word of farewell", file=sys.stderr)
    os._exit(request)


def fills(request: int, ask: object) -> int:
    return int(np.ones(request, np.uint8).sum())


def floods(request: object, ask: object) -> None:
    print("x" * 100_000, flush=True)


def called(function: str, request: object, limits: Isolation = FEW) -> object:
    return isolation.called("verify", f"{__name__}:{function}", request, limits)


@pytest.fixture
def importable(monkeypatch):
    """This module in the other process."""
    monkeypatch.syspath_prepend(os.path.dirname(os.path.dirname(__file__)))


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize(
    "name",
    ["SIGSEGV", *(pytest.param(name, marks=pytest.mark.slow) for name in ("SIGABRT", "SIGKILL", "SIGBUS"))],
)
def test_signals_have_names(name, importable):
    with pytest.raises(IsolationError, match=f"was ended by {name}: .* Its limits were 1 GB and 120 s"):
        called("dies", name)


@pytest.mark.slow
def test_what_a_process_says_last_is_told(importable):
    with pytest.raises(IsolationError, match="ended with exit code 7; it said last: a word of farewell"):
        called("exits", 7)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory has a limit on Linux alone")
def test_memory_errors_are_ours(importable):
    assert called("fills", 1000) == 1000
    with pytest.raises(MXNetError, match=r"more memory is required than 0\.0625 GB"):
        called("fills", 1 << 28, Isolation(memory=1 << 26))


@pytest.mark.slow
def test_what_libraries_print_is_no_message(importable):
    assert called("floods", None) is None


VALUES = {
    "numbers": [1, -1.5, float("inf"), None, True, "text", "\ud800"],
    "nested": {"a": ((1, 2), [3]), "b": {"c": b"\0\xff"}},
    "array": np.arange(6, dtype=np.int8).reshape(2, 3),
    "texts": np.array([["a", "b"]], object),
    "nothing": np.zeros((0, 3), np.float16),
}


def test_messages_are_read_as_they_were_written():
    stream = io.BytesIO()
    messages.send(stream, VALUES)
    stream.seek(0)
    back = messages.receive(stream, 1 << 20)
    assert {k: v for k, v in back.items() if k in ("numbers", "nested")} == {
        k: VALUES[k] for k in ("numbers", "nested")
    }
    for name in ("array", "texts", "nothing"):
        assert back[name].dtype == VALUES[name].dtype
        np.testing.assert_array_equal(back[name], VALUES[name])


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b"{}",
        b"nonsense",
        b'[{"array": 1}, []]',
        b'[null, [["float32", [-1]]]]',
        b'[null, [["float32", [99999999999999]]]]',
        b'[{"tuple": 1}, []]',
        b"[" * 100_000,
    ],
)
def test_messages_of_strangers_are_refused(text):
    stream = io.BytesIO(len(text).to_bytes(8, "little") + text)
    with pytest.raises(FormatError):
        messages.receive(stream, 1 << 20)
    with pytest.raises((FormatError, EOFError)):
        messages.receive(io.BytesIO(b"\xff" * 8 + text), 1 << 20)


@pytest.mark.parametrize("change", [{"samples": "1"}, {"outputs": [{}]}, {"more": 1}, {"verdict": "x"}])
def test_reports_of_strangers_are_refused(pair, change):
    from hybridonnx.parity.plain import plain as as_plain
    from hybridonnx.parity.plain import typed

    plain = as_plain(mx.onnx.verify(pair[1], pair[1]))
    assert typed(mx.onnx.Parity, json.loads(json.dumps(plain)), "verify").ok()
    with pytest.raises(FormatError):
        typed(mx.onnx.Parity, plain | change, "verify")


@pytest.mark.slow
def test_precision_is_told(pair):
    with pytest.raises(DTypeError):
        mx.onnx.verify(*pair[1:], precision="nonsense", isolated=True)
    assert "bounds are those of float16" in str(
        mx.onnx.verify(*pair[:2], precision=np.float16, isolated=FEW).notes
    )


# ---- the command line


def test_commands_run_isolated(pair, capfd, tmp_path):
    path = tmp_path / "by.onnx"
    path.write_bytes(LEAST_BY_MINUS_ONE)
    assert main(["verify", *pair[1:], "--isolated", "--json"]) == 1
    assert json.loads(capfd.readouterr().out)["ok"] is False
    if sys.platform == "linux" and os.uname().machine == "x86_64":
        assert main(["run", "--max-memory", "1", str(path), "--shape", "x=1", "--isolated", "--json"]) == 3
        said = capfd.readouterr()
        assert "SIGFPE" in json.loads(said.out)["error"]
        assert said.err.startswith("hybridonnx run: the model's process was ended by SIGFPE")
