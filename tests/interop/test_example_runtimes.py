# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8, R9
"""Each example works under the runtimes that its page names, and under no other."""

import re
import sys

import example_runtimes
import pytest
from _verify.examples import find_examples
from _verify.layout import Layout
from example_runtimes import OK, ONLY_HERE, ROOT, OnlyHere, wrong

NAMES = [example.name for example in find_examples(Layout.of(ROOT))]
ALL_WELL = dict.fromkeys(
    (
        "CUDA source, published headers",
        "CPU library, published headers",
        "CPU library, our headers",
        *(f"{headers} under {runtime}" for headers, runtime in example_runtimes.PAIRS),
    ),
    OK,
)


@pytest.fixture(scope="module")
def seen(pythons, tmp_path_factory) -> dict[str, dict[str, str]]:
    """What happens to each example; the record is kept for the pages."""
    found = example_runtimes.find_out(pythons, tmp_path_factory.mktemp("examples"))
    example_runtimes.keep(ROOT, found)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_label(seen, name):
    """What is said to work under both does; what is said to work here alone fails there."""
    found = seen[name]
    assert not wrong(name, found), found


def test_every_claim_is_of_an_example():
    """No claim is left of an example that is gone."""
    assert set(ONLY_HERE) <= set(NAMES)


@pytest.mark.parametrize(
    ("claim", "changed", "complaint"),
    [
        (None, {}, ""),
        (None, {"ours under published": "TypeError: no"}, "ours under published: TypeError: no"),
        (None, {"CUDA source, published headers": "error: x"}, "CUDA source.*error: x"),
        ("no store", {}, "works under the published runtime too"),
        ("no store", {"ours under published": "ValueError: no store here"}, ""),
        ("no store", {"ours under published": "ended the process"}, "expected 'no store'"),
        ("no store", {"CPU library, our headers": "error: y"}, "our headers: error: y"),
    ],
)
def test_what_contradicts_a_claim(monkeypatch, claim, changed, complaint):
    """A label is wrong if anything fails, or if what should fail does not, or does otherwise."""
    claims = {"a": OnlyHere("it needs the store", claim)} if claim else {}
    monkeypatch.setattr(example_runtimes, "ONLY_HERE", claims)
    told = {**ALL_WELL, **changed}
    said = wrong("a", told)
    assert bool(said) == bool(complaint)
    if complaint:
        assert re.search(complaint, said)


def test_a_driver_that_ends_the_process(tmp_path, monkeypatch):
    """A crash has the name of its driver, and the drivers after it still run."""
    examples = tmp_path / "examples" / "kernel_library"
    for name, text in {"good": "pass", "bad": "import os; os.abort()", "late": "1 / 0"}.items():
        (examples / name).mkdir(parents=True)
        (examples / name / f"load_{name}.py").write_text(text)
    here = tmp_path / "tests" / "interop"
    here.mkdir(parents=True)
    script = (example_runtimes.HERE / "run_drivers.py").read_text()
    (here / "run_drivers.py").write_text(script)
    monkeypatch.setattr(example_runtimes, "HERE", here)
    found = example_runtimes.run_drivers(sys.executable, tmp_path, ["good", "bad", "late"])
    assert found == {
        "good": "ok",
        "bad": "ended the process with status -6",
        "late": "ZeroDivisionError: division by zero",
    }
