"""Pages in a real browser: what is sorted, searched, switched and shown; nothing is asked of the network.

It needs Chromium and its driver, which Debian has as chromium and chromium-driver. With the name of a folder
in HYBRIDONNX_SCREENSHOTS, what pages look like is kept there.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from hybridonnx.pages.page import Page
from hybridonnx.pages.plot import Chart, Plot, Series
from hybridonnx.pages.table import Column, Row, Table
from hybridonnx.parity.difference import Exact, difference
from hybridonnx.parity.report import Parity
from hybridonnx.parity.results import Layer
from tests import browser as driver
from tests.test_page import RESULTS, benchmark

PROGRAMS = driver.programs()
pytestmark = pytest.mark.skipif(
    PROGRAMS is None, reason="chromium and chromedriver are required, for a browser"
)
LAYERS = "table[data-name=layers]"
SIZES = {"desktop": (1280, 900), "phone": (360, 740)}
CONTRAST = """
const light = (rgb) => {
  const [r, g, b] = rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const color = (text) => text.match(/[\\d.]+/g).map(Number);
const back = (node) => {
  for (; node; node = node.parentElement) {
    const found = color(getComputedStyle(node).backgroundColor);
    if (found.length < 4 || found[3] > 0) return found.slice(0, 3);
  }
  return [255, 255, 255];
};
const faults = [];
for (const node of document.querySelectorAll("header *, section *")) {
  if (![...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim()) || !node.offsetParent) continue;
  const own = color(getComputedStyle(node).color).slice(0, 3);
  const pair = [light(own), light(back(node))].sort((a, b) => b - a);
  const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
  if (ratio < 4.5) faults.push(`${node.tagName}.${node.className} ${ratio.toFixed(2)} ${node.textContent}`);
}
return faults;
"""
"""What is written with less contrast than https://www.w3.org/TR/WCAG22/#contrast-minimum requires."""

UNREACHABLE = """
return [...document.querySelectorAll("*")].filter((node) =>
  node.scrollWidth > node.clientWidth && /auto|scroll/.test(getComputedStyle(node).overflowX)
  && node.tabIndex < 0 && !node.querySelector("button, input, select, [tabindex='0']"),
).map((node) => node.outerHTML.slice(0, 99));
"""
"""What scrolls sideways, and those who use a keyboard cannot."""


@pytest.fixture(scope="module")
def browser():
    """A browser, which all tests share."""
    window = driver.Browser(*PROGRAMS)
    yield window
    window.close()


@pytest.fixture
def page(browser, tmp_path):
    """Shows a result; at the end nothing was complained of, and nothing asked for but the page."""
    path = tmp_path / "page.html"

    def show(result):
        browser.resize(*SIZES["desktop"])
        browser.media()
        path.write_text(result, encoding="utf-8")
        browser.open(path)
        return browser

    yield show
    assert browser.logged("browser") == []
    assert set(browser.requests()) <= {path.resolve().as_uri()}


def parity(count=30, fault=20):
    """A report of layers whose own errors are known, one of them a fault."""
    a = np.linspace(1, 2, 8)
    layers = []
    for i in range(count):
        off = 0.5 if i == fault else 1e-6 * (1 + i * 7 % count)
        one = difference(
            f"stage{i % 3}_conv{i}_output", a.astype("float32"), (a + off).astype("float32"), Exact(a, 1e-3)
        )
        layers.append(Layer(one, one, (f"node{i}",), (f"origin{i}",)))
    outputs = (
        difference("softmax_output", a.astype("float32"), (a + 0.1).astype("float32"), Exact(a, 1e-3)),
    )
    return Parity(outputs, tuple(layers), models=("net", "net.onnx"), environment={"ONNX Runtime": "1"})


def names(window):
    return window.texts(f"{LAYERS} tbody th")


def focus(window):
    return window.run("return document.activeElement.textContent")


def test_sorting(page):
    window = page(parity().to_html())
    first = names(window)
    assert first == [f"stage{i % 3}_conv{i}_output" for i in range(30)]
    heads = window.texts(f"{LAYERS} thead th")
    column = heads.index("of bound") + 1
    button = f"{LAYERS} thead th:nth-child({column}) button"
    sorting = (
        f"return document.querySelector('{LAYERS} thead th:nth-child({column})').getAttribute('aria-sort')"
    )
    assert window.run(sorting) == "none"
    window.click(button)
    cells = [float(text) for text in window.texts(f"{LAYERS} tbody td:nth-child({column})")]
    assert window.run(sorting) == "descending"
    assert cells == sorted(cells, reverse=True)
    assert names(window)[0] == "stage2_conv20_output"
    assert window.texts(".status") == ["sorted by of bound, descending"]
    window.click(button)
    assert window.run(sorting) == "ascending"
    assert names(window)[-1] == "stage2_conv20_output"
    window.click(button)
    assert names(window) == first
    window.click(f"{LAYERS} thead th:nth-child(1) button")
    assert names(window)[:3] == ["stage0_conv0_output", "stage0_conv3_output", "stage0_conv6_output"]


def test_searching(page):
    window = page(parity().to_html())
    search = "section:nth-of-type(2) input[type=search]"
    window.type(search, "STAGE1 conv2")
    assert names(window) == ["stage1_conv22_output", "stage1_conv25_output", "stage1_conv28_output"]
    assert window.texts(".tools .count") == ["3 of 30 rows"]
    window.type(search, "nothing")
    assert names(window) == []
    window.run(
        "const s = document.querySelector(arguments[0]); s.value = ''; s.dispatchEvent(new Event('input'))",
        search,
    )
    assert len(names(window)) == 30
    choose = """
    const s = document.querySelector("section:nth-of-type(2) .tools select[aria-label='Rows by verdict']");
    s.value = "fault"; s.dispatchEvent(new Event("change"));
    return [...s.options].map((o) => o.textContent)"""
    assert "fault (1)" in window.run(choose)
    assert names(window) == ["stage2_conv20_output"]


def test_details_by_keyboard(page):
    window = page(parity().to_html())
    window.run(f"document.querySelectorAll('{LAYERS} tbody button')[20].focus()")
    window.press("Enter")
    assert window.run("return document.activeElement.getAttribute('aria-expanded')") == "true"
    (text,) = window.texts("tr.details td")
    for fact in (
        "second model's nodes\nnode20",
        "first model's nodes\norigin20",
        "dtype\nfloat32",
        "bound there\n0.001",
    ):
        assert fact in text
    heights = window.run(
        "return [...document.querySelectorAll('.histogram rect')].map((r) => r.height.baseVal.value)"
    )
    assert max(heights) == 76, "all eight elements in one bar"
    assert window.run("return document.querySelectorAll('.histogram .limit').length") == 1
    window.press("Enter")
    assert window.texts("tr.details") == []
    assert focus(window) == "stage2_conv20_output"


def test_plot(page):
    window = page(parity().to_html())
    shown = """return [...document.querySelectorAll(".chart")].filter((c) => !c.hidden)
        .map((c) => c.dataset.title + c.dataset.scale)"""
    assert window.run(shown) == ["Error over its boundlogarithmic"]
    window.click("button[data-scale=linear]")
    assert window.run(shown) == ["Error over its boundlinear"]
    assert window.run("return document.querySelector('button[data-scale=linear]').ariaPressed") == "true"
    canvas = ".chart:not([hidden]) .canvas"
    window.point(canvas, 20.5 / 30)
    (text,) = window.texts(".readout")
    assert text == "stage2_conv20_output: whole error 500, own error 500"
    window.run(f"document.querySelector('{canvas}').focus()")
    window.press("Home")
    assert window.texts(".readout")[0].startswith("stage0_conv0_output: ")
    window.press("Right", "Right")
    assert window.run(f"return document.querySelector('{canvas}').getAttribute('aria-valuetext')").startswith(
        "stage2_conv2_"
    )
    window.press("Enter")
    assert focus(window) == "stage2_conv2_output"
    assert len(window.texts("tr.details")) == 1
    window.run("""const s = document.querySelector("select[aria-label='What is shown']");
        s.value = 1; s.dispatchEvent(new Event("change"))""")
    assert window.run(shown) == ["Error beside its bound, at the element that is nearest to its boundlinear"]
    assert window.texts(".readout")[0].startswith("stage2_conv2_output: bound of the whole error 0.001, ")


def test_ten_thousand_rows(page):
    count = 10_000
    rows = [Row((f"layer{i}", float(i * 7919 % count))) for i in range(count)]
    table = Table("layers", "Layers", [Column("layer"), Column("error", "number")], rows)
    plot = Plot("depth", "layers", "layers", [Chart("error", [Series("e", [row.cells[1] for row in rows])])])
    window = page(Page("t", "h", sections={"Layers": [plot, table]}).text())
    assert len(names(window)) == 100
    window.click(f"{LAYERS} thead th:nth-child(2) button")
    window.click(f"{LAYERS} thead th:nth-child(2) button")
    assert window.texts(f"{LAYERS} tbody td")[:3] == ["0", "1", "2"]
    window.type("input[type=search]", "layer9999")
    assert names(window) == ["layer9999"]
    window.click(".chart:not([hidden]) .canvas")
    (name,) = window.texts("tr.chosen th")  # the search gives way to what the plot shows
    assert name == window.texts(".readout")[0].split(":")[0]
    assert abs(int(name.removeprefix("layer")) - count / 2) < 20
    assert len(names(window)) == 100
    for _ in range(2):  # the rows before, and those behind
        window.click(".more button:last-child")
    assert len(names(window)) == count


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("letter", ["n", "<b>", "層"])
def test_names_of_ten_thousand_letters(page, result, letter):
    """They are cut where they would fill the page, and the details have all of them."""
    name = letter * 10_000
    window = page(result(f"{name} end").to_html())
    assert window.run("return document.documentElement.scrollHeight") < 10 * SIZES["desktop"][1]
    window.run("document.querySelectorAll('tbody th button[aria-expanded=false]').forEach((b) => b.click())")
    if result is not benchmark:  # whose names are those of files
        assert any(name in text for text in window.texts("tr.details dd"))
    for size in SIZES.values():
        window.resize(*size)
        assert window.run("return document.documentElement.scrollWidth") == size[0]


def test_the_end_of_a_long_name_is_found(page):
    rows = [Row((f"{'n' * 1000} {i}", "")) for i in range(30)]
    window = page(
        Page("t", "h", sections={"S": [Table("layers", "L", [Column("a"), Column("b")], rows)]}).text()
    )
    assert {len(text) for text in names(window)} == {301}
    window.type("input[type=search]", " 17")
    assert len(names(window)) == 1
    window.click(f"{LAYERS} tbody th button")
    assert window.texts("tr.details dd") == [f"{'n' * 1000} 17"]
    assert window.texts("tr.details dt") == ["a"]


def test_what_has_no_details_has_no_button(page):
    columns = [Column("size"), Column("note", minor=True)]
    window = page(
        Page(
            "t", "h", sections={"S": [Table("layers", "L", columns, [Row(("1", "")), Row(("2", "no"))])]}
        ).text()
    )
    assert window.texts(f"{LAYERS} tbody button") == ["2"]


@pytest.mark.parametrize("result", RESULTS)
def test_looks(page, result):
    """Nothing is wider than the screen, and all that is written has contrast."""
    window = page(result().to_html())
    window.run("document.querySelectorAll('tbody th button').forEach((b) => b.click())")
    for size, (width, height) in SIZES.items():
        window.resize(width, height)
        for scheme in ("light", "dark"):
            window.media(prefers_color_scheme=scheme)
            assert window.run("return document.documentElement.scrollWidth") == width
            assert window.run(CONTRAST) == []
            assert window.run(UNREACHABLE) == []
            if "HYBRIDONNX_SCREENSHOTS" in os.environ:
                folder = Path(os.environ["HYBRIDONNX_SCREENSHOTS"])
                folder.mkdir(parents=True, exist_ok=True)
                window.screenshot(folder / f"{result.__name__}-{size}-{scheme}.png")


def test_without_scripts(page, browser):
    browser.tell("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page(parity().to_html())
    finally:
        browser.tell("Emulation.setScriptExecutionDisabled", value=False)
    assert len(names(browser)) == 30
    assert browser.run("return document.querySelectorAll('.chart:not([hidden]) svg').length") == 1
    assert browser.run("return document.querySelectorAll('button, input').length") == 0


def test_print(page, browser):
    window = page(parity().to_html())
    browser.media("print")
    try:
        assert window.run("return getComputedStyle(document.querySelector('.tools')).display") == "none"
        assert window.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert window.run(CONTRAST) == []
        browser.resize(718, 1046)  # A4 without margins of 1 cm
        assert window.run("return document.documentElement.scrollWidth") == 718
        look = """return [...document.querySelectorAll(arguments[0])]
            .map((node) => getComputedStyle(node)[arguments[1]])"""
        kept = window.run(look, ".legend i", "printColorAdjust")
        assert set(kept) == {"exact"}, "browsers print no backgrounds of their own accord"
        assert len(set(window.run(look, f"{LAYERS} button", "fontSize"))) == 1
        assert window.texts(".printed") == ["", ""]
    finally:
        browser.media()


def test_print_says_what_is_not_there(page, browser):
    """Of 2,000 layers paper has those that the screen has."""
    window = page(parity(2000, 1700).to_html())
    browser.media("print")
    try:
        assert window.texts(".printed") == ["", "100 of 2,000 rows are here."]
        assert len(names(window)) == 100
    finally:
        browser.media()
