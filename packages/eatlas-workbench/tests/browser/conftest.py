"""Pages of the workbench, and those of the core's tests, in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.present.browser.conftest import open_page, ten_page  # noqa: F401
from tests.studies.test_study_page import PLAN

import eatlas
from eatlas_workbench.cards.card import card_html


@pytest.fixture(scope="session")
def card_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The card of a measure."""
    path = tmp_path_factory.mktemp("card") / "card.html"
    criteria = ["face", "content", "convergent", "consequential"]
    path.write_text(card_html(eatlas.protocol("semaxis", criteria=criteria)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def study_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of many specifications."""
    path = tmp_path_factory.mktemp("study") / "report.html"
    eatlas.multiverse(PLAN).save(path)
    return path
