# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Dead links within the site are found."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from _verify.links import dead_links, main

GOOD = {
    "index.html": '<a href="sub/page.html#here">go</a> <a href="#top">up</a> <i id="top"></i>'
    '<a href="https://example.org/absent#x">out</a> <a href="mailto:a@b">write</a> <a href="#">',
    "sub/page.html": '<p id="here"><a href="../index.html">back</a><a href="../sub/">up</a>'
    '<img src="../_static/a%20b.svg" alt="">',
    "sub/index.html": '<meta http-equiv="refresh" content="0; url=page.html">',
    "_static/a b.svg": "<svg/>",
    "llms.txt": "# Site\n- [Page](sub/page.html): text\n```cpp\n[](auto x)\n```\n`[](int y)`\n",
    "404.html": '<a href="/index.html">home</a><a href="/at/sub/page.html">',
}


@pytest.fixture
def site(tmp_path):
    """A valid site."""
    for name, text in GOOD.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_every_link_of_a_good_site_leads_somewhere(site, capsys):
    """Anchors, folders, spaces, redirects and the root are understood; nothing is fetched."""
    assert main(site) == 0
    assert capsys.readouterr().out == "12 links, 0 of them broken\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("index.html", '<a href="sub/no.html">', "index.html: sub/no.html: no such file"),
        ("index.html", '<a href="sub/page.html#no">', "index.html: sub/page.html#no: no such anch"),
        ("index.html", '<a href="#no">', "index.html: #no: no such anchor"),
        ("sub/page.html", '<img src="a.svg">', "sub/page.html: a.svg: no such file"),
        ("sub/index.html", GOOD["sub/index.html"].replace("page", "no"), "index.html: no.html: no"),
        ("404.html", '<a href="/at/no.html">', "404.html: /at/no.html: no such file"),
        ("llms.txt", "- [Page](sub/no.md)", "llms.txt: sub/no.md: no such file"),
    ],
)
def test_link_that_leads_nowhere_is_named(site, capsys, name, text, said):
    """The page and the link are named, and the status is nonzero."""
    (site / name).write_text(GOOD[name] + text if name != "sub/index.html" else text)
    assert main(site) == 1
    assert said in capsys.readouterr().out
    assert len(dead_links(site)[1]) == 1


@pytest.mark.parametrize("listed", [False, True])
def test_link_of_the_text_that_leaves_the_site_is_listed(site, capsys, listed):
    """Links outside the text, such as a link to the source, need not be listed."""
    out = '<a href="https://example.org/a">a</a>'
    (site / "index.html").write_text(f"<article>{out}</article><a href='https://example.org/b'>b")
    (site / "outside_links.html").write_text(f"<article>{out if listed else ''}</article>")
    assert main(site) == (0 if listed else 1)
    said = "index.html: https://example.org/a: not on outside_links.html\n"
    assert (said in capsys.readouterr().out) != listed
