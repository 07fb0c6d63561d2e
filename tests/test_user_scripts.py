"""Scripts written for MXNet, unchanged, print what they print with real MXNet."""

from __future__ import annotations

import re

import pytest

from tests import user_scripts

TOLERANCE = 1e-4
DIFFERENT = {"example_wgan": {"made", "statistics"}}
"""Lines that differ: moving statistics change in every forward pass, a detached generator's too."""
SLOW = set(
    """
    d2l_augmentation d2l_fine_tuning d2l_house_prices d2l_networks d2l_schedulers dope_tree_lstm dope_vae
    example_capsules example_images example_sequences example_svm_nce library_detection np_networks
    tutorial_losses
    """.split()
)
"""Those that others come near to."""
STORED = user_scripts.stored()
SCRIPTS = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in user_scripts.names()]


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_print_what_they_print_with_mxnet(name):
    rows = user_scripts.differences(user_scripts.ours(name), STORED[name])
    apart = {
        line.split(":")[0]: f"{away:.1e}\n  {line}\n  with MXNet {expected}"
        for away, line, expected in rows
        if away > TOLERANCE
    }
    assert apart.keys() == DIFFERENT.get(name, set()), "\n".join(apart.values())


def test_results_are_stored_for_every_script():
    assert sorted(STORED) == user_scripts.names()


def test_the_page_has_every_script():
    assert re.findall(r"^\| \[(\w+)\]", user_scripts.PAGE.read_text(encoding="utf-8"), re.M) == sorted(STORED)


def test_what_is_listed_is_there():
    assert {*DIFFERENT, *SLOW} <= set(STORED)
