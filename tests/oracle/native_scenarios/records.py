"""RecordIO files with and without an index, and headers."""

import numpy as np


def _bytes(path):
    with open(path, "rb") as file:
        return file.read().hex()


def headers(mx, show):
    R = mx.recordio
    show(str(R.IRHeader(0, 4, 5, 6)), R.IRHeader._fields)
    for header in (
        (0, 4.0, 2574, 0),
        (0, [1, 2, 3], 2574, 0),
        (0, np.array([1.5, 2]), 7, 8),
        (5, 3.25, 1, 2),
        (0, 3, 2**40, 2**63),
        (0, (1,), 0, 0),
        (1, [], 0, 0),
        (0, np.float64(2), 1, 1),
        (0, np.int64(2), 1, 1),
    ):
        packed = R.pack(R.IRHeader(*header), b"payload")
        again, rest = R.unpack(packed)
        show(packed.hex(), again.flag, np.array(again.label).tolist(), again.id, again.id2, rest.decode())
    show(R.pack((0, 1, 2, 3), b"x").hex())


def files(mx, show):
    R, path = mx.recordio, show.path("a.rec")
    w = R.MXRecordIO(path, "w")
    for i in range(5):
        w.write(b"record_%d" % i)
    w.write(bytes.fromhex("0a23d7ce") * 3)
    show(w.writable, w.is_open, w.flag)
    w.close()
    w.close()
    show(w.is_open, _bytes(path))
    r = R.MXRecordIO(path, "r")
    show([str(r.read()) for _ in range(8)])
    r.reset()
    show(str(r.read()))
    r.close()
    show.error(R.MXRecordIO, show.path("none.rec"), "r")
    show.error(R.MXRecordIO, path, "a")


def indexed(mx, show):
    R, index, path = mx.recordio, show.path("b.idx"), show.path("b.rec")
    w = R.MXIndexedRecordIO(index, path, "w")
    for key in (3, 1, "7"):
        w.write_idx(key, b"rec%s" % str(key).encode())
    show(w.keys, sorted(w.idx.items()), w.tell())
    w.close()
    show(_bytes(index), _bytes(path))
    r = R.MXIndexedRecordIO(index, path, "r")
    show(r.keys, str(r.read_idx(1)), str(r.read()), str(r.read_idx(3)))
    show.error(r.read_idx, 9)
    r.seek(7)
    show(str(r.read()))
    r.reset()
    show(str(r.read()), r.keys)
    r.close()
    show.error(R.MXIndexedRecordIO, show.path("none.idx"), path, "r")


def keys_of_text(mx, show):
    R, index, path = mx.recordio, show.path("c.idx"), show.path("c.rec")
    w = R.MXIndexedRecordIO(index, path, "w", key_type=str)
    w.write_idx("a", b"1")
    w.write_idx("b", b"22222")
    w.close()
    r = R.MXIndexedRecordIO(index, path, "r", key_type=str)
    show(r.keys, str(r.read_idx("b")), _bytes(index))
    show.error(R.MXIndexedRecordIO, index, path, "r")


def damaged(mx, show):
    path = show.path("d.rec")
    with open(path, "wb") as file:
        file.write(b"garbage!" * 3)
    show.error(mx.recordio.MXRecordIO(path, "r").read)
