"""Calls cut short wherever Python lets a signal cut them, at steps that are counted and can be repeated."""

from __future__ import annotations

import dis
import os
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_OURS = (f"{ROOT}{os.sep}hybridonnx{os.sep}", f"{ROOT}{os.sep}converters{os.sep}")


class Steps:
    """A `with` block that counts the steps of hybridonnx, and calls `act` at the one numbered `at`.

    Python looks for signals where a function begins, after a call and before a loop begins anew: an
    interrupt comes there and nowhere else, and so do these. Where `__exit__` begins, nothing that is written
    in Python can do anything about it.
    """

    def __init__(self, at=-1, act=None):
        self.count, self.where = 0, ""
        self._at, self._act = at, act

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self._begin)
        return self

    def __exit__(self, *_):
        sys.settrace(self._before)

    def _begin(self, frame, event, arg):
        code = frame.f_code
        if not code.co_filename.startswith(_OURS) and not code.co_filename.endswith("contextlib.py"):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        if code.co_name != "__exit__":
            self._step(frame)
        return self._within

    def _within(self, frame, event, arg):
        if event == "opcode" and frame.f_lasti in points(frame.f_code):
            self._step(frame)
        return self._within

    def _step(self, frame):
        self.count += 1
        if self.count - 1 == self._at:
            sys.settrace(None)
            file = os.path.relpath(frame.f_code.co_filename, ROOT)
            self.where = f"{file}:{frame.f_lineno} in {frame.f_code.co_qualname}"
            self._act()


@cache
def points(code):
    """Where in a function's code signals are looked for.

    That is at the end of a call, and so it is before the next instruction here; where a handler of exceptions
    ends between the two, which the call is inside of and the next instruction is not, it is before the call.
    """
    handlers = dis._parse_exception_table(code)  # type: ignore[attr-defined]  # it has no other name
    places, call = set(), None
    for instruction in dis.get_instructions(code):
        if call is not None:
            within = [[h.start <= at < h.end for h in handlers] for at in (call, instruction.offset)]
            places.add(instruction.offset if within[0] == within[1] else call)
        is_call = instruction.opname.startswith("CALL") and "INTRINSIC" not in instruction.opname
        call = instruction.offset if is_call else None
        if "JUMP_BACKWARD" in instruction.opname and "NO_INTERRUPT" not in instruction.opname:
            places.add(instruction.offset)
    return places
