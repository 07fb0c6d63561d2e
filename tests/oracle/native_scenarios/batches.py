"""Iterators over arrays: batches, padding, shuffling."""

import numpy as np


def _rows(kind="float32"):
    return np.arange(14).reshape(7, 2).astype(kind), np.arange(7)


def _epochs(show, it, count=3):
    for _ in range(count):
        for batch in it:
            show([x.asnumpy().tolist() for x in batch.data], [x.asnumpy().tolist() for x in batch.label])
            show(batch.pad, batch.index)
        it.reset()


def descriptions(mx, show):
    d = mx.io.DataDesc("data", (2, 3))
    show(tuple(d), str(d), d.layout, d.dtype is np.float32, d == ("data", (2, 3)))
    show(str(mx.io.DataDesc("x", (1,), "int8", "TNC")))
    show([mx.io.DataDesc.get_batch_axis(layout) for layout in ("NTC", "TNC", None, "C")])
    show(str(mx.io.DataDesc.get_list([("a", (1,))], [("a", np.float16)])))
    show(str(mx.io.DataDesc.get_list([("a", (1,)), ("b", (2, 2))], None)))


def batch_objects(mx, show):
    batch = mx.io.DataBatch([mx.nd.zeros((2, 3))], label=[mx.nd.zeros((2,))], pad=1)
    show(str(batch), batch.pad, batch.index, batch.bucket_key, batch.provide_data, batch.provide_label)
    show(str(mx.io.DataBatch([mx.nd.zeros((2, 3))])))


def padded(mx, show):
    it = mx.io.NDArrayIter(*_rows(), 3)
    show(str(it.provide_data), str(it.provide_label), it.num_data, it.batch_size, it.cursor)
    _epochs(show, it)


def discarded(mx, show):
    _epochs(show, mx.io.NDArrayIter(*_rows(), 3, last_batch_handle="discard"))


def rolled_over(mx, show):
    _epochs(show, mx.io.NDArrayIter(*_rows(), 3, last_batch_handle="roll_over"), 4)


def larger_than_the_data(mx, show):
    _epochs(show, mx.io.NDArrayIter(*_rows(), 10), 2)


def even(mx, show):
    for handle in ("pad", "discard", "roll_over"):
        x, y = _rows()
        _epochs(show, mx.io.NDArrayIter(x[:6], y[:6], 3, last_batch_handle=handle), 2)


def shuffled(mx, show):
    for handle in ("pad", "discard", "roll_over"):
        np.random.seed(3)
        _epochs(show, mx.io.NDArrayIter(*_rows(), 3, shuffle=True, last_batch_handle=handle))


def several_arrays(mx, show):
    x, y = _rows()
    for it in (
        mx.io.NDArrayIter({"b": x, "a": x + 1}, {"l": y}, 2),
        mx.io.NDArrayIter([x, x + 1], [y, y + 1], 2),
        mx.io.NDArrayIter(x, None, 2),
        mx.io.NDArrayIter(x, y, 2, data_name="image", label_name="class"),
    ):
        show(str(it.provide_data), str(it.provide_label))
        _epochs(show, it, 1)


def dtypes(mx, show):
    x, y = _rows("float64")
    show(str(mx.io.NDArrayIter(x, y, 3).next().data[0].dtype))
    it = mx.io.NDArrayIter(mx.nd.array(x, dtype="float16"), mx.nd.array(y, dtype="int32"), 3)
    show(str(it.provide_data), str(it.provide_label))
    batch = it.next()
    show(batch.data[0], batch.label[0])


def by_hand(mx, show):
    it = mx.io.NDArrayIter(*_rows(), 3)
    show(it.iter_next(), it.getdata(), it.getlabel(), it.getpad(), it.getindex(), it.cursor)
    it.hard_reset()
    show(it.cursor)
    list(it)
    show.error(it.next)


def resized(mx, show):
    it = mx.io.ResizeIter(mx.io.NDArrayIter(*_rows(), 3), 5)
    show([(batch.pad, batch.label[0].asnumpy().tolist()) for batch in it], str(it.provide_data))
    it.reset()
    show(len(list(it)))


def refused(mx, show):
    show.error(mx.io.NDArrayIter, None)
    show.error(mx.io.NDArrayIter, "x")
