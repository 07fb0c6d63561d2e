"""Splitting batches, clipping gradients, checksums."""

from __future__ import annotations

import hashlib
import http.server
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.gluon import utils


@pytest.mark.parametrize(
    ("size", "slices", "expected"),
    [(6, 3, [2, 2, 2]), (5, 2, [3, 2]), (16, 5, [4, 3, 3, 3, 3]), (5, 7, [1, 1, 1, 1, 1, 0, 0]), (4, 1, [4])],
)
def test_parts_are_as_even_as_possible(size, slices, expected):
    data = mx.nd.array(np.arange(size * 2).reshape(size, 2))
    parts = utils.split_data(data, slices, even_split=size % slices == 0)
    assert [p.shape for p in parts] == [(n, 2) for n in expected]
    np.testing.assert_array_equal(np.concatenate([p.asnumpy() for p in parts]), data.asnumpy())


def test_other_axes_are_split():
    data = mx.nd.array(np.arange(8).reshape(2, 4))
    left, right = utils.split_data(data, 2, batch_axis=1)
    assert left.asnumpy().tolist() == [[0, 1], [4, 5]]
    assert right.asnumpy().tolist() == [[2, 3], [6, 7]]


def test_uneven_parts_are_refused_unless_wanted():
    with pytest.raises(ValueError, match="cannot be evenly split into 2 slices along axis 0"):
        utils.split_data(mx.nd.zeros((5, 2)), 2)


def test_parts_are_differentiable():
    data: Any = mx.nd.ones((4, 2))
    data.attach_grad()
    with mx.autograd.record():
        parts: list[Any] = utils.split_data(data, 2)
        y = (parts[0] * 2 + parts[1] * 3).sum()
    y.backward()
    assert data.grad.asnumpy()[:, 0].tolist() == [2, 2, 3, 3]


def test_parts_go_to_their_contexts():
    parts = utils.split_and_load(np.arange(5), [mx.cpu(0), mx.cpu(1)], even_split=False)
    assert [(p.shape, p.context) for p in parts] == [((3,), mx.cpu(0)), ((2,), mx.cpu(1))]
    (whole,) = utils.split_and_load([[1, 2]], [mx.cpu(0)])
    assert whole.dtype == np.float32
    assert whole.shape == (1, 2)


def clipped(values, limit, **options):
    arrays = [mx.nd.array(v) for v in values]
    return utils.clip_global_norm(arrays, limit, **options), [a.asnumpy().tolist() for a in arrays]


def test_norm_of_all_arrays_is_clipped():
    norm, arrays = clipped([[3, 0], [0, 4]], 1)
    assert norm == 5.0
    assert isinstance(norm, float)
    np.testing.assert_allclose(arrays, [[0.6, 0], [0, 0.8]], rtol=1e-6)


def test_small_norms_are_kept():
    assert clipped([[3, 0], [0, 4]], 10) == (5.0, [[3, 0], [0, 4]])


def test_norm_is_an_array_if_it_is_not_checked():
    norm, arrays = clipped([[[3, 0]], [[0, 4]]], 1, check_isfinite=False)
    assert norm.asnumpy().tolist() == [5]
    np.testing.assert_allclose(arrays, [[[0.6, 0]], [[0, 0.8]]], rtol=1e-6)


def test_float16_does_not_overflow():
    array = mx.nd.full((100,), 1000, dtype="float16")
    assert utils.clip_global_norm([array], 1) == pytest.approx(10000)
    np.testing.assert_allclose(array.asnumpy(), 0.1, rtol=1e-3)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_norms_that_are_not_finite_are_reported(bad):
    with pytest.warns(UserWarning, match="nan or inf is detected"):
        norm, _ = clipped([[bad, 0], [0, 4]], 1)
    assert not math.isfinite(norm)


def test_no_arrays_are_refused():
    with pytest.raises(AssertionError, match="at least one array is required"):
        utils.clip_global_norm([], 1)


def test_checksums(tmp_path):
    path = tmp_path / "abc"
    path.write_bytes(b"abc")
    assert utils.check_sha1(str(path), "a9993e364706816aba3e25717850c26c9cd0d89d")
    assert not utils.check_sha1(str(path), "b9993e364706816aba3e25717850c26c9cd0d89d")
    with pytest.raises(FileNotFoundError):
        utils.check_sha1(str(tmp_path / "none"), "")


@pytest.mark.parametrize(("shape", "known"), [(None, False), ((), False), ((1, 2), True), ((0, 1), False)])
def test_shapes_are_known_if_all_sizes_are(shape, known):
    assert utils.shape_is_known(shape) is known


def test_files_are_fetched(tmp_path):
    source = tmp_path / "a.bin"
    source.write_bytes(b"one")
    sha1 = hashlib.sha1(b"one").hexdigest()
    url, folder = source.as_uri(), tmp_path / "to"
    folder.mkdir()
    path = utils.download(url, path=str(folder), sha1_hash=sha1)
    assert path == str(folder / "a.bin")
    assert (folder / "a.bin").read_bytes() == b"one"
    source.write_bytes(b"two")
    utils.download(url, path=path)
    assert (folder / "a.bin").read_bytes() == b"one", "what is there is left"
    utils.download(url, path=path, overwrite=True)
    assert (folder / "a.bin").read_bytes() == b"two"
    with pytest.raises(UserWarning, match="checksum"):
        utils.download(url, path=path, sha1_hash=sha1, retries=0)
    assert (folder / "a.bin").read_bytes() == b"two"
    assert [p.name for p in folder.iterdir()] == ["a.bin"], "no half of a file is left"
    nested = utils.download(url, path=str(tmp_path / "new" / "folder" / "b"))
    assert Path(nested).read_bytes() == b"two"


def test_fetching_is_tried_again(tmp_path, capsys):
    served = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            served.append(self.path)
            if len(served) < 3:
                self.send_error(503)
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"content")

        def log_message(self, *args):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/file.txt"
            with pytest.raises(OSError, match="503"):
                utils.download(url, path=str(tmp_path), retries=1)
            path = utils.download(url, path=str(tmp_path), retries=1)
        finally:
            server.shutdown()
            thread.join()
    assert served == ["/file.txt"] * 3
    assert Path(path).read_bytes() == b"content"
    assert "again" in capsys.readouterr().out


def test_what_cannot_be_fetched_is_refused(tmp_path):
    with pytest.raises(AssertionError, match="retries"):
        utils.download((tmp_path / "x").as_uri(), path=str(tmp_path), retries=-1)
    with pytest.raises(AssertionError, match="path is required"):
        utils.download("http://nowhere.invalid/")
    with pytest.raises(OSError, match="nothing"):
        utils.download((tmp_path / "nothing").as_uri(), path=str(tmp_path / "a"), retries=0)


def test_hooks_are_attached_and_detached():
    hooks: dict[int, Any] = {}
    handle = utils.HookHandle()
    handle.attach(hooks, print)
    assert list(hooks.values()) == [print]
    with pytest.raises(AssertionError, match="a hook already"):
        handle.attach(hooks, print)
    handle.detach()
    handle.detach()
    assert not hooks
