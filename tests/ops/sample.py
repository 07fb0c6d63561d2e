"""Cases of random operators: their formulas take the draw as last argument."""

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

ALL = ("float32", "float64", "float16")
f32 = np.float32


def spread(parameter, noise):
    return parameter.reshape(parameter.shape + (1,) * (noise.ndim - parameter.ndim))


def noise_as(dtype=f32):
    return lambda *args: args[-1].astype(dtype)


BY_SHAPE = [
    Case("_random_uniform", shape=(2, 3)).but(formula=lambda u: u),
    Case("_random_uniform", shape=(4,), low=-2.0, high=5.0, dtype="float64").but(
        formula=lambda u: (u * 7 - 2).astype(np.float64)
    ),
    Case("_random_uniform", shape=(4,), dtype="float16").but(formula=lambda u: u.astype(np.float16)),
    Case("_random_normal", shape=(2, 3)).but(formula=lambda z: z),
    Case("_random_normal", shape=(2, 3), loc=1.0, scale=2.0).but(formula=lambda z: z * 2 + 1),
    Case("_random_exponential", shape=(2, 3)).but(formula=lambda u: -np.log1p(-u)),
    Case("_random_exponential", shape=(5,), lam=4.0).but(formula=lambda u: -np.log1p(-u) / 4),
    Case("_random_gamma", shape=(2, 3), alpha=2.0, beta=3.0).but(formula=noise_as()),
    Case("_random_poisson", shape=(2, 3), lam=4.0).but(formula=noise_as()),
    Case("_random_negative_binomial", shape=(2, 3), k=3, p=0.4).but(formula=noise_as()),
    Case("_random_generalized_negative_binomial", shape=(2, 3), mu=2.0, alpha=0.3).but(formula=noise_as()),
    Case("_random_generalized_negative_binomial", shape=(2, 3), mu=2.0, alpha=0.0).but(formula=noise_as()),
    Case("_random_gamma", shape=(2, 3), dtype="float16").but(formula=noise_as(np.float16)),
    Case("_random_randint", shape=(6,), low=0, high=5).but(
        formula=lambda u: np.floor(u * 5).astype(np.int32)
    ),
    Case("_random_randint", shape=(2, 3), low=-(2**40), high=2**40, dtype="int64").but(
        formula=lambda u: (np.floor(u * 2.0**41) - 2.0**40).astype(np.int64)
    ),
]

LIKE = [
    Case("_random_uniform_like", [(2, 3)], low=1.0, high=3.0).but(
        formula=lambda x, u: (u * 2 + 1).astype(x.dtype), dtypes=ALL, tol=1e-3
    ),
    Case("_random_normal_like", [(2, 3)], loc=1.0).but(
        formula=lambda x, z: (z + 1).astype(x.dtype), dtypes=ALL
    ),
    Case("_random_exponential_like", [(2, 3)], lam=2.0).but(formula=lambda x, u: -np.log1p(-u) / 2),
    Case("_random_gamma_like", [(2, 3)], alpha=2.0).but(formula=noise_as()),
    Case("_random_poisson_like", [(2, 3)], lam=3.0).but(formula=noise_as()),
    Case("_random_negative_binomial_like", [(2, 3)], k=2, p=0.5).but(formula=noise_as()),
    Case("_random_generalized_negative_binomial_like", [(2, 3)]).but(formula=noise_as()),
]


def by_seed(draw, *arrays_and_seed, size):
    *arrays, seed = arrays_and_seed
    rng = np.random.default_rng(seed.tolist())
    rank = len(size) - arrays[0].ndim
    wide = [a.reshape(a.shape + (1,) * rank).astype(np.float64) for a in arrays]
    return getattr(rng, draw)(*wide, size).astype(f32)


BY_ARRAYS = [
    Case("_sample_uniform", [(2,), uniform((2,), 5.0, 6.0)], shape=(3,)).but(
        formula=lambda low, high, u: u * spread(high - low, u) + spread(low, u)
    ),
    Case("_sample_uniform", [(2, 3), uniform((2, 3), 5.0, 6.0)]).but(
        formula=lambda low, high, u: u * (high - low) + low
    ),
    Case("_sample_normal", [(2,), uniform((2,), 0.1, 2.0)], shape=(3, 2), dtype="float64").but(
        formula=lambda mu, sigma, z: (z * spread(sigma, z) + spread(mu, z)).astype(np.float64)
    ),
    Case("_sample_exponential", [uniform((2,), 0.5, 2.0)], shape=(4,)).but(
        formula=lambda lam, u: -np.log1p(-u) / spread(lam, u)
    ),
    Case("_sample_gamma", [uniform((2,), 0.5, 2.0), uniform((2,), 0.5, 2.0)], shape=(3,)).but(
        formula=lambda *a: by_seed("gamma", *a, size=(2, 3))
    ),
    Case("_sample_poisson", [uniform((2,), 0.5, 5.0)], shape=(3,)).but(
        formula=lambda *a: by_seed("poisson", *a, size=(2, 3))
    ),
    Case("_sample_negative_binomial", [ints((2,), 5, 1), uniform((2,), 0.2, 0.8)]).but(
        formula=lambda *a: by_seed("negative_binomial", *a, size=(2,))
    ),
    Case("_sample_generalized_negative_binomial", [uniform((2,)), uniform((2,))], shape=(3,)).but(
        no={"forward": "no formula but the kernel's own"}
    ),
]

PROBABILITIES = np.array([[0.2, 0.3, 0.5], [0.7, 0.3, 0.0]], np.float32)


def choices(p, u):
    rows, draws = p.reshape(-1, p.shape[-1]), u.reshape(p.size // p.shape[-1], -1)
    indices = [
        [np.searchsorted(np.cumsum(row), x, "right") for x in xs] for row, xs in zip(rows, draws, strict=True)
    ]
    return np.array(indices, np.int32).reshape(u.shape)


def with_logarithms(p, u):
    indices = choices(p, u)
    return indices, np.log(np.take_along_axis(p, indices.reshape(len(p), -1), 1)).reshape(u.shape)


def multinomial_gradient(dy, indices, data):
    grad = np.zeros_like(data)
    for row in range(len(data)):
        for slope, number in zip(dy[row], indices[row], strict=True):
            grad[row, number] += slope / data[row, number]
    return grad


NO_SECOND = {"second": "the gradient does not depend on the draws' own"}
CHOICES = [
    Case("_sample_multinomial", [PROBABILITIES]).but(formula=choices),
    Case("_sample_multinomial", [PROBABILITIES[0]]).but(formula=choices),
    Case("_sample_multinomial", [PROBABILITIES[0]], shape=(6,)).but(formula=choices),
    Case("_sample_multinomial", [PROBABILITIES], shape=(2, 5)).but(formula=choices),
    Case("_sample_multinomial", [PROBABILITIES[None]], shape=(4,), dtype="float32").but(
        formula=lambda p, u: choices(p, u).astype(f32)
    ),
    Case("_sample_multinomial", [PROBABILITIES], shape=(4,), get_prob=True).but(
        formula=with_logarithms, no=NO_SECOND
    ),
    Case("_multinomial_gradient", [(2, 4), ints((2, 4), 3, dtype="int32"), uniform((2, 3), 0.1, 0.9)]).but(
        formula=multinomial_gradient
    ),
    Case("_shuffle", [(5, 2)]).but(formula=lambda x, order: x[order]),
    Case("_shuffle", [ints((4,), 9, dtype="int32")]).but(formula=lambda x, order: x[order]),
]

CASES = BY_SHAPE + LIKE + BY_ARRAYS + CHOICES
