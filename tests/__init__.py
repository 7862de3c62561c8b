"""Tests of the core, and of all packages together in ``whole``.

Tests of a package lie in ``packages/NAME/tests``; their helpers are found as if they lay here.
"""

from importlib import import_module
from pathlib import Path

__path__ += map(str, sorted(Path(__file__).parents[1].glob("packages/*/tests")))

# a room that several packages have, such as tests.cli, is all of its folders; pytest would take the first
for _home in map(Path, __path__):
    for _folder in sorted(_home.rglob("[a-z]*/")):
        import_module(".".join((__name__, *_folder.relative_to(_home).parts)))
