"""How Sphinx makes the pages: `scripts/docs` runs it, and every warning is an error."""

from __future__ import annotations

import os
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
REPOSITORY = "https://github.com/hybridonnx/hybridonnx/blob/main/"
LINK = re.compile(r"(?<=\]\()(\.\./[^)#\s]*)(?=[)#])")

sys.path[:0] = [str(DOCS), str(DOCS.parent)]
from hybridonnx import __version__

project = "hybridonnx"
author = "the authors of hybridonnx"
copyright = "the authors of hybridonnx, Apache-2.0"
release = version = __version__

extensions = ["myst_parser", "reference"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nitpicky = True
exclude_patterns = ["README.md"]
templates_path: list[str] = []

html_theme = "furo"
html_title = f"hybridonnx {release}"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_sphinx = False
smartquotes = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_theme_options = {
    "source_repository": "https://github.com/hybridonnx/hybridonnx/",
    "source_branch": "main",
    "source_directory": "docs/",
}


def link_to_repository(app: Any, page: str, source: list[str]) -> None:
    """Let links out of docs lead to the files as GitHub shows them."""
    folder = posixpath.dirname(f"docs/{page}")

    def address(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        return match[1] if path.startswith("docs/") else REPOSITORY + path

    source[0] = LINK.sub(address, source[0])


def setup(app: Any) -> None:
    """Called by Sphinx."""
    os.environ.setdefault("HYBRIDONNX_THREADS", "1")
    app.connect("source-read", link_to_repository)
