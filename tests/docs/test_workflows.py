# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The public workflows run every session, and publish only if all of them pass.

``nox -s lint`` checks their syntax.
"""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nox", reason="only the sessions use this")
yaml = pytest.importorskip("yaml", reason="comes with the site's tools, on Python 3.11")

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"


def jobs_of(name):
    """Return the jobs of a workflow."""
    return yaml.safe_load((WORKFLOWS / name).read_text())["jobs"]


def combinations(job):
    """Return the values of a job's matrix, one dictionary for each run of the job."""
    matrix = dict(job.get("strategy", {}).get("matrix", {}))
    included = matrix.pop("include", [])
    if not matrix:
        return included or [{}]
    assert not included, "this test knows a matrix of lists, or one of include"
    return [
        dict(zip(matrix, values, strict=True)) for values in itertools.product(*matrix.values())
    ]


def sessions_of(job):
    """Return the sessions that all runs of a job name."""
    named = []
    for values in combinations(job):
        for step in job["steps"]:
            command = step.get("run", "")
            for key, value in values.items():
                command = command.replace(f"${{{{ matrix.{key} }}}}", str(value))
            for words in re.findall(r"\bnox -s (.+)", command):
                named += words.partition(" -- ")[0].split()
    return named


@pytest.fixture(scope="module")
def marked():
    """Each session of the noxfile, marked "*" if plain ``nox`` runs it, or "-"."""
    command = [sys.executable, "-m", "nox", "--list"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = re.findall(r"^([*-]) (\S+) ->", done.stdout, re.MULTILINE)
    return {session: mark for mark, session in found}


def test_each_default_session_runs_on_a_pull_request(marked):
    """No job or step has a condition that could skip it, and no failure is ignored."""
    triggers = yaml.safe_load((WORKFLOWS / "ci.yml").read_text())[True]  # YAML reads "on" as true
    assert triggers == {"push": None, "pull_request": None}
    jobs = jobs_of("ci.yml")
    del jobs["publish"]
    for name, job in jobs.items():
        assert "if" not in job, name
        for part in (job, *job["steps"]):
            assert "continue-on-error" not in part, name
            assert "if" not in part, name
    run = {session for job in jobs.values() for session in sessions_of(job)}
    by_default = {session for session, mark in marked.items() if mark == "*"}
    assert by_default
    # nox runs their prerequisites first.
    requires = re.findall(r"requires=\[(.*?)\]", (ROOT / "noxfile.py").read_text())
    required = {name for names in requires for name in re.findall(r'"(\w+)"', names)}
    assert by_default - run - required == set()


def test_arm64_runs_what_the_readme_says():
    """Two jobs run on arm64 runners, and no other job runs ``examples``."""
    jobs = jobs_of("ci.yml")
    arm = "ubuntu-24.04-arm"
    assert (jobs["arm64"]["runs-on"], sessions_of(jobs["arm64"])) == (
        arm,
        ["tests-3.11", "examples"],
    )
    others = [sessions_of(job) for name, job in jobs.items() if name != "arm64"]
    assert not any("examples" in sessions for sessions in others)
    assert arm in jobs["wheel"]["strategy"]["matrix"]["runner"]
    assert sessions_of(jobs["wheel"]) == ["wheel"] * 2
    said = "`tests-3.11` and `wheel` also run on arm64, and `examples` runs only there."
    assert said in (ROOT / "README.md").read_text()


def test_every_python_is_tested_and_released(marked):
    """Both matrices have exactly the Python versions of the noxfile."""
    pythons = {name.removeprefix("tests-") for name in marked if name.startswith("tests-")}
    assert set(jobs_of("ci.yml")["pythons"]["strategy"]["matrix"]["python"]) == pythons
    assert set(jobs_of("release.yml")["wheel"]["strategy"]["matrix"]["python"]) == pythons


@pytest.mark.parametrize("workflow", sorted(path.name for path in WORKFLOWS.glob("*.yml")))
def test_named_sessions_exist(workflow, marked):
    """A workflow names only sessions of the noxfile."""
    named = [session for job in jobs_of(workflow).values() for session in sessions_of(job)]
    assert named
    assert set(named) - set(marked) == set()


@pytest.mark.parametrize("workflow", ["ci.yml", "release.yml"])
def test_publishing_needs_all_other_jobs(workflow):
    """If any job fails, nothing is published; no condition overrides that."""
    jobs = jobs_of(workflow)
    publish = jobs.pop("publish")
    needs = publish["needs"]
    assert set([needs] if isinstance(needs, str) else needs) == set(jobs)
    assert not re.search(r"always|failure|cancelled", publish.get("if", ""))


def test_hook_runs_the_lint_session():
    """The pre-commit hook has no tools of its own."""
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    (repository,) = config["repos"]
    assert repository["repo"] == "local"
    (hook,) = repository["hooks"]
    assert hook["entry"] == "nox -s lint"
    assert hook["pass_filenames"] is False
