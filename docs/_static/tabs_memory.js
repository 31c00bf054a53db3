// SPDX-License-Identifier: Apache-2.0
// Keeps the tabs that a reader chose open on the next page, and on the next visit.
//
// sphinx-tabs remembers one label, for one session, so that choosing NumPy would forget CUDA.
// This keeps all chosen labels, latest first; each group of tabs opens the first that it has.

(() => {
  const KEY = "chosen-tabs";

  function chosen() {
    try {
      const kept = JSON.parse(window.localStorage.getItem(KEY));
      return Array.isArray(kept) ? kept : [];
    } catch {
      return []; // no storage, or not ours
    }
  }

  function choose(label) {
    try {
      const others = chosen().filter((other) => other !== label);
      window.localStorage.setItem(KEY, JSON.stringify([label, ...others]));
    } catch {
      // Without storage, the choice applies only to this page.
    }
  }

  function open(tab) {
    for (const other of tab.parentNode.children) {
      const selected = other === tab;
      other.setAttribute("aria-selected", selected);
      other.tabIndex = selected ? 0 : -1;
      const panel = document.getElementById(other.getAttribute("aria-controls"));
      panel.toggleAttribute("hidden", !selected);
    }
  }

  window.addEventListener("DOMContentLoaded", () => {
    const labels = chosen();
    for (const list of document.querySelectorAll('.sphinx-tabs > [role="tablist"]')) {
      const tabs = [...list.querySelectorAll(".group-tab")];
      const named = (label) => tabs.find((tab) => tab.textContent === label);
      const latest = labels.map(named).find(Boolean);
      if (latest) open(latest);
      for (const tab of tabs) tab.addEventListener("click", () => choose(tab.textContent));
    }
  });
})();
