"""The command line: parse, call the library, render. No statistics here."""

from __future__ import annotations

import gc
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line and exit code 130, whenever it comes."""
    # most objects live as long as the command: searching for garbage often takes 4% of a run
    gc.set_threshold(200_000, 20, 20)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # who called closed it
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    try:
        # imported here, so that Ctrl-C is heard in good order meanwhile too
        from eatlas.cli.app import run_app  # noqa: PLC0415

        run_app()
    except (KeyboardInterrupt, RuntimeError) as error:
        # until Python 3.12, Ctrl-C while a class is made arrives as the cause of a RuntimeError
        if not isinstance(error.__cause__ or error, KeyboardInterrupt):
            raise
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends: its last searches for garbage take 3% of a run
