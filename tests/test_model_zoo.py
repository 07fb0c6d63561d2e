"""Networks against what real MXNet shows, writes and computes (oracle/model_zoo.json, model_zoo/)."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import zlib
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError, MissingFileError
from hybridonnx.gluon.model_zoo import model_store, vision
from hybridonnx.name import NameManager

FOLDER = Path(__file__).parent / "oracle"
FACTS = json.loads((FOLDER / "model_zoo.json").read_text())
WHOLE = sorted(path.name.removesuffix("-symbol.json") for path in (FOLDER / "model_zoo").iterdir())
SIZES = {"densenet": 224, "inception": 299, "squeezenet": 224}
QUICK = ("alexnet", "mobilenet0.25", "mobilenetv2_0.25", "resnet18_v1", "resnet50_v2")
SCORED = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FACTS["scores"]]
READ = 'SHA-256 differs; tests/oracle/model_zoo.py "{}" prints what MXNet has'


def network(text):
    """The network of an expression, with names numbered anew."""
    with NameManager():
        return eval(text, {"vision": vision, "model_store": model_store})


def size_of(name):
    """Height and width of the oracle's image for a network."""
    return next((size for start, size in SIZES.items() if name.startswith(start)), 64)


def values(name, shape):
    """The numbers that the oracle used for this name and shape."""
    draw = np.random.RandomState(zlib.crc32(f"{name} {tuple(shape)}".encode()))
    low, high = (0.5, 1.5) if name.endswith(("gamma", "running_var")) else (-1.0, 1.0)
    scale = math.sqrt(6 / math.prod(shape[1:])) if name.endswith("weight") else 1.0
    return (scale * draw.uniform(low, high, shape)).astype(np.float32)


def filled(name):
    """A compiled network of ten classes with the oracle's parameters, and the oracle's image."""
    net = network(f"vision.get_model({name!r}, classes=10)")
    image = mx.nd.array(values("data", (1, 3, size_of(name), size_of(name))))
    net.initialize()
    net.hybridize()
    net(image)
    for key, param in net.collect_params().items():
        param.set_data(mx.nd.array(values(key, param.shape)))
    return net, image


def parameters(net):
    """A line for each parameter: name, shape, dtype, gradient, initializer."""
    lines = []
    for name, p in net.collect_params().items():
        init = p.init if isinstance(p.init, str) or p.init is None else p.init.dumps()
        lines.append(f"{name} {tuple(p.shape)} {np.dtype(p.dtype).name} {p.grad_req} {init}")
    return "\n".join(lines)


def worst(outputs, expected):
    """The largest difference, as a part of the largest number."""
    return np.abs(outputs - expected).max() / np.abs(expected).max()


# ---- what they are


@pytest.mark.parametrize("text", FACTS["networks"])
def test_is_what_mxnet_has(text):
    fact, net = FACTS["networks"][text], network(text)
    with NameManager():
        symbol = net(mx.sym.var("data")).tojson()
    assert len(json.loads(symbol)["nodes"]) == fact["nodes"]
    texts = {
        "repr": repr(net),
        "params": parameters(net),
        "places": "\n".join(net._collect_params_with_prefix()),
        "symbol": symbol,
    }
    other = [key for key, value in texts.items() if hashlib.sha256(value.encode()).hexdigest() != fact[key]]
    assert not other, READ.format(text)


@pytest.mark.parametrize("name", WHOLE)
def test_file_is_mxnets(name):
    text = network(f"vision.get_model({name!r})")(mx.sym.var("data")).tojson()
    assert text.splitlines() == (FOLDER / "model_zoo" / f"{name}-symbol.json").read_text().splitlines()


def without_annotations(function):
    signature = inspect.signature(function)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    text = str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return text.replace(str(Path.home()), "~")


@pytest.mark.parametrize("name", FACTS["signatures"])
def test_arguments_and_defaults(name):
    assert without_annotations(getattr(vision, name)) == FACTS["signatures"][name]


def test_public_names():
    assert set(vision.__all__) == set(FACTS["signatures"])


@pytest.mark.parametrize("text", [text for text in FACTS["networks"] if "Res" in text or "Bottle" in text])
def test_dtypes_are_told_without_shapes(text):
    graph = network(text)(mx.sym.var("data"))
    dtypes = dict(zip(graph.list_arguments(), graph.infer_type_partial()[0], strict=True))
    del dtypes["data"]
    assert set(dtypes.values()) == {np.float32}


def test_auxiliary_classifier_of_inception():
    block = vision.inception.make_aux(10)
    block.initialize()
    assert [type(layer).__name__ for layer in block] == [
        *("AvgPool2D", "HybridSequential", "HybridSequential", "Flatten", "Dense"),
    ]
    assert block(mx.nd.ones((2, 6, 17, 17))).shape == (2, 10)
    shapes = [p.shape for name, p in block.collect_params().items() if name.endswith("weight")]
    assert shapes == [(128, 6, 1, 1), (768, 128, 5, 5), (10, 768)]


# ---- what they compute


@pytest.mark.parametrize("name", SCORED)
def test_scores_of_mxnet(name, tmp_path):
    net, image = filled(name)
    expected = np.array([FACTS["scores"][name]], dtype=np.float32)
    assert worst(net(image).asnumpy(), expected) < 1e-5
    net.export(str(tmp_path / "net"))
    written = (tmp_path / "net-symbol.json").read_text()
    assert written == network(f"vision.get_model({name!r}, classes=10)")(mx.sym.var("data")).tojson()
    net.hybridize(False)
    assert worst(net(image).asnumpy(), expected) < 1e-5


def test_network_learns():
    net = network("vision.ResNetV1(vision.BasicBlockV1, [1, 1], [4, 4, 8], classes=3, thumbnail=True)")
    net.initialize(mx.initializer.Xavier())
    net.hybridize()
    x, label = mx.nd.array(values("data", (6, 3, 8, 8))), mx.nd.array([0, 1, 2, 0, 1, 2])
    losses = []
    for _ in range(8):
        with mx.autograd.record():
            loss = -mx.nd.pick(mx.nd.log_softmax(net(x)), label)
        loss.backward()
        for param in net.collect_params().values():
            if param.grad_req != "null":
                param.set_data(param.data() - 0.1 * param.grad())
        losses.append(loss.asnumpy().mean())
    assert losses[-1] < losses[0] / 2


# ---- by name, and with parameters of a file


@pytest.mark.parametrize("text", FACTS["mistakes"])
def test_mistakes_are_the_errors_that_mxnet_raises(text):
    with pytest.raises(Exception) as raised:  # noqa: PT011  (of any type)
        network(text)
    assert FACTS["mistakes"][text] in [kind.__name__ for kind in type(raised.value).__mro__]


def test_unknown_name_lists_the_known():
    with pytest.raises(ValueError, match="Model resnet18 is not supported") as raised:
        vision.get_model("resnet18")
    assert all(f"\n\t{name}" in str(raised.value) for name in FACTS["names"])
    assert "Did you mean" in str(raised.value)


@pytest.mark.parametrize("call", ["vision.get_vgg(12)", "vision.densenet.get_densenet(12)"])
def test_unknown_depth(call):
    with pytest.raises(ValueError, match=r"num_layers must be one of .*, got 12"):
        network(call)


@pytest.mark.parametrize("name", FACTS["names"])
def test_missing_file_says_where_to_put_it(name, tmp_path):
    published = tmp_path / f"{name}-{FACTS['hashes'][name]}.params"
    with pytest.raises(MissingFileError) as raised:
        vision.get_model(name, pretrained=True, root=str(tmp_path))
    assert str(published) in str(raised.value)
    assert str(tmp_path / f"{name}.params") in str(raised.value)
    assert isinstance(raised.value, FileNotFoundError)


def test_pretrained_reads_the_file(tmp_path):
    net = vision.mobilenet0_25(classes=3)
    net.initialize()
    net(mx.nd.zeros((1, 3, 32, 32)))
    file = tmp_path / "mobilenet0.25.params"
    net.save_parameters(str(file))
    assert model_store.get_model_file("mobilenet0.25", root=str(tmp_path)) == str(file)
    again = vision.mobilenet0_25(pretrained=True, root=str(tmp_path), classes=3)
    first, second = net.collect_params().values(), again.collect_params().values()
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.data().asnumpy(), b.data().asnumpy())
    with pytest.raises(AssertionError, match="shape"):
        vision.mobilenet0_25(pretrained=True, root=str(tmp_path), classes=4)


def test_published_file_must_be_whole(tmp_path):
    file = tmp_path / f"alexnet-{model_store.short_hash('alexnet')}.params"
    file.write_bytes(b"half of it")
    with pytest.raises(FormatError, match=r"SHA-1 sum 44335d1f.* rename it to alexnet\.params"):
        model_store.get_model_file("alexnet", root=str(tmp_path))


def test_purge(tmp_path):
    for name in ("alexnet.params", "notes.txt"):
        (tmp_path / name).touch()
    model_store.purge(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    model_store.purge(str(tmp_path / "nowhere"))
