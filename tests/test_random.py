"""Random draws: shapes and dtypes of real MXNet (oracle/ndarray.json), distributions by their formulas."""

from __future__ import annotations

import json
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, nd, sym
from hybridonnx.errors import MXNetError
from tests import snippets

FACTS = json.loads((Path(__file__).parent / "oracle" / "ndarray.json").read_text())
MANY = 40000


@pytest.mark.parametrize(
    ("text", "expected"), [pytest.param(*row, id=f"random{i}") for i, row in enumerate(FACTS["random"])]
)
def test_shapes_and_dtypes_are_mxnets(text, expected):
    snippets.check(text, expected, mx=mx, nd=nd)


# ---- distributions

# Each: a draw of n numbers, and the mean and variance it must have.
DISTRIBUTIONS = {
    "uniform": (lambda n: nd.random.uniform(2, 5, n), 3.5, 9 / 12),
    "uniform float64": (lambda n: nd.random.uniform(-1, 1, n, "float64"), 0, 4 / 12),
    "uniform float16": (lambda n: nd.random.uniform(0, 1, n, "float16"), 0.5, 1 / 12),
    "normal": (lambda n: nd.random.normal(1, 3, n), 1, 9),
    "normal old name": (lambda n: nd.normal(loc=1, scale=3, shape=n), 1, 9),
    "randn": (lambda n: nd.random.randn(n, loc=-1, scale=2), -1, 4),
    "exponential": (lambda n: nd.random.exponential(2, n), 2, 4),
    "exponential old name": (lambda n: nd.random_exponential(lam=2, shape=n), 0.5, 0.25),
    "gamma": (lambda n: nd.random.gamma(3, 2, n), 6, 12),
    "poisson": (lambda n: nd.random.poisson(4, n), 4, 4),
    "negative binomial": (lambda n: nd.random.negative_binomial(3, 0.4, n), 4.5, 11.25),
    "generalized negative binomial": (
        lambda n: nd.random.generalized_negative_binomial(2, 0.3, n),
        2,
        2 + 0.3 * 4,
    ),
    "randint": (lambda n: nd.random.randint(0, 10, n), 4.5, 99 / 12),
    "multinomial": (lambda n: nd.random.multinomial(nd.array([0.25, 0.75]), n), 0.75, 0.75 * 0.25),
    "uniform_like": (lambda n: nd.random.uniform_like(nd.zeros((n,)), low=1, high=3), 2, 4 / 12),
    "normal_like": (lambda n: nd.random.normal_like(nd.zeros((n,)), loc=2, scale=3), 2, 9),
    "gamma_like": (lambda n: nd.random.gamma_like(nd.zeros((n,)), alpha=3, beta=2), 6, 12),
    "mx.random": (lambda n: mx.random.normal(1, 3, n), 1, 9),
}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_draws_have_the_mean_and_the_variance(distribution):
    draw, mean, variance = DISTRIBUTIONS[distribution]
    mx.random.seed(11)
    values = draw(MANY).asnumpy().astype(np.float64)
    assert values.shape == (MANY,)
    assert abs(values.mean() - mean) < 5 * math.sqrt(variance / MANY)
    assert values.var() == pytest.approx(variance, rel=0.08)


def test_uniform_draws_lie_within_the_bounds():
    for dtype in ("float16", "float32", "float64"):
        values = nd.random.uniform(2, 5, MANY, dtype).asnumpy()
        assert values.min() >= 2
        assert values.max() < 5 or dtype == "float16"


def test_integers_are_equally_likely_and_below_the_end():
    for dtype in ("int32", "int64"):
        values = nd.random.randint(-2, 3, MANY, dtype).asnumpy()
        counts = np.bincount(values + 2)
        assert len(counts) == 5
        assert abs(counts - MANY / 5).max() < 5 * math.sqrt(MANY / 5)
    assert nd.random.randint(2**40, 2**40 + 5, (9,), "int64").asnumpy().min() >= 2**40


def test_each_element_of_array_parameters_has_its_own_draws():
    mx.random.seed(3)
    low, high = nd.array([0.0, 10]), nd.array([1.0, 20])
    values = nd.random.uniform(low, high, shape=(MANY,)).asnumpy()
    assert values.shape == (2, MANY)
    np.testing.assert_allclose(values.mean(axis=1), [0.5, 15], rtol=0.02)
    values = nd.random.normal(nd.array([[0.0], [5]]), nd.array([[1.0], [0]]), shape=MANY).asnumpy()
    assert values.shape == (2, 1, MANY)
    np.testing.assert_allclose(values.std(axis=2), [[1], [0]], atol=0.02)
    values = nd.random.exponential(nd.array([1.0, 4]), shape=MANY).asnumpy()
    np.testing.assert_allclose(values.mean(axis=1), [1, 4], rtol=0.03)


def test_categories_have_their_probabilities():
    mx.random.seed(5)
    rows = nd.array([[0.1, 0.2, 0.7], [1, 0, 0]])
    indices, logs = nd.random.multinomial(rows, shape=MANY, get_prob=True)
    assert indices.dtype is np.int32
    frequencies = np.bincount(indices[0].asnumpy(), minlength=3) / MANY
    np.testing.assert_allclose(frequencies, [0.1, 0.2, 0.7], atol=0.015)
    assert not indices[1].asnumpy().any()
    np.testing.assert_allclose(
        logs[0].asnumpy(), np.log(np.array([0.1, 0.2, 0.7]))[indices[0].asnumpy()], rtol=1e-5
    )


def test_gradients_of_the_log_probability_of_categories():
    p = nd.array([0.25, 0.75])
    p.attach_grad()
    with autograd.record():
        indices, logs = nd.random.multinomial(p, shape=20, get_prob=True)
        y = logs.sum()
    y.backward()
    counts = np.bincount(indices.asnumpy(), minlength=2)
    np.testing.assert_allclose(p.grad.asnumpy(), counts / [0.25, 0.75], rtol=1e-5)


def test_shuffling_moves_whole_rows():
    x = nd.arange(40).reshape((20, 2))
    mx.random.seed(1)
    shuffled = nd.random.shuffle(x).asnumpy()
    assert sorted(shuffled.tolist()) == x.asnumpy().tolist()
    assert shuffled.tolist() != x.asnumpy().tolist()
    assert x.asnumpy().tolist() == np.arange(40).reshape(20, 2).tolist()


def test_zipfian_classes():
    mx.random.seed(2)
    sampled, of_true, of_sampled = nd.contrib.rand_zipfian(nd.array([3]), MANY, 5)
    log = math.log(6)
    probabilities = [math.log((c + 2) / (c + 1)) / log for c in range(5)]
    assert sampled.dtype is np.int64
    np.testing.assert_allclose(np.bincount(sampled.asnumpy()) / MANY, probabilities, atol=0.015)
    np.testing.assert_allclose(of_true.asnumpy(), [probabilities[3] * MANY])
    np.testing.assert_allclose(of_sampled.asnumpy()[:9], np.take(probabilities, sampled.asnumpy()[:9]) * MANY)


def test_zipfian_classes_as_symbols():
    mx.random.seed(2)
    parts = sym.contrib.rand_zipfian(sym.var("t"), MANY, 5)
    classes, of_true, of_sampled = (part.eval(t=nd.array([3.0]))[0].asnumpy() for part in parts)
    assert [x.dtype.name for x in (classes, of_true, of_sampled)] == ["int64", "float64", "float64"]
    frequencies = np.array([math.log((c + 2) / (c + 1)) / math.log(6) for c in range(5)])
    np.testing.assert_allclose(np.bincount(classes) / MANY, frequencies, atol=0.015)
    np.testing.assert_allclose(of_true, [frequencies[3] * MANY])
    assert np.isclose(of_sampled[:, None], frequencies * MANY).any(1).all()


def test_different_classes():
    """Frequencies by the formula agree with 60,000 rows of real MXNet to a third digit."""
    mx.random.seed(3)
    first, draws = nd._internal._sample_unique_zipfian(range_max=10, shape=(MANY, 1))
    bounds = np.log([1, *np.arange(1.5, 10), 10]) / math.log(10)
    np.testing.assert_allclose(np.bincount(first.asnumpy()[:, 0]) / MANY, np.diff(bounds), atol=0.01)
    assert draws.asnumpy().tolist() == [1] * MANY
    classes, draws = nd._internal._sample_unique_zipfian(range_max=10, shape=(5000, 4))
    assert all(len(set(row)) == 4 for row in classes.asnumpy().tolist())
    assert draws.asnumpy().min() == 4
    assert abs(draws.asnumpy().mean() - 5.2251) < 0.05  # the mean of real MXNet
    with pytest.raises(MXNetError, match="range_max of at least 4"):
        nd._internal._sample_unique_zipfian(range_max=3, shape=(2, 4))
    with pytest.raises(MXNetError, match="a shape of two sizes"):
        nd._internal._sample_unique_zipfian(range_max=3, shape=(2,))


# ---- parameters

OUTSIDE = [
    ("uniform", {"low": 2, "high": 1}),
    ("uniform", {"low": 0, "high": math.nan}),
    ("normal", {"scale": 0}),
    ("normal", {"scale": -1}),
    ("normal", {"scale": math.nan}),
    ("exponential", {"lam": 0}),
    ("exponential", {"lam": -1}),
    ("gamma", {"alpha": 0, "beta": 1}),
    ("gamma", {"alpha": math.nan, "beta": 1}),
    ("gamma", {"alpha": 1, "beta": 0}),
    ("poisson", {"lam": -1}),
    ("negative_binomial", {"k": -1, "p": 0.5}),
    ("negative_binomial", {"k": 2, "p": -0.5}),
    ("negative_binomial", {"k": 2, "p": 0}),  # MXNet draws the lowest int32
    ("negative_binomial", {"k": 2, "p": 1.5}),  # MXNet draws zeros
    ("generalized_negative_binomial", {"mu": -1, "alpha": 1}),
    ("generalized_negative_binomial", {"mu": 1, "alpha": -1}),
]
"""What real MXNet raises MXNetError for, where nothing else is said."""
CERTAIN = [
    ("uniform", {"low": 1, "high": 1}, 1),
    ("poisson", {"lam": 0}, 0),
    ("negative_binomial", {"k": 0, "p": 0.5}, 0),
    ("negative_binomial", {"k": 2, "p": 1}, 0),
    ("generalized_negative_binomial", {"mu": 0, "alpha": 1}, 0),
]
"""At the ends of the ranges, what real MXNet draws."""


@pytest.mark.parametrize(("name", "parameters"), OUTSIDE, ids=str)
def test_parameters_outside_of_their_range_are_refused(name, parameters):
    for draw in (getattr(nd, f"random_{name}"), getattr(nd.random, f"{name}_like")):
        args = {"shape": (3,)} if draw.__name__ == f"random_{name}" else {"data": nd.ones(3)}
        with pytest.raises(
            MXNetError, match=r"^_random_\w+: \w+ (above|of at (least|most)) .* is required, got"
        ):
            draw(**parameters, **args)


@pytest.mark.parametrize(("name", "parameters", "value"), CERTAIN, ids=str)
def test_parameters_at_the_ends_of_their_range(name, parameters, value):
    arrays = [nd.array([v]) for v in parameters.values()]
    for draws in (
        getattr(nd, f"random_{name}")(**parameters, shape=(3,)),
        getattr(nd.random, f"{name}_like")(nd.ones(3), **parameters),
        getattr(nd, f"sample_{name}")(*arrays, shape=3)[0],
    ):
        assert draws.asnumpy().tolist() == [value] * 3


def test_arrays_of_parameters_without_a_distribution():  # MXNet's loop does not end
    with pytest.raises(MXNetError, match="_sample_gamma: alpha above 0, beta above 0 are required"):
        nd.sample_gamma(nd.array([-1.0]), nd.array([1.0]))


# ---- out


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_out_tells_shape_and_dtype(dtype):
    out = nd.zeros((2, 3), dtype=dtype)
    for draw in (nd.random.uniform, nd.random.normal, nd.random_exponential, nd.random.gamma):
        assert draw(1, 2, out=out) is out if draw is not nd.random_exponential else draw(2, out=out) is out
        assert len(set(out.asnumpy().ravel().tolist())) > 3
    if dtype == "float64":  # drawn as such, not widened
        assert (out.asnumpy() != out.asnumpy().astype("float32")).any()


def test_out_of_arrays_of_parameters_has_their_shape():
    out = nd.zeros(3)
    assert nd.random.normal(nd.array([1, 2, 3]), nd.zeros(3), out=out) is out
    assert out.asnumpy().tolist() == [1, 2, 3]


def test_numbers_and_arrays_are_not_mixed():  # as MXNet's assertion
    with pytest.raises(AssertionError, match="got NDArray, int"):
        nd.random.uniform(nd.zeros(2), 1)
    with pytest.raises(AssertionError, match="got Symbol, int"):
        sym.random.normal(sym.var("a"), 1)


def test_no_sizes_are_no_shape():  # as MXNet's "inferring shapes failed"
    with pytest.raises(MXNetError, match="_random_normal: shapes are required"):
        nd.random.randn()


# ---- seeds


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_equal_seeds_give_equal_draws(distribution):
    def draws(seed):
        mx.random.seed(seed)
        return [DISTRIBUTIONS[distribution][0](50).asnumpy().tolist() for _ in range(2)]

    first = draws(7)
    assert draws(7) == first
    assert draws(8) != first
    assert first[0] != first[1]


def test_seeds_are_integers():  # MXNet: "seed_state must be int"
    for seed in (0, -1, 2**40, np.int64(3)):
        mx.random.seed(seed)
    mx.random.seed(1, ctx=mx.cpu(1))
    wrong: list[Any] = [1.0, 1.5, np.float32(2), "3", "a", None, [1]]
    for value in wrong:
        with pytest.raises(ValueError, match=r"^random\.seed: an integer is required, got"):
            mx.random.seed(value)


def test_dropout_follows_the_seed():
    def dropped():
        mx.random.seed(9)
        with autograd.train_mode():
            return nd.Dropout(nd.ones((100,)), p=0.5).asnumpy().tolist()

    assert dropped() == dropped()
    assert set(dropped()) == {0, 2}


def test_draws_of_many_threads_are_different():
    draws = []

    def draw():
        for _ in range(20):
            draws.append(tuple(nd.random.uniform(shape=(4,)).asnumpy().tolist()))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(draws)) == 80


# ---- what is refused


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: nd.random.uniform(nd.ones((2,)), 3), "all arrays or all numbers"),
        (lambda: nd.random.uniform("a", 1), "low must be a number"),
        (lambda: nd.random.uniform(shape=(2,), dtype="int32"), "dtype"),
        (lambda: nd.random.randint(5, 0), "low below 0"),
        (lambda: nd.random.uniform(shape=(2,), out=nd.zeros((3,))), r"out of shape \(2,\) is required"),
        (lambda: nd.random.normal(scale=-1), "scale"),
        (lambda: nd.random.gamma(-1, 1), "alpha above 0 is required, got -1.0"),
    ],
)
def test_wrong_parameters_are_refused(call, match):
    with pytest.raises(MXNetError, match=match):
        call()


def test_unknown_keywords_are_refused():
    with pytest.raises(MXNetError, match="shpae"):
        nd.random.uniform(shpae=(2,))


def test_results_go_into_out():
    out = nd.zeros((2, 3))
    assert nd.random.normal(5, 0.001, out=out) is out
    assert out.asnumpy().min() > 4
    assert nd.random.uniform(ctx=mx.cpu(1)).context == mx.cpu(1)
