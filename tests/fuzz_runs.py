"""Changed files by their numbers, read in processes of their own: see scripts/fuzz."""

from __future__ import annotations

import hashlib
import resource
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from tests.case_processes import Job, run_jobs
from tests.fuzz_changes import SEEDS, changed
from tests.fuzz_targets import CORPUS, TARGETS, files, limits_of
from tests.verdicts import judged

_LONGEST = 65536
_SMALL = 3000
_SMALL_SHARE = 0.95
"""The share of files that are made of small ones, of which there are many in the time of a large one."""
_MEMORY = 12 << 30
_TIMEOUT = 60


class Fuzzing:
    """Files of a format, each by its number and a seed."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self._seed = name, seed
        made = SEEDS[name]() if name in SEEDS else []
        self._known = sorted({*made, *(path.read_bytes() for path in files(name))})
        self._small = [data for data in self._known if len(data) <= _SMALL] or self._known

    def file(self, number: int) -> bytes:
        """The file of a number."""
        draw = Random(f"{self._seed}-{number}")
        known = self._small if draw.random() < _SMALL_SHARE else self._known
        return changed(self.name, draw.choice(known), draw.getrandbits(31), _LONGEST, known)

    def results(self, numbers: Iterable[int], processes: int) -> Iterator[tuple[int, str]]:
        """The numbers of files with what became of them, in the order in which they are done."""

        def work(job: Job) -> str:
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            data = self.file(job.case)
            return judged(lambda: TARGETS[self.name](data), limits_of(self.name, data))

        for job, result in run_jobs((Job(n, self.name) for n in numbers), work, processes, _TIMEOUT):
            yield job.case, result

    def keep(self, number: int) -> Path:
        """Write a file into the corpus, so that the tests replay it."""
        data = self.file(number)
        path = CORPUS / self.name / f"found-{hashlib.sha1(data).hexdigest()[:12]}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return path
