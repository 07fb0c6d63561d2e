"""Which MXNet this is, and where its parts would lie: there is no library in C++ behind it."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["__version__", "find_conf_path", "find_include_path", "find_lib_path"]

__version__ = "1.9.1"
"""The version of Apache MXNet whose names, arguments and files these are."""


def find_lib_path(prefix: str = "libmxnet") -> NoReturn:
    """Where MXNet's shared library lies: nowhere, as there is none.

    Args:
        prefix: The library's name without its ending.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(
        f"find_lib_path: {prefix} is MXNet's library in C++, and hybridonnx has none, being Python on NumPy "
        "and ONNX Runtime. What links against the library needs Apache MXNet itself."
    )


def find_include_path() -> NoReturn:
    """Where the headers of MXNet's library lie: nowhere, as there is none.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(
        "find_include_path: there are no headers, as hybridonnx has no library in C++. What is compiled with "
        "them needs Apache MXNet itself."
    )


def find_conf_path(prefix: str = "tvmop") -> NoReturn:
    """Where the configuration of TVM's operators lies: nowhere, as there is none.

    Args:
        prefix: The file's name without its ending.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(f"find_conf_path: there is no {prefix}.conf, as hybridonnx has no operators of TVM's.")
