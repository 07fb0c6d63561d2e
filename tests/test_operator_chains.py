"""Random chains of operators give in ONNX Runtime what they give on the kernels, optimized or not."""

from __future__ import annotations

import re

import pytest

from tests.chains.grow import cases, chain_of
from tests.chains.trial import trial

FIRST, PART, ALL = 250, 250, 10_000
REFUSALS = {
    r"(TopK|Add|Div|Floor|ReduceMean|ReduceSum): ONNX at opset \d+ takes .*, got (bool|int8|uint8)\.": (
        "ONNX has no arithmetic of bool, and from some opset on that of bytes"
    ),
    r"(_linalg_det|_singular_values): ONNX says it step by step": (
        "the kernel is faster, so that hybridized graphs run it"
    ),
    r"RNN: at least one step is required": "ONNX Runtime gives states of its own after no step at all",
}
"""What may be said instead of giving a model, and why."""


def check(seeds):
    refused = 0
    for seed in seeds:
        chain, faults, refusal = trial(seed)
        if faults:
            pytest.fail("\n".join([*faults, chain.code()]), pytrace=False)
        if refusal:
            refused += 1
            assert any(re.match(reason, refusal) for reason in REFUSALS), f"{refusal}\n{chain.code()}"
    assert refused <= len(seeds) // 50


def test_chains():
    check(range(FIRST))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FIRST, ALL, PART))
def test_more_chains(first):
    check(range(first, first + PART))


@pytest.mark.slow
def test_every_operator_is_in_a_chain():
    drawn = {step.op.names[0] for seed in range(4000) for step in chain_of(seed).steps}
    assert drawn == {name for name, group in cases().items() if any(case.inputs for case in group)}


def test_a_chain_prints_as_code(capsys):
    chain, _, _ = trial(1)
    exec(compile(chain.code(), "chain", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) >= 4
