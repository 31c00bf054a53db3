# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R9
"""The page of error messages shows the actual result of each call of ``scale``."""

import random
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("torch")
pytest.importorskip("jax")

from _ext import try_errors
from _ext.scale_calls import AXES, choices, program
from conftest import REPOSITORY

SAMPLE = 6  # each imports its frameworks, which takes seconds


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """A folder with scale's CPU library, built from this tree."""
    folder = tmp_path_factory.mktemp("libraries")
    script = REPOSITORY / "examples" / "kernel_library" / "scale" / "build_cpu.sh"
    subprocess.run(["bash", script], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def found(libraries):
    """The results that the build would put on the page."""
    return try_errors.run_calls(libraries)


def printed(code, folder):
    """Return a program's output, or the error at the end of its traceback."""
    (folder / "call.py").write_text(code)
    ran = subprocess.run([sys.executable, "call.py"], cwd=folder, capture_output=True, text=True)
    said = ran.stderr.strip().splitlines()[-1] if ran.returncode else ran.stdout.strip()
    return said.replace(str(folder), ".").partition(". Did you mean")[0]


def test_cells_are_what_their_programs_print(found, libraries):
    """A sample of the programs is run again as a reader would."""
    cells = {c: told for c, told in try_errors.results_by_choice(found).items() if told is not None}
    for choice in random.sample(list(cells), SAMPLE):
        assert printed(program(choice), libraries) == cells[choice], program(choice)


def test_another_library_gives_other_results(found, libraries, tmp_path):
    """The results come from the library in the folder."""
    source = REPOSITORY / "examples" / "kernel_library"
    shutil.copytree(source / "scale", tmp_path / "scale")
    shutil.copy(source / "tvm_ffi_utils.h", tmp_path)
    kernel = tmp_path / "scale" / "scale_kernel.cc"
    kernel.write_text(kernel.read_text().replace("  CHECK_CONTIGUOUS(y);\n", ""))
    subprocess.run(["bash", "scale/build_cpu.sh"], cwd=tmp_path, check=True)
    others = try_errors.run_calls(tmp_path)["results"]
    assert any("y must be contiguous" in told for told in found["results"])
    assert not any("y must be contiguous" in told for told in others)


def test_only_calls_that_a_framework_lacks_have_no_result(found):
    """Every other call has a result, and every option occurs in some call."""
    used = set()
    for choice, told in try_errors.results_by_choice(found).items():
        assert (told is None) == (program(choice) == "")
        if told is not None:
            used.update(choice)
    assert used == {option for axis in AXES for option in axis.options}


def test_table_has_the_mistakes_alone(found):
    """Each choice in the table changes one option of the plain call and makes it fail."""
    rows = dict(try_errors.single_mistakes(found))
    assert rows["Output y: strided"].startswith("ValueError: scale: y must be contiguous, got")
    assert rows["Call: no factor"].endswith("expected 3 arguments, got 2")
    assert all(re.match(r"\w+Error: ", told) for told in rows.values())
    plain = tuple(axis.options[0] for axis in AXES)
    (numbers,) = {told for c, told in try_errors.results_by_choice(found).items() if c == plain}
    assert numbers == "[[2.5, 5.0, 7.5], [10.0, 12.5, 15.0]]"
    assert "Layout of x: transposed" not in rows


def test_form_ends_where_it_should(found):
    """No message can close the element that holds the data."""
    bad = {**found, "results": ["</script><script>alert(1)</script>", *found["results"][1:]]}
    assert try_errors.form(bad).count("</script>") == 1


def test_preview_without_the_library_keeps_no_old_results(tmp_path):
    """Results of an earlier build are not shown if the library is gone."""
    kept = tmp_path / "calls_of_scale.json"
    kept.write_text("{}")
    try_errors.keep(kept, tmp_path)
    assert not kept.exists()


def test_all_choices_are_numbered_as_the_script_counts(found):
    """The last axis varies fastest."""
    lengths = [len(axis.options) for axis in AXES]
    for number, choice in enumerate(choices()):
        place = 0
        for axis, option, length in zip(AXES, choice, lengths, strict=True):
            place = place * length + axis.options.index(option)
        assert place == number
    assert number + 1 == len(found["cells"])
