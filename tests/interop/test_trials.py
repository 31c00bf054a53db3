# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The page on reliability says how its trials end under both packages.

``UPDATE_COMPARED=1 nox -s interop -- tests/interop/test_trials.py`` writes its table anew.
"""

import ast
import json
import os
import sys

import pytest
from trial_runs import (
    RECORD,
    as_text,
    classified,
    in_time,
    outcome_of,
    programs,
    raised,
    record_of,
    run_all,
    without_places,
)

AGAIN = "UPDATE_COMPARED=1 nox -s interop -- tests/interop/test_trials.py"
LINES = 30
PYTHON_OWN = {"__class__", "__cause__", "__dlpack__", "__dlpack_device__"}


@pytest.fixture(scope="module")
def found(pythons) -> dict:
    """How the programs end now; the file is written where that is asked for."""
    outcomes = run_all(pythons)
    if os.environ.get("UPDATE_COMPARED"):
        RECORD.write_text(as_text(record_of(pythons, outcomes)))
    return outcomes


def test_the_table_is_that_of_both_packages(found):
    """Each program ends as recorded: the same type of error, result or signal."""
    recorded = json.loads(RECORD.read_text())["trials"]
    wrong = []
    for name in sorted({*recorded, *found}):
        for package in ("ours", "published"):
            old, new = (each.get(name, {}).get(package) for each in (recorded, found))
            if not old or not new or classified(old) != classified(new):
                wrong.append(f"{name}, {package}: recorded {old}, now {new}")
    assert wrong == [], "\n".join([f"Type: {AGAIN}", *wrong])


def test_this_runtime_survives_each_trial(found):
    """That is what the page promises: an error or a result, and no signal."""
    wrong = {name: each["ours"]["said"] for name, each in found.items()}
    assert {
        k: v for k, v in wrong.items() if found[k]["ours"]["how"] not in ("error", "result")
    } == {}


def test_the_published_package_is_the_one_of_the_table(pythons, found):
    """A new release is tried anew."""
    recorded = json.loads(RECORD.read_text())
    assert recorded["published"] == record_of(pythons, found)["published"], f"Type: {AGAIN}"


@pytest.mark.parametrize("program", programs(), ids=lambda path: path.stem)
def test_programs_are_short_and_public(program):
    """Both packages can run each: it uses no name of the package that begins with _."""
    text = program.read_text()
    tree = ast.parse(text)
    assert len(text.splitlines()) <= LINES
    assert ast.get_docstring(tree)
    names = {each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)}
    assert {name for name in names if name.startswith("_")} <= {*PYTHON_OWN, "_exit"}


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("print('one'); print('two')", {"how": "result", "said": "one; two"}),
        ("raise ValueError('first\\nsecond')", {"how": "error", "said": "ValueError: first"}),
        ("raise SystemExit(3)", {"how": "status", "said": "ends with status 3"}),
        ("import os; os.abort()", {"how": "signal", "said": "ends by SIGABRT"}),
        ("bytearray(9 << 30)", {"how": "error", "said": "MemoryError"}),
        ("while True: pass", {"how": "hang", "said": "does not end"}),
    ],
)
def test_how_a_program_ends(tmp_path, program, outcome):
    """Each way, those of a crash and of a program without an end too."""
    file = tmp_path / "program.py"
    file.write_text(program)
    assert outcome_of(sys.executable, file, 5) == outcome


def test_a_slow_program_gets_more_time(tmp_path):
    """A busy machine does not make a program one that does not end."""
    file = tmp_path / "program.py"
    file.write_text("import time; time.sleep(2); print('ended')")
    assert in_time(sys.executable, file, 1) == {"how": "result", "said": "ended"}


def test_the_last_error_counts():
    """A cause is printed before the error, and lines of the message after it."""
    trace = "Traceback (most recent call last):\n  File x\nKeyError: 1\n\nduring that\n\n"
    assert raised(f"{trace}{trace.replace('KeyError', 'tvm.Error')}") == "tvm.Error: 1"
    assert raised("KeyError: printed by hand\n") == ""


def test_a_message_is_the_same_in_each_run():
    """An address and a temporary folder are left out."""
    assert without_places("at 0x7f00: /folder/x1/half.so: none") == "at 0x...: half.so: none"


def test_only_the_type_of_an_error_is_compared():
    """Its message may name an address; a result is compared as a whole."""
    assert classified({"how": "error", "said": "KeyError: 1"}) == ("error", "KeyError")
    assert classified({"how": "result", "said": "a: 1"}) == ("result", "a: 1")
