# SPDX-License-Identifier: Apache-2.0
"""Python ends, for half a second, while four daemon threads are in callbacks."""

import threading
import time

import tvm_ffi

entered = threading.Barrier(5)


class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.5)


def callback():
    entered.wait()
    while True:
        pass


for _ in range(4):
    threading.Thread(target=tvm_ffi.convert(callback), daemon=True).start()
entered.wait()
kept = Slow()
print("the end")
