// SPDX-License-Identifier: Apache-2.0
// Shows the cards of the kernels that have all the chosen topics.

(() => {
  const start = (form) => {
    const cards = [...document.querySelectorAll(".kernel-card")];
    const groups = new Set(cards.map((card) => card.closest("section")));
    const boxes = [...form.querySelectorAll("input")];
    const output = form.querySelector("output");
    const has = (card, box) => card.classList.contains(box.value);

    const show = () => {
      const chosen = boxes.filter((box) => box.checked);
      cards.forEach((card) => {
        card.hidden = !chosen.every((box) => has(card, box));
      });
      const shown = cards.filter((card) => !card.hidden);
      groups.forEach((group) => {
        group.hidden = !shown.some((card) => group.contains(card));
      });
      // Disable topics that no shown kernel has, which would leave nothing.
      boxes.forEach((box) => {
        box.disabled = !shown.some((card) => has(card, box));
      });
      output.textContent = `${shown.length} of ${cards.length} kernels`;
    };

    form.addEventListener("change", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(show)); // after the boxes are cleared
    form.hidden = false;
    show(); // a browser may have kept the choices of an earlier visit
  };

  window.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("form.kernel-picker").forEach(start);
  });
})();
