"""Predictors against plain ONNX Runtime, which runs the same files."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.gluon import nn
from hybridonnx.gluon.data.vision import transforms

ROWS = 7


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """`free.onnx`, `fixed.onnx` of four rows, and `net-symbol.json` with its parameters; one network."""
    folder = tmp_path_factory.mktemp("models")
    mx.random.seed(3)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.GlobalAvgPool2D(), nn.Dense(5))
    net.initialize(mx.init.Xavier())
    mx.onnx.export_model(net, folder / "free.onnx", input_shapes=[("batch", 3, 8, 8)])
    mx.onnx.export_model(net, folder / "fixed.onnx", input_shapes=[(4, 3, 8, 8)])
    net.hybridize()
    net(mx.nd.zeros((1, 3, 8, 8)))
    net.export(str(folder / "net"), 0)
    return folder


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(0).standard_normal((ROWS, 3, 8, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def scores(folder, data):
    session = ort.InferenceSession(str(folder / "free.onnx"))
    return session.run(None, {"data": data})[0]


def sent(value):
    """What another process gets."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  (our own)


def only(outputs):
    (array,) = outputs.values()
    return array


@pytest.mark.parametrize("name", ["free.onnx", "fixed.onnx", "net-symbol.json"])
@pytest.mark.parametrize("batch", [0, 1, 3])
def test_all_files_and_batches_give_what_a_session_gives(folder, data, scores, name, batch):
    predict = mx.deploy.predictor(folder / name, batch=batch, threads=1)
    np.testing.assert_allclose(only(predict({"data": data})), scores, rtol=1e-5, atol=1e-6)
    again = sent(predict)
    np.testing.assert_array_equal(only(again({"data": data})), only(predict({"data": data})))


def test_rows_of_a_fixed_batch_do_not_depend_on_what_fills_it(folder, data):
    predict = mx.deploy.predictor(folder / "fixed.onnx", threads=1)
    assert predict.fixed_rows == 4
    session = ort.InferenceSession(str(folder / "fixed.onnx"))
    (first,) = session.run(None, {"data": data[:4]})
    np.testing.assert_array_equal(only(predict({"data": data}))[:4], first)
    assert len(only(predict({"data": data[:1]}))) == 1


def test_columns_that_are_kept_come_back(folder, data, scores):
    predict = mx.deploy.Predictor(folder / "free.onnx", keep=["id", "name"])
    names = [f"row {i}" for i in range(ROWS)]
    result = predict({"data": data, "id": np.arange(ROWS), "name": names, "other": 1})
    assert [*result] == ["id", "name", predict.outputs[0].name]
    assert result["name"] == names
    np.testing.assert_array_equal(result["id"], np.arange(ROWS))
    np.testing.assert_allclose(result[predict.outputs[0].name], scores, rtol=1e-5, atol=1e-6)


def test_rows_may_be_a_list_of_arrays_of_another_float(folder, data, scores):
    predict = mx.deploy.predictor(folder / "free.onnx")
    rows = [mx.nd.array(row) if i % 2 else row.astype(np.float64) for i, row in enumerate(data)]
    np.testing.assert_allclose(only(predict({"data": rows})), scores, rtol=1e-5, atol=1e-6)


def test_no_rows_give_no_rows(folder):
    predict = mx.deploy.predictor(folder / "free.onnx")
    result = only(predict({"data": np.empty((0, 3, 8, 8), np.float32)}))
    assert (result.shape, result.dtype) == ((0, 5), np.float32)


def test_transforms_are_done_to_each_row(folder):
    pixels = np.random.default_rng(1).integers(0, 256, (3, 8, 8, 3), np.uint8)
    steps = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.5, 0.25)])
    predict = sent(mx.deploy.predictor(folder / "free.onnx", transform=steps))
    session = ort.InferenceSession(str(folder / "free.onnx"))
    x = ((pixels / 255 - 0.5) / 0.25).astype(np.float32).transpose(0, 3, 1, 2)
    expected = session.run(None, {"data": x})[0]
    np.testing.assert_allclose(only(predict({"data": pixels})), expected, rtol=1e-4, atol=1e-5)
    assert "Normalize" in predict.transforms["data"]


def test_labels_of_a_checkpoint_need_no_column(tmp_path, data):
    symbol = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc"), name="softmax"
    )
    weight = np.random.default_rng(2).standard_normal((3, 192)).astype(np.float32)
    arguments = {"fc_weight": mx.nd.array(weight), "fc_bias": mx.nd.zeros(3)}
    mx.model.save_checkpoint(str(tmp_path / "c"), 4, symbol, arguments, {})
    predict = mx.deploy.predictor(tmp_path / "c-symbol.json")
    logits = data.reshape(ROWS, -1) @ weight.T
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(only(predict({"data": data})), expected, rtol=1e-4)
    assert [item.name for item in predict.inputs] == ["data"]


def test_threads_call_one_predictor(folder, data, scores):
    predict = mx.deploy.predictor(folder / "free.onnx", threads=1)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: only(predict({"data": data})), range(16)):
            np.testing.assert_allclose(result, scores, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": np.zeros((1, 3, 8, 8))}, "a column data is required, got x"),
        ({"data": np.float32(1)}, "list of rows is required of data"),
        ({"data": [np.zeros((3, 8, 8)), np.zeros((3, 8, 7))]}, "rows of one shape are required of data"),
        ({"data": np.zeros((2, 3, 8, 7), np.float32)}, "ONNX Runtime could not run the graph"),
        ({"data": np.zeros((2, 3, 8, 8), np.complex64)}, "float32 is required of input data, got complex64"),
    ],
)
def test_columns_that_do_not_fit(folder, columns, message):
    with pytest.raises(mx.MXNetError, match=message):
        mx.deploy.predictor(folder / "free.onnx")(columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": ["y"]}, "outputs: some of .* are required, got y"),
        ({"batch": -1}, "from 0 on are required"),
        ({"transform": {"x": abs}}, "inputs among data are required, got x"),
        ({"params": "net-0000.params"}, "parameters are for MXNet's prefix-symbol.json"),
        ({"providers": ["None"]}, "providers among .* are required, got None"),
    ],
)
def test_options_that_do_not_fit(folder, options, message):
    with pytest.raises(mx.MXNetError, match=message):
        mx.deploy.predictor(folder / "free.onnx", **options)


def test_files_that_are_not_there(folder, tmp_path):
    with pytest.raises(mx.MXNetError, match="an ONNX file is required, got nothing"):
        mx.deploy.predictor(tmp_path / "none.onnx")
    (tmp_path / "net-symbol.json").write_bytes((folder / "net-symbol.json").read_bytes())
    with pytest.raises(mx.errors.MissingFileError, match="NNNN"):
        mx.deploy.predictor(tmp_path / "net-symbol.json")
    with pytest.raises(mx.MXNetError, match="an ONNX file is required for providers"):
        mx.deploy.predictor(folder / "net-symbol.json", providers=["CPUExecutionProvider"])


def test_outputs_without_a_row_for_each_row(tmp_path):
    symbol = mx.sym.Group([mx.sym.var("data") * 2, mx.sym.sum(mx.sym.var("data"))])
    mx.onnx.export_model(symbol, {}, [("batch", 2)], onnx_file_path=tmp_path / "two.onnx")
    with pytest.raises(mx.errors.ShapeError, match="Name the outputs that have one"):
        mx.deploy.predictor(tmp_path / "two.onnx")({"data": np.ones((3, 2), np.float32)})
    first = mx.deploy.predictor(tmp_path / "two.onnx").outputs[0].name
    predict = mx.deploy.predictor(tmp_path / "two.onnx", outputs=[first])
    np.testing.assert_array_equal(only(predict({"data": np.ones((3, 2), np.float32)})), np.full((3, 2), 2))
