# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Which file a part of a page was written in, across consecutive builds."""

from types import SimpleNamespace

import pytest

pytest.importorskip("sphinx", reason="Sphinx is not installed")

from _ext.evidence_of_build import forget
from _ext.node_origin import repository_file
from _verify.layout import Layout


def test_each_build_looks_files_up_again(tmp_path):
    """A file created between two builds is seen by the second."""
    layout, file = Layout.of(tmp_path), tmp_path / "a.h"
    config = SimpleNamespace(verify_root=str(tmp_path), verify_build="build")
    assert repository_file(str(file), layout) is None
    file.write_text("int a;\n")
    forget(SimpleNamespace(config=config))
    assert repository_file(str(file), layout) == "a.h"
