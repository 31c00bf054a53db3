# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""A class of modules crosses between both packages' headers and runtimes.

It is written once, and built with the headers of each package, and so is the code that calls its
virtual functions. All combinations do the same, and so does one module that imports another.
"""

import json
import re
import shlex
import struct
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SCALE = HERE.parent / "snippets" / "scale_module.cc"
DRIVER = HERE / "module_driver.cc"
SYMBOLS = json.loads((HERE.parent / "abi" / "cpp-symbols-0.1.15.json").read_text())
LISTED = {*SYMBOLS["exported"], *SYMBOLS["not_exported"].values()}
KINDS = ("ours", "published")
FLAGS = "-std=c++17 -O1 -shared -fPIC -w"
TABLE = """
#include <tvm/ffi/extra/module.h>
class KindObj : public tvm::ffi::ModuleObj {
 public:
  const char* kind() const final { return "kind"; }
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String&) final { return {}; }
};
KindObj made;
"""


def run(command: list[str]) -> str:
    """Run a command and give what it prints; a failure shows its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def flags_of(python: str, *wanted: str) -> str:
    """What tvm-ffi-config says of a package."""
    return run([python, "-m", "tvm_ffi.config", *wanted])


@pytest.fixture(scope="module")
def folder(pythons, tmp_path_factory) -> Path:
    """The class and the driver, each built with the headers of both packages."""
    folder = tmp_path_factory.mktemp("modules")
    for kind, python in pythons.items():
        flags = flags_of(python, "--cxxflags", "--ldflags", "--libs")
        for source, name in ((SCALE, "scale"), (DRIVER, "driver")):
            named = shlex.quote(f'-DSCALE_KIND="scale_{kind}"')
            output = folder / f"{name}_{kind}.so"
            run(shlex.split(f"g++ {FLAGS} {named} {source} -o {output} {flags}"))
    return folder


@pytest.fixture(scope="module", params=KINDS)
def found(request, pythons, folder) -> dict:
    """What the probe prints under one of the runtimes."""
    return json.loads(run([pythons[request.param], str(HERE / "module_probe.py"), str(folder)]))


@pytest.mark.parametrize("kind", KINDS)
def test_asked_in_python(found, kind):
    """Python gets what the class says."""
    assert found[f"python {kind}"] == [
        *(f"scale_{kind}", 4.0, False, 3, "y = factor * x"),
        *("Multiplies by the factor of the module.", [f"scale_{kind}"]),
    ]


@pytest.mark.parametrize("driver", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_asked_in_cpp(found, kind, driver):
    """C++ of either headers calls each virtual function; what it wrote loads again."""
    assert found[f"{kind} asked by {driver}"] == [
        *(f"scale_{kind}", 3, 4.0, False, True, False),
        *("Multiplies by the factor of the module.", False, '{"arg_names": "x"}'),
        *([f"scale_{kind}"], struct.pack("<d", 2).hex(), "y = factor * x", 4.0),
    ]


@pytest.mark.parametrize("driver", KINDS)
@pytest.mark.parametrize("other", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_imports(request, found, kind, other, driver):
    """A module imports one of the other headers; a circle is refused; code looks functions up."""
    ours = request.node.callspec.params["found"] == "ours"
    by_library, by_class, lent = found[f"{kind} imports {other} by {driver}"]
    # The refusal comes from the class's own headers, or from the runtime.
    circle = "ValueError" if ours else "RuntimeError"
    assert by_library == [False, 1, True, True, True, False, False, circle, 0, False]
    assert by_class[:7] == [False, 1, True, True, True, True, True]
    assert by_class[7] == ("ValueError" if ours or other == "ours" else "RuntimeError")
    assert by_class[8:] == [0, False]
    assert lent == 30.0


def class_layout(python: str, folder: Path) -> str:
    """What the compiler lays out for ModuleObj and its table, with no addresses of its own."""
    folder.mkdir()
    (folder / "table.cc").write_text(TABLE)
    flags = flags_of(python, "--cxxflags")
    command = f"g++ -std=c++17 -w -c {flags} -fdump-lang-class table.cc -o table.o"
    subprocess.run(shlex.split(command), cwd=folder, check=True)
    text = next(folder.glob("table.cc.*.class")).read_text()
    blocks = [
        block
        for block in re.split(r"\n\n+", text)
        if re.match(r"(Class|Vtable for) (tvm::ffi::ModuleObj|KindObj)\n", block)
    ]
    assert len(blocks) == 4
    return re.sub(r"0x0x\w+", "", "\n".join(blocks))


def test_layout(pythons, tmp_path):
    """Size, places of the bases and the table of virtual functions are the same."""
    ours, published = (class_layout(pythons[kind], tmp_path / kind) for kind in KINDS)
    assert ours == published


def symbols_of(library: Path | str, option: str) -> set[str]:
    """The C++ symbols of TVM FFI that a library defines, or needs."""
    lines = run(["nm", "-D", "--format=posix", option, str(library)]).splitlines()
    # Not those that each library has, such as the table of a template.
    return {line.split()[0] for line in lines if line.split()[1] in "TUVDBR"} & LISTED


def runtime_of(python: str) -> str:
    """The path of a package's libtvm_ffi.so."""
    return run([python, "-c", "from tvm_ffi import libinfo as i; print(i.find_libtvm_ffi())"])


def test_symbols_that_libraries_need(folder):
    """Those built with the published headers need what is exported; ours need C functions alone."""
    for name in ("scale", "driver"):
        assert symbols_of(folder / f"{name}_ours.so", "--undefined-only") == set()
        needed = symbols_of(folder / f"{name}_published.so", "--undefined-only")
        assert needed
        assert needed <= {*SYMBOLS["exported"]}


def test_symbols_of_the_published_runtime(pythons):
    """It exports those that ours exports, and those that the list names as missing here."""
    table = run(["nm", "-D", "--defined-only", "--format=posix", runtime_of(pythons["published"])])
    functions = set(re.findall(r"^(_ZN3tvm3ffi\S+) T", table, re.MULTILINE))
    assert functions | {*SYMBOLS["exported"]} == LISTED
    assert {*SYMBOLS["exported"]} <= {line.split()[0] for line in table.splitlines()}
