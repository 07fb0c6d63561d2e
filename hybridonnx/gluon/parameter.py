"""Parameters by name: `ParameterDict`, and the classes of what it holds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import initializer
from ..context import Context
from ..errors import DeferredInitializationError, FormatError, RequirementError
from ..initializer import InitializerLike
from ..ndarray.files import load, save
from ..ndarray.ndarray import NDArray
from ..symbol.symbol import Symbol
from ..typing import ArrayLike, Contexts
from ._parameter import Constant, Parameter

__all__ = [
    "Constant",
    "DeferredInitializationError",
    "Parameter",
    "ParameterDict",
    "tensor_types",
]

tensor_types = (Symbol, NDArray)


class ParameterDict:
    """Parameters by name, in the order of their creation; `shared` ones are looked up by `get`."""

    def __init__(self, prefix: str = "", shared: ParameterDict | None = None) -> None:
        self._prefix = prefix
        self._params: OrderedDict[str, Parameter] = OrderedDict()
        self._shared = shared

    def __repr__(self) -> str:
        name = f"{self._prefix} " if self._prefix else ""
        return f"{name}(\n" + "\n".join(f"  {p!r}" for p in self.values()) + "\n)"

    def __getitem__(self, key: str) -> Parameter:
        return self._params[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def items(self) -> Any:
        """Names and parameters."""
        return self._params.items()

    def keys(self) -> Any:
        """The names."""
        return self._params.keys()

    def values(self) -> Any:
        """The parameters."""
        return self._params.values()

    @property
    def prefix(self) -> str:
        """What the names of the parameters that `get` makes begin with."""
        return self._prefix

    def _find(self, name: str) -> Parameter | None:
        if name in self._params:
            return self._params[name]
        if self._shared is not None:
            param = self._shared._find(name)
            if param is not None:
                self._params[name] = param
                return param
        return None

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """The parameter called `prefix + name`, made with `kwargs` if there is none; else they must agree."""
        name = self._prefix + name
        param = self._find(name)
        if param is None:
            param = Parameter(name, **kwargs)
            self._params[name] = param
            return param
        for key, value in kwargs.items():
            _agree(param, key, value)
        return param

    def get_constant(self, name: str, value: ArrayLike | None = None) -> Constant:
        """The constant called `prefix + name`, made with `value` if there is none."""
        name = self._prefix + name
        param = self._find(name)
        if param is None:
            if value is None:
                raise KeyError(f"No constant named '{name}'. Please specify value if you want to create it.")
            param = Constant(name, value)
            self._params[name] = param
        if not isinstance(param, Constant):
            raise RequirementError(f"Parameter '{name}' already exists but it is not a constant.")
        if value is not None:
            stored = param.value.asnumpy()
            values = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
            if values.shape != stored.shape or not np.array_equal(values.astype(stored.dtype), stored):
                raise RequirementError(
                    f"Constant '{name}' already exists but its value differs from the new one."
                )
        return param

    def update(self, other: ParameterDict | Mapping[str, Parameter]) -> None:
        """Take all parameters of another dictionary, or of a mapping by name."""
        for name, param in other.items():
            if name in self._params and self._params[name] is not param:
                raise RequirementError(
                    "Cannot update self with other because they have different Parameters with the same "
                    f"name '{name}'."
                )
        self._params.update(other.items())

    def initialize(
        self,
        init: InitializerLike = None,
        ctx: Contexts = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters; `init` is used where a parameter has none of its own."""
        default: Any = initializer.Uniform() if init is None else init
        if verbose:
            default.set_verbosity(verbose=verbose)
        for param in self.values():
            param.initialize(None, ctx, default, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        for param in self.values():
            param.zero_grad()

    def reset_ctx(self, ctx: Contexts) -> None:
        """Move all parameters to other contexts."""
        for param in self.values():
            param.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """The contexts that any of the parameters is on."""
        contexts = {str(c): c for param in self.values() for c in param.list_ctx()}
        return list(contexts.values())

    def setattr(self, name: str, value: object) -> None:
        """Set an attribute, such as `grad_req`, of all parameters."""
        for param in self.values():
            setattr(param, name, value)

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Write the values, under names without `strip_prefix`, as a .params file."""
        values = {}
        for param in self.values():
            if not param.name.startswith(strip_prefix):
                raise ValueError(
                    f"Prefix '{strip_prefix}' is to be stripped before saving, but Parameter's name "
                    f"'{param.name}' does not start with it."
                )
            values[param.name[len(strip_prefix) :]] = param._reduce()
        save(filename, values)

    def load(
        self,
        filename: str,
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Read a .params file, whose names lack `restore_prefix` and may begin with arg: or aux:."""
        values = read_named(filename)
        self.load_dict(
            values, ctx, allow_missing, ignore_extra, restore_prefix, filename, cast_dtype, dtype_source
        )

    def load_dict(
        self,
        param_dict: dict[str, NDArray],
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: str | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Take values by name."""
        where = f" in file '{filename}'" if filename else ""
        values = {restore_prefix + k: v for k, v in param_dict.items()}
        if not allow_missing:
            for name in self.keys():
                if name not in values:
                    raise RequirementError(
                        f"Parameter '{name[len(restore_prefix) :]}' is missing{where}. "
                        f"The file has: {brief(list(param_dict))}. Set allow_missing=True to pass over it."
                    )
        for name, value in values.items():
            if name in self._params:
                self._params[name]._load_init(value, ctx, cast_dtype, dtype_source)
            elif not ignore_extra:
                raise RequirementError(
                    f"Parameter '{name[len(restore_prefix) :]}' loaded{where} is not present in "
                    f"ParameterDict. It has: {brief(list(self.keys()))}. Set ignore_extra=True to ignore it."
                )


def _agree(param: Parameter, key: str, value: Any) -> None:
    """Hold an attribute of an existing parameter to what is asked for; shapes may complete each other."""
    existing = getattr(param, key, None)
    if existing is None:
        setattr(param, key, value)
        return
    if key == "shape" and value is not None and len(value) == len(existing):
        merged = tuple(b if a in (0, -1) else a for a, b in zip(existing, value, strict=True))
        if all(b in (0, -1) or a == b for a, b in zip(merged, value, strict=True)):
            param._shape = merged
            return
    elif key == "dtype" and np.dtype(value) == np.dtype(existing):
        return
    if value is not None and value != existing:
        raise RequirementError(
            f"Cannot retrieve Parameter '{param.name}' because desired attribute does not match with stored "
            f"for attribute '{key}': desired '{value}' vs stored '{existing}'."
        )


def read_named(filename: Any) -> dict[str, NDArray]:
    """The arrays of a .params file by their names, without arg: and aux:."""
    loaded = load(filename) or {}  # a file without arrays has no names either
    if not isinstance(loaded, dict):
        raise FormatError(f"{filename}: a file of named arrays is required, got a list without names.")
    return {name.removeprefix("arg:").removeprefix("aux:"): value for name, value in loaded.items()}


def brief(names: Sequence[str], limit: int = 7) -> str:
    """Some of the names, quoted."""
    texts = [f"'{n}'" for n in names]
    if len(texts) > limit:
        texts = [*texts[: limit // 2], "...", *texts[-(limit - limit // 2) :]]
    return ", ".join(texts)
