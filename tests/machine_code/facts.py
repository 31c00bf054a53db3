# SPDX-License-Identifier: Apache-2.0
"""Facts about a kernel's machine code that decide its speed, and what an architecture allows."""

from __future__ import annotations

from dataclasses import dataclass

from _verify.machine_code_model import Step, share
from loops import LOADS, STORES, main_loop
from sass import RESERVED, Code, Instruction, Resources
from steps import instructions_around, step_of

LOCAL = ("LDL", "STL")
TENSOR = ("HMMA", "HGMMA", "QGMMA")  # tensor core multiplications; wgmma's have a G
REGISTERS = 65536  # per multiprocessor
WARP = 32


@dataclass(frozen=True)
class Architecture:
    """What a multiprocessor holds at most, by compute capability.

    From the table of technical specifications in the CUDA C++ Programming Guide.
    """

    warps: int
    blocks: int
    shared: int  # bytes


ARCHITECTURES = {
    "sm_80": Architecture(64, 32, 164 * 1024),
    "sm_89": Architecture(48, 24, 100 * 1024),
    "sm_90": Architecture(64, 32, 228 * 1024),
    "sm_100": Architecture(64, 32, 228 * 1024),
    "sm_120": Architecture(48, 24, 100 * 1024),
}


def round_up(number: int, unit: int) -> int:
    """The next multiple of a unit."""
    return -(-number // unit) * unit


def occupancy(architecture: Architecture, threads: int, resources: Resources) -> float:
    """The share of a multiprocessor's warps that blocks of so many threads can fill.

    Registers are allocated for each warp in units of 256, shared memory for each block in units of
    128 bytes; both as the occupancy calculator of the CUDA toolkit counts them.
    """
    warps = -(-threads // WARP)
    of_warp = round_up(max(resources.registers, 1) * WARP, 256)
    # Each of the four partitions has a quarter of the registers and holds whole warps.
    by_registers = 4 * (REGISTERS // 4 // of_warp) // warps
    by_shared = architecture.shared // (round_up(resources.shared, 128) + RESERVED)
    blocks = min(by_registers, by_shared, architecture.blocks, architecture.warps // warps)
    return blocks * warps / architecture.warps


def in_flight(code: Code) -> int:
    """The most loads from global memory that are issued before one of their results is used.

    Of the widest ones only, which move the most bytes. The code is read in the order of its
    addresses. What a loop repeats counts once, and what comes after a jump that is always taken
    does not count together with what comes before.
    """
    widest = max((each.width for each in code.instructions if each.base in LOADS), default=0)
    starts = {start for start, _ in code.loops()}
    ends = {end for _, end in code.loops()}
    most, waited = 0, set[int]()
    loads = 0
    for instruction in code.instructions:
        if instruction.address in starts:
            loads, waited = 0, set()
        if waited & {*instruction.registers}:
            loads, waited = 0, set()
        if instruction.base in LOADS and instruction.width == widest:
            loads += 1
            most = max(most, loads)
            first = instruction.registers[:1]
            waited |= {number + i for number in first for i in range(instruction.width // 4 or 1)}
        leaves = instruction.base in ("BRA", "EXIT", "RET") and not instruction.guard
        if instruction.address in ends or leaves:
            loads, waited = 0, set()
    return most


@dataclass(frozen=True)
class Facts:
    """What the machine code of one kernel, for one architecture, says of it."""

    architecture: str
    registers: int
    spilled: int  # bytes
    shared: int  # bytes of static shared memory per block
    threads: int  # per block, at most
    occupancy: float
    load: int  # bytes of the widest load from global memory; 0 if there is none
    store: int
    narrow_loads: int  # loads narrower than the widest
    narrow_stores: int
    in_flight: int
    barriers: int
    local: int  # instructions that use local memory
    divisions: int  # integer divisions by non-constants
    tensor: int  # tensor core instructions
    copies: int  # asynchronous, to shared memory: of 16 bytes by a thread, or of a tile by TMA
    narrow_copies: int  # the same of fewer bytes
    instructions: int
    # For the loop that moves the most bytes, or the longest such loop; 0 if its length is unknown.
    per_16_bytes: float
    around: int  # instructions executed at most once per row; 0 if there is no loop over rows
    resident: int  # threads per multiprocessor
    step: Step

    @property
    def share(self) -> float:
        """The share of a copy's speed that the GPUs of the architecture can reach."""
        return share(self.architecture, self.step, self.resident)


def facts_of(code: Code, resources: Resources, architecture: str, threads: int) -> Facts:
    """Read the facts of a kernel that is launched with blocks of at most so many threads."""
    holds = ARCHITECTURES[architecture]
    filled = occupancy(holds, threads, resources)
    main = main_loop(code)

    def these(*opcodes: str) -> list[Instruction]:
        return [each for each in code.instructions if each.base in opcodes]

    loads = [each.width for each in these(*LOADS)]
    stores = [each.width for each in these(*STORES)]
    # The compiler divides through a floating-point reciprocal, rounded up.
    divisions = [each for each in these("I2F", "UI2F") if "RP" in each.opcode.split(".")]
    copies = [each.width for each in these("LDGSTS")]
    return Facts(
        architecture=architecture,
        registers=resources.registers,
        spilled=resources.spilled,
        shared=resources.shared,
        threads=threads,
        occupancy=filled,
        load=max(loads, default=0),
        store=max(stores, default=0),
        narrow_loads=sum(width < max(loads) for width in loads),
        narrow_stores=sum(width < max(stores) for width in stores),
        in_flight=in_flight(code),
        barriers=len(these("BAR")),
        local=len(these(*LOCAL)),
        divisions=len(divisions),
        tensor=len(these(*TENSOR)),
        copies=sum(width >= 16 for width in copies) + len(these("UTMALDG")),
        narrow_copies=sum(width < 16 for width in copies),
        instructions=len(code.instructions),
        per_16_bytes=round(main.per_16_bytes, 1) if main else 0.0,
        around=instructions_around(code),
        resident=round(filled * holds.warps * WARP),
        step=step_of(code),
    )
