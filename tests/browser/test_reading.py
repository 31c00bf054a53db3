# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Readers choose tabs, copy, search, switch the theme and navigate."""

import json
import random
import re
import zipfile
from urllib.parse import quote

import pytest
from _ext.scale_calls import AXES, choices, program
from _verify.search_words import FILE, read_words
from conftest import ROOT
from playwright.sync_api import expect

WORDS = read_words((ROOT / "docs" / FILE).read_text())

ERRORS = "guides/try_the_errors.html"
QUICKSTART = "get_started/quickstart.html"
GALLERY = "guides/kernels/index.html"
# One page of each kind.
KINDS = [
    "index.html",
    QUICKSTART,
    "guides/kernel_library_guide.html",
    ERRORS,
    GALLERY,
    "guides/kernels/rms_norm.html",
    "concepts/tensor.html",
    "packaging/cpp_tooling.html",
    "reference/cpp/tensor.html",
    "reference/python.html",
    "performance.html",
    "verification.html",
]
PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?", re.MULTILINE)


def selected(page):
    """Return the labels of the selected tabs, in order."""
    return page.locator('[role="tab"][aria-selected="true"]').all_inner_texts()


def test_choice_of_a_tab_holds_on_the_next_page(reader):
    """A reader who chooses CUDA once sees CUDA everywhere."""
    page = reader.new_page()
    page.goto(QUICKSTART)
    assert "CUDA" not in selected(page)
    page.get_by_role("tab", name="CUDA").first.click()
    assert "CPU" not in selected(page)
    page.goto("guides/kernel_library_guide.html")
    assert "CUDA" in selected(page)
    assert "CPU" not in selected(page)


def test_tabs_are_chosen_by_keyboard(reader):
    """An arrow key moves to the next tab, and Enter shows it."""
    page = reader.new_page()
    page.goto(QUICKSTART)
    page.get_by_role("tab", name="CPU").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="CUDA").first).to_have_attribute("aria-selected", "true")


def test_form_shows_the_program_and_its_result(reader):
    """For any choice, the form shows the program that the build ran, and its result."""
    page = reader.new_page()
    page.goto(ERRORS)
    form = page.locator("form.try-errors")
    data = json.loads(form.locator("script").text_content())
    selects = form.locator("select")
    told = dict(zip(choices(), data["cells"], strict=True))
    for choice in random.sample([each for each, cell in told.items() if cell is not None], 60):
        for place, (axis, option) in enumerate(zip(AXES, choice, strict=True)):
            selects.nth(place).select_option(str(axis.options.index(option)))
        assert form.locator("pre").text_content() == f"{program(choice)}\n"
        assert form.locator("output").text_content() == data["results"][told[choice]]


def test_form_leaves_out_what_a_framework_lacks(reader):
    """PyTorch has no read-only tensors, so choosing PyTorch resets that option."""
    page = reader.new_page()
    page.goto(ERRORS)
    page.get_by_label("Output y").select_option("read-only")
    expect(page.locator("output")).to_contain_text("got a read-only one")
    page.get_by_label("Arrays").select_option("PyTorch")
    expect(page.get_by_label("Output y").locator("option:checked")).to_have_text("new, like x")
    expect(page.locator("output")).to_have_text("[[2.5, 5.0, 7.5], [10.0, 12.5, 15.0]]")


def test_gallery_shows_the_kernels_of_the_chosen_topics(reader):
    """Cards without a chosen topic are hidden, as are headings without cards, until all show."""
    page = reader.new_page()
    page.goto(GALLERY)
    cards = page.locator(".kernel-card")
    groups = page.locator("section:has(> .kernel-cards) > h2")
    everything, headings = cards.count(), groups.count()
    form = page.get_by_role("form", name="Kernels by topic")
    form.get_by_label("Workspace from the caller").check()
    form.get_by_label("Optional argument").check()
    shown = page.locator(".kernel-card:visible")
    expect(shown.locator(".kernel-title")).to_contain_text(["column_sum", "gemm"])
    expect(page.locator("section:has(> .kernel-cards) > h2:visible")).to_have_count(1)
    expect(form.locator("output")).to_have_text(f"2 of {everything} kernels")
    expect(form.get_by_label("Allocators")).to_be_disabled()
    form.get_by_role("button", name="Show all").click()
    expect(shown).to_have_count(everything)
    expect(page.locator("section:has(> .kernel-cards) > h2:visible")).to_have_count(headings)
    expect(form.get_by_label("Allocators")).to_be_enabled()


def test_gallery_remembers_no_choice(reader):
    """After a reload, the form and the cards agree."""
    page = reader.new_page()
    page.goto(GALLERY)
    form = page.get_by_role("form", name="Kernels by topic")
    form.get_by_label("Tensor cores").check()
    page.reload()
    shown, chosen = page.locator(".kernel-card:visible"), form.locator("input:checked")
    expect(form.locator("output")).to_have_text(re.compile(f"^{shown.count()} of "))
    assert (chosen.count() == 0) == (shown.count() == page.locator(".kernel-card").count())


def test_gallery_without_scripts(browser, address):
    """All cards and topics are shown, and the form is not."""
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/{GALLERY}")
        expect(page.locator("form.kernel-picker")).to_be_hidden()
        assert all(card.is_visible() for card in page.locator(".kernel-card").all())
        listed = page.locator("dt#topic-workspace + dd")
        listed.get_by_role("link", name="column_sum").click()
        expect(page.locator("article h1")).to_contain_text("column_sum")


@pytest.mark.parametrize("width", [390, 1440])
def test_gallery_fits_the_window(reader, width):
    """Neither the page nor a card is wider than the window."""
    page = reader.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(GALLERY)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for card in page.locator(".kernel-card").all():
        assert card.evaluate("(card) => card.scrollWidth - card.clientWidth") <= 0
        box = card.bounding_box()
        assert box["x"] + box["width"] <= width


def code_of(text):
    """Return a block's code: in a doctest, the typed lines without their prompts."""
    lines = text.rstrip("\n").split("\n")
    typed = [line for line in lines if PROMPT.match(line)]
    return "\n".join(PROMPT.sub("", line) for line in typed or lines)


@pytest.mark.parametrize("name", ["concepts/any.html", "guides/kernels/rms_norm.html"])
def test_copied_text_is_the_code_alone(reader, name):
    """The clipboard gets no prompts, doctest output or line numbers."""
    page = reader.new_page()
    page.goto(name)
    blocks = page.locator("div.highlight:has(> button.copybtn):visible")
    assert blocks.count() > 3
    for index in range(min(blocks.count(), 8)):
        block = blocks.nth(index)
        block.hover()
        block.locator("button.copybtn").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.rstrip("\n") == code_of(block.locator("pre").inner_text())


@pytest.mark.parametrize(
    ("name", "width"),
    [("index.html", 390), ("index.html", 1440), (QUICKSTART, 390), ("packaging/stubgen.html", 390)],
)
def test_commands_and_sessions_fit_where_room_is_small(reader, name, width):
    """Long lines wrap on a phone and in a column, but are copied unwrapped."""
    page = reader.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(name)
    blocks = page.locator("div.highlight-bash:visible, div.doctest:visible").all()
    assert blocks
    for block in blocks:
        beyond = block.locator("pre").evaluate("(pre) => pre.scrollWidth - pre.clientWidth")
        assert beyond <= 0, block.inner_text()
        block.hover()
        block.locator("button.copybtn").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.rstrip("\n") == code_of(block.locator("pre").inner_text()).rstrip("\n")


def results_of(page, words):
    """Type words into the search box, and wait for the resulting links."""
    page.goto("index.html")
    page.locator('input[name="q"]:visible').first.fill(words)
    page.keyboard.press("Enter")
    page.locator("#search-results p.search-summary").wait_for()
    expect(page.locator("#search-results p.search-summary")).to_contain_text(
        re.compile(r"found|did not match")
    )
    return page.locator("#search-results ul.search > li > a")


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("FromEnvAlloc", "reference/cpp/tensor.html"),
        ("TVM_FFI_THROW", "reference/cpp/throw_macros.html"),
        ("TVMFFIEnvSetStream", "reference/cpp/c_env_api.html"),
        ("load_module", "reference/python/modules.html"),
        ("tvm_ffi.load_module", "reference/python/modules.html"),
        ("CUDADeviceGuard", "reference/cpp/cuda_device_guard.html"),
    ],
)
def test_search_finds_names(reader, words, target):
    """The page that explains the name is among the first ten results, and its link opens there."""
    page = reader.new_page()
    results = results_of(page, words)
    found = [link.get_attribute("href").split("?")[0] for link in results.all()[:10]]
    fits = [index for index, href in enumerate(found) if href.split("#")[0] == target]
    assert fits, f"expected {target} for {words!r}, got {found}"
    results.nth(fits[0]).click()
    page.wait_for_url(f"**/{target}*")
    expect(page.locator("article h1")).to_be_visible()


@pytest.mark.parametrize("target", sorted({*WORDS.values()}))
def test_search_leads_with_what_explains_the_words(reader, target):
    """The first result is the page or section that search_words.txt names."""
    page = reader.new_page()
    name, mark, anchor = target.partition("#")
    for words in (words for words, each in WORDS.items() if each == target):
        page.goto(f"search.html?q={quote(words)}")
        first = page.locator("#search-results ul.search > li > a").first.get_attribute("href")
        assert first.split("?")[0] == f"{name}.html{mark}{anchor}", words


@pytest.mark.parametrize("message", ["y must be of shape", "got overlapping ranges"])
def test_search_finds_messages(reader, message):
    """Searching for an error message finds a page that shows it among the first ten results."""
    page = reader.new_page()
    found = [link.get_attribute("href") for link in results_of(page, message).all()[:10]]
    texts = []
    for href in found:
        page.goto(href.split("?")[0])
        texts.append(page.locator("article").inner_text())
    assert any(message in text for text in texts), f"{message!r} is on none of {found}"


@pytest.mark.parametrize(
    ("message", "section"),
    [
        (
            "load_module: there is no such file: '/srv/x/y.so'",
            "filenotfounderror-load-module-there-is-no-such-file",
        ),
        (
            "bias_gelu(Tensor, Tensor, float) -> None: argument 2: expected float, got Tensor",
            "typeerror-argument-2-expected-float-got-tensor",
        ),
        (
            "TypeError: bias_gelu: expected positional arguments only, got keyword 'bias'",
            "typeerror-scale-expected-positional-arguments-only-got-keyword-factor",
        ),
    ],
)
def test_search_finds_messages_with_own_names(reader, message, section):
    """A message with the reader's names and paths leads to its section of Troubleshooting."""
    page = reader.new_page()
    results = results_of(page, message)
    found = [link.get_attribute("href") for link in results.all()[:3]]
    target = f"guides/troubleshooting.html#{section}"
    assert target in found, f"expected {target} for {message!r}, got {found}"
    results.nth(found.index(target)).click()
    page.wait_for_url(f"**/{target}")
    expect(page.locator(f"#{section}")).to_be_visible()


def test_search_finds_a_message_that_is_no_heading(reader):
    """If no page has all of a message's words, pages with most of them are found."""
    page = reader.new_page()
    found = results_of(page, "bias_gelu_my_kernel: y must be of shape zzqx, got wwvx")
    assert found.count()


@pytest.mark.parametrize(
    "name", ["guides/troubleshooting.html", "guides/migrating_pytorch_extension.html"]
)
def test_tables_fit_on_a_phone(reader, name):
    """All columns of a table of names are visible at once."""
    page = reader.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(name)
    boxes = page.locator("article div.table-wrapper")
    assert boxes.count()
    for box in boxes.all():
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_theme_that_was_chosen_is_remembered(reader):
    """At most two clicks switch to the dark theme, and the next page has it too."""
    page = reader.new_page()
    page.goto("index.html")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    for _ in range(2):
        if page.evaluate(background) == light:
            page.locator("button.theme-toggle:visible").first.click()
    dark = page.evaluate(background)
    assert dark != light
    page.goto("concepts/any.html")
    assert page.evaluate(background) == dark


def test_next_and_previous_pages(reader):
    """Following Next three times and Previous three times returns to the start."""
    page = reader.new_page()
    page.goto("index.html")
    way = [page.url]
    for _ in range(3):
        page.locator("a.next-page").click()
        page.wait_for_url(lambda url: url != way[-1])
        way.append(page.url)
    assert len(set(way)) == 4
    for url in reversed(way[:-1]):
        page.locator("a.prev-page").click()
        page.wait_for_url(url)


@pytest.mark.parametrize("name", KINDS)
def test_page_without_scripts(browser, address, name):
    """The text and code are shown, with the first of each set of tabs."""
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        assert page.goto(f"{address}/{name}").ok
        expect(page.locator("article h1")).to_be_visible()
        assert len(page.locator("article").inner_text()) > 500
        for block in page.locator("article pre:not([hidden] pre)").all():
            assert block.is_visible()


def test_downloads_answer(reader, address, site):
    """Each offered file is served completely; archives and the book can be opened."""
    files = [path for path in (site / "_downloads").rglob("*") if path.is_file()]
    files += [*site.glob("*.epub"), *site.rglob("*.md"), *site.glob("*.txt")]
    assert files
    for path in files:
        answer = reader.request.get(f"{address}/{path.relative_to(site).as_posix()}")
        assert answer.ok, path
        assert answer.body() == path.read_bytes(), path
        if path.suffix in (".epub", ".zip"):
            assert zipfile.ZipFile(path).testzip() is None, path


def test_download_of_an_example_in_a_browser(reader):
    """Clicking a link to an archive saves the archive."""
    page = reader.new_page()
    page.goto("guides/kernels/rms_norm.html")
    with page.expect_download() as saved:
        page.locator('article a[href$=".zip"]').first.click()
    assert zipfile.is_zipfile(saved.value.path())


@pytest.mark.parametrize("depth", ["", "a/", "a/b/c/d/"])
def test_wrong_address_at_any_depth(reader, address, depth):
    """The site's own page, which links home, is shown for a missing address."""
    page = reader.new_page()
    answer = page.goto(f"{depth}absent.html")
    assert answer.status == 404
    expect(page.locator("h1").first).to_be_visible()
    page.locator('a[href$="quickstart.html"]:visible').first.click()
    page.wait_for_url(f"{address}/{QUICKSTART}")
