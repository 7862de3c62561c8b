"""The cards of the documentation: every measure has one, pages are what their data say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from mkdocs.structure.files import File, Files
from tests.contracts.golden_comparison import json_differences
from tools import write_cards
from tools.docs import cards

import eatlas
from eatlas.measures.registry import measure_names
from eatlas_workbench.cards.card import summary
from eatlas_workbench.cards.evidence import criteria

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
CARDS = ROOT / "docs/cards"


def test_every_measure_has_a_card_and_the_page_lists_it():
    page = (CARDS / "index.md").read_text(encoding="utf-8")
    assert write_cards.table(CARDS) in page
    assert {path.stem for path in CARDS.glob("*.json")} == set(measure_names())
    assert sum(path.stat().st_size for path in CARDS.iterdir()) < 2_000_000


@pytest.mark.parametrize("name", measure_names())
def test_a_card_is_read_back_and_the_site_has_a_page_of_it(name):
    path = CARDS / f"{name}.json"
    card = eatlas.read_card(path)
    assert card.measure == name
    assert card.to_json() == path.read_text(encoding="utf-8")
    site = str(ROOT / "build/site")
    config = SimpleNamespace(
        site_dir=site, use_directory_urls=False, plugins=SimpleNamespace(_current_plugin="cards")
    )
    data = File(f"cards/{name}.json", str(ROOT / "docs"), site, use_directory_urls=False)
    pages = {file.src_path: file for file in cards.on_files(Files([data]), config)}
    page = pages[f"cards/{name}.html"].content_string
    assert f"<title>{summary(card)}</title>" in page
    assert f"<code>{name}.json</code>" in page


@pytest.mark.parametrize("name", measure_names())
def test_a_card_asks_what_the_protocol_asks_now(name):
    card = eatlas.read_card(CARDS / f"{name}.json")
    made = write_cards.MADE.get(name, write_cards.Made(name))
    signature = eatlas.get_measure(made.signature).signature
    assert (card.version, card.signature) == (eatlas.__version__, signature)
    asked = [(one.study, one.title, one.question, one.citation) for one in card.evidence]
    assert asked == [
        tuple(study[name] for name in ("id", "title", "question", "citation"))
        for criterion in criteria()
        for study in criterion["study"]
    ]
    for vectors in card.given:
        if vectors.value == "glove-sample":
            assert vectors.sha256 == eatlas.open_vectors("glove-sample").fingerprint


@pytest.mark.parametrize("name", ["weat", "sc-eat", "divdist", "rnd", "mac"])
def test_what_is_quick_to_ask_is_answered_as_on_the_card(name):
    kept = eatlas.read_card(CARDS / f"{name}.json").of("content")
    now = eatlas.protocol(name, criteria=["content"]).evidence
    kept, now = (json.dumps([one.to_dict() for one in some]) for some in (kept, now))
    assert list(json_differences(kept, now)) == []


def test_without_its_model_a_card_stays_as_it_is(tmp_path, monkeypatch):
    made = write_cards.Made("lpbs(model=causal)", "no_such_package", "model.gguf")
    monkeypatch.setitem(write_cards.MADE, "lpbs", made)
    monkeypatch.setattr(write_cards, "CARDS", tmp_path)
    for path in CARDS.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(SystemExit, match=r"not installed: lpbs \(no_such_package\)"):
        write_cards.main(["lpbs"])
    for path in CARDS.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_a_card_is_what_the_protocol_finds_now(tmp_path):
    """In another process, with sets in another order. If it is not: make cards."""
    code = "import sys; from pathlib import Path; from tools.write_cards import write; "
    code += "write('semaxis', Path(sys.argv[1]))"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "1"}
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, env=environment, check=True
    )
    kept, now = (
        json.dumps(json.loads((folder / "semaxis.json").read_text("utf-8")))
        for folder in (CARDS, tmp_path)
    )
    assert list(json_differences(kept, now)) == []
