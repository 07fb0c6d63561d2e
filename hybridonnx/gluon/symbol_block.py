"""A graph as a block: loaded from files, or cut out of another graph."""

from __future__ import annotations

from typing import Any

from ..errors import DeferredInitializationError, MXNetError, suggest
from ..ndarray.ndarray import NDArray
from ..runtime.convert import import_onnx
from ..symbol.execute import execute
from ..symbol.symbol import Group, Symbol, load, var
from ._nested import flatten
from .hybrid_block import HybridBlock, input_name
from .parameter import ParameterDict


class SymbolBlock(HybridBlock):
    """A block that computes symbols, `outputs`, from variables of theirs, `inputs`; others are parameters."""

    @staticmethod
    def imports(
        symbol_file: str,
        input_names: Any,
        param_file: str | None = None,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> SymbolBlock:
        """A block from `-symbol.json` and `.params` files as `export` writes them, or from an .onnx file."""
        names = [input_names] if isinstance(input_names, str) else list(input_names)
        if str(symbol_file).endswith(".onnx"):
            return _from_onnx(symbol_file, names, ctx)
        graph = load(symbol_file)
        inputs = [var(name, dtype=None) for name in names]
        block = SymbolBlock(graph, inputs)
        if param_file is not None:
            block.collect_params().load(
                param_file, ctx, allow_missing, ignore_extra, cast_dtype=True, dtype_source="saved"
            )
        return block

    def __init__(self, outputs: Any, inputs: Any, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=None, params=params)
        self._prefix = ""
        self._params = ParameterDict("", params)
        variables, self._in_format = flatten(
            list(inputs) if isinstance(inputs, list | tuple) else [inputs], "input"
        )
        flat, self._out_format = flatten(_single(outputs), "output")
        graph = flat[0] if len(flat) == 1 else Group(flat)
        names = _input_names(variables, graph)
        if isinstance(self._out_format, int) and len(graph.list_outputs()) > 1:
            self._out_format = [0] * len(graph.list_outputs())
        self._make_parameters(graph, names)
        self._graph = variables, graph

    def _make_parameters(self, graph: Symbol, inputs: list[str]) -> None:
        attributes = graph.attr_dict()
        dtypes = _dtypes(graph)
        states = set(graph.list_auxiliary_states())
        for name in (*graph.list_arguments(), *graph.list_auxiliary_states()):
            if name in inputs or name in self._params:
                continue
            told = attributes.get(name, {})
            kwargs: dict[str, Any] = {
                "allow_deferred_init": True,
                "grad_req": "null" if name in states else "write",
            }
            if dtypes.get(name) is not None:
                kwargs["dtype"] = dtypes[name]
            for key in ("lr_mult", "wd_mult"):
                if f"__{key}__" in told:
                    kwargs[key] = float(told[f"__{key}__"])
            self._reg_params[name] = self._params.get(name, **kwargs)

    def __repr__(self) -> str:
        variables, graph = self._graph
        return f"{type(self).__name__}(\n{graph!r} : {len(variables)} -> {len(graph.list_outputs())}\n)"

    def _clear_cached_op(self) -> None:
        """Forget what was compiled; the graph itself stays."""
        super()._clear_cached_op()
        self.__dict__["_traced"] = self.__dict__.get("_graph")

    def _get_graph(self, *args: Any) -> tuple[list[Symbol], Symbol]:
        self._traced = self._graph
        return self._graph

    def cast(self, dtype: Any) -> None:
        """Give all parameters another dtype."""
        super().cast(dtype)

    def forward(self, x: Any, *args: Any) -> Any:
        """The outputs for arrays, or for symbols that take the inputs' places."""
        if isinstance(x, NDArray):
            return self._call_compiled(x, *args) if self._active else self._call_on_kernels(x, *args)
        variables, graph = self._graph
        flat, form = flatten([x, *args], "input")
        if form != self._in_format:
            raise ValueError(f"{self.name}: inputs nested as {self._in_format} are required, got {form}.")
        composed: Any = graph(**{input_name(v): s for v, s in zip(variables, flat, strict=True)})
        return composed if self._out_format == 0 else self._regrouped(list(composed))

    def _call_on_kernels(self, *args: Any) -> Any:
        variables, graph = self._graph
        flat, _ = flatten(list(args), "input")
        if len(flat) != len(variables):
            raise ValueError(f"{self.name}: {len(variables)} inputs are required, got {len(flat)}.")
        try:
            values = {name: param.data() for name, param in self._reg_params.items()}
        except DeferredInitializationError:
            self._finish_deferred(*args)
            values = {name: param.data() for name, param in self._reg_params.items()}
        values.update({input_name(v): a for v, a in zip(variables, flat, strict=True)})
        outputs = execute(graph, values)
        return outputs[0] if self._out_format == 0 else self._regrouped(outputs)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Not used: the block has its graph already."""
        raise NotImplementedError("SymbolBlock has its graph; hybrid_forward is not called.")


def _single(outputs: Any) -> Any:
    return outputs[0] if isinstance(outputs, list | tuple) and len(outputs) == 1 else outputs


def _input_names(variables: list[Any], graph: Symbol) -> list[str]:
    known = graph.list_inputs()
    names = []
    for variable in variables:
        if not isinstance(variable, Symbol) or len(variable.list_outputs()) != 1 or variable.get_children():
            raise MXNetError(f"SymbolBlock: inputs that are variables are required, got {variable!r}.")
        names.append(input_name(variable))
    missing = [name for name in names if name not in known]
    if missing:
        raise MXNetError(
            f"SymbolBlock: names of the graph's variables are required as inputs, got {missing[0]}; the "
            f"graph has {', '.join(known[:8])}{', …' if len(known) > 8 else ''}.{suggest(missing[0], known)}"
        )
    return names


def _dtypes(graph: Symbol) -> dict[str, Any]:
    """The dtypes of variables that the graph alone tells."""
    arguments, _, states = graph.infer_type_partial()
    found = dict(zip(graph.list_arguments(), arguments, strict=True))
    found.update(zip(graph.list_auxiliary_states(), states, strict=True))
    return found


def _from_onnx(path: str, names: list[str], ctx: Any) -> SymbolBlock:
    graph, arguments, states = import_onnx(path)
    inputs = [name for name in graph.list_inputs() if name not in arguments and name not in states]
    if names and sorted(names) != sorted(inputs):
        raise MXNetError(
            f"{path}: the inputs {', '.join(inputs)} are required by name, got {', '.join(names)}."
        )
    return block_from(graph, names or inputs, {**arguments, **states}, ctx)


def block_from(graph: Symbol, inputs: list[str], values: dict[str, NDArray], ctx: Any = None) -> SymbolBlock:
    """A block over a graph with the values of its parameters."""
    block = SymbolBlock(graph, [var(name) for name in inputs])
    params = block.collect_params()
    for name, value in values.items():
        if name in params:
            params[name]._load_init(value, ctx, cast_dtype=True, dtype_source="saved")
    return block
