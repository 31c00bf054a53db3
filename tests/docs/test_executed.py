# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A page shows only Python lines, shell lines and doctests that ran."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from _verify import executed
from _verify.doctest_lines import DoctestLines
from _verify.executed import Trace
from _verify.markers import hidden_marker
from _verify.statements import (
    FOR_CHECKERS,
    FOR_FAILURES,
    NEEDS_GPU,
    Lines,
    held_against,
    python_statements,
    reasons,
    shell_commands,
)

TEST = "tests/snippets/test_shown_files.py"
NUMBERS, GREET = "docs/numbers.py", "docs/greet.sh"
KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
REGION = "# [typed.begin]\n{}\n# [typed.end]\n"


def needs_tools():
    """The tools that trace lines are installed with the site's tools."""
    for needed in ("coverage", "tree_sitter_bash"):
        pytest.importorskip(needed, reason="comes with the site's tools, on Python 3.11")


def show(project, file, region):
    """Show a region of a file on the first page."""
    text = f"\n.. literalinclude:: {file}\n   :region: {region}\n\n.. toctree::"
    project.replace("docs/index.rst", "\n.. toctree::", text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "if NUMBERS[0] == 3:\n    # [typed.begin]\n    NUMBERS = ()\n    # [typed.end]\n",
            "line 1",
        ),
        ("# [typed.begin]\nif len(NUMBERS) > 2:\n    NUMBERS = ()\n# [typed.end]\n", "line 2"),
        ("if False:\n" + "    # [typed.begin]\n    NUMBERS = ()\n    # [typed.end]\n", "line 1"),
        ("def unused():\n    # [typed.begin]\n    return 1\n    # [typed.end]\n", "line 1"),
        (
            "match 1:\n    case 2:\n        # [typed.begin]\n        NUMBERS = ()\n"
            "        # [typed.end]\n",
            "line 1",
        ),
    ],
    ids=["in a branch", "with its branch", "if False", "in a function", "in a case"],
)
def test_python_that_did_not_run(project, text, reason):
    """A region that did not run is refused, even if its file ran."""
    project.append(NUMBERS, text)
    show(project, "numbers.py", "typed")
    project.refused_twice(f"{NUMBERS} [typed]: no run went through {reason}")


def test_python_in_a_string(project):
    """Markers in a string are not comments."""
    project.append(NUMBERS, 'TEXT = """\n' + REGION.format("import os") + '"""\n')
    show(project, "numbers.py", "typed")
    project.refused_twice("line 5 begins a string or a comment that holds its marker")


@pytest.mark.parametrize(
    "text", ["'\n{}'", '"\n{}"', "$'\n{}'", '"$(echo "\n{}")"', "<<E\n{}E"], ids=lambda t: t[:3]
)
def test_shell_in_a_string(text):
    """Bash runs the command that contains the text, but none of its lines."""
    needs_tools()
    script = f"cat {text.format(REGION.format('rm -r typed'))}\necho\n"
    assert "holds its marker" in hidden_marker("greet.sh", script, "typed")


def test_shell_between_strings():
    """A region with whole strings and here-documents is code."""
    script = REGION.format("cat <<E\nfirst\nE\necho 'one\ntwo'")
    assert hidden_marker("greet.sh", script, "typed") == ""


def test_region_of_python_that_is_not_valid():
    """An unparsable region is judged by its runs, and there are none."""
    assert hidden_marker("numbers.py", REGION.format("def ("), "typed") == ""


def test_shell_after_an_exit(project):
    """Bash reads the commands after an exit but never reaches them."""
    project.append(GREET, "exit 0\n" + REGION.format("echo typed"))
    show(project, "greet.sh", "typed")
    project.refused_twice(f"{GREET} [typed]: no run went through line 1")


@pytest.mark.parametrize(
    ("before", "after"), [("/*\n", "*/\n"), ('const char* text = R"(\n', ')";\n')]
)
def test_cpp_in_a_comment_or_a_string(project, before, after):
    """No compiler treats the region as code."""
    region = REGION.format("int typed;").replace("#", "//")
    project.append(KERNEL, before + region + after)
    show(project, f"../{KERNEL}", "typed")
    project.refused_twice("begins a string or a comment that holds its marker")


@pytest.mark.parametrize("head", ["if False:", "if library is None:", "def unused():"])
def test_doctest_with_a_line_that_did_not_run(project, head):
    """A doctest that prints nothing passes, but proves nothing."""
    text = f"\n>>> {head}\n...     typed = 1\n\n.. toctree::"
    project.replace("docs/index.rst", "\n.. toctree::", text)
    project.refused_twice("line 2 of it did not run")


def test_function_of_a_doctest_may_run_later(project):
    """A later example that calls the function proves its body."""
    text = "\n>>> def later():\n...     return 5\n\nThen:\n\n>>> later()\n5\n\n.. toctree::"
    project.replace("docs/index.rst", "\n.. toctree::", text)
    status, output = project.build()
    assert status == 0, output


def test_doctest_of_a_syntax_error():
    """A syntax error has no lines that could run."""
    lines = DoctestLines()
    with lines.following(1, "x = = 1"):
        pass
    assert lines.lines(1) == Lines()


def test_lines_for_another_device_are_named(project):
    """Lines for another device may be shown; the line below them says what they require."""
    text = '\n>>> if device == "cuda":\n...     typed = 1\n\n.. toctree::'
    project.replace("docs/index.rst", "\n.. toctree::", text)
    status, output = project.build()
    assert status == 0, output
    page = project.file("build/site/index.html").read_text()
    assert f"ran on CPU · did not run: line 2 ({NEEDS_GPU})" in page


def test_skipped_test_is_named(project):
    """A page that shows a skipped test's body says why it did not run."""
    project.append(
        TEST,
        "\n\n# [typed.begin]\ndef test_gpu(shows):\n"
        f'    shows("{TEST}")\n    pytest.skip("needs a GPU")\n    assert typed\n# [typed.end]\n',
    )
    project.append(TEST, f'\n\ndef test_itself(shows):\n    shows("{TEST}")\n')
    project.replace(TEST, "import runpy", "import pytest\nimport runpy")
    show(project, f"../{TEST}", "typed")
    status, output = project.build()
    assert status == 0, output
    page = project.file("build/site/index.html").read_text()
    assert "did not run: line 4 (needs a GPU)" in page


def test_region_of_which_every_line_was_skipped(project):
    """A region that only a missing tool would run makes the site partial."""
    project.append(
        TEST,
        f'\n\ndef test_tool(shows):\n    shows("{TEST}")\n    pytest.skip("no tool")\n'
        "    # [typed.begin]\n    assert typed\n    # [typed.end]\n",
    )
    project.append(TEST, f'\n\ndef test_itself(shows):\n    shows("{TEST}")\n')
    project.replace(TEST, "import runpy", "import pytest\nimport runpy")
    show(project, f"../{TEST}", "typed")
    status, output = project.build()
    assert status == 0, output
    assert f"{TEST} [typed]: not run here: no tool" in project.file("build/partial.txt").read_text()


PYTHON = '''"""Text."""
import os
def f(
    x,
):
    """Text."""
    global y
    y = [
        x,
    ]
try:
    f(1)
except ValueError:
    pass
match x:
    case 3:
        a = 1
    case _:
        a = 2
'''


def test_python_statements():
    """Statements are compound headers and whole simple statements that produce bytecode."""
    spans = sorted(map(sorted, python_statements(PYTHON)))
    assert spans == [[2], [3, 4, 5], [8, 9, 10], [12], [14], [15], [17], [19]]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("match a:\n    case 1:\n        b\n    case _:\n        c\n", [[1], [3], [5]]),
        ("def f():\n    @d\n    def g():\n        a\n", [[1], [3], [4]]),
        ("f = lambda: (\n    g(),\n)\n", [[1], [2, 3]]),
        ("f = lambda: (\n    1,\n)\n", [[1, 2, 3]]),
        ("x = (\n    1\n    if a\n    else b\n)\n", [[1, 2, 3, 5], [4]]),
        ("x = [\n    f(i)\n    for i in a\n]\n", [[1, 3, 4], [2]]),
        ("x = {\n    i:\n    j\n    for i, j in a\n}\n", [[1, 4, 5], [2], [3]]),
        ("x = (\n    f()\n    if a\n    else 1\n)\n", [[1, 3, 4, 5], [2]]),
        ("f = lambda: (\n    '{}'.format(1 / 0),\n)\n", [[1], [2, 3]]),
        ("x = (\n    a\n    and b\n    and c\n)\n", [[1, 2, 5], [3], [4]]),
        ("if f(\n    1\n) or g(\n    h\n):\n    a\n", [[1, 2, 3], [4, 5], [6]]),
        ("x = lambda: f(a or\n    b\n)\n", [[1], [2]]),
        ("assert (\n    a\n    < b\n    < c\n), (\n    d\n)\n", [[1, 2, 3, 5, 7], [4], [6]]),
        ("x = {\n    i\n    for j in a\n    if b\n    for i in j\n}\n", [[1, 3, 6], [2], [4], [5]]),
        ("def f():\n    x: int\n    return 1\nclass A:\n    y: int\n", [[1], [3], [4], [5]]),
    ],
)
def test_parts_of_python_statements(text, spans):
    """Cases, decorators and conditional operands are separate; local annotations run nothing."""
    assert sorted(map(sorted, python_statements(text))) == spans


def test_parts_that_python_left_out(tmp_path):
    """Short-circuited operands and unneeded assertion messages did not run."""
    text = (
        "x = (\n    False\n    and x.typed\n)\nassert not x, (\n    x.typed\n)\n"
        "x = 3 < (\n    2\n) < (\n    x.typed\n)\n"
        "y = [\n    1\n    for i in ()\n    if x.typed\n]\n"
    )
    assert [*traced(tmp_path, "a.py", text, sys.executable)[1]] == ["3-3", "6-6", "11-11", "16-16"]
    text = "x = (\n    True\n    and str(3)\n)\nassert 1 < (\n    2\n) < (\n    int(x)\n)\n"
    assert traced(tmp_path, "a.py", text, sys.executable)[1] == {}


def test_shell_commands():
    """Every command counts, wherever it is; here-documents belong to none."""
    needs_tools()
    text = "set -eu\nif [ -e x ]; then\n  echo a \\\n    b\nfi\ny=$(ls)\ncat <<E\nrm x\nE\n"
    assert sorted(map(sorted, shell_commands(text))) == [[1], [2], [3, 4], [6], [7]]
    text = "unset x\n((x = 1))\ny=$(\n  ls\n  exit\n)\ng++ \\\n  $(flags)\n"
    assert sorted(map(sorted, shell_commands(text))) == [[1], [2], [3, 6], [4], [5], [7, 8]]


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("bash -c '\nfalse || true\n true' \\\n  x\n", ["2-3"]),
        ('bash -c "\ntrue\n$(echo true)\n$x\n"\n', ["2-2", "4-4"]),
        (f"{sys.executable} - <<E\n1\nE\n", ["2-2"]),
        ("cat <<E | bash\ntrue\nE\n", ["2-2"]),
        ("echo '\ntrue\n' | bash\n", ["2-2"]),
        ('bash -c "$(cat <<E\ntrue\nE\n)"\n', ["2-2"]),
        ("bash <<< '\ntrue'\n", ["2-2"]),
        ("cat <<E > typed.sh\ntrue\nE\n", []),
        ("echo 'one\ntwo' > typed.sh\nx='one\ntwo'\n", []),
    ],
    ids=lambda each: each.split("\n")[0] if isinstance(each, str) else "",
)
def test_texts_of_shell_scripts(tmp_path, text, idle):
    """Lines passed to another program may not have run; lines that are only written are data."""
    assert [*traced(tmp_path, "a.sh", f"x=true; {text}", "bash")[1]] == idle


def test_statement_ran_if_any_of_its_lines_did():
    """Everything on a line that ran counts as having run."""
    lines = held_against([{1}, {2, 3}, {4}, {4, 5}], {3, 4})
    assert (lines.ran, lines.idle) == ({2, 3, 4, 5}, {1})


def test_reasons_are_branches_on_the_device_and_skipped_functions():
    """Other branches and the condition have no reason, and neither does a partly run branch."""
    text = (
        "if device == 'cuda':\n    a\nelse:\n    if b:\n        c\n"
        "if x.device == y:\n    d\n@mark\nasync def f():\n    e\n"
        "g = (\n    1 if gpu\n    else h\n)\n"
    )
    assert reasons(text, [1, 4, 6, 11, 12], [(8, "why")]) == {
        **dict.fromkeys((2, 13), NEEDS_GPU),
        **dict.fromkeys((9, 10), "why"),
    }


def test_reasons_after_an_early_return_and_for_type_checkers():
    """Code after a return for one device is for the other, unless one of its lines ran."""
    text = "def f():\n    if device == 'cpu':\n        return\n    a\n    b\n"
    assert reasons(text, [1, 2, 3]) == dict.fromkeys((4, 5), NEEDS_GPU)
    assert reasons(text, [1, 2, 4]) == {3: NEEDS_GPU}
    text = "if TYPE_CHECKING:\n    def f(): ...\n    a\n"
    assert reasons(text, [1]) == dict.fromkeys((2, 3), FOR_CHECKERS)


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ('raise AssertionError("no error")', {5: FOR_FAILURES}),
        ("raise AssertionError", {}),
        ('raise AssertionError("no error") from g()', {}),
        ('raise AssertionError("no error", g())', {}),
        ('raise AssertionError("no error") if g() else h()', {}),
        ('raise AssertionError("no error").with_traceback(g())', {}),
        ('raise ValueError("no error")', {}),
        ("f()", {}),
    ],
)
def test_reasons_where_an_expected_error_is_missing(statement, why):
    """The only statement after the try must raise the error, without any other code in it."""
    text = f"try:\n    f()\nexcept E: pass\nelse:\n    {statement}\n"
    assert reasons(text, [1, 2, 3]) == why
    assert reasons(f"{text}    g()\n", [1, 2, 3]) == {}


NOTHING = {"ran": {}, "idle": {}}
TRACED = {
    "ran": {"a.py": ["1-1", "3-3"], "b.sh": ["1-3"]},
    "idle": {"a.py": {"4-4": ""}, "b.sh": {"4-4": ""}},
}


@pytest.mark.parametrize("has_tools", [True, False])
def test_copies_are_followed_where_the_tools_are(tmp_path, monkeypatch, has_tools):
    """Without the tools, as on some GPU machines, only the commands of a build are recorded."""
    if has_tools:
        needs_tools()
    else:
        monkeypatch.setattr(executed, "find_spec", lambda name: None)
    copy = tmp_path / "copy"
    copy.mkdir()
    for folder in (tmp_path, copy):
        (folder / "a.py").write_text('X = 1\n"""Text."""\nif X == 2:\n    X = 3\n')
        (folder / "b.sh").write_text(f"# A comment.\nset -eu\n{sys.executable} a.py\nexit\nls\n")
    with Trace() as trace:
        environment = trace.environment(os.environ, ["a.py"])
        subprocess.run(["bash", "b.sh"], cwd=copy, env=environment, check=True)
        assert trace.commands() == ["set -eu", f"{sys.executable} a.py", "exit"]
        found = trace.fields(tmp_path, ["a.py", "b.sh"])
    assert found == (TRACED if has_tools else NOTHING)


def traced(tmp_path, name, text, *command):
    """Return what a command prints, and the lines of a file that did not run."""
    needs_tools()
    (tmp_path / name).write_text(text)
    with Trace() as trace:
        environment = trace.environment(os.environ, [name])
        done = subprocess.run(
            [*command, name], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        return done.stdout + done.stderr, trace.fields(tmp_path, [name])["idle"].get(name)


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("t='true\ntrue\ntrue'\neval \"$t\"\nexit\necho typed\n", ["6-6"]),
        ("x=$(\n  true\n  true\n  true\n)\nexit\necho typed\n", ["2-4", "7-7"]),
        ("f() {\n  true\n  false\n}\nx=$(f)\n", []),
        ("f() {\n  if $1; then\n    true\n  else\n    echo\n  fi\n}\nf true\nx=$(f false)\n", []),
        ("export x=1 \\\n  y=2\nx=1 \\\n  y=$(true) \\\n  env -i \\\n  $(echo true)\n", []),
        ("if false; then\n  ((x = 1))\n  unset x\nfi\n", ["2-3"]),
    ],
    ids=[
        "eval",
        "substitution of many lines",
        "function in a substitution",
        "function in both",
        "many lines",
        "kinds",
    ],
)
def test_lines_that_bash_reports(tmp_path, text, idle):
    """Lines of ``eval`` and of substitutions are not lines of the script."""
    assert [*traced(tmp_path, "a.sh", text, "bash")[1]] == idle


def test_bash_that_lost_the_folder_of_its_trace(tmp_path):
    """Bash writes nothing anywhere else."""
    text = 'rm -r "$TRACE_SHELL"; mkdir "$TRACE_SHELL"\nenv -u TRACE_SHELL bash -c "echo a"\n'
    (tmp_path / "a.sh").write_text(text)
    with Trace() as trace:
        environment = trace.environment(os.environ, []) | {"TRACE_SHELL": str(tmp_path / "none")}
        done = subprocess.run(
            ["bash", "-c", "echo a"], env=environment, capture_output=True, text=True
        )
    assert (done.stdout, done.stderr) == ("a\n", "")


def test_copy_that_was_overwritten_by_what_is_not_valid(tmp_path):
    """An overwritten file is no longer a copy and is never parsed."""
    needs_tools()
    text = (
        "import pathlib, runpy\ncopy = pathlib.Path('copy').resolve() / 'a.py'\n"
        "copy.parent.mkdir()\ncopy.write_text('x = 1')\nrunpy.run_path(str(copy))\n"
        "copy.write_text('def (')\n"
    )
    assert traced(tmp_path, "a.py", text, sys.executable) == ("", {})


@pytest.mark.parametrize(("files", "starts"), [(["a.py"], True), (["a.sh", "a.cc"], False)])
def test_coverage_starts_only_where_python_is_traced(files, starts):
    """coverage.py slows down every process, even if only C++ lines are counted."""
    needs_tools()
    with Trace() as trace:
        command = [sys.executable, "-c", "import sys; print('coverage' in sys.modules)"]
        environment = trace.environment(os.environ, files)
        assert subprocess.check_output(command, env=environment, text=True) == f"{starts}\n"


def test_coverage_for_another_python_is_silent(tmp_path):
    """Python would print the error of its first import to every process's stderr."""
    (tmp_path / "coverage.py").write_text("import no_such_module\n")
    (tmp_path / "a.py").write_text("print(1)\n")
    with Trace() as trace:
        environment = trace.environment(os.environ, []) | {"TRACE_PACKAGES": str(tmp_path)}
        python = Path(sys.base_prefix) / "bin" / "python3"  # coverage.py starts in its own
        done = subprocess.run(
            [python, tmp_path / "a.py"], env=environment, capture_output=True, text=True
        )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_machine_without_a_parser_records_no_shell(tmp_path, monkeypatch):
    """An empty record would mean that nothing ran."""
    monkeypatch.setattr(executed, "find_spec", lambda name: None)
    assert traced(tmp_path, "a.sh", "true\n", "bash")[1] is None
