# SPDX-License-Identifier: Apache-2.0
"""Libraries of functions, loaded at run time."""

from __future__ import annotations

import errno
import os
import re
import warnings
from typing import Any

from . import _core
from ._core import Function, Object

# What load_module was asked to keep for as long as the process runs: for each path, a module and
# which file it was when it was loaded first.
_kept: dict[str, tuple[Module, tuple[int, ...]]] = {}


class Module(Object):
    """A loaded library; its functions are its attributes.

    Make one with :func:`tvm_ffi.load_module`.
    """

    path: str | None = None
    """Where the library was loaded from; ``None`` if it did not come from a file."""

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        function = self.get_function(name)
        # Found here from now on, without another look-up.
        self.__dict__[name] = function
        return function

    def __getitem__(self, name: str) -> Function:
        return self.get_function(name)

    def get_function(self, name: str, query_imports: bool = False) -> Function:
        """Look a function up.

        Parameters
        ----------
        name
            Name under which it was exported.
        query_imports
            Look into the modules that this one imports, too.

        Raises
        ------
        AttributeError
            There is no such function; the message lists those that there are.
        """
        if not isinstance(name, str):
            raise TypeError(f"{self!r}: name: expected a str, got {type(name).__name__}")
        function = _call("ffi.ModuleGetFunction", self, name, query_imports)
        if function is None:
            raise AttributeError(f"{self!r} has no function {name!r}{self._what_there_is()}")
        function.__name__ = name
        return function

    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        """Tell whether there is a function of this name."""
        return bool(_call("ffi.ModuleImplementsFunction", self, name, query_imports))

    def import_module(self, module: Module) -> None:
        """Let this module's functions find those of another."""
        _call("ffi.ModuleImportModule", self, module)

    def get_function_metadata(self, name: str, query_imports: bool = False) -> str | None:
        """Give the JSON text that describes a function's types, or ``None``."""
        return _call("ffi.ModuleGetFunctionMetadata", self, name, query_imports)

    def get_function_doc(self, name: str, query_imports: bool = False) -> str | None:
        """Give a function's documentation, or ``None``."""
        return _call("ffi.ModuleGetFunctionDoc", self, name, query_imports)

    @property
    def kind(self) -> str:
        """Kind of module, ``"library"`` for a shared library."""
        return _call("ffi.ModuleGetKind", self)

    def _what_there_is(self) -> str:
        names = _exported_names(self.path) if self.path is not None else []
        return f"; it has {', '.join(names)}" if names else ""

    def __repr__(self) -> str:
        return f"<tvm_ffi.Module {self.path or hex(id(self))}>"


def load_module(path: str | os.PathLike[str], keep_module_alive: bool = True) -> Module:
    """Load a library of functions.

    Parameters
    ----------
    path
        The file; a relative path, or a bare name, starts at the current folder.
    keep_module_alive
        Keep the library loaded as long as the process runs. With ``False`` it is unloaded when the
        module and its functions are gone. By then nothing may be left of what runs the library's
        code when it is freed: functions that it made, and objects of its own types.

    Returns
    -------
    Module
        The module; ``module.name(...)`` calls the function ``name``.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    OSError
        The file is not a library, or it needs another one that cannot be found.

    Warns
    -----
    RuntimeWarning
        The file has changed since this process loaded it; the old code goes on running.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"load_module: path: expected a str or a path, got {type(path).__name__}")
    full = os.path.abspath(os.fsdecode(path))
    if not os.path.exists(full):
        raise FileNotFoundError(errno.ENOENT, "load_module: there is no such file", full)
    if os.path.isdir(full):
        raise IsADirectoryError(errno.EISDIR, "load_module: expected a library, got a folder", full)
    if full in _kept and _kept[full][1] != _file_state(full):
        warnings.warn(
            f"load_module: {full} has changed since this process loaded it, and the old code goes "
            "on running: build to a new name, or start a new process",
            RuntimeWarning,
            stacklevel=2,
        )
    try:
        module = _call("ffi.ModuleLoadFromFile", full)
    except RuntimeError as error:
        raise OSError(
            f"load_module: {full} is not a library that can be loaded: {error}"
        ) from error
    module.path = full
    if keep_module_alive:
        _kept.setdefault(full, (module, _file_state(full)))
    return module


def _file_state(path: str) -> tuple[int, ...]:
    """Tell one version of a file from another."""
    status = os.stat(path)
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _call(name: str, *args: Any) -> Any:
    """Call a global function of the runtime."""
    function = _core.get_global_func(name)
    if function is None:
        raise NotImplementedError(f"{name}: this libtvm_ffi.so has no such global function")
    return function(*args)


def _exported_names(path: str) -> list[str]:
    """Names of the functions that a library exports, as its string table has them."""
    try:
        with open(path, "rb") as library:
            content = library.read()
    except OSError:
        return []
    found = re.findall(rb"(?<=\0)__tvm_ffi_(?!_)(\w+)(?=\0)", content)
    return sorted({name.decode() for name in found})


_core.register_object_class("ffi.Module", Module)
