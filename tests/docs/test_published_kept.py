# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Results under the published package are kept until a file that they depend on changes."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from _verify import published_kept
from _verify.layout import Layout
from _verify.published_kept import read, run_changed

PAGES = ["docs/one.rst", "docs/two.rst"]


@pytest.fixture
def layout(tmp_path) -> Layout:
    """Two pages, an example, and a tool."""
    for name in (*PAGES, *published_kept.FILES, "examples/kernel_library/add/add.cc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("int x; // why\n")
    return Layout.of(tmp_path)


class Runner:
    """Counts preparations and runs; run n returns n."""

    def __init__(self, layout):
        self.layout, self.prepared, self.ran = layout, 0, []

    def prepare(self, pool):
        """Count a preparation."""
        self.prepared += 1

    def run(self, name):
        """Record the name."""
        self.ran.append(name)
        return {"run": len(self.ran)}

    def found(self, names=PAGES, **options):
        """Return the results of running one at a time."""
        with ThreadPoolExecutor(1) as pool:
            return run_changed("pages", names, self.layout, self.prepare, self.run, pool, **options)


def test_nothing_runs_twice(layout, capsys):
    """The second time, all results are kept and nothing is prepared."""
    runner = Runner(layout)
    first = runner.found()
    assert first == {"docs/one.rst": {"run": 1}, "docs/two.rst": {"run": 2}}
    before = (layout.root / published_kept.RECORD).stat().st_mtime_ns
    assert runner.found() == first
    assert runner.ran == PAGES
    assert runner.prepared == 1
    assert (layout.root / published_kept.RECORD).stat().st_mtime_ns == before
    assert capsys.readouterr().out.endswith("published package: 0 run, 2 kept\n")


def test_edited_page_runs_alone(layout):
    """The results keep the order of the names."""
    runner = Runner(layout)
    runner.found()
    (layout.root / PAGES[0]).write_text("int x; // because\n")
    assert runner.found() == {"docs/one.rst": {"run": 3}, "docs/two.rst": {"run": 2}}
    assert [*runner.found()] == PAGES


@pytest.mark.parametrize(
    "name",
    [
        *("docs/_verify/new.py", "docs/_verify/pytest.ini", "examples/kernel_library/add/add.cc"),
        *("tests/examples/producer.py", "tests/machine_code/new.py", published_kept.FILES[1]),
    ],
)
def test_what_all_depend_on_runs_all(layout, name):
    """Editing a comment counts too, as some tests read comments."""
    runner = Runner(layout)
    runner.found()
    (layout.root / name).parent.mkdir(parents=True, exist_ok=True)
    (layout.root / name).write_text("int x; // because\n")
    runner.found()
    assert runner.ran == PAGES * 2


@pytest.mark.parametrize("name", ["tests/snippets/test_new.py", "tests/cpp/test_new.cc"])
def test_other_tests_and_what_a_build_leaves_run_nothing(layout, name):
    """Other tests and build outputs do not affect the results."""
    runner = Runner(layout)
    runner.found()
    for each in (name, "examples/kernel_library/add/add.so", "docs/_verify/__pycache__/x.pyc"):
        (layout.root / each).parent.mkdir(parents=True, exist_ok=True)
        (layout.root / each).write_text("x")
    runner.found()
    assert runner.ran == PAGES


@pytest.mark.parametrize("fact", ["python_version", "answer"])
def test_another_python_or_compiler_runs_all(layout, fact, monkeypatch):
    """The versions on this machine are dependencies."""
    runner = Runner(layout)
    runner.found()
    place = published_kept.platform if fact == "python_version" else published_kept
    monkeypatch.setattr(place, fact, lambda *_: "another")
    runner.found()
    assert runner.ran == PAGES * 2


def test_new_and_removed_files_run_all(layout):
    """An example may read any file in its folder."""
    runner = Runner(layout)
    runner.found()
    more = layout.root / "examples/kernel_library/add/more.h"
    more.write_text("int z;\n")
    runner.found()
    more.unlink()
    runner.found()
    assert runner.ran == PAGES * 3


def test_other_tests_do_not_count(layout):
    """A test of shown files depends on itself and its imports."""
    folder = layout.root / "tests" / "snippets"
    folder.mkdir(parents=True)
    for name in ("test_one.py", "test_two.py", "helper.py"):
        (folder / name).write_text("import helper\n" if "one" in name else "x = 1\n")
    names = [f"tests/snippets/test_{each}.py" for each in ("one", "two")]
    runner = Runner(layout)
    runner.found(names)
    (folder / "test_two.py").write_text("x = 2\n")
    runner.found(names)
    assert runner.ran == [*names, names[1]]


def test_file_that_one_test_reads_runs_that_test(layout):
    """No other result depends on the file."""
    ((test, read_by_it),) = published_kept.OWN.items()
    for name in (test, *read_by_it):
        (layout.root / name).parent.mkdir(parents=True, exist_ok=True)
        (layout.root / name).write_text("x = 1\n")
    runner = Runner(layout)
    runner.found([*PAGES, test])
    (layout.root / read_by_it[0]).write_text("x = 2\n")
    runner.found([*PAGES, test])
    assert runner.ran == [*PAGES, test, test]


def test_all_run_on_request(layout):
    """On request all tests run again, and the new results replace the old ones."""
    runner = Runner(layout)
    runner.found()
    again = runner.found(again=True)
    assert again == {"docs/one.rst": {"run": 3}, "docs/two.rst": {"run": 4}}
    assert runner.found() == again


def test_result_of_a_page_that_is_gone_is_dropped(layout):
    """A missing page's result is dropped; results of other kinds are kept."""
    runner = Runner(layout)
    runner.found()
    with ThreadPoolExecutor(1) as pool:
        run_changed("files", PAGES, layout, runner.prepare, runner.run, pool)
    runner.found(PAGES[:1])
    kept = read(layout.root)
    assert {kind: [*results] for kind, results in kept.items()} == {
        "files": PAGES,
        "pages": PAGES[:1],
    }
