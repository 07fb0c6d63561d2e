"""Graphs of sym.np and sym.npx are written as real MXNet writes them, and read back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from tests.np_symbols import VALUES, calls, nodes, values

ORACLE = Path(__file__).resolve().parent / "oracle"
STORED = json.loads((ORACLE / "np_symbols.json").read_text(encoding="utf-8"))
RESULTS = json.loads((ORACLE / "np_symbol_values.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _as_numpy():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


@pytest.mark.parametrize("call", calls())
def test_graph_is_as_mxnet_writes_it(call):
    assert nodes(call, mx) == STORED[call]


@pytest.mark.parametrize(("call", "array"), [(call, array) for call in VALUES for array in VALUES[call]])
def test_values_are_mxnets(call, array):
    assert values(call, array, mx) == RESULTS[f"{call} {array}"]


class Resized(mx.gluon.HybridBlock):
    """What mx.np takes from NumPy on arrays, and symbols compute."""

    def hybrid_forward(self, F, x):
        rows = F.np.unravel_index(x.astype("int64"), (3, 4))
        return F.np.resize(x, (5, 2)), F.np.empty_like(x, dtype="int32"), rows[0] + rows[1]


def test_functions_that_arrays_leave_to_numpy_go_to_onnx(tmp_path):
    x = mx.np.arange(8.0)
    block = Resized()
    expected = [y.asnumpy() for y in block(x)]
    block.hybridize()
    for got, value in zip(block(x), expected, strict=True):
        np.testing.assert_array_equal(got.asnumpy(), value)
    target = str(tmp_path / "resized.onnx")
    mx.onnx.export_model(block, target, input_shapes=[("n",)])
    for got, value in zip(mx.onnx.import_to_gluon(target)(x), expected, strict=True):
        np.testing.assert_array_equal(got.asnumpy(), value)


class OnDiagonal(mx.gluon.HybridBlock):
    """The indices of the diagonal of an array, whatever its sizes."""

    def hybrid_forward(self, F, x):
        return F.np.stack([F.np.diag_indices_from(x)[i] for i in range(2)])


def test_indices_of_diagonals_of_free_sizes_go_to_onnx(tmp_path):
    block = OnDiagonal()
    block.hybridize()
    for n in (3, 5, 0):
        np.testing.assert_array_equal(block(mx.np.ones((n, n))).asnumpy(), np.diag_indices(n))
    target = str(tmp_path / "diagonal.onnx")
    mx.onnx.export_model(block, target, input_shapes=[("n", "n")])
    again = mx.onnx.import_to_gluon(target)
    for n in (3, 5):
        np.testing.assert_array_equal(again(mx.np.ones((n, n))).asnumpy(), np.diag_indices(n))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("histogram(x)", NotImplementedError, "a number of bins and a range"),
        ("histogram(x, [1, 2])", NotImplementedError, "a symbol of the bins' edges"),
        ("histogram(x, 5, (0, 1), density=True)", NotImplementedError, "density of None"),
        ("empty_like(x, shape=(2,))", NotImplementedError, "Use zeros"),
        ("empty_like(x, order='F')", NotImplementedError, "order 'C'"),
        ("unravel_index(x, (3, 4), 'F')", NotImplementedError, "order 'C'"),
        ("shares_memory(x, x)", mx.errors.NotImplementedForSymbol, "symbols hold no memory"),
    ],
)
def test_what_symbols_refuse(call, error, words):
    x = mx.sym.var("x").as_np_ndarray()
    with pytest.raises(error, match=words):
        eval(f"np.{call}", {"np": mx.sym.np, "x": x})


class Sampled(mx.gluon.HybridBlock):
    """A block that evaluates one call on two arrays."""

    def __init__(self, call):
        super().__init__()
        self._call = call

    def hybrid_forward(self, F, a, b):
        return eval(f"F.{self._call}", {"F": F, "a": a, "b": b, "mx": mx}) + 0 * a.sum() + 0 * b.sum()


PARAMETRIZED = [call for call in calls() if "random" in call and ("(a" in call or "b)" in call)]


@pytest.mark.parametrize("call", [call for call in PARAMETRIZED if "choice" not in call])
def test_draws_are_the_same_hybridized_and_from_a_file(call, tmp_path):
    def run(block):
        mx.npx.random.seed(5)
        a, b = mx.np.array([0.6, 0.7, 0.8]), mx.np.array([0.1, 0.3, 0.5])
        for x in (a, b):
            x.attach_grad()
        with mx.autograd.record():
            y = block(a, b)
        y.backward()
        return [x.asnumpy() for x in (y, a.grad, b.grad)]

    block = Sampled(call)
    expected = run(block)
    block.hybridize()
    for got, value in zip(run(block), expected, strict=True):
        np.testing.assert_allclose(got, value, rtol=2e-5, atol=2e-6)
    block.export(str(tmp_path / "draws"))
    again = mx.gluon.SymbolBlock.imports(str(tmp_path / "draws-symbol.json"), ["data0", "data1"])
    for got, value in zip(run(again), expected, strict=True):
        np.testing.assert_allclose(got, value, rtol=2e-5, atol=2e-6)


class Noisy(mx.gluon.HybridBlock):
    """Draws around the parameters that arrays give."""

    def hybrid_forward(self, F, a):
        names = "normal gumbel logistic".split()
        draws = [getattr(F.np.random, name)(a, 2.0) for name in names]
        draws += [F.np.random.exponential(a), F.np.random.pareto(a + 4), F.np.random.weibull(a)]
        draws.append(F.npx.random.bernoulli(logit=a))
        return F.np.stack(draws)


def test_draws_go_to_onnx(tmp_path):
    block = Noisy()
    block.initialize()
    block.hybridize()
    block(mx.np.ones((4,)))
    target = str(tmp_path / "noisy.onnx")
    mx.onnx.export_model(block, target, input_shapes=[("n",)])
    drawn = mx.onnx.import_to_gluon(target)(mx.np.ones((8000,)))
    means = [1, 1 + 2 * np.euler_gamma, 1, 1, 0.25, 1, 1 / (1 + np.exp(-1))]
    np.testing.assert_allclose(drawn.mean(axis=1).asnumpy(), means, atol=0.15)


# ---- linear algebra


WIDE = np.array([[1, -2, 0.5], [0.3, 4, -3]], np.float32)
SQUARE = np.array([[4, 1, 0.5], [1, 3, -1], [0.5, -1, 2]], np.float32)
NORMS = [
    *((order, None) for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)),
    *((order, 1) for order in (None, 0, 1, 2, 3, np.inf, -np.inf)),
    *((order, axes) for order in ("fro", 1, -1, 2, np.inf) for axes in ((0, 1), (1, 0), (-2, -1), (-1, 0))),
]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("order", "axis"), NORMS)
def test_norms(order, axis, keepdims):
    got = mx.np.linalg.norm(mx.np.array(WIDE), order, axis, keepdims)
    expected = np.linalg.norm(WIDE, order, axis, keepdims)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "name", "inv det slogdet cholesky eigh eigvalsh eigvals eig pinv matrix_rank".split()
)
def test_functions_of_matrices(name):
    got = getattr(mx.np.linalg, name)(mx.np.array(SQUARE))
    expected = getattr(np.linalg, name)(SQUARE)
    several = isinstance(expected, tuple)
    for i, (x, y) in enumerate(
        zip(got if several else [got], expected if several else [expected], strict=True)
    ):
        x = x.asnumpy() if hasattr(x, "asnumpy") else x
        assert np.shape(x) == np.shape(y)
        same = np.abs if name in ("eigh", "eig") and i else np.asarray
        np.testing.assert_allclose(same(x), same(y), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("matrix", [WIDE, WIDE.T.copy(), np.stack([WIDE, WIDE])])
def test_singular_values(matrix):
    u, values, v = mx.np.linalg.svd(mx.np.array(matrix))
    np.testing.assert_allclose(values.asnumpy(), np.linalg.svd(matrix)[1], rtol=1e-5)
    np.testing.assert_allclose((u * mx.np.expand_dims(values, -2) @ v).asnumpy(), matrix, atol=1e-5)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_matrices_that_are_not_finite(number):
    """NaN for each of them alone, where NumPy raises an error of its own; no eigenvalues, as in MXNet."""
    matrices = np.stack([WIDE, WIDE])
    matrices[1, 0, 1] = number
    u, values, v = mx.np.linalg.svd(mx.np.array(matrices))
    norms = mx.np.linalg.norm(mx.np.array(matrices), "nuc", (1, 2)).asnumpy()
    for y in (u, values, v):
        assert np.isfinite(y.asnumpy()[0]).all()
        assert np.isnan(y.asnumpy()[1]).all()
    np.testing.assert_allclose(norms, [np.linalg.norm(WIDE, "nuc"), np.nan], rtol=1e-5)
    for function in (mx.np.linalg.eig, mx.np.linalg.eigvals):
        with pytest.raises(mx.MXNetError, match="finite matrices are required"):
            function(mx.np.array([[1.0, number], [2, 3]]))


def test_equations():
    a, b = mx.np.array(SQUARE), mx.np.array([1.0, 2, 3])
    np.testing.assert_allclose(mx.np.dot(a, mx.np.linalg.solve(a, b)).asnumpy(), [1, 2, 3], atol=1e-5)
    tensor = mx.np.array(np.random.RandomState(0).randn(2, 3, 6).astype("float32"))
    inverse = mx.np.linalg.tensorinv(tensor)
    np.testing.assert_allclose(inverse.asnumpy(), np.linalg.tensorinv(tensor.asnumpy()), rtol=1e-3, atol=1e-4)
    b = mx.np.ones((2, 3))
    solution = mx.np.linalg.tensorsolve(tensor, b)
    np.testing.assert_allclose(
        solution.asnumpy(), np.linalg.tensorsolve(tensor.asnumpy(), b.asnumpy()), rtol=1e-3, atol=1e-4
    )


class Algebra(mx.gluon.HybridBlock):
    """Decompositions whose results do not depend on signs."""

    def hybrid_forward(self, F, a):
        linalg = F.np.linalg
        u, values, v = linalg.svd(a)
        symmetric = F.np.dot(a, F.np.transpose(a)) + F.np.dot(u, F.np.transpose(u))
        return (
            linalg.norm(a, ord=2)
            + linalg.det(symmetric) / 100
            + linalg.eigvalsh(symmetric).sum()
            + linalg.pinv(a).sum()
            + linalg.solve(symmetric, linalg.cholesky(symmetric)).sum()
            + (values * v.sum(axis=1) * u.sum(axis=0)).sum()
        )


def test_linear_algebra_is_the_same_hybridized():
    results = []
    for hybridize in (False, True):
        block = Algebra()
        if hybridize:
            block.hybridize()
        a = mx.np.array(WIDE)
        a.attach_grad()
        with mx.autograd.record():
            y = block(a)
        y.backward()
        results.append((y.asnumpy(), a.grad.asnumpy()))
    np.testing.assert_allclose(results[1][0], results[0][0], rtol=1e-5)
    np.testing.assert_allclose(results[1][1], results[0][1], rtol=1e-4, atol=1e-4)


# ---- sizes that are not known


class Deviation(mx.gluon.HybridBlock):
    """What is corrected by a number of rows that files leave open."""

    def hybrid_forward(self, F, x):
        return F.np.std(x, axis=0, ddof=1)


def test_deviations_of_free_sizes(tmp_path):
    block = Deviation()
    block.initialize()
    block.hybridize()
    rows = np.random.RandomState(0).randn(7, 3).astype("float32")
    block(mx.np.array(rows[:5]))
    target = str(tmp_path / "deviation.onnx")
    mx.onnx.export_model(block, target, input_shapes=[("n", 3)])
    got = mx.onnx.import_to_gluon(target)(mx.np.array(rows))
    np.testing.assert_allclose(got.asnumpy(), np.std(rows, 0, ddof=1), rtol=1e-5)


@pytest.mark.parametrize("name", ["det", "slogdet"])
@pytest.mark.parametrize(("as_numpy", "expected"), [(False, (1,)), (True, ())])
def test_determinants_of_one_matrix_by_shape_semantics(name, as_numpy, expected, tmp_path):
    """What real MXNet gives, eager, bound, and from a file that says which semantics it was written under."""
    mx.npx.reset_np()
    target = str(tmp_path / "det-symbol.json")
    matrix = mx.nd.array([[2.0, 1.0], [0.5, 4.0]])
    with mx.util.np_shape(as_numpy):
        results = getattr(mx.nd.linalg, name)(matrix)
        symbol = getattr(mx.sym.linalg, name)(mx.sym.var("x"))
        assert {y.shape for y in (results if name == "slogdet" else [results])} == {expected}
        assert set(symbol.infer_shape(x=(2, 2))[1]) == {expected}
        assert set(symbol.infer_shape(x=(3, 2, 2))[1]) == {(3,)}
        symbol.save(target)
        bound = symbol.bind(mx.cpu(), {"x": matrix}).forward()
        assert {y.shape for y in bound} == {expected}
    np.testing.assert_allclose(bound[-1].asnumpy().ravel(), 7.5 if name == "det" else np.log(7.5), rtol=1e-6)
    text = Path(target).read_text(encoding="utf-8").replace("_npi_", "_linalg_")
    loaded = mx.sym.load_json(text)
    with mx.util.np_shape(as_numpy):
        assert set(loaded.infer_shape(x=(2, 2))[1]) == {expected}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        *((name, ()) for name in "sum prod max min all any cumsum squeeze transpose copy trace diag".split()),
        ("reshape", ((-1,),)),
        ("moveaxis", (0, 1)),
        ("repeat", (2,)),
        ("roll", (1,)),
    ],
)
def test_functions_of_one_operator_take_a_name(function, arguments):
    x, values = mx.sym.var("x").as_np_ndarray(), mx.np.array([[1.0, 2.0]])
    assert getattr(mx.sym.np, function)(x, *arguments, name="node").list_outputs() == ["node_output"]
    unnamed, named = (getattr(mx.np, function)(values, *arguments, **more) for more in ({}, {"name": "node"}))
    assert named.asnumpy().tolist() == unnamed.asnumpy().tolist()
