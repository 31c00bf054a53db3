# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A page shows only C and C++ lines that ran, or says why they did not."""

import os
import re
import shutil
import subprocess

import pytest
from _verify import gcov
from _verify.closure import closure_of
from _verify.cpp_reasons import AT_COMPILE_TIME, REFUSED, cpp_reasons
from _verify.cpp_statements import cpp_lines, statement_lines
from _verify.evidence import Evidence
from _verify.executed import Trace
from _verify.layout import Layout
from _verify.receipts import RAN_ON_CPU, Receipt
from _verify.statements import NEEDS_GPU, Lines
from _verify.survival import cuda_lines, from_ranges

KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
TEMPLATE = "template <typename T>\nT typed(T x) {\n  return x + 1;\n}\n"


def needs_parser():
    """The C++ grammar is installed with the site's tools."""
    pytest.importorskip("tree_sitter_cpp", reason="comes with the site's tools, on Python 3.11")


def show(project, text, typed=""):
    """Append a region to the kernel's source, outside any namespace, and show it on a page."""
    project.append(KERNEL, f"\n// [typed.begin]\n{text}// [typed.end]\n")
    shown = f".. literalinclude:: ../{KERNEL}\n   :region: typed\n"
    if typed:
        shown = ".. code-block:: cpp\n\n" + "".join(f"   {line}\n" for line in typed.splitlines())
    project.replace("docs/index.rst", "\n.. toctree::", f"\n{shown}\n.. toctree::")


def test_template_that_nothing_instantiates(project):
    """An uninstantiated template compiles, but none of its lines become machine code."""
    show(project, TEMPLATE)
    project.refused_twice(f"{KERNEL} [typed]: no run went through line 3")


def test_code_typed_by_hand_that_equals_a_template_that_nothing_instantiates(project):
    """A typed copy is refused like the region that it matches."""
    show(project, TEMPLATE, typed=TEMPLATE)
    project.refused_twice("a code block typed by hand")


def test_function_that_nothing_calls(project):
    """An uncalled function compiles but never runs."""
    show(project, 'extern "C" int typed(int x) {\n  x += 1;\n  return x;\n}\n')
    project.refused_twice(f"{KERNEL} [typed]: no run went through lines 2-3")


def test_lines_with_other_numbers(project):
    """With renumbered lines, the compiler could report a line that ran as one that did not."""
    show(project, 'extern "C" int typed(int x) {\n#line 1\n  return x;\n}\n')
    project.refused_twice("it holds '#line 1', which changes the numbers of its lines")


def test_macro_that_nothing_names(project):
    """An unused macro compiles, whatever it expands to."""
    show(project, "#define TYPED format_disk(no_such_variable)\n")
    project.refused_twice(f"{KERNEL} [typed]: no run went through line 1")


def test_declarations_are_compiled(project):
    """Declarations do not run, so the line below them does not claim that."""
    needs_parser()
    show(project, "template <typename T>\nstruct Typed {\n  T never = format_disk(T());\n};\n")
    status, output = project.build()
    assert status == 0, output
    state = project.state("format_disk")
    assert "compiled by g++" in state
    assert "ran on" not in state


def test_branch_for_a_gpu_is_named(project):
    """A GPU branch may be shown; the line below it says what is required to run it."""
    needs_parser()
    project.append(KERNEL, "namespace {\nbool on_CUDA = false;\nint typed = 0;\n")
    show(
        project,
        "const int made = [] {\n  if (on_CUDA) {\n    typed = 1;\n  }\n  return typed;\n}();\n",
    )
    project.append(KERNEL, "}  // namespace\n")
    status, output = project.build()
    assert status == 0, output
    page = project.file("build/site/index.html").read_text()
    assert f"ran on CPU · did not run: line 3 ({NEEDS_GPU})" in page


# Comments mark the lines that must or must not run; the others have nothing that could.
PROGRAM = """\
#include <memory>
#define TWICE(x) /* ran */ \\
  (2 * (x))      /* ran */
#define FOUR_TIMES(x) TWICE(TWICE(x))  // ran
#define UNUSED_MACRO(x) /* idle */ \\
  (3 * (x))             /* idle */
template <typename T>
T other(T x) {
  using Value = T;  // idle
  return x;         // idle
}
template <typename T>
int kind(T x) {
  if constexpr (sizeof(T) == 1) {
    return 1;  // idle
  } else {
    (void)x;   // ran
    return 2;  // ran
  }
}
constexpr int at_compile_time() {
  return 4;  // idle
}
template <typename T>
T only_a_declaration(T x) {
  T y = x;  // idle
}
template <typename T>
void only_a_macro(T x) {
  NAMED_LIKE_A_MACRO([&] {  // idle
    x.run();                // idle
  });                       // idle
}
template <typename T>
void only_a_conversion(T x) {
  T(x).run();  // idle
}
int NAMED_LIKE_A_MACRO(int x) {
  return x;  // ran
}
int discarded() {
  if constexpr (sizeof(int) == 1) {  // ran
    NAMED_LIKE_A_MACRO(1);  // idle
  } else {
    static_assert(sizeof(int) > 1, "known");
  }
  return NAMED_LIKE_A_MACRO(1);  // ran
}
struct Base {
  explicit Base(int x)
      : first(x),    // ran
        second(x) {}  // ran
  int first;
  int second;
};
int loops(int n) {
  int sum = 0;       // ran
  for (int i = 0;    // ran
       i < n; ++i) {  // ran
    if (i == 100)    // ran
      return -1;     // idle
    if (i > 1) continue;  // ran
    sum += i;        // ran
  }
  for (;;) {           // ran
    if (sum > 0) break;  // ran
    sum++;             // idle
  }
  do {              // ran
    --sum;          // ran
  } while (sum > 5);  // ran
  switch (n) {      // ran
    case 3:
      sum += 7;     // ran
      [[fallthrough]];  // ran
    case 5:
      static_cast<void>(n);  // ran
      ;             // ran
      break;        // ran
    case 4:
      sum += 8;     // idle
      break;        // idle
  }
  return sum;       // ran
}
int main() {
  static_assert(at_compile_time() == 4, "known");  // ran
  int x;                              // ran
  const auto called = [](int y) {     // ran
    return y + 1;                     // ran
  };                                  // ran
  const auto idle = [](int y) {       // ran
    return y - 1;                     // idle
  };                                  // ran
  (void)idle;                         // ran
  discarded();                        // ran
  x = called(FOUR_TIMES(kind(1)));    // ran
  auto made = std::make_unique<Base>(x);  // ran
  return made->second == 9 && loops(3) == 7  // ran
             ? 0                      // ran
             : 1;                     // ran
}
"""


def run(folder, trace, *command, **variables):
    """Run a command with instrumented compilers."""
    environment = {**trace.environment(os.environ, [], compiles=True), **variables}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def lines(found, name="a.cc"):
    """Return a file's lines that ran and that did not, from the fields of a receipt."""
    idle = set().union(*(from_ranges([part]) for part in found["idle"].get(name, {})))
    return from_ranges(found["ran"].get(name, [])), idle


def marked(word):
    """Return the program's lines marked with this word."""
    return {
        n for n, line in enumerate(PROGRAM.splitlines(), 1) if re.search(rf"/[/*] {word}\b", line)
    }


def test_lines_of_a_program(tmp_path):
    """Each kind of statement is classified by gcov and the parser together."""
    needs_parser()
    (tmp_path / "a.cc").write_text(PROGRAM)
    with Trace() as trace:
        done = run(tmp_path, trace, "bash", "-c", "g++ -O2 -std=c++17 a.cc -o a && ./a")
        assert done.returncode == 0, done.stderr
        ran, idle = lines(trace.fields(tmp_path, ["a.cc"]))
    assert (ran, idle) == (marked("ran"), marked("idle"))


def test_program_that_leaves_without_its_counts(tmp_path):
    """`_exit` writes no counts, so none of its lines are known to have run."""
    needs_parser()
    (tmp_path / "a.cc").write_text("#include <unistd.h>\nint main() {\n  _exit(0);\n}\n")
    with Trace() as trace:
        assert run(tmp_path, trace, "bash", "-c", "g++ a.cc -o a && ./a").returncode == 0
        assert lines(trace.fields(tmp_path, ["a.cc"])) == (set(), {3})


def test_values_of_declarations():
    """Initializers of members and namespace variables and default arguments are not statements."""
    needs_parser()
    text = "int a = 1;\nstruct S {\n  int b = 2;\n};\nint f(int c = 3);\n"
    assert statement_lines(text, {}) == Lines(set(), set())


def test_jump_out_of_a_coroutine():
    """Leaving a coroutine produces machine code like any other return."""
    needs_parser()
    text = "Task f() {\n  co_return;\n}\nTask g() {\n  co_yield 1;\n}\n"
    assert statement_lines(text, {}).idle == {2, 5}


def test_macro_that_is_defined_twice():
    """If a macro has two definitions, a line may use either; if none does, neither ran."""
    needs_parser()
    text = "#if X\n#define A(x) f(x)\n#else\n#define A(x) B(x)\n#endif\n#define B(x) x\n"
    assert cpp_lines({"a.h": text}, {"a.h": {}})["a.h"].idle == {2, 4, 6}
    text += "int g() {\n  return A(1);\n}\n"
    assert cpp_lines({"a.h": text}, {"a.h": {8: 1}})["a.h"].ran == {2, 4, 6, 8}


def test_macro_without_parameters():
    """A macro ran if a line that ran names it; constants and include guards are not code."""
    needs_parser()
    text = (
        "#define A_H_\n#define SETTING 1UL\n#define NEVER format_disk(no_such_variable) + \\\n"
        "  1\n#define USED f()\nint g() {\n  return USED;\n}\n"
    )
    assert cpp_lines({"a.h": text}, {"a.h": {7: 1}})["a.h"] == Lines({5, 7}, {3, 4})
    text = "#define A B\n#define B f()\n#define C f()\nint g(int x = A);\n#undef C\n"
    assert cpp_lines({"a.h": text}, {"a.h": {}})["a.h"] == Lines(set(), {3})


def test_macro_that_only_comments_name():
    """A macro named only in comments never ran."""
    needs_parser()
    text = (
        "#define A(x) x\n#define B(x) x  // not A(x)\nint f() {\n  return B(1);  // not A(1)\n}\n"
    )
    assert cpp_lines({"a.h": text}, {"a.h": {4: 1}})["a.h"] == Lines({2, 4}, {1})


def test_header_whose_name_is_not_utf_8(tmp_path):
    """The output of gcov contains the raw bytes of the name."""
    needs_parser()
    (tmp_path / "a.cc").write_text("int main() {\n  return f();\n}\n")
    script = (
        "echo 'inline int f() { return 0; }' > $'\\xe9.h'; g++ -include $'\\xe9.h' a.cc -o a && ./a"
    )
    with Trace() as trace:
        done = run(tmp_path, trace, "bash", "-c", script)
        assert done.returncode == 0, done.stderr
        assert lines(trace.fields(tmp_path, ["a.cc"])) == ({2}, set())


def test_source_that_was_written_anew(tmp_path):
    """Lines that ran in an older version of a copy say nothing about the file."""
    needs_parser()
    (tmp_path / "a.cc").write_text("int main() {\n  return 0;\n}\n")
    copy = tmp_path / "copy"
    copy.mkdir()
    with Trace() as trace:
        (copy / "a.cc").write_text("int main() {\n  int x = 0;\n  return x;\n}\n")
        done = run(copy, trace, "bash", "-c", "g++ a.cc -o a && ./a && cp ../a.cc .")
        assert done.returncode == 0, done.stderr
        assert lines(trace.fields(tmp_path, ["a.cc"])) == (set(), {2})


def test_copy_without_marker_lines(tmp_path):
    """Lines of a copy, such as a project made from a template, count for the file."""
    needs_parser()
    body = "int main() {\n  return 0;\n}\n"
    (tmp_path / "a.cc").write_text(f"// [all.begin]\n{body}// [all.end]\n")
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "a.cc").write_text(body)
    with Trace() as trace:
        done = run(copy, trace, "bash", "-c", "g++ a.cc -o a && ./a")
        assert done.returncode == 0, done.stderr
        assert lines(trace.fields(tmp_path, ["a.cc"])) == ({2}, set())


def test_source_that_the_compiler_refuses(tmp_path):
    """The refused lines, declarations included, are marked unless another compiler ran them."""
    needs_parser()
    (tmp_path / "a.cc").write_text("int main() {\n  return none;\n}\n")
    with Trace() as trace:
        assert run(tmp_path, trace, "g++", "-fsyntax-only", "a.cc").returncode == 1
        assert trace.fields(tmp_path, ["a.cc"])["idle"] == {"a.cc": {"1-3": REFUSED}}
    assert cpp_reasons("int main() {\n  f();\n  g();\n}\n", Lines({2}, {3}), refused=True) == {}


def test_source_that_every_compiler_refuses(tmp_path):
    """A source that must not compile may be shown, and does not make the site partial."""
    (tmp_path / "a.cc").write_text("int main() {\n  return none;\n}\n")
    seen = closure_of(tmp_path, ["a.cc"])
    idle = {"a.cc": {"1-3": REFUSED}}
    receipt = Receipt("a.cc", RAN_ON_CPU, ["a.cc"], seen, ran={"a.cc": []}, idle=idle)
    evidence = Evidence(Layout.of(tmp_path), [receipt])
    assert evidence.why_not("a.cc") == evidence.skipped_whole("a.cc") == ""
    assert evidence.state("a.cc") == f"did not run: lines 1-3 ({REFUSED})"


def test_compiler_without_counting(tmp_path):
    """A test that inspects compiler output gets what a reader's compiler produces."""
    (tmp_path / "a.cc").write_text("int main() {}\n")
    symbols = []
    for way in ("yes", "no"):
        with Trace() as trace:
            command = ("bash", "-c", "gcc a.cc -o a && nm a")
            symbols.append(run(tmp_path, trace, *command, TRACE_COMPILED=way).stdout)
    assert "gcov" in symbols[0]
    assert "gcov" not in symbols[1]
    assert "main" in symbols[1]


GUARDED = """\
#ifdef __CUDACC__
int a;
#if X
int b;
#endif
#else
int c;
#endif
#ifndef __CUDACC__
int d;
#endif
#if !defined(__CUDACC__) && X
int e;
#elif defined(__CUDACC__)
int f;
#endif
"""


def test_compiler_that_python_names(tmp_path, monkeypatch):
    """The compiler that pip uses is traced too, even under Debian's longer name."""
    needs_parser()
    (tmp_path / "a.cc").write_text("int main() {\n  return 0;\n}\n")
    longer = tmp_path / "bin" / "longer-g++"
    longer.parent.mkdir()
    longer.symlink_to(shutil.which("g++"))
    monkeypatch.setenv("PATH", f"{longer.parent}{os.pathsep}{os.environ['PATH']}")
    configured = {"CC": "absent-gcc -pthread", "CXX": "longer-g++ -pthread"}
    monkeypatch.setattr(gcov.sysconfig, "get_config_var", configured.get)
    assert gcov.compilers() == {"c++", "cc", "g++", "gcc", "longer-g++"}
    with Trace() as trace:
        done = run(tmp_path, trace, "bash", "-c", "longer-g++ a.cc -o a && ./a")
        assert done.returncode == 0, done.stderr
        assert lines(trace.fields(tmp_path, ["a.cc"])) == ({2}, set())


def test_lines_that_only_nvcc_sees():
    """Only branches that the macro __CUDACC__ selects count, not those that other compilers see."""
    assert cuda_lines(GUARDED) == {2, 4, 15}


REASONS = """\
class OnStream {
  void set() { f(); }
};
void on_cuda() {
  OnStream stream;
}
class Other {
  void set() { f(); }
};
void use() { Other other; }
#define CHECK_CUDA(x) \\
  f(x)
constexpr int g() {
  return 1;
}
void h() {
  if (device == kDLCUDA) {
    f();
  }
  DEFINE(of_gpu,
         cuda)
}
"""


def test_reasons():
    """Lines need a GPU by their name, or because only GPU code uses them."""
    needs_parser()
    gpu = {*range(1, 7), 11, 12, *range(18, 22)}
    assert cpp_reasons(REASONS, Lines(), refused=False) == {
        **dict.fromkeys(gpu, NEEDS_GPU),
        **dict.fromkeys(range(13, 16), AT_COMPILE_TIME),
    }
    assert 18 not in cpp_reasons(REASONS, Lines({18}), refused=False)
    assert 2 not in cpp_reasons(REASONS, Lines({2}), refused=False)
    assert not {13, 14, 15} & {*cpp_reasons(REASONS, Lines({14}), refused=False)}


def test_text_that_the_parser_does_not_understand():
    """Unparsed text may hold statements, so only gcov can prove it; macros may appear there."""
    needs_parser()
    text = "int f() {\n  return 1;\n}\nstruct A { ) };\nstruct B {\n  DECLARE(B, );\n};\n"
    assert statement_lines(text, {2: 1}).idle == {4}
    found = statement_lines(text, {2: 1, 4: 1})
    assert (found.ran, found.idle) == ({2, 4}, set())
