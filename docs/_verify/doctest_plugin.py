# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that runs one page's doctests with Sybil and records which of them ran."""

from __future__ import annotations

import ast
import doctest
import json
import re
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
from sybil import Document, Region, Sybil
from sybil import Example as SybilExample
from sybil.document import PythonDocStringDocument
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.integration.pytest import SybilFile, SybilItem
from sybil.parsers.abstract.doctest import DocTestStringParser
from sybil.parsers.myst import CodeBlockParser
from sybil.parsers.myst import DocTestDirectiveParser as MystDirectiveParser
from sybil.parsers.myst import SkipParser as MystSkipParser
from sybil.parsers.rest import DocTestParser, SkipParser

from _verify.doctest_digest import example_digest
from _verify.doctest_lines import DoctestLines
from _verify.frameworks import missing_framework
from _verify.lost_names import LostNames
from _verify.reads import Reads
from _verify.statements import reasons

OPTIONS = doctest.ELLIPSIS
ERROR = re.compile(r"[\w.]+(Error|Exception|Interrupt|Exit|Warning)\b(:|$)")
CAME = ("Got:", "Exception raised:")  # doctest's headings of the actual result
FAILED = "it failed"
FAILED_BEFORE = "it depends on "


class Docstrings(PythonDocStringDocument):
    """A Python file's docstrings; the file is not imported: the package is the installed one."""

    def __init__(self, text: str, path: str) -> None:
        Document.__init__(self, text, path)


class Recorder(DocTestEvaluator):
    """Runs examples and records which of them ran."""

    def __init__(self, record: Path, crashed: Iterable[int] = ()) -> None:
        super().__init__(OPTIONS)
        self.record = record
        self.crashed = {*crashed}  # the lines of examples that crashed an earlier process
        self.ran: set[int] = set()  # the ids of the examples, which live as long as the page
        self.lost = LostNames()
        self.lines = DoctestLines()

    def __call__(self, sybil_example: SybilExample) -> str:
        """Run an example, unless it depends on one that did not pass.

        A doctest option hides its reason, or what was compared, so it is refused. So are the frames
        of a traceback, which doctest does not compare.
        """
        example = sybil_example.parsed
        if example.options:
            said = example.source.strip()
            raise ValueError(f"expected no doctest option (skip by Sybil's directive), got {said}")
        if (frames := uncompared(example)) not in ("", "..."):
            raise ValueError(f'expected "..." for the frames of a traceback, got {frames}')
        if reason := self.lost.why_not(example.source):
            self.lost.lose(example.source, reason)
            raise SkipTest(reason)
        self.record.write_text(json.dumps({"begun": sybil_example.line}))  # it may be the last
        if sybil_example.line in self.crashed:
            problem = "it ended the process"
        else:
            with self.lines.following(id(example), example.source):
                problem = super().__call__(sybil_example)
        if not problem:
            self.ran.add(id(example))
        elif "ModuleNotFoundError" not in example.want and (
            framework := missing_framework(example.source, problem)
        ):
            self.lost.lose(example.source, f"{framework} is not installed")
            raise SkipTest(f"{framework} is not installed")
        else:
            place = f"the doctest in line {sybil_example.line}"
            self.lost.lose(example.source, f"{FAILED_BEFORE}{place}, which failed")
        return problem


def uncompared(example: doctest.Example) -> str:
    """Return the text between the first line of an expected traceback and its error."""
    if example.exc_msg is None:
        return ""
    return example.want.removesuffix(example.exc_msg).partition("\n")[2].strip()


def instead(report: str) -> str:
    """Return the actual result: the error's line, or the output on one line."""
    said = [line.strip() for line in report.splitlines()]
    lines = [line for line in said if line not in ("", "<BLANKLINE>")]
    if "Got nothing" in lines:
        return "no output and no error"
    begin = max((i for i, line in enumerate(lines) if line in CAME), default=-1)
    came = lines[begin + 1 :]
    if came[:1] == ["Traceback (most recent call last):"] or lines[begin] == "Exception raised:":
        return "".join([line for line in came if ERROR.match(line)][-1:] or came[-1:])
    return " ".join(came)


class Record:
    """The results for the page, and the Sybil instances that produce them."""

    def __init__(self, device: str, libraries: Path, recorder: Recorder) -> None:
        self.doctests: dict[str, list[str]] = {}
        self.device = device
        self.recorder = recorder
        self.skipped: dict[str, str] = {}
        self.passed: list[SybilItem] = []
        self.idle: dict[str, dict[str, str]] = {}  # by digest, the lines of each that did not run
        self.failed: list[dict[str, str | int]] = []
        self.loaded: set[str] = set()
        self.libraries = libraries

        def fenced(document: Document) -> Iterator[Region]:
            """Yield the doctests of a Markdown page: those in fences or the doctest directive."""
            for language in ("python", "pycon", "doctest"):
                for block in CodeBlockParser(language, recorder)(document):
                    for found in DocTestStringParser(recorder)(block.parsed, document.path):
                        found.adjust(block, block.parsed)
                        yield found

        def directives(document: Document) -> Iterator[Region]:
            for found in MystDirectiveParser(OPTIONS)(document):
                found.evaluator = recorder
                yield found

        def plain(document: Document) -> Iterator[Region]:
            for found in DocTestParser(OPTIONS)(document):
                found.evaluator = recorder
                yield found

        def start(namespace: dict[str, Any]) -> None:
            namespace["device"] = device
            if device != "cpu":
                # Lines are traced only in Python's own threads, but PyTorch would compute the
                # gradients of GPU tensors in others.
                import torch

                torch.autograd.set_multithreading_enabled(False)

        self.sybils = {
            ".rst": Sybil([plain, SkipParser()], pattern="*.rst", setup=start),
            ".md": Sybil([fenced, directives, MystSkipParser()], pattern="*.md", setup=start),
            ".py": Sybil(
                [plain, SkipParser()],
                pattern="*.py",
                setup=start,
                document_types={".py": Docstrings},
            ),
        }

    def fail(self, item: SybilItem, digest: str, reason: str, got: str = "") -> None:
        """Record an example that did not pass, its place, and the actual result."""
        place = len(self.doctests.get(digest, [])) - 1  # among the equal examples of the page
        line: int = item.example.line
        self.failed.append(
            {"digest": digest, "place": place, "line": line, "reason": reason, "got": got}
        )

    def judge_lines(self) -> None:
        """Record the lines of each example that did not run; those without a reason fail."""
        for item in self.passed:
            example = item.example.parsed
            lines = self.recorder.lines.lines(id(example))
            why = reasons(example.source, lines.ran) if lines.idle else {}
            for line in sorted(lines.idle):
                digest = example_digest(example.source, example.want)
                if line in why:
                    self.idle.setdefault(digest, {})[str(line)] = why[line]
                else:
                    self.fail(item, digest, f"line {line} of it did not run")

    def on_device(self) -> bool:
        """Whether code run now may use the device: a GPU, once a library for it is loaded."""
        return self.device == "cpu" or any(n.endswith(f"_{self.device}.so") for n in self.loaded)

    def note_libraries(self) -> None:
        """Record which example libraries are loaded now; if the system cannot tell, all of them."""
        maps = Path("/proc/self/maps")
        names = [path.name for path in self.libraries.glob("*.so")]
        if not maps.exists():
            self.loaded.update(names)
            return
        text = maps.read_text()
        self.loaded.update(name for name in names if str(self.libraries / name) in text)


RECORD = pytest.StashKey[Record]()
READS = pytest.StashKey[Reads]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for running the page, which is named on the command line."""
    parser.addoption("--page-device", default="cpu")
    parser.addoption("--page-libraries", default=".")
    parser.addoption("--page-record", required=True)
    parser.addoption("--page-crashed", type=int, nargs="*", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Create the record before anything is collected."""
    libraries = Path(config.getoption("--page-libraries")).resolve()
    written = Path(config.getoption("--page-record"))
    recorder = Recorder(written, config.getoption("--page-crashed"))
    config.stash[RECORD] = Record(config.getoption("--page-device"), libraries, recorder)
    config.stash[READS] = Reads(config.rootpath)


class NoTests(pytest.Module):
    """A Python file as a page: its test functions, if any, are not this plugin's."""

    def collect(self) -> list[pytest.Item]:
        """Collect nothing."""
        return []


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Keep pytest from importing a file whose docstrings are the page."""
    return NoTests.from_parent(parent, path=module_path)


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir:
    """Treat a package as a plain folder: pytest would import it, from the sources."""
    return pytest.Dir.from_parent(parent, path=path)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On a GPU, run only pages whose doctests use the name ``device``."""
    if config.stash[RECORD].device != "cpu" and not any(names_device(item) for item in items):
        config.hook.pytest_deselected(items=list(items))
        items[:] = []


def names_device(item: pytest.Item) -> bool:
    """Whether a doctest uses the name ``device``."""
    example = getattr(getattr(item, "example", None), "parsed", None)
    if not isinstance(example, doctest.Example):
        return False
    try:
        nodes = ast.walk(ast.parse(example.source))
    except SyntaxError:
        return False  # an example of a syntax error
    return any(isinstance(node, ast.Name) and node.id == "device" for node in nodes)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SybilFile | None:
    """Collect the page."""
    sybil = parent.config.stash[RECORD].sybils.get(file_path.suffix)
    return SybilFile.from_parent(parent, path=file_path, sybils=[sybil]) if sybil else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Record skips with their reasons; an example that passed without being run has failed."""
    report = yield
    example = getattr(getattr(item, "example", None), "parsed", None)
    if call.when != "call" or not isinstance(item, SybilItem):
        return report
    record = item.config.stash[RECORD]
    if isinstance(example, doctest.Example):
        digest = example_digest(example.source, example.want)
        ran = id(example) in record.recorder.ran
        line = str(item.example.line) if ran and record.on_device() else ""
        record.doctests.setdefault(digest, []).append(line)
        if ran:
            record.passed.append(item)
        if report.skipped and call.excinfo:
            reason = str(call.excinfo.value)
            if reason.startswith(FAILED_BEFORE):
                record.fail(item, digest, reason)
            else:
                record.skipped[digest] = reason
                record.recorder.lost.lose(example.source, reason)
        elif report.failed:
            record.fail(item, digest, FAILED, instead(str(call.excinfo and call.excinfo.value)))
        elif not ran:
            report.outcome = "failed"
            report.longrepr = (
                f"{item.path}:{item.example.line}: skipped without a reason: "
                'write it as  skip: next "why"'
            )
            record.fail(item, digest, "it was skipped without a reason")
    record.note_libraries()
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the record."""
    record = session.config.stash[RECORD]
    record.judge_lines()
    result = {
        "doctests": record.doctests if any(map(any, record.doctests.values())) else {},
        "skipped": record.skipped,
        "idle": record.idle,
        "failed": record.failed,
        "reads": session.config.stash[READS].closure(),
        "loaded": sorted(record.loaded),
    }
    Path(session.config.getoption("--page-record")).write_text(json.dumps(result))
