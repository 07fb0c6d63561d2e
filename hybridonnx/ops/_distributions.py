"""Distributions: how values are drawn, and what their parameters may be."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ._operator import Array

Generator = np.random.Generator


class Range(NamedTuple):
    """What a parameter may be; its ends are numbers, or names of other parameters."""

    low: float | str = -inf
    above: bool = False
    """Whether the lower end does not belong to it."""
    high: float | str = inf
    below: bool = False
    """Whether the upper end does not belong to it."""

    def has(self, value: Any, values: Mapping[str, Any]) -> bool:
        """Whether the value of a parameter is one of these; NaN never is."""
        low, high = self.ends(values)
        over = operator.gt if self.above else operator.ge
        under = operator.lt if self.below else operator.le
        return bool(over(value, low) and under(value, high))

    def ends(self, values: Mapping[str, Any]) -> tuple[Any, Any]:
        """The ends as numbers."""
        low, high = (values[end] if isinstance(end, str) else end for end in (self.low, self.high))
        return low, high

    def words(self, values: Mapping[str, Any]) -> str:
        """The range in words."""
        lower, upper = self.ends(values)
        parts = []
        if lower != -inf:
            parts.append(f"above {lower}" if self.above else f"of at least {lower}")
        if upper != inf:
            parts.append(f"below {upper}" if self.below else f"of at most {upper}")
        return " and ".join(parts)


class Distribution(NamedTuple):
    """A distribution. `of(noise, *parameters)` turns a simple draw into values.

    Without a simple draw, `of(rng, size, *parameters)` draws the values.
    """

    of: Callable[..., Any]
    noise: str = "other"
    ranges: Mapping[str, Range] = {}
    """What those parameters may be that may not be any number."""

    def outside(self, values: Mapping[str, Any]) -> Iterator[str]:
        """The names of parameters that are not what they may be."""
        return (name for name, r in self.ranges.items() if not r.has(values[name], values))

    def range_of(self, name: str, values: Mapping[str, Any]) -> str:
        """What a parameter may be, in words."""
        return self.ranges[name].words(values)

    def described(self) -> str:
        """What all of the parameters may be, in words."""
        return ", ".join(f"{name} {r.words({})}" for name, r in self.ranges.items())


def _uniform(noise: Array, low: Any, high: Any) -> Array:
    values: Array = noise * (high - low) + low
    return values


def _normal(noise: Array, loc: Any, scale: Any) -> Array:
    values: Array = noise * scale + loc
    return values


def _exponential(noise: Array, lam: Any) -> Array:
    with np.errstate(divide="ignore"):
        values: Array = -np.log1p(-noise) / lam
    return values


def _integers(noise: Array, low: int, high: int) -> Array:
    values: Array = np.minimum(np.floor(noise.astype(np.float64) * (high - low)), high - low - 1) + low
    return values


def _gamma(rng: Generator, size: Any, alpha: Any, beta: Any) -> Array:
    return np.asarray(rng.gamma(alpha, beta, size))  # beta is the scale, not the rate


def _poisson(rng: Generator, size: Any, lam: Any) -> Array:
    return np.asarray(rng.poisson(lam, size))


def _negative_binomial(rng: Generator, size: Any, k: Any, p: Any) -> Array:
    counts = np.asarray(rng.negative_binomial(np.where(np.equal(k, 0), 1, k), p, size))
    return np.where(np.equal(k, 0), 0, counts)


def _generalized_negative_binomial(rng: Generator, size: Any, mu: Any, alpha: Any) -> Array:
    mean, spread = np.broadcast_to(mu, size), np.broadcast_to(alpha, size)
    varied = np.where(spread > 0, spread, 1)
    return np.asarray(rng.poisson(np.where(spread > 0, rng.gamma(1 / varied, mean * varied), mean)))


POSITIVE, NOT_NEGATIVE = Range(0, above=True), Range(0)

UNIFORM = Distribution(_uniform, "uniform", {"low": Range(high="high")})
NORMAL = Distribution(_normal, "normal", {"scale": POSITIVE})
EXPONENTIAL = Distribution(_exponential, "uniform", {"lam": POSITIVE})
INTEGERS = Distribution(_integers, "uniform", {"low": Range(high="high", below=True)})
GAMMA = Distribution(_gamma, ranges={"alpha": POSITIVE, "beta": POSITIVE})
POISSON = Distribution(_poisson, ranges={"lam": NOT_NEGATIVE})
NEGATIVE_BINOMIAL = Distribution(
    _negative_binomial, ranges={"k": NOT_NEGATIVE, "p": Range(0, above=True, high=1)}
)
GENERALIZED = Distribution(_generalized_negative_binomial, ranges={"mu": NOT_NEGATIVE, "alpha": NOT_NEGATIVE})
