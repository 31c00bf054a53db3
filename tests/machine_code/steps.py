# SPDX-License-Identifier: Apache-2.0
"""What a thread does in one step of a kernel: one round of each loop over its data."""

from __future__ import annotations

from collections import Counter

from _verify.machine_code_model import Step
from loops import LOADS, STORES, bytes_of, loop_around, main_loop, memory_loops
from sass import Code, Instruction

# The opcodes executed by each of a multiprocessor's slower units. Others only count as
# issued instructions.
OPCODES = {
    "float32": ("FADD", "FFMA", "FMUL"),
    "float16": ("HADD2", "HFMA2", "HMNMX2", "HMUL2", "HSET2", "HSETP2"),
    "float64": ("DADD", "DFMA", "DMNMX", "DMUL", "DSETP"),
    "special": ("MUFU",),
    "multiply": ("IMAD", "IMUL"),
    "integer": (
        *("FMNMX", "FSEL", "FSET", "FSETP", "IABS", "IADD", "IADD3", "IMNMX", "ISETP", "LEA"),
        *("LOP3", "PRMT", "SEL", "SGXT", "SHF", "VIADD", "VIMNMX"),
    ),
    "convert": ("F2F", "F2FP", "F2I", "FRND", "I2F", "I2FP"),
    "bits": ("BREV", "FLO", "POPC"),
    "shuffle": ("SHFL",),
}
UNITS = {opcode: unit for unit, opcodes in OPCODES.items() for opcode in opcodes}


def unit_of(instruction: Instruction) -> str:
    """The unit that executes an instruction; an empty string if it is none of the slower ones."""
    unit = UNITS.get(instruction.base, "")
    wide = {"F64", "S64", "U64"} & {*instruction.opcode.split(".")}
    return "convert64" if unit == "convert" and wide else unit


def waits_of(way: list[Instruction]) -> int:
    """How often a thread waits for loads: where a result is used, for all that are under way."""
    waits, under_way = 0, set[int]()
    for each in way:
        if under_way & {*each.registers}:
            waits, under_way = waits + 1, set()
        if each.base in LOADS:
            first = each.registers[0]
            under_way |= {first + i for i in range(each.width // 4 or 1)}
    return waits + bool(under_way)  # outstanding loads are used in the next iteration


def step_of(code: Code) -> Step:
    """One round of the main loop, and of the others that the loop around it holds.

    A loop over rows may hold several that pass over the same row. Only those count whose accesses
    are as wide as the main loop's: the others handle what is left over.
    """
    main = main_loop(code)
    if main is None:
        return Step(0, 0, 0, 0, unknown="no loop moves data")
    passes = [main]
    if around := loop_around(code, main):
        passes = [
            loop
            for loop in memory_loops(code)
            if around[0] <= loop.first and loop.last <= around[1] and loop.widest == main.widest
        ]
    for loop in passes:
        if loop.unknown:
            return Step(0, 0, 0, 0, unknown=loop.unknown)
    ways = [loop.way for loop in passes]
    units = Counter(unit_of(each) for way in ways for each in way)
    units.pop("", None)
    return Step(
        # A cache serves repeated loads, and data that all rows share.
        loaded=min(bytes_of(way, LOADS) for way in ways),
        stored=max(bytes_of(way, STORES) for way in ways),
        instructions=sum(map(len, ways)),
        waits=sum(map(waits_of, ways)),
        units=dict(units),
    )


def instructions_around(code: Code) -> int:
    """The instructions of the loop around the main one that no loop in it holds; 0 without one.

    A thread executes at most these once for each row: both sides of a branch count.
    """
    main = main_loop(code)
    if main is None or not (around := loop_around(code, main)):
        return 0
    first, last = around
    inside = [loop for loop in code.loops() if first < loop[0] and loop[1] <= last]
    return sum(
        first <= each.address <= last
        and not any(start <= each.address <= end for start, end in inside)
        for each in code.instructions
    )
