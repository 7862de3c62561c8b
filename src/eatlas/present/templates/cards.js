"use strict";
// Tables on a narrow screen: each row is a card, each cell has the head of its column before it.
(() => {
  const all = (selector, within) => [...within.querySelectorAll(selector)];
  const said = (head) => {
    const copy = head.cloneNode(true);
    all("svg, br", copy).forEach((part) => part.replaceWith(" "));
    all("small", copy).forEach((part) => part.prepend(", "));
    return copy.textContent.trim().replace(/\s+/g, " ").replace(/ ,/g, ",");
  };
  // The head of each column; one over several columns comes before theirs.
  window.headsOf = (table) => {
    const [first, second] = table.tHead?.rows ?? [];
    const below = second ? [...second.cells] : [];
    return [...(first?.cells ?? [])].flatMap((head) => {
      const name = said(head);
      if (head.rowSpan > 1 || !second) return Array(head.colSpan).fill(name);
      return below.splice(0, head.colSpan).flatMap((one) => Array(one.colSpan).fill(name ? `${name}: ${said(one)}` : said(one)));
    });
  };
  const role = (parts, name) => parts.forEach((part) => part.setAttribute("role", name));
  const wide = (table) => table.parentElement.scrollWidth > table.parentElement.clientWidth;
  const cards = (part) => all(".scroll > table:not(.cells, .cards)", part).filter(wide).forEach((table) => {
    const heads = window.headsOf(table);
    if (!heads.length) return;
    table.classList.add("cards");
    for (const row of table.tBodies[0]?.rows ?? []) {
      let column = 0;
      for (const cell of row.cells) {
        if (cell.tagName === "TD") cell.dataset.h = heads[column] ?? "";
        column += cell.colSpan;
      }
    }
    // what is drawn as blocks would be no table to a screen reader
    role([table], "table");
    role([...all("thead, tbody", table)], "rowgroup");
    role(all("tr", table), "row");
    role(all("td", table), "cell");
    role(all("tbody th", table), "rowheader");
    role(all("thead th", table), "columnheader");
  });
  const narrow = matchMedia("(max-width: 40rem)");
  window.dress = (part) => { if (narrow.matches) cards(part); };
  narrow.addEventListener("change", () => window.dress(document));
  document.addEventListener("toggle", (event) => window.dress(event.target), true);
  window.dress(document);
})();
