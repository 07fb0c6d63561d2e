"""The protocol of KServe v2 over HTTP, as an application of ASGI."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .._version import __version__
from ..errors import MXNetError
from .messages import Answer, RefusedError, parse_request, response_of
from .metrics import Metrics
from .serve_options import Limits
from .served_model import ServedModel

_LENGTH = "inference-header-content-length"
_INLINE = 1 << 16
"""The bytes of a request or a response up to which the loop itself reads and writes it."""
_TOO_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
_CHUNK = 1 << 20


class Application:
    """Answers requests by some models.

    Args:
        models: By what clients call them.
        limits: What is refused.
        metrics: Are told of what is done.
    """

    def __init__(self, models: Mapping[str, ServedModel], limits: Limits, metrics: Metrics) -> None:
        self._models, self._limits, self._metrics = models, limits, metrics
        self._bytes = self._requests = 0
        self.draining = False
        """Whether the server ends: it still answers, but says that it is not ready, and ends connections."""
        self.accepted = 0
        """How many requests for outputs were taken to be answered."""
        self.asgi = self._routes()
        """What a server of ASGI runs."""

    def _routes(self) -> Any:
        paths: dict[str, tuple[str, Any]] = {}
        for begin in ("/v2/models/{model}", "/v2/models/{model}/versions/{version}"):
            paths |= {  # what is asked most comes first: they are tried in order
                f"{begin}/infer": ("POST", self._infer),
                f"{begin}/ready": ("GET", self._model_ready),
                f"{begin}/stats": ("GET", self._statistics),
                begin: ("GET", self._metadata),
            }
        paths |= {
            "/v2": ("GET", self._server),
            "/v2/health/live": ("GET", self._live),
            "/v2/health/ready": ("GET", self._ready),
            "/v2/repository/index": ("POST", self._index),
            "/metrics": ("GET", self._counts),
        }
        routes = [Route(path, endpoint, methods=[method]) for path, (method, endpoint) in paths.items()]
        handlers: dict[Any, Any] = {RefusedError: self._refused, Exception: self._failed}
        handlers |= dict.fromkeys((404, 405), self._http_error)
        made = Starlette(routes=routes, exception_handlers=handlers)
        made.router.redirect_slashes = False
        return made

    def drain(self) -> None:
        """Say from now on that the server ends."""
        self.draining = True

    # ---- what is asked of the server

    async def _server(self, request: Request) -> Response:
        extensions = ["binary_tensor_data", "statistics"]
        return self._json({"name": "hybridonnx", "version": __version__, "extensions": extensions})

    async def _live(self, request: Request) -> Response:
        return self._json({"live": True})

    async def _ready(self, request: Request) -> Response:
        return self._json({"ready": not self.draining}, 503 if self.draining else 200)

    async def _index(self, request: Request) -> Response:
        return self._json([{"name": name, "version": "1", "state": "READY"} for name in self._models])

    async def _counts(self, request: Request) -> Response:
        self._metrics.in_work.set(self._requests)
        return self._response(self._metrics.text(), 200, "text/plain; version=0.0.4")

    # ---- what is asked of a model

    def _model(self, request: Request) -> ServedModel:
        name, version = request.path_params["model"], request.path_params.get("version", "1")
        if name not in self._models:
            raise RefusedError(
                f"a model among {', '.join(self._models)} is required, got another.", HTTPStatus.NOT_FOUND
            )
        if version != "1":
            raise RefusedError(f"{name}: version 1 is required, got another.", HTTPStatus.NOT_FOUND)
        return self._models[name]

    async def _metadata(self, request: Request) -> Response:
        return self._json(self._model(request).metadata())

    async def _model_ready(self, request: Request) -> Response:
        name = self._model(request).name
        return self._json({"name": name, "ready": not self.draining}, 503 if self.draining else 200)

    async def _statistics(self, request: Request) -> Response:
        return self._json({"model_stats": [self._model(request).metrics.statistics()]})

    async def _infer(self, request: Request) -> Response:
        model = self._model(request)
        if self._requests >= self._limits.requests:
            model.metrics.answered(503)
            return self._busy()
        self._requests += 1
        held = _Held(self)
        try:
            answer = await self._outputs(model, request, held)
        except RefusedError as exc:
            model.metrics.answered(exc.status)
            return self._refusal(exc)
        except MXNetError as exc:  # what the model does not take, such as an index beyond its table
            model.metrics.answered(400)
            return self._error(HTTPStatus.BAD_REQUEST, str(exc))
        except ClientDisconnect:
            model.metrics.answered(499)
            return self._error(499, "the client has left.")
        except Exception:
            model.metrics.answered(500)
            raise
        finally:
            self._requests -= 1
            self._bytes -= held.count
        model.metrics.answered(200)
        headers = {} if answer.json_length is None else {_LENGTH: str(answer.json_length)}
        return self._response(b"".join(answer.parts), 200, answer.media, headers)

    async def _outputs(self, model: ServedModel, request: Request, held: _Held) -> Answer:
        try:
            async with asyncio.timeout(self._limits.seconds):
                body = await self._body(request, held)
        except TimeoutError:
            raise RefusedError(
                f"a request that arrives within {self._limits.seconds:g} s is required, got a part.",
                HTTPStatus.REQUEST_TIMEOUT,
            ) from None
        self.accepted += 1
        begin = time.perf_counter()
        length = request.headers.get(_LENGTH)
        if (len(body) if length is None else _number(length)) > self._limits.json_bytes:
            raise RefusedError(
                f"JSON of at most {self._limits.json_bytes} bytes is required. Send arrays as binary data.",
                _TOO_LARGE,
            )
        asked = await _done(len(body), parse_request, body, length, model.inputs, list(model.datatypes))
        results = await asyncio.wrap_future(model.submit(asked.arrays))
        wanted = {name: results[name] for name in asked.outputs or results}
        size = sum(getattr(array, "nbytes", 0) for array in wanted.values())
        answer: Answer = await _done(size, response_of, model.name, asked, wanted, model.datatypes)
        model.metrics.took(time.perf_counter() - begin)
        return answer

    async def _body(self, request: Request, held: _Held) -> bytearray:
        """The whole of a request, no more than the limits."""
        told = request.headers.get("content-length", "0")
        self._require_size(_number(told))
        reader = _Reader(request.headers.get("content-encoding", "identity").strip().lower())
        body = bytearray()
        async for chunk in request.stream():
            for part in reader.read(chunk):
                self._require_size(len(body) + len(part))
                held.hold(len(part), self._limits.all_bytes)
                body += part
        reader.require_end()
        return body

    def _require_size(self, size: int) -> None:
        if size > self._limits.request_bytes:
            raise RefusedError(
                f"a request of at most {self._limits.request_bytes} bytes is required, got more.", _TOO_LARGE
            )

    # ---- answers

    def _json(self, value: Any, status: int = 200) -> Response:
        return JSONResponse(value, status, headers=self._headers())

    def _response(
        self, body: bytes, status: int, media: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        return Response(body, status, {**(headers or {}), **self._headers()}, media)

    def _headers(self) -> dict[str, str]:
        return {"connection": "close"} if self.draining else {}

    def _error(self, status: int, message: str) -> Response:
        return self._json({"error": message}, status)

    def _busy(self) -> Response:
        response = self._error(503, f"{self._requests} requests are in work, which is all that may be.")
        response.headers["retry-after"] = "1"
        return response

    def _refusal(self, exc: RefusedError) -> Response:
        response = self._error(exc.status, str(exc))
        if exc.status == HTTPStatus.REQUEST_TIMEOUT:
            response.headers["connection"] = "close"
        return response

    async def _refused(self, request: Request, exc: Any) -> Response:
        return self._refusal(exc)

    async def _http_error(self, request: Request, exc: Any) -> Response:
        return self._error(exc.status_code, f"{exc.detail}.")

    async def _failed(self, request: Request, exc: Any) -> Response:
        return self._error(500, "the server failed; its log tells more.")


class _Held:
    """The bytes of a request that are in memory."""

    def __init__(self, application: Application) -> None:
        self._application, self.count = application, 0

    def hold(self, size: int, most: int) -> None:
        """Note more of them.

        Raises:
            RefusedError: If all requests have more than `most`.
        """
        self.count += size
        self._application._bytes += size
        if self._application._bytes > most:
            raise RefusedError(
                "less in work is required, got too much. Try later.", HTTPStatus.SERVICE_UNAVAILABLE
            )


class _Reader:
    """The bytes behind HTTP's content-encoding, which grow no faster than they are asked for."""

    def __init__(self, encoding: str) -> None:
        windows = {"identity": 0, "gzip": 31, "deflate": 15}
        if encoding not in windows:
            raise RefusedError(
                f"a content-encoding among {', '.join(windows)} is required, got another.",
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            )
        self._inflate = zlib.decompressobj(windows[encoding]) if windows[encoding] else None

    def read(self, chunk: bytes) -> Any:
        """What a chunk becomes, in parts."""
        if self._inflate is None:
            if chunk:
                yield chunk
            return
        while chunk:
            try:
                part = self._inflate.decompress(chunk, _CHUNK)
            except zlib.error:
                raise RefusedError("data as content-encoding says is required, got other data.") from None
            if part:
                yield part
            elif self._inflate.eof:
                raise RefusedError("an end after the compressed data is required, got more.")
            chunk = self._inflate.unconsumed_tail or (self._inflate.unused_data if self._inflate.eof else b"")

    def require_end(self) -> None:
        """Refuse data that is not whole."""
        if self._inflate is not None and not self._inflate.eof:
            raise RefusedError("the whole of the compressed data is required, got a part.")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 1 << 62


async def _done(size: int, function: Any, *arguments: Any) -> Any:
    """What a function gives; in a thread if it has much to do, as others want answers, too."""
    if size <= _INLINE:
        return function(*arguments)
    return await asyncio.to_thread(function, *arguments)
