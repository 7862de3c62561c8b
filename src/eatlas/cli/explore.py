"""``eatlas explore``: a page that shows what happens to a finding when its words change."""

from __future__ import annotations

import webbrowser

from eatlas.cli.messages import output_of_a_command, print_line, remark


def explore(
    *,
    tests: list[str] | None = None,
    vectors: list[str] | None = None,
    measure: str = "ml-eat",
    host: str = "127.0.0.1",
    port: int = 0,
    open_page: bool = False,
) -> None:
    """Serve a page that shows what happens to a finding when its words change; Ctrl-C ends it.

    Words are buttons: switch them off and on, add others, paste lists of your own, and compare
    sources. The page is for this machine alone, at an address with a random token. It needs
    the extra explore.

    Exit codes: 0 ended by Ctrl-C; 2 something given is not usable.

    Parameters
    ----------
    tests : ID|BATTERY|FILE.toml
        Tests of words to choose from; may be repeated. [default: caliskan]
    vectors : [NAME=]SOURCE
        Vectors to choose from: a file in any known format, or a name; may be repeated. The page
        can open no others, and calls them by the NAME before them. [default: glove-sample]
    measure : SIGNATURE
        ML-EAT or WEAT, with parameters such as 'ml-eat(tail=two-sided)'.
    host : --host 127.0.0.1|::1
        The loopback address.
    port : --port N >= 0
        0 takes a free one.
    open_page : --open
        Open the page in the browser.
    """
    from eatlas.apps.explorer import Explorer, application  # noqa: PLC0415
    from eatlas.apps.explorer.lists import LARGEST  # noqa: PLC0415
    from eatlas.apps.explorer.page import EXTRA  # noqa: PLC0415
    from eatlas.apps.serving import serve  # noqa: PLC0415
    from eatlas.engine.plan import DEFAULT_TESTS, DEFAULT_VECTORS  # noqa: PLC0415  (--help is quick)

    explorer = Explorer.of(tests or DEFAULT_TESTS, vectors or DEFAULT_VECTORS, measure)
    for one in explorer.left_out:
        remark(f"left out: {one}")
    app = application(explorer)

    def started(address: str) -> None:
        _say_where(address)
        if open_page:
            webbrowser.open(address)

    serve(app, started=started, host=host, port=port, largest=LARGEST, extra=EXTRA)


def _say_where(address: str) -> None:
    """Say where the page is; the terminal may be a pipe."""
    with output_of_a_command():
        print_line(f"page:  {address}")
    remark("Open it in a browser on this machine. Ctrl-C ends it; it writes nothing but downloads.")
