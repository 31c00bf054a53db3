# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Everything that CONTRIBUTING.md names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def test_the_files_of_a_kernel():
    """The model kernel has each file of the table, and a card in the gallery."""
    (model,) = re.findall(r"Take `examples/kernel_library/(\w+)` as a model", TEXT)
    cells = re.findall(r"^\| ([^|]*NAME[^|]*) \|", TEXT, re.MULTILINE)
    assert len(cells) == 7
    for cell in cells:
        first, *others = re.findall("`(.+?)`", cell.replace("NAME", model))
        folder = (ROOT / first).parent
        for path in (ROOT / first, *(folder / other for other in others)):
            assert path.is_file(), path
    pages = ROOT / "docs/guides/kernels"
    assert f"[kernels.{model}]\n" in (pages / "gallery.toml").read_text()
    assert model in (pages / "index.rst").read_text().split()


def test_paths_links_and_sessions():
    """Every path, link and session exists; receipts are written on a machine with a GPU."""
    paths = re.findall(r"`(\w+/[\w/]*(?:\.\w+)?)`", TEXT) + re.findall(r"\]\((\S+?)\)", TEXT)
    missing = {path for path in paths if "NAME" not in path and not (ROOT / path).exists()}
    assert missing <= {"docs/verification/"}
    noxfile = (ROOT / "noxfile.py").read_text()
    sessions = {name for words in re.findall(r"nox -s ([\w ]+)", TEXT) for name in words.split()}
    assert sessions
    assert [name for name in sessions if f"def {name}(" not in noxfile] == []
