"""Reading and writing by indices, and what shares memory; see ../../snippets.py."""

from snippets import lines

X = "x = nd.arange(24).reshape((2, 3, 4))\n"
KEYS = lines(
    """
    0
    -1
    0:1
    :
    ...
    ()
    0, 1
    0, 1, 2
    0, 1:3
    0:1, 0:2
    0:5
    None
    :, None
    ::2
    1:
    :-1
    0, None, 1
    ..., 0
    0, ...
    0, ..., 1
    ..., 1:3
    :, 1
    :, 1:2
    ::-1
    0, ::2
    0, :, 1:3
    :, :, 0
    :, 0:3
    1, 0:3, 0:4
    0, ::-1
    -1, -1, -1
    np.int64(1)
    True
    False
    [0]
    [0, 1, 0]
    [[0, 1]]
    [[0, 1], [1, 0]]
    :, [0, 2]
    :, [0, 2], 1
    [0, 1], [1, 2]
    [0, 1], :, [1, 2]
    [0, 1], ..., [1, 2]
    0, [0, 2]
    0, :, [0, 2]
    ..., [0, 3]
    [-1]
    nd.array([0, 1])
    nd.array([0, 1], dtype='int32')
    nd.array([1.7])
    nd.array([[0, 1]])
    nd.array([0, 1]), nd.array([2, 0])
    :, nd.array([0])
    np.array([0, 1])
    np.array([1.7])
    [True, False]
    np.array([True, False])
    [0], None
    None, [0]
    [0, 1], None, [1, 2]
    (0, 1)
    1:2, [0], 1:3
    nd.array([[0], [1]]), nd.array([1, 2])
    2
    -3
    0, 3
    0, 1, 2, 3
    ..., ...
    ::0
    'a'
    1.5
    1.5, 0
    [5]
    [0, 1], [1, 2, 0]
    {1: 2}
    """
)
GETTING = [f"{X}y = x[{key}]\nz = y.copy()\ny[:] = 99\n[z, bool((x.asnumpy() == 99).any())]" for key in KEYS]
GETTING += [
    f"{X}y = {expression}\ny[:] = 99\nbool((x.asnumpy() == 99).any())"
    for expression in """
        x.reshape((6,4)) nd.reshape(x,(6,4)) x.T x.transpose() x.swapaxes(0,1) x.flatten()
        x.expand_dims(0) x.squeeze() x.reshape_like(nd.ones((6,4))) x.slice((0,),(1,))
        x.broadcast_to((2,3,4)) x.split(2,axis=0)[0] nd.array(x) x.copy() x.astype('float32')
        x.astype('float32',copy=False) x.detach() x.as_in_context(mx.cpu()) x.as_in_context(mx.cpu(1))
        list(x)[0] x[0][1] x[0].reshape((4,3)) x.reshape((4,6))[1] nd.identity(x) nd.BlockGrad(x)
        x.copyto(mx.cpu()) nd.concat(x,dim=0) x.tostype('default') nd.from_numpy(x.asnumpy())
    """.split()
]
GETTING += lines(
    """
    x = nd.arange(6)
    x[nd.array([2])]

    x = nd.arange(6)
    x[2]

    x = nd.arange(6)
    x[2:4]

    x = nd.array([[1, 2], [3, 4]], dtype='int32')
    x[1]

    x = nd.array([[1, 2], [3, 4]])
    [row for row in x]

    x = nd.array(3)
    x[()]

    x = nd.array(3)
    x[0]

    x = nd.arange(4)
    x[x > 1]

    x = nd.arange(6).reshape((2, 3))
    y = x[:, 1]
    y[0] = 5
    x
    """
)
VALUES = """0|5
0|2.5
0|[[1, 2, 3, 4]]
0|nd.ones((3, 4))
0|nd.arange(4)
0|np.arange(4)
0|nd.arange(12).reshape((3, 4)).astype('int32')
0|np.arange(12, dtype='float64').reshape((3, 4))
0|nd.array([1])
0|nd.ones((1, 3, 4))
0|nd.ones((2, 2))
0|nd.ones((5, 3, 4))
0|'a'
0|np.float32(3)
0|True
:|5
:|nd.ones((2, 3, 4))
:|nd.ones((2, 1, 1))
:|np.ones((4,))
:|[1, 2, 3, 4]
:|nd.ones((5,))
...|7
()|7
0, 1, 2|7
0, 1|nd.arange(4)
0, 1:3|nd.arange(4)
0:1, 0:2|nd.ones((1, 2, 4))
:, 1|5
:, 1|nd.ones((2, 4))
:, 1:2|nd.ones((2, 1, 4))
:, :, 0|nd.arange(3)
::-1|nd.arange(24).reshape((2, 3, 4))
0, ::2|nd.arange(4)
1:1|5
None|5
:, None|5
[0]|5
[1, 0]|nd.arange(24).reshape((2, 3, 4))
[0, 1], [1, 2]|5
[0, 1], [1, 2]|nd.arange(4)
[0, 1], :, [1, 2]|nd.arange(6).reshape((2, 3))
:, [0, 2]|9
:, [0, 2], 1|nd.arange(4).reshape((2, 2))
nd.array([1])|5
nd.array([0, 1]), nd.array([2, 0])|nd.array([[1], [2]])
np.array([True, False])|5
..., [0, 3]|1
-1|5
2|5
0, 3|5
'a'|5
0, 1, 2, 3|5"""
SETTING = [f"{X}x[{key}] = {value}\nx" for key, value in (line.split("|") for line in VALUES.splitlines())]
SETTING += [
    f"x = nd.zeros((2,), dtype='{dtype}')\nx[0] = {value}\nx"
    for dtype in ("int32", "uint8", "float16", "bool")
    for value in ("1.7", "nd.array([200.5])", "[3]")
    if dtype != "bool" or value == "1.7"
]

GROUPS = {"getting": GETTING, "setting": SETTING}
