# SPDX-License-Identifier: Apache-2.0
"""Python ends while eight daemon threads are in callbacks."""

import threading
import time

import tvm_ffi

entered = threading.Barrier(9)


def callback():
    entered.wait()
    time.sleep(0.5)


function = tvm_ffi.convert(callback)
for _ in range(8):
    threading.Thread(target=function, daemon=True).start()
entered.wait()
print("the end")
