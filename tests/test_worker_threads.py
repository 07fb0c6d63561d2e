"""Sessions in processes that multiprocessing has started have one thread each by default."""

import multiprocessing

import pytest

from hybridonnx.runtime.session import Threads, options


def thread_count(scope):
    with Threads(scope):
        return options().intra_op_num_threads


# a fork server has the environment that it was started with
@pytest.mark.parametrize("method", [m for m in multiprocessing.get_all_start_methods() if m != "forkserver"])
@pytest.mark.parametrize(
    ("variables", "scope", "expected"),
    [
        ({}, 0, 1),
        ({"MXNET_MP_WORKER_NTHREADS": "0"}, 0, 0),
        ({"MXNET_MP_WORKER_NTHREADS": "2"}, 0, 2),
        ({"HYBRIDONNX_THREADS": "3"}, 0, 3),
        ({"HYBRIDONNX_THREADS": "3"}, 5, 5),
    ],
)
def test_workers_take_one_core_each(method, variables, scope, expected, monkeypatch):
    monkeypatch.delenv("HYBRIDONNX_THREADS", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(thread_count, (scope,)) == expected
    if not variables:
        assert thread_count(scope) == 0
