# SPDX-License-Identifier: Apache-2.0
"""Shows what other processes find in the store: python store_of_each.py."""

# [store.begin]
import multiprocessing

from tvm_ffi import storage


def look_and_set(answers) -> None:
    """Send the value in this process's store, and store another one."""
    answers.put(storage.get("beyond.plan"))
    storage.set("beyond.plan", "of the child")


def main() -> None:
    """Compare the two ways of starting a process."""
    storage.set("beyond.plan", "of the parent")
    for method, found in (("spawn", None), ("fork", "of the parent")):
        context = multiprocessing.get_context(method)
        answers = context.SimpleQueue()
        child = context.Process(target=look_and_set, args=(answers,))
        child.start()
        assert answers.get() == found
        child.join()
        assert child.exitcode == 0
        assert storage.get("beyond.plan") == "of the parent"
    print("store_of_each.py: each process has its own store")


if __name__ == "__main__":
    main()
# [store.end]
