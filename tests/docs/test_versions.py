# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8, R9
"""The page of versions shows the committed record completely, and which tree it describes."""

import copy
from pathlib import Path
from typing import Any

import pytest
from _verify import closure, versions_record
from _verify.versions_record import (
    KINDS,
    OK,
    PARTS,
    RECORD,
    failures_of,
    features_of,
    first_for_all,
    first_good,
    first_with_all_symbols,
    gaps,
    made_now,
    matrix_of,
    missing_symbols,
    never_run,
    record_of,
    rows_of,
    summary_of,
    why_stale,
)

ROOT = Path(__file__).resolve().parents[2]
NO_ERROR = "undefined symbol: TVMFFIMakeError"
TOY: dict[str, Any] = {
    "date": "2026-01-02",
    "machine": "one core",
    "versions": {"Python": "3.11", "commit": "0123456789abcdef", "modified": "no"},
    "releases": ["0.1.0", "0.1.1", "0.1.2"],
    "tried": {
        "ours": ["0.1.0", "0.1.1", "0.1.2"],
        "published": ["0.1.0", "0.1.1", "0.1.2"],
        "reverse": ["0.1.0", "0.1.2"],
    },
    "pinned": "0.1.2",
    "examples": ["errors", "scale", "store"],
    "imports": {
        "ours": {"TVMFFIMakeError": ["errors", "scale"], "TVMFFIOld": ["scale"]},
        "published": {"TVMFFIOld": ["scale"]},
    },
    "missing": {"0.1.0": ["TVMFFIMakeError"], "0.1.1": [], "0.1.2": []},
    "under": {
        "ours": {
            "0.1.0": {"errors": NO_ERROR, "scale": OK, "store": "no store"},
            "0.1.1": {"errors": OK, "scale": OK, "store": "no store"},
            "0.1.2": {"errors": OK, "scale": OK, "store": "no store"},
            "ours": {"errors": OK, "scale": OK, "store": OK},
        },
        "published": {
            release: {"errors": OK, "scale": OK, "store": "not built: no storage.h"}
            for release in ("0.1.0", "0.1.1", "0.1.2", "ours")
        },
    },
    "under ours": {
        "0.1.0": {"errors": OK, "scale": OK, "store": "not built: no storage.h"},
        "0.1.2": {"errors": OK, "scale": OK, "store": "not built: no storage.h"},
    },
    "features": {
        "python tvm_ffi.scale": {"0.1.0": OK, "0.1.1": OK, "0.1.2": OK},
        "macro TVM_FFI_NEW": {"0.1.0": OK, "0.1.1": "undefined", "0.1.2": OK},
        "header tvm/ffi/none.h": {"0.1.0": "none", "0.1.1": "none", "0.1.2": "none"},
    },
}


@pytest.fixture
def toy() -> dict[str, Any]:
    """A small record, for tests to modify."""
    return copy.deepcopy(TOY)


def test_summary(toy: dict[str, Any]) -> None:
    """The newest release is first; untried ones are marked."""
    assert summary_of(toy)[1] == [
        ["0.1.2", "2 of 3", "2 of 3", "2 of 3"],
        ["0.1.1", "2 of 3", "2 of 3", "not tried"],
        ["0.1.0", "1 of 3", "2 of 3", "2 of 3"],
    ]


def test_matrix(toy: dict[str, Any]) -> None:
    """There is a row for each release and for this runtime; errors are numbered."""
    headings, rows = matrix_of(toy, "ours")
    numbers = {error: number for number, error in enumerate(failures_of(toy), start=1)}
    assert headings == ["Release", "errors", "scale", "store"]
    lacks = f"no ({numbers['no store']})"
    assert rows == [
        ["this runtime", "yes", "yes", "yes"],
        ["0.1.2", "yes", "yes", lacks],
        ["0.1.1", "yes", "yes", lacks],
        ["0.1.0", f"no ({numbers[NO_ERROR]})", "yes", lacks],
    ]
    assert numbers["no store"] != numbers[NO_ERROR]
    assert [row[0] for row in matrix_of(toy, "reverse")[1]] == ["0.1.2", "0.1.0"]


def test_failures(toy: dict[str, Any]) -> None:
    """Each error is listed once, with every occurrence."""
    assert failures_of(toy)[NO_ERROR] == [("ours", "errors", ["0.1.0"])]
    places = failures_of(toy)["not built: no storage.h"]
    assert [(part, name) for part, name, _ in places] == [
        ("published", "store"),
        ("reverse", "store"),
    ]


def test_first_for_all(toy: dict[str, Any]) -> None:
    """Examples that no release runs do not affect the first release for the rest."""
    assert never_run(toy, "ours") == {"store"}
    assert first_for_all(toy, "ours", frozenset({"store"})) == "0.1.1"
    assert first_for_all(toy, "ours", frozenset()) == ""


@pytest.mark.parametrize(
    ("good", "first"),
    [
        (("0.1.0", "0.1.1", "0.1.2"), "0.1.0"),
        (("0.1.1", "0.1.2"), "0.1.1"),
        (("0.1.0", "0.1.2"), "0.1.2"),
        (("0.1.0", "0.1.1"), ""),
    ],
)
def test_first_good(toy: dict[str, Any], good: tuple[str, ...], first: str) -> None:
    """A release counts as the first only if no later one fails."""
    results = {release: OK if release in good else "no" for release in toy["releases"]}
    assert first_good(toy["releases"], results) == first


def test_features(toy: dict[str, Any]) -> None:
    """A feature that disappeared and returned is available from its return."""
    assert features_of(toy)[1] == [
        ["tvm_ffi.scale", "Python", "0.1.0, the oldest tried"],
        ["TVM_FFI_NEW", "C++ macro", "0.1.2"],
        ["tvm/ffi/none.h", "C++ header", "no release"],
    ]


def test_missing_symbols(toy: dict[str, Any]) -> None:
    """A function that every release has is not listed."""
    assert first_with_all_symbols(toy, "ours") == "0.1.1"
    assert first_with_all_symbols(toy, "published") == "0.1.0"
    assert missing_symbols(toy, "published") == {}
    assert missing_symbols(toy, "ours") == {"TVMFFIMakeError": (["errors", "scale"], "0.1.1")}


def test_gaps(toy: dict[str, Any]) -> None:
    """A missing row, cell or feature result is named."""
    assert gaps(toy) == []
    del toy["under"]["ours"]["0.1.1"]["scale"]
    toy["under ours"]["0.1.2"]["errors"] = ""
    toy["under"]["ours"]["0.1.0"]["store"] = "had no result after 10 seconds"
    del toy["under"]["published"]["0.1.2"]
    del toy["under"]["ours"]["ours"]["errors"]
    del toy["features"]["macro TVM_FFI_NEW"]["0.1.0"]
    assert gaps(toy) == [
        "ours, 0.1.0: store",
        "ours, 0.1.1: scale",
        "ours, ours: errors",
        *(f"published, 0.1.2: {name}" for name in toy["examples"]),
        "reverse, 0.1.2: errors",
        "macro TVM_FFI_NEW: 0.1.0",
    ]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree with a runtime and an example."""
    for name in ("include/a.h", "src/a.cc", "python/a.py", "examples/a/a.cc"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("x = 1\n")
    return tmp_path


def why_after(tree: Path, made_of: dict[str, str]) -> str:
    """Return why a record is stale, after clearing the cached runtime digest."""
    closure.runtime_of_run.cache_clear()
    return why_stale(tree, {"made_of": made_of})


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("include/a.h", "the runtime"),
        ("src/a.cc", "the runtime"),
        ("python/a.py", "the runtime"),
        ("examples/a/a.cc", "examples/a/a.cc"),
        ("examples/a/new.sh", "examples/a/new.sh"),
        ("docs/page.rst", ""),
    ],
)
def test_stale(tree: Path, file: str, named: str) -> None:
    """Editing the runtime or an example makes a record stale; editing a page does not."""
    closure.runtime_of_run.cache_clear()
    made_of = made_now(tree)
    assert why_after(tree, made_of) == ""
    (tree / file).parent.mkdir(exist_ok=True)
    (tree / file).write_text("x = 2\n")
    assert why_after(tree, made_of) == (f"changed since then: {named}" if named else "")


def test_no_record(tmp_path: Path) -> None:
    """A tree may have no record."""
    assert record_of(tmp_path) is None


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    """The repository's record, which may be stale."""
    record = record_of(ROOT)
    if record is None:
        pytest.skip(f"{RECORD} has not been made: nox -s versions")
    return record


def test_committed_record_is_whole(committed: dict[str, Any]) -> None:
    """Each release that was tried has a row in its matrix, and no cell is empty."""
    assert gaps(committed) == []
    assert len(committed["releases"]) >= 20
    for part in PARTS:
        tried = {*committed["tried"][part]}
        own = {"ours"} if part in KINDS and tried else set()
        assert {*rows_of(committed, part)} == tried | own


@pytest.mark.parametrize("part", PARTS)
def test_committed_record_can_be_shown(committed: dict[str, Any], part: str) -> None:
    """Each cell says yes, or gives the number of an error."""
    headings, rows = matrix_of(committed, part)
    assert len(rows) == len(rows_of(committed, part))
    assert all(len(row) == len(headings) for row in rows)


def test_our_own_libraries_run_here(committed: dict[str, Any]) -> None:
    """A record in which our own libraries fail would describe a broken machine."""
    if not committed["tried"]["ours"]:
        pytest.skip("the committed record has no runs yet: nox -s versions")
    assert {*committed["under"]["ours"]["ours"].values()} == {OK}


def test_page_shows_every_part() -> None:
    """No matrix is left out."""
    directive = pytest.importorskip("_ext.versions", reason="Sphinx is not installed")
    page = (ROOT / "docs" / "reference" / "versions.rst").read_text()
    for part in (*PARTS, *directive.SHOWN):
        assert f"\n.. versions:: {part}\n" in page


def test_page_says_what_is_stale(tree: Path, toy: dict[str, Any]) -> None:
    """Results of another tree stay on the page, with a warning."""
    overview = pytest.importorskip("_ext.versions", reason="Sphinx is not installed").overview
    closure.runtime_of_run.cache_clear()
    toy["made_of"] = made_now(tree)
    assert "warning" not in {node.tagname for node in overview(tree, toy)}
    toy["made_of"]["src/gone.cc"] = "0"
    (warning,) = [node for node in overview(tree, toy) if node.tagname == "warning"]
    assert "not of this tree: changed since then: src/gone.cc" in warning.astext()


def test_parts_of_the_page(toy: dict[str, Any], tmp_path: Path) -> None:
    """Matrix, answers, functions and errors agree with the record."""
    page = pytest.importorskip("_ext.versions", reason="Sphinx is not installed")
    matrix, untried = page.matrix(tmp_path, toy, "reverse")
    assert "versions" in matrix["classes"]
    toy["under"]["published"], toy["tried"]["published"] = {}, []
    (none,) = page.matrix(tmp_path, toy, "published")
    assert none.astext() == "Not tried under 0.1.0, 0.1.1, 0.1.2."
    assert untried.astext() == "Not tried with the headers of 0.1.1."
    said = [item.astext() for item in page.answers(tmp_path, toy)[0]]
    assert said[0].startswith("0.1.1 is the first release that has every C function")
    assert said[1].endswith("run under: 0.1.1 and later, apart from store, which none runs.")
    assert len(said) == 3
    toy["tried"]["ours"].remove("0.1.0")
    assert "(tried: 2 of 3 releases)" in page.answers(tmp_path, toy)[0][1].astext()
    assert "TVMFFIMakeError" in page.symbols(tmp_path, toy)[0].astext()
    said = page.failures(tmp_path, toy)[0].astext()
    assert "errors (our headers, under 0.1.0)" in said
    assert "store (our headers, under 0.1.0 to 0.1.2)" in said
    assert "not tried" not in page.circumstances_of(toy)
    assert versions_record.OURS not in page.in_words(toy, ["0.1.2", "ours"])
