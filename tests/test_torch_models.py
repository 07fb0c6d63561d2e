"""Files of PyTorch's exporters: each runs, saves, goes out again and trains as PyTorch computes it.

`scripts/torch_models try` prints how many take which step, and writes those that do not into failures.json.
"""

from __future__ import annotations

import pytest

from tests.torch_files import STEPS, File, Trial, failures, index, names, tried

FAILURES = failures()
NAMES = names()


def quick() -> set[str]:
    """Which files run each time: one of each model, of free sizes if there is one, exporters in turn."""
    chosen = set()
    for turn, (model, variants) in enumerate(index().items()):
        exporters = ("script", "dynamo")[:: (-1) ** turn]
        order = [f"{exporter}-{sizes}" for sizes in ("free", "fixed") for exporter in exporters]
        chosen.add(f"{model}-{next(variant for variant in order if variants.get(variant) == '')}")
    return chosen


QUICK = quick()
CHOICE = [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in NAMES]


@pytest.mark.parametrize("name", CHOICE)
def test_file(name, tmp_path):
    known = FAILURES.get(name, {})
    reasons = tried(name, tmp_path, known)
    fresh = {step: why for step, why in reasons.items() if step not in known}
    assert not fresh, "\n".join([name, *(f"{step}: {why}" for step, why in fresh.items())])
    mended = [step for step in known if step not in reasons and "import" not in reasons]
    assert not mended, f"{name}: {', '.join(mended)} works now; run scripts/torch_models try {name}"


@pytest.mark.parametrize("step", ["eager", "gradients"])
def test_what_differs_is_told(step, tmp_path):
    file = File.read("lenet-script-fixed")
    trial = Trial(file, tmp_path)
    trial.read()
    STEPS[step](trial)
    file.runs[0][1][0][0, 0] *= 1.001
    file.facts["gradients"]["inputs"]["x"][0] *= 1.001
    with pytest.raises(AssertionError, match=r"output 0 differs by|input x: the gradient's norm is"):
        STEPS[step](trial)


def test_failures_are_of_files():
    assert FAILURES.keys() <= set(NAMES)
