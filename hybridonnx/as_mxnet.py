"""Serves `mxnet` and its modules from hybridonnx, in this process and in those that it starts.

    import hybridonnx.as_mxnet
    import mxnet as mx

`mxnet.gluon.block` is then the module `hybridonnx.gluon.block`, one object under both names, so that
classes are one as well. `mxnet` alone is a module of its own, since its `__version__` is MXNet's; all else
that is read, set or deleted there is `hybridonnx`'s. Modules are loaded when they are first imported.

Processes that are started from here find `mxnet` too: the folder `FOLDER`, which holds a package of that
name, comes first in their PYTHONPATH. Plain `python script.py` has it wherever PYTHONPATH has the folder,
which `hybridonnx path` prints, and HYBRIDONNX_AS_MXNET is not 0.

Where Apache MXNet is installed as well, this raises ImportError unless HYBRIDONNX_AS_MXNET is `replace`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from .config import AS_MXNET, OLD_NUMPY
from .libinfo import __version__ as _mxnet_version

__all__ = ["FOLDER", "environment"]

FOLDER = str(Path(__file__).resolve().parent / "alias")
"""The folder with a package `mxnet` that is this one, for PYTHONPATH."""
_ROOT = str(Path(__file__).resolve().parents[1])
_OURS = __name__.rpartition(".")[0]
_VALUES = ("0", "1", "replace")


class _Mxnet(ModuleType):
    """The module `mxnet`: hybridonnx under MXNet's version."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(sys.modules[_OURS], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(sys.modules[_OURS], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(sys.modules[_OURS], name)

    def __dir__(self) -> list[str]:
        return dir(sys.modules[_OURS])


class _Finder(MetaPathFinder, Loader):
    """Finds `mxnet` and `mxnet.<name>`, and loads the modules of ours that they are."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        root, _, inner = fullname.partition(".")
        if root != "mxnet":
            return None
        ours = f"{_OURS}.{inner}" if inner else _OURS
        return self.spec_of(fullname, ours) if find_spec(ours) else None

    def spec_of(self, name: str, ours: str) -> ModuleSpec:
        """The spec of the module `name`, which is our module `ours`."""
        its = find_spec(ours)
        assert its is not None
        spec = ModuleSpec(name, self, origin=its.origin)
        spec.submodule_search_locations = its.submodule_search_locations
        spec.loader_state = ours
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Our module, or for `mxnet` a new one."""
        ours = import_module(spec.loader_state)
        if spec.name == "mxnet":
            module: ModuleType = _Mxnet(spec.name, ours.__doc__)
            module.__file__ = ours.__file__
            module.__version__ = _mxnet_version  # type: ignore[attr-defined]
            return module
        spec.loader_state = ours.__spec__
        return ours

    def exec_module(self, module: ModuleType) -> None:
        """Give our module its own spec back, which Python's import has replaced."""
        spec = module.__spec__
        if spec is not None and spec.loader is self and spec.name != "mxnet":
            module.__spec__ = spec.loader_state


def environment(variables: dict[str, str]) -> dict[str, str]:
    """The environment `variables` with what makes a Python that starts there find `mxnet`.

    Args:
        variables: An environment, as `dict(os.environ)`.

    Returns:
        A new dict, with HYBRIDONNX_AS_MXNET, and PYTHONPATH that begins with `FOLDER`.
    """
    paths = [path for path in variables.get("PYTHONPATH", "").split(os.pathsep) if path and path != FOLDER]
    more = {AS_MXNET.name: variables.get(AS_MXNET.name, "1"), "PYTHONPATH": os.pathsep.join([FOLDER, *paths])}
    return {**variables, **more}


def _check() -> None:
    """Raise ImportError if Apache MXNet has the name, or the variable says nothing."""
    value = AS_MXNET()
    if value not in _VALUES:
        raise ImportError(f"{AS_MXNET.name}: one of {', '.join(_VALUES)} is required, got {value!r}.")
    loaded = sys.modules.get("mxnet")
    if loaded is not None and not _is_ours(loaded):
        raise ImportError(
            f"hybridonnx.as_mxnet: it is required before the first import of mxnet, got Apache MXNet from "
            f"{getattr(loaded, '__file__', None)}. Import it at the beginning of the program."
        )
    spec = PathFinder.find_spec("mxnet", [path for path in sys.path if not _is_folder(path)])
    if spec is not None and spec.origin and value != "replace":
        raise ImportError(
            f"hybridonnx.as_mxnet: Apache MXNet is installed as well, at {spec.origin}. To have hybridonnx "
            f"in its place, set {AS_MXNET.name}=replace, or use `python -m hybridonnx run --replace`; or "
            "uninstall it."
        )


def _is_ours(module: ModuleType) -> bool:
    """Whether a module is `mxnet` as served here, or the package in `FOLDER` that is about to serve it."""
    return Path(module.__file__ or "").resolve().is_relative_to(Path(FOLDER).parent)


def _is_folder(path: str) -> bool:
    return os.path.realpath(path) == FOLDER


def _serve() -> None:
    _check()
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    sys.modules.pop("mxnet", None)  # the package in FOLDER, which is at work
    sys.modules["mxnet"] = module_from_spec(finder.spec_of("mxnet", _OURS))
    os.environ.update(environment(dict(os.environ)))
    if not any(_is_folder(path) for path in sys.path):
        sys.path.insert(1, FOLDER)  # multiprocessing gives it to processes that it spawns
    if PathFinder.find_spec(_OURS) is None:
        sys.path.append(_ROOT)
    if OLD_NUMPY():
        import_module(f"{_OURS}.old_numpy")
    import_module("multiprocessing.pool")  # MXNet's import has it loaded, and libraries take it from there


_serve()
