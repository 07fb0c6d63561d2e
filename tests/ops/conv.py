"""Cases of convolutions. Sums over the offsets in windows are the formulas of what MXNet does not have."""

from itertools import product

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64")


def _each(n, default, rank):
    return n or (default,) * rank


def _full(x, w, kernel, stride=(), dilate=(), pad=(), num_group=1, out=None, **_):
    """Padded data, its slice at each offset in the window, the slices of the data, the output's sizes."""
    rank = len(kernel)
    stride, dilate, pad = _each(stride, 1, rank), _each(dilate, 1, rank), _each(pad, 0, rank)
    size = x.shape[2:]
    out = out or tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(size, pad, dilate, kernel, stride, strict=True)
    )
    more = max(p + s for p, s in zip(pad, stride, strict=True))
    x = np.pad(x, [(0, 0), (0, 0), *((p, more) for p in pad)])
    cuts = {
        i: (
            ...,
            *(
                slice(a * d, a * d + (n - 1) * s + 1, s)
                for a, d, n, s in zip(i, dilate, out, stride, strict=True)
            ),
        )
        for i in product(*map(range, kernel))
    }
    return x, cuts, tuple(slice(p, p + n) for p, n in zip(pad, size, strict=True)), out


def convolution(x, w, **attributes):
    """The convolution of x (N, C, *spatial) with w (F, C / g, *kernel)."""
    g = attributes.get("num_group", 1)
    x, cuts, _, _ = _full(x, w, **attributes)
    n, c = x.shape[:2]
    return sum(
        np.einsum(
            "ngc...,gfc->ngf...",
            x[cut].reshape(n, g, c // g, *x[cut].shape[2:]),
            w[(..., *i)].reshape(g, len(w) // g, c // g),
        ).reshape(n, len(w), *x[cut].shape[2:])
        for i, cut in cuts.items()
    )


def data_grad(dy, w, x, **attributes):
    """The gradient of `convolution` in x."""
    g = attributes.get("num_group", 1)
    full, cuts, inner, _ = _full(np.zeros_like(x), w, out=dy.shape[2:], **attributes)
    n, f = dy.shape[:2]
    heads = dy.reshape(n, g, f // g, *dy.shape[2:])
    for i, cut in cuts.items():
        taps = w[(..., *i)].reshape(g, f // g, w.shape[1])
        full[cut] += np.einsum("ngf...,gfc->ngc...", heads, taps).reshape(full[cut].shape)
    return full[(..., *inner)]


def weight_grad(dy, x, w, **attributes):
    """The gradient of `convolution` in w."""
    g = attributes.get("num_group", 1)
    x, cuts, _, _ = _full(x, w, out=dy.shape[2:], **attributes)
    n, f = dy.shape[:2]
    heads = dy.reshape(n, g, f // g, -1)
    dw = np.zeros_like(w)
    for i, cut in cuts.items():
        patch = x[cut].reshape(n, g, w.shape[1], -1)
        dw[(..., *i)] = np.einsum("ngfp,ngcp->gfc", heads, patch).reshape(f, w.shape[1])
    return dw


def conv(data, filters, kernel, **attributes):
    """A convolution of data, with bias unless no_bias says otherwise."""
    weight = (filters, data[1] // attributes.get("num_group", 1), *kernel)
    inputs = [data, weight] + ([] if attributes.get("no_bias") else [(filters,)])
    return Case("Convolution", inputs, kernel=kernel, num_filter=filters, **attributes)


def _out(data, kernel, stride=(), dilate=(), pad=(), **_):
    rank = len(kernel)
    axes = zip(
        data[2:], kernel, _each(stride, 1, rank), _each(dilate, 1, rank), _each(pad, 0, rank), strict=True
    )
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, d, p in axes)


def adjoints(data, filters, kernel, **attributes):
    """The two gradients of a convolution."""
    weight = (filters, data[1] // attributes.get("num_group", 1), *kernel)
    dy = (data[0], filters, *_out(data, kernel, **attributes))
    same = {"kernel": kernel, "num_filter": filters, **attributes}
    return [
        Case("_conv_data_grad", [dy, weight, data], **same).but(
            formula=lambda dy, w, x: data_grad(dy, w, x, **same)
        ),
        Case("_conv_weight_grad", [dy, data, weight], **same).but(
            formula=lambda dy, x, w: weight_grad(dy, x, w, **same)
        ),
    ]


def deconv(data, filters, kernel, **attributes):
    """A transposed convolution of data, without bias unless no_bias is False."""
    weight = (data[1], filters // attributes.get("num_group", 1), *kernel)
    inputs = [data, weight] + ([(filters,)] if attributes.get("no_bias") is False else [])
    return Case("Deconvolution", inputs, kernel=kernel, num_filter=filters, **attributes)


def deconv3(data, weight, wide, plain, **attributes):
    """A transposed convolution in 3 dimensions, which MXNet's own kernels cannot."""
    return Case("Deconvolution", [data, weight], **attributes).but(
        formula=lambda x, w: data_grad(x, w, np.zeros(wide, x.dtype), **plain)
    )


def _target(data, filters, kernel, pads, out, **attributes):
    """A transposed convolution that has this padding and output size, and its gradients by formula."""
    weight = (data[1], filters // attributes.get("num_group", 1), *kernel)
    plain = {k: v for k, v in attributes.items() if k not in ("target_shape", "adj", "pad")}
    plain |= {"kernel": kernel, "pad": pads}
    same = {"kernel": kernel, "num_filter": filters, **attributes}
    wide = (data[0], filters, *out)
    return [
        deconv3(data, weight, wide, plain, **same)
        if len(kernel) == 3
        else Case("Deconvolution", [data, weight], **same),
        Case("_deconv_data_grad", [wide, weight, data], **same).but(
            formula=lambda dy, w, x: convolution(dy, w, out=x.shape[2:], **plain)
        ),
        Case("_deconv_weight_grad", [wide, data, weight], **same).but(
            formula=lambda dy, x, w: weight_grad(x, dy, w, **plain)
        ),
    ]


def _last(formula, *roles):
    """A formula for channels in the last axis, from one for channels in axis 1."""

    def moved(*arrays, **attributes):
        result = formula(*(np.moveaxis(a, -1, 1) if a.ndim > 1 else a for a in arrays), **attributes)
        return np.moveaxis(result, 1, -1)

    return moved


NHWC = {"kernel": (2, 3), "num_filter": 4, "stride": (2, 1), "pad": (1, 0), "layout": "NHWC"}
PLAIN = {k: v for k, v in NHWC.items() if k != "layout"}

CASES = [
    # 1-D
    conv((2, 3, 9), 4, (3,)),
    conv((2, 3, 9), 4, (3,), stride=(2,), pad=(1,), layout="NCW"),
    conv((2, 4, 9), 6, (2,), dilate=(3,), num_group=2, no_bias=True),
    conv((2, 3, 5), 4, (1,)),
    # 2-D
    conv((2, 3, 7, 8), 4, (3, 3)).but(dtypes=FLOATS),
    conv((2, 3, 7, 7), 4, (3, 3)).but(
        dtypes=("float16",), formula=lambda x, w, b: convolution(x, w, kernel=(3, 3)) + b[:, None, None]
    ),
    conv((2, 3, 7, 8), 4, (3, 3), no_bias=True, layout="NCHW"),
    conv((2, 4, 9, 8), 4, (3, 2), stride=(2, 1), num_group=2),
    conv((2, 3, 9, 8), 5, (3, 2), stride=(2, 3), pad=(1, 1)),
    conv((2, 3, 9, 8), 5, (3, 2), dilate=(2, 3), pad=(2, 1)),
    conv((1, 3, 8, 8), 5, (3, 3), stride=(2, 2), pad=(1, 1), dilate=(2, 2)),
    conv((2, 6, 5, 5), 6, (3, 3), pad=(1, 1), num_group=6),
    conv((2, 3, 5, 5), 6, (3, 3), pad=(1, 1), stride=(2, 2), num_group=3, no_bias=True),
    conv((2, 3, 5, 6), 4, (1, 1)),
    conv((2, 3, 5, 6), 4, (1, 1), stride=(2, 2), no_bias=True),
    conv((2, 3, 5, 6), 4, (1, 1), pad=(1, 1)),
    conv((2, 4, 5, 6), 6, (1, 1), num_group=2),
    conv((2, 3, 4, 5), 4, (4, 5)),
    conv((1, 1, 1, 1), 1, (1, 1)),
    conv((2, 3, 3, 3), 2, (3, 3), pad=(3, 3)),
    conv((1, 3, 11, 11), 4, (5, 5), stride=(3, 3), pad=(2, 2), workspace=512, cudnn_tune="off"),
    conv((1, 3, 11, 11), 4, (2, 2), stride=(3, 3), cudnn_off=True),
    conv((4, 16, 14, 14), 32, (3, 3), pad=(1, 1)).but(tol=3e-5),
    conv((2, 4, 6, 5), 4, (3, 2), num_group=2).but(dtypes=("float64",)),
    Case("Convolution", [(0, 3, 5, 5), (4, 3, 3, 3), (4,)], kernel=(3, 3), num_filter=4).but(
        formula=lambda x, w, b: np.zeros((0, 4, 3, 3), x.dtype)
    ),
    Case("Convolution", [(2, 5, 6, 3), (4, 2, 3, 3), (4,)], **NHWC).but(
        formula=lambda x, w, b: _last(convolution)(x, w, **PLAIN) + b
    ),
    Case("Convolution_v1", [(2, 4, 7, 8), (6, 2, 3, 3), (6,)], kernel=(3, 3), num_filter=6, num_group=2),
    Case(
        "Convolution_v1", [(2, 3, 7, 8), (4, 3, 3, 2)], kernel=(3, 2), num_filter=4, no_bias=True, pad=(1, 0)
    ),
    # 3-D
    conv((2, 3, 5, 6, 4), 4, (3, 2, 2)),
    conv((1, 4, 5, 6, 4), 4, (3, 3, 3), stride=(2, 2, 1), pad=(1, 1, 1), num_group=2, layout="NCDHW"),
    conv((1, 2, 5, 5, 5), 3, (2, 2, 2), dilate=(2, 1, 2), no_bias=True),
    conv((1, 2, 3, 3, 3), 3, (1, 1, 1)),
    Case(
        "Convolution",
        [(1, 4, 4, 4, 2), (3, 2, 2, 2, 2)],
        kernel=(2, 2, 2),
        num_filter=3,
        no_bias=True,
        layout="NDHWC",
    ).but(formula=lambda x, w: _last(convolution)(x, w, kernel=(2, 2, 2))),
    # the gradients of convolutions
    *adjoints((2, 3, 9), 4, (3,), stride=(2,), pad=(1,)),
    *adjoints((2, 3, 10), 4, (3,), stride=(4,)),
    *adjoints((2, 3, 7, 8), 4, (3, 3)),
    *adjoints((2, 3, 7, 8), 4, (3, 3), pad=(1, 1)),
    *adjoints((2, 3, 8, 8), 4, (3, 3), stride=(2, 2), pad=(1, 1)),
    *adjoints((2, 4, 9, 8), 6, (3, 2), stride=(2, 1), dilate=(1, 2), pad=(1, 0), num_group=2),
    *adjoints((2, 4, 7, 7), 4, (3, 3), stride=(2, 2), pad=(1, 1), num_group=4),
    *adjoints((2, 2, 9, 8), 3, (3, 3), stride=(2, 1), dilate=(2, 1), pad=(1, 1)),
    *adjoints((2, 4, 5, 6), 3, (1, 1)),
    *adjoints((2, 4, 5, 6), 4, (1, 1), stride=(2, 2), num_group=2),
    *adjoints((2, 3, 3, 3), 2, (3, 3), pad=(3, 3)),
    *adjoints((1, 3, 11, 11), 4, (2, 2), stride=(3, 3)),
    *adjoints((1, 2, 5, 6, 4), 4, (3, 2, 2), stride=(2, 1, 1), pad=(1, 0, 0), num_group=2),
    Case("_conv_data_grad", [(2, 3, 4, 4), (4, 2, 3, 3), (2, 5, 6, 3)], **NHWC).but(
        formula=lambda dy, w, x: _last(data_grad)(dy, w, x, **PLAIN)
    ),
    Case("_conv_weight_grad", [(2, 3, 4, 4), (2, 5, 6, 3), (4, 2, 3, 3)], **NHWC).but(
        formula=lambda dy, x, w: _last(weight_grad)(dy, x, w, **PLAIN)
    ),
    # transposed convolutions
    deconv((2, 3, 5), 2, (3,)),
    deconv((2, 3, 5), 2, (4,), stride=(3,), pad=(1,), adj=(2,)),
    deconv((2, 3, 5, 6), 4, (2, 3)).but(dtypes=FLOATS),
    deconv((2, 3, 5, 6), 4, (2, 3), no_bias=False),
    deconv((2, 3, 5, 6), 4, (2, 3), stride=(2, 2)),
    deconv((2, 3, 5, 6), 4, (3, 3), stride=(2, 2), pad=(1, 1)),
    deconv((2, 3, 5, 6), 4, (3, 3), stride=(2, 2), pad=(1, 1), adj=(1, 1), no_bias=False),
    deconv((2, 3, 5, 6), 4, (4, 4), stride=(2, 2), pad=(1, 1)),
    deconv((2, 3, 5, 6), 4, (3, 2), stride=(3, 2), pad=(0, 1), adj=(2, 1)),
    deconv((2, 3, 5, 6), 4, (3, 3), dilate=(2, 2)),
    deconv((2, 4, 5, 6), 4, (3, 3), stride=(2, 2), num_group=2),
    deconv((2, 4, 3, 3), 4, (4, 4), stride=(2, 2), pad=(1, 1), num_group=4),
    deconv((2, 3, 4, 4), 2, (1, 1), stride=(2, 2)),
    deconv((2, 3, 5, 6), 4, (2, 3), stride=(2, 2), target_shape=(10, 13)),
    deconv((2, 3, 5, 6), 4, (2, 3), stride=(2, 2), target_shape=(0, 0)),
    *_target((1, 2, 3, 4, 3), 3, (3, 2, 2), (0, 0, 0), (7, 8, 4), stride=(2, 2, 1)),
    *_target((2, 3, 5, 6), 4, (2, 3), (0, 1), (10, 12), stride=(2, 2), target_shape=(10, 12)),
    *_target((2, 3, 5, 6), 4, (2, 3), (1, 1), (9, 12), stride=(2, 2), target_shape=(9, 12), adj=(1, 0)),
    *_target((2, 3, 5, 6), 4, (2, 3), (2, 2), (7, 9), stride=(2, 2), target_shape=(7, 9)),
    *_target((2, 3, 5), 4, (3,), (2,), (8,), stride=(2,), target_shape=(8,)),
    *_target((2, 4, 5, 6), 6, (3, 3), (1, 1), (10, 12), stride=(2, 2), pad=(1, 1), adj=(1, 1), num_group=2),
    *_target((2, 3, 5, 6), 4, (3, 2), (1, 0), (5, 7), pad=(1, 0)),
    *_target((1, 2, 3, 4, 3), 3, (2, 2, 2), (0, 0, 1), (6, 5, 2), stride=(2, 1, 1), pad=(0, 0, 1)),
]
