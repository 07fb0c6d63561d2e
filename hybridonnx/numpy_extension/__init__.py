"""`mx.npx`: what neural networks need beside NumPy's functions, on arrays of mx.np."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    modules=("utils",),
    single=dict.fromkeys(
        ("Context", "cpu", "cpu_pinned", "current_context", "gpu", "gpu_memory_info", "num_gpus"), "..context"
    )
    | dict.fromkeys(
        ("get_cuda_compute_capability", "is_np_array", "is_np_shape", "reset_np", "set_np"), "..util"
    )
    | {"waitall": "..ndarray.creation", "with_metaclass": "..base"},
    submodules=("image", "random", "utils"),
    operators="functions",
)
