"""Whether other programs take processors from this one."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, thread_time

_BLOCK = bytes(1 << 16)
"""Python lets other threads run while so much is hashed."""


def share_received(threads: int, seconds: float = 0.02) -> float:
    """The part of the time that processors work for so many threads which never wait, the least of them's.

    It is nearly 1 where each has a processor of its own.
    """
    with ThreadPoolExecutor(threads) as pool:
        return min(pool.map(_worked, [seconds] * threads))


def _worked(seconds: float) -> float:
    begin, worked = perf_counter(), thread_time()
    while perf_counter() - begin < seconds:
        hashlib.blake2b(_BLOCK).digest()
    return min((thread_time() - worked) / (perf_counter() - begin), 1.0)
