# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The facts of machine code match its text, and kernels that fall short of the rules are named."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="Python 3.10 does not have it")

from dataclasses import asdict

import machine_code
from _verify.machine_code_model import Step
from disassembly import cutlass_flags, target_of
from expectations import (
    Claim,
    Expectations,
    Plant,
    Rule,
    WrongExpectations,
    broken,
    expectations_of,
    false_claims,
)
from facts import ARCHITECTURES, Facts, facts_of, in_flight, occupancy
from loops import memory_loops
from sass import Code, Instruction, Resources, functions_of, resources_of, usage_of

ROOT = Path(__file__).resolve().parents[2]
# Output of nvdisasm with two loops; the inner one loads twice and stores once.
TEXT = """
//--------------------- .nv.info._Z4loopPf         --------------------------
	.section	.nv.info._Z4loopPf,"",@"SHT_CUDA_INFO"
	//----- nvinfo : EIATTR_MAX_THREADS
	.align		4
.L_1:
        /*0000*/ 	.byte	0x04, 0x05
        /*0004*/ 	.word	0x00000080
        /*0008*/ 	.word	0x00000002
        /*000c*/ 	.word	0x00000001
//--------------------- .text._Z4loopPf            --------------------------
	.section	.text._Z4loopPf,"ax",@progbits
_Z4loopPf:
.text._Z4loopPf:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   I2F.U64.RP R9, R4 ;
.L_x_2:
        /*0020*/                   IMAD R2, R2, R3, RZ ;
.L_x_1:
        /*0030*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0040*/               @!P1 LDG.E.128.CONSTANT R8, desc[UR4][R2.64+0x10] ;
        /*0050*/                   FADD R6, R6, R10 ;
        /*0060*/                   STG.E.128 desc[UR4][R2.64], R4 ;
        /*0070*/               @P0 BRA `(.L_x_1) ;
        /*0080*/               @P2 BRA `(.L_x_2) ;
        /*0090*/                   STG.E.U16 desc[UR4][R2.64], R4 ;
        /*00a0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*00b0*/                   STL [R1], R4 ;
        /*00c0*/                   EXIT ;
.L_x_3:
        /*00d0*/                   BRA `(.L_x_3);
"""
REPORT = """
ptxas info    : Compiling entry function '_Z4loopPf' for 'sm_90'
ptxas info    : Function properties for _Z4loopPf
    40 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads
ptxas info    : Used 63 registers, used 1 barriers, 256 bytes smem
"""
STEP = Step(loaded=64, stored=64, instructions=80, waits=1, units={"integer": 30})
GOOD = Facts(
    *("sm_90", 32, 0, 0, 256, 1.0, 16, 16, 0, 0, 4, 0, 0, 0, 0, 0, 0),
    *(100, 8.0, 0, 2048, STEP),
)


@pytest.fixture
def code() -> Code:
    """The only function in the text."""
    [code] = functions_of(TEXT).values()
    return code


def test_instructions(code: Code) -> None:
    """Each instruction has an address, opcode, operands and predicate; each label, an address."""
    assert code.name == "_Z4loopPf"
    assert code.labels == {".L_x_2": 0x20, ".L_x_1": 0x30, ".L_x_3": 0xD0}
    assert code.instructions[4] == Instruction(
        0x40, "LDG.E.128.CONSTANT", "R8, desc[UR4][R2.64+0x10]", "!P1"
    )
    assert code.instructions[-1].target == ".L_x_3"
    assert code.max_threads == 0x80 * 2


@pytest.mark.parametrize(
    ("opcode", "width"),
    [
        ("LDG.E.ENL2.256", 32),
        ("LDG.E.128.CONSTANT", 16),
        ("STG.E.EF.64", 8),
        ("STG.E", 4),
        ("LDG.E.U16", 2),
        ("LDG.E.S8", 1),
    ],
)
def test_width(opcode: str, width: int) -> None:
    """The modifiers of a load or a store determine how many bytes it moves."""
    assert Instruction(0, opcode, "").width == width


def test_loops(code: Code) -> None:
    """A function's final branch to itself is not a loop; of nested loops, the inner one counts."""
    assert [*code.loops()] == [(0x20, 0x80), (0x30, 0x70)]
    [loop] = memory_loops(code)
    assert (loop.first, len(loop.way), loop.loaded, loop.stored) == (0x30, 5, 32, 16)
    assert loop.per_16_bytes == pytest.approx(5 / 3)


def test_resources() -> None:
    """Ptxas reports bytes of spill stores and spill loads; the larger counts."""
    assert resources_of(REPORT) == {"_Z4loopPf": Resources(63, 44, 256)}


USAGE = """
Resource usage:
 Common:
  GLOBAL:0
 Function _Z4copyPf:
  REG:63 STACK:0 SHARED:1280 LOCAL:0 CONSTANT[0]:528 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _Z4loopPf:
  REG:32 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:528 TEXTURE:0 SURFACE:0 SAMPLER:0
"""


def test_resources_in_a_library() -> None:
    """Cuobjdump reports the stack, which may or may not be spills; ptxas must then be asked."""
    found = {"_Z4copyPf": Resources(63, 0, 1280), "_Z4loopPf": Resources(32, 0, 0)}
    assert usage_of(USAGE, "sm_89") == found
    assert usage_of(USAGE.replace("REG:32 STACK:0", "REG:32 STACK:8"), "sm_89") is None
    assert usage_of("Resource usage:\n Common:\n  GLOBAL:0\n", "sm_89") == {}


@pytest.mark.parametrize("architecture", ["sm_90", "sm_100", "sm_120"])
def test_shared_memory_in_a_library(architecture: str) -> None:
    """From sm_90 on, it includes 1024 reserved bytes; if it is smaller, ptxas must be asked."""
    found = {"_Z4copyPf": Resources(63, 0, 256), "_Z4loopPf": Resources(32, 0, 0)}
    assert usage_of(USAGE, architecture) == found
    assert usage_of(USAGE.replace("SHARED:1280", "SHARED:256"), architecture) is None


def test_facts(code: Code) -> None:
    """All facts are read from the text."""
    resources = resources_of(REPORT)["_Z4loopPf"]
    facts = facts_of(code, resources, "sm_90", code.max_threads)
    assert facts == Facts(
        architecture="sm_90",
        registers=63,
        spilled=44,
        shared=256,
        threads=256,
        occupancy=0.5,
        load=16,
        store=16,
        narrow_loads=0,
        narrow_stores=1,
        in_flight=2,
        barriers=1,
        local=1,
        divisions=1,
        tensor=0,
        copies=0,
        narrow_copies=0,
        instructions=14,
        per_16_bytes=1.7,
        around=2,
        resident=1024,
        step=Step(32, 16, 5, 1, {"float32": 1}),
    )


@pytest.mark.parametrize(
    ("opcode", "tensor", "copies", "narrow_copies"),
    [
        ("HMMA.16816.F32", 1, 0, 0),
        ("HGMMA.64x128x16.F32", 1, 0, 0),
        ("QGMMA.64x128x32.F32.E4M3.E4M3", 1, 0, 0),
        ("LDGSTS.E.BYPASS.LTC128B.128", 0, 1, 0),
        ("LDGSTS.E.64", 0, 0, 1),
        ("UTMALDG.3D.MULTICAST", 0, 1, 0),
        ("UTMASTG.3D", 0, 0, 0),
        ("HFMA2", 0, 0, 0),
    ],
)
def test_tensor_cores(opcode: str, tensor: int, copies: int, narrow_copies: int) -> None:
    """Their instructions are counted, and so are asynchronous copies to shared memory."""
    code = Code("f", [Instruction(0, opcode, "")])
    facts = facts_of(code, Resources(32, 0, 0), "sm_90", 128)
    assert (facts.tensor, facts.copies, facts.narrow_copies) == (tensor, copies, narrow_copies)


@pytest.mark.parametrize(
    ("name", "architecture", "target"),
    [
        ("scale_kernel.cu", "sm_90", "sm_90"),
        ("gemm_sm80.cu", "sm_80", "sm_80"),
        ("gemm_sm80.cu", "sm_89", ""),
        ("gemm_sm90a.cu", "sm_90", "sm_90a"),
        ("gemm_sm90a.cu", "sm_100", ""),
    ],
)
def test_a_source_for_one_architecture(name: str, architecture: str, target: str) -> None:
    """Its name gives the architecture, and it is compiled for no other."""
    assert target_of(Path(name), architecture) == target


def test_a_source_that_includes_cutlass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds the headers in CUTLASS_PATH, and is compiled without assertions."""
    monkeypatch.setenv("CUTLASS_PATH", "/opt/cutlass")
    source = tmp_path / "a.cu"
    source.write_text("#include <cuda_fp16.h>\n")
    assert cutlass_flags(source) == []
    source.write_text("#include <cutlass/array.h>\n")
    assert cutlass_flags(source) == ["-DNDEBUG", "-isystem", "/opt/cutlass/include"]


def load(register: int) -> str:
    """A 16-byte load."""
    return f"LDG.E.128 R{register}, desc[UR4][R2.64] ;"


@pytest.mark.parametrize(
    ("lines", "loads"),
    [
        ([], 0),
        ([load(4), load(8), load(12)], 3),
        ([load(4), "FADD R7, R7, R7 ;", load(8)], 1),  # the last word of the first is used
        ([load(4), "FADD R0, R0, R1 ;", load(8)], 2),
        ([load(4), "EXIT ;", load(8)], 1),
        ([load(4), "@P0 EXIT ;", load(8)], 2),
        ([load(4), "@P0 BRA `(.L_x_0) ;", load(8)], 1),  # the loop's end
        ([load(4), load(4)], 1),  # the second waits for the first
        ([load(4), "LDG.E R12, desc[UR4][R2.64] ;", "LDG.E R13, desc[UR4][R2.64] ;"], 1),
    ],
)
def test_loads_in_flight(lines: list[str], loads: int) -> None:
    """A load counts until its result is used, and only with others on the same path."""
    heading = "//--------- .text._Z1f ---------\n.L_x_0:\n"
    text = "".join(f"        /*{16 * i:04x}*/  {line}\n" for i, line in enumerate(lines))
    [code] = functions_of(heading + text).values()
    assert in_flight(code) == loads


@pytest.mark.parametrize(
    ("architecture", "threads", "registers", "shared", "share"),
    [
        ("sm_90", 256, 32, 0, 1.0),
        ("sm_90", 256, 33, 0, 0.75),  # 40 are allocated per thread
        ("sm_90", 512, 64, 0, 0.5),
        ("sm_90", 512, 65, 0, 0.25),
        ("sm_90", 512, 116, 0, 0.25),
        ("sm_90", 1024, 64, 0, 0.5),
        ("sm_90", 1, 4, 0, 0.5),  # 32 blocks at most
        ("sm_89", 256, 40, 0, 1.0),  # 48 warps
        ("sm_80", 256, 32, 48 * 1024, 3 * 8 / 64),  # three blocks of 49 KB in 164 KB
    ],
)
def test_occupancy(
    architecture: str, threads: int, registers: int, shared: int, share: float
) -> None:
    """The occupancy matches NVIDIA's occupancy calculator."""
    resources = Resources(registers, 0, shared)
    assert occupancy(ARCHITECTURES[architecture], threads, resources) == share


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ({"store": 16, "in_flight": 4, "occupancy": 0.5, "registers": 32}, ""),
        ({"store": 32}, "store: expected at least 32, got 16"),
        ({"registers": 31}, "registers: expected at most 31, got 32"),
        ({"per_16_bytes": 7.5}, "per_16_bytes: expected at most 7.5, got 8"),
        ({"share": 0.95, "step_instructions": 80, "waits": 1}, ""),
        ({"step_instructions": 79}, "step_instructions: expected at most 79, got 80"),
    ],
)
def test_bounds(bounds: dict[str, float], problem: str) -> None:
    """Lower bounds may be exceeded, and upper bounds undercut."""
    assert [*broken(GOOD, bounds)] == ([problem] if problem else [])


def rules_in(tmp_path: Path, text: str):
    """The expectations in a file with this text."""
    (tmp_path / "toy.toml").write_text(text)
    return expectations_of(tmp_path / "toy.toml")


def test_what_holds_everywhere(tmp_path: Path) -> None:
    """By default: no spills, half of the warps, and no narrow stores beside wide ones."""
    rules = rules_in(
        tmp_path,
        '[[kernels]]\nnamed = "copy<*, 1>"\n'
        '[[kernels]]\nnamed = "copy<*>"\nstore = 16\nwhy = "slow"\nsm_80 = {spilled = 8}\n',
    )
    assert rules.rule_for("copy<float, 1>").bounds_on("sm_90") == {
        "spilled": 0,
        "local": 0,
        "occupancy": 0.5,
    }
    of_vectors = rules.rule_for("copy<float, 4>")
    assert of_vectors.bounds_on("sm_90")["narrow_stores"] == 0
    assert of_vectors.bounds_on("sm_90")["share"] == 0.95
    assert of_vectors.bounds_on("sm_90")["spilled"] == 0
    assert of_vectors.bounds_on("sm_80")["spilled"] == 8
    with pytest.raises(WrongExpectations, match=r"toy.toml: no rule names other<float>"):
        rules.rule_for("other<float>")


def test_kernel_that_does_not_wait_for_memory(tmp_path: Path) -> None:
    """A rule may state what else limits the speed; then no share is required."""
    text = '[[kernels]]\nnamed = "count"\nload = 16\n'
    for more, asked in (("", True), ('not_memory = "atomic"\n', False)):
        rule = rules_in(tmp_path, text + more).rule_for("count")
        assert ("share" in rule.bounds_on("sm_90")) == asked


def test_bounds_of_one_compiler(tmp_path: Path) -> None:
    """A weaker bound for one compiler release does not apply to others."""
    rules_in(
        tmp_path,
        '[[kernels]]\nnamed = "copy"\nwhy = "slow"\nsm_80 = {spilled = 8, local = 2}\n'
        '"nvcc 13.5" = { sm_80 = {spilled = 16} }\n',
    )
    spilled = {}
    for compiler in ("nvcc 13.0", "nvcc 13.5"):
        rule = expectations_of(tmp_path / "toy.toml", compiler).rule_for("copy")
        spilled[compiler] = rule.bounds_on("sm_80")["spilled"]
        assert rule.bounds_on("sm_80")["local"] == 2
    assert spilled == {"nvcc 13.0": 8, "nvcc 13.5": 16}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("occupancy = 0.25", "expected a key `why` for occupancy"),
        ("sm_80 = {spilled = 8}", "expected a key `why` for spilled"),
        ("sm_90 = {share = 0.9}", "expected a key `why` for share"),
        ("width = 16", "expected the name of a fact, got width"),
        ("sm_80 = {sm_90 = 8}", "expected the name of a fact, got sm_90"),
    ],
)
def test_wrong_rules(tmp_path: Path, line: str, problem: str) -> None:
    """A weaker bound needs a reason, and every key must be known."""
    with pytest.raises(WrongExpectations, match=problem):
        rules_in(tmp_path, f'[[kernels]]\nnamed = "copy"\n{line}\n')


def claims(tmp_path: Path, text: str, **more: object) -> list[str]:
    """The problems with a claim about the kernel ``copy``, in a file with this text."""
    (tmp_path / "page.rst").write_text(text)
    fields = {"named": "copy*", "architectures": ["sm_90"], "bounds": {"store": 16}, **more}
    claim = Claim("page.rst", "It stores 16 bytes at once.", **fields)
    narrow = replace(GOOD, store=4)
    return [*false_claims(tmp_path, [claim], [("copy", "sm_90", GOOD), ("set", "sm_90", narrow)])]


def test_claims(tmp_path: Path) -> None:
    """A claim is in its file, matches a kernel, and its facts hold; comments may wrap it."""
    said = "page.rst: 'It stores 16 bytes at once.'"
    assert claims(tmp_path, "// It stores\n// 16 bytes at once.\n") == []
    assert claims(tmp_path, "It stores 4 bytes.\n") == [f"{said}: the file does not say so"]
    whole = "It stores 16 bytes at once.\n"
    assert claims(tmp_path, whole, named="move") == [f"{said}: no kernel is named move"]
    assert claims(tmp_path, whole, named="*") == [
        f"{said}: set for sm_90: store: expected at least 16, got 4"
    ]
    with pytest.raises(WrongExpectations, match="expected facts for 'It stores', got none"):
        rules_in(tmp_path, '[[claims]]\nfile = "a"\ntext = "It stores"\nnamed = "copy"\n')


PLANT = Plant("narrow", "toy/toy.cu", "store(to, out)", "*to = out", "store")


@pytest.mark.parametrize(("text", "count"), [("load(from);", 0), ("store(to, out);" * 2, 2)])
def test_plant_without_a_place(tmp_path: Path, text: str, count: int) -> None:
    """A plant must replace one text: an edit of the kernel must not make the check vacuous."""
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.cu").write_text(text)
    with pytest.raises(WrongExpectations, match=f"plant narrow: expected one .*, got {count}"):
        PLANT.apply(tmp_path)


def test_plant(tmp_path: Path) -> None:
    """The text is replaced."""
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.cu").write_text("if (n) store(to, out);")
    PLANT.apply(tmp_path)
    assert (tmp_path / "toy" / "toy.cu").read_text() == "if (n) *to = out;"


@pytest.mark.parametrize(
    ("facts", "problems"),
    [
        (replace(GOOD, store=4), []),
        (replace(GOOD, registers=255), ["toy.toml: plant narrow: nothing breaks store"]),
        (replace(GOOD, narrow_stores=3), ["toy.toml: plant narrow: nothing breaks store"]),
    ],
)
def test_plant_must_break_its_fact(
    monkeypatch: pytest.MonkeyPatch, facts: Facts, problems: list[str]
) -> None:
    """A rule that a slower kernel satisfies is reported."""

    def rules(example: str) -> Expectations:
        assert example == "toy"
        bounds: dict[str, float] = {"store": 16, "registers": 64}
        return Expectations("toy.toml", [Rule("copy", 0, bounds, {})], [], [PLANT])

    monkeypatch.setattr(machine_code, "rules_of", rules)

    def found(facts: Facts) -> machine_code.Found:
        return [{"kernel": "copy", **asdict(facts)}]

    assert machine_code.problems_of("toy", found(GOOD), {"narrow": found(facts)}) == problems


def test_files_of_expectations() -> None:
    """Each can be read and belongs to an existing example."""
    files = sorted((Path(__file__).parent / "expected").glob("*.toml"))
    assert len(files) >= 14
    for path in files:
        assert expectations_of(path).rules
        assert (ROOT / "examples" / "kernel_library" / path.stem).is_dir()
