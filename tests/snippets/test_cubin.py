# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""Kernels of CUBINs, as their page shows them: over a fake driver, or on the GPU that is here."""

import ctypes
import importlib.util
import os
import shlex
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
import torch
import tvm_ffi
from _verify.package_flags import flags

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/cubin"
SOURCES = ROOT / FOLDER
TEST = "tests/snippets/test_cubin.py"
CAPTURED = "tests/snippets/captured"
sys.path[:0] = [str(ROOT / name) for name in ("tests/cubin", "tests/examples", FOLDER)]

import builds  # noqa: E402
from producer import FLOAT32, Producer  # noqa: E402

OFFSET = 16  # bytes before the first element


class Machine:
    """A GPU, or the fake of one; `architecture` is that of the kernels."""

    def __init__(self, device, folder):
        self.real = device == "cuda"
        self.architecture = None if self.real else "sm_90"
        self.toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
        if not self.real:
            for name in ("fake", "toolkit"):
                (folder / name).mkdir()
            self.fake = builds.build_fake(folder / "fake")
            self.toolkit = builds.toolkit_over(self.fake, folder / "toolkit")
            self.driver = ctypes.CDLL(str(self.fake / "libcuda.so.1"))
            self.driver.fake_log.restype = ctypes.c_char_p

    def log(self):
        """What the fake driver wrote since it was last asked."""
        return self.driver.fake_log().decode()

    def vectors(self, n, *, index=0):
        """Two vectors on the GPU; on the fake one they are in the memory of the CPU.

        There DLPack's byte offset tells where they begin.
        """
        if self.real:
            return torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
        return [
            Producer(
                numpy.zeros(n + 4, dtype="float32"),
                n,
                FLOAT32,
                offset=OFFSET,
                told=OFFSET,
                device=(2, index),
            )
            for _ in range(2)
        ]


@pytest.fixture(scope="session")
def machine(request, tmp_path_factory):
    """The GPU, or a fake one; the real toolkit compiles for both."""
    if not builds.nvcc():
        pytest.skip("no nvcc is installed")
    return Machine(request.config.getoption("--snippet-device"), tmp_path_factory.mktemp("cuda"))


@pytest.fixture
def cuda(machine, device, monkeypatch, tmp_path):
    """The machine, and a cache of its own."""
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "cache"))
    if not machine.real:
        monkeypatch.setenv("NVCC", str(machine.toolkit / "bin" / "nvcc"))
        machine.log()
    return machine


@pytest.fixture
def proves(shows):
    """Say which files of the page a test runs, all with the help of each other."""

    def declare(*names):
        paths = [f"{FOLDER}/{name}" for name in names]
        for path in (*paths, TEST):
            shows(path, *{*paths, TEST} - {path})

    return declare


def launch_of(kernel, n, *arguments, grid=1, block=256, shared=0, device=0, stream=0):
    """What the fake driver writes of a launch with these bytes as arguments."""
    given = " ".join(argument.hex() for argument in arguments)
    return (
        f"launch {kernel} of library 1 on {device}: grid {grid},1,1 block {block},1,1 "
        f"shared {shared} stream {stream} parameters {given}"
    )


def address(tensor):
    """The bytes of a fake tensor's address."""
    return struct.pack("<q", tensor.owner.ctypes.data + OFFSET)


def expect_axpy(cuda, call, kernel="axpy", device=0):
    """Call a function that adds a multiple, and see that the right launch came of it."""
    x, y = cuda.vectors(1000, index=device)
    if cuda.real:
        expected = 2.0 * x.double() + y.double()
        call(2.0, x, y)
        torch.testing.assert_close(y.double(), expected, rtol=1e-6, atol=1e-6)
        return
    cuda.log()
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", device), 7):
        call(2.0, x, y)
    arguments = struct.pack("<f", 2.0), address(x), address(y), struct.pack("<q", 1000)
    last = cuda.log().splitlines()[-1]
    number = last.split()[4]
    assert last.replace(f"library {number}", "library 1") == launch_of(
        kernel, 1000, *arguments, grid=4, device=device, stream=7
    )


def refuses(axpy, cuda):
    """A mistake is an error of the caller's, and nothing is launched."""
    x, y = cuda.vectors(4)
    short, _ = cuda.vectors(3)
    for arguments, error, message in (
        ((1.0, torch.zeros(4), y), ValueError, "axpy: x: expected a CUDA tensor"),
        ((1.0, x, short), ValueError, "axpy: expected vectors of one length, got 4 and 3"),
        ((1.0, "x", y), TypeError, "argument 1"),
    ):
        with pytest.raises(error, match=message):
            axpy(*arguments)
    empty = cuda.vectors(0)
    axpy(1.0, *empty)
    if not cuda.real:
        other, _ = cuda.vectors(4, index=1)
        with pytest.raises(ValueError, match="axpy: expected both tensors on one device"):
            axpy(1.0, x, other)
        double = Producer(numpy.zeros(4), 4, (2, 64), device=(2, 0))
        with pytest.raises(TypeError, match="axpy: y: expected float32"):
            axpy(1.0, x, double)
        memory = numpy.zeros(8, "float32")
        odd, first, second, last = (
            Producer(memory, 4, FLOAT32, offset=offset, device=(2, 0)) for offset in (2, 0, 4, 16)
        )
        with pytest.raises(ValueError, match="axpy: x: expected an address that is a multiple of"):
            axpy(1.0, odd, y)
        for pair in ((first, second), (second, first)):
            with pytest.raises(ValueError, match="axpy: expected x and y apart from each other"):
                axpy(1.0, *pair)
        assert "launch" not in cuda.log()
        for pair in ((first, last), (last, first), (first, first)):
            axpy(1.0, *pair)
        assert cuda.log().count("launch axpy") == 3


def test_inline(cuda, proves):
    """NVRTC compiles, load_inline embeds, and each device gets its launches."""
    pytest.importorskip("cuda.bindings", reason="cuda-bindings is not installed")
    proves("inline.py", "axpy.cc", "axpy.cu", "launch_axpy.h")
    import inline

    mod = inline.build(cuda.architecture)
    for device in (0,) if cuda.real else (0, 1, 0):
        expect_axpy(cuda, mod.axpy, device=device)
    refuses(mod.axpy, cuda)


@pytest.fixture
def built(cuda, monkeypatch, tmp_path):
    """Run the script of the page in a folder."""
    script = SOURCES / "embed.sh"
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    text = script.read_text()
    if cuda.real:
        capability = "".join(map(str, torch.cuda.get_device_capability()))
        text = text.replace("sm_90", f"sm_{capability}")
    (tmp_path / "embed.sh").write_text(text)
    variables = {"PATH": scripts, "SOURCES": str(SOURCES), "CUDA": str(cuda.toolkit)}
    done = subprocess.run(
        ["bash", script if text == script.read_text() else "embed.sh"],
        cwd=tmp_path,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands(proves, cuda, built):
    """The commands of the page make a library with the image inside."""
    proves("embed.sh", "axpy.cc", "axpy.cu", "launch_axpy.h")
    mod = tvm_ffi.load_module(built / "axpy.so")
    expect_axpy(cuda, mod.axpy)
    assert (built / "axpy.cubin").read_bytes() in (built / "axpy.so").read_bytes()


def test_array(proves, cuda, built):
    """The image is an array of numbers."""
    proves("embed.sh", "axpy_array.cc", "axpy.cu", "launch_axpy.h")
    links = f"-L{cuda.toolkit / 'lib64'} -lcudart"
    command = (
        f"g++ -O1 -shared -fPIC {flags('--cxxflags')} -isystem {cuda.toolkit}/include"
        f" -I{built} {SOURCES}/axpy_array.cc -o array.so {flags('--ldflags', '--libs')} {links}"
    )
    subprocess.run(shlex.split(command), check=True)
    expect_axpy(cuda, tvm_ffi.load_module(built / "array.so").axpy)


def test_loaded(proves, cuda, built):
    """A library is given its image at run time, and keeps it as long as the function lives."""
    proves("embed.sh", "axpy_loaded.cc", "axpy.cu", "launch_axpy.h")
    # [loaded.begin]
    mod = tvm_ffi.load_module("./axpy_loaded.so")
    axpy = mod.load_axpy(Path("axpy.cubin").read_bytes())
    # [loaded.end]
    expect_axpy(cuda, axpy)
    refuses(axpy, cuda)
    if not cuda.real:
        before = cuda.driver.fake_loaded_libraries()
        del axpy
        assert cuda.driver.fake_loaded_libraries() == before - 1


@pytest.mark.parametrize("broken", ["short", "text", "name"])
def test_wrong_images(proves, cuda, built, captured, broken):
    """Each kind of a wrong image has its error."""
    if cuda.real:
        pytest.skip("the messages are those of the fake driver")
    image = Path("axpy.cubin").read_bytes()
    load_axpy = tvm_ffi.load_module("./axpy_loaded.so").load_axpy
    if broken == "name":
        proves("embed.sh", "axpy_loaded.cc", "launch_axpy.h")
        text = (SOURCES / "axpy.cu").read_text().replace('extern "C" ', "")
        Path("mangled.cu").write_text(text)
        image = builds.build_cubin(Path("mangled.cu"), Path("mangled.cubin"))
        with pytest.raises(RuntimeError) as caught:
            load_axpy(image)
    elif broken == "short":
        with pytest.raises(ValueError, match="bytes, as its header says, got 1000") as caught:
            load_axpy(image[:1000])
    else:
        with pytest.raises(RuntimeError, match="the driver did not load the image") as caught:
            load_axpy(b"no image")
    if broken == "name":
        captured(f"{CAPTURED}/cubin_{broken}.txt", f"{caught.type.__name__}: {caught.value}")


def test_failed_launch(proves, cuda, built, captured):
    """A launch that the device refuses says what was asked for and what there is."""
    if cuda.real:
        pytest.skip("the message is that of the fake driver")
    # The fake driver does not compare architectures: it is told to refuse the launch.
    image = builds.build_cubin(SOURCES / "axpy.cu", Path("other.cubin"), "sm_100")
    axpy = tvm_ffi.load_module("./axpy_loaded.so").load_axpy(image)
    cuda.driver.fake_fail(b"cuLaunchKernel", 209)
    try:
        with pytest.raises(RuntimeError) as caught:
            axpy(2.0, *cuda.vectors(1000))
    finally:
        cuda.driver.fake_fail(b"cuLaunchKernel", 0)
    captured(f"{CAPTURED}/cubin_launch.txt", f"{caught.type.__name__}: {caught.value}")


def test_cmake(proves, cuda, tmp_path):
    """CMake compiles, embeds and links; NVIDIA's own runtime says that there is no GPU."""
    proves("CMakeLists.txt", "axpy.cc", "axpy.cu", "launch_axpy.h")
    for name in ("CMakeLists.txt", "axpy.cc", "axpy.cu", "launch_axpy.h"):
        (tmp_path / name).write_text((SOURCES / name).read_text())
    scripts = Path(sys.executable).parent
    build = tmp_path / "build"
    environment = {**os.environ, "CUDACXX": builds.find_nvcc()["NVCC"]}
    # CMake looks for libcudart.so, which PyPI's wheels of the toolkit lack.
    libraries = (cuda.toolkit / "include").resolve().parent / "lib"
    only_versioned = not (libraries / "libcudart.so").exists()
    wheels = f" -DCUDA_CUDART={libraries}/libcudart.so.13" if only_versioned else ""
    for command in (
        f"{scripts}/cmake -B {build} -S {tmp_path} -G Ninja -Dtvm_ffi_ROOT={flags('--cmakedir')}"
        f" -DCMAKE_MAKE_PROGRAM={scripts}/ninja{wheels}",
        f"{scripts}/cmake --build {build}",
    ):
        subprocess.run(shlex.split(command), check=True, env=environment)
    mod = tvm_ffi.load_module(build / "libaxpy.so")
    if cuda.real:
        return
    with pytest.raises(RuntimeError, match="cudaErrorInsufficientDriver"):
        mod.axpy(1.0, *cuda.vectors(4))


def test_triton(cuda, proves):
    """Triton compiles for a GPU that is not here; the launcher hands over what the kernel takes."""
    pytest.importorskip("triton", reason="triton is not installed")
    proves("triton_add.py")
    import triton_add

    major, minor = torch.cuda.get_device_capability() if cuda.real else (9, 0)
    mod = triton_add.build(10 * major + minor)
    x, y = cuda.vectors(3000)
    out, short = (cuda.vectors(n)[0] for n in (3000, 2999))
    if cuda.real:
        mod.add(x, y, out)
        torch.testing.assert_close(out, x + y)
    else:
        with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 0), 7):
            mod.add(x, y, out)
        tensors = (address(tensor) for tensor in (x, y, out))
        arguments = *tensors, struct.pack("<q", 3000), bytes(8), bytes(8)
        last = cuda.log().splitlines()[-1]
        number = last.split()[4]
        assert last.replace(f"library {number}", "library 1") == launch_of(
            "add", 3000, *arguments, grid=3, block=128, stream=7
        )
    with pytest.raises(ValueError, match="add: x: expected a contiguous vector as long as out"):
        mod.add(short, y, out)
    with pytest.raises(ValueError, match="add: y: expected a CUDA tensor"):
        mod.add(x, torch.zeros(3000), out)
    if not cuda.real:
        memory = numpy.zeros(3002, "float32")
        odd, first, second = (
            Producer(memory, 3000, FLOAT32, offset=offset, device=(2, 0)) for offset in (2, 0, 8)
        )
        with pytest.raises(ValueError, match="add: y: expected an address that is a multiple of 4"):
            mod.add(x, odd, out)
        for pair in ((first, second), (second, first)):
            with pytest.raises(ValueError, match="add: x: expected a vector apart from out"):
                mod.add(pair[0], y, pair[1])
        cuda.log()
        mod.add(first, y, first)
        assert cuda.log().count("launch add") == 1
    mod.add(*cuda.vectors(0), cuda.vectors(0)[0])


def test_triton_on_a_cpu(device, proves):
    """Triton's interpreter runs the kernel's own lines, with PyTorch's tensors on the CPU."""
    pytest.importorskip("triton", reason="triton is not installed")
    if device == "cuda":
        pytest.skip("test_triton runs the kernel on the GPU")
    proves("triton_add.py")
    program = (
        "import torch, triton_add\n"
        "x, y = torch.rand(2, 3000)\n"
        "out = torch.full((4096,), -1.0)\n"
        "triton_add.add[(4,)](x, y, out, 3000, BLOCK=1024)\n"
        "assert torch.equal(out[:3000], x + y) and bool((out[3000:] == -1).all())\n"
    )
    paths = os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])
    variables = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", program], check=True, env=variables)


def test_triton_with_scratch_memory(device, proves, monkeypatch):
    """A kernel that needs scratch memory is refused: the launcher passes none."""
    pytest.importorskip("triton", reason="triton is not installed")
    proves("triton_add.py")
    import triton_add

    facts = SimpleNamespace(global_scratch_size=64, profile_scratch_size=0)
    kernel = SimpleNamespace(metadata=facts)
    monkeypatch.setattr(triton_add, "compile_for", lambda capability: kernel)
    with pytest.raises(ValueError, match="add: expected a kernel that needs no scratch memory"):
        triton_add.build(90)


def test_cute(cuda, proves):
    """CuTe DSL compiles for a GPU that is not here; the launcher of axpy.cc takes its kernel."""
    if not importlib.util.find_spec("cutlass"):  # imported, it would not see what the file sets
        pytest.skip("nvidia-cutlass-dsl is not installed")
    proves("cute_axpy.py", "axpy.cc", "launch_axpy.h")
    import cute_axpy

    mod = cute_axpy.build()
    expect_axpy(cuda, mod.axpy, kernel="kernel_cutlass_axpy__ptrf32gmem_ptrf32gmem__0")
