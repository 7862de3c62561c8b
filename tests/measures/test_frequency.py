"""How frequent a test's words are, and what random topics show in their place."""

import json
import re

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas
from eatlas.engine.frequency import ranking_of
from eatlas.kernels import unit_rows
from eatlas.measures.topics import Listed
from eatlas.results import to_json_line
from eatlas.sources import ArraySource, open_vectors
from eatlas.stats.topics import TopicPairs

WORDS = [
    word for word in open_vectors("glove-sample").vocabulary() if word.isalpha() and len(word) > 3
]
ROLES = ("X", "Y", "A", "B")


def random_test(seed, ranks, n=8):
    """A test of random words of glove-sample, of ranks between two in each group."""
    rng, place = np.random.default_rng(seed), {w: i for i, w in enumerate(sample_words())}
    taken, groups = set(), {}
    for role, (first, last) in zip(ROLES, ranks, strict=True):
        fitting = [w for w in WORDS if first <= place[w] + 1 <= last and w not in taken]
        groups[role] = tuple(rng.choice(fitting, n, replace=False).tolist())
        taken |= set(groups[role])
    concepts = {role: eatlas.Concept(name=role, terms=terms) for role, terms in groups.items()}
    return eatlas.AssociationTest(id=f"random-{seed}", **concepts)


def sample_words():
    return list(open_vectors("glove-sample").vocabulary())


APART = ((1500, 3000), (1500, 3000), (50, 1000), (5000, 9000))
ALIKE = ((1500, 3000),) * 4


def test_frequency_alone_makes_a_pattern_and_is_called_by_its_name():
    """A frequent, B rare: A-Uniform in all 8 tests; each warns, and none is beyond chance."""
    tests = [random_test(seed, APART) for seed in range(8)]
    results = eatlas.run(tests=tests, measures="ml-eat(resamples=0)")
    assert [r.pattern.label for r in results] == ["A-Uniform"] * 8
    assert [r.pattern.two_sided_label for r in results] == ["A-Uniform"] * 8
    for result in results:
        (said,) = [
            w
            for w in map(str, result.warnings)
            if "frequency" in w and w.startswith("The words of A")
        ]
        a, b = (result.frequency.ranks[role].median for role in "AB")
        assert f"median ranks {a:,.0f} and {b:,.0f}" in said
        assert result.frequency.ranks.p_attributes < 0.01
    p = np.array([[r.frequency.matched.level2[t].p_two_sided for t in "XY"] for r in results])
    assert np.mean(p < 0.05) < 0.2
    assert np.median(p) > 0.2


def test_the_record_is_that_of_the_contract():
    (result,) = eatlas.run(tests="weat-5")
    record = json.loads(to_json_line(result))["frequency"]
    ranks, matched = record["ranks"], record["matched"]
    assert ranks["A"]["terms"]["love"] == 836
    assert ranks["A"]["median"] == float(np.median(list(ranks["A"]["terms"].values())))
    assert {role: len(ranks[role]["terms"]) for role in ROLES} == {"X": 16, "Y": 16, "A": 8, "B": 8}
    for level in (matched["level1"], matched["level2"]["X"], matched["level2"]["Y"]):
        assert all(0 < level[f"p_{tail}"] <= 1 for tail in ("greater", "less", "two_sided"))
        assert level["quantiles"] == sorted(level["quantiles"])
    for pair in ("targets", "attributes"):
        near = matched["nearness"][pair]
        assert near["pairs"] == 150
        assert near["topics"] == pytest.approx(near["own"], abs=0.02)
    for role in ROLES:
        assert matched["coherence"][role]["topics"] == pytest.approx(
            matched["coherence"][role]["own"], abs=0.1
        )
    assert type(result).from_dict(json.loads(to_json_line(result))) == result


def test_neither_the_order_of_terms_nor_other_tests_of_a_run_decide_anything():
    first, _, third = eatlas.load_tests(["weat-6", "weat-7", "weat-8"])
    turned = {
        role: concept.model_copy(update={"terms": concept.terms[::-1]})
        for role, concept in first.concepts.items()
    }
    (alone,) = eatlas.run(tests=first, measures="ml-eat(resamples=0)")
    (other,) = eatlas.run(
        tests=eatlas.AssociationTest(id="turned", **turned), measures="ml-eat(resamples=0)"
    )
    among = eatlas.run(tests=[third, first], measures=["weat(resamples=0)", "ml-eat(resamples=0)"])
    expected = alone.frequency.matched.to_dict()
    assert other.frequency.matched.to_dict() == expected
    assert [r.frequency.matched.to_dict() for r in among if r.test == "weat-6"][-1] == expected
    x, y, a, b = (first.concepts[role] for role in ROLES)
    exchanged = eatlas.AssociationTest(id="exchanged", X=y, Y=x, A=a, B=b)
    (mirrored,) = eatlas.run(tests=exchanged, measures="weat(resamples=0)")
    assert (
        mirrored.frequency.matched.level1.p_two_sided == alone.frequency.matched.level1.p_two_sided
    )
    assert mirrored.frequency.matched.level1.p_less == alone.frequency.matched.level1.p_greater
    words = {test.id: set(test.terms) for test in (first, third)}
    assert expected["words"] > 500
    assert not words["weat-6"] & words["weat-8"]


def test_topics_are_found_once_for_all_calls_on_a_source(monkeypatch):
    words = sample_words()[:3000]
    vectors = np.random.default_rng(0).normal(size=(3000, 12))
    source = ArraySource(words, vectors, ordered=True)
    test = random_test(1, ((500, 1500),) * 4)
    found, near = [], TopicPairs.near
    monkeypatch.setattr(TopicPairs, "near", lambda *given: found.append(given) or near(*given))
    first, second = (eatlas.WEAT(resamples=0)(test, source) for _ in range(2))
    assert first.frequency.matched is not None
    assert to_json_line(first) == to_json_line(second)
    assert len(found) == 2  # targets and attributes


def test_topics_hold_no_word_of_the_test():
    (test,) = eatlas.load_tests("weat-7")
    ranking = ranking_of(open_vectors("glove-sample"), [test], "auto", "cheap")
    (result,) = eatlas.run(tests=test, measures="ml-eat(resamples=0)")
    lists = {role: result.frequency.ranks[role].terms for role in ROLES}
    own = {term.lower() for terms in lists.values() for term in terms}
    known = ranking.topic_words
    avoided = [known.place[word] for word in own if word in known.place]
    assert len(avoided) > 20
    names, vectors = np.array([*known.place]), open_vectors("glove-sample").lookup(own)
    for first, second in (("X", "Y"), ("A", "B")):
        given = []
        for role in (first, second):
            keys = tuple(sorted(lists[role], key=lambda term, of=lists[role]: (of[term], term)))
            rows = unit_rows(np.array([vectors[key] for key in keys]))
            given.append(Listed(keys, np.log([lists[role][key] for key in keys]), rows))
        for words in known.pairs(*given, avoided, 0).words:
            assert not set(names[words].ravel()) & own


def lists_of(kind, number, n=8):
    """Groups of words of glove-sample that no hypothesis chose: four topics, or two pairs."""
    rng, words = np.random.default_rng([number, len(kind)]), WORDS[500:5000]
    vectors = open_vectors("glove-sample").lookup(words)
    rows = unit_rows(np.array([vectors[word] for word in words]))
    free, lists = np.ones(len(words), bool), []

    def near(seed, size):
        chosen = np.argsort(-(rows @ rows[seed]) + 9.0 * ~free)[:size]
        free[chosen] = False
        return chosen

    for _ in range(2):
        seeds = rng.choice(np.flatnonzero(free), 2, replace=False)
        if kind == "topics":
            lists += [near(seed, n) for seed in seeds]
        elif kind == "neighbours":
            lists.append(near(seeds[0], n))
            lists.append(near(np.argsort(-(rows @ rows[seeds[0]]))[40], n))
        else:
            both = rng.permutation(near(seeds[0], 2 * n))
            lists += [both[:n], both[n:]]
    return [tuple(words[i] for i in chosen) for chosen in lists]


def made_test(lists, name):
    concepts = {
        role: eatlas.Concept(name=role, terms=tuple(terms))
        for role, terms in zip(ROLES, lists, strict=True)
    }
    return eatlas.AssociationTest(id=name, **concepts)


QUICK = "ml-eat(resamples=0,adjust=none)"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["topics", "neighbours", "halves"])
def test_lists_that_no_hypothesis_chose_are_seldom_unusual_among_pairs_as_near(kind):
    """Of 60 tests .05: more than 8 in one of 300. Four topics differ by the labels in half."""
    tests = [made_test(lists_of(kind, number), f"{kind}-{number}") for number in range(60)]
    results = eatlas.run(tests=tests, measures=QUICK)
    if kind == "topics":
        assert np.mean([r.level1.p.two_sided <= 0.05 for r in results]) > 0.4
    matched = [r.frequency.matched for r in results]
    for p in (
        np.array([m.level1.p_two_sided for m in matched]),
        np.array([m.level2.X.p_two_sided for m in matched]),
        np.array([m.level2.Y.p_two_sided for m in matched]),
    ):
        assert np.count_nonzero(p <= 0.05) <= 8
        assert 0.3 < np.median(p) < 0.7
    off = [m.nearness.targets.topics - m.nearness.targets.own for m in matched]
    assert np.abs(off).mean() < 0.03


KNOWN = {
    "names": (
        "john paul mike kevin steve greg jeff david james robert",
        "amy joan lisa sarah diana kate ann donna mary susan",
        "he him his himself man",
        "she her hers herself woman",
    ),
    "cities": (
        "london manchester liverpool birmingham leeds bristol glasgow edinburgh",
        "chicago boston houston dallas philadelphia seattle detroit atlanta",
        "british britain uk england",
        "american america us usa",
    ),
    "professions": (
        "doctor surgeon nurse physician patient dentist therapist",
        "lawyer attorney judge prosecutor jury magistrate solicitor",
        "hospital medicine disease surgery treatment",
        "court trial law justice crime",
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_everybody_knows_is_unusual_among_pairs_as_near(name):
    """Also of lists of one kind, whose effect size no random topics can be below."""
    test = made_test([terms.split() for terms in KNOWN[name]], name)
    p = [
        eatlas.run(test, measures=QUICK, seed=seed)[0].frequency.matched.level1.p_two_sided
        for seed in range(2)
    ]
    assert max(p) <= 0.002


def test_a_list_more_coherent_than_any_topic_gets_a_remark():
    (result,) = eatlas.run(tests="weat-2", measures="ml-eat(resamples=0)")
    (note,) = [note for note in result.warnings if note.code == "frequency.coherence"]
    own, topics = note.values["lists"]["Instruments"]
    assert own > topics + 0.05
    assert f"Instruments ({topics:.2f} v {own:.2f})" in str(note)


def test_on_and_off():
    results = eatlas.run(tests="weat-6", measures=["ml-eat", "weat"], frequency="on")
    assert all(result.frequency.matched for result in results)
    assert "frequency=on" in results[0].signature
    (off,) = eatlas.run(tests="weat-6", frequency="off")
    assert (off.frequency.matched, off.frequency.reason) == (None, "the option frequency is off")
    assert off.adjusted.level1.effect_size == results[0].adjusted.level1.effect_size
    (none,) = eatlas.run(tests="weat-6", measures="ml-eat(adjust=none,frequency=off)")
    assert json.loads(to_json_line(none))["frequency"] is None
    own = eatlas.run(tests="weat-6", measures="ml-eat(frequency=off)", frequency="on")
    assert own[0].frequency.matched is None


def test_single_terms_and_projections_have_ranks_alone():
    (single,) = eatlas.run(tests="weat-6", measures="sc-eat")
    assert single.frequency.matched is None
    assert (
        single.to_frame("all")["rank"].tolist()[:2]
        == list(single.frequency.ranks.X.terms.values())[:2]
    )
    assert single.frequency.reason == "sc-eat is not computed for random topics"
    (projected,) = eatlas.run(
        tests="weat-6", measures="weat(association=projection,direction=she/he)"
    )
    assert projected.frequency.ranks.X.median == single.frequency.ranks.X.median
    assert "by cosines" in projected.frequency.reason


def test_an_array_may_say_that_it_is_in_order():
    source = open_vectors("glove-sample")
    words = sample_words()[:10_000]
    vectors = np.stack(list(source.lookup(words).values()))
    test = random_test(3, APART)
    silent = eatlas.MLEAT()(test, ArraySource(words, vectors))
    told = eatlas.MLEAT()(test, ArraySource(words, vectors, ordered=True))
    assert silent.frequency is None
    assert told.frequency.matched.level2.X.p_two_sided > 0.05
    rank = {word: i + 1 for i, word in enumerate(words)}
    for role in ROLES:
        terms = told.frequency.ranks[role].terms
        assert terms == {t: rank[t] for t in test.concept(role).terms}


def test_words_that_are_not_listed_have_no_rank():
    test = make_test()
    unknown = eatlas.AssociationTest(
        id="odd",
        X=eatlas.Concept(name="X", terms=("zqxv", "aster", "iris", "lily")),
        Y=test.Y,
        A=test.A,
        B=test.B,
    )
    rng = np.random.default_rng(0)
    result = eatlas.MLEAT()(unknown, lambda texts: [rng.normal(size=9) for _ in texts])
    assert result.frequency.ranks.X.terms["zqxv"] is None
    assert result.frequency.ranks.X.terms["aster"] == 53_712
    assert re.search("no rank is known for zqxv", result.frequency.reason)


def test_verify_finds_the_same_lists_and_notices_others():
    results = eatlas.run(tests=["weat-6", "weat-7"], measures="ml-eat(resamples=0)")
    assert [v.status for v in eatlas.verify(results)] == ["same", "same"]
    record = results[0].to_dict()
    record["frequency"]["matched"]["level1"]["p_greater"] = 0.5
    (verdict,) = eatlas.verify([type(results[0]).from_dict(record)])
    assert verdict.status == "differs"
    assert "frequency.matched.level1.p_greater: 0.5 in the file" in verdict.details[0]
