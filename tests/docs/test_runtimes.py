# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""An example's label shows only what was found for this tree."""

from pathlib import Path

import pytest
from _verify.examples import find_examples
from _verify.layout import Layout
from _verify.runtimes_record import label_of, record_of, write_record

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*(ROOT / "docs" / "guides").rglob("*.rst"), ROOT / "docs/get_started/quickstart.rst"]
EXAMPLES = [example.name for example in find_examples(Layout.of(ROOT))]


@pytest.mark.parametrize(
    ("found", "label"),
    [
        ({"wrong": "", "only here": ""}, "Both runtimes."),
        ({"wrong": "", "only here": "it has a store"}, "This runtime only: it has a store."),
        ({"wrong": "ours under published: no", "only here": ""}, "Failed: ours under published"),
    ],
)
def test_label(found: dict[str, str], label: str) -> None:
    """A disproved claim is not shown."""
    assert label_of(found).startswith(label)


def test_record_is_of_one_tree(tmp_path: Path) -> None:
    """A record of other sources is not used."""
    source = tmp_path / "examples" / "scale.cc"
    source.parent.mkdir()
    source.write_text("1")
    found = {"scale": {"wrong": "", "only here": ""}}
    assert record_of(tmp_path, tmp_path / "build") is None
    write_record(tmp_path, tmp_path / "build", found)
    assert record_of(tmp_path, tmp_path / "build") == found
    source.write_text("2")
    assert record_of(tmp_path, tmp_path / "build") is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_has_its_label(name: str) -> None:
    """An example's page says under which runtimes it works."""
    label = f"\n.. runtimes:: {name}\n"
    assert sum(label in page.read_text() for page in PAGES) == 1
