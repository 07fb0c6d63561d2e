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

_GRACE = 5.0
"""Seconds after which a connection ends that was told that it is too late."""
_KEEP_ALIVE = 30
"""Seconds that a connection stays without a request."""


class HttpServer(uvicorn.Server):
    """A server that says that it ends for a while before it does.

    Args:
        application: What answers, as ASGI has it.
        seconds: How long a request may take to arrive.
        drain: How long it goes on once it is told to end.
        drains: Is called then.
        begins: Is called once it takes requests, and signals.
    """

    def __init__(
        self,
        application: Any,
        seconds: float,
        drain: float,
        drains: Callable[[], None],
        begins: Callable[[], None],
    ) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http=_connection_class(seconds),
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


def _connection_class(seconds: float) -> type[asyncio.Protocol]:
    """The class of connections on which a request may take so long to arrive."""

    class Connection(_Connection):
        """A connection with this limit."""

        limit = seconds + _GRACE

    return Connection


class _Connection(H11Protocol):
    """A connection whose requests arrive in time, or not at all."""

    limit = 0.0
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
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

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Have the connection end in time, unless a whole request is here."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop()
        elif self._late is None:
            self._late = self.loop.call_later(self.limit, self.transport.abort)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
