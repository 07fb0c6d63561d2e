"""Chains in ONNX Runtime at every level of optimization, beside the kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnxruntime as ort

from hybridonnx.converters.to_onnx import NeedsShape, lower
from hybridonnx.errors import ConversionError, MXNetError
from hybridonnx.ops import Array, Spec
from hybridonnx.runtime.failures import FAILURES
from hybridonnx.runtime.session import EMPTY_ARRAYS_END_PROCESS

from .grow import Chain, Unfit, chain_of
from .rounding import Expected, draw_values, expected

LEVELS = (0, 1, 99)
"""No optimizations, the basic ones, all."""
NEWER_OPSET = re.compile(r"opset (\d+) is required(?: for [^,]+)?, got")
LOSES_DIGITS = "would lose digits"
"""What refusals to compute in another precision say; other chains take the place of such."""


class Trial(NamedTuple):
    """A chain with what came of it."""

    chain: Chain
    faults: list[str]
    """What is wrong in ONNX Runtime, in words."""
    refusal: str
    """Why the chain has no model, or nothing."""


def trial(seed: int) -> Trial:
    """Run the chain of a seed, or if its values are unfit that of one of the seeds that belong to it."""
    for part in range(1000):
        chain = chain_of(seed + 1_000_003 * part)
        for salt in range(3):
            draw_values(chain, salt)
            try:
                want = expected(chain)
                model = lowered(chain)
            except Unfit:
                continue
            except ConversionError as exc:
                if LOSES_DIGITS in str(exc):
                    continue
                return Trial(chain, [], str(exc))
            except MXNetError:
                continue
            return Trial(chain, list(_faults(chain, model, want)), "")
    raise AssertionError(f"seed {seed} gives no chain with stable values")


def lowered(chain: Chain) -> Any:
    """The chain as an ONNX model, of a newer opset if it has to be."""
    try:
        return _lowered(chain)
    except ConversionError as exc:
        newer = NEWER_OPSET.search(str(exc))
        if newer is None or int(newer[1]) <= chain.opset:
            raise
        chain.opset = int(newer[1])
        return _lowered(chain)


def _lowered(chain: Chain) -> Any:
    """The chain as an ONNX model, with a free batch size if it can have one."""
    inputs = {f"x{i}": spec for i, (_, spec) in enumerate(chain.draws) if i not in chain.constants}
    params = {f"x{i}": chain.values[i] for i in chain.constants}
    names = [f"y{i}" for i in range(len(chain.results))]
    options: dict[str, Any] = {"opset": chain.opset, "outputs": names, "local": chain.local}
    if chain.free:
        shape, dtype = inputs["x0"]
        free = {**inputs, "x0": Spec((None, *(shape or ())[1:]), dtype)}
        try:
            return lower(chain.symbol(), free, params, **options).model
        except NeedsShape:
            chain.free = False
    return lower(chain.symbol(), inputs, params, **options).model


def run_model(model: Any, feeds: Mapping[str, Array], level: int) -> list[Array]:
    """The model's outputs in ONNX Runtime with the optimizations of a level."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel(level)
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    outputs: list[Array] = session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})
    return outputs


def _faults(chain: Chain, model: Any, want: Expected) -> Iterator[str]:
    if EMPTY_ARRAYS_END_PROCESS and any(0 in (spec.shape or ()) for spec in chain.specs.values()):
        return
    for level in LEVELS:
        try:
            outputs = run_model(model, chain.feeds(), level)
        except FAILURES as exc:
            yield f"level {level}: {exc}"
            continue
        yield from (f"level {level}: {what}" for what in _differences(want, outputs))


def _differences(want: Expected, outputs: Sequence[Array]) -> Iterator[str]:
    for i, (a, b, allowed) in enumerate(zip(outputs, want.values, want.allowed, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            yield f"output {i} is {a.dtype} {a.shape}, on the kernels {b.dtype} {b.shape}"
            continue
        with np.errstate(all="ignore"):
            off = np.abs(a.astype(np.float64) - b.astype(np.float64))
        bad = ~((off <= allowed) | (a == b) | ((a != a) & (b != b)))
        if bad.any():
            at = np.unravel_index(np.argmax(np.where(bad, np.nan_to_num(off, nan=np.inf), -1)), a.shape)
            where = tuple(map(int, at))
            yield f"output {i} differs in {bad.sum()} of {a.size}: {a[at]} at {where}, on the kernels {b[at]}"
