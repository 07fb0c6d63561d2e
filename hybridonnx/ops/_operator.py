"""The base of operators: what each must say of itself, how it is made from attributes, and inference."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields, replace
from functools import cache, lru_cache
from inspect import get_annotations
from math import prod
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from .._locks import new_lock, no_fork
from ..attrs import read
from ..dtypes import BY_NAME, DType, is_bfloat16, is_native, name_of
from ..errors import AttributeValueError, DTypeError, MXNetError, ShapeError, suggest
from ._shapes import Shape, is_symbolic, show, sizes, unify, without_symbols
from ._storage import Rule
from ._symbolic import SymbolicDim

Array: TypeAlias = NDArray[Any]
"""What kernels take and give: a NumPy array of any dtype."""

Noise: TypeAlias = Array | list[Array]
"""What is drawn for one execution: several arrays if a loop's body draws."""


class Spec(NamedTuple):
    """What is known of an array before it exists."""

    shape: Shape | None = None
    dtype: DType | None = None

    def bytes(self, sizes: Mapping[str, int], free: int = 1) -> int:
        """How many bytes the array has, with these free sizes by name, others `free`. No dtype is float32."""

        def size_of(dim: Any) -> int:
            if isinstance(dim, SymbolicDim):
                return dim.value(sizes) if dim.names() <= sizes.keys() else free
            return free if dim is None else int(dim)

        return (4 if self.dtype is None else self.dtype.itemsize) * prod(map(size_of, self.shape or ()))


class Attribute(NamedTuple):
    """One entry of an operator's schema."""

    kind: Any
    default: Any
    required: bool


_Class = TypeVar("_Class", bound=type)

_incomplete: set[type] = set()
"""Operators that are no dataclasses yet. To make all of them takes a third of a second, and few are used."""
_completing = new_lock()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: _Class) -> _Class:
    """Have a class become a dataclass when its fields are asked for, or there is an object of it."""
    _incomplete.add(cls)
    return cls


def complete(cls: type[Operator]) -> None:
    """Make dataclasses of a class and its bases that are to become some."""
    with no_fork(), _completing:
        for base in reversed(cls.__mro__):
            if base in _incomplete:
                dataclass(kw_only=True, eq=False, repr=False)(base)  # `Operator` has what it leaves out
                _incomplete.remove(base)
        cls._values = attrgetter(*[f.name for f in fields(cls)])
        cls._is_complete = True


@record
class Operator:
    """An operator with its attributes. The fields of a subclass are its attributes, in MXNet's order.

    An operator is immutable and interned, so it may be a key and may cache what follows from it.
    """

    names: ClassVar[tuple[str, ...]] = ()
    """The name that files use, then the aliases."""
    inputs: ClassVar[tuple[str, ...]] = ("data",)
    """Every input that the operator can have, optional ones last; `input_names` says which it does have."""
    aux: ClassVar[tuple[str, ...]] = ()
    """Those inputs that are auxiliary states: never given a gradient, changed by `updated` when training."""
    always_updates: ClassVar[bool] = False
    """Whether the auxiliary states change in every execution, not in training alone."""
    variadic: ClassVar[str] = ""
    """The attribute that counts the inputs, if their number is free; they are named arg0, arg1, …"""
    graphs: ClassVar[tuple[str, ...]] = ()
    """The graphs that the operator runs, which `variadic` counts with the inputs."""
    inputs_each: ClassVar[int] = 1
    """How many inputs `variadic` counts as one."""
    inputs_after: ClassVar[int] = 0
    """How many inputs follow those that `variadic` counts."""
    stored_rows: ClassVar[str] = ""
    """The input of whose rows those that it stores may be all that is computed; see `of_stored_rows`."""
    requires_out: ClassVar[bool] = False
    """Whether a call without `out` makes no sense."""
    output_count: ClassVar[str] = ""
    """The attribute that counts the outputs, if one does."""
    skips: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """For attributes that leave out inputs which others follow: those inputs, which positions then skip."""
    outputs: ClassVar[tuple[str, ...]] = ("output",)
    """The outputs' names."""
    hidden: ClassVar[int] = 0
    """How many of the last outputs serve the gradient alone and are not shown."""
    elementwise: ClassVar[bool] = False
    """All inputs and outputs have one shape, so that any of them tells the others."""
    keeps_shape: ClassVar[bool] = False
    """The first input and the outputs have one shape, whatever the other inputs have."""
    broadcasts: ClassVar[bool] = False
    """Inputs are broadcast against each other; the reverse sweep sums their gradients back."""
    cheap: ClassVar[bool] = False
    """Whether it costs less to compute again than to keep, as elementwise and broadcasting operators do."""
    mode_dependent: ClassVar[bool] = False
    """Whether training changes what the operator computes; then `training` tells."""
    passes_over: ClassVar[bool] = False
    """Whether unknown attributes are no error, as they are not for operators without any."""
    traced: ClassVar[bool] = False
    """Whether its kernel computes on values of a trace too, which is how it runs on a device."""
    stateful: ClassVar[bool] = False
    """Whether `forward` keeps something for `gradient`; then each execution has an object, see `started`."""
    noise: ClassVar[str] = ""
    """For operators that draw: "uniform" in [0, 1), "normal", or "other" (see `draw`); "steps" of a loop."""
    not_differentiable: ClassVar[str] = ""
    """Why the operator has no gradient, as half a sentence; its inputs then receive none."""
    takes_no_head: ClassVar[bool] = False
    """Whether `gradient` takes `None` in `dy` for an output that nothing is computed from; else zeros."""
    ignores_head: ClassVar[bool] = False
    """Whether a backward pass begins at the operator: the gradient of its output does not count."""
    index_inputs: ClassVar[tuple[str, ...]] = ()
    """Inputs for which asking for a gradient is an error; those of computed ones have none."""
    refuses_gradient: ClassVar[bool] = False
    """Whether `not_differentiable` is no reason for a gradient of zero: asking for one is an error."""
    not_in_onnx: ClassVar[str] = ""
    """Why ONNX cannot express the operator, as half a sentence."""
    takes_bool: ClassVar[bool] = True
    """Whether inputs may be bool; arithmetic does not take them."""
    takes_ints: ClassVar[bool] = True
    """Whether inputs may be integers; most functions of analysis do not take them, nor bool."""
    takes_extensions: ClassVar[bool] = False
    """Whether inputs may be of types that MXNet lacks, such as int16 and strings; see `dtypes.EXTENSIONS`."""
    widens_bfloat16: ClassVar[bool] = True
    """Whether bfloat16 is computed in float32 and rounded once; else the facets are of that too."""
    labels: ClassVar[tuple[str, ...]] = ()
    """Inputs that only training uses; exported models leave them out."""
    under_np_shape: ClassVar[str] = ""
    """The operator that its name stands for under NumPy's shape semantics, if another."""
    hint: ClassVar[str] = ""
    """What to do when the shapes do not fit, as a sentence."""
    mixes_precision: ClassVar[bool] = False
    """Inserted for mixed precision alone, so that files leave the operator out."""
    hints: ClassVar[tuple[str, ...]] = ()
    """Internal truth values that files keep in attributes like `__subgradient__`, which MXNet passes over."""
    initializers: ClassVar[Mapping[str, str]] = {}
    """Input name to the text of the initializer that a variable made for this input receives."""
    stores: ClassVar[Rule | None] = None
    """What of the first output is stored if inputs are of sparse storage types; dense without a rule."""
    stores_anew: ClassVar[bool] = False
    """Whether the rule may give a sparse output of dense inputs."""
    saves: ClassVar[float] = 0.0
    """Nanoseconds that ONNX Runtime saves for each step of `work`; 0 where the kernel is as fast."""
    specializes: ClassVar[bool] = False
    """Whether ONNX Runtime is faster where it knows all sizes, as it then works on blocks of channels."""
    gradient_saves: ClassVar[float] = 0.0
    """The same of all that `gradient` computes; 0 where its operators are as fast one by one."""
    packs: ClassVar[tuple[str, ...]] = ()
    """The inputs that ONNX Runtime prepares once if they stay as they are, weights: it is faster then."""
    location: ClassVar[tuple[str, int]] = ("", 0)
    """File and line of the definition."""
    _is_complete: ClassVar[bool] = False
    """Of a class itself, not what it inherits: whether it and its bases are dataclasses."""
    _values: ClassVar[attrgetter[tuple[Any, ...]]]
    """All fields of an operator, if that is so."""

    training: bool = field(default=False, metadata={"internal": True})
    subgraphs: tuple[Any, ...] = field(default=(), metadata={"internal": True})
    """What stands for each of `graphs`: a `Subgraph`."""

    def __new__(cls, **_: Any) -> Self:
        if "_is_complete" not in vars(cls):
            complete(cls)
        return super().__new__(cls)

    # what dataclasses have, but once: they would make functions of text for each class, which takes a while

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self) or name not in type(self).__dataclass_fields__:
            raise FrozenInstanceError(f"{type(self).__name__}: {name} cannot be assigned to.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"{type(self).__name__}: {name} cannot be deleted.")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return self._values(self) == self._values(other)

    def __hash__(self) -> int:
        return hash(self._values(self))

    def __repr__(self) -> str:
        values = zip(fields(self), self._values(self), strict=True)
        return f"{type(self).__qualname__}({', '.join(f'{f.name}={value!r}' for f, value in values)})"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "forward" in vars(cls) and "kernel_for" not in vars(cls):
            cls.kernel_for = Operator.kernel_for  # type: ignore[method-assign]  # what it inherits is another's

    # ---- what a subclass may say

    def input_names(self) -> tuple[str, ...]:
        """The names of the inputs that these attributes ask for."""
        if self.variadic:
            return tuple(f"arg{i}" for i in range(getattr(self, self.variadic) - len(self.graphs)))
        return self.inputs

    def aux_names(self) -> tuple[str, ...]:
        """Those of `input_names` that are auxiliary states."""
        return self.aux

    @classmethod
    def counted_inputs(cls, count: int) -> int:
        """How many inputs there are if `variadic` is `count`."""
        return count * cls.inputs_each + cls.inputs_after - len(cls.graphs)

    @classmethod
    def count_of(cls, inputs: int) -> int:
        """What `variadic` is for so many inputs."""
        return (inputs - cls.inputs_after + len(cls.graphs)) // cls.inputs_each

    def output_names(self) -> tuple[str, ...]:
        """The names of all outputs, hidden ones included."""
        return self.outputs

    def visible(self) -> int:
        """How many of the outputs a user sees."""
        return len(self.output_names()) - self.hidden

    def counted(self) -> int:
        """How many outputs symbol.json counts: MXNet's workspaces are among them, which no one sees."""
        return len(self.output_names())

    def check(self) -> None:
        """Raise `AttributeValueError` for attribute values that do not go together."""

    def check_shape(self, shape: Shape) -> None:
        """Raise `ShapeError` if the operator, an elementwise one, does not take this shape."""

    def infer_inputs(self, *shapes: Any, **_: Any) -> Sequence[Shape | None]:
        """What the known input shapes tell of unknown ones, such as a weight's from the data's."""
        return shapes

    def infer_shape(self, *shapes: Any, **_: Any) -> Shape | list[Shape]:
        """The outputs' shapes: one, or a list of several. Ranks of the inputs are known, sizes may not be.

        A size is an integer, a `SymbolicDim`, which says what may be asked of it, or `None`.
        """
        first: Shape = shapes[0]
        return first

    def kernel_for(self, *inputs: Spec) -> Callable[..., Any]:
        """`forward`, or what gives the same for inputs of these known shapes and dtypes with less to ask.

        A class with a `forward` of its own does not inherit another's.
        """
        kernel: Callable[..., Any] = self.forward
        return kernel

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        """About how many steps `forward` takes: the elements of the largest array, unless overridden."""
        return max(prod(shape) for shape in (*inputs, *outputs))

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """What the known output shapes tell of the inputs'."""
        return (outputs[0], *inputs[1:]) if self.keeps_shape else inputs

    def infer_early(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        """What is known of the outputs' shapes while those of some inputs are not."""
        return [None] * len(self.output_names())

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        """What the known input dtypes tell of unknown ones. Unless overridden, all are one."""
        dtype = self.one_dtype(self.input_names(), dtypes)
        if dtype and dtype.kind == "b" and not self.takes_bool:
            raise DTypeError(f"{self.names[0]}: numbers are required, got bool. Cast with astype.")
        if dtype and dtype.kind != "f" and not self.takes_ints:
            raise DTypeError(
                f"{self.names[0]}: floating-point numbers are required, got {dtype}. "
                "Cast with astype('float32')."
            )
        return [dtype] * len(dtypes)

    def one_dtype(self, names: Sequence[str], dtypes: Sequence[DType | None]) -> DType | None:
        """The dtype of inputs that have one; `DTypeError` if they have two, `None` if none is known."""
        known = [d for d in dtypes if d is not None]
        if any(d != known[0] for d in known):
            listing = ", ".join(f"{n} {d}" for n, d in zip(names, dtypes, strict=False))
            raise DTypeError(
                f"{self.names[0]}: inputs of one dtype are required, got {listing}. Cast with astype."
            )
        return known[0] if known else None

    def infer_dtype(self, *dtypes: Any, **_: Any) -> DType | list[DType | None] | None:
        """The outputs' dtypes: one for all of them, or a list. Unless overridden, the first input's."""
        return dtypes[0] if dtypes else None

    def draw(self, rng: np.random.Generator, *inputs: Spec) -> Array:
        """The noise for one execution; `forward` receives it after the inputs."""
        out = self.infer(inputs)[1][0]
        if not isinstance(out.shape, tuple):
            raise ShapeError(f"{self.names[0]}: shapes are required to draw from, got {show(out.shape)}.")
        size = sizes(out.shape)
        return (
            rng.random(size, np.float32) if self.noise == "uniform" else rng.standard_normal(size, np.float32)
        )

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        """The shape and dtype of what `draw` gives, from what is known of outputs and inputs."""
        return Spec(outputs[0].shape, np.dtype("float32"))

    def selects(self) -> bool:
        """Whether each element of the output is one of the input's, which alone gets its gradient."""
        return False

    def slopes_by_output(self) -> bool:
        """Whether each element's gradient is that of the output times what the output alone tells."""
        return False

    def draws(self) -> bool:
        """Whether this execution takes noise."""
        return bool(self.noise)

    def noise_count(self) -> int:
        """How many arrays the noise is."""
        return 1

    def forward(self, *inputs: Any, **_: Any) -> Array | tuple[Array, ...]:
        """The outputs, new arrays of NumPy. The inputs must not change."""
        raise MXNetError(f"{self.names[0]}: has no kernel. Please report the model that needs it.")

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any, **_: Any) -> Sequence[Any]:
        """The inputs' gradients (`None`: no gradient) from the outputs', `dy`, and the outputs, `y`.

        `F` is `nd` or `sym`. `dy` and `y` are tuples if there are several outputs, hidden ones included.
        """
        raise MXNetError(f"{self.names[0]}: has no gradient rule. Please report the model that needs it.")

    def updated(self, F: Any, y: Any, *inputs: Any, **_: Any) -> Sequence[Any]:
        """The new values of the auxiliary states, in their order, after a training step's forward pass."""
        return ()

    def of_stored_rows(self, stypes: Sequence[str]) -> bool:
        """Whether rows that `stored_rows` does not store stay, by the storage types of the inputs."""
        return False

    def stores_of_dense(self) -> bool:
        """Whether an output of dense inputs may be sparse with these attributes."""
        return self.stores_anew

    def into(self, before: Array, value: Array) -> Array:
        """What an array given as `out` receives, which holds `before`."""
        return value

    def for_out(self, out: Sequence[Spec]) -> Operator:
        """The operator that writes arrays of these specs, which may tell what its attributes leave open."""
        return self

    def stores_gradient(self) -> bool:
        """Whether a gradient stores some rows alone, so that the operator is recorded by itself."""
        return bool(getattr(self, "sparse_grad", False))

    def passes_on(self, inputs: Sequence[Spec]) -> bool:
        """Whether the output is the first input, as it comes, for inputs of these known shapes and dtypes."""
        return False

    def with_inferred_shape(self, outputs: Sequence[Spec]) -> Operator:
        """The operator with sizes that its attributes leave open, and the graph around tells."""
        return self

    def started(self, device: Any) -> Operator:
        """The operator for one execution on a context."""
        return self

    @classmethod
    def knows(cls, attributes: Mapping[str, str]) -> bool:
        """Whether the operator is defined for the attributes of a file; else the node is an unknown one."""
        return True

    @classmethod
    def specialized(
        cls, attributes: Mapping[str, Any], is_input: Callable[[Any], bool] | None = None
    ) -> type[Operator]:
        """The class for a call with these arguments, if it depends on them which inputs there are."""
        return cls

    @classmethod
    def upgraded(cls, attributes: dict[str, str], version: int) -> dict[str, str]:
        """Attribute text of a file that MXNet `version` wrote (904 is 0.9.4), as 1.9.1 would write it."""
        return attributes

    # ---- what the framework asks

    @classmethod
    @cache
    def schema(cls) -> dict[str, Attribute]:
        """Attribute name to type and default, in order."""
        complete(cls)
        return {
            f.name: Attribute(_annotation(cls, f.name), f.default, f.default is MISSING)
            for f in fields(cls)
            if not f.metadata.get("internal")
        }

    @classmethod
    def make(cls, attributes: Mapping[str, Any], lenient: bool = False) -> Self:
        """The operator with these attributes, Python values or text; `lenient` passes over unknown ones."""
        for value in attributes.values():
            kind = type(value)
            if (kind is float and value == 0) or (
                kind is tuple and not _KEY_TYPES.issuperset(map(type, value))
            ):
                return _make(cls, lenient, (*attributes,), *attributes.values())  # type: ignore[no-any-return]
        try:
            op: Self = _interned(cls, lenient, (*attributes,), *attributes.values())
        except TypeError:  # a list or an array among the values, which cannot be a key
            op = _make(cls, lenient, (*attributes,), *attributes.values())
        return op

    def __getstate__(self) -> dict[str, Any]:
        """What copies and other processes receive: not how it ran, which sessions are part of."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_ways")}

    def attributes(self) -> dict[str, Any]:
        """All attribute values by name."""
        return {name: getattr(self, name) for name in self.schema()}

    def with_subgraphs(self, subgraphs: Sequence[Any]) -> Self:
        """The operator that runs these graphs."""
        if len(subgraphs) != len(self.graphs):
            raise MXNetError(
                f"{self.names[0]}: {len(self.graphs)} graphs are required, got {len(subgraphs)}. "
                "Use contrib.foreach, while_loop and cond."
            )
        return replace(self, subgraphs=tuple(subgraphs)) if subgraphs else self

    def with_hints(self, attributes: Mapping[str, str]) -> Self:
        """The operator with those of `hints` that the attributes of its node have."""
        hints: dict[str, Any] = {name: True for name in self.hints if f"__{name}__" in attributes}
        return replace(self, **hints) if hints else self

    def in_mode(self, training: bool) -> Operator:
        """The operator as it is when training, or when not."""
        if not self.mode_dependent or self.training == training:
            return self
        return _in_mode(self, training)

    def infer(
        self, inputs: Sequence[Spec], outputs: Sequence[Spec] = ()
    ) -> tuple[tuple[Spec, ...], tuple[Spec, ...]]:
        """All that can be known of inputs and outputs from what is known of them."""
        try:
            if self.widens_bfloat16 and any(is_bfloat16(spec.dtype) for spec in (*inputs, *outputs)):
                return self._infer_bfloat16(inputs, outputs)
            return self._infer(inputs, outputs)
        except MXNetError:
            raise
        except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as exc:
            shapes = ", ".join(show(spec.shape) for spec in inputs) or "none"
            raise ShapeError(
                f"{self.names[0]}: inputs that fit each other and the attributes are required, got {shapes}."
            ) from exc

    def _infer(
        self, inputs: Sequence[Spec], outputs: Sequence[Spec]
    ) -> tuple[tuple[Spec, ...], tuple[Spec, ...]]:
        """The same where nothing is bfloat16, or the facets are of that too."""
        shapes: list[Shape | None] = [s.shape for s in inputs]
        count = len(self.output_names())
        out_shapes: list[Shape | None] = [s.shape for s in outputs] or [None] * count
        shapes, out_shapes = self._infer_shapes(shapes, out_shapes)
        before = self._known_dtypes(inputs, outputs)
        if not self.takes_extensions:
            self._refuse_extensions(before)
        dtypes = list(self.infer_input_dtypes(*before))
        out = self.infer_dtype(*dtypes)
        out_dtypes = out if isinstance(out, list) else [out] * count
        return tuple(map(Spec, shapes, dtypes)), tuple(map(Spec, out_shapes, out_dtypes))

    def _infer_bfloat16(
        self, inputs: Sequence[Spec], outputs: Sequence[Spec]
    ) -> tuple[tuple[Spec, ...], tuple[Spec, ...]]:
        """The same by what is so for float16."""
        if _float16 in [spec.dtype for spec in inputs]:
            raise DTypeError(
                f"{self.names[0]}: inputs of one dtype are required, got float16 and bfloat16. "
                "Cast with astype."
            )
        bfloat16 = next(spec.dtype for spec in (*inputs, *outputs) if is_bfloat16(spec.dtype))
        try:
            required, results = self._infer(
                [_with_dtype(spec, bfloat16, _float16) for spec in inputs],
                [_with_dtype(spec, bfloat16, _float16) for spec in outputs],
            )
        except DTypeError as exc:
            raise DTypeError(str(exc).replace(" float16", " bfloat16")) from None
        if _float16.name not in (getattr(self, name) for name in self.schema()):  # as that of results
            results = tuple(_with_dtype(spec, _float16, bfloat16) for spec in results)
        return tuple(_with_dtype(spec, _float16, bfloat16) for spec in required), results

    def _refuse_extensions(self, dtypes: Sequence[DType | None]) -> None:
        """Raise `DTypeError` for types that MXNet lacks, although NumPy may compute on them."""
        for index, dtype in enumerate(dtypes):
            if not (dtype is None or is_native(dtype) or is_bfloat16(dtype)):
                remedy = "" if dtype.hasobject else " Cast with astype('float32')."
                raise DTypeError(
                    f"{self.names[0]}: one of MXNet's types, {', '.join(BY_NAME)}, is required for "
                    f"{self.input_names()[index]}, got {name_of(dtype)}.{remedy}"
                )

    def _known_dtypes(self, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> list[DType | None]:
        """The inputs' dtypes. If outputs have the first input's, as is usual, it may be theirs that tells."""
        dtypes = [s.dtype for s in inputs]
        if dtypes and dtypes[0] is None and outputs and self._passes_on(outputs[0].dtype, dtypes[1:]):
            dtypes[0] = outputs[0].dtype
        return dtypes

    def _passes_on(self, dtype: DType | None, others: Sequence[DType | None]) -> bool:
        """Whether the first output has this dtype if the first input has it, and would have another's."""
        if dtype is None or type(self).infer_dtype is Operator.infer_dtype:
            return True
        return self._first_dtype(dtype, others) == dtype and all(
            self._first_dtype(other, others) == other for other in _FLOATS
        )

    def _first_dtype(self, dtype: DType, others: Sequence[DType | None]) -> DType | None:
        """The first output's dtype if this is the first input's; `None` if that does not fit."""
        try:
            result = self.infer_dtype(*self.infer_input_dtypes(dtype, *others))
        except MXNetError:
            return None
        return result[0] if isinstance(result, list) else result

    def _infer_shapes(
        self, shapes: list[Shape | None], outputs: list[Shape | None]
    ) -> tuple[list[Shape | None], list[Shape | None]]:
        try:
            return self._propagated(shapes, outputs)
        except ShapeError:
            if not any(map(is_symbolic, (*shapes, *outputs))):
                raise
        # what depends on the size that an expression has is unknown, and so is the expression then
        owner = self.names[0]
        ints = [without_symbols(shape) for shape in (*shapes, *outputs)]
        n = len(shapes)
        inputs, results = self._propagated([*ints[:n]], [*ints[n:]])
        inputs = [unify(owner, a, b) for a, b in zip(inputs, shapes, strict=True)]
        return inputs, [unify(owner, a, b) for a, b in zip(results, outputs, strict=True)]

    def _propagated(
        self, shapes: list[Shape | None], outputs: list[Shape | None]
    ) -> tuple[list[Shape | None], list[Shape | None]]:
        owner = self.names[0]
        if self.elementwise:
            one = self._one_shape(*shapes, *outputs)
            if one is not None:
                self.check_shape(one)
            return [one] * len(shapes), [one] * len(outputs)
        if any(o is not None for o in outputs):
            back = self.infer_back(outputs, shapes)
            shapes = [unify(owner, a, b) for a, b in zip(shapes, back, strict=True)]
        required = self.infer_inputs(*shapes)
        shapes = [self._fits(i, a, b) for i, (a, b) in enumerate(zip(shapes, required, strict=True))]
        complete = [s for s in shapes if s is not None]
        if len(complete) != len(shapes):
            early = self.infer_early(*shapes)
            return shapes, [unify(owner, a, b) for a, b in zip(early, outputs, strict=True)]
        result = self.infer_shape(*complete)
        results = result if isinstance(result, list) else [result]
        return shapes, [unify(owner, a, b) for a, b in zip(results, outputs, strict=True)]

    def _one_shape(self, *shapes: Shape | None) -> Shape | None:
        try:
            return unify(self.names[0], *shapes)
        except ShapeError as exc:
            raise ShapeError(f"{exc}{self.hint and ' '}{self.hint}") from None

    def _fits(self, index: int, shape: Shape | None, required: Shape | None) -> Shape | None:
        try:
            return unify(self.names[0], required, shape)
        except ShapeError:
            name = self.input_names()[index]
            raise ShapeError(
                f"{self.names[0]}: {name} of shape {show(required)} is required, got {show(shape)}."
            ) from None


def _with_dtype(spec: Spec, before: DType | None, after: DType | None) -> Spec:
    """A spec with another dtype if it has one of the two."""
    return Spec(spec.shape, after) if spec.dtype is not None and spec.dtype == before else spec


def _annotation(cls: type[Operator], name: str) -> Any:
    """The type of one field, without evaluating the class variables' types beside it."""
    owner = next(c for c in cls.__mro__ if name in get_annotations(c))
    written = get_annotations(owner)[name]
    return eval(written, dict(vars(sys.modules[owner.__module__]))) if isinstance(written, str) else written


def _make(cls: type[Operator], lenient: bool, names: tuple[str, ...], *values: Any) -> Any:
    schema, owner = cls.schema(), cls.names[0]
    attributes = {}
    for name, value in zip(names, values, strict=True):
        if name in schema:
            attributes[name] = read(owner, name, schema[name].kind, value)
        elif schema and not lenient and not cls.passes_over:  # those without any take all, as in MXNet
            raise AttributeValueError(
                f"{owner}: has no attribute {name!r}; it has {', '.join(schema) or 'none'}."
                f"{suggest(name, schema)}"
            )
    missing = [name for name, a in schema.items() if a.required and name not in attributes]
    if missing:
        raise AttributeValueError(f"{owner}: attribute {missing[0]} is required, and was not given.")
    op = cls(**attributes)
    op.check()
    return op


_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_float16 = np.dtype(np.float16)

_interned: Callable[..., Any] = lru_cache(maxsize=8192, typed=True)(_make)
_KEY_TYPES = {int, str, type(None)}
"""What tuples may hold that are a key: the cache tells 3 from 3.0, but not inside of tuples."""


@cache
def _in_mode(op: Operator, training: bool) -> Operator:
    return replace(op, training=training)
