# SPDX-License-Identifier: Apache-2.0
"""The commands of this project: `nox -l` lists them; plain `nox` does what .ci/run does."""

import os
import shutil
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "docs"))

# In the folder added above:
from _setup.environment import Environment, together  # noqa: E402
from _setup.fresh import follow_readme, why_no_bare_system  # noqa: E402
from _setup.install import install, install_package, pins, variables, write_lock  # noqa: E402
from _setup.minutes import skip_if_late  # noqa: E402
from _setup.pytorch import folder_of, install_torch, share  # noqa: E402
from _setup.system import (  # noqa: E402
    BUILDING,
    DOCS_PYTHON,
    has_nvcc,
    need,
    switch_on_pyenv_versions,
    want,
)
from _verify.closure import trees_digest  # noqa: E402
from _verify.laps import Laps  # noqa: E402
from _verify.layout import Layout  # noqa: E402
from _verify.table import final_table  # noqa: E402

switch_on_pyenv_versions()
nox.needs_version = ">=2025.5.1"
nox.options.sessions = [
    "lint",
    "tests",
    "fresh",
    "interop",  # from here on, MINUTES skips sessions
    "browser",  # tests the site built by fresh
    "machinery",
    "tests-3.10",
    "tests-3.13",
    "machine_code",
    "emulate",
    "compilers",
    "sanitize",
]
nox.options.stop_on_first_error = True  # the failure is the last thing printed
nox.options.reuse_venv = "yes"
# nox would reuse an environment created with another Python.
nox.options.envdir = f".nox/{sys.implementation.cache_tag}"
nox.options.default_venv_backend = "uv|virtualenv"

COVERAGE = "docs/benchmarks/coverage.json"
SOAK = "docs/benchmarks/soak.json"
PROFILERS = "build/profilers"
FORMATTED = ("*.h", "*.cc", "*.cu", "*.cuh", "*.c")
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
PUBLISHERS = ("CI", "READTHEDOCS")  # set on machines that publish their sites
TYPED = ("docs/_assistant", "docs/_setup", "docs/_verify", "noxfile.py")
# Configuration files read by hosts and tools, and the schema each must follow.
SCHEMAS = {
    "vendor.github-actions": [".github/actions/*/action.yml"],
    "vendor.github-issue-config": [".github/ISSUE_TEMPLATE/config.yml"],
    "vendor.github-issue-forms": [
        f".github/ISSUE_TEMPLATE/{form}.yml" for form in ("bug", "feature", "page")
    ],
    "vendor.github-workflows": [".github/workflows/*.yml", "tests/snippets/publishing/wheels.yml"],
    "vendor.readthedocs": [".readthedocs.yaml"],
}
CPP_FOLDERS = ("include", "src", "python", "examples", "tests")


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style of Python, C++ and CUDA, the English and the workflow files; no changes."""
    expect_python(session)
    install(session, "lint")
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", "--check", *session.posargs)
    # A test holds the package to the same strict mode.
    session.run("mypy", "--follow-imports=silent", *TYPED, env={"MYPYPATH": "docs"})
    for schema, globs in SCHEMAS.items():
        files = sorted(str(path.relative_to(ROOT)) for glob in globs for path in ROOT.glob(glob))
        session.run("check-jsonschema", "--builtin-schema", schema, *files)
    shown = "tests/snippets/publishing/wheels.yml"
    session.run("zizmor", "--offline", "--quiet", "--config=.github/zizmor.yml", ".github", shown)
    globs = [f"{folder}/**/{name}" for folder in CPP_FOLDERS for name in FORMATTED]
    files = sorted({str(path.relative_to(ROOT)) for glob in globs for path in ROOT.glob(glob)})
    session.run("clang-format", "--dry-run", "-Werror", *files)
    session.run("python", "docs/_setup/includes.py")
    session.run("python", "docs/_setup/prose.py")


@nox.session
def environment(session: nox.Session) -> None:
    """Install what most sessions share: package, PyTorch, and the tools for tests and the site."""
    need(session, *BUILDING, *(["doxygen", "gcov"] if sys.version_info >= DOCS_PYTHON else []))
    install(session, "shared", *([] if has_nvcc() else ["nvcc"]))
    install(session, "cutlass", "hub", "nvshmem", "tilelang")
    install_torch(session)
    install_package(session)


@nox.session
def published(session: nox.Session) -> None:
    """Install the published package, which cannot share an environment with ours."""
    install(session, "published")
    install_torch(session)


@nox.session
def client(session: nox.Session) -> None:
    """Install our package and xgrammar, which was built for the published package."""
    need(session, *BUILDING)
    install(session, "client")
    install(session, "xgrammar")
    install_torch(session)
    install_package(session)


@nox.session(venv_backend="none", requires=["environment"])
def tests(session: nox.Session) -> None:
    """Run the tests that need no GPU; machinery and docs test the site and the examples."""
    want(session, "valgrind")
    environment = Environment(session)
    left_out = ("browser", "examples", "gpu", "interop", "snippets")
    pytest = ["-m", "pytest", *(f"--ignore=tests/{name}" for name in left_out)]
    if session.posargs:
        environment.run(*pytest, *session.posargs, env=recording("tests"))
        return
    found = (ROOT / "tests" / "python").glob("test_cpp_*.py")
    compiling = ["tests/cpp", *(f"tests/python/{path.name}" for path in sorted(found))]
    others = [*(f"--ignore={path}" for path in [*compiling, "tests/docs"]), "tests"]
    shares = others, compiling
    environment.run_together(*([*pytest, *share] for share in shares), env=recording("tests"))


@nox.session(venv_backend="none", requires=["environment"])
def machinery(session: nox.Session) -> None:
    """Test the sessions, the site's extensions and the records."""
    skip_if_late(session, 18)
    files = [f"tests/docs/{path.name}" for path in (ROOT / "tests" / "docs").glob("test_*.py")]
    # Two run at once: with these shares, neither waits long for the other.
    shares = [["-m", "pytest", *sorted(files)[first::4]] for first in range(4)]
    if session.posargs:
        shares = [["-m", "pytest", "tests/docs", *session.posargs]]
    Environment(session).run_together(*shares, env=recording("machinery"))


@nox.session(
    venv_backend="none", requires=["environment"] if sys.version_info >= DOCS_PYTHON else []
)
def docs(session: nox.Session) -> None:
    """Run every example and snippet, and build the site; --serve: rebuild after each edit."""
    expect_python(session)
    if refused := {"--preview", "--compile-only", "--table", "--repeat"} & {*session.posargs}:
        session.error(f"docs: expected a whole run, got {' '.join(sorted(refused))}")
    layout, laps, environment = Layout.of(ROOT), Laps(), Environment(session)
    if "--serve" in session.posargs:
        others = [word for word in session.posargs if word != "--serve"]
        environment.run("docs/preview.py", *others, env=recording("docs"))
        return
    failed = []
    # Build the site even after a failure, so that the message can name each affected page.
    sphinx = ["-j", "2", "-W", "-n", "-q", "-c", ".", "docs", "build/site"]
    steps = {"proof": ["docs/verify.py", *session.posargs], "site": ["-m", "sphinx", *sphinx]}
    for step, command in steps.items():
        try:
            environment.run(*command, env=recording("docs"))
        except CommandFailed:
            failed.append(" ".join(command))
        laps.end(step)
    if failed:
        if layout.unverified.exists():
            print("Snippets that may not be shown:", layout.unverified.read_text(), sep="\n")
        session.error(f"failed: {'; '.join(failed)}")
    # The book reuses the doctrees of the site's build and packs every file in its folder.
    shutil.rmtree(ROOT / "build" / "book", ignore_errors=True)
    book = ["-b", "epub", "-d", "build/site/.doctrees", "-j", "2", "-W", "-n", "-q"]
    environment.run("-m", "sphinx", *book, "-c", ".", "docs", "build/book")
    laps.end("book")
    environment.run("docs/_verify/links.py", "build/site")
    laps.end("links")
    print(final_table(layout), laps, sep="\n")
    if layout.partial.exists() and any(name in os.environ for name in PUBLISHERS):
        session.error("the site is partial, and a partial site is not published: see above")


@nox.session(venv_backend="none", requires=["environment"])
def receipt(session: nox.Session) -> None:
    """Repeat a receipt's compilation or run, and compare; the argument is its name or file."""
    Environment(session).run("docs/verify.py", "--repeat", *session.posargs)


@nox.session(venv_backend="none", requires=["environment"])
def assistant(session: nox.Session) -> None:
    """Print the configuration with which a coding assistant starts the built site's server."""
    server = ["docs/_assistant/server.py", "--configuration"]
    Environment(session).run(*server, *(session.posargs or ["build/site"]))


@nox.session(venv_backend="none")
def fresh(session: nox.Session) -> None:
    """Follow the README in bare Debian systems and keep the site that this builds.

    Arguments: tests, bookworm trixie sid, root user.
    """
    follow_readme(session, ROOT / "build" / "fresh")


# Where no bare system can be created, fresh leaves no site.
@nox.session(requires=["docs"] if why_no_bare_system() else [])
def browser(session: nox.Session) -> None:
    """Test every page of the built site in Chromium; arguments select tests."""
    skip_if_late(session, 8)
    if not (ROOT / "build" / "site" / "index.html").exists():
        session.error("browser: build/site is missing. Type: nox -s docs browser")
    need(session, "chromium")
    install(session, "browser")
    pytest = ["-m", "pytest", "-q", "--tb=short"]
    if session.posargs:
        session.run("python", *pytest, *session.posargs)
        return
    parts = [[*pytest, "--part", part, "tests/browser"] for part in ("1/2", "2/2")]
    together(session, f"{session.bin}/python", parts, {})


def expect_python(session: nox.Session) -> None:
    """Refuse a Python that the pinned Sphinx or a lint tool does not support."""
    if sys.version_info < DOCS_PYTHON:
        found = sys.version.split()[0]
        session.error(f"{session.name}: expected Python 3.11 or newer, got {found}")


def recording(session: str) -> dict[str, str]:
    """Return the variables that make a session's tests leave records for the table of rows."""
    return {"ROWS_RECORD": str(ROOT / "build" / "rows" / session)}


def on_python(session: nox.Session) -> None:
    """Build and test the package on this Python, and call a library built once for all Pythons."""
    skip_if_late(session, 8)
    need(session, "g++", "git")
    install(session, "tests")
    install_package(session)
    pytorch = folder_of(session, f"cpython-{str(session.python).replace('.', '')}")
    share(session, pytorch)
    if not pytorch.exists():
        session.log(f"no PyTorch is at hand for Python {session.python}: its tests are skipped")
    if session.posargs:
        session.run("python", "-m", "pytest", *session.posargs)
    else:
        found = sorted((ROOT / "tests" / "python").glob("test_*.py"))
        files = [f"tests/python/{path.name}" for path in found]
        halves = [["-m", "pytest", *files[first::2]] for first in (0, 1)]
        path = f"{session.bin}{os.pathsep}{os.environ['PATH']}"
        together(session, f"{session.bin}/python", halves, {"PATH": path})
    folder = ROOT / "build" / "pythons" / trees_digest(ROOT, ("include", "examples"))[:16]
    if not (folder / "scale_cpu.so").exists():
        folder.mkdir(parents=True, exist_ok=True)
        script = ROOT / "examples" / "kernel_library" / "scale" / "build_cpu.sh"
        with session.chdir(folder):
            session.run("bash", str(script), external=True)
    session.run("python", "tests/pythons/call_scale.py", str(folder / "scale_cpu.so"))


for version in PYTHONS:
    nox.session(name=f"tests-{version}", python=version)(on_python)


@nox.session(venv_backend="none", requires=["environment", "published", "client"])
def interop(session: nox.Session) -> None:
    """Exchange libraries with the published package, and run one of its clients on ours."""
    skip_if_late(session, 15)
    environment = Environment(session)
    peer, client = (Environment(session, name).python for name in ("published", "client"))
    others = ["--peer-python", peer, "--client-python", client]
    pytest = ["-m", "pytest", *others]
    if session.posargs:
        environment.run(*pytest, *session.posargs, env=recording("interop"))
        return
    # These build the same copies of the examples.
    names = "test_byte_offsets", "test_example_runtimes", "test_pages", "test_snippets"
    copying = [f"tests/interop/{name}.py" for name in names]
    found = {path.stem for path in (ROOT / "tests" / "interop").glob("test_*.py")}
    others = [f"tests/interop/{name}.py" for name in sorted(found - {*names})]
    shares = others[0::2], others[1::2], copying
    environment.run_together(*([*pytest, *share] for share in shares), env=recording("interop"))


@nox.session(venv_backend="none", requires=["environment"])
def compilers(session: nox.Session) -> None:
    """Compile everything with g++, clang++ and nvcc, without warnings; arguments select files."""
    skip_if_late(session, 10)
    need(session, "clang++", "valgrind")  # a benchmark includes a valgrind header
    Environment(session).run("docs/_setup/compilers.py", *session.posargs)


@nox.session(
    venv_backend="none", requires=["environment"] if sys.version_info >= DOCS_PYTHON else []
)
def machine_code(session: nox.Session) -> None:
    """Check the machine code of the examples' kernels, without a GPU; arguments select examples."""
    skip_if_late(session, 8)
    expect_python(session)
    Environment(session).run("tests/machine_code/machine_code.py", *session.posargs)


@nox.session(venv_backend="none", requires=["environment"])
def sanitize(session: nox.Session) -> None:
    """Run tests under sanitizers: C++ tests, or those in arguments; ``examples``; ``python``."""
    skip_if_late(session, 15)
    environment = Environment(session)
    part, *files = session.posargs or [""]
    if part not in ("examples", "python"):
        environment.run("docs/_setup/sanitize.py", *session.posargs)
    if part in ("examples", ""):
        environment.run("docs/_setup/sanitize_examples.py", *files)
    if part == "":
        skip_if_late(session, 25)
    if part in ("python", ""):
        environment.run("docs/_setup/sanitize_python.py", *files)


@nox.session(
    venv_backend="none", requires=["environment"] if sys.version_info >= DOCS_PYTHON else []
)
def coverage(session: nox.Session) -> None:
    """Count and record which lines of the runtime the tests execute; arguments select tests."""
    expect_python(session)
    need(session, *BUILDING, "gcov")
    environment = Environment(session)
    environment.run("docs/_setup/line_coverage.py", *session.posargs)
    if not session.posargs:
        environment.run("tests/benchmarks/covered_lines.py", COVERAGE, "build/coverage/report.json")


@nox.session(venv_backend="none", requires=["environment"])
def fuzz(session: nox.Session) -> None:
    """Feed broken input to the package: --minutes N, default 5; arguments select targets."""
    need(session, "g++")
    Environment(session).run("tests/fuzz/fuzz.py", *session.posargs)


@nox.session(venv_backend="none", requires=["environment"])
def soak(session: nox.Session) -> None:
    """Repeat calls, loads, errors and forks millions of times; an argument scales the count."""
    need(session, "g++")
    Environment(session).run("tests/benchmarks/soak.py", SOAK, *session.posargs)


@nox.session(venv_backend="none", requires=["environment"])
def emulate(session: nox.Session) -> None:
    """Run the examples' CUDA sources on the CPU; arguments select examples."""
    skip_if_late(session, 12)
    Environment(session).run("tests/emulation/emulate.py", *session.posargs)


@nox.session(venv_backend="none", requires=["environment"])
def hip(session: nox.Session) -> None:
    """Compile a kernel for AMD GPUs with hipcc, and load it without a GPU."""
    need(session, "hipcc")
    command = ["-m", "pytest", "tests/hip", *session.posargs]
    Environment(session).run(*command, env=recording("hip"))


@nox.session(venv_backend="none", requires=["environment"])
def profilers(session: nox.Session) -> None:
    """Run the profilers' commands of the page on profiling, with NVIDIA's programs, on the CPU."""
    need(session, "g++", "libssh.so.4")
    environment = Environment(session)
    environment.run("docs/_setup/profilers.py", PROFILERS)
    paths = {"PROFILERS": str(ROOT / PROFILERS / "bin"), "PYTHONPATH": str(ROOT / "docs")}
    environment.run("-m", "pytest", "tests/profilers", *session.posargs, env=paths)


@nox.session(venv_backend="none", requires=["environment", "published"])
def mutants(session: nox.Session) -> None:
    """Plant bugs in the examples and the runtime: a test must catch each; arguments select bugs."""
    need(session, *BUILDING)
    peer = Environment(session, "published").python
    Environment(session).run("docs/_setup/mutants.py", peer, *session.posargs)


@nox.session
def examples(session: nox.Session) -> None:
    """Build the examples for this machine's CPU and test them; arguments select examples."""
    need(session, *BUILDING)
    install(session, "tests", "jax")  # an example calls JAX
    install_torch(session)
    install_package(session)
    session.run("python", "docs/_setup/cpu_examples.py", *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the sdist and this Python's wheel into dist, and call a kernel from the wheel."""
    need(session, *BUILDING, "git")
    install(session, "packaging", "bill")
    session.run("python", "docs/_setup/wheel.py", *pins("numpy"))


@nox.session(venv_backend="none", requires=["environment"])
def versions(session: nox.Session) -> None:
    """Run the examples under every published release; arguments go to versions.py."""
    need(session, "g++")
    mark = "apache-tvm-ffi=="
    (pinned,) = (pin.removeprefix(mark) for pin in pins("published") if pin.startswith(mark))
    command = ["tests/versions/versions.py", "docs/compared/versions.json", pinned]
    Environment(session).run(*command, *session.posargs)


@nox.session
def lock(session: nox.Session) -> None:
    """Write docs/_setup/lock.txt from the groups in pyproject.toml; arguments go to uv."""
    session.install(*pins("lock"), env=variables(session))
    write_lock(session)


@nox.session(venv_backend="none", requires=["environment", "published"])
def bench(session: nox.Session) -> None:
    """Measure and write docs/benchmarks; arguments select parts, others go to their programs."""
    beside_published = ("slim", "calls", "instructions")
    alone = ("peers", "leaks", "kernels", "baseline", "architectures")
    known = [*beside_published, *alone]
    parts = [part for part in known if part in session.posargs] or beside_published
    if {"instructions", "baseline"} & {*parts}:
        need(session, "valgrind")
    others = [word for word in session.posargs if word not in known]
    environment, peer = Environment(session), Environment(session, "published")
    for part in parts:
        arguments = [f"docs/benchmarks/{part}.json", *others]
        if part in beside_published:
            arguments.append(peer.python)
        environment.run(f"tests/benchmarks/{part}.py", *arguments)
