# SPDX-License-Identifier: Apache-2.0
"""The session ``fresh``: follow the README in bare Debian systems, each in mounts of its own."""

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

from .bare_system import HOMES, SYSTEMS, Ran
from .system import need

COLUMNS = ["system", "reader", "command", "exit status", "seconds"]
# The final table of `nox -s docs`, without the list of snippets.
RESULTS = re.compile(
    r"^Examples\n.*?(?=^Snippets$)|^(?:snippets verified =|time:) .*?$", re.M | re.S
)


def choose(words: list[str]) -> list[tuple[str, str]]:
    """The systems and the readers that the arguments name; Debian 12 and a user if none does.

    ValueError: a word names neither.
    """
    if unknown := sorted({*words} - {*SYSTEMS, *HOMES}):
        expected = ", ".join([*SYSTEMS, *HOMES])
        raise ValueError(f"fresh: expected some of {expected}, got {' '.join(unknown)}")
    systems = [word for word in SYSTEMS if word in words] or ["bookworm"]
    readers = [word for word in HOMES if word in words] or ["user"]
    return list(itertools.product(systems, readers))


def follow_readme(session: nox.Session, build: Path) -> None:
    """Follow it for each system and reader; print their results, and a table of commands."""
    try:
        pairs = choose(session.posargs)
    except ValueError as error:
        session.error(str(error))
    if os.geteuid() != 0:
        session.skip("only root can make a bare system and enter it")
    if subprocess.run(["unshare", "--mount", "true"], check=False).returncode != 0:
        session.skip("this machine allows no mounts")
    need(session, "debootstrap", "git")
    shutil.rmtree(build, ignore_errors=True)
    rows, failed = [COLUMNS], []
    for system, reader in pairs:
        folder = build / f"{system}-{reader}"
        build.mkdir(parents=True, exist_ok=True)
        folder.with_suffix(".log").touch()
        folder.with_suffix(".json").write_text("[]\n")
        script = [sys.executable, "-m", "_setup.bare_system", system, reader, str(folder)]
        env = {"PYTHONPATH": str(Path(__file__).parents[1])}
        try:
            session.run("unshare", "--mount", *script, external=True, env=env)
        except CommandFailed:
            failed.append(folder.name)
        print(*RESULTS.findall(folder.with_suffix(".log").read_text(errors="replace")), sep="\n")
        # Its mounts ended with the process that made them.
        shutil.rmtree(folder, ignore_errors=True)
        for ran in json.loads(folder.with_suffix(".json").read_text()):
            rows.append(cells(Ran(**ran)))
    print(aligned(rows))
    if failed:
        session.error(f"failed: {', '.join(failed)}; see the logs in {build}")


def cells(ran: Ran) -> list[str]:
    """A row of the table."""
    return [SYSTEMS[ran.system], ran.reader, ran.command, str(ran.status), f"{ran.seconds:.0f}"]
