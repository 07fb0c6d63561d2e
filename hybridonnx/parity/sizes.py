"""The free sizes of two models: their names, and which numbers they are proven at."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import AttributeValueError
from ..ops import Dim, Spec, SymbolicDim

Sizes: TypeAlias = dict[str, int]
"""A number for each free size."""

PROVEN = (1, 2, 7)
"""The sizes at which free ones are proven."""
_ROWS = (2, 1)
_BASES = (2, 7, 16, 32, 64, 128, 224)
"""What the sizes of other axes are taken for: the first that a model takes."""
_LONGEST = 200
"""Characters of an expression: a parser can run out of stack over longer ones, which count as no name."""
_OPERATORS: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Div: lambda a, b: a // b,
}


def dim(size: object, name: str, axis: int) -> Dim:
    """A size as a number or an expression of names; one without a name is called by its input and axis.

    Args:
        size: A number, a name, an expression of names such as `past + 1`, or `None`.
        name: The input's name.
        axis: Which of its axes it is.
    """
    if isinstance(size, SymbolicDim):
        return size
    if isinstance(size, str) and 0 < len(size) <= _LONGEST:
        return _expression(size)
    return SymbolicDim.named(f"{name}_{axis}") if size is None or isinstance(size, str) else int(str(size))


def _expression(text: str) -> Dim:
    """A size of an expression; of its whole text as a name where that is none."""
    try:
        value = _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return SymbolicDim.named(text)
    return value if isinstance(value, SymbolicDim) else SymbolicDim.named(text)


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return SymbolicDim.named(node.id)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError


def declared(shape: Sequence[object] | None, other: Sequence[object] | None) -> Sequence[object] | None:
    """A shape of which two sources tell: a number of either, else a name of the first, else of the other."""
    if shape is None or other is None or len(shape) != len(other):
        return other if shape is None else shape
    return tuple(_declared(a, b) for a, b in zip(shape, other, strict=True))


def _declared(a: object, b: object) -> object:
    return b if a is None or a == "" or (not isinstance(a, int) and isinstance(b, int)) else a


class FreeSizes:
    """The free sizes of a model's inputs, and at which numbers they are tried."""

    def __init__(self, what: str, inputs: Mapping[str, Spec], sizes: Mapping[str, Any] | None) -> None:
        """Take the names from the inputs.

        Args:
            what: Who asks, as errors say.
            inputs: Their shapes are known.
            sizes: A number, or several, for some of the names.
        """
        self._shapes = {name: spec.shape or () for name, spec in inputs.items()}
        free = [d for shape in self._shapes.values() for d in shape if isinstance(d, SymbolicDim)]
        self.names = list(dict.fromkeys(name for d in free for name in sorted(d.names())))
        rows = [shape[0] for shape in self._shapes.values() if shape]
        self._rows = {d.name for d in rows if isinstance(d, SymbolicDim)}
        self._wanted = {name: _listed(what, name, value) for name, value in (sizes or {}).items()}
        strange = [name for name in self._wanted if name not in self.names]
        if strange:
            known = f"names of free sizes, {', '.join(self.names)}," if self.names else "no sizes"
            raise AttributeValueError(
                f"{what}: {known} are required, as the inputs have them, got {strange[0]}."
            )

    def shapes(self, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        """The inputs' shapes where free sizes are these."""
        return {
            name: tuple(d.value(sizes) if isinstance(d, SymbolicDim) else int(d or 0) for d in shape)
            for name, shape in self._shapes.items()
        }

    def bases(self) -> Iterator[Sizes]:
        """What all sizes may be taken for to begin with, in the order to be tried."""
        fixed = {name: _middle(sizes) for name, sizes in self._wanted.items()}
        seen: list[Sizes] = []
        for rows in _ROWS:
            for rest in _BASES:
                base = {name: rows if name in self._rows else rest for name in self.names} | fixed
                if base not in seen:
                    seen.append(base)
                    yield base

    def separately(self, base: Sizes) -> Iterator[tuple[str, Sizes]]:
        """Sizes of which one, whose name comes first, is another than in `base`."""
        for name in self.names:
            for size in self._wanted.get(name, PROVEN):
                if size != base[name]:
                    yield name, {**base, name: size}

    def another(self, name: str, base: Sizes) -> Sizes | None:
        """One more size of a name of which none but that in `base` was taken; `None` where the user chose."""
        return None if name in self._wanted else {**base, name: 2 * base[name]}

    def together(self, base: Sizes, taken: Mapping[str, Sequence[int]]) -> Iterator[list[Sizes]]:
        """Sizes that are all others than in `base`; each with what may be tried instead.

        Args:
            base: The sizes to begin with.
            taken: Sizes of each name that the model took by themselves.
        """
        if len(self.names) < 2:
            return
        lists = {name: list(self._wanted.get(name, PROVEN)) for name in self.names}
        for k in range(max(map(len, lists.values()))):
            every = {name: sizes[min(k, len(sizes) - 1)] for name, sizes in lists.items()}
            some = {name: size if size in taken.get(name, ()) else base[name] for name, size in every.items()}
            yield [every] if every == some else [every, some]


def _middle(sizes: Sequence[int]) -> int:
    return 2 if 2 in sizes else sizes[0]


def _listed(what: str, name: str, value: Any) -> tuple[int, ...]:
    sizes = (value,) if isinstance(value, int) else tuple(value)
    if not sizes or not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise AttributeValueError(
            f"{what}: a number, or several, such as {{'{name}': (1, 2, 7)}}, is required for {name}, got "
            f"{value!r}."
        )
    return sizes
