# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The site is published only after the gate, with pinned tools and minimal permissions.

``nox -s lint`` checks the files against the schemas of both hosts.
"""

import re
from pathlib import Path

import pytest

pytest.importorskip("nox", reason="only the sessions use this")

from _setup.install import pins
from _setup.system import DOCS_PYTHON

yaml = pytest.importorskip("yaml", reason="comes with the site's tools, on Python 3.11")

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CI = ROOT / ".github" / "workflows" / "ci.yml"
NOX = ROOT / ".github" / "actions" / "nox" / "action.yml"
READ_THE_DOCS = ROOT / ".readthedocs.yaml"
REFUSAL = "if [ -e build/partial.txt ]; then cat build/partial.txt; exit 1; fi"


@pytest.fixture
def jobs():
    """The jobs of the workflow that publishes the site."""
    return yaml.safe_load(CI.read_text())["jobs"]


def test_the_site_that_passed_the_gate_is_what_is_published(jobs):
    """Both hosts run the sessions whose results the site shows, and publish what they built."""
    steps = jobs["site"]["steps"]
    said = [str(step.get("run", step.get("uses"))).strip() for step in steps]
    assert said[-3:-1] == ["nox -s tests machinery interop machine_code docs browser", REFUSAL]
    assert said[-1].startswith("actions/upload-pages-artifact@")
    assert steps[-1]["with"]["path"] == "build/site"
    uploads = [name for name, job in jobs.items() if "upload-pages" in str(job)]
    assert uploads == ["site"]
    html = yaml.safe_load(READ_THE_DOCS.read_text())["build"]["jobs"]["build"]["html"]
    assert html[:2] == ["nox -s tests machinery interop machine_code docs", REFUSAL]
    assert html[-1] == 'cp -r build/site "$READTHEDOCS_OUTPUT/html"'


def test_only_a_push_to_main_publishes_and_only_that_job_may_write(jobs):
    """A pull request is built with read-only permissions."""
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {"contents": "read"}
        assert workflow["concurrency"]["group"]
        assert [job for job in workflow["jobs"].values() if "permissions" in job] == [
            workflow["jobs"]["publish"]
        ]
    condition = "github.event_name == 'push' && github.ref == 'refs/heads/main'"
    assert jobs["publish"]["if"] == condition
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}


def test_only_a_tag_releases():
    """PyPI trusts the workflow itself, so there is no password."""
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML reads "on" as true
    assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets" not in str(release)


def test_versions_are_pinned():
    """GitHub's actions are pinned to full versions, others to commits, nox to the usual version."""
    used = [
        each
        for path in (*WORKFLOWS, NOX)
        for each in re.findall(r"uses: (\S+)", path.read_text())
        if each != "./.github/actions/nox"
    ]
    assert used
    pinned = r"actions/[\w-]+@v\d+\.\d+\.\d+|[\w-]+/[\w-]+@[0-9a-f]{40}"
    assert [each for each in used if not re.fullmatch(pinned, each)] == []
    (nox,) = (pin for pin in pins("tests") if pin.startswith("nox=="))
    for file in (NOX, READ_THE_DOCS, ROOT / ".ci" / "run"):
        assert re.findall(r"nox==[\d.]+", file.read_text()) == [nox], file
    floor = ".".join(map(str, DOCS_PYTHON))
    assert re.findall(r'default: "([\d.]+)"', NOX.read_text()) == [floor]
    assert re.findall(r'python: "([\d.]+)"', READ_THE_DOCS.read_text()) == [floor]
