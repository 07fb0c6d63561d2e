"""A page: one file of HTML with its style, its script and its data inside."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from ..formats.files import write_atomically
from .markup import Markup, shown, tag, together
from .plot import Plot
from .table import State, Table

_STATES: Mapping[str, str] = {"good": "✓", "fair": "≈", "bad": "✗"}

_FIRST = 'document.documentElement.className = "js loading"'
"""What runs before tables are there: until the script has them, a browser lays out few of their rows."""

_LENGTH = 150
"""How much of a name stands above a fact."""

Part: TypeAlias = Markup | Table | Plot | str
"""What a page is made of; a text is a paragraph."""


@dataclass(frozen=True)
class Page:
    """What there is to say of something."""

    title: str
    headline: str
    """The answer, in a sentence."""
    state: State = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What there is to know at a glance, by its name."""
    remarks: Sequence[str] = ()
    """Sentences that readers should have read."""
    sections: Mapping[str, Sequence[Part]] = field(default_factory=dict)
    """Parts by the heading above them; sections without parts are left out."""
    environment: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The whole file."""
        style, script, first = Markup(_asset("page.css")), Markup(_asset("page.js")), Markup(_FIRST)
        head = tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=_policy(first, script)),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("link", rel="icon", href="data:,"),
            tag("title", self.title),
            tag("style", style),
            tag("script", first),
        )
        body = tag(
            "body",
            tag("header", *self._header()),
            tag("main", together([_section(h, parts) for h, parts in self._sections().items() if parts])),
            tag("p", class_="status", role="status", aria_live="polite"),
            tag("script", Markup(_data(self.sections)), type="application/json", id="data"),
            tag("script", script),
        )
        return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"

    def write(self, path: str | os.PathLike[str] | None) -> str:
        """The whole file, which is also written where `path` says, if it says."""
        text = self.text()
        if path is not None:
            write_atomically(path, [text.encode("utf-8", "replace")])  # names of files may be no text
        return text

    def _header(self) -> list[Markup]:
        title = [tag("span", self.headline)]
        if self.state:
            title.insert(0, tag("span", _STATES[self.state], class_="mark", aria_hidden="true"))
        parts = [tag("p", self.title, class_="kind"), tag("h1", *title, class_=self.state or None)]
        if self.facts:
            parts.append(_pairs(self.facts))
        if self.remarks:
            parts.append(tag("ul", *(tag("li", text) for text in self.remarks), class_="remarks"))
        return parts

    def _sections(self) -> dict[str, Sequence[Part]]:
        more = {"Environment": [_pairs(self.environment)]} if self.environment else {}
        return {**self.sections, **more}


class HasPage:
    """What can be looked at in a browser."""

    def _page(self) -> Page:
        raise NotImplementedError

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """All of it as a page for a browser: one file, which needs no network.

        Args:
            path: A file to write it to, if it shall be.

        Returns:
            The page.
        """
        return self._page().write(path)


def _section(heading: str, parts: Sequence[Part]) -> Markup:
    return tag("section", tag("h2", heading), *(_part(part) for part in parts))


def _part(part: Part) -> Markup:
    if isinstance(part, Markup):
        return part
    return tag("p", part) if isinstance(part, str) else part.markup()


def _pairs(facts: Mapping[str, str]) -> Markup:
    pairs = [(shown(key, _LENGTH), shown(text, 4 * _LENGTH)) for key, text in facts.items()]
    return tag("dl", *(tag("div", tag("dt", key), tag("dd", text)) for key, text in pairs), class_="facts")


def _data(sections: Mapping[str, Sequence[Part]]) -> str:
    """What the script reads, written so that nothing in it ends the element or is taken for markup."""
    tables, plots = {}, {}
    for part in (part for parts in sections.values() for part in parts):
        if isinstance(part, Table):
            tables.update(part.data())
        elif isinstance(part, Plot):
            plots.update(part.data())
    text = json.dumps({"tables": tables, "plots": plots}, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(*scripts: str) -> str:
    """Browsers load nothing for the page, and run no scripts but its own."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    sources = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {sources}"


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
