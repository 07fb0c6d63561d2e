"""Cases of operators on quantized numbers."""

from itertools import product

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform


def ends(*pairs):
    """Ranges as arrays of one number."""
    return [np.array([end], np.float32) for pair in pairs for end in pair]


def signed(*shape):
    return ints(shape, 128, -128, "int8")


def unsigned(*shape):
    return ints(shape, 256, 0, "uint8")


def of(dtype, *shape):
    return signed(*shape) if dtype == "int8" else unsigned(*shape)


A, B, C, ZERO = (-3.0, 2.0), (-0.7, 1.3), (0.0, 4.1), (0.0, 0.0)
EMPTY = {"oracle": "MXNet takes a size of 0 for an unknown one"}
BYTES = {"oracle": "MXNet says int8 of the bytes of uint8"}
MIXED = {"oracle": "MXNet saturates the uint8 operand to int8 before it adds"}
SYMBOLS = {"oracle": "MXNet runs it in executors alone"}
CONV = {"oracle": "MXNet adds the bias as it is, and gives uint8 data the range of int8"}
NORM = {"oracle": "MXNet adds eps twice, takes gamma although it is fixed, and halves uint8 before"}
STEPS = {"int8": 127.5, "uint8": 255.5}


def size(low, high):
    return float(np.maximum(abs(low), abs(high))[0])


def nearest(x, dtype):
    info = np.iinfo(dtype)
    return np.clip(np.rint(x), info.min, info.max).astype(dtype)


def arrays(*numbers):
    return [np.array([v], np.float32) for v in numbers]


def level(x, low, high):
    """What one of these integers stands for."""
    return size(low, high) / STEPS[x.dtype.name]


# ---- flatten, act, concat

SIMPLE = [
    Case("_contrib_quantized_flatten", [signed(2, 3, 4), *ends(A)]),
    Case("_contrib_quantized_flatten", [unsigned(2, 3, 4, 2), *ends(A)]),
    Case("_contrib_quantized_flatten", [signed(5), *ends(A)]),
    Case("_contrib_quantized_flatten", [signed(0, 3, 2), *ends(A)]).but(
        formula=lambda x, a, b: (x.reshape(0, 6), a, b), no=EMPTY
    ),
    Case("_contrib_quantized_act", [signed(2, 3, 4), *ends(A)], act_type="relu"),
    Case("_contrib_quantized_act", [signed(7), *ends(A)], act_type="relu"),
    Case("_contrib_quantized_act", [unsigned(2, 3, 4), *ends(A)], act_type="relu").but(
        formula=lambda *inputs: inputs, no=BYTES
    ),
    Case("_contrib_quantized_act", [signed(0, 3), *ends(A)], act_type="relu").but(
        formula=lambda *inputs: inputs, no=EMPTY
    ),
]


def in_one_range(lhs, rhs, *e):
    """The formula of two arrays joined along the last axis."""
    low, high = min(e[0], e[2]), max(e[1], e[3])
    dtype = "uint8" if lhs.dtype == rhs.dtype == np.uint8 else "int8"
    steps = STEPS[dtype] / size(low, high)
    parts = [nearest(x * level(x, *r) * steps, dtype) for x, r in ((lhs, e[:2]), (rhs, e[2:]))]
    return np.concatenate(parts, -1), low, high


def joined(dtypes, sizes, dim, *pairs):
    shapes = [[2, 3, 4, 3] for _ in sizes]
    for shape, n in zip(shapes, sizes, strict=True):
        shape[dim] = n
    numbers = [of(t, *shape) for t, shape in zip(dtypes, shapes, strict=True)]
    return Case("_contrib_quantized_concat", [*numbers, *ends(*pairs)], num_args=len(sizes), dim=dim)


JOINED = [
    *(joined(t, (3, 2), 1, A, B) for t in product(("int8", "uint8"), repeat=2)),
    joined(("uint8", "uint8"), (3, 2), 1, C, (0.0, 1.0)),
    joined(("int8", "int8"), (3, 3), 1, A, A),
    joined(("int8", "uint8", "int8"), (1, 4, 2), 2, A, C, B),
    joined(("int8",), (3,), 1, A),
    joined(("int8", "uint8"), (3, 2), 1, (0.5, 2.0), (1.0, 3.0)),
    joined(("int8", "int8"), (3, 2), 1, (-4.0, -1.0), (-3.0, -2.0)),
    joined(("uint8", "int8"), (2, 5), 3, C, B),
    joined(("uint8", "int8"), (2, 5), -1, C, B).but(
        formula=in_one_range, no={"oracle": "MXNet refuses an axis that is counted from the last"}
    ),
    Case("_contrib_quantized_concat", [signed(3, 4), signed(3, 2), *ends(A, B)], num_args=2),
    Case("_contrib_quantized_concat", [signed(3, 4), signed(2, 4), *ends(A, B)], num_args=2, dim=0),
]

# ---- elementwise


def weighted(low, high):
    """The formula of a sum in a calibrated range."""

    def formula(lhs, rhs, *e):
        total = lhs * level(lhs, *e[:2]) + rhs * level(rhs, *e[2:])
        dtype = "uint8" if lhs.dtype == rhs.dtype == np.uint8 else "int8"
        return nearest(total * STEPS[dtype] / max(abs(low), abs(high)), dtype), *arrays(low, high)

    return formula


def total(lhs, rhs, *e):
    """The formula of a sum as int32."""
    width = size(*e[:2]) + size(*e[2:])
    numbers = lhs * level(lhs, *e[:2]) + rhs * level(rhs, *e[2:])
    return np.rint(numbers * (2**31 / width)).astype(np.int32), *arrays(-width, width)


def add(lhs, rhs, *pairs, **attributes):
    return Case(
        "_contrib_quantized_elemwise_add", [of(lhs, 4, 30), of(rhs, 4, 30), *ends(*pairs)], **attributes
    )


def mul(shape, low=None, high=None, dtype="int32", **attributes):
    """A product, with its formula."""
    if low is not None:
        attributes |= {"min_calib_range": low, "max_calib_range": high}

    def formula(lhs, rhs, *e):
        products = lhs.astype(np.int32) * rhs
        if dtype == "int32":
            width = size(*e[:2]) * size(*e[2:]) / 127**2 * 2**31
            return products, *arrays(-width, width)
        numbers = products * (size(*e[:2]) * size(*e[2:]) / 127.5**2)
        if dtype == "float32":
            return numbers.astype(np.float32)
        return nearest(np.trunc(numbers * (127.5 / max(-low, high))), "int8"), *arrays(low, high)

    case = Case(
        "_contrib_quantized_elemwise_mul", [signed(*shape), signed(*shape), *ends(A, B)], **attributes
    )
    return case.but(formula=formula, no=SYMBOLS)


LIMITS = {"min_calib_range": -2.0, "max_calib_range": 2.5}
ELEMENTWISE = [
    add("int8", "int8", A, B),
    add("uint8", "uint8", A, C),
    add("uint8", "int8", A, C).but(formula=total, no=MIXED),
    add("int8", "uint8", B, C).but(formula=total, no=MIXED),
    add("int8", "int8", A, B, **LIMITS),
    add("uint8", "uint8", A, C, **LIMITS),
    add("uint8", "uint8", B, C, min_calib_range=0.0, max_calib_range=2.0),
    add("int8", "uint8", A, C, **LIMITS).but(formula=weighted(-2.0, 2.5), no=MIXED),
    add("int8", "int8", A, B, min_calib_range=1.0),
    Case("_contrib_quantized_elemwise_add", [signed(2, 1, 3), signed(2, 1, 3), *ends(B, B)]),
    Case("_contrib_quantized_elemwise_add", [signed(0, 3), signed(0, 3), *ends(A, B)]).but(
        formula=lambda lhs, rhs, *e: (lhs.astype(np.int32), *arrays(-4.3, 4.3)),
        no=EMPTY,
    ),
    mul((4, 30)),
    mul((2, 3, 1)),
    mul((4, 30), -2.0, 1.5, "int8"),
    mul((4, 30), -0.3, 0.2, "int8"),
    mul((4, 30), enable_float_output=True, dtype="float32"),
    mul((4, 30), -2.0, 1.5, enable_float_output=True, dtype="float32"),
]

# ---- layers

EMBEDDING = [
    Case(
        "_contrib_quantized_embedding", [ints((3, 4), 6), signed(6, 4), *ends(A)], input_dim=6, output_dim=4
    ),
    Case(
        "_contrib_quantized_embedding",
        [np.array([0, 7, -2, 5], np.float32), signed(6, 4), *ends(A)],
        input_dim=6,
        output_dim=4,
        dtype="int8",
        sparse_grad=True,
    ),
    Case(
        "_contrib_quantized_embedding",
        [ints((5,), 6, 0, "int32"), signed(6, 1), *ends(A)],
        input_dim=6,
        output_dim=1,
    ),
]


def dense(dtype, shape, hidden, *pairs, **attributes):
    flat = shape[-1] if attributes.get("flatten") is False else int(np.prod(shape[1:]))
    numbers = [of(dtype, *shape), signed(hidden, flat)]
    if len(pairs) == 3:
        numbers.append(signed(hidden))
    attributes["no_bias"] = len(pairs) < 3
    return Case(
        "_contrib_quantized_fully_connected", [*numbers, *ends(*pairs)], num_hidden=hidden, **attributes
    )


DENSE = [
    *(dense(t, (3, 7), 4, A, B) for t in ("int8", "uint8")),
    *(dense(t, (3, 7), 4, A, B, r) for t in ("int8", "uint8") for r in (A, (-500.0, 3.0))),
    dense("int8", (2, 3, 4), 5, A, B, C),
    dense("uint8", (2, 3, 4), 5, C, B, A, flatten=False),
    dense("int8", (2, 3, 4), 5, A, B, flatten=False),
    dense("uint8", (1, 300), 2, A, B, A),
    dense("int8", (3, 7), 4, A, B, ZERO),
    dense("int8", (0, 7), 4, A, B).but(
        formula=lambda x, w, *e: (
            np.zeros((0, 4), np.int32),
            *arrays(*(s * 3.0 * float(np.float32(1.3)) / 127**2 * 2**31 for s in (-1, 1))),
        ),
        no=EMPTY,
    ),
]


def convolved(window):
    """The formula of a convolution, by einsum over its windows."""
    kernel = window["kernel"]
    stride, dilate, pad = (
        window.get(n) or (d,) * len(kernel) for n, d in (("stride", 1), ("dilate", 1), ("pad", 0))
    )

    def formula(x, w, *rest):
        axes = tuple(range(2, x.ndim))
        filled = np.pad(x.astype(np.int64), [(0, 0), (0, 0), *((p, p) for p in pad)])
        spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilate, strict=True)]
        windows = np.lib.stride_tricks.sliding_window_view(filled, spans, axes)
        windows = windows[(slice(None), slice(None), *(slice(None, None, s) for s in stride))]
        windows = windows[(..., *(slice(None, None, d) for d in dilate))]
        letters = "xyz"[: len(kernel)]
        y = np.einsum(
            f"nc{letters}{letters.upper()},fc{letters.upper()}->nf{letters}", windows, w.astype(np.int64)
        )
        ends = rest[1:] if len(rest) % 2 else rest
        if ends is not rest:
            steps = STEPS[x.dtype.name] / size(*ends[:2]) * 127.5 / size(*ends[2:4]) * size(*ends[4:]) / 127.5
            y = y + np.trunc(rest[0] * steps).astype(np.int64).reshape(-1, *(1 for _ in kernel))
        whole = {"int8": 127, "uint8": 255}[x.dtype.name]
        width = size(*ends[:2]) / whole * size(*ends[2:4]) / 127 * 2**31
        return y.astype(np.int32), *arrays(-width, width)

    return formula


def conv(dtype, shape, filters, *pairs, **window):
    numbers = [of(dtype, *shape), signed(filters, shape[1], *window["kernel"])]
    if len(pairs) == 3:
        numbers.append(signed(filters))
    case = Case(
        "_contrib_quantized_conv",
        [*numbers, *ends(*pairs)],
        num_filter=filters,
        no_bias=len(pairs) < 3,
        **window,
    )
    return case.but(formula=convolved(window), no=CONV)


CONVOLUTION = [
    *(conv(t, (2, 3, 5, 6), 4, A, B, kernel=(3, 2)) for t in ("int8", "uint8")),
    *(conv(t, (2, 3, 5, 6), 4, A, B, C, kernel=(3, 3), pad=(1, 1)) for t in ("int8", "uint8")),
    conv("uint8", (1, 2, 7, 6), 3, C, B, A, kernel=(3, 2), stride=(2, 1), dilate=(1, 2), pad=(1, 0)),
    conv("int8", (1, 2, 4, 3, 5), 3, A, B, A, kernel=(2, 2, 3), pad=(1, 0, 1), layout="NCDHW"),
    conv("int8", (1, 1, 1, 1), 1, A, B, kernel=(1, 1), layout="NCHW"),
    conv("uint8", (2, 30, 4, 4), 2, A, B, A, kernel=(3, 3), cudnn_off=True, cudnn_tune="off", workspace=512),
]


def pool(dtype, shape, **attributes):
    return Case("_contrib_quantized_pooling", [of(dtype, *shape), *ends(A)], **attributes)


IMAGE = (2, 3, 7, 6)
POOLING = [
    *(pool(t, IMAGE, kernel=(2, 2), pool_type=p) for t in ("int8", "uint8") for p in ("max", "avg")),
    *(
        pool("int8", IMAGE, kernel=(3, 2), stride=(2, 1), pad=(1, 1), pool_type=p, count_include_pad=c)
        for p in ("max", "avg")
        for c in (None, True, False)
    ),
    *(
        pool("uint8", IMAGE, kernel=(3, 2), stride=(2, 2), pool_type=p, pooling_convention="full")
        for p in ("max", "avg")
    ),
    *(pool("int8", IMAGE, kernel=(2, 2), global_pool=True, pool_type=p) for p in ("max", "avg")),
    *(pool("int8", (1, 2, 3, 4, 5), kernel=(2, 2, 3), pool_type=p, layout="NCDHW") for p in ("max", "avg")),
    *(  # the last windows lie in the padding
        pool(
            t,
            (2, 2, 5, 6),
            kernel=(2, 2),
            stride=(2, 2),
            pad=(1, 0),
            pooling_convention="full",
            pool_type="max",
        )
        for t in ("int8", "uint8")
    ),
    pool("uint8", IMAGE, kernel=(2, 2), pool_type="avg", cudnn_off=True, p_value=2, layout="NCHW"),
]


def norm(dtype, shape, eps=1e-5, fix_gamma=False, gamma=None, **attributes):
    channels = shape[1:2]
    inputs = [of(dtype, *shape), uniform(channels, 0.5, 2.0), channels, channels, uniform(channels, 0.5, 3.0)]
    if gamma is not None:
        inputs[1] = gamma
    inputs[1:5] = [a.astype(np.float32) for a in Case("norm", inputs[1:5]).arrays()]
    limits = {"min_calib_range": -5.0, "max_calib_range": 4.0}
    return Case(
        "_contrib_quantized_batch_norm",
        [*inputs, *ends(A)],
        eps=eps,
        fix_gamma=fix_gamma,
        **limits,
        **attributes,
    )


def normalized(eps, fixed):
    def formula(x, gamma, beta, mean, variance, *e):
        def along(v):
            return v.astype(np.float64).reshape(-1, *(1 for _ in x.shape[2:]))

        numbers = (x * level(x, *e) - along(mean)) / np.sqrt(along(variance) + eps)
        y = numbers * (1 if fixed else along(gamma)) + along(beta)
        return nearest(y * (127.5 / 5), "int8"), *arrays(-5, 4)

    return formula


NORMALIZATION = [
    norm("int8", (2, 3, 4, 5)),
    norm("int8", (2, 3, 4, 5), fix_gamma=True, gamma=np.ones(3, np.float32)),
    norm(
        "int8",
        (2, 3, 4, 5),
        momentum=0.5,
        use_global_stats=True,
        output_mean_var=True,
        cudnn_off=True,
        axis=1,
    ),
    norm("int8", (2, 3, 4, 5), eps=0.1).but(formula=normalized(0.1, False), no=NORM),
    norm("int8", (2, 3, 4, 5), fix_gamma=True).but(formula=normalized(1e-5, True), no=NORM),
    norm("uint8", (2, 3, 4, 5)).but(formula=normalized(1e-5, False), no=NORM),
    norm("int8", (5, 3)).but(formula=normalized(1e-5, False), no=NORM),
]

CASES = [*SIMPLE, *JOINED, *ELEMENTWISE, *EMBEDDING, *DENSE, *CONVOLUTION, *POOLING, *NORMALIZATION]
