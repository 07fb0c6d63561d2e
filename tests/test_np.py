"""mx.np and mx.npx against stored results of real MXNet: eagerly, in autograd, compiled and in files."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from tests.np_calls import arrays, calls, evaluated
from tests.np_training import trained

HERE = Path(__file__).resolve().parent
CALLS = calls()


@pytest.fixture(autouse=True)
def _as_numpy():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


@cache
def stored():
    with np.load(HERE / "oracle" / "np_calls.npz") as archive:
        return dict(archive)


def scope(**variables):
    return {"mx": mx, "np": mx.np, "npx": mx.npx, "onp": np, **variables}


def numbered(only=lambda differentiable, traced: True):
    chosen = [(n, c) for n, (c, differentiable, traced) in enumerate(CALLS) if only(differentiable, traced)]
    return pytest.mark.parametrize(("number", "call"), chosen, ids=[c for _, c in chosen])


def near(got, expected):
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    if expected.dtype.kind in "biuU":
        np.testing.assert_array_equal(got, expected)
    else:
        tol = 4e-3 if expected.dtype == np.float16 else 2e-5
        np.testing.assert_allclose(got, expected, rtol=tol, atol=tol)


@numbered()
def test_value(number, call):
    variables = {name: mx.np.array(value) for name, value in arrays().items()}
    if f"{number}.error" in stored():
        pytest.skip(f"real MXNet raises {stored()[f'{number}.error']}")
    near(evaluated(call, scope(**variables)), stored()[f"{number}.value"])


@numbered(lambda differentiable, traced: differentiable)
def test_gradient(number, call):
    if f"{number}.error" in stored():
        pytest.skip("real MXNet refuses it")
    variables = {name: mx.np.array(value) for name, value in arrays().items()}
    used = [name for name, x in variables.items() if x.dtype == np.float32]
    for name in used:
        variables[name].attach_grad()
    with mx.autograd.record():
        y = eval(call, scope(**variables))
        total = (y * y).sum()
    total.backward()
    for name in used:
        gradient = variables[name].grad
        assert isinstance(gradient, mx.np.ndarray)
        expected = stored().get(f"{number}.{name}", np.zeros(gradient.shape, np.float32))
        near(gradient.asnumpy(), expected)


class Call(mx.gluon.HybridBlock):
    """A block that evaluates one call, of arrays by their letters."""

    def __init__(self, call, names):
        super().__init__()
        self._call, self._names = call, names

    def hybrid_forward(self, F, *values):
        return eval(
            self._call, {"mx": mx, "np": F.np, "npx": F.npx, **dict(zip(self._names, values, strict=True))}
        )


@numbered(lambda differentiable, traced: traced)
def test_hybridized(number, call, tmp_path):
    """Compiled, and as a graph in MXNet's file format, a call gives what real MXNet gives eagerly."""
    if f"{number}.error" in stored() or "np.array(" in call:
        pytest.skip("real MXNet refuses it, or there are no arrays of lists in graphs")
    names = [name for name in arrays() if name in compile(call, "call", "eval").co_names]
    if not names:
        pytest.skip("there is nothing to trace")
    block = Call(call, names)
    block.hybridize()
    inputs = [mx.np.array(arrays()[name]) for name in names]
    result = block(*inputs)
    expected = stored()[f"{number}.value"]
    if call[0] in "-0123456789" and expected.dtype.kind == "i" and result.dtype == np.float64:
        pytest.skip("of a number before an array of integers MXNet's graphs compute in float64, as ours do")
    near(result.asnumpy(), expected)
    block.export(str(tmp_path / "call"))
    variables = ["data"] if len(names) == 1 else [f"data{i}" for i in range(len(names))]
    again = mx.gluon.SymbolBlock.imports(str(tmp_path / "call-symbol.json"), variables)
    near(again(*inputs).asnumpy(), expected)


# ---- training, files and ONNX


@pytest.mark.parametrize("hybridize", [False, True])
def test_training_goes_as_in_mxnet(hybridize):
    with np.load(HERE / "oracle" / "np_training.npz") as stored_run:
        expected = stored_run["losses"]
    net, x, losses = trained(mx, hybridize)
    np.testing.assert_allclose(losses, expected, rtol=1e-4)
    assert isinstance(net(x), mx.np.ndarray)
    for parameter in net.collect_params().values():
        assert isinstance(parameter.data(), mx.np.ndarray)


def test_mxnets_export_loads_and_goes_to_onnx(tmp_path):
    files = [str(HERE / "oracle" / f"np_training-{end}") for end in ("symbol.json", "0000.params")]
    with np.load(HERE / "oracle" / "np_training.npz") as stored_run:
        expected = stored_run["output"]
    x = mx.np.array(np.random.RandomState(0).randn(8, 6).astype("float32"))
    net = mx.gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    target = str(tmp_path / "net.onnx")
    mx.onnx.export_model(*files, [(8, 6)], "float32", target)
    again = mx.onnx.import_to_gluon(target)
    np.testing.assert_allclose(again(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_export_is_what_mxnet_writes(tmp_path):
    """Operators, attributes that are not defaults, and the names of nodes."""
    net, _, _ = trained(mx, True)
    symbol_file, _ = net.export(str(tmp_path / "net"))
    ours, theirs = (
        json.loads(Path(f).read_text(encoding="utf-8"))["nodes"]
        for f in (symbol_file, HERE / "oracle" / "np_training-symbol.json")
    )
    assert [n["op"] for n in ours] == [n["op"] for n in theirs]
    assert [n["inputs"] for n in ours] == [n["inputs"] for n in theirs]
    assert [n["name"] for n in ours] == [n["name"] for n in theirs]


def test_files_of_arrays(tmp_path):
    file = str(tmp_path / "arrays.params")
    mx.npx.save(file, {"x": mx.np.array(1.5), "y": mx.np.ones((2, 0))})
    loaded = mx.npx.load(file)
    assert loaded["x"].shape == ()
    assert loaded["y"].shape == (2, 0)
    assert isinstance(loaded["x"], mx.np.ndarray)


# ---- assignment and semantics


def test_assignment():
    x = mx.np.zeros((3, 4))
    x[1, 2] = 9
    x[0:1] = 12
    x[x > 10] = 1
    x[:, 0] += 2
    np.testing.assert_array_equal(x.asnumpy(), [[3, 1, 1, 1], [2, 0, 9, 0], [2, 0, 0, 0]])
    before = x
    x += 1
    assert x is before


@pytest.mark.parametrize(
    "value", [np.float32(2.5), np.array([-1.5, 2.567, 0.5], "float32"), np.array([7, -3])]
)
def test_pythons_rounding_gives_arrays(value):
    """As in MXNet: `math.floor(x)` is an array of any shape, on the tape, where NumPy gives an integer."""
    x = mx.np.array(value, dtype=value.dtype)
    for function, expected in (
        (round, np.around(value)),
        (lambda a: round(a, 1), np.around(value, 1)),
        (math.floor, np.floor(value)),
        (math.ceil, np.ceil(value)),
        (math.trunc, np.trunc(value)),
    ):
        y = function(x)
        assert type(y) is mx.np.ndarray
        np.testing.assert_array_equal(y.asnumpy(), expected)
    y = mx.np.array(np.atleast_1d(value), dtype="float32")
    y.attach_grad()
    with mx.autograd.record():
        z = math.floor(y) * y
    z.backward()
    np.testing.assert_array_equal(y.grad.asnumpy(), np.floor(np.atleast_1d(value)))


def test_contexts_by_their_argument():
    x = mx.np.ones((2,))
    assert x.as_in_ctx(ctx=mx.cpu(0)) is x
    assert x.as_in_ctx(ctx=mx.cpu(1)).ctx == x.as_in_context(context=mx.cpu(1)).ctx == mx.cpu(1)


def test_batches_are_arrays_of_np():
    x, y = mx.np.arange(12).reshape(6, 2), mx.np.arange(6)
    for a, b in mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(x, y), batch_size=3):
        assert isinstance(a, mx.np.ndarray)
        assert a.shape == (3, 2)
        assert b.shape == (3,)


def test_semantics_are_switched():
    mx.npx.reset_np()
    assert not mx.util.is_np_array()
    with mx.util.np_array(True), mx.util.np_shape(True):
        assert mx.npx.is_np_array()
        assert mx.npx.is_np_shape()

    @mx.util.use_np
    def inside():
        return mx.util.is_np_array(), mx.util.is_np_shape()

    assert inside() == (True, True)
    assert not mx.util.is_np_array()
    with pytest.raises(ValueError, match="shape semantics"):
        mx.util.set_np(shape=False)


def test_arrays_of_nd_are_refused():
    with pytest.raises(TypeError, match=r"arrays of mx\.np are required"):
        mx.np.add(mx.np.ones((2,)), mx.nd.ones((2,)))
    with pytest.raises(ValueError, match="as_np_ndarray"):
        mx.np.array(mx.nd.ones((2,)))


def test_draws():
    mx.npx.random.seed(7)
    draws = mx.np.random.normal(3.0, 2.0, (20000,))
    assert abs(float(draws.mean()) - 3) < 0.1
    assert abs(float(draws.std()) - 2) < 0.1
    loc = mx.np.array([1.0, 2.0])
    loc.attach_grad()
    with mx.autograd.record():
        total = mx.np.random.normal(loc, 1.0, (5, 2)).sum()
    total.backward()
    np.testing.assert_array_equal(loc.grad.asnumpy(), [5, 5])
    means = {
        "exponential": (2.0, 2.0),
        "rayleigh": (1.0, np.sqrt(np.pi / 2)),
        "gumbel": (1.0, 1.0 + np.euler_gamma),
        "logistic": (1.0, 1.0),
        "weibull": (1.0, 1.0),
        "power": (3.0, 0.75),
        "chisquare": (3.0, 3.0),
    }
    for name, (parameter, mean) in means.items():
        values = getattr(mx.np.random, name)(parameter, size=(20000,))
        assert abs(float(values.mean()) - mean) < 0.08 * (1 + mean), name
    assert mx.np.random.randint(0, 5, (9,)).dtype == np.int64
    assert mx.np.random.randint(0, 5, (2, 0)).shape == (2, 0)
    assert mx.np.random.normal(size=()).shape == mx.np.random.randint(5).shape == ()
    assert sorted(mx.np.random.choice(5, 5, replace=False).tolist()) == [0, 1, 2, 3, 4]


def test_images(tmp_path):
    pixels = np.random.RandomState(0).randint(0, 255, (4, 5, 3)).astype("uint8")
    image = mx.npx.image.to_tensor(mx.np.array(pixels))
    assert isinstance(image, mx.np.ndarray)
    np.testing.assert_allclose(image.asnumpy(), pixels.transpose(2, 0, 1) / 255, rtol=1e-6)
    file = str(tmp_path / "image.png")
    pytest.importorskip("PIL.Image").fromarray(pixels).save(file)
    read = mx.image.imread(file)
    assert isinstance(read, mx.np.ndarray)
    np.testing.assert_array_equal(read.asnumpy(), pixels)
    assert mx.image.fixed_crop(read, 1, 1, 2, 2).shape == (2, 2, 3)


class Noisy(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        names = "exponential rayleigh gumbel logistic lognormal normal uniform".split()
        draws = [getattr(F.np.random, name)(size=(4000,)) for name in names]
        draws += [F.np.random.weibull(2.0, (4000,)), F.np.random.gamma(3.0, 2.0, (4000,))]
        return F.np.stack(draws) + x


def test_draws_in_graphs():
    block = Noisy()
    block.hybridize()
    means = block(mx.np.zeros(())).mean(axis=1).tolist()
    expected = [1, np.sqrt(np.pi / 2), np.euler_gamma, 0, np.exp(0.5), 0, 0.5, np.sqrt(np.pi) / 2, 6]
    np.testing.assert_allclose(means, expected, atol=0.25)


# ---- names


@pytest.mark.parametrize(
    ("shape", "weights", "axis"), [((1, 3), (2, 3), None), ((2, 3), (3,), None), ((2, 3, 4), (3, 4), (1, 2))]
)
def test_averages_refuse_weights_of_other_shapes(shape, weights, axis):
    with pytest.raises(mx.MXNetError, match="weights of shape"):
        mx.np.average(mx.np.ones(shape), axis=axis, weights=mx.np.ones(weights))


@pytest.mark.parametrize(("shape", "n"), [((1,), 1), ((2, 1), 1), ((3,), 3), ((2, 0), 1)])
def test_differences_of_too_few_are_none(shape, n):
    assert mx.np.diff(mx.np.ones(shape), n).shape == np.diff(np.ones(shape), n).shape


MISSING = {
    "np.linalg": "fallback_linalg",
    "npx": "check_call classproperty ctypes threading warnings",
    "sym.np.random": "current_context",
}
"""Names of real MXNet that are not here yet: of mx.np none."""
NAMES = json.loads((HERE / "oracle" / "np_names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", [name for name in NAMES if name != "np.ndarray"])
def test_names_are_mxnets(module):
    owner = mx
    for part in module.split("."):
        owner = getattr(owner, part)
    missing = [name for name in NAMES[module] if not hasattr(owner, name)]
    assert missing == MISSING.get(module, "").split()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("normal(0, -1.0)", "scale of at least 0"),
        ("weibull(0)", "a above 0"),
        ("gamma(-1.0)", "shape above 0"),
        ("normal(np.ones(3), 1, (2,))", "broadcast to size"),
        ("normal(size=2, dtype='int32')", "dtype must be"),
        ("choice(5, 7, replace=False)", "without replacement"),
        ("multinomial(5, [0.8, 0.8])", "at most 1"),
        ("randint(5, 5)", "low below high"),
    ],
)
def test_draws_are_refused(call, error):
    """Of these real MXNet refuses some, reads memory that is not there, or ends the process."""
    with pytest.raises((ValueError, mx.MXNetError), match=error):
        eval(f"mx.np.random.{call}", {"mx": mx, "np": mx.np})


def test_matmul_refuses_what_it_does_not_know():
    x = mx.np.ones((2, 2))
    with pytest.raises(TypeError, match="'axis'"):
        mx.np.matmul(x, x, axis=1)
