"""The numbers of the page are those of ``eatlas run``, and none of them is stale."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.apps.explorer.conftest import OTHER
from tests.tiny_models import make_model

import eatlas
from eatlas.apps.explorer import Explorer
from eatlas.apps.explorer.board import across_of, board_of, command, look_of, others_of, page_of
from eatlas.apps.explorer.lists import Request
from eatlas.apps.explorer.measuring import unfit
from eatlas.apps.explorer.page import export
from eatlas.engine.verify import verify
from eatlas.errors import EatlasError
from eatlas.present.drawings.plane import points_of
from eatlas.results import read_results
from eatlas.stimuli import load_tests

QUICK = "ml-eat(resamples=0,frequency=off)"
NEAR = 5e-7
"""Mean cosines against those of a result, which keeps 6 decimals: worst seen 2.4e-7."""


def test_a_view_is_what_run_finds(explorer):
    request = Request(test="weat-6", off={"Y": ("Diana",), "B": ("home",)}, added={"X": ("Bob",)})
    view = explorer.view(request)
    expected = eatlas.run(view.lists.test(), "glove-sample", QUICK)[0]
    assert view.result.to_dict() == expected.to_dict()
    assert view.original.to_dict() == eatlas.run("weat-6", "glove-sample", QUICK)[0].to_dict()
    others = explorer.other_words(request)
    full = eatlas.run(view.lists.test(), "glove-sample", "ml-eat(frequency=off)")[0]
    assert others.to_dict() == full.to_dict()


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_toggle_is_what_run_finds(explorer, data):
    origin = explorer.tests["weat-6"]
    off = {
        role: tuple(data.draw(st.lists(st.sampled_from(concept.terms), max_size=5, unique=True)))
        for role, concept in origin.concepts.items()
    }
    view = explorer.view(Request(test="weat-6", off=off, source=data.draw(st.integers(0, 1))))
    expected = eatlas.run(view.lists.test(), view.source.source, QUICK)[0]
    assert view.result.to_dict() == expected.to_dict()


def test_places_are_the_mean_cosines_of_all_words(explorer):
    off = {"Y": ("Diana", "Kate"), "A": ("office",)}
    view = explorer.view(Request(test="weat-6", off=off))
    source = eatlas.open_vectors("glove-sample")

    def unit(word):
        found = source.lookup([word, word.lower()])
        vector = np.asarray(found.get(word, found.get(word.lower())), np.float64)
        return vector / np.linalg.norm(vector)

    for role in "XY":
        for word in view.lists.groups[role].words:
            for side, attribute in enumerate("AB"):
                cosines = [unit(word) @ unit(one) for one in view.lists.groups[attribute].on]
                assert view.places[role, word][side] == pytest.approx(np.mean(cosines), abs=1e-12)
    for role in "XY":
        own = [view.places[role, word] for word in view.lists.groups[role].on]
        for side, attribute in enumerate("AB"):
            mean = view.result.level3.cell(role + attribute).mean
            assert np.mean([one[side] for one in own]) == pytest.approx(mean, abs=NEAR)


def test_lists_that_were_looked_at_are_counted_once(explorer, six):
    assert not explorer.view(six).explored
    assert explorer.view(six).looked_at == 1
    changed = Request(test="weat-6", off={"Y": ("Diana",)})
    assert [explorer.view(one).looked_at for one in (changed, changed, six)] == [2, 2, 2]
    assert explorer.view(six).explored  # the band stays, for results were seen
    assert explorer.view(Request(test="weat-1")).looked_at == 1
    assert explorer.view(Request(test="weat-6", source=1)).looked_at == 2


def test_a_list_without_a_result_is_not_looked_at(explorer, six):
    explorer.view(six)
    empty = Request(test="weat-6", off={"X": explorer.tests["weat-6"].X.terms})
    view = explorer.view(empty)
    assert view.result is None
    assert view.looked_at == 1
    assert str(view.problem).startswith("In Male names, no word is switched on.")
    page = board_of(explorer, empty)
    assert "no word is switched on" in page
    assert 'id="levels"' not in page  # no number of other words
    assert "chip-X0" in page  # so that a word can be switched on again


def test_a_test_that_was_explored_before_brings_its_count_along(tmp_path):
    path = tmp_path / "mine.toml"
    (test,) = load_tests("weat-6")
    test.model_copy(update={"id": "mine", "explored": 9}).save(path)
    explorer = Explorer.of(str(path), ["glove-sample"])
    assert explorer.view(Request(test="mine")).looked_at == 9
    assert explorer.view(Request(test="mine")).explored
    changed = Request(test="mine", off={"Y": ("Diana",)})
    assert explorer.view(changed).looked_at == 10
    assert explorer.tests_of(changed)[0].explored == 10


def test_missing_words_are_named_and_not_measured(explorer):
    request = Request(test="weat-6", added={"X": ("Xyzzyx",)})
    page = board_of(explorer, request)
    assert 'title="not in glove-sample"' in page
    assert "9 of 9, 1 missing" in page
    assert explorer.view(request).result.coverage["X"].missing == ("Xyzzyx",)


def test_a_name_that_is_a_common_word_is_marked(explorer):
    view = explorer.view(Request(test="weat-6", added={"Y": ("Rose",)}))
    assert view.placed.common == {("X", "Bill"), ("Y", "Rose")}
    page = board_of(explorer, Request(test="weat-6"))
    assert page.count('<span class="mark" aria-hidden="true">⚠</span>') == 1
    assert "(also a common word: its vector mixes both meanings)" in page


def test_a_group_without_vectors_is_a_sentence(explorer):
    lists = {
        "X": ("Nowhere", "qqxq, zzxz"), "Y": ("Crafts", "carpenter, engineer"),
        "A": ("Female", "she, woman"), "B": ("Male", "he, man"),
    }  # fmt: skip
    page = board_of(explorer, Request(lists=lists))
    assert "no term has a usable vector in glove-sample" in page
    assert "Nothing to show" in page


def test_a_word_in_both_attributes_is_a_sentence(explorer):
    page = board_of(explorer, Request(test="weat-6", added={"A": ("home",)}))
    assert "home is in both Career and Family" in page
    same = {
        "X": ("Jobs", "nurse, teacher"), "Y": ("Crafts", "carpenter, engineer"),
        "A": ("Same", "she, woman"), "B": ("Same", "she, woman"),
    }  # fmt: skip
    with pytest.raises(EatlasError, match="she, woman are in both Same and Same"):
        board_of(explorer, Request(lists=same))


def test_words_are_looked_up_once(explorer, six, monkeypatch):
    explorer.view(six)
    source = explorer.sources[0].source
    looked_up = []
    answers = type(source).answers

    def watched(self, items, *rest):
        looked_up.append(len(items))
        return answers(self, items, *rest)

    monkeypatch.setattr(type(source), "answers", watched)
    explorer.view(Request(test="weat-6", off={"Y": ("Diana",)}))
    assert looked_up == []
    explorer.view(Request(test="weat-6", added={"Y": ("Mary",)}))
    assert looked_up == [3]  # Mary, mary, MARY


@pytest.fixture
def from_file(tmp_path):
    path = tmp_path / "vectors.txt"
    words = load_tests("weat-6")[0].terms
    found = eatlas.open_vectors("glove-sample").lookup([one.lower() for one in words])
    lines = [f"{word} {' '.join(map(str, vector))}" for word, vector in found.items()]
    path.write_text("\n".join(lines) + "\n")
    return path, Explorer.of("weat-6", [str(path)])


@pytest.mark.parametrize("how", ["gone", "another"])
def test_a_file_that_vanished_shows_no_number(from_file, how, six):
    path, explorer = from_file
    assert explorer.view(six).result is not None
    if how == "gone":
        path.unlink()
        said = "The file of .*vectors.txt no longer exists"
    else:
        path.write_text(path.read_text() + "zebra " + "1 " * 100 + "\n")
        said = "was changed while it was explored"
    view = explorer.view(six)
    assert view.result is None
    assert re.search(said, str(view.problem))
    page = board_of(explorer, six)
    assert "Nothing to show" in page
    assert "d = " not in page
    for ask in (explorer.other_words, explorer.whole):
        with pytest.raises(EatlasError, match=said):
            ask(six)
    assert all(isinstance(one, EatlasError) for _, row in explorer.across(six) for one in row)


def test_every_source_is_compared(explorer):
    request = Request(test="weat-6", off={"Y": ("Diana",)}, against=1)
    rows = explorer.across(request)
    assert [name for name, _ in rows] == ["these words", "before"]
    for (_, results), test in zip(rows, explorer.tests_of(request), strict=True):
        for one, source in zip(results, explorer.sources, strict=True):
            expected = eatlas.run(test.model_copy(update={"explored": None}), source.source, QUICK)[
                0
            ]
            assert one.level1.effect_size == expected.level1.effect_size
    page = across_of(explorer, request)
    assert page.count("<svg") >= 9
    assert 'class="moves x"' in page
    assert "divided by their standard deviation" in page
    alone = across_of(explorer, Request(test="weat-6", against=0))
    assert "Choose another source to compare with" in alone


def test_pasted_words_are_looked_up_while_typing(explorer):
    lists = {
        "X": ("", "nurse, Frank, qqxq"), "Y": ("", "teacher"), "A": ("", ""), "B": ("", ""),
    }  # fmt: skip
    page = look_of(explorer, Request(lists=lists))
    assert "2 found in GloVe 6B (100d); 1 word missing: qqxq" in page
    assert "1 found in GloVe 6B (100d)" in page
    lists |= {"Y": ("", "teacher, baker"), "A": ("", "she, woman"), "B": ("", "he, man")}
    assert "Frank; their vectors mix both meanings" in look_of(explorer, Request(lists=lists))
    long = {**lists, "X": ("", "x" * 10_000)}
    assert "a word of 10,000 letters" in look_of(explorer, Request(lists=long))
    many = {**lists, "X": ("", ",".join(f"w{i}" for i in range(10_000)))}
    assert "10,000 words; the explorer takes at most 200" in look_of(explorer, Request(lists=many))


def test_unequal_frequency_is_remarked_on(explorer):
    rare = "ethel, gertrude, mortimer, wilbert, agnes, bernice, edgar, cecil"
    common = "people, time, government, world, city, work, home, company"
    lists = {
        "X": ("Common", common), "Y": ("Rare", rare),
        "A": ("Female", "she, woman"), "B": ("Male", "he, man"),
    }  # fmt: skip
    page = look_of(explorer, Request(lists=lists))
    assert "The words of Common and of Rare differ in frequency: median ranks" in page


def test_the_command_repeats_what_is_shown(explorer, six):
    assert command(explorer, six) == "eatlas run --tests weat-6 --vectors glove-sample"
    changed = Request(test="weat-6", off={"Y": ("Diana",)}, against=1)
    assert command(explorer, changed) == (
        "eatlas run --tests weat-6-explored.toml --vectors glove-sample "
        "--vectors 'glove-sample?transform=center'"
    )
    assert command(explorer, Request(test="mine")).startswith("eatlas run --tests mine.toml")


def test_other_words_without_a_result_are_a_sentence(explorer):
    terms = explorer.tests["weat-6"].X.terms
    assert "no word is switched on" in others_of(explorer, Request(test="weat-6", off={"X": terms}))


def test_markup_in_words_is_text(explorer):
    request = Request(test="mine", added={"Y": ("<script>bad()</script>",)})
    page = board_of(explorer, request)
    assert "<script" not in page
    assert "&lt;script&gt;bad()&lt;/script&gt;" in page
    assert "<img" not in page
    assert "Jobs &lt;i&gt;one&lt;/i&gt;" in page


def test_what_cannot_be_explored_is_said():
    with pytest.raises(EatlasError, match="none of the tests can be explored") as raised:
        Explorer.of(["sent-weat-6", "divdist-face-validity"], ["glove-sample"])
    assert raised.value.got == (
        "divdist-face-validity: it is a test of targets and several groups; sent-weat-6: no source "
        "has its sentences"
    )
    assert "--vectors hf:MODEL encodes sentences" in raised.value.remedy
    some = Explorer.of(["weat-6", "sent-weat-6"], ["glove-sample"])
    assert list(some.tests) == ["weat-6"]
    assert some.left_out == ("sent-weat-6: no source has its sentences",)
    assert unfit(some.tests["weat-6"]) == ""
    images = next(
        one for one in load_tests("ieat") if any(part.images_from for _, part in one.parts)
    )
    assert unfit(images) == "its stimuli are images"


@pytest.fixture
def in_sentences(tmp_path):
    """Words of weat-6 in sentences, of a small model."""
    return Explorer.of(["sent-weat-6"], f"tiny=hf:{make_model(tmp_path / 'bert', 'bert')}?layer=1")


@pytest.mark.slow
def test_words_in_sentences_go_with_all_their_sentences(in_sentences, tmp_path):
    off = {"Y": ("Diana",), "A": ("office",)}
    request = Request(test="sent-weat-6", off=off, added={"X": ("Bob",)}, what="results")
    view = in_sentences.view(request)
    test = view.lists.test()
    origin = in_sentences.tests["sent-weat-6"]
    for role, word in (("A", "office"), ("Y", "Diana")):
        others = [one.text for one in origin.concept(role).sentences if one.stimulus != word]
        assert list(test.concept(role).terms) == others
    assert len(test.X.terms) == len(origin.X.terms) * 9 / 8
    assert "Bob is a person." in test.X.terms
    source = in_sentences.sources[0].source
    expected = eatlas.run(test, {"tiny": source}, QUICK)[0]
    assert view.result.to_dict() == expected.to_dict()
    groups = view.lists.groups
    most = {role: groups[role].original[-6:] for role in groups}  # more cosines are not kept
    few = in_sentences.view(Request(test="sent-weat-6", off=most))
    drawn = {(one.role, one.term): (one.a, one.b) for one in points_of(few.result)}
    on = {key: place for key, place in few.places.items() if key in drawn}
    assert len(on) == 4
    for key, place in on.items():
        assert place == pytest.approx(drawn[key], abs=NEAR)
    path = tmp_path / "results.jsonl"
    path.write_bytes(export(in_sentences, request).content)
    assert {one.status for one in verify(read_results(path))} == {"same"}
    tests = tmp_path / "tests.toml"
    tests.write_bytes(export(in_sentences, replace(request, what="toml")).content)
    assert load_tests(tests)[0].X == test.X


def test_a_word_that_needs_an_article_cannot_be_added_to_sentences(in_sentences):
    with pytest.raises(EatlasError, match="Career takes no other words: its sentences need"):
        in_sentences.view(Request(test="sent-weat-6", added={"A": ("job",)}))


def test_other_measures_are_refused():
    for measure in ("mac", 'ml-eat(association=projection,direction="she/he")', "sc-eat"):
        with pytest.raises(EatlasError, match="the explorer shows what ML-EAT or WEAT finds"):
            Explorer.of("weat-6", ["glove-sample"], measure)
    two_sided = Explorer.of("weat-6", ["glove-sample"], "ml-eat(tail=two-sided)")
    assert two_sided.view(Request(test="weat-6")).result.rule.tail == "two-sided"
    assert command(two_sided, Request(test="weat-6")).endswith("--measure 'ml-eat(tail=two-sided)'")


def test_weat_has_an_effect_size_and_no_pattern():
    explorer = Explorer.of("weat-6", ["glove-sample", OTHER], "weat")
    request = Request(test="weat-6", off={"Y": ("Diana",)}, against=1)
    view = explorer.view(request)
    expected = eatlas.run(view.lists.test(), "glove-sample", "weat(resamples=0,frequency=off)")[0]
    assert view.result.to_dict() == expected.to_dict()
    page = board_of(explorer, request)
    assert "Male names go with Career more than Female names" in page
    assert page.count('<tr><th scope="row">Level 1') == 1
    assert 'id="eat-map"' not in page
    assert 'id="plane"' in page
    assert "was 1.72" in page
    assert "Intervals of d with other words" in others_of(explorer, request)
    assert across_of(explorer, request).count('class="cell"') == 4
    assert 'value="forest"' in page_of(explorer)
    assert 'value="eat-map"' not in page_of(explorer)
    assert command(explorer, request).endswith("--measure weat")


def test_a_word_that_goes_to_another_group_is_measured_there(explorer):
    request = Request(test="weat-6", off={"X": ("John",)}, added={"B": ("John",)})
    view = explorer.view(request)
    assert view.lists.changes == ["John moved from Male names to Family"]
    test = view.lists.test()
    assert "John" not in test.X.terms
    assert test.B.terms[-1] == "John"
    expected = eatlas.run(test, "glove-sample", QUICK)[0]
    assert view.result.to_dict() == expected.to_dict()
    assert ("X", "John") in view.places  # a hollow mark stays where it was
    assert "changed: John moved from Male names to Family" in board_of(explorer, request)


def test_words_of_an_encoder_are_encoded_once(tmp_path, monkeypatch):
    model = make_model(tmp_path / "bert", "bert")
    explorer = Explorer.of("weat-6", f"tiny=hf:{model}?layer=1")
    request = Request(test="weat-6", off={"Y": ("Diana",)})
    view = explorer.view(request)
    expected = eatlas.run(view.lists.test(), f"tiny=hf:{model}?layer=1", QUICK)[0]
    assert view.result.to_dict() == expected.to_dict()
    source, encoded = explorer.sources[0].source, []
    answers = type(source).answers

    def watched(self, items, *rest):
        encoded.append(len(items))
        return answers(self, items, *rest)

    monkeypatch.setattr(type(source), "answers", watched)
    explorer.view(Request(test="weat-6", off={"X": ("John",)}))
    explorer.view(Request(test="weat-6", added={"X": ("Bob",)}))
    assert encoded == [1]


def test_numbers_of_sources_and_tests_that_are_none(explorer):
    for request in (Request(test="weat-9"), Request(), Request(test="weat-6", source=2)):
        with pytest.raises(EatlasError):
            explorer.view(request)
    with pytest.raises(EatlasError):
        across_of(explorer, Request(test="weat-6", against=7))
