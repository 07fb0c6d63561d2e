"""Transforms of gluon in the file of the model that they are made for, so that any engine does all of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..converters.to_onnx import by_name, is_shape
from ..dtypes import DType, DTypeLike, as_dtype, name_of
from ..errors import ConversionError, MXNetError
from ..gluon.block import Block
from ..gluon.data.vision.transforms import (
    Cast,
    CenterCrop,
    Compose,
    CropResize,
    Normalize,
    Resize,
    ToTensor,
)
from ..gluon.hybrid_block import HybridBlock, input_name
from ..gluon.nn.basic_layers import HybridSequential, Sequential
from ..gluon.symbol_block import SymbolBlock
from ..ndarray.files import load as load_arrays
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec, SymbolicDim, show
from ..symbol.infer import infer
from ..symbol.symbol import Symbol, var
from ..symbol.symbol import load as load_symbol
from ._native import parameters_beside
from .inspection import inspect, is_symbol_file
from .models import DTypes, Parameters, Shapes, Source, export_model, import_to_gluon

__all__ = ["export_pipeline", "export_transform"]

Transform: TypeAlias = Callable[[NDArray], Any] | Sequence[Callable[[NDArray], Any]]
"""A gluon transform, or several in order."""
Sizes: TypeAlias = tuple[int | str | None, ...]

_CONTAINERS = (Compose, Sequential, HybridSequential)
_OF_BYTES = (ToTensor, Resize, CropResize, CenterCrop)
"""Those that take images (H, W, C) of bytes."""
_OF_ANY_SIZE = (Cast, ToTensor, Normalize)
"""Those that leave height and width."""
_TRIED = {1: 33, 2: 47}
"""What free sizes are taken for where a transform is tried, by axis."""


def export_pipeline(
    model: Source,
    transform: Transform | Mapping[str, Transform],
    path: str | os.PathLike[str],
    *,
    params: Parameters | None = None,
    input_shapes: Shapes | None = None,
    in_types: DTypes | None = None,
    **options: Any,
) -> str:
    """Write transforms and the model behind them to one ONNX file, and return the file's name.

    The file takes what the transforms take, many at once, such as images (N, H, W, C) of bytes, and gives
    what the model gives, under the model's names. Transforms are HybridBlocks and `CenterCrop`, in a
    `Compose` or a list; those that draw at random, and functions, are refused by name. They are tried on two
    inputs: what they make of both at once must be what they make of each.

    Args:
        model: An ONNX file, a HybridBlock, or a Symbol or the file of one.
        transform: What is done to each row of the only input; or that by the inputs' names.
        path: The file to write.
        params: The parameters of a Symbol, by name or as a file.
        input_shapes: The shapes of the file's inputs, by name or in order; sizes that are names are free. For
            images of bytes it is `("batch", "height", "width", 3)` unless given, with what the model tells.
            `Resize` and `CenterCrop` need a known height and width.
        in_types: The types of the file's inputs. Unless given those of images before `ToTensor`, `Resize` or
            a crop are uint8, others as the model says.
        options: What else `export_model` takes, such as `verify=True`.

    Returns:
        The file's name.

    Raises:
        ConversionError: If a transform cannot be written, or computes something else for several inputs.
        MXNetError: If the model cannot be read or written, or does not take what the transforms give.
    """
    plan = plan_of("export_pipeline", model, transform, params, input_shapes, in_types)
    shapes = {name: item.shape for name, item in plan.inputs.items()}
    types = {name: item.dtype for name, item in plan.inputs.items()}
    return plan.source.write(plan.chains, path, {"input_shapes": shapes, "in_types": types, **options})


def export_transform(
    transform: Transform,
    path: str | os.PathLike[str],
    *,
    input_shape: Sequence[int | str | None] = ("batch", "height", "width", 3),
    in_type: DTypeLike = "uint8",
    names: tuple[str, str] = ("data", "output"),
    **options: Any,
) -> str:
    """Write transforms alone to an ONNX file, as `export_pipeline` writes them before a model.

    Args:
        transform: What is done to each row.
        path: The file to write.
        input_shape: The shape of all rows; sizes that are names are free.
        in_type: Their type.
        names: Those of the input and the output.
        options: What else `export_model` takes.

    Returns:
        The file's name.

    Raises:
        ConversionError: If a transform cannot be written, or computes something else for several inputs.
    """
    name, output = names
    _require_written("export_transform", transform)
    declared = Input(tuple(input_shape), as_dtype(in_type))
    chain = Chain("export_transform", name, transform, declared)
    chain.require_rows(transform)
    block = _Pipeline([name], {name: chain}, None, [output])
    told = {"input_shapes": {name: declared.shape}, "in_types": {name: declared.dtype}}
    return export_model(block, path, **{**told, **options})


def plan_of(owner: str, model: Any, transform: Any, params: Any, shapes: Any, types: Any) -> Plan:
    """What a file of transforms and a model takes and does; the arguments are `export_pipeline`'s."""
    source = _source(owner, model, params, _count(transform, shapes))
    transforms = _by_input(owner, transform, source.names)
    for each in transforms.values():
        _require_written(owner, each)
    asked = by_name(source.names, shapes, is_shape), _types(source.names, types)
    inputs = {
        name: _input(owner, name, transforms.get(name), source.declared.get(name), *asked)
        for name in source.names
    }
    chains = {name: Chain(owner, name, each, inputs[name]) for name, each in transforms.items()}
    for name, chain in chains.items():
        chain.require_rows(transforms[name])
    return Plan(source, inputs, chains)


# ---- what is given


class Plan(NamedTuple):
    """What a file of transforms and a model takes and does."""

    source: _Source
    inputs: Mapping[str, Input]
    """What it takes, by name."""
    chains: Mapping[str, Chain]
    """What is done to the inputs, by their names."""


class Input(NamedTuple):
    """An input of a file or a model."""

    shape: Sizes
    dtype: DType

    def spec(self) -> Spec:
        """It for inference."""
        sizes = [SymbolicDim.named(d) if isinstance(d, str) and d else d or None for d in self.shape]
        return Spec(tuple(d if isinstance(d, int | SymbolicDim) else None for d in sizes), self.dtype)


class _Source(NamedTuple):
    """A model that transforms are put before."""

    names: list[str]
    declared: Mapping[str, Input]
    """What it says of its inputs, as far as it says both."""
    write: Callable[[Mapping[str, Chain], str | os.PathLike[str], Mapping[str, Any]], str]
    """Writes the file, with `export_model`'s options."""


def _source(owner: str, model: Any, params: Any, count: int) -> _Source:
    if isinstance(model, HybridBlock):
        return _of_block(model, count)
    if isinstance(model, Symbol) or is_symbol_file(model):
        return _of_graph(model, params)
    if params is not None:
        raise MXNetError(f"{owner}: a Symbol is required with params, got {model}.")
    return _of_block(import_to_gluon(model), count)


def _of_block(net: HybridBlock, count: int) -> _Source:
    known: Mapping[str, Any] = net._declared_inputs() if isinstance(net, SymbolBlock) else {}
    outputs = net._onnx_outputs
    traced: Any = net._cached_graph
    names = [input_name(v) for v in (traced[0] if traced else net._graph_of(count)[0])]
    declared = {
        name: Input(tuple(_size(d) for d in item.sizes), as_dtype(item.dtype))
        for name, item in known.items()
        if item.sizes is not None
    }

    def write(chains: Mapping[str, Chain], path: Any, options: Mapping[str, Any]) -> str:
        return export_model(_Pipeline(names, chains, net, outputs), path, **options)

    return _Source(names, declared, write)


def _of_graph(model: Any, params: Any) -> _Source:
    graph = model if isinstance(model, Symbol) else load_symbol(os.fspath(model))
    if params is None and not isinstance(model, Symbol):
        params = parameters_beside(os.fspath(model))
    values: Any = load_arrays(os.fspath(params)) if isinstance(params, str | os.PathLike) else params
    inputs = inspect(graph, values, count=False).inputs
    declared = {i.name: Input(i.shape, as_dtype(i.dtype)) for i in inputs if i.shape is not None}

    def write(chains: Mapping[str, Chain], path: Any, options: Mapping[str, Any]) -> str:
        composed: Any = graph(**{name: chain(var(name)) for name, chain in chains.items()})
        return export_model(composed, values, onnx_file_path=path, **options)

    return _Source([item.name for item in inputs], declared, write)


def _size(size: object) -> int | str | None:
    return size if size is None or isinstance(size, int) else str(size)


def _count(transform: Any, shapes: Any) -> int:
    """How many inputs a block has that was never called."""
    several = shapes is not None and not is_shape(shapes)
    return max(len(shapes) if several else 1, len(transform) if isinstance(transform, Mapping) else 1)


def _by_input(owner: str, transform: Any, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(transform, Mapping):
        if len(names) != 1:
            raise MXNetError(
                f"{owner}: a dict of transforms by the inputs {', '.join(names)} is required of a model that "
                "has several, got one transform."
            )
        return {names[0]: transform}
    strange = [name for name in transform if name not in names]
    if strange:
        raise MXNetError(f"{owner}: inputs among {', '.join(names)} are required, got {', '.join(strange)}.")
    return dict(transform)


def _types(names: Sequence[str], types: Any) -> Mapping[str, Any]:
    if types is None:
        return {}
    if isinstance(types, Mapping | list | tuple):
        return by_name(names, types, lambda value: False)
    return dict.fromkeys(names, types)


def _input(
    owner: str,
    name: str,
    transform: Any,
    declared: Input | None,
    shapes: Mapping[str, Sizes],
    types: Mapping[str, Any],
) -> Input:
    """What the file takes: as the caller says, else as the transforms and the model tell."""
    leaves = [] if transform is None else list(_leaves(transform))
    first = next((each for each in leaves if not isinstance(each, Cast)), None)
    shape = shapes.get(name)
    if isinstance(first, _OF_BYTES):
        shape = shape or _images(leaves, None if declared is None else declared.shape)
        default: DType | None = np.dtype(np.uint8)
    elif all(isinstance(each, _OF_ANY_SIZE) for each in leaves) and declared is not None:
        shape, default = shape or declared.shape, declared.dtype
    else:
        default = np.dtype(np.float32) if declared is None or transform is not None else declared.dtype
        shape = shape or (declared.shape if declared is not None and transform is None else None)
    if shape is None:
        raise MXNetError(
            f"{owner}: input_shapes with a shape for {name} is required, as nothing else tells it, got none."
        )
    return Input(tuple(shape), as_dtype(types.get(name, default)))


def _images(leaves: Sequence[Any], declared: Sizes | None) -> Sizes:
    """The shape of images that become what a model takes."""
    if declared is None or len(declared) != 4:
        return "batch", "height", "width", 3
    first = any(isinstance(each, ToTensor) for each in leaves)  # channels before rows
    channels, *sizes = declared[1:] if first else (declared[3], *declared[1:3])
    if not all(isinstance(each, _OF_ANY_SIZE) for each in leaves):
        sizes = [None, None]
    height, width = (size or other for size, other in zip(sizes, ("height", "width"), strict=True))
    return declared[0] or "batch", height, width, channels if isinstance(channels, int) else 3


def _leaves(transform: Any) -> Iterator[Any]:
    """The single transforms in order."""
    if isinstance(transform, list | tuple):
        for each in transform:
            yield from _leaves(each)
    elif type(transform) in _CONTAINERS:
        for each in transform._children.values():
            yield from _leaves(each)
    else:
        yield transform


def _require_written(owner: str, transform: Any) -> None:
    """Refuse transforms that draw at random, or that ONNX cannot have, by name."""
    for each in _leaves(transform):
        if isinstance(each, CenterCrop):
            continue
        if not isinstance(each, HybridBlock):
            called = type(each).__name__ if isinstance(each, Block) else repr(each)
            raise ConversionError(
                f"{owner}: transforms that are HybridBlocks, or CenterCrop, are required, got {called}. "
                "Leave out what augments data, and write functions as a HybridBlock."
            )
        for node in each(var("data")).nodes():
            reason = "" if node.is_variable else node.op.not_in_onnx
            if not node.is_variable and node.op.noise and not node.op.mode_dependent:
                reason = "it draws at random"
            if reason:
                raise ConversionError(
                    f"{owner}: transforms that ONNX can say are required, got {type(each).__name__}: "
                    f"{reason}. Leave it out."
                )


# ---- what becomes of it


class Chain:
    """Transforms of an input, each of which takes all rows at once."""

    def __init__(self, owner: str, name: str, transform: Any, declared: Input) -> None:
        """Look through the transforms, as far as they can be written."""
        self._owner, self._name, self._declared = owner, name, declared
        self.steps: list[HybridBlock] = []
        symbol, spec = var(name), declared.spec()
        for each in _leaves(transform):
            step = self._step(each, spec)
            symbol = step(symbol)
            spec = infer(symbol, {name: declared.spec()}, partial=True)[symbol.outputs[0]]
            self.steps.append(step)
        self.given = Input(tuple(map(_size, spec.shape or ())), spec.dtype or declared.dtype)
        """What the model gets."""
        if spec.shape and declared.shape and spec.shape[0] != declared.spec().shape[0]:  # type: ignore[index]
            raise ConversionError(
                f"{owner}: as many rows as are given are required of the transforms of {name}, got "
                f"{show(spec.shape)} for {show(declared.spec().shape)}."
            )

    def __call__(self, x: Any) -> Any:
        """What becomes of all rows, an array or a symbol."""
        for step in self.steps:
            x = step(x)
        return x

    def _step(self, transform: Any, spec: Spec) -> HybridBlock:
        """A transform as a block of arrays and symbols."""
        if isinstance(transform, CenterCrop | Resize):
            height, width = self._known_sizes(transform, spec)
            if isinstance(transform, CenterCrop):
                return _Middle(transform, height, width)
        step: HybridBlock = transform
        return step

    def _known_sizes(self, transform: Any, spec: Spec) -> tuple[int, int]:
        """The height and width of the images before a transform."""
        height, width = (spec.shape or (None,) * 4)[-3:-1]
        if not isinstance(height, int) or not isinstance(width, int):
            raise ConversionError(
                f"{self._owner}: {type(transform).__name__} needs images of a known height and width, got "
                f"{show(spec.shape)}. Give them in input_shapes, such as ('batch', 480, 640, 3)."
            )
        return height, width

    def require_rows(self, transform: Any) -> None:
        """Refuse transforms that make something else of several inputs at once than of each."""
        shape = tuple(
            size if isinstance(size, int) else _TRIED.get(axis, 3)
            for axis, size in enumerate(self._declared.shape[1:], 1)
        )
        rng = np.random.default_rng(0)
        x = rng.uniform(0, 256, (2, *shape)).astype(self._declared.dtype)
        leaves = list(_leaves(transform))
        try:
            one_by_one = np.stack([_applied(leaves, row) for row in x])
        except (MXNetError, TypeError, ValueError) as exc:
            raise ConversionError(
                f"{self._owner}: a row of {self._name}, of shape {shape} and {name_of(x.dtype)}, is not what "
                f"the transforms take: {exc}"
            ) from exc
        together = self(NDArray(x)).asnumpy()
        if together.shape != one_by_one.shape or not np.allclose(together, one_by_one, 1e-5, 1e-5):
            raise ConversionError(
                f"{self._owner}: transforms that make of several inputs at once what they make of each are "
                f"required for {self._name}, got {together.shape} and {one_by_one.shape}"
                f"{' with other numbers' if together.shape == one_by_one.shape else ''}. Write them so that "
                "another axis may come first."
            )


def _applied(transforms: Sequence[Any], row: Array) -> Array:
    x: Any = NDArray(row)
    for each in transforms:
        x = each(x)
    result: Array = x.asnumpy()
    return result


class _Middle(HybridBlock):
    """`CenterCrop` of images whose size is known."""

    def __init__(self, crop: CenterCrop, height: int, width: int) -> None:
        super().__init__()
        self._cut, self._sizes = crop._of_size, (height, width)

    def hybrid_forward(self, F: ModuleType, x: Any) -> Any:
        """The middle."""
        return self._cut(F, x, *self._sizes)


class _Pipeline(HybridBlock):
    """Transforms of inputs, and the network behind them."""

    def __init__(
        self,
        names: Sequence[str],
        chains: Mapping[str, Chain],
        net: HybridBlock | None,
        outputs: Sequence[str] | None,
    ) -> None:
        super().__init__(prefix="")
        self._names, self._chains, self._onnx_outputs = list(names), dict(chains), outputs
        for chain in chains.values():
            for step in chain.steps:
                self.register_child(step)
        self._net = net

    def _input_names(self, count: int) -> list[str]:
        return self._names

    def hybrid_forward(self, F: ModuleType, *inputs: Any) -> Any:
        """What the network gives."""
        given = zip(self._names, inputs, strict=True)
        values = [self._chains[name](x) if name in self._chains else x for name, x in given]
        return values[0] if self._net is None else self._net(*values)
