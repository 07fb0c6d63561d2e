"""Checkpoints of a training, from which it goes on to the last bit, in one process or in several."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._locks import no_fork
from ..errors import FormatError, MXNetError, content_of, is_file
from ..formats.files import PathLike, make_folder, write_atomically, write_together
from ..formats.params import read_bytes, write
from ..kvstore.distributed import DistKVStore
from ..kvstore.workers import Workers
from ..ndarray.files import content
from ..ndarray.ndarray import NDArray
from ..ops import Array, drawing, generator
from .block import Block
from .parameter import ParameterDict
from .trainer import Trainer

__all__ = ["Checkpoint"]

_LATEST, _PARAMETERS, _STATES = "latest", "net.params", "trainer.states"
_STRUCTURE = "structure"
_SECOND = "-2"
"""What a state of the same step has behind its folder's name, as the last one stays until it counts."""
_FOLDER = re.compile(rf"step-\d{{8,}}({_SECOND})?")


class _Place(NamedTuple):
    """Where a training is: the batch that comes next, and the generator as it was when the epoch began."""

    epoch: int
    batch: int
    begun: dict[str, Any] | None


class Checkpoint:
    """A folder with the last states of a training, all or nothing of each.

    A state is the parameters, the optimizer's states, the generator of random numbers, and the place in the
    data; of several workers each writes what is its own: its generator, moving statistics, and what
    compression has not sent. `batches` goes on from the last one.

    Args:
        folder: Where states are written; one that all workers see.
        net: The block that is trained, or its parameters.
        trainer: What updates them.
        keep: How many states stay.
    """

    def __init__(self, folder: PathLike, net: Block | ParameterDict, trainer: Trainer, keep: int = 2) -> None:
        self._folder = Path(folder)
        self._params = net if isinstance(net, ParameterDict) else net.collect_params()
        self._trainer = trainer
        self._keep = max(1, keep)
        self._place = _Place(0, 0, None)
        self._saved = -1
        self._last: str | None = None
        """The folder of the last state, empty if there is none; `None` before that is known."""
        self.step = 0
        """How many batches were taken by now."""

    def batches(self, data: Iterable[Any], epochs: int, every: int = 0) -> Iterator[tuple[int, int, Any]]:
        """Epochs, numbers and batches of what is left of a training, which begins with the last state.

        A state is written after each `every` batches and at the end; who asks for a batch is through with the
        one before.

        Args:
            data: A `DataLoader`, or what else gives all batches anew each time it is iterated over, in an
                order drawn from MXNet's generator. It has no processes of its own that draw.
            epochs: How many epochs the training has, those that are through included.
            every: After how many batches a state is written; 0: only at the end.

        Yields:
            The epoch and the batch's number in it, both from 0, and the batch.
        """
        self.load()
        while self._place.epoch < epochs:
            yield from self._rest_of_epoch(data, every)
            self._place = _Place(self._place.epoch + 1, 0, None)
        self.save()

    def _rest_of_epoch(self, data: Iterable[Any], every: int) -> Iterator[tuple[int, int, Any]]:
        epoch, skipped, begun = self._place
        if begun is None:
            begun, batches = _state_of_draws(), iter(data)
        else:
            now = _state_of_draws()
            _draw_as(begun)
            batches = iter(data)
            if sum(1 for _ in islice(batches, skipped)) < skipped:
                raise MXNetError(
                    f"Checkpoint: the data that {self._folder} was written with is required, which has "
                    f"{skipped} batches or more, got fewer."
                )
            _draw_as(now)
        for number, batch in enumerate(batches, skipped):
            yield epoch, number, batch
            self._place = _Place(epoch, number + 1, begun)
            self.step += 1
            if every and self.step % every == 0:
                self.save()

    # ---- writing

    def save(self) -> None:
        """Write the state as it is; all workers do, and it counts once all have.

        Raises:
            FileError: It cannot be written; the last one is as it was.
            FormatError: What is in the folder is damaged, or of another number of workers.
        """
        if self._saved == self.step:
            return
        workers, folder = self._workers, self._next_folder()
        path = self._folder / folder
        make_folder(path)
        rank = 0 if workers is None else workers.rank
        files = {_rank_file(rank): self._own_state()}
        if rank == 0:
            arrays = {name: param._reduce() for name, param in self._params.items()}
            files[_PARAMETERS] = b"".join(bytes(part) for part in content(_PARAMETERS, arrays))
            files[_STATES] = self._trainer._updaters[0].get_states(dump_optimizer=True)
        try:
            write_together((path / name, [whole]) for name, whole in files.items())
        finally:
            with suppress(OSError):
                path.rmdir()  # it is empty if that failed, and no other worker has written
        digests = {name: hashlib.sha256(whole).hexdigest() for name, whole in files.items()}
        for text in self._gathered(json.dumps(digests).encode()):
            digests.update(json.loads(text))
        if rank == 0:
            latest = {"state": folder, "workers": self._count, "files": dict(sorted(digests.items()))}
            write_atomically(self._folder / _LATEST, [json.dumps(latest, indent=1).encode()])
            self._remove_old(folder)
        self._gathered(b"")
        self._saved, self._last = self.step, folder

    def _next_folder(self) -> str:
        """The name of the folder for a state, which is another than the last one's."""
        if self._last is None:
            latest = self._latest()
            self._last = "" if latest is None else latest["state"]
        folder = f"step-{self.step:08d}"
        return folder if folder != self._last else f"{folder}{_SECOND}"

    def _own_state(self) -> bytes:
        """What is this worker's alone."""
        arrays = {f"aux:{n}": p._reduce()._host for n, p in self._params.items() if p.grad_req == "null"}
        store = self._store
        if store is not None:
            arrays |= {f"rest:{json.dumps(key)}": rest for key, rest in store.rests().items()}
        scaler = self._trainer._amp_loss_scaler
        structure = {
            "step": self.step,
            "place": self._place._asdict(),
            "draws": _state_of_draws(),
            "loss_scaler": None if scaler is None else vars(scaler),
        }
        arrays[_STRUCTURE] = np.frombuffer(json.dumps(structure).encode(), np.uint8)
        return b"".join(bytes(part) for part in write([*arrays.values()], [*arrays]))

    def _remove_old(self, latest: str) -> None:
        """Remove the states beyond those that stay, of those that are before the last one or of its step."""
        names = sorted(entry.name for entry in self._folder.iterdir() if _FOLDER.fullmatch(entry.name))
        old = [name for name in names if name <= latest][: -self._keep]
        for name in [*old, f"{latest}{_SECOND}"]:
            shutil.rmtree(self._folder / name, ignore_errors=True)

    # ---- reading

    def load(self) -> bool:
        """Go on from the last state, if there is one.

        Returns:
            Whether there is one.

        Raises:
            FormatError: It is damaged, or of another network or number of workers.
        """
        latest = self._latest()
        if latest is None:
            return False
        self._last = latest["state"]
        rank = 0 if self._workers is None else self._workers.rank
        values, names = read_bytes(self._content(latest, _PARAMETERS))
        arrays = {name: NDArray(np.array(value)) for name, value in zip(names, values, strict=True)}
        own_values, own_names = read_bytes(self._content(latest, _rank_file(rank)))
        own: dict[str, Array] = {n: np.array(v) for n, v in zip(own_names, own_values, strict=True)}
        states = self._content(latest, _STATES)
        arrays |= {name[4:]: NDArray(value) for name, value in own.items() if name.startswith("aux:")}
        self._trainer._begin()
        self._params.load_dict(arrays, filename=str(self._folder / latest["state"]))
        for updater in self._trainer._updaters:
            updater.set_states(states)
        if self._store is not None:
            self._store.set_rests({json.loads(n[5:]): v for n, v in own.items() if n.startswith("rest:")})
        try:
            structure = json.loads(own[_STRUCTURE].tobytes())
            self.step, self._place = int(structure["step"]), _Place(**structure["place"])
            _draw_as(structure["draws"])
        except (KeyError, TypeError, ValueError) as exc:
            raise self._damaged(_rank_file(rank)) from exc
        if self._trainer._amp_loss_scaler is not None and structure["loss_scaler"] is not None:
            vars(self._trainer._amp_loss_scaler).update(structure["loss_scaler"])
        self._saved = self.step
        return True

    def _latest(self) -> dict[str, Any] | None:
        """What the worker of rank 0 finds of the last state, so that all go on from the same."""
        text = b""
        if self._workers is None or self._workers.rank == 0:
            path = self._folder / _LATEST
            text = content_of(path) if is_file(path) else b""
        text = self._gathered(text)[0]
        if not text:
            return None
        try:
            latest: dict[str, Any] = json.loads(text)
            state, workers, files = latest["state"], latest["workers"], latest["files"]
            fits = _FOLDER.fullmatch(state) and isinstance(files, dict)
        except (KeyError, TypeError, ValueError) as exc:
            raise self._damaged(_LATEST) from exc
        if not fits:
            raise self._damaged(_LATEST)
        if workers != self._count:
            raise FormatError(
                f"Checkpoint: as many workers as wrote {self._folder} are required, {workers}, got "
                f"{self._count}. Take another folder to begin anew."
            )
        return latest

    def _content(self, latest: dict[str, Any], name: str) -> bytes:
        path = self._folder / latest["state"] / name
        try:
            whole = content_of(path)
        except OSError as exc:
            raise FormatError(f"Checkpoint: {path} is required, and cannot be read: {exc.strerror}.") from exc
        if hashlib.sha256(whole).hexdigest() != latest["files"].get(name):
            raise self._damaged(os.path.join(latest["state"], name))
        return whole

    def _damaged(self, name: str) -> FormatError:
        return FormatError(
            f"Checkpoint: {self._folder / name} is not what was written. Take another folder to begin anew."
        )

    # ---- workers

    @property
    def _store(self) -> DistKVStore | None:
        return self._trainer._shared_store

    @property
    def _workers(self) -> Workers | None:
        return None if self._store is None else self._store.workers

    @property
    def _count(self) -> int:
        return 1 if self._workers is None else self._workers.size

    def _gathered(self, content: bytes) -> list[bytes]:
        """The contents of all workers by rank, once all have come here."""
        if self._workers is None:
            return [content]
        return self._workers.gather(f"the checkpoint after step {self.step}", content)


def _rank_file(rank: int) -> str:
    return f"rank-{rank:04d}.params"


def _state_of_draws() -> dict[str, Any]:
    """What the generator draws next depends on."""
    with no_fork(), drawing():
        return dict(generator().bit_generator.state)


def _draw_as(state: dict[str, Any]) -> None:
    """Let the generator draw what it drew in a state."""
    with no_fork(), drawing():
        generator().bit_generator.state = state
