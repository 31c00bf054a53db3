# SPDX-License-Identifier: Apache-2.0
"""Requirements on pages in a browser: each finding names the page, the scheme and the width."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import axe_playwright_python
from playwright.sync_api import Browser

WIDTHS = (1440, 820, 390)
HEIGHT = 900
BYTES = 500_000  # transferred for a whole page
ELEMENTS = 20_000  # per page: layout takes time for each
SEVERE = ("serious", "critical")
# Of axe-core's rules, those about colours depend on the scheme. Elements that must take focus in
# order to scroll are found in a narrow window.
COLOURS = ["color-contrast", "link-in-text-block"]
SCROLLING = ["scrollable-region-focusable"]

# The bytes transferred and the number of elements.
LOADED = """() => {
  const entries = [...performance.getEntriesByType("navigation"),
                   ...performance.getEntriesByType("resource")];
  return {bytes: entries.reduce((sum, entry) => sum + entry.transferSize, 0),
          elements: document.getElementsByTagName("*").length};
}"""
# Remove elements coloured like an earlier one, such as thousands of words of code, which take
# most of the time of colour checks. Equal ancestor tags and classes imply equal appearance.
THIN_OUT = """() => {
  const paths = new Map([[document.body, ""]]), seen = new Set();
  const path = (element) => {
    if (!paths.has(element)) {
      const row = element.tagName === "TR" ? element.rowIndex % 2 : "";
      const own = `${element.tagName}.${element.className}.${element.style.cssText}.${row}`;
      paths.set(element, `${path(element.parentElement)}>${own}`);
    }
    return paths.get(element);
  };
  const ends = [...document.body.querySelectorAll("*")].filter((each) => !each.firstElementChild);
  for (const [each, key] of ends.map((each) => [each, path(each)]))
    if (seen.has(key)) each.remove(); else seen.add(key);
}"""
# How far the page, or a box that holds its whole text, scrolls sideways, and which element
# sticks out. Content of a box that scrolls by itself does not count.
SIDEWAYS = """() => {
  const root = document.documentElement, outer = [];
  for (let box = document.querySelector("article") ?? document.body; box; box = box.parentElement)
    outer.push(box);
  const boxed = (element) => {
    for (let box = element; !outer.includes(box); box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.position === "fixed" || box !== element && style.overflowX !== "visible")
        return true;
    }
    return false;
  };
  for (const box of outer) {
    const beyond = box.scrollWidth - box.clientWidth;
    if (beyond <= 0 || box !== root && getComputedStyle(box).overflowX === "visible") continue;
    const edge = box === root ? root.clientWidth : box.getBoundingClientRect().right;
    const far = [...box.querySelectorAll("*")]
      .filter((each) => each.getBoundingClientRect().right > edge && !boxed(each));
    return [beyond, far.length ? far[far.length - 1].outerHTML.slice(0, 120) : "?"];
  }
  return null;
}"""
REPEATED = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  return [...new Set(ids.filter((id, place) => ids.indexOf(id) !== place))];
}"""
AXE = """async ([rules, without]) => {
  const options = {resultTypes: ["violations"], iframes: false};
  if (rules) options.runOnly = rules;
  else options.rules = Object.fromEntries(without.map((rule) => [rule, {enabled: false}]));
  const {violations} = await axe.run(document, options);
  return violations.map(({id, impact, nodes}) =>
    [id, impact, nodes.length, nodes[0].html.slice(0, 120),
     nodes[0].any.concat(nodes[0].all, nodes[0].none).map((each) => each.message)[0]]);
}"""


@cache
def axe_source() -> str:
    """The source of axe-core from the package."""
    return Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()


class Window:
    """A window in one colour scheme, with caching disabled."""

    def __init__(self, browser: Browser, scheme: str) -> None:
        self.scheme, self.findings, self.name, self.host = scheme, [], "", ""
        self.page = browser.new_page(color_scheme=scheme)
        devtools = self.page.context.new_cdp_session(self.page)
        devtools.send("Network.enable")
        devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
        self.watch()

    def found(self, what: str, width: int = WIDTHS[0]) -> None:
        """Record a finding."""
        self.findings.append(f"{self.name}, {self.scheme}, {width} px wide: {what}")

    def watch(self) -> None:
        """Record errors and requests for the lifetime of the window."""

        def asked(url: str) -> None:
            there = urlsplit(url)
            if there.scheme in ("http", "https", "ws", "wss") and there.netloc != self.host:
                self.found(f"asks another host for {url}")

        def answered(status: int, url: str) -> None:
            if status >= 400:
                self.found(f"request answered {status}: {url}")

        def said(kind: str, text: str) -> None:
            if kind == "error":
                self.found(f"console: {text}")

        self.page.on("console", lambda message: said(message.type, message.text))
        self.page.on("pageerror", lambda error: self.found(f"error: {error}"))
        self.page.on("request", lambda request: asked(request.url))
        self.page.on("requestfailed", lambda request: self.found(f"failed request: {request.url}"))
        self.page.on("response", lambda response: answered(response.status, response.url))

    def resize(self, width: int) -> None:
        """Set the width of the window."""
        self.page.set_viewport_size({"width": width, "height": HEIGHT})

    def load(self, url: str) -> dict[str, int]:
        """Open a page; return the bytes it loaded and its number of elements."""
        self.page.goto(url, wait_until="load")
        self.page.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd")
        return self.page.evaluate(LOADED)

    def look_for_barriers(self, rules: list[str] | None = None, width: int = WIDTHS[0]) -> None:
        """Record serious axe-core findings for the given rules, or for all but those on colours."""
        for rule, impact, count, html, why in self.page.evaluate(AXE, [rules, COLOURS]):
            if impact in SEVERE:
                self.found(f"{impact}: {rule}, {count} times: {html}: {why}", width)

    def visit(self, address: str, name: str, screenshots: Path | None = None) -> list[str]:
        """Check a page of a site at every width; return the findings."""
        self.page.goto("about:blank")
        self.findings, self.name, self.host = [], name, urlsplit(address).netloc
        self.resize(WIDTHS[0])
        loaded = self.load(f"{address}/{name}")
        if loaded["elements"] > ELEMENTS:
            self.found(f"{loaded['elements']} elements, expected at most {ELEMENTS}")
        if loaded["bytes"] > BYTES:
            self.found(f"{loaded['bytes']} bytes are loaded, expected at most {BYTES}")
        if repeated := self.page.evaluate(REPEATED):
            self.found(f"ids that several elements have: {', '.join(repeated)}")
        for width in WIDTHS:
            self.resize(width)
            if beyond := self.page.evaluate(SIDEWAYS):
                self.found(f"scrolls sideways by {beyond[0]} px: {beyond[1]}", width)
        self.page.evaluate(axe_source())
        if self.scheme == "light":
            self.look_for_barriers(SCROLLING, WIDTHS[-1])
        self.resize(WIDTHS[0])
        if self.scheme == "light":
            self.look_for_barriers()
        picture = self.page.screenshot(full_page=True) if self.findings and screenshots else b""
        self.page.evaluate(THIN_OUT)
        self.look_for_barriers(COLOURS)
        if self.findings and screenshots:
            screenshots.mkdir(parents=True, exist_ok=True)
            file = f"{name.replace('/', '-').removesuffix('.html')}-{self.scheme}.png"
            (screenshots / file).write_bytes(picture or self.page.screenshot(full_page=True))
        return self.findings
