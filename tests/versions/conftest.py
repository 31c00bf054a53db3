# SPDX-License-Identifier: Apache-2.0
"""Where the parts of the runner are."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs")]
