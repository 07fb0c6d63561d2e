"""Iterators: files that are damaged or do not fit, folders, threads that fail."""

from __future__ import annotations

import gzip
import re
import struct
import tracemalloc

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError, MissingFileError, MXNetError, ShapeError
from hybridonnx.formats.idx import read_idx


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return written


def test_faults_in_csv_files_are_told_by_line(write):
    for text, error, message in (
        ("1,2\n3,x\n", FormatError, r"line 2: numbers are required, got '3,x'"),
        ("1,2\n\n3\n", ShapeError, r"line 3: 2 values for the shape \(2,\) are required, got 1"),
        ("1,2,3\n", ShapeError, r"line 1: 2 values"),
    ):
        with pytest.raises(error, match=message):
            mx.io.CSVIter(write("d.csv", text), (2,), 1)
    with pytest.raises(FormatError, match="numbers are required"):
        mx.io.CSVIter(write("d.csv", "1.5,2\n"), (2,), 1, dtype="int32")
    good = write("d.csv", "1,2\n3,4\n")
    with pytest.raises(ShapeError, match="for each of 2 rows of data_csv is required, got 1"):
        mx.io.CSVIter(good, (2,), 1, label_csv=write("l.csv", "1\n"))
    with pytest.raises(MXNetError, match="batch_size above 0"):
        mx.io.CSVIter(good, (2,), 0)
    nothing = mx.io.CSVIter(write("none.csv", ""), (2,), 3)
    assert nothing.provide_data == [("data", (3, 2))]
    assert nothing.provide_label == [("softmax_label", (3,))]
    assert not list(nothing)
    with pytest.raises(MXNetError, match="to fill a batch of 5 are required, got 2"):
        mx.io.CSVIter(good, (2,), 5).next()
    with pytest.raises(MissingFileError):
        mx.io.CSVIter(good + "x", (2,), 1)


def test_csv_files_of_a_folder(write, tmp_path):
    write("b.csv", "3,4\n")
    write("a.csv", "1,2\n")
    batch = mx.io.CSVIter(str(tmp_path), (2,), 2).next()
    assert batch.data[0].asnumpy().tolist() == [[1, 2], [3, 4]]


def test_batches_without_rounding_keep_what_was_there(write):
    it = mx.io.CSVIter(write("d.csv", "1\n2\n3\n"), (1,), 2, round_batch=False)
    for _ in range(2):
        batches = [(batch.data[0].asnumpy().ravel().tolist(), batch.pad) for batch in it]
        assert batches == [([1, 2], 0), ([3, 2], 1)]
        it.reset()


def test_batches_are_not_written_again(write):
    it = mx.io.CSVIter(write("d.csv", "1\n2\n3\n4\n"), (1,), 2)
    first, second = list(it)
    assert first.data[0].asnumpy().ravel().tolist() == [1, 2]
    assert first.index.tolist() == [0, 1]
    assert second.index.tolist() == [2, 3]


def idx(values):
    head = struct.pack(f">4B{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    return head + values.tobytes()


def test_mnist_files(write):
    images, labels = np.arange(12, dtype=np.uint8).reshape(3, 2, 2), np.arange(3, dtype=np.uint8)
    packed = write("i.gz", gzip.compress(idx(images)))
    it = mx.io.MNISTIter(packed, write("l", idx(labels)), 2, shuffle=False, silent=True, dtype="float64")
    (batch,) = list(it)
    np.testing.assert_array_equal(batch.data[0].asnumpy()[:, 0], images[:2] / 256)
    assert batch.data[0].dtype == np.float64
    with pytest.raises(FormatError, match="begins with 00 00 08 03"):
        mx.io.MNISTIter(write("i", idx(labels)), write("l", idx(labels)), 2)
    with pytest.raises(FormatError, match="12 values"):
        mx.io.MNISTIter(write("i", idx(images)[:-1]), write("l", idx(labels)), 2)
    with pytest.raises(FormatError, match="for each of 3 images is required, got 2"):
        mx.io.MNISTIter(packed, write("l", idx(labels[:2])), 2)
    with pytest.raises(FormatError, match="gzip"):
        mx.io.MNISTIter(write("cut.gz", gzip.compress(idx(images))[:-9]), write("l", idx(labels)), 2)
    with pytest.raises(MXNetError, match="batch_size above 0 is required, got 0"):
        mx.io.MNISTIter(packed, write("l", idx(labels)), 0)
    with pytest.raises(MXNetError, match="part_index below num_parts=2 is required, got 2"):
        mx.io.MNISTIter(packed, write("l", idx(labels)), 2, num_parts=2, part_index=2)


@pytest.mark.parametrize("size", [0, -1, 2.0, None])
def test_batches_of_rows_have_a_size(size):
    """MXNet makes no batch either: with 0 it raises, with -1 the epoch has none."""
    with pytest.raises(MXNetError, match=f"batch_size above 0 is required, got {size}"):
        mx.io.NDArrayIter(np.zeros((5, 2)), None, size)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\0\0\x08\3" + b"\xff" * 12 + bytes(9), "79228162458924105385300197375 values"),
        (b"\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\2" + bytes(7), "8 values for (2, 2, 2) are required, got 7"),
        (b"\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\2" + bytes(1 << 20), "8 values for (2, 2, 2) are required"),
        (b"\0\0\x08\3\0\0\0\2", "begins with 00 00 08 03"),
    ],
)
def test_sizes_that_an_idx_file_does_not_hold_are_refused(write, pack, content, says):
    with pytest.raises(FormatError, match=re.escape(says)):
        read_idx(write("i", pack(content)), 3)


def test_no_more_of_a_packed_idx_file_is_unpacked_than_its_sizes_ask_for(write):
    packed = gzip.compress(b"\0\0\x08\1\0\0\0\1" + bytes(1 << 27), 1)
    tracemalloc.start()
    with pytest.raises(FormatError, match="got more"):
        read_idx(write("bomb", packed), 1)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


def test_faults_in_libsvm_files_are_told_by_line(write):
    for text, error, message in (
        ("1 0:1\n2 1:x\n", FormatError, r"line 2: a label and pairs such as 3:0.5 are required"),
        ("1 0\n", FormatError, "line 1"),
        (f"1 {10**30}:1\n", FormatError, "line 1: a label and pairs"),
        ("1 3:1\n", ShapeError, "line 1: columns from 0 to 2 are required"),
        ("1 -1:1\n", ShapeError, "line 1: columns from 0"),
    ):
        with pytest.raises(error, match=message):
            mx.io.LibSVMIter(write("d", text), (3,), 1)
    with pytest.raises(ShapeError, match="a shape of one axis"):
        mx.io.LibSVMIter(write("d", "1 0:1\n"), (3, 1), 1)


@pytest.mark.parametrize(
    "counts",
    [[11], [6, 5], [5, 3, 3], [4, 2, 3, 2], [3, 2, 3, 2, 1], [2, 2, 2, 1, 2, 1, 1]],
    ids=lambda counts: str(len(counts)),
)
def test_parts_of_libsvm_files_are_mxnets(write, counts):
    """MXNet cuts at bytes; these are the lines that it gave for each part."""
    path = write("d", "".join(f"{i} 0:{i} 2:{2 * i}\n" for i in range(11)))
    labels: list[float] = []
    for part, count in enumerate(counts):
        it = mx.io.LibSVMIter(path, (3,), 1, num_parts=len(counts), part_index=part)
        rows = [batch.label[0].asscalar() for batch in it]
        assert len(rows) == count
        labels += rows
    assert labels == list(range(11))


def test_parts_of_folders_are_cut_at_files_too(tmp_path):
    for name, first in (("a", 0), ("b", 4)):
        (tmp_path / name).write_text("".join(f"{first + i} 0:1\n" for i in range(4)))
    parts = [mx.io.LibSVMIter(tmp_path, (3,), 1, num_parts=2, part_index=i) for i in (0, 1)]
    assert [[b.label[0].asscalar() for b in part] for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_parts_are_told_by_integers(write):
    path = write("d", "1 0:1\n")
    images, labels = write("i", idx(np.zeros((2, 3, 3), np.uint8))), write("l", idx(np.zeros(2, np.uint8)))
    for options in ({"part_index": None}, {"num_parts": None}, {"part_index": "x"}):
        with pytest.raises(MXNetError, match="must be an integer"):
            mx.io.LibSVMIter(path, (3,), 1, **options)
        with pytest.raises(MXNetError, match="must be an integer"):
            mx.io.MNISTIter(images, labels, 1, **options)


class Failing(mx.io.NDArrayIter):
    """Fails at the second batch."""

    def next(self):
        if self.cursor >= 0:
            raise OSError("the disk is gone")
        return super().next()


def test_errors_in_threads_are_raised():
    it = mx.io.PrefetchingIter(Failing(np.zeros((6, 1)), np.zeros(6), 2))
    it.next()
    with pytest.raises(OSError, match="the disk is gone"):
        it.next()
    it.reset()
    assert it.next().data[0].shape == (2, 1)


def test_prefetched_iterators_must_fit():
    rows = [mx.io.NDArrayIter(np.zeros((n, 1)), np.zeros(n), 2) for n in (4, 6)]
    it = mx.io.PrefetchingIter(rows)
    assert len([it.next(), it.next()]) == 2
    with pytest.raises(AssertionError, match="of as many batches"):
        it.next()


def test_resetting_a_prefetched_epoch_begins_anew():
    it = mx.io.PrefetchingIter(mx.io.NDArrayIter(np.arange(6).reshape(6, 1), None, 2))
    assert it.next().data[0].asnumpy().ravel().tolist() == [0, 1]
    it.reset()
    batches = [batch.data[0].asnumpy().ravel().tolist() for batch in it]
    assert batches == [[0, 1], [2, 3], [4, 5]]


def test_buckets_are_known_through_a_resized_iterator():
    rows = mx.io.NDArrayIter(np.zeros((6, 1)), np.zeros(6), 2)
    assert not hasattr(mx.io.ResizeIter(rows, 2), "default_bucket_key")
    rows.default_bucket_key = 7
    assert mx.io.ResizeIter(rows, 2).default_bucket_key == 7
