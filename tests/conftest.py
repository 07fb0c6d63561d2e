"""What all tests share."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import hybridonnx as mx
from tests import onnx_case_table

# The same examples each time: a failure is then the change's. A loaded machine is no failure.
settings.register_profile("project", deadline=None, derandomize=True, database=None)
settings.load_profile("project")

# No test starts from what another has left; tests/test_model_cache.py has a cache of its own.
os.environ["HYBRIDONNX_CACHE"] = "0"


@pytest.fixture(autouse=True)
def seeds(request: pytest.FixtureRequest) -> None:
    """The framework's and NumPy's own draws depend on the test's name alone, not on what ran before."""
    seed = zlib.crc32(request.node.nodeid.encode())
    mx.random.seed(seed)
    np.random.seed(seed)


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


class Failures:
    """Names failures when they happen, as a run that is stopped from outside prints no summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the test and what went wrong."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and reporter is not None:
            reporter.write_line(f"\n{report.when} of {report.nodeid}: {reason(report)}")


def reason(report: pytest.TestReport) -> str:
    """What pytest would say in its summary."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr).strip().partition("\n")[0][:200]


def pytest_configure(config: pytest.Config) -> None:
    """Name failures, but not in workers, whose output nobody reads."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what sweeps counted, if they ran."""
    print_exports(terminalreporter, properties(terminalreporter, "exports"))
    cells = properties(terminalreporter, "onnx_cases")
    if cells:
        terminalreporter.section("onnx's cases that are right")
        terminalreporter.line(onnx_case_table.counts(cells))


def properties(reporter: pytest.TerminalReporter, wanted: str) -> list[Any]:
    """All rows that tests recorded under a name."""
    return [
        row
        for reports in reporter.stats.values()
        for report in reports
        for name, rows in getattr(report, "user_properties", ())
        if name == wanted and report.when == "call"
        for row in rows
    ]


def print_exports(terminalreporter: pytest.TerminalReporter, rows: list[Any]) -> None:
    """What the sweep over all exports counted, by opset and dtype."""
    counts: Counter[tuple[int, str, str]] = Counter()
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
