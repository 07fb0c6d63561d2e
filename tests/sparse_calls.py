"""Expressions on arrays of sparse storage types, for real MXNet and for this project alike.

`described` says of a result what must agree: storage type, dtype, shape, values, and which are stored.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

UNARY = (
    "abs arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees exp expm1 fix floor gamma "
    "gammaln log log10 log1p log2 make_loss negative radians relu rint round rsqrt sigmoid sign sin sinh "
    "sqrt square stop_gradient tan tanh trunc zeros_like sum mean norm"
).split()
BINARY = (
    "elemwise_add elemwise_sub elemwise_mul elemwise_div broadcast_add broadcast_sub broadcast_mul add "
    "subtract multiply divide"
).split()
PAIRS = [
    ("csr", "csr2"),
    ("csr", "matrix"),
    ("matrix", "csr"),
    ("csr", "no_cells"),
    ("rows", "rows2"),
    ("rows", "dense"),
    ("dense", "rows"),
    ("rows", "all_rows"),
    ("all_rows", "rows"),
    ("rows", "no_rows"),
    ("no_rows", "no_rows"),
]
COMPARED = ("==", "!=", ">", ">=", "<", "<=")
KINDS = ("default", "csr", "row_sparse")


def arrays(mx: Any) -> dict[str, Any]:
    """The operands: some store zeros, some sums of them are 0, some store nothing."""
    nd, sparse = mx.nd, mx.nd.sparse
    values = np.float32([1, 2, 0, 3])
    return {
        "nd": nd,
        "np": np,
        "sparse": sparse,
        "mx": mx,
        "csr": sparse.csr_matrix((values, [0, 2, 1, 1], [0, 2, 3, 4]), shape=(3, 3)),
        "csr2": sparse.csr_matrix((np.float32([-1, 5, 4]), [0, 2, 2], [0, 1, 2, 3]), shape=(3, 3)),
        "no_cells": sparse.zeros("csr", (3, 3)),
        "rows": sparse.row_sparse_array(
            (np.float32([[1, 0, 2], [0, 0, 0], [3, -4, 5]]), [0, 1, 3]), shape=(4, 3)
        ),
        "rows2": sparse.row_sparse_array((np.float32([[-1, 0, -2], [6, 7, 8]]), [0, 2]), shape=(4, 3)),
        "two_rows": sparse.row_sparse_array((np.float32([[1, 2, 3], [4, 5, 6]]), [0, 2]), shape=(3, 3)),
        "all_rows": sparse.row_sparse_array(
            (np.arange(1, 13, dtype=np.float32).reshape(4, 3), [0, 1, 2, 3]), shape=(4, 3)
        ),
        "no_rows": sparse.zeros("row_sparse", (4, 3)),
        "matrix": nd.array([[1, 2, 3], [4, 0, 6], [7, 8, 9]]),
        "dense": nd.array(np.arange(1, 13).reshape(4, 3)),
        "vector": nd.array([1, 2, 3]),
        "column": nd.array([[1], [2], [3]]),
    }


def _arithmetic() -> list[str]:
    calls = [f"sparse.{name}({x})" for name in UNARY for x in ("csr", "rows")]
    calls += [f"sparse.{name}({a}, {b})" for name in BINARY for a, b in PAIRS]
    calls += [f"sparse.{name}(csr, {x})" for name in BINARY[4:] for x in ("vector", "column")]
    calls += [f"{a} {o} {b}" for o in "+-*/" for a, b in PAIRS]
    calls.remove("csr / matrix")  # refused, for a function that does the same
    calls += [
        f"{x} {o} {n}" for x in ("csr", "rows") for o in ("+", "-", "*", "/", "%", "**") for n in (2, 0)
    ]
    calls += [f"{n} {o} {x}" for x in ("csr", "rows") for o in ("+", "-", "*", "/") for n in (2, 0)]
    calls += [f"{x} {o} {n}" for x in ("csr", "rows") for o in COMPARED for n in (2, 0, -1)]
    calls += [f"{a} {o} {b}" for a, b in (("csr", "csr2"), ("rows", "rows2")) for o in COMPARED]
    calls += ["-csr", "-rows", "abs(csr)", "nd.maximum(csr, csr2)", "nd.minimum(rows, rows2)"]
    scatter = ("scatter_plus_scalar(rows, scalar=1)", "scatter_minus_scalar(csr, scalar=1)")
    return [*calls, *(f"nd._internal._{c}" for c in (*scatter, "scatter_elemwise_div(rows, dense)"))]


def _products() -> list[str]:
    pairs = [("csr", "matrix"), ("matrix", "csr"), ("matrix", "csr2"), ("csr", "csr2"), ("csr", "two_rows")]
    calls = [
        f"sparse.dot({a}, {b}, transpose_a={ta}, transpose_b={tb}, forward_stype={kind!r})"
        for a, b in pairs
        for ta in (False, True)
        for tb in (False, True)
        for kind in (None, *KINDS)
    ]
    refused = "sparse.dot(csr, two_rows, transpose_a=True, transpose_b=False, forward_stype='default')"
    calls.remove(refused)
    empty = ["sparse.dot(no_cells, matrix)", "sparse.dot(no_cells, matrix, transpose_a=True)"]
    zeros = ["sparse.dot(matrix * 0, csr)", "sparse.dot(csr, matrix * 0, transpose_a=True)"]
    return [*calls, *empty, *zeros, "sparse.dot(rows, matrix)", "sparse.dot(csr, column)"]


def _parts() -> list[str]:
    ids = ("[0, 1, 2]", "[3]", "[2]", "[0, 3]")
    bounds = ("(0,), (2,)", "(1,), (3,)", "(0, 1), (3, 3)", "(0, 1), (2, 2)", "(1, None), (None, 2)")
    return [
        *(f"sparse.retain(rows, nd.array({i}))" for i in ids),
        "sparse.retain(no_rows, nd.array([1]))",
        *(f"csr[{key}]" for key in ("0", "1", "-1", "0:2", "1:", ":", "-2:", "0:9")),
        "rows[:]",
        *(f"sparse.slice(csr, {b})" for b in bounds),
        "sparse.slice(csr, (0,), (3,), (2,))",
        "sparse.slice(rows, (0,), (2,))",
        "csr.slice(begin=(0,), end=(2,))",
        *(
            f"sparse.concat({a}, dim={d})"
            for a in ("csr, csr2", "csr, matrix", "rows, rows2")
            for d in (0, 1)
        ),
        "sparse.concat(csr, dim=0)",
        *(f"sparse.add_n({a})" for a in ("csr, csr2", "rows, rows2", "rows, rows2, all_rows", "rows, dense")),
        *(f"sparse.add_n({a})" for a in ("matrix, csr, matrix", "rows", "dense, rows, rows2, dense")),
        "sparse.where(csr, matrix, matrix * 2)",
        *(f"sparse.clip({a}, -1, 2)" for a in ("csr", "rows")),
        *(f"sparse.{f}(csr, axis={a})" for f in ("sum", "mean", "norm") for a in (0, 1)),
        *(f"nd._internal._square_sum(rows, axis={a}, keepdims={k})" for a in (0, 1) for k in (False, True)),
        "sparse.Embedding(nd.array([0, 2, 2]), rows, input_dim=4, output_dim=3)",
        "nd.contrib.SparseEmbedding(nd.array([0, 2, 2]), all_rows, input_dim=4, output_dim=3)",
        "csr.T",
    ]


def _made() -> list[str]:
    kinds = {
        "csr": ("default", "csr"),
        "rows": ("default", "row_sparse"),
        "matrix": KINDS,
        "no_cells": ("csr",),
    }
    of_cells = ("([1, 2, 3], [0, 2, 1], [0, 1, 2, 3])", "(2, 3)", "(2, 3), dtype='int32'", "[[0, 1], [2, 0]]")
    return [
        *(f"sparse.cast_storage({x}, {k!r})" for x, ks in kinds.items() for k in ks),
        *(f"{x}.tostype({k!r})" for x, ks in kinds.items() for k in ks),
        *(
            f"sparse.csr_matrix({a})"
            for a in (*of_cells, "csr", "csr, dtype='float64'", "matrix", "np.eye(2)")
        ),
        *(
            f"sparse.row_sparse_array({a})"
            for a in ("rows", "rows, dtype='float64'", "(2, 3, 4)", "np.eye(2)")
        ),
        "sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 2]), shape=(6, 2))",
        *(f"{f}({x})" for f in ("sparse.array", "nd.array") for x in ("csr", "rows", "csr, dtype='float64'")),
        *(f"sparse.{f}({k!r}, (2, 3))" for f in ("zeros", "empty") for k in ("csr", "row_sparse")),
        "nd.zeros((2, 3), stype='csr')",
        "nd.empty((2, 3), stype='row_sparse')",
        *(f"{x}.{c}" for x in ("csr", "rows") for c in ("copy()", "astype('float64')", "copyto(mx.cpu(0))")),
        *(f"{x}.copyto({y})" for x, y in (("csr", "no_cells"), ("rows", "no_rows"), ("matrix", "no_cells"))),
        *(f"{x}.copyto({y})" for x, y in (("dense", "no_rows"), ("csr", "matrix"), ("rows", "dense"))),
        "csr.data",
        "csr.indices",
        "csr.indptr",
        "rows.indices",
    ]


def _outputs() -> list[str]:
    return [
        "sparse.square(csr, out=no_cells)",
        "sparse.square(csr, out=matrix)",
        "sparse.square(matrix, out=no_cells)",
        "nd.exp(csr, out=no_cells)",
        "nd.exp(rows, out=no_rows)",
        "sparse.elemwise_add(rows, rows2, out=dense)",
        "sparse.elemwise_add(rows, rows2, out=no_rows)",
        "sparse.retain(rows, nd.array([0]), out=no_rows)",
    ]


EXPRESSIONS = [*_arithmetic(), *_products(), *_parts(), *_made(), *_outputs()]

STATEMENTS = [
    *(f"{a} {o}= {b}" for o in "+-*/" for a, b in [("csr", "csr2"), ("rows", "rows2"), ("rows", "dense")]),
    *(f"{x} {o}= 2" for o in "+-*/" for x in ("csr", "rows")),
    *(f"csr {o}= matrix" for o in "+-*"),
    "csr %= 2",
    *(f"csr[:] = {x}" for x in ("csr2", "matrix", "np.eye(3)", "no_cells")),
    *(f"rows[:] = {x}" for x in ("rows2", "dense", "2", "0", "np.ones((4, 3))")),
]
"""Changes of the array that is named first."""

_STORE = "kv = mx.kv.create('local'); kv.init('w', all_rows); "
PULLS = [
    f"no_rows; {_STORE}kv.row_sparse_pull('w', no_rows, row_ids=nd.array([0, 2]))",
    f"no_rows; {_STORE}kv.row_sparse_pull('w', no_rows, row_ids=nd.array([2, 0, 2]))",
    f"no_rows; {_STORE}kv.push('w', [rows, rows2]); kv.row_sparse_pull('w', no_rows, row_ids=nd.array([0]))",
    f"dense; {_STORE}kv.push('w', [rows, rows2]); kv.pull('w', dense)",
]
"""What a store writes into the array that is named first."""

_OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {}),
    ("sgd", {"momentum": 0.9, "wd": 0.1}),
    ("sgd", {"momentum": 0.9, "wd": 0.1, "lazy_update": False}),
    ("adam", {"wd": 0.1}),
    ("adam", {"wd": 0.1, "lazy_update": False}),
    ("adagrad", {}),
    ("ftrl", {}),
    ("nag", {"momentum": 0.9}),
    ("rmsprop", {}),
    ("signum", {"momentum": 0.0}),
]
TRAININGS = [(name, options, hybridized) for name, options in _OPTIMIZERS for hybridized in (False, True)]
"""Optimizers that update a row-sparse Embedding, some rows of which have a gradient of 0."""

_LOOKUP = "(nd.array([3, 0, 3]), {0}, input_dim=4, output_dim=3, sparse_grad=True)"
GRADIENTS = [
    (f"sparse.Embedding{_LOOKUP.format('dense')}", "dense", "row_sparse"),
    (f"sparse.Embedding{_LOOKUP.format('dense')} * 0", "dense", "row_sparse"),
    (f"sparse.Embedding{_LOOKUP.format('all_rows')}", "all_rows", None),
    ("nd.contrib.SparseEmbedding(nd.array([3, 0]), dense, input_dim=4, output_dim=3)", "dense", "row_sparse"),
    (f"sparse.Embedding{_LOOKUP.format('dense')} + dense[0:3]", "dense", "row_sparse"),
    ("sparse.Embedding(nd.array([3, 0, 3]), dense, input_dim=4, output_dim=3)", "dense", None),
    ("nd.take(dense, nd.array([1, 2, 1]))", "dense", "row_sparse"),
    *(("sparse.dot(csr, matrix)", "matrix", kind) for kind in (None, "row_sparse")),
    ("sparse.dot(csr, matrix) * 0", "matrix", "row_sparse"),
    ("sparse.dot(csr2, matrix)", "matrix", "row_sparse"),
    *(("sparse.dot(csr, matrix, transpose_a=True)", "matrix", kind) for kind in (None, "row_sparse")),
    ("sparse.dot(csr, two_rows)", "two_rows", None),
    ("sparse.dot(matrix, csr)", "csr", None),
    ("sparse.dot(matrix, csr)", "matrix", None),
    *(
        (f"sparse.{f}(rows, rows2)", x, None)
        for f in ("elemwise_add", "elemwise_mul")
        for x in ("rows", "rows2")
    ),
    *((f"sparse.{f}(rows)", "rows", None) for f in ("square", "sin", "sum")),
    ("rows * 2", "rows", None),
    ("csr * 2", "csr", None),
    ("sparse.abs(csr)", "csr", None),
    ("csr * matrix", "csr", None),
    ("sparse.broadcast_mul(csr, vector)", "vector", None),
    ("sparse.slice(csr, (0,), (2,))", "csr", None),
    ("sparse.retain(all_rows, nd.array([1, 2]))", "all_rows", None),
    ("sparse.retain(all_rows, nd.array([1, 2])) * 0", "all_rows", None),
    ("dense * 2", "dense", "row_sparse"),
    ("rows.tostype('default') * 2", "rows", None),
    *(("sparse.cast_storage(dense, 'row_sparse')", "dense", kind) for kind in (None, "row_sparse")),
]
"""Expressions, the variable, and the storage type that its gradient is asked for in."""


def described(x: Any) -> dict[str, Any]:
    """What must agree: not the order of columns, nor what real MXNet leaves unwritten behind the last one."""
    text: dict[str, Any] = {"stype": x.stype, "dtype": np.dtype(x.dtype).name, "shape": list(x.shape)}
    text["values"] = x.asnumpy().astype(float).ravel().tolist()
    if x.stype == "csr":
        ends = x.indptr.asnumpy().astype(int)
        rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        columns = x.indices.asnumpy()[: ends[-1]] if ends[-1] else []
        text["stored"] = sorted([int(r), int(c)] for r, c in zip(rows, columns, strict=True))
    elif x.stype == "row_sparse":
        text["stored"] = [int(i) for i in x.indices.asnumpy()] if x.indices.shape[0] else []
    return text


def results(mx: Any) -> dict[str, Any]:
    """Every expression's, statement's and gradient's result."""
    shown = {text: described(evaluated(mx, text)) for text in EXPRESSIONS}
    shown |= {text: described(executed(mx, text)) for text in STATEMENTS}
    shown |= {gradient_name(g): described(gradient(mx, *g)) for g in GRADIENTS}
    shown |= {text: described(executed(mx, text)) for text in PULLS}
    return shown | {training_name(t): described(trained(mx, *t)) for t in TRAININGS}


def evaluated(mx: Any, text: str) -> Any:
    """The value of an expression."""
    return eval(text, arrays(mx))


def executed(mx: Any, text: str) -> Any:
    """The array that a statement changes; it is the same object afterwards."""
    names = arrays(mx)
    name = re.split("[^a-z0-9_]", text)[0]
    before = names[name]
    exec(text, names)
    if names[name] is not before:
        raise ValueError(f"{text}: the array is another one")
    return before


def gradient_name(parts: tuple[str, str, str | None]) -> str:
    """What a gradient is stored under."""
    return f"gradient of {parts[0]} by {parts[1]} as {parts[2]}"


def gradient(mx: Any, text: str, variable: str, kind: str | None) -> Any:
    """The gradient of an expression by a variable."""
    names = arrays(mx)
    names[variable].attach_grad(stype=kind) if kind else names[variable].attach_grad()
    with mx.autograd.record():
        y = eval(text, names)
    y.backward()
    return names[variable].grad


def training_name(parts: tuple[str, dict[str, Any], bool]) -> str:
    """What a training is stored under."""
    name, options, hybridized = parts
    return f"{name} {options}{' hybridized' if hybridized else ''}"


def trained(mx: Any, optimizer: str, options: dict[str, Any], hybridized: bool) -> Any:
    """The weight of an Embedding after three steps, of which each names some rows."""
    nd, nn = mx.nd, mx.gluon.nn
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Embedding(6, 3, sparse_grad=True))
        net.add(nn.Dense(2, flatten=False))
    net.initialize(mx.init.One())
    if hybridized:
        net.hybridize()
    weight = net[0].weight
    weight.set_data(nd.array(np.arange(18).reshape(6, 3) / 10))
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, **options})
    for rows in ([[0, 2], [2, 5]], [[1, 1], [0, 3]], [[0, 2], [2, 5]]):
        with mx.autograd.record():
            loss = (net(nd.array(rows)) * nd.array([[[1, 2], [0, 0]], [[0, 0], [3, -1]]])).sum()
        loss.backward()
        named = sorted({i for pair in rows for i in pair})
        if described(weight.grad())["stored"] != named:
            raise ValueError(f"rows {named} are required, got {weight.grad().indices}")
        trainer.step(2)
    return weight.data()
