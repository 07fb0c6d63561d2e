"""Eager operators in sessions of their own: the kernels' numbers, few sessions, none without gain."""

from __future__ import annotations

import multiprocessing
import threading

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import ops
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray import invoke as ways
from hybridonnx.ndarray.invoke import ReferenceKernels, invoke, way_of
from hybridonnx.ops import find, seed
from hybridonnx.runtime.eager import _FREEZE_AFTER, ENGINE, EagerSession, Freezing
from hybridonnx.test_utils import Case
from hybridonnx.test_utils.cases import assert_near, eager_gradients, gradients
from tests.test_operators import FAMILIES

CASES = [
    pytest.param(case, id=str(case), marks=[] if i % 40 == 0 or case.operator().saves else pytest.mark.slow)
    for i, case in enumerate(case for family in FAMILIES.values() for case in family)
    if not (case.operator().graphs or case.operator().not_in_onnx)
]


@pytest.fixture
def everywhere(monkeypatch):
    """Sessions wherever ONNX Runtime can run an operator, for this test alone."""
    monkeypatch.setenv("HYBRIDONNX_EAGER", "sessions")
    monkeypatch.setattr(ways, "WAYS", "_ways_everywhere")  # operators are shared by all who use them


def forget(op) -> None:
    """Have an operator decide anew how it runs."""
    for name in [name for name in op.__dict__ if name.startswith("_ways")]:
        del op.__dict__[name]


def outputs(case: Case, arrays) -> list[np.ndarray]:
    """What an eager call gives."""
    seed(7)
    with mx.autograd.train_mode() if case.training else mx.autograd.predict_mode():
        results = invoke(case.operator(), [mx.nd.array(a, dtype=a.dtype) for a in arrays])
    return [y.asnumpy() for y in (results if isinstance(results, list) else [results])]


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("case", CASES)
def test_sessions_give_what_kernels_give(case: Case):
    for training in (False, True):
        forget(case.operator().in_mode(training))
    arrays = case.arrays()
    try:
        expected = gradients(case, arrays)
        got = eager_gradients(case, arrays)
    except MXNetError:  # it has none
        with ReferenceKernels():
            expected = outputs(case, arrays), []
        got = outputs(case, arrays), []
    for part, tol, a, b in zip(("output", "gradient"), (case.tol, case.grad_tol), got, expected, strict=True):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert x.dtype == y.dtype
            assert_near(x, y, max(tol, 1e-5), f"{part} {i}")


# ---- what runs in a session


def convolution(n: int = 2, size: int = 16, dtype: str = "float32"):
    op = find("Convolution").make({"kernel": (3, 3), "num_filter": 8, "pad": (1, 1), "no_bias": True})
    rng = np.random.default_rng(n)
    shapes = (n, 4, size, size), (8, 4, 3, 3)
    return op, [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def convolved(arrays):
    x, w = (mx.nd.array(a, dtype=a.dtype) for a in arrays)
    return mx.nd.Convolution(x, w, kernel=(3, 3), num_filter=8, pad=(1, 1), no_bias=True)


def test_large_work_runs_in_a_session_and_small_work_on_the_kernel(monkeypatch):
    op, large = convolution()
    small = [x[:, :, :3, :3] for x in large]
    forget(op)
    assert isinstance(way_of(op, large).session, Freezing)
    assert way_of(op, small).session is None
    monkeypatch.setenv("HYBRIDONNX_EAGER", "numpy")
    forget(op)
    assert way_of(op, large).session is None
    forget(op)


def test_words_that_say_nothing_are_refused(monkeypatch):
    op, arrays = convolution()
    forget(op)
    monkeypatch.setenv("HYBRIDONNX_EAGER", "onnx")
    with pytest.raises(
        MXNetError, match="HYBRIDONNX_EAGER: one of auto, numpy, sessions is required, got 'onnx'"
    ):
        way_of(op, arrays)


def test_reference_kernels_are_kernels(monkeypatch):
    op, arrays = convolution()
    forget(op)
    calls = []
    monkeypatch.setattr(EagerSession, "__call__", lambda self, arrays, noise: calls.append(1))
    with ReferenceKernels():
        convolved(arrays)
        with ReferenceKernels():
            convolved(arrays)
        convolved(arrays)
    assert not calls
    convolved(arrays)  # the session gives nothing, and the kernel computes
    assert calls == [1]


def test_verify_runs_a_symbol_on_kernels(monkeypatch, tmp_path):
    monkeypatch.setattr(EagerSession, "__call__", lambda self, *_: pytest.fail("a session ran"))
    x = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=8, no_bias=True, name="conv")
    params = {"conv_weight": mx.nd.ones((8, 4, 3, 3))}
    shapes = {"data": (2, 4, 16, 16)}
    data = mx.onnx.export_model(x, params, shapes, onnx_file_path=str(tmp_path / "net.onnx"))
    values = {"data": np.ones(shapes["data"], "float32")}
    assert mx.onnx.verify((x, params), data, inputs=values, layers=True).ok()


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_dtypes(dtype):
    _, arrays = convolution(dtype=dtype)
    with ReferenceKernels():
        expected = convolved(arrays).asnumpy()
    got = convolved(arrays).asnumpy()
    assert got.dtype == dtype
    assert_near(got, expected, 4e-3 if dtype == "float16" else 1e-12, "convolution")


def sessions() -> set[object]:
    return {*ENGINE._alone.values(), *ENGINE._in_threads.values()}


def test_one_session_for_changing_batches():
    op = convolution()[0]
    forget(op)
    before = sessions()
    for n in range(2, 42):
        _, arrays = convolution(n)
        with ReferenceKernels():
            expected = convolved(arrays).asnumpy()
        assert_near(convolved(arrays).asnumpy(), expected, 1e-5, f"batch of {n}")
    assert len(sessions() - before) <= 4  # two of one thread, two of more


def test_pooling_has_sessions_for_some_shapes_and_one_for_the_others():
    before = sessions()
    for size in range(20, 60):
        x = mx.nd.array(np.random.default_rng(size).standard_normal((8, 16, size, size)))
        y = mx.nd.Pooling(x, kernel=(2, 3), stride=(2, 2), pool_type="max", pad=(0, 1))
        with ReferenceKernels():
            expected = mx.nd.Pooling(x, kernel=(2, 3), stride=(2, 2), pool_type="max", pad=(0, 1))
        np.testing.assert_array_equal(y.asnumpy(), expected.asnumpy())
    assert 10 < len(sessions() - before) < 24


def test_outputs_belong_to_who_gets_them():
    _, arrays = convolution()
    first = convolved(arrays)
    values = first.asnumpy()
    second = convolved([x + 1 for x in arrays])
    np.testing.assert_array_equal(first.asnumpy(), values)
    second[:] = 0
    first += 1
    np.testing.assert_array_equal(first.asnumpy(), values + 1)
    np.testing.assert_array_equal(convolved(arrays).asnumpy(), values)


def test_what_is_given_stays(everywhere):
    x = mx.nd.ones((3, 4))
    op = find("_copy").make({})
    forget(op)
    y = mx.nd.identity(x)
    forget(op)
    y[:] = 2
    assert (x.asnumpy() == 1).all()


def test_arrays_without_elements_run_on_kernels(everywhere):
    op, (x, w) = convolution()
    forget(op)
    assert way_of(op, [x[:0], w]).session is None
    forget(op)


# ---- weights that stay


def frozen() -> int:
    """How many weights are frozen into sessions."""
    return sum(weights.session is not None for weights in ENGINE._frozen.values())


def layer(seed: int = 0):
    """A convolution with a bias, as a function of its data, and its arrays."""
    rng = np.random.default_rng(seed)
    w, b = (mx.nd.array(rng.standard_normal(shape)) for shape in ((32, 16, 3, 3), (32,)))
    x = mx.nd.array(rng.standard_normal((2, 16, 12, 12)))
    return lambda: mx.nd.Convolution(x, w, b, kernel=(3, 3), num_filter=32, pad=(1, 1)), w, b


def assert_right(call) -> None:
    with ReferenceKernels():
        expected = call().asnumpy()
    assert_near(call().asnumpy(), expected, 1e-5, "convolution")


def test_weights_that_stay_are_frozen():
    call, w, b = layer()
    before = frozen()
    for i in range(_FREEZE_AFTER):
        assert frozen() == before, i
        assert_right(call)
    assert frozen() == before + 1
    assert_right(call)
    for array in (w[0], b[3:5]):
        array[:] = 2.0
        assert_right(call)
        assert frozen() == before
        for _ in range(4 * _FREEZE_AFTER):
            call()
        assert frozen() == before + 1
        assert_right(call)
    del call, w, b, array
    assert frozen() == before


def test_each_write_has_weights_wait_longer():
    call, w, _ = layer(1)
    for times in (1, 2, 4):
        for _ in range(_FREEZE_AFTER * times - 1):
            call()
        before = frozen()
        call()
        assert frozen() == before + 1
        w[:] = w + 1
    for _ in range(_FREEZE_AFTER * 8 - 1):
        call()
    assert frozen() == before


def test_layers_of_one_shape_have_their_own_weights():
    layers = [layer(seed) for seed in range(4)]
    before = frozen()
    for _ in range(_FREEZE_AFTER + 2):
        for call, *_ in layers:
            assert_right(call)
    assert frozen() == before + 4
    w = mx.nd.ones((32, 16, 3, 3))  # where one of them was, perhaps
    del layers[:2], call
    x = mx.nd.ones((2, 16, 12, 12))
    assert_right(lambda: mx.nd.Convolution(x, w, layers[0][2], kernel=(3, 3), num_filter=32, pad=(1, 1)))
    assert frozen() == before + 2


def test_training_writes_what_was_frozen():
    net = mx.gluon.nn.Conv2D(32, 3, in_channels=16)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x = mx.nd.array(np.random.default_rng(0).standard_normal((2, 16, 12, 12)))
    for _ in range(3):
        for _ in range(_FREEZE_AFTER + 1):
            assert_right(lambda: net(x))
        with mx.autograd.record():
            loss = net(x).sum()
        loss.backward()
        trainer.step(2)
        assert_right(lambda: net(x))


def test_a_dense_layer_is_frozen():
    rng = np.random.default_rng(0)
    x, w, b = (mx.nd.array(rng.standard_normal(shape)) for shape in ((9, 300), (200, 300), (200,)))
    before = frozen()
    for i in range(_FREEZE_AFTER + 2):
        b[:] = i  # is not frozen
        assert_right(lambda: mx.nd.FullyConnected(x, w, b, num_hidden=200))
    assert frozen() == before + 1


@pytest.mark.parametrize("hybrid", [False, True])
def test_results_are_the_same_however_often_it_ran(hybrid, monkeypatch):
    monkeypatch.setenv("MXNET_ENFORCE_DETERMINISM", "1")

    def run(calls: int):
        mx.random.seed(3)
        net = mx.gluon.nn.HybridSequential()
        net.add(mx.gluon.nn.Conv2D(32, 3, activation="relu"), mx.gluon.nn.Dense(100), mx.gluon.nn.Dense(5))
        net.initialize()
        net.hybridize(hybrid)
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-3})
        x = mx.nd.array(np.random.default_rng(0).standard_normal((8, 16, 12, 12)))
        for _ in range(calls):
            result = net(x).asnumpy()
        for _ in range(12):
            with mx.autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            trainer.step(8)
        return result, net(x).asnumpy()

    for a, b in zip(run(1), run(20), strict=True):
        np.testing.assert_array_equal(a, b)


# ---- processes and threads


def _child(queue, arrays) -> None:
    queue.put((convolved(arrays).asnumpy(), convolved([x[:1] for x in arrays[:1]] + arrays[1:]).asnumpy()))


def test_a_forked_process_goes_on():
    _, arrays = convolution(3)
    expected = convolved(arrays).asnumpy()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_child, args=(queue, arrays))
    process.start()
    whole, part = queue.get(timeout=60)
    process.join(60)
    assert process.exitcode == 0
    np.testing.assert_allclose(whole, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(part, expected[:1], rtol=1e-5, atol=1e-5)


def test_first_calls_of_many_threads():
    op, arrays = convolution(5, 20)
    forget(op)
    with ReferenceKernels():
        expected = convolved(arrays).asnumpy()
    results: list[np.ndarray] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        barrier.wait()
        results.extend(convolved(arrays).asnumpy() for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 40
    for result in results:
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


# ---- calls


def test_kernels_for_known_shapes_give_what_kernels_give():
    others = set()
    for case in [case for family in FAMILIES.values() for case in family]:
        op, arrays = case.operator(), case.arrays()
        if op.stateful or op.graphs or op.draws():
            continue
        kernel = op.kernel_for(*[ops.Spec(a.shape, a.dtype) for a in arrays])
        if kernel == op.forward:
            continue
        others.add(op.names[0])
        with np.errstate(all="ignore"):
            expected, got = op.forward(*arrays), kernel(*arrays)
        (outputs,) = op.infer(tuple(ops.Spec(a.shape, a.dtype) for a in arrays))[1]
        for y in (expected, got):
            assert np.asarray(y).astype(outputs.dtype).tobytes() == np.asarray(expected).tobytes(), case
            assert np.shape(y) == outputs.shape, case
    assert {"broadcast_add", "_mul_scalar", "exp", "sum", "max", "dot", "transpose"} <= others


def test_numbers_that_are_none_are_not_told():
    x = mx.nd.array([0.0, 1e38])
    for _ in range(2):
        assert np.isnan((x / x).asnumpy()).tolist() == [True, False]
        assert np.isinf((x * x).asnumpy()).tolist() == [False, True]
        assert np.isnan(mx.nd.log(x - 1).asnumpy()).tolist() == [True, False]
    with pytest.raises(RuntimeWarning):
        np.divide(np.zeros(1), np.zeros(1))


def test_calls_from_inside_of_a_kernel():
    def kernel(x):
        return np.divide(x, ways.quietly(np.divide, x, x))

    assert np.isnan(ways.quietly(kernel, np.zeros(2))).all()
    with pytest.raises(RuntimeError, match="of its own"):
        ways.quietly(_raise)


def _raise() -> None:
    raise RuntimeError("of its own")


def test_views_are_views_recorded_or_not():
    x = mx.nd.arange(6)
    y = x.reshape((2, 3))
    y[:] = 1
    assert x.asnumpy().tolist() == [1] * 6
    x.attach_grad()
    with mx.autograd.record():
        z = (x.reshape((2, -1)) * mx.nd.array([[1, 2, 3], [4, 5, 6]])).sum()
    z.backward()
    assert x.grad.asnumpy().tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(MXNetError):
        x.reshape((4, 2))
    assert x.reshape([3, 2]).shape == x.reshape(3, 2).shape == x.reshape(shape=(3, 2)).shape == (3, 2)
