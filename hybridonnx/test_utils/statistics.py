"""Whether generators of random numbers follow a distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import MXNetError, RequirementError
from ..ops import Array

__all__ = ["chi_square_check", "gen_buckets_probs_with_ppf", "mean_check", "var_check", "verify_generator"]

Generator = Callable[[int], Any]


def gen_buckets_probs_with_ppf(
    ppf: Callable[[float], float], nbuckets: int
) -> tuple[list[tuple[float, float]], list[float]]:
    """Intervals of equal probability, by a distribution's quantiles, with their probabilities."""
    if nbuckets <= 0:
        raise RequirementError(f"gen_buckets_probs_with_ppf: nbuckets must be positive, got {nbuckets}.")
    edges = [float(ppf(i / nbuckets)) for i in range(nbuckets + 1)]
    return list(pairwise(edges)), [1.0 / nbuckets] * nbuckets


def _draws(generator: Generator, count: int) -> Array:
    values = generator(count)
    values = np.array(values.asnumpy() if hasattr(values, "asnumpy") else values)
    if len(values) != count:
        raise RequirementError(f"The generator must give {count} draws, gave {len(values)}.")
    return values


def mean_check(generator: Generator, mu: float, sigma: float, nsamples: int = 1000000) -> bool:
    """Whether the mean of draws is within three standard errors of `mu`."""
    mean = float(_draws(generator, nsamples).mean())
    return abs(mean - mu) < 3 * sigma / math.sqrt(nsamples)


def var_check(generator: Generator, sigma: float, nsamples: int = 1000000) -> bool:
    """Whether the variance of draws is within three standard errors of `sigma`², as of normal draws."""
    variance = float(_draws(generator, nsamples).var(ddof=1))
    return abs(variance - sigma**2) < 3 * math.sqrt(2 * sigma**4 / (nsamples - 1))


def chi_square_check(
    generator: Generator, buckets: Sequence[Any], probs: Sequence[float], nsamples: int = 1000000
) -> tuple[float, Array, Array]:
    """Pearson's χ² test of draws against the probabilities of buckets.

    Args:
        generator: Called with a number, gives that many draws.
        buckets: Values, or intervals as pairs of their ends, one after another.
        probs: The probability of each.
        nsamples: How many draws are made.

    Returns:
        The p-value, how often each bucket was hit, and how often it was to be expected.

    Raises:
        MXNetError: `buckets` are none, or SciPy is not installed.
    """
    try:
        from scipy.stats import chi2
    except ImportError:
        raise MXNetError("chi_square_check: SciPy is required, and is not there: pip install scipy") from None
    if not buckets or len(buckets) != len(probs):
        raise MXNetError(
            f"chi_square_check: buckets with a probability each are required, got {len(buckets)} buckets "
            f"and {len(probs)} probabilities."
        )
    draws = _draws(generator, nsamples).reshape(-1)
    if isinstance(buckets[0], list | tuple):
        observed = np.array([int(((draws >= low) & (draws < high)).sum()) for low, high in buckets])
    else:
        observed = np.array([int((draws == value).sum()) for value in buckets])
    expected = (nsamples * np.array(probs, np.float64)).astype(np.int64)
    statistic = float(((observed - expected) ** 2 / np.maximum(expected, 1e-20)).sum())
    return float(chi2.sf(statistic, len(buckets) - 1)), observed, expected


def verify_generator(
    generator: Generator,
    buckets: Sequence[Any],
    probs: Sequence[float],
    nsamples: int = 1000000,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """`chi_square_check` several times.

    Args:
        generator: Called with a number, gives that many draws.
        buckets: Values, or intervals as pairs of their ends.
        probs: The probability of each.
        nsamples: How many draws are made each time.
        nrepeat: How many times.
        success_rate: The share of times that the p-value must be above `alpha`.
        alpha: The level of significance.

    Returns:
        The p-values.

    Raises:
        AssertionError: Fewer times than that.
    """
    results = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    values = [p for p, _, _ in results]
    passed = sum(p > alpha for p in values)
    if passed < nrepeat * success_rate:
        raise AssertionError(
            f"The generator must pass {nrepeat * success_rate:g} of {nrepeat} χ² tests at {alpha}, passed "
            f"{passed}: p-values {values}, observed {[list(o) for _, o, _ in results]}, expected "
            f"{list(results[0][2])}, buckets {list(buckets)}."
        )
    return values
