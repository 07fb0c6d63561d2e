"""Every block of code in the README and in docs does what the page shows."""

from __future__ import annotations

import re

import pytest

from tests import pages


@pytest.mark.parametrize("page", pages.pages(), ids=pages.shown)
def test_the_code_of_a_page_runs(page):
    if fault := pages.fault(page):
        pytest.fail(fault, pytrace=False)


# ---- what runs pages finds faults


GOOD = """
<!-- run:
from pathlib import Path
Path("theirs.txt").write_text(repository.name)
-->
```python
from pathlib import Path
number = 6 * len(Path("theirs.txt").read_text()[:1])
```
Names are shared.
````python
print(number, "```")
print("a\\n b\\nc 0.123 s")
````
```text
6 ```
…
c … s
```
```console
$ python -c "print(open('theirs.txt').read() != '')"
True
$ python -c "print(1)"
```
<!-- not run: it has no end -->
```python
while True: pass
```
<!-- not run: it is a picture -->
```
a -> b
```
"""


def run(text, folder):
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    pages.run(page, folder)


def test_a_page_that_does_what_it_shows(tmp_path):
    run(GOOD, tmp_path)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("```python\nprint(1)\n```\n\n```text\n2\n```", "page.md, line 6: the page shows\n2\n"),
        ("\n```python\n\nnone\n```", 'page.md", line 4, in <module>'),
        ("```python\nimport warnings\nwarnings.warn('old')\n```", "UserWarning: old"),
        ("```python\nraise SystemExit\n```", "SystemExit"),
        ("```console\n$ python -c 'print(1)'\n2\n```", "line 2: the page shows\n2\n"),
        ("```console\n$ python -c 'exit(3)'\n```", "gave 3"),
        ("```json\n{}\n```", "got 'json'. Say why it is not run"),
        ("```\na\n```", "got 'no language'"),
        ("```text\na\n```", "got 'text'"),
        ("```python\n1", "line 1: the block has no end"),
        ("<!-- not run: why -->\n\n```json\n{}\n```", "got 'json'"),
    ],
)
def test_a_page_that_does_not(text, fault, tmp_path):
    with pytest.raises(pages.PageError, match=re.escape(fault)):
        run(text, tmp_path)


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a", "a\n", True),
        ("a", "a b\n", False),
        ("a…", "a b\n", True),
        ("a …c", "a b\nc\n", False),
        ("a\n…\nc", "a\nc\n", True),
        ("a\n…\nc", "a\nb\nb\nc\n", True),
        ("a\n…\nc", "a\nb\n", False),
        ("", "", True),
        ("", "a\n", False),
        ("  a\n b", "  a  \n b\n\n", True),
        ("a.c", "abc", False),
    ],
)
def test_matches(expected, printed, same):
    assert pages.matches(expected, printed) == same


def test_a_page_whose_process_ends(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nimport os\nos._exit(1)\n```", encoding="utf-8")
    assert pages.fault(page) == "page.md: the process ended by itself."
