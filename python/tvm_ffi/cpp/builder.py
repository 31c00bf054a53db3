# SPDX-License-Identifier: Apache-2.0
"""One build: from its arguments to the commands that it runs."""

from __future__ import annotations

import errno
import os
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .. import libinfo
from ..utils import FileLock
from ..utils.embed_cubin import assembly
from . import ninja, toolchain
from .cache import Record, cache_folder, digest, file_digest, headers_digest
from .ninja import CompileError, Step

_LANGUAGES = {
    ".c": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".cxx": "c++",
    ".cu": "cuda",
    ".o": "object",
    ".obj": "object",
}
_OBJECTS = (".o", ".obj")
_LIBRARIES = (".so", ".dylib", ".dll")

# In a folder that the user named: the files that builds have written there, one name per line.
_CLAIMED = ".tvm_ffi_files"

# The error for such a folder names at most this many files.
_NAMED = 5

# The product gets its final name when it is complete.
_NEW = "product.new"


class Builder:
    """One build: its checked arguments, its steps and its folder."""

    def __init__(
        self, function: str, name: Any, build_directory: Any, backend: Any, output: Any
    ) -> None:
        self.title = function  # for messages; the name is added once it is validated
        self.name = self._file_name("name", name)
        self.title = f"{function}: {name}"
        self.product = f"{name}.so" if output is None else self._file_name("output", output)
        self.links = not self.product.endswith(_OBJECTS)
        if self.links and not self.product.endswith(_LIBRARIES):
            endings = ", ".join((*_LIBRARIES, *_OBJECTS))
            raise ValueError(
                f"{self.title}: output: expected a name that ends in one of {endings}, "
                f"got {output!r}"
            )
        if backend not in (None, "cuda"):
            raise NotImplementedError(
                f"{self.title}: backend: expected 'cuda' or None, got {backend!r}"
            )
        self.directory = None
        if build_directory is not None:
            self.directory = self._path("build_directory", build_directory)
        self.cflags: list[str] = []
        self.cuda_cflags: list[str] = []
        self.ldflags: list[str] = []
        self.includes: list[str] = []

    def texts(self, argument: str, given: Any) -> list[str]:
        """Check an argument that is one text, several texts, or ``None``."""
        items = [given] if isinstance(given, str) else self._items(argument, given)
        for item in items:
            if not isinstance(item, str):
                raise TypeError(
                    f"{self.title}: {argument}: expected strings, got {type(item).__name__}"
                )
        return items

    def paths(self, argument: str, given: Any) -> list[str]:
        """Check an argument that is one path, several, or ``None``; return absolute paths."""
        one = isinstance(given, (str, os.PathLike))
        return [
            self._path(argument, item)
            for item in ([given] if one else self._items(argument, given))
        ]

    def set_flags(self, cflags: Any, cuda_cflags: Any, ldflags: Any, include_paths: Any) -> None:
        """Check the extra flags."""
        self.cflags = self._words("extra_cflags", cflags)
        self.cuda_cflags = self._words("extra_cuda_cflags", cuda_cflags)
        self.ldflags = self._words("extra_ldflags", ldflags)
        self.includes = self.paths("extra_include_paths", include_paths)

    def build(
        self, units: list[str], files: Mapping[str, str], images: Mapping[str, bytes] | None = None
    ) -> str:
        """Return the path of the library; build it first if it is missing or out of date.

        Parameters
        ----------
        units
            Files to compile or link: absolute paths, or names in ``files``.
        files
            Texts to write into the folder, by file name.
        images
            CUBINs to embed, by the names that the sources use.
        """
        languages = [self._language(unit) for unit in units]
        compilers = {name: self._compiler(name) for name in languages if name != "object"}
        if images and "cuda" not in compilers and toolchain.has_cuda():
            compilers["cuda"] = toolchain.cuda_compiler()  # for its headers and its library
        steps = self._steps(units, languages, compilers, images or {})
        written: dict[str, str | bytes] = {**files}
        for name, image in (images or {}).items():
            written |= {f"cubin_{name}.s": assembly(name, f"cubin_{name}"), f"cubin_{name}": image}
        made_of = digest(
            self.product,
            [step.command for step in steps],
            {name: data if isinstance(data, str) else data.hex() for name, data in written.items()},
            [toolchain.version(compiler) for compiler in compilers.values()],
            headers_digest(),
            [os.environ.get(name) for name in toolchain.VARIABLES],
        )
        folder = self.directory or os.path.join(cache_folder(), f"{self.name}_{made_of}")
        # Without a lock, so that an existing product can be used from a read-only folder.
        if found := Record(folder, self.product, made_of).valid_product():
            return found
        for unit in units:
            if unit not in files and not os.path.isfile(unit):
                raise FileNotFoundError(errno.ENOENT, f"{self.title}: there is no such file", unit)
        own = [*written, ninja.FILE, *(name for step in steps for name in step.files)]
        self._make_folder(folder)
        if self.directory:
            self._refuse_others(folder, own)  # before the lock is created
        with self._locked(os.path.join(folder, "lock")) as lock:
            record = Record(folder, self.product, made_of)
            if found := record.valid_product():
                return found
            try:
                if self.directory:
                    self._claim(folder, own)
                return self._make(record, steps, written, lock)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                message = f"{self.title}: {error.strerror}"
                raise OSError(error.errno, message, error.filename or folder) from error

    def _language(self, unit: str) -> str:
        ending = os.path.splitext(unit)[1]
        if ending not in _LANGUAGES:
            raise ValueError(
                f"{self.title}: sources: expected files that end in one of "
                f"{', '.join(_LANGUAGES)}, got {unit!r}"
            )
        return _LANGUAGES[ending]

    def _compiler(self, language: str) -> list[str]:
        if language == "cuda":
            return toolchain.cuda_compiler()
        return toolchain.c_compiler() if language == "c" else toolchain.cpp_compiler()

    def _steps(
        self,
        units: list[str],
        languages: list[str],
        compilers: dict[str, list[str]],
        images: Iterable[str],
    ) -> list[Step]:
        """Describe how each unit is compiled and how all are linked."""
        includes = [f"-I{path}" for path in (libinfo.find_include_path(), *self.includes)]
        if images and "cuda" not in languages and "cuda" in compilers:
            folders = toolchain.cuda_header_folders(compilers["cuda"][0])
            includes += [word for path in folders for word in ("-isystem", path)]
        steps, objects = [], []
        for unit, language in zip(units, languages, strict=True):
            if language == "object":
                objects.append(unit)
                continue
            made = f"unit_{len(objects)}.o" if self.links else _NEW
            reading = ["-MMD", "-MF", f"{made}.d", "-c", unit, "-o", made]
            command = [*compilers[language], *self._flags_of(language), *includes, *reading]
            steps.append(Step(command, [unit], made, f"{made}.d"))
            objects.append(made)
        for name in images:
            made = f"cubin_{name}.o"
            command = [*toolchain.cpp_compiler(), "-c", f"cubin_{name}.s", "-o", made]
            steps.append(Step(command, [f"cubin_{name}.s", f"cubin_{name}"], made))
            objects.append(made)
        if not self.links:
            if len(units) != 1 or len(steps) != 1:
                raise ValueError(
                    f"{self.title}: output: expected a library for other than one source alone, "
                    f"got {self.product!r}"
                )
            return steps
        command = [*toolchain.cpp_compiler(), "-shared", "-o", _NEW, *objects]
        command += [f"-L{libinfo.find_library_path()}", "-ltvm_ffi"]
        if "cuda" in compilers:
            folders = toolchain.cuda_library_folders(compilers["cuda"][0])
            command += [f"-L{folder}" for folder in folders]
            command += ["-lcudart_static", "-ldl", "-lrt", "-lpthread"]
        # Not every linker reports the files it read; those named by full path in a flag are known.
        libraries = [flag for flag in self.ldflags if os.path.isabs(flag) and os.path.isfile(flag)]
        return [*steps, Step([*command, *self.ldflags], [*objects, *libraries], _NEW)]

    def _flags_of(self, language: str) -> list[str]:
        if language == "c":
            return ["-fPIC", "-O2", *self.cflags]
        own = self.cuda_cflags if language == "cuda" else self.cflags
        # nvcc rejects a second -std flag, so the default is omitted.
        flags = [] if any(flag.startswith(("-std", "--std")) for flag in own) else ["-std=c++17"]
        if language == "c++":
            return [*flags, "-fPIC", "-O2", *own]
        flags += ["-Xcompiler", "-fPIC", "-O2"]
        names = ("-gencode", "--generate-code", "-arch", "--gpu-architecture")
        if not any(flag.startswith(names) for flag in own):
            flags += toolchain.architecture_flags()
        return [*flags, *own]

    def _make_folder(self, folder: str) -> None:
        try:
            os.makedirs(folder, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            message = (
                f"{self.title}: expected a folder to build in, which build_directory or "
                f"TVM_FFI_CACHE_DIR can name: {error.strerror}"
            )
            raise OSError(error.errno, message, folder) from error

    def _claim(self, folder: str, names: list[str]) -> None:
        """Record the files that a build is about to write, in a folder that the user named."""
        claimed = self._refuse_others(folder, names)
        if not claimed.issuperset(names):
            path = os.path.join(folder, _CLAIMED)
            lines = "".join(f"{name}\n" for name in sorted(claimed.union(names)))
            _write(f"{path}.new", lines.encode())
            os.replace(f"{path}.new", path)

    def _refuse_others(self, folder: str, names: list[str]) -> set[str]:
        """Refuse to overwrite files that no build has written; return those that builds have."""
        # In this order, since another build may claim a file and write it in between.
        present = [name for name in names if os.path.lexists(os.path.join(folder, name))]
        try:
            with open(os.path.join(folder, _CLAIMED), encoding="utf-8") as file:
                claimed = set(file.read().splitlines())
        except FileNotFoundError:
            claimed = set()
        if others := [name for name in present if name not in claimed]:
            more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            advice = "remove them, or name another folder"
            if ninja.FILE in others and ninja.is_of_published(os.path.join(folder, ninja.FILE)):
                advice = (
                    "a build of the package apache-tvm-ffi made it, so delete the whole folder, or "
                    "name another"
                )
            message = (
                f"{self.title}: build_directory: expected a folder without files that the build "
                f"would overwrite, got one with {', '.join(others[:_NAMED])}{more}; {advice}"
            )
            raise FileExistsError(errno.EEXIST, message, folder)
        return claimed

    @contextmanager
    def _locked(self, path: str) -> Iterator[FileLock]:
        """Hold the lock of a folder; print a message if another process holds it for long."""
        lock = FileLock(path)
        try:
            lock.blocking_acquire(ninja.PROGRESS_AFTER, poll_interval=0.02)
        except TimeoutError:
            folder = os.path.dirname(path)
            ninja.tell(f"{self.title}: waiting for another process that builds in {folder}")
            lock.blocking_acquire()
        try:
            yield lock
        finally:
            lock.release()

    def _make(
        self, record: Record, steps: list[Step], files: Mapping[str, str | bytes], lock: FileLock
    ) -> str:
        """Run the steps that are due, and give the complete product its final name."""
        folder, begun = record.folder, time.time_ns()
        for name, data in files.items():
            _write(os.path.join(folder, name), data.encode() if isinstance(data, str) else data)
        # Ninja compares only times, which is not enough for a file restored from an older copy.
        outdated = record.outdated()
        for step in steps:
            if step.output not in record.inputs or step.output in outdated:
                _remove(os.path.join(folder, step.output))
        record.begin(outdated)
        try:
            ninja.run(self.title, folder, steps, lock)
        except CompileError as error:
            if error.command == steps[-1].command:
                # Objects that do not link may be corrupt: they are not reused.
                for step in steps:
                    _remove(os.path.join(folder, step.output))
            raise
        record.note_inputs(steps, files, begun)
        place = folder
        if not self.directory and any(record.inputs.values()):
            # Files may change while the old library is in use: each state has its own folder.
            place = os.path.join(folder, record.inputs_digest())
            os.makedirs(place, exist_ok=True)
        product = os.path.join(place, self.product)
        new = os.path.join(folder, _NEW)
        if os.path.exists(product) and file_digest(product) == file_digest(new):
            _remove(new)  # identical: processes that loaded it keep using this file
        else:
            os.replace(new, product)
        record.end(product)
        return product

    def _items(self, argument: str, given: Any) -> list[Any]:
        if given is None:
            return []
        if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
            raise TypeError(
                f"{self.title}: {argument}: expected a list, got {type(given).__name__}"
            )
        return list(given)

    def _words(self, argument: str, given: Any) -> list[str]:
        """Check flags, and split each one as a shell does."""
        words = []
        for item in self._items(argument, given):
            if not isinstance(item, str):
                raise TypeError(
                    f"{self.title}: {argument}: expected flags of type str, "
                    f"got {type(item).__name__}"
                )
            try:
                found = shlex.split(item)
            except ValueError as error:
                raise ValueError(f"{self.title}: {argument}: {error} in {item!r}") from None
            words += [self._one_line(argument, word) for word in found]
        return words

    def _path(self, argument: str, given: Any) -> str:
        if not isinstance(given, (str, os.PathLike)):
            raise TypeError(
                f"{self.title}: {argument}: expected a str or a path, got {type(given).__name__}"
            )
        path = os.path.abspath(os.path.expanduser(os.fsdecode(given)))
        return self._one_line(argument, path)

    def _one_line(self, argument: str, text: str) -> str:
        """Refuse text that a Ninja command line cannot hold."""
        if any(character in text for character in "\n\r\0"):
            raise ValueError(f"{self.title}: {argument}: expected one line, got {text!r}")
        return text

    def _file_name(self, argument: str, given: Any) -> str:
        if not isinstance(given, str):
            raise TypeError(f"{self.title}: {argument}: expected a str, got {type(given).__name__}")
        if given in ("", ".", "..") or os.path.basename(given) != given:
            raise ValueError(
                f"{self.title}: {argument}: expected the name of a file without its folder, "
                f"got {given!r}"
            )
        return self._one_line(argument, given)


def _write(path: str, content: bytes) -> None:
    """Write a file unless its content is the same, so that it is not compiled again."""
    try:
        with open(path, "rb") as file:
            if file.read() == content:
                return
    except OSError:
        pass
    with open(path, "wb") as file:
        file.write(content)


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)
