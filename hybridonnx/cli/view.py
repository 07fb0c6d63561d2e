"""Show a model's graph in the browser, with Netron.

MODEL is an ONNX file or MXNet's prefix-symbol.json. The page is for this machine alone, until the command is
interrupted. This needs the extra `view`.

    hybridonnx view model.onnx
    hybridonnx view net-symbol.json --port 8080 --no-browser
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any

import click

from ..errors import MXNetError
from ._command import Answer, command
from ._models import file_of

__all__ = ["view"]


@command
@click.argument("model", type=click.Path())
@click.option(
    "--port", type=click.IntRange(1, 65535), help="The port of the page; any that is free unless given."
)
@click.option("--browser/--no-browser", default=True, help="Whether to open the page.")
def view(model: str, port: int | None, browser: bool) -> Answer:
    """Show a model's graph."""
    path = file_of(model)
    netron = _netron()
    logging.getLogger().addHandler(logging.NullHandler())  # without one it prints to stdout
    host, number = netron.start(path, (_HOST, port), browse=browser)
    address = f"http://{host}:{number}"
    click.echo(f"{path} is shown at {address} until this is interrupted (Ctrl-C)", err=True)
    netron.wait()
    return Answer(f"{path} was shown at {address}", {"file": path, "address": address})


_HOST = "localhost"


def _netron() -> Any:
    try:
        return import_module("netron")
    except ModuleNotFoundError:
        raise MXNetError(
            'the package netron is required, which is not installed; pip install "hybridonnx[view]".'
        ) from None
