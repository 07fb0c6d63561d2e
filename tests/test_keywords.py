"""Arguments and attributes that MXNet's functions and classes have beside the usual ones."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import ConversionError, MXNetError

X = mx.sym.var("x")


def value(symbol):
    (result,) = symbol.eval(x=mx.nd.array([[1.0, 2.0], [3.0, 4.0]]))
    return result.asnumpy().tolist()


def test_names_of_arguments_are_mxnets():
    assert value(mx.sym.pow(base=X, exp=2)) == [[1, 4], [9, 16]]
    assert value(mx.sym.power(base=2, exp=X)) == [[2, 4], [8, 16]]
    assert len(mx.sym.split_v2(ary=X, indices_or_sections=2).list_outputs()) == 2
    assert mx.sym.Group([X], create_fn=mx.sym.Symbol).list_outputs() == ["x"]
    assert mx.autograd.set_recording(is_recording=False) is False
    array = mx.nd.from_numpy(np.ones(2, "float32"), zero_copy=False, array_cls=mx.nd.NDArray)
    assert array.asnumpy().tolist() == [1, 1]


def test_scopes_tell_the_current_one():
    assert mx.Context.default_ctx == mx.cpu()
    with mx.AttrScope(group="a"):
        assert mx.AttrScope.current.get(None) == {"group": "a"}
    with mx.gpu(1):
        assert mx.Context.default_ctx == mx.gpu(1)


def test_the_default_context_is_set_as_an_attribute():
    """As old scripts do it: `mx.Context.default_ctx = mx.gpu()`."""
    before = mx.Context.default_ctx
    try:
        mx.Context.default_ctx = mx.cpu(2)
        assert [mx.current_context(), mx.nd.zeros(1).context, mx.Context.default_ctx] == [mx.cpu(2)] * 3
        with mx.cpu(1):
            mx.Context.default_ctx = mx.cpu(3)
            assert mx.nd.zeros(1).context == mx.cpu(3)
        assert mx.current_context() == mx.cpu(2)
        with pytest.raises(mx.MXNetError, match="a Context such as"):
            mx.Context.default_ctx = "cpu"  # type: ignore[assignment]
    finally:
        mx.Context.default_ctx = before


def test_creating_functions_take_out_and_name():
    target = mx.nd.zeros((2, 3))
    assert mx.nd.eye(2, 3, out=target, name="e") is target
    assert target.asnumpy().tolist() == np.eye(2, 3).tolist()
    assert mx.nd.random.uniform(2, 3, (2,), name="u").shape == (2,)
    assert mx.nd.zeros((2,), name="z", __layout__="N").shape == (2,)


@pytest.mark.parametrize(
    "call",
    [
        lambda: mx.nd.zeros((2,), foo=1),
        lambda: mx.nd.ones((2,), foo=1),
        lambda: mx.nd.eye(2, foo=1),
        lambda: mx.nd.random.uniform(0, 1, (2,), foo=1),
        lambda: mx.nd.random.randn(2, foo=1),
        lambda: mx.nd.random.multinomial(mx.nd.array([0.5, 0.5]), foo=1),
        lambda: (X + 1).get_backend_symbol("foo"),
    ],
)
def test_unknown_words_are_refused(call):
    with pytest.raises(MXNetError, match="foo"):
        call()


def test_arrays_broadcast_to_more_axes():
    array = mx.nd.array([[1], [2]])
    array.attach_grad()
    with mx.autograd.record():
        result = array.broadcast_to((3, 2, 4))
    result.backward()
    np.testing.assert_array_equal(result.asnumpy(), np.broadcast_to([[1], [2]], (3, 2, 4)))
    assert array.grad.asnumpy().tolist() == [[12], [12]]


def test_symbols_have_no_backend_to_be_optimized_for():
    assert value((X + 1).optimize_for("foo", {}, None, mx.cpu(), bar="1")) == [[2, 3], [4, 5]]


@pytest.mark.parametrize("options", [{"opset_version": "a"}, {"metadata": {1: "b"}}, {"doc_string": 3}])
def test_exports_refuse_what_is_no_text_or_number(options, tmp_path):
    with pytest.raises(ConversionError, match="required, got"):
        mx.onnx.export_model(X + 1, {}, [(2,)], np.float32, str(tmp_path / "m.onnx"), **options)


@pytest.mark.parametrize("save", [lambda path: X.save(path), lambda path: mx.nd.save(path, mx.nd.ones(2))])
def test_a_missing_folder_is_mxnets_error(save, tmp_path):
    with pytest.raises(MXNetError, match="no_folder"):
        save(str(tmp_path / "no_folder" / "file"))
