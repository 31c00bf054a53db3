# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Pages show machine code facts of the current tree, each kernel's on its own page."""

import re
from pathlib import Path
from typing import Any

import pytest
from _verify.layout import Layout
from _verify.machine_code_record import (
    COLUMNS,
    MODEL_COLUMNS,
    expected_of,
    listing_path,
    model_rows,
    record_of,
    rows_of,
    shown,
    write_record,
)

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*(ROOT / "docs" / "guides").rglob("*.rst")]
# The quickstart is kept short.
EXAMPLES = sorted(
    {path.stem for path in (ROOT / "tests" / "machine_code" / "expected").glob("*.toml")}
    - {"add_one"}
)


def fact(kernel: str, architecture: str) -> dict[str, Any]:
    """Return one kernel's facts, with every column of the table set to 1."""
    step = {"loaded": 64, "stored": 64, "instructions": 160, "waits": 1}
    more = {"step": step, "resident": 2048, "around": 0}
    columns = dict.fromkeys(COLUMNS.values(), 1)
    return {"kernel": kernel, "architecture": architecture, **columns, **more}


def test_rows_of_one_architecture() -> None:
    """A table has the kernels of one architecture, in the order found."""
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
    """A record of other sources, or made by another program, is not used."""
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


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({"instructions": 160}, "100 % (issue: 738 %)"),
        ({"instructions": 1600}, "74 % (issue)"),
        ({"unknown": "no loop moves data"}, "not known: no loop moves data"),
    ],
)
def test_expected_share(step: dict[str, Any], text: str) -> None:
    """A share names its limit; if that is memory, also the next limit and its margin."""
    found = fact("a", "sm_90")
    of_step = {**found["step"], **step}
    assert expected_of({**found, "resident": 10**6, "step": of_step}, "H100") == text


def test_rows_of_the_model() -> None:
    """Each kernel has one row, with a column for each GPU."""
    [row] = model_rows([fact("wide", each) for each in ("sm_80", "sm_89", "sm_90")])
    assert row[:6] == ["wide", "64", "64", "160", "1", "-"]
    assert len(row) == 1 + len(MODEL_COLUMNS)


# Tensor cores limit gemm, and the model does not cover them.
WITHOUT_MODEL = {"gemm"}


def is_for_vectors(name: str) -> bool:
    """Whether a rule of the example requires whole vectors."""
    if name in WITHOUT_MODEL:
        return False
    text = (ROOT / "tests" / "machine_code" / "expected" / f"{name}.toml").read_text()
    return re.search("^(load|store) = 16$", text, re.MULTILINE) is not None


@pytest.mark.parametrize("name", [*filter(is_for_vectors, EXAMPLES)])
def test_each_kernel_has_its_model(name: str) -> None:
    """One page shows the performance expected on each GPU."""
    directive = f"\n.. machine-code-model:: {name}\n"
    assert sum(page.read_text().count(directive) for page in PAGES) == 1


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_kernel_has_its_table(name: str) -> None:
    """Exactly one page shows the example's actual machine code."""
    directive = f"\n.. machine-code:: {name}\n"
    planted = f"{directive}   :planted:"
    found = [
        text.count(directive) - text.count(planted) for page in PAGES if (text := page.read_text())
    ]
    assert sum(found) == 1


def test_listings_need_no_proof(tmp_path: Path) -> None:
    """The session writes disassembly listings; other files in the build folder are checked."""
    offered = pytest.importorskip("_ext.downloads", reason="Sphinx is not installed").offered
    layout = Layout.of(tmp_path)
    listing = listing_path(layout.build, "scale", "sm_90").relative_to(tmp_path)
    assert offered(f"/../{listing}", "docs/page.rst", layout) == []
    assert offered("/../build/other.txt", "docs/page.rst", layout) == ["build/other.txt"]
