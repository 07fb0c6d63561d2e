"""A process killed while it writes leaves the old file or the whole new one, never a part."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

KILLS = 200

SERVER = """
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

def write(where, value):
    for p in net.collect_params().values():
        p.set_data(mx.nd.full(p.shape, value))
    arrays["w"][:] = value
    net.export(where + "/exported", epoch=1)
    net.save_parameters(where + "/saved.params")
    mx.nd.save(where + "/arrays.params", arrays)

for value in (1, 2):
    os.mkdir(f"{folder}/whole{value}")
    write(f"{folder}/whole{value}", value)
os.mkdir(folder + "/target")
write(folder + "/target", 1)
print("ready", flush=True)
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        while True:
            for value in (2, 1):
                write(folder + "/target", value)
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("dead", flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_killed_at_random_moments(tmp_path):
    rng = random.Random(5)
    root = Path(__file__).resolve().parents[1]
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", SERVER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=root,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    with server.stdin as orders, server.stdout as answers:
        assert answers.readline() == "ready\n"
        names = sorted(p.name for p in (tmp_path / "whole1").iterdir())
        assert len(names) == 4
        whole = {name: {(tmp_path / f"whole{v}" / name).read_bytes() for v in (1, 2)} for name in names}
        for _ in range(KILLS):
            print("write", file=orders, flush=True)
            pid = int(answers.readline())
            time.sleep(rng.random() * 0.03)
            os.kill(pid, signal.SIGKILL)
            assert answers.readline() == "dead\n"
            for name in names:
                assert (tmp_path / "target" / name).read_bytes() in whole[name], name
    assert server.wait() == 0
