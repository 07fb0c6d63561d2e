"""Methods; see ../../snippets.py."""

from snippets import lines

X = "x = nd.arange(24).reshape((2, 3, 4))\n"
METHODS = (
    lines(
        """
    x.reshape(shape=(4, 6)).shape
    x.reshape(6, 4).shape
    x.reshape((6, 4)).shape
    x.reshape([6, 4]).shape
    x.reshape(24).shape
    x.reshape(-1).shape
    x.reshape(0, -1).shape
    x.reshape((0, 0, 0)).shape
    x.reshape((-2,)).shape
    x.reshape((-3, -2)).shape
    x.reshape((0, -3)).shape
    x.reshape((-4, 1, 2, -2)).shape
    x.reshape((2, -4, -1, 3, -2)).shape
    x.reshape((-2, 1, 1)).shape
    x.reshape((-3, 0)).shape
    x.reshape((0, -4, 3, -1, 0)).shape
    x.reshape((-1, 0), reverse=True).shape
    x.reshape((0, -1), reverse=True).shape
    x.reshape((-1, 0, 0), reverse=True).shape
    x.reshape(shape=(6, 4), reverse=True).shape
    x.reshape((5, 5))
    x.reshape((2, 2))
    x.reshape((7, -1))
    x.reshape((-1, -1))
    x.reshape(6, 4, foo=1)
    x.reshape('a')
    x.reshape((6, 4.0))
    x.reshape(6, 'a')
    x.reshape((2, 3, 4), (1,))
    x.reshape(())
    nd.array([1]).reshape(())
    nd.array(3).reshape((1, 1))
    x.reshape_like(nd.ones((6, 4))).shape
    x.astype('int32')
    x.astype(np.float16).dtype
    x.astype(float).dtype
    x.astype('foo')
    x.astype(x.dtype) is x
    x.astype(x.dtype, copy=False) is x
    x.astype('float32', copy=False) is x
    x.copy() is x
    x.asnumpy()
    [x.shape, x.size, x.ndim, x.dtype, x.stype]
    [x.dtype is np.float32, x.dtype == 'float32', nd.ones((1,), dtype='bool').dtype is np.bool_]
    x.wait_to_read()
    nd.waitall()
    x.T
    x.slice_assign(nd.ones((1, 2, 3)), (0, 0, 0), (1, 2, 3), (None, None, None)) is not None
    x.slice_assign_scalar(9, (0, 0, 0), (1, 2, 3), (None, None, None)) is not None
    x.expand_dims(0).shape
    x.expand_dims(axis=-1).shape
    x.flip(axis=1)
    x.swapaxes(0, 1).shape
    x.transpose((1, 0, 2)).shape
    x.transpose(axes=(1, 0, 2)).shape
    x.transpose().shape
    x.squeeze().shape
    x.expand_dims(0).squeeze(axis=0).shape
    x.flatten().shape
    x.broadcast_to((2, 3, 4)).shape
    x.split(2, axis=0)
    x.split(num_outputs=3, axis=1, squeeze_axis=True)
    x.split_v2(2, axis=2)
    nd.split_v2(x, 3, axis=1)
    nd.split_v2(x, (1, 2), axis=2)
    nd.split_v2(x, 2, axis=0, squeeze_axis=True)
    nd.split_v2(x, (0, 1), axis=1)
    nd.split_v2(x, 1.5)
    x.tile(2).shape
    x.tile((2, 1)).shape
    x.tile(reps=(2, 1, 1, 1)).shape
    x.repeat(2).shape
    x.repeat(repeats=2, axis=1).shape
    x.expand_dims(0).pad(mode='constant', pad_width=(0, 0, 0, 0, 1, 1, 0, 0), constant_value=5).shape
    nd.pad(x.expand_dims(0), mode='edge', pad_width=(0, 0, 0, 0, 1, 1, 2, 0))
    nd.pad(x.expand_dims(0), mode='reflect', pad_width=(0, 0, 0, 0, 1, 1, 2, 0))
    x.pad(mode='constant', pad_width=(0, 0, 0, 0, 1, 1))
    x.slice(begin=(0,), end=(1,)).shape
    x.slice((0, None), (None, 2))
    x.slice_axis(0, 0, 1).shape
    x.slice_axis(axis=1, begin=-2, end=None)
    x.slice_like(nd.ones((1, 2, 3))).shape
    x.take(nd.array([0, -1]), axis=1)
    x.take(nd.array([5, -1]), axis=1, mode='wrap')
    x.one_hot(3).shape
    nd.array([1, 0, 7, -1]).one_hot(3)
    x.pick(nd.array([[0, 1, 2], [3, 0, 9]]))
    x.pick(nd.zeros((2, 4)), axis=1).shape
    nd.array([3, 1, 2]).sort(is_ascend=False)
    nd.array([[3, 1, 2]]).topk(k=2)
    nd.array([[3, 1, 2]]).topk(k=2, ret_typ='both')
    nd.array([[3, 1, 2]]).topk(k=2, ret_typ='value', is_ascend=True)
    nd.array([[3, 1, 2]]).argsort()
    nd.array([[3, 1, 2]]).argsort(dtype='int32')
    x.argmax()
    x.argmax(axis=1)
    x.argmin(axis=1, keepdims=True).shape
    x.astype('int32').argmax(axis=2)
    nd.array([[1, 5, 3], [7, 2, 1]]).argmax_channel()
    x.clip(1, 5)
    x.clip(a_min=1, a_max=5).max()
    x.norm()
    x.norm(ord=1, axis=1)
    x.mean()
    x.mean(axis=1)
    x.sum()
    x.sum(0)
    x.sum(axis=(0, 1))
    x.sum(axis=1, exclude=True)
    x.sum(axis=7)
    x.max(axis=1, keepdims=True)
    x.min(axis=(0, 2))
    x.prod(axis=2)
    nd.array([1, np.nan, 2]).nansum()
    nd.array([1, np.nan, 2]).nanprod()
    x.astype('int32').mean()
    x.softmax().sum(axis=-1)
    x.softmax(axis=0)
    x.softmin(axis=0)
    x.log_softmax(axis=-1)
    x.shape_array()
    x.size_array()
    x.diag()
    x.diag(k=1, axis1=1, axis2=2)
    nd.array([1, 2]).diag()
    x.expand_dims(0).transpose((0, 3, 1, 2)).depth_to_space(2).shape
    x.depth_to_space(1)
    nd.ones((1, 1, 2, 4)).space_to_depth(2).shape
    nd.ones((1, 2)).broadcast_axes(axis=0, size=3).shape
    nd.ones((1, 2)).broadcast_like(nd.ones((3, 2))).shape
    x.zeros_like().sum()
    x.ones_like().sum()
    x.as_nd_ndarray() is x
    nd.array([-1.5, -0.5, 0.5, 1.5, 2.5]).round()
    nd.array([-1.5, -0.5, 0.5, 1.5, 2.5]).rint()
    nd.array([-1.5, -0.5, 0.5, 1.5, 2.5]).fix()
    nd.array([-1.5, 2.5]).floor()
    nd.array([-1.5, 2.5]).ceil()
    nd.array([-1.5, 2.5]).trunc()
    nd.stack(x, x, axis=0).shape
    nd.concat(x, x, dim=2).shape
    nd.concat(x, x.astype('int32'), dim=2)
    nd.where(x > 5, x, -x)
    nd.dot(x, nd.ones((4, 2))).shape
    nd.exp()
    nd.sum(x, foo=2)
    nd.FullyConnected(x, num_hidden=3)
    nd.Activation(x)
    nd.Activation(x, act_type='foo')
    nd.FullyConnected(x, nd.ones((4, 5)), nd.ones((4,)), num_hidden=4)
    nd.nosuchthing
    x.nosuchthing
    x.T.nosuchthing(1)
    """,
        X,
    )
    + [
        X + f"y = abs(x / 24 - 0.5) + 0.1\ny.{name}()"
        for name in """
            abs arccos arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees exp expm1 fix floor
            log log10 log1p log2 radians rcbrt reciprocal relu rint round rsqrt sigmoid sign sin sinh
            sqrt square tan tanh trunc
        """.split()
    ]
    + lines(
        """
    x = nd.zeros((2, 3))
    x.slice_assign(nd.ones((1, 2)), (0, 0), (1, 2), (None, None))
    x

    x = nd.zeros((2, 3))
    x.slice_assign_scalar(9, (0, 1), (2, 3), (None, None))
    x

    import copy
    x = nd.ones((2,))
    y = copy.deepcopy(x)
    y[:] = 5
    [x, y]

    import pickle
    pickle.loads(pickle.dumps(nd.array([1, 2], mx.cpu(1), 'int32')))

    x = nd.ones((2,))
    x.shape = (1, 2)
    x
    """
    )
)

GROUPS = {"methods": METHODS}
