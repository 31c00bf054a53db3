# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""An example's archive holds exactly what is needed to build and run it."""

import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from _ext.downloads import offered
from _verify.archives import archive_path, contents, pack, write_archives
from _verify.closure import code_digest
from _verify.examples import find_examples
from _verify.layout import Layout

ROOT = Path(__file__).resolve().parents[2]
LAYOUT = Layout.of(ROOT)
EXAMPLES = {example.name: example for example in find_examples(LAYOUT)}
MARK = re.compile(rb"^\s*(?:(?:#|//|/\*)\s*\[[\w-]+\.(?:begin|end)\]|//! \[\w+\])(?: \*/)?\s*$")
COMMAND = re.compile(r"^    (\S.*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """Unpack all archives, separately and into one folder: they share only the header."""
    folder = tmp_path_factory.mktemp("unpacked")
    for example in EXAMPLES.values():
        packed = pack(contents(example, LAYOUT))
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            archive.extractall(folder / "archive" / example.name)
            archive.extractall(folder / "together")
    return folder


def tracked(folder: str) -> set[str]:
    """Return a folder's tracked and trackable files, relative to it."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=ROOT / folder, capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split("\0") if name and (ROOT / folder / name).exists()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_archive_is_the_folder_with_its_header(unpacked, name):
    """Every file equals the tree's, minus region markers; only the README is added."""
    folder = unpacked / "archive" / name
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    own = {f"{name}/{file}" for file in tracked(f"examples/kernel_library/{name}")}
    assert there == {*own, "tvm_ffi_utils.h", f"{name}/README.txt"}
    for file in there - {f"{name}/README.txt"}:
        lines = (LAYOUT.examples / file).read_bytes().splitlines(True)
        kept = b"".join(line for line in lines if not MARK.search(line))
        assert (folder / file).read_bytes() == kept


def test_what_is_packed_is_what_was_verified(unpacked):
    """By the hash used in receipts, the compiler or interpreter reads the same code."""
    files = [path for path in (unpacked / "together").rglob("*") if path.name != "README.txt"]
    hashed = [path for path in files if path.is_file() and path.suffix != ".toml"]
    for path in hashed:
        of_tree = code_digest(LAYOUT.examples / path.relative_to(unpacked / "together"))
        assert code_digest(path) == of_tree, path
    assert any(path.suffix == ".cu" for path in hashed)


def test_settings_that_are_packed_are_the_tree_s(unpacked):
    """Receipts hash every line of a pyproject.toml; the settings without markers are the same."""
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")
    files = sorted((unpacked / "together").rglob("*.toml"))
    for path in files:
        of_tree = (LAYOUT.examples / path.relative_to(unpacked / "together")).read_text()
        assert tomllib.loads(path.read_text()) == tomllib.loads(of_tree)
    assert files


def test_patches_of_a_page_apply_to_the_archive(unpacked):
    """Patches on the page "Break It" contain no markers and are not near any."""
    patches = sorted((ROOT / "tests/snippets/break_it").glob("*.patch"))
    assert patches
    for patch in patches:
        command = ["git", "apply", "--check", "-p3", str(patch)]
        done = subprocess.run(command, cwd=unpacked / "together", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.cc", 'auto text = R"(\n// [a.begin]\n)";\n'),
        ("a.py", 'TEXT = """\n# [a.begin]\n"""\n'),
        ("a.sh", "cat <<END\n# [a.begin]\nEND\n"),
        ("a.toml", 'text = """\n# [a.begin]\n"""\n'),
    ],
)
def test_mark_in_a_string_is_no_comment(tmp_path, name, text):
    """Dropping such a line would change the program that ran, so the site refuses it."""
    layout = Layout.of(tmp_path)
    example = next(each for each in EXAMPLES.values() if each.name == "scale")
    shutil.copytree(LAYOUT.examples / "scale", layout.examples / "scale")
    (layout.examples / "scale" / name).write_text(text)
    path = archive_path("scale", layout)
    path.parent.mkdir(parents=True)
    path.write_bytes(pack(contents(example, layout)))
    with pytest.raises(ValueError, match=f"scale/{name} in it lacks a line that looks like a mark"):
        offered(os.path.relpath(path, tmp_path / "docs"), "docs/page.rst", layout)


@pytest.mark.parametrize("name", EXAMPLES)
def test_commands_name_files_of_the_archive(unpacked, name):
    """Each command runs an existing script, and each script is listed with its purpose."""
    folder = unpacked / "archive" / name
    text = (folder / name / "README.txt").read_text()
    commands = COMMAND.findall(text)
    if (folder / name / "pyproject.toml").exists():
        wheel = (ROOT / f"tests/snippets/{name}/wheel_here.sh").read_text()
        assert commands.pop() in wheel.splitlines()
    assert len(commands) == 4
    assert all((folder / command.split()[1]).is_file() for command in commands)
    for script in [*(folder / name).glob("build_*.sh"), *(folder / name).glob("load_*.py")]:
        assert re.search(rf"^{name}/{script.name}: [A-Z]\w+s .+", text, re.MULTILINE)


def test_archive_depends_on_its_contents_alone():
    """The same files give the same bytes, regardless of their order and modification times."""
    files = contents(EXAMPLES["scale"], LAYOUT)
    backwards = dict(reversed(files.items()))
    assert pack(files) == pack(backwards)
    with zipfile.ZipFile(io.BytesIO(pack(files))) as archive:
        assert {part.date_time for part in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_archive_that_stays_the_same_is_left_alone(tmp_path):
    """An unchanged archive is not rewritten, so its pages are not reread; a changed one is."""
    layout = Layout.of(ROOT, build=tmp_path)
    write_archives(layout)
    path = archive_path("scale", layout)
    os.utime(path, (1, 1))
    archive_path("add_one", layout).write_bytes(b"old")
    write_archives(layout)
    assert path.stat().st_mtime == 1
    assert zipfile.is_zipfile(archive_path("add_one", layout))


def test_archive_offers_its_files_to_the_check(tmp_path):
    """Every file except the README is the repository's; any other file is refused."""
    layout = Layout.of(ROOT, build=tmp_path)
    write_archives(layout)
    path = archive_path("scale", layout)
    target = os.path.relpath(path, ROOT / "docs" / "guides")
    there = {f"examples/kernel_library/{name}" for name in contents(EXAMPLES["scale"], LAYOUT)}
    there.remove("examples/kernel_library/scale/README.txt")
    assert set(offered(target, "docs/guides/page.rst", layout)) == there
    for changed in ("scale/scale_kernel.cc", "scale/README.txt", "scale/more.cc"):
        path.write_bytes(pack({**contents(EXAMPLES["scale"], LAYOUT), changed: b"typed"}))
        with pytest.raises(ValueError, match=f"{changed} in it is not the repository's"):
            offered(target, "docs/guides/page.rst", layout)


def test_example_without_a_script_is_refused(tmp_path):
    """The README would otherwise name a missing script."""
    folder = tmp_path / "examples" / "kernel_library" / "half"
    folder.mkdir(parents=True)
    (folder / "build_cpu.sh").write_text("# Builds half.\n")
    with pytest.raises(FileNotFoundError, match=r"half: expected .*build_cuda\.sh"):
        write_archives(Layout.of(tmp_path))


def test_example_runs_from_its_archive(unpacked):
    """The README's CPU commands build and run the example, next to all the others."""
    pytest.importorskip("torch", reason="the example calls its kernel with PyTorch tensors")
    folder = unpacked / "together"
    commands = COMMAND.findall((folder / "add_one" / "README.txt").read_text())[:2]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        done = subprocess.run(
            command.split(),
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
    assert "gives the right results" in done.stdout
