"""Records and their index whose writer is killed at each step: the pair of before or the new one is read."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from hybridonnx.errors import FileError, FormatError, MissingFileError
from hybridonnx.formats import indexed
from hybridonnx.io import ImageRecordIter
from hybridonnx.recordio import IRHeader, MXIndexedRecordIO, pack_img

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
COUNT = 4
CALLS = ("replace", "unlink", "rename", "link", "chmod")
"""What changes names, of which `Path.unlink` calls `os.unlink`."""


def write(folder: Path, value: int) -> None:
    """Records as long as any others, in whose index their keys alone are others'."""
    with MXIndexedRecordIO(folder / "a.idx", folder / "a.rec", "w") as file:
        for i in range(COUNT):
            key = (i + value) % COUNT
            file.write_idx(key, bytes([value, key]))


def read(folder: Path) -> int:
    """Which of the pairs it is, all of whose records must be those of their keys."""
    with MXIndexedRecordIO(folder / "a.idx", folder / "a.rec", "r") as file:
        assert sorted(file.keys) == list(range(COUNT))
        records = {key: file.read_idx(key) or b"" for key in file.keys}
    values = {record[0] for record in records.values()}
    assert len(values) == 1
    assert [record[1] for record in records.values()] == list(records)
    return values.pop()


def killed(folder: Path, value: int, step: int, after: bool) -> bool:
    """Whether a writer lived so long that it was killed before or after a step."""
    pid = os.fork()
    if not pid:
        count = 0

        def stepped(function):
            def call(*args, **kwargs):
                nonlocal count
                count += 1
                if count == step and not after:
                    os.kill(os.getpid(), signal.SIGKILL)
                try:
                    return function(*args, **kwargs)
                finally:
                    if count == step:
                        os.kill(os.getpid(), signal.SIGKILL)

            return call

        for name in CALLS:
            setattr(os, name, stepped(getattr(os, name)))
        try:
            write(folder, value)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def require_pair(folder: Path, *values: int) -> int:
    """One of the pairs, and for who reads the two names alone this too, or no index."""
    value = read(folder)
    assert value in values
    if (folder / "a.idx").exists():
        aside = folder.with_name("aside")
        aside.mkdir(exist_ok=True)
        for name in ("a.idx", "a.rec"):
            (aside / name).write_bytes((folder / name).read_bytes())
        assert read(aside) == value
    return value


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_writer_killed_at_each_step_leaves_the_old_pair_or_the_new_one(tmp_path, after):
    folder, step, values = tmp_path / "pair", 0, []
    folder.mkdir()
    while True:
        write(folder, 1)
        assert names(folder) == ["a.idx", "a.rec"]
        step += 1
        if not killed(folder, 2, step, after):
            break
        values.append(require_pair(folder, 1, 2))
    assert read(folder) == 2
    assert values == sorted(values)
    assert {*values} == {1, 2}
    assert len(values) >= 4


def test_writers_killed_one_after_another_leave_a_pair(tmp_path):
    """Each begins where another was killed, at each step of both."""
    folder, count = tmp_path / "pair", 0
    folder.mkdir()
    write(folder, 1)
    steps = next(step for step in range(1, 99) if not killed(folder, 2, step, True))
    for first in range(1, steps):
        for second in range(1, steps + 1):
            write(folder, 1)
            assert killed(folder, 2, first, True)
            before = require_pair(folder, 1, 2)
            count += killed(folder, 3, second, True)
            require_pair(folder, before, 3)
    write(folder, 1)
    assert names(folder) == ["a.idx", "a.rec"]
    assert count > 9


def test_the_first_writer_that_is_killed_leaves_no_pair_or_its_own(tmp_path):
    for step in range(1, 99):
        folder = tmp_path / f"{step}"
        folder.mkdir()
        if not killed(folder, 1, step, True):
            break
        if (folder / "a.rec").exists():
            require_pair(folder, 1)
        else:
            with pytest.raises(MissingFileError):
                read(folder)
    assert step > 2


def test_an_index_of_no_records_is_not_taken_for_that_of_new_ones(tmp_path):
    for step in range(1, 99):
        folder = tmp_path / f"{step}"
        folder.mkdir()
        write(folder, 1)
        (folder / "a.rec").unlink()
        if not killed(folder, 2, step, True):
            break
        if (folder / "a.rec").exists():
            require_pair(folder, 2)
    assert step > 3
    assert read(folder) == 2


def test_other_records_do_not_get_what_a_killed_writer_left(tmp_path):
    """It tells which records it belongs to: one that was written since has none."""
    write(tmp_path, 1)
    step = next(s for s in range(1, 99) if killed(tmp_path, 2, s, True) and not (tmp_path / "a.idx").exists())
    assert step
    data = (tmp_path / "a.rec").read_bytes()
    (tmp_path / "b.rec").write_bytes(data[::-1])
    os.replace(tmp_path / "b.rec", tmp_path / "a.rec")
    with pytest.raises(MissingFileError, match=r"a\.idx"):
        read(tmp_path)


def test_a_pair_that_is_replaced_while_it_is_opened_is_opened_anew(tmp_path, monkeypatch):
    write(tmp_path, 1)
    opened: list[Any] = []
    find = indexed._open_index

    def replaced(*args):
        if len(opened) < often:
            write(tmp_path, 2 if len(opened) % 2 == 0 else 1)
        opened.append(args)
        return find(*args)

    monkeypatch.setattr(indexed, "_open_index", replaced)
    often = 3
    assert read(tmp_path) == 2
    assert len(opened) == 4
    often = 1 << 30
    with pytest.raises(FormatError, match="records that stay while they are opened"):
        read(tmp_path)


@pytest.mark.parametrize("call", [1, 2, 3, 4])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_step_that_fails_leaves_a_pair(tmp_path, monkeypatch, call, error):
    write(tmp_path, 1)
    replace, count = os.replace, 0

    def failing(*args):
        nonlocal count
        count += 1
        if count == call:
            raise error
        replace(*args)

    file = MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w")
    for i in range(COUNT):
        file.write_idx((i + 2) % COUNT, bytes([2, (i + 2) % COUNT]))
    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises((FileError, KeyboardInterrupt)):
        file.close()
    monkeypatch.undo()
    assert require_pair(tmp_path, 1, 2) == (1 if call < 4 else 2)
    write(tmp_path, 3)
    assert names(tmp_path) == ["a.idx", "a.rec"]


def writing(folder: Path) -> int:
    """A process that writes one pair after the other."""
    pid = os.fork()
    if not pid:
        try:
            while True:
                write(folder, 1)
                write(folder, 2)
        finally:
            os._exit(1)
    return pid


def test_who_opens_a_pair_while_it_is_replaced_reads_one_of_both(tmp_path):
    write(tmp_path, 1)
    pid = writing(tmp_path)
    try:
        values: set[int] = set()
        reads, end = 0, time.monotonic() + 60
        while reads < 400 or (len(values) < 2 and time.monotonic() < end):
            values.add(read(tmp_path))
            reads += 1
    finally:
        os.kill(pid, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    assert values == {1, 2}


def test_two_writers_at_once_leave_the_pair_of_one(tmp_path):
    """One of them is killed at any time, and the other one later."""
    rng, folder = random.Random(3), tmp_path / "pair"
    folder.mkdir()
    write(folder, 1)
    for _ in range(30):
        pids = [writing(folder), writing(folder)]
        for pid in pids:
            time.sleep(rng.random() * 0.01)
            os.kill(pid, signal.SIGKILL)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        require_pair(folder, 1, 2)
    write(folder, 1)
    assert names(folder) == ["a.idx", "a.rec"]


def test_images_are_read_of_the_pair_that_a_killed_writer_left(tmp_path):
    import numpy as np

    def fill(value: int) -> None:
        with MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w") as file:
            for i in range(COUNT):
                image = np.full((4, 4, 3), 10 * value, np.uint8)
                file.write_idx(100 * value + i, pack_img(IRHeader(0, value, i, 0), image, 3, ".png"))

    fill(1)
    left = indexed._kept_name(tmp_path / "a.idx", os.stat(tmp_path / "a.rec"))
    os.replace(tmp_path / "a.idx", left)
    batches = ImageRecordIter(
        path_imgrec=str(tmp_path / "a.rec"),
        path_imgidx=str(tmp_path / "a.idx"),
        data_shape=(3, 4, 4),
        batch_size=COUNT,
    )
    assert batches.next().label[0].asnumpy().tolist() == [1.0] * COUNT
    fill(2)
    assert names(tmp_path) == ["a.idx", "a.rec"]
