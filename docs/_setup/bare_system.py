# SPDX-License-Identifier: Apache-2.0
"""Follow the README in a bare Debian system.

``-m _setup.bare_system SYSTEM READER FOLDER [LEFT OUT...]``.

The system is a debootstrap root that contains only the packages named in the README.
It gets this machine's apt and pip settings, its certificates and its local wheel folders.
Wheel folders are mounted, so the script needs its own mount namespace: ``unshare --mount``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from .pip_settings import pip_settings

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = {"bookworm": "Debian 12", "trixie": "Debian 13", "sid": "Debian sid"}
HOMES = {"root": Path("/root"), "user": Path("/home/user")}
HEADINGS = ("## Verify everything yourself", "## Use it")
FENCE = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
TO_TYPE = re.compile(r"Type: (sudo apt-get install .+)$", re.MULTILINE)
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
GIVEN = re.compile(r"(PIP_|SSL_CERT_|TORCH_INDEX$|(https?|no)_proxy$)", re.IGNORECASE)
OF_THE_SYSTEM = {Path(name) for name in ("/", "/etc", "/home", "/opt", "/root", "/usr", "/var")}
# Records of earlier sessions, below build, which the site shows. Each record names its tree.
RECORDS = (
    "frameworks.json",
    "interop.json",
    "machine_code.json",
    "published_pages.json",
    "published_snippets.json",
    "runtimes.json",
    "machine_code",
    "rows",
    "emulation/receipts",
)
SHELL_STATE = re.compile(r"\. |cd |export |\w+=")  # lines that affect the next ones
TAIL = 40  # lines of a failed command to show


@dataclass(frozen=True)
class Ran:
    """A command, who typed it where, and its outcome."""

    system: str
    reader: str
    command: str
    status: int
    seconds: float


def readme_commands(text: str) -> list[str]:
    """Return the command lines of the README's sections on verifying and using it, in order.

    ValueError: a section is missing or shows no commands.
    """
    commands = []
    for heading in HEADINGS:
        section = text.partition(f"{heading}\n")[2].partition("\n## ")[0]
        lines = [line for block in FENCE.findall(section) for line in block.splitlines()]
        found = [line.partition("  #")[0].strip() for line in lines]
        if not any(found):
            raise ValueError(f"README.md: expected shell commands under {heading!r}, got none")
        commands += [command for command in found if command]
    return commands


def debian_mirror() -> str:
    """Return the Debian mirror that this machine uses."""
    folder = Path("/etc/apt")
    for path in [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]:
        text = path.read_text() if path.is_file() else ""
        if found := re.search(r"^\s*(?:URIs:|deb)\s.*?(\S+://\S+/debian/?)\s", text, re.MULTILINE):
            return found.group(1)
    return "http://deb.debian.org/debian"


def pip_configuration() -> tuple[str, set[Path]]:
    """Return pip's configuration as one file, and the paths it and the variables name."""
    found = pip_settings()
    file = "\n".join(["[global]", *(f"{name} = {value}" for name, value in found.items())]) + "\n"
    values = [*found.values()]
    values += [value for name, value in os.environ.items() if GIVEN.match(name)]
    paths = set()
    for word in (word for value in values for word in value.split()):
        path = Path(word.removeprefix("file://"))
        if path.is_absolute() and path.exists():
            # An index of files links to wheels outside it.
            paths.add(path.parent if path.name == "simple" else path)
    if refused := sorted(paths & OF_THE_SYSTEM):
        raise ValueError(f"pip: expected folders of wheels, got a part of the system: {refused[0]}")
    return file, paths


def copy_records(source: Path, target: Path) -> None:
    """Copy the records of other sessions from one build folder to another."""
    for name in RECORDS:
        path = source / name
        if path.is_dir():
            shutil.copytree(path, target / name)
        elif path.exists():
            target.mkdir(exist_ok=True)
            shutil.copy(path, target / name)


def keep_site(clone: Path, build: Path) -> None:
    """Copy the site that a reader has built, so that it outlives the root."""
    shutil.rmtree(build / "site", ignore_errors=True)
    shutil.copytree(clone / "build" / "site", build / "site")


class System:
    """A bare root, and a reader who types in it."""

    def __init__(self, name: str, reader: str, folder: Path) -> None:
        self.name, self.reader, self.folder = name, reader, folder
        self.ran: list[Ran] = []

    def inside(self, path: Path) -> Path:
        """Return where a path of the root is on this machine."""
        return self.folder / path.relative_to("/")

    @property
    def clone(self) -> Path:
        """Where the reader's clone is on this machine."""
        return self.inside(HOMES[self.reader] / "clone")

    def make(self) -> None:
        """Install the base system, copy the settings into it, and clone the committed tree."""
        options = ["--variant=minbase", self.name, str(self.folder), debian_mirror()]
        subprocess.run(["debootstrap", *options], check=True, stdout=subprocess.DEVNULL)
        _, paths = pip_configuration()
        self.hand_over()
        # Certificates may be looked up by name in their folder, which can be a setting too.
        folders = {path for path in paths if path.is_dir() and path != CERTIFICATES.parent}
        for path in {Path("/dev"), *folders}:
            self.inside(path).mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "--rbind", path, self.inside(path)], check=True)
            if path != Path("/dev"):
                read_only = ["mount", "-o", "bind,remount,ro", str(self.inside(path))]
                subprocess.run(read_only, check=True)
        subprocess.run(["mount", "-t", "proc", "proc", self.inside(Path("/proc"))], check=True)
        if self.reader == "user":
            self.prepare("useradd --create-home user")
        clone = HOMES[self.reader] / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(self.clone)], check=True)
        copy_records(ROOT / "build", self.clone / "build")
        if self.reader == "user":
            self.prepare(f"chown -R user: {clone}")

    def prepare(self, script: str) -> None:
        """Run a command as root before the reader starts."""
        status, said = self.type(script, root=True)
        if status:
            raise RuntimeError(f"{self.name}: expected {script} to succeed, got {said}")

    def hand_over(self) -> None:
        """Copy this machine's certificates and package client settings."""
        file, paths = pip_configuration()
        self.inside(Path("/etc/pip.conf")).write_text(file)
        settings = {Path("/etc/hosts"), Path("/etc/resolv.conf"), CERTIFICATES, *paths}
        for path in Path("/etc/apt/apt.conf.d").iterdir():
            if "Acquire::" in path.read_text():
                settings.add(path)
        for path in filter(Path.is_file, settings):
            self.inside(path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.inside(path))

    def share_cache(self) -> None:
        """Let root's pip use this machine's cache; pip refuses a cache owned by another user."""
        if self.reader == "root":
            pip = [sys.executable, "-m", "pip", "cache", "dir"]
            cache = subprocess.run(pip, capture_output=True, text=True, check=True).stdout.strip()
            target = self.inside(HOMES["root"] / ".cache" / "pip")
            Path(cache).mkdir(parents=True, exist_ok=True)
            target.mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "--bind", cache, target], check=True)

    def type(self, script: str, *, root: bool = False) -> tuple[int, str]:
        """Run a shell script in the root, and return its status and output."""
        home = HOMES["root" if root else self.reader]
        environment = {name: value for name, value in os.environ.items() if GIVEN.match(name)}
        environment |= {"HOME": str(home), "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        environment |= {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        user = [] if root or self.reader == "root" else ["--userspec=user:user"]
        with self.folder.with_suffix(".log").open("a+", errors="replace") as log:
            print(f"$ {script}", file=log, flush=True)
            start = log.tell()
            command = ["chroot", *user, str(self.folder), "bash", "-c", script]
            null = subprocess.DEVNULL
            done = subprocess.run(command, env=environment, stdin=null, stdout=log, stderr=log)
            log.seek(start)
            return done.returncode, log.read()

    def follow(self, commands: list[str]) -> bool:
        """Run the README's commands; if nox asks for packages, install them and retry once."""
        state = [f"cd {HOMES[self.reader]}/clone"]
        for command in commands:
            status, said = self.record(command, state)
            asked = TO_TYPE.search(said)
            if status and asked:
                self.record(asked.group(1), [])
                status, said = self.record(command, state)
            if status:
                print(*said.splitlines()[-TAIL:], sep="\n", flush=True)
                return False
            if SHELL_STATE.match(command):
                state.append(command)
        return True

    def record(self, command: str, state: list[str]) -> tuple[int, str]:
        """Type one command; run sudo commands as root, because a bare system has no sudo."""
        print(f"{SYSTEMS[self.name]}, {self.reader}: {command}", flush=True)
        begin = time.monotonic()
        if command.startswith("sudo "):
            plain = command.removeprefix("sudo ").replace(" install ", " install -q ", 1)
            option = "APT::Install-Recommends=false"
            status, said = self.type(f"{plain} -o {option}", root=True)
            self.hand_over()  # the package ca-certificates writes its own list
        else:
            status, said = self.type(" && ".join([*state, command]))
        spent = round(time.monotonic() - begin, 1)
        self.ran.append(Ran(self.name, self.reader, command, status, spent))
        print(f"    exit status {status} after {spent:.0f} s", flush=True)
        return status, said


def main() -> int:
    """Follow the README; return 0 if each command succeeded, once what nox asked for is installed.

    ``left_out`` lists commands of the README that are skipped.
    """
    name, reader, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve()
    left_out = sys.argv[4:]
    mounts = {os.readlink(f"/proc/{process}/ns/mnt") for process in ("self", os.getppid())}
    if len(mounts) == 1:
        raise SystemExit("bare_system.py: expected mounts of its own, got those of its parent")
    folder.mkdir(parents=True)
    system = System(name, reader, folder)
    try:
        system.make()
        system.share_cache()
        commands = readme_commands((ROOT / "README.md").read_text())
        good = system.follow([command for command in commands if command not in left_out])
        if good:
            keep_site(system.clone, ROOT / "build")
    finally:
        rows = [asdict(ran) for ran in system.ran]
        folder.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
