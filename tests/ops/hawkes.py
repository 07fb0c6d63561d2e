"""Cases of the likelihood of Hawkes processes."""

import numpy as np

from hybridonnx.test_utils import Case, Draw, ints, uniform

NO = {
    "gradient": "state and times have none; Cases of _hawkesll_grad compare with differences",
    "second": "the same",
}
FIRST = {"second": "the gradient is of first order alone, as MXNet's is"}


def fixed(shape, low, high):
    """Inputs without a gradient, which stay float32."""
    return Draw("uniform", shape, low, high, "float32")


def values(n, k, t):
    """lda, alpha, beta, state, lags, marks."""
    return [
        *(uniform((n, k), 0.5, 2), uniform((k,), 0.1, 0.6), uniform((k,), 0.5, 2)),
        *(fixed((n, k), 0, 2), fixed((n, t), 0, 1), ints((n, t), k, 0, "int32")),
    ]


def hawkes(n, k, t, valid, end):
    """A Case with n samples of k processes and up to t events."""
    return Case("_contrib_hawkesll", [*values(n, k, t), valid, end]).but(no=NO, tol=2e-5)


def likelihood(mu, alpha, beta, state, lags, marks, valid, end):
    """By the definition, a sample and an event at a time."""
    total, states = np.zeros(len(mu)), state.astype(np.float64)
    for i in range(len(mu)):
        s, last, time = states[i], np.zeros(len(alpha)), 0.0
        for j in range(lags.shape[1]):
            if j < valid[i]:
                k = marks[i, j]
                time += lags[i, j]
                left = np.exp(-beta[k] * (time - last[k]))
                total[i] += np.log(mu[i, k] + alpha[k] * beta[k] * s[k] * left)
                total[i] -= mu[i, k] * (time - last[k]) + alpha[k] * s[k] * (1 - left)
                s[k], last[k] = 1 + s[k] * left, time
        left = np.exp(-beta * (end[i] - last))
        total[i] -= (mu[i] * (end[i] - last) + alpha * s * (1 - left)).sum()
        s *= left
    return total.astype(mu.dtype), states.astype(mu.dtype)


def slopes(*inputs):
    """The gradients by differences of the likelihood."""
    *arrays, dy = inputs
    arrays = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]

    def total(i, values):
        return likelihood(*arrays[:i], values, *arrays[i + 1 :])[0] @ dy.astype(np.float64)

    for i in range(3):
        result = np.zeros_like(arrays[i])
        for at in np.ndindex(result.shape):
            step = np.zeros_like(result)
            step[at] = 1e-5
            result[at] = (total(i, arrays[i] + step) - total(i, arrays[i] - step)) / 2e-5
        yield result.astype(dy.dtype)


def by_formula(n, k, t, valid, end, dtypes=("float32",)):
    """The same with inputs of any dtype, and its gradient, against formulas."""
    inputs = [
        Draw(x.kind, x.shape, x.low, x.high, x.dtype if x.kind == "ints" else None) for x in values(n, k, t)
    ]
    times = [uniform((n,), valid, valid + 0.25), uniform((n,), end, end + 0.25)]
    options = {"dtypes": dtypes, "tol": 2e-5}
    return [
        Case("_contrib_hawkesll", [*inputs, *times]).but(formula=likelihood, no=NO, **options),
        Case("_hawkesll_grad", [*inputs, *times, (n,)]).but(formula=lambda *a: tuple(slopes(*a)), **options),
    ]


CASES = [
    hawkes(3, 4, 5, Draw("ints", (3,), 0, 6, "float32"), fixed((3,), 5, 8)),
    hawkes(4, 1, 3, Draw("ints", (4,), 0, 4, "float32"), fixed((4,), 3, 4)),
    hawkes(1, 2, 7, fixed((1,), 6.2, 6.8), fixed((1,), 6, 7)),
    hawkes(2, 3, 1, fixed((2,), -1, 0), fixed((2,), 1, 2)),
    *by_formula(3, 2, 6, 3.5, 7, ("float32", "float64", "float16")),
    *by_formula(2, 5, 4, 2.5, 0.25),
    *by_formula(2, 2, 3, 20.5, 4),
]
