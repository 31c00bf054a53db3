# SPDX-License-Identifier: Apache-2.0
"""Modules: function libraries loaded at run time, and other kinds that C++ code defines."""

from __future__ import annotations

import errno
import os
import re
import stat
import warnings
from enum import IntEnum
from typing import Any, BinaryIO, NoReturn

from . import _core
from ._core import Function, Object
from ._loader_name import is_unicode, loader_name
from ._runtime import call

# Modules that load_module keeps alive until the process exits, by file path.
_kept: dict[str, Module] = {}

# An error lists at most this many functions; if there are more, it names only similar ones.
_FEW = 20


class ModulePropertyMask(IntEnum):
    """Capabilities of a module: the bits of :meth:`tvm_ffi.Module.get_property_mask`."""

    BINARY_SERIALIZABLE = 1
    RUNNABLE = 2
    COMPILATION_EXPORTABLE = 4


class Module(Object):
    """A loaded library; its functions are its attributes.

    Load one with :func:`tvm_ffi.load_module`. ``module.name``, ``module["name"]`` and
    ``module.get_function("name")`` return the same function; ``dir(module)`` lists the functions
    of a library loaded from a file. Calling the module calls its function ``main``.
    """

    __slots__ = ("__dict__",)

    path: str | None = None
    """Path of the library; ``None`` if it was not loaded from a file."""

    entry_name = "main"
    """Name of the function that is called when the module is called."""

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        function = self.get_function(name)
        # Cached, so that later accesses skip the lookup.
        self.__dict__[name] = function
        return function

    def __getitem__(self, name: str) -> Function:
        return self.get_function(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function :attr:`entry_name`."""
        return self.get_function(self.entry_name)(*args, **kwargs)

    def __dir__(self) -> list[str]:
        names = _exported_names(self.path) if self.path is not None else []
        return sorted({*super().__dir__(), *names})

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be pickled or copied: pass its path on, and load it there"
        )

    def get_function(self, name: str, query_imports: bool = False) -> Function:
        """Look up a function.

        Parameters
        ----------
        name
            Name under which it was exported.
        query_imports
            Also search the modules that this one imports.

        Raises
        ------
        AttributeError
            There is no such function; the message lists the existing ones, or similar names.
        TypeError
            The name is not a ``str``.
        """
        _check_name(self, name)
        function = call("ffi.ModuleGetFunction", self, name, query_imports)
        if function is None:
            raise AttributeError(f"{self!r} has no function {name!r}{self._what_there_is(name)}")
        function.__name__ = name
        return function

    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        """Return whether a function of this name exists.

        Parameters
        ----------
        name
            Name of the function.
        query_imports
            Also search the imported modules, at any depth.
        """
        _check_name(self, name)
        return bool(call("ffi.ModuleImplementsFunction", self, name, query_imports))

    def import_module(self, module: Module) -> None:
        """Import another module, so that this module's functions can find its functions.

        Parameters
        ----------
        module
            The module to import.

        Raises
        ------
        ValueError
            The other module imports this one, at any depth.
        TypeError
            ``module`` is not a :class:`tvm_ffi.Module`.
        """
        if not isinstance(module, Module):
            raise TypeError(
                f"{self!r}: module: expected a tvm_ffi.Module, got {type(module).__name__}"
            )
        call("ffi.ModuleImportModule", self, module)

    @property
    def imports(self) -> list[Module]:
        """The modules that this one imports, in the order in which they were added."""
        count = call("ffi.ModuleGetImport", self, -1)
        return [call("ffi.ModuleGetImport", self, i) for i in range(count)]

    def clear_imports(self) -> None:
        """Remove all imports; functions already found in them stay valid."""
        call("ffi.ModuleClearImports", self)

    def get_function_metadata(
        self, name: str, query_imports: bool = False
    ) -> dict[str, Any] | None:
        """Return the metadata of a function, or ``None``.

        Its ``type_schema`` is JSON text with the types of the parameters and the result. A library
        provides it if it was built with :c:macro:`TVM_FFI_DLL_EXPORT_INCLUDE_METADATA`.

        Parameters
        ----------
        name
            Name of the function.
        query_imports
            Also search the imported modules, at any depth.
        """
        import json

        _check_name(self, name)
        text = call("ffi.ModuleGetFunctionMetadata", self, name, query_imports)
        return None if text is None else json.loads(text)

    def get_function_doc(self, name: str, query_imports: bool = False) -> str | None:
        """Return a function's documentation, or ``None``.

        Parameters
        ----------
        name
            Name of the function.
        query_imports
            Also search the imported modules, at any depth.
        """
        _check_name(self, name)
        return call("ffi.ModuleGetFunctionDoc", self, name, query_imports)

    @property
    def kind(self) -> str:
        """Kind of module, ``"library"`` for a shared library."""
        return call("ffi.ModuleGetKind", self)

    def get_property_mask(self) -> int:
        """Return the bits of :class:`tvm_ffi.module.ModulePropertyMask` that are set."""
        return call("ffi.ModuleGetPropertyMask", self)

    def is_runnable(self) -> bool:
        """Return whether the module has functions that can be called."""
        return self._can(ModulePropertyMask.RUNNABLE)

    def is_binary_serializable(self) -> bool:
        """Return whether the module can be serialized to bytes; a loaded library cannot."""
        return self._can(ModulePropertyMask.BINARY_SERIALIZABLE)

    def is_compilation_exportable(self) -> bool:
        """Return whether :meth:`write_to_file` works; it does not for a loaded library."""
        return self._can(ModulePropertyMask.COMPILATION_EXPORTABLE)

    def get_write_formats(self) -> list[str]:
        """Return the formats that :meth:`write_to_file` supports; none for a loaded library."""
        return list(call("ffi.ModuleGetWriteFormats", self))

    def inspect_source(self, fmt: str = "") -> str:
        """Return the source code that the module holds; empty for a loaded library.

        Parameters
        ----------
        fmt
            Which source to return, if the module has several.
        """
        return call("ffi.ModuleInspectSource", self, _checked_text(self, "fmt", fmt))

    def write_to_file(self, file_name: str, fmt: str = "") -> None:
        """Write the module to a file, if its kind supports it.

        Parameters
        ----------
        file_name
            Path of the file.
        fmt
            One of :meth:`get_write_formats`.

        Raises
        ------
        RuntimeError
            The module is a loaded library, or another kind that cannot be written.
        """
        file_name = _checked_text(self, "file_name", file_name)
        call("ffi.ModuleWriteToFile", self, file_name, _checked_text(self, "fmt", fmt))

    def _can(self, what: ModulePropertyMask) -> bool:
        return bool(self.get_property_mask() & what)

    def _what_there_is(self, name: str) -> str:
        names = _exported_names(self.path) if self.path is not None else []
        if len(names) <= _FEW:
            return f"; it has {', '.join(names)}" if names else ""
        import difflib

        near = difflib.get_close_matches(name, names)
        likely = f", among them {', '.join(near)}" if near else ""
        return f"; it has {len(names)}{likely}, and dir(module) lists them"

    def __repr__(self) -> str:
        return f"<tvm_ffi.Module {self.path or self.kind}>"


def load_module(path: str | os.PathLike[str], keep_module_alive: bool = True) -> Module:
    """Load a function library, or another file for which a loader is registered.

    A global function ``ffi.Module.load_from_file.<extension>`` loads files of that extension; it is
    called with the path and the extension. Any other file is loaded as a library.

    Loading a library again that is kept loaded does not read the file, unless it has changed.

    Other Python threads run while a library is loaded. Its static initializers may call Python
    functions only if no other thread can import an extension module or catch a C++ error at the
    same time. Such a thread would wait for the dynamic loader while it holds the GIL (for an error,
    to look up the names in the backtrace), and both threads would deadlock.

    Parameters
    ----------
    path
        The file; a relative path, or a bare name, is resolved against the current folder.
    keep_module_alive
        Keep the library loaded until the process exits. With ``False``, it is unloaded when the
        module and all of its functions are gone. Delete the objects that it created, such as
        containers, before then, because its code frees them. A library is never unloaded if it
        registers object types or global functions while it is loaded, or if it was built with this
        package's headers and has created a function from a lambda, a tensor with its own allocator
        or a ``BigInt`` too large for 64 bits. A forked child never unloads a library that its
        parent loaded.

    Returns
    -------
    Module
        The module; ``module.name(...)`` calls the function ``name``.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    OSError
        The file is not a library, or a library that it depends on cannot be found.
    TypeError
        ``path`` is neither a ``str`` nor a path.

    Warns
    -----
    RuntimeWarning
        The file has changed since this process loaded it; the old code keeps running.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"load_module: path: expected a str or a path, got {type(path).__name__}")
    full = path if isinstance(path, str) else os.fsdecode(path)
    if not full.endswith(".so") and _has_loader(full):
        return call("ffi.ModuleLoadFromFile", full)
    if full not in _kept:
        full = os.path.abspath(full)
    kept = _kept.get(full)
    module = None if kept is None else call("ffi.ModuleAnother", kept, loader_name(full))
    if module is None:
        module = _load(full)
    module.path = full
    if keep_module_alive:
        _kept.setdefault(full, module)
    return module


def _load(full: str) -> Module:
    """Load the file at an absolute path that has no kept module, or only one of an older file."""
    try:
        status = os.stat(full)
    except (OSError, ValueError):
        raise FileNotFoundError(errno.ENOENT, "load_module: there is no such file", full) from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "load_module: expected a library, got a folder", full)
    if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait for a writer
        raise OSError(f"load_module: expected a library, got a file of another kind: {full}")
    if full in _kept and _kept[full].kind == "library":
        warnings.warn(
            f"load_module: {full} has changed since this process loaded it, and the old code "
            "goes on running: build to a new name, or start a new process",
            RuntimeWarning,
            stacklevel=3,
        )
    name = loader_name(full)
    module = call("ffi.ModuleLoadOrReason", name)
    if isinstance(module, bytes):
        # The reason begins with the file name, which the error already has.
        reason = module.removeprefix(os.fsencode(f"{name}: ")).decode(errors="replace")
        raise OSError(f"load_module: {full} is not a library that can be loaded: {reason}")
    return module


def _has_loader(path: str) -> bool:
    # Loaders are looked up by name and called with a path, which must both be Unicode.
    return is_unicode(path) and call("ffi.ModuleHasLoader", path)


def system_lib(symbol_prefix: str = "") -> Module:
    """Return a module of the functions that are linked into the program itself.

    They are registered with :cpp:func:`TVMFFIEnvModRegisterSystemLibSymbol`, under names that begin
    with ``__tvm_ffi_``.

    Parameters
    ----------
    symbol_prefix
        A function is looked up first with this prefix before its name, then without the prefix.

    Returns
    -------
    Module
        The module; the same module for the same prefix.
    """
    if not isinstance(symbol_prefix, str):
        raise TypeError(
            f"system_lib: symbol_prefix: expected a str, got {type(symbol_prefix).__name__}"
        )
    return call("ffi.SystemLib", symbol_prefix)


def _check_name(module: Module, name: object) -> None:
    _checked_text(module, "name", name)


def _checked_text(module: Module, argument: str, text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{module!r}: {argument}: expected a str, got {type(text).__name__}")
    return text


def _exported_names(path: str) -> list[str]:
    """Return the names of the functions that a library exports, from its string table."""
    try:
        with open(path, "rb") as library:
            names = _names_of_symbols(library)
    except OSError:
        return []
    found = re.findall(rb"(?<=\0)__tvm_ffi_(?!_)(\w+)(?=\0)", names)
    return sorted({name.decode() for name in found})


def _names_of_symbols(library: BinaryIO) -> bytes:
    """Read the loaded string table of a 64-bit ELF file, or the whole of any other file."""
    head = library.read(64)
    if head[:6] == b"\x7fELF\x02\x01":
        table, size, count = _number(head, 40, 8), _number(head, 58, 2), _number(head, 60, 2)
        library.seek(table)
        sections = library.read(size * count)
        for section in range(0, len(sections), size or 1):
            is_strings = _number(sections, section + 4, 4) == 3
            is_loaded = _number(sections, section + 8, 8) & 2
            if is_strings and is_loaded:
                library.seek(_number(sections, section + 24, 8))
                return library.read(_number(sections, section + 32, 8))
    library.seek(0)
    return library.read()


def _number(content: bytes, offset: int, size: int) -> int:
    return int.from_bytes(content[offset : offset + size], "little")


_core.register_object_class("ffi.Module", Module)
