"""Files that are proven before they take their place, and the manifests beside them."""

from __future__ import annotations

import getpass
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.converters.from_onnx._registry import Import
from hybridonnx.converters.from_onnx._registry import load_all as importers
from hybridonnx.converters.to_onnx._registry import load_all as lowerings
from hybridonnx.errors import FormatError, MissingFileError, MXNetError
from hybridonnx.gluon import nn
from hybridonnx.ops import find
from hybridonnx.parity.report import ParityError

SHAPES = [("batch", 1, 6, 6)]


def network():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.Flatten(), nn.Dense(5))
    net.initialize(mx.init.Xavier())
    return net


def export(net, path, **options):
    return mx.onnx.export_model(net, path, input_shapes=SHAPES, **{"verify": True, **options})


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def wrong_relu(g, op, x):
    """A lowering as it must not be: what is negative comes through a little."""
    return g.LeakyRelu(x, alpha=0.01)


def for_two(g, op, x):
    """A lowering that is right for a batch of 2."""
    return g.Reshape(x, np.array([2, -1]))


# ---- what is written, and what is not


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("kind", ["block", "hybridized", "symbol"])
def test_a_fault_leaves_no_file_and_an_older_one_whole(tmp_path, monkeypatch, external, kind):
    net, path = network(), tmp_path / "net.onnx"
    net(nd.ones((2, 1, 6, 6)))
    net.hybridize(kind == "hybridized")

    def write():
        options = {"external_data": external, "verify": True}
        if kind != "symbol":
            return mx.onnx.export_model(net, path, input_shapes=SHAPES, **options)
        params = {name: p.data() for name, p in net.collect_params().items()}
        return mx.onnx.export_model(net(sym.var("data")), params, SHAPES, onnx_file_path=path, **options)

    with monkeypatch.context() as patch:
        patch.setitem(lowerings(), find("Activation"), wrong_relu)
        with pytest.raises(ParityError, match=r"net\.onnx does not\. It was not written") as caught:
            write()
        assert not os.listdir(tmp_path)
        report = caught.value.report
        assert "relu" in report.first_divergence().name
        assert str(report) in str(caught.value)
    net.hybridize(kind == "hybridized")  # compiled anew
    assert write() == str(path)
    before = content(tmp_path)
    assert len(before) == 2 + external
    monkeypatch.setitem(lowerings(), find("Activation"), wrong_relu)
    net[2].bias.set_data(nd.ones(5))
    with pytest.raises(ParityError):
        write()
    assert content(tmp_path) == before
    assert mx.onnx.check_manifest(path).ok()


def test_a_batch_that_is_written_into_the_file(tmp_path, monkeypatch):
    monkeypatch.setitem(lowerings(), find("Flatten"), for_two)
    with pytest.raises(ParityError, match="fault at batch=1:"):
        export(network(), tmp_path / "net.onnx")
    with pytest.raises(ParityError, match="fault at batch=4:"):
        export(network(), tmp_path / "net.onnx", verify={"sizes": {"batch": (2, 4)}})
    export(network(), tmp_path / "net.onnx", verify={"sizes": {"batch": 2}})
    assert mx.onnx.check_manifest(tmp_path / "net.onnx").manifest.proof["sizes"] == [{"batch": 2}]


def test_sizes_that_the_model_refuses(tmp_path):
    """A window of 5 does not fit into 1 or 2."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(2, 5), nn.GlobalAvgPool2D())
    net.initialize()
    path, shapes = tmp_path / "net.onnx", [(1, 3, "height", 9)]
    mx.onnx.export_model(net, path, input_shapes=shapes, verify=True)
    proof = mx.onnx.check_manifest(path).manifest.proof
    assert proof["sizes"] == [{"height": 7}, {"height": 14}]
    assert proof["refused"] == [{"height": 1}, {"height": 2}]
    path.unlink()
    with pytest.raises(MXNetError, match="the first model does not take those that are drawn"):
        mx.onnx.export_model(net, path, input_shapes=shapes, verify={"sizes": {"height": (3, 4)}})
    assert not path.exists()


def test_sizes_of_a_model_that_is_free_throughout(tmp_path):
    """The caller's numbers are what others are proven beside: no other channels fit."""
    net, path = nn.HybridSequential(), tmp_path / "net.onnx"
    net.add(nn.Conv2D(2, 5, in_channels=3), nn.GlobalAvgPool2D())
    net.initialize()
    mx.onnx.export_model(net, path, input_shapes=[(1, 3, 9, 11)], dynamic=True, verify=True)
    proof = mx.onnx.check_manifest(path).manifest.proof
    names = [f"data_{axis}" for axis in range(4)]
    if "batch" in proof["sizes"][0]:
        names[0] = "batch"
    first, *others = proof["sizes"]
    assert first == dict(zip(names, (2, 3, 9, 11), strict=True))
    assert {sizes[names[1]] for sizes in others} == {3}
    assert {sizes[names[2]] for sizes in others} == {7, 9}
    assert {sizes[names[0]] for sizes in others} == {1, 2, 7}


def test_inputs_of_the_callers_own(tmp_path, rng):
    net, path = network(), tmp_path / "net.onnx"
    pictures = [nd.array(rng.uniform(size=(3, 1, 6, 6))), nd.array(rng.uniform(size=(5, 1, 6, 6)))]
    export(net, path, verify={"inputs": iter(pictures), "samples": 2, "layers": True})
    proof = mx.onnx.check_manifest(path).manifest.proof
    assert (proof["inputs"], proof["samples"], proof["sizes"]) == ("given", 2, [])


def test_what_is_right_may_be_another_model(tmp_path):
    net, first, second = network(), tmp_path / "first.onnx", tmp_path / "second.onnx"
    export(net, first)
    net[2].bias.set_data(nd.array([0, 0, 0.01, 0, 0]))
    with pytest.raises(ParityError):
        export(net, second, verify={"model": first})
    assert not second.exists()
    export(net, second, verify={"model": first, "tol": 0.1})
    proof = mx.onnx.check_manifest(second).manifest.proof
    assert (proof["verdict"], proof["tolerance"]) == ("fault", 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample": 3}, r"some of model, inputs, .* is required, got 'sample'\. Did you mean samples\?"),
        ({"sizes": {"length": 3}}, "names of free sizes, batch, are required, .* got length"),
        ({"sizes": {"batch": ()}}, r"a number, or several, .* is required for batch, got \(\)"),
        (
            {"inputs": np.ones((2, 1, 7, 6), "float32")},
            r"while the file net\.onnx was proven; it was not written",
        ),
    ],
)
def test_proofs_that_cannot_be(tmp_path, options, message):
    with pytest.raises(MXNetError, match=message):
        export(network(), tmp_path / "net.onnx", verify=options)
    assert not os.listdir(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are POSIX's")
def test_a_folder_that_cannot_be_written_to():
    net = network()
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        export(net, f"{name}/first.onnx")
        before = content(Path(name))
        os.chmod(name, 0o555)
        user = os.geteuid()
        try:
            if not user:
                os.seteuid(65534)  # permissions do not stop root
            with pytest.raises(PermissionError):
                export(net, f"{name}/second.onnx")
            with pytest.raises(PermissionError):
                export(net, f"{name}/first.onnx")
        finally:
            if not user:
                os.seteuid(user)
            os.chmod(name, 0o755)
        assert content(Path(name)) == before
    with pytest.raises(MissingFileError):
        export(net, f"{name}/first.onnx")


# ---- what manifests say


def test_digests(tmp_path, monkeypatch):
    """Of the files, the parameters and the symbol, by hand."""
    monkeypatch.chdir(tmp_path)
    net = network()
    net(nd.ones((2, 1, 6, 6)))
    net.hybridize()
    net(nd.ones((2, 1, 6, 6)))
    net.export("net", epoch=3)
    arguments = ("net-symbol.json", "net-0003.params", SHAPES, "float32", "model.onnx")
    mx.onnx.export_model(*arguments, external_data=True, verify=True)
    data = json.loads(Path("model.onnx.manifest.json").read_text())
    (weights,) = tmp_path.glob("model.onnx.*.data")

    def digest(name):
        content = Path(name).read_bytes()
        return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}

    assert data["files"] == {"model.onnx": digest("model.onnx"), weights.name: digest(weights)}
    source = data["source"]
    assert source["files"] == {name: digest(name) for name in ("net-symbol.json", "net-0003.params")}
    assert source["symbol"] == digest("net-symbol.json")
    arrays = {
        name.removeprefix("arg:"): array.asnumpy() for name, array in nd.load("net-0003.params").items()
    }
    content = b""
    for name in sorted(arrays):
        shape = ", ".join(map(str, arrays[name].shape))
        content += f'["{name}", "float32", [{shape}]]'.encode() + arrays[name].astype("<f4").tobytes()
    assert source["parameters"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert source["parameters"]["bytes"] == sum(array.nbytes for array in arrays.values())


def test_what_a_manifest_says(tmp_path):
    path = tmp_path / "net.onnx"
    export(
        network(),
        path,
        opset_version=15,
        verify={"samples": 2, "seed": 5},
        keep=["net_dense0_fwd", "net_conv0_fwd"],
    )
    text = Path(f"{path}.manifest.json").read_text()
    assert str(tmp_path) not in text
    assert not re.search(rf"\b{re.escape(getpass.getuser())}\b|{re.escape(platform.node())}", text)
    data = json.loads(text)
    assert data["manifest"] == 1
    assert data["created"] is None
    assert data["export"] == {
        "opset": 15,
        "precision": "float32",
        "keep": ["net_conv0_fwd", "net_dense0_fwd"],
        "external_data": False,
        "run_shape_inference": False,
        "inputs": [{"name": "data", "dtype": "float32", "shape": ["batch", 1, 6, 6]}],
        "outputs": [{"name": "net_dense0_fwd_output", "dtype": "float32", "shape": ["batch", 5]}],
    }
    for package in ("onnx", "onnxruntime", "numpy"):
        assert data["versions"][package] == importlib.metadata.version(package)
    assert data["versions"]["python"] == platform.python_version()
    assert data["versions"]["hybridonnx"] == mx.__version__
    proof = data["proof"]
    assert (proof["seed"], proof["samples"]) == (5, 2)
    assert proof["sizes"] == [{"batch": 2}, {"batch": 1}, {"batch": 7}]
    assert proof["verdict"] in ("agrees", "rounding")
    (output,) = proof["outputs"]
    x = np.random.default_rng(0).standard_normal((7, 1, 6, 6)).astype("float32")
    (y,) = onnxruntime.InferenceSession(path).run(None, {"data": x})
    assert output["name"] == "net_dense0_fwd_output"
    assert 0 <= output["relative"] < 1e-5
    assert output["absolute"] < 1e-5 * max(1, np.abs(y).max())
    printed = str(mx.onnx.check_manifest(path))
    assert "batch = 1; batch = 2; batch = 7: 2 samples, seed 5" in printed
    assert "inputs: data (batch, 1, 6, 6) float32" in printed


EXPORT = """
import hybridonnx as mx
from hybridonnx.gluon import nn

net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(nn.Conv2D(4, 3), nn.Flatten(), nn.Dense(5))
mx.random.seed(1)
net.initialize(mx.init.Xavier())
mx.onnx.export_model(net, "net.onnx", input_shapes=[("batch", 1, 6, 6)], verify=True)
"""


def test_the_same_model_gives_the_same_manifest(tmp_path, monkeypatch):
    """In another process, with other hashes."""
    monkeypatch.chdir(tmp_path)
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", EXPORT], env=environment, check=True)
    before = content(tmp_path)
    assert len(before) == 2
    exec(EXPORT, {})
    assert content(tmp_path) == before


def test_a_time_is_told_on_request(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    export(network(), tmp_path / "net.onnx")
    assert mx.onnx.check_manifest(tmp_path / "net.onnx").manifest.created == "2001-09-09T01:46:40Z"


# ---- what has changed


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "net.onnx"
    export(network(), path, external_data=True)
    return path


def test_one_byte_is_seen_in_every_file(model):
    assert mx.onnx.check_manifest(model).ok()
    for file in (model, next(model.parent.glob("*.data"))):
        whole = file.read_bytes()
        for place in (0, len(whole) // 2, len(whole) - 1):
            changed = bytearray(whole)
            changed[place] ^= 1
            file.write_bytes(changed)
            check = mx.onnx.check_manifest(model)
            assert not check.ok()
            (change,) = check.changes
            assert change.startswith(f"{file.name}: SHA-256 {hashlib.sha256(whole).hexdigest()} is required")
            assert f"CHANGED: {change}" in str(check)
            assert json.loads(check.to_json())["ok"] is False
        file.write_bytes(whole + b"\0")
        (change,) = mx.onnx.check_manifest(f"{model}.manifest.json").changes
        assert change == f"{file.name}: {len(whole)} bytes are required, got {len(whole) + 1}."
        file.unlink()
        (change,) = mx.onnx.check_manifest(model).changes
        assert change == f"{file.name}: this file is required, and is not there."
        file.write_bytes(whole)
    assert "all is as it was proven" in str(mx.onnx.check_manifest(model))


def test_an_export_without_proof_is_seen(model):
    net = network()
    mx.onnx.export_model(net, model, input_shapes=SHAPES)
    changes = mx.onnx.check_manifest(model).changes
    assert [change.partition(":")[0] == "net.onnx" for change in changes] == [True, False]


def test_what_a_file_was_made_of(tmp_path):
    net, path = network(), tmp_path / "net.onnx"
    export(net, path)
    assert mx.onnx.check_manifest(path, net).ok()
    net.hybridize()
    net(nd.ones((1, 1, 6, 6)))
    files = net.export(str(tmp_path / "net"))
    assert mx.onnx.check_manifest(path, files).ok()
    net[2].bias.data()[0] = 1e-7
    (change,) = mx.onnx.check_manifest(path, net).changes
    assert change.startswith("the parameters: SHA-256")
    (change,) = mx.onnx.check_manifest(path, (sym.relu(net(sym.var("data"))), nd.load(files[1]))).changes
    assert change.startswith("the symbol: SHA-256")
    with pytest.raises(MXNetError, match=r"a Symbol with its parameters .*, got PosixPath"):
        mx.onnx.check_manifest(path, path)


def damaged(model, change):
    path = Path(f"{model}.manifest.json")
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(manifest=2), "version 1 is required, got 2. Update hybridonnx"),
        (lambda d: d.pop("manifest"), "manifest is required, and is not there"),
        (lambda d: d.update(manifest=True), "int is required at manifest, got bool"),
        (lambda d: d.update(files={}), "one file at least is required"),
        (lambda d: d["files"].update({"../secret": d["files"]["net.onnx"]}), r"got '\.\./secret'"),
        (lambda d: d["files"].update({"/etc/passwd": d["files"]["net.onnx"]}), "got '/etc/passwd'"),
        (lambda d: d["files"].update({"": d["files"]["net.onnx"]}), "got ''"),
        (lambda d: d["files"].update({"x": {"bytes": "1"}}), "int is required at files.x.bytes, got str"),
        (lambda d: d["proof"].update(outputs=[3]), r"dict is required at proof\.outputs\[0\], got int"),
        (lambda d: d["export"].update(inputs=None), "list is required at export.inputs, got NoneType"),
        (lambda d: d["source"].update(symbol={}), "source.symbol.sha256 is required, and is not there"),
        (lambda d: d["export"]["inputs"][0].update(shape=7), "list or NoneType is required"),
    ],
)
def test_manifests_that_cannot_be(model, change, message):
    damaged(model, change)
    with pytest.raises(FormatError, match=rf"net\.onnx\.manifest\.json: a manifest .*{message}"):
        mx.onnx.check_manifest(model)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b" " * (1 << 25)])
def test_files_that_are_no_manifests(model, content):
    Path(f"{model}.manifest.json").write_bytes(content)
    with pytest.raises(FormatError, match="a manifest of a model is required"):
        mx.onnx.check_manifest(model)
    os.unlink(f"{model}.manifest.json")
    with pytest.raises(MissingFileError, match=r"net\.onnx\.manifest\.json"):
        mx.onnx.check_manifest(model)


def test_files_that_are_links(tmp_path):
    (tmp_path / "releases").mkdir()
    (tmp_path / "current.onnx").symlink_to("releases/1.onnx")
    export(network(), tmp_path / "current.onnx")
    assert (tmp_path / "current.onnx").is_symlink()
    onnx.checker.check_model(tmp_path / "releases/1.onnx")
    assert mx.onnx.check_manifest(tmp_path / "current.onnx").ok()


def test_weights_beside_a_link_into_another_folder(tmp_path):
    (tmp_path / "releases").mkdir()
    (tmp_path / "current.onnx").symlink_to("releases/1.onnx")
    with pytest.raises(MXNetError, match=r"a link to .*1\.onnx\. Export to that name"):
        export(network(), tmp_path / "current.onnx", external_data=True)
    assert not os.listdir(tmp_path / "releases")
    assert len(os.listdir(tmp_path)) == 2


def test_lower_precision_has_a_tolerance(tmp_path):
    net, path = network(), tmp_path / "net.onnx"
    export(net, path, precision="float16", verify={"tol": 0.01})
    check = mx.onnx.check_manifest(path)
    assert check.manifest.export["precision"] == "float16"
    assert 1e-6 < check.manifest.proof["outputs"][0]["relative"] < 0.01


# ---- MXNet's files, of ONNX


def for_two_only(F, x, *, axis=1):
    """An import of Flatten that is right for a batch of 2."""
    return F.reshape(x, shape=(2, -1))


@pytest.fixture
def onnx_file(tmp_path):
    folder = tmp_path / "onnx"
    folder.mkdir()
    return mx.onnx.export_model(network(), folder / "net.onnx", input_shapes=SHAPES)


def misread(monkeypatch, op_type, function):
    """Let ONNX's operator be imported as it must not be."""
    versions = importers()["", op_type]
    wrong = {version: Import(function, op_type, item.versions, "") for version, item in versions.items()}
    monkeypatch.setitem(importers(), ("", op_type), wrong)


def test_files_of_mxnet_are_proven_before_they_take_their_names(onnx_file, tmp_path, monkeypatch, rng):
    folder = tmp_path / "native"
    folder.mkdir()
    prefix = folder / "net"

    def write(**options):
        return mx.onnx.import_to_checkpoint(onnx_file, prefix, 3, **{"verify": True, **options})

    with monkeypatch.context() as patch:
        misread(patch, "Relu", lambda F, x: F.LeakyReLU(x, slope=0.01))
        with pytest.raises(
            ParityError, match=r"import_to_checkpoint: .* net-symbol\.json does not"
        ) as caught:
            write()
        assert "the float64 reference reads the first model otherwise" in str(caught.value)
        assert re.search(r"otherwise .*, from \S*relu\S* on, computed by \S*relu", str(caught.value))
        assert not os.listdir(folder)
    names = write()
    assert names == (f"{prefix}-symbol.json", f"{prefix}-0003.params")
    before = content(folder)
    assert sorted(before) == ["net-0003.params", "net-symbol.json", "net-symbol.json.manifest.json"]
    sym, args, auxs = mx.model.load_checkpoint(str(prefix), 3)
    x = rng.standard_normal((4, 1, 6, 6)).astype("float32")
    (y,) = sym.bind(None, {**args, **auxs, "data": nd.array(x)}, grad_req="null").forward()
    (expected,) = onnxruntime.InferenceSession(onnx_file).run(None, {"data": x})
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-4, atol=1e-5)
    misread(monkeypatch, "Flatten", for_two_only)
    with pytest.raises(ParityError, match="fault at batch=1"):
        write()
    assert content(folder) == before
    assert write(verify={"sizes": {"batch": 2}}) == names


def test_the_manifest_of_files_of_mxnet(onnx_file, tmp_path):
    names = mx.onnx.import_to_checkpoint(onnx_file, tmp_path / "net", verify={"samples": 2, "seed": 3})
    check = mx.onnx.check_manifest(names[0], onnx_file)
    assert check.ok()
    assert list(check.manifest.files) == ["net-symbol.json", "net-0000.params"]
    digest = hashlib.sha256(Path(onnx_file).read_bytes()).hexdigest()
    assert check.manifest.source["files"]["net.onnx"]["sha256"] == digest
    assert check.manifest.proof["sizes"] == [{"batch": 2}, {"batch": 1}, {"batch": 7}]
    assert mx.onnx.check_manifest(names[0], names).ok()
    other = mx.onnx.export_model(network(), tmp_path / "other.onnx", input_shapes=SHAPES)
    assert mx.onnx.check_manifest(names[0], other).changes[0].startswith(f"the ONNX file: SHA-256 {digest}")
    Path(names[1]).write_bytes(b"")
    assert mx.onnx.check_manifest(names[0]).changes[0].startswith("net-0000.params: ")
    with pytest.raises(MXNetError, match="an ONNX file, or a Symbol"):
        mx.onnx.check_manifest(names[0], nd.ones(3))


def test_sizes_that_an_import_fixes(onnx_file, tmp_path):
    """They are proven as they are in the files, not as the ONNX file leaves them."""
    for shapes in ([(3, 1, 6, 6)], {"data": (3, 1, 6, 6)}):
        names = mx.onnx.import_to_checkpoint(onnx_file, tmp_path / "net", input_shapes=shapes, verify=True)
        assert mx.onnx.check_manifest(names[0]).manifest.proof["sizes"] == []
    mx.onnx.import_to_checkpoint(Path(onnx_file).read_bytes(), tmp_path / "bytes", 1)
    assert {path.name for path in tmp_path.glob("bytes*")} == {"bytes-symbol.json", "bytes-0001.params"}
