"""Cases of mx.np's random draws: their formulas take the draw as last argument."""

import numpy as np

from hybridonnx.test_utils import Case, uniform

f32 = np.float32
LEAST = 2.0**-24
POSITIVE = uniform((3,), 0.5, 2.0)


def exponential(u):
    return -np.log1p(-np.maximum(u, LEAST).astype(np.float64))


def logit(u):
    u = np.maximum(u, LEAST).astype(np.float64)
    return np.log(u / (1 - u))


ROUNDED = 0.03
"""The tolerance of slopes in float32, which is the dtype of these draws whatever the parameters are."""


def as32(f):
    return lambda *args: f(*args).astype(f32)


def families(name, standard):
    """A location and a scale: numbers, arrays, both, sizes."""
    name = f"_npi_{name}"
    cases = [
        Case(name, loc=0.0, scale=1.0).but(formula=as32(standard)),
        Case(name, loc=1.0, scale=2.0, size=(2, 3)).but(formula=as32(lambda u: standard(u) * 2 + 1)),
        Case(name, [(3,), POSITIVE], loc=None, scale=None).but(
            formula=as32(lambda m, s, u: standard(u) * s + m)
        ),
        Case(name, [(3,)], loc=None, scale=2.0, size=(2, 3)).but(
            formula=as32(lambda m, u: standard(u) * 2 + m)
        ),
        Case(name, [POSITIVE], loc=0.5, scale=None, size=(2, 3)).but(
            formula=as32(lambda s, u: standard(u) * s + 0.5)
        ),
        Case(name, [(2, 1), POSITIVE], loc=None, scale=None).but(
            formula=as32(lambda m, s, u: standard(u) * s + m)
        ),
    ]
    return [case.but(grad_tol=ROUNDED) for case in cases]


def scaled(name, standard):
    name = f"_npi_{name}"
    cases = [
        Case(name).but(formula=as32(standard)),
        Case(name, scale=3.0, size=(2, 3)).but(formula=as32(lambda u: standard(u) * 3)),
        Case(name, [POSITIVE], scale=None).but(formula=as32(lambda s, u: standard(u) * s)),
        Case(name, [POSITIVE], scale=None, size=(2, 3)).but(formula=as32(lambda s, u: standard(u) * s)),
    ]
    return [case.but(grad_tol=ROUNDED) for case in cases]


def powers(name, of, tol=1e-5):
    name = f"_npi_{name}"
    cases = [
        Case(name, a=2.0, size=(2, 3)).but(formula=as32(lambda u: of(u, 2.0)), tol=tol),
        Case(name, [uniform((3,), 1.5, 3.0)]).but(formula=as32(lambda a, u: of(u, a)), tol=tol),
        Case(name, [uniform((3,), 1.5, 3.0)], size=(2, 3)).but(formula=as32(lambda a, u: of(u, a)), tol=tol),
    ]
    return [case.but(grad_tol=ROUNDED) for case in cases]


def choices(n, p=None):
    def formula(*args):
        u = args[-1]
        chances = np.full(n, 1 / n) if p is None else p.astype(np.float64)
        total = np.cumsum(chances)
        return np.minimum(np.searchsorted(total / total[-1], u, "right"), n - 1).astype(np.int64)

    return formula


CHANCES = np.array([0.1, 0.2, 0.0, 0.7], f32)


CASES = [
    *families("normal", lambda z: z),
    Case("_npi_normal", loc=1.0, scale=2.0, size=(4,), dtype="float64").but(
        formula=lambda z: z.astype(np.float64) * 2 + 1
    ),
    Case("_npi_normal", loc=1.0, scale=2.0, size=(4,), dtype="float16").but(
        formula=lambda z: (z * 2 + 1).astype(np.float16)
    ),
    Case("_npi_normal", loc=0.0, scale=0.0, size=(0, 3)).but(formula=lambda z: z),
    Case("_npi_normal_n", loc=1.0, scale=2.0, size=(2,)).but(formula=lambda z: z * 2 + 1),
    Case("_npi_normal", [(2, 1), POSITIVE], loc=None, scale=None, dtype="float64").but(
        formula=lambda m, s, z: z.astype(np.float64) * s + m
    ),
    Case("_npi_normal_n", [(3,), POSITIVE], loc=None, scale=None, size=(2,), dtype="float64").but(
        formula=lambda m, s, z: z.astype(np.float64) * s + m
    ),
    Case("_npi_normal_n", [(3,)], loc=None, scale=1.0).but(formula=lambda m, z: z + m, grad_tol=ROUNDED),
    *families("gumbel", lambda u: -np.log(exponential(u))),
    *families("logistic", logit),
    *scaled("exponential", exponential),
    *scaled("rayleigh", lambda u: np.sqrt(2 * exponential(u))),
    *powers("weibull", lambda u, a: exponential(u) ** (1 / a)),
    *powers("pareto", lambda u, a: (1 - np.maximum(u, LEAST)) ** (-1 / a) - 1),
    *powers("powerd", lambda u, a: (1 - u) ** (1 / a)),
    Case("_npi_uniform", low=0.0, high=1.0).but(formula=lambda u: u),
    Case("_npi_uniform", low=-2.0, high=5.0, size=(2, 3)).but(formula=lambda u: u * 7 - 2),
    Case("_npi_uniform", low=-2.0, high=5.0, size=(4,), dtype="float64").but(
        formula=lambda u: u.astype(np.float64) * 7 - 2
    ),
    Case("_npi_uniform", low=0.0, high=1.0, size=(4,), dtype="float16").but(
        formula=lambda u: u.astype(np.float16)
    ),
    Case("_npi_uniform", [(3,), uniform((3,), 5.0, 6.0)], low=None, high=None, size=(2, 3)).but(
        formula=lambda a, b, u: u * (b - a) + a
    ),
    Case("_npi_uniform", [uniform((3,), 5.0, 6.0)], low=1.0, high=None).but(
        formula=lambda b, u: u * (b - 1) + 1
    ),
    Case("_npi_uniform_n", [(3,), uniform((3,), 5.0, 6.0)], low=None, high=None, size=(2,)).but(
        formula=lambda a, b, u: u * (b - a) + a
    ),
    Case("_npi_uniform_n", low=0.0, high=1.0, size=(2,)).but(formula=lambda u: u),
    Case("_npi_bernoulli", prob=0.3, logit=None, is_logit=False, size=(2, 3)).but(
        formula=as32(lambda u: u < 0.3)
    ),
    Case("_npi_bernoulli", prob=None, logit=0.5, is_logit=True, size=(9,), dtype="bool").but(
        formula=lambda u: u < 1 / (1 + np.exp(-0.5))
    ),
    Case("_npi_bernoulli", [uniform((3,), 0.1, 0.9)], prob=None, logit=None, is_logit=False).but(
        formula=as32(lambda p, u: u < p)
    ),
    Case("_npi_bernoulli", [(3,)], prob=None, logit=None, is_logit=True, size=(2, 3), dtype="int32").but(
        formula=lambda x, u: (u < 1 / (1 + np.exp(-x))).astype(np.int32)
    ),
    Case("_npi_gamma", shape=2.0, scale=3.0, size=(2, 3)).but(
        formula=lambda seed: np.random.default_rng(seed.tolist()).gamma(2, 3, (2, 3)).astype(f32)
    ),
    Case("_npi_gamma", [POSITIVE, POSITIVE], shape=None, scale=None, size=(2, 3), dtype="float64").but(
        formula=lambda a, b, seed: np.random.default_rng(seed.tolist()).gamma(
            a.astype(np.float64), b.astype(np.float64), (2, 3)
        )
    ),
    Case("_npi_multinomial", n=5, pvals=(0.2, 0.3, 0.5), size=(2,)).but(
        formula=lambda seed: np.random.default_rng(seed.tolist()).multinomial(5, [0.2, 0.3, 0.5], (2,))
    ),
    Case("_npi_multinomial", [CHANCES], n=5).but(
        formula=lambda p, seed: np.random.default_rng(seed.tolist()).multinomial(5, [0.1, 0.2, 0.0, 0.7])
    ),
    Case("_npi_choice", a=5, size=(2, 3)).but(formula=choices(5)),
    Case("_npi_choice", a=5, size=None).but(formula=choices(5)),
    Case("_npi_choice", [(4,)], a=None, size=(3,)).but(formula=choices(4)),
    Case("_npi_choice", [CHANCES], a=4, size=(2, 5), weighted=True).but(formula=choices(4, CHANCES)),
    Case("_npi_choice", [(4,), CHANCES], a=None, size=(7,), weighted=True).but(formula=choices(4, CHANCES)),
    Case("_npi_choice", a=5, size=(5,), replace=False).but(formula=lambda u: np.argsort(u)),
    Case("_npi_choice", a=6, size=(2, 2), replace=False).but(
        formula=lambda u: np.argsort(u)[:4].reshape(2, 2)
    ),
    Case("_npi_choice", [CHANCES + f32(0.1)], a=4, size=(3,), replace=False, weighted=True).but(
        formula=lambda p, u: np.argsort(-np.log1p(-u) / p)[:3]
    ),
]
