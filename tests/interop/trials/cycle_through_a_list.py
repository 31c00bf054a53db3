# SPDX-License-Identifier: Apache-2.0
"""An object and a List hold each other, and nothing else holds them."""

import gc
import weakref

import tvm_ffi


class Owner:
    pass


owner = Owner()
seen = weakref.ref(owner)
owner.kept = tvm_ffi.List([owner])
del owner
gc.collect()
print("still in memory" if seen() else "collected")
