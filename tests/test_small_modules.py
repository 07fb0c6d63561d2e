"""Modules of MXNet's that serve others, or tell what is there, and MXNet 1.9.1's answers to the same."""

from __future__ import annotations

import logging
import os
import re
from importlib.util import find_spec

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import registry


class Thing:
    """What is registered below."""

    def __init__(self, *args, **kwargs):
        self.given = (args, kwargs)


register = registry.get_register_func(Thing, "thing")
alias = registry.get_alias_func(Thing, "thing")
create = registry.get_create_func(Thing, "thing")


@register
class Foo(Thing):
    """A thing."""


@alias("x", "Y")
class Bar(Thing):
    """A thing with other names."""


def test_registry():
    assert registry.get_registry(Thing) == {"foo": Foo, "x": Bar, "y": Bar}
    assert registry.get_registry(dict) == {}
    assert create("FOO", 1, q=2).given == ((1,), {"q": 2})
    assert type(create(thing="foo")) is Foo
    assert create('["foo", {"a": 1}]').given == ((), {"a": 1})
    assert create('{"thing": "x", "b": 2}').given == ((), {"b": 2})
    assert type(create({"thing": "y"})) is Bar
    thing = Foo()
    assert create(thing) is thing
    with pytest.warns(UserWarning, match=r"New thing .*Foo registered with name y is overriding .*Bar"):
        register(Foo, "Y")
    assert type(create("y")) is Foo
    with pytest.warns(UserWarning, match="overriding"):
        register(Bar, "y")


@pytest.mark.parametrize("args", [("none",), (3,), (Foo(), 1), ('["foo", {}]', 3)])
def test_registry_refuses(args):
    with pytest.raises(AssertionError):
        create(*args)
    with pytest.raises(AssertionError, match="a subclass of Thing is required"):
        register(dict)


def test_registries_of_modules():
    assert registry.get_registry(mx.init.Initializer)["xavier"] is mx.init.Xavier
    assert registry.get_registry(mx.metric.EvalMetric)["acc"] is mx.metric.Accuracy


def test_log(capsys, tmp_path):
    logger = mx.log.get_logger("hybridonnx-test", level=mx.log.DEBUG)
    logger.info("hello")
    logger.debug("there")
    logger.warning("you")
    lines = capsys.readouterr().err.splitlines()
    place = rf"\d{{4}} \d\d:\d\d:\d\d {os.getpid()} {re.escape(__file__)}:test_log:\d+"
    expected = [("32mI", "hello"), ("34mD", "there"), ("31mW", "you")]
    for line, (start, text) in zip(lines, expected, strict=True):
        assert re.fullmatch(rf"\x1b\[{start}{place}\]\x1b\[0m {text}", line)
    assert mx.log.get_logger("hybridonnx-test", level=mx.log.ERROR) is logger
    assert (logger.level, len(logger.handlers)) == (mx.log.DEBUG, 1)
    path = tmp_path / "a.log"
    other = mx.log.get_logger("hybridonnx-file", str(path), "w", mx.log.INFO)
    other.info("x")
    other.debug("y")
    assert path.read_text() == "x\n"
    assert mx.log.get_logger() is logging.getLogger()
    with pytest.warns(DeprecationWarning, match="getLogger is deprecated"):
        assert mx.log.getLogger("hybridonnx-test") is logger
    for each in (logger, other):
        for handler in [*each.handlers]:
            handler.close()
            each.removeHandler(handler)


def test_engine():
    assert [mx.engine.set_bulk_size(5), mx.engine.set_bulk_size(0)] == [0, 5]
    with mx.engine.bulk(7):
        assert mx.engine.set_bulk_size(7) == 7
    assert mx.engine.set_bulk_size(0) == 0


def test_features():
    features = mx.runtime.Features()
    assert mx.runtime.Features() is features
    assert len(features) == 32
    assert [*features][:3] == ["CUDA", "CUDNN", "NCCL"]
    assert (features["CUDA"].name, features["CUDA"].enabled, repr(features["CUDA"])) == (
        "CUDA",
        False,
        "✖ CUDA",
    )
    assert str(features).startswith("[✖ CUDA, ✖ CUDNN, ")
    assert features.is_enabled("opencv") == features.is_enabled("OPENCV") == (find_spec("cv2") is not None)
    assert [f.name for f in mx.runtime.feature_list()] == [*features]
    assert features.is_enabled("INT64_TENSOR_SIZE")
    assert sum(features.is_enabled(name) for name in features if name.startswith("BLAS_")) <= 1
    with pytest.raises(RuntimeError, match=r"Feature 'NOPE' is unknown, known features are: \['CUDA', "):
        features.is_enabled("nope")


def test_versions_and_libraries():
    assert mx.libinfo.__version__ == "1.9.1"
    for find in (mx.libinfo.find_lib_path, mx.libinfo.find_include_path, mx.libinfo.find_conf_path):
        with pytest.raises(RuntimeError, match=f"{find.__name__}: .*"):
            find()
    with pytest.raises(mx.MXNetError, match="which does not exist"):
        mx.library.load("nothing.so")
    with pytest.raises(mx.MXNetError, match="Write the operator in Python"):
        mx.library.load(__file__)


def test_environment():
    assert mx.util.getenv("HYBRIDONNX_NOTHING") is None
    mx.util.setenv("HYBRIDONNX_NOTHING", "5")
    assert os.environ["HYBRIDONNX_NOTHING"] == mx.util.getenv("HYBRIDONNX_NOTHING") == "5"
    mx.util.setenv("HYBRIDONNX_NOTHING", None)
    assert mx.util.getenv("HYBRIDONNX_NOTHING") is None
    mx.util.setenv("HYBRIDONNX_NOTHING", None)


def test_gpus():
    assert mx.util.get_gpu_count() == mx.num_gpus()
    with pytest.raises(ValueError, match=r"a gpu context is required, got cpu\(0\)"):
        mx.util.get_cuda_compute_capability(mx.cpu())
    for ask in (
        lambda: mx.util.get_gpu_memory(0),
        lambda: mx.context.gpu_memory_info(0),
        lambda: mx.util.get_cuda_compute_capability(mx.gpu(0)),
    ):
        with pytest.raises(mx.MXNetError, match="a GPU is required"):
            ask()


def test_base(monkeypatch):
    base = mx.base
    assert base.integer_types == (int, np.int32, np.int64)
    assert base.numeric_types == (float, int, np.generic)
    assert (base.string_types, base.mx_real_t) == ((str,), np.float32)
    assert base.py_str(b"abc") == "abc"
    assert [base._as_list(x) for x in (3, (1, 2), None)] == [[3], (1, 2), [None]]
    assert repr(base._Null) == "_Null"
    monkeypatch.delenv("MXNET_HOME", raising=False)
    assert base.data_dir() == base.data_dir_default() == os.path.expanduser("~/.mxnet")
    monkeypatch.setenv("MXNET_HOME", "/data")
    assert base.data_dir() == "/data"
    assert issubclass(base.with_metaclass(type, dict), dict)

    class Own:
        name = base.classproperty(lambda cls: cls.__name__)

    assert (Own.name, Own().name) == ("Own", "Own")


def test_errors():
    @mx.error.register
    class OwnError(mx.MXNetError):
        pass

    mx.base.register_error("Another", KeyError)
    assert (mx.base.error_types.pop("OwnError"), mx.base.error_types.pop("Another")) == (OwnError, KeyError)
    assert mx.base.error_types["InternalError"] is mx.error.InternalError
    assert issubclass(mx.base.NotSupportedForSparseNDArray, mx.MXNetError)


def test_old_schedules(caplog):
    schedule = mx.misc.FactorScheduler(2, 0.5)
    with caplog.at_level(logging.INFO):
        assert [schedule(i) for i in range(6)] == [0.01, 0.01, 0.005, 0.005, 0.0025, 0.0025]
    assert caplog.messages[0] == "At Iteration [2]: Switch to new learning rate 0.00500"
    for args in ((0,), (1, 1.0)):
        with pytest.raises(ValueError, match="is required"):
            mx.misc.FactorScheduler(*args)


def test_executors_class():
    y = mx.sym.var("x") * 2
    assert isinstance(y.bind(mx.cpu(), {"x": mx.nd.ones((2,))}), mx.executor.Executor)


def test_shape_semantics_of_the_root():
    with mx.np_shape(True):
        assert mx.is_np_shape()
    assert not mx.is_np_shape()
    assert mx.use_np_shape(mx.is_np_shape)()
    assert mx.set_np_shape(False) is False
