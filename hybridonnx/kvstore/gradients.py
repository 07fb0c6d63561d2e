"""The gradients of variables, summed over workers: what a `Trainer` does before it updates.

Gradients of float32 are parts of flat arrays, buckets, which MPI sums as they are into others; then both
change roles. A bucket begins to be summed as soon as a backward pass has computed all of it, while the rest
goes on.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Sequence
from math import prod

import numpy as np

from .. import config
from .._locks import new_lock
from ..autograd.tape import Leaf
from ..ndarray.ndarray import NDArray
from ..ndarray.watch import Watch
from ..ops import Array
from .distributed import DistKVStore
from .workers import Pending, Workers

Variables = Sequence[tuple[int, str, Sequence[NDArray]]]
"""Keys, names, and the copies of each variable."""

BUCKET = 1 << 20
"""Elements that a bucket has at least: of fewer, sums are too many, of more, they begin later."""
_ALIGNED = 16
"""Elements that each gradient's place in a bucket is a multiple of, as ONNX Runtime likes 64 bytes."""
_PAUSE = 0.0005
"""Seconds between two looks at what goes on. MPI does its work in these looks."""


class GradientSums:
    """Sums the gradients of variables over the workers of a store.

    Args:
        store: The store, whose workers sum the same variables in the same order.
        order: The names of variables in the order in which a forward pass takes them.
    """

    def __init__(self, store: DistKVStore, order: Sequence[str] = ()) -> None:
        self._store = store
        self._order = {name: i for i, name in enumerate(order)}
        self._apart: Workers | None = None
        self._buckets: list[_Bucket] = []
        self._known: tuple[object, ...] | None = None
        self._progress: _Progress | None = None

    def write(self, variables: Variables) -> None:
        """Write the sums into the gradients of the first copy of each variable.

        Who has not computed one since the last step adds nothing. What nobody has computed stays as it is.

        Args:
            variables: Those that the store's other workers give, too, in the same order.
        """
        self._arrange(variables)
        buckets, count = self._buckets, len(self._buckets)
        fresh = [all(x._fresh_grad for x in copies) for _, _, copies in variables]
        for bucket in buckets:
            bucket.look()
        flags = np.array(
            [*(b.pending is not None for b in buckets), *(not b.is_clean for b in buckets), *fresh], np.int8
        )
        what = f"the gradients from key {variables[0][1]!r} on" if variables else "a step"
        self._store.workers.maximum(what, flags)
        begun, unclean, anywhere = flags[:count], flags[count : 2 * count], flags[2 * count :]
        used = {key for (key, _, _), there in zip(variables, anywhere, strict=True) if there}
        for bucket, elsewhere in zip(buckets, begun, strict=True):
            if elsewhere and bucket.pending is None:
                bucket.begin(self._channel)  # as others have; what comes of it is not used
        self._sum_again([b for b, again in zip(buckets, unclean, strict=True) if again], used)
        for bucket in buckets:
            bucket.exchange(used)
        self._write_others(variables, used)

    def _sum_again(self, buckets: Sequence[_Bucket], used: set[int]) -> None:
        """Sum buckets that were not summed by now, or were changed since."""
        for bucket in buckets:
            bucket.wait()
            bucket.clear_stale(used)
        for bucket in buckets:
            bucket.begin(self._channel)

    def _write_others(self, variables: Variables, used: set[int]) -> None:
        """Sum what is in no bucket, and call all gradients fresh that anyone has computed."""
        together = {slot.key for bucket in self._buckets for slot in bucket.slots}
        for key, name, copies in variables:
            gradient = copies[0].grad
            if key not in used or gradient is None:
                continue
            if key not in together:
                if not all(x._fresh_grad for x in copies):
                    gradient._clear()
                self._store.sum(name, gradient)
            for copy in copies:
                copy._fresh_grad = True

    # ---- buckets

    @property
    def _channel(self) -> Workers:
        assert self._apart is not None
        return self._apart

    def _arrange(self, variables: Variables) -> None:
        """Make the buckets, unless there are those of these variables."""
        known = tuple([(key, copies[0].shape, _fits(copies)) for key, _, copies in variables])
        if known == self._known:
            return
        for bucket in self._buckets:
            if bucket.pending is None:
                bucket.begin(self._channel)  # others may have
            bucket.wait()
            bucket.leave()
        self._known, self._buckets = known, []
        if self._store.num_workers == 1 or self._store.compresses:
            return
        if self._apart is None:
            self._apart = self._store.workers.apart()
            self._progress = _Progress()
        ordered = sorted(
            (row for row in variables if _fits(row[2])), key=lambda row: -self._order.get(row[1], 0)
        )
        slots: list[_Slot] = []
        for key, name, copies in ordered:
            slot = _Slot(key, name, copies[0])
            slots.append(slot)
            if sum(s.size for s in slots) >= BUCKET:
                self._add(slots)
                slots = []
        if slots:
            self._add(slots)

    def _add(self, slots: Sequence[_Slot]) -> None:
        self._buckets.append(_Bucket(weakref.proxy(self), len(self._buckets), slots))

    def go_on(self) -> None:
        """Begin with the sums of all buckets that are complete and next in order."""
        if not config.OVERLAP():
            return
        for bucket in self._buckets:
            if bucket.pending is None:
                if not bucket.is_complete:
                    return
                bucket.begin(self._channel)
                if self._progress is not None and bucket.pending is not None:
                    self._progress.take(bucket.pending)


def _fits(copies: Sequence[NDArray]) -> bool:
    """Whether a gradient can be a part of a bucket."""
    first, leaf = copies[0], copies[0]._leaf
    return (
        len(copies) == 1
        and leaf is not None
        and leaf.req == "write"
        and first.dtype is np.float32
        and type(first._data) is np.ndarray
        and leaf.grad.stype == "default"
    )


class _Slot:
    """A gradient's place in a bucket; it is the gradient's `Receiver`."""

    def __init__(self, key: int, name: str, variable: NDArray) -> None:
        self.key, self.name = key, name
        self._variable = weakref.ref(variable)
        self.shape = variable.shape
        self.size = -(-prod(self.shape) // _ALIGNED) * _ALIGNED
        self.is_done = False
        """Whether a backward pass has written it since the last step."""

    def settle(self, bucket: _Bucket, begin: int) -> None:
        """Take a place, with the values that the gradient has."""
        self._bucket = weakref.proxy(bucket)
        self.group, self._place = bucket.group, slice(begin, begin + prod(self.shape))
        self._views = [whole[self._place].reshape(self.shape) for whole in (bucket.own, bucket.total)]
        self.look()

    def move(self, own: Array) -> None:
        """Have the gradient, as it is, in another flat array."""
        self._views[0] = own[self._place].reshape(self.shape)
        leaf = self.leaf
        if leaf is not None:
            leaf.grad._data = self._views[0]

    @property
    def leaf(self) -> Leaf | None:
        """The variable on the tape."""
        variable = self._variable()
        return None if variable is None else variable._leaf

    def look(self) -> bool:
        """Have the gradient be here, and tell whether it was."""
        leaf = self.leaf
        if leaf is None:
            return False
        leaf.receiver = self
        gradient = leaf.grad
        if gradient._data is self._views[0]:
            return True
        self._views[0][...] = gradient._host
        gradient._data = self._views[0]
        return False

    def memory(self) -> Array:
        """Where the gradient of this pass is to be written."""
        self._bucket.reopen(self)
        return self._views[0]

    def complete(self) -> None:
        """Go on: the gradient is there."""
        self.is_done = True
        self._bucket.go_on()

    def clear(self) -> None:
        """Add nothing."""
        self._views[0][...] = 0

    def exchange(self, is_used: bool) -> None:
        """Have the gradient be the sum, unless nobody has computed it."""
        self._views.reverse()
        own, other = self._views
        if not is_used:
            own[...] = other
        leaf = self.leaf
        if leaf is not None:
            leaf.grad._data = own
        self.is_done = False

    def leave(self) -> None:
        """Give the gradient memory of its own."""
        leaf = self.leaf
        if leaf is not None:
            leaf.receiver = None
            leaf.grad._data = leaf.grad._data.copy()


class _Bucket:
    """Gradients that are summed as one flat array."""

    def __init__(self, sums: GradientSums, group: int, slots: Sequence[_Slot]) -> None:
        self.group, self.slots = group, slots
        self._sums = sums
        size = sum(slot.size for slot in slots)
        self.own, self.total = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.pending: Pending | None = None
        self.is_clean = False
        """Whether what is summed is what the gradients are."""
        self._watch = Watch([self.own])
        begin = 0
        for slot in slots:
            slot.settle(self, begin)
            begin += slot.size
        last = f" to {slots[-1].name!r}" if len(slots) > 1 else ""
        self._what = f"the sum of the gradients of {slots[0].name!r}{last}"

    @property
    def is_complete(self) -> bool:
        """Whether a backward pass has computed all of it."""
        return all(slot.is_done for slot in self.slots)

    def begin(self, workers: Workers) -> None:
        """Begin with the sum."""
        self._watch.dirty = False
        self.is_clean = self.is_complete
        self.pending = workers.begin_sum(self._what, self.own, self.total)

    def wait(self) -> None:
        """Wait for the sum, if it was begun."""
        if self.pending is not None:
            self.pending.wait()

    def go_on(self) -> None:
        """A gradient is there."""
        self._sums.go_on()

    def reopen(self, slot: _Slot) -> None:
        """Another backward pass writes before the step: what is summed does not count.

        It has other memory for it, as MPI reads this one, perhaps until all workers come to their steps.
        """
        slot.is_done = False
        if self.pending is not None and self.is_clean:
            self.is_clean = False
            self.own = self.own.copy()
            for each in self.slots:
                each.move(self.own)

    def look(self) -> None:
        """Find out whether gradients were changed since the sum began."""
        here = [slot.look() for slot in self.slots]
        if self.pending is None or self._watch.dirty or not all(here):
            self.is_clean = False

    def clear_stale(self, used: set[int]) -> None:
        """Have gradients that this worker has not computed, and others have, add nothing."""
        for slot in self.slots:
            leaf = slot.leaf
            if slot.key in used and (leaf is None or not leaf.fresh):
                slot.clear()

    def exchange(self, used: set[int]) -> None:
        """Wait for the sum, and have the gradients be it; the next sum is written where they were."""
        self.wait()
        self.pending, self.is_clean = None, False
        self.own, self.total = self.total, self.own
        for slot in self.slots:
            slot.exchange(slot.key in used)
        self._watch = Watch([self.own])

    def leave(self) -> None:
        """Give the gradients memory of their own."""
        for slot in self.slots:
            slot.leave()


class _Progress:
    """A thread that looks after sums, as MPI does its work when it is asked."""

    def __init__(self) -> None:
        self._pending: list[Pending] = []
        self._lock = new_lock()
        self._wake = threading.Event()
        self._ends = False
        self._thread = threading.Thread(target=self._go, name="hybridonnx-sums", daemon=True)
        self._thread.start()
        atexit.register(self._end)

    def take(self, pending: Pending) -> None:
        """Look after a sum."""
        with self._lock:
            self._pending.append(pending)
        self._wake.set()

    def _end(self) -> None:
        """Ask no more: MPI ends with the process."""
        self._ends = True
        self._wake.set()
        self._thread.join(1)

    def _go(self) -> None:
        while not self._ends:
            self._wake.wait()
            with self._lock:
                self._pending = [pending for pending in self._pending if not pending.is_through]
                waiting = list(self._pending)
                if not waiting:
                    self._wake.clear()
            for pending in waiting:
                pending.is_done()
            if waiting:
                time.sleep(_PAUSE)
