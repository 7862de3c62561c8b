"""Frequency bands: top lists and counts are those of the whole table, sorted."""

import numpy as np
import pandas as pd
import pytest
from tests.scan.vocabularies import concepts, vocabulary

import eatlas
from eatlas.errors import ResultsError
from eatlas_vocabulary.engine import scan as module
from eatlas_vocabulary.engine.scan import bands_of

EDGES = (10, 25, 1000)


@pytest.fixture(scope="module", params=[5, 1000])
def result(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROWS", request.param)
        return eatlas.scan(vocabulary(60), concepts(), "sc-eat(alpha=0.2)", top=4, bands=EDGES)


def test_bands_end_where_the_source_ends():
    def labels(edges, read):
        return [band.label for band in bands_of(edges, read)]

    assert labels((1000, 10_000), 400_000) == ["1–1,000", "1,001–10,000", "10,001–400,000"]
    assert labels((1000, 10_000), 10_000) == ["1–1,000", "1,001–10,000"]
    assert labels((1000, 10_000), 999) == ["1–999"]
    assert labels((1000, 10_000), 1001) == ["1–1,000", "1,001–1,001"]
    assert labels((), 7) == ["1–7"]


def test_lists_are_those_of_the_sorted_table(result):
    frame = result.to_frame()
    family = frame[frame["attribute"] == "no"]
    assert [band.band.label for band in result.bands] == ["1–10", "11–25", "26–68"]
    lists = iter(result.tops)
    for band in result.bands:
        mine = family[family["rank"].between(band.band.first, band.band.last)]
        assert band.words == len(mine)
        for side, sign in (("A", 1), ("B", -1)):
            found = next(lists)
            belongs = mine[sign * mine["effect_size"] > 0]
            wanted = belongs.assign(size=-sign * belongs["effect_size"]).sort_values(
                ["size", "rank"]
            )
            assert (found.band, found.side) == (band.band, side)
            assert [word.word for word in found.words] == wanted["word"].tolist()[:4]
            for word, (_, row) in zip(found.words, wanted.iterrows(), strict=False):
                assert word.rank == row["rank"]
                assert word.level2.effect_size == row["effect_size"]
                assert word.level2.difference == row["difference"]
                assert word.level2.n == (4, 4)
                assert (word.p_max_t, word.p_by) == (row["p_max_t"], row["p_by"])
                for tail in ("greater", "less", "two_sided"):
                    assert word.level2.p[tail] == row[f"p_{tail}"]
                    assert word.level2.p.count_of(tail) == round(row[f"p_{tail}"] * 70)
                assert (word.level2.p.method, word.level2.p.total) == ("exact", 70)
                assert word.level2.p.min_p == 1 / 70


def test_counts_are_those_of_the_table(result):
    frame = result.to_frame()
    family = frame[frame["attribute"] == "no"]
    columns = {"unadjusted": "p_two_sided", "max_t": "p_max_t", "benjamini_yekutieli": "p_by"}
    for name, column in columns.items():
        low = family[family[column] < 0.2]
        sides = getattr(result.family, name)
        assert (low["effect_size"] > 0).sum() == sides.A
        assert (low["effect_size"] < 0).sum() == sides.B
        assert sum(getattr(band, name).A for band in result.bands) == sides.A
        assert sides.total == len(low)
    for band in result.bands:
        mine = family[family["rank"].between(band.band.first, band.band.last)]
        assert (mine["effect_size"] > 0).sum() == band.leaning.A
        assert (mine["effect_size"] < 0).sum() == band.leaning.B
    assert result.family.leaning.total == 60
    assert result.family.words == len(family) == 60
    assert result.family.unadjusted.total > result.family.max_t.total > 0


def test_top_as_a_frame(result):
    frame = result.top()
    assert frame.columns.tolist() == [
        *("band", "side", "word", "rank", "effect_size", "difference"),
        *("p_greater", "p_less", "p_two_sided", "p_max_t", "p_by"),
    ]
    assert len(result.top("A", n=2)) <= 6
    assert set(result.top("B")["side"]) == {"B"}
    assert pd.concat([result.top("A"), result.top("B")]).shape == frame.shape
    with pytest.raises(eatlas.EatlasError, match="there is no such side"):
        result.top("C")


def test_of_equal_effect_sizes_the_more_frequent_word_comes_first():
    source = vocabulary()
    a, b = concepts()
    terms = [*a.terms, *b.terms]
    found = source.lookup([*terms, "w0"])
    copies = {f"same{i}": found["w0"] for i in range(30)}
    vectors = copies | {term: found[term] for term in terms}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROWS", 4)
        result = eatlas.scan(vectors, (a, b), top=3)
    listed = result.top()["word"].tolist()
    assert listed == ["same0", "same1", "same2"]


def test_words_without_spread_without_direction_and_without_vector():
    source = vocabulary(6)
    words = [word for part, _ in source.iter_chunks() for word in part]
    rows = np.array(list(source.lookup(words).values()))
    # orthogonal to every attribute: all cosines are 0
    rows = np.hstack([rows, np.zeros((len(rows), 2))])
    more = np.zeros((4, 8))
    more[0, 6] = more[1, 7] = 1.0
    more[3, 0] = np.nan
    made = eatlas.ArraySource([*words, "flat1", "flat2", "zero", "nan"], np.vstack([rows, more]))
    result = eatlas.scan(made, concepts())
    frame = result.to_frame().set_index("word")
    assert "zero" not in frame.index
    assert "nan" not in frame.index
    assert frame.loc[["flat1", "flat2"], "effect_size"].isna().all()
    ps = ["p_greater", "p_less", "p_two_sided", "p_max_t", "p_by"]
    assert (frame.loc[["flat1", "flat2"], ps] == 1.0).all(axis=None)
    assert frame["rank"].max() == 16
    summary = result.vocabulary
    assert (summary.read, summary.tested, summary.undefined) == (18, 16, 2)
    zero, infinite = "its vector is zero (norm 0)", "its vector has a component that is not finite"
    assert summary.missing == {zero: 1, infinite: 1}
    assert summary.examples == {zero: ("zero",), infinite: ("nan",)}
    assert "flat1" not in result.top()["word"].tolist()
    assert [note.code for note in result.warnings][-3:] == [
        "scan.missing", "scan.missing", "scan.undefined",
    ]  # fmt: skip


def test_a_design_that_can_show_nothing_says_so():
    result = eatlas.scan(vocabulary(a=2, b=2), concepts(2, 2))
    assert "p.design-two-sided" in [note.code for note in result.warnings]
    family = result.family
    assert (family.min_two_sided, family.by_needs, family.holm_possible) == (1 / 3, None, False)
    assert family.max_t_details.critical is None


def test_a_vocabulary_in_alphabetical_order_says_so():
    source = vocabulary(30)
    words = sorted(word for part, _ in source.iter_chunks() for word in part)
    found = source.lookup(words)
    result = eatlas.scan({word: found[word] for word in words}, concepts())
    assert result.vocabulary.alphabetical
    assert "scan.alphabetical" in [note.code for note in result.warnings]
    assert not eatlas.scan(source, concepts()).vocabulary.alphabetical


def test_all_words_need_a_place():
    result = eatlas.scan(vocabulary(), concepts()).model_copy()
    result._words = None
    with pytest.raises(ResultsError, match="this scan only has a summary, not its words"):
        result.to_frame()


@pytest.mark.parametrize("sort", ["effect_size", "difference", "p"])
def test_lists_are_sorted_by_what_is_said(sort):
    source = vocabulary()
    result = eatlas.scan(source, concepts(), bands=(), top=1000, sort=sort)
    assert result.sort == sort
    frame = result.to_frame()
    family = frame[frame["attribute"] == "no"]
    for side, sign in (("A", 1), ("B", -1)):
        mine = family[sign * family["effect_size"] > 0]
        key = {"p": mine["p_two_sided"]}.get(sort, -sign * mine.get(sort, mine["rank"]))
        order = mine.assign(key=key, size=-sign * mine["effect_size"])
        wanted = order.sort_values(["key", "size", "rank"])["word"].tolist()
        assert result.top(side)["word"].tolist() == wanted
