"""Gradients of blocks that come back from files: what an operator is in ONNX trains as the operator does.

A lowering computes branches that are not taken; where their slopes are infinite, 0 times them is NaN. The
search lowers the cases of tests/ops, reads the file as a block, and compares its gradients with those of the
operators, at ordinary numbers and where branches meet.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, test_utils
from hybridonnx.converters.to_onnx import lower_operator
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Spec
from hybridonnx.test_utils import Case, Draw
from tests.special_values import cases, disagreement, takes_special_values

VALUES: dict[str, list[float]] = {
    "ordinary": [],
    "zero": [-0.0, 0.0],
    "naturals": [1, 2, 3, 4],
    "integers": [0, 1, -1, 2, -2, 3],
    "fractions": [0.5, 1.5, 0.25],
    "halves": [0.5, -0.5, 1.5, -1.5, 2.5],
    "large": [1, 0.25, 5, 8, 20],
    "negative": [-7, -100, -1e-6, -20],
}
"""What half of the numbers of each input are, by variant; such are the bounds of branches."""

OUTPUTS = "a file has what it predicts, without the label; the gradient of the loss is the operator's own"
STRAIGHT = "its gradient is another than that of what it computes, which ONNX cannot say"
COUNTS = "samples that are counts have no gradient in MXNet, and the formula has one"
EXTREMES = "equal extremes share the gradient of ONNX's reduction, and all get it of MXNet's"
DIVISORS = "of a divisor of 0 the remainder is 0, whose gradient MXNet takes for 1"
PIXELS = "at the centre of a pixel either slope is right"
ALLOWED = {
    **dict.fromkeys(("IdentityAttachKLSparseReg", "MakeLoss", "SVMOutput", "SoftmaxOutput"), OUTPUTS),
    **dict.fromkeys(("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"), OUTPUTS),
    "make_loss": OUTPUTS,
    **dict.fromkeys(("_contrib_round_ste", "_contrib_sign_ste"), STRAIGHT),
    **dict.fromkeys(("_random_pdf_generalized_negative_binomial", "_random_pdf_negative_binomial"), COUNTS),
    "_random_pdf_poisson": COUNTS,
    **dict.fromkeys(("_np_max", "_np_min", "max", "min"), EXTREMES),
    **dict.fromkeys(("_mod", "_npi_mod", "broadcast_mod"), DIVISORS),
    **dict.fromkeys(("_contrib_DeformablePSROIPooling", "_moved_psroi", "_moved_psroi_grad"), PIXELS),
    "softmax_cross_entropy": "chances have a bound below, which MXNet's gradient leaves out",
    "_contrib_hawkesll": "MXNet knows the gradients of three inputs alone",
    "_contrib_index_copy": "of equal indices all rows get gradients in MXNet",
    "InstanceNorm": "images of no pixels have no mean",
}
"""Operators whose gradients are others when they come back, and why."""
TRIANGLE = "a file reads one triangle, and its gradient is that triangle's; ours is symmetric"
ALLOWED_SOMEWHERE = {
    **dict.fromkeys(("_linalg_potrf", "_linalg_syevd", "_npi_eigh"), TRIANGLE),
    **dict.fromkeys(("_npi_norm", "_npi_pad"), EXTREMES),
    **dict.fromkeys(
        ("_random_pdf_dirichlet", "_random_pdf_normal"), "no samples times an infinite slope is NaN"
    ),
    "Cast": "a truth has no slope, and MXNet's gradient passes it by",
    "Correlation": "the slope of an absolute value at 0",
    "Pooling": "the slope of a cube root where the cubes of a window add up to 0",
    "_linalg_gelqf": "where a row is reflected already, a file leaves the reflection out, and its slopes",
    "_linalg_slogdet": "products of 1e-20 that a file takes on the way are 0",
    "LeakyReLU": "the slope of prelu at 0",
    "RNN": "slopes where a unit is full are what rounding leaves",
    "_contrib_box_nms": "MXNet's gradient passes by the change of a box's format",
}
"""Operators whose gradients are others in some cases or at some numbers, and why."""


def differentiable(case: Case) -> bool:
    op = case.operator()
    in_file = not op.not_in_onnx and not case.training and "import" not in case.no
    return in_file and not op.not_differentiable and any(case.floating())


def by_operator() -> dict[str, list[Case]]:
    table: dict[str, list[Case]] = {}
    for _, case in cases():
        if differentiable(case):
            table.setdefault(case.op, []).append(case)
    return table


TABLE = by_operator()


def inputs_of(case: Case, variant: str) -> list[np.ndarray] | None:
    """The case's inputs, half of the numbers special; `None` if none takes any."""
    arrays = case.arrays()
    if not VALUES[variant]:
        return arrays
    rng = np.random.RandomState(zlib.crc32(f"{case.key()} {variant}".encode()))
    names, changed = case.operator().input_names(), False
    for name, x, array in zip(names, case.inputs, arrays, strict=True):
        if takes_special_values(case, name, x, array):
            count, changed = max(1, array.size // 2), True
            places = rng.choice(array.size, count, replace=False)
            array.reshape(-1)[places] = np.resize(rng.permutation(VALUES[variant]), count)
    return arrays if changed else None


class Return:
    """The block of a case's file."""

    def __init__(self, case: Case) -> None:
        self.case, self.specs = case, [Spec(a.shape, a.dtype) for a in case.arrays()]
        lowered = lower_operator(case.operator(), self.specs)
        self.names = [info.name for info in lowered.model.graph.input]
        self.noise = [noise.name for noise in lowered.noise]
        self.block = mx.onnx.import_to_gluon(lowered.model.SerializeToString())

    def gradients(self, arrays: list[np.ndarray], hybrid: bool) -> list[np.ndarray]:
        """The gradients of the case's floating-point inputs."""
        op = self.case.operator()
        self.block.hybridize(hybrid)
        inputs = [NDArray(a.copy()) for a in arrays]
        variables = [x for x, floating in zip(inputs, self.case.floating(), strict=True) if floating]
        for x in variables:
            x.attach_grad()
        values = dict(zip(op.input_names(), inputs, strict=True))
        if op.draws():
            values[self.noise[0]] = NDArray(op.draw(np.random.default_rng(test_utils._SEED), *self.specs))
        with autograd.record(train_mode=False):
            result = self.block(*[values[name] for name in self.names])
        outputs = result if isinstance(result, list | tuple) else [result]
        heads = self.case.heads([y.asnumpy() for y in outputs])
        pairs = [(y, NDArray(h)) for y, h in zip(outputs, heads, strict=True) if y._entry is not None]
        if pairs:
            autograd.backward([y for y, _ in pairs], [h for _, h in pairs], train_mode=False)
        return [x.grad.asnumpy() for x in variables]


def own_gradients(case: Case, arrays: list[np.ndarray]) -> list[np.ndarray] | None:
    """The operator's; `None` where it refuses the values, or what it gives is not finite."""
    with np.errstate(all="ignore"):
        try:
            outputs, grads = test_utils.gradients(case, arrays)
        except MXNetError:
            return None
    return grads if all(np.isfinite(y).all() for y in outputs) else None


def along(case: Case, gradients: list[np.ndarray]) -> list[np.ndarray]:
    """The parts of gradients along which inputs stay what they are, such as symmetric matrices."""
    inputs = [x for x, floating in zip(case.inputs, case.floating(), strict=True) if floating]
    return [x.along(a) if isinstance(x, Draw) else a for x, a in zip(inputs, gradients, strict=True)]


def differences(case: Case, back: Return, variant: str, hybrid: bool) -> list[str]:
    """How the gradients differ, where the operator's own are finite."""
    arrays = inputs_of(case, variant)
    own = None if arrays is None else own_gradients(case, arrays)
    if arrays is None or own is None:
        return []
    with np.errstate(all="ignore"):
        got = along(case, back.gradients(arrays, hybrid))
    tol = max(case.tol, case.grad_tol, 1e-4)
    finite = [np.isfinite(b) for b in own]
    pairs = [
        (np.where(ok, a, 0).astype(a.dtype), np.where(ok, b, 0).astype(b.dtype))
        for a, b, ok in zip(got, along(case, own), finite, strict=True)
    ]
    words = [disagreement(a, b, tol) for a, b in pairs]
    where = f"{case} {variant} {'hybridized' if hybrid else 'eager'}"
    return [f"{where}: {word} of gradient {i}" for i, word in enumerate(words) if word]


def all_differences(case: Case, variants: Iterable[str], modes: Sequence[bool]) -> list[str]:
    back = Return(case)
    return [
        text for variant in variants for hybrid in modes for text in differences(case, back, variant, hybrid)
    ]


OPERATORS = [op for op in TABLE if op not in ALLOWED]


@pytest.mark.parametrize("op", OPERATORS)
def test_gradients_come_back(op):
    case = TABLE[op][0]
    assert not all_differences(case, ("ordinary", "naturals", "halves"), (False,))


def differs(op: str) -> Any:
    """The parameter of an operator that is in the table above."""
    return pytest.param(op, marks=pytest.mark.xfail(reason=ALLOWED_SOMEWHERE[op], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("op", [differs(op) if op in ALLOWED_SOMEWHERE else op for op in OPERATORS])
def test_gradients_come_back_everywhere(op):
    assert not [text for case in TABLE[op] for text in all_differences(case, VALUES, (False, True))]


# ---- what trains


class _Scores(gluon.HybridBlock):
    """A layer, and numbers of its own in the graph: zeros, ones, exponents, coefficients of series."""

    def __init__(self):
        super().__init__()
        self.dense = gluon.nn.Dense(3, in_units=4)

    def hybrid_forward(self, F, x):
        y = F.sigmoid(self.dense(x)) * 0.9 + 1.5 * F.ones_like(F.slice_axis(x, axis=1, begin=0, end=3))
        counts = F.broadcast_power(y, F.zeros_like(y) + 3.0)
        return F.gammaln(counts) + F.erfinv(0.3 * y) + F.log1p(y) + F.zeros((2, 3))


def _trained(net, x):
    """The gradients of a step and what it changes, with decay that changes every parameter."""
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 0.5})
    before = {name: p.data().asnumpy().copy() for name, p in net.collect_params().items()}
    with autograd.record():
        y = net(x)
    y.backward()
    grads = [p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null"]
    trainer.step(1)
    after = {name: p.data().asnumpy() for name, p in net.collect_params().items()}
    return y.asnumpy(), grads, {name for name in before if not np.array_equal(before[name], after[name])}


@pytest.mark.parametrize("hybrid", [False, True])
def test_constants_of_files_do_not_train(hybrid, tmp_path):
    """A block out to a file, in, out and in again: the same gradients, and nothing trains but the layer."""
    x = mx.nd.array([[0.5, -1, 2, 0.1], [0, 1, -0.3, 0.7]])
    net = _Scores()
    net.initialize(mx.init.Normal(0.3))
    net.hybridize()
    net(x)
    blocks: list[Any] = []
    exported: Any = net
    for name in ("once.onnx", "twice.onnx"):
        file = str(tmp_path / name)
        mx.onnx.export_model(exported, file, input_shapes=[x.shape], in_types=["float32"])
        blocks.append(mx.onnx.import_to_gluon(file))
        exported = mx.onnx.import_to_gluon(file)
    prefix = str(tmp_path / "native")
    symbol_file, params_file = exported.export(prefix)
    blocks.append(gluon.SymbolBlock.imports(symbol_file, ["data"], params_file))
    y, grads, names = _trained(net, x)
    for block in blocks:
        block.hybridize(hybrid)
        z, same, changed = _trained(block, x)
        np.testing.assert_allclose(z, y, rtol=1e-5)
        assert changed == names
        for a, b in zip(same, grads, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_multiplied_gradients_come_back(tmp_path):
    """ONNX has no word for them: an Identity's note tells, through a second export too."""
    x = mx.sym.var("x")
    back = mx.sym.contrib.gradientmultiplier(x * x, scalar=-0.5)
    y = back + mx.sym.BlockGrad(x * x * x, name="still") + mx.sym.identity(x)
    block = gluon.SymbolBlock(y, [x])
    at = np.array([[1.0, -2.0, 3.0]], np.float32)
    for file in ("once.onnx", "twice.onnx"):
        mx.onnx.export_model(block, str(tmp_path / file), input_shapes=[("batch", 3)])
        block = mx.onnx.import_to_gluon(str(tmp_path / file))
        for compiled in (False, True):
            block.hybridize(compiled)
            data = mx.nd.array(at)
            data.attach_grad()
            with autograd.record():
                result = block(data)
            result.backward()
            np.testing.assert_allclose(result.asnumpy(), at**2 + at**3 + at, rtol=1e-6)
            np.testing.assert_allclose(data.grad.asnumpy(), 1 - at, rtol=1e-6)
