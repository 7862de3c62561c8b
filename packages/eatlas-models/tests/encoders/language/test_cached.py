"""Answers of language models are kept: nothing is asked twice, and nothing is another number."""

from __future__ import annotations

import pytest
from tests.encoders.language import tiny

import eatlas
from eatlas.encoders import loading
from eatlas.encoders.cache import NAME, contents
from eatlas.errors import SourceError
from eatlas.paths import cache_folder
from eatlas_models.encoders.language import Question, language_model, open_language_model

TOML = """
schema = 1
[[test]]
id = "own"
title = "Own"
citation = "Own"
X = { name = "Flowers", terms = ["rose", "ivy"] }
Y = { name = "Insects", terms = ["ant", "wasp"] }
A = { name = "Pleasant", terms = ["nice", "lovely", "peace"] }
B = { name = "Unpleasant", terms = ["vile", "awful", "war"] }
"""
WORDS = ("rose", "ant", "wasp", "tulip", "☃")
ASKED = [
    Question(f"{x} is {a}.", (0, len(x)), (len(x) + 4, len(x) + 4 + len(a)), hidden=h, how=how)
    for x in WORDS
    for a in ("nice", "awful", "peace")
    for h in (False, True)
    for how in ("joint", "pll")
]


def counted(build=tiny.bert, stop_after=None, fingerprint=None):
    """A model in memory whose answers are kept, and the texts that it is made to read."""
    model = language_model(*build(), name="tiny")
    model._fingerprint = fingerprint or model.fingerprint
    compute, read = model._logits, []

    def logits(ids):
        if stop_after is not None and len(read) >= stop_after:
            raise KeyboardInterrupt
        read.append(len(ids))
        return compute(ids)

    model._logits = logits
    model.keeps = True
    return model, read


def kept():
    return sum(model.answers for model in contents().models)


def test_what_is_kept_is_what_was_computed_bit_for_bit():
    bare = language_model(*tiny.bert(), name="tiny").score(ASKED)
    (first, read), (second, nothing) = counted(), counted()
    answers, again = first.score(ASKED), second.score(ASKED)
    assert list(bare) == list(answers) == list(again)
    assert bare == answers == again  # floats are equal to the last bit, and faults in every word
    faults = {one.fault for one in bare.values()}
    assert faults == {"the tokenizer does not know it, or a part of it", ""}
    assert {one.pieces for one in bare.values()} >= {0, 1, 2}
    assert read
    assert not nothing
    assert kept() == len(ASKED)


def test_nothing_that_changes_an_answer_shares_a_key():
    """The place of the stimulus, the other's, whether it is hidden, how, and the model."""
    text = "ant is ant."
    asked = [
        Question(text, span, other, hidden=hidden, how=how)
        for span, other in [((0, 3), (7, 10)), ((7, 10), (0, 3)), ((0, 3), None)]
        for hidden in (False, True)
        for how in ("joint", "pll")
    ]
    model, _ = counted()
    assert len(model.score(asked)) == kept() == len(asked)
    counted(fingerprint="another")[0].score(asked)
    assert kept() == 2 * len(asked)


@pytest.mark.parametrize(
    ("family", "measure"),
    [("bert", "lpbs(resamples=0)"), ("gpt2", "lpbs(model=causal,resamples=0)")],
)
def test_a_second_run_loads_no_model_and_says_the_same(
    folders, tmp_path, family, measure, monkeypatch
):
    source = f"hf:{folders[family]}"
    file = tmp_path / "test.toml"
    file.write_text(TOML, encoding="utf-8")
    (first,) = eatlas.run(str(file), source, measure)
    (bare,) = eatlas.run(str(file), f"{source}?cache=no", measure)
    loading.forget()
    monkeypatch.setattr(loading, "_load", None)
    (second,) = eatlas.run(str(file), source, measure)
    assert second.to_dict() == first.to_dict() == bare.to_dict()


def test_without_the_cache_nothing_is_kept(folders):
    model = open_language_model(f"hf:{folders['bert']}?cache=no&precision=float32", "masked")
    assert model.name == f"hf:{folders['bert']}?precision=float32"
    model.score(ASKED[:3])
    assert not cache_folder().joinpath(NAME).exists()
    with pytest.raises(SourceError, match="the option cache") as caught:
        open_language_model(f"hf:{folders['bert']}?cache=on", "masked")
    assert (caught.value.got, caught.value.allowed) == ("on", "yes or no")
