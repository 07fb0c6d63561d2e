"""The reference: a page for each public module, made of what `scripts/_reference.py` tells of its names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from scripts._reference import Entry, Part, entries, parts
from scripts._surface import PACKAGE, modules

FOLDER = "reference"
CODE = re.compile(r"(`+)(.+?)\1")
MODULES = modules()
SHORT = {
    item.same_as: item.path.rpartition(".")[2]
    for item in entries(MODULES[PACKAGE])
    if item.kind == "module" and item.same_as
}


def write_pages(app: Any) -> None:
    """A page for each module, where Sphinx looks for pages."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(exist_ok=True)
    texts = {f"{name}.md": page_of(name) for name in MODULES}
    for path in folder.glob("*.md"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def page_of(name: str) -> str:
    """The text of a module's page: its title, and the directive that shows its names.

    It stands in no tree of contents, all of which every page shows; the page of all modules leads to it.
    """
    return f"---\norphan: true\n---\n\n# {name}\n\n```{{public-names}} {name}\n```\n"


class PublicModules(SphinxDirective):
    """`{public-modules}`: every module, with the first sentence of its docstring."""

    def run(self) -> list[nodes.Node]:
        items = nodes.bullet_list("")
        for name, module in MODULES.items():
            line = nodes.paragraph("", "", reference(name, name))
            if name in SHORT:
                line += [nodes.Text(", "), nodes.literal("", f"mx.{SHORT[name]}")]
            line += [nodes.Text(" – "), *inline(sentences(module)[0])]
            items += nodes.list_item("", line)
        return [items]


class PublicNames(SphinxDirective):
    """`{public-names} hybridonnx.gluon`: the module's docstring and all of its names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        module = MODULES[name]
        target = nodes.target("", "", ids=[f"module-{name}"])
        self.state.document.note_explicit_target(target)
        self.note(name, "module", f"module-{name}")
        items = entries(module)
        here = [item for item in items if not item.same_as and item.kind != "module"]
        content: list[nodes.Node] = [target, *shown(parts(module.__doc__ or ""))]
        for kind, title in (("module", "Modules"), ("", "Also here")):
            others = [i for i in items if i not in here and (i.kind == "module") == (kind == "module")]
            if others:
                content += [nodes.rubric("", title), self.links(others)]
        return [*content, *(self.described(item) for item in here)]

    def note(self, path: str, kind: str, anchor: str, aliased: bool = False) -> None:
        """Let the inventory, the index and links know a name."""
        domain: Any = self.env.get_domain("py")
        if kind == "module" and not aliased:
            domain.note_module(path, anchor, "", "", False)
        domain.note_object(path, kind, anchor, aliased=aliased, location=self.get_location())

    def links(self, items: Iterable[Entry]) -> nodes.Node:
        """Names that are described on other pages."""
        line = nodes.paragraph()
        for item in items:
            target = item.same_as or item.path
            if item.kind != "module" or item.same_as:
                anchor = nodes.target("", "", ids=[item.path])
                self.state.document.note_explicit_target(anchor)
                self.note(item.path, "data" if item.kind == "module" else item.kind, item.path, aliased=True)
                line += anchor
            line += [reference(target, item.path.rpartition(".")[2]), nodes.Text(", ")]
        line.pop()
        return line

    def described(self, item: Entry) -> nodes.Node:
        """A name with its arguments, its docstring, and its members."""
        owner, _, name = item.path.rpartition(".")
        line = addnodes.desc_signature("", "", ids=[item.path], **{"class": "", "fullname": item.path})
        line["_toc_parts"], line["_toc_name"] = (), ""
        if item.kind in ("class", "exception"):
            line += addnodes.desc_annotation("", f"{item.kind} ")
        if item.kind not in ("method", "attribute"):
            line += addnodes.desc_addname("", f"{owner}.")
        line += addnodes.desc_name("", name)
        if item.arguments is not None:
            line += parameters(item.arguments)
        self.state.document.note_explicit_target(line)
        self.note(item.path, item.kind, item.path)
        content = addnodes.desc_content("", *shown(item.parts))
        content += [self.described(member) for member in item.members]
        return addnodes.desc(
            "", line, content, domain="py", objtype=item.kind, desctype=item.kind, no_index=False
        )


def reference(path: str, label: str) -> nodes.Node:
    """A link to a name."""
    link = addnodes.pending_xref(
        "", refdomain="py", reftype="obj", reftarget=path, refexplicit=True, refwarn=True
    )
    link += nodes.literal(label, label, classes=["xref"])
    return link


def sentences(module: Any) -> list[str]:
    """The first paragraph of a module's docstring, and the others."""
    return [" ".join(part.split()) for part in (module.__doc__ or "").strip().split("\n\n")]


def parameters(arguments: Iterable[tuple[str, str]]) -> nodes.Node:
    """Arguments as signatures show them."""
    listed = addnodes.desc_parameterlist()
    for name, default in arguments:
        one = addnodes.desc_parameter("", "", addnodes.desc_sig_name("", name))
        if default:
            one += [addnodes.desc_sig_operator("", "="), nodes.inline("", default, classes=["default_value"])]
        listed += one
    return listed


def shown(items: Iterable[Part]) -> Iterator[nodes.Node]:
    """The parts of a docstring; sections that follow each other are one list."""
    fields = nodes.field_list()
    for part in items:
        if part.kind in ("paragraph", "code"):
            if len(fields):
                yield fields
                fields = nodes.field_list()
            code = nodes.literal_block(part.text, part.text, language="python")
            yield code if part.kind == "code" else paragraph(part.text)
        else:
            fields += nodes.field("", nodes.field_name("", part.kind), nodes.field_body("", said(part)))
    if len(fields):
        yield fields


def said(part: Part) -> nodes.Node:
    """What a section says."""
    if not part.entries:
        return paragraph(part.text)
    items = nodes.bullet_list("")
    for name, text in part.entries:
        line = nodes.paragraph("", "", nodes.strong("", name), nodes.Text(" – "), *inline(text))
        items += nodes.list_item("", line)
    return items


def paragraph(text: str) -> nodes.paragraph:
    """A paragraph, in which what stands between backticks is code."""
    return nodes.paragraph("", "", *inline(text))


def inline(text: str) -> Iterator[nodes.Node]:
    """Text and code."""
    at = 0
    for match in CODE.finditer(text):
        yield nodes.Text(text[at : match.start()])
        yield nodes.literal(match[2], match[2])
        at = match.end()
    yield nodes.Text(text[at:])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("public-modules", PublicModules)
    app.add_directive("public-names", PublicNames)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
