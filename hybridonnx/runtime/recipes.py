"""Parameters of lowered graphs that are made of those of the Symbol."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from math import prod
from typing import Any

import numpy as np
import onnxruntime as ort

from ..ops import Array
from .failures import FAILURES

logger = logging.getLogger("hybridonnx")

_WORTH_THREADS = 1 << 20
"""Elements from which on threads take less time."""
_THREADS = 2
"""As many as memory feeds."""
_ALIGNMENT = 16
"""Each begins at a multiple of so many elements."""
_PROBE = 1 << 12
"""Elements of an initializer that tells whether there is a copy: of the smallest there always is."""


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


@cache
def copies_initializers() -> bool:
    """Whether sessions have copies of initializers that are handed over, so that nobody else needs these.

    Versions 1.20 to 1.32 do. A session has been started before this asks.
    """
    from ..converters import messages

    numbers = np.ones(_PROBE, np.float32)
    value = messages.value_info("x", numbers.dtype, numbers.shape)
    result = messages.value_info("y", numbers.dtype, numbers.shape)
    weight = messages.outside_tensor("w", numbers.dtype, numbers.shape, "parameters", "")
    node = messages.node("Add", "", ["x", "w"], ["y"], "", [], "")
    graph = messages.graph([node], "copies", [weight], [value], [result])
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    settings.intra_op_num_threads = 1
    held = ort.OrtValue.ortvalue_from_numpy(numbers)
    settings.add_external_initializers(["w"], [held])
    try:
        model = messages.model(graph, 8, "", "", {"": 17})
        session = ort.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
        numbers[:] = 2
        (y,) = session.run(None, {"x": np.zeros(_PROBE, np.float32)})
    except FAILURES as exc:
        logger.debug("initializers: %s", exc)
        return False
    return bool((y == 1).all())


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
