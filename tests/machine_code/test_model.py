# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The model turns a step into times, and the longest time into a share of a copy's speed."""

from dataclasses import replace

import pytest
from _verify.machine_code_model import (
    EXECUTED,
    GPUS,
    Step,
    issue_time,
    limits,
    memory_time,
    share,
    tightest,
    unit_time,
    waiting_time,
)
from steps import OPCODES

COPY = Step(loaded=64, stored=64, instructions=80, waits=1)


def test_memory_time() -> None:
    """Each multiprocessor gets its share of the bandwidth."""
    assert memory_time(GPUS["L4"], 58) == pytest.approx(58 * 58 / 0.3e12)


def test_issue_time() -> None:
    """Four schedulers issue one instruction each for 32 threads in a clock cycle."""
    assert issue_time(GPUS["A100"], 1280) == pytest.approx(10 / 1.41e9)


def test_unit_time() -> None:
    """Per clock cycle, an L4 executes float64 for two threads, an H100 for 64."""
    assert unit_time(GPUS["L4"], "float64", 10) == pytest.approx(5 / 0.795e9)
    assert unit_time(GPUS["H100"], "float64", 64) == pytest.approx(1 / 1.83e9)


def test_waiting_time() -> None:
    """All threads of a multiprocessor wait together."""
    assert waiting_time(2, 1000) == pytest.approx(2 * 800e-9 / 1000)


def test_littles_law() -> None:
    """The memory is busy if the bytes in flight equal its bandwidth times its latency."""
    gpu = GPUS["H100"]
    under_way = gpu.bandwidth / gpu.multiprocessors * 800e-9
    assert limits(gpu, Step(16, 0, 1, 1), round(under_way / 16))["latency"] == pytest.approx(
        1, rel=1e-3
    )


def test_tightest() -> None:
    """The tightest limit decides."""
    gpu = GPUS["L4"]
    assert tightest(limits(gpu, COPY, 1536))[0] == "issue"
    assert tightest(limits(gpu, replace(COPY, units={"float64": 80}), 1536))[0] == "float64"
    assert tightest(limits(gpu, replace(COPY, instructions=8), 32))[0] == "latency"


@pytest.mark.parametrize(
    ("architecture", "step", "expected"),
    [
        ("sm_90", COPY, 1.0),
        ("sm_90", replace(COPY, instructions=8 * 200), 103 / 200),  # on the H200
        ("sm_89", replace(COPY, instructions=8 * 200), 1.0),
        ("sm_100", replace(COPY, instructions=8 * 200), 1.0),  # the table has no such GPU
        ("sm_80", Step(0, 0, 0, 0, unknown="no loop moves data"), 0.0),
    ],
)
def test_share(architecture: str, step: Step, expected: float) -> None:
    """The share is at most 1, the lowest over the architecture's GPUs, and 0 if unknown."""
    assert share(architecture, step, 2048) == pytest.approx(expected, rel=0.01)


def test_units_have_a_speed() -> None:
    """Each unit to which opcodes are assigned has a speed on each GPU's architecture."""
    assert {*OPCODES, "convert64"} == {*EXECUTED}
    for speeds in EXECUTED.values():
        assert {*speeds} == {gpu.architecture for gpu in GPUS.values()}
