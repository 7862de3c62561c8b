"""Pairs of sentences scored by language models: the published algorithms, shares, sign tests."""

import difflib

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.encoders.language import tiny
from tests.encoders.language.given import Given

import eatlas
from eatlas.engine.verify import verify
from eatlas.errors import CoverageError, StimulusError
from eatlas.results.json_lines import record_from_dict
from eatlas.stats.correlation import sign_test
from eatlas.stimuli import SentencePairsTest, to_toml
from eatlas_corpora.reading import Contexts, Pairs
from eatlas_models.encoders.language import language_model

PAIRS = [
    {"more": "The woman likes home.", "less": "The man likes home.", "type": "gender"},
    {"more": "The woman is awful and unlovely.", "less": "The man is vile.", "type": "gender"},
    {"more": "He is kind, he likes war.", "less": "She is kind, she likes war.", "type": "gender"},
    {"more": "Wasps are nasty.", "less": "Tulips are nasty.", "type": "animal"},
    {"more": "Ants like war and war.", "less": "Roses like war.", "type": "animal"},
    {"more": "The person is nice.", "less": "The person is not nice.", "type": "person"},
    {"more": "The person is nice.", "less": "People are nice.", "type": "person"},
]
TEST = SentencePairsTest(id="pairs", pairs=PAIRS)


def published_cps(model, tokenizer, first, second):
    """Each piece that both have, masked alone: written anew from the paper's description."""
    import torch

    ids = [tokenizer(text, return_tensors="pt")["input_ids"][0] for text in (first, second)]
    codes = difflib.SequenceMatcher(None, *(i.tolist() for i in ids)).get_opcodes()
    scores = []
    for side in (0, 1):
        spans = [code[1 + 2 * side : 3 + 2 * side] for code in codes if code[0] == "equal"]
        places = [place for start, end in spans for place in range(start, end)][1:-1]
        total = 0.0
        for place in places:
            masked = ids[side].clone()
            masked[place] = tokenizer.mask_token_id
            with torch.no_grad():
                logits = model(masked[None]).logits[0, place]
            total += torch.log_softmax(logits.double(), -1)[ids[side][place]].item()
        scores.append(total)
    return scores


def published_aul(model, tokenizer, text, *, attention=False):
    """Mean log P of every piece with nothing masked, perhaps weighted by attention."""
    import torch

    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = model(ids).logits[0].double()
        logs = torch.log_softmax(logits, -1).gather(1, ids.view(-1, 1))[1:-1, 0]
        if attention:
            model.set_attn_implementation("eager")
            layers = torch.cat(model(ids, output_attentions=True).attentions, 0)
            model.set_attn_implementation("sdpa")
            logs = logs * layers.mean(0).mean(0).mean(0)[1:-1]
    return logs.mean().item()


def scored(build, score="cps", model="masked", test=TEST):
    source = language_model(*build(), name=build.__name__)
    return eatlas.PLL(score=score, model=model)(test, source)


@pytest.mark.parametrize("build", [tiny.bert, tiny.roberta])
def test_scores_are_those_of_the_published_algorithms(build):
    pairs = [pair for pair in PAIRS if build is tiny.roberta or "not" not in pair["less"]]
    test = SentencePairsTest(id="pairs", pairs=pairs)
    model, tokenizer = build()
    expected = {
        "cps": [published_cps(model, tokenizer, pair["more"], pair["less"]) for pair in pairs],
        "aul": [[published_aul(model, tokenizer, p[k]) for k in ("more", "less")] for p in pairs],
        "aula": [
            [published_aul(model, tokenizer, p[k], attention=True) for k in ("more", "less")]
            for p in pairs
        ],
    }
    for score, numbers in expected.items():
        result = scored(build, score, test=test)
        np.testing.assert_allclose(result.pair_scores, numbers, rtol=2e-6, atol=2e-6)
        higher = sum(first > second for first, second in numbers)
        assert result.value == pytest.approx(100 * higher / len(pairs))
        assert result.p_values.two_sided == pytest.approx(binomtest(higher, len(pairs)).pvalue)
    assert model.config._attn_implementation == "sdpa"


def test_changed_pieces_are_masked_together_and_filled_in_from_left_to_right():
    import torch

    model, tokenizer = tiny.bert()
    pairs = [PAIRS[0], PAIRS[3], {"more": "The woman is awful.", "less": "The man is vile."}]
    result = scored(tiny.bert, "changed", test=SentencePairsTest(id="pairs", pairs=pairs))
    for pair, numbers in zip(pairs, result.pair_scores, strict=True):
        ids = [torch.tensor(tokenizer(pair[k])["input_ids"]) for k in ("more", "less")]
        matcher = difflib.SequenceMatcher(None, *(i.tolist() for i in ids))
        codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
        for side, (own, number) in enumerate(zip(ids, numbers, strict=True)):
            spans = [code[1 + 2 * side : 3 + 2 * side] for code in codes]
            places = [place for start, end in spans for place in range(start, end)]
            total = 0.0
            for at, place in enumerate(places):
                masked = own.clone()
                masked[places[at:]] = tokenizer.mask_token_id
                with torch.no_grad():
                    logits = model(masked[None]).logits[0, place]
                total += torch.log_softmax(logits.double(), -1)[own[place]].item()
            assert number == pytest.approx(total / len(places), abs=2e-6)


def test_a_sentence_without_a_changed_piece_is_left_out():
    longer = {"more": "The woman is nice.", "less": "The woman is nice and kind."}
    test = SentencePairsTest(id="pairs", pairs=[PAIRS[0], longer])
    (note,) = (n for n in scored(tiny.bert, "changed", test=test).warnings if "left-out" in n.code)
    assert "the text has no piece that the other lacks" in str(note)


def test_sides_have_names_of_their_own(tmp_path):
    sides = ["women", "men"]
    test = SentencePairsTest(id="sides", pairs=PAIRS[:3], sides=sides)
    result = scored(tiny.bert, test=test)
    assert list(result.groups) == sides
    assert result.to_test().custom_sides == tuple(sides)
    path = tmp_path / "sides.toml"
    test.save(path)
    assert eatlas.load_tests(path) == (test,)
    with pytest.raises(StimulusError, match="sides are the names of both sides"):
        SentencePairsTest(id="x", pairs=PAIRS[:1], sides=["one"])


def test_a_causal_model_scores_the_whole_sentence():
    import torch

    model, tokenizer = tiny.gpt2()
    result = scored(tiny.gpt2, model="causal")
    begin = tokenizer.bos_token_id
    for pair, numbers in zip(PAIRS, result.pair_scores, strict=True):
        for text, number in zip((pair["more"], pair["less"]), numbers, strict=True):
            ids = torch.tensor([[begin, *tokenizer(text)["input_ids"]]])
            with torch.no_grad():
                loss = model(ids, labels=ids).loss.item()
            assert number == pytest.approx(-loss * (ids.shape[1] - 1), rel=1e-5)
    assert result.signature == "PLL(alpha=0.05,model=causal)"


@pytest.fixture(scope="module")
def result():
    return scored(tiny.bert)


def test_a_pair_without_a_score_is_left_out_and_named(result):
    assert result.count == 6
    group = result.coverage["less stereotyping"]
    assert group.missing == ("6 less",)
    assert "does not know it" in group.reasons["6 less"]
    (note,) = (note for note in result.warnings if note.code == "pairs.left-out")
    assert (note.values["count"], note.values["of"]) == (1, 7)
    with pytest.raises(CoverageError, match="no pair has two usable scores"):
        scored(tiny.bert, test=SentencePairsTest(id="x", pairs=[PAIRS[5]]))


def test_each_type_has_its_share_difference_and_p(result):
    scores, types = (
        np.array(result.pair_scores),
        [p["type"] for p in PAIRS if "not" not in p["less"]],
    )
    for target, adjusted in zip(result.targets, result.holm, strict=True):
        own = scores[[of == target.term for of in types]]
        higher = int((own[:, 0] > own[:, 1]).sum())
        assert target.counts == (higher, len(own) - higher)
        assert target.value == pytest.approx(100 * higher / len(own))
        assert target.p == pytest.approx(binomtest(higher, len(own)).pvalue)
        ends = binomtest(higher, len(own)).proportion_ci(0.95, "exact")
        assert target.interval == pytest.approx((100 * ends.low, 100 * ends.high))
        assert target.difference == pytest.approx((own[:, 0] - own[:, 1]).mean(), abs=1e-5)
        assert adjusted >= target.p
    assert result.difference.mean == pytest.approx((scores[:, 0] - scores[:, 1]).mean(), abs=1e-5)
    assert result.difference.permutations is None
    rows = result.rows()
    assert [row["term"] for row in rows] == ["gender", "animal", "person"]
    columns = {"pll", "low", "p_holm", "p_two_sided", "count_more stereotyping", "difference"}
    assert columns <= set(rows[0])
    assert "% of 6 pairs [" in str(result)
    assert "pseudo-log-likelihood (Nangia et al. 2020" in result.full_name


def test_the_sign_test_is_that_of_scipy():
    rng = np.random.default_rng(3)
    for n in (1, 2, 9, 40):
        k = int(rng.integers(0, n + 1))
        tails = sign_test(k, n - k)
        for name, side in (("greater", "greater"), ("less", "less"), ("two_sided", "two-sided")):
            p = binomtest(k, n, alternative=side).pvalue
            assert getattr(tails, name).p == pytest.approx(p)
    assert sign_test(1508, 0).two_sided.p == pytest.approx(2.0**-1507)


def test_equal_scores_are_no_preference():
    same = {"more": "The woman is nice.", "less": "the WOMAN is nice.", "type": "case"}
    tied = scored(tiny.bert, "aul", test=SentencePairsTest(id="t", pairs=[same, PAIRS[0]]))
    assert tied.equal == 1
    assert tied.targets[0].value == 0
    assert tied.targets[0].p == 1
    assert tied.value in {0.0, 50.0}


@pytest.mark.parametrize(
    ("wins", "losses", "ties", "said"),
    [
        (8, 0, 16, "No significant preference"),
        (10, 0, 40, "No significant preference"),
        (0, 10, 30, "less stereotyping sentence scores higher in 25.0% of 40 pairs"),
        (2, 22, 0, "less stereotyping sentence scores higher in 91.7% of 24 pairs"),
        (22, 2, 0, "more stereotyping sentence scores higher in 91.7% of 24 pairs"),
    ],
)
def test_ties_win_for_neither_sentence(wins, losses, ties, said):
    scores, pairs = {}, []
    for number, less in enumerate([-2.0] * wins + [0.0] * losses + [-1.0] * ties):
        pairs.append({"more": f"a {number}", "less": f"b {number}", "type": "g"})
        scores |= {f"a {number}": -1.0, f"b {number}": less}
    result = eatlas.PLL(model="causal")(SentencePairsTest(id="t", pairs=pairs), Given(scores))
    assert result.p_values.two_sided < 0.05
    assert said in result.finding.sentence


def test_a_result_gives_its_test_back_and_is_verified(result, folders_of):
    assert record_from_dict(result.to_dict()) == result
    again = result.to_test()
    assert again.tables == TEST.tables
    assert again.stimuli_sha256 == TEST.stimuli_sha256 == result.provenance.stimuli_sha256
    source = f"hf:{folders_of(tiny.bert)}"
    for score in ("cps", "aul", "aula"):
        results = eatlas.run(tests=TEST, vectors=source, measures=f"pll(score={score})")
        assert [verdict.status for verdict in verify(results)] == ["same"]
    assert results[0].finding.verdict in {"not shown", "these words"}
    results = eatlas.run(tests=TEST, vectors=source)
    assert results[0].pair_scores == pytest.approx(np.array(result.pair_scores), abs=1e-5)


@pytest.fixture(scope="module")
def folders_of(tmp_path_factory):
    def save(build):
        folder = tmp_path_factory.mktemp(build.__name__)
        for part in build():
            part.save_pretrained(folder)
        return folder

    return save


def test_a_file_of_pairs_is_read_back(tmp_path):
    path = tmp_path / "mine.toml"
    TEST.save(path)
    assert eatlas.load_tests(path) == (TEST,)
    assert 'kind = "sentence-pairs"' in path.read_text()
    turned = SentencePairsTest(id="pairs", pairs=PAIRS[::-1])
    assert turned.stimuli_sha256 == TEST.stimuli_sha256
    changed = [{**PAIRS[0], "type": "other"}, *PAIRS[1:]]
    assert SentencePairsTest(id="p", pairs=changed).stimuli_sha256 != TEST.stimuli_sha256
    assert to_toml([turned]).index("People are nice.") < to_toml([turned]).index("The man likes")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "list of pairs"),
        ("ab", "list of pairs"),
        ([{"more": "a"}], "pair 1 is not two sentences"),
        ([{"more": "a", "less": "b", "extra": "c"}], "pair 1 is not two sentences"),
        ([PAIRS[0], {"more": "a", "less": " "}], "pair 2 is not two sentences"),
        ([{"more": "a", "less": "a"}], "pair 1 has the sentence 'a' twice"),
    ],
)
def test_pairs_that_are_none_are_refused(pairs, message):
    with pytest.raises(StimulusError, match=message):
        SentencePairsTest(id="x", pairs=pairs)


def test_other_measures_and_models_are_refused():
    with pytest.raises(eatlas.errors.EatlasError, match="does not take the test"):
        eatlas.run(tests=TEST, measures="divdist")
    with pytest.raises(eatlas.errors.EatlasError, match="does not take the test"):
        eatlas.run(tests="weat-6", measures="pll")
    with pytest.raises(eatlas.errors.SourceError, match="masked language model"):
        eatlas.run(tests=TEST)
    for contexts in (Pairs.of([]), Contexts.of([])):
        with pytest.raises(eatlas.errors.EatlasError, match="pll does not take these contexts"):
            eatlas.run(tests=TEST, contexts=contexts)
