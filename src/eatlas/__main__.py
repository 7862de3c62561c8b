"""``python -m eatlas``."""

from eatlas.cli import main

main()
