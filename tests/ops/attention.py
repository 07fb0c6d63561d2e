"""Cases of attention whose projections lie beside each other in one array."""

import numpy as np

from hybridonnx.test_utils import Case, uniform

FLOAT32_ALONE = ("float64", "float16")


def by_head(x, heads, parts):
    """The parts of a projection (L, B, heads * parts * D), each (B, heads, L, D)."""
    L, B, width = x.shape
    return np.moveaxis(x.reshape(L, B, heads, parts, width // (heads * parts)), (0, 3), (3, 0))


def scores(queries, keys):
    product = np.einsum("bhid,bhjd->bhij", queries / np.sqrt(queries.shape[-1]), keys)
    return heads_in_batch(product).astype(queries.dtype)


def heads_in_batch(x):
    B, heads, *rest = x.shape
    return x.reshape(B * heads, *rest)


def context(attention, values):
    B, heads, L, D = values.shape
    M = attention.shape[1]
    weights = attention.reshape(B, heads, M, L)
    return np.einsum("bhij,bhjd->ibhd", weights, values).reshape(M, B, heads * D).astype(values.dtype)


def self_qk(x, heads):
    queries, keys, _ = by_head(x, heads, 3)
    return scores(queries, keys)


def cross_qk(queries, keys_values, heads):
    return scores(by_head(queries, heads, 1)[0], by_head(keys_values, heads, 2)[0])


def of_formula(operator, inputs, formula, heads, dtypes=FLOAT32_ALONE):
    """A Case of dtypes or sizes that MXNet does not take."""
    case = Case(f"_contrib_interleaved_matmul_{operator}", inputs, heads=heads)
    return case.but(dtypes=dtypes, formula=formula)


def self_cases():
    for (L, B, D), heads in (((4, 2, 3), 2), ((5, 1, 4), 1), ((1, 3, 2), 4), ((3, 2, 1), 3), ((16, 2, 8), 4)):
        projection, attention = (L, B, heads * 3 * D), uniform((B * heads, L, L))
        yield Case("_contrib_interleaved_matmul_selfatt_qk", [projection], heads=heads)
        yield Case("_contrib_interleaved_matmul_selfatt_valatt", [projection, attention], heads=heads)


def cross_cases():
    for (M, L, B, D), heads in (((4, 6, 2, 3), 2), ((1, 5, 1, 4), 1), ((3, 1, 3, 2), 4), ((5, 5, 2, 8), 3)):
        queries, both, attention = (M, B, heads * D), (L, B, heads * 2 * D), uniform((B * heads, M, L))
        yield Case("_contrib_interleaved_matmul_encdec_qk", [queries, both], heads=heads)
        yield Case("_contrib_interleaved_matmul_encdec_valatt", [both, attention], heads=heads)


def merged(*parts, heads):
    x = np.stack(parts, axis=2)  # (B * heads, L, parts, D)
    N, L, count, D = x.shape
    return np.moveaxis(x.reshape(N // heads, heads, L, count, D), 2, 0).reshape(
        L, N // heads, heads * count * D
    )


def split(x, heads, parts):
    return tuple(map(heads_in_batch, by_head(x, heads, parts)))


OTHERS = [
    of_formula("selfatt_qk", [(3, 2, 24)], lambda x: self_qk(x, 2), 2),
    of_formula("selfatt_qk", [(3, 0, 24)], lambda x: self_qk(x, 2), 2, ("float32",)),
    of_formula(
        "selfatt_valatt", [(3, 2, 24), uniform((4, 3, 3))], lambda x, a: context(a, by_head(x, 2, 3)[2]), 2
    ),
    of_formula("encdec_qk", [(3, 2, 8), (5, 2, 16)], lambda q, x: cross_qk(q, x, 2), 2),
    of_formula("encdec_qk", [(3, 0, 8), (5, 0, 16)], lambda q, x: cross_qk(q, x, 2), 2, ("float32",)),
    of_formula(
        "encdec_valatt", [(5, 2, 16), uniform((4, 3, 5))], lambda x, a: context(a, by_head(x, 2, 2)[1]), 2
    ),
    of_formula(
        "encdec_valatt",
        [(5, 0, 16), (0, 3, 5)],
        lambda x, a: context(a, by_head(x, 2, 2)[1]),
        2,
        ("float32",),
    ),
]

ADJOINTS = [
    Case("_split_heads", [(3, 2, 24)], heads=2, parts=3).but(formula=lambda x: split(x, 2, 3)),
    Case("_split_heads", [(3, 2, 8)], heads=4, parts=1).but(formula=lambda x: split(x, 4, 1)),
    Case("_split_heads", [(0, 2, 8)], heads=2, parts=2).but(formula=lambda x: split(x, 2, 2)),
    Case("_merge_heads", [(4, 3, 5)] * 3, heads=2).but(formula=lambda *x: merged(*x, heads=2)),
    Case("_merge_heads", [(6, 2, 1)], heads=3).but(formula=lambda x: merged(x, heads=3)),
    Case("_merge_heads", [(0, 2, 4)] * 2, heads=3).but(formula=lambda *x: merged(*x, heads=3)),
]

CASES = [*self_cases(), *cross_cases(), *OTHERS, *ADJOINTS]
