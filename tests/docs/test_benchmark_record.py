# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The tables of the Performance page show the committed records and their dates."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from _verify import closure
from _verify.benchmark_record import (
    architectures_of,
    circumstances_of,
    coverage_of,
    kernels_of,
    leaks_of,
    measured_now,
    peers_of,
    record_of,
    soak_of,
    table_of,
    why_stale,
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
    """Each quantity is a row; the mean comes last."""
    headings, rows = table_of(RECORD)
    assert headings == ["", "this runtime", "published", "ratio"]
    assert rows == [
        ["call, ns", "1,234.5", "2,469.0", "0.5"],
        ["geometric mean, trusted mode aside", "", "", "0.5"],
    ]


def test_table_with_limits() -> None:
    """A row with a limit shows its distance from the limit in a separate column."""
    row = RECORD["measured"]["call, ns"]
    measured = {"call, ns": {**row, "of limit": 1.234}, "other, ns": row}
    headings, rows = table_of({**RECORD, "measured": measured})
    assert headings[-1] == "of the limit"
    assert [cells[-1] for cells in rows] == ["1.23", "", ""]
    assert {len(cells) for cells in rows} == {len(headings)}


def test_leaks() -> None:
    """The report lists what was leaked, or says that nothing was."""
    assert leaks_of(RECORD)[1] == [
        ["call", "nothing"],
        ["leak", "+16,000 malloc bytes, -1 references to None"],
    ]


def test_circumstances() -> None:
    """The circumstances name the machine, known versions, commit and uncommitted changes."""
    assert circumstances_of(RECORD) == (
        "Measured on 2026-01-02: one core; numpy 2.0; commit 0123456789ab with changes."
    )
    aimed = circumstances_of({**RECORD, "targets": {"import": 0.05, "bytes": 20000}})
    assert aimed.endswith("with changes. At most: import 0.05; bytes 20,000.")


def test_peers() -> None:
    """Each tool is a column next to the first; unsupported calls are blank."""
    row = {
        "this runtime": {"ns": 94.6, "of ours": 1.0},
        "torch.ops": {"ns": 1234.5, "of ours": 113.05},
    }
    measured = {"int": row, "str": {**row, "ctypes": {"ns": 9.4, "of ours": 0.0994}}}
    assert peers_of({"measured": measured}) == (
        ["", "this runtime", "torch.ops", "ctypes"],
        [["int", "95", "1,234 (113)", ""], ["str", "95", "1,234 (113)", "9 (0.099)"]],
    )


def test_architectures() -> None:
    """Each build option is a row, whose size is also compared with the first."""
    measured = {
        "PTX": {"bytes": 1_000_400, "seconds": 3.04},
        "all": {"bytes": 1_543_864, "seconds": 8.1},
        "none": {"bytes": 999_400, "seconds": 2},
    }
    headings, rows = architectures_of({"measured": measured})
    assert len(headings) == 4
    assert rows == [
        ["PTX", "1,000", "+0", "3.0"],
        ["all", "1,544", "+543", "8.1"],
        ["none", "999", "-1", "2.0"],
    ]


def test_kernels() -> None:
    """Each device has a table; a cell that was not measured is blank or gives the reason."""
    rows = [{"case": "float32", "GB/s": 10.5, "of a copy": 0.95}]
    part = {"date": "2026-01-02", "machine": "one GPU", "kernels": {"scale": rows}}
    part["failed"] = {"softmax": "SIGSEGV"}
    [(headings, lines, where)] = kernels_of({"devices": {"cuda": part}})
    assert headings == ["Kernel", "Case", "GB/s", "of a copy", "beside PyTorch"]
    assert lines == [
        ["scale", "float32", "10.5", "0.95", ""],
        ["softmax", "failed: SIGSEGV", "", "", ""],
    ]
    assert where is part
    assert circumstances_of(where) == "Measured on 2026-01-02: one GPU."


def test_committed_kernels_can_be_shown() -> None:
    """docs/benchmarks/kernels.json has the form that the page reads."""
    record = record_of(ROOT, "kernels")
    if record is None:
        pytest.skip("kernels has not been measured")
    assert all(rows for _, rows, _ in kernels_of(record))


# Measured on one device.
WHOLE = "calls", "slim", "leaks", "peers", "instructions", "architectures", "soak", "coverage"


@pytest.mark.parametrize("part", WHOLE)
def test_committed_records_can_be_shown(part: str) -> None:
    """The records in docs/benchmarks have the form that the page reads."""
    record = record_of(ROOT, part)
    if record is None:
        pytest.skip(f"{part} has not been measured")
    tables = {
        "leaks": leaks_of,
        "peers": peers_of,
        "architectures": architectures_of,
        "soak": soak_of,
        "coverage": coverage_of,
    }
    _, rows = tables.get(part, table_of)(record)
    assert rows
    assert record["date"] in circumstances_of(record)


def test_what_the_page_says_of_the_figures() -> None:
    """The sentences on the Performance page are true of the record that it shows."""
    record = record_of(ROOT, "calls")
    assert record is not None
    rows = record["measured"]
    assert rows["no argument, lock kept, ns"]["ours"] < rows["no argument, ns"]["ours"] * 0.6
    limited = {name: row["of limit"] for name, row in rows.items() if "of limit" in row}
    assert len(limited) >= 5
    above = {"no argument, ns", "int, ns", "torch tensor allocated, ns"}
    assert max(limited[name] for name in above) <= 1.4
    assert max(value for name, value in limited.items() if name not in above) <= 1.3
    counts = record_of(ROOT, "instructions")
    assert counts is not None
    counted = {n: row["of limit"] for n, row in counts["measured"].items() if "of limit" in row}
    assert counted.keys() == {name.removesuffix(", ns") for name in limited}
    assert max(counted.values()) <= 1.3
    assert counted["no argument"] > 1


def test_no_record(tmp_path: Path) -> None:
    """An unmeasured part has no record."""
    (tmp_path / "docs" / "benchmarks").mkdir(parents=True)
    (tmp_path / "docs" / "benchmarks" / "calls.json").write_text(json.dumps(RECORD))
    assert record_of(tmp_path, "calls") == RECORD
    assert record_of(tmp_path, "slim") is None


PARTS = [*((part, "") for part in WHOLE), ("kernels", "cpu")]


@pytest.mark.parametrize(("part", "device"), PARTS)
def test_committed_records_are_of_this_tree(part: str, device: str) -> None:
    """A CPU record describes its own tree; a GPU record may be stale, and its page says so."""
    record = record_of(ROOT, part)
    assert record is not None
    measured = record["devices"][device] if device else record
    why = why_stale(ROOT, part, measured)
    assert not why, f"docs/benchmarks/{part}.json: {why}. Type: nox -s bench -- {part}"


def git(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a git command in a repository."""
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def is_in_history(root: Path, commit: str) -> bool:
    """Whether a commit is HEAD or one of its ancestors."""
    return git(root, "merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


@pytest.mark.parametrize(("part", "device"), PARTS)
def test_committed_records_are_of_a_commit_in_the_history(part: str, device: str) -> None:
    """A reader of a record can check out the measured commit."""
    if git(ROOT, "rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("needs the whole history")
    record = record_of(ROOT, part)
    assert record is not None
    measured = record["devices"][device] if device else record
    commit = measured["versions"]["commit"]
    assert is_in_history(ROOT, commit), f"docs/benchmarks/{part}.json: {commit} is not in HEAD"


def test_a_commit_of_another_branch_is_not_in_the_history(tmp_path: Path) -> None:
    """An abandoned or nonexistent commit is not an ancestor."""
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(tmp_path, "init", "-q")
    for message in ("one", "two"):
        git(tmp_path, *identity, "commit", "-q", "--allow-empty", "-m", message)
    two = git(tmp_path, "rev-parse", "HEAD").stdout.strip()
    assert is_in_history(tmp_path, two)
    git(tmp_path, "reset", "-q", "--hard", "HEAD~1")
    assert not is_in_history(tmp_path, two)
    assert not is_in_history(tmp_path, "0123456789abcdef")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree with something to measure."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "call.cc").write_text("int call();\n")
    (tmp_path / "tests" / "benchmarks").mkdir(parents=True)
    (tmp_path / "tests" / "benchmarks" / "calls.py").write_text("x = 1\n")
    return tmp_path


def why_after(tree: Path, record: dict[str, Any]) -> str:
    """Return why a record is stale, after clearing the cached runtime digest."""
    closure.runtime_of_run.cache_clear()
    return why_stale(tree, "calls", record)


def test_record_of_changes_that_no_commit_holds(tree: Path) -> None:
    """Uncommitted changes are not reproducible; a record that does not mention them is refused."""
    record = {"versions": {"modified": "no"}, "made_of": measured_now(tree, "calls")}
    assert why_after(tree, record) == ""
    for versions in ({"modified": "yes"}, {}):
        assert "uncommitted changes" in why_after(tree, {**record, "versions": versions})


@pytest.mark.parametrize(
    ("file", "text", "named"),
    [
        ("src/call.cc", "int call();  // a comment\n", ""),
        ("src/call.cc", "long call();\n", "the runtime that calls go through"),
        ("include/tvm/ffi/any.h", "int any();\n", "the runtime that calls go through"),
        ("tests/benchmarks/calls.py", "x = 2\n", "tests/benchmarks/calls.py"),
        ("tests/benchmarks/call_rows.py", "y = 1\n", "tests/benchmarks/call_rows.py"),
    ],
)
def test_record_older_than_a_change(tree: Path, file: str, text: str, named: str) -> None:
    """Measured and measuring code count, but comments do not."""
    record = {"versions": {"modified": "no"}, "made_of": measured_now(tree, "calls")}
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    (tree / file).write_text(text)
    assert why_after(tree, record) == (f"changed since then: {named}" if named else "")


def test_page_warns_of_what_is_stale(tree: Path) -> None:
    """Stale figures stay on the page, with a warning that names what changed."""
    warnings_of = pytest.importorskip(
        "_ext.benchmark", reason="Sphinx is not installed"
    ).warnings_of
    record = {"versions": {"modified": "no"}, "made_of": measured_now(tree, "calls")}
    assert warnings_of(tree, "calls", record) == []
    [warning] = warnings_of(tree, "calls", {**record, "made_of": {"gone.cc": "0"}})
    assert "not of this tree: changed since then: gone.cc" in warning.astext()


def test_few_changes_are_named(tree: Path) -> None:
    """Only the first of many changes are named."""
    made_of = {**measured_now(tree, "calls"), **{f"a{i}.cc": "0" for i in range(5)}}
    why = why_after(tree, {"versions": {"modified": "no"}, "made_of": made_of})
    assert why == "changed since then: a0.cc, a1.cc, a2.cc and 2 more"


@pytest.mark.parametrize(
    ("path", "stale"),
    [
        ("include/tvm/ffi/any.h", True),
        ("src/any.cc", True),
        ("python/tvm_ffi/_core/calls/kinds.cc", True),
        ("python/tvm_ffi/utils/kwargs_wrapper.py", True),
        ("CMakeLists.txt", True),
        ("include/tvm/ffi/extra/cuda/cubin_launcher.h", False),
        ("python/tvm_ffi/cpp/builder.py", False),
        ("python/tvm_ffi/stub/cli.py", False),
        ("src/tvm_ffi-config.cmake.in", False),
    ],
)
def test_what_calls_go_through(monkeypatch: pytest.MonkeyPatch, path: str, stale: bool) -> None:
    """Editing code that calls go through makes a record stale; editing build tools does not."""
    before = measured_now(ROOT, "calls")
    edited = {**closure.runtime_now(ROOT), path: "edited"}
    assert path in closure.runtime_now(ROOT)
    monkeypatch.setattr("_verify.benchmark_record.runtime_of_run", lambda _: edited)
    assert (measured_now(ROOT, "calls") != before) == stale


def test_no_measured_source_includes_cuda_headers() -> None:
    """No measured source includes the headers that calls never go through."""
    sources = [*(ROOT / "tests" / "benchmarks").glob("*.c*"), *ROOT.glob("src/*.cc")]
    sources += [*ROOT.glob("python/tvm_ffi/_core/**/*.cc"), *ROOT.glob("include/tvm/ffi/*.h")]
    assert len(sources) > 50
    assert not [path for path in sources if "extra/cuda/" in path.read_text()]


def test_the_page_names_what_is_slowest_on_a_gpu() -> None:
    """The Performance page lists the slowest rows, and the guide matches the performance model."""
    kernels = json.loads((ROOT / "docs/benchmarks/kernels.json").read_text())["devices"]["cuda"][
        "kernels"
    ]
    large = [
        (row["beside PyTorch"], kernel, row["case"])
        for kernel, rows in kernels.items()
        for row in rows
        if "beside PyTorch" in row and ("256 MiB" in row["case"] or kernel == "gemm")
    ]
    slowest = sorted(large)[:11]
    assert {kernel for _, kernel, _ in slowest} == {"gemm", "decode_attention", "scale", "softmax"}
    cases = {
        "gemm": " 16 x 4096 x 4096",
        "decode_attention": "[48] query heads",
        "scale": "each second element",
        "softmax": "16, 256 MiB, rows of 50257",
    }
    for _, kernel, case in slowest:
        assert re.search(cases[kernel], case), (kernel, case)
    for kernel in ("scale", "torch_op", "jax_call", "silu_and_mul"):
        for row in kernels[kernel]:
            if re.search(r"256 MiB(, rows of 50256|, rows with gaps)?$", row["case"]):
                assert row["of a copy"] >= 0.95, (kernel, row)
    for row in kernels["silu_and_mul"]:  # as claimed in the guide "From Idea to Wheel"
        if re.search(r"256 MiB(, rows of 50256|, rows with gaps)?$", row["case"]):
            assert row["of a copy"] >= 0.96, row
            assert row["beside PyTorch"] >= 1.7, row
        if re.search(r"16, 256 MiB, rows of 64$", row["case"]):
            assert row["of a copy"] < 0.5, row
    softmax = {row["case"]: row["of a copy"] for row in kernels["softmax"]}
    assert 0.6 < softmax["float32, 256 MiB, rows of 4096"] < 0.7
