"""A small server of models over HTTP, by the protocol of KServe v2, which Triton's clients speak."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import MXNetError, RequirementError, file_error
from .model_names import model_name, require_model_name
from .serve_options import Batches, Limits
from .served_model import ServedModel

__all__ = ["Server", "serve"]

_BACKLOG = 2048
PathLike: TypeAlias = str | os.PathLike[str]


class Server:
    """Models that answer requests over HTTP, in a thread of this process, from `start` to `stop`.

    It is a context manager. Clients are those of Triton and KServe, such as `tritonclient.http`, or whatever
    sends JSON. What it takes from them is limited; who may send is for what stands before it to decide: by
    itself it listens to this machine alone.

    Args:
        models: An ONNX file, or MXNet's `prefix-symbol.json` if it tells the shapes of its inputs; or several
            files by what clients call the models. One alone is called by its file's name.
        host: The address to listen at.
        port: The port; any that is free for 0.
        batches: How requests are put together to batches.
        limits: What is refused.
        threads: Threads of each model; 0 for as many as ONNX Runtime likes.
        providers: ONNX Runtime's that run ONNX files, by name or with options; the processor's unless given.
        drain: How many seconds it takes further requests once it is told to end, while it says that it is not
            ready; what it took is answered in any case.

    Raises:
        MXNetError: If there is no such model, or it does not tell what it takes.
        RequirementError: If the packages of the extra `serve` are missing.
    """

    def __init__(
        self,
        models: PathLike | Mapping[str, PathLike],
        *,
        host: str = "127.0.0.1",
        port: int = 8000,
        batches: Batches | None = None,
        limits: Limits | None = None,
        threads: int = 0,
        providers: Sequence[Any] = (),
        drain: float = 1.0,
    ) -> None:
        application, self._http, metrics = _web()
        batches, limits = batches or Batches(), limits or Limits()
        batches.require()
        limits.require()
        self._limits, self._drain, self._address = limits, drain, (host, port)
        counts = metrics.Metrics()
        self._models: dict[str, ServedModel] = {}
        self._socket: socket.socket | None = None
        self._running: Any = None
        self._thread: threading.Thread | None = None
        self._has_ended = False
        try:
            for name, path in _named(models).items():
                count = metrics.ModelMetrics(counts, name)
                self._models[name] = ServedModel(name, path, batches, limits, count, threads, providers)
        except BaseException:
            self._close()
            raise
        self._application = application.Application(self._models, limits, counts)

    @property
    def models(self) -> dict[str, ServedModel]:
        """The models by name."""
        return dict(self._models)

    @property
    def accepted(self) -> int:
        """How many requests for outputs it has taken to answer, with outputs or by saying what is wrong."""
        count: int = self._application.accepted
        return count

    @property
    def address(self) -> str:
        """Where it listens, such as `127.0.0.1:8000`."""
        if not self._has_ended:
            self._bound()
        host, port = self._address
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def run(self, begins: Callable[[], None] = lambda: None) -> None:
        """Serve until the process gets SIGTERM or SIGINT, in its main thread; then answer what was taken.

        Args:
            begins: Is called once it takes requests.

        Raises:
            MXNetError: If it has ended before.
            FileError: If somebody else listens at the port.
        """
        bound = self._bound()
        application = self._application
        self._running = self._http.HttpServer(
            application.asgi, self._limits, self._drain, application.drain, begins
        )
        try:
            self._running.run([bound])
        finally:
            self._close()

    def start(self) -> Server:
        """Serve in a thread.

        Returns:
            Itself.

        Raises:
            MXNetError: If it has ended before.
            FileError: If somebody else listens at the port.
        """
        self._bound()
        self._thread = threading.Thread(target=self.run, name="server", daemon=True)
        self._thread.start()
        while not getattr(self._running, "started", False):
            if not self._thread.is_alive():
                raise MXNetError("serve: a server that starts is required; its log tells why it did not.")
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        """Answer what was taken, and end."""
        if self._thread is not None:
            self._running.end()
            self._thread.join()
            self._thread = None
        self._close()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def _bound(self) -> socket.socket:
        """The socket that it listens at."""
        if self._has_ended:
            raise MXNetError("serve: a server that has not ended is required. Make another one.")
        if self._socket is None:  # and so before it runs: who is told the port may call it at once
            host, port = self._address
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            # asyncio sends at once, without Nagle's 40 ms, on sockets that say that they are TCP
            bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            try:
                if os.name == "posix":  # elsewhere it lets others listen at the same port
                    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                bound.bind((host, port))
                bound.listen(_BACKLOG)
            except OSError as exc:
                bound.close()
                self._close()
                raise file_error(exc, f"{host}:{port}") from None
            self._socket, self._address = bound, (host, bound.getsockname()[1])
        return self._socket

    def _close(self) -> None:
        self._has_ended = True
        for model in self._models.values():
            model.close()
        if self._socket is not None:
            self._socket.close()


def serve(models: PathLike | Mapping[str, PathLike], **options: Any) -> None:
    """Serve models over HTTP until the process gets SIGTERM or SIGINT; the arguments are `Server`'s."""
    Server(models, **options).run()


def _named(models: PathLike | Mapping[str, PathLike]) -> dict[str, PathLike]:
    if not isinstance(models, Mapping):
        models = {model_name(models): models}
    for name in models:
        require_model_name("serve", name)
    if not models:
        raise MXNetError("serve: a model is required, got none.")
    return dict(models)


def _web() -> tuple[Any, Any, Any]:
    """The modules that need the extra's packages."""
    try:
        from . import application, http_server, metrics
    except ModuleNotFoundError as exc:
        raise RequirementError(
            f'serve: the package {exc.name} is required. pip install "hybridonnx[serve]".'
        ) from None
    return application, http_server, metrics
