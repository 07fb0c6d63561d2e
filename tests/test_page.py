"""Pages of results: well-formed, safe against hostile names, and true. test_page_in_browser.py uses them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from math import inf, nan

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import sym
from hybridonnx.onnx.benchmark import Benchmark, summary
from hybridonnx.onnx.model_diff import Change, ModelDiff, NodeDiff, WeightDiff
from hybridonnx.onnx.model_profile import NodeTime, Profile
from hybridonnx.pages.markup import number, tag
from hybridonnx.pages.page import Page
from hybridonnx.pages.plot import Chart, Plot, Series
from hybridonnx.pages.table import Column, Row, Table
from hybridonnx.parity.difference import Exact, difference
from hybridonnx.parity.report import Parity
from hybridonnx.parity.results import Change as Decision
from hybridonnx.parity.results import Layer, Score, SizeTrial

HOSTILE = """</script><script>alert(1)</script><img src=x onerror='a("1")'>&amp;<!--]]>\u2028"""
EMPTY = {"meta", "link", "input", "br"}


class Tree(HTMLParser):
    """The elements of a page; anything that is not well-formed fails."""

    def __init__(self, text):
        super().__init__()
        self.open: list[dict] = []
        self.elements: list[dict] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute of {tag} stands twice"
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "path": [e["tag"] for e in self.open]}
        self.elements.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open[-1]["tag"] == tag, f"</{tag}> ends {self.open[-1]['tag']}"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag, **attrs):
        return [e for e in self.elements if e["tag"] == tag and attrs.items() <= e["attrs"].items()]

    def rows(self, name):
        """The texts of a table's cells, by row."""
        start = next(i for i, e in enumerate(self.elements) if e["attrs"].get("data-name") == name)
        rows: list[list[str]] = []
        for element in self.elements[start + 1 :]:
            if element["tag"] == "table":
                break
            if element["tag"] == "tr":
                rows.append([])
            elif element["tag"] in ("td", "th"):
                rows[-1].append(element["text"])
        return rows

    def data(self):
        (script,) = self.all("script", id="data")
        return json.loads(script["text"])


def error(name, off, bound=1e-3):
    """A value of 1, 2 and 3 whose last element is off."""
    a = np.array([1, 2, 3], "float64")
    result = (a + [0, 0, off]).astype("float32")
    return difference(name, a.astype("float32"), result, Exact(a, bound))


def parity(name="fc", **fields):
    layers = (
        Layer(error("a", 0.0), error("a", 0.0), ("node_a",)),
        Layer(error(name, 0.5), error(name, 0.25), ("node_b", name), ("first_b",)),
        Layer(error("c", 2.0**-13), error("c", 0.125), ("node_c",)),
    )
    return Parity((error("y", 0.125),), layers, models=("one", "two"), environment={"NumPy": "2"}, **fields)


def profile(name="conv"):
    nodes = (
        NodeTime(name, "Conv", name, 1.5, 0.75, 1.0, f"float {name}"),
        NodeTime("r", "Relu", "", 0.5, 0.25),
    )
    return Profile(name, 2.25, nodes, 10, 1, 0, {name: "float32 (1, 3)"}, {"NumPy": name})


def model_diff(name="w"):
    change = Change(name, "1", name)
    return ModelDiff(
        first=name,
        second="b",
        changes=(change,),
        nodes=(NodeDiff("changed", "Conv", name, "other", (change,)), NodeDiff("added", "Relu", "", name)),
        weights=(
            WeightDiff(
                "changed", name, "v", "float32 (3,)", "float32 (3,)", 3, 2, 0.5, 0.25, (1,), (1.0, 1.5)
            ),
            WeightDiff("removed", name, "", "float32 (1,)", ""),
        ),
        equal_nodes=4,
        equal_weights=1,
        renames=(change,),
        notes=(change,),
    )


def benchmark(name="m"):
    rounds = [[0.001, 0.002], [0.003, 0.004]]
    timings = (summary(name, 1, 2, rounds), summary("n", 1, 2, [[0.001] * 4], 0.5))
    return Benchmark(timings, 1, {"NumPy": name})


RESULTS = [parity, profile, model_diff, benchmark]


@pytest.mark.parametrize("result", RESULTS)
def test_pages_are_well_formed_and_load_nothing(result):
    text = result().to_html()
    assert text.startswith("<!doctype html>\n")
    tree = Tree(text)
    ids = [e["attrs"]["id"] for e in tree.elements if "id" in e["attrs"]]
    assert len(ids) == len(set(ids))
    links = [e["attrs"][key] for e in tree.elements for key in ("src", "href", "action") if key in e["attrs"]]
    assert links == ["data:,"]
    assert set(re.findall(r"https?://[^\s'\"]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in text
    assert "@import" not in text
    (html,) = tree.all("html")
    assert html["attrs"]["lang"] == "en"
    assert len(tree.all("h1")) == 1
    for head in [e for e in tree.all("th") if "thead" in e["path"]]:
        assert head["attrs"]["scope"] == "col"
    assert len(tree.all("caption")) == len(tree.all("table"))
    assert all(e["attrs"].get("aria-label") for e in tree.all("svg"))


@pytest.mark.parametrize("result", RESULTS)
def test_browsers_are_told_to_run_these_scripts_alone(result):
    tree = Tree(result().to_html())
    (policy,) = tree.all("meta", **{"http-equiv": "Content-Security-Policy"})
    scripts = [e["text"] for e in tree.all("script") if e["attrs"].get("type") != "application/json"]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    assert re.findall(r"'sha256-([^']+)'", policy["attrs"]["content"]) == digests
    assert policy["attrs"]["content"].startswith("default-src 'none';")


@pytest.mark.parametrize("result", RESULTS)
def test_hostile_names_stay_text(result):
    plain, tree = Tree(result("x").to_html()), Tree(result(HOSTILE).to_html())
    assert [e["tag"] for e in tree.elements] == [e["tag"] for e in plain.elements]
    assert [set(e["attrs"]) for e in tree.elements] == [set(e["attrs"]) for e in plain.elements]
    assert HOSTILE in [
        cell for e in tree.all("table") for row in tree.rows(e["attrs"]["data-name"]) for cell in row
    ]


def test_parity():
    tree = Tree(parity().to_html())
    assert tree.all("h1")[0]["text"] == "✗The models differ: fc is the first layer that errs by itself"
    text = tree.all("header")[0]["text"]
    assert "fc is computed by node_b, fc in the second model." in text
    assert "At [2], 3 is required, and 3.5 is there. Rounding can put it off by 0.001." in text
    heads, *rows = tree.rows("layers")
    cells = [dict(zip(heads, row, strict=True)) for row in rows]
    assert [row["layer"] for row in cells] == ["a", "fc", "c"]
    assert [row["verdict"] for row in cells] == ["agrees", "fault", "rounding"]
    assert [row["of bound"] for row in cells] == ["0", "500", "0.122"]
    assert [row["whole"] for row in cells] == ["0", "250", "125"]
    assert cells[1]["absolute"] == "0.5"
    assert cells[1]["relative"] == number(0.5 / 3)
    assert cells[1]["faults"] == "1"
    data = tree.data()["tables"]["layers"]
    details = dict(zip(data["labels"], data["details"][1], strict=True))
    assert details["second model's nodes"] == "node_b, fc"
    assert details["first model's nodes"] == "first_b"
    assert (details["required there"], details["result there"], details["bound there"]) == (
        "3",
        "3.5",
        "0.001",
    )
    start, counts = data["bins"][1]
    assert (sum(counts), start + len(counts) - 1) == (
        3,
        (10 + 2) * 4 + 2,
    )  # 500 is in the third quarter of 1e2
    assert tree.rows("outputs")[1][:3] == ["y", "fault", "125"]
    assert "NumPy2" in tree.all("main")[0]["text"]


def test_headlines_of_parity(tmp_path):
    def headline(report, **options):
        return Tree(report.to_html(**options)).all("h1")[0]["text"][1:]

    same = Parity((error("y", 0.0),))
    assert headline(same) == "The models compute the same"
    assert headline(Parity((error("y", 1e-4),))) == "The models compute the same but for rounding"
    assert headline(Parity((error("y", 0.5),))) == "The models differ: y is an output"
    assert headline(parity(), tol=1.0) == "The models agree within the tolerance of 1"
    assert headline(parity(), tol=1e-6) == "The models do not agree within the tolerance of 1e-06"
    path = tmp_path / "page.html"
    assert same.to_html(path) == path.read_text(encoding="utf-8")


def test_profile():
    tree = Tree(profile().to_html())
    assert tree.rows("nodes")[1][:6] == ["conv", "Conv", "conv", "1.5", "75.0%", "1"]
    assert tree.rows("layers")[2] == ["(added by ONNX Runtime)", "1", "0.5", "25.0%"]
    assert tree.all("h1")[0]["text"].endswith("2.250 ms a run")


def test_model_diff():
    tree = Tree(model_diff().to_html())
    assert tree.rows("nodes")[1:] == [
        ["w", "changed", "Conv", "other", "w: 1 → w"],
        ["w", "added", "Relu", "", ""],
    ]
    assert tree.rows("weights")[1:] == [
        ["w", "changed", "float32 (3,)", "2", "3", "0.5", "0.25"],
        ["w", "removed", "float32 (1,)", "–", "–", "–", "–"],
    ]
    data = tree.data()["tables"]["weights"]
    assert data["details"][0] == ["one in both models", "v", None, "[1]", "1", "1.5"]
    same = Tree(ModelDiff("a", "b", (), (), (), 3, 1).to_html())
    assert same.all("h1")[0]["text"] == "✓The models are equal"
    assert not same.all("table")


def test_benchmark():
    tree = Tree(benchmark().to_html())
    heads, first, second = tree.rows("times")
    assert dict(zip(heads, first, strict=True))["p50 ms"] == "2.5"
    assert dict(zip(heads, second, strict=True))["to first"] == "0.4"
    assert len(tree.all("rect", **{"class": "bar"})) == 2
    assert "of the processors' time was there" in tree.all("header")[0]["text"]


# ---- parts


def picture(values, **options):
    """Where the dots of a chart are: the parts of its height, in both scales."""
    chart = Chart("c", [Series("s", values)], **options)
    tree = Tree(Page("t", "h", sections={"S": [Plot("p", "none", "things", [chart])]}).text())
    scales = []
    for svg in tree.all("svg"):
        at = tree.elements.index(svg)
        paths = [e for e in tree.elements[at : at + 30] if "dots" in e["attrs"].get("class", "")]
        points = re.findall(r"M([\d.]+) ([\d.]+)h0", paths[0]["attrs"]["d"])
        scales.append([(float(x) / 1000, 1 - float(y) / 300) for x, y in points])
    return scales


def test_places_in_charts():
    logarithmic, linear = picture([1e-3, 1.0, 10.0, 0.0], limit=1.0)
    assert [x for x, _ in linear] == pytest.approx([0.125, 0.375, 0.625, 0.875])
    assert [y for _, y in logarithmic] == pytest.approx([0.2, 0.8, 1, 0], abs=1e-3)
    assert [y for _, y in linear] == pytest.approx([1e-4, 0.1, 1, 0], abs=1e-3)
    _, beyond = picture([inf, nan, 5.0, None])
    assert [y for _, y in beyond] == pytest.approx([1, 1, 1], abs=1e-3)
    for scale in picture([0.0, 0.0]) + picture([1e-30, 1e30]):
        assert all(0 <= y <= 1 for _, y in scale)


def test_plots_of_nothing():
    tree = Tree(Page("t", "h", sections={"S": [Plot("p", "none", "things", [Chart("c", [])])]}).text())
    assert "nothing to show" in tree.all("main")[0]["text"]


def test_numbers():
    texts = [number(x) for x in (None, 1234567, 0.0, 1.23456e-7, inf, -inf, nan)]
    assert texts == ["–", "1,234,567", "0", "1.23e-07", "∞", "-∞", "NaN"]


def test_markup():
    assert tag("p", "<b>", class_='a"b', aria_label="x", hidden=False, open=True) == (
        '<p class="a&quot;b" aria-label="x" open>&lt;b&gt;</p>'
    )
    table = Table("t", "c", [Column("a"), Column("b", "part")], [Row(["x", 0.5])])
    assert '<td class="p">50.0%<i style="--part:0.5000"></i></td>' in table.markup()


def test_pages_of_models(tmp_path):
    """From models to the page, with what real comparisons have in it."""
    y = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    params = {"fc_weight": mx.nd.ones((3, 4)), "fc_bias": mx.nd.zeros(3)}
    path = mx.onnx.export_model(y, params, [("batch", 4)], onnx_file_path=str(tmp_path / "m.onnx"))
    tree = Tree(mx.onnx.verify((y, params), path, layers=True).to_html())
    text = tree.all("header")[0]["text"]
    assert "first modelfc" in text
    assert f"second model{path}" in text
    assert tree.rows("layers")[1][0] == "fc_output"
    data = tree.data()["tables"]["layers"]
    details = dict(zip(data["labels"], data["details"][0], strict=True))
    assert details["first model's nodes"] == "fc: FullyConnected, num_hidden=3"
    (node,) = [node for node in onnx.load(path).graph.node if node.op_type == "Gemm"]
    theirs = details["second model's nodes"].split("; ")[-1]
    assert theirs.startswith(f"{node.name}: Gemm, ")
    (trans,) = [str(a.i) for a in node.attribute if a.name == "transB"]
    assert f"transB={trans}" in theirs
    assert "ONNX Runtime" in tree.all("main")[0]["text"]


def test_sizes_and_metric():
    """What free sizes show, and which samples of a set two models decide otherwise."""
    y = error("y", 0.5)
    report = Parity(
        (error("y", 1e-4),),
        sizes=(
            SizeTrial({"n": 1}, ("n",), (error("y", 1e-4),)),
            SizeTrial({"n": 2}, ("n",), refusal="<even>"),
            SizeTrial({"n": 7}, ("n",), (error("z", 0.0), y)),
        ),
        metric=Score("top1", 0.75, 0.5, 1200, 1, (Decision(17, 2.0, 2, 0),)),
    )
    tree = Tree(report.to_html())
    rows = tree.rows("sizes")[1:]
    assert [row[:2] for row in rows] == [["n=1", "rounding"], ["n=2", "left out"], ["n=7", "fault"]]
    assert rows[1][3] == "<even>"
    assert tree.rows("changes")[1:] == [["17", "2", "2", "0"]]
    assert (
        "top1 of 1,200 samples is 0.75 for the first model and 0.5 for the second."
        in (tree.all("main")[0]["text"])
    )
