"""Custom operators, iterators, modules and record files show what they show in real MXNet."""

from __future__ import annotations

import pytest

from tests import native_facts

MODULES = (
    "custom batches module records training callbacks module_kinds iterators monitors sparse released stale "
    "begin_states"
).split()
SCENARIOS = [(m, name) for m in MODULES for name in native_facts.names(m)]


@pytest.mark.parametrize(("module", "name"), SCENARIOS, ids=[".".join(s) for s in SCENARIOS])
def test_as_mxnet_shows(module, name, tmp_path):
    native_facts.check(module, name, tmp_path)
