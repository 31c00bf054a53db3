# SPDX-License-Identifier: Apache-2.0
"""What the receipts prove about the current tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from .closure import RUNTIME, Closure, code_digest, of_runtime, runtime_now
from .comments import C_LIKE, DEVICE_CODE, places, positions, without_comments
from .cpp_reasons import AT_COMPILE_TIME, REFUSED
from .doctest_digest import page_digest
from .gcov import COUNTED
from .layout import Layout
from .markers import hidden_marker
from .receipts import (
    COMPILED,
    EMULATED,
    RAN_ON_CPU,
    RAN_ON_GPU,
    Receipt,
    read_folder,
    read_receipts,
)
from .regions import normalised, region, region_lines, region_names, shown_number
from .results import Failure, Skip, read_failures, read_skips
from .statements import FOR_CHECKERS, FOR_FAILURES
from .survival import as_ranges, code_lines, from_ranges

# Device code, which may lack a device, and headers and scripts (which ran when they compiled
# something) may be shown without a run of their own.
COMPILED_IS_ENOUGH = {".cu", ".cuh", ".h", ".hpp", ".sh"}

SCRIPTS = {".py", ".sh"}
TRACED = SCRIPTS | COUNTED
# str.splitlines() ends a line at each of these; Python, compilers and shells do not.
OTHER_BREAKS = re.compile(r"[\v\f\x1c-\x1e\x85\u2028\u2029]")
# gcov assigns the following lines other numbers.
RENUMBERED = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:line\b|\d).*", re.MULTILINE)
# Qualifies a GPU run after which the runtime was edited.
EARLIER = " with an earlier runtime"
# No other machine would run these lines either.
NEVER_RUN = {AT_COMPILE_TIME, FOR_CHECKERS, FOR_FAILURES, REFUSED}
GPU_REASON = re.compile(r"\b(GPU|CUDA|CPU)\b")


class Evidence:
    """The receipts that count, and the reasons why others do not."""

    def __init__(
        self,
        layout: Layout,
        receipts: Iterable[Receipt],
        failures: Iterable[Failure] = (),
        skips: Iterable[Skip] = (),
        emulated: Iterable[Receipt] = (),
    ) -> None:
        self.layout = layout
        self.receipts = list(receipts)
        self.failures = list(failures)
        self.skips = list(skips)
        self.emulated = list(emulated)
        self._digests: dict[str, str] = {}
        self._of: dict[str, list[Receipt]] = {}
        self._examples: dict[str, str] = {}
        self._texts: dict[str, tuple[str, str]] | None = None
        self._spans: dict[tuple[str, str], dict[int, int]] = {}
        self._earlier: Evidence | None = None

    @classmethod
    def load(cls, layout: Layout) -> Evidence:
        """Read the output of all runs, on this machine and others."""
        return cls(
            layout,
            read_receipts(layout.receipts, layout.committed),
            read_failures(layout.failures),
            read_skips(layout.skips),
            read_folder(layout.emulated).values(),
        )

    def changed(self, closure: Closure) -> list[str]:
        """Return the files of a closure that differ from the tree; each file is hashed once."""
        for path in closure:
            if path not in self._digests:
                if path == RUNTIME:
                    self._digests[path] = runtime_now(self.layout.root)[path]
                else:
                    self._digests[path] = code_digest(self.layout.root / path)
        return [path for path, seen in closure.items() if not seen or self._digests[path] != seen]

    @property
    def with_earlier_runtime(self) -> Evidence:
        """What GPUs proved of this tree's kernels and tests before the runtime was edited.

        It is shown with that qualification, but permits nothing to be shown.
        """
        if self._earlier is None:
            runs = (r for r in self.receipts if r.level == RAN_ON_GPU and self.edited(r))
            self._earlier = WithEarlierRuntime(self.layout, runs)
        return self._earlier

    def edited(self, receipt: Receipt) -> list[str]:
        """Return the files that differ from those behind the results of a page's doctests.

        In a receipt that this machine cannot reproduce, only the examples of the page itself count:
        the text between them does not affect the result.
        """
        page, closure = receipt.subject, receipt.closure
        if receipt.level == RAN_ON_GPU and receipt.examples:
            if page not in self._examples:
                path = self.layout.root / page
                self._examples[page] = page_digest(page, path.read_text()) if path.is_file() else ""
            if receipt.examples == self._examples[page]:
                closure = {path: seen for path, seen in closure.items() if path != page}
        return self.changed(closure)

    def of(self, path: str) -> list[Receipt]:
        """Return the receipts that prove a file and still count."""
        if path not in self._of:
            proving = (r for r in self.receipts if path in r.verifies)
            self._of[path] = [r for r in proving if not self.changed(r.closure)]
        return self._of[path]

    def failures_of(self, path: str) -> list[Failure]:
        """Return the failures of a file in the latest run."""
        return [failure for failure in self.failures if path in failure.files]

    def proofs(self, path: str, name: str = "") -> list[Receipt]:
        """Return the receipts that prove a file, or a region of it, line by line.

        A compilation proves the code that its conditionals let through. If both branches of a
        conditional are shown, no compilation sees both, so all of them together must.
        """
        receipts = [receipt for receipt in self.of(path) if self.ran_any(receipt, path, name)]
        seen = [(r, from_ranges(r.lines[path])) for r in receipts if path in r.lines]
        if not seen:
            return receipts
        text = (self.layout.root / path).read_text()
        wanted = code_lines(text)
        if name:
            first, last = region_lines(text, name)
            wanted &= set(range(first + 1, last + 1))
        wanted = positions(path, text, wanted)
        whole = [receipt for receipt, lines in seen if wanted <= lines]
        if whole or wanted - set().union(*(lines for _, lines in seen)):
            return whole
        return [receipt for receipt, lines in seen if wanted & lines]

    def span(self, path: str, name: str) -> dict[int, int]:
        """Return the significant lines of a region, or of a whole file, by position."""
        if (path, name) not in self._spans:
            text = (self.layout.root / path).read_text()
            first, last = region_lines(text, name) if name else (0, len(text.splitlines()))
            found = places(path, text).items()
            self._spans[path, name] = {place: n for n, place in found if first < n <= last}
        return self._spans[path, name]

    def ran_any(self, receipt: Receipt, path: str, name: str) -> bool:
        """Whether a run executed part of a region; a machine that traces nothing cannot tell.

        A region of C++ declarations has no executable line.
        """
        suffix = PurePosixPath(path).suffix
        if suffix not in TRACED:
            return True
        if path not in receipt.ran:
            return receipt.level == RAN_ON_GPU or (suffix in COUNTED and receipt.level == COMPILED)
        ran = {*self.span(path, name)} & from_ranges(receipt.ran[path])
        return bool(ran) or self.declares([receipt], path, name)

    def declares(self, receipts: Iterable[Receipt], path: str, name: str) -> bool:
        """Whether the traced runs found no statement in a region of C++."""
        traced = [each for each in receipts if path in each.ran]
        if PurePosixPath(path).suffix not in COUNTED or not traced:
            return False
        seen = [part for each in traced for part in (*each.ran[path], *each.idle.get(path, {}))]
        return not {*self.span(path, name)} & from_ranges(seen)

    def idle(self, path: str, name: str) -> dict[int, str]:
        """Return the lines that no run executed, numbered as on the page, each with the reason.

        The reason is empty if unknown.
        """
        text, span = (self.layout.root / path).read_text(), self.span(path, name)
        found = self.places_idle(path, name).items()
        return {shown_number(text, name, span[place]): why for place, why in sorted(found)}

    def places_idle(self, path: str, name: str) -> dict[int, str]:
        """Return the positions of lines that no run executed, each with the reason or ""."""
        if PurePosixPath(path).suffix not in TRACED:
            return {}
        receipts = self.of(path)
        waiting = {*self.span(path, name)} - self.places_ran(path)
        untraced = any(r.level == RAN_ON_GPU and path not in r.ran for r in receipts)
        found: dict[int, str] = {}
        for part, reason in (each for r in receipts for each in r.idle.get(path, {}).items()):
            if not (untraced and GPU_REASON.search(reason)):
                for place in from_ranges([part]) & waiting:
                    found[place] = found.get(place) or reason
        return found

    def places_ran(self, path: str, *levels: str) -> set[int]:
        """Return the positions of a file's lines that ran, at any level or at one of these."""
        receipts = [r for r in self.of(path) if not levels or r.level in levels]
        return {place for r in receipts for place in from_ranges(r.ran.get(path, []))}

    def why_not(self, path: str, name: str = "", *, every_line: bool = True) -> str:
        """Return why a file, or a region of it, must not be shown; empty if it may.

        A file that is only offered for download need not have run completely.
        """
        if not (self.layout.root / path).is_file():
            return "it does not exist"
        text = (self.layout.root / path).read_text()
        if found := OTHER_BREAKS.search(text):
            return f"it holds {found[0]!r}, which not every program counts as the end of a line"
        like_c = PurePosixPath(path).suffix in C_LIKE
        if like_c and (found := RENUMBERED.search(without_comments(text))):
            return f"it holds {found[0].strip()!r}, which changes the numbers of its lines"
        if name and (hidden := hidden_marker(path, text, name)):
            return hidden
        # A later pass does not excuse a failure: the next run discards the failure.
        for failure in self.failures_of(path):
            last = [line for line in failure.tail.splitlines() if line.strip()][-1:]
            return ": ".join(["failed", failure.subject, failure.reason, *last])
        levels = {receipt.level for receipt in self.proofs(path, name)}
        idle = self.idle(path, name)
        unexplained = {line for line, reason in idle.items() if not reason}
        if unexplained and every_line:
            return f"no run went through {listed(unexplained)}"
        enough = {RAN_ON_CPU, RAN_ON_GPU}
        if idle and not levels & enough:
            return ""  # the state explains why
        if PurePosixPath(path).suffix in COMPILED_IS_ENOUGH:
            enough.add(COMPILED)
        if levels & enough:
            return ""
        if not levels and self.of(path):
            if PurePosixPath(path).suffix in SCRIPTS:
                return "no run went through it"
            return "its conditionals hide it, or a part of it, from every compiler"
        for receipt in self.receipts:
            if path in receipt.verifies and (edited := self.changed(receipt.closure)):
                return f"edited since its run ({', '.join(edited)} changed)"
        return "it was compiled but nothing ran it" if levels else "nothing ran it"

    def not_run_here(self, path: str) -> str:
        """Return why this machine skipped every run of a file; empty if none was skipped."""
        if self.failures_of(path):
            return ""
        return ", ".join(sorted({skip.reason for skip in self.skips if path in skip.files}))

    def skipped_whole(self, path: str, name: str = "") -> str:
        """Return why no line of a region or file ran here, if more than a GPU is missing."""
        if self.proofs(path, name):
            return ""
        reasons = {*self.idle(path, name).values()} - NEVER_RUN
        return ", ".join(sorted(each for each in reasons if not GPU_REASON.search(each)))

    def state(self, path: str, name: str = "") -> str:
        """Return how a file or region was verified, in one line for the reader."""
        receipts = self.proofs(path, name)
        compiled = []
        for receipt in receipts:
            if receipt.level == COMPILED:
                text = ", ".join(f"{name} {short(v)}" for name, v in receipt.tools.items())
                if receipt.targets:
                    text += f" for {', '.join(receipt.targets)}"
                compiled.append(text)
        parts = [f"compiled by {', '.join(dict.fromkeys(compiled))}"] if compiled else []
        if self.declares(receipts, path, name):
            parts = parts or [COMPILED]
        else:
            parts += [RAN_ON_CPU] if any(each.level == RAN_ON_CPU for each in receipts) else []
            parts += gpu_runs(receipts, self.with_earlier_runtime.proofs(path, name))
        idle = self.idle(path, name)
        ran, missed = self.places_emulated(path, name)
        if ran and (idle or PurePosixPath(path).suffix in DEVICE_CODE):
            text, span = (self.layout.root / path).read_text(), self.span(path, name)
            lines = {shown_number(text, name, span[place]) for place in missed}
            parts.append(EMULATED + (f" but for {listed(lines)}" if lines else ""))
        return " · ".join([*parts, *did_not_run(idle)])

    def places_emulated(self, path: str, name: str) -> tuple[set[int], set[int]]:
        """Return the positions of lines that ran under emulation, and of those that did not.

        This proves nothing about a GPU, and its receipts permit no line to be shown.
        """
        span = {*self.span(path, name)}
        ran: set[int] = set()
        idle: set[int] = set()
        for receipt in self.emulated:
            if path in receipt.ran and not self.changed(receipt.closure):
                ran |= from_ranges(receipt.ran[path]) & span
                idle |= from_ranges(receipt.idle[path]) & span
        return ran, idle - ran

    def doctest_runs(self, file: str, key: str, place: int | None) -> list[Receipt]:
        """Return the receipts in which a doctest of a file passed, found by digest and place.

        The place counts equal examples in file order. If it is unknown, as for a docstring, which
        pages may show in any order, all of them must have passed.
        """
        found = []
        for receipt in self.receipts:
            lines = receipt.doctests.get(key, [])
            if receipt.subject == file and not self.edited(receipt):
                ran = all(lines) if place is None else bool(lines[place : place + 1] > [""])
                found += [receipt] if lines and ran else []
        return found

    def doctest_idle(self, runs: Iterable[Receipt], key: str) -> dict[int, str]:
        """Return the lines of a doctest example that none of its runs executed, with reasons."""
        each = [run.idle.get(key, {}) for run in runs]
        return {int(n): why for n, why in each[0].items() if all(n in other for other in each)}

    def skipped_doctests(self, file: str) -> dict[str, str]:
        """Return the doctest examples of a file that were left out, by digest, with the reasons."""
        found: dict[str, str] = {}
        for receipt in self.receipts:
            if receipt.subject == file and not self.edited(receipt):
                found.update(receipt.skipped)
        return found

    def verified_texts(self) -> dict[str, tuple[str, str]]:
        """Return every whole file and region that may be shown, normalised, with its names."""
        if self._texts is None:
            self._texts = {}
            for path in sorted({path for r in self.receipts for path in r.verifies}):
                if not self.of(path):
                    continue
                text = (self.layout.root / path).read_text()
                for name, part in {"": text, **regions_of(text)}.items():
                    if not self.why_not(path, name):
                        self._texts.setdefault(normalised(part), (path, name))
        return self._texts


class WithEarlierRuntime(Evidence):
    """Evidence that counts regardless of the runtime; everything else must be unchanged."""

    def changed(self, closure: Closure) -> list[str]:
        """Return the files of a closure that differ from the tree, except those of the runtime."""
        others = {path: seen for path, seen in closure.items() if not of_runtime(path)}
        return super().changed(others)


def listed(lines: Iterable[int]) -> str:
    """Format line numbers as text."""
    pairs = [each.split("-") for each in as_ranges(lines)]
    words = [first if first == last else f"{first}-{last}" for first, last in pairs]
    plural = "" if words[1:] == [] and words[0].isdigit() else "s"
    return f"line{plural} {', '.join(words)}"


def did_not_run(idle: Mapping[int, str]) -> list[str]:
    """Report lines, numbered as on the page, that did not run; one text for each reason."""
    return [
        f"did not run: {listed(line for line, why in idle.items() if why == reason)} ({reason})"
        for reason in dict.fromkeys(idle.values())
    ]


def short(version: str) -> str:
    """Return a version's first two components."""
    return ".".join(version.split(".")[:2])


def gpu_runs(receipts: Iterable[Receipt], earlier: Iterable[Receipt]) -> list[str]:
    """Return the GPUs in receipts, or only in earlier ones, each with the date of its run."""
    now = {r.machine["gpu"]: r.date for r in receipts if r.level == RAN_ON_GPU}
    before = {r.machine["gpu"]: r.date for r in earlier if r.machine["gpu"] not in now}
    found = [f"{RAN_ON_GPU}: {gpu}, {date}" for gpu, date in sorted(now.items())]
    return found + [f"{RAN_ON_GPU}{EARLIER}: {gpu}, {date}" for gpu, date in sorted(before.items())]


def regions_of(text: str) -> dict[str, str]:
    """Return the texts of a file's well-formed regions, by name."""
    found = {}
    for name in region_names(text):
        try:
            found[name] = region(text, name)
        except ValueError:
            continue  # a page that shows this region reports the error itself
    return found
