"""Processes killed, disks full, permissions lacking, calls interrupted: the old file or the new one stays.

`tests/fault_writers.py` has whatever writes files.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from hybridonnx.recordio import MXIndexedRecordIO
from tests.fault_writers import WRITERS, content, others

ROOT = Path(__file__).resolve().parents[1]
KILLS, SLOW_KILLS = 2, 50
"""Of each writer: half of them at a random time, half of them at a random step."""
NOBODY = 65534
INDEXED = {"indexed_records": "a.idx", "images_to_records": "images.idx"}
"""Writers of records, and their index, which has another name while its records are not at theirs."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


class Server:
    """A process that carries orders out in children of its own."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "tests.fault_writers", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "HYBRIDONNX_THREADS": "1", "OMP_NUM_THREADS": "1"},
            text=True,
        )
        self.writers = json.loads(self._answer())
        for name in self.writers:
            (self.folder / name).mkdir()

    def _answer(self):
        return self._process.stdout.readline()

    def _order(self, order):
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return int(self._answer())

    def start(self, writer, do, **order):
        return self._order({"writer": writer, "do": do, **order})

    def wait(self, pid):
        """How a child ended: 0, or by which signal."""
        return self._order({"wait": pid})

    def run(self, writer, do, **order):
        """What a child says, which must end well."""
        assert self.wait(self.start(writer, do, **order)) == 0, (writer, do, order)
        return json.loads((self.folder / writer / "told.json").read_text())

    def prepare(self, writer):
        """The files of both values, and those of the first one where they will be written over."""
        for value in (1, 2):
            if not (self.folder / writer / f"whole{value}").exists():
                self.run(writer, "write", into=f"whole{value}", value=value)
        self.run(writer, "write", value=1)
        target = self.folder / writer / "target"
        assert (
            content(target) == content(self.folder / writer / "whole1") != content(target.parent / "whole2")
        )
        return target

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self._process:
            self._process.stdin.close()


@pytest.fixture(scope="module")
def server():
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        Server(folder) as process,
    ):  # to which everybody may come
        yield process


@pytest.fixture(params=WRITERS)
def writer(request, server):
    if request.param not in server.writers:
        pytest.skip("it needs a package that is not there")
    return request.param


ALIKE = [
    pytest.param(name, marks=pytest.mark.slow) if name in ("proven", "imported") else name for name in WRITERS
]
"""Those that take long write as others do."""


def require_whole(server, writer, target, what):
    """Each file is the old one or the new one."""
    folder = server.folder / writer
    whole = {value: content(folder / f"whole{value}") for value in (1, 2)}
    now = content(target)
    assert set(now) == set(whole[1]), what
    for name, data in now.items():
        assert data in (whole[1][name], whole[2][name]), (what, name)


def require_clean(server, writer, target):
    """One more call leaves its own files, and nothing of those that were killed."""
    server.run(writer, "write", value=2, into=target.name)
    folder = server.folder / writer
    assert content(target) == content(folder / "whole2")
    assert len(others(target)) == len(others(folder / "whole2")), others(target)


def kill(server, writer, target, count, rng):
    """Kill a writer again and again; how many of those processes left something behind."""
    seconds = server.run(writer, "write", value=1)["seconds"]
    steps = server.run(writer, "count", value=1)["steps"]
    left = 0
    for i in range(count):
        if i % 2:
            at = rng.randrange(steps)
            assert server.wait(server.start(writer, "die", value=2, at=at)) in (0, signal.SIGKILL)
            what = f"step {at} of {steps}"
        else:
            pid = server.start(writer, "loop")
            time.sleep(rng.random() * 3 * seconds)
            os.kill(pid, signal.SIGKILL)
            server.wait(pid)
            what = "a random time"
        require_kill_was_harmless(server, writer, target, what)
        left += len(others(target)) > len(others(target.parent / "whole1"))
    return left


def require_kill_was_harmless(server, writer, target, what):
    if writer not in INDEXED:
        require_whole(server, writer, target, what)
        return
    index = INDEXED[writer]
    pairs = [pair_in(server.folder / writer / f"whole{value}", index) for value in (1, 2)]
    assert pair_in(target, index) in pairs, what
    if (target / index).exists():
        require_whole(server, writer, target, what)


def pair_in(folder, index):
    """The records by their keys, in the order of the index."""
    with MXIndexedRecordIO(folder / index, (folder / index).with_suffix(".rec"), "r") as file:
        return [(key, file.read_idx(key)) for key in file.keys]


def test_killed(server, writer):
    target = server.prepare(writer)
    kill(server, writer, target, KILLS, random.Random(writer))
    require_clean(server, writer, target)


@pytest.mark.slow
def test_killed_a_thousand_times(tmp_path):
    rng, left = random.Random(1), 0
    with Server(tmp_path) as server:
        for writer in server.writers:
            target = server.prepare(writer)
            left += kill(server, writer, target, SLOW_KILLS, rng)
            require_clean(server, writer, target)
        assert left > len(server.writers)  # or nothing was killed while it wrote
        assert len(server.writers) * SLOW_KILLS >= 1000


# ---- full disks


COMMANDS = ("index", "images_to_records")
"""They print what is wrong, and say by their codes that something is."""


def require_said(writer, error, target, *kinds):
    """It is MXNet's error and the system's, in one line, with the path of a file that was asked for."""
    assert error is not None
    if writer in COMMANDS and "AssertionError" in error["kinds"]:
        return
    assert {"MXNetError", "OSError", *kinds} <= set(error["kinds"]), error
    assert "\n" not in error["text"]
    assert str(target) in error["text"], error
    assert ".tmp" not in error["text"], error


@pytest.mark.parametrize("writer", ALIKE, indirect=True)
@pytest.mark.parametrize("limit", [0, pytest.param(60, marks=pytest.mark.slow)])
def test_no_file_may_be_longer(server, writer, limit):
    target = server.prepare(writer)
    told = server.run(writer, "limited", limit=limit)
    require_said(writer, told["error"], target, "FileError")
    assert told["as_before"]
    assert len(told["left"]) == len(others(target.parent / "whole1"))
    assert told["as_asked"]
    require_clean(server, writer, target)


@contextlib.contextmanager
def small_disk(folder, size):
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(path, left):
    """Fill a disk but for so many bytes."""
    with open(path, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(65536)):
            pass
    os.truncate(path, max(0, path.stat().st_size - left))


@pytest.mark.parametrize("writer", ALIKE, indirect=True)
@pytest.mark.parametrize("left", [0, *(pytest.param(k << 12, marks=pytest.mark.slow) for k in (1, 2, 8))])
def test_full_disk(server, writer, left):
    target = server.prepare(writer)
    before = content(target)
    mounted = target.parent / f"disk{left}"
    mounted.mkdir()
    with small_disk(mounted, "4m"):
        server.run(writer, "write", value=1, into=mounted.name)
        beside = others(mounted)
        fill(mounted / ".ballast", left)
        told = server.run(writer, "tried", value=2, into=mounted.name)
        require_whole(server, writer, mounted, "a full disk")
        if told["error"] is not None:
            require_said(writer, told["error"], mounted, "FileError")
            assert content(mounted) == before
            assert others(mounted) == sorted([".ballast", *beside])
        assert told["error"] is not None or left
        (mounted / ".ballast").unlink()
        require_clean(server, writer, mounted)


# ---- permissions


@pytest.mark.parametrize("writer", ALIKE, indirect=True)
def test_what_may_not_be_written(server, writer):
    if os.geteuid():
        pytest.skip("needs root, to become somebody else")
    target = server.prepare(writer)
    before = content(target)
    with open_to_all(target):
        told = server.run(writer, "tried", value=2, user=NOBODY)
    require_said(writer, told["error"], target, "FileError", "PermissionError")
    assert content(target) == before
    require_clean(server, writer, target)


@contextlib.contextmanager
def open_to_all(folder):
    """Let everybody come to a folder, and read there."""
    modes = {path: path.stat().st_mode for path in (folder, folder.parent, folder.parents[1])}
    for path in modes:
        path.chmod(0o755)
    folder.parent.chmod(0o777)  # what is said goes there
    (folder.parent / "told.json").unlink(missing_ok=True)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
        (folder.parent / "told.json").unlink(missing_ok=True)
