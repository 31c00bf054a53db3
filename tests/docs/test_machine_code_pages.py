# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Pages show the facts of machine code of this very tree, each kernel on its own page."""

from pathlib import Path
from typing import Any

import pytest
from _verify.layout import Layout
from _verify.machine_code_record import (
    COLUMNS,
    listing_path,
    record_of,
    rows_of,
    shown,
    write_record,
)

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*(ROOT / "docs" / "guides").rglob("*.rst")]
# The quickstart stays short.
EXAMPLES = sorted(
    {path.stem for path in (ROOT / "tests" / "machine_code" / "expected").glob("*.toml")}
    - {"add_one"}
)


def fact(kernel: str, architecture: str) -> dict[str, Any]:
    """One kernel's facts, all of them 1."""
    return {"kernel": kernel, "architecture": architecture, **dict.fromkeys(COLUMNS.values(), 1)}


def test_rows_of_one_architecture() -> None:
    """A table has the kernels of one architecture, in the order in which they were found."""
    facts = [fact("a", "sm_80"), fact("b", "sm_90"), fact("a", "sm_90")]
    assert [row[0] for row in rows_of(facts, "sm_90")] == ["b", "a"]
    assert {len(row) for row in rows_of(facts, "sm_80")} == {1 + len(COLUMNS)}


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("occupancy", 0.375, "38 %"),
        ("store", 0, "none"),
        ("spilled", 0, "0"),
        ("per_16_bytes", 10.0, "10"),
        ("per_16_bytes", 0.0, "-"),
        ("per_16_bytes", 7.1, "7.1"),
    ],
)
def test_cells(name: str, value: float, text: str) -> None:
    """A share is a percentage; a kernel without a store has none."""
    assert shown(name, value) == text


@pytest.mark.parametrize("name", ["include/a.h", "examples/a.cu", "tests/machine_code/facts.py"])
def test_record_is_of_one_tree(tmp_path: Path, name: str) -> None:
    """A record of other sources, or by another program, is none."""
    source = tmp_path / name
    source.parent.mkdir(parents=True)
    source.write_text("1")
    facts = {"scale": [fact("scale", "sm_90")]}
    assert record_of(tmp_path, tmp_path / "build") is None
    write_record(tmp_path, tmp_path / "build", "nvcc 13", facts, {})
    record = record_of(tmp_path, tmp_path / "build")
    assert record is not None
    assert (record["tools"], record["examples"]) == ("nvcc 13", facts)
    source.write_text("2")
    assert record_of(tmp_path, tmp_path / "build") is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_kernel_has_its_table(name: str) -> None:
    """One page shows the machine code of an example as it is."""
    directive = f"\n.. machine-code:: {name}\n"
    planted = f"{directive}   :planted:"
    found = [
        text.count(directive) - text.count(planted) for page in PAGES if (text := page.read_text())
    ]
    assert sum(found) == 1


def test_listings_need_no_proof(tmp_path: Path) -> None:
    """The session writes the disassembly; what else lies in the build folder is checked."""
    offered = pytest.importorskip("_ext.downloads", reason="Sphinx is not installed").offered
    layout = Layout.of(tmp_path)
    listing = listing_path(layout.build, "scale", "sm_90").relative_to(tmp_path)
    assert offered(f"/../{listing}", "docs/page.rst", layout) == []
    assert offered("/../build/other.txt", "docs/page.rst", layout) == ["build/other.txt"]
