# SPDX-License-Identifier: Apache-2.0
"""Read the text of nvdisasm and the report of ptxas: what the compiler made of each kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

FUNCTION = re.compile(r"^//-+ \.text\.(\S+) +-+$")
ATTRIBUTES = re.compile(r"^//-+ \.nv\.info\.(\S+) +-+$")
OTHER_SECTION = re.compile(r"^//-+ \.\S+ +-+$")
LABEL = re.compile(r"^(\.L_\w+):$")
INSTRUCTION = re.compile(
    r"^\s+/\*(?P<address>[0-9a-f]{4,})\*/\s+"
    r"(?:@(?P<guard>!?U?P\w+)\s+)?(?P<opcode>[A-Z][\w.]*)\s*(?P<operands>[^;]*?)\s*;"
)
TARGET = re.compile(r"`\((\.L_\w+)\)")
REGISTER = re.compile(r"\bR(\d+)\b")
MAX_THREADS = re.compile(r"EIATTR_MAX_THREADS" + r".*?\.word\s+(0x[0-9a-f]+)" * 3, re.DOTALL)
RESOURCES = re.compile(
    r"Function properties for (?P<name>\S+)\s+"
    r"(?P<stack>\d+) bytes stack frame, (?P<stored>\d+) bytes spill stores, "
    r"(?P<loaded>\d+) bytes spill loads\s+"
    r"ptxas info\s*: Used (?P<registers>\d+) registers(?P<more>.*)"
)
SHARED = re.compile(r"(\d+) bytes smem")
RESERVED = 1024  # bytes of shared memory that the system reserves per block
USAGE = re.compile(r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)")


@dataclass(frozen=True)
class Instruction:
    """One machine instruction."""

    address: int
    opcode: str
    operands: str
    guard: str = ""  # its predicate, such as "!P0"

    @property
    def base(self) -> str:
        """The opcode without its modifiers: LDG of LDG.E.128."""
        return self.opcode.partition(".")[0]

    @property
    def registers(self) -> list[int]:
        """The general registers that it names, the first of each vector only."""
        return [int(number) for number in REGISTER.findall(self.operands)]

    @property
    def target(self) -> str:
        """The label that it may go to, or an empty string."""
        found = TARGET.search(self.operands)
        return found[1] if found else ""

    @property
    def width(self) -> int:
        """The bytes that each thread loads or stores."""
        modifiers = self.opcode.split(".")[1:]
        for name, size in (("256", 32), ("128", 16), ("64", 8)):
            if name in modifiers:
                return size
        if {"U8", "S8"} & {*modifiers}:
            return 1
        return 2 if {"U16", "S16"} & {*modifiers} else 4


@dataclass
class Code:
    """The instructions of one function, in the order of their addresses."""

    name: str
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)  # mapped to the next instruction's address
    max_threads: int = 0  # per block, by __launch_bounds__; 0 if not given

    def loops(self) -> Iterator[tuple[int, int]]:
        """The first and the last address of each loop: what a backward branch repeats."""
        ends: dict[int, int] = {}
        for instruction in self.instructions:
            start = self.labels.get(instruction.target, instruction.address)
            # A function ends with an unreachable branch to itself.
            if instruction.base in ("BRA", "BRX") and start < instruction.address:
                ends[start] = max(ends.get(start, 0), instruction.address)
        yield from sorted(ends.items())


def functions_of(text: str) -> dict[str, Code]:
    """The functions in what nvdisasm prints of a CUBIN, by their mangled names."""
    found: dict[str, Code] = {}
    attributes: dict[str, list[str]] = {}
    code: Code | None = None
    lines: list[str] | None = None
    waiting: list[str] = []
    for line in text.splitlines():
        if heading := FUNCTION.match(line):
            code, lines = found.setdefault(heading[1], Code(heading[1])), None
        elif heading := ATTRIBUTES.match(line):
            code, lines = None, attributes.setdefault(heading[1], [])
        elif OTHER_SECTION.match(line):
            code, lines = None, None
        elif lines is not None:
            lines.append(line)
        elif code and (label := LABEL.match(line)):
            waiting.append(label[1])
        elif code and (parts := INSTRUCTION.match(line)):
            address = int(parts["address"], 16)
            code.labels |= dict.fromkeys(waiting, address)
            waiting = []
            code.instructions.append(
                Instruction(address, parts["opcode"], parts["operands"], parts["guard"] or "")
            )
    for name, code in found.items():
        if threads := MAX_THREADS.search("\n".join(attributes.get(name, []))):
            x, y, z = (int(number, 16) for number in threads.groups())
            code.max_threads = x * y * z
    return found


@dataclass(frozen=True)
class Resources:
    """What ptxas says that a kernel takes."""

    registers: int  # per thread
    spilled: int  # bytes per thread spilled to local memory
    shared: int  # bytes of static shared memory per block


def resources_of(report: str) -> dict[str, Resources]:
    """The resources of each function in the report of ``ptxas -v``."""
    found = {}
    for part in RESOURCES.finditer(report):
        shared = SHARED.search(part["more"])
        found[part["name"]] = Resources(
            int(part["registers"]),
            max(int(part["stored"]), int(part["loaded"])),
            int(shared[1]) if shared else 0,
        )
    return found


def usage_of(report: str, architecture: str) -> dict[str, Resources] | None:
    """The resources of each function in the report of ``cuobjdump -res-usage``.

    None if one has a stack: only ptxas says how much of it is spilled. From sm_90 on, the shared
    memory that a kernel has includes what the system reserves.
    """
    found = {}
    reserved = RESERVED if int(architecture.removeprefix("sm_")) >= 90 else 0
    for name, registers, stack, shared in USAGE.findall(report):
        own = int(shared) - reserved if int(shared) else 0
        if int(stack) or own < 0:
            return None
        found[name] = Resources(int(registers), 0, own)
    return found
