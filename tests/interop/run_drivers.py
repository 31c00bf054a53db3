# SPDX-License-Identifier: Apache-2.0
"""Runs examples' drivers on whatever runtime is installed: run_drivers.py FOLDER NAME...

FOLDER has their CPU libraries. One process runs them all, since each would import PyTorch anew. A
line of JSON says which driver begins, and another how it went, so that a crash has a name.
"""

import contextlib
import io
import json
import os
import runpy
import sys
import traceback
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "kernel_library"


def run_driver(name: str) -> str:
    """Run one driver and tell how it went: "ok", or the end of what it said."""
    driver = EXAMPLES / name / f"load_{name}.py"
    sys.argv[:] = [str(driver), "cpu"]
    sys.path[0] = str(driver.parent)  # as Python does when it runs a file
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(driver), run_name="__main__")
    except SystemExit as error:
        return "ok" if not error.code else f"SystemExit: {error.code}"
    except BaseException as error:
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"
    return "ok"


def main(folder: str, *names: str) -> None:
    """Run the drivers one after the other in the folder of the libraries."""
    os.chdir(folder)
    for name in names:
        print(json.dumps({"begins": name}), flush=True)
        print(json.dumps({"name": name, "result": run_driver(name)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
