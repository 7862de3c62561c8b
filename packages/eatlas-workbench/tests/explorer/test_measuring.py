"""The numbers of the page are those of ``eatlas run``; what is exported verifies."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from html import unescape

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.explorer.conftest import LISTS, OTHER
from tests.tiny_models import make_model

import eatlas
from eatlas.errors import EatlasError
from eatlas.numbers import brief_p, effect
from eatlas.present.drawings.plane import points_of
from eatlas.present.findings import NAMES
from eatlas.present.rendering import FILTERS
from eatlas.results import read_results
from eatlas.stimuli import load_tests
from eatlas_workbench.explorer import Explorer
from eatlas_workbench.explorer.measuring import Request, pieces_of, unfit
from eatlas_workbench.explorer.page import (
    COMMON,
    FIGURES,
    across_of,
    board_of,
    command,
    file_name,
    look_of,
    others_of,
    page_of,
)
from eatlas_workbench.explorer.served import export

QUICK = "ml-eat(resamples=0,frequency=off)"
NEAR = 5e-7
"""Mean cosines against those of a result, which keeps 6 decimals: worst seen 2.4e-7."""
DIANA = Request(test="weat-6", off={"Y": ("Diana",)})
CHANGED = Request(test="weat-6", off={"Y": ("Diana",)}, added={"X": ("Bob",)})


def changed(request=CHANGED, **values):
    return request.model_copy(update=values)


def test_a_view_is_what_run_finds(explorer):
    view = explorer.view(CHANGED)
    assert view.result.to_dict() == eatlas.run(view.lists.test(), measures=QUICK)[0].to_dict()
    assert view.original.to_dict() == eatlas.run("weat-6", measures=QUICK)[0].to_dict()
    full = eatlas.run(view.lists.test(), measures="ml-eat(frequency=off)")[0]
    whole = explorer.measure_lists(view.lists, view.source, frequency="off")
    assert whole.to_dict() == full.to_dict()


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_adjusted_numbers_are_shown_with_what_they_were(explorer):
    request = Request(test="weat-6", off={"X": ("John",), "A": ("office",)})
    page, view = board_of(explorer, request), explorer.view(request)
    (found,) = eatlas.run(view.lists.test(), measures=QUICK)
    before = view.original.adjusted.level1.effect_size
    rows = re.findall(r"<tr data-level=.*?</tr>", page, re.DOTALL)
    assert f"adjusted, was {effect(before)}" in rows[0]
    for row, level in zip(rows, found.effects(), strict=True):
        assert f"{effect(level.after.d)} adjusted" in row


def test_the_finding_has_its_sentences_p_values_and_the_words_that_it_is_sensitive_to(
    explorer, six, monkeypatch
):
    page = unescape(re.sub("<[^>]*>", "", board_of(explorer, six))).replace("\u00a0", " ")
    finding = explorer.view(six).result.finding
    for question in finding.questions.values():
        assert question.sentence in page
        assert f"{NAMES[question.verdict]}; p these words {brief_p(question.p.these)}" in page
        assert f"adjusted for frequency {brief_p(question.p.adjusted)}" in page
    assert "Line: interval for other words at equal word frequency. p: two-sided." in page
    assert ("Sensitive to" in page) == bool(finding.sensitive_to)
    sensitive = finding.model_copy(update={"sensitive_to": ("John", "home")})
    monkeypatch.setitem(FILTERS, "finding_of", lambda _: sensitive)
    assert "Sensitive to John, home: without any one of these words" in board_of(explorer, six)


def test_lists_with_spaces_are_offered_to_be_split(explorer):
    source = explorer.sources[0].source
    assert pieces_of(" he  'his' he", source) == ("he", "his")
    assert pieces_of("he qqxq", source) == pieces_of("he", source) == ()
    lists = {role: (role, "nurse, teacher") for role in "XYB"}
    look = look_of(explorer, Request(lists={**lists, "A": ("A", "she, he his him; qqxq we")}))
    assert re.findall(r'data-split="(\w)" data-words="([^"]*)"', look) == [
        ("A", "she, he, his, him, qqxq we")
    ]
    assert "Split at spaces: he, his, him<" in look
    board = board_of(explorer, Request(test="weat-6", added={"X": ("bob tom",)}))
    assert 'data-apart="bob tom" data-role="X" data-pieces="bob,tom"' in board
    off = {"X": ("bob tom",)}
    again = board_of(explorer, Request(test="weat-6", added=off, off=off))
    assert "data-apart" not in again


def test_the_source_to_compare_with_is_beside_the_finding(explorer):
    page = board_of(explorer, changed(DIANA, against=1))
    beside = page.partition('id="beside"')[2].partition("</aside>")[0]
    assert beside.count("<tr>") == 2
    assert beside.count("supported") == 2
    assert (
        "<table"
        not in board_of(explorer, DIANA).partition('id="beside"')[2].partition("</aside>")[0]
    )
    broken = Request(test="weat-6", added={"A": ("home",)}, against=1)
    assert "cannot be measured" in board_of(explorer, broken)


def test_where_no_frequency_is_known_the_page_says_why(tiny, tiny_vectors):
    page = board_of(Explorer.of([tiny], [tiny_vectors]), Request(test=tiny.id))
    assert "adjusted</small>" not in page
    assert "Not adjusted for covariates" in page
    assert 'class="rank"' not in page


def test_a_button_has_the_rank_of_its_word(explorer, six):
    ranks = explorer.view(six).result.frequency.ranks
    page = board_of(explorer, six)
    for role in "XYAB":
        for word, rank in ranks[role].terms.items():
            assert f'data-text="{word}"' in page
            assert f'title="rank {rank:,} in {ranks.vocabulary}"' in page or word == "Bill"
    assert f'title="{COMMON}; rank {ranks.X.terms["Bill"]:,} in {ranks.vocabulary}"' in page
    off = changed(off={"Y": ("Diana",), "X": ("Bob",)})  # added, measured, then switched off
    board_of(explorer, CHANGED)
    assert 'title="rank 1,863 in' in board_of(explorer, off)


def test_a_word_that_the_source_does_not_tell_from_another_says_so(explorer):
    amy = Request(test="weat-6", added={"X": ("amy",)})
    page = unescape(board_of(explorer, amy))
    said = "has the same vector as <bdi>Amy (Female names)</bdi>, so they are one stimulus"
    assert f"<bdi>amy</bdi> {said}." in page
    assert 'title="the same vector as amy (Male names); rank' in page  # on the button of Amy
    moved = board_of(explorer, changed(amy, off={"Y": ("Amy",)}))
    assert "same vector" not in moved
    assert "same vector" not in board_of(explorer, Request(test="weat-6"))


def test_a_word_without_a_rank_says_so(explorer, tmp_path):
    words = load_tests("weat-6")[0].terms
    counts = "\n".join(f"{word.lower()} {9000 - 3 * i}" for i, word in enumerate(words[1:]))
    more = "\n".join(
        f"{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}q{i // 676} 9" for i in range(1500)
    )
    (tmp_path / "counts.txt").write_text(f"{counts}\n{more}\n", encoding="utf-8")
    counted = Explorer.of(["weat-6"], [f"glove-sample?counts={tmp_path / 'counts.txt'}"])
    page = board_of(counted, Request(test="weat-6"))
    john = re.search(r'<button[^>]*data-text="John".*?</button>', page)[0]
    assert 'title="no rank: not in ' in john
    assert ">no rank</span>" in john
    assert page.count("no rank: not in") == 1


def test_places_are_the_mean_cosines_of_all_words(explorer):
    view = explorer.view(Request(test="weat-6", off={"Y": ("Diana", "Kate"), "A": ("office",)}))
    source, places = eatlas.open_vectors("glove-sample"), view.placed.at

    def unit(word):
        found = source.lookup([word, word.lower()])
        vector = np.asarray(found.get(word, found.get(word.lower())), np.float64)
        return vector / np.linalg.norm(vector)

    for role in "XY":
        group = view.lists.groups[role]
        for side, attribute in enumerate("AB"):
            for word in group.words:
                cosines = [unit(word) @ unit(other) for other in view.lists.groups[attribute].on]
                assert places[role, word][side] == pytest.approx(np.mean(cosines), abs=1e-12)
            mean = view.result.level3[role + attribute].mean
            on = [places[role, word][side] for word in group.on]
            assert np.mean(on) == pytest.approx(mean, abs=NEAR)


def test_a_word_that_goes_to_another_group_is_measured_there(explorer):
    view = explorer.view(Request(test="weat-6", off={"X": ("John",)}, added={"B": ("John",)}))
    test = view.lists.test()
    assert "John" not in test.X.terms
    assert test.B.terms[-1] == "John"
    assert view.result.to_dict() == eatlas.run(test, measures=QUICK)[0].to_dict()
    assert ("X", "John") in view.placed.at  # a hollow mark stays where it was


def test_lists_that_were_looked_at_are_counted_once(explorer, six, tmp_path):
    assert [explorer.view(one).looked_at for one in (six, DIANA, DIANA, six)] == [1, 2, 2, 2]
    assert "Words were changed" in board_of(explorer, six)  # for results were seen
    assert explorer.view(Request(test="weat-1")).looked_at == 1
    assert explorer.view(Request(test="weat-6", source=1)).looked_at == 2
    path = tmp_path / "again.toml"
    load_tests("weat-6")[0].model_copy(update={"id": "again", "explored": 9}).save(path)
    before = Explorer.of(str(path), ["glove-sample"])
    assert before.view(Request(test="again")).looked_at == 9
    off = Request(test="again", off={"Y": ("Diana",)})
    assert before.view(off).looked_at == before.tests_of(off)[0].explored == 10


def test_a_list_without_a_result_is_not_looked_at_and_shows_no_number(explorer, six):
    explorer.view(six)
    empty = Request(test="weat-6", off={"X": explorer.tests["weat-6"].X.terms})
    view, page = explorer.view(empty), board_of(explorer, empty)
    assert (view.result, view.looked_at) == (None, 1)
    assert "Concept 'Male names', argument terms" in str(view.problem)
    assert "argument terms: list should have at least 1 item" in page
    assert 'id="levels"' not in page
    assert "chip-X0" in page  # so that a word can be switched on again
    assert "list should have at least 1 item" in others_of(explorer, empty)
    for what in ("toml", "results", "report", "plane-single.svg"):
        with pytest.raises(EatlasError, match="list should have at least 1 item"):
            export(explorer, changed(empty, what=what))


def test_words_without_a_vector_and_names_that_are_words(explorer):
    request = Request(test="weat-6", added={"X": ("Xyzzyx",), "Y": ("Rose",)})
    view, page = explorer.view(request), board_of(explorer, request)
    assert 'title="not in glove-sample"' in page
    assert "9 of 9, 1 missing" in page
    assert view.result.coverage["X"].missing == ("Xyzzyx",)
    assert view.placed.common == {("X", "Bill"), ("Y", "Rose")}
    assert page.count('<span class="mark" aria-hidden="true">⚠</span>') == 2
    nowhere = board_of(explorer, Request(lists={**LISTS, "X": ("Nowhere", "qqxq, zzxz")}))
    assert "no term has a usable vector in glove-sample" in nowhere
    assert "Nothing to show" in nowhere
    assert "is on both sides, A and B" in board_of(
        explorer, Request(test="weat-6", added={"A": ("home",)})
    )


def test_every_source_is_compared(explorer):
    request = changed(DIANA, against=1)
    for source, vectors in zip(explorer.sources, ("glove-sample", OTHER), strict=True):
        lists = explorer.lists(DIANA)
        expected = eatlas.run(lists.test(), vectors, QUICK)[0]
        assert explorer.quick(lists, source).to_dict() == expected.to_dict()
    page = across_of(explorer, request)
    assert ">now</th>" in page
    assert ">before</th>" in page
    assert page.count("<svg") >= 9
    assert 'class="moves x"' in page
    assert "cosines of each source are standardised" in page
    alone = across_of(explorer, Request(test="weat-6", against=0))
    assert "Choose another source to compare with" in alone


def test_pasted_words_are_looked_up_while_typing(explorer):
    def look(**lists):
        return look_of(explorer, Request(lists={**dict.fromkeys("YAB", ("", "")), **lists}))

    page = look(X=("", "nurse, Frank, qqxq"), Y=("", "teacher"))
    assert "2 found in GloVe 6B (100d); 1 word missing: qqxq" in page
    assert "1 found in GloVe 6B (100d)" in page
    rest = {**LISTS, "Y": ("", "teacher, baker")}
    assert "Frank; their vectors mix both meanings" in look(**rest | {"X": ("", "nurse, Frank")})
    assert "a word of 10,000 letters" in look(**rest | {"X": ("", "x" * 10_000)})
    many = ",".join(f"w{i}" for i in range(10_000))
    assert "10,000 words; the explorer takes at most 200" in look(X=("", many))
    rare = "ethel, gertrude, mortimer, wilbert, agnes, bernice, edgar, cecil"
    common = "people, time, government, world, city, work, home, company"
    page = look(**LISTS | {"X": ("Common", common), "Y": ("Rare", rare)})
    assert "The words of Common and of Rare differ in frequency: median ranks" in page


def test_the_command_repeats_what_is_shown(explorer, six):
    assert command(explorer, six) == "eatlas run --tests weat-6 --vectors glove-sample"
    assert command(explorer, changed(DIANA, against=1)) == (
        "eatlas run --tests weat-6-explored.toml --vectors glove-sample "
        "--vectors 'glove-sample?transform=center'"
    )
    assert command(explorer, Request(test="mine")).startswith("eatlas run --tests mine.toml")


def test_markup_in_words_is_text(explorer):
    page = board_of(explorer, Request(test="mine", added={"Y": ("<script>bad()</script>",)}))
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;bad()&lt;/script&gt;" in page
    assert "Jobs &lt;i&gt;one&lt;/i&gt;" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((["sent-weat-6", "divdist-face-validity"], "glove-sample"), "none of the tests can be"),
        (("weat-6", []), "no vectors were given"),
        (("weat-6", "glove-sample", "mac"), "the explorer only shows results of ML-EAT or WEAT"),
        (
            ("weat-6", "glove-sample", 'ml-eat(association=projection,direction="she/he")'),
            "the explorer only shows results of ML-EAT or WEAT",
        ),
    ],
)
def test_what_cannot_be_explored_is_said(arguments, said):
    with pytest.raises(EatlasError, match=said):
        Explorer.of(*arguments)


def test_tests_that_cannot_be_explored_are_left_out():
    some = Explorer.of(["weat-6", "sent-weat-6", "divdist-face-validity"], ["glove-sample"])
    assert list(some.tests) == ["weat-6"]
    assert Counter(some.left_out) == Counter(
        (
            "sent-weat-6: no source has its sentences",
            "divdist-face-validity: it is a test of targets and several groups",
        )
    )
    images = next(
        test for test in load_tests("ieat") if any(part.images_from for _, part in test.parts)
    )
    assert unfit(images) == "its stimuli are images"
    for request in (Request(test="weat-9"), Request(), Request(test="weat-6", source=2)):
        with pytest.raises(EatlasError):
            some.view(request)


def test_other_tails_and_weat_without_patterns():
    two_sided = Explorer.of("weat-6", ["glove-sample"], "ml-eat(tail=two-sided)")
    assert two_sided.view(DIANA).result.rule.tail == "two-sided"
    assert command(two_sided, DIANA).endswith("--measure 'ml-eat(tail=two-sided)'")
    explorer = Explorer.of("weat-6", ["glove-sample", OTHER], "weat")
    request = changed(DIANA, against=1)
    page = board_of(explorer, request)
    assert "Male names are more strongly associated with Career than Female names are." in page
    assert re.findall(r'<tr data-level="([^"]+)">', page) == ["level1"]
    assert 'id="eat-map"' not in page
    assert "was 1.72" in page
    assert across_of(explorer, request).count('class="cell"') == 4
    assert 'value="forest"' in page_of(explorer)
    assert 'value="eat-map"' not in page_of(explorer)


@pytest.mark.slow
def test_words_in_sentences_go_with_all_their_sentences(tmp_path):
    model = f"tiny=hf:{make_model(tmp_path / 'bert', 'bert')}?layer=1"
    explorer = Explorer.of(["sent-weat-6"], model)
    with pytest.raises(EatlasError, match="Career cannot take other words: its sentences need"):
        explorer.view(Request(test="sent-weat-6", added={"A": ("job",)}))
    origin = explorer.tests["sent-weat-6"]
    names = {
        role: tuple(dict.fromkeys(s.stimulus for s in part.sentences))
        for role, part in origin.parts
    }
    # few words, as a result keeps the cosines of no more
    off = {role: words[2:] for role, words in names.items()}
    request = Request(test="sent-weat-6", off=off, added={"X": ("Bob",)}, what="results")
    view = explorer.view(request)
    test = view.lists.test()
    assert len(test.X.terms) == len(origin.X.terms) * 3 / 8
    assert "Bob is a person." in test.X.terms
    expected = eatlas.run(test, {"tiny": explorer.sources[0].source}, QUICK)[0]
    assert view.result.to_dict() == expected.to_dict()
    drawn = {(p.role, p.term): (p.a, p.b) for p in points_of(view.result) if p.term}
    assert len(drawn) == 5
    for key, place in drawn.items():
        assert view.placed.at[key] == pytest.approx(place, abs=NEAR)
    path = tmp_path / "results.jsonl"
    path.write_text(export(explorer, request).content)
    assert {one.status for one in eatlas.verify(read_results(path))} == {"same"}


@pytest.fixture
def looked(explorer):
    """An explorer of which three lists of weat-6 were looked at."""
    for request in (Request(test="weat-6"), DIANA, CHANGED):
        explorer.view(request)
    return explorer


def taken(explorer, what, folder, request=CHANGED):
    made = export(explorer, changed(request, what=what))
    path = folder / made.filename
    path.write_bytes(made.content if isinstance(made.content, bytes) else made.content.encode())
    return path


def test_results_verify_and_are_those_of_the_command(looked, tmp_path):
    tests, results = (taken(looked, what, tmp_path) for what in ("toml", "results"))
    assert (tests.name, results.name) == ("weat-6-explored.toml", "weat-6-explored.jsonl")
    found = read_results(results)
    assert [one.provenance.explored for one in found] == [3, None]
    assert {verdict.status for verdict in eatlas.verify(found, tests=tests)} == {"same"}
    repeated = eatlas.run(str(tests), "glove-sample")
    assert [one.to_dict() for one in repeated] == [one.to_dict() for one in found]
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    for number in (2, None):  # the number of lists is bound to the labels' hash
        lines[0]["provenance"]["explored"] = number
        results.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert [v.status for v in eatlas.verify(read_results(results))] == ["differs", "same"]


def test_the_test_says_what_was_changed(looked, tmp_path, six):
    path = taken(looked, "toml", tmp_path)
    text = path.read_text()
    assert "explored = 3" in text
    assert "weat-6 without Diana (Female names); with Bob (Male names), after results had" in text
    after, before = load_tests(path)
    assert before == load_tests("weat-6")[0]
    assert after.explored == 3
    plain = taken(looked, "toml", tmp_path, six)
    assert load_tests(plain) == load_tests("weat-6")
    assert "explored" not in plain.read_text()
    page = taken(looked, "report", tmp_path).read_text()
    assert "The words were changed after results had been seen" in page
    assert "3 word lists tried" in page


def test_pasted_lists_carry_how_many_were_looked_at(explorer, tmp_path):
    evil = {**LISTS, "X": ("Jobs\nid = 'evil'", "nurse, teacher, librarian")}
    first = Request(lists=evil, off={"X": ("librarian",)}, what="toml")
    assert "explored" not in export(explorer, Request(lists=LISTS, what="toml")).content
    explorer.view(first)
    explorer.view(Request(lists=LISTS))
    path = taken(explorer, "toml", tmp_path, first)
    after, _ = load_tests(path)
    assert after.explored == 3


@pytest.mark.slow
def test_a_source_with_a_name_keeps_it(tmp_path):
    explorer = Explorer.of("weat-6", ["small=glove-sample?transform=center", "glove-sample"])
    assert [source.name for source in explorer.sources] == ["small", "GloVe 6B (100d)"]
    request = changed(against=1)
    assert explorer.view(request).result.source == "small"
    found = read_results(taken(explorer, "results", tmp_path, request))
    assert [one.source for one in found] == ["small", "small", "glove-sample", "glove-sample"]
    assert found[0].source_from == "glove-sample?transform=center"
    assert {verdict.status for verdict in eatlas.verify(found)} == {"same"}
    said = command(explorer, request)
    assert "--vectors 'small=glove-sample?transform=center' --vectors glove-sample" in said


def test_figures_for_print(looked, tmp_path, monkeypatch):
    for kind in FIGURES:
        path = taken(looked, f"{kind}-single.svg", tmp_path)
        assert path.name == f"weat-6-explored-{kind}-single.svg"
        assert re.search(r'<svg[^>]* width="[\d.]+(mm|pt|px)?"', path.read_text())
    content = taken(looked, "plane-double.pdf", tmp_path).read_bytes()
    width = float(re.search(rb"/MediaBox \[0 0 ([\d.]+) ", content)[1])
    assert width == pytest.approx(183 / 25.4 * 72, rel=0.01)
    for what in ("", "../x", "plane-triple.svg", "plane-single.html", "toml\n"):
        with pytest.raises(EatlasError, match="There is no such export"):
            export(looked, changed(what=what))
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(EatlasError) as raised:
        export(looked, changed(what="plane-single.pdf"))
    assert raised.value.remedy == "pip install 'eatlas[plots]'"


def test_names_of_files_are_tame():
    assert file_name("../../etc/passwd") == "etc-passwd"
    assert file_name("…") == "test"
    assert len(file_name("x" * 500)) == 80
