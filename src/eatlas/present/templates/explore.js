"use strict";
(() => {
  const part = (id) => document.getElementById(id);
  const board = part("board"), REST = 300, MOST_UNDO = 200, KEPT = "eatlas-explore";
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const empty = { off: {}, added: {} };
  let now = { test: document.body.dataset.first, lists: null, ...empty, source: 0, against: null };
  let past = [], turn = 0, timer = 0, asking = null;

  function trouble(text) {
    part("problem").textContent = text;
    part("problem").hidden = !text;
  }

  // ---- asking the server: only the answer to the last question is shown
  async function ask(name, body, signal) {
    const answer = await fetch(name, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
    });
    if (answer.ok) return answer;
    const text = (await answer.text()).trim();
    if (answer.status === 500) throw new Error("This is a fault of eatlas, not of your words. The terminal of eatlas explore shows it; please report it.");
    throw new Error(answer.status === 413 ? "The lists are too long for one request: leave words out." : text || answer.statusText);
  }

  function said(error) {
    return error instanceof TypeError
      ? "The server has ended. Start it again with eatlas explore, and open the address that it prints."
      : error.message;
  }

  async function show() {
    const mine = ++turn;
    clearTimeout(timer);
    if (asking) asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    board.setAttribute("aria-busy", "true");
    keep();
    try {
      const html = await (await ask("view", now, signal)).text();
      if (mine !== turn) return;
      trouble("");
      board.classList.remove("stale");
      put(board, html);
      timer = setTimeout(() => { more("others", mine, signal); if (now.against !== null) more("across", mine, signal); }, REST);
    } catch (error) {
      if (mine !== turn || error.name === "AbortError") return;
      board.classList.add("stale");  // no number of other words may stay in view
      trouble(said(error) + (past.length && !(error instanceof TypeError) ? "\nUndo takes the change back." : ""));
    } finally {
      if (mine === turn) board.removeAttribute("aria-busy");
    }
  }

  async function more(id, mine, signal) {
    try {
      const html = await (await ask(id, now, signal)).text();
      const place = part(id);
      if (mine !== turn || !place) return;
      put(place, html);
      place.hidden = false;
    } catch (error) {
      if (mine === turn && error.name !== "AbortError" && part(id)) { part(id).textContent = said(error); part(id).hidden = false; }
    }
  }

  // ---- the new page is laid over the old one: what is the same stays, with focus and place
  const name = (node) => (node.nodeType === 1 ? node.id || node.dataset.key || "" : "");
  const OWN = new Set(["open", "tabindex"]);

  function put(place, html) {
    const made = document.createElement("template");
    made.innerHTML = html;
    const before = new Map([...place.querySelectorAll("[data-key]")].map((one) => [one.dataset.key, one.getBoundingClientRect()]));
    overlay(place, made.content);
    if (!still.matches) move(place, before);
    rove();
    if (!sought || place !== board) return;
    const chip = chipOf(sought.role, sought.text);
    sought = null;
    if (chip) reach(chip);
  }

  function overlay(from, to) {
    const known = new Map();
    for (const one of from.children) if (name(one)) known.set(name(one), one);
    let at = from.firstChild;
    for (const wanted of [...to.childNodes]) {
      const key = name(wanted);
      let found = key ? known.get(key) : null;
      if (!key && at && !name(at) && at.nodeName === wanted.nodeName) found = at;
      if (found && found.nodeName === wanted.nodeName) {
        if (found === at) at = at.nextSibling; else from.insertBefore(found, at);
        same(found, wanted);
      } else from.insertBefore(wanted, at);
    }
    while (at) { const next = at.nextSibling; at.remove(); at = next; }
  }

  function same(old, wanted) {
    if (old.nodeType !== 1) {
      if (old.data !== wanted.data) old.data = wanted.data;
      return;
    }
    for (const { name: key } of [...old.attributes]) if (!wanted.hasAttribute(key) && !OWN.has(key)) old.removeAttribute(key);
    for (const { name: key, value } of wanted.attributes) if (!OWN.has(key) && old.getAttribute(key) !== value) old.setAttribute(key, value);
    overlay(old, wanted);
  }

  function move(place, before) {
    for (const one of place.querySelectorAll("[data-key]")) {
      const was = before.get(one.dataset.key);
      const svg = one.ownerSVGElement;
      if (!was || !svg) continue;
      const is = one.getBoundingClientRect();
      const unit = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width || 1;
      const x = (was.x + was.width / 2 - is.x - is.width / 2) * unit, y = (was.y + was.height / 2 - is.y - is.height / 2) * unit;
      if (Math.abs(x) + Math.abs(y) < 0.5) continue;
      one.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 420, easing: "ease-in-out" });
    }
  }

  // ---- the words: one stop of the Tab key for each group, arrows within it
  function rove() {
    for (const group of board.querySelectorAll(".chips")) {
      const chips = [...group.children];
      const stop = chips.find((one) => one.tabIndex === 0) || chips[0];
      for (const one of chips) one.tabIndex = one === stop ? 0 : -1;
    }
  }

  function reach(chip) {
    for (const one of chip.parentElement.children) one.tabIndex = one === chip ? 0 : -1;
    chip.focus();
  }

  board.addEventListener("keydown", (event) => {
    const chip = event.target.closest(".chip");
    if (!chip || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() === "m") {
      event.preventDefault();
      offer(chip);
      return;
    }
    const chips = [...chip.parentElement.children], at = chips.indexOf(chip);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: chips.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    reach(chips[(to + chips.length) % chips.length]);
  });

  // ---- a word goes to another group: dragged, or by the menu that M or a right click opens
  const ROLES = ["X", "Y", "A", "B"], menu = part("moves");
  const words = (role) => [...board.querySelectorAll(`#group-${role} .chip`)];
  const chipOf = (role, text) => words(role).find((one) => one.dataset.text === text);
  const named = (role) => part(`group-${role}`).dataset.name;
  let held = null, sought = null;

  function moved({ role, text }, to) {
    if (role === to) return;
    const from = chipOf(role, text), off = { ...now.off }, added = { ...now.added };
    const without = (list) => (list || []).filter((one) => one !== text);
    added[role] = without(added[role]);
    off[role] = from && !from.classList.contains("added") ? [...without(off[role]), text] : without(off[role]);
    off[to] = without(off[to]);
    if (!chipOf(to, text)) added[to] = [...(added[to] || []), text];
    sought = { role: to, text };
    change({ off, added });
  }

  function offer(chip) {
    const { role, text } = chip.dataset;
    menu.replaceChildren(...ROLES.filter((one) => one !== role).map((one) => {
      const choice = document.createElement("button");
      choice.type = "button";
      choice.setAttribute("role", "menuitem");
      choice.tabIndex = -1;
      choice.dataset.to = one;
      choice.textContent = `${one}: ${named(one)}`;
      return choice;
    }));
    held = { role, text };
    menu.setAttribute("aria-label", `Move ${text} to`);
    menu.hidden = false;
    const at = chip.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - menu.offsetWidth - 8)) + scrollX}px`;
    menu.style.top = `${at.bottom + 4 + scrollY}px`;
    menu.firstChild.focus();
  }

  function shut() {
    if (menu.hidden) return;
    const inside = menu.contains(document.activeElement);
    menu.hidden = true;
    const chip = held && chipOf(held.role, held.text);
    if (inside && chip) chip.focus();
  }

  menu.addEventListener("click", (event) => {
    const choice = event.target.closest("[data-to]");
    if (!choice) return;
    const what = held;
    shut();
    moved(what, choice.dataset.to);
  });
  menu.addEventListener("keydown", (event) => {
    const choices = [...menu.children], at = choices.indexOf(document.activeElement);
    const letter = choices.find((one) => one.dataset.to.toLowerCase() === event.key.toLowerCase());
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") shut();
    else if (letter) letter.click();
    else if (to !== undefined) choices.at(to % choices.length).focus();
    else return;
    event.preventDefault();
  });
  menu.addEventListener("focusout", (event) => { if (!menu.contains(event.relatedTarget)) menu.hidden = true; });
  board.addEventListener("contextmenu", (event) => {
    const chip = event.target.closest(".chip");
    if (!chip) return;
    event.preventDefault();
    offer(chip);
  });

  const target = (event) => { const group = event.target.closest(".group"); return held && group && group.dataset.role !== held.role ? group : null; };
  function over(group) {
    for (const one of board.querySelectorAll(".group.over")) if (one !== group) one.classList.remove("over");
    if (group) group.classList.add("over");
  }
  board.addEventListener("dragstart", (event) => {
    const chip = event.target.closest && event.target.closest(".chip");
    if (!chip) return;
    held = { role: chip.dataset.role, text: chip.dataset.text };
    event.dataTransfer.setData("text/plain", held.text);
    event.dataTransfer.effectAllowed = "move";
  });
  board.addEventListener("dragover", (event) => {
    over(target(event));
    if (target(event)) event.preventDefault();
  });
  board.addEventListener("drop", (event) => {
    const group = target(event);
    if (!group) return;
    event.preventDefault();
    moved(held, group.dataset.role);
  });
  board.addEventListener("dragend", () => { held = null; over(null); });

  // ---- what is changed can be undone
  function change(values) {
    past.push(now);
    if (past.length > MOST_UNDO) past.shift();
    now = { ...now, ...values };
    show();
  }

  const changed = (lists, role, words) => ({ ...lists, [role]: words });

  board.addEventListener("click", (event) => {
    const chip = event.target.closest(".chip");
    if (chip) {
      const { role, text } = chip.dataset, off = now.off[role] || [];
      change({ off: changed(now.off, role, off.includes(text) ? off.filter((one) => one !== text) : [...off, text]) });
      return;
    }
    const copied = event.target.closest("[data-copy]");
    if (copied) copy(copied);
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
    const form = event.target, role = form.dataset.role, box = form.querySelector("input");
    const given = box.value.split(/[,;\n\t]+/).map((one) => one.trim()).filter(Boolean);
    if (!given.length) return;
    const there = words(role).map((one) => one.dataset.text);
    const fresh = [...new Set(given)].filter((one) => !there.includes(one));
    const off = (now.off[role] || []).filter((one) => !given.includes(one));
    box.value = "";
    change({ added: changed(now.added, role, [...(now.added[role] || []), ...fresh]), off: changed(now.off, role, off) });
  });

  part("undo").addEventListener("click", undo);
  function undo() {
    if (!past.length) return;
    now = past.pop();
    show();
  }
  part("reset").addEventListener("click", () => change(empty));
  part("test").addEventListener("change", (event) => change({ test: event.target.value, ...empty }));
  part("source").addEventListener("change", (event) => change({ source: Number(event.target.value) }));
  if (part("against")) part("against").addEventListener("change", (event) => change({ against: event.target.value === "" ? null : Number(event.target.value) }));
  part("choices").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName);
    if (typing || event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
    event.preventDefault();
    undo();
  });

  // ---- a word that is pointed at is lit in every view
  let lit = "";
  function light(word) {
    if (word === lit) return;
    for (const one of board.querySelectorAll(".lit")) one.classList.remove("lit");
    lit = word;
    if (word) for (const one of board.querySelectorAll(`[data-word="${CSS.escape(word)}"]`)) one.classList.add("lit");
  }
  const wordOf = (event) => { const one = event.target.closest("[data-word]"); return one ? one.dataset.word : ""; };
  for (const kind of ["pointerover", "focusin"]) board.addEventListener(kind, (event) => light(wordOf(event)));
  for (const kind of ["pointerleave", "focusout"]) board.addEventListener(kind, () => light(""));

  // ---- new lists
  function open(button, id) {
    const wanted = part(id).hidden;
    part(id).hidden = !wanted;
    button.setAttribute("aria-expanded", String(wanted));
    if (wanted) part(id).querySelector("input, button, select").focus();
  }
  part("make").addEventListener("click", () => open(part("make"), "new"));
  part("take").addEventListener("click", () => open(part("take"), "exports"));

  const typed = () => Object.fromEntries(ROLES.map((role) => [role, [part(`name-${role}`).value, part(`words-${role}`).value]]));
  let looking = 0, lookTurn = 0;
  function look() {
    clearTimeout(looking);
    const mine = ++lookTurn;
    looking = setTimeout(async () => {
      try {
        const html = await (await ask("look", { lists: typed(), source: now.source })).text();
        if (mine !== lookTurn) return;
        const made = document.createElement("template");
        made.innerHTML = html;
        for (const role of ROLES) part(`found-${role}`).textContent = made.content.querySelector(`[data-found="${role}"]`).textContent;
        part("remarks").replaceChildren(...made.content.querySelector("[data-remarks]").childNodes);
      } catch (error) {
        if (mine === lookTurn) part("remarks").textContent = said(error);
      }
    }, REST);
  }
  part("lists").addEventListener("input", look);
  part("lists").addEventListener("submit", (event) => {
    event.preventDefault();
    open(part("make"), "new");
    change({ test: "", lists: typed(), ...empty });
    board.focus();
  });
  function fill(lists) {
    for (const role of ROLES) [part(`name-${role}`).value, part(`words-${role}`).value] = lists[role];
  }
  function start(lists, note) {
    fill(lists);
    part("started").textContent = note;
    look();
    part("words-X").focus();
  }
  part("starts").addEventListener("click", (event) => {
    const { start: lists } = event.target.dataset;
    if (lists) start(JSON.parse(lists), "");
  });
  part("copy-words").addEventListener("click", () => {
    const on = (role) => words(role).filter((one) => one.ariaPressed === "true").map((one) => one.dataset.text).join(", ");
    if (part("group-X")) start(Object.fromEntries(ROLES.map((role) => [role, [named(role), on(role)]])), "");
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
    const button = event.target.closest("[data-what], [data-figure]");
    if (!button) return;
    const what = button.dataset.what || `${part("figure").value}-${part("width").value}.${button.dataset.figure}`;
    part("taken").textContent = "Measuring as eatlas run does …";
    try {
      const answer = await ask("export", { ...now, what });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") || "")[1];
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      part("taken").textContent = `Downloaded: ${link.download}`;
    } catch (error) {
      part("taken").textContent = said(error);
    }
  });

  // ---- each tab has its own words, and keeps them when it is loaded again
  function keep() {
    const own = now.test === "";
    part("own").hidden = !now.lists;
    part("test").value = now.test;
    part("source").value = String(now.source);
    if (part("against")) part("against").value = now.against === null ? "" : String(now.against);
    part("undo").disabled = !past.length;
    const some = (lists) => Object.values(lists).some((list) => list.length);
    part("reset").disabled = !(some(now.off) || some(now.added));
    if (own && now.lists) fill(now.lists);
    try { sessionStorage.setItem(KEPT, JSON.stringify(now)); } catch { /* begins anew */ }
  }
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    const tests = [...part("test").options].map((one) => one.value), n = part("source").options.length;
    const known = kept && (kept.test ? tests.includes(kept.test) : kept.lists) && kept.source < n && (kept.against === null || kept.against < n);
    if (known) now = { ...now, ...kept };
  } catch { /* begins anew */ }
  show();
})();
