"""Pickles that real MXNet wrote: states of optimizers, of which nothing is run, and objects of users."""

from __future__ import annotations

import base64
import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError
from hybridonnx.formats import pickles
from tests import pickled

ROOT = Path(__file__).resolve().parents[1]
STORED = json.loads((ROOT / "tests" / "oracle" / "pickles.json").read_text(encoding="utf-8"))
CASES = [(case, rate) for case in pickled.OPTIMIZERS for rate in pickled.RATES]


@pytest.mark.parametrize(("case", "rate"), CASES)
def test_training_goes_on_as_in_mxnet(case, rate, tmp_path):
    states, oldest, before, after = STORED["trained"][f"{case}, {rate}"]
    for text in filter(None, (states, oldest)):
        (tmp_path / "states").write_bytes(base64.b64decode(text))
        net, trainer = pickled.trainer_of(mx, case, rate)
        net.weight.set_data(mx.nd.array(before, dtype=net.weight.dtype))
        trainer.load_states(tmp_path / "states")
        np.testing.assert_allclose(pickled.steps(mx, net, trainer, 3), after, rtol=1e-6)


def test_modules_go_on_as_in_mxnet(tmp_path):
    states, before, after = STORED["module"]
    (tmp_path / "states").write_bytes(base64.b64decode(states))
    module = pickled.module_of(mx)
    pickled.module_steps(mx, module, 3)  # which counts the updates, as such a file does not
    module.set_params({"layer_weight": mx.nd.array(before)}, {}, allow_missing=True)
    module.load_optimizer_states(str(tmp_path / "states"))
    np.testing.assert_allclose(pickled.module_steps(mx, module, 3), after, rtol=1e-6)


UNPICKLED = """
import base64, json, pickle, sys
import hybridonnx.as_mxnet
import mxnet as mx
from tests import pickled
for name, (plain, *texts) in json.load(open(sys.argv[1]))["objects"].items():
    for text in texts:
        given = pickled.plain(pickle.loads(base64.b64decode(text)))
        assert given == (json.loads(json.dumps(pickled.plain(mx.sym.load_json(plain)))) if name == "symbol"
                         else plain), (name, given, plain)
    again = pickled.objects(mx)[name]
    for protocol in (0, 2, 5):
        copied = pickle.loads(pickle.dumps(again, protocol))
        assert json.dumps(pickled.plain(copied)) == json.dumps(pickled.plain(again)), name
"""


def test_users_unpickle_what_mxnet_wrote():
    command = [sys.executable, "-c", UNPICKLED, str(ROOT / "tests" / "oracle" / "pickles.json")]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


class Evil:
    """What runs code when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("made by a pickle",)


@pytest.mark.parametrize("protocol", range(6))
def test_nothing_is_run(protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    updater = mx.optimizer.get_updater(mx.optimizer.Adam())
    for content in ({0: Evil()}, {0: (None, Evil())}, ({0: None}, Evil()), Evil()):
        with pytest.raises(
            FormatError, match=r"are required of a pickle|arrays and plain values are required"
        ):
            updater.set_states(b"\x80\x02" + pickle.dumps(content, protocol))
    assert not [*tmp_path.iterdir()]
    assert updater.states == {}


def shared(levels):
    """A small pickle of 2 ** levels items."""
    value: list[object] = []
    for _ in range(levels):
        value = [value, value]
    return {0: value}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x02.",
        b"\x80\x02}q\x01",
        b"\x80\x02}j\x05\x00\x00\x00.",
        b"\x80\x02N}b.",
        b"\x80\x02e.",
        b"\x80\x02](K\x01u.",
        b"\x80\x02}(K\x01u.",
        b"\x80\x02}](K\x01NuN.",
        b"\x80\x02cbuiltins\nbytes\nM\xff\xff\x85R.",
        b"\x80\x02\x8a\x04abcd.",
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.",
        b"(i__main__\nEvil\n.",
        b"\x80\x02X\x01\x00\x00\x00aQ.",
        pickle.dumps({(1, 2): {3}}),
        pickle.dumps({0: mx.nd.ones((2,))}),
        pickle.dumps({0: np.ones(2)}),
    ],
)
def test_what_is_no_pickle_of_states(content):
    with pytest.raises(FormatError):
        mx.optimizer.get_updater(mx.optimizer.Adam()).set_states(content)


def test_every_cut_and_changed_byte_ends_in_an_error_or_states(rng):
    states = base64.b64decode(STORED["trained"]["adam, scheduler"][0])
    for i in range(0, len(states), 3):
        damaged = bytearray(states)
        damaged[i] = int(rng.integers(256))
        for data in (states[:i], bytes(damaged)):
            updater = mx.optimizer.get_updater(
                mx.optimizer.Adam(lr_scheduler=mx.lr_scheduler.FactorScheduler(2))
            )
            before = copy.copy(vars(updater.optimizer))
            try:
                updater.set_states(data)
            except mx.MXNetError:
                assert (updater.states, vars(updater.optimizer)) == ({}, before)


def test_shared_parts_count_once():
    updater = mx.optimizer.get_updater(mx.optimizer.Adam())
    with pytest.raises(FormatError, match="parts"):
        updater.set_states(pickle.dumps(shared(60), 2))
    ring: list[object] = []
    ring.append(ring)
    with pytest.raises(FormatError):
        updater.set_states(pickle.dumps({0: ring}, 2))


def test_what_is_read_is_plain():
    assert pickles.read(b"\x80\x02}r\xff\xff\xff\xff.") == {}  # at the last place of the memory
    data = {
        "a": [1, -(2**70), 1.5, None, True, "ä", b"b", bytearray(b"c"), ()],
        "b": ((1,), (1, 2), (1, 2, 3, 4)),
    }
    for protocol in range(6):
        read = pickles.read(pickle.dumps(data, protocol))
        assert read == data
    read = pickles.read(pickle.dumps(np.float32(2)))
    assert (read.what.name, read.arguments[0].arguments[0]) == ("scalar", "f4")


def test_parameters_go_by_files():
    with pytest.raises(FormatError, match="hand it over by save_parameters and load_parameters"):
        mx.gluon.Parameter.__new__(mx.gluon.Parameter).__setstate__({"name": "a", "_data": None})
