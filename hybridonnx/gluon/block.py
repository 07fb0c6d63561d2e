"""Blocks: parts of a model that hold parameters and other blocks."""

from __future__ import annotations

import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from inspect import signature
from itertools import zip_longest
from types import TracebackType
from typing import Any, ClassVar, overload

import numpy as np

from .. import initializer
from .._lazy import lazy_package
from .._scopes import Innermost
from ..context import Context
from ..dtypes import DTypeLike
from ..errors import FormatError, MXNetError, RequirementError, has_place
from ..initializer import InitializerLike
from ..name import Prefix, current, scopes
from ..ndarray.files import load, save
from ..ndarray.ndarray import NDArray
from ..pages.notebook import Item
from ..symbol.symbol import Symbol
from ..typing import Contexts
from . import _model_file
from ._hooks import HookHandle
from ._summary import summarize
from .nested import flatten_with_gaps as _flatten  # noqa: F401  (libraries take it from here)
from .nested import regroup_with_gaps as _regroup  # noqa: F401
from .parameter import Constant, Parameter, ParameterDict, brief


class _BlockScope:
    """The names inside a block: children are numbered by kind, operators get the block's prefix."""

    _scopes = Innermost()
    """Each with the managers of names around it."""

    def __init__(self, block: Block) -> None:
        self._block = block

    @staticmethod
    def create(prefix: str | None, params: ParameterDict | None, hint: str) -> tuple[str, ParameterDict]:
        """The prefix and the parameters of a new block."""
        inner = _BlockScope._scopes.innermost
        scope: _BlockScope | None = None if inner is None else inner[0]
        if scope is None:
            if prefix is None:
                prefix = current().get(None, hint) + "_"
            return prefix, ParameterDict(prefix if params is None else params.prefix, params)
        if prefix is None:
            count = scope._block._child_counts.get(hint, 0)
            scope._block._child_counts[hint] = count + 1
            prefix = f"{hint}{count}_"
        parent = scope._block.params
        own = (
            ParameterDict(parent.prefix + prefix, parent._shared)
            if params is None
            else ParameterDict(params.prefix, params)
        )
        return scope._block.prefix + prefix, own

    def __enter__(self) -> _BlockScope:
        if self._block._empty_prefix:
            return self
        manager, before = Prefix(self._block.prefix), scopes.innermost
        scopes.innermost = manager, manager, before  # written as `autograd.scopes` tells
        _BlockScope._scopes.innermost = self, before, _BlockScope._scopes.innermost
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._block._empty_prefix:
            return
        inner = _BlockScope._scopes.innermost
        while inner is not None and inner[0] is not self:
            inner = inner[2]
        if inner is not None:
            _, scopes.innermost, _BlockScope._scopes.innermost = inner


class Block:
    """A part of a model. Subclasses make children and parameters in `__init__` and define `forward`.

    Several threads may call it at once, the first calls included, also while another one writes its
    parameters or initializes them anew: each parameter is then as before, or as after. What changes the block
    itself, such as its children, `cast` and `hybridize`, is for one thread while no other calls it.
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        self._empty_prefix = prefix == ""
        self._prefix, self._params = _BlockScope.create(prefix, params, self._alias())
        self._name = self._prefix.removesuffix("_")
        self._child_counts: dict[str, int] = {}
        """How many children of each kind have names already."""
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._forward_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()

    def __repr__(self) -> str:
        lines = [
            f"  ({key}): {indented(repr(child))}"
            for key, child in self.__dict__.items()
            if isinstance(child, Block)
        ]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"

    def _repr_html_(self) -> str:
        return self._item(self.name).markup()

    def _item(self, title: str) -> Item:
        """The block, its children and its parameters as a notebook shows them."""
        children = [child._item(f"({key})") for key, child in self._children.items()]
        own = [Item("", repr(p)) for p in self._reg_params.values()]
        text = repr(self).strip("\n ")
        text = type(self).__name__ if "\n" in text else text
        return Item(title, text, [*children, *own])

    def __setattr__(self, name: str, value: object) -> None:
        existing = self.__dict__.get(name)
        if isinstance(existing, Parameter | Block) and not isinstance(value, type(existing)):
            raise TypeError(
                f"Changing attribute type for {name} from {type(existing)} to {type(value)} is not allowed."
            )
        if isinstance(value, Block):
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            registered = self._reg_params.get(name)
            if registered is not None and registered is not value:
                raise RequirementError(
                    f"Overriding Parameter attribute {name} is not allowed. If you want to share parameters "
                    "between blocks, please set 'params' at Block construction instead."
                )
            self._reg_params[name] = value
        super().__setattr__(name, value)

    def _alias(self) -> str:
        return type(self).__name__.lower()

    is_container: ClassVar[bool] = False
    """Whether it only runs its children, so that summaries show them alone."""

    # ---- what it is

    @property
    def prefix(self) -> str:
        """What the names of its parameters and operators begin with."""
        return self._prefix

    @property
    def name(self) -> str:
        """The prefix without the underscore at its end."""
        return self._name

    @property
    def params(self) -> ParameterDict:
        """Its own parameters, those of children not included."""
        return self._params

    def name_scope(self) -> _BlockScope:
        """A scope in which children and parameters get names that begin with this block's prefix."""
        return self._scope

    @property
    def _scope(self) -> _BlockScope:
        """Made anew: one kept here would keep the block and its weights until the next garbage collection."""
        return _BlockScope(self)

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """The parameters of the block and its children whose names match the regular expression `select`."""
        params = ParameterDict(self._params.prefix)
        self._collect_into(params, None if select is None else re.compile(select))
        return params

    def _collect_into(self, params: ParameterDict, pattern: re.Pattern[str] | None) -> None:
        """Add to `params` those of the block and its children whose names match; without a pattern all."""
        self._warn_of_strays()
        own = self.params
        params.update(own if pattern is None else {n: v for n, v in own.items() if pattern.match(n)})
        for child in self._children.values():
            if type(child).collect_params is Block.collect_params:
                child._collect_into(params, pattern)
            else:  # it has its own
                params.update(child.collect_params(None if pattern is None else pattern.pattern))

    def _warn_of_strays(self) -> None:
        """Warn of blocks in lists and the like, which nobody registered as children."""
        for key, value in self.__dict__.items():
            if not isinstance(value, _NESTED) or not value or key in _NO_STRAYS:
                continue
            blocks = _blocks_in(value)
            if blocks and not {*map(id, blocks)} <= {*map(id, self._children.values())}:
                warnings.warn(
                    f'"{type(self).__name__}.{key}" holds blocks that are not children of '
                    f'"{type(self).__name__}", so that their parameters are left out. Call '
                    "register_child(), or use nn.Sequential or nn.HybridSequential.",
                    stacklevel=4,
                )

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Parameters by their path in the tree of attributes, the names of `save_parameters`."""
        start = f"{prefix}." if prefix else ""
        params = {start + key: value for key, value in self._reg_params.items()}
        for name, child in self._children.items():
            params.update(child._collect_params_with_prefix(start + name))
        return params

    # ---- children and hooks

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Add a child. Assigning a block to an attribute does the same."""
        self._children[str(len(self._children)) if name is None else name] = block

    def register_forward_pre_hook(self, hook: Callable[..., object]) -> HookHandle:
        """Call `hook(block, inputs)` before every forward pass."""
        handle = HookHandle()
        handle.attach(self._forward_pre_hooks, hook)
        return handle

    def register_forward_hook(self, hook: Callable[..., object]) -> HookHandle:
        """Call `hook(block, inputs, outputs)` after every forward pass."""
        handle = HookHandle()
        handle.attach(self._forward_hooks, hook)
        return handle

    def register_op_hook(self, callback: Callable[..., object], monitor_all: bool = False) -> None:
        """Call `callback` for the operators of all children that are HybridBlocks; see there."""
        for child in self._children.values():
            child.register_op_hook(callback, monitor_all)

    def apply(self, fn: Callable[[Block], object]) -> Block:
        """Call `fn` on every child, recursively, then on the block itself."""
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    # ---- parameters

    def initialize(
        self,
        init: InitializerLike = None,
        ctx: Contexts = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters, `init` (uniform in ±0.07) where a parameter has none of its own."""
        self.collect_params().initialize(
            initializer.Uniform() if init is None else init, ctx, verbose, force_reinit
        )

    def cast(self, dtype: DTypeLike) -> None:
        """Give all parameters another dtype."""
        for child in self._children.values():
            child.cast(dtype)
        for param in self.params.values():
            param.cast(dtype)

    def save_parameters(self, filename: str, deduplicate: bool = False) -> None:
        """Write all values under their paths in the tree; `deduplicate` writes shared ones once."""
        params = self._collect_params_with_prefix()
        if deduplicate:
            last = {id(param): name for name, param in params.items()}
            params = {name: param for name, param in params.items() if last[id(param)] == name}
        save(filename, {name: param._reduce() for name, param in params.items()})

    def load_parameters(
        self,
        filename: str,
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Read values that `save_parameters` wrote, or `export` or `ParameterDict.save`, by their names."""
        loaded = load(filename)
        params = self._collect_params_with_prefix()
        if not loaded and not params:
            return
        if not isinstance(loaded, dict):
            raise FormatError(f"{filename}: a file of named arrays is required, got a list without names.")
        if not any("." in name for name in loaded) and not set(loaded) <= set(params):
            self.collect_params().load(
                filename, ctx, allow_missing, ignore_extra, self.prefix, cast_dtype, dtype_source
            )
            return
        self._load_values(
            loaded, params, filename, ctx, allow_missing, ignore_extra, cast_dtype, dtype_source
        )

    def _load_values(
        self,
        loaded: dict[str, NDArray],
        params: dict[str, Parameter],
        filename: str,
        ctx: Any,
        allow_missing: bool,
        ignore_extra: bool,
        cast_dtype: bool,
        dtype_source: str,
    ) -> None:
        if not allow_missing:
            loaded_ids = {id(params[name]) for name in loaded if name in params}
            for name, param in params.items():
                if name not in loaded and id(param) not in loaded_ids:
                    raise RequirementError(
                        f"Parameter '{name}' is missing in file '{filename}', which contains parameters: "
                        f"{brief(list(loaded))}. Set allow_missing=True to ignore missing parameters."
                    )
        for name, value in loaded.items():
            if name in params:
                params[name]._load_init(value, ctx, cast_dtype, dtype_source)
            elif not ignore_extra:
                raise ValueError(
                    f"Parameter '{name}' loaded from file '{filename}' is not present in this block, which "
                    f"has {brief(list(params))}. Set ignore_extra=True to ignore it."
                )

    def load_dict(
        self,
        param_dict: dict[str, NDArray],
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Take values by their paths in the tree."""
        params = self._collect_params_with_prefix()
        names = {k.removeprefix("arg:").removeprefix("aux:"): v for k, v in param_dict.items()}
        self._load_values(
            names, params, "the dictionary", ctx, allow_missing, ignore_extra, cast_dtype, dtype_source
        )

    def save(self, prefix: str) -> None:
        """Write values to `prefix-model.params`, and the tree with its graphs to `prefix-model.json`."""
        _model_file.save(self, prefix)

    def _graph_entry(self) -> dict[str, Any]:
        """What files of the tree say of the graph that was traced."""
        return {}

    def load(self, prefix: str) -> None:
        """Read what `save` wrote into a block made the same way; what was traced then is hybridized now."""
        _model_file.load(self, prefix)

    def save_params(self, filename: str) -> None:
        """Write all values under their names; deprecated, as `save_parameters` is."""
        warnings.warn("save_params is deprecated. Please use save_parameters.", stacklevel=2)
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self, filename: str, ctx: Contexts = None, allow_missing: bool = False, ignore_extra: bool = False
    ) -> None:
        """Read values that `save_params` wrote; deprecated, use `load_parameters`."""
        warnings.warn("load_params is deprecated. Please use load_parameters.", stacklevel=2)
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)

    # ---- running

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Compile the children that are HybridBlocks."""
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    @overload
    def __call__(self, x: NDArray, /, *args: object) -> NDArray: ...
    @overload
    def __call__(self, x: Symbol, /, *args: object) -> Symbol: ...
    @overload
    def __call__(self, *args: Any) -> Any: ...
    def __call__(self, *args: Any) -> Any:
        """The outputs of `forward` for the inputs; one array, or a list or tuple of several."""
        for hook in self._forward_pre_hooks.values():
            hook(self, args)
        try:
            out = self.forward(*args)
        except MXNetError as exc:
            if not has_place(exc):  # those of graphs and of inner blocks say more
                exc.add_note(_described(self, args))
            raise
        for hook in self._forward_hooks.values():
            hook(self, args, out)
        return out

    def forward(self, *args: Any) -> Any:
        """The outputs for the inputs; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__}: forward must be defined.")

    def summary(self, *inputs: object) -> None:
        """Print the output shapes and the number of parameters of every layer for these inputs."""
        summarize(self, inputs)

    def reset_ctx(self, ctx: Context | list[Context]) -> None:
        """Move all parameters to other contexts."""
        self.collect_params().reset_ctx(ctx)


def _described(block: Block, args: Sequence[Any]) -> str:
    """Which block it is and what it was called with, for errors."""
    method = getattr(block, "hybrid_forward", block.forward)
    names = [n for n, p in signature(method).parameters.items() if p.kind == p.POSITIONAL_OR_KEYWORD]
    names = names[1:] if names[:1] == ["F"] else names
    arrays = [
        f"{name} {x.shape} {np.dtype(x.dtype).name}".strip()
        for name, x in zip_longest(names[: len(args)], args, fillvalue="")
        if isinstance(x, NDArray)
    ]
    return f"In block {block.name} ({type(block).__name__}) of {', '.join(arrays) or 'no arrays'}."


_NESTED = (list, tuple, dict)
_NO_STRAYS = frozenset({"_children", "_reg_params"})
"""What a block has of its own, and no strays are in."""


def _blocks_in(value: Any) -> list[Block]:
    """The blocks in a nested list, tuple or dictionary."""
    result: list[Block] = []
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, _NESTED):
            result += _blocks_in(item)
        elif isinstance(item, Block):
            result.append(item)
    return result


def indented(text: str) -> str:
    """The text of a child inside of its parent's."""
    return text.replace("\n", "\n  ")


__all__ = ["Block", "Constant", "HookHandle", "HybridBlock", "Parameter", "SymbolBlock"]  # noqa: F822
__getattr__, __dir__ = lazy_package(
    __name__, single={"HybridBlock": "..hybrid_block", "SymbolBlock": "..symbol_block"}
)
