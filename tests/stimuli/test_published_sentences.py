"""Sentences made by rule beside the published files, where those are at hand; no copies of them.

Put them in a folder and name it in EATLAS_SHARED_DATA.
"""

import json

import numpy as np
import pytest
from tests.contracts.sessions import link_minilm
from tests.inputs import optional_data
from tests.stimuli.test_published_files import MIND, MIND_WORDS, SEAT, SEAT_WORDS

from eatlas import load_tests, run
from eatlas.stimuli.importers import import_test

NUMBERS = [*range(1, 11), "3b", "5b", "6b", "7b", "8b"]
FORMS = {
    "one_sentence": "one-sentence", "1-": "script-all", "1+3-": "script-1+3", "1": "script-1",
}  # fmt: skip
SAME_AS = {
    **{f"sent-weat{n}": f"sent-weat-{n}" for n in NUMBERS},
    "sent-angry_black_woman_stereotype": "sent-abw",
    "sent-angry_black_woman_stereotype_b": "sent-abw-b",
    **{
        f"sent-heilman_double_bind_{kind}_one_word": f"sent-double-bind-{kind}"
        for kind in ("competent", "likable")
    },
    **{
        f"heilman_double_bind_{kind}_{theirs}": f"double-bind-{kind}-{ours}"
        for kind in ("competent", "likable")
        for theirs, ours in FORMS.items()
    },
}
KNIFE = {
    "These are knifes.", "Those are knifes.", "They are knifes.", "The knifes are here.",
    "The knifes are there.", "Knifes are things.",
}  # fmt: skip
# file: role, how many sentences of the larger target are left out; as many as the other target has
# are kept, without a rule, so that both targets are of one size
CUT = {
    "sent-weat2": ("X", 20),
    "sent-weat7": ("Y", 10),
    "sent-weat7b": ("Y", 10),
    "sent-weat8": ("Y", 20),
    "sent-weat8b": ("Y", 20),
    "sent-weat9": ("Y", 55),
}
SIMILARITY = {
    # Jaccard similarity of all sentences of a file; 1 where nothing is said
    "sent-weat2": 0.972,
    "sent-weat7": 0.968,
    "sent-weat7b": 0.965,
    "sent-weat8": 0.932,
    "sent-weat8b": 0.923,
    "sent-weat9": 0.593,
}


def published(name):
    test = import_test(optional_data(SEAT) / f"{name}.jsonl", "sent-bias")
    return {role: set(concept.terms) for role, concept in test.parts}


def jaccard(theirs, ours):
    pairs = [(theirs[role], ours[role]) for role in "XYAB"]
    return sum(len(a & b) for a, b in pairs) / sum(len(a | b) for a, b in pairs)


def made(test):
    return {role: set(concept.terms) for role, concept in test.parts}


def test_every_published_file_has_its_test():
    files = {path.stem for path in optional_data(SEAT).glob("*.jsonl")}
    assert files == {*SEAT_WORDS, *SAME_AS}
    assert len(files) == 46


@pytest.mark.parametrize("name", SAME_AS)
def test_sentences_of_the_published_files(name):
    (test,) = load_tests(SAME_AS[name])
    theirs, ours = published(name), made(test)
    for role in "XYAB":
        # the one word that the published files decline in another way
        odd = KNIFE if (name, role) == ("sent-weat2", "Y") else set()
        assert theirs[role] - ours[role] == odd, role
        cut_role, count = CUT.get(name, ("", 0))
        assert len(ours[role]) - len(theirs[role]) == (count if role == cut_role else 0), role
    assert jaccard(theirs, ours) == pytest.approx(SIMILARITY.get(name, 1), abs=5e-4)
    if name in CUT:
        assert len(theirs["X"]) == len(theirs["Y"])


ARTICLES = {
    # file: whether the published code puts "a" before its targets, before its attributes
    "C1_name_word": ("a ", ""), "C3_name_word": ("", ""), "C3_term_word": ("a ", ""),
    "C6_name_word": ("", "a "), "C6_term_word": ("", "a "), "C9_name_m_word": ("", ""),
    "C9_name_word": ("", ""), "C9_term_word": ("", ""), "Occ_name_word": ("", "a "),
    "Occ_term_word": ("", "a "), "I1_name_word": ("", ""), "I2_name_word": ("", ""),
    "I1_term_word": ("a ", ""), "I2_term_word": ("a ", ""),
}  # fmt: skip
THINGS = ("C1", "C9")
"""Beginnings of the files whose targets are things; those of others are persons."""
TIMELESS = ("C1", "C3", "C6", "Occ")
"""Of the files whose attributes are not in the templates of time."""


def sentences_of_husse_and_spitz(name):
    """What the published code makes of the published words and templates; the full stop is cut."""
    folder = optional_data(MIND)
    words = json.loads((folder / f"{name}.jsonl").read_text())
    templates = json.loads((folder / "template_single.jsonl").read_text())
    made = {}
    for role, key in zip("XYAB", ("targ1", "targ2", "attr1", "attr2"), strict=True):
        kind, place = ("targ", "TTT") if role in "XY" else ("attr", "AAA")
        word = "thing" if name.startswith(THINGS) else "person"
        if kind == "attr":
            word = "basic" if name.startswith(TIMELESS) else "time"
        article = ARTICLES[name][kind == "attr"]
        made[role] = {
            text.replace(place, before + term).removesuffix(".")
            for number, before in (("singular", article), ("plural", ""))
            for text in templates[kind].get(f"{number}_{word}", ())
            for term in words[key].get(number, ())
        }
    return made


@pytest.mark.parametrize("name", ARTICLES)
def test_sentences_of_husse_and_spitz(name):
    (test,) = load_tests(f"sent-husse-spitz-{MIND_WORDS[name]}")
    theirs, ours = sentences_of_husse_and_spitz(name), made(test)
    odd = {"Occ_name_word": ("Y", "Katie", "KAtie"), "C3_term_word": ("B", "crashs", "crashes")}
    for role in "XYAB":
        odd_role, word, other = odd.get(name, ("", "", ""))
        renamed = {text.replace(word, other) if role == odd_role else text for text in theirs[role]}
        assert renamed == ours[role], role
    for concept in test.concepts.values():
        for sentence in concept.sentences:
            assert sentence.text[slice(*sentence.span)] == sentence.stimulus


@pytest.mark.slow
@pytest.mark.parametrize("name", ["C6_name_word", "I2_name_word"])
def test_s_seat_is_that_of_a_bare_loop(name, tmp_path, monkeypatch):
    """The first token's vector of each published sentence, and d by its formula."""
    from transformers import AutoModel, AutoTokenizer

    monkeypatch.chdir(tmp_path)
    link_minilm()
    tokenizer = AutoTokenizer.from_pretrained("minilm")
    model = AutoModel.from_pretrained("minilm").eval()

    def unit(text):
        hidden = model(**tokenizer(text, return_tensors="pt"))["last_hidden_state"]
        vector = hidden[0][0].detach().numpy().astype(float)
        return vector / np.linalg.norm(vector)

    sentences = sentences_of_husse_and_spitz(name)
    x, y, a, b = (np.array([unit(text) for text in sentences[role]]) for role in "XYAB")
    scores = [(each @ a.T).mean(axis=1) - (each @ b.T).mean(axis=1) for each in (x, y)]
    d = (scores[0].mean() - scores[1].mean()) / np.concatenate(scores).std(ddof=1)
    (result,) = run(
        tests=f"sent-husse-spitz-{MIND_WORDS[name]}",
        vectors="hf:minilm?level=sentence&pool=cls",
        measures="ml-eat(resamples=0)",
        frequency="off",
    )
    assert result.level1.effect_size == pytest.approx(d, abs=1e-6)
