# SPDX-License-Identifier: Apache-2.0
"""Leave out of captured output what versions of Python and g++ print differently.

A page shows what one version printed; a run with another must get the same but for this.
"""

import re

# In a traceback, what follows the first line of a frame's source: 3.11 and 3.12 mark a part of that
# line, from 3.13 on more lines are marked, and all lines of a statement are printed.
FRAME = re.compile(
    r'^(?P<first>  File "[^\n]*", line \d+, in [^\n]*\n    [^\n]*\n)(?:    [^\n]*\n)+', re.MULTILINE
)
# Where in a line an error is: g++ 16 names the first character where g++ 14 names the last.
COLUMN = re.compile(r"^(?P<line>[^\s:]+:\d+):\d+(?=: (?:error|warning|note): )", re.MULTILINE)


def normalised(text: str) -> str:
    """Return the text without a traceback's marks and a compiler's columns."""
    return COLUMN.sub(r"\g<line>", FRAME.sub(r"\g<first>", text))
