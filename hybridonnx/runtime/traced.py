"""Kernels on arrays of a device: what they compute with NumPy's functions is traced, and runs as a session.

The steps of optimizers are kernels that write weights and states in place. Called on values of a `Trace`,
they record what they compute; then one session computes it for all weights at once. Numbers are its inputs,
so that the rates of every step use the same session.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from .._locks import new_lock, no_fork
from ..dtypes import DType
from ..errors import MXNetError
from ..ops import Array, Spec
from ..symbol.compose import Outputs
from ..symbol.gradient import F
from ..symbol.graph import VARIABLE, Entry, Node, topological
from ..symbol.symbol import Broadcasting
from .device import Device, DeviceArray
from .device_session import StepOnDevice

logger = logging.getLogger("hybridonnx")

_MOST = 64
"""How many sessions are kept."""
_OPERATORS = {
    "add": "_npi_add",
    "subtract": "_npi_subtract",
    "multiply": "_npi_multiply",
    "divide": "_npi_true_divide",
    "maximum": "_npi_maximum",
    "minimum": "_npi_minimum",
    "greater": "_npi_greater",
    "less": "_npi_less",
    "not_equal": "_npi_not_equal",
    "sqrt": "_npi_sqrt",
    "absolute": "_npi_absolute",
    "negative": "_npi_negative",
    "square": "_npi_square",
}
"""By NumPy's functions the operators that are these."""
_TESTS = {"greater", "less", "not_equal"}
_INPUT = "input"
_BOOL = np.dtype(bool)

_Value: TypeAlias = tuple[Any, ...]
"""What a value is: its operator's name, its operands' numbers, its attributes; or an input."""


class Untraceable(MXNetError):  # noqa: N818  (a reason, not a fault)
    """Something that a kernel does which no graph does."""


class Trace:
    """What kernels compute from arrays of one device."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._values: list[_Value] = []
        self._specs: list[tuple[tuple[int, ...], DType]] = []
        self._arrays: list[Any] = []
        """The inputs, in the order of their values."""
        self._inputs: dict[int, Any] = {}
        """The arrays by the numbers of the values that they are."""
        self._numbers: dict[Any, int] = {}
        """The values of numbers."""

    def array(self, array: Any) -> Traced:
        """A value that is an array, of the device or of NumPy."""
        self._arrays.append(array if isinstance(array, DeviceArray) else np.array(array, order="C"))
        value = self._traced(("array", array.shape, array.dtype), array.shape, array.dtype)
        self._inputs[value.number] = array
        return value

    def number(self, value: Any, dtype: DType) -> int:
        """The number of a value that is a number; equal ones are one."""
        scalar = np.asarray(value, dtype)
        key = scalar.tobytes(), dtype
        known = self._numbers.get(key)
        if known is None:
            self._arrays.append(scalar)
            known = self._numbers[key] = self._traced(("array", (), dtype), (), dtype).number
        return known

    def add(
        self, name: str, operands: Sequence[int], shape: tuple[int, ...], dtype: DType, attrs: Any = ()
    ) -> Traced:
        """A value that an operator computes."""
        return self._traced((name, *operands, *dict(attrs).items()), shape, dtype)

    def _traced(self, value: _Value, shape: tuple[int, ...], dtype: DType) -> Traced:
        self._values.append(value)
        self._specs.append((shape, dtype))
        return Traced(self, len(self._values) - 1, shape, dtype)

    # ---- what it is computed by

    def evaluate(self, results: Sequence[Traced]) -> list[DeviceArray]:
        """The values, computed now."""
        numbers = tuple([x.number for x in results])
        program = self._program(numbers)
        feeds = {name: self._arrays[i] for i, name in program.inputs}
        return list(program.session(feeds))

    def write(self, targets: Sequence[tuple[DeviceArray, Traced]]) -> None:
        """Compute values, and write them into arrays."""
        changes = [(array, x) for array, x in targets if self._inputs.get(x.number) is not array]
        if changes:
            for (array, _), value in zip(changes, self.evaluate([x for _, x in changes]), strict=True):
                array[...] = value

    def _program(self, results: tuple[int, ...]) -> _Program:
        key = self._device, tuple(self._values), results
        with no_fork(), _lock:
            program = _programs.get(key)
            if program is None:
                lowered = self._lowered(results)
                inputs = [(int(name.removeprefix(_INPUT)), name) for name in lowered.inputs]
                program = _programs[key] = _Program(StepOnDevice(self._device, lowered), inputs)
                if len(_programs) > _MOST:
                    _programs.popitem(last=False)
            _programs.move_to_end(key)
        return program

    def _lowered(self, results: Sequence[int]) -> Any:
        from ..converters import to_onnx

        specs: dict[str, Spec] = {}
        symbols: list[Any] = []
        for name, *operands in self._values:
            if name == "array":
                variable = f"{_INPUT}{len(specs)}"
                specs[variable] = Spec(*operands)
                symbols.append(Broadcasting([Entry(Node(VARIABLE, variable), 0)]))
                continue
            inputs = [symbols[i] for i in operands if isinstance(i, int)]
            attributes = dict([pair for pair in operands if not isinstance(pair, int)])
            symbols.append(getattr(F, name)(*inputs, **attributes))
        graph = Outputs([symbols[i].outputs[0] for i in results])
        names = {node.name for node in topological(graph.outputs)}
        return to_onnx.lower(
            graph,
            {name: spec for name, spec in specs.items() if name in names},
            {},
            outputs=[f"output{i}" for i in range(len(results))],
            embed=False,
            keep_inputs=False,
            local=to_onnx.Local(),
        )


class _Program(NamedTuple):
    """A session, and its inputs: their numbers among the arrays, and their names."""

    session: StepOnDevice
    inputs: Sequence[tuple[int, str]]


_programs: OrderedDict[Any, _Program] = OrderedDict()
_lock = new_lock()


class Traced:
    """A value of a trace, to NumPy's functions an array."""

    __slots__ = ("_trace", "dtype", "number", "shape")

    def __init__(self, trace: Trace, number: int, shape: tuple[int, ...], dtype: DType) -> None:
        self._trace, self.number, self.shape, self.dtype = trace, number, shape, dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    def copy(self) -> Traced:
        """The same value, which may change by itself."""
        return Traced(self._trace, self.number, self.shape, self.dtype)

    def astype(self, dtype: Any, copy: bool = True) -> Traced:
        """The value as another dtype."""
        target = np.dtype(dtype)
        if target == self.dtype:
            return self.copy() if copy else self
        return self._trace.add("Cast", [self.number], self.shape, target, {"dtype": target.name})

    def reshape(self, *shape: Any) -> Traced:
        """The value in another shape."""
        sizes = list(shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape)
        if -1 in sizes:
            sizes[sizes.index(-1)] = self.size // -prod(sizes)
        return self._trace.add(
            "_np_reshape", [self.number], tuple(sizes), self.dtype, {"newshape": tuple(sizes)}
        )

    def mean(self, axis: tuple[int, ...], keepdims: bool = False) -> Traced:
        """The mean over some axes."""
        if not keepdims:
            raise Untraceable("a mean that keeps its axes is required.")
        shape = tuple([1 if i in axis else d for i, d in enumerate(self.shape)])
        return self._trace.add(
            "_npi_mean", [self.number], shape, self.dtype, {"axis": tuple(axis), "keepdims": True}
        )

    def __getitem__(self, index: int) -> Any:
        """An element of a vector, which is waited for: kernels decide by such numbers."""
        if self.ndim != 1 or not isinstance(index, int):
            raise Untraceable("an index of a vector is required.")
        return self._on_host()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._on_host())

    def _on_host(self) -> Array:
        values: Array = self._trace.evaluate([self])[0].host()
        return values

    def __len__(self) -> int:
        return self.shape[0]

    def __setitem__(self, key: Any, value: Any) -> None:
        if key is not ... or getattr(value, "shape", None) != self.shape:
            raise Untraceable("all values at once are required.")
        self.number = value.astype(self.dtype, copy=False).number

    def __float__(self) -> float:
        return float(self._on_host())

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise Untraceable("functions of NumPy that a graph has are required.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc.__name__ not in _OPERATORS:
            raise Untraceable(f"a function that a graph has is required, got {ufunc.__name__}.")
        result = self._apply(ufunc.__name__, inputs)
        if out is None:
            return result
        (target,) = out
        target[...] = result
        return target

    def _apply(self, name: str, inputs: Sequence[Any]) -> Traced:
        trace = self._trace
        arrays = [trace.array(x) if isinstance(x, np.ndarray) and x.ndim else x for x in inputs]
        kinds = [x.dtype if isinstance(x, Traced | np.generic | np.ndarray) else x for x in arrays]
        dtype = np.result_type(*kinds)
        if dtype == _BOOL and name not in _TESTS:
            raise Untraceable(f"{name}: numbers are required.")
        numbers = [
            x.astype(dtype, copy=False).number if isinstance(x, Traced) else trace.number(x, dtype)
            for x in arrays
        ]
        shape = np.broadcast_shapes(*[x.shape for x in arrays if isinstance(x, Traced)])
        return trace.add(_OPERATORS[name], numbers, shape, _BOOL if name in _TESTS else dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        known = _FUNCTIONS.get(function)
        if known is None:
            raise Untraceable(f"a function that a graph has is required, got {function.__name__}.")
        return known(*args, **kwargs)


def _clip(x: Traced, lower: Any, upper: Any, out: Any = None) -> Any:
    result = np.minimum(np.maximum(x, lower), upper)
    if out is None:
        return result
    out[...] = result
    return out


def _zeros_like(a: Traced) -> Traced:
    return a._trace.add("zeros_like", [a.number], a.shape, a.dtype)


def _dot(a: Traced, b: Traced) -> Traced:
    return a._trace.add("_np_sum", [(a * b).number], (), a.dtype)  # type: ignore[operator]


def _sum(a: Traced, dtype: Any = None) -> Traced:
    wide = a if dtype is None else a.astype(dtype, copy=False)
    return a._trace.add("_np_sum", [wide.number], (), wide.dtype)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.clip: _clip,
    np.dot: _dot,
    np.sum: _sum,
    np.zeros_like: _zeros_like,
}


def _binary(function: Any, reflected: bool = False) -> Any:
    def method(self: Traced, other: Any) -> Any:
        return function(other, self) if reflected else function(self, other)

    return method


def _in_place(function: Any) -> Any:
    def method(self: Traced, other: Any) -> Traced:
        self[...] = function(self, other)
        return self

    return method


for _name, _function in {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
}.items():
    setattr(Traced, f"__{_name}__", _binary(_function))
    setattr(Traced, f"__r{_name}__", _binary(_function, True))
    setattr(Traced, f"__i{_name}__", _in_place(_function))
for _name, _function in {"gt": np.greater, "lt": np.less, "ne": np.not_equal}.items():
    setattr(Traced, f"__{_name}__", _binary(_function))
setattr(Traced, "__neg__", lambda self: np.negative(self))  # noqa: B010  (as the others)
setattr(Traced, "__abs__", lambda self: np.absolute(self))  # noqa: B010


class TracedKernel:
    """An operator of which a session computes what its kernel does, on arrays of a device."""

    def __init__(self, device: Device, op: Any) -> None:
        self._device, self._op = device, op

    def __call__(self, arrays: Sequence[Array], noise: Any = None) -> list[Any] | None:
        """The outputs; `None` if the kernel does something that no graph does."""
        trace = Trace(self._device)
        try:
            results = self._op.forward(*[trace.array(a) for a in arrays])
        except Untraceable as exc:
            logger.debug("%s: %s", self._op.names[0], exc)
            return None
        return trace.evaluate(results if isinstance(results, tuple | list) else [results])


__all__ = ["Trace", "Traced", "TracedKernel", "Untraceable"]
