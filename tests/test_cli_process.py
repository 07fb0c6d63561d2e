"""The command line as a process: pipes that close, Ctrl-C, names and encodings of any kind, full disks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.cli import _output

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-m", "hybridonnx"]
LONG = "very_long_name_" * 200

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals, pipes and terminals are others there")


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "0", **more}


def started(folder, *words, **more):
    return subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, check=False, env=environment(**more)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("models")
    weight = {"w": nd.ones((3, 4))}
    for name, data in (("net", "data"), ("long", LONG)):
        graph = sym.FullyConnected(sym.var(data), sym.var("w"), num_hidden=3, no_bias=True, name="fc")
        mx.onnx.export_model(graph, weight, [("n", 4)], onnx_file_path=str(path / f"{name}.onnx"))
    return path


@pytest.mark.parametrize(
    "words",
    [["--help"], ["inspect", "--help"], ["inspect", "net.onnx"], ["inspect", "net.onnx", "--json"], ["none"]],
)
def test_a_pipe_that_is_closed(folder, words):
    """As by `| true` and `2>&1 | true`: nothing is said, of Python's neither."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as closed:
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=folder,
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
            env=environment(),
        )
        assert words == ["none"] or (done.returncode, done.stderr) == (0, b"")
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=closed,
            check=False,
            env=environment(),
        )
        assert done.returncode == 0
        assert b"Traceback" not in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk is at hand")
@pytest.mark.parametrize("words", [["--help"], ["inspect", "net.onnx"], ["inspect", "net.onnx", "--json"]])
def test_output_that_cannot_be_written(folder, words):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=environment(),
        )
    assert (done.returncode, done.stderr.splitlines()) == (
        3,
        [f"hybridonnx {words[0]}: No space left on device.".encode()],
    )


def test_interrupted(folder):
    work = subprocess.Popen(
        [*COMMAND, "bench", "net.onnx", "--threads", "1", "--runs", "100000000", "--seconds", "1000"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(3)
    work.send_signal(signal.SIGINT)
    out, err = work.communicate(timeout=60)
    assert (work.returncode, out, err) == (130, b"", b"hybridonnx bench: interrupted.\n")


@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict", "latin-1:strict"])
def test_names_of_files_that_are_not_utf_8(folder, encoding):
    name = os.fsdecode(b"caf\xc3\xa9\xff")
    try:
        (folder / f"{name}.onnx").write_bytes((folder / "net.onnx").read_bytes())
    except OSError:
        pytest.skip("files have names in UTF-8 here")
    how = {"PYTHONIOENCODING": encoding}
    done = started(folder, "convert", f"{name}.onnx", "-o", f"{name}-back", "--json", **how)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["files"] == [f"{name}-back-symbol.json", f"{name}-back-0000.params"]
    done = started(folder, "convert", f"{name}.onnx", "-o", f"{name}-back", **how)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"written: caf")
    assert done.stdout.endswith(b"\\udcff-back-0000.params\n")
    done = started(folder, "inspect", f"{name}-none", "--json", **how)
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"] == f"a model's file is required, got nothing at {name}-none."
    done = started(folder, "profile", f"{name}.onnx", "--runs", "1", **how)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"a name in UTF-8 is required" in done.stderr
    assert b"fault of hybridonnx" not in done.stderr


def on_terminal(folder, *words):
    """What a command shows on a terminal."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *words], cwd=folder, env=environment(TERM="xterm"), stdout=theirs, stderr=theirs
    ) as work:
        os.close(theirs)
        shown = b""
        while chunk := read(ours):
            shown += chunk
    os.close(ours)
    return work.returncode, shown.decode()


def read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # its other end is closed
        return b""


def test_names_of_thousands_of_letters(folder):
    """A terminal gets both ends of them; pipes and JSON have all."""
    assert LONG in started(folder, "inspect", "long.onnx").stdout.decode()
    assert json.loads(started(folder, "inspect", "long.onnx", "--json").stdout)["inputs"][0]["name"] == LONG
    code, shown = on_terminal(folder, "inspect", "long.onnx")
    assert code == 0
    assert f"{LONG[:100]}…(2,800 letters)…{LONG[-100:]} (n, 4) float32" in shown
    assert max(map(len, shown.splitlines())) < 300
    code, shown = on_terminal(folder, "inspect", "long.onnx", "--shape", "x=2")
    assert code == 2
    assert max(map(len, shown.splitlines())) < 500


def test_what_would_steer_a_terminal_is_escaped():
    assert _output._readable("a\x1b]0;title\x07b\x9b\nc\td\xa0e") == "a\\x1b]0;title\\x07b\\x9b\nc\td\xa0e"
    word = "é" * 300
    assert _output._readable(f"{word} {word}") == f"{word} {word}"
