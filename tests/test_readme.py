"""The README's picture is what the code draws; its examples run in tests/docs."""

from pathlib import Path

import eatlas

ROOT = Path(__file__).parents[1]


def test_the_picture_is_what_the_code_draws(tmp_path):
    """If this fails, run: eatlas.plot(eatlas.run(tests="weat-6")[0]).save(...)"""
    eatlas.plot(eatlas.run(tests="weat-6")[0]).save(tmp_path / "weat-6.svg")
    drawn = (tmp_path / "weat-6.svg").read_text(encoding="utf-8")
    assert drawn == (ROOT / "docs/images/weat-6.svg").read_text(encoding="utf-8")
