# SPDX-License-Identifier: Apache-2.0
"""The loops of a kernel that move data of global memory, and one way through each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sass import Code, Instruction

LOADS = ("LDG",)
STORES = ("STG",)
ENDS = ("BRA", "EXIT", "RET")  # nothing follows them unless they have a guard


def bytes_of(instructions: Iterable[Instruction], opcodes: tuple[str, ...]) -> int:
    """The bytes that a thread moves by instructions of some opcodes."""
    return sum(each.width for each in instructions if each.base in opcodes)


@dataclass(frozen=True)
class Loop:
    """A loop that reads or writes global memory and holds no other such loop."""

    first: int  # the addresses of its first and last instruction
    last: int
    way: list[Instruction]  # one iteration: see way_through
    unknown: str  # why there is no way through it
    loaded: int  # bytes per thread, over all ways together
    stored: int
    widest: int  # bytes moved by its widest instruction

    @property
    def per_16_bytes(self) -> float:
        """Instructions for each 16 bytes that go to or come from global memory; 0: not known."""
        moved = bytes_of(self.way, (*LOADS, *STORES))
        return len(self.way) * 16 / moved if moved else 0.0


def way_through(body: list[Instruction], labels: dict[str, int]) -> list[Instruction]:
    """One round of a loop that holds no other: the way through it that moves the most bytes.

    Of several such ways, the longest. What calls a function is no way: nvcc calls functions for
    what is rare, such as a division whose result is subnormal. So there may be none.
    """
    first, last = body[0].address, body[-1].address
    following = dict(zip([each.address for each in body], [*body[1:], None], strict=True))
    # The bytes and instruction count of the best way to an address, and its last instruction.
    best: dict[int, tuple[int, int]] = {first: (0, 0)}
    before: dict[int, Instruction] = {}
    ends: dict[tuple[int, int], Instruction] = {}
    for each in body:
        if each.address not in best:
            continue
        moved, count = best[each.address]
        so_far = (moved + bytes_of([each], (*LOADS, *STORES)), count + 1)
        after = following[each.address]
        reached = [after.address] if after and (each.guard or each.base not in ENDS) else []
        if each.base in ("BRA", "CALL"):
            # sm_80 and sm_89 also leave a loop by calling a label, which does not return.
            if each.base == "CALL" and not each.target:
                continue
            reached.append(labels[each.target])
        for address in reached:
            if address == first:
                ends[so_far] = each
            elif each.address < address <= last and so_far > best.get(address, (-1, -1)):
                best[address], before[address] = so_far, each
    if not ends:
        return []
    way = [ends[max(ends)]]
    while way[-1].address != first:
        way.append(before[way[-1].address])
    return way[::-1]


def memory_loops(code: Code) -> list[Loop]:
    """The innermost loops that move data of global memory, in the order of their addresses."""
    found: list[Loop] = []
    loops = [*code.loops()]
    for first, last in loops:
        body = [each for each in code.instructions if first <= each.address <= last]
        moving = [each for each in body if each.base in (*LOADS, *STORES)]
        if not moving:
            continue
        inside = any(first < start and end <= last for start, end in loops)
        way = [] if inside else way_through(body, code.labels)
        unknown = "" if way else "it calls a function in each round"
        found.append(
            Loop(
                *(first, last, way, "the loop holds another one" if inside else unknown),
                *(bytes_of(body, LOADS), bytes_of(body, STORES)),
                max(each.width for each in moving),
            )
        )
    return [
        loop
        for loop in found
        if not any(
            loop.first <= other.first and other.last <= loop.last and other is not loop
            for other in found
        )
    ]


def main_loop(code: Code) -> Loop | None:
    """The loop that moves the most bytes, and the longest of these."""
    return max(
        memory_loops(code),
        key=lambda loop: (loop.loaded + loop.stored, loop.last - loop.first),
        default=None,
    )


def loop_around(code: Code, loop: Loop) -> tuple[int, int] | None:
    """The addresses of the innermost loop that holds another, such as the one over rows."""
    holding = [
        (first, last) for first, last in code.loops() if first < loop.first and loop.last <= last
    ]
    return max(holding, default=None)
