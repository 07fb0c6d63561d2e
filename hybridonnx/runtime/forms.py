"""Which sizes of a graph's inputs a session leaves free: those that differ from call to call."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeAlias

from .. import config
from ..dtypes import DType
from ..ops import Spec, SymbolicDim

logger = logging.getLogger("hybridonnx")

Shapes: TypeAlias = Sequence[tuple[int, ...]]
Form: TypeAlias = tuple[tuple[int | str, ...], ...]
"""For each axis of each input the size that it must have, or a name for any; equal names are equal sizes."""
_Place: TypeAlias = tuple[int, int]
"""An input and one of its axes."""

_MOST_FORMS = 64
"""How many forms are looked through for one that fits."""
_MOST_DROPPED = 1024
"""How many sessions are remembered that were dropped."""


class Forms:
    """The forms that one graph is compiled in, for inputs of certain dtypes and ranks.

    Sizes that differ in a later call than the first are free from then on; those that were equal in all calls
    have one name. A form that the graph cannot be lowered in gives way to one that leaves less free.

    With `patience` so many shapes have forms of their own before any size is free: a session that knows all
    sizes may be faster.

    In prediction the first axes are free at once. A size of 1 is not free, but on these axes: gradients are
    summed over axes along which an array was broadcast, and that a size is 1 tells which these are; and what
    is left of 1 may be nothing, which nodes of ONNX Runtime refuse.
    """

    def __init__(
        self, names: Sequence[str], shapes: Shapes, predicts: bool, learns: bool = True, patience: int = 0
    ) -> None:
        """Begin with the shapes of the first call; without `learns` no later one frees anything."""
        self._names = names
        self._first = dict(_places(shapes))
        self._groups: dict[_Place, Any] = dict(self._first)
        """Equal for places whose sizes were equal in all calls."""
        self._varying: set[_Place] = set()
        self._outer = {place for place in self._first if place[1] == 0} if predicts else set()
        self._learns = learns
        self._patience = patience
        self._own: set[Form] = set()
        """The forms of shapes that have one of their own."""
        self._free: OrderedDict[Form, None] = OrderedDict()
        """The forms with free sizes that the graph was lowered in, the latest last."""
        self._refused: set[Any] = set()
        self.reason = ""
        """Why the graph could not be lowered in a form that leaves more free."""

    def fitting(self, shapes: Shapes) -> Iterator[Form]:
        """The forms for these shapes: first those that the graph was lowered in, then others to try."""
        own = self._form(shapes, ())
        if own in self._own:
            yield own
        yield from [form for form in reversed(self._free) if self._fits(form, shapes)]
        if self._learns:
            self._note(shapes)
        if len(self._own) < self._patience:
            self._own.add(own)
            yield own
        tried = set()
        for free in self._choices():
            form = self._form(shapes, {p for p in free if self._may_be_free(p, shapes[p[0]][p[1]])})
            if form not in tried and _pattern(form) not in self._refused:
                tried.add(form)
                yield form

    def accept(self, form: Form) -> None:
        """Remember that the graph was lowered in a form."""
        if is_free(form):
            self._free[form] = None
            self._free.move_to_end(form)
            if len(self._free) > _MOST_FORMS:
                self._free.popitem(last=False)

    def refuse(self, form: Form, reason: str) -> None:
        """Remember that the graph cannot be lowered with the sizes free that this form leaves free."""
        self._refused.add(_pattern(form))
        self._free.pop(form, None)
        self.reason = reason

    def _may_be_free(self, place: _Place, size: int) -> bool:
        return size > 1 or place in self._outer

    def _fits(self, form: Form, shapes: Shapes) -> bool:
        sizes: dict[str, int] = {}
        for place, size in _places(shapes):
            wanted = form[place[0]][place[1]]
            if isinstance(wanted, int):
                if wanted != size:
                    return False
            elif sizes.setdefault(wanted, size) != size or not self._may_be_free(place, size):
                return False
        return True

    def _note(self, shapes: Shapes) -> None:
        numbers: dict[Any, int] = {}
        for place, size in _places(shapes):
            if size != self._first[place]:
                self._varying.add(place)
            self._groups[place] = numbers.setdefault((self._groups[place], size), len(numbers))

    def _choices(self) -> list[set[_Place]]:
        """The places that may be free, from most to least."""
        varying, outer = self._varying, self._outer
        return [varying | outer, varying, {p for p in varying if p[1] == 0}, outer, set()]

    def _form(self, shapes: Shapes, free: Collection[_Place]) -> Form:
        named: dict[Any, str] = {}
        form: list[list[int | str]] = [list(shape) for shape in shapes]
        for place in sorted(free):
            group = self._groups[place] if place in self._varying else place
            form[place[0]][place[1]] = named.setdefault(group, f"{self._names[place[0]]}_{place[1]}")
        return tuple(map(tuple, form))


def is_free(form: Form) -> bool:
    """Whether any size is free."""
    return any(isinstance(size, str) for sizes in form for size in sizes)


def specs_of(form: Form, names: Sequence[str], dtypes: Sequence[DType]) -> dict[str, Spec]:
    """What is known of the inputs by a form, by their names."""
    shapes = [tuple(SymbolicDim.named(d) if isinstance(d, str) else d for d in sizes) for sizes in form]
    return dict(zip(names, map(Spec, shapes, dtypes), strict=True))


def sizes_of(form: Form, shapes: Shapes) -> dict[str, int]:
    """What the free sizes of a form are in these shapes, which fit it."""
    pairs = (
        (d, n) for sizes, shape in zip(form, shapes, strict=True) for d, n in zip(sizes, shape, strict=True)
    )
    return {d: n for d, n in pairs if isinstance(d, str)}


def _places(shapes: Shapes) -> Iterator[tuple[_Place, int]]:
    return (((i, axis), size) for i, shape in enumerate(shapes) for axis, size in enumerate(shape))


def _pattern(form: Form) -> Any:
    """Where a form leaves sizes free, and which of them are equal; `None` of one that leaves none."""
    pattern = tuple(tuple(d if isinstance(d, str) else None for d in sizes) for sizes in form)
    return pattern if is_free(form) else None


class Kept(OrderedDict[Any, Any]):
    """What was compiled for some forms, the least recently used out first."""

    def __init__(self) -> None:
        super().__init__()
        self._dropped: OrderedDict[Any, None] = OrderedDict()
        self._count = 0
        self._warned = False

    def used(self, key: Any) -> Any:
        """What was compiled for a key, now the most recently used; `None` if nothing is kept."""
        value = self.get(key)
        if value is not None:
            self.move_to_end(key)
        return value

    def keep(self, key: Any, value: Any, reason: str = "") -> bool:
        """Add what was compiled, and say whether something else was dropped for it.

        When that goes on and on it is told once, with the reason why one form does not do for all.
        """
        self[key] = value
        self.move_to_end(key)
        most, again = config.SESSIONS(), key in self._dropped
        excess = max(len(self) - most, 0)
        for _ in range(excess):
            old, _ = self.popitem(last=False)
            self._dropped[old] = None
            self._count += 1
        while len(self._dropped) > _MOST_DROPPED:
            self._dropped.popitem(last=False)
        if excess and not self._warned and (again or self._count >= most):
            self._warned = True
            _warn(most, reason)
        return bool(excess)


def _warn(most: int, reason: str) -> None:
    logger.warning(
        "hybridize: sessions were compiled for more combinations of input shapes than the %d that are kept "
        "(HYBRIDONNX_SESSIONS), and each takes as long as a first call. Bring the inputs to fewer shapes, as "
        "by padding, keep more sessions, or run the block without hybridize().%s",
        most,
        f" Sizes stay fixed because of: {reason}" if reason else "",
    )


__all__ = ["Form", "Forms", "Kept", "is_free", "specs_of"]
