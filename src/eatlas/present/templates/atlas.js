"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const make = (name, text, className) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  all(".without-script").forEach((part) => part.remove());
  all(".tools, .with-script, #theme").forEach((part) => { part.hidden = false; });

  // One matrix is shown at a time; their number is that of the measure's option.
  const matrices = all(".matrix").map((part) => {
    const table = part.querySelector("table");
    return {
      part,
      table,
      body: table.tBodies[0],
      heads: all("th.test", table).map((head) => ({ head, words: head.dataset.words.toLowerCase(), family: head.dataset.family })),
      rows: [...table.tBodies[0].rows].map((row, place) => ({ row, place, words: row.cells[0].textContent.toLowerCase(), family: row.dataset.family })),
    };
  });
  const measure = byId("measure-filter");
  const current = () => matrices[measure ? Number(measure.value) : 0];

  // Filters: rows by words and family of the model, columns by those of the test.
  const value = (id) => byId(id)?.value ?? "";
  const wanted = (id) => value(id).toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one, words, family) => words.every((word) => one.words.includes(word)) && (!family || one.family === family);
  function filter() {
    const shown = current();
    matrices.forEach((one) => { one.part.hidden = one !== shown; });
    const models = wanted("find-models"), tests = wanted("find-tests");
    const kept = shown.heads.map((one) => fits(one, tests, value("test-family")));
    shown.heads.forEach(({ head }, i) => { head.hidden = !kept[i]; });
    const label = value("pattern-filter");
    let left = 0, found = 0;
    for (const one of shown.rows) {
      one.row.hidden = !fits(one, models, value("model-family"));
      left += !one.row.hidden;
      for (let i = 0; i < kept.length; i += 1) {
        const cell = one.row.cells[i + 1];
        if (cell.hidden === kept[i]) cell.hidden = !kept[i];
        const link = cell.firstElementChild;
        if (!link) continue;
        const fit = !label || link.dataset.l === label;
        cell.classList.toggle("dim", !fit);
        found += fit && kept[i] && !one.row.hidden;
      }
    }
    const tested = kept.filter(Boolean).length;
    const of = (n, total, thing) => `${n === total ? n : `${n} of ${total}`} ${total === 1 ? thing : `${thing}s`}`;
    byId("shown").textContent = `${of(left, shown.rows.length, "model")}, ${of(tested, kept.length, "test")}${label ? `; ${label} in ${found}` : ""}`;
    rove(shown);
    suggest(shown);
    compare();
  }

  // Until two models are chosen, the first two of the matrix are compared.
  let chosen = false;
  function suggest(shown) {
    if (chosen) return;
    ["first", "second"].forEach((id, i) => {
      const row = shown.rows[Math.min(i, shown.rows.length - 1)];
      if (byId(id)) byId(id).value = row.row.dataset.model;
    });
  }

  // Keys: one stop in each matrix, arrows move; hidden rows and columns are passed over.
  function rove(shown, to) {
    const before = shown.table.querySelector('td a[tabindex="0"]');
    let next = to ?? before;
    if (!next || next.closest("[hidden]")) next = all("td a", shown.body).find((link) => !link.closest("[hidden]"));
    if (before && before !== next) before.tabIndex = -1;
    if (next) next.tabIndex = 0;
    return next;
  }
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  matrices.forEach((shown) => {
    all("td a", shown.body).forEach((link) => { link.tabIndex = -1; });
    shown.body.addEventListener("keydown", (event) => {
      const cell = event.target.closest("td");
      if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
      let found = null;
      if (event.key in steps) {
        const [down, right] = steps[event.key];
        let row = cell.parentElement, column = cell.cellIndex;
        while (!found) {
          column += right;
          if (down) row = down > 0 ? row.nextElementSibling : row.previousElementSibling;
          if (!row || column < 1 || column >= row.cells.length) break;
          if (!row.hidden && !row.cells[column].hidden) found = row.cells[column].firstElementChild;
        }
      } else if (event.key === "Home" || event.key === "End") {
        const links = [...cell.parentElement.cells].filter((one) => !one.hidden && one.cellIndex && one.firstElementChild);
        found = links.at(event.key === "Home" ? 0 : -1)?.firstElementChild;
      } else {
        return;
      }
      event.preventDefault();
      if (found) { rove(shown, found).focus(); found.scrollIntoView({ block: "nearest", inline: "nearest" }); }
    });
  });

  // Sorting: the head of a test sorts models by its first effect size; missing ones stay last.
  const sizesOf = (link) => (link?.dataset.s ? link.dataset.s.split("|") : []);
  const number = (cell) => parseFloat((sizesOf(cell.firstElementChild)[0] ?? "").replace("\u2212", "-"));
  matrices.forEach((shown) => {
    shown.heads.forEach(({ head }) => {
      const button = make("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { none: "descending", descending: "ascending", ascending: "none" };
        const order = next[head.getAttribute("aria-sort") ?? "none"];
        all("th[aria-sort]", shown.table).forEach((other) => other.removeAttribute("aria-sort"));
        if (order !== "none") head.setAttribute("aria-sort", order);
        const keyed = shown.rows.map((one) => ({ ...one, key: number(one.row.cells[head.cellIndex]) }));
        const sign = order === "descending" ? -1 : 1;
        keyed.sort((a, b) => {
          if (order === "none") return a.place - b.place;
          if (Number.isNaN(a.key) || Number.isNaN(b.key)) return Number.isNaN(a.key) - Number.isNaN(b.key) || a.place - b.place;
          return sign * (a.key - b.key) || a.place - b.place;
        });
        shown.body.append(...keyed.map((one) => one.row));
      });
    });
  });

  // Two models side by side, in the measure that is shown.
  const names = new Map(all("#first option").map((option) => [option.value, option.textContent]));
  function compare() {
    if (names.size < 2) return;
    const shown = current(), sides = [value("first"), value("second")];
    const rows = sides.map((id) => shown.rows.find(({ row }) => row.dataset.model === id)?.row);
    const [head, body] = [document.querySelector(".side thead"), document.querySelector(".side tbody")];
    const titles = shown.table.dataset.effects ? shown.table.dataset.effects.split("|") : [];
    head.replaceChildren();
    body.replaceChildren();
    const said = byId("compared");
    if (rows.includes(undefined)) {
      said.textContent = `${names.get(sides[rows.indexOf(undefined)])} was not measured by this measure.`;
      return;
    }
    const maps = Boolean(shown.table.querySelector("a.m"));
    const top = make("tr"), below = make("tr");
    const column = (row, text, span, className) => {
      const cell = make("th", text, className);
      cell.scope = span > 1 ? "colgroup" : "col";
      if (span > 1) cell.colSpan = span;
      row.append(cell);
      return cell;
    };
    column(top, "Test", 1).rowSpan = 2;
    sides.forEach((id) => column(top, names.get(id), 1 + titles.length, "group"));
    if (maps) column(top, "Pattern", 1).rowSpan = 2;
    sides.forEach(() => { column(below, "Result", 1); titles.forEach((title) => column(below, title, 1, "num")); });
    head.append(top, below);
    let both = 0, same = 0, sign = 0;
    shown.heads.forEach(({ head: test }) => {
      if (test.hidden) return;
      const links = rows.map((row) => row.cells[test.cellIndex].firstElementChild);
      if (!links[0] && !links[1]) return;
      const line = make("tr");
      const name = make("th", test.textContent);
      name.scope = "row";
      line.append(name);
      links.forEach((link) => {
        const cell = make("td", "", "pair");
        if (link) {
          const copy = link.cloneNode(true);
          copy.removeAttribute("id");
          copy.tabIndex = 0;
          if (maps) copy.textContent = "";  // the numbers are beside it
          cell.append(copy);
        } else {
          cell.append("not measured");
        }
        line.append(cell);
        const sizes = sizesOf(link);
        titles.forEach((_, i) => line.append(make("td", sizes[i] ?? "\u2013", "num")));
      });
      if (links[0] && links[1]) {
        both += 1;
        const [a, b] = links.map((link) => parseFloat((sizesOf(link)[0] ?? "").replace("\u2212", "-")));
        sign += Math.sign(a) === Math.sign(b);
        same += links[0].dataset.l === links[1].dataset.l;
      }
      if (maps) {
        const [a, b] = links.map((link) => link?.dataset.l ?? "");
        const alike = a === b;
        line.append(make("td", !a || !b ? "" : alike ? a : `${a} / ${b}`, alike ? "" : "differs"));
      }
      body.append(line);
    });
    const patterns = maps ? ` The EAT pattern is the same in ${same}.` : "";
    said.textContent = both ? `${both} ${both === 1 ? "test" : "tests"} of both. The first effect size has the same sign in ${sign}.${patterns}` : "No test was measured with both.";
  }
  if (names.size < 2) {  // nothing to compare
    byId("compare").remove();
    all('a[href="#compare"]').forEach((link) => link.remove());
  } else ["first", "second"].forEach((id) => byId(id).addEventListener("change", () => {
    chosen = true;
    compare();
    history.replaceState(null, "", `#compare=${value("first")},${value("second")}`);
  }));

  // A cell: its details are unpacked when it is opened.
  const packs = all("script.pack");
  const unpacked = new Map();
  async function unpack(place) {
    const bytes = Uint8Array.from(atob(packs[place].textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }
  const once = (place) => {
    if (!unpacked.has(place)) unpacked.set(place, unpack(place));
    return unpacked.get(place);
  };
  const dialog = byId("cell");
  async function open(link) {
    const [pack, place] = link.dataset.at.split(".").map(Number);
    const parts = await once(pack);
    byId("cell-body").innerHTML = parts[place];
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    byId("cell-title").focus();
  }
  let opened = null;
  dialog.addEventListener("close", () => {  // by now the address may lead to another cell
    if (location.hash === opened?.getAttribute("href")) history.replaceState(null, "", location.pathname + location.search);
    opened?.focus();
  });
  byId("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  byId("copy-link").addEventListener("click", async () => {
    const button = byId("copy-link");
    let said = "Copied";
    try { await navigator.clipboard.writeText(location.href); } catch { said = "It is in the address bar"; }
    button.textContent = said;
    setTimeout(() => { button.textContent = "Copy the link"; }, 2500);
  });
  document.addEventListener("click", (event) => {  // the same cell again does not change the address
    const link = event.target.closest?.("td a[data-at]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    opened = link;
    history.replaceState(null, "", link.getAttribute("href"));
    open(link);
  });

  function follow() {
    const hash = location.hash.slice(1);
    if (hash.startsWith("compare=") && names.size > 1) {
      const models = hash.slice("compare=".length).split(",");
      chosen = true;
      ["first", "second"].forEach((id, i) => { if (names.has(models[i])) byId(id).value = models[i]; });
      compare();
      byId("compare").scrollIntoView();
      return;
    }
    const link = byId(hash);
    if (!link?.dataset.at) return;
    const matrix = link.closest(".matrix");
    if (measure && measure.value !== matrix.dataset.number) {
      measure.value = matrix.dataset.number;
      filter();
    }
    opened = rove(current(), link);
    link.scrollIntoView({ block: "center", inline: "center" });
    open(link);
  }

  let waiting = 0;
  const soon = () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); };
  all('.tools input[type="search"]').forEach((field) => field.addEventListener("input", soon));
  all("#matrix .tools select").forEach((choice) => choice.addEventListener("change", filter));
  addEventListener("hashchange", follow);
  filter();
  follow();
})();
