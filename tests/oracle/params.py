"""Writes params/: files of arrays by Apache MXNet 1.9.1, and what it reads from them.

Run it with the oracle environment's Python (mxnet 1.9.1, numpy 1.23.5):

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/params.py

`files.json` says of each file whether NumPy's shape semantics were on, what `nd.load` returns, and the names,
dtypes, storage types and contexts of the arrays; `values.npz` has their values as FILE/INDEX. With two
arguments, a file and 0 or 1 for NumPy's shape semantics, it prints the same about that file, with digests of
the values.
"""

import hashlib
import json
import os
import struct
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
import numpy as np
from mxnet import nd

FOLDER = Path(__file__).resolve().parent / "params"
DTYPES = ("float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool")
V1 = 0xF993FAC8


def values(dtype, *shape):
    numbers = np.random.RandomState(len(dtype)).standard_normal(shape) * 30
    return nd.array(abs(numbers) if dtype == "uint8" else numbers, dtype="float64").astype(dtype)


def thin(dtype, *shape):
    """Values of which most are zero, also in whole rows."""
    numbers = np.arange(np.prod(shape)).reshape(shape)
    return nd.array(np.where(numbers % 5 == 1, numbers + 1, 0) * (np.arange(shape[-1]) < 3), dtype=dtype)


def by_name():
    arrays = {f"of_{dtype}": values(dtype, 3, 4) for dtype in DTYPES}
    names = ("", "arg:weight name/with:colons", "Gewicht µ 重み", "aux:bn_moving_mean")
    return {**arrays, **{name: values("float32", 1, 2) for name in names}}


def sparse():
    return {
        "csr": thin("float32", 5, 4).tostype("csr"),
        "csr_f64": thin("float64", 4, 6).tostype("csr"),
        "csr_i8": thin("int8", 2, 9).tostype("csr"),
        "csr_empty": nd.sparse.zeros("csr", (3, 4)),
        "rows": thin("float32", 6, 3).tostype("row_sparse"),
        "rows_3d": thin("float16", 4, 2, 3).tostype("row_sparse"),
        "rows_empty": nd.sparse.zeros("row_sparse", (4, 2)),
        "dense": thin("float32", 5, 4),
    }


def under_np_shape():
    return {
        "scalar": nd.array(3.5),
        "scalar_i8": nd.array(7, dtype="int8"),
        "zero_size": nd.array(np.zeros((0, 4))),
        **{f"of_{dtype}": values(dtype, 2, 3) for dtype in DTYPES},
    }


def old(*arrays, v1):
    """A file of an older MXNet; the device of the second array is a GPU."""
    pieces = [struct.pack("<QQQ", 0x112, 0, len(arrays))]
    for index, array in enumerate(arrays):
        flag = DTYPES.index(array.dtype.name)
        axes = array.ndim
        start = struct.pack(f"<Ii{axes}q" if v1 else f"<I{axes}I", *([V1] if v1 else []), axes, *array.shape)
        pieces += [start, struct.pack("<iii", 2 if index == 1 else 1, index, flag), array.tobytes()]
    names = [b"arg:first", b"arg:second", b"aux:third"]
    pieces.append(struct.pack("<Q", len(names)))
    pieces += [struct.pack("<Q", len(name)) + name for name in names]
    return b"".join(pieces)


def write_files():
    nd.save("dtypes.params", by_name())
    nd.save("sparse.params", sparse())
    nd.save("list.params", [values("float32", 2, 3), thin("float32", 3, 3).tostype("csr"), values("int8", 5)])
    nd.save("single.params", values("float16", 3))
    nd.save("nothing.params", {})
    nd.save("devices.params", [nd.ones(2, ctx=mx.cpu(3)), nd.ones(2, ctx=mx.cpu_pinned(0))])
    nd.save("zero_size.params", [nd.array(np.zeros((0, 3))), nd.array([])])
    with mx.util.np_shape(True):
        nd.save("np_shape.params", under_np_shape())
        nd.save("np_shape_list.params", [nd.array(1.0), nd.array([1.0])])
    plain = [values(dtype, 2, 3).asnumpy() for dtype in ("float32", "int8", "float16")]
    Path("v0.params").write_bytes(old(*plain, v1=False))
    Path("v1.params").write_bytes(old(*plain, v1=True))


def write_checkpoint():
    with mx.name.NameManager():
        data = mx.sym.BatchNorm(mx.sym.var("data"), name="bn")
        net = mx.sym.FullyConnected(data, num_hidden=2, name="fc")
    arguments = {
        name: values("float32", *shape) for name, shape in (("fc_weight", (2, 3)), ("fc_bias", (2,)))
    }
    arguments |= {"bn_gamma": nd.ones(3), "bn_beta": nd.zeros(3)}
    states = {"bn_moving_mean": nd.zeros(3), "bn_moving_var": nd.ones(3)}
    mx.model.save_checkpoint("checkpoint", 7, net, arguments, states)


def described(path, np_shape):
    with mx.util.np_shape(np_shape):
        loaded = nd.load(path)
        items = list(loaded.items()) if isinstance(loaded, dict) else [(None, array) for array in loaded]
        arrays = [array.asnumpy() for _, array in items]
    about = [
        {"name": name, "dtype": np.dtype(array.dtype).name, "stype": array.stype, "ctx": str(array.context)}
        for name, array in items
    ]
    return {"np_shape": np_shape, "returns": type(loaded).__name__, "arrays": about}, arrays


def main():
    FOLDER.mkdir(exist_ok=True)
    os.chdir(FOLDER)
    write_files()
    write_checkpoint()
    about, stored = {}, {}
    for path in sorted(Path().glob("*.params")):
        about[path.name], arrays = described(path.name, path.name.startswith("np_shape"))
        stored |= {f"{path.name}/{index}": array for index, array in enumerate(arrays)}
    Path("files.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    np.savez_compressed("values.npz", **stored)


def tell(path, np_shape):
    about, arrays = described(path, np_shape)
    for entry, array in zip(about["arrays"], arrays, strict=True):
        entry |= {"shape": array.shape, "sha256": hashlib.sha256(array.tobytes()).hexdigest()}
    print(json.dumps(about))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        tell(sys.argv[1], sys.argv[2] == "1")
    else:
        main()
