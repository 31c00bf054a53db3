# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The benchmark of kernels times rows in turns and tells which are slower than they must be."""

from __future__ import annotations

import importlib
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "kernel_library"
ROWS = ROOT / "tests" / "benchmarks" / "kernel_rows"


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Give the module."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "benchmarks"))
    return importlib.import_module("kernels")


def given(**more: Any) -> Any:
    """Give the arguments of a row that moves 8 GB."""
    return {"case": "float32", "moved": 8_000_000_000, "run": lambda: None, **more}


SECONDS = {"run": [2.0, 2.0, 900.0], "copy": [1.0, 1.0, 1.0], "torch": [4.0, 3.0, 4.0]}


def test_ratios_are_medians_of_turns(kernels: ModuleType) -> None:
    """One disturbed turn changes nothing; speeds are compared, not times."""
    told = kernels.result(kernels.Row(**given(least=1.0)), "cpu", SECONDS)
    assert told == {
        "GB/s": 4.0,
        "of a copy": 0.5,
        "beside PyTorch": 1.5,
        "least beside PyTorch": 1.0,
    }


def test_a_kernel_may_be_faster_than_a_copy(kernels: ModuleType) -> None:
    """The copy is no limit: a kernel whose data stay in a cache has a ratio above 1."""
    told = kernels.result(kernels.Row(**given()), "cpu", {"run": [1.0], "copy": [2.0]})
    assert told["of a copy"] == 2.0


def test_a_gpu_asks_for_more(kernels: ModuleType) -> None:
    """There each row has limits, but what memory does not limit has none of a copy."""
    told = kernels.result(kernels.Row(**given()), "cuda", SECONDS)
    assert (told["least of a copy"], told["least beside PyTorch"]) == (0.9, 1.0)
    told = kernels.result(kernels.Row(**given(memory_bound=False)), "cuda", SECONDS)
    assert "least of a copy" not in told
    without = {name: SECONDS[name] for name in ("run", "copy")}
    assert "least beside PyTorch" not in kernels.result(kernels.Row(**given()), "cuda", without)


def test_what_is_too_slow(kernels: ModuleType) -> None:
    """A row is held to its own limits."""
    fast = {"case": "fast", "of a copy": 0.2, "beside PyTorch": 1.0, "least beside PyTorch": 1.0}
    slow = {**fast, "case": "slow", "beside PyTorch": 0.999}
    far = {"case": "far", "of a copy": 0.8, "least of a copy": 0.9}
    free = {"case": "free", "of a copy": 0.1, "beside PyTorch": 0.1}
    assert kernels.missed({"a": [fast, slow], "b": [far, free]}) == [
        "a, slow: 0.999 beside PyTorch, at least 1.0",
        "b, far: 0.8 of a copy, at least 0.9",
    ]


def test_a_copy_reads_and_writes_what_was_moved(kernels: ModuleType) -> None:
    """Half is read, half is written."""
    source, _ = kernels.copy_of(1 << 20, "cpu")()
    assert source.nbytes * 2 == 1 << 20


def test_a_row_is_measured(kernels: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each work of a row runs in each turn, once uncounted."""
    monkeypatch.setitem(kernels.SECONDS_OF_A_BLOCK, "cpu", 0.0)  # one call in a block
    ran: list[str] = []
    row = kernels.Row(
        case="float32", moved=8, run=lambda: ran.append("run"), torch=lambda: ran.append("torch")
    )
    told = kernels.measure(row, "cpu", turns=3)
    assert set(told) == {"case", "GB/s", "of a copy", "beside PyTorch"}
    sized, turn = ["run"] * 4 + ["torch"] * 4, ["run"] * 2 + ["torch"] * 2
    assert ran == sized + turn * 3


@pytest.mark.parametrize("stopped", [False, True])
def test_what_was_measured_is_written(
    kernels: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stopped: bool
) -> None:
    """Also if a kernel fails, and if the program is asked to end before the last kernel."""

    class Rows:
        """Rows of which a kernel's second raises."""

        def __init__(self, name: str) -> None:
            self.name = name

        def rows(self, module: object, device: str) -> Iterator[Any]:
            yield f"{self.name} on {device}"
            if self.name == "scale":
                if stopped:
                    os.kill(os.getpid(), signal.SIGTERM)
                raise ValueError("no more rows")

    names = ["add_one", "scale", "softmax"]
    monkeypatch.setattr(kernels, "library_of", lambda *_: tmp_path)
    monkeypatch.setattr(kernels.tvm_ffi, "load_module", lambda path: None)
    monkeypatch.setattr(kernels, "rows_of", Rows)
    monkeypatch.setattr(kernels, "measure", lambda row, device: {"case": row})
    monkeypatch.setattr(kernels, "ROWS", tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in names:
        (tmp_path / f"{name}.py").touch()
    record = tmp_path / "kernels.json"
    monkeypatch.setattr("sys.argv", ["kernels.py", str(record), "--device", "cpu"])
    before = os.sched_getaffinity(0), signal.getsignal(signal.SIGTERM), torch.get_num_threads()
    try:
        assert kernels.main() == 1
    finally:
        os.sched_setaffinity(0, before[0])
        signal.signal(signal.SIGTERM, before[1])
        torch.set_num_threads(before[2])
    written = json.loads(record.read_text())["devices"]["cpu"]["kernels"]
    assert list(written) == (names[:2] if stopped else names)


def test_each_example_has_rows() -> None:
    """Each example is measured, by a file of its name, but one that computes nothing."""
    names = {path.stem for path in ROWS.glob("*.py")}
    assert names | {"errors"} == {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
