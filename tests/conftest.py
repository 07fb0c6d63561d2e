"""What all tests share."""

from __future__ import annotations

import os
import zlib
from collections import Counter

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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the sweep over all exports counted, if it ran: by opset and dtype."""
    counts: Counter[tuple[int, str, str]] = Counter()
    for report in [r for reports in terminalreporter.stats.values() for r in reports]:
        for name, rows in getattr(report, "user_properties", ()):
            if name == "exports" and report.when == "call":
                counts.update({(opset, dtype, verdict): count for opset, dtype, verdict, count in rows})
    if not counts:
        return
    dtypes = list(dict.fromkeys(dtype for _, dtype, _ in counts))
    terminalreporter.section("exports that agree / are refused / differ")
    terminalreporter.line("opset " + "".join(f"{dtype:>20}" for dtype in dtypes))
    for opset in sorted({opset for opset, _, _ in counts}):
        cells = [
            "/".join(str(counts[opset, dtype, verdict]) for verdict in ("agrees", "refused", "differs"))
            for dtype in dtypes
        ]
        terminalreporter.line(f"{opset:<6}" + "".join(f"{cell:>20}" for cell in cells))
