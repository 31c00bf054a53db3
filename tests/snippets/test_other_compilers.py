# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The page on kernels from other compilers: CuTe DSL, and a kernel-builder project."""

import importlib.metadata
import importlib.util
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.package_flags import flags
from _verify.tools import find_nvcc

tomllib = pytest.importorskip("tomllib", reason="comes with Python 3.11")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/other_compilers"
TEST = "tests/snippets/test_other_compilers.py"
BUILD, SCHEMA = (ROOT / FOLDER / name for name in ("build.toml", "build_schema.json"))


@pytest.fixture
def proves(shows):
    """Say which files of the page a test runs, all with the help of each other."""

    def declare(*names):
        paths = {*(f"{FOLDER}/{name}" for name in names), TEST}
        for path in sorted(paths):
            shows(path, *paths - {path})

    return declare


@pytest.fixture
def problems_of():
    """The function that lists what the schema has against a build file."""
    pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    # [validate.begin]
    import jsonschema

    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))

    def problems_of(build):
        return [f"{each.json_path}: {each.message}" for each in validator.iter_errors(build)]

    # [validate.end]
    validator.check_schema(validator.schema)
    return problems_of


@pytest.fixture
def reads(tmp_path):
    """The function that gives the text of a build file to Hugging Face's own parser.

    It is an extension in the package `kernels`, whose Python modules want more packages.
    """
    try:
        package = importlib.metadata.distribution("kernels").locate_file("kernels")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("kernels is not installed")
    [file] = Path(package).glob("_rust.*.so")
    spec = importlib.util.spec_from_file_location("kernels._rust", file)
    parser = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(parser)

    def reads(text):
        (tmp_path / "build.toml").write_text(text)
        return parser.Build.open(tmp_path)

    return reads


def test_build_file(proves, problems_of):
    """The build file has all that the schema wants, and nothing else."""
    proves("build.toml", "build_schema.json")
    # [valid.begin]
    build = tomllib.loads(BUILD.read_text())
    assert problems_of(build) == []
    # [valid.end]


# [mistakes.begin]
MISTAKES = [
    # A misspelt key.
    ("license =", "licence =", "$.general: 'license' is a required property"),
    ("[tvm-ffi]", "[tvm_ffi]", "'tvm_ffi' was unexpected"),
    ("repo-id", "repo_id", "$.general.hub: Additional properties"),
    ('"cuda"\ndepends = []', '"cuda"\ncuda-flag = []', "$.kernel.scale_cuda: 'depends' is a"),
    ('"cuda"\n', '"cuda"\ncuda-flag = []\n', "'cuda-flag' was unexpected"),
    # An option of another back end.
    ('"cpu"\n', '"cpu"\ncuda-flags = []\n', "'cuda-flags' was unexpected"),
    # A missing section.
    ('[tvm-ffi]\nsrc = ["tvm-ffi-ext/scale_docs.cc"]', "", "$: 'tvm-ffi' is a required property"),
    # A wrong type, or a wrong value.
    ("version = 1", 'version = "1"', "$.general.version: '1' is not of type 'integer'"),
    ('["tvm-ffi-ext/scale_docs.cc"]', '"tvm-ffi-ext/scale_docs.cc"', "is not of type 'array'"),
    ("edition = 5", "edition = 6", "$.general.edition: 5 was expected"),
    ('backend = "cuda"', 'backend = "gpu"', "'gpu' is not one of ['cpu', 'cuda']"),
    ('name = "scale"', 'name = "Scale"', "$.general.name: 'Scale' does not match"),
]
# [mistakes.end]


@pytest.mark.parametrize(("right", "wrong", "message"), MISTAKES)
def test_mistakes(proves, problems_of, right, wrong, message):
    """Each mistake is a problem that names its place."""
    proves("build.toml", "build_schema.json")
    text = BUILD.read_text()
    assert right in text
    problems = problems_of(tomllib.loads(text.replace(right, wrong, 1)))
    assert any(message in problem for problem in problems), problems


def test_same_as_kernels(proves, reads):
    """Hugging Face's parser takes the build file too, and refuses the same edits of it."""
    proves("build.toml", "build_schema.json")
    text = BUILD.read_text()
    assert [str(each) for each in reads(text).general.backends] == ["cpu", "cuda"]
    for right, wrong, _ in MISTAKES:
        with pytest.raises(ValueError, match="Cannot parse build configuration"):
            reads(text.replace(right, wrong, 1))


@pytest.mark.parametrize("section", ["general", "tvm-ffi", "kernel"])
def test_missing_section(proves, problems_of, section):
    """A file without one of the three sections is refused, with its name."""
    proves("build.toml", "build_schema.json")
    build = tomllib.loads(BUILD.read_text())
    del build[section]
    assert problems_of(build) == [f"$: {section!r} is a required property"]


@pytest.fixture
def project(tmp_path):
    """The folder in which the script of the page has laid out the project.

    It keeps only the sources and headers that the build file names, as kernel-builder sees them.
    """
    subprocess.run(
        ["bash", ROOT / FOLDER / "project.sh"],
        cwd=tmp_path,
        env={**os.environ, "CLONE": str(ROOT)},
        check=True,
    )
    folder = tmp_path / "scale"
    build = tomllib.loads((folder / "build.toml").read_text())
    named = {folder / name for name in sources_of(build)}
    for path in folder.rglob("*"):
        if path.suffix in (".cc", ".cu", ".h") and path not in named:
            path.unlink()
    return folder


def sources_of(build):
    """All files that a build file names."""
    return [name for each in (build["tvm-ffi"], *build["kernel"].values()) for name in each["src"]]


def test_project(proves, project):
    """The sources that the build file names are there; those for the CPU make a package."""
    proves("build.toml", "project.sh", "scale_docs.cc", "scale/__init__.py")
    build = tomllib.loads((project / "build.toml").read_text())
    assert [name for name in sources_of(build) if not (project / name).is_file()] == []
    assert {kernel["backend"] for kernel in build["kernel"].values()} == {
        *build["general"]["backends"]
    }

    sources = [*build["tvm-ffi"]["src"], *build["kernel"]["scale_cpu"]["src"]]
    compiled = " ".join(name for name in sources if name.endswith(".cc"))
    package = project / "tvm-ffi-ext" / build["general"]["name"]
    command = (
        f"g++ -shared -fPIC -O1 -Wall -Wextra {compiled} -o {package}/ops.so"
        f" {flags('--cxxflags', '--ldflags', '--libs')}"
    )
    subprocess.run(shlex.split(command), cwd=project, check=True)
    # In place of what kernel-builder generates.
    (package / "_ops.py").write_text(
        "from pathlib import Path\n\nimport tvm_ffi\n\n"
        'ops = tvm_ffi.load_module(Path(__file__).with_name("ops.so"))\n'
    )
    scale = imported(package)
    random = numpy.random.default_rng()
    for shape in ((), (0,), (1,), (257,), (33, 65)):
        x = numpy.asarray(random.standard_normal(shape), dtype="float32")
        y = numpy.full_like(x, numpy.nan)
        scale.scale(x, y, 2.5)
        numpy.testing.assert_array_equal(y, (x.astype("float64") * 2.5).astype("float32"))
    assert scale.ops.get_function_doc("scale") == "Writes x * factor to y."


def test_cute_dsl(proves, captured, tmp_path):
    """A function of CuTe DSL is called and exported; its library needs no compiler, nor PyTorch."""
    for package in ("nvidia_cutlass_dsl", "torch"):
        if not importlib.util.find_spec(package):
            pytest.skip(f"{package} is not installed")
    proves("cute_host.py")
    command = [sys.executable, ROOT / FOLDER / "cute_host.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    captured("tests/snippets/captured/cute_host.txt", f"$ python cute_host.py\n{done.stdout}")
    mod = tvm_ffi.load_module(str(tmp_path / "scale.so"))
    x, y = numpy.arange(5, dtype="float32"), numpy.zeros(5, "float32")
    mod.scale(x, y, 2.5)
    numpy.testing.assert_array_equal(y, x * 2.5)
    with pytest.raises(TypeError, match="Expects 3 parameters when calling: `scale"):
        mod.scale(x, y)


def test_cuda_sources(proves, project):
    """The sources that the build file names for CUDA compile from the layout."""
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    proves("build.toml", "project.sh")
    kernel = tomllib.loads((project / "build.toml").read_text())["kernel"]["scale_cuda"]
    [source] = [name for name in kernel["src"] if name.endswith(".cu")]
    command = f"{nvcc['NVCC']} -arch=sm_90 {flags('--cxxflags')} -c {source} -o scale.o"
    subprocess.run(shlex.split(command), cwd=project, env={**os.environ, **nvcc}, check=True)
    assert b"__tvm_ffi_scale" in (project / "scale.o").read_bytes()


def imported(package):
    """Import a package from its folder, as one that is not on the path."""
    spec = importlib.util.spec_from_file_location("scale_of_hub", package / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name], sys.modules[f"{spec.name}._ops"]
    return module
