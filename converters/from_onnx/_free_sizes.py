"""The names of a model's free sizes, in ONNX's messages and as expressions."""

from __future__ import annotations

from collections.abc import Iterable

from onnx import TensorProto, ValueInfoProto

from hybridonnx.ops import SymbolicDim, same

from ..types import Sizes as Texts
from ._result_sizes import Sizes
from ._vectors import Size


class FreeSizes:
    """What stands for the free sizes of a model: the names of its inputs' sizes, and expressions of them.

    ONNX makes up a name for a size that it cannot tell, the same one wherever it knows two to be equal.
    What such a name turns out to be is remembered for all values that have it.
    """

    def __init__(self, inputs: Iterable[ValueInfoProto]) -> None:
        self._texts = Texts()
        self._run = 0
        self._bound: dict[str, Size] = {}
        """What made-up names turned out to be."""
        self._made_up: set[str] = set()
        dims = [d for info in inputs for d in info.type.tensor_type.shape.dim]
        for text in {d.dim_param for d in dims if d.dim_param}:
            self._texts.name(SymbolicDim.named(text))

    def begin(self) -> None:
        """ONNX infers anew, and makes up names anew."""
        self._run += 1

    def text(self, size: Size | None) -> int | str | None:
        """The size as ONNX has it."""
        return self._texts.name(size) if isinstance(size, SymbolicDim) else size

    def texts(self) -> Texts:
        """The names that stand for sizes."""
        return self._texts

    def size(self, dim: TensorProto) -> Size | None:
        """The size that one of ONNX's means."""
        if dim.HasField("dim_value"):
            return dim.dim_value if dim.dim_value >= 0 else None
        return self._named(dim.dim_param) if dim.dim_param else None

    def _named(self, text: str) -> Size:
        known = self._texts.dim(text)
        if isinstance(known, SymbolicDim):
            return known
        name = f"size{self._run}_{text.rpartition('_')[2]}"
        while self._texts.dim(name) is not None:
            name += "_"
        self._made_up.add(name)
        return SymbolicDim.named(name)

    def is_open(self, size: Size | None) -> bool:
        """Whether nothing is known of a size but perhaps a name."""
        return size is None or (isinstance(size, SymbolicDim) and size.name in self._made_up)

    def has_made_up(self, size: SymbolicDim) -> bool:
        """Whether a name in an expression is none of the inputs'."""
        return not self._made_up.isdisjoint(size.names())

    def resolved(self, sizes: Sizes) -> Sizes:
        """Sizes with what their names have turned out to be."""
        return tuple(self._bound.get(d.name or "", d) if isinstance(d, SymbolicDim) else d for d in sizes)

    def merged(self, sizes: Sizes | None, other: Sizes | None) -> Sizes | None:
        """What is known of a shape from two sources; names that the first one made up become known."""
        if sizes is None or other is None or len(sizes) != len(other):
            return other if sizes is None else sizes
        return tuple(self._merged(a, b) for a, b in zip(sizes, other, strict=True))

    def _merged(self, a: Size | None, b: Size | None) -> Size | None:
        if isinstance(a, int) or b is None:
            return a
        if a is None:
            return b
        if self.is_open(a):
            if not same(a, b) and (isinstance(b, int) or a.name not in b.names()):
                self._bound[a.name or ""] = b
            return b
        return b if isinstance(b, int) else a
