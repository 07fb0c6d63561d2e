"""Two models on a labelled set, and inputs from files and folders of images."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
import pytest
from PIL import Image

import hybridonnx as mx
from hybridonnx import gluon, sym
from hybridonnx.errors import ConversionError
from hybridonnx.ops import Spec
from hybridonnx.parity.pictures import Pixels


def scaled(weights):
    """A model whose classes are its inputs, each times a weight."""
    y = sym.FullyConnected(sym.var("data"), num_hidden=len(weights), no_bias=True, name="fc")
    return y, {"fc_weight": mx.nd.array(np.diag(weights).astype("float32"))}


@pytest.fixture
def labelled(rng):
    """Inputs and labels, and the classes that two models give, by NumPy."""
    x = rng.uniform(0.1, 1, (101, 4)).astype("float32")
    labels = rng.integers(0, 4, 101).astype("float32")
    return x, labels, x.argmax(1), (x * [1, 1, 2, 1]).argmax(1)


def test_a_metric_of_both_models(labelled, tmp_path):
    x, labels, before, after = labelled
    models = scaled([1, 1, 1, 1]), scaled([1, 1, 2, 1])
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(x, labels), 8)
    np.savez(tmp_path / "set.npz", data=x, label=labels)
    batches = mx.io.NDArrayIter(x, labels, 8)
    for inputs in (loader, tmp_path / "set.npz", {"data": x, "label": labels}, iter(list(loader)), batches):
        report = mx.onnx.verify(*models, inputs, metric="top1")
        score = report.metric
        assert (score.name, score.samples) == ("top1", 101)
        assert score.first == pytest.approx((before == labels).mean())
        assert score.second == pytest.approx((after == labels).mean())
        assert score.difference == pytest.approx(score.second - score.first)
        changed = np.flatnonzero(before != after)
        assert score.changed == len(changed)
        assert [(c.index, c.label, c.first, c.second) for c in score.changes] == [
            (i, labels[i], before[i], after[i]) for i in changed[:10]
        ]
    text = str(report)
    assert "top1 of 101 samples" in text
    assert f"{len(changed)} decisions changed" in text
    assert json.loads(report.to_json())["metric"]["changed"] == len(changed)
    assert not report.ok()  # the outputs differ by more than rounding


def test_metrics(labelled):
    x, labels, before, _ = labelled
    model = scaled([1, 1, 1, 1])
    first_two = np.argsort(-x, axis=1)[:, :2]
    top2 = (first_two == labels[:, None]).any(1).mean()
    for metric, value in (("top2", top2), ("acc", (before == labels).mean()), (mx.metric.Accuracy(), None)):
        report = mx.onnx.verify(model, None, (x, labels), metric=metric)
        assert report.ok()
        assert report.metric.changed == 0
        assert report.metric.first == report.metric.second
        assert value is None or report.metric.first == pytest.approx(value)
    x = x[:96]  # batches of one size, as MXNet's metric is the mean of those of batches
    squares = mx.onnx.verify(model, scaled([1, 1, 1, 2]), (x, x), metric="mse").metric
    assert (squares.first, squares.second) == (0, pytest.approx((x[:, 3] ** 2).mean() / 4, rel=1e-3))
    with pytest.raises(ConversionError, match="a name such as top1"):
        mx.onnx.verify(model, None, (x, labels[:96]), metric="topmost")
    with pytest.raises(ConversionError, match="inputs with labels"):
        mx.onnx.verify(model, None, x, metric="top1")
    with pytest.raises(ConversionError, match="one labelled sample"):
        mx.onnx.verify(model, model, iter([]), metric="top1")


def batches_of(x, labels, kind, folder):
    """A labelled set of 101 samples in a form that a caller has it in."""
    if kind == "loader":
        return gluon.data.DataLoader(gluon.data.ArrayDataset(x, labels), 8)
    if kind == "mx.io":
        return mx.io.NDArrayIter(x, labels, 8)
    if kind == "iterator":
        return ((x[i : i + 8], labels[i : i + 8]) for i in range(0, len(x), 8))
    np.savez(folder / "set.npz", data=x, label=labels)
    return folder / "set.npz"


@pytest.mark.parametrize("kind", ["loader", "mx.io", "iterator", "npz"])
@pytest.mark.parametrize("rows", ["n", 8, 3, 200])
def test_a_short_batch(labelled, tmp_path, kind, rows):
    """Whatever sizes a model takes, each sample counts once."""
    x, labels, before, after = labelled
    right, wrong = scaled([1, 1, 1, 1]), scaled([1, 1, 2, 1])
    path = mx.onnx.export_model(*wrong, [(rows, 4)], onnx_file_path=tmp_path / "net.onnx")
    report = mx.onnx.verify(right, path, batches_of(x, labels, kind, tmp_path), metric="top1")
    score = report.metric
    assert score.samples == 101
    assert score.first == pytest.approx((before == labels).mean())
    assert score.second == pytest.approx((after == labels).mean())
    assert [c.index for c in score.changes] == np.flatnonzero(before != after)[:10].tolist()
    cuts = [8] * 12 + [5] if kind != "npz" and isinstance(rows, int) else [101]
    added = sum(-n % rows for n in cuts) if isinstance(rows, int) else 0
    assert score.added == added
    assert (f"{added} rows in all" in str(report)) == bool(added)


def test_a_sample_that_a_model_does_not_take(tmp_path, rng):
    """It is told which one it is, and of which model."""
    table = {"w": mx.nd.array(rng.standard_normal((9, 4)))}
    rows = sym.Embedding(sym.var("data"), sym.var("w"), input_dim=9, output_dim=4, name="rows")
    x, labels = rng.integers(0, 9, 40).astype("float32"), np.zeros(40)
    path = mx.onnx.export_model(rows, table, [("n",)], onnx_file_path=tmp_path / "rows.onnx")
    proto = onnx.load(path)
    (gather,) = [node for node in proto.graph.node if node.op_type == "Gather"]
    cast = onnx.helper.make_node("Cast", ["data"], ["raw"], to=onnx.TensorProto.INT64)
    proto.graph.node.insert(0, cast)
    gather.input[1] = "raw"  # without what keeps it within the table, as MXNet does
    assert mx.onnx.verify((rows, table), proto, (x, labels), metric="top1").ok()
    x[37] = 11
    for size in ("n", 8):
        proto.graph.input[0].type.tensor_type.shape.dim[0].Clear()
        if size == 8:
            proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 8
        with pytest.raises(ConversionError, match="the second model does not take sample 37: "):
            mx.onnx.verify((rows, table), proto, (x, labels), metric="top1")
    with pytest.raises(ConversionError, match="the first model does not take sample 37: "):
        mx.onnx.verify(proto, (rows, table), (x, labels), metric="top1")


def test_sets_that_do_not_fit(labelled):
    x, labels, _, _ = labelled
    model = scaled([1, 1, 1, 1])
    empty = gluon.data.DataLoader(gluon.data.ArrayDataset(x[:0], labels[:0]), 8)
    arrays = {"data": x[:0], "label": labels[:0]}
    sets: list[Any] = [empty, iter([]), (x[:0], labels[:0]), arrays]
    for nothing in sets:
        for other in (None, model):
            with pytest.raises(ConversionError, match="one labelled sample at least"):
                mx.onnx.verify(model, other, nothing, metric="top1")
    with pytest.raises(ConversionError, match="a label for each row"):
        mx.onnx.verify(model, None, (x, labels[:50]), metric="top1")
    with pytest.raises(ConversionError, match=r"a metric of outputs \(16, 4\) and labels \(16, 3\)"):
        mx.onnx.verify(model, None, (x, x[:, :3]), metric="acc")


# ---- images


@pytest.fixture
def folder(tmp_path, rng):
    """Images of one colour each, in a folder for each colour: four red, two green, three blue ones."""
    for label, (colour, count) in enumerate((("a_red", 4), ("b_green", 2), ("c_blue", 3))):
        (tmp_path / "images" / colour).mkdir(parents=True)
        for i in range(count):
            pixels = np.zeros((9 + i, 12, 3), "uint8")
            pixels[:, :, label] = rng.integers(100, 255)
            Image.fromarray(pixels).save(tmp_path / "images" / colour / f"{i}.png")
    return tmp_path / "images"


def colours(order):
    """A model whose classes are the means of an image's colours, in some order."""
    pooled = sym.Pooling(sym.var("data"), global_pool=True, pool_type="avg", kernel=(1, 1))
    weight = np.eye(3, dtype="float32")[order]
    y = sym.FullyConnected(sym.flatten(pooled), num_hidden=3, no_bias=True, name="fc")
    return y, {"fc_weight": mx.nd.array(weight)}


def test_a_folder_for_each_class(folder, tmp_path):
    path = mx.onnx.export_model(*colours([0, 1, 2]), [("n", 3, 8, 8)], onnx_file_path=tmp_path / "net.onnx")
    report = mx.onnx.verify(colours([0, 1, 2]), path, folder, metric="top1")
    assert report.ok()
    assert (report.metric.first, report.metric.second, report.metric.samples) == (1, 1, 9)
    report = mx.onnx.verify(colours([2, 1, 0]), path, folder, metric="top1")
    assert report.metric.first == pytest.approx(2 / 9)
    assert report.metric.changed == 7
    assert mx.onnx.verify(colours([0, 1, 2]), path, folder).samples == 8
    assert mx.onnx.verify(colours([0, 1, 2]), path, folder / "b_green").samples == 2
    net = gluon.SymbolBlock(colours([0, 1, 2])[0], [sym.var("data")])
    net.initialize()
    net.collect_params()["fc_weight"].set_data(mx.nd.array(np.eye(3)))
    assert mx.onnx.verify(net, path, folder, metric="top1").metric.first == 1


def test_images_are_cut_from_the_middle(tmp_path, rng):
    pixels = rng.integers(0, 255, (4, 8, 3)).astype("uint8")
    Image.fromarray(pixels).save(tmp_path / "x.png")
    spec = Spec((1, 3, 4, 4), np.dtype("float32"))
    x = Pixels(mean=(0.5, 0.4, 0.3), std=(0.1, 0.2, 0.3)).array(tmp_path / "x.png", spec)
    expected = (pixels[:, 2:6] / 255 - [0.5, 0.4, 0.3]) / [0.1, 0.2, 0.3]
    np.testing.assert_allclose(x, expected.transpose(2, 0, 1), rtol=1e-6)
    last = Spec((1, 4, 4, 3), np.dtype("uint8"))
    np.testing.assert_array_equal(Pixels().array(tmp_path / "x.png", last), pixels[:, 2:6])
    whole = Pixels(lambda image: image.astype("float32").transpose((2, 0, 1)) - 7)
    np.testing.assert_array_equal(
        whole.array(tmp_path / "x.png", spec), pixels.transpose(2, 0, 1).astype("float32") - 7
    )
    Image.fromarray(np.full((6, 30, 3), 90, "uint8")).save(tmp_path / "y.png")
    assert Pixels().array(tmp_path / "y.png", spec) == pytest.approx(np.full((3, 4, 4), 90 / 255))


def test_files_and_folders_of_arrays(tmp_path, rng):
    model, x = scaled([1, 2, 3]), rng.standard_normal((2, 3)).astype("float32")
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "y.npz", data=x)
    for name in ("x.npy", "y.npz", "."):
        report = mx.onnx.verify(model, None, tmp_path / name)
        assert report.ok()
        assert report.samples == 1 + (name == ".")
    (tmp_path / "empty").mkdir()
    (tmp_path / "z.npy").write_bytes(b"no numbers")
    for name, text in (("empty", "images, .npz or .npy files"), ("z.npy", "a file of numbers")):
        with pytest.raises(ConversionError, match=text):
            mx.onnx.verify(model, None, tmp_path / name)


def test_progress_is_told(labelled, capsys, monkeypatch):
    from hybridonnx.parity import progress

    x, labels, _, _ = labelled
    told: list[str] = []
    token = progress.LISTENER.set(told.append)
    mx.onnx.verify(scaled([1, 1, 1, 1]), None, (x, labels), metric="top1")
    progress.LISTENER.reset(token)
    assert told[0] == "16 samples"
    assert told[-1] == "101 samples"
    assert not capsys.readouterr().err
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    mx.onnx.verify(scaled([1, 1, 1, 1]), None, (x, labels), metric="top1")
    assert "\r101 samples\n" in capsys.readouterr().err
