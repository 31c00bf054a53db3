# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Downloads have no region markers, and are otherwise complete."""

import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _verify.offered import offered_bytes

ROOT = Path(__file__).resolve().parents[2]
MARK = re.compile(rb"\[[\w-]+\.(begin|end)\]")
CPP = """// a.cc

// [a.begin]
int a;  // [a.begin] in code
  //! [b]
#define B
//! [b]
// [a.end]
"""
PATCH = """# [patch.begin]
--- a
+++ b
@@ -1,3 +1,2 @@
 // [a.begin]
-int a;
 // [a.end]
# [patch.end]
"""


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.cc", CPP, "// a.cc\n\nint a;  // [a.begin] in code\n#define B\n"),
        ("a.py", "# [a.begin]\nx = [1]\n# [a.end]\n", "x = [1]\n"),
        ("CMakeLists.txt", "# [a.begin]\nproject(a)\n# [a.end]\n", "project(a)\n"),
        ("a.txt", "$ run\n# [a.begin]\n", "$ run\n# [a.begin]\n"),
        ("a.patch", PATCH, "".join(PATCH.splitlines(True)[1:-1])),
        ("a.cc", "int a;\r\n// [a.begin]\r\nint b;\r\n", "int a;\r\nint b;\r\n"),
    ],
)
def test_marks_are_left_out(tmp_path, name, content, expected):
    """Whole lines are removed; code, run output and lines of patched files are kept."""
    file = tmp_path / name
    file.write_bytes(content.encode())
    assert offered_bytes(file) == expected.encode()


def test_what_is_no_text_stays(tmp_path):
    """An archive or a picture is offered unchanged."""
    file = tmp_path / "a.zip"
    file.write_bytes(b"\xff\n// [a.begin]\n")
    assert offered_bytes(file) == file.read_bytes()


def test_downloads_of_a_site_have_no_marks(pristine):
    """Sphinx copies the files; the finished site offers them without markers."""
    downloads = list(pristine.file("build/site/_downloads").rglob("*.*"))
    names = {path.name for path in downloads}
    assert {"scale_kernel.cc", "greet.sh"} <= names
    assert [path.name for path in downloads if MARK.search(path.read_bytes())] == []


def test_patches_still_apply():
    """Only lines outside the patched files are removed from a page's patch."""
    patches = sorted((ROOT / "tests/snippets").rglob("*.patch"))
    assert patches
    for patch in patches:
        before, after = (
            [line for line in data.splitlines() if line[:1] in (b" ", b"+", b"-", b"@")]
            for data in (patch.read_bytes(), offered_bytes(patch))
        )
        assert before == after
        assert not MARK.search(offered_bytes(patch))
