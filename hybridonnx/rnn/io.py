"""Sentences as numbers, and batches of them in buckets of equal length."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from ..dtypes import DTypeLike
from ..errors import AttributeValueError, RequirementError
from ..io import DataBatch, DataDesc, DataIter
from ..ndarray import array
from ..ops import Array

__all__ = ["BucketSentenceIter", "encode_sentences"]


def encode_sentences(
    sentences: Iterable[Iterable[Any]],
    vocab: dict[Any, int] | None = None,
    invalid_label: int = -1,
    invalid_key: Hashable = "\n",
    start_label: int = 0,
    unknown_token: Hashable | None = None,
) -> tuple[list[list[int]], dict[Any, int]]:
    """Sentences of words as lists of numbers.

    Args:
        sentences: Lists of words.
        vocab: Words and their numbers, to which nothing is added but `unknown_token`; `None` makes one, and
            numbers words in the order in which they come.
        invalid_label: The number of `invalid_key`, which no word gets.
        invalid_key: What stands for it in a new vocabulary.
        start_label: The first number of a new vocabulary.
        unknown_token: What takes the place of words that are not in `vocab`.

    Returns:
        The sentences, and the vocabulary.

    Raises:
        AssertionError: A word is not in `vocab`, and there is no `unknown_token`.
    """
    grows = vocab is None
    words: dict[Any, int] = {invalid_key: invalid_label} if vocab is None else vocab
    number = start_label

    def encoded(word: Any) -> int:
        nonlocal number
        if word not in words:
            if not grows and unknown_token is None:
                raise RequirementError(
                    f"encode_sentences: every word must be in vocab, got {word!r}. Give unknown_token."
                )
            if number == invalid_label:
                number += 1
            if unknown_token is not None:
                word = unknown_token
            words[word] = number
            number += 1
        return words[word]

    return [[encoded(word) for word in sentence] for sentence in sentences], words


class BucketSentenceIter(DataIter):
    """Batches of sentences of about one length; the label of a word is the word after it.

    Args:
        sentences: Lists of numbers.
        batch_size: How many sentences are in a batch; what is left over of a bucket is not used in an epoch.
        buckets: Lengths of batches, into the smallest of which a sentence goes that it fits into. `None`:
            every length that at least `batch_size` sentences have.
        invalid_label: What sentences are filled up with.
        data_name: The name of the inputs.
        label_name: The name of the labels.
        dtype: The element type of both.
        layout: `"NT"`, or `"TN"` for one step a row.

    Raises:
        ValueError: `layout` begins with something else, or there is no bucket.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        batch_size: int,
        buckets: Sequence[int] | None = None,
        invalid_label: int = -1,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: DTypeLike = "float32",
        layout: str = "NT",
    ) -> None:
        super().__init__(batch_size)
        if layout.find("N") not in (0, 1):
            raise AttributeValueError(f"BucketSentenceIter: layout NT or TN is required, got {layout!r}.")
        if not buckets:
            counts = np.bincount([len(sentence) for sentence in sentences])
            buckets = [length for length, count in enumerate(counts) if count >= batch_size]
        if not buckets:
            raise AttributeValueError(
                f"BucketSentenceIter: a length is required that {batch_size} sentences have, got none. "
                "Give buckets, or a smaller batch_size."
            )
        self.buckets = sorted(buckets)
        self.data_name = data_name
        self.label_name = label_name
        self.dtype = dtype
        self.invalid_label = invalid_label
        self.major_axis = layout.find("N")
        self.layout = layout
        self.default_bucket_key = max(self.buckets)
        self.data = self._fill(sentences)
        self.nddata: list[Any] = []
        self.ndlabel: list[Any] = []
        self.idx = [
            (i, start)
            for i, bucket in enumerate(self.data)
            for start in range(0, len(bucket) - batch_size + 1, batch_size)
        ]
        self.curr_idx = 0
        self.reset()

    def _fill(self, sentences: Sequence[Sequence[int]]) -> list[Array]:
        """The sentences of each bucket as rows."""
        rows: list[list[Array]] = [[] for _ in self.buckets]
        left_out = 0
        for sentence in sentences:
            bucket = bisect_left(self.buckets, len(sentence))
            if bucket == len(self.buckets):
                left_out += 1
                continue
            row = np.full((self.buckets[bucket],), self.invalid_label, dtype=self.dtype)
            row[: len(sentence)] = sentence
            rows[bucket].append(row)
        if left_out:
            print(f"WARNING: {left_out} sentences are longer than the largest bucket, and left out.")
        return [np.asarray(row, dtype=self.dtype) for row in rows]

    def _described(self, name: str, length: int) -> list[DataDesc]:
        shape = (self.batch_size, length) if self.major_axis == 0 else (length, self.batch_size)
        return [DataDesc(name=name, shape=shape, layout=self.layout)]

    @property
    def provide_data(self) -> list[DataDesc]:
        """The inputs of the largest bucket."""
        return self._described(self.data_name, self.default_bucket_key)

    @property
    def provide_label(self) -> list[DataDesc]:
        """The labels of the largest bucket."""
        return self._described(self.label_name, self.default_bucket_key)

    def reset(self) -> None:
        """Shuffle the batches, by Python's generator, and each bucket's sentences, by NumPy's."""
        self.curr_idx = 0
        random.shuffle(self.idx)
        for bucket in self.data:
            np.random.shuffle(bucket)
        self.nddata, self.ndlabel = [], []
        for bucket in self.data:
            label = np.full_like(bucket, self.invalid_label)
            if bucket.size:
                label[:, :-1] = bucket[:, 1:]
            self.nddata.append(array(bucket, dtype=self.dtype))
            self.ndlabel.append(array(label, dtype=self.dtype))

    def next(self) -> DataBatch:
        """The next batch, with the length of its sentences as `bucket_key`."""
        if self.curr_idx == len(self.idx):
            raise StopIteration
        bucket, start = self.idx[self.curr_idx]
        self.curr_idx += 1
        data, label = (each[bucket][start : start + self.batch_size] for each in (self.nddata, self.ndlabel))
        if self.major_axis == 1:
            data, label = data.T, label.T
        length = self.buckets[bucket]
        return DataBatch(
            [data],
            [label],
            pad=0,
            bucket_key=length,
            provide_data=self._described(self.data_name, length),
            provide_label=self._described(self.label_name, length),
        )
