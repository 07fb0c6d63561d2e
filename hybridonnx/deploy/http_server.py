"""uvicorn, with connections that end in time, and an end that loses no request."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .serve_options import Limits

_GRACE = 5.0
"""Seconds after which a connection ends that was told that it is too late."""
_KEEP_ALIVE = 30
"""Seconds that a connection stays without a request."""
_SPARE = 64
"""Connections beyond two for each request that may be in work."""


class HttpServer(uvicorn.Server):
    """A server that says that it ends for a while before it does.

    Args:
        application: What answers, as ASGI has it.
        limits: How long a request may take to arrive, and how many there may be.
        drain: How long it goes on once it is told to end.
        drains: Is called then.
        begins: Is called once it takes requests, and signals.
    """

    def __init__(
        self,
        application: Any,
        limits: Limits,
        drain: float,
        drains: Callable[[], None],
        begins: Callable[[], None],
    ) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http=_connection_class(limits.seconds, 2 * limits.requests + _SPARE),
                loop="asyncio",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                timeout_keep_alive=_KEEP_ALIVE,
            )
        )
        self._drain, self._drains, self._begins = drain, drains, begins
        self._told = False
        self._until: float | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take requests."""
        await super().startup(sockets)
        self._begins()

    def end(self) -> None:
        """Begin to end."""
        self._told = True  # uvicorn's own should_exit ends a server that has just started at once

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to end; at once at a second SIGINT."""
        if self._told and sig == signal.SIGINT:
            self.force_exit = self.should_exit = True
        self.end()

    async def on_tick(self, counter: int) -> bool:
        """Whether to end now."""
        if await super().on_tick(counter):
            return True
        if not self._told:
            return False
        if self._until is None:
            self._until = time.monotonic() + self._drain
            self._drains()
        return time.monotonic() >= self._until


def _connection_class(seconds: float, most: int) -> type[asyncio.Protocol]:
    """The class of connections on which a request, and its answer, may take so long."""

    class Connection(_Connection):
        """A connection with these limits."""

        limit, connections_most = seconds + _GRACE, most

    return Connection


class _Connection(H11Protocol):
    """A connection whose requests arrive in time, and whose answers are read in time, or that ends."""

    limit = 0.0
    connections_most = 0
    _reading: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > self.connections_most:
            transport.abort()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, or of several."""
        super().data_received(data)
        self._wait()

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Answer what is there; a part of a request is refused, and whole ones keep the connection."""
        state = self.conn.their_state
        if state is h11.SEND_BODY or (state is h11.IDLE and self.conn.trailing_data[0]):
            if self.cycle is None or not self.cycle.response_started:
                self.send_400_response("A whole request is required, got a part.")
            return None
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False
            return True
        return None

    def pause_writing(self) -> None:
        """Write no more for now, as the client does not read; it has its time for that, too."""
        super().pause_writing()
        self._end_in_time()

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def shutdown(self) -> None:
        """End, once an answer that is on its way has been read."""
        super().shutdown()
        if self.transport.is_closing():
            self._end_in_time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        for timer in (self._reading, self._writing):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Have the connection end in time, unless a whole request is here."""
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            if self._reading is None:
                self._reading = self.loop.call_later(self.limit, self.transport.abort)
        elif self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _end_in_time(self) -> None:
        if self._writing is None:
            self._writing = self.loop.call_later(self.limit, self.transport.abort)
