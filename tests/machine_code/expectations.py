# SPDX-License-Identifier: Apache-2.0
"""Requirements on each kernel's machine code: expected/NAME.toml, plus those for all kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import tomllib
from facts import ARCHITECTURES, Facts

AT_LEAST = ("load", "store", "in_flight", "occupancy", "share", "tensor", "copies")
AT_MOST = (
    *(
        "registers",
        "spilled",
        "shared",
        "narrow_loads",
        "narrow_stores",
        "barriers",
        "local",
        "divisions",
        "narrow_copies",
    ),
    *("instructions", "per_16_bytes", "step_instructions", "waits"),
)
# Default bounds. A weaker bound needs a reason.
EVERYWHERE: dict[str, float] = {"spilled": 0, "local": 0, "occupancy": 0.5}
# The estimated share of a copy's speed required if a kernel's rule asks for whole vectors.
OF_VECTORS: dict[str, float] = {"share": 0.95}
OTHER_KEYS = {"named", "threads", "why", "not_memory", *ARCHITECTURES}
CLAIM_KEYS = {"file", "text", "named", "architectures"}
# The key of a table of architectures for one compiler release, such as "nvcc 13.5".
OF_COMPILER = re.compile(r"nvcc \d+\.\d+")
COMMENT = re.compile(r"^\s*(?://|#)", re.MULTILINE)


class WrongExpectations(ValueError):
    """An invalid file of expectations."""


def broken(facts: Facts, bounds: dict[str, float]) -> Iterator[str]:
    """Each bound that the facts break: the fact, the expected and the actual value."""
    of_step = {"step_instructions": facts.step.instructions, "waits": facts.step.waits}
    values = {**asdict(facts), **of_step, "share": round(facts.share, 2)}
    for fact, bound in bounds.items():
        value = values[fact]
        if fact in AT_LEAST and value < bound:
            yield f"{fact}: expected at least {bound:g}, got {value:g}"
        if fact in AT_MOST and value > bound:
            yield f"{fact}: expected at most {bound:g}, got {value:g}"


@dataclass
class Rule:
    """The bounds for kernels whose names match."""

    named: str
    threads: int  # per block, if the code has no launch bounds
    bounds: dict[str, float]
    of_architecture: dict[str, dict[str, float]]
    not_memory: str = ""  # what else limits its speed, which is then not estimated
    used: bool = False

    def bounds_on(self, architecture: str) -> dict[str, float]:
        """The bounds for one architecture, including the defaults."""
        own = {**self.bounds, **self.of_architecture.get(architecture, {})}
        whole = {f"narrow_{what}s": 0 for what in ("load", "store") if own.get(what, 0) >= 16}
        return {
            **EVERYWHERE,
            **(OF_VECTORS if whole and not self.not_memory else {}),
            **whole,
            **own,
        }


@dataclass(frozen=True)
class Claim:
    """A sentence in a page or a comment, and the facts that must hold for it to be true."""

    file: str
    text: str
    named: str
    architectures: list[str]
    bounds: dict[str, float]


@dataclass(frozen=True)
class Plant:
    """A slower version of a kernel, and the fact that must then break a rule or a claim."""

    name: str
    file: str  # relative to the folder that contains the example's folder
    old: str
    new: str
    breaks: str

    def apply(self, home: Path) -> None:
        """Change a copy; WrongExpectations if the text to replace does not occur exactly once."""
        path = home / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            count = text.count(self.old)
            raise WrongExpectations(f"plant {self.name}: expected one {self.old!r}, got {count}")
        path.write_text(text.replace(self.old, self.new))


def only_bounds(table: dict[str, Any], where: str) -> dict[str, float]:
    """Return a table whose keys must all be names of facts."""
    for key in table:
        if key not in (*AT_LEAST, *AT_MOST):
            raise WrongExpectations(f"{where}: expected the name of a fact, got {key}")
    return table


def weaker(bounds: dict[str, float]) -> list[str]:
    """The bounds that are weaker than the defaults."""
    usual = {**EVERYWHERE, **OF_VECTORS}
    return [
        fact
        for fact, bound in bounds.items()
        if fact in usual and (bound < usual[fact] if fact in AT_LEAST else bound > usual[fact])
    ]


def rule_of(table: dict[str, Any], where: str, compiler: str) -> Rule:
    """Read one table of ``kernels``; bounds for the compiler's release take precedence."""
    where = f"{where}: {table.get('named')}"
    own = {
        key: value
        for key, value in table.items()
        if key not in OTHER_KEYS and not OF_COMPILER.fullmatch(key)
    }
    on = {key: only_bounds(table[key], where) for key in table if key in ARCHITECTURES}
    for architecture, bounds in table.get(compiler, {}).items():
        if architecture not in ARCHITECTURES:
            raise WrongExpectations(f"{where}: expected an architecture, got {architecture}")
        on[architecture] = {**on.get(architecture, {}), **only_bounds(bounds, where)}
    named, threads = table["named"], table.get("threads", 0)
    rule = Rule(named, threads, only_bounds(own, where), on, table.get("not_memory", ""))
    loose = [fact for bounds in (own, *on.values()) for fact in weaker(bounds)]
    if loose and "why" not in table:
        raise WrongExpectations(f"{where}: expected a key `why` for {', '.join(loose)}")
    return rule


def claim_of(table: dict[str, Any], where: str) -> Claim:
    """Read one table of ``claims``."""
    bounds = {key: value for key, value in table.items() if key not in CLAIM_KEYS}
    if not bounds:
        raise WrongExpectations(f"{where}: expected facts for {table['text']!r}, got none")
    architectures = table.get("architectures", [*ARCHITECTURES])
    return Claim(
        table["file"], table["text"], table["named"], architectures, only_bounds(bounds, where)
    )


@dataclass
class Expectations:
    """The expectations for one example."""

    where: str
    rules: list[Rule]
    claims: list[Claim]
    plants: list[Plant]

    def rule_for(self, kernel: str) -> Rule:
        """The first rule that matches a kernel."""
        for rule in self.rules:
            if fnmatchcase(kernel, rule.named):
                rule.used = True
                return rule
        raise WrongExpectations(f"{self.where}: no rule names {kernel}")


def expectations_of(path: Path, compiler: str = "") -> Expectations:
    """Read the file of one example, for a compiler such as "nvcc 13.5"."""
    # An example with only host code has no file.
    found = tomllib.loads(path.read_text()) if path.exists() else {}
    rules = [rule_of(table, path.name, compiler) for table in found.get("kernels", [])]
    claims = [claim_of(table, path.name) for table in found.get("claims", [])]
    plants = [Plant(**table) for table in found.get("plants", [])]
    return Expectations(path.name, rules, claims, plants)


def plain(text: str) -> str:
    """A text on one line, without comment markers."""
    return " ".join(COMMENT.sub("", text).split())


def false_claims(
    root: Path, claims: list[Claim], found: list[tuple[str, str, Facts]]
) -> Iterator[str]:
    """Each claim that is not in its file, matches no kernel, or does not hold."""
    for claim in claims:
        said = f"{claim.file}: {claim.text!r}"
        if plain(claim.text) not in plain((root / claim.file).read_text()):
            yield f"{said}: the file does not say so"
        about = [
            (kernel, architecture, facts)
            for kernel, architecture, facts in found
            if architecture in claim.architectures and fnmatchcase(kernel, claim.named)
        ]
        if not about:
            yield f"{said}: no kernel is named {claim.named}"
        for kernel, architecture, facts in about:
            for problem in broken(facts, claim.bounds):
                yield f"{said}: {kernel} for {architecture}: {problem}"
