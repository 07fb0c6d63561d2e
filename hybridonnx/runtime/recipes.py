"""Parameters of lowered graphs that are made of those of the Symbol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ..ops import Array

_WORTH_THREADS = 1 << 20
"""Elements from which on threads take less time."""
_THREADS = 2
"""As many as memory feeds."""
_ALIGNMENT = 16
"""Each begins at a multiple of so many elements."""


def made(recipes: Mapping[str, Any]) -> dict[str, Array]:
    """The parameters by name, all in one piece of memory, which the system hands out in large pages."""
    starts, end = [], 0
    for recipe in recipes.values():
        starts.append(end)
        end += -(-prod(recipe.shape) // _ALIGNMENT) * _ALIGNMENT
    memory = np.empty(end, np.float32)
    arrays = {
        name: memory[start : start + prod(recipe.shape)].reshape(recipe.shape)
        for start, (name, recipe) in zip(starts, recipes.items(), strict=True)
    }
    works = [partial(recipe.write, arrays[name]) for name, recipe in recipes.items()]
    if end < _WORTH_THREADS or not _run_in_threads(works):
        for work in works:
            work()
    return arrays


def _run_in_threads(works: Sequence[Callable[[], None]]) -> bool:
    """Whether there were threads that did all this; there are no new ones while Python ends."""
    try:
        with ThreadPoolExecutor(_THREADS) as pool:
            futures = [pool.submit(work) for work in works]
    except RuntimeError:
        return False
    for future in futures:
        future.result()
    return True
