"""What the search of the site puts first: ranks of pages, and words that readers type for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

RANKS = {
    "reference/api/": 0.3,
    "reference/benchmarks": 0.2,
    "reference/cli/": 0.6,
    "reference/": 0.6,
    "changelog": 0.1,
    "performance": 0.2,
    "evidence/": 0.5,
    "repeated": 0.6,
    "gallery": 0.8,
    "other-tools": 2,
    "association-tests": 2,
    "which-measure": 2,
    "methods/p-values": 3,
    "methods/uncertainty": 2,
    "methods/": 1.5,
    "how-to/": 1.5,
    "tutorials/": 1.2,
}
"""Ranks of pages, by how their addresses begin: what explains is before what lists."""
NOT_FOUND = ("contributing", "decisions/", "releasing")
"""Pages for those who change eatlas, which its users do not search for."""
TYPED = {
    "association-tests": ("gender bias", "racial bias", "stereotype", "career and family", "IAT"),
    "choosing-stimuli": ("word lists", "sample size", "how many words", "missing words"),
    "faq": ("missing words", "how many words"),
    "files": ("CSV", "TOML", "JSON", "Parquet", "missing words"),
    "from-other-tools": ("WEAT in Python", "WEAT in R"),
    "gallery": ("plot effect sizes", "figures"),
    "get-started": ("career and family", "weat-6"),
    "how-to/ask": ("ChatGPT", "Claude", "Gemini", "LLM", "chat", "Ollama", "OpenAI", "prompting"),
    "how-to/charts": ("plot effect sizes", "figures", "PDF", "PNG", "dark mode"),
    "how-to/continuous-integration": ("CI", "GitHub Actions", "gate", "threshold", "exit code"),
    "how-to/different-numbers": ("different effect size", "cannot reproduce", "ddof"),
    "how-to/language-models": ("GPT", "GPT-2", "BERT", "Llama", "LLM"),
    "how-to/many-sources": ("compare two models", "compare models", "compare layers"),
    "how-to/own-vectors": ("my own vectors", "gensim"),
    "how-to/pandas": ("CSV", "data frame"),
    "how-to/published-vectors": ("word2vec Google News", "GloVe", "fastText"),
    "how-to/tables": ("LaTeX table", "Word", "docx", "CSV", "methods paragraph", "BibTeX"),
    "how-to/transformers": ("BERT", "GPU", "CUDA", "GPT-2"),
    "methods/diagnosis": ("cosine close to 1", "anisotropy"),
    "methods/effect-size": ("interpretation of effect sizes", "Cohen's d"),
    "methods/p-values": ("exact permutation test", "p-value"),
    "methods/permutation": ("exact permutation test",),
    "methods/power": ("sample size", "how many words"),
    "methods/uncertainty": ("interval", "confidence interval", "CI", "bootstrap"),
    "reading-the-report": ("dark mode", "report"),
    "responsible-use": ("gender bias", "stereotype"),
    "tutorials/language-model": ("LLM", "GPT-2", "stereotype"),
    "tutorials/social-scientist": ("gender bias",),
    "which-measure": ("BERT",),
}
"""Words for a page that its title does not have; the search reads them as it reads titles."""


AMBIGUOUS, UNIQUE = "e=e+s+o.id}return e", 'e=e+s+o.id+" "}return e'
"""lunr names a node of its tree of words by the letters and numbers of its children, one after the
other: "1" to node 23 and "12" to node 3 are the same, so that a search for a word with digits can
fail. A space between children makes the names unique."""


def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    """Give nodes of the search's tree of words unique names."""
    for path in Path(config.site_dir, "assets/javascripts/workers").glob("search.*.js"):
        text = path.read_text(encoding="utf-8")
        if text.count(AMBIGUOUS) != 1:
            raise PluginError(
                f"{path.name}: the names of nodes are not made as in the lunr known here"
            )
        path.write_text(text.replace(AMBIGUOUS, UNIQUE), encoding="utf-8")


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Give the page its rank and its words."""
    address = page.file.src_uri.removesuffix(".md")
    rank = next((rank for start, rank in RANKS.items() if address.startswith(start)), 1)
    left_out = {"exclude": True} if address.startswith(NOT_FOUND) else {}
    page.meta["search"] = {"boost": rank, **left_out, **page.meta.get("search", {})}
    page.meta["tags"] = [*page.meta.get("tags", ()), *TYPED.get(address, ())]
    return markdown
