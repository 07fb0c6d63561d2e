"""Transforms in the file of a model: ONNX Runtime gives for raw inputs what Python gives step by step."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.errors import ConversionError, MXNetError
from hybridonnx.gluon import nn
from hybridonnx.gluon.data.vision import transforms

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
USUAL = [transforms.ToTensor(), transforms.Normalize(MEAN, STD)]


def network(channels=3):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.GlobalAvgPool2D(), nn.Dense(5))
    net.initialize(mx.init.Xavier())
    net(mx.nd.zeros((1, channels, 8, 8)))
    return net


def session(path):
    return ort.InferenceSession(path, providers=["CPUExecutionProvider"])


def by_hand(transform, net, images):
    """Each image by itself through the transforms, in Python, then the network."""
    rows = [transform(mx.nd.array(image, dtype=image.dtype)) for image in images]
    return net(mx.nd.stack(*rows)).asnumpy()


def require_same(path, transform, net, shape, rng, dtype="uint8"):
    run = session(path)
    (item,) = run.get_inputs()
    assert item.shape[0] == "batch"
    assert item.type == {"uint8": "tensor(uint8)", "float32": "tensor(float)"}[dtype]
    for rows in (1, 2, 7):
        x = rng.integers(0, 256, (rows, *shape)).astype(dtype)
        (y,) = run.run(None, {item.name: x})
        np.testing.assert_allclose(y, by_hand(transform, net, x), rtol=1e-4, atol=1e-5)


CHAINS = {
    "usual": (USUAL, (12, 17, 3), None),
    "imagenet": (
        [transforms.Resize(40, keep_ratio=True), transforms.CenterCrop(32), *USUAL],
        (50, 60, 3),
        ("batch", 50, 60, 3),
    ),
    "enlarged": ([transforms.CenterCrop((30, 20)), *USUAL], (15, 60, 3), ("batch", 15, 60, 3)),
    "part": ([transforms.CropResize(2, 3, 20, 10, (16, 16)), *USUAL], (20, 30, 3), ("batch", 20, 30, 3)),
    "nearest": ([transforms.Resize((9, 11), interpolation=0), *USUAL], (20, 30, 3), ("batch", 20, 30, 3)),
    "nested": ([transforms.Compose([transforms.Cast("float32")]), *USUAL], (9, 9, 3), None),
}


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("kind", ["block", "onnx", "native"])
def test_numbers_are_those_of_python(name, kind, tmp_path, rng):
    steps, shape, declared = CHAINS[name]
    transform, net, path = transforms.Compose(steps), network(), str(tmp_path / "all.onnx")
    if kind == "block":
        model, shapes = net, declared
    elif kind == "onnx":
        model, shapes = str(tmp_path / "net.onnx"), declared
        mx.onnx.export_model(net, model, input_shapes=[("batch", 3, None, None)])
    else:
        net.hybridize()
        net(mx.nd.zeros((1, 3, 8, 8)))
        model, shapes = net.export(str(tmp_path / "net"))[0], declared
    assert mx.onnx.export_pipeline(model, transform, path, input_shapes=shapes, verify=True) == path
    require_same(path, transform, net, shape, rng)


def test_the_model_tells_height_width_and_channels(tmp_path, rng):
    net = network(1)
    mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[(4, 1, 24, 20)])
    mx.onnx.export_pipeline(str(tmp_path / "net.onnx"), transforms.ToTensor(), str(tmp_path / "all.onnx"))
    assert session(str(tmp_path / "all.onnx")).get_inputs()[0].shape == [4, 24, 20, 1]


def test_what_begins_with_numbers_takes_what_the_model_takes(tmp_path, rng):
    net, normalize = network(), transforms.Normalize(MEAN, STD)
    mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[("batch", 3, 24, 20)])
    path = mx.onnx.export_pipeline(str(tmp_path / "net.onnx"), normalize, str(tmp_path / "all.onnx"))
    require_same(path, normalize, net, (3, 24, 20), rng, "float32")


def test_names_are_those_of_a_file_of_others(tmp_path, rng):
    node = onnx.helper.make_node("ReduceMean", ["image", "axes"], ["means"], keepdims=0)
    other = onnx.helper.make_node("Add", ["means", "bias"], ["sum"])
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [node, other],
        "means",
        [info("image", 1, ["n", 3, "h", "w"]), info("bias", 1, ["n", 3])],
        [info("sum", 1, ["n", 3])],
        [onnx.numpy_helper.from_array(np.array([2, 3]), "axes")],
    )
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)]), tmp_path / "m")
    (tmp_path / "m").rename(tmp_path / "m.onnx")
    path = str(tmp_path / "all.onnx")
    mx.onnx.export_pipeline(str(tmp_path / "m.onnx"), {"image": transforms.ToTensor()}, path)
    run = session(path)
    assert [(i.name, i.type) for i in run.get_inputs()] == [
        ("image", "tensor(uint8)"),
        ("bias", "tensor(float)"),
    ]
    x, bias = rng.integers(0, 256, (2, 5, 6, 3)).astype("uint8"), np.ones((2, 3), np.float32)
    (y,) = run.run(["sum"], {"image": x, "bias": bias})
    np.testing.assert_allclose(y, x.mean((1, 2)) / 255 + 1, rtol=1e-5)
    with pytest.raises(MXNetError, match="a dict of transforms by the inputs image, bias is required"):
        mx.onnx.export_pipeline(str(tmp_path / "m.onnx"), transforms.ToTensor(), path)
    with pytest.raises(MXNetError, match="inputs among image, bias are required, got picture"):
        mx.onnx.export_pipeline(str(tmp_path / "m.onnx"), {"picture": transforms.ToTensor()}, path)


def test_transforms_alone(tmp_path, rng):
    transform = transforms.Compose(USUAL)
    path = mx.onnx.export_transform(transform, str(tmp_path / "t.onnx"), names=("image", "pixels"))
    x = rng.integers(0, 256, (3, 5, 6, 3)).astype("uint8")
    (y,) = session(path).run(["pixels"], {"image": x})
    want = (x.transpose(0, 3, 1, 2) / 255 - np.reshape(MEAN, (3, 1, 1))) / np.reshape(STD, (3, 1, 1))
    np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-6)


class MeanTaken(mx.gluon.HybridBlock):
    """Right for one image; of several it takes the mean of all."""

    def hybrid_forward(self, F, x):
        return F.broadcast_sub(x, F.mean(x))


class Turned(mx.gluon.HybridBlock):
    """Channels first, for one image alone."""

    def hybrid_forward(self, F, x):
        return F.transpose(x, axes=(2, 0, 1))


@pytest.mark.parametrize(
    ("transform", "said"),
    [
        (transforms.RandomFlipLeftRight(), "got RandomFlipLeftRight: it draws at random"),
        (transforms.RandomBrightness(0.1), "got RandomBrightness: it draws at random"),
        (transforms.RandomApply([transforms.ToTensor()]), "got RandomApply"),
        (transforms.RandomResizedCrop(8), "got RandomResizedCrop"),
        ([transforms.ToTensor(), transforms.Rotate(10)], "got Rotate"),
        ([transforms.ToTensor(), lambda x: x], "got <function"),
        (transforms.Resize(8), r"Resize needs images of a known height and width, got \(batch, height"),
        (transforms.CenterCrop(8), "CenterCrop needs images of a known height and width"),
        ([*USUAL, MeanTaken()], "several inputs at once what they make of each are required .* other number"),
    ],
)
def test_what_cannot_be_written_is_refused_by_name(transform, said, tmp_path):
    mx.onnx.export_model(network(), str(tmp_path / "net.onnx"), input_shapes=[("batch", 3, 24, 20)])
    with pytest.raises(ConversionError, match=said):
        mx.onnx.export_pipeline(str(tmp_path / "net.onnx"), transform, str(tmp_path / "all.onnx"))
    assert not (tmp_path / "all.onnx").exists()


def test_what_is_for_one_image_alone_is_refused(tmp_path):
    with pytest.raises(MXNetError):
        mx.onnx.export_transform([transforms.Cast("float32"), Turned()], str(tmp_path / "t.onnx"))
    assert not (tmp_path / "t.onnx").exists()


def test_other_channels_than_the_models_are_refused(tmp_path):
    mx.onnx.export_model(network(), str(tmp_path / "net.onnx"), input_shapes=[("batch", 3, 24, 20)])
    with pytest.raises(MXNetError):
        mx.onnx.export_pipeline(
            *(str(tmp_path / "net.onnx"), transforms.ToTensor(), str(tmp_path / "all.onnx")),
            input_shapes=("batch", 24, 20, 1),
        )


def test_predictors_give_the_same_with_transforms_in_the_file(tmp_path, rng):
    steps, shape, declared = CHAINS["imagenet"]
    transform, net = transforms.Compose(steps), network()
    mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[("batch", 3, 32, 32)])
    mx.onnx.export_pipeline(
        str(tmp_path / "net.onnx"), transform, str(tmp_path / "all.onnx"), input_shapes=declared
    )
    photos = rng.integers(0, 256, (5, *shape)).astype("uint8")
    (inside,) = mx.deploy.predictor(tmp_path / "all.onnx", batch=2)({"data": photos}).values()
    (outside,) = mx.deploy.predictor(tmp_path / "net.onnx", transform=transform)({"data": photos}).values()
    np.testing.assert_allclose(inside, outside, rtol=1e-4, atol=1e-5)
