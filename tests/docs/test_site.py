# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Elements that the extensions add to the pages."""

import re
from collections import Counter

import pytest
from _verify.regions import without_markers

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"


def html(project, page):
    """Return one page of the built site."""
    return project.file(f"build/site/{page}.html").read_text()


def test_state_file_and_download_stand_under_the_code(pristine):
    """A reader sees what was verified where, and can download the file."""
    page = html(pristine, "index")
    assert re.search(r"compiled by g\+\+ \d+\.\d+ · ran on CPU", page)
    assert "examples/kernel_library/scale/" in page
    (download,) = pristine.file("build/site/_downloads").rglob("scale_kernel.cc")
    assert download.read_text() == without_markers(pristine.file(KERNEL).read_text())


def test_marker_lines_are_not_shown(pristine):
    """Neither the region's own markers nor those of nested regions are shown."""
    page = html(pristine, "index")
    assert "loop.begin" not in page
    assert "[guard]" not in page


def test_verification_page_holds_the_tables(pristine):
    """The tables list example levels, tools, what was left out, and each page's snippets."""
    page = html(pristine, "verification")
    for text in ("Compiled by nvcc", "not yet", "PyTorch found no GPU", "doctest", "api.html"):
        assert text in page


def test_snippets_are_folded_page_by_page(pristine):
    """Each long table is one line until the reader opens it, which needs no script."""
    page = html(pristine, "verification")
    inside = re.findall(
        r'<details class="folded"><summary>([^<]+)</summary>(.*?)</details>', page, re.S
    )
    titles = [title for title, _ in inside]
    assert [title.partition(":")[0] for title in titles] == ["Reference", "Toy", "Notes"], titles
    assert all(text.count("<tr") == int(title.split()[-1]) + 1 for title, text in inside)


def test_doctest_shows_where_it_ran(pristine):
    """A doctest has a verification line too."""
    page = html(pristine, "notes")
    assert "ran on CPU" in page[page.index("&gt;&gt;&gt;") :]


def test_reference_lists_each_headers_names_once(pristine):
    """Two headers share a namespace; a nested class appears only inside its outer class."""
    page = html(pristine, "api")
    for name in ("toy5twice", "toy6Square", "toy6Square4area", "toy4Kind", "TOY_CORNERS"):
        assert name in page
    assert page.count('<dt class="sig sig-object cpp" id="_CPPv4N3toy6Square4SideE"') == 1
    assert "measure" not in page
    assert page.index("toy5twice") < page.index("TOY_CORNERS") < page.index("toy6Square")


def test_each_id_of_a_page_is_its_own(pristine):
    """A class and its nested class both have public functions, but ids are unique."""
    assert html(pristine, "api").count("Public Functions") == 2
    for page in ("api", "index", "notes", "verification"):
        found = Counter(re.findall(r'<[^>]* id="([^"]+)"', html(pristine, page)))
        assert [each for each, count in found.items() if count > 1] == [], page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("   :region: absent", "region [absent]: expected one"),
        ("   :region: kernel\n   :lines: 1-2", "name, region, got lines"),
        ("   :append: int typed;\n   :caption: int typed;", "name, region, got append, caption"),
    ],
)
def test_part_of_a_file_that_cannot_be_shown(project, options, message):
    """The page, the line, the file and the reason are named."""
    project.replace("docs/index.rst", "   :region: kernel", options)
    for _ in range(2):
        status, output = project.site()
        assert status != 0
        assert f"docs/index.rst:8: {KERNEL}" in output
        assert message in output


def test_file_that_is_missing(project):
    """The page, the line and the file are named."""
    project.replace("docs/notes.md", "greet.sh", "absent.sh")
    status, output = project.site()
    assert status != 0
    assert "docs/notes.md:8: docs/absent.sh: " in output


def test_list_of_snippets_is_left_by_a_good_build_alone(project):
    """The list of an older site must not pass for the current one."""
    assert project.file("build/snippets.json").exists()
    project.append("docs/index.rst", "\n.. raw:: html\n\n   <pre>int typed;</pre>\n")
    assert project.site()[0] != 0
    assert not project.file("build/snippets.json").exists()
    assert "docs/index.rst" in project.file("build/unverified.txt").read_text()
