"""Pickles read as data: what they would import is named, what they would call is described, nothing is run.

MXNet pickles arrays, and the states of optimizers. A pickle is a program for a small machine with a stack.
This one knows the instructions that build values; a function or a class is a `Name`, and what a call of it
would give is an `Instance`, which tells of what and with which arguments and state.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from ..errors import FormatError

__all__ = ["Instance", "Name", "is_pickle", "read"]


@dataclass(frozen=True, slots=True)
class Name:
    """A function or a class that a pickle names."""

    module: str
    name: str


@dataclass(slots=True, eq=False)
class Instance:
    """What a call of `what` with `arguments` would give, with the `state` that it would be given then."""

    what: Name
    arguments: tuple[Any, ...]
    state: Any = None


def is_pickle(data: bytes) -> bool:
    """Whether bytes begin as a pickle of an object that is no plain number or text."""
    return data[:1] in (b"\x80", b"(", b"}", b"]")


def read(data: bytes) -> Any:
    """What a pickle holds. Raises `FormatError` for instructions that build nothing of the kind."""
    machine = _Machine()
    try:
        for opcode, argument, _ in pickletools.genops(data):
            machine.take(opcode.name, argument)
        (value,) = machine.stack
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError) as exc:
        raise FormatError(f"pickle: values, names and instances of them are required, got {exc}.") from None
    return value


_VALUES = (
    "INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING UNICODE "
    "BINUNICODE SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8 BYTEARRAY8"
).split()
"""Instructions that push what stands behind them."""
_NEW: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_TUPLE": tuple,
}
_CALLS = ("REDUCE", "NEWOBJ")
_NO_OPERATION = ("PROTO", "FRAME", "STOP")
_RECONSTRUCTORS = (Name("copy_reg", "_reconstructor"), Name("copyreg", "_reconstructor"))
"""What the oldest pickles call to make an instance, with its class as the first argument."""


class _Machine:
    """A stack, what is under the marks on it, and a memory."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._under: list[list[Any]] = []
        self._memory: dict[int, Any] = {}

    def take(self, name: str, argument: Any) -> None:
        """Follow one instruction."""
        if name in _VALUES:
            self.stack.append(argument)
        elif name in _NEW:
            self.stack.append(_NEW[name]())
        elif name in _CALLS:
            self._call()
        elif name not in _NO_OPERATION:
            instruction = getattr(self, f"_{name.lower()}", None) or _unknown(name)
            instruction(argument)

    def _items(self) -> list[Any]:
        """What is above the last mark, which goes."""
        items, self.stack = self.stack, self._under.pop()
        return items

    def _call(self) -> None:
        arguments, what = self.stack.pop(), self.stack.pop()
        if not isinstance(what, Name) or not isinstance(arguments, tuple):
            raise TypeError(f"a call of {type(what).__name__}")
        if what in _RECONSTRUCTORS:
            what, arguments = arguments[0], ()
        self.stack.append(_called(what, arguments))

    def _build(self, _: Any) -> None:
        state = self.stack.pop()
        if not isinstance(self.stack[-1], Instance):
            raise TypeError(f"a state of {type(self.stack[-1]).__name__}")
        self.stack[-1].state = state

    def _mark(self, _: Any) -> None:
        self._under.append(self.stack)
        self.stack = []

    def _global(self, text: str) -> None:
        module, name = text.split(" ", 1)
        self.stack.append(Name(module, name))

    def _stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(Name(str(module), str(name)))

    # ---- lists, tuples and dicts

    def _tuple(self, _: Any) -> None:
        items = self._items()
        self.stack.append(tuple(items))

    def _last(self, count: int) -> None:
        items = tuple(self.stack.pop() for _ in range(count))
        self.stack.append(items[::-1])

    def _tuple1(self, _: Any) -> None:
        self._last(1)

    def _tuple2(self, _: Any) -> None:
        self._last(2)

    def _tuple3(self, _: Any) -> None:
        self._last(3)

    def _list(self, _: Any) -> None:
        items = self._items()
        self.stack.append(items)

    def _dict(self, _: Any) -> None:
        items = self._items()
        self.stack.append(dict(zip(items[::2], items[1::2], strict=True)))

    def _append(self, _: Any) -> None:
        item = self.stack.pop()
        self.stack[-1].append(item)

    def _appends(self, _: Any) -> None:
        items = self._items()
        self.stack[-1].extend(items)

    def _setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._put_items([key, value])

    def _setitems(self, _: Any) -> None:
        items = self._items()
        self._put_items(items)

    def _put_items(self, items: list[Any]) -> None:
        if not isinstance(self.stack[-1], dict):
            raise TypeError(f"items of {type(self.stack[-1]).__name__}")
        self.stack[-1].update(zip(items[::2], items[1::2], strict=True))

    # ---- memory

    def _put(self, place: int) -> None:
        self._memory[place] = self.stack[-1]

    _binput = _long_binput = _put

    def _memoize(self, _: Any) -> None:
        self._memory[len(self._memory)] = self.stack[-1]

    def _get(self, place: int) -> None:
        self.stack.append(self._memory[place])

    _binget = _long_binget = _get


def _unknown(name: str) -> NoReturn:
    raise ValueError(f"the instruction {name}")


def _called(what: Any, arguments: tuple[Any, ...]) -> Any:
    """The instance that a call would give; bytes where it is of what older protocols write bytes as."""
    if not isinstance(what, Name):
        raise TypeError(f"an instance of {type(what).__name__}")
    if what == Name("_codecs", "encode"):
        text, encoding = arguments
        return _latin(text, encoding)
    if what.module in ("builtins", "__builtin__") and what.name in ("bytearray", "bytes"):
        content = arguments[0] if arguments else b""
        return _latin(content, arguments[1]) if isinstance(content, str) else bytes(memoryview(content))
    return Instance(what, arguments)


def _latin(text: str, encoding: Any) -> bytes:
    if encoding not in ("latin1", "latin-1"):
        raise ValueError(f"bytes in {encoding!r}")
    return text.encode("latin-1")
