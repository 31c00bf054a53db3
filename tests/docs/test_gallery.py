# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The gallery of kernels: its directives, and whether its topics match the examples."""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("tomllib", reason="comes with Python 3.11")

from _ext.gallery import read_gallery
from _verify.captures import EXAMPLES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = DOCS / "guides" / "kernels"
LIBRARY = ROOT / "examples" / "kernel_library"
SOURCES = {".c", ".cc", ".cu", ".cuh", ".h", ".py"}
GALLERY = read_gallery(PAGES)

PAGE = """.. SPDX-License-Identifier: Apache-2.0

.. _{name}:

{name}: a title
=====================

After this page you can {name}.
More follows.
"""
DATA = """
[topics.fast]
label = "Speed"
says = "It is fast."

[kernels.add]
formula = '*y* = *a* + *b*'
topics = ["fast"]

[kernels.mul]
formula = '*y* = *a* *b*'
topics = []
"""


@pytest.fixture
def build(tmp_path):
    """Return a function that builds a gallery over named pages; it returns HTML and messages."""

    def build_site(content: str, pages: dict[str, str], data: str = DATA) -> tuple[str, str]:
        (tmp_path / "conf.py").write_text("extensions = ['_ext.gallery']\n")
        front = f"Kernels\n=======\n\n.. kernel-picker::\n\n.. kernel-cards::\n\n   {content}\n"
        (tmp_path / "index.rst").write_text(f"{front}\n.. kernel-topics::\n")
        (tmp_path / "gallery.toml").write_text(data)
        for name, text in pages.items():
            (tmp_path / f"{name}.rst").write_text(text)
        command = [sys.executable, "-m", "sphinx", "-W", "-n", "-q"]
        done = subprocess.run(
            [*command, str(tmp_path), str(tmp_path / "out")],
            env={**os.environ, "PYTHONPATH": str(DOCS)},
            capture_output=True,
            text=True,
            check=False,
        )
        front = tmp_path / "out" / "index.html"
        return front.read_text() if done.returncode == 0 else "", done.stderr

    return build_site


def test_cards_in_the_order_named(build):
    """A card shows the page's title, the promise in its first sentence, a formula and topics."""
    pages = {name: PAGE.format(name=name) for name in ("add", "mul")}
    html, said = build("mul\n   add", pages)
    assert html, said
    assert 0 < html.index("<p>Mul.</p>") < html.index("<p>Add.</p>")
    assert "More follows" not in html
    assert "<em>y</em> = <em>a</em> + <em>b</em>" in html
    assert re.search(r'<a [^>]*href="add.html"><span class="doc">add: a title', html)
    assert re.search(r'<a [^>]*href="#topic-fast">Speed</a>', html)
    assert 'class="kernel-card topic-fast' in html


def test_topics_without_script(build):
    """The list shows each topic's kernels; the form is hidden until its script runs."""
    html, said = build("add mul", {name: PAGE.format(name=name) for name in ("add", "mul")})
    assert html, said
    (listed,) = re.findall(r'<dt id="topic-fast">Speed</dt><dd>(.*?)</dd>', html, re.DOTALL)
    assert "It is fast." in listed
    assert 'href="add.html"' in listed
    assert 'href="mul.html"' not in listed
    assert re.search(r'<form class="kernel-picker"[^>]* hidden>', html)
    assert 'value="topic-fast"' in html
    assert "gallery.js" in html


@pytest.mark.parametrize(
    ("content", "pages", "data", "message"),
    [
        ("add mul", ["add"], DATA, "gallery.toml: mul has no page mul.rst"),
        ("add mul", ["add", "mul", "sub"], DATA, "expected sub to be listed too"),
        ("add sub", ["add", "mul"], DATA, "expected gallery.toml to have sub"),
        ("add", ["add", "mul"], DATA, "document isn't included in any toctree"),
        ("add", ["add", "mul"], f"{DATA[:-3]}['slow']", "mul has the unknown topic slow"),
    ],
)
def test_a_gallery_that_does_not_fit_its_pages(build, content, pages, data, message):
    """A card without a page, a page without a card, and an unknown topic fail the build."""
    html, said = build(content, {name: PAGE.format(name=name) for name in pages}, data)
    assert not html
    assert message in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("No title.\n", "add.rst: expected a title and then a sentence"),
        ("Add\n===\n\nIt adds.\n", "add.rst: expected 'After this page you can', got 'It adds.'"),
    ],
)
def test_a_page_that_begins_otherwise(build, text, message):
    """A card needs the page's title and first sentence."""
    html, said = build("add", {"add": text, "mul": PAGE.format(name="mul")})
    assert not html
    assert message in said


@functools.cache
def texts_of(name):
    """Return the text of an example's sources."""
    folder = LIBRARY / name
    return [path.read_text() for path in sorted(folder.rglob("*")) if path.suffix in SOURCES]


def page_of(name):
    """Return the text of a kernel's page."""
    page = GALLERY.kernels[name].page
    return ((DOCS if page.startswith("/") else PAGES) / f"{page.lstrip('/')}.rst").read_text()


def has(name, topic):
    """Whether an example's files show that a topic applies to it."""
    return (
        (
            topic.source != ""
            and any(
                re.search(topic.source, text)
                and not (topic.unless and re.search(topic.unless, text))
                for text in texts_of(name)
            )
        )
        or (topic.page != "" and re.search(topic.page, page_of(name)) is not None)
        or (topic.file != "" and any((LIBRARY / name).rglob(topic.file)))
    )


def test_each_example_has_a_card():
    """Each example has one card, and the page shows each card once."""
    examples = {path.name for path in LIBRARY.iterdir() if path.is_dir()}
    assert GALLERY.kernels.keys() == examples
    text = (PAGES / "index.rst").read_text()
    shown = [
        name
        for block in re.findall(r"^\.\. kernel-cards::\n\n((?:   .*\n)+)", text, re.MULTILINE)
        for name in block.split()
    ]
    assert sorted(shown) == sorted(examples)


@pytest.mark.parametrize("topic", GALLERY.topics)
def test_topics_are_true_and_complete(topic):
    """The cards with a topic are exactly the examples that the topic applies to."""
    listed = {name for name, kernel in GALLERY.kernels.items() if topic in kernel.topics}
    assert listed == {name for name in GALLERY.kernels if has(name, GALLERY.topics[topic])}
    assert listed


def test_captures_are_tested():
    """Every kernel under the CUDA graphs topic is captured in a test."""
    captured = {example for example, _ in EXAMPLES}
    for name, kernel in GALLERY.kernels.items():
        if "graphs" not in kernel.topics or name in captured:
            continue
        texts = [
            (ROOT / "tests" / "emulation" / f"test_{name}.py"),
            (ROOT / "tests" / "examples" / f"test_{name}.py"),
        ]
        assert any("capture" in path.read_text() for path in texts if path.exists()), name
