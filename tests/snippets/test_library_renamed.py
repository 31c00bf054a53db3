# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The library example as the beginning of a project of another name."""

import re
import sys
from pathlib import Path

from commands import run

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/kernel_library/library"
USES = "tests/snippets/library/use.py"
OLD_NAME = re.compile("vector[_-]kernels", re.IGNORECASE)
BUILD = "from scikit_build_core.build import build_sdist; build_sdist('dist')"
QUICK = ["-Ccmake.build-type=Debug", "-Ccmake.define.MY_KERNELS_CUDA=OFF"]


def test_a_project_of_ones_own(shows, tmp_path):
    """Renamed as the page tells, a source distribution is whole: it is installed and imported."""
    project = [
        path.relative_to(ROOT).as_posix()
        for path in sorted(EXAMPLE.rglob("*"))
        if path.suffix in (".txt", ".toml", ".h", ".cc") or path.name == "__init__.py"
    ]
    script = shows("tests/snippets/library/rename.sh", USES, *project)

    run("bash", script, folder=tmp_path, CLONE=str(ROOT))
    folder = tmp_path / "my_kernels"
    files = [path for path in folder.rglob("*") if path.suffix not in ("", ".pyc", ".so")]
    assert not [path for path in files if OLD_NAME.search(str(path) + path.read_text())]
    run(sys.executable, "-c", BUILD, folder=folder)
    (packed,) = (folder / "dist").iterdir()
    assert packed.name == "my_kernels-0.1.0.tar.gz"
    alone = ["--no-deps", "--no-build-isolation", "--target", "site"]
    run(sys.executable, "-m", "pip", "install", "-q", *alone, *QUICK, packed, folder=tmp_path)
    (library,) = tmp_path.glob("site/my_kernels/*.so")
    sections = run("readelf", "-S", "--wide", library, folder=tmp_path)
    assert ".text" in sections
    assert "nv_fatbin" not in sections  # what CUDA code lies in
    use = OLD_NAME.sub("my_kernels", (ROOT / USES).read_text())
    site = str(tmp_path / "site")
    used = run(sys.executable, "-c", use, folder=tmp_path, PYTHONPATH=site)
    assert used == "[[1.5, 2.0], [2.5, 3.0]]\n[5.5, 19.5]\n"
