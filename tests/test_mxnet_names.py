"""Every public name of real MXNet 1.9.1 is here, known to be missing, or left out; the pages say how."""

from __future__ import annotations

import fnmatch
import re

import pytest

from scripts import _names
from tests import mxnet_names, mxnet_signatures

UNTOLD = ("other arguments", "other value")


def test_what_is_missing_is_known(capsys):
    missing, expected = mxnet_names.missing(), mxnet_names.stored()
    with capsys.disabled():
        print("\n" + mxnet_names.table().splitlines()[-1])
    pairs = {(module, name) for module, names in missing.items() for name in names}
    known = {(module, name) for module, names in expected.items() for name in names}
    lost = [".".join(pair) for pair in sorted(pairs - known)]
    won = [".".join(pair) for pair in sorted(known - pairs)]
    assert not lost, "MXNet's names that were here are missing: " + ", ".join(lost)
    assert not won, "run scripts/names, as these are here now: " + ", ".join(won)


@pytest.mark.parametrize("row", mxnet_names.LEFT_OUT, ids="{0[0]}:{0[1]}".format)
def test_what_is_left_out_is_mxnets_and_not_here(row):
    modules, names, _ = row
    pairs = [
        (m, n) for m in mxnet_names.NAMES for n in mxnet_names.NAMES[m] if fnmatch.fnmatchcase(m, modules)
    ]
    pairs = [(m, n) for m, n in pairs if fnmatch.fnmatchcase(n, names) and mxnet_names.reason(m, n)]
    assert pairs, "MXNet has no such name; remove the row"
    here = [f"{m}.{n}" for m, n in pairs if mxnet_names.is_here(m, n)]
    assert not here, f"no longer left out, but here: {', '.join(here)}"


@pytest.mark.parametrize(
    "path",
    [_names.DOCS / "mxnet_names.md", *(_names.DOCS / f"mxnet_names/{s}.md" for s in _names.GROUPS)],
    ids=lambda path: path.stem,
)
def test_the_pages_are_fresh(path):
    assert path.read_text(encoding="utf-8") == _names.pages()[path], "run scripts/names"


def test_no_page_is_left_over():
    assert set((_names.DOCS / "mxnet_names").iterdir()) <= set(_names.pages())


def test_the_pages_tell_of_every_name():
    for module, names in mxnet_names.counted().items():
        text = _names.pages()[_names.DOCS / "mxnet_names" / f"{_names.group_of(module)}.md"]
        own = text.partition(f"\n## {module}\n")[2].partition("\n## ")[0]
        words = set(re.findall(r"`([^`]+)`", own))
        assert {name for name in names if mxnet_names.is_here(module, name)} <= words, module


def test_arguments_differ_for_a_reason():
    """Another place or another default of an argument is mended, or a sentence says why it is."""
    rows = [(m, n) for m, names in _names.states().items() for n, s in names.items() if s.name in UNTOLD]
    assert not rows, "mend them, or write a sentence in tests/data/mxnet_differences.toml: " + str(rows)


@pytest.mark.parametrize("row", mxnet_signatures.DIFFERENCES, ids=lambda row: row["text"][:40])
def test_a_difference_is_of_a_name(row):
    told = (s.sentences for names in _names.states().values() for s in names.values())
    assert any(row["text"] in sentences for sentences in told), "no name of MXNet's fits; remove it"


@pytest.mark.parametrize(
    ("theirs", "here", "kinds"),
    [
        ("a b=1 **kwargs", "a b=1 **kwargs", ""),
        ("a b=1", "a b=1.0", ""),
        ("a shape=_Null", "a shape=None", ""),
        ("a size=(1, 2)", "a size=[1, 2]", ""),
        ("a *args **kwargs", "a flag=1 out=None", ""),
        ("a b=1", "a b=2", "other"),
        ("a b=1 c=2", "a c=2 b=1", "other other"),
        ("a b=1", "a", "less"),
        ("a **kwargs", "a", "less"),
        ("a b=1", "a * b=1", "less"),
        ("a b=1", "a b", "less"),
        ("a b", "a b=1", "more"),
        ("a", "a b=1", "more"),
        ("a", "a **kwargs", "more"),
        ("a", "a b", "other"),
    ],
)
def test_arguments_are_compared(theirs, here, kinds):
    words = [re.split(r" (?![^(\[]*[)\]])", text) for text in (theirs, here)]
    found = mxnet_signatures.changes(*(mxnet_signatures.parsed(row) for row in words))
    assert " ".join(change.kind for change in found) == kinds


def test_states_of_names_that_are_known():
    known = {
        ("mxnet.ndarray", "FullyConnected"): "same",
        ("mxnet.ndarray", "Convolution"): "same",
        ("mxnet.gluon.nn", "Dense"): "same",
        ("mxnet.gluon.nn", "BatchNorm"): "differs",
        ("mxnet.ndarray", "waitall"): "same",
        ("mxnet.libinfo", "find_lib_path"): "refuses",
        ("mxnet.onnx", "get_operator_support"): "more arguments",
        ("mxnet.gluon", "nn"): "module",
    }
    assert {pair: mxnet_signatures.state(*pair).name for pair in known} == known
    assert mxnet_signatures.state("mxnet.ndarray", "Convolution").details == (
        "without effect: `workspace`, `cudnn_tune`, `cudnn_off`",
    )
