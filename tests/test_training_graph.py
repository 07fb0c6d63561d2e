"""Hybridized training: forward and backward run in ONNX Runtime, to the numbers of the eager kernels."""

import json
import logging
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd
from hybridonnx.gluon import nn
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ndarray.tapes import OFTEN
from hybridonnx.runtime import graph_session, shared
from hybridonnx.runtime import plan as plans
from hybridonnx.runtime.session import StepSession

RNG = np.random.default_rng(0)


def draw(*shape):
    return nd.array(RNG.standard_normal(shape))


@pytest.fixture
def sessions(monkeypatch):
    """The sessions that are made, and every run of one."""
    instances = []

    class Counted(StepSession):
        def __init__(self, lowered, in_arena=False):
            super().__init__(lowered, in_arena)
            self.runs = 0
            instances.append(self)

        def __call__(self, feeds, operators=None):
            self.runs += 1
            return super().__call__(feeds, operators)

    monkeypatch.setattr(graph_session, "StepSession", Counted)
    monkeypatch.setattr(shared, "_sessions", OrderedDict())
    return instances


@pytest.fixture
def kernels(monkeypatch):
    """The names of the operators that plans run on kernels."""
    names = []
    run = plans._Kernel.__call__

    def counted(self, args, noise):
        names.append(self._node.op_name)
        return run(self, args, noise)

    monkeypatch.setattr(plans._Kernel, "__call__", counted)
    return names


def convolutional():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(6, 3, strides=2, in_channels=3),
            nn.BatchNorm(in_channels=6),
            nn.Activation("relu"),
            nn.MaxPool2D(),
            nn.Dropout(0.4),
            nn.Flatten(),
            nn.Dense(8, in_units=54, activation="tanh"),
            nn.Dropout(0.2),
            nn.Dense(4, in_units=8),
        )
    return net


def network(build, hybrid, seed=1):
    """A network with the same weights each time."""
    net = build()
    rng = np.random.default_rng(seed)
    net.initialize()
    for name, param in net.collect_params().items():
        if not name.endswith(("running_mean", "running_var", "gamma")):
            param.set_data(nd.array(rng.standard_normal(param.shape) * 0.3))
    if hybrid:
        net.hybridize()
    return net


def trained(hybrid, steps):
    """Losses and parameters after training on the same draws."""
    net = network(convolutional, hybrid)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    if hybrid:
        loss_of.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02, "momentum": 0.9})
    rng = np.random.default_rng(5)
    mx.random.seed(7)
    losses = []
    for step in range(steps):
        size = 5 if step % 10 == 9 else 8
        x, label = nd.array(rng.standard_normal((size, 3, 14, 14))), nd.array(rng.integers(0, 4, size))
        with autograd.record():
            loss = loss_of(net(x), label)
        loss.backward()
        trainer.step(size)
        losses.append(loss.mean().asscalar())
    return np.array(losses), [p.data().asnumpy() for p in net.collect_params().values()]


def test_one_seed_gives_the_same_losses_eagerly_and_hybridized(sessions, kernels):
    eager, weights = trained(False, 50)
    assert len(sessions) == 1  # the gradient of whole batches, which is compiled when it came often
    assert sessions.pop().runs == 45 - OFTEN
    losses, params = trained(True, 50)
    np.testing.assert_allclose(losses, eager, atol=1e-5)
    for a, b in zip(params, weights, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
    assert not kernels
    assert len(sessions) == 8  # of network and loss, forward and backward, full and last batch
    assert sum(s.runs for s in sessions) == 50 * 4


def both(build, run, **tolerance):
    """Compare what `run(net)` gives for eager and hybridized networks."""
    eager, hybrid = run(network(build, False)), run(network(build, True))
    assert len(eager) == len(hybrid)
    for a, b in zip(eager, hybrid, strict=True):
        np.testing.assert_allclose(b, a, **{"atol": 1e-5, "rtol": 1e-5, **tolerance})
    return hybrid


def grads(net):
    return [p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null"]


def test_moving_statistics_change_once_for_each_forward_pass():
    x = draw(4, 3, 9, 9)

    def build():
        net = nn.HybridSequential(prefix="")
        net.add(nn.BatchNorm(in_channels=3, momentum=0.7))
        return net

    def run(net):
        with autograd.train_mode():
            net(x)
        with autograd.record():
            net(x)
        with autograd.record(train_mode=False):
            net(x)
        return [net[0].running_mean.data().asnumpy(), net[0].running_var.data().asnumpy()]

    mean, _ = both(build, run)
    values = x.asnumpy().mean((0, 2, 3))
    np.testing.assert_allclose(mean, values * (1 - 0.7**2), atol=1e-6)


MEAN = 7.0
"""Of every batch; the moving mean comes half the way to it in each forward pass."""


def gan_step(net, x):
    """The step of a discriminator, on detached images, and that of the generator `net`."""
    with autograd.record():
        fake = (net(x).detach() * x).sum()
    with pytest.raises(mx.MXNetError):
        fake.backward()
    with autograd.record():
        loss = net(x).sum()
    loss.backward()


def two_passes(net, x):
    with autograd.record():
        loss = (net(x) + net(2 * x)).sum()
    loss.backward()


def without_recording(net, x):
    with autograd.train_mode():
        net(x)


def two_backward_passes(net, x):
    with autograd.record():
        loss = net(x).sum()
    loss.backward(retain_graph=True)
    loss.backward()


def frozen(net, x):
    net.collect_params().setattr("grad_req", "null")
    with autograd.record():
        net(x)


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (gan_step, MEAN / 2 + MEAN / 4),  # 3.5 with MXNet on CPUs, which waits for the backward pass
        (two_passes, MEAN / 4 + 2 * MEAN / 2),  # 7
        (without_recording, MEAN / 2),  # 0
        (two_backward_passes, MEAN / 2),  # 5.25
        (frozen, MEAN / 2),  # 0
        (lambda net, x: net(x), 0),
    ],
)
def test_moving_statistics_follow_forward_passes_as_on_gpus(use, expected):
    x = nd.full((4, 1), MEAN)

    def build():
        net = nn.HybridSequential(prefix="")
        net.add(nn.BatchNorm(in_channels=1, momentum=0.5))
        return net

    def run(net):
        use(net, x)
        return [net[0].running_mean.data().asnumpy()]

    (mean,) = both(build, run)
    assert mean == pytest.approx([expected])


@pytest.mark.parametrize("mode", [True, False])
def test_train_mode_without_recording_draws_masks(mode):
    x = draw(4, 3, 14, 14)

    def run(net):
        mx.random.seed(3)
        with autograd.train_mode() if mode else autograd.predict_mode():
            return [net(x).asnumpy(), net(x).asnumpy()]

    first, second = both(convolutional, run)
    assert (first == second).all() != mode


def test_added_gradients_frozen_layers_and_shared_parameters():
    x, y = draw(4, 5), draw(4, 5)

    class Twice(gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="twice_")
            with self.name_scope():
                self.first = nn.Dense(5, in_units=5, activation="tanh")
                self.second = nn.Dense(5, in_units=5, params=self.first.params)
                self.frozen = nn.Dense(3, in_units=5)

        def hybrid_forward(self, F, a, b):
            return self.frozen(self.second(self.first(a))), self.first(b)

    def run(net):
        net.first.weight.grad_req = "add"
        net.frozen.collect_params().setattr("grad_req", "null")
        for _ in range(2):
            with autograd.record():
                a, b = net(x, y)
                c, _ = net(y, x)
                total = a.sum() * 2 + (b * b).sum() + c.sum()
            total.backward()
        return grads(net)

    weight, bias = both(Twice, run)
    assert weight.any()
    assert bias.any()


def test_gradients_of_inputs_heads_and_outputs_that_nothing_uses():
    x = draw(3, 4)

    class Several(gluon.HybridBlock):
        def hybrid_forward(self, F, a, b):
            return F.broadcast_mul(a, b), [a, F.broadcast_maximum(a, b)], F.stop_gradient(a)

    def run(net):
        a, b = x.copy(), x[:1] + 0.5
        a.attach_grad()
        b.attach_grad()
        with autograd.record():
            product, (same, larger), still = net(a, b * 1)
        autograd.backward([product, larger], [x, None], retain_graph=True)
        first = [a.grad.asnumpy(), b.grad.asnumpy()]
        autograd.backward([still, same], [x, x])
        return [*first, a.grad.asnumpy()]

    arrays = both(lambda: Several(prefix="s_"), run)
    np.testing.assert_array_equal(arrays[2], x.asnumpy())


def test_gradients_of_gradients_keep_the_masks(kernels):
    x = draw(2, 3, 14, 14)

    def run(net):
        a = x.copy()
        a.attach_grad()
        mx.random.seed(2)
        with autograd.record():
            out = net(a)
            (slope,) = autograd.grad((out * out).sum(), a, create_graph=True)
            length = (slope * slope).sum()
        length.backward()
        states = [p.data().asnumpy() for n, p in net.collect_params().items() if "running" in n]
        return [length.asnumpy(), a.grad.asnumpy(), *grads(net), *states]

    both(convolutional, run, rtol=1e-4, atol=1e-3)  # of some tens
    assert not kernels


def test_custom_operators_run_between_sessions(sessions, kernels, caplog):
    @mx.operator.register("training_graph_double")
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            class Op(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    self.factor = 2 if is_train else 1
                    self.assign(out_data[0], req[0], in_data[0] * self.factor)

                def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
                    self.assign(in_grad[0], req[0], out_grad[0] * self.factor)

            return Op()

    class Around(gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="around_")
            with self.name_scope():
                self.first = nn.Dense(5, in_units=4, activation="tanh")
                self.last = nn.Dense(2, in_units=5)

        def hybrid_forward(self, F, x):
            y = F.Custom(self.first(x), op_type="training_graph_double", name="middle")
            return self.last(y)

    x = draw(3, 4)

    def run(net):
        with autograd.record():
            out = net(x)
        out.backward(out)
        predicted = net(x)
        return [out.asnumpy(), predicted.asnumpy(), *grads(net)]

    with caplog.at_level(logging.INFO, "hybridonnx"):
        both(Around, run)
    assert kernels == ["Custom", "Custom"]
    assert len(sessions) == 6  # two partitions to train, each with a gradient, and two to predict
    (message,) = [record for record in caplog.records if "middle runs on the kernel" in record.getMessage()]
    assert message.levelno == logging.INFO
    assert "runs Python code" in message.getMessage()


def test_functions_stay_outside_of_the_graph():
    class Tripled(autograd.Function):
        def forward(self, x):
            return x * 3

        def backward(self, dy):
            return dy * 3

    class Eager(gluon.Block):
        def __init__(self):
            super().__init__(prefix="eager_")
            with self.name_scope():
                self.inner = nn.Dense(4, in_units=4)

        def forward(self, x):
            return Tripled()(self.inner(x))

    x = draw(2, 4)

    def run(net):
        with autograd.record():
            out = net(x)
        out.backward()
        return [out.asnumpy(), *grads(net)]

    both(Eager, run)


def test_what_is_recorded_can_be_told_as_a_symbol():
    net = network(convolutional, True)
    x = draw(2, 3, 14, 14)
    with autograd.record(train_mode=False):
        out = net(x) * 2
    symbol = autograd.get_symbol(out)
    assert [n.op_name for n in symbol.nodes() if not n.is_variable].count("Convolution") == 1
    assert len(symbol.list_arguments()) == 9


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_an_inline_limit_below_the_operators_keeps_one_node(limit):
    net = network(convolutional, True)
    net.hybridize(inline_limit=limit)
    x = draw(2, 3, 14, 14)
    with autograd.record():
        out = net(x) * 2
    symbol = autograd.get_symbol(out)
    names = [node.op_name for node in symbol.nodes() if not node.is_variable]
    assert (names == ["_CachedOp", "_mul_scalar"]) == (limit < 2)
    assert ("Convolution" in names) == (limit == 2)
    assert len(symbol.list_arguments()) == (11 if limit < 2 else 9)  # one node hides which are states
    assert [node["op"] for node in json.loads(symbol.tojson())["nodes"] if node["op"] != "null"] == names


def test_the_tape_is_released_with_what_it_kept():
    net = network(convolutional, True)
    with autograd.record():
        out = net(draw(2, 3, 14, 14))
    out.backward()
    with pytest.raises(mx.MXNetError, match="already differentiated"):
        out.backward()


def test_parameters_that_change_between_passes_are_seen():
    net = network(convolutional, True)
    x = draw(2, 3, 14, 14)
    with autograd.record(train_mode=False):
        before = net(x)
    for param in net.collect_params().values():
        param.set_data(param.data() * 0.5)
    with autograd.record(train_mode=False):
        after = net(x)
    expected = network(convolutional, False)
    for param in expected.collect_params().values():
        param.set_data(param.data() * 0.5)
    np.testing.assert_allclose(after.asnumpy(), expected(x).asnumpy(), atol=1e-5)
    assert not np.allclose(before.asnumpy(), after.asnumpy())


def test_shapes_that_do_not_fit_name_the_node():
    net = network(lambda: nn.Dense(3, in_units=4, flatten=False, prefix="dense_"), True)
    with autograd.record(), pytest.raises(mx.MXNetError) as caught:
        net(draw(2, 5))
    assert "weight of shape (3, 5) is required" in str(caught.value)
    assert str(caught.value).count("In node dense_") == 1


def test_variables_of_one_name_are_one(sessions, kernels):
    x = mx.sym.var("x")
    out = mx.sym.Dropout(mx.sym.broadcast_mul(x, mx.sym.var("w"))) + mx.sym.broadcast_mul(
        mx.sym.Dropout(x * x), mx.sym.var("w")
    )
    data = draw(2, 3)

    def build():
        block = gluon.SymbolBlock(out, [x])
        next(iter(block.collect_params().values())).shape = (1, 3)
        return block

    def run(net):
        mx.random.seed(4)
        with autograd.record():
            out = net(data)
        out.backward()
        return [out.asnumpy(), *grads(net), net(data).asnumpy()]

    both(build, run)
    assert not kernels


def test_what_custom_operators_take_may_depend_on_nothing(kernels):
    contexts = []

    @mx.operator.register("training_graph_same")
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            class Op(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    contexts.append(in_data[0].context)
                    self.assign(out_data[0], req[0], in_data[0])

                def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
                    self.assign(in_grad[0], req[0], out_grad[0])

            return Op()

    def run(net):
        x = nd.ones((2, 3), ctx=mx.cpu(1))
        x.attach_grad()
        with autograd.record():
            out = net(x)
        out.backward()
        assert out.context == net(x).context == mx.cpu(1)
        return [out.asnumpy(), x.grad.asnumpy(), net(x).asnumpy()]

    def added(F, x):
        return F.Custom(F.ones((2, 3)) * 2, op_type="training_graph_same") + x

    both(lambda: nn.HybridLambda(added), run)
    assert kernels == ["Custom"] * 3
    assert contexts == [mx.cpu(1)] * 6


def test_integers_have_numpys_own_dtype():
    class Ranked(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x * 2, F.cast(x, "int64")

    net = Ranked(prefix="ranked_")
    net.hybridize()
    x = draw(3, 4)
    x.attach_grad()
    assert [y.dtype for y in net(x)] == [np.float32, np.int64]
    with autograd.record():
        assert [y.dtype for y in net(x)] == [np.float32, np.int64]


def test_profiles_are_written_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("HYBRIDONNX_PROFILE", str(tmp_path))
    net = network(convolutional, True)
    with autograd.record():
        out = net(draw(2, 3, 14, 14))
    out.backward()
    assert len(list(tmp_path.glob("session*.json"))) == 2


def test_constants_of_the_normalization_survive_bad_batches():
    """ONNX Runtime writes a batch's statistics over the inputs that its normalization is given."""

    def build():
        net = nn.HybridSequential(prefix="")
        net.add(nn.BatchNorm(in_channels=3, scale=False))
        return net

    x = draw(4, 3, 5)

    def run(net):
        arrays = []
        for values in (x, x * np.nan, x):
            net[0].running_mean.set_data(nd.zeros(3))
            net[0].running_var.set_data(nd.ones(3))
            a = values.copy()
            a.attach_grad()
            with autograd.record():
                y = net(a)
            y.backward(x)
            arrays += [y.asnumpy(), a.grad.asnumpy(), net[0].running_mean.data().asnumpy()]
        return arrays

    arrays = both(build, run)
    np.testing.assert_array_equal(arrays[0], arrays[6])
    assert np.isfinite(arrays[7]).all()


def test_views_that_change_are_seen():
    net = network(lambda: nn.Dense(3, in_units=2, prefix="dense_"), True)
    whole = draw(4, 5)
    part = NDArray(whole._data[:, 1:3])
    assert not part._data.flags.c_contiguous
    with autograd.record():
        first = net(part)
    whole[:] = 0
    with autograd.record():
        second = net(part)
    np.testing.assert_array_equal(second.asnumpy(), np.tile(net.bias.data().asnumpy(), (4, 1)))
    assert not np.allclose(first.asnumpy(), second.asnumpy())


def test_double_precision_is_kept(kernels, caplog):
    """ONNX Runtime convolves in float32 alone."""

    def run(net):
        net.cast("float64")
        x = nd.array(RNG.standard_normal((2, 3, 14, 14)), dtype="float64")
        x[:] = np.arange(x.size).reshape(x.shape) % 7 / 3.0
        with autograd.record(train_mode=False):
            out = net(x)
        out.backward()
        return [out.asnumpy(), net(x).asnumpy(), *grads(net)]

    with caplog.at_level(logging.INFO, "hybridonnx"):
        both(convolutional, run, rtol=1e-11, atol=1e-11)
    assert set(kernels) == {"Convolution", "Pooling"}
    assert any("float32 would lose digits" in record.getMessage() for record in caplog.records)


def test_operators_alike_leave_the_graph_together(caplog):
    """What refuses one of a long chain refuses all: the graph is cut twice, not once for each."""

    class Chain(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            for _ in range(8):
                lower = F.linalg_potrf(x)
                x = F.linalg_gemm2(lower, lower, transpose_b=True)
            return x

    x = mx.nd.array(np.eye(3)[None] + 0.5)
    net = Chain()
    expected = net(x).asnumpy()
    net.hybridize()
    x.attach_grad()
    with caplog.at_level(logging.INFO, "hybridonnx"), mx.autograd.record():
        y = net(x)
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5)
    (message,) = [r.getMessage() for r in caplog.records if "runs on the kernel" in r.getMessage()]
    assert "and 3 more" in message


# ---- sessions that networks of one structure share


def step(net, x, seed=3):
    """The output and the gradients of a step, by the ends of the parameters' names."""
    mx.random.seed(seed)
    with autograd.record():
        y = net(x)
    y.backward()
    params = [p for p in net.collect_params().values() if p.grad_req != "null"]
    return [y.asnumpy(), *(p.grad().asnumpy() for p in params)]


def test_networks_of_one_structure_share_sessions(sessions):
    x = draw(5, 3, 16, 16)
    results = []
    for seed in (1, 2):
        net = convolutional()
        mx.random.seed(seed)
        net.initialize(mx.init.Normal(0.3))
        expected = step(net, x)
        net.hybridize()
        results.append(step(net, x))
        for values, others in zip(results[-1], expected, strict=True):
            np.testing.assert_allclose(values, others, rtol=1e-4, atol=1e-5)
    assert [session.runs for session in sessions] == [2, 2]
    assert not np.allclose(results[0][0], results[1][0])


@pytest.mark.parametrize("number", [0.0, -0.0])
def test_the_sign_of_a_zero_tells_graphs_apart(number):
    x = nd.array([2.0, -3.0])
    x.attach_grad()
    block = gluon.SymbolBlock(mx.sym.var("x") * number, [mx.sym.var("x")])
    block.hybridize()
    with autograd.record():
        y = block(x)
    y.backward()
    np.testing.assert_array_equal(np.signbit(y.asnumpy()), np.signbit(x.asnumpy() * np.float32(number)))


def test_few_small_sessions_are_kept(sessions):
    kept: Any = shared._sessions
    for size in [*range(1, 40), 1 << 19]:
        x = nd.ones((size,))
        x.attach_grad()
        block = gluon.SymbolBlock(mx.sym.exp(mx.sym.var("x")), [mx.sym.var("x")])
        block.hybridize()
        with autograd.record():
            y = block(x)
        y.backward()
    assert len(sessions) == 80
    assert len(kept) == shared._MOST
    assert max(x[1][0] for (key, *_) in kept for x in key[0] if isinstance(x[0], str)) == 39
