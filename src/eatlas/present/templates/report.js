"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  all("[hidden]").forEach((part) => { part.hidden = false; });
  all(".without-script").forEach((part) => part.remove());

  // Sorting: a button in each head that has a kind; undefined values stay last.
  const inOrder = new Intl.Collator("en", { numeric: true });
  const sorters = [];
  all("table.summary").forEach((table) => {
    const body = table.tBodies[0];
    all("tr", body).forEach((row, i) => { row.dataset.place = i; });
    all("th[data-kind]", table.tHead).filter((head) => head.dataset.kind).forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, head));
      sorters.push(head);
    });
  });
  const cellOf = (row, column) => row.cells[column].dataset.v ?? "";
  function sort(table, head) {
    const column = columnOf(table, head);
    const next = { none: "ascending", ascending: "descending", descending: "none" };
    const order = next[head.getAttribute("aria-sort") ?? "none"];
    all("th[aria-sort]", table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
    if (order !== "none") head.setAttribute("aria-sort", order);
    const sign = order === "descending" ? -1 : 1;
    const number = head.dataset.kind === "number";
    const compare = (one, other) => {
      if (order === "none") return 0;
      const [a, b] = [cellOf(one, column), cellOf(other, column)];
      if (a === "" || b === "") return (a === "") - (b === "");
      return sign * (number ? a - b : inOrder.compare(a, b));
    };
    const rows = [...table.tBodies[0].rows];
    rows.sort((one, other) => compare(one, other) || one.dataset.place - other.dataset.place);
    table.tBodies[0].append(...rows);
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

  // A long table shows its first rows until it is asked for more, or some are looked for.
  const long = all("table[data-first]");
  long.forEach((table) => {
    const more = document.createElement("p");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = `Show all ${table.tBodies[0].rows.length} rows`;
    button.addEventListener("click", () => { table.classList.add("whole"); more.remove(); });
    more.className = "more";
    more.append(`Only the first ${table.dataset.first} rows are shown. `, button);
    table.parentElement.after(more);
  });

  // Finding: by words, pattern and source.
  const search = byId("search");
  if (search) {
    const rows = all("table.summary tbody tr").map((row) => ({
      row,
      words: row.textContent.toLowerCase(),
      article: byId(row.dataset.result).closest("article"),
    }));
    const choices = ["test", "verdict", "source"].filter((what) => byId(`${what}-filter`));
    const filter = () => {
      const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const chosen = choices.map((what) => [what, byId(`${what}-filter`).value]).filter(([, value]) => value);
      long.forEach((table) => {
        const more = table.parentElement.nextElementSibling;
        if (more?.className === "more") {
          table.classList.toggle("whole", wanted.length + chosen.length > 0);
          more.hidden = table.classList.contains("whole");
        }
      });
      let left = 0;
      for (const { row, words, article } of rows) {
        const fits = wanted.every((word) => words.includes(word))
          && chosen.every(([what, value]) => row.dataset[what] === value);
        row.hidden = article.hidden = !fits;
        left += fits;
      }
      byId("shown").textContent = left === rows.length ? `${left} results` : `${left} of ${rows.length} results, here and in the findings`;
    };
    let waiting = 0;
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
    choices.forEach((what) => byId(`${what}-filter`).addEventListener("change", filter));
    filter();
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
    if (table) add("Numbers (CSV)", () => keep(`${id}.csv`, "text/csv", commas(table)));
    if (!line.childElementCount) return;
    const step = body.querySelector(".step");
    if (step) step.after(line); else body.append(line);
  }

  // Packed parts: unpacked when they are opened.
  const packs = all("script.pack");
  const unpacked = new Map();
  async function unpack(number) {
    const bytes = Uint8Array.from(atob(packs[number].textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }
  const once = (number) => {
    if (!unpacked.has(number)) unpacked.set(number, unpack(number));
    return unpacked.get(number);
  };
  async function fill(part) {
    if (part.dataset.filled) return;
    part.dataset.filled = "yes";
    const parts = await once(part.dataset.pack);
    part.lastElementChild.innerHTML = parts[part.dataset.place];
    window.dress(part);
    offer(part.closest(".body"));
  }
  all("details.later").forEach((part) => {
    part.addEventListener("toggle", () => { if (part.open) fill(part); });
  });

  // Packed figures of a finding are unpacked as soon as it is opened.
  all("details.finding-of").forEach((part) => {
    const opened = () => {
      const packed = part.querySelector("details.later");
      if (part.open && packed) packed.open = true;
      if (part.open && !packed) offer(part.querySelector(".body"));
    };
    part.addEventListener("toggle", opened);
    if (part.open) opened();
  });

  // From any place to any result.
  const heads = all("article.result:not(.theme) h3");
  if (heads.length > 1) {
    const label = document.createElement("label");
    const jump = document.createElement("select");
    label.className = "jump";
    jump.append(new Option("Go to a result", ""));
    heads.forEach((head) => {
      const line = head.parentElement.querySelector(".meta");
      jump.append(new Option([line.querySelector(".id"), line.querySelector("b:not(.verdict)")].filter(Boolean).map((one) => one.textContent).join(", "), head.id));
    });
    jump.setAttribute("aria-label", "Go to a result");
    jump.addEventListener("change", () => {
      if (jump.value) location.hash = `#${encodeURIComponent(jump.value)}`;
      jump.value = "";
    });
    label.append(jump);
    document.querySelector("nav div").append(label);
  }

  // A link to a result opens it, and what it is folded in.
  const follow = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not an escaped name */ }
    const article = id && byId(id)?.closest("article");
    if (!article) return;
    const part = article.querySelector("details");
    if (part) part.open = true;
    const around = article.parentElement.closest("details");
    if (around) around.open = true;
    article.hidden = false;  // a filter may have taken it away
    byId(id).scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
})();
