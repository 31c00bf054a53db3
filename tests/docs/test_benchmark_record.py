# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The tables of the Performance page show what the committed records say, and when it was."""

import json
from pathlib import Path

import pytest
from _verify.benchmark_record import (
    circumstances_of,
    kernels_of,
    leaks_of,
    record_of,
    table_of,
)

ROOT = Path(__file__).resolve().parents[2]
RECORD = {
    "date": "2026-01-02",
    "machine": "one core",
    "versions": {"numpy": "2.0", "nvcc": "", "commit": "0123456789abcdef", "modified": "yes"},
    "geometric mean": 0.5,
    "measured": {"call, ns": {"ours": 1234.5, "published": 2469.0, "ratio": 0.5}},
    "left behind": {"call": {}, "leak": {"malloc bytes": 16000, "references to None": -1}},
}


def test_table() -> None:
    """Each quantity is a row; the mean is the last."""
    headings, rows = table_of(RECORD)
    assert headings == ["", "this runtime", "published", "ratio"]
    assert rows == [
        ["call, ns", "1,234.5", "2,469.0", "0.5"],
        ["geometric mean, trusted mode aside", "", "", "0.5"],
    ]


def test_leaks() -> None:
    """What was left behind is told; nothing is told, too."""
    assert leaks_of(RECORD)[1] == [
        ["call", "nothing"],
        ["leak", "+16,000 malloc bytes, -1 references to None"],
    ]


def test_circumstances() -> None:
    """The machine, what there was of versions, and the commit, with a word of its changes."""
    assert circumstances_of(RECORD) == (
        "Measured on 2026-01-02: one core; numpy 2.0; commit 0123456789ab with changes."
    )
    aimed = circumstances_of({**RECORD, "targets": {"import": 0.05, "bytes": 20000}})
    assert aimed.endswith("with changes. At most: import 0.05; bytes 20,000.")


def test_kernels() -> None:
    """Each device has a table; what was not measured is left blank."""
    rows = [{"case": "float32", "GB/s": 10.5, "of a copy": 0.95}]
    part = {"date": "2026-01-02", "machine": "one GPU", "kernels": {"scale": rows}}
    [(headings, lines, where)] = kernels_of({"devices": {"cuda": part}})
    assert headings == ["Kernel", "Case", "GB/s", "of a copy", "beside PyTorch"]
    assert lines == [["scale", "float32", "10.5", "0.95", ""]]
    assert where == "Measured on 2026-01-02: one GPU."


def test_committed_kernels_can_be_shown() -> None:
    """What lies in docs/benchmarks/kernels.json has the form that the page reads."""
    record = record_of(ROOT, "kernels")
    if record is None:
        pytest.skip("kernels has not been measured")
    assert all(rows for _, rows, _ in kernels_of(record))


@pytest.mark.parametrize("part", ["calls", "slim", "leaks"])
def test_committed_records_can_be_shown(part: str) -> None:
    """What lies in docs/benchmarks has the form that the page reads."""
    record = record_of(ROOT, part)
    if record is None:
        pytest.skip(f"{part} has not been measured")
    _, rows = leaks_of(record) if part == "leaks" else table_of(record)
    assert rows
    assert record["date"] in circumstances_of(record)


def test_no_record(tmp_path: Path) -> None:
    """A part that was never measured has no record."""
    (tmp_path / "docs" / "benchmarks").mkdir(parents=True)
    (tmp_path / "docs" / "benchmarks" / "calls.json").write_text(json.dumps(RECORD))
    assert record_of(tmp_path, "calls") == RECORD
    assert record_of(tmp_path, "slim") is None
