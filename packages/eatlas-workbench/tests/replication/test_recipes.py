"""Recipes: the data of each paper, what text and code say, and what a method takes of them."""

import itertools

import pytest
from pydantic import ValidationError

import eatlas
from eatlas.errors import EatlasError
from eatlas.measures.patterns import associated_with, eat_pattern
from eatlas.stimuli import load_tests
from eatlas_workbench.replication.cells import checks_of, paper_cells
from eatlas_workbench.replication.recipe import (
    FOLLOWED,
    PAPERS,
    Choice,
    Procedure,
    Prompt,
    Reading,
    Recipe,
    own_tests,
    read_recipe,
)
from eatlas_workbench.replication.stimuli import prepare_test

CELLS = {"caliskan": 20, "ml-eat": 1517, "seat": 746, "divdist": 172, "mind-your-bias": 3594}


def tables_of(choice):
    readings = [one for one in (choice.paper, choice.code) if one and one.correlated]
    return {table for one in readings for table in one.correlated.tables.values()}


@pytest.mark.parametrize("name", PAPERS)
def test_the_data_fit_together(name):
    recipe, cells = read_recipe(name), paper_cells(name)
    assert len(cells) == CELLS[name]
    assert {cell.table for cell in cells} == {table.id for table in recipe.table}
    models = {name for cell in cells for name in cell.models}
    tables = {table for one in recipe.choice.values() for table in tables_of(one)}
    assert models <= {model.id for model in recipe.model}
    assert {model.id for model in recipe.model} <= models | tables
    assert {cell.question.method for cell in cells} - {""} == set(recipe.method)
    assert set(recipe.choice) == {c for method in recipe.method.values() for c in method.choices}
    keys = [(cell.table, cell.model, cell.row, cell.column) for cell in cells]
    assert len(set(keys)) == len(keys)
    for difference in recipe.difference:
        assert (difference.table, difference.row, difference.column) in {
            (cell.table, cell.row, cell.column) for cell in cells
        }
    for model in recipe.model:
        assert model.published or model.get or model.not_run, model.id


@pytest.mark.parametrize(("name", "follow"), [*itertools.product(PAPERS, FOLLOWED)])
def test_every_method_has_its_tests_and_takes_the_models_of_its_cells(name, follow):
    recipe = read_recipe(name)
    family = {model.id: model.family for model in recipe.model}
    asked = [cell for cell in paper_cells(name) if cell.question.can_be_measured]
    for method in recipe.method:
        procedure = recipe.procedure(method, follow)
        its = [cell for cell in asked if cell.question.method == method]
        assert {family[name] for cell in its for name in cell.models} <= set(procedure.vectors)
        if procedure.correlated:
            assert {cell.question.test for cell in its} <= set(procedure.correlated.tables)
        ids = {procedure.tests.get(cell.question.test, cell.question.test) for cell in its}
        ids -= set(own_tests(name))
        assert {test.id for test in load_tests(sorted(ids))} == ids


@pytest.mark.parametrize("name", PAPERS)
def test_every_choice_says_where_it_is_said(name):
    for choice in read_recipe(name).choice.values():
        for reading in (choice.paper, choice.code):
            assert reading is None or (reading.where and reading.says)
        if choice.differs:
            assert choice.paper.says != choice.code.says


def test_where_one_of_the_two_is_silent_the_other_is_followed():
    text, code = Reading(where="section 4", says="a"), Reading(where="run.py", says="b")
    both = Choice(what="c", paper=text, code=code)
    assert (both.reading("paper"), both.reading("code"), both.differs) == (text, code, True)
    for follow in FOLLOWED:
        assert Choice(what="c", paper=text).reading(follow) == text
        assert Choice(what="c", code=code).reading(follow) == code
    with pytest.raises(ValidationError, match="neither text nor code says anything of 'c'"):
        Choice(what="c")


def test_a_later_choice_of_a_method_adds_to_the_earlier_ones():
    recipe = read_recipe("ml-eat")
    code, paper = (recipe.procedure("google-news", follow) for follow in ("code", "paper"))
    assert code.measure == eatlas.MLEAT(p="normal")
    assert paper.measure == eatlas.MLEAT(strict=True)
    assert (len(code.tests), len(paper.tests)) == (3, 0)
    assert code.vectors == paper.vectors
    bert = [read_recipe("seat").procedure("texts", follow).vectors["masked"] for follow in FOLLOWED]
    assert [vectors.options["pool"] for vectors in bert] == ["first", "cls"]
    assert [vectors.lower for vectors in bert] == [True, False]


def test_names_in_a_recipe_are_known():
    known = read_recipe("caliskan").model_dump()
    for part, value in (
        ("method", {"words": {"title": "t", "choices": ["no-such"]}}),
        ("table", [{"id": "t", "title": "t", "method": "no-such"}]),
        (
            "choice",
            {
                "c": {
                    "what": "c",
                    "code": {
                        "where": "w",
                        "says": "s",
                        "correlated": {
                            "tables": {"t": "no-such"},
                            "year": 2010,
                            "years": [1900, 1990],
                        },
                    },
                }
            },
        ),
    ):
        with pytest.raises(ValidationError, match="no choice, method or model 'no-such'"):
            Recipe(**{**known, part: known[part] | value if part == "choice" else value})
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Recipe(**known, colour="red")


def test_tables_are_named_by_their_numbers():
    recipe = read_recipe("ml-eat")
    for number, ids in (
        ("1", ["table-1"]), ("table-12", ["table-12"]), ("figure-3", ["figure-3"]),
        ("2", ["table-2-no-prompt", "table-2-with-prompt"]), ("table-3-xl", ["table-3-xl"]),
    ):  # fmt: skip
        assert [table.id for table in recipe.tables(number)] == ids
    assert recipe.tables() == recipe.table
    with pytest.raises(EatlasError, match="ML-EAT has no table '13' here") as refused:
        recipe.tables("13")
    assert "table-4" in refused.value.allowed


# --- tests as a procedure has them ----------------------------------------------------------------


def test_words_of_gpt2_are_in_the_texts_of_the_notebook():
    code, paper = (read_recipe("ml-eat").procedure("gpt2", follow) for follow in FOLLOWED)
    (flowers, names) = load_tests(["weat-1", "weat-3"])
    made, prompt = prepare_test(flowers, code, paper="ml-eat")
    assert (made.id, prompt) == ("weat-1-as-ml-eat", None)
    assert made.X.terms[:6] == (
        "This is an aster", "This is a clover", "This is a hyacinth", "This is a marigold",
        "This is a poppy", "This is an azalea",
    )  # fmt: skip
    assert made.A.terms[0] == "This is caress"
    for concept, of_words in ((made.X, flowers.X), (made.B, flowers.B)):
        assert [one.text[slice(*one.span)] for one in concept.sentences] == list(of_words.terms)
    assert prepare_test(names, code, paper="ml-eat") == (names, "This is {}")
    assert prepare_test(flowers, paper, paper="ml-eat") == (flowers, "This is {}")


def test_texts_in_lower_case_keep_their_stimuli():
    procedure = read_recipe("seat").procedure("texts")
    (words, said) = load_tests(["weat-6", "sent-weat-6"])
    made, prompt = prepare_test(words, procedure, paper="seat", lower=True)
    assert (made.id, made.X.terms[0], prompt) == ("weat-6-as-seat", "john", None)
    (sentence, *_) = prepare_test(said, procedure, paper="seat", lower=True).test.X.sentences
    assert (sentence.text, sentence.stimulus) == ("this is john.", "john")
    assert sentence.text[slice(*sentence.span)] == "john"


def test_words_take_the_place_of_others_in_lists_and_in_sentences():
    recipe = read_recipe("mind-your-bias")
    (words, said, names) = load_tests(["kurita-c1", "sent-husse-spitz-occ-name", "occ-name"])
    made, prompt = prepare_test(words, recipe.procedure("lpbs"), paper="husse")
    assert (made.id, prompt) == ("kurita-c1-as-husse", None)
    assert made.A.terms[:4] == ("free", "healthy", "lovable", "peaceful")
    assert (len(made.A.terms), len(made.B.terms), made.X) == (16, 18, words.X)
    nouns = recipe.procedure("lpbs-noun")
    assert prepare_test(words, nouns, paper="husse").test is words
    assert "Katie" in prepare_test(names, nouns, paper="husse").test.Y.terms
    procedure = recipe.procedure("s-seat")
    katie = [
        one for one in prepare_test(said, procedure, paper="husse").test.Y.sentences
        if one.stimulus == "Katie"
    ]  # fmt: skip
    assert {one.text for one in katie} > {"Katie is a person", "This is Katie"}
    assert all(one.text[slice(*one.span)] == "Katie" for one in katie)
    assert prepare_test(said, recipe.procedure("s-seat", "paper"), paper="husse").test is said


def test_images_are_put_into_no_text(tmp_path):
    from tests.tiny_vision import draw

    files = [draw(tmp_path / f"{n}.png", n) for n in range(4)]
    images = {
        role: {"name": role, "images": files[start : start + 2]}
        for role, start in (("X", 0), ("Y", 2))
    }
    test = eatlas.AssociationTest(id="t", **images, A={"A": ["love"]}, B={"B": ["war"]})
    prompts = (Prompt(text="a picture of {a} {}", roles="AB"),)
    procedure = Procedure("m", "m", (), eatlas.MLEAT(), {}, prompts)
    made, prompt = prepare_test(test, procedure, paper="p")
    assert (made.X, prompt) == (test.X, None)
    assert made.A.terms == ("a picture of a love",)


# --- printed numbers that check each other --------------------------------------------------------


def test_what_the_papers_print_against_themselves():
    fail = {name: [check.where for check in checks_of(name) if not check.holds] for name in PAPERS}
    assert fail == {
        "ml-eat": [
            "table-3-xl and table-8, Young/Old P/U8, Level 2, Y", "table-3-base and table-5, weat-6",
            "table-6, Mental/Physical Temporary/Permanent, Level 2, X",
        ],
        "divdist": [
            "table-4, context of 3 sentences", "table-4, context of 3 sentences",
            "table-7, w2v Soft (M) race", "table-7",
        ],
        "mind-your-bias": [
            "table-12, CEAT, C3, GPT-2, template", "table-12, CEAT, C6, BERT, template",
            "table-12, CEAT, C9, ELMo, template", "table-12, s-SEAT, Dis, ELMo, template",
            "table-12, w-SEAT, Dis, ELMo, template", "table-12, CEAT, Dis, GPT-2, template",
            "table-12, CEAT, Occ, BERT, template", "table-13, CEAT, C9, OPT, sent",
        ],
        "seat": [],
        "caliskan": [],
    }  # fmt: skip


def test_checks_belong_to_their_tables():
    (misprint,) = [
        c for c in checks_of("ml-eat") if c.where.startswith("table-6, Mental") and not c.holds
    ]
    assert misprint.is_of({"table-6"})
    assert not misprint.is_of({"table-1", "table-60"})
    both = next(c for c in checks_of("ml-eat") if c.where.startswith("table-3-xl and table-8"))
    assert both.is_of({"table-8"})
    assert both.is_of({"table-3-xl"})
    assert not both.is_of({"table-3-base"})
    assert next(c for c in checks_of("ml-eat") if c.where.startswith("table-2,")).is_of(
        {"table-2-with-prompt"}
    )


def test_checks_of_patterns_and_sums_follow_from_the_cells():
    rows = {}
    for name in ("ml-eat", "divdist"):
        for cell in paper_cells(name):
            rows.setdefault(f"{cell.table}, {cell.row}", {})[cell.column] = cell
    for check in (*checks_of("ml-eat"), *checks_of("divdist")):
        row = rows.get(check.where)
        if check.name == "pattern":
            sides = [associated(row[f"Level 2, {role}"]) for role in "XY"]
            assert check.holds == (eat_pattern(*sides)[0] == row["Pattern"].text)
        elif check.name == "sum":
            parts = [row[name] for name in ("L2; L1", "L3; L2", "L3; L1")]
            first, second, whole = (float(cell.text) for cell in parts)
            slack = sum(0.5 * 10.0**-cell.decimals for cell in parts) + 1e-9
            assert check.holds == (abs(first + second - whole) <= slack)


def associated(cell):
    p = 0.01 if cell.star else 0.5
    return associated_with(float(cell.text), p, alpha=0.05, threshold=0.2)
