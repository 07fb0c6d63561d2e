"""Recurrent layers and cells against what real MXNet shows, writes and computes (oracle/gluon_rnn.*)."""

from __future__ import annotations

import json
import warnings
import zlib
from inspect import isclass, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import nn, rnn
from hybridonnx.gluon.contrib import rnn as crnn
from hybridonnx.name import NameManager

FOLDER = Path(__file__).parent / "oracle"
FACTS = json.loads((FOLDER / "gluon_rnn.json").read_text())
ARRAYS = np.load(FOLDER / "gluon_rnn.npz")
SCENARIOS = {key: fact for key, fact in FACTS["scenarios"].items() if "error" not in fact}
TRAINED = [key for key in SCENARIOS if f"{key}.grad.data" in ARRAYS]
NEAR: Any = {"rtol": 1e-4, "atol": 2e-5}


def over(keys):
    """Parametrize a test by scenarios."""
    titles = [f"{k}-{SCENARIOS[k]['source'].strip().splitlines()[0]}-{SCENARIOS[k]['call']}" for k in keys]
    return pytest.mark.parametrize("key", keys, ids=titles)


def values(name, shape):
    """The numbers that the oracle used for this name and shape."""
    draw = np.random.RandomState(zlib.crc32(f"{name} {tuple(shape)}".encode()))
    return draw.uniform(-1.0, 1.0, shape).astype(np.float32)


def ready(net):
    """The block, initialized."""
    net.initialize()
    return net


def twice(cell):
    """A cell that is modified twice."""
    return rnn.ZoneoutCell(cell), rnn.ZoneoutCell(cell)


class Tools:
    """What sources use beside the package."""

    def __init__(self, folder):
        self.folder = folder

    def saved(self, net):
        """The keys that save_parameters writes."""
        net.initialize()
        net.save_parameters(str(self.folder / "net.params"))
        return sorted(mx.nd.load(str(self.folder / "net.params")))


def made(source, folder=None):
    """The block of a source, with names numbered anew."""
    tools = {"ready": ready, "twice": twice, "saved": Tools(folder).saved}
    scope = {"nn": nn, "rnn": rnn, "crnn": crnn, "mx": mx, "np": np, **tools}
    if "net =" in source:
        exec(source, scope)
        return scope["net"]
    return eval(source, scope)


def flat(found):
    """All arrays of a nested result."""
    return [y for part in found for y in flat(part)] if isinstance(found, list | tuple) else [found]


def called(net, call, x):
    """What the call gives, as a flat list."""
    eager = isinstance(x, mx.nd.NDArray)
    steps_first = "TNC" in call or "[x" in call or getattr(net, "_layout", "TNC") == "TNC"
    if "unroll" in call:
        steps_first = "TNC" in call or "[x" in call
    scope = {
        "net": net,
        "x": x,
        "N": x.shape[1 if x.ndim == 3 and steps_first else 0] if eager else 0,
        "lengths": mx.nd.array([2, 3]) if eager else mx.sym.var("lengths"),
        "begin": lambda net, batch: net.begin_state(
            batch_size=batch, func=mx.nd.zeros if eager else mx.sym.zeros
        ),
        "mx": mx,
        "eager": eager,
    }
    return flat(eval(call, scope))


def filled(fact):
    """The block with the oracle's parameters, and its data."""
    net, x = made(fact["source"]), mx.nd.array(values("data", fact["shape"]))
    net.initialize()
    called(net, fact["call"], x)
    for name, param in net.collect_params().items():
        param.set_data(mx.nd.array(values(name, param.shape)))
    return net, x


def described(param):
    init = param.init if isinstance(param.init, str) or param.init is None else param.init.dumps()
    return [list(param.shape), np.dtype(param.dtype).name, param.grad_req, init]


@over(SCENARIOS)
def test_looks_like_mxnets(key):
    fact = SCENARIOS[key]
    with NameManager():
        net = made(fact["source"])
        assert repr(net) == fact["repr"]
        assert net.name == fact["name"]
        assert {name: described(p) for name, p in net.collect_params().items()} == fact["params"]
        net, _ = filled(fact)
    with NameManager():
        net, _ = filled(fact)
    assert repr(net) == fact["initialized"]
    assert {name: list(p.shape) for name, p in net.collect_params().items()} == fact["known"]


@over(SCENARIOS)
def test_traces_to_the_file_that_mxnet_writes(key):
    fact = SCENARIOS[key]
    with NameManager():
        symbol = mx.sym.Group(called(made(fact["source"]), fact["call"], mx.sym.var("data")))
    assert symbol.tojson() == bytes(ARRAYS[f"{key}.symbol"]).decode()


@over(SCENARIOS)
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_predicts_what_mxnet_predicts(key, hybrid):
    fact = SCENARIOS[key]
    with NameManager():
        net, x = filled(fact)
    if hybrid:
        hybridized(net)
    found = called(net, fact["call"], x)
    assert len(found) == sum(name.startswith(f"{key}.out.") for name in ARRAYS.files)
    for i, y in enumerate(found):
        np.testing.assert_allclose(y.asnumpy(), ARRAYS[f"{key}.out.{i}"], **NEAR)


def hybridized(net):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="All children")
        net.hybridize()


@over(TRAINED)
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_trains_as_mxnet_trains(key, hybrid):
    fact = SCENARIOS[key]
    with NameManager():
        net, x = filled(fact)
    if hybrid:
        hybridized(net)
    x.attach_grad()
    with mx.autograd.record():
        ys = [y * 1 for y in called(net, fact["call"], x)]
    mx.autograd.backward(ys, [mx.nd.array(values("head", y.shape)) for y in ys])
    found = {"data": x.grad, **{name: p.grad() for name, p in net.collect_params().items()}}
    for name, grad in found.items():
        np.testing.assert_allclose(grad.asnumpy(), ARRAYS[f"{key}.grad.{name}"], **NEAR, err_msg=name)


@pytest.mark.parametrize("source", [s for s, told in FACTS["shown"].items() if isinstance(told, str)])
def test_shows_what_mxnet_shows(source, tmp_path):
    with NameManager():
        found = made(source, tmp_path)
    assert (found if isinstance(found, str) else repr(found)) == FACTS["shown"][source]


@pytest.mark.parametrize("source", [s for s, told in FACTS["mistakes"].items() if isinstance(told, list)])
@pytest.mark.filterwarnings("ignore")
def test_mistakes_are_refused(source):
    kinds = (MXNetError, AssertionError, AttributeError, NotImplementedError, TypeError, ValueError)
    with NameManager(), pytest.raises(kinds) as caught:
        made(source)
    assert str(caught.value) or FACTS["mistakes"][source][0] == "NotImplementedError"


def test_classes_and_signatures_are_mxnets():
    for name, told in FACTS["signatures"].items():
        module, _, cls = name.partition(".")
        ours = list(signature(getattr({"rnn": rnn, "crnn": crnn}[module], cls)).parameters.values())
        found = [[p.name, None if p.default is p.empty else repr(p.default)] for p in ours]
        assert found[: len(told)] == told or [p for p, _ in found] == [p for p, _ in told], name
    public = {name for name in dir(rnn) if isclass(getattr(rnn, name))}
    assert public == {name.partition(".")[2] for name in FACTS["signatures"] if name.startswith("rnn.")}
