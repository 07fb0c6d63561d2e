"""Helpers of `mx.test_utils`: comparisons, draws with one seed, and arrays made of functions."""

import contextlib
import io
import os

import numpy as np


def _table(values):
    return sorted([k.name, v] for k, v in values.items())


def tolerances(mx, show):
    t = mx.test_utils
    show(_table(t.default_rtols()), _table(t.default_atols()), _table(t.default_numeric_eps()))
    show(t.get_rtol(), t.get_atol(), t.get_atol(0.5), t.get_rtol(dtype=np.dtype("float16")), t.get_etol())
    ones = {name: np.ones(2, name) for name in ("float16", "float32", "float64", "int32", "bool")}
    for a, b in (("float16", "float32"), ("float32", "float64"), ("int32", "int32"), ("bool", "float64")):
        show(list(t.get_tols(ones[a], ones[b], None, None)), list(t.get_tols(ones[a], ones[b], 0.5, None)))
    show(list(t.get_tols(mx.nd.ones(2), ones["float64"], None, 1)))
    show(list(t.get_tols(ones["int32"], 1.0, None, None)), list(t.get_tols(1, 1.0, None, None)))
    show(t.effective_dtype(ones["float16"]).name, np.dtype(t.effective_dtype(mx.nd.ones(2))).name)


def _outcome(show, fn, *args, **kwargs):
    """What is printed, and the message of the error."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            fn(*args, **kwargs)
            message = "none"
        except AssertionError as exc:
            message = [line for line in str(exc).split("\n") if line.startswith(("Error", "Location"))]
    show([line for line in text.getvalue().split("\n") if "Error" in line], message)


def _pair():
    a = np.arange(12.0).reshape(3, 4).astype("float32")
    b = a.copy()
    b[1, 2], b[2, 0] = 7, 9
    return a, b


def comparisons(mx, show):
    t = mx.test_utils
    a, b = _pair()
    for kwargs in (
        {},
        {"rtol": 0.1, "atol": 0.1, "names": ("x", "y")},
        {"rtol": 0.1, "atol": 0.1, "mismatches": (1, 1)},
        {"rtol": 1, "atol": 1},
        {"mismatches": (0, 10)},
    ):
        _outcome(show, t.assert_almost_equal, a, b, **kwargs)
        _outcome(show, t.assert_almost_equal, mx.nd.array(a), mx.nd.array(b), **kwargs)
    nan = np.array([np.nan, 1])
    _outcome(show, t.assert_almost_equal, nan, nan.copy())
    _outcome(show, t.assert_almost_equal, nan, nan.copy(), equal_nan=True)
    _outcome(show, t.assert_almost_equal, np.ones(3), 1.0)
    _outcome(show, t.assert_almost_equal_ignore_nan, nan, np.array([2.0, 1]))
    _outcome(show, t.assert_almost_equal_with_err, a, b, rtol=1e-3, atol=1e-3, etol=0.5)
    _outcome(show, t.assert_almost_equal_with_err, a, b, rtol=1e-3, atol=1e-3, etol=0.01)
    _outcome(show, t.assert_almost_equal_with_err, a, a)
    show.error(t.assert_almost_equal, a, np.ones((3, 5)))
    show.error(t.assert_almost_equal, a, a[:1], use_broadcast=False)
    show(
        t.almost_equal(a, b),
        t.almost_equal(a, a + 1e-7),
        t.almost_equal(a, b, 1, 1),
        t.same(a, b),
        t.same(a, a),
    )
    show(t.locationError(a, b, (1, 2), ("a", "b")), t.locationError(a, b, (1, 2), ("a", "b"), maxError=True))
    show.error(t.checkShapes, a, b[1:])
    _outcome(show, t.compare_ndarray_tuple, (mx.nd.ones(2), None), (mx.nd.ones(2), None))
    _outcome(show, t.compare_ndarray_tuple, (mx.nd.ones(2),), (mx.nd.zeros(2),))
    t.assert_allclose(mx.nd.ones(2), np.ones(2))
    show.error(t.assert_allclose, mx.nd.ones(2), np.zeros(2))


def draws(mx, show):
    t = mx.test_utils
    np.random.seed(1)
    show(t.rand_shape_2d(), t.rand_shape_3d(), t.rand_shape_nd(4), t.rand_shape_2d(3, 4, True))
    show(t.rand_shape_nd(3, dim=4, allow_zero_size=True), t.rand_coord_2d(0, 100, 5, 70))
    show(t.random_arrays((2,), (1, 2)), t.random_arrays((2, 2)), t.random_arrays(()))
    show(t.random_uniform_arrays((2,), low=1, high=2, dtype="float64"), t.random_uniform_arrays((2,), (1,)))
    show(
        t.rand_ndarray((2, 2)), t.rand_ndarray((2, 3), dtype="float64"), t.rand_ndarray((3, 3), dtype="int32")
    )


def sparse_draws(mx, show):
    t = mx.test_utils
    for density in (0.5, 1, 0.1):
        np.random.seed(1)
        array, (values, rows) = t.rand_sparse_ndarray((5, 3), "row_sparse", density=density)
        show(array.stype, array.tostype("default"), values, rows)
    array = t.create_sparse_array((3, 2), "row_sparse", data_init=2, rsp_indices=np.array([0, 2]))
    show(array.tostype("default"), array.indices)
    array = t.create_sparse_array_zd((3, 2), "row_sparse", 0.0)
    show(
        array.stype, array.tostype("default"), t.create_sparse_array_zd((3, 2), "csr", 0.0).tostype("default")
    )
    array = t.rand_ndarray((4, 3), "csr", density=1)
    show(array.stype, array.indptr, array.indices, str(np.dtype(array.dtype)))
    array, parts = t.rand_sparse_ndarray((4, 3), "csr", density=1, dtype="float64")
    show(len(parts), parts[0], str(np.dtype(array.dtype)))
    show.error(t.rand_sparse_ndarray, (3, 3), "x")
    show.error(t.rand_sparse_ndarray, (30, 3), "csr", 0.3, distribution="powerlaw")
    show.error(t.rand_sparse_ndarray, (30, 3), "csr", 0.3, distribution="x")


def numbers(mx, show):
    t = mx.test_utils
    show(t.create_2d_tensor(3, 2), t.create_vector(4), t.create_2d_tensor(2, 2, "float32"))
    show(t.get_identity_mat(3), t.get_identity_mat_batch(2))
    a = np.arange(12.0).reshape(3, 4)
    show(t.collapse_sum_like(np.arange(24.0).reshape(2, 3, 4), (3, 1)), t.collapse_sum_like(a, (4,)))
    for axis, keep in ((1, True), ((0, 1), False), (None, True), (None, False), ((1,), False)):
        show(np.asarray(t.np_reduce(a, axis, keep, np.sum)).tolist())
    show(t.assign_each(a, lambda x: x * 2), t.assign_each2(a, a, lambda x, y: x * y))
    show(*t.gen_buckets_probs_with_ppf(lambda x: x * 2, 4))
    x = mx.nd.ones((2, 2))
    show(t.same_array(x, x), t.same_array(x, x.copy()), x)
    two = mx.sym.var("x") * 2
    show(t.same_symbol_structure(two, mx.sym.var("y") * 2), t.same_symbol_structure(two, mx.sym.var("y") + 2))


def surroundings(mx, show):
    t = mx.test_utils
    show(str(t.default_context()), np.dtype(t.default_dtype()).name, len(list(t.list_gpus())))
    show(t.is_cd_run(), t.is_aarch64_run(), t.has_tvm_ops(), t.is_op_runnable())
    with t.environment("HX_OLDER", "1"):
        show(os.environ.get("HX_OLDER"))
        with t.environment({"HX_OLDER": None, "HX_TWO": "2"}):
            show(os.environ.get("HX_OLDER"), os.environ.get("HX_TWO"))
    show(os.environ.get("HX_OLDER"), os.environ.get("HX_TWO"))
    show.error(t.retry, 0)
    tries = []

    @t.retry(3)
    def passes(at):
        tries.append(at)
        assert len(tries) >= at

    passes(2)
    show(tries)
    show.error(passes, 10)
    show(len(tries))

    @t.retry(3)
    def fails():
        tries.append(1)
        raise ValueError

    show.error(fails)
    show(len(tries))
    show(t.assert_exception(lambda x: 1 / x, ZeroDivisionError, 0))
    show.error(t.assert_exception, lambda x: 1 / x, ZeroDivisionError, 1)
    show.error(t.assert_exception, lambda x: 1 / x, ValueError, 0)
    with t.discard_stderr():
        os.write(2, b"nobody sees this\n")
    it = mx.io.NDArrayIter(np.arange(12.0).reshape(6, 2), np.arange(6.0), 2)
    again = t.DummyIter(it)
    show([repr(d) for d in again.provide_data + again.provide_label], again.batch_size)
    show(again.next().data, again.next().data, next(again) is again.the_batch, again.reset())
