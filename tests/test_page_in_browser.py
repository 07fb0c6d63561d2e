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
from tests.test_page import RESULTS

PROGRAMS = driver.programs()
pytestmark = pytest.mark.skipif(
    PROGRAMS is None, reason="chromium and chromedriver are required, for a browser"
)
LAYERS = "table[data-name=layers]"
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
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
            if "HYBRIDONNX_SCREENSHOTS" in os.environ:
                folder = Path(os.environ["HYBRIDONNX_SCREENSHOTS"])
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
    finally:
        browser.media()
