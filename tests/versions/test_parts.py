# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The parts of the runner: the list of releases, cached builds and results, symbols, features."""

import subprocess
from pathlib import Path
from typing import Any

import features
import pytest
from _verify.examples import find_examples
from _verify.layout import Layout
from features import Feature, expression, preprocessed
from headers import Package, build, first_error
from releases import install, order, versions_in
from symbols import exported, imported
from versions import Runs, in_few_words

SAID = """apache-tvm-ffi (0.1.10)
Available versions: 0.1.10, 0.1.9, 0.1.8.post2, 0.1.8.post0, 0.1.8
"""


def test_list_of_the_index() -> None:
    """Versions are in numerical order, a post-release after its release."""
    assert versions_in(SAID) == ["0.1.8", "0.1.8.post0", "0.1.8.post2", "0.1.9", "0.1.10"]


def test_index_without_versions() -> None:
    """An index without versions is an error, not an empty record."""
    with pytest.raises(ValueError, match="expected a line 'Available versions"):
        versions_in("ERROR: No matching distribution found\n")


def test_no_version() -> None:
    """A pre-release is not expected, since pip lists none."""
    with pytest.raises(
        ValueError, match=r"expected a version such as 0\.1\.8\.post2, got '0.2rc1'"
    ):
        order("0.2rc1")


def test_release_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A complete installation is not downloaded again; an interrupted one is."""
    commands = []

    def pip(command: list[str], check: bool) -> None:
        commands.append(command)
        Path(command[command.index("--target") + 1]).mkdir()

    monkeypatch.setattr(subprocess, "run", pip)
    for _ in range(2):
        install("0.1.0", tmp_path / "0.1.0")
    assert len(commands) == 1
    assert commands[0][-1] == "apache-tvm-ffi==0.1.0"
    assert (tmp_path / "0.1.0").is_dir()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with one example, whose script copies a header of the package."""
    folder = tmp_path / "examples" / "kernel_library" / "scale"
    folder.mkdir(parents=True)
    (folder.parent / "tvm_ffi_utils.h").write_text("")
    (folder / "scale_kernel.cc").write_text("")
    script = 'cp "$PYTHONPATH/tvm_ffi/include/a.h" scale_cpu.so\necho >> runs\n'
    (folder / "build_cpu.sh").write_text(script)
    return tmp_path


def package(folder: Path, text: str = "1") -> Package:
    """Make a package with one header."""
    (folder / "tvm_ffi" / "include").mkdir(parents=True)
    (folder / "tvm_ffi" / "include" / "a.h").write_text(text)
    return Package("0.1.0", folder, folder / "bin")


def test_build_is_kept(root: Path) -> None:
    """A library is built with the package's headers, and rebuilt only after a change."""
    (example,) = find_examples(Layout.of(root))
    release = package(root / "release")
    libraries = root / "build"
    runs = libraries / "0.1.0" / "runs"

    def built() -> tuple[str, int]:
        return build(root, example, release, libraries), runs.read_text().count("\n")

    assert [built(), built()] == [("ok", 1), ("ok", 1)]
    assert (libraries / "0.1.0" / "scale_cpu.so").read_text() == "1"
    (release.include / "a.h").write_text("2")
    assert built() == ("ok", 2)
    (root / "examples" / "kernel_library" / "tvm_ffi_utils.h").write_text("// new")
    assert built() == ("ok", 3)
    (root / example.folder / "scale_kernel.cc").write_text("2")
    assert built() == ("ok", 4)


def test_build_that_fails(root: Path) -> None:
    """The result is the compiler's first error."""
    (example,) = find_examples(Layout.of(root))
    script = root / example.folder / "build_cpu.sh"
    script.write_text("echo 'a.cc:1: error: no such name' >&2; echo later >&2; exit 1\n")
    assert build(root, example, package(root / "release"), root / "build") == (
        "a.cc:1: error: no such name"
    )


def test_error_without_a_word() -> None:
    """A command without output still has a result."""
    assert first_error("") == "no word of why"


@pytest.mark.parametrize(
    ("result", "short"),
    [
        ("ok", "ok"),
        (
            "ended with 127: python: ./a.so: undefined symbol: TVMFFINo",
            "undefined symbol: TVMFFINo",
        ),
        ("ValueError: first\nsecond", "ValueError: first"),
        ("e" * 1000, "e" * 200),
    ],
)
def test_in_few_words(result: str, short: str) -> None:
    """The record has one line per error."""
    assert in_few_words(result) == short


def test_only_what_is_not_kept_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are kept per example, and all are run again under another runtime."""
    monkeypatch.setattr("versions.BUILD", tmp_path)
    asked = []

    def ask(self: Runs, job: dict[str, Any]) -> dict[str, str]:
        asked.append(job["names"])
        return dict.fromkeys(job["names"], "ok")

    monkeypatch.setattr(Runs, "ask", ask)
    runs = Runs([])
    assert runs.run("a under b", {"names": ["x"]}, "1") == {"x": "ok"}
    assert runs.run("a under b", {"names": ["x", "y"]}, "1") == {"x": "ok", "y": "ok"}
    assert runs.run("a under b", {"names": ["y", "x"]}, "1") == {"x": "ok", "y": "ok"}
    runs.run("a under b", {"names": ["x", "y"]}, "2")
    assert asked == [["x"], ["y"], ["x", "y"]]


def test_packages_find_no_compiler_and_examples_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that compiles at import fails at once; PyTorch's compiler is g++."""
    monkeypatch.setattr("versions.BUILD", tmp_path)
    monkeypatch.setenv("CXX", "g++")
    variables = Runs([]).environment()
    assert "CXX" not in variables
    assert subprocess.run(["c++", "--version"], env=variables).returncode == 1
    assert subprocess.run(["g++", "--version"], env=variables).returncode == 0


def test_symbols(tmp_path: Path) -> None:
    """Only the runtime's C functions count, and weak imports do not."""
    source, library = tmp_path / "a.c", tmp_path / "a.so"
    source.write_text(
        "int puts(const char*);\n"
        "int TVMFFINo(void);\n"
        "__attribute__((weak)) int TVMFFIPerhaps(void);\n"
        'int TVMFFIYes(void) { return TVMFFINo() + puts("") + (TVMFFIPerhaps ? 1 : 0); }\n'
    )
    subprocess.run(["gcc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    assert (imported(library), exported(library)) == ({"TVMFFINo"}, {"TVMFFIYes"})


@pytest.mark.parametrize(
    ("feature", "result"),
    [
        (Feature("header", "a.h"), "ok"),
        (Feature("header", "b.h"), "no such header: b.h"),
        (Feature("macro", "YES", "a.h"), "ok"),
        (Feature("macro", "NO", "a.h"), "undefined macro: NO"),
        (Feature("macro", "NO", "b.h"), "no such header: b.h"),
    ],
)
def test_preprocessed(tmp_path: Path, feature: Feature, result: str) -> None:
    """A missing header or macro is named; CUDA's own headers are optional."""
    text = "#include <cuda_runtime.h>\n#define YES 1\n"
    said = preprocessed(package(tmp_path / "release", text), feature, tmp_path)
    assert said == "ok" if result == "ok" else result in said
    assert str(tmp_path) not in said


def test_expression() -> None:
    """A name of the Python package is imported from where it is defined."""
    exec(expression(Feature("python", "os.path.join")))
    with pytest.raises(AttributeError, match="no_such_name"):
        exec(expression(Feature("python", "os.path.no_such_name")))


def test_features_have_names_of_their_own() -> None:
    """No two features share a name, so no result hides another."""
    titles = [feature.title for feature in features.FEATURES]
    assert len(titles) == len({*titles})
