# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""How the sources of an example are found, and how its compilation is split up."""

import pytest
from _verify.examples import VARIANTS, find_examples
from _verify.layout import Layout
from _verify.survival import by_source, by_target

CPU, CUDA = VARIANTS


@pytest.mark.parametrize(
    ("files", "cpu", "compiler", "cuda"),
    [
        (["one_kernel.cc", "one_kernel.cu"], ["one_kernel.cc"], "g++", ["one_kernel.cu"]),
        (["one_kernel.c", "one_kernel.cu", "host.cc"], ["one_kernel.c"], "gcc", ["one_kernel.cu"]),
        (
            ["src/a.cc", "src/b.cc", "src/a.cu", "src/a.h", "setup.cc"],
            ["src/a.cc", "src/b.cc"],
            "g++",
            ["src/a.cu"],
        ),
        ([], ["one_kernel.cc"], "g++", ["one_kernel.cu"]),  # missing ones are named
    ],
)
def test_sources(tmp_path, files, cpu, compiler, cuda):
    """An example has one source per device, in C++ or C, or many in its folder src."""
    folder = "examples/kernel_library/one"
    for name in ["load_one.py", *files]:
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (example,) = find_examples(Layout.of(tmp_path))
    assert example.sources(CPU) == [f"{folder}/{name}" for name in cpu]
    assert example.compiler(CPU) == compiler
    assert example.sources(CUDA) == [f"{folder}/{name}" for name in cuda]
    assert example.compiler(CUDA) == "nvcc"


def test_a_command_with_many_sources_is_preprocessed_once_for_each():
    """Each source is preprocessed with all flags; a command that only links has none."""
    words = ["g++", "-O3", "-o", "all.so", "src/a.cc", "src/b.cc", "-lfoo"]
    assert by_source(words) == [
        ["g++", "-O3", "-o", "all.so", "src/a.cc", "-lfoo"],
        ["g++", "-O3", "-o", "all.so", "src/b.cc", "-lfoo"],
    ]
    assert by_source(["g++", "-o", "all.so", "a.o", "b.o"]) == []


def test_a_source_that_asks_for_its_architecture_is_preprocessed_for_each(tmp_path):
    """Other sources, and those for a single architecture, are preprocessed once."""
    (tmp_path / "asks.cu").write_text("#if __CUDA_ARCH__ >= 900\n#endif\n")
    (tmp_path / "other.cu").write_text("int a;\n")
    one, other = (
        ["-gencode", "arch=compute_80,code=sm_80"],
        ["-gencode", "arch=compute_90,code=sm_90"],
    )
    words = ["nvcc", *one, "asks.cu", *other, "-O3"]
    assert by_target(words, tmp_path) == [
        ["nvcc", *one, "asks.cu", "-O3"],
        ["nvcc", "asks.cu", *other, "-O3"],
    ]
    words[3] = "other.cu"
    assert by_target(words, tmp_path) == [words]
    assert by_target(["nvcc", *one, "asks.cu"], tmp_path) == [["nvcc", *one, "asks.cu"]]
