# SPDX-License-Identifier: Apache-2.0
"""Eight threads each catch 1,000 errors, and each sees only its own."""

import threading

import tvm_ffi

own = []


def work(number):
    function = tvm_ffi.convert(lambda: int(f"thread {number}"))
    for _ in range(1000):
        try:
            function()
        except ValueError as error:
            own.append(f"thread {number}" in str(error))


threads = [threading.Thread(target=work, args=(each,)) for each in range(8)]
[each.start() for each in threads]
[each.join() for each in threads]
print(sum(own), "own errors")
