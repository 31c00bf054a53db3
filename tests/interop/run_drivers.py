# SPDX-License-Identifier: Apache-2.0
"""Runs examples' drivers on whatever runtime is installed: run_drivers.py EXAMPLES FOLDER NAME...

FOLDER has the CPU libraries of the EXAMPLES. One process runs all drivers, since each would import
PyTorch anew. A line of JSON says which driver begins, and another how it went, so that a crash has
a name.
"""

import contextlib
import io
import json
import os
import runpy
import sys
import traceback
from pathlib import Path


def run_driver(driver: Path) -> str:
    """Run one driver and tell how it went: "ok", or the end of what it said."""
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


def main(examples: str, folder: str, *names: str) -> None:
    """Run the drivers one after the other in the folder of the libraries."""
    os.chdir(folder)
    for name in names:
        driver = Path(examples) / name / f"load_{name}.py"
        print(json.dumps({"begins": name}), flush=True)
        print(json.dumps({"name": name, "result": run_driver(driver)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
