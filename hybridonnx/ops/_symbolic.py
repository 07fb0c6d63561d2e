"""Sizes that are known only when a model runs: expressions of named sizes in a normal form.

Shape inference calculates with them as with integers. Arithmetic gives expressions, and a comparison is
answered where every size gives the same answer. Where the answer depends on the size, or an integer is
asked for, `UndecidedError` is raised, which inference takes for "unknown". So a rule that was written for
integers may learn less of an expression than there is to know, but nothing that is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from math import ceil, floor, gcd, inf, prod
from typing import NamedTuple, Never, TypeAlias

import numpy as np

from ..errors import ShapeError

_MOST_TERMS = 24
_MOST_TEXT = 400
_MOST_CASES = 6


class UndecidedError(ShapeError):
    """A question whose answer depends on a size that is known only when the model runs."""


class Quotient(NamedTuple):
    """`dividend // divisor`, rounded down."""

    dividend: Known
    divisor: Known


class Excess(NamedTuple):
    """`size` where that is positive, else 0."""

    size: SymbolicDim


class SymbolicDim:
    """A size as a sum of products of names, floor divisions and positive parts, with integer factors.

    A name stands for any integer from 0 up. Equal expressions have equal `text`; arithmetic whose result does
    not depend on any name gives an integer. Use `named` and arithmetic to make one.
    """

    __array_ufunc__ = None  # so that NumPy's integers leave arithmetic to this class

    def __init__(self, terms: Mapping[Product, int]) -> None:
        texts = sorted((not product, _product_text(product), product) for product in terms)
        self.terms: dict[Product, int] = {product: terms[product] for _, _, product in texts}
        """Products of atoms with their factors; the constant is that of the empty product, which is last."""
        self.text = _sum_text(self.terms)
        if len(self.terms) > _MOST_TERMS or len(self.text) > _MOST_TEXT:
            raise UndecidedError(f"a size of fewer terms is required, got {self.text[:_MOST_TEXT]}.")

    @classmethod
    def named(cls, name: str) -> SymbolicDim:
        """The size of this name."""
        return cls({(name,): 1})

    @property
    def name(self) -> str | None:
        """The name, if the expression is nothing else."""
        (product, factor), *more = self.terms.items()
        single = not more and factor == 1 and len(product) == 1
        return product[0] if single and isinstance(product[0], str) else None

    def names(self) -> set[str]:
        """All names in the expression."""
        return {name for product in self.terms for atom in product for name in _names(atom)}

    def value(self, sizes: Mapping[str, int]) -> int:
        """The size, given those that are named."""
        return sum(
            factor * prod(_atom_value(atom, sizes) for atom in product)
            for product, factor in self.terms.items()
        )

    def __str__(self) -> str:
        return self.name or self.text

    def __repr__(self) -> str:
        return f"<SymbolicDim {self.text}>"

    def __hash__(self) -> int:
        return hash(self.text)

    # ---- arithmetic

    def __add__(self, other: object) -> Known:
        return _sum([*self.terms.items(), *_terms(other)])

    def __mul__(self, other: object) -> Known:
        return _sum((_merged(p, q), a * b) for p, a in self.terms.items() for q, b in _terms(other))

    def __neg__(self) -> Known:
        return self * -1

    def __sub__(self, other: object) -> Known:
        return self + _known(other) * -1

    def __rsub__(self, other: object) -> Known:
        return self * -1 + _known(other)

    def __floordiv__(self, other: object) -> Known:
        return _quotient(self, _known(other))

    def __rfloordiv__(self, other: object) -> Known:
        return _quotient(_known(other), self)

    def __mod__(self, other: object) -> Known:
        return self - self // other * _known(other)

    def __divmod__(self, other: object) -> tuple[Known, Known]:
        return self // other, self % other

    __radd__, __rmul__ = __add__, __mul__

    def _undecided(self, *_: object) -> Never:
        raise UndecidedError(f"a size that is known is required, got {self.text}.")

    __index__ = __int__ = __float__ = __trunc__ = __floor__ = __ceil__ = __round__ = __abs__ = _undecided
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __rmod__ = __rdivmod__ = _undecided

    # ---- comparison

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | float | np.integer | SymbolicDim):
            return NotImplemented
        if isinstance(other, SymbolicDim) and self.text == other.text:
            return True
        difference = self - other
        if isinstance(difference, int):
            return difference == 0
        return self._undecided() if difference.least <= 0 <= difference.most else False

    def __lt__(self, other: object) -> bool:
        return _is_positive(_known(other) - self)

    def __gt__(self, other: object) -> bool:
        return _is_positive(self - other)

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __bool__(self) -> bool:
        return self != 0

    @cached_property
    def least(self) -> float:
        """A number that the size is never below; -inf if none is known."""
        return _least(self.terms)

    @cached_property
    def most(self) -> float:
        """A number that the size is never above; inf if none is known."""
        return -_least({product: -factor for product, factor in self.terms.items()})


Known: TypeAlias = int | SymbolicDim
Atom: TypeAlias = str | Quotient | Excess
Product: TypeAlias = tuple[Atom, ...]


def same(a: Known | None, b: Known | None) -> bool:
    """Whether two sizes are written alike: a question of form, which is never undecided."""
    if isinstance(a, SymbolicDim) or isinstance(b, SymbolicDim):
        return isinstance(a, SymbolicDim) and isinstance(b, SymbolicDim) and a.text == b.text
    return a == b


def positive_part(size: Known) -> Known:
    """The size where it is positive, else 0."""
    if isinstance(size, int):
        return max(size, 0)
    if size.least >= 0:
        return size
    if size.most <= 0:
        return 0
    shared = gcd(*size.terms.values())
    if shared > 1:
        return positive_part(_sum((p, f // shared) for p, f in size.terms.items())) * shared
    (product, factor), *more = size.terms.items()
    if factor < 0:
        return positive_part(-size) + size
    if len(product) == 1 and isinstance(product[0], Excess) and factor == 1 and all(not p for p, _ in more):
        return positive_part(product[0].size + size.terms.get((), 0))  # the constant is negative here
    return SymbolicDim({(Excess(size),): 1})


def larger(a: Known, b: Known) -> Known:
    """The larger of two sizes."""
    return positive_part(a - b) + b


def smaller(a: Known, b: Known) -> Known:
    """The smaller of two sizes."""
    return a - positive_part(a - b)


# ---- sums and products


def _known(value: object) -> Known:
    """An integer or an expression; nothing else can be calculated with."""
    if isinstance(value, SymbolicDim | int):
        return value
    if isinstance(value, np.integer):
        return int(value)
    raise UndecidedError(f"an integer is required beside a size that is not known, got {value!r}.")


def _terms(value: object) -> Iterable[tuple[Product, int]]:
    size = _known(value)
    return size.terms.items() if isinstance(size, SymbolicDim) else [((), size)]


def _sum(terms: Iterable[tuple[Product, int]]) -> Known:
    total: Counter[Product] = Counter()
    for product, factor in terms:
        total[product] += factor
    nonzero = {product: factor for product, factor in total.items() if factor}
    return SymbolicDim(nonzero) if any(nonzero) else nonzero.get((), 0)


def _merged(a: Product, b: Product) -> Product:
    return tuple(sorted(a + b, key=_atom_text))


# ---- quotients


def _quotient(dividend: Known, divisor: Known) -> Known:
    if isinstance(divisor, SymbolicDim):
        exact = _exact_quotient(dividend, divisor)
        return SymbolicDim({(Quotient(dividend, divisor),): 1}) if exact is None else exact
    if isinstance(dividend, int):
        return dividend // divisor
    if divisor < 1:
        return _quotient(-dividend, -divisor) if divisor else dividend._undecided()
    multiples = _sum((p, f // divisor) for p, f in dividend.terms.items())
    rest = _sum((p, f % divisor) for p, f in dividend.terms.items())
    return multiples + _remaining_quotient(rest, divisor)


def _remaining_quotient(dividend: Known, divisor: int) -> Known:
    """A quotient whose dividend's factors are all from 0 to below the divisor."""
    if isinstance(dividend, int):
        return dividend // divisor
    shared = gcd(divisor, *(f for p, f in dividend.terms.items() if p))
    if shared > 1:
        return _quotient(_sum((p, f // shared) for p, f in dividend.terms.items()), divisor // shared)
    product, factor = next(iter(dividend.terms.items()))
    inner = product[0]
    alone = len(product) == 1 and factor == 1 and sum(map(bool, dividend.terms)) == 1
    if alone and isinstance(inner, Quotient) and isinstance(inner.divisor, int):
        constant = dividend.terms.get((), 0) * inner.divisor
        return _quotient(inner.dividend + constant, inner.divisor * divisor)
    low, high = dividend.least / divisor, dividend.most / divisor
    if inf not in (-low, high) and floor(low) == floor(high):
        return floor(low)
    return SymbolicDim({(Quotient(dividend, divisor),): 1})


def _exact_quotient(dividend: Known, divisor: SymbolicDim) -> Known | None:
    """The quotient by long division of polynomials, or `None` if there is a remainder."""
    lead, factor = max(divisor.terms.items(), key=_degree)
    result: Known = 0
    for _ in range(_MOST_TERMS):
        if isinstance(dividend, int):
            return result if dividend == 0 else None
        product, times = max(dividend.terms.items(), key=_degree)
        left = _without(product, lead)
        if left is None or times % factor:
            return None
        part = _sum([(left, times // factor)])
        result = part + result
        dividend = dividend - part * divisor
    return None


def _degree(term: tuple[Product, int]) -> tuple[int, str]:
    return len(term[0]), _product_text(term[0])


def _without(product: Product, part: Product) -> Product | None:
    """A product without the atoms of another, if it has them all."""
    texts, left = list(map(_atom_text, product)), list(product)
    for text in map(_atom_text, part):
        if text not in texts:
            return None
        del left[texts.index(text)]
        texts.remove(text)
    return tuple(left)


# ---- bounds


def _is_positive(size: Known) -> bool:
    if isinstance(size, int):
        return size > 0
    return size.least > 0 or (size._undecided() if size.most > 0 else False)


def _least(terms: Mapping[Product, int], cases: int = _MOST_CASES) -> float:
    """A lower bound: the constant if nothing else can be negative.

    Else a positive part is looked at in its two cases, and a quotient is bounded by its dividend.
    """
    if all(factor > 0 and all(map(_is_natural, product)) for product, factor in terms.items() if product):
        return terms.get((), 0)
    for product, factor in terms.items() if cases else ():
        atom = product[0] if len(product) == 1 else None
        rest = [(p, f) for p, f in terms.items() if p is not product]
        if isinstance(atom, Excess):
            shifted = [*rest, *((p, factor * f) for p, f in atom.size.terms.items())]
            return min(_least_sum(rest, cases - 1), _least_sum(shifted, cases - 1))
        if isinstance(atom, Quotient) and isinstance(atom.divisor, int):
            by = atom.divisor
            scaled = [(p, by * f) for p, f in rest]
            scaled += [(p, factor * f) for p, f in _terms(atom.dividend)]
            least = _least_sum([*scaled, ((), -max(factor, 0) * (by - 1))], cases - 1)
            return least if least == -inf else ceil(least / by)
    return -inf


def _least_sum(terms: Iterable[tuple[Product, int]], cases: int) -> float:
    size = _sum(terms)
    return size if isinstance(size, int) else _least(size.terms, cases)


def _is_natural(atom: Atom) -> bool:
    """Whether an atom is never negative."""
    if not isinstance(atom, Quotient):
        return True
    least = [size if isinstance(size, int) else size.least for size in atom]
    return min(least) >= 0


# ---- inside of atoms


def _atom_value(atom: Atom, sizes: Mapping[str, int]) -> int:
    if isinstance(atom, str):
        return sizes[atom]
    numbers = [size if isinstance(size, int) else size.value(sizes) for size in atom]
    return numbers[0] // numbers[1] if isinstance(atom, Quotient) else max(numbers[0], 0)


def _names(atom: Atom) -> set[str]:
    if isinstance(atom, str):
        return {atom}
    return {name for size in atom if isinstance(size, SymbolicDim) for name in size.names()}


def _atom_text(atom: Atom) -> str:
    if isinstance(atom, str):
        return atom if atom.isidentifier() else repr(atom)
    if isinstance(atom, Excess):
        return f"max({atom.size.text}, 0)"
    return "//".join(map(_factor_text, atom))


def _factor_text(size: Known) -> str:
    """A size as it stands beside `//`."""
    if isinstance(size, int) or size.name:
        return _sum_text(dict(_terms(size)))
    return f"({size.text})"


def _product_text(product: Product) -> str:
    return "*".join(map(_atom_text, product))


def _sum_text(terms: Mapping[Product, int]) -> str:
    parts = []
    for product, factor in terms.items():
        factors = [str(abs(factor))] if abs(factor) != 1 or not product else []
        single = factor == 1 and len(product) == 1
        factors += [
            f"({_atom_text(a)})" if isinstance(a, Quotient) and not single else _atom_text(a) for a in product
        ]
        parts.append(f"{'-' if factor < 0 else '+'} {'*'.join(factors)}")
    return " ".join(parts).removeprefix("+ ").replace("- ", "-", parts[0].startswith("-"))
