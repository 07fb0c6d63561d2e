"""Networks on devices, which the processor plays: training and prediction give the processor's numbers."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd
from hybridonnx.gluon import nn
from hybridonnx.runtime import device_session, traced
from hybridonnx.runtime.device import DeviceArray
from tests.devices import two, use

GPU, OTHER = mx.gpu(0), mx.gpu(1)
LOSS = gluon.loss.SoftmaxCrossEntropyLoss()
RNG = np.random.default_rng(0)
IMAGES, LABELS = RNG.standard_normal((4, 8, 3, 10, 10)).astype("float32"), RNG.integers(0, 5, (4, 8))


@pytest.fixture(autouse=True)
def devices(monkeypatch):
    use(monkeypatch)


def network(ctx, hybridized: bool = True, dropout: float = 0.3, **flags):
    """A small network with the same parameters each time."""
    mx.random.seed(1)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, in_channels=3, use_bias=False), nn.BatchNorm(in_channels=4))
        net.add(
            nn.Activation("relu"),
            nn.MaxPool2D(),
            nn.Dropout(dropout),
            nn.Dense(6, in_units=64),
            nn.LeakyReLU(0.1),
        )
        net.add(nn.Dense(5, in_units=6))
    net.initialize(mx.init.Xavier(), ctx=ctx)
    if hybridized:
        net.hybridize(**flags)
    return net


def trained(ctx, hybridized: bool, optimizer="adam", options=None, steps: int = 4, dtype="float32"):
    """The losses of some steps, and the parameters after them."""
    net = network(ctx, hybridized)
    net.cast(dtype)
    trainer = gluon.Trainer(net.collect_params(), optimizer, options or {})
    mx.random.seed(2)
    losses = []
    for images, labels in zip(IMAGES[:steps], LABELS[:steps], strict=True):
        x, y = nd.array(images, ctx=ctx).astype(dtype), nd.array(labels, ctx=ctx)
        with autograd.record():
            loss = LOSS(net(x), y)
        loss.backward()
        trainer.step(len(images))
        losses.append(loss.mean().asscalar())
    assert all(p.data(ctx).context == ctx for p in net.collect_params().values())
    return np.array(losses), {n: p.data(ctx).asnumpy() for n, p in net.collect_params().items()}


def assert_same(got, expected, tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(got[0], expected[0], tolerance, tolerance)
    for name, value in expected[1].items():
        np.testing.assert_allclose(got[1][name], value, tolerance, tolerance, err_msg=name)


@pytest.mark.parametrize("hybridized", [False, True])
def test_training_is_the_processors(hybridized):
    assert_same(trained(GPU, hybridized), trained(mx.cpu(), hybridized))


OPTIMIZERS = {
    "adadelta": {},
    "adagrad": {},
    "adamax": {},
    "dcasgd": {"momentum": 0.9},
    "ftml": {},
    "ftrl": {},
    "lamb": {},
    "lars": {"momentum": 0.9},
    "lbsgd": {"momentum": 0.9},
    "nadam": {},
    "nag": {"momentum": 0.9},
    "rmsprop": {"centered": True, "clip_weights": 0.5},
    "sgd": {"momentum": 0.9, "clip_gradient": 0.1, "wd": 0.01},
    "sgld": {},
    "signum": {"momentum": 0.9},
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_steps_on_a_device(optimizer):
    options = OPTIMIZERS[optimizer]
    assert_same(trained(GPU, True, optimizer, options), trained(mx.cpu(), True, optimizer, options))


def test_float16_with_copies_in_float32():
    options = {"momentum": 0.9, "multi_precision": True}
    got, expected = (trained(ctx, True, "sgd", options, dtype="float16") for ctx in (GPU, mx.cpu()))
    assert_same(got, expected, 4e-3)


def test_rates_that_change_use_one_session():
    schedule = mx.lr_scheduler.FactorScheduler(step=1, factor=0.9, base_lr=0.01)
    trained(GPU, True, "adam", {"lr_scheduler": schedule}, steps=1)
    before = len(traced._programs)
    schedule = mx.lr_scheduler.FactorScheduler(step=1, factor=0.8, base_lr=0.02)
    trained(GPU, True, "adam", {"lr_scheduler": schedule})
    assert len(traced._programs) == before


def test_steps_that_no_graph_says_are_told(caplog):
    class Own(mx.optimizer.Optimizer):
        def create_state(self, index, weight):
            return None

        def _step(self, index, w, g, lr, wd):
            w -= lr * np.sign(g)

    def stepped(ctx):
        w = nd.array([1.0, 2.0], ctx=ctx)
        Own(learning_rate=0.5).update(0, w, nd.array([3.0, -4.0], ctx=ctx), None)
        return w.asnumpy()

    with caplog.at_level(logging.WARNING, "hybridonnx"):
        np.testing.assert_array_equal(stepped(GPU), stepped(mx.cpu()))
    assert "Own: runs on the processor in place of gpu(0)" in caplog.text
    assert "sign" in caplog.text


def test_optimizers_of_users_compute_with_operators():
    class Plain(mx.optimizer.Optimizer):
        def update(self, index, weight, grad, state):
            self._update_count(index)
            weight[:] = weight - self._get_lr(index) * grad

    w = nd.array([1.0, 2.0], ctx=GPU)
    Plain(learning_rate=0.5).update(0, w, nd.array([2.0, -4.0], ctx=GPU), None)
    np.testing.assert_array_equal(w.asnumpy(), [0, 4])


@two
@pytest.mark.parametrize("kvstore", ["device", "local", None])
def test_a_batch_split_over_devices_trains_as_one(kvstore):
    def after(contexts):
        net = network(contexts, dropout=0)
        net.collect_params(".*batchnorm.*").setattr("grad_req", "null")
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=kvstore)
        for images, labels in zip(IMAGES, LABELS, strict=True):
            xs = gluon.utils.split_and_load(images, contexts)
            ys = gluon.utils.split_and_load(labels, contexts)
            with autograd.record(train_mode=False):
                losses = [LOSS(net(x), y) for x, y in zip(xs, ys, strict=True)]
            autograd.backward(losses)
            trainer.step(len(images))
        return net.collect_params()

    if kvstore is None:
        contexts, alone = [GPU], [mx.cpu()]
    else:
        contexts, alone = [GPU, OTHER], [mx.cpu()]
    got, expected = after(contexts), after(alone)
    for name, param in expected.items():
        for ctx in contexts:
            assert got[name].data(ctx).context == ctx
            np.testing.assert_allclose(
                got[name].data(ctx).asnumpy(), param.data().asnumpy(), 1e-5, 1e-6, err_msg=name
            )


def test_sparse_gradients_of_embeddings():
    def after(ctx):
        mx.random.seed(3)
        net = nn.Embedding(9, 3, sparse_grad=True)
        net.initialize(mx.init.Uniform(1), ctx=ctx)
        trainer = gluon.Trainer(net.collect_params(), "adam")
        for _ in range(2):
            with autograd.record():
                loss = (net(nd.array([1, 4, 1], ctx=ctx)) ** 2).sum()
            loss.backward()
            trainer.step(1)
        return net.weight.data(ctx).asnumpy()

    np.testing.assert_allclose(after(GPU), after(mx.cpu()), 1e-5, 1e-6)


# ---- prediction


@pytest.mark.parametrize("flags", [{}, {"static_alloc": True}, {"static_alloc": True, "static_shape": True}])
def test_predictions_of_any_batch(flags):
    net, reference = network(GPU, **flags), network(mx.cpu())
    for n in (8, 3, 8, 1):
        got, expected = net(nd.array(IMAGES[0][:n], ctx=GPU)), reference(nd.array(IMAGES[0][:n]))
        assert got.context == GPU
        np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), 1e-5, 1e-6)


def test_outputs_belong_to_who_gets_them():
    net = network(GPU, static_alloc=True)
    x = nd.array(IMAGES[0], ctx=GPU)
    first, second = net(x), net(x + 1)
    values = first.asnumpy()
    third = net(x + 2)
    np.testing.assert_array_equal(first.asnumpy(), values)
    assert not (second.asnumpy() == third.asnumpy()).all()


def test_outputs_are_kept_under_static_alloc():
    def memory(net):
        x, places = nd.array(IMAGES[0], ctx=GPU), set()
        for _ in range(6):
            y = net(x)
            places.add(y._data.address)
            y = None
        return y, places

    assert len(memory(network(GPU, static_alloc=True))[1]) == 1
    net = network(GPU, static_alloc=True)
    held = [net(nd.array(IMAGES[0], ctx=GPU)) for _ in range(4)]
    assert len({y._data.address for y in held}) == 4


@pytest.fixture
def captured(monkeypatch):
    """The runs of what is one CUDA graph on a GPU."""
    runs, call = [], device_session._Captured.__call__

    def counted(self, feeds):
        runs.append(self)
        return call(self, feeds)

    monkeypatch.setattr(device_session._Captured, "__call__", counted)
    return runs


def test_what_comes_again_is_one_graph(captured):
    net, reference = network(GPU, static_alloc=True, static_shape=True), network(mx.cpu())
    held = []
    for i in range(12):
        x = IMAGES[0][: (8, 3)[i % 2]] + i
        held.append((net(nd.array(x, ctx=GPU)), reference(nd.array(x)).asnumpy()))
    assert len(captured) >= 8
    assert len(set(captured)) == 2  # of each shape
    for got, expected in held:
        np.testing.assert_allclose(got.asnumpy(), expected, 1e-5, 1e-5)
    net.collect_params("net_dense1_bias")["net_dense1_bias"].data(GPU)[:] = 1
    np.testing.assert_allclose(net(nd.array(x, ctx=GPU)).asnumpy(), expected + 1, 1e-5, 1e-5)


def test_graphs_draw_anew(captured):
    class Noisy(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x + F.random.uniform(shape=(2, 3))

    net = Noisy()
    net.hybridize(static_alloc=True, static_shape=True)
    mx.random.seed(5)
    got = [net(nd.zeros((2, 3), ctx=GPU)).asnumpy() for _ in range(6)]
    mx.random.seed(5)
    for y in got:
        np.testing.assert_allclose(y, nd.random.uniform(shape=(2, 3)).asnumpy())


def test_threads_that_predict_by_one_graph(captured):
    net, reference = network(GPU, static_alloc=True, static_shape=True), network(mx.cpu())
    batches = [IMAGES[i % 4] * (i + 1) for i in range(24)]
    net(nd.array(batches[0], ctx=GPU))
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda x: net(nd.array(x, ctx=GPU)).asnumpy(), batches))
    assert len(set(captured)) == 1
    for y, x in zip(got, batches, strict=True):
        np.testing.assert_allclose(y, reference(nd.array(x)).asnumpy(), 1e-4, 1e-4)


def test_a_changed_parameter_is_used_at_once():
    net = network(GPU)
    x = nd.array(IMAGES[0], ctx=GPU)
    before = net(x).asnumpy()
    for _ in range(10):
        net(x)
    net.collect_params("net_dense1_bias")["net_dense1_bias"].data(GPU)[:] = 1
    np.testing.assert_allclose(net(x).asnumpy(), before + 1, 1e-5, 1e-5)


@two
def test_files_of_networks_on_a_device(tmp_path):
    net = network(GPU)
    x = nd.array(IMAGES[0], ctx=GPU)
    expected = net(x).asnumpy()
    net.export(str(tmp_path / "net"))
    net.save_parameters(str(tmp_path / "own.params"))
    loaded = network(OTHER)
    loaded.load_parameters(str(tmp_path / "own.params"), ctx=OTHER)
    np.testing.assert_allclose(loaded(x.as_in_context(OTHER)).asnumpy(), expected, 1e-5, 1e-6)
    files = str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    block = gluon.SymbolBlock.imports(*files, ctx=GPU)
    np.testing.assert_allclose(block(x).asnumpy(), expected, 1e-5, 1e-6)
    path = mx.onnx.export_model(net, onnx_file_path=str(tmp_path / "net.onnx"), in_shapes=[x.shape])
    again = gluon.SymbolBlock.imports(path, ["data"], ctx=GPU)
    np.testing.assert_allclose(again(x).asnumpy(), expected, 1e-5, 1e-6)
    assert mx.onnx.verify(net, path, inputs=[IMAGES[0]]).ok()


@two
def test_blocks_move_between_devices():
    net = network(mx.cpu())
    expected = net(nd.array(IMAGES[0])).asnumpy()
    for ctx in (GPU, OTHER, mx.cpu()):
        net.collect_params().reset_ctx(ctx)
        np.testing.assert_allclose(net(nd.array(IMAGES[0], ctx=ctx)).asnumpy(), expected, 1e-5, 1e-6)


@pytest.mark.parametrize("cell", [gluon.rnn.LSTM, gluon.rnn.GRU, gluon.rnn.RNN])
def test_recurrent_layers(cell):
    def after(ctx):
        mx.random.seed(4)
        net = cell(5, num_layers=2, bidirectional=True)
        net.initialize(mx.init.Uniform(0.5), ctx=ctx)
        net.hybridize()
        x = nd.array(IMAGES[0, 0, 0].reshape(5, 4, 5), ctx=ctx)
        x.attach_grad()
        with autograd.record():
            y, states = net(x, net.begin_state(4, ctx=ctx))
        y.backward()
        return [a.asnumpy() for a in (y, *states, x.grad)]

    for got, expected in zip(after(GPU), after(mx.cpu()), strict=True):
        np.testing.assert_allclose(got, expected, 1e-4, 1e-5)


# ---- symbols


def symbol():
    data = mx.sym.var("data")
    out = mx.sym.Convolution(data, kernel=(3, 3), num_filter=4, name="conv")
    out = mx.sym.Activation(mx.sym.BatchNorm(out, fix_gamma=False, name="bn"), act_type="relu")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(out, num_hidden=5, name="fc"), name="softmax")


def fitted(contexts, optimizer: str):
    mx.random.seed(5)
    batches = mx.io.NDArrayIter(IMAGES.reshape(32, 3, 10, 10), LABELS.reshape(32).astype("float32"), 8)
    module = mx.mod.Module(symbol(), context=contexts)
    module.fit(batches, num_epoch=2, optimizer=optimizer, initializer=mx.init.Uniform(0.1))
    first = contexts[0] if isinstance(contexts, list) else contexts
    assert module.get_outputs()[0].context == first
    assert all(isinstance(x._data, DeviceArray) == (first == GPU) for x in module._parameters.values.values())
    arguments, states = module.get_params()
    batches.reset()
    return [x.asnumpy() for x in (*arguments.values(), *states.values(), module.predict(batches))]


@two
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize(
    ("contexts", "alike"), [(GPU, mx.cpu()), ([GPU, OTHER], [mx.cpu(0), mx.cpu(1)])], ids=["one", "two"]
)
def test_modules(contexts, alike, optimizer):
    for got, expected in zip(fitted(contexts, optimizer), fitted(alike, optimizer), strict=True):
        np.testing.assert_allclose(got, expected, 1e-5, 1e-6)


def test_executors():
    def after(ctx):
        executor = symbol().simple_bind(ctx, data=(8, 3, 10, 10))
        rng = np.random.default_rng(3)
        for name, array in executor.arg_dict.items():
            array[:] = LABELS[0] if name == "softmax_label" else rng.standard_normal(array.shape) / 5
        executor.aux_dict["bn_moving_var"][:] = 1
        (y,) = executor.forward(is_train=True, data=nd.array(IMAGES[0]))
        executor.backward()
        assert y.context == executor.grad_dict["fc_weight"].context == ctx
        return [y.asnumpy(), *(g.asnumpy() for g in executor.grad_arrays)]

    for got, expected in zip(after(GPU), after(mx.cpu()), strict=True):
        np.testing.assert_allclose(got, expected, 1e-4, 1e-5)


def test_loaders_give_arrays_that_move():
    loader = gluon.data.DataLoader(
        gluon.data.ArrayDataset(IMAGES[0], LABELS[0]), batch_size=4, pin_memory=True, num_workers=1
    )
    net = network(GPU)
    for x, y in loader:
        assert LOSS(net(x.as_in_context(GPU)), y.as_in_context(GPU)).shape == (4,)
