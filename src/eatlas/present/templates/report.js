"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  all("[hidden]").forEach((part) => { part.hidden = false; });
  all(".without-script").forEach((part) => part.remove());

  // Results: the finding and the row of each. A page of many results has the first of them; the
  // others are data, of which findings and rows are made when they are shown.
  const first = Number(document.body.dataset.first || Infinity);
  const findings = all("article.result:not(.theme)").map((article) => ({ article, id: article.getAttribute("aria-labelledby") }));
  const tables = all("table.summary").map((table) => ({
    table,
    whole: false,
    compare: () => 0,
    items: all("tbody tr", table).map((row) => ({
      row, facts: row.dataset, words: row.textContent.toLowerCase(), value: (column) => row.cells[column].dataset.v ?? "",
    })),
  }));
  const rowOf = (item) => (item.row ??= blocks.row(item));
  function articleOf(finding) {
    if (!finding.article) {
      const place = findings.indexOf(finding);
      finding.article = blocks.finding(finding.line);
      const before = findings.slice(0, place).findLast(({ article }) => article);
      before.article.after(finding.article);
      watch(finding.article.querySelector("details.finding-of"));
      window.dress(finding.article);
    }
    return finding.article;
  }
  async function load() {
    if (document.body.dataset.first === undefined) return;
    const { lines, rows } = await blocks.rest();
    lines.forEach((line) => findings.push({ id: line.anchor, line }));
    tables.forEach(({ table, items }, i) => rows[i].forEach(([place, cells, values]) => {
      const line = lines[place], { anchor: result, verdict, source, test } = line;
      items.push({
        table, cells, line, facts: { result, verdict, source, test },
        words: blocks.words(cells).toLowerCase(), value: (column) => values[column] ?? "",
      });
    }));
  }
  const loaded = load();

  // Sorting: a button in each head that has a kind; undefined values stay last.
  const inOrder = new Intl.Collator("en", { numeric: true });
  tables.forEach((part) => all("th[data-kind]", part.table.tHead).filter((head) => head.dataset.kind).forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(part, head));
  }));
  function sort(part, head) {
    const column = columnOf(part.table, head);
    const next = { none: "ascending", ascending: "descending", descending: "none" };
    const order = next[head.getAttribute("aria-sort") ?? "none"];
    all("th[aria-sort]", part.table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
    if (order !== "none") head.setAttribute("aria-sort", order);
    const sign = order === "descending" ? -1 : 1;
    const number = head.dataset.kind === "number";
    part.compare = order === "none" ? () => 0 : (one, other) => {
      const [a, b] = [one.value(column), other.value(column)];
      if (a === "" || b === "") return (a === "") - (b === "");
      return sign * (number ? a - b : inOrder.compare(a, b));
    };
    show();
  }
  // There are two rows of heads, some over several columns.
  function columnOf(table, wanted) {
    const [first, second] = table.tHead.rows;
    let column = 0;
    const below = second ? [...second.cells] : [];
    for (const head of first.cells) {
      if (head === wanted) return column;
      if (head.rowSpan === 1 && second) {
        for (const inner of below.splice(0, head.colSpan)) {
          if (inner === wanted) return column;
          column += 1;
        }
      } else {
        column += head.colSpan;
      }
    }
    return column;
  }

  // What fits, in its order; of many the first rows and findings, until all are wanted.
  let fits = () => true;
  const list = { whole: false };
  function more(part, after, shown, every, things) {
    if (!part.more) {
      part.more = document.createElement("p");
      part.more.className = "more";
    }
    after.after(part.more);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = `Show all ${every.toLocaleString("en")} ${things}`;
    button.addEventListener("click", () => { part.whole = true; show(); });
    part.more.replaceChildren(`Only the first ${shown.toLocaleString("en")} ${things} are shown and printed. `, button);
    part.more.hidden = shown === every;
  }
  async function show() {
    await loaded;
    const wanted = new Set();
    let every = 0, left = 0;
    for (const part of tables) {
      const fitting = part.items.filter(fits);
      fitting.forEach(({ facts }) => wanted.add(facts.result));
      every += part.items.length;
      left += fitting.length;
      const rows = [...fitting].sort(part.compare).slice(0, part.whole ? Infinity : first);
      part.table.tBodies[0].replaceChildren(...rows.map(rowOf));
      if (part.items.length > first) more(part, part.table.parentElement, rows.length, fitting.length, "rows");
    }
    const fitting = findings.filter(({ id }) => wanted.has(id));
    const visible = new Set(fitting.slice(0, list.whole ? Infinity : first));
    for (const finding of findings) {
      if (visible.has(finding)) articleOf(finding).hidden = false;
      else if (finding.article) finding.article.hidden = true;
    }
    if (findings.length > first) more(list, findings.findLast(({ article }) => article).article, visible.size, fitting.length, "findings");
    byId("shown").textContent = left === every ? `${every} results` : `${left} of ${every} results, here and in the findings`;
  }

  // Finding: by words, verdict and source.
  const search = byId("search");
  if (search) {
    const choices = ["test", "verdict", "source"].filter((what) => byId(`${what}-filter`));
    const filter = () => {
      const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const chosen = choices.map((what) => [what, byId(`${what}-filter`).value]).filter(([, value]) => value);
      fits = ({ words, facts }) => wanted.every((word) => words.includes(word))
        && chosen.every(([what, value]) => facts[what] === value);
      show();
    };
    let waiting = 0;
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
    choices.forEach((what) => byId(`${what}-filter`).addEventListener("change", filter));
    show();
  }

  // Copying; where the clipboard is closed to us, the text is selected, ready for the keys.
  all("button[data-copy]").forEach((button) => {
    const before = button.textContent;
    button.addEventListener("click", async () => {
      const part = byId(button.dataset.copy);
      let said = "Copied";
      try {
        await navigator.clipboard.writeText(part.textContent);
      } catch {
        getSelection().selectAllChildren(part);
        said = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl or Cmd + C";
      }
      button.textContent = said;
      setTimeout(() => { button.textContent = before; }, 2500);
    });
  });

  // A file of what is shown, made here.
  function keep(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  // A figure as a file of its own: with the looks that the page's style gives it.
  const looks = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order", "font-size", "font-weight", "font-family", "text-anchor"];
  function standing(svg) {
    const copy = svg.cloneNode(true);
    const parts = [svg, ...all("*", svg)];
    [copy, ...all("*", copy)].forEach((part, i) => {
      const style = getComputedStyle(parts[i]);
      looks.forEach((look) => part.setAttribute(look, style.getPropertyValue(look)));
      part.removeAttribute("class");
    });
    const [, , width, height] = svg.getAttribute("viewBox").split(" ");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.style.background = getComputedStyle(document.body).backgroundColor;
    return new XMLSerializer().serializeToString(copy);
  }
  const cellText = (cell) => {
    const copy = cell.cloneNode(true);
    all("svg", copy).forEach((part) => part.remove());
    all("small, br", copy).forEach((part) => part.prepend(" "));
    return copy.textContent.trim().replace(/\s+/g, " ").replaceAll("\u2212", "-");
  };
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  function commas(table) {
    const drawn = window.headsOf(table).map((head, i) => ({ head, i }))
      .filter(({ i }) => !table.tBodies[0].rows[0]?.cells[i]?.classList.contains("drawn"));
    const rows = [...table.tBodies[0].rows].map((row) => drawn.map(({ i }) => cellText(row.cells[i] ?? row)));
    return [drawn.map(({ head }) => head), ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
  }
  function withAllTests(body, read) {  // what is saved does not depend on switches
    const changed = all(".claim:has(input:not(:checked))", body);
    changed.forEach((claim) => claims.show(claim, true));
    const answer = read();
    changed.forEach((claim) => claims.show(claim));
    return answer;
  }
  // Below a result: its figures as SVG and its numbers as CSV.
  function offer(body) {
    if (!body || body.querySelector(".take")) return;
    const id = body.closest("article").querySelector("h3").id;
    const line = document.createElement("p");
    line.className = "take";
    line.append("Download: ");
    const add = (what, act) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = what;
      button.addEventListener("click", act);
      line.append(button);
    };
    const numbered = (base, i) => (i ? `${base}-${i + 1}` : base);
    all("figure svg[viewBox]", body).forEach((svg, i) => {
      const head = svg.closest("figure").previousElementSibling;
      const named = svg.closest(".map") ? "EAT-Map" : (head?.textContent ?? "Figure").split(":")[0];
      add(`${named} (SVG)`, () => keep(`${numbered(id, i)}.svg`, "image/svg+xml", standing(svg)));
    });
    const table = body.querySelector("table.levels, table.targets, table.rows, table.terms");
    if (table) add("Numbers (CSV)", () => keep(`${id}.csv`, "text/csv", withAllTests(body, () => commas(table))));
    if (!line.childElementCount) return;
    const step = body.querySelector(".step");
    if (step) step.after(line); else body.append(line);
  }

  // What a page of many results holds as data is drawn when a reader opens it.
  async function fill(body) {
    const where = body.dataset.at;
    delete body.dataset.at;
    body.prepend(...blocks.all(await blocks.part(where)));
    window.dress(body);
    offer(body);
  }
  function watch(part) {
    const opened = () => {
      const body = part.querySelector(".body");
      if (part.open && body.dataset.at) fill(body);
      else if (part.open) offer(body);
    };
    part.addEventListener("toggle", opened);
    if (part.open) opened();
  }
  all("details.finding-of").forEach(watch);

  // From any place to any result.
  const named = ({ article, line }) => {
    if (line) return [line.test, line.setting].filter(Boolean).join(", ");
    const meta = article.querySelector(".line .meta");
    return [meta.querySelector(".id"), meta.querySelector("b:not(.verdict)")].filter(Boolean).map((part) => part.textContent).join(", ");
  };
  if (findings.length > 1) {
    const label = document.createElement("label");
    const jump = document.createElement("select");
    label.className = "jump";
    jump.append(new Option("Go to a result", ""), ...findings.map((finding) => new Option(named(finding), finding.id)));
    const known = findings.length;
    loaded.then(() => jump.append(...findings.slice(known).map((finding) => new Option(named(finding), finding.id))));
    jump.setAttribute("aria-label", "Go to a result");
    jump.addEventListener("change", () => {
      if (jump.value) location.hash = `#${encodeURIComponent(jump.value)}`;
      jump.value = "";
    });
    label.append(jump);
    document.querySelector("nav div").append(label);
  }

  // A link to a result opens it, and what it is folded in.
  const follow = async () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not an escaped name */ }
    if (id && !byId(id)) {
      await loaded;
      const finding = findings.find((other) => other.id === id);
      if (finding) articleOf(finding);
    }
    const article = id && byId(id)?.closest("article");
    if (!article) return;
    const part = article.querySelector("details");
    if (part) part.open = true;
    const around = article.parentElement.closest("details");
    if (around) around.open = true;
    article.hidden = false;  // a filter may have taken it away
    const scroll = (frames) => {  // parts that come into view get their height, which moves others
      byId(id).scrollIntoView({ behavior: "instant" });
      if (frames) requestAnimationFrame(() => scroll(frames - 1));
    };
    scroll(4);
  };
  addEventListener("hashchange", follow);
  follow();
})();
