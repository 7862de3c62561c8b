// Tests of a claim that a reader switches off: what the others support, as it was written beforehand.
const claims = (() => {
  const ALL = 7, NEW = 2, ADJUSTED = 4;
  // What a cell holds with all tests stays known, and is put back.
  const whole = (part) => (part.whole ??= [...part.childNodes]);
  function bold(name, reason) {
    const parts = [document.createElement("b")];
    parts[0].textContent = name;
    if (reason) {
      parts.push(document.createElement("small"));
      parts[1].textContent = reason;
    }
    return parts;
  }
  function change(row, state, tests, boxes) {
    const [drawn, size, , , , claim, verdict] = [...row.cells].slice(-7);
    const number = state.at[tests], [name, reason] = state.says[number], [first, then] = [whole(verdict), whole(claim)];
    verdict.replaceChildren(...(tests === ALL ? first : bold(name, reason)));
    claim.replaceChildren(...(tests === ALL ? then : ["–"]));
    boxes.forEach((box) => row.cells[row.cells.length - 5 + Math.log2(box.value)].classList.toggle("off", !box.checked));
    const of = tests & ADJUSTED ? 0 : tests & NEW ? 1 : 2, ends = state.crossed && size.querySelector("small");
    if (ends) ends.replaceChildren(...[whole(ends), [state.crossed], ["–"]][of]);
    if (!state.marks) return;
    const line = drawn.querySelector(".i"), mark = drawn.querySelector(".m");
    if (line) line.setAttribute("d", [line.whole ??= line.getAttribute("d"), state.line, ""][of]);
    ["d", "class"].forEach((look, i) => mark.setAttribute(look, state.marks[number][i]));
  }
  function show(claim, every = false) {
    const boxes = [...claim.querySelectorAll("input")], on = boxes.filter((box) => every || box.checked);
    const tests = on.length === boxes.length ? ALL : on.reduce((sum, box) => sum + Number(box.value), 0);
    const states = (claim.states ??= JSON.parse(claim.dataset.states)), [body] = claim.querySelector("table").tBodies;
    states.forEach((state, i) => change(body.rows[i], state, tests, boxes));
    if (every) return;
    const names = on.map((box) => box.parentElement.textContent.trim()).join(", ") || "none";
    const sentences = states.map(({ at, says }) => says[at[tests]][2]).join(" ");
    claim.querySelector("[role=status]").textContent = `Tests used: ${names}. ${sentences}`;
  }
  document.addEventListener("change", ({ target }) => {
    if (target.closest("fieldset.tests")) show(target.closest(".claim"));
  });
  return { show };
})();
