"""Every operator at every opset and in every dtype: exports agree with the kernel, or are refused."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

from hybridonnx import test_utils
from hybridonnx.converters.opsets import OLDEST
from hybridonnx.converters.to_onnx import lower_operator
from hybridonnx.errors import ConversionError, MXNetError
from hybridonnx.ops import Spec, SymbolicDim
from hybridonnx.test_utils import Case, Draw
from tests.runtimes import newest_opset, started
from tests.test_completeness import FACTS
from tests.test_operators import FAMILIES

DTYPES = ("float32", "float64", "float16", "int32", "int64", "bool")
OPSETS = range(OLDEST, newest_opset() + 1)
TOLERANCES = {"float16": 4e-3}


def by_operator():
    table: dict[str, list[Case]] = {}
    for cases in FAMILIES.values():
        for case in cases:
            if not (case.operator().not_in_onnx or "onnx" in case.no):
                table.setdefault(case.op, []).append(case)
    return table


TABLE = by_operator()


def kernel(case, arrays):
    with np.errstate(all="ignore"):
        return test_utils.run(case, arrays)


class Runs:
    """The same graph in ONNX Runtime, run once, whatever opset it is for."""

    def __init__(self, arrays):
        self._arrays, self._results = arrays, {}

    def __call__(self, lowered, feeds):
        model = lowered.model
        key = model.graph.SerializeToString()
        if key not in self._results:
            session = started(model)
            names = {i.name for i in session.get_inputs()}
            self._results[key] = session.run(None, {k: v for k, v in feeds.items() if k in names})
        return self._results[key]


def verdicts(case, dtype):
    """For each opset, whether the export agrees, is refused, or how it differs."""
    op, arrays = case.operator(), case.arrays(dtype)
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    try:
        expected = kernel(case, arrays)
    except (MXNetError, TypeError, ValueError):
        return  # the operator does not take this dtype
    feeds, run = dict(zip(op.input_names(), arrays, strict=True)), Runs(arrays)
    tol = max(case.tol, TOLERANCES.get(dtype, 0))
    for opset in OPSETS:
        try:
            lowered = lower_operator(op, specs, opset=opset)
        except ConversionError:
            yield opset, "refused", ""
            continue
        if op.draws():
            feeds[lowered.noise[0].name] = op.draw(np.random.default_rng(test_utils._SEED), *specs)
        errors = differences(run(lowered, feeds), expected, tol)
        yield opset, "differs" if errors else "agrees", "; ".join(errors)


def differences(results, expected, tol):
    """What is wrong about the results."""
    errors = []
    for i, (a, b) in enumerate(zip(results, expected, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            errors.append(f"output {i} is {a.shape} {a.dtype}, not {b.shape} {b.dtype}")
        elif not test_utils.difference(a, b) <= tol:
            errors.append(f"output {i} differs by {test_utils.difference(a, b):.2g}")
    return errors


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TABLE))
def test_exports_agree_or_are_refused(name, record_property):
    counts: Counter[object] = Counter()
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in TABLE[name]:
            for dtype in DTYPES:
                for opset, verdict, error in verdicts(case, dtype):
                    counts[opset, dtype, verdict] += 1
                    if error:
                        wrong.append(f"{case} {dtype} opset {opset}: {error}")
    record_property("exports", [[*key, count] for key, count in counts.items()])
    assert not wrong, "\n".join(wrong[:20])


# ---- free sizes


def renamed(case, sizes):
    """The case with other sizes in its drawn inputs."""
    inputs = [replace(x, shape=tuple(sizes[d] for d in x.shape)) for x in case.inputs]
    other = case.but()
    object.__setattr__(other, "inputs", tuple(inputs))
    return other


def at_other_sizes(case):
    """For each of the case's sizes by itself and for all of them, that size free, and then 1, 2 and 7.

    Sizes that are equal in the case have one name, as what must be equal is.
    """
    present = sorted({d for x in case.inputs for d in x.shape})
    for free in [*([d] for d in present), present]:
        for size in (1, 2, 7):
            yield free, renamed(case, {d: size if d in free else d for d in present})


def freely_lowered(case, free):
    """The model with some sizes free, or nothing if it is refused."""
    specs = [
        Spec(tuple(SymbolicDim.named(f"size{d}") if d in free else d for d in a.shape), a.dtype)
        for a in case.arrays()
    ]
    try:
        return lower_operator(case.operator(), specs)
    except ConversionError:
        return None


def free_size_verdicts(case):
    sessions = {}
    for free, other in at_other_sizes(case):
        try:
            arrays = other.arrays()
            expected = kernel(other, arrays)
        except (MXNetError, TypeError, ValueError, IndexError):
            continue  # the operator's attributes do not go with these sizes
        key = tuple(free)
        if key not in sessions:
            lowered = freely_lowered(case, free)
            sessions[key] = lowered and started(lowered.model)
        session = sessions[key]
        if session is None:
            yield "refused", ""
            continue
        feeds = dict(zip(case.operator().input_names(), arrays, strict=True))
        names = {i.name for i in session.get_inputs()}
        try:
            results = session.run(None, {k: v for k, v in feeds.items() if k in names})
        except InvalidArgument:  # lengths beyond the data, which kernels take for the data's
            yield "refused", ""
            continue
        errors = differences(results, expected, max(case.tol, 1e-4))  # single elements are normalized
        sizes = [a.shape for a in arrays]
        yield ("differs", f"{sizes}: {'; '.join(errors)}") if errors else ("agrees", "")


def has_drawn_inputs(case):
    return case.inputs and all(isinstance(x, Draw) for x in case.inputs) and not case.operator().draws()


WITH_DRAWN_INPUTS = sorted(
    name for name, cases in TABLE.items() if name in FACTS and any(map(has_drawn_inputs, cases))
)
"""Adjoint operators, which no file has, take sizes that do not belong together."""


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_DRAWN_INPUTS)
def test_free_sizes_are_what_comes(name):
    counts: Counter[object] = Counter()
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in filter(has_drawn_inputs, TABLE[name]):
            for verdict, error in free_size_verdicts(case):
                counts[verdict] += 1
                if error:
                    wrong.append(f"{case}: {error}")
    assert not wrong, "\n".join(wrong[:20])
    assert counts
