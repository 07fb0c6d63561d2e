"""Words counted."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["count_tokens_from_str"]


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: Counter[str] | None = None,
) -> Counter[str]:
    """How often each word is in a text.

    Args:
        source_str: The text.
        token_delim: What is between words; of several in a row, all are.
        seq_delim: What is between sequences of words.
        to_lower: Whether words are counted in lower case.
        counter_to_update: Counts to add these to.

    Returns:
        The counts, `counter_to_update` itself if it is given.
    """
    if to_lower:
        source_str = source_str.lower()
    words = re.split(f"{re.escape(token_delim)}|{re.escape(seq_delim)}", source_str)
    counts = Counter() if counter_to_update is None else counter_to_update
    counts.update(word for word in words if word)
    return counts
