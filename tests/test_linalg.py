"""Linear algebra beyond its Cases: free sizes in ONNX, matrices without a result, eigenvalues, names."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
import hybridonnx.symbol as sym
from hybridonnx import nd
from hybridonnx.converters.to_onnx import lower_operator
from hybridonnx.errors import DTypeError, MXNetError, ShapeError
from hybridonnx.ops import Spec, find
from tests.test_free_sizes import exported, run

F32, F64 = np.dtype("float32"), np.dtype("float64")
RNG = np.random.default_rng(3)


def dominant(*shape):
    """Matrices with a large diagonal, float32."""
    values = RNG.standard_normal(shape) + (shape[-1] + 3) * np.eye(shape[-1])
    return values.astype(F32)


def definite(*shape):
    """Symmetric positive definite matrices, float32."""
    values = RNG.standard_normal(shape)
    return (values @ values.swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1])).astype(F32)


def in_onnx(name, *arrays, opset=18, **attributes):
    """What the export of one operator gives for arrays of just these shapes."""
    op = find(name).make(attributes)
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    model = lower_operator(op, specs, opset=opset).model
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(op.input_names(), arrays, strict=True)))


# ---- free sizes

A, B = sym.var("a"), sym.var("b")
SQUARE: dict[str, tuple[Any, Any]] = {
    "potrf": (sym.linalg.potrf(A), np.linalg.cholesky),
    "potri": (sym.linalg.potri(A), lambda a: np.linalg.inv(np.tril(a) @ np.tril(a).swapaxes(-1, -2))),
    "inverse": (sym.linalg.inverse(A), np.linalg.inv),
    "det": (sym.linalg.det(A), np.linalg.det),
    "slogdet": (sym.linalg.slogdet(A)[1], lambda a: np.linalg.slogdet(a)[1]),
    "syrk": (sym.linalg.syrk(A, transpose=True), lambda a: a.swapaxes(-1, -2) @ a),
    "extractdiag": (sym.linalg.extractdiag(A), lambda a: np.diagonal(a, 0, -2, -1)),
    "sumlogdiag": (sym.linalg.sumlogdiag(A), lambda a: np.log(np.diagonal(a, 0, -2, -1)).sum(-1)),
}


@pytest.mark.parametrize("name", SQUARE)
def test_any_number_of_matrices_of_any_size(name):
    symbol, formula = SQUARE[name]
    session = exported(symbol, {"a": ("batch", "n", "n")})
    for batch, n in ((1, 1), (2, 7), (7, 2), (3, 20)):
        a = definite(batch, n, n)
        expected = formula(a.astype(F64))
        got = run(session, {"a": a})[0]
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=2e-4, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("rightside", [False, True])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_triangular_systems_of_any_size(lower, transpose, rightside):
    flags = {"lower": lower, "transpose": transpose, "rightside": rightside}
    symbol = sym.Group([sym.linalg.trsm(A, B, **flags), sym.linalg.trmm(A, B, **flags)])
    shape = ("batch", "m", "n") if rightside else ("batch", "n", "m")
    session = exported(symbol, {"a": ("batch", "n", "n"), "b": shape})
    for batch, n, m in ((1, 1, 1), (2, 7, 2), (7, 2, 7)):
        a = dominant(batch, n, n)
        b = RNG.standard_normal((batch, m, n) if rightside else (batch, n, m)).astype(F32)
        triangle = (np.tril if lower else np.triu)(a).astype(F64)
        triangle = triangle.swapaxes(-1, -2) if transpose else triangle
        solution, product = run(session, {"a": a, "b": b})
        back = solution @ triangle if rightside else triangle @ solution
        np.testing.assert_allclose(back, b, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(product, b @ triangle if rightside else triangle @ b, rtol=1e-4, atol=1e-5)


def test_orthogonal_rows_of_any_size():
    session = exported(sym.linalg.gelqf(A), {"a": ("batch", "m", "n")})
    for batch, m, n in ((1, 1, 1), (2, 2, 7), (7, 7, 7), (1, 1, 2)):
        a = RNG.standard_normal((batch, m, n)).astype(F32)
        q, lower = run(session, {"a": a})
        q_t, r = np.linalg.qr(a.swapaxes(-1, -2))
        np.testing.assert_allclose(q, q_t.swapaxes(-1, -2), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(lower, r.swapaxes(-1, -2), rtol=1e-4, atol=1e-5)


def test_products_and_columns_of_any_size():
    product = sym.linalg.gemm2(A, B, transpose_b=True, alpha=0.5)
    session = exported(product, {"a": ("batch", "m", "k"), "b": ("batch", "n", "k")})
    columns = exported(sym.khatri_rao(A, B), {"a": ("p", "n"), "b": ("q", "n")})
    diagonals = exported(sym.linalg.makediag(A, offset=-1), {"a": ("batch", "n")})
    for sizes in ((1, 1, 1, 1), (2, 7, 1, 2), (7, 2, 2, 7)):
        batch, m, k, n = sizes
        a, b = (RNG.standard_normal(s).astype(F32) for s in ((batch, m, k), (batch, n, k)))
        expected = a @ b.swapaxes(-1, -2) / 2
        np.testing.assert_allclose(run(session, {"a": a, "b": b})[0], expected, rtol=1e-5, atol=1e-6)
        expected = np.stack([np.kron(a[0, :, i], b[0, :, i]) for i in range(k)], axis=1)
        np.testing.assert_allclose(run(columns, {"a": a[0], "b": b[0]})[0], expected, rtol=1e-6)
        expected = np.stack([np.diag(row, -1) for row in a[0]])
        np.testing.assert_array_equal(run(diagonals, {"a": a[0]})[0], expected)


@pytest.mark.parametrize("opset", [13, 18])
def test_unread_triangles_may_hold_anything(opset):
    a = definite(4, 4)
    poisoned = np.where(np.tril(np.ones((4, 4), np.bool_)), a, np.nan).astype(F32)
    for name in ("_linalg_potrf", "_linalg_potri", "_linalg_syevd"):
        for x, y in zip(in_onnx(name, poisoned, opset=opset), in_onnx(name, a, opset=opset), strict=True):
            np.testing.assert_array_equal(x, y)


# ---- matrices without a result

FAILING = {
    "potrf": [[1, 2], [2, 1]],
    "potri": [[0, 0], [1, 1]],
    "inverse": [[1, 2], [2, 4]],
}


class Applied(mx.gluon.HybridBlock):
    """One operator of linear algebra, after another operator."""

    def __init__(self, name):
        super().__init__()
        self._operator = name

    def hybrid_forward(self, F, x):
        return getattr(F.linalg, self._operator)(x * 1)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", FAILING)
def test_no_result_is_an_error(name, hybridized):
    net = Applied(name)
    if hybridized:
        net.hybridize()
    fine = nd.array(np.eye(2))
    np.testing.assert_allclose(net(fine).asnumpy(), np.eye(2))
    with pytest.raises(MXNetError, match=f"_linalg_{name}: "):
        net(nd.array(FAILING[name])).asnumpy()


@pytest.mark.parametrize("name", FAILING)
def test_no_result_is_no_number_in_a_file(name):
    both = np.stack([np.array(FAILING[name], F32), np.eye(2, dtype=F32)])
    bad, good = in_onnx(f"_linalg_{name}", both)[0]
    assert not np.isfinite(bad).all()
    np.testing.assert_array_equal(good, np.eye(2))


def test_hybridized_and_recorded():
    net = Applied("potrf")
    net.hybridize()
    x = nd.array(definite(3, 3))
    grads = []
    for block in (net, Applied("potrf")):
        x.attach_grad()
        with mx.autograd.record():
            y = block(x)
        y.backward(nd.array(np.arange(9).reshape(3, 3)))
        grads.append(x.grad.asnumpy())
    np.testing.assert_allclose(*grads, rtol=1e-6)
    np.testing.assert_array_equal(grads[0], grads[0].T)


# ---- eigenvalues


@pytest.mark.parametrize("n", [2, 3, 8, 17, 33])
@pytest.mark.parametrize("dtype", [F32, F64])
def test_eigenvalues_in_onnx(n, dtype):
    a = RNG.standard_normal((3, n, n))
    a = ((a + a.swapaxes(-1, -2)) / 2 * np.array([1e-12, 1, 1e12])[:, None, None]).astype(dtype)
    rows, values = in_onnx("_linalg_syevd", a)
    eps = np.finfo(dtype).eps * n
    scale = np.abs(values).max(-1)[:, None]
    np.testing.assert_allclose(values / scale, np.linalg.eigvalsh(a.astype(F64)) / scale, atol=4 * eps)
    back = rows.swapaxes(-1, -2).astype(F64) @ (values.astype(F64)[..., None] * rows)
    np.testing.assert_allclose(back / scale[..., None], a / scale[..., None], atol=8 * eps)
    np.testing.assert_allclose(rows @ rows.swapaxes(-1, -2), np.stack([np.eye(n)] * 3), atol=8 * eps)
    u, _ = nd.linalg.syevd(nd.array(a[1], dtype=dtype))
    np.testing.assert_allclose(rows[1], u.asnumpy(), atol=2e3 * eps)


@pytest.mark.parametrize(
    "a",
    [
        np.eye(4),
        np.zeros((3, 3)),
        np.ones((5, 5)),
        np.diag([2, 1, 2, 1, 0]),
        np.kron(np.eye(3), np.ones((2, 2))),
    ],
    ids=["identity", "zeros", "ones", "diagonal", "blocks"],
)
def test_equal_eigenvalues_in_onnx(a):
    rows, values = in_onnx("_linalg_syevd", a.astype(F32))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), atol=1e-6)
    np.testing.assert_allclose(rows.T @ np.diag(values) @ rows, a, atol=1e-6)
    np.testing.assert_allclose(rows @ rows.T, np.eye(len(a)), atol=1e-6)


# ---- numbers that are hard


def test_zeros_on_the_diagonal_divide():
    a = np.array([[0, 9], [1, 1]], F32)
    b = np.array([[1, 2], [3, 4]], F32)
    got = nd.linalg.trsm(nd.array(a), nd.array(b)).asnumpy()
    np.testing.assert_array_equal(got, [[np.inf, np.inf], [-np.inf, -np.inf]])
    np.testing.assert_array_equal(in_onnx("_linalg_trsm", a, b)[0], got)


@pytest.mark.parametrize("scale", [1e-25, 1e25])
def test_reflections_do_not_overflow(scale):
    a = (RNG.standard_normal((3, 5)) * scale).astype(F32)
    q, lower = in_onnx("_linalg_gelqf", a)
    np.testing.assert_allclose(q @ q.T, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(lower / scale @ q, a / scale, rtol=1e-4, atol=1e-5)


def test_rows_are_exchanged_as_lapack_does():
    a = np.array([[1e-20, 1, 0], [1, 1, 2], [1, 0, 1]], F32)
    np.testing.assert_allclose(in_onnx("_linalg_inverse", a)[0], np.linalg.inv(a.astype(F64)), atol=1e-6)
    sign, logarithm = in_onnx("_linalg_slogdet", a)
    expected = np.linalg.slogdet(a.astype(F64))
    assert sign == expected[0]
    np.testing.assert_allclose(logarithm, [expected[1]], rtol=1e-6)


def test_the_sign_of_no_number_is_zero():  # real MXNet gives [1, 0] and [0, nan]
    a = np.array([np.eye(2), [[1, np.nan], [2, 1]]], F32)
    for sign, logarithm in (nd.linalg.slogdet(nd.array(a)), in_onnx("_linalg_slogdet", a)):
        np.testing.assert_array_equal(np.asarray(sign), [1, 0])
        np.testing.assert_array_equal(np.asarray(logarithm), [0, np.nan])


# ---- refusals and names


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ShapeError, lambda: nd.linalg.potrf(nd.ones((2, 3)))),
        (ShapeError, lambda: nd.linalg.det(nd.ones(3))),
        (ShapeError, lambda: nd.linalg.gelqf(nd.ones((3, 2)))),
        (ShapeError, lambda: nd.linalg.gemm2(nd.ones((3, 4)), nd.ones((3, 4)))),
        (ShapeError, lambda: nd.linalg.gemm2(nd.ones((1, 3, 4)), nd.ones((2, 4, 1)))),
        (ShapeError, lambda: nd.linalg.gemm2(nd.ones((3, 4)), nd.ones((4, 3)), axis=-1)),
        (ShapeError, lambda: nd.linalg.gemm2(nd.ones(3), nd.ones(3))),
        (ShapeError, lambda: nd.linalg.gemm(nd.ones((3, 4)), nd.ones((4, 3)), nd.ones((1, 3)))),
        (ShapeError, lambda: nd.linalg.trmm(nd.ones((2, 2)), nd.ones((3, 2)))),
        (ShapeError, lambda: nd.linalg.trsm(nd.ones((2, 2, 2)), nd.ones((2, 2)))),
        (ShapeError, lambda: nd.linalg.extractdiag(nd.ones((2, 2)), offset=2)),
        (ShapeError, lambda: nd.linalg.extracttrian(nd.ones((2, 2)), offset=-3)),
        (ShapeError, lambda: nd.linalg.maketrian(nd.ones(4))),
        (ShapeError, lambda: nd.khatri_rao(nd.ones((2, 2)), nd.ones((2, 3)))),
        (ShapeError, lambda: nd.khatri_rao(nd.ones(2), nd.ones(2))),
        (DTypeError, lambda: nd.linalg.potrf(nd.ones((2, 2), dtype="int32"))),
        (DTypeError, lambda: nd.linalg.syrk(nd.ones((2, 2), dtype="float16"))),
        (DTypeError, lambda: nd.linalg.gemm2(nd.ones((2, 2)), nd.ones((2, 2), dtype="float64"))),
    ],
)
def test_what_does_not_fit_is_refused(error, call):
    with pytest.raises(error, match=r"^(_linalg_\w+|khatri_rao): .* got "):
        call()


def test_names():
    """Those that real MXNet shows."""
    names = (
        "det extractdiag extracttrian gelqf gemm gemm2 inverse makediag maketrian potrf potri slogdet "
        "sumlogdiag syevd syrk trmm trsm"
    ).split()
    assert dir(nd.linalg) == names
    assert dir(sym.linalg) == names
    for name in names:
        assert (f"linalg_{name}" in dir(nd)) == (name != "syevd")


def test_shapes_tell_each_other():
    a, b, c = sym.var("a"), sym.var("b"), sym.var("c")
    gemm = sym.linalg.gemm(a, b, c)
    assert gemm.infer_shape(a=(2, 3), b=(3, 5))[0] == [(2, 3), (3, 5), (2, 5)]
    root = sym.linalg.potrf(a) + c
    assert root.infer_shape(c=(4, 2, 2))[0] == [(4, 2, 2), (4, 2, 2)]


def test_symbol_json_counts_the_workspaces():
    """As real MXNet writes it: its factors and pivots are outputs that no one sees."""
    for name, rows, visible in (("det", [0, 1, 4], 1), ("slogdet", [0, 1, 5], 2), ("gelqf", [0, 1, 3], 2)):
        symbol = getattr(sym.linalg, name)(A, name="d")
        assert json.loads(symbol.tojson())["node_row_ptr"] == rows
        assert symbol.list_outputs() == [f"d_output{i}" for i in range(visible)]


# ---- all together


class LogLikelihood(mx.gluon.HybridBlock):
    """How likely values are at points, by a Gaussian process with a linear kernel."""

    def hybrid_forward(self, F, x, y):
        products = F.linalg.syrk(x)
        noise = F.linalg.makediag(F.ones_like(F.linalg.extractdiag(products)))
        factor = F.linalg.potrf(products + noise)
        residual = F.linalg.trsm(factor, y)
        return F.sum(F.square(residual), axis=(1, 2)) / -2 - F.linalg.sumlogdiag(factor)


@pytest.mark.parametrize("opset", [13, 18])
def test_a_gaussian_process_in_a_file(tmp_path, opset):
    net = LogLikelihood()
    net.hybridize()
    net(nd.ones((2, 5, 4)), nd.ones((2, 5, 1)))
    file = tmp_path / "process.onnx"
    mx.onnx.export_model(
        net, in_shapes=[("N", 5, 4), ("N", 5, 1)], onnx_file_path=str(file), opset_version=opset
    )
    session = ort.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    for batch in (1, 2, 7):
        x, y = (RNG.standard_normal((batch, 5, size)).astype(F32) for size in (4, 1))
        got = session.run(None, dict(zip([i.name for i in session.get_inputs()], (x, y), strict=True)))[0]
        covariance = x.astype(F64) @ x.swapaxes(-1, -2) + np.eye(5)
        squares = (y.swapaxes(-1, -2) @ np.linalg.solve(covariance, y.astype(F64)))[:, 0, 0]
        expected = -(squares + np.linalg.slogdet(covariance)[1]) / 2
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(net(nd.array(x), nd.array(y)).asnumpy(), expected, rtol=1e-4, atol=1e-5)
