# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Each fault that a page may have is found on a small page that has it."""

import re

import pytest
from serve import serving

PAGE = """<!doctype html><html lang="en"><head><title>Page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>@media (prefers-color-scheme: dark) {{ p {{ color: #777; background: #666 }} }}</style>
{head}</head><body><main><h1>Page</h1><article>{body}</article></main></body></html>"""
FAULTS = {
    "console.html": ("<script>console.error('broken')</script>", "", "console: broken"),
    "error.html": ("<script>absent()</script>", "", "error: absent is not defined"),
    "missing.html": ('<script src="no.js"></script>', "", "request answered 404: .*/no.js"),
    "abroad.html": ("", '<img src="http://abroad.invalid/x" alt="x">', "asks another host for"),
    "wide.html": ("", "<div style='width: 900px'>wide</div>", "820 px wide: scrolls sideways"),
    "narrow.html": (
        "<style>main { overflow-x: auto }</style>",
        '<div id="far" style="width: 700px">wide</div>',
        '390 px wide: scrolls sideways by .* px: <div id="far"',
    ),
    "ids.html": ("", '<b id="a">x</b><b id="a">x</b>', "ids that several elements have: a"),
    "image.html": ("", '<img src="data:,">', "critical: image-alt"),
    "pale.html": ("", "<span style='color: #bbb'>pale</span>", "serious: color-contrast"),
    "scroll.html": (
        "",
        "<pre style='overflow: auto'>" + "wide " * 60 + "</pre>",
        "390 px wide: serious: scrollable-region-focusable",
    ),
    "heavy.html": ('<script src="heavy.bin"></script>', "", "bytes are loaded, expected at most"),
    "many.html": ("", "<i></i>" * 20_001, "elements, expected at most"),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A site with one page per fault, one good page, and one that is unreadable in dark mode."""
    folder = tmp_path_factory.mktemp("faulty")
    for name, (head, body, _) in FAULTS.items():
        (folder / name).write_text(PAGE.format(head=head, body=body))
    (folder / "good.html").write_text(PAGE.format(head="", body="<span>text</span>"))
    (folder / "dark.html").write_text(PAGE.format(head="", body="<p>text</p>"))
    (folder / "heavy.bin").write_bytes(b"//" + bytes(600_000))
    with serving(folder) as address:
        yield address


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(window, faulty, name):
    """The finding names the page and scheme, and says what is wrong."""
    findings = window("light").visit(faulty, name)
    pattern = re.compile(rf"{name}, light, .*{FAULTS[name][2]}")
    assert any(pattern.search(found) for found in findings), findings


def test_good_page_has_no_finding(window, faulty):
    """The checks demand nothing that a plain page lacks."""
    for scheme in ("light", "dark"):
        assert window(scheme).visit(faulty, "good.html") == []


def test_colours_are_checked_in_each_scheme(window, faulty, tmp_path):
    """Grey on grey only in dark mode is found only there, with a screenshot."""
    assert window("light").visit(faulty, "dark.html", tmp_path) == []
    (finding,) = window("dark").visit(faulty, "dark.html", tmp_path)
    assert "dark.html, dark, 1440 px wide: serious: color-contrast" in finding
    assert [path.name for path in tmp_path.iterdir()] == ["dark-dark.png"]
