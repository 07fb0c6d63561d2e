"""What users call of mixed precision."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ... import ndarray, symbol
from ...context import Context
from ...dtypes import as_dtype
from ...errors import MXNetError
from ...gluon.hybrid_block import HybridBlock
from ...gluon.symbol_block import SymbolBlock
from ...gluon.trainer import Trainer
from ...module.bucketing_module import BucketingModule
from ...ndarray.ndarray import NDArray
from ...ops import Operator, mixing
from ...optimizer.optimizer import Optimizer
from ...symbol.precision import Lists, with_casts
from ...symbol.symbol import Symbol
from .lists import symbol_bf16, symbol_fp16
from .loss_scaler import LossScaler

__all__ = [
    "bfloat16",
    "convert_bucketing_module",
    "convert_hybrid_block",
    "convert_model",
    "convert_symbol",
    "init",
    "init_trainer",
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
    "scale_loss",
    "unscale",
]

bfloat16 = "bfloat16"
"""A target_dtype, where MXNet has a NumPy type of its own for it."""
Names = Sequence[str] | None
Condition = tuple[str, str, list[str]]

_MIXED = ("float16", "bfloat16", "float32")

_amp_initialized = False
_amp_loss_scale_initialized = False
_loss_scaler = LossScaler()


# ---- lists


def _name_of(target_dtype: Any) -> str:
    """ "float16" or "bfloat16", of whatever says so."""
    try:
        name = as_dtype(target_dtype).name
    except MXNetError:
        name = str(target_dtype)
    if name not in ("float16", "bfloat16"):
        raise AssertionError(f"amp: float16 or bfloat16 is required as target_dtype, got {target_dtype!r}.")
    return name


def list_lp16_ops(target_dtype: Any) -> list[str]:
    """The operators that compute in the lower precision.

    Args:
        target_dtype: "float16" or "bfloat16".

    Returns:
        Their names.
    """
    low = _name_of(target_dtype) == "float16"
    return symbol_fp16.FP16_FUNCS if low else symbol_bf16.BF16_FUNCS


def list_fp32_ops(target_dtype: Any) -> list[str]:
    """The operators that compute in float32; see `list_lp16_ops`."""
    return symbol_fp16.FP32_FUNCS if _name_of(target_dtype) == "float16" else symbol_bf16.FP32_FUNCS


def list_lp16_fp32_ops(target_dtype: Any) -> list[str]:
    """The operators that compute in the precision of their inputs; see `list_lp16_ops`."""
    low = _name_of(target_dtype) == "float16"
    return symbol_fp16.FP16_FP32_FUNCS if low else symbol_bf16.BF16_FP32_FUNCS


def list_conditional_fp32_ops(target_dtype: Any) -> list[Condition]:
    """Operators with an attribute and the values of it with which they compute in float32."""
    low = _name_of(target_dtype) == "float16"
    return symbol_fp16.CONDITIONAL_FP32_FUNCS if low else symbol_bf16.CONDITIONAL_FP32_FUNCS


def list_widest_type_cast(target_dtype: Any) -> list[str]:
    """The operators that compute in the widest precision of their inputs; see `list_lp16_ops`."""
    low = _name_of(target_dtype) == "float16"
    return symbol_fp16.WIDEST_TYPE_CASTS if low else symbol_bf16.WIDEST_TYPE_CASTS


def list_loss_output_functions(target_dtype: Any) -> list[str]:
    """The operators whose gradients are scaled as losses are; see `list_lp16_ops`."""
    low = _name_of(target_dtype) == "float16"
    return symbol_fp16.LOSS_OUTPUT_FUNCTIONS if low else symbol_bf16.LOSS_OUTPUT_FUNCTIONS


def list_lp16_use_fp32_params(target_dtype: Any) -> Mapping[str, list[str]] | None:
    """The inputs of operators that stay float32 beside data of bfloat16; `None` for float16."""
    return None if _name_of(target_dtype) == "float16" else symbol_bf16.BF16_USE_FP32_PARAMS


# ---- calls


def init(
    target_dtype: Any = "float16",
    target_precision_ops: Names = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    fp32_ops: Names = None,
) -> None:
    """Have operators compute in two precisions from now on, on arrays and in networks that are made then.

    Args:
        target_dtype: "float16" or "bfloat16", which computes in float32 and rounds what each operator gives.
        target_precision_ops: What computes in it, in place of `list_lp16_ops`.
        conditional_fp32_ops: In place of `list_conditional_fp32_ops`.
        fp32_ops: What computes in float32, in place of `list_fp32_ops`.

    Raises:
        AssertionError: `target_dtype` is another.
    """
    global _amp_initialized
    if _amp_initialized:
        return
    name = _name_of(target_dtype)
    logging.info("Using AMP")
    lists = _lists(target_dtype, target_precision_ops, fp32_ops, conditional_fp32_ops)
    mixing.rule = _Rule(name, lists, frozenset(list_loss_output_functions(target_dtype)))
    _amp_initialized = True


def _end() -> None:
    """Undo `init`, for tests."""
    global _amp_initialized, _amp_loss_scale_initialized, _loss_scaler
    mixing.rule = None
    _amp_initialized = _amp_loss_scale_initialized = False
    _loss_scaler = LossScaler()


def _lists(
    target_dtype: Any, low: Names, single: Names, conditional: Any, excluded: Collection[str] = ()
) -> Lists:
    pairs = list_conditional_fp32_ops(target_dtype) if conditional is None else conditional
    return Lists(
        frozenset(list_lp16_ops(target_dtype) if low is None else low),
        frozenset(list_fp32_ops(target_dtype) if single is None else single),
        frozenset(list_widest_type_cast(target_dtype)),
        {(operator, key): tuple(map(str, values)) for operator, key, values in pairs},
        frozenset(excluded),
    )


class _Rule:
    """The arguments that operators get, by their names."""

    def __init__(self, low: str, lists: Lists, losses: Collection[str]) -> None:
        self._low, self._lists, self._losses = low, lists, losses
        self._roles: dict[type[Operator], str] = {}

    def _role(self, cls: type[Operator]) -> str:
        if cls not in self._roles:
            self._roles[cls] = self._role_by_name(cls)
        return self._roles[cls]

    def _role_by_name(self, cls: type[Operator]) -> str:
        lists = {"low": self._lists.low, "single": self._lists.single, "widest": self._lists.widest}
        lists |= {"loss": self._losses}
        for name in cls.names:  # the first one is what graphs have
            role = next((role for role, names in lists.items() if name in names), None)
            if role is not None:
                return role
        return "condition" if any(operator in cls.names for operator, _ in self._lists.conditional) else ""

    def __call__(
        self, cls: type[Operator], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Sequence[Any], dict[str, Any]]:
        role = self._role(cls)
        if role == "loss" and not any(isinstance(value, Symbol) for value in (*args, *kwargs.values())):
            return args, {**kwargs, "grad_scale": kwargs.get("grad_scale", 1.0) * _loss_scaler.loss_scale}
        if role == "widest":
            return _alike(args, kwargs)
        if role == "low":
            return _cast_all(self._low, args, kwargs)
        if role == "single" or (role == "condition" and self._is_met(cls, kwargs)):
            return _cast_all("float32", args, kwargs)
        return args, kwargs

    def _is_met(self, cls: type[Operator], kwargs: Mapping[str, Any]) -> bool:
        return any(
            operator in cls.names and str(kwargs.get(key)) in values
            for (operator, key), values in self._lists.conditional.items()
        )


def _cast_all(dtype: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    return [_cast(x, dtype) for x in args], {key: _cast(x, dtype) for key, x in kwargs.items()}


def _cast(x: Any, dtype: str) -> Any:
    if isinstance(x, Symbol):
        return symbol.amp_cast(x, dtype=dtype)
    if isinstance(x, NDArray) and x.dtype != as_dtype(dtype) and _is_mixed(x):
        return ndarray.amp_cast(x, dtype=dtype)
    return [_cast(item, dtype) for item in x] if isinstance(x, list | tuple) and _is_listed(x) else x


def _is_mixed(x: NDArray) -> bool:
    """Whether an array is in one of the precisions."""
    return x._data.dtype.name in _MIXED


def _is_listed(values: Sequence[Any]) -> bool:
    """Whether arrays are given in a list, as `concat` takes them."""
    return any(isinstance(value, NDArray | Symbol) for value in values)


def _alike(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """All arrays in the widest of their dtypes."""
    if len(args) == 1 and isinstance(args[0], list | tuple) and _is_listed(args[0]):
        return [_alike(args[0], {})[0]], kwargs
    keys = [key for key, value in kwargs.items() if isinstance(value, NDArray | Symbol)]
    places = [i for i, value in enumerate(args) if isinstance(value, NDArray | Symbol)]
    values = [args[i] for i in places] + [kwargs[key] for key in keys]
    if len(values) < 2:
        return args, kwargs
    cast: list[Any]
    if isinstance(values[0], Symbol):
        cast = list(symbol.amp_multicast(*values, num_outputs=len(values)))
    elif len({v.dtype for v in values}) > 1:
        cast = list(ndarray.amp_multicast(*values, num_outputs=len(values)))
    else:
        return args, kwargs
    new = list(args)
    for i, value in zip(places, cast, strict=False):
        new[i] = value
    return new, {**kwargs, **dict(zip(keys, cast[len(places) :], strict=True))}


# ---- trainers


def init_trainer(optimizer_or_trainer: Trainer) -> None:
    """Have a trainer keep a scale of its losses, and pass over steps whose gradients are not finite.

    Args:
        optimizer_or_trainer: A `gluon.Trainer`.

    Raises:
        AssertionError: `init` was not called.
        TypeError: It is no trainer.
    """
    global _amp_loss_scale_initialized
    if not _amp_initialized:
        raise AssertionError("amp.init_trainer: amp.init() is required before, and was not called.")
    if isinstance(optimizer_or_trainer, Optimizer):
        raise TypeError(
            "amp.init_trainer: a gluon.Trainer is required, got an Optimizer. Make a Trainer of it."
        )
    if not isinstance(optimizer_or_trainer, Trainer):
        raise TypeError(
            f"amp.init_trainer: a gluon.Trainer is required, got {type(optimizer_or_trainer).__name__}."
        )
    scaler = LossScaler() if _amp_loss_scale_initialized else _loss_scaler
    _amp_loss_scale_initialized = True
    optimizer_or_trainer._amp_loss_scaler = scaler
    optimizer_or_trainer._amp_original_scale = optimizer_or_trainer._scale


@contextmanager
def scale_loss(loss: Any, optimizer_or_trainer: Trainer) -> Iterator[Any]:
    """A scope with the loss, or a list of them, times the trainer's scale, which its steps divide by.

    Raises `AssertionError` if `init_trainer` was not called with the trainer.
    """
    scaler = optimizer_or_trainer._amp_loss_scaler
    if scaler is None:
        raise AssertionError(
            "amp.scale_loss: amp.init_trainer(trainer) is required before, and was not called."
        )
    scale = scaler.loss_scale
    optimizer_or_trainer._scale = optimizer_or_trainer._amp_original_scale / scale
    yield [each * scale for each in loss] if isinstance(loss, list | tuple) else loss * scale


def unscale(optimizer_or_trainer: Trainer) -> None:
    """Divide the gradients by the scale now, so that they can be clipped; the step does not divide again.

    Raises `TypeError` if it is no trainer.
    """
    if not isinstance(optimizer_or_trainer, Trainer):
        raise TypeError(
            f"amp.unscale: a gluon.Trainer is required, got {type(optimizer_or_trainer).__name__}."
        )
    for param in optimizer_or_trainer._params:
        for gradient in param.list_grad() if param.grad_req != "null" else ():
            gradient *= optimizer_or_trainer._scale
    optimizer_or_trainer._scale = 1.0


# ---- networks


def convert_symbol(
    sym: Symbol,
    target_dtype: Any = "float16",
    target_dtype_ops: Names = None,
    fp32_ops: Names = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Names = None,
    data_names: Names = None,
    cast_optional_params: bool = False,
) -> Symbol:
    """A graph that computes in two precisions: its variables and outputs stay float32.

    Args:
        sym: The graph.
        target_dtype: "float16" or "bfloat16".
        target_dtype_ops: What computes in it, in place of `list_lp16_ops`.
        fp32_ops: What computes in float32, in place of `list_fp32_ops`.
        conditional_fp32_ops: In place of `list_conditional_fp32_ops`.
        excluded_sym_names: Names of nodes that compute in float32.
        data_names: The inputs that are no parameters; without effect here.
        cast_optional_params: Without effect on the graph; see `convert_model`.

    Returns:
        The graph with `amp_cast` and `amp_multicast` between.

    Raises:
        AssertionError: A list has operators of no list, or two lists have one in common.
    """
    if not isinstance(sym, Symbol):
        raise AssertionError(f"amp.convert_symbol: a Symbol is required as sym, got {type(sym).__name__}.")
    _check_lists(target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names)
    lists = _lists(target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names or ())
    return with_casts(sym, _name_of(target_dtype), lists)


def _check_lists(target_dtype: Any, low: Names, single: Names, conditional: Any, excluded: Any) -> None:
    """Raise unless the lists are lists of operators that mixed precision knows, and have none in common."""
    given = {"target_dtype_ops": low, "fp32_ops": single, "excluded_sym_names": excluded}
    for argument, names in given.items():
        if names is not None and not isinstance(names, list | tuple):
            raise AssertionError(f"amp: a list of names is required as {argument}, got {names!r}.")
    if conditional is not None and any(len(row) != 3 for row in conditional):
        raise AssertionError(
            "amp: conditional_fp32_ops is required as a list of (operator, attribute, values), "
            f"got {conditional!r}."
        )
    parts = [set(low or ()), set(single or ()), {row[0] for row in conditional or ()}]
    common = (parts[0] & parts[1]) | (parts[0] & parts[2]) | (parts[1] & parts[2])
    if common:
        raise AssertionError(f"amp: an operator in one list only is required, got {sorted(common)} in two.")
    known = {
        *list_lp16_ops(target_dtype),
        *list_fp32_ops(target_dtype),
        *list_lp16_fp32_ops(target_dtype),
        *(row[0] for row in list_conditional_fp32_ops(target_dtype)),
    }
    strange = set().union(*parts) - known
    if strange:
        raise AssertionError(f"amp: operators of amp's lists are required, got {sorted(strange)}.")


def convert_model(
    sym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    target_dtype: Any = "float16",
    target_dtype_ops: Names = None,
    fp32_ops: Names = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Names = None,
    cast_optional_params: bool = False,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """A graph and its parameters in two precisions; see `convert_symbol` for the other arguments.

    Args:
        sym: The graph.
        arg_params: The parameters.
        aux_params: The auxiliary states.
        target_dtype: "float16" or "bfloat16".
        cast_optional_params: Whether parameters become that where all that reads them casts them to it.

    Returns:
        The graph, the parameters and the states, as new dicts.
    """
    converted = convert_symbol(
        sym, target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names
    )
    low = _name_of(target_dtype)
    cast = _always_cast(converted, low) if cast_optional_params else set()
    args = {name: x.astype(low) if name in cast else x for name, x in arg_params.items()}
    return converted, args, dict(aux_params)


def _always_cast(sym: Symbol, dtype: str) -> set[str]:
    """The variables that only casts to a dtype read."""
    cast: dict[str, bool] = {}
    for node in sym.nodes():
        for entry in node.inputs:
            if entry.node.is_variable:
                low = node.op_name == "amp_cast" and node.attrs["dtype"] == dtype
                cast[entry.node.name] = cast.get(entry.node.name, True) and low
    return {name for name, low in cast.items() if low}


def convert_hybrid_block(
    block: HybridBlock,
    target_dtype: Any = "float16",
    target_dtype_ops: Names = None,
    fp32_ops: Names = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Names = None,
    ctx: Context | None = None,
    cast_optional_params: bool = False,
) -> SymbolBlock:
    """A block that computes as `block` in two precisions; see `convert_model` for the arguments.

    Args:
        block: A block that is hybridized and was called once.
        ctx: Where its parameters go; by default where they are.

    Returns:
        A new block.

    Raises:
        RuntimeError: The block was not called.
    """
    if not isinstance(block, HybridBlock):
        raise AssertionError(
            f"amp.convert_hybrid_block: a HybridBlock is required, got {type(block).__name__}."
        )
    if block._traced is None:
        raise RuntimeError("amp.convert_hybrid_block: call block.hybridize() and the block once before.")
    inputs, graph = block._traced
    values = {name: param._reduce() for name, param in block.collect_params().items()}
    converted, args, _ = convert_model(
        graph, values, {}, target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops,
        excluded_sym_names, cast_optional_params,
    )  # fmt: skip
    result = SymbolBlock(converted, list(inputs))
    for name, parameter in result.collect_params().items():
        parameter.dtype, parameter.shape = args[name].dtype, args[name].shape
        parameter.initialize(ctx=ctx or block.collect_params()[name].list_ctx())
        parameter.set_data(args[name])
    return result


def convert_bucketing_module(
    bucketing_mod: BucketingModule,
    target_dtype: Any = "float16",
    target_dtype_ops: Names = None,
    fp32_ops: Names = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Names = None,
    cast_optional_params: bool = False,
) -> BucketingModule:
    """A module whose graphs compute in two precisions; see `convert_model` for the other arguments.

    Args:
        bucketing_mod: A module that is bound and has its parameters.

    Returns:
        A new module with the same parameters, not bound.

    Raises:
        AssertionError: The module is no BucketingModule, or has no parameters.
    """
    if not isinstance(bucketing_mod, BucketingModule):
        raise AssertionError(
            "amp.convert_bucketing_module: a BucketingModule is required, got "
            f"{type(bucketing_mod).__name__}."
        )
    if not (bucketing_mod.binded and bucketing_mod.params_initialized):
        raise AssertionError(
            "amp.convert_bucketing_module: a bound module with parameters is required. Call init_params."
        )
    options: dict[str, Any] = {
        "target_dtype": target_dtype,
        "target_dtype_ops": target_dtype_ops,
        "fp32_ops": fp32_ops,
        "conditional_fp32_ops": conditional_fp32_ops,
        "excluded_sym_names": excluded_sym_names,
    }
    graphs: Callable[..., Any] = bucketing_mod._sym_gen

    def converted(key: Any) -> tuple[Symbol, Any, Any]:
        graph, data_names, label_names = graphs(key)
        return convert_symbol(graph, **options), data_names, label_names

    key = bucketing_mod._default_key
    values, states = bucketing_mod.get_params()
    _, args, states = convert_model(
        graphs(key)[0], values, states, cast_optional_params=cast_optional_params, **options
    )
    result = BucketingModule(converted, key, **bucketing_mod._options)
    result._loaded, result.params_initialized = (args, states), True
    return result
