"""Devices for tests: the processor in their place or, for `scripts/test --gpu`, GPUs."""

from __future__ import annotations

import os

import pytest

import hybridonnx as mx

REAL = bool(os.environ.get("HYBRIDONNX_TEST_GPU"))
two = pytest.mark.skipif(
    REAL and mx.context.num_gpus() < 2, reason="two GPUs are required, and the processor plays none here"
)
stand_in = pytest.mark.skipif(REAL, reason="it is about the processor in a GPU's place")


def use(monkeypatch, count: int = 2) -> None:
    """Have so many devices for a test."""
    if not REAL:
        monkeypatch.setenv("HYBRIDONNX_FAKE_GPU", str(count))
