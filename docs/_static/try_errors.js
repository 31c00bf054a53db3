// SPDX-License-Identifier: Apache-2.0
// Shows the program of the chosen call, and its result from when the site was built.

(() => {
  const start = (form) => {
    const data = JSON.parse(form.querySelector("script").textContent);
    const selects = [...form.querySelectorAll("select")];
    const [program, output] = [form.querySelector("pre"), form.querySelector("output")];

    const show = () => {
      const framework = data.frameworks[selects[0].value];
      selects.forEach((select, axis) => {
        const codes = data.axes[axis];
        if (axis > 0) {
          [...select.options].forEach((option, place) => {
            option.disabled = !(framework in codes[place]);
          });
          if (select.selectedOptions[0].disabled) {
            select.value = codes.findIndex((code) => framework in code);
          }
        }
      });
      const [imports, ...lines] = selects.map(
        (select, axis) => data.axes[axis][select.value][framework],
      );
      const parts = [imports, data.load, ...lines.filter(Boolean), data.show];
      program.innerHTML = `${parts.join("\n")}\n`;
      // The last choice varies fastest.
      const place = selects.reduce(
        (sum, select, axis) => sum * data.axes[axis].length + Number(select.value),
        0,
      );
      output.textContent = data.results[data.cells[place]];
    };

    form.addEventListener("change", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show(); // a browser may have kept the choices of an earlier visit
  };

  window.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("form.try-errors").forEach(start);
  });
})();
