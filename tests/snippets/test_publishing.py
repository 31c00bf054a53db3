# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R8
"""The page on publishing: a container's commands, wheels for two CUDA versions, and one for JAX."""

import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
import tomllib
from _verify.tools import find_nvcc
from commands import run
from test_library import PROJECT, ROOT, USED, WITHOUT_CUDA, bash, copy_to, needs
from venvs import environment

HERE = "tests/snippets/publishing"
PAGE = ROOT / "docs/packaging/publishing.rst"
CONFIG = f"{HERE}/cibuildwheel.toml"
USE = "tests/snippets/library/use.py"
BOTH = [f"{HERE}/{name}" for name in ("cu12/pyproject.toml", "cu13/pyproject.toml")]
BOTH += [f"{HERE}/both/pyproject.toml", f"{HERE}/both/_library.py"]
JAX = [f"{HERE}/jax/{name}" for name in ("pyproject.toml", "CMakeLists.txt")]
JAX += [f"{HERE}/jax/rotate_kernels/{name}.py" for name in ("__init__", "for_jax")]
JAX += [f"{HERE}/jax/{name}" for name in ("lay_out.sh", "wheel.sh", "use.py")]
ADAPTER = "examples/kernel_library/jax_call/xla_adapter.cc"


@pytest.fixture(autouse=True)
def as_readers_compile(monkeypatch):
    """These tests look at what the compiler makes: no lines are counted in it."""
    monkeypatch.setenv("TRACE_COMPILED", "no")


def configured(folder):
    """Lay out the library with the page's configuration; give what the configuration says."""
    copy_to(folder)
    shutil.copy(ROOT / CONFIG, folder)
    return tomllib.loads((ROOT / CONFIG).read_text())["tool"]["cibuildwheel"]


def test_cibuildwheel_makes_one_build(shows, captured, tmp_path):
    """It reads the configuration, and plans one build for each kind of processor."""
    needs("cibuildwheel")
    configured(tmp_path)
    script = shows(f"{HERE}/cibuildwheel.sh", CONFIG, *PROJECT)
    shows(CONFIG, f"{HERE}/cibuildwheel.sh", *PROJECT)
    done = bash(script, tmp_path)
    assert done.returncode == 0, done.stderr
    command = Path(script).read_text().partition("# [identifiers.begin]\n")[2].splitlines()[0]
    captured("tests/snippets/captured/publishing/identifiers.txt", f"$ {command}\n{done.stdout}")
    # Without --archs it builds for the machine that it runs on.
    plain = ["cibuildwheel", "--platform", "linux", "--print-build-identifiers", "./library"]
    assert len(run(*plain, folder=tmp_path).splitlines()) == 1


def test_cibuildwheel_accepts_each_setting():
    """The names and types of the settings are those of cibuildwheel's own schema."""
    needs("cibuildwheel")
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    resources = Path(importlib.util.find_spec("cibuildwheel").origin).parent / "resources"
    schema = json.loads((resources / "cibuildwheel.schema.json").read_text())
    settings = tomllib.loads((ROOT / CONFIG).read_text())["tool"]["cibuildwheel"]
    jsonschema.validate(settings, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**settings, "test-comand": ""}, schema)
    defaults = tomllib.loads((resources / "defaults.toml").read_text())["tool"]["cibuildwheel"]
    for machine in ("x86_64", "aarch64"):
        assert defaults[f"manylinux-{machine}-image"] == "manylinux_2_28"


def test_cibuildwheel_tests_one_wheel_on_several_pythons():
    """A wheel for every Python is found again for another build, and for a free-threaded one."""
    needs("cibuildwheel")
    from cibuildwheel.util.packaging import find_compatible_wheel

    wheel = Path("vector_kernels-0.1.0-py3-none-manylinux_2_28_x86_64.whl")
    for python in ("cp310", "cp314", "cp314t"):
        assert find_compatible_wheel([wheel], f"{python}-manylinux_x86_64") == wheel
    assert find_compatible_wheel([wheel], "cp314-manylinux_aarch64") is None


def test_the_commands_of_the_configuration(shows, tmp_path):
    """Run in their order, but here: nvcc is installed, the wheel built, repaired and used."""
    needs("auditwheel")
    settings = configured(tmp_path)
    shows(CONFIG, USE, *PROJECT)
    # Where the container has it; here it goes below the test's folder.
    before = settings["before-all"].replace("/opt/cuda", f"{tmp_path}/cuda")
    run("sh", "-c", before, folder=tmp_path)
    variables = {
        name: value.replace("/opt/cuda", f"{tmp_path}/cuda")
        for name, value in settings["environment"].items()
    }
    assert list(variables) == ["CUDACXX"]
    options = [f"-C{name}={value}" for name, value in settings["config-settings"].items()]
    assert options == ["-Ccmake.define.VECTOR_KERNELS_CUDA=ON"]
    build = ["pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", "built", *options]
    # One architecture: that is all that this test needs.
    run(*build, "./library", folder=tmp_path, CUDAARCHS="80-real", **variables)
    (built,) = (tmp_path / "built").iterdir()
    assert built.name.startswith("vector_kernels-0.1.0-py3-none-linux_")
    assert b"sm_80" in zipfile.ZipFile(built).read("vector_kernels/libvector_kernels.so")
    repair = settings["repair-wheel-command"]
    assert "{wheel}" in repair
    assert "{dest_dir}" in repair
    run("sh", "-c", repair.format(wheel=built, dest_dir="repaired"), folder=tmp_path)
    (repaired,) = (tmp_path / "repaired").iterdir()
    assert "-py3-none-manylinux_" in repaired.name
    assert not [name for name in zipfile.ZipFile(repaired).namelist() if "tvm_ffi" in name]
    python = environment(tmp_path / "environment")
    run(python, "-m", "pip", "install", "-q", "--no-deps", repaired, folder=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    test = settings["test-command"].format(project=tmp_path)
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    assert run("sh", "-c", test, folder=elsewhere, PATH=path) == USED


def test_without_nvcc_the_build_stops(tmp_path):
    """The setting makes a missing nvcc an error; without it the wheel would be for the CPU only."""
    settings = configured(tmp_path)
    ((name, value),) = settings["config-settings"].items()
    option = f"-D{name.removeprefix('cmake.define.')}={value}"
    command = ["cmake", "-G", "Ninja", "-S", "library", "-B", "build", option]
    command.append(f"-Dtvm_ffi_ROOT={run('tvm-ffi-config', '--cmakedir', folder=tmp_path).strip()}")
    variables = {**os.environ, "CUDACXX": "/nonexistent/nvcc"}
    done = subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "/nonexistent/nvcc" in done.stderr
    plain = [each for each in command if each != option]
    plain[plain.index("build")] = "without"
    run(*plain, folder=tmp_path, CUDACXX="/nonexistent/nvcc")
    assert "VECTOR_KERNELS_CUDA:BOOL=OFF" in (tmp_path / "without/CMakeCache.txt").read_text()


def test_workflow(shows):
    """Its actions are those of this repository's workflows; its cibuildwheel is the tested one."""
    text = shows(f"{HERE}/wheels.yml", CONFIG).read_text()
    own = (ROOT / ".github/workflows/release.yml").read_text()
    used = re.findall(r"uses: (\S+)", text)
    assert len(used) == 4
    assert all(f"uses: {each}" in own for each in used)
    needs("cibuildwheel")
    assert f"cibuildwheel=={importlib.metadata.version('cibuildwheel')} " in text


@pytest.fixture
def side_by_side(tmp_path, monkeypatch):
    """The three projects of the page, laid out beside the library, to be built for the CPU."""
    copy_to(tmp_path)
    for name in ("cu12", "cu13", "both"):
        shutil.copytree(ROOT / HERE / name, tmp_path / name)
    package = tmp_path / "both" / "vector_kernels"
    shutil.copytree(ROOT / "examples/kernel_library/library/python/vector_kernels", package)
    shutil.move(tmp_path / "both" / "_library.py", package)
    region = re.compile(r"(?<=# \[load.begin\]\n).*?(?=# \[load.end\]\n)", re.DOTALL)
    (line,) = re.findall(r"``(from ._library import .*?)``", PAGE.read_text())
    file = package / "__init__.py"
    file.write_text(region.sub(f"{line}\n", file.read_text()))
    monkeypatch.setenv("SKBUILD_CMAKE_DEFINE", WITHOUT_CUDA)
    monkeypatch.setenv("SKBUILD_CMAKE_BUILD_TYPE", "Debug")  # compiles faster
    return tmp_path


def test_wheels_for_two_cuda_versions(shows, side_by_side):
    """Each has a name and a folder of its own; the extra chooses one, and the package loads it."""
    for path in (*BOTH, f"{HERE}/side_by_side.sh", f"{HERE}/extra.sh"):
        shows(path, *BOTH, f"{HERE}/side_by_side.sh", f"{HERE}/extra.sh", USE, *PROJECT)
    folder = side_by_side
    done = bash(ROOT / HERE / "side_by_side.sh", folder, CUDA_12="nvcc", CUDA_13="nvcc")
    assert done.returncode == 0, done.stdout + done.stderr
    wheels = {wheel.name.partition("-")[0]: wheel for wheel in (folder / "dist").iterdir()}
    assert set(wheels) == {"vector_kernels", "vector_kernels_cu12", "vector_kernels_cu13"}
    assert wheels["vector_kernels"].name.endswith("-py3-none-any.whl")
    files = {
        name: {each for each in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in each}
        for name, wheel in wheels.items()
    }
    for name in ("vector_kernels_cu12", "vector_kernels_cu13"):
        assert files[name] == {f"{name}/vector_kernels/libvector_kernels.so"}
    done = bash(ROOT / HERE / "extra.sh", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(USED)
    pip = [folder / "fresh/bin/pip"]
    python = folder / "fresh/bin/python"
    listed = run(*pip, "list", folder=folder)
    assert "vector-kernels-cu12" in listed
    assert "vector-kernels-cu13" not in listed

    def loaded():
        """What an import loads, or the error."""
        code = "import vector_kernels; print(open('/proc/self/maps').read())"
        done = subprocess.run(
            [python, "-c", code], cwd=folder, capture_output=True, text=True, check=False
        )
        found = set(re.findall(r"vector_kernels_cu\d+(?=/)", done.stdout))
        return found or done.stderr.splitlines()[-1]

    assert loaded() == {"vector_kernels_cu12"}
    # With both of them, the package takes the newer one; with neither, it says what to install.
    run(*pip, "install", "-q", "--no-deps", wheels["vector_kernels_cu13"], folder=folder)
    assert loaded() == {"vector_kernels_cu13"}
    run(*pip, "uninstall", "-q", "-y", *wheels, folder=folder)
    run(*pip, "install", "-q", "--no-deps", wheels["vector_kernels"], folder=folder)
    expected = "vector_kernels: install vector-kernels[cu12] or vector-kernels[cu13]"
    assert loaded() == f"ImportError: {expected}"


def test_one_folder_for_both_wheels_breaks(side_by_side):
    """Without a folder of its own, the second wheel overwrites the first, and loses its file."""
    folder = side_by_side
    python = environment(folder / "environment")
    pip = [python, "-m", "pip"]
    for name in ("cu12", "cu13"):
        project = folder / name / "pyproject.toml"
        text, count = re.subn(r"wheel.install-dir = .*\n", "", project.read_text())
        assert count == 1
        project.write_text(text)
        build = ["wheel", "-q", "--no-deps", "--no-build-isolation", "-w", "dist", f"./{name}"]
        # The same sources: the second build compiles nothing again.
        run(*pip, *build, folder=folder, SKBUILD_BUILD_DIR=str(folder / "build"))
        (wheel,) = (folder / "dist").glob(f"vector_kernels_{name}-*")
        run(*pip, "install", "-q", "--no-deps", wheel, folder=folder)  # without a complaint
    (library,) = python.parents[1].glob("lib/*/site-packages/vector_kernels/libvector_kernels.so")
    run(*pip, "uninstall", "-q", "-y", "vector-kernels-cu12", folder=folder)
    assert not library.exists()


def test_compressed_device_code(tmp_path):
    """The option makes the library smaller, and the wheel too, but by a smaller share."""
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    source = ROOT / "examples/kernel_library/silu_and_mul/silu_and_mul_kernel.cu"
    flags = run("tvm-ffi-config", "--cxxflags", "--ldflags", "--libs", folder=tmp_path).split()
    targets = [f"-gencode=arch=compute_{each},code=sm_{each}" for each in ("80", "90")]
    command = [nvcc["NVCC"], "-shared", "-Xcompiler", "-fPIC", "-O3", *targets, source, *flags]
    sizes = {}
    for name, options in (("plain", []), ("small", ["--compress-mode=size"])):
        run(*command, *options, "-o", name, folder=tmp_path, **nvcc)
        library = (tmp_path / name).read_bytes()
        sizes[name] = (len(library), len(zlib.compress(library)))
    of_library, of_wheel = (
        small / plain for small, plain in zip(sizes["small"], sizes["plain"], strict=True)
    )
    assert of_library < of_wheel < 1


@pytest.fixture
def rotate(tmp_path):
    """The project with the adapter, laid out as on the page."""
    pytest.importorskip("jax", reason="JAX is not installed")
    shutil.copytree(ROOT / HERE / "jax" / "rotate_kernels", tmp_path / "rotate/rotate_kernels")
    for name in ("pyproject.toml", "CMakeLists.txt"):
        shutil.copy(ROOT / HERE / "jax" / name, tmp_path / "rotate")
    shutil.copy(ROOT / HERE / "jax/use.py", tmp_path)
    done = bash(ROOT / HERE / "jax/lay_out.sh", tmp_path, CLONE=str(ROOT))
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_wheel_with_the_adapter(shows, rotate):
    """The wheel has both libraries; a compiled program calls the kernel from a clean folder."""
    for path in JAX:
        shows(path, *JAX, ADAPTER, "examples/kernel_library/jax_call/jax_call.py")
    done = bash(ROOT / HERE / "jax/wheel.sh", rotate)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("[0.0, 4.0] [-1.0, -3.0]\n")
    site = rotate / "site"
    names = {path.name for path in (site / "rotate_kernels").glob("*.so")}
    assert names == {"librotate_kernels.so", "librotate_kernels_adapter.so"}
    adapter = site / "rotate_kernels/librotate_kernels_adapter.so"
    needed = run("readelf", "-d", adapter, folder=rotate)
    assert "libtvm_ffi.so" in needed
    assert "jax" not in needed
    assert "xla" not in needed
    variables = {**os.environ, "PYTHONPATH": str(site)}
    # Only for_jax imports JAX.
    code = "import sys, rotate_kernels; print('jax' in sys.modules)"
    plain = [sys.executable, "-c", code]
    assert subprocess.check_output(plain, cwd=rotate, env=variables, text=True) == "False\n"
    # Another library under the same name is refused.
    shutil.copy(adapter, rotate / "other.so")
    code = (
        "import jax, pathlib\nfrom rotate_kernels import for_jax, jax_call\njax.devices()\n"
        "try:\n    jax_call.register(pathlib.Path('other.so'))\n"
        "except Exception as error:\n    print(error)\n"
    )
    plain = [sys.executable, "-c", code]
    said = subprocess.check_output(plain, cwd=rotate, env=variables, text=True)
    assert "Duplicate FFI handler registration for rotate_kernels.tvm_ffi_call" in said


@pytest.mark.parametrize(
    ("later", "message"), [(-1, ""), (1, "is incompatible with the framework")]
)
def test_headers_of_another_version(rotate, monkeypatch, later, message):
    """XLA accepts an adapter built with older headers, and refuses one built with newer ones."""
    import jax

    headers = rotate / "headers"
    shutil.copytree(jax.ffi.include_dir(), headers)
    file = headers / "xla/ffi/api/c_api.h"
    version = re.compile(r"(?<=#define XLA_FFI_API_MINOR )\d+")
    (now,) = version.findall(file.read_text())
    file.write_text(version.sub(str(int(now) + later), file.read_text()))
    flags = run("tvm-ffi-config", "--cxxflags", "--ldflags", "--libs", folder=rotate).split()
    compile_ = ["g++", "-shared", "-fPIC", "-fvisibility=hidden", "-isystem", headers]
    run(*compile_, ROOT / ADAPTER, "-o", "adapter.so", *flags, folder=rotate)
    code = (
        "import ctypes, jax, tvm_ffi\n"
        "handler = jax.ffi.pycapsule(ctypes.CDLL('./adapter.so').xla_adapter_on_cpu)\n"
        "try:\n    jax.ffi.register_ffi_target('doc', handler, platform='cpu')\n"
        "    print(len(jax.devices()) > 0)\n"
        "except Exception as error:\n    print(error)\n"
    )
    said = run(sys.executable, "-c", code, folder=rotate)
    assert message in said if message else said == "True\n"


def test_a_free_threaded_python_takes_the_wheel(tmp_path):
    """The wheel's tag suits a free-threaded Python too, as pip sees it."""
    files = {
        "k.py": "",
        "k-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: k\nVersion: 1\n",
        "k-1.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"
        "Tag: py3-none-manylinux_2_28_x86_64\n",
        "k-1.dist-info/RECORD": "",
    }
    for tag in ("py3-none", "cp312-abi3"):
        with zipfile.ZipFile(tmp_path / f"k-1-{tag}-manylinux_2_28_x86_64.whl", "w") as wheel:
            for name, text in files.items():
                wheel.writestr(name, text.replace("py3-none", tag))
    python = ["--implementation", "cp", "--python-version", "3.14", "--abi", "cp314t"]
    system = ["--platform", "manylinux_2_28_x86_64", "--only-binary", ":all:"]
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    wheels = sorted(tmp_path.glob("*.whl"))
    assert [path.name[4:9] for path in wheels] == ["cp312", "py3-n"]
    told = [*install, *python, *system, "--target", "site"]
    run(*told, wheels[1], folder=tmp_path)
    assert (tmp_path / "site/k.py").exists()
    refused = subprocess.run(
        [*told, wheels[0]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "is not a supported wheel on this platform" in refused.stderr
