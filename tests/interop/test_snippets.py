# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The tests of shown files under the published package; the site holds its notes to the record."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from subprocess import check_output

import pytest
from _verify.layout import Layout
from _verify.published_cpp import run_cpp_tests, shown_cpp_tests
from _verify.published_kept import run_changed
from _verify.published_snippets import record_of, run_tests, write_record
from example_runtimes import OK, ONLY_HERE, ROOT

LAYOUT = Layout.of(ROOT)
LEFT_OUT = {
    "test_break_it.py": "it builds the emulation of CUDA, which needs this package's headers",
    "test_building.py": "it builds this package",
    "test_cubin.py": "it needs CUDA; test_cubin_exchange.py runs its programs there",
    "test_exercises.py": "it runs kernels under the emulation, which is built with this package",
    "test_idea_to_wheel.py": "it builds a wheel with this package",
    "test_install.py": "it installs this package",
    "test_cpp_tests.py": "it runs C++ tests, which run function by function there",
    "test_library.py": "it builds wheels for both packages itself",
    "test_library_renamed.py": "it builds a wheel for this package",
    "test_machine_code.py": "it needs nvdisasm, and runs no code of the package",
    "test_measure.py": "it runs the benchmark of the kernels",
    "test_new_project.py": "it builds wheels for both packages itself",
    "test_nvshmem.py": "it needs CUDA, and NVSHMEM",
    "test_publishing.py": "it builds wheels with this package",
    "test_tilelang.py": "it runs over the fake driver, which is built with this package",
}
NAMES = sorted(path.name for path in (ROOT / "tests" / "snippets").glob("test_*.py"))
FILES = [f"tests/snippets/{name}" for name in NAMES if name not in LEFT_OUT]
CPP_FILES = shown_cpp_tests(ROOT)


@pytest.fixture(scope="module")
def cpp_found(pythons, copies, again) -> dict:
    """What came of each file of C++ tests, compiled with the published headers."""
    python = pythons["published"]
    flags = check_output([python, "-m", "tvm_ffi.config", "--cxxflags"], text=True)
    environment = copies.environment("published")
    run = partial(
        run_cpp_tests,
        python=python,
        root=ROOT,
        flags=flags.replace("-I", "-isystem "),
        environment=environment,
    )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return run_changed("C++ tests", CPP_FILES, LAYOUT, lambda _: None, run, pool, again=again)


@pytest.fixture(scope="module")
def found(pythons, copies, cpp_found, again) -> dict:
    """What came of each file, with the examples' libraries built by the published headers."""
    run = partial(
        run_tests,
        python=pythons["published"],
        layout=LAYOUT,
        libraries=copies.libraries["published"],
        # -Wconversion finds something in the published headers.
        environment={**copies.environment("published"), "SYSTEM_HEADERS": "1"},
    )

    def build(pool) -> None:
        built = pool.map(partial(copies.build, kind="published"), copies.examples)
        told = dict(zip([each.name for each in copies.examples], built, strict=True))
        assert {name for name, said in told.items() if said != OK} == {*ONLY_HERE}, told

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = run_changed("tests of shown files", FILES, LAYOUT, build, run, pool, again=again)
    write_record(LAYOUT, made, cpp_found, LEFT_OUT)
    return made


@pytest.mark.parametrize("file", FILES)
def test_file_runs(found, file):
    """Some of its tests end with a result, the same or another."""
    assert {each["outcome"] for each in found[file].values()} & {"passed", "failed"}


@pytest.mark.parametrize("file", CPP_FILES)
def test_cpp_file_runs(cpp_found, file):
    """Each test is either taken out, with what the compiler said, or ends with a result."""
    each = cpp_found[file]
    taken = {(first, last) for first, last, _ in each["taken"]}
    gone = {
        name
        for place in each["definitions"]
        for name in place["names"]
        if (place["first"], place["last"]) in taken
    }
    whole = any(first == 1 and last > 9 for first, last in taken)
    compiled = {test for test, function in each["tests"].items() if function not in gone}
    assert each["tests"]
    assert {*each["outcomes"]} == (set() if whole else compiled)


def test_files_left_out_are_there():
    """A file that is renamed or removed is left out no longer."""
    assert {*LEFT_OUT} < {*NAMES}


def test_record_is_for_the_site(found):
    """It is of the tests as they are now."""
    assert record_of(LAYOUT.root, LAYOUT.build).tests == found
