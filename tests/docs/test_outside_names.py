# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The lists of names from other projects."""

import pytest

pytest.importorskip("sphobjinv", reason="the site needs Python 3.11")

from _ext.outside_names import read_names
from sphinx.errors import ExtensionError


def test_list_becomes_an_inventory(tmp_path):
    """A line gives domain, role, name and address."""
    path = tmp_path / "numpy.txt"
    path.write_text("# Names.\nbase https://numpy.org/\npy:class numpy.ndarray a.html#nd\n")
    base, inventory = read_names(path)
    assert base == "https://numpy.org/"
    assert [(each.domain, each.role, each.uri) for each in inventory.objects] == [
        ("py", "class", "a.html#nd")
    ]


@pytest.mark.parametrize("line", ["numpy.ndarray a.html", "class numpy.ndarray a.html"])
def test_line_that_is_no_name_is_refused(tmp_path, line):
    """The message gives the file, the line and what was expected."""
    path = tmp_path / "numpy.txt"
    path.write_text(f"base https://numpy.org/\n{line}\n")
    with pytest.raises(ExtensionError, match=r"numpy.txt:2: expected domain:role name address"):
        read_names(path)
