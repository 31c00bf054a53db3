# SPDX-License-Identifier: Apache-2.0
"""A compiler in the process: it builds LLVM IR, which LLVM compiles to machine code."""

import ast
import shlex
import subprocess
from pathlib import Path

import tvm_ffi
from expression import parse
from llvmlite import binding as llvm
from llvmlite import ir
from tvm_ffi import config, libinfo

# [types.begin]
BYTE, I16, I32, I64, FLOAT = (*(ir.IntType(bits) for bits in (8, 16, 32, 64)), ir.FloatType())
PTR = ir.PointerType()
# TVMFFISafeCallType: self, args, num_args, result.
SAFE_CALL = ir.FunctionType(I32, [PTR, PTR, I32, PTR])
# Byte offsets of fields: TVMFFIAny is a type index and a content, in 16 bytes.
ANY_SIZE, ANY_VALUE, OBJECT_HEAD = 16, 8, 24
DATA, DEVICE_TYPE, NDIM, DTYPE, SHAPE, STRIDES, OFFSET = 0, 8, 16, 20, 24, 32, 40
NONE, DLTENSOR_PTR, TENSOR = 0, 7, 70  # type indices
CPU = 1  # a DLDeviceType
FLOAT32 = 2 | 32 << 8 | 1 << 16  # code, bits and lanes of a DLDataType, in its four bytes
# [types.end]


class Emitter:
    """Builds the function `__tvm_ffi_<name>` of an expression."""

    def __init__(self, name: str, expression: str) -> None:
        self.name = name
        self.module = ir.Module(name)
        self.module.triple = llvm.get_default_triple()
        kind_and_message = ir.FunctionType(ir.VoidType(), [PTR, PTR])
        self.set_raised = ir.Function(self.module, kind_and_message, "TVMFFIErrorSetRaisedFromCStr")
        function = ir.Function(self.module, SAFE_CALL, f"__tvm_ffi_{name}")
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.emit(function, *parse(expression))

    def emit(self, function: ir.Function, tree: ast.expr, inputs: list[str]) -> None:
        """Check the arguments, loop over the elements, return nothing."""
        builder, (_, args, num_args, result) = self.builder, function.args
        names = [*inputs, "out"]
        # [body.begin]
        count = I32(len(names))
        right_count = builder.icmp_signed("==", num_args, count)
        self.require(right_count, "TypeError", f"expected {len(names)} arguments")
        tensors = [self.tensor(args, i, name) for i, name in enumerate(names)]
        n = self.length(tensors[0])
        for tensor in tensors[1:]:
            same = builder.icmp_signed("==", self.length(tensor), n)
            self.require(same, "ValueError", "expected vectors of one length")
        data = dict(zip(names, map(self.data, tensors), strict=True))
        with self.loop(n) as i:
            builder.store(self.value(tree, data, i), self.element(data["out"], i))
        builder.store(I32(NONE), result)
        builder.ret(I32(0))
        # [body.end]

    # [require.begin]
    def require(self, condition: ir.Value, kind: str, message: str) -> None:
        """Raise an error and return -1 unless the condition holds."""
        with self.builder.if_then(self.builder.not_(condition), likely=False):
            texts = [self.text(kind), self.text(f"{self.name}: {message}")]
            self.builder.call(self.set_raised, texts)
            self.builder.ret(I32(-1))

    # [require.end]

    def text(self, text: str) -> ir.Value:
        """The address of a null-terminated text."""
        content = bytearray(text.encode() + b"\0")
        kind = ir.ArrayType(BYTE, len(content))
        name = self.module.get_unique_name("text")
        constant = ir.GlobalVariable(self.module, kind, name)
        constant.linkage, constant.global_constant = "internal", True
        constant.initializer = ir.Constant(kind, content)
        return constant

    # [tensor.begin]
    def field(self, base: ir.Value, offset: int, kind: ir.Type) -> ir.Value:
        """The field `offset` bytes after an address."""
        address = self.builder.gep(base, [I64(offset)], source_etype=BYTE)
        return self.builder.load(address, typ=kind)

    def tensor(self, args: ir.Value, i: int, name: str) -> ir.Value:
        """The DLTensor of an argument, borrowed or in an object, after checking that it fits."""
        builder = self.builder
        index = self.field(args, i * ANY_SIZE, I32)
        content = self.field(args, i * ANY_SIZE + ANY_VALUE, PTR)
        is_lent = builder.icmp_signed("==", index, I32(DLTENSOR_PTR))
        is_object = builder.icmp_signed("==", index, I32(TENSOR))
        self.require(builder.or_(is_lent, is_object), "TypeError", f"{name}: expected a tensor")
        inside = builder.gep(content, [I64(OBJECT_HEAD)], source_etype=BYTE)
        tensor = builder.select(is_lent, content, inside)
        for offset, expected, kind, message in [
            (DTYPE, FLOAT32, "TypeError", "expected float32"),
            (DEVICE_TYPE, CPU, "ValueError", "expected a tensor on the CPU"),
            (NDIM, 1, "ValueError", "expected one dimension"),
        ]:
            fits = builder.icmp_signed("==", self.field(tensor, offset, I32), I32(expected))
            self.require(fits, kind, f"{name}: {message}")
        stride = self.stride(tensor)
        dense = builder.icmp_signed("==", stride, I64(1))
        short = builder.icmp_signed("<=", self.length(tensor), I64(1))
        self.require(builder.or_(dense, short), "ValueError", f"{name}: expected no gaps")
        return tensor

    # [tensor.end]

    def length(self, tensor: ir.Value) -> ir.Value:
        """The extent of a vector."""
        return self.field(self.field(tensor, SHAPE, PTR), 0, I64)

    def stride(self, tensor: ir.Value) -> ir.Value:
        """The stride of a vector, or 1 if there are no strides."""
        builder = self.builder
        strides = self.field(tensor, STRIDES, PTR)
        missing = builder.icmp_unsigned("==", builder.ptrtoint(strides, I64), I64(0))
        # The shape can always be read, whatever its value.
        place = builder.select(missing, self.field(tensor, SHAPE, PTR), strides)
        return builder.select(missing, I64(1), self.field(place, 0, I64))

    def data(self, tensor: ir.Value) -> ir.Value:
        """The address of the first element."""
        offset = self.field(tensor, OFFSET, I64)
        return self.builder.gep(self.field(tensor, DATA, PTR), [offset], source_etype=BYTE)

    def element(self, data: ir.Value, i: ir.Value) -> ir.Value:
        """The address of element i."""
        return self.builder.gep(data, [i], source_etype=FLOAT)

    def loop(self, n: ir.Value) -> "Loop":
        """The indices from 0 to n - 1."""
        return Loop(self.builder, n)

    # [value.begin]
    def value(self, node: ast.expr, data: dict[str, ir.Value], i: ir.Value) -> ir.Value:
        """The value of the expression at element i."""
        builder = self.builder
        operators = {
            ast.Add: builder.fadd,
            ast.Sub: builder.fsub,
            ast.Mult: builder.fmul,
            ast.Div: builder.fdiv,
        }
        match node:
            case ast.BinOp(left, operator, right) if type(operator) in operators:
                both = self.value(left, data, i), self.value(right, data, i)
                return operators[type(operator)](*both)
            case ast.Name(name):
                return builder.load(self.element(data[name], i), typ=FLOAT)
            case ast.Constant(int() | float() as number):
                return FLOAT(float(number))
        raise ValueError(f"expression: expected names, numbers and + - * /, got {node}")

    # [value.end]


class Loop:
    """`for (i = 0; i < n; ++i)` around what is emitted inside."""

    def __init__(self, builder: ir.IRBuilder, n: ir.Value) -> None:
        self.builder, self.n = builder, n

    def __enter__(self) -> ir.Value:
        """Continue in the body, and return the index."""
        builder, before = self.builder, self.builder.block
        self.head, body, self.end = (builder.append_basic_block(name) for name in ("", "", ""))
        builder.branch(self.head)
        builder.position_at_end(self.head)
        self.index = builder.phi(I64)
        self.index.add_incoming(I64(0), before)
        builder.cbranch(builder.icmp_signed("<", self.index, self.n), body, self.end)
        builder.position_at_end(body)
        return self.index

    def __exit__(self, *_: object) -> None:
        """Continue after the loop."""
        builder = self.builder
        self.index.add_incoming(builder.add(self.index, I64(1)), builder.block)
        builder.branch(self.head)
        builder.position_at_end(self.end)


# [jit.begin]
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
# LLVM's code finds what libtvm_ffi exports, such as TVMFFIErrorSetRaisedFromCStr.
llvm.load_library_permanently(str(libinfo.find_libtvm_ffi()))


def parsed(name: str, expression: str) -> llvm.ModuleRef:
    """The function as an LLVM module, verified by LLVM."""
    module = llvm.parse_assembly(str(Emitter(name, expression).module))
    module.verify()
    return module


def jit(name: str, expression: str) -> tvm_ffi.Function:
    """Compile into memory; the function keeps alive the engine, which owns the code."""
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    engine = llvm.create_mcjit_compiler(parsed(name, expression), machine)
    engine.finalize_object()
    address = engine.get_function_address(f"__tvm_ffi_{name}")
    return tvm_ffi.Function.__from_extern_c__(address, keep_alive_object=engine)


# [jit.end]


# [object.begin]
def build(name: str, expression: str, folder: Path) -> tvm_ffi.Module:
    """Compile into an object file, link it, and load the library."""
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(opt=2, reloc="pic", codemodel="default")
    compiled, library = folder / f"{name}.o", folder / f"{name}.so"
    compiled.write_bytes(machine.emit_object(parsed(name, expression)))
    command = f"cc -shared {compiled} -o {library} {config.ldflags()} -ltvm_ffi"
    subprocess.run(shlex.split(command), check=True)
    return tvm_ffi.load_module(library)


# [object.end]
