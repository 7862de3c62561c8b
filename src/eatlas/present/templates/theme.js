"use strict";
(() => {
  // Light and dark: as the system says, until the reader says otherwise.
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  const memory = (value) => {  // a page from a file may have no storage
    try { return value ? localStorage.setItem("eatlas-theme", value) : localStorage.getItem("eatlas-theme"); } catch { return null; }
  };
  theme.hidden = false;
  const kept = memory();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    memory(root.dataset.theme);
    name();
  });
  system.addEventListener("change", name);
  name();
})();
