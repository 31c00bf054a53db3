# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""When receipts prove a file, and when they become void."""

from dataclasses import replace

import pytest
from _verify.closure import RUNTIME, closure_of
from _verify.evidence import Evidence
from _verify.layout import Layout
from _verify.receipts import (
    COMPILED,
    EMULATED,
    RAN_ON_CPU,
    RAN_ON_GPU,
    Receipt,
    read_receipts,
    remove_receipts,
    remove_runs,
    write_receipt,
)
from _verify.results import Failure
from _verify.survival import as_ranges
from _verify.table import example_rows

FILES = ["a.cc", "a.cu", "a.h", "a.py", "a.sh"]
GPU = {"gpu": "NVIDIA H200", "driver": "1.2"}
OTHER_GPU = {"gpu": "NVIDIA B200", "driver": "1.2"}
COMMIT = {"commit": "0123", "modified": "no"}


@pytest.fixture
def layout(tmp_path):
    """A folder with one file of each kind."""
    for name in FILES:
        (tmp_path / name).write_text(name)
    return Layout.of(tmp_path)


def receipt(layout, subject, level, *others, **fields):
    """Make a receipt for a subject and other files, plus the runtime if the subject ran."""
    files = [subject, *others]
    runtime = [] if level == COMPILED else [RUNTIME]
    closure = closure_of(layout.root, [*files, *runtime])
    return Receipt(subject, level, files, closure, date="2026-01-02", **fields)


@pytest.mark.parametrize(
    ("file", "level", "reason"),
    [
        ("a.cc", None, "nothing ran it"),
        ("a.cc", COMPILED, "it was compiled but nothing ran it"),
        ("a.cc", RAN_ON_CPU, ""),
        ("a.cc", RAN_ON_GPU, ""),
        ("a.py", COMPILED, "it was compiled but nothing ran it"),
        ("a.cu", COMPILED, ""),
        ("a.h", COMPILED, ""),
        ("a.sh", COMPILED, ""),
        ("b.cc", None, "it does not exist"),
    ],
)
def test_level_that_is_enough_depends_on_the_file(layout, file, level, reason):
    """Runnable code must have run; CUDA code must have been compiled."""
    receipts = [receipt(layout, file, level, ran={file: ["1-1"]})] if level else []
    assert Evidence(layout, receipts).why_not(file) == reason


def test_receipt_is_void_when_a_file_of_its_closure_changes(layout):
    """An edited header invalidates each file that was compiled with it."""
    made = receipt(layout, "a.cc", RAN_ON_CPU, "a.h")
    (layout.root / "a.h").write_text("edited")
    evidence = Evidence(layout, [made])
    assert evidence.why_not("a.cc") == "edited since its run (a.h changed)"
    assert evidence.state("a.cc") == ""


def test_receipt_is_void_when_a_file_of_its_closure_is_gone(layout):
    """A deleted test proves nothing."""
    made = receipt(layout, "a.cc", RAN_ON_CPU, "a.py")
    (layout.root / "a.py").unlink()
    assert "a.py changed" in Evidence(layout, [made]).why_not("a.cc")


def test_failure_outweighs_an_older_receipt(layout):
    """A file that failed in the latest run is not shown, even if it passed elsewhere."""
    failure = Failure("a.cc", RAN_ON_CPU, ["a.cc"], "exit status 1", "first\nAssertionError: 3\n")
    evidence = Evidence(layout, [receipt(layout, "a.cc", RAN_ON_GPU)], [failure])
    assert evidence.why_not("a.cc") == "failed: a.cc: exit status 1: AssertionError: 3"


def test_state_names_compilers_devices_and_dates(layout):
    """The line under the code says what was verified where."""
    receipts = [
        receipt(layout, "a.h", COMPILED, tools={"g++": "12.2.0"}),
        receipt(layout, "a.h", COMPILED, tools={"nvcc": "13.0.88"}, targets=["sm_80", "PTX"]),
        receipt(layout, "a.h", RAN_ON_CPU, machine={"cpu": "some"}, ran={"a.h": ["1-1"]}),
        receipt(layout, "a.h", RAN_ON_GPU, machine=GPU),
    ]
    assert Evidence(layout, receipts).state("a.h") == (
        "compiled by g++ 12.2, nvcc 13.0 for sm_80, PTX · ran on CPU"
        " · ran on GPU: NVIDIA H200, 2026-01-02"
    )


def test_run_on_a_cpu_with_an_earlier_runtime_is_not_mentioned(layout):
    """A CPU run needs no mention, as this machine can run the file again."""
    made = receipt(layout, "a.cc", RAN_ON_CPU, ran={"a.cc": ["1-1"]})
    (layout.root / "src").mkdir()
    (layout.root / "src" / "new.cc").touch()
    assert Evidence(layout, [made]).state("a.cc") == ""


@pytest.mark.parametrize(("compiled", "state"), [(True, "compiled by g++ 12.2"), (False, COMPILED)])
def test_state_of_declarations(layout, compiled, state):
    """Declarations are shown as compiled; an untraced run may have executed more."""
    receipts = [receipt(layout, "a.h", COMPILED, tools={"g++": "12.2.0"})] if compiled else []
    gpu = receipt(layout, "a.h", RAN_ON_GPU, machine=GPU)
    traced = receipt(layout, "a.h", RAN_ON_CPU, ran={"a.h": []}, idle={"a.h": {}})
    evidence = Evidence(layout, [*receipts, traced, gpu])
    assert (evidence.why_not("a.h"), evidence.state("a.h")) == ("", state)
    assert "ran on GPU" in Evidence(layout, [*receipts, gpu]).state("a.h")


def test_receipts_of_machines_merge_by_union(layout):
    """Receipts are kept per subject, level and machine: a GPU run does not replace a CPU run."""
    for level, machine in [(COMPILED, {}), (RAN_ON_CPU, {}), (RAN_ON_GPU, GPU)]:
        made = receipt(layout, "a.cc", level, machine=machine, runtime=COMMIT)
        for _ in range(2):
            write_receipt(layout.committed if machine else layout.receipts, made)
    read = read_receipts(layout.receipts, layout.committed)
    assert sorted(each.level for each in read) == [COMPILED, RAN_ON_CPU, RAN_ON_GPU]
    remove_receipts(layout.receipts)
    write_receipt(
        layout.committed,
        receipt(layout, "a.cc", RAN_ON_GPU, machine=OTHER_GPU, runtime=COMMIT),
    )
    assert len(read_receipts(layout.receipts, layout.committed)) == 2
    remove_runs(layout.committed, OTHER_GPU["gpu"], {"a.cc"})
    remove_runs(layout.committed, GPU["gpu"], {"a.cu"})
    assert [each.level for each in read_receipts(layout.receipts, layout.committed)] == [RAN_ON_GPU]


def test_gpu_mark_of_an_example_disappears_when_it_is_edited(layout):
    """The table never shows a GPU run of code that has changed."""
    folder = layout.examples / "one"
    folder.mkdir(parents=True)
    source = "examples/kernel_library/one/one_kernel.cu"
    (layout.root / source).write_text("kernel")
    made = receipt(layout, source, RAN_ON_GPU, machine=GPU)
    assert example_rows(Evidence(layout, [made]))[0][4] == "NVIDIA H200, 2026-01-02"
    older = replace(made, closure=made.closure | {RUNTIME: "older"})
    earlier = "with an earlier runtime: NVIDIA H200, 2026-01-02"
    assert example_rows(Evidence(layout, [older]))[0][4] == earlier
    (layout.root / source).write_text("edited")
    assert example_rows(Evidence(layout, [made]))[0][4] == "not yet"


@pytest.mark.parametrize(
    ("level", "machine", "runtime", "counts"),
    [
        (RAN_ON_GPU, GPU, COMMIT, True),
        (RAN_ON_GPU, GPU, {}, False),
        (RAN_ON_GPU, {"cpu": "some"}, COMMIT, False),
        (RAN_ON_CPU, GPU, COMMIT, False),
        (COMPILED, GPU, COMMIT, False),
    ],
)
def test_only_gpu_runs_count_among_the_committed_receipts(layout, level, machine, runtime, counts):
    """A GPU run names the GPU and the runtime's commit; other runs can be repeated anywhere."""
    made = receipt(layout, "a.cc", level, machine=machine, runtime=runtime)
    write_receipt(layout.committed, made)
    assert bool(read_receipts(layout.receipts, layout.committed)) is counts


def test_receipt_that_proves_more_than_it_was_made_of_does_not_count(layout):
    """Such a receipt would not become stale when the file, or the runtime of a run, changes."""
    made = receipt(layout, "a.cc", RAN_ON_CPU)
    without_runtime = {path: seen for path, seen in made.closure.items() if path != RUNTIME}
    for less in ({"verifies": ["a.cc", "a.h"]}, {"closure": without_runtime}):
        write_receipt(layout.receipts, replace(made, **less))
        assert read_receipts(layout.receipts, layout.committed) == []
    write_receipt(layout.receipts, made)
    assert read_receipts(layout.receipts, layout.committed) == [made]


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\x85", "\u2028"])
def test_line_break_that_not_every_program_counts(layout, character):
    """With such a line break, a region would be judged by other lines than those shown."""
    text = f"x = 1\n#{character * 9}\n# [typed.begin]\nx = 2\n# [typed.end]\n" + 9 * "x = 3\n"
    (layout.root / "a.py").write_text(text)
    ran = {"a.py": as_ranges(range(1, 12))}
    evidence = Evidence(layout, [receipt(layout, "a.py", RAN_ON_CPU, ran=ran)])
    assert evidence.why_not("a.py", "typed").startswith(f"it holds {character!r}")


def test_compiled_source_whose_lines_wait_for_a_reason(layout):
    """A compiled source may be shown if every line that did not run states a reason."""
    (layout.root / "a.cc").write_text("a\nb\n")
    compiled = receipt(layout, "a.cc", COMPILED)
    for reason, why in (("needs a GPU", ""), ("", "no run went through line 2")):
        ran = receipt(
            layout, "a.py", RAN_ON_CPU, "a.cc", ran={"a.cc": []}, idle={"a.cc": {"2-2": reason}}
        )
        assert Evidence(layout, [compiled, ran]).why_not("a.cc") == why


def test_emulation_is_named_and_permits_nothing(layout):
    """Emulated device code names the missing lines; a CPU source needs a real run."""
    (layout.root / "a.cu").write_text("a\nb\nc\n")
    fields = {"ran": {"a.cu": ["1-2"]}, "idle": {"a.cu": {"3-3": ""}}}
    compiled = [receipt(layout, "a.cu", COMPILED, tools={"nvcc": "13.0.88"})]
    emulated = receipt(layout, "a.cu", EMULATED, **fields)
    evidence = Evidence(layout, compiled, emulated=[emulated])
    assert evidence.state("a.cu") == "compiled by nvcc 13.0 · ran under emulation but for line 3"
    (layout.root / "a.cu").write_text("a\nb\nd\n")
    assert "emulation" not in Evidence(layout, compiled, emulated=[emulated]).state("a.cu")
    both = {"ran": {"a.cc": ["1-1"]}, "idle": {"a.cc": {}}}
    alone = Evidence(layout, [], emulated=[receipt(layout, "a.cc", EMULATED, **both)])
    assert alone.why_not("a.cc") == "nothing ran it"
    assert alone.state("a.cc") == ""
