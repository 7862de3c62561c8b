"""Commands of eatlas-workbench, found by the entry points eatlas.commands."""
