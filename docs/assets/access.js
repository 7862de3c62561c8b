/* What the theme's script makes in the browser, made accessible: buttons of code blocks are no landmarks,
   and what scrolls sideways can be reached by the keyboard. */
(() => {
  const scrolled = ".md-typeset__scrollwrap, .drawing, .formula, .output, .output > div[style], .md-typeset pre > code";
  const repair = () => {
    for (const bar of document.querySelectorAll("nav.md-code__nav")) bar.setAttribute("role", "presentation");
    for (const part of document.querySelectorAll(scrolled)) {
      const wide = part.scrollWidth > part.clientWidth + 1;
      if (wide) part.setAttribute("tabindex", "0");
      part.classList.toggle("scrolls", wide);
    }
  };
  addEventListener("load", () => {
    repair();
    new MutationObserver(repair).observe(document.querySelector("main"), { childList: true, subtree: true });
  });
  addEventListener("resize", repair);
})();
