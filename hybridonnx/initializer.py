"""Initial values of parameters: `mx.init.Xavier()`, by name, or by the text that files carry."""

from __future__ import annotations

import json
import logging
import math
import re
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from . import registry
from ._locks import no_fork
from .errors import AttributeValueError, MXNetError, ShapeError, suggest
from .ndarray.ndarray import NDArray
from .ops import Array, drawing, generator
from .typing import ArrayLike

InitializerLike: TypeAlias = "Initializer | str | None"
"""An initializer, its name, or none: a parameter's own, or the one that the block is initialized with."""

__all__ = [
    "Bilinear",
    "Constant",
    "FusedRNN",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]

_Class = TypeVar("_Class", bound="type[Initializer]")

_registered: dict[str, type[Initializer]] = {}


class InitDesc(str):
    """The name of an array to initialize, with the attributes of its variable and the default initializer."""

    attrs: dict[str, Any]
    global_init: Any

    def __new__(cls, name: str, attrs: dict[str, Any] | None = None, global_init: Any = None) -> InitDesc:
        desc = super().__new__(cls, name)
        desc.attrs = attrs or {}
        desc.global_init = global_init
        return desc


def register(klass: _Class) -> _Class:
    """Make a subclass of `Initializer` known by its name, in any case."""
    return _known_as(klass, getattr(klass, "__name__", ""))


def alias(*aliases: str) -> Callable[[_Class], _Class]:
    """Make a subclass of `Initializer` known by these names."""

    def give_names(klass: _Class) -> _Class:
        for name in aliases:
            _known_as(klass, name)
        return klass

    return give_names


def _known_as(klass: _Class, name: str) -> _Class:
    if not (isinstance(klass, type) and issubclass(klass, Initializer)):
        raise TypeError(f"register: a subclass of Initializer is required, got {klass!r}.")
    before = _registered.get(name.lower())
    if before not in (None, klass):
        warnings.warn(
            f"New initializer {klass.__module__}.{klass.__name__} registered with name {name.lower()} is "
            f"overriding existing initializer {before.__module__}.{before.__name__}.",
            stacklevel=3,
        )
    _registered[name.lower()] = klass
    return klass


def create(initializer: Initializer | str | Mapping[str, Any], *args: object, **kwargs: object) -> Any:
    """An initializer from a registered name and arguments, from the text of `dumps`, or the object itself."""
    if isinstance(initializer, Initializer):
        return initializer
    if isinstance(initializer, Mapping):
        return create(**initializer)
    if not isinstance(initializer, str):
        raise AssertionError(
            f"create: an Initializer or the name of one is required, got {type(initializer).__name__}. "
            "Functions become initializers as subclasses of Initializer with _init_weight(name, array)."
        )
    if initializer.startswith(("[", "{")):
        return _from_text(initializer)
    if initializer in _large_constants:
        return _large_constants[initializer]
    klass = _registered.get(initializer.lower())
    if klass is None:
        raise AssertionError(
            f"{initializer} is not registered. Please register with initializer.register first."
            f"{suggest(initializer.lower(), _registered)}"
        )
    return klass(*args, **kwargs)


def _from_text(text: str) -> Any:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if isinstance(read, dict):
        return create(**read)
    if isinstance(read, list) and len(read) == 2 and isinstance(read[0], str) and isinstance(read[1], dict):
        return create(read[0], **read[1])
    raise MXNetError(f'create: text such as ["uniform", {{"scale": 0.07}}] is required, got {text[:200]!r}.')


def _default_print(array: NDArray) -> str:
    """The root of the mean square, which verbose initialization reports."""
    return str(np.float32(np.linalg.norm(array.asnumpy()) / math.sqrt(array.size or 1)))


class Initializer:
    """Sets arrays to initial values by the role that their names tell.

    Subclasses define `_init_weight(name, array)`, and may redefine `_init_bias` and the like; what they pass
    to `super().__init__` as keywords is what `dumps` writes.
    """

    def __init__(self, **kwargs: object) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], str] | None = None

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.dumps() == other.dumps()

    def __hash__(self) -> int:
        return hash(self.dumps())

    def set_verbosity(
        self, verbose: bool = False, print_func: Callable[[NDArray], str] | None = None
    ) -> Initializer:
        """Log every initialization, with what `print_func` says of the values."""
        self._verbose = verbose
        self._print_func = print_func or _default_print
        return self

    def _verbose_print(self, desc: str, init: Any, arr: NDArray) -> None:
        if self._verbose and self._print_func:
            logging.info("Initialized %s as %s: %s", desc, init, self._print_func(arr))

    def dumps(self) -> str:
        """The text that `create` makes an equal initializer from, and that files carry as `__init__`."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Set `arr` to the initial values of the array `desc`, an `InitDesc`."""
        if not isinstance(desc, InitDesc):
            self._legacy_init(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        init = desc.attrs.get("__init__", "")
        if init:
            create(init)._init_weight(desc, arr)
            self._verbose_print(desc, init, arr)
            return
        for suffix, method in _ROLES.items():
            if desc.endswith(suffix):
                getattr(self, method)(desc, arr)
                self._verbose_print(desc, suffix, arr)
                return
        self._init_default(desc, arr)

    def _legacy_init(self, name: str, arr: NDArray) -> None:
        """Initialize by the name alone, as early versions did."""
        warnings.warn(
            "Calling initializer with init(str, NDArray) is deprecated, use init(InitDesc(...), NDArray).",
            DeprecationWarning,
            stacklevel=3,
        )
        if not isinstance(name, str):
            raise TypeError(f"Initializer: a name is required, got {type(name).__name__}.")
        for start, end, method in _LEGACY_ROLES:
            if name.startswith(start) and name.endswith(end):
                getattr(self, method)(name, arr)
                return
        self._init_default(name, arr)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        raise NotImplementedError(f"{type(self).__name__}: _init_weight(name, array) must be defined.")

    def _init_bilinear(self, name: str, arr: NDArray) -> None:
        arr[:] = _bilinear(arr.shape)

    def _init_loc_bias(self, name: str, arr: NDArray) -> None:
        if arr.shape != (6,):
            raise ShapeError(f"{name}: shape (6,) is required of a localization bias, got {arr.shape}.")
        arr[:] = np.array([1, 0, 0, 0, 1, 0], np.float32)

    def _init_zero(self, name: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_one(self, name: str, arr: NDArray) -> None:
        arr[:] = 1

    def _init_bias(self, name: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_quantized_bias(self, name: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_gamma(self, name: str, arr: NDArray) -> None:
        arr[:] = 1

    def _init_beta(self, name: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_quantized_weight(self, name: str, arr: NDArray) -> None:
        with no_fork(), drawing():
            rng = generator()
            arr[:] = rng.integers(-127, 128, arr.shape)

    def _init_default(self, name: str, arr: NDArray) -> None:
        raise ValueError(
            f"{name}: a name that ends in weight, bias, gamma or beta is required to know the initial values "
            "by. Use mx.sym.Variable(init=mx.init.*) to say them."
        )


_ROLES = {
    "weight": "_init_weight",
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "min": "_init_zero",
    "max": "_init_one",
    "weight_quantize": "_init_quantized_weight",
    "bias_quantize": "_init_quantized_bias",
}
"""How the name of an array ends, and the method that sets it."""

_LEGACY_ROLES = (
    ("upsampling", "", "_init_bilinear"),
    ("stn_loc", "weight", "_init_zero"),
    ("stn_loc", "bias", "_init_loc_bias"),
    ("", "bias", "_init_bias"),
    ("", "gamma", "_init_gamma"),
    ("", "beta", "_init_beta"),
    ("", "weight", "_init_weight"),
    ("", "moving_mean", "_init_zero"),
    ("", "moving_var", "_init_one"),
    ("", "moving_inv_var", "_init_zero"),
    ("", "moving_avg", "_init_zero"),
    ("", "min", "_init_zero"),
    ("", "max", "_init_one"),
)


class Load:
    """Sets arrays to the values of a .params file or dictionary; `default_init` sets those that it lacks."""

    def __init__(
        self,
        param: Any,
        default_init: Initializer | str | None = None,
        verbose: bool = False,
    ) -> None:
        if isinstance(param, str):
            from .ndarray.files import load

            param = load(param)
        if not isinstance(param, Mapping):
            raise MXNetError(
                f"Load: a file or dictionary of named arrays is required, got {type(param).__name__}."
            )
        self.param = {k.removeprefix("arg:").removeprefix("aux:"): v for k, v in param.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        """Set `arr` to the values called `name`."""
        if name in self.param:
            values = self.param[name]
            if arr.shape != values.shape:
                raise AssertionError(
                    f"Parameter {name} cannot be initialized from loading: shape {arr.shape} is required, "
                    f"got {values.shape}."
                )
            arr[:] = values
        elif self.default_init is None:
            raise AssertionError(
                f"Cannot initialize {name}: it is not among the loaded arrays, and there is no default_init."
            )
        else:
            init: Any = self.default_init
            init(name, arr)
        if self.verbose:
            logging.info("Initialized %s by %s", name, "loading" if name in self.param else "default")


class Mixed:
    """Sets each array by the initializer beside the first pattern that its name begins to match."""

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Initializer | str]) -> None:
        if len(patterns) != len(initializers):
            raise AssertionError(
                f"Mixed: as many initializers as patterns ({len(patterns)}) are required, "
                f"got {len(initializers)}."
            )
        instances = [create(i) if isinstance(i, str) else i for i in initializers]
        self.map = list(zip(map(re.compile, patterns), instances, strict=True))

    def __call__(self, name: str, arr: NDArray) -> None:
        """Set `arr` by the initializer for `name`."""
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise ValueError(
            f'Parameter name {name} did not match any pattern. Consider adding a ".*" pattern at the end '
            "with a default Initializer."
        )


@alias("zeros")
@register
class Zero(Initializer):
    """All zeros."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = 0


@alias("ones")
@register
class One(Initializer):
    """All ones."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """A number everywhere, or the values of an array."""

    def __init__(self, value: float | ArrayLike) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name: str, arr: NDArray) -> None:
        values = self.value._host if isinstance(self.value, NDArray) else np.asarray(self.value)
        try:
            arr[:] = np.broadcast_to(values.astype(arr.dtype), arr.shape)
        except ValueError:
            raise ShapeError(
                f"{name}: a value of shape {arr.shape} or one that broadcasts to it is required, "
                f"got {values.shape}."
            ) from None

    def dumps(self) -> str:
        """The text with the values in it, which `_kwargs` has as lists from then on."""
        value = self._kwargs["value"]
        value = value.asnumpy() if isinstance(value, NDArray) else value
        if isinstance(value, np.ndarray | np.generic):
            value = value.tolist()
        self._kwargs["value"] = value
        return json.dumps([type(self).__name__.lower(), self._kwargs])


_large_constants: weakref.WeakValueDictionary[str, Initializer] = weakref.WeakValueDictionary()


class _LargeConstant(Constant):
    """A constant whose text is a name: in a file, the values would be a second copy of the parameter's."""

    def __init__(self, value: NDArray) -> None:
        super().__init__(value)
        _large_constants[self.dumps()] = self

    def dumps(self) -> str:
        """A name that `create` knows while the initializer lives."""
        return f"Constant_{id(self)}"


def constant_of(value: NDArray) -> Constant:
    """The initializer of the gluon Constant with these values."""
    return Constant(value) if value.size <= 1000 else _LargeConstant(value)


@register
class Uniform(Initializer):
    """Uniform draws from [-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = _uniform(self.scale, arr.shape)


@register
class Normal(Initializer):
    """Normal draws with mean 0 and standard deviation `sigma`."""

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = _normal(self.sigma, arr.shape)


def _uniform(scale: float, shape: tuple[int, ...]) -> Array:
    with no_fork(), drawing():
        rng = generator()
        return (rng.random(shape, np.float32) * 2 - 1) * np.float32(scale)


def _normal(sigma: float, shape: tuple[int, ...]) -> Array:
    with no_fork(), drawing():
        rng = generator()
        return rng.standard_normal(shape, np.float32) * np.float32(sigma)


_DRAWS = {"uniform": _uniform, "gaussian": _normal, "normal": _normal}


@register
class Orthogonal(Initializer):
    """`scale` times a matrix, (first axis, the others), whose rows or columns are orthonormal."""

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if self.rand_type not in ("uniform", "normal"):
            raise AttributeValueError(
                f"Orthogonal: rand_type 'uniform' or 'normal' is required, got {self.rand_type!r}."
            )
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        draws = _DRAWS[self.rand_type](1.0, (rows, columns)).astype(np.float64)
        u, _, v = np.linalg.svd(draws, full_matrices=False)
        arr[:] = (self.scale * (u if u.shape == draws.shape else v)).astype(np.float32).reshape(arr.shape)


@register
class Xavier(Initializer):
    """Draws whose variance is `magnitude` over the number of inputs ("in"), outputs ("out") or their mean.

    "uniform" draws range over ± the square root of it, "gaussian" ones have it as their variance.
    """

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if arr.ndim < 2:
            raise ValueError(
                f"Xavier initializer cannot be applied to vector {name}: at least 2 axes are required, "
                f"got shape {arr.shape}."
            )
        window = math.prod(arr.shape[2:])
        fan_in, fan_out = arr.shape[1] * window, arr.shape[0] * window
        factors = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}
        owner = type(self).__name__
        if self.factor_type not in factors:
            raise AttributeValueError(
                f"{owner}: factor_type 'avg', 'in' or 'out' is required, got {self.factor_type!r}."
            )
        if self.rnd_type not in ("uniform", "gaussian"):
            raise AttributeValueError(
                f"{owner}: rnd_type 'uniform' or 'gaussian' is required, got {self.rnd_type!r}."
            )
        factor = factors[self.factor_type]
        arr[:] = _DRAWS[self.rnd_type](math.sqrt(self.magnitude / factor) if factor else 0.0, arr.shape)


@register
class MSRAPrelu(Xavier):
    """Gaussian draws that keep the variance through PReLU units of slope `slope`."""

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Bilinear(Initializer):
    """The weights, (C, 1, kernel, kernel), of a deconvolution that interpolates linearly."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = _bilinear(arr.shape)


def _bilinear(shape: tuple[int, ...]) -> Array:
    if len(shape) != 4:
        raise ShapeError(f"Bilinear: a weight of 4 axes is required, got shape {shape}.")
    # The width rules both directions, as in MXNet.
    f = math.ceil(shape[3] / 2)
    center = (2 * f - 1 - f % 2) / (2.0 * f)
    rows, columns = (1 - np.abs(np.arange(n) / f - center) for n in shape[2:])
    return np.broadcast_to(np.outer(rows, columns), shape).astype(np.float32)


@register
class LSTMBias(Initializer):
    """Zeros but for the forget gate's quarter of an LSTM's bias, which is `forget_bias`."""

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name: str, arr: NDArray) -> None:
        hidden = arr.shape[0] // 4
        values = np.zeros(arr.shape, arr.dtype)
        values[hidden : 2 * hidden] = self.forget_bias
        arr[:] = values


_GATES = {
    "rnn_relu": ("",),
    "rnn_tanh": ("",),
    "lstm": ("_i", "_f", "_c", "_o"),
    "gru": ("_r", "_z", "_o"),
}


@register
class FusedRNN(Initializer):
    """Sets the one vector of all parameters of a fused RNN, each gate's weights and biases by `init`.

    `init` is an initializer or the text of one, `None` the default one. An LSTM's forget gates get
    `forget_bias`.
    """

    def __init__(
        self,
        init: Initializer | str | None,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ) -> None:
        if mode not in _GATES:
            raise AttributeValueError(f"FusedRNN: mode must be one of {', '.join(_GATES)}, got {mode!r}.")
        self._init = None if init is None else create(init)
        super().__init__(
            init=None if self._init is None else self._init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._bidirectional = bidirectional
        self._forget_bias = forget_bias

    def _init_weight(self, name: str, arr: NDArray) -> None:
        default = getattr(name, "global_init", None)
        init = self._init or default
        if init is None or init is self:
            raise MXNetError(f"{name}: FusedRNN(None, ...) takes the default initializer, and there is none.")
        values = np.empty(arr.shape, arr.dtype)
        start = 0
        for part, shape in self.parts(arr.size):
            end = start + math.prod(shape)
            one = NDArray(np.zeros(shape, arr.dtype))
            if self._mode == "lstm" and part.endswith("_f_bias"):
                one[:] = self._forget_bias
            else:
                init(InitDesc(part, global_init=default), one)
            values[start:end] = one._host.reshape(-1)
            start = end
        arr[:] = values

    @property
    def gates(self) -> tuple[str, ...]:
        """What the names of the gates end in."""
        return _GATES[self._mode]

    def parts(self, size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The names and shapes of the matrices and biases of a vector of this size, in their order."""
        return self.parts_for(self._input_size(size))

    def parts_for(self, inputs: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The same for this number of inputs."""
        hidden, gates = self._num_hidden, self.gates
        directions = "lr" if self._bidirectional else "l"
        for layer in range(self._num_layers):
            width = len(directions) * hidden if layer else inputs
            for direction in directions:
                for kind, columns in (("i2h", width), ("h2h", hidden)):
                    for gate in gates:
                        yield f"{direction}{layer}_{kind}{gate}_weight", (hidden, columns)
        for layer in range(self._num_layers):
            for direction in directions:
                for kind in ("i2h", "h2h"):
                    for gate in gates:
                        yield f"{direction}{layer}_{kind}{gate}_bias", (hidden,)

    def _input_size(self, size: int) -> int:
        """The number of inputs, from the number of all parameters."""
        directions = 2 if self._bidirectional else 1
        rows = self._num_hidden * len(_GATES[self._mode]) * directions
        later = (self._num_layers - 1) * (directions + 1) * self._num_hidden
        inputs, rest = divmod(size, rows)
        inputs -= later + self._num_hidden + 2 * self._num_layers
        if rest or inputs < 1:
            raise ShapeError(
                f"FusedRNN: a vector that fits {self._num_layers} layers of {self._num_hidden} units is "
                f"required, got {size} elements."
            )
        return inputs


registry.share(Initializer, _registered)
