"""Devices beside the processor: their memory, and what ONNX Runtime runs there.

Arrays of a device hold the addresses of its memory, of which NumPy has no view: what is needed on the
processor is copied by `host`. All copies are made by sessions of one operator, which run where an end of the
copy lies. `HYBRIDONNX_FAKE_GPU` has the processor play GPUs, so that all but the kernels is tested anywhere.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, NoReturn

import numpy as np
import onnxruntime as ort

from .. import config
from .._locks import in_children, no_fork
from ..context import Context, gpu
from ..dtypes import DType, as_dtype, is_bfloat16
from ..errors import DTypeError, MXNetError, RequirementError
from ..ops import Array, Spec, SymbolicDim, find
from . import cuda, dlpack
from .session import _start, exchanges, options

logger = logging.getLogger("hybridonnx")

_CARRIERS = {
    size: np.dtype(name) for size, name in {1: "uint8", 2: "float16", 4: "int32", 8: "int64"}.items()
}
"""By bytes of an element, the dtype as which it is copied."""
_BFLOAT16 = 16
"""ONNX's number of the element type."""
_ON_HOST = "cpu", 0


class Device:
    """A GPU, or the processor in its place."""

    def __init__(self, number: int, is_fake: bool) -> None:
        self.ctx: Context = gpu(number)
        self.is_fake = is_fake
        self.place: tuple[str, int] = _ON_HOST if is_fake else ("cuda", number)
        """What ONNX Runtime calls the memory."""
        self.provider = "CPUExecutionProvider" if is_fake else "CUDAExecutionProvider"
        """ONNX Runtime's name of what runs nodes there."""
        self._told: set[str] = set()

    def __repr__(self) -> str:
        return str(self.ctx)

    def providers(self, captures: bool = False) -> list[Any]:
        """What runs the nodes of a session on the device, and those that it lacks.

        With `captures` a run that comes again is one CUDA graph; then there is nothing that the device lacks.
        """
        if self.is_fake:
            return [self.provider]
        settings = {
            "device_id": str(self.ctx.device_id),
            "use_tf32": str(int(config.TF32())),
            "arena_extend_strategy": "kSameAsRequested",
            "user_compute_stream": str(cuda.stream(self.ctx.device_id)),
            "enable_cuda_graph": str(int(captures)),
        }
        return [(self.provider, settings), "CPUExecutionProvider"]

    def run(self, session: Any, binding: Any, waits: bool = False, captures: bool = True) -> None:
        """Run a session on what is bound.

        A GPU's work goes on after the call, unless it `waits`, after all that was begun before. A session
        that captures its runs leaves this one out without `captures`.
        """
        if self.is_fake:
            session.run_with_iobinding(binding)
        else:
            early = not (waits or config.ENGINE() == "NaiveEngine")
            session.run_with_iobinding(binding, _run_options(early, captures))

    def wait(self) -> None:
        """Return when all work that was begun is done."""
        if not self.is_fake:
            with no_fork():
                cuda.wait(self.ctx.device_id)

    def put(self, array: Array) -> DeviceArray:
        """An array of the device with the values of one in NumPy's memory."""
        dtype = array.dtype
        if not exchanges(dtype, shared=True):
            raise DTypeError(f"{self}: one of MXNet's types is required, got {dtype}. Use mx.cpu().")
        plain = np.asarray(array, order="C")
        if is_bfloat16(dtype):
            plain = plain.view(np.uint16)
        own = plain.copy() if self.is_fake else plain
        value = ort.OrtValue.ortvalue_from_numpy(own, *self.place)
        return DeviceArray(self, value, value.data_ptr(), array.shape, dtype)

    def empty(self, shape: Sequence[int], dtype: DType) -> DeviceArray:
        """An array of the device whose values nobody has set."""
        kind = np.uint16 if is_bfloat16(dtype) else dtype.type
        value = ort.OrtValue.ortvalue_from_shape_and_type(list(shape), kind, *self.place)
        return DeviceArray(self, value, value.data_ptr(), shape, dtype)

    def memory(self) -> tuple[int, int]:
        """Free and total bytes of memory."""
        if not self.is_fake:
            return cuda.memory(self.ctx.device_id)
        page = os.sysconf("SC_PAGE_SIZE")
        return page * os.sysconf("SC_AVPHYS_PAGES"), page * os.sysconf("SC_PHYS_PAGES")

    def capability(self) -> int:
        """What the GPU can compute, as CUDA numbers it: 70 for 7.0. Raises `MXNetError` if it is in play."""
        if self.is_fake:
            raise MXNetError(f"{self}: a GPU that CUDA knows is required, got the processor in its place.")
        return cuda.capability(self.ctx.device_id)

    def copy(
        self,
        source: tuple[str, int],
        address: int,
        target: tuple[str, int],
        to: int,
        dtype: DType,
        count: int,
    ) -> None:
        """Copy so many elements from an address of one memory to one of another."""
        if not count:
            return
        carrier = _CARRIERS[dtype.itemsize]
        with no_fork():
            session = _copier(self, carrier)
            binding = session.io_binding()
            binding.bind_input("data", *source, carrier.type, (count,), address)
            binding.bind_output("output0", *target, carrier.type, (count,), to)
            self.run(session, binding, waits=_ON_HOST in (source, target))

    def tell(self, name: str, reason: str) -> None:
        """Tell once that an operator runs on the processor, or raise where that is not wanted."""
        if not config.HOST_OPERATORS():
            raise RequirementError(
                f"{name}: an operator that runs on {self} is required by HYBRIDONNX_HOST_OPERATORS=0, got "
                f"one that does not. {reason}"
            )
        if name not in self._told:
            self._told.add(name)
            logger.warning(
                "%s: runs on the processor in place of %s, with copies to it and back. %s", name, self, reason
            )


@cache
def _run_options(early: bool, captures: bool) -> Any:
    """How ONNX Runtime runs a session on a GPU."""
    chosen = ort.RunOptions()
    if early:
        chosen.add_run_config_entry("disable_synchronize_execution_providers", "1")
    if not captures:
        chosen.add_run_config_entry("gpu_graph_id", "-1")
    return chosen


@cache
def _copier(device: Device, carrier: DType) -> Any:
    """The session that copies elements of a dtype."""
    from ..converters.to_onnx import Local, lower_operator

    lowered = lower_operator(
        find("_copy").make({}), [Spec((SymbolicDim.named("n"),), carrier)], local=Local()
    )
    settings = options(in_turn=True)
    settings.intra_op_num_threads = 1
    return _start(lowered.message, settings, providers=device.providers())


class DeviceArray:
    """Elements of one dtype, contiguous, in the memory of a device."""

    __slots__ = ("_memory", "address", "base", "device", "dtype", "shape")
    __array_ufunc__ = None

    def __init__(
        self,
        device: Device,
        memory: Any,
        address: int,
        shape: Sequence[int],
        dtype: DType,
        base: DeviceArray | None = None,
    ) -> None:
        """Take the address of a piece of memory, and what keeps that."""
        self.device, self._memory, self.address = device, memory, address
        self.shape: tuple[int, ...] = tuple(shape)
        self.dtype = dtype
        self.base = base
        """The array that this one is a part of."""

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def reshape(self, *shape: Any) -> DeviceArray:
        """The same memory in another shape, which may have one size of -1."""
        sizes = list(shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape)
        if -1 in sizes:
            sizes[sizes.index(-1)] = self.size // -prod(sizes)
        return self.part(0, sizes)

    def part(self, begin: int, shape: Sequence[int]) -> DeviceArray:
        """The elements from number `begin` on, as many as a shape has."""
        if not 0 <= begin <= begin + prod(shape) <= self.size:
            raise ValueError(f"a part of {self.size} elements is required, got {shape} from {begin} on.")
        address = self.address + begin * self.dtype.itemsize
        return DeviceArray(self.device, self._memory, address, shape, self.dtype, self.base or self)

    def copy(self) -> DeviceArray:
        """The same values in other memory of the device."""
        copied = self.device.empty(self.shape, self.dtype)
        copied[...] = self
        return copied

    def host(self) -> Array:
        """A copy in NumPy's memory."""
        values = np.empty(self.shape, self.dtype)
        place = self.device.place
        self.device.copy(place, self.address, _ON_HOST, values.ctypes.data, self.dtype, self.size)
        return values

    def __setitem__(self, key: Any, value: Any) -> None:
        """Take the values of another array, or a number, as a whole."""
        if key is not ...:
            raise TypeError(f"an index of all elements is required for values on {self.device}.")
        if not isinstance(value, DeviceArray):
            value = np.ascontiguousarray(np.broadcast_to(np.asarray(value).astype(self.dtype), self.shape))
            self._receive(_ON_HOST, value.ctypes.data)
        elif value.device is self.device and value.dtype == self.dtype and value.size == self.size:
            self._receive(self.device.place, value.address)
        else:
            self[...] = value.host().reshape(self.shape)

    def _receive(self, place: tuple[str, int], address: int) -> None:
        self.device.copy(place, address, self.device.place, self.address, self.dtype, self.size)

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise MXNetError(f"an array in NumPy's memory is required, got one on {self.device}. Use asnumpy().")

    def __dlpack__(self, **_: Any) -> Any:
        self.device.wait()  # others have streams of their own
        return dlpack.capsule(self, *self.__dlpack_device__())

    def __dlpack_device__(self) -> tuple[int, int]:
        kind = dlpack.OTHER if self.device.is_fake else dlpack.CUDA
        return kind, self.device.ctx.device_id

    def __reduce__(self) -> Any:
        return _restored, (self.device.ctx.device_id, self.host())

    def __deepcopy__(self, memo: Any) -> DeviceArray:
        return self.copy()


def _restored(number: int, values: Array) -> DeviceArray:
    """An array of a device, from a pickle."""
    return device(number).put(values)


def bind(binding: Any, name: str, array: DeviceArray) -> None:
    """Have a session read an input where an array is."""
    binding.bind_input(name, *array.device.place, _element_type(array.dtype), array.shape, array.address)


def bind_output(binding: Any, name: str, array: DeviceArray) -> None:
    """Have a session write an output where an array is."""
    binding.bind_output(name, *array.device.place, _element_type(array.dtype), array.shape, array.address)


def _element_type(dtype: DType) -> Any:
    return _BFLOAT16 if is_bfloat16(dtype) else as_dtype(dtype.name).type


def received(device: Device, binding: Any, dtypes: Sequence[DType]) -> list[DeviceArray]:
    """The outputs that a session has made on a device."""
    values = zip(binding.get_outputs(), dtypes, strict=True)
    return [DeviceArray(device, value, value.data_ptr(), value.shape(), dtype) for value, dtype in values]


def from_dlpack(source: Any) -> DeviceArray | None:
    """An array over the memory of a DLPack capsule, which is used up; `None` if that is the processor's."""
    loan = dlpack.opened(source)
    if loan is None:
        return None
    if not 0 <= loan.device < count() or (loan.kind == dlpack.OTHER) != device(0).is_fake:
        raise MXNetError(f"from_dlpack: memory of one of {count()} GPUs is required, got another device's.")
    dlpack.use_up(source)
    return DeviceArray(device(loan.device), loan.keeper(), loan.address, loan.shape, loan.dtype)


# ---- which there are


@cache
def _cuda_devices() -> int:
    """How many GPUs ONNX Runtime can use."""
    if "CUDAExecutionProvider" not in ort.get_available_providers():
        return 0
    if hasattr(ort, "preload_dlls"):  # CUDA and cuDNN of NVIDIA's packages, where these are installed
        ort.preload_dlls()
    return cuda.count()


def count(played: bool = True) -> int:
    """The number of GPUs; with `played` of those that the processor plays, if it plays any."""
    return (config.FAKE_GPU() if played else 0) or _cuda_devices()


@cache
def _device(number: int, is_fake: bool) -> Device:
    used = _devices[number] = Device(number, is_fake)
    return used


_devices: dict[int, Device] = {}
"""Those that were used, by number."""


def device(number: int) -> Device:
    """The device of `mx.gpu(number)`, which is there."""
    return _device(number, config.FAKE_GPU() > 0)


def waitall() -> None:
    """Return when all work is done that was begun on any device."""
    for used in list(_devices.values()):
        used.wait()


def _forget() -> None:
    """Leave sessions of copies to the process that started them."""
    _copier.cache_clear()


in_children(_forget)
