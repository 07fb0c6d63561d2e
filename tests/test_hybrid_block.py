"""HybridBlocks against what real MXNet shows (oracle/gluon.json)."""

from __future__ import annotations

import pytest

from tests.gluon_facts import check, names


@pytest.mark.parametrize("name", names("hybrid_block"))
def test_as_in_mxnet(name, tmp_path):
    check("hybrid_block", name, tmp_path)
