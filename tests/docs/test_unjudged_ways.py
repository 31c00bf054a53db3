# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Code and output outside code blocks are refused as well, in every build."""

import zipfile

import pytest

BLOCK = "a code block typed by hand"
LITERALS = "code typed as literals"
UNPROVED = "nothing ran it"
UNOWNED = "no test makes it or compares it"
INDEX, NOTES = "docs/index.rst", "docs/notes.md"

# Page content, and the message about it.
TYPED = [
    (INDEX, "| ``int typed = 1;``\n| ``return typed;``", f"line block: {BLOCK}"),
    (INDEX, "-t TYPED  typed = 1", f"option list: {BLOCK}"),
    (INDEX, "See :samp:`samp({typed});`.", "literal samp(typed);: the role samp formats code"),
    (INDEX, "See :cpp:expr:`typed(1) + 2`.", f"expression typed(1) + 2: {BLOCK}"),
    (INDEX, "See :file:`rm -rf {typed}`.", "literal rm -rf typed: the role file formats code"),
    (
        INDEX,
        '.. csv-table::\n\n   "``int cell = 1;``", "what"',
        f"literal int cell = 1;: {LITERALS}",
    ),
    (INDEX, '.. csv-table::\n\n   "time", "``0.25``"', f"literal 0.25: {LITERALS}"),
    (INDEX, ".. list-table::\n\n   * - ``rm -rf typed``", f"literal rm -rf typed: {LITERALS}"),
    (INDEX, "``typed = 2``\n``typed += 1``", f"literal typed = 2: {LITERALS}"),
    (INDEX, "- ``del typed``", f"literal del typed: {LITERALS}"),
    (INDEX, "``typed(3)``\n   A term.", f"literal typed(3): {LITERALS}"),
    (INDEX, "``import`` ``typed``", f"literal import: {LITERALS}"),
    (INDEX, ".. image:: typed.svg", f"image typed.svg: {UNOWNED}"),
    (INDEX, ".. figure:: figure.svg\n\n   A figure.", f"image figure.svg: {UNOWNED}"),
    (INDEX, "A |typed| one.\n\n.. |typed| image:: inside.svg", f"image inside.svg: {UNOWNED}"),
    (NOTES, "![Typed](markdown.svg)", f"image markdown.svg: {UNOWNED}"),
    (INDEX, "See :download:`typed.txt`.", f"typed.txt: docs/typed.txt: {UNPROVED}"),
    (INDEX, "See :download:`typed.zip`.", "download of typed.zip: "),
    (NOTES, "See [typed](markdown.txt).", f"markdown.txt: docs/markdown.txt: {UNPROVED}"),
]


def test_code_outside_of_code_blocks(project):
    """Lines, literals, images and downloads are checked too."""
    for name in ("typed", "figure", "inside", "markdown"):
        project.file(f"docs/{name}.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    for name in ("typed", "markdown"):
        project.file(f"docs/{name}.txt").write_text("typed\n")
    with zipfile.ZipFile(project.file("docs/typed.zip"), "w") as archive:
        archive.writestr("typed.txt", "typed\n" * 9)
    for page, text, _ in TYPED:
        project.append(page, f"\n\nText.\n\n{text}\n")
    for _ in range(2):
        status, output = project.site()
        assert status != 0, output
        assert not [said for _, _, said in TYPED if said not in output], output


HONEST = [
    "The call ``twice(2) + 1`` is prose, and so are names: ``0.25`` and ``int x``.",
    "- ``include/toy.h``, ``toy::twice()``, ``std::vector<int>``\n- ``-Wall``, ``g++``, ``f(...)``",
    '.. csv-table::\n\n   "``--root``", "``toy.double``"\n   "``A_<n>``", ":py:func:`toy.double`"',
    "See :download:`../examples/kernel_library/scale/scale_kernel.cc` and :archive:`scale`.",
    ".. image:: _static/icon.svg",
]


@pytest.fixture
def honest(project):
    """A project with names, prose, and verified files."""
    project.replace(
        "conf.py", '    "_ext.doxygen",\n', '    "_ext.archives",\n    "_ext.doxygen",\n'
    )
    for text in HONEST:
        project.append(INDEX, f"\n\n{text}\n")
    project.file("docs/_static").mkdir()
    project.file("docs/_static/icon.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    project.file("tests/docs").mkdir()
    project.file("tests/docs/test_images.py").write_text("")
    assert project.verify()[0] == 0
    return project


def test_names_prose_and_proved_files_may_be_shown(honest):
    """Legitimate content passes."""
    status, output = honest.site()
    assert status == 0, output


def test_archive_with_a_file_that_nothing_ran(honest):
    """Each file in an example's archive is checked like one that is shown."""
    file = "examples/kernel_library/scale/extra.py"
    honest.file(file).write_text("typed = 1\n")
    for _ in range(2):
        status, output = honest.site()
        assert status != 0, output
        assert f"scale.zip: {file}: {UNPROVED}" in output


def test_image_whose_test_is_gone(honest):
    """Being in the list of images is not sufficient."""
    honest.file("tests/docs/test_images.py").unlink()
    for _ in range(2):
        status, output = honest.site()
        assert status != 0, output
        assert "image _static/icon.svg: its test tests/docs/test_images.py does not exist" in output
