# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Everything that would let a page show unverified code breaks the build, every time."""

import json

import pytest
from _verify.closure import digest
from _verify.doctest_digest import block_digests

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
HEADER = "examples/kernel_library/check.h"


def assert_fails_twice(build, *expected):
    """Check that two builds fail, and that each message contains these texts."""
    for _ in range(2):
        status, output = build()
        assert status != 0, output
        for text in expected:
            assert text in output, output


def test_untouched_project_builds_and_shows_only_verified_snippets(pristine):
    """The project that the other tests break is valid."""
    status, output = pristine.verify("--table")
    assert status == 0, output
    assert "snippets verified = 11 of 11 shown" in output
    assert str(pristine.file("build/site/index.html")) in output


def test_kernel_that_is_wrong_by_one_element(project):
    """A wrong result fails the run, and the page that shows the kernel is named."""
    project.replace(KERNEL, "i < n;", "i < n - 1;")
    assert_fails_twice(project.build, f"docs/index.rst:8: {KERNEL} [kernel]: failed", "test_scale")


@pytest.mark.parametrize("edited", [KERNEL, HEADER])
def test_source_edited_after_its_tests_ran(project, edited):
    """A receipt is invalidated by an edit to the source or to a header that it includes."""
    project.append(edited, "inline int changed;\n")
    reason = f"edited since its run ({edited} changed)"
    assert_fails_twice(project.site, f"docs/index.rst:8: {KERNEL} [kernel]: {reason}")


def test_source_edited_after_a_good_build(project):
    """A page that Sphinx kept from a good build is still checked."""
    assert project.site()[0] == 0
    project.append(KERNEL, "int changed;\n")
    assert_fails_twice(project.site, f"docs/index.rst:8: {KERNEL} [kernel]: edited since its run")


BY_HAND = "a code block typed by hand"
PAGE_BLOCK = "\n.. code-block:: cpp\n\n   int typed = 1;\n"
TAB_BLOCK = "\n.. tabs::\n\n   .. code-tab:: cpp\n\n      int typed = 1;\n"
DOCSTRING_BLOCK = '    """Twice a number::\n\n        typed = 1\n'
COMMENT_BLOCK = " *\n * \\code\n * int typed = 1;\n * \\endcode\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "page", "named"),
    [
        ("docs/index.rst", "\n.. toctree::", f"{PAGE_BLOCK}\n.. toctree::", "index.rst:28", ""),
        ("docs/index.rst", "\n.. toctree::", f"{TAB_BLOCK}\n.. toctree::", "index.rst:", ""),
        (
            "docs/index.rst",
            "\n.. toctree::",
            "\nSo::\n\n   x = 1\n\n.. toctree::",
            "index.rst:",
            "",
        ),
        ("docs/notes.md", "# Notes\n", "# Notes\n\n```cpp\nint typed;\n```\n", "notes.md:5", ""),
        ("docs/notes.md", "# Notes\n", "# Notes\n\n```\nint typed;\n```\n", "notes.md:5", ""),
        (
            "python/toy/__init__.py",
            '    """Twice a number.\n',
            DOCSTRING_BLOCK,
            "api.rst",
            "python/toy/__init__.py (docstring of toy.double)",
        ),
        (
            "include/toy.h",
            " * \\param x",
            f"{COMMENT_BLOCK} * \\param x",
            "api.rst",
            "include/toy.h (a Doxygen comment)",
        ),
    ],
    ids=["page", "tab", "double colon", "myst", "myst without language", "docstring", "doxygen"],
)
def test_code_block_typed_by_hand(project, file, old, new, page, named):
    """Typed code is refused wherever it is, since nothing ran it."""
    project.replace(file, old, new)
    assert_fails_twice(project.site, f"docs/{page}", BY_HAND, named)


# All of them are added to one page, so that one build checks them all.
WAYS_AROUND = [
    (
        "\n>>> 1 + 1\n2\n>>> # int typed;\n",
        "expected only examples and their output, got >>> # in",
    ),
    (
        "\n.. code-block:: python\n\n   >>> 1 + 1\n   2\n\n   typed = 1\n",
        "expected only examples and their output, got typed = 1",
    ),
    (
        "\n.. code-block:: cpp\n\n   >>> 1 + 1\n   2\n",
        "a doctest is Python, and this block says cpp",
    ),
    ("\n>>> 1 + 1  # doctest: +ELLIPSIS\n2\n", "expected no doctest option, got 1 + 1"),
    ("\n.. code-block:: text\n\n   $ rm -rf build\n", f"text block: {BY_HAND}"),
    ("\n.. code-block:: none\n\n   int typed;\n", f"none block: {BY_HAND}"),
    ("\n.. raw:: html\n\n   <div>int typed;</div>\n", "raw html: text that Sphinx cannot read"),
    ("\n.. productionlist::\n   typed: int\n", f"production list: {BY_HAND}"),
    (
        "\n.. role:: typed(code)\n   :language: cpp\n\nSee :typed:`int x;`.\n",
        f"code role: {BY_HAND}",
    ),
    ("\n.. cpp:function:: int toy::typed(int)\n", "declaration: a name declared by hand"),
    ("\n.. py:function:: typed(x)\n", "declaration: a name declared by hand"),
    ("\n..\n   >>> 1 + 1\n   2\n", "comment: a doctest that the reader does not see"),
]


def test_no_way_around_the_check(project):
    """Every other construct that could hold code is refused with its reason, in every build."""
    project.replace("docs/index.rst", "\n.. toctree::", "\n>>> 1 + 1\n2\n\n.. toctree::")
    assert project.build()[0] == 0
    project.append("docs/index.rst", "\n\nText.\n".join(["", *(text for text, _ in WAYS_AROUND)]))
    project.append("docs/notes.md", '\n<p title="typed">int typed;</p>\n\nA <b>typed</b> word.\n')
    receipt = next(project.file("build/receipts").glob("docs.index.rst*"))
    edited = json.loads(receipt.read_text())
    edited["closure"]["docs/index.rst"] = digest(project.file("docs/index.rst"))
    (digest_of_sum,) = block_digests(">>> 1 + 1\n2")
    edited["doctests"][digest_of_sum] = ["1"] * 9
    receipt.write_text(json.dumps(edited))  # as if they had all passed
    markdown = ("docs/notes.md:22: raw html", "docs/notes.md:24: raw html")
    assert_fails_twice(project.site, *(message for _, message in WAYS_AROUND), *markdown)


@pytest.mark.parametrize(
    ("file", "old", "page"),
    [
        ("docs/index.rst", "True\n", "docs/index.rst:24"),
        ("docs/notes.md", "2\n```", "docs/notes.md:14"),
        ("python/toy/__init__.py", "4\n", "docs/api.rst: doctest in python/toy/__init__.py"),
    ],
    ids=["page", "myst", "docstring"],
)
def test_doctest_with_a_wrong_output(project, file, old, page):
    """A failing doctest names its page, with the expected and actual output."""
    project.replace(file, old, old.replace(old[0], "9", 1))
    assert_fails_twice(project.build, page, "Expected", "Got", f"FAILED {file}")


def test_cpp_name_that_does_not_exist(project):
    """An unresolved name in the prose fails the build."""
    project.append("docs/index.rst", "\nSee :cpp:func:`toy::thrice`.\n")
    assert_fails_twice(project.build, "docs/index.rst:", "toy::thrice")


@pytest.mark.parametrize("missing", ["tests/examples/test_scale.py", "build_cpu.sh"])
def test_example_that_nothing_ran(project, missing):
    """An example without its test or script is named, as is the page that shows it."""
    folder = "" if "/" in missing else "examples/kernel_library/scale/"
    project.file(folder + missing).unlink()
    assert_fails_twice(project.build, f"{missing} does not exist", "docs/index.rst:8")


def test_file_that_no_example_uses(project):
    """A file among the examples that is not part of any is refused."""
    project.file("examples/kernel_library/scale/extra.cc").write_text("int extra;\n")
    project.file("examples/kernel_library/unused.h").write_text("#pragma once\n")
    assert_fails_twice(
        project.build,
        "scale/extra.cc (compiled): an example that nothing ran",
        "unused.h (compiled): a header that nothing includes",
    )


def test_undocumented_function_in_a_header(project):
    """The reference is complete: Doxygen's warnings fail the build."""
    project.replace("include/toy.h", "}  // namespace", "inline int bare() { return 1; }\n}  // ")
    assert_fails_twice(project.site, "include/toy.h:", "bare")
