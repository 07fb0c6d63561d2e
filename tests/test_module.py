"""Modules: published checkpoints, and what is refused."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError, MXNetError, ShapeError
from hybridonnx.ndarray.invoke import ReferenceKernels
from hybridonnx.runtime import plan
from hybridonnx.runtime.session import StepSession
from hybridonnx.symbol import executor
from tests import checkpoints
from tests.oracle.native_scenarios import _training


@pytest.fixture(
    params=[c for c in checkpoints.every() if (c.folder / "model-0000.params").exists()],
    ids=lambda c: c.folder.name,
)
def checkpoint(request):
    return request.param


def test_checkpoints_predict(checkpoint):
    prefix, inputs = str(checkpoint.folder / "model"), checkpoint.inputs
    loaded = mx.nd.load(f"{prefix}-0000.params")
    if not any(name.startswith("arg:") for name in loaded):
        pytest.skip("parameters of Gluon")
    module = mx.mod.Module.load(prefix, 0, data_names=list(inputs), label_names=None)
    shapes = [(name, a.shape) for name, a in inputs.items()]
    module.bind(shapes, for_training=False)
    batch = mx.io.DataBatch([mx.nd.array(a) for a in inputs.values()])
    for _ in range(2):
        module.forward(batch)
        for a, b in zip(module.get_outputs(), checkpoint.outputs, strict=True):
            assert np.abs(a.asnumpy() - b).max() <= 1e-5 * np.abs(b).max()
    assert not module._compiled._planned


def net():
    return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")


def values():
    return {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros((2,))}


@pytest.fixture
def bound():
    module = mx.mod.Module(net(), label_names=None)
    module.bind([("data", (4, 3))], for_training=False)
    module.set_params(values(), {})
    return module


def test_any_batch_size(bound):
    for rows in (4, 1, 9, 4):
        bound.forward(mx.io.DataBatch([mx.nd.ones((rows, 3))]))
        assert bound.get_outputs()[0].asnumpy().tolist() == [[3, 3]] * rows
    assert len(bound._compiled._programs) == 1


def test_parameters_are_copies(bound):
    arrays = values()
    bound.set_params(arrays, {})
    arrays["fc_weight"][:] = 7
    assert bound.predict(mx.nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    bound.set_params(arrays, {})
    assert bound.predict(mx.nd.ones((1, 3))).asnumpy().tolist() == [[21, 21]]


def test_dropout_in_training_alone():
    module = mx.mod.Module(mx.sym.Dropout(mx.sym.var("data"), p=0.5), label_names=None)
    module.bind([("data", (1, 1000))])
    module.set_params({}, {})
    batch = mx.io.DataBatch([mx.nd.ones((1, 1000))])
    module.forward(batch)
    assert 300 < (module.get_outputs()[0].asnumpy() == 0).sum() < 700
    module.forward(batch, is_train=False)
    assert module.get_outputs()[0].asnumpy().min() == 1


def test_what_is_missing_is_told():
    module = mx.mod.Module(net(), label_names=None)
    for use in (
        module.get_params,
        module.get_outputs,
        lambda: module.forward(None),
        lambda: module.data_shapes,
    ):
        with pytest.raises(MXNetError, match="Call bind first"):
            use()
    module.bind([("data", (4, 3))], for_training=False)
    with pytest.raises(MXNetError, match="Call set_params or init_params first"):
        module.forward(mx.io.DataBatch([mx.nd.ones((4, 3))]))
    with pytest.raises(RuntimeError, match="fc_bias is required"):
        module.set_params({"fc_weight": mx.nd.ones((2, 3))}, {})
    with pytest.raises(ShapeError, match=r"\(2, 3\) is required for fc_weight, got \(3, 2\)"):
        module.set_params({**values(), "fc_weight": mx.nd.ones((3, 2))}, {})


def test_batches_must_fit(bound):
    with pytest.raises(ShapeError, match=r"weight of shape \(2, 5\)"):
        bound.forward(mx.io.DataBatch([mx.nd.ones((4, 5))]))
    with pytest.raises(ValueError, match="arrays for data are required, got 2"):
        bound.forward(mx.io.DataBatch([mx.nd.ones((4, 3))] * 2))
    with pytest.raises(TypeError, match="a DataBatch is required, got NDArray"):
        bound.forward(mx.nd.ones((4, 3)))
    bound.forward(mx.io.DataBatch([mx.nd.ones((4, 3))]))


def test_files_of_parameters(bound, tmp_path):
    path = str(tmp_path / "p.params")
    mx.nd.save(path, values())
    with pytest.raises(FormatError, match="start with arg: or aux:"):
        bound.load_params(path)


def test_models_that_onnx_lacks(bound):
    """Graphs that ONNX cannot express run on the kernels."""

    @mx.operator.register("module_case")
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            class Op(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    self.assign(out_data[0], req[0], in_data[0] + 1)

            return Op()

    module = mx.mod.Module(mx.sym.Custom(net(), op_type="module_case"), label_names=None)
    module.bind([("data", (4, 3))], for_training=False)
    module.set_params(values(), {})
    assert module.predict(mx.nd.ones((1, 3))).asnumpy().tolist() == [[4, 4]]


# ---- training


def trained(**kwargs):
    """A classifier of four rows of five numbers, bound and initialized, with an optimizer."""
    module = _training.bound(mx, **kwargs)
    assert isinstance(module, mx.mod.Module)
    return module


def test_batches_may_have_data_alone():
    mod = mx.mod.Module(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="f"), label_names=None)
    mod.bind([("data", (4, 3))], for_training=False)
    mod.init_params(mx.init.One())
    Batch = collections.namedtuple("Batch", ["data"])
    for rows in (4, 2):
        mod.forward(Batch([mx.nd.ones((rows, 3))]))
        assert np.array_equal(mod.get_outputs()[0].asnumpy(), np.full((rows, 2), 3.0))


def test_wrong_labels_are_refused():
    x, y = _training.blobs(4)
    data = [mx.nd.array(x)]
    for label in (np.zeros(5), np.zeros(3), np.zeros((2, 2))):
        with pytest.raises(AssertionError, match="all data must have the same batch size: 4 of data"):
            trained().forward_backward(mx.io.DataBatch(data, label=[mx.nd.array(label)]))
    with pytest.raises(MXNetError, match="label of shape"):
        trained().forward_backward(mx.io.DataBatch(data, label=[mx.nd.array(np.zeros((4, 7)))]))
    module = trained()
    module.forward_backward(mx.io.DataBatch(data, label=[mx.nd.array(y)]))
    module.forward(mx.io.DataBatch(data), is_train=True)
    with pytest.raises(AssertionError, match="label softmax_label is required, which the last batch"):
        module.backward()


def test_order_of_calls():
    module = trained(optimizer=False)
    with pytest.raises(AssertionError, match=r"backward: outputs are required. Call forward first"):
        module.backward()
    with pytest.raises(AssertionError, match=r"update: an optimizer is required. Call init_optimizer"):
        module.update()
    with pytest.raises(AssertionError, match="number of epochs, is required"):
        module.fit(_training.train_iter(mx))
    with pytest.raises(MXNetError, match=r"gradients of inputs are required.*inputs_need_grad=True"):
        module.get_input_grads()
    with pytest.raises(MXNetError, match="need servers"):
        module.init_optimizer(kvstore="dist_async")


def test_requests_of_gradients():
    """As real MXNet: words by name are for fixed parameters too, and names of others do not matter."""
    names = ["data", "fc_weight", "fc_bias"]

    def requested(grad_req, **kwargs):
        module = mx.mod.Module(net(), label_names=None, fixed_param_names=["fc_bias"])
        module.bind([("data", (4, 3))], grad_req=grad_req, **kwargs)
        return module._requests

    assert requested("add") == {"fc_weight": "add"}
    assert requested("write", inputs_need_grad=True) == {"data": "write", "fc_weight": "write"}
    assert requested({"fc_bias": "add", "x": "add"}) == {"fc_weight": "write", "fc_bias": "add"}
    assert requested(["null", "null", "write"]) == {"fc_bias": "write"}
    assert requested(dict.fromkeys(names, "null")) == {}
    with pytest.raises(AssertionError, match="a word for each of data, fc_weight, fc_bias is required"):
        requested(["write"])
    with pytest.raises(ValueError, match="a word, a list of words or a dict of them by name"):
        requested(None)
    with pytest.raises(MXNetError, match="write, add or null is required as grad_req, got 'no'"):
        requested("no")


def test_predictions_see_what_training_changed():
    """Predictions run on sessions of their own, which freeze parameters that keep still."""
    module, batch = trained(), _training.one_batch(mx)
    outputs = []
    for _ in range(3):
        for _ in range(8):
            module.forward(batch, is_train=False)
        outputs.append(module.get_outputs()[0].asnumpy())
        module.forward(batch, is_train=True)
        np.testing.assert_allclose(module.get_outputs()[0].asnumpy(), outputs[-1], rtol=1e-5)
        module.backward()
        module.update()
    assert np.abs(outputs[0] - outputs[1]).max() > 1e-3 < np.abs(outputs[1] - outputs[2]).max()


def test_backward_after_a_prediction():
    gradients = []
    for is_train in (True, False):
        module, batch = trained(), _training.one_batch(mx)
        module.forward(batch, is_train=is_train)
        module.backward()
        module.update()
        gradients.append(module.get_params()[0]["fc1_weight"].asnumpy())
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-6)


def test_outputs_and_params_are_the_callers():
    module, batch = trained(), _training.one_batch(mx)
    module.forward_backward(batch)
    outputs, (params, _) = module.get_outputs()[0], module.get_params()
    before = outputs.asnumpy().copy(), params["fc1_bias"].asnumpy().copy()
    params["fc2_bias"][:] = 100
    module.update()
    module.forward_backward(batch)
    np.testing.assert_array_equal(outputs.asnumpy(), before[0])
    np.testing.assert_array_equal(params["fc1_bias"].asnumpy(), before[1])
    assert np.abs(module.get_params()[0]["fc2_bias"].asnumpy()).max() < 1


def test_params_that_were_missing_are_trained():
    net = _training.mlp(mx)
    arg_params, _ = _training.params(mx, net, data=(4, 5))
    del arg_params["fc2_bias"]
    module = mx.mod.Module(net)
    module.bind([("data", (4, 5))], [("softmax_label", (4,))])
    module.set_params(arg_params, {}, allow_missing=True)
    module.init_optimizer()
    module.forward_backward(_training.one_batch(mx))
    module.update()
    assert module.get_params()[0]["fc2_bias"].asnumpy().any()


def test_states_of_another_optimizer(tmp_path):
    path = str(tmp_path / "states")
    module = trained()
    with open(path, "wb") as file:
        file.write(b"\x80\x03]q\x00.")
    with pytest.raises(FormatError, match="states by index are required"):
        module.load_optimizer_states(path)


def test_borrowed_optimizers_go_by_name():
    """Buckets may list their parameters in another order."""

    def generate(key):
        data = mx.sym.var("data")
        a, b = (mx.sym.FullyConnected(data, num_hidden=1, name=n) for n in "ab")
        net = a + 0 * b if key == 1 else b * 0 + a
        return mx.sym.LinearRegressionOutput(net, name="out"), ["data"], ["out_label"]

    module = mx.mod.BucketingModule(generate, 1)
    module.bind([("data", (2, 3))], [("out_label", (2, 1))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"momentum": 0.9, "learning_rate": 0.1})
    biases = []
    for key in (1, 2, 1):
        batch = mx.io.DataBatch(
            [mx.nd.ones((2, 3))],
            label=[mx.nd.zeros((2, 1))],
            bucket_key=key,
            provide_data=[("data", (2, 3))],
            provide_label=[("out_label", (2, 1))],
        )
        module.forward_backward(batch)
        module.update()
        biases.append(module.get_params()[0]["a_bias"].asnumpy().item())
        assert module.get_params()[0]["b_bias"].asnumpy().item() == 0
    w, b, dw, db, expected = 1.0, 0.0, 0.0, 0.0, []
    for _ in range(3):  # the mean gradient of two equal rows is the output itself
        y = 3 * w + b
        dw, db = 0.9 * dw - 0.1 * y, 0.9 * db - 0.1 * y
        w, b = w + dw, b + db
        expected.append(b)
    np.testing.assert_allclose(biases, expected, rtol=1e-5)


def test_buckets_have_the_default_buckets_params():
    def generate(key):
        net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name=f"fc{key}")
        return net, ["data"], []

    module = mx.mod.BucketingModule(generate, 1)
    module.bind([("data", (2, 3))])
    module.init_params()
    with pytest.raises(AssertionError, match="shared_module has no parameter fc2_weight"):
        module.switch_bucket(2, [("data", (2, 3))])


def test_fit_tells_monitors():
    monitor = mx.mon.Monitor(1, pattern="softmax_output")
    with _training.RootLines() as log:
        mx.mod.Module(_training.mlp(mx)).fit(_training.train_iter(mx, 8), num_epoch=1, monitor=monitor)
    lines = [text for _, text, *_ in log.lines if text.startswith("Batch:")]
    assert [line.split()[:3] for line in lines] == [["Batch:", str(n), "softmax_output"] for n in (1, 2)]


def test_the_context_is_the_processor_unless_it_is_given():
    network = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2)
    with mx.cpu(3):
        assert mx.mod.Module(network, label_names=None)._contexts == [mx.cpu(0)]


def test_several_contexts_share_batches():
    module = _training.bound(mx, kwargs={"context": [mx.cpu(0), mx.cpu(1)]})
    module.forward_backward(_training.one_batch(mx))
    module.update()
    alone = trained()
    alone.forward_backward(_training.one_batch(mx))
    alone.update()
    for name, value in alone.get_params()[0].items():
        np.testing.assert_allclose(module.get_params()[0][name].asnumpy(), value.asnumpy(), rtol=1e-5)


# ---- training in ONNX Runtime


@pytest.fixture
def runs(monkeypatch):
    """The sessions of training steps that have run, each time, and the operators that ran on kernels."""
    sessions, kernels = [], []
    run_session, run_kernel = StepSession.__call__, plan._Kernel.__call__

    def counted(self, feeds, *more):
        sessions.append(self)
        return run_session(self, feeds, *more)

    def logged(self, args, noise):
        kernels.append(self._node.op_name)
        return run_kernel(self, args, noise)

    monkeypatch.setattr(StepSession, "__call__", counted)
    monkeypatch.setattr(plan._Kernel, "__call__", logged)
    return sessions, kernels


def convolutional():
    x = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    x = mx.sym.Activation(mx.sym.BatchNorm(x, fix_gamma=False, name="norm"), act_type="relu")
    x = mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max")
    x = mx.sym.Dropout(mx.sym.flatten(x), p=0.3)
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=3, name="fc"), name="softmax")


def images(rows=20):
    rng = np.random.default_rng(3)
    return mx.io.NDArrayIter(
        rng.standard_normal((rows, 2, 8, 8), np.float32), rng.integers(0, 3, rows).astype(np.float32), 5
    )


def fitted(**kwargs):
    mx.random.seed(11)
    module = mx.mod.Module(convolutional())
    module.fit(images(), num_epoch=3, initializer=mx.init.Xavier(), **kwargs)
    arguments, states = module.get_params()
    return {name: x.asnumpy() for name, x in (*arguments.items(), *states.items())}


def test_fit_runs_in_onnx_runtime_to_the_numbers_of_the_kernels(runs, monkeypatch):
    sessions, kernels = runs
    params = fitted()
    assert not kernels
    assert len(sessions) == 3 * 4 * 2  # of each step forward and backward
    assert len(set(sessions)) == 2
    monkeypatch.setattr(mx.mod.Module, "_runner", lambda *_: None)  # as executors without a module
    monkeypatch.setattr(executor, "_compiled", lambda *_: None)
    with ReferenceKernels():
        expected = fitted()
    assert len(sessions) == 3 * 4 * 2
    for name, value in expected.items():
        np.testing.assert_allclose(params[name], value, atol=1e-5, err_msg=name)


def test_monitored_steps_run_operator_by_operator(runs):
    expected = fitted()
    del runs[0][:]
    params = fitted(monitor=mx.mon.Monitor(100))
    assert not runs[0]
    for name, value in expected.items():
        np.testing.assert_allclose(params[name], value, atol=1e-5, err_msg=name)


def test_each_batch_size_is_compiled_once(runs):
    module = mx.mod.Module(convolutional())
    module.bind([("data", (5, 2, 8, 8))], [("softmax_label", (5,))], inputs_need_grad=True, grad_req="add")
    module.init_params(mx.init.Xavier())
    for rows in (5, 2, 5, 2):
        (batch,) = list(images(5))
        data, label = batch.data[0][:rows], batch.label[0][:rows]
        module.forward(mx.io.DataBatch([data], label=[label]))
        module.backward()
        assert module.get_outputs()[0].shape == (rows, 3)
        assert module.get_input_grads()[0].shape == (rows, 2, 8, 8)
    assert len(set(runs[0])) == 4


def test_custom_operators_run_between_the_sessions_of_a_step(runs):
    @mx.operator.register("module_between")
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            class Op(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    self.assign(out_data[0], req[0], in_data[0] * 3)

                def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
                    self.assign(in_grad[0], req[0], out_grad[0] * 3)

            return Op()

    x = mx.sym.FullyConnected(mx.sym.Custom(net(), op_type="module_between"), num_hidden=1, name="last")
    module = mx.mod.Module(x, label_names=None)
    module.bind([("data", (4, 3))])
    ones = {"last_weight": mx.nd.ones((1, 2)), "last_bias": mx.nd.zeros((1,))}
    module.set_params({**values(), **ones}, {})
    module.init_optimizer(optimizer_params={"learning_rate": 1, "rescale_grad": 1})
    module.forward_backward(mx.io.DataBatch([mx.nd.ones((4, 3))]))
    assert module.get_outputs()[0].asnumpy().tolist() == [[18]] * 4
    module.update()
    assert module.get_params()[0]["fc_weight"].asnumpy().tolist() == [[1 - 12] * 3] * 2
    assert runs[1] == ["Custom"]
    assert len(runs[0]) == 4
