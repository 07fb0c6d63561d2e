"""Cases of connectionist temporal classification."""

from functools import partial

import numpy as np

from hybridonnx.ops import load_all
from hybridonnx.test_utils import Case, ints

FIRST = {"second": "the gradient is of first order alone, as MXNet's is"}
WIDE = ("float32", "float64", "float16")


# ---- one path after the other, as the definition has it


def labels_of(path, blank):
    """What a path reads as: repeated classes and then blanks left out."""
    runs = [c for i, c in enumerate(path) if i == 0 or path[i - 1] != c]
    return [c for c in runs if c != blank]


def by_paths(data, label, *lengths, use_data_lengths=False, use_label_lengths=False, blank_label="first"):
    """The losses by the sum over all paths that read as the labels."""
    steps, batch, classes = data.shape
    blank, padding = (0, 0) if blank_label == "first" else (classes - 1, -1)
    rest = iter(lengths)
    most = next(rest).astype(int) if use_data_lengths else [steps] * batch
    counts = next(rest).astype(int) if use_label_lengths else None
    power = np.exp(data.astype(np.float64))
    odds = power / power.sum(2, keepdims=True)
    losses = []
    for n in range(batch):
        row = label[n].astype(int).tolist()
        if counts is None:
            row = row[: row.index(padding)] if padding in row else row
        else:
            row = row[: counts[n]]
        total = 0.0
        for path in np.ndindex(*[classes] * most[n]):
            if labels_of(path, blank) == row:
                total += float(np.prod([odds[t, n, c] for t, c in enumerate(path)]))
        losses.append(-np.log(total) if total else 0.0)
    return np.array(losses).astype(data.dtype)


def expected_nan(data, label, wrong):
    """The losses by the definition, nan where labels or lengths cannot be, of which MXNet reads memory."""
    safe = label.copy()
    safe[wrong] = 0
    losses = by_paths(data, safe)
    losses[wrong] = np.nan
    return losses


# ---- cases


def ctc(data, label, *lengths, **attributes):
    """A case; lists are labels or lengths."""
    rest = [np.array(x, "float32") if isinstance(x, list) else x for x in (label, *lengths)]
    return Case("CTCLoss", [data, *rest], **attributes).but(no=FIRST)


def by_definition(case, **options):
    """The case with its results from the definition: MXNet computes in float32 alone, or wrongly."""
    return case.but(formula=partial(by_paths, **case.attributes), **options)


DATA = {"use_data_lengths": True}
LABEL = {"use_label_lengths": True}
LAST = {"blank_label": "last"}
ROWS = [[1, 2, 3], [2, 2, 0], [4, 0, 0]]
ROWS_LAST = [[1, 2, 3], [2, 2, -1], [0, -1, -1]]

LEFT = {"oracle": "MXNet leaves the gradient of sequences with too few steps as its memory was"}
OF_BLANK = {"oracle": "MXNet's gradient is wrong where a label is the blank"}
CUT = {"oracle": "MXNet rounds lengths, and cuts the gradient off by truncated ones"}
NO_DIFFERENCE = {"gradient": "there are no differences of what is no number"}

WRONG = {**FIRST, **NO_DIFFERENCE}

SCORES = np.random.RandomState(0).randn(6, 3, 5).astype("float32")
WITHOUT = SCORES.copy()
WITHOUT[2, 1, 3] = WITHOUT[:, 2, 4] = -np.inf

MXNET = [
    ctc((6, 3, 5), ROWS),
    ctc((6, 3, 5), ROWS, blank_label="first"),
    ctc((6, 3, 5), ROWS_LAST, **LAST),
    ctc((6, 3, 5), [[1, 0, 3], [0, 2, 1], [4, 4, 0]]),
    ctc((6, 3, 5), [[3, 0, 0], [2, -1, 1], [-1, 3, 3]], **LAST),
    ctc((3, 3, 5), [[1, 2, 3], [2, 2, 2], [4, 4, 0]]).but(no=LEFT),
    ctc((6, 3, 5), [[1, 4, 3], [0, 2, 1], [3, 3, -1]], **LAST).but(no=OF_BLANK),
    ctc((6, 3, 5), [[1.7, 2.2, 3], [2, 2, 0.6], [4, 0, 0]]),
    ctc((6, 3, 5), ROWS, [6, 4, 3], **DATA),
    ctc((6, 3, 5), ROWS, [6, 4.9, 1.6], **DATA).but(no=CUT),
    ctc((6, 3, 5), ROWS, [6, 0, 1], **DATA),
    ctc((6, 3, 5), ROWS, [3, 2, 1], **LABEL),
    ctc((6, 3, 5), [[1, 2, 3], [2, 2, 1], [4, 1, 2]], [1, 3, 2], **LABEL),
    ctc((6, 3, 5), [[1, 2, 3], [2, 2, 3], [4, 1, 2]], [6, 4, 3], [3, 2, 1], **DATA, **LABEL),
    ctc((6, 3, 5), [[1, 2, 3], [2, 2, 3], [3, 1, 2]], [6, 5, 3], [2, 3, 0], **DATA, **LABEL, **LAST),
    ctc((1, 3, 4), [[1], [2], [0]]),
    ctc((7, 2, 3), [[1, 1, 1], [2, 1, 2]]),
    ctc((9, 1, 2), [[1, 1, 1, 1]]),
    ctc((40, 4, 11), ints((4, 12), 11, 1)).but(tol=5e-5),
    ctc((40, 4, 11), ints((4, 12), 10), **LAST).but(tol=5e-5),
    ctc((30, 5, 7), ints((5, 9), 6), ints((5,), 31, 20), ints((5,), 10, 1), **DATA, **LABEL, **LAST).but(
        tol=5e-5
    ),
    ctc(SCORES * 100, ints((3, 3), 5)).but(tol=5e-5),
    ctc(SCORES * 1e5, ints((3, 3), 5)).but(no={"oracle": "MXNet's sums are of float32"}),
    ctc(WITHOUT, ROWS).but(no=NO_DIFFERENCE),
]
MXNET = [c.but(no={**FIRST, **c.no}) for c in MXNET]

OWN = [
    by_definition(ctc((4, 3, 3), [[1, 2], [2, 2], [1, 0]]), dtypes=WIDE),
    by_definition(ctc((4, 3, 3), [[1, 0], [1, 1], [0, -1]], **LAST), dtypes=WIDE),
    by_definition(ctc((4, 2, 3), np.array([[1, 2], [1, 0]], "int32"), [4, 2], **DATA), dtypes=WIDE),
    by_definition(
        ctc((4, 2, 3), np.array([[1, 0], [1, -1]], "int64"), np.array([4, 2]), **DATA, **LAST), dtypes=WIDE
    ),
    by_definition(
        ctc((4, 2, 3), np.array([[1, 2], [1, 2]], "uint8"), np.array([1, 2], "uint8"), **LABEL), dtypes=WIDE
    ),
    by_definition(ctc((4, 2, 3), [[0, 0], [0, 2]])),  # MXNet gives what was in memory
    by_definition(ctc((3, 2, 3), np.zeros((2, 0), "float32"))),
    by_definition(ctc((2, 2, 1), [[0], [0]])),
    by_definition(ctc((3, 0, 2), np.zeros((0, 2), "float32"))),
    ctc((3, 5, 4), [[1, 4], [5, 0], [2, 0], [-1, 0], [3, 3]]).but(
        formula=lambda data, label: expected_nan(data, label, [0, 1, 3]), no=WRONG
    ),
    ctc((3, 3, 4), [[1, 2], [2, 1], [2, 0]], [4, -1, 3], **DATA).but(
        formula=lambda data, label, lengths: expected_nan(data, label, [0, 1]), no=WRONG
    ),
    ctc((3, 3, 4), [[1, 2], [2, 1], [2, 0]], [3, -1, 1], **LABEL).but(
        formula=lambda data, label, lengths: expected_nan(data, label, [0, 1]), no=WRONG
    ),
]


# ---- the gradient as an operator


def adjoint(case):
    """The adjoint of a case, which is checked as its gradient against differences and MXNet's."""
    batch = case.inputs[0].shape[1]
    kernel = load_all()["_ctc_grad"].make(case.attributes).forward
    return Case("_ctc_grad", [*case.inputs, (batch,)], **case.attributes).but(
        formula=kernel, dtypes=case.dtypes
    )


CASES = [*MXNET, *OWN, *map(adjoint, (*MXNET, *OWN))]
