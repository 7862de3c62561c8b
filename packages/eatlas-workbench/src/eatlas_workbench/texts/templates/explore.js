"use strict";
(() => {
  const part = (id) => document.getElementById(id);
  const board = part("board"), menu = part("moves"), REST = 300, MOST_UNDO = 200, KEPT = "eatlas-explore";
  const ROLES = ["X", "Y", "A", "B"], empty = { off: {}, added: {} };
  let now = { test: document.body.dataset.first, lists: {}, ...empty, source: 0, against: null };
  let past = [], turn = 0, timer = 0, pending = null;

  function trouble(text) {
    part("problem").textContent = text;
    part("problem").hidden = !text;
  }

  // ---- the server: only the answer to the last request is shown
  async function ask(name, body, signal) {
    const answer = await fetch(name, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
    });
    if (answer.ok) return answer;
    const text = (await answer.text()).trim();
    if (answer.status === 500) throw new Error("This is an error in eatlas, not in your words. The terminal of eatlas explore shows it; please report it.");
    throw new Error(answer.status === 413 ? "The lists are too long for one request: leave words out." : text || answer.statusText);
  }

  function said(error) {
    return error instanceof TypeError
      ? "The server has stopped. Start it again with eatlas explore, and open the address that it prints."
      : error.message;
  }

  async function show() {
    const mine = ++turn;
    clearTimeout(timer);
    pending?.abort();
    pending = new AbortController();
    const { signal } = pending;
    board.setAttribute("aria-busy", "true");
    keep();
    try {
      const html = await (await ask("view", now, signal)).text();
      if (mine !== turn) return;
      trouble("");
      board.classList.remove("stale");
      put(html);
      if (part("of-themes")) for (const role of ROLES) part(`add-${role}`).setAttribute("list", "of-themes");
      timer = setTimeout(() => { more("others", mine, signal); if (now.against !== null) more("across", mine, signal); }, REST);
    } catch (error) {
      if (mine !== turn || error.name === "AbortError") return;
      board.classList.add("stale");  // no number of other words may stay in view
      trouble(said(error) + (past.length && !(error instanceof TypeError) ? "\nUndo reverses the change." : ""));
    } finally {
      if (mine === turn) board.removeAttribute("aria-busy");
    }
  }

  async function more(act, mine, signal) {
    let html;
    try { html = await (await ask(act, now, signal)).text(); } catch (error) {
      if (error.name === "AbortError") return;
      html = document.createElement("p");
      html.textContent = said(error);
      html = html.outerHTML;
    }
    if (mine !== turn || !part(act)) return;
    part(act).innerHTML = html;
    part(act).hidden = false;
  }

  // ---- parts of the board that differ are replaced; the focus stays
  function put(html) {
    const made = document.createElement("template");
    made.innerHTML = html;
    const focus = document.activeElement.id;
    const parts = new Map([...board.querySelectorAll("[data-part]")].map((old) => [old.dataset.part, old]));
    if (!parts.size) board.replaceChildren(made.content);
    for (const fresh of made.content.querySelectorAll("[data-part]")) {
      const old = parts.get(fresh.dataset.part);
      old.hidden = fresh.hidden;
      if (old.made === fresh.innerHTML) continue;
      const unfolded = old.querySelector("details")?.open;
      old.innerHTML = old.made = fresh.innerHTML;
      if (unfolded) old.querySelector("details")?.setAttribute("open", "");
    }
    for (const role of ROLES) part(`group-${role}`).dataset.name = part(`chips-${role}`).firstElementChild.dataset.group;
    const seat = focus && document.activeElement === document.body && part(focus);
    if (seat) (seat.dataset.text ? reach : (other) => other.focus())(seat);
    for (const box of board.querySelectorAll(".claim input")) box.checked = !switchedOff.has(box.value);
    if (switchedOff.size && board.querySelector(".claim")) claims.show(board.querySelector(".claim"));
    window.dress(board);
    const chip = sought && chipOf(sought.role, sought.text);
    sought = null;
    if (chip) reach(chip);
  }

  // ---- tests of the claim that are off stay off when the words change
  const switchedOff = new Set();
  board.addEventListener("change", ({ target }) => {
    if (target.closest(".claim")) switchedOff[target.checked ? "delete" : "add"](target.value);
  });

  // ---- the words: one stop of the Tab key for each group, arrows within it
  const words = (role) => [...board.querySelectorAll(`#group-${role} .chip`)];
  const chipOf = (role, text) => words(role).find((chip) => chip.dataset.text === text);

  function reach(chip) {
    for (const other of words(chip.dataset.role)) other.tabIndex = other === chip ? 0 : -1;
    chip.focus();
  }

  board.addEventListener("keydown", (event) => {
    const chip = event.target.closest(".chip");
    if (!chip || event.ctrlKey || event.metaKey || event.altKey) return;
    const chips = words(chip.dataset.role), at = chips.indexOf(chip);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined) reach(chips.at(to % chips.length));
    else if (event.key.toLowerCase() === "m") offer(chip);
    else return;
    event.preventDefault();
  });

  // ---- a word goes to another group: dragged, or by the menu that M or a right click opens
  let held = null, sought = null;

  function moved({ role, text }, to) {
    const from = chipOf(role, text), off = { ...now.off }, added = { ...now.added };
    const without = (list) => (list || []).filter((word) => word !== text);
    added[role] = without(added[role]);
    off[role] = from && !from.classList.contains("added") ? [...without(off[role]), text] : without(off[role]);
    off[to] = without(off[to]);
    if (!chipOf(to, text)) added[to] = [...(added[to] || []), text];
    sought = { role: to, text };
    change({ off, added });
  }

  function offer(chip) {
    held = { ...chip.dataset };
    menu.setAttribute("aria-label", `Move ${held.text} to`);
    for (const choice of menu.children) {
      choice.hidden = choice.value === held.role;
      choice.textContent = `${choice.value}: ${part(`group-${choice.value}`).dataset.name}`;
    }
    const at = chip.getBoundingClientRect();
    menu.showModal();
    menu.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${Math.min(at.bottom + 4, innerHeight - menu.offsetHeight - 8)}px`;
  }

  menu.addEventListener("click", (event) => {
    menu.close();
    if (event.target.value) moved(held, event.target.value);
  });
  menu.addEventListener("keydown", (event) => {
    const letter = [...menu.children].find((choice) => choice.value.toLowerCase() === event.key.toLowerCase() && !choice.hidden);
    if (letter) letter.click();
  });
  board.addEventListener("contextmenu", (event) => {
    const chip = event.target.closest(".chip");
    if (!chip) return;
    event.preventDefault();
    offer(chip);
  });

  function over(event) {
    const group = event?.target.closest(".group"), to = held && group && group.dataset.role !== held.role ? group : null;
    for (const other of board.querySelectorAll(".group")) other.classList.toggle("over", other === to);
    return to;
  }
  board.addEventListener("dragstart", (event) => {
    const chip = event.target.closest?.(".chip");
    if (!chip) return;
    held = { ...chip.dataset };
    event.dataTransfer.setData("text/plain", held.text);
    event.dataTransfer.effectAllowed = "move";
  });
  board.addEventListener("dragover", (event) => { if (over(event)) event.preventDefault(); });
  board.addEventListener("drop", (event) => {
    const group = over(event);
    if (!group) return;
    event.preventDefault();
    moved(held, group.dataset.role);
  });
  board.addEventListener("dragend", () => { held = null; over(null); });

  // ---- what is changed can be undone
  function change(values) {
    past = [...past, now].slice(-MOST_UNDO);
    now = { ...now, ...values };
    show();
  }

  function undo() {
    if (!past.length) return;
    now = past.pop();
    show();
  }

  board.addEventListener("click", (event) => {
    const chip = event.target.closest(".chip"), copied = event.target.closest("[data-copy]"), apart = event.target.closest("[data-apart]");
    if (chip) {
      const { role, text } = chip.dataset, off = now.off[role] || [];
      change({ off: { ...now.off, [role]: off.includes(text) ? off.filter((word) => word !== text) : [...off, text] } });
    } else if (apart) {
      const { role, apart: text, pieces } = apart.dataset, added = (now.added[role] || []).filter((word) => word !== text);
      const fresh = pieces.split(",").filter((word) => !chipOf(role, word));
      const off = (now.off[role] || []).filter((word) => !pieces.split(",").includes(word));
      if (!chipOf(role, text).classList.contains("added")) off.push(text);
      sought = { role, text: pieces.split(",")[0] };
      change({ off: { ...now.off, [role]: off }, added: { ...now.added, [role]: [...added, ...fresh] } });
    } else if (copied) copy(copied);
  });

  async function copy(button) {
    const place = part(button.dataset.copy), label = button.textContent;
    try {
      await navigator.clipboard.writeText(place.dataset.plain || place.innerText.trim());
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(place);
      button.textContent = "Selected: copy it with your keyboard";
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  }

  board.addEventListener("submit", (event) => {
    event.preventDefault();
    const { role } = event.target.dataset, box = event.target.querySelector("input");
    const theme = [...(part("of-themes")?.options || [])].find(({ value }) => value === box.value.trim());
    const typed = (theme ? theme.dataset.words : box.value).split(/[,;\n\t]+/).map((word) => word.trim()).filter(Boolean);
    if (!typed.length) return;
    box.value = "";
    const fresh = [...new Set(typed)].filter((word) => !chipOf(role, word));
    change({
      added: { ...now.added, [role]: [...(now.added[role] || []), ...fresh] },
      off: { ...now.off, [role]: (now.off[role] || []).filter((word) => !typed.includes(word)) },
    });
  });

  part("undo").addEventListener("click", undo);
  part("reset").addEventListener("click", () => change(empty));
  part("test")?.addEventListener("change", (event) => change({ test: event.target.value, ...empty }));
  part("source")?.addEventListener("change", (event) => change({ source: Number(event.target.value) }));
  part("against")?.addEventListener("change", (event) => change({ against: event.target.value === "" ? null : Number(event.target.value) }));
  part("choices")?.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName);
    if (typing || event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
    event.preventDefault();
    undo();
  });

  // ---- a word that is pointed at is lit in every view
  function light(event) {
    const word = event.type === "pointerleave" || event.type === "focusout" ? null : event.target.closest("[data-word]")?.dataset.word;
    for (const mark of board.querySelectorAll(".lit")) if (mark.dataset.word !== word) mark.classList.remove("lit");
    if (word) for (const mark of board.querySelectorAll(`[data-word="${CSS.escape(word)}"]`)) mark.classList.add("lit");
  }
  for (const kind of ["pointerover", "focusin", "pointerleave", "focusout"]) board.addEventListener(kind, light);

  // ---- new lists, and downloads
  const typed = () => Object.fromEntries(ROLES.map((role) => [role, [part(`name-${role}`).value, part(`words-${role}`).value]]));
  function fill(lists) {
    for (const role of ROLES) [part(`name-${role}`).value, part(`words-${role}`).value] = lists[role];
    for (const role of ROLES) part(`words-${role}`).setSelectionRange(0, 0);
  }
  part("make").addEventListener("click", () => { part("new").showModal(); part("words-X").focus(); if (part("themes") && !ROLES.some((role) => part(`words-${role}`).value)) part("copy-words").click(); });
  part("take").addEventListener("click", () => part("exports").showModal());

  let looking = 0, lookTurn = 0;
  function look() {
    clearTimeout(looking);
    const mine = ++lookTurn;
    looking = setTimeout(async () => {
      const made = document.createElement("template");
      try {
        made.innerHTML = await (await ask("look", { lists: typed(), source: now.source })).text();
        if (mine !== lookTurn) return;
        for (const note of made.content.querySelectorAll("[data-found]")) part(`found-${note.dataset.found}`).textContent = note.textContent;
        for (const role of ROLES) part(`split-${role}`).replaceChildren(...made.content.querySelectorAll(`[data-split="${role}"]`));
        part("remarks").replaceChildren(...made.content.querySelector("[data-remarks]").childNodes);
      } catch (error) {
        if (mine === lookTurn) part("remarks").textContent = said(error);
      }
    }, REST);
  }
  function start(lists, note) {
    fill(lists);
    part("started").textContent = note;
    look();
    part("words-X").focus();
  }
  part("lists").addEventListener("input", look);
  // the first word of a list stays in sight
  part("lists").addEventListener("paste", ({ target }) => setTimeout(() => { target.scrollTop = 0; }));
  part("lists").addEventListener("focusout", ({ target }) => { target.scrollTop = 0; });
  part("lists").addEventListener("click", ({ target: { dataset } }) => {
    if (!dataset.split) return;
    const box = part(`words-${dataset.split}`);
    box.value = dataset.words;
    box.focus();
    look();
  });
  for (const select of part("lists").querySelectorAll("[data-theme]")) select.append(part("themes").content.cloneNode(true));
  part("lists").addEventListener("change", ({ target }) => {
    if (!target.dataset.theme || !target.value) return;
    const role = target.dataset.theme, { name, words, note } = target.selectedOptions[0].dataset;
    [part(`name-${role}`).value, part(`words-${role}`).value] = [name, words];
    part("started").textContent = `${role}: ${note}.`;
    target.value = "";
    look();
  });
  part("lists").addEventListener("submit", (event) => {
    event.preventDefault();
    part("new").close();
    change({ test: "", lists: typed(), ...empty });
    board.focus();
  });
  part("starts").addEventListener("click", (event) => {
    if (event.target.dataset.start) start(JSON.parse(event.target.dataset.start), "");
  });
  part("copy-words").addEventListener("click", () => {
    const on = (role) => words(role).filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.text).join(", ");
    if (part("group-X")) start(Object.fromEntries(ROLES.map((role) => [role, [part(`group-${role}`).dataset.name, on(role)]])), "");
  });
  part("file").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    try {
      const { lists, note } = await (await ask("file", { text: await file.text() })).json();
      start(lists, note);
    } catch (error) {
      part("started").textContent = `${file.name}: ${said(error)}`;
    }
    event.target.value = "";
  });

  // ---- downloads
  part("exports").addEventListener("click", async (event) => {
    const { what, figure } = event.target.dataset;
    if (!what && !figure) return;
    part("taken").textContent = "Measuring as eatlas run does …";
    try {
      const answer = await ask("export", { ...now, what: what || `${part("figure").value}-${part("width").value}.${figure}` });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition"))[1];
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      part("taken").textContent = `Downloaded: ${link.download}`;
    } catch (error) {
      part("taken").textContent = said(error);
    }
  });

  // ---- each tab has its own words, and keeps them when it is loaded again
  // The chosen test is short, so that it is not cut; its title is below the finding.
  function shorten(select) {
    for (const option of select.options) option.label = option.selected ? option.value || option.text : option.text;
  }
  function keep() {
    part("undo").disabled = !past.length;
    part("reset").disabled = ![...Object.values(now.off), ...Object.values(now.added)].some((list) => list.length);
    part("own").hidden = !now.lists.X;
    part("test").value = now.test;
    shorten(part("test"));
    part("source").value = String(now.source);
    if (part("against")) part("against").value = String(now.against ?? "");
    if (now.test === "" && now.lists.X) fill(now.lists);
    try { sessionStorage.setItem(KEPT, JSON.stringify(now)); } catch { /* begins anew */ }
  }
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    const tests = [...part("test").options].map((option) => option.value), n = part("source").options.length;
    if (kept && (kept.test ? tests.includes(kept.test) : kept.lists.X) && kept.source < n && (kept.against ?? 0) < n) now = { ...now, ...kept };
  } catch { /* begins anew */ }
  show();
})();
