"""Models and records that real MXNet and this project write for each other."""

from __future__ import annotations

import os
import subprocess

import numpy as np
import pytest

import hybridonnx as mx
from tests import checkpoints

pytestmark = pytest.mark.oracle

RUNS = """
import sys
import mxnet as mx, numpy as np
folder, names = sys.argv[1], sys.argv[2:]
given = np.load(folder + "/inputs.npz")
net = mx.gluon.SymbolBlock.imports(folder + "/ours-symbol.json", names, folder + "/ours-0000.params")
found = net(*[mx.nd.array(given[name]) for name in names])
found = found if isinstance(found, (list, tuple)) else [found]
np.savez(folder + "/outputs.npz", *[y.asnumpy() for y in found])
net.hybridize()
net(*[mx.nd.array(given[name]) for name in names])
net.export(folder + "/theirs")
"""

RECORDS = """
import sys
import mxnet as mx
R, folder = mx.recordio, sys.argv[1]
ours = R.MXIndexedRecordIO(folder + "/ours.idx", folder + "/ours.rec", "r")
theirs = R.MXIndexedRecordIO(folder + "/theirs.idx", folder + "/theirs.rec", "w")
for key in ours.keys:
    header, rest = R.unpack(ours.read_idx(key))
    theirs.write_idx(key, R.pack(header, rest))
theirs.close()
"""


def run(oracle, script, *arguments):
    environment = {**os.environ, "MXNET_SUBGRAPH_BACKEND": "NONE"}
    done = subprocess.run(
        [oracle, "-W", "ignore", "-c", script, *arguments],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("checkpoint", checkpoints.every(), ids=lambda c: c.folder.name)
def test_models(checkpoint, oracle, tmp_path):
    inputs = checkpoint.inputs
    net = mx.gluon.SymbolBlock.imports(checkpoint.symbol, list(inputs), checkpoint.params(tmp_path))
    net.hybridize()
    arrays = [mx.nd.array(a) for a in inputs.values()]
    net(*arrays)
    net.export(str(tmp_path / "ours"))
    np.savez(tmp_path / "inputs.npz", **inputs)
    run(oracle, RUNS, str(tmp_path), *inputs)
    with np.load(tmp_path / "outputs.npz") as archive:
        for a, b in zip(archive.values(), checkpoint.outputs, strict=True):
            assert np.abs(a - b).max() <= 1e-5 * np.abs(b).max()
    theirs = tmp_path / "theirs-symbol.json"
    assert mx.sym.load(theirs).tojson() == theirs.read_text(encoding="utf-8")
    again = mx.gluon.SymbolBlock.imports(str(theirs), list(inputs), str(tmp_path / "theirs-0000.params"))
    outputs = again(*arrays)
    for a, b in zip(outputs if isinstance(outputs, list) else [outputs], checkpoint.outputs, strict=True):
        assert np.abs(a.asnumpy() - b).max() <= 1e-5 * np.abs(b).max()


def test_records(oracle, tmp_path, rng):
    R = mx.recordio
    with R.MXIndexedRecordIO(tmp_path / "ours.idx", tmp_path / "ours.rec", "w") as file:
        for key in range(20):
            label = key * 0.5 if key % 2 else rng.standard_normal(key + 1)
            record = rng.bytes(key * 7) + bytes.fromhex("0a23d7ce") * (key % 3)
            file.write_idx(key, R.pack((0, label, key, 2**40), record))
    run(oracle, RECORDS, str(tmp_path))
    for ending in ("rec", "idx"):
        assert (tmp_path / f"ours.{ending}").read_bytes() == (tmp_path / f"theirs.{ending}").read_bytes()
