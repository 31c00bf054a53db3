# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The line under a piece of code leads to the receipts of its file."""

import hashlib
import json
import os
import re
import subprocess

from _verify.links import dead_links

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
GREET = "docs/greet.sh"
SITE = "build/site"
LISTS = (
    *(f"{SITE}/{name}.json" for name in ("snippets", "pages", "quoted")),
    "build/snippets.json",
)


def page_of(project, file):
    """Return the page of a file's receipts."""
    return project.file(f"build/site/receipts/{file}.html").read_text()


def test_the_page_of_a_kernel(pristine):
    """The page shows how the kernel was compiled and run, its lines that ran, and its hashes."""
    page = page_of(pristine, KERNEL)
    sha256 = hashlib.sha256(pristine.file(KERNEL).read_bytes()).hexdigest()
    assert sha256 in page
    (download,) = pristine.file("build/site/_downloads").rglob("scale_kernel.cc")
    offered = hashlib.sha256(download.read_bytes()).hexdigest()
    assert offered != sha256
    assert offered in page
    (command,) = set(re.findall("<pre>(g\\+\\+ .*)</pre>", page))
    assert command.endswith(f"-o scale_cpu.so {KERNEL}")
    assert re.search(r"<code>tests/examples/test_scale.py</code>: \d+ passed", page)
    assert re.search(r"<dd>ran: lines? \d", page)
    assert "<code>examples/kernel_library/check.h</code>" in page


def test_each_state_leads_to_its_file(pristine):
    """The link leads to the receipts of the file, at the region shown."""
    for name in ("index", "notes"):
        page = pristine.file(f"build/site/{name}.html").read_text()
        states = re.findall(r'<span class="snippet-verified">(.*?)</span>', page)
        links = [re.search(r'href="(receipts/[^"]+)"', state) for state in states]
        assert states
        assert all(links), states
    _, dead = dead_links(pristine.file("build/site"))
    assert [line for line in dead if "receipts/" in line] == []


def test_a_receipt_as_json(pristine):
    """The page links to each receipt's complete JSON, as the run wrote it."""
    names = re.findall(r'href="(?:\.\./)+receipts/([^"]+\.json)"', page_of(pristine, GREET))
    assert names
    for name in names:
        told = json.loads(pristine.file(f"build/site/receipts/{name}").read_text())
        assert told == json.loads(pristine.file(f"build/receipts/{name}").read_text())


def test_the_pages_of_an_earlier_build_are_removed(project):
    """A file that is no longer shown has no page of receipts."""
    assert project.build()[0] == 0
    gone = project.file("build/site/receipts/gone.html")
    gone.touch()
    project.append("docs/notes.md", "\nA sentence.\n")
    assert project.build()[0] == 0
    assert project.file(f"build/site/receipts/{GREET}.html").exists()
    assert not gone.exists()


def test_a_list_is_replaced_whole(project):
    """A reader during a rebuild gets the complete old list or the complete new one."""
    assert project.site()[0] == 0
    for name in LISTS:
        os.link(project.file(name), project.file(f"{name}.old"))
        before = project.file(name).read_text()
        project.file(f"{name}.before").write_text(before)
    project.append("docs/notes.md", "\n## A section\n\nA sentence.\n")
    assert project.build()[0] == 0
    for name in LISTS:
        assert project.file(f"{name}.old").read_text() == project.file(f"{name}.before").read_text()
        assert not project.file(name).samefile(project.file(f"{name}.old"))
        assert not project.file(name).with_suffix(".unfinished").exists()


def test_uncommitted_changes_are_named(project):
    """Each changed file is named as in git, or the first of many, along with the commit."""
    git = ["git", "-C", str(project.root), "rev-parse", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    project.append(GREET, "\n")
    for number in range(30):
        project.file(f"docs/x{number:02}.txt").touch()
    assert project.build()[0] == 0
    name = "docs.greet.sh-by-tests.snippets.test_shown_files.py--ran-on-CPU--cpu.json"
    runtime = json.loads(project.file(f"build/receipts/{name}").read_text())["runtime"]
    assert runtime["commit"] == commit
    assert runtime["changes"].startswith("M docs/greet.sh; ")
    assert re.search(r"; and \d+ more$", runtime["changes"])
    assert runtime["changes"].count(";") == 20
    assert f"{commit}</code> with uncommitted changes: M docs/greet.sh; " in page_of(project, GREET)


def test_two_receipts_of_one_name_are_refused(project):
    """Both the verifying run and the site's build refuse them, naming both."""
    shown = "tests/snippets/test_shown_files.py"
    project.file("docs.greet.sh").write_text(project.file(GREET).read_text())
    project.append(shown, "\n\ndef test_other(shows):\n    shows('docs.greet.sh')\n")
    project.append(shown, "    subprocess.run(['bash', 'docs.greet.sh'], check=True)\n")
    status, said = project.verify()
    assert status != 0
    for each in (GREET, "docs.greet.sh"):
        assert f"{each} by {shown}" in said
    assert "its receipt would have the same name" in said
    name = f"docs.greet.sh-by-{shown.replace('/', '.')}--ran-on-CPU--cpu.json"
    given = json.loads(project.file(f"build/receipts/{name}").read_text())
    subjects = [f"{each} by {shown}" for each in (GREET, "docs.greet.sh")]
    for number, subject in enumerate(subjects):
        text = json.dumps({**given, "subject": subject})
        project.file(f"build/receipts/{number}.json").write_text(text)
    project.file("build/failures.json").unlink()
    status, said = project.site("-D", "verify_preview=1")
    assert status != 0
    assert f"receipts: expected names that differ, got {name} for" in said
    assert all(subject in said for subject in subjects)
