# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The reference is compared with the names that the headers and the package provide."""

import sys
import types

import pytest

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _ext.complete_reference import declared, missing_of_headers, missing_of_package

INDEX = """<doxygenindex>
<compound refid="box" kind="struct"><name>toy::Box</name></compound>
<compound refid="own" kind="struct"><name>toy::Own</name></compound>
<compound refid="special" kind="struct"><name>toy::Box&lt; int &gt;</name></compound>
<compound refid="toy" kind="namespace"><name>toy</name></compound>
<compound refid="file" kind="file"><name>toy.h</name></compound>
</doxygenindex>"""

COMPOUND = (
    '<d><compounddef prot="{}"><location file="toy.h"/>'
    "<sectiondef>{}</sectiondef></compounddef></d>"
)


def member(name, kind="function", prot="public", more=""):
    """Return a member in Doxygen's XML."""
    return (
        f'<memberdef kind="{kind}" prot="{prot}"><name>{name}</name>{more}'
        '<location file="toy.h"/></memberdef>'
    )


@pytest.fixture
def folder(tmp_path):
    """The XML of a small header."""
    values = "<enumvalue><name>kRed</name></enumvalue>"
    parts = {
        "box": (
            "public",
            member("Box") + member("~Box") + member("open") + member("shut", prot="private"),
        ),
        "own": ("private", member("open")),
        "special": ("public", member("open")),
        "toy": ("public", member("Make") + member("Paint", "enum", more=values)),
        "file": ("public", member("TOY_CHECK", "define") + member("toy_call")),
    }
    (tmp_path / "index.xml").write_text(INDEX)
    for name, (prot, members) in parts.items():
        (tmp_path / f"{name}.xml").write_text(COMPOUND.format(prot, members))
    return tmp_path


PUBLIC = [
    *("toy::Box", "toy::Box::open", "toy::Make", "toy::Paint", "toy::kRed"),
    *("TOY_CHECK", "toy_call"),
]


def test_public_names_of_headers(folder):
    """Private members, specializations, constructors and destructors need no entry."""
    assert [name for name, _ in declared(folder)] == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_each_missing_name_is_told(folder, name):
    """A name that no page declares is listed with its header."""
    known = {*PUBLIC} - {name}
    assert missing_of_headers(folder, known) == [f"toy.h: {name}"]
    assert missing_of_headers(folder, {*PUBLIC}) == []


def test_missing_names_of_the_package(monkeypatch):
    """A name is known by its own name, by another public name, or by where it is defined."""
    inner, outer = types.ModuleType("toy.inner"), types.ModuleType("toy")
    source = "def pack(): pass\ndef send(): pass\ndef _hidden(): pass\nimport os\n"
    exec(source, vars(inner))
    outer.pack, outer.send, outer.size, outer.__all__ = inner.pack, inner.send, [], ["pack", "size"]
    monkeypatch.setitem(sys.modules, "toy", outer)
    monkeypatch.setitem(sys.modules, "toy.inner", inner)
    both = ["toy", "toy.inner"]
    assert missing_of_package(both, set()) == [
        "toy.inner.pack",
        "toy.inner.send",
        "toy.pack",
        "toy.size",
    ]
    assert missing_of_package(both, {"toy.pack"}) == ["toy.inner.send", "toy.size"]
    assert missing_of_package(["toy"], {"toy.inner.pack"}) == ["toy.size"]
