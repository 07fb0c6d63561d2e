"""A tour of arrays: making, indexing, broadcasting, reducing, in place, dtypes, contexts, NumPy and back."""

import mxnet as mx
import numpy as np
from _seeded import show
from mxnet import nd

a = nd.array([[1, 2, 3], [4, 5, 6]])
b = nd.arange(6).reshape((2, 3))
print(a, b.shape, a.size, a.dtype, a.context)
show("arithmetic", nd.concat(a + b, a - b, a * b, a / (b + 1), a**2, -a, 2**b, 1 / a, a % 2, dim=0))
show("comparison", nd.concat(a == b, a != b, a > b, a >= 3, a < 3, a <= b, dim=0))
a += b
a *= 2
show("in place", a)
show(
    "reduce",
    [a.sum().asscalar(), a.mean().asscalar(), a.max().asscalar(), a.min().asscalar(), a.prod().asscalar()],
)
show("axes", nd.concat(a.sum(axis=0), a.mean(axis=(0,)), a.norm(axis=0), nd.argmax(a, axis=0), dim=0))
show("exclude", nd.sum(nd.ones((2, 3, 4)), axis=1, exclude=True))
c = nd.arange(24).reshape((2, 3, 4))
show(
    "slices", nd.concat(c[1, 0:2].reshape((-1,)), c[:, -1, ::2].reshape((-1,)), c[0].T.reshape((-1,)), dim=0)
)
show("advanced", c[nd.array([1, 0]), [2, 1]])
show("ellipsis", c[..., 1:3].reshape((-1,)))
c[0, 1:2] = 100
c[1, :, 3] = nd.array([7, 8, 9])
show("assigned", c)
print(c[None].shape, c.expand_dims(1).shape, c.flatten().shape, c.swapaxes(0, 2).shape)
print(
    c.reshape((-3, 0)).shape,
    c.reshape((0, -4, 3, 1, 0)).shape,
    c.reshape((-2,)).shape,
    c.reshape(4, -1).shape,
)
show("take", nd.take(c, nd.array([0, 5]), axis=2, mode="wrap"))
show("pick", nd.pick(a, nd.array([0, 2])))
show("gather", nd.gather_nd(c, nd.array([[0, 1], [1, 2]])))
show("where", nd.where(a > 10, a, -a))
show("one hot", nd.one_hot(nd.array([1, 0, 2]), 3, on_value=2, off_value=-1))
show("sort", nd.concat(nd.sort(a, axis=1, is_ascend=False), nd.argsort(a, axis=1), dim=1))
show("topk", nd.topk(a, k=2, ret_typ="value"))
values, indices = nd.topk(a, k=2, ret_typ="both")
show("both", nd.concat(values, indices, dim=1))
show("tile", nd.tile(nd.array([1, 2]), reps=(2, 2)))
show("repeat", nd.repeat(a, repeats=2, axis=1))
show(
    "pad",
    nd.pad(nd.ones((1, 1, 2, 2)), mode="constant", constant_value=5, pad_width=(0, 0, 0, 0, 1, 1, 0, 2)),
)
show("split", [part.sum().asscalar() for part in nd.split(c, num_outputs=3, axis=1, squeeze_axis=True)])
show("stack", nd.stack(a, b, axis=1))
show("broadcast", nd.broadcast_to(nd.array([[1], [2]]), shape=(2, 3)) + nd.array([10, 20, 30]))
show("broadcast_like", nd.broadcast_like(nd.ones((1, 3)), a) * b)
show("dot", nd.dot(a, b.T))
show("batch_dot", nd.batch_dot(c, c, transpose_b=True))
show("clip", nd.clip(b, 1, 4))
show(
    "round",
    nd.concat(nd.round(a / 4), nd.floor(a / 4), nd.ceil(a / 4), nd.rint(a / 4), nd.fix(-a / 4), dim=0),
)
half = a.astype("float16")
print(
    half.dtype,
    nd.array([1, 2], dtype="int32").dtype,
    nd.array(np.arange(3)).dtype,
    nd.zeros((2,), dtype="uint8").dtype,
)
show("integer division", nd.array([7, -7, 3], dtype="int32") / nd.array([2, 2, -2], dtype="int32"))
show("uint8", nd.array([250, 3], dtype="uint8") + nd.array([10, 1], dtype="uint8"))
view = a.reshape((3, 2))
view[:] = 1
show("shared", a)
copy = a.copy()
copy[:] = 3
show("copied", a)
part = b[0:1]
part += 100
show("part", b)
target = nd.empty((2, 3))
nd.elemwise_add(a, b, out=target)
show("out", target)
moved = a.as_in_context(mx.cpu(1))
print(moved.context, a.copyto(mx.cpu(0)).context, a.as_in_context(mx.cpu()) is a)
print(nd.array([3.5]).asscalar(), bool(nd.array([0])), len(a), [int(v.asscalar()) for v in nd.array([1, 2])])
print(str(nd.array([[1.5, 2], [3, 4]])), repr(nd.zeros((2,), dtype="int32")))
for row in a:
    show("row", row)
try:
    bool(a)
except ValueError as error:
    print(type(error).__name__)
try:
    a + nd.ones((3, 3))
except mx.MXNetError:
    print("shapes refused")
try:
    a[5]
except IndexError:
    print("index refused")
csr = nd.array([[0, 1, 0], [2, 0, 0]]).tostype("csr")
show("csr", np.concatenate([csr.data.asnumpy(), csr.indices.asnumpy(), csr.indptr.asnumpy()]))
rows = nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [0, 3]), shape=(5, 2))
print(rows.stype, rows.shape)
show("rows", rows.tostype("default"))
show("linspace", nd.linspace(0, 1, 5))
show("full", nd.full((2,), 7) + nd.eye(2) + nd.diag(nd.array([1, 2])))
show("moveaxis", nd.moveaxis(c, 0, 2)[1])
show("sequence", nd.SequenceMask(c, nd.array([1, 2, 1]), use_sequence_length=True, value=-1))
show("smooth", nd.smooth_l1(nd.array([-2, 0.3, 1]), scalar=1))
show("histogram", nd.histogram(nd.array([1, 2, 2, 5]), bins=4, range=(0, 8))[0])
show("depth", nd.depth_to_space(nd.arange(8).reshape((1, 4, 1, 2)), 2))
