"""Free sizes, proven: both models at other sizes than those of the samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from ..errors import ConversionError, MXNetError
from .difference import Difference, Verdict
from .drawing import Draws
from .models import Arrays, Runnable
from .results import SizeTrial
from .sizes import Sizes

Differences: TypeAlias = tuple[Difference, ...]


def base_of(first: Runnable, draws: Draws, seed: int) -> Sizes:
    """Sizes that the first model takes: the first of some that are usual.

    Raises:
        ConversionError: If it takes none of them.
    """
    reason: MXNetError | None = None
    for sizes in draws.free.bases():
        try:
            first.run(draws.sample(sizes, seed))
        except MXNetError as exc:
            reason = reason or exc
        else:
            return sizes
    raise ConversionError(
        f"verify: inputs are required, as the first model does not take those that are drawn: {reason}"
    ) from reason


class Proof:
    """The trials of two models at all sizes that are asked for."""

    def __init__(
        self, first: Runnable, draws: Draws, seed: int, compare: Callable[[Arrays, Arrays], Differences]
    ) -> None:
        """Take what is needed for trials.

        Args:
            first: The first model.
            draws: What draws inputs for both.
            seed: Of the draws.
            compare: Compares the second model's outputs for inputs with the first one's, which it is given.
        """
        self._first, self._draws, self._seed, self._compare = first, draws, seed, compare
        self._taken: dict[str, list[int]] = {name: [] for name in draws.free.names}

    def trials(self, base: Sizes) -> Iterator[SizeTrial]:
        """Each free size by itself at other numbers than in `base`, then all together."""
        free, done = self._draws.free, [base]
        for name, sizes in free.separately(base):
            done.append(sizes)
            yield self._tried(sizes, name)
        for name in [name for name, sizes in self._taken.items() if not sizes]:
            more = free.another(name, base)
            if more is not None and more not in done:
                done.append(more)
                yield self._tried(more, name)
        for choices in free.together(base, self._taken):
            for sizes in choices:
                if sizes in done:
                    break
                done.append(sizes)
                trial = self._tried(sizes)
                yield trial
                if not trial.refusal:
                    break

    def _tried(self, sizes: Sizes, name: str | None = None) -> SizeTrial:
        changed = tuple(sizes) if name is None else (name,)
        try:
            sample = self._draws.sample(sizes, self._seed)
            own = self._first.run(sample)
        except MXNetError as exc:
            return SizeTrial(sizes, changed, refusal=str(exc))
        if name is not None:
            self._taken[name].append(sizes[name])
        try:
            return SizeTrial(sizes, changed, self._compare(own, sample))
        except MXNetError as exc:
            return SizeTrial(sizes, changed, failed(own, exc))


def failed(own: Arrays, reason: MXNetError) -> Differences:
    """All outputs at fault, as the second model did not run where the first gave these."""
    far = float("inf")
    return tuple(
        Difference(name, y.shape, far, far, Verdict.FAULT, share=far, note=str(reason))
        for name, y in own.items()
    )
