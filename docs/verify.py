# SPDX-License-Identifier: Apache-2.0
"""Compile and run every example, doctest and shown file, and write receipts for those that pass."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from _verify.main import main

if __name__ == "__main__":
    sys.exit(main())
