"""Feeds damaged files to the readers: see scripts/fuzz."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import count, takewhile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

try:
    import atheris
except ImportError:
    atheris = None
is_led = atheris is not None and not any(word.startswith(("--engine", "--runs")) for word in sys.argv)
"""Whether coverage leads, which is counted in modules from when they are imported."""
READERS = ("hybridonnx.converters", "hybridonnx.formats", "hybridonnx.parity", "hybridonnx.symbol")
with atheris.instrument_imports(include=[*READERS]) if is_led else nullcontext():
    import hybridonnx
    from tests.fuzz_changes import SEEDS, TOKENS, changed
    from tests.fuzz_runs import Fuzzing
    from tests.fuzz_targets import CORPUS, TARGETS, files, limits_of, refuses_or_reads
    from tests.verdicts import FINE

    for format in TARGETS if is_led else ():  # what is imported when it is called for the first time
        known = [path.read_bytes() for path in files(format)]
        for data in [*known, *(SEEDS[format]()[-1:] if format in SEEDS else [])]:
            refuses_or_reads(format, data)

LONGEST = 8192
LONGEST_MODEL = 65536


def run(name: str, data: bytes) -> None:
    """Run a target; a fault is reported with a file that shows it again."""
    start = time.process_time()
    try:
        refuses_or_reads(name, data)
        if time.process_time() - start > limits_of(name, data).seconds:
            raise TimeoutError(f"{time.process_time() - start:.1f} s for {len(data)} bytes")
    except BaseException:
        path = CORPUS / name / f"found-{hashlib.sha1(data).hexdigest()[:12]}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        print(f"fuzz: {name}: this file is not read as it should be: {path}", file=sys.stderr)
        raise


def with_atheris(name: str, seconds: int) -> None:
    """Coverage leads; atheris ends the process."""
    folder = str(CORPUS / name)
    print(f"fuzz: {name} of {hybridonnx.__version__}, {seconds} s of atheris", file=sys.stderr)
    longest = LONGEST_MODEL if name in SEEDS else LONGEST
    arguments = [sys.argv[0], f"-max_total_time={seconds}", f"-max_len={longest}", "-rss_limit_mb=4096"]
    arguments += [f"-artifact_prefix={folder}/found-", "-reload=0", "-timeout=60", *seeds(name)]
    more: Any = {}
    if name in SEEDS:  # changes that keep a model a model; one in eight is of bytes

        def change(data: bytes, most: int, seed: int) -> bytes:
            return atheris.Mutate(data, most) if seed % 8 == 0 else changed(name, data, seed, most)

        more["custom_mutator"] = change
    atheris.Setup(arguments, target(name), **more)
    atheris.Fuzz()


def seeds(name: str) -> list[str]:
    """A folder for what atheris finds worth keeping, the corpus, and what else to begin with."""
    import tempfile

    folder = tempfile.mkdtemp(prefix="fuzz-")
    for i, data in enumerate(SEEDS[name]() if name in SEEDS else ()):
        Path(folder, f"seed-{i}").write_bytes(data)
    return [folder, str(CORPUS / name)]


def target(name: str) -> Any:
    """What atheris calls."""
    return lambda data: run(name, data)


def with_hypothesis(name: str, seconds: int) -> None:
    """Changes of the corpus's files, and what hypothesis makes smaller of those that fail."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    known = [path.read_bytes() for path in files(name)]
    edit = st.tuples(
        st.floats(0, 1), st.integers(0, 16), st.one_of(st.sampled_from(TOKENS), st.binary(max_size=8))
    )
    end = time.monotonic() + seconds
    tried = 0

    @settings(max_examples=2000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(known), st.lists(edit, min_size=1, max_size=6))
    def changed(data: bytes, edits: list[tuple[float, int, bytes]]) -> None:
        nonlocal tried
        for fraction, cut, put in edits:
            at = int(fraction * len(data))
            data = data[:at] + put + data[at + cut :]
        tried += 1
        run(name, data)

    while time.monotonic() < end:
        changed()
    print(f"fuzz: {name}: {tried} files, and nothing was found", file=sys.stderr)


def with_processes(name: str, numbers: Iterable[int], seed: int, processes: int) -> int:
    """Changed files, read in processes that may die; how many are at fault."""
    fuzzing = Fuzzing(name, seed)
    start, counts = time.monotonic(), Counter[str]()
    for number, result in fuzzing.results(numbers, processes):
        kind = result if result in FINE else "at fault"
        counts[kind] += 1
        if kind == "at fault":
            path = fuzzing.keep(number)
            print(f"fuzz: {name}: {result}\n  by file {number} of seed {seed}: {path}", file=sys.stderr)
        if sum(counts.values()) % 1000 == 0:
            tell(name, start, counts)
    tell(name, start, counts)
    return counts["at fault"]


def tell(name: str, start: float, counts: Mapping[str, int]) -> None:
    """Say how far it is."""
    done = sum(counts.values())
    rate = done / (time.monotonic() - start)
    print(f"fuzz: {name}: {done} files, {rate:.0f} per s, {dict(counts)}", file=sys.stderr, flush=True)


def in_time(end: float) -> Iterator[int]:
    """The numbers from 0 on, until a time."""
    return takewhile(lambda _: time.monotonic() < end, count())


def main() -> None:
    """Run as the command line says."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("format", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--engine", choices=("hypothesis",), help="Without it atheris, where it is.")
    parser.add_argument("--runs", type=int, help="So many files by random changes, whatever they bring down.")
    parser.add_argument("--seed", type=int, default=0, help="Of these changes.")
    parser.add_argument("--processes", type=int, default=2, help="That read them.")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    end = time.monotonic() + options.seconds
    if options.runs is not None or (options.format in SEEDS and not is_led):
        numbers = range(options.runs) if options.runs is not None else in_time(end)
        sys.exit(min(with_processes(options.format, numbers, options.seed, options.processes), 1))
    if is_led:
        with_atheris(options.format, options.seconds)
    else:
        with_hypothesis(options.format, options.seconds)


main()
