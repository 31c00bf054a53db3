# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The benchmark against other tools: each does the same work, and they take turns."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "benchmarks"))

for needed in ("cffi", "pybind11", "torch"):
    pytest.importorskip(needed, reason="comes with the environment of most sessions")

IN_C = {"no argument", "int", "3 floats", "str of 6, and back", "list of 8 ints"}
IN_CPP = IN_C | {"1 torch tensor", "3 torch tensors", "ValueError"}
TOOLS = {
    **dict.fromkeys(("this runtime", "lock kept", "nanobind", "pybind11", "torch.ops"), IN_CPP),
    **dict.fromkeys(("cffi", "ctypes"), IN_C),
}


@pytest.fixture(scope="module")
def peers() -> ModuleType:
    """Return the benchmark module."""
    import peers

    return peers


@pytest.fixture(scope="module")
def tools(peers: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the rows of each tool, built as the benchmark builds them."""
    return peers.all_rows(tmp_path_factory.mktemp("peers"))


def result_of(row: Any, **changed: Any) -> Any:
    """Run a row and return the value of its last line."""
    *before, last = row.statement.splitlines()
    names = {**row.names, **changed}
    exec("\n".join(before), names)
    return eval(last, names)


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_does_the_same(tools: dict[str, Any], tool: str) -> None:
    """All rows return the same results; C has neither tensors nor exceptions."""
    rows = tools[tool]
    assert set(rows) == TOOLS[tool]
    assert result_of(rows["str of 6, and back"]) == "kernel"
    assert result_of(rows["str of 6, and back"], a="another") == "another"
    assert result_of(rows["list of 8 ints"]) == 8
    for name in {*rows} - {"str of 6, and back", "list of 8 ints", "ValueError"}:
        assert result_of(rows[name]) is None
    if "ValueError" in rows:
        with pytest.raises(ValueError, match=r"^on purpose"):
            rows["ValueError"].names["f"]()


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_refuses_what_is_no_argument(tools: dict[str, Any], tool: str) -> None:
    """Every function converts its arguments."""
    for row in tools[tool].values():
        if "a" in row.names:
            with pytest.raises((TypeError, RuntimeError, AttributeError, ctypes.ArgumentError)):
                result_of(row, a=object())


def test_tools_take_turns(peers: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ratio is the median over the turns, so one disturbed turn changes nothing."""
    asked: list[str] = []

    class Timed:
        """Returns given times."""

        def __init__(self, row: tuple[str, list[float]]) -> None:
            self.name, self.times = row

        def nanoseconds(self) -> float:
            asked.append(self.name)
            return self.times.pop(0)

    monkeypatch.setattr(peers, "Timed", Timed)
    monkeypatch.setattr(peers, "TURNS", 3)
    rows = {"this runtime": ("ours", [10, 20, 900]), "cffi": ("cffi", [30, 60, 900])}
    assert peers.time_row(rows) == {
        "this runtime": {"ns": 20, "of ours": 1.0},
        "cffi": {"ns": 60, "of ours": 3.0},
    }
    assert asked == ["ours", "cffi"] * 3
