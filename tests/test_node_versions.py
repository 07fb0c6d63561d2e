"""Nodes of one opset as nodes of another: both compute the same in an engine of their own."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper, parser

import hybridonnx as mx
from hybridonnx.converters.onnx_nodes import at, oldest, text_of
from hybridonnx.converters.opsets import NeedsOpset, newest
from hybridonnx.converters.values import to_tensor
from hybridonnx.errors import ConversionError
from hybridonnx.ops import Spec
from tests import onnx_cases
from tests.runtimes import CannotRunError, evaluated, plain

NEWEST = newest()

BRANCHES_OF_11 = """
    y = If (c) <
        then_branch = t () => (float[2, 3] z) { y_0 = Softmax (x1) y_1 = Add (x0, y_0)
            z = Squeeze <axes = [1]> (y_1) },
        else_branch = e () => (float[2, 3] w) { w, rest = Split <axis = 1, split = [3, 1]> (x2) }
    >
"""
SCAN_OF_8 = """
    y, z = Scan <num_scan_inputs = 1 @,
        body = b (float[3] s, float[3] v) => (float[3] t, float[3] u) { t = Add (s, v) u = Mul (s, v) }
    > ("", x0, x1)
"""
PADDED = (', padding_mode = "border"', ', padding_mode = "reflection"')
IMAGE, GRID = (2, 3, 5, 6), (2, 4, 3, 2)
CASES = {
    "GridSample": [
        (f'y = GridSample <mode = "{mode}" {others}> (x0, x1)', [IMAGE, GRID], {}, own, targets)
        for mode, own, targets in [
            ("linear", 20, (16, 18)),
            ("cubic", 22, (17, 19)),
            ("nearest", 20, (18,)),
            ("bilinear", 16, (19, 20, 22)),
            ("bicubic", 16, (20,)),
        ]
        for others in ("", ", align_corners = 1", *PADDED)
    ]
    + [("y = GridSample (x0, x1)", [IMAGE, GRID], {}, own, (16, 18, 20, 22)) for own in (16, 20)],
    "DFT": [
        ('y = DFT (x0, "", a)', [(2, 6, 5, 1)], {"a": np.int64(1)}, 20, (17, 18)),
        (
            "y = DFT <onesided = 1> (x0, n, a)",
            [(2, 6, 5, 1)],
            {"n": np.int64(4), "a": np.int64(-2)},
            20,
            (17,),
        ),
        ("y = DFT (x0)", [(2, 6, 5, 2)], {}, 20, (17,)),
        ("y = DFT (x0)", [(2, 6, 5, 2)], {}, 17, (20, 22)),
        ("y = DFT <axis = 2, inverse = 1> (x0)", [(2, 6, 5, 2)], {}, 17, (20,)),
    ],
    "Reduce": [
        (f"y = {name} <keepdims = 0> (x0, a)", [(2, 3, 4)], {"a": np.array([0, -1])}, own, (13, 17, NEWEST))
        for name in ("ReduceL2", "ReduceMax", "ReduceLogSumExp", "ReduceProd", "ReduceSumSquare")
        for own in (18, NEWEST)
    ]
    + [
        ("y = ReduceMean <noop_with_empty_axes = 0> (x0)", [(2, 3)], {}, 18, (13,)),
        ("y = ReduceMean <axes = [1]> (x0)", [(2, 3)], {}, 13, (18, 20)),
        ("y = ReduceMin (x0)", [(2, 3)], {}, 11, (13, 20)),
        ("y = ReduceSum <axes = [-1]> (x0)", [(2, 3)], {}, 11, (13, 18)),
    ],
    "Squeeze": [
        ("y = Squeeze <axes = [1]> (x0)", [(2, 1, 3)], {}, 11, (13, 21)),
        ("y = Squeeze (x0)", [(2, 1, 3)], {}, 11, (13, 21)),
        ("y = Unsqueeze <axes = [0, 2]> (x0)", [(2, 3)], {}, 11, (13, 21)),
    ],
    "Split": [
        ("y, z = Split <axis = 1, num_outputs = 2> (x0)", [(2, 5)], {}, 18, (13, 17)),
        ("y, z = Split <axis = 1> (x0)", [(2, 6)], {}, 13, (18,)),
        ("y, z = Split <axis = 1, split = [2, 3]> (x0)", [(2, 5)], {}, 11, (13, 18)),
        ("y, z = Split (x0)", [(2, 5)], {}, 11, (13, 18)),
    ],
    "Pad": [
        (
            'y = Pad (x0, p, "", a)',
            [(2, 3, 4)],
            {"p": np.array([1, 2, 0, 3]), "a": np.array([2, -3])},
            18,
            (13, 17),
        ),
        (
            'y = Pad <mode = "edge"> (x0, p, "", a)',
            [(2, 3)],
            {"p": np.array([1, 2]), "a": np.array([1])},
            21,
            (13, 18),
        ),
    ],
    "Resize": [
        (
            'y = Resize <axes = [3, 2], mode = "linear"> (x0, "", s)',
            [IMAGE],
            {"s": np.float32([2, 1.5])},
            18,
            (13, 17),
        ),
        ('y = Resize <axes = [3, 2]> (x0, "", "", s)', [IMAGE], {"s": np.array([9, 7])}, 19, (13, 18)),
        (
            'y = Resize <antialias = 0, keep_aspect_ratio_policy = "stretch"> (x0, "", s)',
            [IMAGE],
            {"s": np.float32([1, 1, 2, 2])},
            19,
            (13,),
        ),
        (
            'y = Resize <axes = [2, 3], mode = "linear", '
            'coordinate_transformation_mode = "tf_crop_and_resize"> (x0, r, "", s)',
            [IMAGE],
            {"s": np.array([4, 3]), "r": np.float32([0.1, 0.2, 0.8, 0.9])},
            18,
            (13,),
        ),
    ],
    "Reshape": [("y = Reshape <allowzero = 1> (x0, s)", [(2, 6)], {"s": np.array([3, -1])}, 14, (13,))],
    "Softmax": [
        (f"y = {name} {axis} (x0)", [(2, 3, 4)], {}, 11, (13, 18))
        for name in ("Softmax", "LogSoftmax", "Hardmax")
        for axis in ("", "<axis = 0>", "<axis = 2>")
    ],
    "others": [
        ("y = Dropout <ratio = 0.3> (x0)", [(2, 3)], {}, 10, (13, 22)),
        ("y = BatchNormalization (x0, x1, x1, x1, x1)", [IMAGE, (3,)], {}, 9, (13, 14, 15)),
        ("y = BatchNormalization <training_mode = 0> (x0, x1, x1, x1, x1)", [IMAGE, (3,)], {}, 15, (13,)),
        (
            'y = RoiAlign <coordinate_transformation_mode = "output_half_pixel", '
            "sampling_ratio = 2> (x0, x1, b)",
            [IMAGE, (1, 4)],
            {"b": np.array([1])},
            16,
            (13,),
        ),
        (
            "y = RoiAlign <sampling_ratio = 2> (x0, x1, b)",
            [IMAGE, (1, 4)],
            {"b": np.array([1])},
            10,
            (16, 22),
        ),
        (
            "y = QuantizeLinear <saturate = 1, block_size = 0> (x0, s, z)",
            [(2, 3)],
            {"s": np.float32(0.1), "z": np.uint8(3)},
            21,
            (13, 19),
        ),
    ],
    "Scan": [
        (SCAN_OF_8.replace("@", attributes), [(2, 3), (2, 5, 3)], {}, 8, (13, 18, 21))
        for attributes in ("", ", directions = [1]")
    ],
    "If": [
        (BRANCHES_OF_11, [(2, 1, 3), (2, 1, 3), (2, 4)], {"c": np.bool_(c)}, 11, (13, 18, 20))
        for c in (True, False)
    ],
}
ROWS = [(name, *row[:-1], target) for name, rows in CASES.items() for row in rows for target in row[-1]]


def stored(text: str, shapes: Any, constants: Any, own: int) -> tuple[str, list[Any]]:
    """The text of a node as graphs keep it, and values for its inputs."""
    proto = parser.parse_model(f'<ir_version: 8, opset_import: ["": {own}]> g () => () {{ {text} }}')
    rng = np.random.default_rng(0)
    inputs = [rng.uniform(0.2, 1, shape).astype(np.float32) for shape in shapes]
    tensors = [to_tensor(name, np.asarray(value)) for name, value in constants.items()]
    names = [f"x{i}" for i in range(len(shapes))]
    return text_of(proto.graph.node[0], names, tensors, [], {"": own}), inputs


def computed(model: ModelProto, inputs: list[Any]) -> list[Any]:
    """What ONNX Runtime computes, or ONNX's reference where that has no kernel."""
    copy = ModelProto()
    copy.CopyFrom(model)
    for info, value in zip(copy.graph.input, inputs, strict=True):
        element = helper.np_dtype_to_tensor_dtype(value.dtype)
        info.type.CopyFrom(helper.make_tensor_type_proto(element, value.shape))
    for output in copy.graph.output:
        output.ClearField("type")
    try:
        return plain(copy)(inputs)
    except CannotRunError:
        return evaluated(copy)(inputs)


@pytest.mark.parametrize(
    ("name", "text", "shapes", "constants", "own", "target"),
    ROWS,
    ids=[f"{name}-{row[3]}-{row[4]}-{i}" for i, (name, *row) in enumerate(ROWS)],
)
def test_node(name, text, shapes, constants, own, target):
    node, inputs = stored(text, shapes, constants, own)
    specs = [Spec(x.shape, x.dtype) for x in inputs]
    model = at(node, target, specs)
    results = computed(model, inputs)
    assert [o.version for o in model.opset_import] == [target]
    for y, expected in zip(results, computed(at(node, own, specs), inputs), strict=True):
        assert y.shape == expected.shape
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize(
    ("text", "shapes", "constants", "own", "target", "needed"),
    [
        ("y = GridSample (x0, x1)", [(2, 3, 4, 5, 6), (2, 4, 3, 2, 3)], {}, 22, 18, 20),
        ('y = Pad <mode = "wrap"> (x0, p)', [(3,)], {"p": np.array([1, 1])}, NEWEST, 18, 19),
        ("y = AveragePool <kernel_shape = [2, 2], dilations = [2, 2]> (x0)", [IMAGE], {}, 22, 18, 19),
        ("y = ReduceMax (x0, x1)", [(2, 3), (1,)], {}, NEWEST, 13, 18),
        (
            'y = RoiAlign <mode = "max", coordinate_transformation_mode = "output_half_pixel"> (x0, x1, b)',
            [IMAGE, (1, 4)],
            {"b": np.array([1])},
            22,
            13,
            16,
        ),
        ("y = CumProd (x0, a)", [(2, 3)], {"a": np.int64(0)}, NEWEST, 18, 26),
        ('y = DFT (x0, "", x1)', [(2, 6, 5, 2), ()], {}, 20, 18, 20),
        ('y = ScatterND <reduction = "max"> (x0, i, x1)', [(3,), (1,)], {"i": np.array([[1]])}, 18, 17, 18),
        ("y = Reshape <allowzero = 1> (x0, s)", [(0, 3)], {"s": np.array([3, 0])}, 21, 13, 14),
        ('y = Resize <antialias = 1> (x0, "", s)', [(2, 3)], {"s": np.float32([1, 0.5])}, 19, 13, 18),
    ],
)
def test_what_an_opset_lacks_names_the_next_that_has_it(text, shapes, constants, own, target, needed):
    if own < needed or needed > NEWEST:
        pytest.skip(f"onnx has opsets up to {NEWEST}")
    node, inputs = stored(text, shapes, constants, own)
    specs = [Spec(x.shape, x.dtype) for x in inputs]
    with pytest.raises(NeedsOpset, match=f"Export with opset={needed}") as info:
        at(node, target, specs)
    assert info.value.opset == needed
    assert at(node, needed, specs)


def test_what_no_opset_has_is_refused():
    node, inputs = stored(
        SCAN_OF_8.replace('""', "n").replace("@", ""), [(2, 3), (2, 5, 3)], {"n": np.array([5, 4])}, 8
    )
    with pytest.raises(ConversionError, match="opset 8, which is not written any more, is required") as info:
        at(node, 18, [Spec(x.shape, x.dtype) for x in inputs])
    assert not isinstance(info.value, NeedsOpset)


def test_oldest_opset_has_the_node_and_the_element_types():
    node, _ = stored("y = ReduceMax (x0, a)", [(2, 3)], {"a": np.array([0])}, 20)
    assert oldest(node) == oldest(node, (np.dtype("float32"),)) == 18
    assert oldest(node, (np.dtype("bool"),)) == 20


# ---- whole models


def imported(text: str, opset: int) -> tuple[Any, ModelProto]:
    proto = parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}]> g {text}')
    return mx.onnx.import_to_gluon(proto.SerializeToString()), proto


def exported(net: Any, path: Any, shapes: Any, **options: Any) -> ModelProto:
    mx.onnx.export_model(net, str(path / "again.onnx"), input_shapes=shapes, **options)
    return onnx.load(path / "again.onnx")


@pytest.mark.parametrize(
    ("text", "shapes", "types", "opset"),
    [
        (
            "(float[2,3] x) => (float[2,3] y) { a = Constant <value_int = 1> () y = CumProd (x, a) }",
            [(2, 3)],
            "float32",
            26,
        ),
        (
            "(float[2,3] x) => (float[2,3] y) { z = Cast <to = 17> (x) y = Cast <to = 1> (z) }",
            [(2, 3)],
            "float32",
            19,
        ),
        (
            '(int32[2,3] x) => (int32[2,3] y) { y = BitShift <direction = "LEFT"> (x, x) }',
            [(2, 3)],
            "int32",
            28,
        ),
        ("(float[1,1,4,4] x) => (float[1,1,4,4] y) { y = Elu (x) }", [(1, 1, 4, 4)], "float32", 18),
    ],
)
def test_default_opset_is_the_oldest_that_has_all(text, shapes, types, opset, tmp_path):
    if opset > NEWEST:
        pytest.skip(f"onnx has opsets up to {NEWEST}")
    net, proto = imported(text, NEWEST)
    model = exported(net, tmp_path, shapes, in_types=types)
    assert model.opset_import[0].version == opset
    x = np.arange(np.prod(shapes[0])).reshape(shapes[0]).astype(types)
    np.testing.assert_allclose(evaluated(model)([x])[0], evaluated(proto)([x])[0], rtol=1e-6)
    support = mx.onnx.check(net, input_shapes=shapes, in_types=types)
    assert support.ok()
    assert support.opset == opset
    if opset > 18:
        with pytest.raises(ConversionError, match=f"Export with opset={opset}"):
            exported(net, tmp_path, shapes, in_types=types, opset_version=18)


# ---- a search


AGAINST_ONNX = r"export_with_output_shape|_align_corners$|_opt|identity_sequence"
"""Cases that ONNX Runtime computes otherwise than ONNX says, and those of types that old opsets lack."""


def fault(case: onnx_cases.Case, opset: int) -> str:
    """What is wrong with a case that was exported at an opset; nothing where that refuses it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        net = mx.onnx.import_to_gluon(case.model.SerializeToString())
        try:
            model = onnx_cases.written(net, case, opset)
        except ConversionError as exc:
            return str(exc) if "the exported model is invalid" in str(exc) else ""
        try:
            for inputs, outputs in case.data_sets:
                try:
                    results = plain(model)(inputs)
                except CannotRunError:
                    results = evaluated(model)(inputs)
                onnx_cases.compare(results, outputs, case)
        except AssertionError as exc:
            return str(exc)
    return ""


@pytest.mark.parametrize("opset", [13, 17, 18, 20, NEWEST])
@pytest.mark.parametrize("part", [pytest.param(i, marks=[pytest.mark.slow] if i else []) for i in range(12)])
def test_cases_of_onnx_at_other_opsets(part, opset):
    every = onnx_cases.cases(rf"^(?!.*(?:expanded|{AGAINST_ONNX}))")
    nodes = [case for case in every if case.kind == "node" and len(case.model.graph.node) == 1]
    known = onnx_cases.table.stored_packages()
    if known["onnx"] != onnx.__version__:
        pytest.skip(f"the cases of onnx {known['onnx']} are known")
    chosen = [c for i, c in enumerate(nodes) if i % 12 == part and not c.is_random]
    faults = {case.name: fault(case, opset) for case in chosen}
    assert not any(faults.values()), {name: text for name, text in faults.items() if text}
