"""HybridBlocks against what real MXNet shows (oracle/gluon.json), and the promises of hybridize()."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.runtime import compile, session
from tests.gluon_facts import check, names


@pytest.mark.parametrize("name", names("hybrid_block"))
def test_as_in_mxnet(name, tmp_path):
    check("hybrid_block", name, tmp_path)


# ---- what hybridize() promises


class Dense(mx.gluon.HybridBlock):
    """Weighted sums of its own, with a state that nothing trains."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = self.params.get("w", shape=(2, 3), init=mx.init.Uniform(1))
        self.b = self.params.get("b", shape=(2,), init=mx.init.Uniform(1), grad_req="null")

    def hybrid_forward(self, F, x, w, b):
        return F.FullyConnected(x, w, b, num_hidden=2)

    def expected(self, x):
        return x.asnumpy() @ self.w.data().asnumpy().T + self.b.data().asnumpy()


@pytest.fixture
def dense():
    net = Dense()
    net.initialize()
    net.hybridize()
    return net


@pytest.fixture
def sessions(monkeypatch):
    """The sessions that are made while a test runs."""
    instances = []
    start = session.Session.__init__

    def counted(self, *args, **kwargs):
        instances.append(self)
        start(self, *args, **kwargs)

    monkeypatch.setattr(session.Session, "__init__", counted)
    return instances


def trained(net):
    """An update as trainers make it: into the array itself."""
    with mx.autograd.record():
        loss = (net(mx.nd.ones((4, 3))) ** 2).sum()
    loss.backward()
    w = net.w.data()
    mx.nd.elemwise_sub(w, 0.1 * net.w.grad(), out=w)


def refilled(net):
    for array in net.w.data():
        array[1:] = 9


CHANGES = {
    "set_data": lambda net: net.w.set_data(mx.nd.ones((2, 3))),
    "slice": lambda net: net.w.data().__setitem__(slice(None), 3),
    "element": lambda net: net.w.data().__setitem__((1, 2), 3),
    "view": lambda net: net.w.data()[1].__setitem__(0, 3),
    "view of a view": lambda net: net.w.data().reshape((3, 2))[1:].__setitem__(slice(None), 3),
    "rows": refilled,
    "in place": lambda net: net.w.data().__iadd__(1),
    "out": lambda net: mx.nd.broadcast_mul(net.w.data(), mx.nd.array([5]), out=net.w.data()),
    "draw": lambda net: mx.nd.random.uniform(shape=(2, 3), out=net.w.data()),
    "copyto": lambda net: mx.nd.ones((2, 3)).copyto(net.w.data()),
    "state": lambda net: net.b.data().__setitem__(0, 7),
    "initialize": lambda net: net.initialize(mx.init.One(), force_reinit=True),
    "trained": trained,
    "moved": lambda net: (
        net.collect_params().reset_ctx(mx.cpu(1)),
        net.collect_params().reset_ctx(mx.cpu(0)),
    ),
    "load_dict": lambda net: net.collect_params().load_dict(
        {net.w.name: mx.nd.ones((2, 3)), net.b.name: mx.nd.zeros((2,))}
    ),
    "cast": lambda net: (net.cast("float64"), net.w.set_data(mx.nd.ones((2, 3))), net.cast("float32")),
}


@pytest.mark.parametrize(
    "options", [{}, {"static_alloc": True}, {"static_alloc": True, "static_shape": True}]
)
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_parameter_is_used_at_once(dense, change, options):
    dense.hybridize(**options)
    x = mx.nd.random.normal(shape=(4, 3))
    for _ in range(3):
        before = dense(x)
        CHANGES[change](dense)
        expected = dense.expected(x)
        assert not np.allclose(before.asnumpy(), expected) or change not in ("trained", "in place", "out")
        for _ in range(8):
            np.testing.assert_allclose(dense(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_changed_parameter_of_a_child_or_of_both_contexts_is_used():
    net = mx.gluon.nn.HybridSequential()
    net.add(Dense(), mx.gluon.nn.Dense(1, in_units=2))
    net.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    net.hybridize()
    x = mx.nd.ones((1, 3))
    for k in range(4):
        for ctx in (mx.cpu(0), mx.cpu(1)):
            net[0].w.data(ctx)[:] = k + ctx.device_id
            net[1].weight.data(ctx)[:] = 1
            net[0].b.data(ctx)[:] = 0
        for ctx in (mx.cpu(0), mx.cpu(1), mx.cpu(0)):
            assert net(x.as_in_context(ctx)).asscalar() == 6 * (k + ctx.device_id)


def test_one_session_serves_all_batch_sizes(dense, sessions):
    for size in (4, 1, 7, 4, 2, 100):
        x = mx.nd.random.normal(shape=(size, 3))
        np.testing.assert_allclose(dense(x).asnumpy(), dense.expected(x), rtol=1e-5, atol=1e-6)
    assert len(sessions) == 1


def test_every_batch_size_is_checked(sessions):
    """Of what was compiled for any batch size, some refuse certain ones: as eager calls do."""
    graphs = {
        "a number of elements divisible by 2": (lambda F, x: F.reshape(x, (2, -1)), (4, 3), (3, 3)),
        "Reshape": (lambda F, x: F.reshape(x, (-1, 4)), (4, 3), (3, 3)),
        "elemwise_add: equal shapes": (lambda F, x, y: x + y, (4, 3), (4, 3), (4, 3), (1, 3)),
        "Concat": (lambda F, x, y: F.concat(x, y, dim=1), (2, 3), (2, 3), (2, 3), (1, 3)),
    }
    for says, (function, *shapes) in graphs.items():
        count = len(shapes) // 2
        good, bad = ([mx.nd.ones(shape) for shape in some] for some in (shapes[:count], shapes[count:]))
        net = mx.gluon.nn.HybridLambda(function)
        with pytest.raises(MXNetError, match=says) if "elemwise" not in says else nullcontext():
            net(*bad)
        net.hybridize()
        for _ in range(2):
            net(*good)
            with pytest.raises(mx.errors.ShapeError, match=says) as caught:
                net(*bad)
            assert str(caught.value).count("In node ") == 1
    assert len(sessions) == len(graphs)


def test_a_graph_remembers_so_many_shapes(dense, monkeypatch, sessions):
    monkeypatch.setattr(compile, "_MOST_SHAPES", 3)
    for _ in range(2):
        for size in range(1, 9):
            x = mx.nd.ones((size, 3))
            np.testing.assert_allclose(dense(x).asnumpy(), dense.expected(x), rtol=1e-6)
    (graph,) = dense._compiled.values()
    assert len(graph._known) <= 3
    assert len(graph._checked) <= 3
    assert len(sessions) == 1


def test_the_session_that_was_used_last_is_kept(dense, monkeypatch, sessions):
    monkeypatch.setenv("HYBRIDONNX_SESSIONS", "2")
    dense.hybridize(static_alloc=True, static_shape=True)
    for size in (1, 2, 3, 2, 3, 1):
        x = mx.nd.ones((size, 3))
        np.testing.assert_allclose(dense(x).asnumpy(), dense.expected(x), rtol=1e-6)
    assert len(sessions) == 4


def test_fixed_shapes_have_a_session_each(dense, sessions):
    dense.hybridize(static_alloc=True, static_shape=True)
    for size in (4, 1, 4, 1, 4):
        dense(mx.nd.ones((size, 3)))
    assert len(sessions) == 2


def test_recording_needs_no_session(dense, sessions):
    trained(dense)
    assert not sessions


def test_hybridize_starts_anew(dense, sessions):
    x = mx.nd.ones((1, 3))
    dense(x)
    dense.hybridize()
    dense(x)
    assert len(sessions) == 2
    dense.hybridize(active=False)
    dense(x)
    assert len(sessions) == 2


def test_a_layer_added_deep_inside_is_used():
    inner = mx.gluon.nn.HybridSequential()
    inner.add(mx.gluon.nn.HybridLambda(lambda F, x: x + 1))
    outer = mx.gluon.nn.HybridSequential()
    outer.add(inner)
    outer.hybridize()
    x = mx.nd.zeros((1,))
    assert outer(x).asscalar() == 1
    inner.add(mx.gluon.nn.HybridLambda(lambda F, x: x * 10))
    assert outer(x).asscalar() == 10


class Noisy(mx.gluon.HybridBlock):
    """Draws in another order than the sum takes them."""

    def hybrid_forward(self, F, x):
        first = F.Dropout(x, p=0.5, mode="always")
        second = F.Dropout(x, p=0.25, mode="always")
        return 100 * F.Dropout(second, p=0.5) + first


def noisy_twice():
    """One layer used twice, whose nodes have the same names."""
    layer = mx.gluon.nn.HybridLambda(
        lambda F, x: x + F.random.normal(shape=(40, 30)) * F.Dropout(x, mode="always")
    )
    net = mx.gluon.nn.HybridSequential()
    net.add(layer, layer)
    return net


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("build", [Noisy, noisy_twice])
def test_seeds_give_the_same_draws_hybridized(build, recording):
    x = mx.nd.ones((40, 30))
    outputs = []
    for hybrid in (False, True):
        net = build()
        net.hybridize(hybrid)
        net(x)
        mx.random.seed(3)
        for _ in range(2):
            with mx.autograd.record() if recording else mx.autograd.pause():
                outputs.append(net(x).asnumpy())
    np.testing.assert_allclose(outputs[2], outputs[0], rtol=1e-5)
    np.testing.assert_allclose(outputs[3], outputs[1], rtol=1e-5)
    assert not np.allclose(outputs[0], outputs[1])


def test_many_threads_may_make_the_first_call():
    net = mx.gluon.nn.HybridSequential()
    with net.name_scope():
        for _ in range(3):
            net.add(mx.gluon.nn.Dense(16, activation="tanh"))
    net.initialize()
    net.hybridize()
    batches = [mx.nd.random.normal(shape=(1 + i % 5, 8)) for i in range(32)]
    with ThreadPoolExecutor(8) as pool:
        outputs = list(pool.map(net, batches))
    net.hybridize(False)
    for x, y in zip(batches, outputs, strict=True):
        np.testing.assert_allclose(y.asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)


def test_threads_see_changes_of_parameters(dense):
    def work(k):
        net = Dense()
        net.initialize(mx.init.Constant(k))
        net.hybridize()
        x = mx.nd.ones((1, 3))
        differences = []
        for i in range(20):
            net.w.data()[:] = i * k
            differences.append(net(x).asnumpy()[0, 0] - net.b.data().asnumpy()[0])
        return np.allclose(differences, [3 * i * k for i in range(20)], atol=1e-4)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(1, 9)))


def test_results_are_kept_with_reused_buffers(dense):
    dense.hybridize(static_alloc=True)
    batches = [mx.nd.random.normal(shape=(3, 3)) for _ in range(5)]
    outputs = [dense(x) for x in batches]
    for x, y in zip(batches, outputs, strict=True):
        np.testing.assert_allclose(y.asnumpy(), dense.expected(x), rtol=1e-5, atol=1e-6)


def test_copies_of_hybridized_blocks_are_independent(dense):
    x = mx.nd.ones((1, 3))
    dense(x)
    again = copy.deepcopy(dense)
    again.w.set_data(mx.nd.zeros((2, 3)))
    np.testing.assert_allclose(again(x).asnumpy(), again.expected(x))
    np.testing.assert_allclose(dense(x).asnumpy(), dense.expected(x), rtol=1e-6)
    assert not np.allclose(dense(x).asnumpy(), again(x).asnumpy())


def test_watching_operators():
    calls = []
    net = mx.gluon.nn.HybridSequential(prefix="n_")
    with net.name_scope():
        net.add(mx.gluon.nn.Dense(2, activation="relu", in_units=3))
    net.initialize(mx.init.One())
    net.hybridize()
    net.register_op_hook(lambda name, op, array: calls.append((name, op, array.shape)), monitor_all=True)
    y = net(mx.nd.ones((1, 3)))
    assert y.asnumpy().tolist() == [[3, 3]]
    assert calls == [
        ("n_dense0_fwd_data", "FullyConnected", (1, 3)),
        ("n_dense0_fwd_weight", "FullyConnected", (2, 3)),
        ("n_dense0_fwd_bias", "FullyConnected", (2,)),
        ("n_dense0_fwd_output", "FullyConnected", (1, 2)),
        ("n_dense0_relu_fwd_data", "Activation", (1, 2)),
        ("n_dense0_relu_fwd_output", "Activation", (1, 2)),
    ]


def test_what_is_refused(dense):
    with pytest.raises(MXNetError, match="ONNX Runtime, got 'oneDNN'"):
        dense.hybridize(backend="oneDNN")
    with pytest.raises(MXNetError, match="static_alloc=True is required with static_shape"):
        dense.hybridize(static_shape=True)
    with pytest.raises(MXNetError, match=r"Use hybridize\(\)"):
        dense.optimize_for(mx.nd.ones((1, 3)), backend="TensorRT")
    dense.hybridize()
    with pytest.raises(MXNetError, match="FullyConnected"):
        dense(mx.nd.ones((1, 4)))
    with pytest.raises(MXNetError, match=r"was not initialized on context cpu\(1\)"):
        dense(mx.nd.ones((1, 3), ctx=mx.cpu(1)))
    dense.hybridize(False)
    with pytest.raises(MXNetError, match="FullyConnected"):
        dense(mx.nd.ones((1, 4)))
