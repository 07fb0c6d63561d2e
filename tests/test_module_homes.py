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
