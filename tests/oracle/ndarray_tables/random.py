"""Random draws: shapes and dtypes; see ../../snippets.py."""

from snippets import lines

RANDOM = [
    text + suffix
    for text, suffix in [
        (line, "\n[y.shape, y.dtype]")
        for line in lines(
            """
    y = nd.random.uniform(shape=(2,))
    y = nd.random_uniform(shape=(2,))
    y = nd.uniform(shape=(2,))
    y = nd.normal(shape=(2,))
    y = nd.random_normal(0, 1, (2, 3))
    y = nd.random_normal(loc=1, scale=2, shape=(2,))
    y = nd.random_gamma(alpha=1, beta=2, shape=(2,))
    y = nd.random_exponential(lam=4, shape=(2,))
    y = nd.random_poisson(lam=4, shape=(2,))
    y = nd.random_negative_binomial(k=3, p=0.4, shape=(2,))
    y = nd.random_generalized_negative_binomial(mu=2, alpha=0.3, shape=(2,))
    y = nd.random_randint(low=0, high=5, shape=(2,))
    y = nd.random.normal()
    y = nd.random.normal(shape=3)
    y = nd.random.uniform(1, 2, (3,), 'float64')
    y = nd.random.normal(shape=(2,), dtype='float16')
    y = nd.random.uniform(shape=(2,), dtype='int32')
    y = nd.random.randint(0, 5)
    y = nd.random.randint(0, 5, dtype='int64')
    y = nd.random.randint(0, 5, (3, 2))
    y = nd.random.randn(2, 3)
    y = nd.random.randn(2, loc=1, scale=3, dtype='float64')
    y = nd.random.exponential(2, (2,))
    y = nd.random.exponential(nd.array([1, 2]))
    y = nd.random.gamma(2, 3, (2,))
    y = nd.random.poisson(4, (2,))
    y = nd.random.negative_binomial(3, .5, (2,))
    y = nd.random.generalized_negative_binomial(3, .5, (2,))
    y = nd.random.uniform(nd.array([1, 2]), nd.array([2, 3]))
    y = nd.random.uniform(nd.array([1, 2]), nd.array([2, 3]), shape=(3,))
    y = nd.random.normal(nd.array([1., 2]), nd.array([1, 2.]), shape=2)
    y = nd.sample_normal(nd.array([1., 2]), nd.array([1, 2.]), shape=2)
    y = nd.sample_uniform(nd.array([1., 2]), nd.array([2, 3.]), shape=(2, 3))
    y = nd.random.uniform('a')
    y = nd.random.uniform(shape=(2,), out=nd.zeros((2, 3)))
    y = nd.random.uniform(out=nd.zeros((2, 3)))
    y = nd.random.uniform(0, 1, (2, 3), out=nd.zeros((2, 3)))
    y = nd.random.multinomial(nd.array([0, 1.]))
    y = nd.random.multinomial(nd.array([[0, 1.], [1, 0]]), shape=2)
    y = nd.random.multinomial(nd.array([0.5, 0.5]), dtype='float32')
    y = nd.sample_multinomial(nd.array([[0, 1.], [1, 0]]))
    y = nd.random.multinomial(nd.array([[0, 1.], [1, 0]]), shape=2, get_prob=True)[1]
    y = nd.random.shuffle(nd.ones((2, 3)))
    y = nd.shuffle(nd.ones((2, 3), dtype='int32'))
    y = nd.random.uniform_like(nd.ones((2, 3)))
    y = nd.random.normal_like(nd.ones((2, 3)), loc=3)
    y = nd.random.gamma_like(nd.ones((2, 3)))
    y = nd.random.exponential_like(nd.ones((2, 3)))
    y = nd.random.poisson_like(nd.ones((2, 3)))
    y = mx.random.uniform(0, 1, (2,))
    y = mx.random.normal(0, 1, shape=(2,))
    y = mx.random.randint(0, 9, shape=(2,))
    y = mx.random.shuffle(nd.ones((3,)))
    y = mx.rnd.uniform(shape=(2,))
            """
        )
    ]
] + lines(
    """
    mx.random.seed('a')
    mx.random.seed(-1)
    mx.random.seed(1, ctx=mx.cpu())
    mx.random.seed(2**40)
    nd.random.uniform(3, 3, (2,))
    """
)

GROUPS = {"random": RANDOM}
