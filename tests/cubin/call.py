# SPDX-License-Identifier: Apache-2.0
"""Run lines of Python with a library that launches kernels, on top of the fake CUDA.

``call.py FAKE LIBRARY LINE...`` prints the result of each line, as a JSON list. The fake
libraries are loaded only in this process.
"""

import ctypes
import json
import sys
from pathlib import Path

import tvm_ffi

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples"))


def vectors(n: int) -> list:
    """Return two float32 vectors that claim to be on the first GPU."""
    import numpy
    from producer import FLOAT32, Producer

    made = [numpy.zeros(n, dtype="float32") for _ in range(2)]
    return [Producer(memory, n, FLOAT32, device=(2, 0)) for memory in made]


def main() -> None:
    """Run the lines."""
    fake, library, *lines = sys.argv[1:]
    names = {"Path": Path, "tvm_ffi": tvm_ffi, "vectors": vectors}
    if fake:
        driver = ctypes.CDLL(f"{fake}/libcuda.so.1", ctypes.RTLD_GLOBAL)
        ctypes.CDLL(f"{fake}/libcudart.so", ctypes.RTLD_GLOBAL)
        driver.fake_log.restype = ctypes.c_char_p
        names["log"] = lambda: driver.fake_log().decode()
        names["fail"] = lambda name, error: driver.fake_fail(name.encode(), error)
    names["mod"] = tvm_ffi.load_module(library)
    told = []
    for line in lines:
        try:
            told.append(str(eval(line, names)))
        except Exception as error:
            told.append(f"{type(error).__name__}: {error}")
    print(json.dumps(told))


if __name__ == "__main__":
    main()
