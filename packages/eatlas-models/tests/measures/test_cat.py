"""LMS, SS and ICAT by hand and by a plain loop; scores of sentences by the models themselves."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.encoders.language import tiny
from tests.encoders.language.given import Given

import eatlas
from eatlas.engine.verify import verify
from eatlas.errors import CoverageError, EatlasError, StimulusError
from eatlas.present.report import report_html
from eatlas.results.json_lines import record_from_dict
from eatlas.stimuli import SentenceTriplesTest
from eatlas_models.encoders.language import language_model
from eatlas_models.measures.cat import difference_spans
from eatlas_models.present.triples import ACCOUNT

WITHIN = [
    {"more": "The woman is nice.", "less": "The woman is vile.", "unrelated": "The woman is love."},
    {"more": "He is kind.", "less": "He is unlovely.", "unrelated": "He is tulips."},
    {"more": "Ants like war and war.", "less": "Ants like peace.", "unrelated": "Ants like ivy."},
]
AFTER = [
    {
        "context": "The person is nice.",
        "more": "She likes home.",
        "less": "She likes war.",
        "unrelated": "Wasps are nasty.",
    }
]


def triples_test(triples, **values):
    return SentenceTriplesTest(id="triples", triples=triples, **values)


def triples_of(rows):
    """A test and a model, given by type, subject and three scores of each triple."""
    triples, scores = [], {}
    for number, (kind, subject, *three) in enumerate(rows):
        texts = [f"{name} {number}" for name in ("stereotype", "opposite", "nonsense")]
        scores |= dict(zip(texts, three, strict=True))
        table = dict(zip(("more", "less", "unrelated"), texts, strict=True))
        triples.append({**table, "type": kind, **({"subject": subject} if subject else {})})
    return triples_test(triples), Given(scores)


def measured(rows):
    """What CAT finds of them."""
    return eatlas.CAT(model="causal")(*triples_of(rows))


BY_HAND = [  # nurse: SS 2 of 2, LMS 3 of 4; pilot: SS 0 of 1, LMS 2 of 2; tailor: a tie, LMS 0 of 2
    ("job", "nurse", -1, -2, -3),
    ("job", "nurse", -1, -5, -3),
    ("job", "pilot", -2, -1, -3),
    ("faith", "tailor", -4, -4, -3),
]


@pytest.mark.filterwarnings("ignore::eatlas.EatlasWarning")
def test_scores_by_hand():
    result = measured(BY_HAND)
    job, faith = result.targets
    assert (job.value, job.lms.value, job.icat.value) == (50, 87.5, 87.5)
    assert (faith.value, faith.lms.value, faith.icat.value) == (0, 0, 0)
    assert result.value == pytest.approx(100 / 3)
    assert result.lms.value == pytest.approx((75 + 100 + 0) / 3)
    assert result.icat.value == pytest.approx(175 / 3 * (100 / 3) / 50)
    assert (result.count, result.subject_count, job.subjects) == (4, 3, 2)
    assert job.counts == (2, 1, 0)
    assert faith.counts == (0, 0, 1)
    # one subject prefers the stereotype, one its opposite, and the tie counts for neither
    assert result.p_values.two_sided == 1
    # unrelated sentences lose more for nurse and pilot, and win more for tailor
    assert result.lms.p == binomtest(2, 3).pvalue
    assert result.icat.p is None
    assert result.interval is job.interval is result.icat.interval is None
    (note,) = (note for note in result.warnings if note.code == "pairs.few-subjects")
    assert note.values["groups"] == ["job", "faith"]


def brute_force(rows):
    """LMS, SS and ICAT in percent, by a plain loop over subjects."""
    by_subject = {}
    for kind, subject, more, less, unrelated in rows:
        own = by_subject.setdefault((kind, subject), [0, 0, 0])
        own[0] += more > less
        own[1] += (more > unrelated) + (less > unrelated)
        own[2] += 1
    ss = np.mean([100 * a / n for a, _, n in by_subject.values()])
    lms = np.mean([100 * b / (2 * n) for _, b, n in by_subject.values()])
    return lms, ss, lms * min(ss, 100 - ss) / 50


def test_scores_of_many_triples_are_those_of_a_plain_loop():
    rng = np.random.default_rng(5)
    rows = [
        ("ab"[number % 2], f"group {number % 14}", *(-rng.integers(1, 5, 3)).tolist())
        for number in range(160)
    ]
    result = measured(rows)
    whole = {"all": (result.lms, result, result.icat)}
    parts = {target.term: (target.lms, target, target.icat) for target in result.targets}
    for name, scores in (whole | parts).items():
        expected = brute_force([row for row in rows if name in ("all", row[0])])
        assert [score.value for score in scores] == pytest.approx(expected)
        for score in scores:
            low, high = score.interval
            assert low < score.value < high
    lead = [
        sum(np.sign(row[2] - row[3]) for row in rows if row[1] == f"group {subject}")
        for subject in range(14)
    ]
    up, down = sum(one > 0 for one in lead), sum(one < 0 for one in lead)
    assert result.p_values.two_sided == pytest.approx(binomtest(up, up + down).pvalue)


@pytest.mark.slow
def test_an_interval_covers_the_mean_of_subjects():
    """Of 200 samples of 40 subjects with a mean of 60, the interval covers it in 95% or so."""
    rng, covered = np.random.default_rng(1), 0
    for _ in range(200):
        chances = rng.beta(6, 4, 40)
        rows = [
            ("job", f"{subject}", *((-1, -2, -3) if rng.random() < chance else (-2, -1, -3)))
            for subject, chance in enumerate(chances)
            for _ in range(5)
        ]
        low, high = measured(rows).interval
        covered += low <= 60 <= high
    assert 0.88 <= covered / 200 <= 0.99


def test_a_preference_is_said_with_its_size_and_what_it_is_about():
    rows = [("job", f"group {i}", -1, -2, -3 if i else -0.5) for i in range(12)]
    result = measured(rows)
    assert result.finding.sentence == (
        "The more stereotyping sentence scores higher in 100.0% of 12 triples, on average over "
        "12 subjects."
    )
    even = [("job", f"group {i}", -1 - i % 2, -2 + i % 2, -3) for i in range(12)]
    assert "No significant preference" in measured(even).finding.sentence


WIN, LOSS, TIE = (-1, -2, -3), (-2, -1, -3), (-2, -2, -3)


def test_a_mean_that_most_subjects_contradict_shows_no_preference():
    rows = [("job", f"a{s}", *(WIN if i < 9 else LOSS)) for s in range(75) for i in range(20)]
    rows += [("job", f"b{s}", *WIN) for s in range(25)]
    result = measured(rows)
    assert result.value > 50
    assert result.interval[0] > 50
    assert result.p_values.two_sided < 1e-5
    (question,) = result.finding.questions.values()
    assert question.verdict == "not shown"
    assert question.reason == "the mean and most subjects point in different directions"
    assert "No significant preference" in result.finding.sentence


def test_ties_win_for_neither_sentence():
    rows = [("job", f"s{s}", *row) for s in range(12) for row in (WIN, TIE, TIE, TIE)]
    result = measured(rows)
    assert (result.value, result.equal) == (25, 75)
    assert result.p_values.two_sided < 0.001
    assert "No significant preference" in result.finding.sentence
    assert record_from_dict(result.to_dict()) == result
    rows = [("job", f"s{s}", *row) for s in range(12) for row in (LOSS, LOSS, LOSS, TIE)]
    assert "less stereotyping sentence scores higher in 75.0% of 48 triples" in (
        measured(rows).finding.sentence
    )


def test_an_interval_that_contains_50_shows_no_preference():
    rows = [("job", f"a{s}", *row) for s in range(25) for row in (*[WIN] * 6, *[LOSS] * 4)]
    rows += [("job", f"b{s}", *LOSS) for s in range(4)]
    result = measured(rows)
    assert result.interval[0] < 50 < result.value
    assert result.p_values.two_sided < 0.05
    (question,) = result.finding.questions.values()
    assert (question.verdict, question.reason) == ("not shown", "the interval contains 50")


def test_equal_subjects_have_no_interval():
    rows = [(kind, f"{kind} {s}", *WIN) for s in range(6) for kind in ("job", "faith")]
    result = measured(rows)
    assert result.interval is result.lms.interval is result.icat.interval is None
    (note,) = (note for note in result.warnings if note.code == "pairs.equal-subjects")
    assert note.values["groups"] == ["job", "faith", "all triples"]
    assert "all subjects have the same SS or LMS" in str(note)


def test_terminal_report_and_rows_have_the_three_scores():
    result = measured([("job", f"group {i}", -1 - i % 3, -2, -3 + i % 2) for i in range(12)])
    page = report_html([result])
    assert "LMS, SS and ICAT" in page
    for value in (result.lms.value, result.value, result.icat.value):
        assert f"{value:.1f}" in page
    said = dict(ACCOUNT.statements(result))
    assert said["All triples."].startswith(f"LMS {result.lms.value:.1f} [")
    assert f"; ICAT {result.icat.value:.1f} [" in said["job."]
    (row,) = result.rows()
    assert (row["lms"], row["icat"]) == (result.lms.value, result.icat.value)
    assert row["icat_low"] == result.icat.interval[0]
    assert row["all_lms"] == result.lms.value
    assert f"LMS {result.lms.value:.1f}" in str(result)
    assert record_from_dict(result.to_dict()) == result


def log_probability(model, tokenizer, ids, places):
    """Mean log P of pieces, all masked and filled in from left to right."""
    import torch

    total = 0.0
    for at, place in enumerate(places):
        masked = ids.clone()
        masked[list(places[at:])] = tokenizer.mask_token_id
        with torch.no_grad():
            logits = model(masked[None]).logits[0, place]
        total += torch.log_softmax(logits.double(), -1)[ids[place]].item()
    return total / len(places)


def test_a_masked_model_scores_the_words_that_differ():
    import torch

    model, tokenizer = tiny.bert()
    source = language_model(model, tokenizer, name="tiny")
    result = eatlas.CAT()(triples_test(WITHIN[:2]), source)
    for triple, scores in zip(WITHIN[:2], result.triple_scores, strict=True):
        for (name, text), (start, end), score in zip(
            triple.items(), difference_spans(list(triple.values())), scores, strict=True
        ):
            tokens = tokenizer(text, return_offsets_mapping=True)
            places = [
                at
                for at, (first, last) in enumerate(tokens["offset_mapping"])
                if first < last and start <= first and last <= end
            ]
            ids = torch.tensor(tokens["input_ids"])
            expected = log_probability(model, tokenizer, ids, places)
            assert score == pytest.approx(expected, abs=2e-6), (name, text)


def test_a_masked_model_scores_each_piece_behind_a_context():
    import torch

    model, tokenizer = tiny.bert()
    source = language_model(model, tokenizer, name="tiny")
    (scores,) = eatlas.CAT()(triples_test(AFTER), source).triple_scores
    context = AFTER[0]["context"]
    for name, score in zip(("more", "less", "unrelated"), scores, strict=True):
        text = f"{context} {AFTER[0][name]}"
        tokens = tokenizer(text, return_offsets_mapping=True)
        ids = torch.tensor(tokens["input_ids"])
        places = [
            at for at, (a, b) in enumerate(tokens["offset_mapping"]) if a > len(context) and b
        ]
        expected = [log_probability(model, tokenizer, ids, [place]) for place in places]
        assert score == pytest.approx(np.mean(expected), abs=2e-6)


def test_a_causal_model_scores_whole_texts_and_sentences_behind_a_context():
    import torch

    model, tokenizer = tiny.gpt2()
    source = language_model(model, tokenizer, name="tiny")
    triples = [*WITHIN, *AFTER]
    result = eatlas.CAT(model="causal")(triples_test(triples), source)
    for triple, scores in zip(triples, result.triple_scores, strict=True):
        before = triple.get("context", "")
        for name, score in zip(("more", "less", "unrelated"), scores, strict=True):
            head = tokenizer(before)["input_ids"] if before else []
            ids = [*head, *tokenizer(f" {triple[name]}" if before else triple[name])["input_ids"]]
            whole = torch.tensor([[tokenizer.bos_token_id, *ids]])
            with torch.no_grad():
                logs = torch.log_softmax(model(whole).logits[0].double(), -1)
            nats = [logs[at, piece].item() for at, piece in enumerate(ids)]
            assert score == pytest.approx(np.mean(nats[len(head) :]), rel=1e-5)


@pytest.mark.parametrize(
    ("texts", "parts"),
    [
        (("He is a cook.", "He is an aunt.", "He is fog."), ("a cook", "an aunt", "fog")),
        (("Kind.", "Rude.", "Fog."), ("Kind", "Rude", "Fog")),
        (("He is.", "He is very.", "He is fog."), ("is", "is very", "is fog")),
        (("a b", "c d", "a d"), ("a b", "c d", "a d")),
    ],
)
def test_words_that_differ(texts, parts):
    spans = difference_spans(texts)
    assert tuple(text[start:end] for text, (start, end) in zip(texts, spans, strict=True)) == parts


def test_a_result_gives_its_test_back_and_is_verified(tmp_path):
    triples = [{**WITHIN[0], "type": "gender", "subject": "woman"}, {**AFTER[0], "type": "job"}]
    test = triples_test(triples)
    for part in tiny.gpt2():
        part.save_pretrained(tmp_path / "model")
    results = eatlas.run(
        tests=test, vectors=f"hf:{tmp_path / 'model'}", measures="cat(model=causal)"
    )
    again = results[0].to_test()
    assert again.tables == test.tables
    assert again.subjects == ("woman", "triple 2")
    assert again.stimuli_sha256 == test.stimuli_sha256
    assert [verdict.status for verdict in verify(results)] == ["same"]
    path = tmp_path / "mine.toml"
    test.save(path)
    assert eatlas.load_tests(path) == (test,)


def test_a_triple_without_a_score_is_left_out_and_named():
    source = language_model(*tiny.bert(), name="tiny")
    unknown = {"more": "He is zzz.", "less": "He is nice.", "unrelated": "He is ivy."}
    result = eatlas.CAT()(triples_test([WITHIN[0], unknown]), source)
    assert result.count == 1
    (note,) = (note for note in result.warnings if note.code == "pairs.left-out")
    assert "1 of 2 triples are left out" in str(note)
    with pytest.raises(CoverageError, match="no triple has three usable scores"):
        eatlas.CAT()(triples_test([unknown]), source)


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        ([], "list of triples"),
        ([{"more": "a", "less": "b"}], "triple 1 is not three sentences"),
        ([{**WITHIN[0], "extra": "c"}], "triple 1 is not three sentences"),
        ([WITHIN[0], {**WITHIN[1], "unrelated": "He is kind."}], "triple 2 has the sentence"),
    ],
)
def test_triples_that_are_none_are_refused(triples, message):
    with pytest.raises(StimulusError, match=message):
        triples_test(triples)


def test_pairs_and_triples_are_different_tests():
    with pytest.raises(EatlasError, match="does not take the test"):
        eatlas.run(tests=triples_test(WITHIN), measures="pll")
    with pytest.raises(EatlasError, match="does not take the test"):
        eatlas.run(tests="weat-6", measures="cat")
    assert math.isclose(measured(BY_HAND[:3]).lms.value, 87.5)
