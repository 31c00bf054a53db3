# SPDX-License-Identifier: Apache-2.0
"""Unpack NVIDIA's profilers from Debian's packages, without installing them."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

POOL = "http://deb.debian.org/debian/pool/non-free/n/nvidia-cuda-toolkit"
# The packages of Debian 13, which run on Debian 12, too, and their SHA-256.
PACKAGES = {
    "nsight-systems-target_2023.4.4.54~12.4.1-2_amd64.deb": (
        "adc9a357a0d9a81617753925a856e8e9957af10c9addae1068c3ef9be1d2a766"
    ),
    "nsight-systems_2023.4.4.54~12.4.1-2_amd64.deb": (
        "182afe148c6812f5db98e6f58c5cdcc5af4ba1a54be3c0a097f6227de042b485"
    ),
    "nsight-compute-target_2024.1.1.4~12.4.1-2_amd64.deb": (
        "e3c38f3f24e8b08dd389616991f698ee3550131dc79a9887736bf476444fde13"
    ),
    "nsight-compute_2024.1.1.4~12.4.1-2_amd64.deb": (
        "6c051bb3cd1795aa6d61b52977eb40d848e11816693eb27cc95d8ddac27c8cff"
    ),
}


def fetch(name: str, digest: str, folder: Path) -> Path:
    """Download a package, or stop if it is not the one with this SHA-256."""
    path = folder / name
    with urllib.request.urlopen(f"{POOL}/{name}") as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
    with path.open("rb") as file:
        got = hashlib.file_digest(file, "sha256").hexdigest()
    if got != digest:
        sys.exit(f"profilers.py: {name}: expected SHA-256 {digest}, got {got}")
    return path


def unpack(folder: Path) -> None:
    """Unpack the packages into a folder, and put the files where the programs look for them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, digest in PACKAGES.items():
        path = fetch(name, digest, folder)
        subprocess.run(["dpkg-deb", "-x", path, folder], check=True)
        path.unlink()
    target = folder / "usr/lib/x86_64-linux-gnu/nsight-systems/target-linux-x64"
    host = folder / "usr/lib/nsight-systems/host-linux-x64"
    # Where nsys looks for what turns its recordings into reports and tables.
    (target.parent / "host-linux-x64").symlink_to(host)
    shutil.copytree(target / "python/lib", host / "python/lib", dirs_exist_ok=True)
    # The importer's own link to the system's libssh.
    (library,) = Path("/usr/lib").glob("*-linux-gnu/libssh.so.4")
    (folder / "usr/lib/x86_64-linux-gnu/libssh.so.4").symlink_to(library)
    programs = folder / "bin"
    programs.mkdir()
    (programs / "nsys").symlink_to(target / "nsys")
    (compute,) = folder.glob("usr/lib/x86_64-linux-gnu/nsight-compute/target/*/ncu")
    (programs / "ncu").symlink_to(compute)
    (folder / "complete").touch()


if __name__ == "__main__":
    place = Path(sys.argv[1])
    if not (place / "complete").exists():
        unpack(place.resolve())
