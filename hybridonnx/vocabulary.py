"""Words and their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from .errors import BoundsError, RequirementError

__all__ = ["Vocabulary"]

UNKNOWN = 0
"""The number of words that are not known."""


class InvalidIndexError(BoundsError, ValueError):
    """A number that no word has, where MXNet raises ValueError."""


class Vocabulary:
    """Words and their numbers: 0 is the unknown one, then come reserved ones, then others by frequency.

    Args:
        counter: How often each word occurs.
        most_freq_count: How many words are taken at most, besides the unknown and reserved ones.
        min_freq: Words that occur less often are left out.
        unknown_token: What stands for words that are not known.
        reserved_tokens: Words that are there in any case, such as one for padding.

    Raises:
        AssertionError: `min_freq` is not positive, `counter` no Counter, or a reserved word is there twice.
    """

    def __init__(
        self,
        counter: Counter[Any] | None = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: Hashable = "<unk>",
        reserved_tokens: Sequence[Hashable] | None = None,
    ) -> None:
        if min_freq <= 0:
            raise RequirementError(f"Vocabulary: min_freq must be positive, got {min_freq}.")
        reserved = list(reserved_tokens or ())
        if unknown_token in reserved or len(set(reserved)) < len(reserved):
            raise RequirementError(
                f"Vocabulary: reserved_tokens must differ from each other and from {unknown_token!r}, got "
                f"{reserved}."
            )
        self._unknown_token = unknown_token
        self._reserved_tokens = None if reserved_tokens is None else reserved
        self._idx_to_token: list[Any] = [unknown_token, *reserved]
        self._token_to_idx: dict[Any, int] = {token: i for i, token in enumerate(self._idx_to_token)}
        if counter is not None:
            self._add_counted(counter, most_freq_count, min_freq)

    def _add_counted(self, counter: Counter[Any], most: int | None, least: int) -> None:
        if not isinstance(counter, Counter):
            raise RequirementError(
                f"Vocabulary: a collections.Counter is required, got {type(counter).__name__}."
            )
        room = len(self) + (len(counter) if most is None else most)
        for token, count in sorted(sorted(counter.items()), key=lambda pair: -pair[1]):
            if count < least or len(self) == room:
                break
            if token not in self._token_to_idx:
                self._add(token)

    def _add(self, token: Any) -> None:
        self._token_to_idx[token] = len(self._idx_to_token)
        self._idx_to_token.append(token)

    def __len__(self) -> int:
        return len(self._idx_to_token)

    @property
    def token_to_idx(self) -> dict[Any, int]:
        """The number of each word."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[Any]:
        """The words in the order of their numbers."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> Any:
        """What stands for words that are not known."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> list[Any] | None:
        """Words that are there in any case."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """The number of a word, or of each in a list; 0 for those that are not known."""
        if isinstance(tokens, list):
            return [self._token_to_idx.get(token, UNKNOWN) for token in tokens]
        return self._token_to_idx.get(tokens, UNKNOWN)

    def to_tokens(self, indices: Any) -> Any:
        """The word of a number, or of each in a list. Raises `ValueError` for numbers that no word has."""
        numbers = indices if isinstance(indices, list) else [indices]
        for i in numbers:
            if not isinstance(i, int) or not 0 <= i < len(self):
                raise InvalidIndexError(
                    f"Vocabulary: numbers from 0 to {len(self) - 1} are required, got {i!r}."
                )
        tokens = [self._idx_to_token[i] for i in numbers]
        return tokens if isinstance(indices, list) else tokens[0]
