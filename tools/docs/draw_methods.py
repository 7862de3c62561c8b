"""Draw what pages of methods begin with: python tools/docs/draw_methods.py [NAME...]."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import eatlas

FOLDER = Path(__file__).parents[2] / "docs/images/methods"
NAMES = {"tests": "weat-6"}
SENTENCES = {"vectors": "cbow:glove-sample"}
DRAWN = {
    "words": (NAMES, "plane"),
    "weat": (NAMES | {"measures": "weat"}, "null"),
    "sc-eat": ({"tests": "weat-8", "measures": "sc-eat"}, "forest"),
    "sentences": (SENTENCES | {"tests": "sent-weat-10"}, "eat-map"),
    "ceat": (SENTENCES | {"tests": "sent-weat-6", "measures": "ceat(n=2000)"}, "eat-map"),
    "zero-shot": (NAMES | {"measures": "zero-shot(scale=20)"}, "eat-map"),
    "divdist": ({"tests": "divdist-face-validity"}, "targets"),
    "uncertainty": (NAMES, "influence"),
}
"""What is run for each picture, and its kind."""


def drawn(name: str) -> str:
    """Return a picture as SVG."""
    arguments, kind = DRAWN[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        return eatlas.plot(eatlas.run(**arguments)[0], kind).svg


def main(names: list[str]) -> None:
    """Write pictures, all without names."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or DRAWN:
        (FOLDER / f"{name}.svg").write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
