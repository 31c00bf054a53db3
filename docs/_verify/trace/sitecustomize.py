# SPDX-License-Identifier: Apache-2.0
"""Start coverage.py in each Python process of a traced run; Python imports this at startup.

coverage.py's own .pth file works only where coverage.py is installed, and tests create other
environments. It prints nothing if coverage.py is for another Python: a test may compare output.
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
        pass  # an older Python, for which coverage.py measures nothing
    finally:
        # Another environment must find nothing else there.
        sys.path.remove(where)
