# SPDX-License-Identifier: Apache-2.0
"""Writes x * factor to y, for float32 vectors on the CPU, as a TVM FFI function."""

from std.ffi import external_call
from std.sys import simd_width_of

# [layout.begin]
# Byte offsets of fields: TVMFFIAny is a type index and a content.
comptime ANY_SIZE = 16
comptime ANY_VALUE = 8
comptime OBJECT_HEAD = 24
comptime DATA = 0
comptime DEVICE_TYPE = 8
comptime NDIM = 16
comptime DTYPE = 20
comptime SHAPE = 24
comptime STRIDES = 32
comptime OFFSET = 40
# Type indices.
comptime NONE = 0
comptime INT = 1
comptime FLOAT = 3
comptime DLTENSOR_PTR = 7
comptime TENSOR = 70
comptime CPU = 1  # a DLDeviceType
comptime FLOAT32 = 2 | 32 << 8 | 1 << 16  # code, bits and lanes of a DLDataType


def at[T: AnyType](address: Int) -> Pointer[T, MutUntrackedOrigin]:
    """A pointer to what is at an address."""
    return Pointer[T, MutUntrackedOrigin](unsafe_from_address=address)


def field[T: TrivialRegisterPassable](base: Int, offset: Int) -> T:
    """The field `offset` bytes after an address."""
    return at[T](base + offset)[]


# [layout.end]


# [refused.begin]
def refused[kind: StringLiteral, message: StringLiteral]():
    """Raise an error, with texts that the compiler joins and ends with a zero."""
    comptime text = "scale: " + message
    external_call["TVMFFIErrorSetRaisedFromCStr", NoneType](kind.ptr(), text.ptr())


def vector[name: StringLiteral](args: Int, i: Int) -> Int:
    """The DLTensor of an argument, borrowed or in an object, or 0 after an error."""
    var index = field[Int32](args, i * ANY_SIZE)
    var tensor = field[Int](args, i * ANY_SIZE + ANY_VALUE)
    if index == TENSOR:
        tensor += OBJECT_HEAD
    elif index != DLTENSOR_PTR:
        refused["TypeError", name + ": expected a tensor"]()
        return 0
    if field[UInt32](tensor, DTYPE) != FLOAT32:
        refused["TypeError", name + ": expected float32"]()
        return 0
    if field[Int32](tensor, DEVICE_TYPE) != CPU:
        refused["ValueError", name + ": expected a tensor on the CPU"]()
        return 0
    if field[Int32](tensor, NDIM) != 1:
        refused["ValueError", name + ": expected one dimension"]()
        return 0
    var strides = field[Int](tensor, STRIDES)  # 0 if there are none
    if strides != 0 and field[Int64](strides, 0) != 1 and length(tensor) > 1:
        refused["ValueError", name + ": expected no gaps"]()
        return 0
    return tensor


# [refused.end]


def length(tensor: Int) -> Int:
    """The extent of a vector."""
    return field[Int](field[Int](tensor, SHAPE), 0)


def data(tensor: Int) -> Int:
    """The address of the first element."""
    return field[Int](tensor, DATA) + field[Int](tensor, OFFSET)


# [scale.begin]
@export("__tvm_ffi_scale")
def scale(handle: Int, args: Int, num_args: Int32, result: Int) abi("C") -> Int32:
    """Check the arguments x, y and factor, and compute."""
    if num_args != 3:
        refused["TypeError", "expected 3 arguments"]()
        return -1
    var x = vector["x"](args, 0)
    if x == 0:
        return -1
    var y = vector["y"](args, 1)
    if y == 0:
        return -1
    var n = length(x)
    if length(y) != n:
        refused["ValueError", "expected vectors of one length"]()
        return -1
    var index, number = field[Int32](args, 2 * ANY_SIZE), 2 * ANY_SIZE + ANY_VALUE
    var factor: Float32
    if index == FLOAT:
        factor = Float32(field[Float64](args, number))
    elif index == INT:
        factor = Float32(field[Int64](args, number))
    else:
        refused["TypeError", "factor: expected a number"]()
        return -1
    multiply(data(x), data(y), n, factor)
    at[Int32](result)[] = NONE
    return 0


def multiply(x: Int, y: Int, n: Int, factor: Float32):
    """Multiply as many elements at once as the CPU can, then the rest one by one."""
    comptime width = simd_width_of[DType.float32]()
    var i = 0
    while i + width <= n:
        var several = at[Float32](x + 4 * i).unsafe_load[width=width]()
        at[Float32](y + 4 * i).unsafe_store(several * factor)
        i += width
    while i < n:
        at[Float32](y + 4 * i)[] = at[Float32](x + 4 * i)[] * factor
        i += 1


# [scale.end]
