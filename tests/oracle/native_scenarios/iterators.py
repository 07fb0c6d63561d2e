"""Iterators over files and over other iterators."""

import struct

import numpy as np


def _write(show, name, text):
    with open(show.path(name), "w") as file:
        file.write(text)
    return show.path(name)


def _csv(show, rows=5):
    lines = [",".join(str(4 * i + j + 1) for j in range(4)) for i in range(rows)]
    return _write(show, "d.csv", "\n".join(lines) + "\n")


def _epochs(show, it, count=2, index=True):
    show(str(it.provide_data), str(it.provide_label), it.batch_size)
    for _ in range(count):
        for batch in it:
            show(batch.data, batch.label, batch.pad, batch.index.tolist() if index else None)
        it.reset()


def csv_rounds(mx, show):
    _epochs(show, mx.io.CSVIter(data_csv=_csv(show), data_shape=(4,), batch_size=2), 3)
    _epochs(show, mx.io.CSVIter(data_csv=_csv(show), data_shape=(4,), batch_size=4), 3)
    _epochs(show, mx.io.CSVIter(data_csv=_csv(show, 4), data_shape=(4,), batch_size=2))


def csv_labels(mx, show):
    labels = _write(show, "l.csv", "0\n1\n2\n3\n4\n")
    path = _csv(show)
    _epochs(show, mx.io.CSVIter(data_csv=path, data_shape=(2, 2), label_csv=labels, batch_size=2))
    it = mx.io.CSVIter(
        data_csv=path, data_shape=(4,), label_csv=path, label_shape=(2, 2), batch_size=2, round_batch=False
    )
    _epochs(show, it)


def csv_dtypes(mx, show):
    for dtype in ("int32", "int64", "float32"):
        it = mx.io.CSVIter(data_csv=_csv(show), data_shape=(4,), batch_size=2, dtype=dtype, round_batch=False)
        _epochs(show, it)
    path = _write(show, "e.csv", "1e2,-.5,+2,3.25\r\n1, 2 ,3,0.1\r\n")
    it = mx.io.CSVIter(data_csv=path, data_shape=(4,), batch_size=2, data_name="x", label_name="y")
    _epochs(show, it, 1)


def csv_refused(mx, show):
    path = _csv(show)
    show.error(mx.io.CSVIter, data_csv=show.path("none"), data_shape=(4,), batch_size=2)
    show.error(mx.io.CSVIter, data_csv=path, data_shape=(4,), batch_size=2, dtype="float64")
    show.error(mx.io.CSVIter, data_csv=path, batch_size=2)
    show.error(mx.io.CSVIter, data_csv=path, data_shape=(4,))


def _mnist(show, count=7):
    with open(show.path("images"), "wb") as file:
        file.write(struct.pack(">4i", 2051, count, 3, 2))
        file.write((np.arange(count * 6) * 6 % 256).astype("uint8").tobytes())
    with open(show.path("labels"), "wb") as file:
        file.write(struct.pack(">2i", 2049, count) + bytes(range(count)))
    return {"image": show.path("images"), "label": show.path("labels"), "silent": True}


def mnist(mx, show):
    files = _mnist(show)
    _epochs(show, mx.io.MNISTIter(batch_size=3, shuffle=False, **files), index=False)
    _epochs(show, mx.io.MNISTIter(batch_size=3, shuffle=False, flat=True, **files), index=False)
    it = mx.io.MNISTIter(batch_size=2, shuffle=False, flat=True, num_parts=2, part_index=1, **files)
    _epochs(show, it, index=False)


def mnist_shuffled(mx, show):
    it = mx.io.MNISTIter(batch_size=7, flat=True, seed=3, **_mnist(show))
    epochs = []
    for _ in range(2):
        epochs.append([batch.label[0].asnumpy().astype(int).tolist() for batch in it])
        it.reset()
    show(epochs[0] == epochs[1], sorted(epochs[0][0]))


def mnist_refused(mx, show):
    files = _mnist(show)
    show.error(mx.io.MNISTIter, **{**files, "image": show.path("none")})
    show.error(mx.io.MNISTIter, **{**files, "label": _write(show, "bad", "x")})


def _svm(show):
    return _write(show, "d.svm", "1.0 0:0.5 2:1.2\n-2.0\n-3.0 0:0.6 1:2.4 2:1.2\n4 2:-1.2\n")


def _sparse(show, it, count=2):
    for _ in range(count):
        for batch in it:
            show([x.stype for x in batch.data + batch.label], batch.data[0].asnumpy())
            show(batch.label[0].asnumpy(), batch.pad)
        it.reset()


def libsvm(mx, show):
    it = mx.io.LibSVMIter(data_libsvm=_svm(show), data_shape=(3,), batch_size=3)
    show(str(it.provide_data), str(it.provide_label))
    _sparse(show, it)
    labels = _write(show, "l.svm", "1.0\n-2.0 0:0.125\n-3.0 2:1.2\n4 1:1.0 2:-1.2\n")
    it = mx.io.LibSVMIter(
        data_libsvm=_svm(show), data_shape=(3,), label_libsvm=labels, label_shape=(3,), batch_size=2
    )
    show(str(it.provide_data), str(it.provide_label))
    _sparse(show, it)


def _rows():
    return np.arange(14).reshape(7, 2).astype("float32"), np.arange(7).astype("float32")


def _batches(show, it, count=2):
    for _ in range(count):
        for batch in it:
            show(batch.data, batch.label, batch.pad)
        it.reset()


def prefetched(mx, show):
    it = mx.io.PrefetchingIter(mx.io.NDArrayIter(*_rows(), 3))
    show(str(it.provide_data), str(it.provide_label), it.batch_size)
    _batches(show, it)
    show(it.iter_next(), it.getdata(), it.getlabel(), it.getpad(), it.getindex())


def prefetched_together(mx, show):
    x, y = _rows()
    it = mx.io.PrefetchingIter(
        [mx.io.NDArrayIter(x, y, 2), mx.io.NDArrayIter(x + 1, y + 1, 2)],
        rename_data=[{"data": "a"}, {"data": "b"}],
        rename_label=[{"softmax_label": "c"}, {"softmax_label": "d"}],
    )
    show(str(it.provide_data), str(it.provide_label), it.batch_size)
    _batches(show, it)
    batch = it.next()
    show(str(batch.provide_data), str(batch.provide_label))


def resized(mx, show):
    it = mx.io.ResizeIter(mx.io.NDArrayIter(*_rows(), 3), 2)
    _batches(show, it)
    it = mx.io.ResizeIter(mx.io.NDArrayIter(*_rows(), 3), 2, reset_internal=False)
    _batches(show, it, 3)
    show(it.iter_next(), it.getdata(), it.getpad())


def arguments_without_effect(mx, show):
    files = _mnist(show)
    for options in ({"data_shape": (784,)}, {"foo": 1}, {"round_batch": True, "preprocess_threads": 4}):
        _epochs(show, mx.io.MNISTIter(batch_size=3, shuffle=False, **files, **options), 1, index=False)
    for options in ({"num_parts": 2, "part_index": 1}, {"shuffle": True, "foo": "bar"}):
        _epochs(show, mx.io.CSVIter(data_csv=_csv(show), data_shape=(4,), batch_size=2, **options), 1)


def arguments_as_text(mx, show):
    files = _mnist(show)
    for flat in ("True", "0", "1", "false"):
        it = mx.io.MNISTIter(batch_size="3", shuffle="False", flat=flat, **files)
        _epochs(show, it, 1, index=False)
    show.error(mx.io.MNISTIter, batch_size=4.0, **files)
    show.error(mx.io.MNISTIter, flat="maybe", **files)
    path = _csv(show)
    _epochs(show, mx.io.CSVIter(data_csv=path, data_shape="(2, 2)", batch_size="2", round_batch="0"), 1)


class _Steps:
    """What a user's iterator does, as a mixin of `DataIter`."""

    count = 0

    def reset(self):
        self.count = 0

    def next(self):
        if self.count == 2:
            raise StopIteration
        self.count += 1
        return self.batch(self.count)


def described_by_attributes(mx, show):
    class Own(_Steps, mx.io.DataIter):
        def __init__(self):
            super().__init__(batch_size=2)
            self.provide_data = [("data", (2, 3))]
            self.provide_label = [("softmax_label", (2,))]

        def batch(self, number):
            return mx.io.DataBatch([mx.nd.ones((2, 3)) * number], [mx.nd.zeros((2,))], pad=0)

    it = Own()
    show(it.provide_data, it.provide_label, [b.data[0] for b in it])
    show.error(getattr, mx.io.DataIter(), "provide_data")
    it.reset()
    net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), name="softmax")
    module = mx.mod.Module(net)
    module.fit(it, num_epoch=1, initializer=mx.init.Zero(), optimizer_params={"learning_rate": 0.1})
    it.reset()
    show(module.score(it, "acc"), module.get_params()[0])
    for wrap in (lambda: mx.io.ResizeIter(it, 3), lambda: mx.io.PrefetchingIter(it)):
        it.reset()
        wrapped = wrap()
        show(
            [[d[0], list(d[1])] for d in (*wrapped.provide_data, *wrapped.provide_label)], len(list(wrapped))
        )
    resized = mx.io.ResizeIter(it, 3)
    resized.provide_data = [("other", (1,))]
    show(resized.provide_data)
