(async () => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const value = (id) => byId(id)?.value ?? "";
  const make = (name, text = "", className = "") => Object.assign(document.createElement(name), { textContent: text, className });

  async function unpack(script) {
    const bytes = Uint8Array.from(atob(script.textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  }
  const [headings, ...matrices] = await Promise.all(all("script.pack").map(unpack));
  all(".without-script").forEach((part) => part.remove());
  all(".with-script").forEach((part) => { part.hidden = false; });

  // Rows: the name of a source, and settings that distinguish it from others.
  const settings = Object.entries(headings.settings), differing = settings.filter(([, values]) => new Set(values).size > 1);
  const settingOf = (row) => differing.filter(([, values]) => values[row] !== null).map(([name, values]) => `${name} ${values[row]}`).join(", ");
  const wordsOf = headings.sources.map((name, row) => `${name} ${settingOf(row)}`.toLowerCase());

  // Cells: the place of each is its row times the number of tests, plus the column.
  for (const matrix of matrices) {
    let place = 0;
    matrix.cells = new Map(matrix.steps.map((step, i) => [place += step, i]));
    matrix.rows = [...new Set([...matrix.cells.keys()].map((at) => Math.floor(at / matrix.tests.length)))];
    matrix.order = null;
  }
  const current = () => matrices[Number(value("measure-filter"))];
  const cellOf = (matrix, row, column) => matrix.cells.get(row * matrix.tests.length + column);
  const numberOf = (matrix, cell, name) => matrix[name]?.[cell] ?? null;
  const effect = (n) => (n === null ? "\u2013" : `${n < 0 ? "\u2212" : ""}${(Math.abs(n) / 100).toFixed(2)}`);
  const VERDICTS = new Map([...all("#verdict-filter option")].filter((option) => option.value).map((option) => [option.value, option.textContent]));
  VERDICTS.set("0", "no test").set("s", "numbers of single terms or targets");
  const verdictOf = (matrix, cell) => VERDICTS.get(matrix.verdicts[cell]);
  const STEP = 40, STEPS = 4, MOST_ROWS = 200, MOST_CELLS = 4000;
  function classOf(matrix, cell) {
    const d = numberOf(matrix, cell, "effect_size"), verdict = matrix.verdicts[cell];
    const shade = d !== null && (verdict === "2" || verdict === "3") ? `${d > 0 ? "up" : "down"}-${Math.min(STEPS, Math.floor(Math.abs(d) / STEP))} ` : "";
    return `${shade}v${verdict}`;
  }

  // Which rows and columns are shown, in which order.
  let rows = [], columns = [], first = 0;
  const fits = (id, words) => value(id).toLowerCase().split(/\s+/).filter(Boolean).every((word) => words.includes(word));
  function rank(matrix, row, column) {
    const cell = cellOf(matrix, row, column);
    if (cell === undefined) return null;
    return value("sort-by") === "verdict" ? (matrix.verdicts[cell] === "s" ? 0 : Number(matrix.verdicts[cell])) : numberOf(matrix, cell, "effect_size");
  }
  function comparison(matrix) {
    const { column, sign } = matrix.order;
    if (column < 0) return (a, b) => sign * wordsOf[a].localeCompare(wordsOf[b], undefined, { numeric: true });
    return (a, b) => {
      const x = rank(matrix, a, column), y = rank(matrix, b, column);
      return x === null || y === null ? (x === null) - (y === null) : sign * (x - y);
    };
  }
  function choose() {
    const matrix = current(), verdict = value("verdict-filter");
    columns = matrix.tests.map((_, column) => column).filter((column) => fits("find-tests", [matrix.tests[column], ...headings.tests[matrix.tests[column]]].join(" ").toLowerCase()));
    const named = (row) => columns.some((column) => matrix.verdicts[cellOf(matrix, row, column)] === verdict);
    rows = matrix.rows.filter((row) => fits("find-sources", wordsOf[row]) && (!verdict || named(row)));
    if (matrix.order) rows.sort(comparison(matrix));
    first = 0;
    const of = (n, total, thing) => `${n === total ? n.toLocaleString("en") : `${n.toLocaleString("en")} of ${total.toLocaleString("en")}`} ${total === 1 ? thing : `${thing}s`}`;
    byId("shown").textContent = `${of(rows.length, matrix.rows.length, "source")}, ${of(columns.length, matrix.tests.length, "test")}`;
    draw();
  }

  // One page of rows.
  const table = document.querySelector(".grid");
  const size = () => Math.max(20, Math.min(MOST_ROWS, Math.floor(MOST_CELLS / Math.max(1, columns.length))));
  function head(matrix, column) {
    const part = make("th", "", column < 0 ? "corner" : "test"), button = make("button");
    part.scope = "col";
    button.type = "button";
    if (column < 0) button.textContent = "Source";
    else {
      const named = headings.tests[matrix.tests[column]].filter(Boolean).map((side) => make("span", side));
      button.append(...named, make("small", matrix.tests[column]));
      [...button.children].forEach((child) => { child.dir = "auto"; });
    }
    if (matrix.order?.column === column) part.setAttribute("aria-sort", matrix.order.sign < 0 ? "descending" : "ascending");
    button.addEventListener("click", () => {
      const firstSign = column < 0 ? 1 : -1, { column: before, sign } = matrix.order ?? {};
      matrix.order = before !== column ? { column, sign: firstSign } : sign === firstSign ? { column, sign: -firstSign } : null;
      choose();
      table.tHead.rows[0].cells[column < 0 ? 0 : 1 + columns.indexOf(column)].firstElementChild.focus();
    });
    part.append(button);
    return part;
  }
  function line(matrix, row) {
    const part = make("tr"), named = make("th"), name = make("span", headings.sources[row]);
    named.scope = "row";
    name.dir = "auto";
    named.append(name);
    if (settingOf(row)) named.append(Object.assign(make("small", settingOf(row)), { dir: "auto" }));
    part.append(named);
    for (const column of columns) {
      const cell = cellOf(matrix, row, column), td = make("td");
      if (cell !== undefined) {
        const number = effect(numberOf(matrix, cell, "effect_size")), link = make("a", "", classOf(matrix, cell));
        link.href = `#${addressOf(matrix, row, column)}`;
        link.tabIndex = -1;
        link.setAttribute("aria-label", `${matrix.tests[column]}, ${headings.sources[row]}: ${number}, ${verdictOf(matrix, cell)}`);
        link.append(make("span", number));
        Object.assign(link, { row, column });
        const verdict = value("verdict-filter");
        td.classList.toggle("dim", Boolean(verdict) && verdict !== matrix.verdicts[cell]);
        td.append(link);
      }
      part.append(td);
    }
    return part;
  }
  function draw() {
    const matrix = current(), last = Math.min(first + size(), rows.length), top = make("tr");
    top.append(head(matrix, -1), ...columns.map((column) => head(matrix, column)));
    table.tHead.replaceChildren(top);
    table.tBodies[0].replaceChildren(...rows.slice(first, last).map((row) => line(matrix, row)));
    const link = table.querySelector("td a");
    if (link) link.tabIndex = 0;
    byId("range").textContent = rows.length ? `Sources ${(first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "No source fits.";
    byId("previous").disabled = first === 0;
    byId("next").disabled = last >= rows.length;
  }
  function turn(step) {
    first = Math.max(0, first + step * size());
    draw();
    table.parentElement.scrollTop = 0;
  }
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));

  // Keys: one stop in the table, arrows move.
  const MOVES = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  table.addEventListener("keydown", (event) => {
    const link = event.target.closest("td a");
    if (!link || !(event.key in MOVES) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const [down, right] = MOVES[event.key];
    let part = link.parentElement, next;
    do {
      part = table.tBodies[0].rows[part.parentElement.sectionRowIndex + down]?.cells[part.cellIndex + right];
      next = part?.querySelector("a");
    } while (part && part.matches("td") && !next);
    if (!next) return;
    link.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  // A cell: its numbers, and the command that shows its details.
  const dialog = byId("cell"), quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  let opened = null;
  const addressOf = (matrix, row, column) => new URLSearchParams([["measure", matrix.signature], ["row", row], ["source", headings.sources[row]], ["test", matrix.tests[column]]]).toString();
  function command(matrix, row, column) {
    const known = settings.filter(([, values]) => values[row] !== null).map(([name, values]) => [name, values[row]]);
    const conditions = [["test", matrix.tests[column]], ["source", headings.sources[row]], ["signature", matrix.signature], ...known]
      .filter(([, text]) => !/\p{Cc}/u.test(text));  // control characters must not reach a terminal
    return ["eatlas report", /^[\w.-]+$/.test(headings.store) ? headings.store : quote(headings.store), ...conditions.map(([name, text]) => `--where ${quote(`${name}=${text}`)}`), "-o report.html"].join(" ");
  }
  function open(matrix, row, column) {
    const cell = cellOf(matrix, row, column), low = numberOf(matrix, cell, "low"), high = numberOf(matrix, cell, "high");
    const d = numberOf(matrix, cell, "effect_size"), interval = low === null || high === null ? "" : ` [${effect(low)}, ${effect(high)}]`;
    byId("cell-title").textContent = [...headings.tests[matrix.tests[column]].filter(Boolean), matrix.tests[column]].join("; ");
    byId("cell-source").textContent = [headings.sources[row], settingOf(row)].filter(Boolean).join(", ");
    byId("cell-finding").textContent = [...(d === null ? [] : [`d = ${effect(d)}${interval}`]), verdictOf(matrix, cell)].join("; ");
    byId("cell-command").textContent = command(matrix, row, column);
    opened = { row, column };
    if (!dialog.open) dialog.showModal();
    byId("cell-title").focus();
  }
  table.addEventListener("click", (event) => {
    const link = event.target.closest("td a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(null, "", link.getAttribute("href"));
    open(current(), link.row, link.column);
  });
  dialog.addEventListener("close", () => {
    history.replaceState(null, "", location.pathname + location.search);
    all("td a", table).find((link) => link.row === opened.row && link.column === opened.column)?.focus();
  });
  byId("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  byId("copy").addEventListener("click", async (event) => {
    const button = event.currentTarget;
    let said = "Copied";
    try { await navigator.clipboard.writeText(byId("cell-command").textContent); } catch { said = "Select it to copy it"; }
    button.textContent = said;
    setTimeout(() => { button.textContent = "Copy the command"; }, 2500);
  });
  function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1)), number = matrices.findIndex((matrix) => matrix.signature === wanted.get("measure"));
    if (number < 0) return;
    const matrix = matrices[number], column = matrix.tests.indexOf(wanted.get("test"));
    const named = (row) => headings.sources[row] === wanted.get("source") && cellOf(matrix, row, column) !== undefined;
    const row = [Number(wanted.get("row")), ...matrix.rows].find(named);
    if (column < 0 || row === undefined) return;
    if (byId("measure-filter")) byId("measure-filter").value = number;
    choose();
    first = Math.floor(rows.indexOf(row) / size()) * size();
    draw();
    open(matrix, row, column);
  }

  let waiting = 0;
  all('.tools input[type="search"]').forEach((field) => field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(choose, 80); }));
  all(".tools select").forEach((choice) => choice.addEventListener("change", choose));
  addEventListener("hashchange", follow);
  choose();
  follow();
})();
