"""Lowering of draws of different classes, which arrive with the number of draws behind each row."""

from __future__ import annotations

from hybridonnx.ops.zipfian import SampleUniqueZipfian

from ._graph import Graph, Value
from ._registry import lowers


@lowers(SampleUniqueZipfian)
def sample_unique_zipfian(g: Graph, op: SampleUniqueZipfian, noise: Value) -> tuple[Value, Value]:
    count = op.sizes()[1]
    last = g.Slice(noise, [count], [count + 1], [1])
    return g.Slice(noise, [0], [count], [1]), g.Squeeze(last, [1])
