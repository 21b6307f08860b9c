"""Documents: one file, whose texts stay texts, and whose policy lets nothing else in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from browser import Open

from rulespec.pages.document import document, script_json

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]>",
    "${title} $about {0} %s",
    "\u2028\u2029\u202e\x00\x1b",
    "\"'&<>\\",
    "\ud800",
    "javascript:alert(1)",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_data_come_back_as_they_were(text: str) -> None:
    written = script_json({"text": text})
    assert json.loads(written) == {"text": text}
    assert not re.search("[<\u2028\u2029]", written)


def test_numbers_that_json_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError):
        script_json(float("nan"))


def test_texts_of_strangers_stay_texts_in_a_browser(open_page: Open, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    show = "document.body.append(...JSON.parse(document.getElementById('data').textContent).map(t => {"
    show += "const p = document.createElement('p'); p.textContent = t; return p; }));"
    text = document(HOSTILE[0], styles=[], body="", data=HOSTILE, scripts=[show])
    page.write_text(text, "utf-8", errors="backslashreplace")
    opened = open_page(page)
    assert opened.page.title() == HOSTILE[0]
    assert len(opened.texts("p")) == len(HOSTILE)
    assert len(opened.page.query_selector_all("script")) == 2 and not opened.page.query_selector_all("img")


@pytest.mark.parametrize(
    "stranger",
    [
        "<script>document.title = 'mine'</script>",
        "<img src='https://example.org/x.png' onerror=\"document.title = 'mine'\">",
        "<iframe src='https://example.org/'></iframe>",
        "<form action='https://example.org/'><input></form><base href='https://example.org/'>",
        "<link rel=stylesheet href='https://example.org/x.css'><style>@import 'https://example.org/y.css';</style>",
        "<svg><script href='//example.org/x.js'></script><a href=\"javascript:document.title='mine'\">x</a></svg>",
    ],
)
@pytest.mark.sampled(2)
def test_the_policy_holds_even_if_something_were_not_escaped(browser: object, stranger: str, tmp_path: Path) -> None:
    from playwright.sync_api import Browser

    assert isinstance(browser, Browser)
    page = tmp_path / "page.html"
    page.write_text(document("ours", styles=[], body=stranger, data={}, scripts=["window.ran = true;"]), "utf-8")
    tab = browser.new_page()
    loaded: list[str] = []
    tab.on("requestfinished", lambda request: loaded.append(request.url))
    tab.goto(page.as_uri())
    for link in tab.query_selector_all("svg a"):
        link.dispatch_event("click")
    assert tab.evaluate("window.ran") is True  # our own script may run
    assert tab.title() == "ours"
    assert loaded == [page.as_uri()]
    tab.close()


@pytest.mark.proof
def test_scripts_run_by_their_hashes_alone(open_page: Open, tmp_path: Path) -> None:
    text = document("t", styles=[], body="", data={}, scripts=["document.title = 'one';", "document.title += ' two';"])
    page = tmp_path / "page.html"
    page.write_text(text, "utf-8")
    opened = open_page(page)
    assert opened.page.title() == "one two"
    policy = opened.page.get_attribute("meta[http-equiv]", "content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe-eval" not in policy
