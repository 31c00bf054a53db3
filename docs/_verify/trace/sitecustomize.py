# SPDX-License-Identifier: Apache-2.0
"""Start coverage.py in each Python process of a traced run; Python imports this at its start.

The .pth file of coverage.py does so only where coverage.py is installed, and tests make other
environments. It prints nothing where coverage.py is for another Python: a test may compare output.
"""

import os
import sys
import warnings

where = os.environ.get("TRACE_PACKAGES", "")
if where:
    sys.path.insert(0, where)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import coverage

            coverage.process_startup()
    except (ImportError, SyntaxError):
        pass  # an older Python, of which coverage.py measures nothing
    finally:
        # Another environment finds nothing else there.
        sys.path.remove(where)
