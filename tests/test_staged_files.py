"""Files under temporary names: who removes them, and what they must not touch."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd
from hybridonnx.errors import FileError, MissingFileError
from hybridonnx.formats import files
from hybridonnx.formats.files import GrowingFile, StagedFile, scratch_folder, write_atomically, write_together
from hybridonnx.recordio import MXIndexedRecordIO, MXRecordIO

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.skipif(files.fcntl is None, reason="nobody can tell here who is alive")


def abandoned(folder, prefix=".model.params.", age=0.0):
    """A file that a killed writer has left."""
    path = folder / files._temporary_name(prefix)
    path.write_bytes(b"half")
    os.utime(path, times=(time.time() - age,) * 2)
    return path


def test_any_writer_cleans_up_after_killed_ones(tmp_path):
    abandoned(tmp_path)
    abandoned(tmp_path, ".of another name.")
    nd.save(str(tmp_path / "x.params"), nd.ones((2,)))
    assert os.listdir(tmp_path) == ["x.params"]


def test_what_is_left_of_a_file_that_is_not_to_be_changed(tmp_path, monkeypatch):
    left, opened = abandoned(tmp_path), os.open

    def refuse(path, flags, *mode):
        if Path(path) == left and flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied", path)
        return opened(path, flags, *mode)

    monkeypatch.setattr(os, "open", refuse)
    write_atomically(tmp_path / "x", [b"1"])
    assert os.listdir(tmp_path) == ["x"]


def test_a_living_writer_is_spared(tmp_path):
    writing = StagedFile(tmp_path / "model.params")
    writing.write(b"half")
    nd.save(str(tmp_path / "x.params"), nd.ones((2,)))
    nd.save(str(tmp_path / "model.params"), nd.ones((2,)))
    writing.write(b" and half")
    writing.complete()
    writing.take_place()
    writing.close()
    assert (tmp_path / "model.params").read_bytes() == b"half and half"
    assert sorted(os.listdir(tmp_path)) == ["model.params", "x.params"]


HOLD = """
import sys, time
from hybridonnx.formats.files import StagedFile, ScratchFolder
file, folder = StagedFile(sys.argv[1] + "/model.params"), ScratchFolder(sys.argv[1])
print("ready", flush=True)
time.sleep(100)
"""


def test_another_process_is_spared_until_it_is_killed(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    with process:
        assert process.stdout.readline() == "ready\n"
        write_atomically(tmp_path / "x", [b"1"])
        assert len(os.listdir(tmp_path)) == 3
        process.kill()
    write_atomically(tmp_path / "x", [b"2"])
    assert os.listdir(tmp_path) == ["x"]


def test_files_of_users_are_spared(tmp_path):
    names = [
        ".model.params.original.tmp",
        "model.params.tmp",
        f"x.hybridonnx-{files._machine()}-{'0' * 16}.tmp",
        f".x.hybridonnx-{files._machine()}-{'0' * 16}.tmp.bak",
    ]
    for name in names:
        (tmp_path / name).write_bytes(b"mine")
    nd.save(str(tmp_path / "model.params"), nd.ones((2,)))
    assert sorted(os.listdir(tmp_path)) == sorted([*names, "model.params"])


def test_links_and_pipes_that_strangers_made(tmp_path):
    """Of such names, as they may in a folder for everybody: none is followed, and none is waited for."""
    secret, pipe, links = tmp_path / "secret", tmp_path / files._temporary_name(".a."), []
    secret.mkdir()
    (secret / "kept").write_bytes(b"mine")
    os.mkfifo(pipe, 0o400)
    for target in (secret, secret / "kept", tmp_path / "nothing"):
        links.append(tmp_path / files._temporary_name(".b."))
        links[-1].symlink_to(target)
    write_atomically(tmp_path / "x", [b"1"])
    assert (secret / "kept").read_bytes() == b"mine"
    assert all(link.is_symlink() for link in links)
    assert (tmp_path / "x").read_bytes() == b"1"


def test_other_machines_have_a_day(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(files, "_machine", lambda: "0badcafe")
        young, old = abandoned(tmp_path), abandoned(tmp_path, age=100_000)
    write_atomically(tmp_path / "x", [b"1"])
    assert young.exists()
    assert not old.exists()


def test_folders_that_cannot_be_listed(tmp_path, monkeypatch):
    def refuse(folder):
        raise PermissionError(13, "Permission denied", folder)

    monkeypatch.setattr(os, "listdir", refuse)
    nd.save(str(tmp_path / "x.params"), {"w": nd.ones((2,))})
    assert nd.load(str(tmp_path / "x.params"))["w"].shape == (2,)


def test_long_names_of_any_letters(tmp_path):
    for name in ("x" * 255, "𝄞" * 63, "é" * 127):
        write_atomically(tmp_path / name, [b"1"])
    assert len(os.listdir(tmp_path)) == 3
    with pytest.raises(FileError, match=r"x{256}"):
        write_atomically(tmp_path / ("x" * 256), [b"1"])
    assert len(os.listdir(tmp_path)) == 3


def test_links_in_a_circle(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(mx.MXNetError, match=r"/a'"):
        nd.load(str(tmp_path / "a"))
    with pytest.raises(mx.MXNetError, match=r"/a'"):
        nd.save(str(tmp_path / "a"), nd.ones((2,)))
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_permissions(umask, tmp_path):
    """A new file has what the system gives it; one that replaces another has what that had."""
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "new", [b"1"])
        (tmp_path / "old").write_bytes(b"1")
        (tmp_path / "old").chmod(0o604)
        write_atomically(tmp_path / "old", [b"2"])
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o666 & ~umask
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o604


def test_nobody_reads_a_secret_while_it_is_written(tmp_path):
    (tmp_path / "secret").write_bytes(b"1")
    (tmp_path / "secret").chmod(0o600)
    staged = StagedFile(tmp_path / "secret")
    assert staged.path.stat().st_mode & 0o777 == 0o600
    staged.close()


def test_together_or_not_at_all(tmp_path):
    for name in "ab":
        (tmp_path / name).write_bytes(b"old")
    with pytest.raises(MissingFileError, match=r"nowhere/c'"):
        write_together(
            [(tmp_path / "a", [b"1"]), (tmp_path / "nowhere" / "c", [b"1"]), (tmp_path / "b", [b"1"])]
        )
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"old"}
    write_together([(tmp_path / "a", [b"1"]), (tmp_path / "b", [b"1"])])
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"1"}


@pytest.mark.parametrize("after", [False, True])
def test_an_interrupt_between_two_names_waits(after, tmp_path, monkeypatch):
    replace, calls = os.replace, []

    def interrupted(source, target):
        calls.append(target)
        if len(calls) > 1:
            return replace(source, target)
        if after:
            replace(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_together([(tmp_path / "a", [b"1"]), (tmp_path / "b", [b"1"])])
    assert sorted(os.listdir(tmp_path)) == (["a", "b"] if after else [])


def test_scratch_folders(tmp_path):
    left = tmp_path / files._temporary_name(".scratch.")
    left.mkdir()
    (left / "profile.json").write_bytes(b"half")
    with scratch_folder(tmp_path) as first, scratch_folder(tmp_path) as second:
        assert len({first, second, *(str(path) for path in tmp_path.iterdir())}) == 2
        Path(first, "x").write_bytes(b"1")
        write_atomically(tmp_path / "x", [b"1"])
        assert Path(first, "x").exists()
    assert os.listdir(tmp_path) == ["x"]


def test_weights_of_models_by_other_names_stay(tmp_path):
    """Copies of a model need its weights, whatever they are called."""
    graph = mx.sym.broadcast_add(mx.sym.var("x"), mx.sym.var("w"))
    path = str(tmp_path / "m.onnx")
    for value, copy in ((1, "m.onnx.bak"), (2, "kept"), (3, None)):
        mx.onnx.export_model(
            graph, {"w": nd.full((4,), value)}, [(4,)], onnx_file_path=path, external_data=True
        )
        if copy:
            (tmp_path / copy).write_bytes(Path(path).read_bytes())
    assert len(list(tmp_path.glob("*.data"))) == 3
    for value, copy in ((1, "m.onnx.bak"), (2, "kept")):
        _, arrays, _ = mx.onnx.import_model(str(tmp_path / copy))
        np.testing.assert_array_equal(arrays["w"].asnumpy(), np.full(4, value, "float32"))
        (tmp_path / copy).unlink()
    mx.onnx.export_model(graph, {"w": nd.full((4,), 4)}, [(4,)], onnx_file_path=path, external_data=True)
    assert len(list(tmp_path.glob("*.data"))) == 1


# ---- records


def keys_and_records(folder):
    with MXIndexedRecordIO(folder / "a.idx", folder / "a.rec", "r") as file:
        return {key: file.read_idx(key) for key in file.keys}


def test_records_take_their_place_when_they_are_closed(tmp_path):
    first = MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w")
    first.write_idx(1, b"one")
    first.close()
    second = MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w")
    second.write_idx(2, b"two")
    assert keys_and_records(tmp_path) == {1: b"one"}
    second.reset()
    second.write_idx(3, b"three")
    second.close()
    assert keys_and_records(tmp_path) == {3: b"three"}
    third = MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w")
    with pytest.raises(KeyError), third:
        third.write_idx(third.idx["no key"], b"four")
    assert keys_and_records(tmp_path) == {3: b"three"}
    assert sorted(os.listdir(tmp_path)) == ["a.idx", "a.rec"]


def test_records_that_are_not_closed(tmp_path):
    (tmp_path / "a.rec").write_bytes(b"before")
    MXRecordIO(tmp_path / "a.rec", "w").__enter__()  # an interrupt came before the first record
    assert (tmp_path / "a.rec").read_bytes() == b"before"
    with pytest.raises(MissingFileError):
        MXIndexedRecordIO(tmp_path / "nowhere" / "a.idx", tmp_path / "a.rec", "w")
    assert (tmp_path / "a.rec").read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["a.rec"]
    MXRecordIO(tmp_path / "a.rec", "w").write(b"1")
    with MXRecordIO(tmp_path / "a.rec", "r") as file:
        assert [file.read(), file.read()] == [b"1", None]


FULL_FOR_A_WHILE = """
import resource, signal, sys
from hybridonnx.recordio import MXIndexedRecordIO
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder, failed = sys.argv[1], 0
file = MXIndexedRecordIO(folder + "/a.idx", folder + "/a.rec", "w")
for i in range(100):
    full = 20 <= i < 70
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000 if full else -1, -1))
    try:
        file.write_idx(i, bytes([i]) * 1000)
    except OSError:
        failed += 1
file.close()
print(failed)
"""


def test_records_that_a_full_disk_cuts_are_left_out(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FULL_FOR_A_WHILE, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    records = keys_and_records(tmp_path)
    assert records == {key: bytes([key]) * 1000 for key in records}
    assert 25 < len(records) == 100 - int(done.stdout) < 75
    with MXRecordIO(tmp_path / "a.rec", "r") as file:
        assert [file.read() for _ in records] == [*records.values()]
        assert file.read() is None


FORK = """
import os, sys
from hybridonnx.formats.files import ScratchFolder, StagedFile
folder, file = ScratchFolder(sys.argv[1]), StagedFile(sys.argv[1] + "/x")
file.write(b"one")
pid = os.fork()
if not pid:
    folder.close()
    file.close()
    sys.exit()
assert not os.waitpid(pid, 0)[1]
assert os.path.isdir(folder.path)
file.complete()
file.take_place()
file.close()
folder.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_copies_that_a_fork_makes(tmp_path):
    subprocess.run([sys.executable, "-c", FORK, str(tmp_path)], cwd=ROOT, check=True)
    assert (tmp_path / "x").read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["x"]


LEFT_OPEN = """
import os, sys
from hybridonnx.recordio import MXRecordIO
file = MXRecordIO(sys.argv[1], "w")
file.write(b"one")
pid = os.fork()
if not pid:
    sys.exit()  # the copy of the file writes nothing, and does not take its place
os.waitpid(pid, 0)
assert not os.path.exists(sys.argv[1])
file.write(b"two")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_file_that_nobody_closes(tmp_path):
    path = tmp_path / "a.rec"
    subprocess.run([sys.executable, "-c", LEFT_OPEN, str(path)], cwd=ROOT, check=True)
    with MXRecordIO(path, "r") as file:
        assert [file.read() for _ in range(3)] == [b"one", b"two", None]
    assert os.listdir(tmp_path) == ["a.rec"]


def test_pieces_or_nothing(tmp_path):
    file = GrowingFile(tmp_path / "x")
    file.append(b"one,")
    file._file.write(b"half of tw")
    file.append(b"two,")
    file.append(b"three,")
    file.size -= len(b"three,")
    file.complete()
    file.staged.take_place()
    file.close()
    assert (tmp_path / "x").read_bytes() == b"one,two,"
