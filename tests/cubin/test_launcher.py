# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""The CUBIN launcher, through both of CUDA's APIs, over a fake driver with two GPUs."""

import re
import shutil
import subprocess

import builds
import pytest

OPT_IN = {0: 232448, 1: 101376}  # of shared memory, as in fake.h
STATIC = 40 * 1024
# Each API has its own names for errors.
NAMES = {
    "invalid value": {"runtime": "cudaErrorInvalidValue", "driver": "CUDA_ERROR_INVALID_VALUE"},
    "handle": {"runtime": "cudaErrorInvalidResourceHandle", "driver": "CUDA_ERROR_INVALID_HANDLE"},
    "not found": {"runtime": "cudaErrorSymbolNotFound", "driver": "CUDA_ERROR_NOT_FOUND"},
    "image": {"runtime": "cudaErrorInvalidKernelImage", "driver": "CUDA_ERROR_INVALID_IMAGE"},
    "no device": {"runtime": "cudaErrorNoDevice", "driver": "CUDA_ERROR_NO_DEVICE"},
}
AXPY = "0000c03f 0010000000000000 0020000000000000 0700000000000000"
POINTER = "0020000000000000"


@pytest.fixture(scope="module", params=["runtime", "driver"])
def mode(request):
    """The CUDA API."""
    return request.param


@pytest.fixture(scope="module")
def library(fake, mode, tmp_path_factory):
    """The library of launcher functions."""
    output = tmp_path_factory.mktemp(mode) / "launcher.so"
    return builds.build_library(builds.HERE / "launcher.cc", output, mode, fake)


@pytest.fixture
def run(fake, cubin, library):
    """Run lines in which `mod` is the library, with device 0 current and module 1 loaded."""

    def lines(*given, loaded=True):
        before = ["mod.set_device(0)", f"mod.load(Path({str(cubin)!r}).read_bytes())"]
        first = before if loaded else []
        return builds.call(fake, library, *first, *given)[len(first) :]

    return lines


def test_launch(run):
    """The requested kernel is launched with all the requested settings."""
    told = run("mod.get(1, 'axpy')", "mod.launch(2, 3, 256, 0, 77)", "log()")[-1]
    assert told.splitlines() == [
        "load library 1",
        "kernel axpy of library 1",
        "launch axpy of library 1 on 0: grid 3,1,1 block 256,1,1 shared 0 stream 77 "
        f"parameters {AXPY}",
    ]


def test_each_device(run):
    """One kernel serves both devices: each launch goes to the current one."""
    *_, told = run(
        "mod.get(1, 'axpy')",
        *("mod.launch(2, 1, 1, 0, 0)", "mod.set_device(1)", "mod.launch(2, 1, 1, 0, 0)", "log()"),
    )
    assert re.findall(r"launch \w+ of library 1 on (\d)", told) == ["0", "1"]
    assert told.count("load library") == 1


def test_shared_memory_beyond_48_kb(run):
    """The limit is raised once per device, to that device's maximum."""
    launch = "mod.launch(2, 1, 32, 60000, 0)"
    *_, told = run(
        "mod.get(1, 'static40')",
        *(
            launch,
            launch,
            "mod.set_device(1)",
            launch,
            launch,
            "mod.set_device(0)",
            launch,
            "log()",
        ),
    )
    assert re.findall(r"shared memory of static40 on (\d): (\d+)", told) == [
        (str(device), str(size - STATIC)) for device, size in OPT_IN.items()
    ]
    assert len(re.findall(r"launch static40 .* shared 60000", told)) == 5
    # It is also raised if only static plus dynamic memory exceeds 48 KB.
    *_, told = run("mod.get(1, 'static40')", "mod.launch(2, 1, 32, 16384, 0)", "log()")
    assert "launch static40" in told


def test_no_shared_memory_asks_nothing(run):
    """A launch without shared memory makes no additional calls."""
    *_, told = run("mod.get(1, 'axpy')", "log()", "mod.launch(2, 1, 1, 0, 0)", "log()")
    assert len(told.splitlines()) == 1


def test_limited_shared_memory(run):
    """The caller's limit is enforced, and one that exceeds every device's maximum is refused."""
    got, launched, refused, told = run(
        "mod.get_limited(1, 'static40', 50000)",
        *("mod.launch(2, 1, 32, 50000, 0)", "mod.launch(2, 1, 32, 50001, 0)", "log()"),
    )
    assert (got, launched) == ("2", "None")
    assert (
        "asked for 1 x 1 x 1 blocks of 32 x 1 x 1 threads with 50001 bytes of dynamic shared "
        "memory, limited to 50000 by GetKernelWithMaxDynamicSharedMemory;"
    ) in refused
    assert "launch static40" in told
    for limit in (-2, OPT_IN[0] + 1):
        (told,) = run(f"mod.get_limited(1, 'static40', {limit})")
        assert told == (
            "ValueError: GetKernelWithMaxDynamicSharedMemory: static40: dynamic_smem_max: expected "
            f"-1 or at most {OPT_IN[0]} bytes, which is what the devices have, got {limit}"
        )
    *_, told = run("mod.get_limited(1, 'static40', -1)", "mod.launch(2, 1, 1, 9, 0)", "log()")
    assert f"shared memory of static40 on 0: {OPT_IN[0] - STATIC}" in told


def test_a_limit_is_of_one_object(run):
    """Another object of the same kernel is not limited, whichever launches first."""
    limited = "mod.get_limited(1, 'static40', 50000)"
    launches = [f"mod.launch({number}, 1, 32, 60000, 0)" for number in (2, 3)]
    small = "mod.launch(3, 1, 32, 100, 0)"
    *_, other, refused = run("mod.get(1, 'static40')", launches[0], limited, small, *launches)
    assert other == "None"
    assert "limited to 50000" in refused


def test_a_limit_serves_the_handle(run):
    """The limit is raised on all devices at once, for launches through CUDA's own handle."""
    *_, first, _, second = run(
        "mod.get_limited(1, 'static40', 60000)",
        *("mod.launch_handle(2, 60000)", "mod.set_device(1)", "mod.launch_handle(2, 60000)"),
    )
    assert (first, second) == ("None", "None")


def test_too_much_shared_memory(run, mode):
    """The error gives the requested size and the current device's maximum."""
    *_, told = run("mod.get(1, 'static40')", "mod.set_device(1)", "mod.launch(2, 4, 64, 70000, 0)")
    assert told.startswith("RuntimeError: found.Launch(")
    assert told.endswith(
        f"{NAMES['invalid value'][mode]}: invalid argument; kernel static40: asked for 4 x 1 x 1 "
        "blocks of 64 x 1 x 1 threads with 70000 bytes of dynamic shared memory; device 1, of "
        f"compute capability 8.6, has at most 1024 threads and {OPT_IN[1]} bytes of shared memory "
        f"for a block, of which the kernel's static shared memory is {STATIC}"
    )


def test_clusters(run):
    """An attribute reaches the launch; a cluster of one sets no attribute."""
    *_, told = run(
        "mod.get(1, 'static40')",
        *("mod.launch_cluster(2, 8, 4, 90000)", "mod.launch_cluster(2, 8, 1, 0)", "log()"),
    )
    assert [line for line in told.splitlines() if line.startswith("launch")] == [
        "launch static40 of library 1 on 0: grid 8,2,1 block 32,4,2 shared 90000 stream 0 "
        f"parameters {POINTER} attribute 4=4,1,1",
        "launch static40 of library 1 on 0: grid 8,2,1 block 32,4,2 shared 0 stream 0 "
        f"parameters {POINTER}",
    ]
    *_, told = run("mod.get(1, 'axpy')", "mod.launch_cluster(2, 0, 4, 0)")
    assert "kernel axpy: asked for 0 x 2 x 1 blocks of 32 x 4 x 2 threads" in told


def test_an_unchecked_failure_is_not_told_of_another(run):
    """A launch's details appear only in that launch's error."""
    *_, other, same = run(
        "mod.get(1, 'axpy')",
        *(f"mod.launch_unchecked_then_check(2, {error})" for error in (209, 1)),
    )
    assert "no kernel image" in other
    assert "kernel axpy" not in other
    assert "kernel axpy: asked for 1 x 1 x 1 blocks of 2048" in same


def test_a_failure_does_not_keep_the_library(run, cubin, library, tmp_path):
    """A thread's details of a failed launch do not keep the library loaded."""
    copy = str(tmp_path / "copy.so")
    shutil.copy(library, copy)
    loaded = f"{copy!r} in Path('/proc/self/maps').read_text()"
    *_, failed, before, _, after = run(
        f"(copy := tvm_ffi.load_module({copy!r}, keep_module_alive=False))",
        f"copy.load(Path({str(cubin)!r}).read_bytes())",
        *("copy.get(1, 'axpy')", "copy.launch(2, 0, 1, 0, 0)", loaded),
        *("globals().pop('copy') and None", loaded),
    )
    assert "kernel axpy: asked for 0 x 1 x 1 blocks" in failed
    assert (before, after) == ("True", "False")


def test_kernels_keep_their_image(run, mode):
    """The image is unloaded with the last of the module and its kernels."""
    *_, told = run(
        "mod.get(1, 'axpy')",
        *("mod.unload(1)", "mod.launch(2, 1, 1, 0, 0)", "mod.drop(2)", "log()"),
    )
    ends = [line.partition(" of ")[0] for line in told.splitlines()[2:]]
    assert ends == ["launch axpy", "unload library 1"]
    *_, told = run("mod.get_of_handle(1, 'axpy')", "mod.unload(1)", "mod.launch(2, 1, 1, 0, 0)")
    assert NAMES["handle"][mode] in told


def test_no_such_kernel(run, mode):
    """The error lists the available kernels by their mangled names."""
    wrong, nameless = run("mod.get(1, 'of_cpp')", "mod.get_nameless(1)")
    assert wrong == (
        "RuntimeError: CubinModule: name: expected a kernel of the module, which has "
        f"_Z6of_cppPf, axpy, static40, got of_cpp: {NAMES['not found'][mode]}: named symbol not "
        "found"
    )
    assert nameless == (
        "ValueError: CubinModule: name: expected the name of a kernel, got a null pointer"
    )
    # A driver that cannot list them leaves the list out.
    *_, wrong = run("fail('cuLibraryGetKernelCount', 801)", "mod.get(1, 'of_cpp')")
    assert "expected a kernel of the module, got of_cpp" in wrong


def test_an_older_driver(cubin, mode, library, tmp_path):
    """With the driver API, a driver without the function that counts kernels omits the list."""
    if mode == "runtime":
        pytest.skip("the runtime's library has functions of its own")
    old = builds.build_fake(tmp_path, "-DcuLibraryGetKernelCount=of_a_newer_driver")
    load = f"mod.load(Path({str(cubin)!r}).read_bytes())"
    *_, wrong = builds.call(old, library, load, "mod.get(1, 'of_cpp')")
    assert wrong == (
        "RuntimeError: CubinModule: name: expected a kernel of the module, got of_cpp: "
        f"{NAMES['not found'][mode]}: named symbol not found"
    )


def test_images(run, cubin, mode):
    """A truncated, empty or unrecognized image is refused; text may lack its terminator."""
    size = cubin.stat().st_size
    whole = f"Path({str(cubin)!r}).read_bytes()"
    lines = (
        f"mod.load({whole}[:-1])",
        f"mod.load({whole}[:20])",
        "mod.load(b'')",
        "mod.load(b'no code at all')",
        "mod.load(bytes.fromhex('50ed55ba 0100 1000 0001000000000000'))",
        "mod.load_address(0)",
        "mod.load_null(5)",
        f"mod.load({whole}[:40] + bytes([255] * 8) + {whole}[48:])",
    )
    cut, head, empty, text, fatbin, null, null_of_five, far = run(
        "mod.set_device(0)", *lines, loaded=False
    )[1:]
    assert cut == (
        f"ValueError: CubinModule: image: expected {size} bytes, as its header says, got {size - 1}"
    )
    assert "expected 64 bytes, as its header says, got 20" in head
    assert empty == "ValueError: CubinModule: image: expected an image, got no bytes"
    assert text == (
        f"RuntimeError: CubinModule: the driver did not load the image: {NAMES['image'][mode]}: "
        "device kernel image is invalid"
    )
    assert "expected 272 bytes, as its header says, got 16" in fatbin
    assert null == (
        "ValueError: CubinModule: image: expected the address of an image, got a null pointer"
    )
    assert null_of_five == null
    assert f"expected {2**64 - 1} bytes, as its header says, got {size}" in far


def test_text_gets_its_end(run):
    """CUDA reads PTX up to a null character, which the image's bytes need not include."""
    lines = "mod.set_device(0)", "log()", "mod.load_part(b'.version 8.0 and more', 12)", "log()"
    *_, told = run(*lines, loaded=False)
    assert told == "text of 12 bytes\n"


def test_loading_fails(run, cubin):
    """CUDA's reason reaches the caller, and the next attempt starts over."""
    load = f"mod.load(Path({str(cubin)!r}).read_bytes())"
    lines = ("mod.set_device(0)", "fail('cuLibraryLoadData', 209)", load)
    *_, failed, _, loaded = run(*lines, "fail('cuLibraryLoadData', 0)", load, loaded=False)
    assert "no kernel image is available for execution on the device" in failed
    assert loaded == "1"


def test_without_a_driver(cubin, fake, library, mode, tmp_path):
    """A library loads without a driver; a call says what is missing."""
    load = f"mod.load(Path({str(cubin)!r}).read_bytes())"
    if mode == "driver":
        if shutil.which("nvidia-smi"):
            pytest.skip("this machine has a driver")
        (told,) = builds.call(None, library, load)
        assert told.startswith(
            "RuntimeError: CUDA driver: expected libcuda.so.1, which the NVIDIA driver installs, "
            "got none: "
        )
        start = f"CUDA driver: cuInit: {NAMES['no device'][mode]}"
    else:
        start = f"{NAMES['no device'][mode]}: no CUDA-capable device is detected"
    lines = ("fail('cuInit', 100)", load, "fail('cuInit', 0)", "mod.set_device(0)", load)
    _, failed, *_, loaded = builds.call(fake, library, *lines)
    assert start in failed
    assert loaded == "1"


def test_no_current_device(run, cubin, mode):
    """The driver API needs a context, which the runtime API creates."""
    load = f"mod.load(Path({str(cubin)!r}).read_bytes())"
    *_, told = run(load, "mod.get(1, 'axpy')", "mod.launch(2, 1, 1, 0, 0)", loaded=False)
    if mode == "runtime":
        assert told == "None"
    else:
        assert told.endswith("this thread has no current CUDA device")


def test_links_no_driver(library, mode):
    """The library does not link libcuda, nor libcudart with the driver API."""
    needed = subprocess.check_output(["readelf", "-d", str(library)], text=True)
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", needed)
    assert not [name for name in names if name.startswith("libcuda.")]
    assert sum("libcudart" in name for name in names) == (mode == "runtime")
