"""``eatlas explore``: a page that shows what happens to a finding when its words change."""

from __future__ import annotations

from pathlib import Path

from eatlas.cli.messages import remark
from eatlas_workbench import explorer
from eatlas_workbench.cli.serving import serve


def explore(
    *,
    tests: list[str] | None = None,
    vectors: list[str] | None = None,
    measure: str = "ml-eat",
    themes: Path | None = None,
    port: int = 0,
    open_page: bool = False,
) -> None:
    """Serve a page that shows how a finding changes with its words; Ctrl-C ends it.

    Words are buttons: switch them off and on, add others, paste lists of your own, and compare
    sources. With --themes, lists may be the words of themes. Only this machine can open the page;
    its address has a random token.

    Exit codes: 0 ended by Ctrl-C or SIGTERM; 2 something given is not usable.

    Parameters
    ----------
    tests : ID|BATTERY|FILE.toml
        Tests of words to choose from; may be repeated. [default: caliskan, or the strongest of
        --themes]
    vectors : [NAME=]SOURCE
        Vectors to choose from: a file in any known format, or a name; may be repeated. The page
        can open no others, and calls them by the NAME before them. [default: glove-sample, or the
        source of --themes]
    measure : SIGNATURE
        ML-EAT or WEAT, with parameters such as 'ml-eat(tail=two-sided)'.
    themes : FILE
        FILE.csv of eatlas scan --themes, or FILE.csv.json: offers the words of its themes as lists.
    port : --port N >= 0
        0 takes a free one.
    open_page : --open
        Open the page in the browser.
    """
    page = explorer.explore(tests, vectors, measure, themes=themes, port=port, open=open_page)
    for text in page.left_out:
        remark(f"left out: {text}")
    serve(page, "it writes nothing but downloads")
