# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The directives for machine code: tables, links to disassemblies, and reasons."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from _verify.machine_code_record import COLUMNS, listing_path, write_record

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

DOCS = Path(__file__).resolve().parents[2] / "docs"
ARCHITECTURES = ("sm_80", "sm_89", "sm_90")
Build = Callable[..., tuple[str, str]]


def fact(architecture: str, **more: Any) -> dict[str, Any]:
    """Return the facts of a kernel that moves whole vectors."""
    step = {"loaded": 64, "stored": 64, "instructions": 160, "waits": 1}
    columns = {**dict.fromkeys(COLUMNS.values(), 1), "load": 16, "step": step, **more}
    return {"kernel": "k", "architecture": architecture, "resident": 2048, "around": 0, **columns}


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that builds a page from a record of ``toy``, for its HTML and messages."""

    def build_site(page: str, rule: str = "", *, recorded: bool = True) -> tuple[str, str]:
        (tmp_path / "examples" / "kernel_library" / "toy").mkdir(parents=True)
        expected = tmp_path / "tests" / "machine_code" / "expected" / "toy.toml"
        expected.parent.mkdir(parents=True)
        wide = "" if "load" in rule else "load = 16\n"
        expected.write_text(f'[[kernels]]\nnamed = "k"\n{wide}{rule}')
        for architecture in ARCHITECTURES:
            listing = listing_path(tmp_path / "build", "toy", architecture)
            listing.parent.mkdir(parents=True, exist_ok=True)
            listing.write_text(architecture)
        if recorded:
            facts = {"toy": [fact(each) for each in ARCHITECTURES]}
            write_record(tmp_path, tmp_path / "build", "nvcc 13", facts, {"toy": {}})
        source = tmp_path / "pages"
        source.mkdir()
        (tmp_path / "conf.py").write_text("extensions = ['_ext.machine_code']\n")
        (source / "index.rst").write_text(f"Toy\n===\n\n{page}\n")
        folders = ["-c", str(tmp_path), str(source), str(tmp_path / "out")]
        command = [sys.executable, "-m", "sphinx", "-W", "-q", *folders]
        env = {**os.environ, "PYTHONPATH": str(DOCS)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        html = tmp_path / "out" / "index.html"
        return html.read_text() if done.returncode == 0 else "", done.stderr

    return build_site


def test_each_architecture_has_its_disassembly(build: Build, tmp_path: Path) -> None:
    """The open table and each folded one link to the listing of their architecture."""
    html, said = build(".. machine-code:: toy")
    assert html, said
    folded = html.split("<details")
    assert len(folded) == len(ARCHITECTURES)
    for part, architecture in zip(folded, ("sm_90", "sm_80", "sm_89"), strict=True):
        assert {*re.findall(r"toy_sm_\d+", part)} == {f"toy_{architecture}"}
    copied = {path.name: path.read_text() for path in (tmp_path / "out").rglob("toy_*.txt")}
    assert copied == {f"toy_{each}.txt": each for each in ARCHITECTURES}


def test_model(build: Build) -> None:
    """The model's table scrolls in its own box, and has a column for each GPU."""
    html, said = build(".. machine-code-model:: toy")
    assert html, said
    assert 'class="table-wrapper' in html
    assert "<p>A100</p>" in html
    assert "<p>100 % (" in html
    assert "reason" not in html


def test_reasons(build: Build) -> None:
    """The reason is below the table if less is expected of a kernel."""
    html, said = build(
        ".. machine-code-model:: toy", 'why = """it\ndivides"""\nsm_80 = { share = 0.5 }\n'
    )
    assert html, said
    assert "below 95 %: it divides" in html


def test_kernel_that_is_not_estimated(build: Build) -> None:
    """A kernel limited by something else is named with the reason, and has no row."""
    html, said = build(".. machine-code-model:: toy", 'not_memory = "it counts"\n')
    assert html, said
    assert "not estimated: it counts" in html
    assert "A100" not in html


def test_kernel_without_vectors(build: Build) -> None:
    """The first matching rule applies: without whole vectors, a kernel has no row.

    A table without rows fails the build.
    """
    rules = 'load = 4\n[[kernels]]\nnamed = "*"\nload = 16\n'
    html, said = build(".. machine-code-model:: toy", rules)
    assert not html
    assert "machine-code-model: found no kernel for vectors in toy" in said


@pytest.mark.parametrize("directive", ["machine-code", "machine-code-model"])
def test_without_a_record(build: Build, directive: str) -> None:
    """The page names the session that would make the record."""
    html, said = build(f".. {directive}:: toy", recorded=False)
    assert "Not examined on this tree; nox -s machine_code does it." in html, said


def test_unknown_example(build: Build) -> None:
    """A directive that names no example fails the build."""
    html, said = build(".. machine-code-model:: other")
    assert not html
    assert "machine-code-model: expected the name of an example, got 'other'" in said
