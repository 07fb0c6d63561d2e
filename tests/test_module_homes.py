"""Names under the modules that MXNet defines them in are the package's own."""

from __future__ import annotations

from importlib import import_module

import pytest

import hybridonnx as mx

HOMES = [
    ("ndarray.ndarray", "NDArray array zeros concatenate waitall from_numpy imdecode true_divide", mx.nd),
    ("ndarray.utils", "load save load_frombuffer array empty zeros", mx.nd),
    ("symbol.symbol", "Symbol Group Variable var load zeros arange pow maximum", mx.sym),
    ("optimizer.optimizer", "Optimizer SGD Adam Updater get_updater create register", mx.optimizer),
    ("io.io", "DataIter NDArrayIter ResizeIter PrefetchingIter CSVIter DataBatch", mx.io),
    ("contrib.ndarray", "MultiBoxPrior box_nms foreach", mx.nd.contrib),
    ("contrib.symbol", "MultiBoxPrior box_nms foreach", mx.sym.contrib),
    ("contrib.onnx.onnx2mx.import_model", "import_model get_model_metadata", mx.onnx),
    ("contrib.onnx.onnx2mx.import_to_gluon", "import_to_gluon", mx.onnx),
    ("gluon.block", "Block HybridBlock SymbolBlock", mx.gluon),
    ("runtime.features", "Features Feature feature_list", mx.runtime),
]


@pytest.mark.parametrize(("home", "names", "package"), HOMES, ids=lambda value: str(value)[:20])
def test_homes(home, names, package):
    module = import_module(f"hybridonnx.{home}")
    for name in names.split():
        assert getattr(module, name) is getattr(package, name)
    assert not hasattr(module, "nothing")
    with pytest.raises(AttributeError):
        module.nothing  # noqa: B018


def test_tables_of_networks():
    """As MXNet's modules have them."""
    vision = import_module("hybridonnx.gluon.model_zoo.vision")
    resnet, vgg, densenet = (import_module(f"{vision.__name__}.{m}") for m in ("resnet", "vgg", "densenet"))
    assert resnet.resnet_spec[34] == ("basic_block", [3, 4, 6, 3], [64, 64, 128, 256, 512])
    assert resnet.resnet_spec[152] == ("bottle_neck", [3, 8, 36, 3], [64, 256, 512, 1024, 2048])
    assert resnet.resnet_net_versions[1] is vision.ResNetV2
    assert resnet.resnet_block_versions[0]["bottle_neck"] is vision.BottleneckV1
    assert vgg.vgg_spec[16] == ([2, 2, 3, 3, 3], [64, 128, 256, 512, 512])
    assert densenet.densenet_spec[161] == (96, 48, [6, 12, 36, 24])
