# SPDX-License-Identifier: Apache-2.0
"""Run Doxygen before the pages are read; a Doxygen warning fails the build."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of

logger = logging.getLogger(__name__)


class DoxygenFailed(SphinxError):
    """The XML could not be created, or a header is not documented as required."""

    category = "Doxygen"


def run_doxygen(app: Sphinx) -> None:
    """Write the XML that breathe reads.

    DoxygenFailed: Doxygen is missing or warned.
    """
    layout = evidence_of(app.config).layout
    if not shutil.which("doxygen"):
        raise DoxygenFailed("doxygen was not found. Type: sudo apt-get install -y doxygen")
    output = layout.build / "doxygen"
    before = {path: (path.read_bytes(), path.stat()) for path in output.glob("xml/*.xml")}
    shutil.rmtree(output, ignore_errors=True)  # otherwise pages of deleted headers would remain
    output.mkdir(parents=True)
    doxyfile = Path(app.srcdir) / "Doxyfile"
    done = subprocess.run(
        ["doxygen", str(doxyfile)],
        cwd=layout.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        text = done.stdout.replace(f"{layout.root}/", "").strip()
        raise DoxygenFailed(f"a warning, which is an error here:\n{text}")
    name_files_by_path(output / "xml")
    name_anonymous_members(output / "xml")
    drop_members_of_other_templates(output / "xml")
    for path in (output / "xml").glob("*.xml"):
        make_code_plain(path)
    keep_times(before)
    logger.info("doxygen: wrote %s", output)


def keep_times(before: dict[Path, tuple[bytes, os.stat_result]]) -> None:
    """Restore the timestamp of each unchanged file: breathe rereads newer ones."""
    for path, (text, stat) in before.items():
        if path.exists() and path.read_bytes() == text:
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def name_files_by_path(folder: Path) -> None:
    """Let a page name a header as code includes it, for example ``tvm/ffi/any.h``.

    Doxygen's index has only the last part of each name, and breathe looks no further.
    """
    index = ElementTree.parse(folder / "index.xml")
    for compound in index.getroot().iterfind("compound[@kind='file']"):
        file = ElementTree.parse(folder / f"{compound.get('refid')}.xml")
        location = file.getroot().find("compounddef/location")
        name = compound.find("name")
        if location is not None and name is not None:
            name.text = location.get("file")
    index.write(folder / "index.xml", encoding="utf-8", xml_declaration=True)


def name_anonymous_members(folder: Path) -> None:
    """Name anonymous unions as Doxygen 1.9.4 does: Sphinx cannot read a member without a name.

    Doxygen 1.9.8 leaves the names empty.
    """
    names = {}
    for path in folder.glob("struct*.xml"):
        tree = ElementTree.parse(path)
        owner, number = tree.getroot().findtext("compounddef/compoundname"), 0
        for member in tree.getroot().iter("memberdef"):
            name, kind = member.find("name"), member.find("type")
            if name is None or name.text or kind is None:
                continue
            said = f"{(kind.text or 'union').split()[0]} {owner}::@{number}"
            name.text = f"@{number + 1}"
            kind.clear()
            kind.text = said
            for tag, text in (("definition", f"{said} {owner}::"), ("qualifiedname", f"{owner}::")):
                if (element := member.find(tag)) is not None:
                    element.text = f"{text}{name.text}"
            names[member.get("id")] = name.text
            number += 2
        if number:
            tree.write(path, encoding="utf-8", xml_declaration=True)
    index = ElementTree.parse(folder / "index.xml")
    for member in index.getroot().iter("member"):
        if (name := member.find("name")) is not None and member.get("refid") in names:
            name.text = names[member.get("refid")]
    index.write(folder / "index.xml", encoding="utf-8", xml_declaration=True)


def drop_members_of_other_templates(folder: Path) -> None:
    """Drop the members of a template from its specializations, which do not inherit them.

    Doxygen 1.17 copies members of the template that the specialization does not declare.
    """
    for path in folder.glob("*_3_01*.xml"):  # "< " in a class name
        tree = ElementTree.parse(path)
        template = f"{path.stem.partition('_3_01')[0]}_1"
        for section in list(tree.getroot().iter("sectiondef")):
            for member in section.findall("memberdef"):
                if member.get("id", "").startswith(template):
                    section.remove(member)
        tree.write(path, encoding="utf-8", xml_declaration=True)


def make_code_plain(path: Path) -> None:
    """Remove Doxygen's highlighting from the code in a file; Sphinx has its own.

    Breathe loses the spaces before a line that begins with a keyword.
    """
    if "<programlisting" not in path.read_text():
        return
    tree = ElementTree.parse(path)
    for line in tree.getroot().iter("codeline"):
        text = "".join(" " if part.tag == "sp" else part.text or "" for part in with_tails(line))
        line.clear()
        highlight = ElementTree.SubElement(line, "highlight", {"class": "normal"})
        first, *others = text.split(" ")
        highlight.text = first
        for other in others:
            ElementTree.SubElement(highlight, "sp").tail = other
    tree.write(path, encoding="utf-8", xml_declaration=True)


def with_tails(element: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Yield an element, its descendants and the text after each of them, in document order."""
    yield element
    for child in element:
        yield from with_tails(child)
        if child.tail:
            tail = ElementTree.Element("text")
            tail.text = child.tail
            yield tail


def setup(app: Sphinx) -> ExtensionMetadata:
    """Run once per build."""
    app.setup_extension("_ext.evidence_of_build")
    app.connect("builder-inited", run_doxygen)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
