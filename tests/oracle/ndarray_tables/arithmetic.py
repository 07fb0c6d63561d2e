"""Arithmetic, comparisons, scalars, in-place operators, functions of two operands; see ../../snippets.py."""

from snippets import lines

DTYPES = "float16 float32 float64 int8 int32 int64 uint8 bool".split()
_A, _B = "[[1, -2, 3], [4, 5, -7]]", "[2, 3, -4]"
OPERATORS = "+ - * / % ** == != > >= < <=".split()
INEXACT = {"**"}  # integers to a negative power depend on the machine


def _operands(dtype, operator):
    a, b = (_A, _B) if dtype[0] != "u" and operator not in INEXACT else (_A.replace("-", ""), "[2, 3, 4]")
    return f"a, b = nd.array({a}, dtype='{dtype}'), nd.array({b}, dtype='{dtype}')\n"


ARITHMETIC = [
    _operands(dtype, operator) + expression.replace("@", operator)
    for dtype in DTYPES
    for operator in OPERATORS
    for expression in ("a @ b", "a @ 2", "a @ 2.5", "3 @ a", "2.5 @ b")
    if not (dtype == "bool" and operator in "/%**" and "a @ b" not in expression)
]
IN_PLACE = [
    f"a = b = nd.array([[1, 7, 3], [4, 5, 6]], dtype='{dtype}')\na {operator}= {value}\n[a, b is a]"
    for dtype in ("float32", "float16", "int32", "uint8")
    for operator in ("+", "-", "*", "/", "%")
    for value in ("2", "2.5", f"nd.array([1, 2, 3], dtype='{dtype}')")
]
SCALARS = lines(
    """
    nd.array([2, -2, 0], dtype='int32') * 2.7
    nd.array([2, 3], dtype='int32') + 1.5
    nd.array([1], dtype='int32') >= 1.5
    nd.array([1], dtype='int32') == 1.5
    nd.array([4], dtype='int32') ** 0.5
    nd.array([200], dtype='uint8') + 100
    nd.array([200], dtype='uint8') + 300
    nd.array([2], dtype='uint8') - 3
    nd.array([2], dtype='float16') * 2.7
    -nd.array([2], dtype='uint8')
    -nd.array([2.5, -1])
    abs(nd.array([2.5, -1]))
    abs(nd.array([-3, 3], dtype='int32'))
    abs(nd.array([1], dtype='bool'))
    nd.array([3.5]) + True
    nd.array([3.5]) + np.float64(2)
    np.float32(2) * nd.array([3.5])
    np.float64(2) - nd.array([3.5])
    np.int64(7) / nd.array([2])
    np.float32(2) > nd.array([3.5])
    nd.array([3.5]) * 2j
    nd.array([3.5]) + None
    nd.array([3.5]) == None
    nd.array([3.5]) + 'a'
    nd.array([3.5]) + [1]
    [1] + nd.array([3.5])
    nd.array([3.5]) + np.ones(1)
    np.ones(1) + nd.array([3.5])
    nd.array([3.5]) // 2
    nd.array([3.5]) @ nd.array([3.5])
    ~nd.array([3.5])
    nd.array([3.5]) & nd.array([3.5])
    nd.array([1., 0, -1, np.nan]) / 0
    nd.array([-5, 5, 5, -5.5]) % nd.array([3, -3, 0, 2])
    nd.array([-8.]) ** (1 / 3)
    nd.array([0., 2]) ** 0
    1e308 * nd.array([10.])
    nd.array([1, 2]) < nd.array([2, 1])
    1 < nd.array([1, 2])
    nd.ones((2, 3)) + nd.ones((3,))
    nd.ones((2, 1)) * nd.ones((1, 3))
    nd.ones((2, 3)) + nd.ones((2,))
    nd.ones((2,)) + nd.ones((2,), dtype='int32')
    nd.ones((2,)) > nd.ones((2,), dtype='float64')
    bool(nd.ones((2,)))
    bool(nd.array([0.]))
    bool(nd.array([[2]]))
    bool(nd.zeros((2,))[1:1])
    bool(nd.array(3))
    nd.array([3.5]).asscalar()
    nd.array([3], dtype='int32').asscalar()
    nd.array([1], dtype='bool').asscalar()
    nd.array([3.5, 1]).asscalar()
    nd.zeros((2,))[1:1].asscalar()
    len(nd.ones((2, 3)))
    len(nd.array(3))
    float(nd.array([3.5, 2]))
    1 in nd.array([1, 2])
    5 in nd.array([1, 2])
    [len({nd.ones((1,)), nd.ones((1,))})]
    """
) + lines(
    """
    a = nd.ones((2,))
    a += np.ones(2)
    a

    a = nd.ones((2,))
    a += nd.ones((2, 2))
    a

    a = nd.ones((2,))
    a += nd.ones((2,), dtype='int32')
    a

    a = nd.ones((2,))
    a -= 'x'
    a

    a = nd.array([2, 3], dtype='int32')
    a += 1.7
    a

    a = nd.array([[1, 2], [3, 4]])
    b = a[0]
    a *= 2
    b

    a = nd.array([[1, 2], [3, 4]])
    b = a[0]
    b += 5
    a

    a = nd.array([[1, 2], [3, 4]])
    a[:, 0] += 5
    a

    a = nd.ones((2,))
    a //= 2
    a

    a = nd.array([1, 2, 3])
    a **= 2
    a

    a = nd.ones((2,))
    nd.exp(a, out=nd.zeros((3,)))

    a = nd.array([0., 1])
    b = nd.zeros((2,))
    c = nd.exp(a, out=b)
    [b, c is b]

    a = nd.array([0., 1])
    nd.exp(a, out=a)
    a

    a = nd.ones((2, 4))
    p, q = nd.zeros((2, 2)), nd.zeros((2, 2))
    nd.split(a, num_outputs=2, out=[p, q])
    [p, q]
    """
)
_NAMED = """
    add subtract multiply divide true_divide modulo power maximum minimum equal not_equal greater
    greater_equal lesser lesser_equal logical_and logical_or logical_xor
    """.split()
NAMED = [
    f"a, b = nd.array([[1, 0, -3], [4, 5, 7]]), nd.array([2, 0, 4])\nnd.{name}({operands})"
    for name in _NAMED
    for operands in (
        "a, b",
        "b, a",
        "a, 2",
        "2, a",
        "3, 2",
        "a, lhs=b" if name == "hypot" else "lhs=a, rhs=b",
    )
] + lines(
    """
    nd.add(nd.ones((1,)), 'a')
    nd.equal(1, 2)
    nd.maximum(nd.array([np.nan]), 1)
    nd.minimum(nd.array([1, 2], dtype='int32'), 1.5)
    nd.contrib.isnan(nd.array([1, np.inf, np.nan]))
    nd.contrib.isinf(nd.array([1, np.inf, -np.inf, np.nan]))
    nd.contrib.isfinite(nd.array([1, np.inf, -np.inf, np.nan]))
    """
)

GROUPS = {"arithmetic": ARITHMETIC, "in place": IN_PLACE, "scalars": SCALARS, "named": NAMED}
