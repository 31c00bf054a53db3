# SPDX-License-Identifier: Apache-2.0
"""The session ``fresh``: follow the README in bare Debian systems, each with its own mounts."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nox
from _verify.table import aligned
from nox.command import CommandFailed

from .bare_system import HOMES, ROOT, SYSTEMS, Ran
from .system import need

COLUMNS = ["system", "reader", "command", "exit status", "seconds"]
# The final table of `nox -s docs`, without the list of snippets.
RESULTS = re.compile(
    r"^Examples\n.*?(?=^Snippets$)|^(?:snippets verified =|time:) .*?$", re.M | re.S
)


def choose(words: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the systems and readers the arguments name, and the README's commands to leave out.

    The default is Debian 12 and a user.
    Without the word ``tests``, leave out ``nox -s tests machinery``, which takes longest.
    ValueError: a word is unknown.
    """
    known = [*SYSTEMS, *HOMES, "tests"]
    if unknown := sorted({*words} - {*known}):
        expected = ", ".join(known)
        raise ValueError(f"fresh: expected some of {expected}, got {' '.join(unknown)}")
    systems = [word for word in SYSTEMS if word in words] or ["bookworm"]
    readers = [word for word in HOMES if word in words] or ["user"]
    left_out = [] if "tests" in words else ["nox -s tests machinery"]
    return list(itertools.product(systems, readers)), left_out


def why_no_bare_system() -> str:
    """Return why no bare system can be created on this machine; empty if one can."""
    if os.geteuid() != 0:
        return "only root can make a bare system and enter it"
    trial = ["unshare", "--mount", "true"]
    if shutil.which(trial[0]) and not subprocess.run(trial, capture_output=True).returncode:
        return ""
    return "this machine allows no mounts"


def uncommitted(root: Path) -> str:
    """Return a warning that names the files whose changes a clone of ``root`` lacks, or ""."""
    command = ["git", "status", "--porcelain", "--no-renames", "-z"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    files = [entry[3:] for entry in listed.split("\0") if entry]
    return f"not in the clone, because not committed: {', '.join(files)}" if files else ""


def follow_readme(session: nox.Session, build: Path) -> None:
    """Follow the README for each system and reader; print the results and a table of commands."""
    try:
        pairs, left_out = choose(session.posargs)
    except ValueError as error:
        session.error(str(error))
    if why := why_no_bare_system():
        session.skip(why)
    need(session, "debootstrap", "git")
    if warning := uncommitted(ROOT):
        session.warn(warning)
    shutil.rmtree(build, ignore_errors=True)
    rows, failed = [COLUMNS], []
    for system, reader in pairs:
        folder = build / f"{system}-{reader}"
        build.mkdir(parents=True, exist_ok=True)
        folder.with_suffix(".log").touch()
        folder.with_suffix(".json").write_text("[]\n")
        arguments = [system, reader, str(folder), *left_out]
        script = [sys.executable, "-m", "_setup.bare_system", *arguments]
        env = {"PYTHONPATH": str(Path(__file__).parents[1])}
        try:
            session.run("unshare", "--mount", *script, external=True, env=env)
        except CommandFailed:
            failed.append(folder.name)
        print(*RESULTS.findall(folder.with_suffix(".log").read_text(errors="replace")), sep="\n")
        # Its mounts ended with the process that created them.
        shutil.rmtree(folder, ignore_errors=True)
        for ran in json.loads(folder.with_suffix(".json").read_text()):
            rows.append(cells(Ran(**ran)))
    print(aligned(rows))
    for command in left_out:
        print(f"left out: {command} (-- tests types it, too)")
    if failed:
        session.error(f"failed: {', '.join(failed)}; see the logs in {build}")


def cells(ran: Ran) -> list[str]:
    """Return a row of the table."""
    return [SYSTEMS[ran.system], ran.reader, ran.command, str(ran.status), f"{ran.seconds:.0f}"]
