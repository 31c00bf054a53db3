# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Pages that Sphinx keeps from an earlier build are equivalent to reread ones."""

import os
from types import SimpleNamespace

import pytest
from _ext.made_of import write_all

WARNING = "a_name_that_nothing_has"


def read(output):
    """Return the pages that a build has read."""
    lines = [line for line in output.splitlines() if line.startswith("reading sources... [")]
    return {line.split("] ")[-1].strip() for line in lines}


def site(project):
    """Build the site; return the status, and output that lists the pages read."""
    options = ["-W", "-n", "--no-color", "-c", ".", "docs", "build/site"]
    return project.sphinx(*options, FORCE_COLOR="", NO_COLOR="1")


def test_warning_is_repeated_until_it_is_mended(project):
    """Sphinx gives a page's warning only when it reads the page."""
    assert site(project)[0] == 0
    project.append("docs/index.rst", f"\n:py:func:`{WARNING}`\n")
    project.verify()
    for _ in range(2):
        status, output = site(project)
        assert status != 0
        assert WARNING in output
    project.replace("docs/index.rst", f":py:func:`{WARNING}`", "")
    project.verify()
    status, output = site(project)
    assert status == 0, output


def test_edited_page_is_read_alone(project):
    """Other pages are kept, except those that list receipts."""
    assert site(project)[0] == 0
    project.append("docs/notes.md", "\nA sentence.\n")
    project.verify()
    status, output = site(project)
    assert status == 0, output
    assert read(output) == {"notes", "verification"}


@pytest.mark.parametrize("file", ["docs/notes.md", "examples/kernel_library/scale/scale_kernel.cc"])
def test_older_file_in_place_of_another_is_read(project, file):
    """A copy may keep its date, so a page and its includes are compared by their text."""
    assert site(project)[0] == 0
    path = project.file(file)
    date = path.stat().st_mtime
    project.append(file, "\n")
    os.utime(path, (date - 1000, date - 1000))
    project.verify()
    status, output = site(project)
    assert status == 0, output
    page = "notes" if file.endswith("notes.md") else "index"
    assert page in read(output)
    assert page not in read(site(project)[1])


def test_after_a_refusal_only_what_it_read_is_read(project):
    """Sphinx would otherwise reread all pages. A repaired page may have its old date."""
    assert site(project)[0] == 0
    path = project.file("docs/index.rst")
    text, date = path.read_text(), path.stat().st_mtime
    project.append("docs/index.rst", "\n>>> 1 + 1\n3\n")
    project.verify()
    status, output = site(project)
    assert status != 0
    assert "Unverified snippets" in output
    path.write_text(text)
    os.utime(path, (date, date))
    project.verify()
    status, output = site(project)
    assert status == 0, output
    assert read(output) == {"index", "verification"}
    assert "1 + 1" not in project.file("build/site/index.html").read_text()


@pytest.mark.parametrize("file", ["include/more/shapes.h", "python/toy/__init__.py", "conf.py"])
def test_what_the_reference_is_made_of_has_all_pages_read_again(project, file):
    """Pages depend on headers, the package and the settings without including them."""
    assert site(project)[0] == 0
    project.append(file, "\n")
    project.verify()
    status, output = site(project)
    assert status == 0, output
    assert read(output) >= {"api", "index", "notes", "verification"}


def test_state_of_a_kept_page_is_that_of_this_run(project):
    """The state under a snippet is determined when the page is written, not when it was read."""
    assert project.build()[0] == 0
    assert "ran on CPU" in project.file("build/site/notes.html").read_text()
    test = "tests/snippets/test_shown_files.py"
    project.replace(test, "    script =", '    import pytest\n    pytest.skip("no")\n    script =')
    assert project.build()[0] == 0
    assert "not run here: no" in project.file("build/site/notes.html").read_text()


def test_another_commit_has_all_pages_written_again():
    """Each page names the commit that it was built from."""
    app, env = SimpleNamespace(shown_commit="1"), SimpleNamespace(found_docs={"b", "a"})
    assert write_all(app, env) == ["a", "b"]
    assert write_all(app, env) == []
    app.shown_commit = "2"
    assert write_all(app, env) == ["a", "b"]


def test_interrupted_build_is_made_anew(project):
    """After an interrupted build, unwritten pages would show the results of an earlier run."""
    assert site(project)[0] == 0
    project.file("build/site/.doctrees/whole").unlink()
    status, output = site(project)
    assert status == 0, output
    assert read(output) >= {"api", "index", "notes", "verification"}
