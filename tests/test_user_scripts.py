"""Scripts written for MXNet, unchanged, print what they print with real MXNet."""

from __future__ import annotations

import pytest

from tests import user_scripts

TOLERANCE = 1e-4
LOOSER: dict[str, float] = {}
NOT_YET = {
    "np_linear": "mx.np",
    "np_tour": "mx.np",
}
"""What a script needs that is not there yet."""
SLOW: set[str] = set()
STORED = user_scripts.stored()


def case(name: str):
    """A script, with what is known of it."""
    marks = [pytest.mark.slow] if name in SLOW else []
    if name in NOT_YET:
        marks.append(pytest.mark.xfail(reason=NOT_YET[name], strict=True))
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [case(name) for name in user_scripts.names()])
def test_scripts_print_what_they_print_with_mxnet(name):
    rows = user_scripts.differences(user_scripts.ours(name), STORED[name])
    apart = [
        f"{away:.1e}\n  {line}\n  with MXNet {expected}"
        for away, line, expected in rows
        if away > LOOSER.get(name, TOLERANCE)
    ]
    assert not apart, "\n".join(apart)


def test_results_are_stored_for_every_script():
    assert sorted(STORED) == user_scripts.names()


def test_what_is_listed_is_there():
    assert {*LOOSER, *NOT_YET, *SLOW} <= set(STORED)
