"""Parameters, constants and their dictionaries against what real MXNet shows (oracle/gluon.json)."""

from __future__ import annotations

import pytest

from tests.gluon_facts import check, names


@pytest.mark.parametrize("name", names("parameter"))
def test_as_in_mxnet(name, tmp_path):
    check("parameter", name, tmp_path)
