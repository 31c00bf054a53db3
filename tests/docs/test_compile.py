# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The runner's record of an example's compilation."""

import json

import pytest
from _verify.compile import (
    compile_commands,
    device_targets,
    empty_libraries,
    included_headers,
    readable,
    reusable,
)
from _verify.layout import Layout

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"


def receipt(project, name):
    """Return one of the receipts of the latest run."""
    (path,) = project.file("build/receipts").glob(name)
    return json.loads(path.read_text())


def test_receipt_holds_the_closure_the_flags_and_the_tools(pristine):
    """A receipt records what produced the result, but none of the machine's folders."""
    made = receipt(pristine, "*scale_kernel.cc--compiled*")
    folder = "examples/kernel_library"
    assert sorted(made["closure"]) == [
        f"{folder}/check.h",
        f"{folder}/scale/build_cpu.sh",
        f"{folder}/scale/scale_kernel.cc",
    ]
    assert made["flags"] == [f"g++ -O1 -shared -fPIC -o scale_cpu.so {KERNEL}"]
    assert list(made["tools"]) == ["g++"]
    assert str(pristine.root) not in json.dumps(made)
    ran = receipt(pristine, "*scale_kernel.cc--ran-on-CPU*")
    added = set(ran["closure"]) - set(made["closure"])
    assert added == {
        "the runtime",
        f"{folder}/scale/load_scale.py",
        "tests/examples/conftest.py",
        "tests/examples/test_scale.py",
    }


def test_example_is_compiled_again_only_when_its_closure_changes(project):
    """An unchanged example keeps its library; an edited header causes a rebuild."""
    library = project.file("build/examples/scale_cpu.so")
    assert project.verify()[0] == 0
    before = library.stat().st_mtime_ns
    status, output = project.verify()
    assert status == 0
    assert "libraries: 0 compiled, 2 unchanged" in output
    assert library.stat().st_mtime_ns == before
    project.append("examples/kernel_library/check.h", "// changed\n")
    assert project.verify()[0] == 0
    assert library.stat().st_mtime_ns != before
    project.append(KERNEL, "// changed\n")
    status, output = project.verify()
    assert status == 0
    assert "libraries: 1 compiled (scale_cpu.so), 1 unchanged" in output
    assert "ran 3 of 5" in output  # its test, the page that loads it, and the snippet test


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("true\n", "build_cpu.sh succeeded but wrote no scale_cpu.so"),
        ("g++ -shared -fPIC -o scale_cpu.so -x c++ /dev/null\n", "build_cpu.sh did not compile"),
        ("exit 3\n", "build_cpu.sh: exit status 3"),
    ],
)
def test_script_that_does_not_build_the_example(project, script, message):
    """A build script must write the library, from the source that the page shows."""
    project.file("examples/kernel_library/scale/build_cpu.sh").write_text(script)
    status, output = project.verify()
    assert status != 0
    assert message in output


def test_source_edited_while_it_is_compiled_or_run(project):
    """An edit during compilation or a run invalidates the result."""
    script = "examples/kernel_library/scale/build_cpu.sh"
    project.append(script, f'echo "int changed;" >>{project.file(KERNEL)}\n')
    test = "tests/examples/test_scale.py"
    project.append(test, "Path(__file__).open('a').write('changed = 1\\n')\n")
    snippets = "tests/snippets/test_shown_files.py"
    project.replace(
        snippets, '    captured("', '    script.open("a").write(":\\n")\n    captured("'
    )
    page = '\n>>> open("../../docs/index.rst", "a").write("More.")\n5\n'
    project.append("docs/index.rst", page)
    status, output = project.verify()
    assert status != 0
    assert f"edited while it was compiled: {KERNEL}" in output
    assert f"{snippets}: edited while it ran: docs/greet.sh" in output
    assert "docs/index.rst was edited while they ran" in output
    project.file(script).write_text(project.file(script).read_text().rpartition("echo")[0])
    assert f"edited while its tests ran: {test}" in project.verify()[1]


def test_library_of_a_removed_example_is_removed(project):
    """A library without a source is removed, so that nothing can load it."""
    stale = project.file("build/examples/gone_cpu.so")
    stale.write_text("")
    project.verify()
    assert not stale.exists()


def test_a_library_beside_an_examples_own_stays(tmp_path):
    """An extra library written by an example's script is not mistaken for a removed example's."""
    layout = Layout.of(tmp_path)
    layout.libraries.mkdir(parents=True)
    for name in ("a_cpu.so", "a_cpu_adapter.so", "a_cuda.so", "ab_cpu.so", "b_cpu_adapter.so"):
        (layout.libraries / name).touch()
    empty_libraries(layout, {"a_cpu.so"})
    left = sorted(path.name for path in layout.libraries.glob("*.so"))
    assert left == ["a_cpu.so", "a_cpu_adapter.so"]


def test_a_command_names_no_folder_of_the_machine(tmp_path):
    """Headers of the runtime, other packages and the repository are recorded relative to them."""
    package = tmp_path / "lib" / "python3.11" / "site-packages" / "tvm_ffi" / "include"
    other = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "jaxlib" / "include"
    words = [f"{tmp_path}/bin/g++", f"-I{package}", "-isystem", str(other), f"{tmp_path}/tree/a.cc"]
    told = readable(words, Layout.of(tmp_path / "tree"), str(package))
    assert told == "g++ -I<tvm_ffi>/include -isystem <site-packages>/jaxlib/include a.cc"


def test_device_targets_are_read_from_the_command():
    """Real architectures and PTX are distinguished."""
    nvcc = (
        "cuda/bin/nvcc -gencode arch=compute_80,code=sm_80"
        " -gencode arch=compute_90,code=compute_90 a.cu"
    )
    commands = compile_commands(["dirname x", nvcc, "echo g++"])
    assert len(commands) == 1
    assert device_targets(commands) == ["sm_80", "PTX"]
    assert device_targets([["nvcc", "-arch=sm_90a"]]) == ["sm_90a"]


def test_headers_of_the_example_and_of_the_runtime_belong_to_the_closure(tmp_path):
    """Installed runtime headers are named as in the tree; system headers are left out."""
    installed = tmp_path / "site-packages" / "tvm_ffi" / "include"
    folders = [tmp_path / "tree" / "examples", tmp_path / "tree" / "include", installed]
    for folder, name in zip([*folders, folders[0]], ("a.cc", "t.h", "t.h", "my.h"), strict=True):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    text = f"a.o: ../examples/a.cc \\\n {folders[0]}/my.h {installed}/t.h /usr/include/stdio.h\n"
    layout = Layout.of(tmp_path / "tree")
    layout.build.mkdir()
    found = included_headers(text, layout.build, layout, str(installed))
    assert found == ["examples/a.cc", "examples/my.h", "include/t.h"]


def test_stamp_of_another_version_is_not_used(tmp_path):
    """A stamp of another version is not used, as its fields may differ."""
    stamp = tmp_path / "scale_cpu.so.json"
    stamp.write_text('{"key": "old", "library": "scale_cpu.so"}')
    assert reusable(stamp, Layout.of(tmp_path), "new") is None
