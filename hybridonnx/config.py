"""Every environment switch: its name, type, default, and what it does."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Generic, TypeVar

from .errors import MXNetError

_T = TypeVar("_T", int, bool, str)


@dataclass(frozen=True)
class Switch(Generic[_T]):
    """An environment variable, read when it is asked for."""

    name: str
    default: _T
    sentence: str

    def __call__(self) -> _T:
        """The value. Raises `MXNetError` if the environment holds something else than the type asks for."""
        text = os.environ.get(self.name)
        if text is None:
            return self.default
        kind = type(self.default)
        try:
            return kind(int(text)) if kind is not str else kind(text)
        except ValueError:
            raise MXNetError(f"{self.name}: an integer is required, got {text!r}.") from None


MXNET_VERSION = Switch("HYBRIDONNX_MXNET_VERSION", 10901, "The MXNet version that symbol.json files name.")
SYNC = Switch("HYBRIDONNX_SYNC", False, "Flush a new file to the disk before it replaces the old one.")
THREADS = Switch("HYBRIDONNX_THREADS", 0, "Threads of an ONNX Runtime session; 0: as many as it likes.")
WORKER_THREADS = Switch(
    "MXNET_MP_WORKER_NTHREADS",
    1,
    "The same in a process that multiprocessing has started; 0: as many as ONNX Runtime likes.",
)
EAGER = Switch(
    "HYBRIDONNX_EAGER",
    "auto",
    "What runs eager operators: numpy, their kernels alone; sessions, ONNX Runtime wherever it can; auto, "
    "what is faster, by operator and size.",
)
DETERMINISM = Switch(
    "MXNET_ENFORCE_DETERMINISM",
    False,
    "Whether results are the same to the last bit however often something ran before: nothing is compiled "
    "anew for what comes often, or stays, which is slower.",
)
BACKWARD_DO_MIRROR = Switch(
    "MXNET_BACKWARD_DO_MIRROR",
    False,
    "Whether hybridized blocks and executors compute cheap operators again for gradients, instead of keeping "
    "what they give: slower, in less memory.",
)
TIMEOUT = Switch(
    "HYBRIDONNX_TIMEOUT",
    600,
    "Seconds that a worker of distributed training waits for the others before it ends the job.",
)
OVERLAP = Switch(
    "HYBRIDONNX_OVERLAP",
    True,
    "Whether distributed training sums gradients over workers while others are still computed.",
)
FAKE_GPU = Switch("HYBRIDONNX_FAKE_GPU", 0, "GPUs that the processor plays, to test what runs on devices.")
ENGINE = Switch(
    "MXNET_ENGINE_TYPE",
    "ThreadedEnginePerDevice",
    "NaiveEngine has calls on a GPU return when their results are there: errors are told in their place.",
)
HOST_OPERATORS = Switch(
    "HYBRIDONNX_HOST_OPERATORS",
    True,
    "Whether operators that a GPU lacks run on the processor, which is told once of each; 0 refuses them.",
)
TF32 = Switch(
    "HYBRIDONNX_TF32",
    False,
    "Whether a GPU may round factors of float32 to 10 bits, which is faster, but not what processors do.",
)
FLUSH_DENORMALS = Switch(
    "HYBRIDONNX_FLUSH_DENORMALS",
    False,
    "Whether numbers nearer to 0 than 1.2e-38 are 0, in the whole process from its first session on.",
)
SESSIONS = Switch(
    "HYBRIDONNX_SESSIONS", 16, "Input shapes for which a hybridized block keeps sessions, those last used."
)
CACHE = Switch(
    "HYBRIDONNX_CACHE",
    "~/.cache/hybridonnx",
    "Folder for optimised models of hybridized blocks, which the next process starts from; 0: none are kept.",
)
CACHE_SIZE = Switch("HYBRIDONNX_CACHE_SIZE", 2048, "The most MiB that these models have together.")
PROFILE = Switch(
    "HYBRIDONNX_PROFILE", "", "Folder for ONNX Runtime's profiles of the sessions, one JSON file for each."
)
PIXELS = Switch(
    "HYBRIDONNX_PIXELS",
    1 << 27,
    "The most pixels that an image file may have to be read; 2 to the power of 27.",
)
REPOSITORY = Switch(
    "MXNET_GLUON_REPO",
    "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/",
    "Address that libraries load parameters and data sets from.",
)
HOME = Switch("MXNET_HOME", "~/.mxnet", "Folder that has parameter files of known networks in `models`.")
OLD_NUMPY = Switch(
    "HYBRIDONNX_OLD_NUMPY",
    False,
    "1 gives NumPy the names that it had when MXNet was written, such as np.float.",
)
AS_MXNET = Switch(
    "HYBRIDONNX_AS_MXNET",
    "1",
    "Whether `mxnet` is hybridonnx where it may be: 1, 0, or replace, which is where Apache MXNet is, too.",
)
