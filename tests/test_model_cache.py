"""Optimised models on the disk: the next process starts from them, and from nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.converters import to_onnx
from hybridonnx.runtime import compile as compiled
from hybridonnx.runtime import environment, model_cache, session
from hybridonnx.runtime.session import Session

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders are nobody's on this system")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of this test alone, which keeps even what is compiled at once."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("HYBRIDONNX_CACHE", str(folder))
    monkeypatch.setattr(compiled, "_WORTH_KEEPING", 0.0)
    monkeypatch.setattr(model_cache, "_DELAY", 0.0)
    model_cache._machine.cache_clear()
    yield folder
    wait()
    model_cache._machine.cache_clear()


@pytest.fixture
def lowerings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """One item for each graph that is lowered."""
    items: list[Any] = []
    lower = to_onnx.lower

    def count(*args: Any, **kwargs: Any) -> Any:
        items.append(args[0])
        return lower(*args, **kwargs)

    monkeypatch.setattr(to_onnx, "lower", count)
    return items


def wait() -> None:
    """Wait until what is kept is complete."""
    for thread in threading.enumerate():
        if thread.name == "hybridonnx-cache":
            thread.join()


def network(stride: int = 1, change: float = 0.0, dtype: str = "float32", **names: Any) -> Any:
    """A hybridized block of which every call makes the same one."""
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(8, 3, strides=stride, in_channels=3, **names))
        net.add(mx.gluon.nn.BatchNorm(in_channels=8))
        net.add(mx.gluon.nn.Activation("relu"), mx.gluon.nn.Dense(5, in_units=0))
    net.initialize()
    net(mx.nd.zeros((1, 3, 12, 12)))
    rng = np.random.default_rng(0)
    for parameter in net.collect_params().values():
        values = np.abs(rng.standard_normal(parameter.shape))
        values.flat[0] += change
        parameter.set_data(mx.nd.array(values))
    net.cast(dtype)
    net.hybridize()
    return net


def images(rows: int = 2, size: int = 12, dtype: str = "float32") -> Any:
    values = np.random.default_rng(1).standard_normal((rows, 3, size, size))
    return mx.nd.array(values.astype(dtype), dtype=dtype)


def predict(net: Any, x: Any) -> np.ndarray[Any, Any]:
    """What the block gives when it has called for the first time; it is complete on the disk then."""
    y = net(x).asnumpy()
    wait()
    return y


def reference(net: Any, x: Any) -> Any:
    net.hybridize(active=False)
    return net(x).asnumpy()


def entries(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("*/*/entry.json"))


def test_the_second_block_is_not_lowered(cache: Path, lowerings: list[Any]) -> None:
    x = images()
    first = predict(network(), x)
    assert len(lowerings) == 1
    assert len(entries(cache)) == 1
    net = network()
    np.testing.assert_array_equal(predict(net, x), first)
    assert len(lowerings) == 1
    np.testing.assert_allclose(first, reference(net, x), rtol=1e-4)


def test_folders_are_made_for_this_user_alone(cache: Path, lowerings: list[Any]) -> None:
    mask = os.umask(0o002)
    try:
        predict(network(), images())
    finally:
        os.umask(mask)
    predict(network(), images())
    assert len(lowerings) == 1
    assert {path.stat().st_mode & 0o777 for path in (cache, *cache.glob("*"), *cache.glob("*/*"))} == {0o700}


_PROCESS = """
import sys, numpy as np, hybridonnx as mx
from hybridonnx.runtime import compile
compile._WORTH_KEEPING = 0.0
net = mx.gluon.SymbolBlock.imports(sys.argv[1] + "-symbol.json", ["data"], sys.argv[1] + "-0000.params")
net.hybridize()
y = net(mx.nd.array(np.random.default_rng(1).standard_normal((2, 3, 12, 12)))).asnumpy()
print(y.tobytes().hex(), "hybridonnx.converters.to_onnx._model" in sys.modules)
"""


def test_the_second_process_does_not_even_import_the_lowering(cache: Path, tmp_path: Path) -> None:
    net = network()
    net(images())
    net.export(str(tmp_path / "model"))
    command = [sys.executable, "-c", _PROCESS, str(tmp_path / "model")]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(2)]
    outputs = [run.stdout.split() for run in runs]
    assert [has_lowering for _, has_lowering in outputs] == ["True", "False"]
    assert outputs[0][0] == outputs[1][0]


# ---- what a model depends on


def _version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "VERSION", "1.99.0")


def _processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, "processor", lambda: "another one, without AVX")


def _package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, "_package", lambda: "a lowering was mended")


def _onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, "_onnx", lambda: 'version = "9.9.9"')


@pytest.mark.parametrize("change", [_version, _processor, _package, _onnx])
def test_another_machine_has_models_of_its_own(
    change: Callable[[pytest.MonkeyPatch], None],
    cache: Path,
    lowerings: list[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = images()
    first = predict(network(), x)
    change(monkeypatch)
    model_cache._machine.cache_clear()
    np.testing.assert_array_equal(predict(network(), x), first)
    assert len(lowerings) == 2
    assert len(entries(cache)) == 2


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ({"stride": 2}, {}),
        ({"change": 1e-3}, {}),
        ({"use_bias": False}, {}),
        ({"activation": "tanh"}, {}),
        ({"dtype": "float64"}, {"dtype": "float64"}),
        ({}, {"dtype": "float64"}),
    ],
    ids=str,
)
def test_another_graph_has_a_model_of_its_own(
    options: dict[str, Any], given: dict[str, Any], cache: Path, lowerings: list[Any]
) -> None:
    predict(network(), images())
    net, x = network(**options), images(**given)
    if options or not given:
        y = predict(net, x)
        assert len(lowerings) == 2
        np.testing.assert_allclose(y, reference(net, x), rtol=1e-4)
    else:  # float64 where the weights are float32 is refused as without a cache
        with pytest.raises(mx.MXNetError):
            net(x)


@pytest.mark.parametrize("threads_from", [0, 1 << 40], ids=["threads", "in turn"])
def test_each_weights_have_their_model(
    threads_from: int, cache: Path, lowerings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only model of a graph with other weights starts, and is left; of several, each takes its own."""
    monkeypatch.setattr(model_cache, "_WORTH_THREADS", threads_from)
    x, changes = images(), (0.0, 0.5, 1.0)
    want = [reference(network(change=change), x) for change in changes]
    firsts = []
    for i, change in enumerate(changes):
        firsts.append(predict(network(change=change), x))
        np.testing.assert_allclose(firsts[i], want[i], rtol=1e-4)
        assert len(lowerings) == len(entries(cache)) == i + 1
    for change, first in zip(changes, firsts, strict=True):
        np.testing.assert_array_equal(predict(network(change=change), x), first)
    assert len(lowerings) == 3
    assert len({first.tobytes() for first in firsts}) == 3


def test_threads_read_weights_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, "_GROUP", 1 << 10)
    rng = np.random.default_rng(0)
    arrays = {f"w{i}": rng.standard_normal((i, 40, 3)).astype("float32") for i in range(9)}
    arrays["t"] = rng.standard_normal((300, 20)).T
    want = model_cache._weights_digest(arrays)
    monkeypatch.setattr(model_cache, "_WORTH_THREADS", 0)
    reading = model_cache._Reading(arrays)
    assert len(reading._digests) > 4
    assert reading.digest() == want
    arrays["t"][0, 0] += 1
    assert model_cache._Reading(arrays).digest() != want
    reading = model_cache._Reading(arrays)
    reading.cancel()
    assert reading.digest() == model_cache._weights_digest(arrays)


def test_free_and_fixed_sizes_are_two_models(cache: Path, lowerings: list[Any]) -> None:
    net = network()
    predict(net, images(rows=2))
    predict(net, images(rows=5))  # the same: the first axis is free
    net.hybridize(static_alloc=True, static_shape=True)
    predict(net, images(rows=5))
    assert len(lowerings) == len(entries(cache)) == 2


def test_a_stored_model_takes_no_rows(cache: Path) -> None:
    predict(network(), images())
    assert predict(network(), images(rows=0)).shape == (0, 5)


# ---- what is not kept


@pytest.mark.parametrize("switch", ["", "0"])
def test_one_switch_keeps_nothing(
    switch: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYBRIDONNX_CACHE", switch)
    monkeypatch.chdir(tmp_path)
    predict(network(), images())
    assert not list(tmp_path.iterdir())


def test_what_is_only_tried_is_not_kept(cache: Path, lowerings: list[Any]) -> None:
    for count in (1, 2):
        with model_cache.nothing_kept():
            predict(network(), images())
        assert len(lowerings) == count
    assert not entries(cache)
    predict(network(), images())
    assert len(entries(cache)) == 1


def test_what_trains_is_not_kept(cache: Path) -> None:
    net, x = network(), images()
    with mx.autograd.record():
        loss = net(x).sum()
    loss.backward()
    for _ in range(6):
        predict(net, x)
    assert not entries(cache)


def test_what_trains_after_its_first_call_is_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, "_DELAY", 60.0)
    sleep, net, x = time.sleep, network(), images()
    naps: list[float] = []
    monkeypatch.setattr(time, "sleep", lambda seconds: (naps.append(seconds), sleep(0.001)))
    net(x)
    with mx.autograd.record():
        loss = net(x).sum()
    loss.backward()
    monkeypatch.setattr(model_cache, "_DELAY", 0.0)
    monkeypatch.setattr(time, "monotonic", lambda: float("inf"))
    wait()
    assert naps
    assert not list(cache.glob("*/*"))


def test_weights_that_change_meanwhile_are_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net, x = network(), images()
    store = Session.store

    def changing(self: Session, *args: Any) -> bool:
        is_right = store(self, *args)
        net[0].weight.data()[:] = 0
        return is_right

    monkeypatch.setattr(Session, "store", changing)
    predict(net, x)
    assert not list(cache.glob("*/*"))


def test_a_stored_model_that_gives_other_numbers_is_not_kept(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = session._stored

    def wrong(path: str, settings: Any) -> Any:
        right = stored(path, settings)

        class Wrong:
            def run(self, names: Any, feeds: Any) -> Any:
                return [np.nextafter(y, np.float32(np.inf)) for y in right.run(names, feeds)]

        return Wrong()

    monkeypatch.setattr(session, "_stored", wrong)
    predict(network(), images())
    assert not list(cache.glob("*/*"))


def test_no_new_threads(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    want = predict(network(), images())
    monkeypatch.setattr(model_cache, "_WORTH_THREADS", 0)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    for change in (0.0, 0.5):
        y = network(change=change)(images()).asnumpy()
        assert np.array_equal(y, want) == (change == 0)


# ---- what is there, but not what was written


def _cut(entry: Path) -> None:
    with (entry / "weights.bin").open("r+b") as file:
        file.truncate(100)


def _flip(entry: Path) -> None:
    content = bytearray((entry / "weights.bin").read_bytes())
    content[len(content) // 2] ^= 1
    (entry / "weights.bin").write_bytes(content)


def _flip_model(entry: Path) -> None:
    content = bytearray((entry / "model.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (entry / "model.onnx").write_bytes(content)


def _no_weights(entry: Path) -> None:
    (entry / "weights.bin").unlink()


def _garbage(entry: Path) -> None:
    (entry / "entry.json").write_bytes(b"\xff[[[[")


def _nothing(entry: Path) -> None:
    (entry / "entry.json").write_bytes(b"")


def _not_a_model(entry: Path) -> None:
    (entry / "model.onnx").write_bytes(b"not a model")
    (entry / "entry.json").write_text(json.dumps(model_cache._state(entry)))


def _open_to_all(entry: Path) -> None:
    entry.chmod(0o777)


def _open_above(entry: Path) -> None:
    entry.parent.chmod(0o770)


def _link(entry: Path) -> None:
    entry.rename(entry.parent.parent.parent / "elsewhere")
    entry.symlink_to(entry.parent.parent.parent / "elsewhere")


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        _flip,
        _flip_model,
        _no_weights,
        _garbage,
        _nothing,
        _not_a_model,
        _open_to_all,
        _open_above,
        _link,
    ],
)
def test_what_was_damaged_is_not_used(
    damage: Callable[[Path], None], cache: Path, lowerings: list[Any]
) -> None:
    x = images()
    net = network()
    net[0].weight.set_data(mx.nd.array(np.random.default_rng(2).standard_normal((8, 3, 3, 3))))
    first = predict(network(), x)
    (entry,) = entries(cache)
    damage(entry)
    np.testing.assert_array_equal(predict(network(), x), first)
    assert len(lowerings) == 2


def test_a_damaged_entry_is_made_anew(cache: Path, lowerings: list[Any]) -> None:
    x = images()
    predict(network(), x)
    _cut(*entries(cache))
    predict(network(), x)
    predict(network(), x)
    assert len(lowerings) == 2


def test_a_model_that_is_gone_is_lowered_again(cache: Path, lowerings: list[Any]) -> None:
    """As after a fork, when the session has to be started anew."""
    x = images()
    first = predict(network(), x)
    net = network()
    predict(net, x)
    (entry,) = entries(cache)
    for path in entry.iterdir():
        path.unlink()
    (graph,) = net._compiled.values()
    (program,) = graph._programs.values()
    program.session._session = None
    np.testing.assert_array_equal(net(x).asnumpy(), first)
    assert len(lowerings) == 2


def test_killed_in_the_middle(cache: Path, tmp_path: Path, lowerings: list[Any]) -> None:
    x = images()
    predict(network(), x)
    (entry,) = entries(cache)
    unfinished = entry.parent / ".new-1"
    entry.rename(unfinished)
    (unfinished / "entry.json").unlink()
    old = time.time() - 2 * 3600
    os.utime(unfinished, (old, old))
    predict(network(), x)
    assert len(lowerings) == 2
    assert entries(cache)
    assert not unfinished.exists()


# ---- how much is kept


def test_what_was_used_last_stays(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = images()
    for stride in (1, 2, 3):
        predict(network(stride), x)
        time.sleep(0.02)
    predict(network(1), x)
    sizes = [sum(file.stat().st_size for file in entry.iterdir()) for entry in entries(cache)]
    with monkeypatch.context() as patch:
        patch.setattr(model_cache, "_limit", lambda: sum(sizes) - 1)
        model_cache._prune(cache)
    assert len(entries(cache)) == 2
    lowered: list[Any] = []
    monkeypatch.setattr(to_onnx, "lower", lambda *args, **kwargs: lowered.append(args))
    predict(network(1), x)
    predict(network(3), x)
    assert not lowered


def test_large_weights_are_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, "_limit", lambda: 4 * 1000)
    predict(network(), images())
    assert not cache.exists()


# ---- what else a session does


def test_the_profiler_names_operators(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mx.profiler, "_config", dict(mx.profiler._config))
    x = images()
    predict(network(), x)
    net = network()
    predict(net, x)
    mx.profiler.set_config(filename=str(tmp_path / "profile.json"), aggregate_stats=True)
    mx.profiler.set_state("run")
    try:
        net(x).asnumpy()
    finally:
        mx.profiler.set_state("stop")
    assert "Convolution" in mx.profiler.dumps(reset=True)
    mx.profiler.dump()


def test_errors_name_nodes(cache: Path) -> None:
    class Picks(mx.gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, i: Any) -> Any:
            return F.take(x, i, mode="raise", name="picks")

    for _ in range(2):
        net = Picks(prefix="picks_")
        net.hybridize()
        net(mx.nd.ones((3, 2)), mx.nd.array([0, 1]))
        wait()
        with pytest.raises(mx.MXNetError, match="picks"):
            net(mx.nd.ones((3, 2)), mx.nd.array([0, 7])).asnumpy()
