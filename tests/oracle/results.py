"""Store what real MXNet 1.9.1 computes for the cases of tests/ops, in results/<family>.npz.

    scripts/oracle results.py [FAMILY ...]

It prints which arrays are new, changed and gone.
For each case and dtype: its visible outputs (`KEY.DTYPE.out.I`), and for float32 the gradients of the
floating-point inputs for fixed head gradients (`KEY.float32.grad.I`). Behind the outputs of optimizer steps
are the states, as the steps leave them; `out` are the weights, as in users' calls. What MXNet refuses is
stored as the text of its error (`KEY.DTYPE.error`).
"""

import ctypes
import os
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path

# oneDNN's kernels refuse what MXNet's own compute, and its pooling gradients are wrong in places; without it
# RNN is wrong and quantized layers fail, so that each of these families is stored by a run of its own
os.environ.setdefault("MXNET_MKLDNN_ENABLED", str(int(sys.argv[1:] in (["rnn"], ["quantized"]))))
os.environ.setdefault("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")

import mxnet as mx
import numpy as np
from mxnet.base import _LIB, check_call
from mxnet.ndarray._internal import _imperative_invoke

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "ops")]

import importlib.util  # noqa: E402


def cases_of(path):
    """The cases that a file of tests/ops lists."""
    spec = importlib.util.spec_from_file_location(f"ops_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


def handle_of(name):
    """MXNet's handle of an operator."""
    handle = ctypes.c_void_p()
    check_call(_LIB.NNGetOpHandle(ctypes.c_char_p(name.encode()), ctypes.byref(handle)))
    return handle.value


def invoke(case, arrays, out=None):
    """The visible outputs of real MXNet."""
    attributes = dict(case.attributes)
    cls = type(case.operator())
    is_np_op = mx.util.is_np_array()
    if cls.variadic:
        attributes.setdefault(cls.variadic, cls.count_of(len(arrays)))
    outputs = _imperative_invoke(
        handle_of(case.op),
        arrays,
        list(attributes),
        [mx_text(v) for v in attributes.values()],
        out,
        is_np_op,
        is_np_op,
    )
    return outputs if isinstance(outputs, list | tuple) else [outputs]


def mx_text(value):
    """An attribute value as MXNet's front end writes it."""
    return np.dtype(value).name if isinstance(value, type) else str(value)


def results(case, dtype):
    """Outputs and, for float32, gradients."""
    array = mx.np.array if mx.util.is_np_array() else mx.nd.array
    xs = [array(a, dtype=a.dtype) for a in case.arrays(dtype)]
    op = case.operator()
    if op.always_updates or hasattr(op, "weights"):
        arrays = dict(zip(op.input_names(), xs, strict=True))
        weights = [arrays[name] for name in op.weights()] if hasattr(op, "weights") else []
        outputs = invoke(case, xs, weights or None)
        states = [arrays[name] for name in op.aux_names()] if op.always_updates else []
        return {f"out.{i}": y.asnumpy() for i, y in enumerate([*outputs, *states])}
    real = case.floating()
    for x, floating in zip(xs, real, strict=True):
        if floating and dtype == "float32":
            x.attach_grad()
    with mx.autograd.record(train_mode=case.training):
        outputs = invoke(case, xs)
    arrays = {f"out.{i}": y.asnumpy() for i, y in enumerate(outputs)}
    if dtype != "float32":
        return arrays
    heads = case.heads([y.asnumpy() for y in outputs])
    try:
        mx.autograd.backward(outputs, [array(h, dtype=h.dtype) for h in heads], train_mode=case.training)
        variables = [x for x, floating in zip(xs, real, strict=True) if floating]
        grads = [x.grad.asnumpy() for x in variables]  # some errors come no earlier
    except mx.MXNetError:
        return arrays
    arrays.update({f"grad.{i}": grad for i, grad in enumerate(grads)})
    return arrays


def store(path):
    """Run and store one family."""
    stored = {}
    as_numpy = path.stem.startswith("np_")
    for case in cases_of(path):
        if case.formula is not None:
            continue
        for dtype in case.dtypes:
            try:
                with mx.util.np_shape(as_numpy), mx.util.np_array(as_numpy):
                    arrays = results(case, dtype)
            except (mx.MXNetError, ValueError, TypeError) as exc:
                arrays = {"error": np.array(str(exc).splitlines()[0][:200])}
            stored.update({f"{case.key()}.{dtype}.{k}": v for k, v in arrays.items()})
    target = ROOT / "tests" / "oracle" / "results" / f"{path.stem}.npz"
    target.parent.mkdir(exist_ok=True)
    print(f"{path.stem}: {compared(stored, target)}")
    np.savez_compressed(target, **stored)
    errors = [k for k in stored if k.endswith(".error")]
    print(f"{path.stem}: {len(stored)} arrays, {target.stat().st_size >> 10} KiB, refused: {len(errors)}")
    for key in errors:
        print("  ", key, stored[key])


def compared(stored, target):
    """How many arrays are new, changed and gone against the file, and the names of those changed and gone."""
    with np.load(target) if target.exists() else nullcontext({}) as file:
        before = {key: file[key] for key in file}
    changed = [k for k in stored if k in before and not same(stored[k], before[k])]
    gone = [k for k in before if k not in stored]
    names = "".join(f"\n   {word} {k}" for word, keys in (("changed", changed), ("gone", gone)) for k in keys)
    return f"{len(stored.keys() - before.keys())} new, {len(changed)} changed, {len(gone)} gone{names}"


def same(a, b):
    numbers = a.dtype.kind == b.dtype.kind == "f"
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=numbers)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    chosen = sys.argv[1:]
    for file in sorted((ROOT / "tests" / "ops").glob("*.py")):
        if file.stem in chosen or (not chosen and file.stem not in ("rnn", "quantized")):
            store(file)
