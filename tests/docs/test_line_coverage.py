# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Counting the runtime's lines that tests run, with small sources and the recorded reasons."""

import os
import subprocess

import pytest
import tomllib
from _setup import line_coverage
from _setup.line_coverage import Lines, cpp_counts, cpp_lines, explain, measured, spans, totals
from _verify import gcov

HEADER = """\
inline int twice(int x) {
  if (x < 0) {
    return 0;
  }
  return 2 * x;
}
"""
NEVER_CALLED = '#include "twice.h"\nint other(int x) { return twice(x); }\nint main() {}\n'
CALLED = '#include "twice.h"\nint main(int n, char**) { return twice(n) - 2; }\n'
TEXT = """\
int f() {
  g();
  return 1;
}
int h() {
  return 1;
}
"""


def needs_parser():
    """The C++ grammar is installed with the site's tools."""
    pytest.importorskip("tree_sitter_cpp", reason="comes with the site's tools, on Python 3.11")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/any.cc", "src/any.cc"),
        ("src/../include/a.h", "include/a.h"),
        ("package/tvm_ffi/include/tvm/a.h", "include/tvm/a.h"),
        ("package/tvm_ffi/cpp/cache.py", "python/tvm_ffi/cpp/cache.py"),
        ("tests/cpp/test_any.cc", ""),
        ("/usr/include/stdio.h", ""),
    ],
)
def test_sources_and_installed_copies(tmp_path, path, name):
    """An installed header counts as its original; files outside measured folders do not count."""
    assert measured(tmp_path / path, tmp_path, tmp_path / "package") == name


def test_line_of_a_header_runs_if_it_does_in_one_program(tmp_path):
    """A program that never calls the header's functions does not reduce its coverage."""
    package = tmp_path / "package" / "tvm_ffi" / "include"
    for folder in (tmp_path / "include", package):
        folder.mkdir(parents=True)
        (folder / "twice.h").write_text(HEADER)
    cpp = tmp_path / "cpp"
    cpp.mkdir()
    path = gcov.path_with_script(cpp, os.environ["PATH"])
    for name, text in (("called", CALLED), ("idle", NEVER_CALLED)):
        (tmp_path / f"{name}.cc").write_text(text)
        include = package if name == "called" else tmp_path / "include"
        command = ["g++", f"-I{include}", f"{name}.cc", "-o", name]
        subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)
    assert cpp_counts(cpp, tmp_path, tmp_path / "package") == {
        "include/twice.h": dict.fromkeys((1, 2, 3, 5), 0)
    }
    for name in ("called", "idle"):
        subprocess.run([tmp_path / name], check=True)
    assert cpp_counts(cpp, tmp_path, tmp_path / "package") == {
        "include/twice.h": {1: 1, 2: 1, 3: 0, 5: 1}
    }


def test_template_that_nothing_instantiates_never_ran():
    """An uninstantiated template counts, but not a function that only the compiler ran."""
    needs_parser()
    text = "template <typename T>\nT one() {\n  return T(1);\n}\n"
    constant = "constexpr int two() {\n  return 2;\n}\nint f() {\n  return two();\n}\n"
    lines = cpp_lines(text + constant, {8: 3, 9: 3, 10: 3})
    assert (lines.total, lines.never) == (3, {3})  # a brace is not counted


@pytest.mark.parametrize(
    ("quoted", "found"),
    [
        ("g();", [{2}]),
        ("\n    g();\n  return 1;\n", [{2, 3}]),
        ("return 1;", [{3}, {6}]),
        ("int f() {\n...\nreturn 1;", [{1, 2, 3}]),
        ("int h() {\n...\n}", [{5, 6, 7}]),
        ("int h() {\n...\ng();", []),
        ("g();\n}", []),
    ],
)
def test_places_of_quoted_lines(quoted, found):
    """Lines are found by their text, regardless of indentation, and dots skip lines."""
    assert spans(TEXT, quoted) == found


@pytest.mark.parametrize(
    ("entry", "why", "wrong"),
    [
        ({"lines": "g();"}, {2}, []),
        ({}, {2, 6}, []),
        ({"lines": "gone();"}, set(), ["f.cc: 'gone();': expected these lines once, found 0"]),
        ({"lines": "return 1;"}, set(), ["f.cc: 'return 1;': expected these lines once, found 2"]),
        ({"lines": "int f() {"}, set(), ["f.cc: 'int f() {': all of these lines ran"]),
        ({"file": "gone.cc"}, set(), ["gone.cc: no such file was measured"]),
    ],
)
def test_reasons_that_match_nothing(tmp_path, entry, why, wrong):
    """A reason must quote lines that occur exactly once and include one that never ran."""
    (tmp_path / "f.cc").write_text(TEXT)
    files = {"f.cc": Lines(6, {2, 6})}
    said = explain(files, [{"file": "f.cc", "why": "it cannot", **entry}], tmp_path)
    assert [each[: len(words)] for each, words in zip(said, wrong, strict=True)] == wrong
    assert files["f.cc"].why == dict.fromkeys(why, "it cannot")


def test_figures_and_floor(capsys):
    """A folder below its floor fails the session, which prints each line without a reason."""
    files = {
        "include/a.h": Lines(1000, {3, 4, 7, 9}, {9: "it cannot"}),
        "python/tvm_ffi/_core/b.cc": Lines(100, {*range(1, 7)}),
        "src/c.cc": Lines(100, {*range(1, 6)}),
    }
    figures = totals(files)
    assert figures["include"] == {"lines": 1000, "ran": 996, "percent": 99.6, "explained": 1}
    assert figures["all"] == {"lines": 1200, "ran": 1185, "percent": 98.7, "explained": 1}
    expected = "python/tvm_ffi: expected 95 % of the lines to run, got 94.0 %"
    assert line_coverage.below_floor(figures) == [expected]
    line_coverage.show(files)
    assert "include/a.h: 99.6 %; never ran: 3-4, 7\n" in capsys.readouterr().out


def test_recorded_reasons_quote_lines():
    """Each reason quotes lines that occur once in a file of the package, or covers a whole file."""
    entries = tomllib.loads(line_coverage.REASONS.read_text())["not_covered"]
    for entry in entries:
        assert {*entry} <= {"file", "lines", "why"}
        text = (line_coverage.ROOT / entry["file"]).read_text()
        assert "lines" not in entry or len(spans(text, entry["lines"])) == 1, entry
        assert entry["why"].endswith("."), entry


def test_left_out_tests_exist():
    """Each test that is left out exists."""
    for name in line_coverage.LEFT_OUT:
        file, _, test = name.partition("::")
        assert f"def {test}" in (line_coverage.ROOT / file).read_text()
