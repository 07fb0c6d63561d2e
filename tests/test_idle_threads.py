"""Threads of a session do not take the cores from what a program does between its calls."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtimes import RELEASE

ROOT = Path(__file__).parents[1]
IDLE = """
import sys, time
import numpy as np
import onnxruntime as ort
import hybridonnx as mx

net = mx.gluon.nn.HybridSequential()
for _ in range(4):
    net.add(mx.gluon.nn.Conv2D(64, 3, padding=1, in_channels=64))
net.initialize()
x = np.ones((1, 64, 32, 32), "float32")
data = mx.nd.array(x)
path = mx.onnx.export_model(net, sys.argv[1], input_shapes=[x.shape])
options = ort.SessionOptions()
options.intra_op_num_threads = 2
session = ort.InferenceSession(path, options)
net.hybridize()
eager = mx.gluon.nn.Conv2D(64, 3, padding=1, in_channels=64)
eager.initialize()

def recorded():
    with mx.autograd.record():
        y = net(data)
    y.backward()

calls = [
    lambda: session.run(None, {"data": x}),
    lambda: net(data).wait_to_read(),
    lambda: eager(data).wait_to_read(),
    recorded,
]
for call in calls:
    least = float("inf")
    for _ in range(5):
        call()
        start = time.process_time()
        time.sleep(0.1)
        least = min(least, time.process_time() - start)
    print(least)
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one processor has no threads that wait")
@pytest.mark.skipif(RELEASE < (1, 26), reason="ONNX Runtime has no limit for them")
def test_a_session_at_rest_takes_no_core(tmp_path):
    environment = {**os.environ, "HYBRIDONNX_THREADS": "2", "HYBRIDONNX_CACHE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", IDLE, str(tmp_path / "net.onnx")],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    bare, *ours = map(float, done.stdout.split())
    assert bare > 0.01  # seconds of 0.1: ONNX Runtime's defaults
    assert max(ours) < bare / 3
