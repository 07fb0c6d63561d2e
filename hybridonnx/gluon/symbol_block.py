"""A graph as a block: loaded from files, or cut out of another graph."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..context import Context, current_context
from ..dtypes import DTypeLike, as_dtype
from ..errors import RequirementError, suggest
from ..ndarray.invoke import invoke
from ..ndarray.ndarray import NDArray
from ..ops import find
from ..runtime import onnx_file
from ..runtime.containers import boundary_of
from ..symbol import everything
from ..symbol.declared import (
    Declared,
    InputShapes,
    constant_names,
    declared_shapes,
    require_declared,
    shape_attributes,
    shapes_in_order,
)
from ..symbol.execute import execute
from ..symbol.infer import has_scalars
from ..symbol.symbol import Group, Symbol, load, var
from ..typing import Contexts
from ..util import is_np_shape, np_shape
from .hybrid_block import HybridBlock, input_name
from .nested import flatten
from .onnx_summary import described, keep_whole_numbers
from .parameter import ParameterDict, brief, read_named

__all__ = ["SymbolBlock"]

_MOST_SHAPES = 1024
"""How many shapes of an input are remembered."""


class SymbolBlock(HybridBlock):
    """A block that computes symbols, `outputs`, from variables of theirs, `inputs`; others are parameters."""

    @staticmethod
    def imports(
        symbol_file: str,
        input_names: str | Sequence[str],
        param_file: str | None = None,
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        *,
        input_shapes: InputShapes | None = None,
    ) -> SymbolBlock:
        """A block from `-symbol.json` and `.params` files as `export` writes them, or from an .onnx file.

        It takes its inputs in the order of `input_names`; none are the order that an .onnx file has. There
        `input_shapes` gives sizes that the file leaves free, by name or in the order of the inputs, as
        `mx.onnx.import_model` takes them.
        """
        names = [input_names] if isinstance(input_names, str) else list(input_names)
        if str(symbol_file).endswith(".onnx"):
            if param_file is not None:
                raise ValueError(
                    f"{symbol_file}: an .onnx file has its parameters inside, got {param_file} too."
                )
            return block_from_onnx(symbol_file, names, ctx, input_shapes)
        if input_shapes is not None:
            raise RequirementError(
                f"SymbolBlock.imports: an .onnx file is required with input_shapes, got {symbol_file}. "
                "Blocks of other files take arrays of any shape that fits."
            )
        graph = load(symbol_file)
        values = {}
        if param_file is not None:
            with np_shape(is_np_shape() or has_scalars(graph.nodes())):
                values = read_named(param_file)
        _require_names(graph, names, values)
        block = SymbolBlock(graph, [var(name, dtype=None) for name in names])
        block._is_of_file = True
        if param_file is not None:
            if not allow_missing:
                _require_labels(graph, names, values)
            block.collect_params().load_dict(
                values, ctx, allow_missing, ignore_extra, "", str(param_file), True, "saved"
            )
        return block

    def __init__(
        self,
        outputs: Symbol | Sequence[Symbol],
        inputs: Symbol | Sequence[Symbol],
        params: ParameterDict | None = None,
    ) -> None:
        self._begin(outputs, inputs, params, {})

    def _begin(
        self,
        outputs: Symbol | Sequence[Symbol],
        inputs: Symbol | Sequence[Symbol],
        params: ParameterDict | None,
        dtypes: Mapping[str, Any],
    ) -> None:
        """Make the block; `dtypes` are those of parameters, as far as more is known than the graph tells."""
        super().__init__(prefix=None, params=params)
        self._prefix = ""
        self._params = ParameterDict("", params)
        variables, self._in_format = flatten(
            list(inputs) if isinstance(inputs, list | tuple) else [inputs], "input"
        )
        flat, self._out_format = flatten(_single(outputs), "output")
        graph = flat[0] if len(flat) == 1 else Group(flat)
        self._graph = variables, graph
        self._traced = self._graph
        names = _variable_names(variables)
        self._boundary = boundary_of(graph, names)
        self._make_parameters(graph, names, dtypes)
        self._is_of_file = False
        declared = declared_shapes([*graph.nodes(), *(v.outputs[0].node for v in variables)])
        self._shapes = [_Shapes(name, declared[name]) if name in declared else None for name in names]
        """The shapes that the ONNX model says the inputs have; those of what it computes may rest on them."""
        self._types: dict[str, onnx_file.ValueType] = {}
        """What the ONNX model says of its inputs and outputs."""

    def _declared_inputs(self) -> dict[str, onnx_file.ValueType]:
        """What the ONNX model says of each of the inputs; nothing of a block that is of none."""
        names = _variable_names(self._graph[0])
        return {name: self._types[name] for name in names} if self._types else {}

    def _make_parameters(self, graph: Symbol, inputs: list[str], dtypes: Mapping[str, Any]) -> None:
        states = graph.list_auxiliary_states()
        names = [n for n in (*graph.list_arguments(), *states) if n not in inputs and n not in self._params]
        if any(name not in dtypes for name in names):
            dtypes = {**_dtypes(graph), **dtypes}
        fixed = {*states, *constant_names(graph.nodes())}
        for name in names:
            kwargs: dict[str, Any] = {"allow_deferred_init": True}
            if name in fixed:
                kwargs["grad_req"] = "null"
            if dtypes.get(name) is not None:
                kwargs["dtype"] = dtypes[name]
            self._params.get(name, **kwargs)
        start = _common(list(self._params))  # which the names of save_parameters lack
        self._reg_params = {name[start:]: param for name, param in self._params.items()}

    def __repr__(self) -> str:
        variables, graph = self._graph
        if self._onnx_outputs is not None:
            names = _variable_names(variables)
            return described(self, names, self._onnx_outputs, self._types, graph)
        return f"{type(self).__name__}(\n{graph!r} : {len(variables)} -> {len(graph.list_outputs())}\n)"

    def _clear_cached_op(self) -> None:
        """Forget what was compiled; the graph itself stays."""
        super()._clear_cached_op()
        self.__dict__["_traced"] = self.__dict__.get("_graph")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__["_traced"] = self._graph

    def cast(self, dtype: DTypeLike) -> None:
        """Give all parameters another dtype, but float32 to those that float16 is too coarse for."""
        super().cast(dtype)
        if as_dtype(dtype) == np.float16:
            for name in _float32_parameters(self._graph[1]):
                if name in self._params:
                    self._params[name].cast("float32")

    def forward(self, *args: Any) -> Any:
        """The outputs for arrays, or for symbols in place of the inputs; for none if there are no inputs.

        What is a sequence, an optional or a map in ONNX is a list, an array or `None`, and a dict.
        """
        if self._boundary is None:
            return self._forward(*args)
        return self._boundary.leave(self._forward(*self._boundary.enter(args)))

    def _forward(self, *args: Any) -> Any:
        first = args[0] if args else None
        if not args and self._graph[0]:
            names = ", ".join(_variable_names(self._graph[0]))
            raise TypeError(f"{self.name}: an array for each input is required, {names}, got none.")
        if not args or isinstance(first, NDArray):
            ctx = self._context() if first is None else first.context
            for i, (x, shapes) in enumerate(zip(args, self._shapes, strict=False)):
                if shapes is None or getattr(x, "shape", None) in shapes.fit:
                    continue
                if shapes.is_scalar and isinstance(x, NDArray) and x.shape == (1,):
                    args = (*args[:i], _without_axes(x), *args[i + 1 :])
                else:
                    shapes.require(self.name, x)
            return (self._call_compiled if self._active else self._call_on_kernels)(ctx, args)
        if not isinstance(first, Symbol):
            raise RequirementError(
                f"{self.name}: inputs that are NDArrays or Symbols are required, got {type(first).__name__}. "
                "See mx.nd.array."
            )
        variables, graph = self._graph
        flat = self._declared(self._flat_inputs(None, args))
        known = graph.list_inputs()
        symbols = {input_name(v): s for v, s in zip(variables, flat, strict=True)}
        composed: Any = graph(**{name: s for name, s in symbols.items() if name in known})
        return composed if self._out_format == 0 else self._regrouped(list(composed))

    def _declared(self, flat: Sequence[Symbol]) -> Iterator[Symbol]:
        """What takes the place of the inputs, held to the shapes that the ONNX model says."""
        for symbol, shapes in zip(flat, self._shapes, strict=True):
            node = symbol.outputs[0].node
            if shapes is None:
                yield symbol
            elif node.is_variable:
                node.attrs = shape_attributes(shapes.declared) | node.attrs
                yield symbol
            else:
                yield shapes.held(symbol)

    def _flat_inputs(self, ctx: Context | None, args: Sequence[Any]) -> list[Any]:
        variables = self._graph[0]
        if len(args) != len(variables) and self._in_format == [0] * len(variables):
            names = _variable_names(variables)
            raise ValueError(
                f"{self.name}: an array for each input is required, {', '.join(names) or 'none'}, "
                f"got {len(args)}."
            )
        return super()._flat_inputs(ctx, args)

    def _warn_of_unused(self, inputs: Sequence[Symbol], out: Symbol, unused: Sequence[str]) -> None:
        """Warn of inputs that nothing is computed from, unless a file has them, which users cannot mend."""
        if not self._is_of_file:
            super()._warn_of_unused(inputs, out, unused)

    def _context(self) -> Context:
        """Where the parameters are, and so the outputs of a graph without inputs."""
        contexts = [ctx for param in self._params.values() for ctx in param.list_ctx()]
        return contexts[0] if contexts else current_context()

    def _call_on_kernels(self, ctx: Context, args: Sequence[Any]) -> Any:
        variables, graph = self._graph
        flat = self._flat_inputs(ctx, args)
        values = self._values(self._params, ctx, args)
        values.update({input_name(v): a for v, a in zip(variables, flat, strict=True)})
        outputs = execute(graph, values, ctx)
        return outputs[0] if self._out_format == 0 else self._regrouped(outputs)

    def hybrid_forward(self, F: ModuleType, *args: Any, **kwargs: Any) -> Any:
        """Not used: the block has its graph already."""
        raise NotImplementedError("SymbolBlock has its graph; hybrid_forward is not called.")


class _Shapes:
    """The shapes in which an input may come."""

    def __init__(self, name: str, declared: Declared) -> None:
        self._name, self.declared = name, declared
        self.fit: set[tuple[int, ...]] = set()
        """Shapes that were looked at before and fit."""
        self.is_scalar = declared == ()

    def held(self, symbol: Symbol) -> Symbol:
        """A copy of an operator's result, whose shape inference holds to the sizes that are fixed."""
        if all(size is None for size in self.declared):
            return symbol
        copy: Symbol = everything.F._copy(symbol, attr=shape_attributes(self.declared))
        return copy

    def require(self, owner: str, x: Any) -> None:
        """Raise if an array has another shape."""
        if not isinstance(x, NDArray):  # refused where inputs are counted
            return
        require_declared(owner, self._name, self.declared, x.shape)
        if len(self.fit) >= _MOST_SHAPES:
            self.fit.clear()
        self.fit.add(x.shape)


def _without_axes(x: Any) -> Any:
    """An array of shape (1,), which MXNet has for ()."""
    return invoke(find("_np_squeeze").make({}), (x,))


def _single(outputs: Any) -> Any:
    return outputs[0] if isinstance(outputs, list | tuple) and len(outputs) == 1 else outputs


def _variable_names(variables: list[Any]) -> list[str]:
    for variable in variables:
        if not isinstance(variable, Symbol) or len(variable) != 1 or variable.get_children() is not None:
            raise RequirementError(f"SymbolBlock: inputs that are variables are required, got {variable!r}.")
    return [input_name(variable) for variable in variables]


def _common(names: list[str]) -> int:
    """With how many equal characters the names begin."""
    columns = zip(*names, strict=False)  # as far as the shortest goes
    return len(list(itertools.takewhile(lambda column: len(set(column)) == 1, columns)))


def _require_names(graph: Symbol, names: list[str], values: Collection[str]) -> None:
    """Refuse names that the graph lacks, unless all that it has is named or has a value: none is read."""
    known = graph.list_inputs()
    if set(known) <= {*names, *values}:
        return
    for name in names:
        if name not in known:
            raise RequirementError(
                "SymbolBlock.imports: names of the graph's variables are required as input_names, got "
                f"{name!r}; the graph has {brief(known)}.{suggest(name, known)}"
            )


def _require_labels(graph: Symbol, names: list[str], values: Mapping[str, NDArray]) -> None:
    """Refuse to take the label of an output operator for a parameter that the file lacks."""
    for node in graph.nodes():
        if node.is_variable:
            continue
        for role, (source, _) in zip(node.op.input_names(), node.inputs, strict=True):
            label = source.name
            if role in node.op.labels and source.is_variable and label not in names and label not in values:
                raise RequirementError(
                    f"Parameter '{label}' is missing: it is the label of {node.name} ({node.op_name}), an "
                    "input that only training uses. Name it as an input, "
                    f"input_names={[*names, label]}, and call the block with any array in its place; "
                    "or set allow_missing=True and initialize it."
                )


def _float32_parameters(graph: Symbol) -> list[str]:
    """The variables that operators with auxiliary states, such as BatchNorm, want in float32."""
    names = []
    for node in graph.nodes():
        if node.is_variable or not node.op.aux:
            continue
        dtypes = [np.dtype(np.float16), *[None] * (len(node.inputs) - 1)]
        inferred = node.op.infer_input_dtypes(*dtypes)
        names += [e.node.name for e, dtype in zip(node.inputs, inferred, strict=True) if dtype == np.float32]
    return names


def _dtypes(graph: Symbol) -> dict[str, Any]:
    """The dtypes of variables that the graph alone tells."""
    arguments, _, states = graph.infer_type_partial()
    dtypes = dict(zip(graph.list_arguments(), arguments, strict=True))
    dtypes.update(zip(graph.list_auxiliary_states(), states, strict=True))
    return dtypes


def block_from_onnx(
    source: Any,
    names: Sequence[str] = (),
    ctx: Contexts = None,
    input_shapes: InputShapes | None = None,
) -> SymbolBlock:
    """A block of an ONNX model, which takes its inputs in the order of `names`, or in the model's."""
    model = onnx_file.read(source, _by_name(names, input_shapes))
    used = set(model.symbol.list_inputs())
    missing = [name for name in model.inputs if name in used and name not in names]
    if names and (missing or not set(names) <= set(model.inputs)):
        title = "ONNX model" if isinstance(source, bytes) else source
        raise RequirementError(
            f"{title}: the inputs {', '.join(model.inputs)} are required by name, got {', '.join(names)}."
        )
    shapes = {name: shape_attributes(model.shapes[name]) for name in names or model.inputs}
    block = SymbolBlock.__new__(SymbolBlock)
    variables = [var(name, attr=shape) for name, shape in shapes.items()]
    block._begin(model.symbol, variables, None, {name: x.dtype for name, x in model.values.items()})
    block._is_of_file = True
    block._onnx_outputs, block._types = model.outputs, model.types
    params = block.collect_params()
    places: set[int] = set()
    for name, value in model.values.items():
        if name in params:
            adopt = _is_alone(value, places)
            params[name]._load_init(value, ctx, cast_dtype=True, dtype_source="saved", adopt=adopt)
    keep_whole_numbers(params)
    return block


def _by_name(names: Sequence[str], shapes: InputShapes | None) -> InputShapes | None:
    """The shapes by name, if inputs are named in another order than the model's."""
    if not names or shapes is None or isinstance(shapes, Mapping):
        return shapes
    return shapes_in_order("SymbolBlock.imports", names, shapes, RequirementError)


def _is_alone(value: NDArray, places: set[int]) -> bool:
    """Whether an array may become a parameter's: it can be written to, and no other has its memory."""
    array = value._data
    if type(array) is not np.ndarray:  # on a device each parameter has memory of its own
        return True
    place = array.__array_interface__["data"][0]
    alone = array.flags.writeable and array.flags.c_contiguous and place not in places
    places.add(place)
    return bool(alone)
