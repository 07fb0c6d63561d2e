"""The class `Symbol`: some outputs of a graph, with everything that can be asked of it and done with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn, Self

from .._lazy import lazy_package
from ..attrs import ShapeLike
from ..autograd.tape import GradReq
from ..dtypes import DTypeLike
from ..errors import MXNetError, suggest
from ..formats.files import open_to_read, write_atomically
from ..pages.markup import shown, tag
from ..pages.notebook import table
from . import _inferred, graph
from ._arithmetic import Arithmetic
from ._debug import debug_str
from ._file import from_json, to_json
from ._methods import Methods
from ._variables import variable_attributes
from .compose import Outputs, settable, single, visible_attributes
from .gradient import gradient_symbol
from .graph import Entry, Node

if TYPE_CHECKING:
    from ..context import Context
    from ..ndarray.ndarray import NDArray
    from .executor import Executor

__all__ = ["Group", "Symbol", "Variable", "load", "load_json", "var"]


class Symbol(Arithmetic, Methods, Outputs):
    """Some outputs of a graph of operators on variables.

    Arithmetic on symbols takes operands of one shape, as in MXNet; `broadcast_add` and the like broadcast.
    """

    __slots__ = ("__weakref__", "_nodes")
    __hash__ = None  # type: ignore[assignment]  # == makes a symbol

    def __init__(self, outputs: Sequence[Entry]) -> None:
        super().__init__(outputs or ())  # a pickle that MXNet wrote gives None, and the state later
        self._nodes: list[Node] | None = None

    def nodes(self) -> list[Node]:
        """Every node below, variables included, each after its inputs."""
        if self._nodes is None:
            self._nodes = graph.topological(self.outputs)
        return self._nodes

    # ---- what it is

    @property
    def name(self) -> str | None:
        """The name of the node that the outputs come from, `None` if there are several."""
        first = self.outputs[0].node
        return first.name if all(entry.node is first for entry in self.outputs) else None

    def __repr__(self) -> str:
        if self.name is not None:
            return f"<{type(self).__name__} {self.name}>"
        return f"<{type(self).__name__} group [{', '.join(entry.node.name for entry in self.outputs)}]>"

    def _repr_html_(self) -> str:
        nodes = [node for node in self.nodes() if not node.is_variable]
        rows = [(n.name, n.op_name, ", ".join(e.node.name for e in n.inputs)) for n in nodes]
        inputs = self.list_inputs()
        counts = f"operators: {len(nodes):,}, inputs: {len(inputs):,}"
        title = tag("summary", tag("b", shown(repr(self), 120)), f" {counts}")
        return tag("details", title, table(("node", "operator", "inputs"), rows))

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def num_outputs(self) -> int:
        """The number of outputs."""
        return len(self.outputs)

    def __iter__(self) -> Iterator[Self]:
        return (type(self)([entry]) for entry in self.outputs)

    def __getitem__(self, key: int | str | slice) -> Self:
        """An output by its number or name, or several by a slice."""
        if isinstance(key, slice):
            return self._select(self.outputs[key], key)
        if isinstance(key, str):
            return self._select([self.outputs[self._position(key)]], key)
        try:
            number = index(key)
        except TypeError:
            raise TypeError(
                f"Symbol[…]: a number, a name or a slice is required, got {type(key).__name__}."
            ) from None
        if not -len(self) <= number < len(self):
            raise IndexError(f"Symbol[…]: there are {len(self)} outputs, got {number}.")
        return type(self)([self.outputs[number]])

    def _select(self, outputs: Sequence[Entry], key: object) -> Self:
        if not outputs:
            raise IndexError(f"Symbol[…]: none of {len(self)} outputs is in {key}.")
        return type(self)(outputs)

    def _position(self, name: str) -> int:
        names = self.list_outputs()
        if names.count(name) == 1:
            return names.index(name)
        if name in names:
            raise ValueError(f"Symbol[…]: {names.count(name)} outputs are named {name!r}; use a number.")
        raise ValueError(f"Symbol[…]: no output is named {name!r}.{suggest(name, names)}")

    def list_outputs(self) -> list[str]:
        """The outputs' names."""
        names = {node: _output_names(node) for node in dict.fromkeys(entry.node for entry in self.outputs)}
        return [names[entry.node][entry.output] for entry in self.outputs]

    def list_inputs(self) -> list[str]:
        """The names of all variables: arguments and auxiliary states."""
        return [node.name for node in self.nodes() if node.is_variable]

    def list_arguments(self) -> list[str]:
        """The names of the variables that are no auxiliary states: data, labels and parameters."""
        return [node.name for node in self._variables(False)]

    def list_auxiliary_states(self) -> list[str]:
        """The names of the variables that operators change while training."""
        return [node.name for node in self._variables(True)]

    def _variables(self, auxiliary: bool) -> list[Node]:
        changed = graph.changed(self.nodes())
        return [node for node in self.nodes() if node.is_variable and (node in changed) == auxiliary]

    def get_internals(self) -> Self:
        """A symbol with the outputs of every node below."""
        return type(self)([Entry(node, i) for node in self.nodes() for i in range(node.visible())])

    def get_children(self) -> Self | None:
        """A symbol with the inputs of the nodes that the outputs come from, `None` for a variable."""
        nodes = dict.fromkeys(entry.node for entry in self.outputs)
        inputs = [entry for node in nodes for entry in node.inputs]
        return type(self)(inputs) if inputs else None

    # ---- attributes

    def attr(self, key: str) -> str | None:
        """The text of one attribute of the node, `None` if it has no such one."""
        return self.list_attr().get(key) if self.name is not None else None

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """The attributes of the node as text."""
        if recursive:
            raise DeprecationWarning("Symbol.list_attr: recursive=True is not supported. Use attr_dict.")
        return visible_attributes(self._node("list_attr").attrs)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Node name to attributes as text, of all nodes below that have any."""
        return {node.name: visible_attributes(node.attrs) for node in self.nodes() if node.attrs}

    def _set_attr(self, **kwargs: str) -> None:
        node = self._node("_set_attr")
        for key, value in kwargs.items():
            if not isinstance(value, str):
                raise ValueError(f"Symbol._set_attr: text is required, got {value!r} as {key}.")
            node.set_attribute(settable(node, key), value)

    def _node(self, method: str) -> Node:
        if self.name is None:
            raise MXNetError(f"Symbol.{method}: outputs of one node are required, got {self!r}.")
        return self.outputs[0].node

    # ---- composition

    def __call__(self, *args: Symbol, **kwargs: Any) -> Self:
        """A copy of the graph in which symbols take the place of variables, given by name or in order."""
        name = kwargs.pop("name", None)
        if args and kwargs:
            raise TypeError("Symbol(…): symbols are given either by position or by name, not both.")
        symbols = dict(zip(self.list_arguments(), args, strict=False)) if args else kwargs
        if len(args) > len(symbols):
            raise TypeError(f"Symbol(…): {len(symbols)} arguments at most are possible, got {len(args)}.")
        for key, value in symbols.items():
            if not isinstance(value, Outputs):
                raise TypeError(f"Symbol(…): a symbol is required as {key}, got {type(value).__name__}.")
        return self._replaced(
            {key: single(f"Symbol(…): {key}", value) for key, value in symbols.items()}, name
        )

    def _replaced(self, entries: Mapping[str, Entry], name: str | None) -> Self:
        names = self.list_inputs()
        for key in entries:
            if key not in names:
                raise MXNetError(
                    f"Symbol(…): one of the variables {', '.join(names)} is required, got {key!r}."
                    f"{suggest(key, names)}"
                )
        replaced = {n: entries[n.name] for n in self.nodes() if n.is_variable and n.name in entries}
        copies = graph.copied(self.nodes(), replaced)
        outputs = [graph.moved(entry, copies, replaced) for entry in self.outputs]
        if name is not None and self.name is not None and self.outputs[0].node in copies:
            outputs[0].node.name = name
        return type(self)(outputs)

    def __copy__(self) -> Self:
        return self._replaced({}, None)

    def __deepcopy__(self, memo: object) -> Self:
        return self._replaced({}, None)

    def __getstate__(self) -> dict[str, str]:
        """What other processes receive: the text of the graph."""
        return {"handle": self.tojson(remove_amp_cast=False)}

    def __setstate__(self, state: Mapping[str, str]) -> None:
        self.outputs = tuple(from_json(state["handle"]))
        self._nodes = None

    # ---- shapes and dtypes

    def infer_shape(self, *args: Sequence[int] | None, **kwargs: Sequence[int] | None) -> Any:
        """The shapes of arguments, outputs and auxiliary states from those of some arguments.

        Three lists of shapes, or three times `None` if some shape cannot be inferred.
        """
        return _inferred.infer_shape(self, args, kwargs)

    def infer_shape_partial(self, *args: Sequence[int] | None, **kwargs: Sequence[int] | None) -> Any:
        """Like `infer_shape`, with 0 for sizes and `()` for shapes that cannot be inferred."""
        return _inferred.infer_shape_partial(self, args, kwargs)

    def infer_type(self, *args: DTypeLike | None, **kwargs: DTypeLike | None) -> Any:
        """The dtypes of arguments, outputs and auxiliary states from those of some arguments.

        Three lists of NumPy types, or three times `None` if some dtype cannot be inferred.
        """
        return _inferred.infer_type(self, args, kwargs)

    def infer_type_partial(self, *args: DTypeLike | None, **kwargs: DTypeLike | None) -> Any:
        """Like `infer_type`, with `None` for dtypes that cannot be inferred."""
        return _inferred.infer_type_partial(self, args, kwargs)

    # ---- files

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """The text of a `-symbol.json` file, as MXNet writes it: without casts for mixed precision."""
        return to_json(self, remove_amp_cast)

    def save(self, fname: str | os.PathLike[str], remove_amp_cast: bool = True) -> None:
        """Write a `-symbol.json` file."""
        write_atomically(fname, [self.tojson(remove_amp_cast).encode()])

    def debug_str(self) -> str:
        """The graph as text for people."""
        return debug_str(self)

    # ---- execution

    def eval(self, ctx: Context | None = None, **kwargs: NDArray) -> list[NDArray]:
        """The outputs' values, from an array for each variable."""
        outputs: list[NDArray] = self.bind(ctx, kwargs, grad_req="null").forward()
        return outputs

    def bind(
        self,
        ctx: Context | None,
        args: Mapping[str, NDArray] | Sequence[NDArray],
        args_grad: Mapping[str, NDArray] | Sequence[NDArray] | None = None,
        grad_req: GradReq = "write",
        aux_states: Mapping[str, NDArray] | Sequence[NDArray] | None = None,
        group2ctx: Mapping[str, Context] | None = None,
        shared_exec: object = None,
    ) -> Executor:
        """An executor on the given arrays, which it shares.

        `group2ctx` has a context for each word that nodes have as their `ctx_group`.
        """
        from .executor import bind

        return bind(self, ctx, args, args_grad, grad_req, aux_states, groups=group2ctx)

    def optimize_for(
        self, backend: str, args: Any = None, aux: Any = None, ctx: Context | None = None, **kwargs: object
    ) -> Symbol:
        """The symbol itself, as in MXNet for a backend without a pass over graphs: none has one here."""
        return self

    def get_backend_symbol(self, backend: str) -> Symbol:
        """Refused, as in MXNet for a backend that it does not know: there is none here."""
        raise MXNetError(
            f"get_backend_symbol: there is no backend {backend!r}, as ONNX Runtime optimizes graphs. "
            "Use hybridize(), or export the model."
        )

    def simple_bind(
        self,
        ctx: Context | None,
        grad_req: GradReq = "write",
        type_dict: Mapping[str, DTypeLike] | None = None,
        stype_dict: Mapping[str, str] | None = None,
        group2ctx: Mapping[str, Context] | None = None,
        shared_arg_names: object = None,
        shared_exec: object = None,
        shared_buffer: object = None,
        **kwargs: Sequence[int],
    ) -> Executor:
        """An executor on new arrays of zeros, whose shapes follow from the given ones.

        `group2ctx` has a context for each word that nodes have as their `ctx_group`, `stype_dict` a storage
        type for each variable that is to have another than its own.
        """
        from .executor import simple_bind

        return simple_bind(self, ctx, grad_req, type_dict, kwargs, group2ctx, stype_dict)

    def gradient(self, wrt: Sequence[str]) -> Self:
        """The gradients of the sum of all outputs with respect to the variables named by `wrt`."""
        return type(self)(gradient_symbol(self, wrt).outputs)

    # ---- what only arrays have

    def __getattr__(self, name: str) -> NoReturn:
        message = f"'{type(self).__name__}' object has no attribute '{name}'"
        if name in _ARRAYS_ONLY:
            message += (
                ". A symbol has no values yet: inside hybrid_forward use operators that take the size from "
                "another input, such as reshape with 0 and -1, *_like and slice_like; elsewhere infer_shape "
                "and infer_type"
            )
        raise AttributeError(message, name=name, obj=self)

    def as_nd_ndarray(self) -> Self:
        """The symbol itself."""
        return self

    def as_np_ndarray(self) -> Any:
        """The same outputs as a symbol of mx.np."""
        return import_module(f"{__package__}.np_symbol").as_np(self)


def _output_names(node: Node) -> list[str]:
    """The names of all outputs of a node, hidden ones included."""
    names = node.output_names()
    if node.is_known and not node.is_variable:
        names += [f"{node.name}_{output}" for output in node.op.output_names()[len(names) :]]
    return names


class Broadcasting(Symbol):
    """A symbol whose arithmetic broadcasts, as that of arrays does; what is made of one is one too."""

    __slots__ = ()
    _broadcasts = True


Outputs.broadcasting = Broadcasting


_ARRAYS_ONLY = frozenset("shape dtype size ndim context ctx stype grad T attach_grad copyto tostype".split())


# ---- making symbols


def var(
    name: str,
    attr: Mapping[str, str] | None = None,
    shape: ShapeLike | None = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: DTypeLike | None = None,
    init: object = None,
    stype: str | None = None,
    profiler_scope: object = None,
    **kwargs: object,
) -> Symbol:
    """A variable. Its shape, dtype and initializer may be set here; attributes of your own are `__so__`."""
    if not isinstance(name, str):
        raise TypeError(f"var: a string is required as the name, got {name!r}.")
    options = {
        "shape": shape,
        "lr_mult": lr_mult,
        "wd_mult": wd_mult,
        "dtype": dtype,
        "init": init,
        "stype": stype,
    }
    return Symbol([Entry(Node(graph.VARIABLE, name, variable_attributes(attr, options, kwargs)), 0)])


Variable = var


def Group(symbols: Sequence[Symbol], create_fn: Any = None) -> Symbol:
    """One symbol with the outputs of all `symbols`, of their class unless `create_fn` is another."""
    listed = list(symbols)
    if not listed or not all(isinstance(symbol, Symbol) for symbol in listed):
        raise TypeError("Group: a list of symbols is required, at least one.")
    kind = next((type(s) for s in listed if type(s) is not Symbol), Symbol)
    group: Symbol = (create_fn or kind)([entry for symbol in listed for entry in symbol.outputs])
    return group


def load_json(json_str: str | bytes) -> Symbol:
    """The symbol whose `-symbol.json` text this is. Raises `FormatError` for anything else."""
    return Symbol(from_json(json_str))


def load(fname: str | os.PathLike[str]) -> Symbol:
    """The symbol of a `-symbol.json` file."""
    with open_to_read(fname) as file:
        text = file.read()
    try:
        return load_json(text)
    except MXNetError as exc:
        exc.add_note(f"In file {os.fspath(fname)}.")
        raise


if not TYPE_CHECKING:
    _ELSEWHERE = """
arange eye full histogram hypot linspace maximum minimum ones pow power split_v2 zeros
""".split()
    """What MXNet's module has as well; the package knows where it is."""
    __getattr__, _ = lazy_package(__name__, single=dict.fromkeys(_ELSEWHERE, ".."))
