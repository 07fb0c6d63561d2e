"""One ONNX Runtime session over a lowered graph, its parameters in place and its output buffers reused."""

from __future__ import annotations

import itertools
import logging
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, ClassVar

import numpy as np
import onnxruntime as ort

from .. import config
from .._locks import no_fork
from .._profile import profile
from .._scopes import Innermost, Scope
from .._threads import counts_references
from ..dtypes import DType, as_dtype, container, is_bfloat16
from ..errors import FormatError, MXNetError
from ..ops import Array, drawing, enclosed, generator, opened
from .arena import LARGE, give_back_after, give_back_weights, share
from .failures import FAILURES, failed, sentence
from .measured import MeasuredSession, Operators
from .recipes import copies_initializers, made
from .started import Started

logger = logging.getLogger("hybridonnx")


def _references(buffers: Sequence[Any]) -> list[int]:
    return [sys.getrefcount(buffer) for buffer in buffers]


_HELD_BY_POOL = max(_references([object()]))
"""References to a buffer that only the pool holds; how many the loop and the call make depends on Python."""
_WORTH_REUSING = 1 << 18
"""Bytes of output from which on a buffer that ONNX Runtime writes into is cheaper than a copy of its own."""
_NAMED = {"q": np.dtype("int64"), "Q": np.dtype("uint64")}
"""What C calls long long, ONNX Runtime's dtype, by the name that NumPy's users compare with."""
_CONTAINERS = ("seq(", "optional(", "map(")
_BFLOAT16 = 16
"""ONNX's number of the element type."""
_BFLOAT16_TENSOR = "tensor(bfloat16)"
_NUMBERS = (
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float16",
    "float",
    "double",
)
_READABLE = {_BFLOAT16_TENSOR, "tensor(bool)", *(f"tensor({name})" for name in _NUMBERS)}
"""ONNX's texts of the types whose values become arrays of numbers."""
VERSION: str = ort.__version__
EMPTY_ARRAYS_END_PROCESS = tuple(map(int, ort.__version__.split(".")[:2])) < (1, 31)
"""Whether arrays without elements may end the process, as before 1.31: kernels divide by their sizes, or read
an element that is not there. What such arrays go into or come from runs on our kernels then."""
_OUTSIDE = 1024
"""Bytes from which on a weight of a stored model is outside of it, where it is mapped and not read."""
_KINDS = 3
"""How many kinds of nodes the profiler names of a session."""
_SPIN = 1000
"""Microseconds for which idle threads look for more work."""
_Runner = Callable[[Any, Sequence[str], Mapping[str, Array]], list[Array]]
"""Runs a session for some outputs with inputs by name."""
_sessions = itertools.count()
"""The numbers of profiles' files."""


def options(in_turn: bool = False) -> Any:
    """Session options: ONNX Runtime's own defaults, quiet, with the threads that the environment asks for.

    With `in_turn` idle threads wait for their work without taking a core: else those of one session would
    take the cores from the next.
    """
    settings = _quiet(Threads.current())
    folder = config.PROFILE()
    if folder:
        settings.enable_profiling = True
        settings.profile_file_prefix = os.path.join(folder, f"session{next(_sessions):03d}")
    if in_turn:
        settings.add_session_config_entry("session.force_spinning_stop", "1")
    return settings


def _quiet(threads: int) -> Any:
    """Settings of any session. Of denormal numbers the first session of a process decides for all.

    By ONNX Runtime's defaults an idle thread would take a core for some 50 ms after each run, from what comes
    between calls, such as a DataLoader. Calls that follow each other are as fast with much less.
    """
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    settings.intra_op_num_threads = threads
    settings.add_session_config_entry("session.intra_op.spin_duration_us", str(_SPIN))
    if config.FLUSH_DENORMALS():
        settings.add_session_config_entry("session.set_denormal_as_zero", "1")
    return settings


def _title(purpose: str, lowered: Any) -> str:
    """What the profiler calls a session: what it is for, and the nodes that it has most of."""
    counts = Counter(lowered.op_types)
    kinds = [f"{kind} {count}" for kind, count in counts.most_common(_KINDS)]
    more = [] if len(counts) <= _KINDS else ["…"]
    return f"{purpose}: {', '.join(kinds + more)}"


def _start(
    model: str | bytes,
    settings: Any,
    remedy: str = " Run the block without hybridize(), or report the model.",
    providers: Sequence[Any] = ("CPUExecutionProvider",),
) -> Any:
    """A session for a model, from its file's name or its bytes."""
    _require_providers(providers, ort.get_available_providers())
    try:
        # with its fallback it prints what it could not read, and tries the same again
        session = ort.InferenceSession(model, settings, providers=[*providers], enable_fallback=0)
    except FAILURES as exc:
        what = model if isinstance(model, str) else "the graph"
        raise MXNetError(f"ONNX Runtime does not accept {what}: {sentence(exc)}{remedy}") from exc
    _require_providers(providers, session.get_providers())
    return session


def _require_providers(providers: Sequence[Any], present: Sequence[str]) -> None:
    """Raise unless all providers are there: a session goes on without those that cannot start."""
    names = [provider if isinstance(provider, str) else provider[0] for provider in providers]
    missing = [name for name in names if name not in present]
    if missing:
        raise MXNetError(
            f"providers among {', '.join(ort.get_available_providers())} that start are required, got "
            f"{', '.join(missing)}. `hybridonnx doctor` tells what is missing."
        )


class Providers(Scope):
    """A `with` block in which ONNX models run on these of ONNX Runtime's providers, the first that can."""

    _scopes: ClassVar[Innermost] = Innermost()

    def __init__(self, providers: Sequence[Any]) -> None:
        self._providers = list(providers)

    def __enter__(self) -> None:
        self._scopes.innermost = self, self._providers, self._scopes.innermost

    @classmethod
    def current(cls) -> Sequence[Any]:
        """Those of the innermost block."""
        inner = cls._scopes.innermost
        return ("CPUExecutionProvider",) if inner is None else inner[1]


def _is_one_of_many() -> bool:
    """Whether `multiprocessing` has started this process: those of a pool would take each other's cores."""
    module = sys.modules.get("multiprocessing.process")
    return module is not None and module.parent_process() is not None


class Threads(Scope):
    """A `with` block in which new sessions have so many threads; 0 for as many as the environment says."""

    _scopes: ClassVar[Innermost] = Innermost()

    def __init__(self, count: int) -> None:
        self._count = count

    def __enter__(self) -> None:
        self._scopes.innermost = self, self._count, self._scopes.innermost

    @classmethod
    def current(cls) -> int:
        """That of the innermost block."""
        inner = cls._scopes.innermost
        count = (0 if inner is None else inner[1]) or config.THREADS()
        return config.WORKER_THREADS() if not count and _is_one_of_many() else count


def _require_utf8(path: str) -> None:
    """Refuse names of files that ONNX Runtime cannot be told."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise FormatError(
            f"{path}: a name in UTF-8 is required of a file for ONNX Runtime, got other bytes. Rename it."
        ) from None


def named(array: Array) -> Array:
    """The array with the dtype that NumPy itself gives to such numbers."""
    dtype = _NAMED.get(array.dtype.char)
    return array if dtype is None else array.view(dtype)


def exchanges(dtype: DType | None, shared: bool = False) -> bool:
    """Whether sessions take and give arrays of a dtype; `shared` over the same memory, too.

    ONNX Runtime has tensors of float8 and the like, but none that NumPy's arrays become, and no complex
    numbers; `value_of` and `array_of` are the way for bfloat16.
    """
    if dtype is None or is_bfloat16(dtype):
        return True
    plain = dtype.isbuiltin == 1 or (dtype.isbuiltin == 0 and dtype.kind in "biuf")  # unpickled ones are 0
    return plain and dtype.kind != "c" and not (shared and dtype.hasobject)


def value_of(array: Array) -> Any:
    """ONNX Runtime's value over an array's memory."""
    plain = np.asarray(array, order="C")
    if is_bfloat16(plain.dtype):
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(plain.view(np.uint16), _BFLOAT16)
    return ort.OrtValue.ortvalue_from_numpy(plain)


def array_of(value: Any) -> Array:
    """The array over the memory of ONNX Runtime's value."""
    if value.data_type() == _BFLOAT16_TENSOR:
        return np.asarray(_Memory(value)).view(as_dtype("bfloat16"))
    return named(value.numpy())


class _Memory:
    """The elements of a value as integers of 16 bits; arrays over them keep it, and so the value."""

    def __init__(self, value: Any) -> None:
        self._value = value
        shape, where = tuple(value.shape()), (value.data_ptr(), False)
        self.__array_interface__ = {"shape": shape, "typestr": "<u2", "data": where, "version": 3}


def _stored(path: str, settings: Any) -> Any:
    """A session for what ONNX Runtime has optimised before; `None` if it refuses the file."""
    level = settings.graph_optimization_level
    settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return _start(path, settings)
    except MXNetError as exc:  # it is gone since
        logger.info("cache: %s", exc)
        settings.graph_optimization_level = level
        return None


def _bytes_of_inputs(lowered: Any) -> int:
    """What the inputs of a model have together, as far as their sizes are known, of elements of 4 bytes."""
    return 4 * sum(prod(size or 1 for size in shape or ()) for shape in lowered.input_shapes)


def _one_thread() -> Any:
    """Settings of a session that runs beside the program's."""
    settings = options()
    settings.intra_op_num_threads = 1
    settings.enable_profiling = False
    settings.enable_cpu_mem_arena = settings.enable_mem_pattern = False  # what is freed goes back at once
    return settings


def _bits(array: Array) -> tuple[Any, ...]:
    return array.dtype, array.shape, array.tobytes()


class _Opener:
    """Starts sessions of a lowered graph, with its parameters over their own memory.

    `stored` is a file of ONNX Runtime's with what it has made of both before.
    """

    def __init__(self, lowered: Any, parameters: Mapping[str, Array], stored: str) -> None:
        self._lowered, self._parameters, self._path = lowered, parameters, stored
        self._held: list[Any] = []
        self._weights = 0
        """Bytes of the parameters that were optimised here."""

    def __call__(self, settings: Any) -> Any:
        session = _stored(self._path, settings) if self._path else None
        return session or self._optimized(settings)

    def _optimized(self, settings: Any) -> Any:
        """A session of what ONNX Runtime makes of the graph now."""
        parameters, lowered = self._parameters, self._lowered
        own = {name: parameters[name] for name in lowered.parameters if name in parameters}
        others = made(lowered.recipes)
        values = [value_of(array) for array in (*own.values(), *others.values())]
        if values:
            settings.add_external_initializers([*own, *others], values)
        session = _start(lowered.message, settings)
        self._held = values[: len(own)] if others and copies_initializers() else values
        self._weights = sum(array.nbytes for array in own.values())
        self.give_back()
        return session

    def give_back(self) -> None:
        """Give back what the start of a session has left behind, if that is much."""
        give_back_weights(self._weights)

    def graph(self) -> Any:
        """The lowered graph's nodes."""
        return self._lowered.model.graph


class Session(Started):
    """Runs a lowered graph. `parameters` become initializers over their own memory, without a copy.

    Sessions that are parts of one graph run `in_turn`. `stored` is a file of ONNX Runtime's with what it has
    made of the same graph and parameters. Nothing of it refers to itself: with the last reference its memory
    is free, and not when Python's garbage collector comes by.
    """

    def __init__(
        self,
        lowered: Any,
        parameters: Mapping[str, Array],
        reuse_outputs: bool = False,
        operators: Operators = None,
        in_turn: bool = False,
        stored: str = "",
    ) -> None:
        self._opener = _Opener(lowered, parameters, stored)
        settings = partial(options, in_turn)
        self._start_with(self._opener, settings)
        self._measured = MeasuredSession(self._opener, settings, self._opener.graph)
        self._operators = operators
        self._noise = lowered.noise
        drawn = {noise.name for noise in self._noise}
        inputs = [value.name for value in self._session.get_inputs()]
        self.inputs: Sequence[str] = [name for name in inputs if name not in drawn]
        """The names of the inputs that the graph uses."""
        self._outputs = [value.name for value in self._session.get_outputs()]
        self._title = partial(_title, "predict", lowered)
        values = (*self._session.get_inputs(), *self._session.get_outputs())
        types = {value.name: value.type for value in values}
        self._run = _runner(types)
        reuses = (
            reuse_outputs
            and counts_references()
            and self._run is _run_on_arrays
            and "tensor(string)" not in types.values()
        )
        self._pool: list[_Bound] | None = [] if reuses else None

    @property
    def is_storable(self) -> bool:
        """Whether `store` can run it: it takes and gives arrays, and draws nothing."""
        return self._run is _run_on_arrays and not self._noise

    def store(self, path: str, weights: str, feeds: Mapping[str, Array]) -> bool:
        """Write the optimised model, and tell whether it gives what it was made of, bit for bit.

        Args:
            path: Its file.
            weights: The name of the file beside it with what is large.
            feeds: Inputs to run both with, by name.
        """
        settings = _one_thread()
        settings.optimized_model_filepath = path
        settings.add_session_config_entry("session.optimized_model_external_initializers_file_name", weights)
        settings.add_session_config_entry(
            "session.optimized_model_external_initializers_min_size_in_bytes", str(_OUTSIDE)
        )
        with no_fork():
            results = self._start(settings).run(self._outputs, dict(feeds))
            self._opener.give_back()
            session = _stored(path, _one_thread())
            others = session.run(self._outputs, dict(feeds)) if session else []
            del session
            self._opener.give_back()
        return [_bits(y) for y in results] == [_bits(y) for y in others]

    def __call__(self, feeds: dict[str, Array]) -> list[Array]:
        """The outputs for the inputs by name."""
        for noise in self._noise:
            if not noise.part:
                with no_fork(), drawing():
                    rng = generator()
                    drawn = noise.op.draw(rng, *noise.specs)
            feeds[noise.name] = np.asarray(noise.of(drawn), order="C")
        try:
            with no_fork():
                if profile.sessions:
                    session = self._measured.begin(self._operators)
                    return profile.call("session", self._title(), self._run, session, self._outputs, feeds)
                session = self._session or self._restart()
                if self._pool is None:
                    return self._run(session, self._outputs, feeds)
                return self._run_into_pool(session, feeds, self._pool)
        except FAILURES as exc:
            raise failed(exc, self._measured.names(self._operators)) from exc

    def forked(self) -> None:
        """Leave the session, and the buffers bound to it, to the process that started it."""
        super().forked()
        if self._session is None and self._pool is not None:
            self._pool = []

    def _run_into_pool(self, session: Any, feeds: dict[str, Array], pool: list[_Bound]) -> list[Array]:
        """Run into buffers of an earlier call if nobody holds them any more, else into new ones."""
        try:
            bound = pool.pop()
        except IndexError:
            bound = None
        if bound is not None and bound.is_free():
            outputs = bound.run(feeds)
        else:
            outputs = self._run(session, self._outputs, feeds)
            if sum(y.nbytes for y in outputs) < _WORTH_REUSING:
                self._pool = None
                return outputs
            bound = _Bound(session, self._outputs, outputs)
        pool.append(bound)
        return outputs


class _Bound:
    """Buffers that a session writes its outputs into."""

    def __init__(self, session: Any, names: Sequence[str], buffers: Sequence[Array]) -> None:
        self._session = session
        self._buffers = list(buffers)
        self._binding = session.io_binding()
        for name, buffer in zip(names, buffers, strict=True):
            self._binding.bind_output(name, "cpu", 0, buffer.dtype, buffer.shape, buffer.ctypes.data)

    def is_free(self) -> bool:
        """Whether the pool alone holds the buffers."""
        return max(_references(self._buffers), default=0) <= _HELD_BY_POOL

    def run(self, feeds: dict[str, Array]) -> list[Array]:
        """The buffers, filled with the outputs."""
        for name, array in feeds.items():
            self._binding.bind_cpu_input(name, array)
        self._session.run_with_iobinding(self._binding)
        return list(self._buffers)


class StepSession(Started):
    """A session of a step of training, or of its gradient. Nothing of what it takes and gives is copied.

    Those that run one after another may share one arena: each would keep memory for the most that it needed.
    Large ones do.
    """

    def __init__(self, lowered: Any, in_arena: bool = False) -> None:
        is_large = _bytes_of_inputs(lowered) > LARGE

        def start(settings: Any) -> Any:
            return _start(lowered.message, settings)

        settings = partial(self.options, in_arena or is_large, is_large)
        self._start_with(start, settings)
        self._measured = MeasuredSession(start, settings, lambda: lowered.model.graph)
        self._outputs = list(lowered.outputs)
        self._title = _title("train", lowered)
        outputs = self._session.get_outputs()
        self._run = _runner({value.name: value.type for value in (*self._session.get_inputs(), *outputs)})
        self._shapes = [value.shape for value in outputs]
        """The outputs' sizes, of which free ones are names or `None`."""
        if is_large:
            give_back_after(self)

    @staticmethod
    def options(in_arena: bool = False, is_large: bool = False) -> Any:
        """Its settings.

        From its second run on ONNX Runtime would take the memory of a whole run as one piece, beside those of
        the first run, which it keeps: with large arrays a fifth of all memory.
        """
        # sessions of a training step run in turn: a small network takes half the time without
        settings = options(in_turn=True)
        # loops in smaller and smaller parts, so that a core that was held up does not hold up the others
        settings.add_session_config_entry("session.dynamic_block_base", "4")
        # one level below all: blocked layouts, of which only constant weights profit
        settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        if is_large:
            settings.enable_mem_pattern = False
        if in_arena:
            share(settings)
        return settings

    def __call__(self, feeds: Mapping[str, Array], operators: Operators = None) -> list[Array]:
        """The outputs for the inputs by name; `operators` is for the profiler, and for errors."""
        return self._timed(self._run, operators, self._outputs, feeds)

    def into(
        self, feeds: Mapping[str, Array], targets: Mapping[int, Array], operators: Operators = None
    ) -> list[Array]:
        """The outputs, of which some are written into arrays of as many elements, by their numbers."""
        if self._run is _run_on_arrays:
            return self._timed(self._run_into, operators, feeds, targets)
        outputs = self(feeds, operators)
        for i, target in targets.items():
            target[...] = outputs[i].reshape(target.shape)
        return outputs

    def _timed(self, run: Callable[..., list[Array]], operators: Operators, *args: Any) -> list[Array]:
        try:
            with no_fork():
                if profile.sessions:
                    session = self._measured.begin(operators)
                    return profile.call("session", self._title, run, session, *args)
                return run(self._session or self._restart(), *args)
        except FAILURES as exc:
            raise failed(exc, self._measured.names(operators)) from exc

    def _run_into(
        self, session: Any, feeds: Mapping[str, Array], targets: Mapping[int, Array]
    ) -> list[Array]:
        binding = session.io_binding()
        for name, array in feeds.items():
            binding.bind_cpu_input(name, array)
        bound = set()
        for i, name in enumerate(self._outputs):
            target, shape = targets.get(i), self._shapes[i]
            fits = target is not None and all(isinstance(size, int) for size in shape)
            if target is None or not fits or prod(shape) != target.size:
                binding.bind_output(name, "cpu")
                continue
            binding.bind_output(name, "cpu", 0, target.dtype, shape, target.ctypes.data)
            bound.add(i)
        session.run_with_iobinding(binding)
        outputs = [named(value.numpy()) for value in binding.get_outputs()]
        for i, target in targets.items():
            if i not in bound:
                target[...] = outputs[i].reshape(target.shape)
        return outputs


def _runner(types: Mapping[str, str]) -> _Runner:
    """What runs a session whose inputs and outputs have these types, by ONNX's texts of them."""
    if _BFLOAT16_TENSOR in types.values():
        return _run_on_values
    containers = {n: container(text) for n, text in types.items() if text.startswith(_CONTAINERS)}
    return partial(_run_on_containers, containers) if containers else _run_on_arrays


def _run_on_arrays(session: Any, names: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
    outputs: list[Array] = session.run(names, feeds)
    return [named(y) for y in outputs]


def _run_on_values(session: Any, names: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
    """The same with bfloat16 among the types."""
    values = {name: value_of(array) for name, array in feeds.items()}
    return [array_of(y) for y in session.run_with_ort_values(names, values)]


def _run_on_containers(
    containers: Mapping[str, Any], session: Any, names: Sequence[str], feeds: Mapping[str, Array]
) -> list[Array]:
    """The same where some inputs or outputs are no arrays, for ONNX Runtime lists, dicts and `None`."""
    values = {name: opened(a) if name in containers else a for name, a in feeds.items()}
    results = session.run(names, values)
    return [
        enclosed(y, containers[name]) if name in containers else named(y)
        for name, y in zip(names, results, strict=True)
    ]


class ModelSession(Started):
    """Any ONNX model, from its file's name or its bytes, as other programs run it.

    Weights that a model in bytes declares as external data are `weights`, or lie in files of `folder`. With
    `profile`, the beginning of a file's name, ONNX Runtime measures every node until `end_profile`.
    """

    def __init__(
        self,
        model: str | bytes,
        folder: str = "",
        weights: Mapping[str, Array] | None = None,
        threads: int = 0,
        profile: str = "",
    ) -> None:
        if isinstance(model, str):
            _require_utf8(model)
        self._held = held = {name: value_of(array) for name, array in (weights or {}).items()}

        def settings() -> Any:
            chosen = _quiet(threads)
            if profile:
                chosen.enable_profiling = True
                chosen.profile_file_prefix = profile
            if folder:
                chosen.add_session_config_entry(
                    "session.model_external_initializers_file_folder_path", folder
                )
            if held:
                chosen.add_external_initializers(list(held), list(held.values()))
            return chosen

        providers = Providers.current()
        self._start_with(lambda chosen: _start(model, chosen, remedy="", providers=providers), settings)
        size = os.path.getsize(model) if isinstance(model, str) else len(model)
        give_back_weights(size + sum(array.nbytes for array in (weights or {}).values()))
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        self.inputs: dict[str, tuple[str, Sequence[int | str | None]]] = {
            i.name: (i.type, i.shape) for i in inputs
        }
        """ONNX's text of each input's type, and its sizes, of which free ones are names or `None`."""
        self.outputs: list[str] = [output.name for output in outputs]
        self.output_types: list[str] = [output.type for output in outputs]
        """ONNX's texts of the outputs' types."""
        types = {*self.output_types, *(text for text, _ in self.inputs.values())}
        self._runs_on_values = _BFLOAT16_TENSOR in types and types <= _READABLE

    def __call__(self, feeds: Mapping[str, Array], names: Sequence[str] = ()) -> list[Array]:
        """The outputs of these names, or all, for the inputs by name; what is no input is left out."""
        return self._run(feeds, names or self.outputs)

    def readable(self, feeds: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs by name, without those that ONNX Runtime has no arrays for, such as float8."""
        names = [n for n, text in zip(self.outputs, self.output_types, strict=True) if text in _READABLE]
        return dict(zip(names, self._run(feeds, names), strict=True)) if names else {}

    def _run(self, feeds: Mapping[str, Array], names: Sequence[str]) -> list[Array]:
        arrays = {name: feeds[name] for name in self.inputs if name in feeds}
        try:
            with no_fork():
                session = self._session or self._restart()
                if self._runs_on_values:
                    return _run_on_values(session, names, arrays)
                results: list[Array] = session.run(names, arrays)
        except FAILURES as exc:
            raise failed(exc, remedy="") from exc
        return results

    def end_profile(self) -> str:
        """The name of the file that has what was measured, which ends with this."""
        return str(self._session.end_profiling())
