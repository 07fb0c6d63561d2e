"""Files that were made for fuzzing, or found by it, are refused or read."""

from __future__ import annotations

import warnings

import pytest

from tests import fuzz_targets

FILES = [
    pytest.param(name, path, id=f"{name}-{path.name}")
    for name in fuzz_targets.TARGETS
    for path in fuzz_targets.files(name)
]


@pytest.mark.parametrize(("name", "path"), FILES)
def test_refused_or_read(name, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fuzz_targets.refuses_or_reads(name, path.read_bytes())
