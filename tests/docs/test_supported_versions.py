# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The README matches the package metadata and names what the sessions test."""

import re
from pathlib import Path

import pytest

tomllib = pytest.importorskip("tomllib", reason="comes with Python 3.11")
yaml = pytest.importorskip("yaml", reason="comes with the site's tools, on Python 3.11")

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
TESTED = "CI tests the package on Python "
FRAMEWORKS = {"NumPy": "numpy", "JAX": "jax", "PaddlePaddle": "paddlepaddle", "CuPy": "cupy"}


def sentence() -> str:
    """Return the sentence that names what is tested."""
    (line,) = (line for line in README.splitlines() if line.startswith(TESTED))
    return line


@pytest.mark.parametrize("page", ["README.md", "docs/index.rst"])
def test_the_oldest_python(page: str) -> None:
    """The introduction names the Python versions that the package declares."""
    (oldest,) = re.findall(r"for Python (\S+) and newer", (ROOT / page).read_text())
    assert PROJECT["project"]["requires-python"] == f">={oldest}"


def test_the_tested_pythons() -> None:
    """The README names the first and last Python version of the workflow's matrix."""
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    pythons = yaml.safe_load(text)["jobs"]["pythons"]["strategy"]["matrix"]["python"]
    assert re.findall(r"Python (\S+) to (\d+\.\d+)", sentence()) == [(pythons[0], pythons[-1])]


def test_the_tested_frameworks() -> None:
    """Each framework is installed by some session, except CuPy, which has a stand-in."""
    with_frameworks = sentence().partition(";")[0]
    groups = PROJECT["dependency-groups"]
    pinned = {
        re.split(r"[=<>; ]", each)[0]
        for group in groups.values()
        for each in group
        if isinstance(each, str)
    }
    for framework, package in FRAMEWORKS.items():
        assert (framework in with_frameworks) == (package in pinned), framework
    assert (
        "CuPy has been tested on an NVIDIA H200, and in CI only through a stand-in." in sentence()
    )
    assert "PyTorch" in with_frameworks
