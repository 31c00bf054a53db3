# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8, R9
"""Each example works under the runtimes that its page names, and under no other."""

import re
import sys

import example_runtimes
import pytest
from _verify.examples import VARIANTS, find_examples
from _verify.layout import Layout
from example_runtimes import CPU_BUILD, CUDA_BUILD, OK, ONLY_HERE, PAIRS, ROOT, OnlyHere, wrong

EXAMPLES = {example.name: example for example in find_examples(Layout.of(ROOT))}
PAIR_NAMES = [f"{headers} under {runtime}" for headers, runtime in PAIRS]
ALL_WELL = dict.fromkeys([CUDA_BUILD, *CPU_BUILD.values(), *PAIR_NAMES], OK)


@pytest.fixture(scope="module")
def seen(copies) -> dict[str, dict[str, str]]:
    """What happens to each example; the record is kept for the pages."""
    found = example_runtimes.find_out(copies)
    example_runtimes.keep(ROOT, found)
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_label(seen, name):
    """A copied folder works under both if it says so; if it says here alone, it fails there."""
    found = seen[name]
    assert not wrong(name, found), found


def test_every_claim_is_of_an_example():
    """No claim is left of an example that is gone."""
    assert set(ONLY_HERE) <= set(EXAMPLES)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.device)
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_first_comment_tells_the_commands(name, variant):
    """A source begins with what it computes, how to build it, and how to run it."""
    example = EXAMPLES[name]
    # Where there are many sources, the one with the exports speaks for all.
    path = f"{example.folder}/src/binding.cc"
    path = path if path in example.files else example.source(variant)
    comment = re.match(r"(?://.*\n)+|(?:/\*(?s:.)*?\*/\n)+", (ROOT / path).read_text())
    assert comment, "no comment at the top"
    assert variant.script in comment[0]
    assert f"load_{name}.py" in comment[0]


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


def test_a_driver_that_ends_the_process(tmp_path):
    """A crash has the name of its driver, and the drivers after it still run."""
    drivers = {"good": "pass", "bad": "import os; os.abort()", "late": "1 / 0"}
    pythons = dict.fromkeys(example_runtimes.KINDS, sys.executable)
    copies = example_runtimes.Copies(pythons, tmp_path)
    for name, text in drivers.items():
        (copies.folder / name).mkdir()
        (copies.folder / name / f"load_{name}.py").write_text(text)
    assert copies.run_drivers("ours", "published", list(drivers)) == {
        "good": "ok",
        "bad": "ended the process with status -6",
        "late": "ZeroDivisionError: division by zero",
    }
