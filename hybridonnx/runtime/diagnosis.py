"""What hybridonnx runs on: versions, the processor, ONNX Runtime, and what is known to go wrong."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path

import numpy as np

from .. import config
from .._version import __version__
from ..context import gpu
from ..errors import MXNetError
from ..ndarray.ndarray import NDArray
from ..symbol.symbol import load_json
from . import cuda
from .features import _cpu_features

__all__ = ["Diagnosis", "diagnose"]

_PACKAGES = ("numpy", "onnx", "protobuf", "ml_dtypes", "pillow", "safetensors", "click", "rich", "netron")
"""Packages whose versions are told, beside those of which there are several."""
_RUNTIMES = """
onnxruntime onnxruntime-azure onnxruntime-directml onnxruntime-gpu onnxruntime-migraphx onnxruntime-noopenmp
onnxruntime-openvino onnxruntime-qnn onnxruntime-rocm onnxruntime-silicon onnxruntime-training
onnxruntime-training-cpu onnxruntime-webgpu ort-nightly ort-nightly-gpu
""".split()
_OPENCVS = """
opencv-contrib-python opencv-contrib-python-headless opencv-python opencv-python-headless
""".split()
_REQUIRED = {"google.protobuf": "protobuf", "onnx": "onnx", "onnxruntime": "onnxruntime"}
"""The packages of modules that must be there, each after what it imports itself."""
_OPTIONAL = {"PIL": "pillow", "cv2": "opencv-python", "ml_dtypes": "ml_dtypes", "safetensors": "safetensors"}
_INSTRUCTIONS = ("SSE42", "AVX", "AVX2", "FMA3", "AVX512F", "AVX512_SKX", "NEON", "ASIMD", "SVE", "VSX4")
_VARIABLES = ("HYBRIDONNX_", "MXNET_", "OMP_", "OPENBLAS_", "MKL_", "ORT_", "CUDA_VISIBLE")
_WIDTH = 16


@dataclass(frozen=True)
class Diagnosis:
    """What hybridonnx runs on, and what is wrong with it."""

    facts: Mapping[str, str]
    """Versions, the processor and the like by title."""
    problems: tuple[str, ...] = ()
    """What does harm, and what to do about it."""
    notes: tuple[str, ...] = ()
    """What may be a surprise."""
    broken: tuple[str, ...] = ()
    """The packages that cannot be imported."""

    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps({**vars(self), "ok": self.ok()}, indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        lines = [f"{title:<{_WIDTH}}{text}" for title, text in self.facts.items()]
        lines += [f"{'note':<{_WIDTH}}{text}" for text in self.notes]
        lines += [f"{'PROBLEM':<{_WIDTH}}{text}" for text in self.problems]
        return "\n".join([*lines, *(["nothing is wrong"] if self.ok() else [])])


def diagnose() -> Diagnosis:
    """Tell what hybridonnx runs on, and what of it is known to go wrong.

    Returns:
        Versions, the processor, ONNX Runtime's providers and the environment, with problems such as two
        packages of ONNX Runtime, packages that are too old, or a first graph that does not run.
    """
    installed = _installed()
    broken = _broken(installed)
    facts = {
        "hybridonnx": f"{__version__} in {Path(__file__).parents[1]}",
        "Python": f"{platform.python_version()} at {sys.executable}",
        "system": platform.platform(),
        "processor": f"{_processor()}, {_cores()}, with {', '.join(_instructions()) or 'nothing known'}",
        "memory": _memory(),
        **{name: installed[name] for name in _PACKAGES if name in installed},
        **{name: installed[name] for name in (*_RUNTIMES, *_OPENCVS) if name in installed},
        "providers": "unknown" if "onnxruntime" in broken else _providers(),
        "GPUs": _gpus(),
    }
    variables = {name: value for name, value in os.environ.items() if name.startswith(_VARIABLES)}
    facts["environment"] = " ".join(f"{name}={value}" for name, value in sorted(variables.items())) or "-"
    problems = [*_several(installed), *_too_old(installed), *broken.values()]
    notes = _notes(installed)
    if not broken.keys() & {*_REQUIRED.values()}:
        problems += _first_graph()
        notes += _lacks_cuda(installed)
    return Diagnosis(facts, tuple(problems), tuple(notes), tuple(broken))


def _installed() -> dict[str, str]:
    """The versions of all packages by name."""
    packages: dict[str, str] = {}
    for package in metadata.distributions():
        name = package.metadata["Name"]
        if name:
            packages.setdefault(re.sub(r"[-_.]+", "-", name).lower(), package.version)  # what is imported
    for name in _PACKAGES:  # by the names that they are imported by
        plain = name.replace("_", "-")
        if plain in packages:
            packages[name] = packages[plain]
    return packages


# ---- the machine


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    model = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return model[1].strip() if model else platform.machine()


def _cores() -> str:
    usable, share = _usable_cores(), _share()
    cores = f"{os.cpu_count()} cores" if usable == os.cpu_count() else f"{usable} of {os.cpu_count()} cores"
    return f"{cores}, time on {share:g}" if share else cores


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _share(path: str = "/sys/fs/cgroup/cpu.max") -> float:
    """How many cores' time a container may take; 0 if as much as it likes."""
    try:
        limit, period = Path(path).read_text(encoding="utf-8").split()
        return 0.0 if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError):
        return 0.0


def _instructions() -> list[str]:
    features = _cpu_features()
    return [name for name in _INSTRUCTIONS if features.get(name)]


def _memory() -> str:
    try:
        amount = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "unknown"
    return f"{amount / 1e9:.1f} GB"


def _providers() -> str:
    import onnxruntime

    return f"{', '.join(onnxruntime.get_available_providers())} of ONNX Runtime {onnxruntime.__version__}"


def _gpus() -> str:
    """The GPUs that NVIDIA's driver tells of, and the CUDA that it serves."""
    names = cuda.names()
    return f"{', '.join(names)}, of a driver for CUDA {cuda.version()}" if names else "none of NVIDIA's"


def _lacks_cuda(installed: Mapping[str, str]) -> list[str]:
    """What keeps ONNX Runtime from the GPUs that are there."""
    if not cuda.names():
        return []
    if "CUDAExecutionProvider" not in _providers():
        package = next((name for name in _RUNTIMES if name in installed), "onnxruntime")
        return [
            f"GPUs are used by onnxruntime-gpu, got {package}: pip uninstall {package}, then pip install "
            "'onnxruntime-gpu[cuda,cudnn]'."
        ]
    try:
        NDArray(np.ones(1, np.float32), gpu()).asnumpy()
    except MXNetError as exc:
        return [
            f"ONNX Runtime does not start on the GPU. {exc} Its package needs CUDA and cuDNN of the versions "
            "that it was made for: pip install 'onnxruntime-gpu[cuda,cudnn]'."
        ]
    return []


# ---- what goes wrong


def _several(installed: Mapping[str, str]) -> list[str]:
    """Packages that write into one folder, so that the last one installed is mixed with the others."""
    problems = []
    for names, folder in ((_RUNTIMES, "onnxruntime"), (_OPENCVS, "cv2")):
        present = [name for name in names if name in installed]
        if len(present) > 1:
            problems.append(
                f"one package is required that has {folder}, got {', '.join(present)}, which overwrite each "
                f"other's files; pip uninstall {' '.join(present)}, then pip install the one that is meant."
            )
    return problems


def _broken(installed: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with packages that cannot be imported, or lack what is compiled, by their names."""
    broken: dict[str, str] = {}
    for module, name in (_REQUIRED | _OPTIONAL).items():
        families = {"onnxruntime": _RUNTIMES, "opencv-python": _OPENCVS}.get(name, [name])
        package = next((item for item in families if item in installed), name)
        if module in _OPTIONAL and package not in installed:
            continue
        try:
            _import(module)
        except Exception as exc:  # noqa: BLE001  # packages that do not fit each other raise anything
            if "protobuf" in broken and name == "onnx":  # which fails therefore
                continue
            text = str(exc).strip().partition("\n")[0].rstrip(".")
            broken[name] = (
                f"{package} that can be imported is required, got {type(exc).__name__}: {text}; "
                f"pip install --force-reinstall {package}."
            )
    return broken


def _import(module: str) -> None:
    """Import a module that must be there as a whole."""
    package = import_module(module)
    if module == "onnxruntime" and not hasattr(package, "InferenceSession"):
        raise ImportError("it has no InferenceSession, so a part of it is missing")
    if module == "onnx" and not hasattr(package, "ModelProto"):
        raise ImportError("it has no ModelProto, so a part of it is missing")


def _too_old(installed: Mapping[str, str], needs: Collection[str] | None = None) -> list[str]:
    """Packages that are older than what hybridonnx asks for, or not there."""
    if needs is None:
        try:
            needs = metadata.requires("hybridonnx") or ()
        except metadata.PackageNotFoundError:  # it runs from its sources
            return []
    problems = []
    for need in needs:
        match = re.fullmatch(r"([\w.-]+)>=([\d.]+)", need)
        if match:
            name, least = match[1].lower(), match[2]
            version = installed.get(name) if name != "onnxruntime" else _any_of(_RUNTIMES, installed)
            if version is None or _numbers(version) < _numbers(least):
                problems.append(f"{name} {least} or later is required, got {version or 'none'}; update it.")
    return problems


def _any_of(names: Collection[str], installed: Mapping[str, str]) -> str | None:
    return next((installed[name] for name in names if name in installed), None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0])[:3]))


_GRAPH = """{"nodes": [
{"op": "null", "name": "data", "inputs": []}, {"op": "null", "name": "weight", "inputs": []},
{"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "2", "no_bias": "True"},
 "inputs": [[0, 0, 0], [1, 0, 0]]}
], "arg_nodes": [0, 1], "heads": [[2, 0, 0]]}"""


def _first_graph() -> list[str]:
    """What goes wrong when a graph is compiled and run, if anything does."""
    from .compile import CompiledGraph

    data = np.array([[1, 2, 3]], np.float32)
    weight = np.array([[1, 0, 2], [0, -1, 1]], np.float32)
    try:
        graph = CompiledGraph(load_json(_GRAPH), ["data"], {"weight": NDArray(weight)})
        (result,) = graph([NDArray(data)])
    except (MXNetError, ImportError, OSError) as exc:
        return [f"a graph that ONNX Runtime runs is required, got an error: {exc}"]
    if not np.array_equal(result.asnumpy(), [[7, 1]]):
        return [f"[[7, 1]] is required of a small product, got {result.asnumpy().tolist()}."]
    return []


def _notes(installed: Mapping[str, str]) -> list[str]:
    notes = []
    originals = [name for name in installed if name == "mxnet" or name.startswith("mxnet-")]
    if originals:
        notes.append(
            f"Apache MXNet is installed as well ({', '.join(originals)}): `import mxnet` is that, unless "
            "HYBRIDONNX_AS_MXNET=replace is set or the command is hybridonnx run --replace."
        )
    share = _share()
    if share and share < _usable_cores() and not config.THREADS():
        cores = _usable_cores()
        notes.append(
            f"ONNX Runtime starts a thread for each of {cores} cores, but has the time of {share:g}: "
            f"HYBRIDONNX_THREADS={max(1, int(share))} may be faster."
        )
    if platform.machine() in ("x86_64", "AMD64") and "AVX2" not in _instructions():
        notes.append("The processor lacks AVX2, which ONNX Runtime's fast kernels are made for.")
    return notes
