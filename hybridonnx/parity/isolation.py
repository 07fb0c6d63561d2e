"""Work in a process of its own, with limits, that may crash or hang without harm to this one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

from .. import errors
from ..errors import AttributeValueError, FileError, FormatError, MXNetError
from .messages import receive, send

_LONGEST = 300
"""What a process said last is cut at so many letters."""
_START = 300.0
"""Seconds that libraries may take to be loaded."""
_EXTRA_CPU = 60
"""Seconds of processor time beyond the time limit on all processors, after which an orphan is ended."""
_AT_DEATH = {
    "SIGABRT": "ONNX Runtime or another library gave up, as for memory that it did not get",
    "SIGBUS": "a fault in ONNX Runtime or in another library",
    "SIGFPE": "an integer division that has no result, such as the least int64 by -1",
    "SIGILL": "a fault in ONNX Runtime or in another library",
    "SIGKILL": "the system ended it, as where memory runs out",
    "SIGSEGV": "a fault in ONNX Runtime or in another library, or too deep a graph",
    "SIGXCPU": "it took too much processor time",
}


class IsolationError(MXNetError):
    """A process that ran a model was ended: by a fault, or at a limit."""


@dataclass(frozen=True)
class Isolation:
    """The limits of a process in which a model runs that nobody vouches for.

    The process is no sandbox: it may do what its user may. It keeps faults, endless loops and memory away
    from this one.
    """

    memory: int = 4 << 30
    """The most bytes that it may take beside the libraries; held on Linux alone."""
    seconds: float = 600.0
    """The longest time that it may take."""

    def __post_init__(self) -> None:
        if not self.memory > 0 or not self.seconds > 0:
            raise AttributeValueError(
                f"Isolation: memory and seconds above 0 are required, got {self.memory} and {self.seconds}."
            )

    def hold(self) -> None:
        """Hold this process to the limits."""
        with suppress(ImportError):
            import resource

            def least(kind: int, value: int) -> None:
                soft, hard = resource.getrlimit(kind)
                known = [limit for limit in (value, soft, hard) if limit != resource.RLIM_INFINITY]
                resource.setrlimit(kind, (min(known), hard))

            least(resource.RLIMIT_CORE, 0)
            processors = os.cpu_count() or 1
            least(resource.RLIMIT_CPU, int(self.seconds * processors) + _EXTRA_CPU)
            if sys.platform == "linux":
                least(resource.RLIMIT_DATA, _data() + self.memory)

    def told(self) -> str:
        """The limits in words."""
        return f"{self.memory / (1 << 30):.3g} GB and {self.seconds:g} s"


def _data() -> int:
    """The bytes of data that this process has by now."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        lines = dict(line.split(":", 1) for line in file if ":" in line)
    return int(lines.get("VmData", "0 kB").split()[0]) << 10


def isolation_of(isolated: bool | Isolation) -> Isolation | None:
    """What `isolated=` asks for, if it does.

    Raises:
        AttributeValueError: If it is neither yes, no nor limits.
    """
    if isinstance(isolated, Isolation):
        return isolated
    if not isinstance(isolated, bool):
        raise AttributeValueError(
            f"isolated: True, False or an Isolation is required, got {type(isolated).__name__}."
        )
    return Isolation() if isolated else None


@contextmanager
def timed(process: subprocess.Popen[Any], seconds: float) -> Iterator[threading.Event]:
    """End a process if it is there after so many seconds.

    Returns:
        What is set if it had to be ended.
    """
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        process.kill()

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    try:
        yield expired
    finally:
        timer.cancel()


@contextmanager
def ended(process: subprocess.Popen[Any]) -> Iterator[None]:
    """End a process that is still there at the end."""
    try:
        yield
    finally:
        process.kill()
        process.wait()


def death(code: int, expired: bool, limits: Isolation) -> str:
    """Why a process ended, in words.

    Args:
        code: Its exit code, which is the negative number of a signal.
        expired: Whether its time was up.
        limits: Those that it had.
    """
    if expired:
        return f"the model's process took more than {limits.seconds:g} s and was ended"
    if code >= 0:
        return f"the model's process ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = _AT_DEATH.get(name)
    return f"the model's process was ended by {name}{f': {why}' if why else ''}"


# ---- the parent


def python(code: str) -> list[str]:
    """The command of a process that runs code with this one's modules.

    Args:
        code: Statements in one line.

    Returns:
        The program and its arguments.
    """
    return [sys.executable, "-c", f"import sys; sys.path[:] = {[str(path) for path in sys.path]!r}; {code}"]


def called(
    title: str,
    function: str,
    request: Any,
    isolation: Isolation,
    answers: Mapping[str, Callable[..., Any]] | None = None,
) -> Any:
    """What a function gives in a process of its own, as plain values.

    Args:
        title: What errors begin with.
        function: The module and the name of a function, `module:name`. It is called with the request and with
            a function that asks this process.
        request: What it gets.
        isolation: The limits.
        answers: What this process answers, by name.

    Returns:
        What the function returns.

    Raises:
        MXNetError: What the function raised.
        IsolationError: If the process was ended.
    """
    if not sys.executable:
        raise IsolationError(f"{title}: a Python that can be started is required for another process.")
    command = python(
        f"from {__name__} import serve; serve({function!r}, {isolation.memory}, {isolation.seconds})"
    )
    with tempfile.TemporaryFile() as said:
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": said}
        process = subprocess.Popen(command, **pipes)
        assert process.stdin is not None
        assert process.stdout is not None
        expired = threading.Event()
        with process.stdin, process.stdout, ended(process):
            try:
                with timed(process, _START):
                    receive(process.stdout, 0)  # when its libraries are there, from when on its time counts
                with timed(process, isolation.seconds) as expired:
                    result = _conversation(process.stdin, process.stdout, request, isolation, answers or {})
            except _Refusal as refusal:
                raise refusal.error from None
            except (EOFError, OSError):
                why = death(process.wait(), expired.is_set(), isolation)
            else:
                return result
        raise IsolationError(f"{title}: {why}{_last_words(said)}. Its limits were {isolation.told()}.")


def _conversation(
    to: IO[bytes],
    back: IO[bytes],
    request: Any,
    isolation: Isolation,
    answers: Mapping[str, Callable[..., Any]],
) -> Any:
    send(to, request)
    while True:
        try:
            message = receive(back, isolation.memory)
        except FormatError as exc:
            raise IsolationError(f"The model's process gave no result: {exc}") from None
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "result":
            return message.get("value")
        if kind == "error":
            raise _Refusal(_error(message))
        if kind != "ask" or message.get("name") not in answers:
            raise IsolationError("The model's process gave no result, but another message.")
        arguments = message.get("arguments")
        try:
            answer = answers[message["name"]](*(arguments if isinstance(arguments, list) else ()))
        except (EOFError, OSError) as exc:  # none of the pipes'
            raise _Refusal(exc) from None
        send(to, answer)


class _Refusal(Exception):  # noqa: N818  (no error by itself)
    """What a function raised, there or here, and not what a pipe did."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _error(message: dict[str, Any]) -> MXNetError:
    """An error of the child's, of the same class if that is one of ours."""
    kind = getattr(errors, str(message.get("name")), None)
    if not (isinstance(kind, type) and issubclass(kind, MXNetError)):
        kind = MXNetError
    number, path = message.get("errno"), message.get("path")
    if issubclass(kind, FileError) and isinstance(number, int):
        error: MXNetError = kind(number, str(message.get("text")), path)
    else:
        error = kind(str(message.get("text")))
    notes = message.get("notes")
    for note in notes if isinstance(notes, list) else ():
        error.add_note(str(note))
    return error


def _last_words(said: Any) -> str:
    """The end of what a process wrote for people, in one line."""
    said.seek(max(said.seek(0, os.SEEK_END) - 4 * _LONGEST, 0))
    lines = said.read().decode(errors="replace").strip().splitlines()
    text = "".join(c for c in " ".join((lines or [""])[-1].split()) if c.isprintable())[:_LONGEST].rstrip(".")
    return f"; it said last: {text}" if text else ""


# ---- the child


def serve(function: str, memory: int, seconds: float) -> None:
    """Call a function as the parent asks, within limits; the child's own program.

    Args:
        function: `module:name`.
        memory: As `Isolation` has it.
        seconds: As `Isolation` has it.
    """
    back = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no message
    to = os.fdopen(os.dup(0), "rb")
    module, _, name = function.partition(":")
    work = getattr(__import__(module, fromlist=[name]), name)
    Isolation(memory, seconds).hold()
    send(back, "ready")
    request = receive(to, 1 << 62)

    def ask(name: str, *arguments: Any) -> Any:
        send(back, {"kind": "ask", "name": name, "arguments": list(arguments)})
        return receive(to, 1 << 62)

    try:
        send(back, {"kind": "result", "value": work(request, ask)})
        os._exit(0)  # what the libraries would do at the end does not matter any more
    except MemoryError:
        text = f"more memory is required than {Isolation(memory, seconds).told()}."
        message = _refusal(MXNetError(text))
    except MXNetError as exc:
        message = _refusal(exc)
    except OSError as exc:
        message = _refusal(MXNetError(str(exc)))
    except Exception as exc:  # noqa: BLE001  (it would be a traceback in another process)
        message = _refusal(MXNetError(f"{type(exc).__name__}: {exc}"))
    send(back, message)
    os._exit(0)


def _refusal(exc: MXNetError) -> dict[str, Any]:
    """An error as the parent is told of it."""
    message: dict[str, Any] = {"kind": "error", "name": type(exc).__name__, "text": str(exc)}
    if isinstance(exc, FileError) and exc.errno is not None:
        message |= {"errno": exc.errno, "text": exc.strerror, "path": exc.filename}
    return {**message, "notes": [str(note) for note in getattr(exc, "__notes__", ())]}
