# SPDX-License-Identifier: Apache-2.0
"""Remove from captured output whatever differs between versions of Python and g++.

A page shows the output of one version; a run with another must match except for this.
"""

import re

# In a traceback, the lines after the first source line of a frame: 3.11 and 3.12 underline part of
# it, and from 3.13 on more lines are underlined, and all lines of a statement are printed.
FRAME = re.compile(
    r'^(?P<first>  File "[^\n]*", line \d+, in [^\n]*\n    [^\n]*\n)(?:    [^\n]*\n)+', re.MULTILINE
)
# The column of an error: g++ 16 gives the first character where g++ 14 gives the last.
COLUMN = re.compile(r"^(?P<line>[^\s:]+:\d+):\d+(?=: (?:error|warning|note): )", re.MULTILINE)


def normalised(text: str) -> str:
    """Return the text without a traceback's underlines and a compiler's columns."""
    return COLUMN.sub(r"\g<line>", FRAME.sub(r"\g<first>", text))
