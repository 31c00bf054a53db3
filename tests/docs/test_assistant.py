# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The server for coding assistants returns verified code with receipts, and refuses the rest.

The client of the package ``mcp`` starts the real server on a toy site, as an assistant would.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the server for assistants needs Python 3.11")
pytest.importorskip("sphinx", reason="the site needs Python 3.11")

import anyio
from _assistant.answers import Answers, without_code
from _assistant.ranking import anchors_of
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "docs/_assistant/server.py"
KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
LOOP = """\
for (long i = 0; i < n; ++i) {
  y[i] = x[i] * factor;
}
"""
PAGE = f"""\
---
orphan: true
---

# More

## Loops

How the loop walks over the elements.

```{{literalinclude}} ../{KERNEL}
:region: loop
```

```{{literalinclude}} never.py
```
"""
ANSWER = 60  # seconds, on a busy machine


@pytest.fixture(scope="module")
def toy(pristine, tmp_path_factory):
    """The toy's site with Markdown, a region, and an unverified file, as in a preview."""
    root = tmp_path_factory.mktemp("assistant") / "toy"
    shutil.copytree(pristine.root, root, ignore=shutil.ignore_patterns("doxygen"))
    project = type(pristine)(root)
    project.replace("conf.py", '"_ext.made_of",', '"_ext.made_of", "_ext.markdown",')
    project.file("docs/more.md").write_text(PAGE)
    project.file("docs/never.py").write_text("NEVER = 1\n")
    project.file("docs/search_words.txt").write_text("iteration -> more#loops\n")
    shutil.copytree(pristine.file("build/doxygen"), project.file("build/doxygen"))
    status, said = project.sphinx(
        "-q", "-E", "-D", "verify_preview=1", "-c", ".", "docs", "build/site"
    )
    assert status == 0, said
    return project


@pytest.fixture
def copy(toy, tmp_path):
    """A copy, for a test that edits it."""
    shutil.copytree(toy.root, tmp_path / "toy", symlinks=True)
    return type(toy)(tmp_path / "toy")


def talk(project, conversation):
    """Start the server on a project's site, and pass a client to a function."""
    arguments = [str(SERVER), str(project.file("build/site")), "--root", str(project.root)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ})

    async def run():
        with anyio.fail_after(2 * ANSWER):
            async with Client(server, read_timeout_seconds=ANSWER) as client:
                return await conversation(client)

    return anyio.run(run)


def ask(project, *calls):
    """Return the answers to some calls, or the message if one is an error."""

    async def conversation(client):
        answers = []
        for tool, arguments in calls:
            result = await client.call_tool(tool, arguments)
            said = result.structured_content
            answers.append(result.content[0].text if result.is_error else said)
        return answers

    return talk(project, conversation)


def refused(answer, *parts):
    """Check that an answer is an error with these parts and without code."""
    assert isinstance(answer, str), answer
    assert "NEVER" not in answer
    assert "x[i] * factor" not in answer
    assert "root:" not in answer
    for part in parts:
        assert part in answer


def test_the_tools_are_few_and_described(toy):
    """There are four tools, each with a description and with input and output types."""

    async def conversation(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in talk(toy, conversation)}
    assert [*tools] == ["search", "snippet", "receipt", "page"]
    for tool in tools.values():
        assert tool.description.endswith(".")
        assert tool.output_schema["type"] == "object"
    assert tools["search"].input_schema["properties"]["limit"]["type"] == "integer"
    assert tools["snippet"].input_schema["required"] == ["file"]


def test_a_verified_region_byte_for_byte(toy):
    """A snippet has the page's code, its source, and receipts with the hash of what ran."""
    arguments = {"file": KERNEL, "region": "loop"}
    (answer,) = ask(toy, ("snippet", arguments))
    assert answer["code"] == LOOP
    assert f"```cpp\n{LOOP}```\n" in toy.file("build/site/more.md").read_text()
    assert (answer["file"], answer["region"]) == (KERNEL, "loop")
    assert (answer["on_cpu"], answer["on_gpu"]) == (True, False)
    assert answer["state"].endswith("ran on CPU")
    assert answer["pages"] == ["more.html#loops"]
    assert toy.file(f"build/site/{answer['source']}").is_file()
    assert answer["sha256"] == hashlib.sha256(toy.file(KERNEL).read_bytes()).hexdigest()
    levels = {receipt["level"]: receipt for receipt in answer["receipts"]}
    assert {"compiled", "ran on CPU"} <= {*levels}
    ran = levels["ran on CPU"]
    whole = json.loads(toy.file(f"build/site/receipts/{ran['id']}").read_text())
    assert ran["sha256"] == whole["closure"][KERNEL] != ""
    assert (ran["date"], ran["tools"]) == (whole["date"], whole["tools"])
    assert ran["commit"] == whole["runtime"]["commit"] != ""


def test_a_file_shown_whole_and_a_region_with_markers_inside(toy):
    """The code contains no region markers."""
    answers = ask(
        toy,
        ("snippet", {"file": "docs/greeting.txt"}),
        ("snippet", {"file": KERNEL, "region": "kernel"}),
    )
    assert answers[0]["code"] == toy.file("docs/greeting.txt").read_text()
    lines = toy.file(KERNEL).read_text().splitlines(keepends=True)
    shown = [line for line in lines[4:] if "[" not in line or "x[i]" in line]
    assert answers[1]["code"] == "".join(shown)


def test_what_no_run_verified_is_refused(toy):
    """The error gives the reason; the page omits the code and lists it; a search reports it too."""
    snippet, page, found = ask(
        toy,
        ("snippet", {"file": "docs/never.py"}),
        ("page", {"name": "more"}),
        ("search", {"query": "loops"}),
    )
    refused(snippet, "snippet: docs/never.py is not verified: nothing ran it")
    assert page["withheld"] == ["docs/never.py: nothing ran it"]
    assert "How the loop walks over the elements." in page["text"]
    assert "NEVER" not in page["text"]
    assert "x[i] * factor" not in page["text"]
    states = {each["file"]: each for each in found["results"][0]["snippets"]}
    assert states["docs/never.py"]["refused"] == "nothing ran it"
    assert (states[KERNEL]["refused"], states[KERNEL]["on_cpu"]) == ("", True)


def test_what_was_edited_since_is_refused(copy):
    """Editing the file, a dependency, or just a comment makes the page's code unverified."""
    copy.append(KERNEL, "// A comment.\n")
    calls = ("snippet", {"file": KERNEL, "region": "loop"}), ("page", {"name": "index"})
    snippet, page = ask(copy, *calls)
    refused(snippet, f"{KERNEL} [loop] is not verified: edited since the site was built")
    assert page["withheld"][0].startswith(f"{KERNEL} [kernel]: edited since")
    assert "x[i] * factor" not in page["text"]
    copy.replace(KERNEL, "// A comment.\n", "")
    copy.append("examples/kernel_library/check.h", "int another;\n")
    refused(ask(copy, *calls)[0], "edited since its run (examples/kernel_library/check.h changed)")


def test_an_edit_while_the_server_runs_is_noticed(copy):
    """Each answer rehashes the files, and a rebuilt site is read again."""

    async def conversation(client):
        call = "snippet", {"file": KERNEL, "region": "loop"}
        answers = [await client.call_tool(*call)]
        copy.replace(KERNEL, "* factor", "/ factor")
        answers.append(await client.call_tool(*call))
        copy.replace(KERNEL, "/ factor", "* factor")
        listed = copy.file("build/site/snippets.json")
        listed.write_text(listed.read_text().replace('"region": "loop"', '"region": "other"'))
        answers.append(await client.call_tool(*call))
        return [answer.is_error for answer in answers]

    assert talk(copy, conversation) == [False, True, True]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("include/toy.h", "int twice(int x)", "int twice(int x, int y = 0)"),
        ("include/toy.h", "Twice a number", "Half a number"),
        ("python/toy/__init__.py", "def double(", "def double_("),
    ],
)
def test_a_reference_page_whose_source_was_edited(copy, file, old, new):
    """A reference page quotes declarations and comments as of the build, so it is refused."""
    before, *_ = ask(copy, ("page", {"name": "api"}))
    assert "twice" in before["text"]
    copy.replace(file, old, new)
    now, other = ask(copy, ("page", {"name": "api"}), ("page", {"name": "notes"}))
    refused(now, f"page: api quotes declarations of {file}: edited since the site was built")
    assert other["text"]


def test_an_edit_between_the_check_and_the_reading(copy, monkeypatch):
    """The answer is cut from the bytes that were hashed."""
    answers = Answers(copy.file("build/site"), copy.root)
    check = answers.site.why_not

    def edited_after(*arguments):
        why = check(*arguments)
        copy.replace(KERNEL, "* factor", "/ factor")
        return why

    monkeypatch.setattr(answers.site, "why_not", edited_after)
    with pytest.raises(ValueError, match="edited since the site was built"):
        answers.snippet(KERNEL, "loop")


def test_a_page_that_the_build_did_not_write(copy, tmp_path):
    """An edited, removed or symlinked page is refused, before and after the server starts."""
    page = copy.file("build/site/index.md")
    text = page.read_text()
    secret = tmp_path / "secret"

    async def conversation(client):
        said = []
        for change in (
            lambda: None,
            lambda: page.write_text(text + "root: an edit\n"),
            page.unlink,
            lambda: (secret.write_text(text), page.symlink_to(secret)),
            lambda: (page.unlink(), page.symlink_to(page)),
        ):
            change()
            answer = await client.call_tool("page", {"name": "index"})
            said.append(answer.content[0].text if answer.is_error else "")
        return said

    kept, *others = talk(copy, conversation)
    assert kept == ""
    for answer in others:
        refused(answer, "page: expected index.md as the build wrote it")
    page.unlink()
    page.write_text(text + "Xylophones.\n")
    answer, found = ask(copy, ("page", {"name": "index"}), ("search", {"query": "xylophones"}))
    refused(answer, "page: expected index.md as the build wrote it")
    assert found["results"] == []


def test_a_new_build_writes_an_edited_page_again(copy):
    """The page is rewritten even if its source is unchanged, so that no edit's hash is recorded."""
    copy.replace("docs/more.md", "```{literalinclude} never.py\n```\n", "")
    page = copy.file("build/site/notes.md")
    text = page.read_text()
    for _ in range(2):  # after the first build, which has no warning, Sphinx keeps pages
        page.write_text(text + "An edit.\n")
        options = ("-q", "-c", ".", "docs", "build/site")
        status, said = copy.sphinx(*options)
        assert status == 0, said
    assert page.read_text() == text
    assert Answers(copy.file("build/site"), copy.root).page("notes").text == text


@pytest.mark.parametrize("opening", ["", "- ", "> - ", "12. ", "* ", "- - ", "   "])
def test_no_code_is_left_wherever_its_block_begins(opening):
    """A block may start in a list item or a quotation, or lack its end."""
    indent = "".join(">" if mark == ">" else " " for mark in opening)
    block = f"{opening}````python\n{indent}x = 1\n{indent}```\n{indent}y = 2\n{indent}````\n"
    text = without_code(f"Before.\n\n{block}\nAfter ```this```.\n")
    assert "x = 1" not in text
    assert "y = 2" not in text
    assert "Before." in text
    assert "After ```this```." in text
    assert "x = 1" not in without_code(block.removesuffix("````\n"))


def test_the_server_writes_nothing(toy, tmp_path):
    """The server writes nothing, not even Python's compiled files."""
    for name in ("_assistant", "_verify"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "docs" / name, tmp_path / "docs" / name, ignore=ignored)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    server = tmp_path / "docs/_assistant/server.py"
    command = [sys.executable, server, toy.file("build/site"), "--root", toy.root]
    subprocess.run(command, input=b"", env=environment, check=True, capture_output=True)
    assert not [*tmp_path.rglob("__pycache__")]


def test_receipts_that_change_while_the_server_runs(copy):
    """Changed receipts are reread; during a build, an error says so, and the server continues."""
    site = copy.file("build/site")
    name = "examples.kernel_library.scale.scale_kernel.cc--ran-on-CPU--cpu.json"
    text = (site / "receipts" / name).read_text()

    async def conversation(client):
        said = []
        for change in (
            lambda: None,
            lambda: (site / "receipts" / name).write_text(text.replace('"date"', '"dated"')),
            (site / "receipts" / name).unlink,
            lambda: (site / "receipts" / name).write_text(text),
            (site / "snippets.json").unlink,
        ):
            change()
            answer = await client.call_tool("snippet", {"file": KERNEL, "region": "loop"})
            said.append(answer.content[0].text if answer.is_error else "")
        return said

    first, odd, gone, again, building = talk(copy, conversation)
    assert (first, again) == ("", "")
    refused(odd, name, "expected no field 'dated'")
    refused(gone, f"{KERNEL} [loop] is not verified")
    refused(building, "expected snippets.json", "if the site is being built, ask again")


def test_a_file_that_goes_while_it_is_read(monkeypatch):
    """The error names the missing file; the assistant can ask again."""
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    server = pytest.importorskip("_assistant.server")

    def snippet():
        Path("gone").read_text()

    with pytest.raises(
        server.ToolError, match=r"snippet: cannot read gone: No such file.*ask again"
    ):
        server.reported(snippet)()


def test_a_build_while_the_site_is_read(copy, monkeypatch):
    """An incompletely read site is not kept, and is reread for the next answer."""
    answers = Answers(copy.file("build/site"), copy.root)
    before = answers.site
    listed = copy.file("build/site/snippets.json")
    listed.write_text(listed.read_text() + "\n")
    copy.file("docs/search_words.txt").write_text("->\n")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"line 1.*ask again"):
            answers.current()
        assert answers.site is before
    copy.file("docs/search_words.txt").write_text("")
    answers.current()
    assert answers.site is not before


DEEP = "[" * 100_000 + "]" * 100_000
ODD_RECEIPTS = {
    "a range without end": {"lines": {KERNEL: ["1-20000000"]}},
    "many ranges": {"ran": {KERNEL: ["1-900000"] * 3}},
    "the reasons of a range": {"idle": {KERNEL: {"1-20000000": ""}}},
    "no reasons": {"idle": {KERNEL: 5}},
    "a name with NUL": {"closure": {"docs/\0": ""}},
    "a name with half a character": {"closure": {"docs/\ud800": ""}},
    "a long name": {"closure": {"a" * 10_000: ""}},
    "a name outside": {"closure": {"../secret": ""}},
    "an absolute name": {"closure": {"/etc/passwd": ""}},
    "a subject outside": {"subject": "../secret"},
    "a nameless GPU": {"level": "ran on GPU"},
    "a commit that is no text": {"runtime": {"commit": []}},
    "a deep value": DEEP,
}


@pytest.mark.parametrize("change", ODD_RECEIPTS.values(), ids=ODD_RECEIPTS)
def test_a_receipt_that_no_run_wrote(copy, change):
    """The server names a malformed receipt in one line and exits at once."""
    path = next(copy.file("build/site/receipts").glob("*scale_kernel.cc--ran-on-CPU--cpu.json"))
    if isinstance(change, str):
        path.write_text(change)
    else:
        receipt = json.loads(path.read_text())
        for name, value in change.items():
            receipt[name] = {**receipt[name], **value} if isinstance(value, dict) else value
        path.write_text(json.dumps(receipt))
    with pytest.raises(ValueError, match="site: expected a receipt in ") as error:
        Answers(copy.file("build/site"), copy.root)
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 2 * len(str(path)) + 300


ROW = dict.fromkeys(("docname", "section", "shows", "file", "region", "sha256", "problem"), "")
ODD_LISTS = {
    "quoted.json": ("[]", "{}", '{"index": 1}', '{"index": {"a": 1}}', "[", DEEP, "\0"),
    "snippets.json": ("{}", "[1]", "[{}]", json.dumps([ROW]), "[", DEEP, '[{"section": 1}]', "\0"),
    "pages.json": ("[]", "1", '{"index": 1}', "{", DEEP),
    "searchindex.js": ("", "}{", "Search.setIndex({})", 'Search.setIndex({"alltitles": [1]})'),
}
ODD = [(name, text) for name, texts in ODD_LISTS.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), ODD, ids=[f"{n}-{t[:24]}" for n, t in ODD])
def test_a_list_that_no_build_wrote(copy, name, text):
    """The server exits with one line that names the malformed file."""
    copy.file(f"build/site/{name}").write_text(text)
    with pytest.raises(ValueError, match="site: expected ") as error:
        Answers(copy.file("build/site"), copy.root)
    assert name in str(error.value)
    assert "\n" not in str(error.value)


def test_an_index_that_names_no_page(tmp_path):
    """A title's location is a page number, with an anchor or nothing."""
    index = {"docnames": ["a"], "alltitles": {"Title": [[0, None]]}}
    path = tmp_path / "searchindex.js"
    path.write_text(f"Search.setIndex({json.dumps(index)})")
    assert anchors_of(tmp_path) == {("a", "Title"): [""]}
    for place in ([1, ""], [-1, ""], ["0", ""], [0], [0, 1], 0):
        index["alltitles"] = {"Title": [place]}
        path.write_text(f"Search.setIndex({json.dumps(index)})")
        with pytest.raises(ValueError, match=r"expected .*searchindex\.js"):
            anchors_of(tmp_path)


OUTSIDE = (
    *("../../etc/passwd", "/etc/passwd", "docs/../../../etc/passwd", "..", "", "."),
    *("docs/\0", "file:///etc/passwd", "%2e%2e/%2e%2e/etc/passwd"),
)


def test_other_files_are_refused(toy):
    """Only names from the site's lists are accepted: no path leads elsewhere."""
    calls = [
        *(("snippet", {"file": name, "region": ""}) for name in (*OUTSIDE, "conf.py")),
        *(("page", {"name": name}) for name in OUTSIDE),
        *(("receipt", {"id": name}) for name in (*OUTSIDE, "../snippets.json")),
    ]
    for (tool, _), answer in zip(calls, ask(toy, *calls), strict=True):
        refused(answer, f"{tool}: expected")


def test_links_that_lead_outside_are_refused(copy, tmp_path):
    """A page, receipt or shown file that is a symbolic link to a file elsewhere is refused."""
    secret = tmp_path / "secret"
    secret.write_text("root:x[i] * factor\n")
    for name in ("build/site/linked.md", "build/site/receipts/linked.json"):
        copy.file(name).symlink_to(secret)
    copy.file("docs/greeting.txt").unlink()
    copy.file("docs/greeting.txt").symlink_to(secret)
    listed = copy.file("build/site/snippets.json")
    rows = json.loads(listed.read_text())
    for row in rows:
        if row["file"] == "docs/greeting.txt":
            row["sha256"] = hashlib.sha256(secret.read_bytes()).hexdigest()
    absolute = {**rows[-1], "file": str(secret), "shows": str(secret), "region": "", "problem": ""}
    listed.write_text(json.dumps([*rows, absolute]))
    page, receipt, linked, named = ask(
        copy,
        ("page", {"name": "linked"}),
        ("receipt", {"id": "linked.json"}),
        ("snippet", {"file": "docs/greeting.txt"}),
        ("snippet", {"file": str(secret)}),
    )
    refused(page, "page: expected the name of a page, got 'linked'")
    refused(receipt, "receipt: expected the id of a receipt")
    refused(linked, "docs/greeting.txt is not verified: the repository has no such file")
    refused(named, "is not verified: the repository has no such file")


def test_unknown_names_get_similar_ones(toy):
    """Errors suggest similar files, regions, pages and receipts; a search may find nothing."""
    *errors, found = ask(
        toy,
        ("snippet", {"file": "scale_kernel.cc", "region": "loop"}),
        ("snippet", {"file": KERNEL, "region": "lop"}),
        ("page", {"name": "note"}),
        ("receipt", {"id": "docs.notes.md--ran-on-CPU"}),
        ("search", {"query": "xylophone"}),
    )
    refused(errors[0], f"similar: {KERNEL} [loop]")
    refused(errors[1], f"similar: {KERNEL} [loop]")
    refused(errors[2], "page: expected the name of a page, got 'note'; similar: notes")
    refused(errors[3], "similar: docs.notes.md--ran-on-CPU--cpu.json")
    assert found == {"query": "xylophone", "results": []}


def test_search_is_best_first(toy):
    """Titles rank before text, regions match by name, and the site's search words come first."""
    by_title, by_region, by_list = ask(
        toy,
        ("search", {"query": "notes"}),
        ("search", {"query": "scale kernel check", "limit": 1}),
        ("search", {"query": "iterations"}),
    )
    best = by_title["results"][0]
    assert (best["title"], best["source"], best["anchor"]) == ("Notes", "notes.html", "")
    (only,) = by_region["results"]
    assert only["source"] == "index.html"
    assert {each["region"] for each in only["snippets"]} == {"kernel", "check", ""}
    best = by_list["results"][0]
    assert best["source"] == "more.html#loops"
    assert best["excerpt"] == "How the loop walks over the elements."


def test_a_receipt_and_a_page_whole(copy):
    """Receipts and pages are returned as on the site; a receipt also lists files edited since."""
    name = "examples.kernel_library.scale.scale_kernel.cc--ran-on-CPU--cpu.json"
    receipt, page = ask(copy, ("receipt", {"id": name}), ("page", {"name": "index.html"}))
    site = copy.file("build/site")
    assert receipt["receipt"] == json.loads((site / receipt["source"]).read_text())
    assert receipt["edited"] == []
    assert page["text"] == (site / "index.md").read_text()
    assert (page["source"], page["withheld"]) == ("index.html", [])
    assert KERNEL in {each["file"] for each in page["snippets"]}
    copy.replace(KERNEL, "* factor", "/ factor")
    (receipt,) = ask(copy, ("receipt", {"id": name}))
    assert receipt["edited"] == [KERNEL]


def test_huge_queries_end_at_once(toy):
    """Overlong queries and wrong limits are refused at once, and the server continues."""
    long = "(a|" * 1_000_000
    *errors, found = ask(
        toy,
        ("search", {"query": long}),
        ("snippet", {"file": long, "region": long}),
        ("page", {"name": long}),
        ("receipt", {"id": long}),
        ("search", {"query": "loop", "limit": 10**9}),
        ("search", {"query": "loop", "limit": "many"}),
        ("search", {"query": " ".join(["loop"] * 60)}),
    )
    for error in errors[:4]:
        refused(error, "expected at most 300 characters, got 3000000")
    refused(errors[4], "search: limit: expected 1 to 25, got 1000000000")
    refused(errors[5], "limit")
    assert found["results"]


def test_a_folder_without_a_site(tmp_path):
    """The server exits with one line that says how to build a site."""
    done = subprocess.run(
        [sys.executable, SERVER, tmp_path], capture_output=True, text=True, check=False
    )
    said = f"site: expected snippets.json in {tmp_path}, found none: nox -s docs builds a site\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_the_page_shows_the_configuration(toy):
    """The configuration on the page is what ``nox -s assistant`` prints for this clone."""
    page = (ROOT / "docs/guides/coding_assistants.rst").read_text()
    site = toy.file("build/site")
    command = [sys.executable, str(SERVER), str(site), "--configuration"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    clone = "/home/me/kernel-library"
    for real, shown in (
        (sys.executable, f"{clone}/.nox/cpython-311/environment/bin/python"),
        (str(SERVER), f"{clone}/docs/_assistant/server.py"),
        (str(site), f"{clone}/build/site"),
    ):
        printed = printed.replace(json.dumps(real), json.dumps(shown))
    assert printed in page
