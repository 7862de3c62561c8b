"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const value = (id) => byId(id)?.value ?? "";
  const make = (name, text = "", className = "") => Object.assign(document.createElement(name), { textContent: text, className });
  all(".without-script").forEach((part) => part.remove());
  all(".with-script, #theme").forEach((part) => { part.hidden = false; });

  // One matrix is shown at a time; their number is that of the measure's option.
  const matrices = all(".matrix").map((part) => ({
    part,
    table: part.querySelector("table"),
    body: part.querySelector("tbody"),
    heads: all("th.test", part),
    rows: [...part.querySelector("tbody").rows],
  }));
  const current = () => matrices[Number(value("measure-filter"))];
  const linkOf = (cell) => cell.firstElementChild;

  const NAMES = new Map(all("#verdict-filter option").map((option) => [option.value, option.textContent]));

  // Filters: rows by words and family of the model, columns by those of the test.
  function fitting(kind) {
    const wanted = value(`find-${kind}s`).toLowerCase().split(/\s+/).filter(Boolean), family = value(`${kind}-family`);
    return (words, own) => wanted.every((word) => words.toLowerCase().includes(word)) && (!family || own === family);
  }
  function filter() {
    const shown = current(), verdict = value("verdict-filter"), model = fitting("model"), test = fitting("test");
    matrices.forEach((matrix) => { matrix.part.hidden = matrix !== shown; });
    const fits = shown.heads.map((head) => test(head.dataset.words, head.dataset.family));
    shown.heads.forEach((head, i) => { head.hidden = !fits[i]; });
    let left = 0, found = 0;
    for (const row of shown.rows) {
      row.hidden = !model(row.cells[0].textContent, row.dataset.family);
      left += !row.hidden;
      fits.forEach((fit, i) => {
        const cell = row.cells[i + 1], link = linkOf(cell);
        if (cell.hidden === fit) cell.hidden = !fit;
        if (!link) return;
        const named = !verdict || link.dataset.v === verdict;
        cell.classList.toggle("dim", !named);
        found += named && fit && !row.hidden;
      });
    }
    const of = (n, total, thing) => `${n === total ? n : `${n} of ${total}`} ${total === 1 ? thing : `${thing}s`}`;
    byId("shown").textContent = `${of(left, shown.rows.length, "source")}, ${of(fits.filter(Boolean).length, fits.length, "test")}${verdict ? `; ${NAMES.get(verdict)} in ${found}` : ""}`;
    rove(shown);
    if (names.size > 1) suggest(shown);
    compare();
  }

  // Keys: one stop in each matrix, arrows move; hidden rows and columns are passed over.
  function rove(shown, to) {
    const before = shown.table.querySelector('td a[tabindex="0"]');
    let next = to ?? before;
    if (!next || next.closest("[hidden]")) next = all("td a", shown.body).find((link) => !link.closest("[hidden]"));
    if (before) before.tabIndex = -1;
    if (next) next.tabIndex = 0;
    return next;
  }
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0], Home: [0, 1], End: [0, -1] };
  function step(shown, cell, key) {
    const [down, right] = steps[key], rows = [...shown.body.rows].filter((row) => !row.hidden);
    let row = rows.indexOf(cell.parentElement), column = cell.cellIndex;
    if (key === "Home" || key === "End") column = key === "Home" ? 0 : cell.parentElement.cells.length;
    for (;;) {
      row += down;
      column += right;
      const next = column > 0 && rows[row]?.cells[column];
      if (!next) return null;
      if (!next.hidden && linkOf(next)) return linkOf(next);
    }
  }
  for (const shown of matrices) {
    all("td a", shown.body).forEach((link) => { link.tabIndex = -1; });
    shown.body.addEventListener("keydown", (event) => {
      const cell = event.target.closest("td");
      if (!cell || event.ctrlKey || event.metaKey || event.altKey || !(event.key in steps)) return;
      event.preventDefault();
      const link = step(shown, cell, event.key);
      if (!link) return;
      rove(shown, link).focus();
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }

  // Sorting: the head of a test sorts sources by it, that of the sources by the mean over tests;
  // missing ones stay last.
  const listOf = (link, name) => (link?.dataset[name] ? link.dataset[name].split("|") : []);
  const number = (text) => parseFloat((text ?? "").replace("\u2212", "-"));
  const first = (link) => number(listOf(link, "s")[0]);
  const rank = (link) => (value("sort-by") === "verdict" ? (link ? Number(link.dataset.v) : NaN) : first(link));
  function key(row, column) {
    const ranks = (column ? [row.cells[column]] : [...row.cells].slice(1)).map((cell) => rank(linkOf(cell))).filter((x) => !Number.isNaN(x));
    return ranks.reduce((sum, x) => sum + x, 0) / ranks.length;
  }
  function sort(shown) {
    const head = shown.table.querySelector("th[aria-sort]"), sign = { descending: -1, ascending: 1 }[head?.getAttribute("aria-sort")] ?? 0;
    shown.body.append(...shown.rows.toSorted((a, b) => {
      const x = sign && key(a, head.cellIndex), y = sign && key(b, head.cellIndex);
      return sign && (Number.isNaN(x) || Number.isNaN(y) ? Number.isNaN(x) - Number.isNaN(y) : sign * (x - y));
    }));
  }
  for (const shown of matrices) for (const head of all("thead th", shown.table)) {
    const button = make("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const order = { none: "descending", descending: "ascending", ascending: "none" }[head.getAttribute("aria-sort") ?? "none"];
      all("th[aria-sort]", shown.table).forEach((other) => other.removeAttribute("aria-sort"));
      if (order !== "none") head.setAttribute("aria-sort", order);
      sort(shown);
    });
  }
  byId("sort-by").addEventListener("change", () => matrices.forEach(sort));

  // Two sources side by side, in the measure that is shown; until two are chosen, the first two.
  const SIDES = ["first", "second"], names = new Map(all("#first option").map((option) => [option.value, option.textContent]));
  const END = 2, WIDE = 200, SVG = "http://www.w3.org/2000/svg";
  let chosen = false;
  function suggest(shown) {
    if (!chosen && names.size > 1) SIDES.forEach((id, i) => { byId(id).value = shown.rows[Math.min(i, shown.rows.length - 1)].dataset.model; });
    const titles = shown.table.dataset.effects.split("|").filter(Boolean), before = byId("level").value;
    byId("level").replaceChildren(...titles.map((title) => make("option", title)));
    if (titles.includes(before)) byId("level").value = before;
  }
  function forest(exactly) {  // both effect sizes on one axis, with their intervals
    const svg = document.createElementNS(SVG, "svg"), x = (d) => (Math.max(-END, Math.min(END, d)) + END) / (2 * END) * WIDE;
    const add = (name, values) => {
      const part = document.createElementNS(SVG, name);
      Object.entries(values).forEach(([key, text]) => part.setAttribute(key, text));
      svg.append(part);
    };
    Object.entries({ viewBox: `0 0 ${WIDE} 24`, width: WIDE, height: 24, "aria-hidden": true }).forEach(([key, text]) => svg.setAttribute(key, text));
    add("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: 24 });
    exactly.forEach(([d, low, high], i) => {
      const y = 7 + 10 * i, side = "ab"[i];
      if (Number.isNaN(d)) return;
      if (high !== undefined) add("path", { class: `${side} line`, d: `M${x(low)} ${y}H${x(high)}${high > END ? "m-3-3l3 3-3 3" : ""}${low < -END ? `M3 ${y - 3}l-3 3 3 3` : ""}` });  // an arrow: it goes on
      if (i) add("rect", { class: side, x: x(d) - 4, y: y - 4, width: 8, height: 8 });
      else add("circle", { class: side, cx: x(d), cy: y, r: 4 });
    });
    return svg;
  }
  const signed = (n) => (Number.isNaN(n) ? "\u2013" : `${Math.abs(n) < .005 ? "" : n < 0 ? "\u2212" : "+"}${Math.abs(n).toFixed(2)}`);
  function compare() {
    if (names.size < 2) return;
    const shown = current(), sides = SIDES.map(value), said = byId("compared");
    const rows = sides.map((id) => shown.rows.find((row) => row.dataset.model === id));
    const at = Math.max(0, byId("level").selectedIndex), title = value("level");
    const [head, body] = [document.querySelector(".side thead"), document.querySelector(".side tbody")];
    head.replaceChildren();
    body.replaceChildren();
    if (rows.includes(undefined)) {
      said.textContent = `${names.get(sides[rows.indexOf(undefined)])} has no results of this measure.`;
      return;
    }
    const th = (text, span, className) => Object.assign(make("th", text, className), { scope: span > 1 ? "colgroup" : "col", colSpan: span });
    const top = make("tr");
    top.append(th("Test", 1));
    sides.forEach((id, i) => {
      const of = th("", 2, "group");
      of.append(make("span", i ? "\u25a0 " : "\u25cf ", `mark-${"ab"[i]}`), names.get(id));
      top.append(of);
    });
    top.append(th("Difference", 1, "num"), th(`${title}, from \u22122 to 2`, 1));
    if (NAMES.size) top.append(th(`Verdicts, ${shown.table.dataset.effects.split("|")[0] || "first number"}`, 1));
    head.append(top);
    let sign = 0;
    const lines = [];
    for (const test of shown.heads) {
      const links = rows.map((row) => linkOf(row.cells[test.cellIndex]));
      if (test.hidden || !(links[0] || links[1])) continue;
      const line = make("tr"), verdicts = links.map((link) => NAMES.get(link?.dataset.v) ?? ""), called = make("th");
      const exactly = links.map((link) => (listOf(link, "i")[at] ?? "").split(",").map(parseFloat)), sizes = exactly.map(([d]) => d);
      called.scope = "row";
      called.append(test.querySelector("span")?.textContent ?? test.dataset.name, make("small", test.dataset.name));
      line.append(called);
      links.forEach((link) => {
        const cell = make("td", link ? "" : "not measured", "pair");
        if (link) {
          const copy = link.cloneNode(true);
          copy.removeAttribute("id");
          copy.tabIndex = 0;
          cell.append(copy);
        }
        line.append(cell, make("td", listOf(link, "s")[at] ?? "\u2013", "num"));
      });
      const drawn = make("td"), difference = sizes[1] - sizes[0];
      drawn.append(forest(exactly));
      line.append(make("td", signed(difference), "num"), drawn);
      if (NAMES.size) line.append(make("td", [...new Set(verdicts.filter(Boolean))].join(" / ")));
      lines.push([Number.isNaN(difference) ? -1 : Math.abs(difference), line, links[0] && links[1]]);
      if (!links[0] || !links[1]) continue;
      sign += Math.sign(sizes[0]) === Math.sign(sizes[1]);
    }
    lines.sort((a, b) => b[0] - a[0]);
    body.append(...lines.map(([, line]) => line));
    const both = lines.filter(([, , measured]) => measured).length;
    said.textContent = both ? `${both} ${both === 1 ? "test" : "tests"} in both, sorted by difference. ${title || "The number"} has the same sign in ${sign}.` : "No test was measured in both.";
  }
  if (names.size < 2) all('#compare, a[href="#compare"]').forEach((part) => part.remove());
  else {
    byId("level").addEventListener("change", compare);
    for (const id of SIDES) byId(id).addEventListener("change", () => {
      chosen = true;
      compare();
      history.replaceState(null, "", `#compare=${SIDES.map(value)}`);
    });
  }

  // A cell: its details are unpacked when it is opened.
  const packs = all("script.pack"), unpacked = new Map(), dialog = byId("cell");
  function unpack(place) {
    if (!unpacked.has(place)) {
      const bytes = Uint8Array.from(atob(packs[place].textContent), (letter) => letter.charCodeAt(0));
      unpacked.set(place, new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json());
    }
    return unpacked.get(place);
  }
  let opened = null;
  async function open(link) {
    opened = link;
    const [pack, place] = link.dataset.at.split(".").map(Number);
    byId("cell-body").innerHTML = (await unpack(pack))[place];
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    byId("cell-title").focus();
  }
  dialog.addEventListener("close", () => {  // by now the address may lead to another cell
    if (location.hash === opened.getAttribute("href")) history.replaceState(null, "", location.pathname + location.search);
    opened.focus();
  });
  byId("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  byId("copy-link").addEventListener("click", async (event) => {
    const button = event.currentTarget;
    let said = "Copied";
    try { await navigator.clipboard.writeText(location.href); } catch { said = "It is in the address bar"; }
    button.textContent = said;
    setTimeout(() => { button.textContent = "Copy the link"; }, 2500);
  });
  document.addEventListener("click", (event) => {  // the same cell again does not change the address
    const link = event.target.closest?.("td a[data-at]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(null, "", link.getAttribute("href"));
    open(link);
  });

  function follow() {
    const hash = location.hash.slice(1);
    if (hash.startsWith("compare=") && names.size > 1) {
      const models = hash.slice("compare=".length).split(",");
      chosen = true;
      SIDES.forEach((id, i) => { if (names.has(models[i])) byId(id).value = models[i]; });
      compare();
      byId("compare").scrollIntoView();
      return;
    }
    const link = byId(hash), { number } = link?.closest(".matrix")?.dataset ?? {};
    if (!link?.dataset.at) return;
    if (value("measure-filter") !== number && matrices.length > 1) {
      byId("measure-filter").value = number;
      filter();
    }
    rove(current(), link);
    link.scrollIntoView({ block: "center", inline: "center" });
    open(link);
  }

  let waiting = 0;
  all('.tools input[type="search"]').forEach((field) => field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); }));
  all("#matrix .tools select:not(#sort-by)").forEach((choice) => choice.addEventListener("change", filter));
  addEventListener("hashchange", follow);
  filter();
  follow();
})();
