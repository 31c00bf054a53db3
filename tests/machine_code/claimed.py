# SPDX-License-Identifier: Apache-2.0
"""Find sentences about generated code, in the examples and pages, that no claim verifies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import tomllib
from expectations import Claim, WrongExpectations, expectations_of, plain

HERE = Path(__file__).resolve().parent
FOLDERS = {
    "examples/kernel_library": (".cu", ".cuh", ".h"),
    "docs/guides": (".rst",),
    "docs/packaging": (".rst",),
}
# Words in sentences that a change in the generated code can make false.
ABOUT_CODE = re.compile(
    r"\bregisters\b|\bspill|\boccupancy\b|\bin flight\b"
    r"|\bunder way\b|\b(?:16|sixteen)[ -]bytes?\b|\bone instruction\b|\b(?:loads|stores) of 16\b",
    re.IGNORECASE,
)
COMMENTS = re.compile(r"(?:^[ \t]*//.*\n)+|//.*\n", re.MULTILINE)
END = re.compile(r"(?<=[.:]) (?=[A-Z`])")
NOT_PROSE = (">>>", "...", ".. ", ":", "|", "=", "~", "-")


def sentences_of_code(text: str) -> Iterator[str]:
    """The sentences in comments of C++ or CUDA code, each on one line."""
    for block in COMMENTS.findall(text):
        lines = (line.strip().lstrip("/").strip() for line in block.splitlines())
        yield from END.split(" ".join(" ".join(lines).split()))


def sentences_of_page(text: str) -> Iterator[str]:
    """The sentences of a page, each of which is on its own line; doctests are excluded."""
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("* ") or not words.startswith(NOT_PROSE):
            yield words.removeprefix("* ").strip()


def about_code(root: Path) -> Iterator[tuple[str, str]]:
    """Each sentence about generated code, with its file relative to the root."""
    for folder, suffixes in FOLDERS.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes:
                sentences = sentences_of_page if path.suffix == ".rst" else sentences_of_code
                for sentence in sentences(path.read_text()):
                    if ABOUT_CODE.search(sentence):
                        yield path.relative_to(root).as_posix(), sentence


def general_sentences(path: Path = HERE / "general.toml") -> list[tuple[str, str]]:
    """The sentences that are true whatever the compiler does, each with its file.

    WrongExpectations: a sentence has no reason.
    """
    found = tomllib.loads(path.read_text())["sentences"]
    for each in found:
        if not each.get("why"):
            raise WrongExpectations(f"{path.name}: {each['text']!r}: expected a key `why`")
    return [(each["file"], plain(each["text"])) for each in found]


def all_claims() -> list[Claim]:
    """The claims of all examples."""
    paths = sorted((HERE / "expected").glob("*.toml"))
    return [claim for path in paths for claim in expectations_of(path).claims]


def unclaimed(
    sentences: Iterable[tuple[str, str]], claims: list[Claim], general: list[tuple[str, str]]
) -> Iterator[str]:
    """Problems: each sentence that nothing covers, and each missing general sentence."""
    said = [*sentences]
    covered = [*((claim.file, plain(claim.text)) for claim in claims), *general]
    for file, sentence in said:
        if not any(file == of and (text in sentence or sentence in text) for of, text in covered):
            yield f"{file}: no claim holds: {sentence}"
    for of, text in general:
        if not any(file == of and text in sentence for file, sentence in said):
            yield f"general.toml: {of} does not say: {text}"
