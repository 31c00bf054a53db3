# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""What publishes the site runs the gate first, with pinned tools and no more rights than it needs.

Their form is checked against the schemas of both hosts by ``nox -s lint``.
"""

import re
from pathlib import Path

import pytest
from _setup import pins

yaml = pytest.importorskip("yaml", reason="comes with the site's tools, on Python 3.11")

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "docs.yml"
READ_THE_DOCS = ROOT / ".readthedocs.yaml"


@pytest.fixture
def jobs():
    """The jobs of the workflow."""
    return yaml.safe_load(WORKFLOW.read_text())["jobs"]


def steps(job, key):
    """What the steps of a job run or use."""
    return [step[key] for step in job["steps"] if key in step]


def test_the_site_that_passed_the_gate_is_what_is_published(jobs):
    """Both hosts run the docs session, and take the folder that it wrote."""
    build = steps(jobs["build"], "run")
    assert build[-1] == "nox -s docs"
    (upload,) = (step for step in jobs["build"]["steps"] if "upload" in step.get("uses", ""))
    assert upload["with"]["path"] == "build/site"
    html = yaml.safe_load(READ_THE_DOCS.read_text())["build"]["jobs"]["build"]["html"]
    assert html[0] == "nox -s docs"
    assert html[-1] == 'cp -r build/site "$READTHEDOCS_OUTPUT/html"'


def test_only_a_push_to_main_publishes_and_only_that_job_may_write(jobs):
    """A pull request is built with the right to read alone."""
    workflow = yaml.safe_load(WORKFLOW.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in jobs["build"]
    condition = "github.event_name == 'push' && github.ref == 'refs/heads/main'"
    assert jobs["publish"]["if"] == condition
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}


def test_versions_are_pinned(jobs):
    """Each action by its whole version; nox as everywhere else, on the floor of Python."""
    used = [each for job in jobs.values() for each in steps(job, "uses")]
    assert used
    assert all(re.search(r"@v\d+\.\d+\.\d+$", each) for each in used), used
    (nox,) = (pin for pin in pins.TESTS if pin.startswith("nox=="))
    for file in (WORKFLOW, READ_THE_DOCS, ROOT / ".ci" / "run"):
        assert re.findall(r"nox==[\d.]+", file.read_text()) == [nox], file
    floor = ".".join(map(str, pins.DOCS_PYTHON))
    for file in (WORKFLOW, READ_THE_DOCS):
        assert re.findall(r'python(?:-version)?: "([\d.]+)"', file.read_text()) == [floor]
