"""Words and their numbers."""

from ...vocabulary import Vocabulary

__all__ = ["Vocabulary"]
