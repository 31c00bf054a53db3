# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Only a file's code is significant, not its comments, blank lines and trailing whitespace."""

import pytest
from _verify.closure import code_digest
from _verify.comments import counting_lines, places, positions, without_comments

SAME = {
    "line comment": ("a.cc", "int a;", "// one\nint a;  // two"),
    "comment of many lines": ("a.h", "int a;\nint b;", "int a;  /* one\n * two\n */\n\nint b;"),
    "comment with a quote": ("a.cu", "int a;\nint b;", "int a;  // don't\nint b;"),
    "comment that goes on": ("a.cc", "int a;", "// one \\\nint b;\nint a;"),
    "number with quotes": ("a.cc", "f(1'0, 'a');", "f(1'0, 'a');  // it's"),
    "Python": (
        "a.py",
        "x = 1\nif x:\n    y()",
        "# one\nx = 1  # two\n\nif x:  \n    # three\n    y()",
    ),
    "shell": ("a.sh", "#!/bin/sh\necho 1", "#!/bin/sh\n# one\n\necho 1  "),
    "shell quotes": ("a.sh", 'a "$(b "$1")" \'c\'', '# d\na "$(b "$1")" \'c\''),
    "CMake": ("CMakeLists.txt", "f(a)", "# it's\nf(a)\n"),
}
OTHER = {
    "operator": ("a.cc", "a + b;", "a - b;"),
    "string": ("a.cc", 'f("a");', 'f("b");'),
    "number": ("a.cc", "f(1);", "f(2);"),
    "digits after a quote": ("a.cc", "f(1'0); /* ' */ a;", "f(1'0); /* ' */ b;"),
    "// in a string": ("a.cc", 'f("http://a");', 'f("http://b");'),
    "/* in a string": ("a.cc", 'f("/*"); a; f("*/");', 'f("/*"); b; f("*/");'),
    "quote in a string": ("a.cc", r'f("\"// a");', r'f("\"// b");'),
    "raw string": ("a.cc", 'f(R"x()" // a)x");', 'f(R"x()" // b)x");'),
    "blank line of a raw string": ("a.cc", 'f(R"(a\n\nb)");', 'f(R"(a\nb)");'),
    "trailing blank of a raw string": ("a.cc", 'f(R"(a \nb)");', 'f(R"(a\nb)");'),
    "code after a comment that no longer goes on": ("a.cc", "// a \\\nb;", "// a\nb;"),
    "macro of two lines": ("a.h", "#define A \\\n 1", "#define A \\\n// a\n 1"),
    "macro around a comment": ("a.h", "#define A 1 /*\n*/+ 2", "#define A 1\n+ 2"),
    "two words": ("a.h", "a/**/b", "ab"),
    "# in a string": ("a.py", 'x = "# a"', 'x = "# b"'),
    "docstring": ("a.py", '"""One."""', '"""Two."""'),
    "# line in a string": ("a.py", 'x = """\n# a\n"""', 'x = """\n# b\n"""'),
    "blank line of a string": ("a.py", 'x = """\n\n"""', 'x = """\n"""'),
    "blank line of an f-string": ("a.py", 'x = f"""{y}\n\n"""', 'x = f"""{y}\n"""'),
    "comment in an f-string": ("a.py", 'x = f"""{y  # a\n}"""', 'x = f"""{y  # b\n}"""'),
    "indentation": ("a.py", "if x:\n    y()\nz()", "if x:\n    y()\n    z()"),
    "first line of Python": ("a.py", "#!python\nx = 1", "#!python3\nx = 1"),
    "first line": ("a.sh", "#!/bin/sh\necho", "#!/bin/bash\necho"),
    "# after a word": ("a.sh", "echo a#b", "echo a#c"),
    "# line of a document": ("a.sh", "cat <<E\n# a\nE", "cat <<E\n# b\nE"),
    "# line of a shell string": ("a.sh", "echo '\n# a\n'", "echo '\n# b\n'"),
    "# line after mixed quotes": ("a.sh", "f \"'\" 'a\n# b\n' \"'\"", "f \"'\" 'a\n# c\n' \"'\""),
    "# line after an escaped quote": ("a.sh", 'f \\" "\n# b\n" \\"', 'f \\" "\n# c\n" \\"'),
    "# line of a quote in a quote": ("a.sh", 'f "$(f "\n# b\n")"', 'f "$(f "\n# c\n")"'),
    "# line after $'": ("a.sh", "f $'\\'' '\n# b\n' '\\''", "f $'\\'' '\n# c\n' '\\''"),
    "# line that goes on": ("a.sh", "echo a\\\n#b", "echo a\\\n#c"),
    "shell line that goes on": ("a.sh", "echo \\\nb", "echo \\\n# a\nb"),
    "escaped blank": ("a.sh", "echo a\\ ", "echo a\\"),
    "bracket comment": ("a.cmake", "#[[\nf(a)\n]]", "\nf(a)\n]]"),
    "page": ("a.rst", "a", "a\n"),
    "Python that is not valid": ("a.py", "x = (  # a", "x = (  # b"),
    "Python with an open string": ("a.py", "x = 'a  # b", "x = 'a  # c"),
}


def digest(folder, name, text):
    """Return the code hash of a file with this text."""
    (folder / name).write_text(text)
    return code_digest(folder / name)


@pytest.mark.parametrize(("name", "one", "two"), SAME.values(), ids=SAME)
def test_comment_makes_no_difference(tmp_path, name, one, two):
    """Neither comments, blank lines nor trailing whitespace make a difference."""
    assert digest(tmp_path, name, one) == digest(tmp_path, name, two)


@pytest.mark.parametrize(("name", "one", "two"), OTHER.values(), ids=OTHER)
def test_code_makes_a_difference(tmp_path, name, one, two):
    """Code makes a difference even if it looks like a comment."""
    assert digest(tmp_path, name, one) != digest(tmp_path, name, two)


def test_bytes_that_are_no_text_count(tmp_path):
    """A picture, or a Python file in another encoding, is hashed bytewise."""
    (tmp_path / "a.png").write_bytes(b"\xff\n\n")
    (tmp_path / "b.png").write_bytes(b"\xff\n")
    assert code_digest(tmp_path / "a.png") != code_digest(tmp_path / "b.png")
    latin = "# coding: latin-1\nx = 1"
    assert digest(tmp_path, "a.py", latin) != digest(tmp_path, "a.py", latin.partition("\n")[2])


def test_added_comment_moves_no_position():
    """A receipt numbers lines by their position among the code lines."""
    text = "int a;\n#if B\nint b;\n#endif\n"
    longer = f"/* one\n two */\n{text.replace('int b', '// three' + chr(10) + 'int b')}"
    assert list(counting_lines("a.cc", longer)) == [3, 4, 6, 7]
    assert positions("a.cc", text, {1, 3}) == positions("a.cc", longer, {3, 6}) == {1, 3}


def test_comments_leave_their_line_breaks():
    """Stripping comments preserves line numbers."""
    assert without_comments("a /* b\nc */ d // e\nf") == "a  \n d  \nf"


def test_text_is_parsed_once_and_another_text_anew():
    """The cached result for a text is immutable, and an edited file is another text."""
    found = places("a.py", "# one\nx = 1\n")
    assert places("a.py", "# one\nx = 1\n") is found
    assert (found, places("a.py", "x = 1\n")) == ({2: 1}, {1: 1})
    with pytest.raises(TypeError):
        found[1] = 1
