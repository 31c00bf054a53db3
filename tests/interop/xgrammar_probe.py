# SPDX-License-Identifier: Apache-2.0
"""Uses xgrammar, whose extension was built against the published headers, on our runtime.

Each function ``check_*`` is one check; the environment with xgrammar runs them all, and prints what
they came to as JSON. test_xgrammar.py makes a test of each.
"""

import copy
import gc
import importlib.metadata
import itertools
import json
import pickle
import random
import re
import sys
import threading
import traceback
import weakref

import numpy
import pydantic
import torch
import tvm_ffi
import xgrammar as xgr

STOP = "</s>"
ALPHABET = "abc{}1"
EBNF = 'root ::= "a" "b"* "c" | "{" [1]+ "}" | "ab{" "1"? "}"'
SAME_AS_EBNF = re.compile(r"ab*c|\{1+\}|ab\{1?\}")
REACH = 7  # every prefix of up to REACH - 1 characters can be completed within REACH

# Every text of one and two characters, and some of three.
PIECES = [
    *("".join(text) for size in (1, 2) for text in itertools.product(ALPHABET, repeat=size)),
    *("abc", "ab{", "11}", "b{1", "{11", "1}a"),
]


def accepted_texts() -> set[str]:
    """All texts up to REACH that the grammar accepts, found without xgrammar."""
    texts = ("".join(t) for n in range(REACH + 1) for t in itertools.product(ALPHABET, repeat=n))
    return {text for text in texts if SAME_AS_EBNF.fullmatch(text)}


class Reference:
    """Which pieces may follow a text, by a list of all accepted texts."""

    def __init__(self, accepted: set[str], pieces: list[str]) -> None:
        self.accepted = accepted
        self.prefixes = {text[:size] for text in accepted for size in range(len(text) + 1)}
        self.pieces = pieces

    def allowed(self, text: str) -> list[bool]:
        """One truth per piece, and one for the stop token at the end."""
        return [*(text + piece in self.prefixes for piece in self.pieces), text in self.accepted]


def tokenizer(pieces: list[str]) -> xgr.TokenizerInfo:
    """A vocabulary of the pieces and the stop token."""
    vocabulary = [*pieces, STOP]
    return xgr.TokenizerInfo(vocabulary, stop_token_ids=[len(pieces)])


def bits(bitmask: torch.Tensor, size: int) -> list[list[bool]]:
    """Unpack the rows of a bitmask without xgrammar."""
    words = bitmask.numpy().view(numpy.uint32)
    return [[bool(row[i // 32] >> (i % 32) & 1) for i in range(size)] for row in words]


def allowed_next(matcher: xgr.GrammarMatcher, size: int) -> list[bool]:
    """The tokens that a matcher takes next."""
    bitmask = xgr.allocate_token_bitmask(1, size)
    matcher.fill_next_token_bitmask(bitmask)
    return bits(bitmask, size)[0]


def compiled_ebnf() -> tuple[xgr.CompiledGrammar, xgr.TokenizerInfo]:
    """The EBNF grammar of this file over the vocabulary of this file."""
    info = tokenizer(PIECES)
    return xgr.GrammarCompiler(info).compile_grammar(EBNF), info


def walk(compiled: xgr.CompiledGrammar, reference: Reference, rounds: int) -> int:
    """Compare each mask along random walks; give the number of masks."""
    generator = random.Random(rounds)
    size = len(reference.pieces) + 1
    masks = 0
    for _ in range(rounds):
        matcher, text = xgr.GrammarMatcher(compiled), ""
        while len(text) < REACH - 3:
            expected = reference.allowed(text)
            seen = allowed_next(matcher, size)
            assert seen == expected, (text, [a != b for a, b in zip(seen, expected, strict=True)])
            masks += 1
            choices = [i for i, may in enumerate(expected[:-1]) if may]
            if not choices:
                break
            token = generator.choice(choices)
            assert matcher.accept_token(token)
            text += reference.pieces[token]
    return masks


def raises(kind: type[BaseException], function, *arguments) -> BaseException:
    """Give the exception that a call raises, which must be of the very kind."""
    try:
        function(*arguments)
    except kind as error:
        if type(error) is kind:
            return error
        raise
    raise AssertionError(f"expected a {kind.__name__}, got none")


def check_import() -> None:
    """The package is imported with our runtime, and apache-tvm-ffi is not installed."""
    assert importlib.metadata.version("xgrammar") == "0.2.8"
    names = {name.lower() for name in importlib.metadata.packages_distributions()["tvm_ffi"]}
    assert "tvm-ffi-kernel-library" in names
    raises(importlib.metadata.PackageNotFoundError, importlib.metadata.version, "apache-tvm-ffi")
    assert issubclass(type(xgr.Grammar.from_ebnf(EBNF)._handle), tvm_ffi.Object)


def check_tokenizer_info() -> None:
    """A list of texts and bytes goes in; lists of bytes and numbers come out."""
    info = xgr.TokenizerInfo(["a", b"\xff\x00", "ü", STOP], stop_token_ids=[3])
    assert list(info.decoded_vocab) == [b"a", b"\xff\x00", "ü".encode(), STOP.encode()]
    assert list(info.stop_token_ids) == [3]
    assert (info.vocab_size, info.vocab_type) == (4, xgr.VocabType.RAW)
    again = xgr.TokenizerInfo.from_vocab_and_metadata(["a", "b"], info.dump_metadata())
    assert list(again.decoded_vocab) == [b"a", b"b"]
    assert xgr.TokenizerInfo(["a"], vocab_size=5).vocab_size == 5


def check_ebnf_masks() -> None:
    """The masks of an EBNF grammar are those of a list of all accepted texts."""
    compiled, _ = compiled_ebnf()
    assert walk(compiled, Reference(accepted_texts(), PIECES), 40) > 80


def check_json_schema_masks() -> None:
    """The masks of a JSON schema are those of all its documents."""

    class Item(pydantic.BaseModel):
        a: pydantic.conint(ge=1, le=12)  # type: ignore[valid-type]
        b: bool

    documents = {
        json.dumps({"a": a, "b": b}, separators=(",", ":"))
        for a in range(1, 13)
        for b in (False, True)
    }
    pieces = sorted({text[i : i + n] for text in documents for n in (1, 2, 3) for i in range(19)})
    pieces = [piece for piece in pieces if piece]
    reference = Reference(documents, pieces)
    compiler = xgr.GrammarCompiler(tokenizer(pieces))
    for schema in (Item, json.dumps(Item.model_json_schema())):
        compiled = compiler.compile_json_schema(
            schema, any_whitespace=False, separators=(",", ":"), strict_mode=True
        )
        for document in sorted(documents):
            matcher = xgr.GrammarMatcher(compiled)
            for i, letter in enumerate(document):
                seen = allowed_next(matcher, len(pieces) + 1)
                assert seen == reference.allowed(document[:i]), document[:i]
                assert matcher.accept_token(pieces.index(letter))
            assert allowed_next(matcher, len(pieces) + 1) == reference.allowed(document)


def check_builtin_json() -> None:
    """The grammar of JSON takes what json.loads takes, and nothing else."""
    compiled = xgr.GrammarCompiler(tokenizer(PIECES)).compile_builtin_json_grammar()
    texts = ['{"a": [1, 2.5e3, null]}', "[]", '{"a" 1}', "[1,]", '{"x": "\\u00e9"}', "{'a': 1}"]
    for text in texts:
        try:
            json.loads(text)
            valid = True
        except json.JSONDecodeError:
            valid = False
        matcher = xgr.GrammarMatcher(compiled, terminate_without_stop_token=True)
        assert (matcher.accept_string(text) and matcher.is_terminated()) is valid, text


def check_matcher() -> None:
    """A matcher refuses, accepts, goes back, starts anew, forks and ends."""
    compiled, info = compiled_ebnf()
    stop = info.vocab_size - 1
    matcher = xgr.GrammarMatcher(compiled)
    start = allowed_next(matcher, info.vocab_size)
    assert not matcher.accept_token(PIECES.index("c"))
    assert allowed_next(matcher, info.vocab_size) == start
    assert matcher.accept_token(PIECES.index("ab"))
    after = allowed_next(matcher, info.vocab_size)
    fork = matcher.fork()
    assert fork.accept_string(b"bc")
    assert fork.accept_token(stop)
    assert fork.is_terminated()
    assert not matcher.is_terminated()
    assert allowed_next(matcher, info.vocab_size) == after
    matcher.rollback(1)
    assert allowed_next(matcher, info.vocab_size) == start
    assert matcher.accept_token(PIECES.index("ab{"))
    assert matcher.find_jump_forward_string() == ""
    assert matcher.accept_string("1")
    assert matcher.find_jump_forward_string() == "}"
    matcher.reset()
    assert allowed_next(matcher, info.vocab_size) == start
    assert list(matcher.stop_token_ids) == [stop]
    assert matcher.temperature is None
    override = xgr.GrammarMatcher(compiled, override_stop_tokens=[0])
    assert list(override.stop_token_ids) == [0]


def check_batch_matcher() -> None:
    """A batch of matchers does what each does by itself."""
    compiled, info = compiled_ebnf()
    starts = ["", "a", "{1", "ab{"]
    matchers = [xgr.GrammarMatcher(compiled) for _ in starts]
    alone = [xgr.GrammarMatcher(compiled) for _ in starts]
    batch = xgr.BatchGrammarMatcher(max_threads=2)
    assert batch.batch_accept_string(matchers, starts) == [True] * 4
    for matcher, start in zip(alone, starts, strict=True):
        assert matcher.accept_string(start)
    bitmask = xgr.allocate_token_bitmask(4, info.vocab_size)
    batch.batch_fill_next_token_bitmask(matchers, bitmask)
    assert bits(bitmask, info.vocab_size) == [allowed_next(m, info.vocab_size) for m in alone]
    reordered = xgr.allocate_token_bitmask(6, info.vocab_size)
    batch.batch_fill_next_token_bitmask(matchers, reordered, indices=[5, 0, 3, 1])
    assert torch.equal(reordered[[5, 0, 3, 1]], bitmask)
    tokens = [PIECES.index(piece) for piece in ("a", "b", "}", "c")]
    assert batch.batch_accept_token(matchers, tokens) == [True, True, True, False]
    batch.batch_rollback(matchers[:3], [1, 1, 1])
    batch.batch_fill_next_token_bitmask(matchers, reordered, indices=[0, 1, 2, 3])
    assert torch.equal(reordered[:4], bitmask)
    temperatures = torch.zeros(4)
    batch.batch_fill_temperature(matchers, temperatures)
    assert temperatures.tolist() == [-1] * 4


def check_draft_tree() -> None:
    """The masks of a tree of drafts are those of each of its nodes."""
    compiled, info = compiled_ebnf()
    drafts = ["a", "b", "c"]  # a, then b or c
    tokens = torch.tensor([PIECES.index(piece) for piece in drafts])
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = xgr.allocate_token_bitmask(3, info.vocab_size)
    children, siblings = torch.tensor([1, -1, -1]), torch.tensor([-1, 2, -1])
    assert matcher.accept_token(int(tokens[0]))
    assert matcher.traverse_draft_tree(children, siblings, tokens, bitmask)
    reference = Reference(accepted_texts(), PIECES)
    seen = bits(bitmask, info.vocab_size)
    assert seen == [reference.allowed(text) for text in ("a", "ab", "ac")]


def check_errors() -> None:
    """Errors that xgrammar registers arrive as its classes, others as Python's."""
    info = tokenizer(PIECES)
    version = xgr.DeserializeVersionError
    assert "version" in str(raises(version, xgr.CompiledGrammar.deserialize_json, "{}", info))
    stored = json.loads(xgr.Grammar.from_ebnf(EBNF).serialize_json())
    spoilt = json.dumps({"__VERSION__": stored["__VERSION__"]})
    raises(xgr.DeserializeFormatError, xgr.Grammar.deserialize_json, spoilt)
    raises(xgr.InvalidJSONError, xgr.Grammar.deserialize_json, "{")
    raises(xgr.InvalidJSONError, xgr.Grammar.from_structural_tag, "{")
    raises(xgr.InvalidStructuralTagError, xgr.Grammar.from_structural_tag, '{"type": "no such"}')
    error = raises(tvm_ffi.InternalError, xgr.Grammar.from_ebnf, "root ::= (")
    assert isinstance(error, RuntimeError)
    assert "EBNF parser error at line 1" in str(error)
    compiled, _ = compiled_ebnf()
    matcher = xgr.GrammarMatcher(compiled)
    assert "1" in str(raises(TypeError, matcher.accept_token, "a"))
    raises(TypeError, type(matcher._handle), 3, None, False, -1, None)
    raises(TypeError, type(compiled._handle))
    wrong = torch.zeros(1, 99, dtype=torch.float32)
    raises(tvm_ffi.InternalError, matcher.fill_next_token_bitmask, wrong)


def check_serialization() -> None:
    """Grammars, compiled grammars and tokenizers come back from JSON and do the same."""
    compiled, info = compiled_ebnf()
    again = xgr.TokenizerInfo.deserialize_json(info.serialize_json())
    assert list(again.decoded_vocab) == list(info.decoded_vocab)
    restored = xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), again)
    assert walk(restored, Reference(accepted_texts(), PIECES), 5) > 10
    grammar = xgr.Grammar.deserialize_json(compiled.grammar.serialize_json())
    assert str(grammar) == str(compiled.grammar)
    assert compiled.memory_size_bytes > 0


def check_grammars() -> None:
    """Grammars of a regex, of Lark, of unions and of sequences accept what they should."""
    regex = xgr.Grammar.from_regex("a{2,3}")
    lark = xgr.Grammar.from_lark('start: "b"+')
    cases = [
        (regex, ["aa", "aaa"], ["a", "aaaa", ""]),
        (lark, ["b", "bbb"], ["", "ab"]),
        (xgr.Grammar.union(regex, lark), ["aa", "bb"], ["aab"]),
        (xgr.Grammar.concat(regex, lark), ["aab"], ["aa", "b"]),
    ]
    for grammar, good, bad in cases:
        for text in good + bad:
            accepts = xgr.testing._is_grammar_accept_string(grammar, text)
            assert accepts is (text in good), (str(grammar), text)
    compiler = xgr.GrammarCompiler(tokenizer(PIECES))
    assert "root" in str(compiler.compile_regex("a+").grammar)
    lark_with_capture = compiler.compile_lark('start: x "b"\nx[capture="n"]: /a+/')
    matcher = xgr.GrammarMatcher(lark_with_capture)
    assert matcher.accept_string("aaab")
    assert matcher.get_captures() == [("n", b"aaa")]


def check_structural_tag() -> None:
    """A structural tag constrains what stands between its ends."""
    tag = xgr.StructuralTag.model_validate(
        {
            "type": "structural_tag",
            "format": {
                "type": "tag",
                "begin": "<f>",
                "content": {"type": "json_schema", "json_schema": {"type": "integer"}},
                "end": "</f>",
            },
        }
    )
    compiled = xgr.GrammarCompiler(tokenizer(PIECES)).compile_structural_tag(tag)
    for text, valid in (("<f>12</f>", True), ("<f>x</f>", False), ("12", False)):
        matcher = xgr.GrammarMatcher(compiled, terminate_without_stop_token=True)
        assert (matcher.accept_string(text) and matcher.is_terminated()) is valid, text


def check_bitmask_kernel() -> None:
    """The CPU kernel masks logits of every type, batch and stride as NumPy does."""
    generator = torch.Generator().manual_seed(1)
    for dtype, batch, size in itertools.product(
        (torch.float32, torch.float16, torch.bfloat16), (1, 3), (31, 32, 33, 1000)
    ):
        words = (size + 31) // 32
        bitmask = torch.randint(-(2**31), 2**31, (batch, words), generator=generator).to(
            torch.int32
        )
        wide = torch.randn(batch, size + 7, generator=generator).to(dtype)
        logits = wide[:, :size]  # a row is longer than what is masked
        before = wide.clone()
        xgr.apply_token_bitmask_inplace(logits, bitmask, vocab_size=size, backend="cpu")
        kept = torch.tensor(bits(bitmask, size))
        assert torch.equal(logits, before[:, :size].masked_fill(~kept, -torch.inf))
        assert torch.equal(wide[:, size:], before[:, size:])
    logits = torch.zeros(3, 40)
    bitmask = torch.zeros(3, 2, dtype=torch.int32)
    xgr.apply_token_bitmask_inplace(logits, bitmask, indices=[2, 0], backend="cpu")
    assert logits.isinf().all(dim=1).tolist() == [True, False, True]
    single = torch.zeros(32)
    xgr.apply_token_bitmask_inplace(single, torch.tensor([5], dtype=torch.int32), backend="cpu")
    assert single.isinf().tolist() == [i not in (0, 2) for i in range(32)]


def check_threads() -> None:
    """Threads compile with one compiler and match with one grammar at once."""
    info = tokenizer(PIECES)
    compiler = xgr.GrammarCompiler(info, max_threads=4)
    reference = Reference(accepted_texts(), PIECES)
    failures: list[str] = []

    def work(seed: int) -> None:
        try:
            for i in range(5):
                schema = {"type": "array", "maxItems": seed % 3 + i}
                compiler.compile_json_schema(json.dumps(schema))
                assert walk(compiler.compile_grammar(EBNF), reference, 3) > 3
                raises(tvm_ffi.InternalError, compiler.compile_grammar, "root ::= (")
        except BaseException:
            failures.append(traceback.format_exc())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    filled = compiler.get_cache_size_bytes()
    compiler.clear_cache()
    assert compiler.get_cache_size_bytes() < filled


def check_lifetime() -> None:
    """A matcher outlives all that it was made of; the wrappers go with their last reference."""
    compiled, info = compiled_ebnf()
    size = info.vocab_size
    matcher = xgr.GrammarMatcher(compiled)
    reference = weakref.ref(compiled._handle)
    del compiled, info
    gc.collect()
    assert reference() is None
    assert allowed_next(matcher, size) == Reference(accepted_texts(), PIECES).allowed("")


def check_identity() -> None:
    """Objects are compared by identity, are no dictionaries, and say what they cannot do."""
    compiled, _ = compiled_ebnf()
    handle = compiled._handle
    echo = tvm_ffi.convert(lambda value: value)
    assert echo(handle) == handle
    assert type(echo(handle)) is type(handle)
    assert xgr.CompiledGrammar._create_from_handle(echo(handle)) == compiled
    assert compiled.grammar != xgr.Grammar.from_ebnf(EBNF)
    raises(AttributeError, setattr, handle, "misspelt", 1)
    assert "CompiledGrammar object at 0x" in repr(handle)
    assert copy.copy(handle) != handle
    for copies in (pickle.dumps, copy.deepcopy):
        assert "xgrammar.tvm_ffi_binding.CompiledGrammar" in str(raises(TypeError, copies, handle))


def check_internals() -> None:
    """The functions of xgrammar's own tests work, grammar transformations among them."""
    ebnf = xgr.testing._json_schema_to_ebnf({"type": "integer"})
    assert "root ::=" in ebnf
    assert xgr.testing._regex_to_ebnf("a+").startswith("root ::=")
    functor = xgr.testing.GrammarFunctor
    grammar = xgr.testing._ebnf_to_grammar_no_normalization(EBNF)
    for transform in (
        functor.structure_normalizer,
        functor.rule_inliner,
        functor.grammar_optimizer,
    ):
        grammar = transform(grammar)
    assert xgr.testing._is_grammar_accept_string(grammar, "abbc")
    assert xgr.testing._generate_range_regex(1, 12)
    assert xgr.testing._generate_float_regex(0.5, None)
    bitmask = xgr.testing.bool_mask_to_bitmask(torch.tensor([[True, False, True]]))
    assert xgr.testing._get_masked_tokens_from_bitmask(bitmask, 3) == [1]
    only = torch.tensor([[2]], dtype=torch.int32)
    assert tuple(xgr.testing._is_single_token_bitmask(only, 3)) == (True, 1)


def check_settings() -> None:
    """Settings of the library are read and written."""
    before = xgr.get_max_recursion_depth()
    with xgr.max_recursion_depth(before + 1):
        assert xgr.get_max_recursion_depth() == before + 1
    assert xgr.get_max_recursion_depth() == before
    assert re.fullmatch(r"v?\d+(\.\d+)*", xgr.get_serialization_version())


def check_huggingface_tokenizer() -> None:
    """The vocabulary of a tokenizer of transformers is read."""
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    vocabulary = {piece: i for i, piece in enumerate([*PIECES, STOP])}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token=STOP))
    fast = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token=STOP)
    info = xgr.TokenizerInfo.from_huggingface(fast)
    assert list(info.decoded_vocab) == [token.encode() for token in vocabulary]
    assert list(info.stop_token_ids) == [vocabulary[STOP]]
    compiled = xgr.GrammarCompiler(info).compile_grammar(EBNF)
    assert walk(compiled, Reference(accepted_texts(), PIECES), 3) > 3


def main() -> None:
    """Run each check; print what it raised, if it did."""
    seen = {}
    for name, check in list(globals().items()):
        if not name.startswith("check_") or (sys.argv[1:] and name not in sys.argv[1:]):
            continue
        try:
            check()
            seen[name] = ""
        except BaseException:
            seen[name] = traceback.format_exc()
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
