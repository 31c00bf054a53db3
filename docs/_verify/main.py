# SPDX-License-Identifier: Apache-2.0
"""The entry point: compile, run, write receipts, and report the results."""

from __future__ import annotations

import argparse
import datetime
import os
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from .again import compare, find_receipt, repeat
from .closure import runtime_of_run
from .compile import (
    Build,
    compile_variant,
    compiled_and_kept,
    empty_libraries,
    runtime_key,
)
from .earlier import Earlier, Task, stamped, task_key
from .evidence import Evidence
from .examples import VARIANTS, Example, Variant, example_files, find_examples
from .execute import run_example
from .helpers import helpers_of
from .installed import why_not
from .laps import Laps
from .layout import Layout
from .pages import find_pages, run_page
from .receipts import (
    LEVEL_OF_DEVICE,
    RAN_ON_GPU,
    collisions,
    remove_receipts,
    remove_runs,
    write_receipt,
)
from .results import Results, write_list
from .snippets import find_snippet_tests, run_snippet_test
from .table import failed, final_table, summary
from .tools import Tools, runtime_commit, uncommitted
from .unclaimed import find_unclaimed


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=Path, help="outputs, below the root [build]")
    parser.add_argument(
        "--receipts", type=Path, help="receipts of GPU runs, below the root [docs/verification]"
    )
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--all", action="store_true", help="also run what passed and has not changed since"
    )
    parser.add_argument(
        "--preview",
        action="store_true",
        help="run on the CPU only; what fails is left for the site to name",
    )
    parser.add_argument(
        "--compile-only", action="store_true", help="compile the examples; run and record nothing"
    )
    parser.add_argument(
        "--table", action="store_true", help="run nothing: print the table of the latest good site"
    )
    parser.add_argument(
        "--repeat", metavar="RECEIPT", help="repeat only what a receipt records, and compare"
    )
    return parser


def choose_devices(wanted: str, tools: Tools, results: Results) -> list[str]:
    """Return the devices to run on; a missing GPU is a failure if required, otherwise a skip."""
    level = LEVEL_OF_DEVICE["cuda"]
    required = wanted == "cuda" or os.environ.get("REQUIRE_CUDA", "0") not in ("", "0")
    if tools.gpu and wanted != "cpu":
        return ["cuda"] if wanted == "cuda" else ["cpu", "cuda"]
    if required:
        results.fail("GPU", level, [], "a GPU was required, but PyTorch found none to use")
    else:
        asked = "only the CPU was asked for"
        reason = asked if wanted == "cpu" else "PyTorch found no GPU to use"
        results.skip("every example and page", level, reason)
    return [] if wanted == "cuda" else ["cpu"]


def done_or_failed(do: Callable[[Task], Results], task: Task) -> Results:
    """Run a task; an error in the runner itself fails this task and does not stop the others."""
    try:
        return do(task)
    except Exception as error:
        results = Results()
        reason = f"the runner failed: {type(error).__name__}: {error}"
        results.fail(task.name, task.level, list(task.files), reason, traceback.format_exc())
        return results


def merged(
    pool: ThreadPoolExecutor,
    tasks: list[Task],
    do: Callable[[Task], Results],
    keep: Callable[[Results], None],
    *,
    quiet: bool,
) -> Results:
    """Run tasks in parallel, keep each result at once, and merge them in the given order."""
    running = [pool.submit(done_or_failed, do, task) for task in tasks]
    for done, future in enumerate(as_completed(running), start=1):
        keep(future.result())
        if not quiet and (done % 10 == 0 or done == len(tasks)):
            print(f"done: {done} of {len(tasks)}", flush=True)
    results = Results()
    for future in running:
        results.add(future.result())
    return results


def report(found: Results) -> None:
    """Print failures and skips as they happen: a run that is killed prints no summary."""
    for failure in found.failures:
        print(f"FAILED {failure.subject} ({failure.level}): {failure.reason}", flush=True)
    for skip in found.skips:
        print(f"left out: {skip.subject} ({skip.level}): {skip.reason}", flush=True)


def compile_all(
    layout: Layout, tools: Tools, pool: ThreadPoolExecutor
) -> tuple[dict[tuple[Example, Variant], Build], Results]:
    """Compile all variants of each example."""
    pairs = [(e, v) for e in find_examples(layout) for v in VARIANTS]
    empty_libraries(layout, {e.library(v) for e, v in pairs})
    key = runtime_key(tools)
    done = pool.map(lambda pair: compile_variant(pair[0], pair[1], layout, tools, key), pairs)
    builds, results = {}, Results()
    for pair, (build, found) in zip(pairs, done, strict=True):
        results.add(found)
        if build:
            builds[pair] = build
    print(compiled_and_kept(builds.values()), flush=True)
    return builds, results


def all_tasks(
    builds: dict[tuple[Example, Variant], Build],
    devices: list[str],
    layout: Layout,
    tools: Tools,
    *,
    preview: bool = False,
) -> list[Task]:
    """Return each example, page and snippet test, on each available device.

    A test may start a program that reads files which no record names, so an edit of any example or
    test repeats all snippet tests; only a preview relies on the files named in records.
    """
    closures = {build.library: build.closure for build in builds.values()}
    beside = [] if preview else helper_files(layout)
    anything = [] if preview else [*example_files(layout.root), *test_files(layout)]
    tasks: list[Task] = []

    def add(
        name: str,
        device: str,
        files: Iterable[str],
        run: Callable[[], Results],
        nearby: Iterable[str] = (),
    ) -> None:
        level = LEVEL_OF_DEVICE[device]
        tasks.append(Task(f"{name} on {device}", level, tuple(files), run, tuple(nearby)))

    for (example, variant), build in builds.items():
        if variant.device in devices:
            ours = [example.driver, example.test]
            helpers = [each for path in ours for each in helpers_of(layout, path)]
            add(
                *(example.source(variant), variant.device, {*build.closure, *ours, *helpers}),
                partial(run_example, example, variant, build, layout, tools),
                beside,
            )
    for device in devices:
        for test in find_snippet_tests(layout):
            files = [test, *helpers_of(layout, test)]
            run = partial(run_snippet_test, test, device, layout, tools)
            add(test, device, files, run, anything)
        # The quick ones last, so that nothing waits for one long test.
        for page in find_pages(layout) if has_sybil(tools) else []:
            add(
                page,
                device,
                [page],
                partial(run_page, page, device, layout, tools, closures),
            )
    return tasks


def test_files(layout: Layout) -> list[str]:
    """Return the files below tests/ that snippet tests may read; other sessions run the rest."""
    others = {"browser", "docs", "gpu", "interop", "python", "__pycache__", ".pytest_cache"}
    found = (layout.root / "tests").rglob("*")
    relative = [path.relative_to(layout.root) for path in found if path.is_file()]
    return sorted(path.as_posix() for path in relative if not others & set(path.parts))


def helper_files(layout: Layout) -> list[str]:
    """Return the files beside the examples' tests, which any of them may read."""
    files = [path for path in test_files(layout) if path.startswith("tests/examples/")]
    return [path for path in files if not PurePosixPath(path).name.startswith("test_")]


def has_sybil(tools: Tools) -> bool:
    """Whether the doctests can run."""
    return "sybil" in tools.versions


def write_gpu_runs(found: Results, layout: Layout, gpu: str, stamp: dict[str, Any]) -> None:
    """Replace the receipts of everything this run's GPU has just repeated."""
    ran = {each.subject for each in found.receipts if each.level == RAN_ON_GPU}
    ran |= {each.subject for each in found.failures if each.level == RAN_ON_GPU}
    if ran:
        remove_runs(layout.committed, gpu, ran)
    for receipt in stamped(found.receipts, stamp):
        if receipt.level == RAN_ON_GPU:
            write_receipt(layout.committed, receipt)


def refuse_collisions(results: Results) -> None:
    """Fail any result that would lose its receipt, or replace another subject's."""
    for one, other in collisions(results.receipts):
        reason = f"its receipt would have the same name as that of {one.subject} ({one.level})"
        files = sorted({*one.verifies, *other.verifies})
        results.fail(other.subject, other.level, files, f"{reason}: rename one of their files")


def write_results(results: Results, layout: Layout, stamp: dict[str, Any]) -> None:
    """Replace the results of earlier runs on this machine's CPU."""
    remove_receipts(layout.receipts)
    for receipt in stamped(results.receipts, stamp):
        if receipt.level != RAN_ON_GPU:
            write_receipt(layout.receipts, receipt)
    write_list(layout.failures, results.failures)
    write_list(layout.skips, results.skips)


def stamp_of(root: Path) -> dict[str, Any]:
    """Return the date and commit for a run's receipts, and what differed from the commit."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return {"date": today, "runtime": {**runtime_commit(root), **uncommitted(root)}}


def cannot_verify(layout: Layout, tools: Tools) -> list[str]:
    """Return why nothing can be verified here, each reason with the command to type."""
    # Hash before comparing: the comparison detects an edit in between.
    runtime_of_run(layout.root)
    different = why_not(layout.root, tools.package)
    return [*tools.missing(), *([different] if different else [])]


def compile_only(layout: Layout, tools: Tools, jobs: int) -> int:
    """Compile the examples; return 0 if all of them compiled."""
    with ThreadPoolExecutor(jobs) as pool:
        _, results = compile_all(layout, tools, pool)
    if results.failures:
        print(failed(Evidence(layout, [], results.failures)), flush=True)
    return 1 if results.failures else 0


def repeat_receipt(name: str, layout: Layout, tools: Tools) -> int:
    """Repeat a receipt; return 0 if the same files produced the same result."""
    try:
        receipt = find_receipt(name, layout)
        return compare(receipt, repeat(receipt, layout, tools), layout)
    except (OSError, ValueError) as error:
        print(error)
        return 1


def main(argv: list[str] | None = None) -> int:
    """Verify; return 0 if everything that should have run did, and passed."""
    options = arguments().parse_args(argv)
    layout = Layout.of(options.root, options.build, options.receipts)
    jobs = max(options.jobs, 1)
    if options.table:
        print(final_table(layout))
        return 0
    tools = Tools.find(gpu=not (options.preview or options.compile_only))
    if lines := cannot_verify(layout, tools):
        print(*lines, sep="\n")
        return 1
    if options.compile_only:
        return compile_only(layout, tools, jobs)
    if options.repeat is not None:
        return repeat_receipt(options.repeat, layout, tools)
    results = Results()
    device = "cpu" if options.preview else options.device
    devices = choose_devices(device, tools, results)
    if not has_sybil(tools):
        for each in devices:
            results.skip("every doctest", LEVEL_OF_DEVICE[each], "Sybil is not installed")
    earlier, stamp = Earlier(layout, task_key(tools)), stamp_of(layout.root)

    def keep(found: Results) -> None:
        write_gpu_runs(found, layout, tools.gpu.get("gpu", ""), stamp)
        if not options.preview:
            report(found)

    laps = Laps()
    with ThreadPoolExecutor(jobs) as pool:
        builds, compiled = compile_all(layout, tools, pool)
        laps.end("libraries")
        results.add(compiled)
        if not options.preview:
            report(results)
        tasks = all_tasks(builds, devices, layout, tools, preview=options.preview)
        do = earlier.again if options.all else earlier.unless_unchanged
        results.add(merged(pool, tasks, do, keep, quiet=options.preview))
        laps.end("examples, pages and tests")
    if "cpu" in devices:  # a GPU-only run leaves out whatever needs none
        known = [path for failure in results.failures for path in failure.files]
        results.add(find_unclaimed(layout, results.receipts, known))
    refuse_collisions(results)
    write_results(results, layout, stamp)
    earlier.write(stamp)
    print(earlier.said(len(tasks)), earlier.longest(), laps, sep="\n")
    if options.preview:
        print(failed(Evidence.load(layout)), flush=True)
        return 0
    print(summary(Evidence.load(layout)))
    return 1 if results.failures else 0
