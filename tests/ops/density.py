"""Cases of densities, and of probabilities of integers."""

import numpy as np

from hybridonnx.test_utils import Case, uniform

FLOATS = ("float32", "float64", "float16")
SEVERAL = ("float32", "float64")
rng = np.random.RandomState(3)


def of(shape, low, high):
    return rng.uniform(low, high, shape).astype(np.float32)


def numbers(shape, high):
    """Samples of integers, which receive no gradient."""
    return rng.randint(0, high, shape).astype(np.float32)


def points(*shape):
    """Points whose coordinates sum to 1."""
    x = rng.uniform(0.1, 1, shape)
    return (x / x.sum(-1, keepdims=True)).astype(np.float32)


def shapes():
    """Of parameters, and of samples."""
    yield (2,), (2, 3)
    yield (4,), (4,)
    yield (2, 3), (2, 3, 2)
    yield (1,), (1, 5)
    yield (3,), (3, 2, 2)


def densities(is_log):
    """Cases of the distributions whose samples have gradients."""
    for parameters, samples in shapes():
        low, positive = uniform(parameters, -1.0, 1.0), uniform(parameters, 0.5, 2.5)
        several = uniform(samples, 0.3, 3.0)
        yield Case("_random_pdf_uniform", [several, low, uniform(parameters, 3.0, 4.0)], is_log=is_log)
        yield Case("_random_pdf_normal", [samples, low, positive], is_log=is_log)
        yield Case("_random_pdf_gamma", [several, positive, uniform(parameters, 0.3, 2.0)], is_log=is_log)
        yield Case("_random_pdf_exponential", [several, positive], is_log=is_log)
    for samples, alpha in (
        (points(2, 3), (2, 3)),
        (points(2, 4, 3), (2, 3)),
        (points(2, 3, 2, 4), (2, 4)),
        (points(2, 2, 3, 1), (2, 2, 1)),
    ):
        yield Case("_random_pdf_dirichlet", [samples, of(alpha, 0.5, 3)], is_log=is_log)
    yield Case("_random_pdf_dirichlet", [points(3), of((3,), 0.5, 3)], is_log=is_log)


def probabilities(is_log):
    """Cases of the distributions of integers."""
    without = "MXNet gives the sample no gradient"
    no = {"gradient": without} if is_log else {"gradient": without, "second": without}
    for parameters, samples in ((2,), (2, 3)), ((4,), (4,)), ((2, 3), (2, 3, 2)), ((1,), (1, 6)):
        xs = numbers(samples, 7)
        yield Case("_random_pdf_poisson", [xs, of(parameters, 0.5, 4)], is_log=is_log).but(no=no)
        yield Case(
            "_random_pdf_negative_binomial",
            [xs, of(parameters, 1, 5), of(parameters, 0.2, 0.8)],
            is_log=is_log,
        ).but(no=no)
        yield Case(
            "_random_pdf_generalized_negative_binomial",
            [xs, of(parameters, 0.5, 4), of(parameters, 0.2, 1.5)],
            is_log=is_log,
        ).but(no=no, tol=1e-4)


def other_dtypes():
    """Cases whose sample's dtype is open."""
    positive = uniform((2,), 0.5, 2.5)
    yield Case("_random_pdf_normal", [uniform((2, 4), -1.0, 1.0), (2,), positive]).but(dtypes=FLOATS)
    yield Case("_random_pdf_uniform", [uniform((2, 4)), (2,), uniform((2,), 3.0, 4.0)]).but(dtypes=FLOATS)
    for name in ("gamma", "negative_binomial", "generalized_negative_binomial"):
        inputs = [uniform((2, 4), 0.5, 4.0), positive, uniform((2,), 0.2, 0.8)]
        no = (
            {}
            if name == "gamma"
            else {"gradient": "MXNet gives the sample no gradient", "second": "the same"}
        )
        yield Case(f"_random_pdf_{name}", inputs).but(dtypes=SEVERAL, no=no)


def empty():
    """Cases without samples."""
    yield Case("_random_pdf_normal", [(2, 0), (2,), (2,)]).but(formula=lambda x, mu, sigma: x)
    yield Case("_random_pdf_exponential", [(0, 3), (0,)]).but(formula=lambda x, lam: x)
    yield Case("_random_pdf_dirichlet", [(2, 0, 3), (2, 3)]).but(formula=lambda x, alpha: x[..., 0])


REVERSED = Case("_random_pdf_uniform", [uniform((2, 4)), uniform((2,), 3.0, 4.0), (2,)], is_log=False)

ADJOINTS = [
    Case("_repeat_behind", [(2, 3), (2, 3, 4, 2)]).but(
        formula=lambda x, like: np.broadcast_to(x[:, :, None, None], like.shape)
    ),
    Case("_repeat_behind", [(2, 3), (2, 4, 3)], last_axes=1).but(
        formula=lambda x, like: np.broadcast_to(x[:, None], like.shape)
    ),
    Case("_repeat_behind", [(2,), (2,)]).but(formula=lambda x, like: x),
    Case("_sum_behind", [(2, 3, 4, 2), (2, 3)]).but(formula=lambda x, like: x.sum((2, 3))),
    Case("_sum_behind", [(2, 4, 3), (2, 3)], last_axes=1).but(formula=lambda x, like: x.sum(1)),
    Case("_sum_behind", [(2, 3), (2, 3)]).but(formula=lambda x, like: x),
    Case("_sum_behind", [(2, 0), (2,)]).but(formula=lambda x, like: np.zeros_like(like)),
]

CASES = [
    *densities(False),
    *densities(True),
    *probabilities(False),
    *probabilities(True),
    *other_dtypes(),
    *empty(),
    REVERSED,
    *ADJOINTS,
]
