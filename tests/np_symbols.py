"""Calls of sym.np and sym.npx as expressions, whose graphs real MXNet and hybridonnx write as files."""

import json
import math

RANDOM = """
random.normal()
random.normal(0,1,size=(2,3))
random.normal(1,2,size=3,dtype='float64',ctx=mx.cpu())
random.normal(a,b)
random.normal(a,2.0,size=(2,3))
random.normal(0.0,b)
random.normal(0,1,())
random.rand(2,3)
random.uniform()
random.uniform(a,b,(2,3))
random.uniform(0,b)
random.uniform(-1,1,size=(2,),dtype='float16')
random.randint(2,5,size=(2,3))
random.randint(5,size=4)
random.exponential(2.0,(2,))
random.exponential(a)
random.gamma(2.0)
random.gamma(a,2.0,(2,3))
random.gamma(2.0,b)
random.gumbel()
random.gumbel(a,2.0)
random.logistic(1,2,size=(2,))
random.logistic(1,b)
random.rayleigh(a)
random.rayleigh(2.0,size=(3,))
random.weibull(2.0)
random.weibull(a,(2,3))
random.pareto(2.0,(2,))
random.pareto(a)
random.power(2.0,(3,))
random.power(a)
random.lognormal(0,1,(2,))
random.choice(5)
random.choice(5,(2,))
random.choice(5,3,replace=False)
random.choice(5,3,p=b)
random.choice(a,3)
random.beta(1,2)
"""
EXTENSION_RANDOM = """
bernoulli(0.5)
bernoulli(logit=a)
bernoulli(prob=a,size=(2,3),dtype='bool')
uniform_n(0,1,(2,))
uniform_n(a,b,(2,))
normal_n(a,1.0,(2,))
normal_n(a,b)
"""
LINALG = """
norm(a)
norm(a,axis=1)
norm(a,ord=1,axis=1)
norm(a,ord=2,axis=1)
norm(a,ord='fro')
norm(a,ord='fro',axis=(0,1))
norm(a,ord='nuc',axis=(0,1))
norm(a,ord='nuc')
norm(a,ord=2,axis=(0,1))
norm(a,ord=-2,axis=(0,1),keepdims=True)
norm(a,ord=1,axis=(0,1))
norm(a,ord=1,axis=(2,0))
norm(a,ord=-1,axis=(0,1),keepdims=True)
norm(a,ord=mx.np.inf,axis=(0,1))
norm(a,ord=mx.np.inf,axis=1)
norm(a,ord=-mx.np.inf,axis=1)
norm(a,ord=2.5,axis=1)
norm(a,ord=2)
cholesky(a)
inv(a)
solve(a,b)
svd(a)
eig(a)
eigh(a)
eigh(a,'U')
eigvals(a)
eigvalsh(a,'U')
pinv(a)
pinv(a,1e-5)
pinv(a,b)
tensorinv(a)
tensorinv(a,ind=1)
tensorsolve(a,b)
tensorsolve(a,b,axes=(1,0))
"""
SELECTIONS = """
percentile(a,50)
percentile(a,b,axis=1)
percentile(a,50,axis=(0,1),interpolation='nearest',keepdims=True)
quantile(a,0.5)
quantile(a,b)
polyval(a,b)
ediff1d(a)
ediff1d(a,to_begin=1,to_end=2)
ediff1d(a,to_begin=b)
bincount(a)
bincount(a,b,minlength=4)
unique(a)
unique(a,True,True,True)
unique(a,axis=0)
insert(a,1,5)
insert(a,1,b,axis=1)
insert(a,slice(0,2),b,axis=0)
insert(a,slice(None,None,2),5,axis=1)
insert(a,b,a)
delete(a,1)
delete(a,1,axis=0)
delete(a,slice(0,3,2),axis=0)
delete(a,b,axis=0)
diag_indices_from(a)
histogram(a,bins=5,range=(0,1))
histogram(a,b)
"""

VALUES = {
    "np.diag_indices_from(a)": ["f2,2,2", "i1,1", "f0,0"],
    "np.resize(a,5)": ["f3", "i2,2"],
    "np.resize(a,(5,2))": ["f3", "f2,2"],
    "np.resize(a,[2,0])": ["f3"],
    "np.unravel_index(a,(3,4))": ["i2,3", "l12"],
    "np.unravel_index(a,(2,3,2))": ["i12"],
    "np.histogram(a,bins=4,range=(0,4))": ["f7", "d2,3", "i7"],
    "np.histogram(a,range=(1,5))": ["f7"],
    "np.histogram(a,bins=a)": ["f4"],
}
"""Calls on one array, with the dtypes and shapes of arrays of 0, 1, … whose results are compared."""
DTYPES = {"f": "float32", "d": "float64", "i": "int32", "l": "int64"}


def values(expression, array, mx):
    """The outputs of a call's graph on an array as its dtype letter and sizes tell."""
    shape = tuple(int(d) for d in array[1:].split(","))
    dtype = DTYPES[array[0]]
    x = mx.np.arange(math.prod(shape), dtype=dtype).reshape(shape)
    symbol = eval(expression, {"np": mx.sym.np, "a": mx.sym.var("a").as_np_ndarray()})
    symbol = mx.sym.Group(symbol) if isinstance(symbol, list) else symbol
    executor = symbol.bind(mx.cpu(), {"a": x})
    executor.forward()
    outputs = [y.asnumpy() for y in executor.outputs]
    return [[y.dtype.name, list(y.shape), y.tolist()] for y in outputs]


def calls():
    """Every call."""
    return [
        *(f"np.{line}" for line in RANDOM.split("\n") if line),
        *(f"np.linalg.{line}" for line in LINALG.split("\n") if line),
        *(f"np.{line}" for line in SELECTIONS.split("\n") if line),
        "npx.nonzero(a)",
        "npx.constraint_check(a,'bad')",
        *(f"npx.random.{line}" for line in EXTENSION_RANDOM.split("\n") if line),
    ]


def nodes(expression, mx):
    """The operators of a call's graph, with their attributes."""
    a, b = (mx.sym.var(letter).as_np_ndarray() for letter in "ab")
    scope = {"mx": mx, "np": mx.sym.np, "npx": mx.sym.npx, "a": a, "b": b}
    symbol = eval(expression, scope)
    if isinstance(symbol, list | tuple):
        symbol = symbol[0]
    graph = json.loads(symbol.tojson())
    return [[n["op"], n.get("attrs", {}), n["inputs"]] for n in graph["nodes"]]
