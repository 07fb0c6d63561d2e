"""Texts for language models, from files of this machine."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....config import HOME
from ....errors import MissingFileError, UnknownNameError, is_file
from ....formats.files import PathLike, open_to_read
from ....ndarray import array
from ....vocabulary import Vocabulary
from ...data.dataset import Dataset

__all__ = ["WikiText2", "WikiText103"]

_END = "<eos>"
_SEGMENTS = {"train": "train", "validation": "valid", "test": "test"}


class _WikiText(Dataset):
    """Samples of `seq_len` words each, as numbers, with the words after them as labels, (seq_len,) both.

    The end of each line is a word. The files `wiki.train.tokens`, `wiki.valid.tokens` and `wiki.test.tokens`
    are in `root`, or in the published archive there.

    Args:
        root: The folder.
        segment: `"train"`, `"validation"` or `"test"`.
        vocab: The words' numbers; made from the text where not given.
        seq_len: The length of samples; what is left of the text is left out.

    Raises:
        MissingFileError: The files are not there; nothing is downloaded.
        KeyError: `segment` is something else.
    """

    name: ClassVar[str]

    def __init__(
        self,
        root: PathLike | None = None,
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        if segment not in _SEGMENTS:
            raise UnknownNameError(f"segment: one of {', '.join(_SEGMENTS)} is required, got {segment!r}.")
        home = Path(HOME()).expanduser() / "datasets" / self.name
        text = self._read(home if root is None else Path(root).expanduser(), _SEGMENTS[segment])
        words = [[word for word in line.strip().split() if word] for line in text.splitlines()]
        self._counter = Counter(word for line in words for word in line)
        self._vocab = Vocabulary(self._counter, reserved_tokens=[_END]) if vocab is None else vocab
        tokens = [word for line in words if line for word in (*line, _END)]
        numbers = np.array(self._vocab.to_indices(tokens), np.int32)
        count = max(len(numbers) - 1, 0) // seq_len
        self._data, self._label = (
            array(numbers[i : i + count * seq_len].reshape(count, seq_len), dtype="int32") for i in (0, 1)
        )

    def _read(self, root: Path, segment: str) -> str:
        """The text, from a file or from the archive."""
        name = f"wiki.{segment}.tokens"
        for path in (root / name, root / self.name / name):
            if is_file(path):
                with open_to_read(path) as file:
                    return file.read().decode("utf8")
        archive = root / f"{self.name}-v1.zip"
        if is_file(archive):
            with open_to_read(archive) as packed, zipfile.ZipFile(packed) as files:
                for member in files.namelist():
                    if member.split("/")[-1] == name:
                        return io.TextIOWrapper(files.open(member), encoding="utf8").read()
        raise MissingFileError(
            f"{type(self).__name__}: {name} is required in {root}, or {archive.name} there. "
            "Nothing is downloaded: put it there, or give its folder as root."
        )

    def __getitem__(self, idx: int) -> tuple[Any, Any]:
        return self._data[idx], self._label[idx]

    def __len__(self) -> int:
        return len(self._label)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words' numbers."""
        return self._vocab

    @property
    def frequencies(self) -> Counter[str]:
        """How often each word occurs."""
        return self._counter


class WikiText2(_WikiText):
    """Two million words of Wikipedia, a training text for small language models."""

    name = "wikitext-2"


class WikiText103(_WikiText):
    """A hundred million words of Wikipedia."""

    name = "wikitext-103"
