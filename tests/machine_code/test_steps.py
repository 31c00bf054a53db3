# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A step is one iteration of each loop over the data, on the path that moves the most bytes."""

import pytest
from _verify.machine_code_model import Step
from loops import main_loop
from sass import Code, Instruction, functions_of
from steps import instructions_around, step_of, unit_of, waits_of

LOAD, STORE = "LDG.E.128 R4, desc[UR4][R2.64]", "STG.E.128 desc[UR4][R2.64], R4"
WEIGHT = "LDG.E.128 R12, desc[UR4][R2.64]"
USE = "FADD R5, R5, R5"


def code_of(*lines: str) -> Code:
    """A function with these lines: instructions, or labels, which end in a colon."""
    text, address = ["//--------- .text._Z1f ---------"], 0
    for line in lines:
        if line.endswith(":"):
            text.append(line)
        else:
            text.append(f"        /*{address:04x}*/  {line} ;")
            address += 16
    [code] = functions_of("\n".join(text)).values()
    return code


@pytest.mark.parametrize(
    ("opcode", "unit"),
    [
        ("FFMA.FTZ", "float32"),
        ("MUFU.EX2", "special"),
        ("F2FP.BF16.F32.PACK_AB", "convert"),
        ("F2F.F64.F32", "convert64"),
        ("DSETP.GT.AND", "float64"),
        ("LDG.E.128", ""),
    ],
)
def test_unit(opcode: str, unit: str) -> None:
    """The opcode determines the unit; a 64-bit conversion is slower than others."""
    assert unit_of(Instruction(0, opcode, "")) == unit


@pytest.mark.parametrize(
    ("lines", "waits"),
    [
        ([LOAD, LOAD.replace("R4", "R8"), USE], 1),
        ([LOAD, USE, LOAD, USE], 2),
        ([LOAD, "FADD R0, R0, R0"], 1),  # the next iteration uses it
        ([USE, STORE], 0),
    ],
)
def test_waits(lines: list[str], waits: int) -> None:
    """A thread waits where it uses a result, once for all loads in flight."""
    assert waits_of(code_of(*lines).instructions) == waits


def test_longer_side_of_a_branch() -> None:
    """One side of a branch counts: the one that moves more bytes, or has more instructions."""
    step = step_of(
        code_of(
            ".L_x_0:",
            LOAD,
            "@P0 BRA `(.L_x_1)",
            "FADD R9, R9, R9",
            "BRA `(.L_x_2)",
            ".L_x_1:",
            "FADD R9, R9, R9",
            "FADD R9, R9, R9",
            STORE,
            ".L_x_2:",
            "@P1 BRA `(.L_x_0)",
            "EXIT",
        )
    )
    assert step == Step(16, 16, 6, 1, {"float32": 2})


def test_call_of_a_function() -> None:
    """A path that calls a function does not count, and a loop without another path has no step."""
    lines = [".L_x_0:", LOAD, "@P0 BRA `(.L_x_1)", "CALL.REL.NOINC `($slowpath)", ".L_x_1:", USE]
    end = ["@P1 BRA `(.L_x_0)", "EXIT"]
    assert step_of(code_of(*lines, *end)).instructions == 4
    always = [lines[0], lines[1], *lines[3:], *end]
    assert step_of(code_of(*always)).unknown == "it calls a function in each round"


def test_call_of_a_label() -> None:
    """On sm_80 and sm_89, calling a label outside the loop leaves it."""
    lines = [".L_x_0:", LOAD, USE, "@P0 CALL.REL.NOINC `(.L_x_1)", "BRA `(.L_x_0)", ".L_x_1:"]
    assert step_of(code_of(*lines, "EXIT")).instructions == 4


def test_passes_over_a_row() -> None:
    """Loops over one row add up; data loaded by all of them counts once, narrow loops never."""
    rows = [
        ".L_x_0:",
        "FADD R9, R9, R9",
        ".L_x_1:",
        *(LOAD, USE, "@P0 BRA `(.L_x_1)"),
        ".L_x_2:",
        *(LOAD, WEIGHT, USE, STORE, "@P0 BRA `(.L_x_2)"),
        ".L_x_3:",
        *("LDG.E.U16 R4, desc[UR4][R2.64]", "FADD R4, R4, R4", "@P0 BRA `(.L_x_3)"),
        "@P1 BRA `(.L_x_0)",
        "EXIT",
    ]
    code = code_of(*rows)
    assert step_of(code) == Step(16, 16, 8, 2, {"float32": 2})
    assert instructions_around(code) == 2


def test_loop_in_a_loop() -> None:
    """The iteration count of an inner loop is unknown, and so is the step."""
    inner = [".L_x_1:", USE, "@P0 BRA `(.L_x_1)"]
    code = code_of(".L_x_0:", LOAD, *inner, STORE, "@P1 BRA `(.L_x_0)", "EXIT")
    assert step_of(code).unknown == "the loop holds another one"
    main = main_loop(code)
    assert main is not None
    assert main.per_16_bytes == 0


def test_no_loop() -> None:
    """A kernel without a loop has no step."""
    assert step_of(code_of(LOAD, STORE, "EXIT")).unknown == "no loop moves data"
