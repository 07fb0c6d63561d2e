"""The tests of modules once more, with modules on a device unless a context is given."""

from __future__ import annotations

import pytest

import hybridonnx as mx
from hybridonnx.module import bucketing_module, module
from tests import test_module
from tests.devices import use

OF_THE_PROCESSOR = {
    "test_the_context_is_the_processor_unless_it_is_given",
    "test_fit_runs_in_onnx_runtime_to_the_numbers_of_the_kernels",
    "test_each_batch_size_is_compiled_once",
    "test_custom_operators_run_between_the_sessions_of_a_step",
}
"""Tests of what the default is, and of the processor's sessions."""

globals().update(
    {
        name: value
        for name, value in vars(test_module).items()
        if name not in OF_THE_PROCESSOR and not name.startswith("__") and name != "annotations"
    }
)


@pytest.fixture(autouse=True)
def on_a_device(monkeypatch):
    use(monkeypatch, 1)
    for kind, default in (
        (module.Module, module._CPU),
        (bucketing_module.BucketingModule, bucketing_module._CPU),
    ):
        begin = kind.__init__
        assert any(value is default for value in begin.__defaults__ or ())
        values = [mx.gpu(0) if value is default else value for value in begin.__defaults__ or ()]
        monkeypatch.setattr(begin, "__defaults__", tuple(values))
