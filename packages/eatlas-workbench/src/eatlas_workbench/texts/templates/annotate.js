"use strict";
(() => {
  const part = (id) => document.getElementById(id);
  const choices = [...document.querySelectorAll("[data-choice]")];
  const words = choices.map((one) => one.querySelector("bdi").textContent);
  const sections = ["start", "work", "end"];
  const KEPT = "eatlas-annotator";
  let annotator = "", view = null, waiting = false;

  function shown(name) {
    if (part(name).hidden) part("asked").open = name === "start";
    for (const one of sections) part(one).hidden = one !== name;
  }

  function trouble(text) {
    part("problem").textContent = text;
    part("problem").hidden = !text;
  }

  // One act at a time: a label is always of the context that is seen.
  async function act(name, values, said) {
    if (waiting) return false;
    waiting = true;
    try {
      const answer = await fetch(name, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ annotator, ...values }),
      });
      const text = await answer.text();
      let found;
      try { found = JSON.parse(text); } catch { found = { error: text }; }
      if (!answer.ok) {
        trouble(`Not saved. ${found.error || answer.statusText}`);
        return false;
      }
      trouble("");
      show(found, said);
      return true;
    } catch {
      trouble("Not saved: the server has stopped. Earlier labels are saved. Start it again with eatlas annotate serve, and open the address that it prints.");
      return false;
    } finally {
      waiting = false;
    }
  }

  function counted(n) {
    return n.toLocaleString("en");
  }

  function show(found, said) {
    view = found;
    annotator = found.annotator;
    try { sessionStorage.setItem(KEPT, annotator); } catch { /* asks again */ }
    part("status").textContent = said || "";
    if (found.at === null) { showEnd(found); return; }
    shown("work");
    part("annotator").textContent = annotator;
    part("bar").value = found.done;
    part("count").textContent = `${counted(found.done)} of ${counted(found.total)} labelled` + (found.skipped ? `, ${counted(found.skipped)} skipped` : "");
    for (const name of ["before", "word", "after"]) part(name).textContent = found[name];
    choices.forEach((one, i) => one.setAttribute("aria-pressed", String(found.choice === i)));
    part("undo").disabled = !found.undo;
    part("back").disabled = found.at === 0;
    part("forth").disabled = found.at === found.total - 1;
    part("context").scrollTop = Math.max(0, part("word").offsetTop - part("context").offsetTop - part("context").clientHeight / 2);
    part("context").focus({ preventScroll: true });
  }

  function showEnd(found) {
    shown("end");
    part("ended").textContent = found.skipped ? "You have seen every context" : "All contexts are labelled";
    part("rest").textContent = `${annotator}: ${counted(found.done)} of ${counted(found.total)} labelled` + (found.skipped ? `, ${counted(found.skipped)} skipped.` : ". Thank you; you may close this page.");
    part("learnt").replaceChildren(...found.end.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
    part("skipped").hidden = !found.skipped;
    part("undo-last").disabled = !found.undo;
    part("ended").focus();
  }

  function label(choice) {
    const said = choice === null ? "Skipped" : `Saved: ${words[choice]}`;
    return act("label", { item: view.item, choice }, said);
  }

  function go(step) {
    const at = view.at + step;
    if (at >= 0 && at < view.total) act("show", { at }, "");
  }

  function undo() {
    if (view.undo) act("undo", {}, "Undone");
  }

  part("begin").addEventListener("submit", (event) => {
    event.preventDefault();
    annotator = part("name").value.trim();
    act("begin", {}, "");
  });
  for (const one of document.querySelectorAll("[data-name]")) {
    one.addEventListener("click", () => { annotator = one.dataset.name; act("begin", {}, ""); });
  }
  choices.forEach((one, i) => one.addEventListener("click", () => label(i)));
  part("skip").addEventListener("click", () => label(null));
  part("undo").addEventListener("click", undo);
  part("undo-last").addEventListener("click", undo);
  part("back").addEventListener("click", () => go(-1));
  part("forth").addEventListener("click", () => go(1));
  part("skipped").addEventListener("click", () => act("show", { skipped: true }, ""));
  part("review").addEventListener("click", () => act("show", { at: 0 }, ""));
  part("other").addEventListener("click", () => {
    try { sessionStorage.removeItem(KEPT); } catch { /* nothing was kept */ }
    location.reload();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.tagName === "INPUT") return;
    const key = event.key.toLowerCase();
    if (!part("work").hidden) {
      const named = choices.findIndex((one) => one.dataset.key === key && key !== "");
      if (named >= 0) label(named);
      else if (key === "s") label(null);
      else if (key === "u") undo();
      else if (key === "arrowleft") go(-1);
      else if (key === "arrowright") go(1);
      else return;
      event.preventDefault();
    } else if (!part("end").hidden && key === "u") {
      undo();
      event.preventDefault();
    }
  });

  try { annotator = sessionStorage.getItem(KEPT) || ""; } catch { annotator = ""; }
  if (annotator) act("begin", {}, "");
  else part("name").focus({ preventScroll: true });
})();
