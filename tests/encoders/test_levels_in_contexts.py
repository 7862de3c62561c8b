"""CEAT on vectors of whole texts and of the stimuli in them (Table 13 of Husse and Spitz 2022)."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas
from eatlas import CEAT
from eatlas.present.page import report_html

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")
WORDS = {
    "X": ("aster", "orchid"), "Y": ("wasp", "centipede"), "A": ("love", "peace"),
    "B": ("hatred", "war"),
}  # fmt: skip
TEST = make_test(**WORDS)
AGREES = 1e-4
"""Of effect sizes; single precision in batches of other sizes; the worst difference was 1e-5."""
TOKEN = {"bert": "cls", "gpt2": "last"}
"""Which token stands for a text, as the paper says in its section 3.3."""


@pytest.fixture(scope="module")
def contexts(tmp_path_factory):
    """Three contexts of each word, all of them different texts."""
    file = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    words = [word for some in WORDS.values() for word in some]
    frames = ("This is the {} of New York.", "These people are here; the {} is there.", "It is {}.")
    file.write_text("\n".join(frame.format(word) for word in words for frame in frames))
    return eatlas.find_contexts(file, TEST, window="sentence")


def by_hand(folder, test, choose):
    """Vectors of texts by transformers alone, one text at a time, and the CEAT of these."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    vectors = {}
    for _, concept in test.parts:
        for one in concept.sentences:
            given = tokenizer(
                one.text, return_offsets_mapping=True, return_special_tokens_mask=True
            )
            with torch.no_grad():
                states = model(torch.tensor([given["input_ids"]])).last_hidden_state[0].numpy()
            vectors[one.text] = choose(states, given, one.span).astype(np.float64)
    return CEAT(n=40)(test, eatlas.open_vectors(vectors))


def token(name):
    return lambda states, given, span: states[0 if name == "cls" else -1]  # noqa: ARG005


def mean_of_stimulus(states, given, span):
    inside = [
        start < span[1] and end > span[0] and end > start for start, end in given["offset_mapping"]
    ]
    return states[inside].mean(axis=0)


def same(one, other):
    for level in (lambda r: r.level1, lambda r: r.level2.X, lambda r: r.level2.Y):
        assert level(one).effect_size == pytest.approx(level(other).effect_size, abs=AGREES)
        assert level(one).p.two_sided == pytest.approx(level(other).p.two_sided)
    assert one.level3.XA.mean == pytest.approx(other.level3.XA.mean, abs=AGREES)


@pytest.mark.parametrize("family", TOKEN)
def test_vectors_of_texts_are_those_of_the_paper(model, contexts, family):
    test = eatlas.with_contexts(TEST, contexts)[0]
    source = eatlas.open_vectors(f"hf:{model(family)}?level=sentence")
    found = CEAT(n=40)(test, source)
    assert found.encoding.pool == TOKEN[family]
    same(found, by_hand(model(family), test, token(TOKEN[family])))


@pytest.mark.parametrize("family", TOKEN)
def test_vectors_of_stimuli_are_means_of_their_pieces(model, contexts, family):
    test = eatlas.with_contexts(TEST, contexts)[0]
    source = eatlas.open_vectors(f"hf:{model(family)}?level=word&subword=mean")
    same(CEAT(n=40)(test, source), by_hand(model(family), test, mean_of_stimulus))


def test_both_levels_in_one_run_stand_side_by_side(model, contexts):
    sources = [f"hf:{model('bert')}?level={level}" for level in ("sentence", "word")]
    results = eatlas.run(TEST, sources, "ceat(n=40)", contexts=contexts)
    found = results.compare("level")
    assert found.values == ("word (mean)", "sentence (cls)")
    assert found[0].members == (results[1], results[0])
    html = report_html(results)
    assert "Words and whole texts" in html
    assert "word (mean)" in html
    assert "Sources compared" not in html
    more = eatlas.run(TEST, [*sources, f"hf:{model('bert')}?pool=mean"], "weat", contexts=contexts)
    levels = more.compare("level").values
    assert levels == ("word (mean)", "sentence (cls)", "sentence (mean)")
