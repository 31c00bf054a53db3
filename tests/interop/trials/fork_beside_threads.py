# SPDX-License-Identifier: Apache-2.0
"""A process forks 30 times while four threads make calls; each child makes one."""

import os
import threading

import tvm_ffi

function = tvm_ffi.convert(lambda x: tvm_ffi.Array([x]))


def forever():
    while True:
        function("text")


for _ in range(4):
    threading.Thread(target=forever, daemon=True).start()
for _ in range(30):
    if (child := os.fork()) == 0:
        os._exit(0 if function("text")[0] == "text" else 1)
    assert os.waitpid(child, 0)[1] == 0
print("30 children succeeded", flush=True)
os._exit(0)
