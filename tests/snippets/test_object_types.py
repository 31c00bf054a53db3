# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""An object type of a library, as its page shows it."""

import copy
import gc
import os
import pickle
import shlex
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
import tvm_ffi
from _verify.package_flags import flags

HERE = Path(__file__).resolve().parent
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"
SOURCES = ["workspace.h", "workspace.cc", "workspace_user.cc"]
# What each of the shown files is run with.
SHOWN = [f"tests/snippets/{name}" for name in [*SOURCES, "test_object_types.py"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the library that registers the type, and one that uses it."""
    folder = tmp_path_factory.mktemp("object_types")
    for name in ["workspace", "workspace_user"]:
        command = f"g++ {FLAGS} {flags('--cxxflags')} {name}.cc -o {folder}/{name}.so"
        command += f" {flags('--ldflags', '--libs')}"
        subprocess.run(shlex.split(command), cwd=HERE, check=True)
    return folder


@pytest.fixture
def mod(folder, shows):
    """The library; the test proves what it calls of it, and itself."""
    shows("tests/snippets/workspace.h", *SHOWN)
    shows("tests/snippets/workspace.cc", *SHOWN)
    shows("tests/snippets/workspace_user.cc", *SHOWN)
    shows("tests/snippets/test_object_types.py", *SHOWN)
    return tvm_ffi.load_module(folder / "workspace.so")


@pytest.fixture
def workspace_class(mod):
    """The Python class, which stands for the type as long as the test runs."""
    global Workspace  # where pickle finds it
    # Only our package can put the class back that stood there before.
    _core = tvm_ffi._core if hasattr(tvm_ffi, "_core") else None
    before = _core and _core.class_of(_core.find_type("workspaces.Workspace"))

    # [python_class.begin]
    @tvm_ffi.register_object("workspaces.Workspace")
    class Workspace(tvm_ffi.Object):
        """A workspace, in Python."""

        def double(self):
            self.grow(self.bytes)

    # [python_class.end]
    yield
    if _core:
        _core.register_object_class("workspaces.Workspace", before)


def test_without_a_class(mod):
    """A type without a registered class gets one that is made on the spot."""
    # This test comes before those that register one: the published package keeps it.
    # [no_class.begin]
    workspace = mod.make_workspace(4096, "scratch")
    assert (workspace.bytes, workspace.megabytes()) == (4096, 0)
    assert type(workspace).__qualname__ == "Workspace"
    # [no_class.end]


def test_class_for_the_type(mod, workspace_class):
    """A registered class makes objects, and has their fields and methods."""
    # [members.begin]
    workspace = Workspace(4096, name="scratch", zeroed=False)
    assert (workspace.bytes, workspace.name, workspace.zeroed) == (4096, "scratch", False)
    workspace.bytes = 3000000
    workspace.double()
    assert workspace.megabytes() == 6
    assert Workspace.largest(workspace, Workspace(1)) == workspace
    assert Workspace.bytes.__doc__ == "Its size."
    # [members.end]


def test_class_of_what_arrives(mod, workspace_class):
    """What C++ makes is an instance of the class, and is printed with its fields."""
    # [arrives.begin]
    assert type(mod.make_workspace(1, "of C++")) is Workspace
    assert repr(Workspace(7)) == "workspaces.Workspace(bytes=7, name='unnamed', zeroed=True)"
    # [arrives.end]


def test_class_refuses(mod, workspace_class):
    """A wrong value, a field that is read only and a misspelt name are refused."""
    # [refused_in_python.begin]
    workspace = Workspace(4096)
    with pytest.raises(TypeError, match=r"workspaces\.Workspace\.bytes: expected int, got str"):
        workspace.bytes = "many"
    with pytest.raises(AttributeError, match=r"Workspace\.name: the field can only be read"):
        workspace.name = "other"
    with pytest.raises(AttributeError, match="sizes"):
        workspace.sizes = 3
    with pytest.raises(TypeError, match=r'expected the name of a field, got "sizes"'):
        Workspace(sizes=3)
    # [refused_in_python.end]


def test_subclass(mod, workspace_class):
    """A subclass has an __init__ and attributes of its own."""

    # [subclass.begin]
    class Named(Workspace):
        __slots__ = ("__dict__",)

        def __init__(self, name):
            super().__init__(1024, name)
            self.users = []

    named = Named("shared")
    named.users.append("norms")
    assert mod.bytes_of(named) == 1024
    # [subclass.end]


def test_identity(mod, workspace_class):
    """Instances stand for objects: several may stand for one."""
    # [identity.begin]
    workspace = Workspace(4096)
    again = Workspace.largest(workspace, workspace)
    assert again is not workspace
    assert again == workspace
    assert hash(again) == hash(workspace)
    assert Workspace(4096) != workspace
    # [identity.end]


def test_weak_reference(mod, workspace_class):
    """A weak reference ends with the instance, not with the object."""
    workspace = Workspace(4096)
    again = Workspace.largest(workspace, workspace)
    # [weak.begin]
    reference = weakref.ref(workspace)
    del workspace
    gc.collect()
    assert reference() is None
    assert again.bytes == 4096
    # [weak.end]


def test_copies(mod, workspace_class):
    """An object is copied and pickled by its fields."""
    # [copies.begin]
    workspace = Workspace(4096, name="scratch")
    other = copy.copy(workspace)
    other.bytes = 1
    assert workspace.bytes == 4096
    assert pickle.loads(pickle.dumps(workspace)).name == "scratch"
    # [copies.end]


def test_from_python(mod):
    """Python passes the object on, and reaches what is in it by exported functions."""
    # [from_python.begin]
    workspace = mod.make_workspace(4096, "scratch")
    assert mod.bytes_of(workspace) == 4096
    mod.grow(workspace, 1024)
    assert mod.bytes_of(workspace) == 5120
    # [from_python.end]


def test_none_is_refused(mod):
    """A handle that is never null refuses None, and an object of another type."""
    # [refused.begin]
    with pytest.raises(TypeError, match=r"argument 0: expected workspaces\.Workspace, got None"):
        mod.bytes_of(None)
    with pytest.raises(TypeError, match=r"argument 0: expected workspaces\.Workspace, got int 3"):
        mod.bytes_of(3)
    # [refused.end]


def test_global_def(mod):
    """GlobalDef registers functions; the object comes first in one made of a method."""
    # [global_def.begin]
    assert tvm_ffi.get_global_func("workspaces.padded")(1000) == 1024
    workspace = mod.make_workspace(4000000, "large")
    assert tvm_ffi.get_global_func("workspaces.megabytes")(workspace) == 4
    # [global_def.end]


def test_by_name(mod):
    """C++ reads and writes fields, calls methods and makes objects by name."""
    mod.use_by_name()


def test_refused_fields(mod):
    """A field is not written if the value, the object or the field itself does not allow it."""
    # [refused_fields.begin]
    workspace = mod.make_workspace(4096, "scratch")
    with pytest.raises(TypeError, match=r"Workspace\.bytes: expected int, got str"):
        mod.set_field(workspace, "bytes", "text")
    with pytest.raises(TypeError, match=r"bytes: expected workspaces\.Workspace, got Shape"):
        mod.set_field(tvm_ffi.Shape((1, 2)), "bytes", 1)
    with pytest.raises(TypeError, match=r"bytes: expected workspaces\.Workspace, got None"):
        mod.set_field(None, "bytes", 1)
    with pytest.raises(TypeError, match=r"name: expected a writable field"):
        mod.set_field(workspace, "name", "other")
    # [refused_fields.end]
    assert mod.bytes_of(workspace) == 4096


def test_declared_elsewhere(mod, folder):
    """A library that only declares the type takes, changes and gives its objects."""
    # [declared_only.begin]
    user = tvm_ffi.load_module(folder / "workspace_user.so")
    workspace = mod.make_workspace(4096, "scratch")
    assert mod.bytes_of(user.double_bytes(workspace)) == 8192
    assert mod.bytes_of(workspace) == 8192
    # [declared_only.end]


def test_registered_twice(mod, folder):
    """A second library that registers the type is refused when it is loaded."""
    # [twice.begin]
    rebuilt = shutil.copy(folder / "workspace.so", folder / "rebuilt.so")
    with pytest.raises(ValueError, match="another library, or an earlier build of this one"):
        tvm_ffi.load_module(rebuilt)
    # [twice.end]


def test_typed_class(folder, shows):
    """A class that declares its members runs as before, and a type checker finds wrong use."""
    script = shows("tests/snippets/typed_workspace.py", *SHOWN)
    done = subprocess.run(
        [sys.executable, script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("unnamed 3\n", "")
    wrong = folder / "wrong.py"
    wrong.write_text(script.read_text() + "workspace.bytes = 'many'\nWorkspace('many')\n")
    checker = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull]
    found = subprocess.run(
        [*checker, wrong], cwd=folder, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    told = [line.split("[")[-1].rstrip("]") for line in found[:-1] if ": error: " in line]
    assert told == ["assignment", "arg-type"], found
