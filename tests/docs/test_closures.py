# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A receipt becomes stale if anything that it depends on changes, the runtime included."""

import hashlib
from dataclasses import replace

import pytest
from _verify.closure import RUNTIME, closure_of, runtime_now
from _verify.evidence import Evidence
from _verify.installed import RECORD, why_not
from _verify.layout import Layout
from _verify.receipts import COMPILED, RAN_ON_GPU, Receipt, write_receipt
from _verify.survival import as_ranges

EARLIER = "ran on GPU with an earlier runtime"
KERNEL = "examples/kernel_library/scale/scale_kernel.cu"
HEADER = "include/tvm/ffi/container/tensor.h"
SOURCE, CORE = "src/tensor.cc", "python/tvm_ffi/_core/tensors/tensor.cc"
PYTHON, PROJECT, CMAKE = "python/tvm_ffi/stream.py", "pyproject.toml", "CMakeLists.txt"
FILES = {
    KERNEL: "#if A\nint kernel;\n#else\nint other;\n#endif\n",
    HEADER: "int rank(int n) { return n + 1; }\n",
    SOURCE: 'const char* url = "http://a";  // where\nint n = 1 + 2;\n',
    CORE: "int m = 1 + 2;\n",
    PYTHON: '"""Tensors."""\n\nn = 1 + 2\n',
    "src/exports.map": "{ local: *; };\n",
    PROJECT: '[project]\nname = "a"\n[tool.scikit-build]\nbuild = "Release"\n[tool.x]\nline = 1\n',
    CMAKE: "project(a)\n",
}


@pytest.fixture
def layout(tmp_path):
    """A tree like the repository's, with a GPU receipt made with different tool versions."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    layout = Layout.of(tmp_path)
    write_receipt(layout.committed, gpu_run(layout))
    return layout


def gpu_run(layout):
    """Return the receipt of a run of the kernel on a GPU."""
    return Receipt(
        subject=KERNEL,
        level=RAN_ON_GPU,
        verifies=[KERNEL],
        closure=closure_of(layout.root, [KERNEL]) | {RUNTIME: runtime_now(layout.root)[RUNTIME]},
        lines={KERNEL: as_ranges([2, 4])},
        tools={"python": "0.1", "torch": "0.2", "nvcc": "0.3"},
        runtime={"commit": "0123", "modified": "no"},
        machine={"gpu": "GPU", "driver": "0.4"},
        date="2026-01-02",
    )


def edit(layout, name, old, new):
    """Replace text in a file, which must contain it."""
    text = (layout.root / name).read_text()
    assert old in text
    (layout.root / name).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (HEADER, "n + 1", "n - 1"),
        (SOURCE, "1 + 2", "1 - 2"),
        (SOURCE, "1 + 2", "1 + 3"),
        (SOURCE, "//a", "//b"),
        (CORE, "1 + 2", "1 - 2"),
        (PYTHON, "1 + 2", "1 - 2"),
        (PYTHON, "Tensors", "Arrays"),
        ("src/exports.map", "local", "global"),
        (PROJECT, "Release", "Debug"),
        (CMAKE, "project(a)", "project(b)"),
    ],
)
def test_edit_of_the_runtime_makes_a_gpu_run_stale(layout, name, old, new):
    """The page gives the reason, until a new run repairs it."""
    assert Evidence.load(layout).state(KERNEL) == "ran on GPU: GPU, 2026-01-02"
    edit(layout, name, old, new)
    assert Evidence.load(layout).why_not(KERNEL) == "edited since its run (the runtime changed)"
    assert Evidence.load(layout).state(KERNEL) == f"{EARLIER}: GPU, 2026-01-02"
    write_receipt(layout.committed, gpu_run(layout))
    assert Evidence.load(layout).state(KERNEL) == "ran on GPU: GPU, 2026-01-02"


def test_edit_of_a_kernel_takes_even_the_mark_of_an_earlier_runtime(layout):
    """The earlier-runtime mark stays only as long as nothing but the runtime has changed."""
    edit(layout, CORE, "1 + 2", "1 - 2")
    assert Evidence.load(layout).state(KERNEL) == f"{EARLIER}: GPU, 2026-01-02"
    edit(layout, KERNEL, "int other;", "long other;")
    assert Evidence.load(layout).state(KERNEL) == ""


def test_run_with_an_earlier_runtime_permits_nothing(layout):
    """A file that only an earlier-runtime run proves may not be shown."""
    edit(layout, CORE, "1 + 2", "1 - 2")
    evidence = Evidence.load(layout)
    assert evidence.why_not(KERNEL)
    assert evidence.of(KERNEL) == [] != evidence.with_earlier_runtime.of(KERNEL)
    assert evidence.verified_texts() == {}


def test_run_with_this_runtime_replaces_the_earlier_one_of_its_gpu_alone(layout):
    """Each GPU has one mark, the better one."""
    old = gpu_run(layout)
    other = replace(old, machine={"gpu": "OTHER"})
    edit(layout, CORE, "1 + 2", "1 - 2")
    new = replace(gpu_run(layout), date="2026-02-03")
    now = "ran on GPU: GPU, 2026-02-03"
    assert Evidence(layout, [old, new]).state(KERNEL) == now
    both = f"{now} · {EARLIER}: OTHER, 2026-01-02"
    assert Evidence(layout, [old, other, new]).state(KERNEL) == both


@pytest.mark.parametrize("name", ["src/new.cc", "include/tvm/ffi/new.h", "python/tvm_ffi/new.py"])
def test_new_file_of_the_runtime_makes_a_gpu_run_stale(layout, name):
    """A new source makes it stale, as builds would use it; editor and Python files do not."""
    for other in ("src/.new.cc.swp", "python/tvm_ffi/__pycache__/new.pyc"):
        (layout.root / other).parent.mkdir(exist_ok=True)
        (layout.root / other).touch()
    assert not Evidence.load(layout).why_not(KERNEL)
    (layout.root / name).touch()
    assert Evidence.load(layout).why_not(KERNEL) == "edited since its run (the runtime changed)"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (HEADER, "int rank", "// The rank.\nint rank"),
        (SOURCE, "// where", "/* or\n * there */"),
        (PYTHON, "\nn", "\n# A number.\n\nn"),
        (CMAKE, "project", "# A project.\nproject"),
        (PROJECT, "line = 1", "line = 2"),
        (KERNEL, "#if A", "// A kernel.\n\n#if A"),
        (KERNEL, "int other;", "/* two\n lines */\n  // and one\nint other;  // the other"),
    ],
)
def test_comment_keeps_a_gpu_run(layout, name, old, new):
    """A comment does not change any result; the kernel's compiled lines move with it."""
    edit(layout, name, old, new)
    assert Evidence.load(layout).state(KERNEL) == "ran on GPU: GPU, 2026-01-02"


def test_lines_that_were_not_compiled_stay_unproved(layout):
    """Uncompiled lines stay unproved, even if a comment moves them to where a compiled line was."""
    run = gpu_run(layout)
    compiled = Receipt(**{**vars(run), "level": COMPILED, "lines": {KERNEL: ["4-4"]}})
    hidden = "its conditionals hide it, or a part of it, from every compiler"
    marked = "// [one.begin]\nint kernel;\n// [one.end]"
    edit(layout, KERNEL, "int kernel;", marked)
    evidence = Evidence(layout, [compiled])
    assert evidence.why_not(KERNEL, "one") == hidden
    assert not evidence.changed(compiled.closure)
    assert not Evidence(layout, [run]).why_not(KERNEL, "one")


@pytest.fixture
def package(layout):
    """A package built from the tree: the files installed verbatim, and the record."""
    package = layout.root / "build" / "site-packages" / "tvm_ffi"
    for name in (HEADER, PYTHON):
        there = package / name.removeprefix("python/tvm_ffi/")
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(FILES[name])
    built_from = [name for name in FILES if name not in (KERNEL, PROJECT)]
    digests = {name: hashlib.sha256(FILES[name].encode()).hexdigest() for name in built_from}
    lines = [f"{found}  {name}\n" for name, found in digests.items()]
    (package / RECORD).write_text("".join(lines))
    return package


def test_package_of_this_tree_can_verify_it(layout, package):
    """Comments in files installed verbatim make no difference."""
    edit(layout, HEADER, "int rank", "// The rank.\nint rank")
    edit(layout, PYTHON, "\nn", "\n# A number.\nn")
    assert why_not(layout.root, str(package / "include")) == ""


NEW = ["src/new.cc", "include/new.h", "python/tvm_ffi/new.py"]


@pytest.mark.parametrize(
    "name", [HEADER, SOURCE, CORE, PYTHON, "src/exports.map", CMAKE, *NEW], ids=str
)
def test_package_of_another_tree_is_refused(layout, package, name):
    """A package built before a file was edited or added is refused."""
    with (layout.root / name).open("a") as file:
        file.write("edited;")
    expected = f"{package} was not built from this tree, which differs in {name}. Type: "
    assert why_not(layout.root, str(package / "include")).startswith(expected)


@pytest.mark.parametrize("name", [HEADER, SOURCE, PYTHON])
def test_package_with_a_file_that_is_gone_is_refused(layout, package, name):
    """A package built before a file was removed is refused."""
    (layout.root / name).unlink()
    assert f"differs in {name}." in why_not(layout.root, str(package / "include"))


def test_edited_package_is_refused(layout, package):
    """A file edited after installation is refused, even if the tree has the same edit."""
    for folder in (package, layout.root / "python" / "tvm_ffi"):
        (folder / "stream.py").write_text("n = 2\n")
        assert f"differs in {PYTHON}." in why_not(layout.root, str(package / "include"))


def test_many_differences_are_counted(layout, package):
    """The message stays short: it counts the remaining differences."""
    (package / RECORD).write_text("")
    (package / "stream.py").unlink()
    (package / "include/tvm/ffi/container/tensor.h").unlink()
    said = f"differs in {CMAKE}, {HEADER}, {CORE} and 3 others. Type"
    assert said in why_not(layout.root, str(package / "include"))


def test_package_that_does_not_tell_is_refused(layout, package):
    """An older, published or missing package is refused."""
    (package / RECORD).unlink()
    assert f"{package}: expected {RECORD}" in why_not(layout.root, str(package / "include"))
    assert why_not(layout.root, "").startswith("the package tvm_ffi is not installed. Type: ")


def test_run_with_another_package_is_refused(project):
    """Nothing runs, so no receipt is written; a tree without a package needs no check."""
    project.file(CMAKE).write_text("project(toy)\n")
    before = {path: path.read_text() for path in project.file("build/receipts").iterdir()}
    for options in ([], ["--all"], ["--compile-only"], ["--preview"]):
        status, output = project.verify(*options)
        assert status == 1
        assert "tvm_ffi" in output
        assert f" -m pip install {project.root}\n" in output
        assert "libraries:" not in output
    assert before == {path: path.read_text() for path in project.file("build/receipts").iterdir()}


def test_edit_of_the_runtime_makes_runs_on_this_machine_stale(project):
    """Receipts become void at once, without waiting for the next run, which repairs them."""
    driver = "examples/kernel_library/scale/load_scale.py"
    project.replace("include/toy.h", "2 * x", "x + x")
    status, output = project.site()
    assert status != 0
    assert f"{driver}: edited since its run (the runtime changed)" in output
    project.append("include/toy.h", "// A comment.\n")
    assert project.build()[0] == 0
