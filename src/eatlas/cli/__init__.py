"""The command line: parse, call the library, render. No statistics here."""

from eatlas.cli.app import main

__all__ = ["main"]
