"""Feeds damaged files to the readers: see scripts/fuzz."""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

try:
    import atheris
except ImportError:
    atheris = None
is_led = atheris is not None and not any(word.startswith("--engine") for word in sys.argv)
"""Whether coverage leads, which is counted in modules from when they are imported."""
READERS = ("hybridonnx.converters", "hybridonnx.formats", "hybridonnx.parity", "hybridonnx.symbol")
with atheris.instrument_imports(include=[*READERS]) if is_led else nullcontext():
    import hybridonnx
    from tests.fuzz_changes import SEEDS, changed
    from tests.fuzz_targets import CORPUS, SECONDS, TARGETS, files, refuses_or_reads

    for format in TARGETS if is_led else ():  # what is imported when it is called for the first time
        known = [path.read_bytes() for path in files(format)]
        for data in [*known, *(SEEDS[format]()[-1:] if format in SEEDS else [])]:
            refuses_or_reads(format, data)

SLOW = 1.0
LONGEST = 8192
LONGEST_MODEL = 65536
TOKENS = [
    b"0",
    b"-1",
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b"null",
    b"(1,)",
    b"99999999999",
    b"1e999",
    b"\xff",
    b"",
]


def run(name: str, data: bytes) -> None:
    """Run a target; a fault is reported with a file that shows it again."""
    start = time.process_time()
    try:
        refuses_or_reads(name, data)
        if time.process_time() - start > SECONDS.get(name, SLOW) * max(1, len(data) / 1e5):
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
    count = 0

    @settings(max_examples=2000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(known), st.lists(edit, min_size=1, max_size=6))
    def changed(data: bytes, edits: list[tuple[float, int, bytes]]) -> None:
        nonlocal count
        for fraction, cut, put in edits:
            at = int(fraction * len(data))
            data = data[:at] + put + data[at + cut :]
        count += 1
        run(name, data)

    while time.monotonic() < end:
        changed()
    print(f"fuzz: {name}: {count} files, and nothing was found", file=sys.stderr)


def with_changes(name: str, seconds: int) -> None:
    """Models that are changed and still are models; without coverage."""
    known = [*SEEDS[name](), *(path.read_bytes() for path in files(name))]
    draw, count, end = random.Random(), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        count += 1
        run(name, changed(name, draw.choice(known), draw.getrandbits(31), LONGEST_MODEL))
    print(f"fuzz: {name}: {count} models, and nothing was found", file=sys.stderr)


def with_random(name: str, seconds: int) -> None:
    """Changes of the corpus's files and of two of them joined, many in little time."""
    known = [path.read_bytes() for path in files(name)]
    draw, count, end = random.Random(), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        data = bytearray(draw.choice(known))
        for _ in range(draw.randint(1, 8)):
            at = draw.randint(0, len(data))
            kind = draw.randint(0, 4)
            if kind == 0 and data:
                data[at % len(data)] ^= 1 << draw.randint(0, 7)
            elif kind == 1:
                del data[at : at + draw.randint(1, 24)]
            elif kind == 2:
                data[at:at] = draw.choice(TOKENS)
            elif kind == 3:
                data[at : at + 8] = draw.choice([0, 1, 1 << 31, 1 << 62, (1 << 64) - 1]).to_bytes(8, "little")
            else:
                other = draw.choice(known)
                start = draw.randint(0, len(other))
                data[at:] = other[start : start + 400]
        count += 1
        run(name, bytes(data))
    print(f"fuzz: {name}: {count} files, and nothing was found", file=sys.stderr)


def main() -> None:
    """Run as the command line says."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("format", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--engine", choices=("hypothesis", "random"), help="Without it atheris, where it is.")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.format in SEEDS and not is_led:
        with_changes(options.format, options.seconds)
    elif options.engine == "random":
        with_random(options.format, options.seconds)
    elif is_led:
        with_atheris(options.format, options.seconds)
    else:
        with_hypothesis(options.format, options.seconds)


main()
