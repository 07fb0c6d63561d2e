"""Serve models over HTTP, by the protocol of KServe v2, which Triton's clients speak.

MODEL is an ONNX file; convert MXNet's files first. NAME=MODEL says what clients call it, which is the file's
name otherwise.

    hybridonnx serve net.onnx
    hybridonnx serve faces=det2.onnx scores=net.onnx --port 8080 --delay 0.002

Then POST /v2/models/net/infer answers, GET /v2/models/net tells what it takes, /v2/health/ready if it is
ready, and /metrics has counts for Prometheus. Requests that come at once are one batch, if the model treats
rows one by one. It listens to this machine alone unless --host says otherwise: there, put something before
it that decides who may send. SIGTERM ends it, after it has answered all that it took. This needs the extra
`serve`.
"""

from __future__ import annotations

import click

from ..deploy.model_names import model_name
from ..deploy.serve_options import Batches, Limits
from ..deploy.server import Server
from ._command import Answer, command, step
from ._models import file_of

__all__ = ["serve"]

_COUNT = click.IntRange(min=0)
_SOME = click.IntRange(min=1)
_SECONDS = click.FloatRange(min=0)
_MIB = 1 << 20
_LIMITS = Limits()


@command
@click.argument("models", nargs=-1, required=True, metavar="[NAME=]MODEL…")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 for any."
)
@click.option(
    "--batch",
    type=_COUNT,
    help="The most rows of a batch; 0 for none. 32 if rows are found to be independent.",
)
@click.option(
    "--delay",
    type=_SECONDS,
    default=0.0,
    help="Seconds that a request waits for others while the model is free.",
)
@click.option("--instances", type=_SOME, default=1, help="How many batches run at once.")
@click.option(
    "--threads", type=_COUNT, default=0, help="Threads of each model; as ONNX Runtime likes unless given."
)
@click.option("--provider", "providers", multiple=True, help="ONNX Runtime's, in order. May be repeated.")
@click.option(
    "--max-request",
    type=_SOME,
    default=_LIMITS.request_bytes // _MIB,
    show_default=True,
    help="MiB of a request.",
)
@click.option("--max-rows", type=_SOME, default=_LIMITS.rows, show_default=True, help="Rows of a request.")
@click.option("--max-size", type=_SOME, default=_LIMITS.size, show_default=True, help="Each other free size.")
@click.option(
    "--max-requests",
    type=_SOME,
    default=_LIMITS.requests,
    show_default=True,
    help="Requests in work at once.",
)
@click.option(
    "--drain", type=_SECONDS, default=1.0, show_default=True, help="Seconds that it goes on after SIGTERM."
)
def serve(
    models: tuple[str, ...],
    host: str,
    port: int,
    batch: int | None,
    delay: float,
    instances: int,
    threads: int,
    providers: tuple[str, ...],
    max_request: int,
    max_rows: int,
    max_size: int,
    max_requests: int,
    drain: float,
) -> Answer:
    """Serve models over HTTP."""
    named = [_named(text) for text in models]
    twice = [name for name, _ in named if [other for other, _ in named].count(name) > 1]
    if twice:
        raise click.UsageError(
            f"a name for each model is required, as in first={named[0][1]}, got {twice[0]} twice"
        )
    step(f"reading {', '.join(path for _, path in named)}")
    request_bytes = max_request * _MIB
    limits = Limits(
        request_bytes=request_bytes,
        all_bytes=max(_LIMITS.all_bytes, 4 * request_bytes),
        rows=max_rows,
        size=max_size,
        requests=max_requests,
    )
    server = Server(
        dict(named),
        host=host,
        port=port,
        batches=Batches(batch, delay, instances),
        limits=limits,
        threads=threads,
        providers=providers,
        drain=drain,
    )
    for name, model in server.models.items():
        said = f"batches of up to {model.most} rows" if model.most else f"no batches{_because(model.fault)}"
        click.echo(f"{name}: {said}", err=True)
    where = f"{', '.join(server.models)} at http://{server.address}"
    server.run(lambda: click.echo(f"serving {where} until SIGTERM or Ctrl-C", err=True))
    text = f"requests that were answered: {server.accepted:,}"
    return Answer(text, {"address": server.address, "requests": server.accepted})


def _because(fault: str) -> str:
    return f", as {fault}" if fault else ""


def _named(text: str) -> tuple[str, str]:
    """What clients call a model, and its file."""
    name, equals, path = text.partition("=")
    if not equals:
        name, path = "", text
    found = file_of(path)
    return name or model_name(found), found
