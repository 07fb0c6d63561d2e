"""Training watched in a notebook: metrics as tables and as charts."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__, single={"Bokeh_Failed_To_Import": ".callback"}, submodules=("callback",)
)
