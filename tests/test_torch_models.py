"""Files of PyTorch's exporters: each runs, saves, goes out again and trains as PyTorch computes it.

`scripts/torch_models try` prints how many take which step, and writes those that do not into failures.json.
"""

from __future__ import annotations

import pytest

from tests.torch_files import failures, index, names, tried

FAILURES = failures()
NAMES = names()


def is_quick(name: str) -> bool:
    """Whether the file is one of those that run each time: a third of the models, in the hardest form."""
    model, exporter, sizes = name.rsplit("-", 2)
    turn = list(index()).index(model)
    return sizes == "free" and turn % 3 == 0 and exporter == ("script", "dynamo")[turn // 3 % 2]


CHOICE = [pytest.param(name, marks=[] if is_quick(name) else [pytest.mark.slow]) for name in NAMES]


@pytest.mark.parametrize("name", CHOICE)
def test_file(name, tmp_path):
    known = FAILURES.get(name, {})
    reasons = tried(name, tmp_path, known)
    fresh = [f"{step}: {why}" for step, why in reasons.items() if step not in known]
    assert not fresh, f"{name}\n" + "\n".join(fresh)
    mended = [step for step in known if step not in reasons and "import" not in reasons]
    assert not mended, f"{name}: {', '.join(mended)} works now; run scripts/torch_models try {name}"


def test_failures_are_of_files():
    assert FAILURES.keys() <= set(NAMES)
