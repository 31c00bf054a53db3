# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A compilation proves only the lines that the conditionals keep."""

import pytest
from _verify.survival import as_ranges, code_lines, emitted_lines, from_ranges, survivors

HEADER = "examples/kernel_library/check.h"
TEXT = """\
#ifndef A_H /* guard */
#define A_H
// #if in a comment
#if defined(CUDA) && \\
    1
int cuda = f(1,
             2);
#else
/* #if
*/
int cpu;
#endif
const char* text = "/*";
#endif
"""
CONDITIONAL = """
// [cuda.begin]
#ifdef __CUDACC__
inline int cuda_only() { return 1; }
#endif
// [cuda.end]
// [both.begin]
#ifdef __CUDACC__
constexpr int both = 1;
#else
constexpr int both = 2;
#endif
// [both.end]
#if 0
// [dead.begin]
inline int dead() { return 1; }
// [dead.end]
#endif
"""


@pytest.mark.parametrize(
    ("emitted", "expected"),
    [({6}, {6, 7}), ({11}, {11}), ({2, 11}, {2, 11, 13}), (set(), set())],
    ids=["call over two lines", "else", "around a conditional", "nothing"],
)
def test_branch_survives_with_any_of_its_lines(emitted, expected):
    """Code that spans several lines leaves the preprocessor as one line."""
    assert code_lines(TEXT) == {2, 6, 7, 11, 13}
    assert survivors(TEXT, emitted) == expected


def test_lines_are_read_from_the_preprocessors_markers(tmp_path):
    """A marker names the file and the number of the next line."""
    output = '# 4 "a.h" 2\nint x;\n\nint y;\n# 1 "/b.h"\n#define Z 1\n'
    found = emitted_lines(output, tmp_path)
    assert {path.name: numbers for path, numbers in found.items()} == {"a.h": {4, 6}, "b.h": {1}}


def test_ranges_hold_the_same_numbers():
    """Receipts stay short."""
    assert as_ranges({1, 2, 3, 7}) == ["1-3", "7-7"]
    assert from_ranges(["1-3", "7-7"]) == {1, 2, 3, 7}


def test_region_takes_its_state_from_what_compiled_it(project):
    """CUDA-only code did not run on the CPU; code that nothing compiled is refused."""
    project.append(HEADER, CONDITIONAL)
    for name in ("cuda", "both", "dead"):
        include = f"\n.. literalinclude:: ../{HEADER}\n   :region: {name}\n"
        project.append("docs/index.rst", include)
    for _ in range(2):
        status, output = project.build()
        assert status != 0
        assert f"{HEADER} [dead]: its conditionals hide it" in output
        assert "[cuda]: " not in output
        assert "[both]: " not in output
    project.replace("docs/index.rst", "region: dead", "region: check")
    assert project.build()[0] == 0
    state = project.state("cuda_only")
    assert "nvcc 0.1" in state
    assert "g++" not in state
    assert "CPU" not in state
    state = project.state(">both<")
    assert "nvcc 0.1" in state
    assert "g++" in state
