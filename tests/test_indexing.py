"""Reading and writing by indices, against real MXNet (oracle/ndarray.json) and NumPy."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.errors import MXNetError
from tests import snippets

FACTS = json.loads((Path(__file__).parent / "oracle" / "ndarray.json").read_text())


def rows(group):
    return [pytest.param(*row, id=f"{group}{i}") for i, row in enumerate(FACTS[group])]


@pytest.mark.parametrize(("text", "expected"), rows("getting"))
def test_values_and_views_are_mxnets(text, expected):
    snippets.check(text, expected, mx=mx, nd=nd)


@pytest.mark.parametrize(("text", "expected"), rows("setting"))
def test_writing_is_mxnets(text, expected):
    snippets.check(text, expected, mx=mx, nd=nd)


# ---- against NumPy

SHAPE = (3, 4, 5)


def source():
    return np.arange(60, dtype=np.float32).reshape(SHAPE)


bounds = st.one_of(st.none(), st.integers(-6, 6))
slices = st.builds(slice, bounds, bounds, st.sampled_from([None, 1, 2, -1, -2, 3]))
parts = [st.one_of(st.integers(-n, n - 1), slices) for n in SHAPE]


@st.composite
def basic_keys(draw):
    key = [draw(part) for part in parts[: draw(st.integers(0, 3))]]
    for _ in range(draw(st.integers(0, 2))):
        key.insert(draw(st.integers(0, len(key))), None)
    axes = sum(part is not None for part in key)
    if draw(st.booleans()) and axes < 3:
        key.append(Ellipsis)
        key += [draw(part) for part in parts[3 - draw(st.integers(0, 3 - axes)) :]]
    return tuple(key)


def expected_at(values, key):
    part = values[key]
    return part.reshape(1) if part.ndim == 0 else part


@given(basic_keys())
def test_basic_indices_give_what_numpy_gives(key):
    part = nd.array(source())[key]
    expected = expected_at(source(), key)
    assert part.shape == expected.shape
    assert part.asnumpy().tolist() == expected.tolist()


@given(basic_keys())
def test_basic_indices_share_memory_where_the_region_is_contiguous(key):
    x = nd.array(source())
    part, plain = x[key], source()[key]
    assert np.shares_memory(part._data, x._data) == bool(plain.size and plain.flags.c_contiguous)


@given(basic_keys())
def test_basic_indices_write_what_numpy_writes(key):
    x, expected = nd.array(source()), source()
    value = -np.arange(1, expected[key].size + 1, dtype=np.float32).reshape(expected[key].shape)
    x[key] = nd.array(value)
    expected[key] = value
    assert x.asnumpy().tolist() == expected.tolist()


@given(basic_keys())
def test_gradients_of_basic_indices_are_scattered(key):
    check_gradient(key, key)


ADVANCED = [
    ([0, 2],),
    ([[0, 1], [2, 2]],),
    ([0, 2], [1, 1]),
    (slice(None), [0, 3, 3]),
    (slice(None), [0, 3], 1),
    ([0, 1], slice(None), [1, 2]),
    (Ellipsis, [4, 0]),
    (1, [0, 2]),
    (1, slice(None), [0, 2]),
    ([[0], [2]], [1, 3]),
    ([-1, -3],),
    (None, [0, 1]),
    ([0, 0, 0],),
    (slice(None, None, -1), [1, 2], slice(1, 3)),
]


@pytest.mark.parametrize("key", ADVANCED)
def test_advanced_indices_give_and_write_what_numpy_does(key):
    x, expected = nd.array(source()), source()
    assert x[key].asnumpy().tolist() == expected[key].tolist()
    assert not np.shares_memory(x[key]._data, x._data)
    arrays = tuple(nd.array(part) if isinstance(part, list) else part for part in key)
    assert x[arrays].asnumpy().tolist() == expected[key].tolist()
    x[arrays] = 7
    expected[key] = 7
    assert x.asnumpy().tolist() == expected.tolist()


@pytest.mark.parametrize("key", ADVANCED)
def test_gradients_of_advanced_indices_add_up(key):
    arrays = tuple(nd.array(part) if isinstance(part, list) else part for part in key)
    check_gradient(arrays, key)


def check_gradient(key, plain):
    x = nd.array(source())
    x.attach_grad()
    with autograd.record():
        part = x[key]
        y = part * part
    head = np.arange(1, part.size + 1, dtype=np.float32).reshape(part.shape)
    assert part.asnumpy().tolist() == expected_at(source(), plain).tolist()
    if not part.size:
        return
    y.backward(nd.array(head))
    expected = np.zeros(SHAPE, np.float32)
    np.add.at(expected, plain, (2 * head * part.asnumpy()).reshape(source()[plain].shape))
    np.testing.assert_allclose(x.grad.asnumpy(), expected)


def test_gradients_of_gradients_of_indices():
    x = nd.array([[1.0, 2], [3, 4]])
    x.attach_grad()
    with autograd.record():
        y = (x[1] ** 3).sum() + (x[:, 0] ** 2 * x[nd.array([1]), nd.array([1])]).sum()
        dx = autograd.grad(y, x, create_graph=True)[0]
        z = (dx * dx).sum()
    z.backward()
    a, c, d = 1.0, 3.0, 4.0
    # dx = [2ad, 0], [3c² + 2cd, 3d² + a² + c²]
    da, dc, dd = 2 * a * d, 3 * c**2 + 2 * c * d, 3 * d**2 + a**2 + c**2
    expected = [
        [2 * da * 2 * d + 2 * dd * 2 * a, 0],
        [2 * dc * (6 * c + 2 * d) + 2 * dd * 2 * c, 2 * da * 2 * a + 2 * dc * 2 * c + 2 * dd * 6 * d],
    ]
    np.testing.assert_allclose(x.grad.asnumpy(), expected)


def test_views_inside_a_recording_share_memory():
    x = nd.arange(6).reshape((2, 3))
    x.attach_grad()
    with autograd.record():
        row, flat = x[0], x.reshape(-1)
        y = row * 2 + flat[:3]
    assert np.shares_memory(row._data, x._data)
    assert np.shares_memory(flat._data, x._data)
    y.backward()
    assert x.grad.asnumpy().tolist() == [[3, 3, 3], [0, 0, 0]]


# ---- what MXNet fails at


def test_empty_regions():
    x = nd.array(source())
    assert x[1:1].shape == (0, 4, 5)
    assert x[1:1].copy().shape == (0, 4, 5)
    x[1:1] = 5
    assert x.asnumpy().tolist() == source().tolist()


@pytest.mark.parametrize("key", [3, -4, (0, 4), (0, 0, 5), [5], [-4], ([0, 1], [0, 9])])
def test_indices_out_of_range_are_refused(key):
    x = nd.array(source())
    with pytest.raises(IndexError, match="out of bounds"):
        x[key]
    with pytest.raises(IndexError, match="out of bounds"):
        x[key] = 1
    assert x.asnumpy().tolist() == source().tolist()


@pytest.mark.parametrize("key", ["a", 1.5, (0, 1.5), {}, {1}, b"a", (0, "a")])
def test_other_indices_are_refused(key):
    x = nd.array(source())
    with pytest.raises(ValueError, match=r"indexing: integers, slices, None, .* required, got"):
        x[key]
    with pytest.raises(ValueError, match="indexing"):
        x[key] = 1


def test_arrays_of_bool_are_refused():
    x = nd.arange(2)
    with pytest.raises(ValueError, match="boolean_mask"):
        x[nd.array([1, 0], dtype="bool")]


@pytest.mark.parametrize("value", ["a", None, ["a"], {}, object()])
def test_other_values_are_refused(value):
    x = nd.zeros((2,))
    with pytest.raises(TypeError, match="assignment of numbers is required"):
        x[0] = value


def test_values_that_do_not_fit_are_refused():
    x = nd.zeros((2, 3))
    with pytest.raises(ValueError, match=r"broadcasts to shape \(3,\) is required, got \(2,\)"):
        x[0] = nd.ones((2,))
    assert x.asnumpy().sum() == 0


@pytest.mark.parametrize("key", [0, slice(0, 1), [0], (slice(None), 0), (0, 0)])
def test_writing_what_was_recorded_is_refused_but_as_a_whole(key):
    x, z = nd.ones((3,)), nd.zeros((2, 3))
    x.attach_grad()
    with autograd.record():
        value = (x * 2)[0]
        with pytest.raises(MXNetError, match="Inplace operations"):
            z[key] = value
        z[:] = value
        with pytest.raises(MXNetError, match="Inplace operations"):
            z[key] = 5
        y = z * 3
    y.backward()
    assert x.grad.asnumpy().tolist() == [36, 0, 0]
