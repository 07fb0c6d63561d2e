"""`mx.rnn`: cells make real MXNet's graphs, and language models train with its losses."""

from __future__ import annotations

import pytest

from tests import native_facts

SCENARIOS = [(m, name) for m in ("cells", "sentences") for name in native_facts.names(m, "older")]


@pytest.mark.parametrize(("module", "name"), SCENARIOS, ids=[".".join(s) for s in SCENARIOS])
def test_as_mxnet_shows(module, name, tmp_path):
    native_facts.check(module, name, tmp_path, "older")
