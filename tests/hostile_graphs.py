"""Graphs of MXNet's operators with one attribute at an extreme, each exported in a process of its own."""

from __future__ import annotations

import json
import re
import resource
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hybridonnx.ops import find
from tests.case_processes import Job, run_jobs
from tests.fuzz_changes import symbol_seeds
from tests.fuzz_targets import export, limits_of
from tests.verdicts import judged

EXTREMES = ("1000000000", "-1000000000", "2147483648", "(1000000000, 1000000000)", "(1000000000,)", "1e9")
_MEMORY = 12 << 30
_TIMEOUT = 60


class Extreme(NamedTuple):
    """A graph, and what is odd about it."""

    name: str
    data: bytes


def graphs() -> list[Extreme]:
    """A graph of each operator, with each of its attributes that are numbers at each extreme."""
    return [graph for seed in symbol_seeds() for graph in _extremes(seed)]


def _extremes(seed: bytes) -> Iterator[Extreme]:
    for place, node in enumerate(json.loads(seed)["nodes"]):
        if node["op"] == "null":
            continue
        known = node.get("attrs", {})
        for name, attribute in find(node["op"]).schema().items():
            if not re.search(r"[0-9(]|None", known.get(name, str(attribute.default))):
                continue
            for value in EXTREMES:
                content = json.loads(seed)
                content["nodes"][place].setdefault("attrs", {})[name] = value
                yield Extreme(f"{node['op']}({name}={value})", json.dumps(content).encode())


def verdicts(todo: Sequence[Extreme], processes: int = 1) -> Iterator[tuple[str, str]]:
    """What becomes of each, by name."""

    def work(job: Job) -> str:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        data = todo[job.case].data
        return judged(lambda: export(data), limits_of("export", data))

    jobs = (Job(i, "export") for i in range(len(todo)))
    for job, result in run_jobs(jobs, work, processes, _TIMEOUT):
        yield todo[job.case].name, result
