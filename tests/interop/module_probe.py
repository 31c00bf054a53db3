# SPDX-License-Identifier: Apache-2.0
"""Asks modules of a class, built with one package's headers, by code of the other's.

Arguments: a folder with `scale_KIND.so` and `driver_KIND.so` for both kinds of headers. Prints
lists of what each combination of class, importing class and driver gave, as JSON.
"""

import json
import sys
from pathlib import Path

import tvm_ffi

folder = Path(sys.argv[1])
KINDS = ("ours", "published")
scales = {kind: tvm_ffi.load_module(str(folder / f"scale_{kind}.so")) for kind in KINDS}
drivers = {kind: tvm_ffi.load_module(str(folder / f"driver_{kind}.so")) for kind in KINDS}


def plain(value):
    """The value in Python's own types."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (str, int, float, bool)):
        return value
    return [plain(each) for each in value]


found = {}
for kind in KINDS:
    module = scales[kind].make_scale(2)
    found[f"python {kind}"] = [
        *(module.kind, module.scale(2.0), module.implements_function("shift")),
        *(module.get_property_mask(), module.inspect_source()),
        *(module.get_function_doc("scale"), list(module.get_write_formats())),
    ]
    for driver in KINDS:
        file = folder / f"saved_{kind}_{driver}.scale_{kind}"
        told = plain(drivers[driver].ask(scales[kind].make_scale(2), str(file)))
        found[f"{kind} asked by {driver}"] = [*told, tvm_ffi.load_module(str(file)).scale(2.0)]
        for other in KINDS:
            what = f"{kind} imports {other} by {driver}"
            call = drivers[driver].get_function("import")
            # A library, and a module of the class.
            found[what] = [
                plain(call(scales[kind].make_scale(2), scales[other], "make_scale")),
                plain(call(scales[kind], scales[other].make_scale(3), "scale")),
                drivers[driver].lend(scales[kind].make_scale(2), scales[other].make_scale(3)),
            ]
print(json.dumps(found))
