"""What all tests share."""

from __future__ import annotations

import os
import zlib

import numpy as np
import pytest
from hypothesis import settings

# The same examples each time: a failure is then the change's. A loaded machine is no failure.
settings.register_profile("project", deadline=None, derandomize=True, database=None)
settings.load_profile("project")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on the test's name alone."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture(scope="session")
def oracle() -> str:
    """The Python that has Apache MXNet 1.9.1."""
    python = os.environ.get("HYBRIDONNX_ORACLE")
    if not python:
        pytest.skip("no environment with Apache MXNet; scripts/test --oracle makes one")
    return python
