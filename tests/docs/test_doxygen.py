# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Doxygen's XML is rewritten so that breathe loses nothing of it."""

import os
from xml.etree import ElementTree

from _ext.doxygen import (
    drop_members_of_other_templates,
    keep_times,
    make_code_plain,
    name_anonymous_members,
)

CODE = """<doc><programlisting>\
<codeline><highlight class="normal"><sp/><sp/></highlight>\
<highlight class="keyword">return</highlight>\
<highlight class="normal"><sp/>make(<ref refid="x">shape</ref>,<sp/>1);</highlight></codeline>\
<codeline><highlight class="normal">}</highlight></codeline>\
</programlisting></doc>"""


def test_a_line_of_code_is_one_piece(tmp_path):
    """All spaces are kept, and no piece consists only of spaces, which breathe would drop."""
    path = tmp_path / "code.xml"
    path.write_text(CODE)
    make_code_plain(path)
    lines = ElementTree.parse(path).getroot().findall(".//codeline")
    assert [len(line) for line in lines] == [1, 1]
    [highlight] = lines[0]
    assert [part.tag for part in highlight] == ["sp", "sp", "sp", "sp"]
    assert [part.tail for part in highlight] == [None, "return", "make(shape,", "1);"]


def test_a_file_that_says_the_same_keeps_its_time(tmp_path):
    """Breathe rereads pages with newer XML, so only changed files get a new time."""
    same, other, gone = (tmp_path / f"{name}.xml" for name in ("same", "other", "gone"))
    for path in (same, other, gone):
        path.write_text("<old/>")
        os.utime(path, ns=(1, 1))
    before = {path: (path.read_bytes(), path.stat()) for path in (same, other, gone)}
    gone.unlink()
    same.write_text("<old/>")
    other.write_text("<new/>")
    keep_times(before)
    assert same.stat().st_mtime_ns == 1
    assert other.stat().st_mtime_ns > 1
    assert not gone.exists()


NAMELESS = """<doxygen><compounddef><compoundname>Any</compoundname>
<memberdef kind="variable" id="a"><type>int</type><name>x</name></memberdef>
<memberdef kind="variable" id="b"><type>union <ref refid="c">Any</ref></type>
<definition>union Any Any</definition><name></name><qualifiedname>Any</qualifiedname></memberdef>
</compounddef></doxygen>"""
INDEX = '<doxygenindex><member refid="b"><name></name></member></doxygenindex>'


def test_anonymous_union_has_the_name_that_older_versions_give_it(tmp_path):
    """Doxygen 1.9.8 leaves the name empty, which Sphinx cannot read."""
    (tmp_path / "structAny.xml").write_text(NAMELESS)
    (tmp_path / "index.xml").write_text(INDEX)
    name_anonymous_members(tmp_path)
    members = ElementTree.parse(tmp_path / "structAny.xml").getroot().findall(".//memberdef")
    assert [member.findtext("name") for member in members] == ["x", "@1"]
    assert members[1].findtext("type") == "union Any::@0"
    assert members[1].findtext("definition") == "union Any::@0 Any::@1"
    assert ElementTree.parse(tmp_path / "index.xml").getroot().findtext("member/name") == "@1"


SPECIAL = """<doxygen><compounddef id="classBox_3_01void_01_4"><sectiondef>
<memberdef id="classBox_1a1"><name>value_or</name></memberdef>
<memberdef id="classBoxBase_1a2"><name>error</name></memberdef>
<memberdef id="classBox_3_01void_01_4_1a3"><name>value</name></memberdef>
</sectiondef></compounddef></doxygen>"""


def test_specialization_has_no_members_of_the_template(tmp_path):
    """The template's members, which Doxygen 1.17 lists, are dropped; inherited ones are kept."""
    for name in ("classBox_3_01void_01_4.xml", "classBox.xml"):
        (tmp_path / name).write_text(SPECIAL)
    drop_members_of_other_templates(tmp_path)
    found = {
        path.name: [each.text for each in ElementTree.parse(path).getroot().iter("name")]
        for path in tmp_path.iterdir()
    }
    assert found["classBox_3_01void_01_4.xml"] == ["error", "value"]
    assert found["classBox.xml"] == ["value_or", "error", "value"]
