"""Files of answers in place of a model: comparisons, decisions, lists, and lists as published."""

import csv
import hashlib
import json
import re
from itertools import product

import pytest

import eatlas
from eatlas.errors import EatlasError
from eatlas_models.encoders.chat import open_answering
from eatlas_models.encoders.collected import open_collected

TEST = eatlas.AssociationTest(
    id="work-home",
    X={"Men": ["Ben", "John", "Paul"]},
    Y={"Women": ["Ann", "Julia", "Emily"]},
    A={"Work": ["office", "salary", "career"]},
    B={"Home": ["home", "family", "wedding"]},
)
PUBLISHED = """\
,0,llm,domain,category,variation
0,"office - ben
salary - ben
career - ben
home - ann
family - ann
wedding - ann  ",gpt4o,gender,career,replication
1,"office - John
salary - John
home - Julia
career - Julia
family - Julia
wedding - Julia",gpt4o,gender,career,replication
2,"I'm sorry, I can't do that.",gpt4o,gender,career,replication
3,"terrible-old
love-young
happy-young",gpt4o,health,age,replication
"""


def choose(subject, first, second):
    """An answer that hangs on the words, and now and then on the place."""
    if (len(subject) + len(first) + len(second)) % 4 == 0:
        return first
    return max(first, second, key=lambda word: (hash_of(subject + word), word))


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def model(prompts):
    """The same answers, of a model."""
    form = re.compile(r"(\w+): (\w+) or (\w+)\?")
    return [choose(*form.search(prompt).groups()) for prompt in prompts]


TEMPLATE = "{target}: {first} or {second}?"
ASK = f'ask(templates="{TEMPLATE}",opponents=6)'


def comparisons(measure=None):
    """A row for each comparison that the measure would ask for."""
    design = (measure or eatlas.get_measure(ASK)).design(TEST)
    prompts = iter(design.prompts)
    for (_, subject), _pair in product(design.subjects, design.pairs):
        for _ in range(2):
            prompt = next(prompts)
            answer = choose(subject, *prompt.options)
            yield {"target": subject, "options": prompt.options, "answer": answer,
                   "prompt": prompt.text, "model": "m-1", "date": "2026-03-01T10:00"}  # fmt: skip


def written(path, rows):
    rows = list(rows)
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
        return path
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
        table.writeheader()
        for at, row in enumerate(rows):
            options = row.get("options", ())
            # both forms that a cell may have
            cell = json.dumps(options) if at % 2 else "|".join(options)
            table.writerow({**row, "options": cell} if "options" in row else row)
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_collected_comparisons_show_what_the_model_itself_shows(tmp_path, suffix):
    path = written(tmp_path / f"answers.{suffix}", comparisons())
    (direct,) = eatlas.run(tests=TEST, vectors=model, measures=ASK)
    (read,) = eatlas.run(tests=TEST, vectors=str(path), measures=ASK)
    same = ("level1", "level2", "level3", "over_attributes", "pattern", "templates", "coverage")
    for field in same:
        assert getattr(read, field) == getattr(direct, field)
    own = {"models", "dates", "temperature", "collected"}
    assert read.answers.model_dump(exclude=own) == direct.answers.model_dump(exclude=own)
    answers = read.answers
    assert (answers.models, answers.dates, answers.temperature) == (("m-1",), ("2026-03-01",), None)
    assert (answers.collected.rows, answers.collected.others) == (answers.asked, 0)
    assert read.language_model.model == "m-1"
    assert read.signature == "ASK(alpha=0.05,ddof=1,p=auto,tail=directional,threshold=0.2)"
    assert read.source == str(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert read.provenance.source_fingerprint == f"sha256:{digest}"


def test_decisions_between_two_targets(tmp_path):
    template = "Who likes {attribute}: {first} or {second}?"
    design = eatlas.Ask(templates=template).design(TEST)
    rows = [
        {"attribute": re.search(r"likes (\w+)", prompt.text)[1], "options": prompt.options,
         "response": f"I'd say {min(prompt.options)}.", "template": template}
        for prompt in design.prompts
    ]  # fmt: skip
    path = written(tmp_path / "decisions.csv", rows)
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="ask")
    assert read.answers.about == "attribute"
    assert read.templates == (template,)
    assert read.answers.usable == len(rows)
    assert read.answers.first_place == 0.5


def test_a_line_of_json_ends_where_the_line_of_the_file_does(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_bytes('{"answer": "a\u2028b\u0085c"}\r\n{"answer": "d"}\n'.encode())
    assert [row.text for row in open_collected(path).rows] == ["a\u2028b\u0085c", "d"]


def test_rows_of_other_tests_are_counted_and_said(tmp_path):
    other = {"target": "Ben", "options": ["rose", "wasp"], "answer": "rose"}
    rows = [*comparisons(), other, {**other, "target": "cat"}]
    path = written(tmp_path / "answers.jsonl", rows)
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="ask")
    assert read.answers.collected.others == 2
    (note,) = (note for note in read.warnings if note.code == "answers.other-tests")
    assert f"2 of {len(rows)} answers" in str(note)


def test_words_in_other_capitals_and_several_answers_to_a_question(tmp_path):
    rows = [
        {"target": row["target"].upper(), "options": [word.title() for word in row["options"]],
         "answer": answer}
        for row in comparisons()
        for answer in (row["answer"], row["answer"].upper(), "Neither of them.")
    ]  # fmt: skip
    path = written(tmp_path / "answers.csv", rows)
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="ask")
    (direct,) = eatlas.run(tests=TEST, vectors=model, measures=ASK)
    assert read.level1 == direct.level1
    assert read.answers.answers == 3
    assert read.answers.refused == pytest.approx(1 / 3)
    assert read.templates == ("{target}: {first} or {second}?",)  # the file does not say


def test_collected_and_live_answers_are_compared(tmp_path):
    path = written(tmp_path / "answers.csv", comparisons())
    sources = {"live": model, "collected": str(path)}
    results = eatlas.run(tests=TEST, vectors=sources, measures=ASK)
    (row,) = results.compare("source")
    assert sorted(row.values) == ["collected", "live"]
    (live,) = (result for result in results if result.source == "live")
    assert row.difference("level1", 1).d == 0
    # with either of two ways to ask, but not with another rule of reading
    two = [ASK, f'ask(opponents=2,templates="{TEMPLATE}")']
    assert [len(row.members) for row in eatlas.run(TEST, sources, two).compare("source")] == [2, 2]
    stricter = eatlas.run(TEST, str(path), "ask(alpha=0.01)")
    with pytest.raises(EatlasError, match="do not differ only in their source"):
        eatlas.Results([live, *stricter]).compare("source")
    results.write(tmp_path / "results.jsonl")
    site = eatlas.write_atlas(tmp_path / "results.jsonl", tmp_path / "site")
    page = site.page.read_text(encoding="utf-8")
    assert page.count("<caption") == 1
    assert "Findings of ASK(alpha=0.05,answers=1,by=auto," in page
    views = eatlas.views(answers=sources, tests=TEST, measures=ASK)
    assert [agreement.targets.n for agreement in views.record.agreements] == [6]


def test_comparisons_in_one_order_are_left_out_and_said(tmp_path):
    rows = list(comparisons())
    path = written(tmp_path / "answers.csv", rows[:-1])
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="ask")
    assert "answers.one-order" in {note.code for note in read.warnings}
    path = written(tmp_path / "half.csv", rows[::2])
    with pytest.raises(EatlasError, match="no comparison occurs in both orders"):
        eatlas.run(tests=TEST, vectors=path, measures="ask")


@pytest.mark.parametrize(
    ("keep", "code"),
    [
        (lambda roles: roles[0] != roles[1], "answers.pairs-across"),
        (lambda roles: roles[0] == roles[1], "answers.pairs-within"),
    ],
)
def test_pairs_by_group_are_said(tmp_path, keep, code):
    rows = [row for row in comparisons() if keep([word in TEST.A.terms for word in row["options"]])]
    path = written(tmp_path / "answers.csv", rows)
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="ask")
    codes = {note.code for note in read.warnings}
    assert {code} == codes & {"answers.pairs-across", "answers.pairs-within"}
    if code == "answers.pairs-within":  # each group wins half, whatever is preferred
        assert read.level2.X.difference == pytest.approx(0)


# --- lists ----------------------------------------------------------------------------------------


def test_lists_as_bai_et_al_published_them(tmp_path):
    path = tmp_path / "gpt4o_career_replication.csv"
    path.write_text(PUBLISHED)
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="assign")
    # the published code adds 0.01 to both denominators: 3 and 3 words, then 2 and 4
    assert read.score == pytest.approx((2 * 3 / 3.01 - 1 + 2 / 2.01 + 3 / 4.01 - 1) / 2, abs=1e-6)
    assert (read.lists, read.with_score, read.refused) == (3, 2, 1)
    assert (read.collected.rows, read.collected.others) == (4, 1)
    assert read.shares == {
        "office": 1, "salary": 1, "career": 0.5, "home": 0, "family": 0, "wedding": 0,
    }  # fmt: skip
    assert read.coverage["X"].reasons == {"Paul": "in no list"}
    assert (read.models, read.temperature, read.templates) == (("gpt4o",), None, None)
    assert read.signature == "ASSIGN(alpha=0.05,ddof=1,p=auto)"
    codes = {note.code for note in read.warnings}
    assert codes >= {"answers.other-tests", "answers.refused-lists"}


def test_the_two_targets_of_a_list_may_be_in_columns(tmp_path):
    answer = "office - Ben\nhome - Ann\nfamily - Julia\nsalary - Ben"
    rows = [
        {"response": answer, "group0": "ann", "group1": "ben"},
        {"response": answer, "group0": "Old", "group1": "Young"},
        {"response": answer, "group0": "Ben", "group1": "Paul"},
        {"response": "No.", "group0": "Ben", "group1": "Ann"},
        {"response": "family - Ann", "group0": "Ben", "group1": "Ann"},
    ]
    path = written(tmp_path / "lists.csv", rows)
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="assign")
    assert (read.lists, read.collected.others, read.refused) == (3, 2, 1)
    assert read.unread == 1  # Julia is no target of that list
    options = [{"answer": answer, "options": ["Ben", "Ann"]}, {"answer": "family - Ann"}]
    path = written(tmp_path / "lists.jsonl", options)
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="assign")
    assert (read.lists, read.unread, read.shares["office"]) == (2, 1, 1.0)


def test_without_columns_the_targets_are_those_that_are_assigned_most(tmp_path):
    answer = "office - Ben\nsalary - Ben\ncareer - John\nhome - Ann\nfamily - Ann"
    path = written(tmp_path / "lists.jsonl", [{"answer": answer}])
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="assign(added=0)")
    assert (read.coverage["X"].used, read.coverage["Y"].used) == (("Ben",), ("Ann",))
    assert (read.unread, read.score) == (1, 1.0)
    assert read.coverage["A"].reasons == {"career": "assigned in no list"}


# --- what is wrong with a file --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "target,options\nBen,office|home\n", "row 2: there is no answer"),
        ("a.csv", "answer\n", "the file contains no answers"),
        ("a.csv", "", "the file contains no answers"),
        ("a.csv", "target,options,answer\nBen,office,office\n", "not between two options"),
        ("a.csv", 'target,options,answer\nBen,"[""office"",",office\n', "the options are not JSON"),
        ("a.csv", "answer\nBen,office,home\n", "row 2: the row and the header have different numbers of cells"),
        ("a.csv", "target,options,answer\nBen\n", "row 2: the row and the header have different numbers of cells"),
        ("a.csv", "answer,target,answer\n", "two columns have the name 'answer'"),
        ("a.csv", "target,options,answer\nBen,rose|wasp,rose\n", "1 answer; the first: rose or wasp"),
        ("a.csv", "target,options,answer\nBen,office|home,home\n", "1 comparison in one order"),
        ("a.jsonl", '{"answer": "x"}\n{"answer": \n', "line 2: this is not JSON"),
        ("a.jsonl", "[1]\n", "line 1: this is not an object"),
        ("a.jsonl", '{"answer": "x", "target": "Ben", "options": 5}', "not a list of options"),
        ("a.jsonl", '{"answer": "rose", "target": "cat", "options": ["rose", "wasp"]}',
         "compares words of this test"),
        ("a.jsonl", '{"answer": "office - Ben"}', "use the measure assign for lists of words"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(EatlasError) as error:
        eatlas.run(tests=TEST, vectors=path, measures="ask")
    assert said in str(error.value)


def test_a_file_is_not_asked_otherwise(tmp_path):
    path = tmp_path / "a.csv"
    rows = "Ben,office|home,perhaps\nBen,home|office,perhaps\n"
    path.write_text(f"target,options,answer\n{rows}")
    with pytest.raises(EatlasError) as error:
        eatlas.run(tests=TEST, vectors=path, measures="ask")
    assert "no answer chooses one of its two options" in error.value.what
    assert error.value.remedy.startswith("check that the file has the model's answers in full")
    path.write_text(f"target,options,answer\n{rows.replace('perhaps', 'home')}")
    with pytest.raises(EatlasError) as error:
        eatlas.run(tests=TEST, vectors=path, measures="ask")
    assert "usable answer" in error.value.what
    assert "templates" not in error.value.remedy


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("Ben,office|home,0.5,-1\n", "row 2: not log-probabilities"),
        ("Ben,office|home,x,-1\n", "row 2: not log-probabilities"),
        ("Ben,office|home,nan,-1\n", "row 2: not log-probabilities"),
        ("Ben,office|home,-1,\n" * 2, "several rows have log-probabilities"),
    ],
)
def test_log_probabilities_of_a_file_are_checked(tmp_path, rows, said):
    path = tmp_path / "a.csv"
    path.write_text(f"target,options,logprob_first,logprob_second\n{rows}")
    with pytest.raises(EatlasError, match=said):
        eatlas.run(tests=TEST, vectors=path, measures="ask")


def test_rows_of_another_test_with_the_same_words_are_left_out(tmp_path):
    rows = [{"test": "work-home", **row} for row in comparisons()]
    turned = [
        {**row, "test": "other", "answer": next(o for o in row["options"] if o != row["answer"])}
        for row in rows
    ]
    path = written(tmp_path / "a.jsonl", rows + turned)
    (read,) = eatlas.run(tests=TEST, vectors=path, measures="ask")
    (direct,) = eatlas.run(tests=TEST, vectors=model, measures=ASK)
    assert (read.level1, read.answers.asked) == (direct.level1, len(rows))


def test_a_file_has_no_log_probabilities(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("target,options,answer\nBen,office|home,home\n")
    with pytest.raises(EatlasError, match="texts, not log-probabilities"):
        eatlas.run(tests=TEST, vectors=path, measures="ask(by=logprobs)")


def test_a_file_that_is_not_there_or_of_another_test(tmp_path):
    with pytest.raises(EatlasError, match="cannot be read"):
        open_collected(tmp_path / "none.csv")
    path = tmp_path / "a.csv"
    path.write_text(PUBLISHED)
    with pytest.raises(EatlasError, match="none of the 4 answers is to a list of its words"):
        eatlas.run(tests="weat-1", vectors=path, measures="assign")
    both = [{"target": "Ben", "options": ["office", "home"], "answer": "home"},
            {"attribute": "home", "options": ["Ben", "Ann"], "answer": "Ann"}]  # fmt: skip
    path = written(tmp_path / "a.jsonl", both)
    with pytest.raises(EatlasError, match="the file mixes answers about targets and answers about"):
        eatlas.run(tests=TEST, vectors=path, measures="ask")


def test_what_is_open_is_taken_as_it_is(tmp_path):
    path = written(tmp_path / "a.jsonl", comparisons())
    source = open_collected(path)
    assert open_answering(source) is source
    (read,) = eatlas.run(tests=TEST, vectors={"mine": source}, measures="ask")
    assert read.source == "mine"
