# SPDX-License-Identifier: Apache-2.0
"""Makes the library's wheel with setuptools, for the CPU."""

# [setup.begin]
import os
import shutil

import tvm_ffi.cpp
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

SOURCES = ["binding.cc", "axpy_cpu.cc", "lerp_cpu.cc", "vecdot_cpu.cc", "without_cuda.cc"]


class BuildLibrary(build_ext):
    """Builds a kernel library instead of a Python module."""

    def get_ext_filename(self, fullname):
        """Name the file without the Python version."""
        return fullname.replace(".", os.sep) + ".so"

    def build_extension(self, ext):
        """Compile the sources, and put the library where setuptools expects it."""
        flags = ["-fvisibility=hidden"]  # Exports are marked in the sources.
        built = tvm_ffi.cpp.build("vector_kernels", cpp_files=ext.sources, extra_cflags=flags)
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(built, target)


class WheelForEveryPython(bdist_wheel):
    """Makes a wheel for every Python 3 of one platform."""

    def get_tag(self):
        """Keep only the platform of the usual tag."""
        return "py3", "none", super().get_tag()[2]


setup(
    ext_modules=[
        Extension("vector_kernels.libvector_kernels", [f"src/{name}" for name in SOURCES])
    ],
    cmdclass={"build_ext": BuildLibrary, "bdist_wheel": WheelForEveryPython},
)
# [setup.end]
