"""`mx.test_utils`: helpers and checks as in real MXNet, and data sets from local files."""

from __future__ import annotations

import bz2
import gzip
import struct
import zipfile

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import test_utils
from tests import native_facts

SCENARIOS = [(m, name) for m in ("helpers", "checks") for name in native_facts.names(m, "older")]


@pytest.mark.parametrize(("module", "name"), SCENARIOS, ids=[".".join(s) for s in SCENARIOS])
def test_as_mxnet_shows(module, name, tmp_path):
    native_facts.check(module, name, tmp_path, "older")


def test_graphs_of_other_sizes_differ_in_structure():
    two = mx.sym.var("x") * 2
    assert not test_utils.same_symbol_structure(two, mx.sym.exp(two))


def test_csr_draws_fill_what_density_says():
    np.random.seed(0)
    array = test_utils.rand_ndarray((200, 50), "csr", density=0.3)
    assert 0.25 < array.data.size / 10_000 < 0.35
    array = test_utils.rand_ndarray((10, 64), "csr", density=0.5, distribution="powerlaw")
    counts = np.diff(array.indptr.asnumpy())
    assert counts[:6].tolist() == [1, 2, 4, 8, 16, 32]
    halves = test_utils.create_sparse_array(
        (3, 4), "csr", data_init=0.5, density=1, modifier_func=lambda x: x + 1
    )
    assert (halves.asnumpy() == 1.5).all()


def test_matrices_are_symmetric():
    for shape in ((3, 3), (2, 4, 4)):
        a = test_utils.new_sym_matrix_with_real_eigvals_nd(shape)
        assert a.shape == shape
        np.testing.assert_array_equal(a, np.swapaxes(a, -1, -2))
    assert np.isreal(np.linalg.eigvals(test_utils.new_matrix_with_real_eigvals_2d(5))).all()


def test_columns_are_shuffled():
    np.random.seed(0)
    dense = np.arange(1, 41, dtype="float32").reshape(2, 20)
    mixed = test_utils.shuffle_csr_column_indices(mx.nd.sparse.csr_matrix(dense))
    columns = mixed.indices.asnumpy()[:20]
    assert columns.tolist() != sorted(columns)
    assert (mixed.asnumpy() == dense).all()


def test_generators_are_verified():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.RandomState(0)
    buckets, probs = test_utils.gen_buckets_probs_with_ppf(stats.norm.ppf, 5)

    def normal(n):
        return rng.normal(0, 1, n)

    assert len(test_utils.verify_generator(normal, buckets, probs, nsamples=10000)) == 5
    with pytest.raises(AssertionError, match="χ² tests"):
        test_utils.verify_generator(lambda n: normal(n) + 0.5, buckets, probs, nsamples=10000)
    draws = np.repeat([0, 1, 2], [10, 20, 30])
    p, observed, expected = test_utils.chi_square_check(lambda n: draws, [0, 1, 2], [1 / 3] * 3, nsamples=60)
    assert (observed.tolist(), expected.tolist()) == ([10, 20, 30], [20, 20, 20])
    assert p == pytest.approx(stats.chisquare([10, 20, 30]).pvalue)
    assert test_utils.mean_check(normal, 0, 1, nsamples=10000)
    assert not test_utils.mean_check(normal, 0.1, 1, nsamples=10000)
    assert test_utils.var_check(normal, 1, nsamples=10000)
    assert not test_utils.var_check(normal, 1.2, nsamples=10000)


class _Net(mx.gluon.HybridBlock):
    def __init__(self, factor=1.0, **kwargs):
        super().__init__(**kwargs)
        self._factor = factor
        with self.name_scope():
            self.scale = self.params.get("scale", shape=(1,), init="ones")

    def hybrid_forward(self, F, x, scale):
        factor = self._factor if F is mx.sym else 1.0
        return F.broadcast_mul(F.tanh(x), scale) * factor


def test_hybridized_blocks_are_compared():
    x = [mx.nd.array(np.random.RandomState(0).normal(size=(2, 4)))]
    check = test_utils.check_gluon_hybridize_consistency
    check(_Net, x, numpy_func=np.tanh)
    check(_Net, x, test_grad=False)
    with pytest.raises(AssertionError):
        check(lambda prefix: _Net(1.5, prefix=prefix), x)
    with pytest.raises(AssertionError):
        check(_Net, x, numpy_func=np.sinh)


def test_the_default_context_is_set():
    try:
        test_utils.set_default_context(mx.cpu(3))
        assert test_utils.default_context() == mx.cpu(3) == mx.nd.ones((1,)).context
        with mx.cpu(1):
            assert mx.current_context() == mx.cpu(1)
    finally:
        test_utils.set_default_context(mx.cpu(0))


# ---- data sets


def _idx(values):
    values = np.asarray(values, np.uint8)
    return (
        struct.pack(">HBB", 0, 8, values.ndim)
        + struct.pack(f">{values.ndim}I", *values.shape)
        + values.tobytes()
    )


@pytest.fixture
def mnist(tmp_path, monkeypatch):
    """Small files of MNIST's format in the current folder: digits by kind."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    digits = {}
    for kind, count in (("train", 6), ("t10k", 4)):
        images, labels = rng.randint(0, 256, (count, 28, 28)), rng.randint(0, 10, count)
        digits[kind] = images, labels
        (tmp_path / f"{kind}-images-idx3-ubyte.gz").write_bytes(gzip.compress(_idx(images)))
        (tmp_path / f"{kind}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(_idx(labels)))
    return digits


def test_mnist_is_read(mnist):
    read = test_utils.get_mnist()
    assert sorted(read) == ["test_data", "test_label", "train_data", "train_label"]
    for key, kind in (("train", "train"), ("test", "t10k")):
        images, labels = mnist[kind]
        data = read[f"{key}_data"]
        assert (data.dtype, data.shape) == ("float32", (len(images), 1, 28, 28))
        np.testing.assert_array_equal(data[:, 0], images.astype("float32") / 255)
        assert read[f"{key}_label"].tolist() == labels.tolist()


def test_mnist_is_iterated(mnist):
    train, test = test_utils.get_mnist_iterator(2, (784,))
    assert train.provide_data[0].shape == (2, 784)
    _, test = test_utils.get_mnist_iterator(2, (1, 28, 28))
    got = np.concatenate([batch.data[0].asnumpy() for batch in test])
    np.testing.assert_allclose(got[:, 0], mnist["t10k"][0] / 256, rtol=1e-6)


def test_missing_data_is_told_where_to_go(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MXNET_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(test_utils.data_sets, "_SERVER", (tmp_path / "nowhere").as_uri())
    with pytest.raises(FileNotFoundError, match=r"train-images-idx3-ubyte\.gz is required .* Put all four"):
        test_utils.get_mnist()
    with pytest.raises(FileNotFoundError, match=r"cifar10\.zip: it is required"):
        test_utils.get_cifar10()
    with pytest.raises(FileNotFoundError, match=r"im2rec\.py"):
        test_utils.get_im2rec_path()
    with pytest.raises(FileNotFoundError, match=r"resnet-18-symbol\.json"):
        test_utils.download_model("imagenet1k-resnet-18", str(tmp_path / "models"))


def test_archives_are_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("inner/file.txt", "content")
    test_utils.get_zip_data(str(tmp_path / "to"), (tmp_path / "a.zip").as_uri(), "a.zip")
    assert (tmp_path / "to" / "inner" / "file.txt").read_text() == "content"
    (tmp_path / "b.bz2").write_bytes(bz2.compress(b"lines"))
    test_utils.get_bz2_data(str(tmp_path / "to"), "b", (tmp_path / "b.bz2").as_uri(), "b.bz2")
    assert (tmp_path / "to" / "b").read_bytes() == b"lines"
    assert not (tmp_path / "to" / "b.bz2").exists()
    (tmp_path / "to" / "bad.zip").write_text("no archive")
    with pytest.raises(mx.errors.FormatError, match="zip archive"):
        test_utils.get_zip_data(str(tmp_path / "to"), "http://nowhere.invalid/bad.zip", "bad.zip")


def test_models_are_fetched(tmp_path):
    for end in ("symbol", "params"):
        (tmp_path / end).write_text(end)
    info = {"net": {end: (tmp_path / end).as_uri() for end in ("symbol", "params")}}
    prefix, epoch = test_utils.download_model("net", str(tmp_path / "to"), info)
    assert (prefix, epoch) == (str(tmp_path / "to" / "net"), 0)
    assert (tmp_path / "to" / "net-0000.params").read_text() == "params"
    assert test_utils.download_model("other", str(tmp_path), info) == (None, 0)
