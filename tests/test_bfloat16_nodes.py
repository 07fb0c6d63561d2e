"""ONNX's nodes on bfloat16, beside the numbers of the same nodes on float32, rounded once."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import hybridonnx as mx
from hybridonnx.converters.onnx_nodes import in_float32, text_of
from hybridonnx.dtypes import as_dtype
from hybridonnx.ops import find, onnx_name
from tests import onnx_gradients, runtimes
from tests.onnx_cases import Case

BFLOAT16 = as_dtype("bfloat16")
OPERATORS = sorted({schema.name for schema in onnx.defs.get_all_schemas() if not schema.domain})
STEP = 2.0**-8
"""Half of the distance between 1 and the next number, by which rounding errs at most."""
LARGEST = (2 - STEP) * 2.0**127
"""From here on numbers are rounded to infinity."""
OTHERWISE = {
    "test_attention_4d_diff_heads_mask4d_padded_kv": "refused",
    "test_maxunpool_export_with_output_shape": "places are counted in another shape",
    "test_resize_downsample_scales_cubic_align_corners": "corners are those of the rounded size",
    "test_resize_downsample_scales_linear_align_corners": "as the case before",
}
"""What ONNX Runtime computes against ONNX, so that onnx's own evaluator judges, and why."""


def taken(case: Case) -> set[str]:
    """The names of the inputs of float32 that may be of bfloat16 instead."""
    (node,), opset = case.model.graph.node, case.model.opset_import[0].version
    schema = onnx.defs.get_schema(node.op_type, opset)
    types = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    last = len(schema.inputs) - 1
    return {
        name
        for i, name in enumerate(node.input)
        if "tensor(bfloat16)" in types.get(schema.inputs[min(i, last)].type_str, ())
    }


def halves(case: Case) -> dict[str, np.ndarray]:
    """The inputs, those of float32 rounded to bfloat16; nothing if none may be or if there are no arrays."""
    inputs, outputs = case.data_sets[0]
    if not all(isinstance(x, np.ndarray) for x in (*inputs, *outputs)):
        return {}
    names, rounded = [info.name for info in case.inputs], taken(case)
    if not any(name in rounded and x.dtype == np.float32 for name, x in zip(names, inputs, strict=True)):
        return {}
    return {
        name: x.astype(BFLOAT16) if name in rounded and x.dtype == np.float32 else x
        for name, x in zip(names, inputs, strict=True)
    }


def operator(case: Case, arrays: dict[str, np.ndarray]):
    node = case.model.graph.node[0]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
    text = text_of(node, list(arrays), [], outputs, {o.domain: o.version for o in case.model.opset_import})
    attributes = {"model": text, "num_args": len(arrays), "num_outputs": len(outputs)}
    return find(onnx_name(node.op_type)).make(attributes), text


def singles(case: Case, arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """What the node gives for the same numbers in float32."""
    inputs = [x.astype(np.float32) if x.dtype == BFLOAT16 else x for x in arrays.values()]
    if case.name not in OTHERWISE:
        try:
            return runtimes.plain(runtimes.with_older_versions(case.model))(inputs)
        except runtimes.CannotRunError:
            pass
    return runtimes.evaluated(case.model)(inputs)


def assert_rounded(got, exact, name):
    """Integers as they are; numbers that are rounded once are within half of a step, and a little."""
    assert got.shape == np.shape(exact), name
    if got.dtype != BFLOAT16:
        np.testing.assert_allclose(got, exact, rtol=1e-5, atol=1e-6, err_msg=name)
        return
    y, z = got.astype(np.float64), np.asarray(exact, np.float64)
    z = np.where(np.abs(z) > LARGEST, np.copysign(np.inf, z), z)
    np.testing.assert_allclose(y, z, rtol=STEP * 1.01, atol=1e-6, err_msg=name)


def check(case: Case) -> bool:
    arrays = halves(case)
    if not arrays:
        return False
    op, text = operator(case, arrays)
    if in_float32(text) is None:
        return False
    with np.errstate(all="ignore"):
        results = op.forward(*arrays.values())
    for got, exact in zip(results, singles(case, arrays), strict=True):
        assert_rounded(got, exact, case.name)
    return True


RANDOM = {"Bernoulli", "Dropout", "RandomNormalLike", "RandomUniformLike"}
WITHOUT = {
    "test_mvn": "onnx cannot infer the function that it defines, where axes are left out",
}
"""Cases that fail, and why."""


def _cases(name):
    return (
        [] if name in RANDOM else [case for case in onnx_gradients.cases_of(name) if case.name not in WITHOUT]
    )


@pytest.mark.parametrize("name", OPERATORS)
def test_the_first_case_is_rounded_once(name):
    if not any(check(case) for case in _cases(name)[:2]):
        pytest.skip("onnx has no case of this operator with numbers that may be of bfloat16")


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATORS)
def test_every_case_is_rounded_once(name):
    for case in _cases(name):
        check(case)


def pooled(x, kernel, strides, dilations, pads, reduce):
    """What windows over the last two axes give, in float64."""
    before, after = pads[:2], pads[2:]
    frame = np.pad(
        x.astype(np.float64), [(0, 0), (0, 0), *zip(before, after, strict=True)], constant_values=np.nan
    )
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True)]
    windows = np.lib.stride_tricks.sliding_window_view(frame, spans, axis=(2, 3))
    windows = windows[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
    return reduce(windows, axis=(-2, -1))


POOLS = {
    "dilated": {"kernel_shape": (2, 3), "dilations": (2, 1), "pads": (1, 0, 0, 2)},
    "steps": {"kernel_shape": (3, 2), "dilations": (2, 2), "strides": (2, 1), "pads": (0, 1, 3, 0)},
}


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("form", POOLS)
@pytest.mark.parametrize(("op_type", "reduce"), [("MaxPool", np.nanmax), ("AveragePool", np.nanmean)])
def test_pools_of_an_imported_model(op_type, reduce, form, hybrid, rng):
    """Largest numbers exactly, and means rounded once."""
    attributes = POOLS[form]
    node = helper.make_node(op_type, ["x"], ["y"], **attributes)
    shape = (2, 3, 7, 9)
    x, y = (helper.make_tensor_value_info(n, TensorProto.BFLOAT16, s) for n, s in (("x", shape), ("y", None)))
    graph = helper.make_graph([node], "graph", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    net = mx.onnx.import_to_gluon(model.SerializeToString())
    net.hybridize(hybrid)
    data = rng.standard_normal(shape).astype(BFLOAT16)
    got = net(mx.nd.NDArray(data)).asnumpy()
    strides = attributes.get("strides", (1, 1))
    window = attributes["kernel_shape"], strides, attributes["dilations"], attributes["pads"]
    exact = pooled(data, *window, reduce)
    assert got.dtype == BFLOAT16
    np.testing.assert_array_equal(got.astype(np.float32), exact.astype(BFLOAT16).astype(np.float32))


@pytest.mark.parametrize("op_type", ["Gelu", "ReduceLogSumExp", "Mish"])
def test_compiled_graphs_have_the_numbers_of_eager_ones(op_type):
    """Also among other operators, where nothing is cut out of the graph."""
    case = next(case for case in _cases(op_type) if halves(case))
    arrays = halves(case)
    op, _ = operator(case, arrays)
    variables = [mx.sym.var(name) for name in arrays]
    y = getattr(mx.sym, op.names[0])(*variables, **op.attributes())
    block = mx.gluon.SymbolBlock([y * 2], variables)
    values = [mx.nd.NDArray(x) for x in arrays.values()]
    eager = block(*values).asnumpy()
    block.hybridize()
    np.testing.assert_array_equal(block(*values).asnumpy(), eager)
    assert eager.dtype == BFLOAT16
    (exact,) = singles(case, arrays)
    assert_rounded(eager, 2 * exact, op_type)
