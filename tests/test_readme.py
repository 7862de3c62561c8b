"""The README's pictures are what the code draws; its examples run in tests/whole/docs."""

from pathlib import Path

import pytest
from PIL import Image

import eatlas

pytestmark = pytest.mark.usefixtures("all_resamples")
ROOT = Path(__file__).parents[1]


def test_the_picture_is_what_the_code_draws(tmp_path):
    """If this fails, run: eatlas.plot(eatlas.run(tests="weat-6")[0]).save(...)"""
    eatlas.plot(eatlas.run(tests="weat-6")[0]).save(tmp_path / "weat-6.svg")
    drawn = (tmp_path / "weat-6.svg").read_text(encoding="utf-8")
    assert drawn == (ROOT / "docs/images/weat-6.svg").read_text(encoding="utf-8")


def test_the_findings_are_drawn_light_and_dark():
    """If they look old, run: python tools/docs/draw_findings.py"""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    corners, sizes = [], set()
    for scheme in ("light", "dark"):
        path = ROOT / f"docs/images/findings-{scheme}.png"
        assert f"docs/images/{path.name}" in readme
        assert path.stat().st_size < 200_000
        with Image.open(path) as picture:
            corners.append(sum(picture.convert("RGB").getpixel((2, 2))))
            sizes.add(picture.size)
    assert corners[0] > 3 * 240 > 3 * 40 > corners[1]
    assert len(sizes) == 1
