"""Checkpoints: a symbol in `PREFIX-symbol.json` and its parameters in `PREFIX-NNNN.params`."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

from .context import cpu
from .errors import FormatError, MissingFileError
from .formats.files import FileContent, PathLike, StagedFile, staged_file, take_places, write_together
from .ndarray import files
from .ndarray.ndarray import NDArray
from .symbol import symbol as symbols
from .symbol.symbol import Symbol

__all__ = ["BatchEndParam", "load_checkpoint", "load_params", "save_checkpoint"]

Parameters: TypeAlias = dict[str, NDArray]


class BatchEndParam(NamedTuple):
    """What callbacks get after each batch."""

    epoch: int
    nbatch: int
    eval_metric: Any
    locals: dict[str, Any] | None


def save_checkpoint(
    prefix: PathLike,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Write the symbol, unless it is `None`, and the parameters of an epoch."""
    path = write_checkpoint(prefix, epoch, symbol, arg_params, aux_params, remove_amp_cast)
    logging.info('Saved checkpoint to "%s"', path)


def write_checkpoint(
    prefix: PathLike,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
    *more: FileContent,
) -> str:
    """Write what `save_checkpoint` does, and more files: none takes its place before all are complete.

    Returns:
        The name of the file of parameters.
    """
    path = _parameters_path(prefix, epoch)
    contents: list[FileContent] = [(path, files.content(path, _prefixed(arg_params, aux_params))), *more]
    if symbol is not None:
        contents.append((f"{os.fspath(prefix)}-symbol.json", [symbol.tojson(remove_amp_cast).encode()]))
    write_together(contents)
    return path


def _prefixed(arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]) -> Parameters:
    """All arrays by the names that they have in a checkpoint, on the CPU."""
    arrays = {f"arg:{name}": value.as_in_context(cpu()) for name, value in arg_params.items()}
    return arrays | {f"aux:{name}": value.as_in_context(cpu()) for name, value in aux_params.items()}


class StagedCheckpoint(NamedTuple):
    """The files of a checkpoint, complete and without their names yet."""

    names: tuple[str, str]
    """Those that they will have: the symbol's and the parameters'."""
    symbol: StagedFile
    parameters: StagedFile

    def take_place(self) -> tuple[str, str]:
        """Give both files their names, and return these."""
        take_places(self.parameters, self.symbol)
        return self.names


@contextmanager
def staged_checkpoint(
    prefix: PathLike,
    epoch: int,
    symbol: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
) -> Iterator[StagedCheckpoint]:
    """The files that `save_checkpoint` writes, under temporary names until they take their place."""
    names = f"{os.fspath(prefix)}-symbol.json", _parameters_path(prefix, epoch)
    arrays = files.content(names[1], _prefixed(arg_params, aux_params))
    with staged_file(names[0], [symbol.tojson().encode()]) as one, staged_file(names[1], arrays) as other:
        yield StagedCheckpoint(names, one, other)


def load_checkpoint(prefix: PathLike, epoch: int) -> tuple[Symbol, Parameters, Parameters]:
    """The symbol, its parameters and its auxiliary states, both by name."""
    symbol = symbols.load(f"{os.fspath(prefix)}-symbol.json")
    return symbol, *load_params(prefix, epoch)


def load_params(prefix: PathLike, epoch: int) -> tuple[Parameters, Parameters]:
    """The parameters and auxiliary states of an epoch by name; names that are neither are left out."""
    path = _parameters_path(prefix, epoch)
    try:
        loaded = files.load(path)
    except MissingFileError as exc:
        known = ", ".join(map(str, epochs(prefix)))
        if not known:
            raise
        raise MissingFileError(
            f"load_checkpoint: an epoch whose parameters are there is required, got {epoch}, and there is no "
            f"{path}; there are those of {known}."
        ) from exc
    if not loaded:
        logging.warning("Params file '%s' is empty", path)
        return {}, {}
    return split(loaded, path)


def split(loaded: list[NDArray] | Mapping[str, NDArray], path: PathLike) -> tuple[Parameters, Parameters]:
    """The arrays named `arg:…` and those named `aux:…`. Raises `FormatError` for names without a prefix."""
    plain = [name for name in loaded if ":" not in name] if isinstance(loaded, Mapping) else []
    if plain or not isinstance(loaded, Mapping):
        what = f"{plain[0]!r}" if plain else "arrays without names"
        raise FormatError(
            f"{os.fspath(path)}: names that start with arg: or aux: are required of a checkpoint, "
            f"got {what}. A file of Block.save_parameters is read by load_parameters, any other by nd.load."
        )
    kinds: dict[str, Parameters] = {"arg": {}, "aux": {}}
    for name, value in loaded.items():
        kind, _, rest = name.partition(":")
        kinds.setdefault(kind, {})[rest] = value
    return kinds["arg"], kinds["aux"]


def epochs(prefix: PathLike) -> dict[int, str]:
    """The paths of the parameters that there are of a checkpoint by epoch, the first one first."""
    folder, name = os.path.split(os.fspath(prefix))
    known = {}
    for entry in os.listdir(folder or os.curdir) if os.path.isdir(folder or os.curdir) else ():
        match = re.fullmatch(r"-(\d{4,})\.params", entry.removeprefix(name))
        if match and entry.startswith(name):
            known[int(match[1])] = os.path.join(folder, entry)
    return dict(sorted(known.items()))


def _parameters_path(prefix: PathLike, epoch: int) -> str:
    return f"{os.fspath(prefix)}-{int(epoch):04d}.params"
