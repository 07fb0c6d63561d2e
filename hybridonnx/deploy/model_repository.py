"""Folders of models by name, with a folder for each version, of which each appears whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..errors import MXNetError, content_of, file_error
from ..formats.files import ScratchFolder, make_folder, write_together
from .model_names import require_model_name

_TAKEN = (errno.ENOTEMPTY, errno.EEXIST)


class ModelFolder:
    """A model in a repository.

    Versions are written under a temporary name in the model's folder, where servers take no notice of what is
    no number: in the repository itself it would be a model.

    Args:
        repository: The repository, which is made if there is none.
        name: The model's name.
    """

    def __init__(self, repository: str | os.PathLike[str], name: str) -> None:
        require_model_name("triton", name)
        self.path = Path(repository).absolute() / name

    def versions(self) -> list[int]:
        """The versions that are there."""
        names = [entry.name for entry in self.path.iterdir()] if self.path.is_dir() else []
        return sorted(int(name) for name in names if name.isascii() and name.isdecimal() and int(name))

    def require_version(self, version: int | None) -> None:
        """Refuse a version that is there, or is none.

        Raises:
            MXNetError: If it is.
        """
        if version is not None and (version < 1 or (self.path / str(version)).exists()):
            there = ", ".join(map(str, self.versions())) or "none"
            raise MXNetError(
                f"{self.path}: a version from 1 on that is not there is required, got {version}; there are "
                f"{there}."
            )

    def require_settings(self, settings: Mapping[str, bytes]) -> None:
        """Refuse files for all versions that are there with another content.

        Raises:
            MXNetError: If one is.
        """
        for name, content in settings.items():
            path = self.path / name
            if path.is_file() and content_of(path) != content:
                raise MXNetError(
                    f"{path}: the same content as before is required, as it is that of all versions, got "
                    "another. Give replace=True to replace it."
                )

    def write(
        self,
        settings: Mapping[str, bytes],
        fill: Callable[[Path], None],
        version: int | None = None,
    ) -> Path:
        """Add a version.

        Args:
            settings: Files for all versions, which are replaced.
            fill: Writes the version's files into a folder.
            version: Its number; the next one unless given.

        Returns:
            The version's folder.
        """
        make_folder(self.path)
        first = not self.versions()
        with self._unnamed() as folder:
            fill(folder)
            if first:  # a server may look at any time, and must not guess
                self._settle(settings)
            written = self._named(folder, version)
        if not first:
            self._settle(settings)
        return written

    def has(self, settings: Mapping[str, bytes]) -> bool:
        """Whether these files for all versions are there, with this content."""
        return not self._changed(settings)

    def _changed(self, settings: Mapping[str, bytes]) -> dict[str, bytes]:
        paths = {name: self.path / name for name in settings}
        return {n: settings[n] for n, p in paths.items() if not p.is_file() or content_of(p) != settings[n]}

    def _settle(self, settings: Mapping[str, bytes]) -> None:
        changed = self._changed(settings)
        write_together([(self.path / name, [content]) for name, content in changed.items()])

    @contextmanager
    def _unnamed(self) -> Iterator[Path]:
        """A folder for a version, which goes unless it gets a name."""
        scratch = ScratchFolder(self.path)
        try:
            folder = Path(scratch.path, "version")
            folder.mkdir()  # with the permissions that folders have here: others serve it
            yield folder
        finally:
            scratch.close()

    def _named(self, folder: Path, version: int | None) -> Path:
        """Give a folder the name of a version."""
        while True:
            number = version or max(self.versions(), default=0) + 1
            self.require_version(number)
            target = self.path / str(number)
            try:
                os.rename(folder, target)
            except OSError as exc:
                if exc.errno in _TAKEN:  # by another process, right now
                    continue
                raise file_error(exc, target) from None
            return target
