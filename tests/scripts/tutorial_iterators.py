"""Data that is read: NDArrayIter, CSVIter, LibSVMIter, RecordIO files with headers, Gluon's loaders."""

import os
import tempfile

import mxnet as mx
import numpy as np
from _seeded import show
from mxnet import gluon, nd

folder = tempfile.mkdtemp()
path = lambda name: os.path.join(folder, name)  # noqa: E731
rng = np.random.RandomState(0)
data = rng.rand(10, 3).astype("float32")
label = np.arange(10)
for handle in ("pad", "discard", "roll_over"):
    iterator = mx.io.NDArrayIter(data, label, batch_size=4, last_batch_handle=handle)
    for epoch in range(2):
        for batch in iterator:
            show("%s %d" % (handle, batch.pad), batch.label[0])
        iterator.reset()
named = mx.io.NDArrayIter({"a": data, "b": data * 2}, {"l": label}, 5)
print(named.provide_data, named.provide_label)
print([d.name for d in named.provide_data], named.provide_data[0].layout)
resized = mx.io.ResizeIter(named, 3)
print(sum(1 for _ in resized))
prefetched = mx.io.PrefetchingIter(mx.io.NDArrayIter(data, label, 5))
show("prefetched", [batch.data[0].sum().asscalar() for batch in prefetched])

np.savetxt(path("data.csv"), data, delimiter=",")
np.savetxt(path("label.csv"), label, delimiter=",")
csv = mx.io.CSVIter(
    data_csv=path("data.csv"), data_shape=(3,), label_csv=path("label.csv"), label_shape=(1,), batch_size=4
)
for batch in csv:
    show("csv %d" % batch.pad, batch.label[0])
with open(path("data.libsvm"), "w") as file:
    file.write("1.0 0:0.5 2:1.2\n-2.0\n-3.0 0:0.6 1:2.4 2:1.2\n4 2:-1.2\n")
svm = mx.io.LibSVMIter(data_libsvm=path("data.libsvm"), data_shape=(3,), batch_size=2)
for batch in svm:
    print(batch.data[0].stype)
    show("libsvm", batch.data[0].tostype("default"))
    show("libsvm labels", batch.label[0])

record = mx.recordio.MXRecordIO(path("tmp.rec"), "w")
for i in range(5):
    record.write(b"record_%d" % i)
record.close()
record = mx.recordio.MXRecordIO(path("tmp.rec"), "r")
print([record.read() for _ in range(6)])
record.close()
indexed = mx.recordio.MXIndexedRecordIO(path("tmp.idx"), path("ind.rec"), "w")
for i in range(5):
    header = mx.recordio.IRHeader(0, float(i) if i % 2 else [i, 2.0], i, 0)
    indexed.write_idx(i, mx.recordio.pack(header, b"data %d" % i))
indexed.close()
indexed = mx.recordio.MXIndexedRecordIO(path("tmp.idx"), path("ind.rec"), "r")
header, content = mx.recordio.unpack(indexed.read_idx(3))
print(header.label, header.id, content, indexed.keys)
header, content = mx.recordio.unpack(indexed.read_idx(2))
print(header.flag, header.label, content)
dataset = gluon.data.RecordFileDataset(path("ind.rec")) if os.path.exists(path("ind.idx")) else None
print(dataset)

simple = gluon.data.SimpleDataset(list(range(20)))
print(
    list(simple.filter(lambda v: v % 3 == 0)),
    list(simple.take(4)),
    len(simple.shard(3, 0)),
    simple.transform(lambda v: v * 2)[3],
)
for last in ("keep", "discard", "rollover"):
    loader = gluon.data.DataLoader(simple, 6, last_batch=last)
    print(last, len(loader), [b.shape for b in loader], [b.shape for b in loader])
sampler = gluon.data.BatchSampler(gluon.data.SequentialSampler(7), 3, "keep")
print(list(sampler), len(sampler))
pairs = gluon.data.ArrayDataset(nd.array(data), label)
loader = gluon.data.DataLoader(pairs.transform(lambda x, y: (x * 2, y + 1)), batch_sampler=sampler)
for x, y in loader:
    show("loaded", nd.concat(x.sum(axis=1), y.astype("float32"), dim=0))
ragged = [(np.arange(n), n) for n in (2, 4, 3)]


def batchify(rows):
    return nd.array([np.pad(a, (0, 4 - len(a))) for a, _ in rows]), nd.array([n for _, n in rows])


for x, n in gluon.data.DataLoader(ragged, 3, batchify_fn=batchify):
    show("padded", x)
for x, y in gluon.data.DataLoader(pairs, 5, num_workers=2, thread_pool=True):
    show("threads", y)
