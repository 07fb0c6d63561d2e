"""Random calls of operators on boxes, regions and images give what they give in real MXNet."""

from __future__ import annotations

import itertools
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from tests import vision_calls as calls

ORACLE = Path(__file__).parent / "oracle"
COMPILED = range(2)
"""The seeds of the calls that run hybridized as well."""
TOLERANCE = 2e-4
"""Of the largest value: sums have other orders."""


@cache
def stored():
    with np.load(ORACLE / "vision_calls.npz") as archive:
        return dict(archive)


def compare(op, seed, arrays, theirs):
    """Raise AssertionError where results differ from real MXNet's."""
    prefix = f"{op}.{seed}."
    assert {prefix + kind for kind in arrays} == {name for name in theirs if name.startswith(prefix)}
    for kind, array in arrays.items():
        expected = theirs[prefix + kind]
        assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1e-3)
        message = f"{prefix}{kind} of {calls.drawn(op, seed)}"
        np.testing.assert_allclose(array, expected, rtol=1e-4, atol=TOLERANCE * scale, err_msg=message)


@pytest.mark.parametrize("seed", calls.SEEDS)
@pytest.mark.parametrize("op", calls.DRAWS)
def test_eager_calls(op, seed):
    compare(op, seed, calls.results(mx, calls.drawn(op, seed)), stored())


@pytest.mark.parametrize("seed", COMPILED)
@pytest.mark.parametrize("op", calls.DRAWS)
def test_hybridized_calls(op, seed):
    call = calls.drawn(op, seed)

    class Block(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, *inputs):
            outputs = calls.run(F, call, list(inputs))
            return outputs[0] if len(outputs) == 1 else outputs

    block = Block()
    block.hybridize()

    def function(*inputs):
        outputs = block(*inputs)
        return outputs if isinstance(outputs, list | tuple) else [outputs]

    compare(op, seed, calls.results(mx, call, function), stored())


@pytest.mark.oracle
def test_calls_of_further_seeds(oracle, tmp_path):
    seeds, target = calls.FURTHER, tmp_path / "calls.npz"
    script = ORACLE / "vision_calls.py"
    subprocess.run([oracle, script, str(seeds.start), str(seeds.stop), target], check=True)
    with np.load(target) as archive:
        theirs = dict(archive)
    for op, seed in itertools.product(calls.DRAWS, seeds):
        compare(op, seed, calls.results(mx, calls.drawn(op, seed)), theirs)
