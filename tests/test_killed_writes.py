"""A process killed while it writes leaves the old file or the whole new one, never a part."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import pytest

import hybridonnx as mx

KILLS = 200

NATIVE = """
import os, sys
import numpy as np
import hybridonnx as mx
from hybridonnx.gluon import nn

folder = sys.argv[1]
net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(nn.Dense(256, in_units=256), nn.Dense(256, in_units=256))
net.initialize()
with mx.autograd.record():  # traced, and run on the kernels: no threads before the fork
    net.hybridize()
    net(mx.nd.ones((1, 256)))
arrays = {"w": mx.nd.ones((256, 256)), "b": mx.nd.ones((7,))}

def write(value, where="target"):
    for p in net.collect_params().values():
        p.set_data(mx.nd.full(p.shape, value))
    arrays["w"][:] = value
    net.export(f"{folder}/{where}/exported", epoch=1)
    net.save_parameters(f"{folder}/{where}/saved.params")
    mx.nd.save(f"{folder}/{where}/arrays.params", arrays)

for value in (1, 2):
    os.mkdir(f"{folder}/whole{value}")
    write(value, f"whole{value}")
os.mkdir(folder + "/target")
write(1)
"""

PAIR = """
import os, sys
import numpy as np
from hybridonnx import symbol as sym
from hybridonnx.converters import to_onnx
from hybridonnx.converters.to_onnx import _file

_file.PROTOBUF_LIMIT = 100  # instead of 2 GB
path = sys.argv[1] + "/m.onnx"
models = {v: sym.broadcast_add(sym.var("x"), sym.var("w"), name=f"sum{v}") for v in (1, 2)}
weights = {v: {"w": np.full((256, 256), v, "float32")} for v in (1, 2)}

def write(value):
    to_onnx.export_model(models[value], weights[value], [(256,)], onnx_file_path=path)

write(1)
"""

PROVEN = """
import os, sys
import numpy as np
import hybridonnx as mx
from hybridonnx import nd, sym

path = sys.argv[1] + "/m.onnx"
models = {v: sym.broadcast_add(sym.var("x"), sym.var("w"), name=f"sum{v}") for v in (1, 2)}
weights = {v: {"w": nd.array(np.full((256, 256), v, "float32"))} for v in (1, 2)}

def write(value, verify=True):
    mx.onnx.export_model(
        models[value], weights[value], [(256,)], onnx_file_path=path, external_data=True, verify=verify
    )

write(1, verify=False)  # or ONNX Runtime would have threads before the fork
"""

SERVE = """
print("ready", flush=True)
for line in sys.stdin:
    order, *pids = line.split()
    if order == "once":
        write(1)
    for pid in pids:
        os.waitpid(int(pid), 0)
    pid = os.fork() if order == "fork" else -1
    if pid == 0:
        while True:
            for value in (2, 1):
                write(value)
    print(pid, flush=True)
"""


class Server:
    """A process whose children write until they are killed."""

    def __init__(self, script, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", script + SERVE, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).resolve().parents[1],
            text=True,
        )
        assert self._answer() == "ready"

    def _answer(self):
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip()

    def order(self, text):
        print(text, file=self.process.stdin, flush=True)
        return int(self._answer())

    def kill(self, *pids):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.order(f"wait {' '.join(map(str, pids))}")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        with self.process:
            pass
        assert self.process.returncode == 0


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def test_killed_at_random_moments(tmp_path):
    rng = random.Random(5)
    with Server(NATIVE, tmp_path) as server:
        names = sorted(p.name for p in (tmp_path / "whole1").iterdir())
        assert len(names) == 4
        whole = {name: {(tmp_path / f"whole{v}" / name).read_bytes() for v in (1, 2)} for name in names}
        for _ in range(KILLS):
            pid = server.order("fork")
            time.sleep(rng.random() * 0.03)
            server.kill(pid)
            for name in names:
                assert (tmp_path / "target" / name).read_bytes() in whole[name], name
        server.order("once")
        assert sorted(os.listdir(tmp_path / "target")) == names


def value_of(path):
    """Which of the two models with weights beside it is there; the graph and the weights must agree."""
    model = onnx.load(path)
    weights = onnx.numpy_helper.to_array(model.graph.initializer[0])
    value = int(model.graph.output[0].name.removeprefix("sum").removesuffix("_output"))
    np.testing.assert_array_equal(weights, np.full((256, 256), value, "float32"))
    return value


@pytest.mark.parametrize("writers", [1, 2])
def test_weights_beside_a_model_are_its_own_whenever_writers_are_killed(tmp_path, writers):
    rng = random.Random(7)
    path, values, left = tmp_path / "m.onnx", set(), 0
    with Server(PAIR, tmp_path) as server:
        for _ in range(KILLS // 2):
            pids = [server.order("fork") for _ in range(writers)]
            time.sleep(rng.random() * 0.03)
            server.kill(*pids)
            values.add(value_of(path))
            left = max(left, len(os.listdir(tmp_path)) - 2)
        assert values == {1, 2}
        assert left  # or nothing was killed while it wrote
        server.order("once")
    assert value_of(path) == 1
    assert len(os.listdir(tmp_path)) == 2


def test_a_process_killed_while_it_proves_leaves_the_older_pair(tmp_path, monkeypatch):
    monkeypatch.setenv("HYBRIDONNX_THREADS", "1")
    rng = random.Random(9)
    path, left = tmp_path / "m.onnx", 0
    with Server(PROVEN, tmp_path) as server:
        for _ in range(KILLS // 10):
            pid = server.order("fork")
            time.sleep(rng.random() * 0.3)
            server.kill(pid)
            assert value_of(path) in (1, 2)
            left = max(left, len(os.listdir(tmp_path)) - 3)
        assert left
        server.order("once")
    assert value_of(path) == 1
    assert mx.onnx.check_manifest(path).ok()
    assert len(os.listdir(tmp_path)) == 3
