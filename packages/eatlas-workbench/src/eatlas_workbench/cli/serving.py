"""Pages that a command serves until a person ends it."""

from __future__ import annotations

from contextlib import suppress

from eatlas.cli.messages import output_of_a_command, print_line, remark
from eatlas_workbench.serving import Served, stop_on_signals


def serve(page: Served, about: str) -> None:
    """Say where a page is, and serve it until Ctrl-C, SIGINT or SIGTERM."""
    with stop_on_signals(), suppress(KeyboardInterrupt), page:
        with output_of_a_command():
            print_line(f"page:  {page.address}")
        remark(f"Open it in a browser on this machine. Ctrl-C ends it; {about}.")
        page.wait()
