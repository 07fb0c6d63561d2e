"""Arrays on a device, which the processor plays: views, copies, errors, gradients, what runs where."""

from __future__ import annotations

import copy
import gc
import logging
import pickle

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.converters.to_onnx import Local, lower_operator
from hybridonnx.dtypes import name_of
from hybridonnx.errors import MXNetError
from hybridonnx.ops import Spec, find
from hybridonnx.runtime import cuda, device, dlpack
from hybridonnx.runtime.device import Device, DeviceArray
from hybridonnx.runtime.device_session import elsewhere
from tests.devices import stand_in, two, use

GPU, OTHER = mx.gpu(0), mx.gpu(1)


@pytest.fixture(autouse=True)
def devices(monkeypatch):
    use(monkeypatch)


def is_on_device(x) -> bool:
    return isinstance(x._data, DeviceArray)


def ramp(*shape: int, ctx=GPU):
    return nd.array(np.arange(np.prod(shape)).reshape(shape), ctx=ctx)


# ---- contexts


@stand_in
def test_devices_are_counted(monkeypatch):
    assert mx.context.num_gpus() == 2
    free, total = mx.context.gpu_memory_info(1)
    assert 0 < free <= total
    with pytest.raises(MXNetError, match="gpu\\(2\\): a GPU is required, got number 2 of 2"):
        nd.ones((2,), ctx=mx.gpu(2))
    monkeypatch.setenv("HYBRIDONNX_FAKE_GPU", "0")
    with pytest.raises(MXNetError, match="a GPU is required, got number 0 of 0"):
        nd.ones((2,), ctx=GPU)
    with pytest.raises(MXNetError, match="a GPU is required, got number 0 of 0"):
        mx.context.gpu_memory_info(0)


@two
@stand_in
def test_no_cuda_is_told_of_what_the_processor_plays():
    with pytest.raises(MXNetError, match="a GPU that CUDA knows is required"):
        mx.util.get_cuda_compute_capability(GPU)
    assert mx.runtime.Features()["CUDA"].enabled == ("CUDA" in str(onnxruntime.get_available_providers()))


def test_a_scope_says_where_arrays_are_made():
    with OTHER:
        made = [nd.ones((2,)), nd.array([1]), nd.arange(3), nd.random.normal(shape=(2,)), nd.full((2,), 3)]
        assert [x.context for x in made] == [OTHER] * 5
        assert all(is_on_device(x) for x in made)
        assert mx.np.ones((2,)).ctx == OTHER
    assert nd.ones((2,)).context == mx.cpu()


def test_numpy_has_no_view():
    x = ramp(2, 3)
    with pytest.raises(MXNetError, match="Use asnumpy"):
        np.asarray(x._data)
    with pytest.raises(TypeError):
        np.exp(x._data)
    values = x.asnumpy()
    values[:] = 9
    assert x.asnumpy()[0, 0] == 0


def test_values_are_printed():
    assert repr(ramp(2)) == "\n[0. 1.]\n<NDArray 2 @gpu(0)>"
    assert repr(mx.np.array([1, 2], ctx=GPU)) == "array([1., 2.], ctx=gpu(0))"
    assert (float(ramp(1)), int(ramp(1)), bool(ramp(1)), ramp(1).asscalar()) == (0.0, 0, False, 0)
    assert mx.np.array([[1, 2]], ctx=GPU).tolist() == [[1, 2]]


# ---- parts


def test_contiguous_regions_share_memory():
    x = ramp(3, 4)
    for view in (x[1], x[1:2], x[1, 1:3], x.reshape((4, 3))[1], x[1:2].reshape((-1,)), x.detach()[1]):
        view[:] = -1
    assert (x.asnumpy()[1] == -1).all()
    assert x.asnumpy()[2, 3] == 11
    column = x[:, 0]
    column[:] = 50
    assert not (x.asnumpy() == 50).any()


parts = st.one_of(
    st.integers(-2, 1),
    st.builds(
        slice,
        *[st.none() | st.integers(-3, 3)] * 2,
        st.none() | st.sampled_from([-2, -1, 1, 2]),
    ),
    st.just(None),
    st.just(Ellipsis),
)
keys = st.lists(parts, max_size=4).map(tuple).filter(lambda key: sum(p is ... for p in key) < 2)


@settings(max_examples=150, deadline=None)
@given(keys)
def test_basic_indices_give_and_write_what_numpy_does(key):
    values = np.arange(24.0, dtype="float32").reshape(2, 3, 4)
    x = nd.array(values, ctx=GPU)
    try:
        expected = values[key]
    except IndexError:
        with pytest.raises(IndexError):
            x[key]
        return
    got = x[key]
    assert got.context == GPU
    np.testing.assert_array_equal(got.asnumpy().reshape(expected.shape), expected)
    if expected.size:
        x[key] = nd.array(-expected, ctx=GPU) if expected.shape else -5
        values[key] = -expected if expected.shape else -5
        x[key] += 1
        values[key] += 1
        np.testing.assert_array_equal(x.asnumpy(), values)


@pytest.mark.parametrize(
    "key",
    [[0, 2], [2, 0, 2], ([0, 1], [1, 1]), (slice(None), [1, -1]), np.array([[0, 1], [2, 0]]), (..., [0])],
)
def test_advanced_indices_give_and_write_what_numpy_does(key):
    values = np.arange(12.0, dtype="float32").reshape(3, 4)
    x = nd.array(values, ctx=GPU)
    np.testing.assert_array_equal(x[key].asnumpy(), values[key])
    new = np.arange(values[key].size, dtype="float32").reshape(values[key].shape) + 100
    for value in (nd.array(new, ctx=GPU), new, nd.array(new), 7):
        x[key] = value
        values[key] = 7 if value is not new and np.isscalar(value) else new
        np.testing.assert_array_equal(x.asnumpy(), values)


def test_indices_on_a_device():
    x, rows = ramp(3, 4), nd.array([2, 0], ctx=GPU)
    np.testing.assert_array_equal(x[rows].asnumpy(), x.asnumpy()[[2, 0]])
    assert x[nd.array([1], ctx=GPU).astype("int32")].shape == (1, 4)


def test_parts_are_recorded():
    x = ramp(3, 4)
    x.attach_grad()
    with autograd.record():
        y = (x[1] * 2).sum() + (x[:, 1] * 3).sum() + x[[0, 0], [3, 3]].sum()
    y.backward()
    expected = np.zeros((3, 4))
    expected[1] += 2
    expected[:, 1] += 3
    expected[0, 3] += 2
    assert x.grad.context == GPU
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)


# ---- copies


@two
@pytest.mark.parametrize("source", [mx.cpu(), GPU, OTHER])
@pytest.mark.parametrize("target", [mx.cpu(), GPU, OTHER])
def test_copies_between_devices(source, target):
    x = ramp(2, 3, ctx=source)
    moved = x.as_in_context(target)
    assert (moved is x) == (source == target)
    copied, into = x.copyto(target), nd.zeros((2, 3), ctx=target)
    assert x.copyto(into) is into
    into_part = nd.zeros((4, 3), ctx=target)
    into_part[1:3] = x
    for y in (moved, copied, into, nd.array(x, ctx=target), into_part[1:3]):
        assert y.context == target
        np.testing.assert_array_equal(y.asnumpy(), x.asnumpy())
    copied[:] = 5
    assert x.asnumpy()[0, 1] == 1


@two
def test_gradients_come_back_over_devices():
    x, w = ramp(2, 3, ctx=mx.cpu()), ramp(2, 3, ctx=OTHER)
    for variable in (x, w):
        variable.attach_grad()
    with autograd.record():
        y = (x * 2).as_in_context(GPU) * w.as_in_context(GPU)
    y.backward()
    assert (y.context, x.grad.context, w.grad.context) == (GPU, mx.cpu(), OTHER)
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * w.asnumpy())
    np.testing.assert_array_equal(w.grad.asnumpy(), 2 * x.asnumpy())


@pytest.mark.parametrize("request_", ["write", "add"])
def test_gradients_add_up(request_):
    x = ramp(3)
    x.attach_grad(request_)
    for _ in range(2):
        with autograd.record():
            y = x * x
        y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.arange(3) * (4 if request_ == "add" else 2))


@two
def test_arrays_of_several_devices_are_refused():
    for a, b in ((GPU, mx.cpu()), (mx.cpu(), GPU), (GPU, OTHER)):
        with pytest.raises(
            MXNetError, match="broadcast_add: inputs on one context are required, got the first"
        ):
            ramp(2, ctx=a) + ramp(2, ctx=b)
        with pytest.raises(MXNetError, match=r"exp: out on (g|c)pu\(\d\) is required, got"):
            nd.exp(ramp(2, ctx=a), out=nd.zeros((2,), ctx=b))


@pytest.mark.parametrize(
    "dtype", ["float16", "float64", "int8", "uint8", "int32", "int64", "bool", "bfloat16"]
)
def test_all_dtypes(dtype):
    x = nd.array([[0, 1, 2]], ctx=GPU).astype(dtype)
    assert name_of(x._data.dtype) == dtype
    expected = nd.array([[0, 1, 2]]).astype(dtype).astype("float32").asnumpy()
    np.testing.assert_array_equal(x.astype("float32").asnumpy(), expected)
    np.testing.assert_array_equal(x.copyto(mx.cpu()).astype("float32").asnumpy(), expected)
    np.testing.assert_array_equal(x[:, 1:].astype("float32").asnumpy(), expected[:, 1:])


def test_strings_stay_on_the_processor():
    with pytest.raises(MXNetError, match=r"gpu\(0\): one of MXNet's types is required, got"):
        nd.array(["a"], ctx=GPU, dtype="object")


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0, 3)])
def test_shapes_without_axes_or_elements(shape):
    with mx.util.np_shape(True):
        x = nd.zeros(shape, ctx=GPU)
        assert (x + 1).shape == x.copy().shape == x.copyto(mx.cpu()).shape == shape
        assert x.asnumpy().shape == shape
        assert x.sum().asnumpy() == 0


def test_copies_and_files(tmp_path):
    x = ramp(2, 3)
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):  # noqa: S301  (its own)
        assert y.context == GPU
        np.testing.assert_array_equal(y.asnumpy(), x.asnumpy())
    nd.save(tmp_path / "x.params", {"x": x, "part": x[1]})
    loaded = nd.load(tmp_path / "x.params")
    assert loaded["x"].context == mx.cpu()
    np.testing.assert_array_equal(loaded["part"].asnumpy(), x.asnumpy()[1])


@two
def test_dlpack_shares_memory():
    x = ramp(3, 4, ctx=OTHER)
    y = nd.from_dlpack(x[1].to_dlpack_for_write())
    assert y.context == OTHER
    y[:] = -1
    assert (x.asnumpy()[1] == -1).all()
    z = nd.from_dlpack(x)
    z += 1
    assert x.asnumpy()[0, 0] == 1
    del y, z
    gc.collect()
    assert not dlpack._lent
    capsule = x.to_dlpack_for_read()
    nd.from_dlpack(capsule)
    with pytest.raises(MXNetError, match="that nobody has used"):
        nd.from_dlpack(capsule)
    del capsule
    x.to_dlpack_for_read()  # which nobody uses
    x.to_dlpack_for_read()
    assert len(dlpack._lent) <= 1
    with pytest.raises(Exception, match="device"):
        np.from_dlpack(x)


# ---- what runs where


def test_draws_are_those_of_the_processor():
    def drawn(ctx):
        mx.random.seed(3)
        x = nd.ones((50,), ctx=ctx)
        with autograd.record():
            return [
                nd.random.uniform(shape=(5,), ctx=ctx),
                nd.Dropout(x),
                nd.random.shuffle(ramp(9, ctx=ctx)),
            ]

    for a, b in zip(drawn(GPU), drawn(mx.cpu()), strict=True):
        assert a.context == GPU
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@two
def test_operators_that_a_device_lacks_are_told_once(caplog, monkeypatch):
    x = nd.array(np.eye(3) * 2, ctx=OTHER)
    with caplog.at_level(logging.WARNING, "hybridonnx"):
        for _ in range(3):
            y = nd.linalg.inverse(x)
        assert y.context == OTHER
        np.testing.assert_allclose(y.asnumpy(), np.eye(3) / 2)
    told = [r.message for r in caplog.records if "inverse" in r.message]
    assert len(told) <= 1  # another test may have been told before
    monkeypatch.setenv("HYBRIDONNX_HOST_OPERATORS", "0")
    with pytest.raises(MXNetError, match="_linalg_inverse: an operator that runs on gpu\\(1\\) is required"):
        nd.linalg.inverse(x)


def test_nodes_that_another_provider_runs():
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    lowered = lower_operator(find("softmax").make({}), [Spec((2, 3), np.dtype("float32"))], local=Local())
    session = onnxruntime.InferenceSession(lowered.model.SerializeToString(), options)
    if hasattr(session, "get_provider_graph_assignment_info"):
        assert elsewhere(session, Device(0, is_fake=True)) == []
        assert elsewhere(session, Device(0, is_fake=False)) == [("Softmax", "CPUExecutionProvider")]


def test_values_that_are_refused_raise_what_the_kernel_says():
    with pytest.raises(MXNetError):
        nd.linalg.potrf(nd.array([[-1.0]], ctx=GPU))


def test_custom_operators_get_arrays_of_the_device():
    seen = []

    class Doubling(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            seen.extend([in_data[0].context, out_data[0].context])
            self.assign(out_data[0], req[0], nd.array(in_data[0].asnumpy() * 2))  # made on the processor

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] * 2)

    @mx.operator.register("device_doubling")
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            seen.append(mx.Context(ctx))
            return Doubling()

    x = ramp(2, 3)
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="device_doubling")
    y.backward()
    assert set(seen) == {GPU}
    np.testing.assert_array_equal(y.asnumpy(), 2 * x.asnumpy())
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full((2, 3), 2))


def test_sparse_arrays_are_kept_by_the_processor():
    dense = np.array([[0, 1], [0, 0], [2, 0]], "float32")
    for stype in ("csr", "row_sparse"):
        x = nd.array(dense, ctx=GPU).tostype(stype)
        assert (x.stype, x.context) == (stype, GPU)
        np.testing.assert_array_equal((x + 1).asnumpy(), dense + 1)
        assert (x + 1).context == GPU
        y = x.tostype("default")
        assert is_on_device(y)
        np.testing.assert_array_equal(nd.dot(x, nd.array(dense.T, ctx=GPU)).asnumpy(), dense @ dense.T)


def test_changing_batches_use_few_sessions():
    from hybridonnx.runtime.device import device
    from hybridonnx.runtime.eager import engine_of

    sessions = engine_of(device(0))._alone
    w = ramp(4, 8)
    before = len(sessions)
    for n in range(2, 42):
        y = nd.FullyConnected(ramp(n, 8), w, num_hidden=4, no_bias=True)
        assert y.shape == (n, 4)
    assert len(sessions) - before <= 4


# ---- work that goes on after a call


def test_who_needs_values_waits(monkeypatch):
    waits = []
    monkeypatch.setattr(Device, "wait", lambda self: waits.append(self.ctx))
    x = nd.ones((2,), ctx=GPU)
    for number, wait in enumerate((x.wait_to_read, x.wait_to_write, x.__dlpack__, nd.waitall), 1):
        wait()
        assert waits.count(GPU) == number
    nd.ones((2,)).wait_to_read()
    assert waits.count(GPU) == 4


@stand_in
def test_a_gpu_returns_early(monkeypatch):
    """What ONNX Runtime is asked for, by a session that notes it."""

    asked: list[dict[str, str]] = []

    class Options:
        def __init__(self):
            asked.append({})

        def add_run_config_entry(self, name, value):
            asked[-1][name] = value

    class Session:
        def run_with_iobinding(self, binding, options):
            assert isinstance(options, Options)

    monkeypatch.setattr(cuda, "stream", lambda number: 4711 + number)
    monkeypatch.setattr(onnxruntime, "RunOptions", Options)
    monkeypatch.setattr(device, "_run_options", device._run_options.__wrapped__)
    real = Device(1, False)
    for way in ({}, {"waits": True}, {"captures": False}):
        real.run(Session(), None, **way)
    monkeypatch.setenv("MXNET_ENGINE_TYPE", "NaiveEngine")
    real.run(Session(), None)
    early = {"disable_synchronize_execution_providers": "1"}
    assert asked == [early, {}, {**early, "gpu_graph_id": "-1"}, {}]
    ((name, chosen), other) = real.providers(captures=True)
    assert (name, other) == ("CUDAExecutionProvider", "CPUExecutionProvider")
    assert chosen["user_compute_stream"] == "4712"
    assert chosen["enable_cuda_graph"] == "1"
    assert chosen["use_tf32"] == "0", (
        "products have fewer digits than the processor's unless they are allowed to"
    )
    assert chosen["arena_extend_strategy"] == "kSameAsRequested", "memory doubles as batches change"
    monkeypatch.setenv("HYBRIDONNX_TF32", "1")
    ((_, chosen), _) = real.providers()
    assert (chosen["enable_cuda_graph"], chosen["use_tf32"]) == ("0", "1")
