"""Making arrays, contexts, printed forms, files; see ../../snippets.py."""

from snippets import lines

DTYPES = "float16 float32 float64 int8 int32 int64 uint8 bool".split()
CREATION = lines(
    """
    nd.array([[1, 2], [3, 4]])
    nd.array(3)
    nd.array([])
    nd.array(None)
    nd.array(range(3))
    nd.array((1, 2.5))
    nd.array([True, False])
    nd.array(np.arange(3))
    nd.array(np.ones((2, 1), 'float64'))
    nd.array(np.asfortranarray(np.arange(6).reshape(2, 3)))
    nd.array(nd.array([1], dtype='int32'))
    nd.array(nd.array([1.7]), dtype='int32')
    nd.array([1.9, -1.9], dtype='int32')
    nd.array([300, -1], dtype='uint8')
    nd.array([1, 0, 2], dtype=bool)
    nd.array([1, 2], dtype='float64')
    nd.array([1, 2], dtype=np.float16)
    nd.array([1, 2], dtype=int)
    nd.array([1, 2], dtype=float)
    nd.array([[1, 2], [3]])
    nd.array('a')
    nd.array(object())
    nd.array((i for i in [1]))
    nd.array([1], dtype='foo')
    nd.zeros(3)
    nd.zeros((2, 3))
    nd.zeros([2, 3])
    nd.zeros(shape=(2,), dtype='int32')
    nd.zeros((2,), dtype=int)
    nd.zeros((2,), dtype=float)
    nd.zeros((2,), dtype='bool')
    nd.zeros((2,), mx.cpu(), 'uint8')
    nd.zeros(-1)
    nd.zeros((2, -1))
    nd.ones((2, 3), dtype='int64')
    nd.ones(2, dtype='float16')
    nd.empty((0,))
    nd.empty((2, 3)).shape
    nd.empty(3, dtype='int8').dtype
    nd.full((2,), 3)
    nd.full((2,), 3.7, dtype='int32')
    nd.full(2, 3, dtype='float64')
    nd.full((0,), 2)
    nd.full((2,), 3, out=nd.zeros((2,)))
    nd.arange(5)
    nd.arange(2, 5)
    nd.arange(0, 1, 0.3)
    nd.arange(5, 0, -2)
    nd.arange(5, 0)
    nd.arange(0)
    nd.arange(start=1, stop=None)
    nd.arange(0, 2, repeat=2)
    nd.arange(0, 3, 2, 3)
    nd.arange(3, dtype='int32')
    nd.arange(1, 10, 2, dtype='float16')
    nd.arange(0, 4, infer_range=True)
    nd.arange(-2.5, 2)
    nd.linspace(0, 1, 5)
    nd.linspace(0, 1, 5, endpoint=False)
    nd.linspace(0, 1, 1)
    nd.linspace(0, 10, 3, dtype='int32')
    nd.linspace(1, -1, 3)
    nd.eye(3)
    nd.eye(2, 3, 1)
    nd.eye(3, k=-1, dtype='int32')
    nd.eye(2, 0)
    nd.zeros_like(nd.ones((2,), dtype='int32'))
    nd.ones_like(nd.zeros((2,), dtype='int32'))
    nd.from_numpy(np.arange(3))
    nd.from_numpy(np.ones((2, 3)).T)
    nd.from_numpy(np.ones((2, 3)).T, zero_copy=False)
    nd.concatenate([nd.ones((1, 2)), nd.zeros((2, 2))])
    nd.concatenate([nd.ones((1, 2)), nd.zeros((1, 1))], axis=1)
    nd.moveaxis(nd.zeros((2, 3, 4)), 0, 2).shape
    nd.moveaxis(nd.zeros((2, 3, 4)), [0, 1], [2, 1]).shape
    nd.moveaxis(nd.zeros((2, 3, 4)), -1, 0).shape
    nd.moveaxis(nd.zeros((2, 3, 4)), 3, 0)
    nd.onehot_encode(nd.array([1, 0]), nd.zeros((2, 3)))
    nd.histogram(nd.array([1, 2, 2, 3, 9]), bins=4, range=(0, 8))
    nd.histogram(nd.array([1, 2, 2, 3, 9]), bins=3)
    nd.histogram(nd.array([1, 2, 2, 3, 9]), nd.array([0, 2, 5.]))
    """
)
CONTEXTS = lines(
    """
    nd.ones((2,)).context
    nd.ones((2,), ctx=mx.cpu(1)).ctx
    nd.array([1], ctx=mx.cpu(2)).context
    nd.ones((2,)).as_in_context(mx.cpu(1)).context
    nd.ones((2,)).copyto(mx.cpu(1)).context
    nd.ones((2,)).copyto(nd.zeros((2,), mx.cpu(1))).context
    (nd.ones((2,), mx.cpu(1)) + 1).context
    (nd.ones((2,), mx.cpu(1)) + nd.ones((2,))).context
    nd.concat(nd.ones((2,)), nd.ones((2,), mx.cpu(1)), dim=0).context
    nd.ones((2,), mx.cpu(1))[0].context
    nd.ones((2,), mx.cpu(1)).reshape((2, 1)).context
    nd.random.uniform(shape=(2,), ctx=mx.cpu(1)).context
    nd.ones((2,), ctx=mx.gpu(0))
    nd.array([1], ctx=mx.gpu(0))
    nd.ones((2,)).as_in_context(mx.gpu())
    nd.ones((2,)).copyto(mx.gpu())
    nd.ones((2,)).as_in_context(None)
    nd.ones((2,)).as_in_context('cpu')
    nd.ones((2,)).copyto(3)
    nd.ones((2,)).copyto(nd.zeros((3,)))
    nd.array([1.7]).copyto(nd.zeros((1,), dtype='int32'))
    mx.cpu(0) == mx.cpu()
    mx.cpu(0) == mx.cpu(1)
    [str(mx.cpu(3)), repr(mx.gpu(1)), mx.cpu().device_type, mx.gpu(2).device_id]
    mx.cpu_pinned().device_typeid
    mx.Context(mx.cpu(2))
    mx.current_context()
    """
) + lines(
    """
    with mx.cpu(1): a = nd.ones((2,))
    [str(a.context), str(mx.current_context())]

    x = nd.ones((2,))
    x.as_in_context(mx.cpu()) is x

    x = nd.ones((2,))
    x.as_in_context(mx.cpu(1)) is x
    """
)
PRINTING = [
    *[f"repr(nd.array([[1, 0, 2], [3, 4, 5]], dtype='{d}'))" for d in DTYPES],
    *[f"str(nd.array([[1, 0, 2]], dtype='{d}')[0, 0])" for d in DTYPES],
    *lines(
        """
        repr(nd.array([1e-10, 1]))
        repr(nd.array([1e10, 1]))
        repr(nd.array([np.nan, np.inf, -np.inf]))
        repr(nd.array([1/3, 2/3], dtype='float64'))
        repr(nd.array([1/3, 2/3], dtype='float16'))
        repr(nd.arange(2000))
        repr(nd.array(3))
        repr(nd.array([]))
        repr(nd.zeros((2, 3))[1:1])
        repr(nd.array([[[1]]]))
        repr(nd.ones((2,), mx.cpu(2)))
        repr([nd.ones((1,))])
        '{}'.format(nd.ones((1,)))
        '%s' % nd.ones((1,))
        '{:.2f}'.format(nd.ones((2,)))
        repr(nd.zeros((2, 2)).tostype('csr'))
        """
    ),
]

FILES = lines(
    """
    import os, tempfile
    path = os.path.join(tempfile.mkdtemp(), 'a')
    nd.save(path, [nd.array([1, 2]), nd.array([[3]], dtype='int32')])
    nd.load(path)

    import os, tempfile
    path = os.path.join(tempfile.mkdtemp(), 'a')
    nd.save(path, {'a': nd.array([1, 2]), 'arg:b': nd.array([[3]], dtype='int64')})
    nd.load(path)

    import os, tempfile
    path = os.path.join(tempfile.mkdtemp(), 'a')
    nd.save(path, nd.array([1, 2]))
    nd.load(path)

    import os, tempfile
    path = os.path.join(tempfile.mkdtemp(), 'a')
    nd.save(path, nd.array([1, 2]))
    nd.load_frombuffer(open(path, 'rb').read())

    import os, tempfile
    path = os.path.join(tempfile.mkdtemp(), 'a')
    nd.save(path, {})
    nd.load(path)

    import os, tempfile
    path = os.path.join(tempfile.mkdtemp(), 'a')
    nd.save(path, [3])
    nd.load(path)

    nd.load('/nonexistent/file')
    """
)

GROUPS = {"creation": CREATION, "contexts": CONTEXTS, "printing": PRINTING, "files": FILES}
