"""Every public name of real MXNet 1.9.1 is here, or is known to be missing, or is left out for a reason."""

from __future__ import annotations

import fnmatch

import pytest

from tests import mxnet_names


def test_what_is_missing_is_known(capsys):
    missing, expected = mxnet_names.missing(), mxnet_names.stored()
    with capsys.disabled():
        print("\n" + mxnet_names.table().splitlines()[-1])
    pairs = {(module, name) for module, names in missing.items() for name in names}
    known = {(module, name) for module, names in expected.items() for name in names}
    lost = [".".join(pair) for pair in sorted(pairs - known)]
    won = [".".join(pair) for pair in sorted(known - pairs)]
    assert not lost, "MXNet's names that were here are missing: " + ", ".join(lost)
    assert not won, "run python -m tests.mxnet_names --store, as these are here now: " + ", ".join(won)


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


def test_the_page_is_fresh():
    text = mxnet_names.PAGE.read_text(encoding="utf-8")
    assert text == mxnet_names.page(), "run python -m tests.mxnet_names --store"
