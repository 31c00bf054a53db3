# SPDX-License-Identifier: Apache-2.0
"""Lets two libraries work on the same Map and Dict, on whatever runtime is installed.

Called with the paths of the two libraries; prints how many keys were checked, by kind, and in
which order keys are after one was set again, as JSON.
"""

import json
import random
import sys

import tvm_ffi

COUNT = 10_000
KINDS = {
    "none": 1,
    "bool": 2,
    "small int": COUNT,
    "int": COUNT,
    "float": COUNT,
    "pointer": COUNT,
    "dtype": COUNT,
    "device": COUNT,
    "small str": COUNT,
    "str": COUNT,
    "small bytes": COUNT,
    "bytes": COUNT,
    "big int": COUNT,
    "object": COUNT,
    "mixed": COUNT,
}


def digest(order) -> int:
    """Compute what the libraries compute of the order of insertion."""
    total = 0
    for i in order:
        total = (total * 1000003 + i + 1) % 2**64
    return total >> 1


def check(libs, pairs, keys, n, model, suffix="") -> None:
    """Both libraries see what the model says: the size, the order, each key, and no other key."""
    of_map = f"_of{suffix}" if suffix else ""
    for lib in libs:
        assert lib[f"size{of_map}"](pairs) == len(model)
        assert lib[f"digest{of_map}"](pairs) == digest(model)
        if len(model) == n:
            assert lib[f"wrong{suffix}"](pairs, keys, 0, n, 1, True) == 0
            continue
        for i in range(3):
            present = i in model
            assert lib[f"wrong{suffix}"](pairs, keys, i, n, 3, present) == 0


def change(model, begin, end, step, *, present) -> None:
    """Do to the model what the libraries do."""
    for i in range(begin, end, step):
        if present:
            model[i] = None
        else:
            model.pop(i, None)


def dicts(first, second, keys, n) -> None:
    """One library makes a Dict, the other goes on with it; keys go and come back."""
    libs = (first, second)
    shared = first.new_dict()
    model = {}
    first.fill(shared, keys, 0, n // 2, 1)
    second.fill(shared, keys, n // 2, n, 1)
    change(model, 0, n, 1, present=True)
    check(libs, shared, keys, n, model)
    for eraser, filler, start in ((second, first, 1), (first, second, 2)):
        eraser.erase(shared, keys, start, n, 3)
        change(model, start, n, 3, present=False)
        check(libs, shared, keys, n, model)
        filler.fill(shared, keys, start, n, 3)
        change(model, start, n, 3, present=True)
        check(libs, shared, keys, n, model)
    second.clear(shared)
    check(libs, shared, keys, 0, {})
    first.fill(shared, keys, 0, n, 1)
    second.erase(shared, keys, 0, n, 1)
    check(libs, shared, keys, 0, {})
    second.fill(shared, keys, 0, n, 1)
    check(libs, shared, keys, n, dict.fromkeys(range(n)))


def maps(first, second, keys, n) -> None:
    """One library makes a Map, the other makes changed ones of it; the first stays as it was."""
    libs = (first, second)
    half = first.filled_map(first.new_map(), keys, 0, n, 2)
    model = dict.fromkeys(range(0, n, 2))
    whole = second.filled_map(half, keys, 1, n, 2)
    change(model, 1, n, 2, present=True)
    check(libs, whole, keys, n, model, "_map")
    less = first.erased_map(whole, keys, 0, n, 3)
    check(libs, whole, keys, n, model, "_map")
    change(model, 0, n, 3, present=False)
    check(libs, less, keys, n, model, "_map")
    for lib in libs:
        assert lib.size_of_map(half) == (n + 1) // 2
        assert lib.wrong_map(half, keys, 0, n, 2, True) == 0


def small_steps(first, second, seed) -> None:
    """Few keys, one step at a time, each by one of the two: the form changes and changes."""
    rng = random.Random(seed)
    libs = (first, second)
    keys = rng.choice(libs).keys("mixed", 40)
    shared = rng.choice(libs).new_dict()
    model = {}
    for _ in range(100):
        i = rng.randrange(rng.choice((3, 6, 12, 40)))
        lib = rng.choice(libs)
        present = i not in model and rng.random() < 0.8
        (lib.fill if present else lib.erase)(shared, keys, i, i + 1, 1)
        change(model, i, i + 1, 1, present=present)
        for reader in libs:
            assert reader.size(shared) == len(model), seed
            assert reader.digest(shared) == digest(model), seed


def order_after_setting_again(lib) -> list[int]:
    """Set five keys, then the first of them again; tell the order."""
    keys = lib.keys("int", 5)
    shared = lib.new_dict()
    lib.fill(shared, keys, 0, 5, 1)
    lib.fill(shared, keys, 0, 1, 1)
    assert lib.wrong(shared, keys, 0, 5, 1, True) == 0
    orders = {digest(order): order for order in ([0, 1, 2, 3, 4], [1, 2, 3, 4, 0])}
    return orders[lib.digest(shared)]


def main(paths) -> None:
    """Do all of it with the libraries in both parts."""
    libs = [tvm_ffi.load_module(path) for path in paths]
    counts = {}
    again = [order_after_setting_again(lib) for lib in libs]
    for first, second in (libs, libs[::-1]):
        for kind, n in KINDS.items():
            keys = first.keys(kind, n)
            assert second.size(keys) == n
            for size in {n, min(n, 5), min(n, 17)}:
                dicts(first, second, keys, size)
                maps(first, second, keys, size)
            counts[kind] = counts.get(kind, 0) + n
    for seed in range(200):
        small_steps(*libs, seed)
    print(json.dumps({"counts": counts, "set again": again}))


if __name__ == "__main__":
    main(sys.argv[1:])
