"""Calls of mx.np and mx.npx as expressions, which real MXNet and hybridonnx evaluate with the same arrays."""

import numpy as np

ARITHMETIC = """
a+b a-b a*b a/b p**b a%b a@w a+1 1-a 2/a a/2 2**a p**2 2%p a%2 -a abs(a) a>b a>=1 1<a a==b a!=0 a<=b a<0.5
a+i i+a a-i a*i a/i i/a i/i i+l i*l a+d a+h h+i k+k k*k k+i k+a k/a i+1 i*2 2-i i/2 2/i i%2 i**2 2**i
k+1 k*2 -k -i k&k k|k k^k i&i i|i i^3 ~k ~i k==k s+a s*s s>1 a+s
"""
UNARY = """
exp log1p sqrt square abs absolute negative sign floor ceil rint trunc fix sin cos tan arcsin arccos arctan
sinh cosh tanh arcsinh arctanh expm1 cbrt degrees radians deg2rad reciprocal log log2 log10 logical_not
isnan isinf isfinite isposinf isneginf
"""
"""Functions of `u`, whose elements lie in (0, 1)."""
DIFFERENTIABLE = """
np.maximum(a,b)
np.maximum(a,0.5)
np.minimum(a,b)
np.minimum(0.5,a)
np.arctan2(a,b)
np.hypot(a,b)
np.copysign(a,b)
np.add(a,2)
np.power(p,a)
np.sum(a)
np.sum(a,axis=1)
np.sum(t,axis=(0,-1),keepdims=True)
np.sum(a,axis=())
np.mean(a)
np.mean(t,axis=1)
np.mean(a,axis=1,dtype='float64')
np.prod(a,axis=0)
np.max(a)
np.max(t,axis=-1)
np.min(a,axis=1,keepdims=True)
np.average(a)
np.average(a,axis=0,weights=p)
np.cumsum(a)
np.cumsum(a,axis=1)
np.reshape(a,(3,-1))
np.reshape(a,-1)
a.reshape(3,2)
a.reshape((1,6))
np.ravel(a)
np.transpose(t)
np.transpose(t,(1,0,2))
t.transpose(2,0,1)
a.T
np.swapaxes(t,0,2)
np.moveaxis(t,0,-1)
np.expand_dims(a,1)
np.squeeze(np.expand_dims(a,1),1)
np.concatenate([a,b],axis=1)
np.concatenate([a,b])
np.stack([a,b])
np.stack([a,b],axis=-1)
np.vstack([a,b])
np.hstack([a,b])
np.dstack([a,b])
np.split(t,2,axis=2)[1]
np.split(t,[1,3],axis=2)[0]
np.tile(a,(2,1))
np.repeat(a,2,axis=1)
np.broadcast_to(v,(2,3))
np.broadcast_to(s,(2,3))
np.where(k,a,b)
np.clip(a,-0.5,0.5)
np.dot(a,w)
np.dot(v,v)
np.dot(a,v)
np.matmul(a,w)
np.matmul(t,np.swapaxes(t,1,2))
np.tensordot(a,w,1)
np.tensordot(a,b,axes=((0,1),(0,1)))
np.einsum('ij,jk->ik',a,w)
np.outer(v,v)
np.inner(a,b)
np.vdot(a,b)
np.tril(q)
np.diag(v)
np.diag(q,k=1)
np.trace(q)
np.flip(a,0)
np.roll(a,1,axis=1)
np.diff(a)
np.ediff1d(v)
np.pad(a,((0,1),(2,0)))
np.nan_to_num(a)
np.take(a,np.zeros((2,),dtype='int32'),axis=1)
np.linalg.norm(a)
np.linalg.norm(a,axis=1)
np.sort(a)
a[0]
a[:,1]
a[0,1:]
a[:,-1]
a[0,0]
t[1:,0]
a.sum(axis=0)
a.mean()
a.max(axis=1)
a.astype('float64')
npx.relu(a)
npx.sigmoid(a)
npx.softmax(a)
npx.softmax(a,axis=0)
npx.log_softmax(a)
npx.pick(a,np.ones((2,)))
npx.batch_dot(t,t,transpose_b=True)
npx.sequence_mask(t,np.array([1,2]),use_sequence_length=True,value=-1,axis=1)
npx.reshape_like(a,np.ones((3,2)))
npx.gamma(p)
npx.gammaln(p)
npx.erf(a)
npx.embedding(np.array([0,2]),w,input_dim=3,output_dim=4)
npx.fully_connected(a,np.swapaxes(w,0,1),num_hidden=4,no_bias=True)
npx.activation(a,act_type='tanh')
npx.leaky_relu(a,act_type='leaky')
npx.layer_norm(a,v,v,axis=-1)
npx.batch_flatten(t)
npx.slice(a,begin=(0,1),end=(1,3))
npx.smooth_l1(a,scalar=1)
npx.reshape(t,(-2,-1))
npx.reshape(t,(-5,-2))
"""
"""Functions of a, b, p, s, t, v, w and q whose gradients are compared as well."""
OTHERS = """
np.sum(i)
np.sum(k)
np.sum(h)
np.mean(i)
np.mean(k)
np.prod(i8)
np.max(i,axis=0)
np.argmax(a)
np.argmax(a,axis=1)
np.argmin(a,axis=0)
np.any(a)
np.all(i,axis=1)
np.std(a)
np.var(a,axis=1)
np.std(a,axis=0,ddof=1)
np.cumsum(i)
np.cumsum(k)
np.argsort(a)
np.clip(i,0,3)
np.where(k,1,a)
np.where(k,a,0)
np.where(k,1.0,0.0)
np.around(a,1)
np.pad(a,((1,1),(1,1)),mode='edge')
np.zeros((2,3))
np.zeros(())
np.ones((2,),dtype='int32')
np.zeros_like(i)
np.ones_like(a,dtype='float64')
np.full((2,),3)
np.full_like(a,3)
np.arange(5)
np.arange(1,5,2)
np.arange(1,2,0.25,dtype='float64')
np.linspace(0,1,5)
np.logspace(0,2,3)
np.eye(3)
np.eye(2,3,k=1)
np.identity(2)
np.indices((2,3))
np.hanning(4)
np.bitwise_and(i,i)
np.lcm(i,i)
np.maximum(i,i)
npx.one_hot(np.array([0,2]),3)
npx.topk(a,k=2)
npx.topk(a,k=1,axis=1,ret_typ='mask')
npx.shape_array(a)
npx.arange_like(a,axis=1)
npx.cast(a,'int32')
"""
"""What has no gradient, or one that MXNet leaves out."""
EAGER = """
a[k]
a[np.array([0,1])]
a[:,[0,2]]
a[i>0]
a[...,None]
t[:,np.array([0,1]),0]
list(v)[1]
np.array([1,2,3])
np.array([1.5,2])
np.array([[1,2],[3,4]],dtype='int32')
np.array(onp.arange(3))
np.array(onp.arange(3.0))
np.array(5)
np.array([a,b])
np.array_split(v,2)[0]
np.unique(i)
np.nonzero(k)[1]
np.meshgrid(v,v)[1]
np.append(a,b)
np.column_stack([v,v])
np.atleast_2d(v)
np.flatnonzero(i)
np.percentile(a,30)
np.quantile(a,0.3)
np.percentile(a,np.array([30,50]),axis=0)
np.percentile(i,30)
np.insert(v,1,5)
np.delete(v,1)
np.polyval(v,v)
np.histogram(a,bins=3,range=(-1,1))[0]
np.bincount(np.array([0,1,1],dtype='int32'))
np.unravel_index(np.array([1,2],dtype='int32'),(2,3))[1]
np.isclose(a,a)
np.array_equal(a,a)
np.allclose(a,b)
npx.nonzero(k)
np.shape(a)
np.linspace(0,1,5,retstep=True)[1]
float(s)
int(i[0,0])
bool(s>0)
len(a)
a.item(1)
s.item()
i.tolist()
k.tolist()
repr(i)
repr(k)
repr(np.zeros((0,3)))
str(i)
'%.3f' % s
f'{s:.2f}'
a.shape
a.ndim
a.size
a.dtype.name
onp.mean(a)
onp.concatenate([a,b])
onp.exp(a)
onp.add(a,b)
"""
"""What needs values, or gives no array."""


def lines(text):
    """The calls of a block of lines."""
    return [line for line in text.strip().split("\n") if line]


def calls():
    """Every expression, and whether its gradient is compared and it can be traced."""
    unary = [f"np.{name}(u)" for name in UNARY.split()]
    differentiable = [*lines(DIFFERENTIABLE), *(c for c in unary if not c.startswith("np.is"))]
    plain = [*lines(OTHERS), *ARITHMETIC.split(), *(c for c in unary if c.startswith("np.is"))]
    return [
        *((c, True, True) for c in differentiable),
        *((c, False, True) for c in plain),
        *((c, False, False) for c in lines(EAGER)),
    ]


def arrays():
    """The arrays by the letters that stand for them."""
    draws = np.random.RandomState(5)
    a = {name: draws.randn(2, 3).astype("float32") for name in ("a", "b")}
    a["p"] = (draws.rand(2, 3) + 0.5).astype("float32")
    a["u"] = (draws.rand(2, 3) * 0.8 + 0.1).astype("float32")
    a["s"], a["v"] = np.array(1.5, "float32"), draws.randn(3).astype("float32")
    a["w"], a["t"] = draws.randn(3, 4).astype("float32"), draws.randn(2, 3, 4).astype("float32")
    a["q"] = np.array([[2, 0.5, 0], [0.5, 3, 1], [0, 1, 4]], "float32")
    a["h"], a["d"] = draws.randn(2, 3).astype("float16"), draws.randn(2, 3)
    a["i"], a["i8"] = np.array([[1, 2, 4], [-3, 5, 7]], "int32"), np.array([[1, 2, 3]], "int8")
    a["l"], a["k"] = np.array([[3, 2, 0], [1, 2, 7]], "int64"), np.array([[1, 0, 1], [0, 1, 1]], "bool")
    return a


def evaluated(expression, scope):
    """The value of a call, as an array of NumPy's, or text of what is none."""
    value = eval(expression, dict(scope))
    return value.asnumpy() if hasattr(value, "asnumpy") else np.array(repr(value))
