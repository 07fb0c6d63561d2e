"""Splitting batches, clipping gradients, checksums."""

from __future__ import annotations

import math
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
