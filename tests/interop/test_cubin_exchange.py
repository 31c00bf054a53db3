# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R9
"""Programs with CUBINs, built with either package's headers, under either runtime."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests/snippets/cubin"
KINDS = ("ours", "published")
sys.path.insert(0, str(ROOT / "tests/cubin"))

import builds  # noqa: E402  (in a folder that was just named)

LAUNCH = re.compile(
    r"launch axpy of library \d on 0: grid 1,1,1 block 256,1,1 shared 0 stream 0 "
    r"parameters 00000040 [0-9a-f]{16} [0-9a-f]{16} 0700000000000000\n"
)


@pytest.fixture(scope="module")
def fake(pythons, tmp_path_factory):
    """The fake CUDA."""
    if not builds.nvcc():
        pytest.skip("no nvcc is installed")
    return builds.build_fake(tmp_path_factory.mktemp("fake"))


@pytest.fixture(scope="module")
def cubin(fake, tmp_path_factory):
    """The CUBIN of the page's kernel; beside it the header with its bytes."""
    path = tmp_path_factory.mktemp("cubin") / "axpy.cubin"
    image = builds.build_cubin(SOURCES / "axpy.cu", path)
    numbers = ",".join(map(str, image))
    text = f"static const unsigned char axpy_image[] = {{{numbers}}};\n"
    (path.parent / "axpy_cubin.h").write_text(text)
    return path


def asks(python):
    """Give a function that asks a package for its flags."""

    def ask(*options):
        command = [python, "-m", "tvm_ffi.config", *options]
        return " ".join(subprocess.check_output(command, text=True).split())

    return ask


def embed(python, cubin, plain, full):
    """Embed the image by the tool of a package."""
    tool = [python, "-m", "tvm_ffi.utils.embed_cubin", "--name", "axpy_cubin"]
    paths = ["--cubin", cubin, "--input-obj", plain, "--output-obj", full]
    subprocess.run([*tool, *map(str, paths)], check=True)


def link(python, full, output, fake):
    """Link an object file by the flags of a package."""
    ask = asks(python)
    builds.run(f"g++ -shared {full} -o {output} {ask('--ldflags', '--libs')} -L{fake} -lcudart")


@pytest.fixture(scope="module", params=KINDS)
def programs(request, pythons, fake, cubin, tmp_path_factory):
    """The three programs of the page, built with one package's headers."""
    python, folder = pythons[request.param], tmp_path_factory.mktemp(request.param)
    ask = asks(python)
    for name in ("axpy_array", "axpy_loaded"):
        source = SOURCES / f"{name}.cc"
        builds.build_by(ask, source, folder / f"{name}.so", "runtime", fake, f"-I{cubin.parent}")
    plain, full = folder / "plain.o", folder / "full.o"
    builds.run(
        f"g++ -O1 -fPIC {builds.cuda_headers()} {ask('--cxxflags')} -c {SOURCES}/axpy.cc -o {plain}"
    )
    embed(python, cubin, plain, full)
    link(python, full, folder / "axpy.so", fake)
    return folder


@pytest.mark.parametrize("runtime", KINDS)
@pytest.mark.parametrize("name", ["axpy", "axpy_array", "axpy_loaded"])
def test_programs(programs, pythons, fake, cubin, name, runtime):
    """Each launches the same under both runtimes."""
    image = f"Path({str(cubin)!r}).read_bytes()"
    call = f"mod.load_axpy({image})" if name == "axpy_loaded" else "mod.axpy"
    lines = f"{call}(2.0, *vectors(7))", "log()", f"{call}(2.0, vectors(7)[0], vectors(8)[0])"
    library = programs / f"{name}.so"
    called, told, wrong = builds.call(fake, library, *lines, python=pythons[runtime])
    assert called == "None"
    assert LAUNCH.search(told)
    assert re.match("ValueError: .*axpy: expected vectors of one length, got 7 and 8", wrong)


@pytest.mark.parametrize(("headers", "tool"), [KINDS, KINDS[::-1]])
def test_tools_cross(pythons, fake, cubin, headers, tool, tmp_path):
    """The tool of one package embeds for the macro of the other's headers."""
    ask = asks(pythons[headers])
    plain, full = tmp_path / "plain.o", tmp_path / "full.o"
    builds.run(
        f"g++ -O1 -fPIC {builds.cuda_headers()} {ask('--cxxflags')} -c {SOURCES}/axpy.cc -o {plain}"
    )
    embed(pythons[tool], cubin, plain, full)
    link(pythons[headers], full, tmp_path / "axpy.so", fake)
    _, told = builds.call(fake, tmp_path / "axpy.so", "mod.axpy(2.0, *vectors(7))", "log()")
    assert LAUNCH.search(told)


def launcher(pythons, fake, kind, mode, folder):
    """Build the launcher of the package's own tests with one package's headers."""
    text = (builds.HERE / "launcher.cc").read_text()
    if kind == "published":
        # They have no macro for a function that is looked for, and take no size beside an address.
        text = re.sub(r"TVM_FFI_CUDA_DRIVER\((\w+)\)", r"\1", text)
        text = text.replace("image.data(), static_cast<size_t>(size)", "image")
        text = text.replace("nullptr), static_cast<size_t>(size)", "nullptr)")
    source = folder / f"launcher_{kind}.cc"
    source.write_text(text)
    output = folder / f"launcher_{kind}.so"
    builds.build_by(asks(pythons[kind]), source, output, mode, fake)
    return output


@pytest.fixture(scope="module", params=KINDS)
def launched(request, pythons, fake, tmp_path_factory):
    """The launcher of the tests of the package, built with one package's headers."""
    folder = tmp_path_factory.mktemp("launcher")
    output = launcher(pythons, fake, request.param, "runtime", folder)
    image = folder / "kernels.cubin"
    builds.build_cubin(builds.HERE / "kernels.cu", image)

    def lines(*given):
        load = "mod.set_device(0)", f"mod.load(Path({str(image)!r}).read_bytes())"
        return builds.call(fake, output, *load, *given)[2:]

    return request.param, lines


def test_same_launches(launched):
    """What both headers have does the same: shared memory by a limit, clusters, two GPUs."""
    _, lines = launched
    *_, told = lines(
        "mod.get(1, 'axpy')",
        "mod.get_limited(1, 'static40', 60000)",
        "mod.launch(2, 3, 256, 0, 77)",
        "mod.launch(3, 1, 32, 60000, 0)",
        "mod.launch_cluster(3, 8, 4, 0)",
        "mod.set_device(1)",
        "mod.launch(3, 1, 32, 60000, 0)",
        "log()",
    )
    launches = re.findall(r"^launch (\w+) of library 1 on (\d): (.*)$", told, re.M)
    y = "parameters 0020000000000000"
    assert launches == [
        (
            "axpy",
            "0",
            "grid 3,1,1 block 256,1,1 shared 0 stream 77 parameters 0000c03f 0010000000000000 "
            "0020000000000000 0700000000000000",
        ),
        ("static40", "0", f"grid 1,1,1 block 32,1,1 shared 60000 stream 0 {y}"),
        ("static40", "0", f"grid 8,2,1 block 32,4,2 shared 0 stream 0 {y} attribute 4=4,1,1"),
        ("static40", "1", f"grid 1,1,1 block 32,1,1 shared 60000 stream 0 {y}"),
    ]


def test_shared_memory_only_here(launched):
    """Unless a limit is named, the published headers leave CUDA's 48 KB."""
    kind, lines = launched
    for get in ("get(1, 'static40')", "get_limited(1, 'static40', -1)"):
        _, told = lines(f"mod.{get}", "mod.launch(2, 1, 32, 60000, 0)")
        assert (told == "None") == (kind == "ours"), told


def test_messages_only_here(launched):
    """The published messages name neither the kernel nor what the image has."""
    kind, lines = launched
    wrong, _, failed = lines(
        "mod.get(1, 'of_cpp')", "mod.get(1, 'axpy')", "mod.launch(2, 1, 2048, 0, 0)"
    )
    assert wrong.startswith("RuntimeError: ")
    assert failed.startswith("RuntimeError: ")
    assert ("_Z6of_cppPf" in wrong) == ("kernel axpy" in failed) == (kind == "ours")


@pytest.mark.parametrize("kind", KINDS)
def test_linked_driver_only_here(pythons, fake, kind, tmp_path):
    """By the driver's API, a library of the published headers needs the driver's own functions."""
    library = launcher(pythons, fake, kind, "driver", tmp_path)
    undefined = subprocess.check_output(["nm", "-D", "--undefined-only", str(library)], text=True)
    assert bool(re.search(r"\bcu[A-Z]", undefined)) == (kind == "published")
