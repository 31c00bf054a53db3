# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The line under a piece of code leads to the receipts of its file."""

import hashlib
import json
import os
import re

from _verify.links import dead_links

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
GREET = "docs/greet.sh"
SITE = "build/site"
LISTS = (
    *(f"{SITE}/{name}.json" for name in ("snippets", "pages", "quoted")),
    "build/snippets.json",
)


def page_of(project, file):
    """The text of the page of a file."""
    return project.file(f"build/site/receipts/{file}.html").read_text()


def test_the_page_of_a_kernel(pristine):
    """How it was compiled and run, which of its lines ran, and the hashes that sha256sum prints."""
    page = page_of(pristine, KERNEL)
    sha256 = hashlib.sha256(pristine.file(KERNEL).read_bytes()).hexdigest()
    assert sha256 in page
    (download,) = pristine.file("build/site/_downloads").rglob("scale_kernel.cc")
    offered = hashlib.sha256(download.read_bytes()).hexdigest()
    assert offered != sha256
    assert offered in page
    (command,) = set(re.findall("<pre>(g\\+\\+ .*)</pre>", page))
    assert command.endswith(f"-o scale_cpu.so {KERNEL}")
    assert re.search(r"<code>tests/examples/test_scale.py</code>: \d+ passed", page)
    assert re.search(r"<dd>ran: lines? \d", page)
    assert "<code>examples/kernel_library/check.h</code>" in page


def test_each_state_leads_to_its_file(pristine):
    """On each page that shows code: to the receipts of that file, and to the region shown."""
    for name in ("index", "notes"):
        page = pristine.file(f"build/site/{name}.html").read_text()
        states = re.findall(r'<span class="snippet-verified">(.*?)</span>', page)
        links = [re.search(r'href="(receipts/[^"]+)"', state) for state in states]
        assert states
        assert all(links), states
    _, dead = dead_links(pristine.file("build/site"))
    assert [line for line in dead if "receipts/" in line] == []


def test_a_receipt_as_json(pristine):
    """The page links to each receipt whole: the same text that the run has written."""
    names = re.findall(r'href="(?:\.\./)+receipts/([^"]+\.json)"', page_of(pristine, GREET))
    assert names
    for name in names:
        told = json.loads(pristine.file(f"build/site/receipts/{name}").read_text())
        assert told == json.loads(pristine.file(f"build/receipts/{name}").read_text())


def test_the_pages_of_an_earlier_build_are_removed(project):
    """A file that no page shows any more has no page of receipts."""
    assert project.build()[0] == 0
    gone = project.file("build/site/receipts/gone.html")
    gone.touch()
    project.append("docs/notes.md", "\nA sentence.\n")
    assert project.build()[0] == 0
    assert project.file(f"build/site/receipts/{GREET}.html").exists()
    assert not gone.exists()


def test_a_list_is_replaced_whole(project):
    """Who reads a list while the site is built again has the old one, or the new one."""
    assert project.site()[0] == 0
    for name in LISTS:
        os.link(project.file(name), project.file(f"{name}.old"))
        before = project.file(name).read_text()
        project.file(f"{name}.before").write_text(before)
    project.append("docs/notes.md", "\n## A section\n\nA sentence.\n")
    assert project.build()[0] == 0
    for name in LISTS:
        assert project.file(f"{name}.old").read_text() == project.file(f"{name}.before").read_text()
        assert not project.file(name).samefile(project.file(f"{name}.old"))
        assert not project.file(name).with_suffix(".unfinished").exists()
