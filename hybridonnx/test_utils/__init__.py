"""Helpers for tests of users' own code, under MXNet's names, and the checks that hold for every operator."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    modules=("cases", "checkers", "comparison", "data_sets", "draws", "settings", "statistics"),
    single={"Draw": ".cases", "_SEED": ".cases", "check_infer_named": ".cases", "check_noise_spec": ".cases"},
)
