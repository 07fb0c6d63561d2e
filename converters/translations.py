"""What an operator's versions are in each other, where they differ in more than element types.

Attributes have become inputs, names of values have changed, axes have been added: a node that uses nothing
new is said in the older version, and one of the older version in the newer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import NodeProto, ValueInfoProto, helper

from .versions import AnotherError, Use, translates

_REDUCTIONS = (
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
)


@translates(*_REDUCTIONS, "Squeeze", "Unsqueeze")
def axes_as_input(use: Use) -> list[NodeProto]:
    """The axes have become an input."""
    if not use.falls:
        axes = use.attribute("axes")
        return use.written([*use.node.input, *([] if axes is None else [use.value(axes)])], drop=["axes"])
    constant = use.constant("axes")
    if use.attribute("noop_with_empty_axes", 0) and (constant is None or not constant.size):
        raise AnotherError("no axes at all")
    axes = None if constant is None or not constant.size else constant.tolist()
    return use.written(use.node.input[:1], drop=["noop_with_empty_axes"], axes=axes)


_INTERPOLATIONS = {"bilinear": "linear", "bicubic": "cubic"}


@translates("GridSample")
def interpolation(use: Use) -> list[NodeProto]:
    """The interpolations have other names, and images have more than two axes."""
    if not use.falls:
        mode = use.attribute("mode", "bilinear")
        return use.written(mode=_INTERPOLATIONS.get(mode, mode))
    if use.rank("X") != 4:
        raise AnotherError("an image of two axes is required")
    names = {new: old for old, new in _INTERPOLATIONS.items()}
    mode = use.attribute("mode", "linear")
    return use.written(mode=names.get(mode, mode))


@translates("Mod")
def remainder(use: Use) -> list[NodeProto]:
    """The remainder with the divisor's sign is there for floating-point numbers, too."""
    a, b = use.node.input
    dtype = use.spec(a).dtype or use.spec(b).dtype
    if use.attribute("fmod", 0) or not use.falls or dtype is None or dtype.kind in "iub":
        return use.written()
    rest, zero = use.add("Mod", a, b, fmod=1), use.value(0, dtype)
    differs = use.add("Xor", use.add("Less", rest, zero), use.add("Less", b, zero))
    moves = use.add("And", differs, use.add("Not", use.add("Equal", rest, zero)))
    return use.result("Where", moves, use.add("Add", rest, b), rest)


@translates("RoiAlign")
def whole_pixels(use: Use) -> list[NodeProto]:
    """The older version has no half pixels, and takes the largest of other numbers."""
    if use.attribute("mode", "avg") == "max":
        raise AnotherError("another maximum")
    if not use.falls:
        return use.written(coordinate_transformation_mode="output_half_pixel")
    if use.attribute("coordinate_transformation_mode") != "output_half_pixel":
        raise AnotherError("half pixels")
    return use.written(drop=["coordinate_transformation_mode"])


@translates("DFT")
def axis_as_input(use: Use) -> list[NodeProto]:
    """The axis has become an input, and the last but one if it is left out."""
    length = use.input("dft_length")
    if not use.falls:
        return use.written([use.node.input[0], length, use.value(use.attribute("axis", 1))], drop=["axis"])
    axis = use.constant("axis")
    return use.written([use.node.input[0], length], axis=-2 if axis is None else int(axis))


@translates("Pad")
def padded_axes(use: Use) -> list[NodeProto]:
    """Axes may be named: others are padded by nothing."""
    axes = use.constant("axes")
    if axes is None:
        raise AnotherError("another way to pad")
    rank = use.rank("data")
    places = [int(axis) % rank for axis in axes]
    at = use.value([*places, *(rank + place for place in places)])
    pads = use.add("ScatterElements", use.value([0] * (2 * rank)), at, use.input("pads"))
    return use.written([use.input("data"), pads, use.input("constant_value")])


@translates("Resize")
def resized_axes(use: Use) -> list[NodeProto]:
    """Axes may be named: others keep their sizes."""
    axes, x = use.attribute("axes"), use.input("X")
    if axes is None:
        raise AnotherError("another way to resize")
    rank = use.rank("X")
    places = [axis % rank for axis in axes]

    def spread(name: str, rest: Sequence[float]) -> str:
        value = use.constant(name)
        if value is None or not value.size:
            return use.input(name)
        whole = np.array(rest, value.dtype)
        whole.reshape(-1, rank)[:, places] = value.reshape(-1, len(places))
        return use.value(whole, value.dtype)

    roi, scales = spread("roi", [0] * rank + [1] * rank), spread("scales", [1] * rank)
    sizes = use.input("sizes")
    if sizes:
        sizes = use.add("ScatterElements", use.add("Shape", x), use.value(places), sizes)
    return use.written([x, roi, scales, sizes], drop=["axes"])


@translates("Reshape")
def sizes_of_zero(use: Use) -> list[NodeProto]:
    """Zeros may be sizes of zero: where there are none, that does not matter."""
    shape = use.constant("shape")
    if shape is None or 0 in shape:
        raise AnotherError("sizes of zero")
    return use.written(drop=["allowzero"])


@translates("Split")
def parts(use: Use) -> list[NodeProto]:
    """The sizes of the parts have become an input, and their number an attribute."""
    count, x = len(use.node.output), use.node.input[0]
    sizes, split = use.attribute("split"), use.input("split")
    if not use.falls:
        if sizes is not None:
            split = use.value(sizes)
        wants_count = not split and "num_outputs" in use.other.attributes
        return use.written([x, split], drop=["split"], num_outputs=count if wants_count else None)
    shape = use.spec(x).shape
    size = None if shape is None else shape[use.attribute("axis", 0)]
    if not isinstance(size, int):
        raise AnotherError("a known size is required")
    part = -(-size // count)
    return use.written(
        [x, use.value([part] * (count - 1) + [size - part * (count - 1)])], drop=["num_outputs"]
    )


@translates("Softmax", "LogSoftmax", "Hardmax")
def flattened(use: Use) -> list[NodeProto]:
    """The older version is over all axes from one on."""
    x = use.node.input[0]
    flat = use.add("Flatten", x, axis=use.attribute("axis", 1))
    rows = use.add(use.node.op_type, flat, axis=-1)
    return use.result("Reshape", rows, use.add("Shape", x))


@translates("Dropout")
def ratio_as_input(use: Use) -> list[NodeProto]:
    """The ratio, which nothing depends on, has become an input."""
    ratio = use.value(use.attribute("ratio", 0.5), np.float32)
    return use.written([use.node.input[0], ratio], drop=["ratio"])


@translates("BatchNormalization")
def statistics(use: Use) -> list[NodeProto]:
    """The statistics have other names, and training others that are given."""
    if len(use.node.output) > 1:
        raise AnotherError("statistics as outputs")
    return use.written()


@translates("Scan")
def over_each_item(use: Use) -> list[NodeProto]:
    """The oldest version scans each item of a batch: a scan of the batch, each step of which is a scan."""
    if use.node.input[0] or use.falls:
        raise AnotherError("lengths of sequences")
    body = use.attribute("body")
    inputs, outputs = use.node.input[1:], use.node.output
    items, results = ([use.name() for _ in names] for names in (inputs, outputs))
    count = use.attribute("num_scan_inputs")
    inner = helper.make_node("Scan", items, results, body=body, num_scan_inputs=count)
    directions = use.attribute("directions")
    if directions is not None:
        inner.attribute.append(helper.make_attribute("scan_input_directions", directions))
    step = helper.make_graph(
        [inner], "item", [ValueInfoProto(name=n) for n in items], [ValueInfoProto(name=n) for n in results]
    )
    return use.result("Scan", *inputs, body=step, num_scan_inputs=len(inputs))
