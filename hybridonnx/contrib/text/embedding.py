"""Vectors of words, from files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from ... import ndarray
from ...config import HOME
from ...errors import (
    AttributeValueError,
    FormatError,
    MissingFileError,
    RequirementError,
    UnknownNameError,
    is_file,
    suggest,
)
from ...formats.files import PathLike, open_to_read
from ...ndarray.ndarray import NDArray
from ...vocabulary import UNKNOWN, Vocabulary

__all__ = [
    "CompositeEmbedding",
    "CustomEmbedding",
    "FastText",
    "GloVe",
    "create",
    "get_pretrained_file_names",
    "register",
]

_Class = TypeVar("_Class", bound=type)
_Make = Callable[..., Any]
_ROOT = str(Path(HOME()).expanduser() / "embeddings")
_classes: dict[str, Any] = {}


def register(embedding_cls: _Class) -> _Class:
    """A class's name, in lower case, for `create`; the class itself."""
    _classes[embedding_cls.__name__.lower()] = embedding_cls
    return embedding_cls


def create(embedding_name: str, **kwargs: Any) -> Any:
    """Vectors of a registered class, by its name in any case, with its arguments.

    Raises:
        AssertionError: No class has that name.
    """
    name = str(embedding_name).lower()
    if name not in _classes:
        raise RequirementError(f"create: {embedding_name!r} is no registered class.{suggest(name, _classes)}")
    return _classes[name](**kwargs)


def get_pretrained_file_names(embedding_name: str | None = None) -> Any:
    """The names of a registered class's published files, such as `glove`'s, or a dict of all classes.

    A class names its files in `pretrained_file_name_sha1`.

    Raises:
        KeyError: No class has that name.
    """
    names = {name: list(_files(found)) for name, found in _classes.items()}
    if embedding_name is None:
        return names
    if embedding_name not in names:
        raise UnknownNameError(
            f"get_pretrained_file_names: one of {', '.join(names)} is required, got {embedding_name!r}."
        )
    return names[embedding_name]


def _files(embedding_cls: Any) -> Any:
    return getattr(embedding_cls, "pretrained_file_name_sha1", getattr(embedding_cls, "files", ()))


class _TokenEmbedding(Vocabulary):
    """Words, their numbers, and a vector for each; the one of number 0 is that of unknown words."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._idx_to_vec: NDArray | None = None
        self._vec_len = 0

    @property
    def vec_len(self) -> int:
        """The length of the vectors."""
        return self._vec_len

    @property
    def idx_to_vec(self) -> Any:
        """The vectors in the order of their words' numbers, (words, length)."""
        return self._idx_to_vec

    def _read(self, path: PathLike, delimiter: str, unknown: _Make, encoding: str = "utf8") -> None:
        """Take words and vectors from the lines of a file."""
        file = Path(path).expanduser()
        if not is_file(file):
            raise AttributeValueError(f"{file}: a file of vectors is required, and is not there.")
        rows: list[list[float]] = []
        first: list[float] | None = None
        seen: set[str] = set()
        width = 0
        with TextIOWrapper(open_to_read(file), encoding) as lines:
            for place, token, vector in _vectors(file, lines, delimiter):
                if token in seen:
                    warnings.warn(f"{place}: {token} has a vector already; skipped.", stacklevel=3)
                    continue
                if width and len(vector) != width:
                    raise RequirementError(f"{place}: {width} numbers are required, got {len(vector)}.")
                width = len(vector)
                seen.add(token)
                if token == self.unknown_token:
                    first = vector
                elif token not in self._token_to_idx:
                    self._add(token)
                    rows.append(vector)
        if not width:
            raise FormatError(f"{file}: lines of a word and its vector are required, got none.")
        self._vec_len = width
        start = unknown(shape=width).asnumpy() if first is None else np.array(first)
        special = len(self) - len(rows)
        table = np.concatenate([np.tile(start, (special, 1)), np.array(rows).reshape(-1, width)])
        self._idx_to_vec = ndarray.array(table)

    def _keep(self, vocabulary: Vocabulary | None, *sources: _TokenEmbedding) -> None:
        """Have the words of a vocabulary, if there is one, with vectors of the sources side by side."""
        if vocabulary is None:
            return
        parts = [source.get_vecs_by_tokens(vocabulary.idx_to_token) for source in sources]
        for part, source in zip(parts, sources, strict=True):
            part[UNKNOWN] = source.idx_to_vec[UNKNOWN]
        self._idx_to_token = list(vocabulary.idx_to_token)
        self._token_to_idx = dict(vocabulary.token_to_idx)
        self._unknown_token = vocabulary.unknown_token
        self._reserved_tokens = vocabulary.reserved_tokens
        self._idx_to_vec = ndarray.concat(*parts, dim=1) if len(parts) > 1 else parts[0]
        self._vec_len = self._idx_to_vec.shape[1]

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> NDArray:
        """The vector of a word, or one row for each in a list.

        Args:
            tokens: A word, or a list of them.
            lower_case_backup: Whether a word that is not known is looked for in lower case.

        Returns:
            The vectors; unknown words have the one of number 0.
        """
        words = tokens if isinstance(tokens, list) else [tokens]
        if lower_case_backup:
            words = [word if word in self._token_to_idx else word.lower() for word in words]
        numbers = [self._token_to_idx.get(word, UNKNOWN) for word in words]
        vectors: NDArray = self.idx_to_vec[ndarray.array(numbers, dtype="int64")]
        return vectors if isinstance(tokens, list) else vectors[0]

    def update_token_vectors(self, tokens: Any, new_vectors: Any) -> None:
        """Give words other vectors.

        Args:
            tokens: A word, or a list of them.
            new_vectors: One vector, or a row for each word.

        Raises:
            ValueError: A word is not known.
            AssertionError: The shape does not fit.
        """
        words = tokens if isinstance(tokens, list) else [tokens]
        unknown = [word for word in words if word not in self._token_to_idx]
        if unknown:
            raise AttributeValueError(
                f"update_token_vectors: known words are required, got {unknown[0]!r}. The vector of unknown "
                f"words is that of {self.unknown_token!r}."
            )
        shape = (len(words), self.vec_len)
        if not isinstance(new_vectors, NDArray) or (
            new_vectors.shape != shape and not (len(words) == 1 and new_vectors.shape == shape[1:])
        ):
            got = getattr(new_vectors, "shape", type(new_vectors).__name__)
            raise RequirementError(f"update_token_vectors: an NDArray {shape} is required, got {got}.")
        self.idx_to_vec[ndarray.array([self._token_to_idx[w] for w in words], dtype="int64")] = (
            new_vectors.reshape(shape)
        )


def _vectors(file: Path, lines: Iterable[str], delimiter: str) -> Iterator[tuple[str, str, list[float]]]:
    """Where each line stands, its word and its numbers; lines of one number are warned of and left out."""
    for number, line in enumerate(lines, 1):
        place = f"{file}, line {number}"
        token, *elements = line.rstrip().split(delimiter)
        if not elements:
            raise RequirementError(f"{place}: a word and numbers are required, got {token!r}.")
        try:
            vector = [float(element) for element in elements]
        except ValueError as exc:
            raise FormatError(f"{place}: a word and numbers are required ({exc}).") from None
        if len(vector) == 1:
            warnings.warn(f"{place}: one number is no vector; skipped.", stacklevel=4)
            continue
        yield place, token, vector


class _PublishedEmbedding(_TokenEmbedding):
    """Vectors from a file that their makers published, in a folder of the class's name."""

    files: ClassVar[Sequence[str]] = ()
    """The names of the files."""
    _usual_file: ClassVar[str] = ""
    """The one that is read where none is named."""

    def __init__(
        self,
        pretrained_file_name: str | None = None,
        embedding_root: str = _ROOT,
        init_unknown_vec: _Make = ndarray.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        path = self._find(embedding_root, pretrained_file_name or self._usual_file)
        self._read(path, " ", init_unknown_vec)
        self._keep(vocabulary, self)

    def _find(self, root: PathLike, name: str) -> Path:
        """The path of a published file. Raises `MissingFileError` if it is not there."""
        kind = type(self).__name__.lower()
        if name not in self.files:
            raise UnknownNameError(
                f"{type(self).__name__}: no such file is published, {name!r}.{suggest(name, self.files)}"
            )
        path = Path(root).expanduser() / kind / name
        if not is_file(path):
            raise MissingFileError(
                f"{type(self).__name__}: the file {path} is required, and not there. Nothing is downloaded: "
                f"put it there, unpacked, or give embedding_root, the folder above {kind}."
            )
        return path


@register
class GloVe(_PublishedEmbedding):
    """GloVe's published vectors, from a file in the folder `glove` of `embedding_root`.

    Args:
        pretrained_file_name: The file's name; `glove.840B.300d.txt` where none is given.
        embedding_root: The folder above.
        init_unknown_vec: Makes the vector of unknown words where the file has none.
        vocabulary: The words to keep; those that the file lacks get the vector of unknown words.
        kwargs: Arguments of `Vocabulary`.

    Raises:
        MissingFileError: The file is not there; nothing is downloaded.
        KeyError: No such file is published.
    """

    files: ClassVar[Sequence[str]] = (
        "glove.42B.300d.txt",
        *(f"glove.6B.{size}d.txt" for size in (50, 100, 200, 300)),
        "glove.840B.300d.txt",
        *(f"glove.twitter.27B.{size}d.txt" for size in (25, 50, 100, 200)),
    )
    _usual_file = "glove.840B.300d.txt"


_WIKIPEDIAS = """
aa ab ace ady af ak als am ang an arc ar arz ast as av ay azb az bar bat_smg ba bcl be bg bh bi bjn bm bn
bo bpy br bs bug bxr ca cbk_zam cdo ceb ce cho chr ch chy ckb co crh cr csb cs cu cv cy da de diq dsb dv
dz ee el eml en eo es et eu ext fa ff fiu_vro fi fj fo frp frr fr fur fy gag gan ga gd glk gl gn gom got
gu gv hak ha haw he hif hi ho hr hsb ht hu hy hz ia id ie ig ii ik ilo io is it iu jam ja jbo jv kaa kab
ka kbd kg ki kj kk kl km kn koi ko krc kr ksh ks ku kv kw ky lad la lbe lb lez lg lij li lmo ln lo lrc
ltg lt lv mai map_bms mdf mg mhr mh min mi mk ml mn mo mrj mr ms mt multi.ar multi.bg multi.ca multi.cs
multi.da multi.de multi.el multi.en multi.es multi.et multi.fi multi.fr multi.he multi.hr multi.hu
multi.id multi.it multi.mk multi.nl multi.no multi.pl multi.pt multi.ro multi.ru multi.sk multi.sl
multi.sv multi.tr multi.uk multi.vi mus mwl my myv mzn nah nap na nds_nl nds ne new ng nl nn no nov nrm
nso nv ny oc olo om or os pag pam pap pa pcd pdc pfl pih pi pl pms pnb pnt ps pt qu rm rmy rn roa_rup
roa_tara ro rue ru rw sah sa scn sco sc sd se sg sh simple si sk sl sm sn so sq srn sr ss stq st su sv sw
szl ta tcy tet te tg th ti tk tl tn to tpi tr ts tt tum tw ty tyv udm ug uk ur uz vec vep ve vi vls vo
war wa wo wuu xal xh xmf yi yo za zea zh_classical zh_min_nan zh zh_yue zu
""".split()
"""The languages that fastText's vectors were published for."""


@register
class FastText(_PublishedEmbedding):
    """FastText's published vectors, from a file in the folder `fasttext` of `embedding_root`.

    Args:
        pretrained_file_name: The file's name; `wiki.simple.vec` where none is given.
        embedding_root: The folder above.
        init_unknown_vec: Makes the vector of unknown words where the file has none.
        vocabulary: The words to keep; those that the file lacks get the vector of unknown words.
        kwargs: Arguments of `Vocabulary`.

    Raises:
        MissingFileError: The file is not there; nothing is downloaded.
        KeyError: No such file is published.
    """

    files: ClassVar[Sequence[str]] = (
        "crawl-300d-2M.vec",
        *(f"wiki.{code}.vec" for code in _WIKIPEDIAS),
        "wiki-news-300d-1M.vec",
        "wiki-news-300d-1M-subword.vec",
    )
    _usual_file = "wiki.simple.vec"


class CustomEmbedding(_TokenEmbedding):
    """Vectors from a file, each line of which is a word and its numbers.

    Args:
        pretrained_file_path: The file.
        elem_delim: What is between word and numbers.
        encoding: The file's encoding.
        init_unknown_vec: Makes the vector of unknown words where the file has none.
        vocabulary: The words to keep; those that the file lacks get the vector of unknown words.
        kwargs: Arguments of `Vocabulary`.

    Raises:
        ValueError: The file is not there, or has something else than numbers.
        AssertionError: Vectors have different lengths.
    """

    def __init__(
        self,
        pretrained_file_path: PathLike,
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: _Make = ndarray.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._read(pretrained_file_path, elem_delim, init_unknown_vec, encoding)
        self._keep(vocabulary, self)


class CompositeEmbedding(_TokenEmbedding):
    """The words of a vocabulary, with vectors of one or more others side by side.

    Args:
        vocabulary: The words.
        token_embeddings: Where the vectors are from.

    Raises:
        AssertionError: An argument is of another kind, or there is nothing to have vectors from.
    """

    def __init__(
        self, vocabulary: Vocabulary, token_embeddings: _TokenEmbedding | Sequence[_TokenEmbedding]
    ) -> None:
        super().__init__()
        if not isinstance(vocabulary, Vocabulary):
            raise RequirementError(
                f"CompositeEmbedding: a Vocabulary is required, got {type(vocabulary).__name__}."
            )
        sources = [token_embeddings] if isinstance(token_embeddings, _TokenEmbedding) else token_embeddings
        kinds = [type(source).__name__ for source in sources if not isinstance(source, _TokenEmbedding)]
        if kinds or not sources:
            raise RequirementError(
                "CompositeEmbedding: vectors, such as a CustomEmbedding, or a list of them are required, got "
                f"{kinds[0] if kinds else 'none'}."
            )
        self._keep(vocabulary, *sources)
