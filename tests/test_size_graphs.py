"""Random models that compute sizes: imported once, and held to ONNX Runtime at all sizes in every mode."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import SymbolBlock
from tests.drafts import FAILURES, Draft, session
from tests.runtimes import takes_empty_arrays
from tests.size_graphs import Grower, UnfitError

pytestmark = takes_empty_arrays

UNUSED = pytest.mark.filterwarnings("ignore:.*input to HybridBlock is not used")
"""Inputs of which nothing but known sizes is read."""


def difference(outputs, expected) -> str:
    """What is different from ONNX Runtime's results, or nothing."""
    for i, (y, z) in enumerate(zip(outputs, expected, strict=True)):
        if y.dtype != z.dtype:
            return f"output {i} is {y.dtype}, not {z.dtype}"
        if y.shape != z.shape:
            return f"output {i} has the shape {y.shape}, not {z.shape}"
        tolerance = 1e-5 if z.dtype.kind == "f" else 0
        if not np.allclose(y, z, rtol=tolerance, atol=tolerance, equal_nan=z.dtype.kind == "f"):
            return f"output {i} is {y.ravel()[:8]}, not {z.ravel()[:8]}"
    return ""


def results(net, feeds):
    outputs = net(*(mx.nd.array(x, dtype=x.dtype) for x in feeds.values()))
    return [y.asnumpy() for y in (outputs if isinstance(outputs, list | tuple) else [outputs])]


def _fixed(data, feeds):
    """A block for the sizes of these inputs alone."""
    return mx.onnx.import_to_gluon(data, input_shapes={name: x.shape for name, x in feeds.items()})


def compared(compute, runs) -> str:
    """What is different at the first sizes where anything is.

    ONNX Runtime refuses to reshape what has no elements with -1, as compiled graphs do.
    """
    for feeds, expected in runs:
        sizes = {name: x.shape for name, x in feeds.items()}
        try:
            text = difference(compute(feeds), expected)
        except (MXNetError, *FAILURES) as exc:
            reshape = "cannot be reshaped" in str(exc) and any(x.size == 0 for x in feeds.values())
            text = "" if reshape else f"{type(exc).__name__}: {str(exc)[:300]}"
        if text:
            return f"at {sizes}: {text}"
    return ""


def tried(seed: int, folder: Path, counts: Counter[str]) -> list[str]:
    """Take one random model through everything; what differs."""
    grower = Grower(seed)
    used = grower.grow(4 + seed % 9)
    try:
        model = grower.finished()
    except UnfitError:
        return []
    counts.update(used)
    data = model.SerializeToString()
    original = session(data)
    runs = []
    for run in grower.runs:
        feeds = {name: run[name] for name in grower.inputs}
        try:
            runs.append((feeds, original.run(None, feeds)))
        except FAILURES:
            counts["not of ONNX Runtime"] += 1
    counts["graphs"] += 1
    counts["runs"] += len(runs)
    wrong = {}
    try:
        net = mx.onnx.import_to_gluon(data)
    except MXNetError as exc:
        return [f"seed {seed}, import: {exc}"]
    nodes = [n.op_name for n in net._graph[1].nodes() if not n.is_variable]
    counts["nodes"] += len(nodes)
    counts["native"] += sum(name.startswith("_onnx_") for name in nodes)
    wrong["eager"] = compared(lambda feeds: results(net, feeds), runs)
    wrong["of given sizes"] = compared(lambda feeds: results(_fixed(data, feeds), feeds), runs[::3])
    net.hybridize()
    wrong["hybridized"] = compared(lambda feeds: results(net, feeds), runs)
    try:
        paths = net.export(str(folder / "net"))
        again = SymbolBlock.imports(paths[0], list(grower.inputs), paths[1])
        again.hybridize()
        wrong["reloaded"] = compared(lambda feeds: results(again, feeds), runs[1:4])
        path = str(folder / "again.onnx")
        types = ["int64" if name in grower.integers else "float32" for name in grower.inputs]
        mx.onnx.export_model(net, path, input_shapes=list(map(tuple, grower.inputs.values())), in_types=types)
        exported = session(path)
        wrong["exported"] = compared(lambda feeds: exported.run(None, feeds), runs)
    except (MXNetError, *FAILURES) as exc:
        wrong["written"] = f"{type(exc).__name__}: {str(exc)[:600]}"
    return [f"seed {seed}, {mode} {text}" for mode, text in wrong.items() if text]


def sweep(seeds, folder: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    wrong = [line for seed in seeds for line in tried(seed, folder, counts)]
    assert not wrong, "\n".join(wrong[:10])
    return counts


@UNUSED
def test_random_graphs(tmp_path):
    counts = sweep(range(120), tmp_path)
    assert counts["runs"] > 500, counts


@UNUSED
@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_random_graphs(part, tmp_path):
    sweep(range(1000 + 300 * part, 1300 + 300 * part), tmp_path)


# ---- limits of slices


LIMITS = (-(2**63) + 1, -4, -1, 0, 1, 3, 2**63 - 2)


def sliced(draft, axis, start, end, step, runs) -> list[str]:
    """What differs of one slice at some sizes."""
    data = draft.model(draft.node("Slice", axis, start, end, [0], [step])).SerializeToString()
    run, net = session(data), mx.onnx.import_to_gluon(data)
    arrays = [
        {name: np.arange(sizes.get(d, d), dtype=np.float32) for name, (d,) in draft.inputs.items()}
        for sizes in runs
    ]
    text = compared(lambda feeds: results(net, feeds), [(feeds, run.run(None, feeds)) for feeds in arrays])
    return [f"{axis}[{start}:{end}:{step}] {text}"] if text else []


@pytest.mark.parametrize("step", [-2, -1, 1, 2])
def test_slices_by_numbers(step):
    runs = [{"T": size} for size in (0, 1, 2, 5)]
    assert not [
        line
        for start, end in product(LIMITS, LIMITS)
        for line in sliced(Draft(x=["T"]), "x", [start], [end], step, runs)
    ]


def _limits(draft):
    T, M = (draft.node("Shape", name) for name in "xy")
    computed = [T, M, draft.node("Neg", T), *(draft.node("Sub", T, [n]) for n in (-1, 1, 2))]
    return [
        *computed,
        draft.node("Sub", [1], T),
        draft.node("Sub", M, [1]),
        [0],
        [1],
        [-1],
        [-2],
        [2**63 - 2],
    ]


@pytest.mark.parametrize("step", [-2, -1, 1, 2])
def test_slices_by_sizes(step):
    runs = [{"T": T, "M": M} for T, M in ((0, 1), (1, 0), (1, 1), (2, 5), (3, 2), (5, 3))]
    wrong = []
    count = len(_limits(Draft(x=["T"], y=["M"])))
    for number, (start, end) in enumerate(list(product(range(count), range(count)))[step % 3 :: 3]):
        draft = Draft(x=["T"], y=["M"], z=[3])
        limits = _limits(draft)
        wrong += sliced(draft, "xz"[number % 2], limits[start], limits[end], step, runs)
    assert not wrong
