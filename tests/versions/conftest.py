# SPDX-License-Identifier: Apache-2.0
"""Make the runner's modules importable."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs")]
