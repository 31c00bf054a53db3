# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Features of a small site, built with this one's theme and templates, for its readers."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from _verify.links import dead_links

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _ext.markdown import ANCHOR, without_dead_anchors

DOCS = Path(__file__).resolve().parents[2] / "docs"
CONF = f"""
extensions = [
    "sphinx_copybutton", "sphinx_design", "sphinx_tabs.tabs", "_ext.epub", "_ext.markdown",
    "_ext.not_found", "_ext.redirects", "_ext.repository", "_ext.tabs",
]
project, author, copyright, version, release = "toy", "toys", "toys", "1.2", "1.2.3"
html_theme, html_baseurl = "furo", "https://example.org/kernels/"
html_static_path, html_css_files = [r"{DOCS}/_static"], ["site.css"]
templates_path = [r"{DOCS}/_templates"]
epub_basename = epub_identifier = epub_uid = "toy"
epub_show_urls = "no"
"""
INDEX = """Front
=====

You read :doc:`a page <folder/page>` and `more <https://example.org/more>`__.
See :ref:`here`, and :py:func:`scale`.

.. grid:: 1

   .. grid-item-card:: A card
      :link: folder/page
      :link-type: doc

      What it is about.

.. toctree::
   :caption: Begin

   folder/page
"""
PAGE = """The page
========

After this page you know ``a|b`` and 2 * 3 < 7, as in :doc:`the front page </index>`.
A second sentence, on 2\\ :sup:`32` elements, and x\\ :sub:`i`.

.. tabs::

   .. group-tab:: CPU

      Runs on a CPU.

   .. group-tab:: CUDA

      Runs on a GPU.

.. dropdown:: A hint

   Look at ``f``.

   Look again at :ref:`here`.

.. list-table::
   :header-rows: 1

   * - Name
     - Meaning
   * - ``a|b``
     - either

.. code-block:: cuda

   __global__ void f();  // ``` in a comment

>>> 1 + 1
2

.. py:function:: scale(x, y, factor=1.0)

   Scale a tensor.

   :param x: The input.
   :param y: The output.

.. note::

   Mind this.

#. One
#. Two:

   - deeper

.. _here:

Further down
------------

See :ref:`here`, and :download:`this file <data.txt>`.

.. image:: box.svg
   :alt: a box
"""
MARKDOWN = """<a id="the-page"></a>

# The page

After this page you know `a|b` and 2 \\* 3 \\< 7, as in [the front page](../index.md).
A second sentence, on 2^32 elements, and x\\_i.

**CPU**

Runs on a CPU.

**CUDA**

Runs on a GPU.

**A hint**

Look at `f`.

Look again at [Further down](#here).

| Name | Meaning |
| --- | --- |
| `a\\|b` | either |

````cuda
__global__ void f();  // ``` in a comment
````

```pycon
>>> 1 + 1
2
```

<a id="scale"></a>

## `scale(x, y, factor=1.0)`

Scale a tensor.

- **Parameters**:

  - **x** \u2013 The input.
  - **y** \u2013 The output.

> **Note**
>
> Mind this.

1. One
2. Two:

   - deeper

<a id="further-down"></a><a id="here"></a>

## Further down

See [Further down](#here), and [`this file`](../_downloads/DIGEST/data.txt).

![a box](../_images/box.svg)
"""


ANCHORS = {
    "index": [["front"]],
    "folder/page": [["the-page"], ["scale"], ["further-down", "here"]],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The sources of the small site."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "folder").mkdir()
    (folder / "conf.py").write_text(CONF)
    (folder / "index.rst").write_text(INDEX)
    (folder / "folder" / "page.rst").write_text(PAGE)
    (folder / "folder" / "data.txt").write_text("1\n")
    (folder / "folder" / "box.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    (folder / "redirects.txt").write_text("old/deep/place -> folder/page\n")
    return folder


def sphinx(source, *options):
    """Run Sphinx on it; return the status and output."""
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", *options],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(DOCS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def site(source):
    """The site, including the book."""
    for options in ([".", "build/site"], ["-b", "epub", "-d", "build/site/.doctrees", ".", "book"]):
        status, said = sphinx(source, *options)
        assert status == 0, said
    return source / "build" / "site"


def html(site, name="folder/page"):
    """Return one of its pages."""
    return (site / f"{name}.html").read_text()


def test_page_as_markdown(site):
    """Code has its language, tables are tables, tabs have labels; only anchors are HTML."""
    text = (site / "folder" / "page.md").read_text()
    assert re.sub("_downloads/[0-9a-f]+/", "_downloads/DIGEST/", text) == MARKDOWN


def test_headings_have_the_anchors_of_the_page(site):
    """Each heading's anchors are directly above it in the Markdown, in the same order."""
    for name in ("index", "folder/page"):
        text = (site / f"{name}.md").read_text()
        headings = re.findall(r"^((?:<a id=\"[^\"]+\"></a>)+)\n\n#+ (.+)$", text, re.MULTILINE)
        assert len(headings) == len(re.findall(r"^#+ ", text, re.MULTILINE))
        assert [ANCHOR.findall(above) for above, _ in headings] == ANCHORS[name]
        on_page = re.findall(r' id="([^"]+)"', html(site, name))
        assert {each for above, _ in headings for each in ANCHOR.findall(above)} <= set(on_page)


def test_links_to_headings_as_markdown(site):
    """A link to a heading or a name leads to its anchor, on the same page and from another."""
    text = (site / "index.md").read_text()
    assert "See [Further down](folder/page.md#here), and [`scale()`](folder/page.md#scale)." in text
    assert "Look again at [Further down](#here)." in (site / "folder" / "page.md").read_text()


def test_link_to_a_name_without_an_anchor_leads_to_its_file():
    """Not every name on a page is a heading; code and external links are unchanged."""
    texts = {
        "index.md": "[a](folder/page.md#here) [b](folder/page.md#gone) `[c](#gone)` [d](#gone)",
        "folder/page.md": '<a id="here"></a> [e](../index.md#gone) [f](https://x.org/page.md#gone)',
    }
    assert without_dead_anchors(texts) == {
        "index.md": "[a](folder/page.md#here) [b](folder/page.md) `[c](#gone)` [d](index.md)",
        "folder/page.md": '<a id="here"></a> [e](../index.md) [f](https://x.org/page.md#gone)',
    }


def test_cards_and_links_as_markdown(site):
    """A card becomes a line with a link; an external link is unchanged."""
    text = (site / "index.md").read_text()
    assert "You read [a page](folder/page.md) and [more](https://example.org/more)." in text
    assert "- [A card](folder/page.md): What it is about." in text


def test_list_for_programs(site):
    """Each page has a line with its address and first sentence, under its caption."""
    lines = (site / "llms.txt").read_text().splitlines()
    assert lines[0] == "# toy"
    sentence = "After this page you know `a|b` and 2 \\* 3 \\< 7, as in the front page."
    assert lines[lines.index("## Begin") + 2] == f"- [The page](folder/page.md): {sentence}"


def test_all_pages_in_one_file(site):
    """Pages are in reading order, each under its address; links are adjusted, code is unchanged."""
    text = (site / "llms-full.txt").read_text()
    front, page = text.partition("<!-- folder/page.md -->\n\n")[::2]
    assert front.startswith('<!-- index.md -->\n\n<a id="front"></a>\n\n# Front\n')
    assert "You read [a page](folder/page.md) and [more](https://example.org/more)." in front
    assert "as in [the front page](index.md)." in page
    assert "See [Further down](folder/page.md#here)" in front
    assert "See [Further down](folder/page.md#here)" in page
    assert "__global__ void f();  // ``` in a comment" in page
    assert dead_links(site)[1] == []


def test_page_names_its_markdown_its_source_and_its_version(site):
    """The links are relative, and each leads to a file."""
    page = html(site)
    assert '<link rel="alternate" type="text/markdown" href="page.md">' in page
    assert 'href="../_sources/folder/page.rst.txt"' in page
    assert (site / "_sources" / "folder" / "page.rst.txt").exists()
    assert "Version 1.2.3" in page
    assert 'rel="edit"' not in page  # no address is known here


def test_no_page_loads_anything_from_elsewhere(site):
    """Scripts, styles, images and fonts are part of the site."""
    loaded = re.compile(
        r"<(?:script|img|link rel=\"(?:stylesheet|icon|preload))[^>]*(?:src|href)=\"([^\"]+)"
    )
    for path in site.rglob("*.html"):
        assert not [url for url in loaded.findall(path.read_text()) if "//" in url]
    for path in site.rglob("*.css"):
        assert not re.search(r"@import|url\(\s*[\"']?(?:https?:)?//", path.read_text())


def test_tabs_without_script(site):
    """Each tab has its label, and a style sheet for browsers without JavaScript shows them all."""
    page = html(site)
    assert page.count("<button") - page.count('class="theme-toggle"') == 2
    assert 'data-label="CPU"' in page
    assert 'data-label="CUDA"' in page
    assert '<noscript><link rel="stylesheet" href="../_static/without_script.css">' in page
    assert (site / "_static" / "without_script.css").exists()
    assert '<script src="../_static/tabs_memory.js' in page


def test_page_for_a_wrong_address(site):
    """The page loads nothing, and its links start with the site's path to work at any depth."""
    page = html(site, "404")
    assert 'href="/kernels/folder/page.html"' in page
    assert 'action="/kernels/search.html"' in page
    assert not re.search(r"(?:src|href|action)=\"(?!/kernels/|data:)", page)


def test_redirect(site):
    """An old address at another depth leads to the page."""
    page = html(site, "old/deep/place")
    assert 'content="0; url=../../folder/page.html"' in page
    assert '<a href="../../folder/page.html">The page</a>' in page


def test_book(site):
    """The book is undated, starts with its media type, and shows all tabs."""
    with zipfile.ZipFile(site / "toy.epub") as book:
        parts = book.infolist()
        page = book.read("folder/page.xhtml").decode()
    assert (parts[0].filename, parts[0].compress_type) == ("mimetype", zipfile.ZIP_STORED)
    assert {part.date_time for part in parts} == {(1980, 1, 1, 0, 0, 0)}
    assert "<button" not in page
    assert ' hidden="' not in page
    assert page.index("<strong>CPU</strong>") < page.index("<strong>CUDA</strong>")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a -> folder/absent", "a -> folder/absent: expected a page, and there is none named"),
        ("index -> folder/page", "index -> folder/page: there is a page named index"),
    ],
)
def test_wrong_redirect_fails_the_build(source, line, message, tmp_path):
    """The invalid redirect is named."""
    listed = (source / "redirects.txt").read_text()
    (source / "redirects.txt").write_text(f"{line}\n")
    try:
        status, said = sphinx(source, ".", str(tmp_path))
    finally:
        (source / "redirects.txt").write_text(listed)
    assert status != 0
    assert message in said
