# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The kernel benchmark times rows in turns and reports which ones are slower than required."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "kernel_library"
ROWS = ROOT / "tests" / "benchmarks" / "kernel_rows"


@pytest.fixture
def module_of(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a benchmark module."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "benchmarks"))
    return importlib.import_module


@pytest.fixture
def kernels(module_of: Any) -> ModuleType:
    """The module that starts a process for each example."""
    return module_of("kernels")


@pytest.fixture
def worker(module_of: Any) -> ModuleType:
    """The module that measures an example."""
    return module_of("kernels_worker")


def given(**more: Any) -> Any:
    """Return the arguments of a row that moves 8 GB."""
    return {"case": "float32", "moved": 8_000_000_000, "run": lambda: None, **more}


SECONDS = {"run": [2.0, 2.0, 900.0], "copy": [1.0, 1.0, 1.0], "torch": [4.0, 3.0, 4.0]}


def test_ratios_are_medians_of_turns(worker: ModuleType) -> None:
    """One disturbed turn changes nothing; speeds rather than times are compared."""
    told = worker.result(worker.Row(**given(least=1.0)), "cpu", SECONDS)
    assert told == {
        "GB/s": 4.0,
        "of a copy": 0.5,
        "beside PyTorch": 1.5,
        "least beside PyTorch": 1.0,
    }


def test_a_kernel_may_be_faster_than_a_copy(worker: ModuleType) -> None:
    """A copy is not an upper bound: a kernel whose data stay in a cache has a ratio above 1."""
    told = worker.result(worker.Row(**given()), "cpu", {"run": [1.0], "copy": [2.0]})
    assert told["of a copy"] == 2.0


def test_a_gpu_asks_for_more(worker: ModuleType) -> None:
    """On a GPU every large row has limits, except against a copy if it is not memory-bound."""
    told = worker.result(worker.Row(**given()), "cuda", SECONDS)
    assert (told["least of a copy"], told["least beside PyTorch"]) == (0.9, 1.0)
    told = worker.result(worker.Row(**given(memory_bound=False)), "cuda", SECONDS)
    assert "least of a copy" not in told
    without = {name: SECONDS[name] for name in ("run", "copy")}
    assert "least beside PyTorch" not in worker.result(worker.Row(**given()), "cuda", without)
    small = worker.result(worker.Row(**given(moved=2 << 16, least=1.0)), "cuda", SECONDS)
    assert not [name for name in small if name.startswith("least")]
    assert (small["us"], small["timed by"]) == (2e6, "graph")


def test_what_is_too_slow(kernels: ModuleType) -> None:
    """Each row is held to its own limits."""
    fast = {"case": "fast", "of a copy": 0.2, "beside PyTorch": 1.0, "least beside PyTorch": 1.0}
    slow = {**fast, "case": "slow", "beside PyTorch": 0.999}
    far = {"case": "far", "of a copy": 0.8, "least of a copy": 0.9}
    free = {"case": "free", "of a copy": 0.1, "beside PyTorch": 0.1}
    assert kernels.missed({"a": [fast, slow], "b": [far, free]}) == [
        "a, slow: 0.999 beside PyTorch, at least 1.0",
        "b, far: 0.8 of a copy, at least 0.9",
    ]


def test_a_copy_reads_and_writes_what_was_moved(worker: ModuleType) -> None:
    """Half of the bytes moved are read, half are written."""
    source, _ = worker.copy_of(1 << 20, "cpu")()
    assert source.nbytes * 2 == 1 << 20


def test_a_row_is_measured(worker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function of a row runs in each turn, plus once untimed."""
    monkeypatch.setitem(worker.SECONDS_OF_A_BLOCK, "cpu", 0.0)  # one call per block
    ran: list[str] = []
    row = worker.Row(
        case="float32", moved=8, run=lambda: ran.append("run"), torch=lambda: ran.append("torch")
    )
    told = worker.measure(row, "cpu", turns=3)
    assert set(told) == {"case", "GB/s", "of a copy", "beside PyTorch"}
    sized, turn = ["run"] * 4 + ["torch"] * 4, ["run"] * 2 + ["torch"] * 2
    assert ran == sized + turn * 3


# Stands in for kernels_worker.py.
WORKER = """import ctypes, json, os, sys, time
name, library, device = sys.argv[1:4]
print(json.dumps({"row": {"case": f"{name} on {device}"}}), flush=True)
if name == "scale":
    HOW
print(json.dumps({"clocks": "1980 MHz"}))
"""


@pytest.fixture
def pretended(kernels: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Run kernels.py on three stub examples; scale ends as the test requests."""
    for name in ("add_one", "scale", "softmax"):
        (tmp_path / "rows").mkdir(exist_ok=True)
        (tmp_path / "rows" / f"{name}.py").touch()
    monkeypatch.setattr(kernels, "library_of", lambda *_: tmp_path)
    monkeypatch.setattr(kernels, "ROWS", tmp_path / "rows")
    monkeypatch.setattr(kernels, "WORKER", tmp_path / "worker.py")
    monkeypatch.setattr(kernels, "missed", lambda rows: [])
    record = tmp_path / "kernels.json"

    def run(how: str, *words: str) -> tuple[int, dict[str, Any]]:
        (tmp_path / "worker.py").write_text(WORKER.replace("HOW", how))
        monkeypatch.setattr("sys.argv", ["kernels.py", str(record), *words, "--device", "cpu"])
        before = signal.getsignal(signal.SIGTERM)
        try:
            status = kernels.main()
        finally:
            signal.signal(signal.SIGTERM, before)
        return status, json.loads(record.read_text())["devices"]["cpu"]

    return run


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("print('about to', flush=True); ctypes.string_at(0)", "SIGSEGV: about to"),
        ("os.abort()", "SIGABRT"),
        (
            "raise RuntimeError('CUDA error: device-side assert triggered\\nFor debugging: more')",
            "exit status 1: RuntimeError: CUDA error: device-side assert triggered",
        ),
        ("raise ValueError('no more rows')", "exit status 1: ValueError: no more rows"),
        ("time.sleep(1000)", "killed after 5 s"),
        ("os.kill(os.getppid(), 15); time.sleep(1000)", "stopped"),
    ],
)
def test_an_example_that_fails_costs_its_own_rows(
    kernels: ModuleType, monkeypatch: pytest.MonkeyPatch, pretended: Any, how: str, why: str
) -> None:
    """Only the failed example's rows are missing, with the reason, unless the run was stopped."""
    monkeypatch.setattr(kernels, "SECONDS_OF_AN_EXAMPLE", 5)
    status, part = pretended(how)
    assert status == 1
    assert part["failed"].pop("scale") == why
    if why == "stopped":
        assert part["failed"] == {"softmax": why}
        assert list(part["kernels"]) == ["add_one"]
    else:
        assert part["failed"] == {}
        assert part["kernels"] == {
            name: [{"case": f"{name} on cpu"}] for name in ("add_one", "softmax")
        }


def test_all_rows_are_recorded(kernels: ModuleType, pretended: Any) -> None:
    """If no example fails, no row is missing; a failed library build is recorded as a reason."""
    status, part = pretended("pass")
    assert (status, list(part["kernels"])) == (0, ["add_one", "scale", "softmax"])
    assert "failed" not in part

    def fails(example: Any, *_: Any) -> Path:
        raise ValueError(f"{example.name} does not compile\nmore")

    kernels.library_of = fails  # restored by the fixture
    assert pretended("pass")[1]["failed"]["softmax"] == "softmax does not compile"


def test_names_update_a_record(pretended: Any) -> None:
    """Calls for a few examples each update one record; without --update nothing is written."""
    _, before = pretended("raise ValueError('no')", "add_one", "scale", "--update")
    assert list(before["kernels"]) == ["add_one"]
    assert pretended("pass", "softmax")[1] == before
    _, part = pretended("pass", "scale", "softmax", "--update")
    assert list(part["kernels"]) == ["add_one", "scale", "softmax"]
    assert "failed" not in part


def test_rows_of_another_tree_or_machine_do_not_stay(kernels: ModuleType) -> None:
    """A table covers one tree, machine and set of versions."""
    now = {"machine": "a", "versions": {}, "made_of": {"x": 1}, "kernels": {"scale": [2]}}
    before = {**now, "kernels": {"scale": [1], "softmax": [1]}, "failed": {"scale": "why"}}
    assert kernels.merged(before, now)["kernels"] == {"scale": [2], "softmax": [1]}
    assert "failed" not in kernels.merged(before, now)
    for key in ("machine", "versions", "made_of"):
        assert kernels.merged({**before, key: "other"}, now) == now


class FakeCuda:
    """Stands in for torch.cuda: records calls, and advances a clock with each launch."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.milliseconds = 0.0

    def launch(self, name: str, milliseconds: float) -> None:
        """Record a launch."""
        self.did.append(name)
        self.milliseconds += milliseconds

    def Event(self, enable_timing: bool) -> Any:
        """Return an event that stores the time at which it is recorded."""
        cuda = self

        class Event:
            at = 0.0

            def record(self) -> None:
                cuda.did.append("record")
                self.at = cuda.milliseconds

            def synchronize(self) -> None:
                cuda.did.append("wait")

            def elapsed_time(self, end: Any) -> float:
                return end.at - self.at

        return Event()

    def synchronize(self) -> None:
        """Record a wait."""
        self.did.append("wait")

    def CUDAGraph(self) -> Any:
        """Return a graph whose replay takes 20 ms."""

        class Graph:
            def replay(_) -> None:
                self.launch("replay", 20.0)

        return Graph()

    @contextlib.contextmanager
    def graph(self, graph: Any) -> Any:
        """Record a capture."""
        self.did.append("capture")
        yield
        self.did.append("captured")


@pytest.fixture
def cuda(module_of: Any, monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    """Replace torch.cuda in timing.py."""
    fake, timing = FakeCuda(), module_of("timing")
    for name in ("Event", "synchronize", "CUDAGraph", "graph"):
        monkeypatch.setattr(torch.cuda, name, getattr(fake, name))
    monkeypatch.setattr(timing, "empty_cache", lambda: fake.launch("flush", 7.0))
    return fake


def test_the_cache_is_emptied_before_each_large_call(module_of: Any, cuda: FakeCuda) -> None:
    """Flushing the cache is not part of the time, which covers one call."""
    seconds = module_of("timing").flushed(lambda: cuda.launch("call", 2.0), 3)()
    assert cuda.did == ["flush", "record", "call", "record"] * 3 + ["wait"]
    assert seconds == pytest.approx(0.002)


def test_small_calls_are_replayed(module_of: Any, cuda: FakeCuda) -> None:
    """Small calls are captured in a graph once; the second of two replays is timed."""
    timed = module_of("timing").graph(lambda: cuda.launch("call", 0.0), 4)
    assert cuda.did == ["capture", *["call"] * 4, "captured"]
    cuda.did.clear()
    assert timed() == pytest.approx(0.020 / 4)
    assert cuda.did == ["replay", "record", "replay", "record", "wait"]


def test_other_calls_are_timed_by_events(module_of: Any, cuda: FakeCuda) -> None:
    """Calls that wait for the GPU cannot be captured in a graph."""
    assert module_of("timing").events(lambda: cuda.launch("call", 2.0), 5)() == pytest.approx(0.002)
    assert cuda.did == ["record", *["call"] * 5, "record", "wait"]


@pytest.mark.parametrize(
    ("device", "moved", "captured", "timer"),
    [
        ("cpu", 1, True, "processor"),
        ("cuda", 256 << 20, True, "events, L2 flushed"),
        ("cuda", 256 << 20, False, "events, L2 flushed"),
        ("cuda", 16 << 20, True, "graph"),
        ("cuda", 16 << 20, False, "events"),
    ],
)
def test_what_times_a_row(
    module_of: Any, device: str, moved: int, captured: bool, timer: str
) -> None:
    """The timer depends on the size, and on whether a graph can capture the call."""
    row = module_of("rows").Row(**given(moved=moved, captured=captured))
    assert module_of("timing").timer_of(row, device) == timer


SMI = """#!/bin/sh
[ "$1" = --id=GPU-1234 ] && echo "1980 MHz, 1980 MHz, 2619 MHz, 40, 300.00 W"
"""


def test_clocks(module_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Clocks of the GPU in use come from nvidia-smi or NVML, or the failures are recorded."""
    clocks = module_of("clocks")
    monkeypatch.setattr(clocks, "keep_busy", lambda: None)
    properties = type("Properties", (), {"uuid": "1234"})
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    (tmp_path / "nvidia-smi").write_text(SMI)
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert clocks.clocks().startswith("clocks.sm 1980 MHz, clocks.max.sm 1980 MHz, clocks.mem 2619")
    properties.uuid = "other"
    monkeypatch.setattr(torch.cuda, "clock_rate", lambda: 1755)
    assert clocks.clocks() == "clocks.sm 1755 MHz"
    (tmp_path / "nvidia-smi").unlink()

    def missing() -> int:
        raise ModuleNotFoundError("pynvml does not seem to be installed")

    monkeypatch.setattr(torch.cuda, "clock_rate", missing)
    monkeypatch.setenv("PATH", str(tmp_path))
    told = clocks.clocks()
    assert told.startswith("unknown: nvidia-smi: ")
    assert told.endswith("; NVML: pynvml does not seem to be installed")


def test_rows_of_a_gpu(module_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU's rows include small and odd inputs; a CPU has fewer rows."""
    rows = module_of("rows")
    assert [words for _, words in rows.counts("cpu", 4)] == ["16 MiB", "64 MiB"]
    assert [words for _, words in rows.counts("cuda", 4)] == [
        *("256 MiB", "4 MiB", "64 KiB", "50257 elements")
    ]
    assert rows.shapes("cpu", 8, 4096) == [(512, 4096, "16 MiB"), (2048, 4096, "64 MiB")]
    assert rows.shapes("cuda", 8, 131072) == [
        *((256, 131072, "256 MiB"), (4, 131072, "4 MiB")),
        *((524288, 64, "256 MiB"), (667, 50257, "256 MiB")),
    ]
    assert not rows.padded(2, 64, torch.float16, "cpu").is_contiguous()
    monkeypatch.setattr(rows, "rehearsed", True)
    assert len(rows.counts("cpu", 4)) == 4
    assert rows.sizes("cpu")[0] < rows.LARGE


def test_float8_comes_of_copies_from_float32(
    module_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a GPU, other operators or dtypes may abort the process with an assertion."""

    class Watched(torch.utils._python_dispatch.TorchDispatchMode):
        """Records the operators that produced float8, and their input dtypes."""

        def __init__(self) -> None:
            super().__init__()
            self.operators: set[str] = set()
            self.dtypes: set[torch.dtype] = set()

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            given = func(*args, **(kwargs or {}))
            if getattr(given, "dtype", None) == torch.float8_e4m3fn:
                self.operators.add(func.overloadpacket.__name__)
                self.dtypes |= {each.dtype for each in args if isinstance(each, torch.Tensor)}
            return given

    worker = module_of("kernels_worker")
    monkeypatch.setattr(module_of("rows"), "sizes", lambda device: (1 << 16,))
    module = type("Module", (), {"quantize_fp8": lambda *_: None, "add": lambda *_: None})
    for name in ("quantize_fp8", "dispatch"):
        with Watched() as watched:
            for row in worker.rows_of(name).rows(module, "cpu"):
                if row.torch and "quantize" in row.case:
                    row.torch()
                    break
                if "float8" in row.case:
                    break
        made = {each for each in watched.operators if not each.startswith("empty")}
        assert made, name
        assert made <= {"copy_", "_to_copy", "clone"}, name
        assert watched.dtypes <= {torch.float32, torch.float8_e4m3fn}, name


def test_each_example_has_rows() -> None:
    """Each example that computes something has a file of rows with its name."""
    names = {path.stem for path in ROWS.glob("*.py")}
    assert names | {"errors"} == {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
